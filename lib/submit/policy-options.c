#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/usage.h"
#include "submit/policy-options.h"

/* What holds unless the user says otherwise. */
enum { REQUEUES = 10, NOTICE = 60, RETRIES = 3, BAD = 3, HOUR = 3600 };
enum { MOST_REQUEUES = 10000, MOST_RETRIES = 100, DAYS_30 = 30 * 86400 };

/* ---- values ---- */

static int
read_most(
    struct store_retry *retry, int is_time, const char *text, struct error *e)
{
	int rc;

	if (!is_time)
		rc = sbatch_memory(text, &retry->bound, e);
	else
		rc = sbatch_time(text, &retry->bound, e);
	if (rc == 0 && retry->bound <= 0)
		return error_set(e, "'%s' is no limit", text);
	retry->most = retry->bound;
	return rc;
}

/* One of the words behind the factor: "max=64G", "n=3". */
static int
read_bound(
    struct store_retry *retry, int is_time, const char *word, struct error *e)
{
	if (strncmp(word, "max=", 4) == 0)
		return read_most(retry, is_time, word + 4, e);
	if (strncmp(word, "n=", 2) == 0)
		return num_int(
		    "n", word + 2, 1, MOST_RETRIES, &retry->times, e);
	return error_set(e, "'%s' is neither max=%s nor n=TIMES", word,
	    is_time ? "TIME" : "SIZE");
}

/* "1.5", "2,max=64G,n=5". */
static int
read_retry(
    struct store_retry *retry, int is_time, const char *text, struct error *e)
{
	char *list = xstrdup(text), *save, *word;
	double factor;
	int rc = 0;

	free(retry->factor);
	retry->factor = NULL;
	retry->bound = retry->most = 0;
	retry->times = RETRIES;
	word = strtok_r(list, ",", &save);
	if (word == NULL || !num_parse(word, &factor) || !(factor > 1) ||
	    !(factor <= 100))
		rc = error_set(e,
		    "'%s': a factor above 1 comes first, as in "
		    "1.5,max=%s",
		    text, is_time ? "24:00:00" : "64G");
	else
		retry->factor = xstrdup(word);
	while (rc == 0 && (word = strtok_r(NULL, ",", &save)) != NULL)
		rc = read_bound(retry, is_time, word, e);
	free(list);
	return rc;
}

/* ---- options ---- */

static int
set_number(const char *what, const char *value, int64_t standard, int64_t most,
    int64_t *out, struct error *e)
{
	if (value != NULL)
		return num_int(what, value, 1, most, out, e);
	*out = standard;
	return 0;
}

/* "USR1"; as sbatch has it, "B:USR1@60" says when as well. */
static int
set_signal(struct store_policy *policy, const char *value, struct error *e)
{
	const char *at;
	char *name;
	int rc = 0;

	if (strncmp(value, "B:", 2) == 0)
		value += 2;
	at = strchr(value, '@');
	name = xstrndup(value, at ? (size_t)(at - value) : strlen(value));
	if (store_policy_signal(name) == 0)
		rc = error_set(e,
		    "'%s' is none of USR1, USR2, TERM, INT, HUP and QUIT",
		    name);
	free(policy->signal);
	policy->signal =
	    xstrdup(strncmp(name, "SIG", 3) == 0 ? name + 3 : name);
	free(name);
	if (rc == 0 && at != NULL)
		rc = num_int("the seconds", at + 1, 1, DAYS_30,
		    &policy->signal_before, e);
	return rc;
}

/* How often its use is looked at. */
static int
set_usage(const char *what, const char *value, int64_t *usage, struct error *e)
{
	if (value == NULL || strcmp(value, "no") != 0)
		return set_number(what, value, JOB_USAGE_EVERY, HOUR, usage, e);
	*usage = -1;
	return 0;
}

