/* What the files that show jobs share with each other. */
#ifndef STFM_STATUS_PRIVATE_H
#define STFM_STATUS_PRIVATE_H

#include "base/idset.h"
#include "status/page-parts.h"
#include "term/flow.h"

/* Begin a line of a page with its label; the words flow behind it. */
struct flow show_begin(FILE *, const struct job_look *, const char *label);

/* The same where labels are up to width columns wide, if that is more. */
struct flow show_begin_wide(
    FILE *, const struct job_look *, const char *label, size_t width);

/*
 * The hyperparameters of all these jobs, each once, in the order they are met;
 * to strlist_free.
 */
void show_names(const struct job_tasks *, size_t count, struct strlist *out);

/* A path, relative to look->here when it lies there. */
const char *show_path(const struct job_look *, const char *path);

/* A time for people: 2026-11-20 12:53, with or without the seconds. */
char *show_time(int64_t seconds, int exact, char out[TABLE_TIME]);

enum table_color show_color(enum store_state);

/* The column of a state, in a table that has one for each. */
#define SHOW_STATE(state, short) \
	{ \
		.name = #state, .head = #state, .brief = #short, .right = 1, \
		.narrow = 6 \
	}

/* "64/100", "64" or "-": how far a task is.  Returns out. */
char *show_epoch(struct job_view *, uint64_t task, char out[2 * NUM_TEXT]);

/* What a task's log counts: "epoch", or "step" where it has nothing else. */
const char *show_unit(const struct job_view *, uint64_t task);

/* "val_loss, lower is better". */
char *show_objective(const struct job_view *);

/* "a copy of 6f1c2d3e4a5b, changed since", to free, or NULL. */
char *show_code(const struct store_job *);

/* The jobs that it waits for, as they were given: "conv2d:ok"; out is empty. */
void show_after(const struct store_job *, struct strlist *out);

/* Tasks of a job that are in one state, with one cause. */
struct show_set {
	const char *job;
	enum store_state state;
	char *cause; /* or NULL */
	struct idset tasks;
	int64_t best; /* the best of them, or -1 */
	double value;
	int64_t start; /* when the first is expected to start, or -1 */
	int64_t begin; /* before which Slurm must not start it, or -1 */
};

struct show_sets {
	struct show_set *set;
	size_t count, last; /* the one that was found last */
};

/* The set of such tasks, made where there is none; jobs come one by one. */
struct show_set *show_set_of(
    struct show_sets *, const char *job, enum store_state, const char *cause);
void show_sets_free(struct show_sets *);

/*
 * Those of these tasks that run, STALLED and LATE ones first, into out, which
 * has room for all; returns their number.
 */
size_t show_apart(const struct job_tasks *, uint64_t *out);

/* A table of those that are alike, but for these, which are shown apart. */
void show_alike(FILE *, const struct job_tasks *, const struct job_look *,
    const uint64_t *apart, size_t count);

/* How long an epoch takes, "1.5 s" or "2:03"; to free. */
char *show_pace(double seconds);

/*
 * What is to be said of a task that is STALLED, LATE or IDLE, as a sentence to
 * free, or NULL.
 */
char *show_mark(struct job_view *, uint64_t task);

/* For how long a GPU of a task has done nothing, of how many; to free. */
char *show_idle(const struct store_row *);

/* Tasks in ERROR with equal ends, as stfm-status -e shows them. */
struct show_group {
	size_t count;
	const char *cause, *words, *log; /* of the example; or NULL */
	const char *example;             /* "conv2d/3" */
	const char *ids;                 /* "conv2d/3,7-9" */
	int others;                      /* there are other groups */
};

/* Those among a job's tasks, the most frequent first. */
void show_groups(const struct job_tasks *,
    void (*each)(void *arg, const struct show_group *), void *arg);

/* What tasks have cost, as stfm-status --cost shows it. */
struct show_cost {
	double hours, gpu_hours;
	double wasted;  /* 0 to 1, or nan: nothing was used */
	double seconds; /* first start to last end, or nan: none has started */
};

void show_cost(const struct job_tasks *, struct show_cost *out);

/*
 * The last lines of a log, at most count of them, as a terminal would have
 * left them (what a carriage return wrote over is gone).  To free with
 * strlist_free; empty when there is nothing to read.
 */
void show_last_lines(const char *path, size_t count, struct strlist *out);

#endif
