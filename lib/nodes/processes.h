/*
 * The processes on the GPUs of the nodes where this user has jobs.  Some of
 * them are certainly outside every Slurm allocation, or on a GPU that their job
 * does not have.
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
	NODES_VIOLATION, /* certainly in no job, or on a GPU of another job */
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
	int ordered;    /* the GPUs' numbers are the same as Slurm's */
	int asked;      /* Slurm was asked for the GPUs of the process's job */
	int64_t looked; /* start of the look, by proc_clock */
};

struct nodes_processes {
	struct nodes_process *process;
	size_t count;
	size_t seen; /* nodes whose GPUs were visible */
	size_t dark; /* nodes whose GPUs were not visible */
};

/*
 * Look at the chosen nodes.  warn gets a text for each node or GPU that could
 * not be seen, and why.  Returns 0, or -1 with a code as in slurm/queue.h, also
 * if this user has no job on any of the nodes.  Call nodes_processes_free in
 * any case.
 */
int nodes_processes(const struct queue_cluster *, const char *chosen,
    void (*warn)(void *arg, const char *what), void *arg,
    struct nodes_processes *out, struct error *e);
void nodes_processes_free(struct nodes_processes *);

/*
 * Judge a process by the jobs of its user; shows_jobs says whether the site
 * shows all jobs.
 */
enum nodes_judgement nodes_judge(const struct nodes_process *,
    const struct queue_allocations *, int shows_jobs);

/*
 * Judge a process in a job by the GPUs that the job has on the node.  held is
 * Slurm's answer, which came ms milliseconds after the look began.  A job that
 * began after the look is not judged, nor is a login that pam_slurm_adopt may
 * have put here for another job of the same user.
 */
enum nodes_judgement nodes_judge_gpu(const struct nodes_process *,
    const struct queue_held *, const struct queue_allocations *, int64_t ms);

/* Write a table of all processes. */
void nodes_show_processes(
    FILE *, const struct nodes_processes *, const struct nodes_style *);

/* Return a process as a JSON object on one line; to free. */
char *nodes_process_json(const struct nodes_process *);

#endif
