/*
 * A report: jobs as one HTML file that needs nothing else, for people who have
 * no shell on the cluster.  All text of users is escaped; the only script sorts
 * tables, and browsers are told to run no other.
 */
#ifndef STFM_REPORT_REPORT_H
#define STFM_REPORT_REPORT_H

#include <stdio.h>

#include "base/strlist.h"
#include "view/view.h"

struct report_style {
	const char *title; /* NULL: made of the names of the jobs */
	size_t rows;       /* maximum rows of a table of tasks; 0: all */
	size_t curves;     /* maximum curves of a chart */
	int64_t now;
	const struct strlist *notes; /* for the reader, at the beginning */
};

/* Write the report of these tasks of count jobs; tasks are in order. */
void report_write(FILE *out, const struct job_tasks *, size_t count,
    const struct report_style *);

#endif
