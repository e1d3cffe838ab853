/* What is true of the rows of every drawing. */
#ifndef STFM_TESTS_CHART_ROWS_H
#define STFM_TESTS_CHART_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "chart/chart.h"

/*
 * Every row within its width, no blanks at its end unless they are painted,
 * nothing but SGR.  The text is changed.
 */
static inline void
check_rows(char *text, const struct chart *c, int painted)
{
	char *row, *end, *from, *to;

	for (row = text; *row != '\0'; row = end + 1) {
		end = strchr(row, '\n');
		assert_non_null(end);
		*end = '\0';
		for (from = to = row; *from != '\0';) {
			if (*from == '\033') {
				assert_int_not_equal(c->colors, 0);
				from += strcspn(from, "m") + 1;
				continue;
			}
			*to++ = *from++;
		}
		*to = '\0';
		if (*row == '!')
			continue;
		assert_in_range(text_width(row), 0, c->width);
		assert_true(to == row || to[-1] != ' ' || painted);
	}
}

#endif
