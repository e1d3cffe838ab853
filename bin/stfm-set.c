/* stfm-set - change the metrics, the description or the tags of a job */
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "job/argv.h"
#include "job/location.h"
#include "metrics/metrics.h"
#include "metrics/reader.h"
#include "reconcile/reconcile.h"
#include "state/search.h"
#include "status/metric-names.h"
#include "status/no-metrics.h"
#include "store/change.h"
#include "store/facts.h"
#include "store/job.h"
#include "term/cli.h"
#include "term/progress.h"
#include "view/select.h"
#include "view/view.h"

enum { REGEX = 256, TAG, UNTAG };

struct request {
	const char *dir;
	const char *metric, *goal, *metrics, *epochs; /* "": the default */
	struct strlist regex;
	const char *description;      /* "": none */
	struct strlist tagged, untag; /* lists of tags to add and to drop */
	int regex_given, dry_run, quiet;
};

static const struct cli_option options[] = {
    {'m', "metric", "NAME", "compare tasks by this metric",
	CLI_TEXT(struct request, metric)},
    {0, "goal", "GOAL", "the best value is the min or the max",
	CLI_TEXT(struct request, goal)},
    {0, "metrics", "PATH", "read the training log of each task here",
	CLI_TEXT(struct request, metrics)},
    {REGEX, "metrics-regex", "REGEX", "find metrics in the printed output"},
    {0, "epochs", "N|NAME", "say how many epochs a training has",
	CLI_TEXT(struct request, epochs)},
    {0, "description", "TEXT", "describe the job, for stfm-status",
	CLI_TEXT(struct request, description)},
    {TAG, "tag", "TAGS", "add tags: paper,2026; commands then take tag:paper"},
    {UNTAG, "untag", "TAGS", "remove tags"},
    {0, "dry-run", NULL, "show the new settings, change nothing",
	CLI_FLAG(struct request, dry_run)},
    {'Q', "quiet", NULL, "print only errors", CLI_FLAG(struct request, quiet)},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct request, dir)},
    {0},
};

static const struct cli command = {
    "stfm-set",
    "change the metrics, the description or the tags of a job",
    "[-Q] [-d DIR] [-m METRIC] [--goal GOAL] [--metrics PATH]\n"
    "[--metrics-regex REGEX] [--epochs N] [--description TEXT]\n"
    "[--tag TAGS] [--untag TAGS] JOB ...",
    "  stfm-set conv2d                    show the settings\n"
    "  stfm-set -m val_accuracy conv2d    compare tasks by val_accuracy\n"
    "  stfm-set -m '' conv2d              choose the metric by its log\n"
    "  stfm-set --tag paper conv2d        then: stfm-status tag:paper\n",
    options,
    0,
    config_defaults,
};

/* Replace a setting, unless given is NULL; "" stands for the default. */
static void
set(char **setting, const char *given)
{
	if (given == NULL)
		return;
	free(*setting);
	*setting = *given != '\0' ? xstrdup(given) : NULL;
}

/* Put the new settings of a job into the empty *out. */
static void
make_reading(const struct request *r, const struct store_job *job,
    struct store_reading *out)
{
	store_reading_of(job, out);
	set(&out->metric, r->metric);
	if (r->metric != NULL) /* the goal is that of the old metric */
		set(&out->goal, "");
	set(&out->goal, r->goal);
	set(&out->metrics, r->metrics);
	set(&out->epochs, r->epochs);
	if (r->regex_given) {
		strlist_free(&out->metrics_regex);
		strlist_copy(&out->metrics_regex, &r->regex);
	}
}

/* Put the new labels of a job into the empty *out. */
static int
make_labels(const struct request *r, const struct store_job *job,
    struct store_labels *out, struct error *e)
{
	int rc = 0;
	size_t i;

	store_labels_of(job, out);
	set(&out->description, r->description);
	for (i = 0; rc == 0 && i < r->tagged.count; i++)
		rc = store_tags_add(&out->tags, r->tagged.word[i], e);
	for (i = 0; rc == 0 && i < r->untag.count; i++)
		rc = store_tags_drop(&out->tags, r->untag.word[i], e);
	return rc;
}

/* ---- showing ---- */

static void
print_setting(const char *job, const char *option, const char *value)
{
	if (value != NULL)
		cli_print("%s: --%s %s", job, option, value);
}

static void
show(const char *job, const struct store_reading *reading)
{
	size_t i;

	if (reading->metric == NULL)
		cli_print("%s: the metric is chosen by its log", job);
	print_setting(job, "metric", reading->metric);
	print_setting(job, "goal", reading->goal);
	print_setting(job, "metrics", reading->metrics);
	for (i = 0; i < reading->metrics_regex.count; i++)
		print_setting(
		    job, "metrics-regex", reading->metrics_regex.word[i]);
	print_setting(job, "epochs", reading->epochs);
}

