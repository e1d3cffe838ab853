#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "check/private.h"

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
