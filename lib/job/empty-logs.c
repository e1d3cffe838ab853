#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "job/empty-logs.h"
#include "store/once.h"

/* Marker empty.0.0-99_101 names tasks 0-99 and 101 in attempt 0. */
static const char mark[] = "empty.";
enum { LENGTH = 160 }; /* the most characters of tasks in a marker's name */

/* Replace each from in a text by to. */
static void
replace(char *text, char from, char to)
{
	for (; (text = strchr(text, from)) != NULL; text++)
		*text = to;
}

/* Cut text after as many of its parts between commas as fit into a name. */
static char *
cut(char *text)
{
	char *end;

	if (strlen(text) <= LENGTH)
		return text + strlen(text);
	for (end = text + LENGTH; *end != ','; end--)
		continue;
	*end = '\0';
	return end + 1;
}

int
job_empty_logs_note(const struct store_job *job, uint32_t attempt,
    const struct idset *tasks, struct error *e)
{
	char *text = idset_text(tasks), *part, *rest, *name;
	int rc = 0;

	for (part = text; rc != -1 && *part != '\0'; part = rest) {
		rest = cut(part);
		replace(part, ',', '_');
		name = xasprintf("%s%" PRIu32 ".%s", mark, attempt, part);
		rc = store_once_set(job, name, NULL, e);
		free(name);
	}
	free(text);
	return rc == -1 ? -1 : 0;
}

/* Add what a marker names; others are of a newer version. */
static void
add(struct job_empty_logs *out, char *name)
{
	struct job_empty_logs_of new = {0};
	char *dot = strchr(name, '.');
	int64_t attempt;

	if (dot == NULL)
		return;
	*dot = '\0';
	replace(dot + 1, '_', ',');
	if (num_int(mark, name, 0, UINT32_MAX, &attempt, NULL) == -1 ||
	    idset_parse(&new.tasks, dot + 1, NULL) == -1)
		return;
	new.attempt = (uint32_t)attempt;
	out->of = xgrow(out->of, out->count, sizeof *out->of);
	out->of[out->count++] = new;
}

int
job_empty_logs_load(
    const struct store_job *job, struct job_empty_logs *out, struct error *e)
{
	struct strlist names = {0};
	size_t i;
	int rc = store_once_list(job, mark, &names, e);

	*out = (struct job_empty_logs){0};
	for (i = 0; rc == 0 && i < names.count; i++)
		add(out, names.word[i]);
	strlist_free(&names);
	return rc;
}

void
job_empty_logs_free(struct job_empty_logs *logs)
{
	size_t i;

	for (i = 0; i < logs->count; i++)
		idset_free(&logs->of[i].tasks);
	free(logs->of);
	*logs = (struct job_empty_logs){0};
}

int
job_empty_logs_has(
    const struct job_empty_logs *logs, uint64_t task, uint32_t attempt)
{
	size_t i;

	for (i = 0; i < logs->count; i++)
		if (logs->of[i].attempt == attempt &&
		    idset_has(&logs->of[i].tasks, task))
			return 1;
	return 0;
}
