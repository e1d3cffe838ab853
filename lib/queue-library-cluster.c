/* What libslurm tells of the cluster. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "queue-library.h"
#include "queue-slurm.h"
#include "xalloc.h"

/* What is loaded, in the child. */
struct loaded {
	slurm_conf_t *conf;
	partition_info_msg_t *partitions;
	node_info_msg_t *nodes;
	node_info_t **by_name;
	size_t count;
};

static int
compare_nodes(const void *pa, const void *pb)
{
	const node_info_t *const *a = pa, *const *b = pb;

	return strcmp((*a)->name, (*b)->name);
}

/* Nodes that were removed leave a hole without a name. */
static void
sort_nodes(struct loaded *l)
{
	uint32_t i;

	l->by_name = xcalloc(l->nodes->record_count + 1, sizeof *l->by_name);
	for (i = 0; i < l->nodes->record_count; i++)
		if (l->nodes->node_array[i].name != NULL)
			l->by_name[l->count++] = &l->nodes->node_array[i];
	if (l->count > 0)
		qsort(l->by_name, l->count, sizeof *l->by_name, compare_nodes);
}

static const node_info_t *
find_node(const struct loaded *l, char *name)
{
	node_info_t wanted = {.name = name}, *key = &wanted, **found;

	if (l->count == 0)
		return NULL;
	found = bsearch(
	    &key, l->by_name, l->count, sizeof *l->by_name, compare_nodes);
	return found != NULL ? *found : NULL;
}

static void
offer_nodes(
    struct queue_offer *offer, const struct loaded *l, const char *names)
{
	queue_hostlist list = slurm_hostlist_create(names);
	const node_info_t *node;
	char *name;

	if (list == NULL)
		return;
	while ((name = slurm_hostlist_shift(list)) != NULL) {
		node = find_node(l, name);
		if (node != NULL)
			queue_offer_node(
			    offer, node->gres, node->cpus, node->real_memory);
		free(name);
	}
	slurm_hostlist_destroy(list);
}

/* A time limit in minutes, or -1. */
static int64_t
limit(uint32_t minutes)
{
	return minutes == INFINITE ? -1 : (int64_t)minutes;
}

static void
take_partition(struct queue_partition *out, const struct loaded *l,
    const partition_info_t *p)
{
	struct queue_offer offer = {0};

	out->name = p->name;
	out->is_default = (p->flags & PART_FLAG_DEFAULT) != 0;
	out->up = p->state_up == PARTITION_UP;
	out->minutes = limit(p->max_time);
	out->usual =
	    limit(p->default_time == NO_VAL ? p->max_time : p->default_time);
	out->nodes = p->total_nodes;
	if (p->nodes != NULL && l->nodes != NULL)
		offer_nodes(&offer, l, p->nodes);
	queue_offer_end(&offer, out);
}

static void
take_limits(struct queue_cluster *c, const slurm_conf_t *conf)
{
	const char *storage = conf->accounting_storage_type;

	c->name = conf->cluster_name;
	c->version = conf->version;
	c->gres_types = conf->gres_plugins;
	c->max_array = conf->max_array_sz;
	c->max_jobs = conf->max_job_cnt;
	c->min_age = conf->min_job_age;
	c->message_timeout = conf->msg_timeout;
	c->accounting = storage != NULL && strstr(storage, "slurmdbd") != NULL;
}

/* The process ends after it, so nothing is freed. */
static int
put_cluster(FILE *out, void *arg)
{
	struct queue_cluster c = {0};
	struct loaded l = {0};
	const enum queue_depth *depth = arg;
	uint32_t i;

	if (slurm_load_ctl_conf(0, &l.conf) != 0 ||
	    (*depth >= QUEUE_PARTITIONS &&
		slurm_load_partitions(0, &l.partitions, SHOW_ALL) != 0) ||
	    (*depth >= QUEUE_NODES &&
		slurm_load_node(0, &l.nodes, SHOW_ALL) != 0))
		return queue_failed(out);
	if (l.nodes != NULL)
		sort_nodes(&l);
	take_limits(&c, l.conf);
	if (l.partitions != NULL)
		c.partitions = l.partitions->record_count;
	c.partition = xcalloc(c.partitions + 1, sizeof *c.partition);
	for (i = 0; i < c.partitions; i++)
		take_partition(
		    &c.partition[i], &l, &l.partitions->partition_array[i]);
	queue_put_number(out, 0);
	queue_put_cluster(out, &c);
	return 0;
}

int
queue_library_cluster(enum queue_depth depth, int64_t ms,
    struct queue_cluster *out, struct error *e)
{
	struct proc_result result;
	struct queue_input in;
	int rc, number;

	rc = queue_guard(put_cluster, &depth, ms, &result, &in, e);
	if (rc == 0)
		rc = queue_get_cluster(&in, out, e);
	number = errno;
	proc_result_free(&result);
	errno = number;
	return rc;
}
