#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "state/resolve.h"
#include "state/words.h"
#include "store/table-row.h"

enum { NOW = 100000 };

/* What is known, and what must follow from it. */
struct truth_case {
	struct job_evidence v;
	enum store_state was;
	int64_t exit, signal, asked, gone;
	enum store_state state;
	const char *cause, *verdict;
	int64_t completed;
};

#define QUEUED .queued = 1, .intended = 1
#define ASKED QUEUED, .answered = 1
#define SLURM(name) ASKED, .found = 1, .state = (name)
#define ALIVE(name) SLURM(name), .alive = 1
#define RECORDED(name) ASKED, .expected = 1, .recorded = (name)
#define S STORE_SUBMITTED
#define R STORE_RUNNING
#define F STORE_FINISHED
#define X STORE_ERROR
#define T STORE_STOPPED

static void
check(const struct truth_case *c, size_t line)
{
	struct job_evidence v = c->v;
	const char *verdict = "unset";
	struct store_row row;

	store_row_clear(&row, 0);
	row.state = c->was;
	row.exit = c->exit;
	row.signal = c->signal;
	row.asked = c->asked;
	row.gone = c->gone == 0 ? -1 : c->gone;
	row.completed = c->completed == 0 ? -1 : c->completed;
	v.now = NOW;
	v.grace = JOB_GRACE;
	state_resolve(&v, &row, &verdict);
	if (row.state != c->state)
		fail_msg("case %zu: %s, not %s", line,
		    store_state_name(row.state), store_state_name(c->state));
	if (c->cause == NULL
		? row.cause != NULL
		: row.cause == NULL || strcmp(row.cause, c->cause) != 0)
		fail_msg("case %zu: cause %s, not %s", line,
		    row.cause ? row.cause : "NULL",
		    c->cause ? c->cause : "NULL");
	if (c->verdict == NULL
		? verdict != NULL
		: verdict == NULL || strcmp(verdict, c->verdict) != 0)
		fail_msg("case %zu: verdict %s, not %s", line,
		    verdict ? verdict : "NULL",
		    c->verdict ? c->verdict : "NULL");
	store_row_free(&row);
}

static void
check_all(const struct truth_case *c, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		check(&c[i], i);
}

#define CHECK(list) check_all(list, sizeof(list) / sizeof *(list))

static void
an_end_fact_comes_before_what_slurm_says(void **state)
{
	static const struct truth_case cases[] = {
	    {{QUEUED, .started = 1, .ended = 1}, R, 0, 0, 0, 0, F, NULL, NULL},
	    {{ALIVE("RUNNING"), .started = 1, .ended = 1}, R, 0, 0, 0, 0, F,
		NULL, NULL},
	    {{SLURM("FAILED"), .started = 1, .ended = 1}, R, 0, 0, 0, 0, F,
		NULL, NULL},
	    {{ASKED, .started = 1, .ended = 1}, R, 3, 0, 0, 0, X, "exit 3",
		NULL},
	    {{ALIVE("PENDING"), .ended = 1}, S, 0, 0, 0, 0, F, NULL, NULL},
	    {{ASKED, .started = 1, .ended = 1}, R, 139, SIGSEGV, 0, 0, X,
		"SIGSEGV", NULL},
	    {{ASKED, .started = 1, .ended = 1}, R, 127, 0, 0, 0, X,
		"exit 127: command not found", NULL},
	    {{ASKED, .started = 1, .ended = 1, .judged = "LOST"}, X, 0, 0, 0, 0,
		F, "late, after LOST", NULL},
	    {{ASKED, .started = 1, .ended = 1, .judged = "FAILED"}, X, 0, 0, 0,
		0, F, NULL, NULL},
	    {{ASKED, .started = 1, .ended = 1, .judged = "LOST"}, X, 3, 0, 0, 0,
		X, "exit 3", NULL},
	};

	(void)state;
	CHECK(cases);
}

static void
an_end_by_a_signal_from_outside_waits_for_slurms_word(void **state)
{
	static const struct truth_case cases[] = {
	    {{ALIVE("RUNNING"), .started = 1, .ended = 1}, R, 143, SIGTERM,
		SIGTERM, 0, R, "ending", NULL},
	    {{QUEUED, .started = 1, .ended = 1}, R, 143, SIGTERM, SIGTERM, 0, R,
		"ending", NULL},
	    {{SLURM("TIMEOUT"), .started = 1, .ended = 1}, R, 143, SIGTERM,
		SIGTERM, 0, X, "TIMEOUT", "TIMEOUT"},
	    {{SLURM("TIMEOUT"), .started = 1, .ended = 1}, R, 0, 0, SIGTERM, 0,
		X, "TIMEOUT", "TIMEOUT"},
	    {{SLURM("CANCELLED"), .started = 1, .ended = 1}, R, 143, SIGTERM,
		SIGTERM, 0, T, "CANCELLED", "CANCELLED"},
	    {{SLURM("OUT_OF_MEMORY"), .started = 1, .ended = 1}, R, 137,
		SIGKILL, 0, 0, X, "OUT_OF_MEMORY", "OUT_OF_MEMORY"},
	    {{SLURM("FAILED"), .started = 1, .ended = 1}, R, 137, SIGKILL, 0, 0,
		X, "SIGKILL", "FAILED"},
	    {{SLURM("OUT_OF_MEMORY"), .started = 1, .ended = 1}, R, 137, 0, 0,
		0, X, "OUT_OF_MEMORY", "OUT_OF_MEMORY"},
	    {{SLURM("FAILED"), .started = 1, .ended = 1}, R, 137, 0, 0, 0, X,
		"exit 137", "FAILED"},
	    {{SLURM("COMPLETED"), .started = 1, .ended = 1}, R, 0, 0, SIGTERM,
		0, F, NULL, "COMPLETED"},
	    {{ASKED, .started = 1, .ended = 1}, R, 143, SIGTERM, SIGTERM, 0, X,
		"SIGTERM", NULL},
	    /* It ended well, but not by itself, and nobody knows why. */
	    {{ASKED, .started = 1, .ended = 1}, R, 0, 0, SIGTERM, 0, X,
		"SIGTERM", NULL},
	    {{QUEUED, .started = 1, .ended = 1, .judged = "TIMEOUT"}, R, 143,
		SIGTERM, SIGTERM, 0, X, "TIMEOUT", NULL},
	};

	(void)state;
	CHECK(cases);
}

