/*
 * A condition on named values, such as "opt=adam,lr<0.01": comparisons
 * separated by commas, all of which must hold.
 *
 * A comparison is a name, one of = != < <= > >=, and a value; == means =.  A
 * name alone holds if it has a value; the caller decides which names may be
 * alone.  In a value, a backslash before a comma, a backslash, = < or > makes
 * that character part of the value.  Two values are equal when their texts are
 * the same or both are numbers of the same value, compared exactly (0.001
 * equals 1e-3). Only numbers have an order.  A missing value makes every
 * comparison false, also !=.  A value that is not a number makes < <= > and >=
 * false.
 */
#ifndef STFM_BASE_EXPRESSION_H
#define STFM_BASE_EXPRESSION_H

#include <stddef.h>

#include "base/error.h"

struct expression_part {
	char *name;
	int is_alone; /* no value follows the name */

	/* Private. */
	int op;
	char *value;
	double number;
	int is_number;
};

struct expression {
	struct expression_part *comparison;
	size_t count;
};

/*
 * Return the length of the name at the start of text
 * (@?[A-Za-z_][A-Za-z0-9_.-]*), or 0 if there is none.
 */
size_t expression_name_length(const char *text);

/*
 * Parse a condition; text is copied.  Returns NULL with the reason, which
 * starts with the condition, in e.  Free with expression_free.
 */
struct expression *expression_new(const char *text, struct error *e);

/*
 * Set e to the refusal of text, a condition in which a name is alone.  Returns
 * -1.
 */
int expression_refuse_alone(const char *text, struct error *e);
void expression_free(struct expression *);

/* A function that returns the value of a name, or NULL if it does not exist. */
typedef const char *expression_value(void *arg, const char *name);

/* Return whether one comparison holds for a value, which may be NULL. */
int expression_part_holds(const struct expression_part *, const char *value);

/* Return whether the condition holds for the values from value(arg, name). */
int expression_holds(
    const struct expression *, expression_value *value, void *arg);

#endif
