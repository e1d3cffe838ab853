#include <sys/stat.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../fs-faults.h"
#include "base/xalloc.h"
#include "sys/fs.h"

/* A file system of which the n-th call, counted from 1, fails. */
static const struct fs_ops bad_ops = {
    bad_openat,
    bad_read,
    bad_write,
    bad_fsync,
    bad_close,
    bad_linkat,
    bad_unlinkat,
    bad_renameat,
    bad_mkdirat,
    bad_fstatat,
    bad_fstat,
    bad_readdir,
    bad_symlinkat,
    bad_readlinkat,
    bad_fchmodat,
};

static void
break_call(int at, int error)
{
	memset(&fault, 0, sizeof fault);
	fault.at = at;
	fault.error = error;
	fault.piece = 7;
	fs_ops = bad_ops;
}

/* Whether the call that was to fail was reached. */
static int
repair(void)
{
	fs_ops = real;
	return fault.calls >= fault.at;
}

/* ---- a directory for each test ---- */

static const char text[] = "the whole of it, in more than one write\n";
enum { LENGTH = sizeof text - 1 };

static char here[PATH_MAX];
static int dir = -1;

static int
enter(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *made;

	(void)state;
	real = fs_ops;
	made = xasprintf("%s/fs-test.XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(made) == NULL || realpath(made, here) == NULL)
		return -1;
	free(made);
	dir = fs_open_dir(here, NULL);
	return dir == -1 || chdir(here) == -1 ? -1 : 0;
}

static int
leave(void **state)
{
	(void)state;
	fs_ops = real;
	fs_close(dir);
	if (chdir("/") == -1)
		return -1;
	return fs_remove_tree(AT_FDCWD, here, NULL);
}

static void
put(const char *path, const char *content)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(content, f);
	assert_int_equal(fclose(f), 0);
}

static int
count_entries(const char *path, char first)
{
	DIR *d = opendir(path);
	struct dirent *entry;
	int n = 0;

	assert_non_null(d);
	while ((entry = readdir(d)) != NULL)
		n += strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0 &&
		    (first == 0 || entry->d_name[0] == first);
	closedir(d);
	return n;
}

static int
open_files(void)
{
	return count_entries("/proc/self/fd", 0);
}

static int
exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static void
assert_content(const char *name, const char *content)
{
	size_t length;
	char *got;

	assert_int_equal(fs_read(dir, name, 1 << 20, &got, &length, NULL), 0);
	assert_int_equal(length, strlen(content));
	assert_string_equal(got, content);
	free(got);
}

/* ---- every call fails once ---- */

/* What can fail: how to make it ready, do it, and see that it was done. */
struct action {
	const char *name;
	void (*prepare)(void);
	int (*act)(struct error *);
	void (*check)(void);
};

static void
clear(void)
{
	fs_remove_tree(dir, "fact", NULL);
	assert_int_equal(count_entries(here, 0), 0);
}

static int
publish(struct error *e)
{
	int rc = fs_publish(dir, "fact", text, LENGTH, e);

	return rc == 1 ? 0 : rc; /* a retry may find it done */
}

static void
check_published(void)
{
	assert_content("fact", text);
	assert_int_equal(count_entries(here, 0), 1);
	clear();
}

static void
make_tree(void)
{
	assert_int_equal(fs_make_dirs("fact/a/b", NULL), 0);
	put("fact/a/b/one", text);
	put("fact/a/two", text);
	put("fact/.hidden", text);
	if (!exists("fact/a/link"))
		assert_int_equal(symlink(here, "fact/a/link"), 0);
}

static int
remove_tree(struct error *e)
{
	return fs_remove_tree(dir, "fact", e);
}

static void
check_nothing(void)
{
	assert_int_equal(count_entries(here, 0), 0);
}

static int
list(struct error *e)
{
	struct fs_names names;
	int sub = fs_open_subdir(dir, "fact", 0, e), rc;

	if (sub == -1)
		return -1;
	rc = fs_list(sub, &names, e);
	assert_int_equal(names.count, rc == 0 ? 1 : 0);
	fs_names_free(&names);
	fs_close(sub);
	return rc;
}

