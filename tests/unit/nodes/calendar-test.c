#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "nodes/calendar.h"

/* Saturday, 21 November 2026, 10:30 UTC. */
enum { NOW = 1795257000, HOUR = 3600, DAY = 24 * HOUR };

static int
use_utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}

static char *
draw(const struct calendar_row *row, size_t count,
    const struct calendar_style *look)
{
	char *text;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	calendar_draw(out, row, count, look);
	xmemclose(out);
	return text;
}

/* ---- what is drawn ---- */

static struct calendar_span mine[] = {
    {NOW - HOUR, NOW + 10 * HOUR, 1, CALENDAR_RUNNING, 1}};
static struct calendar_span theirs[] = {
    {NOW - HOUR, NOW + 20 * HOUR, 1, CALENDAR_RUNNING, 0},
    {NOW + 30 * HOUR, NOW + 40 * HOUR, 1, CALENDAR_EXPECTED, 1}};
static struct calendar_span reserved[] = {
    {NOW + 24 * HOUR, NOW + 36 * HOUR, 1, CALENDAR_RESERVED, 0},
    {NOW + 48 * HOUR, NOW + 60 * HOUR, 1, CALENDAR_RESERVED, 1}};
static struct calendar_span down[] = {
    {NOW, NOW + 7 * DAY, 1, CALENDAR_DOWN, 0}};
static struct calendar_span half[] = {
    {NOW - HOUR, NOW + 30 * HOUR, 16, CALENDAR_RUNNING, 0},
    {NOW - HOUR, NOW + 10 * HOUR, 16, CALENDAR_RUNNING, 0}};

static const struct calendar_row rows[] = {
    {"n1", "GPU", "GPUs", 1, mine, 1},
    {"n1", "GPU", "GPUs", 1, theirs, 2},
    {"n1", "GPU", "GPUs", 1, NULL, 0},
    {"n1", "GPU", "GPUs", 1, NULL, 0},
    {"n2", "GPU", "GPUs", 1, reserved, 2},
    {"n3", "GPU", "GPUs", 1, NULL, 0},
    {"n4", "GPU", "GPUs", 1, NULL, 0},
    {"c1", NULL, NULL, 32, half, 2},
    {"c2", NULL, NULL, 32, down, 1},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void
check(const struct calendar_style *look, const char *expected)
{
	char *text = draw(rows, ROWS, look);

	assert_string_equal(text, expected);
	free(text);
}

static void
a_wide_one_has_days_and_hours(void **state)
{
	const struct calendar_style look = {NOW, 3, 80, CLI_ASCII, 0};

	(void)state;
	check(&look,
	    "              Sat 21 Sun 22      Mon 23      Tue\n"
	    "               12 18 0  6  12 18 0  6  12 18 0  6\n"
	    "n1     1 GPU  MMMMMM...............................\n"
	    "       1 GPU  ##########o....mmmmmm................\n"
	    "       2 GPUs .....................................\n"
	    "n2     1 GPU  ............RRRRRRR.....VVVVVVV......\n"
	    "n[3-4] 1 GPU  .....................................\n"
	    "c1            #####ooooooooooo.....................\n"
	    "c2            xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
	    "M mine   m mine, expected   V reserved for me   # in use   "
	    "o in part\n"
	    "R reserved   x down   . free\n");
}

static void
a_narrow_one_has_longer_hours(void **state)
{
	const struct calendar_style look = {NOW, 7, 40, CLI_ASCII, 0};

	(void)state;
	check(&look,
	    "                22 23 24 25 26 27\n"
	    "n1     1 GPU  MM....................\n"
	    "       1 GPU  ##o.mm................\n"
	    "       2 GPUs ......................\n"
	    "n2     1 GPU  ...RR.VV..............\n"
	    "n[3-4] 1 GPU  ......................\n"
	    "c1            #oooo.................\n"
	    "c2            xxxxxxxxxxxxxxxxxxxxxx\n"
	    "M mine   m mine, expected\n"
	    "V reserved for me   # in use   o in part\n"
	    "R reserved   x down   . free\n");
}

static void
signs_are_of_the_terminal(void **state)
{
	const struct calendar_style look = {NOW, 2, 60, CLI_BRAILLE, 0};

	(void)state;
	check(&look,
	    "              Sat 21 Sun 22      Mon\n"
	    "               12 18 0  6  12 18 0  6\n"
	    "n1     1 GPU  ██████···················\n"
	    "       1 GPU  ▓▓▓▓▓▓▓▓▓▓░····▄▄▄▄▄▄····\n"
	    "       2 GPUs ·························\n"
	    "n2     1 GPU  ············▚▚▚▚▚▚▚·····▀\n"
	    "n[3-4] 1 GPU  ·························\n"
	    "c1            ▓▓▓▓▓░░░░░░░░░░░·········\n"
	    "c2            ×××××××××××××××××××××××××\n"
	    "█ mine   ▄ mine, expected   ▀ reserved for me   ▓ in use\n"
	    "░ in part   ▚ reserved   × down   · free\n");
}

static void
colours_change_only_where_they_have_to(void **state)
{
	const struct calendar_style look = {NOW, 1, 80, CLI_ASCII, 16};
	char *text = draw(rows, 2, &look);

	(void)state;
	assert_string_equal(text,
	    "         Sat 21        Sun 22\n"
	    "           12 15 18 21 0  3  6  9\n"
	    "n1 1 GPU \033[32mMMMMMMMMMMM\033[0m..............\n"
	    "   1 GPU \033[33m####################\033[0mo....\n"
	    "M mine   # in use   o in part   . free\n");
	free(text);
}

static void
days_that_do_not_fit_are_said(void **state)
{
	const struct calendar_style look = {NOW, 31, 30, CLI_ASCII, 0};
	char *text = draw(rows, 1, &look), *line, *rest;

	(void)state;
	assert_non_null(strstr(text, "21 of 31 days fit\n"));
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "n1", 2) == 0)
			assert_true(strlen(line) <= 30);
	free(text);
}

