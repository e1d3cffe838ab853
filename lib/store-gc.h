/*
 * What a program that was ended has left in the store: scratch files and
 * directories that never got their names, and jobs that were being removed.
 */
#ifndef STFM_STORE_GC_H
#define STFM_STORE_GC_H

#include "error.h"
#include "store.h"
#include "words.h"

enum {
	STORE_GC_OLD = 86400,  /* seconds after which nobody works on it */
	STORE_GC_TRASH = 3600, /* the same of what is in the trash */
	STORE_GC_EVERY = 3600  /* seconds between two collections */
};

/*
 * Remove what is old by the file system's clock, unless somebody did in the
 * last hour.  Returns 0, or -1 when something could not be removed.
 */
int store_gc(const struct store *, struct error *e);

/* Add the paths of all that is left over, of any age, below the store's. */
int store_gc_list(const struct store *, struct words *out, struct error *e);

#endif
