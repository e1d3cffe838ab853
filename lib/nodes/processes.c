#include <inttypes.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hostlist.h"
#include "base/xalloc.h"
#include "nodes/private.h"
#include "nodes/processes.h"
#include "slurm/gpu-look.h"
#include "sys/proc.h"

/* The number of jobs to look from: a job may see only its own GPUs. */
enum { LOOKS = 8 };

/*
 * The lowest id of a human user; lower ids are system users, whose processes
 * are services.
 */
enum { FIRST_USER = 1000 };

struct looking {
	const struct queue_cluster *cluster;
	const struct queue_allocations *uses;
	void (*warn)(void *arg, const char *what);
	void *arg;
	struct nodes_processes *out;
};

/* ---- jobs to look from ---- */

static int
is_on(const struct queue_allocation *u, const char *node)
{
	struct strlist names = {0};
	int on = u->running && hostlist_expand(u->nodes, &names, NULL) == 0 &&
	    strlist_have(&names, node);

	strlist_free(&names);
	return on;
}

static int
by_gpus(const void *a, const void *b)
{
	const struct queue_allocation *const *x = a, *const *y = b;

	return ((*x)->gpus < (*y)->gpus) - ((*x)->gpus > (*y)->gpus);
}

/* Return this user's jobs on a node, sorted by GPUs, most first; to free. */
static const struct queue_allocation **
jobs_on(const struct queue_allocations *uses, const char *node, size_t *count)
{
	const struct queue_allocation **mine = NULL;
	size_t i;

	*count = 0;
	for (i = 0; i < uses->uses; i++) {
		if (!uses->use[i].mine || uses->use[i].ending ||
		    !is_on(&uses->use[i], node))
			continue;
		mine = xgrow(mine, *count, sizeof *mine);
		mine[(*count)++] = &uses->use[i];
	}
	if (*count > 0)
		qsort(mine, *count, sizeof *mine, by_gpus);
	return mine;
}

/* ---- judging processes ---- */

static char *
user_of(int64_t uid)
{
	const struct passwd *user;

	if (uid < 0)
		return NULL;
	user = getpwuid((uid_t)uid);
	return user != NULL ? xstrdup(user->pw_name)
			    : xasprintf("%" PRId64, uid);
}

static char *
job_of(const struct queue_allocations *uses, int64_t job)
{
	size_t i;

	if (job == 0)
		return NULL;
	for (i = 0; i < uses->uses; i++)
		if (uses->use[i].id == job)
			return xstrdup(uses->use[i].job);
	return xasprintf("%" PRId64, job);
}

/*
 * Return whether the user of p has, or may have, a job on the node of p, apart
 * from the job except.
 */
static int
has_job(const struct queue_allocations *uses, const struct nodes_process *p,
    int64_t except)
{
	size_t i;

	if (p->user == NULL)
		return 1;
	for (i = 0; i < uses->uses; i++)
		if (uses->use[i].id != except &&
		    strcmp(uses->use[i].user, p->user) == 0 &&
		    is_on(&uses->use[i], p->node))
			return 1;
	return 0;
}

/*
 * Judge a process.  The environment of other users' processes is not readable,
 * and they may belong to an allocation in ways that Slurm does not see.  So
 * users with a job on the node are not accused.  Users are compared by name,
 * because Slurm reports names.
 */
enum nodes_judgement
nodes_judge(const struct nodes_process *p, const struct queue_allocations *uses,
    int shows_jobs)
{
	if (p->is.place == USAGE_INSIDE)
		return NODES_IN_JOB;
	if (p->is.place == USAGE_NOWHERE || p->user == NULL)
		return NODES_UNKNOWN;
	if (p->mine)
		return p->is.place == USAGE_OUTSIDE ? NODES_VIOLATION
						    : NODES_UNKNOWN;
	if (p->is.uid < FIRST_USER || getpwuid((uid_t)p->is.uid) == NULL ||
	    !shows_jobs || has_job(uses, p, -1))
		return NODES_UNKNOWN;
	return NODES_VIOLATION;
}

enum nodes_judgement
nodes_judge_gpu(const struct nodes_process *p, const struct queue_held *held,
    const struct queue_allocations *uses, int64_t ms)
{
	int there;

	if (!p->whole || held->seconds * 1000 < ms ||
	    (!p->is.in_step && has_job(uses, p, p->is.job)))
		return NODES_IN_JOB;
	if (held->count == 0)
		return NODES_VIOLATION;
	there = !p->ordered || p->is.gpu < 0 || p->is.gpu >= QUEUE_HELD ||
	    held->has[p->is.gpu];
	return there ? NODES_IN_JOB : NODES_VIOLATION;
}

