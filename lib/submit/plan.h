/*
 * A plan is a job that is not stored yet: what the user asked for, checked and
 * completed with what they left unsaid.  Nothing has changed while there is
 * only a plan.
 */
#ifndef STFM_SUBMIT_PLAN_H
#define STFM_SUBMIT_PLAN_H

#include "base/error.h"
#include "slurm/queue.h"
#include "slurm/sbatch.h"
#include "snapshot/snapshot.h"
#include "space/space.h"
#include "store/job.h"

struct job_plan {
	struct store_job *job;
	struct sbatch given; /* options on the command line and in a spec */
	struct sbatch environment; /* those SBATCH_* variables stand for */
	struct sbatch defaults;    /* from files, where nothing else is said */
	struct sbatch view;        /* of the tasks that are looked at alone */
	struct sbatch_script script;
	char *script_text; /* of the user's own batch script, or NULL */
	char *points;      /* points.tsv */
	size_t points_length;
	int tells;      /* the user wants the training to be told in time */
	char *note;     /* for the user, of what was asked for; or NULL */
	uint64_t most;  /* tasks that may be made */
	char *optional; /* for each name: some points have no value */
	char *batch;    /* batch.sh, once job->path is known */
	struct snapshot *snapshot; /* of the code, or NULL */
	mode_t withheld; /* rights that others do not get: fs_withheld */
};

/* An empty plan; free with job_plan_free, which also frees plan->job. */
struct job_plan *job_plan_new(void);
void job_plan_free(struct job_plan *);

/*
 * Take the points of the space.  from is the text of a file of points named
 * from_name, or NULL.  Fills the job's names, tasks, fingerprint and
 * points_kept, and its groups with what points ask of Slurm: "@mem=4G".
 */
int job_plan_points(struct job_plan *, struct space *, const char *from_name,
    const char *from, size_t length, struct error *e);

/*
 * Read a file of which something gets into the job, as fs_read_path.  Who may
 * not read the file is not to read the job.
 */
int job_plan_read(struct job_plan *, const char *path, size_t limit,
    char **text, size_t *length, struct error *e);

/* Take the user's own batch script: its text and the lines Slurm reads. */
int job_plan_script(struct job_plan *, const char *path, struct error *e);

/*
 * Take out of the plan's defaults what the command line, the environment or
 * the script says otherwise.
 */
void job_plan_defaults(struct job_plan *);

/*
 * The value of an option that holds for the tasks that are looked at, wherever
 * it was given.
 */
const char *job_plan_option(const struct job_plan *, const char *name);

/*
 * Tasks can have options of their own, and are looked at group by group: how
 * many there are, 1 where all are alike.  Look at the tasks of one; at none
 * (JOB_PLAN_JOB) is what holds for the job.
 */
enum { JOB_PLAN_JOB = -1 };
long job_plan_views(const struct job_plan *);
void job_plan_look(struct job_plan *, long view);

/*
 * Complete the options with S-TFManager's defaults (one task, one GPU) and
 * ours, where the user did not say otherwise anywhere, into job->options.
 * words are the user's own, as typed.
 */
void job_plan_options(struct job_plan *, const struct strlist *words);

/*
 * Write batch.sh: path is the job's directory, runner that of stfm-run.
 */
void job_plan_batch(struct job_plan *, const char *path, const char *runner);

/* The same of a job that is stored, as a text to free. */
char *job_plan_batch_text(const struct store_job *,
    const struct sbatch_script *, const char *path, const char *runner);

/*
 * Checks, each with a refusal that names what to change.  job_plan_check_local
 * needs no Slurm: the command, its placeholders, directories, #SBATCH lines
 * that Slurm would pass over.
 */
int job_plan_check_local(const struct job_plan *, struct error *e);
int job_plan_check_cluster(
    struct job_plan *, const struct queue_cluster *, struct error *e);

/* Whether that, or job_policy_options_limits, goes by what the nodes have. */
int job_plan_asks_nodes(struct job_plan *);

#endif