static void
what_goes_back_into_the_queue_is_not_over(void **state)
{
	static const char goes[] = "being requeued";
	static const char again[] = "to be queued again";
	static const struct truth_case cases[] = {
	    {{QUEUED, .started = 1, .back = 1}, S, 0, 0, 0, 0, R, goes, NULL},
	    {{ALIVE("RUNNING"), .started = 1, .back = 1}, R, 3, 0, 0, 0, R,
		goes, NULL},
	    {{ALIVE("PENDING"), .started = 1, .back = 1}, R, 140, SIGUSR2, 0, 0,
		R, goes, NULL},
	    {{ALIVE("RUNNING"), .started = 1, .back = 1, .stop_asked = 1}, R, 0,
		0, 0, 0, R, "stopping", NULL},
	    /* Slurm forgets: not at once, and then it is lost. */
	    {{ASKED, .started = 1, .back = 1}, R, 0, 0, 0, NOW - 1, R, goes,
		NULL},
	    {{ASKED, .started = 1, .back = 1}, R, 0, 0, 0, NOW - JOB_GRACE, X,
		"LOST", "LOST"},
	    {{QUEUED, .started = 1, .back = 1, .judged = "LOST"}, R, 0, 0, 0, 0,
		X, "LOST", NULL},
	    /* It could not be done, or was not. */
	    {{ASKED, .started = 1, .back = 1, .ended = 1}, R, 0, 0, 0, NOW - 1,
		R, goes, NULL},
	    {{ASKED, .started = 1, .back = 1, .ended = 1}, R, 0, 0, 0,
		NOW - JOB_GRACE, S, again, "REFUSED"},
	    {{SLURM("FAILED"), .started = 1, .back = 1, .ended = 1}, R, 3, 0, 0,
		0, S, again, "FAILED"},
	    {{SLURM("TIMEOUT"), .started = 1, .back = 1}, R, 0, 0, 0, 0, S,
		again, "TIMEOUT"},
	    {{QUEUED, .started = 1, .back = 1, .judged = "TIMEOUT"}, S, 0, 0, 0,
		0, S, again, NULL},
	    {{RECORDED("NODE_FAIL"), .started = 1, .back = 1}, R, 0, 0, 0, 0, S,
		again, "NODE_FAIL"},
	    /* Somebody does not want it any more. */
	    {{SLURM("CANCELLED"), .started = 1, .back = 1}, R, 0, 0, 0, 0, T,
		"CANCELLED", "CANCELLED"},
	    {{SLURM("FAILED"), .started = 1, .back = 1, .stop_asked = 1}, R, 0,
		0, 0, 0, T, NULL, "FAILED"},
	    {{ASKED, .started = 1, .back = 1, .stop_asked = 1}, R, 0, 0, 0,
		NOW - JOB_GRACE, T, NULL, "LOST"},
	};

	(void)state;
	CHECK(cases);
}

static void
a_run_can_say_how_it_failed(void **state)
{
	struct job_evidence v = {QUEUED, .started = 1, .ended = 1};
	struct store_row row;

	(void)state;
	store_row_clear(&row, 0);
	row.exit = 0;
	row.said = xstrdup("put back 10 times");
	state_resolve(&v, &row, NULL);
	assert_int_equal(row.state, STORE_ERROR);
	assert_string_equal(row.cause, "put back 10 times");
	store_row_free(&row);
}

static void
stopped_needs_somebody_who_asked(void **state)
{
	static const struct truth_case cases[] = {
	    {{QUEUED, .started = 1, .ended = 1, .stop_asked = 1}, R, 143,
		SIGTERM, SIGTERM, 0, T, NULL, NULL},
	    {{QUEUED, .started = 1, .ended = 1, .stop_asked = 1}, R, 0, 0,
		SIGTERM, 0, T, NULL, NULL},
	    /* It failed, or finished, before the stop request could reach it.
	     */
	    {{QUEUED, .started = 1, .ended = 1, .stop_asked = 1}, R, 1, 0, 0, 0,
		X, "exit 1", NULL},
	    {{QUEUED, .started = 1, .ended = 1, .stop_asked = 1}, R, 0, 0, 0, 0,
		F, NULL, NULL},
	    {{ALIVE("RUNNING"), .started = 1, .stop_asked = 1}, R, -1, -1, -1,
		0, R, "stopping", NULL},
	    /* It had not started: the stop request itself is the record. */
	    {{ASKED, .stop_asked = 1}, S, -1, -1, -1, 0, T, NULL, NULL},
	    {{SLURM("CANCELLED"), .stop_asked = 1}, S, -1, -1, -1, 0, T, NULL,
		NULL},
	    {{ASKED, .started = 1, .stop_asked = 1}, R, -1, -1, -1, NOW, R,
		"not in the queue", NULL},
	    {{ASKED, .started = 1, .stop_asked = 1}, R, -1, -1, -1,
		NOW - JOB_GRACE, T, NULL, "CANCELLED"},
	    {{SLURM("CANCELLED"), .started = 1, .stop_asked = 1}, R, -1, -1, -1,
		0, T, NULL, "CANCELLED"},
	    {{.answered = 1, .stop_asked = 1}, S, -1, -1, -1, 0, T, NULL, NULL},
	    /* It was lost, whoever asked for its end. */
	    {{SLURM("NODE_FAIL"), .started = 1, .stop_asked = 1}, R, -1, -1, -1,
		0, X, "NODE_FAIL", "NODE_FAIL"},
	    {{RECORDED("NODE_FAIL"), .started = 1, .stop_asked = 1}, R, -1, -1,
		-1, 0, X, "NODE_FAIL", "NODE_FAIL"},
	    {{QUEUED, .started = 1, .stop_asked = 1, .judged = "NODE_FAIL"}, R,
		-1, -1, -1, 0, X, "NODE_FAIL", NULL},
	    {{SLURM("NODE_FAIL"), .started = 1, .ended = 1, .stop_asked = 1}, R,
		143, SIGTERM, SIGTERM, 0, X, "NODE_FAIL", "NODE_FAIL"},
	    /* Slurm had ended it by its own limits when somebody asked. */
	    {{SLURM("TIMEOUT"), .started = 1, .stop_asked = 1, .after = 1}, R,
		-1, -1, -1, 0, X, "TIMEOUT", "TIMEOUT"},
	    {{SLURM("TIMEOUT"), .started = 1, .stop_asked = 1}, R, -1, -1, -1,
		0, X, "TIMEOUT", "TIMEOUT"},
	    {{QUEUED, .started = 1, .stop_asked = 1, .after = 1,
		 .judged = "OUT_OF_MEMORY"},
		R, -1, -1, -1, 0, X, "OUT_OF_MEMORY", NULL},
	    {{SLURM("TIMEOUT"), .started = 1, .ended = 1, .stop_asked = 1,
		 .after = 1},
		R, 143, SIGTERM, SIGTERM, 0, X, "TIMEOUT", "TIMEOUT"},
	    {{SLURM("CANCELLED"), .started = 1, .stop_asked = 1, .after = 1}, R,
		-1, -1, -1, 0, T, NULL, "CANCELLED"},
	    {{ASKED, .started = 1, .stop_asked = 1, .late = 1}, R, -1, -1, -1,
		NOW - JOB_GRACE + 1, R, "not in the queue", NULL},
	    {{ASKED, .started = 1, .stop_asked = 1, .late = 1}, R, -1, -1, -1,
		NOW - JOB_GRACE, X, "LOST", "LOST"},
	    {{QUEUED, .started = 1, .stop_asked = 1, .judged = "LOST"}, R, -1,
		-1, -1, 0, X, "LOST", NULL},
	};

	(void)state;
	CHECK(cases);
}

