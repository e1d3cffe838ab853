/*
 * Containers: a training that runs in an image, by the program that the nodes
 * have for that.  All that a task needs is bound: the job's directory in the
 * store with its copy of the code, checkpoints and metrics, and the directory
 * that it was submitted from.
 *
 *	apptainer, singularity	APPTAINER exec --bind ... IMAGE COMMAND
 *	pyxis			srun --container-image=IMAGE ... COMMAND
 *	slurm			srun --container=BUNDLE COMMAND
 */
#ifndef STFM_JOB_CONTAINER_H
#define STFM_JOB_CONTAINER_H

#include "base/error.h"
#include "store/job.h"

/* The GPUs of a task, as far as the runtime has to know. */
enum job_container_gpu { CONTAINER_CPU, CONTAINER_NVIDIA, CONTAINER_AMD };

/* Whether there is such a runtime: 0, or -1 with those that there are. */
int job_container_runtime(const char *name, struct error *e);

/*
 * Complete what a job asks for: the runtime, which is one that is found here
 * where nobody named it, and paths from the root.  A bind is PATH[:THERE[:ro]].
 */
int job_container_complete(struct store_job *, struct error *e);

/*
 * Refuse, before anything is stored, what cannot work: an image that is not
 * there, cannot be read, or is where nodes do not see it; paths that cannot be
 * bound.  store is the path of the store.
 */
int job_container_check(
    const struct store_job *, const char *store, struct error *e);

/* Whether srun starts the container, of a task and of each of its ranks. */
int job_container_by_srun(const struct store_job *);

/* Whether srun starts the training, which then runs beside us. */
int job_container_is_beside(const struct store_job *);

/* What the task has here. */
enum job_container_gpu job_container_gpus(void);

/*
 * Put before a command what runs it in the container, where srun does not, or
 * in its directory there; nothing for a job without one.
 */
void job_container_wrap(
    const struct store_job *, enum job_container_gpu, struct strlist *command);

/*
 * The options by which srun starts the container, if it is srun that does;
 * files, or NULL, are what the ranks use beside that.
 */
void job_container_options(
    const struct store_job *, const struct strlist *files, struct strlist *out);

/* For a task without ranks: srun with these options, before the command. */
void job_container_step(const struct store_job *, struct strlist *command);

/*
 * On the node: refuse an image that is not there.  *note says that it is not
 * what it was when the job was submitted; to free, or NULL.
 */
int job_container_stands(
    const struct store_job *, char **note, struct error *e);

#endif
