#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "job/container.h"
#include "job/workdir.h"
#include "runner/attach-node.h"
#include "runner/task.h"
#include "store/job.h"
#include "sys/proc-table.h"

extern char **environ;

/* How a process comes from the training: the more, the better it speaks. */
enum { OTHER = 1, STARTED = 2, RANK = 3 };

/* A process of the training. */
struct process {
	int manner;
	int64_t rank, start;
	struct strlist environment;
};

/* ---- what the kernel has of a process ---- */

/* Its texts in a file that separates them by NULs; 0, or -1. */
static int
read_texts(pid_t pid, const char *name, struct strlist *out)
{
	size_t length, at;
	char *text = proc_file(pid, name, &length);

	if (text == NULL)
		return -1;
	for (at = 0; at < length; at += strlen(text + at) + 1)
		strlist_push(out, text + at);
	free(text);
	return 0;
}

static int
has(const struct strlist *environment, const char *name, const char *value)
{
	const char *its = strlist_value(environment, name);

	return its != NULL && value != NULL && strcmp(its, value) == 0;
}

/* Whether a process is the program around a training: then STARTED or RANK. */
static int
is_around(pid_t pid)
{
	struct strlist line = {0};
	int manner = 0;

	if (read_texts(pid, "cmdline", &line) == 0 && line.count > 1 &&
	    strncmp(fs_base(line.word[0]), "stfm-run", 8) == 0)
		manner = strcmp(line.word[1], "rank") == 0 ? RANK : STARTED;
	strlist_free(&line);
	return manner;
}

/* ---- finding the training ---- */

/* Whether it is of our task, on our node; so is the program around it. */
static int
is_near(const struct strlist *environment, char *const words[])
{
	return has(environment, "SLURM_JOB_ID", getenv("SLURM_JOB_ID")) &&
	    has(environment, "SLURMD_NODENAME", getenv("SLURMD_NODENAME")) &&
	    has(environment, "SLURM_ARRAY_JOB_ID",
		words[JOB_ATTACH_INSIDE_ARRAY]) &&
	    has(environment, "SLURM_ARRAY_TASK_ID",
		words[JOB_ATTACH_INSIDE_INDEX]);
}

/* Whether it is of the rank; one of no step is of none. */
static int
is_of_rank(const struct strlist *environment, const char *rank)
{
	return strcmp(rank, "-") == 0 ||
	    (strlist_value(environment, "SLURM_STEP_ID") != NULL &&
		has(environment, "SLURM_PROCID", rank));
}

/* Look at a process: whether it is one of the training. */
static int
look(pid_t pid, char *const words[], struct process *p)
{
	struct proc_stat stat;
	const char *rank;

	memset(p, 0, sizeof *p);
	if (read_texts(pid, "environ", &p->environment) == -1 ||
	    !is_near(&p->environment, words) ||
	    !has(&p->environment, "STFM_JOB",
		fs_base(words[JOB_ATTACH_INSIDE_JOB])) ||
	    !has(&p->environment, "STFM_TASK", words[JOB_ATTACH_INSIDE_TASK]) ||
	    !is_of_rank(&p->environment, words[JOB_ATTACH_INSIDE_RANK]) ||
	    is_around(pid) || proc_stat(pid, &stat) == -1) {
		strlist_free(&p->environment);
		return 0;
	}
	p->start = stat.start;
	p->manner = is_around(stat.parent);
	if (p->manner == 0)
		p->manner = OTHER;
	rank = strlist_value(&p->environment, "SLURM_PROCID");
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
	struct process p;
	size_t count, i;
	pid_t *all;

	memset(best, 0, sizeof *best);
	if (getenv("SLURM_JOB_ID") == NULL)
		return error_set(
		    e, "SLURM_JOB_ID is not set: this runs in a step");
	if (proc_all(0, &all, &count, e) == -1)
		return -1;
	for (i = 0; i < count; i++) {
		if (!look(all[i], words, &p))
			continue;
		if (best->manner == 0 || is_better(&p, best)) {
			strlist_free(&best->environment);
			*best = p;
		} else {
			strlist_free(&p.environment);
		}
	}
	free(all);
	return best->manner != 0;
}

int
job_attach_inside_is_here(char *const words[], struct error *e)
{
	struct process p;
	int found = find(words, &p, e);

	strlist_free(&p.environment);
	return found;
}

/* ---- around the training ---- */

/* Whether it is the program around a training, or around its rank. */
static int
look_around(pid_t pid, char *const words[], const char *rank,
    struct strlist *environment)
{
	if (is_around(pid) == (rank != NULL ? RANK : STARTED) &&
	    read_texts(pid, "environ", environment) == 0 &&
	    is_near(environment, words) &&
	    (rank == NULL || has(environment, "SLURM_PROCID", rank)))
		return 1;
	strlist_free(environment);
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

/* Find it: its number, or 0 where it is not here. */
static pid_t
find_around(char *const words[], const char *rank, struct strlist *environment)
{
	size_t count, i;
	pid_t *all, found = 0;

	if (proc_all(0, &all, &count, NULL) == -1)
		return 0;
	for (i = 0; found == 0 && i < count; i++)
		if (look_around(all[i], words, rank, environment))
			found = all[i];
	free(all);
	return found;
}

/*
 * A process in a container has the container's PATH.  Outside of it the
 * training was started with the environment of the program around it, and what
 * else it has.
 */
static void
leave_container(const struct store_job *job, char *const words[],
    struct strlist *environment)
{
	const char *rank = job->dist != NULL
	    ? strlist_value(environment, "SLURM_PROCID")
	    : NULL;
	struct strlist around = {0};
	size_t i;
	char *name;

