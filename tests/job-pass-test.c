#include <sys/stat.h>

#include <unistd.h>

#include "fs-faults.h"
#include "job-pass.h"
#include "place.h"
#include "store-facts.h"
#include "store-usage.h"
#include "text.h"

static const char record[] = "# stfm usage 1 cpus=2\n"
			     "seconds,gpu,gpu_memory,gpu_idle,cpu,memory\n"
			     "30,,,,1.5,200\n";

static const char *unreadable; /* how names end of files that are */
static int reason = EIO;

static int
openat_some(int dir, const char *name, int flags, mode_t mode)
{
	size_t length = strlen(name), n = strlen(unreadable);

	if (length >= n && strcmp(name + length - n, unreadable) == 0) {
		errno = reason;
		return -1;
	}
	return real.openat(dir, name, flags, mode);
}

static void
spoil(const char *end)
{
	unreadable = end;
	fs_ops.openat = openat_some;
}

static void
publish(const struct store_job *job, uint64_t task, const char *kind,
    const char *usage)
{
	struct store_fact fact = {.task = task};
	struct store_fact_body body = store_fact_body();

	snprintf(fact.kind, sizeof fact.kind, "%s", kind);
	body.slurm = xstrdup("7_0");
	body.usage = xcopy(usage);
	body.time = 1000;
	assert_int_equal(store_fact_publish(job, &fact, &body, NULL), 0);
	store_fact_body_free(&body);
}

/* What a pass makes of a job. */
static struct store_fold *
fold_after_pass(const struct place *p, const struct store_job *job)
{
	struct job_pass *pass = job_pass_alone(p->store, NULL);
	struct store_fold *fold;

	assert_non_null(pass);
	assert_int_equal(job_pass_job(pass, job, NULL, NULL, &fold, NULL), 0);
	job_pass_free(pass);
	return fold;
}

/* What a pass makes of the use of a task: its text, to free, or NULL. */
static char *
use_after_pass(const struct place *p, const struct store_job *job)
{
	struct store_fold *fold = fold_after_pass(p, job);
	const struct store_row *row = store_fold_row(fold, 0);
	char *use;

	assert_int_equal(row->state, STORE_FINISHED);
	use = xcopy(row->usage);
	store_fold_free(fold);
	return use;
}

/* The end is known, and that it tells nothing of the use. */
static void
use_that_could_not_be_read_is_read_later(void **state)
{
	static const struct store_fact run = {.task = 0};
	struct place *p = *state;
	struct store_job *job = place_job(p, 2);
	char *use;

	real = fs_ops;
	publish(job, 0, "S", NULL);
	publish(job, 0, "E0", NULL);
	assert_int_equal(
	    store_usage_write(job, &run, record, strlen(record), NULL), 0);
	spoil(".csv");
	assert_null(use_after_pass(p, job));
	assert_null(use_after_pass(p, job));
	fs_ops = real;
	use = use_after_pass(p, job);
	assert_non_null(use);
	assert_true(text_begins(use, "time=30"));
	free(use);
	/* Then it is known, whether the file is there or not. */
	spoil(".csv");
	use = use_after_pass(p, job);
	assert_non_null(use);
	free(use);
	fs_ops = real;
	store_job_free(job);
}

/* The row of the first task after a pass; its epochs are counted. */
static int64_t
epochs_after_pass(const struct place *p, const struct store_job *job)
{
	struct store_fold *fold = fold_after_pass(p, job);
	int64_t epochs = (int64_t)store_fold_row(fold, 0)->metrics.epochs;

	store_fold_free(fold);
	return epochs;
}

