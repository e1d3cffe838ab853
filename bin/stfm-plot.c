/* stfm-plot - draw learning curves as text */

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
#include "metrics/metrics.h"
#include "plot/plot.h"
#include "status/plot-options.h"
#include "status/plot.h"
#include "term/cli.h"
#include "term/live.h"
#include "view/refresh.h"
#include "view/selection.h"

enum {
	LAYOUT = 256,
	GOAL,
	REGEX,
	GRID,
	BY,
	HIST,
	MEAN,
	USAGE,
	AT,
	CHARSET,
	COLOR,
	LOG,
	SMOOTH
};

/*
 * Maximum tasks without -b (each has a letter), default seconds of -i, and the
 * largest value of an option.
 */
enum { LETTERS = 26, INTERVAL = 5, LARGEST = 10000, NEWS = 5 };

enum output { TEXT, TSV, GNUPLOT, SVG, PNG };

struct request {
	struct chart chart; /* drawing options */
	struct plot like;   /* plot options */
	struct job_filter *filter;
	struct strlist regex; /* patterns of values in plain logs */
	struct record_pattern *pattern;
	const char *store;
	enum output output;
	size_t interval; /* seconds */
	int follow, width_given;
	/* Number of message rows below the last picture. */
	size_t messages;
	struct plot_seen *seen; /* epochs that are written already, or NULL */
	struct strlist news;    /* to say about the next picture */
};

static const struct cli_option options[] = {
    {'m', "metric", "NAMES", "draw these metrics (NAME,NAME)"},
    {0, "x", "COLUMN", "use epoch, step, time or a column as x axis",
	CLI_TEXT(struct request, like.x)},
    {AT, "at", "X", "compare values up to epoch X only"},
    {MEAN, "mean", "NAMES", "draw means over hyperparameters such as seed"},
    {USAGE, "usage", NULL, "draw GPU, CPU and memory use"},
    {0, "best-so-far", NULL, "draw the best value against GPU hours",
	CLI_FLAG(struct request, like.so_far)},
    {GOAL, "goal", "GOAL", "say which values are better: min or max"},
    {'t', "state", "STATES", "select tasks by state: ERROR,STOPPED or R,TO"},
    {'w', "where", "CONDITION", "select tasks by a condition: 'lr<0.01'"},
    {'b', "best", "N", "draw only the N best",
	CLI_NUMBER(struct request, like.best, 1, LARGEST)},
    {LOG, "log", NULL, "use a logarithmic y axis"},
    {'y', "range", "LO:HI", "set the y axis; LO or HI may be empty"},
    {SMOOTH, "smooth", "FACTOR", "smooth with a moving average, 0 to 0.999"},
    {LAYOUT, "layout", "LAYOUT", "choose auto, one, multi or spark"},
    {GRID, "grid", "NAME,NAME", "draw a heat map over two hyperparameters"},
    {BY, "by", "NAMES", "show how much hyperparameters matter (all: each)"},
    {HIST, "hist", NULL, "draw a histogram of the best values"},
    {REGEX, "metrics-regex", "REGEX",
	"read files as plain logs: (?P<loss>[0-9.]+)"},
    {'f', "follow", NULL, "update the chart live; in a pipe a line per epoch",
	CLI_FLAG(struct request, follow)},
    {'i', "interval", "SECONDS", "update this often (default: 5)",
	CLI_NUMBER(struct request, interval, 1, LARGEST)},
    {'o', "output", "FORMAT", "print text, tsv, gnuplot, svg or png"},
    {'W', "width", "COLUMNS", "set the width of the chart"},
    {'H', "height", "ROWS", "set the height of the chart (default: 16)",
	CLI_NUMBER(struct request, chart.height, CHART_HEIGHT, LARGEST)},
    {CHARSET, "charset", "SET", "draw with ascii, block or braille"},
    {COLOR, "color", "WHEN", "use colors: auto, always or never"},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct request, store)},
    {0},
};

static const struct cli_instead instead[] = {
    {"top", "-b 5 for the best tasks"},
    {0},
};

