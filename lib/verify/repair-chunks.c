#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "state/apply-fact.h"
#include "store/chunk.h"
#include "store/facts.h"
#include "sys/fs.h"
#include "verify/repair-chunks.h"
#include "verify/repair-intent.h"

/* Whether an array has the claim of another chunk: this one was cut then. */
static int
is_taken(const struct store_job *job, uint32_t array)
{
	struct store_chunks chunks;
	int taken = 0;
	size_t i;

	if (store_chunks_list(job, &chunks, NULL) == -1)
		return 1;
	for (i = 0; i < chunks.count; i++)
		taken |= chunks.chunk[i].array == array;
	store_chunks_free(&chunks);
	return taken;
}

/* The array that trained a task of the chunk, by what the tasks said, or 0. */
static uint32_t
array_of(const struct store_job *job, const struct store_chunk *chunk)
{
	struct store_fact_body body;
	struct store_facts facts;
	const struct store_fact *f;
	uint32_t array = 0;
	size_t i;

	if (store_facts_list(job, NULL, &facts, NULL) == -1)
		return 0;
	for (i = 0; i < facts.count && array == 0; i++) {
		f = &facts.fact[i];
		if (f->kind[0] != 'S' || f->attempt != chunk->attempt ||
		    !idset_has(&chunk->tasks, f->task) ||
		    store_facts_read(job, &facts, f, &body, NULL) == -1)
			continue;
		array = job_fact_array(&body);
		store_fact_body_free(&body);
	}
	store_facts_free(&facts);
	return array != 0 && !is_taken(job, array) ? array : 0;
}

/* An intent in the stage is as old as it was: it tells when that was. */
static int
date_intent(const struct store_job *staged, const char *name, int64_t when,
    struct error *e)
{
	int sub, rc = -1;

	if (when <= 0) /* nobody knows */
		return 0;
	sub = fs_open_subdir(staged->dir, "sub", 0, e);
	if (sub != -1)
		rc = fs_set_changed(sub, name, when, e);
	fs_close(sub);
	return rc;
}

static int
place_intent(struct repair_log *m, const struct store_job *job,
    const struct verify_finding *f, const struct job_told *told,
    struct error *e)
{
	struct store_job staged = {.dir = -1};
	int rc = quarantine_stage_job(&m->lost, job, &staged, e);

	if (rc == 0)
		rc = store_intent(&staged, &told->chunk, e);
	if (rc == 0)
		rc =
		    date_intent(&staged, fs_base(f->path), told->chunk.time, e);
	if (rc == 0)
		rc = quarantine_take_place(&m->lost, f->path, e);
	if (rc == 0)
		repair_say(m, "%s: made again from %s", f->path, told->by);
	fs_close(staged.dir);
	return rc == -1 ? -1 : 0;
}

/* Nothing else tells which of Slurm's tasks are its own: but Slurm does. */
static void
left_adopted(struct repair_log *m, const struct store_job *job,
    const struct verify_finding *f)
{
	m->left++;
	repair_say(m,
	    "%s: left as it is: import %s again, under another name (-J)",
	    f->path, job->imported);
}

int
repair_intent(struct repair_log *m, const struct store_job *job,
    const struct store_table *fold, const struct verify_finding *f,
    struct error *e)
{
	const char *base = fs_base(f->path);
	char *name = xstrndup(base, strlen(base) - strlen(".intent"));
	struct job_told told;
	struct error why;
	int rc = 0;

	if (repair_tell(job, fold, name, &told, &why) == 0) {
		rc = place_intent(m, job, f, &told, e);
		store_chunk_free(&told.chunk);
	} else if (store_job_is_adopted(job)) {
		left_adopted(m, job, f);
	} else {
		m->left++;
		repair_say(m,
		    "%s: left as it is: %s; scancel what \"squeue --me -n %s\" "
		    "shows, and submit under another name the tasks that "
		    "\"stfm-status %s\" does not show as FINISHED",
		    f->path, why.text, job->name, job->name);
	}
	free(name);
	return rc;
}

int
repair_claim(struct repair_log *m, const struct store_job *job,
    const struct verify_finding *f, struct error *e)
{
	const char *name = fs_base(f->path), *end = strstr(name, ".claim");
	char *chunk_name = xstrndup(name, (size_t)(end - name));
	struct store_job staged = {.dir = -1};
	struct store_chunk chunk;
	uint32_t array = 0;
	int rc = 0;

	if (store_intent_read(job, chunk_name, &chunk, e) == 0) {
		array = array_of(job, &chunk);
		store_chunk_free(&chunk);
	}
	if (array == 0 && store_job_is_adopted(job)) {
		left_adopted(m, job, f);
	} else if (array == 0) {
		m->left++;
		repair_say(m,
		    "%s: left as it is: without it the tasks of its chunk "
		    "might be trained twice, and no task tells which array it "
		    "was; stfm-stop the job and submit it again",
		    f->path);
	} else {
		rc = quarantine_stage_job(&m->lost, job, &staged, e);
		if (rc == 0)
			rc = store_claim(&staged, chunk_name, &array, e);
		if (rc == 0)
			rc = quarantine_take_place(&m->lost, f->path, e);
		if (rc == 0)
			repair_say(m,
			    "%s: made again for array %" PRIu32
			    ", in which its tasks say that they ran",
			    f->path, array);
	}
	fs_close(staged.dir);
	free(chunk_name);
	return rc;
}
