#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "../fs-faults.h"
#include "../place.h"

#include "control/chunk.h"
#include "job/points.h"
#include "store/chunk.h"
#include "store/extension.h"
#include "store/table.h"
#include "verify/verify.h"

static struct store_job *
again(const struct place *p, const char *name)
{
	struct error e;
	struct store_job *job = store_job_load(p->store, name, &e);

	if (job == NULL)
		fail_msg("%s", e.text);
	return job;
}

/* A job of the points x=0, x=1 and so on, which are kept. */
static struct store_job *
make(const struct place *p, const char *name, uint64_t tasks)
{
	struct store_job_files files = {.batch = "#!/bin/sh\n"};
	struct store_job *job = place_record(name, tasks);
	char *points = NULL;
	uint64_t i;
	FILE *f = xmemopen(&points, &files.points_length);

	strlist_push(&job->names, "x");
	fputs("x\n", f);
	for (i = 0; i < tasks; i++)
		fprintf(f, "%d\n", (int)i);
	xmemclose(f);
	files.points = points;
	job->points_kept = 1;
	job->fingerprint = job_points_fingerprint(points, files.points_length);
	assert_int_equal(store_job_create(p->store, job, &files, NULL), 0);
	free(points);
	return job;
}

/* Add these points, a line each, and drop these tasks: as store_extend. */
static int
extend(const struct store_job *job, const char *lines, uint64_t count,
    const char *dropped)
{
	struct store_extension x = {
	    .first = job->tasks, .tasks = job->tasks + count};
	char *points = xasprintf("x\n%s", lines);
	size_t length = strlen(points);
	int rc;

	if (*dropped != '\0')
		assert_int_equal(idset_parse(&x.dropped, dropped, NULL), 0);
	x.added = job_points_fingerprint(points, length);
	x.fingerprint = xstrdup("0123456789abcdef");
	rc = store_extend(job, &x, count > 0 ? points : NULL, length, NULL);
	idset_free(&x.dropped);
	free(x.fingerprint);
	free(x.added);
	free(points);
	return rc;
}

/* The values of x, "0 1 2 a b", by all points and by few of them. */
static void
see_points(const struct store_job *job, const char *expected)
{
	struct job_points *all = job_points_open(job, NULL);
	struct job_points *few = job_points_open_few(job, NULL);
	char *text = NULL;
	size_t length;
	uint64_t i;
	FILE *f = xmemopen(&text, &length);

	assert_non_null(all);
	for (i = 0; i < job->tasks; i++) {
		const char *const *value = job_points_get(few, i, NULL);

		assert_non_null(value);
		fprintf(f, "%s%s", i > 0 ? " " : "", value[0]);
		value = job_points_get(all, i, NULL);
		assert_non_null(value);
	}
	xmemclose(f);
	assert_string_equal(text, expected);
	assert_null(job_points_get(all, job->tasks, NULL));
	free(text);
	job_points_free(all);
	job_points_free(few);
}

/* The names of the chunks and their tasks. */
static void
see_chunks(const struct store_job *job, const char *expected)
{
	struct store_chunks chunks;
	char *text = NULL, *tasks;
	size_t length, i;
	FILE *f = xmemopen(&text, &length);

	job_chunks(job, &chunks);
	assert_int_equal(chunks.count, job_chunk_count(job));
	for (i = 0; i < chunks.count; i++) {
		tasks = idset_text(&chunks.chunk[i].tasks);
		fprintf(f, "%s %s\n", chunks.chunk[i].name, tasks);
		free(tasks);
	}
	xmemclose(f);
	assert_string_equal(text, expected);
	store_chunks_free(&chunks);
	free(text);
}

static void
new_tasks_come_behind_the_last(void **state)
{
	struct place *p = *state;
	struct store_job *old = make(p, "conv2d", 3), *job;

	old->array_size = 2;
	see_chunks(old, "c00000.0 0-1\nc00001.0 2\n");
	assert_null(store_job_dropped(old));
	assert_int_equal(extend(old, "a\nb\nc\n", 3, "0,2"), 0);
	job = again(p, "conv2d");
	assert_int_equal(job->tasks, 6);
	assert_int_equal(store_job_first_tasks(job), 3);
	assert_int_equal(idset_size(store_job_dropped(job)), 2);
	see_points(job, "0 1 2 a b c");
	assert_int_equal(extend(job, "d\n", 1, ""), 0);
	store_job_free(job);
	job = again(p, "conv2d");
	assert_null(store_job_dropped(job));
	see_points(job, "0 1 2 a b c d");
	job->array_size = 2;
	see_chunks(job,
	    "c00000.0 0-1\nc00001.0 2\n"
	    "x00001-00000.0 3-4\nx00001-00001.0 5\nx00002-00000.0 6\n");
	assert_int_equal(job_chunk_first_count(job), 2);
	store_job_free(job);
	store_job_free(old);
}

