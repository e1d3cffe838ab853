#include <sys/wait.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "sys/proc.h"

enum { LONG = 120000, SHORT = 1500 }; /* milliseconds */

static void
run_sh(const char *script, int64_t milliseconds, struct proc_result *result)
{
	char *argv[] = {"sh", "-c", (char *)script, NULL};

	assert_int_equal(proc_run(argv, NULL, milliseconds, result, NULL), 0);
}

static void
output_and_complaint_are_kept_apart(void **state)
{
	struct proc_result r;

	(void)state;
	run_sh("echo out; echo complaint >&2; cat", LONG, &r);
	assert_true(proc_ok(&r));
	assert_string_equal(r.out, "out\n");
	assert_int_equal(r.length, 4);
	assert_string_equal(r.complaint, "complaint\n");
	assert_false(r.timed_out);
	proc_result_free(&r);
	assert_null(r.out);
}

static void
silence_is_empty_text(void **state)
{
	struct proc_result r;

	(void)state;
	run_sh(":", LONG, &r);
	assert_string_equal(r.out, "");
	assert_string_equal(r.complaint, "");
	proc_result_free(&r);
}

static void
much_of_both_does_not_block(void **state)
{
	struct proc_result r;

	(void)state;
	run_sh("head -c 3000000 /dev/zero >&2; head -c 2000000 /dev/zero", LONG,
	    &r);
	assert_true(proc_ok(&r));
	assert_int_equal(r.length, 2000000);
	assert_int_equal(r.out[1999999], 0);
	proc_result_free(&r);
}

static void
the_end_is_told_as_it_was(void **state)
{
	struct proc_result r;

	(void)state;
	run_sh("exit 3", LONG, &r);
	assert_false(proc_ok(&r));
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 3);
	proc_result_free(&r);
	run_sh("kill -USR1 $$", LONG, &r);
	assert_false(proc_ok(&r));
	assert_true(WIFSIGNALED(r.status));
	assert_int_equal(WTERMSIG(r.status), SIGUSR1);
	proc_result_free(&r);
}

static void
a_program_that_is_not_there_is_named(void **state)
{
	char *argv[] = {"stfm-nosuch", NULL};
	struct proc_result r;
	struct error e;

	(void)state;
	assert_int_equal(proc_run(argv, NULL, LONG, &r, &e), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(
	    e.text, "stfm-nosuch: cannot start: No such file or directory");
}

static void
no_shell_sees_the_arguments(void **state)
{
	char *argv[] = {"printf", "%s|", "$(id)", "a b", "*", "", NULL};
	struct proc_result r;

	(void)state;
	assert_int_equal(proc_run(argv, NULL, LONG, &r, NULL), 0);
	assert_string_equal(r.out, "$(id)|a b|*||");
	proc_result_free(&r);
}

static void
the_environment_is_the_one_given(void **state)
{
	char *argv[] = {"/usr/bin/env", NULL};
	char *env[] = {"STFM_PARAM_lr=1e-3", NULL};
	struct proc_result r;

	(void)state;
	assert_int_equal(proc_run(argv, env, LONG, &r, NULL), 0);
	assert_string_equal(r.out, "STFM_PARAM_lr=1e-3\n");
	proc_result_free(&r);
}

/* How long something took, in milliseconds. */
static int64_t
since(int64_t start)
{
	return proc_clock() - start;
}

static void
the_deadline_ends_it(void **state)
{
	static const char *const scripts[] = {
	    "echo $$; exec sleep 600",
	    /* deaf to everything it can be deaf to */
	    "echo $$; trap '' TERM INT HUP; while :; do sleep 1; done",
	    /* silent, but running on */
	    "echo $$; exec >&- 2>&-; exec sleep 600",
	    /* gone, but a child of its own holds the output open */
	    "sleep 600 & echo $$ $!",
	};
	struct proc_result r;
	int64_t start;
	pid_t pid, child;
	char *end;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
		start = proc_clock();
		run_sh(scripts[i], SHORT, &r);
		assert_true(since(start) >= SHORT - 1);
		assert_true(since(start) < 40000);
		assert_true(r.timed_out);
		assert_false(proc_ok(&r));
		pid = (pid_t)strtol(r.out, &end, 10);
		child = (pid_t)strtol(end, NULL, 10);
		if (child > 0)
			kill(child, SIGKILL);
		assert_true(pid > 0);
		assert_int_equal(kill(pid, 0), -1);
		proc_result_free(&r);
	}
}

