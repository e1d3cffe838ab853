#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"

static const struct {
	const char *text;
	int64_t min, max, value;
	const char *reason; /* NULL when it is read */
} whole[] = {
    {"0", 0, 10, 0, NULL},
    {"10", 0, 10, 10, NULL},
    {"007", 0, 10, 7, NULL},
    {"-3", -5, 10, -3, NULL},
    {"9223372036854775807", 0, INT64_MAX, INT64_MAX, NULL},
    {"-9223372036854775808", INT64_MIN, 0, INT64_MIN, NULL},
    {"11", 0, 10, 0, "--n: 11 is not between 0 and 10"},
    {"-6", -5, 10, 0, "--n: -6 is not between -5 and 10"},
    {"9223372036854775808", 0, INT64_MAX, 0,
	"--n 9223372036854775808: too large (at most 9223372036854775807)"},
    {"0", 1, INT64_MAX, 0, "--n 0: write a number from 1 on"},
    {"0", 1, INT32_MAX, 0, "--n 0: write a number from 1 on"},
    {"-6", -5, INT64_MAX, 0, "--n -6: write a number from -5 on"},
    {"2147483648", 1, INT32_MAX, 0,
	"--n 2147483648: too large (at most 2147483647)"},
    {"99999999999999999999999", 0, 10, 0,
	"--n: 99999999999999999999999 is not between 0 and 10"},
    {"", 0, 10, 0, "--n: '' is not a whole number"},
    {"-1", 0, 10, 0, "--n: '-1' is not a whole number"},
    {"--1", -5, 10, 0, "--n: '--1' is not a whole number"},
    {"-", -5, 10, 0, "--n: '-' is not a whole number"},
    {"+1", -5, 10, 0, "--n: '+1' is not a whole number"},
    {" 1", 0, 10, 0, "--n: ' 1' is not a whole number"},
    {"1 ", 0, 10, 0, "--n: '1 ' is not a whole number"},
    {"1.0", 0, 10, 0, "--n: '1.0' is not a whole number"},
    {"1e1", 0, 10, 0, "--n: '1e1' is not a whole number"},
    {"0x1", 0, 10, 0, "--n: '0x1' is not a whole number"},
    {"five", 0, 10, 0, "--n: 'five' is not a whole number"},
};

static void
whole_numbers_are_read_or_refused(void **state)
{
	struct error e;
	int64_t value;
	size_t i;
	int rc;

	(void)state;
	for (i = 0; i < sizeof whole / sizeof whole[0]; i++) {
		value = 42;
		e.text[0] = '\0';
		rc = num_int("--n", whole[i].text, whole[i].min, whole[i].max,
		    &value, &e);
		assert_string_equal(
		    e.text, whole[i].reason ? whole[i].reason : "");
		assert_int_equal(rc, whole[i].reason ? -1 : 0);
		assert_true(value == (whole[i].reason ? 42 : whole[i].value));
	}
}

static const struct {
	const char *text;
	int ok;
	double value;
} numbers[] = {
    {"0", 1, 0},
    {"1e-3", 1, 1e-3},
    {"1E+3", 1, 1000},
    {"-.5", 1, -0.5},
    {"+2.", 1, 2},
    {"1e-400", 1, 0},
    {"inf", 1, HUGE_VAL},
    {"-Infinity", 1, -HUGE_VAL},
    {"+INF", 1, HUGE_VAL},
    {"1e999", 1, HUGE_VAL},
    {"", 0, 0},
    {" 1", 0, 0},
    {"1 ", 0, 0},
    {"1,5", 0, 0},
    {"0x10", 0, 0},
    {"0x1p3", 0, 0},
    {"1e", 0, 0},
    {"e5", 0, 0},
    {".", 0, 0},
    {"-", 0, 0},
    {"--1", 0, 0},
    {"1-2", 0, 0},
    {"1.2.3", 0, 0},
    {"infinite", 0, 0},
    {"--inf", 0, 0},
    {"nanx", 0, 0},
    {"nan(1)", 0, 0},
    {"1_000", 0, 0},
};

static void
decimal_notation_is_told_from_other_text(void **state)
{
	double value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		value = 42;
		if (num_parse(numbers[i].text, &value) != numbers[i].ok)
			fail_msg("'%s'", numbers[i].text);
		assert_true(value == (numbers[i].ok ? numbers[i].value : 42));
	}
	assert_true(num_parse("nan", &value) && isnan(value));
	assert_true(num_parse("-NaN", &value) && isnan(value));
}

