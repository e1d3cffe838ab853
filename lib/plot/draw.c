#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "plot/private.h"

/* More columns than any text has. */
#define NO_LIMIT ((size_t)1 << 30)

/* The part of the longest run that a run must reach to be compared. */
static const double enough = 0.25;

/* Return the last x of a run, nan if it is unknown. */
static double
reach_of(const struct plot *p, const struct plot_run *run)
{
	const struct metrics_series *s;
	double last = NAN;
	size_t m, i;

	if (!plot_was_read(run))
		return run->recorded_x;
	for (m = 0; m < p->metric.count; m++) {
		s = plot_series(run, m);
		for (i = 0; i < s->count; i++)
			if (!(s->x[i] <= last))
				last = s->x[i];
	}
	return last;
}

static const char *
x_name(const struct plot *p)
{
	return p->run[0].log != NULL ? curve_x_name(&p->run[0]) : "epoch";
}

/*
 * Note the progress of the runs: which runs have not reached the x at which all
 * are compared, or whose best values may still improve.  Returns whether
 * anything was noted.
 */
static int
note_progress(FILE *notes, const struct plot *p)
{
	char from[NUM_TEXT], to[NUM_TEXT];
	double least = INFINITY, most = -INFINITY, reach;
	size_t i, count = 0;
	int has_at = !isnan(p->at);

	for (i = 0; i < p->runs; i++) {
		reach = reach_of(p, &p->run[i]);
		most = fmax(most, reach);
		if (has_at || p->run[i].training)
			least = fmin(least, reach);
		count += has_at ? reach < p->at : p->run[i].training != 0;
	}
	if (count == 0)
		return 0;
	fprintf(notes, "%zu of %zu ", count, p->runs);
	if (has_at)
		fprintf(notes, "have not come to %s %s (the last is at %s)",
		    x_name(p), num_exact(p->at, to), num_exact(least, from));
	else
		fputs("still training", notes);
	if (!has_at && !p->is_paper && least >= enough * most && least < most)
		fprintf(notes, " (--at %s compares at the same %s)",
		    num_exact(least, from), x_name(p));
	putc('\n', notes);
	return 1;
}

/*
 * Note a shorter run that was better than the best run had been until then: the
 * order of the runs then depends on how far each run came.  Returns whether
 * anything was noted.
 */
static int
note_overtaken(FILE *notes, const struct plot *p)
{
	struct curve *curve = xcalloc(p->runs, sizeof *curve);
	const struct curve *other = NULL;
	const struct metrics_series *first;
	double most, x, at = 0, best;
	char text[NUM_TEXT];
	size_t i, k;

	curves_of_metric(p, 0, curve);
	first = curve[0].series;
	most = reach_of(p, curve[0].run);
	for (i = 1; i < p->runs; i++) {
		x = reach_of(p, curve[i].run);
		if (x >= most || !(x >= enough * most) || x <= at)
			continue;
		best = NAN; /* of the first run until x */
		for (k = 0; k < first->count; k++)
			if (first->x[k] <= x &&
			    metrics_better(curve->goal, first->y[k], best))
				best = first->y[k];
		if (metrics_better(curve->goal, curve_best(&curve[i]), best)) {
			other = &curve[i];
			at = x;
		}
	}
	if (other != NULL)
		fprintf(notes, "%s was ahead of %s at %s %s, its last%s%s%s\n",
		    other->run->name, curve[0].run->name, x_name(p),
		    num_exact(at, text), p->is_paper ? "" : " (--at ",
		    p->is_paper ? "" : text,
		    p->is_paper ? "" : " compares there)");
	free(curve);
	return other != NULL;
}

/* ---- titles ---- */

/* Return the progress of a run: "40", or "41/100" for a task; to free. */
static char *
reached(const struct plot *p, const struct plot_run *run)
{
	char done[NUM_TEXT], all[NUM_TEXT];
	double most = -INFINITY;
	const struct metrics_series *s;
	size_t i;

	for (i = 0; i < p->metric.count; i++) {
		s = plot_series(run, i);
		if (s->count > 0)
			most = fmax(most, s->x[s->count - 1]);
	}
	if (!isfinite(most))
		return xstrdup("-");
	plot_x_text(p, most, done);
	if (plot_is_time(p) || run->epochs == 0)
		return xstrdup(done);
	return xasprintf("%s/%s", done, num_exact(run->epochs, all));
}

