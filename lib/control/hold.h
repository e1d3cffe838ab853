/*
 * Holding, releasing and throttling a queued job.  The user's request is
 * recorded first, then Slurm is asked.  So requests also apply to tasks queued
 * later, and a watcher repeats what Slurm missed.
 */
#ifndef STFM_CONTROL_HOLD_H
#define STFM_CONTROL_HOLD_H

#include "base/error.h"
#include "store/request.h"

struct queue;
struct store_chunk;
struct store_chunks;
struct store_table;

/* The result of a hold, release or throttle request; zeroed by the caller. */
struct job_held {
	int later;       /* Slurm may lack requests; a watcher will retry */
	uint64_t arrays; /* queued arrays with a new share of the throttle */
};

/* Listings of Slurm's queue; with them, Slurm is asked less often. */
struct job_hold_queue {
	const struct queue *before; /* a listing that the caller has, or NULL */
	/* One made after the last change, or NULL; to free. */
	struct queue *after;
};

/* The message for "later", to print with the reason. */
extern const char job_hold_later[];

/*
 * Hold or release tasks of a job, as kind says.  The queue may be NULL; after
 * is replaced if it was read again.  Returns 0 or -1.
 */
int job_hold_tasks(const struct store_job *, const struct store_table *,
    const struct idset *tasks, enum store_request_kind kind,
    struct job_hold_queue *, struct job_held *, struct error *e);

/* Send Slurm the requests that it does not know yet.  Returns 0 or -1. */
int job_hold_rest(const struct store_job *, struct job_held *, struct error *e);

/*
 * Throttle a job to parallel tasks at a time; 0 means no limit.  Each array in
 * the queue gets a share of the throttle, at least one task.  Returns 0 or -1.
 */
int job_hold_parallel(const struct store_job *, int64_t parallel,
    struct job_held *, struct error *e);

/* Return how many tasks of a chunk that is not queued yet are held. */
uint64_t job_hold_count(
    const struct store_requests *, const struct store_chunk *);

/*
 * Record that an array is queued held because some of its tasks are.  The
 * others are released once its id is known.  Returns 0 or -1.
 */
int job_hold_begin(
    const struct store_job *, const struct store_chunk *, struct error *e);

/*
 * Send Slurm the requests about a chunk that was just claimed.  had is the
 * throttle that sbatch gave its array, in tasks; -1: unknown.  Returns 0 or -1.
 */
int job_hold_chunk(const struct store_job *, const struct store_chunk *,
    int64_t had, struct error *e);

/*
 * Send Slurm the requests that it missed or forgot, and release an array for
 * which there is room now; for watchers.  Returns 0 or -1.
 */
int job_hold_again(const struct store_job *, const struct store_chunks *,
    const struct store_requests *, const struct queue *, struct error *e);

#endif
