#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "job/code.h"
#include "job/location.h"
#include "job/preflight.h"
#include "store/directory.h"
#include "store/job.h"
#include "store/permissions.h"
#include "store/store.h"
#include "sys/fs.h"

enum { BATCH_LIMIT = 16 << 20 };

char *
job_preflight_program(const char *batch)
{
	const char *at = strstr(batch, "/libexec/stfm-run-");

	if (at == NULL)
		return NULL;
	at++; /* the whole path may be quoted */
	return xstrndup(
	    at, strspn(at, "/-0123456789abcdefghijklmnopqrstuvwxyz"));
}

/* Read a file whose checksum is in the record; *text is to be freed. */
static int
read_summed(const struct store_job *job, int dir, const char *name,
    const char *sum, char **text, struct error *e)
{
	char *now;
	size_t length;
	int same;

	if (fs_read(dir, name, BATCH_LIMIT, text, &length, e) == -1)
		return -1;
	now = store_job_sum(*text, length);
	same = sum == NULL || strcmp(now, sum) == 0;
	free(now);
	if (same)
		return 0;
	free(*text);
	return error_code(e, ERROR_DAMAGED,
	    "%s/%s: damaged: not what was submitted", job->path, name);
}

int
job_preflight_batch(const struct store_job *job, char **text, struct error *e)
{
	return read_summed(job, job->dir, "batch.sh", job->batch, text, e);
}

int
job_preflight_script(const struct store_job *job, struct error *e)
{
	const char *sum =
	    job->code.number > 0 ? job->code.script_sum : job->script_sum;
	int dir, rc;
	char *text;

	if (job->script == NULL)
		return 0;
	dir = store_code_open(job, e);
	rc = dir == -1 ? -1 : read_summed(job, dir, "script", sum, &text, e);
	fs_close(dir);
	if (rc == 0)
		free(text);
	return rc;
}

/* Add what to do to a reason, unless a later try may succeed. */
static int
say_what_to_do(const struct store_job *job, struct error *e)
{
	if (e != NULL && e->code != ERROR_LATER)
		error_reword(e, e,
		    "%s: submit it again under another name (-J); stfm-check "
		    "%s lists all damage",
		    e->text, job->name);
	return -1;
}

int
job_preflight_check(const struct store_job *job, struct error *e)
{
	char *text;

	if (store_job_is_adopted(job))
		return error_set(e,
		    "%s: is %s, imported, and how that was submitted is not "
		    "known: sbatch it again and import that, or submit the "
		    "training with stfm-submit",
		    job->name, job->imported);
	if (job->imported != NULL)
		return error_set(e,
		    "%s: was imported from %s, so stfm does not know how to "
		    "train it: submit it with stfm-submit",
		    job->name, job->imported);
	if (job_location_begin(job, e) == -1 ||
	    store_permissions_check_job(job, e) == -1)
		return -1;
	if (job_preflight_batch(job, &text, e) == -1)
		return say_what_to_do(job, e);
	free(text);
	if (job_preflight_script(job, e) == -1 ||
	    job_code_is_complete(job, e) == -1)
		return say_what_to_do(job, e);
	return 0;
}

/*
 * Check that the program of the batch script exists, is what its name says, and
 * cannot be changed by other users.  If exactly program is missing, install it.
 */
static int
check_program(const struct store *store, const struct store_job *job,
    const char *program, struct error *e)
{
	char *text, *name, *path, *ours, *placed;
	const char *base;
	int rc = -1, dir;

	if (job_preflight_batch(job, &text, e) == -1)
		return -1;
	name = job_preflight_program(text);
	free(text);
	if (name == NULL)
		return 0;
	base = fs_base(name);
	path = xasprintf("%s/%s", store->path, name);
	if (fs_exists(path)) {
		dir = fs_open_subdir(store->dir, "libexec", 0, e);
		if (dir != -1)
			rc = store_permissions_check(
			    dir, base, geteuid(), path, e);
		if (rc == 0 && store_is_program(dir, base, e) != 1)
			rc = error_set(e,
			    "%s: damaged: not the program of this name: "
			    "stfm-check --repair moves it aside",
			    path);
		fs_close(dir);
	} else {
		ours = store_program(store->path, program, NULL);
		if (ours != NULL && strcmp(ours, path) == 0) {
			placed = store_install(store, program, e);
			rc = placed != NULL ? 0 : -1;
			free(placed);
		} else {
			error_set(e,
			    "%s: its tasks start %s, which is not there, and "
			    "this release has another: put it back, or submit "
			    "the job under another name (-J); stfm-check %s "
			    "says what else is missing",
			    job->name, path, job->name);
		}
		free(ours);
	}
	free(path);
	free(name);
	return rc;
}

int
job_preflight(const struct store *store, const struct store_job *job,
    const char *program, struct error *e)
{
	static const char *const parts[] = {"log", "metrics", "checkpoint"};
	size_t i;
	int dir;

	if (job_preflight_check(job, e) == -1 ||
	    check_program(store, job, program, e) == -1)
		return -1;
	for (i = 0; i < sizeof parts / sizeof *parts; i++) {
		dir = store_directory_open(job, parts[i], 1, e);
		if (dir == -1)
			return -1;
		fs_close(dir);
	}
	return 0;
}
