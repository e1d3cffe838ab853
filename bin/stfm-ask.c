/* stfm-ask - choose the next points of a search */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "control/ask.h"
#include "job/points.h"
#include "metrics/metrics.h"
#include "search/sampler.h"
#include "space/file.h"
#include "space/space.h"
#include "store/facts.h"
#include "store/load.h"
#include "store/store.h"
#include "sys/fs.h"
#include "term/cli.h"
#include "view/select.h"

enum { TELL_LIMIT = 1 << 28, POINTS = 100000, EXCEPT = 256, WHEN, SAMPLER };

struct ask {
	struct space *space;
	struct search *search;
	enum search_sampler sampler;
	const char *tell, *goal, *store;
	int64_t points, seed; /* -1: not given */
	int again;
	const char *of_space; /* an option that a job has no use for */
	/* Columns of the table that is told, or -1. */
	long value, state, epoch, goals, metrics;
	long *source; /* the column of each hyperparameter */
	const char **text;
	struct file *file;
	uint64_t trials, left_out, first_out; /* first_out: number of a row */
	int told_goal;                        /* the goal in the table, or -1 */
	char *metric;                         /* of the table, or NULL */
	struct error error;
};

static const struct cli_option options[] = {
    {0, "tell", "FILE", "learn from a table of points and values, or from -",
	CLI_TEXT(struct ask, tell)},
    {'n', "limit", "N", "print N points (default: 1)",
	CLI_NUMBER(struct ask, points, 1, POINTS)},
    {SAMPLER, "sampler", "NAME",
	"choose by tpe, random or quasi (default: tpe)"},
    {0, "goal", "GOAL", "the best value is the min (default) or the max",
	CLI_TEXT(struct ask, goal)},
    {0, "seed", "S", "seed the random numbers (default: 0)",
	CLI_NUMBER(struct ask, seed, 0, INT64_MAX)},
    {WHEN, "when", "NAME:COND", "set NAME only there: momentum:opt=sgd"},
    {0, "again", NULL, "choose points again and compare them",
	CLI_FLAG(struct ask, again)},
    {EXCEPT, "except", "COND", "leave points out: opt=adam,lr=0.1"},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct ask, store)},
    {0},
};

static const struct cli_instead instead[] = {
    {"samples", "-n N"},
    {"=", "hyperparameters without dashes: lr=0.1"},
    {0},
};

static const struct cli command = {
    "stfm-ask",
    "choose the next points of a search",
    "[options] NAME=VALUES ... | JOB",
    "  stfm-ask lr=loguniform:1e-5:1e-1 opt=sgd,adam\n"
    "  stfm-ask --tell results.tsv -n 4 lr=loguniform:1e-5:1e-1\n"
    "  stfm-status -o tsv conv2d | stfm-ask --tell - lr=loguniform:1e-5:1\n"
    "  stfm-ask -n 4 conv2d\n",
    options,
    .instead = instead,
};

/* ---- what is known ---- */

/* Find the columns of the table, when its first row arrives. */
static int
find_columns(struct ask *a)
{
	const struct columns *c = file_columns(a->file);
	size_t i;

	a->value = columns_find(c, "value");
	if (a->value == -1)
		a->value = columns_find(c, "best");
	a->state = columns_find(c, "state");
	a->epoch = columns_find(c, "epoch");
	a->goals = columns_find(c, "goal");
	a->metrics = columns_find(c, "metric");
	if (a->value == -1)
		return error_set(&a->error,
		    "%s: there is no column value (or best, as stfm-status has "
		    "it)",
		    a->tell);
	for (i = 0; i < space_width(a->space); i++) {
		a->source[i] = columns_find(c, space_name(a->space, i));
		if (a->source[i] == -1)
			return error_set(&a->error,
			    "%s: there is no column %s: add it, or leave %s "
			    "out of the space",
			    a->tell, space_name(a->space, i),
			    space_name(a->space, i));
	}
	return 0;
}

