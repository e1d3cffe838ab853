#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "sys/proc.h"

/* What a writer makes of some text; to free. */
static char *
written(void (*writer)(FILE *, const char *), const char *text)
{
	size_t length;
	char *out;
	FILE *f = open_memstream(&out, &length);

	assert_non_null(f);
	writer(f, text);
	fclose(f);
	return out;
}

struct pair {
	const char *text, *written;
};

static void
check_pairs(
    void (*writer)(FILE *, const char *), const struct pair *pair, size_t count)
{
	size_t i;
	char *out;

	for (i = 0; i < count; i++) {
		out = written(writer, pair[i].text);
		assert_string_equal(out, pair[i].written);
		free(out);
	}
}

#define CHECK_PAIRS(writer, table) \
	check_pairs(writer, table, sizeof table / sizeof table[0])

static void
shell_words_are_quoted_only_where_needed(void **state)
{
	static const struct pair table[] = {
	    {"--lr=1e-3", "--lr=1e-3"},
	    {"a/b_c.d,e:f@g%h+i", "a/b_c.d,e:f@g%h+i"},
	    {"", "''"},
	    {"a b", "'a b'"},
	    {"it's", "'it'\\''s'"},
	    {"$(rm -rf ~)", "'$(rm -rf ~)'"},
	    {"a\nb", "'a\nb'"},
	    {"*", "'*'"},
	    {"~", "'~'"},
	    {"#", "'#'"},
	    {"=ls", "'=ls'"},
	    {"\xc3\xa4", "'\xc3\xa4'"},
	};

	(void)state;
	CHECK_PAIRS(text_shell, table);
}

static void
put_words(FILE *f, const char *list)
{
	char *word[] = {(char *)(uintptr_t)list, (char[]){"b c"}, NULL};

	text_shell_words(f, &(struct strlist){word, 2});
	text_shell_words(f, &(struct strlist){0});
}

static void
a_line_for_a_shell_has_blanks_between_words(void **state)
{
	static const struct pair table[] = {{"a", "a 'b c'"}, {"", "'' 'b c'"}};

	(void)state;
	CHECK_PAIRS(put_words, table);
}

/* Every byte that a word can hold, as sh itself reads it. */
static void
a_shell_reads_back_what_was_quoted(void **state)
{
	char all[256], *quoted, *script = NULL;
	char *argv[] = {"sh", "-c", NULL, NULL};
	struct proc_result result;
	int i;

	(void)state;
	for (i = 1; i < 256; i++)
		all[i - 1] = (char)i;
	all[255] = '\0';
	quoted = written(text_shell, all);
	assert_true(asprintf(&script, "printf %%s %s", quoted) > 0);
	argv[2] = script;
	assert_int_equal(proc_run(argv, NULL, 10000, &result, NULL), 0);
	assert_true(proc_ok(&result));
	assert_int_equal(result.length, 255);
	assert_memory_equal(result.out, all, 255);
	proc_result_free(&result);
	free(quoted);
	free(script);
}

static void
tsv_fields_stay_one_field(void **state)
{
	static const struct pair table[] = {
	    {"", ""},
	    {"a b", "a b"},
	    {"a\tb\nc\rd\\e", "a\\tb\\nc\\rd\\\\e"},
	    {"\xc3\xa4\x01", "\xc3\xa4\x01"},
	};

	(void)state;
	CHECK_PAIRS(text_tsv, table);
}

static void
csv_fields_are_quoted_only_where_needed(void **state)
{
	static const struct pair table[] = {
	    {"", ""},
	    {"a b", "a b"},
	    {"1e-3", "1e-3"},
	    {"a,b", "\"a,b\""},
	    {"say \"hi\"", "\"say \"\"hi\"\"\""},
	    {"a\nb", "\"a\nb\""},
	    {"a\rb", "\"a\rb\""},
	    {" a", "\" a\""},
	    {"a ", "\"a \""},
	    {"\ta", "\"\ta\""},
	    {"a\t", "\"a\t\""},
	    {" ", "\" \""},
	};

	(void)state;
	CHECK_PAIRS(text_csv, table);
}

