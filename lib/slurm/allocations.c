#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/allocations.h"
#include "slurm/private.h"

void
queue_allocations_free(struct queue_allocations *u)
{
	size_t i;

	if (u == NULL)
		return;
	for (i = 0; i < u->uses; i++) {
		free(u->use[i].job);
		free(u->use[i].name);
		free(u->use[i].user);
		free(u->use[i].partition);
		free(u->use[i].nodes);
	}
	for (i = 0; i < u->reservations; i++) {
		free(u->reservation[i].name);
		free(u->reservation[i].users);
		free(u->reservation[i].accounts);
		free(u->reservation[i].flags);
		free(u->reservation[i].nodes);
	}
	free(u->use);
	free(u->reservation);
	free(u);
}

/* ---- own reservations ---- */

static void
mark_mine(struct queue_allocations *u)
{
	const struct passwd *me;
	size_t i;

	if (u->reservations == 0 || (me = getpwuid(getuid())) == NULL)
		return;
	for (i = 0; i < u->reservations; i++)
		u->reservation[i].mine =
		    text_lists(u->reservation[i].users, me->pw_name);
}

int
queue_allocations(
    enum queue_whose whose, struct queue_allocations **out, struct error *e)
{
	struct queue_allocations *u;
	int64_t ms;

	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return -1;
	u = xcalloc(1, sizeof *u);
	if (queue_way()->uses(whose, ms, u, e) == -1) {
		queue_allocations_free(u);
		return -1;
	}
	mark_mine(u);
	*out = u;
	return 0;
}
