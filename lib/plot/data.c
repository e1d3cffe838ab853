#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "plot/private.h"
#include "sys/proc.h"

/* Return every curve, by metric and then best first; to free. */
static struct curve *
all_curves(const struct plot *p, size_t *count)
{
	struct curve *curve =
	    xcalloc(p->metric.count * p->runs + 1, sizeof *curve);
	size_t m;

	*count = 0;
	for (m = 0; m < p->metric.count; m++)
		*count += curves_of_metric(p, m, curve + *count);
	return curve;
}

static void
write_values(FILE *out, const struct curve *c, double smooth)
{
	struct chart_line line = curve_line(c);
	double *y = chart_smoothed(&line, smooth);
	char x[NUM_TEXT], value[NUM_TEXT];
	size_t i;

	for (i = 0; i < line.count; i++) {
		text_tsv(out, c->run->name);
		fprintf(out, "\t%s\t", num_exact(line.x[i], x));
		text_tsv(out, c->metric);
		fprintf(out, "\t%s\n", num_exact(y[i], value));
	}
	free(y);
}

void
plot_tsv(FILE *out, enum plot_kind kind, const struct plot *p, size_t count,
    double smooth)
{
	struct curve *curve;
	size_t curves, i, k;

	if (kind != PLOT_CURVES) {
		plot_tsv_results(out, p, count);
		return;
	}
	fputs("series\tx\tmetric\tvalue\n", out);
	for (i = 0; i < count; i++) {
		curve = all_curves(&p[i], &curves);
		for (k = 0; k < curves; k++)
			write_values(out, &curve[k], smooth);
		free(curve);
	}
}

int
plot_gnuplot(FILE *out, const struct plot *p, const struct chart *look,
    size_t *drawn, struct error *e)
{
	struct chart chart = *look;
	struct chart_line *line;
	struct curve *curve;
	struct strlist name = {0};
	size_t count, i;

	*drawn = 0;
	if (p->kind != PLOT_CURVES)
		return plot_results(
		    &(struct plot_easel){.out = out, .drawn = drawn}, p, look,
		    e);
	curve = all_curves(p, &count);
	line = xcalloc(count + 1, sizeof *line);
	for (i = 0; i < count; i++) {
		strlist_take(&name,
		    p->metric.count == 1
			? xstrdup(curve[i].run->name)
			: xasprintf(
			      "%s %s", curve[i].run->name, curve[i].metric));
		line[i] = curve_line(&curve[i]);
		line[i].axis = (int)(p->runs > 0 ? i / p->runs : 0);
		line[i].name = name.word[i];
	}
	chart.line = line;
	chart.lines = count;
	if (p->alone && p->runs == 1 && count == p->metric.count)
		curves_axes(p, line);
	chart.x_time = plot_is_time(p);
	chart.steps = p->so_far;
	chart.x_name = count > 0 ? curve_x_name(curve[0].run) : "";
	chart.y_name = p->metric.count == 1 ? p->metric.word[0] : "";
	*drawn = chart_gnuplot(out, &chart);
	strlist_free(&name);
	free(line);
	free(curve);
	return 0;
}

/* ---- PNG, by programs that read SVG or scripts for gnuplot ---- */

enum { PATIENCE = 120 * 1000 }; /* milliseconds for a program */

static int
is_there(const char *program)
{
	const char *directories = getenv("PATH");
	char *path = NULL;

	if (directories != NULL)
		path = proc_find(program, directories);
	free(path);
	return path != NULL;
}

/* Run a program that writes PNG.  Returns 0 or -1. */
static int
feed(char *const argv[], const char *text, struct error *e)
{
	int status, rc;

	rc = proc_feed(argv, NULL, text, strlen(text), PATIENCE, &status, e);
	if (rc == 1)
		return error_set(
		    e, "%s: no end after %d s", argv[0], PATIENCE / 1000);
	if (rc != 0)
		return -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status))
		return error_set(
		    e, "%s: failed, exit %d", argv[0], WEXITSTATUS(status));
	return error_set(
	    e, "%s: ended by signal %d", argv[0], WTERMSIG(status));
}

