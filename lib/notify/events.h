/*
 * Events of a job: derived from its table as it is now and from the events
 * already notified.  So no event is missed that another program saw first.
 */
#ifndef STFM_NOTIFY_EVENTS_H
#define STFM_NOTIFY_EVENTS_H

#include "base/idset.h"
#include "store/notified.h"
#include "view/view.h"

struct notify_event {
	enum notified_event event;
	struct idset tasks; /* tasks that the event is about; none: the job */
	int had_best;       /* a best value was notified before */
	double before;
};

void notify_event_free(struct notify_event *);

/*
 * Return whether there is something to notify for an event, and count it as
 * notified:
 *
 *	error      tasks are in ERROR
 *	best       the objective has a better value, that reads otherwise
 *	stalled    tasks are alive and silent, once a run
 *	late       the time limit comes before the end, once an attempt
 *	idle       a GPU of tasks does nothing, once a run
 *	finished   no task is open; again if tasks were restarted
 */
int notify_event_find(struct job_view *, enum notified_event,
    struct notified_about *, struct notify_event *out);

#endif
