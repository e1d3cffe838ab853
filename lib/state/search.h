/*
 * The search of a job: at which epochs its trainings are compared, and the
 * values that a training log has there.
 *
 * The value at a rung is that of the first epoch at or after it which has one.
 * If a later run of a task begins its log after the rung, it has none, because
 * it continues a training whose earlier epochs are unknown.  An epoch has a
 * value once a later epoch was logged or the run has ended, because until then
 * it may change.
 */
#ifndef STFM_STATE_SEARCH_H
#define STFM_STATE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "search/pruner.h"
#include "state/words.h"
#include "store/fact.h"

struct idset;
struct metrics_summary;
struct store_job;
struct store_requests;
struct store_table;

struct job_search {
	struct search_pruner pruner; /* complete if epochs is known */
	int64_t epochs;              /* of a training, or 0: unknown */
	const char *study;           /* the id of the job, which owns it */
};

/*
 * Set *out to the search of a job, or to its goal and epochs if it has no
 * pruner.  Returns whether its trainings may be stopped early, once the number
 * of epochs is known.
 */
int job_search_of(const struct store_job *, struct job_search *out);

/*
 * Record that trainings of the job have so many epochs, as stfm-set does.  Does
 * nothing if another program has changed the job since it was loaded.  Returns
 * 0 or -1.
 */
int job_search_learn(const struct store_job *, int64_t epochs, struct error *e);

/* Return the bracket of a task; 0 unless the pruner is Hyperband. */
static inline size_t
job_search_bracket(const struct job_search *s, uint64_t task)
{
	return search_bracket_of(&s->pruner, s->epochs, s->study, task);
}

/* The rungs that the log of a task has reached. */
struct job_search_reader {
	const struct job_search *search;
	uint64_t task;
	int is_later;            /* it is not that of the first run */
	const char *known;       /* rungs not to report: see job_rungs_read */
	struct store_rung *rung; /* by epoch */
	size_t count;
	size_t next;   /* the number of the first rung not yet looked for */
	double begins; /* the lowest epoch of the log so far */
};

/*
 * Return whether a log counts steps, and begins beyond the last epoch of the
 * search: then it counts something else than the search, and has no values.
 */
int job_search_is_beyond(
    const struct job_search *, const struct metrics_summary *);

/*
 * Take the current epoch of a log, which is complete; the function epoch of a
 * struct metrics_request.  arg is the reader.
 */
void job_search_epoch(void *arg, const struct metrics_summary *);

/*
 * Free what was found.  The reader then looks for all rungs again: also call it
 * if the search or the metric changes, but not if only known does.
 */
void job_search_reader_free(struct job_search_reader *);

/*
 * Return how many epochs the training of a finished task had, or 0 if its log
 * does not tell.
 */
int64_t job_search_epochs_of(const struct metrics_summary *);

/*
 * The values of a task at the rungs, as its row has them: text such as
 * "3=0.712@0.0 9=0.751@0.1", which says the epoch, the value, the attempt and
 * the restart.  A task has one value at each rung: that of the first run, by
 * attempt and restart, that has one.
 */
struct job_rungs {
	struct store_fact *fact; /* by epoch; only run and kind are set */
	size_t count;
};

/* Read a row's text, which may be NULL; *out is for job_rungs_free. */
void job_rungs_read(const char *text, struct job_rungs *out);
void job_rungs_free(struct job_rungs *);

/*
 * Take the next value from such a text: sets *out and advances *text, which may
 * be NULL.  Returns 0 at the end, which is NUL or a quotation mark.
 */
int job_rungs_next(const char **text, struct store_rung *out);

/* Return whether adding a fact would change nothing: it may be no rung. */
int job_rungs_know(const char *text, const struct store_fact *);

/* Add a fact to a row's text, which is replaced. */
void job_rungs_add(char **text, const struct store_fact *);

/* Return whether a task has a value at the rung of this epoch. */
int job_rungs_has(const char *text, int64_t epoch);

/*
 * The values of all tasks at the rungs, and which tasks they stop.  The
 * verdicts depend on these values alone, not on the order in which they came.
 */

/* A rung of a bracket, and its values. */
struct job_board_rung {
	size_t bracket;
	int64_t epoch;
	struct search_value *value;
	size_t count, room;
	double needed; /* the worst value that continues, if that is_known */
	int is_known;
};

struct job_board {
	const struct job_search *search;
	struct job_board_rung *rung; /* by epoch, then bracket */
	size_t rungs;
	/*
	 * The task with the best value at any rung, or -1.  Tasks that are
	 * being stopped or have ended without finishing do not count.
	 */
	int64_t best;
	double best_value;
};

/*
 * Return an empty board; free with job_board_free.  The search must outlive it,
 * and its number of epochs must be known.
 */
struct job_board *job_board_new(const struct job_search *);
void job_board_free(struct job_board *);

/*
 * Add the values of a task, given the text of its row: see job_rungs_next.
 * can_win says whether it may be the best.
 */
void job_board_add(
    struct job_board *, uint64_t task, const char *rungs, int can_win);

/*
 * Return a board with the values of all tasks: those in rungs, one text for
 * each task, or if rungs is NULL, those of the table.  stops are the requests
 * to stop tasks, which need not be read; NULL if best does not matter.
 */
struct job_board *job_board_of(const struct job_search *,
    const struct store_table *, const struct store_requests *stops,
    char *const *rungs);

/*
 * Population based training compares a task at the highest rung that has values
 * of at least eta tasks, one of them a value of the task since the run since,
 * with which its point began.  If the task is in the worst 1/eta there, return
 * 1 with the tasks in the best 1/eta in *best, which must be empty, and the
 * rung and the task's place in *out.  Else return 0.
 */
int job_board_exploits(const struct job_board *, uint64_t task,
    const char *rungs, struct store_run since, struct idset *best,
    struct stop_pruned *out);

/*
 * Set *out to the standing of a task at the rung at which it is compared; since
 * is as in job_board_exploits, and only matters there.  If there is none, it is
 * the highest rung at which the task has a value.  Returns whether there is
 * one.
 */
int job_board_stands(const struct job_board *, uint64_t task, const char *rungs,
    struct store_run since, struct stop_pruned *out);

/*
 * Judge a task, given the text of its row, at the highest rung at which it has
 * a value.  Returns whether it is to be stopped, and why in *out.  The best
 * task never is: else a search might stop all of them, because a task that is
 * being stopped may reach one more rung.
 */
int job_board_judge(struct job_board *, uint64_t task, const char *rungs,
    struct stop_pruned *out);

#endif
