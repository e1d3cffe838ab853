/*
 * Hooks: commands of the user that run on events in jobs.  A command is
 * notified of each event at most once: the process that first sees the event
 * records it before it runs the command.  A new hook is notified of a job that
 * has already ended only if the job was submitted in the five minutes before
 * the hook was first used.
 */
#ifndef STFM_NOTIFY_HOOK_H
#define STFM_NOTIFY_HOOK_H

#include "base/error.h"
#include "store/notified.h"
#include "view/view.h"

struct job_hook {
	const char *option;      /* the option that set it, "--on" */
	char *command;           /* command line for sh -c */
	char key[16];            /* hash of the command */
	int on[NOTIFIED_EVENTS]; /* whether it is notified of this event */
	int64_t milliseconds;    /* time limit of the command */
	int once;                /* run only once in the life of a job */
	int64_t since[NOTIFIED_EVENTS]; /* when the hook was first used */
};

/*
 * Make a hook of events ("finished,error") and a command; free its command.  A
 * command that is a single plain word must be a program.  Returns 0 or -1.
 */
int job_hook_set(struct job_hook *, const char *events, const char *command,
    struct error *e);

/* Refuse a command that cannot run; e names option.  Returns 0 or -1. */
int job_hook_check(const char *option, const char *command, struct error *e);

/*
 * Run a command once, with text as its standard input.  Returns 0, or -1, also
 * if the command failed.
 */
int job_hook_feed(const char *command, const char *text, struct error *e);

/* Find out since when the hook is used in the store.  Returns 0 or -1. */
int job_hook_begin(struct job_hook *, const struct store *, struct error *e);

/*
 * Notify the hook of a job's events.  trouble is called with each problem.
 * Returns 0, or -1 if there were problems.
 */
int job_hook_notify(const struct job_hook *, const struct store *,
    struct job_view *, void (*trouble)(void *arg, const char *what), void *arg);

/*
 * Run the job's --then command, once in the life of the job.  Only the owner of
 * the job and of all its files may do this.  Arguments and result as for
 * job_hook_notify.
 */
int job_hook_then(const struct store *, const struct store_job *,
    const struct store_table *, void (*trouble)(void *arg, const char *what),
    void *arg);

#endif
