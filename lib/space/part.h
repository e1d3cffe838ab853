/*
 * A part of a space: one grid made ready to be counted through.  A space is
 * one part, or several one after the other when a spec has several objects.
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
 * The values of all columns at one point, and what is needed to fill them in
 * again quickly.
 */
struct part_point {
	const struct values_one *value;
	struct values_one *raw, *kept; /* before and after conditions */
	char (*buffer)[NUM_TEXT];
	uint64_t *index; /* of each axis; UINT64_MAX: not filled in yet */
	unsigned char *absent;
	uint64_t last;  /* the combination, UINT64_MAX: none */
	size_t changed; /* the first column that may differ from before */
};

/*
 * Join the grid of a spec (or NULL) with that of the words, which wins.  Both
 * must outlive the part.  Their names are added to the columns; the first
 * from_file columns are those of a file.
 */
struct part *part_new(const struct grid *spec, const struct grid *words,
    struct columns *, size_t from_file, struct error *e);
void part_free(struct part *);

/*
 * When all columns are known: check what is said about the names, and count.
 */
int part_finish(struct part *, const struct columns *, struct error *e);

uint64_t part_size(const struct part *);
size_t part_axes(const struct part *);
int part_is_drawn(const struct part *);
int part_is_filtered(const struct part *);
int part_is_exact(const struct part *);

/* How many combinations in a row differ in the last column alone. */
uint64_t part_run(const struct part *, const struct columns *);

/* Fill in combination n; returns whether it is a point. */
int part_at(const struct part *, const struct columns *, uint64_t n,
    struct part_point *);

#endif
