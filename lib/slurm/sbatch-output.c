#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "slurm/sbatch-output.h"

/* Slurm pads numbers to at most this many digits. */
enum { WIDEST = 10 };

/* The index of a job without an array, as slurmd writes it. */
#define NO_INDEX INT64_C(4294967294)

static int
put_number(FILE *f, int64_t number, int width)
{
	if (number < 0)
		return -1;
	fprintf(f, "%0*" PRId64, width, number);
	return 0;
}

static int
put_text(FILE *f, const char *text, size_t length)
{
	if (text == NULL || length == 0)
		return -1;
	fprintf(f, "%.*s", (int)length, text);
	return 0;
}

/* Put the first node without its domain.  Returns -1 if it is a range. */
static int
put_node(FILE *f, const char *nodes)
{
	size_t length = nodes != NULL ? strcspn(nodes, ".,[") : 0;

	if (length > 0 && nodes[length] == '[')
		return -1;
	return put_text(f, nodes, length);
}

/* Put the value of one pattern.  Returns 0, or -1 if it is unknown. */
static int
put_pattern(FILE *f, char letter, int width, const struct sbatch_output *o)
{
	switch (letter) {
	case '%':
		return put_text(f, "%", 1);
	case 'A':
		return put_number(f, o->array, width);
	case 'a':
		return put_number(
		    f, o->index >= 0 ? o->index : NO_INDEX, width);
	case 'j':
	case 'J':
		return put_number(f, o->index < 0 ? o->array : o->job, width);
	case 'n':
	case 't':
		return put_number(f, 0, width);
	case 's':
		return put_text(f, "batch", 5);
	case 'x':
		return put_text(f, o->name, o->name ? strlen(o->name) : 0);
	case 'u':
		return put_text(f, o->user, o->user ? strlen(o->user) : 0);
	case 'N':
		return put_node(f, o->node);
	default:
		return -1;
	}
}

/* Put the name, up to the first pattern without a known value. */
static int
put_name(FILE *f, const char *name, const struct sbatch_output *o)
{
	int width, rc = 0;

	for (; rc == 0 && *name != '\0'; name++) {
		if (*name != '%') {
			putc(*name, f);
			continue;
		}
		for (width = 0, name++; *name >= '0' && *name <= '9'; name++)
			if (width < WIDEST)
				width = width * 10 + (*name - '0');
		rc = put_pattern(f, *name, width < WIDEST ? width : WIDEST, o);
	}
	return rc;
}

char *
sbatch_output(const char *name, const struct sbatch_output *o)
{
	size_t length;
	char *text;
	FILE *f;
	int rc;

	/* A backslash makes Slurm expand no patterns. */
	if (strchr(name, '\\') != NULL)
		return NULL;
	f = xmemopen(&text, &length);
	rc = put_name(f, name, o);
	xmemclose(f);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}
