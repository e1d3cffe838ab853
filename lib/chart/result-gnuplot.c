#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "chart/gnuplot.h"
#include "chart/result-private.h"

static size_t
count_shown(const struct chart *c, const struct chart_results *r)
{
	size_t i, shown = 0;

	for (i = 0; i < r->count; i++)
		shown += (size_t)result_shows(c, r, i);
	return shown;
}

static void
write_tics(FILE *out, const char *axis, const struct chart_levels *l)
{
	size_t i;

	fprintf(out, "set %stics (", axis);
	for (i = 0; i < l->count; i++) {
		fputs(i > 0 ? ", " : "", out);
		gnuplot_quote(out, l->name[i]);
		fprintf(out, " %zu", i);
	}
	fputs(") noenhanced\n", out);
}

static void
write_label(FILE *out, const char *axis, const char *text)
{
	fprintf(out, "set %slabel ", axis);
	gnuplot_quote(out, text);
	fputs(" noenhanced\n", out);
}

static void
write_best_label(FILE *out, const char *axis, const struct chart_results *r)
{
	char *text = xasprintf("best %s", r->metric);

	write_label(out, axis, text);
	free(text);
}

/* ---- heat map ---- */

/*
 * A line for each cell, for an image has no holes.  Returns how many have a
 * value.
 */
static size_t
write_cells(FILE *out, const struct chart *c, const struct chart_results *r,
    const struct chart_levels *down, const struct chart_levels *across)
{
	size_t cells = down->count * across->count, i, cell, valued = 0;
	double *best = xcalloc(cells + 1, sizeof *best);
	char text[NUM_TEXT], label[CHART_NUMBER];

	for (i = 0; i < cells; i++)
		best[i] = NAN;
	for (i = 0; i < r->count; i++) {
		if (down->of[i] == CHART_NO_LEVEL ||
		    across->of[i] == CHART_NO_LEVEL || !result_shows(c, r, i))
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

size_t
chart_grid_gnuplot(FILE *out, const struct chart *c,
    const struct chart_results *r, size_t row, size_t column)
{
	struct chart_levels down, across;
	size_t drawn;

	if (count_shown(c, r) == 0)
		return 0;
	chart_levels_make(&down, r, row, 2 * RESULT_LEVELS);
	chart_levels_make(&across, r, column, RESULT_LEVELS);
	fputs("$data << EOD\n", out);
	drawn = write_cells(out, c, r, &down, &across);
	fputs("EOD\n", out);
	write_tics(out, "x", &across);
	write_tics(out, "y", &down);
	write_label(out, "x", r->factor[column].name);
	write_label(out, "y", r->factor[row].name);
	write_best_label(out, "cb", r);
	fprintf(out,
	    "%sset xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\n"
	    "set palette defined (0 '#0072b2', 1 '#56b4e9', 2 '#ffffff')%s\n"
	    "unset key\n"
	    "plot $data using 1:2:3 with image, \\\n"
	    "    $data using 1:2:4 with labels\n",
	    c->log ? "set logscale cb\n" : "", across.count - 1, down.count - 1,
	    r->higher ? " negative" : "");
	chart_levels_free(&down);
	chart_levels_free(&across);
	return drawn;
}

/* ---- what mattered ---- */

/* The factors with more than one setting, beside each other on the x axis. */
struct axis {
	const struct chart_factor *factor;
	struct chart_levels levels;
	size_t first; /* where its first setting stands */
};

static struct axis *
axes_make(const struct chart_results *r, size_t *count, size_t *width)
{
	struct axis *axis = xcalloc(r->factors + 1, sizeof *axis), *a;
	size_t k;

	*count = *width = 0;
	for (k = 0; k < r->factors; k++) {
		a = &axis[*count];
		*a = (struct axis){.factor = &r->factor[k], .first = *width};
		chart_levels_make(&a->levels, r, k, RESULT_LEVELS);
		if (a->levels.count < 2) {
			chart_levels_free(&a->levels);
			continue;
		}
		*width += a->levels.count + 1;
		++*count;
	}
	return axis;
}

static size_t
write_points(FILE *out, const struct chart *c, const struct chart_results *r,
    const struct axis *a)
{
	char text[NUM_TEXT];
	size_t i, written = 0;

	for (i = 0; i < r->count; i++)
		if (a->levels.of[i] != CHART_NO_LEVEL &&
		    result_shows(c, r, i)) {
			fprintf(out, "%zu %s\n", a->first + a->levels.of[i],
			    num_exact(r->best[i], text));
			written++;
		}
	return written;
}

static void
write_settings(FILE *out, const struct axis *axis, size_t count)
{
	const char *comma = "";
	size_t k, i;
	char *name;

	fputs("set xtics rotate (", out);
	for (k = 0; k < count; k++)
		for (i = 0; i < axis[k].levels.count; i++) {
			name = xasprintf("%s=%s", axis[k].factor->name,
			    axis[k].levels.name[i]);
			fputs(comma, out);
			gnuplot_quote(out, name);
			fprintf(out, " %zu", axis[k].first + i);
			free(name);
			comma = ", ";
		}
	fputs(") noenhanced\n", out);
}

size_t
chart_by_gnuplot(
    FILE *out, const struct chart *c, const struct chart_results *r)
{
	size_t count, width, k, drawn = 0;
	struct axis *axis = axes_make(r, &count, &width);

	if (count > 0 && count_shown(c, r) > 0) {
		fputs("$data << EOD\n", out);
		for (k = 0; k < count; k++)
			drawn += write_points(out, c, r, &axis[k]);
		fputs("EOD\n", out);
		write_settings(out, axis, count);
		fprintf(out, "set xrange [-1:%zu]\n", width - 1);
		write_best_label(out, "y", r);
		gnuplot_range(out, c);
		fputs("set grid y\nunset key\nplot $data using 1:2 with "
		      "points pt 7 lc rgb '#0072b2'\n",
		    out);
	}
	for (k = 0; k < count; k++)
		chart_levels_free(&axis[k].levels);
	free(axis);
	return drawn;
}

/* ---- histogram ---- */

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
		write_best_label(out, "x", r);
		write_label(out, "y", "tasks");
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
