#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/training-log.h"
#include "job/usage.h"
#include "reconcile/reconcile.h"
#include "store/facts.h"
#include "store/job.h"
#include "sys/fs.h"
#include "view/view.h"

enum {
	FEW = 16,       /* maximum tasks whose rows are read alone */
	WAITING = 1000, /* pending tasks whose mean estimate stands for all */
	FRESH = 60,     /* maximum seconds for which a table is new enough */
	MISSED = 10,    /* the same limit in seconds if Slurm did not answer */
	YOUNG = 3,      /* minimum seconds for which a table is new enough */
	NAMED = 10      /* maximum tasks whose damaged facts are named */
};

const struct store_row *
job_view_row(const struct job_view *v, uint64_t task)
{
	const struct store_row *row = store_table_row(v->table, task);
	struct metrics_summary *m;

	/* An edited row is kept, so rows without values are left alone. */
	if (job_summary_is_about(v->job, &v->table->summary, &row->metrics) ||
	    (!row->metrics.has_best && row->metrics.nans == 0 &&
		row->metrics.last_kind == METRICS_BLANK))
		return row;
	m = &store_table_edit(v->table, task)->metrics;
	m->has_best = 0;
	m->last_kind = METRICS_BLANK;
	m->nans = 0;
	return row;
}

void
job_view_note(struct job_view *v, const char *why)
{
	if (!strlist_have(&v->table->damaged, why))
		strlist_push(&v->table->damaged, why);
}

void
job_view_note_all(struct job_view *v, const struct strlist *damaged)
{
	size_t i;

	for (i = 0; i < damaged->count; i++)
		job_view_note(v, damaged->word[i]);
}

static const char *const *
point_of(void *arg, uint64_t task)
{
	return job_view_point(arg, task);
}

/*
 * Return the time for which the view of an unfinished job holds.  It is a time
 * by the store's clock, as the times of logs are: this machine's clock may
 * differ.
 */
static int64_t
known_at(const struct job_view *v, int64_t now)
{
	int64_t made = -1;

	if (v->table->trouble != NULL && v->table->asked > 0)
		return v->table->asked;
	if (!v->looked && !job_view_is_final(v))
		made = store_table_time(v->job);
	return made != -1 ? made : now;
}

/*
 * Drop what the view has read in addition to the table; damage is noted again.
 */
static void
forget(struct job_view *v)
{
	store_chunks_free(&v->chunks);
	v->chunks_tried = 0;
	job_empty_logs_free(&v->empty_logs);
	v->empty_logs_tried = 0;
	job_points_free(v->points);
	v->points = NULL;
	free(v->none);
	v->none = NULL;
	v->points_tried = v->points_bad = 0;
}

/*
 * Note a task's damaged facts: once a pass has read a fact, no later pass
 * reports that it is damaged.
 */
static void
note_facts(struct job_view *v, uint64_t task)
{
	struct store_brief row = store_table_brief(v->table, task);
	const struct store_fact *f;
	struct store_fact_body body;
	struct store_facts facts;
	struct error why;
	size_t i;

	if (store_facts_of(v->job, task, &facts, &why) == -1) {
		job_view_note(v, why.text);
		return;
	}
	for (i = 0; i < facts.count; i++) {
		f = &facts.fact[i];
		if (store_run_compare(STORE_RUN(f), STORE_RUN(&row)) != 0)
			continue;
		if (store_facts_read(v->job, &facts, f, &body, &why) == -1)
			job_view_note(v, why.text);
		store_fact_body_free(&body);
	}
	store_facts_free(&facts);
}

static void
take_table(struct job_view *v, struct store_table *table, int64_t now)
{
	struct store_summary *sum = &table->summary;
	struct idset all = {0};
	const struct idset *tasks = v->all ? &all : &v->tasks;
	struct idset_walk walk = {0};
	uint64_t task;
	int noted = 0;

	if (table->count > 0)
		idset_add(&all, 0, table->count - 1);
	store_table_free(v->table);
	v->table = table;
	v->usual_known = 0;
	forget(v);
	v->now = known_at(v, now);
	if (!sum->known)
		job_summary_make(&v->summing, table);
	v->metric = job_summary_metric(v->job, sum);
	v->goal = job_summary_goal(v->job, sum);
	v->best = sum->best;
	v->best_value = sum->value;
	v->best_epoch = sum->epoch;
	/*
	 * Name the damaged facts of the first NAMED wanted tasks that have a
	 * fact due.
	 */
	while (noted < NAMED && idset_next(tasks, &walk, &task))
		if ((store_table_brief(table, task).facts & STORE_FACT_DUE) !=
		    0) {
			note_facts(v, task);
			noted++;
		}
	idset_free(&all);
}

