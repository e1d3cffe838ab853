#include <sys/stat.h>

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "job-eta.h"
#include "xalloc.h"

enum { NOW = 1000000 };

static void
near(double got, double want)
{
	if (!(fabs(got - want) < 1e-6))
		fail_msg("%g, not %g", got, want);
}

/* A log goes on: so many rows up to this epoch, last written to then. */
static void
go_on(struct store_row *row, uint64_t rows, double epoch, int64_t time)
{
	struct metrics_summary before = row->metrics, *m = &row->metrics;

	m->offset += 10;
	if (m->columns == 0) {
		m->columns = 2;
		snprintf(m->x_name, sizeof m->x_name, "epoch");
	}
	if (epoch < m->epoch)
		m->restarts++;
	m->epochs += rows;
	m->epoch = epoch;
	job_eta_note(row, &before, time);
}

static struct store_row
running_since(int64_t start)
{
	struct store_row row;

	store_row_clear(&row, 0);
	row.state = STORE_RUNNING;
	row.start = start;
	return row;
}

static void
the_pace_is_the_median_of_the_last_epochs(void **state)
{
	struct store_row row = running_since(NOW);
	int i;

	(void)state;
	assert_true(isnan(job_eta_pace(&row)));
	row.metrics.first = 1;
	go_on(&row, 2, 2, NOW + 60); /* 30 s each */
	near(job_eta_pace(&row), 30);
	go_on(&row, 1, 3, NOW + 70); /* 10 */
	near(job_eta_pace(&row), 20);
	go_on(&row, 1, 4, NOW + 570); /* 500: one that does not count */
	near(job_eta_pace(&row), 30);
	for (i = 1; i <= 30; i++)
		go_on(&row, 1, 4 + i, NOW + 570 + 8 * i);
	near(job_eta_pace(&row), 8);
	assert_string_equal(row.pace, "8 8 8 8 8 8 8 8 8");
	store_row_free(&row);
}

static void
what_says_nothing_about_the_pace_is_passed_over(void **state)
{
	struct store_row row = running_since(-1);

	(void)state;
	go_on(&row, 1, 1, NOW); /* it waits for its next run */
	assert_null(row.pace);
	row.start = NOW + 1000;
	go_on(&row, 2, 3, NOW + 1040); /* from the start, not the wait */
	near(job_eta_pace(&row), 20);
	go_on(&row, 1, 1, NOW + 2000); /* back to the first epoch */
	near(job_eta_pace(&row), 20);
	go_on(&row, 1, 2, NOW + 2000); /* two in one second */
	assert_string_equal(row.pace, "20");
	go_on(&row, 0, 2, NOW + 9000); /* half a line */
	assert_int_equal(row.epoch_time, NOW + 2000);
	store_row_free(&row);
}

static void
a_log_of_steps_has_a_pace_for_a_step(void **state)
{
	struct store_row row = running_since(NOW);
	struct store_job job = {0};
	struct job_progress p = {10000, 300, 0.03};
	struct job_eta eta;

	(void)state;
	row.metrics.columns = 2;
	snprintf(row.metrics.x_name, METRICS_NAME, "step");
	row.metrics.first = 100;
	go_on(&row, 1, 100, NOW + 50);
	assert_null(row.pace);
	go_on(&row, 2, 300, NOW + 90);
	near(job_eta_pace(&row), 0.2);
	job_eta(&job, &row, &p, NAN, NOW + 90, &eta);
	near(eta.left, 9700 * 0.2);
	row.pace[0] = '9'; /* 9.2 s a step: a row of the log takes 920 s */
	job_eta(&job, &row, &p, NAN, NOW + 90, &eta);
	near(eta.patience, 5 * 920);
	store_row_free(&row);
}

/* What is said of a task of 100 epochs at 10 s each, after so many. */
struct expectation {
	double done;
	int64_t since_epoch, since_start, limit;
	double left, room;
	int late, requeues;
};

