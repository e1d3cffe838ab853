/*
 * The configuration of a small Slurm cluster that runs on one machine, for one
 * user, in one directory: slurm.conf(5), gres.conf(5) and cgroup.conf(5) as
 * text.
 */
#ifndef STFM_SANDBOX_CLUSTER_SHAPE_H
#define STFM_SANDBOX_CLUSTER_SHAPE_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

enum { CLUSTER_NODES = 2000, CLUSTER_GPUS = 64, CLUSTER_CPUS = 1024 };

struct cluster {
	const char *directory;
	const char *user;
	int hidden;  /* hidden from users of other machines */
	int version; /* of Slurm: 2205 for 22.05 */
	int nodes;   /* n1, n2, ... */
	int gpus;    /* of each node */
	int cpus;
	int port; /* of slurmctld; the nodes use the ports that follow */
	/* KEY=VALUE ... that replace the sandbox's own lines. */
	const char *const *lines;
	size_t line_count;
};

/*
 * Check that a line from the user can go into slurm.conf: it must be
 * "KEY=VALUE" and must not change a setting that the sandbox relies on. Returns
 * 0, or -1 with the reason in e.
 */
int cluster_check_line(const char *line, struct error *e);

/* Return the number of a version, 2205 for "slurm-wlm 22.05.8", or -1. */
int cluster_version(const char *text);

/* Write slurm.conf(5) for the cluster. */
void cluster_slurm_conf(const struct cluster *, FILE *);

/* Write gres.conf(5) for the cluster. */
void cluster_gres_conf(const struct cluster *, FILE *);

/* Write cgroup.conf(5), or nothing if this version of Slurm has none. */
void cluster_cgroup_conf(const struct cluster *, FILE *);

/*
 * Return whether cluster_cgroup_conf may have written text for some version of
 * Slurm, also if text is only the beginning: a full disk cuts the file.
 */
int cluster_makes_cgroup_conf(const char *text);

#endif
