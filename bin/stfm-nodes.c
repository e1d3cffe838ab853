/* stfm-nodes - show the nodes of the cluster and what is free of them */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "nodes/nodes.h"
#include "nodes/processes.h"
#include "nodes/reserve.h"
#include "notify/hook.h"
#include "slurm/queue.h"
#include "slurm/reserve.h"
#include "term/cli.h"
#include "term/flow.h"

enum {
	CALENDAR = 256,
	ACCOUNTS,
	PROCESSES,
	HOOK,
	RESERVE,
	FROM,
	FOR,
	RELEASE,
	CHARSET,
	COLOR
};

/* Days of the calendar. */
enum { WEEK = 7, LONGEST = 366 };

/* The actions; each has an option, except LIST. */
enum action { LIST, PARTITION_LIST, WHO_WHEN, ON_GPUS, MY_ACCOUNTS, MAKE, END };

struct request {
	struct nodes_style look;
	enum action action;
	const char *action_option; /* the option of the action, or NULL */
	int64_t days;
	struct nodes_request reservation;
	const char *name; /* name of the reservation to end */
	/* An option that is only for --reserve, or NULL. */
	const char *of_reserve;
	const char *hook;
	int dry_run;
	char **words;
	size_t count;
};

static const struct cli_option options[] = {
    {'p', "partitions", NULL, "show the partitions and their limits"},
    {CALENDAR, "calendar", "[=DAYS]",
	"show who has each GPU when (default: 7 days)"},
    {ACCOUNTS, "accounts", NULL,
	"show your accounts and QOS with their limits"},
    {PROCESSES, "processes", NULL, "show whose processes run on the GPUs"},
    {HOOK, "hook", "COMMAND", "run COMMAND for each violation"},
    {RESERVE, "reserve", "NODE[:GPUS]", "reserve a node or its GPUs in Slurm"},
    {FROM, "from", "TIME", "start then (default: now): 16:00, now+2hours"},
    {FOR, "for", "DURATION", "reserve for this long: 90 (minutes), 8:00:00"},
    {RELEASE, "release", "NAME", "end a reservation of yours"},
    {0, "dry-run", NULL, "show what would be done",
	CLI_FLAG(struct request, dry_run)},
    {'l', "long", NULL, "print a line for each node",
	CLI_FLAG(struct request, look.each)},
    {'o', "output", "FORM", "print text, tsv, csv, json or jsonl"},
    {CHARSET, "charset", "SET", "draw with ascii, block or braille"},
    {COLOR, "color", "WHEN", "use colors: auto, always or never"},
    {0},
};

static const struct cli command = {
    "stfm-nodes",
    "show the nodes of the cluster and their free GPUs",
    "[-p | --calendar[=DAYS]] [options] [NODE | PARTITION ...]\n"
    "--processes [--hook COMMAND] [options] [NODE | PARTITION ...]\n"
    "--accounts [-o FORM]\n"
    "--reserve NODE[:GPUS] [--from TIME] --for DURATION [--dry-run]\n"
    "--release NAME [--dry-run]",
    "  stfm-nodes                 show all nodes, equal ones in one line\n"
    "  stfm-nodes -l gpu          show each node of a partition\n"
    "  stfm-nodes -p              show the partitions and their limits\n"
    "  stfm-nodes --calendar 3    show who has each GPU for three days\n"
    "  stfm-nodes --processes     show who uses the GPUs of your nodes\n"
    "  stfm-nodes --reserve n1 --from tomorrow --for 8:00:00\n",
    options,
    0,
    config_defaults,
};

/* ---- the command line ---- */

static int
choose(
    struct request *r, enum action action, const char *option, struct error *e)
{
	if (r->action_option != NULL && r->action != action)
		return error_set(
		    e, "%s: not together with %s", option, r->action_option);
	r->action = action;
	r->action_option = option;
	return 0;
}

static int
take_option(void *arg, int letter, struct error *e)
{
	struct request *r = arg;

	switch (letter) {
	case 'p':
		return choose(r, PARTITION_LIST, "--partitions", e);
	case CALENDAR:
		r->days = 0;
		if (optarg != NULL &&
		    num_int("--calendar", optarg, 1, LONGEST, &r->days, e) ==
			-1)
			return -1;
		return choose(r, WHO_WHEN, "--calendar", e);
	case ACCOUNTS:
		return choose(r, MY_ACCOUNTS, "--accounts", e);
	case PROCESSES:
		return choose(r, ON_GPUS, "--processes", e);
	case HOOK:
		r->hook = optarg;
		return job_hook_check("--hook", optarg, e);
	case RESERVE:
		r->reservation.what = optarg;
		return choose(r, MAKE, "--reserve", e);
	case RELEASE:
		r->name = optarg;
		return choose(r, END, "--release", e);
	case FROM:
		r->reservation.from = optarg;
		r->of_reserve = "--from";
		return 0;
	case FOR:
		r->reservation.span = optarg;
		r->of_reserve = "--for";
		return 0;
	case 'o':
		if (table_format(optarg, &r->look.format, e) == -1)
			return -1;
		if (table_is_paper(r->look.format))
			return error_set(e, "-o: %s is not for this", optarg);
		return 0;
	case CHARSET:
		return cli_charset(optarg, &r->look.charset, e);
	default:
		return cli_colors(optarg, &r->look.colors, e);
	}
}

