#include <ctype.h>
#include <math.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/expression.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "config/keys.h"
#include "dist/dist.h"
#include "job/container.h"
#include "job/points.h"
#include "job/sbatch-options.h"
#include "job/usage.h"
#include "metrics/metrics.h"
#include "metrics/reader.h"
#include "notify/hook.h"
#include "space/spec.h"
#include "submit/options.h"
#include "submit/policy-options.h"
#include "submit/script.h"
#include "submit/search-options.h"
#include "submit/submit.h"
#include "view/columns.h"

struct given;

/* How to take an option, unless it only sets a member of submit_options. */
struct action {
	int (*take)(const struct given *, struct error *);
	size_t offset;    /* offset of the job's member to set */
	int64_t standard; /* for numbers: the default value */
	int64_t most;     /* for numbers: the maximum */
	int (*check)(const char *value, struct error *);
	int (*add)(struct space *, const char *value, struct error *);
	int (*set)(struct store_policy *, const char *value, struct error *);
	int is_rule; /* a policy rule, allowed in a spec too */
};

/* An option that was given, with its value or NULL. */
struct given {
	struct submit_options *r;
	struct store_job *job;
	const struct action *action;
	void *member; /* the job's member at the action's offset */
	const char *name, *value;
};

static int
check_goal(const char *value, struct error *e)
{
	return metrics_goal_read(value, e) == -1 ? -1 : 0;
}

static int
check_epochs(const char *value, struct error *e)
{
	int64_t n;

	if (isalpha((unsigned char)*value) || *value == '_')
		return 0;
	if (num_int("--epochs", value, 1, INT32_MAX, &n, e) == 0)
		return 0;
	return error_names(e, "--epochs");
}

static int
check_then(const char *value, struct error *e)
{
	return job_hook_check("--then", value, e);
}

static int
take_text(const struct given *g, struct error *e)
{
	char **text = g->member;

	if (g->action->check != NULL && g->action->check(g->value, e) == -1)
		return -1;
	free(*text);
	*text = xstrdup(g->value);
	return 0;
}

static int
take_list(const struct given *g, struct error *e)
{
	(void)e;
	strlist_push(g->member, g->value);
	return 0;
}

static int
take_tags(const struct given *g, struct error *e)
{
	if (store_tags_add(g->member, g->value, e) == 0)
		return 0;
	error_prefix(e, "--tag");
	return error_names(e, "--tag");
}

static int
take_number(const struct given *g, struct error *e)
{
	int64_t *number = g->member;
	char *what;
	int rc;

	if (g->value == NULL) {
		*number = g->action->standard;
		return 0;
	}
	what = xasprintf("--%s", g->name);
	rc = num_int(what, g->value, 1, g->action->most, number, e);
	if (rc == -1)
		error_names(e, what);
	free(what);
	return rc;
}

/* Record a part of the space as typed, and add it. */
static int
take_space(const struct given *g, struct error *e)
{
	strlist_take(&g->job->space, xasprintf("--%s=%s", g->name, g->value));
	return g->action->add != NULL ? g->action->add(g->r->space, g->value, e)
				      : 0;
}

/*
 * Note that an option sets what *by has set.  Returns 0, or -1 if that is
 * another option.
 */
static int
take_alone(const struct given *g, const char **by, struct error *e)
{
	const char *before = *by;

	*by = g->name;
	if (before == NULL || strcmp(before, g->name) == 0)
		return 0;
	error_set(e, "--%s and --%s: leave one out", before, g->name);
	return -1;
}

/* Take the number of points of --samples or --search. */
static int
take_samples(const struct given *g, struct error *e)
{
	struct given samples = *g;
	char *what = xasprintf("--%s", g->name);
	int64_t n;
	int rc = num_int(what, g->value, 1, INT64_MAX, &n, e);

	if (rc == -1)
		error_names(e, what);
	free(what);
	if (rc == -1 || take_alone(g, &g->r->samples_by, e) == -1)
		return -1;
	g->r->samples = (uint64_t)n;
	if (g->job->seed == -1)
		g->job->seed = 0;
	samples.name = "samples"; /* as the store has it */
	return take_space(&samples, e);
}

static int
take_pruner(const struct given *g, struct error *e)
{
	if (take_alone(g, &g->r->pruner_by, e) == -1)
		return -1;
	return submit_search_pruner(g->job, g->value, e);
}

