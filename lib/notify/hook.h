/*
 * Hooks: commands of the user that are told of events in jobs.  A command is
 * told of each thing once, by whoever looks first; that is noted before it is
 * run, so that it is told once at most.
 *
 * A hook that is new does not hear of jobs that were over before it was.
 */
#ifndef STFM_NOTIFY_HOOK_H
#define STFM_NOTIFY_HOOK_H

#include "base/error.h"
#include "store/notified.h"
#include "view/view.h"

struct job_hook {
	const char *option;             /* that has it: "--on" */
	char *command;                  /* for sh -c */
	char key[16];                   /* follows from it */
	int on[NOTIFIED_EVENTS];        /* it is to be told of this event */
	int64_t milliseconds;           /* that it may take */
	int once;                       /* in the life of a job */
	int64_t since[NOTIFIED_EVENTS]; /* when it was first used */
};

/*
 * Make a hook of "finished,error" and a command.  A command of one plain word
 * has to be a program.  Returns 0, or -1.
 */
int job_hook_set(struct job_hook *, const char *events, const char *command,
    struct error *e);

/* Refuse a command for an option that cannot be one: 0, or -1. */
int job_hook_check(const char *option, const char *command, struct error *e);

/*
 * Run a command that has a text as its standard input, once.  Returns 0, or -1
 * also when it did not end well.
 */
int job_hook_feed(const char *command, const char *text, struct error *e);

/*
 * Run the command that a job itself has for its end, --then, once in its life.
 * Only for who owns the job and all that is in it.  Otherwise as job_hook_tell.
 */
int job_hook_then(const struct store *, const struct store_job *,
    const struct store_table *, void (*trouble)(void *arg, const char *what),
    void *arg);
void job_hook_free(struct job_hook *);

/* Find out since when it is used in the store: 0, or -1. */
int job_hook_begin(struct job_hook *, const struct store *, struct error *e);

/*
 * Tell the hook what there is to tell of a job.  What goes wrong is given to
 * trouble.  Returns 0, or -1 when something did.
 */
int job_hook_tell(const struct job_hook *, const struct store *,
    struct job_view *, void (*trouble)(void *arg, const char *what), void *arg);

#endif
