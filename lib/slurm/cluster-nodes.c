/* The nodes of the cluster, and the resources of its partitions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/xalloc.h"
#include "slurm/private.h"
#include "slurm/sbatch.h"

/* The most GPU types that are distinguished on one node. */
enum { TYPES = 32 };

int
queue_node_usable(const char *state)
{
	static const char *const good[] = {"idle", "mixed", "allocated",
	    "completing", "planned", "reserved", "blocked", "powered_down",
	    "powering_up", "power_up"};
	size_t length = strcspn(state, "*~#!%$@^-+"), i;

	/* The node does not respond, or is in maintenance. */
	if (state[length] == '*' || state[length] == '$')
		return 0;
	for (i = 0; i < sizeof good / sizeof *good; i++)
		if (strlen(good[i]) == length &&
		    strncmp(state, good[i], length) == 0)
			return 1;
	return 0;
}

/* ---- GPUs ---- */

/*
 * Return gres without the "(null):"  that some releases print for GPUs without
 * a type, as in "gpu:(null):2(IDX:0-1)"; to free.
 */
static char *
without_null(const char *gres)
{
	static const char null[] = "(null):";
	char *text = xstrdup(gres), *at;

	while ((at = strstr(text, null)) != NULL)
		memmove(at, at + strlen(null), strlen(at + strlen(null)) + 1);
	return text;
}

static int
read_gpus(const char *gres, struct sbatch_gpus out[TYPES])
{
	char *text = without_null(gres);
	int n = sbatch_gpus("gres", text, out, TYPES, NULL);

	free(text);
	return n < 0 ? 0 : n;
}

/* Return a type's entry, added if missing, or NULL if the list is full. */
static struct queue_gpus *
find_type(struct queue_gpus *list, size_t *count, size_t room, const char *type)
{
	size_t i;

	for (i = 0; i < *count; i++)
		if (strcmp(list[i].type, type) == 0)
			return &list[i];
	if (*count == room)
		return NULL;
	list[*count] = (struct queue_gpus){.count = 0};
	memcpy(list[*count].type, type, sizeof list->type);
	return &list[(*count)++];
}

size_t
queue_node_gpus(
    const struct queue_node *node, struct queue_gpus *out, size_t room)
{
	struct sbatch_gpus gpu[TYPES];
	struct queue_gpus *entry;
	size_t count = 0;
	int i, n = read_gpus(node->gres, gpu);

	for (i = 0; i < n; i++) {
		entry = gpu[i].count == 0
		    ? NULL
		    : find_type(out, &count, room, gpu[i].type);
		if (entry != NULL)
			entry->count += gpu[i].count;
	}
	n = read_gpus(node->gres_used, gpu);
	for (i = 0; i < n; i++) {
		entry = gpu[i].count == 0
		    ? NULL
		    : find_type(out, &count, room, gpu[i].type);
		if (entry != NULL)
			entry->used += gpu[i].count;
	}
	return count;
}

/* ---- resources of partitions ---- */

/* The largest number of GPUs of each type on one node. */
struct offer {
	struct queue_gpus most[TYPES];
	size_t types;
};

static void
offer_node(
    struct queue_partition *p, struct offer *offer, const struct queue_node *n)
{
	struct queue_gpus gpu[TYPES], *most;
	size_t types = queue_node_gpus(n, gpu, TYPES), i;
	uint64_t all = 0;

	for (i = 0; i < types; i++) {
		all += gpu[i].count;
		most = *gpu[i].type == '\0'
		    ? NULL
		    : find_type(offer->most, &offer->types, TYPES, gpu[i].type);
		if (most != NULL && gpu[i].count > most->count)
			most->count = gpu[i].count;
	}
	if (all > p->gpus)
		p->gpus = (uint32_t)all;
	if (n->cpus > p->cpus)
		p->cpus = n->cpus;
	if (n->memory > p->memory)
		p->memory = n->memory;
}

static char *
offer_text(const struct offer *offer)
{
	char *text;
	size_t length, i;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < offer->types; i++)
		fprintf(out, "%s%s:%" PRIu64, i == 0 ? "" : ",",
		    offer->most[i].type, offer->most[i].count);
	xmemclose(out);
	return text;
}

static int
compare(const void *a, const void *b)
{
	const struct queue_node *n = a, *m = b;

	return strcmp(n->name, m->name);
}

static void
join_partition(struct queue_cluster *c, struct queue_partition *p)
{
	struct queue_node key = {0}, *node;
	struct offer offer = {.types = 0};
	struct strlist names = {0};
	char *before;
	size_t i;

	if (*p->node_list != '\0')
		hostlist_expand(p->node_list, &names, NULL);
	for (i = 0; i < names.count && c->nodes > 0; i++) {
		key.name = names.word[i];
		node =
		    bsearch(&key, c->node, c->nodes, sizeof *c->node, compare);
		if (node == NULL)
			continue;
		before = node->partitions;
		node->partitions = xasprintf(
		    "%s%s%s", before, *before != '\0' ? "," : "", p->name);
		free(before);
		offer_node(p, &offer, node);
	}
	p->gpu_types = offer_text(&offer);
	strlist_free(&names);
}

void
queue_cluster_join(struct queue_cluster *c)
{
	size_t i;

	if (c->nodes > 0)
		qsort(c->node, c->nodes, sizeof *c->node, compare);
	for (i = 0; i < c->nodes; i++) {
		c->node[i].usable = queue_node_usable(c->node[i].state);
		c->node[i].partitions = xstrdup("");
	}
	for (i = 0; i < c->partitions; i++)
		join_partition(c, &c->partition[i]);
}