static int
take_sampler(const struct given *g, struct error *e)
{
	return submit_search_sampler(g->job, g->value, e);
}

static int
take_pbt(const struct given *g, struct error *e)
{
	int64_t every;

	if (num_int("--pbt", g->value, 1, INT32_MAX, &every, e) == -1)
		return error_names(e, "--pbt");
	if (take_alone(g, &g->r->pruner_by, e) == -1)
		return -1;
	submit_search_population(g->job, every);
	return g->job->search.sampler == NULL
	    ? submit_search_sampler(g->job, "random", e)
	    : 0;
}

/* Refuse an option that is given twice with different values. */
static int
check_one(const char *option, const char *before, const char *value,
    const char *advice, struct error *e)
{
	if (before == NULL || strcmp(before, value) == 0)
		return 0;
	error_set(e, "%s %s and %s: %s", option, before, value, advice);
	return error_names(e, option);
}

static int
take_from_results(const struct given *g, struct error *e)
{
	const char *before = g->r->from_results;

	g->r->from_results = g->value;
	return check_one("--from-results", before, g->value, "name one job", e);
}

static int
take_guess(const struct given *g, struct error *e)
{
	static const char advice[] = "give one guess; it may have only some of "
				     "the hyperparameters";

	return check_one(
		   "--guess", g->job->search.guess, g->value, advice, e) == -1
	    ? -1
	    : take_text(g, e);
}

static int
take_until(const struct given *g, struct error *e)
{
	double value;

	if (num_parse(g->value, &value) && isfinite(value))
		return take_text(g, e);
	error_set(e, "--until: '%s' is no number", g->value);
	return error_names(e, "--until");
}

static int
take_gpu_hours(const struct given *g, struct error *e)
{
	double value;

	if (num_parse(g->value, &value) && isfinite(value) && value > 0)
		return take_text(g, e);
	error_set(e, "--gpu-hours: '%s' is no number above 0", g->value);
	return error_names(e, "--gpu-hours");
}

/* Take --search, whose number may also be the next word. */
static int
take_search(const struct given *g, struct error *e)
{
	g->r->plan->searches = 1;
	g->r->search_bare = g->value == NULL;
	if (g->value != NULL && take_samples(g, e) == -1)
		return -1;
	return g->job->search.pruner != NULL
	    ? 0
	    : submit_search_pruner(g->job, submit_search_usual_pruner, e);
}

static int
take_seed(const struct given *g, struct error *e)
{
	if (num_int("--seed", g->value, 0, INT64_MAX, &g->job->seed, e) == -1)
		return -1;
	space_seed(g->r->space, (uint64_t)g->job->seed);
	return take_space(g, e);
}

static int
take_most(const struct given *g, struct error *e)
{
	int64_t n;

	if (num_int("--max-tasks", g->value, 1, INT64_MAX, &n, e) == -1)
		return error_names(e, "--max-tasks");
	g->r->plan->most = (uint64_t)n;
	return 0;
}

/*
 * A goal from a file belongs to the metric in that file: drop it with the
 * metric.
 */
static int
take_metric(const struct given *g, struct error *e)
{
	if (!cli_is_default())
		job_plan_default_drop(g->r->plan, "goal");
	if (!cli_is_default() && !g->r->goal_given) {
		free(g->job->goal);
		g->job->goal = NULL;
	}
	return take_text(g, e);
}

static int
take_goal(const struct given *g, struct error *e)
{
	g->r->goal_given |= !cli_is_default();
	return take_text(g, e);
}

/*
 * Add a pattern for the training's output.  The first pattern on the command
 * line replaces the patterns from files.
 */
static int
take_regex(const struct given *g, struct error *e)
{
	struct record_pattern *p =
	    record_pattern_new((const char *[]){g->value}, 1, e);

	if (p == NULL) {
		error_prefix(e, "--metrics-regex");
		return error_names(e, "--metrics-regex");
	}
	record_pattern_free(p);
	if (!cli_is_default() && !g->r->regex_given) {
		strlist_free(g->member);
		g->r->regex_given = 1;
	}
	return take_list(g, e);
}

static int
take_snapshot(const struct given *g, struct error *e)
{
	(void)e;
	g->r->no_snapshot = 0;
	if (!cli_is_default())
		job_plan_default_drop(g->r->plan, "no-snapshot");
	return 0;
}

