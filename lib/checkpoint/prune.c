#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "checkpoint/prune.h"
#include "control/policy.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "sys/fs-tree.h"
#include "view/filter.h"

/* ---- what there is ---- */

/* The task and the attempt that "000123" or "000123.1" is for; -1 for none. */
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

/* Leave the names of these tasks' directories, in order. */
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

static void
add_directory(struct job_prune *k, struct job_view *view, const char *name,
    struct checkpoints *units)
{
	struct job_prune_task *t = k->count > 0 ? &k->task[k->count - 1] : NULL;
	struct job_prune_dir *d;
	uint64_t task, attempt;

	parse_name(name, &task, &attempt);
	if (t == NULL || t->task != task) {
		k->task = xgrow(k->task, k->count, sizeof *k->task);
		t = &k->task[k->count++];
		*t = (struct job_prune_task){.view = view, .task = task};
	}
	t->dir = xgrow(t->dir, t->dirs, sizeof *t->dir);
	d = &t->dir[t->dirs++];
	d->name = xstrdup(name);
	d->units = *units;
	d->goes = xcalloc(units->count + 1, 1);
	t->checkpoints += units->count;
	t->bytes += units->bytes;
}

static struct idset
set_of(const struct job_tasks *tasks)
{
	struct idset set = {0};
	size_t i;

	for (i = 0; i < tasks->count; i++)
		idset_add(&set, tasks->task[i], tasks->task[i]);
	return set;
}

/*
 * A link leads to what may not be of the task alone: it is said, and not
 * followed.
 */
static char *
say_link(const char *path, const char *to)
{
	return xasprintf("%s: is a symbolic link to %s: what is there is "
			 "neither listed nor removed",
	    path, to);
}

/* Those among the checkpoints of a task. */
static void
note_links(struct job_prune *k, int dir, const char *name,
    const struct checkpoints *units)
{
	char *top = fs_path(dir, name), *path;
	size_t i;

	for (i = 0; i + 1 < units->links.count; i += 2) {
		path = fs_join(top, units->links.word[i]);
		strlist_take(
		    &k->links, say_link(path, units->links.word[i + 1]));
		free(path);
	}
	free(top);
}

/* A link in the place of a directory. */
static int
note_link(struct job_prune *k, int dir, const char *name)
{
	char *to = fs_read_link(dir, name, NULL), *path;

	if (to == NULL)
		return 0;
	path = fs_path(dir, name);
	strlist_take(&k->trouble, say_link(path, to));
	free(path);
	free(to);
	return 1;
}

int
job_prune_find(
    const struct job_tasks *tasks, struct job_prune *out, struct error *e)
{
	const struct store_job *job = tasks->view->job;
	struct idset wanted = set_of(tasks);
	struct fs_names names;
	struct checkpoints units;
	struct error why;
	size_t i;
	int dir;

	memset(out, 0, sizeof *out);
	dir = store_directory_list(job, "checkpoint", &names, e);
	if (dir != -1)
		leave_names(&names, &wanted);
	for (i = 0; dir != -1 && i < names.count; i++) {
		if (checkpoints_read(dir, names.name[i], &units, &why) == 0) {
			note_links(out, dir, names.name[i], &units);
			add_directory(out, tasks->view, names.name[i], &units);
		} else if (!note_link(out, dir, names.name[i]))
			strlist_push(&out->trouble, why.text);
	}
	idset_free(&wanted);
	if (dir == -1)
		return errno == ENOENT || note_link(out, job->dir, "checkpoint")
		    ? 0
		    : -1;
	store_directory_close(dir, &names);
	return 0;
}

static void
free_task(struct job_prune_task *t)
{
	size_t i;

	for (i = 0; i < t->dirs; i++) {
		free(t->dir[i].name);
		free(t->dir[i].goes);
		checkpoints_free(&t->dir[i].units);
	}
	free(t->dir);
}

void
job_prune_free(struct job_prune *k)
{
	size_t i;

	for (i = 0; i < k->count; i++)
		free_task(&k->task[i]);
	free(k->task);
	strlist_free(&k->trouble);
	strlist_free(&k->links);
	memset(k, 0, sizeof *k);
}

/* ---- what goes ---- */

/*
 * Whether somebody has queued a task again since the view was made, or may
 * have: chunks is NULL where nobody can tell.
 */
