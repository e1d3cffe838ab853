#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "job/container.h"
#include "runner/attach-node.h"
#include "runner/task.h"
#include "runner/workdir.h"
#include "store/job.h"
#include "sys/proc-table.h"

extern char **environ;

/* How a process was started; the highest is the most typical. */
enum { OTHER = 1, STARTED = 2, RANK = 3 };

/* A process of the training. */
struct process {
	int manner;
	int64_t rank, start;
	struct strlist environment;
};

/* ---- processes in the kernel ---- */

/* Add the strings of a file that separates them by NULs.  Returns 0 or -1. */
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

/* Return STARTED or RANK if a process is stfm-run around a training, else 0. */
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

/* Return whether a process is of our task on our node; stfm-run is, too. */
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

/* Examine a process; return whether it is of the training and of the rank. */
static int
look(pid_t pid, char *const words[], struct process *p)
{
	const struct strlist *its = &p->environment;
	const char *wanted = words[JOB_ATTACH_INSIDE_RANK], *rank;
	struct proc_stat stat;

	memset(p, 0, sizeof *p);
	if (read_texts(pid, "environ", &p->environment) == -1 ||
	    !is_near(its, words) ||
	    !has(its, "STFM_JOB", fs_base(words[JOB_ATTACH_INSIDE_JOB])) ||
	    !has(its, "STFM_TASK", words[JOB_ATTACH_INSIDE_TASK]) ||
	    (strcmp(wanted, "-") != 0 &&
		(strlist_value(its, "SLURM_STEP_ID") == NULL ||
		    !has(its, "SLURM_PROCID", wanted))) ||
	    is_around(pid) || proc_stat(pid, &stat) == -1) {
		strlist_free(&p->environment);
		return 0;
	}
	p->start = stat.start;
	p->manner = is_around(stat.parent);
	if (p->manner == 0)
		p->manner = OTHER;
	rank = strlist_value(its, "SLURM_PROCID");
	if (rank == NULL || num_int("", rank, 0, INT64_MAX, &p->rank, NULL))
		p->rank = 0;
	return 1;
}

