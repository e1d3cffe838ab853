#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/lex.h"

static struct lex
parsed(const char *text)
{
	struct error e = {""};
	struct lex v;

	if (lex_parse(text, strlen(text), 1, &v, &e) == -1)
		fail_msg("%s: %s", text, e.text);
	return v;
}

static const struct {
	const char *text;
	const char *reason; /* NULL: it is JSON */
} documents[] = {
    {"0", NULL},
    {" -1.50e+03 ", NULL},
    {"\xef\xbb\xbf[]", NULL},
    {"{ }", NULL},
    {"[1,[2,{\"a\":[]}],\"\\u00e9\\\"\"]\r\n", NULL},
    {"{\"a\":null,\"b\":true,\"c\":false}", NULL},
    {"\"\xc3\xa9\"", NULL},
    {"\"\\ud83d\\ude00\"", NULL},
    {"", "line 1, column 1: a value is missing"},
    {"  ", "line 1, column 3: a value is missing"},
    {"[1,]", "line 1, column 4: a value is missing"},
    {"[1\n,,2]", "line 2, column 2: a value is missing"},
    {"[1 2]", "line 1, column 4: a comma or ] is missing"},
    {"[1", "line 1, column 3: a comma or ] is missing"},
    {"[", "line 1, column 2: a value is missing"},
    {"{\"a\":1,}", "line 1, column 8: a name in quotation marks is missing"},
    {"{a:1}", "line 1, column 2: a name in quotation marks is missing"},
    {"{\"a\" 1}", "line 1, column 6: a colon is missing"},
    {"{\"a\":}", "line 1, column 6: a value is missing"},
    {"1 2", "line 1, column 3: more after the value"},
    {"[1}", "line 1, column 3: a comma or ] is missing"},
    {"NaN", "line 1, column 1: 'NaN' is no JSON"},
    {"Infinity", "'Infinity' is no JSON"},
    {"-Infinity", "line 1, column 2: a digit is missing"},
    {"adam", "text needs quotation marks: \"adam\""},
    {"trues", "'trues' is no JSON"},
    {"'a'", "a value is missing"},
    {"01", "a number does not begin with 0"},
    {"-01", "a number does not begin with 0"},
    {"1.", "a digit is missing after the point"},
    {".5", "a value is missing"},
    {"+1", "a value is missing"},
    {"1e", "a digit is missing in the exponent"},
    {"0x10", "more after the value"},
    {"\"a", "line 1, column 1: a string that has no end"},
    {"\"a\\\"", "a string that has no end"},
    {"\"a\nb\"", "line 1, column 3: a control character, or a string"},
    {"\"\\x\"", "line 1, column 2: no such escape"},
    {"\"\\u12\"", "this \\u stands for no character"},
    {"\"\\u0000\"", "this \\u stands for no character"},
    {"\"\\ud800\"", "this \\u stands for no character"},
    {"\"\\udc00\"", "this \\u stands for no character"},
    {"\"\\ud800\\u0041\"", "this \\u stands for no character"},
    {"\"\\", "no such escape"},
    {"\"\xff\"", "line 1, column 2: not UTF-8"},
    {"\"\xed\xa0\x80\"", "not UTF-8"},
    {"\"\xc3", "not UTF-8"},
    {"// no\n1", "a value is missing"},
};

static void
only_strict_json_is_taken(void **state)
{
	struct error e;
	struct lex v;
	size_t i;
	int rc;

	(void)state;
	for (i = 0; i < sizeof documents / sizeof *documents; i++) {
		e.text[0] = '\0';
		rc = lex_parse(
		    documents[i].text, strlen(documents[i].text), 1, &v, &e);
		if (documents[i].reason == NULL) {
			if (rc != 0)
				fail_msg("%s: %s", documents[i].text, e.text);
			continue;
		}
		if (rc != -1 || strstr(e.text, documents[i].reason) == NULL)
			fail_msg("%s: %d: %s", documents[i].text, rc, e.text);
	}
}

/* Also for a sanitizer: no byte behind the text is looked at. */
static void
every_beginning_of_a_document_is_refused(void **state)
{
	static const char text[] =
	    "{\"a\":[1.5e-3,\"\\ud83d\\ude00\xc3\xa9\",null],\"b\":{}}";
	size_t length;
	struct lex v;
	char *copy;

	(void)state;
	for (length = 0; length < sizeof text - 1; length++) {
		copy = malloc(length ? length : 1);
		memcpy(copy, text, length);
		assert_int_equal(lex_parse(copy, length, 1, &v, NULL), -1);
		free(copy);
	}
	assert_int_equal(lex_parse(text, length, 1, &v, NULL), 0);
}

static void
a_nul_byte_is_refused(void **state)
{
	struct lex v;

	(void)state;
	assert_int_equal(lex_parse("1\0", 2, 1, &v, NULL), -1);
	assert_int_equal(lex_parse("\0", 1, 1, &v, NULL), -1);
	assert_int_equal(lex_parse("\"\0\"", 3, 1, &v, NULL), -1);
	assert_int_equal(lex_parse("[1\0]", 4, 1, &v, NULL), -1);
}

static void
more_than_64_levels_are_refused(void **state)
{
	char text[131] = "";
	struct lex v;

	(void)state;
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	assert_int_equal(lex_parse(text + 1, 128, 1, &v, NULL), 0);
	assert_int_equal(lex_parse(text, 130, 1, &v, NULL), -1);
}

