/*
 * Distributed training as a rank comes to it: its variables, with addresses
 * that can be reached.
 */
#ifndef STFM_JOB_DIST_H
#define STFM_JOB_DIST_H

#include "dist/dist.h"
#include "sys/proc.h"

/* The environment of a rank, or of an allocation whose ranks are to come. */
struct job_dist {
	struct dist_step step;
	struct strlist variables; /* NAME=VALUE */
	struct strlist notes;     /* for the user, of what may go wrong */
};

/*
 * Find it out from our own environment.  Names of nodes that do not resolve are
 * replaced by the addresses that Slurm has for them, and the port we are to
 * listen on has to be free.  Returns 0, or -1; to job_dist_free in any case.
 */
int job_dist(const struct dist_wish *, struct job_dist *, struct error *e);
void job_dist_free(struct job_dist *);

/*
 * Ask for the addresses of hosts as programs here resolve their names; the
 * answer is getent's, a line for each, and as proc_run has it.
 */
int job_dist_look_up(
    char *const names[], size_t count, struct proc_result *result);

/* Let our own environment, and what we start, have the variables. */
void job_dist_put(const struct job_dist *);

#endif
