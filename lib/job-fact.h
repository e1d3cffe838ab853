/* What a fact says, in the row of its run. */
#ifndef STFM_JOB_FACT_H
#define STFM_JOB_FACT_H

#include "store-fact.h"
#include "store-fold.h"

/* Take a fact into the row of its run; texts move from the body. */
void job_fact_take(
    struct store_row *, const struct store_fact *, struct store_fact_body *);

/* The exit code in the name of an end ("E3"), or -1. */
int64_t job_fact_code(const struct store_fact *);

/* The array of Slurm's that a task says it ran in ("4102_3"), or 0. */
uint32_t job_fact_array(const struct store_fact_body *);

/* Which of STORE_HAS_S and the others it is. */
int job_fact_flag(const struct store_fact *);

#endif
