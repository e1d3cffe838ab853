/* stfm-release - let held training tasks go */
#include <getopt.h>
#include <stddef.h>

#include "cli.h"
#include "config.h"
#include "job-hold.h"

enum { DRY_RUN = 256 };

static const struct cli_option options[] = {
    {'t', "state", "STATE", "only tasks in these states"},
    {'w', "where", "EXPR", "only tasks where this holds: 'lr<0.01'"},
    {'o', "output", "FORMAT", "text, tsv, csv, json or jsonl"},
    {DRY_RUN, "dry-run", NULL, "show what would be released"},
    {'Q', "quiet", NULL, "print nothing but errors"},
    {'d', "store", "DIR", "the store (default: $STFM_DIR, .stfm, ...)"},
    {0},
};

static const struct cli command = {
    "stfm-release",
    "let held training tasks go",
    "[-Q] [-o FORMAT] [-t STATE] [-w EXPR] JOB[/TASKS] ...",
    "  stfm-release conv2d            let go all that is held of a job\n"
    "  stfm-release conv2d/3,5-7      let some of it go\n"
    "  stfm-release --dry-run conv2d  show what that would be\n",
    options,
    0,
    config_defaults,
};

static void
warn(const char *what)
{
	cli_warn("%s", what);
}

static int
take_option(void *hold, int letter, struct error *e)
{
	return job_hold_option(hold, letter, optarg, e);
}

static int
run(const struct job_hold *h, char **words, size_t count)
{
	struct error e;
	struct store *store = store_open(h->dir, STORE_WRITE, &e);
	int rc;

	if (store == NULL || store_check_owner(store, &e) == -1) {
		store_close(store);
		return cli_fail(&e, CLI_WRONG);
	}
	rc = job_hold(h, store, words, count, stdout);
	store_close(store);
	return rc == 0 ? CLI_YES : rc == 1 ? CLI_LATER : CLI_WRONG;
}

int
main(int argc, char **argv)
{
	struct job_hold h = {.kind = STORE_ORDER_RELEASE,
	    .filter = job_filter_new(),
	    .trouble = warn};
	int got, status;

	cli_start(&command);
	got = cli_options(&command, argc, argv, take_option, &h);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (optind == argc)
		status = cli_usage(&command);
	else
		status = run(&h, argv + optind, (size_t)(argc - optind));
	job_filter_free(h.filter);
	return cli_finish(status);
}
