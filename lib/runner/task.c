#include <sys/stat.h>

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "control/chunk.h"
#include "control/search-end.h"
#include "control/stop-reason.h"
#include "job/checkpoint-dir.h"
#include "job/code.h"
#include "job/preflight.h"
#include "runner/point.h"
#include "runner/run-start.h"
#include "runner/supervise.h"
#include "runner/task.h"
#include "slurm/sbatch.h"
#include "state/resolve.h"
#include "store/directory.h"
#include "store/job.h"
#include "store/permissions.h"
#include "store/request.h"
#include "sys/proc.h"

/* The least seconds for which recording an end is retried. */
enum { PATIENCE = 10 };

/* Read a number that Slurm put into the environment; fallback if >= 0. */
static int
slurm_number(const char *name, int64_t fallback, int64_t *out, struct error *e)
{
	const char *text = getenv(name);

	if (text == NULL && fallback >= 0) {
		*out = fallback;
		return 0;
	}
	if (text == NULL)
		return error_set(
		    e, "%s is not set: this runs as a task of Slurm", name);
	return num_int(name, text, 0, UINT32_MAX, out, e);
}

/* Return how many GPUs Slurm allotted on all nodes, given those on this one. */
static uint64_t
gpus_allotted(uint64_t here, int64_t nodes)
{
	const char *all = getenv("SLURM_GPUS"), *each;
	struct sbatch_gpus type[8];
	int64_t tasks;
	int i, count;

	each = all != NULL ? NULL : getenv("SLURM_GPUS_PER_TASK");
	if (all == NULL && each == NULL)
		return here * (uint64_t)nodes;
	if (slurm_number("SLURM_NTASKS", 1, &tasks, NULL) == -1)
		return here;
	count = sbatch_gpus("--gpus", all != NULL ? all : each, type, 8, NULL);
	for (i = 0, here = 0; i < count; i++)
		here += type[i].count;
	return all != NULL ? here : here * (uint64_t)tasks;
}

/*
 * Return the GPUs of the run: "0,1" as they are numbered on this node, or
 * "0,1+6" with six more on other nodes.  To free, or NULL without GPUs.
 */
static char *
gpus_text(void)
{
	const char *cuda = getenv("CUDA_VISIBLE_DEVICES");
	const char *text = cuda != NULL ? cuda : getenv("SLURM_JOB_GPUS");
	uint64_t here = store_fact_gpus(text), all;
	int64_t nodes;

	if (here == 0 ||
	    slurm_number("SLURM_JOB_NUM_NODES", 1, &nodes, NULL) == -1)
		return xcopy(text);
	all = nodes > 1 ? gpus_allotted(here, nodes) : here;
	if (all <= here)
		return xstrdup(text);
	return xasprintf("%s+%" PRIu64, text, all - here);
}

/* Return the path of an open file, as the kernel sees it; to free, or NULL. */
static char *
file_of(int fd)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	if (n <= 0 || path[0] != '/')
		return NULL;
	path[n] = '\0';
	return xstrdup(path);
}

/* Return a string that Slurm put into the environment; to free, or NULL. */
static char *
slurm_text(const char *name)
{
	const char *value = getenv(name);

	return value == NULL || *value == '\0' || *value == '(' ||
		!text_is_utf8(value)
	    ? NULL
	    : xstrdup(value);
}

/* Find the attempt whose checkpoint directory is that of this run. */
static int
find_origin(struct job_run *r, struct error *e)
{
	struct store_chunks chunks;
	int rc = 0;

	r->task.origin = r->fact.attempt;
	if (!r->chunk.resume)
		return 0;
	if (store_chunks_list(r->job, &chunks, e) == -1)
		return -1;
	r->task.origin =
	    job_checkpoint_origin(&chunks, r->fact.task, r->fact.attempt);
	if (!job_checkpoint_is_known(&chunks, r->fact.task, r->fact.attempt))
		rc = store_directory_whole(&chunks.damaged, e);
	store_chunks_free(&chunks);
	return rc;
}

int
job_run_open(
    struct job_run *r, char *const words[3], uint64_t number, struct error *e)
{
	int64_t array, index, restart;
	uint64_t first;

