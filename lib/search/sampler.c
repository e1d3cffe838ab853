#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "search/explore.h"
#include "search/halton.h"
#include "search/normal.h"
#include "search/prior.h"
#include "search/sampler.h"
#include "search/seen.h"
#include "search/tpe.h"
#include "space/grid.h"
#include "space/space.h"

enum {
	ORDERED_LEAST = 3,   /* a list of so many numbers has an order */
	ORDERED_MOST = 4096, /* longer lists are not looked at */
	TRIES = 100,         /* to find a point that no trial has */
	MANY_TRIES = 10000,  /* to find one that --except does not leave out */
	WALK = 1 << 16,      /* spaces of so many points are searched */
	ETA = 3              /* of a job without a pruner */
};

struct search {
	const struct space *space;
	const struct grid *grid;
	enum search_sampler sampler;
	uint64_t seed;
	int higher;
	size_t width;
	/* In the order of the space's columns: */
	struct values **values;
	struct search_dim *dim;
	char *is_given; /* without a condition */
	struct search_trial *trial;
	size_t trials;
	struct search_seen seen;
	size_t results; /* trials that do not run */
	size_t others;  /* of another job: the first trials */
	double *guess;  /* or NULL */
	char **guessed; /* its texts */
	int64_t eta;
};

static const char *const names[] = {"random", "quasi", "tpe"};

int
search_sampler_find(const char *name, enum search_sampler *out, struct error *e)
{
	int i = text_among(name, names, sizeof names / sizeof *names);
	char hint[TEXT_HINT];

	if (i == -1)
		return error_set(e, "'%s': no such sampler (%s)", name,
		    text_hint(name, names, sizeof names / sizeof *names,
			"random, quasi or tpe", hint));
	*out = (enum search_sampler)i;
	return 0;
}

int
search_sampler_is_near(const char *word)
{
	return text_nearest(word, names, sizeof names / sizeof *names) != NULL;
}

/* ---- dimensions ---- */

/* Return whether a list has numbers that only rise, or only fall. */
static int
is_ordered(const struct values *v)
{
	char room[NUM_TEXT];
	uint64_t count = values_count(v), i;
	double number, before = 0;
	int sign = 0, now;
	struct values_one one;

	if (count < ORDERED_LEAST || count > ORDERED_MOST)
		return count > ORDERED_MOST && v->texts == 0;
	for (i = 0; i < count; i++, before = number) {
		one = values_get(v, i, room);
		if (one.text == NULL || one.is_json ||
		    !num_parse(one.text, &number) || !isfinite(number))
			return 0;
		now = number > before ? 1 : number < before ? -1 : 0;
		if (i > 0 && (now == 0 || (sign != 0 && now != sign)))
			return 0;
		sign = i > 0 ? now : 0;
	}
	return 1;
}

static struct search_dim
dim_of(const struct values *v)
{
	const struct draw *d = &v->draw;
	struct search_dim dim = {.kind = SEARCH_REAL};

	if (!v->is_drawn) {
		dim.kind = is_ordered(v) ? SEARCH_WHOLE : SEARCH_CHOICE;
		dim.choices = values_count(v);
		dim.high = (double)dim.choices - 1;
		return dim;
	}
	switch (d->kind) {
	case DRAW_CHOICE:
		dim.kind = SEARCH_CHOICE;
		dim.choices = v->texts;
		dim.high = (double)dim.choices - 1;
		break;
	case DRAW_NORMAL:
	case DRAW_LOGNORMAL:
		dim.high = 1; /* the quantile */
		break;
	case DRAW_INT:
	case DRAW_LOGINT:
		dim.kind = SEARCH_WHOLE;
		dim.low = (double)d->low;
		dim.high = (double)d->high;
		dim.log = d->kind == DRAW_LOGINT;
		break;
	case DRAW_UNIFORM:
	case DRAW_LOGUNIFORM:
		dim.low = d->a;
		dim.high = d->b;
		dim.log = d->kind == DRAW_LOGUNIFORM;
		break;
	}
	return dim;
}

static struct values_one
item(const struct values *v, uint64_t i, char room[NUM_TEXT])
{
	return v->is_drawn ? v->text[i] : values_get(v, i, room);
}

