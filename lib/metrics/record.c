#include <string.h>

#include "base/xalloc.h"
#include "metrics/private.h"

/*
 * Records have no header: which names there are shows as they come.  The best
 * names so far are followed; when a better one comes, the summary begins again
 * with it.  Each is better than the one before, so that has an end.
 */

/* A row of a summary of records. */
enum { X, OBJECTIVE, COLUMNS };

struct summing {
	struct metrics_summary *s;
	const struct metrics_wish *wish;
	const char *prefix;
	struct metrics_header seen; /* the names met so far */
	size_t last;                /* the one met last */
	int again;
};

static void
add_name(struct summing *g, const char *name)
{
	struct metrics_header *h = &g->seen;

	h->name = xgrow(h->name, h->count, sizeof *h->name);
	h->kind = xgrow(h->kind, h->count, sizeof *h->kind);
	h->name[h->count] = xstrdup(name);
	h->kind[h->count++] = 1;
}

/* Whether the name is a new one, which is then known. */
static int
meet(struct summing *g, const char *name)
{
	struct metrics_header *h = &g->seen;
	size_t i, k;

	/* Records have their names in the same order, as a rule. */
	for (k = 1; k <= h->count; k++) {
		i = (g->last + k) % h->count;
		if (strcmp(h->name[i], name) == 0) {
			g->last = i;
			return 0;
		}
	}
	if (h->count == RECORD_VALUES)
		return 0;
	add_name(g, name);
	g->last = h->count - 1;
	return 1;
}

/* The name of a value, as summaries have it. */
static void
short_name(const struct summing *g, const struct record *r, size_t i,
    char out[METRICS_NAME])
{
	char whole[RECORD_NAME];

	record_name((enum record_format)g->s->format, g->prefix, r, i, whole,
	    sizeof whole);
	metrics_copy_name(out, whole);
}

/* The step and the time of an event are no metrics. */
static size_t
first_metric(const struct metrics_summary *s)
{
	return s->format == RECORD_EVENTS ? 2 : 0;
}

static int
find(const struct summing *g, const struct record *r, const char *name)
{
	char mine[METRICS_NAME];
	size_t i;

	for (i = first_metric(g->s); i < r->count; i++) {
		short_name(g, r, i, mine);
		if (strcmp(mine, name) == 0)
			return (int)i;
	}
	return METRICS_NONE;
}

/* The best names there are so far. */
static void
choose(const struct summing *g, const struct record *r, char x[METRICS_NAME],
    char metric[METRICS_NAME])
{
	const struct metrics_header *h = &g->seen;
	int column = g->wish->metric != NULL
	    ? metrics_column(h, g->wish->metric)
	    : metrics_guess_objective(h);
	int along = metrics_guess_x(h);

	metrics_copy_name(metric, column >= 0 ? h->name[column] : "");
	metrics_copy_name(x, along >= 0 ? h->name[along] : "");
	/* An event has the step of what it is about. */
	if (g->s->format == RECORD_EVENTS)
		metrics_copy_name(x,
		    find(g, r, metric) != METRICS_NONE || *g->s->x_name == '\0'
			? r->name[0]
			: g->s->x_name);
}

static void
settle(struct summing *g, const char *x, const char *metric)
{
	struct metrics_summary *s = g->s;

	s->columns = COLUMNS;
	s->x_column = *x != '\0' ? X : METRICS_NONE;
	s->column = *metric != '\0' ? OBJECTIVE : METRICS_NONE;
	metrics_copy_name(s->x_name, x);
	metrics_name_objective(s, metric);
	s->goal = g->wish->goal == METRICS_GOAL_BY_NAME
	    ? (int)metrics_goal(metric)
	    : g->wish->goal;
}

/* Begin again, with these names. */
static void
restart(struct metrics_summary *s, const char *x, const char *metric)
{
	int format = s->format;

	metrics_summary_reset(s);
	s->format = format;
	metrics_copy_name(s->x_name, x);
	metrics_name_objective(s, metric);
}

