/*
 * Declarations shared by the files of lib/status: lines of pages, texts about
 * tasks, groups of similar tasks and of equal failures.
 */
#ifndef STFM_STATUS_PRIVATE_H
#define STFM_STATUS_PRIVATE_H

#include "base/idset.h"
#include "status/page-parts.h"
#include "status/texts.h"
#include "term/flow.h"

/* Add a formatted text to a flow, as several words or as one word. */
void show_text(struct flow *, size_t gap, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void show_word(struct flow *, size_t gap, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Print only the columns that the user chose, if any: see table_choose. Returns
 * 0, or -1 with the table freed.
 */
int show_choose(struct table *, const struct show_style *, struct error *e);

/* Begin a line of a page with its label; later words wrap after the label. */
struct flow show_begin(FILE *, const struct show_style *, const char *label);

/* Begin a line with labels of up to width columns, if wider than usual. */
struct flow show_begin_wide(
    FILE *, const struct show_style *, const char *label, size_t width);

/*
 * List the hyperparameters of these jobs, each once, in order of appearance.
 * Call strlist_free on out.
 */
void show_names(const struct job_tasks *, size_t count, struct strlist *out);

/* Add the tags of a job to a flow: "tag:paper tag:2026". */
void show_tags(struct flow *, const struct store_job *);

/*
 * Return path relative to look->here if it is below that directory, else path.
 */
const char *show_path(const struct show_style *, const char *path);

/* Return tasks of a job as commands take them: "conv2d/0-3,7", to free. */
char *show_ids(const char *job, const struct idset *tasks);

/*
 * Print the pruner of a job's search and a table of its rungs, or nothing if
 * the job has none.
 */
void show_search(FILE *, struct job_view *, const struct show_style *);

/*
 * If the job's sampler is a command, add the tasks to *random which have a
 * random point because it failed.  Returns how many tasks have a point, or 0.
 * Needs all rows.
 */
uint64_t show_random_points(struct job_view *, struct idset *random);

/*
 * Read the record of the point that a sampler chose for a task, to free with
 * store_fact_body_free; body->sampler is NULL if there is none.
 */
void show_point_record(
    const struct store_job *, uint64_t task, struct store_fact_body *body);

/*
 * Read the record of the point with which a run of a task trained, in the same
 * way.  Returns the first run that trained it.
 */
struct store_run show_run_point(const struct store_job *, uint64_t task,
    struct store_run run, struct store_fact_body *body);

/*
 * Return how a running task stands in the search of its job, to free: "at epoch
 * 9: 0.81 is 3rd of 44, the best 14 continue (0.803 or better)"; or NULL.  The
 * table may be loaded again, as by job_view_whole.
 */
char *show_standing(struct job_view *, uint64_t task);

/*
 * Return the bracket of a task and its rungs, "1 (of 0-2), rungs 3 9 of 27
 * epochs", to free; NULL unless the pruner is Hyperband.
 */
char *show_bracket(const struct store_job *, uint64_t task);

struct job_pending_reason;
struct show_set;

/* A function that gets a reason about the tasks of a set. */
typedef void show_reason(
    void *arg, const struct show_set *, const struct job_pending_reason *);

/*
 * Call each(arg, ...) with what the search of a job says about its pending and
 * running tasks: why they have no point, why nothing is stopped, why they
 * continue.  Of a job without a search, say if logs lack its metric.
 */
void show_search_why(const struct job_tasks *, show_reason *each, void *arg);

/* Return the colour of a state. */
enum table_color show_color(enum store_state);

/* A table column that counts the tasks in a state. */
#define SHOW_STATE(state, short) \
	{ \
		.name = #state, .head = #state, .brief = #short, .right = 1, \
		.narrow = 6 \
	}

/* Return the unit of the task's log: "epoch", or "step" if it has no epochs. */
const char *show_unit(const struct job_view *, uint64_t task);

/* Return "val_loss, lower is better", to free. */
char *show_objective(const struct job_view *);

/* The tasks of a job with the same state and cause. */
struct show_set {
	const char *job;
	enum store_state state;
	char *cause; /* or NULL */
	struct idset tasks;
	int64_t best; /* the best task, or -1 */
	double value;
	int64_t start; /* earliest expected start, or -1 */
	int64_t begin; /* earliest start (--begin), or -1 */
};

struct show_sets {
	struct show_set *set;
	size_t count, last; /* index of the set found last */
};

/*
 * Return the set of a job's tasks with this state and cause; create it if
 * needed.  Call this job by job.
 */
struct show_set *show_set_of(
    struct show_sets *, const char *job, enum store_state, const char *cause);
void show_sets_free(struct show_sets *);

/*
 * Put the running tasks into out, which has room for all tasks; tasks with a
 * mark come first.  Returns their number.
 */
size_t show_apart(const struct job_tasks *, uint64_t *out);

/* Add a task of a job to the set of similar tasks. */
void show_sets_add(struct show_sets *, struct job_view *, uint64_t task);

/* Print a table of the sets, and sort them. */
void show_alike(FILE *, struct show_sets *, const struct show_style *);

/* Return the time per epoch, "1.5 s" or "2:03", to free. */
char *show_pace(double seconds);

/* A failed task. */
struct show_failure {
	char *key; /* equal for equal failures */
	size_t job, order;
	uint64_t task;
};

/* Failures with the same key: failure points to count of them. */
struct show_equal {
	const struct show_failure *failure;
	size_t count;
};

/* Return the key of a failure, to free.  line is its failure line, or NULL. */
char *show_failure_key(const char *job, const char *cause, const char *line);

/*
 * Sort failures by key and order, and group equal failures.  The largest group
 * comes first, or else the group with the first failure.  Returns the number of
 * groups.
 */
size_t show_equal(struct show_failure *, size_t count, int largest_first,
    struct show_equal **out);
void show_equal_free(struct show_failure *, size_t count, struct show_equal *);

/*
 * Read the last count lines of a log as a terminal would show them: text that a
 * carriage return overwrote is gone.  Call strlist_free on out; it is empty if
 * nothing can be read.
 */
void show_last_lines(const char *path, size_t count, struct strlist *out);

#endif
