#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "queue-steer.h"
#include "queue-task.h"
#include "queue-text.h"
#include "xalloc.h"

/*
 * Slurm answers for each task: "12_0: Job has already finished", and "12_1-3:
 * No error" for those with which it was done.
 */
static int
is_done_in_part(const struct proc_result *result)
{
	return !result->timed_out && result->complaint != NULL &&
	    strstr(result->complaint, ": No error") != NULL;
}

/*
 * An id alone proves nothing: a controller that crashed gives it to another
 * job.  So it is looked at just before something is changed, whatever the
 * caller has read before.
 */
static int
check(uint32_t array, const char *token, struct error *e)
{
	struct queue_jobs jobs = {.count = 0};
	int64_t ms;
	int rc, ours = 0;
	size_t i;

	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return -1;
	rc = queue_text_array(array, proc_clock() + ms, &jobs, e);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		ours |= jobs.record[i].array == array &&
		    jobs.record[i].uid == getuid() &&
		    queue_has_token(&jobs.record[i], token);
	if (rc == 0 && !ours)
		rc = queue_refuse(
		    EIO, e, "%" PRIu32 ": it is another job by now", array);
	queue_jobs_free(&jobs);
	return rc;
}

/* Returns 0, 1 when it was done for some of the tasks, or -1. */
static int
scontrol(const char *const words[], struct error *e)
{
	struct proc_result result;
	int64_t ms;
	int rc, number;

	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return -1;
	rc = queue_text_run(words, proc_clock() + ms, &result, e);
	number = errno;
	if (rc == -1 && is_done_in_part(&result))
		rc = 1;
	proc_result_free(&result);
	errno = number;
	return rc;
}

/* Do it for all of them, whatever is refused. */
static int
tell(const char *verb, uint32_t array, const struct ranges *indices,
    const char *token, struct error *e)
{
	struct words names = {0};
	int rc = 0, number = 0, got;
	size_t i;

	if (check(array, token, e) == -1)
		return -1;
	if (indices == NULL)
		words_take(&names, xasprintf("%" PRIu32, array));
	else
		queue_task_names(array, indices, &names);
	for (i = 0; i < names.count && number != EAGAIN; i++) {
		got = scontrol((const char *const[]){"scontrol", verb,
				   names.word[i], NULL},
		    e);
		if (got == 0)
			continue;
		number = got == 1 ? EIO : errno;
		rc = -1;
	}
	words_free(&names);
	errno = number;
	return rc;
}

/* "hold" by an administrator would be one that its user cannot end. */
int
queue_hold(uint32_t array, const struct ranges *indices, const char *token,
    struct error *e)
{
	return tell("uhold", array, indices, token, e);
}

int
queue_release(uint32_t array, const struct ranges *indices, const char *token,
    struct error *e)
{
	return tell("release", array, indices, token, e);
}

/* Change a field, which is taken over, of all that waits of an array. */
static int
update(uint32_t array, const char *token, char *field, struct error *e)
{
	char *id = xasprintf("JobId=%" PRIu32, array);
	int rc = check(array, token, e), number;

	if (rc == 0)
		rc = scontrol((const char *const[]){"scontrol", "update", id,
				  field, NULL},
		    e);
	number = errno;
	free(id);
	free(field);
	errno = number;
	return rc == -1 ? -1 : 0;
}

int
queue_throttle(uint32_t array, const char *token, int64_t most, struct error *e)
{
	return update(
	    array, token, xasprintf("ArrayTaskThrottle=%" PRId64, most), e);
}

int
queue_depend(uint32_t array, const char *token, const char *on, struct error *e)
{
	return update(array, token, xasprintf("Dependency=%s", on), e);
}
