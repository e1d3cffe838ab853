#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs.h"
#include "job-curve.h"

static int
take(struct job_curve *c, const char *metric, const char *bytes, size_t length,
    int ended, struct error *e)
{
	struct metrics_header h;
	int column, rc = -1;

	if (metrics_header_read(&h, bytes, length, e) == -1)
		return -1;
	column = metric != NULL ? metrics_column(&h, metric)
				: metrics_guess_objective(&h);
	if (column == METRICS_NONE) {
		error_set(e, "no column '%s'",
		    metric != NULL ? metric : "with numbers");
	} else {
		c->log = metrics_log_new(&h, metrics_guess_x(&h), &column, 1);
		rc = metrics_log_feed(c->log, bytes, length, e);
		if (rc == 0 && ended)
			rc = metrics_log_finish(c->log, e);
		c->series = metrics_log_series(c->log, 0);
	}
	metrics_header_free(&h);
	return rc;
}

int
job_curve_read(struct job_curve *c, const char *path, const char *metric,
    size_t limit, int ended, struct error *e)
{
	struct stat st;
	size_t length;
	char *bytes;
	int rc;

	memset(c, 0, sizeof *c);
	if (fs_read_from(path, 0, limit, &bytes, &length, &st, e) == -1)
		return -1;
	errno = 0;
	if ((uint64_t)st.st_size > limit)
		rc = error_set(e, "larger than %zu MiB", limit >> 20);
	else
		rc = take(c, metric, bytes, length, ended, e);
	free(bytes);
	if (rc == -1) {
		error_prefix(e, path);
		job_curve_free(c);
	}
	return rc;
}

void
job_curve_free(struct job_curve *c)
{
	metrics_log_free(c->log);
	memset(c, 0, sizeof *c);
}
