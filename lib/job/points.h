/*
 * The points of a stored job: the value of each hyperparameter for each task,
 * from the space as typed or from points.tsv.
 *
 * If a sampler chooses the points, a task has none until it starts.  Then a
 * fact records its point, and the row of the task has it from there.
 */
#ifndef STFM_JOB_POINTS_H
#define STFM_JOB_POINTS_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct job_points;
struct space;
struct store_fact;
struct store_fact_body;
struct store_job;
struct store_row;
struct store_run;
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
 * Return the values of the task of a row: those that the sampler chose, as far
 * as the row knows them, or those of job_points_get.  If none were chosen yet,
 * only hyperparameters that have one value in the whole space have a value.
 * Result and errors are those of job_points_get.
 */
const char *const *job_points_of(
    struct job_points *, const struct store_row *, struct error *e);

/*
 * Return the values of a line of points.tsv.  They belong to the points and
 * last until the next call.  Returns NULL if the line has not a value for each
 * name; what names it in the reason.
 */
const char *const *job_points_line(
    struct job_points *, const char *line, const char *what, struct error *e);

/* Return whether a sampler chooses each point when its task starts. */
int job_points_are_chosen(const struct store_job *);

/* Return whether the sampler has yet to choose the point of a row's task. */
int job_points_lack(const struct store_job *, const struct store_row *);

/*
 * Make the space of a job as typed; to space_free.  Returns NULL if it is
 * refused, as by another release.
 */
struct space *job_points_space(const struct store_job *, struct error *e);

/*
 * The member point of a row is the first run that trained the point, and a line
 * of points.tsv: "0.1 0.01<tab>sgd" for attempt 0 and restart 1.
 * job_point_take replaces this text by the point of a fact; it does nothing if
 * the fact is no point, or of an earlier run.  job_point_is_known returns
 * whether it would do nothing.  job_point_text returns the line in the text, or
 * NULL.
 */
void job_point_take(
    char **text, const struct store_fact *, const struct store_fact_body *);
int job_point_is_known(const char *text, const struct store_fact *);
const char *job_point_text(const char *text);

/*
 * Read the first run that trained the point of such a text.  Returns the
 * position of its line in the text, or 0 if it is no such text.
 */
int job_point_run(const char *text, struct store_run *out);

/*
 * Return the points of so many tasks, from the task first on, in the format of
 * points.tsv with the line of names, and the length; to free, or NULL.
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
