#include <string.h>

#include "base/strlist.h"
#include "base/xalloc.h"
#include "metrics/private.h"

/*
 * Records have no header: their names are known only when they appear.  The
 * summary follows the best names so far, and starts again when a better name
 * appears.  That happens finitely often, because each name is better than the
 * one before.
 */

/* The columns of a row that is passed to the summary of records. */
enum { X, OBJECTIVE, COLUMNS };

struct summing {
	struct metrics_summary *s;
	const struct metrics_request *request;
	const char *prefix;
	struct metrics_header seen; /* the names so far */
	size_t last;                /* the index found most recently */
	int again;
};

/* Add a name unless it is known.  Returns whether it was new. */
static int
meet(struct summing *g, const char *name)
{
	struct metrics_header *h = &g->seen;

	if (record_find_name(h->name, h->count, name, &g->last) != -1 ||
	    h->count == RECORD_VALUES)
		return 0;
	h->name = xgrow(h->name, h->count, sizeof *h->name);
	h->kind = xgrow(h->kind, h->count, sizeof *h->kind);
	h->name[h->count] = xstrdup(name);
	h->kind[h->count] = 1;
	g->last = h->count++;
	return 1;
}

/* Write the name of a value, shortened as in a summary. */
static void
short_name(const struct summing *g, const struct record *r, size_t i,
    char out[METRICS_NAME])
{
	char whole[RECORD_NAME];

	metrics_copy_name(out,
	    record_name(
		(enum record_format)g->s->format, g->prefix, r, i, whole));
}

/* Return the index of the first metric, after an event's step and time. */
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

/*
 * Learn the names of a record.  Returns whether they change the columns to
 * follow; the summary then has only the new names.
 */
static int
learn(struct summing *g, const struct record *r)
{
	char name[METRICS_NAME], x[METRICS_NAME], metric[METRICS_NAME];
	const struct metrics_header *h = &g->seen;
	struct metrics_summary *s = g->s;
	int fresh = s->columns == 0, column, format = s->format;
	size_t i;

	for (i = first_metric(s); i < r->count; i++) {
		short_name(g, r, i, name);
		fresh |= meet(g, name);
	}
	if (!fresh)
		return 0;
	column = g->request->metric != NULL
	    ? metrics_column(h, g->request->metric)
	    : metrics_guess_objective(h);
	metrics_copy_name(metric, column >= 0 ? h->name[column] : "");
	column = metrics_guess_x(h);
	metrics_copy_name(x, column >= 0 ? h->name[column] : "");
	/*
	 * An event has the step of its own metrics only.  The first event with
	 * the metric decides, so that this does not change again.
	 */
	if (format == RECORD_EVENTS)
		metrics_copy_name(x,
		    *s->x_name == '\0' ||
			    (find(g, r, metric) != METRICS_NONE &&
				(s->values == 0 ||
				    strcmp(s->metric, metric) != 0))
			? r->name[0]
			: s->x_name);
	if (s->columns == 0) {
		s->columns = COLUMNS;
		s->x_column = *x != '\0' ? X : METRICS_NONE;
		s->column = *metric != '\0' ? OBJECTIVE : METRICS_NONE;
		metrics_copy_name(s->x_name, x);
		metrics_name_objective(s, metric);
		s->goal = g->request->goal == METRICS_GOAL_BY_NAME
		    ? (int)metrics_goal(metric)
		    : g->request->goal;
	}
	if (strcmp(s->x_name, x) == 0 && strcmp(s->metric, metric) == 0)
		return 0;
	metrics_summary_reset(s);
	s->format = format;
	metrics_copy_name(s->x_name, x);
	metrics_name_objective(s, metric);
	return 1;
}

/* Return the value of a name in the record, or "". */
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
		/* Other metrics' events do not tell how far this metric is. */
		if (s->column != METRICS_NONE && *field[OBJECTIVE] == '\0')
			return 0;
		field[X] = (char *)(uintptr_t)r->value[0];
	} else {
		field[X] = field_of(g, r, s->x_name);
	}
	metrics_take_row(s, g->request, field, COLUMNS);
	return 0;
}

int
metrics_summary_events(struct metrics_summary *s,
    const struct metrics_request *request, const char *prefix,
    struct metrics_mark *mark, const char *bytes, size_t length, int ended)
{
	struct summing g = {.s = s, .request = request, .prefix = prefix};
	struct record_reader r = {.format = (enum record_format)s->format,
	    .pattern = request->pattern,
	    .ended = ended,
	    .headed = s->headed,
	    .heading = s->heading};
	const struct record_pattern *p = request->pattern;
	size_t skipped = mark->skip < length ? (size_t)mark->skip : length, i;

	mark->skip -= skipped;
	/* Add the names that are known before anything is read. */
	if (*s->metric != '\0')
		meet(&g, s->metric);
	if (*s->x_name != '\0' && s->format != RECORD_EVENTS)
		meet(&g, s->x_name);
	for (i = 0; p != NULL && i < record_pattern_names(p)->count; i++)
		meet(&g, record_pattern_names(p)->word[i]);
	record_read(&r, bytes + skipped, length - skipped, take_record, &g);
	metrics_header_free(&g.seen);
	if (g.again)
		return 1;
	s->headed = r.headed;
	s->heading = r.heading;
	mark->offset += skipped + r.taken;
	mark->skip += r.skip;
	s->offset += skipped + r.taken;
	s->damaged += r.damaged;
	return 0;
}

int
metrics_summary_read(struct metrics_summary *s,
    const struct metrics_request *request, const char *bytes, size_t length,
    int ended, struct error *e)
{
	struct metrics_mark mark = {s->offset, s->skip};
	const char *hole = NULL;
	int again;

	if (s->columns == 0)
		s->format = request->pattern != NULL
		    ? (int)RECORD_TEXT
		    : (int)record_recognise(bytes, length);
	if (s->format == RECORD_ROWS)
		return metrics_feed(s, request, bytes, length, ended, e);
	if (s->format != RECORD_EVENTS)
		hole = memchr(bytes, '\0', length);
	if (hole != NULL && !ended)
		length = (size_t)(hole - bytes);
	again =
	    metrics_summary_events(s, request, "", &mark, bytes, length, ended);
	if (again)
		return 1;
	s->skip = mark.skip;
	if (hole == NULL || ended)
		return 0;
	return error_set(e, "a NUL byte at byte %llu",
	    (unsigned long long)(s->offset + (uint64_t)(hole - bytes)));
}
