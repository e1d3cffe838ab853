/*
 * A selection: the tasks that words and a filter name, with their jobs' views.
 */
#ifndef STFM_VIEW_SELECTION_H
#define STFM_VIEW_SELECTION_H

#include <stdint.h>

#include "view/filter.h"
#include "view/refresh.h"
#include "view/select.h"

struct view_selection {
	struct store *store;
	struct selection selection;
	struct job_view **view;  /* one for each selected job */
	struct job_tasks *tasks; /* per job, if any of its tasks are left */
	size_t jobs;
	uint64_t named;         /* number of tasks before the filter */
	uint64_t left;          /* number of tasks after the filter */
	char *trouble;          /* message: from the records alone; or NULL */
	size_t unread;          /* jobs left out because records are damaged */
	struct strlist damaged; /* reasons: why records cannot be read */
};

/*
 * Select from the store what words name, or all tasks if there are none.  store
 * and purpose are those of store_open, now is the time.  A job with a damaged
 * record is left out, but is an error if words name it and purpose is to write.
 * Returns 0, or -1 with the selection empty; always to view_selection_free.
 */
int view_select(struct view_selection *, const char *store, int purpose,
    const struct strlist *words, const struct job_filter *, int64_t now,
    struct error *e);
void view_selection_free(struct view_selection *);

/* Refresh the views as job_refresh does, and apply the filter again. */
void view_selection_refresh(struct view_selection *, const struct job_filter *,
    enum job_refresh, int64_t now);

/* Add to damaged what could not be read since; each reason names its job. */
void view_selection_damage(struct view_selection *);

#endif
