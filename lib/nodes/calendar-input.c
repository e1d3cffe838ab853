/* The calendar of the nodes, as a drawing and as rows for programs. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hostlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "nodes/calendar-input.h"
#include "nodes/private.h"
#include "term/flow.h"

enum { DAY = 24 * 3600, STANDARD = 80 };

/* ---- rows ---- */

/* The rows of a node: one for each GPU, or one for the node. */
struct node_rows {
	const struct queue_node *node;
	struct calendar_row *row;
	size_t count;
	int has_gpus;
};

static void
add_span(struct calendar_row *row, const struct nodes_hold *h, double amount,
    int64_t until)
{
	row->span = xgrow(row->span, row->spans, sizeof *row->span);
	row->span[row->spans++] = (struct calendar_span){
	    .from = h->from,
	    .to = h->to == 0 ? until + DAY : h->to,
	    .amount = amount,
	    .use = h->use,
	    .mine = h->mine,
	};
}

/* Return whether a row has no other job (or reservation, like h) during h. */
static int
is_free(const struct calendar_row *row, const struct nodes_hold *h)
{
	const struct calendar_span *s;
	size_t i;

	for (i = 0; i < row->spans; i++) {
		s = &row->span[i];
		if ((s->use == CALENDAR_RESERVED) ==
			(h->use == CALENDAR_RESERVED) &&
		    s->use != CALENDAR_DOWN &&
		    s->from < (h->to == 0 ? INT64_MAX : h->to) &&
		    h->from < s->to)
			return 0;
	}
	return 1;
}

/*
 * Enter h into the rows of its node.  Slurm reports only how many GPUs a job
 * has, not which: take free GPUs, and other GPUs only if there are too few.
 */
static void
take(struct node_rows *l, const struct nodes_hold *h, int64_t until)
{
	size_t wanted = h->gpus > 0 ? (size_t)h->gpus : h->whole ? l->count : 0;
	size_t i, pass;
	char *taken;

	if (!l->has_gpus) {
		add_span(&l->row[0], h,
		    h->whole ? l->row[0].capacity : (double)h->cpus, until);
		return;
	}
	taken = xcalloc(l->count + 1, 1);
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < l->count && wanted > 0; i++) {
			if (taken[i] || (pass == 0 && !is_free(&l->row[i], h)))
				continue;
			add_span(&l->row[i], h, 1, until);
			taken[i] = 1;
			wanted--;
		}
	free(taken);
}

/* ---- GPUs that no job can get ---- */

