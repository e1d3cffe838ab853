/* Words, commands and rows in lines of a width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "term/flow.h"

struct example {
	const char *text;
	size_t width;
	const char *out;
};

typedef void writer(FILE *, const char *, size_t);

static void
check(writer *write, const struct example *e, size_t count)
{
	size_t i, length;
	char *out;
	FILE *f;

	for (i = 0; i < count; i++) {
		f = open_memstream(&out, &length);
		write(f, e[i].text, e[i].width);
		fclose(f);
		assert_string_equal(out, e[i].out);
		free(out);
	}
}

static void
write_text(FILE *out, const char *text, size_t width)
{
	struct flow f = {out, width, 2, 0};

	flow_text(&f, 0, text);
}

static void
write_path(FILE *out, const char *path, size_t width)
{
	struct flow f = {out, width, 2, 0};

	flow_word(&f, 0, "log");
	flow_path(&f, 1, path);
}

static void
write_command(FILE *out, const char *command, size_t width)
{
	struct flow f = {out, width, 4, 0};

	flow_command(&f, command);
}

static void
words_flow(void **state)
{
	static const struct example table[] = {
	    {"one two three", 0, "one two three"},
	    {"one two three", 13, "one two three"},
	    {"one two three", 12, "one two\n  three"},
	    {"one muchtoolong b", 8, "one\n  mucht~\n  b"},
	};

	(void)state;
	check(write_text, table, sizeof table / sizeof *table);
}

static void
a_broken_path_is_one_word_of_a_shell(void **state)
{
	static const struct example table[] = {
	    {"/a/b/c", 0, "log /a/b/c"},
	    {"/a/b/c", 10, "log /a/b/c"},
	    {"/a/b/c", 9, "log\n  /a/b/c"},
	    {"/abc/defg/h", 9, "log\n  /abc/\\\ndefg/h"},
	    {"'/a b/defg/h'", 9, "log\n  '/'\\\n'a b/'\\\n'defg/h'"},
	};

	(void)state;
	check(write_path, table, sizeof table / sizeof *table);
}

static void
a_broken_command_is_one_command_of_a_shell(void **state)
{
	static const struct example table[] = {
	    {"queue -b --c=d", 0, "queue -b --c=d"},
	    {"queue -b --c=d", 14, "queue -b --c=d"},
	    {"queue -b --c=d", 13, "queue -b \\\n    --c=d"},
	    {"queue -b --c=d e", 16, "queue -b --c=d e"},
	    {"queue -b --c=d e", 15, "queue -b \\\n    --c=d e"},
	    {"queue 'b c' d", 12, "queue \\\n    'b c' d"},
	    {"queue --b=/cde/f", 11, "queue \\\n    --b=/\\\ncde/f"},
	    {"queue 'b\nc d' e", 9, "queue \\\n    'b\nc d' e"},
	    {"  queue b c", 10, "  queue \\\n    b c"},
	    {"queue b\x1b", 0, "queue b\\x1b"},
	};

	(void)state;
	check(write_command, table, sizeof table / sizeof *table);
}

static void
a_script_is_the_same_script(void **state)
{
	static const struct example table[] = {
	    {"#!/bin/sh\n#\tone two\nexec  b c\n", 0,
		"#!/bin/sh\n#\tone two\nexec  b c\n"},
	    {"# one two three\nexec b c\n", 10,
		"# one\n#   two\n#   three\nexec b c\n"},
	    {"# one\n\nqueue bcde fghi j\nk\n", 14,
		"# one\n\nqueue bcde \\\n    fghi j\nk\n"},
	    {"queue 'b\n# c' d\n", 9, "queue \\\n    'b\n# c' d\n"},
	    {"#SBATCH --a --b\nexec b\n", 9, "#SBATCH --a --b\nexec b\n"},
	    {"#!/bin/sh -e -u\n", 9, "#!/bin/sh -e -u\n"},
	    {"#SBATCH --a\t--b=\"c  d\"\n", 99, "#SBATCH --a\t--b=\"c  d\"\n"},
	    {"#\tone  two\n", 17, "#\tone  two\n"},
	    {"queue b   queue c\n", 17, "queue b   queue c\n"},
	};

	(void)state;
	check(flow_script, table, sizeof table / sizeof *table);
}

static void
rows_keep_their_tabs_where_they_fit(void **state)
{
	static const struct example table[] = {
	    {"lr\tseed\n1\t2\n", 0, "lr\tseed\n1\t2\n"},
	    {"lr\tseed\n1\t2\n", 12, "lr\tseed\n1\t2\n"},
	    {"lr\tseed\n1\t2\n", 11, "lr seed\n1\t2\n"},
	    {"lr\tseed\tbatch\n", 10, "lr seed\n  batch\n"},
	    {"a\x1b\tb\n", 0, "a\\x1b\tb\n"},
	};

	(void)state;
	check(flow_rows, table, sizeof table / sizeof *table);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words_flow),
	    cmocka_unit_test(a_broken_path_is_one_word_of_a_shell),
	    cmocka_unit_test(a_broken_command_is_one_command_of_a_shell),
	    cmocka_unit_test(a_script_is_the_same_script),
	    cmocka_unit_test(rows_keep_their_tabs_where_they_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
