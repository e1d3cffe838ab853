/*
 * The syntax of values on the command line and in specs, as in stfm-space(5):
 * lists, ranges, generators, distributions, files and JSON.
 */
#ifndef STFM_SPACE_WORDS_H
#define STFM_SPACE_WORDS_H

#include <stddef.h>

#include "base/error.h"
#include "base/lex.h"
#include "space/space.h"
#include "space/values.h"

enum { WORDS_NAME = 128 };

/*
 * Check that text is a name of at most WORDS_NAME bytes.  Returns 0, or -1 with
 * the reason in e.
 */
int words_check_name(const char *text, struct error *e);

/* Return whether a generator, such as log or range, has this name. */
int words_is_generator(const char *name);

/* These functions return 0, or -1 with the reason in e, changing nothing. */

/*
 * Add the part of a word after its =: "0,log:1e-6:1e-3:4".  read, which may be
 * NULL, is called for @FILE.
 */
int words_add(struct values *, const char *items, space_read *read, void *arg,
    struct error *e);

/* Add the JSON after a :=, one value or an array of values. */
int words_add_json(struct values *, const char *json, struct error *e);

/*
 * Add a member of the "params" of a spec to empty values: a value, an array, or
 * {"log": [1e-4, 1e-1, 4]}.  The reason begins with the place in the document.
 */
int words_add_member(
    struct values *, const struct lex *member, struct error *e);

#endif
