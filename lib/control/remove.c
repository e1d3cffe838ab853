#include <stdlib.h>
#include <time.h>

#include "control/cancel.h"
#include "control/remove.h"
#include "state/resolve.h"
#include "store/load.h"
#include "store/store.h"
#include "sys/proc.h"

/*
 * The most milliseconds to wait for tasks to end: longer than an sbatch can run
 * whose caller was killed; and the milliseconds until the next cancel.
 */
enum { PATIENCE = (JOB_GRACE + 30) * 1000, TURN = 10000 };

typedef int look(const struct store_job *, struct error *);

/* Wait until is_there returns 0.  Returns 0, 1 after ms milliseconds, or -1. */
static int
wait_while(
    look *is_there, const struct store_job *job, int64_t ms, struct error *e)
{
	int64_t deadline = proc_clock() + ms;
	struct timespec nap = {0, 100000000};
	int rc;

	for (;;) {
		rc = is_there(job, e);
		if (rc <= 0 || proc_clock() > deadline)
			return rc;
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < 800000000)
			nap.tv_nsec *= 2;
	}
}

/* Cancel before each wait: a controller may restore cancelled arrays. */
int
job_remove_wait(const struct store_job *job, struct error *e)
{
	int64_t deadline = proc_clock() + PATIENCE;
	int rc;

	do {
		if (job_cancel_all(job, e) == -1)
			return -1;
		rc = wait_while(job_is_queued, job, TURN, e);
	} while (rc == 1 && proc_clock() < deadline);
	return rc;
}

/* Put the job back; if rc is -1, e has the reason why it was not removed. */
static enum job_removal
put_back(const struct store *store, const struct store_job *job,
    const char *trash, int rc, struct error *e)
{
	struct error why;

	if (store_put_back(store, trash, store_job_name(job), &why) == -1) {
		error_set(e,
		    "%s: its tasks have not ended, and it is in %s: move "
		    "it back within the hour (%s)",
		    store_job_name(job), trash, why.text);
		rc = -1;
	} else if (rc == -1) {
		error_reword(
		    e, e, "%s: not removed: %s", store_job_name(job), e->text);
	}
	return rc == -1 ? JOB_NOT_REMOVED : JOB_NOT_ENDED;
}

enum job_removal
job_remove(const struct store *store, const struct store_job *job, int *late,
    struct error *e)
{
	char *trash =
	    store_take(store, store_job_name(job), store_job_id(job), e);
	enum job_removal answer = JOB_REMOVED;
	int rc;

	*late = 0;
	if (trash == NULL && e->code == ERROR_ABSENT)
		return JOB_REMOVED_BEFORE;
	if (trash == NULL) { /* another program may have taken the job */
		if (store_job_is_gone(job, NULL) == 1)
			job_cancel_all(job, NULL);
		return JOB_NOT_REMOVED;
	}
	/* Cancel arrays that were queued before the job was taken. */
	rc = wait_while(job_is_being_queued, job, PATIENCE, e);
	if (rc == 0) {
		rc = job_cancel_all(job, e);
		*late = rc == 1;
		if (rc > 0)
			rc = wait_while(job_is_queued, job, PATIENCE, e);
	}
	/*
	 * Slurm 24.05 and later create the directory for the log of a task that
	 * starts, even if the job was moved away.  Such a directory has no
	 * record, and would keep the name from being used.
	 */
	if (*late)
		store_remove(store, store_job_name(job), NULL, NULL);
	if (rc != 0)
		answer = put_back(store, job, trash, rc, e);
	else if (store_drop(store, trash, e) == -1)
		answer = JOB_NOT_REMOVED;
	free(trash);
	return answer;
}
