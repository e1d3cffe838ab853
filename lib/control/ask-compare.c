#include <math.h>

#include "control/ask-trial.h"
#include "state/search.h"

/* Trials are compared at the highest rung with so many values: see ask.h. */
enum { RUNG_LEAST = 16 };

void
ask_trial_set_rung(struct ask_trial *t, int64_t most)
{
	const char *rungs = t->rungs;
	struct store_rung rung;

	t->reached = 0;
	t->told = NAN;
	while (job_rungs_next(&rungs, &rung))
		if (rung.epoch <= most && rung.epoch > t->reached) {
			t->reached = rung.epoch;
			t->told = rung.value;
		}
}

static uint64_t
count_at(const struct ask_trial *trial, uint64_t count, int64_t epoch)
{
	uint64_t i, n = 0;

	for (i = 0; i < count; i++)
		n += epoch == INT64_MAX
		    ? trial[i].state == ASK_FINISHED
		    : (uint64_t)job_rungs_has(trial[i].rungs, epoch);
	return n;
}

/* Return the epoch at which trials are compared: INT64_MAX is their end. */
static int64_t
compared_at(
    const struct ask_trial *trial, uint64_t count, const struct job_search *s)
{
	int64_t epoch, best = INT64_MAX;
	size_t i;

	if (s->epochs == 0 || s->pruner.kind == SEARCH_NONE ||
	    count_at(trial, count, INT64_MAX) >= RUNG_LEAST)
		return INT64_MAX;
	for (i = 0; (epoch = search_rung(&s->pruner, s->epochs, 0, i)) > 0; i++)
		if (count_at(trial, count, epoch) >= RUNG_LEAST)
			best = epoch;
	return best;
}

void
ask_trials_compare(
    struct ask_trial *trial, uint64_t count, const struct job_search *s)
{
	int64_t at = compared_at(trial, count, s);
	struct ask_trial *t;
	uint64_t i;

	for (i = 0; i < count; i++) {
		t = &trial[i];
		ask_trial_set_rung(t, at);
		t->is_told = t->line != NULL;
		if (t->state == ASK_FINISHED &&
		    (at == INT64_MAX || t->reached < at)) {
			t->reached = INT64_MAX;
			t->told = t->value;
		} else if (t->state == ASK_FAILED && t->reached == 0) {
			t->told = NAN;
		} else if (t->state == ASK_STOPPED && t->reached == 0) {
			t->is_told = 0;
		}
		t->is_open = t->state == ASK_RUNNING &&
		    (t->reached == 0 || t->reached < at);
	}
}
