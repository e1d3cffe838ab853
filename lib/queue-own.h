/* What the files of this module share; nothing here is for anybody else. */
#ifndef STFM_QUEUE_OWN_H
#define STFM_QUEUE_OWN_H

#include <stdint.h>
#include <stdio.h>

#include "error.h"
#include "proc.h"
#include "queue.h"
#include "ranges.h"

/* Deadlines in seconds; the first and the last can be set. */
enum { QUEUE_READING = 15, QUEUE_SUBMITTING = 40 };

/* Names as Slurm spells them; a state's number is without its flags. */
const char *queue_state_name(uint32_t base);
const char *queue_reason_name(uint32_t number);

/*
 * The way from the guarded child to us: numbers of 64 bits, and texts with
 * their length in front and a NUL behind.
 */
void queue_put_number(FILE *, int64_t);
void queue_put_text(FILE *, const char *); /* may be NULL */

/* What is read from there.  At its end or when it is damaged: 0 and NULL. */
struct queue_input {
	const char *at, *end;
	int broken;
};

int64_t queue_get_number(struct queue_input *);

/* Points into the input. */
const char *queue_get_text(struct queue_input *);

/*
 * The queue in an answer, to queue_free; its texts are the input's.  NULL when
 * the answer is damaged.
 */
struct queue *queue_read(struct queue_input *, struct error *e);

/*
 * Our environment without what changes the answers of Slurm's commands: times
 * are in seconds since 1970, lists of tasks whole.  To free, but for its texts.
 */
char **queue_environ(void);

/* Seconds from the environment, or standard, in milliseconds. */
int queue_deadline(
    const char *variable, int64_t standard, int64_t *ms, struct error *e);

/*
 * Call work(out, arg) in a guarded child, with libslurm initialised.  The work
 * has to write queue_put_number(out, 0) once nothing can fail any more, and
 * then its result; before that it may return queue_failed(out).
 * Returns 0 with *in placed behind that number, or -1 with errno as queue.h
 * says.  *result is to be freed in both cases; after a time-out *in holds what
 * was written until then, unless it is broken.
 */
int queue_guard(int (*work)(FILE *out, void *arg), void *arg,
    int64_t milliseconds, struct proc_result *result, struct queue_input *in,
    struct error *e);

/* In the child: hand over errno of a call that failed. */
int queue_failed(FILE *out);

/* Set a reason and errno; returns -1. */
int queue_refuse(int number, struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Whether a text of libslurm or sbatch says that slurmctld was not reached, so
 * that nobody knows what became of the request.
 */
int queue_is_unreached(const char *text);

/*
 * The lines of a complaint that say something, without "sbatch: error:" and
 * its like, joined by "; "; to free.  "" when there are none.
 */
char *queue_complaint(const char *text);

/* No configuration where $SLURM_CONF points: -1 with errno ENOENT. */
int queue_check_configuration(struct error *e);

#endif