static const char *
field(const struct values_one *row, long at)
{
	return at != -1 ? row[at].text : NULL;
}

/*
 * Take the goal of a row.  stfm-status also says min if nothing tells the goal,
 * so min does not count if the name of the metric does not tell it.
 * Returns 0, or -1 if the goal contradicts others.
 */
static int
take_goal(struct ask *a, const char *text, const char *metric)
{
	struct error *e = &a->error;
	int goal;

	if (a->metric == NULL)
		a->metric = xcopy(metric);
	if (text == NULL)
		return 0;
	goal = metrics_goal_read(text, NULL);
	if (goal == METRICS_MIN && metric != NULL &&
	    !metrics_goal_known(metric))
		return 0;
	if (goal == -1)
		return error_set(e,
		    "%s: row %" PRIu64 ": '%.40s' is no goal: write min or max",
		    a->tell, a->trials, text);
	if (a->goal != NULL && strcmp(a->goal, text) != 0)
		return error_set(e,
		    "--goal %s: in row %" PRIu64 " of %s the goal is %s: leave "
		    "--goal out",
		    a->goal, a->trials, a->tell, text);
	if (a->told_goal != -1 && a->told_goal != goal)
		return error_set(e,
		    "%s: the goal of row %" PRIu64 " is %s, but it is %s "
		    "before: give rows with one goal",
		    a->tell, a->trials, text,
		    goal == METRICS_MAX ? "min" : "max");
	a->told_goal = goal;
	return 0;
}

/* Return whether a task in this state has not trained to its end. */
static int
is_partial(const char *state)
{
	static const char *const states[] = {
	    "SUBMITTED", "RUNNING", "STOPPED", "ERROR"};

	return state != NULL &&
	    text_among(state, states, sizeof states / sizeof *states) != -1;
}

/*
 * Take a row: a task without a value is running if its state says so, or if
 * there is no state; otherwise it has failed, which is worst.  A task that has
 * not trained to its end counts with its value at the epochs that it has.
 */
static int
take_row(void *arg, const struct values_one *row)
{
	struct ask *a = arg;
	const char *state, *text;
	double value = NAN, epoch;
	int running;
	int64_t reached = INT64_MAX;
	size_t i;

	if (a->trials == 0 && find_columns(a) == -1)
		return -1;
	a->trials++;
	if (take_goal(a, field(row, a->goals), field(row, a->metrics)) == -1)
		return -1;
	text = field(row, a->value);
	if (text != NULL && !num_parse(text, &value))
		return error_set(&a->error,
		    "%s: row %" PRIu64 ": '%.40s' is no value", a->tell,
		    a->trials, text);
	state = field(row, a->state);
	running = text == NULL &&
	    (state == NULL || strcmp(state, "RUNNING") == 0 ||
		strcmp(state, "SUBMITTED") == 0);
	if (isnan(value) || is_partial(state))
		reached = 0;
	text = field(row, a->epoch);
	if (is_partial(state) && text != NULL && num_parse(text, &epoch) &&
	    epoch >= 0 && epoch <= INT32_MAX)
		reached = (int64_t)epoch;
	for (i = 0; i < space_width(a->space); i++)
		a->text[i] = field(row, a->source[i]);
	/* The point of a task that does not run yet may not be chosen. */
	if (search_tell(a->search, a->text, reached, value, running) != 0 &&
	    !running && a->left_out++ == 0)
		a->first_out = a->trials;
	return 0;
}

/* Use the goal of the table.  Returns 0, or -1 if only --goal can tell it. */
static int
use_goal(struct ask *a)
{
	int goal = a->told_goal;

	if (a->goal != NULL || (goal == -1 && a->metric == NULL))
		return 0;
	if (goal == -1 &&
	    metrics_goal_check(a->metric, NULL, "add --goal min or --goal max",
		&a->error) == -1)
		return error_prefix(&a->error, a->tell);
	if (goal == -1)
		goal = (int)metrics_goal(a->metric);
	search_goal(a->search, goal == METRICS_MAX);
	return 0;
}

