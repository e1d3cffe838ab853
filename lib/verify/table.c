/* Comparing a job's table, its facts and its chunks with each other. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/chunk.h"
#include "job/points.h"
#include "runner/supervise.h"
#include "state/apply-fact.h"
#include "state/search.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/facts.h"
#include "store/load.h"
#include "store/table-row.h"
#include "store/table.h"
#include "verify/private.h"

/* A table and the facts that should agree with it. */
struct comparison {
	struct verify_job *s;
	const struct store_job *job;
	const struct store_table *table;
	char *generation;           /* name of the table's file */
	struct store_facts facts;   /* facts, without the foreign ones */
	struct store_fact *foreign; /* names of files that hold another fact */
	size_t foreigners;
};

/* ---- the table and the facts ---- */

/* The newest run of a task according to its facts. */
struct evidence {
	struct store_run run;
	int facts;
	int64_t exit; /* exit code in the name of the end fact, or -1 */
};

static void
take_fact(struct evidence *v, const struct store_fact *f)
{
	int order = store_run_compare(STORE_RUN(f), v->run);

	if (order > 0)
		*v = (struct evidence){STORE_RUN(f), 0, -1};
	if (order < 0)
		return;
	v->facts |= job_fact_flag(f);
	if (f->kind[0] == 'E')
		v->exit = job_fact_code(f);
}

static const char *
name_of(int flag)
{
	switch (flag) {
	case STORE_HAS_S:
		return "start";
	case STORE_HAS_Q:
		return "return to the queue";
	case STORE_HAS_E:
		return "end";
	default:
		return "end as Slurm told it";
	}
}

static int
compare(const void *a, const void *b)
{
	return store_fact_compare(a, b);
}

/* Move facts that were found to be misplaced from facts to foreign. */
static void
sort_out_foreign(struct comparison *c)
{
	const struct verify_findings *found = c->s->found;
	struct store_facts *facts = &c->facts;
	struct store_fact name, *fact;
	size_t i, kept = 0, k;

	for (i = 0; i < found->count; i++) {
		if (found->item[i].kind != FINDING_MISPLACED ||
		    strcmp(found->item[i].job, store_job_name(c->job)) != 0 ||
		    !store_fact_parse(fs_base(found->item[i].path), &name) ||
		    facts->count == 0)
			continue;
		fact = bsearch(&name, facts->fact, facts->count,
		    sizeof *facts->fact, compare);
		if (fact == NULL ||
		    !store_facts_is_foreign(c->job, facts, fact))
			continue;
		c->foreign =
		    xgrow(c->foreign, c->foreigners, sizeof *c->foreign);
		c->foreign[c->foreigners++] = *fact;
	}
	if (c->foreigners == 0)
		return;
	qsort(c->foreign, c->foreigners, sizeof *c->foreign, compare);
	for (i = k = 0; i < facts->count; i++)
		if (k < c->foreigners &&
		    compare(&facts->fact[i], &c->foreign[k]) == 0)
			k++;
		else
			facts->fact[kept++] = facts->fact[i];
	facts->count = kept;
}

/*
 * Return whether a row may have got a flag from the name of a foreign file: the
 * row has nothing that only the content of the fact could give.
 */
static int
is_from_name(
    const struct comparison *c, const struct store_brief *brief, int flag)
{
	const struct store_row *row;
	const struct store_fact *f;
	int found = 0, has_more;
	size_t i;

	for (i = 0; i < c->foreigners && !found; i++) {
		f = &c->foreign[i];
		found = f->task == brief->task && job_fact_flag(f) == flag &&
		    store_run_compare(STORE_RUN(f), STORE_RUN(brief)) == 0;
	}
	if (!found)
		return 0;
	row = store_table_row(c->table, brief->task);
	if (flag == STORE_HAS_S)
		has_more = row->log != NULL;
	else
		has_more = flag != STORE_HAS_X && row->signal != -1;
	store_table_forget(c->table, brief->task);
	return !has_more;
}

/*
 * Note a wrong row, or a fact (flag) that only the row still has.  Frees what.
 */
static void
note_row(const struct comparison *c, uint64_t task, int flag, char *what)
{
	struct verify_finding *item;

	verify_job_note(c->s, flag != 0 ? FINDING_LOST : FINDING_TABLE, "fold",
	    c->generation, what);
	item = &c->s->found->item[c->s->found->count - 1];
	item->task = task;
	item->fact = flag;
	free(what);
}

/* Note facts of the row's run that the table has but the store lacks. */
static void
check_lost(const struct comparison *c, const struct store_brief *row,
    const struct evidence *v)
{
	int order = store_run_compare(v->run, STORE_RUN(row));
	int lost = row->facts & ~STORE_DUE, flag, is_name;

	if (order == 0)
		lost &= ~v->facts;
	else if (order > 0)
		lost = 0; /* the table is older than the facts */
	for (flag = STORE_HAS_S; flag <= lost; flag <<= 1) {
		if ((lost & flag) == 0)
			continue;
		is_name = is_from_name(c, row, flag);
		note_row(c, row->task, is_name ? 0 : flag,
		    xasprintf("%s/%" PRIu64 ": the table knows its %s, but %s",
			store_job_name(c->job), row->task, name_of(flag),
			is_name ? "the file with that name is not a fact of it"
				: "there is no such fact"));
	}
}