static const struct cli cli = {
    .name = "stfm-plot",
    .about = "draw learning curves in the terminal",
    .synopsis = "[options] [JOB[/TASKS]|FILE|-]...",
    .examples =
	"  stfm-plot conv2d                 compare the tasks of a job\n"
	"  stfm-plot conv2d/3               training and validation of a task\n"
	"  stfm-plot --log -b 5 runs/*.csv  draw the five best of many files\n"
	"  stfm-plot -f conv2d              update the chart live\n"
	"  stfm-plot --by all conv2d        show what mattered\n",
    .options = options,
    .defaults = config_defaults,
    .instead = instead,
};

/* Files for drawings and for messages; messages NULL means standard error. */
static FILE *page, *messages;

/* Write a message about the drawing. */
static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	if (messages != NULL)
		fprintf(messages, "%s\n", text);
	else
		cli_say(text);
	free(text);
}

/* ---- options ---- */

/*
 * Find word among words; all names them for people.  Returns its index, or -1
 * with the reason in e.
 */
static int
pick(const char *const *words, size_t count, const char *all, const char *word,
    struct error *e)
{
	char hint[TEXT_HINT];
	int i = text_among(word, words, count);

	if (i >= 0)
		return i;
	return cli_refuse(
	    e, "no '%s' (%s)", word, text_hint(word, words, count, all, hint));
}

/* Find the format of the output, as pick does. */
static int
pick_output(const char *word, struct error *e)
{
	static const char *const outputs[] = {
	    "text", "tsv", "gnuplot", "svg", "png"};
	static const char *const images[] = {"pdf", "eps"};

	if (text_among(word, images, 2) == -1)
		return pick(
		    outputs, 5, "text, tsv, gnuplot, svg or png", word, e);
	return cli_refuse(e,
	    "no '%s' (svg or png; for others write: stfm-plot -o gnuplot ... | "
	    "gnuplot -e 'set term %s; set out \"plot.%s\"' -)",
	    word, strcmp(word, "eps") == 0 ? "postscript eps" : word, word);
}

/* Choose how to draw best values; only one such option may be given. */
static int
read_kind(struct request *r, int option, const char *names, struct error *e)
{
	static const enum plot_kind kinds[] = {PLOT_GRID, PLOT_BY, PLOT_HIST};

	if (r->like.kind != PLOT_CURVES)
		return cli_refuse(e, "one of --grid, --by and --hist, please");
	r->like.kind = kinds[option - GRID];
	if (option == HIST || (option == BY && strcmp(names, "all") == 0))
		return 0;
	if (cli_list(names, &r->like.by, e) == -1)
		return -1;
	if (option == GRID && r->like.by.count != 2)
		return cli_refuse(e, "two hyperparameters, as in lr,dropout");
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
	return r->pattern != NULL ? 0 : cli_prefix(e);
}

/* Read "LO:HI"; an empty end becomes nan. */
static int
read_range(struct chart *c, const char *text, struct error *e)
{
	const char *colon = strchr(text, ':');
	char *low;
	int rc = 0;

	c->clip = 0;
	if (colon == NULL || strchr(colon + 1, ':') != NULL)
		return cli_refuse(e, "write it as LO:HI, as in 0:1.5");
	low = xstrndup(text, (size_t)(colon - text));
	c->low = c->high = NAN;
	if (*low != '\0')
		rc = num_real(cli_option_name(), low, &c->low, e);
	if (rc == 0 && colon[1] != '\0')
		rc = num_real(cli_option_name(), colon + 1, &c->high, e);
	free(low);
	if (rc == -1)
		return cli_names(e);
	if (c->low >= c->high)
		return cli_refuse(
		    e, "%s: the first is not below the second", text);
	return rc;
}

static int
read_smooth(struct chart *c, const char *text, struct error *e)
{
	double factor;

	if (num_real(cli_option_name(), text, &factor, e) < 0)
		return cli_names(e);
	if (factor < 0 || factor > 0.999)
		return cli_refuse(e, "%s is not between 0 and 0.999", text);
	c->smooth = factor;
	return 0;
}

