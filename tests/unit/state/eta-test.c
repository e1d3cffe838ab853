#include <sys/stat.h>

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "state/eta.h"
#include "store/job.h"
#include "sys/fs.h"

enum { NOW = 1000000 };

static void
near(double got, double want)
{
	if (!(fabs(got - want) < 1e-6))
		fail_msg("%g, not %g", got, want);
}

/* A log goes on: so many rows up to this epoch, last written to then. */
static void
go_on(struct store_row *row, uint64_t rows, double epoch, double time)
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

static const struct job_eta_usual nobody = {NAN, NAN, NAN, NAN, 0};

static void
the_pace_is_the_median_of_the_last_epochs(void **state)
{
	struct store_row row = running_since(NOW);
	int i;

	(void)state;
	assert_true(isnan(job_eta_pace(&row)));
	row.metrics.first = 1;
	go_on(&row, 2, 2, NOW + 60); /* with the start-up */
	assert_true(isnan(job_eta_pace(&row)));
	go_on(&row, 1, 3, NOW + 70); /* 10 */
	near(job_eta_pace(&row), 10);
	go_on(&row, 1, 4, NOW + 100); /* 30 */
	near(job_eta_pace(&row), 20);
	go_on(&row, 1, 5, NOW + 570); /* 470: one that does not count */
	near(job_eta_pace(&row), 30);
	for (i = 1; i <= 30; i++)
		go_on(&row, 1, 5 + i, NOW + 570 + 8 * i);
	near(job_eta_pace(&row), 8);
	assert_string_equal(row.pace, "8 8 8 8 8 8 8 8 8 f60/2/30");
	store_row_free(&row);
}

static void
a_look_counts_for_as_many_epochs_as_it_saw(void **state)
{
	struct store_row row = running_since(NOW);

	(void)state;
	go_on(&row, 1, 1, NOW + 21.5);
	go_on(&row, 1, 2, NOW + 26.5);  /* 5: the first is slow */
	go_on(&row, 4, 6, NOW + 32.5);  /* 1.5 each */
	go_on(&row, 1, 7, NOW + 35.75); /* 3.25 */
	near(job_eta_pace(&row), 1.5);
	assert_string_equal(row.pace, "5 1.5*4 3.25 f21.5/1/21.5 p0.75");
	free(row.pace);
	row.pace = xstrdup("12.1 11.9*2 x 9"); /* the rest is damaged */
	near(job_eta_pace(&row), 11.9);
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
	assert_string_equal(row.pace, "f40/2/20");
	go_on(&row, 1, 4, NOW + 1060);
	near(job_eta_pace(&row), 20);
	go_on(&row, 1, 1, NOW + 2000); /* back to the first epoch */
	near(job_eta_pace(&row), 20);
	go_on(&row, 1, 2, NOW + 2000); /* two at the same time */
	assert_string_equal(row.pace, "20 f40/2/20");
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
	job_eta(&job, &row, &p, &nobody, NOW + 90, &eta);
	near(eta.left, 9700 * 0.2);
	row.limit = 1000;
	job_eta(&job, &row, &p, &nobody, NOW + 90, &eta);
	assert_false(eta.late); /* two rows were timed */
	row.metrics.epochs++;
	row.metrics.epoch = 400;
	free(row.pace);
	row.pace = xstrdup("0.2*300");
	job_eta(&job, &row, &p, &nobody, NOW + 90, &eta);
	assert_true(eta.late);
	row.pace[0] = '9'; /* 9.2 s a step: a row of the log takes 920 s */
	row.limit = -1;
	job_eta(&job, &row, &p, &nobody, NOW + 90, &eta);
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
    {10, 45, 155, 1000, 890, 845, 1, 1}, /* an epoch takes longer */
    {10, 90, 200, 1000, NAN, 800, 0, 0}, /* nothing comes any more */
    {10, 0, 100, 400, 900, 300, 1, 2},
    {10, 0, 100, 130, 900, 30, 1, 7},
    {10, 0, 9999, 130, 900, 0, 1, 7},
    {100, 5, 1005, 2000, 0, 995, 0, 0},
    {130, 5, 1005, 2000, 0, 995, 0, 0},
    {10, 0, 100, 0, 900, NAN, 0, 0},
    {10, 0, 100, -1, 900, NAN, 0, 0},
};

