#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"
#include "chart/result-private.h"

/* Write text in single quotes, inside which nothing is special to gnuplot. */
static void
write_quoted(FILE *out, const char *text)
{
	char *safe = NULL, *s;
	size_t length;
	FILE *f = xmemopen(&safe, &length);

	text_plain(f, text);
	xmemclose(f);
	putc('\'', out);
	for (s = safe; *s != '\0'; s++) {
		if (*s == '\'')
			putc('\'', out);
		putc(*s, out);
	}
	putc('\'', out);
	free(safe);
}

static void
write_label(FILE *out, const char *axis, const char *before, const char *text)
{
	char *label = xasprintf("%s%s", before, text);

	fprintf(out, "set %slabel ", axis);
	write_quoted(out, label);
	fputs(" noenhanced\n", out);
	free(label);
}

/* Return whether a line has a value that can be drawn. */
static int
has_values(const struct chart *c, const struct chart_line *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (isfinite(l->y[i]) && (!c->log || l->y[i] > 0))
			return 1;
	return 0;
}

/* Write the points of a line; a blank line between segments breaks it. */
static void
write_points(FILE *out, const struct chart *c, const struct chart_line *l)
{
	double *y = chart_smoothed(l, c->smooth);
	char x[NUM_TEXT], value[NUM_TEXT], low[NUM_TEXT], high[NUM_TEXT];
	size_t i, next = 1;

	for (i = 0; i < l->count; i++) {
		if (next < l->starts && l->start[next] == i) {
			putc('\n', out);
			next++;
		}
		fprintf(out, "%s %s", num_exact(l->x[i], x),
		    isfinite(y[i]) ? num_exact(y[i], value) : "NaN");
		if (l->low == NULL)
			fputs("\n", out);
		else if (isfinite(l->low[i]) && isfinite(l->high[i]))
			fprintf(out, " %s %s\n", num_exact(l->low[i], low),
			    num_exact(l->high[i], high));
		else /* the band ends where its line ends */
			fputs(" NaN NaN\n", out);
	}
	free(y);
}

/* Write the range if the user chose one, and the scale. */
static void
write_range(FILE *out, const struct chart *c)
{
	char low[NUM_TEXT] = "", high[NUM_TEXT] = "";

	if (!isnan(c->low))
		num_exact(c->low, low);
	if (!isnan(c->high))
		num_exact(c->high, high);
	if (*low != '\0' || *high != '\0')
		fprintf(out, "set yrange [%s:%s]\n", low, high);
	if (c->log)
		fputs("set logscale y\n", out);
}

/* Plot the lines with this axis number, or all lines. */
static void
plot_axis(FILE *out, const struct chart *c, int all, int axis)
{
	/* The colours of Okabe and Ito, as on a terminal. */
	static const char *const colors[] = {"#e69f00", "#56b4e9", "#009e73",
	    "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999"};
	const struct chart_line *l, *end = c->line + c->lines;
	const char *before = "plot ", *color;
	size_t number = 0;

	for (l = c->line; l < end; l++) {
		if (!has_values(c, l))
			continue;
		color = colors[number % 8];
		if (all || l->axis == axis) {
			fputs(before, out);
			before = ",\\\n    ";
			if (l->low != NULL)
				fprintf(out,
				    "$data%zu using 1:3:4 with filledcurves fs "
				    "transparent solid 0.2 noborder lc rgb "
				    "'%s' notitle,\\\n    ",
				    number, color);
			fprintf(out,
			    "$data%zu using 1:2 with %s lc rgb '%s' title ",
			    number, c->steps ? "steps" : "lines", color);
			write_quoted(out, l->name);
			fputs(" noenhanced", out);
		}
		number++;
	}
	putc('\n', out);
}

size_t
chart_gnuplot(FILE *out, const struct chart *c)
{
	int *axis = xcalloc(c->lines + 1, sizeof *axis); /* axes with values */
	size_t i, k, drawn = 0, axes = 0;

	for (i = 0; i < c->lines; i++) {
		if (!has_values(c, &c->line[i]))
			continue;
		fprintf(out, "$data%zu << EOD\n", drawn++);
		write_points(out, c, &c->line[i]);
		fputs("EOD\n", out);
		for (k = 0; k < axes && axis[k] != c->line[i].axis;)
			k++;
		if (k == axes)
			axis[axes++] = c->line[i].axis;
	}
	if (drawn > 0) {
		write_label(out, "x", "", c->x_name);
		write_label(out, "y", "", c->y_name);
		write_range(out, c);
		if (c->x_time)
			fputs("set xdata time\nset timefmt '%s'\n"
			      "set format x '%tH:%tM'\n",
			    out);
		fputs("set grid\n", out);
	}
	if (drawn > 0 && draw_has_axes(c)) {
		/* One plot for each y axis, below each other. */
		fprintf(
		    out, "set multiplot layout %zu,1\nset ylabel ''\n", axes);
		for (i = 0; i < axes; i++)
			plot_axis(out, c, 0, axis[i]);
		fputs("unset multiplot\n", out);
	} else if (drawn > 0) {
		plot_axis(out, c, 1, 0);
	}
	free(axis);
	return drawn;
}

/* ---- results ---- */

static void
write_tics(FILE *out, const char *axis, const struct chart_settings *l)
{
	size_t i;

	fprintf(out, "set %stics (", axis);
	for (i = 0; i < l->count; i++) {
		fputs(i > 0 ? ", " : "", out);
		write_quoted(out, l->name[i]);
		fprintf(out, " %zu", i);
	}
	fputs(") noenhanced\n", out);
}

/*
 * Write a line for each cell of a heat map, including empty cells: an image
 * cannot have holes.  Returns the number of cells with a value.
 */
