/*
 * The checkpoints in a directory, recognized by their names.  A file of
 * PyTorch, Keras and similar libraries is one checkpoint.  The several files of
 * a TensorFlow checkpoint are one, and so is a checkpoint directory
 * (SavedModel, DeepSpeed, sharded).  Other directories are searched.  Links are
 * not followed.
 *
 * Checkpoints whose names differ only in numbers form a series: "ckpt-1" and
 * "ckpt-2".  Numbers of ranks do not count: "rank0.pt" and "rank1.pt" are parts
 * of one checkpoint, and so are "model.pt" and "optim.pt".
 */
#ifndef STFM_CHECKPOINT_SCAN_H
#define STFM_CHECKPOINT_SCAN_H

#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "base/strlist.h"

struct checkpoint {
	char *name;   /* "run/last.pt"; ".": the whole directory is one */
	char *series; /* equal for all checkpoints of a series */
	struct strlist files; /* paths; the first identifies the checkpoint */
	int64_t bytes;        /* bytes in all its files */
	struct timespec changed; /* time of the newest file */
	int named;               /* a link or TensorFlow's list names it */
};

struct checkpoints {
	struct checkpoint *item; /* newest first */
	size_t count;
	int64_t bytes; /* bytes of all files there */
	/*
	 * Number of files that are in no complete checkpoint, without links and
	 * lists, and the name of one of them, or NULL.
	 */
	uint64_t others;
	char *other;
	/* Links out of the directory: "run/old.pt" and its target, in pairs. */
	struct strlist links;
};

/*
 * List the checkpoints in directory name of the open directory dir, in out;
 * call checkpoints_free.  Returns 0, also if name does not exist, or -1 if it
 * is a link or cannot be read.
 */
int checkpoints_read(
    int dir, const char *name, struct checkpoints *out, struct error *e);
void checkpoints_free(struct checkpoints *);

/*
 * Return whether a checkpoint is newer than another one: by time, or by number
 * if the times are equal.
 */
int checkpoint_is_newer(
    const struct checkpoint *, const struct checkpoint *than);

#endif
