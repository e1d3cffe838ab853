#include <sys/wait.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/names.h"
#include "slurm/queue.h"
#include "slurm/task.h"
#include "sys/proc.h"

/* Milliseconds that one call of scontrol may take. */
enum { REQUEUE_MS = 15000 };

/* Most runs of tasks in one name; the kernel limits a word to 128 KiB. */
enum { RUNS = 4000 };

/* Run scontrol with one or two operands.  Returns its output, to free. */
static char *
scontrol(
    const char *verb, const char *noun, const char *operand, struct error *e)
{
	const char *words[] = {
	    "scontrol", "--oneliner", verb, noun, operand, NULL};
	struct proc_result result;
	const char *why;
	char *out = NULL;
	int length;

	if (proc_run((char *const *)(uintptr_t)words, NULL, REQUEUE_MS, &result,
		e) == -1)
		return NULL;
	why = *result.complaint ? result.complaint : "scontrol failed";
	length = (int)strcspn(why, "\n");
	if (result.timed_out)
		error_code(e, ERROR_SILENT, "%s: Slurm does not answer", verb);
	else if (proc_ok(&result))
		out = xstrdup(result.out);
	else if (WIFSIGNALED(result.status)) /* Slurm kills the whole task */
		error_code(e, ERROR_ENDING, "%s: Slurm ends the task", verb);
	else if (strstr(why, "contact slurm controller") ||
	    strstr(why, "imed out"))
		error_code(e, ERROR_SILENT, "%s: %.*s", verb, length, why);
	else
		error_code(e, ERROR_REFUSED, "%s: %.*s", verb, length, why);
	proc_result_free(&result);
	return out;
}

/* Check that a job has the token and, unless it is NULL, the state. */
static int
check(const char *name, const char *token, const char *state, struct error *e)
{
	char *line = scontrol("show", "job", name, e);
	int rc = 0;

	if (line == NULL)
		return -1;
	if (!queue_token_is_in(line, token))
		rc = error_code(
		    e, ERROR_REFUSED, "%s: it is another job by now", name);
	else if (state != NULL && !queue_task_has(line, "JobState", state))
		rc = error_code(
		    e, ERROR_ENDING, "%s: Slurm ends the task", name);
	free(line);
	return rc;
}

int
queue_task_requeue(
    uint32_t array, uint32_t index, const char *token, struct error *e)
{
	char *name = xasprintf("%" PRIu32 "_%" PRIu32, array, index), *out;
	int rc = check(name, token, "RUNNING", e);

	if (rc == 0) {
		out = scontrol("requeue", name, NULL, e);
		rc = out != NULL ? 0 : -1;
		free(out);
	}
	free(name);
	return rc;
}

char *
queue_task_field(const char *line, const char *key)
{
	size_t n = strlen(key);
	const char *at = line;

	while (strncmp(at, key, n) != 0 || at[n] != '=') {
		at += strcspn(at, " \n");
		at += strspn(at, " ");
		if (*at == '\0' || *at == '\n')
			return xstrdup("");
	}
	at += n + 1;
	if (strncmp(at, "(null)", 6) == 0)
		return xstrdup("");
	return xstrndup(at, strcspn(at, " \n"));
}

int
queue_task_has(const char *line, const char *key, const char *value)
{
	char *text = queue_task_field(line, key);
	int has = strcmp(text, value) == 0;

	free(text);
	return has;
}

/* Read "1-02:03:04", "02:03:04" or "03:04" as seconds; -1 for a word. */
static int64_t
seconds(const char *text)
{
	int64_t days = 0, sum = 0, part;
	char *end;

	while (*text >= '0' && *text <= '9') {
		part = strtoll(text, &end, 10);
		if (*end == '-') {
			days = part;
		} else {
			sum = sum * 60 + part;
			if (*end == '\0')
				return days * 24 * 60 * 60 + sum;
			if (*end != ':')
				break;
		}
		text = end + 1;
	}
	return -1;
}

int64_t
queue_task_left(uint32_t array, uint32_t index)
{
	char *name = xasprintf("%" PRIu32 "_%" PRIu32, array, index);
	char *line = scontrol("show", "job", name, NULL), *limit, *used;
	int64_t left = -1, all, run;

	free(name);
	if (line == NULL)
		return -1;
	limit = queue_task_field(line, "TimeLimit");
	used = queue_task_field(line, "RunTime");
	all = seconds(limit);
	run = seconds(used);
	if (strcmp(limit, "UNLIMITED") == 0)
		left = INT64_MAX;
	else if (all > 0 && run >= 0)
		left = all > run ? all - run : 0;
	free(limit);
	free(used);
	free(line);
	return left;
}

int
queue_task_is_preempted(uint32_t array, uint32_t index, const char *token)
{
	char *name = xasprintf("%" PRIu32 "_%" PRIu32, array, index);
	char *line = scontrol("show", "job", name, NULL), *start, *preempted;
	int is;

	free(name);
	if (line == NULL)
		return -1;
	/*
	 * Values are times, "2026-11-23T04:01:05", or words.  A preemption
	 * before StartTime was of an earlier run.
	 */
	start = queue_task_field(line, "StartTime");
	preempted = queue_task_field(line, "PreemptTime");
	is = queue_token_is_in(line, token) &&
	    queue_task_has(line, "JobState", "RUNNING") && *start != '\0' &&
	    *preempted >= '0' && *preempted <= '9' &&
	    strcmp(preempted, start) >= 0;
	free(start);
	free(preempted);
	free(line);
	return is;
}

