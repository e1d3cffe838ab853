#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "control/ask-command.h"
#include "control/ask-trial.h"
#include "control/ask.h"
#include "job/points.h"
#include "metrics/metrics.h"
#include "search/sampler.h"
#include "space/space.h"
#include "state/apply-fact.h"
#include "state/search.h"
#include "state/summary.h"
#include "store/change.h"
#include "store/facts.h"
#include "store/load.h"
#include "store/policy.h"
#include "store/table.h"

struct job_asker {
	const struct store_job *job;
	struct space *space;
	struct search *search;
	struct job_points *points; /* cuts lines */
	struct ask_trial *trial;   /* one for each task */
	uint64_t count;
	struct ask_trial *result; /* results of another job */
	size_t results;
	struct job_search pruning;
	char *metric;    /* the objective, or NULL: unknown */
	int has_command; /* the sampler is a command of the user */
};

/* ---- what is known of each task ---- */

/* Return the line of a point, to free, or NULL for NULL. */
static char *
line_of(const struct job_asker *a, const char *const *value)
{
	size_t length;
	char *line;
	FILE *out;

	if (value == NULL)
		return NULL;
	out = xmemopen(&line, &length);
	job_points_row(out, value, store_job_names(a->job)->count);
	xmemclose(out);
	line[length - 1] = '\0'; /* the newline */
	return line;
}

static void
take_row(struct job_asker *a, const struct store_summary *sum,
    const struct store_row *row)
{
	struct ask_trial *t = &a->trial[row->task];

	t->run = STORE_RUN(row);
	t->line = job_points_are_chosen(a->job)
	    ? xcopy(job_point_text(row->point))
	    : line_of(a, job_points_get(a->points, row->task, NULL));
	t->rungs = xcopy(row->rungs);
	t->value = NAN;
	if (row->metrics.has_best &&
	    job_summary_is_about(a->job, sum, &row->metrics))
		t->value = row->metrics.best;
	t->state = row->state == STORE_FINISHED ? ASK_FINISHED
	    : row->state == STORE_ERROR         ? ASK_FAILED
	    : row->state == STORE_STOPPED       ? ASK_STOPPED
						: ASK_RUNNING;
}

/* Take in the end of a run that the table does not know yet. */
static int
take_end(struct job_asker *a, struct store_facts *facts,
    const struct store_fact *f, struct error *e)
{
	struct ask_trial *t = &a->trial[f->task];
	struct store_fact_body body;
	struct error why;

	if (store_facts_read(a->job, facts, f, &body, &why) == -1)
		return why.code == ERROR_FOREIGN || why.code == ERROR_DAMAGED
		    ? 0
		    : error_copy(e, &why);
	t->run = STORE_RUN(f);
	t->state = job_fact_is_success(f, &body) ? ASK_FINISHED
	    : body.asked > 0                     ? ASK_STOPPED
						 : ASK_FAILED;
	t->value = NAN;
	if (body.value != NULL)
		num_parse(body.value, &t->value);
	store_fact_body_free(&body);
	return 0;
}

/* Take in the facts of runs that the table does not know yet. */
static int
take_runs(struct job_asker *a, struct store_facts *facts, struct error *e)
{
	const struct store_fact *f;
	struct ask_trial *t;
	size_t i;
	int order, rc = 0;

	for (i = 0; i < facts->count && rc == 0; i++) {
		f = &facts->fact[i];
		if (f->task >= a->count)
			continue;
		t = &a->trial[f->task];
		order = store_run_compare(STORE_RUN(f), t->run);
		if (order < 0 || (order == 0 && t->state != ASK_RUNNING))
			continue;
		if (f->kind[0] == 'E') {
			rc = take_end(a, facts, f, e);
		} else if (order > 0) {
			t->run = STORE_RUN(f);
			t->state = ASK_RUNNING;
		}
	}
	return rc;
}

/* Take in the points and the values at rungs that the table does not know. */
static int
take_search(struct job_asker *a, struct store_facts *facts, struct error *e)
{
	struct store_fact_body body;
	const struct store_fact *f;
	struct ask_trial *t;
	struct error why;
	size_t i;

	for (i = 0; i < facts->search_count; i++) {
		f = &facts->search[i];
		if (f->task >= a->count)
			continue;
		t = &a->trial[f->task];
		job_rungs_add(&t->rungs, f);
		if (strcmp(f->kind, "P") != 0)
			continue;
		if (store_facts_read(a->job, facts, f, &body, &why) == 0) {
			free(t->line);
			t->line = xcopy(body.point);
			store_fact_body_free(&body);
		} else if (why.code != ERROR_FOREIGN &&
		    why.code != ERROR_DAMAGED) {
			return error_copy(e, &why);
		}
	}
	return 0;
}

