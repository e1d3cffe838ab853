/*
 * The use that a training makes of its machine: how busy its GPUs and CPUs
 * were, and how much memory it had, in spans of time.
 *
 * There are never many spans: when they become too many, each two become one,
 * so that the record of a training of a week is no longer than that of an hour.
 * Means stay exact; of memory the most is kept.
 */
#ifndef STFM_USAGE_USAGE_H
#define STFM_USAGE_USAGE_H

#include <stddef.h>

#include "base/error.h"

enum {
	USAGE_MOST = 64,     /* spans */
	USAGE_KEPT = 32,     /* ... of a training that is over */
	USAGE_GPUS = 16,     /* GPUs that are told apart */
	USAGE_LIMIT = 16384, /* bytes of a record at most */
	USAGE_WORD = 16
};

/* What was seen in one span.  nan: nobody knows. */
struct usage_span {
	double end;              /* in seconds since the training started */
	double gpu;              /* how busy its GPUs were, in percent */
	double gpu_memory;       /* the most that was in use of all, in MiB */
	double idle;             /* GPUs that did nothing */
	double cpu;              /* CPUs in use */
	double memory;           /* the most it had, in MiB */
	double each[USAGE_GPUS]; /* how busy each GPU was, in percent */
};

struct usage {
	char from[USAGE_WORD]; /* CPU and memory: "cgroup", "processes" */
	char tool[USAGE_WORD]; /* that knows GPUs: "nvidia-smi", or "" */
	double cpus;           /* that it may use, or 0: nobody knows */
	double memory_limit;   /* in MiB, or 0 */
	double gpu_total;      /* memory of its GPUs, in MiB, or 0 */
	size_t gpus;           /* that are told apart */
	int name[USAGE_GPUS];  /* their numbers */
	size_t count;
	struct usage_span span[USAGE_MOST];
};

/* A span of which nothing is known. */
struct usage_span usage_span(double end);

/*
 * Add what was seen in the time from the last span's end.  It becomes a span
 * of its own, or a part of the last one while that is short.
 */
void usage_add(struct usage *, const struct usage_span *);

/* Make each two spans one until there are at most so many. */
void usage_thin(struct usage *, size_t most);

/*
 * As text, to free: a comment that says what holds for all of it, and CSV with
 * a header.
 */
char *usage_text(const struct usage *, size_t *length);

/*
 * Read it back; lines that are no spans are passed over.  Returns 0, or -1
 * when it is no such text at all.
 */
int usage_read(
    struct usage *out, const char *text, size_t length, struct error *e);

/* Where the CSV begins in the text, behind the comment. */
const char *usage_csv(const char *text);

/* What follows from all spans together.  nan: nobody knows. */
struct usage_sum {
	double time; /* until when, in seconds since the training started */
	double gpus; /* GPUs that were seen */
	double gpu;  /* the mean, in percent */
	double gpu_memory, gpu_total; /* the most in use, of how much, in MiB */
	double idle;                  /* GPU seconds in which one did nothing */
	double still; /* for how long a GPU has done nothing now, in seconds */
	double which; /* its number */
	double cpu, cpus;            /* the mean, of how many */
	double memory, memory_limit; /* the most, of how much, in MiB */
};

void usage_sum(const struct usage *, struct usage_sum *out);

/* As a line, to free: "time=1830 gpus=1 gpu=97.2 ..."; and back. */
char *usage_sum_text(const struct usage_sum *);
void usage_sum_read(struct usage_sum *out, const char *line);

/* A use of something in percent of all of it, or nan. */
double usage_percent(double part, double all);

#endif
