/* stfm-tensorboard - say how to look at tasks with TensorBoard */
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "status/tensorboard.h"
#include "sys/fs.h"
#include "sys/ports.h"
#include "term/cli.h"
#include "term/flow.h"
#include "view/selection.h"

struct request {
	const char *dir, *login, *links;
	struct job_filter *filter;
	struct strlist asked; /* options that select tasks */
	enum table_format format;
	int for_shell;
	int64_t port;

	struct view_selection choice;
	struct tensorboard board;
};

static const struct cli_option options[] = {
    {0, "port", "N", "use this port (default: a free one from 6006 on)",
	CLI_NUMBER(struct request, port, 1, 65535)},
    {0, "login", "HOST", "name the host you ssh to (default: this machine)",
	CLI_TEXT(struct request, login)},
    {0, "links", "DIR", "put links to the event files here",
	CLI_TEXT(struct request, links)},
    {'t', "state", "STATES", "select tasks by state: RUNNING,FINISHED or R"},
    {'w', "where", "CONDITION", "select tasks by a condition: 'lr<0.01'"},
    {'o', "output", "FORMAT", "print text, sh (the command), tsv, csv or json"},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct request, dir)},
    {0},
};

static const struct cli command = {
    "stfm-tensorboard",
    "show how to open tasks in TensorBoard",
    "[options] [JOB[/TASKS] ...]",
    "  stfm-tensorboard conv2d            show what to type, here and at home\n"
    "  stfm-tensorboard -o sh conv2d | sh     start it\n"
    "  stfm-tensorboard -o tsv conv2d     list the event files\n",
    options,
    0,
    config_defaults,
};

enum { FIRST_PORT = 6006, LAST_PORT = 6106 };

/* ---- the directory for TensorBoard ---- */

/*
 * Return the default directory of links, to free.  Equal selections get the
 * same directory, so that a running TensorBoard sees new runs.
 */
static char *
usual_links(const struct request *r)
{
	char *cache = fs_xdg("XDG_CACHE_HOME", ".cache"), *path;
	char *asked = strlist_join(&r->asked, "\n");
	const char *store = r->choice.store->path;
	uint32_t crc = fs_crc32c_more(
	    fs_crc32c(store, strlen(store)), asked, strlen(asked));

	path = cache == NULL
	    ? NULL
	    : xasprintf("%s/stfm/tensorboard/%s-%08" PRIx32, cache,
		  r->choice.jobs == 1
		      ? store_job_name(r->choice.tasks[0].view->job)
		      : "jobs",
		  crc);
	free(asked);
	free(cache);
	return path;
}

/*
 * Return the directory for TensorBoard, to free, or NULL: for a single task its
 * own directory.
 */
static char *
log_directory(const struct request *r, struct error *e)
{
	char *path;

	if (r->board.count == 1 && r->links == NULL)
		return fs_absolute(r->board.run[0].directory);
	path = r->links != NULL ? fs_absolute(r->links) : usual_links(r);
	if (path == NULL) {
		error_set(e, "--links: there is no home directory: say where");
		return NULL;
	}
	if (tensorboard_link(&r->board, path, e) == 0)
		return path;
	free(path);
	return NULL;
}

static int
find_port(const struct request *r)
{
	int port = FIRST_PORT;

	if (r->port > 0)
		return (int)r->port;
	while (port < LAST_PORT && !ports_is_free(port))
		port++;
	return port;
}

/* ---- output ---- */

/* Where TensorBoard will run, and how to reach it. */
struct way {
	char host[256];    /* name of this machine */
	int in_job;        /* in a Slurm job, not on a login node */
	const char *login; /* host to reach with ssh, or NULL */
	const char *user;
	int port;
};

static struct way
find_way(const struct request *r)
{
	const struct passwd *pw = getpwuid(geteuid());
	const char *submit = getenv("SLURM_SUBMIT_HOST");
	struct way way = {.port = find_port(r)};

	gethostname(way.host, sizeof way.host - 1);
	way.user = pw != NULL ? pw->pw_name : "USER";
	if (getenv("SLURM_JOB_ID") != NULL && submit != NULL &&
	    strcmp(submit, way.host) != 0)
		way.in_job = 1;
	way.login = r->login != NULL ? r->login : way.in_job ? submit : NULL;
	return way;
}

static char *
command_text(const struct way *way, const char *directory)
{
	char *text;
	size_t length;
	FILE *f = xmemopen(&text, &length);

	fputs("tensorboard --logdir ", f);
	text_shell(f, directory);
	fprintf(f, " --port %d", way->port);
	if (way->in_job) {
		fputs(" --host ", f);
		text_shell(f, way->host);
	}
	xmemclose(f);
	return text;
}

/* Print a command to type on a machine.  Frees line. */
static void
print_step(const char *where, char *line)
{
	char *text = xasprintf("  %s\n", line);

	cli_print("On %s:", where);
	flow_script(stdout, text, cli_terminal_width());
	free(text);
	free(line);
}

