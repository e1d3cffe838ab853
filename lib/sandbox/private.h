/*
 * Declarations shared by the files of lib/sandbox: the lock of a sandbox
 * and its processes.
 */
#ifndef STFM_SANDBOX_PRIVATE_H
#define STFM_SANDBOX_PRIVATE_H

#include <stdint.h>

#include "sandbox/sandbox.h"
#include "sys/proc.h"

/* The programs; the first three are also parts (SLURMD: the first node). */
enum { MUNGED, SLURMCTLD, SLURMD, SINFO, SQUEUE, SCANCEL };

/* Wait a few milliseconds before the next check. */
void sandbox_nap(void);

/*
 * Lock the sandbox, waiting for other processes, and read its record again.
 * Returns 0, or -1 if another process keeps the lock.
 */
int sandbox_lock(struct sandbox *, struct error *e);
void sandbox_unlock(struct sandbox *);

/* Set the parts of the plan; none of them is marked as running. */
void sandbox_set_parts(struct sandbox *);

/*
 * Find all programs.  Returns 0, or -1 with the missing programs and their
 * packages in e.
 */
int sandbox_find_programs(struct sandbox *, struct error *e);

/* Run a command of Slurm.  Returns 0 with *result, to free, or -1. */
int sandbox_query(
    struct sandbox *, char *const argv[], struct proc_result *result);

/* Ask slurmctld for the states of the nodes.  Returns 0 or -1. */
int sandbox_ask_states(struct sandbox *);

/*
 * Find all processes of parts, steps and jobs.  Returns the number of running
 * parts, or -1.
 */
int sandbox_scan(struct sandbox *, struct error *e);

/* Create the files and directories of the plan.  Returns 0 or -1. */
int sandbox_set_up(struct sandbox *, struct error *e);

/* Return whether sandbox_set_up creates this name in the directory. */
int sandbox_makes(const char *name);

/*
 * Delete the files that sandbox_set_up creates, and the directory if it is
 * empty.  Returns 0 or -1.
 */
int sandbox_delete(struct sandbox *, struct error *e);

/* Add a process to a list. */
void pids_add(struct pids *, pid_t);

/* Empty a list and free its memory. */
void pids_clear(struct pids *);

/* Wait until all processes have ended, at most limit milliseconds. */
void pids_wait(const struct pids *, int64_t limit);

/*
 * Send SIGTERM and, after limit milliseconds, SIGKILL to the processes that
 * remain.  If limit is 0, send only SIGKILL.
 */
void pids_end(const struct pids *, int64_t limit);

/*
 * End all processes that sandbox_scan finds.  Jobs get SIGTERM first; daemons
 * only if gently is true.  Returns 0, or -1 if some processes remain.
 */
int sandbox_end(struct sandbox *, int gently, struct error *e);

#endif
