/* Show the nodes as a table. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/xalloc.h"
#include "nodes/private.h"

enum {
	NODE,
	COUNT,
	STATE,
	GPUS,
	MINE,
	CPUS,
	MEMORY,
	PARTITIONS,
	FEATURES,
	REASON,
	USABLE,
	ALL_GPUS,
	FREE_GPUS,
	MY_GPUS,
	ALL_CPUS,
	FREE_CPUS,
	MY_CPUS,
	ALL_MEMORY,
	FREE_MEMORY,
	COLUMNS
};

/* The column with the highest "drop" is left out first. */
static const struct table_column columns[COLUMNS] = {
    [NODE] = {"node", "NODES", .cut = 8, .least = 8},
    [COUNT] = {.head = "N", .right = 1, .drop = 12},
    [STATE] = {"state", "STATE"},
    [GPUS] = {"gpus_by_type", "GPUS FREE", .optional = 1, .narrow = 2},
    [MINE] = {.head = "MINE", .optional = 1},
    [CPUS] = {.head = "CPUS FREE", .right = 1, .narrow = 2, .drop = 9},
    [MEMORY] = {.head = "MEM FREE", .right = 1, .narrow = 2, .drop = 6},
    [PARTITIONS] = {"partitions", "PARTITIONS", .optional = 1, .narrow = 2,
	.cut = 5, .least = 8, .drop = 10},
    [FEATURES] = {"features", "FEATURES", .optional = 1, .cut = 3, .least = 8,
	.drop = 4},
    [REASON] = {"reason", "REASON", .optional = 1, .cut = 1, .least = 12,
	.drop = 11},
    [USABLE] = {.name = "usable"},
    [ALL_GPUS] = {.name = "gpus"},
    [FREE_GPUS] = {.name = "gpus_free"},
    [MY_GPUS] = {.name = "gpus_mine"},
    [ALL_CPUS] = {.name = "cpus"},
    [FREE_CPUS] = {.name = "cpus_free"},
    [MY_CPUS] = {.name = "cpus_mine"},
    [ALL_MEMORY] = {.name = "memory"},
    [FREE_MEMORY] = {.name = "memory_free"},
};

/* The maximum length of a list of names, in bytes. */
enum { NAMES = 28 };

/* The GPUs and CPUs of a node that this user has. */
struct own {
	int64_t gpus, cpus;
};

/* Similar nodes, and their sums. */
struct group {
	const struct queue_node *first;
	struct strlist names;
	struct nodes_sum sum;
	struct own own;
};

struct groups {
	struct group *group;
	size_t count;
};

/* ---- use by this user ---- */

/* Return how much this user has of each node of the cluster; to free. */
static struct own *
own_all(const struct queue_cluster *c, const struct queue_allocations *uses)
{
	struct own *own = xcalloc(c->nodes + 1, sizeof *own);
	const struct queue_node *node;
	const struct queue_allocation *u;
	size_t i;

	for (u = uses->use; u < uses->use + uses->uses; u++) {
		struct strlist names = {0};

		if (!u->mine || !u->running ||
		    hostlist_expand(u->nodes, &names, NULL) == -1)
			continue;
		for (i = 0; i < names.count; i++) {
			node = nodes_find(c, names.word[i]);
			if (node == NULL)
				continue;
			own[node - c->node].gpus +=
			    nodes_share(u->gpus, names.count, i);
			own[node - c->node].cpus +=
			    nodes_share(u->cpus, names.count, i);
		}
		strlist_free(&names);
	}
	return own;
}

/* ---- groups ---- */

static int
has_any(const struct own *own)
{
	return own->gpus > 0 || own->cpus > 0;
}

/*
 * Return the group of a node, a new group if each is true.  The amount in use
 * does not matter, only whether this user uses the node.
 */
static struct group *
group_of(struct groups *all, const struct queue_node *n, const struct own *own,
    int each)
{
	const struct queue_node *m;
	struct group *g;

	for (g = all->group; !each && g < all->group + all->count; g++) {
		m = g->first;
		if (strcmp(m->state, n->state) == 0 &&
		    strcmp(m->reason, n->reason) == 0 && m->cpus == n->cpus &&
		    m->memory == n->memory && strcmp(m->gres, n->gres) == 0 &&
		    strcmp(m->features, n->features) == 0 &&
		    strcmp(m->partitions, n->partitions) == 0 &&
		    has_any(&g->own) == has_any(own))
			return g;
	}
	all->group = xgrow(all->group, all->count, sizeof *all->group);
	all->group[all->count] = (struct group){.first = n};
	return &all->group[all->count++];
}

/* ---- rows ---- */