static void
print_way(const struct way *way, const char *start)
{
	print_step(way->host, xstrdup(start));
	print_step("your own machine",
	    xasprintf("ssh -N -L %d:%s:%d %s@%s", way->port,
		way->in_job ? way->host : "localhost", way->port, way->user,
		way->login != NULL ? way->login : way->host));
	printf("Then open http://localhost:%d\n", way->port);
}

static int
print_command(const struct request *r)
{
	struct way way = find_way(r);
	char *directory, *start;
	struct error e;

	directory = log_directory(r, &e);
	if (directory == NULL)
		return cli_fail(&e, CLI_WRONG);
	start = command_text(&way, directory);
	if (r->for_shell)
		puts(start);
	else
		print_way(&way, start);
	free(start);
	free(directory);
	return CLI_YES;
}

static void
print_runs(const struct request *r)
{
	static const struct table_column columns[] = {
	    {.name = "id", .head = "TASK"},
	    {.name = "run", .head = "RUN"},
	    {.name = "directory", .head = "DIRECTORY"},
	};
	struct table_look look = {.format = r->format};
	struct table *t = table_new(stdout, columns, 3, &look);
	size_t i;

	for (i = 0; i < r->board.count; i++) {
		table_row(t);
		table_text(t, 0, r->board.run[i].id);
		table_text(t, 1, r->board.run[i].name);
		table_text(t, 2, r->board.run[i].directory);
	}
	table_end(t);
}

/* ---- finding runs ---- */

/* Report damage that may hide event files, and how many tasks have none. */
static void
say_missing(struct request *r)
{
	const struct tensorboard *b = &r->board;

	view_selection_damage(&r->choice);
	cli_warn_each(NULL, &r->choice.damaged);
	if (b->count > 0 && b->without > 0)
		cli_warn("%zu of %zu tasks have no event files", b->without,
		    b->without + b->unread + b->count);
}

static int
say_none(const struct request *r)
{
	if (r->choice.left == 0) {
		cli_warn("no task matches");
		return CLI_NO;
	}
	if (r->board.unread > 0)
		return CLI_WRONG;
	cli_say(
	    "no event files: have the training write them to the directory "
	    "$STFM_METRICS, as in "
	    "keras.callbacks.TensorBoard(os.environ[\"STFM_METRICS\"]), or "
	    "submit with --metrics DIR/{task}; stfm-plot draws what its log "
	    "has");
	return CLI_NO;
}

static int
act(struct request *r, const struct strlist *words)
{
	int64_t now = time(NULL);
	int status = CLI_YES;
	struct error e;
	size_t i;

	if (view_select(&r->choice, r->dir, STORE_READ, words, r->filter, now,
		&e) == -1)
		return cli_fail(&e, CLI_WRONG);
	if (job_filter_asks(r->filter))
		view_selection_refresh(
		    &r->choice, r->filter, JOB_WHEN_OLD, now);
	if (r->choice.trouble != NULL)
		cli_warn("%s", r->choice.trouble);
	for (i = 0; i < r->choice.jobs; i++)
		tensorboard_add(&r->board, &r->choice.tasks[i]);
	say_missing(r);
	if (r->board.count == 0)
		return say_none(r);
	if (r->for_shell || r->format == TABLE_TEXT)
		status = print_command(r);
	else
		print_runs(r);
	return r->choice.unread > 0 ? CLI_WRONG : status;
}

/* ---- the command line ---- */

static int
take_format(struct request *r, const char *name, struct error *e)
{
	r->for_shell = strcmp(name, "sh") == 0;
	if (r->for_shell ||
	    (table_format(name, &r->format, NULL) == 0 &&
		!table_is_paper(r->format)))
		return 0;
	return cli_refuse(
	    e, "%s: choose text, sh, tsv, csv, json or jsonl", name);
}

static int
take_option(void *arg, int letter, struct error *e)
{
	struct request *r = arg;

	if (letter == 'o')
		return take_format(r, optarg, e);
	strlist_push(&r->asked, optarg);
	return letter == 't' ? job_filter_state(r->filter, optarg, e)
			     : job_filter_where(r->filter, optarg, e);
}

int
main(int argc, char **argv)
{
	struct request r = {.filter = job_filter_new()};
	struct strlist words = {0};
	int got, status;

	cli_start(&command);
	got = cli_options(&command, argc, argv, take_option, &r);
	for (; got == CLI_END && optind < argc; optind++) {
		strlist_push(&words, argv[optind]);
		strlist_push(&r.asked, argv[optind]);
	}
	if (got == CLI_END)
		status = act(&r, &words);
	else
		status = got == CLI_SHOWN ? CLI_YES : CLI_WRONG;
	tensorboard_free(&r.board);
	view_selection_free(&r.choice);
	job_filter_free(r.filter);
	strlist_free(&r.asked);
	strlist_free(&words);
	return cli_finish(status);
}
