#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/result-private.h"

enum { MOST_BINS = 12, ROOM = RESULT_BINS };

/* Make about most bins in steps of 1, 2, 5 or 10 times a power of ten. */
static void
linear_bins(struct result_bins *b, double low, double high, double most)
{
	static const double nice[] = {1, 2, 5, 10};
	double raw = high / most - low / most, unit, step, first, count;
	size_t i = 0;

	if (!(raw > 0))
		raw = fmax(fabs(low), 1e-6) / 100;
	unit = pow(10, floor(log10(raw)));
	do {
		step = nice[i] * unit;
		first = floor(low / step + 1e-9);
		count = ceil(high / step - 1e-9) - first;
	} while (count > most && ++i < 4);
	b->count = count < 1 ? 1 : (size_t)fmin(count, MOST_BINS + 2);
	for (i = 0; i <= b->count; i++)
		b->edge[i] = (first + (double)i) * step + 0.0;
	b->decimals = -1;
	if (step >= 1e-6 && fabs(high) < 1e6 && fabs(low) < 1e6)
		b->decimals = (int)fmax(-floor(log10(step) + 1e-9), 0);
}

/* Make edges at 1, 2 and 5 of each decade, or at every stride-th decade. */
static void
log_bins(struct result_bins *b, double low, double high)
{
	static const double nice[] = {1, 2, 5};
	int first = (int)floor(log10(low) + 1e-9), n;
	double decades = ceil(log10(high) - first), edge;
	int stride = 1 + (int)(decades / MOST_BINS), fine = decades <= 4, i;

	b->decimals = -1;
	for (n = first; b->count == 0 ||
	     (b->count < ROOM - 3 && b->edge[b->count - 1] < high);
	     n += stride)
		for (i = 0; i < (fine ? 3 : 1); i++) {
			edge = nice[i] * pow(10, n);
			if (b->count > 0 && b->edge[b->count - 1] >= high)
				break;
			if (b->count == 1 && edge <= low * (1 + 1e-9))
				b->count = 0;
			b->edge[b->count++] = edge;
		}
	if (b->count == 1)
		b->edge[b->count++] = b->edge[0] * 10;
	b->count--;
}

static size_t
bin_of(const struct result_bins *b, double value)
{
	size_t i;

	for (i = 0; i + 1 < b->count && value >= b->edge[i + 1];)
		i++;
	return i;
}

/*
 * Make the bins.  They cover all values except outliers, which are more than
 * three interquartile ranges beyond the quartiles (Tukey 1977).
 */
int
result_bins_make(struct result_bins *b, const struct chart *c,
    const double *value, size_t count)
{
	double low, high, q1, q3, reach;
	size_t i, first = 0, last = count - 1;

	*b = (struct result_bins){0};
	if (count == 0)
		return 0;
	q1 = result_quantile(value, count, 0.25);
	q3 = result_quantile(value, count, 0.75);
	reach = 3 * (q3 - q1);
	if (!c->log && reach > 0 && isfinite(reach)) {
		while (value[first] < q1 - reach)
			first++;
		while (value[last] > q3 + reach)
			last--;
	}
	low = isnan(c->low) ? value[first] : c->low;
	high = isnan(c->high) ? value[last] : c->high;
	if (low >= high && !isnan(c->low))
		high = low + 1;
	else if (low > high)
		low = high - 1;
	if (c->log)
		log_bins(b, low, high);
	else
		linear_bins(
		    b, low, high, fmin(4 + (double)count / 4, MOST_BINS));
	for (i = 0; i < count; i++)
		if (value[i] < b->edge[0])
			b->out[0]++;
		else if (value[i] > b->edge[b->count])
			b->out[1]++;
		else
			b->tasks[bin_of(b, value[i])]++;
	return 1;
}

/* Return the name of a bin: "0.40-0.50", or "< 0.40" outside; to free. */
static char *
bin_name(const struct result_bins *b, ptrdiff_t bin, enum cli_charset charset)
{
	char from[CHART_NUMBER], to[CHART_NUMBER];

	if (bin < 0)
		return xasprintf(
		    "< %s", result_text(b->decimals, b->edge[0], to));
	result_text(b->decimals, b->edge[bin], from);
	if ((size_t)bin == b->count)
		return xasprintf("> %s", from);
	result_text(b->decimals, b->edge[bin + 1], to);
	return xasprintf(
	    "%s%s%s", from, charset == CLI_ASCII ? " - " : "–", to);
}

