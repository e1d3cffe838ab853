/*
 * The record of a job: what the user submitted, written once.  It lives with
 * all other files of the job in STORE/jobs/NAME/.
 */
#ifndef STFM_STORE_JOB_H
#define STFM_STORE_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"
#include "store/code.h"
#include "store/create-lock.h"
#include "store/extension.h"
#include "store/group-options.h"
#include "store/policy.h"
#include "store/store.h"

struct store_job {
	char *name;
	char *id; /* unique for all time; its tokens begin with it */
	char *description;
	struct strlist command; /* with {placeholders} as typed */
	char *script;    /* the path of the user's own batch script, or NULL */
	char *args;      /* how a task receives its point: "long" ... */
	char *dist;      /* what each rank of a task gets, "torch", or NULL */
	char *container; /* the image they run in, or NULL */
	char *container_runtime; /* what runs it: "apptainer" */
	char *container_state;   /* of its file then, or NULL */
	struct strlist
	    container_bind; /* more that is bound, PATH[:THERE[:ro]] */
	char *directory;    /* where the tasks run, but for a copy of it */
	char *imported;     /* where it was found: see store_job_is_adopted */
	char *metric;       /* the objective */
	char *goal;         /* "min" or "max" */
	char *metrics;      /* where the training log is, or NULL */
	struct strlist metrics_regex; /* it is text: patterns for its lines */
	char *epochs;         /* a number or a hyperparameter's name, or NULL */
	struct strlist space; /* as typed */
	struct strlist names; /* of the hyperparameters */
	int points_kept;      /* the points are in points.tsv */
	char *fingerprint;    /* of the points */
	char *batch;          /* checksum of batch.sh, or NULL */
	char *script_sum;     /* of the job's copy of script, or NULL */
	uint64_t tasks;       /* with those of its extensions */
	struct store_extensions extensions;
	int extends;                /* its tasks know of extensions */
	uint64_t array_size;        /* the most indices of one array */
	int64_t parallel;           /* tasks at once, or 0 for no limit */
	int64_t pack;               /* tasks beside each other; 0 and 1: one */
	struct strlist options;     /* for sbatch, as typed */
	struct strlist defaults;    /* options that came from files */
	struct store_groups groups; /* of tasks with options of their own */
	struct store_policy policy;
	struct strlist
	    after;  /* jobs to wait for: "prep:any:ID", "conv2d:ok:ID" */
	char *then; /* a command to run when it is over, or NULL */
	struct store_code code;
	struct strlist argv;        /* of stfm-submit, but for secrets */
	char *cwd;                  /* where it was called */
	char *made_in;              /* path as it was then; or NULL */
	struct strlist environment; /* NAME=VALUE, what is worth keeping */
	int64_t seed;               /* of the samples, or -1 */
	char *user;
	int64_t uid;
	char *host;
	int64_t created; /* seconds since 1970 */
	char *path;      /* the job's directory, absolute */
	int dir;         /* the same, open */
};

/* No record of a job is as large as this. */
enum { STORE_JOB_LIMIT = 64 << 20 };

/* Free the record and close its directory. */
void store_job_free(struct store_job *);

/* The files that a new job brings beside its record. */
struct store_job_files {
	const char *batch;  /* batch.sh */
	const char *script; /* text of the user's own batch script, or NULL */
	const char *points; /* points.tsv, or NULL */
	size_t points_length;
	mode_t withheld; /* rights that others do not get: fs_withheld */
	/*
	 * Puts more into the new directory, or is NULL; may complete the
	 * record.  Returns 0, or -1.
	 */
	int (*more)(void *arg, struct store_job *, int dir, struct error *e);
	/*
	 * Whether it may be there, asked when no other that is asked can come;
	 * or NULL.
	 */
	store_create_admit *admit;
	void *arg; /* of both */
};

/*
 * Make the job of this record: a directory with job.json, the given files and
 * the directories its tasks write to.  It appears whole or not at all.  uid,
 * host, created, path and dir are filled in.
 * Returns 0, 1 when the name is taken, or -1, with errno EAGAIN when others
 * that are asked were in the way, EINPROGRESS when it is there all the same,
 * and EALREADY when it may be, which the reason says; else, without a 0, the
 * store is as before.
 */
int store_job_create(const struct store *, struct store_job *,
    const struct store_job_files *, struct error *e);

/*
 * Whether it was imported from Slurm, as "Slurm job 12", where it may be still;
 * else it was trained by others, and found in a directory, or it was submitted:
 * then imported is an absolute path, or NULL.
 */
int store_job_is_adopted(const struct store_job *);

/* The checksum of a file beside the record as the record has it; to free. */
char *store_job_sum(const char *bytes, size_t length);

/*
 * Where the tasks run: in the copy of the code, or in job->directory.  To free.
 */
char *store_job_place(const struct store_job *);

/* The record as a JSON object on one line; to free. */
char *store_job_json(const struct store_job *);

/* Refuse a record that the store cannot hold: text that is not UTF-8. */
int store_job_check(const struct store_job *, struct error *e);

/* A fresh id for store_job.id; to free. */
char *store_job_new_id(void);

/* Load the record of a job; NULL when there is none (errno ENOENT) or it is
 * damaged. */
struct store_job *store_job_load(
    const struct store *, const char *name, struct error *e);

/* The same as it was submitted, whatever its extensions are. */
struct store_job *store_job_load_first(
    const struct store *, const char *name, struct error *e);

/*
 * When what has this name is a copy, with the record of another job that is
 * there under its own name, that record, to free: its path and directory are
 * the copy's, and nothing but the copy is to be touched through it.  Else NULL.
 */
struct store_job *store_job_copy(const struct store *, const char *name);

/*
 * Whether the directory that is open as the job's is no longer in its place,
 * because the job is removed: 1, 0, or -1 when that cannot be told.
 */
int store_job_is_gone(const struct store_job *, struct error *e);

/*
 * Load the record from a job's directory alone, for a task, which does not
 * know the store.
 */
struct store_job *store_job_load_path(const char *path, struct error *e);

#endif
