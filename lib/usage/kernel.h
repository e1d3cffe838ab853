/*
 * The CPU time and memory of a training, as the kernel counts them: for the
 * control group (version 2) that Slurm made for the job, with all its steps on
 * this machine; without such a group, for a process and its descendants.
 */
#ifndef STFM_USAGE_KERNEL_H
#define STFM_USAGE_KERNEL_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sys/proc-table.h"

struct usage_kernel {
	double cpu;    /* seconds since the processes began */
	double memory; /* MiB; nan: unknown */
};

/*
 * Return the directory of a job's control group below root ("/sys/fs/cgroup"),
 * to free, or NULL if the process is not in one.  groups is the text of
 * /proc/self/cgroup.
 */
char *usage_cgroup_find(const char *root, const char *groups, int64_t job);

/*
 * Return the Slurm job of a control group, from a line of /proc/PID/cgroup
 * (version 1 or 2), or 0.
 */
int64_t usage_cgroup_job(const char *line);

/* Read the usage of a control group.  Returns 0, or -1 with the reason in e. */
int usage_cgroup_read(
    const char *directory, struct usage_kernel *out, struct error *e);

/*
 * Read the usage of top and its descendants, including children that ended and
 * were waited for, but not the process without and its descendants.  Shared
 * memory is counted in each process.  Returns 0, or -1 with the reason in e.
 */
int usage_tree_read(
    pid_t top, pid_t without, struct usage_kernel *out, struct error *e);

/*
 * Return the usage of top and its descendants among these processes, except
 * without and its descendants; nan if none is left.  Sorts the processes.
 */
struct usage_kernel usage_process_sum(
    struct proc_stat *, size_t count, pid_t top, pid_t without);

#endif
