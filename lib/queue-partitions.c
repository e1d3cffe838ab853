#include <stdint.h>
#include <string.h>

#include "proc.h"
#include "queue-partitions.h"

/* Without libslurm and what chooses it: for programs that are to start fast. */
int
queue_partitions(int64_t ms, struct words *out, struct error *e)
{
	static const char *const words[] = {
	    "sinfo", "--noheader", "--format=%R", NULL};
	struct proc_result result;
	char *name, *save;
	int rc;

	if (proc_run((char *const *)(uintptr_t)words, NULL, ms, &result, e) ==
	    -1)
		return -1;
	rc = proc_ok(&result) ? 0 : error_set(e, "sinfo: %s", result.complaint);
	/* A line for each state that nodes of a partition are in. */
	for (name = rc == 0 ? strtok_r(result.out, "\n", &save) : NULL;
	     name != NULL; name = strtok_r(NULL, "\n", &save))
		if (!words_have(out, name))
			words_push(out, name);
	proc_result_free(&result);
	return rc;
}