/* Judge processes in jobs by the GPUs that Slurm gave their jobs. */
static void
judge_jobs(struct looking *l)
{
	struct nodes_process *p, *other;
	struct queue_held held;
	size_t i, k;
	int rc;

	for (i = 0; i < l->out->count; i++) {
		p = &l->out->process[i];
		if (p->is.job == 0 || !p->whole || p->asked)
			continue;
		rc = queue_held(p->is.job, p->node, &held);
		for (k = i; k < l->out->count; k++) {
			other = &l->out->process[k];
			if (other->is.job != p->is.job ||
			    strcmp(other->node, p->node) != 0)
				continue;
			other->asked = 1;
			if (rc == 0 && other->judgement == NODES_IN_JOB)
				other->judgement = nodes_judge_gpu(other, &held,
				    l->uses, proc_clock() - other->looked);
		}
	}
}

/*
 * Judge all processes.  Suspects are judged again with the current list of
 * jobs: a job that has begun since may explain them.
 */
static int
judge(struct looking *l, struct error *e)
{
	struct queue_allocations *now = NULL;
	struct nodes_process *p;
	int shows = 0, suspects = 0;
	size_t i;

	for (i = 0; i < l->out->count; i++) {
		p = &l->out->process[i];
		p->judgement = nodes_judge(p, l->uses, 1);
		suspects += p->judgement == NODES_VIOLATION && !p->mine;
	}
	judge_jobs(l);
	if (suspects == 0)
		return 0;
	if (queue_allocations(QUEUE_THERE, &now, e) == -1)
		return -1;
	shows = queue_shows_jobs() == 1;
	for (i = 0; i < l->out->count; i++) {
		p = &l->out->process[i];
		if (p->judgement == NODES_VIOLATION && p->is.job == 0)
			p->judgement = nodes_judge(p, now, shows);
	}
	queue_allocations_free(now);
	return 0;
}

/* ---- looking at GPUs ---- */

static void
report(struct looking *l, const char *node, const char *what)
{
	char *text = xasprintf("%s: %s", node, what);

	l->warn(l->arg, text);
	free(text);
}

static int
is_known(const struct nodes_processes *all, const char *node,
    const struct usage_holder *h)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->process[i].is.pid == h->pid &&
		    strcmp(all->process[i].is.uuid, h->uuid) == 0 &&
		    strcmp(all->process[i].node, node) == 0)
			return 1;
	return 0;
}

/* Add the processes that are not yet in the list. */
static void
take(struct looking *l, const struct queue_node *of, int64_t looked,
    struct usage_holders *from)
{
	struct nodes_processes *all = l->out;
	const char *node = of->name;
	struct usage_holder *h;
	size_t i;

	for (i = 0; i < from->count; i++) {
		h = &from->holder[i];
		if (is_known(all, node, h))
			continue;
		all->process =
		    xgrow(all->process, all->count, sizeof *all->process);
		all->process[all->count++] = (struct nodes_process){
		    .node = xstrdup(node),
		    .user = user_of(h->uid),
		    .job = job_of(l->uses, h->job),
		    .mine = h->uid == (int64_t)getuid(),
		    .is = *h,
		    .whole = from->gpus == nodes_gpus(of) &&
			strstr(of->gres, "no_consume") == NULL,
		    .ordered = from->ordered,
		    .looked = looked,
		};
		h->command = NULL;
	}
}

/* Look from a job.  Returns how many GPUs the job sees, or -1. */
static int64_t
look_from(struct looking *l, const struct queue_node *node,
    const struct queue_allocation *job, struct error *e)
{
	struct usage_holders h = {0};
	int64_t looked = proc_clock(), seen = -1;
	char *text = queue_look(job->id, node->name, e);

	if (text == NULL)
		return -1;
	switch (usage_holders_read(text, &h)) {
	case USAGE_WHOLE:
		seen = (int64_t)h.gpus;
		take(l, node, looked, &h);
		break;
	case USAGE_NO_TOOL:
		error_set(e, "there is no nvidia-smi");
		break;
	case USAGE_BROKEN:
		error_set(e, "nvidia-smi does not work, or shows no GPU");
		break;
	default:
		error_set(e, "nvidia-smi did not end");
	}
	usage_holders_free(&h);
	free(text);
	return seen;
}

static void
look_at(struct looking *l, const struct queue_node *node,
    const struct queue_allocation *const *mine, size_t count)
{
	size_t all = nodes_gpus(node), seen = 0, i;
	int answered = 0;
	struct error why;
	int64_t n = 0;
	char *text;

	for (i = 0; i < count && i < LOOKS && n != -1; i++) {
		if (answered && (seen >= all || mine[i]->gpus == 0))
			break;
		n = look_from(l, node, mine[i], &why);
		answered |= n != -1;
		seen += n > 0 ? (size_t)n : 0;
	}
	l->out->seen += answered != 0;
	l->out->dark += n == -1;
	if (n == -1) {
		report(l, node->name, why.text);
	} else if (seen < all) {
		text = xasprintf("%zu of %zu GPUs %s to be seen from jobs of "
				 "mine",
		    seen, all, seen == 1 ? "is" : "are");
		report(l, node->name, text);
		free(text);
	}
}

