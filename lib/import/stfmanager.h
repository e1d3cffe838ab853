/*
 * Importing trained tasks: a directory as S-TFManager's scripts write it, with
 * TASK/TASK.csv for each task and, if S-TFManager itself ran the tasks,
 * TASK/START and TASK/END.  stfm never guesses: unknown values, such as an exit
 * code, stay unknown, and a task is FINISHED only if a record says that its
 * training finished.
 */
#ifndef STFM_IMPORT_STFMANAGER_H
#define STFM_IMPORT_STFMANAGER_H

#include <stdint.h>

#include "base/error.h"
#include "store/store.h"
#include "submit/plan.h"

/* A task.  Times are in seconds since 1970. */
struct import_stfmanager_task {
	char *name;         /* name of its directory: "34" */
	char *log;          /* the path of its training log, or NULL */
	int64_t changed;    /* when its log was last changed */
	int64_t start, end; /* what START and END say; -1: nothing */
	uint64_t row;       /* row of the task in the points */
	uint64_t epochs;    /* epochs in its log; set when the job is stored */
	/* Its command if those of tasks differ, or NULL; the plan owns it. */
	const char *command;
	int finished; /* a record says so */
};

struct import_stfmanager {
	char *directory;
	struct import_stfmanager_task *task; /* sorted by number */
	size_t count;
	/* Set by the caller: the user says that tasks with a log finished. */
	int finished;
};

/* Find the tasks in a directory.  Returns 0, or -1 with *out empty. */
int import_stfmanager_find(
    const char *directory, struct import_stfmanager *out, struct error *e);
void import_stfmanager_free(struct import_stfmanager *);

/*
 * Give the tasks the points that are in text, the content of the user's file,
 * of length bytes; file is its name for messages.  Its column "task" or
 * "task_id" says of which task a line is; without it, the lines are in the
 * order of the tasks.  If the tasks come from a directory, that column is not
 * kept as a hyperparameter, unless there is no other one.  If text is NULL
 * there is no file: names and commands of the tasks are all that is known.
 * Returns 0, or -1.
 */
int import_stfmanager_points(struct import_stfmanager *, struct job_plan *,
    const char *file, const char *text, size_t length, struct error *e);

/*
 * Store the job of the plan, which has this number of tasks: what
 * import_stfmanager_store and import/slurm-jobs.c have in common.  what says
 * where it was imported from: a directory, or "slurm".  Sets the batch script
 * and the points in *files; the caller has set its other members.  Returns 0,
 * or -1 with the codes of store_job_create.
 */
int import_stfmanager_create(struct job_plan *, const struct store *,
    size_t tasks, const char *what, struct store_job_files *files,
    struct error *e);

/*
 * Store a job whose tasks import_stfmanager_find found.  The caller has set the
 * plan's name, and its points with import_stfmanager_points.  Returns 0, or -1
 * with the store unchanged.
 */
int import_stfmanager_store(struct import_stfmanager *, struct job_plan *,
    const struct store *, struct error *e);

#endif
