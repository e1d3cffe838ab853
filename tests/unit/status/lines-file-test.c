#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "status/lines-file.h"

/* Lines written down one after another, each with a "|" behind it. */
struct seen {
	char text[1024];
	size_t used, lines, longest;
};

static void
write_down(void *arg, const char *line)
{
	struct seen *s = arg;
	size_t length = strlen(line);

	s->lines++;
	if (length > s->longest)
		s->longest = length;
	s->used += (size_t)snprintf(
	    s->text + s->used, sizeof s->text - s->used, "%.100s|", line);
	assert_true(s->used < sizeof s->text);
}

/* A "+" stands for what lines_end gives out. */
static const struct {
	const char *bytes, *lines;
} table[] = {
    {"", "+"},
    {"a\nb\n", "a|b|+"},
    {"a\n\nb", "a||+b|"},
    {"a\tb \n", "a\tb |+"},
    {"a\r\nb\r\n", "a|b|+"},
    /* progress bars */
    {"  1%\r 50%\r100%\n", "+100%|"},
    {"100%\rdone\n", "+done|"},
    {"long words\rab\n", "+ab|"},
    {"\rab\r", "+ab|"},
    {"ab\r\r\r\n", "ab|+"},
    {"ab\r     \r\n", "ab|+"},
    {"ab\r     \rcd    \n", "+cd|"},
    {"ab\r  cd\n", "+  cd|"},
    {"ab\r cd\ref", "+ef|"},
    {"1/9\b\b\b2/9\b\b\b\r\r3/9\n", "+3/9|"},
    {"-\b\\\b|\b/\bok\n", "ok|+"},
    {"a\xc3\xa9\b\bx\n", "x|+"},
    {"\b\b\bx\n", "x|+"},
    /* escape sequences */
    {"\033[31mred\033[0m\n", "red|+"},
    {"\033[38;5;208mor\033[1;2mange\033[m\n", "orange|+"},
    {"\033]0;title\007text\n", "text|+"},
    {"\033]8;;http://x\033\\link\033]8;;\033\\\n", "link|+"},
    {"\033(Ba\033=b\033>c\033Md\n", "abcd|+"},
    {"\033P1$r0m\033\\x\n", "x|+"},
    {"10%\033[2K\033[1G20%\n", "+20%|"},
    {"10%\033[2K20%\n", "+20%|"},
    {"a\033[K\n", "a|+"},
    {"a\033[Ab\n", "ab|+"},
    {"\033[12\nb\033", "|+b|"},
    {"a\033]0;never\nb\n", "a\033]0;never|b|+"},
    {"\033]0;never\rb\n", "+b|"},
    {"\033]0;a\033b\033\\c\n", "c|+"},
    {"\033\033[1mx\n", "x|+"},
    {"a\033[1\033[2mb\n", "ab|+"},
    {"a\033\rb\n", "+b|"},
    {"\033\xc3\xa9\n", "\xc3\xa9|+"},
    {"\033[\xc3\xa9\n", "\xc3\xa9|+"},
    {"ding\a\n", "ding|+"},
    {"\x01\x7f\n", "\x01\x7f|+"},
    /* bars below each other: the inner one, again and again, is wiped */
    {"\ro 0\n\ri 0\033[A\n\ri 9\033[A\ro 1\n"
     "\ri 0\033[A\n\r   \033[A\ro 2\n",
	"+o 2|"},
    /* or stays, and the outer one is below it then */
    {"\ro 0\n\ri 0\033[A\n\ri 9\033[A\ri 10\n"
     "\ro 1\n\rj 0\033[A\rj 10\n\ro 2\n",
	"i 10|j 10|+o 2|"},
    /* three, which come one after another, and lines after them */
    {"\ra\n\rb\033[A\n\n\rc\033[A\033[A"
     "\ra9\n\rb9\033[A\n\n\rc9\033[2A\n\n\nd\ne\n"
     "f\n",
	"a9|b9|c9|d|e|f|+"},
    {"1\n2\n\033[2A\033[K3\n4\n", "1|2|3|4|+"}, /* they are gone */
    {"\r1\n\033[F\033[2K\r2\n\n3\n4\n5\n", "2||3|4|5|+"},
    {"\r1\n2\n3\n\n", "1|2|3||+"},
};

/* What comes of the bytes when they come in pieces of this size. */
static void
feed(struct seen *s, const char *bytes, size_t length, size_t piece)
{
	struct lines l = {0};
	size_t at;

	memset(s, 0, sizeof *s);
	for (at = 0; at < length; at += piece)
		lines_feed(&l, bytes + at,
		    length - at < piece ? length - at : piece, write_down, s);
	s->text[s->used++] = '+';
	lines_end(&l, write_down, s);
	lines_free(&l);
}

