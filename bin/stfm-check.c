/* stfm-check - verify the store and repair it, show what is set up */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "config.h"
#include "fs.h"
#include "job-verify.h"
#include "store.h"
#include "text.h"
#include "xalloc.h"

enum { REPAIR = 256, CONFIG };

static const struct cli_option options[] = {
    {'d', "store", "[=DIR]", "the store (default: $STFM_DIR, .stfm, ...)"},
    {REPAIR, "repair", NULL, "move what is damaged aside, make the rest good"},
    {'Q', "quiet", NULL, "do not print what is no damage"},
    {CONFIG, "config", NULL, "show the defaults, and where they come from"},
    {'v', "verbose", NULL, "with --config: what does not hold, too"},
    {'o', "output", "FORMAT", "of --config: text, tsv, csv, json or jsonl"},
    {0},
};

static const struct cli command = {
    "stfm-check",
    "verify the store and repair it, show what is set up",
    "[-Q] [--repair] [--store[=DIR]] [JOB ...]\n"
    "--config [-v] [-o FORMAT]",
    "  stfm-check --store                    verify all that is in the store\n"
    "  stfm-check -d /scratch/me/stfm conv2d one job of a certain store\n"
    "  stfm-check --store --repair           move damage to STORE/lost/\n"
    "  stfm-check --config                   defaults, and where they are\n",
    options,
    0,
};

struct check {
	const char *dir;
	int repair, quiet;
	int config, verbose;
	enum table_format format; /* of the defaults */
};

/* "--store DIR" is written as well; a job's name is no path. */
static int
is_directory(const char *word)
{
	return word != NULL &&
	    (strchr(word, '/') != NULL || strcmp(word, ".") == 0 ||
		strcmp(word, "..") == 0);
}

static void
take_store(struct check *c, char **argv)
{
	c->dir = optarg;
	if (optarg == NULL && argv[optind] != NULL &&
	    (is_directory(argv[optind]) ||
		strcmp(cli_option_name(), "-d") == 0))
		c->dir = argv[optind++];
}

static int
parse(int argc, char **argv, struct check *c)
{
	struct error e;
	int opt;

	while ((opt = cli_next(&command, argc, argv)) >= 0)
		if (opt == 'd')
			take_store(c, argv);
		else if (opt == REPAIR)
			c->repair = 1;
		else if (opt == CONFIG)
			c->config = 1;
		else if (opt == 'v')
			c->verbose = 1;
		else if (opt == 'Q')
			c->quiet = 1;
		else if (table_format(optarg, &c->format, &e) == -1)
			return cli_fail(&e, CLI_BAD);
	return opt;
}

/* Whether a directory without a readable FORMAT is a store all the same. */
static int
is_damaged_store(const char *option, int reason)
{
	char *path = store_path(option), *jobs = fs_join(path, "jobs");
	int yes = (reason == EBADMSG || reason == ENOENT) && fs_exists(jobs);

	free(jobs);
	free(path);
	return yes;
}

static struct store *
open_store(const struct check *c, struct error *e)
{
	struct store *store =
	    store_open(c->dir, c->repair ? STORE_WRITE : STORE_READ, e);

	if (store == NULL && is_damaged_store(c->dir, errno))
		store = store_open(c->dir, STORE_VERIFY, e);
	if (store != NULL && c->repair && store_check_owner(store, e) == -1) {
		store_close(store);
		store = NULL;
	}
	return store;
}

static void
print_findings(const struct check *c, const struct job_findings *found)
{
	const struct job_finding *f;
	size_t i;

	for (i = 0; i < found->count; i++) {
		f = &found->item[i];
		if (f->kind == FINDING_NOTE && c->quiet)
			continue;
		text_plain(stdout, found->store->path);
		putchar('/');
		text_plain(stdout, f->path);
		if (f->line > 0)
			printf(":%zu", f->line);
		fputs(f->kind == FINDING_NOTE ? ": note: " : ": ", stdout);
		text_plain(stdout, f->what);
		putchar('\n');
	}
}

/* Returns an exit status: 0 when nothing is left. */
static int
repair(struct job_findings *found)
{
	struct words said = {0};
	struct error e;
	int64_t left = job_repair(found, &said, &e);
	size_t i;

	for (i = 0; i < said.count; i++) {
		text_plain(stdout, said.word[i]);
		putchar('\n');
	}
	words_free(&said);
	if (left == -1)
		return cli_fail(&e, CLI_WRONG);
	return left > 0 ? CLI_NO : CLI_YES;
}

static int
run(const struct check *c, const struct store *store, char **names,
    size_t count)
{
	struct job_findings found;
	struct error e;
	int status, rc = job_verify(store, names, count, &found, &e);

	print_findings(c, &found);
	if (rc == -1)
		status = cli_fail(&e, CLI_WRONG);
	else if (found.damage == 0)
		status = CLI_YES;
	else
		status = c->repair ? repair(&found) : CLI_NO;
	job_findings_free(&found);
	return status;
}

static int
check_store(struct check *c, char **names, size_t count)
{
	struct store *store;
	struct error e;
	int status;

	if (c->dir == NULL && config_store(&c->dir, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	store = open_store(c, &e);
	if (store == NULL)
		return cli_fail(&e, CLI_WRONG);
	status = run(c, store, names, count);
	store_close(store);
	return status;
}

/* ---- the defaults ---- */

static int
check_config(const struct check *c)
{
	struct config *config = config_load();
	struct table_look look = {.format = c->format, .width = cli_width(0)};
	int status = CLI_YES;
	size_t i;

	config_show(stdout, config, &look, c->verbose);
	for (i = 0; i < config->problems; i++) {
		cli_warn("%s", config->problem[i].text);
		if (!config->problem[i].is_passed_over)
			status = CLI_NO;
	}
	config_free(config);
	return status;
}

int
main(int argc, char **argv)
{
	struct check c = {0};
	int opt, status;

	cli_start(&command);
	opt = parse(argc, argv, &c);
	if (opt != CLI_END)
		return opt == CLI_SHOWN ? cli_finish(CLI_YES) : CLI_WRONG;
	if (c.config)
		status = check_config(&c);
	else
		status =
		    check_store(&c, argv + optind, (size_t)(argc - optind));
	return cli_finish(status);
}