/*
 * Load the wanted rows alone if they are few and suffice, or else the whole
 * table.
 */
static struct store_table *
load(const struct job_view *v, struct error *e)
{
	struct store_table *table;

	if (v->all)
		return store_table_load(v->job, e);
	table = store_table_load_part(v->job, &v->tasks, e);
	if (table == NULL || table->summary.known)
		return table;
	store_table_free(table);
	return store_table_load(v->job, e);
}

struct job_view *
job_view_new(const struct store_job *job, const struct idset *tasks,
    int64_t now, struct error *e)
{
	struct job_view *v = xcalloc(1, sizeof *v);
	struct store_table *table;

	v->job = job;
	/* What is shown of a search is about all its tasks. */
	v->all = tasks == NULL || idset_size(tasks) > FEW ||
	    idset_size(tasks) == job->tasks ||
	    store_search_is_given(&job->search);
	if (!v->all)
		idset_add_all(&v->tasks, tasks);
	table = job->settled != NULL ? store_settled_table(job) : load(v, e);
	if (table == NULL) {
		job_view_free(v);
		return NULL;
	}
	v->summing = job_summing(job, point_of, v);
	v->passed_over = table->damaged.count > 0;
	take_table(v, table, now);
	return v;
}

int
job_view_reload(struct job_view *v, int64_t now, struct error *e)
{
	struct store_table *table = load(v, e);

	if (table == NULL)
		return -1;
	v->looked = 0;
	v->passed_over = table->damaged.count > 0;
	take_table(v, table, now);
	return 0;
}

int
job_view_look(struct job_view *v, int64_t now, struct error *e)
{
	struct reconcile *pass = reconcile_look(now);
	struct store_table *table = NULL;
	int rc = reconcile_job(pass, v->job, NULL, NULL, &table, e);

	reconcile_free(pass);
	if (rc == -1)
		return -1;
	v->looked = 1;
	v->passed_over = 0;
	take_table(v, table, now);
	return 0;
}

int
job_view_is_fresh(const struct job_view *v)
{
	int64_t queued, age = store_table_age(v->job, &queued), limit;

	if (v->looked || v->passed_over || age == -1)
		return v->looked;
	limit = (queued + age) / 10;
	if (limit > FRESH)
		limit = FRESH;
	if ((v->table->trouble != NULL || v->table->silence != NULL) &&
	    limit > MISSED)
		limit = MISSED;
	if (limit < YOUNG || v->table->summary.ending > 0)
		limit = YOUNG;
	if (age > YOUNG && age <= limit && store_table_is_behind(v->job))
		limit = YOUNG;
	return age <= limit;
}

void
job_view_free(struct job_view *v)
{
	if (v == NULL)
		return;
	store_table_free(v->table);
	idset_free(&v->tasks);
	strlist_free(&v->metrics.names);
	free(v->metrics.value);
	free(v->metrics.has);
	forget(v);
	free(v);
}

int
job_view_is_final(const struct job_view *v)
{
	const uint64_t *in = v->table->in_state;

	return in[STORE_SUBMITTED] == 0 && in[STORE_RUNNING] == 0 &&
	    !v->table->is_reread;
}

/* ---- logs ---- */

/* Take the best value of a task whose log was read. */
static void
take_best(struct job_view *v, uint64_t task)
{
	const struct metrics_summary *m = &job_view_row(v, task)->metrics;

	if (!m->has_best ||
	    (v->best != -1 && v->best != (int64_t)task &&
		!metrics_better(v->goal, m->best, v->best_value)))
		return;
	v->best = (int64_t)task;
	v->best_value = m->best;
	v->best_epoch = job_summary_epoch(m, m->best_epoch);
}

void
job_view_read_logs(struct job_view *v, const uint64_t *task, size_t count)
{
	struct store_row *row;
	size_t i;

	for (i = 0; i < count && !v->looked; i++) {
		if (store_table_state(v->table, task[i]) != STORE_RUNNING ||
		    store_table_row(v->table, task[i])->metrics_path == NULL)
			continue;
		row = store_table_edit(v->table, task[i]);
		reconcile_look_at_log(v->job, v->table, row);
		take_best(v, task[i]);
		if (row->epoch_time > v->now)
			v->now = row->epoch_time;
		v->usual_known = 0;
	}
}

/* ---- points ---- */

const char *const *
job_view_point(struct job_view *v, uint64_t task)
{
	const char *const *value = NULL;
	struct error why;

	if (!v->points_tried) {
		v->points_tried = 1;
		v->none = xcalloc(v->job->names.count + 1, sizeof *v->none);
		v->points = v->all ? job_points_open(v->job, &why)
				   : job_points_open_few(v->job, &why);
		if (v->points == NULL)
			job_view_note(v, why.text);
	}
	if (v->points != NULL && !job_points_are_chosen(v->job))
		value = job_points_get(v->points, task, &why);
	else if (v->points != NULL)
		value = job_points_of(
		    v->points, store_table_row(v->table, task), &why);
	if (v->points != NULL && value == NULL && !v->points_bad) {
		v->points_bad = 1;
		job_view_note(v, why.text);
	}
	return value != NULL ? value : v->none;
}

