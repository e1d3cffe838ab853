/*
 * Events of a job, derived from its current table and from the events already
 * notified.  So no event is missed if another process saw it first.
 */
#ifndef STFM_NOTIFY_EVENTS_H
#define STFM_NOTIFY_EVENTS_H

#include "base/idset.h"
#include "store/notified.h"
#include "view/view.h"

struct notify_event {
	enum notified_event event;
	struct idset tasks; /* tasks of the event; empty: the whole job */
	int had_best;       /* a best value was notified before */
	double before;
};

void notify_event_free(struct notify_event *);

/*
 * Return whether to notify of an event, and count it as notified:
 * error      tasks are in ERROR
 * best       the objective has a better value, which prints differently
 * stalled    tasks run, but their logs do not grow, once a run
 * late       the time limit comes before the end, once an attempt
 * idle       a GPU of tasks is idle, once a run
 * finished   no task is open; again if tasks were restarted
 */
int notify_event_find(struct job_view *, enum notified_event,
    struct notified_about *, struct notify_event *out);

#endif
