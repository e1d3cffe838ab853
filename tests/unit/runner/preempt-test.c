#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "runner/preempt.h"
#include "store/policy.h"

static void
it_goes_back_when_its_time_was_up(void **state)
{
	static const struct store_policy three = {.requeue = 3}, none = {0};
	static const struct {
		struct job_requeue run;
		enum job_requeue_answer want;
	} cases[] = {
	    {{&three, .noticed = 1, .progress = 1}, JOB_REQUEUE_YES},
	    {{&three, .noticed = 1, .exit = 138, .progress = 1},
		JOB_REQUEUE_YES},
	    {{&three, .noticed = 1, .exit = 3, .progress = 1}, JOB_REQUEUE_YES},
	    /* Nobody wants it to, or it is done. */
	    {{&none, .noticed = 1, .progress = 1}, JOB_REQUEUE_NO},
	    {{&three, .progress = 1}, JOB_REQUEUE_NO},
	    {{&three, .exit = 3, .progress = 1}, JOB_REQUEUE_NO},
	    {{&three, .noticed = 1, .unwanted = 1}, JOB_REQUEUE_NO},
	    {{&three, .noticed = 1, .complete = 1}, JOB_REQUEUE_NO},
	    /* Complete, and then it failed: nobody knows what is missing. */
	    {{&three, .noticed = 1, .complete = 1, .exit = 1, .progress = 1},
		JOB_REQUEUE_YES},
	    /* The first run may need its time to get going. */
	    {{&three, .noticed = 1, .progress = 0}, JOB_REQUEUE_YES},
	    {{&three, .noticed = 1, .earlier = 1, .progress = 0},
		JOB_REQUEUE_STUCK},
	    {{&three, .noticed = 1, .earlier = 1, .progress = -1},
		JOB_REQUEUE_YES},
	    {{&three, .noticed = 1, .earlier = 2, .progress = 1},
		JOB_REQUEUE_YES},
	    {{&three, .noticed = 1, .earlier = 3, .progress = 1},
		JOB_REQUEUE_ENOUGH},
	    {{&three, .noticed = 1, .earlier = 3, .progress = 0},
		JOB_REQUEUE_STUCK},
	    {{&three, .noticed = 1, .earlier = 3, .complete = 1},
		JOB_REQUEUE_NO},
	    /* Its time was not up: another job needs its place. */
	    {{&three, .noticed = 1, .early = 1, .earlier = 1}, JOB_REQUEUE_YES},
	    {{&three, .noticed = 1, .early = 1, .earlier = 9, .exit = 3},
		JOB_REQUEUE_YES},
	    {{&three, .noticed = 1, .early = 1, .complete = 1}, JOB_REQUEUE_NO},
	    {{&three, .noticed = 1, .early = 1, .unwanted = 1}, JOB_REQUEUE_NO},
	    {{&none, .noticed = 1, .early = 1}, JOB_REQUEUE_NO},
	    /* Only its steps were told that Slurm preempts it. */
	    {{&three, .preempted = 1, .earlier = 9}, JOB_REQUEUE_YES},
	    {{&three, .preempted = 1, .exit = 143}, JOB_REQUEUE_YES},
	    {{&three, .preempted = 1, .complete = 1}, JOB_REQUEUE_NO},
	    {{&three, .preempted = 1, .unwanted = 1}, JOB_REQUEUE_NO},
	    {{&none, .preempted = 1}, JOB_REQUEUE_WAIT},
	    {{&none, .preempted = 1, .exit = 143}, JOB_REQUEUE_WAIT},
	    {{&none, .preempted = 1, .complete = 1}, JOB_REQUEUE_NO},
	    {{&none, .preempted = 1, .unwanted = 1}, JOB_REQUEUE_NO},
	    /* Slurm puts back as often as it likes; then we do not. */
	    {{&three, .noticed = 1, .earlier = 9, .progress = 1},
		JOB_REQUEUE_ENOUGH},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		if (job_requeue(&cases[i].run) != cases[i].want)
			fail_msg("case %zu: %d", i, job_requeue(&cases[i].run));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_goes_back_when_its_time_was_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
