/* stfm-hold - hold training tasks that wait */
#include <stdio.h>

#include "view/hold.h"

static const struct cli command = {
    "stfm-hold",
    "hold pending tasks",
    "[-Q] [-o FORMAT] [-t STATE] [-w EXPR] JOB[/TASKS] ...",
    "  stfm-hold conv2d                hold all pending tasks of a job\n"
    "  stfm-hold -w 'lr>0.01' conv2d   hold tasks with a large lr\n"
    "  stfm-release conv2d             release them\n",
};

static void
warn(const char *what)
{
	cli_warn("%s", what);
}

int
main(int argc, char **argv)
{
	return view_hold_main(
	    &command, STORE_REQUEST_HOLD, warn, argc, argv, stdout);
}
