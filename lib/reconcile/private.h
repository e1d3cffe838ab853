/*
 * Declarations shared by the files of lib/reconcile: the state of a job while
 * its tasks are visited, and of one task.  Private to this folder.
 */
#ifndef STFM_RECONCILE_PRIVATE_H
#define STFM_RECONCILE_PRIVATE_H

#include "job/points.h"
#include "reconcile/reconcile.h"
#include "slurm/account.h"
#include "state/resolve.h"
#include "state/search.h"
#include "state/summary.h"
#include "store/chunk.h"
#include "store/facts.h"
#include "store/request.h"

struct job_pass;
struct task_pass;

/*
 * The Slurm operations of a reconcile pass.  They are only in
 * reconcile/slurm.c, so that a command whose passes do not ask Slurm does not
 * load libslurm.
 */
struct reconcile_slurm {
	/* Claim arrays that sbatch made although its answer was lost. */
	void (*claim)(struct job_pass *);
	/* Return Slurm's record of a task in a chunk, or NULL. */
	const struct queue_record *(*record)(
	    struct job_pass *, const struct store_chunk *, uint64_t task);
	/*
	 * Find out how a task that has left the queue ended, and add that to
	 * the evidence.
	 */
	void (*look_back)(
	    struct job_pass *, struct task_pass *, struct job_evidence *);
	/*
	 * Reconcile the other jobs that this job waits for.  Returns why it
	 * waits, "after prep", to free, or NULL.
	 */
	char *(*others)(struct job_pass *);
	void (*cancel)(struct job_pass *); /* cancel the tasks in to_cancel */
	/* Apply the policy.  Returns 1 if something changed, or 0. */
	int (*act)(struct job_pass *);
	/* Cancel queued arrays of tasks that are over, and note which. */
	void (*clear)(struct job_pass *);
	void (*close)(struct reconcile *);
};

/* Slurm's accounting of a job that does not belong to the pass. */
struct reconcile_other {
	char *id;
	struct queue_account *account;
};

/*
 * The last record found in Slurm's queue.  Pending tasks share a record, so
 * neighbouring tasks of a chunk are often looked up once.
 */
struct found {
	const struct store_chunk *chunk;
	uint64_t from, until; /* the indices that the record is about */
	const struct queue_record *record; /* or NULL */
	/* Set if is_noted: what these tasks have in common. */
	int is_noted;
	int waits;       /* they are pending */
	int has_cause;   /* cause is set */
	char cause[128]; /* why they are pending: "(Priority)" */
};

/* The state of a job while its tasks are visited. */
struct job_pass {
	struct reconcile *pass;
	const struct store_job *job;
	struct store_table *table;
	struct store_facts facts;
	size_t next_fact, next_search;
	int searches; /* the search may stop trainings early */
	struct job_search search;
	struct store_chunks chunks;
	struct found found;
	uint32_t *chunk_of; /* for each task: chunk index + 1, or 0 */
	struct store_requests requests;
	int requests_read; /* all of them were read that are undamaged */
	struct queue_account *account; /* the job's; NULL: not asked */
	char *after; /* "after prep" if the job waits for others; or NULL */
	struct job_points *points; /* opened when needed */
	int points_tried, points_bad;
	/* Whether the job has usage records, once usage_asked is set. */
	int usage_asked, has_usage;
	int points_due; /* points cannot be read now, but are not damaged */
	struct record_pattern *pattern; /* for text logs and outputs */
	const char *refusal; /* why Slurm refused an array, or NULL */
	/*
	 * The tasks of that array, "conv2d/1", if Slurm refused it alone.  NULL
	 * if a limit holds for all tasks that are not queued.
	 */
	char *refused;
	struct idset behind;    /* tasks to queue after the refused array */
	struct idset to_cancel; /* tasks whose stop request Slurm lacks */
	job_change *change;
	void *arg;
	int64_t asked;  /* when Slurm gave the answer in the table; or -1 */
	int64_t silent; /* when its accounting last failed to answer, or -1 */
	int unheard;    /* the accounting failed to answer in this pass */
	uint64_t logs_unread;
	int dirty;      /* the table differs from the published one */
	int unread;     /* an existing record could not be read */
	int search_due; /* a fact of the search could not be read or recorded */
	struct job_summing summing;
};

