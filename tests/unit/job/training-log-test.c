#include <sys/stat.h>

#include <stdio.h>
#include <unistd.h>

#include "../place.h"
#include "base/text.h"
#include "job/training-log.h"
#include "state/history.h"

static struct metrics_summary
summary(const char *log)
{
	struct metrics_summary m = {0};

	assert_int_equal(metrics_summary_feed(&m, NULL, METRICS_GOAL_BY_NAME,
			     log, strlen(log), 0, NULL),
	    0);
	return m;
}

#define LONG "0123456789012345678901234567890123456789012345678901234567890"
#define HEAD "epoch,loss,val_loss\n"

static void
an_epoch_is_whole_with_a_value_of_the_objective(void **state)
{
	static const struct {
		const char *log;
		int want;
	} cases[] = {
	    {"", 0},
	    {HEAD, 0},
	    {HEAD "0,1,", 0},
	    {HEAD "0,1,\n", 0},
	    {HEAD "0,1,\n0,,2\n", 1},
	    {HEAD "0,1,nan\n", 1},
	    /* Without one, a line is an epoch. */
	    {"epoch,what\n0,this\n", 1},
	};
	struct metrics_summary m;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		m = summary(cases[i].log);
		if (job_training_log_has_epoch(&m) != cases[i].want)
			fail_msg("case %zu", i);
	}
}

static void
going_on_means_another_epoch(void **state)
{
	static const struct {
		const char *earlier, *now;
		int want;
	} cases[] = {
	    {"", HEAD, 0},
	    {"", HEAD "0,1,1\n", 1},
	    {HEAD, HEAD "0,1,1\n", 1},
	    {HEAD "0,1,1\n", HEAD "0,1,1\n", 0},
	    {HEAD "0,1,1\n", HEAD "0,1,1\n1,1,1\n", 1},
	    {HEAD "0,1,1\n", HEAD "0,1,1\n1,1,\n", 0},
	    /* From the beginning again, and as far. */
	    {HEAD "0,1,1\n1,1,1\n", HEAD "0,1,1\n1,1,1\n0,1,1\n1,1,1\n", 0},
	    {HEAD "0,1,1\n1,1,1\n", HEAD "0,1,1\n", 0},
	};
	struct metrics_summary earlier, now;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		earlier = summary(cases[i].earlier);
		now = summary(cases[i].now);
		if (job_training_log_went_on(&earlier, &now) != cases[i].want)
			fail_msg("case %zu", i);
	}
}

static void
the_last_epoch_is_known_by_number_or_name(void **state)
{
	static char lr[] = "lr", epochs[] = "epochs", one[] = "1",
		    three[] = "3";
	static char *names[] = {lr, epochs};
	static const char *const values[] = {"0.1", "2"};
	static const struct {
		char *epochs;
		const char *log;
		int want;
	} cases[] = {
	    {NULL, HEAD "0,1,1\n", 0},
	    {NULL, HEAD "0,1,1\n1,1,1\n", 1},
	    {NULL, HEAD "1,1,1\n", 0},
	    {NULL, HEAD "1,1,1\n2,1,1\n", 1},
	    {NULL, HEAD "0,1,1\n1,1,\n", 0},
	    {one, HEAD "0,1,1\n", 1},
	    {three, HEAD "0,1,1\n1,1,1\n", 0},
	    {epochs, HEAD "0,1,1\n1,1,1\n", 1},
	    {lr, HEAD, 0},
	};
	struct store_job job = {.names = {names, 2}};
	struct job_task task = {.job = &job, .value = values};
	struct metrics_summary m;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		job.epochs = cases[i].epochs;
		m = summary(cases[i].log);
		if (job_training_log_is_complete(&task, &m) != cases[i].want)
			fail_msg("case %zu", i);
	}
}

static void
write_log(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(HEAD "0,1,1\n1,1,0.5\n", f);
	assert_int_equal(fclose(f), 0);
}

/* What makes the place of a log; a link to itself nobody can look at. */
static void
put_nothing(const char *path)
{
	(void)path;
}

static void
put_loop(const char *path)
{
	assert_int_equal(symlink(path, path), 0);
}

static void
put_loop_below(const char *path)
{
	char *below = xasprintf("%s/metrics.csv", path);

	assert_int_equal(mkdir(path, 0777), 0);
	put_loop(below);
	free(below);
}

static void
put_empty(const char *path)
{
	assert_int_equal(mkdir(path, 0777), 0);
}

