/*
 * Steps inside the allocation of a running array task, started by srun(1) with
 * --overlap.
 *
 * srun needs the task's own job id, which proves nothing about the task.  stfm
 * takes the id from Slurm's record of ARRAY_INDEX, provided that the record
 * carries the token.
 */
#ifndef STFM_SLURM_STEP_H
#define STFM_SLURM_STEP_H

#include "base/error.h"
#include "base/strlist.h"
#include "sys/proc.h"

struct queue;

/* A step of one Slurm task on one node, or on each of several nodes. */
struct queue_step {
	uint32_t job;      /* the array task's own job id */
	const char *nodes; /* "n2", or "n[1-2]" for a step on each */
	size_t count;      /* the number of nodes */
	int terminal;      /* the step has a terminal */
	const char *name;  /* the step's name; NULL: "stfm-attach" */
	int minutes;       /* the step's time limit; 0: as long as the task */
	int seconds;       /* how long srun may wait for resources; 0: 60 */
};

/* Put the srun command line for a step before the words in command. */
void queue_step_words(const struct queue_step *, struct strlist *command);

/*
 * Run the words of a step, with this process's standard input and output, and
 * wait until the step ends.  say(arg, ...) gets the lines of its standard
 * error, except srun's line about the exit status.  Returns the exit status of
 * the command, or 128 + N after signal N.  Returns -1 if Slurm did not start
 * the step, with an explanation of srun's words in e.
 */
int queue_step_run(
    const struct strlist *, proc_complaint *say, void *arg, struct error *e);

/*
 * Run the words of a step for at most the given milliseconds.  Returns the
 * output of the step, to free, or NULL with the reason in e.
 */
char *queue_step_output(
    const struct strlist *, int64_t milliseconds, struct error *e);

/*
 * Return an explanation of complaint, which srun prints instead of starting a
 * step; never NULL, not to be freed.
 */
const char *queue_step_meaning(const char *complaint);

#endif
