/*
 * A job out of jobs of Slurm's that were not made here: what a batch script of
 * the user's trains.  Each array is a chunk, and so is each job without one; it
 * is claimed from the first, and followed like any other.  Nothing in Slurm is
 * changed by that.
 *
 * No program of ours runs in such a task, so that all that is ever known of it
 * comes from Slurm: see state/resolve.h.
 */
#ifndef STFM_IMPORT_SLURM_JOBS_H
#define STFM_IMPORT_SLURM_JOBS_H

#include <stdint.h>

#include "base/error.h"
#include "import/stfmanager.h"
#include "store/store.h"
#include "submit/plan.h"

struct import_slurm_found;

struct import_slurm {
	struct import_stfmanager
	    tasks; /* named as Slurm does: "3", "12", "12_3" */
	struct store_chunk *chunk;
	struct import_slurm_found *found; /* what Slurm said of each chunk */
	size_t count;                     /* of chunks */
	char *name;      /* of the first of the jobs, as Slurm has it */
	char *directory; /* where that began; or NULL */
	char **command;  /* of each, with its arguments; or NULL */
	char *what;      /* "Slurm job 12" */
};

/*
 * Ask Slurm for these jobs, by their ids, and where it has forgotten one its
 * accounting.  Refused are those of other users, those that are in the queue
 * for stfm, and those that a job of the store, which may be NULL, has adopted.
 * Returns 0, or -1 with *out empty, and errno EAGAIN when Slurm or its
 * accounting did not answer.
 */
int import_slurm_find(const struct store *, char *const ids[], size_t count,
    struct import_slurm *out, struct error *e);
void import_slurm_free(struct import_slurm *);

/*
 * Give the tasks their points, as import_stfmanager_points does; text NULL:
 * what Slurm calls them, and their commands where these differ.
 */
int import_slurm_points(struct import_slurm *, struct job_plan *,
    const char *file, const char *text, size_t length, struct error *e);

/*
 * Store the job of the plan, which has its name and its points: 0, or -1 with
 * the store as before.  Refused is then, too, what another job of the store has
 * adopted: of two that are stored at once one is.  EAGAIN: others were in the
 * way.
 */
int import_slurm_store(struct import_slurm *, struct job_plan *,
    const struct store *, struct error *e);

#endif
