#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "queue-own.h"
#include "sbatch.h"
#include "xalloc.h"

/* GPUs of more types than this on one node are not told apart. */
enum { TYPES = 32 };

static void
offer_type(struct queue_offer *offer, const struct sbatch_gpus *gpu)
{
	size_t i;

	for (i = 0; i < offer->types; i++)
		if (strcmp(offer->gpu[i].type, gpu->type) == 0)
			break;
	if (i == offer->types) {
		offer->gpu =
		    xgrow(offer->gpu, offer->types, sizeof *offer->gpu);
		offer->gpu[offer->types++] = *gpu;
	} else if (gpu->count > offer->gpu[i].count) {
		offer->gpu[i].count = gpu->count;
	}
}

void
queue_offer_node(
    struct queue_offer *offer, const char *gres, uint64_t cpus, uint64_t memory)
{
	struct sbatch_gpus gpu[TYPES];
	uint64_t all = 0;
	int i, n = 0;

	if (gres != NULL)
		n = sbatch_gpus("gres", gres, gpu, TYPES, NULL);
	for (i = 0; i < n; i++) {
		all += gpu[i].count;
		if (gpu[i].count > 0 && gpu[i].type[0] != '\0')
			offer_type(offer, &gpu[i]);
	}
	if (all > offer->gpus)
		offer->gpus = all;
	if (cpus > offer->cpus)
		offer->cpus = cpus;
	if (memory > offer->memory)
		offer->memory = memory;
}

void
queue_offer_end(struct queue_offer *offer, struct queue_partition *p)
{
	size_t length, i;
	FILE *out = xmemopen(&p->gpu_types, &length);

	for (i = 0; i < offer->types; i++)
		fprintf(out, "%s%s:%" PRIu64, i == 0 ? "" : ",",
		    offer->gpu[i].type, offer->gpu[i].count);
	xmemclose(out);
	p->cpus = (uint32_t)offer->cpus;
	p->memory = offer->memory;
	p->gpus = (uint32_t)offer->gpus;
	free(offer->gpu);
	memset(offer, 0, sizeof *offer);
}

int
queue_cluster(
    enum queue_depth depth, struct queue_cluster **out, struct error *e)
{
	struct queue_cluster *c;
	int64_t ms;

	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return -1;
	c = xcalloc(1, sizeof *c);
	if (queue_way()->cluster(depth, ms, c, e) == -1) {
		queue_cluster_free(c);
		return -1;
	}
	*out = c;
	return 0;
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

char *
queue_client(struct error *e)
{
	char *argv[] = {(char[]){"sbatch"}, (char[]){"--version"}, NULL};
	struct proc_result r;
	char **env, *version;
	int64_t ms;
	int rc;

	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1 ||
	    queue_check_configuration(e) == -1)
		return NULL;
	env = queue_environ();
	rc = proc_run(argv, env, ms, &r, e);
	free(env);
	if (rc == -1) {
		if (errno == ENOENT)
			queue_refuse_sbatch(e);
		return NULL;
	}
	version = r.out + strcspn(r.out, "0123456789");
	version = xstrndup(
	    proc_ok(&r) ? version : "", strspn(version, "0123456789."));
	proc_result_free(&r);
	return version;
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
