/* Repair of the intents and the claims of chunks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "state/apply-fact.h"
#include "store/chunk.h"
#include "store/facts.h"
#include "store/job.h"
#include "verify/private.h"

/* Report that an adopted chunk stays as it is: only Slurm knows its tasks. */
static void
leave_adopted(struct repair *r, const struct verify_finding *f)
{
	r->left++;
	repair_report(r,
	    "%s: left as it is: import %s again, under another name (-J)",
	    f->path, r->job->imported);
}

/* Publish an intent with its old time, which says when the chunk was queued. */
static int
replace_intent(struct repair *r, const char *path,
    const struct store_chunk *chunk, struct error *e)
{
	struct store_job staged;
	int rc, sub;

	if (repair_stage_job(r, &staged, e) == -1)
		return -1;
	rc = store_intent(&staged, chunk, e);
	if (rc == 0 && chunk->time > 0) {
		sub = fs_open_subdir(staged.dir, "sub", 0, e);
		rc = sub == -1
		    ? -1
		    : fs_set_changed(sub, fs_base(path), chunk->time, e);
		fs_close(sub);
	}
	if (rc == 0)
		rc = repair_replace(r, path, e);
	fs_close(staged.dir);
	return rc;
}

int
repair_intent(struct repair *r, const struct verify_finding *f, struct error *e)
{
	const char *base = fs_base(f->path), *source;
	char *name = xstrndup(base, strlen(base) - strlen(".intent"));
	struct store_chunk chunk;
	struct error why;
	int rc = 0;

	if (repair_find_chunk(r, name, &chunk, &source, &why) == 0) {
		rc = replace_intent(r, f->path, &chunk, e);
		if (rc == 0)
			repair_report(
			    r, "%s: made again from %s", f->path, source);
		store_chunk_free(&chunk);
	} else if (store_job_is_adopted(r->job)) {
		leave_adopted(r, f);
	} else {
		r->left++;
		repair_report(r,
		    "%s: left as it is: %s; scancel what \"squeue --me -n %s\" "
		    "shows, and submit under another name the tasks that "
		    "\"stfm-status %s\" does not show as FINISHED",
		    f->path, why.text, r->job->name, r->job->name);
	}
	free(name);
	return rc == -1 ? -1 : 0;
}

/* Return whether another chunk has this array: then the chunk was cut. */
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

/* Return the array of a task of the chunk, read from a start fact; or 0. */
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

int
repair_claim(struct repair *r, const struct verify_finding *f, struct error *e)
{
	const char *base = fs_base(f->path), *end = strstr(base, ".claim");
	char *name = xstrndup(base, (size_t)(end - base));
	struct store_job staged = {.dir = -1};
	struct store_chunk chunk;
	uint32_t array = 0;
	int rc = 0;

	if (store_intent_read(r->job, name, &chunk, e) == 0) {
		array = array_of(r->job, &chunk);
		store_chunk_free(&chunk);
	}
	if (array == 0 && store_job_is_adopted(r->job)) {
		leave_adopted(r, f);
	} else if (array == 0) {
		r->left++;
		repair_report(r,
		    "%s: left as it is: without it the tasks of its chunk "
		    "might be trained twice, and no task tells which array it "
		    "was; stfm-stop the job and submit it again",
		    f->path);
	} else {
		rc = repair_stage_job(r, &staged, e);
		if (rc == 0)
			rc = store_claim(&staged, name, &array, e);
		if (rc == 0)
			rc = repair_replace(r, f->path, e);
		if (rc == 0)
			repair_report(r,
			    "%s: made again for array %" PRIu32
			    ", in which its tasks say that they ran",
			    f->path, array);
	}
	fs_close(staged.dir);
	free(name);
	return rc;
}
