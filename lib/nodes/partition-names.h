/*
 * The names of Slurm's partitions, remembered from the last time it was asked:
 * in ${XDG_CACHE_HOME:-~/.cache}/stfm/partitions, which may be removed.
 */
#ifndef STFM_NODES_PARTITION_NAMES_H
#define STFM_NODES_PARTITION_NAMES_H

#include "base/strlist.h"

/*
 * Add them at once.  When they are old, Slurm is asked in the background for
 * the next time; only when nothing is remembered, it is waited for, 2 seconds
 * at most.
 */
void job_partitions(struct strlist *out);

#endif
