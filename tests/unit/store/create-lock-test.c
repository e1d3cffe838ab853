#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "../place.h"

#include "store/chunk.h"
#include "store/create-lock.h"
#include "sys/proc.h"

/*
 * Jobs of which there may be one: each looks for the others when it may, as
 * stfm-import does.  At one call another program does the whole of the same,
 * or the one that called is killed.
 */
static struct fs_ops real;
static struct {
	struct place *p;
	int at, calls;
	int killed; /* then every call after that one fails */
	int second; /* what the other program got: -2 before */
} setting;

static int
has_job(const char *begin)
{
	struct fs_names names;
	int found = 0;
	size_t i;

	if (store_jobs(setting.p->store, &names, NULL) == -1)
		return -1;
	for (i = 0; i < names.count; i++)
		found += strncmp(names.name[i], begin, strlen(begin)) == 0;
	fs_names_free(&names);
	return found;
}

static int
admit(void *arg, struct error *e)
{
	(void)arg;
	return has_job("only") ? error_set(e, "there is one") : 0;
}

static int
create_by(store_create_admit *by, const char *name, struct error *e)
{
	struct store_job_files files = {.batch = "#!/bin/sh\n", .admit = by};
	struct store_job *job = place_record(name, 1);
	int rc = store_job_create(setting.p->store, job, &files, e);

	store_job_free(job);
	return rc;
}

static int
create(const char *name)
{
	return create_by(admit, name, NULL);
}

/* Whether this call is the one that fails. */
static int
happens(void)
{
	struct fs_ops here = fs_ops;

	if (++setting.calls < setting.at)
		return 0;
	if (setting.killed) {
		errno = EIO;
		return 1;
	}
	if (setting.calls == setting.at) {
		fs_ops = real;
		setting.second = create("only-2");
		fs_ops = here;
	}
	return 0;
}

static int
odd_renameat(int a, const char *old, int b, const char *new)
{
	return happens() ? -1 : real.renameat(a, old, b, new);
}

static int
odd_mkdirat(int dir, const char *name, mode_t mode)
{
	return happens() ? -1 : real.mkdirat(dir, name, mode);
}

static int
odd_unlinkat(int dir, const char *name, int flags)
{
	return happens() ? -1 : real.unlinkat(dir, name, flags);
}

static int
odd_openat(int dir, const char *name, int flags, mode_t mode)
{
	return happens() ? -1 : real.openat(dir, name, flags, mode);
}

/* The directory cannot be written: once, or from then on. */
static int
odd_fsync(int fd)
{
	setting.calls++;
	if (setting.calls == setting.at ||
	    (setting.killed && setting.calls > setting.at)) {
		errno = EIO;
		return -1;
	}
	return real.fsync(fd);
}

/* Make one while that happens at the n-th call: as create. */
static int
create_while(struct place *p, int n, int killed)
{
	int rc;

	setting.p = p;
	setting.at = n;
	setting.calls = 0;
	setting.killed = killed;
	setting.second = -2;
	real = fs_ops;
	fs_ops.renameat = odd_renameat;
	fs_ops.mkdirat = odd_mkdirat;
	fs_ops.unlinkat = odd_unlinkat;
	fs_ops.openat = odd_openat;
	rc = create("only-1");
	fs_ops = real;
	return rc;
}

static void
remove_all(const struct place *p)
{
	store_remove(p->store, "only-1", NULL, NULL);
	assert_int_equal(fs_remove_tree(p->store->dir, "jobs", NULL), 0);
	fs_close(fs_open_subdir(p->store->dir, "jobs", 1, NULL));
}

/* All that is in jobs/, with what nobody is to see. */
static size_t
left_over(const struct place *p)
{
	int jobs = fs_open_subdir(p->store->dir, "jobs", 0, NULL);
	struct fs_names names;
	size_t count;

	assert_int_equal(
	    fs_list_kind(jobs, FS_HIDDEN, SIZE_MAX, &names, NULL), 0);
	count = names.count;
	fs_names_free(&names);
	fs_close(jobs);
	return count;
}

static void
of_two_at_once_one_is_there(void **state)
{
	struct place *p = *state;
	int n, rc, first = 0, second = 0;

	store_create_patience = 0;
	for (n = 1; n == 1 || setting.calls >= n - 1; n++) {
		rc = create_while(p, n, 0);
		assert_int_equal(has_job("only"), 1);
		assert_int_equal(rc == 0, has_job("only-1"));
		if (setting.second != -2)
			assert_int_equal(
			    setting.second == 0, has_job("only-2"));
		assert_int_equal(left_over(p), 0);
		first += rc == 0;
		second += setting.second == 0;
		remove_all(p);
	}
	assert_in_range(n, 20, 500);
	assert_in_range(second, 10, n);
	assert_in_range(first, 1, n);
}

