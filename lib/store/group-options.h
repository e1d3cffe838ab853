/*
 * Tasks of a job that ask Slurm for the same: in the groups of a job is each of
 * its tasks once, or there are no groups, and all ask for what the job does.
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
	struct strlist asked;   /* as typed: "@mem=4G"; may be none */
	struct strlist options; /* that is, for sbatch, behind the job's */
};

struct store_groups {
	struct store_group *group; /* in the order of their first tasks */
	size_t count, last;        /* the one that was added to last */
	struct strlist names;      /* "@mem": all that is asked for */
};

/* Free the groups; there are none then. */
void store_groups_free(struct store_groups *);

/* Add the next task to the group that asks for the same. */
void store_groups_add(
    struct store_groups *, uint64_t task, const struct strlist *asked);

/* The group of a task, or NULL. */
const struct store_group *store_group_of(const struct store_groups *, uint64_t);

/* What a task asks for: the value of a name, or NULL. */
const char *store_group_value(
    const struct store_groups *, uint64_t task, const char *name);

/* Whether they are the same groups with the same words. */
int store_groups_same(const struct store_groups *, const struct store_groups *);

/* As a member of a job's record; NULL when there are none. */
struct json_t *store_groups_record(const struct store_groups *);

/*
 * Take them from there, where they may be missing: 0, or -1 when they are not
 * those of a job of so many tasks.
 */
int store_groups_take(
    const struct json_t *, uint64_t tasks, struct store_groups *);

#endif
