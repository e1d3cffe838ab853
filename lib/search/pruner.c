#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "search/pruner.h"

enum {
	ETA = 3,
	ETA_MOST = 1000,
	SHARE = 16 /* the first rung is at this share of the epochs */
};

static const char *const kinds[] = {
    "asha", "hyperband", "median", "pbt", "none"};

/* ---- settings ---- */

static int
set(struct search_pruner *p, const char *word, struct error *e)
{
	const char *value = strchr(word, '=');
	size_t length = value != NULL ? (size_t)(value - word) : 0;

	if (value != NULL && length == 3 && strncmp(word, "eta", 3) == 0)
		return num_int("eta", value + 1, 2, ETA_MOST, &p->eta, e);
	if (value != NULL && length == 5 && strncmp(word, "first", 5) == 0)
		return num_int("first", value + 1, 1, INT32_MAX, &p->first, e);
	return error_set(e, "'%s': write eta=N or first=EPOCH", word);
}

int
search_pruner_parse(
    const char *text, struct search_pruner *out, struct error *e)
{
	struct search_pruner p = {.eta = ETA, .higher = out->higher};
	char *copy = xstrdup(text), *rest = copy, *word = strsep(&rest, ",");
	int kind = text_among(word, kinds, sizeof kinds / sizeof *kinds);
	const char *value = strchr(word, '=');
	int rc = 0;

	if (kind == -1 && value != NULL)
		rc = error_set(e,
		    "'%s': write a comma before the settings, as in asha,eta=4",
		    word);
	else if (kind == -1)
		rc = error_set(e,
		    "'%s': no such pruner (asha, hyperband, median or none)",
		    word);
	p.kind = (enum search_pruner_kind)(kind == -1 ? 0 : kind);
	while (rc == 0 && (word = strsep(&rest, ",")) != NULL)
		rc = set(&p, word, e);
	if (rc == 0 && p.kind == SEARCH_NONE && strcmp(text, "none") != 0)
		rc = error_set(e, "%s: none has no settings: write none", text);
	if (rc == 0)
		*out = p;
	free(copy);
	return rc;
}

char *
search_pruner_text(const struct search_pruner *p)
{
	size_t length;
	char *text;
	FILE *out = xmemopen(&text, &length);

	fputs(kinds[p->kind], out);
	if (p->kind != SEARCH_NONE && p->kind != SEARCH_MEDIAN)
		fprintf(out, ",eta=%" PRId64, p->eta);
	if (p->kind != SEARCH_NONE && p->first > 0)
		fprintf(out, ",first=%" PRId64, p->first);
	xmemclose(out);
	return text;
}

void
search_pruner_complete(struct search_pruner *p, int64_t epochs)
{
	if (p->first == 0)
		p->first = epochs / SHARE > 1 ? epochs / SHARE : 1;
}

/* ---- rungs ---- */

size_t
search_brackets(const struct search_pruner *p, int64_t epochs)
{
	int64_t at = p->first;
	size_t n = 0;

	if (p->kind != SEARCH_HYPERBAND)
		return 1;
	/* The last bracket may have no rung: its trials are never stopped. */
	for (; at <= epochs; at *= p->eta)
		n++;
	return n > 0 ? n : 1;
}

