/*
 * Host lists: names of nodes in Slurm's short form, such as
 * "n[1-3,07-09],gpu-a[1-2]x[1-2]", and lists of numbers for nodes, such as
 * "2(x3),1".
 */
#ifndef STFM_BASE_HOSTLIST_H
#define STFM_BASE_HOSTLIST_H

#include <stddef.h>

#include "base/error.h"
#include "base/strlist.h"

/* Maximum number of names in a list. */
enum { HOSTS_MOST = 1 << 17 };

/*
 * Add the names in list to out, in order.  With several brackets, the last
 * bracket varies fastest; numbers keep their leading zeros.  Returns 0, or -1
 * with out unchanged.
 */
int hostlist_expand(const char *list, struct strlist *out, struct error *e);

/*
 * Return names in the short form, sorted, each once: "n[1-3,08]"; to free.  If
 * a name has several numbers, the last one is folded.
 */
char *hostlist_fold(const struct strlist *names);

/* Compare names in natural order: n2 before n10. */
int hostlist_compare(const char *, const char *);

/*
 * Parse "2(x3),1" as a number for each of count names.  Sets *out, to free.
 * Returns 0, or -1, also if there are more or fewer numbers than names.
 */
int hostlist_numbers(
    const char *text, size_t count, size_t **out, struct error *e);

#endif
