/*
 * The columns of a task, by name: what tables show, conditions ask for and
 * orders sort by.  There are fixed ones, the same for every job, and one for
 * each hyperparameter and for what points ask of Slurm (@mem).  A
 * hyperparameter with the name of a fixed column is called param_NAME.
 */
#ifndef STFM_VIEW_COLUMNS_H
#define STFM_VIEW_COLUMNS_H

#include "view/view.h"

/* The fixed columns in their order; hyperparameters stand after the cause. */
enum {
	JOB_ID,
	JOB_JOB,
	JOB_TASK,
	JOB_STATE,
	JOB_CAUSE,
	JOB_EPOCH,
	JOB_EPOCHS,
	JOB_PROGRESS,
	JOB_METRIC,
	JOB_GOAL,
	JOB_BEST,
	JOB_BEST_EPOCH,
	JOB_LAST,
	JOB_NAN_SINCE,
	JOB_SUBMITTED,
	JOB_START,
	JOB_END,
	JOB_ELAPSED,
	JOB_NODE,
	JOB_GPUS,
	JOB_MEMORY,
	JOB_CPU,
	JOB_EXIT,
	JOB_SIGNAL,
	JOB_SLURM,
	JOB_ATTEMPT,
	JOB_RESTART,
	JOB_LOG,
	JOB_METRICS,
	JOB_EPOCH_TIME,
	JOB_ETA,
	JOB_ROOM,
	JOB_MARK,
	JOB_GPU_USE,
	JOB_GPU_MEMORY,
	JOB_GPU_IDLE,
	JOB_CPU_USE,
	JOB_MEMORY_USE,
	JOB_ACCOUNT,
	JOB_QOS,
	JOB_LOG_CAUSE,
	JOB_COLUMNS /* their number, and the number of the first other */
};

/* The name of a fixed column. */
const char *job_column_name(size_t column);

/* The name of a hyperparameter's column; to free. */
char *job_column_param(const char *hyperparameter);

/*
 * The column of a job with this name, JOB_COLUMNS + i for its i-th
 * hyperparameter, those of job->groups behind them; -1 when there is none.
 */
int job_column_find(const struct store_job *, const char *name);

/*
 * Set "NAME: no such column" with the nearest name of these jobs' columns;
 * returns -1.
 */
int job_column_unknown(struct job_view *const *views, size_t count,
    const char *name, struct error *e);

enum job_kind {
	JOB_NO_VALUE,
	JOB_TEXT,
	JOB_NUMBER, /* nan and infinities as well */
	JOB_TIME    /* in seconds since 1970 */
};

/* A value; room is for texts that are written nowhere else. */
struct job_value {
	enum job_kind kind;
	const char *text; /* of every kind; NULL when there is none */
	double number;
	char *own; /* a text to free, or NULL */
	char room[160];
};

/*
 * The value of a column for a task.  Its text lasts until the next call for
 * the same view; a hyperparameter is a text as typed.
 */
void job_column_value(
    struct job_view *, uint64_t task, int column, struct job_value *out);
void job_value_free(struct job_value *);

#endif
