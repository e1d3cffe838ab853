#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/resource.h"
#include "base/xalloc.h"
#include "space/part.h"

/* A hyperparameter. */
struct param {
	const struct values *values;
	size_t column;
	const struct grid_zip *zip; /* NULL: crossed with the others */
	/* It has a value if any of these holds. */
	const struct expression **when;
	size_t whens;
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
	const struct expression **except;
	size_t excepts;
	uint64_t size, samples, seed;
	size_t from_file;
};

void
part_free(struct part *p)
{
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < p->params; i++)
		free(p->param[i].when);
	for (i = 0; i < p->axes; i++)
		free(p->axis[i].param);
	free(p->param);
	free(p->axis);
	free(p->order);
	free(p->except);
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
	error_set(e, "%s: different numbers of values: %s", z->label, text);
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
			return error_set(e, "%s: %s is in %s already", z->label,
			    z->name.word[i], q->zip->label);
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
		if (a->count == 0)
			return error_set(e,
			    "%s: a random distribution needs --samples N",
			    q->values->name);
		a->param = xgrow(a->param, a->params, sizeof *a->param);
		a->param[a->params++] = i;
	}
	return 0;
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
	if (!too_many)
		return 0;
	return error_set(e,
	    "about %.0e combinations are too many to number (%s alone has "
	    "%" PRIu64 " values)",
	    total, p->param[largest->param[0]].values->name, largest->count);
}

/* ---- conditions ---- */

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
	q->when[q->whens++] = when->where;
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
		    "given depends on itself",
		    q->label, q->values->name);
	q->state = BEING_PLACED;
	for (i = 0; i < q->whens; i++)
		for (j = 0; j < q->when[i]->count; j++) {
			other = find_param(p, q->when[i]->comparison[j].name);
			if (other != NULL && place(p, other, e) == -1)
				return -1;
		}
	q->state = PLACED;
	p->order[p->conditional++] = (size_t)(q - p->param);
	return 0;
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
		for (i = 0; i < g[k]->excepts; i++) {
			if (check_names(c, &g[k]->except[i], e) == -1)
				return -1;
			p->except =
			    xgrow(p->except, p->excepts, sizeof *p->except);
			p->except[p->excepts++] = g[k]->except[i].where;
		}
	if (use_whens(p, c, e) == -1)
		return -1;
	p->order = xcalloc(p->params, sizeof *p->order);
	for (i = 0; i < p->params; i++)
		if (place(p, &p->param[i], e) == -1)
			return -1;
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

static void
fill_axis(const struct part *p, const struct axis *a, uint64_t index,
    struct part_point *point)
{
	const struct param *q;
	size_t i;

	for (i = 0; i < a->params; i++) {
		q = &p->param[a->param[i]];
		if (q->column < point->changed)
			point->changed = q->column;
		point->raw[q->column] = a->is_drawn
		    ? values_draw(
			  q->values, p->seed, index, point->buffer[q->column])
		    : values_get(q->values, index, point->buffer[q->column]);
	}
}

/* The values that conditions see: those that no other condition dropped. */
struct seen {
	const struct columns *columns;
	const struct values_one *value;
};

static const char *
seen_value(void *arg, const char *name)
{
	const struct seen *s = arg;

	return s->value[columns_find(s->columns, name)].text;
}

/* Return whether any condition of a hyperparameter holds. */
static int
is_given(const struct param *q, struct seen *s)
{
	size_t i;

	for (i = 0; i < q->whens; i++)
		if (expression_holds(q->when[i], seen_value, s))
			return 1;
	return 0;
}

/*
 * Return whether no hyperparameter of an axis has a value.  Of such
 * combinations only the one with the first values is kept.
 */
static int
varies_in_vain(
    const struct part *p, const struct axis *a, const struct part_point *point)
{
	size_t i;

	for (i = 0; i < a->params; i++)
		if (!point->absent[p->param[a->param[i]].column])
			return 0;
	return 1;
}

static int
passes(const struct part *p, const struct columns *c, struct part_point *point)
{
	struct seen seen = {c, point->kept};
	const struct param *q;
	size_t i;

	memcpy(point->kept, point->raw, c->count * sizeof *point->kept);
	for (i = 0; i < p->conditional; i++) {
		q = &p->param[p->order[i]];
		point->absent[q->column] = !is_given(q, &seen);
		if (point->absent[q->column])
			point->kept[q->column] = (struct values_one){NULL, 0};
	}
	for (i = 0; p->conditional > 0 && i < p->axes; i++)
		if (point->index[i] > 0 &&
		    varies_in_vain(p, &p->axis[i], point))
			return 0;
	for (i = 0; i < p->excepts; i++)
		if (expression_holds(p->except[i], seen_value, &seen))
			return 0;
	return 1;
}

uint64_t
part_run(const struct part *p, const struct columns *c)
{
	const struct axis *last;

	if (p->axes == 0)
		return 1;
	last = &p->axis[p->axes - 1];
	if (part_is_filtered(p) || last->params != 1 || last->is_drawn ||
	    p->param[last->param[0]].column != c->count - 1)
		return 1;
	return last->count;
}

int
part_at(const struct part *p, const struct columns *c, uint64_t n,
    struct part_point *point)
{
	int follows = point->last != UINT64_MAX && n == point->last + 1;
	uint64_t index, rest = n;
	size_t i;

	point->last = n;
	point->changed = c->count;
	/* Advance the axes to the next combination like an odometer. */
	for (i = p->axes; i-- > 0; rest /= p->axis[i].count) {
		index = follows ? point->index[i] + 1 : rest % p->axis[i].count;
		if (index == p->axis[i].count)
			index = 0;
		if (index != point->index[i] || follows)
			fill_axis(p, &p->axis[i], index, point);
		point->index[i] = index;
		if (follows && index != 0)
			break;
	}
	point->value = part_is_filtered(p) ? point->kept : point->raw;
	if (!part_is_filtered(p))
		return 1;
	point->changed = 0; /* conditions may drop any value */
	return passes(p, c, point);
}