/* Set the roles, written in full so that equal roles have equal texts. */
static int
take_dist(const struct given *g, struct error *e)
{
	struct dist_options options;

	if (dist_options_parse(g->value, &options, e) == -1)
		return error_prefix(e, "--dist");
	free(g->job->dist);
	g->job->dist = dist_options_text(&options);
	return 0;
}

static int
take_policy(const struct given *g, struct error *e)
{
	const char *value = g->value != NULL ? g->value : "";
	char *what;

	if (g->action->set(&g->job->policy, value, e) == 0)
		return 0;
	what = xasprintf("--%s", g->name);
	error_prefix(e, what);
	error_names(e, what);
	free(what);
	return -1;
}

static int
take_usage(const struct given *g, struct error *e)
{
	if (g->value == NULL || strcmp(g->value, "no") != 0)
		return take_number(g, e);
	g->job->policy.usage = -1;
	return 0;
}

/* ---- the options ---- */

#define OF(member) offsetof(struct store_job, member)
#define AND(...) \
	&(const struct action) \
	{ \
		__VA_ARGS__ \
	}
#define DO(...) {CLI_NOWHERE}, AND(__VA_ARGS__)
#define RULE(...) DO(__VA_ARGS__, .is_rule = 1)
#define TEXT(member) CLI_TEXT(struct submit_options, member)
#define FLAG(member) CLI_FLAG(struct submit_options, member)

/*
 * Options that configuration files may have are in config/keys.c, with their
 * built-in defaults.
 */
