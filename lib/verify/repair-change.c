/* Repair of changes, the records of stfm-restart --new-code and stfm-set. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "job/points.h"
#include "store/change.h"
#include "store/directory.h"
#include "store/job.h"
#include "verify/private.h"

enum { LIST_LIMIT = 64 << 20, SCRIPT_LIMIT = 4 << 20 };

/*
 * Make the change again from the files of its copy, in dir, if it has one: the
 * rest of the copy's record is taken from the copy before it.  Metrics settings
 * are nowhere else, so they are lost.
 */
static void
find_record(struct store_job *job, int dir, struct store_change *out)
{
	char *list, *script;
	size_t length;

	if (dir == -1 ||
	    fs_read(dir, "code.tsv", LIST_LIMIT, &list, &length, NULL) == -1)
		return;
	store_changes_apply(job);
	out->copies = 1;
	out->code = job->code;
	out->code.fingerprint = job_points_fingerprint(list, length);
	out->code.script_sum = NULL;
	free(list);
	if (fs_read(dir, "script", SCRIPT_LIMIT, &script, &length, NULL) == 0) {
		out->code.script_sum = store_job_sum(script, length);
		free(script);
	}
}

/* Replace the record, or the whole directory if it cannot be opened. */
static int
replace(struct repair *r, const struct store_change *change, int is_there,
    const char *path, struct error *e)
{
	char *below = xasprintf("%s/", path);
	char *record = fs_join(path, "change.json");
	int dir = repair_stage(r, below, e), rc;
	struct error why;

	rc = dir == -1 ? -1 : store_change_publish(dir, change, e);
	fs_close(dir);
	if (rc == 0 && is_there)
		rc = repair_replace(r, record, e);
	else if (rc == 0 && repair_move(r, path, &why) == -1 &&
	    why.code != ERROR_ABSENT)
		rc = error_copy(e, &why);
	else if (rc == 0)
		rc = repair_replace(r, path, e);
	free(record);
	free(below);
	return rc == 0 ? 0 : -1;
}

static int
repair_change(struct repair *r, struct store_job *job, struct error *e)
{
	size_t number = job->changes.count + 1;
	struct store_change change = {.created = -1};
	char *path = xasprintf("jobs/%s/change/%zu", job->name, number);
	int dir = store_numbered_open(job->dir, "change", number, NULL), rc;

	find_record(job, dir, &change);
	rc = replace(r, &change, dir != -1, path, e);
	fs_close(dir);
	if (rc == 0)
		repair_report(r,
		    "%s/change.json: made again%s; metrics settings, "
		    "description and tags that it had are lost: set them again "
		    "with stfm-set %s",
		    path, change.copies ? " from its copy of the code" : "",
		    job->name);
	if (change.copies) {
		free(change.code.fingerprint);
		free(change.code.script_sum);
	}
	free(path);
	return rc;
}

int
repair_changes(struct repair *r, const char *name, struct error *e)
{
	struct store_job *job;
	struct error why;
	size_t repaired = 0;
	int rc = 0, done = 0;

	while (rc == 0 && !done) {
		job = store_job_load_first(r->store, name, e);
		if (job == NULL)
			return -1;
		done = store_changes_load(
			   job->dir, job->path, &job->changes, &why) == 0;
		if (!done && !store_directory_is_damage(&why))
			rc = error_copy(e, &why);
		else if (!done && repaired > job->changes.count)
			/* Each round repairs one more change. */
			rc = error_set(e, "%s: its changes stay damaged", name);
		else if (!done) {
			repaired = job->changes.count + 1;
			rc = repair_change(r, job, e);
		}
		store_job_free(job);
	}
	return rc;
}
