#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/lex.h"
#include "base/xalloc.h"
#include "space/file.h"
#include "space/words.h"
#include "sys/csv.h"

enum format { UNKNOWN, CSV, TSV, JSONL };

struct file {
	char *name;
	enum format format;
	struct rows *rows; /* for CSV and TSV, once the first line is known */
	char *held;        /* the start of a line, or of the file */
	size_t used, size;
	uint64_t lines; /* number of line ends so far */
	char last;      /* the byte before the current one */
	struct columns columns;
	struct values_one *row;
	/* The columns that the current JSON line has given. */
	unsigned char *seen;
	int has_header;
	const char *chunk; /* the bytes that rows is reading */
	uint64_t chunk_at, counted;
};

/* The receiver of the rows while bytes are read. */
struct sink {
	struct file *file;
	file_row *row;
	void *arg;
	struct error *e;
	int stopped; /* the receiver stopped, or e has a reason */
};

struct file *
file_new(const char *name, const char *format, struct error *e)
{
	static const char *const names[] = {
	    [CSV] = "csv", [TSV] = "tsv", [JSONL] = "jsonl"};
	const char *dot = strrchr(name, '.');
	const char *known = format != NULL ? format
	    : dot != NULL                  ? dot + 1
					   : "";
	struct file *f;
	int i = JSONL;

	while (i > UNKNOWN && ascii_casecmp(known, names[i]) != 0)
		i--;
	if (format != NULL && i == UNKNOWN) {
		error_set(
		    e, "'%.60s': no such format (csv, tsv or jsonl)", format);
		return NULL;
	}
	f = xcalloc(1, sizeof *f);
	f->name = xstrdup(strcmp(name, "-") == 0 ? "standard input" : name);
	f->held = xmalloc(f->size);
	f->format = (enum format)i;
	return f;
}

void
file_free(struct file *f)
{
	if (f == NULL)
		return;
	rows_free(f->rows);
	columns_free(&f->columns);
	free(f->row);
	free(f->seen);
	free(f->held);
	free(f->name);
	free(f);
}

const struct columns *
file_columns(const struct file *f)
{
	return &f->columns;
}

/* Set e to "points.csv: line 3: reason".  Returns -1. */
static int __attribute__((format(printf, 4, 5))) refuse(
    const struct file *f, uint64_t line, struct error *e, const char *fmt, ...)
{
	struct error why;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why.text, sizeof why.text, fmt, ap);
	va_end(ap);
	return error_set(
	    e, "%s: line %" PRIu64 ": %s", f->name, line, why.text);
}

/* Add a column.  Returns 0, or -1 with a reason that names no line. */
static int
add_column(struct file *f, const char *name, struct error *e)
{
	size_t before = f->columns.count;
	struct error why;

	if (words_check_name(name, &why) == -1)
		return error_set(
		    e, "%s: the first line has to name the columns", why.text);
	if (columns_add(&f->columns, name, e) == -1)
		return -1;
	if (f->columns.count == before)
		return error_set(e, "two columns are named %s", name);
	f->row = xgrow(f->row, before, sizeof *f->row);
	f->row[before] = (struct values_one){0};
	f->seen = xgrow(f->seen, before, sizeof *f->seen);
	f->seen[before] = 0;
	return 0;
}

/* ---- CSV and TSV ---- */

/* Return the number of the line that ends at this offset. */
static uint64_t
line_at(struct file *f, uint64_t end)
{
	for (; f->counted < end; f->counted++) {
		f->last = f->chunk[f->counted - f->chunk_at];
		f->lines += f->last == '\n';
	}
	return f->lines + (f->last != '\n');
}

