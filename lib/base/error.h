/*
 * A reason: why a function failed, in words for the user.
 *
 * The caller owns the struct.  Functions that can fail take it as their last
 * argument and accept NULL.  A reason names the thing first and reads as the
 * rest of a sentence ("lr: empty value"); the command puts its name in front.
 */
#ifndef STFM_BASE_ERROR_H
#define STFM_BASE_ERROR_H

#include <stddef.h>

/* Callers decide by the code; the text is only for people. */
enum error_code {
	ERROR_OTHER,
	ERROR_ABSENT,    /* there is no such file, program or record */
	ERROR_DAMAGED,   /* a record is damaged */
	ERROR_FOREIGN,   /* a record of another job, or of something else */
	ERROR_NEWER,     /* written by a newer stfm */
	ERROR_EXISTS,    /* the file or job to create exists already */
	ERROR_MAY_EXIST, /* the call failed, but may have created it */
	ERROR_LATER,     /* a later try may succeed: disk, memory, lock */
	ERROR_SILENT,    /* Slurm does not answer; a later try may succeed */
	ERROR_NO_SLURM,  /* Slurm is not set up on this machine */
	ERROR_ENDING,    /* Slurm is ending the task */
	ERROR_REFUSED,   /* Slurm refuses, or its answer makes no sense */
};

struct error {
	char text[1024];
	enum error_code code;
	int number;   /* the errno of the system call that failed, or 0 */
	size_t named; /* length of the option's name at the start of text */
};

/*
 * Put a reason into e (unless e is NULL) and return -1, so that a refusal is
 * one line: return error_set(e, "%s: empty value", name).  Its code is
 * ERROR_OTHER, its number 0.  errno is kept.  Text that does not fit is cut.
 */
int error_set(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Like error_set, with a code. */
int error_code(struct error *e, enum error_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Copy a reason with its code and number into e; return -1. */
int error_copy(struct error *e, const struct error *from);

/*
 * Put another text into e, with the code and number of from; return -1.  from
 * may be e, and its text an argument.
 */
int error_reword(struct error *e, const struct error *from, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/*
 * Put a reason, ": " and the text of the current errno into e; return -1.  The
 * code is ERROR_ABSENT for ENOENT, and ERROR_LATER for errors that can pass by
 * themselves: EIO and ESTALE of a file server, no memory, no descriptors.  Else
 * it is ERROR_OTHER.  The number is that errno, which is kept.
 */
int error_errno(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Return whether a later try may succeed. */
static inline int
error_may_pass(const struct error *e)
{
	return e->code == ERROR_LATER || e->code == ERROR_SILENT;
}

/*
 * Put "what: " in front of the reason in e, whose code and number stay; return
 * -1.
 */
static inline int
error_prefix(struct error *e, const char *what)
{
	return e == NULL ? -1 : error_reword(e, e, "%s: %s", what, e->text);
}

/*
 * Note in e->named that the reason in e begins with the name of an option, as
 * in "--goal: x: choose min or max"; return -1.  A command can then
 * replace the name by the place of the option in a file.
 */
int error_names(struct error *e, const char *option);

#endif