static void
a_number_ends_in_front_of_a_character(void **state)
{
	static const char *const none[] = {
	    "", "@", "1", "1 @", "1,5@", "0x1@", "1 2=3@", "nan", "x@"};
	char longest[NUM_TEXT + 2];
	const char *text = "0.5@0.0 9=-1e-3@", *at;
	double value = 42;
	size_t i;

	(void)state;
	at = num_take(text, '@', &value);
	assert_ptr_equal(at, text + 3);
	assert_true(value == 0.5);
	at = num_take(text + 10, '@', &value);
	assert_ptr_equal(at, text + strlen(text) - 1);
	assert_true(value == -1e-3);
	assert_non_null(num_take("nan@", '@', &value));
	assert_true(isnan(value));
	assert_non_null(num_take("0.12345678901234567@", '@', &value));
	assert_true(value == 0.12345678901234567);
	for (i = 0; i < sizeof none / sizeof *none; i++)
		assert_null(num_take(none[i], '@', &value));
	memset(longest, '1', sizeof longest);
	longest[NUM_TEXT - 1] = '@';
	assert_ptr_equal(
	    num_take(longest, '@', &value), longest + NUM_TEXT - 1);
	longest[NUM_TEXT - 1] = '1';
	longest[NUM_TEXT] = '@';
	assert_null(num_take(longest, '@', &value));
}

/* "7.5 MiB" begins with one. */
static void
an_amount_is_a_part_of_a_text(void **state)
{
	static const char *const none[] = {
	    "", "-1", "nan", "inf", "1e15", "[N/A]", "7.5 MiB"};
	char digits[NUM_TEXT + 1] = {0};
	size_t i;

	(void)state;
	assert_true(num_amount("7.5 MiB", 3) == 7.5);
	assert_true(num_amount("0", 1) == 0);
	for (i = 0; i < sizeof none / sizeof *none; i++)
		assert_true(isnan(num_amount(none[i], strlen(none[i]))));
	memset(digits, '0', NUM_TEXT);
	assert_true(num_amount(digits, NUM_TEXT - 1) == 0);
	assert_true(isnan(num_amount(digits, NUM_TEXT)));
}

/* Against strtod, bit for bit. */
static void
short_numbers_are_read_exactly(void **state)
{
	char text[64];
	double value;
	uint64_t i, x = 1;

	(void)state;
	for (i = 0; i < 200000; i++) {
		x = x * 6364136223846793005 + 1442695040888963407;
		snprintf(text, sizeof text, "%s%" PRIu64 ".%0*" PRIu64,
		    x >> 63 ? "-" : "", (x >> 32) % 1000000, (int)(i % 11) + 1,
		    (x >> 20) % 10);
		assert_true(num_parse(text, &value));
		assert_true(value == strtod(text, NULL));
		assert_true(signbit(value) == (*text == '-'));
	}
}

/* Whatever num_parse takes, strtod takes whole, and both say the same. */
static void
what_is_a_number_is_strtods(void **state)
{
	static const char letters[] = "000123456789999..--+eE";
	char text[24], *end;
	double value, other;
	uint64_t x = 7;
	int i, k, length, taken = 0;

	(void)state;
	for (i = 0; i < 300000; i++) {
		length = 1 + i % 20;
		for (k = 0; k < length; k++) {
			x = x * 6364136223846793005 + 1442695040888963407;
			text[k] = letters[(x >> 33) % (sizeof letters - 1)];
		}
		text[length] = '\0';
		other = strtod(text, &end);
		assert_int_equal(
		    num_parse(text, &value), end != text && *end == '\0');
		if (end == text || *end != '\0')
			continue;
		assert_memory_equal(&value, &other, sizeof value);
		taken++;
	}
	assert_true(taken > 10000);
}

static void
a_real_number_is_finite(void **state)
{
	static const char *const wrong[] = {"nan", "inf", "1e999", "", "x"};
	struct error e;
	double value = 42;
	size_t i;

	(void)state;
	assert_int_equal(num_real("--lr", "1e-3", &value, &e), 0);
	assert_true(value == 1e-3);
	for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		assert_int_equal(num_real("--lr", wrong[i], &value, &e), -1);
		assert_non_null(strstr(e.text, "is not a number"));
		assert_true(value == 1e-3);
	}
	assert_string_equal(e.text, "--lr: 'x' is not a number");
}

static void
numbers_for_people_are_short(void **state)
{
	static const struct {
		double value;
		int digits;
		const char *text;
	} table[] = {
	    {0.46341, 3, "0.463"},
	    {0.5, 4, "0.5"},
	    {1234567, 3, "1.23e+06"},
	    {1e-7, 3, "1e-07"},
	    {-2, 3, "-2"},
	    {0, 3, "0"},
	    {HUGE_VAL, 3, "inf"},
	    {-HUGE_VAL, 3, "-inf"},
	    {-DBL_MAX, 99, "-1.7976931348623157e+308"},
	};
	char out[NUM_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof table[0]; i++)
		assert_string_equal(
		    num_short(table[i].value, table[i].digits, out),
		    table[i].text);
	assert_string_equal(num_short(nan(""), 3, out), "nan");
	assert_string_equal(num_short(-nan(""), 3, out), "nan");
}

static void
the_shortest_text_reads_back(void **state)
{
	static const char *const shortest[] = {"0", "1", "0.1", "0.001",
	    "1e-05", "0.30000000000000004", "2.2250738585072014e-308",
	    "1.7976931348623157e+308", "5e-324", "-0", "inf", "-inf", "nan"};
	char out[NUM_TEXT];
	double value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof shortest / sizeof shortest[0]; i++) {
		assert_true(num_parse(shortest[i], &value));
		assert_string_equal(num_exact(value, out), shortest[i]);
	}
	for (i = 0; i < 20000; i++) {
		value = (double)random() / (double)(random() + 1);
		assert_true(strtod(num_exact(value, out), NULL) == value);
	}
}

