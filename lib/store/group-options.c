#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "store/fields.h"
#include "store/group-options.h"

static const struct store_field fields[] = {
    STORE_ALWAYS(STORE_SET, struct store_group, tasks, 1),
    STORE_ALWAYS(STORE_LIST, struct store_group, asked, 0),
    STORE_ALWAYS(STORE_LIST, struct store_group, options, 0),
    {0},
};

void
store_groups_free(struct store_groups *all)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		store_fields_free(fields, &all->group[i]);
	free(all->group);
	strlist_free(&all->names);
	*all = (struct store_groups){0};
}

static struct store_group *
new_group(struct store_groups *all)
{
	all->group = xgrow(all->group, all->count, sizeof *all->group);
	all->group[all->count] = (struct store_group){0};
	return &all->group[all->count++];
}

static void
note_names(struct store_groups *all, const struct strlist *asked)
{
	char *name;
	size_t i;

	for (i = 0; i < asked->count; i++) {
		name = xstrndup(asked->word[i], strcspn(asked->word[i], "="));
		if (!strlist_have(&all->names, name))
			strlist_push(&all->names, name);
		free(name);
	}
}

void
store_groups_add(
    struct store_groups *all, uint64_t task, const struct strlist *asked)
{
	size_t i, at = all->last;

	/* Groups often come in turn: start at the last one. */
	for (i = 0; i < all->count; i++, at++) {
		at %= all->count;
		if (strlist_same(&all->group[at].asked, asked))
			break;
	}
	if (i == all->count) {
		at = all->count;
		strlist_copy(&new_group(all)->asked, asked);
		note_names(all, asked);
	}
	all->last = at;
	idset_add(&all->group[at].tasks, task, task);
}

const struct store_group *
store_group_of(const struct store_groups *all, uint64_t task)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (idset_has(&all->group[i].tasks, task))
			return &all->group[i];
	return NULL;
}

const char *
store_group_value(
    const struct store_groups *all, uint64_t task, const char *name)
{
	const struct store_group *g = store_group_of(all, task);

	return g != NULL ? strlist_value(&g->asked, name) : NULL;
}

int
store_groups_same(const struct store_groups *a, const struct store_groups *b)
{
	size_t i;

	if (a->count != b->count)
		return 0;
	for (i = 0; i < a->count; i++)
		if (!store_fields_same(fields, &a->group[i], &b->group[i]))
			return 0;
	return 1;
}

json_t *
store_groups_record(const struct store_groups *all)
{
	json_t *array;
	size_t i;

	if (all->count == 0)
		return NULL;
	array = json_array();
	for (i = 0; i < all->count; i++)
		json_array_append_new(array,
		    store_fields_write(fields, &all->group[i], json_object()));
	return array;
}

/* Return whether each task is in exactly one of the groups. */
static int
are_whole(const struct store_groups *all, uint64_t tasks)
{
	char *seen = xcalloc(tasks + 1, 1);
	struct idset_walk walk;
	uint64_t sum = 0, task;
	int whole = 1;
	size_t i;

	for (i = 0; whole && i < all->count; i++) {
		walk = (struct idset_walk){0};
		while (
		    whole && idset_next(&all->group[i].tasks, &walk, &task)) {
			whole = task < tasks && !seen[task]++;
			sum++;
		}
	}
	free(seen);
	return whole && sum == tasks;
}

int
store_groups_take(const json_t *array, uint64_t tasks, struct store_groups *out)
{
	struct store_group *g;
	size_t i;

	for (i = 0; i < json_array_size(array); i++) {
		g = new_group(out);
		if (store_fields_take(
			fields, json_array_get(array, i), g, NULL) == -1)
			break; /* some tasks are missing then */
		note_names(out, &g->asked);
	}
	if (out->count == 0 || are_whole(out, tasks))
		return 0;
	store_groups_free(out);
	return -1;
}
