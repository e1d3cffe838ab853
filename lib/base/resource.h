/*
 * Resource columns: columns of a space that are options of sbatch for each
 * point, not hyperparameters.  Their names start with "@", such as @mem.
 */
#ifndef STFM_BASE_RESOURCE_H
#define STFM_BASE_RESOURCE_H

#include "base/error.h"

/* Return whether a name starts like the name of a resource column. */
static inline int
resource_is(const char *name)
{
	return *name == '@';
}

/*
 * Return the long name of sbatch's option for a column, "mem" for "@mem".
 * Returns NULL for any other name, with the most similar column in e.  The
 * result is a constant.
 */
const char *resource_option(const char *name, struct error *e);

#endif
