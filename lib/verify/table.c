#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/chunk.h"
#include "state/apply-fact.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/facts.h"
#include "store/table.h"
#include "sys/fs.h"
#include "verify/table.h"

static int
check_fold(struct verify_job *s, const char *name, struct error *e)
{
	int tries = 0, again, rc;
	struct error why;

	while ((rc = store_table_check(s->job, name, &why)) == -1) {
		if (store_directory_is_damage(errno)) {
			verify_job_note(
			    s, FINDING_FOLD, "fold", name, why.text);
			return 0;
		}
		if (errno != ENOENT && errno != ESTALE)
			return error_set(e, "%s", why.text);
		again = verify_job_again(s, "fold", name, &tries, e);
		if (again != 1)
			return again;
	}
	if (rc == 1)
		verify_job_note(
		    s, FINDING_NOTE, "fold", name, "not known here");
	return 0;
}

int
verify_folds(struct verify_job *s, struct error *e)
{
	struct fs_names names;
	int rc, dir = verify_job_list(s, "fold", &names, &rc, e);
	size_t i;

	for (i = 0; rc == 0 && i < names.count; i++)
		rc = check_fold(s, names.name[i], e);
	store_directory_close(dir, &names);
	return rc;
}

/* What the facts say of a task: its newest run, and which facts that has. */
struct evidence {
	struct store_run run;
	int facts;
	int64_t exit; /* in the name of the end, or -1 */
};

static void
take(struct evidence *v, const struct store_fact *f)
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

/* One table and the facts it should follow from. */
struct trial {
	struct verify_findings *found;
	const struct store_job *job;
	const struct store_table *fold;
	char *path;
	struct store_fact *foreign; /* names that others' facts lie under */
	size_t foreigners;
};

static int
compare(const void *a, const void *b)
{
	return store_fact_compare(a, b);
}

/*
 * Take a fact that is found to be misplaced out of those there are: its kind is
 * empty then.
 */
static void
take_out(struct trial *t, struct store_facts *facts, const char *path)
{
	struct store_fact fact, *found = NULL;

	if (store_fact_parse(fs_base(path), &fact) && facts->count > 0)
		found = bsearch(&fact, facts->fact, facts->count,
		    sizeof *facts->fact, compare);
	if (found == NULL || !store_facts_is_foreign(t->job, facts, found))
		return;
	t->foreign = xgrow(t->foreign, t->foreigners, sizeof *t->foreign);
	t->foreign[t->foreigners++] = *found;
}

/* What has only the name of a fact tells nothing. */
static void
leave_own(struct trial *t, struct store_facts *facts)
{
	const struct verify_finding *item;
	size_t i, kept = 0, k;

	for (i = 0; i < t->found->count; i++) {
		item = &t->found->item[i];
		if (item->kind == FINDING_MISPLACED &&
		    strcmp(item->job, t->job->name) == 0)
			take_out(t, facts, item->path);
	}
	if (t->foreigners == 0)
		return;
	qsort(t->foreign, t->foreigners, sizeof *t->foreign, compare);
	for (i = k = 0; i < facts->count; i++)
		if (k < t->foreigners &&
		    compare(&facts->fact[i], &t->foreign[k]) == 0)
			k++;
		else
			facts->fact[kept++] = facts->fact[i];
	facts->count = kept;
}

/*
 * Whether the row may have the fact from what only has its name: nothing that
 * the fact alone can have told is in it.
 */
static int
is_hearsay(const struct trial *t, const struct store_brief *brief, int flag)
{
	const struct store_row *row;
	const struct store_fact *f;
	int is = 0, told;
	size_t i;

	for (i = 0; i < t->foreigners && !is; i++) {
		f = &t->foreign[i];
		is = f->task == brief->task && job_fact_flag(f) == flag &&
		    store_run_compare(STORE_RUN(f), STORE_RUN(brief)) == 0;
	}
	if (!is)
		return 0;
	row = store_table_row(t->fold, brief->task);
	if (flag == STORE_HAS_S)
		told = row->log != NULL;
	else
		told = flag != STORE_HAS_X && row->signal != -1;
	store_table_forget(t->fold, brief->task);
	return !told;
}

static void
accuse(const struct trial *t, uint64_t task, int flag, char *what)
{
	struct verify_finding *item = verify_finding_add(t->found,
	    flag != 0 ? FINDING_LOST : FINDING_TABLE, t->job->name, t->path,
	    what);

	item->task = task;
	item->fact = flag;
	free(what);
}

