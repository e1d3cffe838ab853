#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "sys/fs.h"
#include "sys/proc-table.h"
#include "usage/kernel.h"

enum { LIMIT = 1 << 16, MIB = 1 << 20, DEEPEST = 1000 };

/* ---- control groups ---- */

char *
usage_cgroup_find(const char *root, const char *groups, int64_t job)
{
	char *own = xasprintf("/job_%" PRId64, job), *found = NULL;
	const char *line = groups, *at, *end;
	size_t length = strlen(own);

	for (; *line != '\0'; line = end + (*end != '\0')) {
		end = strchrnul(line, '\n');
		if (strncmp(line, "0::", 3) != 0)
			continue;
		for (at = line + 3; at + length <= end; at++)
			if (strncmp(at, own, length) == 0 &&
			    strchr("/\n", at[length]) != NULL)
				found = found != NULL
				    ? found
				    : xasprintf("%s%.*s", root,
					  (int)(at + length - line - 3),
					  line + 3);
	}
	free(own);
	return found;
}

int64_t
usage_cgroup_job(const char *line)
{
	static const char sign[] = "/job_";
	const char *at = strstr(line, "slurm");
	char *end;
	long long job;

	if (at == NULL)
		return 0;
	while ((at = strstr(at, sign)) != NULL) {
		at += strlen(sign);
		if (*at < '1' || *at > '9')
			continue;
		job = strtoll(at, &end, 10);
		if ((*end == '/' || *end == '\0') && job <= UINT32_MAX)
			return job;
	}
	return 0;
}

/* Return the number after a name at the start of a line, or nan. */
static double
value_of(const char *text, const char *name)
{
	size_t length = strlen(name);
	const char *at;

	for (at = text; at != NULL && *at != '\0';
	     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		if (strncmp(at, name, length) != 0 || at[length] != ' ')
			continue;
		at += length + 1;
		return num_amount(at, strcspn(at, "\n"));
	}
	return NAN;
}

static char *
read_below(const char *directory, const char *name, struct error *e)
{
	char *path = fs_join(directory, name), *text;
	int rc = fs_read_path(path, LIMIT, &text, NULL, e);

	free(path);
	return rc == 0 ? text : NULL;
}

int
usage_cgroup_read(
    const char *directory, struct usage_kernel *out, struct error *e)
{
	char *text = read_below(directory, "cpu.stat", e);
	double shared = NAN;

	if (text == NULL)
		return -1;
	*out = (struct usage_kernel){value_of(text, "usage_usec") / 1e6, NAN};
	free(text);
	if (isnan(out->cpu))
		return error_set(e, "%s/cpu.stat: no usage_usec", directory);
	/* Leave out the page cache, which memory.current includes. */
	text = read_below(directory, "memory.stat", NULL);
	if (text != NULL) {
		out->memory = value_of(text, "anon") / MIB;
		shared = value_of(text, "shmem") / MIB;
	}
	if (!isnan(shared))
		out->memory += shared;
	free(text);
	return 0;
}

/* ---- processes ---- */

static int
by_pid(const void *a, const void *b)
{
	const struct proc_stat *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/*
 * Return whether process one is top or a descendant of top, but neither without
 * nor a descendant of without.
 */
static int
is_below(const struct proc_stat *p, size_t count, const struct proc_stat *one,
    pid_t top, pid_t without)
{
	struct proc_stat parent;
	int depth;

	/* Processes that end and begin during the listing may form a cycle. */
	for (depth = 0; one != NULL && depth < DEEPEST; depth++) {
		if (one->pid == without)
			return 0;
		if (one->pid == top)
			return 1;
		parent.pid = one->parent;
		one = bsearch(&parent, p, count, sizeof *p, by_pid);
	}
	return 0;
}

struct usage_kernel
usage_process_sum(struct proc_stat *p, size_t count, pid_t top, pid_t without)
{
	double tick = (double)sysconf(_SC_CLK_TCK);
	double page = (double)sysconf(_SC_PAGESIZE);
	struct usage_kernel sum = {NAN, NAN};
	size_t i;

	if (count > 0)
		qsort(p, count, sizeof *p, by_pid);
	for (i = 0; i < count; i++) {
		if (!is_below(p, count, &p[i], top, without))
			continue;
		if (isnan(sum.cpu))
			sum = (struct usage_kernel){0, 0};
		sum.cpu += p[i].ticks / tick;
		sum.memory += p[i].pages * page / MIB;
	}
	return sum;
}

int
usage_tree_read(
    pid_t top, pid_t without, struct usage_kernel *out, struct error *e)
{
	size_t count, known = 0, i;
	struct proc_stat *p;
	pid_t *all;

	if (proc_all(1, &all, &count, e) == -1)
		return -1;
	p = xcalloc(count + 1, sizeof *p);
	for (i = 0; i < count; i++)
		known += proc_stat(all[i], &p[known]) == 0;
	*out = usage_process_sum(p, known, top, without);
	free(p);
	free(all);
	if (isnan(out->cpu))
		return error_set(e, "process %ld: not there", (long)top);
	return 0;
}
