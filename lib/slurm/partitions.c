#include <stdint.h>
#include <string.h>

#include "slurm/partitions.h"
#include "sys/proc.h"

/*
 * Ask sinfo for names, without libslurm and queue_way: the callers must start
 * fast.  sinfo prints several lines for a name whose nodes are in different
 * states or partitions.
 */
static int
ask(const char *const words[], int64_t ms, int in_a_row, struct strlist *out,
    struct error *e)
{
	struct proc_result result;
	char *name, *save;
	int rc;

	if (proc_run((char *const *)(uintptr_t)words, NULL, ms, &result, e) ==
	    -1)
		return -1;
	rc = proc_ok(&result) ? 0 : error_set(e, "sinfo: %s", result.complaint);
	for (name = rc == 0 ? strtok_r(result.out, "\n", &save) : NULL;
	     name != NULL; name = strtok_r(NULL, "\n", &save))
		if (in_a_row ? out->count == 0 ||
			    strcmp(out->word[out->count - 1], name) != 0
			     : !strlist_have(out, name))
			strlist_push(out, name);
	proc_result_free(&result);
	return rc;
}

int
queue_names(
    enum queue_names what, int64_t ms, struct strlist *out, struct error *e)
{
	static const char *const words[][6] = {
	    [QUEUE_PARTITION_NAMES] = {"sinfo", "--noheader", "--format=%R"},
	    [QUEUE_NODE_NAMES] = {"sinfo", "--noheader", "--Node", "--sort=N",
		"--format=%N"},
	    [QUEUE_RESERVATION_NAMES] = {"sinfo", "--noheader",
		"--reservation"},
	};
	size_t i;

	if (ask(words[what], ms, what == QUEUE_NODE_NAMES, out, e) == -1)
		return -1;
	/* Each line has the name, then blanks and times. */
	if (what == QUEUE_RESERVATION_NAMES)
		for (i = 0; i < out->count; i++)
			out->word[i][strcspn(out->word[i], " ")] = '\0';
	return 0;
}
