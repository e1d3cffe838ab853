/*
 * A fact says what happened to one run of a task: a file that is published
 * once.  Its name carries the state, run/000/000123.0.1.E3: task 123, attempt
 * 0, Slurm restart 1, ended with 3.
 */
#ifndef STFM_STORE_FACT_H
#define STFM_STORE_FACT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/job.h"

enum { STORE_KIND = 24, STORE_FACT_NAME = 96 };

/*
 * The name of a fact.  kind is "S" started, "E" and the exit code (128 + the
 * signal for one that was killed), "Q" ended to be put back into the queue, or
 * "X" and a state in which Slurm says that it ended, such as "XTIMEOUT".  Where
 * there is a "Q", an "E" beside it says that Slurm did not put it back.
 */
struct store_fact {
	uint64_t task;
	uint32_t attempt, restart;
	char kind[STORE_KIND];
	int in_file; /* in a listing: it has a file of its own */
};

/* Which run of its task something is of: a fact, a row, a brief one. */
struct store_run {
	uint32_t attempt, restart;
};

#define STORE_RUN(x) ((struct store_run){(x)->attempt, (x)->restart})

/* The order of two runs of a task; as strcmp. */
int store_run_compare(struct store_run, struct store_run);

/* What a fact holds; texts belong to it.  Unknown times and numbers are -1. */
struct store_fact_body {
	char *slurm; /* "4102_3" */
	char *node;
	char *gpus;     /* "0,1" of that node, "0,1+6" with 6 of others */
	char *log;      /* where its output goes */
	char *err;      /* where its errors go, when that is elsewhere */
	int64_t time;   /* by the clock of the node */
	int64_t start;  /* of the training; ends only */
	int64_t exit;   /* exit code, ends only */
	int64_t signal; /* that killed the training, or 0 */
	int64_t asked;  /* signal by which it was asked to end, or 0 */
	int64_t heard;  /* another signal that came before its end, or 0 */
	int64_t memory; /* peak resident bytes of the largest process */
	int64_t cpu;    /* milliseconds */
	char *account;  /* of Slurm's accounting, where there is one */
	char *qos;      /* ... */
	char *reason;   /* why it did not train, or NULL */
	char *cause;    /* what to call the failure, or NULL: by the numbers */
	char *usage; /* the use of its machine, see usage/usage.h; ends only */
	/* What it trains with, see runner/software.h; starts only. */
	char *packages, *gpu_models, *driver;
	/* How often Slurm had put the task back, when the name has more. */
	int64_t restarts;
};

void store_fact_body_free(struct store_fact_body *);

/* How many GPUs such a text has; 0 for NULL. */
uint64_t store_fact_gpus(const char *gpus);

/* A body of which nothing is known. */
struct store_fact_body store_fact_body(void);

/* Write the file name of a fact, without its directory, into out. */
void store_fact_name(const struct store_fact *, char out[STORE_FACT_NAME]);

/* Read a name back: whether it is one that store_fact_name writes. */
int store_fact_parse(const char *name, struct store_fact *out);

/* The order of facts: by task, attempt, restart and kind; as strcmp. */
int store_fact_compare(const struct store_fact *, const struct store_fact *);

/*
 * The directory of a task's facts, run/000, which some tasks share.  Whoever
 * packs facts removes those that are empty.  errno is ENOENT when there is none
 * and make is false.
 */
uint64_t store_fact_shard(uint64_t task);
int store_fact_open(
    const struct store_job *, uint64_t task, int make, struct error *e);
int store_fact_is_shard(const char *name, uint64_t task);
void store_fact_remove_empty(const struct store_job *, uint64_t task);

/* Publish a fact: 0 done, 1 it was there already, or -1. */
int store_fact_publish(const struct store_job *, const struct store_fact *,
    const struct store_fact_body *, struct error *e);

/*
 * Read what the file of a fact holds.  errno is ENOENT when it is not there
 * (it may be packed: store_facts_read looks there too), EBADMSG when it is
 * damaged, ENOMSG when it is another fact, or one of another job, as far as
 * damage lets that be seen.
 */
int store_fact_read(const struct store_job *, const struct store_fact *,
    struct store_fact_body *out, struct error *e);

/* Read it from its text; what names it in the reason. */
int store_fact_take(const struct store_job *, const struct store_fact *,
    const char *text, size_t length, const char *what,
    struct store_fact_body *out, struct error *e);

/*
 * Whether the file of a fact is whole, but does not say that it is this one.
 * *own is then the fact that it is, if it is one of this job; else its kind is
 * empty.
 */
int store_fact_is_misplaced(const struct store_job *, int dir, const char *name,
    struct store_fact *own);

#endif
