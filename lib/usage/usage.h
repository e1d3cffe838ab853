/*
 * How a training uses its machine: how busy its GPUs and CPUs were, and how
 * much memory it had, in spans of time.
 *
 * When there are too many spans, each two become one, so that the record of a
 * week is no longer than that of an hour.  Means stay exact; of memory the
 * maximum is kept.
 */
#ifndef STFM_USAGE_USAGE_H
#define STFM_USAGE_USAGE_H

#include <stddef.h>

#include "base/error.h"

enum {
	USAGE_MOST = 64,     /* spans */
	USAGE_KEPT = 32,     /* spans of a training that is over */
	USAGE_GPUS = 16,     /* GPUs with values of their own */
	USAGE_LIMIT = 16384, /* bytes of a record at most */
	USAGE_WORD = 16
};

/* A span.  nan: unknown. */
struct usage_span {
	double end;              /* in seconds since the training started */
	double gpu;              /* how busy its GPUs were, in percent */
	double gpu_memory;       /* maximum of all together, in MiB */
	double idle;             /* how many GPUs were idle */
	double cpu;              /* CPUs in use */
	double memory;           /* maximum, in MiB */
	double each[USAGE_GPUS]; /* how busy each GPU was, in percent */
};

struct usage {
	char from[USAGE_WORD]; /* CPU and memory: "cgroup", "processes" */
	char tool[USAGE_WORD]; /* program for GPUs: "nvidia-smi", or "" */
	double cpus;           /* CPUs that it may use; 0: unknown */
	double memory_limit;   /* in MiB, or 0 */
	double gpu_total;      /* memory of its GPUs, in MiB, or 0 */
	size_t gpus;           /* GPUs with values of their own */
	int name[USAGE_GPUS];  /* their numbers */
	size_t count;
	struct usage_span span[USAGE_MOST];
};

/* Return a span with unknown values. */
struct usage_span usage_span(double end);

/*
 * Add a span that begins at the last one's end.  It becomes part of the last
 * one while that is short.
 */
void usage_add(struct usage *, const struct usage_span *);

/* Join each two spans until there are at most `most`. */
void usage_thin(struct usage *, size_t most);

/*
 * Return the record as text, to free: a comment with what holds for all spans,
 * then CSV with a header.
 */
char *usage_text(const struct usage *, size_t *length);

/*
 * Parse the text of a record; lines that are no spans are skipped.  Returns 0,
 * or -1 if it is no such text.
 */
int usage_read(
    struct usage *out, const char *text, size_t length, struct error *e);

/* Return where the CSV begins in a record's text, after the comment. */
const char *usage_csv(const char *text);

/* All spans together.  nan: unknown. */
struct usage_sum {
	double time; /* end of the last span, in seconds since the start */
	double gpus; /* number of GPUs */
	double gpu;  /* mean use, in percent */
	double gpu_memory, gpu_total; /* maximum in use, and size, in MiB */
	double idle;                  /* GPU seconds in which a GPU was idle */
	double still;     /* how long a GPU has been idle now, in seconds */
	double which;     /* the number of that GPU */
	double cpu, cpus; /* mean use, and number of CPUs */
	double memory, memory_limit; /* maximum in use, and limit, in MiB */
};

/* Compute the sum of all spans. */
void usage_sum(const struct usage *, struct usage_sum *out);

/* Return a sum as a line, "time=1830 gpus=1 gpu=97.2 ...", to free. */
char *usage_sum_text(const struct usage_sum *);

/* Parse such a line; what it lacks becomes nan. */
void usage_sum_read(struct usage_sum *out, const char *line);

/* Return part in percent of all, or nan. */
double usage_percent(double part, double all);

#endif
