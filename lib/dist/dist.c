/* Read the step from the variables that Slurm sets for each task. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/idset.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "dist/private.h"

/* The next rank, and the number of ranks already placed on each node. */
struct deal {
	struct dist_step *step;
	size_t *taken;
	size_t rank;
};

/* Place the next ranks on a node while it has room, at most `most`. */
static void
give(struct deal *d, size_t node, size_t most)
{
	struct dist_step *s = d->step;

	while (most-- > 0 && d->taken[node] < s->count[node]) {
		s->node[d->rank] = node;
		s->local[d->rank] = d->taken[node]++;
		d->rank++;
	}
}

/* Distribute all ranks over the nodes in rotation, plane ranks at a time. */
static void
deal(struct dist_step *s, size_t plane)
{
	struct deal d = {s, xcalloc(s->nodes.count, sizeof *d.taken), 0};
	size_t *open = xcalloc(s->nodes.count, sizeof *open);
	size_t count = s->nodes.count, left, i;

	for (i = 0; i < count; i++)
		open[i] = i;
	while (count > 0) {
		for (i = 0, left = 0; i < count; i++) {
			give(&d, open[i], plane);
			if (d.taken[open[i]] < s->count[open[i]])
				open[left++] = open[i];
		}
		count = left;
	}
	free(open);
	free(d.taken);
}

/* Distribute the ranks by a list that names the node of each rank. */
static int
place_arbitrary(struct dist_step *s, const char *list, struct error *e)
{
	struct deal d = {s, NULL, 0};
	struct strlist names = {0};
	size_t i, node;

	if (list == NULL || *list == '\0' || strcmp(list, "(null)") == 0)
		return error_set(e,
		    "SLURM_DISTRIBUTION=arbitrary: which task is where cannot "
		    "be known: start the step with another srun "
		    "--distribution");
	if (hostlist_expand(list, &names, e) == -1)
		return error_prefix(e, "SLURM_ARBITRARY_NODELIST");
	d.taken = xcalloc(s->nodes.count + 1, sizeof *d.taken);
	for (i = 0; i < names.count && d.rank == i; i++) {
		for (node = 0; node < s->nodes.count; node++)
			if (strcmp(s->nodes.word[node], names.word[i]) == 0)
				break;
		if (node < s->nodes.count)
			give(&d, node, 1);
	}
	free(d.taken);
	strlist_free(&names);
	if (d.rank == s->tasks)
		return 0;
	return error_set(
	    e, "SLURM_ARBITRARY_NODELIST: does not have a node for each task");
}

/* Return whether distribution, "cyclic:block,Pack", begins with name. */
static int
is_method(const char *distribution, const char *name)
{
	size_t n = strlen(name);

	return strncmp(distribution, name, n) == 0 &&
	    strchr(":,=", distribution[n]) != NULL;
}

/* Compute the node of each rank and its local number. */
static int
place(struct dist_step *s, const char *distribution, const char *plane_size,
    const char *arbitrary, struct error *e)
{
	int64_t plane;

	s->node = xcalloc(s->tasks, sizeof *s->node);
	s->local = xcalloc(s->tasks, sizeof *s->local);
	if (distribution == NULL || *distribution == '\0')
		distribution = "block";
	if (s->nodes.count > 1 && is_method(distribution, "arbitrary"))
		return place_arbitrary(s, arbitrary, e);
	if (!is_method(distribution, "plane")) {
		deal(s, is_method(distribution, "cyclic") ? 1 : s->tasks);
		return 0;
	}
	if (distribution[5] == '=')
		plane_size = distribution + 6;
	if (plane_size == NULL)
		return error_set(e,
		    "SLURM_DIST_PLANESIZE: not set, with "
		    "SLURM_DISTRIBUTION=plane");
	if (num_int("SLURM_DIST_PLANESIZE", plane_size, 1, INT32_MAX, &plane,
		e) == -1)
		return -1;
	deal(s, (size_t)plane);
	return 0;
}

/* Maximum number of tasks of a step. */
enum { MOST_TASKS = 1 << 20 };

/* A step while it is read, and the source of its variables. */
struct reading {
	dist_get *get;
	void *arg;
	int in_step;
	struct dist_step *step;
	struct error *e;
};

static const char *
get(const struct reading *r, const char *name)
{
	const char *value = r->get(r->arg, name);

	return value != NULL && strcmp(value, "(null)") == 0 ? NULL : value;
}

static const char *
first_of(const struct reading *r, const char *a, const char *b)
{
	const char *value = get(r, a);

	return value != NULL ? value : get(r, b);
}

