#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "job/chunk.h"
#include "state/apply-fact.h"
#include "store/directory.h"
#include "store/facts.h"
#include "sys/fs.h"
#include "verify/repair-intent.h"

/* Longer than any intent whose tasks are in few runs. */
enum { LARGEST = 16 << 20 };

static int
tell_by_plan(
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

/* A part follows from the chunk that was cut, whose intent comes before it. */
static int
tell_by_whole(
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
		rc = tell_by_plan(job, of, &whole);
	if (rc == -1)
		rc = tell_by_whole(job, of, &whole);
	free(of);
	if (rc == -1)
		return -1;
	job_chunk_half(job, &whole, name[length - 1], out);
	out->time = whole.time;
	store_chunk_free(&whole);
	return 0;
}

/* Both parts have all that it was. */
static int
tell_by_parts(
    const struct store_job *job, const char *name, struct store_chunk *out)
{
	char *names[] = {xasprintf("%sa", name), xasprintf("%sb", name)};
	struct store_chunk a, b;
	size_t i;
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
	for (i = 0; i < b.tasks.count; i++)
		idset_add(
		    &out->tasks, b.tasks.run[i].first, b.tasks.run[i].last);
	out->throttle += b.throttle; /* and packed as the first part is */
	store_chunk_free(&b);
	return 0;
}

/* ---- by its array ---- */

struct trace {
	int64_t *index; /* of each task in the array, or -1 */
	char *begun;
	uint64_t count;
	uint32_t attempt;
	int seen, in_table, mixed;
};

static void
see(struct trace *t, uint64_t task, int64_t index, uint32_t attempt, int begun)
{
	if (task >= t->count || index < 0 ||
	    (t->seen && attempt != t->attempt) ||
	    (t->index[task] != -1 && t->index[task] != index)) {
		t->mixed = 1;
		return;
	}
	t->seen = 1;
	t->attempt = attempt;
	t->index[task] = index;
	t->begun[task] |= (char)begun;
}

static void
see_table(struct trace *t, const struct store_table *fold, int64_t array)
{
	const struct store_row *row;
	uint64_t task;

	for (task = 0; task < t->count; task++) {
		row = store_table_row(fold, task);
		if (row->array == array) {
			t->in_table = 1;
			see(t, task, row->index, row->attempt,
			    row->facts != 0 ||
				store_state_is_final(row->state));
		}
		store_table_forget(fold, task);
	}
}

/* A start says "4102_3". */
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
 * The tasks, when none can be missing.  A pass writes all tasks of an array
 * into the table at once, and they leave it only for a later run: so the
 * indices have to be without a gap, and behind the last there may be no task
 * that has left.
 */
static int
is_complete(
    const struct trace *t, const struct store_table *fold, struct idset *tasks)
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
		row = store_table_row(fold, task);
		left |= row->attempt > t->attempt ||
		    (row->attempt == t->attempt && row->array == -1);
		store_table_forget(fold, task);
	}
	return next > 0 && t->in_table && !t->mixed && !left;
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

static int
is_another(const struct store_job *job, int sub, const char *file)
{
	return store_directory_check(job, sub, file, NULL) == -1 &&
	    errno == ENOMSG;
}

/*
 * Whether its tasks go on from a checkpoint: 1, 0, or -1 where the words next
 * to that are damaged too, or are of another chunk.
 */
static int
old_resume(const struct store_job *job, const char *name)
{
	static const char *const others[] = {
	    "\"options\":", "\"why\":", "\"host\":"};
	char *file = xasprintf("%s.intent", name), *text = NULL, *at;
	int sub = fs_open_subdir(job->dir, "sub", 0, NULL), resume = -1;
	size_t length, i;

	if (sub != -1 && !is_another(job, sub, file) &&
	    fs_read(sub, file, LARGEST, &text, &length, NULL) == 0 &&
	    (at = strstr(text, "\"throttle\":")) != NULL &&
	    (at = strchr(at, ',')) != NULL) {
		if (strncmp(at + 1, "\"resume\":1,", 11) == 0)
			resume = 1;
		for (i = 0; i < sizeof others / sizeof *others; i++)
			if (strncmp(at + 1, others[i], strlen(others[i])) == 0)
				resume = 0;
	}
	free(text);
	free(file);
	fs_close(sub);
	return resume;
}

static int
judge_trace(const struct trace *t, const struct store_job *job,
    const struct store_table *fold, struct store_chunk *c, struct error *e)
{
	int resume = old_resume(job, c->name);

	if (!is_complete(t, fold, &c->tasks))
		return error_set(e,
		    "neither the table nor the tasks tell all that were "
		    "queued in array %" PRIu32,
		    c->array);
	if (resume == -1 && !all_begun(t))
		return error_set(e,
		    "nothing tells whether those of array %" PRIu32
		    " that have not begun go on from a checkpoint",
		    c->array);
	c->attempt = t->attempt;
	c->resume = resume == 1;
	return 0;
}

static int
tell_by_array(const struct store_job *job, const struct store_table *fold,
    const char *name, struct store_chunk *out, struct error *e)
{
	struct trace t = {.count = fold->count};
	uint64_t i;
	int rc;

	if (store_claim_read(job, name, out, NULL) == -1 || out->array == 0)
		return error_set(
		    e, "nothing else tells which tasks were in it");
	t.index = xcalloc(t.count + 1, sizeof *t.index);
	t.begun = xcalloc(t.count + 1, 1);
	for (i = 0; i < t.count; i++)
		t.index[i] = -1;
	job_chunk_name(job, out, xstrdup(name));
	see_table(&t, fold, out->array);
	rc = see_starts(&t, job, out->array, e);
	if (rc == 0)
		rc = judge_trace(&t, job, fold, out, e);
	free(t.index);
	free(t.begun);
	if (rc == -1)
		store_chunk_free(out);
	return rc;
}

int
repair_tell(const struct store_job *job, const struct store_table *fold,
    const char *name, struct job_told *out, struct error *e)
{
	struct store_chunk *c = &out->chunk;

	memset(out, 0, sizeof *out);
	if (store_job_is_adopted(job))
		return error_set(
		    e, "nothing else tells which of Slurm's tasks are its own");
	out->by = "the job";
	if (tell_by_plan(job, name, c) == 0) {
		c->time = job->created;
		return 0;
	}
	out->by = "the chunk of which it is a part";
	if (tell_by_whole(job, name, c) == 0)
		return 0;
	out->by = "its parts";
	if (tell_by_parts(job, name, c) == 0)
		return 0;
	out->by = "its array and the table";
	return tell_by_array(job, fold, name, c, e);
}
