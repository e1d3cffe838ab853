/*
 * A run of a search judges itself: when its log reaches a rung, it records its
 * value, compares it with the others and, if the pruner rejects it, records a
 * stop request for itself.  So pruning needs no watcher.
 */
#ifndef STFM_RUNNER_PRUNE_H
#define STFM_RUNNER_PRUNE_H

struct job_run;
struct run_exploit;
struct run_prune;

/*
 * Return the state of a run, to run_prune_free, or NULL if its job has no
 * search.  The run must outlive it.
 */
struct run_prune *run_prune_new(const struct job_run *);
void run_prune_free(struct run_prune *);

/*
 * Read what is new in the log, and judge the run if it has reached a rung.
 * Returns whether it is to be stopped; a stop request says so then.  Problems
 * are reported once, and the next call tries again.
 */
int run_prune_look(struct run_prune *);

/*
 * The training is over; finished says that it is complete.  Record what its
 * last epochs tell: values at rungs and, if nobody knows it yet, the number of
 * epochs.
 */
void run_prune_end(struct run_prune *, int finished);

/*
 * Return from which task the run is to continue (population based training), if
 * that is why run_prune_look returned 1, or NULL.  It belongs to run_prune.
 */
const struct run_exploit *run_prune_exploit(const struct run_prune *);

/* Return the best value in the log as far as it was read; to free, or NULL. */
char *run_prune_value(const struct run_prune *);

#endif
