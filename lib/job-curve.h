/*
 * The curves of a task: the objective as its training log has it, and beside
 * it the same metric of the other kind, training or validation.
 */
#ifndef STFM_JOB_CURVE_H
#define STFM_JOB_CURVE_H

#include "error.h"
#include "metrics.h"

struct job_curve {
	struct metrics_header header;
	struct metrics_log *log;
	int x; /* column, or METRICS_NONE */
	size_t count;
	const struct metrics_series *series[2]; /* the objective comes first */
};

/*
 * Read the log at path.  metric NULL is guessed.  At most limit bytes are
 * read; a larger log is refused, because its curve would be wrong.
 * Returns 0, or -1: not there (errno ENOENT), not a log, no such metric.
 */
int job_curve_read(struct job_curve *, const char *path, const char *metric,
    size_t limit, struct error *e);
void job_curve_free(struct job_curve *);

/* The name of a series, as the log has it. */
const char *job_curve_name(const struct job_curve *, size_t i);

#endif
