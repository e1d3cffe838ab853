#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/xalloc.h"
#include "usage/gpu.h"
#include "usage/holder.h"
#include "usage/kernel.h"

enum { GPUS = 64, DEEPEST = 50 };

/* A process on the node. */
struct process {
	int64_t pid, parent, uid;
	int64_t group;   /* job id in its control group, or 0 */
	int64_t environ; /* job id in its environment, or 0 */
	int adopted;     /* the job adopted it from a login */
	int bare;        /* its environment was read and names no job */
	char *name, *command;
};

/* A process that Slurm lists, and its job. */
struct listed {
	int64_t pid, job;
	char step[16]; /* "0", "batch", "extern" */
};

struct answer {
	struct usage_gpu gpu[GPUS];
	size_t gpus;
	struct usage_app *use, *repeat;
	size_t uses, repeats;
	struct process *process;
	size_t processes;
	struct listed *listed;
	size_t count;
	int minor[GPUS]; /* minor device number of each GPU; -1: unknown */
	size_t files;    /* number of GPU files of this node in gres.conf */
	/* The numbers of the GPU files are not 0, 1, 2 ... */
	int disorder;
	int64_t self, job; /* the shell that ran the script, and its job */
	int whole;
};

/* ---- reading the answer ---- */

static void
take_app(const char *line, struct usage_app **list, size_t *count)
{
	struct usage_app app;

	if (usage_gpu_app(line, &app) == -1)
		return;
	*list = xgrow(*list, *count, sizeof app);
	(*list)[(*count)++] = app;
}

static void
take_listed(struct answer *a, const char *rest)
{
	struct listed one = {.step = ""};

	if (sscanf(rest, "%" SCNd64 " %" SCNd64 " %15s", &one.pid, &one.job,
		one.step) < 2)
		return;
	a->listed = xgrow(a->listed, a->count, sizeof one);
	a->listed[a->count++] = one;
}

/* Take a line "GPU-5a1b... 0"; the line that describes the GPU came before. */
static void
take_minor(struct answer *a, const char *rest)
{
	size_t length = strcspn(rest, " "), i;
	int minor;

	if (sscanf(rest + length, "%d", &minor) != 1)
		return;
	for (i = 0; i < a->gpus; i++)
		if (strlen(a->gpu[i].uuid) == length &&
		    strncmp(a->gpu[i].uuid, rest, length) == 0)
			a->minor[i] = minor;
}

/*
 * Take a line "Type=... Count=2 ... File=/dev/nvidia[0-1] ...": the files of
 * the next GPUs.
 */
static void
take_files(struct answer *a, const char *rest)
{
	const char *at = strstr(rest, "File="), *slash;
	struct strlist names = {0};
	char *list, want[32];
	size_t i;

	list = xstrndup(
	    at != NULL ? at + 5 : "", at != NULL ? strcspn(at + 5, " ") : 0);
	slash = strrchr(list, '/');
	if (slash == NULL || hostlist_expand(slash + 1, &names, NULL) == -1)
		a->disorder = 1;
	for (i = 0; i < names.count; i++, a->files++) {
		snprintf(want, sizeof want, "nvidia%zu", a->files);
		a->disorder |= strcmp(names.word[i], want) != 0;
	}
	strlist_free(&names);
	free(list);
}

/* Return the text after a word at the start of a line, or NULL. */
static const char *
after(const char *line, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(line, word, length) != 0)
		return NULL;
	line += length;
	return line + strspn(line, " \t");
}

/* Copy a value without the blanks that the script adds after words. */
static void
set_text(char **text, const char *value)
{
	size_t length = strlen(value);

	while (length > 0 && value[length - 1] == ' ')
		length--;
	free(*text);
	*text = xstrndup(value, length);
}

/* Take a line about the process of the last "process" line. */
static void
take_fact(struct process *p, const char *line)
{
	const char *rest;
	int64_t job;

	if ((rest = after(line, "Name:")) != NULL)
		set_text(&p->name, rest);
	else if ((rest = after(line, "PPid:")) != NULL)
		p->parent = strtoll(rest, NULL, 10);
	else if ((rest = after(line, "Uid:")) != NULL)
		p->uid = strtoll(rest, NULL, 10);
	else if ((rest = after(line, "command ")) != NULL)
		set_text(&p->command, rest);
	else if ((rest = after(line, "environ none")) != NULL)
		p->bare = 1;
	else if ((rest = after(line, "environ ")) != NULL)
		p->environ = strtoll(rest, NULL, 10);
	else if ((rest = after(line, "group ")) != NULL &&
	    (job = usage_cgroup_job(rest)) > 0) {
		p->group = job;
		p->adopted |= strstr(rest, "/step_extern") != NULL;
	}
}

static void
take_line(struct answer *a, const char *line)
{
	const char *rest;

	if ((rest = after(line, "gpu ")) != NULL && a->gpus < GPUS) {
		a->minor[a->gpus] = -1;
		a->gpus += usage_gpu_nvidia(rest, &a->gpu[a->gpus], 1);
	} else if ((rest = after(line, "minor ")) != NULL)
		take_minor(a, rest);
	else if ((rest = after(line, "gres ")) != NULL)
		take_files(a, rest);
	else if ((rest = after(line, "use ")) != NULL)
		take_app(rest, &a->use, &a->uses);
	else if ((rest = after(line, "again ")) != NULL)
		take_app(rest, &a->repeat, &a->repeats);
	else if ((rest = after(line, "process ")) != NULL) {
		a->process =
		    xgrow(a->process, a->processes, sizeof *a->process);
		a->process[a->processes++] =
		    (struct process){.pid = strtoll(rest, NULL, 10), .uid = -1};
	} else if ((rest = after(line, "listed ")) != NULL)
		take_listed(a, rest);
	else if ((rest = after(line, "self ")) != NULL)
		sscanf(rest, "%" SCNd64 " %" SCNd64, &a->self, &a->job);
	else if (strcmp(line, "end") == 0)
		a->whole = 1;
	else if (a->processes > 0)
		take_fact(&a->process[a->processes - 1], line);
}

