/* stfm-attach - a shell, or one command, inside a running training */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "config/config.h"
#include "store/load.h"
#include "term/cli.h"
#include "term/flow.h"
#include "view/attach.h"

struct attach {
	const char *dir, *node, *rank;
	char *program; /* a copy of stfm-run in the store, for the nodes */
	int dry_run;
};

static const struct cli_option options[] = {
    {0, "node", "NODE", "choose the node of a task on several nodes",
	CLI_TEXT(struct attach, node)},
    {0, "rank", "N", "choose the node of this rank (distributed training)"},
    {0, "dry-run", NULL, "print the srun command, do not run it",
	CLI_FLAG(struct attach, dry_run)},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct attach, dir)},
    {0},
};

static const struct cli command = {
    "stfm-attach",
    "open a shell or run a command in a running task",
    "[options] JOB/TASK [-- COMMAND [ARGUMENT ...]]",
    "  stfm-attach conv2d/3                   open a shell in a running task\n"
    "  stfm-attach conv2d/3 -- nvidia-smi     run one command there\n"
    "  stfm-attach --rank 2 llm/0 -- top      run it on the node of rank 2\n",
    options,
    0,
    config_defaults,
};

/* Write text of the training or srun unchanged, as on its terminal. */
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

/*
 * Run srun.  Returns the exit status of the command, or of a failure to start
 * it.
 */
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
		cli_warn("%s/%" PRIu64 ": %s", store_job_name(to->job),
		    to->task, e.text);
		return CLI_WRONG;
	}
	return status;
}

static int
attach(struct attach *a, const struct store *store, char *words[])
{
	struct job_attach to;
	struct error e;
	int status = CLI_WRONG, rc;

	rc = job_attach(&to, store, words, 1, &e);
	if (rc == -1)
		status = cli_status(&e);
	if (to.damaged.count > 0)
		cli_warn_each(store_job_name(to.job), &to.damaged);
	if (rc == 0 && a->node != NULL)
		rc = job_attach_node(&to, a->node, &e);
	else if (rc == 0 && a->rank != NULL)
		rc = job_attach_rank(&to, a->program, a->rank, &e);
	status = rc == 0 ? run(a, &to, words + 1) : cli_fail(&e, status);
	job_attach_free(&to);
	return status;
}

/* Take --rank, which srun needs as text. */
static int
take_rank(void *arg, int letter, struct error *e)
{
	struct attach *a = arg;
	int64_t rank;

	(void)letter;
	a->rank = optarg;
	return num_int(cli_option_name(), optarg, 0, INT32_MAX, &rank, e);
}

int
main(int argc, char **argv)
{
	struct attach a = {0};
	struct store *store = NULL;
	char *program;
	struct error e;
	int got, status;

	cli_start(&command);
	program = cli_sibling("stfm-run");
	got = cli_options(&command, argc, argv, take_rank, &a);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (optind == argc)
		status = cli_usage(&command);
	else if ((store = store_open(a.dir, STORE_WRITE, &e)) == NULL ||
	    store_check_owner(store, &e) == -1 ||
	    (a.program = a.dry_run ? store_program(store->path, program, &e)
				   : store_install(store, program, &e)) == NULL)
		status = cli_fail(&e, CLI_WRONG);
	else
		status = attach(&a, store, argv + optind);
	store_close(store);
	free(a.program);
	free(program);
	return cli_finish(status);
}
