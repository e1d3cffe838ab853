/*
 * The history of a task: its runs before the current one, in earlier attempts
 * or requeued by Slurm.  It follows from the facts alone.
 */
#ifndef STFM_STATE_HISTORY_H
#define STFM_STATE_HISTORY_H

#include <stddef.h>

#include "base/error.h"
#include "base/strlist.h"
#include "job/argv.h"

struct metrics_summary;

struct job_history {
	struct store_row *row; /* one row per run, in order */
	size_t count;
	struct strlist damaged; /* damaged records, which may hide runs */
};

/*
 * Find the runs before the run in row now.  values is the task's point.  *out
 * is to be freed with job_history_free.  Returns 0, or -1 if the facts cannot
 * be read.
 */
int job_history_find(const struct store_job *, const struct store_row *now,
    const char *const *values, struct job_history *out, struct error *e);
void job_history_free(struct job_history *);

/*
 * Add to out the paths of the logs that the log of a task's attempt continues,
 * oldest first: the logs of the attempts from t->origin on, whose checkpoints
 * it uses.  Outputs of runs that have no other log are also added to printed;
 * if it is NULL, metrics are not guessed, and such outputs count only if the
 * job has patterns.  Damaged records that may hide logs are named in damaged,
 * which may be NULL.  Returns 0, or -1 if the facts cannot be read.
 */
int job_history_logs(const struct job_task *t, struct strlist *out,
    struct strlist *printed, struct strlist *damaged, struct error *e);

/*
 * Make a summary that continues these logs, before the attempt's own log is
 * read.  guess says whether guessed metrics count.  Returns 0, or -1 with the
 * summary unchanged if one of them cannot be read.
 */
int job_history_carry(const struct job_task *t, int guess,
    struct metrics_summary *, struct error *e);

#endif
