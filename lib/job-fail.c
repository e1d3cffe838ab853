#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job-fail.h"
#include "job-truth.h"
#include "store-chunk.h"
#include "store-facts.h"
#include "store-part.h"
#include "text.h"
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
	int sure;           /* every fact is read */
	uint32_t *attempt;  /* of each task */
	struct ranges open; /* tasks that are not over */
};

static int
is_stopped(const struct state *s, const struct store_fact *f)
{
	return job_truth_wish(&s->wishes, f->task, f->attempt) != NULL;
}

/* Whether a fact, by its name, may say that a task failed. */
static int
may_be_bad(const struct state *s, const struct store_fact *f)
{
	static const char *const good[] = {"S", "Q", "E0", "XCANCELLED",
	    "XCOMPLETED", "XPREEMPTED", "XREFUSED"};

	return text_among(f->kind, good, sizeof good / sizeof *good) == -1 &&
	    !is_stopped(s, f);
}

/*
 * Whether a fact is one of the job; -1 when it cannot be read now.  *asked is
 * whether a signal ended that run, or, of one that is damaged, may have.
 */
static int
is_ours(
    struct state *s, const struct store_fact *f, int *asked, struct error *e)
{
	struct store_fact_body body;

	*asked = 1;
	if (store_facts_read(s->job, &s->facts, f, &body, e) == -1) {
		if (errno == ENOMSG)
			return 0;
		return store_part_is_damage(errno) || errno == ENOTSUP ? 1 : -1;
	}
	*asked = body.asked > 0;
	store_fact_body_free(&body);
	return 1;
}

/* What the facts say of a task's last run. */
struct end {
	const struct store_fact *last;
	int over, back, failed;
};

/* Take one fact in; -1 when it cannot be read now. */
static int
take(struct state *s, struct end *end, const struct store_fact *f,
    struct error *e)
{
	int asked, ours = is_ours(s, f, &asked, e);

	if (ours != 1)
		return ours;
	if (end->last == NULL || f->attempt != end->last->attempt ||
	    f->restart != end->last->restart)
		*end = (struct end){.last = f};
	end->back |= f->kind[0] == 'Q';
	end->over |= f->kind[0] == 'E' || f->kind[0] == 'X';
	if (may_be_bad(s, f))
		end->failed |= f->kind[0] == 'X' || !asked;
	return 0;
}

/*
 * One task, whose facts are those from first to before end: whether it failed,
 * or -1.  Those of a task that cannot have failed are read only where it has to
 * be known for sure that it is over; that is noted.
 */
static int
look(struct state *s, size_t first, size_t end, struct error *e)
{
	struct end is = {0};
	int read = s->sure;
	size_t i;

	for (i = first; i < end && !read; i++)
		read = may_be_bad(s, &s->facts.fact[i]);
	for (i = first; i < end && read; i++)
		if (take(s, &is, &s->facts.fact[i], e) == -1)
			return -1;
	if (is.last == NULL || is.last->attempt < s->attempt[is.last->task])
		return 0;
	if (s->sure && is.over && !is.back)
		s->attempt[is.last->task] = UINT32_MAX;
	return is.failed && !is.back &&
	    is.last->attempt >= job_fail_since(&s->wishes);
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

	if (store_wishes_whole(s->job, &s->wishes, e) == -1 ||
	    store_facts_list(s->job, NULL, &s->facts, e) == -1 ||
	    store_chunks_whole(s->job, &chunks, e) == -1)
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
attempt_of(const void *arg, uint64_t task)
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
	s.sure = 1;
	if (failed >= job->policy.max_fail)
		failed = count_failures(&s, e);
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