/*
 * Return how the values were treated: " up to epoch 7 smoothed 0.6"; to free.
 */
static char *
treatment(const struct plot *p, const struct chart *c)
{
	char number[NUM_TEXT], *text = NULL;
	size_t length;
	FILE *f = xmemopen(&text, &length);

	if (!isnan(p->at))
		fprintf(f, "  up to %s %s", curve_x_name(&p->run[0]),
		    num_exact(p->at, number));
	if (c->smooth != 0)
		fprintf(f, "  smoothed %s", num_short(c->smooth, 3, number));
	xmemclose(f);
	return text;
}

/*
 * Make the title of a chart of one run: "conv2d/3 RUNNING lr=0.1 bs=64 epoch
 * 7".  If the title needs more than room columns, only its end stays in *title,
 * and the rest is written in rows above.  Returns how many rows were written.
 */
static size_t
title_of_run(FILE *out, const struct plot *p, const struct chart *chart,
    size_t room, char **title)
{
	const struct plot_run *run = &p->run[0];
	char *far = reached(p, run), *how = treatment(p, chart), *tail;
	char *who = NULL;
	const char *gap = "  ";
	size_t width, rows = 0, i, length;
	FILE *f = xmemopen(&who, &length);

	fputs(run->name, f);
	if (run->state != NULL)
		fprintf(f, " %s", run->state);
	for (i = 0; run->value != NULL && i < p->param.count; i++)
		if (run->value[i] != NULL) {
			fprintf(
			    f, "%s%s=%s", gap, p->param.word[i], run->value[i]);
			gap = " ";
		}
	xmemclose(f);
	tail = xasprintf("%s %s%s", curve_x_name(run), far, how);
	width = text_width(who);
	if (width + 2 + text_width(tail) <= room ||
	    chart->width < CHART_WIDTH) {
		*title = xasprintf("%s  %s", who, tail);
	} else {
		text_cell(
		    out, who, width < chart->width ? width : chart->width, 0);
		putc('\n', out);
		*title = xstrdup(tail);
		rows = 1;
	}
	free(far);
	free(how);
	free(who);
	free(tail);
	return rows;
}

/* ---- height ---- */

/*
 * Choose the height if the user set none: chart and legend fill one screen,
 * with the cursor below.  On a small screen the legend leaves half of the rows
 * to the chart.
 */
static size_t
choose_height(size_t rows, size_t below)
{
	enum { GOOD = 16, SMALL = 12, BESIDE = 4 };
	size_t least = rows / 2 < SMALL ? rows / 2 - 1 : SMALL, height;

	if (rows == 0 || rows >= GOOD + below + 1)
		return GOOD;
	height = rows > least + below ? rows - below - 1 : SMALL;
	if (height + BESIDE > rows)
		height = rows - BESIDE;
	return rows > CHART_HEIGHT + BESIDE && height > CHART_HEIGHT
	    ? height
	    : CHART_HEIGHT;
}

/*
 * Fit a chart with a legend on the screen: cut the legend to the best lines,
 * give the chart half of a small screen, and replace panels by a table if they
 * need more rows than the screen has.
 */
static void
fit_screen(struct chart *chart, size_t rows, size_t below)
{
	/* Rows: the head, one line, and the line with the number left out. */
	enum { SMALL_SCREEN = 20, LEAST = 3 };
	size_t room, beside = below - (chart->lines + 1), above;

	if (rows == 0)
		return;
	if (chart->layout == CHART_AUTO && chart_layout(chart) == CHART_MULTI &&
	    chart_panels_height(chart) + beside + 1 > rows)
		chart->layout = CHART_SPARK;
	above = chart_layout(chart) == CHART_SPARK ? 1 : chart->height;
	if (above + below + 1 <= rows)
		return;
	if (above > 1 && rows <= SMALL_SCREEN)
		above = chart->height =
		    rows / 2 > CHART_HEIGHT ? rows / 2 : CHART_HEIGHT;
	room = rows > above + beside + 1 ? rows - above - beside - 1 : 0;
	chart->most = room > LEAST ? room - LEAST + 1 : 1;
}

