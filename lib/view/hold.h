/*
 * Holding tasks that wait, and letting them go: what stfm-hold and stfm-release
 * do with the tasks that are named, and what they say of it.
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
	const char *dir; /* of the store, or NULL */
	int dry_run, quiet;
	enum table_format format;
	size_t width;                      /* of sentences, or 0 */
	void (*trouble)(const char *what); /* is told what goes wrong */
};

/*
 * Do it for these words, and write what came of it.  Returns 0; 1 when Slurm
 * could not be told, and a watcher will do that; or -1.
 */
int view_hold(const struct view_hold *, const struct store *, char **words,
    size_t count, FILE *out);

#endif
