#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "check/private.h"

const char *
job_setup_word(enum job_setup_word word)
{
	static const char *const words[] = {"ok", "warn", "fail"};

	return words[word];
}

void
setup_add(struct setup_lines *lines, enum job_setup_word word,
    const char *thing, const char *remedy, const char *fmt, ...)
{
	struct job_setup_line *line;
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
setup_lines_free(struct setup_lines *lines)
{
	size_t i;

	for (i = 0; i < lines->count; i++) {
		free(lines->line[i].found);
		free(lines->line[i].remedy);
	}
	free(lines->line);
	*lines = (struct setup_lines){0};
}
