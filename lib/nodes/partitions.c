/* Show the partitions as a table. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "nodes/private.h"

enum {
	PARTITION,
	DEFAULT,
	STATE,
	NODES,
	GPUS,
	CPUS,
	LIMIT,
	USUAL,
	USUAL_SECONDS,
	JOB_NODES,
	JOB_CPUS,
	QOS,
	ALLOWED,
	ALL_NODES,
	USABLE,
	IDLE,
	NODE_LIST,
	ALL_GPUS,
	FREE_GPUS,
	ALL_CPUS,
	FREE_CPUS,
	LEAST_NODES,
	MOST_NODES,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [PARTITION] = {"partition", "PARTITION", .narrow = 2, .cut = 8, .least = 6},
    [DEFAULT] = {.name = "default"},
    [STATE] = {"state", "STATE"},
    [NODES] = {.head = "NODES", .right = 1},
    [GPUS] = {"gpus_by_type", "GPUS FREE", .optional = 1, .narrow = 2},
    [CPUS] = {.head = "CPUS FREE", .right = 1, .narrow = 2, .drop = 6},
    [LIMIT] = {"time_limit", "TIME", .right = 1},
    [USUAL] = {.head = "USUAL", .right = 1, .optional = 1, .drop = 4},
    [USUAL_SECONDS] = {.name = "default_time_limit"},
    [JOB_NODES] = {.head = "NODES/JOB",
	.right = 1,
	.optional = 1,
	.narrow = 2,
	.drop = 7},
    [JOB_CPUS] = {"cpus_per_node_max", "CPUS/NODE", .right = 1, .optional = 1,
	.narrow = 2, .drop = 5},
    [QOS] = {"qos", "QOS", .optional = 1, .drop = 9},
    [ALLOWED] = {"allowed", "FOR", .optional = 1, .cut = 3, .least = 8,
	.drop = 10},
    [ALL_NODES] = {.name = "nodes"},
    [USABLE] = {.name = "nodes_up"},
    [IDLE] = {.name = "nodes_idle"},
    [NODE_LIST] = {.name = "node_list"},
    [ALL_GPUS] = {.name = "gpus"},
    [FREE_GPUS] = {.name = "gpus_free"},
    [ALL_CPUS] = {.name = "cpus"},
    [FREE_CPUS] = {.name = "cpus_free"},
    [LEAST_NODES] = {.name = "nodes_per_job_min"},
    [MOST_NODES] = {.name = "nodes_per_job_max"},
};

static void
sum_nodes(const struct queue_cluster *c, const struct queue_partition *p,
    struct nodes_sum *sum)
{
	struct strlist names = {0};
	const struct queue_node *node;
	size_t i;

	if (*p->node_list != '\0')
		hostlist_expand(p->node_list, &names, NULL);
	for (i = 0; i < names.count; i++) {
		node = nodes_find(c, names.word[i]);
		if (node != NULL)
			nodes_sum_add(sum, node);
	}
	strlist_free(&names);
}

static void
put_limit(struct table *t, size_t column, int64_t limit)
{
	if (limit >= 0)
		table_int(t, column, limit);
}

/* Return "accounts a,b; QOS long; not accounts c"; to free. */
static char *
allowed_text(const struct queue_partition *p)
{
	const struct {
		const char *what, *names;
	} rules[] = {
	    {"groups", p->groups},
	    {"accounts", p->accounts},
	    {"QOS", p->allowed_qos},
	    {"not accounts", p->not_accounts},
	    {"not QOS", p->not_qos},
	};
	const char *between = "";
	char *text;
	size_t length, i;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (*rules[i].names == '\0')
			continue;
		fprintf(out, "%s%s %s", between, rules[i].what, rules[i].names);
		between = "; ";
	}
	xmemclose(out);
	return text;
}