/* The CRC-32 of ISO 3309, as zlib has it, four bits at a time. */
static uint32_t
crc32(const char *text)
{
	static const uint32_t step[] = {0x00000000, 0x1db71064, 0x3b6e20c8,
	    0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
	    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0,
	    0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
	uint32_t crc = 0xffffffff;

	for (; *text != '\0'; text++) {
		crc ^= (unsigned char)*text;
		crc = crc >> 4 ^ step[crc & 15];
		crc = crc >> 4 ^ step[crc & 15];
	}
	return ~crc;
}

/* Return the share of trials that bracket s of n has. */
static uint64_t
share(const struct search_pruner *p, size_t n, size_t s)
{
	uint64_t power = 1, left = n - s;
	size_t i;

	for (i = s; i + 1 < n; i++)
		power *= (uint64_t)p->eta;
	return (n * power + left - 1) / left;
}

size_t
search_bracket_of(const struct search_pruner *p, int64_t epochs,
    const char *study, uint64_t trial)
{
	size_t n = search_brackets(p, epochs), s;
	uint64_t all = 0, at;
	char *key;

	if (n == 1)
		return 0;
	for (s = 0; s < n; s++)
		all += share(p, n, s);
	key = xasprintf("%s_%" PRIu64, study, trial);
	at = crc32(key) % all;
	free(key);
	for (s = 0; at >= share(p, n, s); s++)
		at -= share(p, n, s);
	return s;
}

/* Return whether all rungs have the same distance. */
static int
is_even(const struct search_pruner *p)
{
	return p->kind == SEARCH_MEDIAN || p->kind == SEARCH_PBT;
}

/* Return which multiples of first are rungs: 1 for all, 2 for every second. */
static int64_t
stride(const struct search_pruner *p, int64_t epochs)
{
	int64_t most =
	    p->kind == SEARCH_PBT ? SEARCH_PBT_RUNGS : SEARCH_MEDIAN_RUNGS;

	return ((epochs - 1) / p->first - 1) / most + 1;
}

int64_t
search_rung(
    const struct search_pruner *p, int64_t epochs, size_t bracket, size_t i)
{
	int64_t at = p->first;
	size_t k;

	if (p->kind == SEARCH_NONE)
		return 0;
	if (is_even(p))
		at *= 1 + (int64_t)i * stride(p, epochs);
	for (k = 0; !is_even(p) && k < bracket + i && at < epochs; k++)
		at *= p->eta;
	return at < epochs ? at : 0;
}

/* ---- decisions ---- */

/* Return a value as one of which lower is better; worst is infinity. */
static double
cost(const struct search_pruner *p, double value)
{
	if (!isfinite(value))
		return INFINITY;
	return p->higher ? -value : value;
}

/* Exchange costs until the k-th, counted from 0, is where sorting puts it. */
static void
select_cost(double *cost, size_t count, size_t k)
{
	size_t low = 0, high = count - 1, i, j;
	double pivot, other;

	while (low < high) {
		pivot = cost[low + (high - low) / 2];
		i = low;
		j = high;
		for (;;) {
			while (cost[i] < pivot)
				i++;
			while (cost[j] > pivot)
				j--;
			if (i >= j)
				break;
			other = cost[i];
			cost[i++] = cost[j];
			cost[j--] = other;
		}
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
}

/* Return how many of so many trials at a rung continue. */
static size_t
kept_of(const struct search_pruner *p, size_t count)
{
	size_t eta = p->kind == SEARCH_MEDIAN ? 2 : (size_t)p->eta;

	return count / eta > 1 ? count / eta : 1;
}

double
search_needed(const struct search_pruner *p, const struct search_value *values,
    size_t count)
{
	double *costs = xcalloc(count, sizeof *costs), found = INFINITY;
	size_t i;

	for (i = 0; i < count; i++)
		costs[i] = cost(p, values[i].value);
	if (count > 0) {
		i = kept_of(p, count) - 1;
		select_cost(costs, count, i);
		found = costs[i];
	}
	free(costs);
	if (!isfinite(found))
		return NAN;
	return p->higher ? -found : found;
}

int
search_judge(const struct search_pruner *p, const struct search_value *values,
    size_t count, const struct search_value *own, struct search_standing *out)
{
	struct search_standing s = {.count = count, .kept = kept_of(p, count)};
	double mine = cost(p, own->value), other;
	size_t i;

	for (i = 0; i < count; i++) {
		other = cost(p, values[i].value);
		s.better += other < mine;
		s.equal += other == mine && values[i].trial < own->trial;
	}
	if (p->kind != SEARCH_NONE && p->kind != SEARCH_PBT)
		s.stop = isinf(mine) ||
		    (count >= search_least(p) && s.better + s.equal >= s.kept);
	if (out == NULL)
		return s.stop;
	s.needed = search_needed(p, values, count);
	*out = s;
	return s.stop;
}
