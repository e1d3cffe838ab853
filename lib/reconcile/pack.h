/*
 * Packing by a reconcile pass: the facts of tasks that are over, and requests
 * to stop them, move into packs, so that a finished job consists of few files.
 * Empty logs go, too.
 */
#ifndef STFM_RECONCILE_PACK_H
#define STFM_RECONCILE_PACK_H

#include <stdint.h>

#include "base/error.h"
#include "store/facts.h"

struct job_pass;
struct store_table;

/*
 * Note in the table, which is up to date with these facts, which packs it
 * contains: they need not be read again.  Returns whether the table changed.
 */
int reconcile_pack_take(struct store_table *, const struct store_facts *);

/*
 * Pack the facts that may be packed at the time now (store clock), at most a
 * few thousand, and merge packs if there are many.  Returns 0, 1 if the table's
 * list of packs changed, or -1; no fact is lost in any case.
 */
int reconcile_pack(const struct store_job *, struct store_table *,
    const struct store_facts *, int64_t now, struct error *e);

/*
 * Pack stop requests of a search about tasks that are over.  Returns how many,
 * or -1; no request is lost in any case.
 */
int64_t reconcile_pack_stops(const struct job_pass *, struct error *e);

/*
 * Remove empty logs of FINISHED tasks, in the pass that packs the last facts of
 * a job that is over.  A log stays if Slurm may still write to it, or one of
 * the tasks that share it is not FINISHED.  Returns 0 or -1.
 */
int reconcile_remove_empty_logs(struct job_pass *, struct error *e);

#endif
