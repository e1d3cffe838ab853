/* The code in a job's record, for what writes and reads the record. */
#ifndef STFM_STORE_CODE_PRIVATE_H
#define STFM_STORE_CODE_PRIVATE_H

#include "store/code.h"
#include "store/record.h"

json_t *store_code_json(const struct store_code *);

/* Fill an empty struct; an object that is NULL says nothing. */
void store_code_take(struct store_code *, const json_t *object);

#endif