static size_t
write_cells(FILE *out, const struct chart *c, const struct chart_results *r,
    const struct chart_settings *down, const struct chart_settings *across)
{
	size_t cells = down->count * across->count, i, cell, valued = 0;
	double *best = xcalloc(cells + 1, sizeof *best);
	char text[NUM_TEXT], label[CHART_NUMBER];

	for (i = 0; i < cells; i++)
		best[i] = NAN;
	for (i = 0; i < r->count; i++) {
		if (down->of[i] == CHART_NO_SETTING ||
		    across->of[i] == CHART_NO_SETTING || !result_shows(c, r, i))
			continue;
		cell = down->of[i] * across->count + across->of[i];
		if (result_better(r, r->best[i], best[cell]))
			best[cell] = r->best[i];
	}
	for (i = 0; i < cells; i++) {
		fprintf(out, "%zu %zu ", i % across->count, i / across->count);
		if (isnan(best[i]))
			fputs("NaN -\n", out);
		else
			fprintf(out, "%s %s\n", num_exact(best[i], text),
			    chart_number(best[i], 3, label));
		valued += !isnan(best[i]);
	}
	free(best);
	return valued;
}

static size_t
count_shown(const struct chart *c, const struct chart_results *r)
{
	size_t i, shown = 0;

	for (i = 0; i < r->count; i++)
		shown += (size_t)result_shows(c, r, i);
	return shown;
}

size_t
chart_grid_gnuplot(FILE *out, const struct chart *c,
    const struct chart_results *r, size_t row, size_t column)
{
	struct chart_settings down, across;
	size_t drawn;

	if (count_shown(c, r) == 0)
		return 0;
	chart_settings_make(&down, r, row, 2 * RESULT_LEVELS);
	chart_settings_make(&across, r, column, RESULT_LEVELS);
	fputs("$data << EOD\n", out);
	drawn = write_cells(out, c, r, &down, &across);
	fputs("EOD\n", out);
	write_tics(out, "x", &across);
	write_tics(out, "y", &down);
	write_label(out, "x", "", r->factor[column].name);
	write_label(out, "y", "", r->factor[row].name);
	write_label(out, "cb", "best ", r->metric);
	fprintf(out,
	    "%sset xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\n"
	    "set palette defined (0 '#0072b2', 1 '#56b4e9', 2 '#ffffff')%s\n"
	    "unset key\n"
	    "plot $data using 1:2:3 with image, \\\n"
	    "    $data using 1:2:4 with labels\n",
	    c->log ? "set logscale cb\n" : "", across.count - 1, down.count - 1,
	    r->higher ? " negative" : "");
	chart_settings_free(&down);
	chart_settings_free(&across);
	return drawn;
}

size_t
chart_by_gnuplot(
    FILE *out, const struct chart *c, const struct chart_results *r)
{
	size_t k, i, width = 0, drawn = 0, length;
	char *tics = NULL, *name, text[NUM_TEXT];
	FILE *f = xmemopen(&tics, &length);
	struct chart_settings l;

	for (k = 0; count_shown(c, r) > 0 && k < r->factors; k++) {
		chart_settings_compare(&l, r, k);
		if (l.count >= 2 && width == 0)
			fputs("$data << EOD\n", out);
		for (i = 0; l.count >= 2 && i < r->count; i++)
			if (l.of[i] != CHART_NO_SETTING &&
			    result_shows(c, r, i)) {
				fprintf(out, "%zu %s\n", width + l.of[i],
				    num_exact(r->best[i], text));
				drawn++;
			}
		for (i = 0; l.count >= 2 && i < l.count; i++) {
			name = xasprintf("%s=%s", r->factor[k].name, l.name[i]);
			fputs(width + i > 0 ? ", " : "", f);
			write_quoted(f, name);
			fprintf(f, " %zu", width + i);
			free(name);
		}
		/* The factors are placed next to each other on the x axis. */
		width += l.count >= 2 ? l.count + 1 : 0;
		chart_settings_free(&l);
	}
	xmemclose(f);
	if (width > 0) {
		fprintf(out,
		    "EOD\nset xtics rotate (%s) noenhanced\n"
		    "set xrange [-1:%zu]\n",
		    tics, width - 1);
		write_label(out, "y", "best ", r->metric);
		write_range(out, c);
		fputs("set grid y\nunset key\nplot $data using 1:2 with "
		      "points pt 7 lc rgb '#0072b2'\n",
		    out);
	}
	free(tics);
	return drawn;
}

size_t
chart_hist_gnuplot(
    FILE *out, const struct chart *c, const struct chart_results *r)
{
	struct result_bins b;
	size_t count, i, drawn = 0;
	double *value = result_sorted(c, r, &count);
	char from[NUM_TEXT], to[NUM_TEXT];

	if (result_bins_make(&b, c, value, count)) {
		fputs("$data << EOD\n", out);
		for (i = 0; i < b.count; i++) {
			fprintf(out, "%s %s %zu\n", num_exact(b.edge[i], from),
			    num_exact(b.edge[i + 1], to), b.tasks[i]);
			drawn += b.tasks[i];
		}
		fputs("EOD\n", out);
		write_label(out, "x", "best ", r->metric);
		write_label(out, "y", "", "tasks");
		if (c->log)
			fputs("set logscale x\n", out);
		fputs("set yrange [0:*]\nset style fill solid 0.6\n"
		      "unset key\n"
		      "plot $data using (($1+$2)/2):($3/2):1:2:(0):3 "
		      "with boxxyerror lc rgb '#0072b2'\n",
		    out);
	}
	free(value);
	return drawn;
}
