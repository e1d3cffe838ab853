#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "slurm/names.h"
#include "slurm/start-time.h"
#include "state/pending-reason.h"

static void
every_reason_of_slurm_has_a_sentence(void **state)
{
	static const struct job_waiting nobody = {0};
	struct job_pending_reason r;
	const char *name;
	uint32_t i;

	(void)state;
	for (i = 0;; i++) {
		name = queue_reason_name(i);
		if (strcmp(name, "Unknown") == 0)
			break;
		if (*name == '\0')
			continue;
		if (job_pending_reason(&nobody, name, &r) != 0 ||
		    r.why == NULL || strlen(r.why) < 10 || strlen(r.why) > 110)
			fail_msg("%s: %s", name, r.why);
		job_pending_reason_free(&r);
	}
	assert_in_range(i, 200, 1000);
}

static const struct {
	const char *cause, *why, *to_do; /* parts of them; what to type */
	int known;
} cases[] = {
    {"(Priority)", "higher priority", "shorter --time", 1},
    {"(ReqNodeNotAvail, UnavailableNodes:n1)", "maintenance", "Wait", 1},
    {"(JobHeldUser)", "you hold it", "stfm-release conv2d/0-4,7", 1},
    /* Of an administrator's own jobs, theirs is the same. */
    {"(JobHeldAdmin)", "an administrator", "scontrol release 4102_0-4 4102_7",
	1},
    {"(launch failed requeued held)", "could not start it",
	"stfm-release conv2d/0-4,7", 1},
    {"(job requeued in held state)", "Slurm holds it",
	"stfm-release conv2d/0-4,7", 1},
    {"(JobHoldMaxRequeue)", "failed too often", "sinfo -R", 1},
    {"(waiting for the canary, which failed: restart task 0)",
	"task 0, which failed", "stfm-restart conv2d/0", 1},
    {"(waiting for the canary, which was stopped: restart task 0)",
	"task 0, which was stopped", "stfm-restart conv2d/0", 1},
    {"(JobArrayTaskLimit)", "--parallel", "stfm-throttle conv2d none", 1},
    {"(after prep)", "when all tasks of prep are FINISHED", "stfm-watch conv2d",
	1},
    {"(after prep, of which 2 tasks did not finish)",
	"when all tasks of prep are FINISHED, of which 2 tasks did not finish",
	"stfm-restart prep", 1},
    {"(after prep, which cannot start)",
	"it starts after prep, which cannot start", "stfm-status --why prep",
	1},
    {"(after prep, which was removed)", "was removed", "stfm-stop conv2d/0-4,7",
	1},
    {"(held by you)", "you hold it", "stfm-release conv2d/0-4,7", 1},
    {"(QOSMaxGRESPerUser)",
	"your jobs have reached the limit of GPUs that this QOS sets", "Wait",
	1},
    {"(AssocGrpCPURunMinutesLimit)",
	"all jobs of your account together have reached their limit of "
	"remaining hours of processors",
	"Wait", 1},
    {"(QOSMaxMemoryPerJob)",
	"it exceeds the limit of memory that this QOS sets per job",
	"stfm-stop conv2d/0-4,7", 1},
    {"(QOSMinGRES)", "below the minimum limit of GPUs",
	"stfm-stop conv2d/0-4,7", 1},
    {"(MaxNodePerAccount)", "your account has reached the limit of nodes",
	"Wait", 1},
    {"(not queued yet: MaxJobCount)", "limit of jobs", "stfm-watch conv2d", 1},
    {"(not queued yet: QOSMaxSubmitJobPerUserLimit)",
	"limit of jobs in the queue", "Wait", 1},
    {"perhaps stopped: a record is damaged", "a damaged record",
	"stfm-check --store --repair", 1},
    {"being queued", "sbatch", "Wait", 1},
    {"(waiting for the canary)", "task 0", "Wait", 1},
    {NULL, "not said", "Wait", 1},
    {"(FluxCapacitor)", "FluxCapacitor", NULL, 0},
    {"(not queued yet: odd words)", "odd words", NULL, 0},
    {"(not queued yet: Slurm refuses: no such partition)",
	"Slurm refuses: no such partition", "stfm-stop conv2d/0-4,7", 1},
    {"(not queued yet: behind conv2d/9, which Slurm refuses: no such node)",
	"queued after conv2d/9, which Slurm refuses: no such node",
	"stfm-stop conv2d/9-10", 1},
    {"()", "", NULL, 0},
};

