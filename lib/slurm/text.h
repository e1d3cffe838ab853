/*
 * Slurm asked through its commands: what the files that do it share.
 *
 * Names and comments may hold anything, line ends too, so every field of the
 * output ends in a mark that nobody can know before.
 */
#ifndef STFM_SLURM_TEXT_H
#define STFM_SLURM_TEXT_H

#include "slurm/private.h"

/* A mark of its own for each question, and the field that is read next. */
struct queue_fields {
	char mark[24];
	char *at;
};

/* Choose the mark. */
void queue_fields_begin(struct queue_fields *);

/* "JobID:MARK,State:MARK" for -O; to free. */
char *queue_fields_format(
    const struct queue_fields *, const char *const names[], size_t count);

/*
 * Cut the fields of a record from the text at f->at, which is changed, and go
 * on behind its line end.  Returns 1, 0 at the end of the text, or -1 when the
 * record is not whole.  "(null)" is "".
 */
int queue_fields_next(struct queue_fields *, char *field[], size_t count);

/*
 * Run a command of Slurm's until the deadline, a proc_clock.  Returns 0 with
 * *result filled, however the command ended, or -1 with errno where it could
 * not be started.
 */
int queue_text_start(const char *const words[], int64_t deadline,
    struct proc_result *result, struct error *e);

/*
 * Run a command of Slurm's until the deadline, a proc_clock.  Returns 0 with
 * *result filled, which is to be freed in both cases, or -1 with errno as
 * slurm/queue.h says when it did not end with status 0.
 */
int queue_text_run(const char *const words[], int64_t deadline,
    struct proc_result *result, struct error *e);

/* The same; have each line taken that begins with a text. */
int queue_text_lines(const char *const words[], int64_t deadline,
    const char *begin, void (*take)(void *arg, const char *line), void *arg,
    struct error *e);

/* Minutes from "1-02:03:04", "10:00" or "UNLIMITED"; -1 without a limit. */
int64_t queue_text_minutes(const char *text);

/* A number, or 0 for anything else. */
int64_t queue_text_number(const char *text);

/*
 * The value behind "Key=" in a line of scontrol --oneliner; to free.  What
 * stands for no value or no limit is "".
 */
char *queue_text_value(const char *line, const char *key);

/* The same as a number, or -1. */
int64_t queue_text_value_number(const char *line, const char *key);

/*
 * Read what squeue gives, a line for each waiting task.  The text is changed
 * and must outlive the records.
 */
int queue_text_jobs(
    struct queue_fields *, struct queue_jobs *out, struct error *e);

/*
 * Add tasks that squeue has left out of it.  lists has what it gives when each
 * array's waiting tasks are on one line, "13 2-9%2".
 */
void queue_text_complete(struct queue_jobs *, const char *lists);

/*
 * Add from the same lists how many tasks of an array may run at once, to all
 * records of the array: 0 for a list without "%2".  A lone index without one
 * may be a task that came back into the queue, and tells nothing.
 */
void queue_text_throttles(struct queue_jobs *, const char *lists);

/*
 * Read the records of one array of this user, or job, alone, with lists that
 * may be cut: 0, or -1 with errno as slurm/queue.h says, also when Slurm knows
 * none. *out is to be freed in both.
 */
int queue_text_array(
    uint32_t array, int64_t deadline, struct queue_jobs *out, struct error *e);

/* As struct queue_way has it. */
int queue_text_cluster(
    enum queue_depth, int64_t ms, struct queue_cluster *out, struct error *e);

int queue_text_uses(
    enum queue_whose, int64_t ms, struct queue_uses *out, struct error *e);

#endif
