/*
 * Arrays in the queue: what is still to come of them, and which of them is to
 * train a chunk.
 */
#ifndef STFM_CONTROL_CLAIM_H
#define STFM_CONTROL_CLAIM_H

#include "slurm/queue.h"
#include "store/chunk.h"

/* How many tasks of the user are in the queue, which may be NULL. */
uint64_t job_claim_count_alive(const struct queue *);

/*
 * Whether something of an array is still to come.  What does not carry the
 * token is another job, which has its number by now; NULL is any.
 */
int job_claim_is_alive(const struct queue *, uint32_t array, const char *token);

/* Cancel an array that lost the claim; it would not train anyway. */
void job_claim_cancel(uint32_t array, const char *token);

/*
 * Check that Slurm has kept the token of an array that sbatch has just queued
 * for the chunk.  An array without it is cancelled.  Returns 0, also when Slurm
 * does not answer, or -1 with the reason in e.
 */
int job_claim_check(const struct store_job *, const struct store_chunk *,
    uint32_t array, struct error *e);

/*
 * Claim the chunk for *array.  When another array has the claim, that is in
 * *array then, and ours is cancelled.  Returns 0 or -1.
 */
int job_claim_claim(const struct store_job *, const struct store_chunk *,
    uint32_t *array, struct error *e);

/*
 * The array to claim among those with the chunk's token: the first that is
 * alive, else the first.  The others that are alive are cancelled.  Returns
 * whether there is one.
 */
int job_claim_find(
    const struct queue *, const struct store_chunk *, uint32_t *array);

#endif