static void
json_strings_are_json_whatever_the_bytes(void **state)
{
	static const struct pair table[] = {
	    {"", "\"\""},
	    {"a/b", "\"a/b\""},
	    {"\"\\", "\"\\\"\\\\\""},
	    {"\n\t\r\x01\x7f", "\"\\n\\t\\r\\u0001\\u007f\""},
	    {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\x89",
		"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\x89\""},
	    {"a\xffz", "\"a\xef\xbf\xbdz\""},
	    {"\xc3", "\"\xef\xbf\xbd\""},
	    {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
	};

	(void)state;
	CHECK_PAIRS(text_json, table);
}

static void
no_escape_sequence_reaches_a_terminal(void **state)
{
	static const struct pair table[] = {
	    {"plain \xc3\xa4 text", "plain \xc3\xa4 text"},
	    {"\x1b[2J", "\\x1b[2J"},
	    {"a\rb\n\t\x7f", "a\\x0db\\x0a\\x09\\x7f"},
	    {"\xc2\x9b", "\\xc2\\x9b"}, /* CSI as one character */
	    {"\x9b", "\\x9b"},
	    {"a\xe2\x80\xae"
	     "b",
		"a\\xe2\\x80\\xae"
		"b"},
	    {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"},
	    {"\xe2\x81\xa6", "\\xe2\\x81\\xa6"},
	    {"\xc3", "\\xc3"},
	};

	(void)state;
	CHECK_PAIRS(text_plain, table);
}

static void
utf8_is_taken_apart_or_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t length, taken;
		uint32_t c;
	} table[] = {
	    {"a", 1, 1, 'a'},
	    {"\xc3\xa4", 2, 2, 0xe4},
	    {"\xe2\x82\xac", 3, 3, 0x20ac},
	    {"\xf0\x9f\x8e\x89", 4, 4, 0x1f389},
	    {"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
	    {"\xc3\xa4", 1, 0, 0},
	    {"\xe2\x82", 2, 0, 0},
	    {"\xc0\x80", 2, 0, 0},
	    {"\xc1\xbf", 2, 0, 0},
	    {"\xe0\x80\x80", 3, 0, 0},
	    {"\xf0\x80\x80\x80", 4, 0, 0},
	    {"\xed\xa0\x80", 3, 0, 0},
	    {"\xf4\x90\x80\x80", 4, 0, 0},
	    {"\xf5\x80\x80\x80", 4, 0, 0},
	    {"\x80", 1, 0, 0},
	    {"\xff", 1, 0, 0},
	    {"\xc3z", 2, 0, 0},
	};
	uint32_t c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		c = 0;
		assert_int_equal(text_utf8(table[i].bytes, table[i].length, &c),
		    table[i].taken);
		assert_int_equal(c, table[i].c);
	}
	assert_true(text_is_utf8(""));
	assert_true(text_is_utf8("\xc3\xa4z"));
	assert_false(text_is_utf8("z\xc3"));
}

static void
cells_have_exactly_their_width(void **state)
{
	static const struct {
		const char *text;
		size_t width;
		int right;
		const char *cell;
	} table[] = {
	    {"ab", 4, 0, "ab  "},
	    {"ab", 4, 1, "  ab"},
	    {"abcd", 4, 0, "abcd"},
	    {"abcde", 4, 0, "abc~"},
	    {"abcde", 4, 1, "abc~"},
	    {"abc", 1, 0, "~"},
	    {"abc", 0, 0, ""},
	    {"", 2, 1, "  "},
	    {"\xc3\xa4\xc3\xb6\xc3\xbc", 3, 0, "\xc3\xa4\xc3\xb6\xc3\xbc"},
	    {"\xc3\xa4\xc3\xb6\xc3\xbc", 2, 0, "\xc3\xa4~"},
	    /* two columns each */
	    {"\xe6\xbc\xa2\xe5\xad\x97", 4, 0, "\xe6\xbc\xa2\xe5\xad\x97"},
	    {"\xe6\xbc\xa2\xe5\xad\x97", 3, 0, "\xe6\xbc\xa2~"},
	    {"\xe6\xbc\xa2\xe5\xad\x97", 2, 0, "~ "},
	    {"\xe6\xbc\xa2\xe5\xad\x97", 2, 1, "~ "},
	    {"\xe6\xbc\xa2", 4, 1, "  \xe6\xbc\xa2"},
	    /* escapes are not cut in two */
	    {"a\x1bz", 6, 0, "a\\x1bz"},
	    {"a\x1bz", 5, 0, "a~   "},
	    /* no column of its own */
	    {"e\xcc\x81", 1, 0, "e\xcc\x81"},
	};
	size_t i, length;
	char *out;
	FILE *f;

	(void)state;
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		f = open_memstream(&out, &length);
		text_cell(f, table[i].text, table[i].width, table[i].right);
		fclose(f);
		assert_string_equal(out, table[i].cell);
		assert_int_equal(text_width(out), table[i].width);
		free(out);
	}
}

