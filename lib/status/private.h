/* What the files of this folder share. */
#ifndef STFM_STATUS_PRIVATE_H
#define STFM_STATUS_PRIVATE_H

#include "base/idset.h"
#include "status/page-parts.h"
#include "term/flow.h"

/* Begin a line of a page with its label; words are wrapped after it. */
struct flow show_begin(FILE *, const struct job_look *, const char *label);

/* Begin a line with labels of up to width columns, if wider than usual. */
struct flow show_begin_wide(
    FILE *, const struct job_look *, const char *label, size_t width);

/*
 * List the hyperparameters of these jobs, each once, in order of appearance;
 * out is to strlist_free.
 */
void show_names(const struct job_tasks *, size_t count, struct strlist *out);

/* Return a path, relative to look->here if it lies there. */
const char *show_path(const struct job_look *, const char *path);

/* Write a time, "2026-11-20 12:53"; exact adds seconds.  Returns out. */
char *show_time(int64_t seconds, int exact, char out[TABLE_TIME]);

/* Return the colour of a state. */
enum table_color show_color(enum store_state);

/* A table column that counts the tasks in a state. */
#define SHOW_STATE(state, short) \
	{ \
		.name = #state, .head = #state, .brief = #short, .right = 1, \
		.narrow = 6 \
	}

/* Write the progress of a task, "64/100", "64" or "-".  Returns out. */
char *show_epoch(struct job_view *, uint64_t task, char out[2 * NUM_TEXT]);

/* Return what the logs count: "epoch", or "step" if they have no epochs. */
const char *show_unit(const struct job_view *, uint64_t task);

/* Return "val_loss, lower is better"; to free. */
char *show_objective(const struct job_view *);

/* Return "a copy of 6f1c2d3e4a5b, changed since", to free, or NULL. */
char *show_code(const struct store_job *);

/*
 * List a job's dependencies as the user typed them, "conv2d:ok".  out is empty
 * at the start.
 */
void show_after(const struct store_job *, struct strlist *out);

/* The tasks of a job with the same state and cause. */
struct show_set {
	const char *job;
	enum store_state state;
	char *cause; /* or NULL */
	struct idset tasks;
	int64_t best; /* the best task, or -1 */
	double value;
	int64_t start; /* expected start of the first, or -1 */
	int64_t begin; /* earliest start (--begin), or -1 */
};

struct show_sets {
	struct show_set *set;
	size_t count, last; /* index of the set found last */
};

/* Return the set of these tasks; create it if needed.  Call this job by job. */
struct show_set *show_set_of(
    struct show_sets *, const char *job, enum store_state, const char *cause);
void show_sets_free(struct show_sets *);

/*
 * Put the running tasks into out, which has room for all; STALLED and LATE ones
 * first.  Returns their number.
 */
size_t show_apart(const struct job_tasks *, uint64_t *out);

/*
 * Print a table of groups of similar tasks, except count tasks in apart, which
 * are shown separately.
 */
void show_alike(FILE *, const struct job_tasks *, const struct job_look *,
    const uint64_t *apart, size_t count);

/* Return the time per epoch, "1.5 s" or "2:03"; to free. */
char *show_pace(double seconds);

/* Return a sentence on a STALLED, LATE or IDLE task, to free, or NULL. */
char *show_mark(struct job_view *, uint64_t task);

/* Return how long a GPU of a task has been idle, and which; to free. */
char *show_idle(const struct store_row *);

/* A group of tasks in ERROR with equal failures, as in stfm-status -e. */
struct show_group {
	size_t count;
	const char *cause, *words, *log; /* of the example; or NULL */
	const char *example;             /* "conv2d/3" */
	const char *ids;                 /* "conv2d/3,7-9" */
	int others;                      /* whether there are other groups */
};

/* Call each for every group of a job's tasks, the largest first. */
void show_groups(const struct job_tasks *,
    void (*each)(void *arg, const struct show_group *), void *arg);

/* The cost of tasks, as in stfm-status --cost. */
struct show_cost {
	double hours, gpu_hours;
	double wasted;  /* 0 to 1; nan: nothing was used */
	double seconds; /* first start to last end; nan: none started */
};

/* Compute the cost of tasks. */
void show_cost(const struct job_tasks *, struct show_cost *out);

/*
 * Read the last count lines of a log, as a terminal would show them: text that
 * a carriage return overwrote is gone.  out is to strlist_free; it is empty if
 * there is nothing to read.
 */
void show_last_lines(const char *path, size_t count, struct strlist *out);

#endif
