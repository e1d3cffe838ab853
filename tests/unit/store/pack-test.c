#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../place.h"
#include "base/xalloc.h"
#include "store/directory.h"
#include "store/facts.h"
#include "store/job.h"
#include "store/pack.h"
#include "store/store.h"

/* ---- facts whose content follows from their names ---- */

static int64_t
time_of(const struct store_fact *f)
{
	return (int64_t)f->task * 10 + f->kind[0];
}

static void
publish(const struct store_job *job, uint64_t task, const char *kind)
{
	struct store_fact f = {.task = task};
	struct store_fact_body b = store_fact_body();
	struct error e;

	strcpy(f.kind, kind);
	b.time = time_of(&f);
	if (store_fact_publish(job, &f, &b, &e) != 0)
		fail_msg("%s", e.text);
}

/* A start and an end for each task. */
static void
publish_all(const struct store_job *job, uint64_t first, uint64_t last)
{
	for (; first <= last; first++) {
		publish(job, first, "S");
		publish(job, first, "E0");
	}
}

/* How many facts have files of their own. */
static size_t
in_files(const struct store_job *job)
{
	struct store_facts all;
	size_t i, count = 0;

	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	for (i = 0; i < all.count; i++)
		count += all.fact[i].in_file != 0;
	store_facts_free(&all);
	return count;
}

/* Why the job does not hold just a start and an end of each task, or NULL. */
static const char *
whats_wrong(const struct store_job *job, uint64_t tasks)
{
	struct store_fact_body b;
	struct store_facts all;
	const char *wrong = NULL;
	size_t i;

	if (store_facts_list(job, NULL, &all, NULL) == -1)
		return "cannot be listed";
	if (all.count != 2 * tasks)
		wrong = all.count < 2 * tasks ? "facts are lost"
					      : "facts are invented";
	for (i = 0; i < all.count && wrong == NULL; i++) {
		if (store_facts_read(job, &all, &all.fact[i], &b, NULL) == -1)
			wrong = "a fact cannot be read";
		else if (b.time != time_of(&all.fact[i]))
			wrong = "a fact says something else";
		store_fact_body_free(&b);
	}
	if (wrong == NULL && !all.sound)
		wrong = "a pack is damaged";
	store_facts_free(&all);
	return wrong;
}

static void
expect(const struct store_job *job, uint64_t tasks, const char *when)
{
	const char *wrong = whats_wrong(job, tasks);

	if (wrong != NULL)
		fail_msg("%s: %s", when, wrong);
}

static struct error why; /* of the last failure */

/* Pack all there is: how many facts, or -1. */
static int64_t
pack_all(const struct store_job *job)
{
	struct store_facts all;
	int64_t packed = 0;
	char *name = NULL;

	if (store_facts_list(job, NULL, &all, &why) == -1)
		return -1;
	packed = store_pack_facts(
	    job, all.fact, all.count, INT64_MAX, 1, &name, &why);
	free(name);
	store_facts_free(&all);
	return packed;
}

static int
merge_all(const struct store_job *job)
{
	struct strlist from = {0};
	char *name = NULL;
	int rc = store_pack_merge(job, 1, &from, &name, &why);

	strlist_free(&from);
	free(name);
	return rc;
}

static size_t
files_in(const struct store_job *job, const char *part)
{
	struct fs_names names;
	int dir = store_directory_list(job, part, &names, NULL);
	size_t count = names.count;

	assert_int_not_equal(dir, -1);
	store_directory_close(dir, &names);
	return count;
}

/* The path of a file in a part of the job, the only one there; to free. */
static char *
only_file(const struct store_job *job, const char *part)
{
	struct fs_names names;
	int dir = store_directory_list(job, part, &names, NULL);
	char *path;

	assert_int_equal(names.count, 1);
	path = xasprintf("%s/%s/%s", job->path, part, names.name[0]);
	store_directory_close(dir, &names);
	return path;
}

static void
overwrite(const char *path, const char *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd != -1);
	assert_int_equal(write(fd, bytes, length), (ssize_t)length);
	close(fd);
}

/* ---- what packing is ---- */

