#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/wait.h>

#include <unistd.h>

#include "../place.h"
#include "store/directory.h"
#include "store/job.h"
#include "store/notified.h"
#include "store/store.h"

static size_t
records(const struct store_job *job)
{
	struct fs_names names;
	int dir = store_directory_list(job, "ctl", &names, NULL);
	size_t count = names.count;

	assert_int_not_equal(dir, -1);
	store_directory_close(dir, &names);
	return count;
}

static void
load(const struct store_job *job, const char *key, struct store_notified *out)
{
	struct error e;

	if (store_notified_load(job, key, out, &e) != 0)
		fail_msg("%s", e.text);
}

static void
what_was_told_is_read_back(void **state)
{
	struct store_job *job = place_job(*state, 100);
	struct store_notified a, b;

	load(job, "k", &a);
	assert_int_equal(a.generation, 0);
	assert_false(a.of[NOTIFIED_ERROR].known);
	notified_add(&a.of[NOTIFIED_ERROR], 0, 0, 3);
	notified_add(&a.of[NOTIFIED_ERROR], 1, 2, 7);
	a.of[NOTIFIED_ERROR].known = 1;
	notified_set_run(&a.of[NOTIFIED_FINISHED], 5, 1);
	a.of[NOTIFIED_FINISHED].known = 1;
	notified_set_best(&a.of[NOTIFIED_BEST], "val_loss", 0.1);
	a.of[NOTIFIED_BEST].known = 1;
	assert_int_equal(store_notified_publish(job, "k", &a, NULL), 0);
	load(job, "k", &b);
	assert_int_equal(b.generation, 1);
	assert_true(notified_has(&b.of[NOTIFIED_ERROR], 0, 0, 3));
	assert_false(notified_has(&b.of[NOTIFIED_ERROR], 0, 1, 3));
	assert_true(
	    notified_has(&b.of[NOTIFIED_ERROR], 1, 1, 7)); /* an earlier one */
	assert_false(notified_has(&b.of[NOTIFIED_ERROR], 2, 0, 7));
	assert_true(notified_has_run(&b.of[NOTIFIED_FINISHED], 5, 1));
	assert_true(notified_has_run(&b.of[NOTIFIED_FINISHED], 4, 9));
	assert_false(notified_has_run(&b.of[NOTIFIED_FINISHED], 5, 2));
	assert_string_equal(b.of[NOTIFIED_BEST].metric, "val_loss");
	assert_true(b.of[NOTIFIED_BEST].value == 0.1);
	assert_false(b.of[NOTIFIED_LATE].known);
	store_notified_free(&a);
	load(job, "other", &a);
	assert_int_equal(a.generation, 0);
	store_notified_free(&a);
	store_notified_free(&b);
	store_job_free(job);
}

/* Whoever looked before others told something tells nothing, ever. */
static void
who_comes_late_is_told_so(void **state)
{
	struct store_job *job = place_job(*state, 1);
	struct store_notified early, late;
	int later, i;

	for (later = 1; later <= 4; later++) {
		load(job, "k", &late);
		load(job, "k", &early);
		for (i = 0; i < later; i++)
			assert_int_equal(
			    store_notified_publish(job, "k", &early, NULL), 0);
		assert_int_equal(
		    store_notified_publish(job, "k", &late, NULL), 1);
		store_notified_free(&late);
		load(job, "k", &late);
		assert_int_equal(late.generation, early.generation);
		assert_int_equal(records(job), 1);
		store_notified_free(&late);
		store_notified_free(&early);
	}
	store_job_free(job);
}

/* Many at once: each generation is published by one of them. */
static void
each_generation_has_one_publisher(void **state)
{
	enum { MANY = 5, EACH = 20 }; /* no more than leave a trail */
	struct store_job *job = place_job(*state, 1);
	struct store_notified told;
	int child, i, won, status, sum = 0;

	for (child = 0; child < MANY; child++) {
		if (fork() != 0)
			continue;
		for (i = won = 0; i < EACH; i++) {
			load(job, "k", &told);
			won +=
			    store_notified_publish(job, "k", &told, NULL) == 0;
			store_notified_free(&told);
		}
		_exit(won);
	}
	for (child = 0; child < MANY; child++) {
		assert_int_not_equal(wait(&status), -1);
		assert_true(WIFEXITED(status));
		sum += WEXITSTATUS(status);
	}
	load(job, "k", &told);
	assert_int_equal(told.generation, sum);
	assert_int_equal(records(job), 1);
	store_notified_free(&told);
	store_job_free(job);
}

static void
a_hook_is_as_old_as_its_first_use(void **state)
{
	struct place *p = *state;
	int64_t first, second;

	assert_int_equal(
	    store_notified_since(p->store, "k", NOTIFIED_BEST, &first, NULL),
	    0);
	assert_true(first > 0);
	assert_int_equal(
	    store_notified_since(p->store, "k", NOTIFIED_BEST, &second, NULL),
	    0);
	assert_int_equal(first, second);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		what_was_told_is_read_back, place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(
		who_comes_late_is_told_so, place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(each_generation_has_one_publisher,
		place_set_up_fast, place_tear_down),
	    cmocka_unit_test_setup_teardown(a_hook_is_as_old_as_its_first_use,
		place_set_up_fast, place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
