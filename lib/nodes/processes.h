/*
 * The processes on the GPUs of the nodes where this user runs something, and
 * those among them that are certainly outside every Slurm allocation, or on a
 * GPU that their job does not have.
 */
#ifndef STFM_NODES_PROCESSES_H
#define STFM_NODES_PROCESSES_H

#include <stdio.h>

#include "base/error.h"
#include "nodes/nodes.h"
#include "slurm/gpu-look.h"
#include "usage/holder.h"

enum nodes_judgement {
	NODES_IN_JOB,
	NODES_VIOLATION, /* outside, or on a GPU of others, without doubt */
	NODES_UNKNOWN
};

struct nodes_process {
	char *node;
	char *user; /* a name, or a number; NULL: nobody knows */
	char *job;  /* "12_3", or NULL */
	int mine;
	enum nodes_judgement judgement;
	struct usage_holder is;
	int whole;      /* the look saw all GPUs of the node ... */
	int ordered;    /* ... and their numbers are those of Slurm */
	int asked;      /* Slurm was asked for the GPUs of its job */
	int64_t looked; /* when it began, by proc_clock */
};

struct nodes_processes {
	struct nodes_process *process;
	size_t count;
	size_t seen; /* nodes whose GPUs could be looked at */
	size_t dark; /* and those where they could not */
};

/*
 * Look at the chosen nodes.  What could not be seen, and why, is given to say.
 * Returns 0, or -1 with errno as slurm/queue.h says, also when this user runs
 * nothing on any of them.  To nodes_processes_free in any case.
 */
int nodes_processes(const struct queue_cluster *, const char *chosen,
    void (*say)(void *arg, const char *what), void *arg,
    struct nodes_processes *out, struct error *e);
void nodes_processes_free(struct nodes_processes *);

/* What to hold against a process; a site that hides jobs shows us too few. */
enum nodes_judgement nodes_judge(
    const struct nodes_process *, const struct queue_uses *, int shows_jobs);

/*
 * What to hold against a process in a job that has these GPUs of the node, as
 * Slurm said so many milliseconds after the look began.  The job may have
 * begun since; a login that Slurm has adopted may be there for another job.
 */
enum nodes_judgement nodes_judge_gpu(const struct nodes_process *,
    const struct queue_held *, const struct queue_uses *, int64_t ms);

/* A table of all of them. */
void nodes_show_processes(
    FILE *, const struct nodes_processes *, const struct nodes_look *);

/* One of them as a JSON object on a line, to free. */
char *nodes_process_json(const struct nodes_process *);

#endif
