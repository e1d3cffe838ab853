#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/dependency.h"
#include "control/enqueue.h"
#include "job/code.h"
#include "job/container.h"
#include "job/location.h"
#include "job/preflight.h"
#include "submit/command.h"
#include "submit/dry-run.h"
#include "submit/policy-options.h"
#include "submit/search-options.h"
#include "submit/submit.h"
#include "sys/proc.h"
#include "term/progress.h"

/* Report why something failed.  Returns status. */
static int
fail(const struct submit_options *r, const struct error *e, int status)
{
	r->report.warn("%s", e->text);
	return status;
}

/* ---- checks ---- */

static int
check_local(const struct submit_options *r, struct error *e)
{
	char *store = store_path(r->store);
	int rc = job_plan_check_local(r->plan, e);

	if (rc == 0)
		rc = job_container_check(r->plan->job, store, e);
	free(store);
	return rc;
}

/*
 * Check the plan against the cluster, and set the maximum array size.  Returns
 * the exit status.
 */
static int
check_cluster(struct submit_options *r, struct error *e)
{
	struct queue_cluster *cluster;
	int rc = 0, hides;

	r->plan->job->array_size = 1000;
	if (queue_cluster(
		job_plan_asks_nodes(r->plan) ? QUEUE_NODES : QUEUE_PARTITIONS,
		&cluster, e) == -1) {
		if (r->report.dry_run)
			return CLI_YES;
		return cli_status(e);
	}
	if (cluster->max_array > 0)
		r->plan->job->array_size = cluster->max_array;
	rc = job_policy_options_limits(r->plan, cluster, e);
	if (rc == 0 && r->plan->note != NULL && !r->report.quiet)
		r->report.warn("%s", r->plan->note);
	/* sbatch knows what the site hides. */
	hides = cluster->hides_partitions || cluster->hides_nodes;
	if (rc == 0 && !hides && !r->no_check)
		rc = job_plan_check_cluster(r->plan, cluster, e);
	queue_cluster_free(cluster);
	if (rc == -1)
		job_plan_default_blame(r->plan, e);
	return rc == -1 ? CLI_WRONG : CLI_YES;
}

static int
take_snapshot(struct submit_options *r, struct error *e)
{
	struct store_job *job = r->plan->job;
	char *store;
	int rc;

	if (r->no_snapshot) {
		job->code.why = xstrdup("--no-snapshot");
		return 0;
	}
	store = store_path(r->store);
	rc = job_code_plan(job, r->snapshot, store, &r->plan->snapshot, e);
	free(store);
	return rc;
}

static int
show_plan(struct submit_options *r, struct error *e)
{
	struct store_job *job = r->plan->job;
	char *store = store_path(r->store);
	int rc;

	job->path = xasprintf("%s/jobs/%s", store, job->name);
	rc = job_submit_batch(r->plan, store, r->program, e);
	free(store);
	if (rc == 0)
		job_show_plan(r->report.out, r->plan, cli_terminal_width());
	return rc;
}

/* ---- queueing ---- */

/*
 * Report that some tasks are not queued.  Removes a new job from the store if
 * Slurm refused all of it.  Returns the exit status.
 */
static int
leave_rest(struct submit_options *r, const struct store *store,
    const struct store_job *job, enum queue_answer answer,
    const struct job_enqueued *q, const struct error *e)
{
	const int refused = answer == QUEUE_REFUSED;

	fail(r, e, 0);
	if (q->gone)
		return CLI_WRONG;
	if (refused && r->plan->from.count > 0)
		r->report.warn("some of its options are defaults: stfm-check "
			       "--config shows where they stand");
	if (refused && q->count == 0 && r->rest_of == NULL) {
		if (store_remove(store, job->name, job->id, NULL) == -1)
			r->report.warn(
			    "%s: stays in the store: stfm-stop --remove "
			    "%s",
			    job->name, job->name);
		return CLI_WRONG;
	}
	submit_message_rest(&r->report, job, answer, q);
	if (q->interrupted)
		r->report.warn(
		    "%s: to remove the queued tasks: stfm-stop --remove %s",
		    job->name, job->name);
	if (!refused && !q->damaged)
		return CLI_LATER;
	return q->fresh_count > 0 ? CLI_NO : CLI_WRONG;
}

