#include <sys/signalfd.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "job/container.h"
#include "job/usage.h"
#include "runner/measure.h"
#include "store/load.h"
#include "store/usage.h"
#include "sys/fs.h"
#include "sys/proc.h"
#include "usage/gpu.h"
#include "usage/kernel.h"

extern char **environ;

enum { JOB, RUN, TREE, GPUS };

/*
 * Milliseconds that the process may take to end, and that it may take if the
 * task was asked to end; and between two checks whether it has ended.
 */
enum { PATIENCE = 2000, HURRY = 100, NAP = 2 };

enum {
	FIRST = 5000,     /* most milliseconds to the first sample */
	DEADLINE = 10000, /* milliseconds for a GPU tool to answer */
	FAILURES = 2,     /* in a row, until the tool is given up */
	OLDEST = 300000,  /* most milliseconds between two writes */
	PART = 8,         /* write after 1/PART of the run time, if less */
	MANY = 64         /* most GPUs of a node */
};

/* Return the signal that ends this process without waiting for a GPU tool. */
static int
end_signal(void)
{
	return SIGRTMIN;
}

static const char groups[] = "/proc/self/cgroup", root[] = "/sys/fs/cgroup";
static const char elsewhere[] = "/usr/bin:/usr/local/bin:/opt/rocm/bin";

struct watcher {
	const struct store_job *job;
	void (*say)(const char *);
	struct store_fact run;
	const char *gpus;
	char *group; /* the job's control group, or NULL */
	int tree;    /* else: whether to use the processes below top */
	pid_t top;
	const struct usage_tool *tool; /* for its GPUs, or NULL */
	int failures;
	struct usage usage;
	int64_t begin, written; /* by proc_clock */
	double cpu;             /* seconds, at the last sample */
};

/* ---- CPU and memory ---- */

static double
environment_number(const char *name)
{
	const char *text = getenv(name);
	double value;

	return text != NULL && num_parse(text, &value) && value > 0 ? value : 0;
}

/* Add what the kernel counted in the time since the last sample. */
static void
see_kernel(struct watcher *w, struct usage_span *s, double time)
{
	struct usage_kernel now;
	int known = w->group != NULL
	    ? usage_cgroup_read(w->group, &now, NULL) == 0
	    : w->tree && usage_tree_read(w->top, getpid(), &now, NULL) == 0;

	if (!known)
		return;
	/* A process whose parent has ended is no longer counted. */
	if (time > 0 && now.cpu >= w->cpu)
		s->cpu = (now.cpu - w->cpu) / time;
	w->cpu = now.cpu;
	s->memory = now.memory;
}

/* ---- GPUs ---- */

/*
 * Ask a tool about the task's GPUs.  Returns how many it knows, or 0; *slow
 * says that it did not answer in time.
 */
static size_t
ask(const struct watcher *w, const struct usage_tool *tool,
    struct usage_gpu *gpu, int *slow)
{
	const char *path = getenv("PATH");
	char *all = xasprintf("%s:%s", path != NULL ? path : "", elsewhere);
	char *program = proc_find(tool->argv[0], all), *argv[8];
	struct proc_result r;
	size_t count = 0, i;

	free(all);
	if (program == NULL)
		return 0;
	argv[0] = program;
	for (i = 1; i < 8 && tool->argv[i - 1] != NULL; i++)
		argv[i] = (char *)(uintptr_t)tool->argv[i];
	if (proc_run(argv, NULL, DEADLINE, &r, NULL) == 0) {
		*slow |= r.timed_out;
		if (!r.timed_out)
			count = tool->read(r.out, gpu, MANY);
		proc_result_free(&r);
	}
	free(program);
	return usage_gpu_own(gpu, count, w->gpus);
}

static void
add(double *sum, double value)
{
	if (!isnan(value))
		*sum = (isnan(*sum) ? 0 : *sum) + value;
}