static int
make_dirs(struct error *e)
{
	return fs_make_dirs("fact/x/y", e);
}

static void
check_made(void)
{
	assert_true(exists("fact/x/y"));
	clear();
}

static int
open_subdir(struct error *e)
{
	int fd = fs_open_subdir(dir, "fact", 1, e);

	fs_close(fd);
	return fd == -1 ? -1 : 0;
}

static void
make_file(void)
{
	put("fact", text);
}

static int
read_file(struct error *e)
{
	char *got;
	size_t length;

	if (fs_read(dir, "fact", LENGTH, &got, &length, e) == -1)
		return -1;
	assert_int_equal(length, LENGTH);
	assert_string_equal(got, text);
	free(got);
	return 0;
}

static int
read_path(struct error *e)
{
	char *got;

	if (fs_read_path("fact", LENGTH, &got, NULL, e) == -1)
		return -1;
	assert_string_equal(got, text);
	free(got);
	return 0;
}

static int
read_from(struct error *e)
{
	struct stat st;
	size_t length;
	char *got;

	if (fs_read_from("fact", 4, 1000, &got, &length, &st, e) == -1)
		return -1;
	assert_int_equal(length, LENGTH - 4);
	assert_int_equal(st.st_size, LENGTH);
	assert_string_equal(got, text + 4);
	free(got);
	return 0;
}

static int
rename_file(struct error *e)
{
	int rc;

	if (!exists("fact"))
		return 0; /* done, but for the sync: no more to retry */
	rc = fs_rename(dir, "fact", dir, "moved", e);
	assert_true(exists("fact") != exists("moved"));
	return rc;
}

static void
check_moved(void)
{
	assert_content("moved", text);
	assert_int_equal(unlink("moved"), 0);
}

static int
unlink_file(struct error *e)
{
	return fs_unlink(dir, "fact", e);
}

static int
ask_time(struct error *e)
{
	int64_t now = -1;
	int rc = fs_now(dir, &now, e);

	assert_true(rc == -1 ? now == -1 : llabs(now - time(NULL)) < 60);
	return rc;
}

static const struct action actions[] = {
    {"publish", clear, publish, check_published},
    {"remove_tree", make_tree, remove_tree, check_nothing},
    {"list", make_tree, list, clear},
    {"make_dirs", clear, make_dirs, check_made},
    {"open_subdir", clear, open_subdir, clear},
    {"read", make_file, read_file, clear},
    {"read_path", make_file, read_path, clear},
    {"read_from", make_file, read_from, clear},
    {"rename", make_file, rename_file, check_moved},
    {"unlink", make_file, unlink_file, check_nothing},
    {"now", clear, ask_time, check_nothing},
};

/* The reason names the path, as it was given or in full, and the cause. */
static void
assert_reason(const struct action *a, int at, int error, const char *reason)
{
	if ((strncmp(reason, "fact", 4) != 0 &&
		strncmp(reason, here, strlen(here)) != 0) ||
	    strstr(reason, strerror(error)) == NULL)
		fail_msg("%s, call %d: %s", a->name, at, reason);
}

/* Make one call fail.  Returns 0 when there is no such call any more. */
static int
fail_call(const struct action *a, int at, int error)
{
	struct error e = {"no reason given"};
	int rc, reached, files;

	a->prepare();
	files = open_files();
	break_call(at, error);
	rc = a->act(&e);
	reached = repair();
	assert_int_equal(count_entries(here, '.'), 0);
	if (a->act == publish && exists("fact"))
		assert_content("fact", text);
	if (rc == -1)
		assert_reason(a, at, error, e.text);
	assert_true(rc == 0 || reached);
	if (rc == -1)
		assert_int_equal(a->act(&e), 0);
	assert_int_equal(open_files(), files);
	a->check();
	return reached;
}

