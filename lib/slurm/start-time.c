#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "slurm/private.h"
#include "slurm/start-time.h"

/* A line of squeue: tasks of an array that are pending together. */
struct entry {
	int64_t array;
	struct queue_times times;
	struct idset tasks; /* empty if the job is not an array */
};

/* The fields of a line. */
enum { ARRAY, TASKS, START, BEGIN, FIELDS };

struct queue_expect {
	struct entry *entry;
	size_t count;
};

/* ---- reading squeue's output ---- */

/* Read a time; returns -1 for "N/A". */
static int64_t
read_time(const char *text)
{
	int64_t time;

	return num_int("time", text, 1, INT64_MAX, &time, NULL) == 0 ? time
								     : -1;
}

static void
read_line(struct queue_expect *x, char *line)
{
	char *field[FIELDS], *at = line;
	struct entry entry = {0};
	size_t i;

	for (i = 0; i < FIELDS; i++) {
		field[i] = at;
		at = strchr(at, '|');
		if (at == NULL)
			return;
		*at++ = '\0';
	}
	field[TASKS][strcspn(field[TASKS], "%]")] = '\0';
	field[TASKS] += *field[TASKS] == '[';
	entry.times.start = read_time(field[START]);
	entry.times.begin = read_time(field[BEGIN]);
	if (num_int("array", field[ARRAY], 1, UINT32_MAX, &entry.array, NULL) ==
		-1 ||
	    (strcmp(field[TASKS], "N/A") != 0 &&
		idset_parse(&entry.tasks, field[TASKS], NULL) == -1))
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
		idset_free(&x->entry[i].tasks);
	free(x->entry);
	free(x);
}

const struct queue_times *
queue_expect_find(const struct queue_expect *x, int64_t array, int64_t index)
{
	size_t i;

	for (i = 0; i < x->count; i++)
		if (x->entry[i].array == array &&
		    (index < 0
			    ? x->entry[i].tasks.count == 0
			    : idset_has(&x->entry[i].tasks, (uint64_t)index)))
			return &x->entry[i].times;
	return NULL;
}

/* ---- running squeue ---- */

struct queue_expect *
queue_expect_load(struct error *e)
{
	static char *const argv[] = {"squeue", "--me", "--noheader",
	    "--states=PENDING",
	    "--Format=ArrayJobID:|,ArrayTaskID:|,StartTime:|,EligibleTime:|",
	    NULL};
	struct queue_expect *x = NULL;
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
	if (proc_ok(&r))
		x = queue_expect_read(r.out);
	else if (r.timed_out)
		error_set(e, "squeue: no answer in time");
	else if (*r.complaint == '\0' || *r.complaint == '\n')
		error_set(e, "squeue: it did not work");
	else
		error_set(
		    e, "%.*s", (int)strcspn(r.complaint, "\n"), r.complaint);
	proc_result_free(&r);
	return x;
}