static void
what_slurm_says_has_ended_by_itself_was_not_stopped(void **state)
{
	static const struct truth_case cases[] = {
	    /* It may still say how it ended. */
	    {{SLURM("COMPLETED"), .started = 1, .stop_asked = 1}, R, -1, -1, -1,
		0, R, "ending", NULL},
	    {{SLURM("COMPLETED"), .started = 1, .stop_asked = 1}, R, -1, -1, -1,
		NOW - JOB_GRACE, F, "no end record", "COMPLETED"},
	    {{RECORDED("COMPLETED"), .started = 1, .stop_asked = 1, .late = 1},
		R, -1, -1, -1, NOW - JOB_GRACE, F, "no end record",
		"COMPLETED"},
	    {{QUEUED, .started = 1, .stop_asked = 1, .judged = "COMPLETED"}, R,
		-1, -1, -1, 0, F, "no end record", NULL},
	    /* Slurm has forgotten what it said. */
	    {{ASKED, .started = 1, .stop_asked = 1}, R, -1, -1, -1,
		NOW - JOB_GRACE, F, "no end record", "COMPLETED",
		NOW - JOB_GRACE},
	    {{SLURM("FAILED"), .started = 1, .stop_asked = 1,
		 .exit_status = 3 << 8},
		R, -1, -1, -1, 0, X, "exit 3", "FAILED"},
	    {{SLURM("OUT_OF_MEMORY"), .started = 1, .stop_asked = 1}, R, -1, -1,
		-1, 0, X, "OUT_OF_MEMORY", "OUT_OF_MEMORY"},
	    {{SLURM("TIMEOUT"), .started = 1, .ended = 1, .stop_asked = 1}, R,
		143, SIGTERM, SIGTERM, 0, X, "TIMEOUT", "TIMEOUT"},
	    /* It was over when it was wished, and Slurm is still to say why. */
	    {{ALIVE("COMPLETING"), .started = 1, .ended = 1, .stop_asked = 1,
		 .after = 1},
		R, 143, SIGTERM, SIGTERM, 0, R, "ending", NULL},
	    {{ASKED, .started = 1, .ended = 1, .stop_asked = 1, .after = 1}, R,
		143, SIGTERM, SIGTERM, 0, T, NULL, NULL},
	    /* A controller that crashed has forgotten that it cancelled it. */
	    {{SLURM("FAILED"), .started = 1, .ended = 1, .stop_asked = 1}, R,
		143, SIGTERM, SIGTERM, 0, T, NULL, NULL},
	    /* It did not begin: by the stop request, or before Slurm was told
	       of it. */
	    {{SLURM("FAILED"), .stop_asked = 1, .exit_status = 75 << 8}, S, -1,
		-1, -1, 0, T, NULL, NULL},
	    {{SLURM("FAILED"), .stop_asked = 1, .exit_status = 53}, S, -1, -1,
		-1, 0, X, "launch failure", "FAILED"},
	    /* Slurm had forgotten its run, and the stop request ended the next
	       one. */
	    {{SLURM("FAILED"), .started = 1, .stop_asked = 1,
		 .exit_status = 75 << 8},
		R, -1, -1, -1, 0, T, NULL, "CANCELLED"},
	    {{QUEUED, .started = 1, .stop_asked = 1, .judged = "FAILED",
		 .exit_status = 75 << 8},
		X, -1, -1, -1, 0, T, NULL, NULL},
	    {{SLURM("FAILED"), .started = 1, .stop_asked = 1, .after = 1,
		 .exit_status = 75 << 8},
		R, -1, -1, -1, 0, X, "end not recorded", "FAILED"},
	    {{SLURM("FAILED"), .started = 1, .stop_asked = 1,
		 .exit_status = 3 << 8},
		R, -1, -1, -1, 0, X, "exit 3", "FAILED"},
	    {{SLURM("COMPLETED"), .stop_asked = 1}, S, -1, -1, -1, 0, R,
		"ending", NULL},
	    {{SLURM("COMPLETED"), .stop_asked = 1}, S, -1, -1, -1,
		NOW - JOB_GRACE, T, NULL, NULL},
	};

	(void)state;
	CHECK(cases);
}

