/* stfm-check - check the set-up, verify the store and repair it */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "check/check.h"
#include "config/config.h"
#include "job/sbatch-options.h"
#include "store/store.h"
#include "sys/fs.h"
#include "sys/proc.h"
#include "term/cli.h"
#include "term/flow.h"
#include "term/progress.h"
#include "term/table.h"
#include "verify/verify.h"

enum { SET_UP = 256, JSON, COLOR };

struct check {
	struct check_setup setup;
	const char *dir;
	struct strlist jobs;
	char *set_up;  /* an option that is only about the set-up, or NULL */
	int formatted; /* whether -o is given */
	enum table_format format;
	const char *color;
	int store, repair, quiet, config, verbose;
};

static const struct cli_option options[] = {
    {SET_UP, "gpu", NULL, "check GPUs too", CLI_FLAG(struct check, setup.gpu)},
    {SET_UP, "wait", "SECONDS",
	"wait this long for the test task (default: 30)",
	CLI_NUMBER(struct check, setup.wait, 0, 86400)},
    {SET_UP, "no-job", NULL, "queue no test task, check Python on this machine",
	CLI_FLAG(struct check, setup.no_job)},
    {'o', "output", "FORMAT", "print text, tsv, csv, json or jsonl"},
    {JSON, "json", NULL, "print JSON (same as --output=json)"},
    {COLOR, "color", "WHEN", "use colors: auto, always or never"},
    {'d', "store", "[=DIR]", "verify the store (default: $STFM_DIR, ...)"},
    {0, "repair", NULL, "repair records, or move them to STORE/lost/",
	CLI_FLAG(struct check, repair)},
    {'Q', "quiet", NULL, "print only problems", CLI_FLAG(struct check, quiet)},
    {0, "config", NULL, "show the defaults and the file that sets each",
	CLI_FLAG(struct check, config)},
    {'v', "verbose", NULL, "with --config: show overridden defaults too",
	CLI_FLAG(struct check, verbose)},
    {0},
};

static const struct cli command = {
    "stfm-check",
    "check your setup, verify and repair the store",
    "[-Q] [--gpu] [--no-job] [sbatch options] [-- PYTHON ...]\n"
    "[-Q] [--repair] --store[=DIR] [JOB ...]\n"
    "--config [-v] [-o FORMAT]",
    "  stfm-check                            check your setup\n"
    "  stfm-check --gpu -p gpu -- venv/bin/python\n"
    "  stfm-check --store --repair           repair the store\n"
    "  stfm-check --config                   show the defaults in use\n",
    options,
    0,
};

/* ---- the command line ---- */

/* Take -d DIR, --store=DIR or --store DIR, but not the name of a job as DIR. */
static void
take_store(struct check *c, char **argv, int *at)
{
	const char *word = argv[*at];

	c->store = 1;
	c->dir = optarg;
	if (optarg == NULL && word != NULL &&
	    (strchr(word, '/') != NULL || strcmp(word, ".") == 0 ||
		strcmp(word, "..") == 0 ||
		strcmp(cli_option_name(), "-d") == 0))
		c->dir = argv[(*at)++];
}

static void
note_set_up(struct check *c, const char *option)
{
	free(c->set_up);
	c->set_up = xstrdup(option);
}

static int
take_format(struct check *c, int letter, struct error *e)
{
	c->formatted = 1;
	c->format = TABLE_JSON;
	if (letter == 'o' && table_format(optarg, &c->format, e) == -1)
		return -1;
	if (table_is_paper(c->format))
		return error_set(e, "-o: %s is not for this", optarg);
	return 0;
}

static int
take_option(struct check *c, int letter, char **argv, int *at, struct error *e)
{
	int colors;

	switch (letter) {
	case 'd':
		take_store(c, argv, at);
		return 0;
	case COLOR:
		return cli_colors(c->color = optarg, &colors, e);
	case 'o':
	case JSON:
		return take_format(c, letter, e);
	case SET_UP:
		note_set_up(c, cli_option_name());
	}
	return cli_set(c, e) == -1 ? -1 : 0;
}

