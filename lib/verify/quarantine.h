/*
 * The quarantine, STORE/lost/TIME.RANDOM/: a repair moves damaged files there,
 * each to the path that it had relative to the store.
 *
 * A remade file must replace the damaged one in one step: if we were killed
 * between two steps, no trace of the file would remain.  So it is made on a
 * stage, a directory next to the quarantine, at the same path.
 */
#ifndef STFM_VERIFY_QUARANTINE_H
#define STFM_VERIFY_QUARANTINE_H

#include "store/job.h"

struct quarantine {
	const struct store *store;
	char *path; /* "lost/20261121T153000Z.RANDOM"; made when needed */
	int moved;  /* it contains something */
};

void quarantine_begin(struct quarantine *, const struct store *);

/* Remove the stage; moved files stay in the quarantine. */
void quarantine_end(struct quarantine *);

/* Move a path of the store: 0, or -1; ENOENT if it does not exist. */
int quarantine_move(struct quarantine *, const char *path, struct error *e);

/*
 * Open a directory of the stage by its path in the store, "" or "jobs/conv2d/".
 * Returns its descriptor, or -1.
 */
int quarantine_stage(struct quarantine *, const char *path, struct error *e);

/*
 * Make a copy of a job whose records go to the stage.  Close its dir, which is
 * -1 after a failure.
 */
int quarantine_stage_job(struct quarantine *, const struct store_job *,
    struct store_job *staged, struct error *e);

/*
 * Move the file at a path of the stage to that path of the store, and the file
 * that was there to the quarantine.
 */
int quarantine_take_place(
    struct quarantine *, const char *path, struct error *e);

#endif
