/*
 * STORE/lost/TIME.RANDOM/: where a repair moves what is damaged, each file
 * under the path that it had below the store's.
 *
 * What is made again takes the place of what is damaged at once: should we be
 * ended between the two, nobody would know any more that there was something.
 * So it is made on a stage beside that directory, at the same path.
 */
#ifndef STFM_VERIFY_QUARANTINE_H
#define STFM_VERIFY_QUARANTINE_H

#include "store/job.h"

struct quarantine {
	const struct store *store;
	char *path; /* "lost/20261121T153000Z.RANDOM"; made when it is needed */
	int moved;  /* there is something in it */
};

void quarantine_begin(struct quarantine *, const struct store *);

/* Remove the stage; what was moved stays where it is. */
void quarantine_end(struct quarantine *);

/* Move a path of the store.  -1 with ENOENT when it is not there. */
int quarantine_move(struct quarantine *, const char *path, struct error *e);

/* Open a directory of the stage, as of the store: "", "jobs/conv2d/"; or -1. */
int quarantine_stage(struct quarantine *, const char *path, struct error *e);

/* A job like this one whose records go to the stage; its dir is to be closed,
 * and is -1 after a failure. */
int quarantine_stage_job(struct quarantine *, const struct store_job *,
    struct store_job *staged, struct error *e);

/*
 * Put what was made at a path of the stage into that place of the store, and
 * what is there into lost/.
 */
int quarantine_take_place(
    struct quarantine *, const char *path, struct error *e);

#endif