/* what is the option with its dashes. */
static int
set(struct store_policy *p, const char *what, const char *value,
    struct error *e)
{
	if (strcmp(what, "--requeue") == 0)
		return set_number(
		    what, value, REQUEUES, MOST_REQUEUES, &p->requeue, e);
	if (strcmp(what, "--signal-before") == 0)
		return set_number(
		    what, value, NOTICE, DAYS_30, &p->signal_before, e);
	if (strcmp(what, "--max-fail") == 0)
		return set_number(what, value, 1, INT32_MAX, &p->max_fail, e);
	if (strcmp(what, "--canary") == 0)
		return set_number(what, value, 1, 1, &p->canary, e);
	if (strcmp(what, "--avoid-bad-nodes") == 0)
		return set_number(what, value, BAD, INT32_MAX, &p->avoid, e);
	if (strcmp(what, "--usage") == 0)
		return set_usage(what, value, &p->usage, e);
	if (value == NULL)
		value = "";
	if (strcmp(what, "--signal") == 0 && set_signal(p, value, e) == 0)
		return 0;
	if (strcmp(what, "--retry-oom") == 0 &&
	    read_retry(&p->memory, 0, value, e) == 0)
		return 0;
	if (strcmp(what, "--retry-time") == 0 &&
	    read_retry(&p->time, 1, value, e) == 0)
		return 0;
	return error_prefix(e, what);
}

int
job_policy_options_set(struct store_policy *policy, const char *option,
    const char *value, struct error *e)
{
	static const char *const known[] = {"requeue", "signal-before",
	    "signal", "max-fail", "canary", "avoid-bad-nodes", "retry-oom",
	    "retry-time", "usage"};
	char *what;
	int rc;

	if (text_among(option, known, sizeof known / sizeof *known) == -1)
		return 0;
	what = xasprintf("--%s", option);
	rc = set(policy, what, value, e);
	free(what);
	return rc == 0 ? 1 : -1;
}

/* ---- what the options of sbatch say to it ---- */

/* The time limit in minutes, or 0 when it is not known. */
static int64_t
time_limit(const struct job_plan *plan)
{
	const char *text = job_plan_option(plan, "time");
	int64_t minutes;

	if (text == NULL || sbatch_time(text, &minutes, NULL) == -1)
		return 0;
	return minutes > 0 ? minutes : 0;
}

/* The shortest of its tasks, as far as they are known. */
static int64_t
shortest_limit(struct job_plan *plan)
{
	int64_t least = 0, minutes;
	long i;

	for (i = 0; i < job_plan_views(plan); i++) {
		job_plan_look(plan, i);
		minutes = time_limit(plan);
		if (minutes > 0 && (least == 0 || minutes < least))
			least = minutes;
	}
	job_plan_look(plan, JOB_PLAN_JOB);
	return least;
}

/* When the training is told that its time is nearly up. */
static int
complete_signal(struct job_plan *plan, struct error *e)
{
	struct store_policy *p = &plan->job->policy;
	int64_t limit = shortest_limit(plan) * 60;

	if (p->signal != NULL && p->signal_before == 0 && p->requeue == 0)
		return error_set(e,
		    "--signal %s: say when as well, as in --signal-before 60",
		    p->signal);
	plan->tells = p->signal_before > 0;
	if (p->requeue > 0 && p->signal_before == 0)
		p->signal_before =
		    limit > 0 && limit < 2 * NOTICE ? limit / 2 : NOTICE;
	if (p->signal_before == 0)
		return 0;
	if (limit > 0 && p->signal_before >= limit)
		return error_set(e,
		    "--signal-before %" PRId64 ": the time limit is %" PRId64
		    " seconds: raise it with -t, or give fewer seconds",
		    p->signal_before, limit);
	if (p->signal == NULL)
		p->signal = xstrdup("USR1");
	strlist_take(&plan->job->options,
	    xasprintf("--signal=B:%s@%" PRId64, store_policy_notice(p),
		p->signal_before));
	return 0;
}

static int
complete_requeue(struct job_plan *plan, struct error *e)
{
	/* Slurm would put back those that are over, too; a watcher does not. */
	if (plan->job->pack > 1) {
		strlist_push(&plan->job->options, "--no-requeue");
		return 0;
	}
	if (plan->job->policy.requeue == 0)
		return 0;
	if (sbatch_value(&plan->given, "no-requeue") != NULL)
		return error_set(e, "--requeue and --no-requeue: choose one");
	strlist_push(&plan->job->options, "--requeue");
	return 0;
}

