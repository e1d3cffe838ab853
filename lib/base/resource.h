/*
 * Columns of a space that are no hyperparameters: what a point asks of Slurm.
 * Their names begin with "@", as in @mem.
 */
#ifndef STFM_BASE_RESOURCE_H
#define STFM_BASE_RESOURCE_H

#include "base/error.h"

/* Whether a name is meant as one of them. */
int resource_is(const char *name);

/*
 * The long name of the option of sbatch that a column stands for, "mem" for
 * "@mem".  NULL for any other, with the nearest name in e.
 */
const char *resource_option(const char *name, struct error *e);

#endif
