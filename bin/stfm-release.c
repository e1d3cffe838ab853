/* stfm-release - let held training tasks go */
#include <stdio.h>

#include "view/hold.h"

static const struct cli command = {
    "stfm-release",
    "release held tasks",
    "[-Q] [-o FORMAT] [-t STATE] [-w EXPR] JOB[/TASKS] ...",
    "  stfm-release conv2d            release all held tasks of a job\n"
    "  stfm-release conv2d/3,5-7      release some tasks\n"
    "  stfm-release --dry-run conv2d  show which tasks would be released\n",
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
	    &command, STORE_REQUEST_RELEASE, warn, argc, argv, stdout);
}