/* Count the rows of the legend and, at most four, of the lines about nan. */
static size_t
rows_below(const struct curve *curve, size_t count, int legend)
{
	size_t i, nan = 0;

	for (i = 0; i < count; i++)
		nan += curve[i].facts.nan_since != METRICS_NO_POINT;
	return (legend ? count + 1 : 0) + (nan < 4 ? nan : 4);
}

/* ---- one run ---- */

/* Return whether two metrics are the same on other data: loss and val_loss. */
static int
are_partners(const struct plot *p, size_t a, size_t b)
{
	const struct metrics_header *h = &p->run[0].header;
	int partner = metrics_partner(h, metrics_column(h, p->metric.word[a]));

	return partner != METRICS_NONE &&
	    partner == metrics_column(h, p->metric.word[b]);
}

/* Return whether one chart can show both lines legibly. */
static int
are_alike(const struct chart_line *a, const struct chart_line *b)
{
	/* The joint range is at most this many times the smaller range. */
	enum { MOST = 5 };
	struct chart_range one = CHART_NO_RANGE, two = one, both;

	chart_range_add(&one, a->y, a->count);
	chart_range_add(&two, b->y, b->count);
	both = one;
	chart_range_add(&both, b->y, b->count);
	if (isnan(one.low) || isnan(two.low))
		return 1;
	return both.high - both.low <=
	    MOST * fmin(one.high - one.low, two.high - two.low);
}

/* A metric shares the axis of its partner, or of a metric in the same range. */
void
curves_axes(const struct plot *p, struct chart_line *line)
{
	size_t i, k;

	for (i = 0; i < p->metric.count; i++) {
		line[i].axis = (int)i;
		for (k = i; k-- > 0;)
			if (are_partners(p, i, k) || are_partners(p, k, i) ||
			    are_alike(&line[i], &line[k]))
				line[i].axis = line[k].axis;
	}
}

/*
 * Dot the lines of validation metrics on each axis.  If all or none of the
 * lines of an axis are dotted, they would look the same without colours: then
 * dot every other line.
 */
static void
choose_dotted(const struct plot *p, struct chart_line *line)
{
	size_t i, k, nth, same, dotted;

	for (i = 0; i < p->metric.count; i++)
		line[i].dotted = metrics_is_validation(p->metric.word[i]);
	for (i = 0; i < p->metric.count; i++) {
		if (line[i].axis != (int)i)
			continue;
		same = dotted = nth = 0;
		for (k = i; k < p->metric.count; k++)
			if (line[k].axis == line[i].axis) {
				same++;
				dotted += line[k].dotted != 0;
			}
		for (k = i; k < p->metric.count; k++)
			if (line[k].axis == line[i].axis && same > 1 &&
			    (dotted == 0 || dotted == same))
				line[k].dotted = nth++ % 2 == 1;
	}
}

static int
draw_chart(const struct plot_easel *to, FILE *notes, const struct chart *chart,
    struct error *e)
{
	FILE *all = to->notes;
	int status;

	if (to->svg == NULL)
		return chart_draw(to->out, notes, chart, e);
	to->svg->notes = notes;
	status = chart_svg(to->svg, chart, e);
	to->svg->notes = all;
	return status;
}

