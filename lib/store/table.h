/*
 * The task table of a job: a row for each task, derived from the facts, Slurm's
 * answers and the training logs.  It can be deleted at any time; stfm makes it
 * again.
 *
 * Each reconcile pass publishes a new generation, fold/state.GEN.jsonl: a line
 * about the job, a line for each task of which something is known, and an end
 * line.  Readers take the newest complete generation.
 */
#ifndef STFM_STORE_TABLE_H
#define STFM_STORE_TABLE_H

#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"
#include "store/table-row.h"

struct store_job;

/*
 * Totals over all rows, so that readers of totals need no rows.  The table only
 * stores them; state/summary.c computes them.
 */
struct store_summary {
	int known;                 /* 0: not made yet */
	char metric[METRICS_NAME]; /* the objective, as a log names it */
	int64_t namer;             /* the task with that log, or -1 */
	int64_t best;        /* the first task with the best value, or -1 */
	double value, epoch; /* that value and its epoch, from 1 */
	/* Epochs done and to train, of the tasks of which both are known. */
	double done, epochs;
	/*
	 * The sum of the tasks' progress, from 0 to 1, in units of 2^-40:
	 * whole numbers can be added and subtracted without errors.
	 */
	int64_t parts;
	int64_t unknown;  /* tasks whose epochs to train are unknown */
	int64_t ending;   /* tasks that are about to end */
	int64_t without;  /* tasks whose log lacks the user's metric */
	int64_t diverged; /* tasks whose objective ends with nan or infinity;
			     -1 in tables of releases that did not count them */
	int64_t pruned;   /* tasks that the search stopped */
};

struct store_table {
	uint64_t generation; /* 0: never published */
	int64_t time;        /* of the last reconcile pass (store's clock) */
	int64_t asked;       /* when Slurm last answered, or -1 */
	char *trouble;       /* why Slurm did not answer last time; or NULL */
	int alone;           /* the last reconcile pass did not ask Slurm */
	char *silence;       /* why accounting did not answer then; or NULL */
	int64_t silent;      /* when accounting last did not answer, or -1 */
	uint64_t count;      /* number of the job's tasks */
	int is_short;        /* lacks tasks that the job got later */
	int is_long;         /* has tasks that the loaded job lacks: load it
				again */
	int64_t reading;     /* job->reading when the logs were read */
	int is_reread;       /* by other settings: read all logs again */
	/*
	 * The search has compared all values at the rungs, and stops no task
	 * until a value or the state of a task changes.
	 */
	int compared;
	uint64_t in_state[STORE_STATES];
	struct store_summary summary;
	struct strlist packs;   /* names of packs whose facts it includes */
	struct strlist damaged; /* reasons: generations that cannot be read */

	struct table_rows *rows; /* private: the rows */
};

/* Return an empty table: all tasks are SUBMITTED.  To store_table_free. */
struct store_table *store_table_new(uint64_t tasks);
void store_table_free(struct store_table *);

/*
 * Return the row of a task; it belongs to the table.  Rows are checked when the
 * table is loaded, but parsed here, when first asked for.
 */
const struct store_row *store_table_row(const struct store_table *, uint64_t);

/*
 * Return the row of a task to change it; it belongs to the table.  An unedited
 * row goes into the next generation byte for byte.
 */
struct store_row *store_table_edit(struct store_table *, uint64_t task);

/* Copy the row as it was loaded to *out, to store_row_free. */
void store_table_copy(
    const struct store_table *, uint64_t task, struct store_row *out);

/* Discard the changes to a row.  This frees what store_table_edit returned. */
void store_table_undo(struct store_table *, uint64_t task);

/*
 * Release an unedited row, and free what store_table_row returned.  Call it in
 * loops over all tasks to bound memory.
 */
void store_table_forget(const struct store_table *, uint64_t task);

/* Return whether the row was asked for and not released since. */
int store_table_holds(const struct store_table *, uint64_t task);

/* Return the state of a task, without parsing its row. */
enum store_state store_table_state(const struct store_table *, uint64_t task);

/* Return the beginning of the row of a task, without parsing the rest. */
struct store_brief store_table_brief(const struct store_table *, uint64_t task);

/*
 * Return the member rungs of the row of a task without parsing the rest, or
 * NULL.  The text ends with NUL or a quotation mark.
 */
const char *store_table_rungs(const struct store_table *, uint64_t task);

/*
 * Return the attempt of a task, for store_request_add_all.  table is a struct
 * store_table.
 */
static inline uint32_t
store_table_attempt(const void *table, uint64_t task)
{
	return store_table_brief(table, task).attempt;
}

/* Return whether store_row_waits is true for the row as it was loaded. */
int store_table_waits(const struct store_table *, uint64_t task,
    const char *cause, int64_t array, int64_t index);

/*
 * Load the newest complete table of a job, or make a new one if there is none;
 * to free with store_table_free.  Tasks that the job got later are SUBMITTED;
 * the summary is then unknown and all facts must be read again.  If the metrics
 * settings of the job have changed, nothing is known of the logs, and
 * STORE_LOG_DUE is set for each task that is over and has run.  Damaged
 * generations are skipped and named in damaged.  Returns NULL if the directory,
 * or a generation newer than the complete one, cannot be read now: its content
 * may be readable later.
 */
struct store_table *store_table_load(const struct store_job *, struct error *e);

/*
 * Load only the rows of these tasks; do not ask for other rows.  Counts and
 * states cover all tasks.  Reads only the first line, the last line and these
 * rows, so damage elsewhere goes unnoticed.  Result and errors are those of
 * store_table_load.
 */
struct store_table *store_table_load_part(
    const struct store_job *, const struct idset *tasks, struct error *e);

/*
 * Publish the table as the next generation and remove those before the last.
 * Returns 0; 1 if another program published that generation first (which is as
 * good) or the table is_long, because the other table has all tasks; or -1.
 */
int store_table_publish(
    const struct store_job *, struct store_table *, struct error *e);

/*
 * Check a generation, given the name of its file.  Returns 0, 1 if name is not
 * the name of a generation, or -1 with ERROR_DAMAGED if it is damaged.
 */
int store_table_check(
    const struct store_job *, const char *name, struct error *e);

/*
 * Record that a reconcile pass which asked Slurm at the time asked found
 * nothing new: the table is up to date as of that time.  Returns 0, or -1.
 */
int store_table_touch(
    const struct store_job *, const struct store_table *, int64_t asked);

/* Return whether all tasks are over. */
static inline int
store_table_is_over(const struct store_table *table)
{
	return table->in_state[STORE_SUBMITTED] == 0 &&
	    table->in_state[STORE_RUNNING] == 0;
}

/* Count in_state again from the rows. */
void store_table_count(struct store_table *);

/*
 * Return when a reconcile pass last published the newest table or found it up
 * to date, by the store's clock; -1 if there is no table.
 */
int64_t store_table_time(const struct store_job *);

/*
 * Return when Slurm was asked by the reconcile pass that last found this
 * generation up to date; -1 if none did, or if something else changed the
 * file's time.
 */
int64_t store_table_kept(const struct store_job *, const struct store_table *);

/*
 * Return the age of the newest table in seconds, by the store's clock; -1 if
 * there is none.  *queued, unless queued is NULL, is how many seconds before
 * the table was made tasks were last queued.
 */
int64_t store_table_age(const struct store_job *, int64_t *queued);

/*
 * Return whether facts may have arrived since the newest table was made.  Looks
 * only at the directories of facts, of which there are few.
 */
int store_table_is_behind(const struct store_job *);

#endif
