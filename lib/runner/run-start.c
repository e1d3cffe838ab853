#include <stdio.h>
#include <time.h>

#include "runner/run-start.h"
#include "state/apply-fact.h"
#include "store/facts.h"
#include "sys/proc.h"

/* The state of an earlier run; INTERRUPTED: ended from outside. */
enum past { RUNS, INTERRUPTED, OVER };

/* Return whether a fact is damaged, or of another job. */
static int
is_wrong(const struct error *why)
{
	return why->code == ERROR_DAMAGED || why->code == ERROR_FOREIGN;
}

/* Set *past and *code by an end fact; a damaged one counts by its name. */
static int
read_end(const struct store_job *job, struct store_facts *facts,
    const struct store_fact *f, enum past *past, int64_t *code, struct error *e)
{
	struct store_fact_body body;
	struct error why;

	*code = job_fact_code(f);
	*past = OVER;
	if (store_facts_read(job, facts, f, &body, &why) == -1) {
		if (why.code == ERROR_FOREIGN) /* a fact of another job */
			*past = RUNS;
		return is_wrong(&why) ? 0 : error_copy(e, &why);
	}
	if (body.asked > 0 || body.heard > 0)
		*past = INTERRUPTED;
	store_fact_body_free(&body);
	return 0;
}

static int
is_same_run(const struct store_fact *a, const struct store_fact *b)
{
	return a->task == b->task &&
	    store_run_compare(STORE_RUN(a), STORE_RUN(b)) == 0;
}

static int
look(const struct store_job *job, const struct store_fact *run, enum past *past,
    int64_t *code, struct error *e)
{
	struct store_facts facts;
	const struct store_fact *f;
	int rc = 0;
	size_t i;

	*past = RUNS;
	if (store_facts_of(job, run->task, &facts, e) == -1)
		return -1;
	for (i = 0; i < facts.count && rc == 0; i++) {
		f = &facts.fact[i];
		if (!is_same_run(f, run))
			continue;
		if (f->kind[0] == 'E')
			rc = read_end(job, &facts, f, past, code, e);
		else if (f->kind[0] != 'S' && *past == RUNS)
			*past = INTERRUPTED;
	}
	store_facts_free(&facts);
	return rc;
}

/*
 * Return whether the name of the start is taken by a fact of another job, or by
 * a run that Slurm has requeued since; -1 if that cannot be read now.  A
 * damaged start counts by its name.
 */
static int
is_occupied(const struct store_job *job, const struct store_fact *start,
    uint32_t count, struct error *e)
{
	struct store_fact_body body;
	struct error why;
	int is;

	if (store_fact_read(job, start, &body, &why) == -1) {
		if (why.code == ERROR_DAMAGED ||
		    why.code == ERROR_ABSENT) /* absent: packed */
			return 0;
		return why.code == ERROR_FOREIGN ? 1 : error_copy(e, &why);
	}
	is = body.restarts != -1 && body.restarts < count;
	store_fact_body_free(&body);
	return is;
}

int
run_start(const struct store_job *job, struct store_fact *fact,
    struct store_fact_body *body, int64_t patience, int64_t *code,
    struct error *e)
{
	const uint32_t count = fact->restart;
	struct timespec nap = {0, 500000000};
	enum past past;
	int64_t until;
	int rc, occupied;

	for (;;) {
		snprintf(fact->kind, sizeof fact->kind, "S");
		rc = store_fact_publish(job, fact, body, e);
		if (rc != 1)
			return rc == 0 ? 1 : -1;
		occupied = is_occupied(job, fact, count, e);
		if (occupied == -1)
			return -1;
		/* The end of the earlier run may still appear. */
		until = proc_clock() + patience * 1000;
		for (past = RUNS; !occupied && past == RUNS;) {
			if (look(job, fact, &past, code, e) == -1)
				return -1;
			if (proc_clock() >= until)
				break;
			if (past == RUNS)
				nanosleep(&nap, NULL);
		}
		if (past == OVER)
			return 0;
		fact->restart++;
		body->restarts = count;
	}
}

/*
 * Return whether the run of fact f trained the task and was not to be requeued,
 * or -1 if that cannot be read now.
 */
static int
is_success(const struct store_job *job, struct store_facts *facts,
    const struct store_fact *f, struct error *e)
{
	struct store_fact_body body;
	struct error why;
	size_t i;
	int is;

	if (store_facts_read(job, facts, f, &body, &why) == -1)
		return is_wrong(&why) ? 0 : error_copy(e, &why);
	is = job_fact_is_success(f, &body);
	for (i = 0; is && i < facts->count; i++)
		is = facts->fact[i].kind[0] != 'Q' ||
		    !is_same_run(&facts->fact[i], f);
	store_fact_body_free(&body);
	return is;
}

int
run_start_is_done(
    const struct store_job *job, const struct store_fact *run, struct error *e)
{
	struct store_facts facts;
	const struct store_fact *f;
	int done = 0;
	size_t i;

	if (run->restart == 0)
		return 0;
	if (store_facts_of(job, run->task, &facts, e) == -1)
		return -1;
	for (i = 0; i < facts.count && done == 0; i++) {
		f = &facts.fact[i];
		if (f->task == run->task && f->attempt == run->attempt &&
		    f->restart < run->restart && job_fact_code(f) == 0)
			done = is_success(job, &facts, f, e);
	}
	store_facts_free(&facts);
	return done;
}

uint32_t
run_start_count(const struct store_job *job, const struct store_fact *run)
{
	struct store_fact start = {.task = run->task,
	    .attempt = run->attempt,
	    .restart = run->restart};
	struct store_fact_body body;
	uint32_t count = run->restart;

	snprintf(start.kind, sizeof start.kind, "S");
	if (store_fact_read(job, &start, &body, NULL) == 0 &&
	    body.restarts >= 0 && body.restarts < count)
		count = (uint32_t)body.restarts;
	store_fact_body_free(&body);
	return count;
}

int
run_start_last(const struct store_job *job, const struct store_fact *launch,
    struct store_fact *last, struct error *e)
{
	struct store_facts facts;
	const struct store_fact *f;
	int found = 0;
	size_t i;

	if (store_facts_of(job, launch->task, &facts, e) == -1)
		return -1;
	for (i = 0; i < facts.count; i++) {
		f = &facts.fact[i];
		if (f->kind[0] != 'S' ||
		    store_run_compare(STORE_RUN(f), STORE_RUN(launch)) > 0 ||
		    (found &&
			store_run_compare(STORE_RUN(last), STORE_RUN(f)) > 0))
			continue;
		*last = *f;
		found = 1;
	}
	store_facts_free(&facts);
	return found;
}
