/*
 * The runs of a task before its current one: earlier attempts, and runs that
 * Slurm has put back.  They follow from the facts alone.
 */
#ifndef STFM_STATE_HISTORY_H
#define STFM_STATE_HISTORY_H

#include "base/error.h"
#include "job/argv.h"
#include "store/job.h"
#include "store/table.h"

struct job_history {
	struct store_row *row; /* one for each run, in order */
	size_t count;
	struct strlist damaged; /* reasons: records that may say more of them */
};

/*
 * Find the runs before the one in the task's row.  values is the task's point.
 * Returns 0, or -1 when the facts cannot be read.
 */
int job_history_find(const struct store_job *, const struct store_row *now,
    const char *const *values, struct job_history *out, struct error *e);
void job_history_free(struct job_history *);

/*
 * The logs that the one of a task's attempt continues, the oldest first: those
 * of the attempts from t->origin on, in whose checkpoints it trains.  What may
 * hide some is said in damaged, which may be NULL.  Returns 0, or -1 when which
 * they are cannot be read.
 */
int job_history_logs(const struct job_task *t, struct strlist *out,
    struct strlist *damaged, struct error *e);

/*
 * A summary that continues them; nothing of its own log has been read.  Returns
 * 0, or -1 when one of them cannot be read: the summary is as it was.
 */
int job_history_carry(
    const struct job_task *t, struct metrics_summary *, struct error *e);

#endif
