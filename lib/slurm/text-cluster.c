/* Read the cluster's nodes, partitions and limits with scontrol and sinfo. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/task.h"
#include "slurm/text.h"

static const char *const columns[] = {"NodeList", "StateLong", "Reason",
    "CPUsState", "Memory", "AllocMem", "Gres", "GresUsed", "features_act"};
enum {
	NAME,
	STATE,
	REASON,
	CPUS, /* used/idle/other/all */
	MEMORY,
	MEMORY_USED,
	GRES,
	GRES_USED,
	FEATURES,
	COLUMNS
};

/* Return the value after "Key   = " in scontrol show config; to free. */
static char *
setting(const char *text, const char *key)
{
	size_t length = strlen(key);
	const char *at, *value;

	for (at = text; at != NULL; at = strchr(at, '\n')) {
		at += *at == '\n';
		value = at + length;
		if (strncmp(at, key, length) != 0)
			continue;
		value += strspn(value, " ");
		if (strncmp(value, "= (null)", 8) == 0)
			break;
		if (strncmp(value, "= ", 2) == 0)
			return xstrndup(value + 2, strcspn(value + 2, "\n"));
	}
	return xstrdup("");
}

static void
take_limits(struct queue_cluster *c, const char *text)
{
	char *storage = setting(text, "AccountingStorageType"), *value;
	const struct {
		const char *key;
		uint32_t *out;
	} numbers[] = {{"MaxArraySize", &c->max_array},
	    {"MaxJobCount", &c->max_jobs}, {"MinJobAge", &c->min_age},
	    {"MessageTimeout", &c->message_timeout}};
	size_t i;

	c->name = setting(text, "ClusterName");
	c->version = setting(text, "SLURM_VERSION");
	c->gres_types = setting(text, "GresTypes");
	c->accounting = strstr(storage, "slurmdbd") != NULL;
	free(storage);
	for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		value = setting(text, numbers[i].key); /* such as "300 sec" */
		*numbers[i].out = (uint32_t)strtoul(value, NULL, 10);
		free(value);
	}
}

/* ---- partitions ---- */

char *
queue_text_value(const char *line, const char *key)
{
	static const char *const none[] = {"N/A", "NONE", "ALL", "UNLIMITED"};
	char *text = queue_task_field(line, key);

	if (text_among(text, none, sizeof none / sizeof *none) != -1)
		*text = '\0';
	return text;
}

int64_t
queue_text_value_number(const char *line, const char *key)
{
	char *text = queue_text_value(line, key);
	int64_t n = *text == '\0' ? -1 : queue_text_number(text);

	free(text);
	return n;
}

static int64_t
value_minutes(const char *line, const char *key, int64_t otherwise)
{
	char *text = queue_text_value(line, key);
	int64_t n = *text == '\0' ? otherwise : queue_text_minutes(text);

	free(text);
	return n;
}

static void
take_partition(void *cluster, const char *line)
{
	int64_t longest = value_minutes(line, "MaxTime", -1);
	struct queue_cluster *c = cluster;

	c->partition = xgrow(c->partition, c->partitions, sizeof *c->partition);
	c->partition[c->partitions++] = (struct queue_partition){
	    .name = queue_text_value(line, "PartitionName"),
	    .is_default = queue_task_has(line, "Default", "YES"),
	    .up = queue_task_has(line, "State", "UP"),
	    .minutes = longest,
	    .usual = value_minutes(line, "DefaultTime", longest),
	    .nodes = (uint32_t)queue_text_value_number(line, "TotalNodes"),
	    .state = queue_text_value(line, "State"),
	    .node_list = queue_text_value(line, "Nodes"),
	    .least_nodes = queue_text_value_number(line, "MinNodes"),
	    .most_nodes = queue_text_value_number(line, "MaxNodes"),
	    .most_cpus = queue_text_value_number(line, "MaxCPUsPerNode"),
	    .qos = queue_text_value(line, "QoS"),
	    .groups = queue_text_value(line, "AllowGroups"),
	    .accounts = queue_text_value(line, "AllowAccounts"),
	    .allowed_qos = queue_text_value(line, "AllowQos"),
	    .not_accounts = queue_text_value(line, "DenyAccounts"),
	    .not_qos = queue_text_value(line, "DenyQos"),
	};
}

/* ---- nodes ---- */

static void
take_node(struct queue_node *n, char *const field[])
{
	const char *all = strrchr(field[CPUS], '/');

	*n = (struct queue_node){
	    .name = xstrdup(field[NAME]),
	    .state = xstrdup(field[STATE]),
	    .reason = xstrdup(
		strcmp(field[REASON], "none") == 0 ? "" : field[REASON]),
	    .cpus = all == NULL ? 0 : (uint32_t)queue_text_number(all + 1),
	    .memory = (uint64_t)queue_text_number(field[MEMORY]),
	    .memory_used = (uint64_t)queue_text_number(field[MEMORY_USED]),
	    .gres = xstrdup(field[GRES]),
	    .gres_used = xstrdup(field[GRES_USED]),
	    .features = xstrdup(field[FEATURES]),
	};
	field[CPUS][strcspn(field[CPUS], "/")] = '\0';
	n->cpus_used = (uint32_t)queue_text_number(field[CPUS]);
}

/* Load the nodes; sinfo prints consecutive lines for each node's partitions. */
static int
load_nodes(int64_t deadline, struct queue_cluster *c, struct error *e)
{
	struct proc_result result;
	struct queue_fields f;
	char *field[COLUMNS];
	int rc, got = 0;

	rc = queue_text_ask((const char *const[]){"sinfo", "--all", "--local",
				"--Node", "--noheader", "--sort=N", NULL},
	    columns, COLUMNS, deadline, &f, &result, e);
	while (
	    rc == 0 && (got = queue_fields_next(&f, field, COLUMNS, e)) == 1) {
		if (c->nodes > 0 &&
		    strcmp(c->node[c->nodes - 1].name, field[NAME]) == 0)
			continue;
		c->node = xgrow(c->node, c->nodes, sizeof *c->node);
		take_node(&c->node[c->nodes++], field);
	}
	proc_result_free(&result);
	return got == -1 ? -1 : rc;
}

/*
 * Return the rc of a request, or 0 and set *hides if the site hides the answer
 * from this user.
 */
static int
unless_hidden(int rc, const struct error *why, int *hides, struct error *e)
{
	if (rc == 0)
		return 0;
	*hides = why->code == ERROR_REFUSED &&
	    strstr(why->text, "ccess/permission denied") != NULL;
	return *hides ? 0 : error_copy(e, why);
}

int
queue_text_cluster(enum queue_depth depth, int64_t ms,
    struct queue_cluster *out, struct error *e)
{
	int64_t deadline = proc_clock() + ms;
	struct proc_result result;
	struct error why;
	int rc;

	rc = queue_text_run(
	    (const char *const[]){"scontrol", "show", "config", NULL}, deadline,
	    &result, e);
	if (rc == 0)
		take_limits(out, result.out);
	proc_result_free(&result);
	if (rc == 0 && depth >= QUEUE_PARTITIONS)
		rc = unless_hidden(
		    queue_text_lines(
			(const char *const[]){"scontrol", "--all", "--oneliner",
			    "show", "partition", NULL},
			deadline, "PartitionName=", take_partition, out, &why),
		    &why, &out->hides_partitions, e);
	if (rc == 0 && depth >= QUEUE_NODES)
		rc = unless_hidden(load_nodes(deadline, out, &why), &why,
		    &out->hides_nodes, e);
	return rc;
}