static int
number(
    const struct reading *r, const char *name, int64_t fallback, int64_t *out)
{
	const char *text = get(r, name);

	*out = fallback;
	if (text == NULL && fallback >= 0)
		return 0;
	if (text == NULL)
		return error_set(r->e, "%s: not set", name);
	return num_int(name, text, 0, UINT32_MAX, out, r->e);
}

/* Refuse heterogeneous jobs: Slurm counts tasks per component. */
static int
check_hetero(const struct reading *r)
{
	const char *name = "SLURM_HET_SIZE";
	int64_t size;

	if (get(r, name) == NULL)
		name = "SLURM_PACK_SIZE"; /* the name before 20.02 */
	if (number(r, name, 1, &size) == -1)
		return -1;
	if (size > 1)
		return error_set(r->e,
		    "%s=%" PRId64
		    ": this is a heterogeneous job, whose components cannot "
		    "be put together here: use one component",
		    name, size);
	return 0;
}

static int
read_nodes(const struct reading *r)
{
	struct dist_step *s = r->step;
	const char *name = "SLURM_STEP_NODELIST", *list;

	list = r->in_step ? get(r, name) : NULL;
	if (list == NULL) {
		name = "SLURM_JOB_NODELIST";
		list = first_of(r, name, "SLURM_NODELIST");
	}
	if (list == NULL)
		return error_set(r->e,
		    "SLURM_JOB_NODELIST: not set: this runs inside a job of "
		    "Slurm (sbatch, salloc or srun)");
	if (hostlist_expand(list, &s->nodes, r->e) == -1)
		return error_prefix(r->e, name);
	strlist_copy(&s->addresses, &s->nodes);
	return 0;
}

/*
 * Read the number of tasks on each node.  If the user gave no number, Slurm
 * writes how many would fit, but srun starts one task on each node.
 */
static int
read_counts(const struct reading *r)
{
	struct dist_step *s = r->step;
	const char *name = "SLURM_STEP_TASKS_PER_NODE", *text;
	int64_t total;
	size_t i;
	int rc;

	text = r->in_step ? get(r, name) : NULL;
	if (text == NULL &&
	    (r->in_step || get(r, "SLURM_NTASKS") != NULL ||
		get(r, "SLURM_NTASKS_PER_NODE") != NULL)) {
		name = "SLURM_TASKS_PER_NODE";
		text = get(r, name);
	}
	if (text != NULL)
		rc = hostlist_numbers(text, s->nodes.count, &s->count, r->e);
	else
		rc = hostlist_numbers("1", 1, &s->count, r->e);
	if (rc == -1)
		return error_prefix(r->e, name);
	if (text == NULL) {
		s->count =
		    xrealloc(s->count, (s->nodes.count + 1) * sizeof *s->count);
		for (i = 0; i < s->nodes.count; i++)
			s->count[i] = 1;
	}
	for (i = 0; i < s->nodes.count; i++) {
		s->tasks += s->count[i];
		if (s->count[i] > MOST_TASKS || s->tasks > MOST_TASKS)
			return error_set(r->e, "%s: too many tasks", name);
	}
	if (s->tasks == 0)
		return error_set(r->e, "%s: no tasks", name);
	/* If Slurm gives a total number of tasks, it must be the same. */
	name = r->in_step ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
	if (number(r, name, (int64_t)s->tasks, &total) == -1)
		return -1;
	if ((size_t)total == s->tasks)
		return 0;
	return error_set(r->e, "%s=%" PRId64 ": but the nodes have %zu tasks",
	    name, total, s->tasks);
}

/* Check the ranks on this node against Slurm's list, if there is one. */
static int
check_neighbours(const struct reading *r, size_t node)
{
	const struct dist_step *s = r->step;
	const char *text = get(r, "SLURM_GTIDS");
	struct idset ids = {0};
	size_t rank, here = 0;
	int rc = 0;

	if (text == NULL || idset_parse(&ids, text, NULL) == -1)
		return 0;
	for (rank = 0; rank < s->tasks; rank++)
		if (s->node[rank] == node) {
			here++;
			if (!idset_has(&ids, rank))
				rc = -1;
		}
	if (here != idset_size(&ids))
		rc = -1;
	idset_free(&ids);
	if (rc == -1)
		return error_set(r->e,
		    "SLURM_GTIDS=%s: the tasks are not distributed as "
		    "SLURM_DISTRIBUTION says",
		    text);
	return 0;
}

