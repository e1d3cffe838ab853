/* What sbatch is told about a chunk of a job. */
#ifndef STFM_JOB_QUEUE_WORDS_H
#define STFM_JOB_QUEUE_WORDS_H

#include "store-chunk.h"
#include "words.h"

/* The last value of an option, "--dependency", of those of both; or NULL. */
const char *job_queue_option(
    const struct store_job *, const struct store_chunk *, const char *name);

/*
 * The words of one sbatch call.  after is the array that has to end first, or
 * 0.  The list is empty before and to be freed.
 */
void job_queue_words(const struct store_job *, const struct store_chunk *,
    uint32_t after, struct words *out);

#endif
