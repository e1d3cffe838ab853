/* draw learning curves as text */

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "plot/plot.h"
#include "status/plot-options.h"
#include "status/plot.h"
#include "term/cli.h"
#include "term/live.h"
#include "view/refresh.h"
#include "view/selection.h"

enum {
	X_COLUMN = 256,
	LAYOUT,
	GOAL,
	REGEX,
	GRID,
	BY,
	HIST,
	MEAN,
	USAGE,
	AT,
	CHARSET,
	COLOR
};

/* Tasks drawn where nobody says how many: each has a letter. */
enum { LETTERS = 26, INTERVAL = 5 };

static const struct cli_option options[] = {
    {'m', "metric", "NAMES", "draw these columns (NAME,NAME)"},
    {X_COLUMN, "x", "COLUMN", "draw along epoch, step, time or a column"},
    {AT, "at", "X", "only values up to this epoch: compare at equal ones"},
    {MEAN, "mean", "NAMES", "means over hyperparameters such as seed"},
    {USAGE, "usage", NULL, "what tasks used of GPU, CPU and memory"},
    {GOAL, "goal", "GOAL", "what is best: min or max (from the name)"},
    {'t', "state", "STATES", "only tasks in these: ERROR,STOPPED or R,TO ..."},
    {'w', "where", "CONDITION", "only tasks for which it holds: lr<0.01"},
    {'n', "best", "N", "only the N best"},
    {'l', "log", NULL, "logarithmic y axis"},
    {'y', "range", "LO:HI", "ends of the y axis; either may be empty"},
    {'s', "smooth", "FACTOR", "moving average, 0 to 0.999"},
    {LAYOUT, "layout", "LAYOUT", "auto, one, multi or spark"},
    {GRID, "grid", "NAME,NAME", "best values over two hyperparameters"},
    {BY, "by", "NAMES", "what they explain of them; all: every one"},
    {HIST, "hist", NULL, "how the best values are distributed"},
    {REGEX, "metrics-regex", "REGEX",
	"files are plain logs; (?P<loss>[0-9.]+)"},
    {'f', "follow", NULL, "go on as it trains; a line an epoch into a pipe"},
    {'i', "interval", "SECONDS", "look every so often, 5 by default"},
    {'o', "output", "FORMAT", "text, tsv or gnuplot"},
    {'W', "width", "COLUMNS", "width of the drawing"},
    {'H', "height", "ROWS", "height of the chart, 16 by default"},
    {CHARSET, "charset", "SET", "braille, block or ascii"},
    {COLOR, "color", "WHEN", "always, never or auto"},
    {'d', "store", "DIR", "the store (default: $STFM_DIR, .stfm, ...)"},
    {0},
};

static const struct cli cli = {
    .name = "stfm-plot",
    .about = "draw learning curves as text",
    .synopsis = "[options] [JOB[/TASKS]|FILE|-]...",
    .examples =
	"  stfm-plot conv2d                 the tasks of a job, compared\n"
	"  stfm-plot conv2d/3               one task: training and validation\n"
	"  stfm-plot -l -n 5 runs/*.csv     the five best of many\n"
	"  stfm-plot -f conv2d              the same, live\n"
	"  stfm-plot --by all conv2d        which hyperparameters mattered\n",
    .options = options,
    .defaults = config_defaults,
};

enum output { TEXT, TSV, GNUPLOT };

struct request {
	struct chart chart; /* how to draw */
	struct plot like;   /* what to draw */
	struct job_filter *filter;
	struct strlist regex; /* files are plain text with these values */
	struct record_pattern *pattern;
	const char *store;
	enum output output;
	size_t interval; /* seconds */
	int follow, width_given;
	size_t said;            /* rows below the last picture */
	struct plot_seen *seen; /* epochs that were told of, or NULL */
};

/* Where drawings go, and what there is to say; NULL: standard error. */
static FILE *page, *talk;

/* Say a line beside the drawing. */
static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	if (talk != NULL)
		fprintf(talk, "%s\n", text);
	else
		cli_say(text);
	free(text);
}

/* ---- options ---- */

static int
pick(const char *const *words, size_t count, const char *word, int *out,
    struct error *e)
{
	char hint[TEXT_HINT];
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0) {
			*out = (int)i;
			return 0;
		}
	return error_set(e, "%s: no '%s' (%s)", cli_option_name(), word,
	    text_hint(word, words, count, "try --help", hint));
}