/* Read -t, -w or -W; a number after -w is the width, not a condition. */
static int
read_filter(struct request *r, int option, const char *text, struct error *e)
{
	int64_t n;
	int rc;

	if (option == 'W' ||
	    (option == 'w' && text[strspn(text, "0123456789")] == '\0')) {
		r->width_given = 1;
		rc = num_int(
		    cli_option_name(), text, CHART_WIDTH, LARGEST, &n, e);
		if (rc == -1)
			return cli_names(e);
		r->chart.width = (size_t)n;
		return 0;
	}
	rc = option == 't' ? job_filter_state(r->filter, text, e)
			   : job_filter_where(r->filter, text, e);
	return rc == 0 ? 0 : cli_prefix(e);
}

/* Read an option whose value is one of a few words. */
static int
read_word(struct request *r, int option, const char *word, struct error *e)
{
	static const char *const layouts[] = {"auto", "one", "multi", "spark"};
	int i = option == LAYOUT
	    ? pick(layouts, 4, "auto, one, multi or spark", word, e)
	    : option == GOAL ? metrics_goal_read(word, e)
			     : pick_output(word, e);

	if (i == -1)
		return -1;
	if (option == LAYOUT)
		r->chart.layout = (enum chart_layout)i;
	else if (option == GOAL)
		r->like.goal = i;
	else
		r->output = (enum output)i;
	return 0;
}

static int
read_option(void *arg, int option, struct error *e)
{
	struct request *r = arg;
	const char *value = optarg;

	switch (option) {
	case 'm':
		return cli_list(value, &r->like.metric, e);
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
		return cli_list(value, &r->like.mean, e);
	case LOG:
		r->chart.log = 1;
		r->chart.clip = 0;
		return 0;
	case 'y':
		return read_range(&r->chart, value, e);
	case GRID:
	case BY:
	case HIST:
		return read_kind(r, option, value, e);
	case SMOOTH:
		return read_smooth(&r->chart, value, e);
	case 't':
	case 'w':
	case 'W':
		return read_filter(r, option, value, e);
	case CHARSET:
		return cli_charset(value, &r->chart.charset, e);
	case COLOR:
		return cli_colors(value, &r->chart.colors, e);
	default:
		return read_word(r, option, value, e);
	}
}

/* ---- reading ---- */

/* Close f, and add each line of *notes to a list. */
static void
take_notes(FILE *f, char **notes, struct strlist *list)
{
	char *note, *end;

	xmemclose(f);
	for (note = *notes; *note != '\0'; note = end + 1) {
		end = strchr(note, '\n');
		strlist_take(list, xstrndup(note, (size_t)(end - note)));
	}
	free(*notes);
}

/*
 * Write what there is to say about a picture: one line above it, or lines below
 * a live picture.
 */
static void
say_news(struct request *r)
{
	struct strlist *news = &r->news;
	size_t rest = news->count > NEWS ? news->count - NEWS : 0, i;
	char *text;

	for (i = 0; messages != NULL && i < news->count; i++)
		say("%s", news->word[i]);
	if (messages == NULL && news->count > 0) {
		if (rest > 0)
			strlist_take(news, xasprintf("and %zu more", rest));
		for (i = 0; i < rest; i++)
			strlist_drop(news, NEWS);
		text = strlist_join(news, "; ");
		say("%s", text);
		free(text);
	}
	strlist_free(news);
}

/*
 * Return how many points of a log the output needs, or 0 if it needs all.  A
 * text chart needs 25 groups of neighbours for each column of dots; see
 * metrics_log_new.
 */
static size_t
points_needed(const struct request *r)
{
	enum { DOTS = 2, GROUPS = 25, POINTS = 16 };
	const struct plot *p = &r->like;

	if (r->output != TEXT || r->seen != NULL || r->chart.log ||
	    r->chart.smooth > 0 || p->mean.count > 0 || !isnan(p->at))
		return 0;
	return r->chart.width * DOTS * GROUPS * POINTS;
}