static void
take_gpus(struct usage *u, struct usage_span *s, const struct usage_gpu *gpu,
    size_t count)
{
	double busy = NAN, known = 0, total = NAN;
	size_t i, at;

	for (i = 0; i < count; i++) {
		/* Known GPUs have an entry already; a new one is added. */
		for (at = 0; at < u->gpus && u->name[at] != gpu[i].number; at++)
			continue;
		if (at == u->gpus && at < USAGE_GPUS)
			u->name[u->gpus++] = gpu[i].number;
		if (at < USAGE_GPUS)
			s->each[at] = gpu[i].busy;
		add(&busy, gpu[i].busy);
		known += !isnan(gpu[i].busy);
		if (!isnan(gpu[i].busy))
			add(&s->idle, gpu[i].busy == 0);
		add(&s->gpu_memory, gpu[i].memory);
		add(&total, gpu[i].total);
	}
	s->gpu = busy / known;
	if (!isnan(total))
		u->gpu_total = total;
}

static void
see_gpus(struct watcher *w, struct usage_span *s)
{
	const struct usage_tool *tool = w->tool != NULL ? w->tool : usage_tools;
	const char *name = tool->argv[0];
	struct usage_gpu gpu[MANY];
	size_t count = 0;
	int slow = 0;
	char *text;

	if (*w->gpus == '\0')
		return;
	for (; tool->argv != NULL && count == 0; tool++) {
		count = ask(w, tool, gpu, &slow);
		if (count > 0 && w->tool == NULL) {
			w->tool = tool;
			snprintf(w->usage.tool, sizeof w->usage.tool, "%s",
			    tool->argv[0]);
		}
		if (slow || w->tool != NULL)
			break;
	}
	if (proc_interrupted() != 0)
		return;
	if (count > 0) {
		w->failures = 0;
		take_gpus(&w->usage, s, gpu, count);
		return;
	}
	if (++w->failures < FAILURES)
		return;
	w->gpus = ""; /* do not ask any more */
	if (!slow)
		return;
	text = xasprintf("%s does not answer within %d s: the use of the GPUs "
			 "is not known from here on",
	    name, DEADLINE / 1000);
	w->say(text);
	free(text);
}

/* ---- samples ---- */

/* Take a sample.  After the training's end only its CPU time is known. */
static void
look(struct watcher *w, int ended)
{
	double now = (double)(proc_clock() - w->begin) / 1000;
	const struct usage *u = &w->usage;
	struct usage_span s = usage_span(now);

	see_kernel(w, &s, now - (u->count > 0 ? u->span[u->count - 1].end : 0));
	if (ended)
		s.memory = NAN;
	else
		see_gpus(w, &s);
	usage_add(&w->usage, &s);
}

/* Write the record; if that fails, the next write has it. */
static void
put(struct watcher *w)
{
	size_t length;
	char *text = usage_text(&w->usage, &length);

	w->written = proc_clock();
	store_usage_write(w->job, &w->run, text, length, NULL);
	free(text);
}

/*
 * Wait until a time.  Returns whether the training has ended by then, or a
 * signal asks us to end: signals come through a file descriptor.
 */
static int
is_over(int signals, int64_t until)
{
	struct pollfd p[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
	    {.fd = signals, .events = POLLIN}};
	int64_t left;

	for (;;) {
		left = until - proc_clock();
		if (poll(p, 2, left > 0 ? (int)left : 0) > 0)
			return 1;
		if (left <= 0)
			return 0;
	}
}

static void
watch(struct watcher *w, int signals, int64_t every)
{
	int64_t next = w->begin + (every < FIRST ? every : FIRST), now, rest;

	while (!is_over(signals, next)) {
		look(w, 0);
		/* The longer the run, the less does a sample change. */
		now = proc_clock();
		rest = (now - w->begin) / PART;
		if (now - w->written >= (rest < OLDEST ? rest : OLDEST))
			put(w);
		while (next <= proc_clock())
			next += every;
	}
	/* A training that ended before the first sample has none. */
	if (w->usage.count == 0)
		return;
	look(w, 1);
	put(w);
}

