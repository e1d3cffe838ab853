/*
 * A fact is one event of one run of a task, in a file that never changes.  Its
 * name holds the event: run/000/000123.0.1.E3 means task 123, attempt 0, Slurm
 * restart 1, ended with exit code 3.
 */
#ifndef STFM_STORE_FACT_H
#define STFM_STORE_FACT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/table-row.h"

struct store_job;

enum { STORE_KIND = 48, STORE_FACT_NAME = 112 };

/*
 * The name of a fact.  kind is "S" (started), "E" and the exit code (ended; 128
 * + N after signal N), "Q" (ended to be requeued), or "X" and the state in
 * which Slurm says that it ended, such as "XTIMEOUT".  An "E" in addition to a
 * "Q" means that Slurm did not requeue the task.  "R9=0.751" means that the
 * objective had this value at the rung of epoch 9; see store_fact_rung.  "P"
 * means that a sampler chose the point with which the task trains from this run
 * on.
 */
struct store_fact {
	uint64_t task;
	uint32_t attempt, restart;
	char kind[STORE_KIND];
	int in_file; /* set by listings: it has a file of its own */
};

/* The number of a run of a task, taken from a fact, a row or a brief row. */
struct store_run {
	uint32_t attempt, restart;
};

#define STORE_RUN(x) ((struct store_run){(x)->attempt, (x)->restart})

/* Compare two runs of a task, as strcmp does. */
int store_run_compare(struct store_run, struct store_run);

/* The content of a fact and its strings.  Unknown times and numbers are -1. */
struct store_fact_body {
	char *slurm; /* "4102_3" */
	char *node;
	char *gpus;     /* "0,1" of this node; "0,1+6": 6 more on other nodes */
	char *log;      /* path of its standard output */
	char *err;      /* path of its standard error, if it is another */
	int64_t time;   /* by the clock of the node */
	int64_t start;  /* start of the training; ends only */
	int64_t exit;   /* exit code, ends only */
	int64_t signal; /* the signal that killed the training, or 0 */
	int64_t asked;  /* the signal that asked it to end, or 0 */
	int64_t heard;  /* another signal before its end, or 0 */
	int64_t memory; /* peak resident bytes of the largest process */
	int64_t cpu;    /* CPU time in milliseconds */
	char *account;  /* Slurm's account, if there is accounting */
	char *qos;      /* Slurm's QOS */
	char *reason;   /* why it did not train, or NULL */
	char *cause;    /* the name of the failure; NULL: see exit, signal */
	char *usage;    /* machine usage, see usage/usage.h; ends only */
	/* Software and GPUs, see runner/software.h; starts only. */
	char *packages, *gpu_models, *driver;
	/* Slurm's count of requeues, if the fact's name has more. */
	int64_t restarts;
	int64_t offset; /* of a rung: bytes of the log that were read */
	char
	    *value; /* the best value of the objective; ends in a search only */
	/* Of a point: its line, as in points.tsv; who chose it, by what. */
	char *point, *sampler, *seen;
	int64_t parent; /* the task whose checkpoint it continues, or -1 */
};

/* Free the strings. */
void store_fact_body_free(struct store_fact_body *);

/* Return how many GPUs a string like the member gpus names; 0 for NULL. */
uint64_t store_fact_gpus(const char *gpus);

/* Return a body in which everything is unknown. */
struct store_fact_body store_fact_body(void);

/* Write the file name of a fact, without its directory, to out. */
void store_fact_name(const struct store_fact *, char out[STORE_FACT_NAME]);

/* Read a file name.  Returns 1, or 0 if store_fact_name writes no such name. */
int store_fact_parse(const char *name, struct store_fact *out);

/*
 * The value of the objective at a rung, an epoch counted from 1 at which the
 * trainings of a search are compared.  store_fact_set_rung makes a kind of it;
 * infinities become nan.  store_fact_rung returns whether the kind is a rung,
 * and sets *out, which may be NULL.
 */
struct store_rung {
	int64_t epoch;
	double value;
};
void store_fact_set_rung(struct store_fact *, struct store_rung);
int store_fact_rung(const struct store_fact *, struct store_rung *out);

/* Return whether a fact is one of the search: a rung or a point. */
int store_fact_is_of_search(const struct store_fact *);

/* Compare facts by task, attempt, restart and kind, as strcmp does. */
int store_fact_compare(const struct store_fact *, const struct store_fact *);

/*
 * The directory of a task's facts, run/000, which several tasks share.
 * store_fact_shard returns its number.  store_fact_open returns its descriptor,
 * or -1; the code is ERROR_ABSENT if it does not exist and make is 0.
 * store_fact_is_shard returns whether name is that directory's.
 * store_fact_remove_empty removes it if it is empty; call it after packing.
 */
uint64_t store_fact_shard(uint64_t task);
int store_fact_open(
    const struct store_job *, uint64_t task, int make, struct error *e);
int store_fact_is_shard(const char *name, uint64_t task);
void store_fact_remove_empty(const struct store_job *, uint64_t task);

/* Publish a fact.  Returns 0, 1 if it was there already, or -1. */
int store_fact_publish(const struct store_job *, const struct store_fact *,
    const struct store_fact_body *, struct error *e);

/*
 * Read the file of a fact; *out is to be freed with store_fact_body_free.
 * Returns 0, or -1 with ERROR_ABSENT if there is no such file (the fact may be
 * packed: use store_facts_read), ERROR_DAMAGED if it is damaged, or
 * ERROR_FOREIGN if it is another fact or belongs to another job, as far as that
 * is legible.
 */
int store_fact_read(const struct store_job *, const struct store_fact *,
    struct store_fact_body *out, struct error *e);

/*
 * Return when the file of a fact was written, by the file system's clock; -1 if
 * it has no file, or if that is unknown.
 */
int64_t store_fact_made(const struct store_job *, const struct store_fact *);

/*
 * Read a fact from its text; what names the text in the reason.  Result and
 * errors are those of store_fact_read.
 */
int store_fact_take(const struct store_job *, const struct store_fact *,
    const char *text, size_t length, const char *what,
    struct store_fact_body *out, struct error *e);

/*
 * Return whether the file of a fact is undamaged, but holds another fact.  *own
 * is then the fact that it holds if that belongs to this job; otherwise
 * own->kind is empty.
 */
int store_fact_is_misplaced(const struct store_job *, int dir, const char *name,
    struct store_fact *own);

#endif
