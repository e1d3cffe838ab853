/* Read the queue and cancel jobs with libslurm. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "slurm/library.h"
#include "slurm/names.h"
#include "slurm/release.h"

/* lib/slurm relies on these values in every release. */
_Static_assert(JOB_STATE_BASE == QUEUE_BASE &&
	JOB_REQUEUE == QUEUE_IS_REQUEUED &&
	JOB_CONFIGURING == QUEUE_IS_CONFIGURING &&
	JOB_COMPLETING == QUEUE_IS_COMPLETING &&
	JOB_STOPPED == QUEUE_IS_STOPPED && JOB_REVOKED == QUEUE_IS_REVOKED &&
	JOB_STAGE_OUT == QUEUE_IS_STAGING,
    "Slurm's flags of states");
#define SAME(theirs, ours) ((int)(theirs) == (int)(ours))
_Static_assert(SAME(JOB_PENDING, QUEUE_PENDING) &&
	SAME(JOB_RUNNING, QUEUE_RUNNING) &&
	SAME(JOB_SUSPENDED, QUEUE_SUSPENDED) &&
	SAME(JOB_COMPLETE, QUEUE_COMPLETED) &&
	SAME(JOB_CANCELLED, QUEUE_CANCELLED) &&
	SAME(JOB_FAILED, QUEUE_FAILED) && SAME(JOB_TIMEOUT, QUEUE_TIMEOUT) &&
	SAME(JOB_NODE_FAIL, QUEUE_NODE_FAIL) &&
	SAME(JOB_PREEMPTED, QUEUE_PREEMPTED) &&
	SAME(JOB_BOOT_FAIL, QUEUE_BOOT_FAIL) &&
	SAME(JOB_DEADLINE, QUEUE_DEADLINE) &&
	SAME(JOB_OOM, QUEUE_OUT_OF_MEMORY) && SAME(JOB_END, QUEUE_OTHER),
    "Slurm's base states");

/* ---- jobs ---- */

/*
 * Return the index of a task, or the list of the remaining tasks without the
 * throttle ("%3"); to free.  Returns NULL for a list that Slurm cut: it ends in
 * "...", and its missing tasks are unknown.
 */
static char *
indices(const job_info_t *job)
{
	const char *list = job->array_task_str;

	if (job->array_task_id != NO_VAL)
		return xasprintf("%" PRIu32, job->array_task_id);
	if (list == NULL || strstr(list, "...") != NULL)
		return NULL;
	return xstrndup(list, strcspn(list, "%"));
}

static void
put_job(FILE *out, const job_info_t *job)
{
	char *list = indices(job);
	struct queue_record r = {
	    .array = job->array_job_id != 0 ? job->array_job_id : job->job_id,
	    .job = job->job_id,
	    .indices = list,
	    .reason = job->state_desc != NULL && *job->state_desc != '\0'
		? job->state_desc
		: queue_reason_name(job->state_reason),
	    .refused = job->state_reason == FAIL_BAD_CONSTRAINTS,
	    .exit_status = (int)job->exit_code,
	    .restarts = job->restart_cnt,
	    .throttle = job->array_max_tasks,
	    .submit = job->submit_time,
	    .start = job->start_time,
	    .end = job->end_time,
	    .time_limit = job->time_limit,
	    .uid = job->user_id,
	    .name = job->name,
	    .comment = job->comment,
	    .command = job->command,
	    .partition = job->partition,
	    .nodes = job->nodes,
	    .dependency = job->dependency,
	};

	queue_put_record(out, &r, job->job_state);
	free(list);
}

static int
put_jobs(FILE *out, void *arg)
{
	job_info_msg_t *jobs = NULL;
	uint32_t i;

	(void)arg;
	/* SHOW_ALL includes jobs in hidden partitions. */
	if (slurm_load_job_user(&jobs, getuid(), SHOW_LOCAL | SHOW_ALL) != 0)
		return queue_failed(out);
	queue_put_number(out, 0);
	queue_put_number(out, jobs->record_count);
	for (i = 0; i < jobs->record_count; i++)
		put_job(out, &jobs->job_array[i]);
	return 0;
}

static int
load_jobs(int64_t ms, struct queue_jobs *out, struct error *e)
{
	struct queue_input in;

	if (queue_guard(put_jobs, NULL, ms, &out->raw, &in, e) == -1)
		return -1;
	return queue_get_jobs(&in, out, e);
}

/* ---- cancelling ---- */

struct targets {
	struct queue_target *target;
	size_t count;
};

/* In the child: cancel one target at a time and send each result at once. */
static int
kill_targets(FILE *out, void *arg)
{
	struct targets *all = arg;
	const char *name;
	int number;
	size_t i;

	queue_put_number(out, 0);
	for (i = 0; i < all->count; i++) {
		name = all->target[i].name;
		number = 0;
		if (name != NULL && queue_kill(name, SIGKILL, 0) != 0)
			number = errno != 0 ? errno : -1;
		queue_put_number(out, number);
		queue_put_text(out, number > 0 ? slurm_strerror(number) : "");
		fflush(out);
	}
	return 0;
}

/* Read Slurm's answer for one target; silence is the reason for none. */
static void
hear(
    struct queue_target *t, struct queue_input *in, const struct error *silence)
{
	int64_t number = queue_get_number(in);
	const char *text = queue_get_text(in);

	if (t->name == NULL)
		return;
	if (in->broken) {
		t->of->outcome = QUEUE_CANCEL_UNSENT;
		t->of->why = *silence;
	} else if (number == -1 || queue_is_unreached(text)) {
		t->of->outcome = QUEUE_CANCEL_UNSENT;
		error_set(&t->of->why, "cannot reach slurmctld (%s)", text);
	} else if (number != 0) {
		t->of->outcome = QUEUE_CANCEL_REFUSED;
		error_set(&t->of->why, "%s: Slurm refuses: %s", t->name, text);
	} else {
		t->of->outcome = QUEUE_CANCEL_DONE;
	}
}

static void
cancel(int64_t ms, struct queue_target *target, size_t count)
{
	struct targets all = {target, count};
	struct proc_result result;
	struct queue_input in;
	struct error silence = {""};
	size_t i;

	queue_guard(kill_targets, &all, ms, &result, &in, &silence);
	for (i = 0; i < count; i++)
		hear(&target[i], &in, &silence);
	proc_result_free(&result);
}

const struct queue_way queue_library = {
    load_jobs, queue_library_cluster, queue_library_uses, cancel};