	*r = (struct job_run){
	    .program = r->program, .say = r->say, .warn = r->warn};
	r->body = store_fact_body();
	if (slurm_number("SLURM_ARRAY_JOB_ID", -1, &array, e) == -1 ||
	    slurm_number("SLURM_ARRAY_TASK_ID", -1, &index, e) == -1 ||
	    slurm_number("SLURM_RESTART_COUNT", 0, &restart, e) == -1)
		return -1;
	r->array = (uint32_t)array;
	r->index = (uint32_t)index;
	r->job = store_job_load_path(words[0], e);
	if (r->job == NULL)
		return -1;
	if (strcmp(r->job->id, words[1]) != 0)
		return error_set(
		    e, "%s: another job has this name by now", r->job->name);
	if (store_chunk_read(r->job, words[2], &r->chunk, e) == -1)
		return -1;
	r->packed = store_chunk_packed(
	    &r->chunk, store_chunk_place(&r->chunk, r->index), &first);
	if (number >= r->packed)
		return error_set(
		    e, "%s: no task has index %" PRIu32, words[2], r->index);
	r->fact.task = idset_at(&r->chunk.tasks, first + number);
	r->fact.attempt = r->chunk.attempt;
	r->fact.restart = (uint32_t)restart;
	r->task = (struct job_task){.job = r->job,
	    .task = r->fact.task,
	    .attempt = r->fact.attempt,
	    .restart = r->fact.restart,
	    .code = r->chunk.code};
	if (store_code_use(r->job, r->chunk.code, e) == -1 ||
	    find_origin(r, e) == -1)
		return -1;
	r->points = job_points_open_few(r->job, e);
	return r->points != NULL ? run_point_open(r, e) : -1;
}

void
job_run_free(struct job_run *r)
{
	store_fact_body_free(&r->body);
	job_points_free(r->points);
	store_chunk_free(&r->chunk);
	store_job_free(r->job);
}

/* Redirect one descriptor from "4102_3.log" to "4102_3.task17.log": 0 or -1. */
static int
redirect(int fd, uint64_t task, struct error *e)
{
	char *path = file_of(fd), *own;
	struct stat st;
	int file, rc;

	if (path == NULL || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode)) {
		free(path);
		return 0;
	}
	if (text_ends(path, ".log"))
		own = xasprintf("%.*s.task%" PRIu64 ".log",
		    (int)strlen(path) - 4, path, task);
	else
		own = xasprintf("%s.task%" PRIu64, path, task);
	file = open(own, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	rc = file == -1 || dup2(file, fd) == -1 ? error_errno(e, "%s", own) : 0;
	free(path);
	free(own);
	if (file != -1)
		close(file);
	return rc;
}

int
job_run_redirect(const struct job_run *r, struct error *e)
{
	char *out = file_of(STDOUT_FILENO), *err = file_of(STDERR_FILENO);
	int one = out != NULL && err != NULL && strcmp(out, err) == 0;

	free(out);
	free(err);
	if (redirect(STDOUT_FILENO, r->fact.task, e) == -1)
		return -1;
	if (!one)
		return redirect(STDERR_FILENO, r->fact.task, e);
	return dup2(STDOUT_FILENO, STDERR_FILENO) == -1
	    ? error_errno(e, "standard error")
	    : 0;
}

static int
is_own(const void *arg, uint64_t task, uint32_t attempt)
{
	const struct store_fact *own = arg;

	return task == own->task && attempt == own->attempt;
}

int
job_run_is_unwanted(const struct job_run *r, struct error *e)
{
	struct store_requests stops;
	int stopped;

	if (store_requests_needed(
		r->job, STORE_STOPS, is_own, &r->fact, &stops, e) == -1)
		return -1;
	stopped = store_stop_is_asked(&stops, r->fact.task, r->fact.attempt);
	if (!stopped) /* a damaged request may be about any task */
		stopped = store_directory_whole(&stops.damaged, e);
	store_requests_free(&stops);
	return stopped;
}

char *
job_run_stop_reason(const struct job_run *r)
{
	const struct store_request *stop;
	struct store_requests stops;
	char *why = NULL;

	if (store_requests_needed(
		r->job, STORE_STOPS, is_own, &r->fact, &stops, NULL) == -1)
		return NULL;
	stop = store_stop_for(&stops, r->fact.task, r->fact.attempt, NULL);
	if (stop != NULL)
		why = xcopy(stop->why);
	store_requests_free(&stops);
	return why;
}

/*
 * Return whether a chunk was made after the submission.  The other chunks are
 * many, and have no newer attempts.
 */
