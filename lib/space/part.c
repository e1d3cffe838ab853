#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/resource.h"
#include "base/xalloc.h"
#include "space/part.h"

/*
 * A comparison of a condition.  known has its result for each of the values on
 * the axis, as far as they were compared; values is 0, and known NULL, for
 * distributions, columns of the file, and axes with very many values.
 */
struct test {
	const struct expression_part *comparison;
	size_t column, axis;
	uint64_t values;
	unsigned char *known;
};

enum { UNKNOWN, HOLDS, FAILS, MOST_KNOWN = 1 << 20 };

/*
 * A condition.  level is the last axis that it depends on; -1: on none.  The
 * last axis varies fastest.
 */
struct condition {
	struct test *test;
	size_t tests;
	long level;
};

/* A hyperparameter. */
struct param {
	const struct values *values;
	size_t column, axis;
	const struct grid_zip *zip; /* NULL: crossed with the others */
	/* It has a value if any of these holds. */
	struct condition *when;
	size_t whens;
	long level; /* the last axis on which these conditions depend, or -1 */
	const char *label; /* label of the first condition */
	/* Progress of place, which orders the hyperparameters. */
	int state;
};

/* Hyperparameters that vary together: a single one, a zip, or all draws. */
struct axis {
	uint64_t count;
	size_t *param;
	size_t params;
	const struct grid_zip *zip;
	int is_drawn;
	uint64_t stride; /* combinations for each of its values */
	size_t first;    /* the first column of this axis and the later ones */
};

struct part {
	const struct grid *spec, *words; /* spec may be NULL */
	struct param *param;
	size_t params;
	struct axis *axis;
	size_t axes;
	/* Conditional ones, each after those that its conditions use. */
	size_t *order;
	size_t conditional;
	struct condition *except; /* in the order of their levels */
	size_t excepts;
	const struct param **of; /* for each column, or NULL */
	size_t columns;
	uint64_t size, samples, seed;
	size_t from_file;
};

static void
conditions_free(struct condition *c, size_t count)
{
	size_t i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < c[i].tests; k++)
			free(c[i].test[k].known);
		free(c[i].test);
	}
	free(c);
}

void
part_free(struct part *p)
{
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < p->params; i++)
		conditions_free(p->param[i].when, p->param[i].whens);
	for (i = 0; i < p->axes; i++)
		free(p->axis[i].param);
	conditions_free(p->except, p->excepts);
	free(p->param);
	free(p->axis);
	free(p->order);
	free(p->of);
	free(p);
}

/* ---- joining ---- */

static int
add_param(
    struct part *p, const struct values *v, struct columns *c, struct error *e)
{
	long column = columns_add(c, v->name, e);

	if (column == -1 || (!resource_is(v->name) && values_check(v, e) == -1))
		return -1;
	if ((size_t)column < p->from_file)
		return error_set(e,
		    "%s: the file has this column already (leave one of the "
		    "two out)",
		    v->name);
	p->param = xgrow(p->param, p->params, sizeof *p->param);
	p->param[p->params] = (struct param){.values = v};
	p->param[p->params++].column = (size_t)column;
	return 0;
}

struct part *
part_new(const struct grid *spec, const struct grid *words, struct columns *c,
    size_t from_file, struct error *e)
{
	struct part *p = xcalloc(1, sizeof *p);
	const struct values *v;
	size_t i;
	int rc = 0;

	p->spec = spec;
	p->words = words;
	p->from_file = from_file;
	p->samples = spec ? spec->samples : 0;
	p->seed = spec && !words->has_seed ? spec->seed : words->seed;
	if (words->samples > 0)
		p->samples = words->samples;
	for (i = 0; spec != NULL && i < spec->count && rc == 0; i++) {
		v = grid_find(words, spec->values[i]->name);
		rc = add_param(p, v ? v : spec->values[i], c, e);
	}
	for (i = 0; i < words->count && rc == 0; i++) {
		v = words->values[i];
		if (spec == NULL || grid_find(spec, v->name) == NULL)
			rc = add_param(p, v, c, e);
	}
	if (rc == 0)
		return p;
	part_free(p);
	return NULL;
}

static struct param *
find_param(const struct part *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->params; i++)
		if (strcmp(p->param[i].values->name, name) == 0)
			return &p->param[i];
	return NULL;
}

int
part_is_drawn(const struct part *p)
{
	size_t i;

	for (i = 0; i < p->params; i++)
		if (p->param[i].values->is_drawn)
			return 1;
	return 0;
}

/* ---- zips ---- */