static int
compare_times(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Return whether h is a job.  A reservation alone does not use CPUs. */
static int
is_job(const struct nodes_hold *h)
{
	return h->use == CALENDAR_RUNNING || h->use == CALENDAR_EXPECTED;
}

static int64_t
end_of(const struct nodes_hold *h)
{
	return h->to == 0 ? INT64_MAX : h->to;
}

/* Mark the GPUs that are free between from and to as in use. */
static void
block_gpus(struct node_rows *l, int64_t from, int64_t to, int64_t until)
{
	const struct nodes_hold none = {
	    .use = CALENDAR_RUNNING, .from = from, .to = to};
	size_t i;

	for (i = 0; i < l->count; i++)
		if (is_free(&l->row[i], &none))
			add_span(&l->row[i], &none, 1, until);
}

/* Block GPUs while jobs have all CPUs of the node. */
static void
block_without_cpus(struct node_rows *l, const struct nodes_hold *hold,
    size_t count, int64_t until)
{
	int64_t *at = xcalloc(2 * count + 1, sizeof *at), cpus;
	size_t times = 0, i, k;

	for (i = 0; i < count; i++) {
		if (!is_job(&hold[i]))
			continue;
		at[times++] = hold[i].from;
		at[times++] = end_of(&hold[i]);
	}
	qsort(at, times, sizeof *at, compare_times);
	for (i = 0; i + 1 < times; i++) {
		for (cpus = 0, k = 0; k < count; k++)
			if (is_job(&hold[k]) && hold[k].from <= at[i] &&
			    end_of(&hold[k]) > at[i])
				cpus += hold[k].cpus;
		if (at[i] < at[i + 1] && cpus >= l->node->cpus)
			block_gpus(l, at[i],
			    at[i + 1] == INT64_MAX ? 0 : at[i + 1], until);
	}
	free(at);
}

/* Block the GPUs of a node that has no CPUs or no memory left. */
static void
block_unusable(struct node_rows *l, const struct nodes_hold *hold, size_t count,
    int64_t until)
{
	int64_t end = INT64_MAX;
	size_t i;

	if (!l->has_gpus || count == 0)
		return;
	if (l->node->cpus > 0)
		block_without_cpus(l, hold, count, until);
	if (!nodes_memory_gone(l->node))
		return;
	/* The memory of each job is unknown: block until the first job ends. */
	for (i = 0; i < count; i++)
		if (hold[i].use == CALENDAR_RUNNING && end_of(&hold[i]) < end)
			end = end_of(&hold[i]);
	block_gpus(l, 0, end == INT64_MAX ? 0 : end, until);
}

/* ---- all rows ---- */

/* Return all rows, filled from h, which is in the order of node; to free. */
static struct calendar_row *
make_rows(const struct queue_node *const *node, size_t count,
    const struct nodes_holds *h, int64_t until, size_t *rows)
{
	struct calendar_row *row;
	struct node_rows l;
	size_t all = 0, i, k = 0, n, first, gpus;

	for (i = 0; i < count; i++)
		all += 1 + nodes_gpus(node[i]);
	row = xcalloc(all + 1, sizeof *row);
	*rows = 0;
	for (i = 0; i < count; i++) {
		gpus = nodes_gpus(node[i]);
		l = (struct node_rows){
		    node[i], row + *rows, gpus > 0 ? gpus : 1, gpus > 0};
		for (n = 0; n < l.count; n++)
			l.row[n] = (struct calendar_row){
			    .node = node[i]->name,
			    .unit = gpus > 0 ? "GPU" : NULL,
			    .units = "GPUs",
			    .capacity = gpus > 0    ? 1
				: node[i]->cpus > 0 ? (double)node[i]->cpus
						    : 1,
			};
		*rows += l.count;
		first = k;
		for (; k < h->count && h->hold[k].node == node[i]; k++)
			take(&l, &h->hold[k], until);
		block_unusable(&l, h->hold + first, k - first, until);
	}
	return row;
}

/* ---- reservations by name ---- */

static int
is_of(const struct nodes_hold *h, const struct nodes_hold *one)
{
	return h->use == CALENDAR_RESERVED && strcmp(h->name, one->name) == 0;
}

/* Write a line about a reservation.  The user needs its name to end it. */
static void
name_reservation(FILE *out, const struct nodes_holds *h,
    const struct nodes_hold *one, const struct nodes_style *look)
{
	struct flow f = {out, look->width > 0 ? look->width : STANDARD, 2};
	char from[TABLE_TIME], to[TABLE_TIME], *nodes, *text, *more = NULL;
	struct strlist names = {0};
	size_t times = 0, i;

	for (i = 0; i < h->count; i++) {
		if (!is_of(&h->hold[i], one))
			continue;
		times += h->hold[i].node == one->node;
		if (h->hold[i].from == one->from)
			strlist_push(&names, h->hold[i].node->name);
	}
	if (times > 1)
		more = xasprintf(
		    ", and %zu more time%s", times - 1, times == 2 ? "" : "s");
	nodes = hostlist_fold(&names);
	text = xasprintf("%s reserved for %s on %s, from %s to %s%s", one->name,
	    one->user, nodes, nodes_time(one->from, from),
	    nodes_time(one->to, to), more != NULL ? more : "");
	flow_text(&f, 0, text);
	flow_end(&f);
	free(text);
	free(nodes);
	free(more);
	strlist_free(&names);
}

static void
draw(FILE *out, const struct queue_cluster *c, const struct nodes_holds *h,
    const char *chosen, const struct nodes_style *look, int64_t now, int days)
{
	const struct calendar_style how = {now, days,
	    look->width > 0 ? look->width : STANDARD, look->charset,
	    look->colors};
	struct calendar_row *row;
	size_t count, rows, i, k;
	const struct queue_node **node = nodes_sorted(c, chosen, &count);

	row = make_rows(node, count, h, now + (int64_t)days * DAY, &rows);
	calendar_draw(out, row, rows, &how);
	for (i = 0; i < h->count; i++) {
		for (k = 0; k < i && !is_of(&h->hold[k], &h->hold[i]);)
			k++;
		if (k == i && h->hold[i].use == CALENDAR_RESERVED)
			name_reservation(out, h, &h->hold[i], look);
	}
	if (h->unplaced > 0)
		fprintf(out,
		    "%zu job%s expected to start where it is not known yet\n",
		    h->unplaced, h->unplaced == 1 ? " is" : "s are");
	for (i = 0; i < rows; i++)
		free(row[i].span);
	free(row);
	free(node);
}

/* ---- rows for programs ---- */

enum {
	NODE,
	USE,
	MINE,
	JOB,
	NAME,
	USER,
	PARTITION,
	GPUS,
	CPUS,
	WHOLE,
	FROM,
	TO,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [NODE] = {.name = "node"},
    [USE] = {.name = "use"},
    [MINE] = {.name = "mine"},
    [JOB] = {.name = "slurm_id"},
    [NAME] = {.name = "name"},
    [USER] = {.name = "user"},
    [PARTITION] = {.name = "partition"},
    [GPUS] = {.name = "gpus"},
    [CPUS] = {.name = "cpus"},
    [WHOLE] = {.name = "whole_node"},
    [FROM] = {.name = "from"},
    [TO] = {.name = "to"},
};

static void
list(FILE *out, const struct nodes_holds *holds, const struct nodes_style *look)
{
	static const char *const uses[] = {
	    "down", "running", "expected", "reserved"};
	struct table_look how = {.format = look->format};
	struct table *t = table_new(out, columns, COLUMNS, &how);
	const struct nodes_hold *h;

	for (h = holds->hold; h < holds->hold + holds->count; h++) {
		table_row(t);
		table_text(t, NODE, h->node->name);
		table_text(t, USE, uses[h->use]);
		table_flag(t, MINE, h->mine);
		table_text(t, JOB, h->job);
		table_text(t, NAME, h->name);
		table_text(t, USER, h->user);
		table_text(t, PARTITION, h->partition);
		table_int(t, GPUS, h->gpus);
		table_int(t, CPUS, h->cpus);
		table_flag(t, WHOLE, h->whole);
		table_time(t, FROM, h->from == 0 ? -1 : h->from);
		table_time(t, TO, h->to == 0 ? -1 : h->to);
	}
	table_end(t);
}

void
nodes_calendar(FILE *out, const struct queue_cluster *c,
    const struct queue_allocations *uses, const char *chosen,
    const struct nodes_style *look, int64_t now, int days)
{
	struct nodes_holds h = {NULL, 0, 0};

	nodes_holds(c, uses, chosen, now, now + (int64_t)days * DAY, &h);
	if (look->format == TABLE_TEXT)
		draw(out, c, &h, chosen, look, now, days);
	else
		list(out, &h, look);
	nodes_holds_free(&h);
}

/* ---- collecting ---- */

enum { MINUTE = 60, HOUR = 3600 };
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

/* Add a hold on each node of a list; the nodes share its GPUs and CPUs. */
static void
add_nodes(struct collect *c, const char *list, const struct nodes_hold *hold)
{
	struct strlist names = {0};
	struct nodes_hold one;
	size_t i;

	if (*list != '\0')
		hostlist_expand(list, &names, NULL);
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
	strlist_free(&names);
}

static void
add_job(struct collect *c, const struct queue_allocation *u)
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

	/* A job past its end still has its nodes for a moment. */
	if (u->running && u->end != 0 && u->end <= c->now)
		hold.to = c->now + MINUTE;
	if (!u->running && *u->nodes == '\0')
		c->out->unplaced += u->start < c->until;
	add_nodes(c, u->nodes, &hold);
}

