#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "nodes/private.h"

/* ---- choosing nodes ---- */

static int
compare(const void *key, const void *node)
{
	return strcmp(key, ((const struct queue_node *)node)->name);
}

const struct queue_node *
nodes_find(const struct queue_cluster *c, const char *name)
{
	if (c->nodes == 0)
		return NULL;
	return bsearch(name, c->node, c->nodes, sizeof *c->node, compare);
}

static int
compare_sorted(const void *pa, const void *pb)
{
	const struct queue_node *const *a = pa, *const *b = pb;

	return hostlist_compare((*a)->name, (*b)->name);
}

const struct queue_node **
nodes_sorted(const struct queue_cluster *c, const char *chosen, size_t *count)
{
	const struct queue_node **list = xcalloc(c->nodes + 1, sizeof *list);
	size_t i;

	*count = 0;
	for (i = 0; i < c->nodes; i++)
		if (chosen[i])
			list[(*count)++] = &c->node[i];
	qsort(list, *count, sizeof *list, compare_sorted);
	return list;
}

int
nodes_refuse(const struct queue_cluster *c, const char *name, int or_node,
    struct error *e)
{
	const char **names =
	    xcalloc(c->partitions + c->nodes + 1, sizeof *names);
	char hint[TEXT_HINT];
	size_t i, n = 0;

	for (i = 0; i < c->partitions; i++)
		names[n++] = c->partition[i].name;
	for (i = 0; or_node && i < c->nodes; i++)
		names[n++] = c->node[i].name;
	text_hint(name, names, n, "sinfo lists them", hint);
	free(names);
	return error_set(e, "%s: no such %spartition: %s", name,
	    or_node ? "node or " : "", hint);
}

/* Mark the nodes of a list.  Returns -1 if must is set and a name unknown. */
static int
mark(const struct queue_cluster *c, const char *list, int must, char *chosen,
    struct error *e)
{
	struct strlist names = {0};
	const struct queue_node *node;
	int rc = hostlist_expand(list, &names, NULL);
	size_t i;

	if (rc == -1 && must)
		return nodes_refuse(c, list, 1, e);
	for (i = 0; rc == 0 && i < names.count; i++) {
		node = nodes_find(c, names.word[i]);
		if (node != NULL)
			chosen[node - c->node] = 1;
		else if (must)
			rc = nodes_refuse(c, names.word[i], 1, e);
	}
	strlist_free(&names);
	return must ? rc : 0;
}

char *
nodes_choose(const struct queue_cluster *c, char *const words[], size_t count,
    struct error *e)
{
	char *chosen = xcalloc(c->nodes + 1, 1);
	const struct queue_partition *p;
	size_t i;
	int rc = 0;

	if (count == 0)
		memset(chosen, 1, c->nodes);
	for (i = 0; rc == 0 && i < count; i++) {
		p = queue_partition(c, words[i]);
		rc = p != NULL ? mark(c, p->node_list, 0, chosen, e)
			       : mark(c, words[i], 1, chosen, e);
	}
	if (rc == 0)
		return chosen;
	free(chosen);
	return NULL;
}

/* ---- sums ---- */

uint64_t
nodes_gpus(const struct queue_node *n)
{
	struct queue_gpus gpu[NODES_TYPES];
	size_t types = queue_node_gpus(n, gpu, NODES_TYPES), i;
	uint64_t all = 0;

	for (i = 0; i < types; i++)
		all += gpu[i].count;
	return all;
}

int64_t
nodes_share(int64_t all, size_t n, size_t i)
{
	return all / (int64_t)n + ((int64_t)i < all % (int64_t)n);
}

static struct queue_gpus *
type_of(struct nodes_sum *s, const char *type)
{
	size_t i;

	for (i = 0; i < s->types; i++)
		if (strcmp(s->gpu[i].type, type) == 0)
			return &s->gpu[i];
	if (s->types == NODES_TYPES)
		return NULL;
	memcpy(s->gpu[s->types].type, type, sizeof s->gpu->type);
	return &s->gpu[s->types++];
}

static int64_t
left(uint64_t all, uint64_t used)
{
	return used >= all ? 0 : (int64_t)(all - used);
}

int
nodes_memory_gone(const struct queue_node *n)
{
	return n->memory > 0 && n->memory_used >= n->memory;
}

/*
 * Add a node to a sum.  A node that cannot start jobs adds nothing to the free
 * resources; GPUs count as free only if CPUs and memory are free, too.
 */
void
nodes_sum_add(struct nodes_sum *s, const struct queue_node *n)
{
	struct queue_gpus gpu[NODES_TYPES], *entry;
	size_t types = queue_node_gpus(n, gpu, NODES_TYPES), i;
	int64_t free_;
	int has_room = n->usable && (n->cpus == 0 || n->cpus_used < n->cpus) &&
	    !nodes_memory_gone(n);

	s->nodes++;
	s->usable += n->usable;
	s->idle += n->usable && n->cpus_used == 0;
	s->cpus += n->cpus;
	s->memory += (int64_t)n->memory;
	if (n->usable) {
		s->cpus_free += left(n->cpus, n->cpus_used);
		s->memory_free += left(n->memory, n->memory_used);
	}
	for (i = 0; i < types; i++) {
		entry = type_of(s, gpu[i].type);
		free_ = has_room ? left(gpu[i].count, gpu[i].used) : 0;
		s->gpus += (int64_t)gpu[i].count;
		s->gpus_free += free_;
		if (entry == NULL)
			continue;
		entry->count += gpu[i].count;
		entry->used += gpu[i].count - (uint64_t)free_;
	}
}

void
nodes_put_text(struct table *t, size_t column, const char *text)
{
	table_text(t, column, *text != '\0' ? text : NULL);
}

void
nodes_show_taken(struct table *t, size_t column, char *text)
{
	table_show(t, column, text);
	free(text);
}

char *
nodes_part_text(int64_t free_, int64_t all)
{
	return xasprintf("%" PRId64 "/%" PRId64, free_, all);
}

char *
nodes_gpu_text(const struct nodes_sum *s)
{
	char *text;
	size_t length, i;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < s->types; i++)
		fprintf(out, "%s%s%s%" PRIu64 "/%" PRIu64, i > 0 ? ", " : "",
		    s->gpu[i].type, *s->gpu[i].type != '\0' ? " " : "",
		    s->gpu[i].count - s->gpu[i].used, s->gpu[i].count);
	xmemclose(out);
	return text;
}

char *
nodes_memory_text(int64_t megabytes)
{
	static const char units[] = "MGTP";
	double value = (double)megabytes;
	char digits[NUM_TEXT];
	size_t i = 0;

	if (megabytes == 0)
		return xstrdup("0");
	/* From 999.5 on, three digits would be written as 1e+03. */
	while (value >= 999.5 && units[i + 1] != '\0') {
		value /= 1024;
		i++;
	}
	return xasprintf("%s%c", num_short(value, 3, digits), units[i]);
}

char *
nodes_minutes_text(int64_t minutes)
{
	char text[NUM_TEXT];

	return xstrdup(minutes < 0 ? "" : num_span(minutes * 60, text));
}
