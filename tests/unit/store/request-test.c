#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/wait.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../fs-faults.h"
#include "../place.h"
#include "base/xalloc.h"
#include "store/directory-private.h"
#include "store/job.h"
#include "store/request.h"

enum { BOTH = STORE_STOPS | STORE_HOLDS };

static uint32_t
attempt_of(const void *second, uint64_t task)
{
	return idset_has(second, task);
}

/* Give an order for tasks, of which those of second are in attempt 1. */
static void
request(const struct store_job *job, enum store_request_kind kind,
    const char *tasks, const char *second)
{
	struct idset all, again;
	struct error e;

	assert_int_equal(idset_parse(&all, tasks, NULL), 0);
	assert_int_equal(idset_parse(&again, second, NULL), 0);
	if (store_request_add_all(
		job, kind, &all, attempt_of, &again, NULL, &e) != 0)
		fail_msg("%s", e.text);
	idset_free(&all);
	idset_free(&again);
}

static void
list(const struct store_job *job, struct store_requests *out)
{
	struct error e;

	if (store_requests_list(job, STORE_HOLDS, out, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(out->damaged.count, 0);
}

static void
the_last_order_counts(void **state)
{
	struct store_job *job = place_job(*state, 100);
	struct store_requests all;

	list(job, &all);
	assert_int_equal(all.count, 0);
	assert_false(store_is_held(&all, 3, 0));
	store_requests_free(&all);
	request(job, STORE_REQUEST_HOLD, "0-9", "99");
	request(job, STORE_REQUEST_RELEASE, "3,5-6", "99");
	request(job, STORE_REQUEST_HOLD, "6", "99");
	list(job, &all);
	assert_int_equal(all.count, 3);
	assert_true(store_is_held(&all, 0, 0));
	assert_false(store_is_held(&all, 3, 0));
	assert_false(store_is_held(&all, 5, 0));
	assert_true(store_is_held(&all, 6, 0));
	assert_false(store_is_held(&all, 10, 0));
	assert_null(store_request_for(&all, 10, 0));
	assert_int_equal(store_request_for(&all, 6, 0)->number, 3);
	store_requests_free(&all);
	store_job_free(job);
}

static void
an_order_is_for_one_attempt(void **state)
{
	struct store_job *job = place_job(*state, 100);
	struct store_requests all;

	request(job, STORE_REQUEST_HOLD, "0-9", "4-5");
	list(job, &all);
	assert_int_equal(all.count, 2);
	assert_true(store_is_held(&all, 3, 0));
	assert_false(store_is_held(&all, 3, 1));
	assert_false(store_is_held(&all, 4, 0));
	assert_true(store_is_held(&all, 4, 1));
	store_requests_free(&all);
	store_job_free(job);
}

/* What of an order is recorded counts, also where the rest of it is not. */
static void
a_part_that_is_recorded_is_said(void **state)
{
	struct store_job *job = place_job(*state, 100);
	struct idset tasks, again;
	struct store_requests all;
	struct error e;

	assert_int_equal(idset_parse(&tasks, "0-9", NULL), 0);
	assert_int_equal(idset_parse(&again, "4-5", NULL), 0);
	real = fs_ops;
	fault.at = 2;
	fault.error = ENOSPC;
	fs_ops.linkat = bad_linkat;
	assert_int_equal(store_request_add_all(job, STORE_REQUEST_HOLD, &tasks,
			     attempt_of, &again, NULL, &e),
	    -1);
	fs_ops = real;
	assert_non_null(strstr(e.text, "No space left"));
	assert_non_null(strstr(e.text, "recorded for tasks 0-3,6-9,"));
	list(job, &all);
	assert_true(store_is_held(&all, 3, 0));
	assert_false(store_is_held(&all, 4, 1));
	store_requests_free(&all);
	idset_free(&tasks);
	idset_free(&again);
	store_job_free(job);
}

static void
how_many_at_once_is_apart_from_holds(void **state)
{
	struct store_job *job = place_job(*state, 100);
	struct store_request o = {
	    .kind = STORE_REQUEST_PARALLEL, .parallel = 3};
	struct store_requests all;

	list(job, &all);
	assert_null(store_request_parallel(&all));
	assert_int_equal(store_request_add(job, &o, 1, NULL), 0);
	request(job, STORE_REQUEST_HOLD, "1", "99");
	list(job, &all);
	assert_int_equal(store_request_parallel(&all)->parallel, 3);
	assert_true(store_is_held(&all, 1, 0));
	store_requests_free(&all);
	o.parallel = 0;
	assert_int_equal(store_request_add(job, &o, 1, NULL), 0);
	list(job, &all);
	assert_int_equal(store_request_parallel(&all)->parallel, 0);
	store_requests_free(&all);
	store_job_free(job);
}

/* Each order of several programs at once has a number of its own. */
static void
none_is_lost_of_many_at_once(void **state)
{
	enum { WRITERS = 4, EACH = 10 };
	struct store_job *job = place_job(*state, 100);
	struct store_requests all;
	int i, k, status;
	size_t n;

	for (i = 0; i < WRITERS; i++)
		if (fork() == 0) {
			struct store_request o = {
			    .kind = STORE_REQUEST_PARALLEL};

			for (k = 0; k < EACH; k++) {
				o.parallel = i * EACH + k;
				if (store_request_add(job, &o, 1, NULL) != 0)
					_exit(1);
			}
			_exit(0);
		}
	for (i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	list(job, &all);
	assert_int_equal(all.count, WRITERS * EACH);
	for (n = 0; n < all.count; n++)
		assert_int_equal(all.request[n].number, n + 1);
	store_requests_free(&all);
	store_job_free(job);
}

/* One that is not whole is said, and the others count. */
static void
damage_is_said(void **state)
{
	struct store_job *job = place_job(*state, 100);
	struct store_requests all;
	char *path;
	FILE *f;

	request(job, STORE_REQUEST_HOLD, "1", "99");
	request(job, STORE_REQUEST_HOLD, "2", "99");
	path = xasprintf("%s/ctl/order.000002", job->path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("{", f);
	fclose(f);
	assert_int_equal(store_requests_list(job, STORE_HOLDS, &all, NULL), 0);
	assert_int_equal(all.damaged.count, 1);
	assert_true(store_is_held(&all, 1, 0));
	assert_false(store_is_held(&all, 2, 0));
	store_requests_free(&all);
	request(job, STORE_REQUEST_RELEASE, "1", "99");
	assert_int_equal(store_requests_list(job, STORE_HOLDS, &all, NULL), 0);
	assert_int_equal(store_request_for(&all, 1, 0)->number, 3);
	store_requests_free(&all);
	free(path);
	store_job_free(job);
}

/* Damage the last record in ctl/ whose name begins so. */
static void
damage(const struct store_job *job, const char *prefix)
{
	char *path = xasprintf("%s/ctl", job->path), *found = NULL;
	DIR *dir = opendir(path);
	const struct dirent *one;

	assert_non_null(dir);
	while ((one = readdir(dir)) != NULL)
		if (strncmp(one->d_name, prefix, strlen(prefix)) == 0)
			found = xasprintf("%s/%s", path, one->d_name);
	closedir(dir);
	assert_non_null(found);
	assert_int_equal(truncate(found, 1), 0);
	free(found);
	free(path);
}

/* Who needs to know of stops alone is not kept from it by a hold, and back. */
static void
damage_of_one_kind_leaves_the_other(void **state)
{
	struct store_job *job = place_job(*state, 100);
	struct store_requests all;
	struct error e = {""};
	json_t *newer;
	int ctl;

	request(job, STORE_REQUEST_HOLD, "1", "99");
	place_wish(job, 2, 0, "max-fail 3");
	request(job, STORE_REQUEST_HOLD, "3", "99");
	assert_int_equal(store_requests_whole(job, BOTH, &all, NULL), 0);
	assert_int_equal(all.count, 3);
	assert_int_equal(all.request[0].kind, STORE_REQUEST_STOP);
	assert_int_equal(store_requests_last(&all), 2);
	assert_true(store_stop_is_asked(&all, 2, 0));
	assert_false(store_stop_is_asked(&all, 1, 0));
	assert_true(store_is_held(&all, 1, 0));
	assert_false(store_is_held(&all, 2, 0));
	store_requests_free(&all);

	damage(job, "order.000002");
	assert_int_equal(store_requests_whole(job, BOTH, &all, &e), -1);
	assert_int_equal(e.code, ERROR_DAMAGED);
	assert_int_equal(
	    store_requests_whole(job, STORE_HOLDS, &all, NULL), -1);
	assert_int_equal(store_requests_whole(job, STORE_STOPS, &all, NULL), 0);
	assert_int_equal(all.count, 1);
	assert_int_equal(store_requests_last(&all), 0);
	store_requests_free(&all);
	assert_int_equal(store_requests_list(job, BOTH, &all, NULL), 0);
	assert_int_equal(all.damaged.count, 1);
	assert_int_equal(all.damaged_stops, 0);
	store_requests_free(&all);

	damage(job, "stop.");
	assert_int_equal(store_requests_list(job, BOTH, &all, NULL), 0);
	assert_int_equal(all.count, 1);
	assert_int_equal(all.damaged.count, 2);
	assert_int_equal(all.damaged_stops, 1);
	store_requests_free(&all);
	assert_int_equal(
	    store_requests_whole(job, STORE_STOPS, &all, NULL), -1);

	/* Damage is named before a record of a newer release. */
	newer = store_record_new();
	store_record_set_int(newer, "v", STORE_VERSION + 1);
	ctl = store_directory_open(job, "ctl", 0, NULL);
	assert_int_equal(
	    store_record_publish(ctl, "order.000003", newer, 0, NULL), 0);
	fs_close(ctl);
	assert_int_equal(store_requests_list(job, BOTH, &all, &e), -1);
	assert_int_equal(e.code, ERROR_NEWER);
	assert_int_equal(store_requests_whole(job, BOTH, &all, &e), -1);
	assert_int_equal(e.code, ERROR_DAMAGED);
	store_job_free(job);
}

static int
is_first(const void *arg, uint64_t task, uint32_t attempt)
{
	(void)arg;
	return task == 3 && attempt == 0;
}

static void
stops_of_a_search_are_read_if_needed(void **state)
{
	struct store_job *job = place_job(*state, 9);
	struct store_request r[] = {
	    {.kind = STORE_REQUEST_STOP, .by_search = 1, .why = "worse"},
	    {.kind = STORE_REQUEST_STOP,
		.by_search = 1,
		.attempt = 1,
		.why = "late"},
	    {.kind = STORE_REQUEST_STOP, .why = "mine"}};
	struct store_requests all;
	int i;

	idset_add(&r[0].tasks, 7, 7);
	idset_add(&r[1].tasks, 3, 3);
	idset_add(&r[2].tasks, 3, 5);
	assert_int_equal(store_request_add(job, &r[2], 1, NULL), 0);
	assert_int_equal(store_request_add(job, r, 2, NULL), 0);
	assert_int_equal(store_request_add(job, r, 0, NULL), 0);
	r[0].attempt = 0;
	idset_free(&r[0].tasks);
	idset_add(&r[0].tasks, 3, 3);
	assert_int_equal(store_request_add(job, r, 1, NULL), 0);
	assert_int_equal(store_requests_list(job, STORE_STOPS, &all, NULL), 0);
	assert_int_equal(all.count, 4);
	assert_int_equal(all.singles, 3);
	assert_string_equal(store_stop_for(&all, 7, 0, NULL)->why, "worse");
	assert_string_equal(store_stop_for(&all, 3, 1, NULL)->why, "late");
	assert_string_equal(store_stop_for(&all, 4, 0, NULL)->why, "mine");
	assert_null(store_stop_for(&all, 7, 1, NULL));
	assert_null(store_stop_for(&all, 6, 0, NULL));
	assert_null(store_stop_for(&all, 8, 0, NULL));
	store_requests_free(&all);
	assert_int_equal(
	    store_requests_needed(job, STORE_STOPS, is_first, NULL, &all, NULL),
	    0);
	assert_int_equal(all.count, 4);
	assert_string_equal(store_stop_for(&all, 3, 0, NULL)->why, "worse");
	assert_true(store_stop_for(&all, 7, 0, NULL)->is_unread);
	assert_null(store_stop_for(&all, 7, 0, NULL)->why);
	assert_string_equal(store_stop_for(&all, 5, 0, NULL)->why, "mine");
	store_requests_free(&all);
	for (i = 0; i < 3; i++)
		idset_free(&r[i].tasks);
	store_job_free(job);
}

/* ---- requests of a search in packs ---- */

/* Give the files of a directory a name in another one.  Returns how many. */
static int
link_all(const char *from, const char *to)
{
	struct fs_names names;
	int in = fs_open_dir(from, NULL), out;
	size_t i;

	assert_int_equal(fs_make_dirs(to, NULL), 0);
	out = fs_open_dir(to, NULL);
	assert_int_equal(fs_list(in, &names, NULL), 0);
	for (i = 0; i < names.count; i++)
		assert_int_equal(
		    linkat(in, names.name[i], out, names.name[i], 0), 0);
	i = names.count;
	fs_names_free(&names);
	fs_close(in);
	fs_close(out);
	return (int)i;
}

enum { TASKS = 2000 };

static void
prune(const struct store_job *job, uint64_t first, uint64_t last)
{
	struct store_request r = {
	    .kind = STORE_REQUEST_STOP, .by_search = 1, .why = "worse"};

	for (; first <= last; first++) {
		idset_add(&r.tasks, first, first);
		r.attempt = first % 3 == 0;
		assert_int_equal(store_request_add(job, &r, 1, NULL), 0);
		idset_free(&r.tasks);
	}
}

/* Whether a task is at least arg, so that its request is needed. */
static int
is_late(const void *arg, uint64_t task, uint32_t attempt)
{
	(void)attempt;
	return task >= *(const uint64_t *)arg;
}

static int64_t
pack_below(const struct store_job *job, uint64_t task, size_t least)
{
	struct error e;
	int64_t packed =
	    store_requests_pack(job, is_late, &task, INT64_MAX, least, &e);

	if (packed == -1)
		fail_msg("%s", e.text);
	return packed;
}

static size_t
files_in(const struct store_job *job, const char *part)
{
	struct fs_names names;
	int dir = store_directory_list(job, part, &names, NULL);
	size_t count = names.count;

	store_directory_close(dir, &names);
	return count;
}

/* That the requests of the first tasks are there, and no others. */
static void
expect_stops(const struct store_job *job, int which, uint64_t count)
{
	struct store_requests all;
	const struct store_request *r;
	uint64_t task;

	assert_int_equal(store_requests_list(job, which, &all, NULL), 0);
	assert_int_equal(all.damaged.count, 0);
	for (task = 0; task < TASKS; task++) {
		r = store_stop_for(&all, task, task % 3 == 0, NULL);
		assert_int_equal(r != NULL, task < count);
		assert_null(store_stop_for(&all, task, task % 3 != 0, NULL));
		if (r != NULL && !r->is_unread)
			assert_string_equal(r->why, "worse");
		if (r != NULL)
			assert_int_equal(
			    r->is_unread, (which & STORE_NAMES) != 0);
	}
	store_requests_free(&all);
}

static void
stops_of_a_search_are_packed(void **state)
{
	struct store_job *job = place_search(*state, TASKS);
	uint64_t from = 998;
	struct store_requests all;

	prune(job, 0, 999);
	assert_int_equal(pack_below(job, 1000, 1001), 0);
	assert_int_equal(files_in(job, "ctl"), 1000);
	assert_int_equal(
	    store_requests_pack(job, is_late, &from, time(NULL) - 60, 1, NULL),
	    0);
	assert_int_equal(pack_below(job, 999, 1), 999);
	assert_int_equal(files_in(job, "ctl"), 1);
	assert_int_equal(files_in(job, "pack"), 1);
	expect_stops(job, STORE_STOPS, 1000);
	expect_stops(job, STORE_STOPS | STORE_NAMES, 1000);
	/* All of a pack are read for the sake of one. */
	assert_int_equal(
	    store_requests_needed(job, STORE_STOPS, is_late, &from, &all, NULL),
	    0);
	assert_string_equal(store_stop_for(&all, 0, 1, NULL)->why, "worse");
	store_requests_free(&all);
	from = 999;
	assert_int_equal(
	    store_requests_needed(job, STORE_STOPS, is_late, &from, &all, NULL),
	    0);
	assert_true(all.count < 5);
	assert_true(store_stop_for(&all, 0, 1, NULL)->is_unread);
	assert_true(store_stop_for(&all, 0, 1, NULL)->is_packed);
	store_requests_free(&all);
	prune(job, 1000, 1001);
	assert_int_equal(pack_below(job, TASKS, 1), 3);
	assert_int_equal(files_in(job, "ctl"), 0);
	assert_int_equal(files_in(job, "pack"), 2);
	expect_stops(job, STORE_STOPS, 1002);
	store_job_free(job);
}

/* On NFS, a file that is there may seem to be gone. */
static void
a_file_that_seems_to_be_gone_is_read_again(void **state)
{
	struct store_job *job = place_search(*state, TASKS);
	struct store_requests all;
	int at;

	prune(job, 0, 2);
	real = fs_ops;
	fs_ops.read = bad_read;
	for (at = 1; at < 5; at++) {
		fault.calls = 0;
		fault.at = at;
		fault.error = ESTALE;
		assert_int_equal(
		    store_requests_list(job, STORE_STOPS, &all, NULL), 0);
		assert_int_equal(all.count, 3);
		store_requests_free(&all);
	}
	fs_ops = real;
	fault.calls = fault.at = 0;
	store_job_free(job);
}

/* A pass that was killed before it removed the files leaves them behind. */
static void
packed_stops_may_be_in_files_too(void **state)
{
	struct store_job *job = place_search(*state, TASKS);
	char *kept = fs_join(job->path, "ctl"), *away = fs_join(job->path, "x");

	prune(job, 0, 9);
	assert_int_equal(link_all(kept, away), 10);
	assert_int_equal(pack_below(job, TASKS, 1), 10);
	assert_int_equal(link_all(away, kept), 10);
	expect_stops(job, STORE_STOPS, 10);
	assert_int_equal(pack_below(job, TASKS, 1), 10);
	assert_int_equal(files_in(job, "ctl"), 0);
	expect_stops(job, STORE_STOPS, 10);
	free(kept);
	free(away);
	store_job_free(job);
}

/* Overwrite a byte of the only pack, counted from its end if negative. */
static char *
spoil_pack(const struct store_job *job, long at)
{
	struct fs_names names;
	int dir = store_directory_list(job, "pack", &names, NULL);
	char *path = xasprintf("%s/pack/%s", job->path, names.name[0]);
	FILE *f = fopen(path, "r+");

	assert_int_equal(names.count, 1);
	assert_non_null(f);
	assert_int_equal(fseek(f, at, at < 0 ? SEEK_END : SEEK_SET), 0);
	fputc('~', f);
	fclose(f);
	store_directory_close(dir, &names);
	return path;
}

/* Check the pack, and make another one of what is left. */
static void
mend(const struct store_job *job, char *path, size_t faults, int64_t left)
{
	struct strlist damaged = {0};

	assert_int_equal(
	    store_request_pack_check(job, fs_base(path), &damaged, 0, NULL),
	    left);
	assert_int_equal(damaged.count, faults);
	strlist_free(&damaged);
	assert_int_equal(
	    store_request_pack_check(job, fs_base(path), NULL, 1, NULL), left);
	assert_int_equal(unlink(path), 0);
	free(path);
}

static void
a_damaged_pack_of_stops_is_named_and_mended(void **state)
{
	struct store_job *job = place_search(*state, TASKS);
	struct store_requests all;
	char *path;

	prune(job, 0, 9);
	assert_int_equal(pack_below(job, TASKS, 1), 10);
	path = spoil_pack(job, 20);
	assert_int_equal(
	    store_requests_list(job, STORE_STOPS | STORE_NAMES, &all, NULL), 0);
	/* All lines are there, so nothing is lost. */
	assert_int_equal(all.damaged.count, 0);
	assert_non_null(store_stop_for(&all, 9, 1, NULL));
	store_requests_free(&all);
	mend(job, path, 1, 10);
	expect_stops(job, STORE_STOPS, 10);
	path = spoil_pack(job, -20);
	assert_int_equal(store_requests_list(job, STORE_STOPS, &all, NULL), 0);
	assert_int_equal(all.damaged.count, 1);
	assert_non_null(strstr(all.damaged.word[0], ".jsonl:11: damaged"));
	store_requests_free(&all);
	mend(job, path, 1, 9);
	/* The first line still says that task 9 was stopped, but not why. */
	expect_stops(job, STORE_STOPS | STORE_NAMES, 10);
	assert_int_equal(store_requests_list(job, STORE_STOPS, &all, NULL), 0);
	assert_int_equal(all.damaged.count, 0);
	assert_true(store_stop_for(&all, 9, 1, NULL)->is_unread);
	assert_string_equal(store_stop_for(&all, 8, 0, NULL)->why, "worse");
	store_requests_free(&all);
	store_job_free(job);
}

static void
a_pack_of_stops_of_another_job_is_refused(void **state)
{
	struct store_job *job = place_search(*state, TASKS);
	struct store_job *other = place_search(*state, TASKS);
	char *from = fs_join(other->path, "pack"),
	     *to = fs_join(job->path, "pack");
	struct store_requests all;

	prune(other, 0, 4);
	assert_int_equal(pack_below(other, TASKS, 1), 5);
	assert_int_equal(link_all(from, to), 1);
	assert_int_equal(store_requests_list(job, STORE_STOPS, &all, NULL), 0);
	assert_int_equal(all.count, 0);
	assert_int_equal(all.damaged.count, 6);
	assert_int_equal(all.damaged_stops, 6);
	assert_non_null(strstr(all.damaged.word[0], "another job"));
	store_requests_free(&all);
	free(from);
	free(to);
	store_job_free(other);
	store_job_free(job);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(stops_of_a_search_are_packed,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_file_that_seems_to_be_gone_is_read_again, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(packed_stops_may_be_in_files_too,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_damaged_pack_of_stops_is_named_and_mended, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_pack_of_stops_of_another_job_is_refused, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		stops_of_a_search_are_read_if_needed, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		the_last_order_counts, place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(an_order_is_for_one_attempt,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(a_part_that_is_recorded_is_said,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		how_many_at_once_is_apart_from_holds, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(none_is_lost_of_many_at_once,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		damage_is_said, place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(damage_of_one_kind_leaves_the_other,
		place_set_up_fast, place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
