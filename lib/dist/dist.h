/*
 * Distributed training in a step of Slurm: the node of each rank, and the
 * variables that each framework expects in the environment.
 *
 * Everything comes from Slurm's variables, so that every rank of a step
 * computes the same result on its own.
 */
#ifndef STFM_DIST_DIST_H
#define STFM_DIST_DIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

/* The ports, which are below those of outgoing connections in Linux. */
enum { DIST_FIRST_PORT = 10000, DIST_PORTS = 10000 };

enum dist_framework {
	DIST_TENSORFLOW,
	DIST_TORCH,
	DIST_HOROVOD,
	DIST_MXNET,
	DIST_JAX
};

enum dist_gpus { DIST_AS_USUAL, DIST_DIVIDE, DIST_ALL };

/* The options of a distributed training. */
struct dist_options {
	enum dist_framework framework;
	int64_t ps;    /* parameter servers; -1: the default */
	int ps_first;  /* ps come before the workers, not after them */
	int chief;     /* whether there is one; -1: if there are ps */
	int evaluator; /* the last task evaluates what the others train */
	int mpi;       /* Horovod through MPI */
	int gloo;      /* Horovod through Gloo: the program starts its server */
	enum dist_gpus gpus;
	int64_t port; /* the first; 0: from the ids of job and step */
};

/* Parse "torch", "tensorflow,ps=2,evaluator": 0 or -1. */
int dist_options_parse(
    const char *text, struct dist_options *, struct error *e);

/* Return the text that dist_options_parse parses; to free. */
char *dist_options_text(const struct dist_options *);

/* Called to get a variable of the environment; returns NULL if unset. */
typedef const char *dist_get(void *arg, const char *name);

/* A step, or an allocation whose steps have not begun. */
struct dist_step {
	struct strlist nodes;
	struct strlist addresses; /* of each node; its name by default */
	size_t tasks;
	size_t *node;  /* of each rank: its node */
	size_t *local; /* of each rank: its number on its node */
	size_t *count; /* of each node: its tasks */
	int64_t rank;  /* ours; -1: none, but on the node of rank 0 */
	int first_port;
};

/*
 * Read the step from Slurm's variables and check our own rank against them.
 * Returns 0 or -1; call dist_step_free in any case.
 */
int dist_step(const struct dist_options *w, dist_get *get_by, void *arg,
    struct dist_step *s, struct error *e);
void dist_step_free(struct dist_step *);

/* Return the port of a rank. */
int dist_port(const struct dist_step *, size_t rank);

/* Return whether the addresses of all nodes are needed, not only rank 0's. */
int dist_needs_all(const struct dist_options *);

/* Return whether a rank listens on its port. */
int dist_listens(const struct dist_options *, size_t rank);

/* Return whether some ranks are servers, which do not end by themselves. */
int dist_has_servers(const struct dist_options *);

/* Return the port at which rank 0 tells the servers that it has ended. */
int dist_end_port(const struct dist_step *);

/* Return whether a rank is such a server. */
int dist_serves(
    const struct dist_options *, const struct dist_step *, size_t rank);

/* Refuse more roles than tasks: 0 or -1. */
int dist_check(
    const struct dist_options *, const struct dist_step *, struct error *e);

/*
 * Return whether our rank would choose a GPU by its local number but sees too
 * few; *seen is how many it sees.
 */
int dist_lacks_gpu(const struct dist_options *w, const struct dist_step *s,
    dist_get *get, void *arg, size_t *seen);

/*
 * Return whether programs of this framework choose a GPU by their local number,
 * among all GPUs of the node.
 */
int dist_chooses_gpu(const struct dist_options *);

/*
 * Add the variables of our rank to an empty list, as NAME=VALUE; without a
 * rank, those that all ranks share.  get gives the variables of the GPUs.
 */
void dist_variables(const struct dist_options *w, const struct dist_step *s,
    dist_get *get, void *arg, struct strlist *out);

#endif