static void
whatever_call_fails_is_reported_and_can_be_repeated(void **state)
{
	static const int errors[] = {ENOSPC, EIO, EINTR, EDQUOT, EACCES};
	size_t i, k;
	int at;

	(void)state;
	for (i = 0; i < sizeof actions / sizeof actions[0]; i++)
		for (k = 0; k < sizeof errors / sizeof errors[0]; k++) {
			for (at = 1; fail_call(&actions[i], at, errors[k]);
			     at++)
				assert_true(at < 200);
			assert_true(at > 1);
		}
	clear();
}

/* How many of the calls that publish makes can fail without harm. */
static int
harmless_failures(int error)
{
	int at, rc, harmless = 0;

	for (at = 1;; at++) {
		clear();
		break_call(at, error);
		rc = fs_publish(dir, "fact", text, LENGTH, NULL);
		if (!repair())
			return harmless;
		harmless += rc == 0;
		assert_true(rc != 0 || exists("fact"));
	}
}

static void
only_removing_the_scratch_file_may_fail_unseen(void **state)
{
	(void)state;
	assert_int_equal(harmless_failures(EIO), 1);
	/* and each interrupted write is repeated */
	assert_int_equal(harmless_failures(EINTR), 1 + (LENGTH + 6) / 7);
}

static int
lying_linkat(int a, const char *old, int b, const char *new, int flags)
{
	real.linkat(a, old, b, new, flags);
	errno = EIO;
	return -1;
}

static void
a_lost_answer_to_link_is_no_failure(void **state)
{
	(void)state;
	clear();
	fs_ops.linkat = lying_linkat;
	assert_int_equal(fs_publish(dir, "fact", text, LENGTH, NULL), 0);
	fs_ops = real;
	check_published();
}

/* The order of what makes a file durable: f file, l link, d directory. */
static char trace[16];

static int
tracing_fsync(int fd)
{
	strcat(trace, fd == dir ? "d" : "f");
	return real.fsync(fd);
}

static int
tracing_linkat(int a, const char *old, int b, const char *new, int flags)
{
	strcat(trace, "l");
	return real.linkat(a, old, b, new, flags);
}

static void
a_file_is_durable_before_it_has_its_name(void **state)
{
	int again;

	(void)state;
	clear();
	for (again = 0; again < 2; again++) {
		trace[0] = '\0';
		fs_ops.fsync = tracing_fsync;
		fs_ops.linkat = tracing_linkat;
		assert_int_equal(
		    fs_publish(dir, "fact", text, LENGTH, NULL), again);
		fs_ops = real;
		assert_string_equal(trace, "fld");
	}
	clear();
}

static int stale;

static struct dirent *
stale_readdir(DIR *d)
{
	if (stale > 0) {
		stale--;
		errno = ESTALE;
		return NULL;
	}
	return real.readdir(d);
}

static void
a_stale_directory_is_listed_again(void **state)
{
	struct fs_names names;
	struct error e;

	(void)state;
	clear();
	put("one", "");
	fs_ops.readdir = stale_readdir;
	stale = 2;
	assert_int_equal(fs_list(dir, &names, NULL), 0);
	assert_int_equal(names.count, 1);
	fs_names_free(&names);
	stale = 100;
	assert_int_equal(fs_list(dir, &names, &e), -1);
	assert_int_equal(names.count, 0);
	assert_non_null(strstr(e.text, strerror(ESTALE)));
	fs_ops = real;
	unlink("one");
}

static int
stale_unlinkat(int at, const char *name, int flags)
{
	if (stale > 0) {
		stale--;
		errno = ESTALE;
		return -1;
	}
	return real.unlinkat(at, name, flags);
}

/* As NFS has it, when two clients remove the same. */
static void
what_another_client_removed_is_gone(void **state)
{
	(void)state;
	clear();
	put("one", "");
	fs_ops.unlinkat = stale_unlinkat;
	stale = 1;
	assert_int_equal(fs_unlink(dir, "one", NULL), 0);
	assert_int_equal(access("one", F_OK), -1);
	stale = 100;
	assert_int_equal(fs_unlink(dir, "one", NULL), 0);
	fs_ops = real;
}

static int missed;

