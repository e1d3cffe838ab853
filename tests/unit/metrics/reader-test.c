#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "metrics/reader.h"
#include "sys/fs.h"

#include "../event.h"

/* Records as text: "epoch=1 loss=2; epoch=2; ", and where each ends. */
struct seen {
	char text[4096];
	size_t used, taken, most;
};

static int
see(void *arg, const struct record *r, size_t taken)
{
	struct seen *s = arg;
	size_t i;

	if (s->most > 0 && --s->most == 0)
		return 1;
	for (i = 0; i < r->count; i++)
		if (strcmp(r->name[i], "wall_time") != 0)
			s->used += (size_t)snprintf(s->text + s->used,
			    sizeof s->text - s->used, "%s=%s ", r->name[i],
			    r->value[i]);
	s->used +=
	    (size_t)snprintf(s->text + s->used, sizeof s->text - s->used, "; ");
	assert_true(taken > s->taken);
	s->taken = taken;
	return 0;
}

struct text_case {
	const char *bytes;
	int ended;
	const char *want;
	size_t left;
	unsigned damaged;
};

static int
check(struct record_reader *r, const struct text_case *c)
{
	struct seen s = {.used = 0};

	r->ended = c->ended;
	record_read(r, c->bytes, strlen(c->bytes), see, &s);
	if (strcmp(s.text, c->want) == 0 && r->damaged == c->damaged &&
	    strlen(c->bytes) - r->taken == c->left)
		return 1;
	print_error("%s\n  is   %s\n  want %s\n  left %zu damaged %d\n",
	    c->bytes, s.text, c->want, strlen(c->bytes) - r->taken,
	    (int)r->damaged);
	return 0;
}

static void
json_lines_are_objects_of_numbers(void **state)
{
	static const struct text_case cases[] = {
	    {"{\"epoch\": 1, \"loss\": 2.50}\n{\"epoch\":2}\n", 0,
		"epoch=1 loss=2.50 ; epoch=2 ; ", 0, 0},
	    {"{\"a\":1}\r\n\n  \n{\"b\":-1e-3}\n", 0, "a=1 ; b=-1e-3 ; ", 0, 0},
	    {"\xef\xbb\xbf{\"a\":1}\n", 0, "a=1 ; ", 0, 0},
	    {"{\"a\":NaN,\"b\":-Infinity,\"c\":Infinity}\n", 0,
		"a=NaN b=-Infinity c=Infinity ; ", 0, 0},
	    {"{\"a\":null,\"b\":true,\"c\":\"text\",\"d\":\"0.5\","
	     "\"e\":\"\"}\n",
		0, "d=0.5 ; ", 0, 0},
	    {"{\"val\":{\"loss\":1,\"x\":{\"y\":2}},\"z\":3}\n", 0,
		"val.loss=1 val.x.y=2 z=3 ; ", 0, 0},
	    {"{\"a\":[1,{\"b\":2},[]],\"c\":{},\"d\":[],\"e\":4}\n", 0,
		"e=4 ; ", 0, 0},
	    {"{\"a\\/b\":1,\"q\\\"\":2}\n", 0, "a/b=1 q\"=2 ; ", 0, 0},
	    {"{\"a\":\"x\\\"y\",\"b\":1}\n", 0, "b=1 ; ", 0, 0},
	    {"{\"a\":1}\n{\"a\":2", 0, "a=1 ; ", 6, 0},
	    {"{\"a\":1}\n{\"a\":2}", 0, "a=1 ; ", 7, 0},
	    {"{\"a\":1}\n{\"a\":2}", 1, "a=1 ; a=2 ; ", 0, 0},
	    {"{\"a\":1}\n{\"a\":2", 1, "a=1 ; ", 0, 1},
	    {"{\"a\":1}{\"a\":2}\n{\"a\":3}\n", 0, "a=3 ; ", 0, 1},
	    {"nonsense\n{}\n{\"a\":}\n{\"a\":1,}\n{a:1}\n{\"a\":7}\n", 0,
		"a=7 ; ", 0, 4},
	    {"{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{"
	     "\"a\":1}}}}}}}}}\n{\"a\":1}\n",
		0, "a=1 ; ", 0, 1},
	};
	struct record_reader r = {.format = RECORD_JSON};
	size_t i, bad = 0;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		bad += !check(&r, &cases[i]);
	assert_int_equal(bad, 0);
}

