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

struct import_stfmanager_task {
	char *name;          /* name of its directory: "34" */
	char *log;           /* the path of its training log, or NULL */
	int64_t changed;     /* when the log was last changed */
	int64_t start, end;  /* times of START and END; -1: none */
	uint64_t row;        /* row of the task in the points */
	uint64_t epochs;     /* epochs in its log; set when the job is stored */
	const char *command; /* its command, if commands of tasks differ */
	int finished;
};

struct import_stfmanager {
	char *directory;
	struct import_stfmanager_task *task; /* sorted by number */
	size_t count;
	int finished; /* the user says that tasks with a log finished */
};

/* Find the tasks in a directory.  Returns 0, or -1 with *out empty. */
int import_stfmanager_find(
    const char *directory, struct import_stfmanager *out, struct error *e);
void import_stfmanager_free(struct import_stfmanager *);

/*
 * Give the tasks their points.  The points come from a file, matched by its
 * column "task" or "task_id", else in the order of the tasks.  If text is NULL,
 * only names and commands are known.  For tasks of a directory, these two
 * columns become hyperparameters only if the file has no other columns.
 */
int import_stfmanager_points(struct import_stfmanager *, struct job_plan *,
    const char *file, const char *text, size_t length, struct error *e);

/*
 * Store a job with this number of tasks that was imported from what.  files has
 * the special content of the job's directory.  Returns 0, or -1 with the codes
 * of store_job_create.
 */
int import_stfmanager_create(struct job_plan *, const struct store *,
    size_t tasks, const char *what, struct store_job_files *files,
    struct error *e);

/*
 * Store the job of the plan, which has its name and its points.  Returns 0, or
 * -1 with the store unchanged.
 */
int import_stfmanager_store(struct import_stfmanager *, struct job_plan *,
    const struct store *, struct error *e);

#endif
