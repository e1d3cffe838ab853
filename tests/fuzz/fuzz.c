#include <string.h>

#include "fuzz.h"
#include "base/xalloc.h"

void
fuzz_broken(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	abort();
}

struct fuzz
fuzz_input(const uint8_t *bytes, size_t length)
{
	return (struct fuzz){(const char *)bytes, length};
}

unsigned char
fuzz_byte(struct fuzz *f)
{
	if (f->left == 0)
		return 0;
	f->left--;
	return (unsigned char)*f->at++;
}

char *
fuzz_line(struct fuzz *f)
{
	const char *end;
	size_t length;
	char *line;

	if (f->left == 0)
		return NULL;
	end = memchr(f->at, '\n', f->left);
	length = end != NULL ? (size_t)(end - f->at) : f->left;
	line = xstrndup(f->at, length);
	length += end != NULL;
	f->at += length;
	f->left -= length;
	return line;
}

char *
fuzz_text(struct fuzz *f)
{
	char *text = xstrndup(f->at, f->left);

	f->left = 0;
	return text;
}

char **
fuzz_lines(struct fuzz *f, size_t most)
{
	char **line = xcalloc(most + 1, sizeof *line);
	size_t i;

	for (i = 0; i < most; i++) {
		line[i] = fuzz_line(f);
		if (line[i] == NULL)
			break;
	}
	return line;
}

void
fuzz_lines_free(char **line)
{
	size_t i;

	for (i = 0; line[i] != NULL; i++)
		free(line[i]);
	free(line);
}

int
fuzz_same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static char taken[256];

void
fuzz_took(unsigned char kind)
{
	if (strchr(taken, kind) == NULL)
		taken[strlen(taken)] = (char)kind;
}

const char *
fuzz_taken(void)
{
	return taken;
}
