#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "term/table.h"

enum { NAME, STATE, LR, BS, BAR, BEST, WHEN, COLUMNS };

static size_t
draw(FILE *out, void *arg, uint64_t row, size_t width)
{
	size_t i, full = width * (size_t)(row + 1) / 2;

	(void)arg;
	for (i = 0; i < full; i++)
		putc('#', out);
	return full;
}

static const struct table_column columns[COLUMNS] = {
    [NAME] = {.name = "name", .head = "NAME", .cut = 5, .least = 4},
    [STATE] = {.name = "state", .head = "STATE", .optional = 1, .drop = 4},
    [LR] = {.name = "lr",
	.head = "learning_rate",
	.right = 1,
	.narrow = 1,
	.merge = 3},
    [BS] = {.name = "bs", .head = "bs", .right = 1, .merge = 3},
    [BAR] = {.head = "BAR", .drop = 2, .draw = draw, .least = 4, .most = 8},
    [BEST] = {.name = "best", .head = "BEST", .right = 1},
    [WHEN] = {.name = "when"},
};

static void
fill(struct table *t)
{
	table_row(t);
	table_text(t, NAME, "conv2d/0");
	table_text(t, STATE, "RUNNING");
	table_paint(t, STATE, TABLE_BLUE);
	table_text(t, LR, "1e-3");
	table_text(t, BS, "16");
	table_show(t, BAR, "");
	table_real(t, BEST, 0.25);
	table_show(t, BEST, "0.2500 ");
	table_best(t, BEST);
	table_time(t, WHEN, 0);
	table_row(t);
	table_text(t, NAME, "a \"b\"\t,c");
	table_text(t, LR, "0.1");
	table_show(t, BAR, "");
	table_real(t, BEST, NAN);
	table_int(t, BS, 64);
}

/* The table in a format and width; to free. */
static char *
table(enum table_format format, size_t width, int colors, int rows)
{
	struct table_look look = {format, width, colors, NULL};
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	struct table *t = table_new(f, columns, COLUMNS, &look);

	if (rows)
		fill(t);
	table_end(t);
	fclose(f);
	return text;
}

static void
check(enum table_format format, size_t width, const char *expected)
{
	char *text = table(format, width, 0, 1);

	assert_string_equal(text, expected);
	free(text);
}

static void
nothing_is_cut_without_a_limit(void **state)
{
	(void)state;
	check(TABLE_TEXT, 0,
	    "NAME         STATE    learning_rate  bs  BAR          BEST\n"
	    "conv2d/0     RUNNING           1e-3  16  ####      0.2500*\n"
	    "a \"b\"\\x09,c                     0.1  64  ########      nan\n");
}

/* Each width, from where all fits down to where nothing does. */
static void
columns_give_way_in_their_steps(void **state)
{
	(void)state;
	check(TABLE_TEXT, 54, /* gaps of one blank */
	    "NAME        STATE   learning_rate bs BAR         BEST\n"
	    "conv2d/0    RUNNING          1e-3 16 ####     0.2500*\n"
	    "a \"b\"\\x09,c                   0.1 64 ########     nan\n");
	check(TABLE_TEXT,
	    48, /* drawings, then heads that are wider than their values */
	    "NAME        STATE   learning_ra~ bs BAR     BEST\n"
	    "conv2d/0    RUNNING         1e-3 16 ##   0.2500*\n"
	    "a \"b\"\\x09,c                  0.1 64 ####     nan\n");
	check(TABLE_TEXT,
	    40, /* a column that goes gives its room to the others */
	    "NAME        STATE   learning~ bs    BEST\n"
	    "conv2d/0    RUNNING      1e-3 16 0.2500*\n"
	    "a \"b\"\\x09,c               0.1 64     nan\n");
	check(TABLE_TEXT, 34, /* several become one */
	    "NAME         lear~,bs     BEST\n"
	    "conv2d/0     1e-3,16   0.2500*\n"
	    "a \"b\"\\x09,c  0.1,64        nan\n");
	check(TABLE_TEXT, 24, /* values are cut */
	    "NAME    lear~,bs    BEST\n"
	    "conv2d~ 1e-3,16  0.2500*\n"
	    "a \"b\"~  0.1,64       nan\n");
	check(TABLE_TEXT, 20, /* and texts even more, but no number */
	    "NAME lear~,~    BEST\n"
	    "con~ 1e-3,16 0.2500*\n"
	    "a \"~ 0.1,64      nan\n");
	check(TABLE_TEXT, 19, /* so that columns go */
	    "NAME        lear~,~\n"
	    "conv2d/0    1e-3,16\n"
	    "a \"b\"\\x09,c 0.1,64\n");
	check(TABLE_TEXT, 5,
	    "NAME\n"
	    "conv~\n"
	    "a \"b~\n");
}

