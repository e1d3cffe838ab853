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

/* Order by number, and equal ones by result; for qsort. */
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

static int
same(const struct entry *a, const struct entry *b, int numbers)
{
	return numbers ? a->number == b->number : strcmp(a->text, b->text) == 0;
}

/* Make levels of about the same size; equal numbers stay together. */
static void
group(struct chart_levels *l, const struct entry *entry, size_t count)
{
	enum { GROUPS = 5 };
	char from[NUM_TEXT], to[NUM_TEXT];
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
		num_short(entry[i].number, 3, from);
		num_short(entry[end - 1].number, 3, to);
		l->name[l->count++] = strcmp(from, to) == 0
		    ? xstrdup(from)
		    : xasprintf("%s..%s", from, to);
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
	const char *const *value = r->factor[factor].value;
	size_t count = 0, distinct = 0, i;
	int numbers = 1;

	*l = (struct chart_levels){0};
	l->of = xcalloc(r->count + 1, sizeof *l->of);
	for (i = 0; i < r->count; i++) {
		l->of[i] = CHART_NO_LEVEL;
		if (value[i] == NULL)
			continue;
		entry[count] = (struct entry){value[i], 0, i, i};
		numbers &= num_parse(value[i], &entry[count].number) &&
		    isfinite(entry[count].number);
		count++;
	}
	l->name = xcalloc(count + 1, sizeof *l->name);
	if (count > 0)
		qsort(
		    entry, count, sizeof *entry, numbers ? by_number : by_text);
	for (i = 0; i < count; i++)
		if (i > 0 && same(&entry[i], &entry[i - 1], numbers))
			entry[i].first = entry[i - 1].first;
		else
			distinct++;
	if (!numbers)
		qsort(entry, count, sizeof *entry, by_first);
	if (numbers && distinct > most)
		group(l, entry, count);
	for (i = 0; i < count && (!numbers || distinct <= most); i++) {
		if (i == 0 || !same(&entry[i], &entry[i - 1], numbers))
			l->name[l->count++] = xstrdup(entry[i].text);
		l->of[entry[i].result] = l->count - 1;
	}
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
