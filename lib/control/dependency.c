#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/canary.h"
#include "control/chunk.h"
#include "control/claim.h"
#include "control/dependency.h"
#include "control/policy-rules.h"
#include "control/sbatch-argv.h"
#include "control/throttle-share.h"
#include "control/throttle.h"
#include "slurm/queue.h"
#include "slurm/update-array.h"
#include "state/resolve.h"
#include "state/summary.h"
#include "state/words.h"
#include "store/chunk.h"
#include "store/extension.h"
#include "store/job.h"
#include "store/once.h"
#include "store/table.h"
#include "sys/fs.h"

/* The mark of a job whose dependencies were satisfied. */
static const char passed[] = "after";

/*
 * A cause is short: it names at most NAMED jobs, or NAMED + 1 if these are all,
 * and stops after LETTERS characters of names.
 */
enum { NAMED = 3, LETTERS = 80 };

/* A job to wait for, as the waiting job's record names it: "conv2d:ok:ID". */
struct other {
	char *name, *id;
	int ok;
	struct store_job *job; /* NULL if it was removed or cannot be read */
	struct store_table *table;
	int unread; /* whether it exists but cannot be read */
	enum cause_other standing;
	uint64_t bad;         /* tasks that did not finish */
	struct error trouble; /* why it cannot be read */
};

static void
other_free(struct other *o)
{
	free(o->name);
	free(o->id);
	store_job_free(o->job);
	store_table_free(o->table);
}

/* Load the job that word names from the store of the waiting job. */
static void
other_load(struct other *o, const struct store_job *job, const char *word)
{
	size_t n = strcspn(word, ":");
	const char *how = word + n + (word[n] != '\0');
	const char *id = strchr(how, ':');
	char *path;

	memset(o, 0, sizeof *o);
	o->name = xstrndup(word, n);
	o->ok = strncmp(how, "ok:", 3) == 0;
	o->id = xstrdup(id != NULL ? id + 1 : "");
	path = xasprintf("%.*s/%s", (int)(fs_base(job->path) - job->path - 1),
	    job->path, o->name);
	o->job = store_job_load_path(path, &o->trouble);
	o->unread = o->job == NULL && o->trouble.code != ERROR_ABSENT;
	free(path);
	if (o->job != NULL && strcmp(o->job->id, o->id) != 0) {
		store_job_free(o->job);
		o->job = NULL;
	}
}

/* ---- the state of dependencies ---- */

/* The most jobs to follow in a chain; beyond it, assume that jobs can start. */
enum { LOOKS = 64 };

static int look(const struct store_job *, struct strlist *seen,
    enum job_dependency *, char **why, struct error *e);

/*
 * Return whether a job waits itself for a job that never satisfies its
 * dependency; seen has the ids visited so far.
 */
static int
never_starts(const struct other *o, struct strlist *seen)
{
	const uint64_t *in = o->table->in_state;
	enum job_dependency how;
	char *why;

	if (in[STORE_RUNNING] + in[STORE_FINISHED] + in[STORE_ERROR] > 0 ||
	    o->job->after.count == 0 || seen->count >= LOOKS ||
	    strlist_have(seen, o->id))
		return 0;
	strlist_push(seen, o->id);
	look(o->job, seen, &how, &why, NULL);
	free(why);
	return how == JOB_DEPENDENCY_NEVER;
}

/* Return whether a task failed or was stopped, but not by its search. */
static int
is_bad(const struct store_table *table, uint64_t task)
{
	int bad = store_state_is_failure(store_table_state(table, task)) &&
	    !state_is_pruned(store_table_row(table, task));

	store_table_forget(table, task);
	return bad;
}

/* Count the tasks dropped by --sync that is_such accepts. */
static uint64_t
count_dropped(const struct other *o,
    int (*is_such)(const struct store_table *, uint64_t task))
{
	const struct idset *dropped = store_job_dropped(o->job);
	struct idset_walk walk = {0};
	uint64_t task, count = 0;

	while (dropped != NULL && idset_next(dropped, &walk, &task))
		count += task < o->table->count && is_such(o->table, task);
	return count;
}

