/* Checks of a plan before anything has changed. */
#include <sys/stat.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "search/sampler.h"
#include "slurm/queue.h"
#include "submit/plan.h"
#include "sys/fs.h"
#include "sys/proc.h"

/* ---- the command ---- */

/* Return a path as the task will see it, from its directory; to free. */
static char *
from_directory(const struct store_job *job, const char *path)
{
	return path[0] == '/' ? xstrdup(path) : fs_join(job->directory, path);
}

static int
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

/* Return whether the shell knows a command: a program, or one of its own. */
static int
is_command(const char *word)
{
	static char shell[] = "/bin/sh", option[] = "-c", name[] = "sh",
		    script[] = "command -v -- \"$1\"";
	char *argv[] = {
	    shell, option, script, name, (char *)(uintptr_t)word, NULL};
	struct proc_result result;
	int is;

	if (proc_run(argv, NULL, 10000, &result, NULL) == -1)
		return 1;
	is = proc_ok(&result);
	proc_result_free(&result);
	return is;
}

static int
check_program(const struct store_job *job, struct error *e)
{
	const char *name = job->command.word[0], *dirs = getenv("PATH");
	char *path;
	int found;

	/* A container image has its own programs. */
	if (strchr(name, '{') != NULL || job->container != NULL)
		return 0;
	if (strchr(name, '/') == NULL) {
		path = proc_find(name, dirs != NULL ? dirs : "/usr/bin:/bin");
		found = path != NULL;
	} else {
		path = from_directory(job, name);
		found = is_program(path);
	}
	free(path);
	if (found)
		return 0;
	if (strchr(name, '/') == NULL && text_ends(name, ".py"))
		return error_set(e,
		    "%s: command not found (in PATH): write -- python %s", name,
		    name);
	return error_set(e,
	    strchr(name, '/') == NULL
		? "%s: command not found (in PATH); --no-check if only the "
		  "compute nodes have it"
		: "%s: no such program, or it is not executable (chmod +x); "
		  "--no-check if only the compute nodes have it",
	    name);
}

/* Check the script of a command such as "python train.py". */
static int
check_script(const struct store_job *job, const char *command, const char *file,
    struct error *e)
{
	static const char *const interpreters[] = {"python", "python2",
	    "python3", "bash", "sh", "zsh", "ksh", "dash", "Rscript", "julia",
	    "perl"};
	enum { COUNT = sizeof interpreters / sizeof *interpreters };
	const char *program = fs_base(command);
	char *path;
	int found;

	if (file == NULL || file[0] == '-' || strchr(file, '{') != NULL ||
	    (file[0] == '/' && job->container != NULL) ||
	    (text_among(program, interpreters, COUNT) == -1 &&
		!text_begins(program, "python3.")))
		return 0;
	path = from_directory(job, file);
	found = access(path, R_OK) == 0;
	free(path);
	if (found)
		return 0;
	return error_set(e,
	    "%s: no such file in %s (-D names another directory)", file,
	    job->directory);
}

/*
 * Check the program of a sampler's command line and the script that is its
 * second word, unless only a shell can tell what they mean.  A sampler of one
 * word may be a misspelt name.
 */
static int
check_sampler(const struct store_job *job, struct error *e)
{
	static const char shell_words[] = "\n\\$=;|&<>()'\"`{}*?[]~!#";
	const char *line = job->search.sampler;
	enum search_sampler known;
	char *copy, *word, *file, *save, *path = NULL;
	int rc = 0;

	if (line == NULL || search_sampler_find(line, &known, NULL) == 0)
		return 0;
	copy = xstrdup(line);
	word = strtok_r(copy, " \t", &save);
	file = strtok_r(NULL, " \t", &save);
	if (strchr(word, '/') != NULL)
		path = from_directory(job, word);
	if (strpbrk(word, shell_words) != NULL)
		rc = 0; /* maybe A=1 ./ask */
	else if (path != NULL && !is_program(path))
		rc = error_set(e,
		    "--sampler: %s: no such program, or it is not executable "
		    "(chmod +x); --no-check if only the compute nodes have it",
		    word);
	else if (path == NULL && !is_command(word))
		rc = error_set(e,
		    "--sampler: '%s' is no %scommand in PATH; --no-check if "
		    "only the compute nodes have it",
		    word,
		    file != NULL ? ""
				 : "sampler (random, quasi or tpe) and no ");
	else if (strpbrk(line, shell_words) == NULL &&
	    check_script(job, word, file, e) == -1)
		rc = error_prefix(e, "--sampler");
	free(path);
	free(copy);
	return rc == -1 ? error_names(e, "--sampler") : 0;
}

/* ---- directories ---- */

