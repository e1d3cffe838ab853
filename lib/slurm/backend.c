#include <stdlib.h>
#include <string.h>

#include "slurm/private.h"

const struct queue_way *
queue_way(void)
{
#ifndef STFM_NO_LIBSLURM
	const char *wanted = getenv("STFM_SLURM");

	if (wanted == NULL || strcmp(wanted, "text") != 0)
		return &queue_library;
#endif
	return &queue_text;
}