/*
 * Return the number of an item of a list by its text, or nan.  JSON null has no
 * text.
 */
static double
index_of(const struct values *v, const struct search_dim *dim, const char *text)
{
	char room[NUM_TEXT];
	double a, b;
	int is_number = text != NULL && num_parse(text, &a);
	struct values_one one;
	uint64_t i;

	for (i = 0; i < dim->choices; i++) {
		one = item(v, i, room);
		if (text_same(one.text, text) ||
		    (one.text != NULL && is_number && num_parse(one.text, &b) &&
			a == b))
			return (double)i;
	}
	return NAN;
}

/* Return a text as a number of its dimension, or nan if it is outside. */
static double
number_of(
    const struct values *v, const struct search_dim *dim, const char *text)
{
	const struct draw *d = &v->draw;
	double value;

	if (!v->is_drawn)
		return index_of(v, dim, text);
	if (text == NULL || !num_parse(text, &value) || !isfinite(value))
		value = NAN;
	switch (d->kind) {
	case DRAW_CHOICE:
		return index_of(v, dim, text);
	case DRAW_LOGNORMAL:
		return value > 0 ? search_normal((log(value) - d->a) / d->b)
				 : NAN;
	case DRAW_NORMAL:
		return search_normal((value - d->a) / d->b);
	case DRAW_INT:
	case DRAW_LOGINT:
	case DRAW_UNIFORM:
	case DRAW_LOGUNIFORM:
		if (dim->kind == SEARCH_WHOLE && value != floor(value))
			return NAN;
		return value >= dim->low && value <= dim->high ? value : NAN;
	}
	return NAN;
}

/* Return the number of a text of a dimension; NULL is JSON null, or no value.
 */
static double
number_at(const struct search *s, size_t i, const char *text)
{
	return text == NULL && !s->is_given[i]
	    ? NAN
	    : number_of(s->values[i], &s->dim[i], text);
}

/* Return the value at a quantile, before the exponential of a lognormal. */
static double
at_quantile(const struct draw *d, double p)
{
	p = p < 1e-16 ? 1e-16 : p;
	p = p > 1 - 1e-16 ? 1 - 0x1p-53 : p;
	return d->a + d->b * search_normal_inverse(p);
}

/*
 * Return the text of a number of a dimension, to free, or NULL for JSON null.
 */
static char *
text_of(const struct values *v, double value)
{
	char room[NUM_TEXT];

	if (!v->is_drawn)
		return xcopy(item(v, (uint64_t)value, room).text);
	switch (v->draw.kind) {
	case DRAW_CHOICE:
		return xcopy(item(v, (uint64_t)value, room).text);
	case DRAW_INT:
	case DRAW_LOGINT:
		return xasprintf("%" PRId64, (int64_t)value);
	case DRAW_NORMAL:
		value = at_quantile(&v->draw, value);
		break;
	case DRAW_LOGNORMAL:
		value = exp(at_quantile(&v->draw, value));
		break;
	case DRAW_UNIFORM:
	case DRAW_LOGUNIFORM:
		break;
	}
	return xasprintf("%.6g", value);
}

/* ---- making ---- */

static int
has_condition(const struct grid *g, const char *name)
{
	size_t i;

	for (i = 0; i < g->whens; i++)
		if (strcmp(g->when[i].name, name) == 0)
			return 1;
	return 0;
}

