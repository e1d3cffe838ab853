/*
 * The record of settled jobs: what the list of jobs shows of each job whose
 * tasks are all over, and whether a pass has anything to do there.  It saves
 * opening thousands of jobs that have not changed.  It is
 * STORE/fold/settled.GEN.tsv, a cache for all jobs: it can be deleted at any
 * time.
 *
 * A line of the record never counts by itself.  It has a stamp: a checksum of
 * the inodes and change times of all files and directories from which it was
 * made.  The kernel sets these times with each change, whoever makes it, so no
 * program has to keep the record up to date.  A line whose stamp differs is
 * ignored, and the job is read.
 */
#ifndef STFM_STORE_SETTLED_H
#define STFM_STORE_SETTLED_H

#include "base/strlist.h"
#include "store/table.h"
#include "sys/fs.h"

struct store;

/* The state of the files of a job: when they were last changed. */
struct store_stamp {
	uint64_t sum;   /* of inodes and times; 0: unknown */
	uint64_t pass;  /* the same of what only passes read; 0: not taken */
	int64_t newest; /* the last change, in seconds by the store's clock */
	uint64_t parts; /* bits: the optional directories that are there */
	mode_t mode;    /* of the directory of the job */
};

/* A line of the record.  Its text belongs to the list or to a job. */
struct store_settled {
	char *name, *id, *description, *metric, *goal, *directory, *user;
	char *tags; /* with commas between them, or NULL */
	int64_t uid, created;
	uint64_t tasks, finished, error, stopped;
	uint64_t generation;
	int64_t time; /* of the table */
	struct store_summary summary;
	uint64_t sum, parts, mode; /* of its stamp */
	/*
	 * The stamp of what only passes read, if the last pass had nothing to
	 * do and no later one has, until something changes; else 0.
	 */
	uint64_t pass;
	uint64_t hooks; /* which hooks that pass notified */
	int64_t newest; /* of its stamp, in a new line */
	int is_checked; /* store_settled_holds was called */
};

/* The record, and what is needed to make the next one. */
struct store_settled_list {
	struct store_settled *line; /* in the order of their names */
	size_t count;
	int is_same;    /* jobs/ has the same names as when it was made */
	int jobs;       /* the open directory jobs/, or -1 */
	size_t skipped; /* jobs that job_select_list did not look at */

	/* Private. */
	char *text;
	uint64_t generation;
	struct store_stamp stamp;   /* of jobs/ */
	uint64_t stamped;           /* the sum of jobs/ in the record, or 0 */
	struct store_settled *more; /* lines to add */
	size_t more_count;
	struct strlist tags; /* of more */
	size_t bad;          /* lines whose job has changed */
	int64_t began;       /* by this host's clock that only goes on */
};

/*
 * Load the newest record into *out, to store_settled_free.  There are no lines
 * if the record is missing, damaged or not readable by this user.
 */
void store_settled_load(const struct store *, struct store_settled_list *out);
void store_settled_free(struct store_settled_list *);

/*
 * Check the file of this name in the open directory fold/ of the store.
 * Returns 0, or -1 with ERROR_DAMAGED if it is damaged.
 */
int store_settled_check(int dir, const char *name, struct error *e);

/* Return the line of a job, or NULL. */
struct store_settled *store_settled_find(
    struct store_settled_list *, const char *name);

/* Return whether nothing has changed that a line was made from. */
int store_settled_holds(struct store_settled_list *, struct store_settled *);

/*
 * Return whether moreover nothing has changed that a pass reads, and the pass
 * with these hooks had nothing to do.
 */
int store_settled_rests(
    struct store_settled_list *, struct store_settled *, uint64_t hooks);

/*
 * Return a job with the members that the list of jobs shows, without opening
 * it: store_job_dir is -1.  To store_job_free; the list must outlive it.
 */
struct store_job *store_settled_job(
    const struct store *, const struct store_settled *);

/* Return the table of such a job, without rows; to store_table_free. */
struct store_table *store_settled_table(const struct store_job *);

/*
 * Return the stamp of a job, for a pass or for a list.  Take it before you load
 * the job.
 */
struct store_stamp store_settled_look(
    const struct store_settled_list *, const char *name, int for_pass);

/*
 * Add a job with a stamp, if all its tasks are over and nothing is wrong with
 * its table, which was loaded after the stamp was taken.  The job must outlive
 * the call of store_settled_save.
 */
void store_settled_add(struct store_settled_list *, const struct store_job *,
    const struct store_table *);

/*
 * Add a job as store_settled_add does, after a pass with these hooks that had
 * nothing to do.
 */
void store_settled_add_rest(struct store_settled_list *,
    const struct store_job *, const struct store_table *, uint64_t hooks);

/*
 * Publish the record with the added jobs, if it is worth it.  It has no lines
 * that store_settled_holds or store_settled_rests did not check.  Errors are
 * ignored, because the record can be made at any time.
 */
void store_settled_save(struct store_settled_list *, const struct store *);

#endif
