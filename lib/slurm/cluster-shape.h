/*
 * The configuration of a small Slurm cluster that runs on one machine, for one
 * user, in one directory: slurm.conf(5), gres.conf(5) and cgroup.conf(5) as
 * text.
 */
#ifndef STFM_SLURM_CLUSTER_SHAPE_H
#define STFM_SLURM_CLUSTER_SHAPE_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

enum { CLUSTER_NODES = 512, CLUSTER_GPUS = 64, CLUSTER_CPUS = 1024 };

struct cluster {
	const char *directory;
	const char *user;
	int hidden;  /* nobody on other machines is to see it */
	int version; /* of Slurm: 2205 is 22.05 */
	int nodes;   /* n1, n2, ... */
	int gpus;    /* of each node */
	int cpus;
	int port; /* of slurmctld; the nodes have the next ones */
	const char *const *lines; /* KEY=VALUE ... instead of our own lines */
	size_t line_count;
};

/*
 * Whether a line of the user's can go into slurm.conf: "KEY=VALUE", and not
 * one that the sandbox itself has to rely on.  Returns 0, or -1.
 */
int cluster_check_line(const char *line, struct error *e);

/* The number in "slurm-wlm 22.05.8" (2205), or -1. */
int cluster_version(const char *text);

void cluster_slurm_conf(const struct cluster *, FILE *);
void cluster_gres_conf(const struct cluster *, FILE *);

/* Writes nothing where Slurm wants no such file. */
void cluster_cgroup_conf(const struct cluster *, FILE *);

/*
 * Whether cluster_cgroup_conf writes this text for some version of Slurm, or a
 * text that begins with it: a full disk cuts the file.
 */
int cluster_makes_cgroup_conf(const char *text);

#endif
