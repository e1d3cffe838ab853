/* The search of a job: its pruner, and what became of its tasks at each rung.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "state/resolve.h"
#include "state/search.h"
#include "status/private.h"
#include "term/table.h"

enum { RUNG, REACHED, CONTINUED, STOPPED, NEEDED, BEST, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    [RUNG] = {.head = "RUNG"},
    [REACHED] = {.head = "REACHED", .right = 1},
    [CONTINUED] = {.head = "CONTINUED", .right = 1},
    [STOPPED] = {.head = "STOPPED", .right = 1},
    [NEEDED] = {.head = "NEEDED", .right = 1},
    [BEST] = {.head = "BEST", .right = 1},
};

/* What became of the tasks that reached a rung, in all brackets. */
struct rung {
	int64_t epoch; /* INT64_MAX: the end of the training */
	uint64_t reached, continued, stopped;
	double best, needed; /* nan: none */
	int mixed;           /* several brackets have the rung */
};

struct rungs {
	const struct job_search *search;
	struct rung *rung;
	size_t count; /* without the end, which comes after the last */
};

static int
is_better(const struct job_search *s, double a, double b)
{
	if (!isfinite(a) || !isfinite(b))
		return isfinite(a) && !isfinite(b);
	return s->pruner.higher ? a > b : a < b;
}

/* Add up the values of a rung of a bracket. */
static void
add_rung(struct rungs *all, const struct job_board_rung *r)
{
	struct rung *last = all->count > 0 ? &all->rung[all->count - 1] : NULL;
	struct search_standing s;
	size_t i;

	if (last == NULL || last->epoch != r->epoch) {
		all->rung = xgrow(all->rung, all->count, sizeof *all->rung);
		last = &all->rung[all->count++];
		*last = (struct rung){r->epoch, .best = NAN, .needed = NAN};
	} else {
		last->mixed = 1;
	}
	last->reached += r->count;
	for (i = 0; i < r->count; i++)
		if (is_better(all->search, r->value[i].value, last->best))
			last->best = r->value[i].value;
	if (r->count == 0)
		return;
	search_judge(
	    &all->search->pruner, r->value, r->count, &r->value[0], &s);
	last->needed = s.needed;
}

/* Count where a task was stopped, or that it went on. */
static void
add_task(struct rungs *all, const struct store_row *row)
{
	struct stop_pruned why = {.epoch = 0};
	struct rung *end = &all->rung[all->count];
	int stopped =
	    state_is_pruned(row) && stop_pruned_read(row->cause, &why);
	int finished = row->state == STORE_FINISHED, after = finished;
	size_t i;

	for (i = all->count; i > 0; i--) {
		all->rung[i - 1].stopped +=
		    stopped && all->rung[i - 1].epoch == why.epoch;
		if (!job_rungs_has(row->rungs, all->rung[i - 1].epoch))
			continue;
		all->rung[i - 1].continued += (uint64_t)after;
		after = 1;
	}
	end->reached += (uint64_t)finished;
	if (finished && row->metrics.has_best &&
	    is_better(all->search, row->metrics.best, end->best))
		end->best = row->metrics.best;
}

static void
put_value(struct table *t, size_t column, double value)
{
	char text[NUM_TEXT];

	if (isfinite(value))
		table_show(t, column, num_short(value, 6, text));
}

static void
put_count(struct table *t, size_t column, uint64_t count)
{
	char text[NUM_TEXT];

	snprintf(text, sizeof text, "%" PRIu64, count);
	table_show(t, column, text);
}

static void
put_rungs(FILE *out, const struct rungs *all, const struct show_style *look)
{
	struct table_look how = {TABLE_TEXT, look->width, look->colors, NULL};
	struct table *t = table_new(out, columns, COLUMNS, &how);
	const struct rung *r;
	size_t i;

	for (i = 0; i <= all->count; i++) {
		r = &all->rung[i];
		table_row(t);
		if (i < all->count)
			put_count(t, RUNG, (uint64_t)r->epoch);
		else
			table_show(t, RUNG, "end");
		put_count(t, REACHED, r->reached);
		put_value(t, BEST, r->best);
		if (i == all->count)
			continue;
		put_count(t, CONTINUED, r->continued);
		put_count(t, STOPPED, r->stopped);
		if (!r->mixed)
			put_value(t, NEEDED, r->needed);
	}
	table_end(t);
}

/* Make and print the table of the rungs. */
static void
show_rungs(FILE *out, const struct job_search *search, struct job_view *v,
    const struct show_style *look)
{
	struct job_board *board = job_board_new(search);
	struct rungs all = {search, NULL, 0};
	uint64_t task;
	size_t i;

	for (task = 0; task < v->table->count; task++) {
		job_board_add(
		    board, task, store_table_row(v->table, task)->rungs);
		store_table_forget(v->table, task);
	}
	for (i = 0; i < board->rungs; i++)
		add_rung(&all, &board->rung[i]);
	job_board_free(board);
	all.rung = xgrow(all.rung, all.count, sizeof *all.rung);
	all.rung[all.count] = (struct rung){INT64_MAX, .best = NAN};
	for (task = 0; task < v->table->count; task++) {
		add_task(&all, store_table_row(v->table, task));
		store_table_forget(v->table, task);
	}
	put_rungs(out, &all, look);
	free(all.rung);
}

void
show_search(FILE *out, struct job_view *v, const struct show_style *look)
{
	struct flow f = {out, look->width, 2};
	struct job_search search;
	char *pruner;

	if (!job_search_of(v->job, &search))
		return;
	pruner = search_pruner_text(&search.pruner);
	flow_word(&f, 0, "search:");
	flow_word(&f, 1, pruner);
	free(pruner);
	if (search.epochs > 0)
		show_text(&f, 2, "of %" PRId64 " epochs", search.epochs);
	else
		flow_text(&f, 2,
		    "nothing is stopped until the number of epochs is known: "
		    "a task finishes, or stfm-set --epochs N says it");
	flow_end(&f);
	if (search.epochs > 0)
		show_rungs(out, &search, v, look);
}
