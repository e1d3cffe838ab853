#include <stdlib.h>
#include <string.h>

#include "fs.h"
#include "job-ready.h"
#include "store-part.h"
#include "xalloc.h"

enum { BATCH_LIMIT = 16 << 20 };

char *
job_ready_program(const char *batch)
{
	const char *at = strstr(batch, "/libexec/stfm-run-");

	if (at == NULL)
		return NULL;
	at++; /* the whole path may be quoted */
	return xstrndup(
	    at, strspn(at, "/-0123456789abcdefghijklmnopqrstuvwxyz"));
}

/* The program is not there: it may be the one that we have. */
static int
install(const struct store *store, const struct store_job *job,
    const char *path, const char *program, struct error *e)
{
	char *ours = store_program(store->path, program, NULL), *placed;
	int same = ours != NULL && strcmp(ours, path) == 0;

	free(ours);
	if (same) {
		placed = store_install(store, program, e);
		free(placed);
		return placed != NULL ? 0 : -1;
	}
	return error_set(e,
	    "%s: its tasks start %s, which is not there, and this release has "
	    "another: put it back, or submit the job under another name (-J); "
	    "stfm-check %s says what else is missing",
	    job->name, path, job->name);
}

static int
check_program(const struct store *store, const struct store_job *job,
    const char *program, struct error *e)
{
	char *text, *name, *path;
	int rc = 0;

	if (fs_read(job->dir, "batch.sh", BATCH_LIMIT, &text, NULL, NULL) == -1)
		return 0; /* sbatch says it */
	name = job_ready_program(text);
	free(text);
	if (name == NULL)
		return 0;
	path = xasprintf("%s/%s", store->path, name);
	if (!fs_exists(path))
		rc = install(store, job, path, program, e);
	free(path);
	free(name);
	return rc;
}

int
job_ready(const struct store *store, const struct store_job *job,
    const char *program, struct error *e)
{
	static const char *const parts[] = {"log", "metrics", "checkpoint"};
	size_t i;
	int dir;

	if (check_program(store, job, program, e) == -1)
		return -1;
	for (i = 0; i < sizeof parts / sizeof *parts; i++) {
		dir = store_part_open(job, parts[i], 1, e);
		if (dir == -1)
			return -1;
		fs_close(dir);
	}
	return 0;
}
