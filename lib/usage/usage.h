/*
 * How a training uses its machine: how busy its GPUs and CPUs were, and how
 * much memory it used, in time spans.
 *
 * If there are too many spans, each two become one, so that the record of a
 * week is no longer than the record of an hour.  Means stay exact; memory keeps
 * its maximum.
 */
#ifndef STFM_USAGE_USAGE_H
#define STFM_USAGE_USAGE_H

#include <math.h>
#include <stddef.h>

#include "base/error.h"

enum {
	USAGE_MOST = 64,     /* spans of a running training */
	USAGE_KEPT = 32,     /* spans after the training has ended */
	USAGE_GPUS = 16,     /* GPUs with separate values */
	USAGE_LIMIT = 16384, /* maximum size of a record in bytes */
	USAGE_WORD = 16      /* bytes of the name of a source */
};

/* A time span.  Unknown values are nan. */
struct usage_span {
	double end;              /* seconds since the start of the training */
	double gpu;              /* mean use of its GPUs, in percent */
	double gpu_memory;       /* maximum sum over all GPUs, in MiB */
	double idle;             /* mean number of idle GPUs */
	double cpu;              /* mean number of CPUs in use */
	double memory;           /* maximum, in MiB */
	double each[USAGE_GPUS]; /* mean use of each GPU, in percent */
};

struct usage {
	/* Source of CPU and memory: "cgroup", "processes". */
	char from[USAGE_WORD];
	char tool[USAGE_WORD]; /* source of GPU values: "nvidia-smi", or "" */
	double cpus;           /* CPUs that the training may use; 0: unknown */
	double memory_limit;   /* in MiB, or 0 */
	double gpu_total;      /* memory of the training's GPUs, in MiB, or 0 */
	size_t gpus;           /* number of GPUs with separate values */
	int name[USAGE_GPUS];  /* the numbers of these GPUs */
	size_t count;
	struct usage_span span[USAGE_MOST];
};

/* Return a span that ends at end and has only unknown values. */
struct usage_span usage_span(double end);

/*
 * Add a span, which begins at the end of the last span.  Joins the two while
 * the last span is short.
 */
void usage_add(struct usage *, const struct usage_span *);

/* Join neighbouring spans until there are at most `most`. */
void usage_thin(struct usage *, size_t most);

/*
 * Return the record as text, to free: a comment with the values that hold for
 * all spans, then CSV with a header.
 */
char *usage_text(const struct usage *, size_t *length);

/*
 * Parse the text of a record; lines that are not spans are skipped.  Returns 0,
 * or -1 if the text is not a record.
 */
int usage_read(
    struct usage *out, const char *text, size_t length, struct error *e);

/* Return the start of the CSV, after the comment, in a record's text. */
const char *usage_csv(const char *text);

/* The usage over all spans.  Unknown values are nan. */
struct usage_sum {
	double time; /* end of the last span, in seconds since the start */
	double gpus; /* number of GPUs */
	double gpu;  /* mean use, in percent */
	double gpu_memory, gpu_total; /* maximum in use, and size, in MiB */
	double idle;                  /* GPU seconds of idle GPUs */
	double still;     /* how long a GPU has been idle until now, seconds */
	double which;     /* the number of that GPU */
	double cpu, cpus; /* mean use, and number of CPUs */
	double memory, memory_limit; /* maximum in use, and limit, in MiB */
};

/* Compute the sum of all spans. */
void usage_sum(const struct usage *, struct usage_sum *out);

/* Return a sum as a line, "time=1830 gpus=1 gpu=97.2 ...", to free. */
char *usage_sum_text(const struct usage_sum *);

/* Parse a line of usage_sum_text; missing values become nan. */
void usage_sum_read(struct usage_sum *out, const char *line);

/* Return part as a percentage of all, or nan. */
static inline double
usage_percent(double part, double all)
{
	return all > 0 ? part / all * 100 : NAN;
}

#endif