static void
of_two_at_once_one_changes_the_points(void **state)
{
	struct place *p = *state;
	struct store_job *old = make(p, "conv2d", 1), *job;

	assert_int_equal(extend(old, "a\n", 1, ""), 0);
	assert_int_equal(extend(old, "b\n", 1, ""), 1);
	job = again(p, "conv2d");
	see_points(job, "0 a");
	assert_int_equal(extend(job, "b\n", 1, "0"), 0);
	assert_int_equal(extend(job, "", 0, "1"), 1);
	store_job_free(job);
	job = again(p, "conv2d");
	see_points(job, "0 a b");
	store_job_free(job);
	store_job_free(old);
}

/* A table made before, one made after, and the facts that each has taken in. */
static void
a_table_of_fewer_or_more_tasks_is_whole(void **state)
{
	struct place *p = *state;
	struct store_job *old = make(p, "conv2d", 2), *job;
	struct store_table *table = store_table_new(2);

	store_table_edit(table, 1)->state = STORE_FINISHED;
	strlist_push(&table->packs, "p.1.jsonl");
	table->summary.known = 1;
	assert_int_equal(store_table_publish(old, table, NULL), 0);
	store_table_free(table);
	assert_int_equal(extend(old, "a\nb\n", 2, ""), 0);
	job = again(p, "conv2d");
	table = store_table_load(job, NULL);
	assert_int_equal(table->damaged.count, 0);
	assert_true(table->is_short && !table->summary.known);
	assert_int_equal(table->packs.count, 0);
	assert_int_equal(store_table_state(table, 1), STORE_FINISHED);
	assert_int_equal(store_table_state(table, 3), STORE_SUBMITTED);
	store_table_edit(table, 3)->state = STORE_ERROR;
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
	table = store_table_load(old, NULL);
	assert_int_equal(table->damaged.count, 0);
	assert_true(table->is_long);
	assert_int_equal(table->in_state[STORE_FINISHED], 1);
	assert_int_equal(table->in_state[STORE_ERROR], 0);
	assert_int_equal(store_table_publish(old, table, NULL), 1);
	store_table_free(table);
	table = store_table_load(job, NULL);
	assert_int_equal(table->in_state[STORE_ERROR], 1);
	store_table_free(table);
	store_job_free(job);
	store_job_free(old);
}

/* Turn a bit in the middle of a file of the job. */
static void
damage(const struct store_job *job, const char *name)
{
	char *path = fs_join(job->path, name), *bytes;
	size_t length;
	FILE *f;

	assert_int_equal(fs_read_path(path, 1 << 20, &bytes, &length, NULL), 0);
	bytes[length / 2] ^= 4;
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, length, f), length);
	assert_int_equal(fclose(f), 0);
	free(bytes);
	free(path);
}

static void
remove_file(const struct store_job *job, const char *name)
{
	char *path = fs_join(job->path, name);

	assert_int_equal(unlink(path), 0);
	free(path);
}

/* How many files of the job are found to be damaged, of which this is one. */
static void
see_damage(const struct place *p, const char *name, const char *path)
{
	char *names[] = {(char *)(uintptr_t)name};
	struct verify_findings found;
	size_t i, seen = 0;

	assert_int_equal(verify_store(p->store, names, 1, &found, NULL), 0);
	for (i = 0; i < found.count; i++)
		seen += found.item[i].kind != FINDING_NOTE &&
		    strstr(found.item[i].path, path) != NULL;
	assert_int_equal(seen, *path != '\0');
	verify_findings_free(&found);
}

static void
damage_to_an_extension_is_named(void **state)
{
	static const char *const files[] = {"points.tsv", "points.idx"};
	struct place *p = *state;
	struct store_job *job;
	struct error e;
	char name[] = "job0", *file;
	size_t i;

	for (i = 0; i < 2; i++, name[3]++) {
		job = make(p, name, 2);
		assert_int_equal(extend(job, "a\nb\n", 2, "0"), 0);
		see_damage(p, name, "");
		file = xasprintf("ext/1/%s", files[i]);
		damage(job, file);
		see_damage(p, name, file);
		free(file);
		store_job_free(job);
	}
	job = make(p, name, 2);
	assert_int_equal(extend(job, "a\nb\n", 2, "0"), 0);
	damage(job, "ext/1/ext.json");
	see_damage(p, name, "/ext/1/ext.json");
	assert_null(store_job_load(p->store, name, &e));
	assert_int_equal(e.code, ERROR_DAMAGED);
	assert_non_null(strstr(e.text, "ext.json"));
	store_job_free(job);
}

