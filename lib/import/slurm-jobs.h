/*
 * Importing jobs of Slurm that stfm did not submit: the trainings of a user's
 * own batch script become a job.  Each array is a chunk, and so is each job
 * without an array; the chunk is claimed from the start and followed like any
 * other.  Nothing in Slurm is changed.
 *
 * stfm-run does not run in such a task, so all information about it comes from
 * Slurm: see state/resolve.h.
 */
#ifndef STFM_IMPORT_SLURM_JOBS_H
#define STFM_IMPORT_SLURM_JOBS_H

#include <stdint.h>

#include "base/error.h"
#include "import/stfmanager.h"
#include "store/store.h"
#include "submit/plan.h"

struct import_slurm_job;

struct import_slurm {
	/*
	 * The tasks, in the type of an import of S-TFManager's jobs; they have
	 * no points yet.  A task of a single array is called by its index, "3";
	 * of several arrays by its id in Slurm, "12_3", or "12" if its job has
	 * no array.
	 */
	struct import_stfmanager tasks;
	struct import_slurm_job *job; /* the jobs of Slurm */
	size_t count;
	char *name;      /* name of the first job in Slurm */
	char *directory; /* where the first job started, or NULL */
	char *what;      /* "Slurm job 12" */
};

/*
 * Find jobs by their Slurm ids, in Slurm or, if Slurm forgot them, in its
 * accounting.  Refuses jobs of other users, jobs that stfm submitted and jobs
 * that a job of the store (NULL: no store) has imported.  Returns 0, or -1 with
 * *out empty; the code is ERROR_SILENT if Slurm or its accounting did not
 * answer.
 */
int import_slurm_find(const struct store *, char *const ids[], size_t count,
    struct import_slurm *out, struct error *e);
void import_slurm_free(struct import_slurm *);

/*
 * Store the job of the plan.  The caller has set its name, and its points with
 * import_stfmanager_points.  Refuses Slurm jobs that another job of the store
 * has imported; of two simultaneous imports one succeeds.  Returns 0, or -1
 * with the store unchanged; the code is ERROR_LATER if another process holds a
 * lock.
 */
int import_slurm_store(struct import_slurm *, struct job_plan *,
    const struct store *, struct error *e);

#endif
