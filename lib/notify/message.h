/* A notice in words, and as JSON for programs. */
#ifndef STFM_NOTIFY_MESSAGE_H
#define STFM_NOTIFY_MESSAGE_H

#include "notify/events.h"

struct notify_message {
	char *ids;  /* its tasks as commands take them, "conv2d/3,7-9"; or the
		       job's name */
	char *text; /* one sentence for people, plain */
	char *json; /* an object on one line, with its newline: stfm-watch(1) */
	size_t length;
};

/* store is the path of the store. */
void notify_message_make(struct job_view *, const struct notify_event *,
    const char *store, struct notify_message *out);
void notify_message_free(struct notify_message *);

#endif
