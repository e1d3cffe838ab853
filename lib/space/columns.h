/* The columns of a space: names in order, with a fast search by name. */
#ifndef STFM_SPACE_COLUMNS_H
#define STFM_SPACE_COLUMNS_H

#include <stddef.h>

#include "base/error.h"

struct columns {
	char **name;
	size_t count;
	size_t *sorted; /* column numbers, sorted by the columns' names */
};

enum { COLUMNS_NONE = -1 };

void columns_free(struct columns *);

/* Return the number of a column, or COLUMNS_NONE. */
long columns_find(const struct columns *, const char *name);

/*
 * Add a column unless it exists; the name is copied.  Returns its number, or -1
 * with the reason in e if there are too many.
 */
long columns_add(struct columns *, const char *name, struct error *e);

/*
 * Set e to a refusal of name: "what: no hyperparameter nmae (did you mean
 * name?)".  Returns -1.
 */
int columns_unknown(const struct columns *, const char *what, const char *name,
    struct error *e);

#endif
