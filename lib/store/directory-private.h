/*
 * Records in the parts of a job, for what writes and reads them: each says
 * which it is, so that one of another job, or under the name of another, is
 * not taken for it.
 */
#ifndef STFM_STORE_DIRECTORY_PRIVATE_H
#define STFM_STORE_DIRECTORY_PRIVATE_H

#include "store/directory.h"
#include "store/record.h"

/* Publish a record in a part of the job that is open; else as
 * store_record_publish. */
int store_directory_publish(const struct store_job *, int dir, const char *name,
    json_t *record, struct error *e);

/* The same as store_record_place. */
int store_directory_place(const struct store_job *, int dir, const char *name,
    json_t *record, struct error *e);

/*
 * Read a record; else as store_record_load.  errno is ENOMSG when it is another
 * one, or one of another job.  Those of releases that did not say it are taken
 * as they are.
 */
json_t *store_directory_load(
    const struct store_job *, int dir, const char *name, struct error *e);

#endif
