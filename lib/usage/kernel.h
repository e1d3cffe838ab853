/*
 * The CPU time and the memory of a training, as the kernel has them: of the
 * control group (version 2) that Slurm gave to the job, with all its steps on
 * this machine, or, where there is none, of a process and those below it.
 */
#ifndef STFM_USAGE_KERNEL_H
#define STFM_USAGE_KERNEL_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sys/proc-table.h"

struct usage_kernel {
	double cpu;    /* in seconds, since they began */
	double memory; /* in MiB; nan: nobody knows */
};

/*
 * The directory of a job's control group below root, "/sys/fs/cgroup", to free,
 * or NULL where the process is in none: groups is what /proc/self/cgroup has.
 */
char *usage_cgroup_find(const char *root, const char *groups, int64_t job);

/*
 * The Slurm job of a control group, from a line of /proc/PID/cgroup of version
 * 1 or 2; 0 where it is in none.
 */
int64_t usage_cgroup_job(const char *line);

/* What a control group has used.  Returns 0, or -1. */
int usage_cgroup_read(
    const char *directory, struct usage_kernel *out, struct error *e);

/*
 * What a process and those below it have used, with those that have ended and
 * were waited for, but without one of them and those below that.  Memory that
 * several have in common counts in each of them.  Returns 0, or -1.
 */
int usage_tree_read(
    pid_t top, pid_t without, struct usage_kernel *out, struct error *e);

/*
 * What those among some have used that are top or below it, but not without or
 * below that; nan when there is none.  They are put in order.
 */
struct usage_kernel usage_process_sum(
    struct proc_stat *, size_t count, pid_t top, pid_t without);

#endif
