#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/points.h"
#include "space/space.h"
#include "store/extension.h"
#include "store/fact.h"
#include "store/job.h"
#include "store/points.h"
#include "sys/fs.h"

enum { FEW = 64 };

/* A file of points: points.tsv of the job or of an extension. */
struct points_file {
	size_t extension; /* 1 for ext/1, or 0 */
	uint64_t first, tasks;
	const char *fingerprint; /* or NULL */
	char *path;
	char *text;  /* all of the file once it is read, cut into lines */
	char **line; /* the line of names, then one for each task */
};

/* Tasks that are in no file have their points from the space. */
struct job_points {
	const struct store_job *job;
	struct space *space;
	struct space_point *point;
	struct points_file *file;
	size_t files;
	int few;            /* lines to read one by one before reading all */
	char *fields;       /* the values of the last task asked for */
	const char **value; /* a value for each name */
	char **constant;    /* the values that are the same in all points */
};

/* A missing value; an empty string is an empty value. */
static const char absent[] = "\\N";

void
job_points_header(FILE *out, const struct strlist *names)
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

size_t
job_points_cut(char *line, const char **value, size_t count)
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
				from++;
				*to++ = *from == 't' ? '\t'
				    : *from == 'n'   ? '\n'
				    : *from == 'r'   ? '\r'
						     : *from;
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

/* ---- points from the space as typed ---- */

/* Add a word of the space as typed. */
static int
add_word(struct space *space, const char *word, struct error *e)
{
	static const char zip[] = "--zip=", when[] = "--when=",
			  except[] = "--except=";

	if (text_begins(word, zip))
		return space_zip(space, word + sizeof zip - 1, e);
	if (text_begins(word, when))
		return space_when(space, word + sizeof when - 1, e);
	if (text_begins(word, except))
		return space_except(space, word + sizeof except - 1, e);
	return text_begins(word, "--") ? 0 : space_add(space, word, e);
}

struct space *
job_points_space(const struct store_job *job, struct error *e)
{
	struct space *space = space_new();
	size_t i;
	int rc = 0;

	for (i = 0; i < job->space.count && rc == 0; i++)
		rc = add_word(space, job->space.word[i], e);
	/* One sample tells all that a sampler needs of distributions. */
	if (rc == 0 && space_is_drawn(space))
		space_samples(space, 1);
	if (rc == 0 && space_finish(space, e) == 0)
		return space;
	space_free(space);
	return NULL;
}

static int
open_space(struct job_points *p, struct error *e)
{
	p->space = job_points_space(p->job, e);
	if (p->space == NULL)
		return -1;
	if (space_width(p->space) != p->job->names.count ||
	    space_size(p->space) != store_job_first_tasks(p->job))
		return error_set(
		    e, "%s: its space gives other points now", p->job->name);
	p->point = space_point_new(p->space);
	return 0;
}

/* ---- points from files ---- */

/* Uses FNV-1a with 64 bits (Fowler, Noll, Vo). */
char *
job_points_fingerprint(const char *bytes, size_t length)
{
	uint64_t hash = 14695981039346656037u;
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
	return xasprintf("%016" PRIx64, hash);
}

/* Open the directory of a file of points; to fs_close. */
static int
open_directory(
    const struct job_points *p, const struct points_file *f, struct error *e)
{
	if (f->extension == 0)
		return fs_open_subdir(p->job->dir, ".", 0, e);
	return store_extension_open(p->job->dir, f->extension - 1, e);
}

/* Cut the text into its lines; the first has the names. */
static int
cut_lines(struct points_file *f, size_t length, struct error *e)
{
	uint64_t lines = 0;
	char *at = f->text, *end;

	/* Do not allocate by a number of tasks that may be wrong. */
	f->line = xcalloc(
	    f->tasks < length ? f->tasks + 1 : length + 1, sizeof *f->line);
	for (; at < f->text + length; at = end + 1) {
		end = memchr(at, '\n', (size_t)(f->text + length - at));
		if (end == NULL || lines > f->tasks)
			break;
		*end = '\0';
		f->line[lines++] = at;
	}
	if (at == f->text + length && lines > 0 && lines - 1 == f->tasks)
		return 0;
	return error_code(e, ERROR_DAMAGED,
	    "%s: damaged: %" PRIu64 " whole lines for %" PRIu64
	    " tasks and the header",
	    f->path, lines, f->tasks);
}

