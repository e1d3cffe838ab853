/*
 * Containers: a training that runs in an image, by a runtime that the nodes
 * have.  Everything that a task needs is bound: the job's directory in the
 * store, with its copy of the code, checkpoints and metrics, and the directory
 * that it was submitted from.
 *
 *	apptainer, singularity	APPTAINER exec --bind ... IMAGE COMMAND
 *	pyxis			srun --container-image=IMAGE ... COMMAND
 *	slurm			srun --container=BUNDLE COMMAND
 */
#ifndef STFM_JOB_CONTAINER_H
#define STFM_JOB_CONTAINER_H

#include "base/error.h"

struct store_job;
struct strlist;

/* The GPUs of a task, as far as the runtime needs to know. */
enum job_container_gpu { CONTAINER_CPU, CONTAINER_NVIDIA, CONTAINER_AMD };

/* Check that a runtime has this name.  Returns 0, or -1 with known names. */
int job_container_runtime(const char *name, struct error *e);

/*
 * Complete the container options of a job: make paths absolute, and choose a
 * runtime that is installed here if the user named none.  A bind is
 * PATH[:THERE[:ro]].  Returns 0, or -1.
 */
int job_container_complete(struct store_job *, struct error *e);

/*
 * Refuse, before anything is stored, an image that does not exist, cannot be
 * read or is in a place that nodes do not see, and paths that cannot be bound.
 * store is the path of the store.  Returns 0, or -1.
 */
int job_container_check(
    const struct store_job *, const char *store, struct error *e);

/* Return whether Slurm starts the container itself, by an option of srun. */
int job_container_by_srun(const struct store_job *);

/*
 * Return whether srun starts the training, so that it is no child of stfm-run:
 * for job_container_by_srun, and for the ranks of a distributed training.
 */
int job_container_is_beside(const struct store_job *);

/* Return which GPUs the task has on this node. */
enum job_container_gpu job_container_gpus(void);

/*
 * Put in front of a command the words that run it in the container.  If srun
 * starts the container they only change to the right directory there.  Adds
 * nothing for a job without container.
 */
void job_container_wrap(
    const struct store_job *, enum job_container_gpu, struct strlist *command);

/*
 * Add the options with which srun starts the container, if it does.  files are
 * additional files that the ranks use, or NULL.
 */
void job_container_options(
    const struct store_job *, const struct strlist *files, struct strlist *out);

/*
 * Put srun with these options in front of the command of a task without ranks,
 * if srun starts the container.
 */
void job_container_step(const struct store_job *, struct strlist *command);

/*
 * On the node: refuse an image that does not exist.  *note, to free, says that
 * the image has changed since submission, or is NULL.  Returns 0, or -1.
 */
int job_container_stands(
    const struct store_job *, char **note, struct error *e);

#endif