static void
show_labels(const char *job, const struct store_labels *labels)
{
	char *tags = strlist_join(&labels->tags, ",");

	print_setting(job, "description", labels->description);
	print_setting(job, "tag", labels->tags.count > 0 ? tags : NULL);
	free(tags);
}

/* Show all settings of a job. */
static void
show_job(const struct store_job *job)
{
	struct store_reading reading = {0};
	struct store_labels labels = {0};

	store_reading_of(job, &reading);
	store_labels_of(job, &labels);
	show(job->name, &reading);
	show_labels(job->name, &labels);
	store_reading_free(&reading);
	store_labels_free(&labels);
}

/* ---- checking ---- */

static int
check_epochs(const struct store_job *job, const char *epochs, struct error *e)
{
	int64_t n;

	if (epochs == NULL || strlist_have(&job->names, epochs))
		return 0;
	if (num_int("--epochs", epochs, 1, INT32_MAX, &n, e) == 0)
		return 0;
	if (isdigit((unsigned char)*epochs))
		return error_prefix(e, job->name);
	return error_set(e,
	    "--epochs %s: neither a number nor a hyperparameter of %s", epochs,
	    job->name);
}

/* Return a view of the job whose logs were read by its settings, or NULL. */
static struct job_view *
read_logs(const struct store_job *job, struct error *e)
{
	struct job_view *view;

	progress_begin("reading the logs");
	view = job_view_new(job, NULL, time(NULL), e);
	if (view != NULL && job_view_look(view, time(NULL), e) == -1) {
		job_view_free(view);
		view = NULL;
	}
	progress_end();
	return view;
}

/* Give the job these settings, in memory only. */
static void
use(struct store_job *job, const struct store_reading *reading)
{
	store_reading_use(job, reading);
	job->reading = -1; /* no table was made by them */
}

/* ---- changing ---- */

/* Read the logs again, so that the table has the new values. */
static void
reread(const struct store *store, const char *name)
{
	struct store_job *job = store_job_load(store, name, NULL);
	struct reconcile *pass = reconcile_alone(store, NULL);

	if (job != NULL && pass != NULL)
		reconcile_job(pass, job, NULL, NULL, NULL, NULL);
	reconcile_free(pass);
	store_job_free(job);
}

/* Print the settings, what is doubtful in them, and the best task by them. */
static void
report(const struct request *r, const struct store_job *job,
    const struct store_reading *reading, const struct job_view *view)
{
	char value[NUM_TEXT];

	char *clash = r->metrics != NULL ? job_unlogged_clash(job) : NULL;

	show(job->name, reading);
	if (clash != NULL)
		cli_warn("%s: %s", job->name, clash);
	free(clash);
	if (view->best != -1)
		cli_print("%s: best %s %s in %s/%" PRId64, job->name,
		    view->metric, job_view_value(view->best_value, value),
		    job->name, view->best);
}

static int
publish(const struct store *store, const struct store_job *job,
    struct store_change *change, struct error *e)
{
	int rc = store_change_add(job, change, NULL, NULL, e);

	if (rc == 1)
		return error_code(e, ERROR_LATER,
		    "%s: changed by another command meanwhile: try again",
		    job->name);
	if (rc == 0 && change->reads)
		reread(store, job->name);
	return rc;
}

static int
reads(const struct request *r)
{
	return r->metric != NULL || r->goal != NULL || r->metrics != NULL ||
	    r->epochs != NULL || r->regex_given;
}

static int
labels(const struct request *r)
{
	return r->description != NULL || r->tagged.count > 0 ||
	    r->untag.count > 0;
}

/*
 * Return a view of trial, a copy of the job in memory with the new settings, or
 * NULL if they are refused.
 */
static struct job_view *
try(struct store_job *trial, const struct store_reading *reading,
    struct error *e)
{
	struct job_view *view = NULL;

	use(trial, reading);
	if (job_argv_check_metrics(trial, NULL, e) == 0 &&
	    check_epochs(trial, reading->epochs, e) == 0)
		view = read_logs(trial, e);
	if (view != NULL && job_metric_names_check(view, e) == -1) {
		job_view_free(view);
		view = NULL;
	}
	return view;
}

/*
 * Refuse new settings if values at the rungs of a search are recorded: by these
 * settings they would have been others.
 */
static int
check_search(const struct store_job *job, struct error *e)
{
	struct job_search search;
	struct store_facts facts;
	size_t i, rungs = 0;

	if (!job_search_of(job, &search))
		return 0;
	if (store_facts_list(job, NULL, &facts, e) == -1)
		return -1;
	for (i = 0; i < facts.search_count; i++)
		rungs += facts.search[i].kind[0] == 'R';
	store_facts_free(&facts);
	if (rungs == 0)
		return 0;
	return error_set(e,
	    "%s: its search has compared trainings by these settings: submit "
	    "another job (-J) to compare them by others, or look at another "
	    "metric with stfm-status -m NAME %s",
	    job->name, job->name);
}

