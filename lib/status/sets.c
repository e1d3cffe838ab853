/* Tasks that are alike, gathered. */
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "status/private.h"

static int
is_alike(const struct show_set *s, enum store_state state, const char *cause)
{
	return s->state == state && text_same(s->cause, cause);
}

/* Most often it is the one that was found last. */
struct show_set *
show_set_of(struct show_sets *all, const char *job, enum store_state state,
    const char *cause)
{
	struct show_set *s = all->count > 0 ? &all->set[all->last] : NULL;
	size_t i;

	if (s != NULL && s->job == job && is_alike(s, state, cause))
		return s;
	for (i = all->count; i > 0 && all->set[i - 1].job == job; i--)
		if (is_alike(&all->set[i - 1], state, cause))
			return &all->set[all->last = i - 1];
	all->set = xgrow(all->set, all->count, sizeof *all->set);
	s = &all->set[all->last = all->count++];
	*s = (struct show_set){
	    .job = job, .state = state, .best = -1, .start = -1, .begin = -1};
	s->cause = xcopy(cause);
	return s;
}

void
show_sets_free(struct show_sets *all)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		idset_free(&all->set[i].tasks);
		free(all->set[i].cause);
	}
	free(all->set);
	*all = (struct show_sets){0};
}
