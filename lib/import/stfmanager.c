#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "control/chunk.h"
#include "import/stfmanager.h"
#include "job/argv.h"
#include "job/points.h"
#include "job/training-log.h"
#include "metrics/metrics.h"
#include "space/space.h"
#include "state/resolve.h"
#include "store/chunk.h"
#include "store/fact.h"

enum { MARK_LIMIT = 4096, LOG_LIMIT = 256 << 20 };

/* The batch script, which fails if it is queued. */
static const char import_script[] =
    "#!/bin/sh\n"
    "echo 'this job was imported: how to train it is not known' >&2\n"
    "exit 1\n";

/* ---- the time in START and END ---- */

/* Return seconds since 1970, or -1 for a day that does not exist. */
static int64_t
seconds_of(struct tm *tm, int is_local)
{
	long offset = tm->tm_gmtoff;
	int day = tm->tm_mday;
	int64_t seconds;

	tm->tm_isdst = -1;
	seconds = is_local ? (int64_t)mktime(tm) : (int64_t)timegm(tm) - offset;
	return tm->tm_mday == day ? seconds : -1;
}

/* Read "1767261600" or "1767261600.25", as Python's time.time() returns it. */
static int64_t
read_seconds(const char *text)
{
	enum { FIRST = 100000000 }; /* smaller numbers are hardly times */
	size_t digits = strspn(text, "0123456789");
	const char *rest = text + digits;
	char *whole = xstrndup(text, digits);
	int64_t seconds = -1;

	if (*rest == '.')
		rest += 1 + strspn(rest + 1, "0123456789");
	if (*rest != '\0' ||
	    num_int("", whole, FIRST, UINT32_MAX, &seconds, NULL) == -1)
		seconds = -1;
	free(whole);
	return seconds;
}

/*
 * Read "2026-01-01 10:00[:00[.5]][+01:00]"; without a zone the time is local.
 */
static int64_t
read_iso(const char *text)
{
	struct tm tm = {0};
	const char *rest = strptime(text, "%Y-%m-%d", &tm);

	if (rest == NULL || (*rest != ' ' && *rest != 'T'))
		return -1;
	rest = strptime(rest + 1, "%H:%M", &tm);
	if (rest != NULL && *rest == ':')
		rest = strptime(rest, ":%S", &tm);
	if (rest != NULL && *rest == '.')
		rest += 1 + strspn(rest + 1, "0123456789");
	if (rest != NULL && *rest == '\0')
		return seconds_of(&tm, 1);
	if (rest != NULL)
		rest = strptime(rest, " %z", &tm);
	return rest != NULL && *rest == '\0' ? seconds_of(&tm, 0) : -1;
}

/* Read "Thu Jan  1 10:00:00 [UTC] 2026", as date(1) and ctime(3) write it. */
static int64_t
read_date(const char *text)
{
	struct tm tm = {0};
	const char *rest = strptime(text, "%a %b %d %I:%M:%S %p ", &tm);
	char zone[16] = "";
	int64_t seconds;

	if (rest == NULL) {
		tm = (struct tm){0};
		rest = strptime(text, "%a %b %d %H:%M:%S ", &tm);
	}
	if (rest != NULL && sscanf(rest, "%15[A-Z]", zone) == 1)
		rest += strlen(zone);
	if (rest != NULL)
		rest = strptime(rest, " %Y", &tm);
	if (rest == NULL || *rest != '\0')
		return -1;
	if (strcmp(zone, "UTC") == 0 || strcmp(zone, "GMT") == 0)
		return seconds_of(&tm, 0);
	seconds = seconds_of(&tm, 1);
	return *zone == '\0' || strcmp(zone, tm.tm_zone) == 0 ? seconds : -1;
}

