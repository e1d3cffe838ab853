#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/idset.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "control/ask.h"
#include "control/search-end.h"
#include "metrics/metrics.h"
#include "state/search.h"
#include "state/words.h"
#include "store/chunk.h"
#include "store/facts.h"
#include "store/load.h"
#include "store/policy.h"
#include "store/table.h"
#include "sys/fs.h"

/* ---- GPU hours ---- */

/* A run of a task: when it started and ended, -1 if unknown. */
struct run {
	int64_t start, end;
	uint64_t gpus;
	const struct store_fact *began; /* or NULL */
};

static void
take(struct run *run, const struct store_fact *f,
    const struct store_fact_body *body)
{
	uint64_t gpus = store_fact_gpus(body->gpus);

	if (f->kind[0] == 'S') {
		run->start = body->time;
		run->began = f;
	} else {
		run->end = body->time;
	}
	if (body->start != -1)
		run->start = body->start;
	run->gpus = gpus > run->gpus ? gpus : run->gpus;
}

/*
 * Let a run without an end last until now, by the clock of the file system: the
 * clock of its node may be wrong.
 */
static void
go_on(const struct store_job *job, struct store_facts *facts, struct run *run,
    int64_t now)
{
	run->end = now;
	if (run->began != NULL)
		run->start = store_facts_time(job, facts, run->began);
}

/* Return the part of its allocation that a task has: it may be packed. */
static double
share_of(const struct store_chunks *chunks, const struct store_fact *f)
{
	const struct store_chunk *c;
	uint64_t first, count = 0;
	int64_t index;
	size_t i;

	for (i = 0; i < chunks->count && count == 0; i++) {
		c = &chunks->chunk[i];
		if (c->attempt != f->attempt || !idset_has(&c->tasks, f->task))
			continue;
		index = store_chunk_index(c, f->task);
		if (index >= 0)
			count = store_chunk_packed(
			    c, store_chunk_place(c, (uint64_t)index), &first);
	}
	return count > 1 ? 1 / (double)count : 1;
}

static double
hours_of(const struct run *run)
{
	if (run->start == -1 || run->end <= run->start)
		return 0;
	return (double)(run->end - run->start) / 3600 * (double)run->gpus;
}

int
job_search_gpu_hours(
    const struct store_job *job, double *hours, struct error *e)
{
	const struct run none = {.start = -1, .end = -1};
	struct store_fact_body body;
	struct store_facts facts;
	struct store_chunks chunks;
	const struct store_fact *f, *next;
	struct run run = none;
	struct error why;
	int rc = 0, is_last;
	int64_t now;
	size_t i;

	*hours = 0;
	if (fs_now(store_job_dir(job), &now, NULL) == -1)
		now = time(NULL); /* another user's job */
	if (store_chunks_list(job, &chunks, e) == -1)
		return -1;
	if (store_facts_list(job, NULL, &facts, e) == -1) {
		store_chunks_free(&chunks);
		return -1;
	}
	for (i = 0; i < facts.count && rc == 0; i++) {
		f = &facts.fact[i];
		next = i + 1 < facts.count ? f + 1 : NULL;
		if (store_facts_read(job, &facts, f, &body, &why) == 0) {
			take(&run, f, &body);
			store_fact_body_free(&body);
		} else if (why.code != ERROR_DAMAGED &&
		    why.code != ERROR_FOREIGN) {
			rc = error_copy(e, &why);
		}
		is_last = next == NULL || next->task != f->task;
		if (!is_last &&
		    store_run_compare(STORE_RUN(f), STORE_RUN(next)) == 0)
			continue;
		if (is_last && run.end == -1)
			go_on(job, &facts, &run, now);
		*hours += hours_of(&run) * share_of(&chunks, f);
		run = none;
	}
	store_chunks_free(&chunks);
	store_facts_free(&facts);
	return rc;
}

/* ---- the end ---- */

/* Return whether a value was reached. */
static int
has_value(
    const struct store_job *job, const char *until, char **why, struct error *e)
{
	struct job_asker *asker = job_asker_new(job, e);
	struct job_search search;
	char text[NUM_TEXT];
	double value, goal;
	uint64_t task;
	int has;

	if (asker == NULL)
		return -1;
	job_search_of(job, &search);
	has = num_parse(until, &goal) && job_asker_best(asker, &task, &value) &&
	    (value == goal ||
		metrics_better(search.pruner.higher ? METRICS_MAX : METRICS_MIN,
		    value, goal));
	job_asker_free(asker);
	if (has)
		*why = xasprintf("%s%s/%" PRIu64 " has reached %s",
		    stop_words(STOP_ENDED), store_job_name(job), task,
		    num_short(value, 4, text));
	return has;
}

/* As job_search_ended; *option is what ended the search, as it is given. */
static int
ended(const struct store_job *job, const char **option, char **why,
    struct error *e)
{
	const struct store_search *s = store_job_search(job);
	char text[NUM_TEXT];
	double hours, most;
	int rc = 0;

	*why = NULL;
	*option = "--until VALUE";
	if (s->until != NULL)
		rc = has_value(job, s->until, why, e);
	if (rc != 0 || s->gpu_hours == NULL)
		return rc;
	*option = "--gpu-hours H";
	if (job_search_gpu_hours(job, &hours, e) == -1)
		return -1;
	if (!num_parse(s->gpu_hours, &most) || hours < most)
		return 0;
	*why = xasprintf("%s%s of %s GPU hours are used",
	    stop_words(STOP_ENDED), num_short(hours, 3, text), s->gpu_hours);
	return 1;
}

int
job_search_ended(const struct store_job *job, char **why, struct error *e)
{
	const char *option;

	return ended(job, &option, why, e);
}

/* Return whether the tasks of a population are all over; or -1. */
static int
is_extinct(const struct store_job *job, struct error *e)
{
	struct job_search search;
	struct store_table *table;
	int rc;

	job_search_of(job, &search);
	if (search.pruner.kind != SEARCH_PBT)
		return 0;
	table = store_table_load(job, e);
	rc = table != NULL ? store_table_is_over(table) : -1;
	store_table_free(table);
	return rc;
}

int
job_search_no_more(const struct store_job *job, char **why, struct error *e)
{
	const char *name = store_job_name(job), *option, *rest;
	char *reason = NULL;
	int rc = ended(job, &option, &reason, e), none;

	*why = NULL;
	none = rc == 0 ? is_extinct(job, e) : 0;
	if (none != 0) {
		*why = xasprintf("a task continues only from one that still "
				 "runs: submit another job, as in -J %s-2",
		    name);
		rc = none;
	} else if (rc == 1) {
		stop_reason_of(reason, &rest);
		*why = xasprintf(
		    "%s, so new tasks would not train: submit another job with "
		    "another end, as in -J %s-2 %s",
		    rest, name, option);
	}
	free(reason);
	return rc;
}
