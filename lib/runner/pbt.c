#include <sys/stat.h>

#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/idset.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "control/ask.h"
#include "job/checkpoint-dir.h"
#include "runner/pbt.h"
#include "runner/point.h"
#include "runner/task.h"
#include "space/draw.h"
#include "state/search.h"
#include "store/chunk.h"
#include "sys/fs-tree.h"
#include "sys/fs.h"
#include "sys/proc.h"

/* How long a copy may take, and how often to copy what changes meanwhile. */
enum { COPY_MS = 600000, COPIES = 3 };

/* ---- checkpoints ---- */

/* Return the checkpoint directory of the newest attempt of a task, or NULL. */
static char *
directory_of(
    const struct job_run *r, uint64_t task, uint32_t attempt, struct error *e)
{
	struct store_chunks chunks;
	uint32_t origin;

	if (store_chunks_list(r->job, &chunks, e) == -1)
		return NULL;
	origin = job_checkpoint_origin(&chunks, task, attempt);
	store_chunks_free(&chunks);
	return job_checkpoint_path(r->job, task, origin);
}

/* Return when a file below a directory was written last; -1: none. */
static int64_t
newest_in(const char *path)
{
	struct job_checkpoint_files files;
	int64_t newest;

	job_checkpoint_look(path, &files);
	newest = files.newest;
	job_checkpoint_files_free(&files);
	return newest;
}

/* ---- choosing a parent ---- */

/* Set *out to the newest run.  Returns whether it is over. */
static int
newest_run(const struct store_facts *facts, struct store_run *out)
{
	const struct store_fact *f;
	int over = 0;
	size_t i;

	*out = (struct store_run){0, 0};
	for (i = 0; i < facts->count; i++) {
		f = &facts->fact[i];
		if (store_run_compare(STORE_RUN(f), *out) > 0)
			over = 0;
		*out = STORE_RUN(f);
		over |= f->kind[0] == 'E' || f->kind[0] == 'X';
	}
	return over;
}

/* Return the value at the last rung before an epoch, or else the start. */
static const struct store_fact *
before_rung(const struct store_facts *facts, int64_t epoch)
{
	const struct store_fact *last = NULL;
	struct store_rung rung;
	int64_t highest = 0;
	size_t i;

	for (i = 0; i < facts->search_count; i++)
		if (store_fact_rung(&facts->search[i], &rung) &&
		    rung.epoch < epoch && rung.epoch > highest) {
			last = &facts->search[i];
			highest = rung.epoch;
		}
	for (i = 0; i < facts->count && last == NULL; i++)
		if (facts->fact[i].kind[0] == 'S')
			last = &facts->fact[i];
	return last;
}

/*
 * Return whether the newest run of a task is still going on, or -1.  *run is
 * that run, and its checkpoint has to be as new as *since.
 */
static int
look_at(const struct job_run *r, uint64_t task, int64_t epoch,
    struct store_run *run, int64_t *since, struct error *e)
{
	const struct store_fact *last;
	struct store_facts facts;
	int alive;

	*since = 0;
	if (store_facts_of(r->job, task, &facts, e) == -1)
		return -1;
	alive = !newest_run(&facts, run);
	last = alive ? before_rung(&facts, epoch) : NULL;
	if (last != NULL)
		*since = store_facts_time(r->job, &facts, last);
	store_facts_free(&facts);
	return alive;
}

/*
 * Return whether a task may be the parent: 1, 0, or -1.  *link, which is NULL
 * or to be freed, becomes a link in its checkpoint if its files do not count.
 */
static int
is_fit(const struct job_run *r, uint64_t task, int64_t epoch, char **link,
    struct error *e)
{
	struct job_checkpoint_files files;
	struct store_run run;
	char *path;
	int64_t since;
	int alive, fit;

	if (task == r->fact.task)
		return 0;
	alive = look_at(r, task, epoch, &run, &since, e);
	if (alive != 1)
		return alive;
	path = directory_of(r, task, run.attempt, e);
	if (path == NULL)
		return -1;
	job_checkpoint_look(path, &files);
	free(path);
	fit = files.newest != -1 && files.newest >= since;
	if (!fit && files.link != NULL) {
		free(*link);
		*link = xstrdup(files.link);
	}
	job_checkpoint_files_free(&files);
	return fit;
}

