#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "control/cancel-race.h"
#include "control/max-fail.h"
#include "control/retry.h"
#include "control/stop-reason.h"
#include "state/apply-fact.h"
#include "state/resolve.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/facts.h"
#include "store/load.h"
#include "store/policy.h"
#include "store/table.h"

/* The state of a job by its records, without its table. */
struct state {
	const struct store_job *job;
	struct store_facts facts;
	struct store_requests stops;
	struct store_chunks chunks;
	int sure;           /* every fact is read */
	uint32_t *attempt;  /* newest attempt of each task */
	struct idset over;  /* tasks that are over */
	struct idset again; /* tasks that are over and may be queued again */
};

/* Return whether a fact may mean, by its name, that a task failed. */
static int
may_be_bad(const struct state *s, const struct store_fact *f)
{
	static const char *const good[] = {"S", "Q", "E0", "XCANCELLED",
	    "XCOMPLETED", "XPREEMPTED", "XREFUSED"};

	return text_among(f->kind, good, sizeof good / sizeof *good) == -1 &&
	    state_stop(&s->stops, f->task, f->attempt) == NULL;
}

/* The end of a task's last run, by its facts. */
struct end {
	const struct store_fact *last;
	struct store_row row; /* from the facts that are not damaged */
	int over, back, failed;
};

/* Apply one fact to end.  Returns 0, or -1 if it cannot be read now. */
static int
take(struct state *s, struct end *end, const struct store_fact *f,
    struct error *e)
{
	struct store_fact_body body;
	int damaged = 0, outranked;
	struct error why;

	if (store_facts_read(s->job, &s->facts, f, &body, &why) == -1) {
		if (why.code == ERROR_FOREIGN) /* a fact of another job */
			return 0;
		if (!store_directory_is_damage(&why) && why.code != ERROR_NEWER)
			return error_copy(e, &why);
		damaged = 1;
	}
	if (end->last != NULL && job_fact_is_past(&end->row, f)) {
		store_fact_body_free(&body);
		return 0;
	}
	if (end->last == NULL ||
	    store_run_compare(STORE_RUN(f), STORE_RUN(end->last)) != 0) {
		store_row_free(&end->row);
		*end = (struct end){.last = f};
		store_row_clear(&end->row, f->task);
		end->row.attempt = f->attempt;
		end->row.restart = f->restart;
	}
	end->back |= f->kind[0] == 'Q';
	end->over |= f->kind[0] == 'E' || f->kind[0] == 'X';
	end->failed |= may_be_bad(s, f);
	/* Of several states from Slurm, the more specific one counts. */
	outranked = f->kind[0] == 'X' && end->row.slurm != NULL &&
	    state_outranks(end->row.slurm, f->kind + 1);
	/* If the E fact is damaged, a signal may have ended the run. */
	if (!outranked && !(damaged && f->kind[0] == 'E'))
		job_fact_take(&end->row, f, &body);
	store_fact_body_free(&body);
	return 0;
}

/* Return whether a rule would requeue the task if it ended for this cause. */
static int
comes_again(const struct state *s, const struct end *end, const char *cause)
{
	const struct job_retry r = {.job = s->job,
	    .chunks = &s->chunks,
	    .stops = &s->stops,
	    .task = end->last->task,
	    .attempt = end->last->attempt,
	    .cause = cause};
	const struct store_chunk *newest;
	int64_t value;

	return job_retry_find(&r, &newest, &value) != JOB_RETRY_NONE;
}

/*
 * Return whether only Slurm can say how the run ended, and a program will ask:
 * the run was asked to end, or a rule would requeue it for some causes.
 */
static int
is_open_question(const struct state *s, const struct end *end)
{
	const struct store_row *row = &end->row;
	int killed = row->signal == SIGKILL || row->exit == 128 + SIGKILL;
	int ended = row->signal == SIGTERM || row->exit == 128 + SIGTERM;

	if (row->slurm != NULL || row->said != NULL)
		return 0;
	if ((row->facts & STORE_HAS_E) == 0 || row->asked > 0)
		return 1;
	if (killed && comes_again(s, end, "OUT_OF_MEMORY"))
		return 1;
	return (killed || ended) && comes_again(s, end, "TIMEOUT");
}

/* Resolve the state as a pass would, with recorded answers of Slurm only. */
static void
judge(struct end *end)
{
	struct store_row *row = &end->row;
	const struct job_evidence v = {
	    .started = (row->facts & STORE_HAS_S) != 0,
	    .ended = (row->facts & STORE_HAS_E) != 0,
	    .judged = row->slurm,
	    .exit_status = store_row_status(row),
	    .queued = 1,
	    .answered = 1,
	};

	state_resolve(&v, row, NULL);
}

static int
has_failed(const struct state *s, struct end *end)
{
	if (!end->failed || end->back || is_open_question(s, end))
		return 0;
	judge(end);
	return end->row.state == STORE_ERROR &&
	    !comes_again(s, end, end->row.cause);
}

/*
 * Return whether a rule may requeue the task, by its cause or, if that is
 * unknown, by a cause that Slurm may still report.
 */
static int
may_come_again(const struct state *s, struct end *end)
{
	static const char *const causes[] = {
	    "OUT_OF_MEMORY", "TIMEOUT", "NODE_FAIL"};
	int may = 0;
	size_t i;

	if (!is_open_question(s, end)) {
		judge(end);
		if (end->row.state != STORE_ERROR)
			return 0;
		if ((end->row.facts & STORE_END_DUE) == 0)
			return comes_again(s, end, end->row.cause);
	}
	for (i = 0; i < sizeof causes / sizeof *causes; i++)
		may |= comes_again(s, end, causes[i]);
	return may;
}

