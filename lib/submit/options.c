#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/expression.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "dist/dist.h"
#include "job/container.h"
#include "job/sbatch-options.h"
#include "metrics/reader.h"
#include "notify/hook.h"
#include "submit/options.h"
#include "submit/policy-options.h"
#include "submit/submit.h"

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
	RULES /* the first of the options for job_policy_options_set */
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

/* Options that only set a member. */
enum kind { JOB_TEXT, TEXT, FLAG };

static int
check_goal(const char *value, struct error *e)
{
	if (strcmp(value, "min") == 0 || strcmp(value, "max") == 0)
		return 0;
	return error_set(e, "--goal: '%s' is neither min nor max", value);
}

static int
check_epochs(const char *value, struct error *e)
{
	int64_t n;

	if (isalpha((unsigned char)*value) || *value == '_')
		return 0;
	return num_int("--epochs", value, 1, INT64_MAX, &n, e);
}

static int
check_then(const char *value, struct error *e)
{
	return job_hook_check("--then", value, e);
}

#define OF_JOB(member) offsetof(struct store_job, member)
#define OF(member) offsetof(struct submit_options, member)

static const struct {
	int letter;
	enum kind kind;
	size_t offset;
	int (*check)(const char *value, struct error *e);
} members[] = {
    {'J', JOB_TEXT, OF_JOB(name), NULL},
    {DESCRIPTION, JOB_TEXT, OF_JOB(description), NULL},
    {ARGS, JOB_TEXT, OF_JOB(args), NULL},
    {METRIC, JOB_TEXT, OF_JOB(metric), NULL},
    {GOAL, JOB_TEXT, OF_JOB(goal), check_goal},
    {METRICS, JOB_TEXT, OF_JOB(metrics), NULL},
    {EPOCHS, JOB_TEXT, OF_JOB(epochs), check_epochs},
    {CONTAINER, JOB_TEXT, OF_JOB(container), NULL},
    {RUNTIME, JOB_TEXT, OF_JOB(container_runtime), job_container_runtime},
    {THEN, JOB_TEXT, OF_JOB(then), check_then},
    {'f', TEXT, OF(spec), NULL},
    {FROM, TEXT, OF(from), NULL},
    {STORE, TEXT, OF(store), NULL},
    {QUEUE_REST, TEXT, OF(rest_of), NULL},
    {AFTER, TEXT, OF(after), NULL},
    {SNAPSHOT, TEXT, OF(snapshot), NULL},
    {DRY_RUN, FLAG, OF(report.dry_run), NULL},
    {PARSABLE, FLAG, OF(report.parsable), NULL},
    {'Q', FLAG, OF(report.quiet), NULL},
    {NO_CHECK, FLAG, OF(no_check), NULL},
    {NO_SNAPSHOT, FLAG, OF(no_snapshot), NULL},
    {SYNC, FLAG, OF(sync), NULL},
};

enum { MEMBERS = sizeof members / sizeof *members };

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
	r->plan->most = 10000;
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

/* ---- one option ---- */

static int
set_member(
    struct submit_options *r, size_t i, const char *value, struct error *e)
{
	char *base =
	    members[i].kind == JOB_TEXT ? (char *)r->plan->job : (char *)r;
	void *member = base + members[i].offset;

	if (members[i].check != NULL && members[i].check(value, e) == -1)
		return -1;
	switch (members[i].kind) {
	case JOB_TEXT:
		free(*(char **)member);
		*(char **)member = xstrdup(value);
		break;
	case TEXT:
		*(const char **)member = value;
		break;
	case FLAG:
		*(int *)member = 1;
		break;
	}
	return 0;
}

/* Record a part of the space as typed, and add it. */
static int
add_space(struct submit_options *r, const char *option, const char *value,
    int (*add)(struct space *, const char *, struct error *), struct error *e)
{
	strlist_take(&r->plan->job->space, xasprintf("%s%s", option, value));
	return add != NULL ? add(r->space, value, e) : 0;
}

/*
 * Add a pattern for what the training prints.  The first one on the command
 * line replaces those from files.
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

/* Set the roles, written in full, so that equal ones are equal texts. */
static int
set_dist(struct store_job *job, const char *value, struct error *e)
{
	struct dist_options options;

	if (dist_options_parse(value, &options, e) == -1)
		return error_prefix(e, "--dist");
	free(job->dist);
	job->dist = dist_options_text(&options);
	return 0;
}

static int
set_number(
    struct submit_options *r, int letter, const char *value, struct error *e)
{
	struct store_job *job = r->plan->job;
	int64_t n;

	if (num_int(cli_option_name(), value, letter == SEED ? 0 : 1, INT64_MAX,
		&n, e) == -1)
		return -1;
	switch (letter) {
	case SAMPLES:
		space_samples(r->space, (uint64_t)n);
		if (job->seed == -1)
			job->seed = 0;
		return add_space(r, "--samples=", value, NULL, e);
	case SEED:
		space_seed(r->space, (uint64_t)n);
		job->seed = n;
		return add_space(r, "--seed=", value, NULL, e);
	case PARALLEL:
		job->parallel = n;
		return 0;
	case PACK:
		job->pack = n;
		return 0;
	default:
		r->plan->most = (uint64_t)n;
		return 0;
	}
}

/* Record where the value of an option is from, or drop older defaults. */
static void
note_default(
    struct submit_options *r, int letter, const char *name, const char *value)
{
	if (cli_is_default()) {
		if (letter != STORE)
			job_plan_default_add(
			    r->plan, name, value, cli_default_from());
		return;
	}
	job_plan_default_drop(r->plan, name);
	if (letter == METRIC)
		job_plan_default_drop(r->plan, "goal");
	if (letter == SNAPSHOT)
		job_plan_default_drop(r->plan, "no-snapshot");
}

