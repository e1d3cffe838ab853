/*
 * What a task asks of Slurm from inside the queue, by scontrol(1): the program
 * around a training runs where libslurm may not be.
 */
#ifndef STFM_SLURM_TASK_H
#define STFM_SLURM_TASK_H

#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"

/*
 * Put the array task that this is back into the queue.  Slurm then ends it at
 * once.  It is done only while Slurm has the task RUNNING and it carries the
 * token: a task that somebody cancels would come back to life.
 * Returns 0, or -1; errno is EAGAIN when Slurm did not answer, which says
 * nothing of whether it was done, EBUSY when Slurm is ending the task anyway,
 * for whatever reason, and EIO when it refuses.
 */
int queue_task_requeue(
    uint32_t array, uint32_t index, const char *token, struct error *e);

/*
 * Return the seconds that the time limit of an array task leaves, INT64_MAX if
 * it has none, or -1 if Slurm does not say.  Slurm's plan to end the task
 * sooner does not count.
 */
int64_t queue_task_left(uint32_t array, uint32_t index);

/*
 * Return whether Slurm has begun to preempt the run of an array task that
 * carries the token and still runs, in its grace time: 1, 0, or -1 if Slurm
 * does not answer.
 */
int queue_task_is_preempted(uint32_t array, uint32_t index, const char *token);

/*
 * Release what is held of an array that carries the token: these of its tasks,
 * or all of them for NULL.
 */
int queue_task_release(uint32_t array, const struct idset *indices,
    const char *token, struct error *e);

/*
 * Tasks of an array as Slurm names them, "12_[0-4,7]"; more than one name where
 * one would be too long for a command line.
 */
void queue_task_names(
    uint32_t array, const struct idset *indices, struct strlist *out);

/*
 * Add a node to those that the waiting tasks of an array leave out; tasks that
 * run are not touched.  Returns 0, also when nothing waits, or -1.
 */
int queue_task_exclude(
    uint32_t array, const char *token, const char *node, struct error *e);

/*
 * The addresses that Slurm has for nodes, each "NAME=ADDRESS", added to out;
 * nodes that it does not know are left out.  Returns 0, or -1.
 */
int queue_task_addresses(
    const struct strlist *nodes, struct strlist *out, struct error *e);

#endif
