#include <stdlib.h>
#include <string.h>

#include "num.h"
#include "queue-expect.h"
#include "queue-own.h"
#include "xalloc.h"

/* A line of squeue: tasks of an array that wait together. */
struct entry {
	int64_t array, start;
	struct ranges tasks; /* none: it is no array */
};

struct queue_expect {
	struct entry *entry;
	size_t count;
};

/* ---- reading ---- */

static void
read_line(struct queue_expect *x, char *line)
{
	char *tasks = strchr(line, '|'), *start;
	struct entry entry = {0};

	if (tasks == NULL)
		return;
	*tasks++ = '\0';
	start = strchr(tasks, '|');
	if (start == NULL)
		return;
	*start++ = '\0';
	tasks[strcspn(tasks, "%]")] = '\0';
	tasks += *tasks == '[';
	/* "N/A" while Slurm does not know. */
	if (num_int("start", start, 1, INT64_MAX, &entry.start, NULL) == -1)
		entry.start = -1;
	if (num_int("array", line, 1, UINT32_MAX, &entry.array, NULL) == -1 ||
	    (strcmp(tasks, "N/A") != 0 &&
		ranges_parse(&entry.tasks, tasks, NULL) == -1))
		return;
	x->entry = xgrow(x->entry, x->count, sizeof *x->entry);
	x->entry[x->count++] = entry;
}

struct queue_expect *
queue_expect_read(const char *text)
{
	struct queue_expect *x = xcalloc(1, sizeof *x);
	char *copy = xstrdup(text), *line, *rest;

	for (line = strtok_r(copy, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		read_line(x, line);
	free(copy);
	return x;
}

void
queue_expect_free(struct queue_expect *x)
{
	size_t i;

	if (x == NULL)
		return;
	for (i = 0; i < x->count; i++)
		ranges_free(&x->entry[i].tasks);
	free(x->entry);
	free(x);
}

static const struct entry *
find(const struct queue_expect *x, int64_t array, int64_t index)
{
	size_t i;

	for (i = 0; i < x->count; i++)
		if (x->entry[i].array == array &&
		    (index < 0
			    ? x->entry[i].tasks.count == 0
			    : ranges_has(&x->entry[i].tasks, (uint64_t)index)))
			return &x->entry[i];
	return NULL;
}

int
queue_expect_waits(const struct queue_expect *x, int64_t array, int64_t index)
{
	return find(x, array, index) != NULL;
}

int64_t
queue_expect_start(const struct queue_expect *x, int64_t array, int64_t index)
{
	const struct entry *found = find(x, array, index);

	return found != NULL ? found->start : -1;
}

/* ---- asking ---- */

static struct queue_expect *
take_answer(const struct proc_result *r, struct error *e)
{
	char *why;

	if (proc_ok(r))
		return queue_expect_read(r->out);
	why = xstrdup(r->complaint);
	why[strcspn(why, "\n")] = '\0';
	if (r->timed_out)
		error_set(e, "squeue: no answer in time");
	else
		error_set(
		    e, "%s", *why != '\0' ? why : "squeue: it did not work");
	free(why);
	return NULL;
}

struct queue_expect *
queue_expect_load(struct error *e)
{
	static char *const argv[] = {"squeue", "--me", "--noheader",
	    "--states=PENDING", "--format=%F|%K|%S", NULL};
	struct queue_expect *x;
	struct proc_result r;
	char **env;
	int64_t ms;
	int rc;

	if (queue_check_configuration(e) == -1 ||
	    queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return NULL;
	env = queue_environ();
	rc = proc_run(argv, env, ms, &r, e);
	free(env);
	if (rc == -1)
		return NULL;
	x = take_answer(&r, e);
	proc_result_free(&r);
	return x;
}