/* Slurm tells of all of them together. */
static void
one_of_several_ends_by_itself_when_it_is_stopped(void **state)
{
	static const struct truth_case cases[] = {
	    {{SLURM("FAILED"), .started = 1, .packed = 1, .stop_asked = 1}, R,
		-1, -1, -1, 0, T, NULL, "CANCELLED"},
	    {{SLURM("TIMEOUT"), .started = 1, .packed = 1, .stop_asked = 1}, R,
		-1, -1, -1, 0, T, NULL, "CANCELLED"},
	    {{SLURM("TIMEOUT"), .started = 1, .ended = 1, .packed = 1,
		 .stop_asked = 1},
		R, 143, SIGTERM, SIGTERM, 0, T, NULL, NULL},
	    {{SLURM("TIMEOUT"), .started = 1, .packed = 1, .stop_asked = 1,
		 .after = 1},
		R, -1, -1, -1, 0, X, "TIMEOUT", "TIMEOUT"},
	    /* One that was stopped ends with another status. */
	    {{SLURM("COMPLETED"), .started = 1, .packed = 1, .stop_asked = 1},
		R, -1, -1, -1, NOW - JOB_GRACE, F, "no end record",
		"COMPLETED"},
	};

	(void)state;
	CHECK(cases);
}

static void
without_an_end_fact_slurm_is_believed(void **state)
{
	static const struct truth_case cases[] = {
	    {{ALIVE("PENDING"), .reason = "Priority"}, S, -1, -1, -1, 0, S,
		"(Priority)", NULL},
	    {{ALIVE("RUNNING")}, S, -1, -1, -1, 0, R, NULL, NULL},
	    {{ALIVE("SUSPENDED"), .started = 1}, R, -1, -1, -1, 0, R,
		"SUSPENDED", NULL},
	    {{ALIVE("STATE_OF_2031"), .started = 1}, R, -1, -1, -1, 0, R,
		"STATE_OF_2031", NULL},
	    /* It started after Slurm was asked. */
	    {{ALIVE("PENDING"), .started = 1}, S, -1, -1, -1, 0, R, NULL, NULL},
	    {{ALIVE("PENDING"), .started = 1, .returns = 1}, R, -1, -1, -1, 0,
		R, "being requeued", NULL},
	    {{ALIVE("PENDING"), .started = 1, .returns = 1, .stop_asked = 1}, R,
		-1, -1, -1, 0, R, "stopping", NULL},
	    {{SLURM("NODE_FAIL"), .started = 1}, R, -1, -1, -1, 0, X,
		"NODE_FAIL", "NODE_FAIL"},
	    {{SLURM("TIMEOUT"), .started = 1}, R, -1, -1, -1, 0, X, "TIMEOUT",
		"TIMEOUT"},
	    {{SLURM("CANCELLED")}, S, -1, -1, -1, 0, T, "CANCELLED",
		"CANCELLED"},
	    {{SLURM("FAILED"), .exit_status = 53}, S, -1, -1, -1, 0, X,
		"launch failure", "FAILED"},
	    {{SLURM("FAILED"), .exit_status = SIGKILL}, S, -1, -1, -1, 0, X,
		"launch failure (SIGKILL)", "FAILED"},
	    {{SLURM("FAILED"), .exit_status = SIGBUS | 0x80}, S, -1, -1, -1, 0,
		X, "launch failure (SIGBUS)", "FAILED"},
	    {{SLURM("FAILED"), .exit_status = 75 << 8}, S, -1, -1, -1, 0, X,
		"launch failure (exit 75)", "FAILED"},
	    {{SLURM("FAILED"), .started = 1, .exit_status = 3 << 8}, R, -1, -1,
		-1, 0, X, "exit 3", "FAILED"},
	    {{SLURM("FAILED"), .started = 1, .exit_status = SIGKILL}, R, -1, -1,
		-1, 0, X, "SIGKILL", "FAILED"},
	    /* By that the program around the training says that it could not.
	     */
	    {{SLURM("FAILED"), .started = 1, .exit_status = 75 << 8}, R, -1, -1,
		-1, 0, X, "end not recorded", "FAILED"},
	    {{QUEUED, .started = 1, .judged = "FAILED", .exit_status = 75 << 8},
		X, -1, -1, -1, 0, X, "end not recorded", NULL},
	    {{SLURM("FAILED"), .started = 1, .ended = 1}, R, 75, 0, 0, 0, X,
		"exit 75", NULL},
	    /* Completed with no end fact: it may still become visible. */
	    {{SLURM("COMPLETED"), .started = 1}, R, -1, -1, -1, NOW, R,
		"ending", NULL},
	    {{SLURM("COMPLETED"), .started = 1}, R, -1, -1, -1, NOW - JOB_GRACE,
		F, "no end record", "COMPLETED"},
	    {{QUEUED, .started = 1, .judged = "COMPLETED"}, S, -1, -1, -1, 0, F,
		"no end record", NULL},
	    /* Never started: a batch script that ended before the runner. */
	    {{SLURM("COMPLETED")}, S, -1, -1, -1, NOW - JOB_GRACE, X, "LOST",
		"LOST"},
	    /* What was recorded of it tells the same as the record did. */
	    {{QUEUED, .judged = "FAILED", .exit_status = 127 << 8}, S, -1, -1,
		-1, 0, X, "launch failure (exit 127)", NULL},
	};

	(void)state;
	CHECK(cases);
}

static void
gone_means_lost_only_after_the_grace_time(void **state)
{
	static const struct truth_case cases[] = {
	    {{ASKED, .started = 1}, R, -1, -1, -1, 0, R, "not in the queue",
		NULL},
	    {{ASKED}, S, -1, -1, -1, 0, S, "not in the queue", NULL},
	    {{ASKED, .fresh = 1}, S, -1, -1, -1, 0, S, "just queued", NULL},
	    {{ASKED, .fresh = 1, .started = 1}, S, -1, -1, -1, 0, R, NULL,
		NULL},
	    {{ASKED, .started = 1}, R, -1, -1, -1, NOW - JOB_GRACE + 1, R,
		"not in the queue", NULL},
	    {{ASKED, .started = 1}, R, -1, -1, -1, NOW - JOB_GRACE, X, "LOST",
		"LOST"},
	    /* A clock that was set back does not make it older. */
	    {{ASKED, .started = 1}, R, -1, -1, -1, NOW + 5000, R,
		"not in the queue", NULL},
	    {{QUEUED, .judged = "LOST"}, S, -1, -1, -1, 0, X, "LOST", NULL},
	    /* Trained by others; what nothing says of is not made up. */
	    {{.started = 1, .judged = "IMPORTED"}, S, -1, -1, -1, 0, F,
		"imported", NULL},
	    {{.started = 1, .judged = "UNPROVEN"}, S, -1, -1, -1, 0, X,
		"imported: end unknown", NULL},
	};

	(void)state;
	CHECK(cases);
}

