#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/xalloc.h"

/* Maximum number of digits in a number that is folded. */
enum { DIGITS = 18 };

/* A name, split at its last number; without a number, digits is 0. */
struct part {
	const char *name, *after;
	size_t before, digits;
	uint64_t number;
};

static int
is_digit(char c)
{
	return isdigit((unsigned char)c) != 0;
}

int
hostlist_compare(const char *a, const char *b)
{
	const char *s = a, *t = b;
	int order = 0;
	size_t n, m;

	while (order == 0 && *s != '\0' && *t != '\0') {
		if (!is_digit(*s) || !is_digit(*t)) {
			order = (unsigned char)*s++ - (unsigned char)*t++;
			continue;
		}
		s += strspn(s, "0");
		t += strspn(t, "0");
		n = strspn(s, "0123456789");
		m = strspn(t, "0123456789");
		order = n != m ? (n > m) - (n < m) : strncmp(s, t, n);
		s += n;
		t += m;
	}
	if (order == 0)
		order = (*s != '\0') - (*t != '\0');
	return order != 0 ? order : strcmp(a, b);
}

static struct part
take_apart(const char *name)
{
	size_t end = strlen(name), begin;

	while (end > 0 && !is_digit(name[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && is_digit(name[begin - 1]))
		begin--;
	if (end == begin || end - begin > DIGITS)
		return (struct part){name, "", strlen(name), 0, 0};
	return (struct part){name, name + end, begin, end - begin,
	    strtoull(name + begin, NULL, 10)};
}

static int
is_like(const struct part *a, const struct part *b)
{
	return a->digits > 0 && b->digits > 0 && a->before == b->before &&
	    strncmp(a->name, b->name, a->before) == 0 &&
	    strcmp(a->after, b->after) == 0;
}

/* Sort by the text before the number, the text after it, the number. */
static int
compare(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;
	char *s = xstrndup(a->name, a->before);
	char *t = xstrndup(b->name, b->before);
	int order = hostlist_compare(s, t);

	free(s);
	free(t);
	if (order == 0)
		order = (a->digits > 0) - (b->digits > 0);
	if (order == 0)
		order = strcmp(a->after, b->after);
	if (order == 0 && a->number != b->number)
		order = a->number < b->number ? -1 : 1;
	return order != 0 ? order : strcmp(a->name, b->name);
}

/* Return whether b follows a in a range whose first name is first. */
static int
follows(const struct part *first, const struct part *a, const struct part *b)
{
	char digits[DIGITS + 2];
	int n;

	if (!is_like(a, b) || b->number != a->number + 1)
		return 0;
	n = snprintf(
	    digits, sizeof digits, "%0*" PRIu64, (int)first->digits, b->number);
	return n == (int)b->digits &&
	    strncmp(digits, b->name + b->before, b->digits) == 0;
}

/* Write the first parts that differ in the number only.  Returns how many. */
static size_t
put_group(FILE *out, const struct part *part, size_t count)
{
	const struct part *first, *last;
	size_t n = 1, i, end;

	while (n < count && is_like(&part[0], &part[n]))
		n++;
	if (n == 1) {
		fputs(part[0].name, out);
		return 1;
	}
	fprintf(out, "%.*s[", (int)part[0].before, part[0].name);
	for (i = 0; i < n; i = end) {
		for (end = i + 1;
		     end < n && follows(&part[i], &part[end - 1], &part[end]);)
			end++;
		first = &part[i];
		last = &part[end - 1];
		fprintf(out, "%s%.*s", i > 0 ? "," : "", (int)first->digits,
		    first->name + first->before);
		if (last != first)
			fprintf(out, "-%.*s", (int)last->digits,
			    last->name + last->before);
	}
	fprintf(out, "]%s", part[0].after);
	return n;
}

char *
hostlist_fold(const struct strlist *names)
{
	struct part *part = xcalloc(names->count + 1, sizeof *part);
	size_t i, n = 0, length;
	char *text;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < names->count; i++)
		part[i] = take_apart(names->word[i]);
	qsort(part, names->count, sizeof *part, compare);
	for (i = 0; i < names->count; i++)
		if (n == 0 || strcmp(part[i].name, part[n - 1].name) != 0)
			part[n++] = part[i];
	for (i = 0; i < n;) {
		fputs(i > 0 ? "," : "", out);
		i += put_group(out, part + i, n - i);
	}
	xmemclose(out);
	free(part);
	return text;
}