/* Read the tasks into plots, and the files into the first plot. */
static void
read_all(struct job_plots *plots, struct request *r,
    const struct view_selection *choice, const struct strlist *files)
{
	struct strlist failures = {0};
	char *notes = NULL, *errors = NULL;
	size_t length, size, i;
	FILE *f = xmemopen(&notes, &length), *bad = xmemopen(&errors, &size);

	r->like.alone = choice->named + files->count == 1;
	r->like.partner = r->like.alone && r->like.metric.count == 0 &&
	    !r->like.usage && !r->like.so_far && r->like.kind == PLOT_CURVES;
	r->like.points = points_needed(r);
	if (choice->named > 0 && r->output == TEXT && r->like.best == 0 &&
	    r->like.kind == PLOT_CURVES)
		r->like.best = LETTERS;
	job_plots_make(plots, &r->like, choice->tasks, choice->jobs, f, bad);
	take_notes(f, &notes, &r->news);
	take_notes(bad, &errors, &failures);
	if (files->count > 0 && plots->count == 0) {
		plots->plot = xgrow(NULL, 0, sizeof *plots->plot);
		plots->plot[plots->count++] = plot_like(&r->like);
	}
	if (files->count > 0)
		plots->bad +=
		    plot_add_files(&plots->plot[0], files, &r->news, &failures);
	for (i = 0; i < failures.count; i++)
		say("%s", failures.word[i]);
	strlist_free(&failures);
}

/* ---- drawing ---- */

static int
write_text(struct request *r, const struct job_plots *plots)
{
	size_t i, length, size, drawn = 0, rows = cli_height();
	char *notes = NULL, *text;
	struct error e;
	FILE *f = xmemopen(&notes, &length), *out = xmemopen(&text, &size);
	int status = 0;

	/* Leave rows for the messages below a live picture. */
	rows -= rows > r->messages ? r->messages : 0;
	for (i = 0; i < plots->count && status == 0; i++) {
		if (drawn > 0 && plots->plot[i].runs > 0)
			putc('\n', out);
		status =
		    plot_draw(out, f, &plots->plot[i], &r->chart, rows, &e);
		drawn += plots->plot[i].runs;
	}
	take_notes(f, &notes, &r->news);
	xmemclose(out);
	say_news(r);
	fputs(text, page);
	free(text);
	return status == -1 ? cli_fail(&e, CLI_WRONG) : CLI_YES;
}

/* Write scripts for gnuplot.  Returns the exit status. */
static int
write_gnuplot(FILE *out, const struct request *r, const struct job_plots *plots)
{
	size_t i, count, drawn = 0;
	struct error e;

	for (i = 0; i < plots->count; i++) {
		if (plot_gnuplot(out, &plots->plot[i], &r->chart, &count, &e) ==
		    -1)
			return cli_fail(&e, CLI_WRONG);
		drawn += count;
	}
	if (drawn == 0)
		say("nothing to draw: no values yet");
	return CLI_YES;
}

/*
 * Put all charts into an SVG file, *out, to free; NULL if there is nothing to
 * draw.  Sets *charts to their number.  Returns the exit status.
 */
static int
make_svg(struct request *r, const struct job_plots *plots, char **out,
    size_t *charts)
{
	struct chart chart = r->chart;
	struct chart_svg svg = {0};
	char *body, *notes = NULL;
	size_t i, length;
	int rc = 0;
	struct error e;
	FILE *f;

	*out = NULL;
	if (!r->width_given)
		chart.width = 80;
	svg.out = xmemopen(&body, &length);
	svg.notes = f = xmemopen(&notes, &length);
	for (i = 0; i < plots->count && rc == 0; i++)
		rc = plot_svg(&svg, &plots->plot[i], &chart, &e);
	xmemclose(svg.out);
	take_notes(f, &notes, &r->news);
	*charts = svg.titles.count;
	if (rc == 0 && *charts == 0)
		strlist_push(&r->news, "nothing to draw: no values yet");
	if (rc == 0 && *charts > 0) {
		f = xmemopen(out, &length);
		chart_svg_file(f, &svg, body);
		xmemclose(f);
	}
	strlist_free(&svg.titles);
	free(body);
	return rc == -1 ? cli_fail(&e, CLI_WRONG) : CLI_YES;
}