/* Read the rank of this process, and check its node and local number. */
static int
read_rank(const struct reading *r)
{
	struct dist_step *s = r->step;
	const char *name = get(r, "SLURMD_NODENAME");
	int64_t node, local;
	size_t at;

	s->rank = -1;
	if (!r->in_step && s->tasks > 1)
		return 0;
	if (!r->in_step) {
		s->rank = 0;
		return 0;
	}
	if (number(r, "SLURM_PROCID", -1, &s->rank) == -1 ||
	    number(r, "SLURM_NODEID", -1, &node) == -1 ||
	    number(r, "SLURM_LOCALID", -1, &local) == -1)
		return -1;
	if ((size_t)s->rank >= s->tasks)
		return error_set(r->e,
		    "SLURM_PROCID=%" PRId64 ": but there are %zu tasks",
		    s->rank, s->tasks);
	at = s->node[s->rank];
	if (at != (size_t)node || s->local[s->rank] != (size_t)local ||
	    (name != NULL && strcmp(name, s->nodes.word[at]) != 0))
		return error_set(r->e,
		    "SLURM_PROCID=%" PRId64 ": this task is on node %" PRId64
		    " as its number %" PRId64
		    ", not on %s as number %zu, as SLURM_DISTRIBUTION says",
		    s->rank, node, local, s->nodes.word[at], s->local[s->rank]);
	return check_neighbours(r, at);
}

/* Return the first port reserved for this step by srun --resv-ports, or 0. */
static int
reserved(const struct reading *r, int64_t count)
{
	const char *text = get(r, "SLURM_STEP_RESV_PORTS");
	struct idset ports = {0};
	int first = 0;

	if (!r->in_step || text == NULL ||
	    idset_parse(&ports, text, NULL) == -1)
		return 0;
	if (ports.count == 1 && idset_size(&ports) >= (uint64_t)count &&
	    ports.run[0].last <= 65535)
		first = (int)ports.run[0].first;
	idset_free(&ports);
	return first;
}

/*
 * Choose a port for each task: a node can have several tasks, and several nodes
 * can have one address.  Consecutive jobs get different ports.
 */
static int
read_port(const struct reading *r, const struct dist_options *w)
{
	struct dist_step *s = r->step;
	int64_t count = (int64_t)s->tasks + dist_has_servers(w);
	int64_t job, step = 0;

	s->first_port = w->port != 0 ? (int)w->port : reserved(r, count);
	if (s->first_port + count - 1 > 65535)
		return error_set(r->e,
		    "port=%d: %" PRId64 " ports are needed, up to 65535",
		    s->first_port, count);
	if (s->first_port != 0)
		return 0;
	if (count > DIST_PORTS)
		return error_set(r->e,
		    "%zu tasks: there are %d ports for them: say which with "
		    "port=N",
		    s->tasks, DIST_PORTS);
	if (number(r, get(r, "SLURM_JOB_ID") ? "SLURM_JOB_ID" : "SLURM_JOBID",
		-1, &job) == -1)
		return -1;
	if (r->in_step &&
	    number(r,
		get(r, "SLURM_STEP_ID") ? "SLURM_STEP_ID" : "SLURM_STEPID", 0,
		&step) == -1)
		return -1;
	s->first_port = DIST_FIRST_PORT +
	    (int)((job + 61 * step) % (DIST_PORTS / count) * count);
	return 0;
}

int
dist_step(const struct dist_options *w, dist_get *get_by, void *arg,
    struct dist_step *s, struct error *e)
{
	struct reading r = {get_by, arg, 0, s, e};
	const char *id = first_of(&r, "SLURM_STEP_ID", "SLURM_STEPID");
	int64_t n;

	memset(s, 0, sizeof *s);
	/* Higher ids belong to steps that Slurm itself starts. */
	r.in_step = id != NULL &&
	    num_int("", id, 0, 0xfffffff0, &n, NULL) == 0 &&
	    get(&r, "SLURM_STEP_TASKS_PER_NODE") != NULL;
	if (check_hetero(&r) == -1 || read_nodes(&r) == -1 ||
	    read_counts(&r) == -1)
		return -1;
	if (place(s, r.in_step ? get(&r, "SLURM_DISTRIBUTION") : NULL,
		get(&r, "SLURM_DIST_PLANESIZE"),
		get(&r, "SLURM_ARBITRARY_NODELIST"), e) == -1)
		return -1;
	if (read_rank(&r) == -1 || read_port(&r, w) == -1)
		return -1;
	return dist_check(w, s, e);
}

void
dist_step_free(struct dist_step *s)
{
	strlist_free(&s->nodes);
	strlist_free(&s->addresses);
	free(s->node);
	free(s->local);
	free(s->count);
	memset(s, 0, sizeof *s);
}
