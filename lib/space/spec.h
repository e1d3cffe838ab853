/*
 * A spec: grids and what belongs to their job in a JSON document; its format is
 * in stfm-space(5).
 */
#ifndef STFM_SPACE_SPEC_H
#define STFM_SPACE_SPEC_H

#include <stddef.h>

#include "base/error.h"
#include "base/strlist.h"
#include "space/grid.h"

/* Texts that the document does not have are NULL; such lists are empty. */
struct spec {
	char *name, *description;
	struct strlist command, sbatch, policy;
	struct grid **grid;
	size_t grids;
	unsigned keys; /* that one object may have only once: a bit for each */
};

/*
 * Read a document.  Returns NULL with "line 3, column 7: reason" in e; free
 * with spec_free.
 */
struct spec *spec_new(const char *json, size_t length, struct error *e);
void spec_free(struct spec *);

#endif
