#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "job/argv.h"
#include "job/container.h"
#include "runner/preempt.h"
#include "runner/supervise.h"
#include "slurm/task.h"
#include "store/policy.h"
#include "sys/fs.h"

/* Bytes at the end of a log in which to find Slurm's line about a step. */
enum { TAIL = 1 << 18 };

/*
 * Seconds between two queries, and how many in a row may not confirm the
 * preemption: Slurm may be about to signal us.
 */
enum { EVERY = 30, SILENT = 4 };

/* Return whether the command of the training is srun itself. */
static int
is_srun(const struct job_run *r)
{
	struct strlist command = {0};
	int is;

	job_argv_words(&r->task, &command);
	is = command.count > 0 && strcmp(fs_base(command.word[0]), "srun") == 0;
	strlist_free(&command);
	return is;
}

/*
 * Return whether Slurm has written that it signalled a step, as in "slurmstepd:
 * error: *** STEP 12.0 ON n1 CANCELLED AT 2026-11-23T04:01:05 ***".
 */
static int
tells_of_step(const char *path)
{
	const char *at;
	uint64_t size;
	size_t length;
	char *text;
	int fd, found = 0;

	fd = path != NULL ? fs_open_file(AT_FDCWD, path, &size, NULL) : -1;
	if (fd == -1)
		return 0;
	if (fs_read_at(fd, size > TAIL ? size - TAIL : 0, TAIL, &text, &length,
		NULL) == 0) {
		for (at = text;
		     !found && (at = strstr(at, "*** STEP ")) != NULL; at++)
			found = memmem(at, strcspn(at, "\n"), " CANCELLED AT ",
				    14) != NULL;
		free(text);
	}
	fs_close(fd);
	return found;
}

int
job_preempt_is_on(const struct job_run *r)
{
	if (!job_container_is_beside(r->job) && !is_srun(r) &&
	    !tells_of_step(r->body.log) && !tells_of_step(r->body.err))
		return 0;
	return queue_task_is_preempted(r->array, r->index, r->chunk.token) == 1;
}

int
job_preempt_wait(const struct job_run *r)
{
	int silent = 0, signal;

	while (silent < SILENT) {
		signal = job_supervise_wait(EVERY);
		if (signal != 0)
			return signal;
		if (queue_task_is_preempted(
			r->array, r->index, r->chunk.token) == 1)
			silent = 0;
		else
			silent++;
	}
	return 0;
}

enum job_requeue_answer
job_requeue(const struct job_requeue *run)
{
	if (run->unwanted || (run->exit == 0 && run->complete))
		return JOB_REQUEUE_NO;
	if (run->policy->requeue == 0)
		return run->preempted ? JOB_REQUEUE_WAIT : JOB_REQUEUE_NO;
	if (!run->noticed && !run->preempted)
		return JOB_REQUEUE_NO;
	if (run->early || run->preempted)
		return JOB_REQUEUE_YES;
	if (run->earlier > 0 && run->progress == 0)
		return JOB_REQUEUE_STUCK;
	if (run->earlier >= run->policy->requeue)
		return JOB_REQUEUE_ENOUGH;
	return JOB_REQUEUE_YES;
}
