/*
 * Distributed training in a step of Slurm: the node of each rank, and the
 * variables that each framework expects in the environment.
 *
 * Everything is computed from Slurm's variables, so that every rank of a step
 * gets the same result independently.
 */
#ifndef STFM_DIST_DIST_H
#define STFM_DIST_DIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

/* The range of ports, below Linux's range for outgoing connections. */
enum { DIST_FIRST_PORT = 10000, DIST_PORTS = 10000 };

enum dist_framework {
	DIST_TENSORFLOW,
	DIST_TORCH,
	DIST_HOROVOD,
	DIST_MXNET,
	DIST_JAX
};

/* Which of the node's GPUs a rank sees. */
enum dist_gpus {
	DIST_AS_USUAL, /* as Slurm set it */
	DIST_DIVIDE,   /* its part of them */
	DIST_ALL       /* all of them */
};

/* The options of a distributed training. */
struct dist_options {
	enum dist_framework framework;
	int64_t ps; /* number of parameter servers; -1: the default */
	/* Parameter servers come before the workers, not after them. */
	int ps_first;
	/* 1: has a chief, 0: has none, -1: only with parameter servers. */
	int chief;
	/* The last task evaluates the model that the others train. */
	int evaluator;
	int mpi; /* Horovod through MPI */
	/* Horovod through Gloo; the user's program starts its server. */
	int gloo;
	enum dist_gpus gpus;
	int64_t port; /* first port; 0: derived from the ids of job and step */
};

/* Parse "torch", "tensorflow,ps=2,evaluator".  Returns 0 or -1. */
int dist_options_parse(
    const char *text, struct dist_options *, struct error *e);

/* Return the text that dist_options_parse parses; to free. */
char *dist_options_text(const struct dist_options *);

/* A function that returns an environment variable, NULL if unset. */
typedef const char *dist_get(void *arg, const char *name);

/* A step, or an allocation before its first step. */
struct dist_step {
	struct strlist nodes;
	/* Address of each node; by default its name. */
	struct strlist addresses;
	size_t tasks;
	size_t *node;  /* for each rank: the index of its node */
	size_t *local; /* for each rank: its number on its node */
	size_t *count; /* for each node: its number of tasks */
	/* Rank of this process; -1: none, but on the node of rank 0. */
	int64_t rank;
	int first_port;
};

/*
 * Read the step from Slurm's variables and check the rank of this process
 * against them.  Returns 0 or -1; call dist_step_free in any case.
 */
int dist_step(const struct dist_options *w, dist_get *get_by, void *arg,
    struct dist_step *s, struct error *e);
void dist_step_free(struct dist_step *);

/*
 * Return the port of a rank.  If rank is the number of tasks, return the port
 * on which rank 0 tells the servers that it has ended.
 */
static inline int
dist_port(const struct dist_step *s, size_t rank)
{
	return s->first_port + (int)rank;
}

/* Return whether all nodes' addresses are needed, not only rank 0's. */
int dist_needs_all(const struct dist_options *);

/* Return whether a rank listens on its port. */
int dist_listens(const struct dist_options *, size_t rank);

/* Return whether some ranks are servers, which do not end by themselves. */
int dist_has_servers(const struct dist_options *);

/* Return whether a rank is a server that does not end by itself. */
int dist_serves(
    const struct dist_options *, const struct dist_step *, size_t rank);

/* Check that there are enough tasks for all roles.  Returns 0 or -1. */
int dist_check(
    const struct dist_options *, const struct dist_step *, struct error *e);

/*
 * Return whether this rank would choose a GPU by its local number but sees too
 * few.  Then *seen is the number of GPUs that it sees.
 */
int dist_lacks_gpu(const struct dist_options *w, const struct dist_step *s,
    dist_get *get, void *arg, size_t *seen);

/*
 * Return whether programs of this framework choose a GPU by their local number
 * among all GPUs of the node.
 */
static inline int
dist_chooses_gpu(const struct dist_options *w)
{
	return w->framework == DIST_TORCH || w->framework == DIST_HOROVOD;
}

/*
 * Add the variables of this rank to an empty list, as NAME=VALUE.  Without a
 * rank, add the variables that all ranks share.  get returns the variables of
 * the GPUs.
 */
void dist_variables(const struct dist_options *w, const struct dist_step *s,
    dist_get *get, void *arg, struct strlist *out);

#endif
