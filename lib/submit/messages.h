/*
 * What stfm-submit tells its user: what it has queued, what it has not, and
 * what can be done about that; some of it stfm-restart does, too.
 */
#ifndef STFM_SUBMIT_MESSAGES_H
#define STFM_SUBMIT_MESSAGES_H

#include <stdio.h>

#include "control/enqueue.h"
#include "store/job.h"
#include "submit/resubmit.h"
#include "submit/sync.h"

struct job_report {
	FILE *out;    /* standard output */
	int quiet;    /* nothing but errors */
	int parsable; /* array ids only: people read standard error then */
	int dry_run;  /* what would be */
	char *queued; /* what is, for when it cannot be told; or NULL */
};

/*
 * What is queued with a secret, which job_origin_secret and its like have
 * found, is stored with it; NULL is none.
 */
void job_report_secret(const char *word);

/* What is doubtful about a job: it holds a secret, or its logs clash. */
void job_report_doubts(const struct job_report *, const struct store_job *);

/* There is no copy of its code, and the user may count on one. */
void job_report_no_copy(const struct job_report *, const struct store_job *);

/* All of it is queued. */
void job_report_queued(
    struct job_report *, const struct store_job *, const struct job_queued *);

/* It waits for other jobs, and a watcher queues it then. */
void job_report_waiting(struct job_report *, const struct store_job *);

/* Some of it is not queued, with this answer, but is in the store. */
void job_report_rest(struct job_report *, const struct store_job *,
    enum queue_answer, const struct job_queued *);

/* So many tasks are still to be queued. */
void job_report_to_come(const struct store_job *, uint64_t tasks);

/* What came of submitting a job again. */
void job_report_same(
    struct job_report *, const struct store_job *, const struct job_same *);

/* What came of other points for a stored job; with dry_run, which they are. */
void job_report_sync(struct job_report *, const struct store_job *,
    const struct job_sync *, const struct job_same *);

/* Of what was to be queued again Slurm has refused some, or all. */
void job_report_kept(const struct store_job *, const struct job_same *);

/* What of it waits to be queued, if anything. */
void job_report_left(const struct store_job *, const struct job_same *);

/* For proc_hold_tell: say that the answer of an sbatch is waited for. */
void job_report_interrupted(void);

#endif
