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

/* The tasks of an attempt, which may be a new one. */
static struct ranges *
tasks_in(struct store_attempts *all, uint32_t number)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->attempt[i].number == number)
			return &all->attempt[i].tasks;
	all->attempt = xgrow(all->attempt, all->count, sizeof *all->attempt);
	all->attempt[i] = (struct store_attempt){.number = number};
	all->count++;
	return &all->attempt[i].tasks;
}

struct store_attempts
store_part_attempts(const struct ranges *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg)
{
	struct store_attempts all = {0};
	struct ranges_walk walk = {0};
	uint64_t task;

	while (ranges_next(tasks, &walk, &task))
		ranges_add(tasks_in(&all, attempt(arg, task)), task, task);
	return all;
}

void
store_part_attempts_free(struct store_attempts *all)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		ranges_free(&all->attempt[i].tasks);
	free(all->attempt);
	memset(all, 0, sizeof *all);
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
