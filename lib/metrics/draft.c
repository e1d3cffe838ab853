#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "metrics/reader-private.h"

void
record_draft_free(struct record_draft *d)
{
	free(d->text);
}

static size_t
keep(struct record_draft *d, const char *text, size_t length)
{
	size_t at = d->used;

	if (at + length + 1 > d->size) {
		d->size = 2 * (at + length + 1);
		d->text = xrealloc(d->text, d->size);
	}
	if (length > 0)
		memcpy(d->text + at, text, length);
	d->text[at + length] = '\0';
	d->used += length + 1;
	return at;
}

void
record_draft_add(struct record_draft *d, const char *name, size_t name_length,
    const char *value, size_t value_length)
{
	size_t before = d->used, at;
	double number;

	/* A name with a NUL is one that no column can have. */
	if (d->count == RECORD_VALUES || name_length == 0 ||
	    memchr(name, '\0', name_length) != NULL)
		return;
	at = keep(d, value, value_length);
	if (!num_parse(d->text + at, &number)) {
		d->used = before;
		return;
	}
	d->value[d->count] = at;
	d->name[d->count++] = keep(d, name, name_length);
}

int
record_draft_give(
    struct record_draft *d, record_each *each, void *arg, size_t taken)
{
	const char *name[RECORD_VALUES], *value[RECORD_VALUES];
	struct record r = {name, value, d->count};
	size_t i;

	for (i = 0; i < d->count; i++) {
		name[i] = d->text + d->name[i];
		value[i] = d->text + d->value[i];
	}
	d->used = d->count = 0;
	return r.count > 0 ? each(arg, &r, taken) : 0;
}

/* ---- lines ---- */

/* The line's length with its end, or 0 when the end is not there yet. */
static size_t
line_length(const char *bytes, size_t length, int carriage)
{
	const char *end = NULL;
	size_t i;

	if (!carriage) {
		end = memchr(bytes, '\n', length);
		return end != NULL ? (size_t)(end - bytes) + 1 : 0;
	}
	for (i = 0; i < length; i++)
		if (bytes[i] == '\n' || bytes[i] == '\r')
			return i + 1;
	return 0;
}

int
record_read_lines(struct record_reader *r, const struct record_lines *how,
    const char *bytes, size_t length, record_each *each, void *arg)
{
	struct record_draft draft = {.count = 0};
	size_t n;
	int status = 0;

	while (r->taken < length && status == 0) {
		n = line_length(
		    bytes + r->taken, length - r->taken, how->carriage);
		if (n == 0 && !r->ended && length - r->taken <= RECORD_SIZE)
			break;
		if (n == 0)
			n = length - r->taken;
		if (n > RECORD_SIZE ||
		    !how->take(&draft, r, bytes + r->taken, n)) {
			draft.used = draft.count = 0;
			r->damaged++;
		}
		status = record_draft_give(&draft, each, arg, r->taken + n);
		r->taken += status == 0 ? n : 0;
	}
	record_draft_free(&draft);
	return status;
}