/* Find out what the task may use, and its control group if readable. */
static void
find_limits(struct watcher *w, int shares)
{
	double job = environment_number("SLURM_JOB_ID");
	struct usage *u = &w->usage;
	struct usage_kernel now;
	char *text;

	u->cpus = environment_number("SLURM_CPUS_ON_NODE");
	u->memory_limit = environment_number("SLURM_MEM_PER_NODE");
	if (u->memory_limit == 0)
		u->memory_limit =
		    environment_number("SLURM_MEM_PER_CPU") * u->cpus;
	/* With packed tasks, the control group counts all of them. */
	if (!shares && fs_read_path(groups, 1 << 16, &text, NULL, NULL) == 0) {
		w->group = usage_cgroup_find(root, text, (int64_t)job);
		free(text);
	}
	if (w->group != NULL && usage_cgroup_read(w->group, &now, NULL) != 0) {
		free(w->group);
		w->group = NULL;
	}
	snprintf(u->from, sizeof u->from, "%s",
	    w->group != NULL ? "cgroup"
		: w->tree    ? "processes"
			     : "");
}

int
job_measure_main(
    char *const words[], void (*say)(const char *text), struct error *e)
{
	struct watcher w = {.say = say,
	    .gpus = words[GPUS],
	    .tree = strcmp(words[TREE], "no") != 0,
	    .top = getppid(),
	    .begin = proc_clock()};
	struct store_job *job = store_job_load_path(words[JOB], e);
	int rc = job != NULL ? 0 : -1;
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, end_signal());
	sigaddset(&signals, SIGTERM); /* from Slurm, to all of the task */
	proc_interrupt_on(&signals);
	fd = signalfd(-1, &signals, SFD_CLOEXEC);
	w.job = job;
	if (rc == 0 && !store_usage_parse(words[RUN], &w.run))
		rc = error_set(e, "%s: no run of a task", words[RUN]);
	if (rc == 0) {
		find_limits(&w, strcmp(words[TREE], "alone") == 0);
		watch(&w, fd, job_usage_every(job) * 1000);
	}
	close(fd);
	free(w.group);
	store_job_free(job);
	return rc;
}

/* ---- starting and ending the measuring process ---- */

/* Start the process with all signals blocked: it waits for its own. */
static int
spawn(const struct job_run *r, int in, pid_t *pid)
{
	char run[STORE_FACT_NAME], *gpus = xcopy(r->body.gpus), none[] = "";
	char tree[] = "tree", no[] = "no", alone[] = "alone", word[] = "usage";
	char *argv[] = {(char *)(uintptr_t)r->program, word,
	    (char *)(uintptr_t)store_job_path(r->job), run,
	    job_container_is_beside(r->job) ? no
		: r->packed > 1             ? alone
					    : tree,
	    gpus != NULL ? gpus : none, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t all;
	int rc;

	store_usage_name(&r->fact, run);
	sigfillset(&all);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	rc = posix_spawn(pid, r->program, &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(gpus);
	return rc;
}

struct job_measure
job_measure_start(const struct job_run *r)
{
	struct job_measure u = {0, -1};
	int ends[2];

	if (job_usage_every(r->job) == 0 || pipe2(ends, O_CLOEXEC) == -1)
		return u;
	if (spawn(r, ends[0], &u.pid) == 0) {
		u.fd = ends[1];
	} else {
		u.pid = 0;
		close(ends[1]);
	}
	close(ends[0]);
	return u;
}

/* End the process, or give up: even SIGKILL may wait for a dead file server. */
static void
stop(struct job_measure *u, int64_t patience)
{
	struct timespec nap = {0, NAP * 1000000};
	int64_t until = proc_clock() + patience;
	int killed = 0;

	close(u->fd);
	kill(u->pid, end_signal());
	while (waitpid(u->pid, NULL, WNOHANG) == 0) {
		if (proc_clock() < until) {
			nanosleep(&nap, NULL);
			continue;
		}
		if (killed)
			break;
		kill(u->pid, SIGKILL);
		killed = 1;
		until = proc_clock() + PATIENCE;
	}
	*u = (struct job_measure){0, -1};
}

char *
job_measure_end(struct job_measure *u, const struct job_run *r, int asked)
{
	char *text, *out = NULL;
	size_t length;

	if (u->pid == 0)
		return NULL;
	stop(u, asked ? HURRY : PATIENCE);
	text = store_usage_read(r->job, &r->fact, &length, NULL);
	if (text != NULL)
		out = job_usage_shorten(text, length);
	free(text);
	return out;
}
