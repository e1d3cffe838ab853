/*
 * The usage record of a run that is still training: usage/000123.0.1.csv, see
 * usage/usage.h.  The fact of the run's end takes it over, and the file is
 * removed.
 *
 * The file is replaced as a whole each time; if the writer is killed, the last
 * complete one stays.  It ends in a line that names its job and run, and a line
 * with a checksum.  Neither is part of the text that callers give and get.
 * Records of older versions lack the line with the name.
 */
#ifndef STFM_STORE_USAGE_H
#define STFM_STORE_USAGE_H

#include <stddef.h>

#include "base/error.h"
#include "store/fact.h"

/*
 * Replace a run's usage record; the kind of run is ignored.  Returns 0, or -1.
 */
int store_usage_write(const struct store_job *, const struct store_fact *,
    const char *text, size_t length, struct error *e);

/*
 * Return the usage record of a run, to free, and its length.  Returns NULL with
 * ERROR_ABSENT if there is none, or ERROR_DAMAGED if it is damaged or belongs
 * to another run.
 */
char *store_usage_read(const struct store_job *, const struct store_fact *,
    size_t *length, struct error *e);

/*
 * Read a usage record as store_usage_read does.  damage is set to the reason
 * without the path if it is damaged, else to "".
 */
char *store_usage_look(const struct store_job *, const struct store_fact *,
    size_t *length, struct error *damage, struct error *e);

/* Return whether the job may have usage records: it has their directory. */
int store_usage_exists(const struct store_job *);

/* Remove the usage record of a run, if there is one.  Returns 0, or -1. */
int store_usage_remove(
    const struct store_job *, const struct store_fact *, struct error *e);

/*
 * Write the name of the file to out, or read a name: returns 1 and sets *run if
 * it is such a name, else 0.
 */
void store_usage_name(const struct store_fact *, char out[STORE_FACT_NAME]);
int store_usage_parse(const char *name, struct store_fact *run);

#endif