/* Set the standing of a job whose table was read. */
static enum job_dependency
look_at_tasks(struct other *o, struct strlist *seen)
{
	const uint64_t *in = o->table->in_state;
	uint64_t bad = job_summary_bad(o->table) - count_dropped(o, is_bad);
	int open = in[STORE_SUBMITTED] + in[STORE_RUNNING] > 0, again = 0;
	int dead = open && job_canary_is_dead(o->job, o->table);

	if (bad > 0 && (o->ok || !open || dead))
		again = job_policy_comes_again(o->job, o->table, &o->trouble);
	o->unread = again == -1;
	if (again != 0)
		return JOB_DEPENDENCY_WAITS;
	o->bad = bad;
	if (o->ok && bad > 0)
		o->standing = OTHER_UNFINISHED;
	else if (!open)
		return JOB_DEPENDENCY_MET;
	else if (dead)
		o->standing = OTHER_CANARY;
	else if (never_starts(o, seen))
		o->standing = OTHER_NEVER;
	return o->standing == OTHER_WAITS ? JOB_DEPENDENCY_WAITS
					  : JOB_DEPENDENCY_NEVER;
}

/*
 * Set the standing and return the state of one dependency.  A removed job
 * counts as over: jobs are removed only when their tasks are over.
 */
static enum job_dependency
look_at(struct other *o, struct strlist *seen)
{
	if (o->job == NULL && !o->unread) {
		o->standing = OTHER_REMOVED;
		return o->ok ? JOB_DEPENDENCY_NEVER : JOB_DEPENDENCY_MET;
	}
	if (o->job != NULL) {
		o->table = store_table_load(o->job, &o->trouble);
		o->unread = o->table == NULL;
	}
	if (o->table != NULL && o->table->count > 0)
		return look_at_tasks(o, seen);
	o->standing = OTHER_UNREADABLE;
	return JOB_DEPENDENCY_WAITS;
}

/* Return how many of the names to show. */
static size_t
count_named(const struct strlist *names)
{
	size_t most = names->count <= NAMED + 1 ? names->count : NAMED;
	size_t length = strlen(names->word[0]), i;

	for (i = 1; i < most; i++) {
		length += strlen(names->word[i]);
		if (length > LETTERS)
			return i;
	}
	return most;
}

/*
 * Set *all and *why for all dependencies of job.  Returns 0, or -1 if one of
 * the other jobs cannot be read; the job waits for it.
 */
static int
look(const struct store_job *job, struct strlist *seen,
    enum job_dependency *all, char **why, struct error *e)
{
	struct strlist waiting = {0};
	enum job_dependency one;
	struct other o;
	int rc = 0;
	size_t i;

	*why = NULL;
	*all = JOB_DEPENDENCY_MET;
	if (job->after.count == 0 || store_once_is_set(job, passed, NULL) == 1)
		return 0;
	for (i = 0; i < job->after.count; i++) {
		other_load(&o, job, job->after.word[i]);
		one = look_at(&o, seen);
		if (o.unread)
			rc = error_copy(e, &o.trouble);
		if (one == JOB_DEPENDENCY_WAITS)
			strlist_push(&waiting, o.name);
		if (one > *all) { /* keep the reason of the worst state */
			free(*why);
			*why = cause_after_one(o.name, o.standing, o.bad);
			*all = one;
		}
		other_free(&o);
	}
	if (*all == JOB_DEPENDENCY_WAITS && rc == 0) {
		free(*why);
		*why = cause_after_all(
		    waiting.word, waiting.count, count_named(&waiting));
	}
	strlist_free(&waiting);
	return rc;
}

static int
look_first(const struct store_job *job, enum job_dependency *how, char **why,
    struct error *e)
{
	struct strlist seen = {0};
	int rc = look(job, &seen, how, why, e);

	strlist_free(&seen);
	return rc;
}

static enum job_dependency
look_at_first(struct other *o)
{
	struct strlist seen = {0};
	enum job_dependency how = look_at(o, &seen);

	strlist_free(&seen);
	return how;
}

enum job_dependency
job_dependency_look(const struct store_job *job, char **why)
{
	enum job_dependency how;

	look_first(job, &how, why, NULL);
	return how;
}