/* The memory of the tasks that are looked at, and the option that gives it. */
static int
find_memory(const struct job_plan *plan, const struct store_retry *retry,
    const char **option, int64_t *base, struct error *e)
{
	static const char *const options[] = {
	    "mem", "mem-per-cpu", "mem-per-gpu"};
	const char *text = NULL;
	size_t i;

	for (i = 0; i < 3 && text == NULL; i++)
		text = job_plan_option(plan, options[i]);
	if (text == NULL)
		return error_set(e,
		    "--retry-oom %s: there is no memory limit to raise: give "
		    "one, as in --mem=8G",
		    retry->factor);
	*option = options[i - 1];
	if (sbatch_memory(text, base, e) == -1)
		return error_prefix(e, *option);
	if (*base == 0)
		return error_set(e,
		    "--retry-oom %s: --%s=%s is all there is: it cannot be "
		    "raised",
		    retry->factor, *option, text);
	return 0;
}

static int
find_time(const struct job_plan *plan, const struct store_retry *retry,
    const char **option, int64_t *base, struct error *e)
{
	*option = "time";
	*base = time_limit(plan);
	if (*base == 0)
		return error_set(e,
		    "--retry-time %s: there is no time limit to raise: give "
		    "one, as in -t 8:00:00",
		    retry->factor);
	return 0;
}

/* Each group says itself what is raised, the job's share of it too. */
static void
keep_amount(struct job_plan *plan, long view, const char *option)
{
	struct store_groups *groups = &plan->job->groups;

	if (groups->count > 0 && sbatch_value(&plan->view, option) == NULL)
		strlist_take(&groups->group[view].options,
		    xasprintf(
			"--%s=%s", option, job_plan_option(plan, option)));
}

/* What there is to raise, and from where: the least that any task has. */
static int
complete_retry(struct job_plan *plan, struct store_retry *retry,
    int (*find)(const struct job_plan *, const struct store_retry *,
	const char **, int64_t *, struct error *),
    struct error *e)
{
	const char *option, *first = NULL;
	int64_t base;
	int rc = 0;
	long i;

	if (retry->factor == NULL)
		return 0;
	for (i = 0; rc == 0 && i < job_plan_views(plan); i++) {
		job_plan_look(plan, i);
		rc = find(plan, retry, &option, &base, e);
		if (rc == 0 && first != NULL && strcmp(first, option) != 0)
			rc = error_set(e,
			    "--retry-oom %s: some tasks have --%s, and some "
			    "--%s: give all of them one of both",
			    retry->factor, first, option);
		first = option;
		if (rc == 0 && (retry->base == 0 || base < retry->base))
			retry->base = base;
		if (rc == 0)
			keep_amount(plan, i, option);
	}
	job_plan_look(plan, JOB_PLAN_JOB);
	if (rc == 0)
		retry->option = xstrdup(option);
	return rc;
}

static int
check_most(const struct store_retry *retry, const char *what, const char *unit,
    struct error *e)
{
	if (retry->factor == NULL || retry->most == 0 ||
	    retry->most > retry->base)
		return 0;
	return error_set(e,
	    "%s: there are %" PRId64 " %s at most, and the job has %" PRId64
	    " already",
	    what, retry->most, unit, retry->base);
}

/* A job held by its user is not to be let go by us. */
static int
check_canary(const struct job_plan *plan, struct error *e)
{
	if (plan->job->policy.canary && job_plan_option(plan, "hold") != NULL)
		return error_set(e,
		    "--canary holds all tasks but the first by itself: leave "
		    "out --hold");
	return 0;
}

