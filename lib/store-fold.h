/*
 * The fold of a job: the table of its tasks as it follows from the facts,
 * Slurm's answers and the training logs.  It is derived: it may be thrown away
 * at any time and is made again.
 *
 * Each pass publishes a new generation, fold/state.GEN.jsonl: a line about the
 * job, a line for each task of which there is something to say, and an end
 * line.  Readers take the newest that is whole.
 */
#ifndef STFM_STORE_FOLD_H
#define STFM_STORE_FOLD_H

#include <stdint.h>

#include "error.h"
#include "metrics.h"
#include "store-job.h"

/* S-TFManager's five states. */
enum store_state {
	STORE_SUBMITTED,
	STORE_RUNNING,
	STORE_FINISHED,
	STORE_ERROR,
	STORE_STOPPED,
	STORE_STATES
};

/* "SUBMITTED", "RUNNING" and so on. */
const char *store_state_name(enum store_state);

/* The state with this name, in any case or abbreviated; -1 for none. */
int store_state_find(const char *name);

/* A task in a final state is over unless somebody starts it again. */
int store_state_is_final(enum store_state);

/* Which facts of a task's current run have been read. */
enum { STORE_HAS_S = 1, STORE_HAS_E = 2, STORE_HAS_X = 4 };

/* One task.  Texts are its own or NULL; unknown times and numbers are -1. */
struct store_row {
	uint64_t task;
	enum store_state state;
	char *cause; /* "exit 3", "TIMEOUT", or why it waits: (Priority) */
	uint32_t attempt, restart;
	int facts;     /* STORE_HAS_S and the others */
	int64_t array; /* the Slurm array that was claimed for it */
	int64_t index; /* of the task in that array */
	char *slurm;   /* Slurm's last word on its end: "TIMEOUT" */
	char *node, *gpus, *log, *err, *reason;
	int64_t start, end; /* by the clock of the node */
	int64_t exit, signal, asked, memory, cpu;
	int64_t gone; /* when it was first not in the queue (store's clock) */
	char *metrics_path; /* where its training log was found */
	int64_t metrics_inode;
	int64_t metrics_check; /* CRC of the last bytes read of it */
	struct metrics_summary metrics;
};

struct store_fold {
	uint64_t generation;   /* 0: nothing was ever published */
	int64_t time;          /* of the last pass, by the store's clock */
	int64_t asked;         /* when Slurm last answered, or -1 */
	char *trouble;         /* why it did not answer in the last pass */
	uint64_t count;        /* the job's tasks */
	struct store_row *row; /* one for each task */
	uint64_t in_state[STORE_STATES];
	struct words damaged; /* files that could not be read, and why */
};

/* A fold of which nothing is known: all tasks are SUBMITTED. */
struct store_fold *store_fold_new(uint64_t tasks);
void store_fold_free(struct store_fold *);

/* A row of which nothing is known, and one let go of. */
void store_row_clear(struct store_row *, uint64_t task);
void store_row_free(struct store_row *);

/*
 * The newest whole fold of a job, or a new one when there is none.  Damaged
 * generations are passed over and said in damaged.  NULL when the directory
 * cannot be read.
 */
struct store_fold *store_fold_load(const struct store_job *, struct error *e);

/*
 * Publish the fold as the next generation and remove those before the last.
 * Returns 0, 1 when another program published that generation first (which is
 * as good), or -1.
 */
int store_fold_publish(
    const struct store_job *, struct store_fold *, struct error *e);

/* Say that a pass found nothing new: the newest fold is as of now. */
int store_fold_touch(const struct store_job *, const struct store_fold *);

/* Count in_state again. */
void store_fold_count(struct store_fold *);

/* How old the newest fold is, in seconds by the store's clock; -1: none. */
int64_t store_fold_age(const struct store_job *);

#endif