static void
packed_facts_are_the_same_in_few_files(void **state)
{
	struct store_job *job = place_job(*state, 2500);

	publish_all(job, 0, 5);
	publish_all(job, 1998, 2001);
	assert_int_equal(files_in(job, "run"), 3);
	assert_int_equal(pack_all(job), 20);
	assert_int_equal(files_in(job, "run"), 0);
	assert_int_equal(files_in(job, "pack"), 1);
	publish_all(job, 6, 1997 - 1990);
	assert_int_equal(pack_all(job), 4);
	assert_int_equal(files_in(job, "pack"), 2);
	assert_int_equal(merge_all(job), 0);
	assert_int_equal(files_in(job, "pack"), 1);
	expect(job, 12, "merged");
	store_job_free(job);
}

static void
young_facts_and_few_of_them_stay_as_they_are(void **state)
{
	struct store_job *job = place_job(*state, 9);
	struct store_facts all;
	char *name;

	publish_all(job, 0, 2);
	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	assert_int_equal(store_pack_facts(job, all.fact, all.count,
			     time(NULL) - 60, 1, &name, NULL),
	    0);
	assert_null(name);
	assert_int_equal(store_pack_facts(job, all.fact, all.count, INT64_MAX,
			     7, &name, NULL),
	    0);
	assert_null(name);
	store_facts_free(&all);
	expect(job, 3, "not packed");
	store_job_free(job);
}

static void
packs_that_were_taken_in_are_not_read_again(void **state)
{
	struct store_job *job = place_job(*state, 9);
	struct store_facts all, rest;

	publish_all(job, 0, 2);
	assert_int_equal(pack_all(job), 6);
	publish_all(job, 3, 3);
	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	assert_int_equal(all.count, 8);
	assert_int_equal(all.packs.count, 1);
	assert_int_equal(store_facts_list(job, &all.packs, &rest, NULL), 0);
	assert_int_equal(rest.count, 2);
	assert_int_equal(rest.packs_read, 0);
	store_facts_free(&all);
	store_facts_free(&rest);
	store_job_free(job);
}

static void
no_list_of_packs_is_an_empty_one(void **state)
{
	struct store_job *job = place_job(*state, 3);
	struct strlist none = {0};
	struct store_facts all;

	publish_all(job, 0, 2);
	assert_int_equal(pack_all(job), 6);
	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	assert_int_equal(all.count, 6);
	store_facts_free(&all);
	assert_int_equal(store_facts_list(job, &none, &all, NULL), 0);
	assert_int_equal(all.count, 6);
	store_facts_free(&all);
	store_job_free(job);
}

static void
the_facts_of_one_task_are_found_wherever_they_are(void **state)
{
	struct store_job *job = place_job(*state, 3000);
	struct store_facts its;

	publish(job, 1001, "S");
	publish_all(job, 1000, 1000);
	assert_int_equal(pack_all(job), 3);
	publish(job, 1001, "E0");
	publish_all(job, 2001, 2001);
	assert_int_equal(store_facts_of(job, 1001, &its, NULL), 0);
	assert_int_equal(its.count, 2);
	assert_string_equal(its.fact[0].kind, "E0");
	assert_string_equal(its.fact[1].kind, "S");
	store_facts_free(&its);
	store_job_free(job);
}

/* Reading few bytes of a large pack gives what reading all of it gives. */
static void
the_facts_of_one_task_are_found_in_a_large_pack(void **state)
{
	struct store_job *job = place_job(*state, 4000);
	struct store_facts all, its;
	uint64_t task;
	size_t i = 0, k;

	for (task = 1; task < 4000; task += 1 + task % 3) {
		publish(job, task, "S");
		if (task % 5 != 0)
			publish(job, task, "E0");
	}
	assert_true(pack_all(job) > 3000);
	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	for (task = 0; task < 4000; task++) {
		assert_int_equal(store_facts_of(job, task, &its, NULL), 0);
		for (k = 0; k < its.count; k++, i++)
			assert_int_equal(
			    store_fact_compare(&its.fact[k], &all.fact[i]), 0);
		store_facts_free(&its);
	}
	assert_int_equal(i, all.count);
	store_facts_free(&all);
	store_job_free(job);
}

