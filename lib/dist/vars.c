/* The variables of each framework, and the GPUs of each task. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "dist/private.h"

/*
 * The variables that show GPUs to a program.  Slurm sets all of them to the
 * same value.  With --gpus-per-task or --gpu-bind Slurm itself divides the GPUs
 * of a node; otherwise each task sees all of them.
 */
static const char *const variables[] = {"CUDA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "GPU_DEVICE_ORDINAL"};
enum { VARIABLES = sizeof variables / sizeof *variables };

static void
split(const char *list, struct strlist *out)
{
	size_t n;

	while (*list != '\0') {
		n = strcspn(list, ",");
		strlist_take(out, xstrndup(list, n));
		list += n + (list[n] == ',');
	}
}

/* Return whether a rank needs a GPU, unlike servers and schedulers. */
static int
wants_gpu(const struct dist_options *w, const struct dist_step *s, size_t rank)
{
	size_t index;
	enum dist_role role = dist_role(w, s, rank, &index);

	if (role == DIST_CHIEF && w->framework == DIST_MXNET)
		return 0;
	return role != DIST_PS;
}

/*
 * Return how many tasks of this node need GPUs.  Sets *before to the number of
 * them with a lower rank.
 */
static size_t
sharers(const struct dist_options *w, const struct dist_step *s, size_t *before)
{
	size_t rank, count = 0;

	*before = 0;
	for (rank = 0; rank < s->tasks; rank++) {
		if (s->node[rank] != s->node[s->rank] || !wants_gpu(w, s, rank))
			continue;
		*before += rank < (size_t)s->rank;
		count++;
	}
	return count;
}

/* The GPUs from first to end - 1. */
struct share {
	size_t first, end;
};

/*
 * Return the share of the task at index place among count tasks.  If there are
 * fewer GPUs than tasks, tasks share GPUs.
 */
static struct share
share_of(size_t all, size_t place, size_t count)
{
	struct share ours = {place * all / count, (place + 1) * all / count};

	if (all < count)
		ours.end = ours.first + 1;
	return ours;
}

/*
 * Return whether stfm has to divide the GPUs, because all tasks of this node
 * see the same ones.  Slurm has divided them if this task sees fewer than the
 * node has.
 */
static int
is_shared(const struct dist_options *w, dist_get *get, void *arg, size_t seen,
    size_t count)
{
	const char *number = get(arg, "SLURM_GPUS_ON_NODE"), *list;
	struct strlist all = {0};
	int64_t n;

	if (w->gpus == DIST_ALL || count <= 1)
		return 0;
	if (number != NULL && num_int("", number, 0, INT32_MAX, &n, NULL) == 0)
		return seen >= (size_t)n;
	list = get(arg, "SLURM_STEP_GPUS");
	if (list == NULL)
		list = get(arg, "SLURM_JOB_GPUS");
	if (list == NULL)
		return 1;
	split(list, &all);
	n = (int64_t)all.count;
	strlist_free(&all);
	return seen >= (size_t)n;
}

static void
divide(const struct dist_options *w, const struct dist_step *s,
    const char *variable, const char *list, dist_get *get, void *arg,
    struct strlist *out)
{
	struct strlist all = {0}, mine = {0};
	size_t place, count = sharers(w, s, &place), i;
	struct share ours;
	char *text;

	split(list, &all);
	if (!wants_gpu(w, s, (size_t)s->rank)) {
		strlist_take(out, xasprintf("%s=", variable));
	} else if (is_shared(w, get, arg, all.count, count)) {
		ours = share_of(all.count, place, count);
		for (i = ours.first; i < ours.end; i++)
			strlist_push(&mine, all.word[i]);
		text = strlist_join(&mine, ",");
		strlist_take(out, xasprintf("%s=%s", variable, text));
		free(text);
	}
	strlist_free(&mine);
	strlist_free(&all);
}

/*
 * Tell JAX which GPUs to use.  In a step of Slurm, JAX takes the GPU with its
 * local number, however many there are, and finds none if the task sees only
 * its own GPU.  JAX counts the GPUs that it sees.
 */
static void
add_jax_devices(const struct dist_options *w, const struct dist_step *s,
    const char *list, dist_get *get, void *arg, struct strlist *out)
{
	struct strlist all = {0}, numbers = {0};
	size_t place, count = sharers(w, s, &place), i;
	struct share ours;
	char *text;

	split(list, &all);
	ours = (struct share){0, all.count};
	if (is_shared(w, get, arg, all.count, count))
		ours = share_of(all.count, place, count);
	for (i = ours.first; i < ours.end; i++)
		strlist_take(&numbers,
		    xasprintf(
			"%zu", w->gpus == DIST_DIVIDE ? i - ours.first : i));
	text = strlist_join(&numbers, ",");
	strlist_take(out, xasprintf("JAX_LOCAL_DEVICE_IDS=%s", text));
	free(text);
	strlist_free(&numbers);
	strlist_free(&all);
}

/* Divide the GPUs of this node among its ranks that need GPUs. */
static void
add_gpus(const struct dist_options *w, const struct dist_step *s, dist_get *get,
    void *arg, struct strlist *out)
{
	const char *list, *seen = NULL;
	int divides = w->gpus == DIST_DIVIDE;
	size_t i;

	/*
	 * JAX gets device numbers instead; TensorFlow and MXNet use all GPUs
	 * that they see.
	 */
	if (w->gpus == DIST_AS_USUAL)
		divides = w->framework == DIST_TENSORFLOW ||
		    w->framework == DIST_MXNET;
	for (i = 0; i < VARIABLES; i++) {
		list = get(arg, variables[i]);
		if (list == NULL || *list == '\0')
			continue;
		if (seen == NULL)
			seen = list;
		if (divides)
			divide(w, s, variables[i], list, get, arg, out);
	}
	if (w->framework == DIST_JAX && seen != NULL)
		add_jax_devices(w, s, seen, get, arg, out);
}

int
dist_lacks_gpu(const struct dist_options *w, const struct dist_step *s,
    dist_get *get, void *arg, size_t *seen)
{
	struct strlist all = {0};
	const char *list = NULL;
	size_t i;

	for (i = 0; i < VARIABLES && (list == NULL || *list == '\0'); i++)
		list = get(arg, variables[i]);
	if (!dist_chooses_gpu(w) || s->rank < 0 || list == NULL ||
	    *list == '\0')
		return 0;
	split(list, &all);
	*seen = all.count;
	strlist_free(&all);
	return s->local[s->rank] >= *seen;
}

/* The arguments of the functions that add variables. */
struct writing {
	const struct dist_options *w;
	const struct dist_step *s;
	struct strlist *out;
};

static void
add(const struct writing *v, const char *name, const char *value)
{
	strlist_take(v->out, xasprintf("%s=%s", name, value));
}

static void
add_number(const struct writing *v, const char *name, size_t value)
{
	strlist_take(v->out, xasprintf("%s=%zu", name, value));
}

static size_t
rank_of(const struct writing *v)
{
	return (size_t)v->s->rank;
}

static const char *
address(const struct writing *v, size_t rank)
{
	return v->s->addresses.word[v->s->node[rank]];
}

/* Write address:port; an IPv6 address is in brackets. */
static void
put_place(FILE *out, const struct writing *v, size_t rank)
{
	const char *a = address(v, rank);
	int six = strchr(a, ':') != NULL;

	fprintf(out, "%s%s%s:%d", six ? "[" : "", a, six ? "]" : "",
	    dist_port(v->s, rank));
}

/* Return how many tasks the node of this rank has. */
static size_t
local_size(const struct writing *v)
{
	return v->s->count[v->s->node[rank_of(v)]];
}

/* Write the addresses of all ranks with a role, as a JSON member. */
static void
put_role(FILE *out, const struct writing *v, enum dist_role wanted,
    const char *before)
{
	const char *comma = "";
	size_t rank, index;
	enum dist_role role;

	fprintf(out, "%s\"%s\":[", before, dist_role_names[wanted]);
	for (rank = 0; rank < v->s->tasks; rank++) {
		role = dist_role(v->w, v->s, rank, &index);
		if (role != wanted)
			continue;
		fprintf(out, "%s\"", comma);
		put_place(out, v, rank);
		fputs("\"", out);
		comma = ",";
	}
	fputs("]", out);
}

/* Add TF_CONFIG.  The evaluator is not part of the cluster that trains. */
static void
add_tensorflow(const struct writing *v)
{
	enum dist_role ours, role;
	const char *comma = "";
	char *text = NULL;
	size_t length, index, i;
	FILE *out;

	if (v->s->rank < 0)
		return;
	ours = dist_role(v->w, v->s, rank_of(v), &index);
	out = xmemopen(&text, &length);
	fputs("TF_CONFIG={\"cluster\":{", out);
	for (i = 0; i < DIST_ROLES; i++) {
		role = (enum dist_role)i;
		if (dist_role_count(v->w, v->s, role) == 0 ||
		    (role == DIST_EVALUATOR && ours != role))
			continue;
		put_role(out, v, role, comma);
		comma = ",";
	}
	fprintf(out, "},\"task\":{\"type\":\"%s\",\"index\":%zu}}",
	    dist_role_names[ours], index);
	xmemclose(out);
	strlist_take(v->out, text);
}

static void
add_torch(const struct writing *v)
{
	add(v, "MASTER_ADDR", address(v, 0));
	add_number(v, "MASTER_PORT", (size_t)dist_port(v->s, 0));
	add_number(v, "WORLD_SIZE", v->s->tasks);
	if (v->s->rank < 0)
		return;
	add_number(v, "RANK", rank_of(v));
	add_number(v, "LOCAL_RANK", v->s->local[v->s->rank]);
	add_number(v, "LOCAL_WORLD_SIZE", local_size(v));
	add_number(v, "GROUP_RANK", v->s->node[v->s->rank]);
	add_number(v, "GROUP_WORLD_SIZE", v->s->nodes.count);
}

static void
add_horovod(const struct writing *v)
{
	const char *way = v->w->mpi ? "mpi" : "gloo";
	const struct dist_step *s = v->s;
	size_t node, size = 0, rank = 0;

	add(v, "HOROVOD_CONTROLLER", way);
	add(v, "HOROVOD_CPU_OPERATIONS", way);
	if (v->w->mpi)
		return; /* MPI assigns the ranks */
	add(v, "HOROVOD_GLOO_RENDEZVOUS_ADDR", address(v, 0));
	add_number(v, "HOROVOD_GLOO_RENDEZVOUS_PORT", (size_t)dist_port(s, 0));
	add_number(v, "HOROVOD_SIZE", s->tasks);
	if (s->rank < 0)
		return;
	add(v, "HOROVOD_HOSTNAME", s->nodes.word[s->node[s->rank]]);
	add_number(v, "HOROVOD_RANK", rank_of(v));
	add_number(v, "HOROVOD_LOCAL_RANK", s->local[s->rank]);
	add_number(v, "HOROVOD_LOCAL_SIZE", local_size(v));
	/* Find the nodes with a task that has the same local number. */
	for (node = 0; node < s->nodes.count; node++)
		if (s->count[node] > s->local[s->rank]) {
			rank += node < s->node[s->rank];
			size++;
		}
	add_number(v, "HOROVOD_CROSS_RANK", rank);
	add_number(v, "HOROVOD_CROSS_SIZE", size);
}

static void
add_mxnet(const struct writing *v)
{
	static const char *const names[] = {"scheduler", "worker", "server"};
	enum dist_role role;
	size_t index;

	add(v, "DMLC_PS_ROOT_URI", address(v, 0));
	add_number(v, "DMLC_PS_ROOT_PORT", (size_t)dist_port(v->s, 0));
	add_number(v, "DMLC_NUM_SERVER", dist_role_count(v->w, v->s, DIST_PS));
	add_number(
	    v, "DMLC_NUM_WORKER", dist_role_count(v->w, v->s, DIST_WORKER));
	if (v->s->rank < 0)
		return;
	role = dist_role(v->w, v->s, rank_of(v), &index);
	add(v, "DMLC_ROLE", names[role]);
	if (role == DIST_WORKER)
		add_number(v, "DMLC_WORKER_ID", index);
}

static void
add_jax(const struct writing *v)
{
	char *text = NULL;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	fputs("JAX_COORDINATOR_ADDRESS=", out);
	put_place(out, v, 0);
	xmemclose(out);
	strlist_take(v->out, text);
	add_number(v, "JAX_NUM_PROCESSES", v->s->tasks);
	if (v->s->rank >= 0)
		add_number(v, "JAX_PROCESS_ID", rank_of(v));
}

void
dist_variables(const struct dist_options *w, const struct dist_step *s,
    dist_get *get, void *arg, struct strlist *out)
{
	static void (*const write[])(const struct writing *) = {
	    add_tensorflow, add_torch, add_horovod, add_mxnet, add_jax};
	struct writing v = {w, s, out};

	write[w->framework](&v);
	if (s->rank >= 0)
		add_gpus(w, s, get, arg, out);
}