	if (find_around(words, rank, &around) == 0)
		return;
	for (i = 0; i < environment->count; i++) {
		name = xstrndup(
		    environment->word[i], strcspn(environment->word[i], "="));
		if (strlist_value(&around, name) == NULL &&
		    !is_of_container(name))
			strlist_push(&around, environment->word[i]);
		free(name);
	}
	strlist_free(environment);
	*environment = around;
}

/* Open the run that is meant, of those at its index: whether that went well. */
static int
open_run(struct job_run *run, char *const words[], const struct strlist *line)
{
	size_t at = line->count == 6 ? 3 : 1; /* "beside", and a number */
	uint64_t number = 0;
	int64_t task;

	if ((line->count != 4 && line->count != 6) ||
	    num_int(
		"", words[JOB_ATTACH_INSIDE_TASK], 0, INT64_MAX, &task, NULL))
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
make_again(char *const words[], struct strlist *environment)
{
	struct strlist around = {0}, line = {0};
	struct job_run run = {.program = ""};
	pid_t pid = find_around(words, NULL, &around);
	char **before = environ;
	int made = 0;

	if (pid == 0)
		return 0;
	environ = around.word;
	if (read_texts(pid, "cmdline", &line) == 0 &&
	    open_run(&run, words, &line)) {
		job_argv_environment(&run.task, around.word, environment);
		job_workdir_environment(run.job, environment);
		made = 1;
	}
	environ = before;
	job_run_free(&run);
	strlist_free(&around);
	strlist_free(&line);
	return made;
}

/* ---- becoming the command ---- */

/* What is of the terminal comes from who sits at it. */
static void
take_terminal(struct strlist *environment)
{
	static const char *const names[] = {"TERM", "COLORTERM"};
	const char *value;
	size_t i, k;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		value = getenv(names[i]);
		if (value == NULL)
			continue;
		for (k = environment->count; k-- > 0;)
			if (strlist_value(environment, names[i]) ==
			    environment->word[k] + strlen(names[i]) + 1)
				strlist_drop(environment, k);
		strlist_take(environment, xasprintf("%s=%s", names[i], value));
	}
}

/* The command, or a shell: that of the training, where that has one. */
static void
add_command(const struct store_job *job, char *const command[],
    const struct strlist *environment, struct strlist *out)
{
	const char *shell = strlist_value(environment, "SHELL");

	if (*command == NULL && shell != NULL && *shell == '/' &&
	    job->container == NULL && access(shell, X_OK) == 0)
		strlist_push(out, shell);
	else if (*command == NULL)
		strlist_push(out, "/bin/sh");
	for (; *command != NULL; command++)
		strlist_push(out, *command);
}

static int
start(const struct store_job *job, char *const command[],
    struct strlist *environment, struct error *e)
{
	struct strlist all = {0};

	environ = environment->word; /* PATH is that of the training, too */
	add_command(job, command, environment, &all);
	if (!job_container_by_srun(job)) /* into which there is no way */
		job_container_wrap(job, job_container_gpus(), &all);
	execvp(all.word[0], all.word);
	error_errno(e, "%s: cannot start", all.word[0]);
	strlist_free(&all);
	return -1;
}

static int
refuse(const struct store_job *job, char *const words[], struct error *e)
{
	const char *node = getenv("SLURMD_NODENAME");

	if (strcmp(words[JOB_ATTACH_INSIDE_RANK], "-") != 0)
		return error_set(e, "rank %s of %s does not run on %s",
		    words[JOB_ATTACH_INSIDE_RANK], job->name, node);
	return error_set(e,
	    "%s: no process of the training is on %s now, whose environment "
	    "could be had",
	    job->name, node);
}

/*
 * Start the command in the directory of the training.  Returns -1 if that
 * failed; the code is ERROR_ABSENT only for the command.
 */
static int
go(const struct store_job *job, char *const words[],
    struct strlist *environment, struct error *e)
{
	char *place = store_job_place(job);
	int rc = chdir(place);

	if (rc == -1)
		error_set(e, "%s: cannot go there: %s", place, strerror(errno));
	free(place);
	take_terminal(environment);
	if (rc == -1)
		return -1;
	return start(job, words + JOB_ATTACH_INSIDE_COMMAND, environment, e);
}

int
job_attach_inside(char *const words[], struct error *e)
{
	struct store_job *job =
	    store_job_load_path(words[JOB_ATTACH_INSIDE_JOB], e);
	struct process p = {0};
	int found = -1;

	if (job == NULL)
		e->code = ERROR_OTHER; /* there is the command, perhaps */
	else if (strcmp(job->id, words[JOB_ATTACH_INSIDE_ID]) == 0)
		found = find(words, &p, e);
	else
		error_set(e, "%s: another job has this name by now", job->name);
	if (found == 0 && strcmp(words[JOB_ATTACH_INSIDE_RANK], "-") == 0 &&
	    job->dist == NULL)
		found = make_again(words, &p.environment);
	if (found == 0)
		refuse(job, words, e);
	if (found == 1 && job->container != NULL)
		leave_container(job, words, &p.environment);
	if (found == 1)
		go(job, words, &p.environment, e);
	strlist_free(&p.environment);
	store_job_free(job);
	return -1;
}
