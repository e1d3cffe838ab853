#include <getopt.h>
#include <stddef.h>

#include "config/config.h"
#include "view/hold-options.h"
#include "view/hold.h"

enum { DRY_RUN = 256 };

static void
complain(const char *what)
{
	cli_warn("%s", what);
}

static int
take_option(void *hold, int letter, struct error *e)
{
	struct view_hold *h = hold;

	switch (letter) {
	case 't':
		return job_filter_state(h->filter, optarg, e);
	case 'w':
		return job_filter_where(h->filter, optarg, e);
	case 'o':
		return table_format(optarg, &h->format, e);
	case DRY_RUN:
		h->dry_run = 1;
		return 0;
	case 'Q':
		h->quiet = 1;
		return 0;
	default:
		h->dir = optarg;
		return 0;
	}
}

static int
run(const struct view_hold *h, char **words, size_t count, FILE *out)
{
	struct error e;
	struct store *store = store_open(h->dir, STORE_WRITE, &e);
	int rc;

	if (store == NULL || store_check_owner(store, &e) == -1) {
		store_close(store);
		return cli_fail(&e, CLI_WRONG);
	}
	rc = view_hold(h, store, words, count, out);
	store_close(store);
	return rc == 0 ? CLI_YES : rc == 1 ? CLI_LATER : CLI_WRONG;
}

int
view_hold_main(const struct cli *texts, enum store_request_kind kind, int argc,
    char **argv, FILE *out)
{
	const struct cli_option options[] = {
	    {'t', "state", "STATE", "only tasks in these states"},
	    {'w', "where", "EXPR", "only tasks where this holds: 'lr<0.01'"},
	    {'o', "output", "FORMAT", "text, tsv, csv, json or jsonl"},
	    {DRY_RUN, "dry-run", NULL,
		kind == STORE_REQUEST_HOLD ? "show what would be held"
					   : "show what would be released"},
	    {'Q', "quiet", NULL, "print nothing but errors"},
	    {'d', "store", "DIR", "the store (default: $STFM_DIR, .stfm, ...)"},
	    {0},
	};
	struct view_hold h = {
	    .kind = kind, .filter = job_filter_new(), .trouble = complain};
	struct cli command = *texts;
	int got, status;

	command.options = options;
	command.defaults = config_defaults;
	cli_start(&command);
	h.width = cli_terminal_width();
	got = cli_options(&command, argc, argv, take_option, &h);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (optind == argc)
		status = cli_usage(&command);
	else
		status = run(&h, argv + optind, (size_t)(argc - optind), out);
	job_filter_free(h.filter);
	return cli_finish(status);
}
