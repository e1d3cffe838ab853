/*
 * What there is to tell of a job: events that follow from its fold, as it is
 * now, and from what has been told before.  So nothing is missed that another
 * program saw first.
 */
#ifndef STFM_NOTIFY_EVENTS_H
#define STFM_NOTIFY_EVENTS_H

#include "base/idset.h"
#include "store/notified.h"
#include "view/view.h"

struct notify_event {
	enum notified_event event;
	struct idset tasks; /* it is about; none: the job */
	int had_best;       /* a value had been told before */
	double before;
};

void notify_event_free(struct notify_event *);

/*
 * Whether there is something to tell of an event; it then counts as told:
 *
 *	error      tasks are in ERROR
 *	best       the objective has a better value, that reads otherwise
 *	stalled    tasks are alive and silent, once a run
 *	late       the time limit comes before the end, once an attempt
 *	idle       a GPU of tasks does nothing, once a run
 *	finished   no task is open; again when some were started again
 */
int notify_event_find(struct job_view *, enum notified_event,
    struct notified_about *, struct notify_event *out);

#endif
