/*
 * What the nodes are used for, now and later: jobs that run, jobs that Slurm
 * expects to start, of everybody, and reservations.
 *
 * A site may hide the jobs of others; those are not told then.
 */
#ifndef STFM_SLURM_ALLOCATIONS_H
#define STFM_SLURM_ALLOCATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A job that has nodes, or is going to.  Times are seconds since 1970. */
struct queue_use {
	char *job;  /* "12", "12_3" */
	int64_t id; /* its own, as srun and the kernel's groups have it */
	char *name; /* what its user calls it */
	char *user;
	char *partition;
	int mine;
	int running;        /* or it waits, and start is what Slurm expects */
	int ending;         /* it has ended, but is still on its nodes */
	int64_t start, end; /* end is 0 where there is no time limit */
	char *nodes;        /* "n[1-2]"; "" where they are not chosen yet */
	int64_t node_count;
	int64_t cpus, gpus; /* on all of its nodes */
};

struct queue_reservation {
	char *name;
	char *users, *accounts; /* who may use it, "" */
	char *flags;            /* "DAILY,MAINT" */
	char *nodes;
	int mine; /* this user is named */
	int64_t start, end;
	int64_t node_count;
	int64_t cpus, gpus; /* on all of its nodes; gpus 0: all there are */
};

struct queue_uses {
	struct queue_use *use;
	size_t uses;
	struct queue_reservation *reservation;
	size_t reservations;
};

enum queue_whose {
	QUEUE_MINE,     /* jobs of this user, and no reservations */
	QUEUE_ANYBODYS, /* all jobs, and reservations */
	QUEUE_THERE     /* all jobs, with those that are ending, and no more */
};

/*
 * Load them, with one question or two; to queue_uses_free.  Returns 0, or -1
 * with errno as slurm/queue.h says.
 */
int queue_uses(enum queue_whose, struct queue_uses **out, struct error *e);

/* Takes NULL too. */
void queue_uses_free(struct queue_uses *);

#endif