static int
same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void
a_time_limit_that_comes_first_is_late(void **state)
{
	char three[] = "10*3";
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
		row.pace = three;
		job_eta(&job, &row, &p, &nobody, NOW, &eta);
		if (!same(eta.left, x->left) || eta.late != x->late ||
		    eta.requeues != x->requeues || !same(eta.room, x->room))
			fail_msg("case %zu: %g left, room %g, %d requeues", i,
			    eta.left, eta.room, eta.requeues);
	}
}

/* A row that started so many seconds before its log is made, which is now. */
static struct store_row
with_log(const char *path, int64_t startup)
{
	struct store_row row;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd != -1);
	close(fd);
	if (isnan(fs_born(path)))
		skip();
	row = running_since((int64_t)fs_born(path) - startup);
	row.metrics_path = xstrdup(path);
	return row;
}

/*
 * The first look at a log that was made so long ago, 20 s after the start of
 * the run: for how long an epoch of ten takes then, or nan.
 */
static void
the_first_look_tells_no_more_than_it_knows(void **state)
{
	static const struct {
		double since;
		int epochs;
		double startup; /* that counts as part of the epochs, or nan */
		double divisor;
	} looks[] = {
	    {0.5, 1, 20, 1},   /* made with the first epoch */
	    {1.5, 1, NAN, 1},  /* before it, or with the first of its rows */
	    {6, 1, 0, 1},      /* before it */
	    {1.5, 2, 0, 1.5},  /* before the first, or with it */
	    {0.5, 2, 20, 2},   /* perhaps written anew for each epoch */
	    {0.5, 10, 20, 10}, /* all is done */
	};
	static const char path[] = "job-eta-test.log";
	struct store_job job = {0};
	struct job_eta eta;
	double now, pace;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof looks / sizeof *looks; i++) {
		struct store_row row = with_log(path, 20);
		struct job_progress p = {10, looks[i].epochs, 0};

		row.metrics.first = 1;
		now = fs_born(path) + looks[i].since;
		go_on(&row, (uint64_t)p.done, p.done, now);
		job_eta(&job, &row, &p, &nobody, (int64_t)now, &eta);
		pace = (looks[i].startup + looks[i].since) / looks[i].divisor;
		if (isnan(pace) != isnan(eta.pace) ||
		    isnan(pace) != isnan(eta.left) ||
		    fabs(pace - eta.pace) > 1.1 ||
		    fabs((10 - p.done) * pace - eta.left) > 10)
			fail_msg("case %zu: %g s each, %g s left", i, eta.pace,
			    eta.left);
		assert_true(eta.patience >= 5 * (20 + looks[i].since) ||
		    looks[i].startup == 0);
		store_row_free(&row);
	}
	unlink(path);
}

/* What is said of a task of 10 epochs, which has 55 s. */
struct early {
	struct job_eta_usual usual;
	double done;
	int64_t elapsed;
	const char *pace;
	double left;
	int late;
};

