#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/result-private.h"
#include "chart/scale.h"

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

int
result_compare(const void *a, const void *b)
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
		qsort(value, *count, sizeof *value, result_compare);
	return value;
}

double
result_quantile(const double *sorted, size_t count, double part)
{
	double at = part * (double)(count - 1);
	size_t i = (size_t)at;

	if (i + 1 >= count)
		return sorted[count - 1];
	/* Weigh both: the difference of two huge numbers would be infinite. */
	return sorted[i] * (1 - (at - (double)i)) +
	    sorted[i + 1] * (at - (double)i);
}

int
result_decimals(const struct chart *c, const struct chart_results *r)
{
	size_t count;
	double *value = result_sorted(c, r, &count);
	int decimals = scale_decimals(value, count, 3, 1e5);

	free(value);
	return decimals;
}

char *
result_text(int decimals, double value, char out[CHART_NUMBER])
{
	return scale_fixed(value, decimals, 3, out);
}

ptrdiff_t
result_begin(FILE *notes, const struct chart *c, const struct chart_results *r,
    struct error *e)
{
	size_t i, bad = 0, shown = 0, hidden;

	if (c->width < CHART_WIDTH)
		return error_set(e,
		    "width: %zu columns are too few for a chart (%d or more)",
		    c->width, CHART_WIDTH);
	if (c->log && (c->low <= 0 || c->high <= 0))
		return error_set(e, "range: a log axis begins above 0");
	for (i = 0; i < r->count; i++) {
		bad += !isfinite(r->best[i]);
		shown += (size_t)result_shows(c, r, i);
	}
	hidden = r->count - bad - shown;
	if (bad > 0 || hidden > 0)
		text_plain(notes, r->metric);
	if (bad > 0 && bad == r->count)
		fputs(": nothing to draw, no value is a number\n", notes);
	else if (bad > 0)
		fprintf(notes, ": %zu of %zu without a number are left out\n",
		    bad, r->count);
	else if (hidden > 0)
		fprintf(notes, ": %zu of %zu have no logarithm\n", hidden,
		    r->count);
	return (ptrdiff_t)shown;
}

char *
result_origin(const struct chart_results *r)
{
	return xasprintf("%s%s%s", r->of, r->how != NULL ? ", " : "",
	    r->how != NULL ? r->how : "");
}
