#include "runner/requeue-decision.h"
#include "store/policy.h"

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
