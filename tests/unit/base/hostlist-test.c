#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/hostlist.h"

static void
lists_are_expanded_in_their_order(void **state)
{
	static const struct {
		const char *list, *names;
	} cases[] = {
	    {"n1", "n1"},
	    {"gpu-node", "gpu-node"},
	    {"n[1-3]", "n1,n2,n3"},
	    {"n[3,1]", "n3,n1"},
	    {"b,a,b", "b,a,b"},
	    {"n[1-3,07-09]", "n1,n2,n3,n07,n08,n09"},
	    {"n[08-11]", "n08,n09,n10,n11"},
	    {"n[8-11]", "n8,n9,n10,n11"},
	    {"n[1-2],gpu-a[1-2]x[1-2]",
		"n1,n2,gpu-a1x1,gpu-a1x2,gpu-a2x1,gpu-a2x2"},
	    {"rack[1-2]-[01-02].cluster",
		"rack1-01.cluster,rack1-02.cluster,rack2-01.cluster,"
		"rack2-02.cluster"},
	    {"[1-2]n", "1n,2n"},
	    {"n[099-101]", "n099,n100,n101"},
	    {"c[1-2]b[1,3]n[5]", "c1b1n5,c1b3n5,c2b1n5,c2b3n5"},
	};
	struct strlist names = {0};
	struct error e;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(hostlist_expand(cases[i].list, &names, &e), 0);
		text = strlist_join(&names, ",");
		assert_string_equal(text, cases[i].names);
		free(text);
		strlist_free(&names);
	}
}

static void
names_are_folded_and_read_back(void **state)
{
	static const struct {
		const char *names, *list;
	} cases[] = {
	    {"n1", "n1"},
	    {"login", "login"},
	    {"n3,n1,n2", "n[1-3]"},
	    {"n10,n9,n2,n9", "n[2,9-10]"},
	    {"n08,n09,n10,n7", "n[7,08-10]"},
	    {"n099,n100,n1000", "n[099-100,1000]"},
	    {"b1,a1,a2,login,b7", "a[1-2],b[1,7],login"},
	    {"r2n1,r1n2,r1n1", "r1n[1-2],r2n1"},
	    {"n1-ib,n2-ib,n1", "n1,n[1-2]-ib"},
	    {"1n,2n", "[1-2]n"},
	    {"n123456789012345678901", "n123456789012345678901"},
	};
	struct strlist names = {0}, again = {0};
	char *list;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(
		    hostlist_expand(cases[i].names, &names, NULL), 0);
		list = hostlist_fold(&names);
		assert_string_equal(list, cases[i].list);
		assert_int_equal(hostlist_expand(list, &again, NULL), 0);
		free(list);
		list = hostlist_fold(&again);
		assert_string_equal(list, cases[i].list);
		free(list);
		strlist_free(&again);
		strlist_free(&names);
	}
	list = hostlist_fold(&names);
	assert_string_equal(list, "");
	free(list);
}

static void
names_are_sorted_by_their_numbers(void **state)
{
	(void)state;
	assert_true(hostlist_compare("n2", "n10") < 0);
	assert_true(hostlist_compare("r2n10", "r10n2") < 0);
	assert_true(hostlist_compare("n1", "n01") != 0);
	assert_true(hostlist_compare("n", "n1") < 0);
	assert_true(hostlist_compare("n1", "n1") == 0);
}

static void
what_is_no_list_is_refused_and_adds_nothing(void **state)
{
	static const char *const bad[] = {"", ",", "n1,", ",n1", "n[", "n]",
	    "n[]", "n[1-", "n[1-2", "n[2-1]", "n[a]", "n[1--2]", "n[1,]",
	    "n[,1]", "n[1-2]]", "n[[1]]", "n 1", "n[1-99999999]",
	    "n[0-9999][0-9999]", "n[00000000000000000001]", "(null)", "n1;id",
	    "$(id)", "n[1-2]x[1-]", "a[1]b[1]c[1]d[1]e[1]f[1]g[1]h[1]i[1]"};
	struct strlist names = {0};
	struct error e;
	size_t i;

	(void)state;
	strlist_push(&names, "before");
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		e.text[0] = '\0';
		assert_int_equal(hostlist_expand(bad[i], &names, &e), -1);
		assert_string_not_equal(e.text, "");
		assert_int_equal(names.count, 1);
	}
	strlist_free(&names);
}

static void
a_large_cluster_is_no_trouble(void **state)
{
	struct strlist names = {0};

	(void)state;
	assert_int_equal(
	    hostlist_expand("r[1-100]n[001-999]", &names, NULL), 0);
	assert_int_equal(names.count, 99900);
	assert_string_equal(names.word[99899], "r100n999");
	strlist_free(&names);
}

static void
numbers_are_repeated_as_they_say(void **state)
{
	size_t *n;

	(void)state;
	assert_int_equal(hostlist_numbers("2(x3),1", 4, &n, NULL), 0);
	assert_int_equal(n[0] + n[1] + n[2], 6);
	assert_int_equal(n[3], 1);
	free(n);
	assert_int_equal(hostlist_numbers("7", 1, &n, NULL), 0);
	assert_int_equal(n[0], 7);
	free(n);
	assert_int_equal(hostlist_numbers("4,2(x2),8(x1)", 4, &n, NULL), 0);
	assert_int_equal(n[3], 8);
	free(n);
}

static void
numbers_must_be_as_many_as_names(void **state)
{
	static const struct {
		const char *text;
		size_t count;
	} cases[] = {{"", 1}, {"2", 2}, {"2(x3)", 2}, {"2(x2", 2}, {"2(y2)", 2},
	    {"2,,1", 3}, {"2,", 1}, {"x", 1}, {"-1", 1}, {"1 ", 1},
	    {"1(x99999999999999999999)", 1}};
	size_t *n, i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(
		    hostlist_numbers(cases[i].text, cases[i].count, &n, NULL),
		    -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lists_are_expanded_in_their_order),
	    cmocka_unit_test(names_are_folded_and_read_back),
	    cmocka_unit_test(names_are_sorted_by_their_numbers),
	    cmocka_unit_test(what_is_no_list_is_refused_and_adds_nothing),
	    cmocka_unit_test(a_large_cluster_is_no_trouble),
	    cmocka_unit_test(numbers_are_repeated_as_they_say),
	    cmocka_unit_test(numbers_must_be_as_many_as_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
