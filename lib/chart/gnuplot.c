#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"
#include "chart/gnuplot.h"

void
gnuplot_quote(FILE *out, const char *text)
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

static int
can_be_drawn(const struct chart *c, double y)
{
	return isfinite(y) && (!c->log || y > 0);
}

static int
has_values(const struct chart *c, const struct chart_line *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (can_be_drawn(c, l->y[i]))
			return 1;
	return 0;
}

/* The ends of the band end the line. */
static void
write_band(FILE *out, const struct chart_line *l, size_t point)
{
	char low[NUM_TEXT], high[NUM_TEXT];

	if (l->low == NULL)
		fputs("\n", out);
	else if (isfinite(l->low[point]) && isfinite(l->high[point]))
		fprintf(out, " %s %s\n", num_exact(l->low[point], low),
		    num_exact(l->high[point], high));
	else
		fputs(" NaN NaN\n", out);
}

/* The points of a line; a blank line between segments breaks it there. */
static void
write_points(FILE *out, const struct chart *c, const struct chart_line *l)
{
	double *y = xcalloc(l->count, sizeof *y);
	char x[NUM_TEXT], value[NUM_TEXT];
	size_t i, next = 1;

	memcpy(y, l->y, l->count * sizeof *y);
	if (c->smooth > 0)
		chart_smooth(y, l->count, l->start, l->starts, c->smooth);
	for (i = 0; i < l->count; i++) {
		if (next < l->starts && l->start[next] == i) {
			putc('\n', out);
			next++;
		}
		fprintf(out, "%s %s", num_exact(l->x[i], x),
		    isfinite(y[i]) ? num_exact(y[i], value) : "NaN");
		write_band(out, l, i);
	}
	free(y);
}

void
gnuplot_range(FILE *out, const struct chart *c)
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

static void
write_axes(FILE *out, const struct chart *c)
{
	fputs("set xlabel ", out);
	gnuplot_quote(out, c->x_name);
	fputs(" noenhanced\nset ylabel ", out);
	gnuplot_quote(out, c->y_name);
	fputs(" noenhanced\n", out);
	gnuplot_range(out, c);
	if (c->x_time)
		fputs("set xdata time\nset timefmt '%s'\n"
		      "set format x '%tH:%tM'\n",
		    out);
	fputs("set grid\n", out);
}

/* One line, and its band below it. */
static void
plot_line(FILE *out, const struct chart_line *l, size_t number)
{
	/* Okabe and Ito's colours, as on a terminal. */
	static const char *const colors[] = {"#e69f00", "#56b4e9", "#009e73",
	    "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999"};
	const char *color = colors[number % 8];

	if (l->low != NULL)
		fprintf(out,
		    "$data%zu using 1:3:4 with filledcurves fs transparent "
		    "solid 0.2 noborder lc rgb '%s' notitle,\\\n    ",
		    number, color);
	fprintf(out, "$data%zu using 1:2 with lines lc rgb '%s' title ", number,
	    color);
	gnuplot_quote(out, l->name);
	fputs(" noenhanced", out);
}

/* The lines of one y axis, or all of them. */
static void
plot_axis(FILE *out, const struct chart *c, int all, int axis)
{
	const char *before = "plot ";
	size_t i, number = 0;

	for (i = 0; i < c->lines; i++) {
		if (!has_values(c, &c->line[i]))
			continue;
		if (all || c->line[i].axis == axis) {
			fputs(before, out);
			plot_line(out, &c->line[i], number);
			before = ",\\\n    ";
		}
		number++;
	}
	putc('\n', out);
}

/* Whether the line is the first with values on its y axis. */
static int
begins_axis(const struct chart *c, size_t line)
{
	size_t i;

	if (!has_values(c, &c->line[line]))
		return 0;
	for (i = 0; i < line; i++)
		if (has_values(c, &c->line[i]) &&
		    c->line[i].axis == c->line[line].axis)
			return 0;
	return 1;
}

/* Plots with a y axis each, one below the other. */
static void
plot_axes(FILE *out, const struct chart *c)
{
	size_t i, count = 0;

	for (i = 0; i < c->lines; i++)
		count += (size_t)begins_axis(c, i);
	fprintf(out, "set multiplot layout %zu,1\nset ylabel ''\n", count);
	for (i = 0; i < c->lines; i++)
		if (begins_axis(c, i))
			plot_axis(out, c, 0, c->line[i].axis);
	fputs("unset multiplot\n", out);
}

size_t
chart_gnuplot(FILE *out, const struct chart *c)
{
	size_t i, drawn = 0;

	for (i = 0; i < c->lines; i++) {
		if (!has_values(c, &c->line[i]))
			continue;
		fprintf(out, "$data%zu << EOD\n", drawn++);
		write_points(out, c, &c->line[i]);
		fputs("EOD\n", out);
	}
	if (drawn == 0)
		return 0;
	write_axes(out, c);
	if (draw_has_axes(c))
		plot_axes(out, c);
	else
		plot_axis(out, c, 1, 0);
	return drawn;
}
