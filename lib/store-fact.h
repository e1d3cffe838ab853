/*
 * Facts, claims and wishes: the small records of a job that are written while
 * it lives.  Each is a file that is published once.
 *
 * A fact says what happened to one run of a task.  Its name carries the state,
 * run/000/000123.0.1.E3: task 123, attempt 0, Slurm restart 1, ended with 3.
 */
#ifndef STFM_STORE_FACT_H
#define STFM_STORE_FACT_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "ranges.h"
#include "store-job.h"

enum { STORE_KIND = 24, STORE_FACT_NAME = 96 };

/*
 * The name of a fact.  kind is "S" started, "E" and the exit code (128 + the
 * signal for one that was killed), or "X" and a state in which Slurm says that
 * it ended, such as "XTIMEOUT".
 */
struct store_fact {
	uint64_t task;
	uint32_t attempt, restart;
	char kind[STORE_KIND];
};

/* What a fact holds; texts belong to it.  Unknown times and numbers are -1. */
struct store_fact_body {
	char *slurm; /* "4102_3" */
	char *node, *gpus;
	char *log;      /* where its output goes */
	char *err;      /* where its errors go, when that is elsewhere */
	int64_t time;   /* by the clock of the node */
	int64_t start;  /* of the training; ends only */
	int64_t exit;   /* exit code, ends only */
	int64_t signal; /* that killed the training, or 0 */
	int64_t asked;  /* signal by which it was asked to end, or 0 */
	int64_t memory; /* peak resident bytes of the largest process */
	int64_t cpu;    /* milliseconds */
	char *reason;   /* why it did not train, or NULL */
};

void store_fact_body_free(struct store_fact_body *);

/* A body of which nothing is known. */
struct store_fact_body store_fact_body(void);

/* Write the file name of a fact, without its directory, into out. */
void store_fact_name(const struct store_fact *, char out[STORE_FACT_NAME]);

/* Publish a fact: 0 done, 1 it was there already, or -1. */
int store_fact_publish(const struct store_job *, const struct store_fact *,
    const struct store_fact_body *, struct error *e);

/* All facts of a job. */
struct store_facts {
	struct store_fact *fact; /* by task, attempt, restart */
	size_t count;
	size_t strange; /* names in run/ that are no fact */
};

/* List them in full; free with store_facts_free. */
int store_facts_list(
    const struct store_job *, struct store_facts *out, struct error *e);
void store_facts_free(struct store_facts *);

/* Read what a fact holds; errno is EBADMSG when it is damaged. */
int store_fact_read(const struct store_job *, const struct store_fact *,
    struct store_fact_body *out, struct error *e);

/*
 * A chunk is a set of tasks that go to Slurm as one array: its k-th index is
 * the chunk's k-th task.  Its intent is written before sbatch is called, its
 * claim names the one array whose tasks may train.
 */
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
	struct words damaged; /* reasons: one for each that cannot be read */
};

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

/* A wish to stop tasks in an attempt. */
struct store_wish {
	struct ranges tasks;
	uint32_t attempt;
	int64_t time; /* by the clock of the host where it was made */
};

struct store_wishes {
	struct store_wish *wish;
	size_t count;
	struct words damaged; /* reasons: one for each that cannot be read */
};

/* Publish a wish to stop. */
int store_wish(
    const struct store_job *, const struct store_wish *, struct error *e);
int store_wishes_list(
    const struct store_job *, struct store_wishes *out, struct error *e);
void store_wishes_free(struct store_wishes *);

/* Whether somebody wished this run of the task to stop. */
int store_wished(const struct store_wishes *, uint64_t task, uint32_t attempt);

#endif
