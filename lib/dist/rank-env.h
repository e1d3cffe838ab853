/*
 * Distributed training in a rank: its variables, with addresses it can reach.
 */
#ifndef STFM_DIST_RANK_ENV_H
#define STFM_DIST_RANK_ENV_H

#include "dist/dist.h"
#include "sys/proc.h"

/* The environment of a rank, or of an allocation before its ranks start. */
struct dist_rank_env {
	struct dist_step step;
	struct strlist variables; /* NAME=VALUE */
	struct strlist notes;     /* warnings for the user */
};

/*
 * Derive the variables from our own environment.  Node names that do not
 * resolve are replaced by Slurm's addresses for them.  A port on which this
 * rank listens must be free.  Returns 0, or -1; to free with dist_rank_env_free
 * in any case.
 */
int dist_rank_env(
    const struct dist_options *, struct dist_rank_env *, struct error *e);
void dist_rank_env_free(struct dist_rank_env *);

/*
 * Look up the addresses of hosts with getent, which resolves names as programs
 * here do.  *result has a line for each host.  Result and ownership are those
 * of proc_run.
 */
int dist_look_up(char *const names[], size_t count, struct proc_result *result);

#endif
