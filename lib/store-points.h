/*
 * points.tsv holds the hyperparameters of a job: a line of names, and a line of
 * values for each task.  points.idx beside it says where each line is, and its
 * checksum, so that a task reads its own line alone and still sees damage.
 */
#ifndef STFM_STORE_POINTS_H
#define STFM_STORE_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "store-job.h"

/* The index of a text of points, and its length; to free. */
char *store_points_index(
    const char *points, size_t length, size_t *index_length);

/*
 * Read the line of a task, without its end, into *line (to free).  Returns 0,
 * or -1 when the index does not tell: there is none, as in a store of an
 * earlier release, or it does not fit.  Then all points have to be read.
 */
int store_points_line(const struct store_job *, uint64_t task, char **line);

#endif
