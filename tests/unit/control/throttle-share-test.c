#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/throttle-share.h"
#include "store/chunk.h"

enum { MOST = 6 };

/* Lanes of arrays 11, 12, ...: "running/alive%throttle", "w" where it waits. */
static void
parse(const char *text, struct job_throttle_share *lane,
    struct store_chunk *chunk, struct job_throttle_shares *out)
{
	int running, alive, throttle, end;

	*out = (struct job_throttle_shares){.item = lane};
	while (*text != '\0') {
		assert_int_equal(sscanf(text, "%d/%d%%%d%n", &running, &alive,
				     &throttle, &end),
		    3);
		text += end;
		chunk[out->count] =
		    (struct store_chunk){.array = 11 + (uint32_t)out->count};
		lane[out->count] =
		    (struct job_throttle_share){.chunk = &chunk[out->count],
			.running = running,
			.alive = alive,
			.throttle = throttle,
			.waits = *text == 'w'};
		out->count++;
		text += *text == 'w';
		text += *text == ' ';
	}
}

static void
an_array_waits_until_there_is_room(void **state)
{
	static const struct {
		const char *lanes;
		int64_t limit, indices;
		const char *dependency; /* NULL: it need not wait */
	} cases[] = {
	    {"", 2, 2, NULL},
	    {"2/9%2", 0, 9, NULL},
	    {"2/9%2", 2, 1, "afterany:11"},
	    {"2/9%2", 3, 1, NULL},
	    {"2/9%2", 3, 2, "afterany:11"},
	    /* What is left of it is less than it may have. */
	    {"1/1%2", 2, 1, NULL},
	    {"0/1%2", 2, 1, NULL},
	    /* It runs more than it may by now. */
	    {"4/9%1", 4, 1, "afterany:11"},
	    /* Nobody knows what it may have, or it may have all. */
	    {"1/9%-1", 4, 1, "afterany:11"},
	    {"1/9%0", 4, 1, "afterany:11"},
	    {"1/2%-1", 4, 2, NULL},
	    /* As few as will do, the oldest first. */
	    {"1/9%1 1/9%1", 2, 1, "afterany:11"},
	    {"1/9%1 1/9%1", 2, 2, "afterany:11:12"},
	    {"2/9%2 0/9%2w 0/1%1w", 2, 1, "afterany:11:12"},
	    {"2/9%2 0/1%2w", 2, 1, "afterany:11"},
	    {"0/1%2w 2/9%2", 2, 1, "afterany:11:12"},
	};
	struct store_chunk chunk[MOST];
	struct job_throttle_share lane[MOST];
	struct job_throttle_shares lanes;
	char *text;
	size_t i, wait;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		parse(cases[i].lanes, lane, chunk, &lanes);
		wait = job_throttle_shares_wait(
		    &lanes, lanes.count, cases[i].limit, cases[i].indices);
		text = job_throttle_shares_dependency(&lanes, wait);
		assert_string_equal(wait > 0 ? text : "none",
		    cases[i].dependency != NULL ? cases[i].dependency : "none");
		free(text);
	}
}

static void
one_of_them_looks_at_those_before_it_alone(void **state)
{
	struct store_chunk chunk[MOST];
	struct job_throttle_share lane[MOST];
	struct job_throttle_shares lanes;

	(void)state;
	parse("2/9%2 0/1%2w 0/9%4w", lane, chunk, &lanes);
	assert_int_equal(job_throttle_shares_behind(&lanes, 0, 4), 0);
	assert_int_equal(job_throttle_shares_behind(&lanes, 1, 4), 0);
	assert_int_equal(job_throttle_shares_behind(&lanes, 2, 4), 2);
	assert_int_equal(job_throttle_shares_behind(&lanes, 2, 0), 0);
	assert_int_equal(job_throttle_shares_room(&lanes, 1, 4), 2);
	assert_int_equal(job_throttle_shares_room(&lanes, 2, 4), 1);
	assert_int_equal(job_throttle_shares_room(&lanes, 3, 4), -3);
}

/* "2 1 -": the shares, "-" where it waits. */
static char *
shares(const struct job_throttle_shares *lanes)
{
	char *text = NULL;
	size_t i, length;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < lanes->count; i++)
		if (lanes->item[i].waits)
			fputs(i > 0 ? " -" : "-", out);
		else
			fprintf(out, "%s%d", i > 0 ? " " : "",
			    (int)lanes->item[i].share);
	xmemclose(out);
	return text;
}

static void
the_limit_is_shared_between_those_that_do_not_wait(void **state)
{
	static const struct {
		const char *lanes;
		int64_t limit;
		const char *shares;
	} cases[] = {
	    {"0/9%0 0/9%0", 5, "3 2"},
	    {"0/9%0 0/9%0", 0, "0 0"},
	    {"0/9%0 0/9%0", 1, "1 1"},
	    {"2/9%5 0/9%5w", 5, "5 -"},
	    {"2/9%-1 2/9%-1", 5, "3 2"},
	    /* The share of one that is over is that of the others ... */
	    {"4/9%4", 8, "8"},
	    {"2/9%2 2/9%2", 8, "4 4"},
	    {"2/9%1", 2, "2"},
	    {"3/9%1 1/9%1", 4, "2 1"},
	    /* ... but not before so many fewer run. */
	    {"8/9%8 1/9%1", 8, "4 1"},
	    {"6/9%4 1/9%1", 8, "4 2"},
	    {"4/9%4 1/9%1", 8, "4 4"},
	    /* What one has no tasks for goes to the others. */
	    {"1/1%1 2/20%2", 8, "1 7"},
	    {"3/3%4 4/9%4", 8, "3 5"},
	    {"0/2%0 0/9%0 0/9%0", 9, "2 4 3"},
	    {"0/9%0 0/3%0 0/1%0", 9, "5 3 1"},
	    {"0/4%0 0/9%0 0/4%0", 12, "4 4 4"},
	    {"0/1%0 0/9%0", 1, "1 1"},
	    {"0/1%0 0/9%0w 0/1%0", 9, "1 - 1"},
	    {"0/1%0 0/9%0", 0, "0 0"},
	};
	struct store_chunk chunk[MOST];
	struct job_throttle_share lane[MOST];
	struct job_throttle_shares lanes;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		parse(cases[i].lanes, lane, chunk, &lanes);
		job_throttle_shares_share(&lanes, cases[i].limit);
		text = shares(&lanes);
		assert_string_equal(text, cases[i].shares);
		free(text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_array_waits_until_there_is_room),
	    cmocka_unit_test(one_of_them_looks_at_those_before_it_alone),
	    cmocka_unit_test(
		the_limit_is_shared_between_those_that_do_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
