#include <stdlib.h>
#include <time.h>

#include "base/hostlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "nodes/calendar-hold.h"
#include "nodes/private.h"

enum { MINUTE = 60, HOUR = 3600 };

/* What is being collected. */
struct collect {
	const struct queue_cluster *cluster;
	const char *chosen;
	int64_t now, until;
	struct nodes_holds *out;
};

static void
add(struct collect *c, struct nodes_hold hold)
{
	struct nodes_holds *out = c->out;

	if (!c->chosen[hold.node - c->cluster->node] || hold.from >= c->until ||
	    (hold.to != 0 && hold.to <= c->now))
		return;
	out->hold = xgrow(out->hold, out->count, sizeof *out->hold);
	out->hold[out->count++] = hold;
}

/* The same on each of some nodes, in shares. */
static void
add_nodes(struct collect *c, const char *list, const struct nodes_hold *hold)
{
	struct words names = {0};
	struct nodes_hold one;
	size_t i;

	if (*list != '\0')
		hosts_expand(list, &names, NULL);
	for (i = 0; i < names.count; i++) {
		one = *hold;
		one.node = nodes_find(c->cluster, names.word[i]);
		if (one.node == NULL)
			continue;
		one.gpus = nodes_share(hold->gpus, names.count, i);
		one.cpus = nodes_share(hold->cpus, names.count, i);
		one.whole = hold->whole || one.cpus >= one.node->cpus;
		add(c, one);
	}
	words_free(&names);
}

static void
add_job(struct collect *c, const struct queue_use *u)
{
	struct nodes_hold hold = {
	    .use = u->running ? CALENDAR_RUNNING : CALENDAR_EXPECTED,
	    .mine = u->mine,
	    .job = u->job,
	    .name = u->name,
	    .user = u->user,
	    .partition = u->partition,
	    .gpus = u->gpus,
	    .cpus = u->cpus,
	    .from = u->start,
	    .to = u->end,
	};

	/* It ends, or Slurm is late: for a moment it still has its nodes. */
	if (u->running && u->end != 0 && u->end <= c->now)
		hold.to = c->now + MINUTE;
	if (!u->running && *u->nodes == '\0')
		c->out->unplaced += u->start < c->until;
	add_nodes(c, u->nodes, &hold);
}

/* ---- reservations ---- */

/* After how many days it comes back, or 0. */
static int
days_between(const struct queue_reservation *r)
{
	if (text_lists(r->flags, "WEEKLY"))
		return 7;
	return text_lists(r->flags, "DAILY") ||
	    text_lists(r->flags, "WEEKDAY") || text_lists(r->flags, "WEEKEND");
}

static int64_t
days_later(int64_t at, int days)
{
	time_t when = (time_t)at;
	struct tm tm;

	localtime_r(&when, &tm);
	tm.tm_mday += days;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm);
}

/*
 * When it comes back for the n-th time: 0, or -1 when it does not.  The time of
 * day stays, as Slurm has it, although a day has 23 or 25 hours where the
 * clocks are changed.
 */
static int
come_back(const struct queue_reservation *r, int n, struct nodes_hold *hold)
{
	int days = days_between(r);

	if (text_lists(r->flags, "HOURLY")) {
		hold->from = r->start + (int64_t)n * HOUR;
		hold->to = r->end + (int64_t)n * HOUR;
		return 0;
	}
	if (days == 0)
		return -1;
	hold->from = days_later(r->start, n * days);
	hold->to = days_later(r->end, n * days);
	return 0;
}

static int
is_weekend(int64_t at)
{
	time_t when = (time_t)at;
	struct tm tm;

	localtime_r(&when, &tm);
	return tm.tm_wday == 0 || tm.tm_wday == 6;
}