static int
read_trials(struct job_asker *a, struct error *e)
{
	struct store_table *table = store_table_load(a->job, e);
	struct store_facts facts;
	uint64_t task;
	int rc;

	if (table == NULL)
		return -1;
	/* Without --metric, the logs tell the objective, and it the goal. */
	a->metric = xcopy(job_summary_metric(a->job, &table->summary));
	a->pruning.pruner.higher =
	    job_summary_goal(a->job, &table->summary) == METRICS_MAX;
	rc = store_facts_list(a->job, &table->packs, &facts, e);
	if (rc == 0) {
		a->count = table->count;
		a->trial = xcalloc(a->count + 1, sizeof *a->trial);
		for (task = 0; task < a->count; task++) {
			take_row(
			    a, &table->summary, store_table_row(table, task));
			store_table_forget(table, task);
		}
		rc = take_runs(a, &facts, e);
		if (rc == 0)
			rc = take_search(a, &facts, e);
		store_facts_free(&facts);
	}
	store_table_free(table);
	return rc;
}

/* ---- what the sampler saw ---- */

static void
add_group(FILE *out, const char *name, const struct idset *tasks)
{
	char *text;

	if (tasks->count == 0)
		return;
	text = idset_text(tasks);
	fprintf(out, "%s:%s ", name, text);
	free(text);
}

/* Return which trials the sampler was told of, and at which epochs; to free. */
static char *
seen_text(const struct job_asker *a)
{
	struct idset end = {0}, failed = {0}, running = {0}, at;
	int64_t epoch = 0, next;
	struct ask_trial *t;
	char name[32], *text;
	uint64_t task;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	for (task = 0; task < a->count; task++) {
		t = &a->trial[task];
		if (!t->is_told)
			continue;
		if (t->is_open)
			idset_add(&running, task, task);
		else if (t->reached == INT64_MAX)
			idset_add(&end, task, task);
		else if (t->reached == 0)
			idset_add(&failed, task, task);
	}
	add_group(out, "end", &end);
	for (;; epoch = next) {
		next = INT64_MAX;
		at = (struct idset){0};
		for (task = 0; task < a->count; task++) {
			t = &a->trial[task];
			if (!t->is_told || t->is_open || t->reached <= epoch ||
			    t->reached > next || t->reached == INT64_MAX)
				continue;
			if (t->reached < next)
				idset_free(&at);
			next = t->reached;
			idset_add(&at, task, task);
		}
		if (next == INT64_MAX)
			break;
		snprintf(name, sizeof name, "%" PRId64, next);
		add_group(out, name, &at);
		idset_free(&at);
	}
	add_group(out, "failed", &failed);
	add_group(out, "running", &running);
	xmemclose(out);
	if (length > 0)
		text[length - 1] = '\0'; /* the last blank */
	idset_free(&end);
	idset_free(&failed);
	idset_free(&running);
	return text;
}

/* Let the trials of a group count as seen_text says. */
static int
take_group(struct job_asker *a, const char *name, const struct idset *tasks)
{
	struct idset_walk walk = {0};
	struct ask_trial *t;
	int64_t epoch = 0;
	uint64_t task;

	if (strcmp(name, "end") == 0)
		epoch = INT64_MAX;
	else if (strcmp(name, "failed") != 0 && strcmp(name, "running") != 0 &&
	    num_int("epoch", name, 1, INT64_MAX, &epoch, NULL) == -1)
		return -1;
	while (idset_next(tasks, &walk, &task)) {
		if (task >= a->count || a->trial[task].line == NULL)
			return -1;
		t = &a->trial[task];
		ask_trial_set_rung(t, epoch);
		t->is_told = 1;
		t->is_open = strcmp(name, "running") == 0;
		t->reached = epoch;
		if (epoch == INT64_MAX)
			t->told = t->value;
	}
	return 0;
}

int
job_asker_recall(struct job_asker *a, const char *seen, struct error *e)
{
	char *copy = xstrdup(seen), *rest = copy, *group, *name;
	struct idset tasks;
	uint64_t task;
	int rc = 0;

	for (task = 0; task < a->count; task++)
		a->trial[task].is_told = 0;
	while (rc == 0 && (group = strsep(&rest, " ")) != NULL) {
		if (*group == '\0')
			continue;
		name = strsep(&group, ":");
		tasks = (struct idset){0};
		rc = group == NULL ? -1 : idset_parse(&tasks, group, NULL);
		if (rc == 0)
			rc = take_group(a, name, &tasks);
		idset_free(&tasks);
	}
	free(copy);
	return rc == 0
	    ? 0
	    : error_set(e, "%s: trials that the sampler saw are missing: %s",
		  store_job_name(a->job), seen);
}

/* ---- asking ---- */

