#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "chart/chart.h"
#include "status/private.h"
#include "store/job.h"

enum {
	JOB,
	DESCRIPTION,
	TAGS,
	TASKS,
	STATES,
	PROGRESS = STATES + STORE_STATES,
	BAR,
	METRIC,
	GOAL,
	BEST,
	BEST_TASK,
	BEST_EPOCH,
	ETA,
	MARKS,
	CREATED,
	AGE,
	UPDATED,
	TROUBLE,
	USER,
	DIRECTORY,
	STALLED,
	LATE,
	IDLE,
	DIVERGED,
	COLUMNS
};

enum { BAR_LEAST = 5, BAR_MOST = 10 };

/* The values of the progress bars. */
struct jobs {
	double *part;
	const struct show_style *look;
	int users; /* some jobs belong to other users */
};

static size_t
draw_bar(FILE *out, void *arg, uint64_t row, size_t width)
{
	const struct jobs *jobs = arg;

	return chart_bar(out, jobs->part[row], width, jobs->look->charset);
}

static const struct table_column columns[COLUMNS] = {
    [JOB] = {.name = "job", .head = "JOB", .cut = 8, .least = 8},
    [DESCRIPTION] = {.name = "description",
	.head = "DESCRIPTION",
	.optional = 1,
	.cut = 1,
	.least = 8,
	.drop = 3},
    [TAGS] = {.name = "tags",
	.head = "TAGS",
	.optional = 1,
	.cut = 2,
	.least = 8,
	.drop = 3},
    [TASKS] = {.name = "tasks"},
    [STATES + STORE_SUBMITTED] = SHOW_STATE(SUBMITTED, SUBM),
    [STATES + STORE_RUNNING] = SHOW_STATE(RUNNING, RUN),
    [STATES + STORE_FINISHED] = SHOW_STATE(FINISHED, FIN),
    [STATES + STORE_ERROR] = SHOW_STATE(ERROR, ERR),
    [STATES + STORE_STOPPED] = SHOW_STATE(STOPPED, STOP),
    [PROGRESS] = {.name = "progress",
	.head = "PROGRESS",
	.brief = "DONE",
	.right = 1,
	.narrow = 4},
    [BAR] = {.head = "",
	.drop = 2,
	.draw = draw_bar,
	.least = BAR_LEAST,
	.most = BAR_MOST},
    [METRIC] = {.name = "metric"},
    [GOAL] = {.name = "goal"},
    [BEST] =
	{.name = "best", .head = "BEST", .right = 1, .optional = 1, .drop = 9},
    [BEST_TASK] = {.name = "best_task",
	.head = "TASK",
	.optional = 1,
	.drop = 7},
    [BEST_EPOCH] = {.name = "best_epoch"},
    [ETA] =
	{.name = "eta", .head = "ETA", .right = 1, .optional = 1, .drop = 8},
    [MARKS] = {.head = "MARK", .optional = 1, .drop = 9},
    [CREATED] = {.name = "created"},
    [AGE] = {.head = "AGE", .right = 1, .drop = 7},
    [UPDATED] = {.name = "updated"},
    [TROUBLE] = {.name = "trouble"},
    [USER] = {.name = "user", .head = "USER", .optional = 1, .drop = 6},
    [DIRECTORY] = {.name = "directory"},
    [STALLED] = {.name = "stalled"},
    [LATE] = {.name = "late"},
    [IDLE] = {.name = "idle"},
    [DIVERGED] = {.name = "diverged"},
};

/* Write an age in its largest unit.  Returns out. */
static char *
age_text(int64_t seconds, char out[NUM_TEXT])
{
	static const struct {
		int64_t seconds;
		const char *unit;
	} units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
	size_t i = 0;

	if (seconds < 0)
		seconds = 0;
	while (i < 3 && seconds < 2 * units[i].seconds)
		i++;
	snprintf(out, NUM_TEXT, "%" PRId64 " %s", seconds / units[i].seconds,
	    units[i].unit);
	return out;
}

static void
put_best(struct table *t, const struct job_view *v)
{
	char text[NUM_TEXT], *id;

	table_text(t, METRIC, v->metric);
	if (v->metric != NULL)
		table_text(t, GOAL, v->goal == METRICS_MAX ? "max" : "min");
	if (v->best == -1) {
		table_show(t, BEST, "-");
		return;
	}
	table_real(t, BEST, v->best_value);
	table_show(t, BEST, job_view_value(v->best_value, text));
	table_real(t, BEST_EPOCH, v->best_epoch);
	id = xasprintf("%s/%" PRId64, v->job->name, v->best);
	table_text(t, BEST_TASK, id);
	free(id);
}

/*
 * Put the marks of tasks: "1 STALLED, 2 DIVERGED".  Without o, those of running
 * tasks are not known.
 */
static void
put_marks(
    struct table *t, const struct job_view *v, const struct job_outlook *o)
{
	const struct {
		const char *name;
		uint64_t count;
		size_t column;
	} marks[] = {
	    {"DIVERGED", (uint64_t)v->table->summary.diverged, DIVERGED},
	    {"STALLED", o != NULL ? o->stalled : 0, STALLED},
	    {"LATE", o != NULL ? o->late : 0, LATE},
	    {"IDLE", o != NULL ? o->idle : 0, IDLE},
	};
	size_t count = o != NULL ? sizeof marks / sizeof *marks : 1;
	char text[128] = "";
	size_t i, used = 0;

