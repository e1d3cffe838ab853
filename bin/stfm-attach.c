/* stfm-attach - a shell, or one command, inside a running training */
#include <errno.h>
#include <inttypes.h>
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "config/config.h"
#include "term/cli.h"
#include "term/flow.h"
#include "view/attach.h"

enum { NODE = 256, RANK, DRY_RUN };

static const struct cli_option options[] = {
    {NODE, "node", "NODE", "on this node, of a task that has several"},
    {RANK, "rank", "N", "where this rank of a distributed training is"},
    {DRY_RUN, "dry-run", NULL, "show how srun would be called"},
    {'d', "store", "DIR", "the store (default: $STFM_DIR, .stfm, ...)"},
    {0},
};

static const struct cli command = {
    "stfm-attach",
    "a shell, or one command, inside a running training",
    "[options] JOB/TASK [-- COMMAND [ARGUMENT ...]]",
    "  stfm-attach conv2d/3                   a shell where it trains\n"
    "  stfm-attach conv2d/3 -- nvidia-smi     one command there\n"
    "  stfm-attach --rank 2 llm/0 -- top      beside rank 2 of a large one\n",
    options,
    0,
    config_defaults,
};

struct attach {
	const char *dir, *node, *rank;
	char *program; /* stfm-run, as the nodes see it */
	int dry_run;
};

/* The text is the training's or srun's, as on its terminal. */
static void
say(void *arg, const char *text, size_t length)
{
	ssize_t n;

	(void)arg;
	for (; length > 0; text += n, length -= (size_t)n) {
		n = write(STDERR_FILENO, text, length);
		if (n == -1 && errno != EINTR)
			return;
		if (n == -1)
			n = 0;
	}
}

/* An exit status: that of the command, if it was started. */
static int
run(const struct attach *a, const struct job_attach *to, char *const words[])
{
	int terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO), status;
	struct strlist all = {0};
	struct error e;

	job_attach_words(to, a->program, a->rank, words, terminal, &all);
	if (a->dry_run) {
		flow_words(stdout, &all, cli_terminal_width());
		status = CLI_YES;
	} else {
		status = queue_step_run(&all, say, NULL, &e);
	}
	strlist_free(&all);
	if (status == -1) {
		cli_warn("%s/%" PRIu64 ": %s", to->job->name, to->task, e.text);
		return CLI_WRONG;
	}
	return status;
}

/* Where to go on: 0, or -1. */
static int
aim(const struct attach *a, struct job_attach *to, struct error *e)
{
	if (a->node != NULL && job_attach_node(to, a->node, e) == -1)
		return -1;
	if (a->rank != NULL && a->node == NULL)
		return job_attach_rank(to, a->program, a->rank, e);
	return 0;
}

static int
attach(struct attach *a, const struct store *store, char *words[])
{
	struct job_attach to;
	struct error e;
	int status, rc;

	rc = job_attach(&to, store, words, 1, &e);
	if (to.damaged.count > 0)
		cli_warn_each(to.job->name, &to.damaged);
	if (rc == -1)
		status =
		    cli_fail(&e, e.code == ERROR_LATER ? CLI_LATER : CLI_WRONG);
	else if (aim(a, &to, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	else
		status = run(a, &to, words + 1);
	job_attach_free(&to);
	return status;
}

/* The nodes run a copy of the program that is in the store. */
static int
place_program(struct attach *a, const struct store *store, struct error *e)
{
	char *program = cli_sibling("stfm-run");

	a->program = a->dry_run ? store_program(store->path, program, e)
				: store_install(store, program, e);
	free(program);
	return a->program != NULL ? 0 : -1;
}

static int
take_option(void *arg, int letter, struct error *e)
{
	struct attach *a = arg;
	int64_t rank;

	switch (letter) {
	case NODE:
		a->node = optarg;
		return 0;
	case RANK:
		a->rank = optarg;
		return num_int(
		    cli_option_name(), optarg, 0, INT32_MAX, &rank, e);
	case DRY_RUN:
		a->dry_run = 1;
		return 0;
	default:
		a->dir = optarg;
		return 0;
	}
}

int
main(int argc, char **argv)
{
	struct attach a = {0};
	struct store *store = NULL;
	struct error e;
	int got, status;

	cli_start(&command);
	got = cli_options(&command, argc, argv, take_option, &a);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (optind == argc)
		status = cli_usage(&command);
	else if ((store = store_open(a.dir, STORE_WRITE, &e)) == NULL ||
	    store_check_owner(store, &e) == -1 ||
	    place_program(&a, store, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	else
		status = attach(&a, store, argv + optind);
	store_close(store);
	free(a.program);
	return cli_finish(status);
}
