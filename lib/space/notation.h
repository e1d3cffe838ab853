/*
 * Values in the notation of another language, such as [0.1,0.2], range(3) or
 * 1:10.  stfm-space(5) reads their parts as texts, and a sweep would train with
 * these texts as values.
 */
#ifndef STFM_SPACE_NOTATION_H
#define STFM_SPACE_NOTATION_H

#include "base/error.h"

/*
 * Check the items of a hyperparameter, as typed after its "=": refuse brackets
 * around the items, calls such as range(3), numbers with ":" between them, as
 * in 1:10, and two growing numbers with "-", as in 1e-5-1e-1.  Returns 0, or
 * -1 with the way to write the items in e.
 */
int notation_check(const char *name, const char *items, struct error *e);

#endif