/* Return the values of a line, one for each column of the space, or NULL. */
static const char *const *
values_of(struct job_asker *a, const char *line)
{
	return job_points_line(a->points, line, "point", NULL);
}

/* Return the sampler of a job: tpe, unless it has one. */
static const char *
sampler_of(const struct store_job *job)
{
	const char *sampler = store_job_search(job)->sampler;

	return sampler != NULL ? sampler : "tpe";
}

/* Read a result of the job that --from-results named.  Returns 0 or -1. */
static int
read_result(const char *text, struct ask_trial *out)
{
	char *copy = xstrdup(text), *line = copy, *number, *epoch;
	int rc;

	epoch = strsep(&line, "\t"); /* "0.93", or "0.71@9" */
	number = strsep(&epoch, "@");
	*out = (struct ask_trial){.is_told = 1, .reached = INT64_MAX};
	rc = line != NULL && num_parse(number, &out->told) &&
		(epoch == NULL ||
		    num_int(
			"epoch", epoch, 1, INT64_MAX, &out->reached, NULL) == 0)
	    ? 0
	    : -1;
	out->state = epoch == NULL ? ASK_FINISHED : ASK_STOPPED;
	if (rc == 0)
		out->line = xstrdup(line);
	free(copy);
	return rc;
}

static void
read_results(struct job_asker *a)
{
	const struct strlist *results = &store_job_search(a->job)->results;
	size_t i;

	a->result = xcalloc(results->count + 1, sizeof *a->result);
	for (i = 0; i < results->count; i++)
		a->results +=
		    read_result(results->word[i], &a->result[a->results]) == 0;
}

/* Tell the sampler what is known of trials. */
static void
tell(struct job_asker *a, const struct ask_trial *trial, uint64_t count)
{
	const char *const *value;
	const struct ask_trial *t;

	for (t = trial; t < trial + count; t++) {
		value = t->is_told ? values_of(a, t->line) : NULL;
		if (value != NULL)
			search_tell(
			    a->search, value, t->reached, t->told, t->is_open);
	}
}

/* Make the sampler, and tell it all that is known. */
static int
make_search(struct job_asker *a, struct error *e)
{
	enum search_sampler sampler = SEARCH_RANDOM;

	a->space = job_points_space(a->job, e);
	if (a->space == NULL)
		return -1;
	/* A random point replaces one that a command does not give. */
	a->has_command =
	    search_sampler_find(sampler_of(a->job), &sampler, NULL) == -1;
	a->search = search_new(a->space, sampler, store_job_seed(a->job),
	    a->pruning.pruner.higher, e);
	if (a->search == NULL)
		return error_prefix(e, store_job_name(a->job));
	if (store_job_search(a->job)->guess != NULL &&
	    search_guess(a->search, store_job_search(a->job)->guess,
		a->pruning.pruner.eta, e) == -1)
		return error_prefix(e, store_job_name(a->job));
	read_results(a);
	tell(a, a->result, a->results);
	search_told_others(a->search);
	tell(a, a->trial, a->count);
	return 0;
}

static struct job_asker *
asker(const struct store_job *job, int is_stored, struct error *e)
{
	struct job_asker *a = xcalloc(1, sizeof *a);

	a->job = job;
	job_search_of(job, &a->pruning);
	a->points = job_points_are_chosen(job) ? job_points_open_few(job, e)
					       : job_points_open(job, e);
	if (a->points != NULL && (!is_stored || read_trials(a, e) == 0)) {
		ask_trials_compare(a->trial, a->count, &a->pruning);
		return a;
	}
	job_asker_free(a);
	return NULL;
}

struct job_asker *
job_asker_new(const struct store_job *job, struct error *e)
{
	return asker(job, 1, e);
}

struct job_asker *
job_asker_fresh(const struct store_job *job, struct error *e)
{
	return asker(job, 0, e);
}

void
job_asker_free(struct job_asker *a)
{
	uint64_t i;

	if (a == NULL)
		return;
	for (i = 0; i < a->count; i++) {
		free(a->trial[i].line);
		free(a->trial[i].rungs);
	}
	for (i = 0; i < a->results; i++)
		free(a->result[i].line);
	free(a->result);
	free(a->trial);
	free(a->metric);
	search_free(a->search);
	job_points_free(a->points);
	if (a->space != NULL)
		space_free(a->space);
	free(a);
}

int
job_asker_explore(struct job_asker *a, uint64_t task, uint64_t parent,
    uint64_t step, struct store_fact_body *out, struct error *e)
{
	const char *const *value = NULL;
	char **text;
	size_t i;
	int rc;

	*out = store_fact_body();
	if (a->search == NULL && make_search(a, e) == -1)
		return -1;
	if (parent < a->count && a->trial[parent].line != NULL)
		value = values_of(a, a->trial[parent].line);
	if (value == NULL)
		return error_set(e, "%s/%" PRIu64 " has no point",
		    store_job_name(a->job), parent);
	text = xcalloc(space_width(a->space) + 1, sizeof *text);
	rc = search_explore(a->search, value, task, step, text, e);
	if (rc == 0) {
		out->point = line_of(a, (const char *const *)text);
		out->sampler = xstrdup("pbt");
		out->parent = (int64_t)parent;
	}
	for (i = 0; i < space_width(a->space); i++)
		free(text[i]);
	free(text);
	return rc;
}