/* Check the request.  "--calendar 2" means "--calendar=2". */
static int
check(struct request *r, struct error *e)
{
	const char *word = r->count > 0 ? r->words[0] : "";

	if (r->action == WHO_WHEN && r->days == 0) {
		r->days = WEEK;
		if (*word != '\0' && word[strspn(word, "0123456789")] == '\0') {
			r->words++;
			r->count--;
			if (num_int("--calendar", word, 1, LONGEST, &r->days,
				e) == -1)
				return -1;
		}
	}
	if (r->of_reserve != NULL && r->action != MAKE)
		return error_set(
		    e, "%s: is for --reserve alone", r->of_reserve);
	if (r->hook != NULL && r->action != ON_GPUS)
		return error_set(e, "--hook: is for --processes alone");
	if (r->dry_run && r->action != MAKE && r->action != END)
		return error_set(e, "--dry-run: nothing would be changed");
	if (r->count > 0 && r->action >= MY_ACCOUNTS)
		return error_set(
		    e, "%s: %s takes no names", r->words[0], r->action_option);
	return 0;
}

static int
failed(const struct error *e)
{
	return cli_fail(e, cli_status(e));
}

/* ---- output ---- */

/* Report what this site hides.  Returns the exit status. */
static int
say_hidden(const struct queue_cluster *c)
{
	if (c->hides_partitions)
		cli_warn("this site hides its partitions%s from you "
			 "(PrivateData in slurm.conf)",
		    c->hides_nodes ? " and nodes" : "");
	else
		cli_warn("this site hides its nodes from you (PrivateData in "
			 "slurm.conf): stfm-nodes -p shows the partitions");
	return CLI_NO;
}

static int
show_nodes(const struct request *r, const struct queue_cluster *c)
{
	struct queue_allocations *uses;
	struct error e;
	char *chosen = nodes_choose(c, r->words, r->count, &e);

	if (chosen == NULL)
		return cli_fail(&e, CLI_WRONG);
	if (queue_allocations(
		r->action == WHO_WHEN ? QUEUE_ANYBODYS : QUEUE_MINE, &uses,
		&e) == -1) {
		free(chosen);
		return failed(&e);
	}
	if (r->action == WHO_WHEN)
		nodes_calendar(stdout, c, uses, chosen, &r->look, time(NULL),
		    (int)r->days);
	else
		nodes_show(stdout, c, uses, chosen, &r->look);
	queue_allocations_free(uses);
	free(chosen);
	return CLI_YES;
}

static int
show_accounts(const struct request *r, const struct queue_cluster *c)
{
	struct queue_limits limits;
	struct error e;

	if (!c->accounting) {
		cli_warn("there is no accounting database here: Slurm knows no "
			 "accounts and no QOS; limits are those of the "
			 "partitions (stfm-nodes -p)");
		return CLI_NO;
	}
	if (queue_limits(c->name, &limits, &e) == -1)
		return failed(&e);
	if (limits.count == 0) {
		cli_warn("you have no account in Slurm's accounting: its "
			 "administrator can give you one (sacctmgr add user)");
		return CLI_NO;
	}
	nodes_show_accounts(stdout, &limits, &r->look);
	queue_limits_free(&limits);
	return CLI_YES;
}

/* ---- processes ---- */

static void
warn(void *arg, const char *what)
{
	(void)arg;
	cli_warn("%s", what);
}

/*
 * Run the hook for a violation, with the event, its time and the row as input.
 */
static void
run_hook(const char *hook, const struct nodes_process *p)
{
	char *row = nodes_process_json(p), *event;
	struct error e;

	event =
	    xasprintf("{\"event\": \"violation\", \"time\": %" PRId64 ", %s",
		(int64_t)time(NULL), row + 1);
	fflush(stdout);
	if (job_hook_feed(hook, event, &e) == -1)
		cli_warn("--hook: %s", e.text);
	free(event);
	free(row);
}

/*
 * Print the processes on GPUs.  The exit status says whether there are
 * violations, if all GPUs could be read.
 */