/* Put what the nodes of a partition tell. */
static void
put_sum(struct table *t, const struct queue_cluster *c,
    const struct queue_partition *p)
{
	struct nodes_sum sum = {.nodes = 0};
	char *gpus;

	sum_nodes(c, p, &sum);
	gpus = nodes_gpu_text(&sum);
	nodes_put_text(t, GPUS, gpus);
	nodes_show_taken(t, NODES, nodes_part_text(sum.usable, sum.nodes));
	nodes_show_taken(t, CPUS, nodes_part_text(sum.cpus_free, sum.cpus));
	table_int(t, ALL_NODES, sum.nodes);
	table_int(t, USABLE, sum.usable);
	table_int(t, IDLE, sum.idle);
	table_int(t, ALL_GPUS, sum.gpus);
	table_int(t, FREE_GPUS, sum.gpus_free);
	table_int(t, ALL_CPUS, sum.cpus);
	table_int(t, FREE_CPUS, sum.cpus_free);
	free(gpus);
}

static void
put_partition(struct table *t, const struct queue_cluster *c,
    const struct queue_partition *p)
{
	int64_t least = p->least_nodes > 1 ? p->least_nodes : 1;
	char *allowed = allowed_text(p);

	table_row(t);
	table_text(t, PARTITION, p->name);
	if (p->is_default)
		nodes_show_taken(t, PARTITION, xasprintf("%s*", p->name));
	table_flag(t, DEFAULT, p->is_default);
	table_text(t, STATE, p->state);
	table_paint(t, STATE, p->up ? TABLE_PLAIN : TABLE_RED);
	put_limit(t, LIMIT, p->minutes * 60);
	nodes_show_taken(t, LIMIT,
	    p->minutes < 0 ? xstrdup("no limit")
			   : nodes_minutes_text(p->minutes));
	put_limit(t, USUAL_SECONDS, p->usual * 60);
	if (p->usual != p->minutes)
		nodes_show_taken(t, USUAL, nodes_minutes_text(p->usual));
	put_limit(t, LEAST_NODES, p->least_nodes);
	put_limit(t, MOST_NODES, p->most_nodes);
	if (p->most_nodes >= 0)
		nodes_show_taken(t, JOB_NODES,
		    xasprintf("%" PRId64 "-%" PRId64, least, p->most_nodes));
	else if (least > 1)
		nodes_show_taken(
		    t, JOB_NODES, xasprintf("%" PRId64 "+", least));
	put_limit(t, JOB_CPUS, p->most_cpus);
	nodes_put_text(t, QOS, p->qos);
	nodes_put_text(t, ALLOWED, allowed);
	nodes_put_text(t, NODE_LIST, p->node_list);
	if (c->hides_nodes) {
		table_int(t, ALL_NODES, p->nodes);
		nodes_show_taken(t, NODES, xasprintf("%" PRIu32, p->nodes));
	} else {
		put_sum(t, c, p);
	}
	free(allowed);
}

static int
is_meant(const char *name, char *const words[], size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(words[i], name) == 0)
			return 1;
	return count == 0;
}

int
nodes_show_partitions(FILE *out, const struct queue_cluster *c,
    char *const words[], size_t count, const struct nodes_style *look,
    struct error *e)
{
	struct table_look how = {look->format, look->width, look->colors, NULL};
	struct table *t;
	size_t i;
	char *text;

	for (i = 0; i < count; i++)
		if (queue_partition(c, words[i]) == NULL)
			return nodes_refuse(c, words[i], 0, e);
	t = table_new(out, columns, COLUMNS, &how);
	for (i = 0; i < c->partitions; i++)
		if (is_meant(c->partition[i].name, words, count))
			put_partition(t, c, &c->partition[i]);
	table_end(t);
	if (look->format != TABLE_TEXT || c->max_array == 0)
		return 0;
	text =
	    xasprintf("a job array has %" PRIu32
		      " tasks at most, the queue %" PRIu32 " jobs of all users",
		c->max_array, c->max_jobs);
	text_wrap(out, text, 0, look->width);
	putc('\n', out);
	free(text);
	return 0;
}
