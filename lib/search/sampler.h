/*
 * A sampler chooses the next point of a space: a text for each hyperparameter,
 * or none where a condition (--when) leaves it out.
 *
 * random draws each value by itself, as stfm-expand --samples does; quasi takes
 * them from a Halton sequence; tpe learns from trials.  A distribution is a
 * number between its bounds, a list of numbers in order is a whole number,
 * every other list is a choice.  A normal distribution is its quantile.
 *
 * tpe chooses the hyperparameters without a condition together, as Optuna's
 * multivariate TPE does, and then each of the others by the trials that have
 * it.  The others come second because their conditions depend on the first.  If
 * all were chosen together, only trials that have all of them could count.  For
 * Optuna, the names without a condition are those that occur in all trials so
 * far; stfm takes them from the space.
 */
#ifndef STFM_SEARCH_SAMPLER_H
#define STFM_SEARCH_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/num.h"

struct space;

enum search_sampler { SEARCH_RANDOM, SEARCH_QUASI, SEARCH_TPE };

/* tpe is better than random points from this number of results on. */
enum { SEARCH_TPE_LEAST = 10 };

/*
 * Find "random", "quasi" or "tpe".  Returns 0, or -1 with the reason in e.
 */
int search_sampler_find(
    const char *name, enum search_sampler *out, struct error *e);

/*
 * Return whether the sampler of a job, NULL for none, learns from results: tpe
 * does, and a command, which reads them.
 */
static inline int
search_sampler_learns(const char *word)
{
	enum search_sampler sampler = SEARCH_TPE;

	return word != NULL &&
	    (search_sampler_find(word, &sampler, NULL) == -1 ||
		sampler == SEARCH_TPE);
}

/* Return whether a word may be a mistyped name of a sampler. */
int search_sampler_is_near(const char *word);

/* The trials of a space, and how to choose from it. */
struct search;

/*
 * Return a search of a finished space, which must outlive it, or NULL with the
 * reason in e: a space with a spec, rows or zips, or too many hyperparameters
 * for quasi.  higher says that larger values are better.
 */
struct search *search_new(const struct space *, enum search_sampler,
    uint64_t seed, int higher, struct error *e);
void search_free(struct search *);

/* Say whether larger values are better, after search_new. */
void search_goal(struct search *, int higher);

/*
 * Prefer points near a guess, "lr=1e-3,width=128": see search/prior.h.  Trial 0
 * is the guess, whose numbers keep their text.  tpe prefers points near it
 * until it has enough results.  eta is that of the pruner, or 0 if it has none.
 * Returns 0, or -1 with the reason in e and without a guess if a name or a
 * value is not in the space.
 */
int search_guess(
    struct search *, const char *text, int64_t eta, struct error *e);

/*
 * Return the label of a condition, "--except x=3", that leaves out every point
 * with the values of the guess, or NULL.
 */
const char *search_guess_excepted(struct search *);

/*
 * Add a trial with a text, or NULL, for each hyperparameter in the order of the
 * space, oldest first.  reached is the epoch of its value; a trial that is
 * running has no value yet.  Returns 0, or 1 if the trial is left out because a
 * value is not in the space, or has none although no condition is on it.
 */
int search_tell(struct search *, const char *const *texts, int64_t reached,
    double value, int running);

/*
 * Say that the trials told so far are those of another job.  The trials of this
 * job may repeat their points, but never each other's: see search_ask.
 */
void search_told_others(struct search *);

/*
 * Take a point that somebody else chose: a text, or NULL, for each
 * hyperparameter.  Sets each text of out, to free, or to NULL where a condition
 * leaves the hyperparameter out; the trial is then told as a running one.
 * Returns 0, or -1 with the reason in e: a value is missing or not in the
 * space, conditions leave the point out, or another trial of this job has it.
 */
int search_take(
    struct search *, const char *const *texts, char **out, struct error *e);

/*
 * Choose a point near another one: see search/explore.h.  step numbers the
 * choice of this trial.  Sets each text of out, to free, as search_take does;
 * the point is not told.  Returns 0, or -1 with the reason in e if the other
 * point is not in the space.
 */
int search_explore(struct search *, const char *const *texts, uint64_t trial,
    uint64_t step, char **out, struct error *e);

/*
 * Return the only value that a hyperparameter can have, or NULL if it has
 * several.  It may be in buffer.
 */
const char *search_only_value(
    const struct search *, size_t i, char buffer[NUM_TEXT]);

/*
 * Take the point in the first row of a table, as search_take does: a text in
 * CSV, TSV or JSON Lines that a program has printed.  A hyperparameter of one
 * value needs no column.
 */
int search_take_text(struct search *, const char *text, size_t length,
    char **out, struct error *e);

/* Return the space of a search. */
const struct space *search_space(const struct search *);

/*
 * Choose the point of a trial, a point of no other trial if there is one left,
 * or else one of no other trial of this job.
 * Sets each text of out, to free, or to NULL; the trial is then told as a
 * running one.  The choice depends on the space, the seed, the number of the
 * trial and the trials told before.  Returns 0, 1 if another trial of this job
 * has the same point, or -1 if conditions (--except) seem to leave out all
 * points.
 */
int search_ask(struct search *, uint64_t trial, char **out);

#endif
