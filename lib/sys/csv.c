#include <csv.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sys/csv.h"

/* Whether numbers in memory begin with their lowest byte. */
enum { FIRST_IS_LOWEST = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

/*
 * How many bytes libcsv adds to a field at a time.  With its default of 128,
 * realloc may have to move a field of a megabyte 8,192 times.
 */
enum { GROWTH = 64 << 10 };

/*
 * A longer line does not take the fast path for simple lines.  This is enough
 * for as many long numbers as there may be fields.
 */
enum { SIMPLE = 32 * ROWS_FIELDS };

static const char bom[] = "\xef\xbb\xbf";

struct rows {
	char delimiter;
	struct csv_parser csv;
	size_t bom;      /* bytes of the mark seen so far; beyond 3: decided */
	uint64_t offset; /* number of bytes taken */
	uint64_t line;   /* line ends among the bytes taken */
	char last;       /* the last byte taken */
	size_t record;   /* bytes of the record so far */
	/* Fields of the record, each with a NUL; for TSV its line. */
	char *text;
	size_t used, size;
	size_t count, start[ROWS_FIELDS];
	char *field[ROWS_FIELDS];
	int complete, too_many;
};

struct rows *
rows_new(char delimiter)
{
	struct rows *r = xcalloc(1, sizeof *r);

	r->delimiter = delimiter;
	if (delimiter != '\t') {
		csv_init(&r->csv, 0);
		csv_set_delim(&r->csv, (unsigned char)delimiter);
		csv_set_realloc_func(&r->csv, xrealloc);
		csv_set_blk_size(&r->csv, GROWTH);
	}
	return r;
}

void
rows_free(struct rows *r)
{
	if (r == NULL)
		return;
	if (r->delimiter != '\t')
		csv_free(&r->csv);
	free(r->text);
	free(r);
}

static void
append(struct rows *r, const void *bytes, size_t length)
{
	if (r->used + length + 1 > r->size) {
		r->size = 2 * (r->used + length + 1);
		r->text = xrealloc(r->text, r->size);
	}
	if (length > 0)
		memcpy(r->text + r->used, bytes, length);
	r->used += length;
	r->text[r->used] = '\0';
}

static void
csv_field(void *bytes, size_t length, void *arg)
{
	struct rows *r = arg;

	if (r->count == ROWS_FIELDS) {
		r->too_many = 1;
		return;
	}
	r->start[r->count++] = r->used;
	append(r, bytes, length);
	r->used++;
}

static void
csv_record(int end, void *arg)
{
	struct rows *r = arg;

	(void)end;
	r->complete = 1;
}

static char *
unescape(char *s)
{
	static const char letter[] = "tnr\\", value[] = "\t\n\r\\";
	char *from = strchr(s, '\\'), *to = from;
	const char *at;

	for (; from != NULL && *from != '\0'; from++) {
		at = *from == '\\' && from[1] != '\0' ? strchr(letter, from[1])
						      : NULL;
		if (at != NULL)
			from++;
		*to++ = at ? value[at - letter] : *from;
	}
	if (to != NULL)
		*to = '\0';
	return s;
}

/* Split the line in text into fields, in place. */
static void
tsv_record(struct rows *r)
{
	char *s = r->text, *tab;

	s[strcspn(s, "\r\n")] = '\0';
	r->complete = *s != '\0';
	for (; s != NULL; s = tab) {
		tab = strchr(s, '\t');
		if (tab != NULL)
			*tab++ = '\0';
		if (r->count == ROWS_FIELDS) {
			r->too_many = 1;
			return;
		}
		r->start[r->count++] = (size_t)(unescape(s) - r->text);
	}
}

/*
 * Pass the record to each if it is complete.  Returns 0, the result of each, or
 * -1 with the reason in e.
 */
static int
deliver(struct rows *r, rows_each *each, void *arg, struct error *e)
{
	size_t i, count = r->count;

	if (r->too_many)
		return error_set(e, "line %llu: more than %d fields",
		    (unsigned long long)r->line + (r->last != '\n'),
		    ROWS_FIELDS);
	if (r->record > ROWS_RECORD)
		return error_set(e,
		    "line %llu: a record of more than %d bytes (a quotation "
		    "mark that is never closed?)",
		    (unsigned long long)r->line + 1, ROWS_RECORD);
	if (!r->complete)
		return 0;
	for (i = 0; i < count; i++)
		r->field[i] = r->text + r->start[i];
	r->complete = 0;
	r->record = r->used = r->count = 0;
	return each(arg, r->field, count, r->offset);
}

/* Return the length of the first line, including its line end. */
static size_t
line_length(const char *bytes, size_t length)
{
	const char *lf = memchr(bytes, '\n', length);
	size_t n = lf != NULL ? (size_t)(lf - bytes) + 1 : length;
	const char *cr = memchr(bytes, '\r', n);

	if (cr == NULL || cr + 1 == lf)
		return n;
	return (size_t)(cr - bytes) + 1;
}

static int
is_blank(const char *bytes, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (strchr(" \t\r\n", bytes[i]) == NULL)
			return 0;
	return 1;
}

/*
 * Split a whole line without quotation marks at its delimiters, and trim blanks
 * around the fields.  This takes a fifth of libcsv's time.
 */
static void
plain_record(struct rows *r, const char *bytes, size_t length)
{
	char *from, *to, *end, *next;

	length -= length > 1 && bytes[length - 2] == '\r' ? 2 : 1;
	append(r, bytes, length);
	end = r->text + length;
	for (from = r->text; from != NULL; from = next) {
		to = memchr(from, r->delimiter, (size_t)(end - from));
		next = to != NULL ? to + 1 : NULL;
		to = to != NULL ? to : end;
		while (from < to && (*from == ' ' || *from == '\t'))
			from++;
		while (from < to && (to[-1] == ' ' || to[-1] == '\t'))
			to--;
		*to = '\0';
		if (r->count == ROWS_FIELDS)
			r->too_many = 1;
		else
			r->start[r->count++] = (size_t)(from - r->text);
	}
	r->complete = 1;
}

/* Take bytes with at most one line end, which must be the last byte. */
static void
take(struct rows *r, const char *bytes, size_t length)
{
	int ended = bytes[length - 1] == '\n' || bytes[length - 1] == '\r';

	r->offset += length;
	r->line += ended && !(r->last == '\r' && *bytes == '\n');
	r->last = bytes[length - 1];
	if (r->delimiter != '\t' && r->record == 0 && ended) {
		if (is_blank(bytes, length))
			return;
		if (length <= ROWS_RECORD && r->last == '\n' &&
		    memchr(bytes, '"', length) == NULL) {
			plain_record(r, bytes, length);
			return;
		}
	}
	r->record += length;
	if (r->delimiter != '\t') {
		csv_parse(&r->csv, bytes, length, csv_field, csv_record, r);
		return;
	}
	append(r, bytes, length);
	if (!ended)
		return;
	tsv_record(r);
	if (!r->complete)
		r->record = r->used = r->count = 0;
}

/*
 * Set the highest bit of each byte below '-' in a number of eight bytes (the
 * additions carry nothing over).  A line of numbers must be split at bytes
 * below '-' in ASCII, and has few other bytes below it.
 */
static uint64_t
below_dash(uint64_t word)
{
	static const uint64_t ones = 0x0101010101010101;

	return ~(((word & ones * 0x7f) + ones * (0x80 - '-')) | word) &
	    ones * 0x80;
}

/*
 * Copy a line and split it at every comma, if it is simple: without quotation
 * marks and blanks, not empty, not very long, and with a complete line end.
 * Returns its length, or 0 for any other line.
 */
static size_t
cut_simple(struct rows *r, const char *bytes, size_t length, size_t *fields)
{
	size_t i, at, count = 0;
	char *text = r->text;
	uint64_t word, found;
	int crlf;

	r->field[count++] = text;
	for (i = 0; i + 8 <= length && i < SIMPLE; i += 8) {
		memcpy(&word, bytes + i, sizeof word);
		memcpy(text + i, &word, sizeof word);
		for (found = below_dash(word); found != 0; found &= found - 1) {
			at = i + (size_t)__builtin_ctzll(found) / 8;
			crlf = bytes[at] == '\r' && length - at > 1 &&
			    bytes[at + 1] == '\n';
			if (bytes[at] == ',' && count < ROWS_FIELDS) {
				text[at] = '\0';
				r->field[count++] = text + at + 1;
			} else if (at > 0 && (bytes[at] == '\n' || crlf)) {
				text[at] = '\0';
				*fields = count;
				return at + 1 + (size_t)crlf;
			} else if (strchr(",\r\n\" \t", bytes[at]) != NULL) {
				return 0;
			}
		}
	}
	return 0;
}

/*
 * Pass lines to each while they are simple.  Sets *taken to their number of
 * bytes.  Returns 0 or the result of each.
 */
static int
feed_simple(struct rows *r, const char *bytes, size_t length, size_t *taken,
    rows_each *each, void *arg)
{
	size_t n, count;
	int status = 0;

	*taken = 0;
	if (r->record > 0 || r->delimiter != ',' || !FIRST_IS_LOWEST)
		return 0;
	if (r->size < SIMPLE + 8)
		r->text = xrealloc(r->text, r->size = SIMPLE + 8);
	while (status == 0) {
		n = cut_simple(r, bytes + *taken, length - *taken, &count);
		if (n == 0)
			break;
		*taken += n;
		r->offset += n;
		r->line++;
		r->last = '\n';
		status = each(arg, r->field, count, r->offset);
	}
	return status;
}

static int
feed(struct rows *r, const char *bytes, size_t length, rows_each *each,
    void *arg, struct error *e)
{
	int status = 0;
	size_t n;

	if (memchr(bytes, '\0', length) != NULL)
		return error_set(e, "not a text file (it has a NUL byte)");
	while (length > 0 && status == 0) {
		status = feed_simple(r, bytes, length, &n, each, arg);
		bytes += n;
		length -= n;
		if (status != 0 || length == 0)
			break;
		n = line_length(bytes, length);
		take(r, bytes, n);
		status = deliver(r, each, arg, e);
		bytes += n;
		length -= n;
	}
	return status;
}

/* Feed held bytes that began like a byte order mark but are not one. */
static int
feed_half_bom(struct rows *r, rows_each *each, void *arg, struct error *e)
{
	size_t held = r->bom;

	r->bom = sizeof bom;
	if (held == 0 || held >= sizeof bom - 1)
		return 0;
	r->offset -= held;
	return feed(r, bom, held, each, arg, e);
}

int
rows_feed(struct rows *r, const char *bytes, size_t length, rows_each *each,
    void *arg, struct error *e)
{
	int status = 0;

	while (r->bom < sizeof bom - 1 && length > 0 && *bytes == bom[r->bom]) {
		r->bom++;
		r->offset++;
		bytes++;
		length--;
	}
	if (length == 0)
		return 0;
	if (r->bom < sizeof bom)
		status = feed_half_bom(r, each, arg, e);
	return status ? status : feed(r, bytes, length, each, arg, e);
}

int
rows_finish(struct rows *r, rows_each *each, void *arg, struct error *e)
{
	int status = feed_half_bom(r, each, arg, e);

	if (status != 0)
		return status;
	if (r->delimiter == '\t') {
		if (r->used > 0)
			tsv_record(r);
		return deliver(r, each, arg, e);
	}
	csv_set_opts(&r->csv, CSV_STRICT | CSV_STRICT_FINI);
	if (csv_fini(&r->csv, csv_field, csv_record, r) != 0)
		return error_set(e,
		    "line %llu: a quotation mark that is never closed",
		    (unsigned long long)r->line + 1);
	return deliver(r, each, arg, e);
}