static void
check_end(const struct comparison *c, const struct store_brief *brief,
    const struct evidence *v)
{
	const struct store_row *row;

	if ((brief->facts & STORE_HAS_E) == 0 || v->exit == -1 ||
	    store_run_compare(v->run, STORE_RUN(brief)) != 0)
		return;
	row = store_table_row(c->table, brief->task);
	if (row->exit != v->exit)
		note_row(c, brief->task, 0,
		    xasprintf("%s/%" PRIu64 ": exit %" PRId64
			      " in the table, but %" PRId64 " in its end",
			store_job_name(c->job), brief->task, row->exit,
			v->exit));
	else if (row->exit == 0 && row->asked <= 0 && row->signal <= 0 &&
	    row->state != STORE_FINISHED)
		note_row(c, brief->task, 0,
		    xasprintf("%s/%" PRIu64 ": %s in the table, but it ended "
			      "with 0",
			store_job_name(c->job), brief->task,
			store_state_name(row->state)));
	store_table_forget(c->table, brief->task);
}

/* Return whether there is a fact of a search that the table knows. */
static int
has_search(const struct comparison *c, struct store_fact fact, uint64_t task)
{
	fact.task = task;
	return c->facts.search_count > 0 &&
	    bsearch(&fact, c->facts.search, c->facts.search_count, sizeof fact,
		compare) != NULL;
}

/* Note values at rungs that the table has but the store lacks. */
static void
check_rungs(const struct comparison *c, uint64_t task)
{
	struct job_rungs rungs;
	size_t i;

	job_rungs_read(store_table_row(c->table, task)->rungs, &rungs);
	store_table_forget(c->table, task);
	for (i = 0; i < rungs.count; i++)
		if (!has_search(c, rungs.fact[i], task))
			note_row(c, task, 0,
			    xasprintf("%s/%" PRIu64 ": the table knows its "
				      "value at a rung, %s, but there is no "
				      "such fact",
				store_job_name(c->job), task,
				rungs.fact[i].kind));
	job_rungs_free(&rungs);
}

/* Note a point that the table has but the store lacks. */
static void
check_point(const struct comparison *c, uint64_t task)
{
	const char *text = store_table_row(c->table, task)->point;
	struct store_fact point = {.task = task, .kind = "P"};
	struct store_run run;

	if (job_point_run(text, &run) > 0) {
		point.attempt = run.attempt;
		point.restart = run.restart;
		if (!has_search(c, point, task))
			note_row(c, task, 0,
			    xasprintf("%s/%" PRIu64 ": the table knows its "
				      "point, but there is no such fact",
				store_job_name(c->job), task));
	}
	store_table_forget(c->table, task);
}

static void
check_tasks(const struct comparison *c)
{
	const struct store_fact *f = c->facts.fact, *end = f + c->facts.count;
	struct job_search search;
	int searches = job_search_of(c->job, &search);
	struct store_brief row;
	struct evidence v;
	uint64_t task;

	for (task = 0; task < c->table->count; task++) {
		v = (struct evidence){.exit = -1};
		for (; f < end && f->task == task; f++)
			if (f->restart == 0 ||
			    !job_fact_is_past(
				store_table_row(c->table, task), f))
				take_fact(&v, f);
		store_table_forget(c->table, task);
		if (searches)
			check_rungs(c, task);
		check_point(c, task);
		row = store_table_brief(c->table, task);
		if (row.facts == 0)
			continue;
		check_lost(c, &row, &v);
		check_end(c, &row, &v);
	}
}

/* ---- the chunks and the facts ---- */

/* Return the chunk in which the attempt of a fact was queued, or NULL. */
static const struct store_chunk *
chunk_of(const struct store_chunks *chunks, const struct store_fact *f)
{
	const struct store_chunk *c, *found = NULL;
	size_t i;

	for (i = 0; i < chunks->count; i++) {
		c = &chunks->chunk[i];
		if (c->attempt == f->attempt && c->claim != STORE_CUT &&
		    c->claim != STORE_WITHDRAWN &&
		    idset_has(&c->tasks, f->task))
			found = c;
	}
	return found;
}

/*
 * Note a record of a chunk, or sub/ itself if chunk is NULL, unless it is noted
 * already.
 */
static void
note_chunk(const struct comparison *c, enum verify_finding_kind kind,
    const struct store_chunk *chunk, const char *end, const char *what)
{
	char *name = xasprintf("%s%s", chunk != NULL ? chunk->name : "", end);
	char *path = verify_job_path(c->s, "sub", name);

	if (!verify_finding_has(c->s->found, path))
		verify_finding_add(
		    c->s->found, kind, store_job_name(c->job), path, what);
	free(path);
	free(name);
}

/*
 * Note that a task ran without a chunk: without its planned chunk, or without a
 * later one.
 */
