/*
 * Arrays and claims: how much of an array is in Slurm's queue, and which array
 * has the right (the claim) to train a chunk.
 */
#ifndef STFM_CONTROL_CLAIM_H
#define STFM_CONTROL_CLAIM_H

#include <stdint.h>

struct error;
struct queue;
struct store_chunk;
struct store_job;

/*
 * A command records its intent to queue a chunk before it calls sbatch.  If
 * such an intent is older than these seconds and there is no array, the command
 * has died: no call to Slurm takes so long.
 */
enum { JOB_SBATCH_SECONDS = 120 };

/* Return how many array tasks in queue are alive; queue may be NULL. */
uint64_t job_claim_count_alive(const struct queue *queue);

/*
 * Return whether any task of array is running or pending.  Slurm may give the
 * id of the array to a later job, so records in queue count only if they have
 * the token; with NULL, all of them count.
 */
int job_claim_is_alive(const struct queue *, uint32_t array, const char *token);

/* Cancel an array that lost the claim; its tasks would not train anyway. */
void job_claim_cancel(uint32_t array, const char *token);

/*
 * Check that Slurm kept the token of array, which sbatch has just queued for
 * chunk.  An array without its token is cancelled.  Returns 0, also if Slurm
 * does not answer, or -1 with the reason in e.
 */
int job_claim_check(const struct store_job *, const struct store_chunk *chunk,
    uint32_t array, struct error *e);

/*
 * Claim chunk for *array.  If another array has the claim, *array is set to
 * that one and ours is cancelled.  Returns 0 or -1.
 */
int job_claim_claim(const struct store_job *, const struct store_chunk *chunk,
    uint32_t *array, struct error *e);

/*
 * Find the array to claim among those with the token of chunk: the first that
 * is running or pending, else the first.  Other arrays that are running or
 * pending are cancelled.  Returns 1 with *array set, or 0 if there is none.
 */
int job_claim_find(
    const struct queue *, const struct store_chunk *chunk, uint32_t *array);

#endif
