#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sys/csv.h"

/* Records written as [field|field]end, one after another. */
struct seen {
	char text[4096];
	size_t used;
	int records, stop_at, no_ends;
};

static int
write_down(void *arg, char *const *field, size_t count, uint64_t end)
{
	struct seen *s = arg;
	size_t i;

	for (i = 0; i < count; i++)
		s->used += (size_t)snprintf(s->text + s->used,
		    sizeof s->text - s->used, "%c%s", i == 0 ? '[' : '|',
		    field[i]);
	s->used += (size_t)snprintf(s->text + s->used, sizeof s->text - s->used,
	    "]%llu ", s->no_ends ? 0 : (unsigned long long)end);
	return ++s->records == s->stop_at ? 7 : 0;
}

static const struct {
	char delimiter;
	const char *bytes;
	const char *records;
} table[] = {
    {',', "a,b\n1,2\n", "[a|b]4 [1|2]8 "},
    {',', "a,b\r\n1,2\r\n", "[a|b]5 [1|2]10 "},
    {',', "a,b\r1,2\r", "[a|b]4 [1|2]8 "},
    {',', "a,b\n1,2", "[a|b]4 [1|2]7 "},
    {',',
	"\xef\xbb\xbf"
	"a,b\n",
	"[a|b]7 "},
    {',',
	"\xef\xbb"
	"a,b\n",
	"[\xef\xbb"
	"a|b]6 "},
    {',', "\xef\xbb", "[\xef\xbb]2 "},
    {',', "\xef\xbb\xbf", ""},
    {',', "\n\n a \n\n", "[a]6 "},
    {',', " \t\r\n1\r\n\r\n2\r\n", "[1]7 [2]12 "},
    {',', "\"a,b\",\"c\"\"d\"\n", "[a,b|c\"d]13 "},
    {',', "\"a\nb\r\n\",c\n\"x\"\n", "[a\nb\r\n|c]10 [x]14 "},
    {',', "\"  a \" , b \n", "[  a |b]12 "},
    {',', "a\"b,c\n", "[a\"b|c]6 "},
    {',', "a,,\n,\n", "[a||]4 [|]6 "},
    {',', "\"\"\n", "[]3 "},
    {',', "epoch,v\n0,\"[1, 2]\"\n", "[epoch|v]8 [0|[1, 2]]19 "},
    {';', "a;b,c\n1,5;\"2;3\"\n", "[a|b,c]6 [1,5|2;3]16 "},
    {'\t', "a\tb\n1\t2", "[a|b]4 [1|2]7 "},
    {'\t', "a\tb\r\n\r\n1\t2\r\n", "[a|b]5 [1|2]12 "},
    {'\t', "a\\tb\\nc\\rd\\\\e\\xf\\\n", "[a\tb\nc\rd\\e\\xf\\]18 "},
    {'\t', "\"a\t b \t\n", "[\"a| b |]8 "},
    {'\t', "\t\n\n\t", "[|]2 [|]4 "},
    {'\t', "", ""},
    {',', "", ""},
};

/* All records of some bytes, fed in pieces of the given size. */
static int
read_all(char delimiter, const char *bytes, size_t piece, struct seen *s,
    struct error *e)
{
	struct rows *r = rows_new(delimiter);
	size_t left = strlen(bytes), n;
	int status = 0;

	for (; left > 0 && status == 0; bytes += n, left -= n) {
		n = left < piece ? left : piece;
		status = rows_feed(r, bytes, n, write_down, s, e);
	}
	if (status == 0)
		status = rows_finish(r, write_down, s, e);
	rows_free(r);
	return status;
}

static void
records_are_the_same_whole_and_in_pieces(void **state)
{
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		struct seen whole = {0};

		assert_int_equal(read_all(table[i].delimiter, table[i].bytes,
				     SIZE_MAX, &whole, &e),
		    0);
		assert_string_equal(whole.text, table[i].records);
	}
}

/*
 * What is fed byte by byte is cut by libcsv, what is fed as a whole is not
 * where it is simple: both have to see the same.
 */
