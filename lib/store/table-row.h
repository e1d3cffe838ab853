/*
 * A row of a job's table: what is known of one task.  In a fold a row is one
 * sealed line, which begins with what a pass needs of a task that is over.
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

/* "SUBMITTED", "RUNNING" and so on. */
const char *store_state_name(enum store_state);

/* The state with this name, in any case or abbreviated; -1 for none. */
int store_state_find(const char *name);

/* A task in a final state is over unless somebody starts it again. */
int store_state_is_final(enum store_state);

/* Whether it is over, and not FINISHED. */
int store_state_is_failure(enum store_state);

/* Which facts of a task's current run have been read. */
enum { STORE_HAS_S = 1, STORE_HAS_E = 2, STORE_HAS_X = 4, STORE_HAS_Q = 8 };

/*
 * Beside them: its run is over, but its log could not be read to the end, or
 * not what is recorded of its use, or it is LOST and Slurm's accounting may
 * still get to know of it.  Or a fact of it is damaged, of which its name alone
 * is known.
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

/* One task.  Texts are its own or NULL; unknown times and numbers are -1. */
struct store_row {
	uint64_t task;
	enum store_state state;
	char *cause; /* "exit 3", "TIMEOUT", or why it waits: (Priority) */
	uint32_t attempt, restart;
	int facts;     /* STORE_HAS_S and the others, STORE_DUE */
	int64_t array; /* the Slurm array that was claimed for it */
	int64_t index; /* of the task in that array; -1: it is none */
	char *slurm;   /* Slurm's last word on its end: "TIMEOUT" */
	char *said;    /* what the run itself calls its failure, or NULL */
	char *node, *gpus, *account, *qos, *log, *err, *reason;
	int64_t start, end; /* by the clock of the node */
	int64_t exit, signal, asked, heard;
	int64_t memory; /* the most it had at once, in bytes */
	int64_t cpu;    /* in milliseconds */
	int64_t gone;   /* when it was first not in the queue (store's clock) */
	char *metrics_path;  /* where its training log was found */
	char *metrics_marks; /* how far its files were read, if it has many */
	int64_t metrics_inode;
	int64_t metrics_check; /* CRC of the last bytes read of it */
	struct metrics_summary metrics;
	int64_t epoch_time; /* when an epoch was last seen to end, its log's */
	char *pace;         /* how long the last epochs took: state/eta.h */
	int64_t limit;      /* Slurm's time limit of this run, in seconds */
	char *usage;        /* of its machine: job/usage.h */
	/*
	 * Slurm said that this run was COMPLETED: when it ended, 0 for not
	 * known.  What that means is not decided yet, and Slurm forgets it.
	 */
	int64_t completed;
};

/* A row of which nothing is known, and one let go of. */
void store_row_clear(struct store_row *, uint64_t task);
void store_row_free(struct store_row *);

/* What Slurm calls it, "4102_3", or "4102" for no array; to free, or NULL. */
char *store_row_slurm(const struct store_row *);

/* Its exit code and signal as waitpid(2) gives them; 0 when not known. */
int store_row_status(const struct store_row *);

/* Whether two rows say the same. */
int store_row_same(const struct store_row *, const struct store_row *);

/* Whether there is nothing to say about a task. */
int store_row_is_new(const struct store_row *);

/* The row as a sealed line, to free. */
char *store_row_text(const struct store_row *, size_t *length);

/*
 * Read a sealed line; what names it in the reason.  The row is cleared first,
 * and to store_row_free also on failure.  Returns 0, or -1.
 */
int store_row_parse(const char *line, size_t length, const char *what,
    struct store_row *out, struct error *e);

/* What a row begins with. */
struct store_brief {
	uint64_t task;
	enum store_state state;
	uint32_t attempt, restart;
	int facts;
	size_t length; /* of the line so far */
};

/*
 * Read only that.  Returns 0 when the line begins otherwise: ask
 * store_row_parse.  The seal is not looked at.
 */
int store_row_brief(const char *line, size_t length, struct store_brief *out);

/*
 * Whether all that a line says behind that, in its rest, is the cause, which
 * may be NULL, and the array with its index: what there is to say of a task
 * that waits.
 */
int store_row_waits(const char *rest, size_t length, const char *cause,
    int64_t array, int64_t index);

#endif
