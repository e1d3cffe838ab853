/* The search of a job: its pruner, and what became of its tasks at each rung.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "search/sampler.h"
#include "state/resolve.h"
#include "state/search.h"
#include "store/fact.h"
#include "store/facts.h"
#include "store/policy.h"
#include "status/private.h"
#include "term/table.h"

enum {
	RUNG,
	REACHED,
	CONTINUED,
	STOPPED,
	OPEN,
	OTHER,
	NEEDED,
	BEST,
	TASK,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [RUNG] = {.head = "RUNG"},
    [REACHED] = {.head = "REACHED", .right = 1},
    [CONTINUED] = {.head = "CONTINUED", .right = 1, .optional = 1},
    [STOPPED] = {.head = "STOPPED", .right = 1, .optional = 1},
    [OPEN] = {.head = "RUNNING", .right = 1, .optional = 1},
    [OTHER] = {.head = "OTHER", .right = 1, .optional = 1},
    [NEEDED] = {.head = "NEEDED", .right = 1, .optional = 1},
    [BEST] = {.head = "BEST", .right = 1},
    [TASK] = {.head = "TASK", .optional = 1, .drop = 1},
};

/* If there are more rungs, a line shows two, the next four, and so on. */
enum { LINES = 8 };

struct rungs {
	const struct job_search *search;
	struct show_rung *rung;
	size_t count;      /* without the end, which comes after the last */
	const char *units; /* "epochs" or "steps", as the first log counts */
};

/* Return whether the i-th rung of a board begins a line of the table. */
static int
begins(const struct job_board *board, size_t i)
{
	if (i > 0 && board->rung[i].epoch == board->rung[i - 1].epoch)
		return 0;
	return board->rungs <= LINES || (i & (i - 1)) == 0; /* 0, 1, 2, 4 */
}

/* Add the i-th rung of a board and its values. */
static void
add_rung(struct rungs *all, const struct job_board *board, size_t i)
{
	const struct search_pruner *pruner = &all->search->pruner;
	const struct job_board_rung *r = &board->rung[i];
	struct show_rung *last;
	size_t k;

	if (begins(board, i)) {
		all->rung = xgrow(all->rung, all->count, sizeof *all->rung);
		all->rung[all->count++] = (struct show_rung){.epoch = r->epoch,
		    .best = NAN,
		    .needed = NAN,
		    .stops = all->search->pruner.kind != SEARCH_PBT};
	} else {
		all->rung[all->count - 1].mixed = 1;
	}
	last = &all->rung[all->count - 1];
	last->last = r->epoch;
	for (k = 0; k < r->count; k++)
		if (search_is_better(pruner, r->value[k].value, last->best)) {
			last->best = r->value[k].value;
			last->leader = r->value[k].trial;
		}
	if (last->stops && r->count >= search_least(pruner))
		last->needed = search_needed(pruner, r->value, r->count);
}

