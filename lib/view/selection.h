/*
 * A selection: the tasks that the user's words and filter select, with views of
 * their jobs.
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
	struct job_tasks *tasks; /* tasks of each job after the filter */
	size_t jobs;
	uint64_t named;         /* number of tasks before the filter */
	uint64_t left;          /* number of tasks after the filter */
	char *trouble;          /* why views may be out of date, or NULL */
	size_t unread;          /* jobs left out, with damaged records */
	struct strlist damaged; /* reasons why records cannot be read */
};

/*
 * Select from the store the tasks that words name, or all tasks if words is
 * empty.  store and purpose are passed to store_open; now is the time in
 * seconds since 1970.  A job with a damaged record is left out, but is an error
 * if words name it and purpose is to write.  Returns 0, or -1 with the
 * selection empty; call view_selection_free in either case.
 */
int view_select(struct view_selection *, const char *store, int purpose,
    const struct strlist *words, const struct job_filter *, int64_t now,
    struct error *e);
void view_selection_free(struct view_selection *);

/* Refresh the views as job_refresh does, and apply the filter again. */
void view_selection_refresh(struct view_selection *, const struct job_filter *,
    enum job_refresh, int64_t now);

/*
 * Add reasons for records that have become unreadable to damaged; each reason
 * names its job.
 */
void view_selection_damage(struct view_selection *);

#endif
