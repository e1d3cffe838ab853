/* stfm-submit - store a job and queue one training task for each point */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "config.h"
#include "dist.h"
#include "flow.h"
#include "job-after.h"
#include "job-code.h"
#include "job-container.h"
#include "job-defaults.h"
#include "job-hook.h"
#include "job-options.h"
#include "job-origin.h"
#include "job-plan.h"
#include "job-queue.h"
#include "job-ready.h"
#include "job-rules.h"
#include "job-same.h"
#include "job-show-plan.h"
#include "job-spec.h"
#include "job-submit.h"
#include "job-sync.h"
#include "job-unlogged.h"
#include "num.h"
#include "progress.h"
#include "record.h"
#include "where.h"
#include "xalloc.h"

extern char **environ;

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
	RULES /* what job_rules_set takes: from here on */
};

static const struct cli_option options[] = {
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

static const struct cli command = {
    "stfm-submit",
    "store a job and queue one training task for each point",
    "[options] [sbatch options] [NAME=VALUES] SCRIPT|-- COMMAND",
    "  stfm-submit -J conv2d lr=1e-3,1e-4 bs=32,64 -- python train.py\n"
    "  stfm-submit -p gpu -t 8:00:00 --parallel 4 seed=1..10 train.sbatch\n"
    "  stfm-expand lr=1,2 | stfm-submit --from - -- ./train --rate {lr}\n",
    options,
    0,
    config_defaults,
};

/* What the command line asks for. */
struct request {
	struct job_plan *plan;
	struct space *space;
	struct words sbatch; /* the options given for it */
	const char *spec, *from, *store, *rest_of, *snapshot, *after;
	char *program; /* stfm-run */
	char *queued;  /* that something is, for when it cannot be told */
	char **rest;   /* the command or the script, with its words */
	size_t rest_count;
	int dry_run, parsable, quiet, no_check, no_snapshot, sync;
	int is_script;               /* no -- before the rest */
	int has_space;               /* any word, spec or file of points */
	int goal_given, regex_given; /* there as well */
	struct job_defaults defaults;
	struct words rules; /* names of those on the command line */
};

/* ---- the command line: our options, sbatch's, and words of the space ---- */

static int
set_text(char **to, const char *value)
{
	free(*to);
	*to = xstrdup(value);
	return 0;
}

static int
set_goal(struct request *r, const char *value, struct error *e)
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
set_metric(struct request *r, const char *value)
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
add_regex(struct request *r, const char *value, struct error *e)
{
	struct store_job *job = r->plan->job;
	struct record_pattern *p = record_pattern_new(&value, 1, e);

	if (p == NULL)
		return error_prefix(e, "--metrics-regex");
	record_pattern_free(p);
	if (!cli_is_default() && !r->regex_given) {
		words_free(&job->metrics_regex);
		r->regex_given = 1;
	}
	words_push(&job->metrics_regex, value);
	return 0;
}

/* As it is written in full, so that the same is the same. */
static int
set_dist(struct store_job *job, const char *value, struct error *e)
{
	struct dist_wish wish;

	if (dist_wish(value, &wish, e) == -1)
		return error_prefix(e, "--dist");
	free(job->dist);
	job->dist = dist_wish_text(&wish);
	return 0;
}

static int
set_container(
    struct store_job *job, int letter, const char *value, struct error *e)
{
	if (letter == BIND) {
		words_push(&job->container_bind, value);
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
set_rule(struct request *r, int letter, const char *value, struct error *e)
{
	const struct cli_option *o = options;

	if (letter < RULES)
		return 0;
	while (o->letter != letter)
		o++;
	if (!cli_is_default())
		words_push(&r->rules, o->name);
	return job_rules_set(&r->plan->job->policy, o->name, value, e);
}

/* For the record: what comes from files, and is not said otherwise. */
static void
note_default(struct request *r, int letter, const char *value)
{
	const struct cli_option *o = options;

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
note_space(struct request *r, const char *option, const char *value)
{
	words_take(&r->plan->job->space, xasprintf("%s%s", option, value));
}

static int
set_number(struct request *r, int letter, const char *value, struct error *e)
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
add_space(struct request *r, const char *option, const char *value,
    int (*add)(struct space *, const char *, struct error *), struct error *e)
{
	note_space(r, option, value);
	return add(r->space, value, e);
}

static int
set_flag(struct request *r, int letter)
{
	if (letter == DRY_RUN)
		r->dry_run = 1;
	else if (letter == PARSABLE)
		r->parsable = 1;
	else if (letter == NO_CHECK)
		r->no_check = 1;
	else if (letter == SYNC)
		r->sync = 1;
	else if (letter == NO_SNAPSHOT)
		r->no_snapshot = 1;
	else
		r->quiet = 1;
	return 0;
}

/* What is looked at when all options are known. */
static int
keep(struct request *r, int letter, const char *value)
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
take_option(struct request *r, int letter, char *value, struct error *e)
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
take_sbatch(struct request *r, char **argv, int *at, struct error *e)
{
	int n = job_options_take(&r->plan->given, argv + *at, &r->sbatch, e);

	if (n <= 0)
		return n;
	*at += n;
	return 1;
}

/* lr=0.1, @mem=4G, layers:=[1], but no path that happens to hold a '='. */
static int
is_space_word(const char *word)
{
	size_t n = where_name_length(word);

	return n > 0 &&
	    (word[n] == '=' || (word[n] == ':' && word[n + 1] == '='));
}

/* Everything before the command: CLI_END, CLI_SHOWN or CLI_BAD. */
static int
parse(int argc, char **argv, struct request *r)
{
	struct error e;
	int at = 1, letter, rc;

	while (cli_has_default(&command, argc, argv) ||
	    (at < argc && strcmp(argv[at], "--") != 0)) {
		if (cli_has_default(&command, argc, argv) ||
		    cli_takes(&command, argv[at])) {
			letter = cli_next_at(&command, argc, argv, &at);
			if (letter < 0)
				return letter;
			rc = take_option(r, letter, optarg, &e);
		} else if (is_space_word(argv[at])) {
			r->has_space = 1;
			rc = add_space(r, "", argv[at++], space_add, &e);
		} else {
			rc = job_options_mistyped(options, argv[at], &e);
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
	if (r->parsable && r->dry_run) {
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

/* ---- from the request to a plan ---- */

static int
read_values(
    void *arg, const char *path, char **text, size_t *length, struct error *e)
{
	return job_plan_read(arg, path, SPACE_VALUES, text, length, e);
}

static int
take_points(struct request *r, struct error *e)
{
	char *text = NULL;
	size_t length = 0;
	int rc;

	if (r->spec != NULL &&
	    job_spec_take(r->plan, r->space, r->spec, &r->rules, &r->defaults,
		&r->sbatch, e) == -1)
		return -1;
	if (!r->has_space && r->spec == NULL && r->from == NULL) {
		r->plan->job->tasks = 1;
		r->plan->optional = xcalloc(1, 1);
		return 0;
	}
	if (r->from != NULL &&
	    job_plan_read(r->plan, r->from, 1 << 30, &text, &length, e) == -1)
		return -1;
	rc = job_plan_points(r->plan, r->space, r->from, text, length, e);
	free(text);
	if (rc == 0 && r->spec != NULL)
		r->plan->job->points_kept = 1;
	return rc;
}

/* The command: behind --, a script, or in the spec. */
static int
take_command(struct request *r, struct error *e)
{
	struct words *command_words = &r->plan->job->command;
	const char *const *word = space_spec_command(r->space);
	size_t i;

	for (i = 0; i < r->rest_count; i++)
		words_push(command_words, r->rest[i]);
	if (r->rest_count == 0)
		for (; word != NULL && *word != NULL; word++)
			words_push(command_words, *word);
	if (command_words->count == 0)
		return error_set(e,
		    "no command: write it behind --, as in -- python train.py");
	if (!r->is_script)
		return 0;
	return job_plan_script(r->plan, r->rest[0], e);
}

/* What the job cannot do without is stored as it is. */
static void
warn_of_secret(const struct store_job *job)
{
	char *word = job_origin_secret(job);

	if (word != NULL)
		cli_warn("%s: this has what looks like a secret, and is "
			 "kept as it is in the store: let what runs read "
			 "the variable itself",
		    word);
	free(word);
}

static void
warn_of_clash(const struct request *r)
{
	char *text = job_unlogged_clash(r->plan->job);

	if (text != NULL && !r->quiet)
		cli_warn("%s", text);
	free(text);
}

/* What files say to sbatch, as far as nothing else does. */
static void
take_sbatch_defaults(struct request *r)
{
	const struct cli_default *d;

	d = config_sbatch(&r->plan->defaults);
	job_plan_defaults(r->plan);
	for (; d->name != NULL; d++)
		if (sbatch_value(&r->plan->defaults, d->name) != NULL)
			job_defaults_add(
			    &r->defaults, d->name, d->value, d->from);
}

static int
complete(struct request *r, int argc, char **argv, struct error *e)
{
	sbatch_environment(&r->plan->environment, environ);
	if (take_points(r, e) == -1 || take_command(r, e) == -1)
		return -1;
	take_sbatch_defaults(r);
	if (job_submit_complete(r->plan, &r->sbatch, argc, argv, e) == -1)
		return -1;
	warn_of_secret(r->plan->job);
	warn_of_clash(r);
	return 0;
}

/* ---- checks against what there is ---- */

static int
check_local(const struct request *r, struct error *e)
{
	char *store = store_path(r->store);
	int rc = job_plan_check_local(r->plan, e);

	if (rc == 0)
		rc = job_container_check(r->plan->job, store, e);
	free(store);
	return rc;
}

/* The largest array that Slurm takes: an exit status. */
static int
check_cluster(struct request *r, struct error *e)
{
	struct queue_cluster *cluster;
	int rc = 0;

	r->plan->job->array_size = 1000;
	if (queue_cluster(
		job_plan_asks_nodes(r->plan) ? QUEUE_NODES : QUEUE_PARTITIONS,
		&cluster, e) == -1) {
		if (r->dry_run)
			return CLI_YES;
		return errno == EAGAIN ? CLI_LATER : CLI_WRONG;
	}
	if (cluster->max_array > 1)
		r->plan->job->array_size = cluster->max_array;
	rc = job_rules_limits(r->plan, cluster, e);
	if (rc == 0 && r->plan->note != NULL && !r->quiet)
		cli_warn("%s", r->plan->note);
	if (rc == 0 && !r->no_check)
		rc = job_plan_check_cluster(r->plan, cluster, e);
	queue_cluster_free(cluster);
	if (rc == -1)
		job_defaults_blame(&r->defaults, e);
	return rc == -1 ? CLI_WRONG : CLI_YES;
}

/* ---- the snapshot of the code ---- */

static int
take_snapshot(struct request *r, struct error *e)
{
	struct store_job *job = r->plan->job;
	char *store;
	int rc;

	if (r->no_snapshot) {
		job->code.why = xstrdup("--no-snapshot");
		return 0;
	}
	store = store_path(r->store);
	rc = job_code_plan(job, r->snapshot, store, &r->plan->snapshot, e);
	free(store);
	return rc;
}

/* Whether a command mentions a program, as sh -c 'python3 train.py' does. */
static int
mentions_code(const struct words *words)
{
	static const char *const ends[] = {".py", ".sh", ".jl", ".lua", ".pl"};
	size_t i, k;

	for (i = 0; i < words->count; i++)
		for (k = 0; k < sizeof ends / sizeof *ends; k++)
			if (strstr(words->word[i], ends[k]) != NULL)
				return 1;
	return 0;
}

/* A copy is what the user may count on. */
static void
warn_of_no_copy(const struct request *r)
{
	const struct store_job *job = r->plan->job;
	const struct store_code *code = &job->code;

	if (r->quiet || r->no_snapshot || code->root != NULL ||
	    !mentions_code(&job->command))
		return;
	cli_warn("no copy of the code: %s", code->why);
}

/* ---- showing, storing, queueing ---- */

static int
show_plan(struct request *r, struct error *e)
{
	struct store_job *job = r->plan->job;
	char *store = store_path(r->store);
	int rc;

	job->path = xasprintf("%s/jobs/%s", store, job->name);
	rc = job_submit_batch(r->plan, store, r->program, e);
	free(store);
	if (rc == 0)
		job_show_plan(
		    stdout, r->plan, &r->defaults, cli_terminal_width());
	return rc;
}

/* Tell people, who do not read what is for programs. */
static void
tell(const struct request *r, const struct store_job *job, const char *what)
{
	if (r->parsable)
		cli_warn("%s: %s", job->name, what);
	else
		cli_print("%s: %s", job->name, what);
}

/* Which arrays were queued now: for programs, and for who cannot be told. */
static void
note_queued(
    struct request *r, const char *name, const uint32_t *array, size_t count)
{
	char *ids = job_queue_ids(array, count, ",");

	if (r->parsable && !r->quiet)
		printf("%s\t%s\n", name, ids);
	if (count > 0) {
		free(r->queued);
		r->queued = xasprintf("%s: queued all the same, as Slurm "
				      "array%s %s: do not submit it again",
		    name, count == 1 ? "" : "s", ids);
	}
	free(ids);
}

/* ", 4 at a time, after prep"; to free. */
static char *
how_queued(const struct store_job *job)
{
	char *why, *text = NULL;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	if (job->parallel > 0)
		fprintf(out, ", %" PRId64 " at a time", job->parallel);
	if (job_after_look(job, &why) != JOB_AFTER_MET)
		fprintf(out, ", %s", why);
	xmemclose(out);
	free(why);
	return text;
}

static void
report(
    struct request *r, const struct store_job *job, const struct job_queued *q)
{
	char *ids, *how;

	note_queued(r, job->name, q->fresh, q->fresh_count);
	if (r->quiet)
		return;
	if (q->count == 0) {
		tell(r, job,
		    job->imported != NULL ? "nothing to queue: it was imported"
					  : "nothing to queue: it was stopped");
		return;
	}
	if (q->fresh_count == 0) {
		tell(r, job, "nothing is left to queue");
		return;
	}
	if (r->parsable)
		return;
	ids = job_queue_ids(q->array, q->count, ", ");
	how = how_queued(job);
	cli_print("%s: %" PRIu64 " task%s queued as Slurm array%s %s%s",
	    job->name, q->tasks, q->tasks == 1 ? "" : "s",
	    q->count == 1 ? "" : "s", ids, how);
	free(how);
	free(ids);
	if (isatty(STDOUT_FILENO))
		job_show_next(stdout, job, cli_terminal_width());
}

static void
warn_of_rest(const struct store_job *job, uint64_t left)
{
	cli_warn("%s: %" PRIu64 " task%s to come; stfm-watch queues %s, or "
		 "stfm-submit --queue-rest %s",
	    job->name, left, left == 1 ? "" : "s", left == 1 ? "it" : "them",
	    job->name);
}

/* Some of it is not queued: what to do about it. */
static int
report_rest(struct request *r, const struct store *store,
    const struct store_job *job, enum queue_answer answer,
    const struct job_queued *q, const struct error *e)
{
	cli_fail(e, 0);
	if (q->gone)
		return CLI_WRONG;
	if (answer == QUEUE_REFUSED && r->defaults.from.count > 0)
		cli_warn("some of its options are defaults: stfm-check "
			 "--config shows where they stand");
	if (answer == QUEUE_REFUSED && q->count == 0 && r->rest_of == NULL) {
		if (store_remove(store, job->name, job->id, NULL) == -1)
			cli_warn("%s: stays in the store: stfm-stop --remove "
				 "%s",
			    job->name, job->name);
		return CLI_WRONG;
	}
	note_queued(r, job->name, q->fresh, q->fresh_count);
	if (q->left > 0)
		warn_of_rest(job, q->left);
	else if (answer != QUEUE_REFUSED && !q->damaged)
		cli_warn("%s: stays in the store; stfm-watch queues what is "
			 "left, or stfm-submit --queue-rest %s",
		    job->name, job->name);
	if (answer != QUEUE_REFUSED && !q->damaged)
		return CLI_LATER;
	return q->fresh_count > 0 ? CLI_NO : CLI_WRONG;
}

/* It waits for other jobs, and a watcher queues it then: an exit status. */
static int
report_waiting(struct request *r, const struct store_job *job)
{
	char *why = NULL, *text;

	note_queued(r, job->name, NULL, 0);
	job_after_look(job, &why);
	text = xasprintf("%" PRIu64 " task%s to come %s; stfm-watch queues %s",
	    job->tasks, job->tasks == 1 ? "" : "s", why != NULL ? why : "later",
	    job->tasks == 1 ? "it" : "them");
	if (!r->quiet)
		tell(r, job, text);
	free(text);
	free(why);
	return CLI_YES;
}

static int
queue_job(
    struct request *r, const struct store *store, const struct store_job *job)
{
	enum queue_answer answer;
	struct job_queued queued;
	struct error e;
	int status = CLI_YES;

	progress_begin("queueing");
	answer = job_queue(job, NULL, &queued, &e);
	progress_end();
	if (answer == QUEUE_QUEUED)
		report(r, job, &queued);
	else if (queued.waits)
		status = report_waiting(r, job);
	else
		status = report_rest(r, store, job, answer, &queued, &e);
	job_queued_free(&queued);
	return status;
}

static int
queue_rest(struct request *r)
{
	struct store_job *job = NULL;
	struct store *store;
	struct error e;
	int status;

	store = store_open(r->store, STORE_WRITE, &e);
	if (store != NULL && store_check_owner(store, &e) == 0)
		job = store_job_load(store, r->rest_of, &e);
	status =
	    job != NULL ? queue_job(r, store, job) : cli_fail(&e, CLI_WRONG);
	store_job_free(job);
	store_close(store);
	return status;
}

/* What came of submitting a job again. */
static void
report_same(struct request *r, const struct job_same *same)
{
	const char *verb = r->dry_run ? "would be queued" : "queued";
	char *text = NULL;
	size_t length;
	FILE *out;

	note_queued(r, r->plan->job->name, same->array, same->arrays);
	if (r->quiet)
		return;
	out = xmemopen(&text, &length);
	fprintf(out, "%" PRIu64 " done", same->done);
	if (same->running > 0)
		fprintf(out, ", %" PRIu64 " running", same->running);
	if (same->waiting > 0)
		fprintf(out, ", %" PRIu64 " waiting", same->waiting);
	if (same->made > 0)
		fprintf(out, "; %" PRIu64 " of them %s", same->made, verb);
	if (same->again > 0)
		fprintf(out, "; %" PRIu64 " %s again", same->again, verb);
	if (same->made + same->again + same->left == 0 && same->kept.count == 0)
		fputs("; nothing to queue", out);
	xmemclose(out);
	tell(r, r->plan->job, text);
	free(text);
}

/* Of what was to be queued Slurm has refused some, or all. */
static void
warn_kept(const struct request *r, const struct job_same *same)
{
	const char *name = r->plan->job->name;
	uint64_t count = ranges_size(&same->kept);
	char *kept = ranges_text(&same->kept);
	char *ids = job_queue_ids(same->array, same->arrays, ", ");

	if (count > 0)
		cli_warn("%s: %" PRIu64 " task%s not queued again, and %s: %s",
		    name, count, count == 1 ? " is" : "s are",
		    count == 1 ? "is what it was" : "are what they were", kept);
	if (same->arrays > 0)
		cli_warn("%s: queued all the same: Slurm array%s %s", name,
		    same->arrays == 1 ? "" : "s", ids);
	free(ids);
	free(kept);
}

/* What is not queued, when rc is that of job_same_queue: an exit status. */
static int
report_left(struct request *r, const struct job_same *same, int rc,
    const struct error *e)
{
	if (rc == 0 && same->answer == QUEUE_QUEUED)
		return CLI_YES;
	cli_fail(e, 0);
	if (rc == 1)
		warn_kept(r, same);
	if (same->left > 0)
		cli_warn("%s: %" PRIu64 " task%s to be queued: stfm-watch does "
			 "that, or the same command again",
		    r->plan->job->name, same->left,
		    same->left == 1 ? " waits" : "s wait");
	return rc == 0 ? CLI_LATER : same->arrays > 0 ? CLI_NO : CLI_WRONG;
}

/* The job is in the store already: queue what is not done and not alive. */
static int
submit_same(
    struct request *r, const struct store *store, const struct store_job *old)
{
	const struct job_same_how how = {.look = r->dry_run};
	struct job_same same = {0};
	struct error e;
	int rc, status;

	if (job_submit_batch(r->plan, store->path, r->program, &e) == -1 ||
	    job_same_check(r->plan, old, &e) == -1 ||
	    (!r->dry_run && job_ready(store, old, r->program, &e) == -1))
		return cli_fail(&e, CLI_WRONG);
	rc = job_same_queue(store, old->name, &how, &same, &e);
	if (rc == 0 || same.arrays > 0)
		report_same(r, &same);
	status =
	    rc == -1 ? cli_fail(&e, CLI_WRONG) : report_left(r, &same, rc, &e);
	job_same_free(&same);
	return status;
}

/* ---- the points of a stored job changed ---- */

/* "12 new, 3 dropped (2 run), 20 as they are" */
static void
put_sync(FILE *out, const struct job_sync *sync, const struct job_same *same)
{
	uint64_t runs = same->counted_running, waits = same->counted_waiting;

	fprintf(out, "%" PRIu64 " new, %" PRIu64 " dropped", sync->fresh,
	    ranges_size(&sync->dropped));
	if (runs > 0)
		fprintf(out, " (%" PRIu64 " run%s", runs, runs == 1 ? "s" : "");
	if (waits > 0)
		fprintf(out, "%s%" PRIu64 " wait%s", runs > 0 ? ", " : " (",
		    waits, waits == 1 ? "s" : "");
	fputs(runs + waits > 0 ? "), " : ", ", out);
	if (sync->back.count > 0)
		fprintf(out, "%" PRIu64 " wanted again, ",
		    ranges_size(&sync->back));
	fprintf(out, "%" PRIu64 " as %s", sync->same,
	    sync->same == 1 ? "it is" : "they are");
}

static void
show_tasks(const char *what, const char *name, const struct ranges *tasks)
{
	char *text = ranges_text(tasks);
	char *line = xasprintf("# %s: %s/%s\n", what, name, text);

	if (tasks->count > 0)
		flow_script(stdout, line, cli_terminal_width());
	free(line);
	free(text);
}

/* Which they are, for --dry-run. */
static void
show_sync(const struct job_sync *sync, const struct store_job *old)
{
	struct ranges fresh = {0};

	show_tasks("dropped", old->name, &sync->dropped);
	show_tasks("wanted again", old->name, &sync->back);
	if (sync->fresh == 0)
		return;
	ranges_add(&fresh, old->tasks, old->tasks + sync->fresh - 1);
	show_tasks("new", old->name, &fresh);
	flow_rows(stdout, sync->points, cli_terminal_width());
	ranges_free(&fresh);
}

static void
report_sync(struct request *r, const struct store_job *old,
    const struct job_sync *sync, const struct job_same *same)
{
	char *text = NULL, *ids;
	size_t length;
	FILE *out;

	note_queued(r, old->name, same->array, same->arrays);
	if (r->quiet)
		return;
	out = xmemopen(&text, &length);
	put_sync(out, sync, same);
	ids = job_queue_ids(same->array, same->arrays, ", ");
	if (r->dry_run)
		fputs("; nothing is queued", out);
	else if (same->arrays > 0)
		fprintf(out, "; %" PRIu64 " queued as Slurm array%s %s",
		    same->made + same->again, same->arrays == 1 ? "" : "s",
		    ids);
	free(ids);
	xmemclose(out);
	tell(r, old, text);
	free(text);
	if (r->dry_run)
		show_sync(sync, old);
}

/* Record what is wanted: 0, or an exit status. */
static int
record_sync(struct request *r, const struct store *store,
    const struct store_job *old, struct job_sync *sync, struct error *e)
{
	int rc = CLI_WRONG;

	if (job_submit_batch(r->plan, store->path, r->program, e) == -1 ||
	    job_sync_compare(r->plan, old, sync, e) == -1)
		return rc;
	if (r->dry_run)
		return 0;
	if (store_check_owner(store, e) == -1 ||
	    job_ready(store, old, r->program, e) == -1)
		return rc;
	if (!job_sync_is_news(sync, r->plan, old))
		return 0;
	rc = job_sync_record(sync, r->plan, old, e);
	return rc == 1 ? CLI_LATER : rc == -1 ? CLI_WRONG : 0;
}

static int
submit_sync(
    struct request *r, const struct store *store, const struct store_job *old)
{
	struct job_sync sync = {0};
	const struct job_same_how how = {
	    .look = r->dry_run, .sync = 1, .counted = &sync.dropped};
	struct job_same same = {0};
	struct error e;
	int status = record_sync(r, store, old, &sync, &e), rc;

	if (status != 0) {
		cli_fail(&e, 0);
	} else if ((rc = job_same_queue(store, old->name, &how, &same, &e)) ==
	    -1) {
		status = cli_fail(&e, CLI_WRONG);
		cli_warn("%s: the same command again stops and queues what is "
			 "left",
		    old->name);
	} else {
		report_sync(r, old, &sync, &same);
		status = report_left(r, &same, rc, &e);
	}
	job_same_free(&same);
	job_sync_free(&sync);
	return status;
}

/* Submit to a job that is there: its points changed, or what is left of it. */
static int
submit_old(
    struct request *r, const struct store *store, const struct store_job *old)
{
	return r->sync ? submit_sync(r, store, old)
		       : submit_same(r, store, old);
}

/*
 * The stored job of the name that was asked for, in *old, or NULL.  -1 when
 * there should be one.
 */
static int
stored_job(const struct request *r, const struct store *store,
    struct store_job **old, struct error *e)
{
	const char *name = r->plan->job->name;

	*old = NULL;
	if (store != NULL && name != NULL)
		*old = store_job_load(store, name, e);
	if (*old != NULL)
		return 0;
	if (store != NULL && name != NULL && errno == EBADMSG)
		return -1; /* of which nobody knows what it is */
	if (!r->sync)
		return 0;
	if (name == NULL)
		return error_set(
		    e, "--sync: say of which job, as in -J conv2d");
	return store != NULL && errno == ENOENT
	    ? error_set(e, "%s: no such job: submit it without --sync", name)
	    : -1;
}

static int
wait_for(struct request *r, const struct store *store, struct error *e)
{
	return r->after == NULL
	    ? 0
	    : job_after_set(r->plan->job, store, r->after, e);
}

static int
dry_run(struct request *r)
{
	struct store *store;
	struct store_job *old;
	struct error e;
	int status = CLI_YES;

	store = store_open(r->store, STORE_READ, &e);
	if ((store == NULL && errno == EBADMSG) ||
	    stored_job(r, store, &old, &e) == -1) {
		store_close(store);
		return cli_fail(&e, CLI_WRONG);
	}
	if (wait_for(r, store, &e) == -1 ||
	    (old == NULL && job_submit_name(r->plan, store, &e) == -1) ||
	    (!r->no_check && check_local(r, &e) == -1))
		status = CLI_WRONG;
	if (status == CLI_YES)
		status = check_cluster(r, &e);
	if (status == CLI_YES &&
	    (take_snapshot(r, &e) == -1 ||
		(old == NULL && show_plan(r, &e) == -1)))
		status = CLI_WRONG;
	if (status != CLI_YES)
		cli_fail(&e, 0);
	else if (old != NULL)
		status = submit_old(r, store, old);
	store_job_free(old);
	store_close(store);
	return status;
}

static int
find_code(struct request *r, struct error *e)
{
	int rc;

	progress_begin("looking at the code");
	rc = take_snapshot(r, e);
	progress_end();
	return rc;
}

/* Store the job, and queue it: an exit status. */
static int
submit_new(struct request *r, const struct store *store)
{
	struct store_job *job = r->plan->job;
	struct error e;
	int rc, there;

	progress_begin("copying the code");
	errno = 0;
	rc = job_submit_store(r->plan, store, r->program, &e);
	there = rc == -1 && errno == EINPROGRESS;
	progress_end();
	if (rc == 0) {
		warn_of_no_copy(r);
		return queue_job(r, store, job);
	}
	cli_fail(&e, 0);
	if (there)
		warn_of_rest(job, job->tasks);
	return there ? CLI_LATER : CLI_WRONG;
}

static int
submit(struct request *r)
{
	struct store *store = NULL;
	struct store_job *old;
	struct error e;
	int status = CLI_WRONG;

	if (!r->no_check && check_local(r, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	status = check_cluster(r, &e);
	if (status != CLI_YES)
		return cli_fail(&e, status);
	if (find_code(r, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	store = store_open(r->store, r->sync ? STORE_WRITE : STORE_MAKE, &e);
	if (stored_job(r, store, &old, &e) == -1 ||
	    (store != NULL && wait_for(r, store, &e) == -1))
		status = cli_fail(&e, CLI_WRONG);
	else if (old != NULL)
		status = submit_old(r, store, old);
	else
		status = store != NULL ? submit_new(r, store)
				       : cli_fail(&e, CLI_WRONG);
	store_job_free(old);
	store_close(store);
	return status;
}

int
main(int argc, char **argv)
{
	struct request r = {0};
	struct error e;
	int got, status, done;

	cli_start(&command);
	r.program = cli_sibling("stfm-run");
	r.plan = job_plan_new();
	r.defaults.option = &r.plan->job->defaults;
	r.plan->most = 10000;
	r.space = space_new();
	space_reader(r.space, read_values, r.plan);
	got = parse(argc, argv, &r);
	if (got == CLI_SHOWN || got == CLI_BAD)
		status = got == CLI_SHOWN ? CLI_YES : CLI_WRONG;
	else if (r.rest_of != NULL)
		status = queue_rest(&r);
	else if (argc == 1)
		status = cli_usage(&command);
	else if (complete(&r, argc, argv, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	else
		status = r.dry_run ? dry_run(&r) : submit(&r);
	done = cli_finish(status);
	if (done != status && r.queued != NULL)
		cli_warn("%s", r.queued);
	space_free(r.space);
	words_free(&r.sbatch);
	words_free(&r.defaults.from);
	words_free(&r.rules);
	free(r.program);
	free(r.queued);
	job_plan_free(r.plan);
	return done;
}
