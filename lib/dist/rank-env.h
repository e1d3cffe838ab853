/*
 * The environment of a rank of a distributed training: which rank it is, the
 * variables that frameworks read, and addresses that this rank can reach.
 */
#ifndef STFM_DIST_RANK_ENV_H
#define STFM_DIST_RANK_ENV_H

#include "dist/dist.h"
#include "sys/proc.h"

/*
 * The environment of a rank, or of an allocation in which no rank has started.
 */
struct dist_rank_env {
	struct dist_step step;
	struct strlist variables; /* NAME=VALUE */
	struct strlist notes;     /* warnings for the user */
};

/*
 * Derive the environment of this process from Slurm's variables.  Replaces node
 * names that do not resolve by the addresses that Slurm has for them.  Fails if
 * this rank has to listen on a port that is in use.  Returns 0, or -1; call
 * dist_rank_env_free in any case.
 */
int dist_rank_env(
    const struct dist_options *, struct dist_rank_env *, struct error *e);
void dist_rank_env_free(struct dist_rank_env *);

/*
 * Look up the addresses of hosts with getent, which resolves names like
 * programs on this machine.  *result has a line for each host.  Result, errors
 * and ownership are those of proc_run.
 */
int dist_look_up(char *const names[], size_t count, struct proc_result *result);

#endif