static void
add_reservation(struct collect *c, const struct queue_reservation *r)
{
	struct nodes_hold hold = {
	    .use = CALENDAR_RESERVED,
	    .mine = r->mine,
	    .name = r->name,
	    .user = *r->users != '\0' ? r->users : r->accounts,
	    .gpus = r->gpus,
	    .cpus = r->cpus,
	    .whole = r->gpus == 0 && r->cpus == 0,
	    .from = r->start,
	    .to = r->end,
	};
	int n = 0;

	do
		if ((!text_lists(r->flags, "WEEKDAY") ||
			!is_weekend(hold.from)) &&
		    (!text_lists(r->flags, "WEEKEND") || is_weekend(hold.from)))
			add_nodes(c, r->nodes, &hold);
	while (come_back(r, ++n, &hold) == 0 && hold.from < c->until);
}

/* ---- all of it ---- */

static void
add_down(struct collect *c)
{
	const struct queue_node *n;
	size_t i;

	for (i = 0; i < c->cluster->nodes; i++) {
		n = &c->cluster->node[i];
		if (n->usable)
			continue;
		add(c,
		    (struct nodes_hold){.node = n,
			.use = CALENDAR_DOWN,
			.name = n->reason,
			.whole = 1});
	}
}

/* ---- what is hidden ---- */

static int
sees_others(const struct queue_uses *uses)
{
	size_t i;

	for (i = 0; i < uses->uses; i++)
		if (uses->use[i].running && !uses->use[i].mine)
			return 1;
	return 0;
}

static int64_t
gpus_used(const struct queue_node *n)
{
	struct queue_gpus gpu[NODES_TYPES];
	size_t types = queue_node_gpus(n, gpu, NODES_TYPES), i;
	int64_t used = 0;

	for (i = 0; i < types; i++)
		used += (int64_t)gpu[i].used;
	return used;
}

/*
 * Where a site hides the jobs of others, what is in use beyond those that are
 * seen is theirs, and nobody knows until when.  Where they are seen, a
 * difference is only what has changed between two questions.
 */
static void
add_hidden(struct collect *c)
{
	const struct queue_cluster *cluster = c->cluster;
	struct nodes_hold hold = {.use = CALENDAR_RUNNING};
	int64_t *gpus = xcalloc(cluster->nodes + 1, sizeof *gpus);
	int64_t *cpus = xcalloc(cluster->nodes + 1, sizeof *cpus);
	const struct nodes_hold *h;
	size_t i;

	for (i = 0; i < c->out->count; i++) {
		h = &c->out->hold[i];
		if (h->use == CALENDAR_RUNNING) {
			gpus[h->node - cluster->node] += h->gpus;
			cpus[h->node - cluster->node] += h->cpus;
		}
	}
	for (i = 0; i < cluster->nodes; i++) {
		hold.node = &cluster->node[i];
		hold.gpus = gpus_used(hold.node) - gpus[i];
		hold.cpus = hold.node->cpus_used - cpus[i];
		hold.gpus = hold.gpus > 0 ? hold.gpus : 0;
		hold.cpus = hold.cpus > 0 ? hold.cpus : 0;
		hold.whole = hold.cpus >= hold.node->cpus;
		if (hold.gpus > 0 || hold.cpus > 0)
			add(c, hold);
	}
	free(gpus);
	free(cpus);
}

static int
compare(const void *pa, const void *pb)
{
	const struct nodes_hold *a = pa, *b = pb;
	int order = hosts_compare(a->node->name, b->node->name);

	if (order == 0)
		order = (a->from > b->from) - (a->from < b->from);
	if (order == 0)
		order = (int)a->use - (int)b->use;
	return order;
}

void
nodes_holds(const struct queue_cluster *cluster, const struct queue_uses *uses,
    const char *chosen, int64_t now, int64_t until, struct nodes_holds *out)
{
	struct collect c = {cluster, chosen, now, until, out};
	size_t i;

	*out = (struct nodes_holds){NULL, 0, 0};
	add_down(&c);
	for (i = 0; i < uses->uses; i++)
		add_job(&c, &uses->use[i]);
	if (!sees_others(uses))
		add_hidden(&c);
	for (i = 0; i < uses->reservations; i++)
		add_reservation(&c, &uses->reservation[i]);
	if (out->count > 0)
		qsort(out->hold, out->count, sizeof *out->hold, compare);
}

void
nodes_holds_free(struct nodes_holds *h)
{
	free(h->hold);
	*h = (struct nodes_holds){NULL, 0, 0};
}
