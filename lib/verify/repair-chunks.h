/*
 * Repair of queueing records: the intents and the claims of a job's chunks.
 */
#ifndef STFM_VERIFY_REPAIR_CHUNKS_H
#define STFM_VERIFY_REPAIR_CHUNKS_H

#include "store/table.h"
#include "verify/repair-log.h"

/*
 * Remake an intent from other records (verify/repair-intent.h) if possible,
 * else leave it.  The table is that of before the repair.  Returns 0 or -1.
 */
int repair_intent(struct repair_log *, const struct store_job *,
    const struct store_table *, const struct verify_finding *, struct error *e);

/*
 * Remake a claim from the facts of its tasks, and move the damaged one: 0 or
 * -1.  Else it stays, since a chunk without a claim might be queued again.
 */
int repair_claim(struct repair_log *, const struct store_job *,
    const struct verify_finding *, struct error *e);

#endif
