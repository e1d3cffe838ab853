/* What is known of the trials of a search.  Private to lib/control/ask*.c. */
#ifndef STFM_CONTROL_ASK_TRIAL_H
#define STFM_CONTROL_ASK_TRIAL_H

#include <stdint.h>

#include "store/fact.h"

struct job_search;

enum ask_state { ASK_RUNNING, ASK_FINISHED, ASK_FAILED, ASK_STOPPED };

/* A task, as a sampler sees it. */
struct ask_trial {
	char *line;  /* its point, a line of points.tsv; NULL: none yet */
	char *rungs; /* values at rungs: state/search.h */
	struct store_run run;
	enum ask_state state;
	double value; /* the best value of a task that is over, or nan */

	/*
	 * What the sampler is told, as ask_trials_compare decides.  The rung at
	 * which trials are compared is in control/ask.h.
	 */
	int is_told;     /* whether the trial counts at all */
	int is_open;     /* no value at that rung yet: counts as bad */
	double told;     /* its value at that rung or its end, or nan: none */
	int64_t reached; /* the epoch of that value; INT64_MAX: the end */
};

/*
 * Set what the sampler is told to the value at the highest rung up to the epoch
 * most; reached is the epoch of that rung, or 0.
 */
void ask_trial_set_rung(struct ask_trial *, int64_t most);

/* Decide what the sampler is told of each trial: see control/ask.h. */
void ask_trials_compare(
    struct ask_trial *, uint64_t count, const struct job_search *);

#endif