static void
sentences_break_at_blanks(void **state)
{
	static const struct {
		const char *text;
		size_t used, width;
		const char *out;
	} table[] = {
	    {"one two three", 0, 0, "one two three"},
	    {"one two three", 0, 13, "one two three"},
	    {"one two three", 0, 12, "one two\n  three"},
	    {"one two three", 6, 13, "one two\n  three"},
	    {"one two three", 7, 13, "one\n  two three"},
	    {"overlong a b", 0, 8, "overlong\n  a b"},
	    /* words that are too long */
	    {"overlong a b", 0, 7, "overlon\n  g a b"},
	    {"see 0,12,34,567,8", 0, 9, "see 0,12,\n  34,567,\n  8"},
	    {"to /abc/def", 0, 8, "to /abc/\n  def"},
	    {"\xe6\xbc\xa2\xe5\xad\x97", 0, 3, "\xe6\xbc\xa2\n  \xe5\xad\x97"},
	    {"ab", 9, 5, "\n  ab"},
	    {"abcdefg", 5, 5, "\n  abc\n  def\n  g"},
	    {"\xe6\xbc\xa2 a", 4, 5, "\n  \xe6\xbc\xa2\n  a"},
	    {"abc", 0, 1, "a\n  b\n  c"},
	    {"\xc3\xa4\xc3\xb6 \xc3\xbc", 0, 4, "\xc3\xa4\xc3\xb6 \xc3\xbc"},
	    {"a\x1b", 0, 9, "a\\x1b"},
	    {"", 3, 5, ""},
	};
	size_t i, length;
	char *out;
	FILE *f;

	(void)state;
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		f = open_memstream(&out, &length);
		text_wrap(f, table[i].text, table[i].used, table[i].width);
		fclose(f);
		assert_string_equal(out, table[i].out);
		free(out);
	}
}

static void
widths_are_columns(void **state)
{
	(void)state;
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("\xc3\xa4"), 1);
	assert_int_equal(text_width("\xe6\xbc\xa2"), 2);
	assert_int_equal(text_width("\x1b"), 4);
	assert_int_equal(text_width("\xff"), 4);
	assert_int_equal(text_width("\xe2\xa0\x81"), 1); /* braille */
}

static void
a_mistyped_word_has_a_nearest(void **state)
{
	static const char *const words[] = {
	    "learning_rate", NULL, "batch_size", "lr", "seed", "help"};
	static const struct {
		const char *typed, *meant;
	} table[] = {
	    {"learnig_rate", "learning_rate"},
	    {"Learning-Rate", "learning_rate"},
	    {"batchsize", "batch_size"},
	    {"hepl", "help"},
	    {"sead", "seed"},
	    {"lR", "lr"},
	    {"l", "lr"},
	    {"lrs", "lr"},
	    {"rl", "lr"},
	    {"seed_of_all", NULL},
	    {"batch", "batch_size"},
	    {"ba", NULL},
	    {"momentum", NULL},
	    {"x", NULL},
	    {"", NULL},
	};
	char hint[TEXT_HINT];
	const char *near;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		near = text_nearest(table[i].typed, words, 6);
		if (table[i].meant == NULL)
			assert_null(near);
		else
			assert_string_equal(near, table[i].meant);
	}
	assert_null(text_nearest("lr", NULL, 0));
	assert_string_equal(
	    text_hint("sede", words, 6, "or else", hint), "did you mean seed?");
	assert_string_equal(
	    text_hint("momentum", words, 6, "or else", hint), "or else");
}

static void
latex_obeys_nothing(void **state)
{
	static const struct pair pairs[] = {
	    {"", ""},
	    {"lr=1e-3", "lr=1e-3"},
	    {"a_b & 5% $x #1 {y}", "a\\_b \\& 5\\% \\$x \\#1 \\{y\\}"},
	    {"\\input{x}", "\\textbackslash{}input\\{x\\}"},
	    {"~^<>|",
		"\\textasciitilde{}\\textasciicircum{}\\textless{}"
		"\\textgreater{}\\textbar{}"},
	    {"[[64],[32]]", "{[}{[}64{]},{[}32{]}{]}"},
	    {"\033[31m\n", " {[}31m "},
	    {"\xe6\x97\xa5\xff", "\xe6\x97\xa5?"},
	    {"a\xc2\x9b"
	     "31m\xc2\x85",
		"a 31m "},
	    {"\xe2\x80\xae"
	     "abc\xe2\x81\xa9\xe2\x80\x8f",
		" abc  "},
	    {"1 \u00b1 2", "1 $\\pm$ 2"},
	};
	size_t i;
	char *text;

	(void)state;
	for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		text = written(text_latex, pairs[i].text);
		assert_string_equal(text, pairs[i].written);
		free(text);
	}
}

