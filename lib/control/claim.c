#include <inttypes.h>
#include <stdlib.h>

#include "base/idset.h"
#include "control/claim.h"
#include "slurm/queue.h"
#include "store/chunk.h"
#include "store/load.h"

uint64_t
job_claim_count_alive(const struct queue *queue)
{
	const struct queue_record *r;
	struct idset indices = {0};
	uint64_t count = 0;
	size_t i;

	for (i = 0; queue != NULL && i < queue_count(queue); i++) {
		r = queue_record(queue, i);
		if (!r->alive)
			continue;
		if (r->indices != NULL &&
		    idset_parse(&indices, r->indices, NULL) == 0)
			count += idset_size(&indices);
		else
			count++;
		idset_free(&indices);
	}
	return count;
}

int
job_claim_is_alive(const struct queue *queue, uint32_t array, const char *token)
{
	const struct queue_record *r;
	size_t i;

	for (i = 0; i < queue_count(queue); i++) {
		r = queue_record(queue, i);
		if (r->array == array && r->alive &&
		    (token == NULL || queue_has_token(r, token)))
			return 1;
	}
	return 0;
}

void
job_claim_cancel(uint32_t array, const char *token)
{
	struct queue_cancel cancel = {.array = array, .token = token};

	queue_cancel(&cancel, 1, NULL, NULL);
}

/* If Slurm dropped the token, identify the array by its id and submit time. */
int
job_claim_check(const struct store_job *job, const struct store_chunk *chunk,
    uint32_t array, struct error *e)
{
	const struct queue_record *r;
	struct queue *queue;
	char *token;
	int rc = 0;

	if (queue_load(&queue, NULL) == -1)
		return 0;
	r = queue_find_any(queue, array);
	if (r != NULL && !queue_has_token(r, chunk->token)) {
		token = queue_adopt(r->uid, array, r->submit, r->name);
		job_claim_cancel(array, token);
		free(token);
		rc = error_set(e,
		    "%s: this cluster replaces both the comment and the name "
		    "of the batch script, so stfm could not recognise array "
		    "%" PRIu32
		    " later and has cancelled it: ask your administrators to "
		    "keep one of the two",
		    store_job_name(job), array);
	}
	queue_free(queue);
	return rc;
}

int
job_claim_claim(const struct store_job *job, const struct store_chunk *chunk,
    uint32_t *array, struct error *e)
{
	uint32_t ours = *array;

	if (store_claim(job, chunk->name, array, e) == -1)
		return -1;
	if (*array != ours)
		job_claim_cancel(ours, chunk->token);
	return 0;
}

int
job_claim_find(
    const struct queue *queue, const struct store_chunk *chunk, uint32_t *array)
{
	size_t count = 0, i, best = 0;
	uint32_t *ids = queue_find_tokens(queue, chunk->token, &count);

	while (
	    best < count && !job_claim_is_alive(queue, ids[best], chunk->token))
		best++;
	if (best == count)
		best = 0;
	for (i = 0; i < count; i++)
		if (i != best &&
		    job_claim_is_alive(queue, ids[i], chunk->token))
			job_claim_cancel(ids[i], chunk->token);
	if (count > 0)
		*array = ids[best];
	free(ids);
	return count > 0;
}
