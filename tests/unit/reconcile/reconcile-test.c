#include <sys/stat.h>

#include <unistd.h>

#include "../fs-faults.h"
#include "../place.h"
#include "base/text.h"
#include "reconcile/reconcile.h"
#include "store/chunk.h"
#include "store/facts.h"
#include "store/request.h"
#include "store/table.h"
#include "store/usage.h"

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
static struct store_table *
fold_after_pass(const struct place *p, const struct store_job *job)
{
	struct reconcile *pass = reconcile_alone(p->store, NULL);
	struct store_table *table;

	assert_non_null(pass);
	assert_int_equal(reconcile_job(pass, job, NULL, NULL, &table, NULL), 0);
	reconcile_free(pass);
	return table;
}

/* What a pass makes of the use of a task: its text, to free, or NULL. */
static char *
use_after_pass(const struct place *p, const struct store_job *job)
{
	struct store_table *table = fold_after_pass(p, job);
	const struct store_row *row = store_table_row(table, 0);
	char *use;

	assert_int_equal(row->state, STORE_FINISHED);
	use = xcopy(row->usage);
	store_table_free(table);
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
	struct store_table *table = fold_after_pass(p, job);
	int64_t epochs = (int64_t)store_table_row(table, 0)->metrics.epochs;

	store_table_free(table);
	return epochs;
}

/* A job of which each point is kept, with logs at a place of their own. */
static struct store_job *
logging_job(struct place *p, uint64_t tasks, const char *log)
{
	struct store_job *job = place_record("logged", tasks);
	struct store_job_files files = {.batch = "#!/bin/sh\n"};
	char *points;
	FILE *f = xmemopen(&points, &files.points_length);
	uint64_t i;

	fputs("x\n", f);
	for (i = 0; i < tasks; i++)
		fprintf(f, "%d\n", 5 + (int)i);
	xmemclose(f);
	files.points = points;
	job->points_kept = 1;
	strlist_push(&job->names, "x");
	job->metrics = fs_join(p->path, log);
	assert_int_equal(store_job_create(p->store, job, &files, NULL), 0);
	free(points);
	return job;
}

static void
write_log(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs("epoch,loss\n0,1\n1,0.5\n", f);
	assert_int_equal(fclose(f), 0);
}

/* Where the log is follows from the point of the task. */
static void
a_log_that_could_not_be_found_is_read_later(void **state)
{
	struct place *p = *state;
	struct store_job *job = logging_job(p, 2, "log.{x}");
	char *path = fs_join(p->path, "log.5");

	real = fs_ops;
	write_log(path);
	publish(job, 0, "S", NULL);
	publish(job, 0, "E0", NULL);
	spoil("points.tsv");
	assert_int_equal(epochs_after_pass(p, job), 0);
	fs_ops = real;
	assert_int_equal(epochs_after_pass(p, job), 2);
	free(path);
	store_job_free(job);
}

static int
fstatat_some(int dir, const char *name, struct stat *st, int flags)
{
	size_t length = strlen(name), n = strlen(unreadable);

	if (length >= n && strcmp(name + length - n, unreadable) == 0) {
		errno = reason;
		return -1;
	}
	return real.fstatat(dir, name, st, flags);
}

/* Where the log may be, but is not: that shows later. */
static void
a_log_is_looked_for_again_where_it_may_be(void **state)
{
	struct place *p = *state;
	struct store_job *job = logging_job(p, 2, "not.there");
	char *log = fs_join(job->path, "metrics/000000.csv");
	struct store_table *table;

	write_log(log);
	publish(job, 0, "S", NULL);
	publish(job, 0, "E0", NULL);
	real = fs_ops;
	spoil("not.there");
	fs_ops.fstatat = fstatat_some;
	table = fold_after_pass(p, job);
	assert_int_equal(table->damaged.count, 1);
	assert_non_null(strstr(table->damaged.word[0], "/not.there: "));
	assert_true(store_table_row(table, 0)->facts & STORE_LOG_DUE);
	store_table_free(table);
	fs_ops = real;
	assert_int_equal(epochs_after_pass(p, job), 2);
	free(log);
	store_job_free(job);
}

