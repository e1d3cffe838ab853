#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job-container.h"
#include "job-inside.h"
#include "job-place.h"
#include "job-run.h"
#include "num.h"
#include "store-job.h"
#include "xalloc.h"

extern char **environ;

/* No environment or command line is larger. */
enum { LIMIT = 16 << 20 };

/* How a process comes from the training: the more, the better it speaks. */
enum { OTHER = 1, STARTED = 2, RANK = 3 };

/* A process of the training. */
struct process {
	int manner;
	int64_t rank, start;
	struct words environment;
};

/* ---- what the kernel has of a process ---- */

/* Its texts in a file that separates them by NULs; 0, or -1. */
static int
read_texts(const char *pid, const char *name, struct words *out)
{
	char *path = xasprintf("/proc/%s/%s", pid, name), *text;
	size_t length, at;
	int rc = fs_read_path(path, LIMIT, &text, &length, NULL);

	free(path);
	if (rc == -1)
		return -1;
	for (at = 0; at < length; at += strlen(text + at) + 1)
		words_push(out, text + at);
	free(text);
	return 0;
}

/* Its parent and when it started; 0, or -1. */
static int
read_stat(const char *pid, int *parent, int64_t *start)
{
	char *path = xasprintf("/proc/%s/stat", pid), *text, *at;
	unsigned long long since;
	int rc = fs_read_path(path, LIMIT, &text, NULL, NULL);

	free(path);
	if (rc == -1)
		return -1;
	at = strrchr(text, ')'); /* its name can be anything */
	rc = at != NULL &&
		sscanf(at + 1,
		    " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u "
		    "%*d %*d %*d %*d %*d %*d %llu",
		    parent, &since) == 2
	    ? 0
	    : -1;
	if (rc == 0)
		*start = (int64_t)since;
	free(text);
	return rc;
}

static int
has(const struct words *environment, const char *name, const char *value)
{
	const char *its = words_value(environment, name);

	return its != NULL && value != NULL && strcmp(its, value) == 0;
}

/* Whether a process is the program around a training: then STARTED or RANK. */
static int
is_around(const char *pid)
{
	struct words line = {0};
	int manner = 0;

	if (read_texts(pid, "cmdline", &line) == 0 && line.count > 1 &&
	    strncmp(fs_base(line.word[0]), "stfm-run", 8) == 0)
		manner = strcmp(line.word[1], "rank") == 0 ? RANK : STARTED;
	words_free(&line);
	return manner;
}

/* ---- finding the training ---- */

/* Whether it is of our task, on our node; so is the program around it. */
static int
is_near(const struct words *environment, char *const words[])
{
	return has(environment, "SLURM_JOB_ID", getenv("SLURM_JOB_ID")) &&
	    has(environment, "SLURMD_NODENAME", getenv("SLURMD_NODENAME")) &&
	    has(environment, "SLURM_ARRAY_JOB_ID", words[JOB_INSIDE_ARRAY]) &&
	    has(environment, "SLURM_ARRAY_TASK_ID", words[JOB_INSIDE_INDEX]);
}

/* Whether it is of the rank; one of no step is of none. */
static int
is_of_rank(const struct words *environment, const char *rank)
{
	return strcmp(rank, "-") == 0 ||
	    (words_value(environment, "SLURM_STEP_ID") != NULL &&
		has(environment, "SLURM_PROCID", rank));
}

/* Look at a process: whether it is one of the training. */
static int
look(const char *pid, char *const words[], struct process *p)
{
	char parent_id[32];
	const char *rank;
	int parent;

	memset(p, 0, sizeof *p);
	if (read_texts(pid, "environ", &p->environment) == -1 ||
	    !is_near(&p->environment, words) ||
	    !has(&p->environment, "STFM_TASK", words[JOB_INSIDE_TASK]) ||
	    !is_of_rank(&p->environment, words[JOB_INSIDE_RANK]) ||
	    is_around(pid) || read_stat(pid, &parent, &p->start) == -1) {
		words_free(&p->environment);
		return 0;
	}
	snprintf(parent_id, sizeof parent_id, "%d", parent);
	p->manner = is_around(parent_id);
	if (p->manner == 0)
		p->manner = OTHER;
	rank = words_value(&p->environment, "SLURM_PROCID");
	if (rank == NULL || num_int("", rank, 0, INT64_MAX, &p->rank, NULL))
		p->rank = 0;
	return 1;
}

