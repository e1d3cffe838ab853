#include <sys/stat.h>
#include <sys/wait.h>

#include <stdio.h>
#include <unistd.h>

#include "job-keep.h"
#include "place.h"
#include "store-chunk.h"
#include "store-fold.h"

/* A job of tasks that are over, each with what TensorFlow keeps, twice. */
struct kept {
	struct store_job *job;
	struct job_view *view;
	struct job_tasks tasks;
	struct job_keep keep;
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

	ranges_add(&chunk.tasks, task, task);
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	ranges_free(&chunk.tasks);
}

static void
begin(struct place *p, uint64_t count, struct kept *k)
{
	struct error e;
	uint64_t t;

	memset(k, 0, sizeof *k);
	k->job = place_job(p, count);
	for (t = 0; t < count; t++)
		put_task(k->job, (int)t);
	k->view = job_view_new(k->job, NULL, 0, &e);
	assert_non_null(k->view);
	k->tasks.view = k->view;
	k->tasks.task = xcalloc(count, sizeof *k->tasks.task);
	k->tasks.count = count;
	for (t = 0; t < count; t++) {
		store_fold_edit(k->view->fold, t)->state = STORE_FINISHED;
		k->tasks.task[t] = t;
	}
	assert_int_equal(job_keep_find(&k->tasks, &k->keep, &e), 0);
}

static void
end(struct kept *k)
{
	job_keep_free(&k->keep);
	free(k->tasks.task);
	job_view_free(k->view);
	store_job_free(k->job);
}

static int
is_there(const struct kept *k, int task, const char *name)
{
	char *path =
	    xasprintf("%s/checkpoint/%06d/%s", k->job->path, task, name);
	int there = access(path, F_OK) == 0;

	free(path);
	return there;
}

static void
who_is_queued_again_meanwhile_gets_it_back(void **state)
{
	const struct job_keep_rules all = {0};
	struct place *p = *state;
	struct kept k;

	begin(p, 3, &k);
	queue(k.job, "c000.0", 2, 1);
	assert_int_equal(job_keep_plan(&k.keep, &all, NULL), 0);
	assert_string_equal(k.keep.task[2].why, "queued again");
	assert_int_equal(k.keep.task[0].goes, 2);
	assert_int_equal(k.keep.task[1].goes, 2);
	queue(k.job, "c001.0", 0, 1);
	assert_int_equal(job_keep_discard(&k.keep, p->store), 0);
	assert_string_equal(k.keep.task[0].why, "queued again");
	assert_int_equal(k.keep.task[0].goes, 0);
	assert_true(is_there(&k, 0, "ckpt-2.index"));
	assert_false(is_there(&k, 1, ""));
	assert_true(is_there(&k, 2, "ckpt-1.index"));
	end(&k);
}

/* ---- ended at any moment ---- */

static struct fs_ops real;
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
		_exit(job_keep_discard(&k->keep, store) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 1);
	return WEXITSTATUS(status) == 9;
}

static void
what_is_ended_leaves_no_half_that_looks_whole(void **state)
{
	const struct job_keep_rules rules[] = {{0}, {.last = 1}};
	struct place *p = *state;
	int n, which, ended = 1, task;
	struct kept k;

	real = fs_ops;
	for (which = 0; which < 2; which++, ended = 1)
		for (n = 0; ended; n++) {
			begin(p, 2, &k);
			assert_int_equal(
			    job_keep_plan(&k.keep, &rules[which], NULL), 0);
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
		what_is_ended_leaves_no_half_that_looks_whole,
		place_set_up_fast, place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
