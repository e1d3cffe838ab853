/*
 * Names of nodes as Slurm writes them in short:
 * "n[1-3,07-09],gpu-a[1-2]x[1-2]", and the numbers that go with them,
 * "2(x3),1".
 */
#ifndef STFM_BASE_HOSTLIST_H
#define STFM_BASE_HOSTLIST_H

#include <stddef.h>

#include "base/error.h"
#include "base/strlist.h"

/* No list is longer. */
enum { HOSTS_MOST = 1 << 17 };

/*
 * Add the names of a list to out, in its order; of several brackets the last
 * varies fastest, and numbers keep their leading zeros.  Returns 0, or -1 with
 * out as it was.
 */
int hostlist_expand(const char *list, struct strlist *out, struct error *e);

/*
 * The opposite: sorted, each name once, "n[1-3,08]"; of several numbers in a
 * name the last is folded.  To free.
 */
char *hostlist_fold(const struct strlist *names);

/* Compare names as people sort them: n2 is before n10. */
int hostlist_compare(const char *, const char *);

/*
 * Read "2(x3),1" as a number for each of count names into *out, to free.
 * Returns 0, or -1 also when there are more or fewer numbers than names.
 */
int hostlist_numbers(
    const char *text, size_t count, size_t **out, struct error *e);

#endif
