#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/points.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/points.h"
#include "sys/fs-tree.h"
#include "sys/fs.h"
#include "verify/repair-extension.h"

/* In the place of a fingerprint that is lost: no points have it. */
static const char lost_mark[] = "lost";

enum { POINTS_LIMIT = 1 << 30 };

/* One of a job that was loaded without it and those behind it. */
struct mending {
	struct store_job *job;
	size_t number;
	struct store_extension x;
	int is_last;
	int was_there; /* what is made again */
};

/* ---- what tells of it ---- */

/* What cannot be read now may be read tomorrow, and is not lost. */
static int
is_lost(int reason)
{
	return reason == ENOENT || store_directory_is_damage(reason);
}

/*
 * Whether points are those that their index was made of, if there is one: 1 or
 * 0, or -1.
 */
static int
are_sound(int dir, const char *points, size_t length, struct error *e)
{
	char *index, *there = NULL;
	size_t index_length, there_length;
	int same;

	if (length == 0 || points[length - 1] != '\n')
		return 0;
	if (fs_read(dir, "points.idx", POINTS_LIMIT, &there, &there_length,
		e) == -1)
		return errno == ENOENT ? 1 : is_lost(errno) ? 0 : -1;
	index = store_points_index(points, length, &index_length);
	same = index_length == there_length &&
	    memcmp(index, there, index_length) == 0;
	free(index);
	free(there);
	return same;
}

static void
count_points(struct mending *m, const char *points, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		m->x.tasks += points[i] == '\n';
	m->x.tasks--; /* the names */
	m->x.added = job_points_fingerprint(points, length);
}

/* Its own points: how many they are, and their fingerprint. */
static int
take_points(struct mending *m, struct error *e)
{
	int dir = store_extension_open(m->job->dir, m->number, e), sound = -1;
	char *points = NULL;
	size_t length = 0;

	if (dir != -1 &&
	    fs_read(dir, "points.tsv", POINTS_LIMIT, &points, &length, e) == 0)
		sound = are_sound(dir, points, length, e);
	else if (is_lost(errno))
		sound = 0;
	if (sound == 1) {
		count_points(m, points, length);
		fs_changed(dir, "points.tsv", &m->x.created, NULL);
	}
	free(points);
	fs_close(dir);
	return sound == -1 ? -1 : 0;
}

/* No task that was ever queued may be forgotten: its number is taken. */
static int
take_queued(struct mending *m, struct error *e)
{
	char *own = xasprintf("x%05zu-", m->number + 1);
	struct store_chunks chunks = {0};
	const struct idset *tasks;
	uint64_t past;
	int rc = store_chunks_list(m->job, &chunks, e);
	size_t i;

	for (i = 0; rc == 0 && i < chunks.count; i++) {
		tasks = &chunks.chunk[i].tasks;
		if (tasks->count == 0 ||
		    strncmp(chunks.chunk[i].name, own, strlen(own)) != 0)
			continue;
		past = tasks->run[tasks->count - 1].last + 1;
		if (past > m->x.tasks)
			m->x.tasks = past;
	}
	store_chunks_free(&chunks);
	free(own);
	return rc;
}

/* What was dropped before it stays so. */
static void
take_dropped(struct mending *m)
{
	const struct idset *before;
	size_t i;

	if (m->number == 0)
		return;
	before = &m->job->extensions.item[m->number - 1].dropped;
	for (i = 0; i < before->count; i++)
		idset_add(
		    &m->x.dropped, before->run[i].first, before->run[i].last);
}

/* The record as far as it can be told. */
static int
tell(struct mending *m, struct error *e)
{
	uint64_t next;

	m->x = (struct store_extension){
	    .first = m->job->tasks, .tasks = m->job->tasks, .created = -1};
	m->x.fingerprint = xstrdup(lost_mark);
	take_dropped(m);
	if (take_points(m, e) == -1)
		return -1;
	m->is_last =
	    store_extension_first(m->job->dir, m->number + 1, &next, e) == -1;
	if (m->is_last && !is_lost(errno))
		return -1;
	if (!m->is_last && next >= m->x.first)
		m->x.tasks = next;
	else if (take_queued(m, e) == -1)
		return -1;
	if (m->x.added == NULL && m->x.tasks > m->x.first)
		m->x.added = xstrdup(lost_mark);
	return 0;
}

