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
	NODES_VIOLATION, /* certainly in no job, or on a GPU of others */
	NODES_UNKNOWN
};

struct nodes_process {
	char *node;
	char *user; /* a name or a number; NULL: unknown */
	char *job;  /* "12_3", or NULL */
	int mine;
	enum nodes_judgement judgement;
	struct usage_holder is;
	int whole;      /* the job that looked saw all GPUs of the node */
	int ordered;    /* the numbers of the GPUs are those of Slurm */
	int asked;      /* Slurm was asked for the GPUs of its job */
	int64_t looked; /* when the look began, by proc_clock */
};

struct nodes_processes {
	struct nodes_process *process;
	size_t count;
	size_t seen; /* nodes whose GPUs were visible */
	size_t dark; /* nodes where they were not */
};

/*
 * Look at the chosen nodes.  warn gets what could not be seen, and why. Returns
 * 0, or -1 with the codes of slurm/queue.h, also if this user has no job on any
 * of them.  Call nodes_processes_free in any case.
 */
int nodes_processes(const struct queue_cluster *, const char *chosen,
    void (*warn)(void *arg, const char *what), void *arg,
    struct nodes_processes *out, struct error *e);
void nodes_processes_free(struct nodes_processes *);

/* Judge a process; shows_jobs says whether the site shows all jobs. */
enum nodes_judgement nodes_judge(
    const struct nodes_process *, const struct queue_uses *, int shows_jobs);

/*
 * Judge a process in a job that has the GPUs held of the node, by Slurm's
 * answer ms milliseconds after the look began.  The job may have begun since;
 * an adopted login may belong to another job, too.
 */
enum nodes_judgement nodes_judge_gpu(const struct nodes_process *,
    const struct queue_held *, const struct queue_uses *, int64_t ms);

/* Write a table of all processes. */
void nodes_show_processes(
    FILE *, const struct nodes_processes *, const struct nodes_look *);

/* Return a process as a JSON object on a line; to free. */
char *nodes_process_json(const struct nodes_process *);

#endif
