/*
 * Steering a job that is queued: its user holds tasks that wait, lets them go,
 * or changes how many run at once.  The order is recorded first, then Slurm is
 * told.  So what comes into the queue later is steered too, and a watcher tells
 * Slurm what it has not heard.
 */
#ifndef STFM_CONTROL_HOLD_H
#define STFM_CONTROL_HOLD_H

#include "base/error.h"
#include "slurm/queue.h"
#include "store/chunk.h"
#include "store/job.h"
#include "store/request.h"
#include "store/table.h"

/* What came of it. */
struct job_held {
	int later;       /* Slurm could not be told: a watcher will */
	uint64_t arrays; /* in the queue, that have a new share of the limit */
};

/* What is to be said of that, beside the reason. */
extern const char job_hold_later[];

/* Hold tasks of a job, or release them: 0, or -1. */
int job_hold_tasks(const struct store_job *, const struct store_table *,
    const struct idset *tasks, enum store_request_kind, struct job_held *,
    struct error *e);

/* Tell Slurm what was ordered and it has not heard: 0, or -1. */
int job_hold_rest(const struct store_job *, struct job_held *, struct error *e);

/*
 * Let so many tasks of it run at once, 0 for no limit: 0, or -1.  Each array in
 * the queue has its share of that, one task at least.
 */
int job_hold_parallel(const struct store_job *, int64_t parallel,
    struct job_held *, struct error *e);

/* How many tasks of a chunk that is not queued yet are held. */
uint64_t job_hold_count(
    const struct store_requests *, const struct store_chunk *);

/*
 * Record that an array comes into the queue held because some of its tasks are:
 * the others are let go once its id is known.
 */
int job_hold_begin(
    const struct store_job *, const struct store_chunk *, struct error *e);

/*
 * Tell Slurm what is ordered about a chunk that was claimed a moment ago.  had
 * is how many of its tasks may run at once by now, or -1 when nobody knows.
 */
int job_hold_chunk(const struct store_job *, const struct store_chunk *,
    int64_t had, struct error *e);

/*
 * For watchers: tell Slurm what it has not heard, or has forgotten, and let go
 * of an array for which there is room by now.
 */
int job_hold_again(const struct store_job *, const struct store_chunks *,
    const struct store_requests *, const struct queue *, struct error *e);

#endif