/* ---- the jobs of the processes ---- */

static const struct process *
find(const struct answer *a, int64_t pid)
{
	size_t i;

	for (i = 0; i < a->processes; i++)
		if (a->process[i].pid == pid)
			return &a->process[i];
	return NULL;
}

static const struct listed *
listed(const struct answer *a, int64_t pid)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		if (a->listed[i].pid == pid && a->listed[i].job > 0)
			return &a->listed[i];
	return NULL;
}

/*
 * Return whether the node shows which processes belong to a job: whether it
 * shows the job of the shell that ran the script.
 */
static int
shows_jobs(const struct answer *a)
{
	const struct process *self = find(a, a->self);

	return a->job > 0 &&
	    (listed(a, a->self) != NULL ||
		(self != NULL && self->group == a->job));
}

/*
 * Find the job of a process, or of its nearest ancestor in a job.  Returns
 * whether all ancestors up to that one are known.
 */
static int
climb(const struct answer *a, int64_t pid, int64_t *job, int *in_step)
{
	const struct process *p;
	const struct listed *by;
	int depth;

	for (depth = 0; depth < DEEPEST && pid > 0; depth++) {
		p = find(a, pid);
		if (p == NULL)
			return 0;
		by = p->group == 0 ? listed(a, pid) : NULL;
		*job = by != NULL ? by->job : p->group;
		if (by != NULL)
			*in_step =
			    *by->step != '\0' && strcmp(by->step, "extern");
		else
			*in_step = p->group != 0 && !p->adopted;
		if (*job == 0)
			*job = p->environ;
		if (*job != 0)
			return 1;
		pid = p->parent;
	}
	return pid == 0;
}

static struct usage_holder
judge(const struct answer *a, const struct usage_app *app)
{
	const struct process *p = find(a, app->pid);
	struct usage_holder h = {.gpu = -1,
	    .pid = app->pid,
	    .memory = app->memory,
	    .uid = -1,
	    .place = USAGE_NOWHERE};
	int known = climb(a, app->pid, &h.job, &h.in_step);
	size_t i;

	memcpy(h.uuid, app->uuid, sizeof h.uuid);
	for (i = 0; i < a->gpus && h.gpu == -1; i++)
		if (strcmp(a->gpu[i].uuid, app->uuid) == 0)
			h.gpu = a->gpu[i].number;
	if (h.job != 0)
		h.place = USAGE_INSIDE;
	else if (known && shows_jobs(a))
		h.place = p->bare ? USAGE_OUTSIDE : USAGE_STRAY;
	if (p != NULL) {
		h.uid = p->uid;
		h.command =
		    xcopy(p->command != NULL && *p->command != '\0' ? p->command
								    : p->name);
	}
	return h;
}

/* Return whether Slurm, the driver and nvidia-smi agree on GPU numbers. */
static int
is_ordered(const struct answer *a)
{
	size_t i;

	if (a->gpus == 0 || a->disorder || a->files != a->gpus)
		return 0;
	for (i = 0; i < a->gpus; i++)
		if (a->gpu[i].number != (int)i || a->minor[i] != (int)i ||
		    !(fabs(a->gpu[i].total - a->gpu[0].total) < 1))
			return 0;
	return 1;
}

/* Return whether a process was still on its GPU at the second look. */
static int
remains(const struct answer *a, const struct usage_app *app)
{
	size_t i;

	for (i = 0; i < a->repeats; i++)
		if (a->repeat[i].pid == app->pid &&
		    strcmp(a->repeat[i].uuid, app->uuid) == 0)
			return 1;
	return 0;
}

enum usage_answer
usage_holders_read(const char *text, struct usage_holders *out)
{
	struct answer a = {.whole = 0};
	char *copy = xstrdup(text), *rest = copy, *line;
	enum usage_answer answer = USAGE_PARTIAL;
	size_t i;

	memset(out, 0, sizeof *out);
	while ((line = strsep(&rest, "\n")) != NULL)
		if (strcmp(line, "none") == 0 && a.self == 0)
			answer = USAGE_NO_TOOL;
		else if (strcmp(line, "broken") == 0 && a.self == 0)
			answer = USAGE_BROKEN;
		else
			take_line(&a, line);
	if (a.whole)
		answer = USAGE_WHOLE;
	out->gpus = a.gpus;
	out->ordered = is_ordered(&a);
	for (i = 0; a.whole && i < a.uses; i++) {
		if (!remains(&a, &a.use[i]))
			continue;
		out->holder =
		    xgrow(out->holder, out->count, sizeof *out->holder);
		out->holder[out->count++] = judge(&a, &a.use[i]);
	}
	for (i = 0; i < a.processes; i++) {
		free(a.process[i].name);
		free(a.process[i].command);
	}
	free(a.process);
	free(a.listed);
	free(a.use);
	free(a.repeat);
	free(copy);
	return answer;
}

void
usage_holders_free(struct usage_holders *h)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		free(h->holder[i].command);
	free(h->holder);
	memset(h, 0, sizeof *h);
}
