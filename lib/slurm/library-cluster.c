/* Read the cluster's nodes, partitions and limits with libslurm. */
#include <errno.h>
#include <string.h>

#include "base/xalloc.h"
#include "slurm/library.h"
#include "slurm/release.h"

/* Convert a time limit to minutes, or -1 for no limit. */
static int64_t
limit(uint32_t minutes)
{
	return minutes == INFINITE ? -1 : (int64_t)minutes;
}

/* Convert a limit to a number, or -1 for no limit. */
static int64_t
most(uint32_t number)
{
	return number == INFINITE || number == NO_VAL ? -1 : (int64_t)number;
}

static char *
state_of_partition(uint16_t state)
{
	const char *name = state == PARTITION_UP ? "UP"
	    : state == PARTITION_DOWN            ? "DOWN"
	    : state == PARTITION_DRAIN           ? "DRAIN"
						 : "INACTIVE";

	return (char *)(uintptr_t)name;
}

static void
take_partition(struct queue_partition *out, const partition_info_t *p)
{
	*out = (struct queue_partition){
	    .name = p->name,
	    .is_default = (p->flags & PART_FLAG_DEFAULT) != 0,
	    .up = p->state_up == PARTITION_UP,
	    .minutes = limit(p->max_time),
	    .usual = limit(
		p->default_time == NO_VAL ? p->max_time : p->default_time),
	    .nodes = p->total_nodes,
	    .state = state_of_partition(p->state_up),
	    .node_list = p->nodes,
	    .least_nodes = p->min_nodes,
	    .most_nodes = most(p->max_nodes),
	    .most_cpus = most(p->max_cpus_per_node),
	    .qos = p->qos_char,
	    .groups = p->allow_groups,
	    .accounts = p->allow_accounts,
	    .allowed_qos = p->allow_qos,
	    .not_accounts = p->deny_accounts,
	    .not_qos = p->deny_qos,
	};
}

/* ---- nodes ---- */

/* The suffixes that sinfo adds to a state; the first that applies is used. */
static const struct {
	uint32_t flag;
	char sign;
} signs[] = {
    {NODE_STATE_MAINT, '$'},
    {NODE_STATE_REBOOT_ISSUED, '^'},
    {QUEUE_NODE_REBOOT, '@'},
    {QUEUE_NODE_POWER_UP, '#'},
    {NODE_STATE_POWERING_DOWN, '%'},
    {QUEUE_NODE_POWERED_DOWN, '~'},
    {QUEUE_NODE_POWER_DOWN, '!'},
    {NODE_STATE_NO_RESPOND, '*'},
};

/* Return the state that takes precedence over a node's activity, or NULL. */
static const char *
trouble(uint32_t state)
{
	uint32_t base = state & NODE_STATE_BASE;
	int busy = base == NODE_STATE_ALLOCATED || base == NODE_STATE_MIXED;
	int ends = busy || (state & NODE_STATE_COMPLETING) != 0;

	if (state & QUEUE_NODE_INVALID)
		return "inval";
	if ((state & NODE_STATE_MAINT) && !(state & NODE_STATE_DRAIN) &&
	    !busy && base != NODE_STATE_DOWN)
		return "maint";
	if ((state & (QUEUE_NODE_REBOOT | NODE_STATE_REBOOT_ISSUED)) && !busy)
		return "reboot";
	if (state & NODE_STATE_DRAIN)
		return ends ? "draining" : "drained";
	if (state & NODE_STATE_FAIL)
		return ends ? "failing" : "fail";
	return NULL;
}

static const char *
activity(uint32_t state, int is_plain)
{
	uint32_t base = state & NODE_STATE_BASE;

	if (base == NODE_STATE_DOWN)
		return "down";
	if (base == NODE_STATE_ALLOCATED)
		return "allocated";
	if (state & NODE_STATE_COMPLETING)
		return "completing";
	if (base == NODE_STATE_MIXED)
		return "mixed";
	if (base == NODE_STATE_FUTURE)
		return "future";
	if (base == NODE_STATE_ERROR)
		return "error";
	if (base != NODE_STATE_IDLE)
		return "unknown";
	if (is_plain && (state & NODE_STATE_RES))
		return "reserved";
	return is_plain && (state & QUEUE_NODE_PLANNED) ? "planned" : "idle";
}

