/*
 * A row of the task table: what is known of one task.  In the file a row is one
 * checksummed line.  It begins with the members that a reconcile pass needs of
 * a task that is over.
 */
#ifndef STFM_STORE_TABLE_ROW_H
#define STFM_STORE_TABLE_ROW_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "metrics/metrics.h"

/* S-TFManager's five states. */
enum store_state {
	STORE_SUBMITTED,
	STORE_RUNNING,
	STORE_FINISHED,
	STORE_ERROR,
	STORE_STOPPED,
	STORE_STATES
};

/* Return the name of a state: "SUBMITTED", "RUNNING" and so on. */
const char *store_state_name(enum store_state);

/* Return the state with this name, in any case or abbreviated; -1 for none. */
int store_state_find(const char *name);

/* Return whether a state is final and not FINISHED. */
static inline int
store_state_is_failure(enum store_state state)
{
	return state == STORE_ERROR || state == STORE_STOPPED;
}

/* Return whether a task in this state is over, unless it is restarted. */
static inline int
store_state_is_final(enum store_state state)
{
	return state == STORE_FINISHED || store_state_is_failure(state);
}

/* Bits of facts: which facts of the task's current run were read. */
enum { STORE_HAS_S = 1, STORE_HAS_E = 2, STORE_HAS_X = 4, STORE_HAS_Q = 8 };

/*
 * More bits of facts: what is still due.  LOG: the run is over, but its log was
 * not read to the end.  USE: the run is over, but its usage record was not
 * read.  END: the task is LOST, and Slurm's accounting may still learn how it
 * ended.  FACT: one of its facts is damaged, and only its name is known.
 */
enum {
	STORE_LOG_DUE = 16,
	STORE_USE_DUE = 32,
	STORE_END_DUE = 64,
	STORE_FACT_DUE = 128
};
enum {
	STORE_DUE =
	    STORE_LOG_DUE | STORE_USE_DUE | STORE_END_DUE | STORE_FACT_DUE
};

/* A row and its strings, which may be NULL.  Unknown numbers are -1. */
struct store_row {
	uint64_t task;
	enum store_state state;
	char *cause; /* "exit 3", "TIMEOUT", or why it is pending: (Priority) */
	uint32_t attempt, restart;
	int facts;     /* bits: STORE_HAS_S and so on, STORE_DUE */
	int64_t array; /* the Slurm array that claimed it */
	int64_t index; /* index of the task in that array; -1: no array */
	int64_t
	    code;    /* number of its copy of the code; -1: of the submission */
	char *slurm; /* Slurm's final state for the run: "TIMEOUT" */
	char *said;  /* the run's own name for its failure, or NULL */
	char *node, *gpus, *account, *qos, *log, *err, *reason;
	int64_t start, end; /* by the clock of the node */
	int64_t exit, signal, asked, heard;
	int64_t memory;      /* peak memory in bytes */
	int64_t cpu;         /* CPU time in milliseconds */
	int64_t gone;        /* when the task left the queue (store's clock) */
	char *metrics_path;  /* path of its training log */
	char *metrics_marks; /* how far its files were read, if several */
	int64_t metrics_inode;
	int64_t metrics_check; /* CRC of the last bytes read of the log */
	struct metrics_summary metrics;
	int64_t epoch_time; /* end of the last epoch, by the log */
	char *pace;         /* duration of the last epochs: state/eta.h */
	/* Time limit of this run in seconds; 0: none; -1: unknown, or over. */
	int64_t limit;
	char *usage;   /* machine usage: job/usage.h */
	char *rungs;   /* values at the rungs: state/search.h */
	char *point;   /* that a sampler chose: job/points.h */
	char *sampler; /* that chose it; NULL: the sampler of the job */
	/*
	 * Slurm reported this run as COMPLETED: when it ended, 0 if unknown.
	 * The row holds this because Slurm forgets it before stfm has decided
	 * what it means.
	 */
	int64_t completed;
};

/* Make a row of which nothing is known; store_row_free frees its strings. */
void store_row_clear(struct store_row *, uint64_t task);
void store_row_free(struct store_row *);

/* Return Slurm's task name, "4102_3", or "4102" without index; to free. */
char *store_row_slurm(const struct store_row *);

/* Return its exit code and signal as a status of waitpid(2); 0 if unknown. */
static inline int
store_row_status(const struct store_row *row)
{
	return (row->exit > 0 ? (int)row->exit << 8 : 0) |
	    (row->signal > 0 ? (int)row->signal : 0);
}

/* Return whether two rows are equal. */
int store_row_same(const struct store_row *, const struct store_row *);

/* Return whether nothing is known of the task. */
int store_row_is_new(const struct store_row *);

/* Return the row as a checksummed line, to free, and its length. */
char *store_row_text(const struct store_row *, size_t *length);

/*
 * Read a checksummed line; what names it in the reason.  The row is cleared
 * first; free it with store_row_free, also on failure.  Returns 0, or -1.
 */
int store_row_parse(const char *line, size_t length, const char *what,
    struct store_row *out, struct error *e);

/* The beginning of a row. */
struct store_brief {
	uint64_t task;
	enum store_state state;
	uint32_t attempt, restart;
	int facts;
	size_t length; /* bytes of the line in this beginning */
};

/*
 * Read only the beginning of a line, without checking the checksum.  Returns 1,
 * or 0 if it has another form: use store_row_parse.
 */
int store_row_brief(const char *line, size_t length, struct store_brief *out);

/*
 * Return the member rungs in rest, the line after its beginning, or NULL.  The
 * text ends with a quotation mark.
 */
const char *store_row_rungs(const char *rest, size_t length);

/*
 * Return whether rest, the line after its beginning, has only this cause (which
 * may be NULL), array and index: then nothing else is known of a pending task.
 */
int store_row_waits(const char *rest, size_t length, const char *cause,
    int64_t array, int64_t index);

#endif