static const struct early early[] = {
    /* 20 s of start-up, and 1.5 s for an epoch */
    {{NAN, NAN, NAN, NAN, 0}, 0, 10, NULL, NAN, 0},
    {{NAN, NAN, NAN, NAN, 0}, 1, 22, "f22/1/22", 198, 0},
    {{NAN, NAN, NAN, NAN, 0}, 1, 22, "f22/1/2", 18, 0},
    {{NAN, NAN, NAN, NAN, 0}, 2, 24, "30 f22/1/22", 240, 0},
    {{NAN, NAN, NAN, NAN, 0}, 4, 26, "30*2 f22/2/11", 180, 0},
    {{NAN, NAN, NAN, NAN, 0}, 4, 26, "1.5*3 f22/1/22", 9, 0},
    {{NAN, NAN, NAN, NAN, 0}, 4, 26, "30*3 f22/1/22", 180, 1},
    /* others that run tell */
    {{1.5, 20, NAN, NAN, 0}, 0, 10, NULL, 25, 0},
    {{1.5, 20, NAN, NAN, 0}, 0, 34, NULL, 13.5, 0},
    {{1.5, 20, NAN, NAN, 0}, 1, 22, "f22/1/22", 13.5, 0},
    {{30, 20, NAN, NAN, 0}, 1, 22, "f22/1/22", 270, 0},
    {{30, 20, NAN, NAN, 0}, 4, 26, "1.5*3 f22/1/22", 9, 0},
    /* and those that are over */
    {{NAN, NAN, 3.5, 0, 0}, 0, 10, NULL, 25, 0},
    {{NAN, NAN, 3.5, 0, 0}, 1, 22, "f22/1/22", 13, 0},
    {{NAN, NAN, 3.5, 0, 0}, 5, 10, "f10/5/2", 10, 0},
    {{NAN, NAN, 3.5, 0, 0}, 0, 40, NULL, NAN, 0},
    {{NAN, NAN, 1.5, 20, 1}, 0, 10, NULL, 25, 0},
    {{NAN, NAN, 1.5, 20, 1}, 1, 22, "f22/1/22", 13, 0},
    {{1.5, 20, 3.5, 0, 0}, 4, 26, "2*3 f20/1/20", 12, 0},
};

static void
until_its_epochs_are_timed_the_others_tell(void **state)
{
	const struct early *x = early;
	size_t i, count = sizeof early / sizeof *early;
	struct store_job job = {0};
	struct job_eta eta;

	(void)state;
	for (i = 0; i < count; i++, x++) {
		struct store_row row = running_since(NOW - x->elapsed);
		struct job_progress p = {10, x->done, 0};

		row.pace = x->pace != NULL ? xstrdup(x->pace) : NULL;
		row.epoch_time = x->done > 0 ? NOW : -1;
		row.limit = 55;
		job_eta(&job, &row, &p, &x->usual, NOW, &eta);
		if (!same(eta.left, x->left) || eta.late != x->late)
			fail_msg("case %zu: %g left, late %d", i, eta.left,
			    eta.late);
		store_row_free(&row);
	}
}

