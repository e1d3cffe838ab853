/*
 * Changes of a job after its submission: a newer copy of its code
 * (stfm-restart --new-code), other metrics settings, or another description or
 * other tags (stfm-set).  Each is a directory change/1, change/2 and so on,
 * with change.json and, for a copy, the files that a submission has: code/,
 * code.tsv, diff and script.
 */
#ifndef STFM_STORE_CHANGE_H
#define STFM_STORE_CHANGE_H

#include "store/code.h"
#include "store/numbered.h"

struct store_job;

/* The settings by which the training logs of a job are read. */
struct store_reading {
	char *metric;  /* the objective, or NULL */
	char *goal;    /* "min", "max" or NULL */
	char *metrics; /* path of the training log, or NULL */
	char *epochs;  /* a number or a hyperparameter's name, or NULL */
	struct strlist metrics_regex; /* line patterns of a text log */
};

/* What people call a job, besides its name. */
struct store_labels {
	char *description;   /* or NULL */
	struct strlist tags; /* without duplicates */
};

struct store_change {
	int64_t created; /* seconds since 1970 */
	int reads;       /* it has a reading, which replaces all of it */
	struct store_reading reading;
	int labelled; /* it has labels, which replace all of them */
	struct store_labels labels;
	int copies; /* it has a copy of the code */
	struct store_code code;
};

struct store_changes {
	struct store_change *item; /* the first is change/1 */
	size_t count;
};

void store_reading_free(struct store_reading *);

/* Put the settings of a job into the empty *out, to store_reading_free. */
void store_reading_of(const struct store_job *, struct store_reading *out);

/* Replace the settings of a job in memory. */
void store_reading_use(struct store_job *, const struct store_reading *);

/* Return whether two readings are equal. */
int store_reading_same(
    const struct store_reading *, const struct store_reading *);

/* Put the labels of a job into the empty *out, to store_labels_free. */
void store_labels_of(const struct store_job *, struct store_labels *out);
void store_labels_free(struct store_labels *);

/* Return whether a job has these labels. */
int store_labels_same(const struct store_job *, const struct store_labels *);

/*
 * Add the tags of a list, "paper,2026", that tags does not have yet; or drop
 * them.  A tag has 1 to 64 letters, digits, '.', '_' and '-', and does not
 * begin with '-'.  Returns 0, or -1 with the reason; some tags may be added
 * then.
 */
int store_tags_add(struct strlist *tags, const char *list, struct error *e);
int store_tags_drop(struct strlist *tags, const char *list, struct error *e);

/*
 * Read all changes; job is the open directory of the job, path names it in the
 * reason.  *out is to be freed with store_changes_free, also on failure.
 * Returns 0, or -1: the code is ERROR_DAMAGED if a change is damaged or
 * missing, and out has the changes before it.
 */
int store_changes_load(
    int job, const char *path, struct store_changes *out, struct error *e);
void store_changes_free(struct store_changes *);

/* Apply the changes of a job to its record, which takes them over. */
void store_changes_apply(struct store_job *);

/*
 * Publish the next change of the job as it was loaded.  fill, which may be
 * NULL, makes the files of a copy and may complete the change.  Returns 0, 1 if
 * another program changed the job since it was loaded, or -1.
 */
int store_change_add(const struct store_job *, struct store_change *,
    store_numbered_fill *fill, void *arg, struct error *e);

/*
 * Publish the record of a change, in the open directory dir.  Returns 0, 1 if
 * it has one, or -1.
 */
int store_change_publish(int dir, const struct store_change *, struct error *e);

/*
 * Open the directory with the files of the copy in use.  Returns a descriptor,
 * or -1.
 */
int store_code_open(const struct store_job *, struct error *e);

/* Return the path of a file of the copy in use, such as "code"; to free. */
char *store_code_path(const struct store_job *, const char *name);

/*
 * Let job->code be the copy of this number: 0 for the submission, else that of
 * the change.  Returns 0, or -1 if there is no such copy.
 */
int store_code_use(struct store_job *, int64_t number, struct error *e);

#endif
