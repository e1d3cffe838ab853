#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/expression.h"

/* The values that the conditions below meet: name, value, ... */
static const char *const values[] = {"opt", "adam", "lr", "1e-3", "seed",
    "9007199254740993", "note", "a,b\\c", "sign", "=>x", "empty", "", "nan",
    "nan", "inf", "inf", "tiny", "1e-400", "model.depth-2", "18"};

static const char *
value_of(void *arg, const char *name)
{
	size_t i;

	(void)arg;
	for (i = 0; i < sizeof values / sizeof *values; i += 2)
		if (strcmp(values[i], name) == 0)
			return values[i + 1];
	return NULL;
}

static const struct {
	const char *text;
	int holds;
} conditions[] = {
    {"opt=adam", 1},
    {"opt=sgd", 0},
    {"opt=adamw", 0},
    {"opt!=sgd", 1},
    {"opt!=adam", 0},
    {"lr=1e-3", 1},
    {"lr=0.001", 1},
    {"lr=0.0010", 1},
    {"lr=+.001", 1},
    {"lr=10e-4", 1},
    {"lr=0.00100000000000000001", 0},
    {"lr!=0.001", 0},
    {"lr!=0.01", 1},
    {"lr<0.01", 1},
    {"lr<0.001", 0},
    {"lr<=0.001", 1},
    {"lr>=0.001", 1},
    {"lr>0.001", 0},
    {"lr>0.00099999999999999999999", 1},
    {"lr<0.00100000000000000000001", 1},
    {"lr>-1", 1},
    {"seed=9007199254740993", 1},
    {"seed=9007199254740992", 0},
    {"seed>9007199254740992", 1},
    {"seed>=9007199254740994", 0},
    {"seed<9007199254740993.5", 1},
    {"seed=9007199254740993.000", 1},
    {"tiny>0", 1},
    {"tiny<1e-399", 1},
    {"tiny=0", 0},
    {"inf>1e308", 1},
    {"inf=infinity", 1},
    {"nan=NaN", 1},
    {"nan>0", 0},
    {"nan<=0", 0},
    {"nan!=0", 1},
    {"opt<1", 0},
    {"opt>=1", 0},
    {"opt!=1", 1},
    {"opt=adam,lr=0.001", 1},
    {"opt=adam,lr=0.1", 0},
    {"opt=sgd,lr=0.001", 0},
    {"lr>0.0001,lr<0.01,seed>1", 1},
    {"note=a\\,b\\\\c", 1},
    {"note=a\\,b\\c", 1},
    {"note=a\\,b", 0},
    {"sign=\\=>x", 1},
    {"sign!=\\>x", 1},
    {"model.depth-2=18", 1},
    {"empty=0", 0},
    {"empty<1", 0},
    {"empty!=1", 1},
    {"missing=1", 0},
    {"missing!=1", 0},
    {"missing<1", 0},
    {"missing>=1", 0},
    {"opt", 1},
    {"empty", 1},
    {"missing", 0},
    {"opt,lr=0.001", 1},
    {"lr=0.001,missing", 0},
};

static void
comparisons_hold_or_not(void **state)
{
	struct error e;
	struct expression *w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof conditions / sizeof *conditions; i++) {
		w = expression_new(conditions[i].text, &e);
		if (w == NULL)
			fail_msg("%s", e.text);
		if (expression_holds(w, value_of, NULL) != conditions[i].holds)
			fail_msg("%s: not %d", conditions[i].text,
			    conditions[i].holds);
		expression_free(w);
	}
}

static const struct {
	const char *text;
	const char *reason;
} refusals[] = {
    {"", ": not a condition (write NAME=VALUE"},
    {"opt=", "opt=: nothing to compare opt with (write opt=VALUE)"},
    {"opt=,lr=1", "nothing to compare opt with"},
    {"opt=adam,", "opt=adam,: not a condition"},
    {"opt=adam,,lr=1", "not a condition"},
    {"=adam", "not a condition"},
    {"1=1", "not a condition"},
    {"-a=1", "not a condition"},
    {"opt adam", "not a condition"},
    {" opt=adam", "not a condition"},
    {"opt~adam", "not a condition"},
    {"opt===adam", "opt===adam: no such operator (one of = != < <= > >=)"},
    {"lr=0.1 and width=64", "lr=0.1 and width=64: write a comma for \"and\""},
    {"lr=0.1 AND width = 64", "write a comma for"},
    {"lr=0.1&&width=64", "write a comma for"},
    {"lr=0.1 or lr=0.2", "there is no \"or\""},
    {"lr=0.1 || lr=0.2", "there is no \"or\""},
    {"opt<>adam", "no such operator"},
    {"lr=>1", "no such operator"},
    {"opt<adam", "'adam' is not a number, so < and > cannot compare it"},
    {"lr>=1e-", "is not a number"},
    {"lr>nan", "is not a number"},
};

static void
what_is_no_condition_is_refused_with_a_hint(void **state)
{
	struct error e;
	struct expression *w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		w = expression_new(refusals[i].text, &e);
		assert_null(w);
		if (strstr(e.text, refusals[i].reason) == NULL)
			fail_msg("%s: %s", refusals[i].text, e.text);
	}
}

static void
names_are_told_in_order(void **state)
{
	struct expression *w = expression_new("opt=adam,lr<0.1,opt!=sgd", NULL);

	(void)state;
	assert_int_equal(w->count, 3);
	assert_string_equal(w->comparison[0].name, "opt");
	assert_string_equal(w->comparison[1].name, "lr");
	assert_string_equal(w->comparison[2].name, "opt");
	expression_free(w);
	expression_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(comparisons_hold_or_not),
	    cmocka_unit_test(what_is_no_condition_is_refused_with_a_hint),
	    cmocka_unit_test(names_are_told_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
