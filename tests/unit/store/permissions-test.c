/* Whatever of a job somebody else can change keeps it from being run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../place.h"
#include "base/xalloc.h"
#include "job/preflight.h"
#include "store/chunk.h"
#include "store/permissions.h"
#include "verify/verify.h"

static struct fs_ops real;
static struct place place;
static struct store *store;
static struct store_job *job;

/* ---- a job with all that a job can have ---- */

static void
make_file(const char *name)
{
	assert_int_equal(fs_publish(job->dir, name, "x\n", 2, NULL), 0);
}

static int
set_up(void **state)
{
	static const char points[] = "lr\n0.1\n";
	struct store_job_files files = {.batch = "#!/bin/sh\n",
	    .script = "#!/bin/sh\ntrain\n",
	    .points = points,
	    .points_length = sizeof points - 1};
	struct store_chunk chunk = {.name = (char *)(uintptr_t) "c00000.0",
	    .token = (char *)(uintptr_t) "stfm-x-c00000.0"};
	struct store_extension more = {.tasks = 2,
	    .first = 1,
	    .fingerprint = (char *)(uintptr_t) "",
	    .added = (char *)(uintptr_t) ""};
	uint32_t array = 4102;

	(void)state;
	real = fs_ops;
	store = place_make(&place);
	job = xcalloc(1, sizeof *job);
	job->name = xstrdup("conv2d");
	job->id = store_job_new_id();
	job->args = xstrdup("long");
	job->directory = xstrdup("/tmp");
	job->script = xstrdup("/tmp/own.sbatch");
	job->points_kept = 1;
	job->tasks = 1;
	job->array_size = 1;
	strlist_push(&job->names, "lr");
	assert_int_equal(store_job_create(store, job, &files, NULL), 0);
	assert_int_equal(
	    store_extend(job, &more, points, sizeof points - 1, NULL), 0);
	store_job_free(job);
	job = store_job_load(store, "conv2d", NULL);
	assert_non_null(job);
	fs_close(fs_open_subdir(job->dir, "pack", 1, NULL));
	fs_close(fs_open_subdir(job->dir, "code", 1, NULL));
	fs_close(fs_open_subdir(job->dir, "usage", 1, NULL));
	make_file("code.tsv");
	idset_add(&chunk.tasks, 0, 0);
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	assert_int_equal(store_claim(job, chunk.name, &array, NULL), 0);
	idset_free(&chunk.tasks);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	fs_ops = real; /* a test that failed may have left its own */
	store_job_free(job);
	place_remove(&place);
	return 0;
}

/* ---- a file of somebody else, which only root could make ---- */

static const char *foreign;

static int
look_foreign(int dir, const char *name, struct stat *st, int flags)
{
	int rc = real.fstatat(dir, name, st, flags);

	if (rc == 0 && dir == job->dir && strcmp(name, foreign) == 0)
		st->st_uid++;
	return rc;
}

static void
make_foreign(const char *name)
{
	foreign = name;
	fs_ops.fstatat = look_foreign;
}

/* ---- what cannot be looked at ---- */

static const char *unseen; /* a name in any directory, or a path */

static int
look_in_vain(int dir, const char *name, struct stat *st, int flags)
{
	if (strcmp(name, unseen) != 0)
		return real.fstatat(dir, name, st, flags);
	errno = EIO;
	return -1;
}

static void
hide(const char *name)
{
	unseen = name;
	fs_ops.fstatat = look_in_vain;
}

/* ---- who refuses what ---- */

static int
check(struct error *e)
{
	return store_permissions_check_job(job, e) == 0
	    ? store_permissions_check_chunk(job, "c00000.0", e)
	    : -1;
}

/* The path that a reason has to begin with, to free. */
static char *
path_of(const char *name)
{
	return strcmp(name, ".") == 0 ? xstrdup(job->path)
				      : fs_join(job->path, name);
}

static void
need_refused(const char *name, const char *what)
{
	struct error e = {""};
	char *path = path_of(name), *begins = xasprintf("%s: ", path);

	if (check(&e) != -1)
		fail_msg("%s: %s, and not refused", name, what);
	if (strncmp(e.text, begins, strlen(begins)) != 0 ||
	    strstr(e.text, what) == NULL)
		fail_msg("%s: not the reason: %s", name, e.text);
	free(begins);
	free(path);
}

/* How many things stfm-check has to say that somebody else can change. */
static size_t
count_open(const char *name)
{
	char *path = path_of(name), *end;
	struct verify_findings found;
	size_t i, count = 0;

	assert_int_equal(verify_store(store, NULL, 0, &found, NULL), 0);
	for (i = 0; i < found.count; i++) {
		if (found.item[i].kind != FINDING_OPEN)
			continue;
		end = path + strlen(store->path) + 1;
		assert_string_equal(found.item[i].path, end);
		count++;
	}
	verify_findings_free(&found);
	free(path);
	return count;
}

