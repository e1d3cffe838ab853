#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/queue.h"
#include "state/pending-reason.h"
#include "state/words.h"

enum { PIECES = 3 }; /* most ranges of tasks in a cause */

/*
 * The explanation of a reason.  In command, {id} stands for the task ids in
 * Slurm, {tasks} for the task ids in stfm, {held} and {refused} for the tasks
 * that keep these waiting, and {job} for their job.
 */
struct sentence {
	const char *reason, *why, *to_do, *command;
};

static const char stop[] = "stfm-stop {tasks}";
static const char let_go[] = "stfm-release {tasks}";
static const char release[] = "scontrol release {id}";
static const char queue[] = "stfm-watch {job}";
static const char nodes[] = "stfm-nodes";
static const char limits[] = "stfm-nodes --accounts";
static const char begin_now[] = "scontrol update JobId={id} StartTime=now";
static const char depends[] = "squeue --me -o '%i %j %E'";

static const char wait[] = "Wait until other jobs end";
static const char never[] = "It cannot start: stop it, and submit it within "
			    "the limits of the site";
static const char launch[] = "Slurm could not start it on its node, "
			     "requeued it and holds it";
static const char look[] = "Find the reason in its log or sinfo -R, then "
			   "release it";
static const char back[] = "it was requeued, and Slurm holds it";
static const char admin[] = "Ask your administrators";

static const char begin_time[] = "its begin time has not come";

