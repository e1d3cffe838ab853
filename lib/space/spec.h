/*
 * A spec: grids and the job's name, command and options in a JSON document; the
 * format is in stfm-space(5).
 */
#ifndef STFM_SPACE_SPEC_H
#define STFM_SPACE_SPEC_H

#include <stddef.h>

#include "base/error.h"
#include "base/strlist.h"
#include "space/grid.h"

/*
 * Texts that the document lacks are NULL; lists that it lacks are empty.  The
 * options are words for sbatch, such as "--partition=gpu", or for the policy,
 * such as "--requeue=3".
 */
struct spec {
	char *name, *description;
	struct strlist command, sbatch, policy;
	struct grid **grid;
	size_t grids;
	unsigned keys; /* private: bits of the keys that were read */
};

/*
 * Read a document.  Returns NULL with "line 3, column 7: reason" in e; free
 * with spec_free.
 */
struct spec *spec_new(const char *json, size_t length, struct error *e);
void spec_free(struct spec *);

#endif