struct search *
search_new(const struct space *space, enum search_sampler sampler,
    uint64_t seed, int higher, struct error *e)
{
	const struct grid *grid = space_grid(space);
	struct search *s;
	const char *name;
	size_t i;

	if (grid == NULL) {
		error_set(e,
		    "a sampler takes words such as lr=0.1,0.2, no spec, file "
		    "or zip");
		return NULL;
	}
	if (sampler == SEARCH_QUASI && grid->count > SEARCH_HALTON_DIMS) {
		error_set(e,
		    "quasi takes at most %d hyperparameters: choose random or "
		    "tpe",
		    SEARCH_HALTON_DIMS);
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	*s = (struct search){.space = space,
	    .grid = grid,
	    .sampler = sampler,
	    .seed = seed,
	    .higher = higher,
	    .width = space_width(space)};
	s->seen.width = s->width;
	s->values = xcalloc(s->width + 1, sizeof *s->values);
	s->dim = xcalloc(s->width + 1, sizeof *s->dim);
	s->is_given = xcalloc(s->width + 1, 1);
	for (i = 0; i < s->width; i++) {
		name = space_name(space, i);
		s->values[i] = grid_find(grid, name);
		s->dim[i] = dim_of(s->values[i]);
		s->is_given[i] = (char)!has_condition(grid, name);
	}
	return s;
}

static void
guess_free(struct search *s)
{
	size_t i;

	for (i = 0; s->guessed != NULL && i < s->width; i++)
		free(s->guessed[i]);
	free(s->guessed);
	free(s->guess);
	s->guessed = NULL;
	s->guess = NULL;
}

void
search_free(struct search *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->trials; i++)
		free((double *)(uintptr_t)s->trial[i].point);
	free(s->trial);
	search_seen_free(&s->seen);
	free(s->values);
	free(s->dim);
	free(s->is_given);
	guess_free(s);
	free(s);
}

/* Refuse a value of a guess, and say which values there are.  Returns -1. */
static int
refuse_guess(const struct search *s, size_t i, struct error *e)
{
	const char *name = space_name(s->space, i), *value = s->guessed[i];
	const struct search_dim *dim = &s->dim[i];
	char low[NUM_TEXT], high[NUM_TEXT];
	const struct values *v = s->values[i];

	if (!v->is_drawn || v->draw.kind == DRAW_CHOICE ||
	    v->draw.kind == DRAW_NORMAL || v->draw.kind == DRAW_LOGNORMAL)
		return error_set(e,
		    "%s=%s is not in the space: give a value that %s can have",
		    name, value, name);
	return error_set(e,
	    "%s=%s is not in the space: give a %s from %s to %s", name, value,
	    dim->kind == SEARCH_WHOLE ? "whole number" : "value",
	    num_short(dim->low, 6, low), num_short(dim->high, 6, high));
}

/* Take one word of a guess, "lr=1e-3". */
static int
guess_one(struct search *s, char *word, struct error *e)
{
	char *value = strchr(word, '=');
	size_t i;

	if (value == NULL)
		return error_set(e, "'%s': write NAME=VALUE", word);
	*value++ = '\0';
	for (i = 0; i < s->width; i++)
		if (strcmp(space_name(s->space, i), word) == 0)
			break;
	if (i == s->width)
		return error_set(e,
		    "%s: no such hyperparameter: leave it out, or add it to "
		    "the space",
		    word);
	free(s->guessed[i]);
	s->guessed[i] = xstrdup(value);
	s->guess[i] = number_of(s->values[i], &s->dim[i], value);
	return isnan(s->guess[i]) ? refuse_guess(s, i, e) : 0;
}

/* Return the comma before the next NAME=, or the end of the text. */
static char *
end_of_word(char *at)
{
	for (; *at != '\0'; at++)
		if (*at == ',' && at[1 + strcspn(at + 1, "=,")] == '=')
			break;
	return at;
}

int
search_guess(struct search *s, const char *text, int64_t eta, struct error *e)
{
	char *copy = xstrdup(text), *at = copy, *end;
	int rc = 0, more = 1;
	size_t i;

	guess_free(s);
	s->guess = xcalloc(s->width + 1, sizeof *s->guess);
	s->guessed = xcalloc(s->width + 1, sizeof *s->guessed);
	s->eta = eta > 1 ? eta : ETA;
	for (i = 0; i < s->width; i++)
		s->guess[i] = NAN;
	while (rc == 0 && more) {
		end = end_of_word(at);
		more = *end != '\0';
		*end = '\0';
		rc = guess_one(s, at, e);
		at = end + 1;
	}
	free(copy);
	if (rc == -1)
		guess_free(s);
	return rc;
}

