#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/training-log.h"
#include "job/usage.h"
#include "state/resolve.h"
#include "state/search.h"
#include "status/curve.h"
#include "status/no-metrics.h"
#include "status/plot.h"
#include "status/so-far.h"
#include "store/fact.h"
#include "store/job.h"
#include "sys/fs.h"

enum {
	FEW = 100,  /* maximum logs to read without checking the table */
	OLD = 300,  /* seconds after which the age of states is reported */
	JOBS = 3,   /* maximum jobs to name in a plot's title */
	REASONS = 5 /* maximum reasons to print for a job */
};

/* ---- why tasks are left out ---- */

struct reason {
	char *text;
	int is_error; /* the log of the tasks cannot be read */
	struct idset tasks;
};

struct reasons {
	struct reason *reason;
	size_t count;
};

static void
leave_out(struct reasons *r, uint64_t task, const char *text, int is_error)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if (strcmp(r->reason[i].text, text) == 0)
			break;
	if (i == r->count) {
		r->reason = xgrow(r->reason, r->count, sizeof *r->reason);
		r->reason[r->count++] = (struct reason){
		    .text = xstrdup(text), .is_error = is_error};
	}
	idset_add(&r->reason[i].tasks, task, task);
}

/*
 * Leave a task out because something is missing: "no metrics yet (SUBMITTED)".
 */
static void
leave_out_empty(
    struct reasons *r, const struct store_row *row, const char *what)
{
	char *text = xasprintf("no %s%s (%s)", what,
	    store_state_is_final(row->state) ? "" : " yet",
	    store_state_name(row->state));

	leave_out(r, row->task, text, 0);
	free(text);
}

/* Write "conv2d/3,5: no metrics (STOPPED)". */
static void
write_reason(FILE *out, const char *job, const struct reason *r)
{
	char *ids = idset_brief(&r->tasks);

	fprintf(out, "%s/%s: %s", job, ids, r->text);
	free(ids);
}

/* Write the reasons that are errors, at most REASONS of them, a line each. */
static void
write_errors(FILE *notes, const char *job, const struct reasons *r)
{
	uint64_t more = 0;
	size_t i, shown = 0;

	for (i = 0; i < r->count; i++)
		if (r->reason[i].is_error && shown++ < REASONS) {
			write_reason(notes, job, &r->reason[i]);
			putc('\n', notes);
		} else if (r->reason[i].is_error) {
			more += idset_size(&r->reason[i].tasks);
		}
	if (more > 0)
		fprintf(
		    notes, "%s: %" PRIu64 " more are left out\n", job, more);
}

/*
 * Write one line about the tasks without values and, unless it is NULL, about
 * the age of the states.
 */
static void
write_news(
    FILE *notes, const char *job, const struct reasons *r, const char *age)
{
	const char *gap = "";
	size_t i;

	for (i = 0; i < r->count; i++)
		if (!r->reason[i].is_error) {
			fputs(gap, notes);
			write_reason(notes, job, &r->reason[i]);
			gap = "; ";
		}
	if (age != NULL && *gap == '\0')
		fprintf(notes, "%s: ", job);
	if (age != NULL)
		fprintf(notes, "%s%s", gap, age);
	if (age != NULL || *gap != '\0')
		putc('\n', notes);
}

static void
reasons_free(struct reasons *r)
{
	size_t i;

	for (i = 0; i < r->count; i++) {
		free(r->reason[i].text);
		idset_free(&r->reason[i].tasks);
	}
	free(r->reason);
}

/* ---- reading one task ---- */

static const char *
value_of(struct job_view *v, uint64_t task, const char *name)
{
	const struct strlist *names = &v->job->names;
	size_t i;

	for (i = 0; i < names->count; i++)
		if (strcmp(names->word[i], name) == 0)
			return job_view_point(v, task)[i];
	return NULL;
}

