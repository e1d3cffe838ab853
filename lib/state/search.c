#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "metrics/metrics.h"
#include "state/search.h"
#include "state/summary.h"
#include "store/change.h"
#include "store/load.h"
#include "store/policy.h"
#include "store/request.h"
#include "store/table.h"

/* ---- the rungs of a task ---- */

static int64_t
epoch_of(const struct store_fact *fact)
{
	struct store_rung rung = {.epoch = 0};

	store_fact_rung(fact, &rung);
	return rung.epoch;
}

/*
 * Take a whole number from the beginning of a text, and advance the text.
 * Returns 0 if there is none.
 */
static int
take_number(const char **text, uint32_t *out)
{
	uint64_t n = 0;
	const char *at = *text;

	for (; *at >= '0' && *at <= '9' && n <= UINT32_MAX; at++)
		n = n * 10 + (uint64_t)(*at - '0');
	if (at == *text || n > UINT32_MAX)
		return 0;
	*text = at;
	*out = (uint32_t)n;
	return 1;
}

/*
 * Take the next value of a text as a fact, whose kind may be no rung.  Returns
 * 0 at the end and where the text is damaged.
 */
static int
take_fact(const char **text, struct store_fact *out)
{
	const char *at = *text;
	size_t length = strcspn(at, "@ ");

	if (length == 0 || length > STORE_KIND - 2 || at[length] != '@')
		return 0;
	*out = (struct store_fact){.kind = "R"};
	memcpy(out->kind + 1, at, length);
	at += length + 1;
	if (!take_number(&at, &out->attempt) || *at++ != '.' ||
	    !take_number(&at, &out->restart))
		return 0;
	*text = at + (*at == ' ');
	return 1;
}

void
job_rungs_read(const char *text, struct job_rungs *out)
{
	struct store_fact f;

	*out = (struct job_rungs){NULL, 0};
	while (text != NULL && take_fact(&text, &f)) {
		if (epoch_of(&f) == 0)
			continue;
		out->fact = xgrow(out->fact, out->count, sizeof *out->fact);
		out->fact[out->count++] = f;
	}
}

/* As job_rungs_next, for the loop over all tasks. */
static inline int
take_rung(const char **text, struct store_rung *out)
{
	const char *at = *text, *end;

	while (at != NULL && *at >= '0' && *at <= '9') {
		for (out->epoch = 0; *at >= '0' && *at <= '9'; at++)
			out->epoch = out->epoch * 10 + (*at - '0');
		end = *at == '=' ? num_take(at + 1, '@', &out->value) : NULL;
		if (end != NULL)
			at = end;
		while (*at != ' ' && *at != '"' && *at != '\0')
			at++;
		at += *at == ' ';
		if (end != NULL) {
			*text = at;
			return 1;
		}
	}
	return 0;
}

int
job_rungs_next(const char **text, struct store_rung *out)
{
	return take_rung(text, out);
}

void
job_rungs_free(struct job_rungs *rungs)
{
	free(rungs->fact);
	*rungs = (struct job_rungs){NULL, 0};
}

/*
 * Return the first value of a text that is of this epoch or a later one, or the
 * end of the text.
 */
static const char *
place_of(const char *text, int64_t epoch)
{
	const char *low = text, *high = text + strlen(text), *at;

	while (low < high) {
		at = low + (high - low) / 2;
		while (at > low && at[-1] != ' ')
			at--;
		if (strtoll(at, NULL, 10) >= epoch) {
			high = at;
			continue;
		}
		low = at + strcspn(at, " ");
		low += *low == ' ';
	}
	return low;
}

/*
 * Find the value of an epoch in a text that is not NULL.  Sets *at to its
 * place.  Returns 1 with *out and *end, the place of the next value, or 0.
 */
static int
find_fact(const char *text, int64_t epoch, const char **at,
    struct store_fact *out, const char **end)
{
	*at = *end = place_of(text, epoch);
	return take_fact(end, out) && epoch_of(out) == epoch;
}

/* Return whether a fact comes before that of the same epoch in the list. */
static int
is_better(const struct store_fact *fact, const struct store_fact *old)
{
	struct store_fact same = *old;

	same.task = fact->task;
	return store_fact_compare(fact, &same) < 0;
}

int
job_rungs_know(const char *text, const struct store_fact *fact)
{
	int64_t epoch = epoch_of(fact);
	const char *at, *end;
	struct store_fact old;

	if (epoch == 0 || text == NULL)
		return epoch == 0;
	return find_fact(text, epoch, &at, &old, &end) &&
	    !is_better(fact, &old);
}

