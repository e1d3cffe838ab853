#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "state/summary.h"
#include "store/job.h"

enum { TASKS = 12, STEPS = 40000 };

/* Every third task does not say how many epochs it trains. */
static const char *const *
point_of(void *arg, uint64_t task)
{
	static const char *point[2];

	(void)arg;
	point[0] = "0.1";
	point[1] = task % 3 == 0 ? NULL : task % 3 == 1 ? "10" : "20";
	return point;
}

static int
dice(int sides)
{
	return (int)(random() % sides);
}

/* Something happens to a task; often its log goes on. */
static void
happen(struct store_row *row)
{
	static const char *const names[] = {"val_loss", "loss", ""};
	static const char *const causes[] = {"stopping", "ending", "other"};
	struct metrics_summary *m = &row->metrics;

	row->state = (enum store_state)dice(STORE_STATES);
	free(row->cause);
	row->cause = dice(2) ? xstrdup(causes[dice(3)]) : NULL;
	if (dice(20) == 0)
		memset(m, 0, sizeof *m);
	if (dice(3) == 0)
		return;
	if (m->columns == 0) {
		m->columns = 3;
		snprintf(m->metric, sizeof m->metric, "%s",
		    names[dice(8) ? 0 : dice(3)]);
		m->column = *m->metric ? 1 : METRICS_NONE;
		snprintf(m->x_name, sizeof m->x_name, "%s",
		    dice(8) ? "epoch" : "step");
		m->first = dice(2);
	}
	m->last_kind = *m->metric ? 1 + dice(3) : METRICS_BLANK;
	m->epochs++;
	m->epoch = (double)m->epochs;
	if (*m->metric != '\0' && (!m->has_best || dice(3) == 0)) {
		m->best = dice(9);
		m->best_epoch = m->epoch;
		m->has_best = 1;
	}
}

/* Whether what was kept is what all rows together give. */
static void
compare(const struct job_summing *s, struct store_table *table, int step)
{
	struct store_summary kept = table->summary, *all = &table->summary;

	job_summary_make(s, table);
	if (kept.best != all->best || kept.value != all->value ||
	    kept.epoch != all->epoch || kept.namer != all->namer ||
	    strcmp(kept.metric, all->metric) != 0 || kept.done != all->done ||
	    kept.epochs != all->epochs || kept.parts != all->parts ||
	    kept.unknown != all->unknown || kept.ending != all->ending ||
	    kept.without != all->without || kept.diverged != all->diverged)
		fail_msg("step %d", step);
}

/* The same steps for a job that says more or less itself. */
static void
run(struct store_job *job)
{
	struct job_summing s = job_summing(job, point_of, NULL);
	struct store_table *table = store_table_new(TASKS);
	struct store_row before, *row;
	char *cause;
	int i, anew = 0;

	srandom(7);
	job_summary_make(&s, table);
	for (i = 0; i < STEPS; i++) {
		row = store_table_edit(table, (uint64_t)dice(TASKS));
		before = *row;
		cause = row->cause != NULL ? xstrdup(row->cause) : NULL;
		before.cause = cause;
		happen(row);
		job_summary_change(&s, table, &before, row);
		free(cause);
		if (!table->summary.known) {
			job_summary_make(&s, table);
			anew++;
		}
		compare(&s, table, i);
	}
	assert_in_range(anew, 1, STEPS / 2);
	store_table_free(table);
}

static void
a_summary_follows_the_rows(void **state)
{
	static const struct {
		char *metric, *goal, *epochs;
	} cases[] = {
	    {NULL, NULL, NULL},
	    {NULL, "max", "epochs"},
	    {"val_loss", NULL, "15"},
	    {"val_loss", "max", "no such"},
	};
	struct store_job job = {0};
	size_t i;

	(void)state;
	strlist_push(&job.names, "lr");
	strlist_push(&job.names, "epochs");
	job.tasks = TASKS;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		job.metric = cases[i].metric;
		job.goal = cases[i].goal;
		job.epochs = cases[i].epochs;
		run(&job);
	}
	strlist_free(&job.names);
}

static void
a_job_is_done_when_its_tasks_are(void **state)
{
	static const struct {
		char *epochs;
		double half, part; /* with a task half done, one over as well */
	} cases[] = {
	    {"10", 0.25, 0.75}, {NULL, 0, 0.5}, /* a part nobody knows */
	};
	struct store_job job = {.tasks = 2};
	struct store_table *table;
	struct job_summing s;
	struct store_row *row;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		job.epochs = cases[i].epochs;
		s = job_summing(&job, point_of, NULL);
		table = store_table_new(2);
		row = store_table_edit(table, 1);
		row->state = STORE_RUNNING;
		row->metrics.epochs = 5;
		row->metrics.epoch = 5;
		row->metrics.first = 1;
		job_summary_make(&s, table);
		assert_true(job_summary_part(table) == cases[i].half);
		store_table_edit(table, 0)->state = STORE_FINISHED;
		job_summary_make(&s, table);
		store_table_count(table);
		assert_true(job_summary_part(table) == cases[i].part);
		row->state = STORE_FINISHED;
		job_summary_make(&s, table);
		store_table_count(table);
		assert_true(job_summary_part(table) == 1);
		store_table_free(table);
	}
}

/* A log's rows, its lowest epoch and its last, and how many are done. */
static const struct {
	uint64_t rows;
	double first, epoch, done;
} counts[] = {
    {1, 0, 0, 1},      /* counted from 0 */
    {3, 0, 2, 3},      /* ... */
    {3, 1, 3, 3},      /* from 1 */
    {1, 5, 5, 5},      /* ... going on from a checkpoint */
    {2, 0, 10, 11},    /* every tenth */
    {15, 0, 1.4, 1.4}, /* fractions say it themselves */
    {21, 0, 2, 2},     /* ... also where they are whole */
    {2, 0.5, 1, 1},
    {0, 0, 0, 0},
};

static void
epochs_are_counted_from_0_or_from_1_or_not_at_all(void **state)
{
	struct store_job job = {.epochs = "3"};
	struct job_summing s = job_summing(&job, point_of, NULL);
	struct job_progress p;
	struct store_row row;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof counts / sizeof *counts; i++) {
		store_row_clear(&row, 0);
		row.state = STORE_RUNNING;
		row.metrics.epochs = counts[i].rows;
		row.metrics.first = counts[i].first;
		row.metrics.epoch = counts[i].epoch;
		job_progress(&s, &row, &p);
		if (p.done != counts[i].done)
			fail_msg("count %zu: %g", i, p.done);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(epochs_are_counted_from_0_or_from_1_or_not_at_all),
	    cmocka_unit_test(a_summary_follows_the_rows),
	    cmocka_unit_test(a_job_is_done_when_its_tasks_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