static int
check_directory(const struct store_job *job, struct error *e)
{
	struct stat st;

	if (stat(job->directory, &st) == -1)
		return error_errno(
		    e, "%s: the directory to run in (-D)", job->directory);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, "%s: not a directory (-D)", job->directory);
	if (access(job->directory, R_OK | X_OK) == -1)
		return error_errno(
		    e, "%s: the directory to run in (-D)", job->directory);
	if (strcmp(job->args, "positional") == 0 &&
	    access(job->directory, W_OK) == -1)
		return error_errno(e,
		    "%s: --args=positional makes results/ there (-D)",
		    job->directory);
	return 0;
}

/* Check that Slurm can write the output: else it fails every task silently. */
static int
check_output(const struct job_plan *plan, const char *option, struct error *e)
{
	const char *file = job_plan_option(plan, option);
	char *dir, *slash;
	int rc = 0;

	if (file == NULL || strcmp(file, "none") == 0)
		return 0;
	if (strchr(file, '%') != NULL && strchr(strchr(file, '%'), '/') != NULL)
		return error_set(e,
		    "--%s=%s: Slurm makes no directories: use %% in the file "
		    "name alone (--no-check to go on all the same)",
		    option, file);
	dir = from_directory(plan->job, file);
	dir[strcspn(dir, "%")] = '\0';
	slash = strrchr(dir, '/');
	if (slash != NULL)
		slash[slash == dir] = '\0';
	if (access(dir, W_OK | X_OK) == -1)
		rc = error_errno(e,
		    "--%s=%s: Slurm would fail every task without a word: %s",
		    option, file, dir);
	free(dir);
	return rc;
}

int
job_plan_check_local(const struct job_plan *plan, struct error *e)
{
	const struct store_job *job = plan->job;
	const struct sbatch_warning *w = plan->script.warning;
	const struct sbatch *s = &plan->script.options;
	const char *why;
	size_t i;

	if (check_directory(job, e) == -1 || check_sampler(job, e) == -1 ||
	    (job->script == NULL &&
		(check_program(job, e) == -1 ||
		    check_script(job, job->command.word[0],
			job->command.word[1], e) == -1)) ||
	    check_output(plan, "output", e) == -1 ||
	    check_output(plan, "error", e) == -1)
		return -1;
	if (plan->script.warnings > 0)
		return error_set(e,
		    "%s:%zu: %s (--no-check to go on all the same)",
		    job->script, w->line, w->text);
	for (i = 0; i < s->count; i++) {
		/* Refuse options that only stfm may set. */
		why = sbatch_refusal(s->given[i].name);
		if (why != NULL)
			return error_set(e, "%s:%zu: --%s: %s", job->script,
			    s->given[i].line, s->given[i].name, why);
	}
	return 0;
}

/* ---- the cluster ---- */

/*
 * Return how the user gave an option: as an option, or as a column of the
 * points.
 */
static const char *
as_given(const struct job_plan *plan, const char *name, const char *option,
    const char *column)
{
	return sbatch_value(&plan->view, name) != NULL ? column : option;
}

static int
no_partition(const struct job_plan *plan, const struct queue_cluster *c,
    const char *name, struct error *e)
{
	struct strlist all = {0};
	char *names;
	size_t i;

	for (i = 0; i < c->partitions; i++)
		strlist_push(&all, c->partition[i].name);
	names = strlist_join(&all, ", ");
	if (name == NULL)
		error_set(e,
		    "no default partition: choose one with -p (there are: %s)",
		    names);
	else
		error_set(e, "%s%s: no such partition (there are: %s)",
		    as_given(plan, "partition", "-p ", "@partition="), name,
		    names);
	free(names);
	strlist_free(&all);
	return -1;
}

static int
check_time(
    struct job_plan *plan, const struct queue_partition *p, struct error *e)
{
	const char *text = job_plan_option(plan, "time");
	int64_t minutes;

	if (text == NULL)
		return 0;
	if (sbatch_time(text, &minutes, e) == -1) {
		job_plan_wrong(plan, "time");
		return error_prefix(e, "-t");
	}
	if (p->minutes == -1 || (minutes != -1 && minutes <= p->minutes))
		return 0;
	job_plan_wrong(plan, "time");
	job_plan_wrong(plan, "partition");
	return error_set(e,
	    "%s%s: partition %s allows %" PRId64 " minutes at most: lower "
	    "%s, or choose another partition with %s",
	    as_given(plan, "time", "-t ", "@time="), text, p->name, p->minutes,
	    as_given(plan, "time", "-t", "it"),
	    as_given(plan, "partition", "-p", "@partition"));
}

/*
 * Check the memory of the current group before any task is queued.  A value for
 * all tasks needs no check: Slurm refuses all of them at once.
 */
static int
check_memory(
    struct job_plan *plan, const struct queue_partition *p, struct error *e)
{
	const char *text = sbatch_value(&plan->view, "mem");
	int64_t asked;

