#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/location.h"
#include "store/job.h"
#include "sys/fs.h"

/* Return the store in which a job was made, to free, or NULL if unknown. */
static char *
store_of(const struct store_job *job, const char *path)
{
	char *tail = xasprintf("/jobs/%s", job->name), *store = NULL;
	size_t length = strlen(path), n = strlen(tail);

	if (length > n && strcmp(path + length - n, tail) == 0)
		store = xstrndup(path, length - n);
	free(tail);
	return store;
}

/* Return a shell command to link the old store to the new, to free, or NULL. */
static char *
link_of(const struct store_job *job)
{
	char *old = store_of(job, job->made_in);
	char *new = store_of(job, job->path), *text = NULL;
	size_t length;
	FILE *f;

	if (old != NULL && new != NULL && fs_is_gone(old)) {
		f = xmemopen(&text, &length);
		fputs(", or: ln -s ", f);
		text_shell(f, new);
		putc(' ', f);
		text_shell(f, old);
		xmemclose(f);
	}
	free(old);
	free(new);
	return text;
}

static enum job_location
say_moved(const struct store_job *job, struct error *e)
{
	char *link;

	if (job->imported != NULL) /* Slurm uses no file here */
		return JOB_IN_PLACE;
	link = link_of(job);
	error_set(e,
	    "was made in %s, where Slurm looks for its program and puts its "
	    "logs: move it back%s",
	    job->made_in, link != NULL ? link : "");
	free(link);
	return JOB_MOVED;
}

/* Return whether both are one file on two mounts: a copy has another ctime. */
static int
is_same_file(const struct store_job *a, const struct store_job *b)
{
	static const char record[] = "job.json";
	struct stat x, y;

	return fs_ops.fstatat(a->dir, record, &x, 0) == 0 &&
	    fs_ops.fstatat(b->dir, record, &y, 0) == 0 &&
	    x.st_ino == y.st_ino && x.st_ctim.tv_sec == y.st_ctim.tv_sec &&
	    x.st_ctim.tv_nsec == y.st_ctim.tv_nsec;
}

/* Decide by the record in the other directory, where the job was made. */
static enum job_location
compare(const struct store_job *job, struct error *e)
{
	struct error why;
	struct store_job *there = store_job_load_path(job->made_in, &why);
	int same, mounted;

	if (there == NULL)
		return why.code == ERROR_ABSENT || why.number == ENOTDIR
		    ? say_moved(job, e)
		    : JOB_IN_PLACE;
	same = strcmp(there->id, job->id) == 0;
	mounted = is_same_file(there, job);
	store_job_free(there);
	if (mounted)
		return JOB_IN_PLACE;
	if (!same)
		return say_moved(job, e);
	error_set(e,
	    "a copy of %s, which is the job that Slurm has: use that one",
	    job->made_in);
	return JOB_COPIED;
}

enum job_location
job_location(const struct store_job *job, struct error *e)
{
	struct stat there, here;

	if (job->made_in == NULL || strcmp(job->made_in, job->path) == 0)
		return JOB_IN_PLACE;
	if (fs_ops.fstatat(AT_FDCWD, job->made_in, &there, 0) == -1)
		return fs_says_absent(errno) ? say_moved(job, e) : JOB_IN_PLACE;
	if (fs_ops.fstat(job->dir, &here) == -1 ||
	    (there.st_dev == here.st_dev && there.st_ino == here.st_ino))
		return JOB_IN_PLACE;
	return compare(job, e);
}

int
job_location_refuse_copy(const struct store_job *job, struct error *e)
{
	return job_location(job, e) == JOB_COPIED ? error_prefix(e, job->name)
						  : 0;
}

int
job_location_begin(const struct store_job *job, struct error *e)
{
	return job_location(job, e) != JOB_IN_PLACE ? error_prefix(e, job->name)
						    : 0;
}