/* Draw the metrics of one run, and mark the best value of the first metric. */
static int
draw_run(const struct plot_easel *to, const struct plot *p, struct chart chart,
    size_t screen, struct error *e)
{
	size_t count = p->metric.count, room = chart.width, above, length, i;
	struct curve *curve = xcalloc(count, sizeof *curve);
	struct chart_line *line = xcalloc(count, sizeof *line);
	char *title, *note = NULL, *text = NULL, *end, *at;
	char best[CHART_NUMBER], x[NUM_TEXT];
	int status;
	FILE *f;

	for (i = 0; i < count; i++) {
		curve[i] = curve_of(p, &p->run[0], i);
		line[i] = curve_line(&curve[i]);
		line[i].name = curve[i].metric;
	}
	curves_axes(p, line);
	choose_dotted(p, line);
	if (curve->facts.best != METRICS_NO_POINT)
		note = xasprintf("best %s %s @ %s (%s)", curve->metric,
		    chart_number(curve_best(curve), 4, best),
		    plot_x_text(p, curve->series->x[curve->facts.best], x),
		    chart_best_mark(chart.charset));
	if (note != NULL && text_width(note) + 2 < room)
		room -= text_width(note) + 2;
	if (to->svg != NULL)
		room = NO_LIMIT; /* the title is wrapped */
	above = title_of_run(to->out, p, &chart, room, &title);
	chart.title = title;
	chart.note = note;
	chart.line = line;
	chart.lines = count;
	chart.x_name = curve_x_name(&p->run[0]);
	chart.x_time = plot_is_time(p);
	chart.steps = p->so_far;
	chart.rung = p->rung;
	chart.rungs = p->rungs;
	chart.y_name = curve[0].metric;
	chart.name_head = "METRIC";
	if (chart.height == 0)
		chart.height =
		    choose_height(screen, above + rows_below(curve, count, 0));
	f = xmemopen(&text, &length);
	status = draw_chart(to, f, &chart, e);
	xmemclose(f);
	for (at = text; (end = strchr(at, '\n')) != NULL; at = end + 1)
		fprintf(to->notes, "%s: %.*s\n", p->run[0].name,
		    (int)(end - at), at);
	free(text);
	free(title);
	free(note);
	free(line);
	free(curve);
	return status;
}

/* ---- the legend of many runs ---- */

enum { GAP = 2, LEAST_SPARK = 12, NUMBERS = 22 };

/* The columns of the legend that are not part of every chart. */
struct legend {
	struct strlist head;
	struct chart_column *column; /* for each head */
	struct strlist *cell;        /* for each line */
	char **detail;               /* for each line */
	size_t lines;
};

/*
 * Join the values of a run with commas; none stands for missing values, which
 * are left out if none is NULL.
 */
static char *
joined_values(
    const struct plot *p, const struct plot_run *run, const char *none)
{
	char *text = NULL;
	const char *value, *comma = "";
	size_t i, length;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; run->value != NULL && i < p->param.count; i++) {
		value = run->value[i] != NULL ? run->value[i] : none;
		if (value == NULL)
			continue;
		fprintf(f, "%s%s", comma, value);
		comma = ",";
	}
	xmemclose(f);
	return text;
}

/* Add a column; columns with the highest drop are left out first. */
static void
add_column(struct legend *l, char *head, int right, int drop)
{
	size_t k = l->head.count;

	strlist_take(&l->head, head);
	l->column = xgrow(l->column, k, sizeof *l->column);
	l->column[k] =
	    (struct chart_column){.name = head, .right = right, .drop = drop};
}

static void
fill_line(
    const struct plot *p, const struct curve *c, struct legend *l, size_t line)
{
	const struct plot_run *run = c->run;
	struct strlist *cell = &l->cell[line];
	char low[CHART_NUMBER], high[CHART_NUMBER], *values;
	ptrdiff_t best = c->facts.best;
	size_t i;

	if (plot_count_tasks(p) > 0)
		strlist_push(cell, run->state != NULL ? run->state : "-");
	strlist_take(cell, reached(p, run));
	if (p->merged > 0) {
		strlist_take(cell, xasprintf("%zu", run->members));
		strlist_take(cell,
		    best == METRICS_NO_POINT
			? xstrdup("-")
			: xasprintf("%s..%s",
			      chart_number(c->made->low[best], 3, low),
			      chart_number(c->made->high[best], 3, high)));
	}
	for (i = 0; i < p->param.count; i++)
		strlist_push(cell,
		    run->value != NULL && run->value[i] != NULL ? run->value[i]
								: "-");
	if (run->state == NULL)
		return;
	values = joined_values(p, run, NULL);
	l->detail[line] =
	    xasprintf("%s%s%s", values, *values != '\0' ? " " : "", run->state);
	free(values);
}

