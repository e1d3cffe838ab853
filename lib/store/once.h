/*
 * Once markers: decisions that are taken once in a job's life, by whichever
 * program is first.  A once marker is a small record in ctl/ that is never
 * removed, unless it is a lock.
 */
#ifndef STFM_STORE_ONCE_H
#define STFM_STORE_ONCE_H

#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

struct store_job;

/*
 * Set a once marker.  name has letters, digits, '.', '_' and '-'; why is for
 * people, or NULL.  Returns 0, 1 if the marker was set before, or -1.
 */
int store_once_set(const struct store_job *, const char *name, const char *why,
    struct error *e);

/*
 * Add the names of all once markers that begin with begin, without that text,
 * to out, which must be empty.  Returns 0, or -1.
 */
int store_once_list(const struct store_job *, const char *begin,
    struct strlist *out, struct error *e);

/*
 * Lock something for a task until store_once_unlock: a marker whose name
 * begins with "lock.", which may be lost in a power cut.  Returns 0, also if
 * the task has locked it before, 1 if another task has, or -1.
 */
int store_once_lock(
    const struct store_job *, const char *name, uint64_t task, struct error *e);
void store_once_unlock(const struct store_job *, const char *name);

/* Return whether a once marker is set: 1, 0, or -1. */
int store_once_is_set(
    const struct store_job *, const char *name, struct error *e);

/*
 * Add the nodes that the job excludes to avoided.  Add bad nodes that it does
 * not exclude, because each is the last usable node of a partition, to kept.
 * Both lists start empty.  Returns 0 or -1.
 */
int store_once_nodes(const struct store_job *, struct strlist *avoided,
    struct strlist *kept, struct error *e);

#endif
