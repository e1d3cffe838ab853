/*
 * stfm-run - train one task: the program in the batch script.
 *
 * stfm-run JOB-DIRECTORY ID CHUNK
 *
 * It runs on a compute node as one task of a Slurm array: makes sure that the
 * array is the one that may train, says that the training started, starts it,
 * passes signals on, and says how it ended.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "fs.h"
#include "job-args.h"
#include "job-attend.h"
#include "job-points.h"
#include "num.h"
#include "store-chunk.h"
#include "store-fact.h"
#include "store-wish.h"
#include "xalloc.h"

extern char **environ;

struct run {
	struct store_job *job;
	struct store_chunk chunk;
	struct job_points *points;
	struct job_task task;
	struct store_fact fact;
	struct store_fact_body body;
	uint32_t array;
	int64_t index;
	struct words command, environment;
};

/* A number that Slurm put into the environment. */
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

static char *
environment_text(const char *first, const char *second)
{
	const char *text = getenv(first);

	if (text == NULL)
		text = getenv(second);
	return text != NULL ? xstrdup(text) : NULL;
}

/* The file behind a descriptor, as the kernel sees it; to free, or NULL. */
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

static char *
node_name(void)
{
	char host[256] = "";
	const char *slurm = getenv("SLURMD_NODENAME");

	if (slurm != NULL)
		return xstrdup(slurm);
	gethostname(host, sizeof host - 1);
	return xstrdup(host);
}

/* Who we are: the job, the chunk, the task and its point. */
static int
identify(struct run *r, char *const words[3], struct error *e)
{
	int64_t array, restart;

	if (slurm_number("SLURM_ARRAY_JOB_ID", -1, &array, e) == -1 ||
	    slurm_number("SLURM_ARRAY_TASK_ID", -1, &r->index, e) == -1 ||
	    slurm_number("SLURM_RESTART_COUNT", 0, &restart, e) == -1)
		return -1;
	r->array = (uint32_t)array;
	r->job = store_job_load_path(words[0], e);
	if (r->job == NULL)
		return -1;
	if (strcmp(r->job->id, words[1]) != 0)
		return error_set(
		    e, "%s: another job has this name by now", r->job->name);
	if (store_chunk_read(r->job, words[2], &r->chunk, e) == -1)
		return -1;
	if ((uint64_t)r->index >= ranges_size(&r->chunk.tasks))
		return error_set(
		    e, "%s: no task has index %" PRId64, words[2], r->index);
	r->fact.task = ranges_at(&r->chunk.tasks, (uint64_t)r->index);
	r->fact.attempt = r->chunk.attempt;
	r->fact.restart = (uint32_t)restart;
	r->task =
	    (struct job_task){r->job, r->fact.task, r->fact.attempt, NULL};
	r->points = job_points_open(r->job, e);
	if (r->points != NULL)
		r->task.value = job_points_get(r->points, r->fact.task, e);
	return r->task.value != NULL ? 0 : -1;
}

/*
 * The fence: 1 when this array holds the claim of its chunk and nobody wished
 * the task to stop, 0 when it must not train.
 */
static int
may_train(struct run *r, struct error *e)
{
	struct store_wishes wishes;
	uint32_t holder = r->chunk.array ? r->chunk.array : r->array;
	int wished;

	if (r->chunk.array == 0 &&
	    store_claim(r->job, r->chunk.name, &holder, e) == -1)
		return -1;
	if (holder != r->array) {
		printf("stfm-run: array %" PRIu32 " does not have these tasks "
		       "and ends here\n",
		    r->array);
		return 0;
	}
	if (store_wishes_list(r->job, &wishes, e) == -1)
		return -1;
	wished = store_wished(&wishes, r->fact.task, r->fact.attempt);
	store_wishes_free(&wishes);
	if (wished)
		printf("stfm-run: %s/%" PRIu64 " was stopped before it "
		       "started\n",
		    r->job->name, r->fact.task);
	return !wished;
}

static int
make_places(struct run *r, struct error *e)
{
	char *path = job_args_checkpoint(&r->task), *results;
	int rc = fs_make_dirs(path, e);

	free(path);
	if (rc == 0 && strcmp(r->job->args, "positional") == 0) {
		results = job_args_results(&r->task);
		path = fs_join(r->job->directory, results);
		if (fs_exists(r->job->directory))
			rc = fs_make_dirs(path, e);
		free(results);
		free(path);
	}
	return rc;
}

