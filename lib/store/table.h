/*
 * The fold of a job: the table of its tasks as it follows from the facts,
 * Slurm's answers and the training logs.  It is derived: it may be thrown away
 * at any time and is made again.
 *
 * Each pass publishes a new generation, fold/state.GEN.jsonl: a line about the
 * job, a line for each task of which there is something to say, and an end
 * line.  Readers take the newest that is whole.
 */
#ifndef STFM_STORE_TABLE_H
#define STFM_STORE_TABLE_H

#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "store/job.h"
#include "store/table-row.h"

/*
 * What follows from all rows together, so that who wants no more need not read
 * them.  store-fold only keeps it; state/summary.h says what it means.
 */
struct store_summary {
	int known; /* 0: nobody has made it yet */
	char metric[METRICS_NAME];
	int64_t namer, best;
	double value, epoch, done, epochs;
	int64_t parts, unknown, ending, without;
};

struct store_table {
	uint64_t generation; /* 0: nothing was ever published */
	int64_t time;        /* of the last pass, by the store's clock */
	int64_t asked;  /* when Slurm was, the last time it answered, or -1 */
	char *trouble;  /* why it did not answer in the last pass */
	int alone;      /* which asked it nothing */
	char *silence;  /* why Slurm's accounting did not answer in it */
	int64_t silent; /* when that last was so, or -1 */
	uint64_t count; /* the job's tasks */
	int is_short;   /* it was made before some were added */
	int is_long;    /* ... after: the job has to be loaded again */
	uint64_t in_state[STORE_STATES];
	struct store_summary summary;
	struct strlist packs;   /* names of those whose facts were taken in */
	struct strlist damaged; /* files that could not be read, and why */

	struct fold_rows *rows; /* its own: of each task */
};

/* A fold of which nothing is known: all tasks are SUBMITTED. */
struct store_table *store_table_new(uint64_t tasks);
void store_table_free(struct store_table *);

/*
 * The row of a task, which belongs to the fold.  Rows are checked when the fold
 * is loaded, but taken apart here, when somebody first asks.
 */
const struct store_row *store_table_row(const struct store_table *, uint64_t);

/*
 * The same to change it.  A row that nobody edits goes into the next generation
 * as it came, byte for byte.
 */
struct store_row *store_table_edit(struct store_table *, uint64_t task);

/* A copy of the row as it was loaded; to store_row_free. */
void store_table_copy(
    const struct store_table *, uint64_t task, struct store_row *out);

/* The row was not changed after all; what store_table_edit returned is gone. */
void store_table_undo(struct store_table *, uint64_t task);

/*
 * Let go of a row that nobody edited: for who goes through all of them.  What
 * store_table_row returned is then gone.
 */
void store_table_forget(const struct store_table *, uint64_t task);

/* Whether the row was asked for and not let go of since. */
int store_table_holds(const struct store_table *, uint64_t task);

/* The state of a task, and what its row begins with, at little cost. */
enum store_state store_table_state(const struct store_table *, uint64_t task);
struct store_brief store_table_brief(const struct store_table *, uint64_t task);

/* The attempt that it is in, for store_stop_add_all and store_request_add_all.
 */
uint32_t store_table_attempt(const void *fold, uint64_t task);

/* Whether the row was loaded and is as in store_row_waits. */
int store_table_waits(const struct store_table *, uint64_t task,
    const char *cause, int64_t array, int64_t index);

/*
 * The newest whole fold of a job, or a new one when there is none.  Tasks that
 * the job has got since it was made are SUBMITTED; then nothing is known of all
 * of them together, and the facts have to be read again.  Damaged generations
 * are passed over and said in damaged.  NULL when the directory cannot be read,
 * or a generation before a whole one: what it knows may be read later.
 */
struct store_table *store_table_load(const struct store_job *, struct error *e);

/*
 * The same, but only the rows of these tasks can be asked for; counts and
 * states are of all.  Reads little: the first line, the last, and these rows,
 * and sees no damage elsewhere.
 */
struct store_table *store_table_load_part(
    const struct store_job *, const struct idset *tasks, struct error *e);

/*
 * Publish the fold as the next generation and remove those before the last.
 * Returns 0, 1 when another program published that generation first (which is
 * as good) or has all tasks where this one is_long, or -1.
 */
int store_table_publish(
    const struct store_job *, struct store_table *, struct error *e);

/*
 * Read a generation by the name of its file and throw it away.  Returns 0, 1
 * when it is no name of a generation, or -1; errno is EBADMSG when it is
 * damaged.
 */
int store_table_check(
    const struct store_job *, const char *name, struct error *e);

/*
 * Say that a pass that asked Slurm at this time found nothing new: the newest
 * fold is as of then.
 */
int store_table_touch(
    const struct store_job *, const struct store_table *, int64_t asked);

/* Count in_state again. */
void store_table_count(struct store_table *);

/*
 * When a pass last made the newest fold, or found that it says all, by the
 * store's clock; -1: there is none.
 */
int64_t store_table_time(const struct store_job *);

/*
 * When Slurm was asked by the pass that last found that this generation says
 * all; -1: none has, or its file has another time than it was given.
 */
int64_t store_table_kept(const struct store_job *, const struct store_table *);

/*
 * How old the newest fold is, in seconds by the store's clock; -1: none.  Then
 * *queued, unless queued is NULL, is how long before it tasks were queued.
 */
int64_t store_table_age(const struct store_job *, int64_t *queued);

/*
 * Whether facts may have come since the newest fold was made: so say the
 * directories in which they lie, of which there are few.
 */
int store_table_is_behind(const struct store_job *);

#endif