static int
look(struct looking *l, const char *chosen, struct error *e)
{
	const struct queue_allocation **mine;
	const struct queue_node *node;
	struct strlist names = {0};
	size_t i, count, nodes = 0;
	char *list;
	int rc;

	for (i = 0; i < l->cluster->nodes; i++) {
		if (!chosen[i])
			continue;
		node = &l->cluster->node[i];
		strlist_push(&names, node->name);
		mine = jobs_on(l->uses, node->name, &count);
		if (count > 0 && nodes_gpus(node) > 0)
			look_at(l, node, mine, count);
		nodes += count > 0;
		free(mine);
	}
	if (nodes > 0) {
		rc = judge(l, e);
	} else {
		list = hostlist_fold(&names);
		rc = error_set(e,
		    "%s: no job of mine runs there: only where one does may "
		    "processes be looked at",
		    list);
		free(list);
	}
	strlist_free(&names);
	return rc;
}

int
nodes_processes(const struct queue_cluster *c, const char *chosen,
    void (*warn)(void *arg, const char *what), void *arg,
    struct nodes_processes *out, struct error *e)
{
	struct queue_allocations *uses;
	struct looking l = {.cluster = c, .warn = warn, .arg = arg, .out = out};
	int rc;

	memset(out, 0, sizeof *out);
	if (queue_allocations(QUEUE_THERE, &uses, e) == -1)
		return -1;
	l.uses = uses;
	rc = look(&l, chosen, e);
	queue_allocations_free(uses);
	return rc;
}

void
nodes_processes_free(struct nodes_processes *all)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		free(all->process[i].node);
		free(all->process[i].user);
		free(all->process[i].job);
		free(all->process[i].is.command);
	}
	free(all->process);
	memset(all, 0, sizeof *all);
}

/* ---- the table ---- */

enum {
	NODE,
	GPU,
	UUID,
	PID,
	USER,
	UID,
	MINE,
	JOB,
	MEMORY,
	COMMAND,
	VIOLATION,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [NODE] = {"node", "NODE", .cut = 5, .least = 4},
    [GPU] = {"gpu", "GPU", .right = 1},
    [UUID] = {.name = "uuid"},
    [PID] = {"pid", "PID", .right = 1},
    [USER] = {"user", "USER", .cut = 3, .least = 4},
    [UID] = {.name = "uid"},
    [MINE] = {.name = "mine"},
    [JOB] = {"slurm_id", "JOB", .right = 1},
    [MEMORY] = {"gpu_memory", "MEM", .right = 1},
    [COMMAND] = {"command", "COMMAND", .cut = 1, .least = 8},
    [VIOLATION] = {"violation", "", .optional = 1},
};

static void
put(struct table *t, const struct nodes_process *p)
{
	char *memory = NULL;

	table_row(t);
	table_text(t, NODE, p->node);
	if (p->is.gpu >= 0)
		table_int(t, GPU, p->is.gpu);
	table_text(t, UUID, p->is.uuid);
	table_int(t, PID, p->is.pid);
	table_text(t, USER, p->user);
	if (p->is.uid >= 0)
		table_int(t, UID, p->is.uid);
	table_flag(t, MINE, p->mine);
	table_text(t, JOB, p->job);
	if (!isnan(p->is.memory)) {
		memory = nodes_memory_text((int64_t)p->is.memory);
		table_real(t, MEMORY, p->is.memory * NODES_MIB);
		table_show(t, MEMORY, memory);
	}
	table_text(t, COMMAND, p->is.command);
	if (p->judgement != NODES_UNKNOWN)
		table_flag(t, VIOLATION, p->judgement == NODES_VIOLATION);
	if (p->job == NULL)
		table_show(t, JOB,
		    p->judgement == NODES_VIOLATION ? "none" : "unknown");
	table_show(
	    t, VIOLATION, p->judgement == NODES_VIOLATION ? "VIOLATION" : NULL);
	if (p->judgement == NODES_VIOLATION)
		table_paint(t, VIOLATION, TABLE_RED);
	free(memory);
}

void
nodes_show_processes(FILE *out, const struct nodes_processes *all,
    const struct nodes_style *look)
{
	struct table_look how = {look->format, look->width, look->colors, NULL};
	struct table *t = table_new(out, columns, COLUMNS, &how);
	size_t i;

	for (i = 0; i < all->count; i++)
		put(t, &all->process[i]);
	table_end(t);
}

char *
nodes_process_json(const struct nodes_process *p)
{
	struct table_look how = {TABLE_JSONL, 0, 0, NULL};
	size_t length;
	char *text;
	FILE *out = xmemopen(&text, &length);
	struct table *t = table_new(out, columns, COLUMNS, &how);

	put(t, p);
	table_end(t);
	xmemclose(out);
	return text;
}
