/*
 * The use that a run makes of its machine: CPU, memory and GPUs, as the run
 * has recorded it, and as a row of the task table has it.
 */
#ifndef STFM_JOB_USAGE_H
#define STFM_JOB_USAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/job.h"
#include "store/table-row.h"
#include "usage/usage.h"

/* Seconds between two looks, unless the user wants others. */
enum { JOB_USAGE_EVERY = 30 };

/*
 * For how long a GPU does nothing before that is said, in seconds, unless
 * STFM_IDLE has another number.
 */
enum { JOB_USAGE_IDLE = 600 };

/* Seconds between two looks; 0: none. */
int64_t job_usage_every(const struct store_job *);

/*
 * Shorten a record of a run to what the fact of its end keeps.  Returns the
 * text, to free, or NULL when there is nothing to keep.
 */
char *job_usage_shorten(const char *text, size_t length);

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