static void
every_width_is_kept_to(void **state)
{
	struct calendar_style look = {.now = NOW, .charset = CLI_ASCII};
	char *text, *line, *rest;

	(void)state;
	for (look.width = 34; look.width < 200; look.width += 7)
		for (look.days = 1; look.days <= 31; look.days += 5) {
			text = draw(rows, ROWS, &look);
			for (line = strtok_r(text, "\n", &rest); line != NULL;
			     line = strtok_r(NULL, "\n", &rest))
				assert_true(strlen(line) <= look.width);
			free(text);
		}
}

static void
many_nodes_that_are_alike_are_one_line(void **state)
{
	enum { NODES = 10000, GPUS = 2 };
	const struct calendar_style look = {NOW, 7, 80, CLI_ASCII, 0};
	struct calendar_row *row = xcalloc(NODES * GPUS, sizeof *row);
	char *text, *name[NODES];
	size_t i;

	(void)state;
	for (i = 0; i < NODES * GPUS; i++) {
		if (i % GPUS == 0)
			name[i / GPUS] = xasprintf("n%zu", i / GPUS);
		row[i] = (struct calendar_row){name[i / GPUS], "GPU", "GPUs", 1,
		    i == 7 * GPUS ? mine : NULL, i == 7 * GPUS};
	}
	text = draw(row, NODES * GPUS, &look);
	assert_non_null(strstr(text, "\nn[0-6,8-9999] 2 GPUs ..."));
	assert_non_null(strstr(text, "\nn7            1 GPU  MMM"));
	assert_non_null(strstr(text, "\n              1 GPU  ..."));
	free(text);
	for (i = 0; i < NODES; i++)
		free(name[i]);
	free(row);
}

static void
names_of_nodes_are_data(void **state)
{
	const struct calendar_style look = {NOW, 1, 80, CLI_ASCII, 0};
	const struct calendar_row row = {"n\033[1m", NULL, NULL, 1, NULL, 0};
	char *text = draw(&row, 1, &look);

	(void)state;
	assert_null(strchr(text, '\033'));
	free(text);
	text = draw(&row, 0, &look);
	assert_null(strchr(text, '.'));
	free(text);
}

static void
a_day_of_23_hours_is_no_trouble(void **state)
{
	/* Berlin, the evening before clocks go forward. */
	const struct calendar_style look = {1774731600, 2, 100, CLI_ASCII, 0};
	char *text;

	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	text = draw(rows, 1, &look);
	assert_non_null(strstr(text, "Sun 29"));
	assert_non_null(strstr(text, "Mon 30"));
	free(text);
	use_utc(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_wide_one_has_days_and_hours),
	    cmocka_unit_test(a_narrow_one_has_longer_hours),
	    cmocka_unit_test(signs_are_of_the_terminal),
	    cmocka_unit_test(colours_change_only_where_they_have_to),
	    cmocka_unit_test(days_that_do_not_fit_are_said),
	    cmocka_unit_test(every_width_is_kept_to),
	    cmocka_unit_test(many_nodes_that_are_alike_are_one_line),
	    cmocka_unit_test(names_of_nodes_are_data),
	    cmocka_unit_test(a_day_of_23_hours_is_no_trouble),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
