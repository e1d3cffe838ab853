/* What a fact says, in the row of its run. */
#ifndef STFM_STATE_APPLY_FACT_H
#define STFM_STATE_APPLY_FACT_H

#include "store/fact.h"
#include "store/table.h"

/* Take a fact into the row of its run; texts move from the body. */
void job_fact_take(
    struct store_row *, const struct store_fact *, struct store_fact_body *);

/* The exit code in the name of an end ("E3"), or -1. */
int64_t job_fact_code(const struct store_fact *);

/* The array of Slurm's that a task says it ran in ("4102_3"), or 0. */
uint32_t job_fact_array(const struct store_fact_body *);

/*
 * Return whether a fact is the end of a run that ended by itself with exit 0:
 * no signal came before the end.
 */
int job_fact_is_success(
    const struct store_fact *, const struct store_fact_body *);

/*
 * Return whether the run of a row ended so and was not to go back into the
 * queue.  The task is then trained: no later run of the attempt counts, as
 * only a controller that crashed and forgot the end begins one.
 */
int job_fact_is_done(const struct store_row *);

/* Return whether a fact is of such a later run. */
int job_fact_is_past(const struct store_row *, const struct store_fact *);

/* Which of STORE_HAS_S and the others it is. */
int job_fact_flag(const struct store_fact *);

#endif
