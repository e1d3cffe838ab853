#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "store/job.h"
#include "sys/fs.h"

const char *
store_job_name(const struct store_job *job)
{
	return job->name;
}

const char *
store_job_id(const struct store_job *job)
{
	return job->id;
}

uint64_t
store_job_settled(const struct store_job *job)
{
	return job->settled != NULL ? job->settled->generation : 0;
}

const char *
store_job_path(const struct store_job *job)
{
	return job->path;
}

int
store_job_dir(const struct store_job *job)
{
	return job->dir;
}

uint64_t
store_job_tasks(const struct store_job *job)
{
	return job->tasks;
}

int64_t
store_job_parallel(const struct store_job *job)
{
	return job->parallel;
}

int64_t
store_job_created(const struct store_job *job)
{
	return job->created;
}

const char *
store_job_user(const struct store_job *job)
{
	return job->user;
}

const char *
store_job_imported(const struct store_job *job)
{
	return job->imported;
}

const struct strlist *
store_job_names(const struct store_job *job)
{
	return &job->names;
}

const struct strlist *
store_job_after(const struct store_job *job)
{
	return &job->after;
}

const struct store_policy *
store_job_policy(const struct store_job *job)
{
	return &job->policy;
}

uint64_t
store_job_seed(const struct store_job *job)
{
	return job->seed > 0 ? (uint64_t)job->seed : 0;
}

const struct store_search *
store_job_search(const struct store_job *job)
{
	return &job->search;
}

int
store_job_is_adopted(const struct store_job *job)
{
	return job->imported != NULL && *job->imported != '/';
}

/* Return whether a full listing, fresh on NFS, too, has a name: 1, 0, -1. */
static int
is_listed(int dir, const char *name, struct error *e)
{
	struct fs_names names;
	int found;

	if (fs_list(dir, &names, e) == -1)
		return -1;
	found = fs_names_have(&names, name);
	fs_names_free(&names);
	return found;
}

/* Return whether the open directory is not the one with this name. */
static int
is_another(int open, int dir, const char *name, struct error *e)
{
	struct stat ours, there;

	/* On NFS, a removed directory is stale. */
	if (fs_ops.fstat(open, &ours) == -1 ||
	    fs_ops.fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT || errno == ESTALE
		    ? 1
		    : error_errno(e, "%s: whether it is there", name);
	return ours.st_dev != there.st_dev || ours.st_ino != there.st_ino;
}

int
store_job_is_gone(const struct store_job *job, struct error *e)
{
	const char *name = fs_base(job->path);
	char *parent =
	    xstrndup(job->path, (size_t)(name - job->path)); /* with a slash */
	int dir = fs_open_dir(parent, e), rc;

	if (dir == -1) {
		rc = fs_says_absent(errno) ? 1 : -1;
	} else {
		rc = is_listed(dir, name, e);
		if (rc == 1)
			rc = is_another(job->dir, dir, name, e);
		else if (rc == 0)
			rc = 1;
	}
	fs_close(dir);
	free(parent);
	return rc;
}