/* As NFS has it, for a name that was looked up before it was there. */
static int
forgetful_openat(int at, const char *name, int flags, mode_t mode)
{
	if (strcmp(name, ".") == 0)
		missed = 0;
	if (missed) {
		errno = ENOENT;
		return -1;
	}
	return real.openat(at, name, flags, mode);
}

static void
what_was_missed_before_is_looked_up_anew(void **state)
{
	int fd;

	(void)state;
	clear();
	assert_int_equal(fs_make_dirs("fact", NULL), 0);
	fs_ops.openat = forgetful_openat;
	missed = 1;
	fd = fs_open_subdir(dir, "fact", 0, NULL);
	fs_ops = real;
	assert_true(fd >= 0);
	fs_close(fd);
	clear();
}

/* ---- what the calls promise ---- */

static void
what_is_published_stays(void **state)
{
	struct stat st;
	mode_t old;

	(void)state;
	assert_int_equal(fs_publish(dir, "fact", "first", 5, NULL), 0);
	assert_int_equal(fs_publish(dir, "fact", "second", 6, NULL), 1);
	assert_content("fact", "first");
	assert_int_equal(stat("fact", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(st.st_nlink, 1);
	clear();
	old = umask(0);
	assert_int_equal(fs_publish(dir, "fact", "", 0, NULL), 0);
	umask(077);
	assert_int_equal(fs_publish(dir, "second", "", 0, NULL), 0);
	umask(old);
	assert_int_equal(stat("fact", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(stat("second", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	unlink("second");
	clear();
	assert_int_equal(fs_publish_mode(dir, "fact", 0700, "", 0, NULL), 0);
	assert_int_equal(stat("fact", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_content("fact", "");
	clear();
}

/* One of several that publish the same name at the same moment. */
static int
race(int start, int number)
{
	char mine[2] = {(char)('0' + number), '\0'}, c;

	if (read(start, &c, 1) == -1)
		return 9;
	return fs_publish(dir, "fact", mine, 1, NULL);
}

static void
one_of_many_publishers_wins(void **state)
{
	enum { RACERS = 8 };
	int start[2], i, status, won = 0, winner = -1;
	char content[2] = "?";
	pid_t pid[RACERS];

	(void)state;
	assert_int_equal(pipe(start), 0);
	for (i = 0; i < RACERS; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			close(start[1]);
			_exit(race(start[0], i));
		}
	}
	close(start[0]);
	close(start[1]);
	for (i = 0; i < RACERS; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
		if (WEXITSTATUS(status) == 0) {
			won++;
			winner = i;
		}
	}
	assert_int_equal(won, 1);
	content[0] = (char)('0' + winner);
	assert_content("fact", content);
	assert_int_equal(count_entries(here, 0), 1);
	clear();
}

static void
reading_has_a_limit(void **state)
{
	struct error e;
	char *got;

	(void)state;
	put("fact", "12345");
	assert_int_equal(fs_read(dir, "fact", 5, &got, NULL, NULL), 0);
	free(got);
	assert_int_equal(fs_read(dir, "fact", 4, &got, NULL, &e), -1);
	assert_int_equal(errno, EFBIG);
	assert_non_null(strstr(e.text, "/fact: cannot read: File too large"));
	clear();
}

static void
large_files_are_read_whole(void **state)
{
	size_t size = 3 << 20, length;
	char *bytes = xmalloc(size), *got;

	(void)state;
	memset(bytes, '\0', size);
	bytes[size - 1] = 'x';
	assert_int_equal(fs_publish(dir, "fact", bytes, size, NULL), 0);
	assert_int_equal(fs_read(dir, "fact", size, &got, &length, NULL), 0);
	assert_int_equal(length, size);
	assert_memory_equal(got, bytes, size);
	free(got);
	free(bytes);
	clear();
}

static void
only_regular_files_are_read(void **state)
{
	static const struct {
		const char *name, *reason;
	} table[] = {
	    {"missing", "/missing: cannot open: No such file"},
	    {"link", "/link: cannot open: Too many levels of symbolic"},
	    {"pipe", "/pipe: not a regular file"},
	    {"dir", "/dir: cannot read: Is a directory"},
	};
	struct error e;
	char *got;
	size_t i;

	(void)state;
	put("target", "x");
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(mkdir("dir", 0700), 0);
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		assert_int_equal(
		    fs_read(dir, table[i].name, 9, &got, NULL, &e), -1);
		assert_non_null(strstr(e.text, table[i].reason));
	}
	fs_read(dir, "missing", 9, &got, NULL, NULL);
	assert_int_equal(errno, ENOENT);
	/* A link that the user names is followed. */
	assert_int_equal(fs_read_path("link", 9, &got, NULL, NULL), 0);
	free(got);
	assert_int_equal(fs_read_path("dir", 9, &got, NULL, &e), -1);
	assert_string_equal(e.text, "dir: cannot read: Is a directory");
	for (i = 1; i < sizeof table / sizeof table[0]; i++)
		fs_remove_tree(dir, table[i].name, NULL);
	unlink("target");
	clear();
}

static void
parts_of_files_are_read(void **state)
{
	static const struct {
		uint64_t offset;
		size_t limit;
		const char *part;
	} table[] = {
	    {0, 100, "12345"},
	    {2, 100, "345"},
	    {2, 2, "34"},
	    {5, 100, ""},
	    {9, 100, ""},
	};
	struct stat st;
	size_t i, length;
	char *got;

	(void)state;
	put("fact", "12345");
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		assert_int_equal(fs_read_from("fact", table[i].offset,
				     table[i].limit, &got, &length, &st, NULL),
		    0);
		assert_int_equal(length, strlen(table[i].part));
		assert_string_equal(got, table[i].part);
		free(got);
	}
	clear();
}

static void
names_with_a_dot_are_not_listed(void **state)
{
	struct fs_names names;
	int i;
	char name[16];

	(void)state;
	put(".t.1", "");
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "%03d", i);
		put(name, "");
	}
	assert_int_equal(fs_list(dir, &names, NULL), 0);
	assert_int_equal(names.count, 100);
	for (i = 0; i < 100; i++) {
		assert_true(names.name[i][0] != '.');
		unlink(names.name[i]);
	}
	fs_names_free(&names);
	unlink(".t.1");
	clear();
}

static void
a_directory_is_made_when_it_is_missing(void **state)
{
	struct error e;
	int fd;

	(void)state;
	assert_int_equal(fs_open_subdir(dir, "fact", 0, &e), -1);
	assert_int_equal(errno, ENOENT);
	fd = fs_open_subdir(dir, "fact", 1, NULL);
	assert_true(fd >= 0);
	fs_close(fd);
	clear();
	put("fact", "");
	assert_int_equal(fs_open_subdir(dir, "fact", 1, &e), -1);
	assert_non_null(strstr(e.text, "/fact: cannot open: Not a directory"));
	assert_int_equal(fs_make_dirs("fact", &e), -1);
	assert_string_equal(
	    e.text, "fact: cannot make directory: Not a directory");
	assert_int_equal(fs_make_dirs("fact/x", &e), -1);
	assert_int_equal(fs_make_dirs("", &e), -1);
	clear();
	assert_int_equal(fs_make_dirs("fact//x/./y/", NULL), 0);
	assert_int_equal(fs_make_dirs("fact/x", NULL), 0);
	assert_int_equal(fs_make_dirs("/", NULL), 0);
	assert_true(exists("fact/x/y"));
	clear();
}

static void
a_link_out_of_the_store_is_not_followed(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(fs_make_dirs("outside/a", NULL), 0);
	put("outside/a/precious", "x");
	assert_int_equal(fs_make_dirs("fact/b", NULL), 0);
	assert_int_equal(symlink("../../outside", "fact/b/link"), 0);
	assert_int_equal(symlink("outside", "top"), 0);
	assert_int_equal(fs_open_subdir(dir, "top", 1, NULL), -1);
	assert_int_equal(fs_remove_tree(dir, "fact", NULL), 0);
	assert_int_equal(fs_remove_tree(dir, "top", NULL), 0);
	assert_false(exists("fact"));
	assert_false(exists("top"));
	assert_true(exists("outside/a/precious"));
	fd = fs_open_dir("outside", NULL);
	assert_int_equal(fs_remove_tree(fd, "a", NULL), 0);
	assert_int_equal(fs_remove_tree(fd, "a", NULL), 0);
	fs_close(fd);
	assert_int_equal(fs_remove_tree(dir, "outside", NULL), 0);
}

static void
what_cannot_be_opened_is_not_called_a_directory(void **state)
{
	struct error e = {""};

	(void)state;
	assert_int_equal(fs_make_dirs("fact/a", NULL), 0);
	break_call(1, EMFILE);
	assert_int_equal(fs_remove_tree(dir, "fact", &e), -1);
	repair();
	assert_non_null(
	    strstr(e.text, "/fact: cannot open: Too many open files"));
	clear();
}

static void
renaming_does_not_replace_a_directory(void **state)
{
	struct error e;

	(void)state;
	assert_int_equal(fs_make_dirs("fact/a", NULL), 0);
	assert_int_equal(fs_make_dirs("other/b", NULL), 0);
	assert_int_equal(fs_rename(dir, "fact", dir, "other", &e), -1);
	assert_true(errno == EEXIST || errno == ENOTEMPTY);
	assert_non_null(strstr(e.text, "/fact: cannot rename"));
	assert_int_equal(fs_rename(dir, "missing", dir, "x", &e), -1);
	assert_int_equal(errno, ENOENT);
	fs_remove_tree(dir, "other", NULL);
	clear();
}

static void
paths_are_joined_and_made_absolute(void **state)
{
	static const struct {
		const char *path, *below; /* below: after this directory */
	} table[] = {
	    {".", ""},
	    {"", ""},
	    {"fact", "/fact"},
	    {"./fact", "/fact"},
	    {"fact/./new", "/fact/new"},
	    {"link/new", "/fact/new"},
	    {"new/deep/er", "/new/deep/er"},
	    {"new/", "/new"},
	    {"fact/..", ""},
	    {"fact/../new", "/new"},
	};
	char *got, *want;
	size_t i;

	(void)state;
	assert_int_equal(fs_make_dirs("fact", NULL), 0);
	assert_int_equal(symlink("fact", "link"), 0);
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		got = fs_absolute(table[i].path);
		want = xasprintf("%s%s", here, table[i].below);
		assert_string_equal(got, want);
		free(got);
		free(want);
	}
	got = fs_absolute("/nosuch/dir");
	assert_string_equal(got, "/nosuch/dir");
	free(got);
	got = fs_join("a/", "b");
	want = fs_join("a", "b");
	assert_string_equal(got, want);
	assert_string_equal(got, "a/b");
	assert_string_equal(fs_from("/a", "/a/b"), "b");
	assert_string_equal(fs_from("/b", got), "a/b");
	assert_string_equal(fs_from("/", "/b"), "/b");
	assert_string_equal(fs_from("/a", "/ab"), "/ab");
	free(got);
	free(want);
	assert_true(fs_exists("link"));
	assert_false(fs_exists("new"));
	unlink("link");
	clear();
}

/* The check values that RFC 3720, B.4, gives, and the usual one. */
static void
checksums_are_crc32c(void **state)
{
	unsigned char bytes[32];
	int i;

	(void)state;
	assert_int_equal(fs_crc32c("", 0), 0);
	assert_int_equal(fs_crc32c("123456789", 9), 0xe3069283);
	memset(bytes, 0, sizeof bytes);
	assert_int_equal(fs_crc32c(bytes, sizeof bytes), 0x8a9136aa);
	memset(bytes, 0xff, sizeof bytes);
	assert_int_equal(fs_crc32c(bytes, sizeof bytes), 0x62a8ab43);
	for (i = 0; i < 32; i++)
		bytes[i] = (unsigned char)i;
	assert_int_equal(fs_crc32c(bytes, sizeof bytes), 0x46dd794e);
}

/* One bit after the other, as the polynomial has it. */
static uint32_t
plain_crc32c(const unsigned char *p, size_t length)
{
	uint32_t crc = 0xffffffff;
	int k;

	while (length-- > 0)
		for (crc ^= *p++, k = 0; k < 8; k++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	return ~crc;
}

static void
checksums_are_the_same_however_they_are_made(void **state)
{
	unsigned char bytes[300];
	size_t i, from;
	uint32_t want;

	(void)state;
	for (i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 167 + i / 7);
	for (from = 0; from < 8; from++)
		for (i = 0; from + i <= sizeof bytes; i++) {
			want = plain_crc32c(bytes + from, i);
			assert_int_equal(fs_crc32c(bytes + from, i), want);
			assert_int_equal(
			    fs_crc32c_portable(bytes + from, i), want);
			assert_int_equal(
			    fs_crc32c_more(fs_crc32c(bytes + from, i / 3),
				bytes + from + i / 3, i - i / 3),
			    want);
		}
}

static void
the_checksum_of_a_file_is_that_of_its_bytes(void **state)
{
	static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 200000};
	char *bytes = calloc(1, 200000);
	size_t i, length;
	uint32_t crc;
	int place = fs_open_dir(".", NULL);

	(void)state;
	for (i = 0; i < 200000; i++)
		bytes[i] = (char)(i * 167 + i / 1000);
	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		fs_unlink(place, "f", NULL);
		assert_int_equal(
		    fs_publish(place, "f", bytes, sizes[i], NULL), 0);
		assert_int_equal(
		    fs_sum(place, "f", 200000, &crc, &length, NULL), 0);
		assert_int_equal(length, sizes[i]);
		assert_int_equal(crc, fs_crc32c(bytes, sizes[i]));
		assert_int_equal(
		    fs_sum_path("f", 200000, &crc, &length, NULL), 0);
		assert_int_equal(crc, fs_crc32c(bytes, sizes[i]));
	}
	assert_int_equal(fs_sum(place, "f", 199999, &crc, &length, NULL), -1);
	assert_int_equal(errno, EFBIG);
	fs_unlink(place, "f", NULL);
	assert_int_equal(fs_sum(place, "f", 1, &crc, &length, NULL), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(fs_sum_path("f", 1, &crc, &length, NULL), -1);
	assert_int_equal(errno, ENOENT);
	fs_close(place);
	free(bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(
		whatever_call_fails_is_reported_and_can_be_repeated),
	    cmocka_unit_test(only_removing_the_scratch_file_may_fail_unseen),
	    cmocka_unit_test(a_lost_answer_to_link_is_no_failure),
	    cmocka_unit_test(a_file_is_durable_before_it_has_its_name),
	    cmocka_unit_test(a_stale_directory_is_listed_again),
	    cmocka_unit_test(what_another_client_removed_is_gone),
	    cmocka_unit_test(what_was_missed_before_is_looked_up_anew),
	    cmocka_unit_test(what_is_published_stays),
	    cmocka_unit_test(one_of_many_publishers_wins),
	    cmocka_unit_test(reading_has_a_limit),
	    cmocka_unit_test(large_files_are_read_whole),
	    cmocka_unit_test(only_regular_files_are_read),
	    cmocka_unit_test(parts_of_files_are_read),
	    cmocka_unit_test(names_with_a_dot_are_not_listed),
	    cmocka_unit_test(a_directory_is_made_when_it_is_missing),
	    cmocka_unit_test(a_link_out_of_the_store_is_not_followed),
	    cmocka_unit_test(what_cannot_be_opened_is_not_called_a_directory),
	    cmocka_unit_test(renaming_does_not_replace_a_directory),
	    cmocka_unit_test(paths_are_joined_and_made_absolute),
	    cmocka_unit_test(checksums_are_crc32c),
	    cmocka_unit_test(checksums_are_the_same_however_they_are_made),
	    cmocka_unit_test(the_checksum_of_a_file_is_that_of_its_bytes),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