static int
is_better(const struct process *a, const struct process *b)
{
	if (a->manner != b->manner)
		return a->manner > b->manner;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->start < b->start;
}

/* Find the process that speaks for the training: 1, 0, or -1. */
static int
find(char *const words[], struct process *best, struct error *e)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	struct process p;

	memset(best, 0, sizeof *best);
	if (getenv("SLURM_JOB_ID") == NULL)
		error_set(e, "SLURM_JOB_ID is not set: this runs in a step");
	else if (proc == NULL)
		error_errno(e, "/proc");
	if (proc == NULL || getenv("SLURM_JOB_ID") == NULL) {
		if (proc != NULL)
			closedir(proc);
		return -1;
	}
	while ((entry = readdir(proc)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !look(entry->d_name, words, &p))
			continue;
		if (best->manner == 0 || is_better(&p, best)) {
			words_free(&best->environment);
			*best = p;
		} else {
			words_free(&p.environment);
		}
	}
	closedir(proc);
	return best->manner != 0;
}

int
job_inside_is_here(char *const words[], struct error *e)
{
	struct process p;
	int found = find(words, &p, e);

	words_free(&p.environment);
	return found;
}

/* ---- around the training ---- */

/* Whether it is the program around a training, or around its rank. */
static int
look_around(const char *pid, char *const words[], const char *rank,
    struct words *environment)
{
	if (is_around(pid) == (rank != NULL ? RANK : STARTED) &&
	    read_texts(pid, "environ", environment) == 0 &&
	    is_near(environment, words) &&
	    (rank == NULL || has(environment, "SLURM_PROCID", rank)))
		return 1;
	words_free(environment);
	return 0;
}

/* What the container has made of it, and has to be outside again. */
static int
is_of_container(const char *variable)
{
	static const char *const own[] = {"APPTAINER", "SINGULARITY", "ENROOT"};
	size_t i;

	for (i = 0; i < sizeof own / sizeof *own; i++)
		if (strncmp(variable, own[i], strlen(own[i])) == 0)
			return 1;
	return 0;
}

/* Find it: whether it is here; pid is where to put its number. */
static int
find_around(char *const words[], const char *rank, char pid[32],
    struct words *environment)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int found = 0;

	while (proc != NULL && !found && (entry = readdir(proc)) != NULL) {
		found = isdigit((unsigned char)entry->d_name[0]) &&
		    look_around(entry->d_name, words, rank, environment);
		if (found)
			snprintf(pid, 32, "%.31s", entry->d_name);
	}
	if (proc != NULL)
		closedir(proc);
	return found;
}

/*
 * A process in a container has the container's PATH.  Outside of it the
 * training was started with the environment of the program around it, and what
 * else it has.
 */
static void
leave_container(
    const struct store_job *job, char *const words[], struct words *environment)
{
	const char *rank =
	    job->dist != NULL ? words_value(environment, "SLURM_PROCID") : NULL;
	struct words around = {0};
	char pid[32], *name;
	size_t i;

	if (!find_around(words, rank, pid, &around))
		return;
	for (i = 0; i < environment->count; i++) {
		name = xstrndup(
		    environment->word[i], strcspn(environment->word[i], "="));
		if (words_value(&around, name) == NULL &&
		    !is_of_container(name))
			words_push(&around, environment->word[i]);
		free(name);
	}
	words_free(environment);
	*environment = around;
}

/* Open the run that is meant, of those at its index: whether that went well. */
static int
open_run(struct job_run *run, char *const words[], const struct words *line)
{
	size_t at = line->count == 6 ? 3 : 1; /* "beside", and a number */
	uint64_t number = 0;
	int64_t task;

	if ((line->count != 4 && line->count != 6) ||
	    num_int("", words[JOB_INSIDE_TASK], 0, INT64_MAX, &task, NULL))
		return 0;
	while (job_run_open(run, line->word + at, number++, NULL) == 0) {
		if (run->fact.task == (uint64_t)task)
			return 1;
		job_run_free(run);
		*run = (struct job_run){.program = ""};
	}
	return 0;
}