static void
one_that_was_killed_bars_nobody(void **state)
{
	struct place *p = *state;
	int n, rc, there, reached = 1;

	store_create_patience = 0;
	for (n = 1; reached; n++) {
		rc = create_while(p, n, 1);
		reached = setting.calls >= n;
		there = has_job("only-1");
		assert_true(rc == -1 ? 1 : there);
		assert_int_equal(create("only-2") == 0, !there);
		assert_int_equal(has_job("only"), 1);
		assert_int_equal(create("only-3"), -1);
		remove_all(p);
	}
	assert_in_range(n, 20, 500);
}

/* As one that is looked over, and as any other. */
static void
sync_badly(struct place *p, store_create_admit *by)
{
	int n, reached = 1, rc;

	for (n = 2; reached; n++) {
		setting.at = n / 2;
		setting.killed = n % 2;
		setting.calls = 0;
		real = fs_ops;
		fs_ops.fsync = odd_fsync;
		rc = create_by(by, "only-1", NULL);
		fs_ops = real;
		reached = setting.calls >= setting.at;
		assert_int_equal(rc == 0, has_job("only-1"));
		assert_int_equal(left_over(p), 0);
		remove_all(p);
	}
	assert_in_range(n, 10, 500);
}

static void
what_cannot_be_synced_is_not_seen(void **state)
{
	setting.p = *state;
	sync_badly(*state, admit);
	sync_badly(*state, NULL);
}

/* It is done, and that is not told: once, or from then on of no other. */
static int
mute_renameat(int a, const char *old, int b, const char *new)
{
	setting.calls++;
	if (setting.calls > setting.at && setting.killed) {
		errno = EIO;
		return -1;
	}
	if (real.renameat(a, old, b, new) == -1)
		return -1;
	errno = EIO;
	return setting.calls == setting.at ? -1 : 0;
}

static void
rename_badly(struct place *p, store_create_admit *by)
{
	int n, reached = 1, rc, there = 0;
	struct error e;

	for (n = 2; reached; n++) {
		setting.at = n / 2;
		setting.killed = n % 2;
		setting.calls = 0;
		e.text[0] = '\0';
		real = fs_ops;
		fs_ops.renameat = mute_renameat;
		rc = create_by(by, "only-1", &e);
		fs_ops = real;
		reached = setting.calls >= setting.at;
		assert_int_equal(rc == 0 ||
			strstr(e.text, "only-1: it is in the store") == e.text,
		    has_job("only-1"));
		if (setting.killed && rc != 0)
			there += has_job("only-1");
		else if (rc != 0)
			assert_int_equal(left_over(p), 0);
		remove_all(p);
	}
	assert_int_equal(there, 1);
}

static void
what_cannot_be_taken_back_is_said_to_be_there(void **state)
{
	setting.p = *state;
	rename_badly(*state, admit);
	rename_badly(*state, NULL);
}

/* Somebody begins to queue it, as soon as it is seen. */
static int
late_fsync(int fd)
{
	struct store_chunk chunk = {.name = "0-0.1", .token = "t"};
	struct store_job *job =
	    store_job_load(setting.p->store, "only-1", NULL);

	if (job == NULL)
		return real.fsync(fd);
	fs_ops = real;
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	store_job_free(job);
	errno = EIO;
	return -1;
}

static void
what_others_queue_is_not_taken_back(void **state)
{
	struct error e;

	setting.p = *state;
	real = fs_ops;
	fs_ops.fsync = late_fsync;
	assert_int_equal(create_by(NULL, "only-1", &e), -1);
	fs_ops = real;
	assert_int_equal(e.code, ERROR_EXISTS);
	assert_ptr_equal(strstr(e.text, "only-1: it is in the store"), e.text);
	assert_int_equal(has_job("only-1"), 1);
}

/* The disk goes as the job gets its name: nobody can say whether it has it. */
static int
no_fstatat(int dir, const char *name, struct stat *st, int flags)
{
	(void)dir, (void)name, (void)st, (void)flags;
	errno = EIO;
	return -1;
}

static int
last_renameat(int from, const char *old, int to, const char *new)
{
	(void)from, (void)old, (void)to, (void)new;
	fs_ops.fstatat = no_fstatat;
	errno = EIO;
	return -1;
}

static void
what_nobody_knows_is_not_said_to_be_there(void **state)
{
	struct error e;

	setting.p = *state;
	real = fs_ops;
	fs_ops.renameat = last_renameat;
	assert_int_equal(create_by(NULL, "only-1", &e), -1);
	assert_int_equal(e.code, ERROR_MAY_EXIST);
	fs_ops = real;
	assert_ptr_equal(strstr(e.text, "only-1: stfm-status shows"), e.text);
	assert_int_equal(has_job("only-1"), 0);
}

