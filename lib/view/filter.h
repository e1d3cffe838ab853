/*
 * A filter: which tasks of a job to take, and in which order.  These are the
 * options -t, -w and -s, the same in every command.
 */
#ifndef STFM_VIEW_FILTER_H
#define STFM_VIEW_FILTER_H

#include "base/idset.h"
#include "base/strlist.h"
#include "view/view.h"

struct expression;
struct wanted;

struct job_filter {
	uint64_t limit; /* most tasks of each job; 0 means all */
	size_t states;  /* number of states it takes; 0 means all */

	/* Private. */
	struct wanted *wanted;
	struct strlist given; /* the options as typed: "-t OOM", "-w 'lr<1'" */
	struct expression **where;
	size_t conditions;
	char *key; /* the column to sort by, or NULL */
	int reverse;
};

/* Return a filter that takes every task, in the order of their numbers. */
struct job_filter *job_filter_new(void);
void job_filter_free(struct job_filter *);

/*
 * Take only tasks in one of these states, "ERROR,STOPPED".  Case does not
 * matter, and abbreviations, Slurm's names and codes (PD, TIMEOUT, OOM) work.
 * The name of a failure takes the tasks with that cause, recorded or named by
 * the log; OUT_OF_MEMORY takes GPU_OUT_OF_MEMORY too.  Several calls add up.
 * Returns 0, or -1 with the filter unchanged.
 */
int job_filter_state(struct job_filter *, const char *states, struct error *e);

/* Return the i-th name that -t takes besides the names of states, or NULL. */
const char *job_filter_state_name(size_t i);

/*
 * Take only tasks for which condition holds.  After several calls all
 * conditions must hold.  Returns 0, or -1 with the filter unchanged.
 */
int job_filter_where(
    struct job_filter *, const char *condition, struct error *e);

/*
 * Sort by a column; "-" before its name reverses the order.  "best" and "last"
 * start with the best value.  Tasks without a value are last in any order.
 */
void job_filter_sort(struct job_filter *, const char *key);

/* Return whether the filter has a state or a condition. */
static inline int
job_filter_asks(const struct job_filter *f)
{
	return f->states > 0 || f->conditions > 0;
}

/* Return the filter as options to name in a message, to free. */
char *job_filter_text(const struct job_filter *);

/*
 * Refuse column names that none of these jobs has.  A job that lacks one of the
 * columns has no value there.  Returns 0 or -1.
 */
int job_filter_check(const struct job_filter *, struct job_view *const *views,
    size_t count, struct error *e);

/*
 * Return the tasks that the filter takes, in its order, to free.  Sets *count
 * to their number.
 */
uint64_t *job_filter_apply(const struct job_filter *, struct job_view *,
    const struct idset *tasks, size_t *count);

#endif
