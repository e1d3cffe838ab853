/* A set of whole numbers, with Slurm's text form: "0-4,7". */
#ifndef STFM_BASE_IDSET_H
#define STFM_BASE_IDSET_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Runs in ascending order, with gaps between them; all zero is empty. */
struct idset {
	struct idset_run {
		uint64_t first, last;
	} * run;
	size_t count;
};

/* Free the runs; the set is then empty. */
void idset_free(struct idset *);

/*
 * Parse "0-4,7" or, with a step, "1-9:2" into an empty set.  Numbers may be in
 * any order and may overlap.  Returns 0, or -1 with the set empty.
 */
int idset_parse(struct idset *, const char *text, struct error *e);

/* Add the numbers first to last. */
void idset_add(struct idset *, uint64_t first, uint64_t last);
/* Add the numbers of another set. */
void idset_add_all(struct idset *, const struct idset *more);

/* Return whether number is in the set. */
int idset_has(const struct idset *, uint64_t number);

/* Return the number of members. */
uint64_t idset_size(const struct idset *);

/*
 * Return the member at a position, counted from 0 in ascending order; position
 * must be less than the size.
 */
uint64_t idset_at(const struct idset *, uint64_t position);

/*
 * Visit the members in ascending order; start with an all-zero walk.  Returns 1
 * and puts the next member into *number, or returns 0 at the end.
 */
struct idset_walk {
	size_t run;
	uint64_t passed; /* number of members of the run already visited */
};
int idset_next(const struct idset *, struct idset_walk *, uint64_t *number);

/* Return how many members are less than number: the inverse of idset_at. */
uint64_t idset_position(const struct idset *, uint64_t number);

/* Return the shortest text that idset_parse accepts for the set; to free. */
char *idset_text(const struct idset *);

/*
 * Return such a text for people, which of a long set has the beginning only:
 * "0,2,4,6,8,10,12,14,... and 41 more"; to free.
 */
char *idset_brief(const struct idset *);

#endif
