/*
 * Verification of a store: every file is read and held against its checksum
 * and against the others.  Nothing is changed.
 */
#ifndef STFM_VERIFY_VERIFY_H
#define STFM_VERIFY_VERIFY_H

#include <stddef.h>

#include "verify/finding.h"

/*
 * Verify the store itself and the jobs with these names, or all when there are
 * none.  The store may have been opened for STORE_VERIFY, without a look at
 * FORMAT.  Returns 0 whatever is found, or -1 when something cannot be read;
 * what was found so far is then there.
 */
int verify_store(const struct store *, char *const *names, size_t count,
    struct verify_findings *out, struct error *e);

#endif