/* Fill a run with what the store knows about the task. */
static void
describe(const struct plot *p, struct plot_run *run, struct job_view *v,
    uint64_t task)
{
	enum store_state state = store_table_state(v->table, task);
	struct job_progress progress;
	const char *value;
	size_t i;

	run->name = xasprintf("%s/%" PRIu64, v->job->name, task);
	run->state = store_state_name(state);
	run->training = !store_state_is_final(state);
	run->dim =
	    state == STORE_STOPPED && state_is_pruned(job_view_row(v, task));
	job_view_progress(v, task, &progress);
	if (!p->usage &&
	    (run->log == NULL || v->job->epochs != NULL ||
		plot_counts_epochs(run)))
		run->epochs = progress.epochs;
	run->value = xcalloc(p->param.count + 1, sizeof *run->value);
	for (i = 0; i < p->param.count; i++) {
		value = value_of(v, task, p->param.word[i]);
		run->value[i] = xcopy(value);
	}
}

/* Read a log from memory.  Returns as plot_read does. */
static int
read_text(struct plot *p, struct plot_run *run, const char *csv,
    const char *what, struct error *e)
{
	size_t length = strlen(csv);
	int fd = memfd_create("log", MFD_CLOEXEC), status;

	if (fd == -1 || write(fd, csv, length) != (ssize_t)length ||
	    lseek(fd, 0, SEEK_SET) == -1)
		status = error_errno(e, "%s", what);
	else
		status = plot_read(p, run, fd, PLOT_ENDED, e);
	if (fd != -1)
		close(fd);
	return status;
}

/* Read the recorded GPU and CPU use as a log.  Returns as plot_read does. */
static int
read_usage(struct plot *p, struct plot_run *run, const struct store_job *job,
    const struct store_row *row, struct error *e)
{
	struct error why;
	char *record = job_usage_record(job, row, &why);
	const char *csv = record != NULL ? usage_csv(record) : "";
	int status = 1;

	if (record == NULL && why.code != ERROR_ABSENT)
		return error_copy(e, &why);
	if (*csv != '\0')
		status = read_text(p, run, csv, "the record of its use", e);
	free(record);
	return status;
}

/*
 * Read a task's log.  Returns as plot_read does, and 1 if there is no log;
 * *what names what is missing.
 */
static int
read_log(struct plot *p, struct plot_run *run, struct job_view *v,
    uint64_t task, const char **what, struct error *e)
{
	const struct store_row *row = job_view_row(v, task);
	char *path =
	    job_training_log_find(v->job, row, job_view_point(v, task));
	const struct record_pattern *given = p->pattern;
	struct record_pattern *pattern;
	const char *output;
	int status;

	if (p->usage) {
		free(path);
		*what = "record of its use";
		return read_usage(p, run, v->job, row, e);
	}
	output = job_training_log_output(v->job, row);
	*what = path == NULL || (output != NULL && strcmp(path, output) == 0)
	    ? "metrics"
	    : "values";
	if (path == NULL)
		return 1;
	pattern = job_training_log_pattern(v->job, path, output);
	p->pattern = pattern;
	job_curve_before(v, row, &run->before);
	status = plot_read_path(p, run, path,
	    store_state_is_final(row->state) ? PLOT_ENDED : PLOT_TASK, e);
	p->pattern = given;
	record_pattern_free(pattern);
	if (status == -1 && fs_is_gone(path))
		status = 1;
	free(path);
	return status;
}

/*
 * Add a task to the plot, or the reason why it is left out.  Returns whether
 * its log is unreadable.
 */
static int
add_task(struct plot *p, struct job_view *v, uint64_t task, struct reasons *r)
{
	struct plot_run run = {0};
	const char *what;
	struct error e;
	int status = read_log(p, &run, v, task, &what, &e);

	if (status == 0 && plot_has_values(p, &run)) {
		describe(p, &run, v, task);
		plot_add(p, &run);
		return 0;
	}
	if (status == -1)
		leave_out(r, task, e.text, 1);
	else
		leave_out_empty(r, job_view_row(v, task), what);
	plot_run_free(p, &run);
	return status == -1;
}

