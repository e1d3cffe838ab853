/*
 * Supervising a training, which is a child of the program in the batch script:
 * start it, handle signals while it runs, and record how it ended.
 *
 * Signals are passed on to the training.  One signal can be the notice, by
 * which Slurm says that the time limit is near.  The training gets it as a
 * signal that the user chose, if it catches that signal (sys/proc-signal.h),
 * and some time to end; then it is killed.
 */
#ifndef STFM_RUNNER_SUPERVISE_H
#define STFM_RUNNER_SUPERVISE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct job_supervise {
	char *const *command;     /* arguments, ending with NULL */
	char *const *environment; /* variables, ending with NULL */
	int direct;               /* signals also reach the training directly */
	int notice;               /* the time-limit signal from Slurm, or 0 */
	int notice_as; /* the signal that the training gets instead */
	int64_t grace; /* milliseconds from notice to kill */
	/*
	 * Called about every "every" milliseconds until it returns 0.  If it
	 * returns -1, the training is ended.
	 */
	int (*tick)(void *arg);
	void *arg;
	int64_t every;
};

struct job_supervised {
	int64_t exit;   /* exit code; 128 + signal if one killed it */
	int64_t signal; /* the signal that killed it, or 0 */
	int64_t asked;  /* first signal that asked us to end, or 0 */
	int noticed;    /* 1: the notice came before the end */
	int64_t heard;  /* first other signal except SIGCONT, or 0 */
};

/*
 * Start the program command[0] (looked up in PATH) and supervise it until it
 * ends.  Its signals stay blocked afterwards; job_supervise_asked reports later
 * ones.  Returns 0, or -1 if it could not be started, with ERROR_ABSENT
 * if there is no such program.
 */
int job_supervise(
    const struct job_supervise *, struct job_supervised *out, struct error *e);

/*
 * Start several programs at once, pass every signal on to all, and wait until
 * all have ended.  Returns 0 if all exited 0, else the exit code of one that
 * did not: 128 + signal if one killed it, 127 if it could not be started.
 */
int job_supervise_all(
    char *const *const commands[], size_t count, char *const environment[]);

/* Return the signal that asked us to end after job_supervise, or 0. */
int job_supervise_asked(void);

/*
 * Wait for a signal that asks this process to end.  Returns that signal or,
 * after this many seconds, 0.
 */
int job_supervise_wait(int seconds);

#endif