/* Return the time in the first line of a text, or -1 if it is not a time. */
static int64_t
read_time(char *text)
{
	int64_t seconds;
	size_t n = strcspn(text, "\r\n");

	while (n > 0 && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
	seconds = read_seconds(text);
	if (seconds == -1)
		seconds = read_iso(text);
	return seconds != -1 ? seconds : read_date(text);
}

/* ---- finding tasks ---- */

/*
 * Look for a file.  Returns 1, 0 if it does not exist, or -1 if that is
 * unknown.
 */
static int
look_for(int dir, const char *name, struct stat *st, struct error *e)
{
	if (fs_stat(dir, name, st, e) == 0)
		return 1;
	return errno == ENOENT ? 0 : -1;
}

/*
 * Find the time of START or END: its content, else the time of its last change,
 * or -1 if there is no such file.  Returns 0, or -1 as look_for does.
 */
static int
time_of(int dir, const char *name, int64_t *out, struct error *e)
{
	struct stat st;
	int is = look_for(dir, name, &st, e);
	int64_t seconds;
	char *text;

	*out = is == 1 ? st.st_mtime : -1;
	if (is != 1 || !S_ISREG(st.st_mode) || st.st_size > MARK_LIMIT)
		return is == -1 ? -1 : 0;
	if (fs_read(dir, name, MARK_LIMIT, &text, NULL, e) == -1)
		return -1;
	seconds = read_time(text);
	if (seconds != -1)
		*out = seconds;
	free(text);
	return 0;
}

/* Look whether a directory belongs to a task.  Returns 1, 0, or -1. */
static int
look(const char *parent, int above, const char *name,
    struct import_stfmanager_task *out, struct error *e)
{
	char *log = xasprintf("%s.csv", name);
	struct stat st;
	int dir = fs_open_subdir(above, name, 0, e), rc = -1, is_log;

	*out = (struct import_stfmanager_task){.name = NULL};
	if (dir == -1 && (fs_says_absent(errno) || errno == ELOOP))
		rc = 0;
	else if (dir != -1 && time_of(dir, "START", &out->start, e) == 0 &&
	    time_of(dir, "END", &out->end, e) == 0 &&
	    (is_log = look_for(dir, log, &st, e)) != -1) {
		if (is_log && S_ISREG(st.st_mode)) {
			out->changed = st.st_mtime;
			out->log = xasprintf("%s/%s/%s", parent, name, log);
		}
		rc = out->log != NULL || out->start != -1 || out->end != -1;
	}
	if (rc == 1)
		out->name = xstrdup(name);
	fs_close(dir);
	free(log);
	return rc;
}

static int
by_number(const void *a, const void *b)
{
	const struct import_stfmanager_task *x = a, *y = b;

	return strverscmp(x->name, y->name);
}

/* Return the name of a directory that has a task in it, or NULL. */
static const char *
find_below(const char *directory, int dir, const struct fs_names *names)
{
	struct import_stfmanager_task task;
	struct fs_names inner;
	size_t i, k;
	int below, found = 0;

	for (i = 0; i < names->count && !found; i++) {
		below = fs_open_subdir(dir, names->name[i], 0, NULL);
		if (below == -1)
			continue;
		if (fs_list(below, &inner, NULL) == 0) {
			for (k = 0; k < inner.count && !found; k++)
				found = look(directory, below, inner.name[k],
					    &task, NULL) == 1;
			if (found) {
				free(task.name);
				free(task.log);
			}
			fs_names_free(&inner);
		}
		fs_close(below);
	}
	return found ? names->name[i - 1] : NULL;
}

int
import_stfmanager_find(
    const char *directory, struct import_stfmanager *out, struct error *e)
{
	struct import_stfmanager_task task;
	struct fs_names names;
	const char *below;
	size_t i;
	int dir, rc, is;

	*out = (struct import_stfmanager){.directory = fs_absolute(directory)};
	dir = fs_open_dir(directory, e);
	rc = dir == -1 ? -1 : fs_list(dir, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++) {
		is = look(out->directory, dir, names.name[i], &task, e);
		if (is == -1)
			rc = -1;
		if (is != 1)
			continue;
		out->task = xgrow(out->task, out->count, sizeof *out->task);
		out->task[out->count++] = task;
	}
	if (rc == 0 && out->count == 0) {
		below = find_below(directory, dir, &names);
		rc = below != NULL
		    ? error_set(e,
			  "%s: the jobs are in the directories in it: import "
			  "%s/%s",
			  directory, directory, below)
		    : error_set(e,
			  "%s: no task is in it: TASK/TASK.csv is looked for, "
			  "and TASK/START and TASK/END",
			  directory);
	}
	if (out->count > 0)
		qsort(out->task, out->count, sizeof *out->task, by_number);
	if (dir != -1)
		fs_names_free(&names);
	fs_close(dir);
	if (rc == -1)
		import_stfmanager_free(out);
	return rc;
}

void
import_stfmanager_free(struct import_stfmanager *m)
{
	size_t i;

	for (i = 0; i < m->count; i++) {
		free(m->task[i].name);
		free(m->task[i].log);
	}
	free(m->task);
	free(m->directory);
	*m = (struct import_stfmanager){.count = 0};
}

/* ---- points ---- */

/* The names of a column that says which task a line belongs to. */
static const char *const keys[] = {"task", "task_id"};

/* Return the names and commands of the tasks, a JSON line for each; to free. */
static char *
known_text(const struct import_stfmanager *m, size_t *length)
{
	char *text;
	FILE *f = xmemopen(&text, length);
	size_t i;

	for (i = 0; i < m->count; i++) {
		fputs("{\"task_id\":", f);
		text_json(f, m->task[i].name);
		if (m->task[i].command != NULL) {
			fputs(",\"command\":", f);
			text_json(f, m->task[i].command);
		}
		fputs("}\n", f);
	}
	xmemclose(f);
	return text;
}

/* Return the lines of points.tsv; call strlist_free on them. */
static struct strlist
lines_of(const char *text)
{
	struct strlist lines = {0};
	size_t n;

	while (*text != '\0') {
		n = strcspn(text, "\n");
		strlist_take(&lines, xstrndup(text, n));
		text += n + (text[n] == '\n');
	}
	return lines;
}

/* Return a field of a line of points.tsv, to free. */
static char *
field(const char *line, size_t column)
{
	while (column-- > 0) {
		line += strcspn(line, "\t");
		line += *line == '\t';
	}
	return xstrndup(line, strcspn(line, "\t"));
}

/* Return the column that says which task a point belongs to, or -1. */
static int
task_column(const struct strlist *names)
{
	size_t i, k;

	for (k = 0; k < 2; k++)
		for (i = 0; i < names->count; i++)
			if (strcmp(names->word[i], keys[k]) == 0)
				return (int)i;
	return -1;
}

static int
by_name(const void *a, const void *b)
{
	struct import_stfmanager_task *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Find the first line of each task; lines may be in any order. */
static void
find_lines(
    struct import_stfmanager *m, const struct strlist *lines, size_t column)
{
	struct import_stfmanager_task key = {0}, *wanted = &key, **task,
				      **found;
	size_t i;

	task = xcalloc(m->count + 1, sizeof *task);
	for (i = 0; i < m->count; i++) {
		task[i] = &m->task[i];
		task[i]->row = UINT64_MAX;
	}
	qsort(task, m->count, sizeof *task, by_name);
	for (i = lines->count; --i > 0;) {
		key.name = field(lines->word[i], column);
		found = bsearch(&wanted, task, m->count, sizeof *task, by_name);
		if (found != NULL)
			(*found)->row = i - 1;
		free(key.name);
	}
	free(task);
}

static int
match(struct import_stfmanager *m, const struct strlist *lines, int column,
    const char *file, struct error *e)
{
	size_t i;

	if (column == -1 && lines->count - 1 != m->count)
		return error_set(e,
		    "%s: %zu points for %zu tasks: add a column \"task\" that "
		    "says which is whose",
		    file, lines->count - 1, m->count);
	for (i = 0; column == -1 && i < m->count; i++)
		m->task[i].row = i;
	if (column != -1)
		find_lines(m, lines, (size_t)column);
	for (i = 0; i < m->count; i++)
		if (m->task[i].row == UINT64_MAX)
			return error_set(e, "%s: no point is for task %s", file,
			    m->task[i].name);
	return 0;
}

/* Write a line of points.tsv without the columns in left_out. */
static void
put_line(FILE *f, const char *line, const char *left_out, size_t width)
{
	const char *between = "";
	char *text;
	size_t i;

	for (i = 0; i < width; i++) {
		if (left_out[i])
			continue;
		text = field(line, i);
		fprintf(f, "%s%s", between, text);
		between = "\t";
		free(text);
	}
	putc('\n', f);
}

/*
 * Keep only the points of these tasks, in their order.  With drops_keys, leave
 * out the columns that only say which task a line belongs to, unless there are
 * no others.
 */
static void
arrange(const struct import_stfmanager *m, struct job_plan *plan,
    const struct strlist *lines, int drops_keys)
{
	struct strlist *names = &plan->job->names;
	size_t width = names->count, count = 0, i;
	char *left_out = xcalloc(width + 1, 1);
	FILE *f;

	for (i = 0; drops_keys && i < width; i++)
		count += left_out[i] =
		    text_among(names->word[i], keys, 2) != -1;
	if (count == width)
		memset(left_out, 0, width);
	free(plan->points);
	f = xmemopen(&plan->points, &plan->points_length);
	put_line(f, lines->word[0], left_out, width);
	for (i = 0; i < m->count; i++)
		put_line(f, lines->word[m->task[i].row + 1], left_out, width);
	xmemclose(f);
	for (i = width; i-- > 0;) {
		if (!left_out[i])
			continue;
		memmove(plan->optional + i, plan->optional + i + 1,
		    names->count - i - 1);
		strlist_drop(names, i);
	}
	free(left_out);
	plan->job->tasks = m->count;
	free(plan->job->fingerprint);
	plan->job->fingerprint =
	    job_points_fingerprint(plan->points, plan->points_length);
}

int
import_stfmanager_points(struct import_stfmanager *m, struct job_plan *plan,
    const char *file, const char *text, size_t length, struct error *e)
{
	struct space *space = space_new();
	char *known = text == NULL ? known_text(m, &length) : NULL;
	struct strlist lines;
	int rc;

	plan->most = UINT64_MAX;
	rc = job_plan_points(plan, space, known != NULL ? "tasks" : file,
	    known != NULL ? known : text, length, e);
	if (rc == 0 && plan->job->groups.count > 0)
		rc = error_set(e,
		    "%s: has a column that asks Slurm for resources, which an "
		    "import cannot use",
		    file);
	if (rc == 0) {
		lines = lines_of(plan->points);
		rc = match(m, &lines,
		    known != NULL ? -1 : task_column(&plan->job->names), file,
		    e);
		if (rc == 0)
			arrange(m, plan, &lines,
			    known == NULL && m->directory != NULL);
		strlist_free(&lines);
	}
	free(known);
	space_free(space);
	return rc;
}

/* ---- storing ---- */

/* The content of the new job's directory. */
struct work {
	struct import_stfmanager *import;
	struct strlist lines; /* lines of points.tsv */
};

/* Copy the log of a task, and read it into the summary.  Returns 0 or -1. */
static int
copy_log(const struct store_job *job, int metrics,
    const struct import_stfmanager_task *t, uint64_t task,
    struct metrics_summary *m, struct error *e)
{
	const struct metrics_request request =
	    job_training_log_request(job, NULL);
	char *bytes, *name;
	size_t length;
	int rc;

	if (fs_read_path(t->log, LOG_LIMIT, &bytes, &length, e) == -1)
		return -1;
	name = xasprintf("%06" PRIu64 ".csv", task);
	rc = fs_publish(metrics, name, bytes, length, e);
	if (rc == 0) /* the time of the file gives the time per epoch */
		rc = fs_set_changed(metrics, name, t->changed, e);
	while (metrics_summary_read(m, &request, bytes, length, 1, NULL) == 1)
		continue;
	free(name);
	free(bytes);
	return rc;
}

/* Return whether the log has all epochs that the job asks for. */
static int
is_complete(const struct store_job *job, const char *line, uint64_t task,
    const struct metrics_summary *m)
{
	size_t width = job->names.count, i;
	char **value = xcalloc(width + 1, sizeof *value);
	struct job_task t = {
	    .job = job, .task = task, .value = (const char *const *)value};
	int complete;

	for (i = 0; i < width; i++)
		value[i] = field(line, i);
	complete = job_training_log_is_complete(&t, m);
	for (i = 0; i < width; i++)
		free(value[i]);
	free(value);
	return complete;
}

static int
publish(const struct store_job *job, uint64_t task, const char *kind,
    int64_t time, struct error *e)
{
	struct store_fact fact = {.task = task};
	struct store_fact_body body = store_fact_body();
	int rc;

	snprintf(fact.kind, sizeof fact.kind, "%s", kind);
	body.time = time;
	rc = store_fact_publish(job, &fact, &body, e);
	store_fact_body_free(&body);
	return rc == -1 ? -1 : 0;
}

static int
put_task(const struct store_job *job, int metrics, struct work *w,
    uint64_t task, struct error *e)
{
	struct import_stfmanager_task *t = &w->import->task[task];
	struct metrics_summary m = {0};
	char *kind;
	int rc = 0;

	if (t->log != NULL)
		rc = copy_log(job, metrics, t, task, &m, e);
	t->epochs = m.epochs;
	t->finished = m.epochs > 0 &&
	    (t->end != -1 || w->import->finished ||
		is_complete(job, w->lines.word[task + 1], task, &m));
	kind = xasprintf("X%s", t->finished ? state_imported : state_unproven);
	if (rc == 0 && (t->log != NULL || t->start != -1))
		rc = publish(job, task, "S", t->start, e);
	if (rc == 0)
		rc = publish(job, task, kind, t->end, e);
	free(kind);
	return rc;
}

/*
 * Write the records of the job, and withdraw its chunks, which must not be
 * queued.
 */
static int
furnish(void *arg, struct store_job *job, int dir, struct error *e)
{
	struct work *w = arg;
	int metrics = fs_open_subdir(dir, "metrics", 0, e), rc = 0;
	struct store_chunks chunks;
	struct store_chunk *c;
	uint64_t task;
	size_t i;

	if (metrics == -1)
		return -1;
	job->dir = dir;
	job_chunks(job, &chunks);
	for (i = 0; rc == 0 && i < chunks.count; i++) {
		c = &chunks.chunk[i];
		if (store_intent(job, c, e) == -1 ||
		    store_chunk_close(job, c->name, STORE_WITHDRAWN, e) == -1)
			rc = -1;
	}
	store_chunks_free(&chunks);
	for (task = 0; rc == 0 && task < w->import->count; task++)
		rc = put_task(job, metrics, w, task, e);
	job->dir = -1;
	fs_close(metrics);
	return rc;
}

int
import_stfmanager_create(struct job_plan *plan, const struct store *store,
    size_t tasks, const char *what, struct store_job_files *files,
    struct error *e)
{
	struct store_job *job = plan->job;
	int rc;

	files->batch = import_script;
	files->points = plan->points;
	files->points_length = plan->points_length;
	job->points_kept = 1;
	job->array_size = tasks;
	job->imported = xstrdup(what);
	rc = store_job_create(store, job, files, e);
	if (rc == 1)
		rc = error_set(e,
		    "%s: there is a job of this name: choose another with -J",
		    job->name);
	return rc;
}

int
import_stfmanager_store(struct import_stfmanager *m, struct job_plan *plan,
    const struct store *store, struct error *e)
{
	struct work w = {m, lines_of(plan->points)};
	struct store_job_files files = {.more = furnish, .arg = &w};
	int rc = import_stfmanager_create(
	    plan, store, m->count, m->directory, &files, e);

	strlist_free(&w.lines);
	return rc;
}
