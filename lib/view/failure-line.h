/*
 * The failure line: the line of a log that tells why a task ended.  Also what
 * causes mean, and which failures are equal except for numbers, paths and
 * times.
 */
#ifndef STFM_VIEW_FAILURE_LINE_H
#define STFM_VIEW_FAILURE_LINE_H

#include <stddef.h>
#include <stdint.h>

/* A run that failed. */
struct job_failure_line {
	const char *cause;  /* or NULL */
	int64_t start, end; /* or -1 */
	int stalled;        /* its training log stopped long before its end */
};

/* The description of a run that stalled until its time limit. */
extern const char job_failure_line_stalled[];

/*
 * Return the line that tells why a training ended, or NULL if text has no line.
 * text is the end of a log; it is written to.
 *
 * The line is the last one that looks like an error: of Python, else of Slurm
 * about memory or the time limit, else of a shell or a signal.  If there is
 * none, it is the last line.  Other lines of Slurm and those of progress bars
 * count only if there are no others.
 *
 * Runs may share a log: lines up to the one in which Slurm ended an earlier run
 * do not count.  Slurm's line about the time limit counts only if the cause is
 * a signal or unknown: a program that exited was not ended by Slurm.  Slurm
 * writes the local time of the node.  A time that is outside the run in our
 * time zone may be its end in another one.
 */
const char *job_failure_line_pick(const struct job_failure_line *, char *text);

/*
 * Return the failure line of the log at path, to free.  Only the last 16 KiB
 * are read, without colours.  For a run that Slurm ended at its time limit,
 * return the words for TIMEOUT.  NULL: there is nothing to read, or nothing
 * that tells more than job_failure_line_words, as a killed program did not know
 * why.
 */
char *job_failure_line_line(const struct job_failure_line *, const char *path);

/*
 * Return the cause that a line of a log names, or NULL: GPU_OUT_OF_MEMORY,
 * OUT_OF_MEMORY or DISK_FULL.  The line may be NULL.
 */
const char *job_failure_line_named(const char *line);

/*
 * Return the key of a line, equal for equal failures: numbers with their units,
 * addresses and long hexadecimal words become "#", paths "/"; to free.
 */
char *job_failure_line_key(const char *line);

/*
 * Return what a cause means, "the time limit was reached" for TIMEOUT, or NULL
 * if the cause is clear by itself.
 */
const char *job_failure_line_words(const char *cause);

/*
 * Return what the cause of a run means, as job_failure_line_words.  If Slurm
 * could not be asked any more, its line about the time limit in the log at path
 * (NULL: no log) counts as TIMEOUT.
 */
const char *job_failure_line_why(
    const struct job_failure_line *, const char *path);

/*
 * Return whether the cause explains the failure, whatever the log says: the
 * task did not end by itself.
 */
int job_failure_line_is_cause(const char *cause);

#endif
