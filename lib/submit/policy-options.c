#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "config/keys.h"
#include "job/points.h"
#include "slurm/queue.h"
#include "state/search.h"
#include "state/summary.h"
#include "submit/policy-options.h"

/* How often to retry a task: the default and the maximum. */
enum { RETRIES = 3, MOST_RETRIES = 100 };

/* ---- values ---- */

/* Read a word after the factor: "max=64G", "n=3". */
static int
read_bound(
    struct store_retry *retry, int is_time, const char *word, struct error *e)
{
	int rc;

	if (text_begins(word, "n="))
		return num_int(
		    "n", word + 2, 1, MOST_RETRIES, &retry->times, e);
	if (!text_begins(word, "max="))
		return error_set(e, "'%s' is neither max=%s nor n=TIMES", word,
		    is_time ? "TIME" : "SIZE");
	rc = is_time ? sbatch_time(word + 4, &retry->bound, e)
		     : sbatch_memory(word + 4, &retry->bound, e);
	if (rc == 0 && retry->bound <= 0)
		return error_set(e, "'%s' is no limit", word + 4);
	retry->most = retry->bound;
	return rc;
}

/* Read "1.5", or "2,max=64G,n=5". */
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

int
job_policy_options_signal(
    struct store_policy *policy, const char *value, struct error *e)
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
		rc = num_int("the seconds", at + 1, 1, POLICY_NOTICE_MOST,
		    &policy->signal_before, e);
	return rc;
}

int
job_policy_options_oom(
    struct store_policy *policy, const char *value, struct error *e)
{
	return read_retry(&policy->memory, 0, value, e);
}

int
job_policy_options_time(
    struct store_policy *policy, const char *value, struct error *e)
{
	return read_retry(&policy->time, 1, value, e);
}

/* ---- the options of sbatch ---- */

/* Return the time limit in minutes, or 0 if it is unknown. */
static int64_t
time_limit(const struct job_plan *plan)
{
	const char *text = job_plan_option(plan, "time");
	int64_t minutes;

	if (text == NULL || sbatch_time(text, &minutes, NULL) == -1)
		return 0;
	return minutes > 0 ? minutes : 0;
}

/* Return the shortest known time limit of the tasks, or 0. */
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

/* Complete the signal that the training gets before its time limit. */
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
		p->signal_before = limit > 0 && limit < 2 * POLICY_NOTICE
		    ? limit / 2
		    : POLICY_NOTICE;
	if (p->signal_before == 0)
		return 0;
	if (limit > 0 && p->signal_before >= limit)
		return error_set(e,
		    "--signal-before %" PRId64 ": the time limit is %" PRId64
		    " seconds: raise it with -t, or give fewer seconds",
		    p->signal_before, limit);
	if (p->signal == NULL)
		p->signal = xstrdup(config_key("submit", "signal")->built_in);
	strlist_take(&plan->job->options,
	    xasprintf("--signal=B:%s@%" PRId64, store_policy_notice(p),
		p->signal_before));
	return 0;
}

static int
complete_requeue(struct job_plan *plan, struct error *e)
{
	/*
	 * Slurm would also requeue packed tasks that are over; a watcher does
	 * not.
	 */
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

/* Find the memory of the current group, and the option that gives it. */
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

/* Add an option that a retry raises to the group's own options. */
static void
add_amount(struct job_plan *plan, long view, const char *option)
{
	struct store_groups *groups = &plan->job->groups;

	if (groups->count > 0 && sbatch_value(&plan->view, option) == NULL)
		strlist_take(&groups->group[view].options,
		    xasprintf(
			"--%s=%s", option, job_plan_option(plan, option)));
}

/* Set the option to raise and its base: the smallest value of any task. */
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
			add_amount(plan, i, option);
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

/* Record the list of excluded nodes, because bad nodes are added to it. */
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
	    check_most(&p->time, "--retry-time", "minutes", e) == -1 ||
	    complete_nodes(plan, e) == -1)
		return -1;
	/* stfm must not release a job that its user holds. */
	if (p->canary && job_plan_option(plan, "hold") != NULL)
		return error_set(e,
		    "--canary holds all tasks except the first: leave out "
		    "--hold");
	return 0;
}

/* ---- the cluster ---- */

static void
lower(int64_t *most, int64_t there)
{
	if (there > 0 && (*most == 0 || there < *most))
		*most = there;
}

/* Raise a limit to that of another partition; -1 means no limit. */
static void
widen(int64_t *limit, int64_t more)
{
	if (more == -1 || (*limit != -1 && more > *limit))
		*limit = more;
}

/*
 * Check that there is a time limit if the user asked for a signal before it.
 * limit is the partition's time limit in minutes, or -1.
 */
static int
check_notice(struct job_plan *plan, int64_t limit, struct error *e)
{
	const struct store_policy *p = &plan->job->policy;

	if (!plan->tells || limit != -1 || shortest_limit(plan) > 0)
		return 0;
	if (p->requeue > 0) {
		free(plan->note);
		plan->note = xasprintf(
		    "--signal-before %" PRId64
		    ": without a time limit, the training is signalled only "
		    "before a preemption, if Slurm is configured for it",
		    p->signal_before);
		return 0;
	}
	return error_set(e,
	    "--signal-before %" PRId64 ": there is no time limit to tell of: "
	    "give one, as in -t 8:00:00",
	    p->signal_before);
}

/* The limits of the partitions in which the tasks of a plan may run. */
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
	if (check_most(&p->memory, "--retry-oom", "MB", e) == -1) {
		job_plan_wrong(plan, "retry-oom");
		job_plan_wrong(plan, p->memory.option);
		return -1;
	}
	if (check_notice(plan, room.usual, e) == -1) {
		job_plan_wrong(plan, "signal-before");
		return -1;
	}
	if (check_most(&p->time, "--retry-time", "minutes", e) == -1) {
		job_plan_wrong(plan, "retry-time");
		job_plan_wrong(plan, p->time.option);
		return -1;
	}
	return 0;
}
