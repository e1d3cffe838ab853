#include <stdlib.h>
#include <string.h>

#include "job/selection.h"
#include "store/load.h"

void
selection_free(struct selection *s)
{
	size_t i;

	for (i = 0; i < s->count; i++) {
		store_job_free(s->item[i].job);
		idset_free(&s->item[i].tasks);
	}
	free(s->item);
	memset(s, 0, sizeof *s);
}
