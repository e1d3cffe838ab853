/*
 * A job out of what others have trained: a directory as S-TFManager's scripts
 * write it, with TASK/TASK.csv for each task and, where S-TFManager itself ran
 * them, TASK/START and TASK/END.  Nothing is made up: what is not known, such
 * as an exit code, stays unknown, and a task is FINISHED only where something
 * says that it was trained to its end.
 */
#ifndef STFM_IMPORT_STFMANAGER_H
#define STFM_IMPORT_STFMANAGER_H

#include <stdint.h>

#include "base/error.h"
#include "store/store.h"
#include "submit/plan.h"

/* The batch script of a job that was imported, which nobody is to queue. */
extern const char import_stfmanager_script[];

struct import_stfmanager_task {
	char *name;         /* of its directory: "34" */
	char *log;          /* the path of its training log, or NULL */
	int64_t changed;    /* when it was */
	int64_t start, end; /* what the marks say; -1: there is none */
	uint64_t row;       /* of the points: where its values are */
	uint64_t epochs;    /* in its log; known once it is stored */
	int finished;
};

struct import_stfmanager {
	char *directory;
	struct import_stfmanager_task *task; /* in the order of their numbers */
	size_t count;
	int finished; /* the user says that all that have a log are */
};

/* Find the tasks in a directory.  Returns 0, or -1 with *out empty. */
int import_stfmanager_find(
    const char *directory, struct import_stfmanager *out, struct error *e);
void import_stfmanager_free(struct import_stfmanager *);

/*
 * Give the tasks their points: from a file, by its column "task" or "task_id",
 * else one for each task in their order; text NULL: only their names are known.
 * For tasks of a directory, these columns become no hyperparameters, unless the
 * file has no others.
 */
int import_stfmanager_points(struct import_stfmanager *, struct job_plan *,
    const char *file, const char *text, size_t length, struct error *e);

/*
 * Store the job of the plan, which has its name and its points: 0, or -1 with
 * the store as before.
 */
int import_stfmanager_store(struct import_stfmanager *, struct job_plan *,
    const struct store *, struct error *e);

#endif