static void
how_it_ended_is_known_though_children_are_ignored(void **state)
{
	struct proc_result r;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	run_sh("exit 3", LONG, &r);
	signal(SIGCHLD, SIG_DFL);
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 3);
	proc_result_free(&r);
}

static void
our_signals_are_not_the_program_s(void **state)
{
	sigset_t set, old;
	struct proc_result r;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	signal(SIGPIPE, SIG_IGN);
	run_sh("grep -E '^Sig(Blk|Ign)' /proc/self/status", LONG, &r);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGPIPE, SIG_DFL);
	assert_non_null(strstr(r.out, "SigBlk:\t0000000000000000\n"));
	assert_non_null(strstr(r.out, "SigIgn:\t"));
	assert_int_equal(strtoull(strstr(r.out, "SigIgn:\t") + 8, NULL, 16) >>
		    (SIGPIPE - 1) &
		1,
	    0);
	proc_result_free(&r);
}

/* ---- work in a child ---- */

static int
talk(FILE *out, void *arg)
{
	fprintf(out, "%s", (const char *)arg);
	fprintf(stderr, "complaint");
	return 7;
}

static int
hang(FILE *out, void *arg)
{
	(void)out;
	while (sleep(*(unsigned *)arg) == 0)
		continue;
	return 0;
}

static int
leave_early(FILE *out, void *arg)
{
	fputs("before", out);
	exit(*(int *)arg); /* as a library does that gives up */
}

static int
crash(FILE *out, void *arg)
{
	(void)out;
	raise(*(int *)arg);
	return 0;
}

static void
guard(int (*work)(FILE *, void *), void *arg, struct proc_result *r)
{
	assert_int_equal(
	    proc_guard(work, arg, work == hang ? SHORT : LONG, r, NULL), 0);
}

static void
a_child_answers(void **state)
{
	struct proc_result r;

	(void)state;
	guard(talk, "hello", &r);
	assert_string_equal(r.out, "hello");
	assert_string_equal(r.complaint, "complaint");
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 7);
	proc_result_free(&r);
}

static void
a_child_can_hang_exit_or_crash(void **state)
{
	int status = 4, signal_number = SIGKILL;
	unsigned seconds = 100;
	struct proc_result r;

	(void)state;
	guard(hang, &seconds, &r);
	assert_true(r.timed_out);
	proc_result_free(&r);
	guard(leave_early, &status, &r);
	assert_string_equal(r.out, "before");
	assert_int_equal(WEXITSTATUS(r.status), 4);
	proc_result_free(&r);
	guard(crash, &signal_number, &r);
	assert_true(WIFSIGNALED(r.status));
	assert_int_equal(WTERMSIG(r.status), SIGKILL);
	proc_result_free(&r);
}

/* Feed a shell script; what it prints goes to standard output. */
static int
feed(const char *script, const char *text, size_t length, int64_t milliseconds,
    int *status)
{
	char *argv[] = {"sh", "-c", (char *)script, NULL};
	char *env[] = {"PATH=/usr/bin:/bin", NULL};

	return proc_feed(argv, env, text, length, milliseconds, status, NULL);
}

