/*
 * Orders: what a user changes in a job that is queued.  Tasks are held, or let
 * go again, and another number of them may run at once.
 *
 * An order is a record in ctl/ with a number of its own, written once, before
 * Slurm is told.  Of orders about the same the one with the highest number
 * counts.
 */
#ifndef STFM_STORE_HOLD_H
#define STFM_STORE_HOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "store/job.h"

enum store_order_kind {
	STORE_ORDER_NONE,
	STORE_ORDER_HOLD,
	STORE_ORDER_RELEASE,
	STORE_ORDER_PARALLEL
};

struct store_order {
	uint64_t number; /* from 1; given when it is published */
	enum store_order_kind kind;
	struct ranges tasks; /* to hold or release */
	uint32_t attempt;    /* ... in this attempt */
	int64_t parallel;    /* tasks at once, or 0 for no limit */
};

struct store_orders {
	struct store_order *order; /* by number */
	size_t count;
	struct words damaged; /* reasons: one for each that is not whole */
};

/* Publish an order under the next number. */
int store_order(
    const struct store_job *, const struct store_order *, struct error *e);

/* The same for tasks that are in different attempts: see store_wish_all. */
int store_order_all(const struct store_job *, enum store_order_kind,
    const struct ranges *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    struct error *e);

/* List them all; -1 when one cannot be read now. */
int store_orders_list(
    const struct store_job *, struct store_orders *out, struct error *e);

/* The same for a decision: -1 also when one is damaged, as store_part_whole. */
int store_orders_whole(
    const struct store_job *, struct store_orders *out, struct error *e);
void store_orders_free(struct store_orders *);

/* The order that counts for an attempt of a task, or NULL. */
const struct store_order *store_order_for(
    const struct store_orders *, uint64_t task, uint32_t attempt);

/* Whether the user holds it. */
int store_is_held(const struct store_orders *, uint64_t task, uint32_t attempt);

/* The order that says how many tasks may run at once, or NULL. */
const struct store_order *store_order_parallel(const struct store_orders *);

/* How many may: by that order, else by the job; 0 for no limit. */
int64_t store_order_limit(
    const struct store_job *, const struct store_orders *);

#endif