	if (text == NULL || p->memory == 0 ||
	    sbatch_memory(text, &asked, NULL) == -1 ||
	    (uint64_t)asked <= p->memory)
		return 0;
	job_plan_wrong(plan, "partition");
	return error_set(e,
	    "@mem=%s: no node of partition %s has more than %" PRIu64
	    " MB: lower it, or choose another partition with %s",
	    text, p->name, p->memory,
	    as_given(plan, "partition", "-p", "@partition"));
}

/* Return the number that an option gives, or 1. */
static int64_t
count_of(const struct job_plan *plan, const char *option)
{
	const char *text = job_plan_option(plan, option);
	int64_t count;

	return text != NULL &&
		num_int(option, text, 1, INT32_MAX, &count, NULL) == 0
	    ? count
	    : 1;
}

/* Return how many processes sbatch must start on each node, at least 1. */
static int64_t
processes_of(const struct job_plan *plan)
{
	/* With --ntasks, --ntasks-per-node is an upper limit. */
	return job_plan_option(plan, "ntasks") == NULL
	    ? count_of(plan, "ntasks-per-node")
	    : 1;
}

/*
 * Check the CPUs of a node: Slurm would queue such tasks and never start them.
 */
static int
check_cpus(
    struct job_plan *plan, const struct queue_partition *p, struct error *e)
{
	int64_t cpus = count_of(plan, "cpus-per-task");
	int64_t processes = processes_of(plan);

	if (p->cpus == 0 || cpus * processes <= (int64_t)p->cpus)
		return 0;
	job_plan_wrong(plan, "cpus-per-task");
	job_plan_wrong(plan, "partition");
	if (cpus <= (int64_t)p->cpus) {
		job_plan_wrong(plan, "ntasks-per-node");
		return error_set(e,
		    "--ntasks-per-node=%" PRId64
		    " times --cpus-per-task=%" PRId64
		    ": no node of partition %s has more than %" PRIu32
		    " CPUs: lower one of them, or choose another partition "
		    "with %s",
		    processes, cpus, p->name, p->cpus,
		    as_given(plan, "partition", "-p", "@partition"));
	}
	return error_set(e,
	    "%s%" PRId64 ": no node of partition %s has more than %" PRIu32
	    " CPUs: lower it, or choose another partition with %s",
	    as_given(plan, "cpus-per-task", "--cpus-per-task=", "@cpus="), cpus,
	    p->name, p->cpus, as_given(plan, "partition", "-p", "@partition"));
}

/* Check --nodes=2, or the first number of --nodes=2-4. */
static int
check_nodes(
    struct job_plan *plan, const struct queue_partition *p, struct error *e)
{
	const char *text = job_plan_option(plan, "nodes");
	char *least = text == NULL ? NULL : xstrndup(text, strcspn(text, "-"));
	int64_t nodes;
	int rc = 0;

	if (least != NULL && p->nodes > 0 &&
	    num_int("nodes", least, 1, INT32_MAX, &nodes, NULL) == 0 &&
	    nodes > (int64_t)p->nodes) {
		job_plan_wrong(plan, "nodes");
		job_plan_wrong(plan, "partition");
		rc = error_set(e,
		    "--nodes=%s: partition %s has only %" PRIu32
		    ": lower it, or choose another partition with -p",
		    text, p->name, p->nodes);
	}
	free(least);
	return rc;
}

static int
check_gpus(const struct queue_partition *p, const char *option,
    const char *text, const struct sbatch_gpus *asked, struct error *e)
{
	uint32_t there = queue_gpus(p, *asked->type ? asked->type : NULL);

	if (asked->count <= there)
		return 0;
	if (there == 0)
		return error_set(e,
		    "--%s=%s: partition %s has no %s%sGPU: choose another "
		    "partition with -p, or --gres=none to train without",
		    option, text, p->name, asked->type,
		    *asked->type ? " " : "");
	return error_set(e,
	    "--%s=%s: no node of partition %s has more than %" PRIu32
	    ": lower it, or choose another partition with -p",
	    option, text, p->name, there);
}

static const char *const gpu_options[] = {"gres", "gpus-per-node",
    "gpus-per-task", /* those of a node come first */
    "gpus", "gpus-per-socket"};
enum { GPU_OPTIONS = 3, ALL_GPU_OPTIONS = 5 };

/* Return the value of the k-th GPU option; a task without any gets one GPU. */
static const char *
gpu_text(const struct job_plan *plan, size_t k)
{
	const char *text = job_plan_option(plan, gpu_options[k]);

	return text == NULL && k == 0 && !job_plan_asks_gpu(plan) ? "gpu:1"
								  : text;
}

static int
check_gres(
    struct job_plan *plan, const struct queue_partition *p, struct error *e)
{
	struct sbatch_gpus asked[8];
	const char *text;
	int count, i;
	int rc = 0;
	size_t k;

