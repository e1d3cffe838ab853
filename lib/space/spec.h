/*
 * A spec: grids and what belongs to them in a JSON document, as stfm-space(5)
 * has it.
 */
#ifndef STFM_SPACE_SPEC_H
#define STFM_SPACE_SPEC_H

#include <stddef.h>

#include "base/error.h"
#include "space/grid.h"

/* Texts and lists that the document does not have are NULL. */
struct spec {
	char *name, *description;
	char **command, **sbatch, **policy; /* end with NULL */
	struct grid **grid;
	size_t grids;
};

/*
 * Read a document.  Returns NULL with "line 3, column 7: reason" in e; free
 * with spec_free.
 */
struct spec *spec_new(const char *json, size_t length, struct error *e);
void spec_free(struct spec *);

#endif
