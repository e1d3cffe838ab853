/*
 * Texts about jobs and tasks that pages, messages and reports share: times,
 * marks, the code, groups of equal failures, costs.
 */
#ifndef STFM_STATUS_TEXTS_H
#define STFM_STATUS_TEXTS_H

#include "store/extension.h"
#include "term/table.h"
#include "view/view.h"

/* Write a time, "2026-11-20 12:53"; exact adds seconds.  Returns out. */
char *show_time(int64_t seconds, int exact, char out[TABLE_TIME]);

/*
 * Return "a copy of 6f1c2d3e4a5b, changed since", to free, or NULL; if there
 * are newer copies of the code, the number of the copy comes first.
 */
char *show_code(const struct store_job *, int64_t number);

/* Return "2026-11-20 12:53:01: 3 tasks new, 1 dropped by then", to free. */
char *show_extension(const struct store_extension *);

/*
 * Return the copies of the code that these tasks of a job ran, to free: "1" or
 * "0 (14 tasks), 1 (4 tasks)"; NULL if none is queued yet.  Sets *count to the
 * number of copies.
 */
char *show_copies(const struct job_tasks *, size_t *count);

/*
 * Return "tasks ran 2 copies of the code: 0 (14 tasks), 1 (4 tasks)", to free,
 * or NULL if these tasks of a job ran one copy.
 */
char *show_mixed_code(const struct job_tasks *);

/* Return a sentence about a STALLED, LATE or IDLE task, to free, or NULL. */
char *show_mark(struct job_view *, uint64_t task);

/* Return how long a GPU of a task has been idle, and which one; to free. */
char *show_idle(const struct store_row *);

/* A group of tasks in ERROR with equal failures, as in stfm-status -e. */
struct show_group {
	size_t count;
	struct job_view *view; /* view of the example */
	uint64_t task;         /* the example */
	const char *cause;     /* cause of the example, or NULL */
	char *words, *log;     /* texts of the example, or NULL */
	char *example;         /* "conv2d/3" */
	char *ids;             /* "conv2d/3,7-9 vit/1" */
	int others;            /* whether there are other groups */
};

/*
 * Call each for every group of equal failures among these tasks, the largest
 * group first.  Returns the number of groups.
 */
size_t show_groups(const struct job_tasks *, size_t jobs,
    void (*each)(void *arg, const struct show_group *), void *arg);

/* The cost of tasks, as stfm-status --cost prints it. */
struct show_cost {
	double hours, gpu_hours;
	double wasted;  /* fraction 0 to 1; nan: nothing was used */
	double seconds; /* from first start to last end; nan: none started */
	int64_t start, end; /* first start and last end; 0: none */
	/*
	 * Of the states, without tasks that a search stopped, of earlier
	 * attempts and of those tasks: GPU hours, or hours of tasks if no GPU
	 * was used.
	 */
	double in[STORE_STATES], earlier, pruned;
};

/*
 * What became of the tasks that reached a rung, in all brackets, or that
 * reached some of several rungs.  reached is the sum of the next four: a task
 * that has reached a higher rung or has finished has continued, whatever the
 * search decided meanwhile.
 */
struct show_rung {
	int64_t epoch; /* INT64_MAX: the end of the training */
	int64_t last;  /* the epoch of the last of several rungs, or epoch */
	uint64_t reached, continued;
	uint64_t stopped;    /* by the search */
	uint64_t open;       /* pending or running */
	uint64_t others;     /* failed, or stopped for another reason */
	double best, needed; /* nan: none */
	uint64_t leader;     /* the task with the best value */
	int mixed; /* several brackets have the rung, or several rungs */
	int stops; /* tasks may be stopped here: not by PBT */
};

/* Return the name of a rung, to free: "9", "10-16" or "end". */
char *show_rung_name(const struct show_rung *);

/*
 * Return a line about the search of a job, to free, or NULL if it has none.
 * Sets *out to its rungs and the end, to free; NULL if they are unknown.
 */
char *show_rungs(struct job_view *, struct show_rung **out, size_t *count);

/* Compute the cost of tasks. */
void show_cost(const struct job_tasks *, struct show_cost *out);

#endif
