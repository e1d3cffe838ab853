#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/resource.h"
#include "base/strlist.h"
#include "base/xalloc.h"
#include "space/decimal.h"
#include "space/notation.h"
#include "space/words.h"

/*
 * Set e to "lr: 1:10: ADVICE", with the way to write the text itself if it
 * needs no other quotes.  Frees advice; returns -1.
 */
static int
refuse(const char *name, const char *text, char *advice, struct error *e)
{
	if (strpbrk(text, "'\"\\") != NULL)
		error_set(e, "%s: %.60s: %s", name, text, advice);
	else
		error_set(e,
		    "%s: %.60s: %s (write %s:='[\"%.60s\"]' for this very "
		    "text)",
		    name, text, advice, name, text);
	free(advice);
	return -1;
}

/* ---- brackets and calls ---- */

/* Return the bracket that closes c, or 0. */
static char
closing(char c)
{
	return c == '[' ? ']' : c == '(' ? ')' : c == '{' ? '}' : 0;
}

/* Return whether the bracket at the start of text closes at its end. */
static int
is_enclosed(const char *text)
{
	size_t length = strlen(text), i;
	int depth = 0;

	if (length < 2 || text[length - 1] != closing(text[0]))
		return 0;
	for (i = 0; i < length - 1; i++) {
		depth += text[i] == text[0];
		depth -= text[i] == text[length - 1];
		if (depth == 0)
			return 0;
	}
	return 1;
}

/*
 * Split the text between brackets at its commas.  Blanks and quotes around the
 * parts are dropped.
 */
static struct strlist
parts_of(const char *enclosed)
{
	char *rest = xstrndup(enclosed + 1, strlen(enclosed) - 2);
	char *copy = rest, *part, *end;
	struct strlist parts = {0};

	while ((part = strsep(&rest, ",")) != NULL) {
		part += strspn(part, " '\"");
		end = part + strlen(part);
		while (end > part && strchr(" '\"", end[-1]) != NULL)
			end--;
		*end = '\0';
		strlist_push(&parts, part);
	}
	free(copy);
	return parts;
}

static int
are_numbers(const struct strlist *words)
{
	size_t i;

	for (i = 0; i < words->count; i++)
		if (!decimal_is(words->word[i]))
			return 0;
	return words->count > 0;
}

/* Return how to write items that are in brackets; to free. */
static char *
without_brackets(const char *name, const char *items)
{
	struct strlist parts = parts_of(items);
	char *joined, *advice;
	size_t i, nested = 0;

	for (i = 0; i < parts.count; i++)
		nested += *parts.word[i] == '\0' ||
		    strpbrk(parts.word[i], "[](){}") != NULL;
	joined = strlist_join(&parts, ",");
	if (nested == 0)
		advice = xasprintf(
		    "values need no brackets: write %s=%s", name, joined);
	else if (items[strspn(items, "[]0123456789,.+-eE ")] == '\0' &&
	    strstr(items, ",,") == NULL && strstr(items, "[,") == NULL &&
	    strstr(items, ",]") == NULL)
		advice = xasprintf("values with brackets are written as "
				   "JSON: %s:='%s'",
		    name, items);
	else
		advice = xasprintf("values need no brackets, only commas "
				   "between them, as in %s=1,2",
		    name);
	free(joined);
	strlist_free(&parts);
	return advice;
}

/* Return the range for Python's range(3), range(1,9) or range(0,9,2). */
static char *
range_of(const char *name, const struct strlist *f)
{
	int64_t n[3] = {0, 0, 1};
	size_t i, first = f->count == 1;

	for (i = 0; i < f->count && i < 3; i++)
		if (num_int("", f->word[i], INT32_MIN, INT32_MAX, &n[first + i],
			NULL) == -1)
			return NULL;
	if (f->count > 3 || n[2] == 0)
		return NULL;
	n[1] -= n[2] > 0 ? 1 : -1;
	if (n[2] > 0 ? n[1] <= n[0] : n[1] >= n[0])
		return NULL;
	return f->count < 3
	    ? xasprintf(
		  "write %s=%lld..%lld", name, (long long)n[0], (long long)n[1])
	    : xasprintf("write %s=%lld..%lld..%lld", name, (long long)n[0],
		  (long long)n[1], (long long)n[2]);
}

/* Return how to write logspace(-4, -1, 4), whose ends are powers of 10. */
static char *
logarithms(const char *name, const struct strlist *f)
{
	char from[NUM_TEXT], to[NUM_TEXT];
	double a = 0, b = 0;

	if (f->count < 2 || f->count > 3)
		return NULL;
	num_parse(f->word[0], &a);
	num_parse(f->word[1], &b);
	return xasprintf("write %s=log:%s:%s:%s", name,
	    num_exact(pow(10, a), from), num_exact(pow(10, b), to),
	    f->count == 3 ? f->word[2] : "50");
}

/*
 * Return how to write a call such as range(3) or uniform(0, 1); to free.  NULL
 * if the text is no call of a generator or of one of Python's ranges.
 */
