#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strlist.h"
#include "base/xalloc.h"
#include "store/job.h"
#include "store/permissions.h"
#include "store/store.h"

const char *const store_permissions_names[] = {".", "job.json", "batch.sh",
    "script", "points.tsv", "points.idx", "code.tsv", "code", "sub", "run",
    "ctl", "fold", "pack", "metrics", "log", "checkpoint", "usage", "ext",
    NULL};

/* Write permission of group and others, and of others alone. */
enum { OTHERS = 022, ANYBODY = 002 };

static int
check_mine(const char *path, const struct stat *st, struct error *e)
{
	if (st->st_uid == geteuid())
		return 0;
	return error_set(e,
	    "%s: it belongs to user %lu: you can look, but only they can "
	    "change it",
	    path, (unsigned long)st->st_uid);
}

static int
check_closed(const char *path, const struct stat *st, struct error *e)
{
	if ((st->st_mode & OTHERS) == 0 || S_ISLNK(st->st_mode))
		return 0;
	return error_set(e,
	    "%s: other users can write to it and could change the code of your "
	    "tasks: chmod go-w %s",
	    path, path);
}

/*
 * Examine the file at a name.  Returns 1, 0 if there is none, or -1 if it
 * cannot be examined, so that its owner is unknown.
 */
static int
look(int dir, const char *name, struct stat *st, const char *path,
    struct error *e)
{
	if (fs_ops.fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) == 0)
		return 1;
	if (errno == ENOENT)
		return 0;
	return error_errno(e, "%s: whose it is cannot be told", path);
}

/* Check a directory of the store; name is "." for the store itself. */
static int
check_directory(const struct store *store, const char *name, struct error *e)
{
	char *path = strcmp(name, ".") == 0 ? xstrdup(store->path)
					    : fs_join(store->path, name);
	struct stat st;
	int rc = look(store->dir, name, &st, path, e);

	if (rc == 1)
		rc = check_mine(path, &st, e) == 0 &&
			check_closed(path, &st, e) == 0
		    ? 0
		    : -1;
	free(path);
	return rc;
}

/*
 * Check the directories above the store.  A user who can write to one of them
 * can replace the store, unless that directory is sticky.  Groups may write:
 * the owners of project directories want it so.
 */
static int
check_above(const struct store *store, struct error *e)
{
	char *path = xstrdup(store->path), *slash;
	struct stat st;
	int rc = 0;

	while (rc == 0 && (slash = strrchr(path, '/')) != NULL) {
		slash[slash == path] = '\0';
		if (fs_ops.fstatat(AT_FDCWD, path, &st, 0) == -1)
			rc = error_errno(e,
			    "%s: who can write to %s cannot be told",
			    store->path, path);
		else if ((st.st_mode & ANYBODY) != 0 &&
		    (st.st_mode & S_ISVTX) == 0)
			rc = error_set(e,
			    "%s: anybody can write to %s and put something "
			    "else in its place",
			    store->path, path);
		if (slash == path)
			break;
	}
	free(path);
	return rc;
}

int
store_permissions_check(
    int dir, const char *name, uid_t user, const char *path, struct error *e)
{
	struct stat st;
	int rc = look(dir, name, &st, path, e);

	if (rc != 1)
		return rc;
	if (st.st_uid != user)
		return error_set(e,
		    "%s: it belongs to user %lu, who can change the code of "
		    "your tasks: submit the job again under another name (-J)",
		    path, (unsigned long)st.st_uid);
	return check_closed(path, &st, e);
}

static int
check_in_job(const struct store_job *job, const char *name, struct error *e)
{
	char *path = strcmp(name, ".") == 0 ? xstrdup(job->path)
					    : fs_join(job->path, name);
	int rc = store_permissions_check(job->dir, name, geteuid(), path, e);

	free(path);
	return rc;
}

int
store_permissions_check_chunk(
    const struct store_job *job, const char *chunk, struct error *e)
{
	static const char *const ends[] = {"intent", "claim"};
	char *name;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < 2; i++) {
		name = xasprintf("sub/%s.%s", chunk, ends[i]);
		rc = check_in_job(job, name, e);
		free(name);
	}
	return rc;
}

void
store_permissions_list(const struct store_job *job, struct strlist *out)
{
	static const char *const files[] = {
	    "", "/ext.json", "/points.tsv", "/points.idx"};
	static const char *const copied[] = {
	    "", "/change.json", "/code", "/code.tsv", "/script"};
	size_t i, k;

	for (i = 0; store_permissions_names[i] != NULL; i++)
		strlist_push(out, store_permissions_names[i]);
	for (i = 0; i < job->extensions.count; i++)
		for (k = 0; k < sizeof files / sizeof *files; k++)
			strlist_take(
			    out, xasprintf("ext/%zu%s", i + 1, files[k]));
	if (job->changes.count > 0)
		strlist_push(out, "change");
	for (i = 0; i < job->changes.count; i++)
		for (k = 0; k < sizeof copied / sizeof *copied; k++)
			strlist_take(
			    out, xasprintf("change/%zu%s", i + 1, copied[k]));
}

int
store_permissions_check_job(const struct store_job *job, struct error *e)
{
	struct strlist names = {0};
	size_t i;
	int rc = 0;

	store_permissions_list(job, &names);
	for (i = 0; rc == 0 && i < names.count; i++)
		rc = check_in_job(job, names.word[i], e);
	strlist_free(&names);
	return rc;
}

int
store_check_owner(const struct store *store, struct error *e)
{
	static const char *const part[] = {".", "jobs", "libexec", "fold"};
	size_t i;

	for (i = 0; i < sizeof part / sizeof *part; i++)
		if (check_directory(store, part[i], e) == -1)
			return -1;
	return check_above(store, e);
}

int
store_check_write(const struct store *store, struct error *e)
{
	static const char *const part[] = {".", "jobs"};
	size_t i;

	if (store_check_owner(store, e) == -1)
		return -1;
	for (i = 0; i < 2; i++)
		if (faccessat(store->dir, part[i], W_OK, AT_EACCESS) == -1 &&
		    errno != ENOENT)
			return error_set(e, "%s: it cannot be written: %s",
			    store->path, strerror(errno));
	return 0;
}
