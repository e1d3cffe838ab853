/*
 * A reason: why something could not be done, in words for the user.
 *
 * The caller owns the struct; functions that can fail take it as their last
 * argument and accept NULL.  A reason names the thing first and reads as the
 * rest of a sentence ("lr: empty value"); the command puts its name before it.
 */
#ifndef STFM_BASE_ERROR_H
#define STFM_BASE_ERROR_H

struct error {
	char text[1024];
};

/*
 * Put a reason into e (unless e is NULL) and return -1, so that a refusal is
 * one line: return error_set(e, "%s: empty value", name).  errno is kept.
 * Text that does not fit is cut.
 */
int error_set(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, followed by ": " and the text of the current errno. */
int error_errno(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Put "what: " before the reason that is already there; returns -1. */
int error_prefix(struct error *e, const char *what);

#endif
