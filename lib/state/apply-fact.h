/* Applying facts to rows of the task table. */
#ifndef STFM_STATE_APPLY_FACT_H
#define STFM_STATE_APPLY_FACT_H

#include "store/fact.h"

struct store_row;

/* Write a fact to the row of its run; strings move from the body to the row. */
void job_fact_take(
    struct store_row *, const struct store_fact *, struct store_fact_body *);

/* Return the exit code in the kind of an end ("E3"), or -1. */
int64_t job_fact_code(const struct store_fact *);

/* Return the Slurm array in which the fact's run was ("4102_3"), or 0. */
uint32_t job_fact_array(const struct store_fact_body *);

/*
 * Return whether a fact is the end of a run that exited with 0 by itself: no
 * signal came before the end.
 */
int job_fact_is_success(
    const struct store_fact *, const struct store_fact_body *);

/*
 * Return whether the run of a row exited with 0 by itself and was not to be
 * requeued.  The task is then trained.  Later runs of the attempt do not count:
 * only a controller that crashed and forgot the end starts one.
 */
int job_fact_is_done(const struct store_row *);

/* Return whether a fact is of a later run of an attempt that is done. */
static inline int
job_fact_is_past(const struct store_row *row, const struct store_fact *f)
{
	return f->attempt == row->attempt && f->restart > row->restart &&
	    job_fact_is_done(row);
}

/* Return which of STORE_HAS_S and the other bits stands for a fact. */
int job_fact_flag(const struct store_fact *);

#endif
