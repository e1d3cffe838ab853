#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "slurm/update-array.h"
#include "slurm/task.h"
#include "slurm/text.h"

/*
 * Check that the array carries the token.  An id alone proves nothing: a
 * controller that crashed may assign it to another job.  So check right before
 * every change, even if the caller has read the queue.
 */
static int
check(uint32_t array, const char *token, struct error *e)
{
	struct queue_jobs jobs = {.count = 0};
	int64_t ms;
	int rc, ours = 0;
	size_t i;

	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return -1;
	rc = queue_text_array(array, proc_clock() + ms, &jobs, e);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		ours |= jobs.record[i].array == array &&
		    jobs.record[i].uid == getuid() &&
		    queue_has_token(&jobs.record[i], token);
	if (rc == 0 && !ours)
		rc = error_code(e, ERROR_REFUSED,
		    "%" PRIu32 ": it is another job by now", array);
	queue_jobs_free(&jobs);
	return rc;
}

/*
 * Run scontrol.  An answer for each task, "12_0: Job has already finished", is
 * a refusal; the answer is the reason.
 */
static int
scontrol(const char *const words[], struct proc_result *result, struct error *e)
{
	const char *text;
	char *complaint;
	int64_t ms;
	size_t n;

	memset(result, 0, sizeof *result);
	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return -1;
	if (queue_text_run(words, proc_clock() + ms, result, e) == 0)
		return 0;
	text = result->complaint;
	n = text != NULL ? strspn(text, "0123456789") : 0;
	if (!result->timed_out && n > 0 && (text[n] == '_' || text[n] == ':')) {
		complaint = queue_complaint(text);
		error_code(e, ERROR_REFUSED, "scontrol failed: %s", complaint);
		free(complaint);
	}
	return -1;
}

static int
change(const char *const words[], struct error *e)
{
	struct proc_result result;
	int rc = scontrol(words, &result, e);

	proc_result_free(&result);
	return rc;
}

int
queue_hold(int hold, uint32_t array, const struct idset *indices,
    const char *token, struct error *e)
{
	/* With an operator's "hold" the user could not release the tasks. */
	const char *verb = hold ? "uhold" : "release";
	struct strlist names = {0};
	struct error why = {""};
	int rc = 0;
	size_t i;

	if (check(array, token, e) == -1)
		return -1;
	if (indices == NULL)
		strlist_take(&names, xasprintf("%" PRIu32, array));
	else
		queue_task_names(array, indices, &names);
	for (i = 0; i < names.count && why.code != ERROR_SILENT; i++)
		if (change((const char *const[]){"scontrol", verb,
			       names.word[i], NULL},
			&why) == -1)
			rc = error_copy(e, &why);
	strlist_free(&names);
	return rc;
}

/*
 * Add the field's values in Slurm's records of the pending tasks of an array to
 * out, one for each record.  Returns 0, or -1 if Slurm does not answer.
 */
static int
find_values(
    uint32_t array, const char *field, struct strlist *out, struct error *e)
{
	char *id = xasprintf("%" PRIu32, array), *line, *save = NULL;
	struct proc_result result;
	int rc = scontrol((const char *const[]){"scontrol", "--oneliner",
			      "show", "job", id, NULL},
	    &result, e);

	for (line = rc == 0 ? strtok_r(result.out, "\n", &save) : NULL;
	     line != NULL; line = strtok_r(NULL, "\n", &save))
		if (queue_task_has(line, "JobState", "PENDING"))
			strlist_take(out, queue_task_field(line, field));
	proc_result_free(&result);
	free(id);
	return rc;
}

/* Return whether a dependency has all parts of wanted. */
static int
has_all(const char *dependency, const char *wanted)
{
	const char *at;
	char *part;
	size_t n;
	int all = 1;

	for (; all && *wanted != '\0'; wanted += n + (wanted[n] == ',')) {
		n = strcspn(wanted, ",");
		part = xstrndup(wanted, n);
		at = strstr(dependency, part);
		all = at != NULL && !isdigit((unsigned char)at[n]);
		free(part);
	}
	return all;
}

/* ---- changing a field ---- */

/*
 * Change a field of all pending tasks of an array.  If some tasks have ended,
 * Slurm refuses but changes the others; not all releases report that.
 * ERROR_REFUSED alone proves nothing, so the caller checks the pending tasks.
 */
static int
update(uint32_t array, const char *field, const char *value, struct error *e)
{
	char *id = xasprintf("JobId=%" PRIu32, array);
	char *text = xasprintf("%s=%s", field, value);
	int rc = change(
	    (const char *const[]){"scontrol", "update", id, text, NULL}, e);

	free(id);
	free(text);
	return rc;
}

/*
 * Return whether the pending tasks of an array have this throttle, or none is
 * pending; -1 if Slurm does not answer.
 */
static int
has_throttle(uint32_t array, const char *most, struct error *e)
{
	struct strlist now = {0};
	int has = find_values(array, "ArrayTaskThrottle", &now, e);

	if (has == 0)
		has = now.count == 0 || strlist_have(&now, most) ||
		    (strcmp(most, "0") == 0 && strlist_have(&now, ""));
	strlist_free(&now);
	return has;
}

int
queue_throttle(uint32_t array, const char *token, int64_t most, struct error *e)
{
	struct error why;
	char *value;
	int rc;

	if (check(array, token, e) == -1)
		return -1;
	value = xasprintf("%" PRId64, most);
	rc = update(array, "ArrayTaskThrottle", value, &why);
	if (rc == -1 && why.code == ERROR_REFUSED &&
	    has_throttle(array, value, &why) == 1)
		rc = 0;
	free(value);
	return rc == -1 ? error_copy(e, &why) : 0;
}

/*
 * Return whether the pending tasks of an array have the dependency on, or one
 * that differs from before; -1 if Slurm does not answer.
 */
static int
has_dependency(uint32_t array, const struct strlist *before, const char *on,
    struct error *e)
{
	struct strlist now = {0};
	size_t i;
	int has = find_values(array, "Dependency", &now, e);

	for (i = 0; has == 0 && i < now.count; i++)
		has = !strlist_have(before, now.word[i]) ||
		    (*on == '\0' ? *now.word[i] == '\0'
				 : has_all(now.word[i], on));
	strlist_free(&now);
	return has;
}

int
queue_depend(uint32_t array, const char *token, const char *on, struct error *e)
{
	struct strlist before = {0};
	struct error why;
	int rc = -1;

	if (check(array, token, e) == -1)
		return -1;
	if (find_values(array, "Dependency", &before, &why) == 0)
		rc = update(array, "Dependency", on, &why);
	/* Slurm drops fulfilled parts: a new dependency may differ from on. */
	if (rc == -1 && why.code == ERROR_REFUSED && before.count > 0 &&
	    has_dependency(array, &before, on, &why) == 1)
		rc = 0;
	strlist_free(&before);
	return rc == -1 ? error_copy(e, &why) : 0;
}