static void
lines_are_as_a_terminal_would_show_them(void **state)
{
	struct seen s;
	size_t i, piece;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++)
		for (piece = 1; piece < 8; piece++) {
			feed(&s, table[i].bytes, strlen(table[i].bytes), piece);
			assert_string_equal(s.text, table[i].lines);
		}
}

static void
nuls_are_left_out(void **state)
{
	struct seen s;

	(void)state;
	feed(&s, "\0\0a\0b\n\0", 7, 3);
	assert_string_equal(s.text, "ab|+|");
}

static void
of_a_long_line_the_beginning_is_kept(void **state)
{
	size_t most = LINES_LONGEST, length = 3 * most, i;
	char *bytes = xmalloc(length + 1);
	struct lines l = {0};
	struct seen s = {{0}};

	(void)state;
	memset(bytes, 'x', length);
	bytes[length - 1] = '\n';
	for (i = 0; i < 5; i++)
		lines_feed(&l, "z", 1, write_down, &s);
	lines_feed(&l, bytes, length, write_down, &s);
	assert_int_equal(s.lines, 1);
	assert_int_equal(s.longest, most + strlen(" [... 131076 more bytes]"));
	lines_feed(&l, bytes, most + 9, write_down, &s);
	lines_feed(&l, "\rshort\n", 7, write_down, &s);
	lines_rest(&l, write_down, &s);
	assert_int_equal(s.lines, 2);
	assert_non_null(strstr(s.text, "|short|"));
	lines_free(&l);
	free(bytes);
}

static void
no_character_is_cut(void **state)
{
	struct lines l = {0};
	size_t i, length;
	const char *text;
	struct seen s;

	(void)state;
	lines_feed(&l, "x", 1, write_down, &s);
	for (i = 0; i < LINES_LONGEST; i++)
		lines_feed(&l, "\xc3\xa9", 2, write_down, &s);
	for (i = 0; i < 2; i++) {
		text = lines_unfinished(&l);
		length = LINES_LONGEST - 1;
		assert_int_equal((unsigned char)text[length - 1], 0xa9);
		assert_string_equal(text + length, " [... 65538 more bytes]");
	}
	lines_free(&l);
}

/* ---- files ---- */

static char path[] = "/tmp/stfm-lines.XXXXXX";

static void
put(const char *mode, const char *bytes)
{
	FILE *f = fopen(path, mode);

	assert_non_null(f);
	fputs(bytes, f);
	assert_int_equal(fclose(f), 0);
}

/* What a read gives out now: all of it. */
static void
reads(struct lines_file *f, const char *lines)
{
	struct seen s = {{0}};
	struct error e;

	assert_int_not_equal(lines_file_read(f, write_down, &s, &e), -1);
	assert_string_equal(s.text, lines);
}

static void
a_file_is_read_as_it_grows(void **state)
{
	struct lines_file f = {.path = path};
	struct seen s = {{0}};
	struct error e;

	(void)state;
	put("w", "");
	assert_int_equal(lines_file_read(&f, write_down, &s, &e), 0);
	put("a", "a\nb");
	assert_int_equal(lines_file_read(&f, write_down, &s, &e), 1);
	reads(&f, "");
	put("a", "c\rd");
	reads(&f, "");
	assert_string_equal(lines_unfinished(&f.lines), "d");
	put("a", "\r50 ");
	reads(&f, "");
	assert_string_equal(lines_unfinished(&f.lines), "50 ");
	put("a", "%\n");
	reads(&f, "");
	reads(&f, "50 %|"); /* as nothing else comes */
	put("a", "%\re\nf\n");
	reads(&f, "e|f|");
	lines_file_free(&f);
}

static void
a_file_that_is_another_one_is_read_anew(void **state)
{
	struct lines_file f = {.path = path};
	char *other = xasprintf("%s.new", path);

	(void)state;
	put("w", "a\nbc");
	reads(&f, "a|");
	put("w", "x\n"); /* shorter */
	reads(&f, "bc|x|");
	put("w", "written anew\n"); /* longer, from the beginning */
	reads(&f, "written anew|");
	assert_int_equal(rename(path, other), 0);
	put("w", "written anew\nreplaced\n");
	reads(&f, "written anew|replaced|");
	unlink(other);
	free(other);
	lines_file_free(&f);
}