/* Return the names, cut if they are many; to free. */
static char *
short_names(const struct group *g)
{
	char *list = hostlist_fold(&g->names), *text;
	size_t n = NAMES;

	if (strlen(list) <= NAMES)
		return list;
	while (n > 0 && list[n] != ',')
		n--;
	text = n == 0 ? xstrdup(list) : xasprintf("%.*s,...", (int)n, list);
	free(list);
	return text;
}

static void
put_group(struct table *t, const struct group *g)
{
	const struct queue_node *n = g->first;
	char *gpus = nodes_gpu_text(&g->sum);
	char *free_ = nodes_memory_text(g->sum.memory_free);
	char *memory = nodes_memory_text(g->sum.memory);
	int64_t mine = g->own.gpus > 0 ? g->own.gpus : g->own.cpus;

	table_row(t);
	table_text(t, NODE, n->name);
	nodes_show_taken(t, NODE, short_names(g));
	nodes_show_taken(t, COUNT, xasprintf("%zu", g->names.count));
	table_text(t, STATE, n->state);
	table_paint(t, STATE,
	    !n->usable                               ? TABLE_RED
		: strncmp(n->state, "idle", 4) == 0  ? TABLE_GREEN
		: strncmp(n->state, "mixed", 5) == 0 ? TABLE_YELLOW
						     : TABLE_PLAIN);
	nodes_put_text(t, GPUS, gpus);
	if (mine > 0)
		nodes_show_taken(t, MINE,
		    xasprintf("%" PRId64 " %s%s", mine,
			g->own.gpus > 0 ? "GPU" : "CPU", mine == 1 ? "" : "s"));
	table_paint(t, MINE, TABLE_GREEN);
	nodes_show_taken(
	    t, CPUS, nodes_part_text(g->sum.cpus_free, g->sum.cpus));
	nodes_show_taken(t, MEMORY, xasprintf("%s/%s", free_, memory));
	nodes_put_text(t, PARTITIONS, n->partitions);
	nodes_put_text(t, FEATURES, n->features);
	nodes_put_text(t, REASON, n->reason);
	table_flag(t, USABLE, n->usable);
	table_int(t, ALL_GPUS, g->sum.gpus);
	table_int(t, FREE_GPUS, g->sum.gpus_free);
	table_int(t, MY_GPUS, g->own.gpus);
	table_int(t, ALL_CPUS, g->sum.cpus);
	table_int(t, FREE_CPUS, g->sum.cpus_free);
	table_int(t, MY_CPUS, g->own.cpus);
	table_int(t, ALL_MEMORY, g->sum.memory * NODES_MIB);
	table_int(t, FREE_MEMORY, g->sum.memory_free * NODES_MIB);
	free(gpus);
	free(free_);
	free(memory);
}

/* Write a summary: "5 nodes, 4 up, 1 idle; GPUs free: a100 3/8; mine: 2". */
static void
put_summary(FILE *out, const struct nodes_sum *sum, const struct own *own)
{
	char *gpus = nodes_gpu_text(sum);

	fprintf(out, "%" PRId64 " node%s, %" PRId64 " up, %" PRId64 " idle",
	    sum->nodes, sum->nodes == 1 ? "" : "s", sum->usable, sum->idle);
	if (sum->gpus > 0)
		fprintf(out, "; GPUs free: %s", gpus);
	if (own->gpus > 0)
		fprintf(out, "; mine: %" PRId64, own->gpus);
	putc('\n', out);
	free(gpus);
}

void
nodes_show(FILE *out, const struct queue_cluster *c,
    const struct queue_allocations *mine, const char *chosen,
    const struct nodes_style *look)
{
	struct table_look how = {look->format, look->width, look->colors, NULL};
	struct own *own = own_all(c, mine), all = {0, 0};
	struct groups groups = {NULL, 0};
	struct nodes_sum sum = {.nodes = 0};
	size_t count, i;
	const struct queue_node **node = nodes_sorted(c, chosen, &count);
	const struct own *of;
	struct group *g;
	struct table *t;

	for (i = 0; i < count; i++) {
		of = &own[node[i] - c->node];
		g = group_of(&groups, node[i], of,
		    look->each || look->format != TABLE_TEXT);
		strlist_push(&g->names, node[i]->name);
		nodes_sum_add(&g->sum, node[i]);
		g->own.gpus += of->gpus;
		g->own.cpus += of->cpus;
		nodes_sum_add(&sum, node[i]);
		all.gpus += of->gpus;
	}
	t = table_new(out, columns, COLUMNS, &how);
	for (i = 0; i < groups.count; i++)
		put_group(t, &groups.group[i]);
	table_end(t);
	if (look->format == TABLE_TEXT)
		put_summary(out, &sum, &all);
	for (i = 0; i < groups.count; i++)
		strlist_free(&groups.group[i].names);
	free(groups.group);
	free(node);
	free(own);
}
