/*
 * Mending of what tasks told.  What the table knows of a fact is enough to make
 * it again; else its name says that there was one.
 */
#ifndef STFM_VERIFY_REPAIR_FACTS_H
#define STFM_VERIFY_REPAIR_FACTS_H

#include "store/table.h"
#include "verify/repair-log.h"

/* The table is as it was before the repair.  Each returns 0 or -1. */
int repair_fact(struct repair_log *, const struct store_job *,
    const struct store_table *, const struct verify_finding *, struct error *e);

/* A fact that the table knows, and that is not there. */
int repair_lost(struct repair_log *, const struct store_job *,
    const struct store_table *, const struct verify_finding *, struct error *e);

/*
 * It is only moved at first, as another one may lie where it belongs; when all
 * are moved, each is published under the name that it has itself.
 */
int repair_misplaced(
    struct repair_log *, const struct verify_finding *, struct error *e);
int repair_place(struct repair_log *, const struct store_job *,
    const struct verify_finding *, struct error *e);

/* Its good lines go into another pack before it is moved. */
int repair_pack(struct repair_log *, const struct store_job *,
    const struct verify_finding *, struct error *e);

#endif
