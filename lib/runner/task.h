/*
 * A run of a task, as the program around the training has it: who it is,
 * whether it may train, and the facts that it tells.
 */
#ifndef STFM_RUNNER_TASK_H
#define STFM_RUNNER_TASK_H

#include "base/error.h"
#include "job/argv.h"
#include "job/points.h"
#include "store/chunk.h"
#include "store/facts.h"

struct job_run {
	const char *program; /* the path of stfm-run */
	struct store_job *job;
	struct store_chunk chunk;
	struct job_points *points;
	struct job_task task;
	struct store_fact fact;      /* its task, attempt and restart */
	struct store_fact_body body; /* what is known by now */
	uint32_t array;
	uint32_t index;
	uint64_t beside; /* tasks at this index, which run beside each other */
	int unwanted;    /* ... and somebody wished this one to stop */
};

/*
 * Find out who we are: from the words in the batch script (job directory, id,
 * chunk), the environment that Slurm gives to an array task and, of those at
 * this index, the number of ours, from 0.  To job_run_free also on failure.
 */
int job_run_open(
    struct job_run *, char *const words[3], uint64_t number, struct error *e);
void job_run_free(struct job_run *);

/* Let what we print, and the training, go to a file of the task's own. */
int job_run_redirect(const struct job_run *, struct error *e);

/*
 * The fence: 1 when this array holds the claim of its chunk and nobody wished
 * the task to stop, 0 when it must not train (e says why), or -1.
 */
int job_run_may_train(struct job_run *, struct error *e);

/*
 * Whether somebody has wished the task to stop: 1, 0, or -1 where that is not
 * known, also because a wish is damaged.
 */
int job_run_is_unwanted(const struct job_run *, struct error *e);

/* How often this training has run before, by the facts. */
int64_t job_run_earlier(const struct job_run *);

/* Check that no other user can change the job: 0, or -1. */
int job_run_is_safe(const struct job_run *, struct error *e);

/*
 * Check that the training is what was submitted, as far as the store holds it:
 * 0, or -1.
 */
int job_run_is_sound(const struct job_run *, struct error *e);

/*
 * See that what this run makes in the store cannot be written by others,
 * whatever the umask of the user: not by a group that has others in it.
 */
void job_run_close(const struct job_run *);

/* Make the directories that the training expects. */
int job_run_places(const struct job_run *, struct error *e);

/* Find out where it runs, and where its output goes. */
void job_run_describe(struct job_run *);

/*
 * Say that the training starts: 1, or -1; 0 when this run was there before and
 * came to its end (e says so, body.exit is its code).
 */
int job_run_starts(struct job_run *, struct error *e);

/*
 * Say how the run ended; kind is that of the fact.  What does not get out is
 * tried again for some seconds: a file system can be full.  With more patience
 * (seconds) it is tried for so long, unless somebody asks us to end meanwhile.
 */
int job_run_ends(
    struct job_run *, const char *kind, int64_t patience, struct error *e);

#endif