int
search_tell(struct search *s, const char *const *texts, int64_t reached,
    double value, int running)
{
	double *point = xcalloc(s->width + 1, sizeof *point);
	size_t i;

	for (i = 0; i < s->width; i++) {
		point[i] = number_at(s, i, texts[i]);
		if (isnan(point[i]) && (texts[i] != NULL || s->is_given[i])) {
			free(point);
			return 1;
		}
	}
	s->trial = xgrow(s->trial, s->trials, sizeof *s->trial);
	search_seen_add(&s->seen, point, s->trials);
	s->trial[s->trials++] =
	    (struct search_trial){point, reached, value, running};
	s->results += !running;
	return 0;
}

void
search_told_others(struct search *s)
{
	s->others = s->trials;
}

/* ---- choosing ---- */

/* Some dimensions, and the trials that have all of them. */
struct subset {
	struct search_dim *dim;
	struct search_trial *trial;
	size_t trials;
	double *points, *guess;
};

static struct subset
subset(const struct search *s, const size_t *which, size_t count)
{
	double *points, *point;
	struct subset z;
	size_t i, d;

	points = xcalloc(s->trials * count + 1, sizeof *points);
	z.dim = xcalloc(count + 1, sizeof *z.dim);
	z.trial = xcalloc(s->trials + 1, sizeof *z.trial);
	z.trials = 0;
	z.points = points;
	z.guess = xcalloc(count + 1, sizeof *z.guess);
	for (d = 0; d < count; d++) {
		z.dim[d] = s->dim[which[d]];
		z.guess[d] = s->guess != NULL ? s->guess[which[d]] : NAN;
	}
	for (i = 0; i < s->trials; i++) {
		point = points + z.trials * count;
		for (d = 0; d < count; d++) {
			point[d] = s->trial[i].point[which[d]];
			if (isnan(point[d]))
				break;
		}
		if (d < count)
			continue;
		z.trial[z.trials] = s->trial[i];
		z.trial[z.trials++].point = point;
	}
	return z;
}

static void
subset_free(struct subset *z)
{
	free(z->dim);
	free(z->trial);
	free(z->points);
	free(z->guess);
}

/* Return the value at a place from 0 to less than 1 of a dimension. */
static double
at_place(const struct search_dim *d, double place)
{
	double low = d->low, high = d->high, value;

	if (d->kind == SEARCH_CHOICE)
		return floor(place * (double)d->choices);
	if (d->kind == SEARCH_WHOLE)
		high += 1;
	value = d->log ? exp(log(low) + place * (log(high) - log(low)))
		       : low + place * (high - low);
	if (d->kind == SEARCH_WHOLE)
		value = floor(value);
	return value < d->low ? d->low : value > d->high ? d->high : value;
}

/* Choose one dimension by itself, without trials. */
static double
choose_alone(const struct search *s, size_t i, uint64_t seed, uint64_t trial)
{
	const struct values *v = s->values[i];
	char room[NUM_TEXT];

	if (s->sampler == SEARCH_QUASI)
		return at_place(&s->dim[i], search_halton(seed, trial, i));
	if (v->is_drawn && v->draw.kind != DRAW_CHOICE)
		return number_of(
		    v, &s->dim[i], values_draw(v, seed, trial, room).text);
	return (double)draw_below(
	    draw_hash(seed, trial, v->name), s->dim[i].choices);
}

/* Choose some dimensions together. */
static void
choose(const struct search *s, const size_t *which, size_t count, uint64_t seed,
    uint64_t trial, double *point)
{
	int learns = s->sampler == SEARCH_TPE && s->results >= SEARCH_TPE_LEAST;
	double *out = xcalloc(count + 1, sizeof *out);
	struct search_prior prior;
	struct subset z;
	size_t i;
	int chosen = learns;

	if (count > 0 && (learns || s->guess != NULL)) {
		z = subset(s, which, count);
		prior = (struct search_prior){
		    z.guess, s->eta, trial == 0 && seed == s->seed};
		if (learns)
			search_tpe(z.dim, count, z.trial, z.trials, s->higher,
			    seed, trial, out);
		else
			chosen = search_prior(&prior, z.dim, count, z.trial,
			    z.trials, s->higher, seed, trial, out);
		subset_free(&z);
	}
	for (i = 0; i < count; i++)
		point[which[i]] = chosen && !isnan(out[i])
		    ? out[i]
		    : choose_alone(s, which[i], seed, trial);
	free(out);
}

