/*
 * What Slurm's accounting database lets this user do: accounts and QOS, with
 * their limits, as sacctmgr(1) tells them.
 */
#ifndef STFM_SLURM_LIMITS_H
#define STFM_SLURM_LIMITS_H

#include <stddef.h>

#include "base/error.h"

/* Limits are as Slurm writes them, "" where there is none. */
struct queue_limit {
	int is_qos; /* or an account */
	int is_default;
	char *name;
	char *partition;   /* the only one the account is for */
	char *qos;         /* of an account: "long,normal" */
	char *default_qos; /* of an account */
	char *max_wall;    /* of a job: "1-00:00:00" */
	char *max_jobs;    /* of this user that run */
	char *max_submit;  /* of this user that are in the queue */
	char *max_tres;    /* of a job: "cpu=8,gres/gpu=2" */
	char *user_tres;   /* of all jobs of this user together */
	char *group_tres;  /* of all jobs of all users together */
	char *group_jobs;  /* all jobs of all users that run */
	char *priority;    /* of a QOS */
	char *fairshare;   /* of an account */
	char *flags;       /* of a QOS */
};

/* Accounts first, then those QOS that one of them may use. */
struct queue_limits {
	struct queue_limit *limit;
	size_t count;
};

/*
 * Ask for those of this user on a cluster; to queue_limits_free.  Both lists
 * are empty for a user whom the database does not know.  Returns 0, or -1 with
 * errno as slurm/queue.h says.
 */
int queue_limits(
    const char *cluster, struct queue_limits *out, struct error *e);
void queue_limits_free(struct queue_limits *);

/*
 * What queue_limits makes of what sacctmgr has for this user and of QOS; the
 * texts are changed.
 */
void queue_limits_read(char *user, char *qos, struct queue_limits *out);

#endif