#define UNSURE "perhaps stopped: a record is damaged"

static void
where_a_stop_is_damaged_nothing_is_made_of_its_absence(void **state)
{
	static const struct truth_case cases[] = {
	    {{.unsure = 1}, S, -1, -1, -1, 0, S, UNSURE, NULL},
	    {{.unsure = 1, .refusal = "MaxJobCount"}, S, -1, -1, -1, 0, S,
		UNSURE, NULL},
	    {{.unsure = 1, .intended = 1}, S, -1, -1, -1, 0, S, "being queued",
		NULL},
	    {{ASKED, .unsure = 1}, S, -1, -1, -1, 0, S, "not in the queue",
		NULL},
	    {{ASKED, .unsure = 1}, S, -1, -1, -1, NOW - JOB_GRACE, S, UNSURE,
		NULL},
	    {{ASKED, .unsure = 1, .started = 1}, R, -1, -1, -1, NOW - JOB_GRACE,
		R, UNSURE, NULL},
	    /* The run of a task that was stopped before it began ends well. */
	    {{SLURM("COMPLETED"), .unsure = 1}, S, -1, -1, -1, NOW - JOB_GRACE,
		R, UNSURE, NULL},
	    {{SLURM("COMPLETED"), .unsure = 1, .started = 1}, R, -1, -1, -1,
		NOW - JOB_GRACE, F, "no end record", "COMPLETED"},
	    /* What Slurm says is no matter of who asked. */
	    {{ALIVE("PENDING"), .unsure = 1}, S, -1, -1, -1, 0, S, NULL, NULL},
	    {{SLURM("CANCELLED"), .unsure = 1}, S, -1, -1, -1, 0, T,
		"CANCELLED", "CANCELLED"},
	    {{SLURM("FAILED"), .unsure = 1, .exit_status = 75 << 8}, S, -1, -1,
		-1, 0, X, "launch failure (exit 75)", "FAILED"},
	};

	(void)state;
	CHECK(cases);
}

static void
a_failed_query_changes_nothing(void **state)
{
	static const struct truth_case cases[] = {
	    {{QUEUED}, S, -1, -1, -1, 0, S, NULL, NULL},
	    {{QUEUED, .started = 1}, R, -1, -1, -1, NOW - 9999, R, NULL, NULL},
	    {{QUEUED, .started = 1}, S, -1, -1, -1, 0, R, NULL, NULL},
	    {{QUEUED, .stop_asked = 1}, S, -1, -1, -1, 0, S, NULL, NULL},
	    {{.answered = 0}, S, -1, -1, -1, 0, S, "not queued yet", NULL},
	    {{.intended = 1}, S, -1, -1, -1, 0, S, "being queued", NULL},
	    {{.intended = 1, .refusal = "MaxJobCount"}, S, -1, -1, -1, 0, S,
		"being queued", NULL},
	    {{.refusal = "MaxJobCount"}, S, -1, -1, -1, 0, S,
		"(not queued yet: MaxJobCount)", NULL},
	    {{.refusal = "Slurm refuses: no such node", .ahead = "blk/1"}, S,
		-1, -1, -1, 0, S,
		"(not queued yet: behind blk/1, which Slurm refuses: no such "
		"node)",
		NULL},
	};

	(void)state;
	CHECK(cases);
}

static void
accounting_speaks_when_slurm_has_forgotten(void **state)
{
	static const struct truth_case cases[] = {
	    {{RECORDED("TIMEOUT"), .started = 1}, R, -1, -1, -1, 0, X,
		"TIMEOUT", "TIMEOUT"},
	    {{RECORDED("CANCELLED")}, S, -1, -1, -1, 0, T, "CANCELLED",
		"CANCELLED"},
	    {{RECORDED("CANCELLED"), .started = 1, .stop_asked = 1}, R, -1, -1,
		-1, 0, T, NULL, "CANCELLED"},
	    {{RECORDED("FAILED"), .started = 1, .exit_status = SIGKILL}, R, -1,
		-1, -1, 0, X, "SIGKILL", "FAILED"},
	    {{RECORDED("FAILED"), .exit_status = 53}, S, -1, -1, -1, 0, X,
		"launch failure", "FAILED"},
	    /* The end fact may still become visible. */
	    {{RECORDED("COMPLETED"), .started = 1}, R, -1, -1, -1, 0, R,
		"ending", NULL},
	    {{RECORDED("COMPLETED"), .started = 1}, R, -1, -1, -1,
		NOW - JOB_GRACE, F, "no end record", "COMPLETED"},
	    /* Why a signal came from outside. */
	    {{RECORDED("TIMEOUT"), .started = 1, .ended = 1}, R, 143, SIGTERM,
		SIGTERM, 0, X, "TIMEOUT", "TIMEOUT"},
	    {{RECORDED("FAILED"), .started = 1, .ended = 1}, R, 137, SIGKILL, 0,
		0, X, "SIGKILL", "FAILED"},
	    /* It comes after the end fact and Slurm. */
	    {{RECORDED("FAILED"), .started = 1, .ended = 1}, R, 0, 0, 0, 0, F,
		NULL, NULL},
	    {{RECORDED("NODE_FAIL"), .started = 1, .found = 1, .alive = 1,
		 .state = "RUNNING"},
		R, -1, -1, -1, 0, R, NULL, NULL},
	    {{RECORDED("NODE_FAIL"), .started = 1, .found = 1,
		 .state = "TIMEOUT"},
		R, -1, -1, -1, 0, X, "TIMEOUT", "TIMEOUT"},
	};

	(void)state;
	CHECK(cases);
}

static void
accounting_that_does_not_know_changes_nothing(void **state)
{
	static const struct truth_case cases[] = {
	    {{RECORDED(NULL), .started = 1}, R, -1, -1, -1, 0, R,
		"not in the queue", NULL},
	    {{RECORDED(NULL)}, S, -1, -1, -1, NOW - JOB_GRACE + 1, S,
		"not in the queue", NULL},
	    {{RECORDED(NULL), .started = 1}, R, -1, -1, -1, NOW - JOB_GRACE, X,
		"LOST", "LOST"},
	    {{RECORDED(NULL), .stop_asked = 1}, S, -1, -1, -1, 0, T, NULL,
		NULL},
	    /* Its word on a signal from outside is waited for, not for ever. */
	    {{RECORDED(NULL), .started = 1, .ended = 1}, R, 143, SIGTERM,
		SIGTERM, 0, R, "ending", NULL},
	    {{RECORDED(NULL), .started = 1, .ended = 1}, R, 143, SIGTERM,
		SIGTERM, NOW - JOB_GRACE, X, "SIGTERM", NULL},
	};

	(void)state;
	CHECK(cases);
}

