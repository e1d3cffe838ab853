#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/idset.h"

static void
text_comes_back_in_its_shortest_form(void **state)
{
	static const struct {
		const char *in, *out;
		uint64_t size;
	} cases[] = {
	    {"7", "7", 1},
	    {"0-4,7", "0-4,7", 6},
	    {"7,0-4", "0-4,7", 6},
	    {"1,2,3", "1-3", 3},
	    {"0-9:3", "0,3,6,9", 4},
	    {"5-9,0-4", "0-9", 10},
	    {"0-4,2-8,20", "0-8,20", 10},
	    {"1,3,5,2-4", "1-5", 5},
	    {"0-99999", "0-99999", 100000},
	};
	struct idset r;
	struct error e;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(idset_parse(&r, cases[i].in, &e), 0);
		text = idset_text(&r);
		assert_string_equal(text, cases[i].out);
		assert_int_equal(idset_size(&r), cases[i].size);
		free(text);
		idset_free(&r);
	}
}

static void
long_texts_for_people_are_cut(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"", ""},
	    {"0-4,7", "0-4,7"},
	    {"0,2,4,6,8,10,12,14,16,18", "0,2,4,6,8,10,12,14,16,18"},
	    {"0,2,4,6,8,10,12,14,16-20,22,30",
		"0,2,4,6,8,10,12,14,... and 7 more"},
	};
	struct idset r = {0};
	struct error e;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (*cases[i].in != '\0')
			assert_int_equal(idset_parse(&r, cases[i].in, &e), 0);
		text = idset_brief(&r);
		assert_string_equal(text, cases[i].out);
		free(text);
		idset_free(&r);
	}
}

static void
what_is_no_list_is_refused(void **state)
{
	static const char *const bad[] = {"", ",", "1,", ",1", "a", "1-", "-1",
	    "4-2", "1--2", "1 2", "1-9:0", "99999999999999999999", "1;2",
	    "0x10", "1-5:"};
	struct idset r;
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(idset_parse(&r, bad[i], &e), -1);
		assert_int_equal(r.count, 0);
		assert_non_null(strstr(e.text, "not a list of numbers"));
	}
}

static void
position_is_the_inverse_of_at(void **state)
{
	struct idset r;
	uint64_t i;

	(void)state;
	assert_int_equal(idset_parse(&r, "3-5,9,20-29", NULL), 0);
	for (i = 0; i < idset_size(&r); i++)
		assert_int_equal(idset_position(&r, idset_at(&r, i)), i);
	assert_true(idset_has(&r, 9));
	assert_false(idset_has(&r, 6));
	assert_false(idset_has(&r, 30));
	idset_free(&r);
}

static void
walk_agrees(const struct idset *r)
{
	struct idset_walk walk = {0};
	uint64_t number, i = 0;

	while (idset_next(r, &walk, &number))
		assert_int_equal(number, idset_at(r, i++));
	assert_int_equal(i, idset_size(r));
}

static void
random_sets_agree_with_a_bitmap(void **state)
{
	char want[300];
	struct idset r;
	uint64_t first, last, i, size;
	int round, k;

	(void)state;
	srand(7);
	for (round = 0; round < 200; round++) {
		memset(want, 0, sizeof want);
		memset(&r, 0, sizeof r);
		for (k = 0; k < 30; k++) {
			first = (uint64_t)(rand() % 290);
			last = first + (uint64_t)(rand() % 10);
			idset_add(&r, first, last);
			memset(want + first, 1, last - first + 1);
		}
		for (size = i = 0; i < sizeof want; i++) {
			assert_int_equal(idset_has(&r, i), want[i]);
			size += (uint64_t)want[i];
		}
		assert_int_equal(idset_size(&r), size);
		for (i = 1; i < r.count; i++)
			assert_true(r.run[i].first > r.run[i - 1].last + 1);
		walk_agrees(&r);
		idset_free(&r);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_comes_back_in_its_shortest_form),
	    cmocka_unit_test(long_texts_for_people_are_cut),
	    cmocka_unit_test(what_is_no_list_is_refused),
	    cmocka_unit_test(position_is_the_inverse_of_at),
	    cmocka_unit_test(random_sets_agree_with_a_bitmap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
