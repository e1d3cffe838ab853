/* Which rank is on which node, as Slurm distributes them. */
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "dist/private.h"

/* Ranks are given away in order; taken is how many a node has by now. */
struct deal {
	struct dist_step *step;
	size_t *taken;
	size_t rank;
};

/* Give a node as many of the next ranks as it has room for, most at most. */
static void
give(struct deal *d, size_t node, size_t most)
{
	struct dist_step *s = d->step;

	while (most-- > 0 && d->taken[node] < s->count[node]) {
		s->node[d->rank] = node;
		s->local[d->rank] = d->taken[node]++;
		d->rank++;
	}
}

/* Node after node, so many ranks at a time, until all are given. */
static void
deal(struct dist_step *s, size_t plane)
{
	struct deal d = {s, xcalloc(s->nodes.count, sizeof *d.taken), 0};
	size_t *open = xcalloc(s->nodes.count, sizeof *open);
	size_t count = s->nodes.count, left, i;

	for (i = 0; i < count; i++)
		open[i] = i;
	while (count > 0) {
		for (i = 0, left = 0; i < count; i++) {
			give(&d, open[i], plane);
			if (d.taken[open[i]] < s->count[open[i]])
				open[left++] = open[i];
		}
		count = left;
	}
	free(open);
	free(d.taken);
}

/* As the list has it: a name for each rank. */
static int
deal_list(struct dist_step *s, const struct words *names, struct error *e)
{
	struct deal d = {s, xcalloc(s->nodes.count + 1, sizeof *d.taken), 0};
	size_t i, node;

	for (i = 0; i < names->count && d.rank == i; i++) {
		for (node = 0; node < s->nodes.count; node++)
			if (strcmp(s->nodes.word[node], names->word[i]) == 0)
				break;
		if (node < s->nodes.count)
			give(&d, node, 1);
	}
	free(d.taken);
	if (d.rank == s->tasks)
		return 0;
	return error_set(
	    e, "SLURM_ARBITRARY_NODELIST: does not have a node for each task");
}

static int
place_arbitrary(struct dist_step *s, const char *list, struct error *e)
{
	struct words names = {0};
	int rc;

	if (list == NULL || *list == '\0' || strcmp(list, "(null)") == 0)
		return error_set(e,
		    "SLURM_DISTRIBUTION=arbitrary: which task is where cannot "
		    "be known: start the step with another srun "
		    "--distribution");
	if (hosts_expand(list, &names, e) == -1)
		return error_prefix(e, "SLURM_ARBITRARY_NODELIST");
	rc = deal_list(s, &names, e);
	words_free(&names);
	return rc;
}

/* Whether the first part of "cyclic:block,Pack" is this name. */
static int
is_method(const char *distribution, const char *name)
{
	size_t n = strlen(name);

	return strncmp(distribution, name, n) == 0 &&
	    strchr(":,=", distribution[n]) != NULL;
}

static int
place_plane(struct dist_step *s, const char *distribution, const char *size,
    struct error *e)
{
	int64_t plane;

	if (distribution[5] == '=')
		size = distribution + 6;
	if (size == NULL)
		return error_set(e,
		    "SLURM_DIST_PLANESIZE: not set, with "
		    "SLURM_DISTRIBUTION=plane");
	if (num_int("SLURM_DIST_PLANESIZE", size, 1, INT32_MAX, &plane, e) ==
	    -1)
		return -1;
	deal(s, (size_t)plane);
	return 0;
}

int
dist_place(struct dist_step *s, const char *distribution,
    const char *plane_size, const char *arbitrary, struct error *e)
{
	s->node = xcalloc(s->tasks, sizeof *s->node);
	s->local = xcalloc(s->tasks, sizeof *s->local);
	if (distribution == NULL || *distribution == '\0')
		distribution = "block";
	if (s->nodes.count > 1 && is_method(distribution, "arbitrary"))
		return place_arbitrary(s, arbitrary, e);
	if (is_method(distribution, "plane"))
		return place_plane(s, distribution, plane_size, e);
	deal(s, is_method(distribution, "cyclic") ? 1 : s->tasks);
	return 0;
}
