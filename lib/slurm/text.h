/*
 * Declarations shared by the files of lib/slurm that ask Slurm through its
 * commands.
 *
 * Names and comments may hold anything, including newlines, so every field of
 * the output ends in a separator that no user can predict.
 */
#ifndef STFM_SLURM_TEXT_H
#define STFM_SLURM_TEXT_H

#include "slurm/private.h"

/*
 * The separator of an answer, the position of its next field, and the command
 * that printed it.
 */
struct queue_fields {
	char mark[24];
	char *at;
	const char *program;
};

/* Choose a random separator. */
void queue_fields_begin(struct queue_fields *);

/* Return the argument for squeue -O, "JobID:MARK,State:MARK"; to free. */
char *queue_fields_format(
    const struct queue_fields *, const char *const names[], size_t count);

/*
 * Split one record at f->at into count fields and move f->at past its newline.
 * The text is changed; "(null)" becomes "".  Returns 1, 0 at the end of the
 * text, or -1 with the reason in e if the record is incomplete.
 */
int queue_fields_next(
    struct queue_fields *f, char *field[], size_t count, struct error *e);

/*
 * Run a Slurm command until deadline, a time of proc_clock.  Returns 0 with
 * *result filled, however the command ended, or -1 if it could not be started.
 */
int queue_text_start(const char *const words[], int64_t deadline,
    struct proc_result *result, struct error *e);

/*
 * Run a Slurm command until deadline, a time of proc_clock.  Returns 0 if it
 * ended with status 0, or -1 with a code as slurm/queue.h says.  Free *result
 * in both cases.
 */
int queue_text_run(const char *const words[], int64_t deadline,
    struct proc_result *result, struct error *e);

/*
 * Run squeue or sinfo with queue_text_run, with --Format for the columns in
 * addition to words.  Then *f is at the first record of the answer.
 */
int queue_text_ask(const char *const words[], const char *const columns[],
    size_t count, int64_t deadline, struct queue_fields *f,
    struct proc_result *result, struct error *e);

/*
 * Run a Slurm command with queue_text_run, and call take(arg, line) for each
 * line of its output that begins with the text begin.  Returns 0, or -1 with a
 * code as slurm/queue.h says.
 */
int queue_text_lines(const char *const words[], int64_t deadline,
    const char *begin, void (*take)(void *arg, const char *line), void *arg,
    struct error *e);

/* Return the minutes of "1-02:03:04", "10:00" or "UNLIMITED" (-1: no limit). */
int64_t queue_text_minutes(const char *text);

/* Return the number in text, or 0 for any other text. */
int64_t queue_text_number(const char *text);

/*
 * Return the value of "Key=" in a line of scontrol --oneliner; to free.  Words
 * for no value or no limit become "".
 */
char *queue_text_value(const char *line, const char *key);

/* Return the value of "Key=" as a number, or -1. */
int64_t queue_text_value_number(const char *line, const char *key);

/*
 * Read the output of squeue, one line for each pending task.  The text is
 * changed and must outlive the records.  Returns 0, or -1 with the reason in e.
 */
int queue_text_jobs(
    struct queue_fields *, struct queue_jobs *out, struct error *e);

/*
 * Add tasks that squeue omitted from its lines for pending tasks.  lists is
 * squeue's output with one line for the pending tasks of each array, "13
 * 2-9%2".
 */
void queue_text_complete(struct queue_jobs *, const char *lists);

/*
 * Set the throttle of all records of an array from lists (see
 * queue_text_complete): the number after "%", or 0 for a list without one.  A
 * single index without one may be a requeued task and changes nothing.
 */
void queue_text_throttles(struct queue_jobs *, const char *lists);

/*
 * Read the records of one array, or one job, of this user; their task lists may
 * be cut.  Returns 0, or -1 with a code as slurm/queue.h says, also if Slurm
 * has none.  Free *out in both cases.
 */
int queue_text_array(
    uint32_t array, int64_t deadline, struct queue_jobs *out, struct error *e);

/* Implement the functions cluster and uses of queue_way with commands. */
int queue_text_cluster(
    enum queue_depth, int64_t ms, struct queue_cluster *out, struct error *e);

int queue_text_uses(enum queue_whose, int64_t ms, struct queue_allocations *out,
    struct error *e);

#endif
