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

struct store_wish {
	struct ranges tasks;
	uint32_t attempt;
	int64_t time; /* by the clock of the host where it was made */
	int64_t made; /* by the file system's, when it was listed; or -1 */
	char *why;    /* it was made by a rule: "max-fail 3"; or NULL */
};

struct store_wishes {
	struct store_wish *wish;
	size_t count;
	struct words damaged; /* reasons: one for each that is not whole */
};

/* Publish a wish to stop. */
int store_wish(
    const struct store_job *, const struct store_wish *, struct error *e);

/*
 * The same for tasks that are in different attempts, as attempt(arg, task)
 * says: for all of them, or for none.  why may be NULL.
 */
int store_wish_all(const struct store_job *, const struct ranges *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    const char *why, struct error *e);

/* List them all; -1 when one cannot be read now. */
int store_wishes_list(
    const struct store_job *, struct store_wishes *out, struct error *e);

/* The same for a decision: -1 also when one is damaged, as store_part_whole. */
int store_wishes_whole(
    const struct store_job *, struct store_wishes *out, struct error *e);
void store_wishes_free(struct store_wishes *);

/* Whether somebody wished this run of the task to stop. */
int store_wished(const struct store_wishes *, uint64_t task, uint32_t attempt);

/* Whether a wish is one that is looked for. */
typedef int store_wish_meant(const struct store_wish *);

/* The first wish about this run of the task that is meant (NULL: any). */
const struct store_wish *store_wish_for(const struct store_wishes *,
    uint64_t task, uint32_t attempt, store_wish_meant *);

#endif