/* Add the names of a list such as "loss,acc". */
static int
add_names(struct strlist *names, const char *list, struct error *e)
{
	size_t length;

	for (;; list += length + 1) {
		length = strcspn(list, ",");
		if (length == 0)
			return error_set(
			    e, "%s: an empty name", cli_option_name());
		strlist_take(names, xstrndup(list, length));
		if (list[length] == '\0')
			return 0;
	}
}

/* What is drawn of the best values; one way at a time. */
static int
read_kind(struct request *r, int option, const char *names, struct error *e)
{
	static const enum plot_kind kinds[] = {PLOT_GRID, PLOT_BY, PLOT_HIST};

	if (r->like.kind != PLOT_CURVES)
		return error_set(e,
		    "%s: one of --grid, --by and --hist, please",
		    cli_option_name());
	r->like.kind = kinds[option - GRID];
	if (option == HIST || (option == BY && strcmp(names, "all") == 0))
		return 0;
	if (add_names(&r->like.by, names, e) == -1)
		return -1;
	if (option == GRID && r->like.by.count != 2)
		return error_set(e, "%s: two hyperparameters, as in lr,dropout",
		    cli_option_name());
	if (option == GRID &&
	    strcmp(r->like.by.word[0], r->like.by.word[1]) == 0)
		return error_set(e,
		    "%s: %s twice: two different ones, please (--by %s draws "
		    "one)",
		    cli_option_name(), r->like.by.word[0], r->like.by.word[0]);
	return 0;
}

static int
add_regex(struct request *r, const char *regex, struct error *e)
{
	record_pattern_free(r->pattern);
	strlist_push(&r->regex, regex);
	r->pattern = record_pattern_new(
	    (const char *const *)r->regex.word, r->regex.count, e);
	r->like.pattern = r->pattern;
	return r->pattern != NULL ? 0 : error_prefix(e, cli_option_name());
}

/* An end of a range, nan when it is left empty. */
static int
read_end(const char *text, size_t length, double *out, struct error *e)
{
	char *end = xstrndup(text, length);
	int status = 0;

	*out = NAN;
	if (length > 0)
		status = num_real(cli_option_name(), end, out, e);
	free(end);
	return status;
}

static int
read_range(struct chart *c, const char *text, struct error *e)
{
	const char *colon = strchr(text, ':');

	c->clip = 0;
	if (colon == NULL || colon[1 + strcspn(colon + 1, ":")] != '\0')
		return error_set(
		    e, "%s: write it as LO:HI, as in 0:1.5", cli_option_name());
	if (read_end(text, (size_t)(colon - text), &c->low, e) < 0 ||
	    read_end(colon + 1, strlen(colon + 1), &c->high, e) < 0)
		return -1;
	if (c->low >= c->high)
		return error_set(e, "%s: %s: the first is not below the second",
		    cli_option_name(), text);
	return 0;
}

static int
read_smooth(struct chart *c, const char *text, struct error *e)
{
	double factor;

	if (num_real(cli_option_name(), text, &factor, e) < 0)
		return -1;
	if (factor < 0 || factor > 0.999)
		return error_set(e, "%s: %s is not between 0 and 0.999",
		    cli_option_name(), text);
	c->smooth = factor;
	return 0;
}

static int
read_size(size_t *out, const char *text, int64_t least, struct error *e)
{
	int64_t n;

	if (num_int(cli_option_name(), text, least, 10000, &n, e) < 0)
		return -1;
	*out = (size_t)n;
	return 0;
}

static int
read_states(struct request *r, const char *states, struct error *e)
{
	if (job_filter_state(r->filter, states, e) == 0)
		return 0;
	return error_prefix(e, cli_option_name());
}

static int
read_width(struct request *r, const char *text, struct error *e)
{
	r->width_given = 1;
	return read_size(&r->chart.width, text, CHART_WIDTH, e);
}

/* A number is no condition: after -w it is the width. */
static int
read_condition(struct request *r, const char *condition, struct error *e)
{
	if (condition[strspn(condition, "0123456789")] == '\0')
		return read_width(r, condition, e);
	if (job_filter_where(r->filter, condition, e) == 0)
		return 0;
	return error_prefix(e, cli_option_name());
}

