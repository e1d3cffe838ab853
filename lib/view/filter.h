/*
 * Which tasks of a job to take, and in which order: the options -t, -w and -s,
 * the same in every command.
 */
#ifndef STFM_VIEW_FILTER_H
#define STFM_VIEW_FILTER_H

#include "base/idset.h"
#include "view/view.h"

struct job_filter;

/* A filter that takes every task, in the order of their numbers. */
struct job_filter *job_filter_new(void);
void job_filter_free(struct job_filter *);

/*
 * Take only tasks in one of these states: "ERROR,STOPPED".  Any case,
 * abbreviations, and Slurm's names and codes (PD, TIMEOUT, OOM); those that
 * name a failure take the tasks with that cause, recorded or named by the log;
 * OUT_OF_MEMORY takes GPU_OUT_OF_MEMORY as well.  Several calls add up.
 * Returns 0, or -1 with the filter as before.
 */
int job_filter_state(struct job_filter *, const char *states, struct error *e);

/* The i-th of the names it takes beside those of the states, or NULL. */
const char *job_filter_state_name(size_t i);

/* Take only tasks for which a condition holds; after several calls, all. */
int job_filter_where(
    struct job_filter *, const char *condition, struct error *e);

/*
 * Sort by a column; a "-" before its name reverses.  "best" and "last" begin
 * with the best value; tasks without a value come last in any order.
 */
void job_filter_sort(struct job_filter *, const char *key);

/* Take at most this many tasks of each job; 0: all. */
void job_filter_limit(struct job_filter *, uint64_t limit);

/* Whether tasks may be left out because of what they are. */
int job_filter_asks(const struct job_filter *);

/* Whether it names states. */
int job_filter_asks_state(const struct job_filter *);

/*
 * Refuse names that are columns of none of these jobs: 0 or -1.  A job that
 * lacks one of the names has no value there.
 */
int job_filter_check(const struct job_filter *, struct job_view *const *views,
    size_t count, struct error *e);

/*
 * The tasks to take out of some of a job's tasks, in order; *count is their
 * number.  To free.
 */
uint64_t *job_filter_apply(const struct job_filter *, struct job_view *,
    const struct idset *tasks, size_t *count);

#endif
