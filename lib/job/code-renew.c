#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/xalloc.h"
#include "job/code-renew.h"
#include "job/code.h"
#include "store/change.h"
#include "store/job.h"
#include "sys/fs.h"

enum { SCRIPT_LIMIT = 4 << 20 };

/* A newer copy that is being made. */
struct renewal {
	struct store_job next; /* the job, with the newer code */
	struct snapshot *snapshot;
	char *script; /* text of the user's batch script, or NULL */
	struct store_change change;
};

/* Read the user's batch script as it is now; compare it with the copy. */
static int
read_script(struct renewal *r, const struct store_job *job,
    struct strlist *differing, struct error *e)
{
	const char *sum =
	    job->code.number > 0 ? job->code.script_sum : job->script_sum;
	size_t length;

	if (job->script == NULL)
		return 0;
	if (fs_read_path(job->script, SCRIPT_LIMIT, &r->script, &length, e) ==
	    -1)
		return -1;
	r->next.code.script_sum = store_job_sum(r->script, length);
	if (sum == NULL || strcmp(sum, r->next.code.script_sum) != 0)
		strlist_push(differing, job->script);
	return 0;
}

/* Make the files of the newer copy; fits store_numbered_fill. */
static int
fill(void *arg, int dir, struct error *e)
{
	struct renewal *r = arg;

	if (job_code_copy(r->snapshot, &r->next, dir, e) == -1)
		return -1;
	if (r->script != NULL &&
	    fs_place_mode(dir, "script", FS_PROGRAM, r->script,
		strlen(r->script), e) != 0)
		return -1;
	r->change.code = r->next.code;
	return 0;
}

static int
publish(struct renewal *r, const struct store_job *job, struct error *e)
{
	int rc;

	r->change.copies = 1;
	rc = store_change_add(job, &r->change, fill, r, e);
	if (rc == 1)
		rc = error_code(e, ERROR_LATER,
		    "%s: changed by another command meanwhile: try again",
		    job->name);
	return rc;
}

int
job_code_renew(const struct store_job *job, const char *store, int only_look,
    size_t most, struct strlist *differing, struct error *e)
{
	struct renewal r = {.next = *job};
	int rc;

	if (job->code.fingerprint == NULL && job->script == NULL)
		return error_set(e,
		    "%s: has no copy of its code, so that its tasks train with "
		    "the code in %s as it is: leave out --new-code",
		    job->name, job->directory);
	if (job->extends < 2)
		return error_set(e,
		    "%s: was submitted by an earlier release, whose tasks know "
		    "no newer code: submit it under another name (-J)",
		    job->name);
	r.next.is_loaded = 0;
	r.next.code = (struct store_code){0};
	rc = job->code.fingerprint == NULL
	    ? 0
	    : job_code_plan(&r.next, job->code.patterns, store, &r.snapshot, e);
	if (rc == 0 && job->code.fingerprint != NULL &&
	    (r.snapshot == NULL || r.snapshot->root == NULL))
		rc = error_set(e, "%s: cannot copy the code again: %s",
		    job->name, r.next.code.why);
	if (rc == 0 && job->code.fingerprint != NULL)
		rc = job_code_differs(
		    job, r.snapshot, most, differing, differing, e);
	if (rc != -1)
		rc = read_script(&r, job, differing, e);
	if (rc != -1)
		rc = differing->count > 0;
	if (rc == 1 && !only_look && publish(&r, job, e) == -1)
		rc = -1;
	store_code_free(&r.next.code);
	snapshot_free(r.snapshot);
	free(r.script);
	return rc;
}