static void
note_no_chunk(const struct comparison *c, const struct store_chunks *plan,
    const struct store_fact *f)
{
	const struct store_chunk *chunk = chunk_of(plan, f);
	char *what = xasprintf("%s task %" PRIu64 ", which has facts",
	    chunk != NULL ? "not there, but it had" : "no chunk has", f->task);

	if (chunk == NULL) {
		note_chunk(c, FINDING_STAYS, NULL, "", what);
	} else {
		note_chunk(c, FINDING_INTENT, chunk, ".intent", what);
		note_chunk(c, FINDING_CLAIM, chunk, ".claim", what);
	}
	free(what);
}

/* Note a fact that names another array than its chunk. */
static void
check_array(struct comparison *c, const struct store_fact *f,
    const struct store_chunk *chunk)
{
	struct store_fact_body body;
	char name[STORE_FACT_NAME], *claim, *what;
	uint32_t array;

	if (chunk->claim != STORE_ARRAY ||
	    store_facts_read(c->job, &c->facts, f, &body, NULL) == -1)
		return;
	array = job_fact_array(&body);
	if (body.slurm != NULL && array != chunk->array) {
		store_fact_name(f, name);
		claim = xasprintf("%s.claim", chunk->name);
		what = xasprintf("is for array %" PRIu32 ", but the fact %s "
				 "is of array %" PRIu32,
		    chunk->array, name, array);
		verify_job_note(c->s, FINDING_STAYS, "sub", claim, what);
		free(what);
		free(claim);
	}
	store_fact_body_free(&body);
}

/* Check that each fact is of a queued task and of that chunk's array. */
static void
check_facts(struct comparison *c, const struct store_chunks *chunks)
{
	const struct verify_findings *found = c->s->found;
	const struct store_chunk *chunk = NULL;
	const struct store_fact *f;
	int all_known = chunks->damaged.count == 0;
	struct store_chunks plan;
	size_t i;

	/* A task may be in a chunk whose intent is unreadable. */
	for (i = 0; i < found->count; i++)
		if (found->item[i].kind == FINDING_INTENT &&
		    strcmp(found->item[i].job, store_job_name(c->job)) == 0)
			all_known = 0;
	job_chunks(c->job, &plan);
	for (i = 0; i < c->facts.count; i++) {
		f = &c->facts.fact[i];
		if (chunk == NULL || chunk->attempt != f->attempt ||
		    !idset_has(&chunk->tasks, f->task))
			chunk = chunk_of(chunks, f);
		if (chunk != NULL)
			check_array(c, f, chunk);
		else if (all_known && store_job_imported(c->job) == NULL)
			note_no_chunk(c, &plan, f);
	}
	store_chunks_free(&plan);
}

/* Note a missing claim: no task starts before its chunk is claimed. */
static void
check_open_chunk(struct comparison *c, const struct store_chunk *chunk)
{
	const struct store_fact *f = c->facts.fact, *end = f + c->facts.count;
	char *claim, *what = NULL;

	if (chunk->adopted)
		what = xstrdup("not there, but it was imported with it");
	for (; f < end && what == NULL; f++)
		if (f->kind[0] == 'S' && f->attempt == chunk->attempt &&
		    idset_has(&chunk->tasks, f->task))
			what = xasprintf("not there, but task %" PRIu64
					 " of it has started",
			    f->task);
	if (what == NULL)
		return;
	claim = xasprintf("%s.claim", chunk->name);
	verify_job_note(c->s, FINDING_CLAIM, "sub", claim, what);
	free(claim);
	free(what);
}

/*
 * Compare the chunks with the facts.  The facts were read before: intents and
 * claims are older than facts.
 */
static int
check_chunks(struct comparison *c, struct error *e)
{
	struct store_chunks chunks;
	struct error why;
	size_t i;

	if (store_chunks_list(c->job, &chunks, &why) == -1)
		return why.code == ERROR_NEWER || why.code == ERROR_ABSENT ||
			store_directory_is_damage(&why)
		    ? 0 /* the reason is noted already */
		    : error_copy(e, &why);
	for (i = 0; i < chunks.count; i++)
		if (chunks.chunk[i].claim == STORE_OPEN)
			check_open_chunk(c, &chunks.chunk[i]);
	check_facts(c, &chunks);
	store_chunks_free(&chunks);
	return 0;
}

/* The table is read before the facts: all facts in it exist by then. */
int
verify_table(struct verify_job *s, struct error *e)
{
	struct store_table *table = store_table_load(s->job, e);
	struct comparison c = {.s = s, .job = s->job, .table = table};
	int rc;

	if (table == NULL)
		return -1;
	c.generation = xasprintf("state.%" PRIu64 ".jsonl", table->generation);
	rc = store_facts_list(s->job, NULL, &c.facts, e);
	if (rc == 0) {
		sort_out_foreign(&c);
		check_tasks(&c);
		rc = check_chunks(&c, e);
		store_facts_free(&c.facts);
	}
	free(c.foreign);
	free(c.generation);
	store_table_free(table);
	return rc;
}