static int
show_processes(const struct request *r, const struct queue_cluster *c)
{
	struct nodes_processes all = {0};
	struct error e;
	char *chosen = nodes_choose(c, r->words, r->count, &e);
	size_t i, violations = 0;
	int status;

	if (chosen == NULL)
		return cli_fail(&e, CLI_WRONG);
	if (nodes_processes(c, chosen, warn, NULL, &all, &e) == -1) {
		status = failed(&e);
		nodes_processes_free(&all);
		free(chosen);
		return status;
	}
	if (all.count > 0 || r->look.format != TABLE_TEXT)
		nodes_show_processes(stdout, &all, &r->look);
	else if (all.seen > 0)
		puts("no processes on the GPUs");
	else if (all.dark == 0)
		puts("the nodes where jobs of mine run have no GPUs");
	for (i = 0; i < all.count; i++) {
		if (all.process[i].judgement != NODES_VIOLATION)
			continue;
		violations++;
		if (r->hook != NULL)
			run_hook(r->hook, &all.process[i]);
	}
	status = violations > 0 ? CLI_NO : all.dark > 0 ? CLI_LATER : CLI_YES;
	nodes_processes_free(&all);
	free(chosen);
	return status;
}

/* ---- reservations ---- */

static void
print_line(const struct strlist *words)
{
	flow_words(stdout, words, cli_terminal_width());
}

/* Print who uses the nodes; Slurm only says that they are busy. */
static void
say_others(const struct request *r)
{
	struct strlist others = {0};
	struct queue_allocations *uses;

	if (r->action != MAKE ||
	    queue_allocations(QUEUE_ANYBODYS, &uses, NULL) == -1)
		return;
	nodes_reserve_others(&r->reservation, uses, time(NULL), &others);
	cli_warn_each(NULL, &others);
	strlist_free(&others);
	queue_allocations_free(uses);
}

/*
 * Make or end a reservation; without permission, print the command for an
 * administrator.
 */
static int
change(const struct request *r, const struct strlist *words)
{
	struct error e;
	char *name;
	int status;

	if (r->dry_run) {
		print_line(words);
		return CLI_YES;
	}
	switch (queue_reserve_run(words, &name, &e)) {
	case QUEUE_RESERVE_MAY_NOT:
		cli_warn("this cluster does not let you do that: ask its "
			 "administrator to run this line:");
		print_line(words);
		return CLI_NO;
	case QUEUE_RESERVE_FAILED:
		if (error_may_pass(&e))
			cli_warn("it may have been done all the same: "
				 "stfm-nodes --calendar tells");
		status = failed(&e);
		say_others(r);
		return status;
	default:
		break;
	}
	if (name != NULL)
		cli_print("%s: reserved; use it with sbatch --reservation=%s, "
			  "end it with stfm-nodes --release %s",
		    name, name, name);
	else
		cli_print("%s: %s",
		    r->action == END ? r->name : r->reservation.what,
		    r->action == END ? "released" : "reserved");
	free(name);
	return CLI_YES;
}

static int
show_partitions(const struct request *r, const struct queue_cluster *c)
{
	struct error e;

	if (c->hides_partitions)
		return say_hidden(c);
	if (nodes_show_partitions(
		stdout, c, r->words, r->count, &r->look, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	if (c->hides_nodes)
		cli_warn("this site hides its nodes from you (PrivateData in "
			 "slurm.conf): what is free is not known");
	return CLI_YES;
}

/* Run an action that needs the cluster. */
static int
show(const struct request *r, const struct queue_cluster *c)
{
	struct strlist words = {0};
	struct error e;
	int status;

	switch (r->action) {
	case PARTITION_LIST:
		return show_partitions(r, c);
	case ON_GPUS:
		return c->hides_nodes ? say_hidden(c) : show_processes(r, c);
	case MY_ACCOUNTS:
		return show_accounts(r, c);
	case MAKE:
		if (nodes_reserve_words(
			&r->reservation, c, time(NULL), &words, &e) == -1)
			return cli_fail(&e, CLI_WRONG);
		status = change(r, &words);
		strlist_free(&words);
		return status;
	default:
		if (c->hides_nodes)
			return say_hidden(c);
		if (c->hides_partitions)
			say_hidden(c);
		return show_nodes(r, c);
	}
}

static int
release(const struct request *r)
{
	struct strlist words = {0};
	struct queue_allocations *uses;
	struct error e;
	int status;

	if (queue_allocations(QUEUE_ANYBODYS, &uses, &e) == -1)
		return failed(&e);
	if (nodes_release_words(r->name, uses, &words, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	else
		status = change(r, &words);
	strlist_free(&words);
	queue_allocations_free(uses);
	return status;
}

static int
act(const struct request *r)
{
	enum queue_depth depth =
	    r->action == MY_ACCOUNTS ? QUEUE_LIMITS : QUEUE_NODES;
	struct queue_cluster *c;
	struct error e;
	int status;

	if (r->action == END)
		return release(r);
	if (queue_cluster(depth, &c, &e) == -1)
		return failed(&e);
	status = show(r, c);
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
	if (check(&r, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	return cli_finish(act(&r));
}
