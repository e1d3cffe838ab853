/* Reconstructing chunks whose intents are lost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "control/chunk.h"
#include "state/apply-fact.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/facts.h"
#include "store/load.h"
#include "store/table.h"
#include "verify/private.h"

/* Maximum bytes of an intent to read. */
enum { LARGEST = 16 << 20 };

static int
from_plan(
    const struct store_job *job, const char *name, struct store_chunk *out)
{
	struct store_chunks plan;
	size_t i;
	int rc = -1;

	job_chunks(job, &plan);
	for (i = 0; rc == -1 && i < plan.count; i++)
		if (strcmp(plan.chunk[i].name, name) == 0) {
			*out = plan.chunk[i];
			plan.chunk[i] = plan.chunk[--plan.count];
			rc = 0;
		}
	store_chunks_free(&plan);
	return rc;
}

/* Reconstruct a part from the chunk that was cut, whose intent is older. */
static int
from_whole(
    const struct store_job *job, const char *name, struct store_chunk *out)
{
	size_t length = strlen(name);
	struct store_chunk whole;
	char *of;
	int rc;

	if (length == 0 || strchr("ab", name[length - 1]) == NULL)
		return -1;
	of = xstrndup(name, length - 1);
	rc = store_intent_read(job, of, &whole, NULL);
	if (rc == -1)
		rc = from_plan(job, of, &whole);
	if (rc == -1)
		rc = from_whole(job, of, &whole);
	free(of);
	if (rc == -1)
		return -1;
	job_chunk_half(job, &whole, name[length - 1], out);
	out->time = whole.time;
	store_chunk_free(&whole);
	return 0;
}

/* Reconstruct a chunk that was cut from its two parts. */
static int
from_parts(
    const struct store_job *job, const char *name, struct store_chunk *out)
{
	char *names[] = {xasprintf("%sa", name), xasprintf("%sb", name)};
	struct store_chunk a, b;
	int rc = store_intent_read(job, names[0], &a, NULL);

	if (rc == 0) {
		rc = store_intent_read(job, names[1], &b, NULL);
		if (rc == -1)
			store_chunk_free(&a);
	}
	free(names[0]);
	free(names[1]);
	if (rc == -1)
		return -1;
	*out = a;
	free(out->name);
	free(out->token);
	job_chunk_name(job, out, xstrdup(name));
	idset_add_all(&out->tasks, &b.tasks);
	out->throttle += b.throttle; /* its pack is that of the first part */
	store_chunk_free(&b);
	return 0;
}

/* ---- reconstructing a chunk from its array ---- */

/* Traces of an array in the table and the facts. */
struct trace {
	int64_t *index; /* index of each task in the array, or -1 */
	char *begun;    /* whether each task has started */
	uint64_t count; /* number of the job's tasks */
	uint32_t attempt;
	int seen, in_table;
	int contradictory; /* the traces are not of one chunk */
};

static void
see(struct trace *t, uint64_t task, int64_t index, uint32_t attempt, int begun)
{
	if (task >= t->count || index < 0 ||
	    (t->seen && attempt != t->attempt) ||
	    (t->index[task] != -1 && t->index[task] != index)) {
		t->contradictory = 1;
		return;
	}
	t->seen = 1;
	t->attempt = attempt;
	t->index[task] = index;
	t->begun[task] |= (char)begun;
}

static void
see_table(struct trace *t, const struct store_table *table, int64_t array)
{
	const struct store_row *row;
	uint64_t task;

	for (task = 0; task < t->count; task++) {
		row = store_table_row(table, task);
		if (row->array == array) {
			t->in_table = 1;
			see(t, task, row->index, row->attempt,
			    row->facts != 0 ||
				store_state_is_final(row->state));
		}
		store_table_forget(table, task);
	}
}

/* Read the index from start facts, which contain "ARRAY_INDEX": "4102_3". */
static int
see_starts(struct trace *t, const struct store_job *job, uint32_t array,
    struct error *e)
{
	struct store_fact_body body;
	struct store_facts facts;
	const struct store_fact *f;
	const char *at;
	int64_t index;
	size_t i;

	if (store_facts_list(job, NULL, &facts, e) == -1)
		return -1;
	for (i = 0; i < facts.count; i++) {
		f = &facts.fact[i];
		if (f->kind[0] != 'S' ||
		    store_facts_read(job, &facts, f, &body, NULL) == -1)
			continue;
		at = body.slurm != NULL ? strchr(body.slurm, '_') : NULL;
		if (at != NULL && job_fact_array(&body) == array &&
		    num_int("index", at + 1, 0, UINT32_MAX, &index, NULL) == 0)
			see(t, f->task, index, f->attempt, 1);
		store_fact_body_free(&body);
	}
	store_facts_free(&facts);
	return 0;
}

