#include <sys/wait.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "runner/supervise.h"
#include "sys/proc.h"

extern char **environ;

/* A training that goes on, and what it does when it gets USR2. */
#define TRAIN(trap, first) \
	"trap '" trap "' USR2; " first "; while :; do sleep 0.02; done"

static void
attend(const char *script, struct job_supervise *a, struct job_supervised *out)
{
	char *command[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	a->command = command;
	a->environment = environ;
	assert_int_equal(job_supervise(a, out, NULL), 0);
}

static void
ends_are_told(void **state)
{
	static const struct {
		const char *script;
		int notice;
		struct job_supervised want;
		int64_t grace; /* milliseconds; 0: more than it takes */
	} cases[] = {
	    {"exit 0", 0, {0, 0, 0, 0}},
	    {"exit 3", SIGUSR1, {3, 0, 0, 0}},
	    {"kill -SEGV $$", 0, {139, 11, 0, 0}},
	    /* The notice, under the name that the training wants. */
	    {TRAIN("exit 5", "kill -USR1 $PPID"), SIGUSR1, {5, 0, 0, 1}},
	    /* A training that knows nothing of it ends by it. */
	    {"kill -USR1 $PPID; exec sleep 20", SIGUSR1, {140, 12, 0, 1}},
	    /* Below a shell that does not catch it. */
	    {"export P=$PPID; sh -c \"trap 'exit 5' USR2; kill -USR1 \\$P; "
	     "for i in \\$(seq 100); do sleep 0.02; done\"; exit $(($? + 10))",
		SIGUSR1, {15, 0, 0, 1}},
	    /* Other signals are passed on as they are. */
	    {TRAIN("exit 6", "kill -USR2 $PPID"), SIGUSR1, {6, 0, 0, 0}},
	    {"kill -TERM $PPID; exec sleep 20", 0, {143, 15, 15, 0}},
	    {"trap 'exit 0' TERM; kill -TERM $PPID; sleep 20 & wait", 0,
		{0, 0, 15, 0}},
	    /* One that takes no notice is asked to end, then made to. */
	    {TRAIN("", "kill -USR1 $PPID"), SIGUSR1, {143, 15, 0, 1}, 4000},
	    {TRAIN("", "trap '' TERM; kill -USR1 $PPID"), SIGUSR1,
		{137, 9, 0, 1}, 1000},
	};
	struct job_supervised got;
	struct job_supervise a;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		a = (struct job_supervise){.notice = cases[i].notice,
		    .notice_as = SIGUSR2,
		    .grace = cases[i].grace > 0 ? cases[i].grace : 600000};
		attend(cases[i].script, &a, &got);
		if (got.exit != cases[i].want.exit)
			print_message("%s\n", cases[i].script);
		assert_int_equal(got.exit, cases[i].want.exit);
		assert_int_equal(got.signal, cases[i].want.signal);
		assert_int_equal(got.asked, cases[i].want.asked);
		assert_int_equal(got.noticed, cases[i].want.noticed);
	}
}

struct ticks {
	int count, end; /* where the training is told that it may end */
};

static int
count_to_three(void *arg)
{
	struct ticks *t = arg;

	if (++t->count < 3)
		return 1;
	assert_int_equal(write(t->end, "\n", 1), 1);
	return 0;
}

static void
ticks_come_until_they_are_enough(void **state)
{
	struct ticks ticks = {0};
	struct job_supervise a = {
	    .tick = count_to_three, .arg = &ticks, .every = 20};
	struct job_supervised got;
	char training[64];
	int end[2];

	(void)state;
	assert_int_equal(pipe(end), 0);
	ticks.end = end[1];
	/* It goes on for a while in which a fourth might come. */
	snprintf(training, sizeof training, "read x <&%d; sleep 0.3", end[0]);
	attend(training, &a, &got);
	assert_int_equal(ticks.count, 3);
	assert_int_equal(got.exit, 0);
	close(end[0]);
	close(end[1]);
}

/* Busy with something until the training has ended. */
static int
stay_away(void *arg)
{
	siginfo_t info;

	assert_int_equal(write(*(int *)arg, "\n", 1), 1);
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
	return 0;
}

static void
a_request_before_the_end_is_seen_after_it(void **state)
{
	struct job_supervise a = {.tick = stay_away, .every = 20};
	struct job_supervised got;
	char training[64];
	sigset_t set;
	int end[2];

	(void)state;
	assert_int_equal(pipe(end), 0);
	a.arg = &end[1];
	snprintf(training, sizeof training,
	    "read x <&%d; kill -TERM $PPID; exit 3", end[0]);
	attend(training, &a, &got);
	assert_int_equal(got.exit, 3);
	assert_int_equal(got.asked, SIGTERM);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	assert_int_equal(sigwaitinfo(&set, NULL), SIGTERM);
	close(end[0]);
	close(end[1]);
}

static int
enough(void *arg)
{
	(void)arg;
	return -1;
}

static void
a_tick_can_end_it(void **state)
{
	struct job_supervise a = {.tick = enough, .every = 20};
	struct job_supervised got;

	(void)state;
	attend("exec sleep 1000", &a, &got);
	assert_int_equal(got.signal, SIGTERM);
	assert_int_equal(got.asked, 0);
}

static void
what_cannot_be_started_says_so(void **state)
{
	char *command[] = {"./nowhere", NULL};
	struct job_supervise a = {.command = command, .environment = environ};
	struct job_supervised got;
	struct error e;

	(void)state;
	assert_int_equal(job_supervise(&a, &got, &e), -1);
	assert_int_equal(e.code, ERROR_ABSENT);
	assert_string_equal(
	    e.text, "./nowhere: cannot start: No such file or directory");
}

static void
a_request_after_the_end_is_seen(void **state)
{
	struct job_supervise a = {0};
	struct job_supervised got;

	(void)state;
	attend("exit 0", &a, &got);
	assert_int_equal(job_supervise_asked(), 0);
	kill(getpid(), SIGTERM);
	assert_int_equal(job_supervise_asked(), SIGTERM);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ends_are_told),
	    cmocka_unit_test(ticks_come_until_they_are_enough),
	    cmocka_unit_test(a_request_before_the_end_is_seen_after_it),
	    cmocka_unit_test(a_tick_can_end_it),
	    cmocka_unit_test(what_cannot_be_started_says_so),
	    /* Last: a signal is left pending. */
	    cmocka_unit_test(a_request_after_the_end_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
