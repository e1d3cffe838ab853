/* draw learning curves as text */

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chart.h"
#include "cli.h"
#include "metrics.h"
#include "num.h"
#include "rows.h"
#include "text.h"
#include "xalloc.h"

enum { X_COLUMN = 256, LAYOUT, GOAL, CHARSET, COLOR };

static const struct cli_option options[] = {
    {'m', "metric", "NAMES", "draw these columns (NAME,NAME)"},
    {X_COLUMN, "x", "COLUMN", "draw along this column, not the epoch"},
    {GOAL, "goal", "GOAL", "what is best: min or max (from the name)"},
    {'n', "best", "N", "only the N best"},
    {'l', "log", NULL, "logarithmic y axis"},
    {'y', "range", "LO:HI", "ends of the y axis; either may be empty"},
    {'s', "smooth", "FACTOR", "moving average, 0 to 0.999"},
    {LAYOUT, "layout", "LAYOUT", "auto, one, multi or spark"},
    {'o', "output", "FORMAT", "text, tsv or gnuplot"},
    {'w', "width", "COLUMNS", "width of the drawing"},
    {'H', "height", "ROWS", "height of the chart, 16 by default"},
    {CHARSET, "charset", "SET", "braille, block or ascii"},
    {COLOR, "color", "WHEN", "always, never or auto"},
    {'d', "store", "DIR", "the store (default: $STFM_DIR, .stfm, ...)"},
    {0},
};

static const struct cli cli = {
    .name = "stfm-plot",
    .about = "draw learning curves as text",
    .synopsis = "[options] [FILE|-]...",
    .examples =
	"  stfm-plot train.csv              training and validation loss\n"
	"  stfm-plot -l -n 5 runs/*.csv     the five best of many\n"
	"  stfm-plot -o gnuplot train.csv | gnuplot -p    in a window\n",
    .options = options,
};

enum output { TEXT, TSV, GNUPLOT };

struct request {
	struct chart chart; /* how to draw */
	char **metric;      /* what was asked for by name */
	size_t metrics;
	const char *x;
	const char *store;
	int goal; /* enum metrics_goal, or METRICS_GOAL_BY_NAME */
	size_t best;
	enum output output;
};

/* One log that was read: a file. */
struct run {
	char *name;
	struct metrics_header header;
	struct metrics_log *log;
	int x;          /* column */
	char *cells[1]; /* beside the name in the legend */
};

struct runs {
	struct run *run;
	size_t count;
	int bad; /* some could not be read */
};

static int
pick(const char *const *words, size_t count, const char *word, int *out,
    struct error *e)
{
	const char *near;
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0) {
			*out = (int)i;
			return 0;
		}
	near = text_nearest(word, words, count);
	if (near != NULL)
		return error_set(e, "%s: no '%s' (did you mean %s?)",
		    cli_option_name(), word, near);
	return error_set(
	    e, "%s: no '%s' (try --help)", cli_option_name(), word);
}