/* Take an option of sbatch or the name of a job. */
static int
take_word(struct check *c, char **argv, int *at, struct error *e)
{
	const char *word = argv[*at];
	int n = 0;

	if (job_sbatch_options_mistyped(options, word, e) == -1)
		return -1;
	/* An unknown "--name=value" may be an option of an sbatch plugin. */
	if (strncmp(word, "--", 2) != 0 || strchr(word, '=') != NULL ||
	    sbatch_name(word + 2) != NULL)
		n = job_sbatch_options_take(
		    &c->setup.given, argv + *at, &c->setup.options, e);
	if (n == -1)
		return -1;
	if (n > 0)
		note_set_up(c, word);
	else if (word[0] == '-')
		return error_set(
		    e, "%s: no such option (try: stfm-check --help)", word);
	else
		strlist_push(&c->jobs, word);
	*at += n > 0 ? n : 1;
	return 0;
}

/* Refuse set-up options together with store options. */
static int
check_modes(struct check *c, struct error *e)
{
	const char *mode = "--store, --repair or a JOB";

	c->store |= c->repair || c->jobs.count > 0;
	if (c->config)
		mode = "--config";
	if ((c->store || c->config) && c->set_up != NULL)
		return error_set(e,
		    "%s: is about the set-up, and does not go with %s",
		    c->set_up, mode);
	if (c->config && c->store)
		return error_set(e, "--config: says nothing of a store");
	if (c->store && c->formatted)
		return error_set(e, "-o: does not go with %s", mode);
	return 0;
}

/* Parse the command line.  Returns CLI_END, CLI_SHOWN or CLI_BAD. */
static int
parse(int argc, char **argv, struct check *c)
{
	int at = 1, letter, rc = 0;
	struct error e;

	while (rc == 0 && at < argc && strcmp(argv[at], "--") != 0) {
		if (!cli_takes(&command, argv[at])) {
			rc = take_word(c, argv, &at, &e);
			continue;
		}
		letter = cli_next_at(&command, argc, argv, &at);
		if (letter < 0)
			return letter;
		rc = take_option(c, letter, argv, &at, &e);
	}
	if (rc == 0 && at < argc && argv[at + 1] != NULL) {
		c->setup.command = argv + at + 1;
		note_set_up(c, "--");
	}
	if (rc == -1 || check_modes(c, &e) == -1)
		return cli_fail(&e, CLI_BAD);
	return CLI_END;
}

/* ---- the set-up ---- */

enum { NARROWEST = 40, LONGEST_THING = 14, INDENT = LONGEST_THING + 8 };

/* The output of the set-up check. */
struct page {
	const struct check *check;
	struct table *table; /* table for programs; NULL for people */
	size_t width;
	int colors, busy;
};

static const struct table_column columns[] = {{.name = "status"},
    {.name = "thing"}, {.name = "found"}, {.name = "remedy"}};

/*
 * Print a text from a column on, in lines of the page's width.  Lines break
 * between words, or within a word that is too long for a line.
 */
static void
wrap(const struct page *p, size_t column, const char *text)
{
	size_t room = p->width - column, at = 0, length, width;
	int broken = 0;
	char *word;

	for (; *text != '\0'; text += length + strspn(text + length, " ")) {
		word = xstrndup(text, strcspn(text, " "));
		length = text_fit(word, room);
		width = text_width(word);
		if (broken || (at > 0 && at + 1 + width > room)) {
			printf("\n%*s", (int)column, "");
			at = 0;
		} else if (at > 0) {
			putchar(' ');
			at++;
		}
		broken = word[length] != '\0';
		word[length] = '\0';
		width = text_width(word);
		text_plain(stdout, word);
		at += width;
		free(word);
	}
	putchar('\n');
}

static void
show_line(const struct page *p, const struct check_line *line)
{
	static const int colors[] = {TABLE_GREEN, TABLE_YELLOW, TABLE_RED};
	static const char arrow[] = "-> ";
	const char *word = check_result_word(line->word);

	if (p->colors > 0)
		printf("\033[%dm%-4s\033[m", colors[line->word], word);
	else
		printf("%-4s", word);
	printf("  %-*s  ", LONGEST_THING, line->thing);
	wrap(p, INDENT, line->found);
	if (line->remedy == NULL)
		return;
	printf("%*s%s", INDENT, "", arrow);
	wrap(p, INDENT + sizeof arrow - 1, line->remedy);
}

