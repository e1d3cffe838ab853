#include <math.h>
#include <string.h>

#include "base/num.h"
#include "state/resolve.h"
#include "state/summary.h"
#include "state/words.h"
#include "store/job.h"

/* The unit of store_summary.parts. */
static const double UNIT = 1099511627776.0;

/* ---- progress of a task ---- */

static int
index_of(const struct strlist *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (strcmp(names->word[i], name) == 0)
			return (int)i;
	return -1;
}

struct job_summing
job_summing(const struct store_job *job, job_point_of *point, void *arg)
{
	static const char *const usual[] = {
	    "epochs", "max_epochs", "num_epochs", "n_epochs", "nepochs"};
	struct job_summing s = {job, point, arg, 0, -1, 0};
	size_t i;

	if (job->epochs != NULL) {
		if (num_parse(job->epochs, &s.every) && isfinite(s.every) &&
		    s.every >= 0)
			return s;
		s.every = 0;
		s.name = index_of(&job->names, job->epochs);
		return s;
	}
	s.guessed = 1;
	for (i = 0; i < sizeof usual / sizeof *usual && s.name < 0; i++)
		s.name = index_of(&job->names, usual[i]);
	return s;
}

double
job_summary_epoch(const struct metrics_summary *m, double epoch)
{
	if (!job_summary_has_epochs(m))
		return epoch;
	return metrics_epochs_done(
	    m->first, epoch, metrics_summary_has_fractions(m));
}

static double
epochs_of(const struct job_summing *s, const struct store_row *row)
{
	const char *const *point;
	double n;

	if (s->guessed && !job_summary_has_epochs(&row->metrics))
		return 0;
	if (s->name < 0)
		return s->every;
	point = s->point(s->arg, row->task);
	if (point == NULL || point[s->name] == NULL ||
	    !num_parse(point[s->name], &n) || !isfinite(n) || n < 0)
		return 0;
	return n;
}

void
job_progress(const struct job_summing *s, const struct store_row *row,
    struct job_progress *out)
{
	const struct metrics_summary *m = &row->metrics;

	out->epochs = epochs_of(s, row);
	out->done = m->epochs > 0 ? job_summary_epoch(m, m->epoch) : 0;
	if (row->state == STORE_FINISHED)
		out->part = 1;
	else if (out->epochs > 0)
		out->part = fmin(out->done / out->epochs, 1);
	else
		out->part = out->done > 0 ? NAN : 0;
}

/* ---- totals ---- */

static int
is_ending(const struct store_row *row)
{
	enum cause why = cause_of(row->cause, NULL);

	return row->state == STORE_RUNNING &&
	    (why == CAUSE_STOPPING || why == CAUSE_ENDING);
}

/* Add a row to the totals (sign 1) or subtract it (sign -1). */
static void
add(const struct job_summing *s, struct store_summary *sum,
    const struct store_row *row, int sign)
{
	const struct metrics_summary *m = &row->metrics;
	struct job_progress p;

	sum->ending += sign * is_ending(row);
	sum->without += sign * (m->columns > 0 && m->column == METRICS_NONE);
	sum->diverged += sign * (m->last_kind > METRICS_NUMBER);
	sum->pruned += sign * state_is_pruned(row);
	job_progress(s, row, &p);
	if (state_is_pruned(row)) { /* it has done all that it is to do */
		p.epochs = p.done;
		p.part = 1;
	}
	sum->unknown += sign * (p.epochs <= 0);
	if (isnan(p.part))
		return;
	sum->parts += sign * (int64_t)llround(p.part * UNIT);
	sum->epochs += sign * p.epochs;
	sum->done += sign *
	    (row->state == STORE_FINISHED ? p.epochs : fmin(p.done, p.epochs));
}

double
job_summary_part(const struct store_table *table)
{
	const struct store_summary *sum = &table->summary;

	if (table->count == 0)
		return 0;
	if (table->in_state[STORE_FINISHED] + (uint64_t)sum->pruned ==
	    table->count)
		return 1;
	if (sum->unknown == 0 && sum->epochs > 0)
		return sum->done / sum->epochs;
	return (double)sum->parts / UNIT / (double)table->count;
}

/* ---- the objective ---- */

const char *
job_summary_metric(const struct store_job *job, const struct store_summary *sum)
{
	if (job->metric != NULL)
		return job->metric;
	return *sum->metric != '\0' ? sum->metric : NULL;
}

enum metrics_goal
job_summary_goal(const struct store_job *job, const struct store_summary *sum)
{
	const char *metric = job_summary_metric(job, sum);

	if (job->goal != NULL)
		return strcmp(job->goal, "max") == 0 ? METRICS_MAX
						     : METRICS_MIN;
	return metric != NULL ? metrics_goal(metric) : METRICS_MIN;
}

int
job_summary_is_about(const struct store_job *job,
    const struct store_summary *sum, const struct metrics_summary *m)
{
	return job->metric != NULL || strcmp(m->metric, sum->metric) == 0;
}

/* Name the objective after the metric of the first task whose log has one. */
static void
find_name(const struct job_summing *s, struct store_summary *sum,
    const struct store_row *row)
{
	const char *name = row->metrics.metric;
	int64_t task = (int64_t)row->task;

	if (s->job->metric != NULL || (sum->namer != -1 && task > sum->namer))
		return;
	if (*sum->metric != '\0' && strcmp(name, sum->metric) != 0) {
		/* Values of the old metric may have been compared. */
		if (*name != '\0' || task == sum->namer)
			sum->known = 0;
	} else if (*name != '\0') {
		memcpy(sum->metric, name, sizeof sum->metric);
		sum->namer = task;
	}
}

static void
find_best(const struct job_summing *s, struct store_summary *sum,
    const struct store_row *row)
{
	enum metrics_goal goal = job_summary_goal(s->job, sum);
	const struct metrics_summary *m = &row->metrics;
	int counts = m->has_best && job_summary_is_about(s->job, sum, m);
	int64_t task = (int64_t)row->task;

	if (task == sum->best &&
	    (!counts || metrics_better(goal, sum->value, m->best))) {
		sum->known = 0; /* another task may be the best now */
	} else if (counts &&
	    (task == sum->best || sum->best == -1 ||
		metrics_better(goal, m->best, sum->value) ||
		(task < sum->best &&
		    !metrics_better(goal, sum->value, m->best)))) {
		sum->best = task;
		sum->value = m->best;
		sum->epoch = job_summary_epoch(m, m->best_epoch);
	}
}

/* ---- making and updating a summary ---- */

void
job_summary_make(const struct job_summing *s, struct store_table *table)
{
	struct store_summary *sum = &table->summary;
	uint64_t i;

	memset(sum, 0, sizeof *sum);
	sum->known = 1;
	sum->namer = sum->best = -1;
	for (i = 0; i < table->count; i++) {
		const struct store_row *row = store_table_row(table, i);

		add(s, sum, row, 1);
		find_name(s, sum, row);
		find_best(s, sum, row);
		store_table_forget(table, i);
	}
}

void
job_summary_change(const struct job_summing *s, struct store_table *table,
    const struct store_row *before, const struct store_row *after)
{
	struct store_summary *sum = &table->summary;

	if (!sum->known)
		return;
	add(s, sum, before, -1);
	add(s, sum, after, 1);
	find_name(s, sum, after);
	if (sum->known)
		find_best(s, sum, after);
}
