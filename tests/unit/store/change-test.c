#include <stdio.h>
#include <unistd.h>

#include "../place.h"

#include "store/change.h"
#include "store/table.h"
#include "verify/verify.h"

static struct store_job *
again(const struct place *p)
{
	struct error e;
	struct store_job *job = store_job_load(p->store, "conv2d", &e);

	if (job == NULL)
		fail_msg("%s", e.text);
	return job;
}

static struct store_job *
make(const struct place *p)
{
	struct store_job_files files = {.batch = "#!/bin/sh\n"};
	struct store_job *job = place_record("conv2d", 2);

	assert_int_equal(store_job_create(p->store, job, &files, NULL), 0);
	store_job_free(job);
	return again(p);
}

/* Set the metric of a job, as store_change_add. */
static int
set(const struct store_job *job, const char *metric)
{
	struct store_change change = {.reads = 1};
	int rc;

	store_reading_of(job, &change.reading);
	free(change.reading.metric);
	change.reading.metric = xcopy(metric);
	rc = store_change_add(job, &change, NULL, NULL, NULL);
	store_reading_free(&change.reading);
	return rc;
}

/* The files of a newer copy. */
static int
fill(void *arg, int dir, struct error *e)
{
	return fs_publish(dir, "code.tsv", arg, strlen(arg), e);
}

/* Add a newer copy with this list. */
static int
copy(const struct store_job *job, const char *list)
{
	struct store_change change = {.copies = 1};
	int rc;

	change.code.fingerprint = xstrdup("f");
	change.code.root = xstrdup("/code");
	rc =
	    store_change_add(job, &change, fill, (char *)(uintptr_t)list, NULL);
	store_code_free(&change.code);
	return rc;
}

static void
changes_follow_each_other(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p), *old;
	struct error e;
	char *path;

	assert_int_equal(job->reading, 0);
	assert_int_equal(job->code.number, 0);
	assert_int_equal(set(job, "loss"), 0);
	old = job;
	job = again(p);
	assert_string_equal(job->metric, "loss");
	assert_int_equal(job->reading, 1);
	assert_int_equal(copy(job, "list\n"), 0);
	store_job_free(job);
	job = again(p);
	assert_int_equal(set(job, NULL), 0);
	/* This one was loaded before the others changed the job. */
	assert_int_equal(set(old, "late"), 1);
	assert_int_equal(copy(old, "late\n"), 1);
	store_job_free(job);
	job = again(p);
	assert_null(job->metric);
	assert_int_equal(job->reading, 3);
	assert_int_equal(job->code.number, 2);
	path = store_code_path(job, "code");
	assert_non_null(strstr(path, "/conv2d/change/2/code"));
	free(path);
	assert_int_equal(store_code_use(job, 0, NULL), 0);
	assert_null(job->code.fingerprint);
	path = store_job_place_of(job, 2);
	assert_non_null(strstr(path, "/conv2d/change/2/code"));
	free(path);
	assert_int_equal(store_code_use(job, 1, &e), -1);
	assert_int_equal(store_code_use(job, 4, &e), -1);
	assert_int_equal(e.code, ERROR_DAMAGED);
	store_job_free(job);
	store_job_free(old);
}

/* The newest labels count, and do not touch the settings. */
static void
labels_change_a_job(void **state)
{
	static const struct {
		const char *tags, *reason;
	} refused[] = {
	    {"", "''"},
	    {"a,", "''"},
	    {"a b", "'a b'"},
	    {"-a", "'-a'"},
	    {"a/b", "'a/b'"},
	    {"\303\244", "a tag has"},
	};
	struct place *p = *state;
	struct store_job *job = make(p);
	struct store_change change = {.labelled = 1};
	struct strlist none = {0};
	char *text, *longest = xcalloc(66, 1);
	struct error e;
	size_t i;

	store_labels_of(job, &change.labels);
	assert_true(store_labels_same(job, &change.labels));
	assert_int_equal(store_tags_add(&change.labels.tags, "b,a,b", NULL), 0);
	change.labels.description = xstrdup("first try");
	assert_false(store_labels_same(job, &change.labels));
	assert_int_equal(store_change_add(job, &change, NULL, NULL, NULL), 0);
	store_job_free(job);
	job = again(p);
	assert_string_equal(job->description, "first try");
	assert_true(store_labels_same(job, &change.labels));
	assert_int_equal(job->reading, 0);
	text = strlist_join(&job->tags, " ");
	assert_string_equal(text, "b a");
	free(text);
	assert_int_equal(store_tags_drop(&change.labels.tags, "b,zz", NULL), 0);
	free(change.labels.description);
	change.labels.description = NULL;
	assert_int_equal(store_change_add(job, &change, NULL, NULL, NULL), 0);
	store_job_free(job);
	job = again(p);
	assert_null(job->description);
	assert_int_equal(job->tags.count, 1);
	assert_string_equal(job->tags.word[0], "a");
	for (i = 0; i < sizeof refused / sizeof *refused; i++) {
		assert_int_equal(
		    store_tags_add(&none, refused[i].tags, &e), -1);
		assert_non_null(strstr(e.text, refused[i].reason));
	}
	memset(longest, 'x', 65);
	assert_int_equal(store_tags_add(&none, longest, &e), -1);
	longest[64] = '\0';
	assert_int_equal(store_tags_add(&none, longest, &e), 0);
	change.labels.description = xstrdup("\377");
	assert_int_equal(store_change_add(job, &change, NULL, NULL, &e), -1);
	assert_non_null(strstr(e.text, "description"));
	free(longest);
	strlist_free(&none);
	store_labels_free(&change.labels);
	store_job_free(job);
}