static void
a_fact_packed_after_it_was_listed_is_found(void **state)
{
	struct store_job *job = place_job(*state, 9);
	struct store_facts all;
	struct store_fact_body b;

	publish_all(job, 4, 4);
	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	assert_int_equal(pack_all(job), 2);
	assert_int_equal(
	    store_facts_read(job, &all, &all.fact[0], &b, NULL), 0);
	assert_int_equal(b.time, time_of(&all.fact[0]));
	store_fact_body_free(&b);
	store_facts_free(&all);
	store_job_free(job);
}

/* Copy a file; takes both paths over. */
static void
copy_file(char *from, char *to)
{
	char *text;
	size_t length;

	assert_int_equal(fs_read_path(from, 1 << 20, &text, &length, NULL), 0);
	overwrite(to, text, length);
	free(text);
	free(from);
	free(to);
}

/* That the start and the end of a task can be read, both. */
static void
expect_of(
    const struct store_job *job, uint64_t task, size_t count, const char *when)
{
	struct store_fact_body body;
	struct store_facts its;
	struct error e;
	size_t i;

	assert_int_equal(store_facts_of(job, task, &its, NULL), 0);
	if (its.count != count)
		fail_msg("%s: %zu facts", when, its.count);
	for (i = 0; i < its.count; i++) {
		if (store_facts_read(job, &its, &its.fact[i], &body, &e) == -1)
			fail_msg("%s: %s", when, e.text);
		store_fact_body_free(&body);
	}
	store_facts_free(&its);
}

/* Whatever the order in which packs are read. */
static void
a_line_of_another_job_is_in_the_way_of_none(void **state)
{
	static const char *const names[] = {"p.1.0000000000000000.jsonl",
	    "p.1.ffffffffffffffff.jsonl", "p.9.0000000000000000.jsonl"};
	struct store_job *other = place_job(*state, 9),
			 *job = place_job(*state, 9);
	size_t i;

	publish_all(other, 4, 4);
	assert_int_equal(pack_all(other), 2);
	publish_all(job, 4, 4);
	assert_int_equal(pack_all(job), 2);
	for (i = 0; i < sizeof names / sizeof *names; i++)
		copy_file(only_file(other, "pack"),
		    xasprintf("%s/pack/%s", job->path, names[i]));
	expect_of(job, 4, 2, "two packs");
	assert_int_equal(merge_all(job), 0);
	expect_of(job, 4, 2, "merged");
	store_job_free(other);
	store_job_free(job);
}

/* The fact has a file of its own still. */
static void
nor_in_the_way_of_a_file(void **state)
{
	struct store_job *other = place_job(*state, 9),
			 *job = place_job(*state, 9);

	publish_all(other, 4, 4);
	assert_int_equal(pack_all(other), 2);
	publish_all(job, 4, 4);
	fs_close(store_directory_open(job, "pack", 1, NULL));
	copy_file(only_file(other, "pack"),
	    xasprintf("%s/pack/p.1.0000000000000000.jsonl", job->path));
	expect_of(job, 4, 2, "a pack and files");
	store_job_free(other);
	store_job_free(job);
}

/* Write over the place in the file of a fact. */
static void
damage_at(const struct store_job *job, const char *name, const char *what,
    const char *new)
{
	char *path = xasprintf("%s/run/000/%s", job->path, name), *text, *at;
	size_t length;

	assert_int_equal(fs_read_path(path, 1 << 20, &text, &length, NULL), 0);
	at = memmem(text, length, what, strlen(what));
	assert_non_null(at);
	memcpy(at, new, strlen(new));
	overwrite(path, text, length);
	free(text);
	free(path);
}

/* The code with which reading a fact of task 4 fails, or ERROR_OTHER. */
static enum error_code
reason_of(const struct store_job *job, const char *kind)
{
	struct store_fact fact = {.task = 4};
	struct store_fact_body body;
	struct store_facts all;
	struct error reason = {""};

	strcpy(fact.kind, kind);
	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	store_facts_read(job, &all, &fact, &body, &reason);
	store_fact_body_free(&body);
	store_facts_free(&all);
	return reason.code;
}