/* Join the columns of the hyperparameters into one if they do not fit. */
static void
merge_params(const struct plot *p, const struct curve *curve, struct legend *l,
    size_t width)
{
	size_t first = l->head.count - p->param.count, k, i, most, wide;
	size_t need = 3 + strlen(p->run[0].name) + NUMBERS + GAP + LEAST_SPARK;

	for (k = 0; k < l->head.count; k++) {
		most = text_width(l->head.word[k]);
		for (i = 0; i < l->lines; i++) {
			wide = text_width(l->cell[i].word[k]);
			most = wide > most ? wide : most;
		}
		need += GAP + most;
	}
	if (p->param.count < 2 || need <= width)
		return;
	while (l->head.count > first) {
		strlist_drop(&l->head, first);
		for (i = 0; i < l->lines; i++)
			strlist_drop(&l->cell[i], first);
	}
	add_column(l, strlist_join(&p->param, ","), 0, 0);
	for (i = 0; i < l->lines; i++)
		strlist_take(&l->cell[i], joined_values(p, curve[i].run, "-"));
}

static void
legend_open(struct legend *l, const struct plot *p, const struct curve *curve,
    size_t lines, size_t width)
{
	char *x = xstrdup(curve_x_name(curve[0].run)), *c;
	size_t i;

	*l = (struct legend){.lines = lines};
	l->cell = xcalloc(lines + 1, sizeof *l->cell);
	l->detail = xcalloc(lines + 1, sizeof *l->detail);
	if (plot_count_tasks(p) > 0)
		add_column(l, xstrdup("STATE"), 0, 1);
	for (c = x; *c != '\0'; c++)
		*c = (char)ascii_upper((unsigned char)*c);
	add_column(l, x, 1, 2);
	if (p->merged > 0) {
		add_column(l, xstrdup("N"), 1, 0);
		add_column(l, xstrdup("MIN..MAX"), 1, 3);
	}
	for (i = 0; i < p->param.count; i++)
		add_column(l, xstrdup(p->param.word[i]), 1, 0);
	for (i = 0; i < lines; i++)
		fill_line(p, &curve[i], l, i);
	merge_params(p, curve, l, width);
}

static void
legend_close(struct legend *l)
{
	size_t i;

	for (i = 0; i < l->lines; i++) {
		strlist_free(&l->cell[i]);
		free(l->detail[i]);
	}
	strlist_free(&l->head);
	free(l->column);
	free(l->cell);
	free(l->detail);
}

/* ---- many runs ---- */

/* Return the title, with "sorted by best" only if there is room; to free. */
static char *
title_of_metric(const struct plot *p, size_t metric, size_t count,
    const struct chart *chart)
{
	static const char sorted[] = "  sorted by best";
	char *all = plot_nouns(p), *how = treatment(p, chart), *title,
	     some[64] = "", *over = NULL, *names;

	if (count < p->runs + p->left)
		snprintf(some, sizeof some, "the best %zu of ", count);
	if (p->merged > 0) {
		names = strlist_join(&p->mean, ",");
		over = xasprintf("means over %s of ", names);
		free(names);
	}
	title = xasprintf("%s, %s%s%s%s%s  %s is better%s",
	    p->metric.word[metric], some, over != NULL ? over : "", all,
	    over != NULL ? " (min to max)" : "", how,
	    plot_goal(p, metric) == METRICS_MIN ? "lower" : "higher", sorted);
	if (text_width(title) > chart->width)
		title[strlen(title) - strlen(sorted)] = '\0';
	free(over);
	free(all);
	free(how);
	return title;
}

/* Sum up the curves after the first count and the tasks that were not read. */
static void
write_left(
    FILE *out, const struct plot *p, const struct curve *curve, size_t count)
{
	char text[CHART_NUMBER];
	double best = p->left > 0 ? p->left_best : NAN;
	double worst = p->left > 0 ? p->left_worst : NAN, value;
	size_t i, left = p->runs - count + p->left;

	if (left == 0)
		return;
	for (i = count; i < p->runs; i++) {
		value = curve_best(&curve[i]);
		if (metrics_better(curve->goal, value, best))
			best = value;
		if (isnan(worst) || metrics_better(curve->goal, worst, value))
			worst = isnan(value) ? worst : value;
	}
	fprintf(out, "and %zu more", left);
	if (!isnan(best))
		fprintf(out, ", best %s", chart_number(best, 4, text));
	if (!isnan(worst) && worst != best)
		fprintf(out, " to %s", chart_number(worst, 4, text));
	putc('\n', out);
}