/* The options that name one of some words. */
static int
read_word(struct request *r, int option, const char *word, struct error *e)
{
	static const char *const layouts[] = {"auto", "one", "multi", "spark"};
	static const char *const goals[] = {"min", "max"};
	static const char *const outputs[] = {"text", "tsv", "gnuplot"};
	int i = 0, status;

	if (option == LAYOUT) {
		status = pick(layouts, 4, word, &i, e);
		if (status == 0)
			r->chart.layout = (enum chart_layout)i;
	} else if (option == GOAL) {
		status = pick(goals, 2, word, &r->like.goal, e);
	} else {
		status = pick(outputs, 3, word, &i, e);
		if (status == 0)
			r->output = (enum output)i;
	}
	return status;
}

static int
read_option(void *arg, int option, struct error *e)
{
	struct request *r = arg;
	const char *value = optarg;

	switch (option) {
	case 'm':
		return add_names(&r->like.metric, value, e);
	case X_COLUMN:
		r->like.x = value;
		return 0;
	case REGEX:
		return add_regex(r, value, e);
	case AT:
		return num_real(cli_option_name(), value, &r->like.at, e);
	case USAGE:
		r->like.usage = 1;
		r->chart.clip = 0;
		if (r->like.x == NULL)
			r->like.x = "time";
		return 0;
	case MEAN:
		return add_names(&r->like.mean, value, e);
	case 'n':
		return read_size(&r->like.best, value, 1, e);
	case 'l':
		r->chart.log = 1;
		r->chart.clip = 0;
		return 0;
	case 'f':
		r->follow = 1;
		return 0;
	case 'i':
		return read_size(&r->interval, value, 1, e);
	case 'y':
		return read_range(&r->chart, value, e);
	case GRID:
	case BY:
	case HIST:
		return read_kind(r, option, value, e);
	case 's':
		return read_smooth(&r->chart, value, e);
	case 't':
		return read_states(r, value, e);
	case 'w':
		return read_condition(r, value, e);
	case 'W':
		return read_width(r, value, e);
	case 'H':
		return read_size(&r->chart.height, value, CHART_HEIGHT, e);
	case CHARSET:
		return cli_charset(value, &r->chart.charset, e);
	case COLOR:
		return cli_colors(value, &r->chart.colors, e);
	case 'd':
		r->store = value;
		return 0;
	default:
		return read_word(r, option, value, e);
	}
}

/* What does not go together. */
static int
check_options(const struct request *r, struct error *e)
{
	if (r->like.kind != PLOT_CURVES && r->like.best > 0)
		return error_set(e,
		    "-n: --grid, --by and --hist are about all "
		    "tasks (-w chooses some)");
	if (r->like.usage && r->like.kind != PLOT_CURVES)
		return error_set(
		    e, "--usage: draws no --grid, --by nor --hist");
	if (r->follow && r->output != TEXT)
		return error_set(e, "-f: draws, and writes no -o tsv");
	return 0;
}

/* What the terminal has, until the options say otherwise. */
static int
ask_terminal(struct request *r, struct error *e)
{
	r->chart.width = cli_width(80);
	r->chart.height = 0;
	if (cli_charset(NULL, &r->chart.charset, e) < 0)
		return -1;
	return cli_colors(NULL, &r->chart.colors, e);
}

/* ---- reading ---- */

/* Say each line of some notes, which were written to f. */
static void
say_notes(FILE *f, char **notes)
{
	char *note, *end;

	xmemclose(f);
	for (note = *notes; *note != '\0'; note = end + 1) {
		end = strchr(note, '\n');
		*end = '\0';
		say("%s", note);
	}
	free(*notes);
}

/* Read the files into the first plot. */
static void
read_files(struct job_plots *plots, const struct request *r,
    const struct strlist *files)
{
	struct strlist notes = {0};
	size_t i;

	if (plots->count == 0) {
		plots->plot = xgrow(NULL, 0, sizeof *plots->plot);
		plots->plot[plots->count++] = plot_like(&r->like);
	}
	plots->bad += plot_add_files(&plots->plot[0], files, &notes);
	for (i = 0; i < notes.count; i++)
		say("%s", notes.word[i]);
	strlist_free(&notes);
}