/* Return a number of one of the kinds that logs have, or any other. */
static double
some_number(size_t kind)
{
	double part = (double)random() / 2147483648.0, value;
	uint64_t bits;

	switch (kind % 6) {
	case 0:
		return part + (double)random() / 1e19;
	case 1: /* a time */
		return 1.7e9 + (double)random() / 64 + part;
	case 2:
		return (double)(float)part;
	case 3:
		return floor(part * 1e6) / 1e4 - 50;
	case 4: /* around a power of ten */
		return pow(10, (double)(random() % 44 - 22)) *
		    (1 + (double)(random() % 9 - 4) * DBL_EPSILON);
	default:
		bits = (uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^
		    (uint64_t)random();
		memcpy(&value, &bits, sizeof value);
		return isfinite(value) ? value : 0;
	}
}

static void
exact_texts_have_the_digits_of_printf(void **state)
{
	char out[NUM_TEXT], printed[NUM_TEXT];
	double value;
	size_t i;
	int digits;

	(void)state;
	srandom(1);
	for (i = 0; i < 60000; i++) {
		value = some_number(i);
		if (value == trunc(value) && fabs(value) < 1e15)
			snprintf(printed, sizeof printed, "%.0f", value);
		else
			for (digits = fabs(value) < DBL_MIN ? 1 : 15;
			     digits <= 17; digits++) {
				snprintf(printed, sizeof printed, "%.*g",
				    digits, value);
				if (strtod(printed, NULL) == value)
					break;
			}
		assert_string_equal(num_exact(value, out), printed);
	}
}

static void
spans_are_written_as_slurm_writes_them(void **state)
{
	static const struct {
		int64_t seconds;
		const char *text;
	} table[] = {
	    {0, "0:00"},
	    {-5, "0:00"},
	    {59, "0:59"},
	    {3491, "58:11"},
	    {3600, "1:00:00"},
	    {4360, "1:12:40"},
	    {86399, "23:59:59"},
	    {86400, "1-00:00:00"},
	    {183600, "2-03:00:00"},
	    {INT64_MAX, "106751991167300-15:30:07"},
	};
	char out[NUM_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof table[0]; i++)
		assert_string_equal(
		    num_span(table[i].seconds, out), table[i].text);
}

static void
bytes_are_written_in_units(void **state)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} table[] = {{0, "0 B"}, {999, "999 B"}, {1023, "1023 B"},
	    {1024, "1 KiB"}, {1536, "1.5 KiB"}, {1 << 20, "1 MiB"},
	    {(int64_t)5 << 40, "5 TiB"}, {INT64_MAX, "8.389e+06 TiB"}};
	char out[NUM_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof table[0]; i++)
		assert_string_equal(
		    num_bytes(table[i].bytes, out), table[i].text);
}

/* The texts are those of printf, also where a number is nearly a tie. */
static void
short_numbers_are_printfs(void **state)
{
	char out[NUM_TEXT], wanted[NUM_TEXT];
	uint64_t seed = 1, bits;
	double value;
	int i, digits;

	(void)state;
	for (i = 0; i < 1000000; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		bits = seed ^ seed >> 29;
		digits = 1 + (int)(bits % 10);
		switch (i % 4) {
		case 0: /* any number at all */
			memcpy(&value, &bits, sizeof value);
			break;
		case 1: /* few digits, so that ties are common */
			value =
			    (double)((int64_t)(bits % 20000001) - 10000000) /
			    pow(10, (double)(bits >> 61));
			break;
		case 2:
			value = (double)(bits >> 40) / 64;
			break;
		default: /* beside a power of ten */
			value = nextafter(pow(10, (int)(bits >> 58) - 30),
			    bits & 1 << 20 ? INFINITY : 0);
		}
		if (!isfinite(value))
			continue;
		snprintf(wanted, sizeof wanted, "%.*g", digits, value);
		assert_string_equal(num_short(value, digits, out), wanted);
	}
	assert_string_equal(num_short(0, 3, out), "0");
	assert_string_equal(num_short(-0.0, 3, out), "-0");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whole_numbers_are_read_or_refused),
	    cmocka_unit_test(decimal_notation_is_told_from_other_text),
	    cmocka_unit_test(a_number_ends_in_front_of_a_character),
	    cmocka_unit_test(an_amount_is_a_part_of_a_text),
	    cmocka_unit_test(short_numbers_are_read_exactly),
	    cmocka_unit_test(what_is_a_number_is_strtods),
	    cmocka_unit_test(a_real_number_is_finite),
	    cmocka_unit_test(numbers_for_people_are_short),
	    cmocka_unit_test(short_numbers_are_printfs),
	    cmocka_unit_test(the_shortest_text_reads_back),
	    cmocka_unit_test(exact_texts_have_the_digits_of_printf),
	    cmocka_unit_test(spans_are_written_as_slurm_writes_them),
	    cmocka_unit_test(bytes_are_written_in_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
