/*
 * The record of use of a run, while it trains: usage/000123.0.1.csv, see
 * usage/usage.h.  The fact of its end takes it over, and the file goes.
 *
 * It is written anew each time, and there is always a whole one: the one
 * before, where its writer was killed.  The file ends in a line that names its
 * job and run, and a line with a checksum.  Neither is in the texts that are
 * given and got here.  Records of older versions lack the line with the name.
 */
#ifndef STFM_STORE_USAGE_H
#define STFM_STORE_USAGE_H

#include <stddef.h>

#include "base/error.h"
#include "store/fact.h"

/* The kind of the fact that names the run is not looked at. */
int store_usage_write(const struct store_job *, const struct store_fact *,
    const char *text, size_t length, struct error *e);

/*
 * The text, to free, or NULL; errno is ENOENT when there is none, and EBADMSG
 * when it is damaged or the record of another run.
 */
char *store_usage_read(const struct store_job *, const struct store_fact *,
    size_t *length, struct error *e);

/* As store_usage_read; damage is its reason without the path, or empty. */
char *store_usage_look(const struct store_job *, const struct store_fact *,
    size_t *length, struct error *damage, struct error *e);

/* Remove it; that there is none is no error. */
int store_usage_remove(
    const struct store_job *, const struct store_fact *, struct error *e);

/* The name of its file, and whether one is such a name; then of which run. */
void store_usage_name(const struct store_fact *, char out[STORE_FACT_NAME]);
int store_usage_parse(const char *name, struct store_fact *run);

#endif