/* Convert an SVG file of so many charts to PNG.  Returns the exit status. */
static int
write_png(const struct request *r, const struct job_plots *plots,
    const char *svg, size_t charts)
{
	char *script;
	struct error e;
	size_t length;
	FILE *f;
	int rc = plot_png(svg, &e);

	if (rc == 1 && charts == 1) {
		f = xmemopen(&script, &length);
		write_gnuplot(f, r, plots);
		xmemclose(f);
		rc = plot_png_gnuplot(script, &e);
		free(script);
	}
	if (rc == 1)
		error_set(&e,
		    "-o png: install rsvg-convert (Debian: librsvg2-bin) or "
		    "inkscape%s, or write -o svg",
		    charts == 1 ? " or gnuplot" : "");
	return rc == 0 ? CLI_YES : cli_fail(&e, CLI_WRONG);
}

static int
write_image(struct request *r, const struct job_plots *plots)
{
	size_t charts;
	char *svg;
	int status = make_svg(r, plots, &svg, &charts);

	say_news(r);
	if (status == CLI_YES && svg != NULL && r->output == SVG)
		fputs(svg, stdout);
	else if (status == CLI_YES && svg != NULL)
		status = write_png(r, plots, svg, charts);
	free(svg);
	return status;
}

static int
write_all(struct request *r, const struct job_plots *plots)
{
	int is_terminal = isatty(STDOUT_FILENO);
	size_t length, i;
	char *text = NULL;
	FILE *out;

	if (r->seen != NULL) {
		for (i = 0; i < plots->count; i++)
			plot_news(page, &plots->plot[i], r->seen);
		return cli_flush() == -1 ? CLI_WRONG : CLI_YES;
	}
	if (r->output == TEXT)
		return write_text(r, plots);
	if (r->output == SVG || r->output == PNG)
		return write_image(r, plots);
	say_news(r);
	if (r->output == GNUPLOT)
		return write_gnuplot(stdout, r, plots);
	/* Programs get every byte; a terminal would interpret some of them. */
	out = is_terminal ? xmemopen(&text, &length) : stdout;
	plot_tsv(out, r->like.kind, plots->plot, plots->count, r->chart.smooth);
	if (is_terminal) {
		xmemclose(out);
		text_page(stdout, text);
		free(text);
	}
	return CLI_YES;
}

/* Return whether tasks without values may still get values. */
static int
may_come(const struct view_selection *choice)
{
	const struct job_tasks *t;
	size_t i, k;

	for (i = 0; i < choice->jobs; i++) {
		t = &choice->tasks[i];
		for (k = 0; k < t->count; k++)
			if (!store_state_is_final(
				store_table_state(t->view->table, t->task[k])))
				return 1;
	}
	return 0;
}

/* Say that there is nothing to draw, and how to find out why. */
static void
say_nothing(const struct view_selection *choice)
{
	const struct job_tasks *t, *end = choice->tasks + choice->jobs;
	struct strlist failed = {0};
	char *list;
	size_t k;

	for (t = choice->tasks; t < end; t++)
		for (k = 0; k < t->count; k++)
			if (store_table_state(t->view->table, t->task[k]) ==
			    STORE_ERROR) {
				strlist_push(
				    &failed, store_job_name(t->view->job));
				break;
			}
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
	size_t i, length, runs = 0;
	char *notes = NULL;
	struct error e;
	int status = 0;
	FILE *f;

	read_all(&plots, r, choice, files);
	for (i = 0; i < plots.count; i++)
		runs += plots.plot[i].runs;
	if (runs == 0)
		status = job_plots_check(&plots, &e);
	f = xmemopen(&notes, &length);
	for (i = 0; i < plots.count && status == 0; i++)
		status = plot_merge(&plots.plot[i], f, &e);
	take_notes(f, &notes, &r->news);
	if (status == -1)
		status = cli_fail(&e, CLI_WRONG);
	else if (r->seen == NULL && runs == 0 && plots.bad > 0)
		status = CLI_WRONG;
	else
		status = write_all(r, &plots);
	say_news(r); /* if there is no picture */
	if (status == CLI_YES && runs == 0 && !may_come(choice)) {
		say_nothing(choice);
		status = CLI_NO;
	}
	if (status == CLI_YES && plots.bad > 0)
		status = CLI_NO;
	job_plots_free(&plots);
	return status;
}