int
submit_options_take(
    struct submit_options *r, int letter, const char *value, struct error *e)
{
	struct store_job *job = r->plan->job;
	const struct cli_option *o = submit_options_options;
	size_t i;

	while (o->letter != letter)
		o++;
	note_default(r, letter, o->name, value);
	if (letter >= RULES) {
		if (!cli_is_default())
			strlist_push(&r->rules, o->name);
		return job_policy_options_set(&job->policy, o->name, value, e);
	}
	/* The goal in a file belongs to the metric in a file. */
	if (letter == METRIC && !cli_is_default() && !r->goal_given) {
		free(job->goal);
		job->goal = NULL;
	}
	if (letter == GOAL && !cli_is_default())
		r->goal_given = 1;
	if (letter == SNAPSHOT)
		r->no_snapshot = 0;
	if (letter == 'f' || letter == FROM)
		add_space(
		    r, letter == 'f' ? "--spec=" : "--from=", value, NULL, e);
	for (i = 0; i < MEMBERS; i++)
		if (members[i].letter == letter)
			return set_member(r, i, value, e);
	switch (letter) {
	case 'z':
		return add_space(r, "--zip=", value, space_zip, e);
	case EXCEPT:
		return add_space(r, "--except=", value, space_except, e);
	case WHEN:
		return add_space(r, "--when=", value, space_when, e);
	case REGEX:
		return add_regex(r, value, e);
	case DIST:
		return set_dist(job, value, e);
	case BIND:
		strlist_push(&job->container_bind, value);
		return 0;
	default:
		return set_number(r, letter, value, e);
	}
}

/* ---- the other words of the command line ---- */

int
submit_options_word(
    struct submit_options *r, char **argv, int *at, struct error *e)
{
	const char *word = argv[*at];
	size_t length = expression_name_length(word);
	int n;

	/*
	 * lr=0.1, @mem=4G or layers:=[1]; or a word with "=" that can mean
	 * nothing else, although its name is none.
	 */
	if ((length > 0 &&
		(word[length] == '=' ||
		    (word[length] == ':' && word[length + 1] == '='))) ||
	    (*word != '-' && strchr(word, '=') != NULL &&
		strchr(word, '/') == NULL && access(word, F_OK) == -1)) {
		r->has_space = 1;
		++*at;
		return add_space(r, "", word, space_add, e) == 0 ? 1 : -1;
	}
	if (job_sbatch_options_mistyped(submit_options_options, word, e) == -1)
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

void
submit_options_command(struct submit_options *r, int argc, char **argv, int at)
{
	r->is_script = at < argc && strcmp(argv[at], "--") != 0;
	at += at < argc && !r->is_script;
	r->rest = argv + at;
	r->rest_count = (size_t)(argc - at);
}

/* ---- the plan ---- */

/* Take a policy option of the spec, unless the command line has it. */
static int
take_rule(struct submit_options *r, const char *word, struct error *e)
{
	size_t length = strcspn(word + 2, "=");
	const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
	char *name = xstrndup(word + 2, length);
	int rc = 0;

	if (!strlist_have(&r->rules, name)) {
		job_plan_default_drop(r->plan, name);
		rc = job_policy_options_set(
		    &r->plan->job->policy, name, value, e);
		if (rc == 0)
			rc = error_set(e, "\"%s\": no such policy", name);
	}
	free(name);
	return rc == -1 ? -1 : 0;
}

/* Read the spec into the space and the plan; the command line overrides it. */
static int
take_spec(struct submit_options *r, struct error *e)
{
	struct store_job *job = r->plan->job;
	struct space *space = r->space;
	const char *const *word;
	size_t length;
	char *text;
	int rc;

	if (job_plan_read(r->plan, r->spec, SPACE_SPEC, &text, &length, e) ==
	    -1)
		return -1;
	rc = space_spec(space, text, length, e);
	free(text);
	if (rc == -1)
		return error_prefix(e, r->spec);
	if (job->name == NULL && space_spec_name(space) != NULL)
		job->name = xstrdup(space_spec_name(space));
	if (job->description == NULL && space_spec_description(space) != NULL)
		job->description = xstrdup(space_spec_description(space));
	word = space_spec_sbatch(space);
	for (; word != NULL && *word != NULL; word++) {
		char *one[] = {(char *)(uintptr_t)*word, NULL};

		if (job_sbatch_options_take(
			&r->plan->given, one, &r->sbatch, e) == -1)
			return error_prefix(e, r->spec);
	}
	word = space_spec_policy(space);
	for (; word != NULL && *word != NULL; word++)
		if (take_rule(r, *word, e) == -1)
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

/* Take the command: after --, a script, or from the spec. */
static int
take_command(struct submit_options *r, struct error *e)
{
	struct strlist *argv = &r->plan->job->command;
	const char *const *word = space_spec_command(r->space);
	size_t i;

	for (i = 0; i < r->rest_count; i++)
		strlist_push(argv, r->rest[i]);
	if (r->rest_count == 0)
		for (; word != NULL && *word != NULL; word++)
			strlist_push(argv, *word);
	if (argv->count == 0)
		return error_set(e,
		    "no command: write it behind --, as in -- python train.py");
	return r->is_script ? job_plan_script(r->plan, r->rest[0], e) : 0;
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
	return job_submit_complete(r->plan, &r->sbatch, argc, argv, e);
}
