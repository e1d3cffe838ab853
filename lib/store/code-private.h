/* Reading and writing of struct store_code, for the files of lib/store. */
#ifndef STFM_STORE_CODE_PRIVATE_H
#define STFM_STORE_CODE_PRIVATE_H

#include "store/code.h"
#include "store/record.h"

/* Return the code as a JSON object, to json_decref. */
json_t *store_code_json(const struct store_code *);

/* Fill an empty struct from object; NULL leaves it empty. */
void store_code_take(struct store_code *, const json_t *object);

#endif
