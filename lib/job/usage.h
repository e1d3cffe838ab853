/*
 * The use that a run makes of its machine is looked at now and then while it
 * trains, by a process of its own: a program of a GPU's maker that hangs keeps
 * nobody else waiting.
 */
#ifndef STFM_JOB_USAGE_H
#define STFM_JOB_USAGE_H

#include <sys/types.h>

#include "runner/task.h"
#include "store/table-row.h"
#include "usage/usage.h"

/* Seconds between two looks, unless the user wants others. */
enum { JOB_USAGE_EVERY = 30 };

/*
 * For how long a GPU does nothing before that is said, in seconds, unless
 * STFM_IDLE has another number.
 */
enum { JOB_USAGE_IDLE = 600 };

/* That process. */
struct job_usage {
	pid_t pid; /* 0: there is none */
	int fd;    /* it ends when this is closed, or we have ended */
};

/*
 * Start it, before the training; not where the user wants none.  That it
 * cannot be started is no matter of the training's.
 */
struct job_usage job_usage_start(const struct job_run *);

/*
 * End it; the record, to free, or NULL.  Where the task was asked to end, there
 * is no time for what it has not written yet.
 */
char *job_usage_end(struct job_usage *, const struct job_run *, int asked);

/* The signal by which it leaves a program alone that does not answer. */
int job_usage_signal(void);

/*
 * Be that process: the words are the job's directory, the file of the run
 * ("000123.0.1.csv"), whether all of the training is below the program around
 * it ("tree", and "alone" where others share its allocation; else "no"), and
 * its GPUs.  It ends when standard input does.  say is told what there is to
 * say of it.  Returns 0 or -1.
 */
int job_usage_look(
    char *const words[], void (*say)(const char *text), struct error *e);

/* Seconds between two looks; 0: none. */
int64_t job_usage_every(const struct store_job *);

/* The record of a row's run, while it has a file of its own; to free. */
char *job_usage_file(
    const struct store_job *, const struct store_row *, size_t *length);

/*
 * The record of a row's run, wherever it is, to free; or NULL, with errno,
 * which is ENOENT when there is none.
 */
char *job_usage_record(
    const struct store_job *, const struct store_row *, struct error *e);

/* Take a record, which may be NULL, into a row. */
void job_usage_take(struct store_row *, const char *record);

/*
 * Bring what a row of a task that runs has up to date, when there is something
 * new by now.
 */
void job_usage_refresh(
    const struct store_job *, struct store_row *, int64_t now);

/*
 * The same of a task that is over, where no fact tells of its use.  Returns -1,
 * with the reason, where there is a record that cannot be read; when that may
 * go by, it is due: STORE_USE_DUE.
 */
int job_usage_settle(
    const struct store_job *, struct store_row *, struct error *e);

/* The use that a row tells of. */
void job_usage_sum(const struct store_row *, struct usage_sum *out);

/* Whether a GPU of a task that runs has done nothing for so long. */
int job_usage_is_idle(const struct store_row *);

#endif