/* Know the names of a record: returns whether they change what to follow. */
static int
learn(struct summing *g, const struct record *r)
{
	char name[METRICS_NAME], x[METRICS_NAME], metric[METRICS_NAME];
	struct metrics_summary *s = g->s;
	int fresh = s->columns == 0;
	size_t i;

	for (i = first_metric(s); i < r->count; i++) {
		short_name(g, r, i, name);
		fresh |= meet(g, name);
	}
	if (!fresh)
		return 0;
	choose(g, r, x, metric);
	if (s->columns == 0)
		settle(g, x, metric);
	if (strcmp(s->x_name, x) == 0 && strcmp(s->metric, metric) == 0)
		return 0;
	restart(s, x, metric);
	return 1;
}

/* The value of that name in the record, or "". */
static char *
field_of(const struct summing *g, const struct record *r, const char *name)
{
	int i = *name != '\0' ? find(g, r, name) : METRICS_NONE;

	return (char *)(uintptr_t)(i != METRICS_NONE ? r->value[i] : "");
}

static int
take_record(void *arg, const struct record *r, size_t taken)
{
	struct summing *g = arg;
	struct metrics_summary *s = g->s;
	char *field[COLUMNS];

	(void)taken;
	if (learn(g, r)) {
		g->again = 1;
		return 1;
	}
	field[OBJECTIVE] = field_of(g, r, s->metric);
	if (s->format == RECORD_EVENTS) {
		/* Others of another file say nothing of how far this is. */
		if (s->column != METRICS_NONE && *field[OBJECTIVE] == '\0')
			return 0;
		field[X] = (char *)(uintptr_t)r->value[0];
	} else {
		field[X] = field_of(g, r, s->x_name);
	}
	metrics_take_row(s, field, COLUMNS);
	return 0;
}

/* The names that are known before anything is read. */
static void
begin(struct summing *g)
{
	const struct record_pattern *p = g->wish->pattern;
	size_t i;

	if (*g->s->metric != '\0')
		meet(g, g->s->metric);
	if (*g->s->x_name != '\0' && g->s->format != RECORD_EVENTS)
		meet(g, g->s->x_name);
	for (i = 0; p != NULL && i < record_pattern_count(p); i++)
		meet(g, record_pattern_name(p, i));
}

/* Pass over what is left of a record that nobody needs. */
static size_t
pass_over(struct metrics_mark *mark, size_t length)
{
	size_t n = mark->skip < length ? (size_t)mark->skip : length;

	mark->skip -= n;
	return n;
}

int
metrics_summary_events(struct metrics_summary *s,
    const struct metrics_wish *wish, const char *prefix,
    struct metrics_mark *mark, const char *bytes, size_t length, int ended)
{
	struct summing g = {.s = s, .wish = wish, .prefix = prefix};
	struct record_reader r = {.format = (enum record_format)s->format,
	    .pattern = wish->pattern,
	    .ended = ended};
	size_t passed = pass_over(mark, length);

	begin(&g);
	record_read(&r, bytes + passed, length - passed, take_record, &g);
	metrics_header_free(&g.seen);
	if (g.again)
		return 1;
	mark->offset += passed + r.taken;
	mark->skip += r.skip;
	s->offset += passed + r.taken;
	s->damaged += r.damaged;
	return 0;
}

/* What the bytes at the start of a log are. */
static enum record_format
format_of(const struct metrics_wish *wish, const char *bytes, size_t length)
{
	return wish->pattern != NULL ? RECORD_TEXT
				     : record_recognise(bytes, length);
}

int
metrics_summary_read(struct metrics_summary *s, const struct metrics_wish *wish,
    const char *bytes, size_t length, int ended, struct error *e)
{
	struct metrics_mark mark = {s->offset, s->skip};
	const char *hole = NULL;
	int again;

	if (s->columns == 0)
		s->format = (int)format_of(wish, bytes, length);
	if (s->format == RECORD_ROWS)
		return metrics_summary_feed(
		    s, wish->metric, wish->goal, bytes, length, ended, e);
	if (s->format != RECORD_EVENTS)
		hole = memchr(bytes, '\0', length);
	if (hole != NULL && !ended)
		length = (size_t)(hole - bytes);
	again =
	    metrics_summary_events(s, wish, "", &mark, bytes, length, ended);
	if (again)
		return 1;
	s->skip = mark.skip;
	if (hole == NULL || ended)
		return 0;
	return error_set(e, "a NUL byte at byte %llu",
	    (unsigned long long)(s->offset + (uint64_t)(hole - bytes)));
}
