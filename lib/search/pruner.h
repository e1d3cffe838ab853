/*
 * A pruner decides which trials of a search are stopped early.  These functions
 * work on arrays: they know no files, no clock and no Slurm.
 *
 * Successive halving (Jamieson and Talwalkar 2016; asynchronous: ASHA, Li et
 * al. 2020) compares trials at rungs.  Rungs are the epochs first, first * eta,
 * first * eta^2 and so on, as long as they are below the last epoch.  At each
 * rung, the best 1/eta of the trials that reached it continue.
 *
 * Hyperband (Li et al. 2018) divides the trials among brackets.  The first rung
 * of bracket s is first * eta^s.
 *
 * The median rule (Golovin et al. 2017) has rungs at the epochs first, 2 *
 * first, 3 * first and so on.  The better half, rounded down, continues.
 * A training has at most SEARCH_MEDIAN_RUNGS rungs, because the store has a
 * file for each value at a rung: if more of these epochs are below the last
 * one, only every second or third of them and so on is a rung, the first one
 * included.  Populations have at most SEARCH_PBT_RUNGS rungs in the same way.
 *
 * Two differences from Optuna's SuccessiveHalvingPruner and HyperbandPruner
 * make the decision depend on the values alone and not on their order, the
 * third protects small searches, and the fourth stops trainings that diverge:
 * - a trial is judged again whenever new values arrive, at its highest rung;
 * - of equal values, those of trials with lower numbers are better;
 * - no trial is stopped at a rung with fewer than eta values;
 * - infinities are worse than any number; in Optuna only nan is.
 *
 * Optuna's MedianPruner judges a trial after every epoch by default: it
 * compares the best value so far with the values of finished trials at this
 * epoch.  Here the median rule has rungs, too, and compares the value at the
 * rung with all values there: a decision follows from the records alone, and
 * only values at rungs are recorded.
 */
#ifndef STFM_SEARCH_PRUNER_H
#define STFM_SEARCH_PRUNER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum search_pruner_kind {
	SEARCH_ASHA,
	SEARCH_HYPERBAND,
	SEARCH_MEDIAN,
	SEARCH_PBT, /* stops no trial; population based training */
	SEARCH_NONE
};

/* The most rungs of a training. */
enum { SEARCH_MEDIAN_RUNGS = 100, SEARCH_PBT_RUNGS = 1000 };

/* How many values the median rule needs at a rung. */
enum { SEARCH_MEDIAN_LEAST = 5 };

struct search_pruner {
	enum search_pruner_kind kind;
	int64_t eta;
	int64_t first; /* epoch of the first rung; 0: follows from epochs */
	int higher;    /* larger values are better */
};

/*
 * Parse "asha", "hyperband,eta=3,first=2" or "none".  eta is 3 if it is not
 * given, first is 0.  Returns 0, or -1 with the reason and out unchanged.
 */
int search_pruner_parse(
    const char *text, struct search_pruner *out, struct error *e);

/* Return the pruner as text with all settings that it uses, to free. */
char *search_pruner_text(const struct search_pruner *);

/* Return how many values a rung must have before trials are stopped there. */
static inline size_t
search_least(const struct search_pruner *p)
{
	return p->kind == SEARCH_MEDIAN ? SEARCH_MEDIAN_LEAST : (size_t)p->eta;
}

/* Set first, unless it is given, to a 16th of the epochs, at least 1. */
void search_pruner_complete(struct search_pruner *, int64_t epochs);

/* Return the number of brackets: 1, or for Hyperband as many as have rungs. */
size_t search_brackets(const struct search_pruner *, int64_t epochs);

/*
 * Return the bracket of a trial.  As in Optuna, it follows from the CRC-32 of
 * "STUDY_TRIAL", and bracket s has a share of the trials that is proportional
 * to ceil(n * eta^(n - 1 - s) / (n - s)), where n is the number of brackets.
 */
size_t search_bracket_of(const struct search_pruner *, int64_t epochs,
    const char *study, uint64_t trial);

/*
 * Return the epoch of the i-th rung of a bracket, or 0 if there is none: rungs
 * are below the last epoch.
 */
int64_t search_rung(
    const struct search_pruner *, int64_t epochs, size_t bracket, size_t i);

/* The value of a trial at a rung; nan and infinities are worst. */
struct search_value {
	uint64_t trial;
	double value;
};

/* How a trial stands among the values of a rung. */
struct search_standing {
	size_t count;  /* values at the rung */
	size_t kept;   /* how many of them continue */
	size_t better; /* trials with a better value */
	size_t equal;  /* trials with the same value and a lower number */
	double needed; /* the worst value that continues; nan: unknown */
	int stop;
};

/*
 * Return the worst of these values that continues, or nan if that is not
 * finite.  A trial with a better value is not stopped.
 */
double search_needed(const struct search_pruner *,
    const struct search_value *values, size_t count);

/*
 * Return whether a value is better than another one.  One that is not finite is
 * worse than any number.
 */
static inline int
search_is_better(const struct search_pruner *p, double value, double other)
{
	if (!isfinite(value) || !isfinite(other))
		return isfinite(value);
	return p->higher ? value > other : value < other;
}

/*
 * Judge a trial at a rung.  values has one value for each trial that reached
 * the rung, in any order; own is one of them.  A trial without a finite value
 * is stopped.  Returns 1 to stop the trial, or 0, and fills *out unless out is
 * NULL.
 */
int search_judge(const struct search_pruner *,
    const struct search_value *values, size_t count,
    const struct search_value *own, struct search_standing *out);

#endif
