/*
 * A set of whole numbers, written as people and Slurm write them: "0-4,7".
 */
#ifndef STFM_BASE_IDSET_H
#define STFM_BASE_IDSET_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Runs in ascending order, none touching the next.  All zero is empty. */
struct ranges {
	struct ranges_run {
		uint64_t first, last;
	} * run;
	size_t count;
};

/* Free the runs; the set is then empty. */
void ranges_free(struct ranges *);

/*
 * Read "0-4,7" or, with a step, "1-9:2" into an empty set.  Numbers may come
 * in any order and may overlap.  Returns 0, or -1 with the set empty.
 */
int ranges_parse(struct ranges *, const char *text, struct error *e);

/* Add the numbers first to last. */
void ranges_add(struct ranges *, uint64_t first, uint64_t last);
/* Add what is in another list. */
void ranges_add_all(struct ranges *, const struct ranges *more);

int ranges_has(const struct ranges *, uint64_t number);

/* How many numbers the set holds. */
uint64_t ranges_size(const struct ranges *);

/*
 * The number at a position counted from 0 in ascending order; position must
 * be less than the size.
 */
uint64_t ranges_at(const struct ranges *, uint64_t position);

/*
 * Walk through the members in ascending order: a walk that is all zero begins.
 * Returns whether there is another one, and puts it into *number.
 */
struct ranges_walk {
	size_t run;
	uint64_t passed; /* members of that run */
};
int ranges_next(const struct ranges *, struct ranges_walk *, uint64_t *number);

/* How many members are less than number: the inverse of ranges_at. */
uint64_t ranges_position(const struct ranges *, uint64_t number);

/* The shortest text that ranges_parse reads back; to free. */
char *ranges_text(const struct ranges *);

#endif