/* Read the table.  Returns 0, or -1 with the reason in a->error. */
static int
read_told(struct ask *a)
{
	char *text;
	size_t length;
	int rc;

	if (a->tell == NULL)
		return 0;
	if (fs_read_path(a->tell, TELL_LIMIT, &text, &length, &a->error) == -1)
		return -1;
	if (strcmp(a->tell, "-") == 0)
		a->tell = "standard input";
	a->file = file_new(a->tell, NULL, &a->error);
	rc = file_feed(a->file, text, length, take_row, a, &a->error);
	if (rc == 0)
		rc = file_end(a->file, take_row, a, &a->error);
	file_free(a->file);
	free(text);
	if (rc == 0 && a->left_out > 0)
		cli_warn("%s: %" PRIu64 " of %" PRIu64 " rows have no point of "
			 "the space and do not count, such as row %" PRIu64,
		    a->tell, a->left_out, a->trials, a->first_out);
	return rc == 0 ? use_goal(a) : -1;
}

/* ---- choosing ---- */

static int64_t
wanted(const struct ask *a)
{
	return a->points > 0 ? a->points : 1;
}

/*
 * Say if fewer points are printed than wanted.  Returns 0, or -1 if none is.
 */
static int
check_count(struct ask *a, int64_t printed)
{
	if (printed == 0)
		return error_set(
		    &a->error, "no point of the space is left to try");
	if (printed < wanted(a))
		cli_warn("only %" PRId64 " point%s left to try", printed,
		    printed == 1 ? " is" : "s are");
	return 0;
}

static int
print_points(struct ask *a)
{
	size_t width = space_width(a->space), i;
	char **text = xcalloc(width + 1, sizeof *text);
	int64_t n;
	int rc = 0;

	for (n = 0; n < wanted(a) && rc == 0; n += rc == 0) {
		rc = search_ask(a->search, a->trials + (uint64_t)n, text);
		for (i = 0; i < width && rc == 0 && n == 0; i++)
			printf("%s%s", space_name(a->space, i),
			    i + 1 < width ? "\t" : "\n");
		for (i = 0; i < width && rc != -1; i++) {
			fputs(rc == 0 && i > 0 ? "\t" : "", stdout);
			if (rc == 0 && text[i] != NULL)
				text_tsv(stdout, text[i]);
			free(text[i]);
		}
		if (rc == 0)
			putchar('\n');
	}
	free(text);
	return rc == -1 ? error_set(&a->error, "--except leaves no points")
			: check_count(a, n);
}

/* ---- a job ---- */

static void
print_names(const struct strlist *names)
{
	size_t i;

	for (i = 0; i < names->count; i++) {
		fputs(i > 0 ? "\t" : "", stdout);
		text_tsv(stdout, names->word[i]);
	}
	putchar('\n');
}

/* Print a line of points.tsv as a line of a table: no value is an empty one. */
static void
print_line(const char *line, size_t count)
{
	const char **value = xcalloc(count + 1, sizeof *value);
	char *copy = xstrdup(line);
	size_t i, n = job_points_cut(copy, value, count);

	for (i = 0; i < count && i < n; i++) {
		fputs(i > 0 ? "\t" : "", stdout);
		if (value[i] != NULL)
			text_tsv(stdout, value[i]);
	}
	putchar('\n');
	free(copy);
	free(value);
}

