/*
 * Accounts and QOS that this user may use, with their limits, from Slurm's
 * accounting database as sacctmgr(1) prints them.
 */
#ifndef STFM_SLURM_LIMITS_H
#define STFM_SLURM_LIMITS_H

#include <stddef.h>

#include "base/error.h"

/* One account or QOS.  Limits are texts in Slurm's format, "" for none. */
struct queue_limit {
	int is_qos; /* 0: the entry is an account */
	int is_default;
	char *name;
	/* The only partition in which the account may be used, or "". */
	char *partition;
	char *qos;         /* of an account: "long,normal" */
	char *default_qos; /* of an account */
	char *max_wall;    /* per job: "1-00:00:00" */
	char *max_jobs;    /* running jobs of this user */
	char *max_submit;  /* queued jobs of this user */
	char *max_tres;    /* per job: "cpu=8,gres/gpu=2" */
	char *user_tres;   /* all jobs of this user together */
	char *group_tres;  /* all jobs of all users together */
	char *group_jobs;  /* running jobs of all users */
	char *priority;    /* of a QOS */
	char *fairshare;   /* of an account */
	char *flags;       /* of a QOS */
};

/* Accounts first, then the QOS that one of the accounts may use. */
struct queue_limits {
	struct queue_limit *limit;
	size_t count;
};

/*
 * Ask for the limits of this user on a cluster; free *out with
 * queue_limits_free.  It is empty if the database does not know the user.
 * Returns 0, or -1 with a code as slurm/queue.h says.
 */
int queue_limits(
    const char *cluster, struct queue_limits *out, struct error *e);
void queue_limits_free(struct queue_limits *);

/*
 * Read the output of sacctmgr into *out, for queue_limits and its tests: user
 * lists the accounts of this user, qos all QOS.  Both texts are changed.
 */
void queue_limits_read(char *user, char *qos, struct queue_limits *out);

#endif
