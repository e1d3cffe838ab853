/*
 * The options of a search: --search, --pruner, --sampler.  --search stops bad
 * trainings early; a sampler chooses each point when its task starts.
 */
#ifndef STFM_SUBMIT_SEARCH_OPTIONS_H
#define STFM_SUBMIT_SEARCH_OPTIONS_H

#include <stdint.h>

#include "base/error.h"

struct job_plan;
struct space;
struct store;
struct store_job;
struct submit_message;

/* The pruner of --search unless --pruner chooses one. */
extern const char submit_search_usual_pruner[];

/* Set the pruner of a job, "asha,eta=4".  Returns 0 or -1. */
int submit_search_pruner(
    struct store_job *, const char *value, struct error *e);

/* Let the tasks of a job be a population that is compared every N epochs. */
void submit_search_population(struct store_job *, int64_t every);

/* Set the sampler of a job: "random", "quasi", "tpe" or a command line. */
int submit_search_sampler(
    struct store_job *, const char *value, struct error *e);

/*
 * Decide who chooses the points, before they are taken from the space: with
 * --search, without a pruner and without --sampler, tpe does.
 */
void submit_search_begin(struct store_job *, int searches);

/*
 * Check that the sampler of the job, if it has one, can choose from a finished
 * space.  Returns 0 or -1.
 */
int submit_search_check(
    const struct store_job *, const struct space *, struct error *e);

/*
 * Give the plan so many random points of a space, which is not finished yet.
 * Unlike --samples, each point also has a random value of each list.  Result
 * and errors are those of job_plan_points.
 */
int submit_search_points(
    struct job_plan *, struct space *, uint64_t count, struct error *e);

/*
 * Return the point that the sampler of a job that is not stored chooses for
 * task 0, a line to free; or NULL if a command chooses the points, or if they
 * are known already.
 */
char *submit_search_first(const struct store_job *);

/*
 * Complete the search of a plan whose points are known: where its first rung
 * is.  Refuse a search that could never compare two trainings.  Returns 0 or
 * -1.
 */
int submit_search_complete(struct job_plan *, struct error *e);

/*
 * Return a warning, to free, if --until has a value that the objective reaches
 * at once or never, as far as its name tells; or NULL.
 */
char *submit_search_doubt(const struct store_job *);

/*
 * Return a warning, to free, if all points or at least three quarters of them
 * are random, because tpe has too few results to learn from, or if they may be
 * because all tasks may start at once; or NULL.  The job must have no results
 * of other jobs.
 */
char *submit_search_random(const struct store_job *);

/*
 * Return a warning, to free, if the job has fewer tasks than the pruner
 * compares, if the number of epochs is unknown, if the tasks of a population do
 * not all run at once, or if a bracket of Hyperband is too small; or NULL.
 */
char *submit_search_few(const struct store_job *);

/*
 * Record the results of another job, which the sampler learns from: the points
 * of its FINISHED tasks with their best values, and those of stopped tasks with
 * the values at their highest rungs.  store may be NULL.  Warns about points
 * that are not in the space, and about another number of epochs.  Returns 0, or
 * -1 if there are no results, if they are values of another metric or goal, if
 * the tasks are a population, or if the sampler does not learn.
 */
int submit_search_results(struct job_plan *, const struct store *store,
    const char *name, const struct submit_message *, struct error *e);

#endif
