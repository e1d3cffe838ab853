#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "checkpoint/retention.h"
#include "control/policy.h"
#include "job/training-log.h"
#include "state/resolve.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/job.h"
#include "sys/fs-tree.h"
#include "view/filter.h"

/* ---- finding checkpoints ---- */

/*
 * Parse the name of a task's directory, "000123" or "000123.1".  Returns 0 or
 * -1.
 */
static int
parse_name(const char *name, uint64_t *task, uint64_t *attempt)
{
	char *again;
	int end = -1;

	*attempt = 0;
	if (sscanf(name, "%" SCNu64 "%n", task, &end) < 1 || end < 6)
		return -1;
	if (name[end] == '.')
		*attempt = strtoull(name + end + 1, NULL, 10);
	again = *attempt > 0
	    ? xasprintf("%06" PRIu64 ".%" PRIu64, *task, *attempt)
	    : xasprintf("%06" PRIu64, *task);
	end = strcmp(again, name);
	free(again);
	return end == 0 ? 0 : -1;
}

static int
by_task(const void *a, const void *b)
{
	uint64_t x, y, i, k;

	parse_name(*(char *const *)a, &x, &i);
	parse_name(*(char *const *)b, &y, &k);
	if (x != y)
		return x < y ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* Keep only the names of these tasks' directories, sorted. */
static void
leave_names(struct fs_names *names, const struct idset *tasks)
{
	uint64_t task, attempt;
	size_t i, left = 0;

	for (i = 0; i < names->count; i++)
		if (parse_name(names->name[i], &task, &attempt) == 0 &&
		    idset_has(tasks, task))
			names->name[left++] = names->name[i];
		else
			free(names->name[i]);
	names->count = left;
	if (left > 0)
		qsort(names->name, left, sizeof *names->name, by_task);
}

/* Note a link that is skipped: other tasks may use its target too. */
static void
skip_link(struct strlist *list, const char *path, const char *to)
{
	strlist_take(list,
	    xasprintf("%s: is a symbolic link to %s: its checkpoints are "
		      "neither listed nor removed",
		path, to));
}

/* Add a directory with its checkpoints, and the links among them. */
static void
add_directory(struct checkpoint_plan *k, struct job_view *view, int dir,
    const char *name, struct checkpoints *found)
{
	struct checkpoint_task *t =
	    k->count > 0 ? &k->task[k->count - 1] : NULL;
	char *top = fs_path(dir, name), *path;
	struct checkpoint_dir *d;
	uint64_t task, attempt;
	size_t i;

	for (i = 0; i + 1 < found->links.count; i += 2) {
		path = fs_join(top, found->links.word[i]);
		skip_link(&k->links, path, found->links.word[i + 1]);
		free(path);
	}
	free(top);
	parse_name(name, &task, &attempt);
	if (t == NULL || t->task != task) {
		k->task = xgrow(k->task, k->count, sizeof *k->task);
		t = &k->task[k->count++];
		*t = (struct checkpoint_task){.view = view, .task = task};
	}
	t->dir = xgrow(t->dir, t->dirs, sizeof *t->dir);
	d = &t->dir[t->dirs++];
	d->name = xstrdup(name);
	d->found = *found;
	d->remove = xcalloc(found->count + 1, 1);
	t->checkpoints += found->count;
	t->bytes += found->bytes;
}

/*
 * Note that name is a link instead of a directory.  Returns whether it is one.
 */
static int
note_link(struct checkpoint_plan *k, int dir, const char *name)
{
	char *to = fs_read_link(dir, name, NULL), *path;

	if (to == NULL)
		return 0;
	path = fs_path(dir, name);
	skip_link(&k->trouble, path, to);
	free(path);
	free(to);
	return 1;
}

int
checkpoint_plan_find(
    const struct job_tasks *tasks, struct checkpoint_plan *out, struct error *e)
{
	const struct store_job *job = tasks->view->job;
	struct idset wanted = {0};
	struct fs_names names;
	struct checkpoints found;
	struct error why;
	size_t i;
	int dir;

	memset(out, 0, sizeof *out);
	dir = store_directory_list(job, "checkpoint", &names, &why);
	if (dir == -1)
		return why.code == ERROR_ABSENT ||
			note_link(out, job->dir, "checkpoint")
		    ? 0
		    : error_copy(e, &why);
	for (i = 0; i < tasks->count; i++)
		idset_add(&wanted, tasks->task[i], tasks->task[i]);
	leave_names(&names, &wanted);
	idset_free(&wanted);
	for (i = 0; i < names.count; i++) {
		if (checkpoints_read(dir, names.name[i], &found, &why) == 0) {
			add_directory(
			    out, tasks->view, dir, names.name[i], &found);
		} else if (!note_link(out, dir, names.name[i]))
			strlist_push(&out->trouble, why.text);
	}
	store_directory_close(dir, &names);
	return 0;
}

void
checkpoint_plan_free(struct checkpoint_plan *k)
{
	struct checkpoint_task *t;
	size_t i;

	for (t = k->task; t < k->task + k->count; t++) {
		for (i = 0; i < t->dirs; i++) {
			free(t->dir[i].name);
			free(t->dir[i].remove);
			checkpoints_free(&t->dir[i].found);
		}
		free(t->dir);
	}
	free(k->task);
	strlist_free(&k->trouble);
	strlist_free(&k->links);
	memset(k, 0, sizeof *k);
}

/* ---- planning ---- */

/*
 * Return whether a task was queued again after the view was made.  If chunks is
 * NULL, the chunks are unknown: return 1.
 */
static int
is_queued_again(
    const struct store_chunks *chunks, const struct checkpoint_task *t)
{
	uint32_t attempt = store_table_brief(t->view->table, t->task).attempt;
	const struct store_chunk *c;
	size_t i;

	if (chunks == NULL)
		return 1;
	for (i = 0; i < chunks->count; i++) {
		c = &chunks->chunk[i];
		if (c->attempt > attempt && c->claim != STORE_WITHDRAWN &&
		    idset_has(&c->tasks, t->task))
			return 1;
	}
	return 0;
}

/*
 * Find the most best tasks of the whole job; tasks that its search has stopped
 * are behind all others.  Returns 0, or -1 if no task has a value, or if both
 * the objective and its values were guessed.
 */
static int
find_best(struct job_view *v, uint64_t most, struct idset *out, struct error *e)
{
	struct job_filter *filter = job_filter_new();
	struct idset all = {0};
	const struct store_row *row;
	uint64_t *task;
	size_t count, i;
	int guessed = 0, pruned;

	if (v->job->tasks > 0)
		idset_add(&all, 0, v->job->tasks - 1);
	job_filter_sort(filter, "best");
	task = job_filter_apply(filter, v, &all, &count);
	for (i = 0; i < 2 * count && most > 0; i++) {
		row = job_view_row(v, task[i % count]);
		pruned = state_is_pruned(row);
		if (!row->metrics.has_best || pruned != (i >= count))
			continue;
		idset_add(out, row->task, row->task);
		guessed |= v->job->metric == NULL &&
		    job_training_log_is_guessed(v->job, &row->metrics);
		most--;
	}
	free(task);
	idset_free(&all);
	job_filter_free(filter);
	if (guessed)
		return error_set(e,
		    "%s: its metrics are guessed from the printed output: name "
		    "the objective (stfm-submit --metric) before you remove "
		    "checkpoints by it",
		    v->job->name);
	if (out->count > 0)
		return 0;
	return error_set(e,
	    "%s: no task has a value of its objective: nothing says which are "
	    "the best",
	    v->job->name);
}

/* Return how many checkpoints of the series of one are newer. */
static uint64_t
count_newer(const struct checkpoint_task *t, const struct checkpoint *one)
{
	const struct checkpoint *other;
	uint64_t newer = 0;
	size_t d, i;

	for (d = 0; d < t->dirs; d++)
		for (i = 0; i < t->dir[d].found.count; i++) {
			other = &t->dir[d].found.item[i];
			newer += strcmp(other->series, one->series) == 0 &&
			    checkpoint_is_newer(other, one);
		}
	return newer;
}

/* Facts about the whole job that the rules need. */
struct facts {
	struct store_chunks chunks;
	struct idset retries, best;
};

static void
plan_task(struct checkpoint_task *t, const struct checkpoint_rules *r,
    const struct facts *f)
{
	enum store_state state = store_table_state(t->view->table, t->task);
	int open = !store_state_is_final(state);
	uint64_t last = r->last > 0 ? r->last : 1;
	const struct checkpoint *c;
	struct checkpoint_dir *d;
	size_t i;

	t->why = NULL;
	if (is_queued_again(&f->chunks, t))
		t->why = "queued again";
	else if (r->best > 0 && idset_has(&f->best, t->task))
		t->why = "best";
	else if (!r->named && open)
		t->why = state == STORE_RUNNING ? "runs" : "waits";
	else if (!r->named && idset_has(&f->retries, t->task))
		t->why = "to be queued again";
	if (t->why != NULL)
		return;
	t->all = r->last == 0 && !open;
	for (d = t->dir; d < t->dir + t->dirs; d++)
		for (i = 0; i < d->found.count; i++) {
			c = &d->found.item[i];
			d->remove[i] =
			    t->all || (!c->named && count_newer(t, c) >= last);
			t->removals += d->remove[i] != 0;
			t->removal_bytes += d->remove[i] ? c->bytes : 0;
		}
	if (t->all) /* including files that are no checkpoints */
		t->removal_bytes = t->bytes;
}

int
checkpoint_plan_decide(struct checkpoint_plan *k,
    const struct checkpoint_rules *r, struct error *e)
{
	struct idset tasks = {0};
	struct facts f = {0};
	struct job_view *v;
	size_t i;
	int rc = 0;

	if (k->count == 0)
		return 0;
	for (i = 0; i < k->count; i++)
		idset_add(&tasks, k->task[i].task, k->task[i].task);
	v = k->task[0].view;
	if (job_view_whole(v, e) == -1 ||
	    job_policy_retries(v->job, v->table, &tasks, &f.retries, e) == -1 ||
	    store_chunks_whole(v->job, &f.chunks, e) == -1 ||
	    (r->best > 0 && find_best(v, r->best, &f.best, e) == -1))
		rc = -1;
	for (i = 0; rc == 0 && i < k->count; i++)
		plan_task(&k->task[i], r, &f);
	store_chunks_free(&f.chunks);
	idset_free(&f.retries);
	idset_free(&f.best);
	idset_free(&tasks);
	return rc;
}

/* ---- removing ---- */

/* A file or directory that was moved to the trash. */
struct moved {
	struct checkpoint_task *task;
	/* Path below checkpoint/; NULL: only a part of a directory. */
	char *name, *trash;
};

struct removal {
	struct checkpoint_plan *plan;
	int from, trash;
	struct moved *moved;
	size_t count;
};

/* Note why a task's checkpoint is not removed. */
static void
spare(struct removal *r, struct checkpoint_task *t, const char *why)
{
	strlist_take(&r->plan->trouble,
	    xasprintf("%s/%" PRIu64 ": %s", t->view->job->name, t->task, why));
}

/*
 * Move a path below an open directory to the trash.  Returns 0, also if the
 * path is gone, or -1.
 */
static int
move(struct removal *r, struct checkpoint_task *t, int dir, const char *path,
    struct error *e)
{
	struct moved m = {.task = t};
	const char *name;
	int rc, parent = fs_open_parent(dir, path, 0, &name, e);

	if (parent == -1)
		return errno == ENOENT ? 0 : -1;
	m.trash = xasprintf("%s.%016" PRIx64, t->view->job->name, fs_noise());
	rc = fs_rename(parent, name, r->trash, m.trash, e);
	if (rc == 0) {
		m.name = dir == r->from ? xstrdup(path) : NULL;
		r->moved = xgrow(r->moved, r->count, sizeof *r->moved);
		r->moved[r->count++] = m;
	} else {
		free(m.trash);
		rc = errno == ENOENT ? 0 : -1;
	}
	fs_close(parent);
	return rc;
}

static void
move_all(struct removal *r, struct checkpoint_task *t)
{
	struct error e;
	size_t d;

	for (d = 0; d < t->dirs; d++) {
		if (move(r, t, r->from, t->dir[d].name, &e) == 0)
			continue;
		spare(r, t, e.text);
		t->removals -= t->dir[d].found.count;
		t->removal_bytes -= t->dir[d].found.bytes;
	}
}

/*
 * Move the file that identifies the checkpoint first: without it, the rest is
 * no checkpoint.
 */
static int
move_checkpoint(struct removal *r, struct checkpoint_task *t,
    const struct checkpoint_dir *d, int dir, const struct checkpoint *c,
    struct error *e)
{
	size_t i;

	if (c->files.count == 0) /* the whole directory is one checkpoint */
		return move(r, t, r->from, d->name, e);
	for (i = 0; i < c->files.count; i++)
		if (move(r, t, dir, c->files.word[i], e) == -1)
			return -1;
	return 0;
}

static void
move_some(
    struct removal *r, struct checkpoint_task *t, struct checkpoint_dir *d)
{
	struct error e;
	int dir = fs_open_subdir(r->from, d->name, 0, &e);
	int gone = dir == -1 && errno == ENOENT;
	size_t i;

	for (i = 0; !gone && i < d->found.count; i++) {
		if (!d->remove[i])
			continue;
		if (dir != -1 &&
		    move_checkpoint(r, t, d, dir, &d->found.item[i], &e) == 0)
			continue;
		spare(r, t, e.text);
		d->remove[i] = 0;
		t->removals--;
		t->removal_bytes -= d->found.item[i].bytes;
	}
	fs_close(dir);
	/* The directory of an earlier attempt may be empty now. */
	if (d != &t->dir[t->dirs - 1])
		fs_ops.unlinkat(r->from, d->name, AT_REMOVEDIR);
}

/*
 * Put back the directories of tasks that were queued again.  A command that
 * queues a task records this before it asks Slurm, so the record is here by
 * now.
 */
static void
put_back(struct removal *r, const struct store_chunks *chunks, const char *why)
{
	struct moved *m;
	struct error e;
	size_t i;

	for (i = 0; i < r->count; i++) {
		m = &r->moved[i];
		if (m->name == NULL || !is_queued_again(chunks, m->task))
			continue;
		m->task->why = why;
		m->task->removals = 0;
		m->task->removal_bytes = 0;
		m->task->all = 0;
		if (fs_rename(r->trash, m->trash, r->from, m->name, &e) == -1)
			spare(r, m->task, e.text);
		free(m->trash);
		m->trash = NULL;
	}
}

static int
remove_from(struct removal *r)
{
	struct checkpoint_plan *k = r->plan;
	struct store_chunks chunks;
	struct checkpoint_task *t;
	struct error e;
	size_t i, d, before = k->trouble.count;
	struct moved *m;

	for (i = 0; i < k->count; i++) {
		t = &k->task[i];
		if (t->all)
			move_all(r, t);
		for (d = 0; !t->all && t->removals > 0 && d < t->dirs; d++)
			move_some(r, t, &t->dir[d]);
	}
	if (store_chunks_whole(k->task[0].view->job, &chunks, &e) == 0) {
		put_back(r, &chunks, "queued again");
		store_chunks_free(&chunks);
	} else {
		strlist_push(&k->trouble, e.text);
		put_back(r, NULL, "perhaps queued again");
	}
	for (m = r->moved; m < r->moved + r->count; m++) {
		if (m->trash != NULL &&
		    fs_remove_tree(r->trash, m->trash, &e) == -1)
			spare(r, m->task, e.text);
		free(m->trash);
		free(m->name);
	}
	free(r->moved);
	return k->trouble.count == before ? 0 : -1;
}

int
checkpoint_plan_discard(struct checkpoint_plan *k, const struct store *store)
{
	struct removal r = {.plan = k, .from = -1, .trash = -1};
	struct error e;
	int rc = -1;

	if (k->count == 0)
		return 0;
	r.trash = fs_open_subdir(store->dir, "trash", 1, &e);
	if (r.trash != -1)
		r.from = store_directory_open(
		    k->task[0].view->job, "checkpoint", 0, &e);
	if (r.from != -1)
		rc = remove_from(&r);
	else
		strlist_push(&k->trouble, e.text);
	fs_close(r.from);
	fs_close(r.trash);
	return rc;
}