static void
what_does_not_run_is_never_late(void **state)
{
	struct store_row row = running_since(NOW - 100);
	struct job_progress p = {100, 1, 0}, unknown = {0, 5, NAN};
	struct job_progress none = {100, 0, 0};
	struct job_eta_usual usual = {10, 50, NAN, NAN, 0};
	struct store_job job = {.policy.signal_before = 60};
	struct job_eta eta;

	(void)state;
	row.limit = 300;
	row.epoch_time = NOW;
	row.pace = xstrdup("10*3");
	job_eta(&job, &row, &p, &nobody, NOW, &eta);
	assert_int_equal(eta.requeues, 4); /* (990 - 200) / (300 - 60) */
	job_eta(&job, &row, &unknown, &nobody, NOW, &eta);
	assert_true(isnan(eta.left) && !eta.late && eta.room == 200);
	free(row.pace);
	row.pace = NULL;
	job_eta(&job, &row, &p, &nobody, NOW, &eta);
	assert_true(isnan(eta.left) && isnan(eta.patience) && !eta.late);
	row.state = STORE_SUBMITTED;
	job_eta(&job, &row, &none, &usual, NOW, &eta);
	assert_true(eta.left == 1050 && isnan(eta.room) && !eta.late);
	usual.each = 11;
	usual.fixed = 100;
	job_eta(&job, &row, &none, &usual, NOW, &eta);
	assert_true(eta.left == 1200);
	usual.saved = 0.75;
	job_eta(&job, &row, &none, &usual, NOW, &eta);
	assert_true(eta.left == 375);
	row.state = STORE_ERROR;
	job_eta(&job, &row, &p, &usual, NOW, &eta);
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
	struct job_eta_usual usual = {120, NAN, NAN, NAN, 0};
	struct store_job job = {0};
	struct job_eta eta;
	int64_t since = 0;

	(void)state;
	close(mkstemp(path));
	row.epoch_time = NOW - 601;
	touch(path, NOW - 601);
	job_eta(&job, &row, &p, &usual, NOW, &eta);
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
	usual.pace = 0.1;
	job_eta(&job, &row, &p, &usual, NOW, &eta);
	assert_true(job_eta_is_stalled(&row, &eta, path, NOW, &since));
	row.epoch_time = NOW - 300;
	assert_false(job_eta_is_stalled(&row, &eta, path, NOW, &since));
	row.epoch_time = NOW - 61; /* a short limit: nobody would learn of it */
	row.limit = 120;
	job_eta(&job, &row, &p, &usual, NOW, &eta);
	near(eta.patience, 60);
	assert_true(isnan(eta.left) && eta.silent && !eta.late);
	assert_true(job_eta_is_stalled(&row, &eta, NULL, NOW, &since));
	row.limit = 2000;
	job_eta(&job, &row, &p, &usual, NOW, &eta);
	near(eta.patience, 200);
	row.start = NOW - 10; /* it has just begun again */
	row.epoch_time = NOW - 9000;
	assert_false(job_eta_is_stalled(&row, &eta, path, NOW, &since));
	unlink(path);
}

/* Tasks, from which one learns what is usual. */
static void
what_is_usual_is_learned_from_all_tasks(void **state)
{
	static const char *const paces[] = {
	    "10*3 f50/2/25", "30 30*2 f35/1/35", NULL, "99*2", "x"};
	struct job_progress p = {10, 5, 0.5};
	struct job_eta_others others = {0};
	struct job_eta_usual usual = job_eta_usual(&others);
	struct store_row row;
	size_t i;

	(void)state;
	assert_true(isnan(usual.pace) && isnan(usual.startup));
	assert_true(isnan(usual.each) && !usual.is_sound);
	for (i = 0; i < 5; i++) {
		row = running_since(NOW);
		row.pace = paces[i] != NULL ? xstrdup(paces[i]) : NULL;
		assert_true(job_eta_learn(&others, &row, &p));
		store_row_free(&row);
	}
	usual = job_eta_usual(&others);
	near(usual.pace, 20);      /* 10 and 30: the rest saw too little */
	near(usual.startup, 17.5); /* 30 and 5 */
	row = running_since(NOW);
	row.metrics.epochs = 5;
	row.metrics.first = 1;
	row.metrics.epoch = 5;
	row.epoch_time = NOW + 60;
	row.state = STORE_FINISHED; /* after 5 of 10 epochs */
	assert_true(job_eta_learn(&others, &row, &p));
	near(job_eta_usual(&others).each, 6);
	row.state = STORE_ERROR;
	assert_true(job_eta_learn(&others, &row, &p));
	near(job_eta_usual(&others).each, 120. / 15);
	near(job_eta_usual(&others).saved, 0);
	row.state = STORE_STOPPED; /* one of seven, as the failed one is none */
	row.cause = "pruned at epoch 5: nan or inf is worse than any number";
	assert_true(job_eta_learn(&others, &row, &p));
	near(job_eta_usual(&others).saved, 0.5 / 7);
	row.start = -1; /* it was stopped before it began */
	row.cause = "search over: 3 GPU hours are used";
	assert_true(job_eta_learn(&others, &row, &p));
	near(job_eta_usual(&others).saved, 0.5 / 7);
	others.count = JOB_ETA_OTHERS;
	assert_false(job_eta_learn(&others, &row, &p));
}