/* ---- reservations ---- */

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
 * Set hold to the n-th repetition of a reservation.  Returns 0, or -1 if it
 * does not repeat.  As in Slurm, the time of day stays the same on days of 23
 * or 25 hours.
 */
static int
repeat(const struct queue_reservation *r, int n, struct nodes_hold *hold)
{
	int days = 0;

	if (text_lists(r->flags, "HOURLY")) {
		hold->from = r->start + (int64_t)n * HOUR;
		hold->to = r->end + (int64_t)n * HOUR;
		return 0;
	}
	if (text_lists(r->flags, "WEEKLY"))
		days = 7;
	else if (text_lists(r->flags, "DAILY") ||
	    text_lists(r->flags, "WEEKDAY") || text_lists(r->flags, "WEEKEND"))
		days = 1;
	hold->from = days_later(r->start, n * days);
	hold->to = days_later(r->end, n * days);
	return days > 0 ? 0 : -1;
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
	while (repeat(r, ++n, &hold) == 0 && hold.from < c->until);
}

/* ---- hidden jobs ---- */

static int
sees_others(const struct queue_allocations *uses)
{
	size_t i;

	for (i = 0; i < uses->uses; i++)
		if (uses->use[i].running && !uses->use[i].mine)
			return 1;
	return 0;
}

