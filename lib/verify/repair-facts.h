/*
 * Repair of facts.  A fact can be remade from the table; otherwise its file
 * name tells that there was one.
 */
#ifndef STFM_VERIFY_REPAIR_FACTS_H
#define STFM_VERIFY_REPAIR_FACTS_H

#include "store/table.h"
#include "verify/repair-log.h"

/* Remake or move a fact: 0 or -1.  The table is that of before the repair. */
int repair_fact(struct repair_log *, const struct store_job *,
    const struct store_table *, const struct verify_finding *, struct error *e);

/* Remake a missing fact that the table contains.  Returns 0 or -1. */
int repair_lost(struct repair_log *, const struct store_job *,
    const struct store_table *, const struct verify_finding *, struct error *e);

/*
 * Repair misplaced facts in two steps, since another one may have their place.
 * First repair_misplaced moves all of them; then repair_place publishes each
 * under its own name.  Each returns 0 or -1.
 */
int repair_misplaced(
    struct repair_log *, const struct verify_finding *, struct error *e);
int repair_place(struct repair_log *, const struct store_job *,
    const struct verify_finding *, struct error *e);

/* Copy a pack's intact lines to a new pack, then move the pack: 0 or -1. */
int repair_pack(struct repair_log *, const struct store_job *,
    const struct verify_finding *, struct error *e);

#endif
