#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "control/canary.h"
#include "control/chunk.h"
#include "job/training-log.h"
#include "metrics/metrics.h"
#include "runner/pbt.h"
#include "runner/prune.h"
#include "runner/task.h"
#include "state/history.h"
#include "state/search.h"
#include "store/change.h"
#include "store/load.h"
#include "store/policy.h"
#include "store/request.h"
#include "store/table.h"

/* The most calls of run_prune_look between two judgements. */
enum { LONGEST_PAUSE = 64 };

struct run_prune {
	const struct job_run *run;
	struct store_job *newest; /* the run's job with new settings, or NULL */
	struct job_search search;
	struct job_search_reader reader;
	struct metrics_summary log;
	int prunes;             /* the search stops trainings early */
	char *rungs;            /* that are recorded, as in a row */
	struct store_run since; /* the run that began with the point */
	int is_new; /* it has reached a rung and was not judged since */
	unsigned wait, pause; /* calls until the next judgement, and in all */
	struct run_exploit exploit;
	int warned;
};

/* Report a problem, but only the first.  Returns 0. */
static int
fail(struct run_prune *p, const struct error *e)
{
	if (!p->warned)
		p->run->warn("%s", e->text);
	p->warned = 1;
	return 0;
}

struct run_prune *
run_prune_new(const struct job_run *r)
{
	struct run_prune *p = xcalloc(1, sizeof *p);
	const struct store_fact *f;
	struct store_facts facts;
	struct error e;
	size_t i;

	p->run = r;
	p->prunes = job_search_of(r->job, &p->search);
	if (!store_search_compares(store_job_search(r->job))) {
		free(p);
		return NULL;
	}
	/* What cannot be read now is published again: that is harmless. */
	p->since = STORE_RUN(&r->fact);
	if (store_facts_of(r->job, r->fact.task, &facts, NULL) == 0) {
		/* Else only the values of this run are surely of its point. */
		if (facts.sound)
			p->since = (struct store_run){0, 0};
		for (i = 0; i < facts.search_count; i++) {
			f = &facts.search[i];
			job_rungs_add(&p->rungs, f);
			if (facts.sound && strcmp(f->kind, "P") == 0)
				p->since = STORE_RUN(f);
		}
		store_facts_free(&facts);
	}
	p->reader.search = &p->search;
	p->reader.task = r->fact.task;
	if (r->task.origin < r->task.attempt &&
	    job_history_carry(&r->task, 1, &p->log, &e) == -1)
		fail(p, &e);
	return p;
}

void
run_prune_free(struct run_prune *p)
{
	if (p == NULL)
		return;
	job_search_reader_free(&p->reader);
	free(p->exploit.reason);
	free(p->rungs);
	store_job_free(p->newest);
	free(p);
}

/*
 * Take new settings of the job: until a value at a rung is recorded, stfm-set
 * may change the metric, and other programs learn the number of epochs.
 * Returns whether there are any; the log is then read from its first byte.
 */
static int
take_settings(struct run_prune *p)
{
	struct store_reading old = {NULL}, new = {NULL};
	struct store_job *job;
	int same;

	job = store_job_load_path(store_job_path(p->run->job), NULL);
	if (job == NULL)
		return 0;
	store_reading_of(p->newest != NULL ? p->newest : p->run->job, &old);
	store_reading_of(job, &new);
	same = store_reading_same(&old, &new);
	store_reading_free(&old);
	store_reading_free(&new);
	if (same) {
		store_job_free(job);
		return 0;
	}
	job_search_of(job, &p->search);
	metrics_summary_reset(&p->log);
	job_search_reader_free(&p->reader);
	store_job_free(p->newest);
	p->newest = job;
	return 1;
}

/* Return whether the log shows that the job may have new settings. */
static int
may_be_set(const struct run_prune *p)
{
	if (!p->prunes || p->rungs != NULL)
		return 0;
	return p->search.epochs == 0 || p->reader.count > 0 ||
	    (p->log.epochs > 0 && !metrics_summary_has_value(&p->log));
}

/* Record the values at the rungs that were found.  Returns 0 or -1. */
static int
record(struct run_prune *p, struct error *e)
{
	struct store_fact_body body = store_fact_body();
	struct store_fact fact = p->run->fact;
	size_t i;

	body.time = time(NULL);
	body.offset = (int64_t)p->log.offset;
	for (i = 0; i < p->reader.count; i++) {
		store_fact_set_rung(&fact, p->reader.rung[i]);
		if (store_fact_publish(p->run->job, &fact, &body, e) == -1) {
			/* Only the log has the value: read it again. */
			metrics_summary_reset(&p->log);
			return -1;
		}
		job_rungs_add(&p->rungs, &fact);
		p->is_new = 1;
		p->wait = 0;
		p->pause = 1;
	}
	p->reader.count = 0;
	return 0;
}

/* Return whether the pruner may stop this run: 1, 0, or -1 if unknown. */
static int
may_stop(const struct run_prune *p, struct error *e)
{
	const struct job_run *r = p->run;
	int spared = job_run_is_spared(r, e);

	if (spared != 0)
		return spared == -1 ? -1 : 0;
	return r->fact.task == 0 && job_has_canary(r->job)
	    ? job_canary_has_passed(r->job, e)
	    : 1;
}