/* ---- which tasks to read ---- */

struct worth {
	uint64_t task;
	double best; /* lower is better; nan: no value */
};

static int
by_worth(const void *a, const void *b)
{
	const struct worth *x = a, *y = b;

	if (metrics_better(METRICS_MIN, x->best, y->best))
		return -1;
	if (metrics_better(METRICS_MIN, y->best, x->best))
		return 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* Return whether the table has the final best value of a task. */
static int
table_tells(const struct plot *p, const struct store_row *row)
{
	const struct metrics_summary *m = &row->metrics;

	return store_state_is_final(row->state) && m->columns > 0 &&
	    strcmp(m->metric, p->metric.word[0]) == 0 &&
	    m->goal == (int)plot_goal(p, 0) && m->values > 0;
}

/* Count a task that is not read because it is not among the best. */
static void
leave(struct plot *p, double best)
{
	if (p->left++ == 0)
		p->left_best = p->left_worst = NAN;
	if (isnan(best))
		return;
	if (metrics_better(plot_goal(p, 0), best, p->left_best))
		p->left_best = best;
	if (!metrics_better(plot_goal(p, 0), best, p->left_worst))
		p->left_worst = best;
	if (isnan(p->left_worst))
		p->left_worst = best;
}

/* Read the logs of the best tasks whose values the table has. */
static size_t
add_best(struct plot *p, struct job_view *v, struct worth *worth, size_t count,
    struct reasons *r)
{
	double sign = plot_goal(p, 0) == METRICS_MIN ? 1 : -1;
	size_t i, bad = 0;

	if (count > 0)
		qsort(worth, count, sizeof *worth, by_worth);
	for (i = 0; i < count; i++)
		if (i < p->best)
			bad += (size_t)add_task(p, v, worth[i].task, r);
		else
			leave(p, worth[i].best * sign);
	return bad;
}

/*
 * Read all tasks that may be among the best.  Returns how many logs are
 * unreadable.
 */
static size_t
add_candidates(struct plot *p, const struct job_tasks *t, struct reasons *r)
{
	struct worth *worth = xcalloc(t->count, sizeof *worth);
	double sign = plot_goal(p, 0) == METRICS_MIN ? 1 : -1;
	int fresh = job_view_is_fresh(t->view);
	const struct store_row *row;
	size_t i, known = 0, bad = 0;

	for (i = 0; i < t->count; i++) {
		row = job_view_row(t->view, t->task[i]);
		if (table_tells(p, row))
			worth[known++] = (struct worth){row->task,
			    row->metrics.has_best ? row->metrics.best * sign
						  : NAN};
		else if (fresh && row->state == STORE_SUBMITTED)
			leave_out_empty(r, row, "metrics");
		else
			bad += (size_t)add_task(p, t->view, row->task, r);
	}
	bad += add_best(p, t->view, worth, known, r);
	free(worth);
	return bad;
}

/*
 * Return a note that states are old, or NULL; to free.  Curves are current, but
 * states come from the last pass.
 */
static char *
note_of_age(const struct job_view *v)
{
	int64_t age = job_view_age(v);
	char span[NUM_TEXT];

	if (job_view_is_final(v) ||
	    (age >= 0 && age <= OLD && job_view_is_fresh(v)))
		return NULL;
	if (age < 0)
		return xstrdup("the states are those at submission (run "
			       "stfm-status to update them)");
	return xasprintf(
	    "the states are %s old (run stfm-status to update them)",
	    num_span(age, span));
}

/* Write advice if no task of a job has metrics although some should have. */
static void
note_unlogged(const struct job_tasks *t, FILE *notes)
{
	size_t i, unlogged = 0;
	char *advice;

	for (i = 0; i < t->count; i++) {
		/*
		 * The task is left out for another reason, which is reported.
		 */
		if (job_view_row(t->view, t->task[i])->metrics.metric[0] !=
		    '\0')
			return;
		unlogged += (size_t)job_unlogged(t->view, t->task[i]);
	}
	if (unlogged == 0)
		return;
	advice = job_unlogged_advice(t->view->job);
	fprintf(notes, "%s: %s\n", t->view->job->name, advice);
	free(advice);
}

/*
 * Add a task.  A plot of best values alone takes them from the table if it can.
 */
static int
add_recorded(
    struct plot *p, struct job_view *v, uint64_t task, struct reasons *r)
{
	const struct store_row *row = job_view_row(v, task);
	struct plot_run run = {0};

	if (p->kind == PLOT_CURVES || p->metric.count != 1 || !isnan(p->at) ||
	    !table_tells(p, row))
		return add_task(p, v, task, r);
	run.recorded = row->metrics.has_best ? row->metrics.best : NAN;
	run.recorded_x = row->metrics.epochs > 0
	    ? job_summary_epoch(&row->metrics, row->metrics.epoch)
	    : NAN;
	describe(p, &run, v, task);
	plot_add(p, &run);
	return 0;
}

static size_t
add_job(struct plot *p, const struct job_tasks *t, FILE *notes, FILE *errors)
{
	struct reasons reasons = {0};
	size_t i, bad = 0, before = p->runs;
	char *age = note_of_age(t->view);

	if (t->count > FEW && p->best > 0 && p->metric.count == 1 &&
	    !p->usage && isnan(p->at) && p->mean.count == 0)
		bad = add_candidates(p, t, &reasons);
	else
		for (i = 0; i < t->count; i++)
			bad += (size_t)add_recorded(
			    p, t->view, t->task[i], &reasons);
	write_errors(errors, t->view->job->name, &reasons);
	write_news(notes, t->view->job->name, &reasons, age);
	if (p->runs == before && bad == 0 && !p->usage)
		note_unlogged(t, notes);
	reasons_free(&reasons);
	free(age);
	return bad;
}

/* Return whether a task of a job was given a GPU. */
static int
used_gpus(const struct job_tasks *t)
{
	uint64_t gpus = 0;
	size_t k;

	for (k = 0; k < t->count && gpus == 0; k++) {
		gpus = store_fact_gpus(job_view_row(t->view, t->task[k])->gpus);
		store_table_forget(t->view->table, t->task[k]);
	}
	return gpus > 0;
}

/* Return the metric of a job if it is not the one that is drawn, or NULL. */
static const char *
other_metric(const struct plot *p, const struct job_tasks *t)
{
	const char *own = t->view->metric;

	return p->metric.count > 0 && own != NULL &&
		strcmp(p->metric.word[0], own) != 0
	    ? own
	    : NULL;
}

/* The best values so far of a job. */
struct so_far {
	char *csv;  /* NULL: no task has a value */
	size_t bad; /* logs that cannot be read, or do not have the metric */
	struct error why; /* the last of these */
};

/* Add the best values so far of a job, and free them. */
static size_t
add_so_far(struct plot *p, const struct job_tasks *t, struct so_far *values,
    FILE *notes, FILE *errors)
{
	const struct plot_run none = {0};
	const char *job = store_job_name(t->view->job);
	struct plot_run run = none;
	size_t bad = values->bad;
	struct error e;

	if (values->csv == NULL && other_metric(p, t) != NULL) {
		fprintf(errors,
		    "%s: left out: its metric is %s, and no task has a value "
		    "of %s (-m NAME chooses a metric)\n",
		    job, other_metric(p, t), p->metric.word[0]);
		return bad;
	}
	if (bad > 0)
		fprintf(errors, "%s: %zu log%s left out%s %s\n", job, bad,
		    bad == 1 ? "" : "s", bad == 1 ? ":" : ", such as",
		    values->why.text);
	if (values->csv == NULL) {
		fprintf(notes, "%s: left out: no task has a value yet\n", job);
		return bad;
	}
	if (read_text(p, &run, values->csv, "its best values", &e) == 0) {
		run.name = xstrdup(job);
		run.value = xcalloc(p->param.count + 1, sizeof *run.value);
		plot_add(p, &run);
	} else {
		fprintf(errors, "%s: %s\n", job, e.text);
		plot_run_free(p, &run);
		bad++;
	}
	free(values->csv);
	return bad;
}

/*
 * Read the best values so far of all jobs, against the hours p->x.  Returns a
 * job that has values although it used no GPU, or NULL.
 */
static const struct job_tasks *
read_so_far(const struct plot *p, const struct job_tasks *t, size_t count,
    struct so_far *values)
{
	const struct job_tasks *without = NULL;
	size_t i;

	for (i = 0; i < count && p->metric.count > 0; i++) {
		free(values[i].csv);
		values[i].bad = 0;
		values[i].csv = job_so_far(&t[i], p->metric.word[0],
		    plot_goal(p, 0), p->x == job_so_far_gpus, &values[i].bad,
		    &values[i].why);
		if (values[i].csv != NULL && !used_gpus(&t[i]))
			without = &t[i];
	}
	return without;
}

/*
 * Add the best values so far of all jobs, against the hours that all have: GPU
 * hours, or hours of training if a job used no GPU.  Returns how many logs are
 * unreadable.
 */
static size_t
add_all_so_far(struct plot *p, const struct job_tasks *t, size_t count,
    FILE *notes, FILE *errors)
{
	struct so_far *values = xcalloc(count, sizeof *values);
	const struct job_tasks *without;
	size_t i, bad = 0;
	int some = 0;

	for (i = 0; i < count; i++)
		some |= used_gpus(&t[i]);
	p->x = some ? job_so_far_gpus : job_so_far_time;
	without = read_so_far(p, t, count, values);
	if (some && without != NULL) {
		p->x = job_so_far_time;
		read_so_far(p, t, count, values);
		fprintf(notes,
		    "%s used no GPU: the axis is hours of training for all "
		    "jobs, not GPU hours\n",
		    store_job_name(without->view->job));
	}
	for (i = 0; i < count; i++)
		bad += add_so_far(p, &t[i], &values[i], notes, errors);
	free(values);
	return bad;
}

/* ---- hyperparameters that distinguish tasks ---- */

/* Return whether a hyperparameter differs between tasks. */
static int
tells_apart(
    const struct job_tasks *t, size_t count, char **constant, const char *name)
{
	const struct strlist *names;
	size_t i, k;

	for (i = 0; i < count; i++) {
		names = &t[i].view->job->names;
		for (k = 0; k < names->count; k++)
			if (strcmp(names->word[k], name) == 0 &&
			    !constant[i][k])
				return 1;
		/* A view keeps only one point at a time. */
		if (i > 0 &&
		    !text_same(value_of(t[i].view, 0, name),
			value_of(t[0].view, 0, name)))
			return 1;
	}
	return 0;
}

/*
 * List the hyperparameters that distinguish tasks; for a single task, list the
 * others after them.
 */
static void
choose_params(struct plot *p, const struct job_tasks *t, size_t count)
{
	char **constant = xcalloc(count, sizeof *constant);
	const struct strlist *names;
	int constants, most;
	size_t i, k;

	for (i = 0; i < count; i++)
		constant[i] = job_view_constant(t[i].view);
	/* The user may ask for a hyperparameter that is equal everywhere. */
	for (i = 0; i < count; i++)
		for (k = 0; k < t[i].view->job->names.count; k++)
			if (!strlist_have(
				&p->known, t[i].view->job->names.word[k]))
				strlist_push(
				    &p->known, t[i].view->job->names.word[k]);
	most = p->alone || p->kind != PLOT_CURVES;
	for (constants = 0; constants <= most; constants++)
		for (i = 0; i < count; i++) {
			names = &t[i].view->job->names;
			for (k = 0; k < names->count; k++)
				/*
				 * Omit the number of epochs: the chart shows it
				 * already.
				 */
				if (!strlist_have(&p->param, names->word[k]) &&
				    (constants
					    ? (int)k != t[i].view->summing.name
					    : tells_apart(t, count, constant,
						  names->word[k])))
					strlist_push(&p->param, names->word[k]);
		}
	for (i = 0; i < count; i++)
		free(constant[i]);
	free(constant);
}

/* ---- plots ---- */

/* The objective of a job, as it is drawn. */
struct objective {
	char *metric; /* NULL while unknown */
	int goal;
};

/*
 * Return the objective found in the first readable log, if the table has none;
 * to free.
 */
static char *
peek(const struct job_tasks *t)
{
	struct plot probe = {.goal = METRICS_GOAL_BY_NAME, .at = NAN};
	struct plot_run run;
	const char *what;
	char *metric = NULL;
	struct error e;
	size_t i;

	for (i = 0; i < t->count && probe.metric.count == 0; i++) {
		run = (struct plot_run){0};
		read_log(&probe, &run, t->view, t->task[i], &what, &e);
		plot_run_free(&probe, &run);
	}
	if (probe.metric.count > 0)
		metric = xstrdup(probe.metric.word[0]);
	plot_free(&probe);
	return metric;
}

/* Choose the objective: the user's options first, then the job's. */
static struct objective
objective_of(const struct plot *like, const struct job_tasks *t)
{
	const struct store_job *job = t->view->job;
	struct objective o = {.goal = like->goal};

	if (like->usage) {
		o.goal = METRICS_MAX;
		return o;
	}
	if (like->metric.count > 0)
		o.metric = xstrdup(like->metric.word[0]);
	else if (t->view->metric != NULL)
		o.metric = xstrdup(t->view->metric);
	else
		o.metric = peek(t);
	if (like->goal != METRICS_GOAL_BY_NAME || like->metric.count > 1 ||
	    job->goal == NULL)
		return o;
	if (like->metric.count == 0 || t->view->metric == NULL ||
	    strcmp(o.metric, t->view->metric) == 0)
		o.goal =
		    strcmp(job->goal, "max") == 0 ? METRICS_MAX : METRICS_MIN;
	return o;
}

/* Return the goal of an objective, also if the name tells it. */
static int
goal_of(const struct objective *o)
{
	return o->goal == METRICS_GOAL_BY_NAME && o->metric != NULL
	    ? (int)metrics_goal(o->metric)
	    : o->goal;
}

/* Return whether any of these tasks has recorded GPU use. */
static int
has_gpus(const struct job_tasks *t, size_t count)
{
	struct usage_sum sum;
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < t[i].count; k++) {
			job_usage_sum(
			    job_view_row(t[i].view, t[i].task[k]), &sum);
			if (!isnan(sum.gpu))
				return 1;
		}
	return 0;
}

