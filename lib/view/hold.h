/*
 * Holding and releasing pending tasks: what stfm-hold and stfm-release do with
 * the tasks that the user names, and what they print.
 */
#ifndef STFM_VIEW_HOLD_H
#define STFM_VIEW_HOLD_H

#include <stdio.h>

#include "store/request.h"
#include "store/store.h"
#include "term/table.h"
#include "view/filter.h"

struct view_hold {
	enum store_request_kind kind; /* to hold or to release */
	struct job_filter *filter;
	const char *dir; /* the store's directory, or NULL */
	int dry_run, quiet;
	enum table_format format;
	size_t width; /* width of sentences, or 0 for no limit */
	void (*trouble)(const char *what); /* called with each problem */
};

/*
 * Hold or release the tasks that words name, and print the result.  Returns 0,
 * 1 if Slurm did not answer and a watcher will retry, or -1.
 */
int view_hold(const struct view_hold *, const struct store *, char **words,
    size_t count, FILE *out);

#endif
