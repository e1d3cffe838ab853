#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "slurm/private.h"

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
	queue_cluster_join(c);
	*out = c;
	return 0;
}

char *
queue_client(struct error *e)
{
	char *argv[] = {(char[]){"sbatch"}, (char[]){"--version"}, NULL};
	struct proc_result r;
	struct error why;
	char **env, *version;
	int64_t ms;
	int rc;

	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1 ||
	    queue_check_configuration(e) == -1)
		return NULL;
	env = queue_environ();
	rc = proc_run(argv, env, ms, &r, &why);
	free(env);
	if (rc == -1) {
		if (why.code == ERROR_ABSENT)
			queue_refuse_sbatch(e);
		else
			error_copy(e, &why);
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
