#include <sys/wait.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sandbox/daemon.h"
#include "sys/fs.h"
#include "sys/proc.h"

enum { LONG = 120000 };

static char directory[64], log_path[80];

static int
make_directory(void **state)
{
	char *real;

	(void)state;
	snprintf(directory, sizeof directory, "/tmp/stfm-daemon.XXXXXX");
	if (mkdtemp(directory) == NULL)
		return -1;
	real = realpath(directory, NULL);
	snprintf(directory, sizeof directory, "%s", real);
	free(real);
	snprintf(log_path, sizeof log_path, "%s/log", directory);
	return 0;
}

static int
remove_directory(void **state)
{
	int tmp = fs_open_dir("/tmp", NULL);

	(void)state;
	fs_remove_tree(tmp, directory + strlen("/tmp/"), NULL);
	fs_close(tmp);
	return 0;
}

static void
nap(void)
{
	struct timespec ts = {0, 2000000};

	nanosleep(&ts, NULL);
}

/* Start a shell script as a daemon; extra is its $0. */
static pid_t
start_script(const char *script, const char *extra, int leash, int kept)
{
	char *argv[] = {"/bin/sh", "-c", (char *)script, (char *)extra, NULL};
	char *env[] = {"PATH=/usr/bin:/bin", "WHO=daemon", NULL};
	struct daemon d = {.argv = argv,
	    .env = env,
	    .directory = directory,
	    .log = log_path,
	    .leash = leash,
	    .kept = kept};
	struct error e;
	pid_t pid;

	unlink(log_path);
	pid = daemon_start(&d, &e);
	assert_int_not_equal(pid, -1);
	return pid;
}

/* What the daemon has said once this is in it; to free. */
static char *
wait_for_log(const char *what)
{
	int64_t deadline = proc_clock() + LONG;
	char *text = NULL;

	while (proc_clock() < deadline) {
		if (fs_read_path(log_path, 1 << 20, &text, NULL, NULL) == 0 &&
		    strstr(text, what) != NULL)
			return text;
		free(text);
		text = NULL;
		nap();
	}
	fail_msg("%s: not in the log", what);
	return NULL;
}

static void
wait_for_end(pid_t pid)
{
	int64_t deadline = proc_clock() + LONG;

	while (process_is_alive(pid) && proc_clock() < deadline)
		nap();
	assert_false(process_is_alive(pid));
}

static void
it_writes_to_its_log_in_its_directory(void **state)
{
	pid_t pid = start_script(
	    "echo $0 $WHO $HOME; echo err >&2; pwd; echo end", "name", 0, 0);
	char *text = wait_for_log("end\n");
	char *expected = xasprintf("name daemon\nerr\n%s\nend\n", directory);
	int status;

	(void)state;
	assert_string_equal(text, expected);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	free(expected);
	free(text);
}

static void
nothing_of_ours_goes_with_it(void **state)
{
	int fd = open("/dev/zero", O_RDONLY);
	sigset_t set, old;
	char *text, *ignored;
	pid_t pid;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	signal(SIGPIPE, SIG_IGN);
	pid = start_script("ls -l /proc/self/fd; "
			   "grep -E 'Sig(Blk|Ign)' /proc/self/status; "
			   "echo end; exec sleep 600",
	    "name", 0, 0);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	text = wait_for_log("end\n");
	assert_null(strstr(text, "/dev/zero"));
	assert_non_null(strstr(text, "0 -> /dev/null"));
	assert_non_null(strstr(text, "SigBlk:\t0000000000000000"));
	/* GNU make ignores 32 and 33, which the C library keeps to itself. */
	ignored = strstr(text, "SigIgn:\t");
	assert_non_null(ignored);
	assert_int_equal(strtoull(ignored + 8, NULL, 16) & 0x7fffffff, 0);
	assert_int_equal(getsid(pid), pid);
	assert_int_equal(process_parent(pid), getpid());
	free(text);
	kill(pid, SIGTERM);
	wait_for_end(pid);
	waitpid(pid, NULL, 0);
	close(fd);
}

