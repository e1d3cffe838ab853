/*
 * A list of strings, such as an argument vector, with a NULL after the last
 * string.  All zero is the empty list.
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

/* Add an allocated word, which then belongs to the list. */
void strlist_take(struct strlist *, char *word);

/* Add a copy of each word of another list. */
void strlist_copy(struct strlist *, const struct strlist *from);

/* Move the words of front to the start of the list; front is then empty. */
void strlist_put_before(struct strlist *, struct strlist *front);

/* Remove and free word i. */
void strlist_drop(struct strlist *, size_t i);

/* Return whether the list has this word. */
int strlist_have(const struct strlist *, const char *word);

/*
 * Return the value after the first "NAME=" in a list such as an environment, or
 * NULL.  It belongs to the list.
 */
const char *strlist_value(const struct strlist *, const char *name);

/* Return whether two lists hold the same words in the same order. */
int strlist_same(const struct strlist *, const struct strlist *);

/* Return the words joined, with between separating them; to free. */
char *strlist_join(const struct strlist *, const char *between);

#endif
