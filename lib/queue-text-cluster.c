/* What scontrol and sinfo tell of the cluster. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "queue-text.h"
#include "xalloc.h"

static const char *const columns[] = {"PartitionName", "Partition", "Available",
    "Time", "DefaultTime", "Nodes", "CPUs", "Memory", "Gres"};
enum {
	NAME,
	MARKED, /* the name, with a star behind that of the default one */
	AVAILABLE,
	TIME,
	USUAL,
	NODES,
	CPUS,
	MEMORY,
	GRES,
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

static void
begin_partition(struct queue_cluster *c, char *const field[])
{
	struct queue_partition *p;

	c->partition = xgrow(c->partition, c->partitions, sizeof *c->partition);
	p = &c->partition[c->partitions++];
	*p = (struct queue_partition){
	    .name = xstrdup(field[NAME]),
	    .is_default = strcmp(field[NAME], field[MARKED]) != 0,
	    .up = strcmp(field[AVAILABLE], "up") == 0,
	    .minutes = queue_text_minutes(field[TIME]),
	    .usual = queue_text_minutes(field[USUAL]),
	};
	/* "n/a": the longest is the usual one. */
	if (strchr(field[USUAL], ':') == NULL &&
	    strcmp(field[USUAL], "infinite") != 0)
		p->usual = p->minutes;
}

/* A line for the nodes of a partition that are alike, one after the other. */
static int
take_partitions(enum queue_depth depth, struct queue_cluster *c,
    struct queue_fields *f, struct error *e)
{
	struct queue_offer offer = {0};
	struct queue_partition *p = NULL;
	char *field[COLUMNS];
	int rc;

	while ((rc = queue_fields_next(f, field, COLUMNS)) == 1) {
		if (p == NULL || strcmp(p->name, field[NAME]) != 0) {
			if (p != NULL)
				queue_offer_end(&offer, p);
			begin_partition(c, field);
			p = &c->partition[c->partitions - 1];
		}
		p->nodes += (uint32_t)queue_text_number(field[NODES]);
		if (depth >= QUEUE_NODES)
			queue_offer_node(&offer, field[GRES],
			    (uint64_t)queue_text_number(field[CPUS]),
			    (uint64_t)queue_text_number(field[MEMORY]));
	}
	if (p != NULL)
		queue_offer_end(&offer, p);
	if (rc == -1)
		return queue_refuse(EIO, e, "sinfo's answer is incomplete");
	return 0;
}

static int
load_partitions(enum queue_depth depth, int64_t deadline,
    struct queue_cluster *c, struct error *e)
{
	struct proc_result result;
	struct queue_fields f;
	char *format;
	int rc, number;

	queue_fields_begin(&f);
	format = queue_fields_format(&f, columns, COLUMNS);
	rc = queue_text_run(
	    (const char *const[]){"sinfo", "--all", "--local", "--exact",
		"--noheader", "--sort=P", "--Format", format, NULL},
	    deadline, &result, e);
	f.at = result.out;
	if (rc == 0)
		rc = take_partitions(depth, c, &f, e);
	number = errno;
	proc_result_free(&result);
	free(format);
	errno = number;
	return rc;
}

int
queue_text_cluster(enum queue_depth depth, int64_t ms,
    struct queue_cluster *out, struct error *e)
{
	int64_t deadline = proc_clock() + ms;
	struct proc_result result;
	int rc, number;

	rc = queue_text_run(
	    (const char *const[]){"scontrol", "show", "config", NULL}, deadline,
	    &result, e);
	if (rc == 0)
		take_limits(out, result.out);
	number = errno;
	proc_result_free(&result);
	errno = number;
	if (rc == -1 || depth == QUEUE_LIMITS)
		return rc;
	return load_partitions(depth, deadline, out, e);
}