/* What is not there has not been added by somebody else. */
static void
an_extension_that_is_gone_is_missed(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 1), *more;
	struct error e;
	int dir;

	assert_int_equal(extend(job, "a\n", 1, ""), 0);
	more = again(p, "conv2d");
	assert_int_equal(extend(more, "b\n", 1, ""), 0);
	dir = fs_open_subdir(job->dir, "ext", 0, NULL);
	assert_int_equal(fs_remove_tree(dir, "1", NULL), 0);
	fs_close(dir);
	assert_null(store_job_load(p->store, "conv2d", &e));
	assert_int_equal(e.code, ERROR_DAMAGED);
	store_job_free(more);
	store_job_free(job);
}

/* Repair the job until nothing is left; what was said, to free. */
static char *
repair(const struct place *p, const char *name)
{
	char *names[] = {(char *)(uintptr_t)name}, *text;
	struct verify_findings found;
	struct strlist said = {0};

	assert_int_equal(verify_store(p->store, names, 1, &found, NULL), 0);
	assert_int_equal(repair_store(&found, NULL, &said, NULL), 0);
	verify_findings_free(&found);
	text = strlist_join(&said, "\n");
	strlist_free(&said);
	return text;
}

/* A file of the job that lies in lost/ now. */
static int
is_kept(const struct place *p, const char *name, const char *path)
{
	int lost = fs_open_subdir(p->store->dir, "lost", 0, NULL), found = 0;
	struct fs_names names;
	char *file;

	assert_int_equal(fs_list(lost, &names, NULL), 0);
	while (names.count > 0) {
		file = xasprintf("%s/lost/%s/jobs/%s/%s", p->path,
		    names.name[--names.count], name, path);
		found |= fs_exists(file);
		free(names.name[names.count]);
		free(file);
	}
	free(names.name);
	fs_close(lost);
	return found;
}

/* ext/1: drops 0 and adds two points; ext/2: drops 1, too, and adds one. */
static struct store_job *
make_changed(const struct place *p, const char *name)
{
	struct store_job *first = make(p, name, 2), *second;

	assert_int_equal(extend(first, "a\nb\n", 2, "0"), 0);
	second = again(p, name);
	assert_int_equal(extend(second, "c\n", 1, "0-1"), 0);
	store_job_free(second);
	return first;
}

static void
a_damaged_change_is_made_again(void **state)
{
	static const struct {
		const char *damaged[2], *said;
		uint64_t dropped;
	} rows[] = {
	    {{"ext/1/ext.json"}, "the points it added are tasks 2-3", 2},
	    {{"ext/2/ext.json"}, "jobs/job1: say again which points", 1},
	    {{"ext/1/ext.json", "ext/2/ext.json"}, "and which points", 0},
	    {{"ext/2/ext.json", "ext/2/points.idx"}, "are tasks 4", 1},
	    {{"ext/2/ext.json"}, "ext/2/ext.json: moved aside, and made", 1},
	};
	struct place *p = *state;
	char name[] = "job0", *said;
	struct store_job *job;
	const struct idset *dropped;
	size_t i, k;

	for (i = 0; i < sizeof rows / sizeof *rows; i++, name[3]++) {
		job = make_changed(p, name);
		if (rows[i].damaged[1] != NULL &&
		    strstr(rows[i].damaged[1], ".idx") != NULL)
			remove_file(job, rows[i].damaged[1]);
		else if (rows[i].damaged[1] != NULL)
			damage(job, rows[i].damaged[1]);
		damage(job, rows[i].damaged[0]);
		store_job_free(job);
		said = repair(p, name);
		if (strstr(said, rows[i].said) == NULL)
			fail_msg("%s", said);
		free(said);
		for (k = 0; k < 2 && rows[i].damaged[k] != NULL; k++)
			if (strstr(rows[i].damaged[k], ".json") != NULL)
				assert_true(
				    is_kept(p, name, rows[i].damaged[k]));
		job = again(p, name);
		see_points(job, "0 1 a b c");
		dropped = store_job_dropped(job);
		assert_int_equal(
		    dropped != NULL ? idset_size(dropped) : 0, rows[i].dropped);
		assert_int_equal(extend(job, "d\n", 1, ""), 0);
		store_job_free(job);
		see_damage(p, name, "");
	}
}