/* Find the most typical process of the training: 1, 0, or -1. */
static int
find(char *const words[], struct process *best, struct error *e)
{
	struct process p;
	size_t count, i;
	pid_t *all;
	int is_better;

	memset(best, 0, sizeof *best);
	if (getenv("SLURM_JOB_ID") == NULL)
		return error_set(
		    e, "SLURM_JOB_ID is not set: this runs in a step");
	if (proc_all(0, &all, &count, e) == -1)
		return -1;
	for (i = 0; i < count; i++) {
		if (!look(all[i], words, &p))
			continue;
		if (p.manner != best->manner)
			is_better = p.manner > best->manner;
		else if (p.rank != best->rank)
			is_better = p.rank < best->rank;
		else
			is_better = p.start < best->start;
		strlist_free(is_better ? &best->environment : &p.environment);
		if (is_better)
			*best = p;
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

/* ---- stfm-run around the training ---- */

/* Return whether a container set a variable for the processes inside it. */
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

/*
 * Return the process of stfm-run around a training or, unless rank is NULL,
 * around that rank; 0 if it is not on this node.
 */
static pid_t
find_around(char *const words[], const char *rank, struct strlist *environment)
{
	size_t count, i;
	pid_t *all, found = 0;

	if (proc_all(0, &all, &count, NULL) == -1)
		return 0;
	for (i = 0; found == 0 && i < count; i++) {
		if (is_around(all[i]) == (rank != NULL ? RANK : STARTED) &&
		    read_texts(all[i], "environ", environment) == 0 &&
		    is_near(environment, words) &&
		    (rank == NULL || has(environment, "SLURM_PROCID", rank)))
			found = all[i];
		else
			strlist_free(environment);
	}
	free(all);
	return found;
}

/*
 * Replace the environment of a process in a container, which has the
 * container's PATH.  The training was started outside with the environment of
 * stfm-run around it; variables that only the process has are added.
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

/* Open the run of the wanted task among those at its index: 1, or 0. */
static int
open_run(struct job_run *run, char *const words[], const struct strlist *line)
{
	size_t at = line->count == 6 ? 3 : 1; /* "beside" and a number */
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
 * Make the environment of the training again, as stfm-run did.  This is for
 * programs that set their process title: they overwrite their environment.
 * Returns 1, or 0 if stfm-run is not on this node.
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

/* ---- starting the command ---- */

/* Become the command or, if there is none, the shell of the training. */
static int
start(const struct store_job *job, char *const command[],
    struct strlist *environment, struct error *e)
{
	const char *shell = strlist_value(environment, "SHELL");
	struct strlist all = {0};

	environ = environment->word; /* execvp uses the training's PATH */
	if (*command == NULL && shell != NULL && *shell == '/' &&
	    job->container == NULL && access(shell, X_OK) == 0)
		strlist_push(&all, shell);
	else if (*command == NULL)
		strlist_push(&all, "/bin/sh");
	for (; *command != NULL; command++)
		strlist_push(&all, *command);
	if (!job_container_by_srun(job)) /* cannot be entered */
		job_container_wrap(job, job_container_gpus(), &all);
	execvp(all.word[0], all.word);
	error_errno(e, "%s: cannot start", all.word[0]);
	strlist_free(&all);
	return -1;
}

/*
 * Start the command in the directory of the training.  Returns -1 if that
 * failed; the code is ERROR_ABSENT only for the command.
 */
static int
go(const struct store_job *job, char *const words[],
    struct strlist *environment, struct error *e)
{
	static const char *const terminal[] = {"TERM", "COLORTERM"};
	char *place = store_job_place(job);
	const char *name, *value;
	int rc = chdir(place);
	size_t i, k;

	if (rc == -1)
		error_set(e, "%s: cannot go there: %s", place, strerror(errno));
	free(place);
	if (rc == -1)
		return -1;
	/* The terminal is the user's, not the training's. */
	for (i = 0; i < sizeof terminal / sizeof *terminal; i++) {
		name = terminal[i];
		value = getenv(name);
		if (value == NULL)
			continue;
		for (k = environment->count; k-- > 0;)
			if (strlist_value(environment, name) ==
			    environment->word[k] + strlen(name) + 1)
				strlist_drop(environment, k);
		strlist_take(environment, xasprintf("%s=%s", name, value));
	}
	return start(job, words + JOB_ATTACH_INSIDE_COMMAND, environment, e);
}

/* Use the copy of the code in which the training runs. */
static void
use_code(struct store_job *job, const struct strlist *environment)
{
	const char *text = strlist_value(environment, "STFM_CODE");
	int64_t number;

	if (text != NULL &&
	    num_int("STFM_CODE", text, 0, INT32_MAX, &number, NULL) == 0)
		store_code_use(job, number, NULL);
}

int
job_attach_inside(char *const words[], struct error *e)
{
	struct store_job *job =
	    store_job_load_path(words[JOB_ATTACH_INSIDE_JOB], e);
	const char *rank = words[JOB_ATTACH_INSIDE_RANK];
	const char *node = getenv("SLURMD_NODENAME");
	int has_rank = strcmp(rank, "-") != 0, found = -1;
	struct process p = {0};

	if (job == NULL)
		e->code = ERROR_OTHER; /* the command is not missing */
	else if (strcmp(job->id, words[JOB_ATTACH_INSIDE_ID]) == 0)
		found = find(words, &p, e);
	else
		error_set(e, "%s: another job has this name by now", job->name);
	if (found == 0 && !has_rank && job->dist == NULL)
		found = make_again(words, &p.environment);
	if (found == 0 && has_rank)
		error_set(e, "rank %s of %s does not run on %s", rank,
		    job->name, node);
	else if (found == 0)
		error_set(e,
		    "%s: no process of the training is on %s now, whose "
		    "environment could be had",
		    job->name, node);
	if (found == 1)
		use_code(job, &p.environment);
	if (found == 1 && job->container != NULL)
		leave_container(job, words, &p.environment);
	if (found == 1)
		go(job, words, &p.environment, e);
	strlist_free(&p.environment);
	store_job_free(job);
	return -1;
}