static int
is_queued_again(const char *name, const void *arg)
{
	const struct store_chunk c = {.name = (char *)(uintptr_t)name};

	return *name == 'c' && job_chunk_number(&c) >= *(const size_t *)arg;
}

/*
 * Return whether the task was restarted: then Slurm has requeued a run that was
 * over, or starts one that it had forgotten, and another attempt trains.
 */
static int
is_outdated(const struct job_run *r, struct error *e)
{
	size_t submitted = job_chunk_first_count(r->job), i;
	struct store_chunks chunks;
	const struct store_chunk *c;
	int found = 0;

	if (store_chunks_some(
		r->job, is_queued_again, &submitted, &chunks, e) == -1)
		return -1;
	for (i = 0; i < chunks.count; i++) {
		c = &chunks.chunk[i];
		found |= c->attempt > r->fact.attempt &&
		    !store_chunk_gave_up(&chunks, c, r->fact.task) &&
		    idset_has(&c->tasks, r->fact.task);
	}
	if (!found)
		found = store_directory_whole(&chunks.damaged, e);
	store_chunks_free(&chunks);
	if (found == 1)
		error_set(e, "%s/%" PRIu64 " has a newer attempt", r->job->name,
		    r->fact.task);
	return found;
}

int
job_run_is_spared(const struct job_run *r, struct error *e)
{
	struct store_requests stops;
	int spared;

	if (r->fact.attempt == 0)
		return 0;
	if (store_requests_needed(
		r->job, STORE_STOPS, is_own, &r->fact, &stops, e) == -1)
		return -1;
	spared = store_directory_whole(&stops.damaged, e);
	if (spared == 0)
		spared = job_search_has_stopped(
		    &stops, r->fact.task, r->fact.attempt);
	store_requests_free(&stops);
	return spared;
}

/*
 * Return whether the search of the job is over, after a stop request for the
 * task says so; 0, or -1.
 */
static int
is_too_late(const struct job_run *r, struct error *e)
{
	struct store_request stop = {.kind = STORE_REQUEST_STOP,
	    .by_search = 1,
	    .attempt = r->fact.attempt};
	char *why;
	int rc = job_run_is_spared(r, e);

	if (rc != 0)
		return rc == -1 ? -1 : 0; /* the user wants it */
	rc = job_search_ended(r->job, &why, e);
	if (rc != 1)
		return rc;
	stop.why = why;
	idset_add(&stop.tasks, r->fact.task, r->fact.task);
	if (store_request_add(r->job, &stop, 1, e) == -1)
		rc = -1;
	else
		error_set(e, "%s", why);
	idset_free(&stop.tasks);
	free(why);
	return rc;
}

int
job_run_may_train(struct job_run *r, struct error *e)
{
	uint32_t holder = r->chunk.array ? r->chunk.array : r->array;
	int stopped;

	if (r->chunk.array == 0 &&
	    store_claim(r->job, r->chunk.name, &holder, e) == -1)
		return -1;
	if (holder != r->array) {
		error_set(e,
		    "array %" PRIu32 " does not have these tasks and ends here",
		    r->array);
		return 0;
	}
	stopped = is_outdated(r, e);
	if (stopped != 0)
		return stopped == -1 ? -1 : 0;
	stopped = job_run_is_unwanted(r, e);
	r->unwanted = stopped == 1;
	if (stopped == 1)
		error_set(e, "%s/%" PRIu64 " was stopped before it started",
		    r->job->name, r->fact.task);
	if (stopped == 0)
		r->unwanted = (stopped = is_too_late(r, e)) == 1;
	return stopped == -1 ? -1 : !stopped;
}

int
job_run_is_safe(const struct job_run *r, struct error *e)
{
	if (store_permissions_check_job(r->job, e) == -1)
		return -1;
	return store_permissions_check_chunk(r->job, r->chunk.name, e);
}

int
job_run_is_sound(const struct job_run *r, struct error *e)
{
	if (job_preflight_script(r->job, e) == -1)
		return -1;
	return job_code_is_complete(r->job, e);
}