static void
a_record_that_is_gone_was_not_moved(void **state)
{
	struct place *p = *state;
	struct store_job *job = make_changed(p, "job0");
	char *said;

	remove_file(job, "ext/1/ext.json");
	said = repair(p, "job0");
	assert_non_null(
	    strstr(said, "ext/1/ext.json: was not there: made again"));
	assert_null(strstr(said, "aside"));
	free(said);
	store_job_free(job);
	see_damage(p, "job0", "");
}

/* Its points are lost with it, but no other gets the numbers of its tasks. */
static void
a_change_that_is_gone_keeps_its_tasks(void **state)
{
	struct place *p = *state;
	struct store_chunk c = {.name = "x00002-00000.0", .token = "t"};
	struct store_job *job, *whole;
	char name[] = "job0", *said;
	int i, ext;

	for (i = 0; i < 2; i++, name[3]++) {
		job = make_changed(p, name);
		whole = again(p, name);
		idset_add(&c.tasks, 4, 4);
		assert_int_equal(store_intent(whole, &c, NULL), 0);
		idset_free(&c.tasks);
		store_job_free(whole);
		ext = fs_open_subdir(job->dir, "ext", 0, NULL);
		assert_int_equal(
		    fs_remove_tree(ext, i == 0 ? "1" : "2", NULL), 0);
		if (i == 1) /* a file is where a directory was */
			assert_int_equal(
			    fs_publish(ext, "2", "x\n", 2, NULL), 0);
		fs_close(ext);
		said = repair(p, name);
		assert_non_null(strstr(said,
		    i == 0 ? "ext/1/ext.json: was not there: made again"
			   : "ext/2/ext.json: moved aside, and made again"));
		free(said);
		store_job_free(job);
		job = again(p, name);
		assert_int_equal(job->tasks, 5);
		see_damage(
		    p, name, i == 0 ? "ext/1/points.tsv" : "ext/2/points.tsv");
		store_job_free(job);
	}
}

/* Let the n-th call fail, as on a server in trouble. */
static void
begin_failing(int n)
{
	real = fs_ops;
	fault.calls = 0;
	fault.at = n;
	fault.error = EIO;
	fs_ops.openat = bad_openat;
	fs_ops.read = bad_read;
	fs_ops.write = bad_write;
	fs_ops.fsync = bad_fsync;
	fs_ops.linkat = bad_linkat;
	fs_ops.renameat = bad_renameat;
	fs_ops.mkdirat = bad_mkdirat;
	fs_ops.fstat = bad_fstat;
	fs_ops.readdir = bad_readdir;
}

/* What cannot be read or written now is not taken for lost. */
static void
no_call_that_fails_loses_points(void **state)
{
	struct place *p = *state;
	struct verify_findings found;
	struct store_job *job;
	struct strlist said;
	char *name;
	int n, reached = 1;

	/* What is read first matters most; later the table is made again. */
	for (n = 1; reached; n += 1 + n / 15) {
		name = xasprintf("job%d", n);
		store_job_free(make_changed(p, name));
		job = again(p, name);
		damage(job, "ext/1/ext.json");
		damage(job, "ext/2/ext.json");
		store_job_free(job);
		assert_int_equal(
		    verify_store(p->store, &name, 1, &found, NULL), 0);
		said = (struct strlist){0};
		begin_failing(n);
		repair_store(&found, NULL, &said, NULL);
		reached = fault.calls >= n;
		fs_ops = real;
		strlist_free(&said);
		verify_findings_free(&found);
		free(repair(p, name));
		job = again(p, name);
		see_points(job, "0 1 a b c");
		see_damage(p, name, "");
		store_job_free(job);
		free(name);
	}
	assert_in_range(n, 40, 1000);
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown( \
	    name, place_set_up_fast, place_tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(new_tasks_come_behind_the_last),
	    TEST(of_two_at_once_one_changes_the_points),
	    TEST(a_table_of_fewer_or_more_tasks_is_whole),
	    TEST(damage_to_an_extension_is_named),
	    TEST(an_extension_that_is_gone_is_missed),
	    TEST(a_damaged_change_is_made_again),
	    TEST(a_record_that_is_gone_was_not_moved),
	    TEST(a_change_that_is_gone_keeps_its_tasks),
	    TEST(no_call_that_fails_loses_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
