#include <math.h>

#include "chart/draw.h"

const struct chart_range CHART_NO_RANGE = {NAN, NAN, 0};

void
chart_range_add(struct chart_range *r, const double *y, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!isfinite(y[i]))
			continue;
		if (!(y[i] >= r->low))
			r->low = y[i];
		if (!(y[i] <= r->high))
			r->high = y[i];
	}
}

void
spark_add(struct spark_cell *c, double y, uint64_t count, double excess)
{
	c->count += count;
	c->sum += isfinite(y) ? (long double)count * y + excess : NAN;
}

const char *
spark_nan(enum cli_charset charset)
{
	return charset == CLI_ASCII ? "!" : "×";
}

const char *
spark_glyph(const struct spark_cell *c, enum cli_charset charset,
    const struct chart_range *range)
{
	static const char *const blocks[] = {
	    "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const letters[] = {
	    "_", ".", "-", "=", "+", "*", "#", "@"};
	/* Halve both: the difference of two huge numbers would be infinite. */
	double low = range->low / 2, high = range->high / 2, mean, at;
	int i;

	if (c->count == 0)
		return " ";
	mean = (double)(c->sum / (long double)c->count);
	if (!isfinite(mean))
		return spark_nan(charset);
	mean /= 2;
	if (range->log && low > 0) {
		low = log(low);
		high = log(high);
		mean = mean > 0 ? log(mean) : low;
	}
	at = high > low ? (mean - low) / (high - low) : 0;
	i = (int)(fmin(fmax(at, 0), 1) * 8);
	return (charset == CLI_ASCII ? letters : blocks)[i < 8 ? i : 7];
}

size_t
chart_spark(FILE *out, const double *y, size_t count, size_t cells,
    enum cli_charset charset, const struct chart_range *range)
{
	struct chart_range own = CHART_NO_RANGE;
	size_t i, k;

	if (range == NULL) {
		chart_range_add(&own, y, count);
		range = &own;
	}
	if (cells > count)
		cells = count;
	for (i = 0; i < cells; i++) {
		struct spark_cell cell = {0};

		for (k = i * count / cells; k < (i + 1) * count / cells; k++)
			spark_add(&cell, y[k], 1, 0);
		fputs(spark_glyph(&cell, charset, range), out);
	}
	return cells;
}

size_t
chart_bar(FILE *out, double part, size_t cells, enum cli_charset charset)
{
	static const char *const eighth[] = {
	    "", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	size_t parts = charset == CLI_ASCII ? 1 : 8, filled, i;

	if (!(part > 0))
		return 0;
	/* Round down: a bar is full only at 1. */
	filled = (size_t)(fmin(part, 1) * (double)(cells * parts) + 1e-9);
	for (i = 0; i < filled / parts; i++)
		fputs(parts == 1 ? "#" : "█", out);
	if (filled % parts == 0)
		return filled / parts;
	fputs(eighth[filled % parts], out);
	return filled / parts + 1;
}