/*
 * Add the use of nodes beyond the known jobs, for sites that hide other users'
 * jobs; its end is unknown.  If jobs of others are visible, a difference is
 * only a change between two queries.
 */
static void
add_hidden(struct collect *c)
{
	const struct queue_cluster *cluster = c->cluster;
	struct queue_gpus gpu[NODES_TYPES];
	struct nodes_hold hold = {.use = CALENDAR_RUNNING};
	int64_t *gpus = xcalloc(cluster->nodes + 1, sizeof *gpus);
	int64_t *cpus = xcalloc(cluster->nodes + 1, sizeof *cpus);
	const struct nodes_hold *h;
	size_t i, k;

	for (i = 0; i < c->out->count; i++) {
		h = &c->out->hold[i];
		if (h->use == CALENDAR_RUNNING) {
			gpus[h->node - cluster->node] += h->gpus;
			cpus[h->node - cluster->node] += h->cpus;
		}
	}
	for (i = 0; i < cluster->nodes; i++) {
		hold.node = &cluster->node[i];
		hold.gpus = -gpus[i];
		hold.cpus = hold.node->cpus_used - cpus[i];
		for (k = queue_node_gpus(hold.node, gpu, NODES_TYPES); k > 0;)
			hold.gpus += (int64_t)gpu[--k].used;
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
	int order = hostlist_compare(a->node->name, b->node->name);

	if (order == 0)
		order = (a->from > b->from) - (a->from < b->from);
	if (order == 0)
		order = (int)a->use - (int)b->use;
	return order;
}

void
nodes_holds(const struct queue_cluster *cluster,
    const struct queue_allocations *uses, const char *chosen, int64_t now,
    int64_t until, struct nodes_holds *out)
{
	struct collect c = {cluster, chosen, now, until, out};
	const struct queue_node *n;
	size_t i;

	*out = (struct nodes_holds){NULL, 0, 0};
	for (n = cluster->node; n < cluster->node + cluster->nodes; n++)
		if (!n->usable)
			add(&c,
			    (struct nodes_hold){.node = n,
				.use = CALENDAR_DOWN,
				.name = n->reason,
				.whole = 1});
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