/* Count the names that this part has.  Returns -1 for an invalid name. */
static long
count_here(const struct part *p, const struct columns *c,
    const struct grid_zip *z, struct error *e)
{
	long here = 0, column;
	size_t i;

	for (i = 0; i < z->name.count; i++) {
		column = columns_find(c, z->name.word[i]);
		if (column == COLUMNS_NONE)
			return columns_unknown(c, z->label, z->name.word[i], e);
		if ((size_t)column < p->from_file)
			return error_set(e,
			    "%s: %s is a column of the file, whose rows "
			    "stay together",
			    z->label, z->name.word[i]);
		here += find_param(p, z->name.word[i]) != NULL;
	}
	return here;
}

/*
 * Set e to a refusal of a zip whose hyperparameters have different numbers of
 * values.  Returns -1.
 */
static int
uneven(const struct part *p, const struct grid_zip *z, struct error *e)
{
	char *text = NULL;
	size_t length, i;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < z->name.count; i++)
		fprintf(f, "%s%s %" PRIu64, i ? ", " : "", z->name.word[i],
		    values_count(find_param(p, z->name.word[i])->values));
	xmemclose(f);
	error_set(e, "%s: give each the same number of values, not %s",
	    z->label, text);
	free(text);
	return -1;
}

static int
use_zip(struct part *p, const struct columns *c, const struct grid_zip *z,
    struct error *e)
{
	long here = count_here(p, c, z, e);
	uint64_t count = 0;
	struct param *q;
	size_t i;

	if (here <= 0)
		return (int)here;
	if ((size_t)here < z->name.count)
		return error_set(e,
		    "%s: one object of the spec has only some of these names",
		    z->label);
	for (i = 0; i < z->name.count; i++) {
		q = find_param(p, z->name.word[i]);
		if (q->zip != NULL)
			return error_set(e,
			    "%s: %s is in %s already: leave it out of one",
			    z->label, z->name.word[i], q->zip->label);
		if (q->values->is_drawn)
			return error_set(e,
			    "%s: %s is a random distribution, which has no "
			    "number of values (all distributions are drawn "
			    "together as it is)",
			    z->label, z->name.word[i]);
		q->zip = z;
		if (i == 0)
			count = values_count(q->values);
		else if (values_count(q->values) != count)
			return uneven(p, z, e);
	}
	return 0;
}

/* ---- axes ---- */

/* Assign each hyperparameter to an axis. */
static int
make_axes(struct part *p, struct error *e)
{
	const struct param *q;
	struct axis *a;
	size_t i, k;
	int is_drawn;

	for (i = 0; i < p->params; i++) {
		q = &p->param[i];
		is_drawn = q->values->is_drawn;
		for (k = 0; k < p->axes; k++)
			if ((is_drawn && p->axis[k].is_drawn) ||
			    (q->zip != NULL && p->axis[k].zip == q->zip))
				break;
		if (k == p->axes) {
			p->axis = xgrow(p->axis, p->axes, sizeof *p->axis);
			p->axes++;
			p->axis[k] = (struct axis){.zip = q->zip,
			    .is_drawn = is_drawn,
			    .count = is_drawn ? p->samples
					      : values_count(q->values)};
		}
		a = &p->axis[k];
		p->param[i].axis = k;
		if (a->count == 0)
			return error_set(e,
			    "%s: a random distribution needs --samples N",
			    q->values->name);
		a->param = xgrow(a->param, a->params, sizeof *a->param);
		a->param[a->params++] = i;
	}
	return 0;
}

static void
find_strides(struct part *p)
{
	size_t i, k, first = SIZE_MAX;
	uint64_t stride = 1;
	struct axis *a;

	for (i = p->axes; i-- > 0; stride *= a->count) {
		a = &p->axis[i];
		for (k = 0; k < a->params; k++)
			if (p->param[a->param[k]].column < first)
				first = p->param[a->param[k]].column;
		a->first = first;
		a->stride = stride;
	}
}

static int
count(struct part *p, struct error *e)
{
	const struct axis *a, *largest = p->axis;
	double total = 1;
	int too_many = 0;
	size_t i;

	p->size = 1;
	for (i = 0; i < p->axes; i++) {
		a = &p->axis[i];
		too_many |= __builtin_mul_overflow(p->size, a->count, &p->size);
		total *= (double)a->count;
		if (a->count > largest->count)
			largest = a;
	}
	if (!too_many) {
		find_strides(p);
		return 0;
	}
	return error_set(e,
	    "about %.0e combinations are too many to number (%s alone has "
	    "%" PRIu64 " values)",
	    total, p->param[largest->param[0]].values->name, largest->count);
}

/* ---- conditions ---- */

