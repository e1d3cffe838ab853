/*
 * The checkpoint directories of the attempts of a task.  An attempt from
 * scratch has its own; an attempt that resumes uses that of the attempt before
 * it.
 */
#ifndef STFM_JOB_CHECKPOINT_DIR_H
#define STFM_JOB_CHECKPOINT_DIR_H

#include <stdint.h>

#include "base/error.h"

struct store_chunks;
struct store_job;

/*
 * Return the attempt that created the checkpoint directory of an attempt:
 * itself or an earlier one.
 */
uint32_t job_checkpoint_origin(
    const struct store_chunks *, uint64_t task, uint32_t attempt);

/* Return whether the chunks of all attempts back to its origin are known. */
int job_checkpoint_is_known(
    const struct store_chunks *, uint64_t task, uint32_t attempt);

/* Return the checkpoint directory of an attempt from scratch; to free. */
char *job_checkpoint_path(
    const struct store_job *, uint64_t task, uint32_t origin);

/* Return whether the directory has any content: 1, 0, or -1 if unknown now. */
int job_checkpoint_is_there(
    const struct store_job *, uint64_t task, uint32_t origin, struct error *e);

/*
 * The regular files below a checkpoint directory.  Files behind a symbolic link
 * do not count.
 */
struct job_checkpoint_files {
	int64_t newest; /* when one was written last, or -1: there is none */
	char *link;     /* path of a link to a place outside, or NULL */
};

/* Look at a directory, which may be missing.  *out is for the next function. */
void job_checkpoint_look(const char *path, struct job_checkpoint_files *out);
void job_checkpoint_files_free(struct job_checkpoint_files *);

#endif