int
plot_png(const char *svg, struct error *e)
{
	static char *rsvg[] = {
	    "rsvg-convert", "--format=png", "--zoom=2", NULL};
	static char *inkscape[] = {"inkscape", "--pipe", "--export-type=png",
	    "--export-dpi=192", "--export-filename=-", NULL};

	if (is_there(rsvg[0]))
		return feed(rsvg, svg, e);
	if (is_there(inkscape[0]))
		return feed(inkscape, svg, e);
	return 1;
}

int
plot_png_gnuplot(const char *script, struct error *e)
{
	static char *gnuplot[] = {"gnuplot", "-", NULL};
	char *all;
	int rc;

	if (!is_there(gnuplot[0]))
		return 1;
	all = xasprintf(
	    "set terminal pngcairo size 1600,800 fontscale 1.6\n%s", script);
	rc = feed(gnuplot, all, e);
	free(all);
	return rc;
}

/* ---- lines for new epochs ---- */

/* How many points of a curve have been written. */
struct seen_curve {
	char *name;
	size_t points;
};

struct plot_seen {
	struct seen_curve *curve;
	size_t count;
};

struct plot_seen *
plot_seen_new(void)
{
	return xcalloc(1, sizeof(struct plot_seen));
}

void
plot_seen_free(struct plot_seen *seen)
{
	size_t i;

	for (i = 0; i < seen->count; i++)
		free(seen->curve[i].name);
	free(seen->curve);
	free(seen);
}

/* Find a curve's record; a new curve counts as written up to its last point. */
static struct seen_curve *
find_seen(struct plot_seen *seen, const struct curve *c)
{
	char *name = xasprintf("%s %s", c->run->name, c->metric);
	size_t i;

	for (i = 0; i < seen->count; i++)
		if (strcmp(seen->curve[i].name, name) == 0) {
			free(name);
			return &seen->curve[i];
		}
	seen->curve = xgrow(seen->curve, seen->count, sizeof *seen->curve);
	seen->curve[seen->count] = (struct seen_curve){.name = name};
	if (c->series->count > 0)
		seen->curve[seen->count].points = c->series->count - 1;
	return &seen->curve[seen->count++];
}

/* Write a line: "conv2d/3 RUNNING  epoch 41  val_loss 0.4634 ...". */
static void
write_epoch(
    FILE *out, const struct plot *p, const struct curve *c, size_t point)
{
	char x[NUM_TEXT], y[CHART_NUMBER], best[CHART_NUMBER];

	text_plain(out, c->run->name);
	if (c->run->state != NULL)
		fprintf(out, " %s", c->run->state);
	fputs("  ", out);
	text_plain(out, curve_x_name(c->run));
	fprintf(out, " %s  ", plot_x_text(p, c->series->x[point], x));
	text_plain(out, c->metric);
	fprintf(out, " %s", chart_number(c->series->y[point], 4, y));
	if (c->facts.best != METRICS_NO_POINT)
		fprintf(out, "  best %s @ %s",
		    chart_number(curve_best(c), 4, best),
		    plot_x_text(p, c->series->x[c->facts.best], x));
	putc('\n', out);
}

void
plot_news(FILE *out, const struct plot *p, struct plot_seen *seen)
{
	struct seen_curve *old;
	struct curve c;
	size_t i, m;

	for (m = 0; m < p->metric.count; m++)
		for (i = 0; i < p->runs; i++) {
			if (!plot_was_read(&p->run[i]))
				continue;
			c = curve_of(p, &p->run[i], m);
			old = find_seen(seen, &c);
			for (; old->points < c.series->count; old->points++)
				write_epoch(out, p, &c, old->points);
		}
}