/* Tasks that ended after some epochs, and what they tell of one of 30. */
struct ended {
	const char *pace; /* of a task that runs, or NULL */
	struct {
		uint64_t epochs;
		int64_t seconds;
	} task[6];
	double each, whole; /* seconds of an epoch, and of 30 epochs */
	int is_sound;
};

static const struct ended ended[] = {
    /* all of about the same number of epochs: 10 s may be start-up */
    {NULL, {{3, 13}, {3, 13}}, 13 / 3., 130, 0},
    {NULL, {{2, 12}, {3, 13}, {4, 15}}, 40 / 9., 400 / 3., 0},
    {"1*5", {{3, 13}, {3, 13}}, 1, 40, 1},
    {NULL, {{30, 40}, {30, 40}}, 40 / 30., 40, 0},
    /* the longer ones tell */
    {NULL, {{3, 13}, {3, 13}, {30, 40}}, 1, 40, 1},
    {"9*5", {{3, 13}, {3, 13}, {9, 19}, {30, 40}}, 1, 40, 1},
    {NULL, {{4, 14}, {16, 26}}, 1, 40, 1},
    /* no start-up, but the epochs of the best task are slow or vary */
    {NULL, {{3, 3}, {3, 3}, {30, 60}}, 66 / 36., 55, 1},
    {NULL, {{3, 3}, {3, 20}, {10, 5}, {9, 30}}, 58 / 25., 69.6, 0},
};

static void
a_start_up_does_not_count_as_epochs(void **state)
{
	struct job_progress p = {30, 5, 0.5};
	struct job_eta_others others;
	struct job_eta_usual usual;
	struct store_row row;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof ended / sizeof *ended; i++) {
		memset(&others, 0, sizeof others);
		row = running_since(NOW);
		row.pace = (char *)(uintptr_t)ended[i].pace;
		job_eta_learn(&others, &row, &p);
		for (k = 0; ended[i].task[k].epochs > 0; k++) {
			row = running_since(NOW);
			row.state = STORE_STOPPED;
			row.metrics.epochs = ended[i].task[k].epochs;
			row.metrics.first = 1;
			row.metrics.epoch = (double)row.metrics.epochs;
			row.epoch_time = NOW + ended[i].task[k].seconds;
			job_eta_learn(&others, &row, &p);
		}
		usual = job_eta_usual(&others);
		near(usual.each, ended[i].each);
		near(usual.fixed + 30 * usual.each, ended[i].whole);
		assert_int_equal(usual.is_sound, ended[i].is_sound);
	}
}

