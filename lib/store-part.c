#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store-part.h"
#include "store-seal.h"
#include "xalloc.h"

const char *const store_parts[] = {
    "sub", "run", "ctl", "fold", "metrics", "log", "checkpoint", "ext", NULL};

int
store_part_open(
    const struct store_job *job, const char *part, int make, struct error *e)
{
	return fs_open_subdir(job->dir, part, make, e);
}

int
store_part_list(const struct store_job *job, const char *part,
    struct fs_names *names, struct error *e)
{
	int dir = store_part_open(job, part, 0, e);

	memset(names, 0, sizeof *names);
	if (dir == -1 || fs_list(dir, names, e) == 0)
		return dir;
	fs_close(dir);
	return -1;
}

int
store_part_check(int dir, const char *name, struct error *e)
{
	json_t *record = seal_load(dir, name, SEAL_SMALL, e);

	if (record == NULL)
		return -1;
	json_decref(record);
	return 0;
}

void
store_part_close(int dir, struct fs_names *names)
{
	fs_names_free(names);
	fs_close(dir);
}

struct group {
	uint32_t attempt;
	struct ranges tasks;
};

/* The group of an attempt among count others, which may be a new one. */
static struct ranges *
tasks_in(struct group **groups, size_t *count, uint32_t attempt)
{
	size_t i;

	for (i = 0; i < *count; i++)
		if ((*groups)[i].attempt == attempt)
			return &(*groups)[i].tasks;
	*groups = xgrow(*groups, *count, sizeof **groups);
	(*groups)[*count] = (struct group){.attempt = attempt};
	return &(*groups)[(*count)++].tasks;
}

/* What is published stays, where the next one fails. */
static void
say_part(const struct group *groups, size_t count, struct error *e)
{
	struct error why = *e;
	struct ranges done = {0};
	struct ranges_walk walk;
	uint64_t task;
	size_t i;
	char *text;

	for (i = 0; i < count; i++) {
		memset(&walk, 0, sizeof walk);
		while (ranges_next(&groups[i].tasks, &walk, &task))
			ranges_add(&done, task, task);
	}
	text = ranges_text(&done);
	error_set(e, "%s; it was recorded for task%s %s, not for the others",
	    why.text, ranges_size(&done) == 1 ? "" : "s", text);
	free(text);
	ranges_free(&done);
}

int
store_part_publish(const struct store_job *job, const struct ranges *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    store_part_record *publish, const void *what, struct error *e)
{
	struct group *groups = NULL;
	struct ranges_walk walk = {0};
	size_t count = 0, i;
	uint64_t task;
	int rc = 0;

	while (ranges_next(tasks, &walk, &task))
		ranges_add(
		    tasks_in(&groups, &count, attempt(arg, task)), task, task);
	for (i = 0; rc != -1 && i < count; i++)
		rc = publish(job, groups[i].attempt, &groups[i].tasks, what, e);
	if (rc == -1 && i > 1 && e != NULL)
		say_part(groups, i - 1, e);
	for (i = 0; i < count; i++)
		ranges_free(&groups[i].tasks);
	free(groups);
	return rc == -1 ? -1 : 0;
}

int
store_part_is_damage(int reason)
{
	return reason == EBADMSG || reason == ENOTDIR || reason == ELOOP ||
	    reason == EISDIR || reason == EINVAL || reason == EFBIG;
}

int
store_part_whole(const struct words *damaged, struct error *e)
{
	if (damaged->count == 0)
		return 0;
	error_set(e, "%s: run stfm-check --store --repair", damaged->word[0]);
	errno = EBADMSG;
	return -1;
}
