/* stfm-submit - store a job and queue one training task for each point */
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "submit/command.h"
#include "submit/options.h"
#include "sys/proc.h"
#include "term/cli.h"
#include "term/progress.h"

extern char **environ;

static const struct cli command = {
    "stfm-submit",
    "store a job and queue one training task for each point",
    "[options] [sbatch options] [NAME=VALUES] SCRIPT|-- COMMAND",
    "  stfm-submit -J conv2d lr=1e-3,1e-4 bs=32,64 -- python train.py\n"
    "  stfm-submit -p gpu -t 8:00:00 --parallel 4 seed=1..10 train.sbatch\n"
    "  stfm-expand lr=1,2 | stfm-submit --from - -- ./train --rate {lr}\n",
    submit_options_options,
    0,
    config_defaults,
    .groups = submit_options_groups,
};

static void
warn_interrupted(void)
{
	progress_end();
	cli_warn("%s", submit_message_interrupted);
}

/* ---- the command line ---- */

/* Take the words from argv[at] on: "--" and the command, or the script. */
static void
submit_options_command(struct submit_options *r, int argc, char **argv, int at)
{
	r->is_script = at < argc && strcmp(argv[at], "--") != 0;
	at += at < argc && !r->is_script;
	r->rest = argv + at;
	r->rest_count = (size_t)(argc - at);
}

/* Parse the command line.  Returns CLI_END, CLI_SHOWN or CLI_BAD. */
static int
parse(struct submit_options *r, int argc, char **argv)
{
	struct error e;
	int at = 1, letter, rc, has_default;

	for (;;) {
		has_default = cli_has_default(&command, argc, argv);
		if (!has_default && (at >= argc || strcmp(argv[at], "--") == 0))
			break;
		if (has_default || cli_takes(&command, argv[at])) {
			letter = cli_next_at(&command, argc, argv, &at);
			if (letter < 0)
				return letter;
			rc = submit_options_take(r, &e);
		} else {
			rc = submit_options_word(r, argv, &at, &e);
			if (rc == 0)
				break;
		}
		if (rc == -1)
			return cli_fail(&e, CLI_BAD);
	}
	submit_options_command(r, argc, argv, at);
	if (r->new_code && r->old_code) {
		cli_warn("--new-code and --old-code: give one of them");
		return CLI_BAD;
	}
	if (!r->report.parsable || !r->report.dry_run)
		return CLI_END;
	cli_warn("--parsable: --dry-run queues nothing, so there are no array "
		 "ids to print");
	return CLI_BAD;
}

int
main(int argc, char **argv)
{
	struct submit_options r;
	struct error e;
	int end, status, done;

	cli_start(&command);
	submit_options_begin(&r, stdout);
	r.report.warn = cli_warn;
	r.report.print = cli_print;
	r.report.confirm = cli_can_ask() ? cli_confirm : NULL;
	r.report.interrupted = warn_interrupted;
	end = parse(&r, argc, argv);
	if (end != CLI_END)
		status = end == CLI_SHOWN ? CLI_YES : CLI_WRONG;
	else if (r.rest_of != NULL)
		status = submit_rest(&r);
	else if (argc == 1)
		status = cli_usage(&command);
	else if (submit_options_plan(&r, argc, argv, environ, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	else
		status = submit_job(&r);
	done = cli_finish(status);
	if (done != status && r.report.queued != NULL)
		cli_warn("%s", r.report.queued);
	submit_options_free(&r);
	proc_unblock();
	return done;
}
