/*
 * The names of Slurm's partitions, cached in
 * ${XDG_CACHE_HOME:-~/.cache}/stfm/partitions, which may be removed.
 */
#ifndef STFM_STATUS_PARTITION_NAMES_H
#define STFM_STATUS_PARTITION_NAMES_H

#include "base/strlist.h"

/*
 * Add the cached names to out.  If they are old, ask Slurm in the background
 * for the next call; if there are none, wait for Slurm, at most 2 seconds.
 */
void nodes_partition_names(struct strlist *out);

#endif
