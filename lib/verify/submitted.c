/* Checking what the submission stored: script, points and code. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/code.h"
#include "job/points.h"
#include "job/preflight.h"
#include "store/directory.h"
#include "store/extension.h"
#include "store/job.h"
#include "store/points.h"
#include "store/store.h"
#include "verify/private.h"

/* Maximum changed files of the code to name, of each kind of change. */
enum { MOST_FILES = 1000 };

static int
check_batch(struct verify_job *s, struct error *e)
{
	struct error why;
	char *text, *name, *path, *what;

	if (job_preflight_batch(s->job, &text, &why) == -1)
		return verify_job_note_file(
		    s, FINDING_BATCH, "batch.sh", &why, e);
	name = job_preflight_program(text);
	free(text);
	if (name == NULL)
		return 0;
	path = xasprintf("%s/%s", s->found->store->path, name);
	what = xasprintf("starts %s, which is not there", name);
	if (!fs_exists(path))
		verify_job_note(s, FINDING_PROGRAM, "", "batch.sh", what);
	free(what);
	free(path);
	free(name);
	return 0;
}

/* ---- points ---- */

/* The points of a job or of an extension. */
struct points {
	uint64_t first, tasks;
	const char *fingerprint; /* their fingerprint, or NULL */
	int is_file;             /* whether they are in points.tsv */
	const char *part;        /* directory of points.tsv: "ext/1", or "" */
	int dir;
};

/* Compare points.idx with the index of the points, which must be intact. */
static int
check_index(struct verify_job *s, const struct points *p, const char *points,
    size_t length, struct error *e)
{
	char *old, *index;
	size_t old_length, index_length;
	struct error why;

	if (!p->is_file)
		return 0;
	if (fs_read(p->dir, "points.idx", FS_ALL_TASKS, &old, &old_length,
		&why) == -1) {
		if (store_directory_is_damage(&why))
			verify_job_note(
			    s, FINDING_FILE, p->part, "points.idx", why.text);
		else if (why.code != ERROR_ABSENT)
			return error_copy(e, &why);
		return 0;
	}
	index = store_points_index(points, length, &index_length);
	if (old_length != index_length || memcmp(old, index, index_length) != 0)
		verify_job_note(s, FINDING_FILE, p->part, "points.idx",
		    "damaged: not the index of the points");
	free(index);
	free(old);
	return 0;
}

static int
check_points(struct verify_job *s, const struct points *p, struct error *e)
{
	const char *name = p->is_file ? "points.tsv" : "job.json";
	struct error why = {""};
	char *text, *fingerprint;
	size_t length;
	int rc = 0;

	text = job_points_text(s->job, p->first, p->tasks, &length, &why);
	if (text == NULL && !store_directory_is_damage(&why) &&
	    why.code != ERROR_ABSENT) {
		rc = error_copy(e, &why);
	} else if (text == NULL) {
		verify_job_note(s, FINDING_STAYS, p->part, name, why.text);
	} else if (p->fingerprint != NULL) {
		fingerprint = job_points_fingerprint(text, length);
		if (strcmp(fingerprint, p->fingerprint) != 0)
			verify_job_note(s, FINDING_STAYS, p->part, name,
			    "its points are not those of its fingerprint");
		else
			rc = check_index(s, p, text, length, e);
		free(fingerprint);
	}
	free(text);
	return rc;
}

static int
check_all_points(struct verify_job *s, struct error *e)
{
	struct points p = {.tasks = store_job_first_tasks(s->job),
	    .fingerprint = s->job->fingerprint,
	    .is_file = s->job->points_kept,
	    .part = "",
	    .dir = s->job->dir};
	int rc = check_points(s, &p, e);
	const struct store_extension *x;
	char *part;
	size_t i;

	for (i = 0; rc == 0 && i < s->job->extensions.count; i++) {
		x = &s->job->extensions.item[i];
		part = xasprintf("ext/%zu", i + 1);
		p = (struct points){x->first, x->tasks - x->first, x->added, 1,
		    part, store_extension_open(s->job->dir, i, e)};
		if (p.dir == -1)
			rc = -1;
		else if (p.tasks > 0)
			rc = check_points(s, &p, e);
		fs_close(p.dir);
		free(part);
	}
	return rc;
}