/* Read a file of points and check that it is as submitted. */
static int
open_file(const struct job_points *p, struct points_file *f, struct error *e)
{
	int dir = open_directory(p, f, e), rc = -1, same;
	size_t length = 0;
	char *now;

	if (dir != -1)
		rc = fs_read(
		    dir, "points.tsv", FS_ALL_TASKS, &f->text, &length, e);
	fs_close(dir);
	if (rc == -1)
		return -1;
	now = job_points_fingerprint(f->text, length);
	same = f->fingerprint == NULL || strcmp(now, f->fingerprint) == 0;
	free(now);
	if (same)
		return cut_lines(f, length, e);
	return error_code(e, ERROR_DAMAGED,
	    "%s: damaged: not the points that were submitted", f->path);
}

static void
close_file(struct points_file *f)
{
	free(f->text);
	free(f->line);
	f->text = NULL;
	f->line = NULL;
}

/* Return the file of points with a task, or NULL. */
static struct points_file *
file_of(const struct job_points *p, uint64_t task)
{
	size_t i;

	for (i = 0; i < p->files; i++)
		if (task >= p->file[i].first &&
		    task - p->file[i].first < p->file[i].tasks)
			return &p->file[i];
	return NULL;
}

/* ---- all points of a job ---- */

static void
add_file(struct job_points *p, size_t extension, uint64_t first, uint64_t tasks,
    const char *fingerprint)
{
	const char *path = p->job->path;
	struct points_file *f;

	if (tasks == 0)
		return;
	p->file = xgrow(p->file, p->files, sizeof *p->file);
	f = &p->file[p->files++];
	*f = (struct points_file){.extension = extension,
	    .first = first,
	    .tasks = tasks,
	    .fingerprint = fingerprint};
	f->path = extension == 0
	    ? xasprintf("%s/points.tsv", path)
	    : xasprintf("%s/ext/%zu/points.tsv", path, extension);
}

static struct job_points *
open_points(const struct store_job *job, int few, struct error *e)
{
	struct job_points *p = xcalloc(1, sizeof *p);
	const struct store_extension *x;
	size_t i;
	int rc = 0;

	p->job = job;
	p->few = few;
	p->value = xcalloc(job->names.count + 1, sizeof *p->value);
	if (job->points_kept)
		add_file(p, 0, 0, store_job_first_tasks(job), job->fingerprint);
	for (i = 0; i < job->extensions.count; i++) {
		x = &job->extensions.item[i];
		add_file(p, i + 1, x->first, x->tasks - x->first, x->added);
	}
	if (!job->points_kept)
		rc = open_space(p, e);
	if (rc == -1 && e != NULL)
		e->code = ERROR_DAMAGED;
	for (i = 0; rc == 0 && few == 0 && i < p->files; i++)
		rc = open_file(p, &p->file[i], e);
	if (rc == 0)
		return p;
	job_points_free(p);
	return NULL;
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
	size_t i;

	if (p == NULL)
		return;
	if (p->point != NULL)
		space_point_free(p->point);
	if (p->space != NULL)
		space_free(p->space);
	for (i = 0; i < p->files; i++) {
		close_file(&p->file[i]);
		free(p->file[i].path);
	}
	free(p->file);
	for (i = 0; p->constant != NULL && i < p->job->names.count; i++)
		free(p->constant[i]);
	free(p->constant);
	free(p->fields);
	free(p->value);
	free(p);
}

/* Return the line of a task, to free, or NULL. */
static char *
line_of(
    struct job_points *p, struct points_file *f, uint64_t task, struct error *e)
{
	char *line;
	int dir, rc = -1;

	if (f->text == NULL && p->few > 0) {
		p->few--;
		dir = open_directory(p, f, NULL);
		if (dir != -1)
			rc = store_points_line(dir, task - f->first, &line);
		fs_close(dir);
		if (rc == 0)
			return line;
	}
	if (f->text == NULL && open_file(p, f, e) == -1) {
		close_file(f);
		return NULL;
	}
	return xstrdup(f->line[task - f->first + 1]);
}

