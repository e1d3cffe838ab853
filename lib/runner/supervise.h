/*
 * A training as a child of the program in the batch script: how it is started,
 * what happens while it runs, and how it ended.
 *
 * Signals are passed on to it.  One of them can be a notice, by which Slurm
 * says that the time is nearly up: the training gets it under a name of its
 * own choice, where it catches it (sys/proc-signal.h), and some time to end;
 * then it is ended.
 */
#ifndef STFM_RUNNER_SUPERVISE_H
#define STFM_RUNNER_SUPERVISE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct job_supervise {
	char *const *command;     /* words, ending with NULL */
	char *const *environment; /* likewise */
	int told;      /* signals reach the training by themselves as well */
	int notice;    /* the signal that is a notice, or 0 */
	int notice_as; /* what the training gets for it */
	int64_t grace; /* milliseconds from the notice to the end */
	/*
	 * Called about every "every" milliseconds until it returns 0; with -1
	 * the training is ended.
	 */
	int (*tick)(void *arg);
	void *arg;
	int64_t every;
};

struct job_supervised {
	int64_t exit;   /* exit code; 128 + the signal that killed it */
	int64_t signal; /* that killed it, or 0 */
	int64_t asked;  /* the first signal that asked us to end, or 0 */
	int noticed;    /* the notice came before the end */
	int64_t heard;  /* the first other signal that did, or 0 */
};

/*
 * Start the program command[0] (looked up in PATH) and stay with it until it
 * has ended.  Signals that are for it stay blocked afterwards: what comes then
 * is for job_supervise_asked.  Returns 0, or -1 when it could not be started,
 * with the reason in e and errno set.
 */
int job_supervise(
    const struct job_supervise *, struct job_supervised *out, struct error *e);

/*
 * Start several programs beside each other, pass every signal on to all, and
 * stay until all have ended.  Returns 0 when all ended with 0, else the exit
 * code of one that did not: 128 + the signal that killed it, 127 when it could
 * not be started.
 */
int job_supervise_all(
    char *const *const commands[], size_t count, char *const environment[]);

/* The signal by which somebody has asked us to end since then, or 0. */
int job_supervise_asked(void);

/* Wait for it, at most so many seconds; returns that signal, or 0. */
int job_supervise_wait(int seconds);

#endif