static void
a_pattern_finds_values_in_lines(void **state)
{
	static const struct {
		const char *pattern[2];
		struct text_case is;
	} cases[] = {
	    {{"epoch (?P<epoch>\\d+).*loss=(?P<loss>[0-9.e+-]+)"},
		{"start\nepoch 1: loss=0.5, ok\nepoch 2 loss=2e-3\n", 0,
		    "epoch=1 loss=0.5 ; epoch=2 loss=2e-3 ; ", 0, 0}},
	    {{"(?:a|b)=(?<x>[\\d.]+)"},
		{"a=1\nb=2.5\nc=3\n", 0, "x=1 ; x=2.5 ; ", 0, 0}},
	    {{"(?P<x>\\w+)$"},
		{"1\r2\r\n3\rhalf", 0, "x=1 ; x=2 ; x=3 ; ", 4, 0}},
	    {{"(?P<x>\\w+)$"}, {"1\r\n4", 1, "x=1 ; x=4 ; ", 0, 0}},
	    {{"Epoch (?P<epoch>[0-9]+)/", "\\bloss: (?P<loss>[^ ]+)"},
		{"Epoch 3/9\n1/1 - loss: 0.5 - x\n", 0, "epoch=3 ; loss=0.5 ; ",
		    0, 0}},
	    {{"e=(?P<e>[0-9]+)", "l=(?P<l>[0-9]+)"},
		{"l=2 e=1\n", 0, "e=1 l=2 ; ", 0, 0}},
	    {{"\\(\\[(?P<x>[^]]+)\\]\\)"}, {"([5])\n", 0, "x=5 ; ", 0, 0}},
	    {{"x=(?P<x>nan|inf|[0-9]+)(?P<never>y)?"},
		{"x=nan\nx=1\n", 0, "x=nan ; x=1 ; ", 0, 0}},
	};
	struct record_reader r = {.format = RECORD_TEXT};
	size_t i, bad = 0;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct record_pattern *p = record_pattern_new(cases[i].pattern,
		    cases[i].pattern[1] != NULL ? 2 : 1, NULL);

		assert_non_null(p);
		r.pattern = p;
		bad += !check(&r, &cases[i].is);
		record_pattern_free(p);
	}
	assert_int_equal(bad, 0);
}

static void
a_pattern_that_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"loss=([0-9.]+)",
		"'loss=([0-9.]+)': names no value; write the groups as "
		"(?P<loss>[0-9.]+)"},
	    {"", "'': names no value; write the groups as (?P<loss>[0-9.]+)"},
	    {"a.*?(?P<a>1)",
		"'a.*?(?P<a>1)': there is no shortest match, as in .*?; name "
		"what may stand there, as in [^=]*"},
	    {"(?P<>1)", "'(?P<>1)': (?P<name>...): no such name"},
	    {"(?P<a1)", "'(?P<a1)': (?P<name>...): no such name"},
	    {"(?=x)(?P<a>1)",
		"'(?=x)(?P<a>1)': of (?...) there are only (?P<name>...), "
		"(?<name>...) and (?:...)"},
	    {"(?P<a>[0-9)", "'(?P<a>[0-9)': a '[' that is not closed"},
	    {"(?P<a>1", "'(?P<a>1': Unmatched ( or \\("},
	};
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_null(record_pattern_new(&cases[i].text, 1, &e));
		assert_string_equal(e.text, cases[i].want);
	}
}

/* ---- TensorBoard ---- */

static char *
load(const char *name, size_t *length)
{
	char *path = xasprintf("tests/data/%s", name), *bytes;

	if (fs_read_path(path, 1 << 20, &bytes, length, NULL) == -1)
		fail_msg("%s: cannot read it", path);
	free(path);
	return bytes;
}

static const char tf1[] = "step=0 loss=5 val_loss=2.5 ; "
			  "step=10 loss=2.5 val_loss=1.25 ; "
			  "step=20 loss=1.5 val_loss=0.75 ; "
			  "step=30 loss=2 val_loss=1 ; ";

static void
every_writer_of_events_is_read(void **state)
{
	static const struct {
		const char *file, *want;
	} cases[] = {
	    {"tf1.tfevents", tf1},
	    {"tf2.tfevents",
		"step=0 val_loss=2.5 ; step=0 float16=10 ; "
		"step=0 bfloat16=10 ; step=0 float64=10 ; step=0 int32=10 ; "
		"step=0 int64=10 ; step=10 val_loss=1.25 ; step=10 float16=5 ; "
		"step=10 bfloat16=5 ; step=10 float64=5 ; step=10 int32=5 ; "
		"step=10 int64=5 ; step=20 val_loss=0.75 ; step=20 float16=3 ; "
		"step=20 bfloat16=3 ; step=20 float64=3 ; step=20 int32=3 ; "
		"step=20 int64=3 ; step=30 val_loss=1 ; step=30 float16=4 ; "
		"step=30 bfloat16=4 ; step=30 float64=4 ; step=30 int32=4 ; "
		"step=30 int64=4 ; "},
	    {"torch.tfevents",
		"step=0 Loss/train=5 ; step=0 Loss/val=2.5 ; "
		"step=10 Loss/train=2.5 ; step=10 Loss/val=1.25 ; "
		"step=20 Loss/train=1.5 ; step=20 Loss/val=0.75 ; "
		"step=30 Loss/train=2 ; step=30 Loss/val=1 ; "},
	};
	struct record_reader r = {.format = RECORD_EVENTS};
	struct seen s;
	size_t i, length;
	char *bytes;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		s = (struct seen){.used = 0};
		bytes = load(cases[i].file, &length);
		assert_int_equal(
		    record_recognise(bytes, RECORD_START), RECORD_EVENTS);
		record_read(&r, bytes, length, see, &s);
		assert_string_equal(s.text, cases[i].want);
		assert_int_equal(r.taken, length);
		assert_int_equal(r.damaged, 0);
		free(bytes);
	}
}