static void
what_is_over_has_the_time_of_its_epochs(void **state)
{
	struct store_row row = running_since(NOW);

	(void)state;
	row.metrics.first = 1;
	go_on(&row, 4, 4, NOW + 60);
	assert_true(isnan(job_eta_pace(&row)));
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
what_is_over_does_not_count_its_start_up(void **state)
{
	static const char path[] = "job-eta-test.log";
	int64_t born;
	struct store_row row = with_log(path, 18);

	(void)state;
	born = row.start + 18;
	go_on(&row, 10, 9, (double)born + 15);
	row.state = STORE_FINISHED;
	row.end = born + 16;
	job_eta_end(&row);
	assert_true(job_eta_pace(&row) >= 1.4 && job_eta_pace(&row) <= 1.7);
	job_eta_end(&row); /* as a pass does that looks once more */
	assert_true(job_eta_pace(&row) >= 1.4 && job_eta_pace(&row) <= 1.7);

	/* All of it was written at the end. */
	row.epoch_time = born + 1;
	job_eta_end(&row);
	near(job_eta_pace(&row), 1.9);

	/* It is a copy, made when the run was over. */
	row.start -= 1000;
	row.end -= 1000;
	row.epoch_time = row.end;
	job_eta_end(&row);
	near(job_eta_pace(&row), (double)(row.end - row.start) / 10);

	/* One epoch does not tell what its start-up was. */
	row.start += 1000;
	row.epoch_time = row.end = born + 15;
	row.metrics.epochs = 1;
	job_eta_end(&row);
	near(job_eta_pace(&row), 33);
	unlink(path);
	store_row_free(&row);
}

static void
the_last_epoch_may_end_within_a_second(void **state)
{
	static const char path[] = "job-eta-test.log";
	struct store_row row = with_log(path, 2);
	double born = fs_born(path);

	(void)state;
	row.metrics.first = 1;
	go_on(&row, 2, 2, born + 0.6);
	row.state = STORE_STOPPED;
	row.end = (int64_t)born + 3;
	job_eta_end(&row);
	assert_true(fabs(job_eta_pace(&row) - 0.4) < 0.01);
	job_eta_end(&row); /* as a pass does that looks once more */
	assert_true(fabs(job_eta_pace(&row) - 0.4) < 0.01);
	unlink(path);
	store_row_free(&row);
}

static void
what_never_began_an_epoch_has_no_pace(void **state)
{
	struct job_progress p = {.epochs = 10};
	struct job_eta_usual usual = {.pace = 2, .each = 2};
	struct store_job job = {0};
	struct store_row row = running_since(NOW);
	struct job_eta eta;

	(void)state;
	row.state = STORE_STOPPED;
	row.end = NOW + 10;
	job_eta(&job, &row, &p, &usual, NOW + 10, &eta);
	assert_true(isnan(eta.pace));
	store_row_free(&row);
}

static void
all_tasks_take_as_long_as_their_slots_allow(void **state)
{
	(void)state;
	near(job_eta_all((double[]){60, 40}, 2, 20, 6), 120);
	near(job_eta_all((double[]){60, 40}, 2, 20, 1), 60);
	near(job_eta_all((double[]){60, 60}, 2, 20, 1), 80);
	near(job_eta_all((double[]){60, 40}, 2, NAN, 0), 60);
	near(job_eta_all((double[]){10, 10, 10, 10}, 4, 10, 1), 20);
	near(job_eta_all(NULL, 0, 0, 0), 0);
	assert_true(isnan(job_eta_all(NULL, 0, 5, 3)));
	assert_true(isnan(job_eta_all((double[]){5}, 1, NAN, 3)));
	assert_true(isnan(job_eta_all((double[]){NAN, 5}, 2, 0, 0)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_pace_is_the_median_of_the_last_epochs),
	    cmocka_unit_test(a_look_counts_for_as_many_epochs_as_it_saw),
	    cmocka_unit_test(what_says_nothing_about_the_pace_is_passed_over),
	    cmocka_unit_test(a_log_of_steps_has_a_pace_for_a_step),
	    cmocka_unit_test(a_time_limit_that_comes_first_is_late),
	    cmocka_unit_test(the_first_look_tells_no_more_than_it_knows),
	    cmocka_unit_test(until_its_epochs_are_timed_the_others_tell),
	    cmocka_unit_test(what_does_not_run_is_never_late),
	    cmocka_unit_test(a_task_stalls_when_both_of_its_files_are_silent),
	    cmocka_unit_test(what_is_usual_is_learned_from_all_tasks),
	    cmocka_unit_test(a_start_up_does_not_count_as_epochs),
	    cmocka_unit_test(what_is_over_has_the_time_of_its_epochs),
	    cmocka_unit_test(what_is_over_does_not_count_its_start_up),
	    cmocka_unit_test(the_last_epoch_may_end_within_a_second),
	    cmocka_unit_test(what_never_began_an_epoch_has_no_pace),
	    cmocka_unit_test(all_tasks_take_as_long_as_their_slots_allow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