const char *const *
job_points_get(struct job_points *p, uint64_t task, struct error *e)
{
	size_t count = p->job->names.count, i;
	const char *const *value;
	struct points_file *f;
	char *line, *what;

	if (task >= p->job->tasks) {
		error_set(
		    e, "%s/%" PRIu64 ": no such task", p->job->name, task);
		return NULL;
	}
	f = file_of(p, task);
	if (f == NULL) {
		space_at(p->space, task, p->point);
		for (i = 0; i < count; i++)
			p->value[i] = space_value(p->point, i);
		return p->value;
	}
	line = line_of(p, f, task, e);
	if (line == NULL)
		return NULL;
	what = xasprintf("%s:%" PRIu64, f->path, task - f->first + 2);
	value = job_points_line(p, line, what, e);
	free(what);
	free(line);
	return value;
}

const char *const *
job_points_line(
    struct job_points *p, const char *line, const char *what, struct error *e)
{
	size_t count = p->job->names.count, n;
	char *fields = xstrdup(line);

	free(p->fields);
	p->fields = fields;
	n = job_points_cut(p->fields, p->value, count);
	if (n == count || count == 0)
		return p->value;
	error_code(
	    e, ERROR_DAMAGED, "%s: %zu values for %zu names", what, n, count);
	return NULL;
}

/* ---- points that a sampler chooses ---- */

int
job_points_are_chosen(const struct store_job *job)
{
	return job->search.sampler != NULL;
}

int
job_points_lack(const struct store_job *job, const struct store_row *row)
{
	return job_points_are_chosen(job) && job_point_text(row->point) == NULL;
}

/* Return what is known of a point before it is chosen. */
static const char *const *
before_choice(struct job_points *p)
{
	size_t count = p->job->names.count, i;
	struct space *space;

	if (p->constant == NULL) {
		p->constant = xcalloc(count + 1, sizeof *p->constant);
		space = job_points_space(p->job, NULL);
		for (i = 0; space != NULL && i < count; i++)
			p->constant[i] =
			    space_constant(space, p->job->names.word[i]);
		if (space != NULL)
			space_free(space);
	}
	memcpy(p->value, p->constant, count * sizeof *p->value);
	return p->value;
}

const char *const *
job_points_of(
    struct job_points *p, const struct store_row *row, struct error *e)
{
	const char *line = job_point_text(row->point);
	const char *const *value;
	char *what;

	if (!job_points_are_chosen(p->job))
		return job_points_get(p, row->task, e);
	if (line == NULL)
		return before_choice(p);
	what = xasprintf("%s/%" PRIu64, p->job->name, row->task);
	value = job_points_line(p, line, what, e);
	free(what);
	return value;
}

int
job_point_run(const char *text, struct store_run *out)
{
	const char *restart;
	char *end;

	*out = (struct store_run){0, 0};
	if (text == NULL)
		return 0;
	out->attempt = (uint32_t)strtoul(text, &end, 10);
	if (end == text || *end != '.')
		return 0;
	restart = end + 1;
	out->restart = (uint32_t)strtoul(restart, &end, 10);
	return end > restart && *end == ' ' ? (int)(end + 1 - text) : 0;
}

const char *
job_point_text(const char *text)
{
	struct store_run run;
	int at = job_point_run(text, &run);

	return at > 0 ? text + at : NULL;
}

int
job_point_is_known(const char *text, const struct store_fact *fact)
{
	struct store_run run;

	if (strcmp(fact->kind, "P") != 0)
		return 1;
	return job_point_run(text, &run) > 0 &&
	    store_run_compare(STORE_RUN(fact), run) <= 0;
}

void
job_point_take(char **text, const struct store_fact *fact,
    const struct store_fact_body *body)
{
	if (job_point_is_known(*text, fact) || body->point == NULL)
		return;
	free(*text);
	*text = xasprintf("%" PRIu32 ".%" PRIu32 " %s", fact->attempt,
	    fact->restart, body->point);
}

char *
job_points_text(const struct store_job *job, uint64_t first, uint64_t tasks,
    size_t *length, struct error *e)
{
	struct job_points *p = job_points_open_few(job, e);
	const char *const *values = NULL;
	uint64_t i;
	char *text;
	FILE *out;

	if (p == NULL)
		return NULL;
	p->few = 0; /* read whole files, but only the needed ones */
	out = xmemopen(&text, length);
	job_points_header(out, &job->names);
	for (i = 0; i < tasks; i++) {
		values = job_points_get(p, first + i, e);
		if (values == NULL)
			break;
		job_points_row(out, values, job->names.count);
	}
	xmemclose(out);
	job_points_free(p);
	if (i == tasks)
		return text;
	free(text);
	return NULL;
}
