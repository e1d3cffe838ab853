/* stfm - show what the commands are for, or run one of them */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "store/store.h"
#include "term/cli.h"

static const struct cli_option options[] = {{0}};

static const struct cli cli = {
    .name = "stfm",
    .about = "show what the commands are for, or run one of them",
    .synopsis = "[COMMAND [ARGUMENT ...] | help COMMAND]",
    .examples = "  stfm                  all commands, and the newest job\n"
		"  stfm status conv2d    the same as stfm-status conv2d\n"
		"  stfm help submit      the help of stfm-submit\n",
    .options = options,
    .stop_at_operand = 1,
};

/* What people want to do, and the commands for it. */
static const struct {
	const char *purpose, *command[4];
} map[] = {
    {"try all this without a cluster", {"sandbox"}},
    {"check your set-up, see nodes", {"check", "nodes"}},
    {"print the points of a sweep", {"expand"}},
    {"queue a training for each point", {"submit"}},
    {"find the best point: --search", {"submit", "ask"}},
    {"follow the trainings", {"status", "watch", "log"}},
    {"draw curves, write a report", {"plot", "report", "tensorboard"}},
    {"choose a metric, tag a job", {"set"}},
    {"stop, hold or throttle tasks", {"stop", "hold", "release", "throttle"}},
    {"run tasks again", {"restart"}},
    {"open a shell next to a training", {"attach"}},
    {"train on several nodes", {"dist"}},
    {"clean up, import other jobs", {"checkpoints", "import"}},
};

enum { ROWS = sizeof map / sizeof *map, MOST = 4 };

static void
print_map(void)
{
	enum { LEFT = 33 };
	size_t i, k;

	for (i = 0; i < ROWS; i++) {
		printf("%-*s", LEFT, map[i].purpose);
		for (k = 0; k < MOST && map[i].command[k] != NULL; k++)
			printf(
			    "%sstfm-%s", k > 0 ? " " : "", map[i].command[k]);
		putchar('\n');
	}
	puts("\nstfm help COMMAND explains one; man 7 stfm begins the manual.");
}

/*
 * Become a command; word[0] is its name without "stfm-".  Returns an exit
 * status if it cannot be run.
 */
static int
become(char **word)
{
	char *name = xasprintf("stfm-%s", word[0]), *path = cli_sibling(name);

	word[0] = name;
	execv(path, word);
	cli_warn("%s: cannot run it", path);
	free(path);
	free(name);
	return CLI_WRONG;
}

/* Show the map and the newest job of the store, if there is one. */
static int
overview(void)
{
	char *newest[] = {"status", "-n", "1", NULL};
	struct fs_names jobs = {0};
	struct store *store;
	struct error e;
	int has_jobs;

	print_map();
	store = store_open(NULL, STORE_READ, &e);
	if (store == NULL && e.code == ERROR_ABSENT)
		return CLI_YES;
	has_jobs =
	    store == NULL || store_jobs(store, &jobs, &e) == -1 || jobs.count;
	fs_names_free(&jobs);
	store_close(store);
	if (!has_jobs)
		return CLI_YES;
	putchar('\n');
	if (cli_flush() == -1)
		return CLI_WRONG;
	return become(newest);
}

/* Refuse a word that is no command.  Returns whether it is one. */
static int
is_command(const char *word)
{
	const char *names[ROWS * MOST + 1];
	char hint[TEXT_HINT];
	size_t count = 0, i, k;

	for (i = 0; i < ROWS; i++)
		for (k = 0; k < MOST && map[i].command[k] != NULL; k++)
			names[count++] = map[i].command[k];
	if (text_among(word, names, count) != -1)
		return 1;
	names[count++] = "help";
	cli_warn("%s: no such command (%s)", word,
	    text_hint_of("stfm ", text_nearest(word, names, count), "",
		"stfm alone lists them", hint));
	return 0;
}

/* Run the command that the words name, or show its help. */
static int
run(char **word)
{
	char *help[] = {NULL, "--help", NULL};

	if (strcmp(word[0], "help") != 0)
		return is_command(word[0]) ? become(word) : CLI_WRONG;
	if (word[1] == NULL) {
		cli_help(&cli);
		return CLI_YES;
	}
	help[0] = word[1];
	return is_command(help[0]) ? become(help) : CLI_WRONG;
}

int
main(int argc, char **argv)
{
	int got, status;

	cli_start(&cli);
	got = cli_options(&cli, argc, argv, NULL, NULL);
	if (got != CLI_END)
		status = got == CLI_SHOWN ? CLI_YES : CLI_WRONG;
	else if (optind == argc)
		status = overview();
	else
		status = run(argv + optind);
	return cli_finish(status);
}