static void
what_was_imported_is_not_trained_again(void **state)
{
	static const struct job_waiting who = {
	    .job = "conv2d", .tasks = "conv2d/0-4", .after_imported = 1};
	struct job_pending_reason r;

	(void)state;
	assert_int_equal(
	    job_pending_reason(
		&who, "(after prep, of which 2 tasks did not finish)", &r),
	    0);
	assert_string_equal(r.command, "stfm-stop conv2d/0-4");
	assert_non_null(strstr(r.to_do, "imported"));
	job_pending_reason_free(&r);
	assert_int_equal(job_pending_reason(&who, "(after prep)", &r), 0);
	assert_string_equal(r.command, "stfm-watch conv2d");
	job_pending_reason_free(&r);
}

static void
what_waits_for_any_end_starts_when_that_is_stopped(void **state)
{
	static const struct job_waiting who = {
	    .job = "conv2d", .tasks = "conv2d/0-4", .after = AFTER_ANY};
	struct job_pending_reason r;

	(void)state;
	assert_int_equal(
	    job_pending_reason(&who, "(after prep, which cannot start)", &r),
	    0);
	assert_string_equal(r.command, "stfm-stop prep");
	job_pending_reason_free(&r);
}

static void
all_that_is_waited_for_is_named(void **state)
{
	static const struct {
		int after;
		const char *cause, *why;
	} waits[] = {
	    {AFTER_ANY, "(after prep)", "when prep is over"},
	    {AFTER_OK, "(after prep)", "when all tasks of prep are FINISHED"},
	    {AFTER_ANY, "(after a and b)", "when a and b are over"},
	    {AFTER_OK, "(after a, b, c and 2 more)",
		"when all tasks of a, b, c and 2 more are FINISHED"},
	    {AFTER_BOTH, "(after a, b and c)",
		"when a, b and c are over, those with :ok FINISHED"},
	};
	struct job_pending_reason r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof waits / sizeof *waits; i++) {
		struct job_waiting who = {.job = "conv2d", .tasks = "conv2d/0"};

		who.after = waits[i].after;
		assert_int_equal(
		    job_pending_reason(&who, waits[i].cause, &r), 0);
		assert_string_equal(strstr(r.why, "when "), waits[i].why);
		assert_string_equal(r.command, "stfm-watch conv2d");
		job_pending_reason_free(&r);
	}
}

static void
a_cause_says_why_and_what_to_do(void **state)
{
	static const struct job_waiting who = {.job = "conv2d",
	    .tasks = "conv2d/0-4,7",
	    .id = "4102_0-4 4102_7",
	    .after = AFTER_OK,
	    .refused = "conv2d/9-10"};
	struct job_pending_reason r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		if ((job_pending_reason(&who, cases[i].cause, &r) == 0) !=
			cases[i].known ||
		    strstr(r.why, cases[i].why) == NULL ||
		    (cases[i].to_do == NULL) != (r.to_do == NULL) ||
		    (r.to_do != NULL &&
			strstr(r.to_do, cases[i].to_do) == NULL &&
			(r.command == NULL ||
			    strcmp(r.command, cases[i].to_do) != 0)))
			fail_msg("%s: %s; %s", cases[i].cause, r.why, r.to_do);
		job_pending_reason_free(&r);
	}
}

/* A hold of one's own, of what an array has to wait for. */
static void
what_waits_for_others_of_its_job_says_so(void **state)
{
	struct job_waiting who = {.job = "conv2d", .tasks = "conv2d/4"};
	struct job_pending_reason r;

	(void)state;
	assert_int_equal(job_pending_reason(&who, "(Dependency)", &r), 0);
	assert_non_null(strstr(r.why, "on a job"));
	job_pending_reason_free(&r);
	who.alone = 1;
	assert_int_equal(job_pending_reason(&who, "(Dependency)", &r), 0);
	assert_non_null(strstr(r.why, "earlier tasks of the job"));
	assert_string_equal(r.command, "stfm-throttle conv2d none");
	job_pending_reason_free(&r);
}

