/*
 * Leftovers of killed programs in the store: scratch files and directories that
 * were never renamed, and jobs whose removal was not finished.
 */
#ifndef STFM_STORE_LEFTOVERS_H
#define STFM_STORE_LEFTOVERS_H

#include "base/error.h"
#include "base/strlist.h"

struct store;

enum {
	STORE_LEFTOVERS_NEW = 60,     /* seconds in which it may be in use */
	STORE_LEFTOVERS_OLD = 86400,  /* seconds after which it is unused */
	STORE_LEFTOVERS_TRASH = 3600, /* the same for the trash */
	STORE_LEFTOVERS_EVERY = 3600  /* seconds between two collections */
};

/*
 * Remove old leftovers, by the file system's clock, unless this was done in the
 * last hour (STORE_LEFTOVERS_EVERY).  Returns 0, or -1 if something could not
 * be removed.
 */
int store_leftovers(const struct store *, struct error *e);

/*
 * Add the paths of all leftovers, relative to the store, to out.  Scratch files
 * whose time is less than STORE_LEFTOVERS_NEW before or after this host's clock
 * are omitted: they may be in use.  Returns 0, or -1.
 */
int store_leftovers_list(
    const struct store *, struct strlist *out, struct error *e);

#endif
