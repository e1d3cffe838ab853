/*
 * What a program that was ended has left in the store: scratch files and
 * directories that never got their names, and jobs that were being removed.
 */
#ifndef STFM_STORE_LEFTOVERS_H
#define STFM_STORE_LEFTOVERS_H

#include "base/error.h"
#include "base/strlist.h"
#include "store/store.h"

enum {
	STORE_LEFTOVERS_NEW = 60, /* seconds in which somebody may work on it */
	STORE_LEFTOVERS_OLD = 86400,  /* ... and after which nobody does */
	STORE_LEFTOVERS_TRASH = 3600, /* the same of what is in the trash */
	STORE_LEFTOVERS_EVERY = 3600  /* seconds between two collections */
};

/*
 * Remove what is old by the file system's clock, unless somebody did in the
 * last hour.  Returns 0, or -1 when something could not be removed.
 */
int store_leftovers(const struct store *, struct error *e);

/*
 * Add the paths of all that is left over below the store's, but for scratch
 * files that are so new, by the clock of this host, that somebody may be at
 * work on them.
 */
int store_leftovers_list(
    const struct store *, struct strlist *out, struct error *e);

#endif
