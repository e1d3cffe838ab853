/*
 * The use of the nodes, now and later: running jobs and jobs that Slurm expects
 * to start, of all users, and reservations.
 *
 * A site may hide the jobs of other users; then they are missing here.
 */
#ifndef STFM_SLURM_ALLOCATIONS_H
#define STFM_SLURM_ALLOCATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A job that has nodes or will get some.  Times are seconds since 1970. */
struct queue_allocation {
	char *job; /* "12", "12_3" */
	/* The job's own id, as srun and the kernel's cgroups use it. */
	int64_t id;
	char *name;
	char *user;
	char *partition;
	int mine;
	/* 0: it is pending, and start is the time that Slurm expects. */
	int running;
	int ending;         /* it has ended, but still occupies its nodes */
	int64_t start, end; /* end is 0 without a time limit */
	char *nodes;        /* "n[1-2]"; "" if Slurm has not chosen them yet */
	int64_t node_count;
	int64_t cpus, gpus; /* on all of its nodes */
};

struct queue_reservation {
	char *name;
	char *users, *accounts; /* who may use it, or "" */
	char *flags;            /* "DAILY,MAINT" */
	char *nodes;
	int mine; /* the reservation names this user */
	int64_t start, end;
	int64_t node_count;
	/* On all of its nodes; gpus is 0 if it has all GPUs. */
	int64_t cpus, gpus;
};

struct queue_allocations {
	struct queue_allocation *use;
	size_t uses;
	struct queue_reservation *reservation;
	size_t reservations;
};

enum queue_whose {
	QUEUE_MINE,     /* jobs of this user, no reservations */
	QUEUE_ANYBODYS, /* jobs of all users, and reservations */
	QUEUE_THERE /* jobs of all users, ending ones too, no reservations */
};

/*
 * Load jobs and, depending on whose, reservations, with one or two requests to
 * Slurm.  Free *out with queue_allocations_free.  Returns 0, or -1 with a code
 * as slurm/queue.h says.
 */
int queue_allocations(
    enum queue_whose whose, struct queue_allocations **out, struct error *e);

/* Free the result of queue_allocations; does nothing for NULL. */
void queue_allocations_free(struct queue_allocations *);

/* Append a zeroed entry to the list and return it; it belongs to the list. */
struct queue_allocation *queue_allocations_add(struct queue_allocations *);
struct queue_reservation *queue_reservations_add(struct queue_allocations *);

#endif
