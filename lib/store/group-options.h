/*
 * Groups of tasks that ask Slurm for the same resources.  Each task of the job
 * is in one group; without groups all tasks ask for the same as the job.
 */
#ifndef STFM_STORE_GROUP_OPTIONS_H
#define STFM_STORE_GROUP_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/idset.h"
#include "base/strlist.h"

struct json_t;

struct store_group {
	struct idset tasks;
	struct strlist asked;   /* as typed: "@mem=4G"; may be empty */
	struct strlist options; /* the same for sbatch, after the job's */
};

struct store_groups {
	struct store_group *group; /* in the order of their first tasks */
	size_t count, last;        /* last: the group that was added to last */
	struct strlist names; /* "@mem": every name that some task asks for */
};

/* Free the groups and make the list empty. */
void store_groups_free(struct store_groups *);

/* Add the next task to the group that asks for the same words. */
void store_groups_add(
    struct store_groups *, uint64_t task, const struct strlist *asked);

/* Return the group of a task, or NULL without groups; the list owns it. */
const struct store_group *store_group_of(const struct store_groups *, uint64_t);

/* Return the value that a task asks for under a name, or NULL. */
const char *store_group_value(
    const struct store_groups *, uint64_t task, const char *name);

/* Return whether two lists have the same groups with the same words. */
int store_groups_same(const struct store_groups *, const struct store_groups *);

/* Return the groups for a job's record, to json_decref; NULL without any. */
struct json_t *store_groups_record(const struct store_groups *);

/*
 * Read the groups from a member of a job's record, which may be NULL.  Returns
 * 0, or -1 if they are not the groups of so many tasks.
 */
int store_groups_take(
    const struct json_t *, uint64_t tasks, struct store_groups *);

#endif