/* A fact that is not entirely in the row yet, and its content. */
struct new_fact {
	const struct store_fact *fact; /* or NULL */
	struct store_fact_body body;
	int damaged; /* the content is unknown */
	int known;   /* the row has a fact of this kind already */
};

/* The state of one task's current run. */
struct task_pass {
	struct store_row *row;
	const struct store_chunk *chunk;         /* or NULL */
	const struct queue_record *record;       /* or NULL */
	const struct queue_account_record *past; /* or NULL */
	struct new_fact start, back, end, judged;
	const char *stopped; /* why, as the row of a STOPPED task says */
	int unread;          /* a record of this run could not be read */
	int used;            /* a fact has a usage record */
};

/* Return the chunk of the newest attempt that holds task, or NULL. */
const struct store_chunk *reconcile_chunk(
    const struct job_pass *, uint64_t task);

/* Fill chunk_of: the chunk of each task. */
void reconcile_map_chunks(struct job_pass *);

/*
 * Return whether the chunk of the run cannot be found.  What Slurm says about
 * the task is then about another run and proves nothing.
 */
int reconcile_is_astray(const struct task_pass *);

/* Return Slurm's record of task in this chunk, or NULL. */
const struct queue_record *reconcile_record(
    struct job_pass *, const struct store_chunk *, uint64_t task);

/*
 * Collect the evidence on a row's task.  If there is a newer run, the row
 * starts again with that run.  Reads the new facts, because only their content
 * tells whether they are of this task.
 */
void reconcile_task_look(
    struct job_pass *, struct store_row *, struct task_pass *);

/* Return the next fact of the search that is of this task, or NULL. */
const struct store_fact *reconcile_next_search(
    const struct job_pass *, uint64_t task);

/* Return whether the row has taken in a fact of the search. */
int reconcile_knows_search(const struct store_row *, const struct store_fact *);

/* Return whether the row has taken in a fact of this kind. */
int reconcile_knows(
    const struct store_row *, const struct store_fact *, int flag);

/*
 * Put the new facts of a task into its row.  Returns 0, or -1 if one could not
 * be read; then do not resolve the task in this pass.
 */
int reconcile_take_facts(struct task_pass *);

/*
 * Return why a task of the chunk is pending, or NULL.  held says whether its
 * user holds it.
 */
const char *reconcile_reason(const struct job_pass *,
    const struct store_chunk *, const struct queue_record *, uint64_t task,
    int held);

/* Resolve the state of the task and put it into the row. */
void reconcile_judge(struct job_pass *, struct task_pass *);

/*
 * Return the values of a task's hyperparameters, which are part of the name of
 * its log, or NULL.  arg is the struct job_pass.
 */
const char *const *reconcile_point(void *arg, uint64_t task);

/*
 * If the task continues from the checkpoints of earlier attempts, let its
 * summary continue the logs of these attempts.  Returns 0, or -1 if they cannot
 * be read now.
 */
int reconcile_carry(struct job_pass *, const struct task_pass *);

/*
 * Read the new lines of a row's training log.  ended says whether its run is
 * over.
 */
void reconcile_read_log(struct job_pass *, struct store_row *, int ended);

/*
 * Return whether a stop request for an attempt may still change what is known.
 * arg is the table, which knows how the other attempts ended.
 */
int reconcile_is_open(const void *arg, uint64_t task, uint32_t attempt);

/*
 * Add to the table's damaged how many logs cannot be read besides those that
 * are named there.
 */
void reconcile_note_logs(struct job_pass *);

#endif
