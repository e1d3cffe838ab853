#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "space/columns.h"
#include "space/space.h"

void
columns_free(struct columns *c)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		free(c->name[i]);
	free(c->name);
	free(c->sorted);
	*c = (struct columns){0};
}

/* Return the index of a name, or where it belongs, in the sorted order. */
static size_t
place_of(const struct columns *c, const char *name)
{
	size_t low = 0, high = c->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(c->name[c->sorted[middle]], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

long
columns_find(const struct columns *c, const char *name)
{
	size_t at = place_of(c, name);

	if (at == c->count || strcmp(c->name[c->sorted[at]], name) != 0)
		return COLUMNS_NONE;
	return (long)c->sorted[at];
}

long
columns_add(struct columns *c, const char *name, struct error *e)
{
	size_t at = place_of(c, name);

	if (at < c->count && strcmp(c->name[c->sorted[at]], name) == 0)
		return (long)c->sorted[at];
	if (c->count == SPACE_NAMES)
		return error_set(
		    e, "more than %d hyperparameters", SPACE_NAMES);
	c->name = xgrow(c->name, c->count, sizeof *c->name);
	c->sorted = xgrow(c->sorted, c->count, sizeof *c->sorted);
	memmove(c->sorted + at + 1, c->sorted + at,
	    (c->count - at) * sizeof *c->sorted);
	c->sorted[at] = c->count;
	c->name[c->count] = xstrdup(name);
	return (long)c->count++;
}

int
columns_unknown(const struct columns *c, const char *what, const char *name,
    struct error *e)
{
	char names[120] = "", all[TEXT_HINT], hint[TEXT_HINT];
	size_t i, length, used = 0;

	/* List as many names as fit into the message. */
	for (i = 0; i < c->count; i++) {
		length = strlen(c->name[i]) + (i > 0 ? 2 : 0);
		if (length + sizeof ", ..." > sizeof names - used)
			break;
		used += (size_t)snprintf(names + used, sizeof names - used,
		    "%s%s", i > 0 ? ", " : "", c->name[i]);
	}
	if (i < c->count)
		snprintf(names + used, sizeof names - used, "%s...",
		    i > 0 ? ", " : "");
	snprintf(all, sizeof all, "there %s %s", c->count == 1 ? "is" : "are",
	    c->count ? names : "none");
	return error_set(e, "%s: no hyperparameter %.60s (%s)", what, name,
	    text_hint(name, (const char *const *)c->name,
		strlen(name) > 2 ? c->count : 0, all, hint));
}