static void
programs_get_every_value(void **state)
{
	(void)state;
	setenv("TZ", "CET-1", 1);
	tzset();
	check(TABLE_TSV, 10,
	    "name\tstate\tlr\tbs\tbest\twhen\n"
	    "conv2d/0\tRUNNING\t1e-3\t16\t0.25\t1970-01-01T01:00:00+01:00\n"
	    "a \"b\"\\t,c\t\t0.1\t64\tnan\t\n");
	check(TABLE_CSV, 10,
	    "name,state,lr,bs,best,when\n"
	    "conv2d/0,RUNNING,1e-3,16,0.25,1970-01-01T01:00:00+01:00\n"
	    "\"a \"\"b\"\"\t,c\",,0.1,64,nan,\n");
	check(TABLE_JSONL, 10,
	    "{\"name\": \"conv2d/0\", \"state\": \"RUNNING\", "
	    "\"lr\": \"1e-3\", \"bs\": \"16\", \"best\": 0.25, \"when\": 0}\n"
	    "{\"name\": \"a \\\"b\\\"\\t,c\", \"state\": null, "
	    "\"lr\": \"0.1\", \"bs\": 64, \"best\": \"nan\", "
	    "\"when\": null}\n");
	check(TABLE_JSON, 10,
	    "[\n {\"name\": \"conv2d/0\", \"state\": \"RUNNING\", "
	    "\"lr\": \"1e-3\", \"bs\": \"16\", \"best\": 0.25, \"when\": 0},\n"
	    " {\"name\": \"a \\\"b\\\"\\t,c\", \"state\": null, "
	    "\"lr\": \"0.1\", \"bs\": 64, \"best\": \"nan\", "
	    "\"when\": null}\n]\n");
}

static void
papers_have_what_people_see_but_no_pictures(void **state)
{
	(void)state;
	check(TABLE_LATEX, 10,
	    "% needs \\usepackage{booktabs}\n"
	    "\\begin{tabular}{llrrr}\n\\toprule\n"
	    "NAME & STATE & learning\\_rate & bs & BEST \\\\\n\\midrule\n"
	    "conv2d/0 & RUNNING & 1e-3 & 16 & \\textbf{0.2500} \\\\\n"
	    "a ''b'' ,c &  & 0.1 & 64 & nan \\\\\n"
	    "\\bottomrule\n\\end{tabular}\n");
	check(TABLE_MARKDOWN, 10,
	    "| NAME | STATE | learning\\_rate | bs | BEST |\n"
	    "|---|---|--:|--:|--:|\n"
	    "| conv2d/0 | RUNNING | 1e-3 | 16 | **0.2500** |\n"
	    "| a \"b\" ,c |  | 0.1 | 64 | nan |\n");
}

static void
no_rows_are_just_the_heads(void **state)
{
	static const char *const expected[] = {
	    "NAME  learning_rate  bs  BAR       BEST\n",
	    "name\tstate\tlr\tbs\tbest\twhen\n", "name,state,lr,bs,best,when\n",
	    "[]\n", ""};
	enum table_format i;
	char *text;

	(void)state;
	for (i = TABLE_TEXT; i <= TABLE_JSONL; i++) {
		text = table(i, 0, 0, 0);
		assert_string_equal(text, expected[i]);
		free(text);
	}
}

