#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "queue-own.h"
#include "queue-slurm.h"
#include "sbatch.h"
#include "xalloc.h"

/* GPUs of more types than this on one node are not told apart. */
enum { TYPES = 32 };

/* The most GPUs of each type on one node of a partition. */
struct offer {
	struct sbatch_gpus gpu[TYPES];
	size_t types;
	uint64_t gpus, cpus, memory;
};

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
offer_type(struct offer *offer, const struct sbatch_gpus *gpu)
{
	size_t i;

	for (i = 0; i < offer->types; i++)
		if (strcmp(offer->gpu[i].type, gpu->type) == 0)
			break;
	if (i == TYPES)
		return;
	if (i == offer->types)
		offer->gpu[offer->types++] = *gpu;
	else if (gpu->count > offer->gpu[i].count)
		offer->gpu[i].count = gpu->count;
}

static void
offer_node(struct offer *offer, const node_info_t *node)
{
	struct sbatch_gpus gpu[TYPES];
	uint64_t all = 0;
	int i, n = 0;

	if (node->gres != NULL)
		n = sbatch_gpus("gres", node->gres, gpu, TYPES, NULL);
	for (i = 0; i < n; i++) {
		all += gpu[i].count;
		if (gpu[i].count > 0 && gpu[i].type[0] != '\0')
			offer_type(offer, &gpu[i]);
	}
	if (all > offer->gpus)
		offer->gpus = all;
	if (node->cpus > offer->cpus)
		offer->cpus = node->cpus;
	if (node->real_memory > offer->memory)
		offer->memory = node->real_memory;
}

static void
offer_nodes(struct offer *offer, const struct loaded *l, const char *names)
{
	queue_hostlist list = slurm_hostlist_create(names);
	const node_info_t *node;
	char *name;

	if (list == NULL)
		return;
	while ((name = slurm_hostlist_shift(list)) != NULL) {
		node = find_node(l, name);
		if (node != NULL)
			offer_node(offer, node);
		free(name);
	}
	slurm_hostlist_destroy(list);
}

static void
put_types(FILE *out, const struct offer *offer)
{
	size_t i;

	queue_put_number(out, (int64_t)offer->types);
	for (i = 0; i < offer->types; i++) {
		queue_put_text(out, offer->gpu[i].type);
		queue_put_number(out, (int64_t)offer->gpu[i].count);
	}
}

/* A time limit in minutes, or -1. */
static int64_t
limit(uint32_t minutes)
{
	return minutes == INFINITE ? -1 : (int64_t)minutes;
}

static void
put_partition(FILE *out, const struct loaded *l, const partition_info_t *p)
{
	struct offer offer = {0};

	if (p->nodes != NULL && l->nodes != NULL)
		offer_nodes(&offer, l, p->nodes);
	queue_put_text(out, p->name);
	queue_put_number(out, (p->flags & PART_FLAG_DEFAULT) != 0);
	queue_put_number(out, p->state_up == PARTITION_UP);
	queue_put_number(out, limit(p->max_time));
	queue_put_number(out,
	    limit(p->default_time == NO_VAL ? p->max_time : p->default_time));
	queue_put_number(out, p->total_nodes);
	queue_put_number(out, (int64_t)offer.cpus);
	queue_put_number(out, (int64_t)offer.memory);
	queue_put_number(out, (int64_t)offer.gpus);
	put_types(out, &offer);
}

static void
put_limits(FILE *out, const slurm_conf_t *conf)
{
	const char *storage = conf->accounting_storage_type;

	queue_put_text(out, conf->cluster_name);
	queue_put_text(out, conf->version);
	queue_put_text(out, conf->gres_plugins);
	queue_put_number(out, conf->max_array_sz);
	queue_put_number(out, conf->max_job_cnt);
	queue_put_number(out, conf->min_job_age);
	queue_put_number(out, conf->msg_timeout);
	queue_put_number(
	    out, storage != NULL && strstr(storage, "slurmdbd") != NULL);
}

