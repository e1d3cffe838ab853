/*
 * The create lock: new jobs become visible one after another, so that each is
 * checked against all others, however many are created at once.
 *
 * A finished directory is first moved, inside another directory, to the one
 * name that is the lock, and from there to the name of the job.  A rename
 * cannot replace a directory that is not empty, so only one creator holds the
 * lock.  If the holder was killed, the next creator removes the lock after
 * STORE_CREATE_PATIENCE.  If the holder was only slow, its own rename then
 * fails; it starts over and waits as long as it needed itself.
 */
#ifndef STFM_STORE_CREATE_LOCK_H
#define STFM_STORE_CREATE_LOCK_H

#include <stdint.h>

#include "base/error.h"

/* In milliseconds; tests may shorten it. */
enum { STORE_CREATE_PATIENCE = 2000 };
extern int64_t store_create_patience;

/* Return 0 if the new job may be created, or -1 with the reason. */
typedef int store_create_admit(void *arg, struct error *e);

/*
 * Rename the directory ".new.ID" in the open directory jobs to the name of the
 * job, if admit(arg, e), called with the lock held, returns 0.  Returns 0, 1 if
 * the name is taken, or -1.  The code is ERROR_LATER if others held the lock
 * too long, and ERROR_EXISTS or ERROR_MAY_EXIST as in store_create.  After any
 * other failure nothing of the job is visible.
 */
int store_create_reveal(int jobs, const char *id, const char *name,
    store_create_admit *admit, void *arg, struct error *e);

#endif
