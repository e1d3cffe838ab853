/* stfm-dist - set up distributed training in a step of Slurm */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "runner/rank.h"
#include "term/cli.h"

/* The exit statuses of a shell for a command that it cannot run. */
enum { NOT_STARTED = 126, NOT_FOUND = 127 };

struct request {
	char *text; /* the distribution, "tensorflow,ps=1" */
	const char *form;
	char **rest;
	int prolog; /* whether Slurm runs us before each task of a step */
};

static const struct cli_option options[] = {
    {0, "ps", "N|first", "start N parameter servers, or put them first"},
    {0, "chief", NULL, "make worker 0 the chief (default with --ps)"},
    {0, "no-chief", NULL, "have no chief, even with --ps"},
    {0, "evaluator", NULL, "make the last rank the evaluator (tensorflow)"},
    {0, "mpi", NULL, "connect the ranks through MPI (horovod)"},
    {0, "gloo", NULL, "connect through Gloo; your program starts a server"},
    {0, "gpus", "WAY", "split the GPUs of a node, or show all to each rank"},
    {0, "port", "N", "use ports from N on (default: from the job id)"},
    {'o', "output", "FORM", "print sh, csh, json or env (NAME=VALUE)",
	CLI_TEXT(struct request, form)},
    {0},
};

static const struct cli command = {
    "stfm-dist",
    "set up distributed training in a Slurm job step",
    "[options] FRAMEWORK [-- COMMAND]",
    "  srun stfm-dist torch -- python train.py\n"
    "  srun stfm-dist tensorflow --ps 1 -- python train.py\n"
    "  eval \"$(stfm-dist tensorflow)\"        in a batch script, before srun\n"
    "FRAMEWORK is tensorflow, torch, horovod, mxnet or jax.\n",
    options,
    0,
    NULL,
};

/* The variable in which a batch script passes its options to its tasks. */
static const char handed_on[] = "STFM_DIST";

/* ---- output ---- */

static void
put_value(const char *form, const char *name, const char *value)
{
	const char *c;

	if (strcmp(form, "env") == 0) {
		printf("%s=%s\n", name, value);
	} else if (strcmp(form, "csh") == 0) {
		printf("setenv %s '", name);
		for (c = value; *c != '\0'; c++) {
			if (*c == '\'')
				fputs("'\\''", stdout);
			else if (*c == '!')
				fputs("\\!", stdout);
			else
				putchar(*c);
		}
		fputs("';\n", stdout);
	} else {
		printf("export %s=", name);
		text_shell(stdout, value);
		putchar('\n');
	}
}

static void
print_json(const struct strlist *variables)
{
	size_t i, n;
	char *name;

	fputs("{", stdout);
	for (i = 0; i < variables->count; i++) {
		n = strcspn(variables->word[i], "=");
		name = xstrndup(variables->word[i], n);
		fputs(i > 0 ? "," : "", stdout);
		text_json(stdout, name);
		fputs(":", stdout);
		text_json(stdout, variables->word[i] + n + 1);
		free(name);
	}
	fputs("}\n", stdout);
}

static void
print(const struct request *r, const struct strlist *variables)
{
	size_t i, n;
	char *name;

	if (strcmp(r->form, "json") == 0) {
		print_json(variables);
		return;
	}
	for (i = 0; i < variables->count; i++) {
		n = strcspn(variables->word[i], "=");
		name = xstrndup(variables->word[i], n);
		/* Slurm takes the rest of the line unquoted. */
		if (r->prolog)
			printf("export %s\n", variables->word[i]);
		else
			put_value(r->form, name, variables->word[i] + n + 1);
		free(name);
	}
}

/* ---- setting up ---- */

/*
 * Pass the options from a batch script to the tasks that it starts: srun runs
 * this program again before each task and takes the variables from its output.
 */
static void
hand_on(const struct request *r, struct strlist *variables)
{
	const char *theirs = getenv("SLURM_TASK_PROLOG");
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	if (n <= 0)
		return;
	path[n] = '\0';
	if (theirs != NULL && strcmp(theirs, path) != 0) {
		cli_warn("SLURM_TASK_PROLOG is set: start the tasks with srun "
			 "stfm-dist %s -- COMMAND",
		    r->text);
		return;
	}
	strlist_take(variables, xasprintf("%s=%s", handed_on, r->text));
	strlist_take(variables, xasprintf("SLURM_TASK_PROLOG=%s", path));
}

static int
run(const struct dist_options *w, const struct dist_rank_env *d,
    char *const words[])
{
	struct error e;
	int status = job_rank_run(w, d, words, &e);

	if (status == -1)
		return cli_fail(
		    &e, e.code == ERROR_ABSENT ? NOT_FOUND : NOT_STARTED);
	return status;
}

static int
act(const struct request *r, const struct dist_options *w,
    struct dist_rank_env *d)
{
	int is_rank = d->step.rank >= 0;

