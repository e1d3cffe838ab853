/*
 * A list of words, such as an argument vector; behind the last one stands a
 * NULL.  All zero is empty.
 */
#ifndef STFM_BASE_STRLIST_H
#define STFM_BASE_STRLIST_H

#include <stddef.h>

struct strlist {
	char **word;
	size_t count;
};

/* Free the words; the list is then empty. */
void strlist_free(struct strlist *);

/* Add a copy of a word. */
void strlist_push(struct strlist *, const char *word);

/* Add a word that was allocated, and is the list's from now on. */
void strlist_take(struct strlist *, char *word);

/* Add a copy of each word of another list. */
void strlist_copy(struct strlist *, const struct strlist *from);

/* Put the words of another list, which is then empty, before those that are. */
void strlist_put_before(struct strlist *, struct strlist *front);

/* Take one word out of the list. */
void strlist_drop(struct strlist *, size_t i);

/* Whether a word is among them. */
int strlist_have(const struct strlist *, const char *word);

/*
 * The value behind the first "NAME=" of a list such as an environment; it
 * belongs to the list.  NULL without one.
 */
const char *strlist_value(const struct strlist *, const char *name);

/* Whether two lists hold the same words in the same order. */
int strlist_same(const struct strlist *, const struct strlist *);

/* The words with a text between them, to free. */
char *strlist_join(const struct strlist *, const char *between);

#endif