/* Slurm's reasons that need no further evidence. */
static const struct sentence sentences[] = {
    {"None", "Slurm has not considered it yet", "Wait a minute"},
    {"Priority", "jobs of a higher priority come before it",
	"A shorter --time could start it sooner; see what is free", nodes},
    {"Resources", "the nodes or GPUs it asks for are in use",
	"Asking for fewer would start it sooner; see what is free", nodes},
    {"Dependency", "it depends on a job that has not ended",
	"Wait for that job; see which one it is", depends},
    {"DependencyNeverSatisfied", "its dependency can never be satisfied",
	"Stop it, and submit it without the dependency", stop},
    {"PartitionNodeLimit", "it asks for more nodes than the partition allows",
	never, stop},
    {"PartitionTimeLimit", "its time limit is longer than the partition allows",
	"Stop it, and submit it with a shorter --time", stop},
    {"PartitionDown", "the partition is down", admin},
    {"PartitionInactive", "the partition is inactive", admin},
    {"PartitionConfig", "it does not fit the configuration of the partition",
	never, stop},
    {"JobHeldAdmin", "an administrator or coordinator of Slurm holds it",
	"Release it if that was you; else ask your administrators", release},
    {"JobHeldUser", "you hold it", "Release it", let_go},
    {"BeginTime", begin_time,
	"Wait for --begin, or for two minutes after a requeue, or start it now",
	begin_now},
    {"Licenses", "the licences it asks for are in use",
	"Wait until other jobs end; see who has them",
	"scontrol show licenses"},
    {"AssociationJobLimit",
	"your account has reached its limit of running jobs", wait},
    {"AssociationResourceLimit",
	"your account has reached its limit of resources", wait},
    {"AssociationTimeLimit", "your account has used up its time", admin},
    {"Reservation", "its reservation has not begun", "Wait for it to begin"},
    {"ReservationDeleted", "its reservation was deleted",
	"Stop it, and submit it without the reservation", stop},
    {"ReservationInvalid", "its reservation cannot be used",
	"Stop it, and submit it without the reservation", stop},
    {"ReqNodeNotAvail",
	"nodes it needs are down, reserved or due for maintenance",
	"Wait, or end before the maintenance with a shorter --time; see the "
	"nodes",
	nodes},
    {"NvidiaImexChannels", "the channels between GPUs are in use", wait},
    {"SchedDefer", "Slurm starts jobs in rounds here", "Wait a minute"},
    {"NodeDown", "a node it needs is down",
	"Wait, or submit it without --nodelist; see the nodes", nodes},
    {"BadConstraints", "no node has what it asks for", never, stop},
    {"Constraints", "no nodes with the features it asks for are free",
	"Wait, or ask for fewer with --constraint; see the nodes", nodes},
    {"SystemFailure", "a part of Slurm failed", admin},
    {"JobLaunchFailure", "its start failed",
	"Check that the directory of its log is writable"},
    {"NonZeroExitCode", "its run ended with an error", NULL},
    {"RaisedSignal", "a signal ended its run", NULL},
    {"TimeLimit", "its run reached the time limit", NULL},
    {"OutOfMemory", "its run used too much memory", NULL},
    {"InactiveLimit", "it was idle for too long", NULL},
    {"DeadLine", "its deadline has passed", never, stop},
    {"InvalidAccount", "its account does not exist",
	"Stop it, and submit it with another --account", stop},
    {"AccountNotAllowed", "its account may not use this partition",
	"Stop it, and submit it with another --account or --partition", stop},
    {"InvalidQOS", "its QOS does not exist, or is not for you",
	"Stop it, and submit it with another --qos", stop},
    {"QOSNotAllowed", "its QOS may not use this partition",
	"Stop it, and submit it with another --qos or --partition", stop},
    {"QOSUsageThreshold", "the QOS was used too much recently",
	"Wait, or use another --qos"},
    {"QOSJobLimit", "the QOS has reached its limit of running jobs", wait},
    {"QOSResourceLimit", "the QOS has reached its limit of resources", wait},
    {"QOSTimeLimit", "the QOS has used up its time", "Use another --qos"},
    {"Cleaning", "Slurm still cleans up its previous run", "Wait a minute"},
    {"Prolog", "its nodes are being prepared", "Wait a minute"},
    {"JobHoldMaxRequeue", "its start failed too often, and Slurm holds it",
	look, let_go},
    {"JobArrayTaskLimit",
	"the job has reached its limit of running tasks (--parallel)",
	"Wait, or remove the limit", "stfm-throttle {job} none"},
    {"BurstBufferResources", "the burst buffer is full", wait},
    {"BurstBufferStageIn", "its files are being copied to the burst buffer",
	"Wait a minute"},
    {"BurstBufferOperation", "the burst buffer failed", admin},
    {"PowerNotAvail", "the cluster has reached its power limit", wait},
    {"PowerReserved", "the power is reserved for others", wait},
    {"MaxPoweredUpNodes", "the cluster has reached its limit of powered nodes",
	wait},
    {"FedJobLock", "the clusters agree on which of them runs it",
	"Wait a minute"},
    {"AccountingPolicy", "a limit of the accounting is reached", wait},
    {"MaxMemPerLimit", "it asks for more memory per CPU than Slurm allows",
	never, stop},
    {"MpiPortsBusy", "the ports for MPI are in use", wait},
    {"MaxJobCount", "Slurm has reached its limit of jobs",
	"Wait; stfm-watch queues it when other jobs end", queue},
    {"MaxArraySize", "Slurm allows no array of this size",
	"Wait; stfm-watch queues it in parts", queue},
    {"LaunchFailedRequeuedHeld", launch, look, let_go},
    {"launch failed requeued held", launch, look, let_go},
    {"launch failure limit exceeded requeued held", launch, look, let_go},
    {"JobHeldRequeued", back, "Release it", let_go},
    {"job requeued in held state", back, "Release it", let_go},
    {"job requeued in special exit state", back,
	"Read its log, then release it", let_go},
    {"QOSMaxWallDurationPerJobLimit",
	"its time limit is longer than the QOS allows",
	"Stop it, and submit it with a shorter --time or another --qos "
	"(stfm-nodes --accounts shows the limit)",
	stop},
    {"AssocMaxWallDurationPerJobLimit",
	"its time limit is longer than your account allows",
	"Stop it, and submit it with a shorter --time (stfm-nodes --accounts "
	"shows the limit)",
	stop},
};

/* Causes of stfm, for tasks that are not in Slurm's queue. */
static const struct sentence own[CAUSES] = {
    [CAUSE_UNQUEUED] = {NULL, "stfm has not queued it", "Queue it", queue},
    [CAUSE_UNSURE] = {NULL, "a damaged record may have stopped it",
	"Repair the store, then stop the task again or queue it",
	"stfm-check --store --repair"},
    [CAUSE_HELD] = {NULL, "you hold it", "Release it", let_go},
    [CAUSE_HELD_BESIDE] = {NULL,
	"you hold a task that shares its allocation (--pack)",
	"Release that task"},
    [CAUSE_QUEUEING] = {NULL, "sbatch is queueing it", "Wait a minute"},
    [CAUSE_STOPPING] = {NULL, "it is being stopped", "Wait a minute"},
    [CAUSE_FRESH] = {NULL, "Slurm has not considered it yet", "Wait a minute"},
    [CAUSE_ABSENT] = {NULL, "Slurm does not know it, at least not yet",
	"Wait two minutes; stfm asks Slurm again"},
    [CAUSE_REQUEUE] = {NULL, "its run ended to be requeued", "Queue it", queue},
    [CAUSE_CANARY] = {NULL,
	"task 0 must complete an epoch before the others start",
	"Wait for task 0"},
    [CAUSE_CANARY_FAILED] = {NULL, "it waits for task 0, which failed",
	"Read the log of task 0, then restart it", "stfm-restart {job}/0"},
    [CAUSE_CANARY_STOPPED] = {NULL, "it waits for task 0, which was stopped",
	"Restart task 0, or stop the others", "stfm-restart {job}/0"},
};