int64_t
job_run_earlier(const struct job_run *r)
{
	struct store_facts facts;
	const struct store_fact *f;
	int64_t count = 0;
	size_t i;

	if (store_facts_of(r->job, r->fact.task, &facts, NULL) == -1)
		return r->fact.restart;
	for (i = 0; i < facts.count; i++) {
		f = &facts.fact[i];
		count += f->attempt >= r->task.origin && f->kind[0] == 'S';
	}
	/* Runs of a population that begin with a new point are no requeues. */
	for (i = 0; i < facts.search_count; i++) {
		f = &facts.search[i];
		count -= f->attempt >= r->task.origin && f->kind[0] == 'P' &&
		    f->restart > 0;
	}
	store_facts_free(&facts);
	return count > 0 ? count - 1 : 0;
}

void
job_run_close(const struct job_run *r)
{
	static const int logs[] = {STDOUT_FILENO, STDERR_FILENO};
	mode_t mask = S_IWGRP | S_IWOTH, old;
	size_t n = strlen(r->job->path), i;
	char text[16], *path;
	struct stat st;

	/*
	 * A training may continue from the files that it writes into the store.
	 * A group with other members could replace them, so it may not write.
	 */
	if (fs_ops.fstat(r->job->dir, &st) == 0 && st.st_gid == getegid() &&
	    st.st_gid == (gid_t)geteuid())
		mask = S_IWOTH;
	old = umask(mask);
	umask(old | mask);
	if (getenv("SLURM_UMASK") != NULL) { /* srun uses this one */
		snprintf(text, sizeof text, "%04o", (unsigned)(old | mask));
		setenv("SLURM_UMASK", text, 1);
	}
	/* Slurm has created the logs already. */
	for (i = 0; i < sizeof logs / sizeof *logs; i++) {
		path = file_of(logs[i]);
		if (path != NULL && strncmp(path, r->job->path, n) == 0 &&
		    path[n] == '/' && fs_ops.fstat(logs[i], &st) == 0 &&
		    S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		    (st.st_mode & mask) != 0)
			fchmod(logs[i], st.st_mode & 07777 & ~mask);
		free(path);
	}
}

int
job_run_places(const struct job_run *r, struct error *e)
{
	char *path = job_argv_checkpoint(&r->task), *results;
	int rc = fs_make_dirs_mode(path, FS_PROGRAM, e);

	free(path);
	if (rc == 0 && strcmp(r->job->args, "positional") == 0) {
		results = job_argv_results(&r->task);
		path = fs_join(r->job->directory, results);
		if (fs_exists(r->job->directory))
			rc = fs_make_dirs(path, e);
		free(results);
		free(path);
	}
	return rc;
}

void
job_run_describe(struct job_run *r)
{
	const char *node = getenv("SLURMD_NODENAME");
	char host[256] = "";

	r->body.slurm = xasprintf("%" PRIu32 "_%" PRIu32, r->array, r->index);
	if (node == NULL)
		gethostname(host, sizeof host - 1);
	r->body.node = xstrdup(node != NULL ? node : host);
	r->body.gpus = gpus_text();
	r->body.account = slurm_text("SLURM_JOB_ACCOUNT");
	r->body.qos = slurm_text("SLURM_JOB_QOS");
	r->body.log = file_of(STDOUT_FILENO);
	r->task.log = r->body.log;
	r->body.err = file_of(STDERR_FILENO);
	if (r->body.err != NULL && r->body.log != NULL &&
	    strcmp(r->body.err, r->body.log) == 0) {
		free(r->body.err);
		r->body.err = NULL;
	}
}

int
job_run_starts(struct job_run *r, struct error *e)
{
	int64_t patience;
	int rc;

	r->body.time = time(NULL);
	if (job_grace(&patience, e) == -1)
		return -1;
	rc = run_start(r->job, &r->fact, &r->body, patience, &r->body.exit, e);
	r->task.restart = r->fact.restart;
	if (rc == 0)
		error_set(e,
		    "%s/%" PRIu64 " was trained already; Slurm started it "
		    "once more",
		    r->job->name, r->fact.task);
	return rc;
}

int
job_run_ends(
    struct job_run *r, const char *kind, int64_t patience, struct error *e)
{
	int64_t until = proc_clock() + patience * 1000, tries = 0;
	struct timespec nap = {1, 0};

	snprintf(r->fact.kind, sizeof r->fact.kind, "%s", kind);
	/* Each try takes a second or more. */
	while (tries < PATIENCE ||
	    (tries < patience && job_supervise_asked() == 0 &&
		proc_clock() < until)) {
		if (store_fact_publish(r->job, &r->fact, &r->body, e) != -1)
			return 0;
		nanosleep(&nap, NULL);
		tries++;
	}
	return -1;
}