int
job_asker_best(const struct job_asker *a, uint64_t *task, double *value)
{
	enum metrics_goal goal =
	    a->pruning.pruner.higher ? METRICS_MAX : METRICS_MIN;
	struct ask_trial t;
	int found = 0;
	uint64_t i;

	for (i = 0; i < a->count; i++) {
		t = a->trial[i];
		if (!isfinite(t.value))
			ask_trial_set_rung(&t, INT64_MAX);
		t.told = isfinite(t.value) ? t.value : t.told;
		if (!isfinite(t.told) ||
		    (found && !metrics_better(goal, t.told, *value)))
			continue;
		*task = i;
		*value = t.told;
		found = 1;
	}
	return found;
}

const char *const *
job_asker_result(
    struct job_asker *a, uint64_t task, double *value, int64_t *reached)
{
	struct ask_trial t;

	if (task >= a->count || a->trial[task].line == NULL)
		return NULL;
	t = a->trial[task];
	ask_trial_set_rung(&t, INT64_MAX);
	if (t.state == ASK_FINISHED && isfinite(t.value)) {
		t.told = t.value;
		t.reached = INT64_MAX;
	}
	if (!isfinite(t.told))
		return NULL;
	*value = t.told;
	*reached = t.reached;
	return values_of(a, t.line);
}

int
job_asker_check_goal(const struct job_asker *a, struct error *e)
{
	struct store_reading reading = {NULL};
	char *to_do;
	int rc = 0;

	if (a->metric == NULL || a->pruning.pruner.kind != SEARCH_NONE)
		return 0;
	store_reading_of(a->job, &reading);
	to_do = xasprintf("type stfm-set --goal min %s, or --goal max",
	    store_job_name(a->job));
	if (metrics_goal_check(a->metric, reading.goal, to_do, e) == -1)
		rc = error_prefix(e, store_job_name(a->job));
	free(to_do);
	store_reading_free(&reading);
	return rc;
}

const char *
job_asker_point(const struct job_asker *a, uint64_t task)
{
	return task < a->count ? a->trial[task].line : NULL;
}

int
job_asker_has(const struct job_asker *a, const char *line, uint64_t task)
{
	uint64_t i;

	for (i = 0; i < a->count; i++)
		if (i != task && a->trial[i].line != NULL &&
		    strcmp(a->trial[i].line, line) == 0)
			return 1;
	return 0;
}

/* Ask the user's sampler.  If it fails, out says why, and the point is random.
 */
static int
ask_user(struct job_asker *a, uint64_t task, char **text,
    struct store_fact_body *out)
{
	static const struct store_summary none = {.known = 0};
	const struct ask_command command = {a->job, a->space, a->points,
	    a->trial, a->count, a->result, a->results, store_job_seed(a->job),
	    job_summary_metric(a->job, &none), a->pruning.pruner.higher,
	    a->pruning.epochs};
	struct error why;

	if (ask_command(&command, a->search, task, text, &why) == 0)
		return 0;
	free(out->sampler);
	out->sampler = xstrdup("random");
	out->reason = xasprintf("the sampler command failed: %s", why.text);
	return search_ask(a->search, task, text);
}

int
job_asker_ask(struct job_asker *a, uint64_t task, struct store_fact_body *out,
    struct error *e)
{
	struct ask_trial *t = task < a->count ? &a->trial[task] : NULL;
	char **text;
	size_t i;
	int rc;

	*out = store_fact_body();
	if (a->search == NULL && make_search(a, e) == -1)
		return -1;
	text = xcalloc(space_width(a->space) + 1, sizeof *text);
	out->sampler = xstrdup(sampler_of(a->job));
	out->seen = seen_text(a);
	rc = a->has_command ? ask_user(a, task, text, out)
			    : search_ask(a->search, task, text);
	if (rc != -1)
		out->point = line_of(a, (const char *const *)text);
	else
		error_set(e, "%s: the conditions leave out every point",
		    store_job_name(a->job));
	for (i = 0; i < space_width(a->space); i++)
		free(text[i]);
	free(text);
	if (rc != -1 && t != NULL) {
		free(t->line);
		t->line = xstrdup(out->point);
		t->state = ASK_RUNNING;
		t->is_told = t->is_open = 1;
		t->reached = 0;
		t->told = NAN;
	}
	return rc;
}
