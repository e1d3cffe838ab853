#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "space/decimal.h"
#include "space/values.h"

struct values *
values_new(const char *name)
{
	struct values *v = xcalloc(1, sizeof *v);

	v->name = xstrdup(name);
	return v;
}

static void
drop_texts(struct values *v, size_t from)
{
	for (; v->texts > from; v->texts--)
		free((char *)v->text[v->texts - 1].text);
	if (v->texts == 0) {
		free(v->text);
		v->text = NULL;
	}
}

void
values_free(struct values *v)
{
	if (v == NULL)
		return;
	drop_texts(v, 0);
	free(v->run);
	free(v->name);
	free(v);
}

uint64_t
values_count(const struct values *v)
{
	const struct values_run *last;

	if (v->runs == 0)
		return 0;
	last = &v->run[v->runs - 1];
	return last->first + last->count;
}

/* Append a run without values. */
static struct values_run *
new_run(struct values *v)
{
	uint64_t first = values_count(v);

	v->run = xgrow(v->run, v->runs, sizeof *v->run);
	v->run[v->runs] = (struct values_run){.first = first};
	return &v->run[v->runs++];
}

int
values_push_text(struct values *v, char *text, int is_json, struct error *e)
{
	struct values_run *run = v->runs ? &v->run[v->runs - 1] : NULL;

	if (v->texts == VALUES_TEXTS) {
		free(text);
		return error_set(e, "%s: more than %d values in a list",
		    v->name, VALUES_TEXTS);
	}
	v->text = xgrow(v->text, v->texts, sizeof *v->text);
	v->text[v->texts] =
	    (struct values_one){.text = text, .is_json = is_json};
	if (run == NULL || run->is_range) {
		run = new_run(v);
		run->text = v->texts;
	}
	run->count++;
	v->texts++;
	return 0;
}

int
values_push_range(struct values *v, int64_t start, int64_t step, uint64_t count,
    int places, struct error *e)
{
	struct values_run *run;

	if (v->runs >= VALUES_RANGES)
		return error_set(
		    e, "%s: more than %d ranges", v->name, VALUES_RANGES);
	run = new_run(v);
	run->is_range = 1;
	run->start = start;
	run->step = step;
	run->count = count;
	run->places = places;
	return 0;
}

struct values_mark
values_mark(const struct values *v)
{
	return (struct values_mark){v->texts, v->runs,
	    v->runs ? v->run[v->runs - 1].count : 0, v->is_inexact};
}

void
values_go_back(struct values *v, const struct values_mark *m)
{
	drop_texts(v, m->texts);
	v->runs = m->runs;
	if (v->runs > 0) {
		v->run[v->runs - 1].count = m->in_last;
	} else {
		free(v->run);
		v->run = NULL;
	}
	v->is_inexact = m->is_inexact;
	v->is_drawn = 0;
}

/* ---- values given twice ---- */

static int
by_bytes(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	if (x == NULL || y == NULL)
		return (x != NULL) - (y != NULL);
	return strcmp(x, y);
}

static int
range_has_text(const struct values_run *run, const char *text)
{
	char own[NUM_TEXT];
	struct decimal d;
	int64_t steps;

	if (text == NULL || !decimal_is(text) ||
	    decimal_parse(text, &d) == -1 || d.places != run->places)
		return 0;
	steps = (d.units - run->start) / run->step;
	if ((d.units - run->start) % run->step != 0 || steps < 0 ||
	    (uint64_t)steps >= run->count)
		return 0;
	decimal_write(d.units, d.places, own);
	return strcmp(own, text) == 0;
}

/* Describe a range from its smaller end. */
static void
upward(const struct values_run *run, decimal_wide *from, decimal_wide *to,
    decimal_wide *step)
{
	decimal_wide end =
	    run->start + (decimal_wide)run->step * (run->count - 1);

	*from = run->step > 0 ? run->start : end;
	*to = run->step > 0 ? end : run->start;
	*step = run->step > 0 ? run->step : -(decimal_wide)run->step;
}