static void
no_line_is_wider_than_the_width_nor_ends_in_blanks(void **state)
{
	char *text, *line, *save;
	size_t width;

	(void)state;
	for (width = 1; width < 80; width++) {
		text = table(TABLE_TEXT, width, 0, 1);
		for (line = strtok_r(text, "\n", &save); line != NULL;
		     line = strtok_r(NULL, "\n", &save)) {
			assert_true(text_width(line) <= width);
			assert_int_not_equal(line[strlen(line) - 1], ' ');
		}
		free(text);
	}
}

static void
only_what_is_painted_has_colour(void **state)
{
	char *plain = table(TABLE_TEXT, 0, 0, 1);
	char *text = table(TABLE_TEXT, 0, 16, 1);

	(void)state;
	assert_null(strchr(plain, '\033'));
	assert_non_null(strstr(text, "\033[34mRUNNING\033[0m  "));
	assert_ptr_equal(
	    strchr(strchr(text, 'm') + 1, '\033'), strstr(text, "\033[0m"));
	free(plain);
	free(text);
}

static void
what_differs_is_not_cut(void **state)
{
	static const struct table_column column[] = {
	    {.head = "MODEL", .right = 1, .merge = 1, .cut = 2, .least = 8},
	    {.head = "LR", .right = 1, .merge = 1}};
	static const char *const lr[] = {"0.1", "0.01"};
	struct table_look look = {.width = 14};
	char *text = NULL;
	size_t length, i;
	FILE *f = xmemopen(&text, &length);
	struct table *t = table_new(f, column, 2, &look);

	(void)state;
	for (i = 0; i < 2; i++) {
		table_row(t);
		table_text(t, 0, "plain-with-a-norm");
		table_text(t, 1, lr[i]);
	}
	table_end(t);
	xmemclose(f);
	assert_string_equal(text, "MODEL,LR\nplain-wit~,0.1\nplain-wi~,0.01\n");
	free(text);
}

/* Narrow, with heads of their own for that: whole, brief, and cut at last. */
static void
heads_become_brief(void **state)
{
	static const struct table_column column[] = {
	    {.head = "SUBMITTED", .brief = "SUBM", .right = 1, .narrow = 1},
	    {.head = "RUNNING", .brief = "RUN", .right = 1, .narrow = 1},
	    {.head = "EARLIER", .right = 1, .narrow = 1}};
	static const struct {
		size_t width;
		const char *heads;
	} of[] = {
	    {0, "SUBMITTED  RUNNING  EARLIER\n"},
	    {25, "SUBMITTED RUNNING EARLIER\n"},
	    {24, "SUBM  RUNNING  EARLIER\n"},
	    {16, "SUBM RUN EARLIER\n"},
	    {14, "SUBM RUN EARL~\n"},
	    {13, "SUBM RUN EAR~\n"},
	};
	struct table_look look = {0};
	struct table *t;
	char *text;
	size_t length, i;
	FILE *f;

	(void)state;
	for (i = 0; i < sizeof of / sizeof *of; i++) {
		look.width = of[i].width;
		f = xmemopen(&text, &length);
		t = table_new(f, column, 3, &look);
		table_end(t);
		xmemclose(f);
		assert_string_equal(text, of[i].heads);
		free(text);
	}
}