static const struct expectation expectations[] = {
    {10, 0, 100, 1000, 900, 900, 0, 0},
    {10, 4, 104, 1000, 896, 896, 0, 0},
    {10, 0, 101, 1000, 900, 899, 1, 1},
    {10, 90, 200, 1000, 890, 800, 1, 1}, /* an epoch takes longer */
    {10, 0, 100, 400, 900, 300, 1, 2},
    {10, 0, 100, 130, 900, 30, 1, 7},
    {10, 0, 9999, 130, 900, 0, 1, 7},
    {100, 5, 1005, 2000, 0, 995, 0, 0},
    {130, 5, 1005, 2000, 0, 995, 0, 0},
    {10, 0, 100, 0, 900, NAN, 0, 0},
    {10, 0, 100, -1, 900, NAN, 0, 0},
};

static void
a_time_limit_that_comes_first_is_late(void **state)
{
	const struct expectation *x = expectations;
	size_t i, count = sizeof expectations / sizeof *expectations;
	struct store_job job = {0};
	struct job_eta eta;

	(void)state;
	for (i = 0; i < count; i++, x++) {
		struct store_row row = running_since(NOW - x->since_start);
		struct job_progress p = {100, x->done, 0};

		row.epoch_time = NOW - x->since_epoch;
		row.limit = x->limit;
		job_eta(&job, &row, &p, 10, NOW, &eta);
		if (eta.left != x->left || eta.late != x->late ||
		    eta.requeues != x->requeues ||
		    !(eta.room == x->room ||
			(eta.room != eta.room && x->room != x->room)))
			fail_msg("case %zu: %g left, room %g, %d requeues", i,
			    eta.left, eta.room, eta.requeues);
	}
}

static void
what_does_not_run_is_never_late(void **state)
{
	struct store_row row = running_since(NOW - 100);
	struct job_progress p = {100, 0, 0}, unknown = {0, 5, NAN};
	struct store_job job = {.policy.signal_before = 60};
	struct job_eta eta;

	(void)state;
	row.limit = 300;
	job_eta(&job, &row, &p, 10, NOW, &eta);
	assert_int_equal(eta.requeues, 4); /* (990 - 200) / (300 - 60) */
	job_eta(&job, &row, &unknown, 10, NOW, &eta);
	assert_true(isnan(eta.left) && !eta.late && eta.room == 200);
	job_eta(&job, &row, &p, NAN, NOW, &eta);
	assert_true(isnan(eta.left) && isnan(eta.patience) && !eta.late);
	row.state = STORE_SUBMITTED;
	job_eta(&job, &row, &p, 10, NOW, &eta);
	assert_true(eta.left == 1000 && isnan(eta.room) && !eta.late);
	row.state = STORE_ERROR;
	job_eta(&job, &row, &p, 10, NOW, &eta);
	assert_true(eta.left == 0 && isnan(eta.room));
}

/* Make a file last written to then. */
static void
touch(const char *path, int64_t time)
{
	struct timespec times[2] = {{.tv_sec = time}, {.tv_sec = time}};
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd != -1 && futimens(fd, times) == 0);
	close(fd);
}

