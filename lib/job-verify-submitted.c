#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job-code.h"
#include "job-points.h"
#include "job-ready.h"
#include "job-verify-submitted.h"
#include "store-part.h"
#include "store-points.h"
#include "words.h"
#include "xalloc.h"

/* So many files of a copy are named. */
enum { MOST_FILES = 1000 };

/* Without the program no task starts. */
static void
check_program(struct job_subject *s, const char *batch)
{
	char *name = job_ready_program(batch), *path, *what;

	if (name == NULL)
		return;
	path = xasprintf("%s/%s", s->found->store->path, name);
	what = xasprintf("starts %s, which is not there", name);
	if (!fs_exists(path))
		job_subject_note(s, FINDING_PROGRAM, "", "batch.sh", what);
	free(what);
	free(path);
	free(name);
}

static int
check_batch(struct job_subject *s, struct error *e)
{
	struct error why;
	char *text;

	if (job_ready_batch(s->job, &text, &why) == -1)
		return job_subject_note_file(
		    s, FINDING_BATCH, "batch.sh", &why, e);
	check_program(s, text);
	free(text);
	return 0;
}

static int
check_script(struct job_subject *s, struct error *e)
{
	struct error why;

	if (job_ready_script(s->job, &why) == -1)
		return job_subject_note_file(
		    s, FINDING_FILE, "script", &why, e);
	return 0;
}

static int
check_diff(struct job_subject *s, struct error *e)
{
	struct error why;
	size_t length;
	char *text;

	if (s->job->code.diff == NULL)
		return 0;
	if (job_code_diff(s->job, &text, &length, &why) == -1)
		return job_subject_note_file(s, FINDING_FILE, "diff", &why, e);
	free(text);
	return 0;
}

/* All values of all points, as points.tsv has them. */
static char *
points_text(const struct store_job *job, struct job_points *p, size_t *length,
    struct error *e)
{
	const char *const *values;
	char *text;
	FILE *out = xmemopen(&text, length);
	uint64_t task;

	job_points_header(out, &job->names);
	for (task = 0; task < job->tasks; task++) {
		values = job_points_get(p, task, e);
		if (values == NULL)
			break;
		job_points_row(out, values, job->names.count);
	}
	xmemclose(out);
	if (task == job->tasks)
		return text;
	free(text);
	return NULL;
}

/* The index follows from the points, which are as they should be. */
static int
check_index(
    struct job_subject *s, const char *points, size_t length, struct error *e)
{
	char *there, *index;
	size_t there_length, index_length;

	if (!s->job->points_kept)
		return 0;
	if (fs_read(s->job->dir, "points.idx", 1 << 30, &there, &there_length,
		e) == -1) {
		if (store_part_is_damage(errno))
			job_subject_note(
			    s, FINDING_FILE, "", "points.idx", e->text);
		else if (errno != ENOENT)
			return -1;
		return 0;
	}
	index = store_points_index(points, length, &index_length);
	if (there_length != index_length ||
	    memcmp(there, index, index_length) != 0)
		job_subject_note(s, FINDING_FILE, "", "points.idx",
		    "damaged: not the index of the points");
	free(index);
	free(there);
	return 0;
}

static int
check_points(struct job_subject *s, struct error *e)
{
	struct job_points *p;
	struct error why = {""};
	char *text = NULL, *mark;
	size_t length;
	int rc = 0;

	p = job_points_open(s->job, &why);
	if (p != NULL)
		text = points_text(s->job, p, &length, &why);
	if (text == NULL && !store_part_is_damage(errno) && errno != ENOENT) {
		rc = error_set(e, "%s", why.text);
	} else if (text == NULL) {
		job_subject_note(s, FINDING_STAYS, "",
		    s->job->points_kept ? "points.tsv" : "job.json", why.text);
	} else if (s->job->fingerprint != NULL) {
		mark = job_points_fingerprint(text, length);
		if (strcmp(mark, s->job->fingerprint) != 0)
			job_subject_note(s, FINDING_STAYS, "",
			    s->job->points_kept ? "points.tsv" : "job.json",
			    "its points are not those of its fingerprint");
		else
			rc = check_index(s, text, length, e);
		free(mark);
	}
	free(text);
	job_points_free(p);
	return rc;
}

/* Files of the copy, which a training may have written if they are data. */
static void
note_code(struct job_subject *s, const struct words *paths, const char *data,
    const char *what)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		if (job_code_is_data(s->job, paths->word[i]))
			job_subject_note(
			    s, FINDING_NOTE, "code", paths->word[i], data);
		else
			job_subject_note(
			    s, FINDING_STAYS, "code", paths->word[i], what);
}

/* The copy of the code is read-only, but its owner can change that. */
static int
check_code(struct job_subject *s, struct error *e)
{
	struct snapshot_changes c = {0};
	struct error why;
	int rc = job_code_changes(s->job, SNAPSHOT_ALL, MOST_FILES, &c, &why);
	int unread = 0;
	size_t i;

	if (rc == -1 && errno == EACCES) /* it is its owner's alone */
		job_subject_note(s, FINDING_NOTE, "", "code.tsv", why.text);
	else if (rc == -1 && (errno == ENOENT || store_part_is_damage(errno)))
		job_subject_note(s, FINDING_STAYS, "", "code.tsv", why.text);
	else if (rc == -1)
		unread = error_set(e, "%s", why.text);
	note_code(s, &c.changed, "written to since the submission",
	    "not what was submitted");
	note_code(s, &c.gone, "gone since the submission", "not there");
	for (i = 0; i < c.opened.count; i++)
		job_subject_note(s, FINDING_BARED, "code", c.opened.word[i],
		    "can be written to, which it could not be");
	for (i = 0; i < c.added.count; i++)
		job_subject_note(s, FINDING_NOTE, "code", c.added.word[i],
		    "made since the submission");
	snapshot_changes_free(&c);
	return unread;
}

int
job_verify_submitted(struct job_subject *s, struct error *e)
{
	return check_code(s, e) == -1 || check_points(s, e) == -1 ||
		check_batch(s, e) == -1 || check_script(s, e) == -1 ||
		check_diff(s, e) == -1
	    ? -1
	    : 0;
}
