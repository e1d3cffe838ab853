/*
 * What a task died of, in words: the line in its log that tells, what Slurm's
 * words mean, and which ends are the same but for numbers, paths and times.
 */
#ifndef STFM_VIEW_FAILURE_LINE_H
#define STFM_VIEW_FAILURE_LINE_H

#include <stddef.h>
#include <stdint.h>

/* A run that failed. */
struct job_failure_line {
	const char *cause;  /* or NULL */
	int64_t start, end; /* or -1 */
	int stalled; /* its training log was silent long before its end */
};

/* The words for a run that stalled and was ended at its time limit. */
extern const char job_failure_line_stalled[];

/*
 * The line that tells why a training ended: the last that looks like an error
 * (of Python, else Slurm's about memory or the time limit, else of a shell or a
 * signal), else the last; other lines of Slurm and those of progress bars do
 * not count while there are others.  The text is the end of a log; it is
 * written to.  NULL when it has no line.
 *
 * Runs may share a log: what comes before the line in which Slurm has ended an
 * earlier one does not count.  Slurm's about the time limit counts only where
 * the cause is a signal, or nobody knows it: who exits by himself was not ended
 * by Slurm.  Slurm writes the local time of the node: what our time zone puts
 * outside of the run may be its own end where another one holds.
 */
const char *job_failure_line_pick(const struct job_failure_line *, char *text);

/*
 * The same of the log of that run; only the last 16 KiB are read, without
 * colours.  Of one that Slurm has ended at its time limit it is the words for
 * TIMEOUT.  To free, or NULL when there is nothing to read, or nothing that
 * tells more than job_failure_line_words: who was killed did not know it.
 */
char *job_failure_line_line(const struct job_failure_line *, const char *path);

/*
 * Return the cause that a line of a log names, or NULL: GPU_OUT_OF_MEMORY,
 * OUT_OF_MEMORY or DISK_FULL.  The line may be NULL.
 */
const char *job_failure_line_named(const char *line);

/*
 * A line without what differs between equal ends: numbers with their units,
 * addresses and long hexadecimal words become "#", paths "/"; to free.
 */
char *job_failure_line_key(const char *line);

/*
 * What a cause means, or NULL when it says so itself: "the time limit was
 * reached" for TIMEOUT.
 */
const char *job_failure_line_words(const char *cause);

/*
 * The same of a run with this log (NULL: none), in which Slurm may have written
 * that the time limit was reached when nobody could ask it any more.
 */
const char *job_failure_line_why(
    const struct job_failure_line *, const char *path);

/*
 * Whether the cause tells it all, whatever the log ends with: the task did not
 * come to its end by itself.
 */
int job_failure_line_is_told(const char *cause);

#endif
