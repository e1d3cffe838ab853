/*
 * Permissions of a job's files.  Tasks run what the files say, and a checksum
 * does not stop users who can write them.  So every file that decides what runs
 * must belong to the user who runs it, and no other user may write to it.
 */
#ifndef STFM_STORE_PERMISSIONS_H
#define STFM_STORE_PERMISSIONS_H

#include <sys/types.h>

#include "base/error.h"
#include "sys/fs.h"

struct store_job;
struct strlist;

/*
 * The names in a job's directory, including ".", that decide what its tasks
 * run, ending with NULL.  Not every job has all of them.
 */
extern const char *const store_permissions_names[];

/*
 * Add the names for this job, and those in its extensions, to out; free it with
 * strlist_free.
 */
void store_permissions_list(const struct store_job *, struct strlist *out);

/*
 * Check that the file at name in an open directory belongs to user and that
 * others cannot write to it.  Returns 0, also if it does not exist, or -1, also
 * if it cannot be examined.  The reason begins with path.
 */
int store_permissions_check(
    int dir, const char *name, uid_t user, const char *path, struct error *e);

/*
 * Check all store_permissions_names of a job, or the intent and the claim of a
 * chunk, for the user who runs this.  Returns 0, or -1.
 */
int store_permissions_check_job(const struct store_job *, struct error *e);
int store_permissions_check_chunk(
    const struct store_job *, const char *chunk, struct error *e);

#endif
