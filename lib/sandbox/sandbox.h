/*
 * A sandbox is a private Slurm in one directory of one machine: munged,
 * slurmctld and one slurmd for each pretended node, run by the user who starts
 * it.  It is known by its directory alone: its processes are those whose
 * arguments or environment name that directory's slurm.conf.
 */
#ifndef STFM_SANDBOX_SANDBOX_H
#define STFM_SANDBOX_SANDBOX_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct sandbox;

/* What to start. */
struct sandbox_plan {
	int nodes, gpus, cpus;    /* GPUs and CPUs of each node */
	const char *const *lines; /* KEY=VALUE for slurm.conf */
	size_t line_count;
	int leash;                /* its daemons end with this process */
	int (*interrupted)(void); /* asked while waiting; may be NULL */
};

/* A daemon of a sandbox. */
struct sandbox_part {
	char name[24];  /* munged, slurmctld, or the node's */
	pid_t pid;      /* 0 when it is not running */
	int port;       /* 0 for munged */
	char state[24]; /* of a node, in Slurm's words; or empty */
};

/*
 * The sandbox of a directory, which need not exist.  Returns it, to free, or
 * NULL when no sandbox can be there (its path is too long, it holds something
 * else, it is another user's).
 */
struct sandbox *sandbox_new(const char *directory, struct error *e);
void sandbox_free(struct sandbox *);

/* Its directory as an absolute path; it belongs to the sandbox. */
const char *sandbox_directory(const struct sandbox *);

/*
 * Start what is not running, wait until all nodes are ready.  A sandbox that
 * runs in part is completed as it was planned; one that does not run at all is
 * set up anew, and only Slurm's record of jobs is kept from earlier.
 * Returns 0, 1 when all of it was running already, or -1 with nothing left
 * running that this call had started.
 */
int sandbox_start(
    struct sandbox *, const struct sandbox_plan *, struct error *e);

/*
 * After sandbox_start failed: the log of the daemon that is to blame, or NULL.
 * It belongs to the sandbox.
 */
const char *sandbox_log(const struct sandbox *);

/*
 * Cancel its jobs, end its daemons and whatever its jobs left running; with
 * remove, also delete its directory (only what sandbox_start made in it).
 * Returns 0, 1 when nothing was running, or -1.
 */
int sandbox_stop(struct sandbox *, int remove, struct error *e);

/*
 * Look at its daemons: *part is an array of *count, which belongs to the
 * sandbox; both are 0 where no sandbox was ever started.  Returns 1 when all
 * are running, 0 when some are not, or -1.
 */
int sandbox_look(struct sandbox *, const struct sandbox_part **part,
    size_t *count, struct error *e);

/* What each of its nodes has. */
int sandbox_gpus(const struct sandbox *);
int sandbox_cpus(const struct sandbox *);

/* Its Slurm, 2205 for 22.05. */
int sandbox_version(const struct sandbox *);

/*
 * Our environment for programs that are to use this sandbox: SLURM_CONF set,
 * everything else that steers Slurm's commands gone.  It belongs to the
 * sandbox.
 */
char *const *sandbox_environment(struct sandbox *);

/* Whether "NAME=value" is one of the variables that steer Slurm's commands. */
int sandbox_is_slurm_variable(const char *entry);

#endif
