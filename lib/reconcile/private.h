/*
 * What the parts of a pass share: what is known of a job while its tasks are
 * gone through, and of one task.  Inside job-pass only.
 */
#ifndef STFM_RECONCILE_PRIVATE_H
#define STFM_RECONCILE_PRIVATE_H

#include "job/points.h"
#include "reconcile/reconcile.h"
#include "slurm/account.h"
#include "slurm/queue.h"
#include "state/resolve.h"
#include "state/summary.h"
#include "store/cancel.h"
#include "store/chunk.h"
#include "store/facts.h"
#include "store/request.h"

struct scene;
struct view;

/*
 * All that a pass does with Slurm.  It lies in reconcile/slurm.c alone, so that
 * a command whose passes ask nothing does not load Slurm's library.
 */
struct reconcile_slurm {
	/* An intent without a claim: sbatch may have worked unheard. */
	void (*claim)(struct scene *);
	const struct queue_record *(*record)(
	    struct scene *, const struct store_chunk *, uint64_t task);
	/* Whether the task is gone, and how: into the evidence. */
	void (*look_back)(struct scene *, struct view *, struct job_evidence *);
	/* Bring the jobs for which it waits up to date: why it does, or NULL.
	 */
	char *(*others)(struct scene *);
	void (*tell)(struct scene *); /* to cancel what is untold */
	int (*act)(struct scene *);   /* by the policy: whether it did */
	/* Cancel what is in the queue although it is over; say what it was. */
	void (*clear)(struct scene *);
	void (*close)(struct reconcile *);
};

/* What the accounting says of a job that is none of the pass's. */
struct reconcile_other {
	char *id;
	struct queue_account *account;
};

struct reconcile {
	const struct reconcile_slurm *slurm; /* NULL when nothing is asked */
	const struct selection *jobs;
	struct queue *queue;           /* NULL when Slurm did not answer */
	struct job_marked *marked;     /* what of it stfm has queued; or NULL */
	struct strlist notes;          /* as reconcile_notes tells */
	struct queue_account *account; /* NULL until it is asked */
	/* The same for each job for which one of them waits. */
	struct reconcile_other *other;
	size_t others;
	char *trouble;
	char *silence;  /* as reconcile_silence says */
	int64_t asked;  /* when Slurm was, by the store's clock */
	int64_t now;    /* ... when it had answered */
	int64_t memory; /* Slurm's, of jobs that ended (s); -1: not asked */
	int64_t grace;  /* seconds */
	int acts;       /* it does what the policies ask for */
	int looks;      /* it writes nothing */
	int unqueued;   /* tasks of the last job have to be queued */
};

/* Many tasks that wait have one record: that of indices from to until. */
struct found {
	const struct store_chunk *chunk;
	uint64_t from, until;
	const struct queue_record *record; /* or NULL */
	int is_noted, waits, has_cause;
	char cause[128];
};

/* All that is known of a job while its tasks are gone through. */
struct scene {
	struct reconcile *pass;
	const struct store_job *job;
	struct store_table *fold;
	struct store_facts facts;
	size_t next_fact;
	struct store_chunks chunks;
	struct found found;
	uint32_t *chunk_of; /* of each task: its index and 1, or 0 */
	struct store_stops wishes;
	struct store_requests orders;
	struct queue_account *account; /* the pass's of it; NULL: not asked */
	char *after; /* "after prep": it waits for other jobs; or NULL */
	struct job_points *points; /* opened when they are needed */
	int points_tried, points_bad;
	int points_due;                 /* ... but are not damaged */
	struct record_pattern *pattern; /* for logs that are text */
	const char *refusal;            /* why Slurm takes no more, or NULL */
	char *refused;       /* "conv2d/1": it refuses only these; or NULL */
	struct idset behind; /* ... and these come after them */
	struct idset untold; /* tasks to stop of which Slurm knows nothing */
	job_change *change;
	void *arg;
	int64_t asked;  /* when Slurm was whose last answer is kept; or -1 */
	int64_t silent; /* when asking its accounting last failed, or -1 */
	int unheard;    /* ... in this pass */
	uint64_t logs_unread;
	int dirty;  /* the fold differs from the published one */
	int unread; /* a fact that is there could not be read */
	struct job_summing summing;
};

/* A fact that the row does not know yet, or not all of, and what it holds. */
struct news {
	const struct store_fact *fact; /* or NULL */
	struct store_fact_body body;
	int damaged; /* nothing is known of that */
	int known;   /* the row has what can be known of it, unless it mends */
};

/* What is known of one task's current run. */
struct view {
	struct store_row *row;
	const struct store_chunk *chunk;         /* or NULL */
	const struct queue_record *record;       /* or NULL */
	const struct queue_account_record *past; /* or NULL */
	struct news start, back, end, judged;
	int unread; /* a fact of it could not be read */
	int used;   /* one tells of its use */
};

/* The chunk of the newest attempt that holds a task, or NULL. */
const struct store_chunk *reconcile_chunk(const struct scene *, uint64_t task);

/* Note for each task which chunk that is. */
void reconcile_map_chunks(struct scene *);

/*
 * Whether the chunk of its run cannot be found: what Slurm says is of another,
 * and nothing of it proves anything.
 */
int reconcile_is_astray(const struct view *);

/* Slurm's record of a task in its chunk, or NULL. */
const struct queue_record *reconcile_record(
    struct scene *, const struct store_chunk *, uint64_t task);

/*
 * Gather what is known of a row's task; its run may begin anew.  Only what the
 * facts hold tells whether they are of this task: they are read.
 */
void reconcile_task_look(struct scene *, struct store_row *, struct view *);

/* Whether the row has taken in a fact of this kind. */
int reconcile_knows(
    const struct store_row *, const struct store_fact *, int flag);

/* Take in new facts; -1 when one could not be read: judge the task later. */
int reconcile_take_facts(struct view *);

/* Why a task of the chunk waits, which its user may hold; or NULL. */
const char *reconcile_reason(const struct scene *, const struct store_chunk *,
    const struct queue_record *, uint64_t task, int held);

/* Bring the row's state up to date. */
void reconcile_judge(struct scene *, struct view *);

/* The point of a task, which may be part of its log's name, or NULL; arg is
 * the scene. */
const char *const *reconcile_point(void *arg, uint64_t task);

/*
 * The task goes on from the checkpoints of earlier attempts: what they logged
 * counts as well.  Returns -1 where that cannot be read now.
 */
int reconcile_carry(struct scene *, const struct view *);

/* Read what is new in the training log of a row. */
void reconcile_read_log(struct scene *, struct store_row *, int ended);

/* Say how many could not be read besides those that were named. */
void reconcile_note_logs(struct scene *);

#endif
