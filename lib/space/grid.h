/*
 * A grid as declared: hyperparameters with their values, zips, conditions and
 * the number of samples.  The words of a command line form one grid; each
 * object of a spec is a grid.
 */
#ifndef STFM_SPACE_GRID_H
#define STFM_SPACE_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/expression.h"
#include "base/strlist.h"
#include "space/space.h"
#include "space/values.h"

/* A zip.  label tells in messages where it was declared: "--zip lr,bs". */
struct grid_zip {
	char *label;
	struct strlist name;
};

struct grid_condition {
	char *label;
	/* The hyperparameter that where controls; NULL: exclude the point. */
	char *name;
	struct expression *where;
};

struct grid {
	struct values **values;
	size_t count; /* number of hyperparameters */
	struct grid_zip *zip;
	size_t zips;
	struct grid_condition *when, *except;
	size_t whens, excepts;
	uint64_t samples; /* 0: not given */
	uint64_t seed;
	int has_seed;
};

struct grid *grid_new(void);
void grid_free(struct grid *);

/* Return the values of a hyperparameter, or NULL. */
struct values *grid_find(const struct grid *, const char *name);

/* These functions return 0, or -1 with the reason in e, changing nothing. */

/* Add "lr=1e-3,1e-4" or "layers:=[64]". */
int grid_add(struct grid *, const char *word, space_read *read, void *arg,
    struct error *e);

/* Add the values of a hyperparameter, which belong to the grid in any case. */
int grid_add_values(struct grid *, struct values *, struct error *e);

/* Pair the names "lr,bs"; option starts the label, such as "--zip". */
int grid_zip(
    struct grid *, const char *option, const char *names, struct error *e);

/* Leave out the points for which a condition holds. */
int grid_except(
    struct grid *, const char *option, const char *text, struct error *e);

/* Give a hyperparameter only where a condition holds: "momentum:opt=sgd". */
int grid_when(
    struct grid *, const char *option, const char *text, struct error *e);

#endif
