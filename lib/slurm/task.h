/*
 * Requests that stfm-run makes from inside the Slurm task, by scontrol(1).
 * libslurm may be missing on the node.
 */
#ifndef STFM_SLURM_TASK_H
#define STFM_SLURM_TASK_H

#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"

/*
 * Requeue the array task that this process runs in.  Slurm then ends it at
 * once.  stfm only does so while Slurm has the task RUNNING and the task
 * carries the token: otherwise a requeue would revive a task that is being
 * cancelled.  Returns 0, or -1 with ERROR_SILENT if Slurm did not answer (it
 * may have requeued the task), ERROR_ENDING if Slurm is ending the task for any
 * reason, or ERROR_REFUSED if Slurm refuses.
 */
int queue_task_requeue(
    uint32_t array, uint32_t index, const char *token, struct error *e);

/*
 * Return the seconds left until the time limit of an array task, INT64_MAX if
 * it has none, or -1 if Slurm does not answer.  The result ignores any plan of
 * Slurm to end the task sooner.
 */
int64_t queue_task_left(uint32_t array, uint32_t index);

/*
 * Return whether Slurm has begun to preempt the current run of an array task
 * that carries the token, and the run is in its grace time: 1, 0, or -1 if
 * Slurm does not answer.
 */
int queue_task_is_preempted(uint32_t array, uint32_t index, const char *token);

/*
 * Release held tasks of an array that carries the token: those in indices, or
 * all for NULL.  Returns 0, or -1 with a code as slurm/queue.h says.
 */
int queue_task_release(uint32_t array, const struct idset *indices,
    const char *token, struct error *e);

/*
 * Add to out the tasks of an array as Slurm names them: "12_[0-4,7]".  More
 * than one name is added if one would be too long for a command line.
 */
void queue_task_names(
    uint32_t array, const struct idset *indices, struct strlist *out);

/*
 * Exclude a node for the pending tasks of an array that carries the token;
 * running tasks are not affected.  Returns 0, also if nothing is pending, or
 * -1.
 */
int queue_task_exclude(
    uint32_t array, const char *token, const char *node, struct error *e);

/*
 * Add the addresses of nodes to out, each as "NAME=ADDRESS"; nodes that Slurm
 * does not know are left out.  Returns 0, or -1.
 */
int queue_task_addresses(
    const struct strlist *nodes, struct strlist *out, struct error *e);

/*
 * Return the value of "key=" in the first line of scontrol --oneliner, to free;
 * "" if there is none or it is "(null)".
 */
char *queue_task_field(const char *line, const char *key);

/* Return whether a line of scontrol --oneliner has this value of "key=". */
int queue_task_has(const char *line, const char *key, const char *value);

#endif
