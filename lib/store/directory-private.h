/*
 * Records in the directories of a job, for the files of lib/store.  Each record
 * holds its job and name, so that a record of another job, or under another
 * name, is detected.
 */
#ifndef STFM_STORE_DIRECTORY_PRIVATE_H
#define STFM_STORE_DIRECTORY_PRIVATE_H

#include "store/directory.h"
#include "store/record.h"

/* Note in a record which job and name it has. */
void store_directory_sign(
    json_t *record, const struct store_job *, const char *name);

/*
 * Check that a record has this job and name.  Records of early releases, which
 * have neither, are accepted.  Returns 0, or -1 with ERROR_FOREIGN and a reason
 * without a path.
 */
int store_directory_own(const struct store_job *, const char *name,
    const json_t *record, struct error *e);

/*
 * Publish a record in the open directory dir.  Takes record; result and errors
 * are those of store_record_publish.
 */
int store_directory_publish(const struct store_job *, int dir, const char *name,
    json_t *record, struct error *e);

/* Open the directory part, publish a record in it and close it. */
int store_directory_add(const struct store_job *, const char *part,
    const char *name, json_t *record, struct error *e);

/*
 * Write a record that is not durable yet to the open directory dir.  Takes
 * record; result and errors are those of store_record_place.
 */
int store_directory_place(const struct store_job *, int dir, const char *name,
    json_t *record, struct error *e);

/*
 * Read a record of at most STORE_RECORD_LIMIT bytes.  Returns it, to
 * json_decref, or NULL with the codes of store_record_load and
 * store_directory_own.
 */
json_t *store_directory_load(
    const struct store_job *, int dir, const char *name, struct error *e);

#endif
