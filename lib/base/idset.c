#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "base/xalloc.h"

/* Maximum count of numbers in an item, and of runs in a text. */
enum { MOST = 10000000, MOST_RUNS = 1000000 };

void
idset_free(struct idset *r)
{
	free(r->run);
	memset(r, 0, sizeof *r);
}

/* Return the first run that ends at or after number, or count. */
static size_t
lower_bound(const struct idset *r, uint64_t number)
{
	size_t low = 0, high = r->count, middle;

	/* Numbers are mostly added in order. */
	if (high > 0 && r->run[high - 1].last < number)
		return high;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (r->run[middle].last < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
idset_add(struct idset *r, uint64_t first, uint64_t last)
{
	size_t from = lower_bound(r, first == 0 ? 0 : first - 1), to = from;

	while (to < r->count &&
	    (last == UINT64_MAX || r->run[to].first <= last + 1)) {
		if (r->run[to].first < first)
			first = r->run[to].first;
		if (r->run[to].last > last)
			last = r->run[to].last;
		to++;
	}
	if (to == from)
		r->run = xgrow(r->run, r->count, sizeof *r->run);
	if (to != from + 1)
		memmove(r->run + from + 1, r->run + to,
		    (r->count - to) * sizeof *r->run);
	r->count = r->count - (to - from) + 1;
	r->run[from] = (struct idset_run){first, last};
}

void
idset_add_all(struct idset *r, const struct idset *more)
{
	size_t i;

	for (i = 0; i < more->count; i++)
		idset_add(r, more->run[i].first, more->run[i].last);
}

/* Read a number at *at and advance *at past it.  Returns 0 or -1. */
static int
take_number(const char **at, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return -1;
	errno = 0;
	*out = strtoull(*at, &end, 10);
	*at = end;
	return errno == ERANGE || *out > INT64_MAX ? -1 : 0;
}

/* Append a run; the caller sorts the runs later. */
static void
append(struct idset *r, uint64_t first, uint64_t last)
{
	r->run = xgrow(r->run, r->count, sizeof *r->run);
	r->run[r->count++] = (struct idset_run){first, last};
}

/* Read an item, "7", "0-4" or "1-9:2", and advance *at.  Returns 0 or -1. */
static int
take_item(struct idset *r, const char **at)
{
	uint64_t first, last, step = 1;

	if (take_number(at, &first) == -1)
		return -1;
	last = first;
	if (**at == '-' && (++*at, take_number(at, &last)) == -1)
		return -1;
	if (**at == ':' && (++*at, take_number(at, &step)) == -1)
		return -1;
	if (last < first || step == 0 || (last - first) / step > MOST)
		return -1;
	if (step == 1) {
		append(r, first, last);
		return 0;
	}
	for (; first <= last && r->count <= MOST_RUNS; first += step)
		append(r, first, first);
	return r->count <= MOST_RUNS ? 0 : -1;
}

static int
compare(const void *pa, const void *pb)
{
	const struct idset_run *a = pa, *b = pb;

	return (a->first > b->first) - (a->first < b->first);
}

int
idset_parse(struct idset *r, const char *text, struct error *e)
{
	const char *at = text;
	struct idset_run *to;
	size_t i;
	int rc;

	memset(r, 0, sizeof *r);
	do
		rc = take_item(r, &at);
	while (rc == 0 && *at == ',' && at++);
	if (rc == -1 || *at != '\0') {
		idset_free(r);
		return error_set(
		    e, "'%s' is not a list of numbers such as 0-4,7", text);
	}
	qsort(r->run, r->count, sizeof *r->run, compare);
	for (to = r->run, i = 1; i < r->count; i++)
		if (r->run[i].first > to->last + 1)
			*++to = r->run[i]; /* has a gap before it */
		else if (r->run[i].last > to->last)
			to->last = r->run[i].last;
	r->count = (size_t)(to - r->run) + 1;
	return 0;
}

int
idset_has(const struct idset *r, uint64_t number)
{
	size_t at = lower_bound(r, number);

	return at < r->count && r->run[at].first <= number;
}

uint64_t
idset_size(const struct idset *r)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < r->count; i++)
		sum += r->run[i].last - r->run[i].first + 1;
	return sum;
}

uint64_t
idset_at(const struct idset *r, uint64_t position)
{
	uint64_t length;
	size_t i;

	for (i = 0; i < r->count; i++) {
		length = r->run[i].last - r->run[i].first + 1;
		if (position < length)
			return r->run[i].first + position;
		position -= length;
	}
	abort();
}

int
idset_next(const struct idset *r, struct idset_walk *walk, uint64_t *number)
{
	if (walk->run == r->count)
		return 0;
	*number = r->run[walk->run].first + walk->passed++;
	if (*number == r->run[walk->run].last)
		*walk = (struct idset_walk){walk->run + 1, 0};
	return 1;
}

uint64_t
idset_position(const struct idset *r, uint64_t number)
{
	uint64_t before = 0;
	size_t i;

	for (i = 0; i < r->count && r->run[i].first < number; i++) {
		if (r->run[i].last < number)
			before += r->run[i].last - r->run[i].first + 1;
		else
			before += number - r->run[i].first;
	}
	return before;
}

/* Return the text of the first runs of a set, followed by dots for others. */
static char *
text_of(const struct idset *r, size_t runs)
{
	char *text = NULL;
	size_t length, i;
	uint64_t rest = 0;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < runs; i++) {
		fprintf(f, "%s%" PRIu64, i > 0 ? "," : "", r->run[i].first);
		if (r->run[i].last > r->run[i].first)
			fprintf(f, "-%" PRIu64, r->run[i].last);
	}
	for (; i < r->count; i++)
		rest += r->run[i].last - r->run[i].first + 1;
	if (rest > 0)
		fprintf(f, ",... and %" PRIu64 " more", rest);
	xmemclose(f);
	return text;
}

char *
idset_text(const struct idset *r)
{
	return text_of(r, r->count);
}

char *
idset_brief(const struct idset *r)
{
	enum { FEW = 10, SOME = 8 };

	return text_of(r, r->count > FEW ? SOME : r->count);
}