static int
set(struct job_pending_reason *out, const struct sentence *s)
{
	out->why = xstrdup(s->why);
	out->to_do = xcopy(s->to_do);
	out->command = xcopy(s->command);
	return 0;
}

/* ---- limits: scope, resource, period ---- */

struct word {
	const char *text, *means;
};

static const struct word scopes[] = {
    {"QOSGrp", "all jobs of this QOS together"},
    {"AssocGrp", "all jobs of your account together"},
    {"QOSMax", "this QOS"},
    {"AssocMax", "your account"},
    {"QOSMin", "this QOS"},
    {"Max", "the QOS"},
};

static const struct word things[] = {
    {"SubmitJobs", "jobs in the queue"},
    {"SubmitJob", "jobs in the queue"},
    {"Jobs", "running jobs"},
    {"Job", "running jobs"},
    {"CPU", "processors"},
    {"Cpu", "processors"},
    {"Memory", "memory"},
    {"Mem", "memory"},
    {"Node", "nodes"},
    {"GRES", "GPUs"},
    {"WallDuration", "time"},
    {"Wall", "time"},
    {"License", "licences"},
    {"Energy", "energy"},
    {"BB", "burst buffer"},
    {"Billing", "billing units"},
    {"Unknown", "a resource"},
};

static const struct word *
take_word(const char **text, const struct word *list, size_t count)
{
	size_t i, length;

	for (i = 0; i < count; i++) {
		length = strlen(list[i].text);
		if (strncmp(*text, list[i].text, length) == 0) {
			*text += length;
			return &list[i];
		}
	}
	return NULL;
}

static int
find_limit(const char *reason, struct job_pending_reason *out)
{
	const struct word *scope, *thing;
	const char *who, *whose = NULL, *span = "";
	int least;
	char *limit;

	scope = take_word(&reason, scopes, sizeof scopes / sizeof *scopes);
	if (scope == NULL)
		return -1;
	thing = take_word(&reason, things, sizeof things / sizeof *things);
	if (thing == NULL)
		return -1;
	if (strstr(reason, "RunMin") != NULL)
		span = "remaining hours of ";
	else if (strstr(reason, "Min") != NULL)
		span = "hours of ";
	limit = xasprintf("limit of %s%s", span, thing->means);
	who = scope->means;
	least = strcmp(scope->text, "QOSMin") == 0;
	if (strstr(reason, "PerJob") != NULL)
		whose = "job";
	else if (strstr(reason, "PerNode") != NULL)
		whose = "node";
	if (least)
		out->why =
		    xasprintf("it is below the minimum %s of %s", limit, who);
	else if (whose != NULL)
		out->why = xasprintf(
		    "it exceeds the %s that %s sets per %s", limit, who, whose);
	else if (strstr(scope->text, "Grp") != NULL)
		out->why = xasprintf("%s have reached their %s", who, limit);
	else if (strstr(reason, "PerAccount") != NULL)
		out->why = xasprintf(
		    "your account has reached the %s that %s sets", limit, who);
	else
		out->why = xasprintf(
		    "your jobs have reached the %s that %s sets", limit, who);
	out->to_do = xstrdup(least || whose != NULL
		? never
		: "Wait until other jobs end; see your limits");
	out->command = xstrdup(least || whose != NULL ? stop : limits);
	free(limit);
	return 0;
}

/* ---- other jobs ---- */

/* Explain the wait for jobs that are not over: "prep, eval and net". */
static void
set_wait(const struct job_waiting *who, const struct cause_after *after,
    struct job_pending_reason *out)
{
	const char *are = after->one ? "is" : "are";
	char *names = *after->standing == '\0'
	    ? xstrdup(after->names)
	    : xasprintf("%s, %s,", after->names, after->standing);