static void
what_is_damaged_and_not_ours_is_no_fact(void **state)
{
	struct store_job *other = place_job(*state, 9),
			 *job = place_job(*state, 9);
	char id[2] = "0";

	publish(other, 4, "E0");
	publish(job, 4, "S");
	copy_file(xasprintf("%s/run/000/000004.0.0.E0", other->path),
	    xasprintf("%s/run/000/000004.0.0.E0", job->path));
	assert_int_equal(reason_of(job, "E0"), ERROR_FOREIGN);
	damage_at(job, "000004.0.0.E0", "\"time\":", "\"tame\":");
	assert_int_equal(reason_of(job, "E0"), ERROR_FOREIGN);
	/* Our own, wherever a byte of it is damaged. */
	damage_at(job, "000004.0.0.S", "\"time\":", "\"tame\":");
	assert_int_equal(reason_of(job, "S"), ERROR_DAMAGED);
	damage_at(job, "000004.0.0.S", "\"tame\":", "\"time\":");
	assert_int_equal(reason_of(job, "S"), ERROR_OTHER);
	id[0] = job->id[0] == '0' ? '1' : '0';
	damage_at(job, "000004.0.0.S", job->id, id);
	assert_int_equal(reason_of(job, "S"), ERROR_DAMAGED);
	store_job_free(other);
	store_job_free(job);
}

/* Write a record as another release might: its text without the checksum. */
static void
write_sealed(const struct store_job *job, const char *name, const char *body)
{
	char *path = fs_join(job->path, name), *text;

	text = xasprintf(
	    "%s,\"c\":\"%08x\"}\n", body, fs_crc32c(body, strlen(body)));
	overwrite(path, text, strlen(text));
	free(text);
	free(path);
}

static void
what_is_not_known_here_is_kept_and_not_packed(void **state)
{
	struct store_job *job = place_job(*state, 9);
	struct store_facts all;
	char *path, *text, *body;

	publish_all(job, 0, 0);
	write_sealed(job, "run/000/000001.0.0.S", "{\"v\":2,\"time\":1");
	write_sealed(job, "run/000/000002.0.0.Z9", "{\"v\":1,\"time\":1");
	body = xasprintf("{\"v\":1,\"fact\":\"%s/000003.0.0.S\",\"half\":0.1,"
			 "\"time\":33,\"more\":{\"a\":[1,2]}",
	    job->id);
	write_sealed(job, "run/000/000003.0.0.S", body);
	free(body);
	assert_int_equal(pack_all(job), 3);
	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	assert_int_equal(all.count, 4);
	assert_int_equal(all.strange.count, 1);
	assert_non_null(strstr(all.strange.word[0], "000002.0.0.Z9"));
	path = only_file(job, "pack");
	assert_int_equal(fs_read_path(path, 1 << 20, &text, NULL, NULL), 0);
	assert_non_null(strstr(text, "{\"n\":\"000003.0.0.S\",\"v\":1,"));
	assert_non_null(strstr(text,
	    "/000003.0.0.S\",\"half\":0.1,\"time\":33,"
	    "\"more\":{\"a\":[1,2]},\"c\":"));
	store_facts_free(&all);
	free(text);
	free(path);
	store_job_free(job);
}

static void
a_damaged_pack_is_neither_merged_nor_removed(void **state)
{
	struct store_job *job = place_job(*state, 9);
	struct store_facts all;
	char *path, *text;
	size_t length;

	publish_all(job, 0, 1);
	assert_int_equal(pack_all(job), 4);
	path = only_file(job, "pack");
	assert_int_equal(fs_read_path(path, 1 << 20, &text, &length, NULL), 0);
	text[9] ^= 1;
	overwrite(path, text, length);
	publish_all(job, 2, 2);
	assert_int_equal(pack_all(job), 2);
	publish_all(job, 3, 3);
	assert_int_equal(pack_all(job), 2);
	assert_int_equal(merge_all(job), 0);
	assert_true(fs_exists(path));
	assert_int_equal(files_in(job, "pack"), 2);
	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	assert_int_equal(all.count, 7); /* its other lines are as good */
	assert_false(all.sound);
	assert_int_equal(all.damaged.count, 1);
	assert_non_null(strstr(all.damaged.word[0], ".jsonl:1: damaged"));
	store_facts_free(&all);
	free(text);
	free(path);
	store_job_free(job);
}

