/*
 * A chunk is a set of tasks that go to Slurm as one job array.  The k-th index
 * of the array runs the chunk's k-th task.  If tasks are packed, the k-th index
 * runs the k-th group of pack tasks side by side.
 *
 * A chunk has these records.  The intent describes it and is published first.
 * A try announces a call of sbatch.  A refusal follows a try that is known to
 * have queued nothing.  The claim names the only array whose tasks may train.
 *
 * A chunk is claimed once: by an array, to be cut in two ("c00001.0" into
 * "c00001.0a" and "c00001.0b"), or to be withdrawn.  If sbatch queues it later
 * nevertheless, its tasks do not train.
 *
 * An adopted chunk stands for an array, or a job that is not an array, that was
 * queued without stfm.  Its k-th task is the k-th index of that array.
 */
#ifndef STFM_STORE_CHUNK_H
#define STFM_STORE_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"

struct store_job;

enum store_claim { STORE_OPEN, STORE_ARRAY, STORE_CUT, STORE_WITHDRAWN };

struct store_chunk {
	char *name;  /* "c00000.0" */
	char *token; /* starts the comment of its jobs; or see queue_adopt */
	struct idset tasks;
	uint32_t attempt;
	int resume; /* from the checkpoints of the previous attempt */
	struct strlist options; /* for sbatch, after those of the job */
	char *why;            /* why it was queued again, for people; or NULL */
	int64_t code;         /* number of the copy of the code that it runs */
	int64_t throttle;     /* indices that run at once; 0: no limit */
	int64_t pack;         /* tasks per index; 0 means 1 */
	int adopted;          /* it was queued without stfm */
	struct idset indices; /* if adopted; empty: not an array */
	char *log, *err;      /* if adopted; see slurm/sbatch-output.h */
	int64_t time;         /* of the intent, by the file system's clock */
	enum store_claim claim;
	uint32_t array;  /* the array that claimed it, or 0 */
	int64_t claimed; /* when it was claimed, by that clock; or 0 */

	/* Only of an open chunk: */
	uint32_t tries; /* announced calls of sbatch */
	int64_t tried;  /* when the last was announced, by that clock */
	int refused;    /* the last one queued nothing */
	char *refusal;  /* why: a limit ("MaxJobCount") or a sentence */
	int bad_array;  /* Slurm refuses this array; others may be taken */
	uint64_t alive; /* tasks of this user in the queue at the time */
};

/* Return how many indices the chunk's array has. */
uint64_t store_chunk_size(const struct store_chunk *);

/* Return the index of a task of the chunk; -1 if the job is not an array. */
int64_t store_chunk_index(const struct store_chunk *, uint64_t task);

/*
 * Return the index at a place, counted from 0, or -1 for a job that is not an
 * array.
 */
int64_t store_chunk_at(const struct store_chunk *, uint64_t place);

/* Return the place of an index, or the size of the chunk if it has none. */
uint64_t store_chunk_place(const struct store_chunk *, uint64_t index);

/*
 * Return how many tasks share the index at a place, and set *first to the
 * position of the first of them among the tasks of the chunk.  Returns 0 if
 * there is no such place.
 */
uint64_t store_chunk_packed(
    const struct store_chunk *, uint64_t place, uint64_t *first);

struct store_chunks {
	struct store_chunk *chunk; /* by name */
	size_t count;
	struct strlist damaged; /* a reason for each damaged record */
};

/*
 * List the chunks for whose name wanted(name, arg) is true.  Result and errors
 * are those of store_chunks_list.
 */
int store_chunks_some(const struct store_job *,
    int (*wanted)(const char *chunk, const void *arg), const void *arg,
    struct store_chunks *out, struct error *e);

/*
 * List all chunks; *out is to be freed with store_chunks_free.  Damaged chunks
 * are named in out->damaged.  Returns 0, or -1 if one cannot be read now: a
 * task that seems to be in no chunk may be in that one.
 */
static inline int
store_chunks_list(
    const struct store_job *job, struct store_chunks *out, struct error *e)
{
	return store_chunks_some(job, NULL, NULL, out, e);
}

/*
 * List all chunks for a decision that depends on each of them.  Returns 0, or
 * -1 if one is damaged (ERROR_DAMAGED) or cannot be read now.
 */
int store_chunks_whole(
    const struct store_job *, struct store_chunks *out, struct error *e);
void store_chunks_free(struct store_chunks *);

/* Return whether a chunk, or its piece with the task, was withdrawn. */
int store_chunk_gave_up(
    const struct store_chunks *, const struct store_chunk *, uint64_t task);

/* Read one chunk, to store_chunk_free.  Returns 0, or -1. */
int store_chunk_read(const struct store_job *, const char *name,
    struct store_chunk *out, struct error *e);
void store_chunk_free(struct store_chunk *);

/* Read only the intent of a chunk, to store_chunk_free.  Returns 0, or -1. */
int store_intent_read(const struct store_job *, const char *name,
    struct store_chunk *out, struct error *e);

/*
 * Read only the claim of a chunk.  Sets claim, array and time (of the claim).
 * Returns 0, or -1 if there is no claim or it is damaged.
 */
int store_claim_read(const struct store_job *, const char *name,
    struct store_chunk *out, struct error *e);

/*
 * Link the batch script of a job to a name that holds the chunk's token, for
 * sbatch.  Slurm records the path of the script, which neither a site nor a
 * user can change.  Returns the path, to free, or NULL; remove it after sbatch.
 */
char *store_chunk_link(
    const struct store_job *, const struct store_chunk *, struct error *e);

/* Publish the intent of a chunk.  Returns 0, 1 if there is one, or -1. */
int store_intent(
    const struct store_job *, const struct store_chunk *, struct error *e);

/*
 * Write the intent of a chunk without making it durable: the try that must
 * follow at once does that.  Returns 0, 1 if there is one already, or -1.
 */
int store_intent_place(
    const struct store_job *, const struct store_chunk *, struct error *e);

/*
 * Publish that sbatch is about to be called for the n-th time, counted from 1.
 * Returns 0 if this program may call it, 1 if another program was first, or -1.
 */
int store_try(
    const struct store_job *, const char *chunk, uint32_t n, struct error *e);

/*
 * Publish that the n-th call queued nothing.  why->text is the reason; if
 * why->code is ERROR_REFUSED, Slurm refuses this array.  alive is how many
 * tasks the user had in the queue.  Returns 0, 1 if this was published before,
 * or -1.
 */
int store_refusal(const struct store_job *, const char *chunk, uint32_t n,
    const struct error *why, uint64_t alive, struct error *e);

/*
 * Claim the chunk for *array unless it is claimed.  *array is set to the array
 * that has it, or to 0 if it was cut or withdrawn.  Returns 0, or -1.
 */
int store_claim(const struct store_job *, const char *chunk, uint32_t *array,
    struct error *e);

/*
 * Claim the chunk as STORE_CUT or STORE_WITHDRAWN.  Returns 0, 1 if it was
 * claimed before, or -1.
 */
int store_chunk_close(const struct store_job *, const char *chunk,
    enum store_claim, struct error *e);

#endif
