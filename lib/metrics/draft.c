#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "metrics/private.h"

size_t
record_keep(struct record_texts *t, const char *text, size_t length)
{
	size_t at = t->used;

	if (at + length + 1 > t->size) {
		t->size = 2 * (at + length + 1);
		t->text = xrealloc(t->text, t->size);
	}
	if (length > 0)
		memcpy(t->text + at, text, length);
	t->text[at + length] = '\0';
	t->used += length + 1;
	return at;
}

ptrdiff_t
record_find_name(
    char *const *names, size_t count, const char *name, size_t *last)
{
	size_t i, k;

	for (k = 1; k <= count; k++) {
		i = (*last + k) % count;
		if (strcmp(names[i], name) == 0) {
			*last = i;
			return (ptrdiff_t)i;
		}
	}
	return -1;
}

void
record_draft_free(struct record_draft *d)
{
	free(d->texts.text);
	free(d->form.texts.text);
}

void
record_draft_add(struct record_draft *d, const char *name, size_t name_length,
    const char *value, size_t value_length)
{
	size_t before = d->texts.used, at;
	double number;

	/* A column name cannot contain a NUL. */
	if (d->count == RECORD_VALUES || name_length == 0 ||
	    memchr(name, '\0', name_length) != NULL)
		return;
	at = record_keep(&d->texts, value, value_length);
	if (!d->takes_texts && !num_parse(d->texts.text + at, &number)) {
		d->texts.used = before;
		return;
	}
	d->value[d->count] = at;
	d->name[d->count++] = record_keep(&d->texts, name, name_length);
}

int
record_draft_give(
    struct record_draft *d, record_each *each, void *arg, size_t taken)
{
	const char *name[RECORD_VALUES], *value[RECORD_VALUES];
	struct record r = {name, value, d->count, d->has_form};
	const char *names = d->has_form ? d->form.texts.text : d->texts.text;
	size_t i;

	for (i = 0; i < d->count; i++) {
		name[i] = names + d->name[i];
		value[i] = d->texts.text + d->value[i];
	}
	d->texts.used = d->count = 0;
	d->has_form = 0;
	return r.count > 0 ? each(arg, &r, taken) : 0;
}

/* ---- lines ---- */

int
record_read_lines(struct record_reader *r, const struct record_lines *how,
    const char *bytes, size_t length, record_each *each, void *arg)
{
	struct record_draft draft = {.takes_texts = r->texts};
	const char *line, *end;
	size_t left, n;
	int status = 0;

	while (r->taken < length && status == 0) {
		line = bytes + r->taken;
		left = length - r->taken;
		end = how->carriage ? line : memchr(line, '\n', left);
		if (end == NULL)
			end = line + left;
		while (how->carriage && end < line + left && *end != '\n' &&
		    *end != '\r')
			end++;
		if (how->carriage == 2 && end < line + left && *end == '\r' &&
		    (end + 1 == line + left ? !r->ended : end[1] == '\n'))
			end++;
		if (end == line + left && !r->ended && left <= RECORD_SIZE)
			break;
		n = end < line + left ? (size_t)(end - line) + 1 : left;
		if (n > RECORD_SIZE || !how->take(&draft, r, line, n)) {
			draft.texts.used = draft.count = 0;
			r->damaged++;
		}
		status = record_draft_give(&draft, each, arg, r->taken + n);
		r->taken += status == 0 ? n : 0;
	}
	record_draft_free(&draft);
	return status;
}