/* Columns are chosen and ordered by name, in every format. */
static void
columns_are_chosen(void **state)
{
	static const struct table_column column[] = {
	    {.name = "id", .head = "TASK"},
	    {.head = "BAR"},
	    {.name = "best", .head = "BEST", .right = 1, .optional = 1},
	    {.name = "start"},
	};
	static const struct {
		enum table_format format;
		const char *names, *text;
	} of[] = {
	    {TABLE_TEXT, "best id", "BEST  TASK\n 0.5  a/0\n"},
	    {TABLE_TEXT, "start", "START\n7\n"},
	    {TABLE_TSV, "start id", "start\tid\n7\ta/0\n"},
	    {TABLE_CSV, "best", "best\n0.5\n"},
	    {TABLE_JSONL, "id start", "{\"id\": \"a/0\", \"start\": 7}\n"},
	    {TABLE_MARKDOWN, "best", "| BEST |\n|--:|\n| 0.5 |\n"},
	    /* Refused, without output. */
	    {TABLE_TSV, "ids", "ids: no such column (did you mean id?)"},
	    {TABLE_JSON, "id id", "id: named twice"},
	    {TABLE_TEXT, "BAR",
		"BAR: no such column (the first line of -o "
		"tsv has them all)"},
	};
	struct table_look look = {0};
	struct strlist names = {0};
	char *text, *words, *save, *word;
	struct error e = {{0}};
	struct table *t;
	size_t length, i;
	FILE *f;
	int rc;

	(void)state;
	for (i = 0; i < sizeof of / sizeof *of; i++) {
		words = xstrdup(of[i].names);
		for (word = strtok_r(words, " ", &save); word != NULL;
		     word = strtok_r(NULL, " ", &save))
			strlist_push(&names, word);
		look.format = of[i].format;
		f = xmemopen(&text, &length);
		t = table_new(f, column, 4, &look);
		rc = table_choose(t, &names, &e);
		if (rc == 0) {
			table_row(t);
			table_text(t, 0, "a/0");
			table_show(t, 1, "x");
			table_real(t, 2, 0.5);
			table_int(t, 3, 7);
			assert_int_equal(
			    table_has(t, 3), strlist_have(&names, "start"));
			table_end(t);
		}
		xmemclose(f);
		assert_string_equal(rc == 0 ? text : e.text, of[i].text);
		if (rc == -1)
			assert_string_equal(text, "");
		free(text);
		free(words);
		strlist_free(&names);
	}
}

static void
formats_have_names(void **state)
{
	enum table_format format;
	struct error e;

	(void)state;
	assert_int_equal(table_format("jsonl", &format, NULL), 0);
	assert_int_equal(format, TABLE_JSONL);
	assert_int_equal(table_format("yaml", &format, &e), -1);
	assert_string_equal(e.text,
	    "yaml: no such format (text, tsv, csv, json, jsonl, "
	    "latex or markdown)");
}

static void
times_have_their_offset(void **state)
{
	static const struct {
		const char *zone;
		int64_t seconds;
		const char *text;
	} table[] = {
	    {"UTC", 1795231670, "2026-11-21T03:27:50+00:00"},
	    {"CET-1", 1795231670, "2026-11-21T04:27:50+01:00"},
	    {"NST3:30", 1795231670, "2026-11-20T23:57:50-03:30"},
	};
	char text[TABLE_TIME];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		setenv("TZ", table[i].zone, 1);
		tzset();
		assert_string_equal(
		    table_iso_time(table[i].seconds, text), table[i].text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_is_cut_without_a_limit),
	    cmocka_unit_test(columns_give_way_in_their_steps),
	    cmocka_unit_test(programs_get_every_value),
	    cmocka_unit_test(papers_have_what_people_see_but_no_pictures),
	    cmocka_unit_test(no_rows_are_just_the_heads),
	    cmocka_unit_test(
		no_line_is_wider_than_the_width_nor_ends_in_blanks),
	    cmocka_unit_test(only_what_is_painted_has_colour),
	    cmocka_unit_test(what_differs_is_not_cut),
	    cmocka_unit_test(heads_become_brief),
	    cmocka_unit_test(columns_are_chosen),
	    cmocka_unit_test(formats_have_names),
	    cmocka_unit_test(times_have_their_offset),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
