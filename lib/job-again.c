#include "job-again.h"

const char job_again_unsaid[] = "not put back into the queue";

enum job_again_answer
job_again(const struct job_again *run)
{
	if (run->policy->requeue == 0 || !run->noticed || run->unwanted)
		return JOB_AGAIN_NO;
	if (run->exit == 0 && run->complete)
		return JOB_AGAIN_NO;
	if (run->early)
		return JOB_AGAIN_YES;
	if (run->earlier > 0 && run->progress == 0)
		return JOB_AGAIN_STUCK;
	if (run->earlier >= run->policy->requeue)
		return JOB_AGAIN_ENOUGH;
	return JOB_AGAIN_YES;
}