/* Draw one metric of all runs in one chart, with a table below. */
static int
draw_metric(const struct plot_easel *to, const struct plot *p, size_t metric,
    struct chart chart, size_t screen, struct error *e)
{
	struct curve *curve = xcalloc(p->runs, sizeof *curve);
	size_t count = curves_of_metric(p, metric, curve), below, i;
	size_t tasks = plot_count_tasks(p);
	struct chart_line *line = xcalloc(count, sizeof *line);
	char *title = title_of_metric(p, metric, count, &chart);
	struct legend legend;
	int status, lower;

	legend_open(
	    &legend, p, curve, count, to->svg != NULL ? NO_LIMIT : chart.width);
	for (i = 0; i < count; i++) {
		line[i] = curve_line(&curve[i]);
		line[i].name = curve[i].run->name;
		line[i].dim = curve[i].run->dim;
		line[i].cell = (const char *const *)legend.cell[i].word;
		line[i].detail = legend.detail[i];
	}
	chart.title = title;
	chart.line = line;
	chart.lines = count;
	chart.legend = 1;
	chart.x_name = curve_x_name(curve[0].run);
	chart.x_time = plot_is_time(p);
	chart.steps = p->so_far;
	chart.rung = p->rung;
	chart.rungs = p->rungs;
	chart.y_name = curve[0].metric;
	chart.name_head = p->so_far ? "JOB"
	    : tasks == p->runs      ? "TASK"
	    : tasks > 0             ? "RUN"
				    : "FILE";
	chart.column = legend.column;
	chart.columns = legend.head.count;
	lower = plot_goal(p, metric) == METRICS_MIN;
	chart.log_panels = chart.clip && lower;
	chart.worse = !plot_goal_known(p, metric) ? 0 : lower ? 1 : -1;
	below = rows_below(curve, count, 1) + (p->runs - count + p->left > 0) +
	    chart_clipped(&chart);
	if (chart.height == 0) {
		chart.height = choose_height(screen, below);
		fit_screen(&chart, screen, below);
	}
	status = draw_chart(to, to->notes, &chart, e);
	/* The title of an image says that there are more. */
	if (status == 0 && to->svg == NULL)
		write_left(to->out, p, curve, count);
	legend_close(&legend);
	free(title);
	free(line);
	free(curve);
	return status;
}

static int
draw_plot(const struct plot_easel *to, const struct plot *p,
    const struct chart *look, size_t screen, struct error *e)
{
	int alone = p->alone && p->runs == 1, noted = 0;
	size_t m;

	if (p->runs == 0)
		return 0;
	/* Note runs whose rank depends on how far the runs have come. */
	if (!plot_is_time(p) && !alone)
		noted = isnan(p->at) && p->kind == PLOT_CURVES
		    ? note_overtaken(to->notes, p)
		    : note_progress(to->notes, p);
	if (noted && screen > 0)
		screen--;
	if (p->kind != PLOT_CURVES)
		return plot_results(to, p, look, e);
	if (alone)
		return draw_run(to, p, *look, screen, e);
	for (m = 0; m < p->metric.count; m++) {
		if (m > 0 && to->svg == NULL)
			putc('\n', to->out);
		if (draw_metric(to, p, m, *look, screen, e) == -1)
			return -1;
	}
	return 0;
}

int
plot_draw(FILE *out, FILE *notes, const struct plot *p,
    const struct chart *look, size_t screen, struct error *e)
{
	struct plot_easel to = {.out = out, .notes = notes};

	return draw_plot(&to, p, look, screen, e);
}

int
plot_svg(struct chart_svg *svg, const struct plot *p, const struct chart *look,
    struct error *e)
{
	struct plot_easel to = {svg->out, svg->notes, svg, NULL};
	struct chart chart = *look;

	chart.charset = CLI_BRAILLE; /* for the mark of the best point */
	return draw_plot(&to, p, &chart, 0, e);
}
