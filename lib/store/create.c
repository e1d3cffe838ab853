#include <errno.h>

#include "store/create.h"
#include "sys/fs-tree.h"

/* The directories as they were before the rename. */
struct before {
	struct stat job;
	struct stat sub; /* changes once a task is queued */
};

static int
look_at_sub(int dir, const char *name, struct stat *st, struct error *e)
{
	int job = fs_open_subdir(dir, name, 0, e);
	int rc = job == -1 ? -1 : fs_stat(job, "sub", st, e);

	fs_close(job);
	return rc;
}

/*
 * Return whether the new directory has the name of the job: 1, 0, or -1 if
 * unknown.  An NFS server that gets a request twice answers "not there" the
 * second time, although the rename is done.
 */
static int
is_seen(const struct store_creation *r, const struct before *was)
{
	struct stat st;

	if (fs_stat(r->jobs, r->name, &st, NULL) == -1)
		return errno == ENOENT ? 0 : -1;
	return st.st_ino == was->job.st_ino && st.st_dev == was->job.st_dev;
}

/* Undo a rename that failed: it may be done, but the directory not synced. */
static int
take_back(
    const struct store_creation *r, const struct before *was, struct error *e)
{
	int seen = is_seen(r, was);
	struct error why = e != NULL ? *e : (struct error){""};
	struct stat st;

	/* Nothing has been queued yet. */
	if (seen == 1 && look_at_sub(r->jobs, r->name, &st, NULL) == 0 &&
	    st.st_mtim.tv_sec == was->sub.st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == was->sub.st_mtim.tv_nsec) {
		fs_rename(r->jobs, r->name, r->jobs, r->aside, NULL);
		seen = is_seen(r, was);
	}
	if (seen == 0)
		return -1;
	if (seen == 1)
		return error_code(e, ERROR_EXISTS,
		    "%s: it is in the store, but may be lost when the power "
		    "fails: %s",
		    r->name, why.text);
	return error_code(e, ERROR_MAY_EXIST,
	    "%s: stfm-status shows whether it is in the store: %s", r->name,
	    why.text);
}

int
store_create(const struct store_creation *r, struct error *e)
{
	struct before was;

	if (fs_stat(r->from, r->scratch, &was.job, e) == -1 ||
	    look_at_sub(r->from, r->scratch, &was.sub, e) == -1)
		return errno == ENOENT ? 2 : -1;
	if (fs_rename(r->from, r->scratch, r->jobs, r->name, e) == 0)
		return 0;
	if (errno == ENOENT)
		return is_seen(r, &was) == 1 ? 0 : 2;
	if (errno == EEXIST || errno == ENOTEMPTY)
		return 1;
	return take_back(r, &was, e);
}