/*
 * Slurm forgets a task before it is known that its end was not recorded: what
 * it said is kept, and counts as if its accounting said so.
 */
static void
what_slurm_said_in_time_counts_when_it_has_forgotten(void **state)
{
	struct job_evidence v = {
	    SLURM("COMPLETED"), .started = 1, .end = 99990};
	const char *verdict;
	struct store_row row;

	(void)state;
	v.now = NOW;
	v.grace = JOB_GRACE;
	store_row_clear(&row, 0);
	row.state = R;
	state_resolve(&v, &row, &verdict);
	assert_string_equal(row.cause, "ending");
	assert_int_equal(row.completed, 99990);

	v.found = 0;
	v.answered = 0;
	v.now += JOB_GRACE;
	state_resolve(&v, &row, &verdict);
	assert_string_equal(row.cause, "ending");
	v.answered = 1;
	state_resolve(&v, &row, &verdict);
	assert_int_equal(row.state, F);
	assert_string_equal(row.cause, "no end record");
	assert_string_equal(verdict, "COMPLETED");
	store_row_free(&row);
}

/* A record can come late: no rule may go by its absence before. */
static void
a_record_that_lacks_may_still_come(void **state)
{
	static const struct {
		struct job_evidence v;
		int lacks;
	} cases[] = {
	    {{SLURM("FAILED"), .exit_status = 75 << 8}, 1},
	    {{SLURM("FAILED"), .exit_status = 75 << 8, .started = 1}, 1},
	    {{QUEUED, .judged = "FAILED", .exit_status = 75 << 8}, 1},
	    {{SLURM("FAILED"), .exit_status = 3 << 8, .started = 1}, 0},
	    {{SLURM("TIMEOUT"), .started = 1}, 0},
	};
	struct job_evidence v;
	struct store_row row;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		v = cases[i].v;
		v.now = NOW;
		store_row_clear(&row, 0);
		state_resolve(&v, &row, NULL);
		assert_int_equal(row.state, X);
		assert_int_equal(
		    state_may_be_late(&row, NOW, 9), cases[i].lacks);
		assert_int_equal(state_may_be_late(&row, NOW + 9, 9), 0);
		assert_int_equal(
		    state_is_unrecorded(row.cause), cases[i].lacks);
		store_row_free(&row);
	}
}

static void
what_slurm_said_in_time_is_not_all(void **state)
{
#define SAID .completed = NOW - 300
	static const struct truth_case cases[] = {
	    {{ASKED, .started = 1}, R, -1, -1, -1, NOW - JOB_GRACE + 1, R,
		"ending", NULL, SAID},
	    {{ASKED, .started = 1}, R, -1, -1, -1, NOW - JOB_GRACE, F,
		"no end record", "COMPLETED", SAID},
	    /* What never began has not trained. */
	    {{ASKED}, S, -1, -1, -1, NOW - JOB_GRACE, X, "LOST", "LOST", SAID},
	    {{ASKED, .started = 1, .ended = 1}, R, 3, 0, 0, 0, X, "exit 3",
		NULL, SAID},
	    {{ASKED, .started = 1, .ended = 1}, R, 0, 0, SIGTERM, 0, F, NULL,
		"COMPLETED", SAID},
	    {{RECORDED("NODE_FAIL"), .started = 1}, R, -1, -1, -1, 0, X,
		"NODE_FAIL", "NODE_FAIL", SAID},
	    {{ALIVE("RUNNING"), .started = 1}, R, -1, -1, -1, 0, R, NULL, NULL,
		SAID},
	};

	(void)state;
	CHECK(cases);
}

/* It may also be behind with its records when it answers again. */
static void
accounting_that_could_not_be_asked_changes_nothing(void **state)
{
#define FAILED(when) ASKED, .expected = 1, .failed = (when)
	static const struct truth_case cases[] = {
	    {{FAILED(NOW), .started = 1}, R, -1, -1, -1, NOW - 9999, R,
		"not in the queue", NULL},
	    {{FAILED(NOW)}, S, -1, -1, -1, NOW - 9999, S, "not in the queue",
		NULL},
	    {{FAILED(NOW), .adopted = 1}, S, -1, -1, -1, NOW - 9999, S,
		"not in the queue", NULL},
	    {{FAILED(NOW), .started = 1, .stop_asked = 1}, R, -1, -1, -1,
		NOW - 9999, R, "not in the queue", NULL},
	    {{FAILED(NOW), .started = 1, .ended = 1}, R, 143, SIGTERM, SIGTERM,
		NOW - 9999, R, "ending", NULL},
	    {{FAILED(NOW), .started = 1, .back = 1}, R, 0, 0, 0, NOW - 9999, R,
		"being requeued", NULL},
	    {{FAILED(NOW), .started = 1, .back = 1, .ended = 1}, R, 0, 0, 0,
		NOW - 9999, R, "being requeued", NULL},
	    {{FAILED(NOW - JOB_GRACE + 1), .started = 1}, R, -1, -1, -1,
		NOW - 9999, R, "not in the queue", NULL},
	    {{FAILED(NOW - JOB_GRACE), .started = 1}, R, -1, -1, -1, NOW - 9999,
		X, "LOST", "LOST"},
	    /* What others say needs no accounting. */
	    {{FAILED(NOW), .stop_asked = 1}, S, -1, -1, -1, 0, T, NULL, NULL},
	    {{FAILED(NOW), .started = 1, .ended = 1}, R, 3, 0, 0, 0, X,
		"exit 3", NULL},
	};

	(void)state;
	CHECK(cases);
}

