/* Show the nodes of the cluster: what they are, and what is free of them. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <time.h>

#include "cli.h"
#include "config.h"
#include "nodes.h"
#include "num.h"

enum { CALENDAR = 256, CHARSET, COLOR };

/* Days of the calendar. */
enum { WEEK = 7, LONGEST = 366 };

static const struct cli_option options[] = {
    {'p', "partitions", NULL, "the partitions with their limits"},
    {CALENDAR, "calendar", "[=DAYS]", "who has what when (DAYS: 7)"},
    {'l', "long", NULL, "a line for each node"},
    {'o', "output", "FORM", "text, tsv, csv, json or jsonl"},
    {CHARSET, "charset", "SET", "ascii, block or braille"},
    {COLOR, "color", "WHEN", "auto, always or never"},
    {0},
};

static const struct cli command = {
    "stfm-nodes",
    "show the nodes of the cluster and what is free of them",
    "[options] [NODE | PARTITION ...]",
    "  stfm-nodes                 all nodes, those that are alike in one line\n"
    "  stfm-nodes -l gpu          each node of a partition\n"
    "  stfm-nodes -p              the partitions and their limits\n"
    "  stfm-nodes --calendar=3    GPUs down, the hours of three days across\n",
    options,
    0,
    config_defaults,
};

struct request {
	struct nodes_look look;
	int partitions;
	int64_t days; /* of the calendar, or 0: none is wanted */
	char **words;
	size_t count;
};

static int
take_option(void *arg, int letter, struct error *e)
{
	struct request *r = arg;

	switch (letter) {
	case 'p':
		r->partitions = 1;
		return 0;
	case CALENDAR:
		r->days = WEEK;
		return optarg == NULL
		    ? 0
		    : num_int("--calendar", optarg, 1, LONGEST, &r->days, e);
	case 'l':
		r->look.each = 1;
		return 0;
	case 'o':
		if (table_format(optarg, &r->look.format, e) == -1)
			return -1;
		return r->look.format == TABLE_LATEX
		    ? error_set(e, "-o: latex is not for this")
		    : 0;
	case CHARSET:
		return cli_charset(optarg, &r->look.charset, e);
	default:
		return cli_colors(optarg, &r->look.colors, e);
	}
}

static int
failed(const struct error *e)
{
	return cli_fail(e, errno == EAGAIN ? CLI_LATER : CLI_WRONG);
}

static int
show_nodes(const struct request *r, const struct queue_cluster *c)
{
	struct queue_uses *uses;
	struct error e;
	char *chosen = nodes_choose(c, r->words, r->count, &e);

	if (chosen == NULL)
		return cli_fail(&e, CLI_WRONG);
	if (queue_uses(r->days > 0 ? QUEUE_ANYBODYS : QUEUE_MINE, &uses, &e) ==
	    -1) {
		free(chosen);
		return failed(&e);
	}
	if (r->days > 0)
		nodes_calendar(stdout, c, uses, chosen, &r->look, time(NULL),
		    (int)r->days);
	else
		nodes_show(stdout, c, uses, chosen, &r->look);
	queue_uses_free(uses);
	free(chosen);
	return CLI_YES;
}

static int
act(const struct request *r)
{
	struct queue_cluster *c;
	struct error e;
	int status = CLI_YES;

	if (queue_cluster(QUEUE_NODES, &c, &e) == -1)
		return failed(&e);
	if (!r->partitions)
		status = show_nodes(r, c);
	else if (nodes_show_partitions(
		     stdout, c, r->words, r->count, &r->look, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	queue_cluster_free(c);
	return status;
}

int
main(int argc, char **argv)
{
	struct request r = {.look = {.width = cli_width(0)}};
	struct error e;
	int opt;

	cli_start(&command);
	if (cli_charset(NULL, &r.look.charset, &e) == -1 ||
	    cli_colors(NULL, &r.look.colors, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	opt = cli_options(&command, argc, argv, take_option, &r);
	if (opt != CLI_END)
		return opt == CLI_SHOWN ? cli_finish(CLI_YES) : CLI_WRONG;
	r.words = argv + optind;
	r.count = (size_t)(argc - optind);
	return cli_finish(act(&r));
}
