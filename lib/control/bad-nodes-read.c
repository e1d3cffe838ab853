#include "control/bad-nodes.h"
#include "store/once.h"

/* Apart from the rest, for who has no business with Slurm. */
int
job_nodes_avoided(const struct store_job *job, struct words *avoided,
    struct words *kept, struct error *e)
{
	if (store_marks(job, "avoid.", avoided, e) == -1)
		return -1;
	return store_marks(job, "keep.", kept, e);
}