/* Values of a list that are searched for one that fulfils a condition. */
enum { MOST_SEARCHED = 10000 };

int
part_may_hold(const struct part *p, const struct expression_part *comparison)
{
	const struct param *q = find_param(p, comparison->name);
	const struct values *v = q != NULL ? q->values : NULL;
	struct values_one one;
	char room[NUM_TEXT];
	uint64_t i, count;

	if (v == NULL)
		return 0;
	count = v->is_drawn ? v->texts : values_count(v);
	if (count > MOST_SEARCHED || (v->is_drawn && count == 0))
		return 1;
	for (i = 0; i < count; i++) {
		one = v->is_drawn ? v->text[i] : values_get(v, i, room);
		if (expression_part_holds(comparison, one.text))
			return 1;
	}
	return 0;
}

static int
check_names(
    const struct columns *c, const struct grid_condition *g, struct error *e)
{
	size_t i;

	if (g->name != NULL && columns_find(c, g->name) == COLUMNS_NONE)
		return columns_unknown(c, g->label, g->name, e);
	for (i = 0; i < g->where->count; i++)
		if (columns_find(c, g->where->comparison[i].name) ==
		    COLUMNS_NONE)
			return columns_unknown(
			    c, g->label, g->where->comparison[i].name, e);
	return 0;
}

static int
is_conditional(const struct grid *g, const char *name)
{
	size_t i;

	for (i = 0; i < g->whens; i++)
		if (strcmp(g->when[i].name, name) == 0)
			return 1;
	return 0;
}

static struct condition
condition_new(const struct columns *c, const struct expression *where)
{
	struct condition made = {.tests = where->count, .level = -1};
	size_t i;

	made.test = xcalloc(made.tests, sizeof *made.test);
	for (i = 0; i < made.tests; i++) {
		made.test[i].comparison = &where->comparison[i];
		made.test[i].column =
		    (size_t)columns_find(c, where->comparison[i].name);
	}
	return made;
}

static int
use_when(struct part *p, const struct columns *c,
    const struct grid_condition *when, struct error *e)
{
	struct param *q = find_param(p, when->name);

	if (check_names(c, when, e) == -1)
		return -1;
	if ((size_t)columns_find(c, when->name) < p->from_file)
		return error_set(e,
		    "%s: %s is a column of the file; only hyperparameters on "
		    "the command line can be conditional",
		    when->label, when->name);
	if (q == NULL)
		return 0;
	q->label = q->label ? q->label : when->label;
	q->when = xgrow(q->when, q->whens, sizeof *q->when);
	q->when[q->whens++] = condition_new(c, when->where);
	return 0;
}

static int
use_whens(struct part *p, const struct columns *c, struct error *e)
{
	const struct grid *g = p->spec;
	size_t i;

	for (i = 0; g != NULL && i < g->whens; i++)
		if (!is_conditional(p->words, g->when[i].name) &&
		    use_when(p, c, &g->when[i], e) == -1)
			return -1;
	for (i = 0; i < p->words->whens; i++)
		if (use_when(p, c, &p->words->when[i], e) == -1)
			return -1;
	return 0;
}

/* Find the axes of a condition, once its hyperparameters are placed. */
static void
find_axes(const struct part *p, struct condition *c)
{
	const struct param *q;
	struct test *t;
	size_t i;

	for (i = 0; i < c->tests; i++) {
		t = &c->test[i];
		q = p->of[t->column];
		if (q == NULL)
			continue;
		t->axis = q->axis;
		if (!q->values->is_drawn &&
		    p->axis[q->axis].count <= MOST_KNOWN)
			t->values = p->axis[q->axis].count;
		if ((long)q->axis > c->level)
			c->level = (long)q->axis;
		if (q->whens > 0 && q->level > c->level)
			c->level = q->level;
	}
}

enum { UNSEEN, BEING_PLACED, PLACED };

/* Place a conditional hyperparameter after those that its conditions use. */
static int
place(struct part *p, struct param *q, struct error *e)
{
	struct param *other;
	size_t i, j;

	if (q->whens == 0 || q->state == PLACED)
		return 0;
	if (q->state == BEING_PLACED)
		return error_set(e,
		    "%s: the conditions go round in a circle: whether %s is "
		    "given depends on itself: leave one --when out",
		    q->label, q->values->name);
	q->state = BEING_PLACED;
	q->level = -1;
	for (i = 0; i < q->whens; i++)
		for (j = 0; j < q->when[i].tests; j++) {
			other =
			    find_param(p, q->when[i].test[j].comparison->name);
			if (other != NULL && place(p, other, e) == -1)
				return -1;
		}
	for (i = 0; i < q->whens; i++) {
		find_axes(p, &q->when[i]);
		if (q->when[i].level > q->level)
			q->level = q->when[i].level;
	}
	q->state = PLACED;
	p->order[p->conditional++] = (size_t)(q - p->param);
	return 0;
}

