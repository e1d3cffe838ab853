#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/bad-nodes.h"
#include "control/chunk.h"
#include "job/training-log.h"
#include "sandbox/sandbox.h"
#include "slurm/names.h"
#include "slurm/queue.h"
#include "slurm/task.h"
#include "state/resolve.h"
#include "state/words.h"
#include "store/chunk.h"
#include "store/job.h"
#include "store/once.h"
#include "store/table-row.h"
#include "store/table.h"

void
bad_nodes_free(struct bad_nodes *nodes)
{
	size_t i;

	for (i = 0; i < nodes->count; i++)
		free(nodes->node[i].name);
	free(nodes->node);
	memset(nodes, 0, sizeof *nodes);
}

/* ---- results of the tasks ---- */

static struct bad_node *
node_of(struct bad_nodes *nodes, const char *name)
{
	size_t i;

	for (i = 0; i < nodes->count; i++)
		if (strcmp(nodes->node[i].name, name) == 0)
			return &nodes->node[i];
	nodes->node = xgrow(nodes->node, nodes->count, sizeof *nodes->node);
	nodes->node[nodes->count] = (struct bad_node){.name = xstrdup(name)};
	return &nodes->node[nodes->count++];
}

/*
 * Return whether a task failed right after its start, by itself or at launch.
 * Out of memory, the time limit, preemption and LOST do not count.
 */
static int
failed_at_once(const struct store_row *row)
{
	if (row->state != STORE_ERROR || row->start < 0 ||
	    row->end - row->start >= BAD_NODES_AT_ONCE)
		return 0;
	if (cause_of(row->cause, NULL) == CAUSE_UNRECORDED ||
	    queue_end_state(row->cause)->not_node)
		return 0;
	return row->end >= row->start;
}

