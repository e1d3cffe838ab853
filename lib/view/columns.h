/*
 * The columns of a task, by name: tables show them, conditions test them and
 * --sort sorts by them.  Fixed columns are the same for every job.  A job has
 * one more column for each hyperparameter and for each option that points set
 * for Slurm (@mem).  A hyperparameter with the name of a fixed column is called
 * param_NAME.  Metrics besides the objective are columns, too, if the user asks
 * for them; one with the name of another column is called metric_NAME.
 */
#ifndef STFM_VIEW_COLUMNS_H
#define STFM_VIEW_COLUMNS_H

#include "term/table.h"
#include "view/view.h"

/* The number of fixed columns.  Their numbers start at 0. */
extern const int job_columns;

/*
 * The number of fixed columns that tables show before the hyperparameters: id
 * to cause.
 */
enum { JOB_COLUMNS_BEFORE = 5 };

/* Return the name of a fixed column. */
const char *job_column_name(int column);

/* Return the name of a hyperparameter's column; to free. */
char *job_column_param(const char *hyperparameter);

/*
 * Return the number of the column called name, or -1 if the job has none.
 * job_columns + i is the i-th hyperparameter; the columns of job->groups
 * follow, and then the metrics of view->metrics.
 */
int job_column_find(const struct job_view *, const char *name);

/* Return the number of columns of a job. */
int job_column_count(const struct job_view *);

/* Return the name of a column of a job; to free. */
char *job_column_named(const struct job_view *, int column);

/*
 * Set e to "NAME: no such column" with the most similar column name of these
 * jobs.  Returns -1.
 */
int job_column_unknown(struct job_view *const *views, size_t count,
    const char *name, struct error *e);

enum job_kind {
	JOB_NO_VALUE,
	JOB_TEXT,
	JOB_NUMBER, /* including nan and infinities */
	JOB_TIME    /* in seconds since 1970 */
};

/* The value of a column.  room holds texts that are stored nowhere else. */
struct job_value {
	enum job_kind kind;
	const char *text; /* the text of any kind; NULL if there is no value */
	double number;    /* the number; for a state, its sort rank */
	char *own;        /* a text to free, or NULL */
	char room[160];
};

/*
 * Put the value of a task's column into out; call job_value_free on it.  The
 * text is valid until the next call for the same view.  A hyperparameter's text
 * is as the user typed it.
 */
void job_column_value(
    struct job_view *, uint64_t task, int column, struct job_value *out);
void job_value_free(struct job_value *);

/* Put the value of a task's column into column at of a table for programs. */
void job_column_put(
    struct job_view *, uint64_t task, int column, struct table *, size_t at);

/* Return whether the largest values of a column are the best. */
int job_column_falls(const struct job_view *, int column);

/*
 * The number of columns that the table for people shows after the
 * hyperparameters.  Some of them are pictures, which the caller draws: the
 * progress bar and the sparkline.
 */
extern const size_t job_columns_shown;
enum { JOB_COLUMN_BAR = -1, JOB_COLUMN_SPARK = -2 };

/*
 * Return the i-th column of the table for people, a fixed column or a picture,
 * and set layout to its table layout; that of a picture has only a name.
 */
int job_column_shown(size_t i, struct table_column *layout);

/*
 * Put a task's cell of a column, which must not be a picture, into column at of
 * a table for people.
 */
void job_column_show(
    struct job_view *, uint64_t task, int column, struct table *, size_t at);

/* Write the progress of a task, "64/100", "64" or "-".  Returns out. */
enum { JOB_COLUMN_TEXT = 2 * NUM_TEXT };
char *job_column_epoch(
    struct job_view *, uint64_t task, char out[JOB_COLUMN_TEXT]);

#endif
