/*
 * The points that trials have, to find out quickly whether one of them has a
 * given point.  Not a number equals itself here: a dimension has no value.
 */
#ifndef STFM_SEARCH_SEEN_H
#define STFM_SEARCH_SEEN_H

#include <stddef.h>

struct search_seen {
	size_t width;         /* of each point */
	const double **point; /* a hash table with open addressing */
	size_t *last;         /* the last trial with this point, plus 1 */
	size_t room, count;
};

/* Add the point of a trial, which must outlive *seen. */
void search_seen_add(struct search_seen *, const double *point, size_t trial);

/* Return the last trial that was added with a point, plus 1, or 0. */
size_t search_seen_last(const struct search_seen *, const double *point);

/* Free what the struct owns; the points are the caller's. */
void search_seen_free(struct search_seen *);

#endif