/* Where the log is follows from the point of the task. */
static void
a_log_that_could_not_be_found_is_read_later(void **state)
{
	static const char points[] = "x\n5\n6\n";
	struct store_job_files files = {
	    .batch = "#!/bin/sh\n", .points = points};
	struct place *p = *state;
	struct store_job *job = place_record("logged", 2);
	FILE *f;
	char *path;

	real = fs_ops;
	files.points_length = strlen(points);
	job->points_kept = 1;
	words_push(&job->names, "x");
	job->metrics = xasprintf("%s/log.{x}", p->path);
	path = xasprintf("%s/log.5", p->path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("epoch,loss\n0,1\n1,0.5\n", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(store_job_create(p->store, job, &files, NULL), 0);
	publish(job, 0, "S", NULL);
	publish(job, 0, "E0", NULL);
	spoil("points.tsv");
	assert_int_equal(epochs_after_pass(p, job), 0);
	fs_ops = real;
	assert_int_equal(epochs_after_pass(p, job), 2);
	free(path);
	store_job_free(job);
}

/* How much a pass says to be damaged. */
static size_t
count_damaged(const struct place *p, const struct store_job *job)
{
	struct store_fold *fold = fold_after_pass(p, job);
	size_t count = fold->damaged.count;

	if (count > 0)
		assert_non_null(
		    strstr(fold->damaged.word[0], "000000.0.0.csv: "));
	store_fold_free(fold);
	return count;
}

/* What will not go by is said once, and the task is idle. */
static void
use_that_cannot_be_read_is_said(void **state)
{
	static const struct {
		int reason;
		size_t said[2];
	} cases[] = {{EIO, {1, 1}}, {EACCES, {1, 0}}, {ENOENT, {0, 0}}};
	static const struct store_fact run = {.task = 0};
	struct place *p = *state;
	struct store_job *job;
	size_t i;

	real = fs_ops;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		job = place_job(p, 1);
		publish(job, 0, "S", NULL);
		publish(job, 0, "E0", NULL);
		assert_int_equal(
		    store_usage_write(job, &run, record, strlen(record), NULL),
		    0);
		reason = cases[i].reason;
		spoil(".csv");
		assert_int_equal(count_damaged(p, job), cases[i].said[0]);
		assert_int_equal(count_damaged(p, job), cases[i].said[1]);
		fs_ops = real;
		store_job_free(job);
	}
	reason = EIO;
}

/* What the end tells counts, and nobody looks for a file. */
static void
use_that_the_end_tells_is_not_looked_for(void **state)
{
	struct place *p = *state;
	struct store_job *job = place_job(p, 2);
	char *use;

	real = fs_ops;
	publish(job, 0, "S", NULL);
	publish(job, 0, "E0", record);
	spoil("usage");
	use = use_after_pass(p, job);
	fs_ops = real;
	assert_non_null(use);
	free(use);
	store_job_free(job);
}

/* The newest table, made a while ago, and when Slurm was asked by it. */
static int64_t
asked_by(const struct place *p, const struct store_job *job)
{
	struct job_pass *pass = job_pass_alone(p->store, NULL);
	struct store_fold *fold;
	int64_t kept;

	assert_non_null(pass);
	assert_int_equal(job_pass_job(pass, job, NULL, NULL, NULL, NULL), 0);
	job_pass_free(pass);
	fold = store_fold_load(job, NULL);
	assert_non_null(fold);
	kept = store_fold_kept(job, fold);
	assert_int_equal(fold->alone, kept == -1);
	if (kept == -1)
		kept = fold->asked;
	store_fold_free(fold);
	return kept;
}

/* The table that a pass left which asked Slurm, so many seconds after 1970. */
static void
leave_table(const struct store_job *job, int64_t seconds)
{
	const struct timespec times[] = {{seconds, 0}, {seconds, 0}};
	struct store_fold *fold = store_fold_new(job->tasks);
	int dir;

	fold->asked = 500;
	assert_int_equal(store_fold_publish(job, fold, NULL), 0);
	store_fold_free(fold);
	dir = fs_open_subdir(job->dir, "fold", 0, NULL);
	assert_int_equal(utimensat(dir, "state.1.jsonl", times, 0), 0);
	fs_close(dir);
}

static void
a_pass_that_asks_nothing_had_no_answer(void **state)
{
	struct place *p = *state;
	struct store_job *job = place_job(p, 2);

	leave_table(job, 1000);
	assert_int_equal(asked_by(p, job), 1000);
	assert_int_equal(asked_by(p, job), 1000);
	publish(job, 0, "S", NULL);
	assert_int_equal(asked_by(p, job), 1000);
	assert_int_equal(asked_by(p, job), 1000);
	store_job_free(job);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		a_pass_that_asks_nothing_had_no_answer, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		use_that_could_not_be_read_is_read_later, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_log_that_could_not_be_found_is_read_later, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(use_that_cannot_be_read_is_said,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		use_that_the_end_tells_is_not_looked_for, place_set_up_fast,
		place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
