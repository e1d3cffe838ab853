/*
 * The values of one hyperparameter, in the order they were given: texts, which
 * are kept, and ranges, of which each value is worked out when it is asked
 * for; or one random distribution instead.
 */
#ifndef STFM_SPACE_VALUES_H
#define STFM_SPACE_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/num.h"
#include "space/draw.h"

enum { VALUES_TEXTS = 1000000, VALUES_RANGES = 1000 };

struct values;

/* No values yet.  The name is copied; reasons begin with it. */
struct values *values_new(const char *name);
void values_free(struct values *);
const char *values_name(const struct values *);

/*
 * Append a text, which becomes theirs in any case; NULL is JSON null.  is_json
 * says that it is JSON other than a string or a number.
 * Returns 0, or -1 when there are too many.
 */
int values_push_text(struct values *, char *text, int is_json, struct error *e);

/*
 * Append count values from start on, in units of 10^-places (as decimal_write
 * has them).  Returns 0, or -1 when there are too many ranges.
 */
int values_push_range(struct values *, int64_t start, int64_t step,
    uint64_t count, int places, struct error *e);

/* Make it a distribution; DRAW_CHOICE chooses among the texts. */
void values_set_draw(struct values *, const struct draw *);

/* They do not follow from the words alone by exact arithmetic. */
void values_set_inexact(struct values *);

/* What was there at some time, to go back to when adding more fails. */
struct values_mark {
	size_t texts, runs;
	uint64_t in_last;
	int is_inexact;
};

struct values_mark values_mark(const struct values *);
void values_go_back(struct values *, const struct values_mark *);

/* How many of the values are texts, and the last of these. */
size_t values_texts(const struct values *);
const char *values_last(const struct values *);

/* Refuse values that are given twice. */
int values_check(const struct values *, struct error *e);

int values_are_drawn(const struct values *);
int values_are_exact(const struct values *);

/* How many there are; for a distribution it means nothing. */
uint64_t values_count(const struct values *);

/* One value.  Its text is in the buffer given, or belongs to the values. */
struct values_one {
	const char *text; /* NULL: JSON null, no such value */
	int is_json;
};

struct values_one values_get(
    const struct values *, uint64_t i, char buffer[NUM_TEXT]);

/* What the distribution gives for a sample. */
struct values_one values_draw(const struct values *, uint64_t seed,
    uint64_t sample, char buffer[NUM_TEXT]);

#endif