static char *
without_call(const char *name, const char *text)
{
	const char *open = strchr(text, '('), *at = text, *dot;
	char *function, *joined, *words = NULL;
	struct strlist f;
	int is_range;

	if (open == NULL || !is_enclosed(open))
		return NULL;
	while ((dot = memchr(at, '.', (size_t)(open - at))) != NULL)
		at = dot + 1;
	function = xstrndup(at, (size_t)(open - at));
	is_range =
	    strcmp(function, "range") == 0 || strcmp(function, "arange") == 0;
	f = parts_of(open);
	joined = strlist_join(&f, ":");
	if (is_range && are_numbers(&f)) {
		words = range_of(name, &f);
		if (words == NULL)
			words = xasprintf("write a range as in %s=0..9, with a "
					  "step as in %s=0..0.5..0.1",
			    name, name);
	} else if (strcmp(function, "linspace") == 0 && are_numbers(&f)) {
		words = xasprintf("write %s=lin:%s", name, joined);
	} else if (strcmp(function, "logspace") == 0 && are_numbers(&f)) {
		words = logarithms(name, &f);
	} else if (strcmp(function, "geomspace") == 0 && are_numbers(&f)) {
		words = xasprintf("write %s=log:%s", name, joined);
	} else if (f.count > 1 && !is_range && words_is_generator(function) &&
	    (are_numbers(&f) || strcmp(function, "choice") == 0)) {
		words = xasprintf("write %s=%s:%s", name, function, joined);
	}
	free(joined);
	strlist_free(&f);
	free(function);
	return words;
}

/* Check all items for brackets around them, and for a call. */
static int
check_list(const char *name, const char *items, struct error *e)
{
	const char *inner = items + 1;
	char *words;

	/* Who writes "\," knows what a comma does. */
	if (strchr(items, '\\') != NULL)
		return 0;
	if (is_enclosed(items) &&
	    (strchr(inner, ',') != NULL ||
		((isdigit((unsigned char)*inner) || *inner == '-') &&
		    strstr(inner, "..") != NULL)))
		return refuse(name, items, without_brackets(name, items), e);
	words = without_call(name, items);
	return words == NULL ? 0 : refuse(name, items, words, e);
}

/* ---- two numbers ---- */

static int
is_whole(const char *number)
{
	number += *number == '-' || *number == '+';
	return number[strspn(number, "0123456789")] == '\0';
}

/* Return how to write the numbers between two others; to free. */
static char *
between(const char *name, const char *from, const char *to)
{
	double a = 0, b = 0;

	num_parse(from, &a);
	num_parse(to, &b);
	if (is_whole(from) && is_whole(to))
		return xasprintf("write %s=%s..%s", name, from, to);
	if (a > 0 && b / a >= 100)
		return xasprintf(
		    "write %s=loguniform:%s:%s to draw, or %s=log:%s:%s:5",
		    name, from, to, name, from, to);
	return xasprintf("write %s=uniform:%s:%s to draw, or %s=lin:%s:%s:5",
	    name, from, to, name, from, to);
}

/* Return whether the text is like 05: no number is written with such a zero. */
static int
has_zero(const char *text)
{
	return text[0] == '0' && isdigit((unsigned char)text[1]);
}

/*
 * Check for two growing numbers with this character between them.  The first
 * place where both sides are numbers counts, so 1e-5-1e-1 is 1e-5 and 1e-1.
 */
static int
check_pair(const char *name, const char *item, char mark, struct error *e)
{
	const char *at = item;
	double low, high;
	char *from;
	int rc = 0;

	while (rc == 0 && (at = strchr(at + 1, mark)) != NULL) {
		from = xstrndup(item, (size_t)(at - item));
		if (decimal_is(from) && decimal_is(at + 1) && !has_zero(from) &&
		    !has_zero(at + 1) && num_parse(from, &low) &&
		    num_parse(at + 1, &high) && low < high)
			rc = refuse(name, item, between(name, from, at + 1), e);
		free(from);
	}
	return rc;
}

/* Check one item for numbers with a ":" or "-" between them. */
static int
check_item(const char *name, const char *item, struct error *e)
{
	char *enclosed, *c;
	struct strlist f;
	int is_range;

	if (*item == '\0')
		return 0;
	if (check_pair(name, item, ':', e) == -1 ||
	    check_pair(name, item, '-', e) == -1)
		return -1;
	enclosed = xasprintf("(%s)", item);
	for (c = enclosed; *c != '\0'; c++)
		if (*c == ':')
			*c = ',';
	f = parts_of(enclosed);
	/* 1:30:00 is a time. */
	is_range = f.count == 3 && are_numbers(&f) &&
	    (strlen(f.word[1]) != 2 || strlen(f.word[2]) != 2);
	strlist_free(&f);
	free(enclosed);
	if (!is_range)
		return 0;
	return refuse(name, item,
	    xasprintf("write a range with a step as in %s=0..0.5..0.1", name),
	    e);
}

int
notation_check(const char *name, const char *items, struct error *e)
{
	const char *at = items, *end;
	char *item;
	int rc = check_list(name, items, e);

	/* @time=8:00 is a time. */
	while (rc == 0 && !resource_is(name) && *at != '\0') {
		for (end = at; *end != '\0' && *end != ','; end++)
			end += end[0] == '\\' && end[1] != '\0';
		item = xstrndup(at, (size_t)(end - at));
		rc = check_item(name, item, e);
		free(item);
		at = end + (*end == ',');
	}
	return rc;
}