/* The widths of the columns, and the number of tasks of a full bar. */
struct layout {
	size_t name, digits, bar, most;
};

static void
bin_row(struct pen *p, const struct chart *c, const struct result_bins *b,
    ptrdiff_t bin, size_t tasks, int best, const struct layout *l)
{
	char count[32], *name = bin_name(b, bin, c->charset), *bar = NULL;
	size_t length;
	FILE *f = xmemopen(&bar, &length);

	chart_bar(f, (double)tasks / (double)l->most, l->bar, c->charset);
	xmemclose(f);
	snprintf(count, sizeof count, "%zu", tasks);
	pen_cell(p, PEN_PLAIN, name, l->name, 1);
	pen_blanks(p, 1);
	pen_cell(p, PEN_PLAIN, count, l->digits, 1);
	pen_blanks(p, 1);
	/* A few tasks of very many still get a short bar. */
	pen_text(p, best ? 0 : 1,
	    *bar == '\0' && tasks > 0 ? c->charset == CLI_ASCII ? ":" : "▏"
				      : bar);
	if (best) {
		pen_blanks(p, 1);
		pen_text(p, 0, chart_best_mark(c->charset));
	}
	pen_end(p);
	free(name);
	free(bar);
}

/* Draw the bins; values outside them are counted in additional rows. */
static void
draw_bins(struct pen *p, const struct chart *c, const struct result_bins *b,
    double best)
{
	ptrdiff_t i, last = (ptrdiff_t)b->count;
	ptrdiff_t in = best < b->edge[0] ? -1
	    : best > b->edge[b->count]   ? last
					 : (ptrdiff_t)bin_of(b, best);
	struct layout l = {0};
	size_t width, tasks;
	char *name;

	for (i = -1; i <= last; i++) {
		name = bin_name(b, i, c->charset);
		width = text_width(name);
		l.name = width > l.name ? width : l.name;
		free(name);
		tasks = i < 0 ? b->out[0] : i == last ? b->out[1] : b->tasks[i];
		l.most = tasks > l.most ? tasks : l.most;
	}
	for (width = l.most; width > 0; width /= 10)
		l.digits++;
	if (l.name > c->width / 2)
		l.name = c->width / 2;
	width = l.name + l.digits + 4;
	l.bar = width + 4 < c->width ? c->width - width : 4;
	if (l.bar > 60)
		l.bar = 60;
	for (i = -1; i <= last; i++) {
		tasks = i < 0 ? b->out[0] : i == last ? b->out[1] : b->tasks[i];
		if (tasks > 0 || (i >= 0 && i < last))
			bin_row(p, c, b, i, tasks, i == in, &l);
	}
}

int
chart_hist(FILE *out, FILE *notes, const struct chart *c,
    const struct chart_results *r, struct error *e)
{
	static const char *const name[] = {
	    "min", "p25", "median", "p75", "max"};
	struct pen p = {out, c->colors, PEN_PLAIN, 0};
	char *origin, *summary = NULL, text[CHART_NUMBER];
	struct result_bins b;
	double *value;
	size_t count, i, length;
	FILE *f;

	if (result_begin(notes, c, r, e) == -1)
		return -1;
	value = result_sorted(c, r, &count);
	if (result_bins_make(&b, c, value, count)) {
		origin = result_origin(r);
		pen_row(&p, c->width, "Distribution of best %s (%s)", r->metric,
		    origin);
		free(origin);
		draw_bins(&p, c, &b, value[r->higher ? count - 1 : 0]);
		f = xmemopen(&summary, &length);
		for (i = 0; i < 5; i++)
			fprintf(f, "%s%s %s%s", i > 0 ? "  " : "", name[i],
			    chart_number(
				result_quantile(value, count, (double)i / 4), 4,
				text),
			    i == (r->higher ? 4 : 0)
				? chart_best_mark(c->charset)
				: "");
		xmemclose(f);
		pen_row(&p, c->width, "%s", summary);
		free(summary);
	}
	free(value);
	return 0;
}
