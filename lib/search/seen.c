#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "search/seen.h"
#include "space/draw.h"

enum { LEAST_ROOM = 16 };

static uint64_t
hash(const double *point, size_t width)
{
	uint64_t h = 0, bits;
	double value;
	size_t i;

	for (i = 0; i < width; i++) {
		value = isnan(point[i]) ? INFINITY : point[i] + 0.0; /* no -0 */
		memcpy(&bits, &value, sizeof bits);
		h = draw_hash(h, bits, "");
	}
	return h;
}

static int
is_same(const double *a, const double *b, size_t width)
{
	size_t i;

	for (i = 0; i < width; i++)
		if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
			return 0;
	return 1;
}

/* Return the place of a point, which is free if no trial has it. */
static size_t
place_of(const struct search_seen *s, const double *point)
{
	size_t at = hash(point, s->width) & (s->room - 1);

	while (s->point[at] != NULL && !is_same(s->point[at], point, s->width))
		at = (at + 1) & (s->room - 1);
	return at;
}

/* Keep at least half of the places free. */
static void
grow(struct search_seen *s)
{
	struct search_seen old = *s;
	size_t i;

	if (2 * s->count < s->room)
		return;
	s->room = old.room > 0 ? 2 * old.room : LEAST_ROOM;
	s->count = 0;
	s->point = xcalloc(s->room, sizeof *s->point);
	s->last = xcalloc(s->room, sizeof *s->last);
	for (i = 0; i < old.room; i++)
		if (old.point[i] != NULL)
			search_seen_add(s, old.point[i], old.last[i] - 1);
	search_seen_free(&old);
}

void
search_seen_add(struct search_seen *s, const double *point, size_t trial)
{
	size_t at;

	grow(s);
	at = place_of(s, point);
	s->count += s->point[at] == NULL;
	s->point[at] = point;
	s->last[at] = trial + 1;
}

size_t
search_seen_last(const struct search_seen *s, const double *point)
{
	return s->count > 0 ? s->last[place_of(s, point)] : 0;
}

void
search_seen_free(struct search_seen *s)
{
	free(s->point);
	free(s->last);
}
