#include "state/requeue-decision.h"

const char job_again_unsaid[] = "not put back into the queue";

enum job_again_answer
job_again(const struct job_again *run)
{
	if (run->unwanted || (run->exit == 0 && run->complete))
		return JOB_AGAIN_NO;
	if (run->policy->requeue == 0)
		return run->preempted ? JOB_AGAIN_WAIT : JOB_AGAIN_NO;
	if (!run->noticed && !run->preempted)
		return JOB_AGAIN_NO;
	if (run->early || run->preempted)
		return JOB_AGAIN_YES;
	if (run->earlier > 0 && run->progress == 0)
		return JOB_AGAIN_STUCK;
	if (run->earlier >= run->policy->requeue)
		return JOB_AGAIN_ENOUGH;
	return JOB_AGAIN_YES;
}
