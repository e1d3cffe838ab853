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

/* The values of all columns at a point, and the state for fast steps. */
struct part_point {
	const struct values_one *value;
	struct values_one *raw, *kept; /* before and after conditions */
	char (*buffer)[NUM_TEXT];
	uint64_t *index; /* on each axis; UINT64_MAX: not filled in yet */
	unsigned char *absent;
	uint64_t last;  /* the last combination, or UINT64_MAX */
	size_t changed; /* the first column that may have changed */
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

/* Return how many consecutive combinations differ only in the last column. */
uint64_t part_run(const struct part *, const struct columns *);

/* Fill in combination n.  Returns whether it is a point. */
int part_at(const struct part *, const struct columns *, uint64_t n,
    struct part_point *);

#endif
