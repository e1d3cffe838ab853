/*
 * Loading a job of the store, and what most code asks about it.  Whoever needs
 * more of its record, or makes one, includes store/job.h.
 */
#ifndef STFM_STORE_LOAD_H
#define STFM_STORE_LOAD_H

#include <stdint.h>

#include "base/error.h"

struct store;
struct store_job;
struct store_policy;
struct store_search;
struct strlist;

/*
 * Load the record of a job, to store_job_free.  Returns NULL if there is none
 * (ERROR_ABSENT) or it is damaged.
 */
struct store_job *store_job_load(
    const struct store *, const char *name, struct error *e);

/*
 * Load the record of a job as it was submitted, without its extensions.  Result
 * and errors are those of store_job_load.
 */
struct store_job *store_job_load_first(
    const struct store *, const char *name, struct error *e);

/*
 * Check whether the directory with this name is a copy of another job that
 * exists under its own name.  Returns the record in the copy, to
 * store_job_free, or NULL.  Its path and dir are the copy's: use it only to act
 * on the copy.
 */
struct store_job *store_job_copy(const struct store *, const char *name);

/*
 * Return whether the directory that is open in job is no longer in its place,
 * because the job was removed: 1, 0, or -1 if that is unknown.
 */
int store_job_is_gone(const struct store_job *, struct error *e);

/*
 * Load the record from a job's directory, for a task, which does not know the
 * store.  Result and errors are those of store_job_load.
 */
struct store_job *store_job_load_path(const char *path, struct error *e);

/* Free the record and close its directory. */
void store_job_free(struct store_job *);

/* Members of the record; what they return belongs to the job. */
const char *store_job_name(const struct store_job *);
const char *store_job_id(const struct store_job *);
const char *store_job_path(const struct store_job *); /* of its directory */
int store_job_dir(const struct store_job *);          /* the same, open */
uint64_t store_job_tasks(const struct store_job *);
int64_t store_job_parallel(const struct store_job *);
int64_t store_job_created(const struct store_job *);
uint64_t store_job_seed(const struct store_job *); /* 0 if none was given */
const char *store_job_user(const struct store_job *);
const char *store_job_imported(const struct store_job *);
const struct strlist *store_job_names(const struct store_job *);
const struct strlist *store_job_after(const struct store_job *);
const struct store_policy *store_job_policy(const struct store_job *);
const struct store_search *store_job_search(const struct store_job *);

/*
 * Return the generation of the table of a job that store_settled_job made, or 0
 * for a job that was opened.
 */
uint64_t store_job_settled(const struct store_job *);

/*
 * Return whether the job was imported from Slurm; imported is then "Slurm job
 * 12", and its tasks may still be in Slurm.  Otherwise imported is NULL
 * (submitted with stfm), or the absolute path of a directory with trainings
 * that were not made by stfm.
 */
int store_job_is_adopted(const struct store_job *);

/*
 * Return where tasks run: job->directory, or the copy of the code in use.
 * store_job_place_of takes the copy with this number instead; -1 is 0.  To
 * free.
 */
char *store_job_place(const struct store_job *);
char *store_job_place_of(const struct store_job *, int64_t code);

#endif