int
run_pbt_choose(const struct job_run *r, const struct idset *best,
    const struct stop_pruned *why, struct run_exploit *out, struct error *e)
{
	uint64_t n = idset_size(best), i, task, first;
	char *place = stop_place_text(why), *link = NULL, name[40];
	int fit = 0;

	snprintf(name, sizeof name, "parent %" PRId64, why->epoch);
	first = draw_below(
	    draw_hash(store_job_seed(r->job), r->fact.task, name), n);
	for (i = 0; i < n && fit == 0; i++) {
		task = idset_at(best, (first + i) % n);
		fit = is_fit(r, task, why->epoch, &link, e);
	}
	if (fit == 0)
		r->say("epoch %" PRId64 ": %s, but no better task that runs "
		       "has a new checkpoint%s%s%s",
		    why->epoch, place,
		    link != NULL ? ": files behind a symbolic link, such as "
				 : "",
		    link != NULL ? link : "",
		    link != NULL ? ", do not count" : "");
	if (fit == 1) {
		out->parent = task;
		free(out->reason);
		out->reason = xasprintf("from the checkpoint of task %" PRIu64
					" (epoch %" PRId64 ": %s)",
		    task, why->epoch, place);
	}
	free(link);
	free(place);
	return fit;
}

/* ---- the next run ---- */

/* Forget what the ended run was like, for the next one. */
static void
renew(struct job_run *r)
{
	struct store_fact_body *b = &r->body;

	free(b->value);
	free(b->usage);
	free(b->cause);
	free(b->reason);
	b->value = b->usage = b->cause = b->reason = NULL;
	b->start = b->exit = b->signal = b->asked = b->heard = -1;
	b->memory = b->cpu = -1;
	if (b->restarts == -1) /* Slurm does not count the next run */
		b->restarts = r->fact.restart;
	r->fact.restart++;
	r->task.restart = r->fact.restart;
}

int
run_pbt_next(
    struct job_run *r, const struct run_exploit *exploit, struct error *e)
{
	struct job_asker *asker = job_asker_new(r->job, e);
	struct store_fact fact = {.task = r->fact.task, .kind = "P"};
	struct store_fact_body body = store_fact_body();
	int rc = -1;

	if (asker != NULL)
		rc = job_asker_explore(asker, r->fact.task, exploit->parent,
		    r->fact.restart + 1, &body, e);
	job_asker_free(asker);
	if (rc == 0)
		rc = job_run_ends(r, "Q", 0, e);
	if (rc == 0) {
		renew(r);
		fact.attempt = r->fact.attempt;
		fact.restart = r->fact.restart;
		body.time = time(NULL);
		body.reason = xstrdup(exploit->reason);
		rc = store_fact_publish(r->job, &fact, &body, e);
	}
	store_fact_body_free(&body);
	return rc == -1 ? -1 : run_point_open(r, e);
}

/* ---- adopting a checkpoint ---- */

static int
run_program(char *const argv[], struct error *e)
{
	struct proc_result result;

	if (proc_run(argv, NULL, COPY_MS, &result, e) == -1)
		return -1;
	if (!proc_ok(&result))
		error_set(e, "%s: %s", argv[0],
		    result.timed_out ? "takes too long" : result.complaint);
	if (!proc_ok(&result)) {
		proc_result_free(&result);
		return -1;
	}
	proc_result_free(&result);
	return 0;
}

/* Copy a tree, again if it changes meanwhile. */
static int
copy_tree(const char *from, const char *to, struct error *e)
{
	char *source = xasprintf("%s/.", from);
	char *argv[] = {"cp", "-a", "--reflink=auto", "--", source,
	    (char *)(uintptr_t)to, NULL};
	int64_t before;
	int rc = -1, i;

	for (i = 0; i < COPIES; i++) {
		before = newest_in(from);
		rc = fs_remove_tree(AT_FDCWD, to, e);
		if (rc == 0 && mkdir(to, 0777) == -1)
			rc = error_errno(e, "%s", to);
		if (rc == 0)
			rc = run_program(argv, e);
		if (rc == 0 && newest_in(from) == before)
			break;
	}
	free(source);
	return rc;
}

