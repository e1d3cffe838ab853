/*
 * What stfm-hold and stfm-release are but for their names: the options, which
 * are the same, and what is done with the tasks that are named.
 */
#ifndef STFM_VIEW_HOLD_OPTIONS_H
#define STFM_VIEW_HOLD_OPTIONS_H

#include <stdio.h>

#include "store/request.h"
#include "term/cli.h"

/*
 * Be the command, which has no options of its own; out is standard output.
 * Returns what main returns.
 */
int view_hold_main(const struct cli *, enum store_request_kind, int argc,
    char **argv, FILE *out);

#endif
