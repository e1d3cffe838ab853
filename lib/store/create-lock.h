/*
 * New jobs that are looked over against all others before they are seen, one
 * after another, however many are made at once.
 *
 * A finished directory is renamed, inside one of its own, to the one name that
 * is the way in, and from there to the name of the job.  A directory that is
 * not empty is not replaced by a rename: so while one is there no other comes
 * in.  What stays there, because its program was killed, is put aside by the
 * next after STORE_CREATE_PATIENCE; if that program is only slow, its own
 * rename fails then, and it begins again, with as much patience as it needed
 * itself.
 */
#ifndef STFM_STORE_CREATE_LOCK_H
#define STFM_STORE_CREATE_LOCK_H

#include <stdint.h>

#include "base/error.h"

/* Milliseconds; a test may wait for less. */
enum { STORE_CREATE_PATIENCE = 2000 };
extern int64_t store_create_patience;

/* Whether the new job may be there: 0, or -1 with the reason. */
typedef int store_create_admit(void *arg, struct error *e);

/*
 * Give the directory ".new.ID" in an open one the name of the job, if it is
 * admitted while no other can come in.  Returns 0, 1 when the name is taken, or
 * -1, with errno EAGAIN when others were in the way, EINPROGRESS and EALREADY
 * as store_create; else, without a 0, nothing of it is seen.
 */
int store_create_reveal(int jobs, const char *id, const char *name,
    store_create_admit *admit, void *arg, struct error *e);

#endif
