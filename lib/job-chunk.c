#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job-canary.h"
#include "job-chunk.h"
#include "num.h"
#include "xalloc.h"

/* The share of chunk i of count in a throttle; at least 1. */
static int64_t
share(int64_t throttle, size_t i, size_t count)
{
	int64_t n = (int64_t)count, part;

	if (throttle == 0)
		return 0;
	part = throttle / n + ((int64_t)i < throttle % n);
	return part > 0 ? part : 1;
}

void
job_chunk_name(
    const struct store_job *job, struct store_chunk *chunk, char *name)
{
	chunk->name = name;
	chunk->token = xasprintf("stfm-%s-%s", job->id, name);
}

uint64_t
job_chunk_number(const struct store_chunk *chunk)
{
	char *text = xstrndup(chunk->name, strcspn(chunk->name, "."));
	int64_t number = 0;

	if (*text == 'c')
		num_int("chunk", text + 1, 0, INT64_MAX, &number, NULL);
	free(text);
	return (uint64_t)number;
}

int
job_chunk_is_whole(const struct store_chunk *chunk)
{
	size_t n = strlen(chunk->name);

	return n > 2 && strcmp(chunk->name + n - 2, ".0") == 0;
}

/* How many tasks come before the first array that is cut to size. */
static uint64_t
apart(const struct store_job *job)
{
	return job_has_canary(job) ? 1 : 0;
}

size_t
job_chunk_count(const struct store_job *job)
{
	uint64_t rest = job->tasks - apart(job);

	return (size_t)(apart(job) +
	    (rest + job->array_size - 1) / job->array_size);
}

/* The tasks of the i-th chunk, and what is its own of --parallel. */
static void
fill_chunk(const struct store_job *job, size_t i, struct store_chunk *c)
{
	uint64_t before = apart(job), first;
	int64_t parallel = job->parallel;

	if (i < before) {
		ranges_add(&c->tasks, 0, 0);
		return;
	}
	first = before + (i - before) * job->array_size;
	ranges_add(&c->tasks, first,
	    first + job->array_size <= job->tasks ? first + job->array_size - 1
						  : job->tasks - 1);
	if (before > 0)
		words_push(&c->options, "--hold");
	if (parallel > 1)
		parallel -= (int64_t)before;
	c->throttle =
	    share(parallel, i - before, job_chunk_count(job) - (size_t)before);
}

void
job_chunks(const struct store_job *job, struct store_chunks *out)
{
	size_t i;

	memset(out, 0, sizeof *out);
	out->count = job_chunk_count(job);
	out->chunk = xcalloc(out->count, sizeof *out->chunk);
	for (i = 0; i < out->count; i++) {
		fill_chunk(job, i, &out->chunk[i]);
		job_chunk_name(job, &out->chunk[i], xasprintf("c%05zu.0", i));
	}
}

static void
copy_words(struct words *to, const struct words *from)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		words_push(to, from->word[i]);
}

void
job_chunk_half(const struct store_job *job, const struct store_chunk *c,
    char which, struct store_chunk *out)
{
	uint64_t middle = (ranges_size(&c->tasks) + 1) / 2, i = 0, task;
	struct ranges_walk walk = {0};

	memset(out, 0, sizeof *out);
	job_chunk_name(job, out, xasprintf("%s%c", c->name, which));
	while (ranges_next(&c->tasks, &walk, &task))
		if ((i++ < middle) == (which == 'a'))
			ranges_add(&out->tasks, task, task);
	out->attempt = c->attempt;
	out->resume = c->resume;
	copy_words(&out->options, &c->options);
	out->why = xcopy(c->why);
	out->throttle = share(c->throttle, which - 'a', 2);
}
