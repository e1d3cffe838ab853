#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/selection.h"
#include "store/load.h"

/* Return the slot of the job with this id, or the empty slot for it. */
static size_t *
find_slot(const struct selection *s, const char *id)
{
	uint64_t hash = 0xcbf29ce484222325; /* 64-bit FNV-1a */
	const char *c;
	size_t at;

	for (c = id; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
	at = hash & (s->slots - 1);
	while (s->slot[at] != 0 &&
	    strcmp(store_job_id(s->item[s->slot[at] - 1].job), id) != 0)
		at = (at + 1) & (s->slots - 1);
	return &s->slot[at];
}

/* Make room for one more job: at most half of the slots are taken. */
static void
grow(struct selection *s)
{
	size_t i;

	s->item = xgrow(s->item, s->count, sizeof *s->item);
	if (2 * s->count < s->slots)
		return;
	free(s->slot);
	s->slots = s->slots > 0 ? 2 * s->slots : 16;
	s->slot = xcalloc(s->slots, sizeof *s->slot);
	for (i = 0; i < s->count; i++)
		*find_slot(s, store_job_id(s->item[i].job)) = i + 1;
}

struct selected *
selection_add(struct selection *s, struct store_job *job)
{
	size_t *slot;

	grow(s);
	slot = find_slot(s, store_job_id(job));
	if (*slot != 0) {
		store_job_free(job);
		return &s->item[*slot - 1];
	}
	s->item[s->count] = (struct selected){.job = job};
	*slot = ++s->count;
	return &s->item[*slot - 1];
}

void
selection_free(struct selection *s)
{
	size_t i;

	for (i = 0; i < s->count; i++) {
		store_job_free(s->item[i].job);
		idset_free(&s->item[i].tasks);
	}
	free(s->item);
	free(s->slot);
	memset(s, 0, sizeof *s);
}