static void
a_file_that_is_not_there_is_told(void **state)
{
	struct lines_file f = {.path = "/nonexistent/x"};
	struct strlist none;
	struct error e;

	(void)state;
	assert_int_equal(lines_file_read(&f, write_down, NULL, &e), -1);
	assert_non_null(strstr(e.text, "/nonexistent/x"));
	assert_int_equal(lines_file_last(&f, 3, &e), -1);
	f.path = "/dev/null";
	assert_int_equal(lines_file_read(&f, write_down, NULL, &e), -1);
	lines_file_end("/nonexistent/x", 3, 100, &none);
	assert_int_equal(none.count, 0);
}

static const struct {
	const char *bytes;
	uint64_t count;
	const char *lines;
} ends[] = {
    {"", 3, "+"},
    {"a\nb\nc\n", 0, "+"},
    {"a\nb\nc\n", 1, "c|+"},
    {"a\nb\nc\n", 2, "b|c|+"},
    {"a\nb\nc\n", 3, "a|b|c|+"},
    {"a\nb\nc\n", 9, "a|b|c|+"},
    {"a\nb\nc", 1, "+c|"},
    {"a\nb\nc", 2, "b|+c|"},
    {"a\nb\nc", 0, "+c|"},
    {"\n\n\n", 2, "||+"},
    {"bar 1\rbar 2\rbar 3", 1, "+bar 3|"},
};

static void
reading_begins_so_many_lines_before_the_end(void **state)
{
	struct lines_file f;
	struct seen s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		put("w", ends[i].bytes);
		f = (struct lines_file){.path = path};
		memset(&s, 0, sizeof s);
		assert_int_equal(lines_file_last(&f, ends[i].count, NULL), 0);
		lines_file_read(&f, write_down, &s, NULL);
		s.text[s.used++] = '+';
		lines_end(&f.lines, write_down, &s);
		assert_string_equal(s.text, ends[i].lines);
		lines_file_free(&f);
	}
}

static int
add_up(void *arg, const char *bytes, size_t length)
{
	(void)bytes;
	*(size_t *)arg += length;
	return 0;
}

/* More than one piece, going back and forth. */
static void
a_long_file_is_read_from_its_end(void **state)
{
	struct lines_file f = {.path = path};
	FILE *out = fopen(path, "w");
	size_t bytes = 0;
	int i;

	(void)state;
	for (i = 0; i < 200000; i++)
		fprintf(out, "line %d\n", i);
	fclose(out);
	lines_file_last(&f, 2, NULL);
	reads(&f, "line 199998|line 199999|");
	lines_file_free(&f);
	f = (struct lines_file){.path = path};
	lines_file_last(&f, 100000, NULL);
	assert_int_equal(f.offset, 1088890);
	assert_int_equal(lines_file_copy(&f, add_up, &bytes, NULL), 1);
	assert_int_equal(bytes, 1200000);
	assert_int_equal(lines_file_copy(&f, add_up, &bytes, NULL), 0);
	put("a", "\033[1m\0");
	lines_file_copy(&f, add_up, &bytes, NULL);
	assert_int_equal(bytes, 1200004);
	lines_file_free(&f);
}

static void
the_last_lines_are_those_with_something_in_them(void **state)
{
	struct strlist end;

	(void)state;
	put("w", "a\n\nb\n  \nc\r\n\nd");
	lines_file_end(path, 3, 1 << 16, &end);
	assert_int_equal(end.count, 3);
	assert_string_equal(end.word[0], "b");
	assert_string_equal(end.word[2], "d");
	strlist_free(&end);
	lines_file_end(path, 9, 9, &end); /* from within "b" or before it */
	assert_int_equal(end.count, 2);
	assert_string_equal(end.word[0], "c");
	strlist_free(&end);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_are_as_a_terminal_would_show_them),
	    cmocka_unit_test(nuls_are_left_out),
	    cmocka_unit_test(of_a_long_line_the_beginning_is_kept),
	    cmocka_unit_test(no_character_is_cut),
	    cmocka_unit_test(a_file_is_read_as_it_grows),
	    cmocka_unit_test(a_file_that_is_another_one_is_read_anew),
	    cmocka_unit_test(a_file_that_is_not_there_is_told),
	    cmocka_unit_test(reading_begins_so_many_lines_before_the_end),
	    cmocka_unit_test(a_long_file_is_read_from_its_end),
	    cmocka_unit_test(the_last_lines_are_those_with_something_in_them),
	};
	int rc;

	close(mkstemp(path));
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
