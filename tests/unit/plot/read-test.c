#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "metrics/reader.h"
#include "plot/plot.h"
#include "sys/fs.h"

#include "../event.h"

/* The example, torch.tfevents, has four steps with a loss of training and of
 * validation. */
enum { STEPS = 4, TIMES = 3000, LARGE = RECORD_SIZE + 100 };

static char *example;
static size_t example_length;

/* Write a record that is passed over because it is so large. */
static void
write_large(FILE *f)
{
	char length[8] = {0}, *zeros = xcalloc(1, LARGE);
	size_t i;

	for (i = 0; i < sizeof length; i++)
		length[i] = (char)((uint64_t)LARGE >> (8 * i));
	fwrite(length, 1, sizeof length, f);
	event_check(f, length, sizeof length);
	fwrite(zeros, 1, LARGE, f);
	event_little(f, 0, 4);
	free(zeros);
}

/* Write the example so many times, with a large record in the middle. */
static void
write_events(const char *path, int times)
{
	FILE *f = fopen(path, "w");
	int i;

	assert_non_null(f);
	for (i = 0; i < times; i++) {
		if (i == times / 2 && i > 0)
			write_large(f);
		fwrite(example, 1, example_length, f);
	}
	fclose(f);
}

static struct plot
plot_of(const char *metric, const char *other)
{
	struct plot p = {.goal = METRICS_GOAL_BY_NAME, .at = NAN};

	strlist_push(&p.metric, metric);
	strlist_push(&p.metric, other);
	return p;
}

/* Check that each point has a value of the other metric in its row. */
static void
check_rows(const struct plot_run *run, size_t points)
{
	const struct metrics_series *s = metrics_log_series(run->log, 0);
	size_t i, known = 0;
	double beside;

	assert_int_equal(s->count, points);
	for (i = 0; i < s->count; i++)
		known += metrics_log_beside(run->log, 0, i, 1, &beside) == 1;
	assert_int_equal(known, points);
}

static char place[] = "/tmp/read-test.XXXXXX";

/* Return a path below the place; to free. */
static char *
below(const char *name)
{
	return xasprintf("%s/%s", place, name);
}

static void
write_below(const char *name, int times)
{
	char *path = below(name);

	write_events(path, times);
	free(path);
}

static void
read_below(struct plot *p, struct plot_run *run, const char *name)
{
	char *path = below(name);
	struct error e;

	run->name = xstrdup("log");
	if (plot_read_path(p, run, path, PLOT_FILE, &e) != 0)
		fail_msg("%s", e.text);
	free(path);
}

static void
events_of_one_step_are_one_row(void **state)
{
	static const int times[] = {1, TIMES};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct plot p = plot_of("Loss/train", "Loss/val");
		struct plot_run run = {.name = NULL};

		write_below("events.out.tfevents.1.n", times[i]);
		read_below(&p, &run, "events.out.tfevents.1.n");
		check_rows(&run, (size_t)(STEPS * times[i]));
		assert_string_equal(run.header.name[run.x], "step");
		assert_int_equal(run.damaged, 0);
		plot_run_free(&p, &run);
		plot_free(&p);
	}
}

static void
files_of_a_directory_have_their_prefix(void **state)
{
	struct plot p = plot_of("Loss/train", "late/Loss/val");
	struct plot_run run = {.name = NULL};
	double beside;
	char *path;

	(void)state;
	path = below("runs/late");
	assert_int_equal(fs_make_dirs(path, NULL), 0);
	free(path);
	write_below("runs/events.out.tfevents.1.n", 2);
	write_below("runs/late/events.out.tfevents.2.n", 2);
	read_below(&p, &run, "runs");
	assert_int_equal(metrics_log_series(run.log, 1)->count, 2 * STEPS);
	/* A file begins new rows, although its steps are those of another. */
	assert_int_equal(metrics_log_beside(run.log, 1, 0, 0, &beside), 0);
	assert_int_equal(run.header.count, 6);
	plot_run_free(&p, &run);
	plot_free(&p);
}

/* Keras counts epochs for some tags of a file and batches for others. */
static void
a_metric_is_drawn_along_its_own_step(void **state)
{
	static const struct {
		const char *metric, *other, *x;
		double last;
	} cases[] = {
	    {"epoch_loss", "epoch_acc", "epoch", 2},
	    {"batch_loss", "batch_loss", "step", 8},
	    {"epoch_loss", "batch_loss", "step", 8},
	};
	static const char *const tags[][3] = {
	    {"batch_loss"}, {"epoch_loss", "epoch_acc"}};
	char *path = below("keras.tfevents.1.n");
	FILE *f = fopen(path, "w");
	const struct metrics_series *s;
	size_t i;

	(void)state;
	assert_non_null(f);
	for (i = 0; i < 9; i++) {
		event_write(f, (char)i, tags[0], (float)i);
		if (i % 3 < 2)
			continue;
		event_write(f, (char)(i / 3), tags[1], 1);
	}
	fclose(f);
	free(path);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct plot p = plot_of(cases[i].metric, cases[i].other);
		struct plot_run run = {.name = NULL};

		read_below(&p, &run, "keras.tfevents.1.n");
		assert_string_equal(run.header.name[run.x], cases[i].x);
		s = metrics_log_series(run.log, 0);
		assert_true(s->x[s->count - 1] == cases[i].last);
		plot_run_free(&p, &run);
		plot_free(&p);
	}
}

static int
set_up(void **state)
{
	(void)state;
	if (fs_read_path("tests/data/torch.tfevents", SIZE_MAX, &example,
		&example_length, NULL) == -1)
		return -1;
	return mkdtemp(place) == NULL ? -1 : 0;
}

static int
tear_down(void **state)
{
	int root = fs_open_dir("/", NULL), rc;

	(void)state;
	rc = fs_remove_tree(root, place + 1, NULL);
	fs_close(root);
	free(example);
	return rc;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(events_of_one_step_are_one_row),
	    cmocka_unit_test(files_of_a_directory_have_their_prefix),
	    cmocka_unit_test(a_metric_is_drawn_along_its_own_step),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
