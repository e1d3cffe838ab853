#include "control/bad-nodes.h"
#include "store/once.h"

/* Apart from the rest, for who has no business with Slurm. */
int
bad_nodes_avoided(const struct store_job *job, struct strlist *avoided,
    struct strlist *kept, struct error *e)
{
	if (store_once_list(job, "avoid.", avoided, e) == -1)
		return -1;
	return store_once_list(job, "keep.", kept, e);
}