const struct cli_option submit_options_options[] = {
    {0, "spec", "FILE", "read the space from a JSON file", TEXT(spec),
	AND(take_space), "points"},
    {0, "from", "FILE", "read points from CSV, TSV, JSON Lines, or -",
	TEXT(from), AND(take_space), "points", 1},
    {0, "zip", "NAMES", "pair hyperparameters: lr,batch_size",
	DO(take_space, .add = space_zip), "points"},
    {0, "except", "COND", "leave out points: opt=adam,lr=0.1",
	DO(take_space, .add = space_except), "points"},
    {0, "when", "NAME:COND", "set NAME only there: momentum:opt=sgd",
	DO(take_space, .add = space_when), "points"},
    {0, "samples", "N", "draw N samples of the distributions", DO(take_samples),
	"points", 1},
    {0, "seed", "S", "seed the draws (default: 0)", DO(take_seed), "points"},
    {0, "max-tasks", "N", "refuse a job of more tasks (default: 10000)",
	DO(take_most), "points"},

    {0, "search", "[=N]", "stop bad trainings early (N: train N points)",
	DO(take_search), "search", 1},
    {0, "sampler", "SAMPLER", "choose points by tpe, quasi or a command",
	DO(take_sampler), "search"},
    {0, "guess", "POINT", "try points near lr=1e-3,width=128 first",
	DO(take_guess, OF(search.guess)), "search"},
    {0, "from-results", "JOB", "learn from the results of another job",
	DO(take_from_results), "search"},
    {0, "until", "VALUE", "end the job when the metric reaches VALUE",
	DO(take_until, OF(search.until)), "search"},
    {0, "gpu-hours", "H", "end the job when it has used H GPU hours",
	DO(take_gpu_hours, OF(search.gpu_hours)), "search"},
    {0, "pbt", "N", "continue from better tasks every N epochs", DO(take_pbt),
	"search"},
    {0, "pruner", "PRUNER", "stop trainings by asha, hyperband, median or none",
	DO(take_pruner), "search"},

    {0, "args", "STYLE", "pass values: long, space, hydra, none, positional",
	DO(take_text, OF(args)), "script", 1},
    {0, "snapshot", "PATTERNS", "copy other files, or leave out: *.csv,-old/",
	TEXT(snapshot), AND(take_snapshot), "script", 1},
    {0, "no-snapshot", NULL, "run the code where it is, without a copy",
	FLAG(no_snapshot), NULL, "script"},
    {0, "dist", "FRAMEWORK", "start a distributed training: torch, jax, ...",
	DO(take_dist), "script"},
    {0, "container", "IMAGE", "run the training in this image",
	DO(take_text, OF(container)), "script"},
    {0, "container-runtime", "BY", "use apptainer, singularity, pyxis or slurm",
	DO(take_text, OF(container_runtime), .check = job_container_runtime),
	"script"},
    {0, "container-bind", "PATH", "show the image PATH, PATH:THERE or ...:ro",
	DO(take_list, OF(container_bind)), "script"},

    {0, "parallel", "N", "run at most N tasks at once",
	DO(take_number, OF(parallel), .most = INT64_MAX), "slurm", 1},
    {0, "pack", "N", "run N tasks side by side on each allocation",
	DO(take_number, OF(pack), .most = INT64_MAX), "slurm"},
    {0, "after", "JOBS", "wait for other jobs: prep,conv2d:ok", TEXT(after),
	NULL, "slurm", 1},
    {0, "then", "COMMAND", "run a command when the job is over",
	DO(take_text, OF(then), .check = check_then), "slurm"},
    {0, "no-check", NULL, "skip the checks before queueing", FLAG(no_check),
	NULL, "slurm"},

    {0, "metrics", "PLACE", "read metrics from a file: runs/{task}/log.csv",
	DO(take_text, OF(metrics)), "results", 1},
    {0, "metrics-regex", "REGEX", "read metrics from what a task prints",
	DO(take_regex, OF(metrics_regex)), "results", 1},
    {0, "metric", "NAME", "choose the objective (default: val_loss)",
	DO(take_metric, OF(metric)), "results", 1},
    {0, "goal", "min|max", "say which values of the objective are better",
	DO(take_goal, OF(goal), .check = check_goal), "results"},
    {0, "epochs", "N|NAME", "say how many epochs a training has",
	DO(take_text, OF(epochs), .check = check_epochs), "results"},
    {0, "usage", "SEC", "record GPU and CPU use every SEC seconds, or no",
	RULE(take_usage, OF(policy.usage), JOB_USAGE_EVERY, 3600), "results"},

    {0, "requeue", "[=N]", "requeue tasks that hit the time limit (10 times)",
	RULE(take_number, OF(policy.requeue), 10, 10000), "failures", 1},
    {0, "signal-before", "SEC",
	"signal a training SEC seconds before its limit",
	RULE(take_number, OF(policy.signal_before), POLICY_NOTICE,
	    POLICY_NOTICE_MOST),
	"failures"},
    {0, "signal", "NAME", "choose that signal (default: USR1)",
	RULE(take_policy, .set = job_policy_options_signal), "failures"},
    {0, "max-fail", "N", "stop the job when N tasks have failed",
	RULE(take_number, OF(policy.max_fail), 1, INT32_MAX), "failures", 1},
    {0, "canary", NULL, "start the others once task 0 completes an epoch",
	RULE(take_number, OF(policy.canary), 1, 1), "failures", 1},
    {0, "retry-oom", "FACTOR", "retry with more memory: 1.5 or 1.5,max=64G",
	RULE(take_policy, .set = job_policy_options_oom), "failures", 1},
    {0, "retry-time", "FACTOR", "retry with more time: 2 or 2,n=3",
	RULE(take_policy, .set = job_policy_options_time), "failures"},
    {0, "avoid-bad-nodes", "[=N]", "exclude nodes where N (3) failed at once",
	RULE(take_number, OF(policy.avoid), 3, INT32_MAX), "failures"},

    {'J', "job-name", "NAME", "name the job (default: as the script)",
	DO(take_text, OF(name)), "job", 1},
    {0, "description", "TEXT", "describe the job, for stfm-status",
	DO(take_text, OF(description)), "job"},
    {0, "tag", "TAGS", "add tags to the job: paper,2026",
	DO(take_tags, OF(tags)), "job"},
    {0, "dry-run", NULL, "show what would be queued", FLAG(report.dry_run),
	NULL, "job", 1},
    {0, "sync", NULL, "give an existing job exactly these points", FLAG(sync),
	NULL, "job"},
    {0, "new-code", NULL, "queue its tasks with the code as it is now",
	FLAG(new_code), NULL, "job"},
    {0, "old-code", NULL, "queue its tasks with the copy of the code",
	FLAG(old_code), NULL, "job"},
    {'y', "yes", NULL, "stop running tasks without asking", FLAG(yes), NULL,
	"job"},
    {0, "queue-rest", "JOB", "queue what a submission could not", TEXT(rest_of),
	NULL, "job"},
    {0, "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	TEXT(store), NULL, "job"},
    {0, "parsable", NULL, "print only the name and the array ids",
	FLAG(report.parsable), NULL, "job"},
    {'Q', "quiet", NULL, "print nothing but errors", FLAG(report.quiet), NULL,
	"job"},
    {0},
};

/* ---- the help ---- */

static const struct cli_line point_lines[] = {
    {"lr=0.1,0.01 seed=1..3", "train with each combination: stfm-space(5)", 1},
    {"lr=log:1e-4:1e-1:4", "take 4 values with even ratios"},
    {"lr=loguniform:1e-5:1e-1", "draw values (with --search or --samples)"},
    {"@mem=4G,32G", "ask Slurm for this memory at these points"},
    {0},
};

static const struct cli_line script_lines[] = {
    {"{lr} {job} {task}", "put a value, a name or a number into COMMAND", 1},
    {"{@}", "put the arguments here (default: at the end)", 1},
    {0},
};

static const struct cli_line slurm_lines[] = {
    {"-p PARTITION", "queue there; other sbatch options work, too", 1},
    {"-t TIME", "limit the time of a task: 90 (minutes), 8:00:00", 1},
    {"--gres=gpu:N", "give each task N GPUs (default: 1), or --gres=none", 1},
    {"--mem=8G", "give each task 8 GiB of memory", 1},
    {"-c N", "give each task N CPUs", 1},
    {"-N NODES", "give each task so many nodes (with --dist)"},
    {"-D DIR", "run in this directory (default: this one)"},
    {0},
};

static const struct cli_line result_lines[] = {
    {"$STFM_METRICS", "write your metrics to this file: epoch,loss,...", 1},
    {"$STFM_CHECKPOINT_DIR", "write checkpoints into this directory"},
    {0},
};

const struct cli_group submit_options_groups[] = {
    {"points", point_lines},
    {"search", NULL},
    {"script", script_lines},
    {"slurm", slurm_lines},
    {"results", result_lines},
    {"failures", NULL},
    {"job", NULL},
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
	take_most(&(struct given){.r = r,
		      .value = config_key("submit", "max-tasks")->built_in},
	    NULL);
	r->space = space_new();
	space_reader(r->space, read_values, r->plan);
}

void
submit_options_free(struct submit_options *r)
{
	space_free(r->space);
	strlist_free(&r->sbatch);
	strlist_free(&r->rules);
	free(r->program);
	free(r->report.queued);
	job_plan_free(r->plan);
}

static int
act(struct submit_options *r, const struct cli_option *o, const char *value,
    struct error *e)
{
	const struct action *action = o->more;
	struct store_job *job = r->plan->job;
	const struct given given = {
	    r, job, action, (char *)job + action->offset, o->name, value};

	return action->take(&given, e);
}

int
submit_options_take(struct submit_options *r, struct error *e)
{
	const struct cli_option *o = cli_entry();
	const struct action *action = o->more;

	if (!cli_is_default())
		job_plan_default_drop(r->plan, o->name);
	else if (config_key("submit", o->name) != NULL)
		job_plan_default_add(
		    r->plan, o->name, optarg, cli_default_from());
	if (action != NULL && action->is_rule && !cli_is_default())
		strlist_push(&r->rules, o->name);
	r->search_bare = 0;
	if (action != NULL && act(r, o, optarg, e) == -1)
		return -1;
	return cli_set(r, e) == -1 ? -1 : 0;
}

int
submit_options_rule(struct submit_options *r, const char *word, struct error *e)
{
	size_t length = strcspn(word + 2, "=");
	const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
	const struct cli_option *o = submit_options_options;
	const struct action *action;

	for (; o->name != NULL; o++) {
		action = o->more;
		if (action == NULL || !action->is_rule ||
		    strlen(o->name) != length ||
		    strncmp(o->name, word + 2, length) != 0)
			continue;
		if (strlist_have(&r->rules, o->name))
			return 0;
		job_plan_default_drop(r->plan, o->name);
		return act(r, o, value, e);
	}
	return error_set(e, "\"%.*s\": no such policy", (int)length, word + 2);
}

/* ---- the other words of the command line ---- */

/*
 * Refuse a hyperparameter behind one dash, "-lr=0.1", of which sbatch would
 * take the first letter as an option.
 */
static int
check_dash(const char *word, struct error *e)
{
	size_t i;

	if (word[0] != '-' || !islower((unsigned char)word[1]) ||
	    !islower((unsigned char)word[2]))
		return 0;
	for (i = 3; isalnum((unsigned char)word[i]) || word[i] == '_'; i++)
		continue;
	if (word[i] != '=')
		return 0;
	return error_set(e,
	    "%s: no such option (write hyperparameters without a dash: %s)",
	    word, word + 1);
}

/*
 * Refuse a hyperparameter that is written as an option, "--lr=0.1" or "--lr"
 * before "0.1".  Other unknown options may belong to a plugin of sbatch, unless
 * their value is a small fraction.
 */
static int
check_dashes(const char *word, const char *next, struct error *e)
{
	static const char *const usual[] = {"alpha", "arch", "batch_size",
	    "beta", "beta1", "beta2", "bs", "dataset", "depth", "dropout",
	    "fold", "gamma", "hidden_size", "hidden_dim", "layers",
	    "learning_rate", "lr", "max_steps", "model", "momentum", "n_layers",
	    "num_layers", "optim", "optimizer", "seeds", "steps", "temperature",
	    "units", "warmup", "warmup_steps", "wd", "weight_decay", "width"};
	size_t length, i;
	const char *value;
	char *name, *under;
	int is_meant, rc = 0;

	if (strncmp(word, "--", 2) != 0 || word[2] == '\0')
		return 0;
	length = strcspn(word + 2, "=");
	name = xstrndup(word + 2, length);
	under = xstrdup(name);
	for (i = 0; under[i] != '\0'; i++)
		if (under[i] == '-')
			under[i] = '_';
	is_meant = text_among(under, usual, sizeof usual / sizeof *usual) != -1;
	value = word[2 + length] == '=' ? word + 3 + length : NULL;
	if (value != NULL && (text_begins(value, "0.") || strstr(value, "e-")))
		is_meant |= value[strspn(value, "0123456789.,e-")] == '\0';
	if (value == NULL)
		value = next;
	if (value == NULL || *value == '-' || strchr(value, '=') != NULL)
		value = "1,2";
	if (is_meant && sbatch_name(name) == NULL)
		rc = error_set(e,
		    "--%s: no such option (write hyperparameters without "
		    "dashes: %s=%s)",
		    name, name, value);
	free(under);
	free(name);
	return rc;
}

/* Options of other tools, and samplers and pruners that are no options. */
static const struct cli_instead instead[] = {
    {"objective", "--metric NAME"},
    {"direction", "--goal min or --goal max"},
    {"mode", "--goal min or --goal max"},
    {"trials", "--search N"},
    {"n-trials", "--search N"},
    {"num-trials", "--search N"},
    {"max-trials", "--search N"},
    {"max-evals", "--search N"},
    {"num-samples", "--search N"},
    {"study-name", "-J NAME"},
    {"max-epochs", "--epochs N, or max_epochs=N for the training"},
    {"num-epochs", "--epochs N, or num_epochs=N for the training"},
    {"n-epochs", "--epochs N, or n_epochs=N for the training"},
    {"n-jobs", "--parallel N"},
    {"max-concurrent", "--parallel N"},
    {"max-concurrent-trials", "--parallel N"},
    {"algo", "--sampler tpe"},
    {"early-stopping", "--pruner asha"},
    {"grace-period", "--pruner asha,first=EPOCH"},
    {"reduction-factor", "--pruner asha,eta=N"},
    {"random", "--sampler random"},
    {"quasi", "--sampler quasi"},
    {"tpe", "--sampler tpe"},
    {"asha", "--pruner asha"},
    {"hyperband", "--pruner hyperband"},
    {"median", "--pruner median"},
    {0},
};

/* Refuse such an option, with dashes or underscores in its name. */
static int
check_instead(const char *word, struct error *e)
{
	int length = (int)strcspn(word, "="), rc = 0;
	char *name = xstrndup(word, (size_t)length), *at;
	const struct cli_instead *i;

	while ((at = strchr(name, '_')) != NULL)
		*at = '-';
	for (i = instead; i->name != NULL && rc == 0; i++)
		if (strncmp(name, "--", 2) == 0 &&
		    strcmp(name + 2, i->name) == 0)
			rc = error_set(e, "%.*s: no such option (write %s)",
			    length, word, i->write);
	free(name);
	return rc;
}

/*
 * Return whether the word behind a bare --search stands for its number: digits,
 * or a word such as "-3" or "five" that can mean nothing else.
 */
static int
is_count(const char *word)
{
	if (word[0] == '-')
		return isdigit((unsigned char)word[1]);
	return word[strspn(word, "0123456789")] == '\0' ||
	    (word[strcspn(word, "=./")] == '\0' && access(word, F_OK) == -1);
}

int
submit_options_word(
    struct submit_options *r, char **argv, int *at, struct error *e)
{
	const char *word = argv[*at];
	size_t length = expression_name_length(word);
	static const struct action search = {.take = take_search};
	const struct given number = {.r = r,
	    .job = r->plan->job,
	    .action = &search,
	    .name = "search",
	    .value = word};
	int n, bare = r->search_bare;

	r->search_bare = 0;
	if (bare && is_count(word)) {
		++*at;
		return take_search(&number, e) == -1 ? -1 : 1;
	}
	/*
	 * lr=0.1, @mem=4G or layers:=[1]; or a word with "=" that can mean
	 * nothing else, although its name is invalid.
	 */
	if ((length > 0 &&
		(word[length] == '=' ||
		    (word[length] == ':' && word[length + 1] == '='))) ||
	    (*word != '-' && strchr(word, '=') != NULL &&
		strchr(word, '/') == NULL && access(word, F_OK) == -1)) {
		r->has_space = 1;
		++*at;
		strlist_push(&r->plan->job->space, word);
		return space_check_word(word, e) == 0 &&
			space_add(r->space, word, e) == 0
		    ? 1
		    : -1;
	}
	if (check_dash(word, e) == -1 ||
	    check_dashes(word, argv[*at + 1], e) == -1 ||
	    check_instead(word, e) == -1 ||
	    job_sbatch_options_mistyped(submit_options_options, word, e) == -1)
		return -1;
	n = job_sbatch_options_take(&r->plan->given, argv + *at, &r->sbatch, e);
	if (n == -1)
		return -1;
	*at += n;
	if (n == 0 && *word == '-')
		return error_set(
		    e, "%s: no such option, neither here nor of sbatch", word);
	return n > 0;
}

/* ---- the plan ---- */

/* Read the spec into the space and the plan; the command line overrides it. */
static int
take_spec(struct submit_options *r, struct error *e)
{
	struct store_job *job = r->plan->job;
	struct space *space = r->space;
	const struct spec *spec;
	size_t length, i;
	char *text;
	int rc;

	if (job_plan_read(r->plan, r->spec, SPACE_SPEC, &text, &length, e) ==
	    -1)
		return -1;
	rc = space_spec(space, text, length, e);
	free(text);
	if (rc == -1)
		return error_prefix(e, r->spec);
	spec = space_spec_of(space);
	if (job->name == NULL)
		job->name = xcopy(spec->name);
	if (job->description == NULL)
		job->description = xcopy(spec->description);
	for (i = 0; i < spec->sbatch.count; i++) {
		char *one[] = {spec->sbatch.word[i], NULL};

		if (job_sbatch_options_take(
			&r->plan->given, one, &r->sbatch, e) == -1)
			return error_prefix(e, r->spec);
	}
	for (i = 0; i < spec->policy.count; i++)
		if (submit_options_rule(r, spec->policy.word[i], e) == -1)
			return error_prefix(e, r->spec);
	return 0;
}

static int
take_points(struct submit_options *r, struct error *e)
{
	char *text = NULL;
	size_t length = 0;
	int rc;

	if (r->spec != NULL && take_spec(r, e) == -1)
		return -1;
	if (!r->has_space && r->spec == NULL && r->from == NULL) {
		if (r->plan->searches ||
		    store_search_is_given(&r->plan->job->search))
			return error_set(e,
			    "a search needs hyperparameters: write some, as in "
			    "lr=loguniform:1e-4:1e-1");
		r->plan->job->tasks = 1;
		r->plan->optional = xcalloc(1, 1);
		return 0;
	}
	if (r->from != NULL &&
	    job_plan_read(r->plan, r->from, 1 << 30, &text, &length, e) == -1)
		return -1;
	submit_search_begin(r->plan->job, r->plan->searches);
	if (r->samples == 0 && space_is_drawn(r->space)) {
		rc = error_set(e,
		    "a random distribution needs a number of points: write "
		    "%s",
		    r->plan->searches ||
			    store_search_is_given(&r->plan->job->search)
			? "--search N"
			: "--samples N, or --search N to stop bad trainings "
			  "early");
	} else if (r->plan->searches && r->samples > 0) {
		rc = submit_search_points(r->plan, r->space, r->samples, e);
	} else {
		if (r->samples > 0)
			space_samples(r->space, r->samples);
		rc = job_plan_points(
		    r->plan, r->space, r->from, text, length, e);
		if (rc == 0)
			rc = submit_search_check(r->plan->job, r->space, e);
	}
	free(text);
	if (rc == 0 && r->spec != NULL)
		r->plan->job->points_kept = 1;
	return rc;
}

/*
 * Return the option before the script if it is unknown and the script is not
 * there, so that it may be the option's value; or NULL.
 */
static const char *
unknown_before(const struct submit_options *r)
{
	const char *word = r->rest[-1]; /* at least the name of the program */

	if (strncmp(word, "--", 2) != 0 || !strlist_have(&r->sbatch, word) ||
	    sbatch_name(word + 2) != NULL)
		return NULL;
	return access(r->rest[0], F_OK) == -1 ? word : NULL;
}

/* Take the command: after --, a script, or from the spec. */
static int
take_command(struct submit_options *r, struct error *e)
{
	struct strlist *argv = &r->plan->job->command;
	const struct spec *spec = space_spec_of(r->space);
	const char *unknown;
	size_t i;

	for (i = 0; i < r->rest_count; i++)
		strlist_push(argv, r->rest[i]);
	if (r->rest_count == 0 && spec != NULL)
		strlist_copy(argv, &spec->command);
	if (argv->count == 0)
		return error_set(e,
		    "no command: write it behind --, as in -- python train.py");
	if (r->is_script && r->rest_count > 1 && r->rest[1][0] == '=')
		return error_set(e,
		    "%s %s: write a hyperparameter without blanks, as in "
		    "lr=0.1,0.2",
		    r->rest[0], r->rest[1]);
	if (!r->is_script)
		return 0;
	unknown = unknown_before(r);
	if (unknown != NULL)
		return error_set(e,
		    "%s: no such option, neither here nor of sbatch (if a "
		    "plugin of sbatch has it, write %s=%s)",
		    unknown, unknown, r->rest[0]);
	return job_plan_script(r->plan, r->rest[0], e);
}

/*
 * Refuse columns of stfm-status in a file of points.  A name that may well be a
 * hyperparameter is refused only beside two other columns of stfm-status.
 */
static int
refuse_columns(const struct submit_options *r, struct error *e)
{
	static const char *const possible[] = {"task", "epochs", "metric",
	    "goal", "start", "end", "node", "gpus", "memory", "cpu", "log",
	    "metrics", "time_left", "account", "qos", "code"};
	size_t i, count = space_width_from_file(r->space), doubtful = 0;
	const char *name;
	int c;

	for (i = 0; r->from != NULL && i < count; i++) {
		name = space_name(r->space, i);
		for (c = 0; c < job_columns; c++)
			if (strcmp(job_column_name(c), name) == 0)
				break;
		if (c == job_columns ||
		    submit_script_takes(r->plan->job, name) ||
		    (text_among(name, possible,
			 sizeof possible / sizeof *possible) != -1 &&
			++doubtful < 3))
			continue;
		return error_set(e,
		    "--from %s: %s is a column of stfm-status: print only "
		    "hyperparameters, with stfm-status -o points (if %s is a "
		    "hyperparameter, write {%s} in the command)",
		    r->from, name, name, name);
	}
	return 0;
}

int
submit_options_plan(struct submit_options *r, int argc, char **argv,
    char **environment, struct error *e)
{
	const struct cli_default *d;

	sbatch_environment(&r->plan->environment, environment);
	if (take_points(r, e) == -1 || take_command(r, e) == -1)
		return -1;
	d = config_sbatch(&r->plan->defaults);
	job_plan_defaults(r->plan);
	for (; d->name != NULL; d++)
		if (sbatch_value(&r->plan->defaults, d->name) != NULL)
			job_plan_default_add(
			    r->plan, d->name, d->value, d->from);
	return job_submit_complete(r->plan, &r->sbatch, argc, argv, e) == -1
	    ? -1
	    : refuse_columns(r, e);
}