/* Print the points that the next tasks of a job would get. */
static int
print_next(struct ask *a, const struct store_job *job)
{
	struct job_asker *asker = job_asker_new(job, &a->error);
	const struct strlist *names = store_job_names(job);
	struct store_fact_body body;
	uint64_t task = 0;
	int64_t n;
	int rc = 0;

	if (asker == NULL)
		return -1;
	rc = job_asker_check_goal(asker, &a->error);
	if (rc == -1) {
		job_asker_free(asker);
		return -1;
	}
	for (n = 0; n < wanted(a) && rc == 0; n += rc == 0, task++) {
		while (job_asker_point(asker, task) != NULL)
			task++;
		rc = job_asker_ask(asker, task, &body, &a->error);
		if (rc == 0 && n == 0)
			print_names(names);
		if (rc == 0)
			print_line(body.point, names->count);
		if (rc == 0 && body.reason != NULL)
			cli_warn("the point is random: %s", body.reason);
		store_fact_body_free(&body);
	}
	job_asker_free(asker);
	if (rc != -1 && check_count(a, n) == -1)
		rc = error_prefix(&a->error, store_job_name(job));
	return rc == -1 ? -1 : 0;
}

/* Find the fact that records the point of a task.  Returns 1, 0 or -1. */
static int
find_point(const struct store_job *job, uint64_t task,
    struct store_fact_body *out, struct error *e)
{
	struct store_facts facts;
	size_t i;
	int rc = 0;

	if (store_facts_of(job, task, &facts, e) == -1)
		return -1;
	for (i = 0; i < facts.search_count && rc == 0; i++)
		if (strcmp(facts.search[i].kind, "P") == 0)
			rc = store_facts_read(
				 job, &facts, &facts.search[i], out, e) == 0
			    ? 1
			    : -1;
	store_facts_free(&facts);
	return rc;
}

/*
 * Choose the point of a task again from what its sampler saw.  Returns 1 if it
 * is the recorded one, 0 if not, or -1.
 */
static int
choose_again(struct ask *a, const struct store_job *job, uint64_t task)
{
	struct store_fact_body old = store_fact_body(), new;
	struct job_asker *asker = NULL;
	int rc = find_point(job, task, &old, &a->error);

	if (rc == 0)
		rc = error_set(&a->error,
		    "%s/%" PRIu64 ": no sampler has chosen its point",
		    store_job_name(job), task);
	if (rc == 1)
		asker = job_asker_new(job, &a->error);
	if (rc == 1 && asker != NULL && old.seen == NULL)
		rc = error_set(&a->error,
		    "%s/%" PRIu64 ": the record of what its sampler saw is "
		    "lost",
		    store_job_name(job), task);
	rc = rc == 1 && asker != NULL
	    ? job_asker_recall(asker, old.seen, &a->error)
	    : -1;
	if (rc == 0)
		rc = job_asker_ask(asker, task, &new, &a->error);
	if (rc != -1) { /* also if another task has the same point */
		rc = strcmp(old.point, new.point) == 0;
		printf("%s/%" PRIu64 "\t%s\t%s\n", store_job_name(job), task,
		    rc ? "same" : "another", old.sampler);
		store_fact_body_free(&new);
	}
	job_asker_free(asker);
	store_fact_body_free(&old);
	return rc;
}

static int
choose_all_again(struct ask *a, const struct selection *s)
{
	struct idset_walk walk;
	int same = 1, rc = 1;
	uint64_t task;
	size_t i;

	for (i = 0; i < s->count && rc != -1; i++) {
		walk = (struct idset_walk){0};
		while (
		    rc != -1 && idset_next(&s->item[i].tasks, &walk, &task)) {
			rc = choose_again(a, s->item[i].job, task);
			same &= rc == 1;
		}
	}
	return rc == -1 ? -1 : same;
}

/* Act on jobs.  Returns the exit status. */
static int
ask_job(struct ask *a, char **words, size_t count)
{
	struct store *store = store_open(a->store, STORE_READ, &a->error);
	struct selection s = {0};
	int rc = -1;

	if (store != NULL &&
	    job_select(store, words, count, &s, &a->error) == 0)
		rc = a->again ? choose_all_again(a, &s)
		    : s.count == 1 && s.item[0].whole
		    ? print_next(a, s.item[0].job)
		    : error_set(&a->error, "%s: name one job", words[0]);
	selection_free(&s);
	store_close(store);
	if (rc == -1)
		return cli_fail(&a->error, CLI_WRONG);
	return a->again && rc == 0 ? CLI_NO : CLI_YES;
}

