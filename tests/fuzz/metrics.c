/*
 * Training logs (m) and rows of CSV and TSV (r).
 *
 * A log that is read as it grows, in any pieces, gives the same summary as one
 * that is read at once, and the same best value as the curve that is drawn.
 * A reduced curve stands for all points and has the special ones.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "metrics/metrics.h"
#include "sys/csv.h"

/* Texts are compared to their ends, numbers by their bits. */
static int
same_summary(const struct metrics_summary *a, const struct metrics_summary *b)
{
	struct metrics_summary x, y;

	memset(&x, 0, sizeof x);
	memset(&y, 0, sizeof y);
	x = *a;
	y = *b;
	strncpy(x.x_name, a->x_name, sizeof x.x_name);
	strncpy(y.x_name, b->x_name, sizeof y.x_name);
	strncpy(x.metric, a->metric, sizeof x.metric);
	strncpy(y.metric, b->metric, sizeof y.metric);
	return memcmp(&x, &y, sizeof x) == 0;
}

/* Ends of lines that follow a row may be taken with it or later. */
static void
skip_ends(struct metrics_summary *s, const char *bytes, size_t length)
{
	while (s->offset < length && strchr("\r\n", bytes[s->offset]) &&
	    bytes[s->offset] != '\0')
		s->offset++;
}

static void
check_summary(const struct metrics_summary *s, size_t length)
{
	must(s->offset <= length);
	must(text_is_utf8(s->metric) && text_is_utf8(s->x_name));
	must(isfinite(s->best) && isfinite(s->last) && isfinite(s->epoch));
	must(isfinite(s->first) && isfinite(s->first_nan));
	must(isfinite(s->nan_since) && isfinite(s->best_epoch));
	must(s->values >= s->nans);
}

/* Return whether a point is missing in both, or the same. */
static int
same_point(const struct metrics_series *a, ptrdiff_t i,
    const struct metrics_series *b, ptrdiff_t k)
{
	if (i == METRICS_NO_POINT || k == METRICS_NO_POINT)
		return i == k;
	return a->x[i] == b->x[k] &&
	    (a->y[i] == b->y[k] || (isnan(a->y[i]) && isnan(b->y[k])));
}

static void
compare_reduced(const struct metrics_series *a, const struct metrics_series *b)
{
	struct metrics_facts f, g;
	uint64_t points = 0;
	size_t i;

	metrics_series_facts(a, METRICS_MIN, &f);
	metrics_series_facts(b, METRICS_MIN, &g);
	must(same_point(a, f.best, b, g.best));
	must(same_point(a, f.first_nan, b, g.first_nan));
	must(same_point(a, f.nan_since, b, g.nan_since));
	must(a->starts == b->starts);
	for (i = 0; i < a->starts; i++)
		must(same_point(
		    a, (ptrdiff_t)a->start[i], b, (ptrdiff_t)b->start[i]));
	for (i = 0; i < b->count; i++)
		points += b->weight[i];
	must(points == a->count);
}

/* The same columns, drawn. */
static void
compare_curve(const struct metrics_summary *s, const char *bytes, size_t length)
{
	const struct metrics_series *series;
	struct metrics_header header;
	struct metrics_facts facts;
	struct metrics_log *log, *reduced;

	if (s->columns == 0 || s->column == METRICS_NONE)
		return;
	must(metrics_header_read(&header, bytes, length, NULL) == 0);
	must(header.count == (size_t)s->columns);
	log = metrics_log_new(&header, s->x_column, &s->column, 1, 0);
	reduced = metrics_log_new(&header, s->x_column, &s->column, 1, 16);
	metrics_log_feed(reduced, bytes, length, NULL);
	if (metrics_log_feed(log, bytes, length, NULL) == 0) {
		series = metrics_log_series(log, 0);
		compare_reduced(series, metrics_log_series(reduced, 0));
		metrics_log_finish(reduced, 0, NULL);
		compare_reduced(series, metrics_log_series(reduced, 0));
		metrics_series_facts(
		    series, (enum metrics_goal)s->goal, &facts);
		must((facts.best != METRICS_NO_POINT) == s->has_best);
		must(!s->has_best || series->y[facts.best] == s->best);
		must(!s->has_best || series->x[facts.best] == s->best_epoch);
		must((series->count > 0) == (s->values > 0));
	}
	metrics_log_free(reduced);
	metrics_log_free(log);
	metrics_header_free(&header);
}