/* Average over the hyperparameters that were named. */
static int
merge_all(struct job_plots *plots, struct error *e)
{
	size_t i, length;
	char *notes = NULL;
	FILE *f = xmemopen(&notes, &length);
	int status = 0;

	for (i = 0; i < plots->count && status == 0; i++)
		status = plot_merge(&plots->plot[i], f, e);
	say_notes(f, &notes);
	return status;
}

/* Read the tasks into plots, and the files into the first of them. */
static void
read_all(struct job_plots *plots, struct request *r,
    const struct view_selection *choice, const struct strlist *files)
{
	char *notes = NULL;
	size_t length;
	FILE *f = xmemopen(&notes, &length);

	r->like.alone = choice->named + files->count == 1;
	r->like.partner = r->like.alone && r->like.metric.count == 0 &&
	    !r->like.usage && r->like.kind == PLOT_CURVES;
	if (choice->named > 0 && r->output == TEXT && r->like.best == 0 &&
	    r->like.kind == PLOT_CURVES)
		r->like.best = LETTERS;
	job_plots_make(plots, &r->like, choice->tasks, choice->jobs, f);
	say_notes(f, &notes);
	if (files->count > 0)
		read_files(plots, r, files);
}

/* ---- drawing ---- */

/* The rows of the screen, without what is said below a live picture. */
static size_t
room_for(const struct request *r)
{
	size_t rows = cli_height();

	return rows > r->said ? rows - r->said : rows;
}

static int
write_text(const struct request *r, const struct job_plots *plots)
{
	size_t i, length, drawn = 0;
	char *notes = NULL;
	struct error e;
	FILE *f = xmemopen(&notes, &length);
	int status = 0;

	for (i = 0; i < plots->count && status == 0; i++) {
		if (drawn > 0 && plots->plot[i].runs > 0)
			putc('\n', page);
		status = plot_draw(
		    page, f, &plots->plot[i], &r->chart, room_for(r), &e);
		drawn += plots->plot[i].runs;
	}
	say_notes(f, &notes);
	return status == -1 ? cli_fail(&e, CLI_WRONG) : CLI_YES;
}

static int
write_scripts(const struct request *r, const struct job_plots *plots)
{
	size_t i, count, drawn = 0;
	struct error e;

	for (i = 0; i < plots->count; i++) {
		if (plot_gnuplot(
			stdout, &plots->plot[i], &r->chart, &count, &e) == -1)
			return cli_fail(&e, CLI_WRONG);
		drawn += count;
	}
	if (drawn == 0)
		say("nothing to draw: no values yet");
	return CLI_YES;
}

/* Programs get every byte; a terminal would obey some of them. */
static void
write_data(const struct request *r, const struct job_plots *plots)
{
	int is_terminal = isatty(STDOUT_FILENO);
	char *text = NULL;
	size_t length;
	FILE *out = is_terminal ? xmemopen(&text, &length) : stdout;

	plot_tsv(out, r->like.kind, plots->plot, plots->count, r->chart.smooth);
	if (!is_terminal)
		return;
	xmemclose(out);
	text_page(stdout, text);
	free(text);
}

static int
write_all(const struct request *r, const struct job_plots *plots)
{
	if (r->output == TEXT)
		return write_text(r, plots);
	if (r->output == GNUPLOT)
		return write_scripts(r, plots);
	write_data(r, plots);
	return CLI_YES;
}

/* A line for each new epoch. */
static int
tell_news(const struct request *r, const struct job_plots *plots)
{
	size_t i;

	for (i = 0; i < plots->count; i++)
		plot_news(page, &plots->plot[i], r->seen);
	return cli_flush() == -1 ? CLI_WRONG : CLI_YES;
}

/* Whether what there is not may yet come. */
static int
may_come(const struct view_selection *choice)
{
	const struct job_tasks *t;
	size_t i, k;

	for (i = 0; i < choice->jobs; i++) {
		t = &choice->tasks[i];
		for (k = 0; k < t->count; k++)
			if (!store_state_is_final(
				store_table_state(t->view->fold, t->task[k])))
				return 1;
	}
	return 0;
}

/* Whether any of these tasks is in ERROR. */
static int
has_failed(const struct job_tasks *t)
{
	size_t k;

	for (k = 0; k < t->count; k++)
		if (store_table_state(t->view->fold, t->task[k]) == STORE_ERROR)
			return 1;
	return 0;
}