static int
take_record(void *arg, char *const *field, size_t count, uint64_t end)
{
	struct sink *s = arg;
	struct file *f = s->file;
	uint64_t line = line_at(f, end);
	struct error why;
	size_t i;
	int rc = 0;

	if (!f->has_header) {
		for (i = 0; i < count && rc == 0; i++)
			rc = add_column(f, field[i], &why);
		if (rc == -1)
			refuse(f, line, s->e, "%s", why.text);
		f->has_header = 1;
	} else if (count != f->columns.count) {
		rc = refuse(f, line, s->e,
		    "%zu field%s, but the first line names %zu", count,
		    count == 1 ? "" : "s", f->columns.count);
	} else {
		for (i = 0; i < count; i++)
			f->row[i].text = *field[i] ? field[i] : NULL;
		rc = s->row(s->arg, f->row);
	}
	s->stopped = rc != 0;
	return rc;
}

/* Pass bytes to rows; bytes is NULL at the end of the file. */
static int
feed_rows(struct sink *s, const char *bytes, size_t length)
{
	struct file *f = s->file;
	struct error why;
	int rc;

	f->chunk = bytes;
	rc = bytes ? rows_feed(f->rows, bytes, length, take_record, s, &why)
		   : rows_finish(f->rows, take_record, s, &why);
	if (rc == 0)
		line_at(f, f->chunk_at + length);
	f->chunk_at += length;
	if (rc == -1 && !s->stopped)
		return error_set(s->e, "%s: %s", f->name, why.text);
	return rc;
}

/* ---- JSON Lines ---- */

/*
 * Take a member of an object.  Returns 0, or -1 with a reason that begins with
 * the line, as do take_object's.
 */
static int
take_member(struct file *f, const char *name, const struct lex *key,
    const struct lex *value, struct error *e)
{
	long i = columns_find(&f->columns, name);
	struct values_one *one;
	struct error why;

	if (i == COLUMNS_NONE && f->has_header)
		return lex_refuse(key, e,
		    "the first line has no \"%.60s\" (null stands for no "
		    "value)",
		    name);
	if (i == COLUMNS_NONE) {
		if (add_column(f, name, &why) == -1)
			return error_set(
			    e, "line %" PRIu64 ": %s", f->lines, why.text);
		i = (long)f->columns.count - 1;
	}
	if (f->seen[i]++)
		return lex_refuse(key, e, "%.60s: given twice", name);
	one = &f->row[i];
	one->is_json = value->kind != LEX_STRING && value->kind != LEX_NUMBER &&
	    value->kind != LEX_NULL;
	if (value->kind == LEX_STRING)
		one->text = lex_string(value);
	else if (value->kind != LEX_NULL)
		one->text = lex_source(value);
	return 0;
}

static int
take_object(struct file *f, const char *line, size_t length, struct error *e)
{
	struct lex_members m;
	struct lex object, key, value;
	char *name;
	int rc = 0;

	if (lex_parse(line, length, f->lines, &object, e) == -1)
		return -1;
	if (object.kind != LEX_OBJECT)
		return lex_refuse(
		    &object, e, "a line is an object, as in {\"lr\":\"1e-3\"}");
	lex_members(&m, &object);
	while (rc == 0 && lex_next(&m, &key, &value)) {
		name = lex_string(&key);
		rc = take_member(f, name, &key, &value, e);
		free(name);
	}
	if (rc == 0 && f->columns.count == 0)
		return lex_refuse(&object, e, "the first line has no names");
	f->has_header = 1;
	return rc;
}

static int
take_line(struct sink *s, const char *line, size_t length)
{
	struct file *f = s->file;
	struct error why = {""};
	size_t i;
	int rc;

	f->lines++;
	length -= length > 0 && line[length - 1] == '\r';
	if (length == 0)
		return 0;
	if (take_object(f, line, length, &why) == -1)
		rc = error_set(s->e, "%s: %s", f->name, why.text);
	else
		rc = s->row(s->arg, f->row);
	for (i = 0; i < f->columns.count; i++) {
		free((char *)f->row[i].text);
		f->row[i] = (struct values_one){0};
		f->seen[i] = 0;
	}
	return rc;
}

