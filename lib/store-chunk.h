/*
 * A chunk is a set of tasks that go to Slurm as one array: its k-th index is
 * the chunk's k-th task.  Its intent is written before sbatch is called, its
 * claim names the one array whose tasks may train.
 */
#ifndef STFM_STORE_CHUNK_H
#define STFM_STORE_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "ranges.h"
#include "store-job.h"

struct store_chunk {
	char *name;  /* "c000.0" */
	char *token; /* begins the comment of its jobs */
	struct ranges tasks;
	uint32_t attempt;
	int64_t throttle; /* its share of --parallel, or 0 */
	int64_t time;     /* of the intent, by the file system's clock */
	uint32_t array;   /* of the claim, or 0 while there is none */
};

struct store_chunks {
	struct store_chunk *chunk; /* by name */
	size_t count;
	struct words damaged; /* reasons: one for each that is not whole */
};

/*
 * List them all; -1 when one cannot be read now: nothing can be said then of
 * tasks that seem to be in no chunk.
 */
int store_chunks_list(
    const struct store_job *, struct store_chunks *out, struct error *e);
void store_chunks_free(struct store_chunks *);

/* Read one chunk; otherwise as store_chunks_list. */
int store_chunk_read(const struct store_job *, const char *name,
    struct store_chunk *out, struct error *e);
void store_chunk_free(struct store_chunk *);

/* Publish the intent of a chunk: 0, 1 it was there already, or -1. */
int store_intent(
    const struct store_job *, const struct store_chunk *, struct error *e);

/*
 * Claim the chunk for an array unless it is claimed.  *array is then the array
 * that has it.  Returns 0, or -1.
 */
int store_claim(const struct store_job *, const char *chunk, uint32_t *array,
    struct error *e);

#endif