static int
queue_job(struct submit_options *r, const struct store *store,
    const struct store_job *job)
{
	enum queue_answer answer;
	struct job_enqueued queued;
	struct error e;
	int status = CLI_YES;

	proc_block(); /* until the report is printed */
	proc_on_blocked(r->report.interrupted);
	progress_begin("queueing");
	answer = job_enqueue(job, NULL, &queued, &e);
	progress_end();
	proc_on_blocked(NULL);
	if (answer == QUEUE_QUEUED)
		submit_message_queued(&r->report, job, &queued);
	else if (queued.waits)
		submit_message_waiting(&r->report, job);
	else
		status = leave_rest(r, store, job, answer, &queued, &e);
	job_enqueued_free(&queued);
	return status;
}

int
submit_rest(struct submit_options *r)
{
	struct store_job *job = NULL;
	struct store *store;
	struct error e;
	int status;

	store = store_open(r->store, STORE_WRITE, &e);
	if (store != NULL && store_check_owner(store, &e) == 0)
		job = store_job_load(store, r->rest_of, &e);
	status = job != NULL && job_location_begin(job, &e) == 0
	    ? queue_job(r, store, job)
	    : fail(r, &e, CLI_WRONG);
	store_job_free(job);
	store_close(store);
	return status;
}

/*
 * Report which tasks are not queued; rc is the result of job_resubmit_queue.
 * Returns the exit status.
 */
static int
leave_same(const struct submit_options *r, const struct job_resubmit *same,
    int rc, const struct error *e)
{
	const struct store_job *job = r->plan->job;

	if (rc == 0 && same->answer == QUEUE_QUEUED)
		return CLI_YES;
	fail(r, e, 0);
	submit_message_unqueued(&r->report, job, same, rc == 1);
	return rc == 0 ? CLI_LATER : same->arrays > 0 ? CLI_NO : CLI_WRONG;
}

/*
 * With --new-code, copy the code of a stored job again if it has changed, and
 * load the job with the copy into *job, which is to be freed; without a change
 * *job stays.  Returns 0, or -1.
 */
static int
renew_code(const struct submit_options *r, const struct store *store,
    struct store_job **job, struct error *e)
{
	struct strlist differing = {0};
	struct store_job *loaded;
	int rc;

	if (!r->new_code)
		return 0;
	progress_begin("copying the code");
	rc = job_code_renew(
	    *job, store->path, r->report.dry_run, 1, &differing, e);
	progress_end();
	if (rc == 1)
		submit_message_copied(&r->report, *job, &differing);
	strlist_free(&differing);
	if (rc != 1 || r->report.dry_run)
		return rc == -1 ? -1 : 0;
	loaded = store_job_load(store, (*job)->name, e);
	if (loaded == NULL)
		return -1;
	store_job_free(*job);
	*job = loaded;
	return 0;
}

/* Warn that the tasks train without files that were added to the code. */
static void
warn_unseen(const struct submit_options *r, const struct store_job *job,
    const struct strlist *unseen)
{
	if (unseen->count > 0 && !r->report.quiet)
		r->report.warn(
		    "%s: the tasks train with the copy of its code, which does "
		    "not have the new file%s %s%s",
		    job->name, unseen->count > 1 ? "s" : "", unseen->word[0],
		    unseen->count > 1 ? " and others" : "");
}

/* Queue the tasks of a stored job that are not finished, running or pending. */
static int
submit_same(
    struct submit_options *r, const struct store *store, struct store_job **old)
{
	const struct job_resubmit_how how = {.look = r->report.dry_run};
	const struct job_resubmit_may may = {
	    .other_code = r->new_code || r->old_code};
	struct job_resubmit same = {0};
	struct strlist unseen = {0};
	struct error e;
	int rc, status;

	if (job_submit_batch(r->plan, store->path, r->program, &e) == -1 ||
	    job_resubmit_check(r->plan, *old, may, &unseen, &e) == -1 ||
	    (!r->report.dry_run &&
		job_preflight(store, *old, r->program, &e) == -1)) {
		strlist_free(&unseen);
		return fail(r, &e, CLI_WRONG);
	}
	warn_unseen(r, *old, &unseen);
	strlist_free(&unseen);
	proc_block();
	if (renew_code(r, store, old, &e) == -1)
		return fail(r, &e, cli_status(&e));
	rc = job_resubmit_queue(store, (*old)->name, &how, &same, &e);
	if (rc == 0 || same.arrays > 0)
		submit_message_same(&r->report, r->plan->job, &same);
	status =
	    rc == -1 ? fail(r, &e, CLI_WRONG) : leave_same(r, &same, rc, &e);
	job_resubmit_free(&same);
	return status;
}