/* Return a state as sinfo spells it; to free. */
static char *
state_of_node(uint32_t state)
{
	const char *word = trouble(state);
	char sign[2] = "";
	size_t i;

	for (i = 0; i < sizeof signs / sizeof *signs && *sign == '\0'; i++)
		if (state & signs[i].flag)
			sign[0] = signs[i].sign;
	if (word == NULL)
		word = activity(state, *sign == '\0');
	else if (strcmp(word, "maint") == 0 || strcmp(word, "reboot") == 0 ||
	    strcmp(word, "inval") == 0)
		*sign = '\0';
	return xasprintf("%s%s", word, sign);
}

/*
 * Return the node's state, MIXED if only some CPUs are used: slurmctld does not
 * report that state in every release.
 */
static uint32_t
with_mixed(const node_info_t *node, uint32_t used)
{
	uint32_t base = node->node_state & NODE_STATE_BASE;

	if ((base == NODE_STATE_IDLE || base == NODE_STATE_ALLOCATED) &&
	    used > 0 && used < node->cpus)
		return (node->node_state & ~(uint32_t)NODE_STATE_BASE) |
		    NODE_STATE_MIXED;
	return node->node_state;
}

static void
take_node(struct queue_node *out, const node_info_t *node)
{
	*out = (struct queue_node){
	    .name = node->name,
	    .reason = node->reason,
	    .cpus = node->cpus,
	    .memory = node->real_memory,
	    .gres = node->gres,
	    .gres_used = node->gres_used,
	    .features = node->features_act != NULL ? node->features_act
						   : node->features,
	};
	queue_node_used(node, &out->cpus_used, &out->memory_used);
	out->state = state_of_node(with_mixed(node, out->cpus_used));
}

/* Copy the nodes; a node that was removed leaves an entry without a name. */
static void
take_nodes(struct queue_cluster *c, const node_info_msg_t *nodes)
{
	uint32_t i;

	c->node = xcalloc(nodes->record_count + 1, sizeof *c->node);
	for (i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name != NULL)
			take_node(&c->node[c->nodes++], &nodes->node_array[i]);
}

/* ---- limits, and the whole cluster ---- */

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

/*
 * Return whether a request failed, and set *hides instead if the site hides the
 * answer from this user.
 */
static int
has_failed(int rc, int *hides)
{
	*hides = rc != 0 && errno == ESLURM_ACCESS_DENIED;
	return rc != 0 && !*hides;
}

/* Send the cluster to the parent.  The child then ends, so it frees nothing. */
static int
put_cluster(FILE *out, void *arg)
{
	struct queue_cluster c = {0};
	const enum queue_depth *depth = arg;
	slurm_conf_t *conf = NULL;
	partition_info_msg_t *partitions = NULL;
	node_info_msg_t *nodes = NULL;
	uint32_t i;

	/* Without SHOW_DETAIL, Slurm does not report the GPUs in use. */
	if (slurm_load_ctl_conf(0, &conf) != 0 ||
	    (*depth >= QUEUE_PARTITIONS &&
		has_failed(slurm_load_partitions(0, &partitions, SHOW_ALL),
		    &c.hides_partitions)) ||
	    (*depth >= QUEUE_NODES &&
		has_failed(slurm_load_node(0, &nodes, SHOW_ALL | SHOW_DETAIL),
		    &c.hides_nodes)))
		return queue_failed(out);
	take_limits(&c, conf);
	if (partitions != NULL)
		c.partitions = partitions->record_count;
	c.partition = xcalloc(c.partitions + 1, sizeof *c.partition);
	for (i = 0; i < c.partitions; i++)
		take_partition(
		    &c.partition[i], &partitions->partition_array[i]);
	if (nodes != NULL)
		take_nodes(&c, nodes);
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
	int rc;

	rc = queue_guard(put_cluster, &depth, ms, &result, &in, e);
	if (rc == 0)
		rc = queue_get_cluster(&in, out, e);
	proc_result_free(&result);
	return rc;
}
