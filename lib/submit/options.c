#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/expression.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "dist/dist.h"
#include "job/container.h"
#include "job/sbatch-options.h"
#include "metrics/reader.h"
#include "notify/hook.h"
#include "submit/options.h"
#include "submit/policy-options.h"

enum {
	DESCRIPTION = 256,
	EXCEPT,
	WHEN,
	SAMPLES,
	SEED,
	FROM,
	ARGS,
	PARALLEL,
	PACK,
	METRIC,
	GOAL,
	METRICS,
	REGEX,
	EPOCHS,
	MAX_TASKS,
	STORE,
	DRY_RUN,
	PARSABLE,
	NO_CHECK,
	SNAPSHOT,
	NO_SNAPSHOT,
	QUEUE_REST,
	SYNC,
	DIST,
	CONTAINER,
	RUNTIME,
	BIND,
	AFTER,
	THEN,
	RULES /* what job_policy_options_set takes: from here on */
};

const struct cli_option submit_options_options[] = {
    {'J', "job-name", "NAME", "name of the job"},
    {DESCRIPTION, "description", "TEXT", "what it is about"},
    {'f', "spec", "FILE", "take the space from a JSON file"},
    {FROM, "from", "FILE", "take points from CSV, TSV, JSON Lines, or -"},
    {'z', "zip", "NAMES", "pair hyperparameters: lr,batch_size"},
    {EXCEPT, "except", "COND", "leave out points: opt=adam,lr=0.1"},
    {WHEN, "when", "NAME:COND", "only there: momentum:opt=sgd"},
    {SAMPLES, "samples", "N", ""},
    {SEED, "seed", "S", "draw N of the distributions, from this seed (0)"},
    {ARGS, "args", "STYLE", "long, space, hydra, none or positional"},
    {PARALLEL, "parallel", "N", ""},
    {PACK, "pack", "N", "N tasks at most at once; N on one allocation"},
    {METRIC, "metric", "NAME", ""},
    {GOAL, "goal", "min|max", "objective (val_loss), and what is better"},
    {METRICS, "metrics", "PLACE", "where the training log is"},
    {REGEX, "metrics-regex", "REGEX", "find metrics in what a task prints"},
    {EPOCHS, "epochs", "N|NAME", "epochs of a training"},
    {MAX_TASKS, "max-tasks", "N", "refuse more tasks (default: 10000)"},
    {STORE, "store", "DIR", "the store (default: $STFM_DIR, .stfm, ...)"},
    {DRY_RUN, "dry-run", NULL, ""},
    {PARSABLE, "parsable", NULL,
	"show what would be queued; print array ids only"},
    {'Q', "quiet", NULL, "print nothing but errors"},
    {NO_CHECK, "no-check", NULL, "leave out the checks before queueing"},
    {SNAPSHOT, "snapshot", "PATTERNS", ""},
    {NO_SNAPSHOT, "no-snapshot", NULL, "copy *.csv,-old/, too; copy nothing"},
    {QUEUE_REST, "queue-rest", "JOB", "queue what a submission could not"},
    {SYNC, "sync", NULL, "give the job of this name these points"},
    {DIST, "dist", "FRAMEWORK", "set up its ranks: torch, tensorflow,ps=1"},
    {CONTAINER, "container", "IMAGE", "train in this image"},
    {RUNTIME, "container-runtime", "BY", ""},
    {BIND, "container-bind", "PATH", "what runs it; what it sees"},
    {AFTER, "after", "JOBS", "wait for others: prep,conv2d:ok"},
    {THEN, "then", "COMMAND", "run it once when the job is over"},
    {RULES, "requeue", "[=N]", "put back what runs out of time (N: 10)"},
    {RULES + 1, "signal-before", "SEC", ""},
    {RULES + 2, "signal", "NAME", "tell it before its limit (USR1)"},
    {RULES + 3, "max-fail", "N", "stop the rest after N failures"},
    {RULES + 6, "canary", NULL, "the first task has to do an epoch first"},
    {RULES + 4, "retry-oom", "FACTOR", ""},
    {RULES + 5, "retry-time", "FACTOR", "with more: 1.5,max=64G; 2,n=3"},
    {RULES + 7, "avoid-bad-nodes", "[=N]", "not where N failed at once (3)"},
    {RULES + 8, "usage", "SEC", "look at GPU and CPU so often (30), or no"},
    {0},
};

static int
read_values(
    void *arg, const char *path, char **text, size_t *length, struct error *e)
{
	return job_plan_read(arg, path, SPACE_VALUES, text, length, e);
}

void
submit_options_begin(struct submit_options *r, FILE *out)
{
	*r = (struct submit_options){0};
	r->report.out = out;
	r->program = cli_sibling("stfm-run");
	r->plan = job_plan_new();
	r->defaults.option = &r->plan->job->defaults;
	r->plan->most = 10000;
	r->space = space_new();
	space_reader(r->space, read_values, r->plan);
}

void
submit_options_free(struct submit_options *r)
{
	space_free(r->space);
	strlist_free(&r->sbatch);
	strlist_free(&r->defaults.from);
	strlist_free(&r->rules);
	free(r->program);
	free(r->report.queued);
	job_plan_free(r->plan);
}