int
job_dependency_settle(const struct store_job *job, enum job_dependency *how,
    char **why, struct error *e)
{
	int rc = look_first(job, how, why, e);

	if (rc == 0 && job->after.count > 0 && *how == JOB_DEPENDENCY_MET &&
	    store_once_set(job, passed, NULL, e) == -1)
		rc = -1;
	return rc;
}

struct store_job **
job_dependency_jobs(const struct store_job *job, size_t *count)
{
	struct store_job **list = xcalloc(job->after.count + 1, sizeof *list);
	struct other o;
	size_t i;

	*count = 0;
	if (job->after.count == 0 || store_once_is_set(job, passed, NULL) == 1)
		return list;
	for (i = 0; i < job->after.count; i++) {
		other_load(&o, job, job->after.word[i]);
		if (o.job != NULL)
			list[(*count)++] = o.job;
		o.job = NULL;
		other_free(&o);
	}
	return list;
}

/* ---- checking a new job ---- */

static int
refuse(const struct other *o, struct error *e)
{
	char *why = cause_after_one(o->name, o->standing, o->bad);

	if (o->job != NULL && o->job->imported != NULL)
		error_set(e,
		    "--after: it would come %s, which was imported: leave "
		    "out :ok",
		    why);
	else if (o->standing == OTHER_NEVER)
		error_set(e,
		    "--after: it would come %s: stfm-status --why %s says why",
		    why, o->name);
	else if (o->standing == OTHER_CANARY)
		error_set(e,
		    "--after: it would come %s: train that again first "
		    "(stfm-restart %s/0)",
		    why, o->name);
	else
		error_set(e,
		    "--after: it would come %s: train those again first "
		    "(stfm-restart %s), or leave out :ok",
		    why, o->name);
	free(why);
	return -1;
}

int
job_dependency_check(
    const struct store_job *job, const struct store *store, struct error *e)
{
	/* The new job has no path yet, and other_load needs the store's. */
	struct store_job there = {
	    .path = xasprintf("%s/jobs/new", store->path)};
	struct other o;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < job->after.count; i++) {
		other_load(&o, &there, job->after.word[i]);
		if (look_at_first(&o) == JOB_DEPENDENCY_NEVER)
			rc = refuse(&o, e);
		other_free(&o);
	}
	free(there.path);
	return rc;
}

/* ---- dependencies in Slurm ---- */

/*
 * Add the dependency on a job's queued arrays to out.  Returns 0, or -1 if some
 * of its tasks are not queued.
 */
static int
add_arrays(const struct other *o, const struct queue *q, struct strlist *out)
{
	struct store_chunks chunks;
	const struct store_chunk *c;
	struct strlist ids = {0};
	int rc = 0;
	size_t i;

	if (store_chunks_list(o->job, &chunks, NULL) == -1)
		return -1;
	if (chunks.damaged.count > 0 || job_chunk_is_unqueued(o->job, &chunks))
		rc = -1;
	for (i = 0; rc == 0 && i < chunks.count; i++) {
		c = &chunks.chunk[i];
		if (c->claim == STORE_ARRAY &&
		    job_claim_is_alive(q, c->array, c->token))
			strlist_take(&ids, xasprintf("%" PRIu32, c->array));
	}
	if (rc == 0 && ids.count > 0) {
		char *list = strlist_join(&ids, ":");

		strlist_take(out,
		    xasprintf("%s:%s", o->ok ? "afterok" : "afterany", list));
		free(list);
	} else {
		rc = -1;
	}
	strlist_free(&ids);
	store_chunks_free(&chunks);
	return rc;
}

static int
is_unfinished(const struct store_table *table, uint64_t task)
{
	return store_table_state(table, task) != STORE_FINISHED;
}

/* Return whether only a watcher can tell when the dependency is satisfied. */
static int
is_beyond_slurm(const struct other *o)
{
	return job_policy_queues(o->job) || job_has_canary(o->job) ||
	    (o->ok && store_search_is_given(&o->job->search)) ||
	    (o->ok && count_dropped(o, is_unfinished) > 0);
}