static void
accounting_comes_before_lost_however_late(void **state)
{
#define LATE(name) RECORDED(name), .judged = "LOST"
	static const struct truth_case cases[] = {
	    {{LATE("TIMEOUT"), .started = 1}, X, -1, -1, -1, NOW - 9999, X,
		"TIMEOUT", "TIMEOUT"},
	    {{LATE("CANCELLED")}, X, -1, -1, -1, 0, T, "CANCELLED",
		"CANCELLED"},
	    {{LATE("FAILED"), .exit_status = 53}, X, -1, -1, -1, 0, X,
		"launch failure", "FAILED"},
	    /* It was waited for long enough before. */
	    {{LATE("COMPLETED"), .started = 1}, X, -1, -1, -1, 0, F,
		"no end record", "COMPLETED"},
	    {{LATE("COMPLETED")}, X, -1, -1, -1, 0, X, "LOST", NULL},
	    {{LATE("TIMEOUT"), .started = 1, .ended = 1}, X, 143, SIGTERM,
		SIGTERM, 0, X, "TIMEOUT", "TIMEOUT"},
	    {{LATE(NULL), .started = 1}, X, -1, -1, -1, NOW - 9999, X, "LOST",
		NULL},
	    {{FAILED(NOW), .started = 1, .judged = "LOST"}, X, -1, -1, -1,
		NOW - 9999, X, "LOST", NULL},
	    /* Other words stay. */
	    {{RECORDED("TIMEOUT"), .started = 1, .judged = "CANCELLED"}, T, -1,
		-1, -1, 0, T, "CANCELLED", NULL},
	};

	(void)state;
	CHECK(cases);
}

/* Whether the accounting is still to be asked; gone is when it was last seen.
 */
static int
is_due(struct job_evidence v, const char *slurm, int due, int64_t gone)
{
	struct store_row row;
	int rc;

	store_row_clear(&row, 0);
	row.slurm = xcopy(slurm);
	row.gone = gone;
	row.facts = STORE_HAS_X | (due ? STORE_END_DUE : 0);
	v.now = NOW;
	state_note_due(&v, &row);
	rc = (row.facts & STORE_END_DUE) != 0;
	v.judged = slurm;
	assert_int_equal(state_wants_record(&v, &row), rc && v.answered);
	store_row_free(&row);
	return rc;
}

static void
accounting_is_asked_for_a_day_what_is_lost(void **state)
{
	enum { DAY = 86400 };
	const struct job_evidence known = {RECORDED(NULL)},
				  down = {FAILED(NOW)}, none = {ASKED},
				  deaf = {QUEUED};

	(void)state;
	assert_true(is_due(known, "LOST", 0, NOW - 200));
	assert_true(is_due(known, "LOST", 1, NOW - DAY + 1));
	assert_true(is_due(known, "LOST", 1, -1));
	assert_false(is_due(known, "LOST", 1, NOW - DAY));
	assert_false(is_due(known, "TIMEOUT", 1, NOW - 200));
	assert_true(is_due(down, "LOST", 1, NOW - 2 * DAY));
	assert_false(is_due(none, "LOST", 1, NOW - 200));
	assert_true(is_due(deaf, "LOST", 1, NOW - 2 * DAY));
	assert_false(is_due(deaf, "LOST", 0, NOW - 200));
}

static void
accounting_is_asked_when_nothing_else_tells(void **state)
{
	static const struct {
		struct job_evidence v;
		int64_t signal, asked;
		int wants;
	} cases[] = {
	    {{ASKED}, -1, -1, 1},
	    {{ASKED, .started = 1}, -1, -1, 1},
	    {{ASKED, .started = 1, .ended = 1}, SIGTERM, SIGTERM, 1},
	    {{ASKED, .started = 1, .ended = 1}, SIGKILL, 0, 1},
	    {{ASKED, .started = 1, .stop_asked = 1}, -1, -1, 1},
	    /* The task said how it ended, or was to be stopped. */
	    {{ASKED, .started = 1, .ended = 1}, 0, 0, 0},
	    {{ASKED, .started = 1, .ended = 1}, SIGSEGV, 0, 0},
	    {{ASKED, .started = 1, .ended = 1, .stop_asked = 1}, SIGTERM,
		SIGTERM, 0},
	    {{ASKED, .stop_asked = 1}, -1, -1, 0},
	    /* Slurm knows, has said it before, or was not reached. */
	    {{ALIVE("RUNNING"), .started = 1}, -1, -1, 0},
	    {{SLURM("TIMEOUT"), .started = 1}, -1, -1, 0},
	    {{ASKED, .judged = "TIMEOUT"}, -1, -1, 0},
	    {{QUEUED, .started = 1}, -1, -1, 0},
	    /* It has not been queued. */
	    {{.intended = 1, .answered = 1}, -1, -1, 0},
	};
	struct store_row row;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		store_row_clear(&row, 0);
		row.signal = cases[i].signal;
		row.asked = cases[i].asked;
		if (state_wants_record(&cases[i].v, &row) != cases[i].wants)
			fail_msg("case %zu", i);
		store_row_free(&row);
	}
}

static void
of_several_words_the_one_that_says_more_counts(void **state)
{
	static const char *const request[] = {"OUT_OF_MEMORY", "TIMEOUT",
	    "DEADLINE", "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "CANCELLED",
	    "FAILED", "COMPLETED", "BRAND_NEW", "NEWER_STILL", "LOST"};
	size_t i, k, count = sizeof request / sizeof *request;

	(void)state;
	for (i = 0; i < count; i++)
		for (k = 0; k < count; k++)
			if (state_outranks(request[i], request[k]) != (i < k))
				fail_msg("%s and %s", request[i], request[k]);
}

static void
signals_have_their_names(void **state)
{
	char out[32];

	(void)state;
	assert_string_equal(job_signal_name(SIGTERM, out), "SIGTERM");
	assert_string_equal(job_signal_name(SIGSEGV, out), "SIGSEGV");
	assert_string_equal(job_signal_name(SIGXCPU, out), "SIGXCPU");
	assert_string_equal(job_signal_name(SIGSYS, out), "SIGSYS");
	assert_string_equal(job_signal_name(32, out), "signal 32");
	assert_string_equal(job_signal_name(9999, out), "signal 9999");
	assert_string_equal(job_signal_name(-1, out), "signal -1");
}

