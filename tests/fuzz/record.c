/*
 * Records: JSON Lines (j), event files as they are (e) and with checksums that
 * fit (f), lines of text (t), patterns for them (p), printed output (g).
 *
 * Read in any pieces there are the same records and the same summary.  A chart
 * has values of them, or the log is refused.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "fuzz.h"
#include "metrics/metrics.h"
#include "metrics/reader.h"
#include "plot/plot.h"
#include "sys/fs.h"

/* Return the names of a record in one text; to free. */
static char *
names_of(const struct record *r)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = xmemopen(&text, &size);

	for (i = 0; i < r->count; i++)
		fprintf(out, "%s\n", r->name[i]);
	xmemclose(out);
	return text;
}

/* What records are written to, and the names of the last one. */
struct writing {
	FILE *out;
	char *names;
};

static int
write_record(void *arg, const struct record *r, size_t taken)
{
	struct writing *w = arg;
	FILE *out = w->out;
	char *names = names_of(r);
	size_t i;

	(void)taken;
	must(!r->same_names || fuzz_same(names, w->names));
	free(w->names);
	w->names = names;
	must(r->count > 0 && r->count <= RECORD_VALUES);
	for (i = 0; i < r->count; i++) {
		must(*r->name[i] != '\0' && *r->value[i] != '\0');
		fprintf(out, "%s=%s\n", r->name[i], r->value[i]);
	}
	return 0;
}

/* The records as text, read in pieces of so many bytes; to free. */
static char *
records(struct record_reader *r, const char *bytes, size_t length, size_t piece)
{
	char *text = NULL;
	size_t size, from = 0, end = 0;
	uint64_t skip = 0, damaged = 0;
	struct writing w = {xmemopen(&text, &size), NULL};

	r->headed = 0;
	while (end < length) {
		end = length - end < piece ? length : end + piece;
		if (skip > end - from) {
			skip -= end - from;
			from = end;
			continue;
		}
		from += (size_t)skip;
		must(record_read(
			 r, bytes + from, end - from, write_record, &w) == 0);
		must(r->taken <= end - from);
		from += r->taken;
		skip = r->skip;
		damaged += r->damaged;
	}
	r->damaged = damaged;
	free(w.names);
	xmemclose(w.out);
	return text;
}

/* The summary, taken in pieces of so many bytes. */
static struct metrics_summary
summary(const struct metrics_request *wish, const char *bytes, size_t length,
    size_t piece)
{
	struct metrics_summary s = {0};
	size_t end = 0, again = 0;
	int rc;

	while (end < length) {
		end = length - end < piece ? length : end + piece;
		while ((rc = metrics_summary_read(&s, wish, bytes + s.offset,
			    end - s.offset, 0, NULL)) == 1)
			must(again++ < 3 * RECORD_VALUES && s.offset == 0);
		must(s.offset <= end);
	}
	must(text_is_utf8(s.metric) && text_is_utf8(s.x_name));
	return s;
}

/* A log of records as a chart reads it: it has values, or is refused. */
static void
check_plot(const struct record_reader *r, const char *bytes, size_t length)
{
	struct plot p = {.goal = METRICS_GOAL_BY_NAME};
	struct plot_run run = {.name = xstrdup("log")};
	int fd = memfd_create("log", 0);
	struct error e = {.code = 0};

	must(fd != -1 && write(fd, bytes, length) == (ssize_t)length);
	must(lseek(fd, 0, SEEK_SET) == 0);
	p.pattern = r->pattern;
	if (plot_read(&p, &run, fd, PLOT_ENDED, &e) == 0)
		must(p.metric.count > 0 && run.log != NULL &&
		    metrics_log_series(run.log, 0) != NULL);
	else
		must(run.log == NULL);
	close(fd);
	plot_run_free(&p, &run);
	plot_free(&p);
}

static void
check(struct record_reader *r, const char *bytes, size_t length, size_t piece)
{
	struct metrics_request wish = {NULL, METRICS_GOAL_BY_NAME, r->pattern};
	struct metrics_summary once, grown;
	uint64_t damaged;
	char *whole, *pieces;

	whole = records(r, bytes, length, length);
	damaged = r->damaged;
	pieces = records(r, bytes, length, piece);
	/* Where a damaged head ends is seen only once there is another. */
	if (r->format != RECORD_EVENTS || (damaged == 0 && r->damaged == 0))
		must(strcmp(whole, pieces) == 0);
	free(whole);
	free(pieces);
	check_plot(r, bytes, length);
	if (r->format != RECORD_TEXT &&
	    record_recognise(bytes, length) != r->format)
		return;
	once = summary(&wish, bytes, length, length);
	grown = summary(&wish, bytes, length, piece < 64 ? 64 : piece);
	if (damaged > 0)
		return;
	must(once.values == grown.values && once.epochs == grown.epochs);
	must(once.best == grown.best && once.has_best == grown.has_best);
	must(strcmp(once.metric, grown.metric) == 0);
}

static void
put_checked(FILE *out, const char *bytes, size_t length)
{
	uint32_t crc = fs_crc32c(bytes, length);

	crc = (crc >> 15 | crc << 17) + 0xa282ead8;
	fwrite(bytes, 1, length, out);
	fwrite(&crc, 1, sizeof crc, out);
}

/* Give pieces of the input the frames of records; to free. */
static char *
framed(struct fuzz *f, size_t *length)
{
	char *text = NULL, head[8] = {0};
	FILE *out = xmemopen(&text, length);
	size_t n;

	while (f->left > 0) {
		n = fuzz_byte(f);
		if (n > f->left)
			n = f->left;
		head[0] = (char)n;
		put_checked(out, head, sizeof head);
		put_checked(out, f->at, n);
		f->at += n;
		f->left -= n;
	}
	xmemclose(out);
	return text;
}

static void
check_text(struct fuzz *f, const char *const *regex, size_t count, size_t piece)
{
	struct record_pattern *p = record_pattern_new(regex, count, NULL);
	struct record_reader r = {.format = RECORD_TEXT, .pattern = p};

	if (p != NULL && memchr(f->at, '\0', f->left) == NULL)
		check(&r, f->at, f->left, piece);
	record_pattern_free(p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const char *const usual[] = {
	    "[Ee]poch (?P<epoch>\\d+)", "loss[:=] ?(?P<loss>[-+\\d.enaif]+)"};
	struct record_reader json = {.format = RECORD_JSON};
	struct record_reader events = {.format = RECORD_EVENTS};
	struct fuzz f = fuzz_input(bytes, length);
	unsigned char kind = fuzz_byte(&f);
	size_t piece = (size_t)fuzz_byte(&f) + 1, size;
	char *text;

	if (kind == 'j' && memchr(f.at, '\0', f.left) == NULL) {
		/* Byte by byte, read-json.c parses each line alone. */
		check(&json, f.at, f.left, piece % 2 ? 1 : piece);
	} else if (kind == 'e') {
		check(&events, f.at, f.left, piece);
	} else if (kind == 'f') {
		text = framed(&f, &size);
		check(&events, text, size, piece);
		free(text);
	} else if (kind == 't') {
		check_text(&f, usual, 2, piece);
	} else if (kind == 'g') {
		check_text(&f, NULL, 0, piece);
	} else if (kind == 'p' && (text = fuzz_line(&f)) != NULL) {
		/* Some patterns take glibc for ever. */
		if (strlen(text) < 40 && f.left < 200 &&
		    strpbrk(text, "{\\") == NULL)
			check_text(&f, (const char *const *)&text, 1, piece);
		free(text);
	}
	return 0;
}