/* A disk that fails takes many logs with it. */
static void
not_each_log_that_cannot_be_read_is_named(void **state)
{
	struct place *p = *state;
	struct store_job *job = logging_job(p, 20, "not.there");
	struct store_table *table;
	uint64_t task;

	for (task = 0; task < job->tasks; task++)
		publish(job, task, "S", NULL);
	real = fs_ops;
	spoil("not.there");
	fs_ops.fstatat = fstatat_some;
	table = fold_after_pass(p, job);
	fs_ops = real;
	assert_int_equal(table->damaged.count, 6);
	assert_string_equal(
	    table->damaged.word[5], "15 more logs cannot be read");
	store_table_free(table);
	store_job_free(job);
}

/* The reason of a parser gets the path of the log; that of a file has it. */
static void
a_log_that_cannot_be_read_is_named_once(void **state)
{
	struct place *p = *state;
	struct store_job *job = logging_job(p, 1, "log");
	struct store_table *table;
	char *path = fs_join(p->path, "log"), *want;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fwrite("epoch,val_loss\n1,0.\0\n", 1, 22, f);
	fclose(f);
	publish(job, 0, "S", NULL);
	publish(job, 0, "E0", NULL);
	table = fold_after_pass(p, job);
	assert_int_equal(table->damaged.count, 1);
	want = xasprintf("%s: a NUL byte at byte 19", path);
	assert_string_equal(table->damaged.word[0], want);
	assert_false(store_table_row(table, 0)->facts & STORE_LOG_DUE);
	store_table_free(table);
	free(want);
	free(path);
	store_job_free(job);
}