/* ---- changing the points of a stored job (--sync) ---- */

/*
 * Ask whether to stop the running tasks of the dropped points.  Returns 0, or
 * an exit status: CLI_NO if the user refuses.
 */
static int
ask_sync(const struct submit_options *r, const struct store *store,
    const struct store_job *old, const struct job_sync *sync, struct error *e)
{
	const struct job_resubmit_how how = {
	    .look = 1, .sync = 1, .counted = &sync->dropped};
	struct job_resubmit now = {0};
	uint64_t count;
	int rc;

	if (r->yes || r->report.confirm == NULL || sync->dropped.count == 0)
		return 0;
	rc = job_resubmit_queue(store, old->name, &how, &now, e);
	count = now.counted_running;
	job_resubmit_free(&now);
	if (rc == -1)
		return CLI_WRONG;
	if (count == 0 ||
	    r->report.confirm("%s: stop %" PRIu64
			      " running task%s, whose point%s dropped?",
		old->name, count, count == 1 ? "" : "s",
		count == 1 ? " is" : "s are"))
		return 0;
	error_set(e, "%s: nothing is changed", old->name);
	return CLI_NO;
}

/* Record the wanted points.  Returns 0, or an exit status. */
static int
record_sync(struct submit_options *r, const struct store *store,
    struct store_job **old, struct job_sync *sync, struct error *e)
{
	int rc = CLI_WRONG;

	if (job_submit_batch(r->plan, store->path, r->program, e) == -1 ||
	    job_sync_compare(
		r->plan, *old, r->new_code || r->old_code, sync, e) == -1)
		return rc;
	if (r->report.dry_run)
		return renew_code(r, store, old, e) == -1 ? rc : 0;
	if (store_check_owner(store, e) == -1 ||
	    job_preflight(store, *old, r->program, e) == -1)
		return rc;
	rc = ask_sync(r, store, *old, sync, e);
	if (rc != 0)
		return rc;
	proc_block();
	if (renew_code(r, store, old, e) == -1)
		return cli_status(e);
	if (!job_sync_is_new(sync, r->plan, *old))
		return 0;
	rc = job_sync_record(sync, r->plan, *old, e);
	return rc == 1 ? CLI_LATER : rc == -1 ? cli_status(e) : 0;
}

static int
submit_sync(
    struct submit_options *r, const struct store *store, struct store_job **old)
{
	struct job_sync sync = {0};
	const struct job_resubmit_how how = {
	    .look = r->report.dry_run, .sync = 1, .counted = &sync.dropped};
	struct job_resubmit same = {0};
	struct error e;
	int status = record_sync(r, store, old, &sync, &e), rc;

	proc_block();
	warn_unseen(r, *old, &sync.unseen);
	if (status != 0) {
		fail(r, &e, 0);
	} else if ((rc = job_resubmit_queue(
			store, (*old)->name, &how, &same, &e)) == -1) {
		status = fail(r, &e, CLI_WRONG);
		r->report.warn(
		    "%s: run the same command again to stop and queue the "
		    "rest",
		    (*old)->name);
	} else {
		submit_message_sync(&r->report, *old, &sync, &same);
		status = leave_same(r, &same, rc, &e);
	}
	job_resubmit_free(&same);
	job_sync_free(&sync);
	return status;
}

/* Submit to a stored job: change its points, or queue the rest of its tasks. */
static int
submit_old(
    struct submit_options *r, const struct store *store, struct store_job **old)
{
	struct error e;

	if (job_location_begin(*old, &e) == -1)
		return fail(r, &e, CLI_WRONG);
	return r->sync ? submit_sync(r, store, old)
		       : submit_same(r, store, old);
}

/*
 * Load the stored job of the plan's name into *old; NULL if there is none.
 * Returns 0, or -1 if there must be a job.
 */
static int
stored_job(const struct submit_options *r, const struct store *store,
    struct store_job **old, struct error *e)
{
	const char *name = r->plan->job->name;
	const char *option = r->sync ? "--sync"
	    : r->new_code            ? "--new-code"
	    : r->old_code            ? "--old-code"
				     : NULL;