static void
what_cannot_be_read_is_not_taken_for_none(void **state)
{
	static const struct {
		const char *name;
		void (*put)(const char *path);
		int want;
		uint64_t epochs;
	} cases[] = {
	    {"log", write_log, 1, 2},
	    {"none", put_nothing, 0, 0},
	    {"none/below", put_nothing, 0, 0},
	    {"empty", put_empty, 0, 0},
	    {"log/below", put_nothing, 0, 0},
	    {"loop", put_loop, -1, 0},
	    {"loop/below", put_nothing, -1, 0},
	    {"directory", put_loop_below, -1, 0},
	};
	struct place *p = *state;
	struct store_job *job = place_job(p, 1);
	struct job_task t = {.job = job};
	struct metrics_summary m;
	struct error e;
	size_t i;
	int rc;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		free(job->metrics);
		job->metrics = xasprintf("%s/%s", p->path, cases[i].name);
		cases[i].put(job->metrics);
		m = (struct metrics_summary){0};
		rc = job_training_log_read(&t, &m, &e);
		if (rc != cases[i].want || m.epochs != cases[i].epochs)
			fail_msg("%s: %d", cases[i].name, rc);
		if (rc == -1 && !text_begins(e.text, job->metrics))
			fail_msg("%s: %s", cases[i].name, e.text);
	}
	store_job_free(job);
}

/* The best of an attempt before is not lost for good. */
static void
a_log_that_is_continued_is_read_or_that_is_said(void **state)
{
	struct place *p = *state;
	struct store_job *job = place_job(p, 1);
	struct job_task t = {.job = job, .attempt = 1};
	struct metrics_summary m = {0};
	struct error e;
	char *log = xasprintf("%s/metrics/000000.csv", job->path);

	place_fact(job, "000000.0.0.E3");
	put_loop(log);
	assert_int_equal(job_history_carry(&t, 0, &m, &e), -1);
	assert_true(text_begins(e.text, log));
	assert_int_equal(m.continues, 0);
	assert_int_equal(unlink(log), 0);
	write_log(log);
	assert_int_equal(job_history_carry(&t, 0, &m, &e), 0);
	assert_true(m.has_best && m.best == 0.5);
	free(log);
	store_job_free(job);
}

/* ---- what others have left ---- */

static void
write_text(const char *top, const char *name, const char *text)
{
	char *path = fs_join(top, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	free(path);
}

/* Whether a file holds this text; NULL: there is none. */
static void
holds(const char *top, const char *name, const char *text)
{
	char *path = fs_join(top, name), *bytes = NULL;
	size_t length;

	if (fs_read_path(path, 100, &bytes, &length, NULL) == -1)
		bytes = NULL;
	if (!text_same(bytes, text))
		fail_msg("%s: %s", name, bytes != NULL ? bytes : "none");
	free(bytes);
	free(path);
}

static struct store_job *
job_with(struct place *p, const char *metrics)
{
	struct store_job *job = place_job(p, 2);

	free(job->metrics);
	job->metrics = xasprintf("%s/%s", p->path, metrics);
	free(job->id);
	job->id = xstrdup("id");
	return job;
}

static void
what_others_left_is_renamed_and_told(void **state)
{
	static const struct {
		const char *put;
		int is_first;
		const char *want; /* where it is then */
		const char *told;
	} cases[] = {
	    {"log-1", 1, "log-1.before-id",
		"/log-1 was there before: now log-1.before-id"},
	    {"log-1", 1, "log-1.before-id.1",
		"/log-1 was there before: now log-1.before-id.1"},
	    {"log-1", 0, "log-1", NULL},
	    {"log-0", 1, "log-0", NULL},
	    {"log-1.3", 0, "log-1.3.before-id",
		"/log-1.3 was there before: now log-1.3.before-id"},
	    {"log-1.3.2", 1, "log-1.3.2.before-id",
		"/log-1.3.2 was there before: now log-1.3.2.before-id"},
	    {"log-1.2", 1, "log-1.2", NULL},
	};
	struct place *p = *state;
	struct store_job *job = job_with(p, "log-{task}");
	struct job_task t = {.job = job, .task = 1, .attempt = 3, .restart = 2};
	struct strlist told = {0};
	char *place = xasprintf("%s/log-1", p->path);
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		write_text(p->path, cases[i].put, cases[i].put);
		assert_int_equal(job_training_log_is_taken(&t),
		    strcmp(cases[i].put, "log-0") != 0 &&
			strcmp(cases[i].put, "log-1.2") != 0);
		job_training_log_set_aside(&t, cases[i].is_first, &told);
		holds(p->path, cases[i].want, cases[i].put);
		if (told.count != (cases[i].told != NULL) ||
		    (told.count > 0 && !text_ends(told.word[0], cases[i].told)))
			fail_msg("%zu: %s", i,
			    told.count > 0 ? told.word[0] : "nothing");
		strlist_free(&told);
		unlink(place);
	}
	free(place);
	store_job_free(job);
}

