#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/expression.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "state/resolve.h"
#include "view/columns.h"
#include "view/failure-line.h"
#include "view/filter.h"

/* A state, and perhaps one of its causes, spelt as Slurm spells it. */
struct wanted {
	enum store_state state;
	const char *cause; /* NULL: any */
	int in_logs;       /* the log may name the cause too */
	int is_pruned;     /* only tasks that a search stopped */
};

/* The names and codes of squeue and sacct, and causes that only logs name. */
static const struct {
	const char *code, *name;
	struct wanted wanted;
} slurm[] = {
    {"PD", "PENDING", {STORE_SUBMITTED, NULL}},
    {"CF", "CONFIGURING", {STORE_SUBMITTED, NULL}},
    {"R", "RUNNING", {STORE_RUNNING, NULL}},
    {"CG", "COMPLETING", {STORE_RUNNING, NULL}},
    {"CD", "COMPLETED", {STORE_FINISHED, NULL}},
    {"CA", "CANCELLED", {STORE_STOPPED, NULL}},
    {"F", "FAILED", {STORE_ERROR, NULL}},
    {"TO", "TIMEOUT", {STORE_ERROR, "TIMEOUT"}},
    {"OOM", "OUT_OF_MEMORY", {STORE_ERROR, "OUT_OF_MEMORY", 1}},
    {"NF", "NODE_FAIL", {STORE_ERROR, "NODE_FAIL"}},
    {"PR", "PREEMPTED", {STORE_ERROR, "PREEMPTED"}},
    {"DL", "DEADLINE", {STORE_ERROR, "DEADLINE"}},
    {"BF", "BOOT_FAIL", {STORE_ERROR, "BOOT_FAIL"}},
    {"LOST", "LOST", {STORE_ERROR, "LOST"}},
    {"GPU_OOM", "GPU_OUT_OF_MEMORY", {STORE_ERROR, "GPU_OUT_OF_MEMORY", 1}},
    {"DISK_FULL", "DISK_FULL", {STORE_ERROR, "DISK_FULL", 1}},
    {"PRUNED", "PRUNED", {STORE_STOPPED, .is_pruned = 1}},
};

const char *
job_filter_state_name(size_t i)
{
	return i < sizeof slurm / sizeof *slurm ? slurm[i].name : NULL;
}

struct job_filter *
job_filter_new(void)
{
	return xcalloc(1, sizeof(struct job_filter));
}

void
job_filter_free(struct job_filter *f)
{
	size_t i;

	if (f == NULL)
		return;
	for (i = 0; i < f->conditions; i++)
		expression_free(f->where[i]);
	strlist_free(&f->given);
	free(f->where);
	free(f->wanted);
	free(f->key);
	free(f);
}

/* ---- options ---- */

/* Try Slurm's codes first: to users of squeue, F means FAILED. */
static int
find_state(const char *word, struct wanted *out)
{
	size_t i;
	int state;

	for (i = 0; i < sizeof slurm / sizeof *slurm; i++)
		if (ascii_casecmp(word, slurm[i].code) == 0 ||
		    ascii_casecmp(word, slurm[i].name) == 0) {
			*out = slurm[i].wanted;
			return 0;
		}
	state = store_state_find(word);
	*out = (struct wanted){(enum store_state)(state == -1 ? 0 : state)};
	return state == -1 ? -1 : 0;
}

static void
no_state(const char *word, struct error *e)
{
	const char *names[STORE_STATES + sizeof slurm / sizeof *slurm];
	char *upper = xstrdup(word), *c, hint[TEXT_HINT];
	size_t i, count = 0;

	for (c = upper; *c != '\0'; c++)
		*c = (char)ascii_upper((unsigned char)*c);
	for (i = 0; i < STORE_STATES; i++)
		names[count++] = store_state_name((enum store_state)i);
	for (i = 0; i < sizeof slurm / sizeof *slurm; i++)
		names[count++] = slurm[i].name;
	error_set(e, "'%s': no such state (%s)", word,
	    text_hint(upper, names, count,
		"SUBMITTED, RUNNING, FINISHED, ERROR, STOPPED, or Slurm's "
		"codes such as PD, TO, OOM",
		hint));
	free(upper);
}

