/* The message of an event: a sentence for people, and JSON for programs. */
#ifndef STFM_NOTIFY_MESSAGE_H
#define STFM_NOTIFY_MESSAGE_H

#include "notify/events.h"

struct notify_message {
	char *ids;  /* tasks of the event, "conv2d/3,7-9"; or the job's name */
	char *text; /* one sentence, plain text */
	char *json; /* one JSON object and a newline: stfm-watch(1) */
	size_t length;
};

/*
 * Make the message of an event in the store at path store.  Call
 * notify_message_free on out.
 */
void notify_message_make(struct job_view *, const struct notify_event *,
    const char *store, struct notify_message *out);
void notify_message_free(struct notify_message *);

#endif