/* Return whether node is the name of one node; lists of nodes do not count. */
static int
is_name(const char *node)
{
	return node != NULL && *node != '\0' &&
	    node[strspn(node,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_.-")] == '\0';
}

void
bad_nodes_add(struct bad_nodes *nodes, const struct store_row *row)
{
	struct bad_node *node;

	if (!is_name(row->node))
		return;
	node = node_of(nodes, row->node);
	node->failed += failed_at_once(row);
	node->succeeded += row->state == STORE_FINISHED ||
	    job_training_log_has_epoch(&row->metrics);
}

int
bad_nodes_is_bad(const struct bad_node *node, int64_t failures)
{
	return node->failed >= failures && node->succeeded == 0;
}

/* ---- excluding nodes ---- */

/* Return the partition of the job's first array in the queue, or NULL. */
static const char *
partition_of(const struct store_job *job, const struct queue *queue)
{
	char *prefix = job_token_prefix(job);
	const struct queue_record *r;
	const char *name = NULL;
	char *token;
	size_t i;

	for (i = 0; i < queue_count(queue) && name == NULL; i++) {
		r = queue_record(queue, i);
		token = queue_token_of(r, prefix);
		if (token != NULL)
			name = r->partition;
		free(token);
	}
	free(prefix);
	return name;
}

/* Return the value of the last "--exclude=" in a list of options, or NULL. */
static const char *
excluded(const struct strlist *options)
{
	static const char name[] = "--exclude=";
	size_t i;

	for (i = options->count; i > 0; i--)
		if (strncmp(options->word[i - 1], name, sizeof name - 1) == 0)
			return options->word[i - 1] + sizeof name - 1;
	return NULL;
}

/* Return how many nodes a list names: "n1,gpu[01-03,7]" names 5. */
static uint64_t
count_nodes(const char *list)
{
	struct idset indices = {0};
	uint64_t count = 0;
	char *inner;

	while (*list != '\0') {
		list += strcspn(list, ",[");
		if (*list != '[') {
			count++;
			list += *list == ',';
			continue;
		}
		inner = xstrndup(list + 1, strcspn(list + 1, "]"));
		if (idset_parse(&indices, inner, NULL) == 0)
			count += idset_size(&indices);
		idset_free(&indices);
		free(inner);
		list += strcspn(list, "]");
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return count;
}

/* Return whether another node is left to the job: 1, 0, or -1. */
static int
can_spare(const struct store_job *job, const struct queue *queue,
    size_t avoided, struct error *e)
{
	const char *name = partition_of(job, queue);
	const char *list = excluded(&job->options);
	const struct queue_partition *p;
	struct queue_cluster *cluster;
	char *first;
	int rc;

	if (queue_cluster(QUEUE_PARTITIONS, &cluster, e) == -1)
		return -1;
	first = name != NULL ? xstrndup(name, strcspn(name, ",")) : NULL;
	p = queue_partition(cluster, first);
	rc = p != NULL &&
	    p->nodes > avoided + (list ? count_nodes(list) : 0) + 1;
	free(first);
	queue_cluster_free(cluster);
	return rc;
}

static int
condemn(const struct store_job *job, const struct bad_node *node, int spare,
    struct error *e)
{
	char *mark = xasprintf("%s.%s", spare ? "avoid" : "keep", node->name);
	char *why =
	    xasprintf("%" PRId64 " tasks failed there at once", node->failed);
	int rc = store_once_set(job, mark, why, e);

	free(mark);
	free(why);
	return rc == -1 ? -1 : 0;
}

/* Record new bad nodes; those that can be spared are added to avoided. */
static int
find_bad(const struct store_job *job, const struct bad_nodes *nodes,
    const struct queue *queue, struct strlist *avoided,
    const struct strlist *kept, struct error *e)
{
	const struct bad_node *node;
	int spare;
	size_t i;

	for (i = 0; i < nodes->count; i++) {
		node = &nodes->node[i];
		if (!bad_nodes_is_bad(node, job->policy.avoid) ||
		    strlist_have(avoided, node->name) ||
		    strlist_have(kept, node->name))
			continue;
		spare = can_spare(job, queue, avoided->count, e);
		if (spare == -1 || condemn(job, node, spare, e) == -1)
			return -1;
		if (spare)
			strlist_push(avoided, node->name);
	}
	return 0;
}

static int
waits(const struct queue *queue, const struct store_chunk *c)
{
	const struct queue_record *r;
	size_t i;

	for (i = 0; i < queue_count(queue); i++) {
		r = queue_record(queue, i);
		if (r->array == c->array && r->alive &&
		    strcmp(r->state_name, "PENDING") == 0 &&
		    queue_has_token(r, c->token))
			return 1;
	}
	return 0;
}

/* Exclude a node from the array of one chunk, once. */
static int
exclude(const struct store_job *job, const struct store_chunk *c,
    const char *node, struct error *e)
{
	char *mark = xasprintf("excluded.%s.%s", c->name, node);
	int rc = store_once_is_set(job, mark, e);

	if (rc == 0) {
		rc = queue_task_exclude(c->array, c->token, node, e);
		if (rc == 0)
			rc = store_once_set(job, mark, NULL, e);
	}
	free(mark);
	return rc == -1 ? -1 : 0;
}

static int
exclude_all(const struct store_job *job, const struct store_chunks *chunks,
    const struct queue *queue, const struct strlist *avoided, struct error *e)
{
	const struct store_chunk *c;
	int rc = 0;
	size_t i, k;

	for (i = 0; i < chunks->count; i++) {
		c = &chunks->chunk[i];
		if (avoided->count == 0 || c->claim != STORE_ARRAY ||
		    !waits(queue, c))
			continue;
		for (k = 0; k < avoided->count; k++)
			if (exclude(job, c, avoided->word[k], e) == -1)
				rc = -1;
	}
	return rc;
}

int
bad_nodes_avoid(const struct store_job *job, const struct store_table *table,
    const struct store_chunks *chunks, const struct queue *queue,
    struct error *e)
{
	struct strlist avoided = {0}, kept = {0};
	struct bad_nodes nodes = {0};
	uint64_t task;
	int rc;

	for (task = 0; task < table->count; task++)
		if (store_table_state(table, task) != STORE_SUBMITTED) {
			bad_nodes_add(&nodes, store_table_row(table, task));
			store_table_forget(table, task);
		}
	rc = store_once_nodes(job, &avoided, &kept, e);
	if (rc == 0)
		rc = find_bad(job, &nodes, queue, &avoided, &kept, e);
	if (rc == 0)
		rc = exclude_all(job, chunks, queue, &avoided, e);
	strlist_free(&avoided);
	strlist_free(&kept);
	bad_nodes_free(&nodes);
	return rc;
}

/* ---- options of later chunks ---- */

struct strlist
bad_nodes_options(const struct store_job *job, const struct store_chunk *chunk)
{
	struct strlist out = {0}, avoided = {0}, kept = {0};
	const char *list = excluded(&chunk->options);
	char *all, *more;
	size_t i;

	strlist_copy(&out, &chunk->options);
	if (job->policy.avoid == 0 ||
	    store_once_nodes(job, &avoided, &kept, NULL) == -1)
		return out;
	if (list == NULL)
		list = excluded(&job->options);
	all = xstrdup(list != NULL ? list : "");
	for (i = 0; i < avoided.count; i++) {
		more =
		    xasprintf("%s%s%s", all, *all ? "," : "", avoided.word[i]);
		free(all);
		all = more;
	}
	if (avoided.count > 0)
		strlist_take(&out, xasprintf("--exclude=%s", all));
	free(all);
	strlist_free(&avoided);
	strlist_free(&kept);
	return out;
}
