/*
 * The use of the nodes, now and later: running jobs and jobs that Slurm expects
 * to start, of all users, and reservations.
 *
 * A site may hide the jobs of other users; they are missing here then.
 */
#ifndef STFM_SLURM_ALLOCATIONS_H
#define STFM_SLURM_ALLOCATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A job that has nodes or is expected to.  Times are seconds since 1970. */
struct queue_use {
	char *job; /* "12", "12_3" */
	int64_t
	    id; /* the job's own id, as srun and the kernel's cgroups use it */
	char *name; /* the name of the job */
	char *user;
	char *partition;
	int mine;
	int running; /* 0: it is pending, and start is what Slurm expects */
	int ending;  /* it has ended, but still occupies its nodes */
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
	int mine; /* this user is named in it */
	int64_t start, end;
	int64_t node_count;
	int64_t cpus,
	    gpus; /* on all of its nodes; gpus is 0 if it has all GPUs */
};

struct queue_uses {
	struct queue_use *use;
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
 * Load jobs and, if whose asks for them, reservations, with one or two
 * questions to Slurm.  *out is to be freed with queue_uses_free.  Returns 0, or
 * -1 with a code as slurm/queue.h says.
 */
int queue_uses(
    enum queue_whose whose, struct queue_uses **out, struct error *e);

/* Free what queue_uses loaded; does nothing for NULL. */
void queue_uses_free(struct queue_uses *);

#endif