static void
one_line_of_text_is_placed_by_its_column(void **state)
{
	struct error e = {""};
	struct lex v;

	(void)state;
	assert_int_equal(lex_parse("[1,,2]", 6, 0, &v, &e), -1);
	assert_string_equal(e.text, "column 4: a value is missing");
	assert_int_equal(lex_parse("[1,,2]", 6, 7, &v, &e), -1);
	assert_string_equal(e.text, "line 7, column 4: a value is missing");
}

static void
numbers_keep_their_source_text(void **state)
{
	static const char *const numbers[] = {
	    "1e-3", "0.10", "-0", "123456789012345678901234567890", "1E+2"};
	struct lex_members m;
	struct lex v;
	size_t i = 0;
	char *own;
	struct lex array =
	    parsed("[1e-3, 0.10,-0 ,123456789012345678901234567890,1E+2]");

	(void)state;
	lex_members(&m, &array);
	for (; lex_next(&m, NULL, &v); i++) {
		assert_int_equal(v.kind, LEX_NUMBER);
		own = lex_source(&v);
		assert_string_equal(own, numbers[i]);
		free(own);
	}
	assert_int_equal(i, 5);
	assert_int_equal(lex_count(&array), 5);
}

static void
members_of_an_object_come_with_their_names(void **state)
{
	struct lex object = parsed(
	    "{ \"a]\" : [1,{\"x\":\"}\"}] ,\"b\":\"\\\"\"\n, \"c\":null}");
	struct lex_members m;
	struct lex key, v;
	char *own;

	(void)state;
	lex_members(&m, &object);
	assert_int_equal(lex_next(&m, &key, &v), 1);
	assert_true(lex_is(&key, "a]"));
	assert_int_equal(v.kind, LEX_ARRAY);
	own = lex_source(&v);
	assert_string_equal(own, "[1,{\"x\":\"}\"}]");
	free(own);
	assert_int_equal(lex_next(&m, &key, &v), 1);
	assert_true(lex_is(&key, "b"));
	assert_true(lex_is(&v, "\""));
	assert_int_equal(lex_next(&m, &key, &v), 1);
	assert_int_equal(v.kind, LEX_NULL);
	assert_int_equal(v.length, 4);
	assert_int_equal(lex_next(&m, &key, &v), 0);
	assert_false(lex_is(&v, "null"));
}

static void
strings_are_unescaped_to_utf8(void **state)
{
	struct lex v = parsed("\"\\b\\f\\n\\r\\t\\/\\\\\\\""
			      "\\u0041\\u00e9\\u20ac\\ud83d\\ude00z\"");
	char *own = lex_string(&v);

	(void)state;
	assert_string_equal(
	    own, "\b\f\n\r\t/\\\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
	free(own);
	v = parsed("\"\"");
	own = lex_string(&v);
	assert_string_equal(own, "");
	free(own);
}

static void
source_loses_only_the_blanks_outside_strings(void **state)
{
	struct lex v = parsed(" { \"a b\" : [ 1 ,\n\t\" \\\" \" ] } ");
	char *own = lex_source(&v);

	(void)state;
	assert_string_equal(own, "{\"a b\":[1,\" \\\" \"]}");
	free(own);
}

/* How a value of a hyperparameter is written; static. */
static const char *
written(const char *text)
{
	static char out[128];
	FILE *f = fmemopen(out, sizeof out, "w");

	lex_write(f, text);
	fclose(f);
	return out;
}

static void
a_value_is_json_if_its_text_is(void **state)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
	    {NULL, "null"},
	    {"1e-3", "1e-3"},
	    {"-0.10", "-0.10"},
	    {"123456789012345678901", "123456789012345678901"},
	    {"true", "true"},
	    {"[64, 32]", "[64,32]"},
	    {"[\n1]", "[1]"},
	    {"{\"a b\": \"\u202e\x7f\"}", "{\"a b\":\"\\u202e\\u007f\"}"},
	    {"007", "\"007\""},
	    {"0x10", "\"0x10\""},
	    {".5", "\".5\""},
	    {"nan", "\"nan\""},
	    {"null", "\"null\""},
	    {"", "\"\""},
	    {"\"a\"", "\"\\\"a\\\"\""},
	    {"[1", "\"[1\""},
	    {"1 2", "\"1 2\""},
	    {"ad\033am", "\"ad\\u001bam\""},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(written(cases[i].text), cases[i].json);
}

static void
repeated_names_are_found_also_when_escaped(void **state)
{
	struct lex good = parsed("{\"a\":1,\"b\":{\"a\":1}}");
	struct lex empty = parsed("{}");
	struct lex bad = parsed("{\"a\":1,\n \"b\":2,\n \"\\u0061\":3}");
	struct error e;

	(void)state;
	assert_int_equal(lex_unique(&good, &e), 0);
	assert_int_equal(lex_unique(&empty, &e), 0);
	assert_int_equal(lex_unique(&bad, &e), -1);
	assert_string_equal(e.text, "line 3, column 2: a: given twice");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(only_strict_json_is_taken),
	    cmocka_unit_test(every_beginning_of_a_document_is_refused),
	    cmocka_unit_test(a_nul_byte_is_refused),
	    cmocka_unit_test(more_than_64_levels_are_refused),
	    cmocka_unit_test(one_line_of_text_is_placed_by_its_column),
	    cmocka_unit_test(numbers_keep_their_source_text),
	    cmocka_unit_test(members_of_an_object_come_with_their_names),
	    cmocka_unit_test(strings_are_unescaped_to_utf8),
	    cmocka_unit_test(source_loses_only_the_blanks_outside_strings),
	    cmocka_unit_test(a_value_is_json_if_its_text_is),
	    cmocka_unit_test(repeated_names_are_found_also_when_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
