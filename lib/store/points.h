/*
 * points.tsv holds the hyperparameters of a job, or of an extension of it: a
 * line of names, and a line of values for each task.  points.idx beside it says
 * where each line is, and its checksum, so that a task reads its own line alone
 * and still sees damage.
 */
#ifndef STFM_STORE_POINTS_H
#define STFM_STORE_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include <stdint.h>

#include "base/error.h"

/* The index of a text of points, and its length; to free. */
char *store_points_index(
    const char *points, size_t length, size_t *index_length);

/* Place both in a directory, as fs_place. */
int store_points_place(
    int dir, const char *points, size_t length, struct error *e);

/*
 * Read the line of a point, from 0, in an open directory, without its end, into
 * *line (to free).  Returns 0, or -1 when the index does not tell: there is
 * none, as in a store of an earlier release, or it does not fit.  Then all
 * points have to be read.
 */
int store_points_line(int dir, uint64_t point, char **line);

#endif
