/*
 * What the files of the sandbox module share with each other, and nobody else
 * includes.
 */
#ifndef STFM_SANDBOX_PRIVATE_H
#define STFM_SANDBOX_PRIVATE_H

#include <stdint.h>

#include "sandbox/sandbox.h"
#include "slurm/cluster-shape.h"
#include "sys/proc.h"

/* The programs; the first three are also the parts (SLURMD: the first node). */
enum { MUNGED, SLURMCTLD, SLURMD, SINFO, SQUEUE, SCANCEL, PROGRAMS };

struct pids {
	pid_t *pid;
	size_t count;
};

struct sandbox {
	char *directory, *conf, *socket;
	char *log; /* of the daemon to blame */
	char *program[PROGRAMS];
	char **env;
	char *entries[2]; /* SLURM_CONF=..., STFM_SANDBOX=... */
	struct cluster plan;
	struct sandbox_part *part; /* none: nothing is on record */
	size_t count;
	struct pids steps; /* slurmstepd and other helpers of the daemons */
	struct pids jobs;  /* the users' processes in jobs */
	struct pids keepers;
	int lock;
};

/* Wait a moment before looking again. */
void sandbox_nap(void);

/*
 * Wait for our turn to change the sandbox and read again what is on record;
 * -1 when it does not come.
 */
int sandbox_lock(struct sandbox *, struct error *e);
void sandbox_unlock(struct sandbox *);

/* Make the parts that the plan asks for; none of them runs yet. */
void sandbox_set_parts(struct sandbox *);

/* Find all programs, or name every one that is missing and its package. */
int sandbox_find_programs(struct sandbox *, struct error *e);

/*
 * Run one of its Slurm's commands.  Returns 0 with *result to free when that
 * ended with status 0, or -1.
 */
int sandbox_query(
    struct sandbox *, char *const argv[], struct proc_result *result);

/* Ask slurmctld for the states of the nodes; -1 when it does not answer. */
int sandbox_ask_states(struct sandbox *);

/*
 * Find all its processes: parts, steps and jobs.  Returns how many parts run,
 * or -1.
 */
int sandbox_scan(struct sandbox *, struct error *e);

/* Make an empty stage for the plan in its directory. */
int sandbox_set_up(struct sandbox *, struct error *e);

/* Whether sandbox_set_up makes something of this name in the directory. */
int sandbox_makes(const char *name);

/* Delete what sandbox_set_up makes, and the directory when it is then empty. */
int sandbox_delete(struct sandbox *, struct error *e);

void pids_add(struct pids *, pid_t);

/* Forget them, and give the memory back. */
void pids_clear(struct pids *);

/* Wait until all of them have ended, but at most so many milliseconds. */
void pids_wait(const struct pids *, int64_t limit);

/*
 * Send them SIGTERM and, after limit milliseconds (0: at once, and without
 * SIGTERM), SIGKILL to what is still there.
 */
void pids_end(const struct pids *, int64_t limit);

/*
 * End all that sandbox_scan found, jobs always with SIGTERM first, daemons
 * only when gently is true; -1 when some are left.
 */
int sandbox_end(struct sandbox *, int gently, struct error *e);

#endif
