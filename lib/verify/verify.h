/*
 * Verification of a store: read every file, and compare it with its checksum
 * and with the others.  Nothing is changed.
 */
#ifndef STFM_VERIFY_VERIFY_H
#define STFM_VERIFY_VERIFY_H

#include <stddef.h>

#include "verify/finding.h"

/*
 * Verify the store itself and the jobs with these names, or all if there are
 * none.  The store may be open for STORE_VERIFY, which does not check FORMAT.
 * Returns 0, whatever is found, or -1 if something cannot be read; out then has
 * the findings so far.
 */
int verify_store(const struct store *, char *const *names, size_t count,
    struct verify_findings *out, struct error *e);

#endif