int
job_filter_state(struct job_filter *f, const char *states, struct error *e)
{
	const char *all = states;
	size_t length, before = f->states;
	struct wanted wanted;
	char *word;
	int rc;

	for (;; states += length + 1) {
		length = strcspn(states, ",");
		word = xstrndup(states, length);
		rc = find_state(word, &wanted);
		if (rc == -1)
			no_state(word, e);

		free(word);
		if (rc == -1) {
			f->states = before;
			return -1;
		}
		f->wanted = xgrow(f->wanted, f->states, sizeof *f->wanted);
		f->wanted[f->states++] = wanted;
		if (states[length] == '\0')
			break;
	}
	strlist_take(&f->given, xasprintf("-t %s", all));
	return 0;
}

/* Return whether a name is that of a fixed column that tasks may lack. */
static int
may_be_alone(const char *name)
{
	int i;

	for (i = JOB_COLUMNS_BEFORE; i < job_columns; i++)
		if (strcmp(job_column_name(i), name) == 0)
			return 1;
	return 0;
}

int
job_filter_where(struct job_filter *f, const char *condition, struct error *e)
{
	struct expression *w = expression_new(condition, e);
	size_t i;

	if (w == NULL)
		return -1;
	/* "lr" is more likely to lack its value. */
	for (i = 0; i < w->count; i++)
		if (w->comparison[i].is_alone &&
		    !may_be_alone(w->comparison[i].name)) {
			expression_free(w);
			return expression_refuse_alone(condition, e);
		}
	f->where = xgrow(f->where, f->conditions, sizeof *f->where);
	f->where[f->conditions++] = w;
	strlist_take(&f->given, xasprintf("-w '%s'", condition));
	return 0;
}

void
job_filter_sort(struct job_filter *f, const char *key)
{
	f->reverse = *key == '-';
	free(f->key);
	f->key = xstrdup(key + f->reverse);
}

char *
job_filter_text(const struct job_filter *f)
{
	return strlist_join(&f->given, " ");
}

/* ---- checking ---- */

static int
check_name(struct job_view *const *views, size_t count, const char *name,
    struct error *e)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (job_column_find(views[i], name) != -1)
			return 0;
	return job_column_unknown(views, count, name, e);
}

int
job_filter_check(const struct job_filter *f, struct job_view *const *views,
    size_t count, struct error *e)
{
	const struct expression *w;
	size_t i, k;

	for (i = 0; i < f->conditions; i++) {
		w = f->where[i];
		for (k = 0; k < w->count; k++)
			if (check_name(
				views, count, w->comparison[k].name, e) == -1)
				return -1;
	}
	return f->key != NULL ? check_name(views, count, f->key, e) : 0;
}

/* ---- selecting tasks ---- */

static int
is_same(const char *a, const char *b)
{
	return a != NULL && strcmp(a, b) == 0;
}

/*
 * Return whether a task in ERROR has the wanted cause, recorded or named by its
 * log. OUT_OF_MEMORY includes GPU_OUT_OF_MEMORY.
 */
static int
has_cause(struct job_view *view, uint64_t task, const struct wanted *w)
{
	const char *named;

	if (is_same(job_view_row(view, task)->cause, w->cause))
		return 1;
	named = w->in_logs ? job_last_line_cause(view, task) : NULL;
	return is_same(named, w->cause) ||
	    (is_same(named, "GPU_OUT_OF_MEMORY") &&
		strcmp(w->cause, "OUT_OF_MEMORY") == 0);
}