static int
publish_start(struct run *r, struct error *e)
{
	snprintf(r->fact.kind, sizeof r->fact.kind, "S");
	r->body.slurm = xasprintf("%" PRIu32 "_%" PRId64, r->array, r->index);
	r->body.node = node_name();
	r->body.gpus =
	    environment_text("CUDA_VISIBLE_DEVICES", "SLURM_JOB_GPUS");
	r->body.log = file_of(STDOUT_FILENO);
	r->body.err = file_of(STDERR_FILENO);
	if (r->body.err != NULL && r->body.log != NULL &&
	    strcmp(r->body.err, r->body.log) == 0) {
		free(r->body.err);
		r->body.err = NULL;
	}
	r->body.time = time(NULL);
	return store_fact_publish(r->job, &r->fact, &r->body, e) == -1 ? -1 : 0;
}

/* An end that does not get out is tried again: a file system can be full. */
static int
publish_end(struct run *r, struct error *e)
{
	struct timespec nap = {1, 0};
	int rc, tries;

	snprintf(r->fact.kind, sizeof r->fact.kind, "E%" PRId64, r->body.exit);
	for (tries = 0; tries < 10; tries++) {
		rc = store_fact_publish(r->job, &r->fact, &r->body, e);
		if (rc != -1)
			return 0;
		nanosleep(&nap, NULL);
	}
	return -1;
}

static int64_t
milliseconds(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000 + t->tv_usec / 1000;
}

static void
measure(struct store_fact_body *body)
{
	struct rusage used;

	if (getrusage(RUSAGE_CHILDREN, &used) == -1)
		return;
	body->memory = (int64_t)used.ru_maxrss * 1024;
	body->cpu = milliseconds(&used.ru_utime) + milliseconds(&used.ru_stime);
}

/* It did not train, for this reason, which is taken over. */
static void
give_up(struct run *r, char *reason, int64_t code)
{
	r->body.reason = reason;
	r->body.exit = code;
	cli_warn("%s", reason);
}

/* The exit code that a shell has for a command that could not be started. */
static int
code_of(int number)
{
	return number == ENOENT ? 127 : 126;
}

/* Run the training to its end and fill in how it went. */
static void
train(struct run *r)
{
	struct job_attend how = {
	    .command = r->command.word, .environment = r->environment.word};
	struct job_attended end = {0};
	struct error e;

	r->body.start = r->body.time;
	fflush(stdout);
	if (chdir(r->job->directory) == -1)
		give_up(r,
		    xasprintf("%s: cannot go to this directory here: %s",
			r->job->directory, strerror(errno)),
		    CLI_LATER);
	else if (job_attend(&how, &end, &e) == -1)
		give_up(r, xstrdup(e.text), code_of(errno));
	else
		r->body.exit = end.exit;
	r->body.signal = end.signal;
	r->body.asked = end.asked;
	r->body.time = time(NULL);
	measure(&r->body);
}

/* The checkpoint directory was made on demand: an unused one goes. */
static void
tidy(struct run *r)
{
	char *path = job_args_checkpoint(&r->task);

	rmdir(path);
	free(path);
}

static const struct cli_option options[] = {{0}};
static const struct cli command = {"stfm-run", "train one task inside Slurm",
    "JOB-DIRECTORY ID CHUNK",
    "  Started by the batch scripts of stfm-submit, not by people.\n", options,
    1};

static void
run_free(struct run *r)
{
	words_free(&r->command);
	words_free(&r->environment);
	store_fact_body_free(&r->body);
	job_points_free(r->points);
	store_chunk_free(&r->chunk);
	store_job_free(r->job);
}

/* The life of the task: an exit status, that of the training if it trained. */
static int
live(struct run *r, char *const words[3])
{
	struct error e;
	int go;

	if (identify(r, words, &e) == -1)
		return cli_fail(&e, CLI_LATER);
	go = may_train(r, &e);
	if (go == 0)
		return CLI_YES;
	if (go == -1 || make_places(r, &e) == -1 || publish_start(r, &e) == -1)
		return cli_fail(&e, CLI_LATER);
	job_args_words(&r->task, &r->command);
	job_args_environment(&r->task, environ, &r->environment);
	train(r);
	tidy(r);
	if (publish_end(r, &e) == -1)
		cli_fail(&e, 0);
	return (int)r->body.exit;
}

int
main(int argc, char **argv)
{
	struct run r = {.body = store_fact_body()};
	int opt, status;

	cli_start(&command);
	opt = cli_next(&command, argc, argv);
	if (opt != CLI_END)
		return opt == CLI_SHOWN ? cli_finish(CLI_YES) : CLI_WRONG;
	if (argc - optind != 3)
		return cli_usage(&command);
	status = live(&r, argv + optind);
	run_free(&r);
	return status;
}
