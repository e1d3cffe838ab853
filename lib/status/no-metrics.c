#include <sys/stat.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/argv.h"
#include "job/code.h"
#include "job/training-log.h"
#include "metrics/read-files.h"
#include "metrics/reader.h"
#include "state/pending-reason.h"
#include "status/metric-names.h"
#include "status/no-metrics.h"
#include "store/job.h"
#include "sys/fs.h"

enum {
	LONG = 600,  /* seconds after which a first epoch is expected */
	MANY = 2000, /* maximum files of the code to look through */
	MADE = 100,  /* maximum new files to look at */
	NAMED = 3,   /* maximum files to name */
	LOOKED = 8   /* maximum logs to read */
};

/* Return whether a log exists at its path, whatever is in it. */
static int
has_log(const struct store_job *job, const struct store_row *row)
{
	struct stat st;

	return job->metrics_regex.count == 0 && row->metrics_path != NULL &&
	    stat(row->metrics_path, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size > 0;
}

/* Return whether a task should have metrics by now. */
static int
is_due(struct job_view *v, uint64_t task)
{
	switch (store_table_state(v->table, task)) {
	case STORE_FINISHED:
		return 1;
	case STORE_RUNNING:
		return job_view_elapsed(v, task) > LONG;
	default:
		return 0;
	}
}

static int
has_metrics(const struct store_row *row)
{
	return (row->facts & STORE_LOG_DUE) != 0 ||
	    (row->metrics_path != NULL && row->metrics.columns > 0);
}

int
job_guessed(struct job_view *v, uint64_t task)
{
	return job_training_log_is_guessed(
	    v->job, &job_view_row(v, task)->metrics);
}

char *
job_guessed_advice(struct job_view *v, uint64_t task)
{
	const char *path = job_view_row(v, task)->metrics_path;
	struct record_pattern *pattern = record_pattern_new(NULL, 0, NULL);
	struct strlist names = {0};
	char *list, *text;
	size_t length, i;
	FILE *f = xmemopen(&list, &length);

	if (path != NULL)
		job_metric_names_log(path, pattern, &names);
	for (i = 0; i < names.count && i < NAMED; i++)
		fprintf(f, "%s%s", i > 0 ? ", " : " (", names.word[i]);
	fputs(i < names.count ? ", ...)" : i > 0 ? ")" : "", f);
	xmemclose(f);
	text = xasprintf("guessed from the printed output%s; name them with "
			 "stfm-submit --metrics-regex",
	    list);
	free(list);
	strlist_free(&names);
	record_pattern_free(pattern);
	return text;
}

int
job_unlogged(struct job_view *v, uint64_t task)
{
	const struct store_row *row;

	if (!is_due(v, task))
		return 0;
	row = job_view_row(v, task);
	return !has_metrics(row) && !has_log(v->job, row);
}

int
job_illegible(struct job_view *v, uint64_t task)
{
	enum store_state state = store_table_state(v->table, task);
	const struct store_row *row;

	if (!is_due(v, task) &&
	    (v->job->imported == NULL || !store_state_is_final(state)))
		return 0;
	row = job_view_row(v, task);
	return !has_metrics(row) && has_log(v->job, row);
}

char *
job_illegible_log_advice(const struct store_job *job)
{
	return xasprintf("there is a log, but no line of metrics in it that "
			 "can be read: stfm-plot %s says why",
	    job->name);
}

/* ---- metrics in what tasks print ---- */

int
job_unprinted(struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	const struct metrics_summary *m = &row->metrics;
	const char *printed = job_training_log_output(v->job, row);

	return row->metrics_path != NULL && m->offset > 0 && m->values == 0 &&
	    !m->has_best && (m->columns == 0 || m->column != METRICS_NONE) &&
	    (v->job->metrics_regex.count > 0 ||
		(printed != NULL && strcmp(row->metrics_path, printed) == 0));
}

/*
 * Find the tasks whose printed output has no value of the metric.  Sets *text
 * to what is printed instead of a number, to free, or NULL.
 */
static void
find_unprinted(struct job_view *v, struct idset *tasks, char **text)
{
	uint64_t task;

	*text = NULL;
	for (task = 0; task < v->table->count; task++) {
		if (job_unprinted(v, task)) {
			idset_add(tasks, task, task);
			if (*text == NULL && idset_size(tasks) <= LOOKED)
				*text = job_metric_names_cell(
				    v->job, job_view_row(v, task));
		}
		store_table_forget(v->table, task);
	}
}

void
job_unprinted_explain(
    struct job_view *v, int ended, struct job_pending_reason *out)
{
	const char *name = v->job->name, *far = ended ? "" : " so far";
	struct idset tasks = {0};
	uint64_t count;
	char *text;

	find_unprinted(v, &tasks, &text);
	count = idset_size(&tasks);
	if (count > 0 && text != NULL) {
		out->why = xasprintf("%" PRIu64 " task%s %s as text such as "
				     "\"%.40s\", which is no number",
		    count, count == 1 ? " prints" : "s print", v->metric, text);
		out->to_do = xasprintf("Let the group %s of --metrics-regex "
				       "match the number alone",
		    v->metric);
		out->command =
		    xasprintf("stfm-set --metrics-regex REGEX %s", name);
	} else if (count > 0 && v->job->metrics_regex.count > 0) {
		out->why =
		    xasprintf("no line that %" PRIu64 " task%s printed%s "
			      "matches --metrics-regex with a value of %s",
			count, count == 1 ? "" : "s", far, v->metric);
		out->to_do = xstrdup("Compare the expression with the output");
		out->command = xasprintf(
		    "stfm-log %s/%" PRIu64, name, idset_at(&tasks, 0));
	} else if (count > 0 && !ended) {
		out->why = xasprintf("stfm finds no metrics in what %" PRIu64
				     " task%s printed so far",
		    count, count == 1 ? "" : "s");
		out->to_do = xasprintf("Let the training write %s to "
				       "$STFM_METRICS, or name it with an "
				       "expression",
		    v->metric);
		out->command =
		    xasprintf("stfm-set --metrics-regex '%s=(?<%s>[0-9.]+)' %s",
			v->metric, v->metric, name);
	}
	free(text);
	idset_free(&tasks);
}

int
job_unread(struct job_view *v, uint64_t task)
{
	return store_state_is_final(store_table_state(v->table, task)) &&
	    (job_view_row(v, task)->facts & STORE_LOG_DUE) != 0;
}

char *
job_unread_advice(const struct store_job *job)
{
	return xasprintf("it could not be read to its end, so that the best "
			 "value may be missing: stfm-watch --once %s looks "
			 "again, and says why",
	    job->name);
}

/* ---- files that look like metrics ---- */

/* Return whether the name of a file is usual for metrics. */
static int
looks_like_metrics(const char *path)
{
	static const char *const ends[] = {
	    ".csv", ".tsv", ".jsonl", ".ndjson", ".tfevents"};
	const char *name = fs_base(path);
	size_t i;

	if (strncmp(name, "events.out.tfevents.", 20) == 0)
		return 1;
	for (i = 0; i < sizeof ends / sizeof *ends; i++)
		if (text_ends(name, ends[i]))
			return 1;
	return 0;
}

/*
 * Add a new file that looks like metrics, or a new directory that holds such
 * files.
 */
static void
take(struct strlist *out, const char *place, const char *made)
{
	struct record_files files;
	char *path;

	if (looks_like_metrics(made)) {
		strlist_push(out, made);
		return;
	}
	path = xasprintf("%s/%s", place, made);
	if (record_files_list(&files, path, NULL) == 0) {
		if (files.count > 0)
			strlist_push(out, made);
		record_files_free(&files);
	}
	free(path);
}

/* ---- the advice ---- */

static char *
advise(const struct store_job *job, const struct strlist *made)
{
	const char *given = job_argv_metrics_path(job);
	const char *where =
	    given != NULL ? given : "the file that $STFM_METRICS names";
	char *list, *text;
	size_t length, i;
	FILE *f;

	if (made->count == 0)
		return xasprintf("nothing was written to %s: let the training "
				 "write its metrics to $STFM_METRICS, or say "
				 "with stfm-submit --metrics where they are",
		    where);
	f = xmemopen(&list, &length);
	for (i = 0; i < made->count && i < NAMED; i++)
		fprintf(f, "%s%s", i > 0 ? ", " : "", made->word[i]);
	fputs(i < made->count ? ", ..." : "", f);
	xmemclose(f);
	if (made->count == 1 && job->tasks > 1)
		text = xasprintf("nothing was written to %s, and all tasks "
				 "wrote to one %s: let each write to "
				 "$STFM_METRICS",
		    where, list);
	else
		text = xasprintf("nothing was written to %s; are they in %s? "
				 "then let the training write to "
				 "$STFM_METRICS, or submit with --metrics "
				 "%s%s",
		    where, list,
		    made->count == 1 ? made->word[0] : "PLACE, such as ",
		    made->count == 1 ? "" : "runs/{task}.csv");
	free(list);
	return text;
}

char *
job_unlogged_advice(const struct store_job *job)
{
	struct snapshot_changes c = {0};
	struct strlist made = {0};
	const char *given = job_argv_metrics_path(job);
	char *text, *place;
	size_t i;

	if (job->metrics_regex.count > 0)
		return xstrdup("no printed line matches --metrics-regex "
			       "with a number");
	if (store_job_is_adopted(job))
		return xasprintf(
		    "there is no log at %s: name its path with stfm-set "
		    "--metrics, or read the printed output with stfm-set "
		    "--metrics-regex",
		    given != NULL ? given : "a place known to stfm");
	if (job->code.fingerprint != NULL && job->code.files <= MANY &&
	    job_code_changes(job, SNAPSHOT_DATA, MADE, &c, NULL) == 0) {
		place = store_code_path(job, "code");
		for (i = 0; i < c.added.count; i++)
			take(&made, place, c.added.word[i]);
		for (i = 0; i < c.changed.count; i++)
			if (looks_like_metrics(c.changed.word[i]))
				strlist_push(&made, c.changed.word[i]);
		free(place);
		snapshot_changes_free(&c);
	}
	text = advise(job, &made);
	strlist_free(&made);
	return text;
}

char *
job_unlogged_clash(const struct store_job *job)
{
	const char *given = job_argv_metrics_path(job);

	if (job->tasks < 2 || given == NULL || strchr(given, '{') != NULL)
		return NULL;
	return xasprintf("--metrics %s: all tasks write this one file; let "
			 "each write its own, with {task} in the name",
	    given);
}

/* ---- the number of epochs ---- */

/* Return whether the submission of a job gave its number of epochs. */
static int
gives_epochs(const struct store_job *job)
{
	const struct strlist *list[] = {&job->argv, &job->defaults};
	size_t i, k;

	for (i = 0; i < sizeof list / sizeof *list; i++)
		for (k = 0; k < list[i]->count; k++)
			if (text_begins(list[i]->word[k], "--epochs"))
				return 1;
	return job->search.epochs > 0;
}

uint64_t
job_started_early(struct job_view *v)
{
	const struct store_changes *all = &v->job->changes;
	uint64_t task, count = 0;
	int64_t start;
	size_t i = 0;

	while (i < all->count &&
	    (!all->item[i].reads || all->item[i].reading.epochs == NULL))
		i++;
	if (i == all->count || gives_epochs(v->job))
		return 0;
	for (task = 0; task < v->table->count; task++) {
		start = job_view_row(v, task)->start;
		count += start != -1 && start <= all->item[i].created;
		store_table_forget(v->table, task);
	}
	return count;
}