static int
in_state(const struct job_filter *f, struct job_view *view, uint64_t task)
{
	enum store_state state = store_table_state(view->table, task);
	const struct wanted *w;
	size_t i;

	for (i = 0; i < f->states; i++) {
		w = &f->wanted[i];
		if (state == w->state &&
		    (w->cause == NULL || has_cause(view, task, w)) &&
		    (!w->is_pruned ||
			state_is_pruned(job_view_row(view, task))))
			return 1;
	}
	return f->states == 0;
}

/* The task whose columns a condition reads. */
struct asked {
	struct job_view *view;
	uint64_t task;
	struct job_value value;
};

static const char *
answer(void *arg, const char *name)
{
	struct asked *a = arg;
	int column = job_column_find(a->view, name);

	job_value_free(&a->value);
	if (column == -1)
		return NULL;
	job_column_value(a->view, a->task, column, &a->value);
	return a->value.text;
}

static int
holds(const struct job_filter *f, struct job_view *view, uint64_t task)
{
	struct asked a = {.view = view, .task = task};
	size_t i;
	int all = 1;

	for (i = 0; i < f->conditions && all; i++)
		all = expression_holds(f->where[i], answer, &a);
	job_value_free(&a.value);
	return all;
}

/* ---- order ---- */

struct key {
	uint64_t task;
	int kind; /* 0 a number, 1 a text, 2 nothing */
	int sign; /* -1 if larger values come first */
	double number;
	char *text;
};

static int
compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = 0;

	if (x->kind != y->kind && (x->kind == 2 || y->kind == 2))
		return x->kind - y->kind;
	if (x->kind != y->kind)
		order = x->kind - y->kind;
	else if (x->kind == 0 && x->number != y->number)
		order = x->number < y->number ? -1 : 1;
	else if (x->kind == 1)
		order = strcmp(x->text, y->text);
	if (order != 0)
		return order * x->sign;
	return x->task < y->task ? -1 : x->task > y->task;
}

static struct key
key_of(struct job_view *view, uint64_t task, int column, int sign)
{
	struct key key = {task, 2, sign, 0, NULL};
	struct job_value value;

	job_column_value(view, task, column, &value);
	key.number = value.number;
	if (value.kind == JOB_NUMBER && !isfinite(value.number)) {
		/* A metric of nan or inf is no good value: it comes last. */
	} else if (!isnan(value.number) ||
	    (value.text != NULL && num_parse(value.text, &key.number) &&
		!isnan(key.number))) {
		key.kind = 0;
	} else if (value.text != NULL && value.kind == JOB_TEXT) {
		key.kind = 1;
		key.text = xstrdup(value.text);
	}
	job_value_free(&value);
	return key;
}

static void
sort(const struct job_filter *f, struct job_view *view, uint64_t *task,
    size_t count)
{
	int column = f->key ? job_column_find(view, f->key) : -1;
	int sign = f->reverse ? -1 : 1;
	struct key *key;
	size_t i;

	if (column == -1 || count == 0)
		return;
	if (job_column_falls(view, column))
		sign = -sign;
	key = xcalloc(count, sizeof *key);
	for (i = 0; i < count; i++) {
		key[i] = key_of(view, task[i], column, sign);
		store_table_forget(view->table, task[i]);
	}
	qsort(key, count, sizeof *key, compare_keys);
	for (i = 0; i < count; i++) {
		task[i] = key[i].task;
		free(key[i].text);
	}
	free(key);
}

uint64_t *
job_filter_apply(const struct job_filter *f, struct job_view *view,
    const struct idset *tasks, size_t *count)
{
	uint64_t *task = xcalloc(idset_size(tasks) + 1, sizeof *task), t;
	size_t i;

	*count = 0;
	for (i = 0; i < tasks->count; i++)
		for (t = tasks->run[i].first; t <= tasks->run[i].last; t++) {
			if (in_state(f, view, t) && holds(f, view, t))
				task[(*count)++] = t;
			store_table_forget(view->table, t);
		}
	sort(f, view, task, *count);
	if (f->limit > 0 && *count > f->limit)
		*count = f->limit;
	return task;
}