/* ---- conditions ---- */

/* A point being chosen. */
struct draft {
	const struct search *s;
	double *point;
	char **text;
	char *is_decided;
};

static const char *
value_of(void *arg, const char *name)
{
	const struct draft *d = arg;
	size_t i;

	for (i = 0; i < d->s->width; i++)
		if (strcmp(space_name(d->s->space, i), name) == 0)
			return d->text[i];
	return NULL;
}

/* Return whether the names in a condition are decided. */
static int
is_ready(const struct draft *d, const struct expression *where)
{
	size_t i, k;

	for (k = 0; k < where->count; k++)
		for (i = 0; i < d->s->width; i++)
			if (!d->is_decided[i] &&
			    strcmp(space_name(d->s->space, i),
				where->comparison[k].name) == 0)
				return 0;
	return 1;
}

/*
 * Return 1 if a name gets a value, 0 if it gets none, -1 if that depends on
 * names that are not decided yet.
 */
static int
is_wanted(struct draft *d, const char *name)
{
	const struct grid *g = d->s->grid;
	size_t i;

	for (i = 0; i < g->whens; i++)
		if (strcmp(g->when[i].name, name) == 0) {
			if (!is_ready(d, g->when[i].where))
				return -1;
			if (expression_holds(g->when[i].where, value_of, d))
				return 1;
		}
	return 0;
}

/* Return the text of a value: a number of the guess stays as it was written. */
static char *
text_at(const struct search *s, size_t i, double value)
{
	if (s->guess != NULL && s->dim[i].kind != SEARCH_CHOICE &&
	    s->values[i]->is_drawn && value == s->guess[i])
		return xstrdup(s->guessed[i]);
	return text_of(s->values[i], value);
}

static void
decide(struct draft *d, size_t i, int is_there)
{
	if (!is_there)
		d->point[i] = NAN;
	is_there = !isnan(d->point[i]);
	free(d->text[i]);
	d->text[i] = is_there ? text_at(d->s, i, d->point[i]) : NULL;
	d->is_decided[i] = 1;
}

/*
 * Decide the names with conditions, in an order in which each condition is
 * known; set gives a value to dimension i.
 */
static void
decide_rest(struct draft *d,
    void (*set)(const struct draft *, size_t i, const void *arg),
    const void *arg)
{
	const struct search *s = d->s;
	int wanted, again = 1;
	size_t i;

	while (again) {
		again = 0;
		for (i = 0; i < s->width; i++) {
			wanted = d->is_decided[i]
			    ? -1
			    : is_wanted(d, space_name(s->space, i));
			if (wanted == -1)
				continue;
			if (wanted)
				set(d, i, arg);
			decide(d, i, wanted);
			again = 1;
		}
	}
	/* Conditions that wait for each other hold for nobody. */
	for (i = 0; i < s->width; i++)
		if (!d->is_decided[i])
			decide(d, i, 0);
}

/* The random numbers of a point. */
struct dice {
	uint64_t seed, trial;
};

static void
roll(const struct draft *d, size_t i, const void *arg)
{
	const struct dice *dice = arg;

	choose(d->s, &i, 1, dice->seed, dice->trial, d->point);
}

/* Choose a value for each name, those with conditions last. */
static void
fill(struct draft *d, uint64_t seed, uint64_t trial)
{
	const struct dice dice = {seed, trial};
	const struct search *s = d->s;
	size_t *which = xcalloc(s->width + 1, sizeof *which), count = 0, i;

	memset(d->is_decided, 0, s->width);
	for (i = 0; i < s->width; i++)
		if (s->is_given[i])
			which[count++] = i;
	choose(s, which, count, seed, trial, d->point);
	for (i = 0; i < count; i++)
		decide(d, which[i], 1);
	free(which);
	decide_rest(d, roll, &dice);
}

/* Return whether --except leaves a point out. */
static int
is_left_out(struct draft *d)
{
	const struct grid *g = d->s->grid;
	size_t i;

	for (i = 0; i < g->excepts; i++)
		if (expression_holds(g->except[i].where, value_of, d))
			return 1;
	return 0;
}