int
job_rungs_has(const char *text, int64_t epoch)
{
	struct store_rung rung;

	if (text == NULL)
		return 0;
	text = place_of(text, epoch);
	return job_rungs_next(&text, &rung) && rung.epoch == epoch;
}

void
job_rungs_add(char **text, const struct store_fact *fact)
{
	int64_t epoch = epoch_of(fact);
	const char *old = *text != NULL ? *text : "", *at, *end;
	struct store_fact same;
	char *new;

	if (job_rungs_know(*text, fact))
		return;
	if (!find_fact(old, epoch, &at, &same, &end))
		end = at;
	new = xasprintf("%.*s%s%s@%" PRIu32 ".%" PRIu32 "%s%s", (int)(at - old),
	    old, at > old && at[-1] != ' ' ? " " : "", fact->kind + 1,
	    fact->attempt, fact->restart, *end != '\0' ? " " : "", end);
	free(*text);
	*text = new;
}

/* ---- the search, and the values in a log ---- */

/* The most epochs that a training may have: rungs are numbers below. */
enum { EPOCHS = INT32_MAX };

/* Return the number of epochs that the job has by --epochs, or 0. */
static int64_t
epochs_given(const struct store_job *job)
{
	struct store_reading reading = {NULL};
	int64_t n;

	store_reading_of(job, &reading);
	if (reading.epochs == NULL ||
	    num_int("epochs", reading.epochs, 1, EPOCHS, &n, NULL) == -1)
		n = store_job_search(job)->epochs;
	store_reading_free(&reading);
	return n;
}

int
job_search_of(const struct store_job *job, struct job_search *out)
{
	const struct store_summary none = {.known = 0};
	const char *pruner = store_job_search(job)->pruner;

	memset(out, 0, sizeof *out);
	out->pruner.kind = SEARCH_NONE;
	out->study = store_job_id(job);
	out->pruner.higher = job_summary_goal(job, &none) == METRICS_MAX;
	out->epochs = epochs_given(job);
	if (pruner == NULL ||
	    search_pruner_parse(pruner, &out->pruner, NULL) == -1)
		return 0;
	if (out->epochs > 0)
		search_pruner_complete(&out->pruner, out->epochs);
	return out->pruner.kind != SEARCH_NONE;
}

/*
 * Return how many of the rungs that were found in this log are below an epoch,
 * which is mostly above all of them.
 */
static size_t
count_below(const struct job_search_reader *r, int64_t epoch)
{
	size_t i = r->count;

	while (i > 0 && r->rung[i - 1].epoch >= epoch)
		i--;
	return i;
}

/* Return whether the value at a rung was found in this log. */
static int
is_found(const struct job_search_reader *r, int64_t epoch)
{
	size_t i = count_below(r, epoch);

	return i < r->count && r->rung[i].epoch == epoch;
}

static void
found(struct job_search_reader *r, struct store_rung rung)
{
	size_t at = count_below(r, rung.epoch);

	r->rung = xgrow(r->rung, r->count, sizeof *r->rung);
	memmove(&r->rung[at + 1], &r->rung[at],
	    (r->count++ - at) * sizeof *r->rung);
	r->rung[at] = rung;
}

int
job_search_is_beyond(
    const struct job_search *s, const struct metrics_summary *m)
{
	return !job_summary_has_epochs(m) && m->begins > (double)s->epochs;
}

void
job_search_epoch(void *arg, const struct metrics_summary *m)
{
	struct job_search_reader *r = arg;
	const struct job_search *s = r->search;
	double done = job_summary_epoch(m, m->epoch);
	double begins = job_summary_epoch(m, m->begins);
	size_t bracket;
	int64_t epoch;

	if (m->epochs == 1) /* read from the first byte */
		job_search_reader_free(r);
	if (s->epochs == 0 || !metrics_summary_has_value(m) ||
	    job_search_is_beyond(s, m))
		return;
	bracket = job_search_bracket(s, r->task);
	if (begins != r->begins) /* it went back below its first epoch */
		r->next = 0;
	r->begins = begins;
	for (;; r->next++) {
		epoch = search_rung(&s->pruner, s->epochs, bracket, r->next);
		if (epoch == 0 || (double)epoch > done)
			return;
		if ((r->is_later && (double)epoch < begins) ||
		    is_found(r, epoch) || job_rungs_has(r->known, epoch))
			continue;
		found(r, (struct store_rung){epoch, metrics_summary_last(m)});
	}
}

void
job_search_reader_free(struct job_search_reader *r)
{
	free(r->rung);
	r->rung = NULL;
	r->count = r->next = 0;
}