/* ---- the copy of the code ---- */

/* Return the name, in the job's directory, of a file of the copy in use. */
static char *
copied_name(const struct verify_job *s, const char *name)
{
	int64_t number = s->job->code.number;

	return number == 0 ? xstrdup(name)
			   : xasprintf("change/%" PRId64 "%s%s", number,
				 *name != '\0' ? "/" : "", name);
}

/* Note something about a file of the copy in use. */
static void
note_copy(struct verify_job *s, enum verify_finding_kind kind, const char *part,
    const char *name, const char *what)
{
	char *below = copied_name(s, part);

	verify_job_note(s, kind, below, name, what);
	free(below);
}

/*
 * Note files of the copy.  A training may have written to files that are data.
 */
static void
note_code(struct verify_job *s, const struct strlist *paths,
    const char *what_of_data, const char *what)
{
	size_t i;
	int is_data;

	for (i = 0; i < paths->count; i++) {
		is_data = job_code_is_data(s->job, paths->word[i]);
		note_copy(s, is_data ? FINDING_NOTE : FINDING_STAYS, "code",
		    paths->word[i], is_data ? what_of_data : what);
	}
}

/*
 * Compare the copy of the code with the submission.  It is read-only, but its
 * owner can change this.
 */
static int
check_code(struct verify_job *s, struct error *e)
{
	struct snapshot_changes c = {0};
	struct error why;
	int rc = job_code_changes(s->job, SNAPSHOT_ALL, MOST_FILES, &c, &why);
	size_t i;

	if (rc == -1 && why.number == EACCES) {
		verify_job_note_unread(s, "code.tsv", &why);
		rc = 0;
	} else if (rc == -1 &&
	    (why.code == ERROR_ABSENT || store_directory_is_damage(&why))) {
		note_copy(s, FINDING_STAYS, "", "code.tsv", why.text);
		rc = 0;
	} else if (rc == -1) {
		error_copy(e, &why);
	}
	note_code(s, &c.changed, "written to since the submission",
	    "not what was submitted");
	note_code(s, &c.gone, "gone since the submission", "not there");
	for (i = 0; i < c.opened.count; i++)
		note_copy(s, FINDING_WRITABLE, "code", c.opened.word[i],
		    "can be written to, which it could not be");
	for (i = 0; i < c.added.count; i++)
		note_copy(s, FINDING_NOTE, "code", c.added.word[i],
		    "made since the submission");
	snapshot_changes_free(&c);
	return rc == -1 ? -1 : 0;
}

/* Check the copy in use, the script and the diff that belong to it. */
static int
check_copy(struct verify_job *s, struct error *e)
{
	struct error why;
	size_t length;
	char *diff = NULL, *below;
	int rc = check_code(s, e);

	if (rc == 0 && job_preflight_script(s->job, &why) == -1) {
		below = copied_name(s, "script");
		rc = verify_job_note_file(s, FINDING_FILE, below, &why, e);
		free(below);
	}
	if (rc == 0 && s->job->code.diff != NULL &&
	    job_code_diff(s->job, &diff, &length, &why) == -1) {
		below = copied_name(s, "diff");
		rc = verify_job_note_file(s, FINDING_FILE, below, &why, e);
		free(below);
	}
	free(diff);
	return rc;
}

int
verify_submitted(struct verify_job *s, struct error *e)
{
	struct store_job of = *s->job;
	struct verify_job copy = *s;
	int64_t number = (int64_t)s->job->changes.count;
	int rc = 0;

	copy.job = &of;
	for (; rc == 0 && number >= 0; number--)
		if (store_code_use(&of, number, NULL) == 0)
			rc = check_copy(&copy, e);
	s->is_broken |= copy.is_broken;
	if (rc == -1 || check_all_points(s, e) == -1)
		return -1;
	return check_batch(s, e);
}