/* Refuse a metric for a search whose goal neither is given nor follows. */
static int
check_goal(const struct store_job *job, const struct store_reading *reading,
    struct error *e)
{
	struct job_search search;

	if (!job_search_of(job, &search) || reading->metric == NULL ||
	    metrics_goal_check(reading->metric, reading->goal,
		"add --goal min or --goal max", e) == 0)
		return 0;
	return error_prefix(e, job->name);
}

/* Change the settings of one job.  Returns the exit status. */
static int
change(const struct request *r, const struct store *store,
    const struct store_job *job)
{
	struct store_change change = {0};
	struct store_reading old = {0};
	struct job_view *view = NULL;
	struct store_job *trial;
	struct error e;
	int rc;

	store_reading_of(job, &old);
	make_reading(r, job, &change.reading);
	trial = store_job_load(store, job->name, &e);
	rc = trial != NULL ? make_labels(r, job, &change.labels, &e) : -1;
	change.reads = !store_reading_same(&old, &change.reading);
	if (rc == 0 && change.reads)
		rc = check_search(job, &e);
	if (rc == 0 && reads(r)) {
		view = try(trial, &change.reading, &e);
		rc = view != NULL ? 0 : -1;
	}
	if (rc == 0 && change.reads) /* reading the logs took a while */
		rc = check_search(job, &e);
	if (rc == 0 && change.reads)
		rc = check_goal(job, &change.reading, &e);
	change.labelled = labels(r) && !store_labels_same(job, &change.labels);
	if (rc == 0 && !r->dry_run && (change.reads || change.labelled))
		rc = publish(store, job, &change, &e);
	if (rc == 0 && !r->quiet && reads(r))
		report(r, trial, &change.reading, view);
	if (rc == 0 && !r->quiet && labels(r))
		show_labels(job->name, &change.labels);
	job_view_free(view);
	store_job_free(trial);
	store_reading_free(&old);
	store_reading_free(&change.reading);
	store_labels_free(&change.labels);
	return rc == 0 ? CLI_YES : cli_fail(&e, cli_status(&e));
}

static int
is_change(const struct request *r)
{
	return reads(r) || labels(r);
}

static int
run(const struct request *r, const struct store *store, char **words,
    size_t count)
{
	struct selection jobs = {0};
	const struct store_job *job;
	struct error e;
	int status = CLI_YES, got;
	size_t i;

	if (job_select(store, words, count, &jobs, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	for (i = 0; i < jobs.count; i++)
		if (!jobs.item[i].whole) {
			cli_warn("%s: name the whole job, without tasks",
			    jobs.item[i].job->name);
			status = CLI_WRONG;
		}
	for (i = 0; status != CLI_WRONG && i < jobs.count; i++) {
		job = jobs.item[i].job;
		if (is_change(r)) {
			got = job_location_begin(job, &e) == -1
			    ? cli_fail(&e, CLI_WRONG)
			    : change(r, store, job);
			status = got > status ? got : status;
			continue;
		}
		show_job(job);
	}
	selection_free(&jobs);
	return cli_flush() == -1 ? CLI_WRONG : status;
}

/* ---- the command line ---- */

static int
take_option(void *arg, int letter, struct error *e)
{
	const char *text = optarg;
	struct request *r = arg;
	struct strlist none = {0};
	struct record_pattern *p;
	int rc;

	if (letter != REGEX) {
		strlist_push(letter == TAG ? &r->tagged : &r->untag, text);
		rc = store_tags_add(&none, text, e);
		strlist_free(&none);
		return rc == 0 ? 0 : cli_prefix(e);
	}
	r->regex_given = 1;
	if (*text == '\0')
		return 0;
	p = record_pattern_new(&text, 1, e);
	if (p == NULL)
		return error_prefix(e, "--metrics-regex");
	record_pattern_free(p);
	strlist_push(&r->regex, text);
	return 0;
}

int
main(int argc, char **argv)
{
	struct request r = {0};
	struct store *store = NULL;
	struct error e;
	int got, status;

	cli_start(&command);
	got = cli_options(&command, argc, argv, take_option, &r);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (optind == argc)
		status = cli_usage(&command);
	else if ((r.goal != NULL && *r.goal != '\0' &&
		     metrics_goal_read(r.goal, &e) == -1) ||
	    (store = store_open(r.dir, is_change(&r) ? STORE_WRITE : STORE_READ,
		 &e)) == NULL ||
	    (is_change(&r) && store_check_owner(store, &e) == -1))
		status = cli_fail(&e, CLI_WRONG);
	else
		status = run(&r, store, argv + optind, (size_t)(argc - optind));
	store_close(store);
	strlist_free(&r.regex);
	strlist_free(&r.tagged);
	strlist_free(&r.untag);
	return cli_finish(status);
}
