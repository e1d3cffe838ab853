#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/usage.h"
#include "store/facts.h"
#include "store/load.h"
#include "store/policy.h"
#include "store/usage.h"

/* A run writes its usage after 1/PART of its time, or OLDEST seconds. */
enum { OLDEST = 300, PART = 8 };

int64_t
job_usage_every(const struct store_job *job)
{
	int64_t every = store_job_policy(job)->usage;

	if (every < 0)
		return 0;
	return every > 0 ? every : JOB_USAGE_EVERY;
}

char *
job_usage_shorten(const char *text, size_t length)
{
	struct usage *u = xcalloc(1, sizeof *u);
	char *out = NULL;

	if (usage_read(u, text, length, NULL) == 0 && u->count > 0) {
		usage_thin(u, USAGE_KEPT);
		out = usage_text(u, &length);
	}
	free(u);
	return out;
}

/* Read and shorten the usage file of a run; free *out.  Returns 0 or -1. */
static int
read_file(const struct store_job *job, const struct store_row *row, char **out,
    struct error *e)
{
	struct store_fact run = {.task = row->task,
	    .attempt = row->attempt,
	    .restart = row->restart};
	size_t size;
	char *text = store_usage_read(job, &run, &size, e);

	*out = NULL;
	if (text == NULL)
		return -1;
	*out = job_usage_shorten(text, size);
	free(text);
	return 0;
}

char *
job_usage_file(
    const struct store_job *job, const struct store_row *row, size_t *length)
{
	char *out;

	read_file(job, row, &out, NULL);
	if (out != NULL && length != NULL)
		*length = strlen(out);
	return out;
}

char *
job_usage_record(
    const struct store_job *job, const struct store_row *row, struct error *e)
{
	struct store_fact_body body;
	const struct store_fact *f;
	struct store_facts facts;
	char *text = NULL;
	size_t i;

	if (store_facts_of(job, row->task, &facts, e) == -1)
		return NULL;
	for (i = 0; i < facts.count && text == NULL; i++) {
		f = &facts.fact[i];
		if (f->kind[0] == 'S' ||
		    store_run_compare(STORE_RUN(f), STORE_RUN(row)) != 0 ||
		    store_facts_read(job, &facts, f, &body, NULL) == -1)
			continue;
		text = body.usage;
		body.usage = NULL;
		store_fact_body_free(&body);
	}
	store_facts_free(&facts);
	if (text != NULL || read_file(job, row, &text, e) == -1)
		return text;
	if (text == NULL)
		error_code(e, ERROR_ABSENT, "no use is recorded");
	return text;
}

void
job_usage_take(struct store_row *row, const char *record)
{
	struct usage *u;
	struct usage_sum sum;

	if (record == NULL)
		return;
	u = xcalloc(1, sizeof *u);
	if (usage_read(u, record, strlen(record), NULL) == 0 && u->count > 0) {
		usage_sum(u, &sum);
		free(row->usage);
		row->usage = usage_sum_text(&sum);
	}
	free(u);
}

void
job_usage_sum(const struct store_row *row, struct usage_sum *out)
{
	usage_sum_read(out, row->usage != NULL ? row->usage : "");
}

void
job_usage_refresh(
    const struct store_job *job, struct store_row *row, int64_t now)
{
	double every = (double)job_usage_every(job);
	struct usage_sum sum;
	double pause;
	char *record;

	job_usage_sum(row, &sum);
	/* The longer a run, the less often it writes its file. */
	pause = fmax(every, fmin(sum.time / PART, OLDEST));
	if (every == 0 ||
	    (row->start != -1 && (double)(now - row->start) < sum.time + pause))
		return;
	record = job_usage_file(job, row, NULL);
	job_usage_take(row, record);
	free(record);
}

int
job_usage_settle(
    const struct store_job *job, struct store_row *row, struct error *e)
{
	struct error why;
	char *record;

	row->facts &= ~STORE_USE_DUE;
	if (job_usage_every(job) == 0)
		return 0;
	if (read_file(job, row, &record, &why) == -1) {
		if (why.code == ERROR_LATER)
			row->facts |= STORE_USE_DUE;
		if (why.code == ERROR_ABSENT)
			return 0;
		error_copy(e, &why);
		return error_prefix(e, "use");
	}
	job_usage_take(row, record);
	free(record);
	return 0;
}