/* What the training may need is not taken from it. */
static void
of_a_directory_only_the_logs_are_renamed(void **state)
{
	struct place *p = *state;
	struct store_job *job = job_with(p, "runs/{task}/");
	struct job_task t = {.job = job, .task = 0};
	struct strlist told = {0};
	char *train = fs_join(p->path, "runs/0/train");

	assert_int_equal(fs_make_dirs(train, NULL), 0);
	job_training_log_set_aside(&t, 1, &told);
	assert_int_equal(told.count, 0);
	write_text(train, "a.tfevents.1", "one");
	write_text(p->path, "runs/0/b.tfevents.2", "two");
	write_text(p->path, "runs/0/config", "lr");
	job_training_log_set_aside(&t, 1, &told);
	holds(p->path, "runs/0.before-id/train/a.tfevents.1", "one");
	holds(p->path, "runs/0.before-id/b.tfevents.2", "two");
	holds(p->path, "runs/0/b.tfevents.2", NULL);
	holds(p->path, "runs/0/config", "lr");
	assert_int_equal(told.count, 1);
	strlist_free(&told);
	/* Lightning's, of which one at a time is listed. */
	write_text(train, "metrics.csv", "old");
	write_text(p->path, "runs/0/metrics.csv", "new");
	job_training_log_set_aside(&t, 1, &told);
	holds(p->path, "runs/0.before-id/train/metrics.csv", "old");
	holds(p->path, "runs/0.before-id/metrics.csv", "new");
	assert_int_equal(told.count, 1);
	strlist_free(&told);
	free(train);
	store_job_free(job);
}

/* There is no room in its name. */
static void
a_log_that_cannot_be_renamed_is_told(void **state)
{
	struct place *p = *state;

	struct store_job *job = job_with(p, "{task}-" LONG LONG LONG LONG);
	struct job_task t = {.job = job};
	struct strlist told = {0};

	write_text(p->path, "0-" LONG LONG LONG LONG, "log");
	job_training_log_set_aside(&t, 1, &told);
	assert_int_equal(told.count, 1);
	assert_true(text_ends(told.word[0],
	    " was there before, and is in the way: File name too long"));
	holds(p->path, "0-" LONG LONG LONG LONG, "log");
	strlist_free(&told);
	store_job_free(job);
}

/* Killed between the two, it has both names; it is not taken for the next. */
static void
a_log_with_both_names_has_one_then(void **state)
{
	struct place *p = *state;
	struct store_job *job = job_with(p, "{task}.csv");
	struct job_task t = {.job = job, .attempt = 1};
	char *old = fs_join(p->path, "0.csv"), *new;

	new = fs_join(p->path, "0.csv.0");
	write_text(p->path, "0.csv", "log");
	assert_int_equal(link(old, new), 0);
	job_training_log_keep(&t, 0, 0);
	holds(p->path, "0.csv", NULL);
	holds(p->path, "0.csv.0", "log");
	free(old);
	free(new);
	store_job_free(job);
}

static void
a_run_that_never_began_has_no_log(void **state)
{
	static const struct {
		int facts;
		uint32_t restart;
		int want;
	} cases[] = {
	    {0, 0, 0},
	    {STORE_HAS_X | STORE_LOG_DUE, 0, 0},
	    {STORE_HAS_S, 0, 1},
	    {STORE_HAS_E, 0, 1},
	    {STORE_HAS_Q, 0, 1},
	    {0, 1, 1},
	};
	struct place *p = *state;
	struct store_job *job = job_with(p, "{task}.csv");
	struct store_row row;
	char *path;
	size_t i;

	write_text(p->path, "0.csv", "log");
	write_text(p->path, "0.csv.0", "log");
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		store_row_clear(&row, 0);
		row.facts = cases[i].facts;
		row.restart = cases[i].restart;
		path = job_training_log_find(job, &row, NULL);
		assert_int_equal(path != NULL, cases[i].want);
		free(path);
		path = job_training_log_kept(job, &row, NULL, 0);
		assert_int_equal(path != NULL, cases[i].want);
		free(path);
	}
	store_job_free(job);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		what_cannot_be_read_is_not_taken_for_none, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_log_that_is_continued_is_read_or_that_is_said,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		what_others_left_is_renamed_and_told, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		of_a_directory_only_the_logs_are_renamed, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_log_that_cannot_be_renamed_is_told, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(a_log_with_both_names_has_one_then,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(a_run_that_never_began_has_no_log,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test(an_epoch_is_whole_with_a_value_of_the_objective),
	    cmocka_unit_test(going_on_means_another_epoch),
	    cmocka_unit_test(the_last_epoch_is_known_by_number_or_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