/* Facts of the row's run that are nowhere. */
static void
check_lost(
    const struct trial *t, const struct store_brief *row, struct evidence v)
{
	int order = store_run_compare(v.run, STORE_RUN(row));
	int lost = row->facts & ~STORE_DUE, flag;

	if (order == 0)
		lost &= ~v.facts;
	else if (order > 0)
		lost = 0; /* the table is behind */
	for (flag = STORE_HAS_S; flag <= lost; flag <<= 1)
		if ((lost & flag) != 0 && is_hearsay(t, row, flag))
			accuse(t, row->task, 0,
			    xasprintf(
				"%s/%" PRIu64 ": the table knows its %s, "
				"but only what is no fact of it has that name",
				t->job->name, row->task, name_of(flag)));
		else if ((lost & flag) != 0)
			accuse(t, row->task, flag,
			    xasprintf("%s/%" PRIu64 ": the table knows its %s, "
				      "but there is no such fact",
				t->job->name, row->task, name_of(flag)));
}

static void
check_end(
    const struct trial *t, const struct store_brief *brief, struct evidence v)
{
	const struct store_row *row;

	if ((brief->facts & STORE_HAS_E) == 0 || v.exit == -1 ||
	    store_run_compare(v.run, STORE_RUN(brief)) != 0)
		return;
	row = store_table_row(t->fold, brief->task);
	if (row->exit != v.exit)
		accuse(t, brief->task, 0,
		    xasprintf("%s/%" PRIu64 ": exit %" PRId64
			      " in the table, but %" PRId64 " in its end",
			t->job->name, brief->task, row->exit, v.exit));
	else if (row->exit == 0 && row->asked <= 0 && row->signal <= 0 &&
	    row->state != STORE_FINISHED)
		accuse(t, brief->task, 0,
		    xasprintf("%s/%" PRIu64 ": %s in the table, but it ended "
			      "with 0",
			t->job->name, brief->task,
			store_state_name(row->state)));
	store_table_forget(t->fold, brief->task);
}

/* Whether a fact is of a run that does not count, by the table. */
static int
is_past(const struct trial *t, const struct store_fact *f)
{
	int past = job_fact_is_past(store_table_row(t->fold, f->task), f);

	store_table_forget(t->fold, f->task);
	return past;
}

static void
check_tasks(const struct trial *t, const struct store_facts *facts)
{
	struct store_brief row;
	struct evidence v;
	uint64_t task;
	size_t next = 0;

	for (task = 0; task < t->fold->count; task++) {
		v = (struct evidence){.exit = -1};
		for (; next < facts->count && facts->fact[next].task == task;
		     next++)
			if (facts->fact[next].restart == 0 ||
			    !is_past(t, &facts->fact[next]))
				take(&v, &facts->fact[next]);
		row = store_table_brief(t->fold, task);
		if (row.facts == 0)
			continue;
		check_lost(t, &row, v);
		check_end(t, &row, v);
	}
}

/* Whether a task has started in a chunk. */
static int
has_started(const struct store_chunk *chunk, const struct store_facts *facts,
    uint64_t *task)
{
	const struct store_fact *f;
	size_t i;

	for (i = 0; i < facts->count; i++) {
		f = &facts->fact[i];
		*task = f->task;
		if (f->kind[0] == 'S' && f->attempt == chunk->attempt &&
		    idset_has(&chunk->tasks, f->task))
			return 1;
	}
	return 0;
}

/* The chunk in which a fact's attempt of its task was queued, or NULL. */
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

static void
note_part(const struct trial *t, enum verify_finding_kind kind,
    const char *name, const char *end, const char *what)
{
	char *path = xasprintf(
	    "jobs/%s/sub%s%s%s", t->job->name, *name ? "/" : "", name, end);
	size_t i;

	for (i = 0; i < t->found->count; i++)
		if (strcmp(t->found->item[i].path, path) == 0)
			break;
	if (i == t->found->count)
		verify_finding_add(t->found, kind, t->job->name, path, what);
	free(path);
}

/* There is no chunk for a task that ran: of the job's plan, or a later one. */
static void
note_no_chunk(const struct trial *t, const struct store_chunks *plan,
    const struct store_fact *f)
{
	const struct store_chunk *c = chunk_of(plan, f);
	char *what = xasprintf("%s task %" PRIu64 ", of which there are facts",
	    c != NULL ? "not there, but it had" : "no chunk has", f->task);

	if (c == NULL) {
		note_part(t, FINDING_STAYS, "", "", what);
	} else {
		note_part(t, FINDING_INTENT, c->name, ".intent", what);
		note_part(t, FINDING_CLAIM, c->name, ".claim", what);
	}
	free(what);
}

