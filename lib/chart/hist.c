#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/result-private.h"

enum { MOST_BINS = 12, ROOM = RESULT_BINS };

/*
 * The ends of the bins: the values, without those that lie far out, more than
 * three interquartile ranges beyond the quartiles (Tukey 1977).
 */
static void
choose_ends(const struct chart *c, const double *value, size_t count,
    double *low, double *high)
{
	double q1 = result_quantile(value, count, 0.25);
	double q3 = result_quantile(value, count, 0.75), reach = 3 * (q3 - q1);
	size_t first = 0, last = count - 1;

	if (!c->log && reach > 0 && isfinite(reach)) {
		while (value[first] < q1 - reach)
			first++;
		while (value[last] > q3 + reach)
			last--;
	}
	*low = value[first];
	*high = value[last];
	if (!isnan(c->low))
		*low = c->low;
	if (!isnan(c->high))
		*high = c->high;
	if (*low >= *high && !isnan(c->low))
		*high = *low + 1;
	else if (*low > *high)
		*low = *high - 1;
}

/* The smallest nice step that gives no more bins than most. */
static double
choose_step(double low, double high, double most)
{
	static const double nice[] = {1, 2, 5, 10};
	double raw = high / most - low / most, unit;
	size_t i;

	if (!(raw > 0))
		raw = fmax(fabs(low), 1e-6) / 100;
	unit = pow(10, floor(log10(raw)));
	for (i = 0; i < 3; i++)
		if (ceil(high / (nice[i] * unit) - 1e-9) -
			floor(low / (nice[i] * unit) + 1e-9) <=
		    most)
			break;
	return nice[i] * unit;
}

static void
linear_bins(struct result_bins *b, double low, double high, double most)
{
	double step = choose_step(low, high, most);
	double first = floor(low / step + 1e-9);
	double count = ceil(high / step - 1e-9) - first;
	size_t i;

	b->count = count < 1 ? 1 : (size_t)fmin(count, MOST_BINS + 2);
	for (i = 0; i <= b->count; i++)
		b->edge[i] = (first + (double)i) * step + 0.0;
	b->format.decimals = -1;
	if (step >= 1e-6 && fabs(high) < 1e6 && fabs(low) < 1e6)
		b->format.decimals = (int)fmax(-floor(log10(step) + 1e-9), 0);
}

/* Edges at 1, 2 and 5 of each decade, or at each so many decades. */
static void
log_bins(struct result_bins *b, double low, double high)
{
	static const double nice[] = {1, 2, 5};
	int first = (int)floor(log10(low) + 1e-9), n;
	double decades = ceil(log10(high) - first), edge;
	int stride = 1 + (int)(decades / MOST_BINS), fine = decades <= 4, i;

	b->format.decimals = -1;
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

int
result_bins_make(struct result_bins *b, const struct chart *c,
    const double *value, size_t count)
{
	double low, high;
	size_t i;

	*b = (struct result_bins){0};
	if (count == 0)
		return 0;
	choose_ends(c, value, count, &low, &high);
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

/* "0.40-0.50", or what lies beyond the bins. */
static char *
bin_name(const struct result_bins *b, ptrdiff_t bin, enum cli_charset charset)
{
	char from[CHART_NUMBER], to[CHART_NUMBER];

	if (bin < 0)
		return xasprintf(
		    "< %s", result_text(b->format, b->edge[0], to));
	result_text(b->format, b->edge[bin], from);
	if ((size_t)bin == b->count)
		return xasprintf("> %s", from);
	result_text(b->format, b->edge[bin + 1], to);
	return xasprintf(
	    "%s%s%s", from, charset == CLI_ASCII ? " - " : "–", to);
}

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
	/* A few of very many are not none. */
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

static struct layout
fit(const struct chart *c, const struct result_bins *b)
{
	struct layout l = {0};
	size_t width;
	ptrdiff_t i;
	char *name;

	for (i = -1; i <= (ptrdiff_t)b->count; i++) {
		name = bin_name(b, i, c->charset);
		width = text_width(name);
		l.name = width > l.name ? width : l.name;
		free(name);
	}
	for (i = 0; i < (ptrdiff_t)b->count; i++)
		l.most = b->tasks[i] > l.most ? b->tasks[i] : l.most;
	for (i = 0; i < 2; i++)
		l.most = b->out[i] > l.most ? b->out[i] : l.most;
	for (width = l.most; width > 0; width /= 10)
		l.digits++;
	if (l.name > c->width / 2)
		l.name = c->width / 2;
	width = l.name + l.digits + 4;
	l.bar = width + 4 < c->width ? c->width - width : 4;
	if (l.bar > 60)
		l.bar = 60;
	return l;
}

static void
summary_row(struct pen *p, const struct chart *c, const struct chart_results *r,
    const double *value, size_t count)
{
	static const struct {
		const char *name;
		double part;
	} part[] = {{"min", 0}, {"p25", 0.25}, {"median", 0.5}, {"p75", 0.75},
	    {"max", 1}};
	char text[CHART_NUMBER], *row = NULL;
	size_t i, length;
	FILE *f = xmemopen(&row, &length);

	for (i = 0; i < 5; i++) {
		fprintf(f, "%s%s %s", i > 0 ? "  " : "", part[i].name,
		    chart_number(
			result_quantile(value, count, part[i].part), 4, text));
		if (i == (r->higher ? 4 : 0))
			fputs(chart_best_mark(c->charset), f);
	}
	xmemclose(f);
	result_row(p, c, row);
	free(row);
}

static void
draw_bins(struct pen *p, const struct chart *c, const struct result_bins *b,
    double best)
{
	struct layout l = fit(c, b);
	int out = best < b->edge[0] ? -1 : best > b->edge[b->count];
	size_t i, in = bin_of(b, best);

	if (b->out[0] > 0)
		bin_row(p, c, b, -1, b->out[0], out < 0, &l);
	for (i = 0; i < b->count; i++)
		bin_row(p, c, b, (ptrdiff_t)i, b->tasks[i], out == 0 && i == in,
		    &l);
	if (b->out[1] > 0)
		bin_row(p, c, b, (ptrdiff_t)b->count, b->out[1], out > 0, &l);
}

int
chart_hist(FILE *out, FILE *notes, const struct chart *c,
    const struct chart_results *r, struct error *e)
{
	struct pen p = {out, c->colors, PEN_PLAIN, 0};
	char *title, *origin;
	struct result_bins b;
	double *value;
	size_t count;

	if (result_begin(notes, c, r, e) == -1)
		return -1;
	value = result_sorted(c, r, &count);
	if (result_bins_make(&b, c, value, count)) {
		origin = result_origin(r);
		title = xasprintf(
		    "Distribution of best %s (%s)", r->metric, origin);
		result_row(&p, c, title);
		draw_bins(&p, c, &b, value[r->higher ? count - 1 : 0]);
		summary_row(&p, c, r, value, count);
		free(origin);
		free(title);
	}
	free(value);
	return 0;
}