static void
a_text_is_fed_however_long_it_is(void **state)
{
	enum { MUCH = 3000000 };
	char *text = malloc(MUCH);
	int status;

	(void)state;
	memset(text, 'x', MUCH);
	assert_int_equal(
	    feed("test $(wc -c) = 3000000", text, MUCH, LONG, &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(feed("exit 3", text, MUCH, LONG, &status), 0);
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_int_equal(feed("kill -SEGV $$", "", 0, LONG, &status), 0);
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	free(text);
}

static void
the_deadline_ends_all_that_was_started(void **state)
{
	char *argv[] = {"/nonexistent/program", NULL}, *env[] = {NULL};
	struct error e;
	int status, fd[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(
	    feed("sleep 1000 & sleep 1000", "", 0, SHORT, &status), 1);
	close(fd[1]);
	assert_int_equal(read(fd[0], &byte, 1), 0); /* nobody holds the end */
	close(fd[0]);
	assert_int_equal(proc_feed(argv, env, "", 0, LONG, &status, &e), -1);
	assert_string_equal(e.text,
	    "/nonexistent/program: cannot start: No such file or directory");
}

/* ---- programs that have what we have ---- */

static void
keep(void *arg, const char *text, size_t length)
{
	FILE *out = arg;

	fwrite(text, 1, length, out);
}

/* Run a script beside us: how it ended; what it complained of is to free. */
static int
run_beside(const char *script, char **text)
{
	char *argv[] = {
	    (char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)script, NULL};
	size_t length;
	FILE *out = xmemopen(text, &length);
	int status;

	assert_int_equal(
	    proc_beside(argv, environ, keep, out, &status, NULL), 0);
	xmemclose(out);
	return status;
}

static void
what_a_program_beside_complains_of_is_heard(void **state)
{
	char *text;
	int status = run_beside(
	    "echo one >&2; sleep 0.1; printf two >&2; exit 3", &text);

	(void)state;
	assert_string_equal(text, "one\ntwo");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	free(text);
}

/* What it leaves behind may hold its standard error open for long. */
static void
it_has_ended_when_it_has_ended(void **state)
{
	char *text;
	int status = run_beside("sleep 60 & echo $! >&2; kill -9 $$", &text);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_true(atoi(text) > 0);
	kill(atoi(text), SIGKILL);
	free(text);
}

static void
its_signals_reach_it(void **state)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"},
	    (char[]){"trap 'exit 7' TERM; kill -TERM $PPID; "
		     "while :; do sleep 0.01; done"},
	    NULL};
	int status;

	(void)state;
	assert_int_equal(
	    proc_beside(argv, environ, keep, stderr, &status, NULL), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static void
a_program_that_is_not_there_is_not_beside(void **state)
{
	char *argv[] = {(char[]){"nosuch-program"}, NULL};
	struct error e;
	int status;

	(void)state;
	assert_int_equal(
	    proc_beside(argv, environ, keep, stderr, &status, &e), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(e.text, "nosuch-program: cannot start"));
}

/* ---- a caller that is killed ---- */

/*
 * Run work in a process group of its own whose standard output and standard
 * error are the pipe *out, and return its process id.
 */
static pid_t
start_caller(void (*work)(void), int *out)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid != -1);
	if (pid == 0) {
		setpgid(0, 0);
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		work();
		_exit(0);
	}
	setpgid(pid, pid);
	close(ends[1]);
	*out = ends[0];
	return pid;
}

/* Returns whether the other ends of the pipe are closed within a minute. */
static int
is_let_go(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t deadline = proc_clock() + 60000;
	char text[4096];

	while (proc_clock() < deadline)
		if (poll(&p, 1, 100) == 1 && read(fd, text, sizeof text) == 0)
			return 1;
	return 0;
}

static int
stop_caller_and_write(FILE *out, void *arg)
{
	char block[4096] = {0};
	int i;

	(void)arg;
	kill(getppid(), SIGSTOP);
	for (i = 0; i < 64; i++)
		fwrite(block, sizeof block, 1, out);
	return 0;
}

static void
guard_much(void)
{
	struct proc_result r;

	proc_guard(stop_caller_and_write, NULL, LONG, &r, NULL);
}

static int
stop_caller_and_hang(FILE *out, void *arg)
{
	(void)out;
	(void)arg;
	kill(getppid(), SIGSTOP);
	while (pause() == -1)
		continue;
	return 0;
}

static void
guard_silent(void)
{
	struct proc_result r;

	proc_guard(stop_caller_and_hang, NULL, LONG, &r, NULL);
}

static const char stop_and_go_on[] =
    "kill -STOP $PPID; while :; do sleep 0.05; done";

static void
run_program_beside(void)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"},
	    (char *)(uintptr_t)stop_and_go_on, NULL};
	int status;

	proc_beside(argv, environ, keep, stderr, &status, NULL);
}