/* Count what became of a task at each rung. */
static void
add_task(struct rungs *all, const struct store_row *row)
{
	struct show_rung *end = &all->rung[all->count], *at = NULL, *next;
	const char *text = row->rungs;
	struct store_rung rung;

	while (job_rungs_next(&text, &rung)) {
		for (next = at != NULL ? at : all->rung;
		     next < end && next->last < rung.epoch; next++)
			;
		if (next == end || next == at || next->epoch > rung.epoch)
			continue;
		next->reached++;
		if (at != NULL)
			at->continued++;
		at = next;
	}
	if (at != NULL && row->state == STORE_FINISHED)
		at->continued++;
	else if (at != NULL && !store_state_is_final(row->state))
		at->open++;
	else if (at != NULL && state_is_pruned(row) &&
	    stop_pruned_read(row->cause, NULL))
		at->stopped++;
	else if (at != NULL)
		at->others++;
	if (row->state != STORE_FINISHED)
		return;
	end->reached++;
	if (row->metrics.has_best &&
	    search_is_better(
		&all->search->pruner, row->metrics.best, end->best)) {
		end->best = row->metrics.best;
		end->leader = row->task;
	}
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

char *
show_rung_name(const struct show_rung *r)
{
	if (r->epoch == INT64_MAX)
		return xstrdup("end");
	return r->last == r->epoch
	    ? xasprintf("%" PRId64, r->epoch)
	    : xasprintf("%" PRId64 "-%" PRId64, r->epoch, r->last);
}

static void
put_rungs(FILE *out, const struct rungs *all, const struct job_view *v,
    const struct show_style *look)
{
	struct table_look how = {TABLE_TEXT, look->width, look->colors, NULL};
	struct table *t = table_new(out, columns, COLUMNS, &how);
	const struct show_rung *r;
	uint64_t open = 0, others = 0;
	char *leader, *name;
	size_t i;

	for (i = 0; i < all->count; i++) {
		open += all->rung[i].open;
		others += all->rung[i].others;
	}
	for (i = 0; i <= all->count; i++) {
		r = &all->rung[i];
		table_row(t);
		name = show_rung_name(r);
		table_show(t, RUNG, name);
		free(name);
		put_count(t, REACHED, r->reached);
		put_value(t, BEST, r->best);
		leader =
		    xasprintf("%s/%" PRIu64, store_job_name(v->job), r->leader);
		table_show(t, TASK, isfinite(r->best) ? leader : NULL);
		free(leader);
		if (!r->stops)
			continue;
		put_count(t, CONTINUED, r->continued);
		put_count(t, STOPPED, r->stopped);
		if (open > 0)
			put_count(t, OPEN, r->open);
		if (others > 0)
			put_count(t, OTHER, r->others);
		if (!r->mixed)
			put_value(t, NEEDED, r->needed);
	}
	table_end(t);
}

/* ---- the line above the table ---- */

/* Print the epochs of the rungs, or the first two and the last. */
static void
put_epochs(struct flow *f, const struct rungs *all, int64_t epochs)
{
	const struct show_rung *last =
	    all->count > 0 ? &all->rung[all->count - 1] : NULL;
	int some = 0;
	size_t i;

	show_text(f, 2, "rung%s", all->count == 1 ? "" : "s");
	for (i = 0; i < all->count; i++) {
		some |= all->rung[i].epoch != all->rung[i].last;
		if (!some)
			show_word(f, 1, "%" PRId64, all->rung[i].epoch);
	}
	if (some)
		show_text(f, 1, "... %" PRId64, last->last);
	show_text(f, 1, "of %" PRId64 " %s", epochs,
	    all->units != NULL ? all->units : "epochs");
}

/*
 * Return how long the training of a task takes to its end: for a stopped task,
 * its time until its last epoch, and the usual time of the epochs that it
 * lacks.  Returns nan if that is unknown, or -1 if the task did not train.
 */
static double
whole_time(struct job_view *v, const struct store_row *row, int64_t epochs)
{
	double elapsed = (double)job_view_elapsed(v, row->task);
	double done = job_summary_epoch(&row->metrics, row->metrics.epoch);
	struct job_eta eta;

	if (elapsed < 0 ||
	    (row->state != STORE_RUNNING && !state_is_pruned(row)))
		return elapsed;
	job_view_eta(v, row->task, &eta); /* learns the usual time, too */
	if (row->state == STORE_RUNNING)
		return elapsed + eta.left;
	if (row->metrics.epochs == 0 || done < 1)
		return -1;
	if (!v->usual.is_sound)
		return NAN;
	if (row->epoch_time > row->start)
		elapsed -= (double)(row->end - row->epoch_time);
	return elapsed + v->usual.each * fmax((double)epochs - done, 0);
}

/*
 * How many tasks were started, and the hours that they take to their end.
 * Running tasks of unknown time count as the mean of the others.
 */
struct saving {
	uint64_t tasks, unknown;
	int vague; /* the time of stopped tasks is unknown */
	double time, gpus;
};

static struct saving
saving_of(struct job_view *v, int64_t epochs)
{
	struct saving all = {0};
	const struct store_row *row;
	double seconds, part;
	uint64_t task;

	for (task = 0; task < v->table->count; task++) {
		row = job_view_row(v, task);
		seconds = whole_time(v, row, epochs) /
		    (double)job_view_packed(v, row);
		all.tasks += !(seconds < 0);
		all.unknown += isnan(seconds);
		all.vague |= isnan(seconds) && row->state != STORE_RUNNING;
		if (seconds >= 0) {
			all.time += seconds / 3600;
			all.gpus +=
			    seconds / 3600 * (double)store_fact_gpus(row->gpus);
		}
		store_table_forget(v->table, task);
	}
	if (all.tasks > all.unknown) {
		part = (double)all.tasks / (double)(all.tasks - all.unknown);
		all.time *= part;
		all.gpus *= part;
	}
	return all;
}

/* Write hours with two digits, or more if there are more before the point. */
static char *
hours_text(double hours, char out[NUM_TEXT])
{
	if (hours < 99.5)
		return num_short(hours, 2, out);
	snprintf(out, NUM_TEXT, "%.0f", hours);
	return out;
}

/* Print the hours that the search has used, and those that it has saved. */
static void
put_hours(struct flow *f, struct job_view *v, int64_t epochs)
{
	struct job_tasks tasks = {v, NULL, 0};
	struct show_cost cost;
	struct saving all;
	char used[NUM_TEXT], text[NUM_TEXT];
	int gpus;

	tasks.task = xcalloc(v->table->count + 1, sizeof *tasks.task);
	for (; tasks.count < v->table->count; tasks.count++)
		tasks.task[tasks.count] = tasks.count;
	show_cost(&tasks, &cost);
	free(tasks.task);
	gpus = cost.gpu_hours > 0;
	if (cost.hours <= 0)
		return;
	hours_text(gpus ? cost.gpu_hours : cost.hours, used);
	show_text(f, 3, "%s %s", used,
	    gpus ? "GPU hours used" : "hours of training used");
	if (v->table->summary.pruned == 0 || epochs == 0)
		return;
	all = saving_of(v, epochs);
	if (all.vague || all.tasks == all.unknown ||
	    all.time <= cost.hours) /* it has saved nothing */
		return;
	fputs(";", f->out);
	f->at++;
	show_text(f, 1,
	    "the same %" PRIu64 " points trained to the end: about %s",
	    all.tasks, hours_text(gpus ? all.gpus : all.time, text));
}

uint64_t
show_random_points(struct job_view *v, struct idset *random)
{
	enum search_sampler found;
	const char *sampler = store_job_search(v->job)->sampler;
	const struct store_row *row;
	uint64_t points = 0, task;

	if (sampler == NULL || search_sampler_find(sampler, &found, NULL) == 0)
		return 0;
	for (task = 0; task < v->table->count; task++) {
		row = store_table_row(v->table, task);
		points += row->point != NULL;
		if (row->sampler != NULL)
			idset_add(random, task, task);
		store_table_forget(v->table, task);
	}
	return points;
}

struct store_run
show_run_point(const struct store_job *job, uint64_t task, struct store_run run,
    struct store_fact_body *body)
{
	struct store_run first = {0, 0};
	const struct store_fact *fact;
	struct store_facts facts;
	size_t i;

	*body = store_fact_body();
	if (store_facts_of(job, task, &facts, NULL) == -1)
		return first;
	for (i = facts.search_count; i > 0 && body->sampler == NULL; i--) {
		fact = &facts.search[i - 1];
		if (strcmp(fact->kind, "P") != 0 ||
		    store_run_compare(STORE_RUN(fact), run) > 0)
			continue;
		first = STORE_RUN(fact);
		if (store_facts_read(job, &facts, fact, body, NULL) == -1)
			*body = store_fact_body();
	}
	store_facts_free(&facts);
	return first;
}

void
show_point_record(
    const struct store_job *job, uint64_t task, struct store_fact_body *body)
{
	show_run_point(
	    job, task, (struct store_run){UINT32_MAX, UINT32_MAX}, body);
}

/* Print the sampler of the job and the rules that end its search. */
static void
put_search(
    struct flow *f, struct job_view *v, const struct store_search *search)
{
	struct idset random = {0};
	uint64_t points = show_random_points(v, &random);

	if (search->sampler != NULL)
		show_text(f, 2, "sampler %s", search->sampler);
	if (random.count > 0)
		show_text(f, 1,
		    "(it failed: %" PRIu64 " of %" PRIu64 " points are random; "
		    "stfm-status --why %s says why)",
		    idset_size(&random), points, store_job_name(v->job));
	idset_free(&random);
	if (search->until != NULL)
		show_text(f, 2, "until %s", search->until);
	if (search->gpu_hours != NULL)
		show_text(f, 2, "at most %s GPU hours", search->gpu_hours);
}

/* Set *all to the rungs; all->rung is to be freed. */
static void
read_rungs(
    struct rungs *all, const struct job_search *search, struct job_view *v)
{
	struct job_board *board = job_board_of(search, v->table, NULL, NULL);
	const struct store_row *row;
	uint64_t task;
	size_t i;

	*all = (struct rungs){search, NULL, 0};
	for (i = 0; i < board->rungs; i++)
		add_rung(all, board, i);
	job_board_free(board);
	all->rung = xgrow(all->rung, all->count, sizeof *all->rung);
	all->rung[all->count] = (struct show_rung){INT64_MAX, .best = NAN};
	for (task = 0; task < v->table->count; task++) {
		row = store_table_row(v->table, task);
		add_task(all, row);
		if (all->units == NULL && row->metrics.columns > 0)
			all->units = job_summary_has_epochs(&row->metrics)
			    ? "epochs"
			    : "steps";
		store_table_forget(v->table, task);
	}
}

/* Write a line about the search of a job; all are its rungs, if known. */
static void
put_line(struct flow *f, struct job_view *v, const struct job_search *search,
    const struct rungs *all)
{
	const struct store_search *given = store_job_search(v->job);
	int prunes = search->pruner.kind != SEARCH_NONE;

	flow_word(f, 1, prunes ? given->pruner : "no pruner");
	if (all->rung != NULL)
		put_epochs(f, all, search->epochs);
	else if (prunes)
		flow_text(f, 2,
		    "nothing is stopped until the number of epochs is known: "
		    "a task finishes, or stfm-set --epochs N says it");
	put_search(f, v, given);
	put_hours(f, v, search->epochs);
	flow_end(f);
}

/* Read the search of a job and its rungs.  Returns whether it has a search. */
static int
read_search(struct job_view *v, struct job_search *search, struct rungs *all)
{
	*all = (struct rungs){search, NULL, 0};
	if (!store_search_is_given(store_job_search(v->job)))
		return 0;
	if (job_search_of(v->job, search) && search->epochs > 0)
		read_rungs(all, search, v);
	return 1;
}

/* Return the number of the allocation in which a task runs or ran. */
static uint64_t
allocation_of(const struct store_row *row)
{
	return (uint64_t)row->array << 32 | (uint32_t)row->index;
}

/* Warn if the search has stopped most tasks of the running allocations. */
static void
put_packed(FILE *out, struct job_view *v, const struct show_style *look)
{
	struct flow f = {out, look->width, 2};
	struct idset running = {0};
	uint64_t task, all = 0, stopped = 0;
	const struct store_row *row;

	if (v->table->summary.pruned == 0)
		return;
	for (task = 0; task < v->table->count; task++) {
		if (store_table_state(v->table, task) != STORE_RUNNING)
			continue;
		row = job_view_row(v, task);
		if (job_view_packed(v, row) > 1)
			idset_add(
			    &running, allocation_of(row), allocation_of(row));
		store_table_forget(v->table, task);
	}
	if (running.count == 0)
		return;
	for (task = 0; task < v->table->count; task++) {
		row = job_view_row(v, task);
		if (idset_has(&running, allocation_of(row))) {
			all++;
			stopped += state_is_pruned(row) != 0;
		}
		store_table_forget(v->table, task);
	}
	idset_free(&running);
	if (2 * stopped <= all)
		return;
	flow_word(&f, 0, "packed:");
	show_text(&f, 1,
	    "the search has stopped %" PRIu64 " of %" PRIu64
	    " tasks on running allocations; an allocation keeps its GPUs until "
	    "its last task ends, so a smaller --pack frees them earlier",
	    stopped, all);
	flow_end(&f);
}

void
show_search(FILE *out, struct job_view *v, const struct show_style *look)
{
	struct flow f = {out, look->width, 2};
	struct job_search search;
	struct rungs all;

	if (!read_search(v, &search, &all))
		return;
	flow_word(&f, 0, "search:");
	put_line(&f, v, &search, &all);
	put_packed(out, v, look);
	if (all.rung != NULL)
		put_rungs(out, &all, v, look);
	free(all.rung);
}

char *
show_rungs(struct job_view *v, struct show_rung **out, size_t *count)
{
	struct job_search search;
	struct rungs all;
	struct flow f = {.width = 0};
	size_t length;
	char *line;

	*out = NULL;
	*count = 0;
	if (!read_search(v, &search, &all))
		return NULL;
	f.out = xmemopen(&line, &length);
	put_line(&f, v, &search, &all);
	xmemclose(f.out);
	line[strcspn(line, "\n")] = '\0';
	*out = all.rung;
	*count = all.rung != NULL ? all.count + 1 : 0;
	return line;
}