static int
set_text(char **to, const char *value)
{
	free(*to);
	*to = xstrdup(value);
	return 0;
}

static int
set_goal(struct submit_options *r, const char *value, struct error *e)
{
	struct store_job *job = r->plan->job;

	if (strcmp(value, "min") != 0 && strcmp(value, "max") != 0)
		return error_set(
		    e, "--goal: '%s' is neither min nor max", value);
	r->goal_given |= !cli_is_default();
	return set_text(&job->goal, value);
}

/* The goal in a file is that of the metric in a file. */
static int
set_metric(struct submit_options *r, const char *value)
{
	struct store_job *job = r->plan->job;

	if (!cli_is_default() && !r->goal_given) {
		free(job->goal);
		job->goal = NULL;
	}
	return set_text(&job->metric, value);
}

/*
 * Add a pattern for what the training prints, if it is one.  The first on the
 * command line takes the place of those in files.
 */
static int
add_regex(struct submit_options *r, const char *value, struct error *e)
{
	struct store_job *job = r->plan->job;
	struct record_pattern *p = record_pattern_new(&value, 1, e);

	if (p == NULL)
		return error_prefix(e, "--metrics-regex");
	record_pattern_free(p);
	if (!cli_is_default() && !r->regex_given) {
		strlist_free(&job->metrics_regex);
		r->regex_given = 1;
	}
	strlist_push(&job->metrics_regex, value);
	return 0;
}

/* As it is written in full, so that the same is the same. */
static int
set_dist(struct store_job *job, const char *value, struct error *e)
{
	struct dist_options wish;

	if (dist_options_parse(value, &wish, e) == -1)
		return error_prefix(e, "--dist");
	free(job->dist);
	job->dist = dist_options_text(&wish);
	return 0;
}

static int
set_container(
    struct store_job *job, int letter, const char *value, struct error *e)
{
	if (letter == BIND) {
		strlist_push(&job->container_bind, value);
		return 0;
	}
	if (job_container_runtime(value, e) == -1)
		return -1;
	return set_text(&job->container_runtime, value);
}

static int
set_then(struct store_job *job, const char *value, struct error *e)
{
	if (job_hook_check("--then", value, e) == -1)
		return -1;
	return set_text(&job->then, value);
}

static int
set_epochs(struct store_job *job, const char *value, struct error *e)
{
	int64_t n;

	if (!isalpha((unsigned char)*value) && *value != '_' &&
	    num_int("--epochs", value, 1, INT64_MAX, &n, e) == -1)
		return -1;
	return set_text(&job->epochs, value);
}

/* An option about tasks that do not go well: 1, 0 none of them, or -1. */
static int
set_rule(
    struct submit_options *r, int letter, const char *value, struct error *e)
{
	const struct cli_option *o = submit_options_options;

	if (letter < RULES)
		return 0;
	while (o->letter != letter)
		o++;
	if (!cli_is_default())
		strlist_push(&r->rules, o->name);
	return job_policy_options_set(&r->plan->job->policy, o->name, value, e);
}

/* For the record: what comes from files, and is not said otherwise. */
static void
note_default(struct submit_options *r, int letter, const char *value)
{
	const struct cli_option *o = submit_options_options;

	while (o->letter != letter)
		o++;
	if (!cli_is_default())
		job_defaults_drop(&r->defaults, o->name);
	else if (letter != STORE)
		job_defaults_add(
		    &r->defaults, o->name, value, cli_default_from());
	if (!cli_is_default() && (letter == METRIC || letter == SNAPSHOT))
		job_defaults_drop(
		    &r->defaults, letter == METRIC ? "goal" : "no-snapshot");
}

/* Keep a part of the space as it was typed. */
static void
note_space(struct submit_options *r, const char *option, const char *value)
{
	strlist_take(&r->plan->job->space, xasprintf("%s%s", option, value));
}

static int
set_number(
    struct submit_options *r, int letter, const char *value, struct error *e)
{
	int64_t n;

	if (num_int(cli_option_name(), value, letter == SEED ? 0 : 1, INT64_MAX,
		&n, e) == -1)
		return -1;
	if (letter == SAMPLES)
		space_samples(r->space, (uint64_t)n);
	else if (letter == SEED)
		space_seed(r->space, (uint64_t)n);
	if (letter == SEED || (letter == SAMPLES && r->plan->job->seed == -1))
		r->plan->job->seed = letter == SEED ? n : 0;
	if (letter == SAMPLES || letter == SEED)
		note_space(r, letter == SEED ? "--seed=" : "--samples=", value);
	if (letter == PARALLEL)
		r->plan->job->parallel = n;
	if (letter == PACK)
		r->plan->job->pack = n;
	if (letter == MAX_TASKS)
		r->plan->most = (uint64_t)n;
	return 0;
}

static int
add_space(struct submit_options *r, const char *option, const char *value,
    int (*add)(struct space *, const char *, struct error *), struct error *e)
{
	note_space(r, option, value);
	return add(r->space, value, e);
}