static void
of_what_others_queued_slurm_tells_all(void **state)
{
#define ADOPTED .adopted = 1
#define BEGUN ADOPTED, .started = 1
	static const struct truth_case cases[] = {
	    {{ALIVE("PENDING"), ADOPTED, .reason = "Priority"}, S, 0, 0, 0, 0,
		S, "(Priority)", NULL},
	    {{ALIVE("RUNNING"), BEGUN}, S, 0, 0, 0, 0, R, NULL, NULL},
	    /* Seen when it was over, or while it ran: it is the same. */
	    {{SLURM("COMPLETED"), ADOPTED}, S, 0, 0, 0, 0, F, NULL,
		"COMPLETED"},
	    {{SLURM("COMPLETED"), BEGUN}, R, 0, 0, 0, 0, F, NULL, "COMPLETED"},
	    {{RECORDED("COMPLETED"), BEGUN}, R, 0, 0, 0, 0, F, NULL,
		"COMPLETED"},
	    {{QUEUED, BEGUN, .judged = "COMPLETED"}, R, 0, 0, 0, 0, F, NULL,
		NULL},
	    {{SLURM("FAILED"), BEGUN, .exit_status = 3 << 8}, R, 0, 0, 0, 0, X,
		"exit 3", "FAILED"},
	    {{SLURM("FAILED"), ADOPTED, .exit_status = SIGSEGV}, S, 0, 0, 0, 0,
		X, "SIGSEGV", "FAILED"},
	    {{SLURM("FAILED"), ADOPTED, .exit_status = 53}, S, 0, 0, 0, 0, X,
		"launch failure", "FAILED"},
	    {{SLURM("TIMEOUT"), BEGUN}, R, 0, 0, 0, 0, X, "TIMEOUT", "TIMEOUT"},
	    {{SLURM("CANCELLED"), BEGUN}, R, 0, 0, 0, 0, T, "CANCELLED",
		"CANCELLED"},
	    /* A stop request is what ended it where Slurm has cancelled it. */
	    {{SLURM("CANCELLED"), BEGUN, .stop_asked = 1}, R, 0, 0, 0, 0, T,
		NULL, "CANCELLED"},
	    {{SLURM("COMPLETED"), BEGUN, .stop_asked = 1}, R, 0, 0, 0, 0, F,
		NULL, "COMPLETED"},
	    {{SLURM("FAILED"), BEGUN, .stop_asked = 1, .exit_status = 1 << 8},
		R, 0, 0, 0, 0, X, "exit 1", "FAILED"},
	    /* It may have run and ended meanwhile: nobody knows before. */
	    {{ASKED, ADOPTED, .stop_asked = 1}, S, 0, 0, 0, NOW - 1, S,
		"not in the queue", NULL},
	    {{ASKED, ADOPTED, .stop_asked = 1}, S, 0, 0, 0, NOW - JOB_GRACE, T,
		NULL, NULL},
	    {{SLURM("CANCELLED"), ADOPTED, .stop_asked = 1}, S, 0, 0, 0, 0, T,
		NULL, NULL},
	    {{ASKED, BEGUN}, R, 0, 0, 0, NOW - 1, R, "not in the queue", NULL},
	    {{ASKED, BEGUN}, R, 0, 0, 0, NOW - JOB_GRACE, X, "LOST", "LOST"},
	    {{QUEUED, BEGUN, .judged = "LOST"}, R, 0, 0, 0, 0, X, "LOST", NULL},
	    {{QUEUED, BEGUN}, R, 0, 0, 0, 0, R, NULL, NULL},
	};
	struct job_evidence v = {ASKED, ADOPTED, .stop_asked = 1};
	struct store_row row;

	(void)state;
	CHECK(cases);
	store_row_clear(&row, 0);
	assert_true(state_wants_record(&v, &row));
}

static void
a_wish_of_another_kind_hides_none(void **state)
{
	struct idset tasks = {&(struct idset_run){0, 3}, 1};
	struct store_request stop[4];
	struct store_requests all = {stop, 2};
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		stop[i] = (struct store_request){.kind = STORE_REQUEST_STOP,
		    .tasks = tasks,
		    .attempt = i != 2};
	stop[0].why = stop_words(STOP_RESTARTED);
	stop[1].why = stop_words(STOP_NO_REQUEUE);
	assert_true(store_stop_is_asked(&all, 3, 1));
	assert_null(state_stop(&all, 3, 1));
	all.count = 4;
	assert_ptr_equal(state_stop(&all, 3, 1), &stop[3]);
	assert_ptr_equal(state_stop(&all, 3, 0), &stop[2]);
	assert_null(state_stop(&all, 4, 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_end_fact_comes_before_what_slurm_says),
	    cmocka_unit_test(
		an_end_by_a_signal_from_outside_waits_for_slurms_word),
	    cmocka_unit_test(what_goes_back_into_the_queue_is_not_over),
	    cmocka_unit_test(a_run_can_say_how_it_failed),
	    cmocka_unit_test(stopped_needs_somebody_who_asked),
	    cmocka_unit_test(
		what_slurm_says_has_ended_by_itself_was_not_stopped),
	    cmocka_unit_test(one_of_several_ends_by_itself_when_it_is_stopped),
	    cmocka_unit_test(without_an_end_fact_slurm_is_believed),
	    cmocka_unit_test(gone_means_lost_only_after_the_grace_time),
	    cmocka_unit_test(
		where_a_stop_is_damaged_nothing_is_made_of_its_absence),
	    cmocka_unit_test(a_failed_query_changes_nothing),
	    cmocka_unit_test(accounting_speaks_when_slurm_has_forgotten),
	    cmocka_unit_test(accounting_that_does_not_know_changes_nothing),
	    cmocka_unit_test(
		what_slurm_said_in_time_counts_when_it_has_forgotten),
	    cmocka_unit_test(what_slurm_said_in_time_is_not_all),
	    cmocka_unit_test(a_record_that_lacks_may_still_come),
	    cmocka_unit_test(
		accounting_that_could_not_be_asked_changes_nothing),
	    cmocka_unit_test(accounting_comes_before_lost_however_late),
	    cmocka_unit_test(accounting_is_asked_for_a_day_what_is_lost),
	    cmocka_unit_test(accounting_is_asked_when_nothing_else_tells),
	    cmocka_unit_test(of_several_words_the_one_that_says_more_counts),
	    cmocka_unit_test(signals_have_their_names),
	    cmocka_unit_test(of_what_others_queued_slurm_tells_all),
	    cmocka_unit_test(a_wish_of_another_kind_hides_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
