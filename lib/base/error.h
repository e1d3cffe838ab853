/*
 * A reason: why a function failed, in words for the user.
 *
 * The caller owns the struct.  Functions that can fail take it as their last
 * argument and accept NULL.  A reason names the thing first and reads as the
 * rest of a sentence ("lr: empty value"); the command puts its name in front.
 */
#ifndef STFM_BASE_ERROR_H
#define STFM_BASE_ERROR_H

struct error {
	char text[1024];
};

/*
 * Put a reason into e (unless e is NULL) and return -1, so that a refusal is
 * one line: return error_set(e, "%s: empty value", name).  errno is kept.  Text
 * that does not fit is cut.
 */
int error_set(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Put a reason, ": " and the text of the current errno into e; return -1. */
int error_errno(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Put "what: " in front of the reason in e; return -1. */
int error_prefix(struct error *e, const char *what);

#endif
