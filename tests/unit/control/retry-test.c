#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/retry.h"
#include "store/policy.h"

static char half[] = "1.5", twice[] = "2", mem[] = "mem", limit[] = "time";

static const struct store_policy nothing = {0};
static const struct store_policy requeue = {.requeue = 2};
static const struct store_policy memory = {
    .memory = {half, mem, 1000, 4000, 3}};
static const struct store_policy minutes = {.time = {twice, limit, 60, 0, 2}};
static const struct store_policy all = {.requeue = 2,
    .memory = {half, mem, 1000, 0, 3},
    .time = {twice, limit, 60, 0, 2}};

static void
a_task_is_queued_again_when_the_policy_says_so(void **state)
{
	static const struct {
		struct job_retry_case c;
		enum job_retry_answer want;
		int64_t value;
	} cases[] = {
	    {{&all, "exit 1"}, JOB_RETRY_NONE, 0},
	    {{&all, "SIGKILL"}, JOB_RETRY_NONE, 0},
	    {{&all, "LOST"}, JOB_RETRY_NONE, 0},
	    {{&all, NULL}, JOB_RETRY_NONE, 0},
	    {{&nothing, "OUT_OF_MEMORY", .memory = 1000}, JOB_RETRY_NONE, 0},
	    {{&nothing, "TIMEOUT", .time = 60}, JOB_RETRY_NONE, 0},
	    /* Memory: up to the most there is, and so often. */
	    {{&memory, "OUT_OF_MEMORY", .memory = 1000}, JOB_RETRY_MEMORY,
		1500},
	    {{&memory, "OUT_OF_MEMORY", .memory = 1501, .more_memory = 1},
		JOB_RETRY_MEMORY, 2252},
	    {{&memory, "OUT_OF_MEMORY", .memory = 3375, .more_memory = 2},
		JOB_RETRY_MEMORY, 4000},
	    {{&memory, "OUT_OF_MEMORY", .memory = 4000, .more_memory = 2},
		JOB_RETRY_NONE, 0},
	    {{&memory, "OUT_OF_MEMORY", .memory = 1000, .more_memory = 3},
		JOB_RETRY_NONE, 0},
	    {{&memory, "TIMEOUT", .memory = 1000, .time = 60}, JOB_RETRY_NONE,
		0},
	    /* Time. */
	    {{&minutes, "TIMEOUT", .time = 60}, JOB_RETRY_TIME, 120},
	    {{&minutes, "TIMEOUT", .time = 120, .more_time = 1}, JOB_RETRY_TIME,
		240},
	    {{&minutes, "TIMEOUT", .time = 240, .more_time = 2}, JOB_RETRY_NONE,
		0},
	    {{&minutes, "OUT_OF_MEMORY", .time = 60}, JOB_RETRY_NONE, 0},
	    /* More time comes before going on with as much. */
	    {{&all, "TIMEOUT", .time = 60}, JOB_RETRY_TIME, 120},
	    {{&all, "TIMEOUT", .time = 240, .more_time = 2}, JOB_RETRY_RESUME,
		0},
	    /* What was taken away goes on. */
	    {{&requeue, "TIMEOUT"}, JOB_RETRY_RESUME, 0},
	    {{&requeue, "NODE_FAIL", .resumed = 1}, JOB_RETRY_RESUME, 0},
	    {{&requeue, "PREEMPTED", .resumed = 1}, JOB_RETRY_RESUME, 0},
	    {{&requeue, "PREEMPTED", .resumed = 2}, JOB_RETRY_NONE, 0},
	    /* ... or could neither say how it ended, nor that it began. */
	    {{&requeue, "end not recorded"}, JOB_RETRY_RESUME, 0},
	    {{&requeue, "end not recorded", .resumed = 2}, JOB_RETRY_NONE, 0},
	    {{&requeue, "launch failure (exit 75)"}, JOB_RETRY_RESUME, 0},
	    {{&requeue, "not requeued"}, JOB_RETRY_RESUME, 0},
	    {{&requeue, "launch failure"}, JOB_RETRY_NONE, 0},
	    {{&requeue, "exit 75"}, JOB_RETRY_NONE, 0},
	    {{&memory, "end not recorded", .memory = 9}, JOB_RETRY_NONE, 0},
	    {{&requeue, "CANCELLED"}, JOB_RETRY_NONE, 0},
	    {{&requeue, "no epoch within the time limit"}, JOB_RETRY_NONE, 0},
	    /* The run itself has counted those. */
	    {{&requeue, NULL, .wants_array = 1, .resumed = 2}, JOB_RETRY_RESUME,
		0},
	};
	int64_t value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum job_retry_answer got =
		    job_retry_decide(&cases[i].c, &value);

		if (got != cases[i].want || value != cases[i].value)
			fail_msg("case %zu: %d, %d", i, got, (int)value);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_task_is_queued_again_when_the_policy_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