/* ---- calls that fail ---- */

static struct fs_ops real;
static int64_t calls, fail_at;
static int crashed; /* nothing is done from the call on */

static int
trips(void)
{
	calls++;
	if (calls != fail_at && !(crashed && calls > fail_at))
		return 0;
	errno = EIO;
	return 1;
}

#define FAILING(type, name, parameters, arguments, failure) \
	static type failing_##name parameters \
	{ \
		return trips() ? failure : real.name arguments; \
	}

FAILING(int, openat, (int d, const char *n, int f, mode_t m), (d, n, f, m), -1)
FAILING(ssize_t, read, (int f, void *b, size_t n), (f, b, n), -1)
FAILING(ssize_t, write, (int f, const void *b, size_t n), (f, b, n), -1)
FAILING(int, fsync, (int f), (f), -1)
FAILING(int, linkat, (int d, const char *o, int t, const char *n, int f),
    (d, o, t, n, f), -1)
FAILING(int, unlinkat, (int d, const char *n, int f), (d, n, f), -1)
FAILING(int, renameat, (int d, const char *o, int t, const char *n),
    (d, o, t, n), -1)
FAILING(int, mkdirat, (int d, const char *n, mode_t m), (d, n, m), -1)
FAILING(int, fstatat, (int d, const char *n, struct stat *s, int f),
    (d, n, s, f), -1)
FAILING(int, fstat, (int f, struct stat *s), (f, s), -1)
FAILING(struct dirent *, readdir, (DIR * d), (d), NULL)

static int
failing_close(int fd)
{
	int failed = trips();

	return real.close(fd) == -1 || failed ? -1 : 0;
}

static void
begin_failing(int64_t at, int crash)
{
	real = fs_ops;
	calls = 0;
	fail_at = at;
	crashed = crash;
	fs_ops = (struct fs_ops){failing_openat, failing_read, failing_write,
	    failing_fsync, failing_close, failing_linkat, failing_unlinkat,
	    failing_renameat, failing_mkdirat, failing_fstatat, failing_fstat,
	    failing_readdir};
}

/* Whether the call that was to fail was reached. */
static int
end_failing(void)
{
	fs_ops = real;
	return calls >= fail_at;
}

/* Fail at each call in turn until the work is done before; how many points. */
static int64_t
sweep(struct place *p, int crash, void prepare(const struct store_job *),
    int64_t work(const struct store_job *))
{
	struct store_job *job;
	char when[64];
	int64_t n;
	int again = 1;

	for (n = 1; again; n++) {
		job = place_job(p, 9);
		prepare(job);
		begin_failing(n, crash);
		work(job);
		again = end_failing();
		snprintf(when, sizeof when, "%s at call %d",
		    crash ? "crash" : "failure", (int)n);
		expect(job, 3, when);
		assert_int_not_equal(work(job), -1);
		expect(job, 3, when);
		assert_int_equal(in_files(job), 0);
		assert_int_equal(
		    store_remove(p->store, job->name, job->id, NULL), 0);
		store_job_free(job);
	}
	return n - 2;
}

static void
three_tasks(const struct store_job *job)
{
	publish_all(job, 0, 2);
}

static void
three_packs(const struct store_job *job)
{
	uint64_t i;

	for (i = 0; i < 3; i++) {
		publish_all(job, i, i);
		assert_int_equal(pack_all(job), 2);
	}
}

static int64_t
merge_work(const struct store_job *job)
{
	return merge_all(job);
}

static void
no_call_that_fails_loses_a_fact(void **state)
{
	int64_t points = 0;
	int crash;

	for (crash = 0; crash < 2; crash++) {
		points += sweep(*state, crash, three_tasks, pack_all);
		points += sweep(*state, crash, three_packs, merge_work);
	}
	print_message("%d calls failed\n", (int)points);
	assert_true(points > 200);
}

