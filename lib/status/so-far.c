#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "job/training-log.h"
#include "state/history.h"
#include "status/curve.h"
#include "status/so-far.h"
#include "store/fact.h"

enum {
	LONGEST = 256 << 20, /* logs of more bytes are left out */
	DIGITS = 6           /* of hours */
};

const char job_so_far_gpus[] = "gpu_hours", job_so_far_time[] = "hours";

/* A run begins or ends, or a task reaches a value. */
struct event {
	double time;
	double rate;  /* change of how many GPUs or tasks are used */
	double value; /* nan: none */
};

struct events {
	struct event *event;
	size_t count;
};

static void
add(struct events *all, double time, double rate, double value)
{
	all->event = xgrow(all->event, all->count, sizeof *all->event);
	all->event[all->count++] = (struct event){time, rate, value};
}

/* Add the begin and the end of a run.  Returns its seconds. */
static double
add_run(struct events *all, struct job_view *v, const struct store_row *row,
    double seconds, int gpus)
{
	double rate = gpus ? (double)store_fact_gpus(row->gpus) : 1;

	if (row->start == -1 || seconds <= 0)
		return 0;
	rate /= (double)job_view_packed(v, row);
	add(all, (double)row->start, rate, NAN);
	add(all, (double)row->start + seconds, -rate, NAN);
	return seconds;
}

/* Add the values of a task's log that are better than those before. */
static int
add_values(struct events *all, struct job_view *v, const struct store_row *row,
    const char *metric, enum metrics_goal goal, double seconds,
    struct error *why)
{
	char *path =
	    job_training_log_find(v->job, row, job_view_point(v, row->task));
	const struct metrics_series *y;
	struct record_pattern *pattern;
	struct job_curve curve;
	struct error reason;
	double best = NAN;
	size_t i;
	int rc;

	if (path == NULL)
		return 0;
	pattern = job_training_log_pattern(
	    v->job, path, job_training_log_output(v->job, row));
	rc = job_curve_read(&curve, path, NULL, metric, pattern, LONGEST,
	    store_state_is_final(row->state), &reason);
	if (rc == -1 && errno == ENOENT)
		rc = 1;
	else if (rc == -1)
		error_copy(why, &reason);
	y = rc == 0 ? curve.series : NULL;
	for (i = 0; rc == 0 && i < y->count; i++) {
		if (!isfinite(y->y[i]) ||
		    (isfinite(best) && !metrics_better(goal, y->y[i], best)))
			continue;
		best = y->y[i];
		add(all,
		    (double)row->start +
			seconds * (double)(i + 1) / (double)y->count,
		    0, best);
	}
	if (rc == 0)
		job_curve_free(&curve);
	record_pattern_free(pattern);
	free(path);
	return rc;
}

static int
add_task(struct events *all, struct job_view *v, uint64_t task,
    const char *metric, enum metrics_goal goal, int gpus, struct error *why)
{
	const struct store_row *row = job_view_row(v, task);
	struct job_history runs;
	double seconds;
	size_t i;
	int rc = 0;

	if (row->attempt > 0 || row->restart > 0) {
		job_view_attempts(v, task, &runs);
		for (i = 0; i < runs.count; i++)
			add_run(all, v, &runs.row[i],
			    (double)(runs.row[i].end - runs.row[i].start),
			    gpus);
		job_history_free(&runs);
	}
	seconds = add_run(all, v, row, (double)job_view_elapsed(v, task), gpus);
	if (row->start != -1)
		rc = add_values(all, v, row, metric, goal, seconds, why);
	store_table_forget(v->table, task);
	return rc;
}

static int
by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Write a name as a field of CSV. */
static void
put_name(FILE *out, const char *name)
{
	putc('"', out);
	for (; *name != '\0'; name++) {
		if (*name == '"')
			putc('"', out);
		putc(*name, out);
	}
	putc('"', out);
}

/* Write the lines; returns whether there is one. */
static int
put_lines(FILE *out, const struct events *all, enum metrics_goal goal)
{
	double used = 0, rate = 0, best = NAN;
	char hours[NUM_TEXT], value[NUM_TEXT];
	const struct event *e;
	int better;
	size_t i;

	for (i = 0; i < all->count; i++) {
		e = &all->event[i];
		if (i > 0)
			used += rate * (e->time - e[-1].time) / 3600;
		rate += e->rate;
		better = isfinite(e->value) &&
		    (!isfinite(best) || metrics_better(goal, e->value, best));
		if (better)
			best = e->value;
		if (better || (i + 1 == all->count && isfinite(best)))
			fprintf(out, "%s,%s\n", num_short(used, DIGITS, hours),
			    num_exact(best, value));
	}
	return isfinite(best);
}

char *
job_so_far(const struct job_tasks *t, const char *metric,
    enum metrics_goal goal, int gpus, size_t *bad, struct error *why)
{
	struct events all = {NULL, 0};
	size_t length, i;
	char *text;
	FILE *out;
	int some;

	for (i = 0; i < t->count; i++)
		*bad += add_task(&all, t->view, t->task[i], metric, goal, gpus,
			    why) == -1;
	if (all.count > 0)
		qsort(all.event, all.count, sizeof *all.event, by_time);
	out = xmemopen(&text, &length);
	fprintf(out, "%s,", gpus ? job_so_far_gpus : job_so_far_time);
	put_name(out, metric);
	putc('\n', out);
	some = put_lines(out, &all, goal);
	xmemclose(out);
	free(all.event);
	if (some)
		return text;
	free(text);
	return NULL;
}
