/*
 * A part of a space: one grid, ready for enumeration.  A space is one part, or
 * several parts in sequence if a spec has several objects.
 */
#ifndef STFM_SPACE_PART_H
#define STFM_SPACE_PART_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/num.h"
#include "space/columns.h"
#include "space/grid.h"

struct part;

/*
 * A point: an index on each axis.  The values are computed when they are asked
 * for.  Allocate the arrays, with index and filled set to UINT64_MAX.
 */
struct part_point {
	struct values_one *raw; /* values before conditions */
	uint64_t *filled;       /* the index whose value raw holds */
	char (*buffer)[NUM_TEXT];
	unsigned char *absent; /* left out by a condition */
	uint64_t *index;       /* on each axis */
	uint64_t last;         /* the last combination, or UINT64_MAX */
	uint64_t skip; /* combinations until the next one that may be a point */
	long level;    /* the last axis that decided about these */
	int is_point;  /* the last combination is a point */
	size_t changed; /* the first column that changed since the last point */
};

/*
 * Join the grid of a spec (or NULL) with the grid of the words; the words take
 * precedence.  Both must outlive the part.  Adds their names to the columns;
 * the first from_file columns belong to a file.  Returns NULL with the reason
 * in e.
 */
struct part *part_new(const struct grid *spec, const struct grid *words,
    struct columns *, size_t from_file, struct error *e);
void part_free(struct part *);

/*
 * Check zips and conditions and count the combinations, once all columns are
 * known.  Returns 0, or -1 with the reason in e.
 */
int part_finish(struct part *, const struct columns *, struct error *e);

/* Return the number of combinations, or of axes. */
uint64_t part_size(const struct part *);
size_t part_axes(const struct part *);
/*
 * Return whether some values are random; whether conditions may leave out
 * combinations; whether all values follow from words by exact arithmetic.
 */
int part_is_drawn(const struct part *);
int part_is_filtered(const struct part *);
int part_is_exact(const struct part *);

/*
 * Return whether a comparison may hold for a value that its hyperparameter has
 * in this part.  Distributions of numbers and long lists are not searched.
 */
int part_may_hold(const struct part *, const struct expression_part *);

/*
 * Return how many consecutive combinations differ only in the last column; or
 * where in such a run a point is, UINT64_MAX if its last value is left out.
 */
uint64_t part_run(const struct part *, const struct columns *);
uint64_t part_run_index(const struct part *, const struct part_point *);

/* Do for the last axis what values_number does. */
size_t part_run_number(
    const struct part *, uint64_t k, char out[NUM_TEXT], size_t length);

/* Move to combination n.  Returns whether it is a point. */
int part_at(const struct part *, uint64_t n, struct part_point *);

/* Return the value of a column; it is valid until the point moves. */
const struct values_one *part_value(
    const struct part *, const struct part_point *, size_t column);

#endif