char *
job_view_constant(struct job_view *v)
{
	size_t count = v->job->names.count, i, left = count;
	char *constant = xmalloc(count + 1);
	char **first = xcalloc(count + 1, sizeof *first);
	const char *const *value = job_view_point(v, 0);
	uint64_t task;

	memset(constant, 1, count + 1);
	for (i = 0; i < count; i++)
		first[i] = xcopy(value[i]);
	for (task = 1; task < v->job->tasks && left > 0; task++) {
		value = job_view_point(v, task);
		for (i = 0; i < count; i++)
			if (constant[i] && !text_same(first[i], value[i])) {
				constant[i] = 0;
				left--;
			}
	}
	for (i = 0; i < count; i++)
		free(first[i]);
	free(first);
	return constant;
}

/* ---- progress ---- */

void
job_view_progress(struct job_view *v, uint64_t task, struct job_progress *out)
{
	job_progress(&v->summing, store_table_row(v->table, task), out);
}

/* ---- times ---- */

int64_t
job_view_elapsed(const struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	int64_t end = row->end;

	if (row->start == -1 || (end == -1 && store_state_is_final(row->state)))
		return -1;
	if (end == -1)
		end = v->now;
	return end > row->start ? end - row->start : 0;
}

int
job_view_log_was_empty(struct job_view *v, uint64_t task, uint32_t attempt)
{
	struct error why;

	if (!v->empty_logs_tried &&
	    job_empty_logs_load(v->job, &v->empty_logs, &why) == -1)
		job_view_note(v, why.text);
	v->empty_logs_tried = 1;
	return job_empty_logs_has(&v->empty_logs, task, attempt);
}

const struct store_chunks *
job_view_chunks(struct job_view *v)
{
	struct error why;

	if (v->chunks_tried)
		return &v->chunks;
	v->chunks_tried = 1;
	if (store_chunks_list(v->job, &v->chunks, &why) == -1)
		job_view_note(v, why.text);
	job_view_note_all(v, &v->chunks.damaged);
	return &v->chunks;
}

/* Return the chunk whose array started a run, or NULL. */
static const struct store_chunk *
chunk_of(struct job_view *v, const struct store_row *row)
{
	size_t i;

	job_view_chunks(v);
	for (i = 0; i < v->chunks.count && row->array != -1; i++)
		if (v->chunks.chunk[i].array == row->array)
			return &v->chunks.chunk[i];
	return NULL;
}

int64_t
job_view_submitted(struct job_view *v, uint64_t task)
{
	const struct store_chunk *c = chunk_of(v, job_view_row(v, task));

	if (c == NULL && v->chunks.damaged.count > 0)
		return -1;
	return c != NULL ? c->time : v->job->created;
}

int64_t
job_view_code(struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);

	if (row->state == STORE_SUBMITTED && row->array == -1)
		return -1;
	return row->code > 0 ? row->code : 0;
}

const struct strlist *
job_view_options(struct job_view *v, uint64_t task)
{
	const struct store_chunk *c = chunk_of(v, job_view_row(v, task));

	return c != NULL ? &c->options : NULL;
}

uint64_t
job_view_packed(struct job_view *v, const struct store_row *row)
{
	const struct store_chunk *c = NULL;
	uint64_t first, count = 1;

	if (v->job->pack > 1)
		c = chunk_of(v, row);
	if (c != NULL && row->index >= 0)
		count = store_chunk_packed(
		    c, store_chunk_place(c, (uint64_t)row->index), &first);
	return count > 0 ? count : 1;
}

int
job_view_attempts(struct job_view *v, uint64_t task, struct job_history *out)
{
	const struct store_row *now = job_view_row(v, task);
	struct error why;

	if (job_history_find(v->job, now, job_view_point(v, task), out, &why) ==
	    -1)
		strlist_push(&out->damaged, why.text);
	job_view_note_all(v, &out->damaged);
	return out->damaged.count > 0;
}

/* ---- estimates ---- */

/* Learn typical values from the job's tasks.  Needs all rows. */
static void
ask_others(struct job_view *v)
{
	struct job_eta_others *others = xcalloc(1, sizeof *others);
	struct job_progress p;
	uint64_t task;
	int held, more = v->all;

	for (task = 0; more && task < v->table->count; task++) {
		if (store_table_state(v->table, task) == STORE_SUBMITTED)
			continue;
		held = store_table_holds(v->table, task);
		job_view_progress(v, task, &p);
		more = job_eta_learn(others, job_view_row(v, task), &p);
		if (!held) /* keep a row that the caller may still use */
			store_table_forget(v->table, task);
	}
	v->usual = job_eta_usual(others);
	v->usual_known = 1;
	free(others);
}

