/*
 * Numbered directories of a job: PART/1, PART/2 and so on.  Each is built under
 * another name and renamed when complete; a number is never used twice.
 */
#ifndef STFM_STORE_NUMBERED_H
#define STFM_STORE_NUMBERED_H

#include <stddef.h>

#include "base/error.h"

struct store_job;

/*
 * Open directory number of part in the open directory of a job.  Returns a
 * descriptor, or -1.
 */
int store_numbered_open(
    int job, const char *part, size_t number, struct error *e);

/* Set *count to the largest number in part.  Returns 0, or -1. */
int store_numbered_count(
    int job, const char *part, size_t *count, struct error *e);

/*
 * Fill a new directory, given open as dir.  Returns 0, 1 if its record exists
 * already, or -1.
 */
typedef int store_numbered_fill(void *arg, int dir, struct error *e);

/*
 * Add directory number to part of the job; fill makes its files.  Returns 0, 1
 * if another program took the number first, or -1.
 */
int store_numbered_add(const struct store_job *, const char *part,
    size_t number, store_numbered_fill *fill, void *arg, struct error *e);

#endif