static int
put_cluster(FILE *out, void *arg)
{
	struct loaded l = {0};
	const enum queue_depth *depth = arg;
	uint32_t i, count = 0;

	if (slurm_load_ctl_conf(0, &l.conf) != 0 ||
	    (*depth >= QUEUE_PARTITIONS &&
		slurm_load_partitions(0, &l.partitions, SHOW_ALL) != 0) ||
	    (*depth >= QUEUE_NODES &&
		slurm_load_node(0, &l.nodes, SHOW_ALL) != 0))
		return queue_failed(out);
	if (l.nodes != NULL)
		sort_nodes(&l);
	if (l.partitions != NULL)
		count = l.partitions->record_count;
	queue_put_number(out, 0);
	put_limits(out, l.conf);
	queue_put_number(out, count);
	for (i = 0; i < count; i++)
		put_partition(out, &l, &l.partitions->partition_array[i]);
	free(l.by_name);
	return 0;
}

static char *
get_copy(struct queue_input *in)
{
	const char *text = queue_get_text(in);

	return xstrdup(text != NULL ? text : "");
}

static char *
get_types(struct queue_input *in)
{
	int64_t count = queue_get_number(in), i;
	char *types = xstrdup(""), *more, *type;

	for (i = 0; i < count && !in->broken; i++) {
		type = get_copy(in);
		more = xasprintf("%s%s%s:%lld", types, i == 0 ? "" : ",", type,
		    (long long)queue_get_number(in));
		free(type);
		free(types);
		types = more;
	}
	return types;
}

static void
get_partition(struct queue_input *in, struct queue_partition *p)
{
	p->name = get_copy(in);
	p->is_default = (int)queue_get_number(in);
	p->up = (int)queue_get_number(in);
	p->minutes = queue_get_number(in);
	p->usual = queue_get_number(in);
	p->nodes = (uint32_t)queue_get_number(in);
	p->cpus = (uint32_t)queue_get_number(in);
	p->memory = (uint64_t)queue_get_number(in);
	p->gpus = (uint32_t)queue_get_number(in);
	p->gpu_types = get_types(in);
}

static void
get_cluster(struct queue_input *in, struct queue_cluster *c)
{
	int64_t count, i;

	c->name = get_copy(in);
	c->version = get_copy(in);
	c->gres_types = get_copy(in);
	c->max_array = (uint32_t)queue_get_number(in);
	c->max_jobs = (uint32_t)queue_get_number(in);
	c->min_age = (uint32_t)queue_get_number(in);
	c->message_timeout = (uint32_t)queue_get_number(in);
	c->accounting = (int)queue_get_number(in);
	count = queue_get_number(in);
	for (i = 0; i < count && !in->broken; i++) {
		c->partition =
		    xgrow(c->partition, c->partitions, sizeof *c->partition);
		get_partition(in, &c->partition[c->partitions++]);
	}
}

int
queue_cluster(
    enum queue_depth depth, struct queue_cluster **out, struct error *e)
{
	struct queue_cluster *c;
	struct proc_result result;
	struct queue_input in;
	int rc, number;
	int64_t ms;

	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return -1;
	c = xcalloc(1, sizeof *c);
	rc = queue_guard(put_cluster, &depth, ms, &result, &in, e);
	if (rc == 0)
		get_cluster(&in, c);
	if (rc == 0 && in.broken)
		rc = queue_refuse(EIO, e, "Slurm's answer is incomplete");
	if (rc == 0)
		*out = c;
	else
		queue_cluster_free(c);
	number = errno;
	proc_result_free(&result);
	errno = number;
	return rc;
}

void
queue_cluster_free(struct queue_cluster *c)
{
	int number = errno;
	size_t i;

	if (c == NULL)
		return;
	for (i = 0; i < c->partitions; i++) {
		free(c->partition[i].name);
		free(c->partition[i].gpu_types);
	}
	free(c->partition);
	free(c->name);
	free(c->version);
	free(c->gres_types);
	free(c);
	errno = number;
}

const struct queue_partition *
queue_partition(const struct queue_cluster *c, const char *name)
{
	const struct queue_partition *p;
	size_t i;

	for (i = 0; i < c->partitions; i++) {
		p = &c->partition[i];
		if (name == NULL ? p->is_default : strcmp(p->name, name) == 0)
			return p;
	}
	return NULL;
}

uint32_t
queue_gpus(const struct queue_partition *p, const char *type)
{
	const char *at = p->gpu_types;
	size_t length;

	if (type == NULL || *type == '\0')
		return p->gpus;
	length = strlen(type);
	while (*at != '\0') {
		if (strncmp(at, type, length) == 0 && at[length] == ':')
			return (uint32_t)strtoul(at + length + 1, NULL, 10);
		at += strcspn(at, ",");
		at += *at == ',';
	}
	return 0;
}
