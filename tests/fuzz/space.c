/*
 * The language of hyperparameters: words and options (w), specs (s) and files
 * of points (c, t, j, ? for CSV, TSV, JSON Lines and what the file tells).
 *
 * What is refused leaves the space as it was; points written as TSV and JSON
 * Lines read back as they were; bytes may arrive in any pieces.
 */
#include <string.h>

#include "fuzz.h"
#include "base/lex.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "space/space.h"

enum { POINTS = 40, LINES = 24 };

/* Points as text, a line each. */
struct shown {
	FILE *out;
	char *text;
	size_t length;
	const struct space *space;
	int points;
};

static void
shown_open(struct shown *s, const struct space *space)
{
	memset(s, 0, sizeof *s);
	s->space = space;
	s->out = open_memstream(&s->text, &s->length);
}

static void
put_value(FILE *out, const struct space_point *p, size_t i)
{
	const char *value = space_value(p, i);

	if (value == NULL)
		fputs("null", out);
	else if (space_value_kind(p, i) == SPACE_JSON)
		fputs(value, out);
	else
		text_json(out, value);
}

/* JSON Lines as stfm-expand writes them. */
static int
show(void *arg, const struct space_point *p)
{
	struct shown *s = arg;
	size_t i;

	for (i = 0; i < space_width(s->space); i++) {
		putc(i > 0 ? ',' : '{', s->out);
		text_json(s->out, space_name(s->space, i));
		putc(':', s->out);
		put_value(s->out, p, i);
	}
	fputs("}\n", s->out);
	return ++s->points == POINTS;
}

static int
no_file(
    void *arg, const char *path, char **text, size_t *length, struct error *e)
{
	(void)arg;
	if (strcmp(path, "values") != 0)
		return error_set(e, "%s: no such file", path);
	*text = xstrdup("1\n2\n");
	*length = 4;
	return 0;
}

static int
declare(struct space *s, const char *line)
{
	struct error e;

	if (strncmp(line, "-z ", 3) == 0)
		return space_zip(s, line + 3, &e);
	if (strncmp(line, "-x ", 3) == 0)
		return space_except(s, line + 3, &e);
	if (strncmp(line, "-w ", 3) == 0)
		return space_when(s, line + 3, &e);
	if (strncmp(line, "-s ", 3) == 0)
		return space_spec(s, line + 3, strlen(line + 3), &e);
	if (strncmp(line, "-n ", 3) == 0)
		space_samples(s, strlen(line + 3));
	else
		return space_add(s, line, &e);
	return 0;
}

/* The first points of a space that is declared, or NULL; to free. */
static char *
points_of(struct space *s)
{
	struct space_point *p;
	struct shown shown;
	struct error e;
	uint64_t n;

	if (space_finish(s, &e) == -1)
		return NULL;
	shown_open(&shown, s);
	p = space_point_new(s);
	for (n = 0; n < space_size(s) && n < 4 * POINTS; n++)
		if (space_at(s, n, p) && show(&shown, p))
			break;
	space_point_free(p);
	fclose(shown.out);
	return shown.text;
}

/* Points read from a text, in pieces of that many bytes; NULL when refused. */
static char *
points_from(const char *text, size_t length, const char *format, size_t piece)
{
	struct space *s = space_new();
	struct shown shown;
	struct error e;
	size_t at, n;
	int rc;

	rc = space_from(s, "points", format, &e);
	shown_open(&shown, s);
	for (at = 0; at < length && rc == 0; at += n) {
		n = length - at < piece ? length - at : piece;
		rc = space_feed(s, text + at, n, show, &shown, &e);
	}
	if (rc == 0)
		rc = space_end(s, show, &shown, &e);
	fclose(shown.out);
	space_free(s);
	if (rc == -1) {
		must(e.text[0] != '\0');
		free(shown.text);
		shown.text = NULL;
	}
	return shown.text;
}

/* What is written as JSON Lines is read as the same. */
static void
read_back(const char *points)
{
	char *again;

	if (strncmp(points, "{\"", 2) != 0)
		return;
	again = points_from(points, strlen(points), "jsonl", 4096);
	must(fuzz_same(points, again));
	free(again);
}

static void
words(struct fuzz *f)
{
	struct space *all = space_new(), *taken = space_new();
	char **line = fuzz_lines(f, LINES), *one, *other;
	size_t i;

	space_reader(all, no_file, NULL);
	space_reader(taken, no_file, NULL);
	for (i = 0; line[i] != NULL; i++)
		if (declare(all, line[i]) == 0)
			must(declare(taken, line[i]) == 0);
	one = points_of(all);
	other = points_of(taken);
	must(fuzz_same(one, other));
	if (one != NULL)
		read_back(one);
	free(one);
	free(other);
	space_free(all);
	space_free(taken);
	fuzz_lines_free(line);
}

static char *
points_of_spec(const char *json, size_t length)
{
	struct space *s = space_new();
	struct error e;
	char *points = NULL;

	if (space_spec(s, json, length, &e) == 0)
		points = points_of(s);
	else
		must(e.text[0] != '\0');
	space_free(s);
	return points;
}

/* Blanks outside strings play no part. */
static void
spec(struct fuzz *f)
{
	char *points = points_of_spec(f->at, f->left), *source, *again;
	struct lex json;

	if (points == NULL)
		return;
	must(lex_parse(f->at, f->left, 1, &json, NULL) == 0);
	source = lex_source(&json);
	again = points_of_spec(source, strlen(source));
	must(fuzz_same(points, again));
	read_back(points);
	free(points);
	free(source);
	free(again);
}

static void
file(struct fuzz *f, const char *format)
{
	size_t piece = 1 + fuzz_byte(f) % 16;
	char *whole = points_from(f->at, f->left, format, f->left + 1);
	char *pieces = points_from(f->at, f->left, format, piece);

	/* Who has seen enough in pieces does not come to a NUL behind that. */
	if (memchr(f->at, '\0', f->left) == NULL)
		must(fuzz_same(whole, pieces));
	if (whole != NULL)
		read_back(whole);
	free(whole);
	free(pieces);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct fuzz f = fuzz_input(bytes, length);

	switch (fuzz_byte(&f)) {
	case 'w':
		words(&f);
		break;
	case 's':
		spec(&f);
		break;
	case 'c':
		file(&f, "csv");
		break;
	case 't':
		file(&f, "tsv");
		break;
	case 'j':
		file(&f, "jsonl");
		break;
	case '?':
		file(&f, NULL);
		break;
	}
	return 0;
}
