/*
 * The failure line: the line of a log that says why a task ended.  Also the
 * meaning of causes, and a key that is equal for failures that differ only in
 * numbers, paths and times.
 */
#ifndef STFM_VIEW_FAILURE_LINE_H
#define STFM_VIEW_FAILURE_LINE_H

#include <stddef.h>
#include <stdint.h>

struct job_view;

/* A run that failed. */
struct job_failure_line {
	const char *cause;  /* or NULL */
	int64_t start, end; /* or -1 */
	int stalled;        /* its log stopped long before its end */
};

/* The description of a run that stalled until it hit its time limit. */
extern const char job_failure_line_stalled[];

/*
 * Return the line that says why a training ended, or NULL if text has no line.
 * text is the end of a log; it is modified.
 *
 * The line is the last one that looks like an error: of Python, else of Slurm
 * about memory or the time limit, else of a shell or a signal.  If no line
 * looks like an error, it is the last line.  Other lines of Slurm and lines of
 * progress bars count only if the log has no other line.
 *
 * Runs may share a log: lines up to the line in which Slurm ended an earlier
 * run do not count.  Slurm's line about the time limit counts only if the cause
 * is a signal or unknown: a program that exited was not ended by Slurm.  Slurm
 * writes the local time of the node.  A time outside the run in our time zone
 * may be the end of the run in another time zone.
 */
const char *job_failure_line_pick(const struct job_failure_line *, char *text);

/*
 * Return the failure line of the log at path, to free.  Reads only the last 16
 * KiB and removes colours.  For a run that Slurm ended at its time limit,
 * returns the words for TIMEOUT.  Returns NULL if nothing can be read, or if no
 * line says more than job_failure_line_words (a killed program cannot log why).
 */
char *job_failure_line_line(const struct job_failure_line *, const char *path);

/*
 * Return the cause that a line of a log names, or NULL: GPU_OUT_OF_MEMORY,
 * OUT_OF_MEMORY or DISK_FULL.  The line may be NULL.
 */
const char *job_failure_line_named(const char *line);

/*
 * Return the key of a line, to free.  Equal failures have equal keys: numbers
 * with their units, addresses and long hexadecimal words become "#", paths
 * become "/".
 */
char *job_failure_line_key(const char *line);

/*
 * Return the meaning of a cause, "the time limit was reached" for TIMEOUT, or
 * NULL if the cause needs no explanation.
 */
const char *job_failure_line_words(const char *cause);

/*
 * Return the meaning of a run's cause as job_failure_line_words does.  If Slurm
 * no longer knows the cause, Slurm's line about the time limit in the log at
 * path (NULL: no log) counts as TIMEOUT.
 */
const char *job_failure_line_why(
    const struct job_failure_line *, const char *path);

/*
 * Return whether the cause explains the failure whatever the log says, because
 * the task did not end by itself.
 */
int job_failure_line_is_cause(const char *cause);

/* Return the line that says why a task ended, to free; or NULL. */
char *job_last_line(struct job_view *, uint64_t task);

/*
 * Return the cause that the log of a task in ERROR names (see
 * job_failure_line_named), or NULL.  Reads the end of the log.  A cause that
 * Slurm recorded is only in the task's row.
 */
const char *job_last_line_cause(struct job_view *, uint64_t task);

#endif
