#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../place.h"
#include "checkpoint/retention.h"
#include "store/chunk.h"
#include "store/table.h"

/* A job of tasks that are over, each with what TensorFlow keeps, twice. */
struct kept {
	struct store_job *job;
	struct job_view *view;
	struct job_tasks tasks;
	struct checkpoint_plan keep;
};

static void
put(const struct store_job *job, const char *name)
{
	char *path = xasprintf("%s/checkpoint/%s", job->path, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs("bytes", f);
	fclose(f);
	free(path);
}

static void
put_task(const struct store_job *job, int task)
{
	static const char *const names[] = {"ckpt-1.index",
	    "ckpt-1.data-00000-of-00001", "ckpt-2.index",
	    "ckpt-2.data-00000-of-00001"};
	char *path = xasprintf("%s/checkpoint/%06d", job->path, task), *name;
	size_t i;

	mkdir(path, 0777);
	free(path);
	for (i = 0; i < 4; i++) {
		name = xasprintf("%06d/%s", task, names[i]);
		put(job, name);
		free(name);
	}
}

static void
queue(const struct store_job *job, const char *name, uint64_t task,
    uint32_t attempt)
{
	struct store_chunk chunk = {
	    .name = (char *)(uintptr_t)name, .token = "t", .attempt = attempt};

	idset_add(&chunk.tasks, task, task);
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	idset_free(&chunk.tasks);
}

/* Look at what a job has, all tasks of which are over. */
static void
find(struct kept *k, uint64_t count)
{
	struct error e;
	uint64_t t;

	k->view = job_view_new(k->job, NULL, 0, &e);
	assert_non_null(k->view);
	k->tasks.view = k->view;
	k->tasks.task = xcalloc(count, sizeof *k->tasks.task);
	k->tasks.count = count;
	for (t = 0; t < count; t++) {
		store_table_edit(k->view->table, t)->state = STORE_FINISHED;
		k->tasks.task[t] = t;
	}
	assert_int_equal(checkpoint_plan_find(&k->tasks, &k->keep, &e), 0);
}

static void
begin(struct place *p, uint64_t count, struct kept *k)
{
	uint64_t t;

	memset(k, 0, sizeof *k);
	k->job = place_job(p, count);
	for (t = 0; t < count; t++)
		put_task(k->job, (int)t);
	find(k, count);
}

static void
end(struct kept *k)
{
	checkpoint_plan_free(&k->keep);
	free(k->tasks.task);
	job_view_free(k->view);
	store_job_free(k->job);
}

static int
is_there_in(const struct kept *k, const char *directory, const char *name)
{
	char *path =
	    xasprintf("%s/checkpoint/%s/%s", k->job->path, directory, name);
	int there = access(path, F_OK) == 0;

	free(path);
	return there;
}

static int
is_there(const struct kept *k, int task, const char *name)
{
	char directory[16];

	snprintf(directory, sizeof directory, "%06d", task);
	return is_there_in(k, directory, name);
}

static void
who_is_queued_again_meanwhile_gets_it_back(void **state)
{
	const struct checkpoint_rules all = {0};
	struct place *p = *state;
	struct kept k;

	begin(p, 3, &k);
	queue(k.job, "c000.0", 2, 1);
	assert_int_equal(checkpoint_plan_decide(&k.keep, &all, NULL), 0);
	assert_string_equal(k.keep.task[2].why, "queued again");
	assert_int_equal(k.keep.task[0].removals, 2);
	assert_int_equal(k.keep.task[1].removals, 2);
	queue(k.job, "c001.0", 0, 1);
	assert_int_equal(checkpoint_plan_discard(&k.keep, p->store), 0);
	assert_string_equal(k.keep.task[0].why, "queued again");
	assert_int_equal(k.keep.task[0].removals, 0);
	assert_true(is_there(&k, 0, "ckpt-2.index"));
	assert_false(is_there(&k, 1, ""));
	assert_true(is_there(&k, 2, "ckpt-1.index"));
	end(&k);
}

static struct fs_ops real;

static int
failing_open(int dir, const char *name, int flags, mode_t mode)
{
	if (strcmp(name, "sub") == 0) {
		errno = EIO;
		return -1;
	}
	return real.openat(dir, name, flags, mode);
}

static void
where_nobody_can_tell_all_is_put_back(void **state)
{
	const struct checkpoint_rules all = {0};
	struct place *p = *state;
	struct kept k;

	begin(p, 2, &k);
	assert_int_equal(checkpoint_plan_decide(&k.keep, &all, NULL), 0);
	real = fs_ops;
	fs_ops.openat = failing_open;
	assert_int_equal(checkpoint_plan_discard(&k.keep, p->store), -1);
	fs_ops = real;
	assert_int_equal(k.keep.trouble.count, 1);
	assert_int_equal(k.keep.task[0].removals, 0);
	assert_true(is_there(&k, 0, "ckpt-2.index"));
	assert_true(is_there(&k, 1, "ckpt-1.index"));
	end(&k);
}

/* A task that was queued again can lack among what is known. */
static void
damage(const struct store_job *job, const char *intent)
{
	char *path = xasprintf("%s/sub/%s", job->path, intent);

	assert_int_equal(truncate(path, 20), 0);
	free(path);
}

static void
where_an_intent_is_damaged_nothing_goes(void **state)
{
	const struct checkpoint_rules rules[] = {{0}, {.last = 1}};
	struct place *p = *state;
	struct kept k;
	struct error e;

	begin(p, 2, &k);
	queue(k.job, "c000.0", 1, 1);
	assert_int_equal(checkpoint_plan_decide(&k.keep, &rules[1], &e), 0);
	damage(k.job, "c000.0.intent");
	assert_int_equal(checkpoint_plan_decide(&k.keep, &rules[0], &e), -1);
	assert_non_null(strstr(e.text, "/sub/c000.0.intent"));
	assert_non_null(strstr(e.text, "stfm-check --store --repair"));
	assert_true(is_there(&k, 0, "ckpt-1.index"));
	end(&k);
	/* It was whole a moment ago. */
	begin(p, 2, &k);
	assert_int_equal(checkpoint_plan_decide(&k.keep, &rules[0], NULL), 0);
	queue(k.job, "c000.0", 1, 1);
	damage(k.job, "c000.0.intent");
	assert_int_equal(checkpoint_plan_discard(&k.keep, p->store), -1);
	assert_string_equal(k.keep.task[1].why, "perhaps queued again");
	assert_true(is_there(&k, 1, "ckpt-2.index"));
	end(&k);
}

/* A SavedModel in the directory of each attempt, the later one newer. */
static void
put_models(const struct store_job *job)
{
	static const char *const names[] = {"000000", "000000.1"};
	const struct timespec times[2][2] = {
	    {{100, 0}, {100, 0}}, {{200, 0}, {200, 0}}};
	char *path, *name;
	int i;

	for (i = 0; i < 2; i++) {
		path = xasprintf("%s/checkpoint/%s", job->path, names[i]);
		mkdir(path, 0777);
		free(path);
		name = xasprintf("%s/saved_model.pb", names[i]);
		put(job, name);
		path = xasprintf("%s/checkpoint/%s", job->path, name);
		assert_int_equal(utimensat(AT_FDCWD, path, times[i], 0), 0);
		free(path);
		free(name);
	}
}

static void
a_directory_that_is_a_checkpoint_goes_whole(void **state)
{
	const struct checkpoint_rules rules = {.last = 1};
	struct place *p = *state;
	struct kept k;

	memset(&k, 0, sizeof k);
	k.job = place_job(p, 1);
	put_models(k.job);
	find(&k, 1);
	assert_int_equal(checkpoint_plan_decide(&k.keep, &rules, NULL), 0);
	assert_int_equal(k.keep.task[0].removals, 1);
	assert_int_equal(checkpoint_plan_discard(&k.keep, p->store), 0);
	assert_false(is_there(&k, 0, ""));
	assert_true(is_there_in(&k, "000000.1", "saved_model.pb"));
	end(&k);
}

/* ---- ended at any moment ---- */

static int calls_left;

static void
count_down(void)
{
	if (calls_left-- == 0)
		_exit(9);
}

static int
ending_rename(int from, const char *old, int to, const char *new)
{
	count_down();
	return real.renameat(from, old, to, new);
}

static int
ending_unlink(int dir, const char *name, int flags)
{
	count_down();
	return real.unlinkat(dir, name, flags);
}

/* Whether the child was ended before it was done. */
static int
discard_for(struct kept *k, const struct store *store, int calls)
{
	pid_t child = fork();
	int status;

	assert_int_not_equal(child, -1);
	if (child == 0) {
		calls_left = calls;
		fs_ops.renameat = ending_rename;
		fs_ops.unlinkat = ending_unlink;
		_exit(checkpoint_plan_discard(&k->keep, store) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 1);
	return WEXITSTATUS(status) == 9;
}

static void
what_is_ended_leaves_no_half_that_looks_whole(void **state)
{
	const struct checkpoint_rules rules[] = {{0}, {.last = 1}};
	struct place *p = *state;
	int n, which, ended = 1, task;
	struct kept k;

	real = fs_ops;
	for (which = 0; which < 2; which++, ended = 1)
		for (n = 0; ended; n++) {
			begin(p, 2, &k);
			assert_int_equal(checkpoint_plan_decide(
					     &k.keep, &rules[which], NULL),
			    0);
			ended = discard_for(&k, p->store, n);
			for (task = 0; task < 2; task++) {
				if (is_there(&k, task, "ckpt-1.index"))
					assert_true(is_there(&k, task,
					    "ckpt-1.data-00000-of-00001"));
				if (is_there(&k, task, "ckpt-2.index"))
					assert_true(is_there(&k, task,
					    "ckpt-2.data-00000-of-00001"));
				assert_int_equal(
				    is_there(&k, task, "ckpt-2.index"),
				    which == 1 ||
					(ended && is_there(&k, task, "")));
			}
			end(&k);
		}
	assert_true(n > 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		who_is_queued_again_meanwhile_gets_it_back, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		where_nobody_can_tell_all_is_put_back, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		where_an_intent_is_damaged_nothing_goes, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		a_directory_that_is_a_checkpoint_goes_whole, place_set_up_fast,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		what_is_ended_leaves_no_half_that_looks_whole,
		place_set_up_fast, place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
