/*
 * A wish to stop tasks in an attempt, recorded before Slurm is told.
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
	int64_t time; /* by the clock of the host where it was made */
	int64_t made; /* by the file system's, when it was listed; or -1 */
	char *why;    /* it was made by a rule: "max-fail 3"; or NULL */
};

struct store_stops {
	struct store_stop *wish;
	size_t count;
	struct strlist damaged; /* reasons: one for each that is not whole */
};

/* Publish a wish to stop. */
int store_stop_add(
    const struct store_job *, const struct store_stop *, struct error *e);

/*
 * The same for tasks that are in different attempts, as attempt(arg, task)
 * says: for all of them, or for none.  why may be NULL.
 */
int store_stop_add_all(const struct store_job *, const struct idset *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    const char *why, struct error *e);

/* List them all; -1 when one cannot be read now. */
int store_stops_list(
    const struct store_job *, struct store_stops *out, struct error *e);

/* The same for a decision: -1 also when one is damaged, as
 * store_directory_whole. */
int store_stops_whole(
    const struct store_job *, struct store_stops *out, struct error *e);
void store_stops_free(struct store_stops *);

/* Whether somebody wished this run of the task to stop. */
int store_stop_is_asked(
    const struct store_stops *, uint64_t task, uint32_t attempt);

/* Whether a wish is one that is looked for. */
typedef int store_stop_meant(const struct store_stop *);

/* The first wish about this run of the task that is meant (NULL: any). */
const struct store_stop *store_stop_for(const struct store_stops *,
    uint64_t task, uint32_t attempt, store_stop_meant *);

#endif