/* Return whether a trial from number first on has this point. */
static int
is_known(const struct draft *d, size_t first)
{
	return search_seen_last(&d->s->seen, d->point) > first;
}

static void
draft_free(struct draft *d, int found)
{
	size_t i;

	for (i = 0; i < d->s->width && !found; i++) {
		free(d->text[i]);
		d->text[i] = NULL;
	}
	free(d->point);
	free(d->is_decided);
}

static struct draft
draft(struct search *s, char **out)
{
	memset(out, 0, s->width * sizeof *out);
	return (struct draft){s, xcalloc(s->width + 1, sizeof(double)), out,
	    xcalloc(s->width + 1, 1)};
}

/*
 * Draw points until one is in the space, and is none of the trials from number
 * first on.
 */
static int
draw_point(struct draft *d, uint64_t trial, size_t first)
{
	uint64_t seed = d->s->seed, i, known = 0;

	for (i = 0; i < MANY_TRIES && known < TRIES; i++) {
		fill(d, seed, trial);
		seed = draw_hash(d->s->seed, i, "again");
		if (is_left_out(d))
			continue;
		if (!is_known(d, first))
			return 1;
		known++;
	}
	return 0;
}

static void
place(const struct draft *d, size_t i, const void *arg)
{
	d->point[i] = ((const double *)arg)[i];
}

/* Set the point to number n of the space, without distributions. */
static void
go_to(struct draft *d, uint64_t n, double *value)
{
	const struct search *s = d->s;
	uint64_t count;
	size_t i;

	memset(d->is_decided, 0, s->width);
	for (i = 0; i < s->width; i++) {
		count = (uint64_t)(s->dim[i].high - s->dim[i].low) + 1;
		value[i] = s->dim[i].low + (double)(n % count);
		n /= count;
		if (!s->is_given[i])
			continue;
		d->point[i] = value[i];
		decide(d, i, 1);
	}
	decide_rest(d, place, value);
}

/* Find such a point by going through a small space. */
static int
walk(struct draft *d, uint64_t trial, size_t first)
{
	const struct search *s = d->s;
	double *value = xcalloc(s->width + 1, sizeof *value), size = 1;
	uint64_t i, start;
	int found = 0;

	for (i = 0; i < s->width; i++)
		size *= s->dim[i].kind == SEARCH_REAL
		    ? INFINITY
		    : s->dim[i].high - s->dim[i].low + 1;
	start = draw_hash(s->seed, trial, "walk") % WALK;
	for (i = 0; size <= WALK && i < (uint64_t)size && !found; i++) {
		go_to(d, (start + i) % (uint64_t)size, value);
		found = !is_left_out(d) && !is_known(d, first);
	}
	free(value);
	return found;
}

int
search_ask(struct search *s, uint64_t trial, char **out)
{
	struct draft d = draft(s, out);
	int is_new = draw_point(&d, trial, 0) || walk(&d, trial, 0), found;

	if (!is_new && s->others > 0)
		is_new = draw_point(&d, trial, s->others) ||
		    walk(&d, trial, s->others);
	found = is_new || draw_point(&d, trial, s->trials);

	draft_free(&d, found);
	if (found)
		search_tell(s, (const char *const *)out, 0, NAN, 1);
	return is_new ? 0 : found ? 1 : -1;
}

void
search_goal(struct search *s, int higher)
{
	s->higher = higher;
}

/* Set a dimension to the value of a text, which may be NULL. */
static void
copy(const struct draft *d, size_t i, const void *arg)
{
	const char *const *texts = arg;

	d->point[i] = number_at(d->s, i, texts[i]);
}

const struct space *
search_space(const struct search *s)
{
	return s->space;
}

const char *
search_only_value(const struct search *s, size_t i, char buffer[NUM_TEXT])
{
	const struct values *v = s->values[i];

	return v->is_drawn || values_count(v) != 1
	    ? NULL
	    : values_get(v, 0, buffer).text;
}

