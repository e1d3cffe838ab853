/*
 * points.tsv holds the hyperparameters of a job or of an extension: a line of
 * names, then a line of values for each task.  points.idx holds the position
 * and checksum of each line, so that a task reads only its own line and still
 * detects damage.
 */
#ifndef STFM_STORE_POINTS_H
#define STFM_STORE_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Return the index for a text of points, and its length; to free. */
char *store_points_index(
    const char *points, size_t length, size_t *index_length);

/*
 * Write points.tsv and points.idx to the open directory dir.  Result and errors
 * are those of fs_place.
 */
int store_points_place(
    int dir, const char *points, size_t length, struct error *e);

/*
 * Read the line of a point, counted from 0, from the open directory dir.
 * *line, to free, has no newline.  Returns 0, or -1 if the line cannot be read
 * this way: there is no index, as in stores of early releases, or the index
 * does not fit.  Then read all points.
 */
int store_points_line(int dir, uint64_t point, char **line);

#endif