/* How much a pass says to be damaged. */
static size_t
count_damaged(const struct place *p, const struct store_job *job)
{
	struct store_table *table = fold_after_pass(p, job);
	size_t count = table->damaged.count;

	if (count > 0)
		assert_non_null(
		    strstr(table->damaged.word[0], "000000.0.0.csv: "));
	store_table_free(table);
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

/* One bit of it is turned, or its end is missing: no number of it is taken. */
static void
use_that_is_damaged_is_said_and_not_taken(void **state)
{
	static const struct store_fact run = {.task = 0};
	struct place *p = *state;
	struct store_job *job = place_job(p, 1);
	char *path = fs_join(job->path, "usage/000000.0.0.csv"), *use;
	FILE *f;

	real = fs_ops;
	publish(job, 0, "S", NULL);
	publish(job, 0, "E0", NULL);
	assert_int_equal(
	    store_usage_write(job, &run, record, strlen(record), NULL), 0);
	f = fopen(path, "r+");
	assert_non_null(f);
	assert_int_equal(
	    fseek(f, (long)(strstr(record, "200") - record), SEEK_SET), 0);
	assert_int_equal(fputc('9', f), '9');
	assert_int_equal(fclose(f), 0);
	assert_int_equal(count_damaged(p, job), 1);
	use = use_after_pass(p, job);
	assert_null(use);
	assert_int_equal(access(path, F_OK), 0);
	free(path);
	store_job_free(job);
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
	struct reconcile *pass = reconcile_alone(p->store, NULL);
	struct store_table *table;
	int64_t kept;

	assert_non_null(pass);
	assert_int_equal(reconcile_job(pass, job, NULL, NULL, NULL, NULL), 0);
	reconcile_free(pass);
	table = store_table_load(job, NULL);
	assert_non_null(table);
	kept = store_table_kept(job, table);
	assert_int_equal(table->alone, kept == -1);
	if (kept == -1)
		kept = table->asked;
	store_table_free(table);
	return kept;
}

/* The table that a pass left which asked Slurm, so many seconds after 1970. */
static void
leave_table(const struct store_job *job, int64_t seconds)
{
	const struct timespec times[] = {{seconds, 0}, {seconds, 0}};
	struct store_table *table = store_table_new(job->tasks);
	int dir;

	table->asked = 500;
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
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

/*
 * Slurm said no to an array of one task, to this one (ERROR_REFUSED) or to any;
 * or it was not asked yet (why is NULL).
 */
static void
refuse(const struct store_job *job, const char *name, uint64_t task,
    uint32_t attempt, enum error_code code, const char *why)
{
	struct store_chunk c = {.name = xstrdup(name),
	    .token = xasprintf("stfm-%s-%s", job->id, name),
	    .attempt = attempt};
	struct error no;

	idset_add(&c.tasks, task, task);
	assert_int_equal(store_intent(job, &c, NULL), 0);
	if (why != NULL) {
		error_code(&no, code, "%s", why);
		assert_int_equal(store_try(job, name, 1, NULL), 0);
		assert_int_equal(store_refusal(job, name, 1, &no, 0, NULL), 0);
	}
	store_chunk_free(&c);
}

/* The causes of four tasks, by the numbers of these. */
static void
expect_causes(
    const struct place *p, const struct store_job *job, const char *numbers)
{
	static const char *const causes[] = {"not queued yet",
	    "(not queued yet: Slurm refuses: no such node)",
	    "(not queued yet: behind blk/1, which Slurm refuses: no such node)",
	    "(not queued yet: Slurm refuses: no time)",
	    "(not queued yet: behind blk/3, which Slurm refuses: no time)",
	    "(not queued yet: MaxJobCount)"};
	struct store_table *table = fold_after_pass(p, job);
	const struct store_row *row;
	uint64_t i;

	for (i = 0; i < 4; i++) {
		row = store_table_row(table, i);
		if (numbers[i] == '-') {
			assert_int_equal(row->state, STORE_STOPPED);
			continue;
		}
		assert_int_equal(row->state, STORE_SUBMITTED);
		assert_string_equal(row->cause, causes[numbers[i] - '0']);
	}
	store_table_free(table);
}

static struct store_job *
job_of_arrays(struct place *p)
{
	struct store_job *job = place_record("blk", 4);

	job->array_size = 1;
	return place_store(p, job);
}

static void
what_is_behind_a_refusal_says_so(void **state)
{
	struct place *p = *state;
	struct store_job *job = job_of_arrays(p);

	expect_causes(p, job, "0000");
	refuse(job, "c00001.0", 1, 0, ERROR_REFUSED,
	    "Slurm refuses: no such node");
	expect_causes(p, job, "0122");
	refuse(job, "c00003.0", 3, 0, ERROR_REFUSED, "Slurm refuses: no time");
	expect_causes(p, job, "0123");
	place_wish(job, 1, 0, NULL);
	expect_causes(p, job, "0-03");
	/* Tried again, it is behind those that never were. */
	refuse(job, "c00004.0", 1, 1, ERROR_REFUSED,
	    "Slurm refuses: no such node");
	expect_causes(p, job, "0103");
	place_wish(job, 2, 0, NULL);
	refuse(job, "c00005.0", 2, 1, ERROR_REFUSED, NULL);
	expect_causes(p, job, "0143");
	store_job_free(job);
}

static void
a_limit_is_why_all_wait(void **state)
{
	struct place *p = *state;
	struct store_job *job = job_of_arrays(p);

	refuse(job, "c00001.0", 1, 0, ERROR_SILENT, "MaxJobCount");
	expect_causes(p, job, "5555");
	store_job_free(job);
}

/* ---- facts of several runs ---- */

/* One fact: "0.1.E0" of attempt 0, run 1; with "<15" it was asked to end. */
static void
publish_run(const struct store_job *job, const char *text)
{
	struct store_fact fact = {.task = 0};
	struct store_fact_body body = store_fact_body();
	unsigned attempt, restart;
	char kind[STORE_KIND];
	long long number;
	char sign;
	int n = sscanf(text, "%u.%u.%15[A-Z0-9_]%c%lld", &attempt, &restart,
	    kind, &sign, &number);

	assert_true(n == 3 || n == 5);
	fact.attempt = attempt;
	fact.restart = restart;
	snprintf(fact.kind, sizeof fact.kind, "%s", kind);
	body.slurm = xstrdup("7_0");
	body.time = 1000 + restart;
	if (n == 5 && sign == '<')
		body.asked = number;
	if (n == 5 && sign == '~')
		body.heard = number;
	assert_int_equal(store_fact_publish(job, &fact, &body, NULL), 0);
	store_fact_body_free(&body);
}

/* The state and cause of the first task after a pass. */
static char *
truth_after_pass(const struct place *p, const struct store_job *job)
{
	struct store_table *table = fold_after_pass(p, job);
	const struct store_row *row = store_table_row(table, 0);
	char *text = xasprintf("%s%s%s", store_state_name(row->state),
	    row->cause != NULL ? " " : "",
	    row->cause != NULL ? row->cause : "");

	store_table_free(table);
	return text;
}

enum { FACTS = 4 };

struct runs_case {
	const char *fact[FACTS + 1], *truth;
};

/* Publish the facts in one order, perhaps with a pass after each. */
static void
check_order(struct place *p, const struct runs_case *c,
    const size_t order[FACTS], size_t count, int passes)
{
	struct store_job *job = place_job(p, 1);
	char *truth;
	size_t i;

	for (i = 0; i < count; i++) {
		publish_run(job, c->fact[order[i]]);
		if (passes)
			free(truth_after_pass(p, job));
	}
	truth = truth_after_pass(p, job);
	if (strcmp(truth, c->truth) != 0)
		fail_msg("%s first of %s %s ...: %s, not %s", c->fact[order[0]],
		    c->fact[0], c->fact[1], truth, c->truth);
	free(truth);
	truth = truth_after_pass(p, job);
	assert_string_equal(truth, c->truth);
	free(truth);
	store_job_free(job);
}

/* All requests of the facts from the k-th on. */
static void
check_orders(struct place *p, const struct runs_case *c, size_t order[FACTS],
    size_t k, size_t count)
{
	size_t i, other;

	if (k == count) {
		check_order(p, c, order, count, 0);
		check_order(p, c, order, count, 1);
		return;
	}
	for (i = k; i < count; i++) {
		other = order[k];
		order[k] = order[i];
		order[i] = other;
		check_orders(p, c, order, k + 1, count);
		other = order[k];
		order[k] = order[i];
		order[i] = other;
	}
}

/* Whatever comes first: a run that finished by itself is not undone. */
static void
facts_of_several_runs_mean_the_same_in_any_order(void **state)
{
	static const struct runs_case cases[] = {
	    {{"0.0.S", "0.0.E0"}, "FINISHED"},
	    {{"0.0.S", "0.0.E0", "0.1.XCANCELLED"}, "FINISHED"},
	    {{"0.0.E0", "0.1.XCANCELLED"}, "FINISHED"},
	    {{"0.0.E0", "0.1.XNODE_FAIL"}, "FINISHED"},
	    {{"0.0.E0", "0.1.XLOST", "0.2.XCANCELLED"}, "FINISHED"},
	    {{"0.0.S", "0.0.E0", "0.1.S", "0.1.E1"}, "FINISHED"},
	    {{"0.0.E0", "0.1.S", "0.1.E143<15", "0.1.XTIMEOUT"}, "FINISHED"},
	    {{"0.1.E0", "0.2.XCANCELLED", "0.0.S"}, "FINISHED"},
	    {{"0.0.E1", "0.1.S", "0.1.E0", "0.2.XCANCELLED"}, "FINISHED"},
	    /* A signal came first: that is no end of a training. */
	    {{"0.0.E0<15", "0.1.S", "0.1.E1"}, "ERROR exit 1"},
	    {{"0.0.E0<15", "0.1.XCANCELLED"}, "STOPPED CANCELLED"},
	    {{"0.0.E0~10", "0.1.S", "0.1.E1"}, "ERROR exit 1"},
	    {{"0.0.E0~10", "0.1.XCANCELLED"}, "STOPPED CANCELLED"},
	    {{"0.0.E0~10", "0.0.S"}, "FINISHED"},
	    /* It was to go back, or failed. */
	    {{"0.0.E0", "0.0.Q", "0.1.XCANCELLED"}, "STOPPED CANCELLED"},
	    {{"0.0.Q", "0.1.S", "0.1.E0"}, "FINISHED"},
	    {{"0.0.E1", "0.1.XCANCELLED"}, "STOPPED CANCELLED"},
	    {{"0.0.E1", "0.1.S", "0.1.E0"}, "FINISHED"},
	    {{"0.0.XNODE_FAIL", "0.1.S", "0.1.E3"}, "ERROR exit 3"},
	    /* Another attempt is what a person asked for. */
	    {{"0.0.E0", "1.0.S", "1.0.E1"}, "ERROR exit 1"},
	    {{"0.0.E0", "0.1.XCANCELLED", "1.0.XCANCELLED"},
		"STOPPED CANCELLED"},
	};
	struct place *p = *state;
	size_t order[FACTS], i, k, count;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (count = 0; cases[i].fact[count] != NULL; count++)
			continue;
		for (k = 0; k < count; k++)
			order[k] = k;
		check_orders(p, &cases[i], order, 0, count);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		facts_of_several_runs_mean_the_same_in_any_order,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(what_is_behind_a_refusal_says_so,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_limit_is_why_all_wait, place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_pass_that_asks_nothing_had_no_answer, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		use_that_could_not_be_read_is_read_later, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_log_that_could_not_be_found_is_read_later, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_log_is_looked_for_again_where_it_may_be, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		not_each_log_that_cannot_be_read_is_named, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_log_that_cannot_be_read_is_named_once, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(use_that_cannot_be_read_is_said,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		use_that_is_damaged_is_said_and_not_taken, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		use_that_the_end_tells_is_not_looked_for, place_set_up_fast,
		place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
