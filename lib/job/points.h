/*
 * The points of a stored job: the value of each hyperparameter for each task,
 * from the space as typed or from points.tsv.
 */
#ifndef STFM_JOB_POINTS_H
#define STFM_JOB_POINTS_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "store/job.h"

struct job_points;

/*
 * Open the points of a job, which must outlive them; NULL on failure: errno is
 * EBADMSG when they are damaged.
 */
struct job_points *job_points_open(const struct store_job *, struct error *e);

/*
 * The same, for who asks for few of them: nothing is read but what is asked
 * for, and damage elsewhere is not seen.
 */
struct job_points *job_points_open_few(
    const struct store_job *, struct error *e);

void job_points_free(struct job_points *);

/*
 * The values of a task, one for each of the job's names, NULL where the point
 * has none.  They belong to the points and last until the next call.
 * NULL when the task is not there.
 */
const char *const *job_points_get(
    struct job_points *, uint64_t task, struct error *e);

/*
 * So many points from one on as points.tsv has them, with the names, and the
 * length of that; to free, or NULL.
 */
char *job_points_text(const struct store_job *, uint64_t first, uint64_t tasks,
    size_t *length, struct error *e);

/* How points.tsv is written: its header, and one point after the other. */
void job_points_header(FILE *, const struct strlist *names);
void job_points_row(FILE *, const char *const *values, size_t count);

/* The fingerprint of all points, as written with these; to free. */
char *job_points_fingerprint(const char *bytes, size_t length);

#endif