static void
forget(struct mending *m)
{
	idset_free(&m->x.dropped);
	free(m->x.fingerprint);
	free(m->x.added);
}

/* ---- writing ---- */

/* Where its directory is none, it gets one. */
static int
replace(
    struct quarantine *l, struct mending *m, const char *path, struct error *e)
{
	int dir = store_extension_open(m->job->dir, m->number, e), rc;
	int is_there = dir != -1;
	struct stat st;
	char *below, *record;

	if (!is_there && !is_lost(errno))
		return -1;
	m->was_there = is_there && fs_look(dir, "ext.json", &st, NULL) == 0;
	fs_close(dir);
	below = xasprintf("%s/", path);
	record = fs_join(path, "ext.json");
	dir = quarantine_stage(l, below, e);
	rc = dir == -1 ? -1 : store_extension_publish(dir, &m->x, e);
	fs_close(dir);
	if (rc == 0 && is_there)
		rc = quarantine_take_place(l, record, e);
	else if (rc == 0) {
		m->was_there = quarantine_move(l, path, e) == 0;
		if (!m->was_there && errno != ENOENT)
			rc = -1;
		else
			rc = quarantine_take_place(l, path, e);
	}
	free(record);
	free(below);
	return rc == 0 ? 0 : -1;
}

static void
say(struct repair_log *mend, const struct mending *m, const char *path)
{
	struct idset tasks = {0};
	char *text;
	const char *done = m->was_there ? "moved aside, and made again"
					: "was not there: made again";

	if (m->x.tasks > m->x.first)
		idset_add(&tasks, m->x.first, m->x.tasks - 1);
	text = idset_text(&tasks);
	idset_free(&tasks);
	repair_say(mend,
	    "%s/ext.json: %s: %s%s%s; the command that made this change is "
	    "lost%s",
	    path, done,
	    *text ? "the points it added are tasks " : "it added no ",
	    *text ? text : "point", *text ? ", as before" : "",
	    m->is_last ? ", and which points it dropped" : "");
	if (m->is_last)
		repair_say(mend,
		    "jobs/%s: say again which points are wanted: stfm-submit "
		    "--sync, with all of them",
		    m->job->name);
	free(text);
}

static int
mend_one(struct repair_log *mend, struct store_job *job, struct error *e)
{
	struct mending m = {.job = job, .number = job->extensions.count};
	char *path = xasprintf("jobs/%s/ext/%zu", job->name, m.number + 1);
	int rc = tell(&m, e);

	if (rc == 0)
		rc = replace(&mend->lost, &m, path, e);
	if (rc == 0)
		say(mend, &m, path);
	forget(&m);
	free(path);
	return rc;
}

/* Load a job as far as it is whole: 1 when that is all of it, 0, or -1. */
static int
load(struct store_job *job, struct error *e)
{
	struct store_extensions *all = &job->extensions;

	if (store_extensions_load(job->dir, job->path, job->tasks, all, e) == 0)
		return 1;
	if (!store_directory_is_damage(errno))
		return -1;
	if (all->count > 0)
		job->tasks = all->item[all->count - 1].tasks;
	return 0;
}

int
repair_extensions(struct repair_log *mend, const char *name, struct error *e)
{
	struct store_job *job;
	size_t mended = 0;
	int rc = 0;

	while (rc == 0) {
		job = store_job_load_first(mend->lost.store, name, e);
		rc = job == NULL ? -1 : load(job, e);
		/* Each time, one more of them is whole. */
		if (rc == 0 && mended > job->extensions.count)
			rc = error_set(e, "%s: its changes stay damaged", name);
		if (rc == 0) {
			mended = job->extensions.count + 1;
			rc = mend_one(mend, job, e);
		}
		store_job_free(job);
	}
	return rc == -1 ? -1 : 0;
}
