#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job-fail.h"
#include "job-truth.h"
#include "store-chunk.h"
#include "store-facts.h"
#include "store-part.h"
#include "xalloc.h"

static const char rule[] = "max-fail ";

uint32_t
job_fail_since(const struct store_wishes *wishes)
{
	uint32_t since = 0;
	size_t i;

	for (i = 0; i < wishes->count; i++)
		if (wishes->wish[i].why != NULL &&
		    strncmp(wishes->wish[i].why, rule, sizeof rule - 1) == 0 &&
		    wishes->wish[i].attempt >= since)
			since = wishes->wish[i].attempt + 1;
	return since;
}

char *
job_fail_name(const struct store_job *job)
{
	return xasprintf("%s%" PRId64, rule, job->policy.max_fail);
}

/* What is known of a job without a fold. */
struct state {
	const struct store_job *job;
	struct store_facts facts;
	struct store_wishes wishes;
	uint32_t *attempt;  /* of each task */
	struct ranges open; /* tasks that are not over */
};

static int
is_stopped(const struct state *s, const struct store_fact *f)
{
	return job_truth_wish(&s->wishes, f->task, f->attempt) != NULL;
}

/*
 * Ended by itself, with another code than 0; one that is damaged, or is no
 * fact, says nothing.  -1 when it cannot be read now.
 */
static int
ended_badly(struct state *s, const struct store_fact *f, struct error *e)
{
	struct store_fact_body body;
	int asked;

	if (strcmp(f->kind, "E0") == 0 || is_stopped(s, f))
		return 0;
	if (store_facts_read(s->job, &s->facts, f, &body, e) == -1)
		return store_part_is_damage(errno) || errno == ENOTSUP ||
			errno == ENOMSG
		    ? 0
		    : -1;
	asked = body.asked > 0;
	store_fact_body_free(&body);
	return !asked;
}

/* Ended by Slurm, and nobody wanted it. */
static int
was_ended(const struct state *s, const struct store_fact *f)
{
	static const char *const meant[] = {
	    "XCANCELLED", "XCOMPLETED", "XPREEMPTED", "XREFUSED"};
	size_t i;

	for (i = 0; i < sizeof meant / sizeof *meant; i++)
		if (strcmp(f->kind, meant[i]) == 0)
			return 0;
	return !is_stopped(s, f);
}

/*
 * One task, whose facts are those from first to before end: whether it failed,
 * or -1.  It is noted where it is not over.
 */
static int
look(struct state *s, size_t first, size_t end, struct error *e)
{
	const struct store_fact *f, *last = &s->facts.fact[end - 1];
	int over = 0, back = 0, failed = 0, badly;
	size_t i;

	if (last->attempt < s->attempt[last->task])
		return 0;
	for (i = first; i < end; i++) {
		f = &s->facts.fact[i];
		if (f->attempt != last->attempt || f->restart != last->restart)
			continue;
		back |= f->kind[0] == 'Q';
		over |= f->kind[0] == 'E' || f->kind[0] == 'X';
		badly = f->kind[0] == 'E'
		    ? ended_badly(s, f, e)
		    : f->kind[0] == 'X' && was_ended(s, f);
		if (badly == -1)
			return -1;
		failed |= badly;
	}
	if (over && !back)
		s->attempt[last->task] = UINT32_MAX;
	return failed && !back && last->attempt >= job_fail_since(&s->wishes);
}

/* How many tasks have failed, or -1. */
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
		one = s->facts.fact[first].task < s->job->tasks
		    ? look(s, first, end, e)
		    : 0;
		failed += one;
	}
	return one == -1 ? -1 : failed;
}

/* The attempts of the tasks, from the chunks. */
static int
load(struct state *s, struct error *e)
{
	struct ranges_walk walk;
	struct store_chunks chunks;
	const struct store_chunk *c;
	uint64_t task;
	size_t i;

	if (store_wishes_list(s->job, &s->wishes, e) == -1 ||
	    store_facts_list(s->job, NULL, &s->facts, e) == -1 ||
	    store_chunks_list(s->job, &chunks, e) == -1)
		return -1;
	s->attempt = xcalloc(s->job->tasks, sizeof *s->attempt);
	for (i = 0; i < chunks.count; i++) {
		c = &chunks.chunk[i];
		memset(&walk, 0, sizeof walk);
		while (c->claim != STORE_WITHDRAWN &&
		    ranges_next(&c->tasks, &walk, &task))
			if (task < s->job->tasks &&
			    c->attempt > s->attempt[task])
				s->attempt[task] = c->attempt;
	}
	store_chunks_free(&chunks);
	return 0;
}

static uint32_t
attempt_of(void *arg, uint64_t task)
{
	const struct state *s = arg;

	return s->attempt[task];
}

static int
stop_the_rest(struct state *s, struct error *e)
{
	char *why = job_fail_name(s->job);
	uint64_t task;
	int rc;

	for (task = 0; task < s->job->tasks; task++)
		if (s->attempt[task] != UINT32_MAX &&
		    !store_wished(&s->wishes, task, s->attempt[task]))
			ranges_add(&s->open, task, task);
	rc = store_wish_all(s->job, &s->open, attempt_of, s, why, e);
	free(why);
	return rc == -1 ? -1 : s->open.count > 0;
}

int
job_fail_check(const struct store_job *job, struct error *e)
{
	struct state s = {.job = job};
	int64_t failed;
	int rc = 0;

	if (job->policy.max_fail == 0)
		return 0;
	rc = load(&s, e);
	failed = rc == 0 ? count_failures(&s, e) : -1;
	if (failed >= job->policy.max_fail)
		rc = stop_the_rest(&s, e);
	else if (failed == -1)
		rc = -1;
	free(s.attempt);
	ranges_free(&s.open);
	store_facts_free(&s.facts);
	store_wishes_free(&s.wishes);
	return rc;
}