int64_t
job_search_epochs_of(const struct metrics_summary *m)
{
	double done = m->epochs > 0 ? job_summary_epoch(m, m->epoch) : 0;

	return done >= 1 && done <= EPOCHS ? (int64_t)ceil(done) : 0;
}

int
job_search_learn(const struct store_job *job, int64_t epochs, struct error *e)
{
	struct store_change change = {.reads = 1};
	int rc;

	store_reading_of(job, &change.reading);
	free(change.reading.epochs);
	change.reading.epochs = xasprintf("%" PRId64, epochs);
	rc = store_change_add(job, &change, NULL, NULL, e);
	store_reading_free(&change.reading);
	return rc == -1 ? -1 : 0;
}

/* ---- all tasks ---- */

struct job_board *
job_board_new(const struct job_search *search)
{
	struct job_board *b = xcalloc(1, sizeof *b);
	size_t brackets = search_brackets(&search->pruner, search->epochs);
	size_t bracket, i, at;
	int64_t epoch;

	b->search = search;
	b->best = -1;
	for (bracket = 0; bracket < brackets; bracket++)
		for (i = 0;; i++) {
			epoch = search_rung(
			    &search->pruner, search->epochs, bracket, i);
			if (epoch == 0)
				break;
			b->rung = xgrow(b->rung, b->rungs, sizeof *b->rung);
			for (at = b->rungs++;
			     at > 0 && b->rung[at - 1].epoch > epoch; at--)
				b->rung[at] = b->rung[at - 1];
			b->rung[at] = (struct job_board_rung){bracket, epoch};
		}
	return b;
}

void
job_board_free(struct job_board *b)
{
	size_t i;

	if (b == NULL)
		return;
	for (i = 0; i < b->rungs; i++)
		free(b->rung[i].value);
	free(b->rung);
	free(b);
}

static struct job_board_rung *
find(const struct job_board *b, size_t bracket, int64_t epoch)
{
	size_t low = 0, high = b->rungs, at;
	struct job_board_rung *rung;

	while (low < high) {
		at = low + (high - low) / 2;
		rung = &b->rung[at];
		if (rung->epoch == epoch && rung->bracket == bracket)
			return rung;
		if (rung->epoch < epoch ||
		    (rung->epoch == epoch && rung->bracket < bracket))
			low = at + 1;
		else
			high = at;
	}
	return NULL;
}

/* Of equal values, the one of the task with the lower number is better. */
static void
note_best(struct job_board *b, uint64_t task, double value)
{
	int better = b->search->pruner.higher ? value > b->best_value
					      : value < b->best_value;

	if (!isfinite(value))
		return;
	if (b->best == -1 || better ||
	    (value == b->best_value && (int64_t)task < b->best)) {
		b->best = (int64_t)task;
		b->best_value = value;
	}
}

static void
make_room(struct job_board_rung *at)
{
	at->room = at->room > 0 ? 2 * at->room : 64;
	at->value = xrealloc(at->value, at->room * sizeof *at->value);
}

void
job_board_add(
    struct job_board *b, uint64_t task, const char *rungs, int can_win)
{
	size_t bracket =
	    rungs != NULL ? job_search_bracket(b->search, task) : 0;
	struct job_board_rung *at, *next = b->rung, *end = next + b->rungs;
	struct store_rung rung;

	while (take_rung(&rungs, &rung)) {
		/* Mostly it follows the one before. */
		at = next < end && next->epoch == rung.epoch &&
			next->bracket == bracket
		    ? next
		    : find(b, bracket, rung.epoch);
		if (at == NULL)
			continue;
		next = at + 1;
		at->is_known = 0;
		if (at->count == at->room)
			make_room(at);
		at->value[at->count++] =
		    (struct search_value){task, rung.value};
		if (can_win)
			note_best(b, task, rung.value);
	}
}

/* Return whether a task has finished, or may still do so. */
static int
can_win(const struct store_table *table, const struct store_requests *stops,
    uint64_t task)
{
	enum store_state state = store_table_state(table, task);

	if (store_state_is_final(state))
		return state == STORE_FINISHED;
	return stops == NULL ||
	    !store_stop_is_asked(
		stops, task, store_table_brief(table, task).attempt);
}

struct job_board *
job_board_of(const struct job_search *search, const struct store_table *table,
    const struct store_requests *stops, char *const *rungs)
{
	struct job_board *b = job_board_new(search);
	uint64_t task;

	for (task = 0; task < table->count; task++)
		job_board_add(b, task,
		    rungs != NULL ? rungs[task]
				  : store_table_rungs(table, task),
		    can_win(table, stops, task));
	return b;
}