/* Return the greatest common divisor g of a and b; *x has a * *x = g mod b. */
static decimal_wide
divisor(decimal_wide a, decimal_wide b, decimal_wide *x)
{
	decimal_wide x0 = 1, x1 = 0, m = b, quotient, next;

	while (b != 0) {
		quotient = a / b;
		next = a - quotient * b;
		a = b;
		b = next;
		next = x0 - quotient * x1;
		x0 = x1;
		x1 = next;
	}
	*x = m == 0 ? 0 : (x0 % m + m) % m;
	return a;
}

/*
 * Return whether two ranges share a value, and set *at to it.  The numbers in
 * both progressions form a progression, too.
 */
static int
ranges_meet(const struct values_run *a, const struct values_run *b, int64_t *at)
{
	decimal_wide from, to, step, from2, to2, step2, g, x, k;

	upward(a, &from, &to, &step);
	upward(b, &from2, &to2, &step2);
	g = divisor(step, step2, &x);
	if (a->places != b->places || (from2 - from) % g != 0)
		return 0;
	k = (from2 - from) / g % (step2 / g) * (x % (step2 / g)) % (step2 / g);
	k = from + step * (k < 0 ? k + step2 / g : k);
	step = step / g * step2;
	if (k < from2)
		k += (from2 - k + step - 1) / step * step;
	*at = (int64_t)k;
	return k <= to && k <= to2;
}

int
values_check(const struct values *v, struct error *e)
{
	const struct values_run *run, *end = v->run, *other;
	const char **sorted = xcalloc(v->texts, sizeof *sorted), *text = NULL;
	char buffer[NUM_TEXT];
	int found = 0;
	int64_t at;
	size_t i;

	for (i = 0; i < v->texts; i++)
		sorted[i] = v->text[i].text;
	qsort(sorted, v->texts, sizeof *sorted, by_bytes);
	for (i = 1; i < v->texts && !found; i++) {
		text = sorted[i];
		found = by_bytes(&sorted[i - 1], &sorted[i]) == 0;
	}
	free(sorted);
	if (v->runs > 0)
		end += v->runs;
	for (run = v->run; run < end && !found; run++) {
		if (!run->is_range)
			continue;
		for (i = 0; i < v->texts && !found; i++) {
			text = v->text[i].text;
			found = range_has_text(run, text);
		}
		for (other = run + 1; other < end && !found; other++)
			if (other->is_range && ranges_meet(run, other, &at)) {
				decimal_write(at, run->places, buffer);
				text = buffer;
				found = 1;
			}
	}
	if (!found)
		return 0;
	return error_set(e, "%s: a value is given twice (%.60s): leave one out",
	    v->name, text ? text : "null");
}

/* ---- getting ---- */

static const struct values_run *
find_run(const struct values *v, uint64_t i)
{
	size_t low = 0, high = v->runs, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (v->run[middle].first <= i)
			low = middle;
		else
			high = middle;
	}
	return &v->run[low];
}

size_t
values_number(
    const struct values *v, uint64_t i, char out[NUM_TEXT], size_t length)
{
	const struct values_run *run = find_run(v, i);
	int64_t steps = (int64_t)(i - run->first);

	if (!run->is_range)
		return 0;
	/* Most numbers differ from the one before in their last digit. */
	if (length > 0 && steps > 0 && *out != '-' && run->step > 0 &&
	    run->step <= '9' - out[length - 1]) {
		out[length - 1] = (char)(out[length - 1] + run->step);
		return length;
	}
	return decimal_write(run->start + steps * run->step, run->places, out);
}

struct values_one
values_get(const struct values *v, uint64_t i, char buffer[NUM_TEXT])
{
	const struct values_run *run = find_run(v, i);

	if (!run->is_range)
		return v->text[run->text + i - run->first];
	values_number(v, i, buffer, 0);
	return (struct values_one){.text = buffer, .is_number = 1};
}

struct values_one
values_draw(const struct values *v, uint64_t seed, uint64_t sample,
    char buffer[NUM_TEXT])
{
	uint64_t hash = draw_hash(seed, sample, v->name);

	if (v->draw.kind == DRAW_CHOICE)
		return v->text[draw_below(hash, v->texts)];
	return (struct values_one){
	    .text = draw_write(&v->draw, hash, buffer), .is_number = 1};
}