/*
 * Add the tasks of the array to tasks.  Returns whether all tasks are known.  A
 * reconcile pass writes all tasks of an array into the table at once, and a row
 * leaves the array only for a later run.  So the indices must have no gap, and
 * no task after the last one may be in a later run.
 */
static int
is_complete(
    const struct trace *t, const struct store_table *table, struct idset *tasks)
{
	const struct store_row *row;
	int64_t next = 0;
	uint64_t task;
	int left = 0;

	for (task = 0; task < t->count; task++) {
		if (t->index[task] != -1) {
			if (t->index[task] != next++)
				return 0;
			idset_add(tasks, task, task);
			left = 0;
			continue;
		}
		row = store_table_row(table, task);
		left |= row->attempt > t->attempt ||
		    (row->attempt == t->attempt && row->array == -1);
		store_table_forget(table, task);
	}
	return next > 0 && t->in_table && !t->contradictory && !left;
}

static int
all_begun(const struct trace *t)
{
	uint64_t task;

	for (task = 0; task < t->count; task++)
		if (t->index[task] != -1 && !t->begun[task])
			return 0;
	return 1;
}

/*
 * Return whether a damaged intent has "resume", so that its tasks continue from
 * a checkpoint; or -1 if the keys around it are damaged too, or belong to
 * another chunk.
 */
static int
old_resume(const struct store_job *job, const char *name)
{
	static const char *const others[] = {
	    "\"options\":", "\"why\":", "\"host\":"};
	char *file = xasprintf("%s.intent", name), *text = NULL, *at;
	int sub = fs_open_subdir(store_job_dir(job), "sub", 0, NULL),
	    resume = -1;
	struct error why;
	size_t length, i;

	if (sub != -1 &&
	    (store_directory_check(job, sub, file, &why) == 0 ||
		why.code != ERROR_FOREIGN) &&
	    fs_read(sub, file, LARGEST, &text, &length, NULL) == 0 &&
	    (at = strstr(text, "\"throttle\":")) != NULL &&
	    (at = strchr(at, ',')) != NULL) {
		if (text_begins(at + 1, "\"resume\":1,"))
			resume = 1;
		for (i = 0; i < sizeof others / sizeof *others; i++)
			if (text_begins(at + 1, others[i]))
				resume = 0;
	}
	free(text);
	free(file);
	fs_close(sub);
	return resume;
}

static int
from_array(const struct store_job *job, const struct store_table *table,
    const char *name, struct store_chunk *out, struct error *e)
{
	struct trace t = {.count = table->count};
	uint64_t i;
	int rc, resume;

	if (store_claim_read(job, name, out, NULL) == -1 || out->array == 0)
		return error_set(
		    e, "nothing else tells which tasks were in it");
	t.index = xcalloc(t.count + 1, sizeof *t.index);
	t.begun = xcalloc(t.count + 1, 1);
	for (i = 0; i < t.count; i++)
		t.index[i] = -1;
	job_chunk_name(job, out, xstrdup(name));
	see_table(&t, table, out->array);
	rc = see_starts(&t, job, out->array, e);
	resume = old_resume(job, name);
	if (rc == 0 && !is_complete(&t, table, &out->tasks))
		rc = error_set(e,
		    "neither the table nor the tasks tell all that were "
		    "queued in array %" PRIu32,
		    out->array);
	else if (rc == 0 && resume == -1 && !all_begun(&t))
		rc = error_set(e,
		    "nothing tells whether those of array %" PRIu32
		    " that have not begun go on from a checkpoint",
		    out->array);
	out->attempt = t.attempt;
	out->resume = resume == 1;
	free(t.index);
	free(t.begun);
	if (rc == -1)
		store_chunk_free(out);
	return rc;
}

int
repair_find_chunk(const struct repair *r, const char *name,
    struct store_chunk *out, const char **source, struct error *e)
{
	memset(out, 0, sizeof *out);
	if (store_job_is_adopted(r->job))
		return error_set(
		    e, "nothing else tells which of Slurm's tasks are its own");
	*source = "the job";
	if (from_plan(r->job, name, out) == 0) {
		out->time = store_job_created(r->job);
		return 0;
	}
	*source = "the chunk that contains it";
	if (from_whole(r->job, name, out) == 0)
		return 0;
	*source = "its parts";
	if (from_parts(r->job, name, out) == 0)
		return 0;
	*source = "its array and the table";
	return from_array(r->job, r->table, name, out, e);
}