/* Return the highest rung of a task on the board, or NULL; sets *own. */
static struct job_board_rung *
highest(const struct job_board *b, uint64_t task, const char *rungs,
    struct search_value *own)
{
	size_t bracket =
	    rungs != NULL ? job_search_bracket(b->search, task) : 0;
	struct job_board_rung *at = NULL, *next;
	struct store_rung rung;

	*own = (struct search_value){task, NAN};
	while (job_rungs_next(&rungs, &rung)) {
		next = find(b, bracket, rung.epoch);
		if (next == NULL)
			continue;
		at = next;
		own->value = rung.value;
	}
	return at;
}

/*
 * Return the highest rung with enough values at which the task has a value of
 * the run since or a later one, or NULL; sets *own.
 */
static const struct job_board_rung *
compared(const struct job_board *b, uint64_t task, const char *rungs,
    struct store_run since, struct search_value *own)
{
	const struct job_board_rung *at = NULL, *next;
	struct store_rung rung;
	struct job_rungs all;
	size_t i;

	*own = (struct search_value){task, NAN};
	job_rungs_read(rungs, &all);
	for (i = all.count; i > 0 && at == NULL; i--) {
		if (store_run_compare(STORE_RUN(&all.fact[i - 1]), since) < 0)
			continue;
		store_fact_rung(&all.fact[i - 1], &rung);
		next = find(b, 0, rung.epoch);
		if (next == NULL ||
		    next->count < search_least(&b->search->pruner))
			continue;
		at = next;
		own->value = rung.value;
	}
	job_rungs_free(&all);
	return at;
}

static struct stop_pruned
standing_of(const struct job_board_rung *at, const struct search_value *own,
    const struct search_standing *s)
{
	return (struct stop_pruned){.epoch = at->epoch,
	    .value = own->value,
	    .rank = s->better + s->equal + 1,
	    .count = s->count,
	    .kept = s->kept,
	    .needed = s->needed};
}

int
job_board_stands(const struct job_board *b, uint64_t task, const char *rungs,
    struct store_run since, struct stop_pruned *out)
{
	struct search_value own;
	const struct job_board_rung *at = NULL;
	struct search_standing s;

	if (b->search->pruner.kind == SEARCH_PBT)
		at = compared(b, task, rungs, since, &own);
	if (at == NULL)
		at = highest(b, task, rungs, &own);
	if (at == NULL)
		return 0;
	search_judge(&b->search->pruner, at->value, at->count, &own, &s);
	*out = standing_of(at, &own, &s);
	return 1;
}

/*
 * Return whether the value of a task is better than what its rung needs.  Most
 * tasks that run have such a value.
 */
static int
is_safe(const struct search_pruner *p, struct job_board_rung *at, double own)
{
	if (!at->is_known)
		at->needed = search_needed(p, at->value, at->count);
	at->is_known = 1;
	return search_is_better(p, own, at->needed);
}

int
job_board_judge(struct job_board *b, uint64_t task, const char *rungs,
    struct stop_pruned *out)
{
	const struct search_pruner *p = &b->search->pruner;
	struct search_value own;
	struct job_board_rung *at = highest(b, task, rungs, &own);
	struct search_standing s;

	if (at == NULL || (int64_t)task == b->best ||
	    is_safe(p, at, own.value) ||
	    !search_judge(p, at->value, at->count, &own, &s))
		return 0;
	*out = standing_of(at, &own, &s);
	return 1;
}

int
job_board_exploits(const struct job_board *b, uint64_t task, const char *rungs,
    struct store_run since, struct idset *best, struct stop_pruned *out)
{
	const struct search_pruner *p = &b->search->pruner;
	struct search_value own;
	const struct job_board_rung *at = compared(b, task, rungs, since, &own);
	struct search_standing s, other;
	size_t quarter, i;

	quarter = at != NULL ? at->count / (size_t)p->eta : 0;
	if (quarter == 0)
		return 0;
	search_judge(p, at->value, at->count, &own, &s);
	if (s.better + s.equal < at->count - quarter)
		return 0;
	for (i = 0; i < at->count; i++) {
		search_judge(p, at->value, at->count, &at->value[i], &other);
		if (other.better + other.equal < quarter &&
		    isfinite(at->value[i].value))
			idset_add(best, at->value[i].trial, at->value[i].trial);
	}
	*out = standing_of(at, &own, &s);
	return best->count > 0;
}
