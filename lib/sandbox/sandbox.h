/*
 * A sandbox is a private Slurm in one directory of one machine: munged,
 * slurmctld and one slurmd for each pretended node, run by the user who starts
 * it.  Its directory identifies it: its processes are those whose arguments or
 * environment name that directory's slurm.conf.
 */
#ifndef STFM_SANDBOX_SANDBOX_H
#define STFM_SANDBOX_SANDBOX_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "sandbox/cluster-shape.h"

/* The parts of a sandbox to start. */
struct sandbox_plan {
	int nodes, gpus, cpus;    /* GPUs and CPUs of each node */
	const char *const *lines; /* KEY=VALUE for slurm.conf */
	size_t line_count;
	int leash;                /* the daemons end when this process ends */
	int (*interrupted)(void); /* called while waiting; may be NULL */
};

/* A daemon of a sandbox. */
struct sandbox_part {
	char name[24];  /* munged, slurmctld, or the name of a node */
	pid_t pid;      /* 0 if it is not running */
	int port;       /* 0 for munged */
	char state[24]; /* of a node, in Slurm's words; or empty */
};

struct pids {
	pid_t *pid;
	size_t count;
};

/* munged, slurmctld, slurmd, sinfo, squeue, scancel */
enum { SANDBOX_PROGRAMS = 6 };

struct sandbox {
	char *directory;     /* an absolute path */
	char *log;           /* of the daemon that made sandbox_start fail */
	struct cluster plan; /* the shape and the Slurm version */

	/* Private. */
	char *conf, *socket;
	char *program[SANDBOX_PROGRAMS];
	char **env;
	char *entries[2];          /* SLURM_CONF=..., STFM_SANDBOX=... */
	struct sandbox_part *part; /* NULL if there is no record */
	size_t count;
	struct pids steps; /* slurmstepd and other helpers of the daemons */
	struct pids jobs;  /* processes of jobs */
	struct pids keepers;
	int lock;
};

/*
 * Return the sandbox of a directory, which may not exist yet; free with
 * sandbox_free.  Returns NULL with the reason in e if there can be no sandbox:
 * the path is too long, the directory has other files or belongs to another
 * user.
 */
struct sandbox *sandbox_new(const char *directory, struct error *e);
void sandbox_free(struct sandbox *);

/*
 * Start the parts that are not running, and wait until all nodes are ready.  If
 * some parts run, the others are started with the old plan.  If none runs, the
 * sandbox is set up again and keeps only Slurm's record of jobs.  Returns 0, 1
 * if everything was already running, or -1 after ending the processes that this
 * call started.
 */
int sandbox_start(
    struct sandbox *, const struct sandbox_plan *, struct error *e);

/*
 * Cancel the jobs, and end the daemons and all processes that jobs left
 * running.  If remove is true, also delete the files that sandbox_start created
 * in the directory.  Returns 0, 1 if nothing was running, or -1.
 */
int sandbox_stop(struct sandbox *, int remove, struct error *e);

/*
 * Find the daemons.  Sets *part to an array of *count parts that belongs to the
 * sandbox; both are 0 if it was never started.  Returns 1 if all are running, 0
 * if some are not, or -1.
 */
int sandbox_look(struct sandbox *, const struct sandbox_part **part,
    size_t *count, struct error *e);

/*
 * Return an environment for programs that use this sandbox: that of this
 * process with SLURM_CONF set and without all other variables of Slurm's
 * commands.  It belongs to the sandbox.
 */
char *const *sandbox_environment(struct sandbox *);

/* Return whether "NAME=value" is a variable of Slurm's commands. */
int sandbox_is_slurm_variable(const char *entry);

#endif