	cli_warn_each(NULL, &d->notes);
	if (r->rest[0] != NULL && is_rank)
		return run(w, d, r->rest);
	if (r->rest[0] != NULL) {
		cli_warn("this is the script that starts %zu tasks, and none "
			 "of them: srun stfm-dist %s -- %s",
		    d->step.tasks, r->text, r->rest[0]);
		return CLI_WRONG;
	}
	if (!is_rank && dist_has_servers(w))
		cli_warn("parameter servers stay when the chief has ended, "
			 "unless srun stfm-dist %s -- COMMAND starts them",
		    r->text);
	if (!is_rank)
		hand_on(r, &d->variables);
	print(r, &d->variables);
	return CLI_YES;
}

/*
 * Report an error.  A prolog of a Slurm task can reach the user only by
 * printing "print TEXT".
 */
static int
report(const struct request *r, const struct dist_rank_env *d,
    const struct error *e)
{
	if (!r->prolog)
		return cli_fail(e, CLI_WRONG);
	/*
	 * A step with one task prepares or finishes something, without ranks.
	 */
	if (d->step.tasks == 1)
		return CLI_YES;
	fputs("print stfm-dist: ", stdout);
	text_plain(stdout, e->text);
	putchar('\n');
	return CLI_WRONG;
}

/* ---- the command line ---- */

/* Add an option to the text of the distribution. */
static int
add_option(void *arg, int letter, struct error *e)
{
	struct request *r = arg;
	const char *name = cli_entry()->name;
	char *text = r->text;

	(void)letter;
	if (optarg != NULL && strchr(optarg, ',') != NULL)
		return error_set(e, "--%s: '%s' cannot be read", name, optarg);
	r->text = xasprintf(
	    "%s,%s%s%s", text, name, optarg ? "=" : "", optarg ? optarg : "");
	free(text);
	return 0;
}

static int
check_form(const char *form)
{
	static const char *const forms[] = {"sh", "csh", "json", "env"};

	if (text_among(form, forms, sizeof forms / sizeof *forms) != -1)
		return 0;
	cli_warn("-o %s: choose sh, csh, json or env", form);
	return -1;
}

/* Parse the command line.  Returns CLI_END, CLI_SHOWN or CLI_BAD. */
static int
parse(struct request *r, int argc, char **argv)
{
	char *given;
	int got = cli_options(&command, argc, argv, add_option, r);

	if (got != CLI_END)
		return got;
	if (check_form(r->form) == -1)
		return CLI_BAD;
	if (optind == argc) {
		cli_usage(&command);
		return CLI_BAD;
	}
	given = r->text;
	r->text = xasprintf("%s%s", argv[optind], given);
	r->rest = argv + optind + 1;
	free(given);
	return CLI_END;
}

static int
set_up(const struct request *r)
{
	struct dist_rank_env d = {.step = {.rank = -1}};
	struct dist_options distribution;
	struct error e;
	int status;

	if (dist_options_parse(r->text, &distribution, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	if (dist_rank_env(&distribution, &d, &e) == -1)
		status = report(r, &d, &e);
	else
		status = act(r, &distribution, &d);
	dist_rank_env_free(&d);
	return status;
}

/*
 * Return whether the output is for sh.  Searches all words, because -o may
 * follow a word that cannot be parsed.
 */
static int
is_for_sh(char **argv)
{
	const char *form = "sh";
	size_t n;

	for (; *argv != NULL; argv++) {
		n = strcspn(*argv, "=");
		if (text_begins(*argv, "-o"))
			form = (*argv)[2] != '\0' ? *argv + 2 : argv[1];
		else if (n > 2 && strncmp(*argv, "--output", n) == 0)
			form = (*argv)[n] == '=' ? *argv + n + 1 : argv[1];
	}
	return form != NULL && strcmp(form, "sh") == 0;
}

/*
 * Print a line that ends the batch script.  Without its variables the script
 * would start independent trainings, one for each task.  The line does not end
 * an interactive shell.
 */
static void
end_script(const struct request *r, char **argv)
{
	if (r->prolog || r->rest[0] != NULL || isatty(STDOUT_FILENO) ||
	    !is_for_sh(argv) || getenv("SLURM_JOB_ID") == NULL)
		return;
	for (; *argv != NULL; argv++)
		if (strcmp(*argv, "--") == 0)
			return;
	puts("case $- in *i*) false ;; *) exit 2 ;; esac");
}

int
main(int argc, char **argv)
{
	struct request r = {.form = "sh"};
	int got, status;

	cli_start(&command);
	r.prolog = argc == 1 && getenv(handed_on) != NULL;
	r.text = xstrdup(r.prolog ? getenv(handed_on) : "");
	r.rest = argv + argc;
	got = r.prolog ? CLI_END : parse(&r, argc, argv);
	if (got == CLI_END)
		status = set_up(&r);
	else
		status = got == CLI_SHOWN ? CLI_YES : CLI_WRONG;
	if (status == CLI_WRONG)
		end_script(&r, argv);
	free(r.text);
	return cli_finish(status);
}