static void
what_is_held_before_them_is_named(void **state)
{
	static const struct job_waiting who = {
	    "conv2d", "conv2d/8", "4103_0", "conv2d/1-2"};
	struct job_pending_reason r;

	(void)state;
	assert_int_equal(job_pending_reason(&who, "(Dependency)", &r), 0);
	assert_non_null(strstr(r.why, "you hold conv2d/1-2 of them"));
	assert_string_equal(r.command, "stfm-release conv2d/1-2");
	job_pending_reason_free(&r);
	assert_int_equal(job_pending_reason(&who, "(Priority)", &r), 0);
	assert_null(strstr(r.why, "hold"));
	job_pending_reason_free(&r);
}

/* Nobody said --parallel of a job that others have queued. */
static void
what_others_throttled_is_said_of_their_array(void **state)
{
	static const struct job_waiting who = {
	    .job = "theirs", .tasks = "theirs/2", .imported = 1};
	struct job_pending_reason r;

	(void)state;
	assert_int_equal(
	    job_pending_reason(&who, "(JobArrayTaskLimit)", &r), 0);
	assert_null(strstr(r.why, "--parallel"));
	assert_non_null(strstr(r.why, "the %N of --array"));
	assert_string_equal(r.command, "stfm-throttle theirs none");
	job_pending_reason_free(&r);
}

static void
a_cause_names_few_tasks(void **state)
{
	static const struct {
		const char *tasks, *ids;
	} some[] = {{"1", "conv2d/1"}, {"0-4,7,9", "conv2d/0-4,7,9"},
	    {"0,2,4,6-8", "conv2d/0,2,4,..."}};
	struct idset tasks = {0};
	size_t i;
	char *ids;

	(void)state;
	for (i = 0; i < sizeof some / sizeof *some; i++) {
		assert_int_equal(idset_parse(&tasks, some[i].tasks, NULL), 0);
		ids = job_pending_reason_ids("conv2d", &tasks);
		assert_string_equal(ids, some[i].ids);
		free(ids);
		idset_free(&tasks);
	}
}

static void
slurm_says_when_tasks_start(void **state)
{
	static const struct {
		int64_t array, index, start, begin;
	} some[] = {
	    {13, 2, 1700000000, 1600000000},
	    {13, 9, 1700000000, 1600000000},
	    {13, 10, -1, -1},
	    {14, 7, 1700000007, 1700000007},
	    {15, -1, 1700000009, -1},
	    /* Not in the queue. */
	    {13, 1, 0, 0},
	    {15, 0, 0, 0},
	    {16, 1, 0, 0},
	    {17, 1, 0, 0},
	    {18, 0, 0, 0},
	    {-1, -1, 0, 0},
	};
	struct queue_expect *x =
	    queue_expect_read("13|2-9%2|1700000000|1600000000|\n"
			      "13|10-19|N/A|N/A|\n"
			      "14|7|1700000007|1700000007|\n"
			      "15|N/A|1700000009|N/A|\n"
			      "odd\n|\n||\n|||\n16|1||\n17|1|1|1\n");
	const struct queue_times *times;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof some / sizeof *some; i++) {
		times = queue_expect_find(x, some[i].array, some[i].index);
		assert_int_equal(times != NULL, some[i].start != 0);
		if (times == NULL)
			continue;
		assert_int_equal(times->start, some[i].start);
		assert_int_equal(times->begin, some[i].begin);
	}
	queue_expect_free(x);
	queue_expect_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_reason_of_slurm_has_a_sentence),
	    cmocka_unit_test(a_cause_says_why_and_what_to_do),
	    cmocka_unit_test(what_waits_for_others_of_its_job_says_so),
	    cmocka_unit_test(what_is_held_before_them_is_named),
	    cmocka_unit_test(what_others_throttled_is_said_of_their_array),
	    cmocka_unit_test(what_was_imported_is_not_trained_again),
	    cmocka_unit_test(all_that_is_waited_for_is_named),
	    cmocka_unit_test(
		what_waits_for_any_end_starts_when_that_is_stopped),
	    cmocka_unit_test(a_cause_names_few_tasks),
	    cmocka_unit_test(slurm_says_when_tasks_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