/* ---- several at once ---- */

enum { WRITTEN = 1500, WRITERS = 2 };

/* What the processes tell each other; each task's place counts its facts. */
struct shared {
	int published[WRITERS];
	int over;
};

static void
write_facts(const struct store_job *job, struct shared *s, int writer)
{
	struct store_fact_body b = store_fact_body();
	struct store_fact f = {.kind = "S"};
	int i;

	for (i = 0; i < WRITTEN; i++) {
		f.task = (uint64_t)(i * WRITERS + writer);
		b.time = time_of(&f);
		if (store_fact_publish(job, &f, &b, NULL) != 0)
			_exit(1);
		__atomic_store_n(
		    &s->published[writer], i + 1, __ATOMIC_SEQ_CST);
	}
	_exit(0);
}

static void
pack_always(const struct store_job *job, struct shared *s)
{
	while (!__atomic_load_n(&s->over, __ATOMIC_SEQ_CST)) {
		if (pack_all(job) == -1 || merge_all(job) == -1) {
			print_error("%s\n", why.text);
			_exit(1);
		}
	}
	_exit(0);
}

/* List until all is there: never may there be fewer facts than before. */
static void
read_always(const struct store_job *job, struct shared *s)
{
	struct store_facts all;
	size_t published = 0;
	int i;

	while (published < (size_t)WRITTEN * WRITERS) {
		for (published = i = 0; i < WRITERS; i++)
			published += (size_t)__atomic_load_n(
			    &s->published[i], __ATOMIC_SEQ_CST);
		if (store_facts_list(job, NULL, &all, NULL) == -1)
			_exit(2);
		if (all.count < published || !all.sound)
			_exit(1);
		store_facts_free(&all);
	}
	_exit(0);
}

static void
need_success(pid_t pid, const char *who)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("%s: status %x", who, (unsigned)status);
}

static void
packers_and_writers_at_once_hide_nothing(void **state)
{
	struct store_job *job = place_job(*state, WRITTEN * WRITERS);
	struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t packer[2], writer[WRITERS], reader;
	struct store_facts all;
	int i;

	assert_ptr_not_equal(s, MAP_FAILED);
	for (i = 0; i < 2; i++)
		if ((packer[i] = fork()) == 0)
			pack_always(job, s);
	if ((reader = fork()) == 0)
		read_always(job, s);
	for (i = 0; i < WRITERS; i++)
		if ((writer[i] = fork()) == 0)
			write_facts(job, s, i);
	for (i = 0; i < WRITERS; i++)
		need_success(writer[i], "a writer");
	need_success(reader, "the reader");
	s->over = 1;
	for (i = 0; i < 2; i++)
		need_success(packer[i], "a packer");
	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	assert_int_equal(all.count, WRITTEN * WRITERS);
	store_facts_free(&all);
	munmap(s, sizeof *s);
	store_job_free(job);
}

#define TEST(f) \
	cmocka_unit_test_setup_teardown(f, place_set_up_fast, place_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(packed_facts_are_the_same_in_few_files),
	    TEST(young_facts_and_few_of_them_stay_as_they_are),
	    TEST(packs_that_were_taken_in_are_not_read_again),
	    TEST(no_list_of_packs_is_an_empty_one),
	    TEST(the_facts_of_one_task_are_found_wherever_they_are),
	    TEST(the_facts_of_one_task_are_found_in_a_large_pack),
	    TEST(a_fact_packed_after_it_was_listed_is_found),
	    TEST(a_line_of_another_job_is_in_the_way_of_none),
	    TEST(nor_in_the_way_of_a_file),
	    TEST(what_is_damaged_and_not_ours_is_no_fact),
	    TEST(what_is_not_known_here_is_kept_and_not_packed),
	    TEST(a_damaged_pack_is_neither_merged_nor_removed),
	    TEST(no_call_that_fails_loses_a_fact),
	    TEST(packers_and_writers_at_once_hide_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
