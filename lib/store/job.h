/*
 * The record of a job: what the user submitted, written once.  It is in
 * STORE/jobs/NAME/, with all other files of the job.
 */
#ifndef STFM_STORE_JOB_H
#define STFM_STORE_JOB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/strlist.h"
#include "store/change.h"
#include "store/code.h"
#include "store/create-lock.h"
#include "store/extension.h"
#include "store/group-options.h"
#include "store/load.h"
#include "store/policy.h"
#include "store/settled.h"

struct store_job {
	char *name;
	char *id; /* never used again; tokens begin with it */
	char *description;
	struct strlist tags;     /* for people to find the job by */
	struct strlist command;  /* as typed, with {placeholders} */
	char *script;            /* path of the user's batch script, or NULL */
	char *args;              /* how a task receives its point: "long" ... */
	char *dist;              /* framework of the ranks, "torch", or NULL */
	char *container;         /* the image that the tasks run in, or NULL */
	char *container_runtime; /* the program that runs it: "apptainer" */
	char *container_state;   /* of the image file at submission, or NULL */
	struct strlist container_bind; /* additional binds, PATH[:THERE[:ro]] */
	char *directory; /* directory where the tasks run, unless in a copy */
	char *imported;  /* origin: see store_job_is_adopted */
	char *metric;    /* the objective */
	char *goal;      /* "min" or "max" */
	char *metrics;   /* path of the training log, or NULL */
	struct strlist metrics_regex; /* line patterns of a text log */
	char *epochs;         /* a number or a hyperparameter's name, or NULL */
	struct strlist space; /* as typed */
	struct strlist names; /* names of the hyperparameters */
	int points_kept;      /* points.tsv holds the points */
	char *fingerprint;    /* fingerprint of the points */
	char *batch;          /* checksum of batch.sh, or NULL */
	char *script_sum;     /* checksum of script, or NULL */
	uint64_t tasks;       /* including those of its extensions */
	struct store_extensions extensions;
	int extends; /* its tasks accept 1: extensions; 2: changes, too */
	uint64_t array_size;        /* the most indices of one array */
	int64_t parallel;           /* tasks that run at once; 0: no limit */
	int64_t pack;               /* tasks per array index; 0 means 1 */
	struct strlist options;     /* for sbatch, as typed */
	struct strlist defaults;    /* options from configuration files */
	struct store_groups groups; /* for tasks with their own options */
	struct store_policy policy;
	struct store_search search;
	struct strlist after; /* dependencies: "prep:any:ID", "conv2d:ok:ID" */
	char *then;           /* command to run when the job is over, or NULL */
	/*
	 * The copy of the code in use.  In a loaded job it is the newest one,
	 * or that of store_code_use; first_code and changes own its strings.
	 */
	struct store_code code;
	struct store_code first_code; /* of the submission */
	int is_loaded;
	struct store_changes changes; /* since the submission */
	int64_t reading; /* number of the newest change of the settings, or 0 */
	struct strlist argv; /* command line of stfm-submit, without secrets */
	char *cwd;           /* directory where stfm-submit was called */
	char *made_in;       /* path of the job when it was created; or NULL */
	struct strlist environment; /* NAME=VALUE of recorded variables */
	int64_t seed;               /* seed of random samples, or -1 */
	char *user;
	int64_t uid;
	char *host;
	int64_t created;          /* seconds since 1970 */
	char *path;               /* the job's directory, absolute */
	int dir;                  /* the job's directory, open */
	struct store_stamp stamp; /* before it was loaded, if needed */
	const struct store_settled *settled; /* see store_settled_job */
};

/* The files of a new job other than its record. */
struct store_job_files {
	const char *batch;  /* batch.sh */
	const char *script; /* text of the user's batch script, or NULL */
	const char *points; /* points.tsv, or NULL */
	size_t points_length;
	mode_t withheld; /* permission bits denied to others: fs_withheld */
	/*
	 * Add more files to the new directory; may complete the record.  May be
	 * NULL.  Returns 0, or -1.
	 */
	int (*more)(void *arg, struct store_job *, int dir, struct error *e);
	/* Check the new job while the create lock is held; or NULL. */
	store_create_admit *admit;
	void *arg; /* for more and admit */
};

/*
 * Create the job of this record: a directory with job.json, the given files and
 * the directories that its tasks write to.  It becomes visible completely or
 * not at all.  Sets uid, host, created, path and dir of the record.  Returns 0,
 * 1 if the name is taken, or -1.  The code is ERROR_LATER if others held the
 * create lock too long, ERROR_EXISTS if the job exists nevertheless, and
 * ERROR_MAY_EXIST if it may exist.  After any other failure the store is as
 * before.
 */
int store_job_create(const struct store *, struct store_job *,
    const struct store_job_files *, struct error *e);

/* Return the checksum of a file, as the record holds it; to free. */
char *store_job_sum(const char *bytes, size_t length);

/* Return the record as a JSON object on one line; to free. */
char *store_job_json(const struct store_job *);

/* Check that all text is UTF-8, as the store requires.  Returns 0, or -1. */
int store_job_check(const struct store_job *, struct error *e);

/* Return a new id for store_job.id; to free. */
char *store_job_new_id(void);

#endif
