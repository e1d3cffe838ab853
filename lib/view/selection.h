/*
 * A choice is the tasks that words and a filter mean, with the views of their
 * jobs.
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
	struct job_tasks *tasks; /* of those jobs that have some left */
	size_t jobs;
	uint64_t named; /* tasks, before the filter */
	uint64_t left;  /* ... and after it */
	char *trouble;  /* to say: they are of the records alone, or NULL */
	size_t unread;  /* jobs that are left out: their records are damaged */
	struct strlist damaged; /* reasons: records that cannot be read */
};

/*
 * Choose from the store what the words select, or all tasks when there are
 * none; store and purpose are those of store_open, now is the time.  A job
 * whose record is damaged is left out; but if words name it and the purpose is
 * to write, it is an error.  Returns 0, or -1 with the choice empty: free it in
 * any case.
 */
int view_select(struct view_selection *, const char *store, int purpose,
    const struct strlist *words, const struct job_filter *, int64_t now,
    struct error *e);
void view_selection_free(struct view_selection *);

/*
 * Bring the views up to date as job_refresh does, and choose by the filter
 * again.
 */
void view_selection_refresh(struct view_selection *, const struct job_filter *,
    enum job_refresh, int64_t now);

/* Add to damaged what could not be read since; each reason names its job. */
void view_selection_damage(struct view_selection *);

#endif
