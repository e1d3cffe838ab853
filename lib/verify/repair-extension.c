/* Repair of extensions, the records of stfm-submit --sync. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/points.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/extension.h"
#include "store/job.h"
#include "store/points.h"
#include "verify/private.h"

/*
 * The fingerprint of points whose own fingerprint is lost; no points match it.
 */
static const char lost_mark[] = "lost";

/*
 * A damaged extension.  The job is loaded without it and the extensions after
 * it.
 */
struct damaged {
	struct store_job *job;
	size_t number;
	struct store_extension x; /* the parts that other records contain */
	int is_last;
	int was_there;
};

/* ---- reconstructing an extension ---- */

/* Return whether why means that a file is lost, not temporarily unreadable. */
static int
is_lost(const struct error *why)
{
	return why->code == ERROR_ABSENT || store_directory_is_damage(why);
}

/* Return whether points match their index, if there is one; or -1. */
static int
are_intact(int dir, const char *points, size_t length, struct error *e)
{
	char *index, *old = NULL;
	size_t index_length, old_length;
	struct error why;
	int same;

	if (length == 0 || points[length - 1] != '\n')
		return 0;
	if (fs_read(dir, "points.idx", FS_ALL_TASKS, &old, &old_length, &why) ==
	    -1) {
		if (why.code == ERROR_ABSENT)
			return 1;
		return is_lost(&why) ? 0 : error_copy(e, &why);
	}
	index = store_points_index(points, length, &index_length);
	same =
	    index_length == old_length && memcmp(index, old, index_length) == 0;
	free(index);
	free(old);
	return same;
}

/*
 * Read the number of tasks and the fingerprint from the extension's own points.
 */
static int
take_points(struct damaged *d, struct error *e)
{
	struct error why;
	int dir = store_extension_open(d->job->dir, d->number, &why), intact;
	char *points = NULL;
	size_t length = 0, i;

	if (dir != -1 &&
	    fs_read(dir, "points.tsv", FS_ALL_TASKS, &points, &length, &why) ==
		0)
		intact = are_intact(dir, points, length, e);
	else
		intact = is_lost(&why) ? 0 : error_copy(e, &why);
	if (intact == 1) {
		for (i = 0; i < length; i++)
			d->x.tasks += points[i] == '\n';
		d->x.tasks--; /* the line of names is no task */
		d->x.added = job_points_fingerprint(points, length);
		fs_changed(dir, "points.tsv", &d->x.created, NULL);
	}
	free(points);
	fs_close(dir);
	return intact == -1 ? -1 : 0;
}

/* Count every task that was ever queued, because its number is taken. */
static int
take_queued(struct damaged *d, struct error *e)
{
	char *own = xasprintf("x%05zu-", d->number + 1);
	struct store_chunks chunks = {0};
	const struct idset *tasks;
	uint64_t past;
	int rc = store_chunks_list(d->job, &chunks, e);
	size_t i;

	for (i = 0; rc == 0 && i < chunks.count; i++) {
		tasks = &chunks.chunk[i].tasks;
		if (tasks->count == 0 ||
		    !text_begins(chunks.chunk[i].name, own))
			continue;
		past = tasks->run[tasks->count - 1].last + 1;
		if (past > d->x.tasks)
			d->x.tasks = past;
	}
	store_chunks_free(&chunks);
	free(own);
	return rc;
}

/* Reconstruct the extension from other records. */
static int
find_record(struct damaged *d, struct error *e)
{
	struct error why;
	uint64_t next;

	d->x = (struct store_extension){
	    .first = d->job->tasks, .tasks = d->job->tasks, .created = -1};
	d->x.fingerprint = xstrdup(lost_mark);
	/* Points that were dropped before stay dropped. */
	if (d->number > 0)
		idset_add_all(&d->x.dropped,
		    &d->job->extensions.item[d->number - 1].dropped);
	if (take_points(d, e) == -1)
		return -1;
	d->is_last = store_extension_first(
			 d->job->dir, d->number + 1, &next, &why) == -1;
	if (d->is_last && !is_lost(&why))
		return error_copy(e, &why);
	if (!d->is_last && next >= d->x.first)
		d->x.tasks = next;
	else if (take_queued(d, e) == -1)
		return -1;
	if (d->x.added == NULL && d->x.tasks > d->x.first)
		d->x.added = xstrdup(lost_mark);
	return 0;
}

