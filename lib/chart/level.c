#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "chart/result.h"

/* A value of a result on the way to its level. */
struct entry {
	const char *text;
	double number;
	size_t result;
	size_t first; /* the first result with the same value */
};

static int
by_number(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->result < y->result ? -1 : x->result > y->result;
}

static int
by_text(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	if (order != 0)
		return order;
	return x->result < y->result ? -1 : x->result > y->result;
}

static int
by_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->result < y->result ? -1 : x->result > y->result;
}

/* The values of the results that have one; whether all are finite numbers. */
static int
collect(const struct chart_results *r, const struct chart_factor *f,
    struct entry *entry, size_t *count)
{
	int numbers = 1;
	size_t i;

	*count = 0;
	for (i = 0; i < r->count; i++) {
		if (f->value[i] == NULL)
			continue;
		entry[*count] = (struct entry){f->value[i], 0, i, i};
		if (!num_parse(f->value[i], &entry[*count].number) ||
		    !isfinite(entry[*count].number))
			numbers = 0;
		++*count;
	}
	return numbers;
}

static int
same(const struct entry *a, const struct entry *b, int numbers)
{
	return numbers ? a->number == b->number : strcmp(a->text, b->text) == 0;
}

/* Sort them so that equal values are neighbours, in the order of levels. */
static size_t
sort(struct entry *entry, size_t count, int numbers)
{
	size_t i, distinct = 0;

	if (count == 0)
		return 0;
	qsort(entry, count, sizeof *entry, numbers ? by_number : by_text);
	for (i = 0; i < count; i++) {
		if (i > 0 && same(&entry[i], &entry[i - 1], numbers))
			entry[i].first = entry[i - 1].first;
		else
			distinct++;
	}
	if (!numbers)
		qsort(entry, count, sizeof *entry, by_first);
	return distinct;
}

static void
add_level(struct chart_levels *l, char *name)
{
	l->name = xgrow(l->name, l->count, sizeof *l->name);
	l->name[l->count++] = name;
}

static void
one_for_each(struct chart_levels *l, const struct entry *entry, size_t count,
    int numbers)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (i == 0 || !same(&entry[i], &entry[i - 1], numbers))
			add_level(l, xstrdup(entry[i].text));
		l->of[entry[i].result] = l->count - 1;
	}
}

static char *
span_name(double low, double high)
{
	char from[NUM_TEXT], to[NUM_TEXT];

	num_short(low, 3, from);
	num_short(high, 3, to);
	return strcmp(from, to) == 0 ? xstrdup(from)
				     : xasprintf("%s..%s", from, to);
}

/* Groups of about the same size; equal numbers stay together. */
static void
group(struct chart_levels *l, const struct entry *entry, size_t count)
{
	enum { GROUPS = 5 };
	size_t i = 0, end, k;

	while (i < count) {
		end = (l->count + 1) * count / GROUPS;
		if (end <= i)
			end = i + 1;
		if (l->count == GROUPS - 1 || end > count)
			end = count;
		while (
		    end < count && entry[end].number == entry[end - 1].number)
			end++;
		add_level(l, span_name(entry[i].number, entry[end - 1].number));
		for (k = i; k < end; k++)
			l->of[entry[k].result] = l->count - 1;
		i = end;
	}
}

void
chart_levels_make(struct chart_levels *l, const struct chart_results *r,
    size_t factor, size_t most)
{
	struct entry *entry = xcalloc(r->count + 1, sizeof *entry);
	size_t count, distinct, i;
	int numbers = collect(r, &r->factor[factor], entry, &count);

	*l = (struct chart_levels){0};
	l->of = xcalloc(r->count + 1, sizeof *l->of);
	for (i = 0; i < r->count; i++)
		l->of[i] = CHART_NO_LEVEL;
	distinct = sort(entry, count, numbers);
	if (numbers && distinct > most)
		group(l, entry, count);
	else
		one_for_each(l, entry, count, numbers);
	free(entry);
}

void
chart_levels_free(struct chart_levels *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		free(l->name[i]);
	free(l->name);
	free(l->of);
	*l = (struct chart_levels){0};
}