void
queue_task_names(
    uint32_t array, const struct idset *indices, struct strlist *out)
{
	struct idset some;
	size_t i, n;
	char *list;

	for (i = 0; i < indices->count; i += n) {
		n = indices->count - i < RUNS ? indices->count - i : RUNS;
		some = (struct idset){indices->run + i, n};
		list = idset_text(&some);
		strlist_take(out, xasprintf("%" PRIu32 "_[%s]", array, list));
		free(list);
	}
}

/* Return whether a line is, or may be, about one of the tasks in indices. */
static int
is_about(const char *line, const struct idset *indices)
{
	char *list = queue_task_field(line, "ArrayTaskId");
	struct idset own = {0};
	struct idset_walk walk = {0};
	uint64_t index;
	int found;

	list[strcspn(list, "%")] = '\0';
	found = indices == NULL || *list == '\0' ||
	    idset_parse(&own, list, NULL) == -1;
	while (!found && idset_next(indices, &walk, &index))
		found = idset_has(&own, index);
	idset_free(&own);
	free(list);
	return found;
}

/* Return whether Slurm still holds some of the tasks: 1, 0, or -1. */
static int
is_held(const char *name, const struct idset *indices, struct error *e)
{
	static const char sign[] = " Reason=";
	char *lines = scontrol("show", "job", name, e), *line, *save;
	const char *reason;
	int held = 0;

	if (lines == NULL)
		return -1;
	for (line = strtok_r(lines, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		reason = strstr(line, sign);
		held |= reason != NULL &&
		    queue_hold_of(reason + sizeof sign - 1) != QUEUE_FREE &&
		    queue_task_has(line, "JobState", "PENDING") &&
		    is_about(line, indices);
	}
	free(lines);
	return held;
}

/* If some tasks have ended, Slurm refuses but releases the others. */
int
queue_task_release(uint32_t array, const struct idset *indices,
    const char *token, struct error *e)
{
	char *name = xasprintf("%" PRIu32, array), *out;
	struct strlist names = {0};
	int rc = check(name, token, NULL, e), refused = 0;
	size_t i;

	if (indices == NULL)
		strlist_push(&names, name);
	else
		queue_task_names(array, indices, &names);
	for (i = 0; rc == 0 && i < names.count; i++) {
		out = scontrol("release", names.word[i], NULL, e);
		refused |= out == NULL;
		free(out);
	}
	if (refused && is_held(name, indices, NULL) != 0)
		rc = -1;
	strlist_free(&names);
	free(name);
	return rc;
}

/*
 * Set *list to the nodes that the pending tasks of an array exclude, to free,
 * or to NULL if none is pending.  Returns 0, or -1.
 */
static int
find_excluded(const char *name, const char *token, char **list, struct error *e)
{
	char *lines = scontrol("show", "job", name, e), *line, *save;
	int ours = 1;

	*list = NULL;
	if (lines == NULL)
		return -1;
	for (line = strtok_r(lines, "\n", &save); line != NULL && *list == NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		ours = ours && queue_token_is_in(line, token);
		if (ours && queue_task_has(line, "JobState", "PENDING"))
			*list = queue_task_field(line, "ExcNodeList");
	}
	free(lines);
	if (ours)
		return 0;
	free(*list);
	*list = NULL;
	return error_code(
	    e, ERROR_REFUSED, "%s: it is another job by now", name);
}

int
queue_task_exclude(
    uint32_t array, const char *token, const char *node, struct error *e)
{
	char *name = xasprintf("%" PRIu32, array), *before, *now;
	char *id = xasprintf("JobId=%s", name), *list = NULL, *out = NULL;
	int rc = find_excluded(name, token, &before, e);

	if (before != NULL && !text_lists(before, node)) {
		list = xasprintf(
		    "ExcNodeList=%s%s%s", before, *before ? "," : "", node);
		out = scontrol("update", id, list, e);
		rc = out != NULL ? 0 : -1;
	}
	/* If some tasks run, Slurm refuses but changes the others. */
	if (list != NULL && rc == -1 &&
	    find_excluded(name, token, &now, NULL) == 0) {
		if (now == NULL || strcmp(now, before) != 0)
			rc = 0;
		free(now);
	}
	free(before);
	free(list);
	free(out);
	free(id);
	free(name);
	return rc;
}

int
queue_task_addresses(
    const struct strlist *nodes, struct strlist *out, struct error *e)
{
	char *list = strlist_join(nodes, ","), *lines, *line, *name, *address;

	lines = scontrol("show", "node", list, e);
	free(list);
	for (line = lines; line != NULL && *line != '\0';) {
		name = queue_task_field(line, "NodeName");
		address = queue_task_field(line, "NodeAddr");
		if (*name != '\0' && *address != '\0')
			strlist_take(out, xasprintf("%s=%s", name, address));
		free(name);
		free(address);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	free(lines);
	return lines != NULL ? 0 : -1;
}