/* The program has a process group of its own: the guard ends it. */
static void
feed_program(void)
{
	int status;

	feed("kill -STOP $PPID; exec timeout 300 sleep 600", "", 0, LONG,
	    &status);
}

static void
feed_program_that_leaves_another(void)
{
	int status;

	feed("timeout 300 sleep 600 & sleep 0", "", 0, LONG, &status);
	kill(getpid(), SIGSTOP);
}

static void
no_child_keeps_the_output_of_a_killed_caller(void **state)
{
	static void (*const work[])(void) = {
	    guard_much,
	    guard_silent,
	    run_program_beside,
	    feed_program,
	    feed_program_that_leaves_another,
	};
	int out, status, let_go;
	pid_t pid;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof work / sizeof *work; i++) {
		pid = start_caller(work[i], &out);
		assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
		assert_true(WIFSTOPPED(status));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		let_go = is_let_go(out);
		close(out);
		kill(-pid, SIGKILL);
		if (!let_go)
			fail_msg("work %zu: the output is held open", i);
	}
}

static void
what_a_fed_program_writes_is_handed_on(void **state)
{
	enum { MUCH = 300000 };
	int status, ends[2];
	size_t length = 0;
	char text[4096];
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		feed("head -c 300000 /dev/zero", "", 0, LONG, &status);
		_exit(status);
	}
	close(ends[1]);
	while ((n = read(ends[0], text, sizeof text)) > 0)
		length += (size_t)n;
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(length, MUCH);
}

static void
output_that_cannot_be_handed_on_is_told(void **state)
{
	char *argv[] = {
	    (char[]){"sh"}, (char[]){"-c"}, (char[]){"echo lost"}, NULL};
	int status, rc, before = dup(STDOUT_FILENO), full;
	struct error e;

	(void)state;
	full = open("/dev/full", O_WRONLY);
	fflush(stdout);
	dup2(full, STDOUT_FILENO);
	rc = proc_feed(argv, environ, "", 0, LONG, &status, &e);
	dup2(before, STDOUT_FILENO);
	close(before);
	close(full);
	assert_int_equal(rc, 2);
	assert_string_equal(e.text, "standard output: No space left on device");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_child_keeps_the_output_of_a_killed_caller),
	    cmocka_unit_test(what_a_fed_program_writes_is_handed_on),
	    cmocka_unit_test(output_that_cannot_be_handed_on_is_told),
	    cmocka_unit_test(a_text_is_fed_however_long_it_is),
	    cmocka_unit_test(the_deadline_ends_all_that_was_started),
	    cmocka_unit_test(output_and_complaint_are_kept_apart),
	    cmocka_unit_test(silence_is_empty_text),
	    cmocka_unit_test(much_of_both_does_not_block),
	    cmocka_unit_test(the_end_is_told_as_it_was),
	    cmocka_unit_test(a_program_that_is_not_there_is_named),
	    cmocka_unit_test(no_shell_sees_the_arguments),
	    cmocka_unit_test(the_environment_is_the_one_given),
	    cmocka_unit_test(the_deadline_ends_it),
	    cmocka_unit_test(how_it_ended_is_known_though_children_are_ignored),
	    cmocka_unit_test(our_signals_are_not_the_program_s),
	    cmocka_unit_test(what_a_program_beside_complains_of_is_heard),
	    cmocka_unit_test(it_has_ended_when_it_has_ended),
	    cmocka_unit_test(its_signals_reach_it),
	    cmocka_unit_test(a_program_that_is_not_there_is_not_beside),
	    cmocka_unit_test(a_child_answers),
	    cmocka_unit_test(a_child_can_hang_exit_or_crash),
	};

	/* Printed before a child begins, not once more by it. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
