/*
 * Other processes: programs started from an argument vector, never through a
 * shell, and work done in a child so that it cannot hang or end this one.
 * Both are bounded in time.
 */
#ifndef STFM_SYS_PROC_H
#define STFM_SYS_PROC_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct proc_result {
	int status;    /* as waitpid(2) gives it */
	int timed_out; /* it was killed at the deadline; what it did is unknown
			*/
	char *out;     /* its standard output, then a NUL */
	size_t length; /* of out */
	char *complaint; /* its standard error, then a NUL */
};

void proc_result_free(struct proc_result *);

/* Whether the process ended by itself with status 0. */
int proc_ok(const struct proc_result *);

/*
 * Start the program argv[0] (looked up in PATH) with standard input from
 * /dev/null, collect what it writes, and wait at most milliseconds; then it is
 * killed.  env NULL means our own environment.
 * Returns 0 with *result filled, however the program ended, or -1 when it could
 * not be started (errno ENOENT: there is no such program).
 */
int proc_run(char *const argv[], char *const env[], int64_t milliseconds,
    struct proc_result *result, struct error *e);

/*
 * As proc_run, but the program is killed, as at the deadline, once it has
 * written the text enough to standard error.  The program has a process group
 * of its own: what interrupts us at a terminal does not interrupt the program.
 */
int proc_run_until(char *const argv[], char *const env[], int64_t milliseconds,
    const char *enough, struct proc_result *result, struct error *e);

/*
 * Start the program argv[0] (looked up in PATH) in a process group of its own,
 * with a text as its standard input.  Copy what it writes to our own standard
 * output and standard error until it ends; it never has these descriptors
 * itself, so nothing that it leaves behind keeps them open.  After so many
 * milliseconds, and 5 s after a signal that is heeded, the group is killed.
 * What the program leaves behind when it ends in time goes on.
 * Returns 0 with *status as waitpid(2) gives it, 1 when the group was killed,
 * 2 with the reason in e when the program ended in time but what it wrote could
 * not be copied, or -1 when it could not be started.
 */
int proc_feed(char *const argv[], char *const env[], const char *text,
    size_t length, int64_t milliseconds, int *status, struct error *e);

/* A piece of what a program writes to standard error. */
typedef void proc_hear(void *arg, const char *text, size_t length);

/*
 * Start the program argv[0] (looked up in PATH) with our standard input and
 * output, so that it can have the terminal, and stay until it has ended,
 * however long that takes.  What it writes to standard error is handed to hear
 * as it comes.  Signals that would end us are its; those of the terminal it
 * gets by itself.  If we are killed, the program gets SIGTERM.
 * Returns 0 with *status as waitpid(2) gives it, or -1 when it could not be
 * started (errno ENOENT: there is no such program).
 */
int proc_beside(char *const argv[], char *const env[], proc_hear *hear,
    void *arg, int *status, struct error *e);

/* In a child: get this signal when the parent ends, also if it has ended. */
void proc_end_with(pid_t parent, int sig);

/* Where our parent ignored SIGCHLD, how a child ended would be lost. */
void proc_keep_ends(void);

/*
 * Call work(out, arg) in a child process: what it writes to out is the
 * result's output, what anything in it writes to standard output or standard
 * error the complaint, what it returns (0 to 255) the exit status.  The child
 * is killed when this process ends.
 */
int proc_guard(int (*work)(FILE *out, void *arg), void *arg,
    int64_t milliseconds, struct proc_result *result, struct error *e);

/*
 * The path of a program in one of the directories, which are separated by
 * colons as in PATH; to free.  NULL when it is in none.
 */
char *proc_find(const char *name, const char *directories);

/*
 * From now on a wait ends early, as at the deadline, once one of these signals
 * has come, which the caller holds back.  The set is copied.
 */
void proc_heed(const sigset_t *set);

/* Heed none for a while: those that were, to hand to proc_heed again. */
sigset_t proc_heed_none(void);

/* Whether one of them has come: the signal, or 0. */
int proc_heeded(void);

/*
 * Hold back SIGINT, SIGTERM and SIGHUP, which would end us between two steps
 * that belong together, until proc_let_go.  A second call changes nothing.
 */
void proc_hold(void);
void proc_let_go(void);

/* Whether one of these has come while it is held back: the signal, or 0. */
int proc_held(void);

/*
 * Call say once, as soon as one of these comes while proc_run_until waits for a
 * program.  NULL: do not call it any more.
 */
void proc_hold_tell(void say(void));

/* A clock that only moves forward, in milliseconds. */
int64_t proc_clock(void);

#endif
