/*
 * stfm-run - train one task: the program in the batch script.
 *
 * stfm-run JOB-DIRECTORY ID CHUNK
 *
 * Run one task of a Slurm array on a compute node: check that this array may
 * train the task, record the start, start the training, pass signals on, and
 * record the end.  Requeue the task if its training ended because of the time
 * limit.
 *
 * stfm-run beside NUMBER JOB-DIRECTORY ID CHUNK
 *
 * Run one of several packed tasks; stfm-run starts this for each of them.
 *
 * stfm-run rank DIST LOG FAILURE COMMAND
 *
 * Run one rank of a distributed training; stfm-run starts this with srun.
 *
 * stfm-run attach JOB-DIRECTORY ID ARRAY INDEX TASK RANK [COMMAND]
 * stfm-run where JOB-DIRECTORY ID ARRAY INDEX TASK RANK
 *
 * Run in a step next to a training, started by stfm-attach: become a command
 * with the environment of the training; print the node if the rank runs on it.
 *
 * stfm-run usage JOB-DIRECTORY RUN TREE GPUS
 *
 * Sample the training's use of GPUs, CPUs and memory.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/attach-node.h"
#include "runner/rank.h"
#include "runner/run.h"
#include "runner/sampler.h"
#include "term/cli.h"

static void
say(const char *text)
{
	cli_warn("%s", text);
}

static int
look(char *const words[])
{
	struct error e;

	if (job_sampler_main(words, say, &e) == -1)
		return cli_fail(&e, CLI_LATER);
	return CLI_YES;
}

/* Return the exit code of a shell for a command that could not be started. */
static int
code_of(const struct error *e)
{
	return e->code == ERROR_ABSENT ? 127 : 126;
}

static int
rank(char *const words[])
{
	struct error e;
	int status = job_rank(words, &e);

	return status == -1 ? cli_fail(&e, code_of(&e)) : status;
}

static int
attach(char *const words[])
{
	struct error e;

	job_attach_inside(words, &e);
	return cli_fail(&e, code_of(&e));
}

static int
where(char *const words[])
{
	struct error e;

	switch (job_attach_inside_is_here(words, &e)) {
	case -1:
		return cli_fail(&e, CLI_WRONG);
	case 1:
		puts(getenv("SLURMD_NODENAME"));
	}
	return cli_finish(CLI_YES);
}

static const struct cli_option options[] = {{0}};
static const struct cli command = {"stfm-run", "train one task inside Slurm",
    "JOB-DIRECTORY ID CHUNK",
    "  Started by the batch scripts of stfm-submit, not by people.\n", options,
    1};

int
main(int argc, char **argv)
{
	char **word;
	int opt, words;

	cli_start(&command);
	opt = cli_next(&command, argc, argv);
	if (opt != CLI_END)
		return opt == CLI_SHOWN ? cli_finish(CLI_YES) : CLI_WRONG;
	word = argv + optind;
	words = argc - optind;
	if (words > 4 && strcmp(*word, "rank") == 0)
		return rank(word + 1);
	if (words > 6 && strcmp(*word, "attach") == 0)
		return attach(word + 1);
	if (words > 6 && strcmp(*word, "where") == 0)
		return where(word + 1);
	if (words == 5 && strcmp(*word, "usage") == 0)
		return look(word + 1);
	if (words == 5 && strcmp(*word, "beside") == 0)
		return job_run_packed_task(argv[0], word + 1);
	if (words == 3)
		return job_run_task(argv[0], word);
	return cli_usage(&command);
}
