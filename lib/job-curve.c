#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs.h"
#include "job-curve.h"

static int
choose(struct job_curve *c, const char *metric, int column[2], struct error *e)
{
	const struct metrics_header *h = &c->header;

	c->x = metrics_guess_x(h);
	column[0] = metric != NULL ? metrics_column(h, metric)
				   : metrics_guess_objective(h);
	if (column[0] == METRICS_NONE)
		return error_set(e, "no column '%s'",
		    metric != NULL ? metric : "with numbers");
	column[1] = metrics_partner(h, column[0]);
	c->count = column[1] != METRICS_NONE && h->kind[column[1]] >= 0 ? 2 : 1;
	return 0;
}

/* A last line without a line end is still being written. */
static int
take(struct job_curve *c, const char *metric, const char *bytes, size_t length,
    struct error *e)
{
	int column[2];
	size_t i;

	if (metrics_header_read(&c->header, bytes, length, e) == -1 ||
	    choose(c, metric, column, e) == -1)
		return -1;
	c->log = metrics_log_new(&c->header, c->x, column, c->count);
	if (metrics_log_feed(c->log, bytes, length, e) == -1)
		return -1;
	for (i = 0; i < c->count; i++)
		c->series[i] = metrics_log_series(c->log, i);
	return 0;
}

int
job_curve_read(struct job_curve *c, const char *path, const char *metric,
    size_t limit, struct error *e)
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
		rc = take(c, metric, bytes, length, e);
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
	metrics_header_free(&c->header);
	memset(c, 0, sizeof *c);
}

const char *
job_curve_name(const struct job_curve *c, size_t i)
{
	return c->header.name[c->series[i]->column];
}