/* Add an exception behind those of its level. */
static void
add_except(struct part *p, struct condition c)
{
	size_t at = p->excepts;

	find_axes(p, &c);
	p->except = xgrow(p->except, p->excepts, sizeof *p->except);
	for (p->excepts++; at > 0 && p->except[at - 1].level > c.level; at--)
		p->except[at] = p->except[at - 1];
	p->except[at] = c;
}

int
part_finish(struct part *p, const struct columns *c, struct error *e)
{
	const struct grid *const g[] = {p->spec, p->words};
	const struct param *q;
	size_t i, k, first = p->spec == NULL;
	for (k = first; k < 2; k++)
		for (i = 0; i < g[k]->zips; i++)
			if (use_zip(p, c, &g[k]->zip[i], e) == -1)
				return -1;
	/*
	 * In a zip, several points may request the same resources, so only
	 * check hyperparameters outside zips.
	 */
	for (i = 0; i < p->params; i++) {
		q = &p->param[i];
		if (resource_is(q->values->name) && q->zip == NULL &&
		    values_check(q->values, e) == -1)
			return -1;
	}
	if (make_axes(p, e) == -1 || count(p, e) == -1)
		return -1;
	for (k = first; k < 2; k++)
		for (i = 0; i < g[k]->excepts; i++)
			if (check_names(c, &g[k]->except[i], e) == -1)
				return -1;
	if (use_whens(p, c, e) == -1)
		return -1;
	p->columns = c->count;
	p->of = xcalloc(c->count, sizeof(struct param *));
	for (i = 0; i < p->params; i++)
		p->of[p->param[i].column] = &p->param[i];
	p->order = xcalloc(p->params, sizeof *p->order);
	for (i = 0; i < p->params; i++)
		if (place(p, &p->param[i], e) == -1)
			return -1;
	for (k = first; k < 2; k++)
		for (i = 0; i < g[k]->excepts; i++)
			add_except(p, condition_new(c, g[k]->except[i].where));
	return 0;
}

uint64_t
part_size(const struct part *p)
{
	return p->size;
}

size_t
part_axes(const struct part *p)
{
	return p->axes;
}

int
part_is_filtered(const struct part *p)
{
	return p->excepts > 0 || p->conditional > 0;
}

int
part_is_exact(const struct part *p)
{
	const struct values *v;
	size_t i;

	for (i = 0; i < p->params; i++) {
		v = p->param[i].values;
		if (v->is_drawn || v->is_inexact)
			return 0;
	}
	return !part_is_filtered(p);
}

/* ---- points ---- */

const struct values_one *
part_value(const struct part *p, const struct part_point *point, size_t column)
{
	static const struct values_one none;
	const struct param *q = p->of[column];
	char *room = point->buffer[column];
	struct values_one *raw;
	uint64_t index;

	if (q == NULL)
		return &point->raw[column];
	if (point->absent[column])
		return &none;
	index = point->index[q->axis];
	raw = &point->raw[column];
	if (point->filled[column] == index)
		return raw;
	if (q->values->is_drawn)
		*raw = values_draw(q->values, p->seed, index, room);
	else if (point->filled[column] != index - 1 || raw->text != room ||
	    values_number(q->values, index, room, strlen(room)) == 0)
		*raw = values_get(q->values, index, room);
	point->filled[column] = index;
	return raw;
}

static int
test_holds(const struct part *p, struct test *t, const struct part_point *point)
{
	unsigned char *known = NULL;
	int holds;

	if (point->absent[t->column])
		return 0;
	if (t->values > 0) {
		if (t->known == NULL)
			t->known = xcalloc(t->values, 1);
		known = &t->known[point->index[t->axis]];
		if (*known != UNKNOWN)
			return *known == HOLDS;
	}
	holds = expression_part_holds(
	    t->comparison, part_value(p, point, t->column)->text);
	if (known != NULL)
		*known = holds ? HOLDS : FAILS;
	return holds;
}

static int
condition_holds(const struct part *p, const struct condition *c,
    const struct part_point *point)
{
	size_t i;

	for (i = 0; i < c->tests; i++)
		if (!test_holds(p, &c->test[i], point))
			return 0;
	return 1;
}

/* Return whether any condition of a hyperparameter holds. */
static int
is_given(
    const struct part *p, const struct param *q, const struct part_point *point)
{
	size_t i;

	for (i = 0; i < q->whens; i++)
		if (condition_holds(p, &q->when[i], point))
			return 1;
	return 0;
}