static void
random_text_is_read_alike_whole_and_byte_by_byte(void **state)
{
	static const char *const parts[] = {"1", "-2.5e3", "0.123456", "nan",
	    "epoch", ",", ",", ",", ",", "\n", "\n", "\n", " ", "\t", "\"",
	    "\"a,b\"", "\"c\"\"d\"", "+", "#!$%&'()*", "\xc3\xa9", "\x01\x7f",
	    "\r", "longer than eight bytes at once", ";"};
	enum { PARTS = sizeof parts / sizeof *parts };
	uint64_t x = 1;
	static const size_t pieces[] = {SIZE_MAX, 7, 30};
	int round, i, count, wanted, status;
	struct error e;
	size_t k;

	(void)state;
	for (round = 0; round < 20000; round++) {
		struct seen single = {0};
		char text[1024] = "";

		count = 1 + round % 24;
		for (i = 0; i < count; i++) {
			x = x * 6364136223846793005 + 1442695040888963407;
			strcat(text, parts[(x >> 33) % PARTS]);
		}
		/* Byte by byte, a CR ends its record before the LF is there. */
		single.no_ends = strchr(text, '\r') != NULL;
		wanted = read_all(',', text, 1, &single, &e);
		for (k = 0; k < sizeof pieces / sizeof *pieces; k++) {
			struct seen seen = {.no_ends = single.no_ends};

			status = read_all(',', text, pieces[k], &seen, &e);
			assert_int_equal(status, wanted);
			if (wanted == 0)
				assert_string_equal(seen.text, single.text);
		}
	}
}

/* A CR at the end of a piece ends its record before the LF is there. */
static void
pieces_of_one_byte_give_the_same_fields(void **state)
{
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		struct seen bytes = {0};

		if (strstr(table[i].bytes, "\r\n") != NULL)
			continue;
		assert_int_equal(
		    read_all(table[i].delimiter, table[i].bytes, 1, &bytes, &e),
		    0);
		assert_string_equal(bytes.text, table[i].records);
	}
}

static void
crlf_may_be_torn_between_two_pieces(void **state)
{
	struct seen s = {0};
	struct error e;

	(void)state;
	assert_int_equal(read_all(',', "a\r\nb\r\n", 1, &s, &e), 0);
	assert_string_equal(s.text, "[a]2 [b]5 ");
}

static void
a_half_written_record_waits(void **state)
{
	struct rows *r = rows_new(',');
	struct seen s = {0};

	(void)state;
	assert_int_equal(rows_feed(r, "a\n1", 3, write_down, &s, NULL), 0);
	assert_string_equal(s.text, "[a]2 ");
	assert_int_equal(rows_feed(r, "5\n", 2, write_down, &s, NULL), 0);
	assert_string_equal(s.text, "[a]2 [15]5 ");
	rows_free(r);
}

static void
the_caller_can_stop(void **state)
{
	struct seen s = {.stop_at = 2};

	(void)state;
	assert_int_equal(read_all(',', "a\nb\nc\nd\n", SIZE_MAX, &s, NULL), 7);
	assert_string_equal(s.text, "[a]2 [b]4 ");
}

static void
what_is_no_table_is_refused(void **state)
{
	static const char junk[] = "a,b\n1\0,2\n";
	struct seen s = {0};
	struct error e;
	struct rows *r;
	char *big;

	(void)state;
	r = rows_new(',');
	assert_int_equal(
	    rows_feed(r, junk, sizeof junk - 1, write_down, &s, &e), -1);
	assert_string_equal(e.text, "not a text file (it has a NUL byte)");
	rows_free(r);

	assert_int_equal(
	    read_all(',', "a,b\n1,\"2\n3,4\n", SIZE_MAX, &s, &e), -1);
	assert_string_equal(
	    e.text, "line 4: a quotation mark that is never closed");

	big = calloc(1, 2 * ROWS_RECORD);
	memset(big, 'x', ROWS_RECORD + 1);
	assert_int_equal(read_all(',', big, 65536, &s, &e), -1);
	assert_non_null(strstr(e.text, "line 1: a record of more than"));
	assert_int_equal(read_all('\t', big, 65536, &s, &e), -1);
	memset(big, ',', ROWS_FIELDS);
	big[ROWS_FIELDS] = '\0';
	assert_int_equal(read_all(',', big, 65536, &s, &e), -1);
	assert_string_equal(e.text, "line 1: more than 1024 fields");
	free(big);
}

static void
many_blank_lines_are_no_long_record(void **state)
{
	size_t length = 3 * ROWS_RECORD;
	char *blank = malloc(length + 1);
	struct seen s = {0};

	(void)state;
	memset(blank, '\n', length);
	blank[length] = '\0';
	assert_int_equal(read_all(',', blank, 65536, &s, NULL), 0);
	assert_int_equal(read_all('\t', blank, 65536, &s, NULL), 0);
	assert_int_equal(s.records, 0);
	free(blank);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(records_are_the_same_whole_and_in_pieces),
	    cmocka_unit_test(pieces_of_one_byte_give_the_same_fields),
	    cmocka_unit_test(random_text_is_read_alike_whole_and_byte_by_byte),
	    cmocka_unit_test(crlf_may_be_torn_between_two_pieces),
	    cmocka_unit_test(a_half_written_record_waits),
	    cmocka_unit_test(the_caller_can_stop),
	    cmocka_unit_test(what_is_no_table_is_refused),
	    cmocka_unit_test(many_blank_lines_are_no_long_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
