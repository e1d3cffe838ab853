/*
 * Packing by a pass: the facts of tasks that are over move into packs, so that
 * a job that is over is made of few files.
 */
#ifndef STFM_RECONCILE_PACK_H
#define STFM_RECONCILE_PACK_H

#include <stdint.h>

#include "base/error.h"
#include "store/facts.h"
#include "store/table.h"

/*
 * Note in the fold, which is as these facts say, whose packs it has taken in:
 * they need not be read again.  Returns whether that is news.
 */
int reconcile_pack_take(struct store_table *, const struct store_facts *);

/*
 * Pack what can be packed by now (the store's clock), at most a few thousand
 * facts, and merge packs where they have become many.  Returns 0, 1 when the
 * packs that the fold has taken in are others now, or -1; whatever happens
 * nothing is lost.
 */
int reconcile_pack(const struct store_job *, struct store_table *,
    const struct store_facts *, int64_t now, struct error *e);

#endif
