#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "store/leftovers.h"
#include "store/store.h"
#include "sys/fs.h"

/* Act on one leftover.  Returns 0, or -1. */
typedef int found(void *arg, int dir, const char *name, struct error *e);

/* Call act for each scratch name in an open directory, which is closed. */
static int
search(int dir, found *act, void *arg, struct error *e)
{
	struct fs_names names;
	int rc;
	size_t i;

	if (dir == -1)
		return fs_says_absent(errno) ? 0 : -1;
	rc = fs_list_kind(dir, FS_HIDDEN, SIZE_MAX, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++)
		if (text_begins(names.name[i], ".t.") ||
		    text_begins(names.name[i], ".new."))
			rc = act(arg, dir, names.name[i], e);
	fs_names_free(&names);
	fs_close(dir);
	return rc;
}

/* Call act for each scratch name in the directories below parent. */
static int
search_below(int parent, found *act, void *arg, struct error *e)
{
	struct fs_names names;
	int rc;
	size_t i;

	rc = fs_list(parent, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++)
		rc = search(
		    fs_open_subdir(parent, names.name[i], 0, e), act, arg, e);
	fs_names_free(&names);
	return rc;
}

static int
search_job(int job, found *act, void *arg, struct error *e)
{
	static const char *const parts[] = {
	    "sub", "run", "ctl", "fold", "pack", "usage", "ext", "change"};
	int run, rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < sizeof parts / sizeof *parts; i++)
		rc = search(fs_open_subdir(job, parts[i], 0, e), act, arg, e);
	run = fs_open_subdir(job, "run", 0, NULL);
	if (rc == 0 && run != -1)
		rc = search_below(run, act, arg, e);
	fs_close(run);
	return rc;
}

static int
search_store(const struct store *store, found *act, void *arg, struct error *e)
{
	static const char *const parts[] = {
	    "jobs", "libexec", "hooks", "fold", "."};
	int jobs = fs_open_subdir(store->dir, "jobs", 0, e), job, rc = 0;
	struct fs_names names = {0};
	size_t i;

	if (jobs == -1 && !fs_says_absent(errno))
		return -1;
	if (jobs != -1)
		rc = fs_list(jobs, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++) {
		job = fs_open_subdir(jobs, names.name[i], 0, NULL);
		if (job == -1)
			continue;
		rc = search_job(job, act, arg, e);
		if (rc == 0)
			rc = search(job, act, arg, e);
		else
			fs_close(job);
	}
	fs_names_free(&names);
	fs_close(jobs);
	for (i = 0; rc == 0 && i < sizeof parts / sizeof *parts; i++)
		rc = search(
		    fs_open_subdir(store->dir, parts[i], 0, e), act, arg, e);
	return rc;
}

/* ---- removing ---- */

static int
remove_old(void *arg, int dir, const char *name, struct error *e)
{
	const int64_t *now = arg;
	struct stat st;

	if (fs_ops.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    *now - st.st_mtime <= STORE_LEFTOVERS_OLD)
		return 0;
	return fs_remove_tree(dir, name, e);
}

/*
 * Remove empty directories of facts, which a killed packer may have left.  A
 * task that has a fact for one makes it again.
 */
static void
remove_empty(const struct store *store)
{
	int jobs = fs_open_subdir(store->dir, "jobs", 0, NULL), job, run;
	struct fs_names names = {0}, parts;
	size_t i, k;

	if (jobs != -1)
		fs_list(jobs, &names, NULL);
	for (i = 0; i < names.count; i++) {
		job = fs_open_subdir(jobs, names.name[i], 0, NULL);
		run = job != -1 ? fs_open_subdir(job, "run", 0, NULL) : -1;
		if (run != -1 && fs_list(run, &parts, NULL) == 0) {
			for (k = 0; k < parts.count; k++)
				fs_ops.unlinkat(
				    run, parts.name[k], AT_REMOVEDIR);
			fs_names_free(&parts);
		}
		fs_close(run);
		fs_close(job);
	}
	fs_names_free(&names);
	fs_close(jobs);
}

/* Remove old jobs; a rename into the trash changes only the inode's time. */
static int
empty_trash(int trash, int64_t now, struct error *e)
{
	struct fs_names names;
	struct stat st;
	int rc;
	size_t i;

	rc = fs_list(trash, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++)
		if (fs_ops.fstatat(
			trash, names.name[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    now - st.st_ctime > STORE_LEFTOVERS_TRASH)
			rc = fs_remove_tree(trash, names.name[i], e);
	fs_names_free(&names);
	return rc;
}

int
store_leftovers(const struct store *store, struct error *e)
{
	int trash = fs_open_subdir(store->dir, "trash", 1, e), rc = 0;
	struct stat st;
	int64_t now;

	/* The trash directory has the time of the last collection. */
	if (trash == -1 || fs_now(store->dir, &now, e) == -1) {
		rc = -1;
	} else if (fs_ops.fstat(trash, &st) == 0 &&
	    (now < st.st_mtime || now - st.st_mtime >= STORE_LEFTOVERS_EVERY)) {
		rc = empty_trash(trash, now, e);
		if (search_store(store, remove_old, &now, e) == -1)
			rc = -1;
		remove_empty(store);
		fs_touch(trash);
	}
	fs_close(trash);
	return rc;
}

/* ---- listing ---- */

static int
note(void *arg, int dir, const char *name, struct error *e)
{
	(void)e;
	strlist_take(arg, fs_path(dir, name));
	return 0;
}

static int
note_old(void *arg, int dir, const char *name, struct error *e)
{
	const time_t now = time(NULL);
	struct stat st;

	if (fs_ops.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    llabs((long long)now - st.st_mtime) < STORE_LEFTOVERS_NEW)
		return 0;
	return note(arg, dir, name, e);
}

int
store_leftovers_list(
    const struct store *store, struct strlist *out, struct error *e)
{
	int trash = fs_open_subdir(store->dir, "trash", 0, NULL);
	struct fs_names names;
	size_t i;

	if (trash != -1 && fs_list(trash, &names, e) == 0) {
		for (i = 0; i < names.count; i++)
			note(out, trash, names.name[i], NULL);
		fs_names_free(&names);
	}
	fs_close(trash);
	return search_store(store, note_old, out, e);
}
