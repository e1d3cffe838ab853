/*
 * The checkpoints in a directory, told by their names: files of PyTorch, Keras
 * and the like one by one; what TensorFlow keeps in several files, and a
 * directory that is one checkpoint (SavedModel, DeepSpeed, sharded ones), as
 * one.  A directory that is none is searched.  No link is followed.
 *
 * Checkpoints whose names differ in numbers alone are of one series: "ckpt-1"
 * and "ckpt-2", but neither "model.pt" and "optim.pt", which belong together,
 * nor "rank0.pt" and "rank1.pt".
 */
#ifndef STFM_CHECKPOINT_SCAN_H
#define STFM_CHECKPOINT_SCAN_H

#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "base/strlist.h"

struct job_unit {
	char *name;         /* "run/last.pt"; ".": all of the place is one */
	char *series;       /* the same for all of a series */
	struct words files; /* paths; without the first it is none */
	int64_t bytes;      /* of all files in it */
	struct timespec changed; /* the newest of them */
	int named;               /* a link or TensorFlow's list names it */
};

struct job_units {
	struct job_unit *unit; /* the newest first */
	size_t count;
	int64_t bytes;   /* of all that is there */
	uint64_t others; /* files that are no checkpoint, or half of one */
	/* Links out of the directory: "run/old.pt" and where it leads. */
	struct words links;
};

/*
 * The checkpoints in the directory name of an open one.  Returns 0, also where
 * there is none, or -1: it is a link, or cannot be read.
 */
int job_units_read(
    int dir, const char *name, struct job_units *out, struct error *e);
void job_units_free(struct job_units *);

/* Whether one is newer than another: by its time, else by its number. */
int job_unit_is_newer(const struct job_unit *, const struct job_unit *than);

#endif