/*
 * Return whether no hyperparameter of an axis has a value.  Of such
 * combinations only the one with the first values is kept.  Lowers *level to
 * the last axis that all of these combinations share.
 */
static int
varies_in_vain(const struct part *p, size_t axis,
    const struct part_point *point, long *level)
{
	const struct axis *a = &p->axis[axis];
	long last = (long)axis - 1;
	const struct param *q;
	size_t i;

	for (i = 0; i < a->params; i++) {
		q = &p->param[a->param[i]];
		if (!point->absent[q->column])
			return 0;
		if (q->level > last)
			last = q->level;
	}
	if (last < *level)
		*level = last;
	return 1;
}

/*
 * Find out whether the point is left out, after the axes from first on changed.
 * Returns whether it is, with *level lowered to the last axis that decides it.
 * An exception of an earlier axis was compared when that axis changed: the
 * points behind it are passed over if it holds.
 */
static int
is_left_out(
    const struct part *p, struct part_point *point, long first, long *level)
{
	const struct param *q;
	unsigned char *absent;
	int was, is_out = 0;
	size_t i;

	for (i = 0; i < p->conditional; i++) {
		q = &p->param[p->order[i]];
		if (q->level < first)
			continue;
		absent = &point->absent[q->column];
		was = *absent;
		*absent = !is_given(p, q, point);
		if (*absent != was && q->column < point->changed)
			point->changed = q->column;
	}
	for (i = 0; p->conditional > 0 && i < p->axes; i++)
		if (point->index[i] > 0)
			is_out |= varies_in_vain(p, i, point, level);
	for (i = 0; i < p->excepts && p->except[i].level <= *level; i++)
		if (p->except[i].level >= first &&
		    condition_holds(p, &p->except[i], point)) {
			*level = p->except[i].level;
			return 1;
		}
	return is_out;
}

uint64_t
part_run(const struct part *p, const struct columns *c)
{
	const struct axis *last;

	if (p->axes == 0)
		return 1;
	last = &p->axis[p->axes - 1];
	if (last->params != 1 || last->is_drawn ||
	    p->param[last->param[0]].column != c->count - 1)
		return 1;
	return last->count;
}

uint64_t
part_run_index(const struct part *p, const struct part_point *point)
{
	return point->absent[p->columns - 1] ? UINT64_MAX
					     : point->index[p->axes - 1];
}

size_t
part_run_number(
    const struct part *p, uint64_t k, char out[NUM_TEXT], size_t length)
{
	const struct axis *last = &p->axis[p->axes - 1];

	return values_number(p->param[last->param[0]].values, k, out, length);
}

/*
 * Move to combination n, which follows the last one: the axes behind level are
 * at their first value again.  Returns the first axis that changed.
 */
static long
step(const struct part *p, struct part_point *point)
{
	long i;

	for (i = point->level + 1; i < (long)p->axes; i++)
		point->index[i] = 0;
	for (i = point->level; i >= 0; i--) {
		if (++point->index[i] < p->axis[i].count)
			break;
		point->index[i] = 0;
	}
	if (i >= 0 && p->axis[i].first < point->changed)
		point->changed = p->axis[i].first;
	return i;
}

static void
jump(const struct part *p, uint64_t n, struct part_point *point)
{
	uint64_t index;
	size_t i;

	for (i = p->axes; i-- > 0; n /= p->axis[i].count) {
		index = n % p->axis[i].count;
		if (index != point->index[i] &&
		    p->axis[i].first < point->changed)
			point->changed = p->axis[i].first;
		point->index[i] = index;
	}
}

int
part_at(const struct part *p, uint64_t n, struct part_point *point)
{
	uint64_t stride;
	long first = -1;

	if (point->is_point)
		point->changed = p->columns;
	if (point->is_point && p->axes > 1 &&
	    n - point->last == p->axis[p->axes - 2].stride &&
	    point->index[p->axes - 1] == 0) {
		/* The next value of the last axis but one. */
		point->skip = n - point->last;
		point->level--;
	}
	if (point->last != UINT64_MAX && n == point->last + point->skip)
		first = step(p, point);
	else
		jump(p, n, point);
	point->last = n;
	point->skip = 1;
	point->level = (long)p->axes - 1;
	point->is_point = !part_is_filtered(p) ||
	    !is_left_out(p, point, first, &point->level);
	if (!point->is_point) {
		/* All combinations with these values up to level are. */
		stride =
		    point->level < 0 ? p->size : p->axis[point->level].stride;
		point->skip = stride - n % stride;
	}
	return point->is_point;
}