/*
 * Return the target of a link in a copy of the directory from that is to be the
 * directory own, to free; NULL if the link may stay.
 */
static char *
new_target(const char *target, const char *from, const char *own)
{
	char *real = realpath(from, NULL), *new = NULL;
	const char *const tops[] = {from, real};
	size_t length, i;

	for (i = 0; i < 2 && new == NULL; i++) {
		length = tops[i] != NULL ? strlen(tops[i]) : 0;
		if (length > 0 && strncmp(target, tops[i], length) == 0 &&
		    (target[length] == '/' || target[length] == '\0'))
			new = xasprintf("%s%s", own, target + length);
	}
	free(real);
	return new;
}

/* Let the absolute links in a copy point to the copy: see new_target. */
static int
turn_links(const char *copy, const char *from, const char *own, struct error *e)
{
	char *roots[] = {(char *)(uintptr_t)copy, NULL}, *target, *new;
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *at;
	int rc = tree != NULL ? 0 : error_errno(e, "%s", copy);

	while (rc == 0 && (at = fts_read(tree)) != NULL) {
		if (at->fts_info != FTS_SL)
			continue;
		target = fs_read_link(AT_FDCWD, at->fts_path, e);
		new = target != NULL ? new_target(target, from, own) : NULL;
		rc = target != NULL ? 0 : -1;
		if (new != NULL)
			rc = fs_unlink(AT_FDCWD, at->fts_path, e);
		if (new != NULL && rc == 0)
			rc = fs_link(AT_FDCWD, at->fts_path, new, e);
		free(new);
		free(target);
	}
	if (tree != NULL)
		fts_close(tree);
	return rc;
}

/* Replace the checkpoint of the run by that of its parent. */
static int
adopt(const struct job_run *r, uint64_t parent, struct error *e)
{
	struct store_facts facts;
	struct store_run run;
	char *from, *own, *new, *old;
	int rc = store_facts_of(r->job, parent, &facts, e);

	if (rc == -1)
		return -1;
	newest_run(&facts, &run);
	store_facts_free(&facts);
	from = directory_of(r, parent, run.attempt, e);
	if (from == NULL)
		return -1;
	own = job_checkpoint_path(r->job, r->fact.task, r->task.origin);
	new = xasprintf("%s.pbt-new", own);
	old = xasprintf("%s.pbt-old", own);
	rc = copy_tree(from, new, e);
	if (rc == 0)
		rc = turn_links(new, from, own, e);
	if (rc == 0)
		rc = fs_remove_tree(AT_FDCWD, old, e);
	if (rc == 0 && fs_exists(own) && rename(own, old) == -1)
		rc = error_errno(e, "%s", own);
	if (rc == 0 && rename(new, own) == -1)
		rc = error_errno(e, "%s", own);
	if (rc == 0)
		rc = fs_remove_tree(AT_FDCWD, old, e);
	free(from);
	free(own);
	free(new);
	free(old);
	return rc;
}

int
run_pbt_adopt(struct job_run *r, struct error *e)
{
	struct store_fact_body body;
	const struct store_fact *point = NULL, *f;
	struct store_facts facts;
	int64_t parent = -1;
	size_t i;
	int begun = 0, rc = 0;

	if (!job_points_are_chosen(r->job))
		return 0;
	if (store_facts_of(r->job, r->fact.task, &facts, e) == -1)
		return -1;
	for (i = 0; i < facts.search_count; i++)
		if (strcmp(facts.search[i].kind, "P") == 0)
			point = &facts.search[i];
	for (i = 0; i < facts.count && point != NULL; i++) {
		f = &facts.fact[i];
		begun |= f->kind[0] == 'S' &&
		    store_run_compare(STORE_RUN(f), STORE_RUN(point)) >= 0;
	}
	if (point != NULL && !begun) {
		rc = store_facts_read(r->job, &facts, point, &body, e);
		if (rc == 0) {
			parent = body.parent;
			store_fact_body_free(&body);
		}
	}
	store_facts_free(&facts);
	if (rc == 0 && parent >= 0)
		rc = adopt(r, (uint64_t)parent, e);
	return rc;
}
