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

struct checkpoint {
	char *name;           /* "run/last.pt"; ".": all of the place is one */
	char *series;         /* the same for all of a series */
	struct strlist files; /* paths; without the first it is none */
	int64_t bytes;        /* of all files in it */
	struct timespec changed; /* the newest of them */
	int named;               /* a link or TensorFlow's list names it */
};

struct checkpoints {
	struct checkpoint *unit; /* the newest first */
	size_t count;
	int64_t bytes;   /* of all that is there */
	uint64_t others; /* files that are no checkpoint, or half of one */
	/* Links out of the directory: "run/old.pt" and where it leads. */
	struct strlist links;
};

/*
 * The checkpoints in the directory name of an open one.  Returns 0, also where
 * there is none, or -1: it is a link, or cannot be read.
 */
int checkpoints_read(
    int dir, const char *name, struct checkpoints *out, struct error *e);
void checkpoints_free(struct checkpoints *);

/* Whether one is newer than another: by its time, else by its number. */
int checkpoint_is_newer(
    const struct checkpoint *, const struct checkpoint *than);

#endif