/* Nodes to avoid are added to a list, and so it has to be ours. */
static int
complete_nodes(struct job_plan *plan, struct error *e)
{
	const char *list = job_plan_option(plan, "exclude");

	if (plan->job->policy.avoid == 0 || list == NULL)
		return 0;
	if (strchr(list, '/') != NULL)
		return error_set(e,
		    "--avoid-bad-nodes: --exclude=%s is a file: list the "
		    "nodes themselves",
		    list);
	if (sbatch_value(&plan->given, "exclude") == NULL)
		strlist_take(
		    &plan->job->options, xasprintf("--exclude=%s", list));
	return 0;
}

int
job_policy_options_complete(struct job_plan *plan, struct error *e)
{
	struct store_policy *p = &plan->job->policy;

	if (complete_signal(plan, e) == -1 || complete_requeue(plan, e) == -1 ||
	    complete_retry(plan, &p->memory, find_memory, e) == -1 ||
	    complete_retry(plan, &p->time, find_time, e) == -1 ||
	    check_most(&p->memory, "--retry-oom", "MB", e) == -1 ||
	    check_most(&p->time, "--retry-time", "minutes", e) == -1)
		return -1;
	if (complete_nodes(plan, e) == -1)
		return -1;
	return check_canary(plan, e);
}

/* ---- what the cluster has ---- */

static void
lower(int64_t *most, int64_t there)
{
	if (there > 0 && (*most == 0 || there < *most))
		*most = there;
}

/* Raise what is there to what one more partition has; -1 is no limit. */
static void
widen(int64_t *there, int64_t more)
{
	if (more == -1 || (*there != -1 && more > *there))
		*there = more;
}

/*
 * A notice that is asked for, and not the one that comes with --requeue, is
 * about a limit: limit is the partition's, in minutes, or -1.
 */
static int
check_notice(struct job_plan *plan, int64_t limit, struct error *e)
{
	const struct store_policy *p = &plan->job->policy;

	if (!plan->tells || limit != -1 || shortest_limit(plan) > 0)
		return 0;
	if (p->requeue > 0) {
		free(plan->note);
		plan->note = xasprintf("--signal-before %" PRId64
				       ": there is no time limit: the training "
				       "is told of a preemption at most, where "
				       "Slurm is set up to do so",
		    p->signal_before);
		return 0;
	}
	return error_set(e,
	    "--signal-before %" PRId64 ": there is no time limit to tell of: "
	    "give one, as in -t 8:00:00",
	    p->signal_before);
}

/* What the partitions have in which the tasks of a plan may run. */
struct room {
	int64_t memory, minutes, usual;
};

static void
widen_room(const struct job_plan *plan, const struct queue_cluster *cluster,
    struct room *room)
{
	const char *names = job_plan_option(plan, "partition");
	const struct queue_partition *part;
	char *list = xstrdup(names != NULL ? names : ""), *save, *name;

	name = strtok_r(list, ",", &save);
	do {
		part = queue_partition(cluster, name);
		if (part != NULL) {
			widen(&room->memory, (int64_t)part->memory);
			widen(&room->minutes, part->minutes);
			widen(&room->usual, part->usual);
		}
		name = name != NULL ? strtok_r(NULL, ",", &save) : NULL;
	} while (name != NULL);
	free(list);
}

int
job_policy_options_limits(
    struct job_plan *plan, const struct queue_cluster *cluster, struct error *e)
{
	struct store_policy *p = &plan->job->policy;
	struct room room = {0};
	long i;

	if (cluster->max_array == 0)
		return error_set(e,
		    "this cluster takes no job arrays, which stfm needs: ask "
		    "its administrators for MaxArraySize=1001 or more in "
		    "slurm.conf");
	for (i = 0; i < job_plan_views(plan); i++) {
		job_plan_look(plan, i);
		widen_room(plan, cluster, &room);
	}
	job_plan_look(plan, JOB_PLAN_JOB);
	if (p->memory.factor != NULL && strcmp(p->memory.option, "mem") == 0)
		lower(&p->memory.most, room.memory);
	if (p->time.factor != NULL)
		lower(&p->time.most, room.minutes);
	if (check_most(&p->memory, "--retry-oom", "MB", e) == -1 ||
	    check_notice(plan, room.usual, e) == -1)
		return -1;
	return check_most(&p->time, "--retry-time", "minutes", e);
}