/* Choose which use to draw: everything for one task, one quantity for many. */
static void
choose_usage(struct plot *p, const struct job_tasks *t, size_t count)
{
	static const char *const all[] = {"gpu", "cpu", "gpu_memory", "memory"};
	int gpus = has_gpus(t, count);
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++)
		if ((gpus || strncmp(all[i], "gpu", 3) != 0) &&
		    (p->alone || p->metric.count == 0))
			strlist_push(&p->metric, all[i]);
}

/* Set the epochs at which the search of a job compares its tasks. */
static void
choose_rungs(struct plot *p, const struct store_job *job)
{
	struct job_search search;
	struct job_board *board;
	size_t i;

	if (p->kind != PLOT_CURVES || p->usage || p->so_far ||
	    (p->x != NULL && strcmp(p->x, "epoch") != 0) ||
	    !job_search_of(job, &search) || search.epochs == 0)
		return;
	board = job_board_new(&search);
	for (i = 0; i < board->rungs; i++) {
		p->rung = xgrow(p->rung, p->rungs, sizeof *p->rung);
		p->rung[p->rungs++] = (double)board->rung[i].epoch;
	}
	job_board_free(board);
}

/* Make one plot of the tasks of these jobs, which have the same objective. */
static void
make_plot(struct job_plots *out, const struct plot *like,
    const struct objective *o, const struct job_tasks *t, size_t count,
    FILE *notes, FILE *errors)
{
	struct plot p = plot_like(like);
	size_t i, length;
	FILE *f;

	if (p.metric.count == 0 && o->metric != NULL)
		strlist_push(&p.metric, o->metric);
	if (p.metric.count == 0 && p.usage)
		choose_usage(&p, t, count);
	p.goal = o->goal;
	if (!p.so_far)
		choose_params(&p, t, count);
	if (count == 1)
		choose_rungs(&p, t->view->job);
	if (count > JOBS) {
		p.of = xasprintf("%zu jobs", count);
	} else {
		f = xmemopen(&p.of, &length);
		for (i = 0; i < count; i++)
			fprintf(
			    f, "%s%s", i > 0 ? ", " : "", t[i].view->job->name);
		xmemclose(f);
	}
	if (p.so_far)
		out->bad += add_all_so_far(&p, t, count, notes, errors);
	for (i = 0; i < count && !p.so_far; i++)
		out->bad += add_job(&p, &t[i], notes, errors);
	out->plot = xgrow(out->plot, out->count, sizeof p);
	out->plot[out->count++] = p;
}