static void
what_cannot_be_executed_says_so_in_its_log(void **state)
{
	char *argv[] = {"/nonexistent/program", NULL}, *env[] = {NULL};
	struct daemon d = {
	    .argv = argv, .env = env, .directory = directory, .log = log_path};
	int status;
	char *text;
	pid_t pid;

	(void)state;
	pid = daemon_start(&d, NULL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 127);
	text = wait_for_log("/nonexistent/program: cannot start: No such");
	free(text);
}

/* In a child: start a daemon on a leash, print its process id, and end. */
static int
start_and_end(FILE *out, void *arg)
{
	int *kept = arg;

	fprintf(out, "%ld\n",
	    (long)start_script("exec sleep 600", "name", 1, *kept));
	return 0;
}

static void
on_a_leash_it_ends_with_us(void **state)
{
	struct proc_result r;
	int kept;
	pid_t pid;

	(void)state;
	for (kept = 0; kept < 2; kept++) {
		assert_int_equal(
		    proc_guard(start_and_end, &kept, LONG, &r, NULL), 0);
		assert_true(proc_ok(&r));
		pid = (pid_t)strtol(r.out, NULL, 10);
		assert_true(pid > 1);
		wait_for_end(pid);
		proc_result_free(&r);
	}
}

static void
a_keeper_reaps_what_is_left_behind(void **state)
{
	pid_t pid, keeper, orphan;
	char *text;

	(void)state;
	pid = start_script("(sleep 600 & echo orphan $!); echo end; "
			   "exec sleep 600",
	    "name", 0, 1);
	text = wait_for_log("end\n");
	orphan = (pid_t)strtol(strstr(text, "orphan ") + 7, NULL, 10);
	free(text);
	keeper = process_parent(pid);
	assert_int_equal(process_parent(keeper), getpid());
	assert_true(process_is_keeper(keeper, directory));
	assert_false(process_is_keeper(keeper, "/tmp"));
	assert_false(process_is_keeper(pid, directory));
	assert_int_equal(process_parent(orphan), keeper);
	kill(orphan, SIGKILL);
	while (process_parent(orphan) != -1)
		nap();
	assert_true(process_is_alive(keeper));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(keeper, NULL, 0), keeper);
	assert_int_equal(process_parent(pid), -1);
}

struct looking {
	pid_t pid;
	int found, argument, part, variable, name, other;
	char program[32];
};

static void
look(const struct process *p, void *arg)
{
	struct looking *l = arg;

	assert_int_not_equal(p->pid, getpid());
	if (p->pid != l->pid)
		return;
	l->found++;
	l->argument = process_has_argument(p, "a whole argument");
	l->part = process_has_argument(p, "a whole");
	l->variable = process_has_variable(p, "WHO=daemon");
	l->name = process_has_variable(p, "WHO=");
	l->other = process_has_variable(p, "WHO=dae");
	snprintf(l->program, sizeof l->program, "%s", process_name(p));
}

static void
processes_are_known_by_what_they_were_started_with(void **state)
{
	struct looking l = {.pid = start_script("echo end; kill -STOP $$",
				"a whole argument", 0, 0)};

	(void)state;
	free(wait_for_log("end\n"));
	assert_int_equal(process_each(look, &l, NULL), 0);
	kill(l.pid, SIGKILL);
	waitpid(l.pid, NULL, 0);
	assert_int_equal(l.found, 1);
	assert_string_equal(l.program, "sh");
	assert_true(l.argument && l.variable && l.name);
	assert_false(l.part || l.other);
}

static void
a_zombie_is_not_alive(void **state)
{
	pid_t pid = start_script("exit 0", "name", 0, 0);

	(void)state;
	wait_for_end(pid);
	assert_int_equal(process_parent(pid), getpid());
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(process_parent(pid), -1);
	assert_true(process_is_alive(getpid()));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_writes_to_its_log_in_its_directory),
	    cmocka_unit_test(nothing_of_ours_goes_with_it),
	    cmocka_unit_test(what_cannot_be_executed_says_so_in_its_log),
	    cmocka_unit_test(on_a_leash_it_ends_with_us),
	    cmocka_unit_test(a_keeper_reaps_what_is_left_behind),
	    cmocka_unit_test(
		processes_are_known_by_what_they_were_started_with),
	    cmocka_unit_test(a_zombie_is_not_alive),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
