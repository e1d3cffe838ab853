/*
 * A plan is a job that is not stored yet: the user's options, checked and
 * completed with defaults.  A plan changes nothing.
 */
#ifndef STFM_SUBMIT_PLAN_H
#define STFM_SUBMIT_PLAN_H

#include <sys/types.h>

#include "base/error.h"
#include "slurm/sbatch.h"
#include "snapshot/snapshot.h"
#include "space/space.h"
#include "store/job.h"

struct queue_cluster;

struct job_plan {
	struct store_job *job;
	struct sbatch given; /* options on the command line and in a spec */
	struct sbatch environment; /* options from SBATCH_* variables */
	struct sbatch defaults; /* options from files, unless given elsewhere */
	struct strlist from;    /* the source of each of job->defaults */
	struct strlist wrong;   /* names of options that a check refused */
	struct sbatch view; /* options of the current group: job_plan_look */
	struct sbatch_script script;
	char *script_text; /* the user's own batch script, or NULL */
	char *points;      /* points.tsv */
	size_t points_length;
	int searches;   /* --search was given */
	int tells;      /* the user asked for a signal before the time limit */
	char *note;     /* a note for the user on the options, or NULL */
	uint64_t most;  /* maximum number of tasks */
	char *optional; /* for each name, whether points lack a value */
	char *batch;    /* batch.sh, once job->path is known */
	struct snapshot *snapshot; /* copy of the code, or NULL */
	mode_t withheld;           /* permissions to withhold: fs_withheld */
};

/* Return an empty plan; call job_plan_free, which also frees plan->job. */
struct job_plan *job_plan_new(void);
void job_plan_free(struct job_plan *);

/*
 * Take the points of the space.  from is the text of a file of points called
 * from_name, or NULL.  Sets the job's names, tasks, fingerprint and
 * points_kept, and its groups: the options that points set for Slurm,
 * "@mem=4G".  Returns 0 or -1.
 */
int job_plan_points(struct job_plan *, struct space *, const char *from_name,
    const char *from, size_t length, struct error *e);

/*
 * Read a file whose content goes into the job, as fs_read_path does.  Users who
 * may not read the file will not be able to read the job.
 */
int job_plan_read(struct job_plan *, const char *path, size_t limit,
    char **text, size_t *length, struct error *e);

/*
 * Read the user's own batch script: its text and its #SBATCH lines.  Returns 0
 * or -1.
 */
int job_plan_script(struct job_plan *, const char *path, struct error *e);

/*
 * Add the default option name, found in from, to job->defaults; value may be
 * NULL or "" for an option without value.  job_plan_default_drop drops the
 * defaults of a name, because the option was given elsewhere.
 */
void job_plan_default_add(
    struct job_plan *, const char *name, const char *value, const char *from);
void job_plan_default_drop(struct job_plan *, const char *name);

/*
 * Note that a check refuses the value of the option name, unless the current
 * group of tasks has a value of its own.
 */
void job_plan_wrong(struct job_plan *, const char *name);

/*
 * If an option in plan->wrong is a default, add its source to e: the user did
 * not type the value.
 */
void job_plan_default_blame(const struct job_plan *, struct error *e);

/*
 * Drop the defaults that the command line, the environment or the script
 * overrides.
 */
void job_plan_defaults(struct job_plan *);

/*
 * Return whether some option says how many GPUs a task gets, even none: given,
 * in the environment, in the script or a default.  Otherwise it gets one.
 */
int job_plan_asks_gpu(const struct job_plan *);

/*
 * Return an option's value for the current group, wherever it was given; or
 * NULL.
 */
const char *job_plan_option(const struct job_plan *, const char *name);

/*
 * Groups of tasks with the same options.  job_plan_views returns the number of
 * groups, 1 if all tasks have the same options.  job_plan_look makes a group
 * the current one; JOB_PLAN_JOB selects only the options of the job.
 */
enum { JOB_PLAN_JOB = -1 };
long job_plan_views(const struct job_plan *);
void job_plan_look(struct job_plan *, long view);

/*
 * Complete job->options with the defaults of S-TFManager (one task, one GPU)
 * and of stfm, unless given anywhere.  words are the user's options as typed.
 */
void job_plan_options(struct job_plan *, const struct strlist *words);

/* Write plan->batch: path is the job's directory, runner stfm-run's path. */
void job_plan_batch(struct job_plan *, const char *path, const char *runner);

/*
 * Return the batch script of a stored job, to free, as job_plan_batch writes
 * it.
 */
char *job_plan_batch_text(const struct store_job *,
    const struct sbatch_script *, const char *path, const char *runner);

/*
 * Check a plan.  Returns 0, or -1 with a refusal that says what to change.
 * job_plan_check_local needs no Slurm: it checks the command, its placeholders,
 * directories, and #SBATCH lines that Slurm would ignore.
 */
int job_plan_check_local(const struct job_plan *, struct error *e);
int job_plan_check_cluster(
    struct job_plan *, const struct queue_cluster *, struct error *e);

/*
 * Return whether job_plan_check_cluster or job_policy_options_limits depends on
 * the nodes' resources.
 */
int job_plan_asks_nodes(struct job_plan *);

/* Return whether some task may get a GPU. */
int job_plan_has_gpus(struct job_plan *);

#endif
