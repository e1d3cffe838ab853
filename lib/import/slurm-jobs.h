/*
 * Importing jobs of Slurm that stfm did not submit: the trainings of a user's
 * own batch script become a job.  Each array is a chunk, and so is each job
 * without an array; the chunk is claimed from the start and followed like any
 * other.  Nothing in Slurm is changed.
 *
 * stfm-run does not run in such a task, so everything that is known of it comes
 * from Slurm: see state/resolve.h.
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
	/* Their names are "3", "12" or "12_3"; they have no points yet. */
	struct import_stfmanager tasks;
	struct import_slurm_job *job; /* the jobs of Slurm */
	size_t count;
	char *name;      /* the first one's name in Slurm */
	char *directory; /* where the first one started, or NULL */
	char *what;      /* "Slurm job 12" */
};

/*
 * Find jobs by their Slurm ids, in Slurm or, if it forgot them, in its
 * accounting.  Jobs of other users, jobs that stfm submitted and jobs that a
 * job of the store (NULL: no store) has imported are refused.  Returns 0, or -1
 * with *out empty, and ERROR_SILENT if Slurm or its accounting did not answer.
 */
int import_slurm_find(const struct store *, char *const ids[], size_t count,
    struct import_slurm *out, struct error *e);
void import_slurm_free(struct import_slurm *);

/*
 * Store the job of the plan, which has its name and its points.  Returns 0, or
 * -1 with the store unchanged.  Slurm jobs that another job of the store has
 * imported are refused; of two simultaneous imports one succeeds.  The code is
 * ERROR_LATER if other programs were in the way.
 */
int import_slurm_store(struct import_slurm *, struct job_plan *,
    const struct store *, struct error *e);

#endif
