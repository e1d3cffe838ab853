/*
 * Who can change what of a job.  Its tasks run what is in it, and a checksum
 * keeps nobody out who can write it anew: so what leads to running something
 * has to belong to whoever runs it, and to be closed to all others.
 */
#ifndef STFM_STORE_PERMISSIONS_H
#define STFM_STORE_PERMISSIONS_H

#include <sys/types.h>

#include "base/error.h"
#include "store/job.h"
#include "sys/fs.h"

/*
 * The names in a job's directory, "." among them, from which it follows what
 * its tasks run, up to NULL.  Not every job has all of them.
 */
extern const char *const store_permissions_names[];

/* Those of this job, with what is in its extensions; strlist_free them. */
void store_permissions_list(const struct store_job *, struct strlist *out);

/*
 * Whether what is at a name in an open directory belongs to the user and
 * others cannot write to it.  Returns 0, also when nothing is there, or -1,
 * also when it cannot be looked at; the reason begins with path.
 */
int store_permissions_check(
    int dir, const char *name, uid_t user, const char *path, struct error *e);

/*
 * The same for the user who runs this, of all store_permissions_names of a job,
 * and of the intent and the claim of a chunk.
 */
int store_permissions_check_job(const struct store_job *, struct error *e);
int store_permissions_check_chunk(
    const struct store_job *, const char *chunk, struct error *e);

#endif
