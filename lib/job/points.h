/*
 * The points of a stored job: the value of each hyperparameter for each task,
 * from the space as typed or from points.tsv.
 */
#ifndef STFM_JOB_POINTS_H
#define STFM_JOB_POINTS_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct job_points;
struct store_job;
struct strlist;

/*
 * Open the points of a job, which must outlive them; to free with
 * job_points_free.  Returns NULL on failure, with ERROR_DAMAGED if they are
 * damaged.
 */
struct job_points *job_points_open(const struct store_job *, struct error *e);

/*
 * Open the points of a job to read a few of them.  Only points that are asked
 * for are read, so damage elsewhere goes unnoticed.  Result and errors are
 * those of job_points_open.
 */
struct job_points *job_points_open_few(
    const struct store_job *, struct error *e);

void job_points_free(struct job_points *);

/*
 * Return the values of a task, one for each of the job's names, NULL if the
 * point has none.  They belong to the points and last until the next call.
 * Returns NULL if there is no such task.
 */
const char *const *job_points_get(
    struct job_points *, uint64_t task, struct error *e);

/*
 * Return tasks points, starting with first, in the format of points.tsv with
 * the line of names, and the length; to free, or NULL.
 */
char *job_points_text(const struct store_job *, uint64_t first, uint64_t tasks,
    size_t *length, struct error *e);

/* Write the line of names of points.tsv, and the line of one point. */
void job_points_header(FILE *, const struct strlist *names);
void job_points_row(FILE *, const char *const *values, size_t count);

/*
 * Cut the line of one point into its values, in place: a value that the point
 * lacks is NULL.  Returns how many values there are; at most count are set.
 */
size_t job_points_cut(char *line, const char **values, size_t count);

/* Return the fingerprint of all points in the format of points.tsv; to free. */
char *job_points_fingerprint(const char *bytes, size_t length);

#endif