static void
markdown_cells_stay_one_cell(void **state)
{
	static const struct pair pairs[] = {
	    {"", ""},
	    {"1e-3 adam, 5 %", "1e-3 adam, 5 %"},
	    {"a|b\n_c_", "a\\|b \\_c\\_"},
	    {"<b>&lt; *x* `y` [z]", "\\<b\\>\\&lt; \\*x\\* \\`y\\` \\[z\\]"},
	    {"1 \u00b1 2\xff", "1 \u00b1 2?"},
	};
	size_t i;
	char *text;

	(void)state;
	for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		text = written(text_markdown, pairs[i].text);
		assert_string_equal(text, pairs[i].written);
		free(text);
	}
}

static void
xml_has_text_alone(void **state)
{
	static const struct pair table[] = {
	    {"", ""},
	    {"lr=1e-3, bs=32", "lr=1e-3, bs=32"},
	    {"<script>alert(\"1\" + '&')</script>]]>",
		"&lt;script&gt;alert(&quot;1&quot; + &#39;&amp;&#39;)"
		"&lt;/script&gt;]]&gt;"},
	    {"\033[31m\n\t", "\\x1b[31m\\x0a\\x09"},
	    {"\xe6\x97\xa5 \xff\xc3", "\xe6\x97\xa5 \\xff\\xc3"},
	    {"\xc2\x85\xe2\x80\xae", "\\xc2\\x85\\xe2\\x80\\xae"},
	    {"\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\xef\xbf",
		"\\xef\\xbf\\xbe\\xef\\xbf\\xbf\xef\xbf\xbd\\xef\\xbf"},
	};

	(void)state;
	CHECK_PAIRS(text_xml, table);
}

static void
a_page_keeps_its_tabs_and_line_ends(void **state)
{
	static const struct pair table[] = {
	    {"", ""},
	    {"lr\tbs\n1e-3\t32\n\n", "lr\tbs\n1e-3\t32\n\n"},
	    {"\t\033[31mred\r\n", "\t\\x1b[31mred\\x0d\n"},
	};

	(void)state;
	CHECK_PAIRS(text_page, table);
}

static void
a_text_begins_and_ends(void **state)
{
	(void)state;
	assert_true(text_begins("slurmstepd: killed", "slurmstepd:"));
	assert_true(text_begins("a", ""));
	assert_false(text_begins("slurm", "slurmstepd:"));
	assert_true(text_ends("log.csv", ".csv"));
	assert_false(text_ends(".csv", ".csv"));
	assert_false(text_ends("log.csv.gz", ".csv"));
	assert_false(text_ends("v", ".csv"));
}

static void
a_word_of_a_list_is_all_of_it(void **state)
{
	static const char *const words[] = {"a", NULL, "bc"};

	(void)state;
	assert_true(text_lists("a,bc,d", "a"));
	assert_true(text_lists("a,bc,d", "bc"));
	assert_true(text_lists("a,bc,d", "d"));
	assert_false(text_lists("a,bc,d", "b"));
	assert_false(text_lists("a,bc,d", "c"));
	assert_false(text_lists("a,bc,d", "bc,d"));
	assert_true(text_lists("bcd,bc", "bc"));
	assert_false(text_lists("", "a"));
	assert_int_equal(text_among("bc", words, 3), 2);
	assert_int_equal(text_among("b", words, 3), -1);
	assert_int_equal(text_among("bc", words, 2), -1);
	assert_true(text_has("abcd", &words[2], 1));
	assert_false(text_has("b", &words[2], 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(latex_obeys_nothing),
	    cmocka_unit_test(markdown_cells_stay_one_cell),
	    cmocka_unit_test(xml_has_text_alone),
	    cmocka_unit_test(shell_words_are_quoted_only_where_needed),
	    cmocka_unit_test(a_line_for_a_shell_has_blanks_between_words),
	    cmocka_unit_test(a_shell_reads_back_what_was_quoted),
	    cmocka_unit_test(tsv_fields_stay_one_field),
	    cmocka_unit_test(csv_fields_are_quoted_only_where_needed),
	    cmocka_unit_test(json_strings_are_json_whatever_the_bytes),
	    cmocka_unit_test(no_escape_sequence_reaches_a_terminal),
	    cmocka_unit_test(a_page_keeps_its_tabs_and_line_ends),
	    cmocka_unit_test(utf8_is_taken_apart_or_refused),
	    cmocka_unit_test(cells_have_exactly_their_width),
	    cmocka_unit_test(sentences_break_at_blanks),
	    cmocka_unit_test(a_text_begins_and_ends),
	    cmocka_unit_test(widths_are_columns),
	    cmocka_unit_test(a_word_of_a_list_is_all_of_it),
	    cmocka_unit_test(a_mistyped_word_has_a_nearest),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