static void
print_line(void *arg, const struct check_line *line)
{
	const struct page *p = arg;

	if (p->check->quiet && line->word == CHECK_OK)
		return;
	if (p->table != NULL) {
		table_row(p->table);
		table_text(p->table, 0, check_result_word(line->word));
		table_text(p->table, 1, line->thing);
		table_text(p->table, 2, line->found);
		table_text(p->table, 3, line->remedy);
	} else {
		show_line(p, line);
	}
	fflush(stdout);
}

/* Show a slow step on a line of the terminal; what NULL removes the line. */
static void
show_busy(void *arg, const char *what)
{
	struct page *p = arg;

	if (!isatty(STDERR_FILENO) || (what == NULL && !p->busy))
		return;
	fputs("\r\033[K", stderr);
	if (what != NULL)
		text_plain(stderr, what);
	fflush(stderr);
	p->busy = what != NULL;
}

/* Block the signals that end us: a task that we queued must not outlive us. */
static void
catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	proc_interrupt_on(&set);
}

/* Return the absolute path of a program, to free. */
static char *
sibling(const char *name)
{
	char *found = cli_sibling(name), *path = fs_absolute(found);

	free(found);
	return path;
}

/* End by the signal that interrupted the check. */
static void
obey_signal(void)
{
	sigset_t set;

	cli_flush();
	sigemptyset(&set);
	sigaddset(&set, proc_interrupted());
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Set *out to the default store, or NULL, and print the warnings. */
static int
default_store(const char **out, struct error *e)
{
	struct strlist notes = {0};
	int rc = config_store(out, &notes, e);

	cli_warn_each(NULL, &notes);
	strlist_free(&notes);
	return rc;
}

static int
check_set_up(struct check *c)
{
	struct page page = {.check = c, .width = cli_width(80)};
	struct table_look look = {.format = c->format};
	struct error e;
	int fails;

	if (default_store(&c->setup.store, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	config_sbatch(&c->setup.defaults);
	c->setup.runtime = config_given("submit", "container-runtime");
	if (page.width < NARROWEST)
		page.width = NARROWEST;
	cli_colors(c->color, &page.colors, NULL);
	if (c->format != TABLE_TEXT)
		page.table = table_new(stdout, columns, 4, &look);
	c->setup.program = sibling("stfm-run");
	c->setup.probe = sibling("probe.sh");
	c->setup.probe_python = sibling("probe.py");
	c->setup.show = print_line;
	c->setup.busy = show_busy;
	c->setup.arg = &page;
	catch_signals();
	fails = check_setup(&c->setup);
	if (page.table != NULL)
		table_end(page.table);
	if (fails == -1)
		obey_signal();
	free(c->setup.program);
	free(c->setup.probe);
	free(c->setup.probe_python);
	return fails == -1 ? CLI_WRONG : fails > 0 ? CLI_NO : CLI_YES;
}

/* ---- the store ---- */

/* Open the store; a directory with jobs/ is a store even without FORMAT. */
static struct store *
open_store(const struct check *c, struct error *e)
{
	char *path = store_path(c->dir), *jobs = fs_join(path, "jobs");
	struct store *store =
	    store_open(c->dir, c->repair ? STORE_WRITE : STORE_READ, e);

	if (store == NULL &&
	    (e->code == ERROR_DAMAGED || e->code == ERROR_ABSENT) &&
	    fs_exists(jobs))
		store = store_open(c->dir, STORE_VERIFY, e);
	if (store != NULL && c->repair && store_check_owner(store, e) == -1) {
		store_close(store);
		store = NULL;
	}
	free(jobs);
	free(path);
	return store;
}

/* Print a finding; its path can be copied. */
static void
print_finding(
    const struct verify_findings *found, const struct verify_finding *f)
{
	struct flow flow = {stdout, cli_terminal_width(), 2, 0};
	char line[24] = "", *place, *what;

	if (f->line > 0)
		snprintf(line, sizeof line, ":%zu", f->line);
	place = xasprintf("%s/%s%s:", found->store->path, f->path, line);
	what = xasprintf(
	    " %s%s", f->kind == FINDING_NOTE ? "note: " : "", f->what);
	flow_path(&flow, 0, place);
	text_wrap(stdout, what, flow.at, flow.width);
	flow_end(&flow);
	free(what);
	free(place);
}

static void
print_findings(const struct check *c, const struct verify_findings *found)
{
	size_t i;

	for (i = 0; i < found->count; i++)
		if (found->item[i].kind != FINDING_NOTE || !c->quiet)
			print_finding(found, &found->item[i]);
}

/* Maximum rounds of repair: a repair can uncover hidden damage. */
enum { ROUNDS = 3 };

/*
 * Repair the findings and print the report.  Returns how many findings are
 * left.
 */
static int64_t
repair(struct verify_findings *found, struct error *e)
{
	struct strlist report = {0};
	char *program = cli_sibling("stfm-run");
	int64_t left = repair_store(found, program, &report, e);
	size_t i;

	for (i = 0; i < report.count; i++)
		cli_print("%s", report.word[i]);
	strlist_free(&report);
	free(program);
	return left;
}

/* Repair and verify until no finding is left.  Returns the exit status. */
static int
repair_all(const struct check *c, const struct store *store, char **names,
    size_t count, struct verify_findings *found)
{
	struct error e;
	int64_t left = 0;
	int round, rc = 0;

	for (round = 0; rc == 0 && found->damage > 0; round++) {
		if (round > 0)
			print_findings(c, found);
		if (round == ROUNDS || left > 0)
			return CLI_NO;
		left = repair(found, &e);
		if (left == -1)
			return cli_fail(&e, CLI_WRONG);
		verify_findings_free(found);
		progress_begin("verifying the store");
		rc = verify_store(store, names, count, found, &e);
		progress_end();
	}
	return rc == -1 ? cli_fail(&e, CLI_WRONG) : CLI_YES;
}

static int
run(const struct check *c, const struct store *store, char **names,
    size_t count)
{
	struct verify_findings found;
	struct strlist strays = {0};
	struct error e;
	int status, rc;
	size_t i;

	progress_begin("verifying the store");
	rc = verify_store(store, names, count, &found, &e);
	verify_strays(store, names, count, &strays);
	progress_end();
	print_findings(c, &found);
	for (i = 0; i < strays.count; i++)
		cli_print("%s", strays.word[i]);
	if (rc == -1)
		status = cli_fail(&e, CLI_WRONG);
	else if (found.damage == 0)
		status = CLI_YES;
	else if (!c->repair)
		status = CLI_NO;
	else
		status = repair_all(c, store, names, count, &found);
	if (strays.count > 0 && status == CLI_YES)
		status = CLI_NO;
	strlist_free(&strays);
	if (found.unread > 0 && status != CLI_WRONG) {
		cli_warn("%zu file%s could not be read, and %s not verified",
		    found.unread, found.unread == 1 ? "" : "s",
		    found.unread == 1 ? "is" : "are");
		status = CLI_WRONG;
	}
	verify_findings_free(&found);
	return status;
}

static int
check_store(struct check *c)
{
	struct store *store;
	struct error e;
	int status;

	if (c->dir == NULL && default_store(&c->dir, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	store = open_store(c, &e);
	if (store == NULL)
		return cli_fail(&e, CLI_WRONG);
	status = run(c, store, c->jobs.word, c->jobs.count);
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
	struct check c = {.setup = {.wait = 30}};
	int opt, status;

	cli_start(&command);
	opt = parse(argc, argv, &c);
	if (opt == CLI_END && c.config)
		status = check_config(&c);
	else if (opt == CLI_END)
		status = c.store ? check_store(&c) : check_set_up(&c);
	else
		status = opt == CLI_SHOWN ? CLI_YES : CLI_WRONG;
	free(c.set_up);
	strlist_free(&c.jobs);
	strlist_free(&c.setup.options);
	sbatch_free(&c.setup.given);
	sbatch_free(&c.setup.defaults);
	return opt == CLI_BAD ? status : cli_finish(status);
}
