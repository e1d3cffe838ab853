#include <sys/wait.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/hold.h"
#include "slurm/queue.h"
#include "slurm/task.h"
#include "sys/proc.h"

/* Milliseconds that one call of scontrol may take. */
enum { REQUEUE_MS = 15000 };

/* The most runs of tasks in one name; the kernel takes words of 128 KiB. */
enum { RUNS = 4000 };

/* Run scontrol with one operand, or two; its output, to free, or NULL. */
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
		error_code(e, ERROR_LATER, "%s: Slurm does not answer", verb);
	else if (proc_ok(&result))
		out = xstrdup(result.out);
	else if (WIFSIGNALED(result.status)) /* with all that is of the task */
		error_code(e, ERROR_ENDING, "%s: Slurm ends the task", verb);
	else if (strstr(why, "contact slurm controller") ||
	    strstr(why, "imed out"))
		error_code(e, ERROR_LATER, "%s: %.*s", verb, length, why);
	else
		error_code(e, ERROR_REFUSED, "%s: %.*s", verb, length, why);
	proc_result_free(&result);
	return out;
}

/* Whether one line about a job has a field that begins with a value. */
static int
has_field(const char *line, const char *field, const char *value)
{
	const char *at = strstr(line, field);
	size_t n = strlen(value);

	if (at == NULL)
		return 0;
	at += strlen(field);
	return strncmp(at, value, n) == 0 && strchr(" \n", at[n]) != NULL;
}

/* Whether the job is the one with the token, in the state, if not NULL. */
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
	else if (state != NULL && !has_field(line, " JobState=", state))
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

/* The value of a field of one line, to free, or NULL. */
static char *
field(const char *line, const char *name)
{
	size_t n = strlen(name), length = strcspn(line, "\n");
	const char *at = line;

	while (at < line + length) {
		if (strncmp(at, name, n) == 0)
			return xstrndup(at + n, strcspn(at + n, " \n"));
		at += strcspn(at, " \n") + 1;
	}
	return NULL;
}

/* Read "1-02:03:04", "02:03:04" or "03:04" as seconds; -1 for a word. */
static int64_t
seconds(const char *text)
{
	int64_t days = 0, sum = 0, part;
	char *end;

	while (text != NULL && *text >= '0' && *text <= '9') {
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
	char *line = scontrol("show", "job", name, NULL);
	char *limit = line != NULL ? field(line, "TimeLimit=") : NULL;
	char *used = line != NULL ? field(line, "RunTime=") : NULL;
	int64_t left = -1;

	if (limit != NULL && strcmp(limit, "UNLIMITED") == 0)
		left = INT64_MAX;
	else if (seconds(limit) > 0 && seconds(used) >= 0)
		left = seconds(limit) > seconds(used)
		    ? seconds(limit) - seconds(used)
		    : 0;
	free(limit);
	free(used);
	free(line);
	free(name);
	return left;
}

/* Both are "2026-11-23T04:01:05", or a word; the preemption is of this run. */
static int
is_preempted(const char *line)
{
	char *start = field(line, "StartTime=");
	char *preempted = field(line, "PreemptTime=");
	int is = start != NULL && preempted != NULL && *preempted >= '0' &&
	    *preempted <= '9' && strcmp(preempted, start) >= 0;

	free(start);
	free(preempted);
	return is;
}

int
queue_task_is_preempted(uint32_t array, uint32_t index, const char *token)
{
	char *name = xasprintf("%" PRIu32 "_%" PRIu32, array, index);
	char *line = scontrol("show", "job", name, NULL);
	int is = -1;

	if (line != NULL)
		is = queue_token_is_in(line, token) &&
		    has_field(line, " JobState=", "RUNNING") &&
		    is_preempted(line);
	free(line);
	free(name);
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

/* Whether a line is about one of these tasks, or may be. */
static int
is_about(const char *line, const struct idset *indices)
{
	static const char name[] = " ArrayTaskId=";
	const char *at = strstr(line, name);
	struct idset own = {0};
	struct idset_walk walk = {0};
	uint64_t index;
	char *list;
	int found = 0;

	if (indices == NULL || at == NULL)
		return 1;
	at += sizeof name - 1;
	list = xstrndup(at, strcspn(at, "% "));
	if (idset_parse(&own, list, NULL) == -1)
		found = 1;
	while (!found && idset_next(indices, &walk, &index))
		found = idset_has(&own, index);
	idset_free(&own);
	free(list);
	return found;
}

static int
has_hold(const char *line)
{
	static const char name[] = " Reason=";
	const char *at = strstr(line, name);

	return at != NULL && queue_hold_of(at + sizeof name - 1) != QUEUE_FREE;
}

/* Whether Slurm still holds some of them: 1, 0, or -1. */
static int
is_held(const char *name, const struct idset *indices, struct error *e)
{
	char *lines = scontrol("show", "job", name, e), *line, *save;
	int held = 0;

	if (lines == NULL)
		return -1;
	for (line = strtok_r(lines, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save))
		held |= has_field(line, " JobState=", "PENDING") &&
		    has_hold(line) && is_about(line, indices);
	free(lines);
	return held;
}

/* Slurm refuses where some are over, and does it for the others. */
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

/* The value of a field in a line; to free, "" when there is none. */
static char *
field_of(const char *line, const char *field)
{
	const char *at = strstr(line, field);

	if (at == NULL)
		return xstrdup("");
	at += strlen(field);
	if (strncmp(at, "(null)", 6) == 0)
		return xstrdup("");
	return xstrndup(at, strcspn(at, " \n"));
}

/*
 * Set *list to the nodes that the pending tasks of an array leave out, to free,
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
		if (ours && has_field(line, " JobState=", "PENDING"))
			*list = field_of(line, " ExcNodeList=");
	}
	free(lines);
	if (ours)
		return 0;
	free(*list);
	*list = NULL;
	return error_code(
	    e, ERROR_REFUSED, "%s: it is another job by now", name);
}

/* Slurm refuses for those that run, and does it for the others. */
static int
exclude(const char *name, const char *token, const char *before,
    const char *node, struct error *e)
{
	char *list =
	    xasprintf("ExcNodeList=%s%s%s", before, *before ? "," : "", node);
	char *id = xasprintf("JobId=%s", name), *out, *now;
	int rc;

	out = scontrol("update", id, list, e);
	rc = out != NULL ? 0 : -1;
	if (rc == -1 && find_excluded(name, token, &now, NULL) == 0) {
		if (now == NULL || strcmp(now, before) != 0)
			rc = 0;
		free(now);
	}
	free(out);
	free(id);
	free(list);
	return rc;
}

int
queue_task_exclude(
    uint32_t array, const char *token, const char *node, struct error *e)
{
	char *name = xasprintf("%" PRIu32, array);
	char *before;
	int rc = find_excluded(name, token, &before, e);

	if (before != NULL && !text_lists(before, node))
		rc = exclude(name, token, before, node, e);
	free(before);
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
		name = field(line, "NodeName=");
		address = field(line, "NodeAddr=");
		if (name != NULL && address != NULL)
			strlist_take(out, xasprintf("%s=%s", name, address));
		free(name);
		free(address);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	free(lines);
	return lines != NULL ? 0 : -1;
}