	for (i = 0; i < count; i++) {
		table_int(t, marks[i].column, (int64_t)marks[i].count);
		if (marks[i].count > 0)
			used +=
			    (size_t)snprintf(text + used, sizeof text - used,
				"%s%" PRIu64 " %s", used > 0 ? ", " : "",
				marks[i].count, marks[i].name);
	}
	if (used == 0)
		return;
	table_show(t, MARKS, text);
	table_paint(t, MARKS, TABLE_YELLOW);
}

/* Put the tags, "paper,2026". */
static void
put_tags(struct table *t, const struct strlist *tags)
{
	char *text = tags->count > 0 ? strlist_join(tags, ",") : NULL;

	table_text(t, TAGS, text);
	free(text);
}

static void
put_job(
    struct table *t, struct job_view *v, const struct jobs *jobs, double part)
{
	struct job_outlook outlook;
	int is_known = job_view_outlook(v, &outlook), i;
	/* Of a job that is over, some tasks will never do the rest. */
	int is_cut = part < 1 && job_view_is_final(v);
	char text[NUM_TEXT];

	table_text(t, JOB, v->job->name);
	if (v->job->description != NULL && *v->job->description != '\0')
		table_text(t, DESCRIPTION, v->job->description);
	put_tags(t, &v->job->tags);
	for (i = 0; i < STORE_STATES; i++) {
		table_int(
		    t, STATES + (size_t)i, (int64_t)v->table->in_state[i]);
		if (v->table->in_state[i] == 0)
			table_show(t, STATES + (size_t)i, "-");
		else
			table_paint(t, STATES + (size_t)i,
			    show_color((enum store_state)i));
	}
	table_int(t, TASKS, (int64_t)v->table->count);
	table_real(t, PROGRESS, part);
	snprintf(text, sizeof text, "%d%%", (int)(part * 100 + 1e-9));
	table_show(t, PROGRESS, is_cut ? "ended" : text);
	table_show(t, BAR, is_cut ? NULL : "");
	put_best(t, v);
	if (is_known) {
		/*
		 * Programs get no ETA if tasks have STALLED; people see the
		 * mark next to it.
		 */
		if (!isnan(outlook.left) && outlook.stalled == 0)
			table_real(t, ETA, ceil(outlook.left));
		if (!isnan(outlook.left))
			table_show(t, ETA,
			    num_span((int64_t)ceil(outlook.left), text));
	}
	put_marks(t, v, is_known ? &outlook : NULL);
	table_time(t, CREATED, v->job->created);
	table_show(t, AGE, age_text(jobs->look->now - v->job->created, text));
	table_time(t, UPDATED, v->table->generation > 0 ? v->table->time : -1);
	table_text(t, TROUBLE,
	    v->table->trouble != NULL ? v->table->trouble : v->table->silence);
	table_text(t, USER, v->job->user);
	if (!jobs->users)
		table_show(t, USER, NULL);
	table_text(t, DIRECTORY, v->job->directory);
}

/*
 * If there are more jobs than most, choose the newest jobs that are not over,
 * then the newest of the others; keep their order.
 */
static size_t
choose(struct job_view *const *views, size_t count, size_t most,
    struct job_view **out)
{
	char *chosen = xcalloc(count + 1, 1);
	size_t left = most < count ? most : count, i, n = 0;
	int over;

	for (over = 0; over <= 1; over++)
		for (i = count; i > 0 && left > 0; i--)
			if (!chosen[i - 1] &&
			    job_view_is_final(views[i - 1]) == over) {
				chosen[i - 1] = 1;
				left--;
			}
	for (i = 0; i < count; i++)
		if (chosen[i])
			out[n++] = views[i];
	free(chosen);
	return n;
}

/* Return how many jobs are not over. */
static size_t
count_open(struct job_view *const *views, size_t count)
{
	size_t i, open = 0;

	for (i = 0; i < count; i++)
		open += !job_view_is_final(views[i]);
	return open;
}

static int
put_jobs(FILE *out, struct job_view *const *views, size_t count,
    const struct show_style *look, struct error *e)
{
	struct jobs jobs = {xcalloc(count, sizeof(double)), look, 0};
	struct table_look how = {
	    look->format, look->width, look->colors, &jobs};
	int64_t own = (int64_t)geteuid();
	struct table *t;
	size_t i;
	int rc;

	for (i = 0; i < count; i++) {
		jobs.part[i] = job_summary_part(views[i]->table);
		jobs.users |= views[i]->job->uid != own;
	}
	t = table_new(out, columns, COLUMNS, &how);
	rc = show_choose(t, look, e);
	for (i = 0; rc == 0 && i < count; i++) {
		table_row(t);
		put_job(t, views[i], &jobs, jobs.part[i]);
	}
	if (rc == 0)
		table_end(t);
	free(jobs.part);
	return rc;
}

int
job_show_jobs(FILE *out, struct job_view *const *views, size_t count,
    const struct show_style *look, struct error *e)
{
	struct job_view **some;
	size_t most = look->rows, n, open;
	int rc;

	if (most == 0 || look->format != TABLE_TEXT || count + 1 <= most)
		return put_jobs(out, views, count, look, e);
	some = xcalloc(count + 1, sizeof *some);
	n = choose(views, count, most > 3 ? most - 2 : 1, some);
	rc = put_jobs(out, some, n, look, e);
	open = count_open(views, count) - count_open(some, n);
	if (rc == 0 && open > 0)
		fprintf(out, "and %zu more, %zu of them not over\n", count - n,
		    open);
	else if (rc == 0)
		fprintf(out, "and %zu more, which are over\n", count - n);
	free(some);
	return rc;
}