static void
a_cut_event_waits(void **state)
{
	struct record_reader r = {.format = RECORD_EVENTS};
	struct seen s;
	size_t length, cut, at;
	char *bytes = load("tf1.tfevents", &length);

	(void)state;
	for (cut = 0; cut <= length; cut++) {
		s = (struct seen){.used = 0};
		record_read(&r, bytes, cut, see, &s);
		assert_int_equal(r.damaged, 0);
		at = r.taken;
		s.taken = 0;
		record_read(&r, bytes + at, length - at, see, &s);
		assert_string_equal(s.text, tf1);
	}
	free(bytes);
}

static void
one_damaged_event_is_passed_over(void **state)
{
	struct record_reader r = {.format = RECORD_EVENTS, .ended = 1};
	struct seen s;
	size_t length, at;
	char *bytes = load("tf1.tfevents", &length);

	(void)state;
	for (at = 0; at < length; at++) {
		s = (struct seen){.used = 0};
		bytes[at] ^= 0x10;
		record_read(&r, bytes, length, see, &s);
		assert_int_equal(r.damaged, 1);
		assert_int_equal(r.taken, length);
		assert_true(
		    s.used >= 3 * strlen("step=0 loss=5 val_loss=1 ; "));
		bytes[at] ^= 0x10;
	}
	free(bytes);
}

static void
damage_is_counted_once_in_a_file_that_grows(void **state)
{
	struct record_reader r = {.format = RECORD_EVENTS};
	struct seen s;
	size_t length, second, step, at, end;
	uint64_t damaged;
	char *bytes = load("tf1.tfevents", &length);

	(void)state;
	second = 16 + (size_t)bytes[0];
	bytes[second] ^= 0x10;
	for (step = 1; step < 100; step++) {
		s = (struct seen){.used = 0};
		damaged = 0;
		for (at = 0, end = step; at < length; end += step) {
			r.ended = end >= length;
			end = r.ended ? length : end;
			s.taken = 0;
			record_read(&r, bytes + at, end - at, see, &s);
			at += r.taken;
			damaged += r.damaged;
		}
		assert_int_equal(damaged, 1);
	}
	free(bytes);
}

/* Keras has epochs in tags such as epoch_loss; others may be beside one. */
static void
an_event_has_epochs_if_all_its_tags_have(void **state)
{
	static const char *const tags[][4] = {{"epoch_loss", "epoch_acc"},
	    {"epoch_time", "loss"}, {"loss", "epoch_time"}, {"epoch_"}};
	struct record_reader r = {.format = RECORD_EVENTS};
	struct seen s = {.used = 0};
	char *bytes = NULL;
	size_t length, i;
	FILE *f = xmemopen(&bytes, &length);

	(void)state;
	for (i = 0; i < sizeof tags / sizeof *tags; i++)
		event_write(f, (char)i, tags[i], 5);
	xmemclose(f);
	record_read(&r, bytes, length, see, &s);
	assert_string_equal(s.text,
	    "epoch=0 epoch_loss=5 epoch_acc=5 ; step=1 epoch_time=5 loss=5 ; "
	    "step=2 loss=5 epoch_time=5 ; step=3 epoch_=5 ; ");
	free(bytes);
}

static void
a_value_has_the_digits_of_a_float(void **state)
{
	static const struct {
		float value;
		const char *want;
	} cases[] = {
	    {0.1F, "0.1"},
	    {1.0F / 3, "0.33333334"},
	    {1e-45F, "1.4013e-45"},
	    {1e38F, "1e+38"},
	    {-0.0F, "-0"},
	    {134217728, "134217728"},
	    {-2147483648.0F, "-2147483648"},
	};
	static const char *const tag[] = {"x", NULL};
	struct record_reader r = {.format = RECORD_EVENTS};
	char want[100];
	size_t i, length;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct seen s = {.used = 0};
		char *bytes = NULL;
		FILE *f = xmemopen(&bytes, &length);

		event_write(f, 1, tag, cases[i].value);
		xmemclose(f);
		record_read(&r, bytes, length, see, &s);
		snprintf(want, sizeof want, "step=1 x=%s ; ", cases[i].want);
		assert_string_equal(s.text, want);
		free(bytes);
	}
}