static void
a_task_stalls_when_both_of_its_files_are_silent(void **state)
{
	char path[] = "eta-test.XXXXXX";
	struct store_row row = running_since(NOW - 9000);
	struct job_progress p = {100, 50, 0.5};
	struct store_job job = {0};
	struct job_eta eta;
	int64_t since = 0;

	(void)state;
	close(mkstemp(path));
	row.epoch_time = NOW - 601;
	touch(path, NOW - 601);
	job_eta(&job, &row, &p, 120, NOW, &eta);
	near(eta.patience, 600);
	assert_true(job_eta_is_stalled(&row, &eta, path, NOW, &since));
	assert_int_equal(since, NOW - 601);
	assert_true(job_eta_is_stalled(&row, &eta, NULL, NOW, &since));
	assert_true(job_eta_is_stalled(&row, &eta, "/no/such", NOW, &since));
	touch(path, NOW - 600);
	assert_false(job_eta_is_stalled(&row, &eta, path, NOW, &since));
	row.metrics_path = path;
	assert_false(job_eta_is_stalled(&row, &eta, NULL, NOW, &since));
	touch(path, NOW - 9000);
	row.cause = path; /* "stopping" */
	assert_false(job_eta_is_stalled(&row, &eta, NULL, NOW, &since));
	row.cause = NULL;
	row.epoch_time = NOW - 301; /* short epochs: there is a floor */
	job_eta(&job, &row, &p, 0.1, NOW, &eta);
	assert_true(job_eta_is_stalled(&row, &eta, path, NOW, &since));
	row.epoch_time = NOW - 300;
	assert_false(job_eta_is_stalled(&row, &eta, path, NOW, &since));
	row.start = NOW - 10; /* it has just begun again */
	row.epoch_time = NOW - 9000;
	assert_false(job_eta_is_stalled(&row, &eta, path, NOW, &since));
	unlink(path);
}

static void
the_usual_pace_is_the_median_of_the_tasks(void **state)
{
	static const char *const paces[] = {"10", "30 30", NULL, "99", "x"};
	struct store_fold *fold = store_fold_new(5);
	struct store_row *row;
	uint64_t i;

	(void)state;
	assert_true(isnan(job_eta_usual(fold)));
	for (i = 0; i < 5; i++) {
		row = store_fold_edit(fold, i);
		row->state = STORE_FINISHED;
		row->pace = paces[i] != NULL ? xstrdup(paces[i]) : NULL;
	}
	near(job_eta_usual(fold), 30);
	store_fold_free(fold);
}

static void
what_is_over_has_the_time_of_its_epochs(void **state)
{
	struct store_row row = running_since(NOW);

	(void)state;
	row.metrics.first = 1;
	go_on(&row, 4, 4, NOW + 60);
	near(job_eta_pace(&row), 15);
	row.limit = 100;
	row.state = STORE_ERROR;
	row.end = NOW + 8000; /* it hung */
	job_eta_end(&row);
	assert_null(row.pace);
	assert_int_equal(row.limit, -1);
	near(job_eta_pace(&row), 15);
	row.epoch_time = -1; /* nobody knows when the last epoch was */
	assert_true(isnan(job_eta_pace(&row)));
	row.state = STORE_FINISHED;
	row.end = NOW + 80;
	near(job_eta_pace(&row), 20);
	row.restart = 1; /* epochs of the runs before are in its log as well */
	assert_true(isnan(job_eta_pace(&row)));
}

static void
all_tasks_take_as_long_as_their_slots_allow(void **state)
{
	(void)state;
	near(job_eta_all(100, 60, 300, 2), 200);
	near(job_eta_all(100, 60, 0, 2), 60);
	near(job_eta_all(0, 0, 0, 0), 0);
	assert_true(isnan(job_eta_all(0, 0, 300, 0)));
	assert_true(isnan(job_eta_all(NAN, NAN, 0, 1)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_pace_is_the_median_of_the_last_epochs),
	    cmocka_unit_test(what_says_nothing_about_the_pace_is_passed_over),
	    cmocka_unit_test(a_log_of_steps_has_a_pace_for_a_step),
	    cmocka_unit_test(a_time_limit_that_comes_first_is_late),
	    cmocka_unit_test(what_does_not_run_is_never_late),
	    cmocka_unit_test(a_task_stalls_when_both_of_its_files_are_silent),
	    cmocka_unit_test(the_usual_pace_is_the_median_of_the_tasks),
	    cmocka_unit_test(what_is_over_has_the_time_of_its_epochs),
	    cmocka_unit_test(all_tasks_take_as_long_as_their_slots_allow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
