/*
 * Marks: decisions that are taken once in a job's life, whoever takes them
 * first.  A mark is a small record in ctl/ that is never taken back.
 */
#ifndef STFM_STORE_ONCE_H
#define STFM_STORE_ONCE_H

#include "base/error.h"
#include "base/strlist.h"
#include "store/job.h"

/*
 * Make a mark, named by letters, digits, '.', '_' and '-'; why is for people,
 * or NULL.  Returns 0, 1 when it was made before, or -1.
 */
int store_once_set(const struct store_job *, const char *name, const char *why,
    struct error *e);

/* The names of all marks that begin so, without that; out is empty before. */
int store_once_list(const struct store_job *, const char *begin,
    struct strlist *out, struct error *e);

/* Whether a mark is there: 1, 0, or -1. */
int store_once_is_set(
    const struct store_job *, const char *name, struct error *e);

#endif
