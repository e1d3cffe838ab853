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
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "runner/attach-node.h"
#include "runner/rank.h"
#include "runner/measure.h"
#include "runner/train.h"
#include "term/cli.h"

/* Write a line into the log of the task. */
static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	va_list ap;

	printf("stfm-run: ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

static void
warn(const char *text)
{
	cli_warn("%s", text);
}

static int
look(char *const words[])
{
	struct error e;

	if (job_measure_main(words, warn, &e) == -1)
		return cli_fail(&e, CLI_LATER);
	return CLI_YES;
}

/*
 * Start r->program again for each of the packed tasks, with "beside", its
 * number and words.  Returns the exit status.
 */
static int
train_packed(const struct job_run *r, char *const words[3])
{
	char ***commands = xcalloc(r->packed, sizeof *commands);
	struct strlist *line = xcalloc(r->packed, sizeof *line);
	uint64_t i;
	int status, k;

	for (i = 0; i < r->packed; i++) {
		strlist_push(&line[i], r->program);
		strlist_push(&line[i], "beside");
		strlist_take(&line[i], xasprintf("%" PRIu64, i));
		for (k = 0; k < 3; k++)
			strlist_push(&line[i], words[k]);
		commands[i] = line[i].word;
	}
	status = job_supervise_all(
	    (char *const *const *)commands, r->packed, environ);
	for (i = 0; i < r->packed; i++)
		strlist_free(&line[i]);
	free(line);
	free(commands);
	return status;
}

/* Run all tasks at this index of the array.  Returns the exit status. */
static int
run(struct job_run *r, char *const words[3])
{
	struct error e;

	if (job_run_open(r, words, 0, &e) == -1)
		return cli_fail(&e, CLI_LATER);
	return r->packed > 1 ? train_packed(r, words) : job_train(r);
}

/* Run the packed task with the number in the first word. */
static int
beside(struct job_run *r, char *const words[4])
{
	int64_t number;
	struct error e;

	if (num_int("number", words[0], 0, INT32_MAX, &number, &e) == -1 ||
	    job_run_open(r, words + 1, (uint64_t)number, &e) == -1 ||
	    job_run_redirect(r, &e) == -1)
		return cli_fail(&e, CLI_LATER);
	return job_train(r);
}

static int
rank(char *const words[])
{
	struct error e;
	int status = job_rank(words, &e);

	return status == -1 ? cli_fail(&e, job_train_code(&e)) : status;
}

static int
attach(char *const words[])
{
	struct error e;

	job_attach_inside(words, &e);
	return cli_fail(&e, job_train_code(&e));
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
	struct job_run r = {.say = say, .warn = cli_warn};
	int opt, status;

	cli_start(&command);
	opt = cli_next(&command, argc, argv);
	if (opt != CLI_END)
		return opt == CLI_SHOWN ? cli_finish(CLI_YES) : CLI_WRONG;
	if (argc - optind > 4 && strcmp(argv[optind], "rank") == 0)
		return rank(argv + optind + 1);
	if (argc - optind > 6 && strcmp(argv[optind], "attach") == 0)
		return attach(argv + optind + 1);
	if (argc - optind > 6 && strcmp(argv[optind], "where") == 0)
		return where(argv + optind + 1);
	if (argc - optind == 5 && strcmp(argv[optind], "usage") == 0)
		return look(argv + optind + 1);
	r.program = argv[0];
	if (argc - optind == 5 && strcmp(argv[optind], "beside") == 0)
		status = beside(&r, argv + optind + 1);
	else if (argc - optind == 3)
		status = run(&r, argv + optind);
	else
		return cli_usage(&command);
	job_run_free(&r);
	return status;
}
