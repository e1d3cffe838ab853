#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/canary.h"
#include "control/chunk.h"
#include "slurm/task.h"
#include "store/chunk.h"
#include "store/once.h"
#include "store/request.h"
#include "store/table-row.h"
#include "store/table.h"

static const char passed[] = "canary";

int
job_canary_holds(const struct store_chunk *chunk)
{
	size_t i;

	for (i = 0; i < chunk->options.count; i++)
		if (strcmp(chunk->options.word[i], "--hold") == 0)
			return 1;
	return 0;
}

int
job_canary_has_passed(const struct store_job *job, struct error *e)
{
	return store_once_is_set(job, passed, e);
}

int
job_canary_is_dead(const struct store_job *job, const struct store_table *table)
{
	return job_has_canary(job) && table->in_state[STORE_RUNNING] == 0 &&
	    store_state_is_failure(store_table_state(table, 0)) &&
	    job_canary_has_passed(job, NULL) == 0;
}

/* Release the tasks of a chunk, except those that the user holds. */
static int
let_go(
    const struct store_job *job, const struct store_chunk *c, struct error *e)
{
	struct idset_walk walk = {0};
	struct store_requests requests;
	struct idset indices = {0};
	uint64_t task, i = 0;
	int rc = 0;

	if (store_requests_whole(job, STORE_HOLDS, &requests, e) == -1)
		return -1;
	for (; idset_next(&c->tasks, &walk, &task); i++)
		if (!store_is_held(&requests, task, c->attempt))
			idset_add(&indices, i, i);
	if (indices.count > 0)
		rc = queue_task_release(c->array,
		    i == idset_size(&indices) ? NULL : &indices, c->token, e);
	idset_free(&indices);
	store_requests_free(&requests);
	return rc;
}

int
job_canary_release(const struct store_job *job, const struct store_chunk *chunk,
    struct error *e)
{
	char *mark = xasprintf("released.%s", chunk->name);
	int rc = store_once_is_set(job, mark, e);

	if (rc == 0) {
		rc = let_go(job, chunk, e);
		if (rc == 0)
			rc = store_once_set(job, mark, NULL, e);
	}
	free(mark);
	return rc == -1 ? -1 : 0;
}

int
job_canary_pass(const struct store_job *job, struct error *e)
{
	struct store_chunks chunks;
	const struct store_chunk *c;
	int rc = 0;
	size_t i;

	if (store_once_set(job, passed, NULL, e) == -1 ||
	    store_chunks_list(job, &chunks, e) == -1)
		return -1;
	/* Stop at the first refusal: the running task must not be delayed. */
	for (i = 0; rc == 0 && i < chunks.count; i++) {
		c = &chunks.chunk[i];
		if (c->claim == STORE_ARRAY && job_canary_holds(c) &&
		    job_canary_release(job, c, e) == -1)
			rc = -1;
	}
	store_chunks_free(&chunks);
	return rc;
}