static int
set_flag(struct submit_options *r, int letter)
{
	if (letter == DRY_RUN)
		r->report.dry_run = 1;
	else if (letter == PARSABLE)
		r->report.parsable = 1;
	else if (letter == NO_CHECK)
		r->no_check = 1;
	else if (letter == SYNC)
		r->sync = 1;
	else if (letter == NO_SNAPSHOT)
		r->no_snapshot = 1;
	else
		r->report.quiet = 1;
	return 0;
}

/* What is looked at when all options are known. */
static int
keep(struct submit_options *r, int letter, const char *value)
{
	if (letter == 'f' || letter == FROM)
		note_space(r, letter == 'f' ? "--spec=" : "--from=", value);
	if (letter == 'f')
		r->spec = value;
	else if (letter == FROM)
		r->from = value;
	else if (letter == STORE)
		r->store = value;
	else if (letter == QUEUE_REST)
		r->rest_of = value;
	else if (letter == AFTER)
		r->after = value;
	else
		r->snapshot = value;
	if (letter == SNAPSHOT)
		r->no_snapshot = 0;
	return 0;
}

static int
take_option(struct submit_options *r, int letter, char *value, struct error *e)
{
	struct store_job *job = r->plan->job;
	int rc = set_rule(r, letter, value, e);

	note_default(r, letter, value);
	if (rc != 0)
		return rc == 1 ? 0 : -1;
	switch (letter) {
	case 'J':
		return set_text(&job->name, value);
	case DESCRIPTION:
		return set_text(&job->description, value);
	case 'z':
		return add_space(r, "--zip=", value, space_zip, e);
	case EXCEPT:
		return add_space(r, "--except=", value, space_except, e);
	case WHEN:
		return add_space(r, "--when=", value, space_when, e);
	case ARGS:
		return set_text(&job->args, value);
	case METRIC:
		return set_metric(r, value);
	case METRICS:
		return set_text(&job->metrics, value);
	case REGEX:
		return add_regex(r, value, e);
	case GOAL:
		return set_goal(r, value, e);
	case EPOCHS:
		return set_epochs(job, value, e);
	case DIST:
		return set_dist(job, value, e);
	case CONTAINER:
		return set_text(&job->container, value);
	case RUNTIME:
	case BIND:
		return set_container(job, letter, value, e);
	case THEN:
		return set_then(job, value, e);
	case 'f':
	case FROM:
	case STORE:
	case QUEUE_REST:
	case AFTER:
	case SNAPSHOT:
		return keep(r, letter, value);
	default:
		return value != NULL ? set_number(r, letter, value, e)
				     : set_flag(r, letter);
	}
}

/* Options of sbatch at argv[*at], which moves behind them: 1, 0 none, -1. */
static int
take_sbatch(struct submit_options *r, char **argv, int *at, struct error *e)
{
	int n =
	    job_sbatch_options_take(&r->plan->given, argv + *at, &r->sbatch, e);

	if (n <= 0)
		return n;
	*at += n;
	return 1;
}

/* lr=0.1, @mem=4G, layers:=[1], but no path that happens to hold a '='. */
static int
is_space_word(const char *word)
{
	size_t n = expression_name_length(word);

	return n > 0 &&
	    (word[n] == '=' || (word[n] == ':' && word[n + 1] == '='));
}

/* Whether it can only be meant as one, though its name is none. */
static int
is_misnamed(const char *word)
{
	return *word != '-' && strchr(word, '=') != NULL &&
	    strchr(word, '/') == NULL && access(word, F_OK) == -1;
}

int
submit_options_parse(
    struct submit_options *r, const struct cli *command, int argc, char **argv)
{
	struct error e;
	int at = 1, letter, rc;

	while (cli_has_default(command, argc, argv) ||
	    (at < argc && strcmp(argv[at], "--") != 0)) {
		if (cli_has_default(command, argc, argv) ||
		    cli_takes(command, argv[at])) {
			letter = cli_next_at(command, argc, argv, &at);
			if (letter < 0)
				return letter;
			rc = take_option(r, letter, optarg, &e);
		} else if (is_space_word(argv[at]) || is_misnamed(argv[at])) {
			r->has_space = 1;
			rc = add_space(r, "", argv[at++], space_add, &e);
		} else {
			rc = job_sbatch_options_mistyped(
			    submit_options_options, argv[at], &e);
			if (rc == 0)
				rc = take_sbatch(r, argv, &at, &e);
			if (rc == 0 && argv[at][0] != '-')
				break;
			if (rc == 0)
				rc = error_set(&e,
				    "%s: no such option, neither here nor of "
				    "sbatch",
				    argv[at]);
		}
		if (rc == -1)
			return cli_fail(&e, CLI_BAD);
	}
	if (r->report.parsable && r->report.dry_run) {
		cli_warn("--parsable: --dry-run queues nothing, so there are "
			 "no array ids to print");
		return CLI_BAD;
	}
	r->is_script = at < argc && strcmp(argv[at], "--") != 0;
	at += at < argc && !r->is_script;
	r->rest = argv + at;
	r->rest_count = (size_t)(argc - at);
	return CLI_END;
}