/* Take the held lines; at the end of the file also a line without a newline. */
static int
take_lines(struct sink *s, int at_end)
{
	struct file *f = s->file;
	char *at = f->held, *end = f->held + f->used, *stop;
	int rc = 0;

	for (; rc == 0 && at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		if (stop == NULL && !at_end)
			break;
		if (stop == NULL)
			stop = end;
		rc = take_line(s, at, (size_t)(stop - at));
	}
	f->used = at < end ? (size_t)(end - at) : 0;
	memmove(f->held, at, f->used);
	if (rc == 0 && f->used > ROWS_RECORD)
		return refuse(f, f->lines + 1, s->e,
		    "more than %d bytes in a line", ROWS_RECORD);
	return rc;
}

/* ---- the first line ---- */

/*
 * Find the first line that is not blank.  Sets *out to its start.  Returns its
 * length, or 0 if the line is still incomplete.
 */
static size_t
first_line(const struct file *f, int at_end, const char **out)
{
	const char *at = f->held, *end = f->held + f->used, *stop;

	if (f->used >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (at < end && strchr(" \r\n", *at) != NULL)
		at++;
	for (stop = at; stop < end && *stop != '\n' && *stop != '\r'; stop++)
		;
	*out = at;
	return stop < end || at_end ? (size_t)(stop - at) : 0;
}

/* Choose the format by the first line, and read the held bytes. */
static int
begin(struct sink *s, const char *line, size_t length, int at_end)
{
	struct file *f = s->file;
	int has_comma = memchr(line, ',', length) != NULL;
	int has_semicolon = memchr(line, ';', length) != NULL;
	size_t used = f->used;

	if (f->format == UNKNOWN && *line == '[')
		return refuse(f, 1, s->e,
		    "a JSON array: give JSON Lines, an object on each line, as "
		    "stfm-status -o jsonl prints them");
	if (f->format == UNKNOWN && *line == '{')
		f->format = JSONL;
	else if (f->format == UNKNOWN)
		f->format = memchr(line, '\t', length) == NULL &&
			(has_comma || has_semicolon || *line == '"')
		    ? CSV
		    : TSV;
	if (f->format == JSONL) {
		if (used >= 3 && memcmp(f->held, "\xef\xbb\xbf", 3) == 0) {
			f->used -= 3;
			memmove(f->held, f->held + 3, f->used);
		}
		return take_lines(s, at_end);
	}
	if (f->format == TSV)
		f->rows = rows_new('\t');
	else
		f->rows = rows_new(has_semicolon && !has_comma ? ';' : ',');
	f->used = 0;
	return feed_rows(s, f->held, used);
}

int
file_feed(struct file *f, const char *bytes, size_t length, file_row *row,
    void *arg, struct error *e)
{
	struct sink s = {f, row, arg, e, 0};
	const char *line;
	size_t n;

	if (f->rows != NULL)
		return feed_rows(&s, bytes, length);
	if (f->used + length > f->size) {
		f->size = 2 * (f->used + length);
		f->held = xrealloc(f->held, f->size);
	}
	if (length > 0)
		memcpy(f->held + f->used, bytes, length);
	f->used += length;
	if (f->has_header)
		return take_lines(&s, 0);
	n = first_line(f, 0, &line);
	if (n > 0)
		return begin(&s, line, n, 0);
	if (f->used > ROWS_RECORD)
		return refuse(f, 1, e, "more than %d bytes in the first line",
		    ROWS_RECORD);
	return 0;
}

int
file_end(struct file *f, file_row *row, void *arg, struct error *e)
{
	struct sink s = {f, row, arg, e, 0};
	const char *line;
	size_t n;
	int rc = 0;

	if (f->rows == NULL && f->has_header) {
		rc = take_lines(&s, 1);
	} else if (f->rows == NULL) {
		n = first_line(f, 1, &line);
		if (n == 0)
			return error_set(e,
			    "%s: nothing in it: the first line has to name the "
			    "columns",
			    f->name);
		rc = begin(&s, line, n, 1);
	}
	if (rc == 0 && f->rows != NULL)
		rc = feed_rows(&s, NULL, 0);
	return rc;
}