static void
a_name_that_is_taken_is_told(void **state)
{
	struct place *p = *state;

	setting.p = p;
	store_job_free(place_store(p, place_record("other", 1)));
	assert_int_equal(create("other"), 1);
	assert_int_equal(left_over(p), 0);
	assert_int_equal(create("only-1"), 0);
	assert_int_equal(create("only-1"), -1);
	assert_int_equal(left_over(p), 0);
}

/* Whoever is only slow is put aside, and comes in later. */
static int
slow_admit(void *arg, struct error *e)
{
	int *times = arg;

	if ((*times)++ == 0)
		assert_int_equal(create("only-2"), 0);
	return admit(NULL, e);
}

static int
slow_stranger(void *arg, struct error *e)
{
	int *times = arg;

	(void)e;
	if ((*times)++ == 0)
		assert_int_equal(create("only-1"), 0);
	return 0;
}

static void
one_that_is_slow_begins_again(void **state)
{
	struct place *p = *state;
	int times = 0;
	struct store_job_files files = {
	    .batch = "#!/bin/sh\n", .admit = slow_stranger, .arg = &times};
	struct store_job *job = place_record("other", 1);

	setting.p = p;
	store_create_patience = 0;
	assert_int_equal(store_job_create(p->store, job, &files, NULL), 0);
	assert_int_equal(times, 2);
	assert_int_equal(has_job("other"), 1);
	assert_int_equal(has_job("only-1"), 1);
	store_job_free(job);
	remove_all(p);

	times = 0;
	files.admit = slow_admit;
	job = place_record("only-3", 1);
	assert_int_equal(store_job_create(p->store, job, &files, NULL), -1);
	assert_int_equal(has_job("only"), 1);
	assert_int_equal(left_over(p), 0);
	store_job_free(job);
}

/* One takes long, and is put aside; the second time another is on its way. */
static int
long_admit(void *arg, struct error *e)
{
	const struct timespec nap = {0, 50000000};
	int *times = arg, jobs;

	(void)e;
	nanosleep(&nap, NULL);
	if ((*times)++ > 0)
		return 0;
	jobs = fs_open_subdir(setting.p->store->dir, "jobs", 0, NULL);
	assert_int_equal(create("only-1"), 0);
	assert_int_equal(mkdirat(jobs, ".new.alone", 0700), 0);
	assert_int_equal(mkdirat(jobs, ".new.alone/another", 0700), 0);
	fs_close(jobs);
	return 0;
}

static void
others_may_take_as_long_as_oneself(void **state)
{
	struct place *p = *state;
	int times = 0;
	struct store_job_files files = {
	    .batch = "#!/bin/sh\n", .admit = long_admit, .arg = &times};
	struct store_job *job = place_record("other", 1);
	int64_t begun = proc_clock();

	setting.p = p;
	store_create_patience = 0;
	assert_int_equal(store_job_create(p->store, job, &files, NULL), 0);
	assert_int_equal(times, 2);
	assert_true(proc_clock() - begun >= 200);
	store_job_free(job);
}

/* Whoever is put aside each time. */
static int
late_admit(void *arg, struct error *e)
{
	char name[] = "other-1";

	(void)e;
	name[6] = (char)('1' + (*(int *)arg)++);
	assert_int_equal(create(name), 0);
	return 0;
}

static void
one_that_is_always_late_is_told_to_try_again(void **state)
{
	struct place *p = *state;
	int times = 0;
	struct store_job_files files = {
	    .batch = "#!/bin/sh\n", .admit = late_admit, .arg = &times};
	struct store_job *job = place_record("only", 1);
	struct error e;

	setting.p = p;
	store_create_patience = 0;
	assert_int_equal(store_job_create(p->store, job, &files, &e), -1);
	assert_int_equal(e.code, ERROR_LATER);
	assert_string_equal(e.text,
	    "only: not stored: others are at the same time, or what they do "
	    "takes too long: try again");
	assert_int_equal(times, 3);
	assert_int_equal(has_job("only"), 0);
	assert_int_equal(left_over(p), 0);
	store_job_free(job);
}

int
main(void)
{
#define TEST(name) \
	cmocka_unit_test_setup_teardown( \
	    name, place_set_up_fast, place_tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(of_two_at_once_one_is_there),
	    TEST(one_that_was_killed_bars_nobody),
	    TEST(what_cannot_be_synced_is_not_seen),
	    TEST(what_cannot_be_taken_back_is_said_to_be_there),
	    TEST(what_others_queue_is_not_taken_back),
	    TEST(what_nobody_knows_is_not_said_to_be_there),
	    TEST(a_name_that_is_taken_is_told),
	    TEST(one_that_is_slow_begins_again),
	    TEST(others_may_take_as_long_as_oneself),
	    TEST(one_that_is_always_late_is_told_to_try_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
