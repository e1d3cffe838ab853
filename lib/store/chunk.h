/*
 * A chunk is a set of tasks that go to Slurm as one array: its k-th index is
 * the chunk's k-th task, or, where they are packed, its k-th few tasks, which
 * run beside each other.  The intent says what it is and has to be there
 * before anything else; each call of sbatch is announced by a try, and one
 * that is known to have queued nothing gets a refusal; the claim names the one
 * array whose tasks may train.
 *
 * A chunk is claimed once.  Instead of by an array it can be claimed to be cut
 * in two, "c00001.0" into "c00001.0a" and "c00001.0b", or to be withdrawn.  So
 * whatever of it comes into the queue later never trains.
 *
 * A chunk can also be adopted: the array, or the job without one, was queued by
 * others, and its k-th task stands at the k-th of the indices that it has.
 */
#ifndef STFM_STORE_CHUNK_H
#define STFM_STORE_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"
#include "store/job.h"

enum store_claim { STORE_OPEN, STORE_ARRAY, STORE_CUT, STORE_WITHDRAWN };

struct store_chunk {
	char *name;  /* "c00000.0" */
	char *token; /* begins the comment of its jobs, or see queue_adopt */
	struct idset tasks;
	uint32_t attempt;
	int resume;             /* from the checkpoints of the attempt before */
	struct strlist options; /* for sbatch, behind those of the job */
	char *why;              /* it was queued again, for people; or NULL */
	int64_t throttle;       /* the most indices at once, or 0 */
	int64_t pack;           /* tasks at one index: 0 and 1 are one */
	int adopted;            /* others queued it */
	struct idset indices;   /* ... at these; none: it is no array */
	char *log,
	    *err;     /* ... its output and errors: see slurm/sbatch-output.h */
	int64_t time; /* of the intent, by the file system's clock */
	enum store_claim claim;
	uint32_t array;  /* that claimed it, or 0 */
	int64_t claimed; /* when, by the file system's clock; or 0 */

	/* While it is open. */
	uint32_t tries;  /* how often sbatch was called, or was about to be */
	int64_t tried;   /* the last time, by the file system's clock */
	int refused;     /* ... and nothing was queued by that: */
	char *refusal;   /* why, a limit ("MaxJobCount") or a sentence */
	uint64_t beside; /* tasks of the user in the queue then */
};

/* How many indices its array has. */
uint64_t store_chunk_size(const struct store_chunk *);

/* The index of one of its tasks; -1 for a job that is no array. */
int64_t store_chunk_index(const struct store_chunk *, uint64_t task);

/*
 * The index at a place, counted from 0, and the place of an index, which is the
 * size of the chunk where it has no such index.
 */
int64_t store_chunk_at(const struct store_chunk *, uint64_t place);
uint64_t store_chunk_place(const struct store_chunk *, uint64_t index);

/*
 * How many tasks stand at a place, and the first of them by their position
 * among all of the chunk: 0 where there is no such place.
 */
uint64_t store_chunk_beside(
    const struct store_chunk *, uint64_t place, uint64_t *first);

struct store_chunks {
	struct store_chunk *chunk; /* by name */
	size_t count;
	struct strlist damaged; /* reasons: one for each that is not whole */
};

/*
 * List them all; -1 when one cannot be read now: nothing can be said then of
 * tasks that seem to be in no chunk.
 */
int store_chunks_list(
    const struct store_job *, struct store_chunks *out, struct error *e);

/* The same of those whose names are wanted alone. */
int store_chunks_some(const struct store_job *,
    int (*wanted)(const char *chunk, const void *arg), const void *arg,
    struct store_chunks *out, struct error *e);

/* The same for a decision: -1 also when one is damaged: store_directory_whole.
 */
int store_chunks_whole(
    const struct store_job *, struct store_chunks *out, struct error *e);
void store_chunks_free(struct store_chunks *);

/* Whether a chunk was withdrawn for a task, itself or in a part of it. */
int store_chunk_gave_up(
    const struct store_chunks *, const struct store_chunk *, uint64_t task);

/* Read one chunk; otherwise as store_chunks_list. */
int store_chunk_read(const struct store_job *, const char *name,
    struct store_chunk *out, struct error *e);
void store_chunk_free(struct store_chunk *);

/* Read the intent of a chunk alone. */
int store_intent_read(const struct store_job *, const char *name,
    struct store_chunk *out, struct error *e);

/*
 * Read the claim of a chunk alone: only claim, array and, when it was claimed,
 * time are set.  -1 when there is none, or it is damaged.
 */
int store_claim_read(const struct store_job *, const char *name,
    struct store_chunk *out, struct error *e);

/*
 * Link the batch script of a job to a name that holds the token of a chunk.
 * sbatch is called with it: Slurm keeps the path of a script in the record of
 * the job, where neither a site nor its user can change it.  Returns the path,
 * to store_chunk_unlink, or NULL.
 */
char *store_chunk_link(
    const struct store_job *, const struct store_chunk *, struct error *e);

/* Remove the link, which nobody needs after sbatch, and free the path. */
void store_chunk_unlink(const struct store_job *, char *path);

/* Publish the intent of a chunk: 0, 1 it was there already, or -1. */
int store_intent(
    const struct store_job *, const struct store_chunk *, struct error *e);

/* The same for a chunk whose try follows at once, which makes it durable. */
int store_intent_place(
    const struct store_job *, const struct store_chunk *, struct error *e);

/*
 * Publish that sbatch is about to be called for the n-th time, from 1: 0 when
 * it is for this program to call it, 1 when somebody else was first, or -1.
 */
int store_try(
    const struct store_job *, const char *chunk, uint32_t n, struct error *e);

/* Publish that the n-th call has queued nothing: 0, 1 or -1 as before. */
int store_refusal(const struct store_job *, const char *chunk, uint32_t n,
    const char *why, uint64_t beside, struct error *e);

/*
 * Claim the chunk for an array unless it is claimed.  *array is then the array
 * that has it, 0 when it was cut or withdrawn.  Returns 0, or -1.
 */
int store_claim(const struct store_job *, const char *chunk, uint32_t *array,
    struct error *e);

/*
 * Claim the chunk to be cut or withdrawn: 0, 1 when it was claimed before, or
 * -1.
 */
int store_chunk_close(const struct store_job *, const char *chunk,
    enum store_claim, struct error *e);

#endif
