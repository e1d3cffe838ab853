#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/result-private.h"

int
result_shows(const struct chart *c, const struct chart_results *r, size_t i)
{
	return isfinite(r->best[i]) && (!c->log || r->best[i] > 0);
}

int
result_better(const struct chart_results *r, double a, double b)
{
	if (isnan(a) || isnan(b))
		return !isnan(a);
	return r->higher ? a > b : a < b;
}

static int
by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

double *
result_sorted(
    const struct chart *c, const struct chart_results *r, size_t *count)
{
	double *value = xcalloc(r->count + 1, sizeof *value);
	size_t i;

	*count = 0;
	for (i = 0; i < r->count; i++)
		if (result_shows(c, r, i))
			value[(*count)++] = r->best[i];
	if (*count > 0)
		qsort(value, *count, sizeof *value, by_value);
	return value;
}

double
result_quantile(const double *sorted, size_t count, double part)
{
	double at = part * (double)(count - 1);
	size_t i = (size_t)at;

	if (i + 1 >= count)
		return sorted[count - 1];
	/* Weights, not a difference: that of two huge numbers is infinite. */
	return sorted[i] * (1 - (at - (double)i)) +
	    sorted[i + 1] * (at - (double)i);
}

struct result_format
result_format(const struct chart *c, const struct chart_results *r)
{
	struct result_format f = {-1};
	double least = INFINITY, most = 0, size;
	size_t i;

	for (i = 0; i < r->count; i++) {
		if (!result_shows(c, r, i))
			continue;
		size = fabs(r->best[i]);
		if (size > 0)
			least = fmin(least, size);
		most = fmax(most, size);
	}
	if (isfinite(least) && least >= 1e-4 && most < 1e5)
		f.decimals = (int)fmin(fmax(2 - floor(log10(least)), 0), 6);
	return f;
}

char *
result_text(struct result_format f, double value, char out[CHART_NUMBER])
{
	if (f.decimals < 0 || !isfinite(value) || fabs(value) >= 1e6)
		return chart_number(value, 3, out);
	snprintf(out, CHART_NUMBER, "%.*f", f.decimals, value);
	return out;
}

static void
note_left(FILE *notes, const struct chart *c, const struct chart_results *r)
{
	size_t i, bad = 0, hidden = 0;

	for (i = 0; i < r->count; i++) {
		bad += !isfinite(r->best[i]);
		hidden += isfinite(r->best[i]) && !result_shows(c, r, i);
	}
	if (bad == 0 && hidden == 0)
		return;
	text_plain(notes, r->metric);
	if (bad == r->count)
		fputs(": nothing to draw, no value is a number\n", notes);
	else if (bad > 0)
		fprintf(notes, ": %zu of %zu without a number are left out\n",
		    bad, r->count);
	else
		fprintf(notes, ": %zu of %zu have no logarithm\n", hidden,
		    r->count);
}

ptrdiff_t
result_begin(FILE *notes, const struct chart *c, const struct chart_results *r,
    struct error *e)
{
	ptrdiff_t shown = 0;
	size_t i;

	if (c->width < CHART_WIDTH)
		return error_set(e,
		    "width: %zu columns are too few for a chart (%d or more)",
		    c->width, CHART_WIDTH);
	if (c->log && (c->low <= 0 || c->high <= 0))
		return error_set(e, "range: a log axis begins above 0");
	note_left(notes, c, r);
	for (i = 0; i < r->count; i++)
		shown += result_shows(c, r, i);
	return shown;
}

void
result_row(struct pen *p, const struct chart *c, const char *text)
{
	size_t width = text_width(text);

	if (width > 0)
		pen_cell(
		    p, PEN_PLAIN, text, width < c->width ? width : c->width, 0);
	pen_end(p);
}

char *
result_origin(const struct chart_results *r)
{
	return xasprintf("%s%s%s", r->of, r->how != NULL ? ", " : "",
	    r->how != NULL ? r->how : "");
}