/*
 * Return whether a task failed, by its facts from first up to end (exclusive),
 * or -1.  Facts of a task that cannot have failed are read only if s->sure;
 * then the task is also added to s->over and s->again where that applies.
 */
static int
look(struct state *s, size_t first, size_t end, struct error *e)
{
	struct end is = {0};
	int read = s->sure, rc = 0;
	uint64_t task;
	size_t i;

	for (i = first; i < end && !read; i++)
		read = may_be_bad(s, &s->facts.fact[i]);
	for (i = first; i < end && read && rc == 0; i++)
		rc = take(s, &is, &s->facts.fact[i], e);
	if (rc == 0 && is.last != NULL &&
	    is.last->attempt >= s->attempt[is.last->task]) {
		task = is.last->task;
		if (s->sure && is.over && !is.back)
			idset_add(&s->over, task, task);
		if (s->sure && is.over && !is.back && may_come_again(s, &is))
			idset_add(&s->again, task, task);
		rc = is.last->attempt >= job_max_fail_since(&s->stops) &&
		    has_failed(s, &is);
	}
	if (is.last != NULL)
		store_row_free(&is.row);
	return rc;
}

/* Return how many tasks have failed, or -1. */
static int64_t
count_failures(struct state *s, struct error *e)
{
	size_t first = 0, end;
	int64_t failed = 0;
	int one = 0;

	for (; one != -1 && first < s->facts.count; first = end) {
		for (end = first + 1; end < s->facts.count &&
		     s->facts.fact[end].task == s->facts.fact[first].task;
		     end++)
			continue;
		one = s->facts.fact[first].task < store_job_tasks(s->job)
		    ? look(s, first, end, e)
		    : 0;
		failed += one;
	}
	return one == -1 ? -1 : failed;
}

/* Load the records, and find the tasks' newest attempts in the chunks. */
static int
load(struct state *s, struct error *e)
{
	struct idset_walk walk;
	const struct store_chunk *c;
	uint64_t task;
	size_t i;

	if (store_requests_whole(s->job, STORE_STOPS, &s->stops, e) == -1 ||
	    store_facts_list(s->job, NULL, &s->facts, e) == -1 ||
	    store_chunks_whole(s->job, &s->chunks, e) == -1)
		return -1;
	s->attempt = xcalloc(store_job_tasks(s->job), sizeof *s->attempt);
	for (i = 0; i < s->chunks.count; i++) {
		c = &s->chunks.chunk[i];
		memset(&walk, 0, sizeof walk);
		while (c->claim != STORE_WITHDRAWN &&
		    idset_next(&c->tasks, &walk, &task))
			if (task < store_job_tasks(s->job) &&
			    c->attempt > s->attempt[task])
				s->attempt[task] = c->attempt;
	}
	return 0;
}

static uint32_t
attempt_of(const void *arg, uint64_t task)
{
	const struct state *s = arg;

	return s->attempt[task];
}

/* Return whether a task is neither over nor stopped; table may be NULL. */
static int
is_open(const struct state *s, const struct store_table *table, uint64_t task)
{
	if (idset_has(&s->over, task) ||
	    store_stop_is_asked(&s->stops, task, s->attempt[task]))
		return 0;
	/* Slurm may have reported the end; otherwise facts are newer. */
	return table == NULL || task >= table->count ||
	    store_table_state(table, task) != STORE_RUNNING ||
	    store_table_attempt(table, task) != s->attempt[task] ||
	    !state_is_over(table, task);
}

static int
stop_the_rest(struct state *s, struct error *e)
{
	struct store_table *table = store_table_load(s->job, NULL);
	char *why = job_max_fail_name(s->job), *not_again;
	struct idset open = {0}, all = {0};
	const struct job_cancelled stopped = {&all, attempt_of, s, why};
	uint64_t task;
	int rc = 0;

	idset_add(&all, 0, store_job_tasks(s->job) - 1);
	for (task = 0; task < store_job_tasks(s->job); task++)
		if (is_open(s, table, task))
			idset_add(&open, task, task);
	store_table_free(table);
	not_again = state_not_again(why);
	if (s->again.count > 0)
		rc = store_request_add_all(s->job, STORE_REQUEST_STOP,
		    &s->again, attempt_of, s, not_again, e);
	free(not_again);
	/* Do this last: afterwards the failures do not count any more. */
	if (rc == 0 && open.count > 0)
		rc = store_request_add_all(
		    s->job, STORE_REQUEST_STOP, &open, attempt_of, s, why, e);
	if (rc == 0)
		rc = job_cancel_newer(s->job, &stopped, e);
	if (rc == 0)
		rc = open.count > 0;
	idset_free(&open);
	idset_free(&all);
	free(why);
	return rc;
}

int
job_max_fail_check(const struct store_job *job, struct error *e)
{
	struct state s = {.job = job};
	int64_t failed;
	int rc = 0;

	if (store_job_policy(job)->max_fail == 0)
		return 0;
	rc = load(&s, e);
	failed = rc == 0 ? count_failures(&s, e) : -1;
	s.sure = 1;
	if (failed >= store_job_policy(job)->max_fail)
		failed = count_failures(&s, e);
	if (failed >= store_job_policy(job)->max_fail)
		rc = stop_the_rest(&s, e);
	else if (failed == -1)
		rc = -1;
	free(s.attempt);
	idset_free(&s.over);
	idset_free(&s.again);
	store_facts_free(&s.facts);
	store_chunks_free(&s.chunks);
	store_requests_free(&s.stops);
	return rc;
}