static int
is_queued_again(
    const struct store_chunks *chunks, const struct job_prune_task *t)
{
	uint32_t attempt = store_table_brief(t->view->fold, t->task).attempt;
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

/* The best tasks of the whole job: 0, or -1 when nothing tells. */
static int
find_best(struct job_view *v, uint64_t most, struct idset *out, struct error *e)
{
	struct job_filter *filter = job_filter_new();
	struct idset all = {0};
	uint64_t *task;
	size_t count, i;

	if (v->job->tasks > 0)
		idset_add(&all, 0, v->job->tasks - 1);
	job_filter_sort(filter, "best");
	job_filter_limit(filter, most);
	task = job_filter_apply(filter, v, &all, &count);
	for (i = 0; i < count; i++)
		if (job_view_row(v, task[i])->metrics.has_best)
			idset_add(out, task[i], task[i]);
	free(task);
	idset_free(&all);
	job_filter_free(filter);
	if (out->count > 0)
		return 0;
	return error_set(e,
	    "%s: no task has a value of its objective: nothing says which are "
	    "the best",
	    v->job->name);
}

/* How many of its series are newer. */
static uint64_t
count_newer(const struct job_prune_task *t, const struct checkpoint *unit)
{
	const struct checkpoint *other;
	uint64_t newer = 0;
	size_t d, i;

	for (d = 0; d < t->dirs; d++)
		for (i = 0; i < t->dir[d].units.count; i++) {
			other = &t->dir[d].units.unit[i];
			newer += strcmp(other->series, unit->series) == 0 &&
			    checkpoint_is_newer(other, unit);
		}
	return newer;
}

/* Of each series the newest stay, and what is named beside them. */
static void
let_older_go(struct job_prune_task *t, uint64_t last)
{
	const struct checkpoint *unit;
	size_t d, i;

	for (d = 0; d < t->dirs; d++)
		for (i = 0; i < t->dir[d].units.count; i++) {
			unit = &t->dir[d].units.unit[i];
			t->dir[d].goes[i] =
			    !unit->named && count_newer(t, unit) >= last;
		}
}

static void
let_all_go(struct job_prune_task *t)
{
	size_t d;

	t->all = 1;
	t->goes = t->checkpoints;
	t->goes_bytes = t->bytes;
	for (d = 0; d < t->dirs; d++)
		memset(t->dir[d].goes, 1, t->dir[d].units.count);
}

static void
count_going(struct job_prune_task *t)
{
	size_t d, i;

	for (d = 0; d < t->dirs; d++)
		for (i = 0; i < t->dir[d].units.count; i++)
			if (t->dir[d].goes[i]) {
				t->goes++;
				t->goes_bytes += t->dir[d].units.unit[i].bytes;
			}
}

/* What is known of a job beside its tasks, for the rules. */
struct scene {
	struct store_chunks chunks;
	struct idset retries, best;
};

static void
plan_task(struct job_prune_task *t, const struct job_prune_rules *r,
    const struct scene *s)
{
	enum store_state state = store_table_state(t->view->fold, t->task);
	int open = !store_state_is_final(state);

	t->why = NULL;
	if (is_queued_again(&s->chunks, t))
		t->why = "queued again";
	else if (r->best > 0 && idset_has(&s->best, t->task))
		t->why = "best";
	else if (!r->named && open)
		t->why = state == STORE_RUNNING ? "runs" : "waits";
	else if (!r->named && idset_has(&s->retries, t->task))
		t->why = "to be queued again";
	if (t->why != NULL)
		return;
	if (r->last == 0 && !open) {
		let_all_go(t);
		return;
	}
	let_older_go(t, r->last > 0 ? r->last : 1);
	count_going(t);
}

static struct idset
tasks_of(const struct job_prune *k)
{
	struct idset tasks = {0};
	size_t i;

	for (i = 0; i < k->count; i++)
		idset_add(&tasks, k->task[i].task, k->task[i].task);
	return tasks;
}

int
job_prune_plan(
    struct job_prune *k, const struct job_prune_rules *r, struct error *e)
{
	struct idset tasks = tasks_of(k);
	struct scene s = {0};
	struct job_view *v;
	size_t i;
	int rc = 0;

	if (k->count == 0)
		return 0;
	v = k->task[0].view;
	if (job_view_whole(v, e) == -1 ||
	    job_policy_retries(v->job, v->fold, &tasks, &s.retries, e) == -1 ||
	    store_chunks_whole(v->job, &s.chunks, e) == -1 ||
	    (r->best > 0 && find_best(v, r->best, &s.best, e) == -1))
		rc = -1;
	for (i = 0; rc == 0 && i < k->count; i++)
		plan_task(&k->task[i], r, &s);
	store_chunks_free(&s.chunks);
	idset_free(&s.retries);
	idset_free(&s.best);
	idset_free(&tasks);
	return rc;
}

/* ---- letting go ---- */

/* Something that has another name by now, in the trash. */
struct moved {
	struct job_prune_task *task;
	char *name, *trash; /* below checkpoint/, NULL: a part of a task */
};

struct removal {
	struct job_prune *keep;
	int from, trash;
	struct moved *moved;
	size_t count;
};

static void
spare(struct removal *r, struct job_prune_task *t, const char *why)
{
	strlist_take(&r->keep->trouble,
	    xasprintf("%s/%" PRIu64 ": %s", t->view->job->name, t->task, why));
}

/* Give a path below an open directory a name in the trash: 0 or -1. */
static int
move(struct removal *r, struct job_prune_task *t, int dir, const char *path,
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
move_all(struct removal *r, struct job_prune_task *t)
{
	struct error e;
	size_t d;

	for (d = 0; d < t->dirs; d++) {
		if (move(r, t, r->from, t->dir[d].name, &e) == 0)
			continue;
		spare(r, t, e.text);
		t->goes -= t->dir[d].units.count;
		t->goes_bytes -= t->dir[d].units.bytes;
	}
}

/* What makes it a checkpoint goes first: the rest does not look like one. */
static int
move_unit(struct removal *r, struct job_prune_task *t,
    const struct job_prune_dir *d, int dir, const struct checkpoint *unit,
    struct error *e)
{
	size_t i;

	if (unit->files.count == 0) /* all of the directory is one */
		return move(r, t, r->from, d->name, e);
	for (i = 0; i < unit->files.count; i++)
		if (move(r, t, dir, unit->files.word[i], e) == -1)
			return -1;
	return 0;
}

static void
move_units(struct removal *r, struct job_prune_task *t, struct job_prune_dir *d)
{
	struct error e;
	int dir = fs_open_subdir(r->from, d->name, 0, &e);
	int gone = dir == -1 && errno == ENOENT;
	size_t i;

	for (i = 0; !gone && i < d->units.count; i++) {
		if (!d->goes[i])
			continue;
		if (dir != -1 &&
		    move_unit(r, t, d, dir, &d->units.unit[i], &e) == 0)
			continue;
		spare(r, t, e.text);
		d->goes[i] = 0;
		t->goes--;
		t->goes_bytes -= d->units.unit[i].bytes;
	}
	fs_close(dir);
	/* One of an earlier attempt may be empty. */
	if (d != &t->dir[t->dirs - 1])
		fs_ops.unlinkat(r->from, d->name, AT_REMOVEDIR);
}

/*
 * Who queued a task again recorded that before Slurm was told: so what is to be
 * gone on from is put back.
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
		m->task->goes = 0;
		m->task->goes_bytes = 0;
		m->task->all = 0;
		if (fs_rename(r->trash, m->trash, r->from, m->name, &e) == -1)
			spare(r, m->task, e.text);
		free(m->trash);
		m->trash = NULL;
	}
}

static void
remove_moved(struct removal *r)
{
	struct error e;
	size_t i;

	for (i = 0; i < r->count; i++) {
		if (r->moved[i].trash != NULL &&
		    fs_remove_tree(r->trash, r->moved[i].trash, &e) == -1)
			spare(r, r->moved[i].task, e.text);
		free(r->moved[i].trash);
		free(r->moved[i].name);
	}
	free(r->moved);
}

static int
remove_from(struct removal *r)
{
	struct job_prune *k = r->keep;
	struct store_chunks chunks;
	struct job_prune_task *t;
	struct error e;
	size_t i, d, before = k->trouble.count;

	for (i = 0; i < k->count; i++) {
		t = &k->task[i];
		if (t->all)
			move_all(r, t);
		for (d = 0; !t->all && t->goes > 0 && d < t->dirs; d++)
			move_units(r, t, &t->dir[d]);
	}
	if (store_chunks_whole(k->task[0].view->job, &chunks, &e) == 0) {
		put_back(r, &chunks, "queued again");
		store_chunks_free(&chunks);
	} else {
		strlist_push(&k->trouble, e.text);
		put_back(r, NULL, "perhaps queued again");
	}
	remove_moved(r);
	return k->trouble.count == before ? 0 : -1;
}

int
job_prune_discard(struct job_prune *k, const struct store *store)
{
	struct removal r = {.keep = k, .from = -1, .trash = -1};
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