	if (who->after == AFTER_OK)
		out->why = xasprintf(
		    "it starts when all tasks of %s are FINISHED", names);
	else
		out->why = xasprintf("it starts when %s %s over%s", names, are,
		    who->after == AFTER_BOTH ? ", those with :ok FINISHED"
					     : "");
	free(names);
	out->to_do = xstrdup("Wait; stfm-watch starts it if Slurm cannot");
	out->command = xstrdup(queue);
}

/* Explain CAUSE_AFTER: "after conv2d, of which 2 tasks did not finish". */
static int
find_after(const struct job_waiting *who, const char *reason,
    struct job_pending_reason *out)
{
	struct cause_after after;
	const char *name;

	if (!cause_after_read(reason, &after))
		return -1;
	name = after.names;
	if (after.how == OTHER_UNFINISHED) {
		out->why = xasprintf("it starts when all tasks of %s "
				     "are FINISHED, %s",
		    name, after.standing);
		out->to_do = xstrdup(who->after_imported
			? "stfm cannot restart an imported job: stop this "
			  "one, and submit it without :ok"
			: "Restart those tasks, or stop this one");
		out->command = who->after_imported
		    ? xstrdup(stop)
		    : xasprintf("stfm-restart %s", name);
	} else if (after.how == OTHER_CANARY) {
		out->why = xasprintf("it starts after %s, whose canary (task "
				     "0) failed",
		    name);
		out->to_do = xstrdup("Restart that canary");
		out->command = xasprintf("stfm-restart %s/0", name);
	} else if (after.how == OTHER_NEVER) {
		out->why =
		    xasprintf("it starts after %s, %s", name, after.standing);
		out->to_do = xstrdup(who->after == AFTER_ANY
			? "Stop that job, or see why it is pending"
			: "See why that job is pending");
		out->command = who->after == AFTER_ANY
		    ? xasprintf("stfm-stop %s", name)
		    : xasprintf("stfm-status --why %s", name);
	} else if (after.how == OTHER_REMOVED) {
		out->why = xasprintf("it starts when all tasks of %s "
				     "are FINISHED, but that job was removed",
		    name);
		out->to_do = xstrdup("It cannot start: stop it, and submit it "
				     "without --after");
		out->command = xstrdup(stop);
	} else {
		set_wait(who, &after, out);
	}
	cause_after_free(&after);
	return 0;
}

/* ---- the throttle and held tasks ---- */

/* Explain the wait for tasks of the same job: held ones, or the throttle. */
static int
find_throttle(const struct job_waiting *who, const char *reason,
    struct job_pending_reason *out)
{
	static const struct sentence before = {NULL,
	    "it starts when earlier tasks of the job are over "
	    "(--parallel)",
	    "Wait, or remove the limit", "stfm-throttle {job} none"};
	/* For an imported job: "--array=0-99%4". */
	static const struct sentence imported = {NULL,
	    "the job has reached its limit of running tasks (the %N of "
	    "--array)",
	    "Wait, or remove the limit", "stfm-throttle {job} none"};

	/* If all tasks start at once, no point follows from results. */
	static const struct sentence learns = {NULL,
	    "the job has reached its limit of running tasks (--parallel)",
	    wait};

	if (who->learns && strcmp(reason, "JobArrayTaskLimit") == 0)
		return set(out, &learns);
	if (who->imported && strcmp(reason, "JobArrayTaskLimit") == 0)
		return set(out, &imported);
	if (strcmp(reason, "Dependency") != 0)
		return -1;
	if (who->held == NULL)
		return who->alone ? set(out, &before) : -1;
	out->why = xasprintf("it starts when earlier tasks are over "
			     "(--parallel), and you hold %s of them",
	    who->held);
	out->to_do = xstrdup("Release them, or stop them");
	out->command = xstrdup("stfm-release {held}");
	return 0;
}

/* ---- task ids ---- */

char *
job_pending_reason_ids(const char *job, const struct idset *tasks)
{
	char *text = idset_text(tasks), *at = text, *ids;
	int pieces = 0;

	while ((at = strchr(at, ',')) != NULL && ++pieces < PIECES)
		at++;
	ids = at == NULL
	    ? xasprintf("%s/%s", job, text)
	    : xasprintf("%s/%.*s,...", job, (int)(at - text), text);
	free(text);
	return ids;
}

/* ---- refusals ---- */

