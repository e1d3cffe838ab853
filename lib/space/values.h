/*
 * The values of one hyperparameter.  They are either texts and ranges, in the
 * order in which they were given, or one random distribution.  The values of a
 * range are computed when they are asked for.
 */
#ifndef STFM_SPACE_VALUES_H
#define STFM_SPACE_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/num.h"
#include "space/draw.h"

enum { VALUES_TEXTS = 1000000, VALUES_RANGES = 1000 };

/* One value.  Its text is in the caller's buffer, or belongs to the values. */
struct values_one {
	const char *text; /* NULL: JSON null, there is no value */
	int is_json;
	int is_number; /* known to be a number in JSON's notation */
};

/* Consecutive values: count texts from index text on, or a range. */
struct values_run {
	uint64_t first, count;
	size_t text;
	int is_range;
	int64_t start, step;
	int places;
};

struct values {
	char *name;
	struct values_one *text; /* each is allocated */
	size_t texts;
	struct values_run *run;
	size_t runs;
	int is_drawn; /* the values come from draw */
	/* Some values do not follow from words by exact arithmetic. */
	int is_inexact;
	struct draw draw; /* DRAW_CHOICE chooses among the texts */
};

/* Return a list without values.  The name is copied; reasons begin with it. */
struct values *values_new(const char *name);
void values_free(struct values *);

/*
 * Append an allocated text, which belongs to the values in any case; NULL is
 * JSON null.  is_json is for JSON other than a string or a number.
 * Returns 0, or -1 with the reason in e if there are too many.
 */
int values_push_text(struct values *, char *text, int is_json, struct error *e);

/*
 * Append count values from start on, in units of 10^-places as for
 * decimal_write.  Returns 0, or -1 with the reason in e if there are too many
 * ranges.
 */
int values_push_range(struct values *, int64_t start, int64_t step,
    uint64_t count, int places, struct error *e);

/* A state of the values, to restore if adding more values fails. */
struct values_mark {
	size_t texts, runs;
	uint64_t in_last;
	int is_inexact;
};

struct values_mark values_mark(const struct values *);
void values_go_back(struct values *, const struct values_mark *);

/* Check that no value is given twice.  Returns 0, or -1 with a reason. */
int values_check(const struct values *, struct error *e);

/* Return the number of values; not valid for a distribution. */
uint64_t values_count(const struct values *);

/* Return a value; its text may be in buffer. */
struct values_one values_get(
    const struct values *, uint64_t i, char buffer[NUM_TEXT]);

/*
 * Write the i-th value to out, which holds the length bytes of the value before
 * it; length 0: it holds none.  Returns the new length, or 0 if the value is
 * not a number of a range.
 */
size_t values_number(
    const struct values *, uint64_t i, char out[NUM_TEXT], size_t length);

/* Return the value that the distribution gives for a sample. */
struct values_one values_draw(const struct values *, uint64_t seed,
    uint64_t sample, char buffer[NUM_TEXT]);

#endif
