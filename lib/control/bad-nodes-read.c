#include "control/bad-nodes.h"
#include "store/once.h"

/* Kept in a file without calls to Slurm, for commands that need no libslurm. */
int
bad_nodes_avoided(const struct store_job *job, struct strlist *avoided,
    struct strlist *kept, struct error *e)
{
	if (store_once_list(job, "avoid.", avoided, e) == -1)
		return -1;
	return store_once_list(job, "keep.", kept, e);
}
