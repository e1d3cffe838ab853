/* The accounts and QOS that this user may use, and their limits. */
#ifndef STFM_NODES_ACCOUNTS_H
#define STFM_NODES_ACCOUNTS_H

#include <stdio.h>

#include "nodes/nodes.h"
#include "slurm/limits.h"

/* Write tables of accounts and QOS; for programs one table of both. */
void nodes_show_accounts(
    FILE *, const struct queue_limits *, const struct nodes_look *);

#endif