/* Explain that Slurm refuses an array, or one before it.  A watcher retries. */
static int
find_refusal(const char *reason, struct job_pending_reason *out)
{
	const char *rest;
	enum cause cause = cause_of(reason, &rest);

	if (cause == CAUSE_BEHIND) {
		out->why = xasprintf("it must be queued after %s", rest);
		out->to_do = xstrdup(
		    "Stop the refused tasks, and restart them with other "
		    "options (stfm-restart); stfm-watch then queues the rest");
		out->command = xstrdup("stfm-stop {refused}");
	} else if (cause == CAUSE_REFUSED_ARRAY) {
		out->why = xasprintf(QUEUE_REFUSES "%s", rest);
		out->to_do = xstrdup(
		    "Stop it, and restart it with other options "
		    "(stfm-restart); or wait: stfm-watch asks Slurm again");
		out->command = xstrdup(stop);
	} else {
		return -1;
	}
	return 0;
}

/* ---- the begin time ---- */

static int
find_begin(const struct job_waiting *who, const char *reason,
    struct job_pending_reason *out)
{
	if (strcmp(reason, "BeginTime") != 0 || who->begin == who->requeued)
		return -1;
	out->why = xstrdup(begin_time);
	out->to_do = xstrdup(who->begin
		? "Wait for the time of --begin, or start it now"
		: "Wait; Slurm starts a requeued task again after two "
		  "minutes; or start it now");
	/* scontrol takes the ids of one array. */
	if (who->id != NULL && strchr(who->id, ' ') == NULL)
		out->command = xstrdup(begin_now);
	return 0;
}

/* ---- all reasons ---- */

/*
 * Return the bare reason, to free; for "(ReqNodeNotAvail, UnavailableNodes:n1)"
 * it is "ReqNodeNotAvail".
 */
static char *
bare(const char *cause)
{
	char *text = xstrdup(cause + (*cause == '('));
	const char *rest;
	size_t length = strlen(text);

	if (*cause == '(' && length > 0 && text[length - 1] == ')')
		text[length - 1] = '\0';
	if (cause_of(text, &rest) == CAUSE_REFUSED)
		memmove(text, rest, strlen(rest) + 1);
	else if (strchr(text, ' ') != NULL && strncmp(text, "Req", 3) == 0)
		text[strcspn(text, ", ")] = '\0';
	return text;
}

/* Replace the names in braces in the command. */
static void
fill(struct job_pending_reason *r, const struct job_waiting *who)
{
	const struct {
		const char *name, *text;
	} names[] = {{"{id}", who->id}, {"{tasks}", who->tasks},
	    {"{held}", who->held}, {"{refused}", who->refused},
	    {"{job}", who->job}};
	char *at, *text;
	size_t i;

	for (i = 0; r->command != NULL && i < sizeof names / sizeof *names;
	     i++) {
		at = strstr(r->command, names[i].name);
		if (at == NULL)
			continue;
		text = names[i].text == NULL
		    ? NULL
		    : xasprintf("%.*s%s%s", (int)(at - r->command), r->command,
			  names[i].text, at + strlen(names[i].name));
		free(r->command);
		r->command = text;
	}
}

int
job_pending_reason(const struct job_waiting *who, const char *cause,
    struct job_pending_reason *out)
{
	static const struct sentence none = {
	    "", "Slurm has not said why", "Wait a minute"};
	const struct sentence *known;
	char *reason;
	size_t i;
	int rc;

	*out = (struct job_pending_reason){0};
	if (cause == NULL)
		return set(out, &none);
	reason = bare(cause);
	rc = find_throttle(who, reason, out);
	if (rc == -1)
		rc = find_begin(who, reason, out);
	for (i = 0; rc == -1 && i < sizeof sentences / sizeof *sentences; i++)
		if (strcmp(reason, sentences[i].reason) == 0)
			rc = set(out, &sentences[i]);
	known = &own[cause_of(reason, NULL)];
	if (rc == -1 && known->why != NULL)
		rc = set(out, known);
	if (rc == -1)
		rc = find_after(who, reason, out);
	if (rc == -1)
		rc = find_limit(reason, out);
	if (rc == -1)
		rc = find_refusal(reason, out);
	if (rc == -1)
		out->why = xstrdup(reason);
	fill(out, who);
	free(reason);
	return rc;
}

void
job_pending_reason_free(struct job_pending_reason *r)
{
	free(r->why);
	free(r->to_do);
	free(r->command);
	*r = (struct job_pending_reason){0};
}
