/*
 * A list of words, such as an argument vector; behind the last one stands a
 * NULL.  All zero is empty.
 */
#ifndef STFM_BASE_STRLIST_H
#define STFM_BASE_STRLIST_H

#include <stddef.h>

struct words {
	char **word;
	size_t count;
};

/* Free the words; the list is then empty. */
void words_free(struct words *);

/* Add a copy of a word. */
void words_push(struct words *, const char *word);

/* Add a word that was allocated, and is the list's from now on. */
void words_take(struct words *, char *word);

/* Add a copy of each word of another list. */
void words_copy(struct words *, const struct words *from);

/* Put the words of another list, which is then empty, before those that are. */
void words_put_before(struct words *, struct words *front);

/* Take one word out of the list. */
void words_drop(struct words *, size_t i);

/* Whether a word is among them. */
int words_have(const struct words *, const char *word);

/*
 * The value behind the first "NAME=" of a list such as an environment; it
 * belongs to the list.  NULL without one.
 */
const char *words_value(const struct words *, const char *name);

/* Whether two lists hold the same words in the same order. */
int words_same(const struct words *, const struct words *);

/* The words with a text between them, to free. */
char *words_join(const struct words *, const char *between);

#endif