static void
refuse_mode(const char *name, mode_t more)
{
	struct stat st;

	assert_int_equal(fstatat(job->dir, name, &st, 0), 0);
	assert_int_equal(
	    fchmodat(job->dir, name, (st.st_mode & 07777) | more, 0), 0);
	need_refused(name, "chmod go-w");
	assert_int_equal(count_open(name), 1);
	assert_int_equal(fchmodat(job->dir, name, st.st_mode & 07777, 0), 0);
}

static void
refuse_all(const char *name)
{
	refuse_mode(name, 020);
	refuse_mode(name, 002);
	make_foreign(name);
	need_refused(name, "it belongs to user");
	fs_ops = real;
	hide(name);
	need_refused(name, "Input/output error");
	fs_ops = real;
	assert_int_equal(check(NULL), 0);
	assert_int_equal(count_open(name), 0);
}

static void
what_others_can_change_is_not_run(void **state)
{
	size_t i;

	(void)state;
	assert_int_equal(check(NULL), 0);
	for (i = 0; store_permissions_names[i] != NULL; i++)
		refuse_all(store_permissions_names[i]);
	refuse_all("ext/1");
	refuse_all("ext/1/points.tsv");
	refuse_all("sub/c00000.0.intent");
	refuse_all("sub/c00000.0.claim");
}

/* Neither the store nor what is above it. */
static void
a_store_that_cannot_be_looked_at_is_not_trusted(void **state)
{
	const char *const names[] = {
	    ".", "jobs", "libexec", "fold", "/tmp", "/"};
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		hide(names[i]);
		e.text[0] = '\0';
		if (store_check_owner(store, &e) != -1)
			fail_msg(
			    "%s: not looked at, and not refused", names[i]);
		fs_ops = real;
		if (strncmp(e.text, place.path, strlen(place.path)) != 0 ||
		    strstr(e.text, "Input/output error") == NULL)
			fail_msg("%s: not the reason: %s", names[i], e.text);
	}
	assert_int_equal(store_check_owner(store, NULL), 0);
}

static int
is_guarded(const char *name)
{
	size_t i;

	for (i = 0; store_permissions_names[i] != NULL; i++)
		if (strcmp(store_permissions_names[i], name) == 0)
			return 1;
	return 0;
}

static void
nothing_in_a_job_is_forgotten(void **state)
{
	struct fs_names names;
	size_t i;

	(void)state;
	assert_int_equal(fs_list(job->dir, &names, NULL), 0);
	assert_true(names.count > 10);
	for (i = 0; i < names.count; i++)
		if (!is_guarded(names.name[i]))
			fail_msg(
			    "%s: nobody checks whose it is", names.name[i]);
	fs_names_free(&names);
}

/* A group that may read, and a job whose parts are not all there. */
static void
what_is_only_to_be_read_is_no_matter(void **state)
{
	(void)state;
	assert_int_equal(fchmodat(job->dir, "code", 0755, 0), 0);
	assert_int_equal(fchmodat(job->dir, "job.json", 0444, 0), 0);
	assert_int_equal(unlinkat(job->dir, "pack", AT_REMOVEDIR), 0);
	assert_int_equal(check(NULL), 0);
}

/* ---- what is to be run is what was submitted ---- */

static void
append(const char *name)
{
	int fd = openat(job->dir, name, O_WRONLY | O_APPEND);

	assert_int_equal(write(fd, "#", 1), 1);
	close(fd);
}

static void
a_script_that_was_changed_is_not_run(void **state)
{
	struct error e;
	char *text;

	(void)state;
	assert_int_equal(job_preflight_check(job, &e), 0);
	append("script");
	assert_int_equal(job_preflight_script(job, &e), -1);
	assert_non_null(strstr(e.text, "/script: damaged"));
	assert_int_equal(job_preflight_check(job, &e), -1);
	assert_int_equal(job_preflight_batch(job, &text, &e), 0);
	free(text);
	append("batch.sh");
	assert_int_equal(job_preflight_batch(job, &text, &e), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_in_a_job_is_forgotten),
	    cmocka_unit_test(what_others_can_change_is_not_run),
	    cmocka_unit_test(a_store_that_cannot_be_looked_at_is_not_trusted),
	    cmocka_unit_test(a_script_that_was_changed_is_not_run),
	    cmocka_unit_test(what_is_only_to_be_read_is_no_matter),
	};

	umask(022);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
