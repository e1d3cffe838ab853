/*
 * Distributed training in a step of Slurm: which rank is where, and what each
 * framework wants its ranks to find in their environment.
 *
 * All of it comes from the variables that Slurm sets, so that every rank of a
 * step comes to the same answer by itself.
 */
#ifndef STFM_DIST_DIST_H
#define STFM_DIST_DIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

/* Ports lie where Linux does not take those of outgoing connections from. */
enum { DIST_FIRST_PORT = 10000, DIST_PORTS = 10000 };

enum dist_framework {
	DIST_TENSORFLOW,
	DIST_TORCH,
	DIST_HOROVOD,
	DIST_MXNET,
	DIST_JAX
};

enum dist_gpus { DIST_AS_USUAL, DIST_DIVIDE, DIST_ALL };

/* What is asked for. */
struct dist_wish {
	enum dist_framework framework;
	int64_t ps;    /* parameter servers, or -1: as usual */
	int ps_first;  /* they come before the workers, not after them */
	int chief;     /* whether there is one, or -1: where there are ps */
	int evaluator; /* the last task judges what the others train */
	int mpi;       /* Horovod through MPI */
	int gloo;      /* Horovod through Gloo: the program starts its server */
	enum dist_gpus gpus;
	int64_t port; /* the first, or 0: from the ids of job and step */
};

/*
 * Read "torch", "tensorflow,ps=2,evaluator".  Returns 0, or -1 with the reason
 * in e.
 */
int dist_wish(const char *text, struct dist_wish *, struct error *e);

/* The text that dist_wish reads back; to free. */
char *dist_wish_text(const struct dist_wish *);

/* A variable of the environment, or NULL. */
typedef const char *dist_get(void *arg, const char *name);

/* A step, or an allocation whose steps are still to come. */
struct dist_step {
	struct strlist nodes;
	struct strlist addresses; /* of each node; the names unless replaced */
	size_t tasks;
	size_t *node;  /* of each rank */
	size_t *local; /* its number among the tasks of that node */
	size_t *count; /* of each node: its tasks */
	int64_t rank;  /* which one we are, or -1: none, but the first's node */
	int first_port;
};

/*
 * Read the step from the variables of Slurm, and check that our own place in it
 * is where they say.  Returns 0, or -1; to dist_step_free in any case.
 */
int dist_step(const struct dist_wish *w, dist_get *get_by, void *arg,
    struct dist_step *s, struct error *e);
void dist_step_free(struct dist_step *);

/* The port of a rank. */
int dist_port(const struct dist_step *, size_t rank);

/* Whether the addresses of all nodes matter, not that of the first rank alone.
 */
int dist_needs_all(const struct dist_wish *);

/* Whether a rank is going to listen on its port. */
int dist_listens(const struct dist_wish *, size_t rank);

/*
 * Whether some ranks serve the first one, and do not end by themselves; the
 * port at which the first can tell them that it has ended; and whether a rank
 * is one of them.
 */
int dist_has_servers(const struct dist_wish *);
int dist_end_port(const struct dist_step *);
int dist_serves(
    const struct dist_wish *, const struct dist_step *, size_t rank);

/*
 * Refuse what cannot be: more roles than tasks.  Returns 0, or -1.
 */
int dist_check(
    const struct dist_wish *, const struct dist_step *, struct error *e);

/*
 * Whether our rank would choose a GPU by its local number and not find it: it
 * sees too few.  Puts how many it sees into *seen.
 */
int dist_lacks_gpu(const struct dist_wish *w, const struct dist_step *s,
    dist_get *get, void *arg, size_t *seen);

/*
 * Whether programs of this framework choose a GPU by their local number, among
 * all GPUs of the node.
 */
int dist_chooses_gpu(const struct dist_wish *);

/*
 * Add the variables of our rank to an empty list, as NAME=VALUE; where we are
 * none, those that all ranks have in common.  get is asked for the GPUs.
 */
void dist_variables(const struct dist_wish *w, const struct dist_step *s,
    dist_get *get, void *arg, struct strlist *out);

#endif
