/*
 * Processes: programs started from an argument vector, never through a shell,
 * and work done in a child process, so that the work cannot hang or end this
 * process.  Both have time limits.
 */
#ifndef STFM_SYS_PROC_H
#define STFM_SYS_PROC_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/error.h"

struct proc_result {
	int status;      /* as from waitpid(2) */
	int timed_out;   /* killed at the deadline; effects unknown */
	char *out;       /* standard output, then a NUL */
	size_t length;   /* of out */
	char *complaint; /* standard error, then a NUL */
};

void proc_result_free(struct proc_result *);

/* Return whether the process exited with status 0. */
static inline int
proc_ok(const struct proc_result *result)
{
	return !result->timed_out && WIFEXITED(result->status) &&
	    WEXITSTATUS(result->status) == 0;
}

/*
 * Run a program like proc_run, but kill it, as at the deadline, once it has
 * written the text enough to standard error.  The program has its own process
 * group: signals from the terminal do not interrupt it.
 */
int proc_run_until(char *const argv[], char *const env[], int64_t milliseconds,
    const char *enough, struct proc_result *result, struct error *e);

/*
 * Start the program argv[0] (looked up in PATH) with standard input from
 * /dev/null, collect its output, and wait at most this many milliseconds; then
 * the program is killed.  If env is NULL, the program gets the environment of
 * this process.  Returns 0 with *result filled, however the program ended, or
 * -1 if it could not be started (errno ENOENT: there is no such program).
 */
static inline int
proc_run(char *const argv[], char *const env[], int64_t milliseconds,
    struct proc_result *result, struct error *e)
{
	return proc_run_until(argv, env, milliseconds, NULL, result, e);
}

/*
 * Run a program like proc_run, with text as its standard input, in a new
 * process group.  At the deadline the group is killed.
 */
int proc_ask(char *const argv[], char *const env[], const char *text,
    size_t length, int64_t milliseconds, struct proc_result *result,
    struct error *e);

/*
 * Start the program argv[0] (looked up in PATH) in a new process group, with
 * text as its standard input.  Copy its output to the standard output and
 * standard error of this process until the program ends.  The program never has
 * these descriptors itself, so processes that it leaves behind do not keep them
 * open.  The group is killed after this many milliseconds, or 5 s after a
 * signal of proc_interrupt_on.  Processes that a program leaves behind when it
 * ends in time continue.  Returns 0 with *status as from waitpid(2), 1 if the
 * group was killed, 2 with the reason in e if the program ended in time but its
 * output could not be copied, or -1 if it could not be started.
 */
int proc_feed(char *const argv[], char *const env[], const char *text,
    size_t length, int64_t milliseconds, int *status, struct error *e);

/* A function that gets each text that a program writes to standard error. */
typedef void proc_complaint(void *arg, const char *text, size_t length);

/*
 * Start the program argv[0] (looked up in PATH) with the standard input and
 * output of this process, so that it can use the terminal, and wait without
 * limit until it ends.  take gets the text that the program writes to standard
 * error.  Signals that would end this process are passed on to the program,
 * except those of the terminal, which it gets anyway.  If this process is
 * killed, the program gets SIGTERM.  Returns 0 with *status as from waitpid(2),
 * or -1 if the program could not be started (errno ENOENT: there is no such
 * program).
 */
int proc_beside(char *const argv[], char *const env[], proc_complaint *take,
    void *arg, int *status, struct error *e);

/* Let this child get sig when its parent ends, or at once if it has ended. */
void proc_end_with(pid_t parent, int sig);

/* Reset SIGCHLD if the parent ignored it: exit statuses would be lost. */
void proc_keep_ends(void);

/*
 * Call work(out, arg) in a child process.  The text written to out becomes the
 * result's output, all text written to standard output or standard error the
 * complaint, and the returned value (0 to 255) the exit status.  The child is
 * killed when this process ends.  Returns the same as proc_run.
 */
int proc_guard(int (*work)(FILE *out, void *arg), void *arg,
    int64_t milliseconds, struct proc_result *result, struct error *e);

/*
 * Return the path of program name in directories, which are separated by colons
 * as in PATH; to free.  NULL if no directory has the program.
 */
char *proc_find(const char *name, const char *directories);

/*
 * Make waits end early, as at the deadline, once a signal of the set arrives.
 * The caller must have blocked these signals.  The set is copied.
 */
void proc_interrupt_on(const sigset_t *set);

/* Stop ending waits early.  Returns the set, for proc_interrupt_on. */
sigset_t proc_interrupt_off(void);

/* Return the signal of proc_interrupt_on's set that has arrived, or 0. */
int proc_interrupted(void);

/*
 * Block SIGINT, SIGTERM and SIGHUP until proc_unblock, so that they do not end
 * this process between two steps that belong together.  A second call changes
 * nothing.
 */
void proc_block(void);
void proc_unblock(void);

/* Return the signal that arrived since proc_block, or 0. */
int proc_blocked(void);

/*
 * Set a function that proc_run_until calls once, as soon as a blocked signal
 * arrives while it waits for a program.  NULL: call nothing.
 */
void proc_on_blocked(void call(void));

/* Return the milliseconds of a clock that never goes back. */
int64_t proc_clock(void);

#endif