char *
job_dependency_for_slurm(const struct store_job *job, const struct queue *q)
{
	struct strlist all = {0};
	char *text = NULL;
	enum job_dependency how;
	struct other o;
	int rc = 0;
	size_t i;

	for (i = 0; q != NULL && rc == 0 && i < job->after.count; i++) {
		other_load(&o, job, job->after.word[i]);
		how = look_at_first(&o);
		if (how == JOB_DEPENDENCY_NEVER || o.unread)
			rc = -1;
		else if (how == JOB_DEPENDENCY_WAITS)
			rc = is_beyond_slurm(&o) ? -1 : add_arrays(&o, q, &all);
		other_free(&o);
	}
	if (rc == 0 && all.count > 0)
		text = strlist_join(&all, ",");
	strlist_free(&all);
	return text;
}

/* Return whether Slurm shows tasks of an array as waiting for a dependency. */
static int
waits_in_slurm(const struct store_chunk *c, const struct queue *q)
{
	static const char reason[] = "Dependency";
	const struct queue_record *r;
	size_t i;

	for (i = 0; i < queue_count(q); i++) {
		r = queue_record(q, i);
		if (r->array == c->array && queue_has_token(r, c->token) &&
		    r->alive &&
		    strncmp(r->reason, reason, sizeof reason - 1) == 0)
			return 1;
	}
	return 0;
}

/* Return whether an array no longer waits, or -1 if Slurm does not answer. */
static int
waits_no_more(const struct store_chunk *c, struct error *e)
{
	struct queue *q;
	int no_more;

	if (queue_load(&q, e) == -1)
		return -1;
	no_more = !waits_in_slurm(c, q);
	queue_free(q);
	return no_more;
}

/*
 * Set the dependency of an array in Slurm, once.  Slurm refuses if the array no
 * longer waits, for example because it has just started; that is no error.
 */
static int
send_dependency(const struct store_job *job, const struct store_chunk *c,
    const char *on, struct error *e)
{
	char *text = job_sbatch_dependency(job, c, on);
	char *mark = xasprintf(
	    "waits.%s.%08" PRIx32, c->name, fs_crc32c(text, strlen(text)));
	int rc = store_once_is_set(job, mark, e);
	struct error why;

	if (rc == 0) {
		rc = queue_depend(c->array, c->token, text, &why);
		if (rc == 0)
			rc = store_once_set(job, mark, NULL, e);
		else if (why.code == ERROR_REFUSED &&
		    waits_no_more(c, &why) == 1)
			rc = 0;
		else
			error_copy(e, &why);
	}
	free(mark);
	free(text);
	return rc == -1 ? -1 : 0;
}

/*
 * Set the dependency of array i to on, plus the job's earlier arrays that must
 * end first to keep the throttle.
 */
static int
tell_behind(const struct store_job *job,
    const struct job_throttle_shares *shares, size_t i, int64_t limit,
    const char *on, struct error *e)
{
	size_t wait = job_throttle_shares_behind(shares, i, limit);
	struct strlist all = {0};
	char *text;
	int rc;

	if (*on != '\0')
		strlist_push(&all, on);
	if (wait > 0)
		strlist_take(
		    &all, job_throttle_shares_dependency(shares, wait));
	text = strlist_join(&all, ",");
	rc = send_dependency(job, shares->item[i].chunk, text, e);
	free(text);
	strlist_free(&all);
	return rc;
}

int
job_dependency_send(const struct store_job *job,
    const struct store_chunks *chunks, const struct store_requests *requests,
    const struct queue *q, struct error *e)
{
	int64_t limit = job_throttle_indices(job, requests);
	char *on = NULL, *why = NULL;
	const struct store_chunk *c;
	enum job_dependency how = JOB_DEPENDENCY_WAITS;
	struct job_throttle_shares shares;
	int rc = 0, looked = 0;
	size_t i;

	job_throttle_shares_find(job, chunks, q, &shares);
	for (i = 0; rc == 0 && i < shares.count; i++) {
		c = shares.item[i].chunk;
		if (!waits_in_slurm(c, q))
			continue;
		if (!looked) {
			if (job_dependency_settle(job, &how, &why, e) == -1) {
				rc = -1;
				break;
			}
			on = how == JOB_DEPENDENCY_MET
			    ? xstrdup("")
			    : job_dependency_for_slurm(job, q);
			looked = 1;
		}
		if (on != NULL)
			rc = tell_behind(job, &shares, i, limit, on, e);
	}
	job_throttle_shares_free(&shares);
	free(on);
	free(why);
	return rc;
}
