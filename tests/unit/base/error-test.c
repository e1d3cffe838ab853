#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static void
a_refusal_is_one_line(void **state)
{
	struct error e;

	(void)state;
	errno = EIO;
	assert_int_equal(error_set(&e, "%s: empty value", "lr"), -1);
	assert_string_equal(e.text, "lr: empty value");
	assert_int_equal(errno, EIO);
}

static void
the_system_s_reason_is_added(void **state)
{
	struct error e;

	(void)state;
	errno = ENOENT;
	assert_int_equal(error_errno(&e, "%s: cannot open", "x"), -1);
	assert_string_equal(
	    e.text, "x: cannot open: No such file or directory");
	assert_int_equal(errno, ENOENT);
}

static void
callers_decide_by_the_code(void **state)
{
	static const struct {
		int number;
		enum error_code code;
	} table[] = {{ENOENT, ERROR_ABSENT}, {EIO, ERROR_LATER},
	    {ESTALE, ERROR_LATER}, {EMFILE, ERROR_LATER}, {EACCES, ERROR_OTHER},
	    {ENOSPC, ERROR_OTHER}};
	struct error e, copy;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		errno = table[i].number;
		error_errno(&e, "x");
		assert_int_equal(e.code, table[i].code);
		error_prefix(&e, "y");
		assert_int_equal(e.code, table[i].code);
		assert_int_equal(e.number, table[i].number);
	}
	assert_int_equal(error_code(&e, ERROR_DAMAGED, "%s", "z"), -1);
	assert_int_equal(e.number, 0);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(error_copy(&copy, &e), -1);
	assert_string_equal(copy.text, "z");
	assert_int_equal(copy.code, ERROR_DAMAGED);
	error_set(&e, "lr: empty value");
	assert_int_equal(e.code, ERROR_OTHER);
}

static void
a_prefix_goes_before(void **state)
{
	struct error e;

	(void)state;
	error_set(&e, "empty value");
	errno = EIO;
	assert_int_equal(error_prefix(&e, "lr"), -1);
	assert_int_equal(error_names(&e, "lr"), -1);
	assert_int_equal(e.named, 2);
	assert_int_equal(error_prefix(&e, "line 3"), -1);
	assert_int_equal(e.named, 0);
	assert_string_equal(e.text, "line 3: lr: empty value");
	assert_int_equal(errno, EIO);
}

static void
other_words_keep_the_code(void **state)
{
	struct error e, other;

	(void)state;
	errno = ESTALE;
	error_errno(&e, "x");
	errno = EIO;
	assert_int_equal(error_reword(&other, &e, "try %d", 3), -1);
	assert_string_equal(other.text, "try 3");
	assert_int_equal(other.code, ERROR_LATER);
	assert_int_equal(other.number, ESTALE);
	assert_int_equal(errno, EIO);
	error_reword(&e, &e, "%s, %s", "y", e.text);
	assert_ptr_equal(strstr(e.text, "y, x: "), e.text);
	assert_int_equal(e.code, ERROR_LATER);
}

static void
nobody_has_to_ask_for_the_reason(void **state)
{
	(void)state;
	assert_int_equal(error_set(NULL, "%s", "x"), -1);
	assert_int_equal(error_errno(NULL, "%s", "x"), -1);
	assert_int_equal(error_prefix(NULL, "x"), -1);
	assert_int_equal(error_code(NULL, ERROR_LATER, "%s", "x"), -1);
	assert_int_equal(error_copy(NULL, &(struct error){""}), -1);
	assert_int_equal(
	    error_reword(NULL, &(struct error){""}, "%s", "x"), -1);
}

static void
text_that_does_not_fit_is_cut(void **state)
{
	char big[3000];
	struct error e;

	(void)state;
	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	error_set(&e, "%s", big);
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
	errno = EIO;
	error_errno(&e, "%s", big);
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
	error_prefix(&e, "y");
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
	assert_memory_equal(e.text, "y: xxx", 6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_refusal_is_one_line),
	    cmocka_unit_test(the_system_s_reason_is_added),
	    cmocka_unit_test(callers_decide_by_the_code),
	    cmocka_unit_test(a_prefix_goes_before),
	    cmocka_unit_test(other_words_keep_the_code),
	    cmocka_unit_test(nobody_has_to_ask_for_the_reason),
	    cmocka_unit_test(text_that_does_not_fit_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