/* Nothing was drawn: say what tells why. */
static void
say_nothing(const struct view_selection *choice)
{
	struct strlist failed = {0};
	char *list;
	size_t i;

	for (i = 0; i < choice->jobs; i++)
		if (has_failed(&choice->tasks[i]))
			strlist_push(&failed, choice->tasks[i].view->job->name);
	list = strlist_join(&failed, " ");
	if (failed.count > 0)
		say("nothing to draw; stfm-status -e %s lists the failures",
		    list);
	else
		say("nothing to draw");
	free(list);
	strlist_free(&failed);
}

static int
plot(struct request *r, const struct view_selection *choice,
    const struct strlist *files)
{
	struct job_plots plots;
	size_t i, runs = 0;
	struct error e;
	int status;

	read_all(&plots, r, choice, files);
	for (i = 0; i < plots.count; i++)
		runs += plots.plot[i].runs;
	if ((runs == 0 && job_plots_check(&plots, &e) == -1) ||
	    merge_all(&plots, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	else if (r->seen != NULL)
		status = tell_news(r, &plots);
	else
		status = runs == 0 && plots.bad > 0 ? CLI_WRONG
						    : write_all(r, &plots);
	if (status == CLI_YES && runs == 0 && !may_come(choice)) {
		say_nothing(choice);
		status = CLI_NO;
	}
	if (status == CLI_YES && plots.bad > 0)
		status = CLI_NO;
	job_plots_free(&plots);
	return status;
}

/* ---- choosing ---- */

static int
choose(struct view_selection *choice, const struct request *r,
    const struct job_plot_words *o, struct error *e)
{
	const struct strlist *words = &o->tasks;
	int status;

	*choice = (struct view_selection){0};
	if (r->like.usage && o->files.count > 0)
		return error_set(e, "%s: a file; --usage draws tasks alone",
		    o->files.word[0]);
	if (words->count == 0 && o->files.count > 0) {
		if (job_filter_asks(r->filter))
			return error_set(
			    e, "-t and -w choose tasks, but there is no job");
		return 0;
	}
	status = view_select(
	    choice, r->store, STORE_READ, words, r->filter, time(NULL), e);
	if (status == -1 && words->count > 0)
		job_plot_words_blame(o, e);
	return status;
}

/* Draw what was chosen, and say what could not be read. */
static int
draw_choice(struct request *r, struct view_selection *choice,
    const struct job_plot_words *o)
{
	int status;
	size_t i;

	if (choice->left == 0 && o->files.count == 0) {
		say("no task is left by -t and -w");
		status = CLI_NO;
	} else {
		status = plot(r, choice, &o->files);
	}
	if (choice->trouble != NULL)
		say("%s", choice->trouble);
	view_selection_damage(choice);
	for (i = 0; i < choice->damaged.count; i++)
		say("%s", choice->damaged.word[i]);
	return status;
}

static int
run(struct request *r, const struct job_plot_words *o)
{
	struct view_selection choice;
	struct error e;
	int status;

	if (choose(&choice, r, o, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	status = draw_choice(r, &choice, o);
	if (choice.unread > 0)
		status = CLI_WRONG;
	view_selection_free(&choice);
	return status;
}

/* ---- following ---- */

/* Whether anything more can come. */
static int
goes_on(const struct view_selection *choice, const struct job_plot_words *o)
{
	size_t i;

	for (i = 0; i < choice->selection.count; i++)
		if (!job_view_is_final(choice->view[i]))
			return 1;
	return o->files.count > 0;
}

/* One round: states as Slurm has them, then the drawing. */
static int
follow_once(struct request *r, const struct job_plot_words *o, int *more)
{
	struct view_selection choice;
	struct error e;
	int status;

	*more = 0;
	if (choose(&choice, r, o, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	if (choice.selection.count > 0 && choice.trouble == NULL)
		view_selection_refresh(
		    &choice, r->filter, JOB_WHEN_OLD, time(NULL));
	/* Asked before the logs are read: what comes later is seen again. */
	*more = goes_on(&choice, o);
	status = draw_choice(r, &choice, o);
	view_selection_free(&choice);
	return status;
}

/* Below the picture what there is to say, as wide as the terminal. */
static void
add_talk(FILE *picture, const char *text, size_t width)
{
	size_t length;
	char *line;

	for (; *text != '\0'; text += length + 1) {
		length = strcspn(text, "\n");
		line = xstrndup(text, length);
		text_cell(picture, line,
		    text_width(line) < width ? text_width(line) : width, 0);
		putc('\n', picture);
		free(line);
	}
}

static int
show_round(struct request *r, const struct job_plot_words *o, int *more)
{
	char *picture = NULL, *words = NULL;
	const char *rest;
	size_t length, said;
	int status;

	if (!r->width_given)
		r->chart.width = cli_width(80);
	if (r->chart.width < CHART_WIDTH) {
		live_show(stdout, "too narrow\n");
		return CLI_YES;
	}
	page = xmemopen(&picture, &length);
	talk = xmemopen(&words, &said);
	status = follow_once(r, o, more);
	xmemclose(talk);
	add_talk(page, words, cli_width(80));
	xmemclose(page);
	page = stdout;
	talk = NULL;
	if (status != CLI_WRONG)
		live_show(stdout, picture);
	for (r->said = 0, rest = words; (rest = strchr(rest, '\n')) != NULL;
	     rest++)
		r->said++;
	free(picture);
	free(words);
	return status;
}

static int
follow_live(struct request *r, const struct job_plot_words *o)
{
	int more = 1, status;

	live_begin(stdout);
	for (;;) {
		status = show_round(r, o, &more);
		if (!more || status == CLI_WRONG)
			break;
		live_wait((int)r->interval * 1000);
	}
	live_end(stdout);
	return status;
}

static int
follow_lines(struct request *r, const struct job_plot_words *o)
{
	int more = 1, status;

	r->seen = plot_seen_new();
	for (;;) {
		status = follow_once(r, o, &more);
		if (!more || status == CLI_WRONG)
			break;
		if (cli_wait_reader((int)r->interval * 1000))
			break;
		/* What there is to say beside it was said. */
		if (talk == NULL)
			talk = fopen("/dev/null", "w");
	}
	plot_seen_free(r->seen);
	r->seen = NULL;
	if (talk != NULL)
		fclose(talk);
	talk = NULL;
	return status;
}

static int
follow(struct request *r, const struct job_plot_words *o)
{
	size_t i;

	for (i = 0; i < o->files.count; i++)
		if (strcmp(o->files.word[i], "-") == 0) {
			say("-f: standard input cannot be read again");
			return CLI_WRONG;
		}
	return cli_can_draw() ? follow_live(r, o) : follow_lines(r, o);
}

static int
run_stdin(struct request *r, struct job_plot_words *o)
{
	strlist_push(&o->files, "-");
	return r->follow ? follow(r, o) : run(r, o);
}

/* Returns CLI_END when all is well, as cli_next otherwise. */
static int
read_options(struct request *r, int argc, char **argv)
{
	struct error e;
	int option;

	if (ask_terminal(r, &e) < 0)
		return cli_fail(&e, CLI_BAD);
	option = cli_options(&cli, argc, argv, read_option, r);
	if (option == CLI_END && check_options(r, &e) == -1)
		return cli_fail(&e, CLI_BAD);
	return option;
}

int
main(int argc, char **argv)
{
	struct request r = {.chart = CHART_DEFAULT,
	    .like = {.goal = METRICS_GOAL_BY_NAME, .at = NAN},
	    .filter = job_filter_new(),
	    .interval = INTERVAL};
	struct job_plot_words o = {{0}};
	int got, status, i;

	cli_start(&cli);
	r.chart.clip = 1;
	page = stdout;
	got = read_options(&r, argc, argv);
	for (i = optind; i < argc; i++)
		job_plot_words_add(&o, r.store, argv[i]);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (optind < argc || job_filter_asks(r.filter))
		status = r.follow ? follow(&r, &o) : run(&r, &o);
	else if (isatty(STDIN_FILENO))
		status = cli_usage(&cli);
	else
		status = run_stdin(&r, &o);
	job_plot_words_free(&o);
	strlist_free(&r.regex);
	record_pattern_free(r.pattern);
	plot_free(&r.like);
	job_filter_free(r.filter);
	return cli_finish(status);
}
