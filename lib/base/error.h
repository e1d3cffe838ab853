/*
 * A reason: why a function failed, in words for the user.
 *
 * The caller owns the struct.  Functions that can fail take it as their last
 * argument and accept NULL.  A reason names the thing first and reads as the
 * rest of a sentence ("lr: empty value"); the command puts its name before it.
 */
#ifndef STFM_BASE_ERROR_H
#define STFM_BASE_ERROR_H

/* The code on which callers base decisions; the text is only for people. */
enum error_code {
	ERROR_OTHER,
	ERROR_ABSENT,    /* there is no such file, program or record */
	ERROR_DAMAGED,   /* a record cannot be correct */
	ERROR_FOREIGN,   /* a record of another job or of another kind */
	ERROR_NEWER,     /* written by a newer stfm */
	ERROR_EXISTS,    /* the thing to create exists already */
	ERROR_MAY_EXIST, /* it is unknown whether it was created */
	ERROR_LATER,     /* temporary: Slurm or a disk does not answer */
	ERROR_ENDING,    /* Slurm is ending the task */
	ERROR_REFUSED,   /* Slurm refuses, or gives a senseless answer */
};

struct error {
	char text[1024];
	enum error_code code;
	int number; /* the errno of the system call that failed, or 0 */
};

/*
 * Put a reason into e (unless e is NULL) and return -1, so that a refusal is
 * one line: return error_set(e, "%s: empty value", name).  Its code is
 * ERROR_OTHER.  errno is preserved.  Text that does not fit is cut.
 */
int error_set(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Like error_set, with this code. */
int error_code(struct error *e, enum error_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Copy a reason and its code into e; return -1. */
int error_copy(struct error *e, const struct error *from);

/*
 * Put another text into e, with the code and number of from; return -1.  from
 * may be e, and its text an argument.
 */
int error_reword(struct error *e, const struct error *from, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/*
 * Put a reason, ": " and the text of the current errno into e; return -1.  The
 * code is ERROR_ABSENT for ENOENT, ERROR_LATER for temporary errors (EIO and
 * ESTALE of a file server, no memory or descriptors), else ERROR_OTHER.
 */
int error_errno(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Put "what: " before the reason in e, whose code stays; return -1. */
int error_prefix(struct error *e, const char *what);

#endif