static void
a_large_event_is_passed_over(void **state)
{
	struct record_reader r = {.format = RECORD_EVENTS};
	size_t size = RECORD_SIZE + 100, i;
	char *bytes = xcalloc(1, size + 16);
	struct seen s = {.used = 0};
	uint32_t crc;

	(void)state;
	for (i = 0; i < 8; i++)
		bytes[i] = (char)(size >> (8 * i));
	crc = fs_crc32c(bytes, 8);
	crc = (crc >> 15 | crc << 17) + 0xa282ead8;
	for (i = 0; i < 4; i++)
		bytes[8 + i] = (char)(crc >> (8 * i));
	record_read(&r, bytes, 1000, see, &s);
	assert_int_equal(r.taken, 1000);
	assert_int_equal(r.skip, size + 16 - 1000);
	record_read(&r, bytes, size + 16, see, &s);
	assert_int_equal(r.taken, size + 16);
	assert_int_equal(r.skip, 0);
	free(bytes);
}

static void
a_page_that_is_late_waits(void **state)
{
	struct record_reader r = {.format = RECORD_EVENTS};
	struct seen s = {.used = 0};
	size_t length, taken;
	char *bytes = load("tf1.tfevents", &length);

	(void)state;
	s.most = 3;
	record_read(&r, bytes, length, see, &s);
	taken = r.taken;
	memset(bytes + taken, 0, length - taken);
	s = (struct seen){.used = 0};
	record_read(&r, bytes, length, see, &s);
	assert_int_equal(r.taken, taken);
	assert_int_equal(r.damaged, 0);
	r.ended = 1;
	record_read(&r, bytes, length, see, &(struct seen){.used = 0});
	assert_int_equal(r.taken, length);
	assert_int_equal(r.damaged, 1);
	free(bytes);
}

/* The task tables of existing stores hold these numbers. */
static void
formats_keep_their_numbers(void **state)
{
	static const char *const names[RECORD_FORMATS] = {
	    "CSV", "JSON Lines", "TensorBoard", "plain log"};
	int i;

	(void)state;
	for (i = 0; i < RECORD_FORMATS; i++)
		assert_string_equal(
		    record_format_name((enum record_format)i), names[i]);
}

static void
a_format_is_known_by_its_bytes(void **state)
{
	static const struct {
		const char *bytes;
		enum record_format want;
	} cases[] = {
	    {"", RECORD_ROWS},
	    {"epoch,loss\n", RECORD_ROWS},
	    {"{\"epoch\":1}\n", RECORD_JSON},
	    {"\xef\xbb\xbf\n {", RECORD_JSON},
	    {"[1]\n", RECORD_ROWS},
	    {"[\n {\"epoch\": 1},", RECORD_JSON},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(
		    record_recognise(cases[i].bytes, strlen(cases[i].bytes)),
		    cases[i].want);
}

/* ---- sheets ---- */

static void
a_name_has_the_prefix_of_its_file(void **state)
{
	static const char *const name[] = {"step", "wall_time", "loss"};
	const struct record r = {.name = name, .count = 3};
	char room[RECORD_NAME];

	(void)state;
	assert_string_equal(
	    record_name(RECORD_EVENTS, "val/", &r, 2, room), "val/loss");
	assert_string_equal(
	    record_name(RECORD_EVENTS, "val/", &r, 0, room), "step");
	assert_string_equal(
	    record_name(RECORD_EVENTS, "", &r, 2, room), "loss");
	assert_string_equal(
	    record_name(RECORD_JSON, "val/", &r, 0, room), "val/step");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(json_lines_are_objects_of_numbers),
	    cmocka_unit_test(a_pattern_finds_values_in_lines),
	    cmocka_unit_test(a_pattern_that_cannot_be_is_refused),
	    cmocka_unit_test(every_writer_of_events_is_read),
	    cmocka_unit_test(a_cut_event_waits),
	    cmocka_unit_test(one_damaged_event_is_passed_over),
	    cmocka_unit_test(damage_is_counted_once_in_a_file_that_grows),
	    cmocka_unit_test(an_event_has_epochs_if_all_its_tags_have),
	    cmocka_unit_test(a_value_has_the_digits_of_a_float),
	    cmocka_unit_test(a_large_event_is_passed_over),
	    cmocka_unit_test(a_page_that_is_late_waits),
	    cmocka_unit_test(formats_keep_their_numbers),
	    cmocka_unit_test(a_format_is_known_by_its_bytes),
	    cmocka_unit_test(a_name_has_the_prefix_of_its_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