/* ---- writing ---- */

/* Replace the record, or the whole directory if it cannot be opened. */
static int
replace(struct repair *r, struct damaged *d, const char *path, struct error *e)
{
	struct error why;
	int dir = store_extension_open(d->job->dir, d->number, &why), rc;
	int is_there = dir != -1;
	struct stat st;
	char *below, *record;

	if (!is_there && !is_lost(&why))
		return error_copy(e, &why);
	d->was_there = is_there && fs_stat(dir, "ext.json", &st, NULL) == 0;
	fs_close(dir);
	below = xasprintf("%s/", path);
	record = fs_join(path, "ext.json");
	dir = repair_stage(r, below, e);
	rc = dir == -1 ? -1 : store_extension_publish(dir, &d->x, e);
	fs_close(dir);
	if (rc == 0 && is_there)
		rc = repair_replace(r, record, e);
	else if (rc == 0) {
		d->was_there = repair_move(r, path, &why) == 0;
		if (!d->was_there && why.code != ERROR_ABSENT)
			rc = error_copy(e, &why);
		else
			rc = repair_replace(r, path, e);
	}
	free(record);
	free(below);
	return rc == 0 ? 0 : -1;
}

static void
report(struct repair *r, const struct damaged *d, const char *path)
{
	struct idset tasks = {0};
	char *text;

	if (d->x.tasks > d->x.first)
		idset_add(&tasks, d->x.first, d->x.tasks - 1);
	text = idset_text(&tasks);
	idset_free(&tasks);
	repair_report(r,
	    "%s/ext.json: %s: %s%s%s; the command that made this change is "
	    "lost%s",
	    path,
	    d->was_there ? "moved aside, and made again"
			 : "was not there: made again",
	    *text ? "the points it added are tasks " : "it added no ",
	    *text ? text : "point", *text ? ", as before" : "",
	    d->is_last ? ", and which points it dropped" : "");
	if (d->is_last)
		repair_report(r,
		    "jobs/%s: say again which points are wanted: stfm-submit "
		    "--sync, with all of them",
		    d->job->name);
	free(text);
}

static int
repair_extension(struct repair *r, struct store_job *job, struct error *e)
{
	struct damaged d = {.job = job, .number = job->extensions.count};
	char *path = xasprintf("jobs/%s/ext/%zu", job->name, d.number + 1);
	int rc = find_record(&d, e);

	if (rc == 0)
		rc = replace(r, &d, path, e);
	if (rc == 0)
		report(r, &d, path);
	idset_free(&d.x.dropped);
	free(d.x.fingerprint);
	free(d.x.added);
	free(path);
	return rc;
}

int
repair_extensions(struct repair *r, const char *name, struct error *e)
{
	struct store_extensions *intact;
	struct store_job *job;
	struct error why;
	size_t repaired = 0;
	int rc = 0, done = 0;

	while (rc == 0 && !done) {
		job = store_job_load_first(r->store, name, e);
		if (job == NULL)
			return -1;
		intact = &job->extensions;
		done = store_extensions_load(
			   job->dir, job->path, job->tasks, intact, &why) == 0;
		if (!done && !store_directory_is_damage(&why)) {
			rc = error_copy(e, &why);
		} else if (!done && repaired > intact->count) {
			/* Each round repairs one more extension. */
			rc = error_set(e, "%s: its changes stay damaged", name);
		} else if (!done) {
			if (intact->count > 0)
				job->tasks =
				    intact->item[intact->count - 1].tasks;
			repaired = intact->count + 1;
			rc = repair_extension(r, job, e);
		}
		store_job_free(job);
	}
	return rc;
}