/* Add the names of a list such as "loss,acc". */
static int
add_metrics(struct request *r, const char *list, struct error *e)
{
	size_t length;

	for (;; list += length + 1) {
		length = strcspn(list, ",");
		if (length == 0)
			return error_set(e, "%s: an empty name of a column",
			    cli_option_name());
		r->metric = xgrow(r->metric, r->metrics, sizeof *r->metric);
		r->metric[r->metrics++] = xstrndup(list, length);
		if (list[length] == '\0')
			return 0;
	}
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

/* The options that name one of some words. */
static int
read_word(struct request *r, int option, const char *word, struct error *e)
{
	static const char *const layouts[] = {"auto", "one", "multi", "spark"};
	static const char *const goals[] = {"min", "max"};
	static const char *const outputs[] = {"text", "tsv", "gnuplot"};
	int i, status;

	if (option == LAYOUT) {
		status = pick(layouts, 4, word, &i, e);
		if (status == 0)
			r->chart.layout = (enum chart_layout)i;
	} else if (option == GOAL) {
		status = pick(goals, 2, word, &r->goal, e);
	} else {
		status = pick(outputs, 3, word, &i, e);
		if (status == 0)
			r->output = (enum output)i;
	}
	return status;
}

static int
read_option(struct request *r, int option, const char *value, struct error *e)
{
	switch (option) {
	case 'm':
		return add_metrics(r, value, e);
	case X_COLUMN:
		r->x = value;
		return 0;
	case 'n':
		return read_size(&r->best, value, 1, e);
	case 'l':
		r->chart.log = 1;
		return 0;
	case 'y':
		return read_range(&r->chart, value, e);
	case 's':
		return read_smooth(&r->chart, value, e);
	case 'w':
		return read_size(&r->chart.width, value, CHART_WIDTH, e);
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

/* Say which columns there are, for people who mistyped one; to free. */
static char *
list_columns(const struct metrics_header *h)
{
	enum { MOST = 20 };
	char *list = NULL;
	size_t length, i, shown = 0;
	FILE *f = open_memstream(&list, &length);

	for (i = 0; f != NULL && i < h->count && shown < MOST; i++)
		if (*h->name[i] != '\0')
			fprintf(f, "%s%s", shown++ > 0 ? ", " : "", h->name[i]);
	if (f != NULL) {
		fputs(shown == MOST ? ", ..." : "", f);
		fclose(f);
	}
	return list;
}

static int
no_column(const struct metrics_header *h, const char *name, struct error *e)
{
	const char *near =
	    text_nearest(name, (const char *const *)h->name, h->count);
	char *list = list_columns(h);

	error_set(e, "no column '%s' (%s%s%sit has %s)", name,
	    near ? "did you mean " : "", near ? near : "", near ? "? " : "",
	    list);
	free(list);
	return -1;
}

/* The column of that name, which must have numbers. */
static int
find_column(
    const struct metrics_header *h, const char *name, int *out, struct error *e)
{
	int column = metrics_column(h, name);

	if (column == METRICS_NONE)
		return no_column(h, name, e);
	if (h->kind[column] < 0)
		return error_set(e, "column '%s' has no numbers", name);
	*out = column;
	return 0;
}

/* Without --metric: the objective, and for a single log its partner too. */
static int
guess_metrics(struct request *r, const struct metrics_header *h, int single,
    struct error *e)
{
	int column = metrics_guess_objective(h), partner;

	if (column == METRICS_NONE)
		return error_set(e,
		    "no column of numbers (comma, tab or semicolon "
		    "between the columns?)");
	partner = single ? metrics_partner(h, column) : METRICS_NONE;
	add_metrics(r, h->name[column], NULL);
	if (partner != METRICS_NONE && h->kind[partner] >= 0)
		add_metrics(r, h->name[partner], NULL);
	return 0;
}

static int
choose_columns(struct request *r, struct run *run, int single, struct error *e)
{
	int *column, status = 0;
	size_t i;

	run->x = metrics_guess_x(&run->header);
	if (r->x != NULL && find_column(&run->header, r->x, &run->x, e) < 0)
		return -1;
	if (r->metrics == 0 && guess_metrics(r, &run->header, single, e) < 0)
		return -1;
	column = xcalloc(r->metrics, sizeof *column);
	for (i = 0; i < r->metrics && status == 0; i++)
		status = find_column(&run->header, r->metric[i], &column[i], e);
	if (status == 0)
		run->log =
		    metrics_log_new(&run->header, run->x, column, r->metrics);
	free(column);
	return status;
}

/* Fill the buffer as far as there is something.  Returns the bytes, or -1. */
static ssize_t
read_full(int fd, char *buffer, size_t size)
{
	size_t used = 0;
	ssize_t n = 1;

	while (used < size && n > 0) {
		n = read(fd, buffer + used, size - used);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return -1;
		else
			used += (size_t)n;
	}
	return (ssize_t)used;
}

/*
 * A pipe has ended when it ends.  A file may still grow, and half a number at
 * its end would draw a point that never was.
 */
static int
finish_log(struct run *run, int is_pipe, struct error *e)
{
	if (is_pipe)
		return metrics_log_finish(run->log, e);
	if (metrics_log_waits(run->log))
		cli_warn("%s: the last line has no line end and is left out",
		    run->name);
	return 0;
}

static int
read_run(
    struct request *r, struct run *run, int fd, int single, struct error *e)
{
	char *buffer = xmalloc(ROWS_RECORD);
	ssize_t n = read_full(fd, buffer, ROWS_RECORD);
	int status = -1;

	if (n < 0)
		error_errno(e, "reading");
	else
		status =
		    metrics_header_read(&run->header, buffer, (size_t)n, e);
	if (status == 0)
		status = choose_columns(r, run, single, e);
	while (status == 0 && n > 0) {
		status = metrics_log_feed(run->log, buffer, (size_t)n, e);
		n = read_full(fd, buffer, ROWS_RECORD);
		if (n < 0)
			status = error_errno(e, "reading");
	}
	if (status == 0)
		status = finish_log(run, fd == STDIN_FILENO, e);
	free(buffer);
	return status;
}

static void
run_free(struct run *run)
{
	free(run->name);
	free(run->cells[0]);
	metrics_header_free(&run->header);
	metrics_log_free(run->log);
}

/* Read the log at path, or say why not. */
static int
open_run(struct request *r, struct run *run, const char *path, int single)
{
	int is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct error e;
	int status;

	*run = (struct run){.name = xstrdup(is_stdin ? "stdin" : path)};
	status = fd == -1 ? error_set(&e, "%s", strerror(errno))
			  : read_run(r, run, fd, single, &e);
	if (fd != -1 && !is_stdin)
		close(fd);
	if (status < 0) {
		cli_warn("%s: %s", run->name, e.text);
		run_free(run);
	}
	return status;
}

/* How far a run has come along x. */
static char *
reached(const struct request *r, const struct run *run)
{
	const struct metrics_series *s;
	char text[NUM_TEXT];
	double most = -INFINITY;
	size_t i;

	for (i = 0; i < r->metrics; i++) {
		s = metrics_log_series(run->log, i);
		if (s->count > 0 && s->x[s->count - 1] > most)
			most = s->x[s->count - 1];
	}
	return xstrdup(most > -INFINITY ? num_exact(most, text) : "-");
}

/* Names without the directories that all of them have in common. */
static void
shorten_names(struct runs *runs)
{
	const char *first = runs->run[0].name, *slash;
	size_t common, i, k;

	slash = strrchr(first, '/');
	common = slash ? (size_t)(slash - first) + 1 : 0;
	for (i = 1; i < runs->count; i++) {
		for (k = 0; k < common && runs->run[i].name[k] == first[k];)
			k++;
		while (k > 0 && first[k - 1] != '/')
			k--;
		common = k;
	}
	for (i = 0; i < runs->count; i++)
		memmove(runs->run[i].name, runs->run[i].name + common,
		    strlen(runs->run[i].name) - common + 1);
}

static void
open_runs(struct request *r, struct runs *runs, char *const *path, size_t count)
{
	struct run run;
	size_t i;

	for (i = 0; i < count; i++) {
		if (open_run(r, &run, path[i], count == 1) < 0) {
			runs->bad = 1;
			continue;
		}
		run.cells[0] = reached(r, &run);
		runs->run = xgrow(runs->run, runs->count, sizeof run);
		runs->run[runs->count++] = run;
	}
	if (runs->count > 1)
		shorten_names(runs);
}

/* One line of a chart: one metric of one run. */
struct curve {
	const struct run *run;
	const char *metric;
	enum metrics_goal goal;
	const struct metrics_series *series;
	struct metrics_facts facts;
};

static struct curve
curve_of(const struct request *r, const struct run *run, size_t metric)
{
	struct curve c = {.run = run, .metric = r->metric[metric]};

	c.goal = r->goal == METRICS_GOAL_BY_NAME ? metrics_goal(c.metric)
						 : (enum metrics_goal)r->goal;
	c.series = metrics_log_series(run->log, metric);
	metrics_series_facts(c.series, c.goal, &c.facts);
	return c;
}

static double
best_value(const struct curve *c)
{
	return c->facts.best == METRICS_NO_POINT ? NAN
						 : c->series->y[c->facts.best];
}

static int
by_best(const void *a, const void *b)
{
	const struct curve *c = a, *d = b;
	double x = best_value(c), y = best_value(d);

	if (metrics_better(c->goal, x, y))
		return -1;
	if (metrics_better(c->goal, y, x))
		return 1;
	return c->run < d->run ? -1 : c->run > d->run;
}

/* One metric of all runs, the best first.  Returns how many are wanted. */
static size_t
curves_of_metric(const struct request *r, const struct runs *runs,
    size_t metric, struct curve *out)
{
	size_t i;

	for (i = 0; i < runs->count; i++)
		out[i] = curve_of(r, &runs->run[i], metric);
	qsort(out, runs->count, sizeof *out, by_best);
	return r->best > 0 && r->best < runs->count ? r->best : runs->count;
}

static const char *
x_name(const struct run *run)
{
	return run->x == METRICS_NONE ? "row" : run->header.name[run->x];
}

static struct chart_line
line_of(const struct curve *c, int legend)
{
	struct chart_line l = {.name = legend ? c->run->name : c->metric,
	    .x = c->series->x,
	    .y = c->series->y,
	    .count = c->series->count,
	    .start = c->series->start,
	    .starts = c->series->starts,
	    .best = c->facts.best,
	    .dotted = !legend && metrics_is_validation(c->metric),
	    .cell = (const char *const *)c->run->cells};

	return l;
}

/* The height where none was asked for: chart and legend fill one screen. */
static size_t
choose_height(size_t legend_rows)
{
	enum { GOOD = 16, SMALL = 12 };
	size_t rows = cli_height(), height;

	if (rows == 0 || rows >= GOOD + legend_rows + 1)
		return GOOD;
	height = rows > SMALL + legend_rows ? rows - legend_rows - 1 : SMALL;
	if (height + 4 > rows)
		height = rows > CHART_HEIGHT + 4 ? rows - 4 : CHART_HEIGHT;
	return height;
}

/* The rows of the legend and, four at most, of what is said about nan. */
static size_t
rows_below(const struct curve *curve, size_t count, int legend)
{
	size_t i, nan = 0;

	for (i = 0; i < count; i++)
		nan += curve[i].facts.nan_since != METRICS_NO_POINT;
	return (legend ? count + 1 : 0) + (nan < 4 ? nan : 4);
}

/* Say each line of some notes. */
static void
warn_lines(char *notes, const char *name)
{
	char *note = notes, *end;

	for (; *note != '\0'; note = end + 1) {
		end = strchr(note, '\n');
		*end = '\0';
		if (name == NULL)
			cli_warn("%s", note);
		else
			cli_warn("%s: %s", name, note);
	}
}

/* Draw, and pass on what there is to say beside the drawing. */
static int
draw(struct chart *chart, const struct curve *curve, size_t count, int legend)
{
	struct chart_line *line = xcalloc(count, sizeof *line);
	char *notes = NULL;
	struct error e;
	size_t length, i;
	FILE *f = open_memstream(&notes, &length);
	int status;

	for (i = 0; i < count; i++)
		line[i] = line_of(&curve[i], legend);
	chart->line = line;
	chart->lines = count;
	chart->legend = legend;
	chart->x_name = x_name(curve[0].run);
	chart->y_name = curve[0].metric;
	if (chart->height == 0)
		chart->height = choose_height(rows_below(curve, count, legend));
	status = chart_draw(stdout, f, chart, &e);
	fclose(f);
	warn_lines(notes, legend ? NULL : curve[0].run->name);
	free(notes);
	free(line);
	return status < 0 ? cli_fail(&e, CLI_WRONG) : CLI_YES;
}

/* What was done to the values, for the title. */
static char *
treatment(const struct chart *c)
{
	char factor[NUM_TEXT];

	if (c->smooth == 0)
		return xstrdup("");
	return xasprintf("  smoothed %s", num_short(c->smooth, 3, factor));
}

/* One run: its metrics in one chart, the objective marked. */
static int
draw_run(const struct request *r, const struct run *run)
{
	struct curve *curve = xcalloc(r->metrics, sizeof *curve);
	struct chart chart = r->chart;
	char best[CHART_NUMBER], at[NUM_TEXT], *title, *note = NULL, *how;
	const struct metrics_facts *f = &curve[0].facts;
	size_t i;
	int status;

	for (i = 0; i < r->metrics; i++)
		curve[i] = curve_of(r, run, i);
	how = treatment(&chart);
	title = xasprintf(
	    "%s  %s %s%s", run->name, x_name(run), run->cells[0], how);
	if (f->best != METRICS_NO_POINT)
		note = xasprintf("best %s %s @ %s (%s)", curve[0].metric,
		    chart_number(best_value(curve), 4, best),
		    num_exact(curve[0].series->x[f->best], at),
		    chart_best_mark(chart.charset));
	chart.title = title;
	chart.note = note;
	chart.name_head = "METRIC";
	status = draw(&chart, curve, r->metrics, 0);
	free(title);
	free(note);
	free(how);
	free(curve);
	return status;
}

/* Several runs: one metric of all of them in one chart. */
static int
draw_metric(const struct request *r, const struct runs *runs, size_t metric)
{
	struct curve *curve = xcalloc(runs->count, sizeof *curve);
	size_t count = curves_of_metric(r, runs, metric, curve);
	struct chart_column column = {.right = 1};
	struct chart chart = r->chart;
	char *title, *how, *head, *which;
	int status;

	how = treatment(&chart);
	head = xasprintf("%s", x_name(curve[0].run));
	for (char *p = head; *p != '\0'; p++)
		*p = (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
	which = count < runs->count
	    ? xasprintf("the best %zu of %zu files", count, runs->count)
	    : xasprintf("%zu file%s", count, count == 1 ? "" : "s");
	title = xasprintf("%s, %s  %s is better  sorted by best%s",
	    r->metric[metric], which,
	    curve[0].goal == METRICS_MIN ? "lower" : "higher", how);
	column.name = head;
	chart.title = title;
	chart.name_head = "FILE";
	chart.column = &column;
	chart.columns = 1;
	status = draw(&chart, curve, count, 1);
	free(title);
	free(which);
	free(head);
	free(how);
	free(curve);
	return status;
}

/* The values of a curve as they would be drawn; to free. */
static double *
drawn_values(const struct request *r, const struct metrics_series *s)
{
	double *y = xcalloc(s->count, sizeof *y);

	if (s->count > 0)
		memcpy(y, s->y, s->count * sizeof *y);
	if (r->chart.smooth > 0)
		chart_smooth(y, s->count, s->start, s->starts, r->chart.smooth);
	return y;
}

static void
write_tsv(const struct request *r, const struct curve *c)
{
	double *y = drawn_values(r, c->series);
	char x[NUM_TEXT], value[NUM_TEXT];
	size_t i;

	for (i = 0; i < c->series->count; i++) {
		text_tsv(stdout, c->run->name);
		printf("\t%s\t", num_exact(c->series->x[i], x));
		text_tsv(stdout, c->metric);
		printf("\t%s\n", num_exact(y[i], value));
	}
	free(y);
}

/* A script for gnuplot with all curves in one plot. */
static void
write_gnuplot(const struct request *r, const struct curve *curve, size_t count)
{
	struct chart_line *line = xcalloc(count, sizeof *line);
	char **name = xcalloc(count, sizeof *name);
	struct chart chart = r->chart;
	size_t i;

	for (i = 0; i < count; i++) {
		name[i] = r->metrics == 1
		    ? xstrdup(curve[i].run->name)
		    : xasprintf("%s %s", curve[i].run->name, curve[i].metric);
		line[i] = line_of(&curve[i], 1);
		line[i].name = name[i];
	}
	chart.line = line;
	chart.lines = count;
	chart.x_name = x_name(curve[0].run);
	chart.y_name = r->metrics == 1 ? curve[0].metric : "";
	if (chart_gnuplot(stdout, &chart) == 0)
		cli_warn("nothing to draw: no values yet");
	for (i = 0; i < count; i++)
		free(name[i]);
	free(name);
	free(line);
}

/* Every curve, by metric and then the best first, as data. */
static int
write_data(const struct request *r, const struct runs *runs)
{
	struct curve *curve = xcalloc(r->metrics * runs->count, sizeof *curve);
	size_t m, i, count = 0;

	for (m = 0; m < r->metrics; m++)
		count += curves_of_metric(r, runs, m, curve + count);
	if (r->output == GNUPLOT) {
		write_gnuplot(r, curve, count);
	} else {
		puts("series\tx\tmetric\tvalue");
		for (i = 0; i < count; i++)
			write_tsv(r, &curve[i]);
	}
	free(curve);
	return CLI_YES;
}

static int
write_text(const struct request *r, const struct runs *runs)
{
	int status = CLI_YES, worst = CLI_YES;
	size_t m;

	if (runs->count == 1 && !runs->bad)
		return draw_run(r, &runs->run[0]);
	for (m = 0; m < r->metrics; m++) {
		if (m > 0)
			putchar('\n');
		status = draw_metric(r, runs, m);
		if (status > worst)
			worst = status;
	}
	return worst;
}

/* Returns CLI_END when all is well, as cli_next otherwise. */
static int
read_options(struct request *r, int argc, char **argv)
{
	struct error e;
	int option;

	if (ask_terminal(r, &e) < 0) {
		cli_fail(&e, CLI_WRONG);
		return CLI_BAD;
	}
	while ((option = cli_next(&cli, argc, argv)) >= 0)
		if (read_option(r, option, optarg, &e) < 0) {
			cli_fail(&e, CLI_WRONG);
			return CLI_BAD;
		}
	return option;
}

static int
plot(struct request *r, char *const *path, size_t count)
{
	struct runs runs = {0};
	size_t i;
	int status;

	open_runs(r, &runs, path, count);
	if (runs.count == 0)
		status = CLI_WRONG;
	else if (r->output == TEXT)
		status = write_text(r, &runs);
	else
		status = write_data(r, &runs);
	if (status == CLI_YES && runs.bad)
		status = CLI_NO;
	for (i = 0; i < runs.count; i++)
		run_free(&runs.run[i]);
	free(runs.run);
	return status;
}

int
main(int argc, char **argv)
{
	struct request r = {
	    .chart = CHART_DEFAULT, .goal = METRICS_GOAL_BY_NAME};
	char dash[] = "-", *from_stdin[] = {dash};
	int got, status;
	size_t i;

	cli_start(&cli);
	got = read_options(&r, argc, argv);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (optind < argc)
		status = plot(&r, argv + optind, (size_t)(argc - optind));
	else if (isatty(STDIN_FILENO))
		status = cli_usage(&cli);
	else
		status = plot(&r, from_stdin, 1);
	for (i = 0; i < r.metrics; i++)
		free(r.metric[i]);
	free(r.metric);
	return cli_finish(status);
}