/* Return whether a GPU of a running task is idle (see JOB_USAGE_IDLE). */
static int
is_idle(const struct store_row *row)
{
	const char *text = getenv("STFM_IDLE");
	int64_t seconds;
	struct usage_sum sum;

	if (row->state != STORE_RUNNING || row->usage == NULL)
		return 0;
	if (text == NULL ||
	    num_int("STFM_IDLE", text, 1, INT32_MAX, &seconds, NULL) == -1)
		seconds = JOB_USAGE_IDLE;
	job_usage_sum(row, &sum);
	return sum.still >= (double)seconds;
}

void
job_view_eta(struct job_view *v, uint64_t task, struct job_eta *out)
{
	const struct store_row *row = job_view_row(v, task);
	struct job_progress p;
	char *log;

	if (!v->usual_known)
		ask_others(v);
	job_view_progress(v, task, &p);
	job_eta(v->job, row, &p, &v->usual, v->now, out);
	out->idle = is_idle(row);
	/* Read the log only if the row says that the task may have stalled. */
	out->stalled = row->state == STORE_RUNNING &&
	    job_eta_is_stalled(row, out, NULL, v->now, &out->since);
	if (out->stalled) {
		log = job_view_log(v, task);
		out->stalled =
		    job_eta_is_stalled(row, out, log, v->now, &out->since);
		free(log);
	}
	if (out->stalled) {
		out->left = NAN;
		out->late = 0;
	}
}

static const char *
mark_of(const struct job_eta *eta)
{
	if (eta->stalled)
		return "STALLED";
	if (eta->late)
		return "LATE";
	return eta->idle ? "IDLE" : NULL;
}

const char *
job_view_mark(struct job_view *v, uint64_t task)
{
	struct job_eta eta;

	if (store_table_state(v->table, task) != STORE_RUNNING)
		return NULL;
	job_view_eta(v, task, &eta);
	return mark_of(&eta);
}

int
job_view_whole(struct job_view *v, struct error *e)
{
	int all = v->all;

	if (all || v->looked)
		return 0;
	v->all = 1;
	if (job_view_reload(v, v->now, e) == 0)
		return 0;
	v->all = all;
	return -1;
}

int
job_view_outlook(struct job_view *v, struct job_outlook *out)
{
	uint64_t running = v->table->in_state[STORE_RUNNING], task, seen = 0;
	enum store_state state;
	struct job_eta eta;
	double *left, sum = 0;
	const char *mark;
	size_t slots = 0;

	*out = (struct job_outlook){.left = NAN};
	if (running == 0)
		return 1;
	if (!v->all)
		return 0;
	left = xcalloc(running, sizeof *left);
	for (task = 0; task < v->table->count; task++) {
		state = store_table_state(v->table, task);
		if (state != STORE_RUNNING &&
		    (state != STORE_SUBMITTED || seen == WAITING))
			continue;
		job_view_eta(v, task, &eta);
		store_table_forget(v->table, task);
		if (state == STORE_SUBMITTED) {
			/*
			 * The mean estimate of the first tasks stands for all
			 * pending ones.
			 */
			sum += eta.left;
			seen++;
			continue;
		}
		mark = mark_of(&eta);
		out->late += eta.late != 0;
		out->stalled += eta.stalled != 0;
		out->idle += mark != NULL && strcmp(mark, "IDLE") == 0;
		if (!eta.stalled && !eta.silent && slots < running)
			left[slots++] = eta.left;
	}
	if (slots > 0)
		out->left =
		    job_eta_all(left, slots, seen > 0 ? sum / (double)seen : 0,
			(double)v->table->in_state[STORE_SUBMITTED]);
	free(left);
	return 1;
}

/* ---- paths and values ---- */

char *
job_view_errors(const struct job_view *v, uint64_t task)
{
	const char *err = job_view_row(v, task)->err;

	return err != NULL ? xstrdup(err) : job_view_log(v, task);
}

char *
job_view_log(const struct job_view *v, uint64_t task)
{
	return job_output(v->job, job_view_row(v, task));
}

char *
job_view_value(double value, char out[NUM_TEXT])
{
	double size = fabs(value);

	if (!isfinite(value) || (size != 0 && (size < 0.01 || size >= 1e6)))
		return num_short(value, 3, out);
	snprintf(out, NUM_TEXT, "%.*f",
	    size >= 1000      ? 1
		: size >= 100 ? 2
			      : 4,
	    value);
	return out;
}
