#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job-points.h"
#include "space.h"
#include "store-points.h"
#include "text.h"
#include "xalloc.h"

enum { POINTS_LIMIT = 1 << 30, FEW = 64 };

/* One of space and text is there; or neither, while few points are read. */
struct job_points {
	const struct store_job *job;
	struct space *space;
	struct space_point *point;
	char *text;         /* of points.tsv, its lines cut apart */
	char **line;        /* the line of each task */
	int few;            /* lines to read alone before reading all */
	char *fields;       /* the values of the last task asked for */
	const char **value; /* one for each name */
};

/* Absent values are told from empty ones as databases do it. */
static const char absent[] = "\\N";

void
job_points_header(FILE *out, const struct words *names)
{
	size_t i;

	for (i = 0; i < names->count; i++) {
		if (i > 0)
			putc('\t', out);
		text_tsv(out, names->word[i]);
	}
	putc('\n', out);
}

void
job_points_row(FILE *out, const char *const *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (i > 0)
			putc('\t', out);
		if (values[i] == NULL)
			fputs(absent, out);
		else
			text_tsv(out, values[i]);
	}
	putc('\n', out);
}

/* What a backslash and this character stand for. */
static char
unescape(char c)
{
	return c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
}

/* Cut a copied line into its values, in place: how many there were. */
static size_t
cut(char *line, const char **value, size_t count)
{
	char *from = line, *to;
	size_t n = 0;

	for (;;) {
		if (n < count)
			value[n] = from;
		for (to = from; *from != '\0' && *from != '\t'; from++) {
			if (*from == '\\' && from[1] == 'N' && n < count &&
			    value[n] == from) {
				value[n] = NULL;
				from++;
			} else if (*from == '\\' && from[1] != '\0') {
				*to++ = unescape(*++from);
			} else {
				*to++ = *from;
			}
		}
		n++;
		if (*from == '\0') {
			*to = '\0';
			return n;
		}
		from++;
		*to = '\0';
	}
}

/* ---- from the space as typed ---- */

static int
open_space(struct job_points *p, struct error *e)
{
	static const char zip[] = "--zip=";
	const struct words *space = &p->job->space;
	size_t i;
	int rc = 0;

	p->space = space_new();
	for (i = 0; i < space->count && rc == 0; i++)
		if (strncmp(space->word[i], zip, sizeof zip - 1) == 0)
			rc = space_zip(
			    p->space, space->word[i] + sizeof zip - 1, e);
		else
			rc = space_add(p->space, space->word[i], e);
	if (rc == -1 || space_finish(p->space, e) == -1)
		return -1;
	if (space_width(p->space) != p->job->names.count ||
	    space_size(p->space) != p->job->tasks)
		return error_set(
		    e, "%s: its space gives other points now", p->job->name);
	p->point = space_point_new(p->space);
	return 0;
}

/* ---- from points.tsv ---- */

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
char *
job_points_fingerprint(const char *bytes, size_t length)
{
	uint64_t hash = 14695981039346656037u;
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
	return xasprintf("%016" PRIx64, hash);
}

/* Whether the points are those that were submitted. */
static int
check_fingerprint(const struct store_job *job, const char *text, size_t length,
    struct error *e)
{
	char *now = job_points_fingerprint(text, length);
	int same =
	    job->fingerprint == NULL || strcmp(now, job->fingerprint) == 0;

	free(now);
	if (same)
		return 0;
	errno = EBADMSG;
	return error_set(e,
	    "%s/points.tsv: damaged: not the points that were submitted",
	    job->path);
}

static int
open_file(struct job_points *p, struct error *e)
{
	uint64_t lines = 0;
	char *at, *end;
	size_t length;

	if (fs_read(p->job->dir, "points.tsv", POINTS_LIMIT, &p->text, &length,
		e) == -1)
		return -1;
	if (check_fingerprint(p->job, p->text, length, e) == -1)
		return -1;
	p->line = xcalloc(p->job->tasks + 1, sizeof *p->line);
	for (at = p->text; at < p->text + length; at = end + 1) {
		end = memchr(at, '\n', (size_t)(p->text + length - at));
		if (end == NULL || lines > p->job->tasks)
			break;
		*end = '\0';
		p->line[lines++] = at;
	}
	if (at == p->text + length && lines == p->job->tasks + 1)
		return 0;
	errno = EBADMSG;
	return error_set(e,
	    "%s/points.tsv: damaged: %" PRIu64 " whole lines for %" PRIu64
	    " tasks and the header",
	    p->job->path, lines, p->job->tasks);
}

static struct job_points *
open_points(const struct store_job *job, int few, struct error *e)
{
	struct job_points *p = xcalloc(1, sizeof *p);
	int rc = 0, saved;

	p->job = job;
	p->few = few;
	p->value = xcalloc(job->names.count + 1, sizeof *p->value);
	if (!job->points_kept && (rc = open_space(p, e)) == -1)
		errno = EBADMSG;
	else if (job->points_kept && few == 0)
		rc = open_file(p, e);
	if (rc == 0)
		return p;
	saved = errno;
	job_points_free(p);
	errno = saved;
	return NULL;
}

static void
close_file(struct job_points *p)
{
	free(p->text);
	free(p->line);
	p->text = NULL;
	p->line = NULL;
}

struct job_points *
job_points_open(const struct store_job *job, struct error *e)
{
	return open_points(job, 0, e);
}

struct job_points *
job_points_open_few(const struct store_job *job, struct error *e)
{
	return open_points(job, FEW, e);
}

void
job_points_free(struct job_points *p)
{
	if (p == NULL)
		return;
	if (p->point != NULL)
		space_point_free(p->point);
	if (p->space != NULL)
		space_free(p->space);
	close_file(p);
	free(p->fields);
	free(p->value);
	free(p);
}

/* The line of a task, to free, or NULL. */
static char *
line_of(struct job_points *p, uint64_t task, struct error *e)
{
	char *line;

	if (p->text == NULL && p->few > 0) {
		p->few--;
		if (store_points_line(p->job, task, &line) == 0)
			return line;
	}
	if (p->text == NULL && open_file(p, e) == -1) {
		close_file(p);
		return NULL;
	}
	return xstrdup(p->line[task + 1]);
}

static int
get_from_file(struct job_points *p, uint64_t task, struct error *e)
{
	size_t count = p->job->names.count, n;

	free(p->fields);
	p->fields = line_of(p, task, e);
	if (p->fields == NULL)
		return -1;
	n = cut(p->fields, p->value, count);
	if (n == count || count == 0)
		return 0;
	errno = EBADMSG;
	return error_set(e,
	    "%s/points.tsv:%" PRIu64 ": %zu values for %zu names", p->job->path,
	    task + 2, n, count);
}

const char *const *
job_points_get(struct job_points *p, uint64_t task, struct error *e)
{
	size_t i;

	if (task >= p->job->tasks) {
		error_set(
		    e, "%s/%" PRIu64 ": no such task", p->job->name, task);
		return NULL;
	}
	if (p->space == NULL)
		return get_from_file(p, task, e) == 0 ? p->value : NULL;
	space_at(p->space, task, p->point);
	for (i = 0; i < p->job->names.count; i++)
		p->value[i] = space_value(p->point, i);
	return p->value;
}
