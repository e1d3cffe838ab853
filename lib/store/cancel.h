/*
 * Stop requests: records of the tasks that a user or a policy wants to stop,
 * written before Slurm is asked to cancel them.
 */
#ifndef STFM_STORE_CANCEL_H
#define STFM_STORE_CANCEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "store/job.h"

struct store_stop {
	struct idset tasks;
	uint32_t attempt;
	int64_t time; /* by the clock of the host that made it */
	int64_t made; /* by the file system's clock, once listed; or -1 */
	char *why;    /* the policy that made it, "max-fail 3"; or NULL */
};

struct store_stops {
	struct store_stop *stop;
	size_t count;
	struct strlist damaged; /* a reason for each damaged record */
};

/* Publish a stop request.  Returns 0, or -1. */
int store_stop_add(
    const struct store_job *, const struct store_stop *, struct error *e);

/*
 * Publish stop requests for tasks in different attempts, which attempt(arg,
 * task) returns: for all of the tasks or for none.  why is as in struct
 * store_stop.  Returns 0, or -1.
 */
int store_stop_add_all(const struct store_job *, const struct idset *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    const char *why, struct error *e);

/*
 * List all stop requests; *out is to be freed with store_stops_free.  Damaged
 * ones are named in out->damaged.  Returns 0, or -1 if one cannot be read now.
 */
int store_stops_list(
    const struct store_job *, struct store_stops *out, struct error *e);

/*
 * List all stop requests for a decision that depends on each of them.  Returns
 * 0, or -1 if one is damaged (errno EBADMSG) or cannot be read now.
 */
int store_stops_whole(
    const struct store_job *, struct store_stops *out, struct error *e);
void store_stops_free(struct store_stops *);

/* Return whether there is a stop request for this attempt of the task. */
int store_stop_is_asked(
    const struct store_stops *, uint64_t task, uint32_t attempt);

/* Return whether a stop request is one that the caller looks for. */
typedef int store_stop_meant(const struct store_stop *);

/*
 * Return the first stop request for this attempt of the task for which is_meant
 * (NULL: any) returns true, or NULL.  It belongs to the list.
 */
const struct store_stop *store_stop_for(const struct store_stops *,
    uint64_t task, uint32_t attempt, store_stop_meant *is_meant);

#endif