	for (k = 0; rc == 0 && k < GPU_OPTIONS; k++) {
		text = gpu_text(plan, k);
		if (text == NULL)
			continue;
		count = sbatch_gpus(gpu_options[k], text, asked, 8, e);
		for (i = 0; rc == 0 && i < count; i++)
			rc = check_gpus(p, gpu_options[k], text, &asked[i], e);
		if (rc == -1)
			job_plan_wrong(plan, "partition");
		if (count == -1)
			rc = -1;
		if (rc == -1)
			job_plan_wrong(plan, gpu_options[k]);
	}
	return rc;
}

int
job_plan_has_gpus(struct job_plan *plan)
{
	int has = !job_plan_asks_gpu(plan); /* then stfm asks for one */
	struct sbatch_gpus asked[8];
	const char *text;
	int count, k;
	long i;

	for (i = 0; !has && i < job_plan_views(plan); i++) {
		job_plan_look(plan, i);
		for (k = 0; k < ALL_GPU_OPTIONS; k++) {
			text = job_plan_option(plan, gpu_options[k]);
			count = text == NULL
			    ? 0
			    : sbatch_gpus(gpu_options[k], text, asked, 8, NULL);
			while (count > 0 && asked[count - 1].count == 0)
				count--;
			has |= count != 0;
		}
	}
	job_plan_look(plan, JOB_PLAN_JOB);
	return has;
}

int
job_plan_asks_nodes(struct job_plan *plan)
{
	int asks = plan->job->policy.memory.factor != NULL;
	struct sbatch_gpus asked[8];
	const char *text;
	size_t k;
	long i;

	for (i = 0; !asks && i < job_plan_views(plan); i++) {
		job_plan_look(plan, i);
		asks = sbatch_value(&plan->view, "mem") != NULL ||
		    count_of(plan, "cpus-per-task") * processes_of(plan) > 1;
		for (k = 0; !asks && k < GPU_OPTIONS; k++) {
			text = gpu_text(plan, k);
			asks = text != NULL &&
			    sbatch_gpus(gpu_options[k], text, asked, 8, NULL) !=
				0;
		}
	}
	job_plan_look(plan, JOB_PLAN_JOB);
	return asks;
}

static int
check_partition(struct job_plan *plan, const struct queue_cluster *c,
    const char *name, struct error *e)
{
	const struct queue_partition *p = queue_partition(c, name);

	strlist_free(&plan->wrong);
	if (p == NULL || !p->up)
		job_plan_wrong(plan, "partition");
	if (p == NULL)
		return no_partition(plan, c, name, e);
	if (!p->up)
		return error_set(e,
		    "%s%s: this partition is down; choose another",
		    as_given(plan, "partition", "-p ", "@partition="), p->name);
	if (check_time(plan, p, e) == -1 || check_memory(plan, p, e) == -1 ||
	    check_cpus(plan, p, e) == -1 || check_nodes(plan, p, e) == -1)
		return -1;
	return check_gres(plan, p, e);
}

/* Check the partitions; one partition that can run the tasks is enough. */
static int
check_partitions(
    struct job_plan *plan, const struct queue_cluster *cluster, struct error *e)
{
	const char *names = job_plan_option(plan, "partition");
	char *list, *name, *save;
	int rc = -1;

	if (names == NULL)
		return check_partition(plan, cluster, NULL, e);
	list = xstrdup(names);
	job_plan_wrong(plan, "partition");
	error_set(e, "-p %s: names no partition", names);
	for (name = strtok_r(list, ",", &save); name != NULL && rc == -1;
	     name = strtok_r(NULL, ",", &save))
		rc = check_partition(plan, cluster, name, e);
	free(list);
	return rc;
}

/* Put "tasks 2-3,7,...: " in front of a reason. */
static void
prefix_tasks(const struct store_group *g, struct error *e)
{
	char *tasks = idset_text(&g->tasks), *label;
	int one = idset_size(&g->tasks) == 1, room = 24;

	if (strlen(tasks) > (size_t)room)
		label = xasprintf("tasks %.*s...", room, tasks);
	else
		label = xasprintf("task%s %s", one ? "" : "s", tasks);
	error_prefix(e, label);
	free(label);
	free(tasks);
}

int
job_plan_check_cluster(
    struct job_plan *plan, const struct queue_cluster *cluster, struct error *e)
{
	const struct store_groups *groups = &plan->job->groups;
	int rc = 0;
	long i;

	for (i = 0; rc == 0 && i < job_plan_views(plan); i++) {
		job_plan_look(plan, i);
		rc = check_partitions(plan, cluster, e);
		if (rc == -1 && groups->count > 0)
			prefix_tasks(&groups->group[i], e);
	}
	job_plan_look(plan, JOB_PLAN_JOB);
	return rc;
}
