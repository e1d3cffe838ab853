/*
 * Steps beside what runs in an array task, by srun(1) with --overlap.
 *
 * srun knows a task only by its own id, which says nothing by itself.  It is
 * taken from what Slurm answers for ARRAY_INDEX, if that carries the token.
 */
#ifndef STFM_SLURM_STEP_H
#define STFM_SLURM_STEP_H

#include "base/error.h"
#include "base/strlist.h"
#include "slurm/queue.h"
#include "sys/proc.h"

/* One task on one node, or one on each. */
struct queue_step {
	uint32_t job;      /* the task's own id */
	const char *nodes; /* "n2", or "n[1-2]" for one on each */
	size_t count;      /* of nodes */
	int terminal;      /* it gets a terminal */
	const char *name;  /* of the step; NULL: "stfm-attach" */
	int minutes; /* that Slurm lets it go on; 0: as long as the task */
	int seconds; /* that srun may try to get it; 0: 60 */
};

/*
 * The record of an array task in which a step can be started now: it is ours,
 * carries the token, and runs.  NULL, with what it is instead as the reason.
 */
const struct queue_record *queue_step_find(const struct queue *, uint32_t array,
    uint32_t index, const char *token, struct error *e);

/* The words that start a command as such a step, put before the command. */
void queue_step_words(const struct queue_step *, struct strlist *command);

/*
 * Start a step by these words, with our standard input and output, and stay
 * until it has ended.  What comes on its standard error goes to say, without
 * srun's word on the exit status.  Returns the exit status of the command, 128
 * + N after signal N; or -1 when Slurm did not start it, with what is to be
 * said beside srun's words.
 */
int queue_step_run(
    const struct strlist *, proc_hear *say, void *arg, struct error *e);

/*
 * Start it, and return what it prints within so many milliseconds; to free, or
 * NULL.
 */
char *queue_step_output(
    const struct strlist *, int64_t milliseconds, struct error *e);

/*
 * What it means that srun says this and does not start a step; never NULL, and
 * not to be freed.
 */
const char *queue_step_meaning(const char *complaint);

#endif