static void
summary(struct fuzz *f)
{
	struct metrics_summary once = {0}, grown = {0};
	unsigned char step = fuzz_byte(f), ended = fuzz_byte(f) % 2;
	const char *bytes = f->at;
	size_t length = f->left, end = 0;
	int rc;

	rc = metrics_summary_feed(
	    &once, NULL, METRICS_GOAL_BY_NAME, bytes, length, 0, NULL);
	check_summary(&once, length);
	while (end < length) {
		end += 1 + step % 61;
		step = (unsigned char)(step * 5 + 1);
		if (end > length)
			end = length;
		metrics_summary_feed(&grown, NULL, METRICS_GOAL_BY_NAME,
		    bytes + grown.offset, end - grown.offset, 0, NULL);
	}
	skip_ends(&once, bytes, length);
	skip_ends(&grown, bytes, length);
	must(same_summary(&once, &grown));
	if (rc == 0)
		compare_curve(&once, bytes, length);
	if (!ended)
		return;
	metrics_summary_feed(&once, NULL, METRICS_GOAL_BY_NAME,
	    bytes + once.offset, length - once.offset, 1, NULL);
	check_summary(&once, length);
}

struct written {
	FILE *out;
	char *text;
	size_t length;
	void (*put)(FILE *, const char *);
	char delimiter;
};

static int
write_row(void *arg, char *const *field, size_t count, uint64_t end)
{
	struct written *w = arg;
	size_t i;

	(void)end;
	for (i = 0; i < count; i++) {
		if (i > 0)
			putc(w->delimiter, w->out);
		if (count == 1 && *field[i] == '\0')
			fputs("\"\"", w->out);
		else
			w->put(w->out, field[i]);
	}
	putc('\n', w->out);
	return 0;
}

/* Rows as text; pieces of that many bytes.  NULL when they are refused. */
static char *
rewrite(char delimiter, const char *bytes, size_t length, size_t piece)
{
	struct rows *r = rows_new(delimiter);
	struct written w = {.delimiter = delimiter};
	size_t at, n;
	int rc = 0;

	w.put = delimiter == '\t' ? text_tsv : text_csv;
	w.out = open_memstream(&w.text, &w.length);
	for (at = 0; at < length && rc == 0; at += n) {
		n = length - at < piece ? length - at : piece;
		rc = rows_feed(r, bytes + at, n, write_row, &w, NULL);
	}
	if (rc == 0)
		rc = rows_finish(r, write_row, &w, NULL);
	rows_free(r);
	fclose(w.out);
	if (rc != 0) {
		free(w.text);
		w.text = NULL;
	}
	return w.text;
}

static void
rows(struct fuzz *f)
{
	char delimiter = fuzz_byte(f) % 2 ? '\t' : ',';
	size_t piece = 1 + fuzz_byte(f) % 16;
	char *whole = rewrite(delimiter, f->at, f->left, f->left + 1), *again;
	char *pieces = rewrite(delimiter, f->at, f->left, piece);

	must(fuzz_same(whole, pieces));
	if (whole != NULL) {
		again = rewrite(delimiter, whole, strlen(whole), 4096);
		must(fuzz_same(whole, again));
		free(again);
	}
	free(whole);
	free(pieces);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct fuzz f = fuzz_input(bytes, length);

	switch (fuzz_byte(&f)) {
	case 'm':
		summary(&f);
		break;
	case 'r':
		rows(&f);
		break;
	}
	return 0;
}
