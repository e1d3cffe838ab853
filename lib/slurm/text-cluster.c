/* What scontrol and sinfo tell of the cluster. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
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

/* The value behind "Key   = " in the output of scontrol show config. */
static char *
setting(const char *text, const char *key)
{
	size_t length = strlen(key);
	const char *at = text;

	while (at != NULL) {
		at += *at == '\n';
		if (strncmp(at, key, length) == 0 &&
		    strncmp(at + length + strspn(at + length, " "), "= ", 2) ==
			0) {
			at += length + strspn(at + length, " ") + 2;
			if (strncmp(at, "(null)", 6) == 0)
				break;
			return xstrndup(at, strcspn(at, "\n"));
		}
		at = strchr(at, '\n');
	}
	return xstrdup("");
}

/* The same as a number: "300 sec". */
static uint32_t
number(const char *text, const char *key)
{
	char *value = setting(text, key);
	uint32_t n = (uint32_t)strtoul(value, NULL, 10);

	free(value);
	return n;
}

static void
take_limits(struct queue_cluster *c, const char *text)
{
	char *storage = setting(text, "AccountingStorageType");

	c->name = setting(text, "ClusterName");
	c->version = setting(text, "SLURM_VERSION");
	c->gres_types = setting(text, "GresTypes");
	c->max_array = number(text, "MaxArraySize");
	c->max_jobs = number(text, "MaxJobCount");
	c->min_age = number(text, "MinJobAge");
	c->message_timeout = number(text, "MessageTimeout");
	c->accounting = strstr(storage, "slurmdbd") != NULL;
	free(storage);
}

/* ---- partitions ---- */

char *
queue_text_value(const char *line, const char *key)
{
	static const char *const none[] = {
	    "(null)", "N/A", "NONE", "ALL", "UNLIMITED"};
	size_t length = strlen(key);
	const char *at = line;
	char *text;

	while (strncmp(at, key, length) != 0 || at[length] != '=') {
		at += strcspn(at, " ");
		at += strspn(at, " ");
		if (*at == '\0')
			return xstrdup("");
	}
	at += length + 1;
	text = xstrndup(at, strcspn(at, " "));
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

static int
value_is(const char *line, const char *key, const char *wanted)
{
	char *text = queue_text_value(line, key);
	int is = strcmp(text, wanted) == 0;

	free(text);
	return is;
}

static void
take_partition(void *cluster, const char *line)
{
	int64_t longest = value_minutes(line, "MaxTime", -1);
	struct queue_cluster *c = cluster;

	c->partition = xgrow(c->partition, c->partitions, sizeof *c->partition);
	c->partition[c->partitions++] = (struct queue_partition){
	    .name = queue_text_value(line, "PartitionName"),
	    .is_default = value_is(line, "Default", "YES"),
	    .up = value_is(line, "State", "UP"),
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

/* A node has a line for each of its partitions, one after the other. */
static int
take_nodes(struct queue_fields *f, struct queue_cluster *c, struct error *e)
{
	char *field[COLUMNS];
	int rc;

	while ((rc = queue_fields_next(f, field, COLUMNS)) == 1) {
		if (c->nodes > 0 &&
		    strcmp(c->node[c->nodes - 1].name, field[NAME]) == 0)
			continue;
		c->node = xgrow(c->node, c->nodes, sizeof *c->node);
		take_node(&c->node[c->nodes++], field);
	}
	if (rc == -1)
		return error_code(
		    e, ERROR_REFUSED, "sinfo's answer is incomplete");
	return 0;
}

static int
load_nodes(int64_t deadline, struct queue_cluster *c, struct error *e)
{
	struct proc_result result;
	struct queue_fields f = {.at = NULL};
	char *format;
	int rc;

	queue_fields_begin(&f);
	format = queue_fields_format(&f, columns, COLUMNS);
	rc = queue_text_run(
	    (const char *const[]){"sinfo", "--all", "--local", "--Node",
		"--noheader", "--sort=N", "--Format", format, NULL},
	    deadline, &result, e);
	f.at = result.out;
	if (rc == 0)
		rc = take_nodes(&f, c, e);
	proc_result_free(&result);
	free(format);
	return rc;
}

int
queue_text_cluster(enum queue_depth depth, int64_t ms,
    struct queue_cluster *out, struct error *e)
{
	int64_t deadline = proc_clock() + ms;
	struct proc_result result;
	int rc;

	rc = queue_text_run(
	    (const char *const[]){"scontrol", "show", "config", NULL}, deadline,
	    &result, e);
	if (rc == 0)
		take_limits(out, result.out);
	proc_result_free(&result);
	if (rc == 0 && depth >= QUEUE_PARTITIONS)
		rc = queue_text_lines(
		    (const char *const[]){"scontrol", "--all", "--oneliner",
			"show", "partition", NULL},
		    deadline, "PartitionName=", take_partition, out, e);
	if (rc == 0 && depth >= QUEUE_NODES)
		rc = load_nodes(deadline, out, e);
	return rc;
}
