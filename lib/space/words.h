/*
 * The words in which values are given, as stfm-space(5) has them: lists,
 * ranges, generators, distributions, files, JSON.  They are read into values.
 */
#ifndef STFM_SPACE_WORDS_H
#define STFM_SPACE_WORDS_H

#include <stddef.h>

#include "base/error.h"
#include "base/lex.h"
#include "space/space.h"
#include "space/values.h"

enum { WORDS_NAME = 128 };

/* Check all of a text as a name, of at most WORDS_NAME bytes. */
int strlist_check_name(const char *text, struct error *e);

/*
 * Each returns 0, or -1 with the reason in e and the values as they were.
 */

/*
 * Add what stands right of the = in a word: "0,log:1e-6:1e-3:4".  read, which
 * may be NULL, is called for @FILE.
 */
int strlist_add(struct values *, const char *items, space_read *read, void *arg,
    struct error *e);

/* Add JSON as it stands right of a :=, one value or an array of values. */
int strlist_add_json(struct values *, const char *json, struct error *e);

/*
 * Set values, of which there are none yet, to a member of the "params" of a
 * spec: a value, an array, or {"log": [1e-4, 1e-1, 4]}.  The reason begins with
 * the place in the document.
 */
int strlist_add_member(
    struct values *, const struct lex *member, struct error *e);

#endif