/* Return the text of each task's row with the rungs that the table lacks. */
static char **
all_rungs(const struct store_table *table, const struct store_facts *facts)
{
	char **rungs = xcalloc(table->count + 1, sizeof *rungs);
	const struct store_fact *f;
	uint64_t task;
	size_t i;

	for (task = 0; task < table->count; task++) {
		rungs[task] = xcopy(store_table_row(table, task)->rungs);
		store_table_forget(table, task);
	}
	for (i = 0; i < facts->search_count; i++) {
		f = &facts->search[i];
		if (f->task < table->count)
			job_rungs_add(&rungs[f->task], f);
	}
	return rungs;
}

/*
 * Compare the task with the others by the recorded values.  Returns 1 if the
 * pruner rejects it, with the reason in *why; in population based training, if
 * it is to continue from one of best.  Returns 0 if not, or -1 if the records
 * cannot be read.
 */
static int
compare(const struct run_prune *p, struct idset *best, struct stop_pruned *why,
    struct error *e)
{
	const struct store_job *job = p->run->job;
	uint64_t task = p->run->fact.task;
	struct store_table *table = store_table_load(job, e);
	struct store_facts facts;
	struct job_board *board;
	char **rungs;
	struct store_requests stops = {NULL};
	uint64_t i;
	int stop = 0;

	if (table == NULL)
		return -1;
	if (store_requests_list(job, STORE_STOPS | STORE_NAMES, &stops, e) ==
		-1 ||
	    store_facts_list(job, &table->packs, &facts, e) == -1) {
		store_requests_free(&stops);
		store_table_free(table);
		return -1;
	}
	rungs = all_rungs(table, &facts);
	if (p->search.epochs > 0 && task < table->count) {
		board = job_board_of(&p->search, table, &stops, rungs);
		stop = p->search.pruner.kind == SEARCH_PBT
		    ? job_board_exploits(
			  board, task, rungs[task], p->since, best, why)
		    : job_board_judge(board, task, rungs[task], why);
		job_board_free(board);
	}
	for (i = 0; i < table->count; i++)
		free(rungs[i]);
	free(rungs);
	store_facts_free(&facts);
	store_requests_free(&stops);
	store_table_free(table);
	return stop;
}

/* Record a stop request for this run.  Returns 1 or -1. */
static int
reject(const struct job_run *r, const struct stop_pruned *why, struct error *e)
{
	struct store_request stop = {.kind = STORE_REQUEST_STOP,
	    .by_search = 1,
	    .attempt = r->fact.attempt};
	char *text = stop_pruned_text(why);
	int rc;

	stop.why = text;
	idset_add(&stop.tasks, r->fact.task, r->fact.task);
	rc = store_request_add(r->job, &stop, 1, e);
	idset_free(&stop.tasks);
	free(text);
	return rc == -1 ? -1 : 1;
}

/*
 * Judge the run.  Returns 1 if it is to end: after recording a stop request, or
 * with p->exploit set.  Returns 0 if not, or -1.
 */
static int
judge(struct run_prune *p, struct error *e)
{
	const struct job_run *r = p->run;
	struct idset best = {0};
	struct stop_pruned why;
	int rc = may_stop(p, e);

	if (rc == 1)
		rc = compare(p, &best, &why, e);
	if (rc == 1 && p->search.pruner.kind == SEARCH_PBT)
		rc = run_pbt_choose(r, &best, &why, &p->exploit, e);
	else if (rc == 1)
		rc = reject(r, &why, e);
	idset_free(&best);
	return rc;
}

/* Read what is new in the log, and record it.  Returns 0 or -1. */
static int
look(struct run_prune *p, int ended, struct error *e)
{
	struct job_task task = p->run->task;

	p->reader.is_later = task.attempt > 0 || task.restart > 0;
	p->reader.known = p->rungs;
	do {
		if (p->newest != NULL)
			task.job = p->newest;
		if (job_training_log_follow(
			&task, &p->log, job_search_epoch, &p->reader, e) == -1)
			return -1;
		if (ended)
			job_search_epoch(&p->reader, &p->log);
	} while (may_be_set(p) && take_settings(p));
	return record(p, e);
}

int
run_prune_look(struct run_prune *p)
{
	struct error e;
	int rc = 0;

	if (p->prunes)
		rc = look(p, 0, &e);
	if (rc != 0 || !p->is_new || p->wait-- > 0)
		return rc == -1 ? fail(p, &e) : 0;
	rc = judge(p, &e);
	/*
	 * In population based training, tasks reach a rung at about the same
	 * time: compare again, ever more rarely, until the next rung.
	 */
	p->is_new =
	    rc == -1 || (rc == 0 && p->search.pruner.kind == SEARCH_PBT);
	p->wait = p->pause;
	if (p->pause < LONGEST_PAUSE)
		p->pause *= 2;
	return rc == -1 ? fail(p, &e) : rc;
}

void
run_prune_end(struct run_prune *p, int finished)
{
	int64_t epochs = 0;
	struct error e;
	int rc = look(p, 1, &e);

	if (rc == 0 && finished && p->prunes && p->search.epochs == 0)
		epochs = job_search_epochs_of(&p->log);
	if (epochs > 0) {
		rc = job_search_learn(p->run->job, epochs, &e);
		if (rc == 0)
			rc = look(p, 1, &e);
	}
	if (rc == -1)
		fail(p, &e);
}

const struct run_exploit *
run_prune_exploit(const struct run_prune *p)
{
	return p->exploit.reason != NULL ? &p->exploit : NULL;
}

char *
run_prune_value(const struct run_prune *p)
{
	char text[NUM_TEXT];

	return p->log.has_best ? xstrdup(num_exact(p->log.best, text)) : NULL;
}