void
job_plots_make(struct job_plots *out, const struct plot *like,
    const struct job_tasks *tasks, size_t count, FILE *notes, FILE *errors)
{
	struct objective *o = xcalloc(count, sizeof *o);
	struct job_tasks *same = xcalloc(count, sizeof *same);
	char *done = xcalloc(count, 1);
	size_t i, k, n;

	*out = (struct job_plots){0};
	for (i = 0; i < count; i++)
		o[i] = objective_of(like, &tasks[i]);
	for (i = 0; i < count; i++) {
		for (k = i, n = 0; k < count; k++)
			if (!done[k] && text_same(o[i].metric, o[k].metric) &&
			    goal_of(&o[i]) == goal_of(&o[k])) {
				same[n++] = tasks[k];
				done[k] = 1;
			}
		if (n > 0)
			make_plot(out, like, &o[i], same, n, notes, errors);
	}
	if (like->so_far && out->count > 1)
		fprintf(notes,
		    "the jobs have %zu metrics: each has its own chart "
		    "(-m NAME draws one metric)\n",
		    out->count);
	for (i = 0; i < count; i++)
		free(o[i].metric);
	free(o);
	free(same);
	free(done);
}

static int
check_all(
    const struct job_plots *p, const struct strlist *names, struct error *e)
{
	size_t i, k;

	for (i = 0; i < names->count; i++) {
		for (k = 0; k < p->count; k++)
			if (strlist_have(&p->plot[k].known, names->word[i]))
				break;
		if (k == p->count)
			return plot_no_param(
			    &p->plot[0].known, names->word[i], e);
	}
	return 0;
}

int
job_plots_check(const struct job_plots *p, struct error *e)
{
	const struct plot *first = p->plot;

	/* Plots of files know no hyperparameters and no values. */
	if (p->count == 0 || first->known.count == 0)
		return 0;
	if (check_all(p, &first->mean, e) == -1)
		return -1;
	return first->kind != PLOT_CURVES ? check_all(p, &first->by, e) : 0;
}

void
job_plots_free(struct job_plots *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		plot_free(&p->plot[i]);
	free(p->plot);
	*p = (struct job_plots){0};
}
