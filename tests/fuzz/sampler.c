/*
 * What users give to samplers: a guess (g), and the table that a command prints
 * (o).  Words and options of the space come first, a line each, up to an empty
 * line.
 *
 * What is refused leaves the sampler as it was; a point that is taken is in the
 * space, is refused a second time, and is none that is chosen later.
 */
#include <string.h>

#include "base/xalloc.h"
#include "fuzz.h"
#include "search/sampler.h"
#include "space/space.h"

enum { LINES = 12, WIDTH = 8 };

static void
declare(struct space *s, const char *line)
{
	if (strncmp(line, "-x ", 3) == 0)
		space_except(s, line + 3, NULL);
	else if (strncmp(line, "-w ", 3) == 0)
		space_when(s, line + 3, NULL);
	else
		space_add(s, line, NULL);
}

/* The space in the first lines, or NULL if no sampler takes it. */
static struct space *
read_space(struct fuzz *f)
{
	struct space *s = space_new();
	char *line = NULL;
	int i;

	for (i = 0; i < LINES; i++) {
		line = fuzz_line(f);
		if (line == NULL || *line == '\0')
			break;
		declare(s, line);
		free(line);
		line = NULL;
	}
	free(line);
	if (space_is_drawn(s))
		space_samples(s, 1);
	if (space_finish(s, NULL) == 0 && space_width(s) <= WIDTH)
		return s;
	space_free(s);
	return NULL;
}

static void
clear(char **point)
{
	int i;

	for (i = 0; i < WIDTH; i++) {
		free(point[i]);
		point[i] = NULL;
	}
}

static int
same_point(char *const *a, char *const *b)
{
	int i;

	for (i = 0; i < WIDTH; i++)
		if (!fuzz_same(a[i], b[i]))
			return 0;
	return 1;
}

/* One that was refused changes no choice. */
static void
guess(const struct space *space, struct search *s, const char *text)
{
	struct search *other = search_new(space, SEARCH_RANDOM, 1, 0, NULL);
	char *a[WIDTH] = {NULL}, *b[WIDTH] = {NULL};
	struct error e;
	int taken, rc;

	must(other != NULL);
	e.text[0] = '\0';
	taken = search_guess(s, text, 3, &e) == 0;
	must(taken || e.text[0] != '\0');
	if (taken)
		must(search_guess(other, text, 3, NULL) == 0);
	rc = search_ask(s, 0, a);
	must(rc == search_ask(other, 0, b));
	must(rc == -1 || same_point(a, b));
	if (taken)
		fuzz_took('g');
	clear(a);
	clear(b);
	search_free(other);
}

static void
output(const struct space *space, struct search *s, const char *text)
{
	char *a[WIDTH] = {NULL}, *b[WIDTH] = {NULL};
	struct search *other;
	struct error e;
	int i;

	e.text[0] = '\0';
	if (search_take_text(s, text, strlen(text), a, &e) == -1) {
		must(e.text[0] != '\0');
		must(e.text[0] != '\0');
		for (i = 0; i < WIDTH; i++)
			must(a[i] == NULL);
		return;
	}
	must(search_take_text(s, text, strlen(text), b, NULL) == -1);
	other = search_new(space, SEARCH_RANDOM, 1, 0, NULL);
	must(search_tell(other, (const char *const *)a, 1, 0.5, 0) == 0);
	must(search_take_text(other, text, strlen(text), b, NULL) == -1);
	search_free(other);
	fuzz_took('o');
	clear(a);
	clear(b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static void (*const target[256])(const struct space *, struct search *,
	    const char *) = {['g'] = guess, ['o'] = output};
	struct fuzz f = fuzz_input(bytes, length);
	unsigned char kind = fuzz_byte(&f);
	struct space *space;
	struct search *s;
	char *text;

	if (target[kind] == NULL)
		return 0;
	space = read_space(&f);
	if (space == NULL)
		return 0;
	s = search_new(space, SEARCH_RANDOM, 1, 0, NULL);
	text = fuzz_text(&f);
	if (s != NULL)
		target[kind](space, s, text);
	free(text);
	search_free(s);
	space_free(space);
	return 0;
}
