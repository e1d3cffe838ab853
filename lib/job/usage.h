/*
 * The machine usage of a run: CPU, memory and GPUs, as the run recorded them
 * and as a row of the task table has them.
 */
#ifndef STFM_JOB_USAGE_H
#define STFM_JOB_USAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "usage/usage.h"

struct store_job;
struct store_row;

/* The default number of seconds between two samples. */
enum { JOB_USAGE_EVERY = 30 };

/* Seconds that a GPU is idle before stfm reports it, or $STFM_IDLE. */
enum { JOB_USAGE_IDLE = 600 };

/* Return the number of seconds between two samples; 0: none are taken. */
int64_t job_usage_every(const struct store_job *);

/*
 * Shorten the usage record of a run to what the fact of its end stores.
 * Returns the text, to free, or NULL if nothing is left.
 */
char *job_usage_shorten(const char *text, size_t length);

/* Return the usage record of a run from its own file; to free, or NULL. */
char *job_usage_file(
    const struct store_job *, const struct store_row *, size_t *length);

/*
 * Return the usage record of a row's run, wherever it is; to free, or NULL; the
 * code is ERROR_ABSENT if there is none.
 */
char *job_usage_record(
    const struct store_job *, const struct store_row *, struct error *e);

/* Put the totals of a usage record, which may be NULL, into a row. */
void job_usage_take(struct store_row *, const char *record);

/* Update the usage in the row of a running task if new samples are due. */
void job_usage_refresh(
    const struct store_job *, struct store_row *, int64_t now);

/*
 * Set the usage in the row of a task that is over if no fact has it.  Returns
 * 0, or -1 with the reason if there is a record that cannot be read.  If that
 * may be temporary, STORE_USE_DUE is set.
 */
int job_usage_settle(
    const struct store_job *, struct store_row *, struct error *e);

/* Read the usage in a row. */
void job_usage_sum(const struct store_row *, struct usage_sum *out);

#endif