int
search_take(
    struct search *s, const char *const *texts, char **out, struct error *e)
{
	struct draft d = draft(s, out);
	size_t i;
	int rc = 0;

	for (i = 0; i < s->width; i++)
		if (s->is_given[i]) {
			copy(&d, i, texts);
			decide(&d, i, !isnan(d.point[i]));
		}
	decide_rest(&d, copy, texts);
	for (i = 0; i < s->width && rc == 0; i++)
		if (s->is_given[i] ||
		    is_wanted(&d, space_name(s->space, i)) == 1)
			rc = !isnan(d.point[i]) ? 0
			    : texts[i] == NULL
			    ? error_set(
				  e, "%s has no value", space_name(s->space, i))
			    : error_set(e, "%s=%.40s is not in the space",
				  space_name(s->space, i), texts[i]);
	if (rc == 0 && is_left_out(&d))
		rc = error_set(e, "--except leaves this point out");
	if (rc == 0 && is_known(&d, s->others))
		rc = error_set(e, "another task has this point");
	draft_free(&d, rc == 0);
	/* Real numbers keep all their digits. */
	for (i = 0; i < s->width && rc == 0; i++)
		if (out[i] != NULL && s->values[i]->is_drawn &&
		    s->values[i]->draw.kind != DRAW_CHOICE &&
		    s->dim[i].kind == SEARCH_REAL) {
			free(out[i]);
			out[i] = xstrdup(texts[i]);
		}
	if (rc == 0)
		search_tell(s, (const char *const *)out, 0, NAN, 1);
	return rc;
}

/* The point that a trial starts from, and its random numbers. */
struct stride {
	const char *const *texts;
	uint64_t seed, trial;
};

/* Set a dimension to a value near the one of the other point. */
static void
step_from(const struct draft *d, size_t i, const void *arg)
{
	const struct stride *z = arg;
	const struct search *s = d->s;
	const struct values *v = s->values[i];
	double unit[2], value = number_at(s, i, z->texts[i]);

	unit[0] = draw_unit(draw_hash(z->seed + 2, z->trial, v->name));
	unit[1] = draw_unit(draw_hash(z->seed + 1, z->trial, v->name));
	if (!isnan(value))
		value = search_explore_value(&s->dim[i],
		    !v->is_drawn || v->draw.kind == DRAW_CHOICE, value, unit);
	d->point[i] =
	    isnan(value) ? choose_alone(s, i, z->seed, z->trial) : value;
}

int
search_explore(struct search *s, const char *const *texts, uint64_t trial,
    uint64_t step, char **out, struct error *e)
{
	struct draft d = draft(s, out);
	struct stride z = {texts, s->seed, trial};
	size_t i, tries;
	int found = 0;

	for (tries = 0; tries < TRIES && !found; tries++) {
		z.seed = draw_hash(s->seed, step * TRIES + tries, "explore");
		memset(d.is_decided, 0, s->width);
		for (i = 0; i < s->width; i++)
			if (s->is_given[i]) {
				step_from(&d, i, &z);
				decide(&d, i, 1);
			}
		decide_rest(&d, step_from, &z);
		found = !is_left_out(&d);
	}
	draft_free(&d, found);
	return found ? 0 : error_set(e, "--except leaves no points");
}

/* Set a dimension to the value of the guess. */
static void
follow(const struct draft *d, size_t i, const void *arg)
{
	(void)arg;
	d->point[i] = d->s->guess[i];
}

const char *
search_guess_excepted(struct search *s)
{
	char **text = xcalloc(s->width + 1, sizeof *text);
	struct draft d = draft(s, text);
	const struct grid *g = s->grid;
	const char *label = NULL;
	size_t i;

	/* A name without a value makes every comparison false. */
	for (i = 0; i < s->width; i++)
		if (s->is_given[i] && !isnan(s->guess[i])) {
			follow(&d, i, NULL);
			decide(&d, i, 1);
		}
	decide_rest(&d, follow, NULL);
	for (i = 0; i < g->excepts && label == NULL; i++)
		if (expression_holds(g->except[i].where, value_of, &d))
			label = g->except[i].label;
	draft_free(&d, 0);
	free(text);
	return label;
}
