#include <sys/stat.h>

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "base/xalloc.h"
#include "job/checkpoint-dir.h"
#include "store/chunk.h"
#include "store/load.h"
#include "sys/fs-tree.h"

/* Return the chunk of the latest attempt of a task up to limit, or NULL. */
static const struct store_chunk *
latest(const struct store_chunks *chunks, uint64_t task, uint32_t limit)
{
	const struct store_chunk *found = NULL, *c;
	size_t i;

	for (i = 0; i < chunks->count; i++) {
		c = &chunks->chunk[i];
		if (c->claim != STORE_WITHDRAWN && c->attempt <= limit &&
		    (found == NULL || c->attempt > found->attempt) &&
		    idset_has(&c->tasks, task))
			found = c;
	}
	return found;
}

uint32_t
job_checkpoint_origin(
    const struct store_chunks *chunks, uint64_t task, uint32_t attempt)
{
	const struct store_chunk *c = latest(chunks, task, attempt);

	while (c != NULL && c->resume && c->attempt > 0) {
		attempt = c->attempt - 1;
		c = latest(chunks, task, attempt);
	}
	return c != NULL ? c->attempt : 0;
}

int
job_checkpoint_is_known(
    const struct store_chunks *chunks, uint64_t task, uint32_t attempt)
{
	const struct store_chunk *c = latest(chunks, task, attempt);

	while (c != NULL && c->attempt == attempt && c->resume && attempt > 0)
		c = latest(chunks, task, --attempt);
	return c != NULL && c->attempt == attempt;
}

char *
job_checkpoint_path(const struct store_job *job, uint64_t task, uint32_t origin)
{
	if (origin == 0)
		return xasprintf(
		    "%s/checkpoint/%06" PRIu64, store_job_path(job), task);
	return xasprintf("%s/checkpoint/%06" PRIu64 ".%" PRIu32,
	    store_job_path(job), task, origin);
}

int
job_checkpoint_is_there(const struct store_job *job, uint64_t task,
    uint32_t origin, struct error *e)
{
	char *path = job_checkpoint_path(job, task, origin);
	int dir = fs_open_dir(path, e), is_gone = dir == -1 && errno == ENOENT;
	struct fs_names names;
	int rc;

	free(path);
	if (dir == -1)
		return is_gone ? 0 : -1;
	rc = fs_list_kind(dir, FS_ALL, 1, &names, e);
	fs_close(dir);
	if (rc == -1)
		return -1;
	rc = names.count > 0;
	fs_names_free(&names);
	return rc;
}

/*
 * Return whether a link leads to a place that is not below the directory top;
 * the directory itself may be the link.
 */
static int
leads_out(const FTSENT *link, const char *top)
{
	char *to = realpath(link->fts_path, NULL);
	size_t length = strlen(top);
	int out;

	if (to == NULL) /* there is nothing */
		return 0;
	out = link->fts_level == FTS_ROOTLEVEL ||
	    strncmp(to, top, length) != 0 ||
	    (to[length] != '/' && to[length] != '\0');
	free(to);
	return out;
}

void
job_checkpoint_look(const char *path, struct job_checkpoint_files *out)
{
	char *roots[] = {(char *)(uintptr_t)path, NULL};
	char *top = realpath(path, NULL);
	FTS *tree = top != NULL
	    ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL)
	    : NULL;
	FTSENT *at;

	*out = (struct job_checkpoint_files){.newest = -1};
	while (tree != NULL && (at = fts_read(tree)) != NULL)
		if (at->fts_info == FTS_F &&
		    (int64_t)at->fts_statp->st_mtime > out->newest)
			out->newest = (int64_t)at->fts_statp->st_mtime;
		else if (at->fts_info == FTS_SL && out->link == NULL &&
		    leads_out(at, top))
			out->link = xstrdup(at->fts_path);
	if (tree != NULL)
		fts_close(tree);
	free(top);
}

void
job_checkpoint_files_free(struct job_checkpoint_files *files)
{
	free(files->link);
	*files = (struct job_checkpoint_files){.newest = -1};
}