/* ---- the command line ---- */

static int
take_option(void *arg, int option, struct error *e)
{
	struct ask *a = arg;
	int rc;

	a->of_space = option == SAMPLER ? "--sampler"
	    : option == WHEN            ? "--when"
					: "--except";
	if (option == SAMPLER)
		rc = search_sampler_find(optarg, &a->sampler, e);
	else if (option == WHEN)
		rc = space_when(a->space, optarg, e);
	else
		rc = space_except(a->space, optarg, e);
	return rc == 0 ? 0 : cli_prefix(e);
}

static int
declare(struct ask *a, char **words, size_t count)
{
	struct error *e = &a->error;
	int goal =
	    a->goal != NULL ? metrics_goal_read(a->goal, e) : METRICS_MIN;
	char *unmet;
	size_t i;

	if (goal == -1)
		return -1;
	for (i = 0; i < count; i++)
		if (space_check_word(words[i], e) == -1 ||
		    space_add(a->space, words[i], e) == -1)
			return -1;
	/* A space with distributions is finished with a number of samples. */
	if (space_is_drawn(a->space))
		space_samples(a->space, 1);
	if (space_finish(a->space, e) == -1)
		return -1;
	unmet = space_unmet(a->space);
	if (unmet != NULL)
		cli_warn("%s", unmet);
	free(unmet);
	a->source = xcalloc(space_width(a->space) + 1, sizeof *a->source);
	a->text = xcalloc(space_width(a->space) + 1, sizeof *a->text);
	a->search = search_new(a->space, a->sampler,
	    a->seed == -1 ? 0 : (uint64_t)a->seed, goal == METRICS_MAX, e);
	return a->search != NULL ? 0 : -1;
}

/* Refuse options that have no meaning for a job, or no meaning for a space. */
static int
check_options(struct ask *a, int is_job)
{
	const char *wrong = NULL;

	if (is_job)
		wrong = a->tell != NULL          ? "--tell"
		    : a->goal != NULL            ? "--goal"
		    : a->seed != -1              ? "--seed"
		    : a->of_space != NULL        ? a->of_space
		    : a->again && a->points != 0 ? "-n"
						 : NULL;
	else
		wrong = a->again ? "--again" : a->store != NULL ? "-d" : NULL;
	if (wrong == NULL)
		return 0;
	if (!is_job)
		return error_set(&a->error,
		    "%s: write the name of a job instead of a space, or leave "
		    "%s out",
		    wrong, wrong);
	return error_set(&a->error,
	    a->again
		? "%s: --again repeats earlier choices: leave %s out"
		: "%s: a job has its own space, sampler and results: leave "
		  "%s out",
	    wrong, wrong);
}

int
main(int argc, char **argv)
{
	struct ask a = {.seed = -1, .sampler = SEARCH_TPE, .told_goal = -1};
	int got, status, is_job;

	cli_start(&command);
	a.space = space_new();
	got = cli_options(&command, argc, argv, take_option, &a);
	is_job = optind < argc && strchr(argv[optind], '=') == NULL;
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (optind == argc)
		status = cli_usage(&command);
	else if (check_options(&a, is_job) == -1)
		status = cli_fail(&a.error, CLI_WRONG);
	else if (is_job)
		status = ask_job(&a, argv + optind, (size_t)(argc - optind));
	else if (declare(&a, argv + optind, (size_t)(argc - optind)) == -1 ||
	    read_told(&a) == -1 || print_points(&a) == -1)
		status = cli_fail(&a.error, CLI_WRONG);
	else
		status = CLI_YES;
	search_free(a.search);
	space_free(a.space);
	free(a.metric);
	free(a.source);
	free(a.text);
	return cli_finish(status);
}