/* A table by other settings has the states, but nothing of the logs. */
static void
a_table_by_other_settings_is_read_again(void **state)
{
	struct place *p = *state;
	struct store_job *old = make(p), *job;
	struct store_table *table = store_table_new(2);
	struct store_row *row = store_table_edit(table, 1);

	row->state = STORE_FINISHED;
	row->facts = STORE_HAS_S | STORE_HAS_E;
	row->metrics_path = xstrdup("/log");
	row->metrics.offset = 9;
	row->metrics.has_best = 1;
	table->summary.known = 1;
	assert_int_equal(store_table_publish(old, table, NULL), 0);
	store_table_free(table);
	table = store_table_load(old, NULL);
	assert_false(table->is_reread);
	assert_int_equal(store_table_brief(table, 1).facts & STORE_DUE, 0);
	store_table_free(table);
	assert_int_equal(set(old, "loss"), 0);
	job = again(p);
	table = store_table_load(job, NULL);
	assert_true(table->is_reread && !table->summary.known);
	assert_int_equal(
	    store_table_brief(table, 1).facts & STORE_DUE, STORE_LOG_DUE);
	row = store_table_edit(table, 1);
	assert_int_equal(row->state, STORE_FINISHED);
	assert_null(row->metrics_path);
	assert_false(row->metrics.has_best);
	/* An unchanged row must not go back with its old values. */
	store_table_undo(table, 1);
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
	table = store_table_load(job, NULL);
	assert_false(table->is_reread);
	assert_null(store_table_row(table, 1)->metrics_path);
	store_table_free(table);
	/* A program that knows the old settings publishes no table. */
	table = store_table_load(old, NULL);
	assert_true(table->is_reread && table->is_long);
	assert_int_equal(store_table_publish(old, table, NULL), 1);
	store_table_free(table);
	store_job_free(job);
	store_job_free(old);
}

static void
write_over(const struct store_job *job, const char *name)
{
	char *path = fs_join(job->path, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs("{}\n", f);
	assert_int_equal(fclose(f), 0);
	free(path);
}

static void
a_damaged_change_is_named_and_repaired(void **state)
{
	char *names[] = {(char *)(uintptr_t) "conv2d"};
	struct place *p = *state;
	struct store_job *job = make(p);
	struct verify_findings found;
	struct strlist said = {0};
	struct error e;

	assert_int_equal(copy(job, "list\n"), 0);
	write_over(job, "change/1/change.json");
	assert_null(store_job_load(p->store, "conv2d", &e));
	assert_int_equal(e.code, ERROR_DAMAGED);
	assert_non_null(strstr(e.text, "change/1/change.json"));
	assert_int_equal(verify_store(p->store, names, 1, &found, NULL), 0);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.item[0].kind, FINDING_CHANGE);
	assert_int_equal(repair_store(&found, NULL, &said, NULL), 0);
	verify_findings_free(&found);
	assert_non_null(strstr(said.word[0], "again from its copy"));
	strlist_free(&said);
	store_job_free(job);
	job = again(p);
	assert_int_equal(job->code.number, 1);
	assert_non_null(job->code.fingerprint);
	store_job_free(job);
}

/* A lost change is none that somebody else has added. */
static void
a_change_that_is_gone_is_missed(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p), *more;
	struct error e;
	int dir;

	assert_int_equal(set(job, "a"), 0);
	more = again(p);
	assert_int_equal(set(more, "b"), 0);
	dir = fs_open_subdir(job->dir, "change", 0, NULL);
	assert_int_equal(fs_remove_tree(dir, "1", NULL), 0);
	fs_close(dir);
	assert_null(store_job_load(p->store, "conv2d", &e));
	assert_int_equal(e.code, ERROR_DAMAGED);
	assert_non_null(strstr(e.text, "change/1/change.json: damaged"));
	store_job_free(more);
	store_job_free(job);
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown( \
	    name, place_set_up_fast, place_tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(changes_follow_each_other),
	    TEST(labels_change_a_job),
	    TEST(a_table_by_other_settings_is_read_again),
	    TEST(a_damaged_change_is_named_and_repaired),
	    TEST(a_change_that_is_gone_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
