#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "slurm/show.h"
#include "slurm/text.h"

/* The columns to ask squeue for. */
static const char *const columns[] = {"ArrayJobID", "JobID", "ArrayTaskID",
    "UserID", "UserName", "Command", "WorkDir", "STDOUT", "STDERR", "HetJobID"};
enum {
	ARRAY,
	JOB,
	TASK,
	UID,
	USER,
	COMMAND,
	DIRECTORY,
	OUT,
	ERR,
	HET,
	COLUMNS
};

/*
 * Return the path of an output file, to free, or NULL without a batch script.
 * squeue prints the path as the user gave it.  If the user gave none, squeue
 * prints the default of a job without an array, even for array tasks.
 */
static char *
output_of(char *const field[], const char *given)
{
	char *usual =
	    xasprintf("%s/slurm-%s.out", field[DIRECTORY], field[JOB]);
	char *path;

	if (strcmp(field[ERR], "N/A") == 0 || *given == '\0')
		path = NULL; /* no batch script */
	else if (strcmp(given, usual) == 0)
		path = xasprintf("%s/slurm-%s.out", field[DIRECTORY],
		    strcmp(field[TASK], "N/A") == 0 ? "%j" : "%A_%a");
	else if (*given == '/')
		path = xstrdup(given);
	else
		path = xasprintf("%s/%s", field[DIRECTORY], given);
	free(usual);
	return path;
}

static struct queue_show *
take(char *const field[])
{
	struct queue_show *q = xcalloc(1, sizeof *q);

	q->array = (uint32_t)queue_text_number(field[ARRAY]);
	q->het = (uint32_t)queue_text_number(field[HET]);
	q->uid = (uint32_t)queue_text_number(field[UID]);
	q->user = xstrdup(field[USER]);
	q->command = xstrdup(field[COMMAND]);
	q->directory = xstrdup(field[DIRECTORY]);
	q->out = output_of(field, field[OUT]);
	q->err = output_of(field, field[ERR]);
	if (q->out != NULL && q->err != NULL && strcmp(q->out, q->err) == 0) {
		free(q->err);
		q->err = NULL;
	}
	return q;
}

struct queue_show *
queue_show_load(uint32_t job, struct error *e)
{
	struct queue_show *q = NULL;
	struct proc_result result = {0};
	struct queue_fields f;
	char id[16], *field[COLUMNS];
	int64_t ms;
	int rc, got = 0;

	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return NULL;
	snprintf(id, sizeof id, "%" PRIu32, job);
	rc = queue_text_ask(
	    (const char *const[]){"squeue", "--local", "--all", "--noheader",
		"--states=all", "--jobs", id, NULL},
	    columns, COLUMNS, proc_clock() + ms, &f, &result, e);
	if (rc == 0)
		got = queue_fields_next(&f, field, COLUMNS, e);
	if (got == 1) /* the first task's record is used for all */
		q = take(field);
	else if (rc == 0 ? got == 0
			 : result.complaint != NULL &&
		    strstr(result.complaint, "Invalid job id") != NULL)
		error_code(
		    e, ERROR_ABSENT, "%" PRIu32 ": Slurm has no such job", job);
	proc_result_free(&result);
	return q;
}

void
queue_show_free(struct queue_show *q)
{
	if (q == NULL)
		return;
	free(q->user);
	free(q->command);
	free(q->directory);
	free(q->out);
	free(q->err);
	free(q);
}
