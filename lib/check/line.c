/* The lines of the result, and the facts that they are made from. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "check/private.h"

enum { CLOCKS_DIFFER = 5 };

const char *
check_result_word(enum check_word word)
{
	static const char *const words[] = {"ok", "warn", "fail"};

	return words[word];
}

void
check_add(struct check_lines *lines, enum check_word word, const char *thing,
    const char *remedy, const char *fmt, ...)
{
	struct check_line *line;
	va_list ap;

	lines->line = xgrow(lines->line, lines->count, sizeof *lines->line);
	line = &lines->line[lines->count++];
	line->word = word;
	line->thing = thing;
	line->remedy = xcopy(remedy);
	va_start(ap, fmt);
	line->found = xvasprintf(fmt, ap);
	va_end(ap);
}

int
check_add_clock(struct check_lines *lines, const char *thing, const char *whose,
    int64_t ahead)
{
	if (ahead <= CLOCKS_DIFFER && ahead >= -CLOCKS_DIFFER)
		return 0;
	check_add(lines, CHECK_WARN, thing,
	    "Ask your administrators to set the clocks; states stay right, "
	    "times may look odd",
	    "that of %s is %" PRId64 " seconds %s ours", whose,
	    ahead < 0 ? -ahead : ahead, ahead < 0 ? "behind" : "ahead of");
	return 1;
}

void
check_lines_free(struct check_lines *lines)
{
	size_t i;

	for (i = 0; i < lines->count; i++) {
		free(lines->line[i].found);
		free(lines->line[i].remedy);
	}
	free(lines->line);
	*lines = (struct check_lines){0};
}

void
check_facts_take(struct strlist *facts, const char *text)
{
	size_t length;

	for (; *text != '\0'; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		strlist_take(facts, xstrndup(text, length));
	}
}

const char *
check_fact(const struct check_report *r, const char *thing, const char *what)
{
	char *name = xasprintf(
	    "%s%s%s", thing, what != NULL ? "." : "", what ? what : "");
	const char *value = strlist_value(&r->facts, name);

	free(name);
	return value;
}
