#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/xalloc.h"

/* The maximum number of digits in a number and of brackets in a name. */
enum { DIGITS = 18, BRACKETS = 8 };

static int expand(const char *before, const char *name, size_t length,
    int depth, struct strlist *out, struct error *e);

static int
refuse(const char *what, const char *text, size_t length, struct error *e)
{
	return error_set(
	    e, "'%.*s': %s", (int)(length < 200 ? length : 200), text, what);
}

/* Read digits at *at and advance *at past them.  Returns how many there are. */
static int
digits(const char **at, uint64_t *out)
{
	const char *begin = *at;

	*out = 0;
	while (isdigit((unsigned char)**at) && *at - begin <= DIGITS)
		*out = *out * 10 + (uint64_t)(*(*at)++ - '0');
	return (int)(*at - begin);
}

/* Read "07-09" or "3" at *at and advance *at past it.  Returns 0 or -1. */
static int
read_range(const char **at, uint64_t *first, uint64_t *last, int *width)
{
	*width = digits(at, first);
	*last = *first;
	if (*width == 0 || *width > DIGITS)
		return -1;
	if (**at != '-')
		return 0;
	(*at)++;
	if (digits(at, last) == 0 || *last < *first)
		return -1;
	return *last - *first < HOSTS_MOST ? 0 : -1;
}

/* Add the name with each number of the bracket in place of the bracket. */
static int
expand_bracket(const char *before, const char *bracket, const char *end,
    const char *after, size_t length, int depth, struct strlist *out,
    struct error *e)
{
	const char *at = bracket + 1;
	uint64_t n, last;
	int width, rc = 0;
	char *name;

	while (rc == 0) {
		if (read_range(&at, &n, &last, &width) == -1 ||
		    (at != end && *at != ','))
			return refuse("is no range of numbers", bracket,
			    (size_t)(end - bracket) + 1, e);
		for (; rc == 0 && n <= last; n++) {
			name = xasprintf("%s%0*" PRIu64, before, width, n);
			rc = expand(name, after, length, depth + 1, out, e);
			free(name);
		}
		if (at++ == end)
			break;
	}
	return rc;
}

/* Add all names of before (already expanded) followed by name to out. */
static int
expand(const char *before, const char *name, size_t length, int depth,
    struct strlist *out, struct error *e)
{
	const char *bracket = memchr(name, '[', length), *end;
	char *text;
	int rc;

	if (bracket == NULL) {
		if (out->count >= HOSTS_MOST)
			return error_set(e, "more than %d nodes", HOSTS_MOST);
		strlist_take(
		    out, xasprintf("%s%.*s", before, (int)length, name));
		return 0;
	}
	end = memchr(bracket, ']', length - (size_t)(bracket - name));
	if (end == NULL || depth >= BRACKETS)
		return refuse("cannot be read", name, length, e);
	text = xasprintf("%s%.*s", before, (int)(bracket - name), name);
	rc = expand_bracket(text, bracket, end, end + 1,
	    length - (size_t)(end + 1 - name), depth, out, e);
	free(text);
	return rc;
}

/*
 * Return the length of the first name of a list; commas in brackets do not end
 * a name.  Returns 0 for names with unpaired brackets or special characters.
 */
static size_t
name_length(const char *list, struct error *e)
{
	const char *wrong = NULL;
	int inside = 0;
	size_t n;

	for (n = 0; list[n] != '\0' && (inside || list[n] != ','); n++) {
		if (strchr("[]", list[n]) != NULL) {
			if ((list[n] == '[') == inside && wrong == NULL)
				wrong = "cannot be read";
			inside = list[n] == '[';
		} else if (wrong == NULL &&
		    (!isgraph((unsigned char)list[n]) ||
			strchr("()'\"\\$`;", list[n]) != NULL)) {
			wrong = "is no name of a node";
		}
	}
	if (wrong == NULL && (n == 0 || inside))
		wrong = "cannot be read";
	if (wrong == NULL)
		return n;
	refuse(wrong, list, n, e);
	return 0;
}

int
hostlist_expand(const char *list, struct strlist *out, struct error *e)
{
	size_t before = out->count, n;
	int rc;

	do {
		n = name_length(list, e);
		rc = n == 0 ? -1 : expand("", list, n, 0, out, e);
		list += n;
	} while (rc == 0 && *list++ == ',');
	while (rc == -1 && out->count > before)
		strlist_drop(out, out->count - 1);
	return rc;
}

/* Read "2" or "2(x3)" at *at and advance *at past it.  Returns 0 or -1. */
static int
read_number(const char **at, uint64_t *number, uint64_t *times)
{
	int n = digits(at, number);

	*times = 1;
	if (n == 0 || n > DIGITS)
		return -1;
	if (strncmp(*at, "(x", 2) != 0)
		return 0;
	*at += 2;
	n = digits(at, times);
	return n == 0 || n > DIGITS || *(*at)++ != ')' ? -1 : 0;
}

int
hostlist_numbers(const char *text, size_t count, size_t **out, struct error *e)
{
	size_t *list = xcalloc(count + 1, sizeof *list), filled = 0;
	const char *at = text;
	uint64_t number, times;
	int rc;

	do {
		rc = read_number(&at, &number, &times);
		if (rc == -1 || (*at != ',' && *at != '\0'))
			rc = error_set(e, "'%s': cannot be read", text);
		else if (times > count - filled)
			rc = error_set(
			    e, "'%s': stands for more than %zu", text, count);
		while (rc == 0 && times-- > 0)
			list[filled++] = (size_t)number;
	} while (rc == 0 && *at++ == ',');
	if (rc == 0 && filled != count)
		rc = error_set(
		    e, "'%s': stands for fewer than %zu", text, count);
	if (rc == 0)
		*out = list;
	else
		free(list);
	return rc;
}