/*
 * Programs that show a title of their own write it over their environment.
 * What they were given is made once more then, as the program around them did:
 * 1, or 0 where that is not here.
 */
static int
make_again(char *const words[], struct words *environment)
{
	struct words around = {0}, line = {0};
	struct job_run run = {.program = ""};
	char pid[32], **before = environ;
	int made = 0;

	if (!find_around(words, NULL, pid, &around))
		return 0;
	environ = around.word;
	if (read_texts(pid, "cmdline", &line) == 0 &&
	    open_run(&run, words, &line)) {
		job_args_environment(&run.task, around.word, environment);
		job_place_environment(run.job, environment);
		made = 1;
	}
	environ = before;
	job_run_free(&run);
	words_free(&around);
	words_free(&line);
	return made;
}

/* ---- becoming the command ---- */

/* What is of the terminal comes from who sits at it. */
static void
take_terminal(struct words *environment)
{
	static const char *const names[] = {"TERM", "COLORTERM"};
	const char *value;
	size_t i, k;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		value = getenv(names[i]);
		if (value == NULL)
			continue;
		for (k = environment->count; k-- > 0;)
			if (words_value(environment, names[i]) ==
			    environment->word[k] + strlen(names[i]) + 1)
				words_drop(environment, k);
		words_take(environment, xasprintf("%s=%s", names[i], value));
	}
}

/* The command, or a shell: that of the training, where that has one. */
static void
add_command(const struct store_job *job, char *const command[],
    const struct words *environment, struct words *out)
{
	const char *shell = words_value(environment, "SHELL");

	if (*command == NULL && shell != NULL && *shell == '/' &&
	    job->container == NULL && access(shell, X_OK) == 0)
		words_push(out, shell);
	else if (*command == NULL)
		words_push(out, "/bin/sh");
	for (; *command != NULL; command++)
		words_push(out, *command);
}

static int
start(const struct store_job *job, char *const command[],
    struct words *environment, struct error *e)
{
	struct words all = {0};
	int number;

	environ = environment->word; /* PATH is that of the training, too */
	add_command(job, command, environment, &all);
	if (!job_container_by_srun(job)) /* into which there is no way */
		job_container_wrap(job, job_container_gpus(), &all);
	execvp(all.word[0], all.word);
	number = errno;
	error_errno(e, "%s: cannot start", all.word[0]);
	words_free(&all);
	errno = number;
	return -1;
}

static int
refuse(const struct store_job *job, char *const words[], struct error *e)
{
	const char *node = getenv("SLURMD_NODENAME");

	if (strcmp(words[JOB_INSIDE_RANK], "-") != 0)
		return error_set(e, "rank %s of %s does not run on %s",
		    words[JOB_INSIDE_RANK], job->name, node);
	return error_set(e,
	    "%s: no process of the training is on %s now, whose environment "
	    "could be had",
	    job->name, node);
}

/* In the directory of the training: -1, with errno of the command alone. */
static int
go(const struct store_job *job, char *const words[], struct words *environment,
    struct error *e)
{
	char *place = store_job_place(job);
	int rc = chdir(place);

	if (rc == -1)
		error_errno(e, "%s: cannot go there", place);
	free(place);
	take_terminal(environment);
	if (rc == 0)
		return start(job, words + JOB_INSIDE_COMMAND, environment, e);
	errno = EIO;
	return -1;
}

int
job_inside(char *const words[], struct error *e)
{
	struct store_job *job = store_job_load_path(words[JOB_INSIDE_JOB], e);
	struct process p = {0};
	int number = EIO, found = -1;

	if (job != NULL && strcmp(job->id, words[JOB_INSIDE_ID]) == 0)
		found = find(words, &p, e);
	else if (job != NULL)
		error_set(e, "%s: another job has this name by now", job->name);
	if (found == 0 && strcmp(words[JOB_INSIDE_RANK], "-") == 0 &&
	    job->dist == NULL)
		found = make_again(words, &p.environment);
	if (found == 0)
		refuse(job, words, e);
	if (found == 1 && job->container != NULL)
		leave_container(job, words, &p.environment);
	if (found == 1) {
		go(job, words, &p.environment, e);
		number = errno;
	}
	words_free(&p.environment);
	store_job_free(job);
	errno = number;
	return -1;
}
