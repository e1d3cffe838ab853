/*
 * Mending of what was queued: the intents and the claims of the chunks of a
 * job.
 */
#ifndef STFM_VERIFY_REPAIR_CHUNKS_H
#define STFM_VERIFY_REPAIR_CHUNKS_H

#include "store/table.h"
#include "verify/repair-log.h"

/*
 * It is made again where it follows from other records
 * (verify/repair-intent.h), and else left.  The table is as it was before the
 * repair.  Returns 0 or -1, as the next.
 */
int repair_intent(struct repair_log *, const struct store_job *,
    const struct store_table *, const struct verify_finding *, struct error *e);

/*
 * Without its claim a chunk might be queued once more, so a claim is only
 * moved when it can be made again, from what its tasks told.
 */
int repair_claim(struct repair_log *, const struct store_job *,
    const struct verify_finding *, struct error *e);

#endif
