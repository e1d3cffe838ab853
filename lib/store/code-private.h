/* Reading and writing of struct store_code, for the files of lib/store. */
#ifndef STFM_STORE_CODE_PRIVATE_H
#define STFM_STORE_CODE_PRIVATE_H

#include "store/code.h"
#include "store/record.h"

struct store_job;

/* Return the code as a JSON object, to json_decref. */
json_t *store_code_json(const struct store_code *);

/*
 * Add to the record of a job, for programs to read, the number of its code, and
 * its changes.
 */
void store_changes_show(const struct store_job *, json_t *record);

/* Fill an empty struct from object; NULL leaves it empty. */
void store_code_take(struct store_code *, const json_t *object);

#endif
