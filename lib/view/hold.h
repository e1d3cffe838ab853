/*
 * Holding and releasing pending tasks: the main function of stfm-hold and
 * stfm-release, which have the same options.
 */
#ifndef STFM_VIEW_HOLD_H
#define STFM_VIEW_HOLD_H

#include <stdio.h>

#include "store/request.h"
#include "term/cli.h"

/*
 * Run the command.  kind says whether to hold or to release.  texts has no
 * options; view_hold_main adds them.  trouble is called with each problem, out
 * is standard output.  Returns the exit status.
 */
int view_hold_main(const struct cli *texts, enum store_request_kind kind,
    void trouble(const char *what), int argc, char **argv, FILE *out);

#endif