	*old = NULL;
	if (store != NULL && name != NULL)
		*old = store_job_load(store, name, e);
	if (*old != NULL)
		return 0;
	if (store != NULL && name != NULL && e->code == ERROR_DAMAGED)
		return -1; /* the damaged job may be another one */
	if (option == NULL)
		return 0;
	if (name == NULL)
		return error_set(
		    e, "%s: name the job with -J, as in -J conv2d", option);
	return store != NULL && e->code == ERROR_ABSENT
	    ? error_set(
		  e, "%s: no such job: submit it without %s", name, option)
	    : -1;
}

/* Find the jobs that the options name. */
static int
find_others(
    struct submit_options *r, const struct store *store, struct error *e)
{
	int rc = 0;

	if (r->after != NULL)
		rc = job_dependency_set(r->plan->job, store, r->after, e);
	if (rc == 0 && r->from_results != NULL)
		rc = submit_search_results(
		    r->plan, store, r->from_results, &r->report, e);
	return rc;
}

static int
dry_run(struct submit_options *r)
{
	struct store *store;
	struct store_job *old;
	struct error e;
	int status = CLI_YES;

	store = store_open(r->store, STORE_READ, &e);
	if ((store == NULL && e.code == ERROR_DAMAGED) ||
	    stored_job(r, store, &old, &e) == -1) {
		store_close(store);
		return fail(r, &e, CLI_WRONG);
	}
	if (find_others(r, store, &e) == -1 ||
	    (old == NULL && job_submit_name(r->plan, store, &e) == -1) ||
	    (!r->no_check && check_local(r, &e) == -1))
		status = CLI_WRONG;
	if (status == CLI_YES)
		status = check_cluster(r, &e);
	if (status == CLI_YES &&
	    (take_snapshot(r, &e) == -1 ||
		(old == NULL && show_plan(r, &e) == -1)))
		status = CLI_WRONG;
	if (status != CLI_YES)
		fail(r, &e, 0);
	else if (old != NULL)
		status = submit_old(r, store, &old);
	store_job_free(old);
	store_close(store);
	return status;
}

/* Store the job and queue it.  Returns the exit status. */
static int
submit_new(struct submit_options *r, const struct store *store)
{
	struct store_job *job = r->plan->job;
	struct error e;
	int rc, there, may_be;

	progress_begin("copying the code");
	rc = job_submit_store(r->plan, store, r->program, &e);
	there = rc == -1 && e.code == ERROR_EXISTS;
	may_be = rc == -1 && e.code == ERROR_MAY_EXIST;
	progress_end();
	if (rc == 0) {
		if (!r->no_snapshot)
			submit_message_no_copy(&r->report, job);
		return queue_job(r, store, job);
	}
	fail(r, &e, 0);
	if (there)
		submit_message_to_come(&r->report, job, job->tasks);
	return there || may_be ? CLI_LATER : cli_status(&e);
}

static int
submit(struct submit_options *r)
{
	struct store *store = NULL;
	struct store_job *old;
	struct error e;
	int status, rc;

	if (!r->no_check && check_local(r, &e) == -1)
		return fail(r, &e, CLI_WRONG);
	status = check_cluster(r, &e);
	if (status != CLI_YES)
		return fail(r, &e, status);
	progress_begin("looking at the code");
	rc = take_snapshot(r, &e);
	progress_end();
	if (rc == -1)
		return fail(r, &e, CLI_WRONG);
	store = store_open(r->store, r->sync ? STORE_WRITE : STORE_MAKE, &e);
	if (stored_job(r, store, &old, &e) == -1 ||
	    (store != NULL && find_others(r, store, &e) == -1))
		status = fail(r, &e, CLI_WRONG);
	else if (old != NULL)
		status = submit_old(r, store, &old);
	else
		status = store != NULL ? submit_new(r, store)
				       : fail(r, &e, CLI_WRONG);
	store_job_free(old);
	store_close(store);
	return status;
}

int
submit_job(struct submit_options *r)
{
	submit_message_doubts(
	    &r->report, r->plan->job, r->space, r->from_results != NULL);
	return r->report.dry_run ? dry_run(r) : submit(r);
}
