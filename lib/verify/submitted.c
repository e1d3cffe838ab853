#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/xalloc.h"
#include "job/code.h"
#include "job/points.h"
#include "job/preflight.h"
#include "store/directory.h"
#include "store/points.h"
#include "verify/submitted.h"

/* So many files of a copy are named. */
enum { MOST_FILES = 1000 };

/* Without the program no task starts. */
static void
check_program(struct verify_job *s, const char *batch)
{
	char *name = job_preflight_program(batch), *path, *what;

	if (name == NULL)
		return;
	path = xasprintf("%s/%s", s->found->store->path, name);
	what = xasprintf("starts %s, which is not there", name);
	if (!fs_exists(path))
		verify_job_note(s, FINDING_PROGRAM, "", "batch.sh", what);
	free(what);
	free(path);
	free(name);
}

static int
check_batch(struct verify_job *s, struct error *e)
{
	struct error why;
	char *text;

	if (job_preflight_batch(s->job, &text, &why) == -1)
		return verify_job_note_file(
		    s, FINDING_BATCH, "batch.sh", &why, e);
	check_program(s, text);
	free(text);
	return 0;
}

static int
check_script(struct verify_job *s, struct error *e)
{
	struct error why;

	if (job_preflight_script(s->job, &why) == -1)
		return verify_job_note_file(s, FINDING_FILE, "script", &why, e);
	return 0;
}

static int
check_diff(struct verify_job *s, struct error *e)
{
	struct error why;
	size_t length;
	char *text;

	if (s->job->code.diff == NULL)
		return 0;
	if (job_code_diff(s->job, &text, &length, &why) == -1)
		return verify_job_note_file(s, FINDING_FILE, "diff", &why, e);
	free(text);
	return 0;
}

/* Points of the job, or of an extension. */
struct points {
	uint64_t first, tasks;
	const char *fingerprint; /* or NULL */
	int kept;                /* in points.tsv */
	const char *part;        /* "ext/1", or "" */
	int dir;
};

/* The index follows from the points, which are as they should be. */
static int
check_index(struct verify_job *s, const struct points *p, const char *points,
    size_t length, struct error *e)
{
	char *there, *index;
	size_t there_length, index_length;

	if (!p->kept)
		return 0;
	if (fs_read(p->dir, "points.idx", 1 << 30, &there, &there_length, e) ==
	    -1) {
		if (store_directory_is_damage(errno))
			verify_job_note(
			    s, FINDING_FILE, p->part, "points.idx", e->text);
		else if (errno != ENOENT)
			return -1;
		return 0;
	}
	index = store_points_index(points, length, &index_length);
	if (there_length != index_length ||
	    memcmp(there, index, index_length) != 0)
		verify_job_note(s, FINDING_FILE, p->part, "points.idx",
		    "damaged: not the index of the points");
	free(index);
	free(there);
	return 0;
}

static int
check_these(struct verify_job *s, const struct points *p, struct error *e)
{
	const char *name = p->kept ? "points.tsv" : "job.json";
	struct error why = {""};
	char *text, *mark;
	size_t length;
	int rc = 0;

	text = job_points_text(s->job, p->first, p->tasks, &length, &why);
	if (text == NULL && !store_directory_is_damage(errno) &&
	    errno != ENOENT) {
		rc = error_set(e, "%s", why.text);
	} else if (text == NULL) {
		verify_job_note(s, FINDING_STAYS, p->part, name, why.text);
	} else if (p->fingerprint != NULL) {
		mark = job_points_fingerprint(text, length);
		if (strcmp(mark, p->fingerprint) != 0)
			verify_job_note(s, FINDING_STAYS, p->part, name,
			    "its points are not those of its fingerprint");
		else
			rc = check_index(s, p, text, length, e);
		free(mark);
	}
	free(text);
	return rc;
}

static int
check_more(struct verify_job *s, size_t number, struct error *e)
{
	const struct store_extension *x = &s->job->extensions.item[number];
	char *part = xasprintf("ext/%zu", number + 1);
	struct points p = {.first = x->first,
	    .tasks = x->tasks - x->first,
	    .fingerprint = x->added,
	    .kept = 1,
	    .part = part,
	    .dir = store_extension_open(s->job->dir, number, e)};
	int rc = p.dir == -1 ? -1 : 0;

	if (rc == 0 && p.tasks > 0)
		rc = check_these(s, &p, e);
	fs_close(p.dir);
	free(part);
	return rc;
}

static int
check_points(struct verify_job *s, struct error *e)
{
	const struct points first = {.tasks = store_job_first_tasks(s->job),
	    .fingerprint = s->job->fingerprint,
	    .kept = s->job->points_kept,
	    .part = "",
	    .dir = s->job->dir};
	int rc = check_these(s, &first, e);
	size_t i;

	for (i = 0; rc == 0 && i < s->job->extensions.count; i++)
		rc = check_more(s, i, e);
	return rc;
}

/* Files of the copy, which a training may have written if they are data. */
static void
note_code(struct verify_job *s, const struct strlist *paths, const char *data,
    const char *what)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		if (job_code_is_data(s->job, paths->word[i]))
			verify_job_note(
			    s, FINDING_NOTE, "code", paths->word[i], data);
		else
			verify_job_note(
			    s, FINDING_STAYS, "code", paths->word[i], what);
}

/* The copy of the code is read-only, but its owner can change that. */
static int
check_code(struct verify_job *s, struct error *e)
{
	struct snapshot_changes c = {0};
	struct error why;
	int rc = job_code_changes(s->job, SNAPSHOT_ALL, MOST_FILES, &c, &why);
	int unread = 0;
	size_t i;

	if (rc == -1 && errno == EACCES)
		verify_job_note_unread(s, "code.tsv", &why);
	else if (rc == -1 &&
	    (errno == ENOENT || store_directory_is_damage(errno)))
		verify_job_note(s, FINDING_STAYS, "", "code.tsv", why.text);
	else if (rc == -1)
		unread = error_set(e, "%s", why.text);
	note_code(s, &c.changed, "written to since the submission",
	    "not what was submitted");
	note_code(s, &c.gone, "gone since the submission", "not there");
	for (i = 0; i < c.opened.count; i++)
		verify_job_note(s, FINDING_BARED, "code", c.opened.word[i],
		    "can be written to, which it could not be");
	for (i = 0; i < c.added.count; i++)
		verify_job_note(s, FINDING_NOTE, "code", c.added.word[i],
		    "made since the submission");
	snapshot_changes_free(&c);
	return unread;
}

int
verify_submitted(struct verify_job *s, struct error *e)
{
	return check_code(s, e) == -1 || check_points(s, e) == -1 ||
		check_batch(s, e) == -1 || check_script(s, e) == -1 ||
		check_diff(s, e) == -1
	    ? -1
	    : 0;
}