/* Whether what some chunk is cannot be read, which is noted. */
static int
is_intent_noted(const struct trial *t)
{
	size_t i;

	for (i = 0; i < t->found->count; i++)
		if (t->found->item[i].kind == FINDING_INTENT &&
		    strcmp(t->found->item[i].job, t->job->name) == 0)
			return 1;
	return 0;
}

/* Whether a fact says that it is of another array than its chunk's. */
static void
check_array(const struct trial *t, struct store_facts *facts,
    const struct store_fact *f, const struct store_chunk *c)
{
	struct store_fact_body body;
	char name[STORE_FACT_NAME], *path, *what;
	uint32_t array;

	if (c->claim != STORE_ARRAY ||
	    store_facts_read(t->job, facts, f, &body, NULL) == -1)
		return;
	array = job_fact_array(&body);
	if (body.slurm != NULL && array != c->array) {
		store_fact_name(f, name);
		path = xasprintf("jobs/%s/sub/%s.claim", t->job->name, c->name);
		what = xasprintf("is for array %" PRIu32 ", but the fact %s "
				 "is of array %" PRIu32,
		    c->array, name, array);
		verify_finding_add(
		    t->found, FINDING_STAYS, t->job->name, path, what);
		free(what);
		free(path);
	}
	store_fact_body_free(&body);
}

/*
 * Each fact is of a task that was queued, and in the array that was.  The
 * facts are read first: an intent is there before them.
 */
static void
check_chunks(const struct trial *t, struct store_facts *facts,
    const struct store_chunks *chunks)
{
	const struct store_chunk *c = NULL;
	const struct store_fact *f;
	int whole = chunks->damaged.count == 0 && !is_intent_noted(t);
	struct store_chunks plan;
	size_t i;

	job_chunks(t->job, &plan);
	for (i = 0; i < facts->count; i++) {
		f = &facts->fact[i];
		if (c == NULL || c->attempt != f->attempt ||
		    !idset_has(&c->tasks, f->task))
			c = chunk_of(chunks, f);
		if (c != NULL)
			check_array(t, facts, f, c);
		else if (whole && t->job->imported == NULL)
			note_no_chunk(t, &plan, f);
	}
	store_chunks_free(&plan);
}

/* No task starts before its chunk is claimed.  The facts are read first. */
static int
check_claims(const struct trial *t, struct store_facts *facts, struct error *e)
{
	struct store_chunks chunks;
	const struct store_chunk *chunk;
	char *path, *what;
	uint64_t task;
	size_t i;

	if (store_chunks_list(t->job, &chunks, e) == -1)
		return errno == ENOTSUP || errno == ENOENT ||
			store_directory_is_damage(errno)
		    ? 0 /* that is noted already */
		    : -1;
	for (i = 0; i < chunks.count; i++) {
		chunk = &chunks.chunk[i];
		if (chunk->claim != STORE_OPEN)
			continue;
		if (chunk->adopted)
			what =
			    xstrdup("not there, but it was imported with it");
		else if (has_started(chunk, facts, &task))
			what = xasprintf("not there, but task %" PRIu64
					 " of it has started",
			    task);
		else
			continue;
		path = xasprintf(
		    "jobs/%s/sub/%s.claim", t->job->name, chunk->name);
		verify_finding_add(
		    t->found, FINDING_CLAIM, t->job->name, path, what);
		free(what);
		free(path);
	}
	check_chunks(t, facts, &chunks);
	store_chunks_free(&chunks);
	return 0;
}

/* The fold is read first: the facts it knows are then there. */
int
verify_table(
    struct verify_findings *found, const struct store_job *job, struct error *e)
{
	struct trial t = {.found = found, .job = job};
	struct store_table *fold = store_table_load(job, e);
	struct store_facts facts;
	int rc;

	if (fold == NULL)
		return -1;
	t.fold = fold;
	t.path = xasprintf("jobs/%s/fold/state.%" PRIu64 ".jsonl", job->name,
	    fold->generation);
	rc = store_facts_list(job, NULL, &facts, e);
	if (rc == 0) {
		leave_own(&t, &facts);
		check_tasks(&t, &facts);
		rc = check_claims(&t, &facts, e);
		store_facts_free(&facts);
	}
	free(t.foreign);
	free(t.path);
	store_table_free(fold);
	return rc;
}