/* ---- choosing tasks ---- */

static int
choose(struct view_selection *choice, const struct request *r,
    const struct job_plot_words *o, struct error *e)
{
	const struct strlist *words = &o->tasks;
	const char *option = r->like.usage ? "--usage" : "--best-so-far";
	const char *file = o->files.count > 0 ? o->files.word[0] : NULL;
	int is_input = text_same(file, "-"), status;

	*choice = (struct view_selection){0};
	if ((r->like.usage || r->like.so_far) && file != NULL)
		return error_set(e,
		    "%s%s%s draws tasks: name a job, as in stfm-plot %s JOB",
		    is_input ? "" : file, is_input ? "" : ": a file; ", option,
		    option);
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

/*
 * Choose and draw once, and report unreadable records.  more is NULL, or with
 * --follow points to whether more values can come; then states are refreshed
 * too.
 */
static int
run(struct request *r, const struct job_plot_words *o, int *more)
{
	struct view_selection choice;
	struct error e;
	int status = CLI_NO;
	size_t i;

	if (more != NULL)
		*more = 0;
	if (choose(&choice, r, o, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	if (more != NULL) {
		if (choice.selection.count > 0 && choice.trouble == NULL)
			view_selection_refresh(
			    &choice, r->filter, JOB_WHEN_OLD, time(NULL));
		/*
		 * Test this before the logs are read: later values are read in
		 * the next round.
		 */
		*more = o->files.count > 0;
		for (i = 0; i < choice.selection.count; i++)
			*more |= !job_view_is_final(choice.view[i]);
	}
	if (choice.left == 0 && o->files.count == 0)
		say("no task is left by -t and -w");
	else
		status = plot(r, &choice, &o->files);
	if (choice.trouble != NULL)
		say("%s", choice.trouble);
	view_selection_damage(&choice);
	for (i = 0; i < choice.damaged.count; i++)
		say("%s", choice.damaged.word[i]);
	if (more == NULL && choice.unread > 0)
		status = CLI_WRONG;
	view_selection_free(&choice);
	return status;
}

/* Add messages below the picture, cut to width.  Returns the number of rows. */
static size_t
add_messages(FILE *picture, const char *text, size_t width)
{
	size_t length, wide, rows = 0;
	char *line;

	for (; *text != '\0'; text += length + 1, rows++) {
		length = strcspn(text, "\n");
		line = xstrndup(text, length);
		wide = text_width(line);
		text_cell(picture, line, wide < width ? wide : width, 0);
		putc('\n', picture);
		free(line);
	}
	return rows;
}

/* Draw the picture on the terminal again. */
static int
show_round(struct request *r, const struct job_plot_words *o, int *more)
{
	char *picture = NULL, *text = NULL;
	size_t length, text_length;
	int status;

	if (!r->width_given)
		r->chart.width = cli_width(80);
	if (r->chart.width < CHART_WIDTH) {
		live_show(stdout, "too narrow\n");
		return CLI_YES;
	}
	page = xmemopen(&picture, &length);
	messages = xmemopen(&text, &text_length);
	status = run(r, o, more);
	xmemclose(messages);
	r->messages = add_messages(page, text, cli_width(80));
	xmemclose(page);
	page = stdout;
	messages = NULL;
	if (status != CLI_WRONG)
		live_show(stdout, picture);
	free(picture);
	free(text);
	return status;
}

static int
follow(struct request *r, const struct job_plot_words *o)
{
	int live = cli_can_draw(), pause = (int)r->interval * 1000;
	int more = 1, status;

	if (strlist_have(&o->files, "-")) {
		say("-f: standard input cannot be read again");
		return CLI_WRONG;
	}
	if (live)
		live_begin(stdout);
	else
		r->seen = plot_seen_new();
	for (;;) {
		status = live ? show_round(r, o, &more) : run(r, o, &more);
		if (!more || status == CLI_WRONG)
			break;
		if (live)
			live_wait(pause);
		else if (cli_wait_reader(pause))
			break;
		/* The first round has printed the messages. */
		else if (messages == NULL)
			messages = fopen("/dev/null", "w");
	}
	if (live) {
		live_end(stdout);
		return status;
	}
	plot_seen_free(r->seen);
	r->seen = NULL;
	if (messages != NULL)
		fclose(messages);
	messages = NULL;
	return status;
}

/* Read the options.  Returns CLI_END, or what cli_next returns otherwise. */
static int
read_options(struct request *r, int argc, char **argv)
{
	struct error e;
	int option, rc = 0;

	/* Defaults from the terminal, which options override. */
	r->chart.width = cli_width(80);
	r->chart.height = 0;
	if (cli_charset(NULL, &r->chart.charset, &e) < 0 ||
	    cli_colors(NULL, &r->chart.colors, &e) < 0)
		return cli_fail(&e, CLI_BAD);
	option = cli_options(&cli, argc, argv, read_option, r);
	if (option != CLI_END)
		return option;
	if (r->like.kind != PLOT_CURVES && r->like.best > 0)
		rc = error_set(&e,
		    "-b: --grid, --by and --hist are about all "
		    "tasks (-w chooses some)");
	else if (r->like.usage && r->like.kind != PLOT_CURVES)
		rc = error_set(&e, "--usage: draws no --grid, --by nor --hist");
	else if (r->like.so_far &&
	    (r->like.usage || r->like.kind != PLOT_CURVES ||
		r->like.x != NULL || r->like.mean.count > 0 ||
		r->like.metric.count > 1))
		rc = error_set(&e,
		    "--best-so-far: one metric against hours; leave out "
		    "--usage, --grid, --by, --hist, --x and --mean");
	else if (r->follow && r->output != TEXT)
		rc = error_set(&e, "-f: text only: leave out -o");
	else if (r->output == PNG && isatty(STDOUT_FILENO))
		rc = error_set(&e,
		    "-o png: not on a terminal (write it to a file: "
		    "stfm-plot -o png ... > plot.png)");
	return rc == -1 ? cli_fail(&e, CLI_BAD) : CLI_END;
}

int
main(int argc, char **argv)
{
	struct request r = {.chart = CHART_DEFAULT,
	    .like = {.goal = METRICS_GOAL_BY_NAME, .at = NAN},
	    .filter = job_filter_new(),
	    .interval = INTERVAL};
	struct job_plot_words o = {{0}};
	int got, status, i, from_stdin = 0;

	cli_start(&cli);
	r.chart.clip = 1;
	page = stdout;
	got = read_options(&r, argc, argv);
	for (i = optind; i < argc; i++)
		job_plot_words_add(&o, r.store, argv[i]);
	/* Without operands, draw standard input. */
	from_stdin = optind >= argc && !job_filter_asks(r.filter);
	if (from_stdin)
		strlist_push(&o.files, "-");
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (from_stdin && isatty(STDIN_FILENO))
		status = cli_usage(&cli);
	else
		status = r.follow ? follow(&r, &o) : run(&r, &o, NULL);
	job_plot_words_free(&o);
	strlist_free(&r.regex);
	record_pattern_free(r.pattern);
	plot_free(&r.like);
	job_filter_free(r.filter);
	return cli_finish(status);
}
