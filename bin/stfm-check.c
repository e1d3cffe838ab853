/* stfm-check - verify the store and repair it */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fs.h"
#include "job-verify.h"
#include "store.h"
#include "text.h"
#include "xalloc.h"

enum { REPAIR = 256 };

static const struct cli_option options[] = {
    {'d', "store", "[=DIR]", "the store (default: $STFM_DIR, .stfm, ...)"},
    {REPAIR, "repair", NULL, "move what is damaged aside, make the rest good"},
    {'Q', "quiet", NULL, "do not print what is no damage"},
    {0},
};

static const struct cli command = {
    "stfm-check",
    "verify the store and repair it",
    "[-Q] [--repair] [--store[=DIR]] [JOB ...]",
    "  stfm-check --store                    verify all that is in the store\n"
    "  stfm-check -d /scratch/me/stfm conv2d one job of a certain store\n"
    "  stfm-check --store --repair           move damage to STORE/lost/\n",
    options,
    0,
};

struct check {
	const char *dir;
	int repair, quiet;
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
	int opt;

	while ((opt = cli_next(&command, argc, argv)) >= 0)
		if (opt == 'd')
			take_store(c, argv);
		else if (opt == REPAIR)
			c->repair = 1;
		else
			c->quiet = 1;
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

int
main(int argc, char **argv)
{
	struct check c = {0};
	struct store *store;
	struct error e;
	int opt, status;

	cli_start(&command);
	opt = parse(argc, argv, &c);
	if (opt != CLI_END)
		return opt == CLI_SHOWN ? cli_finish(CLI_YES) : CLI_WRONG;
	store = open_store(&c, &e);
	if (store == NULL)
		return cli_fail(&e, CLI_WRONG);
	status = run(&c, store, argv + optind, (size_t)(argc - optind));
	store_close(store);
	return cli_finish(status);
}
