/* What is known of the trials of a search.  Private to lib/control/ask*.c. */
#ifndef STFM_CONTROL_ASK_TRIAL_H
#define STFM_CONTROL_ASK_TRIAL_H

#include <stdint.h>

#include "store/fact.h"

enum ask_state { ASK_RUNNING, ASK_FINISHED, ASK_FAILED, ASK_STOPPED };

/* A task, as a sampler sees it. */
struct ask_trial {
	char *line;  /* its point, a line of points.tsv; NULL: none yet */
	char *rungs; /* values at rungs: state/search.h */
	struct store_run run;
	enum ask_state state;
	double value; /* the best value of a task that is over, or nan */
	/* What the sampler is told: a value and the epoch it is of. */
	int is_told, is_open;
	int64_t reached; /* INT64_MAX: the end */
	double told;
};

#endif
