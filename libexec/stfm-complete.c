/*
 * stfm-complete - say what a word on a command line can become.
 *
 * stfm-complete WHAT WORD [COMMAND-LINE ...]
 *
 * The shell completions call it; lib/status/completion.h lists the values of
 * WHAT.  It prints candidates, one on each line, each with a tab and a short
 * description.
 */
#include <unistd.h>

#include "status/completion.h"
#include "term/cli.h"

static const struct cli_option options[] = {{0}};
static const struct cli command = {"stfm-complete",
    "say what a word on a command line can become", "WHAT WORD [LINE ...]",
    "  Called by the completions of bash, zsh and fish, not by people.\n",
    options, 1};

int
main(int argc, char **argv)
{
	struct strlist line = {0};
	int opt, i, status = CLI_YES;

	cli_start(&command);
	opt = cli_next(&command, argc, argv);
	if (opt != CLI_END)
		return opt == CLI_SHOWN ? cli_finish(CLI_YES) : CLI_WRONG;
	if (argc - optind < 2)
		return cli_usage(&command);
	for (i = optind + 2; i < argc; i++)
		strlist_push(&line, argv[i]);
	if (completion(stdout, argv[optind], argv[optind + 1], &line) == -1)
		status = cli_usage(&command);
	strlist_free(&line);
	return cli_finish(status);
}
