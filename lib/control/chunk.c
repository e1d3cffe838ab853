#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "control/chunk.h"
#include "store/chunk.h"
#include "store/extension.h"
#include "store/job.h"

int64_t
job_chunk_share(int64_t throttle, size_t i, size_t count)
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
	char *prefix = job_token_prefix(job);

	chunk->name = name;
	chunk->token = xasprintf("%s%s", prefix, name);
	free(prefix);
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

uint64_t
job_chunk_room(const struct store_job *job)
{
	return job->array_size * (job->pack > 1 ? (uint64_t)job->pack : 1);
}

int64_t
job_chunk_indices(const struct store_job *job, int64_t tasks)
{
	int64_t indices = tasks / (job->pack > 1 ? job->pack : 1);

	return tasks > 0 && indices == 0 ? 1 : indices;
}

/* Return how many tasks have a chunk of their own: the canary. */
static uint64_t
apart(const struct store_job *job)
{
	return job_has_canary(job) ? 1 : 0;
}

/* Return into how many arrays so many tasks are cut. */
static size_t
pieces(const struct store_job *job, uint64_t tasks)
{
	uint64_t room = job_chunk_room(job);

	return (size_t)((tasks + room - 1) / room);
}

size_t
job_chunk_first_count(const struct store_job *job)
{
	uint64_t before = apart(job);
	size_t count = (size_t)before, i;
	const struct idset *tasks;

	if (job->groups.count == 0)
		return count + pieces(job, store_job_first_tasks(job) - before);
	for (i = 0; i < job->groups.count; i++) {
		tasks = &job->groups.group[i].tasks;
		count += pieces(job,
		    idset_size(tasks) - (before > 0 && idset_has(tasks, 0)));
	}
	return count;
}

size_t
job_chunk_count(const struct store_job *job)
{
	const struct store_extension *x = job->extensions.item;
	size_t count = job_chunk_first_count(job), i;

	for (i = 0; i < job->extensions.count; i++)
		count += pieces(job, x[i].tasks - x[i].first);
	return count;
}

int
job_chunk_is_unqueued(
    const struct store_job *job, const struct store_chunks *chunks)
{
	uint64_t plan = job_chunk_first_count(job);
	uint64_t wanted = job_chunk_count(job);
	const struct store_chunk *c;
	size_t i;

	for (i = 0; i < chunks->count; i++) {
		c = &chunks->chunk[i];
		if (c->claim == STORE_OPEN)
			return 1;
		if (c->claim == STORE_CUT)
			wanted += 2;
		if (job_chunk_is_whole(c) && job_chunk_number(c) >= plan)
			wanted++;
	}
	return chunks->count < wanted;
}

int
job_chunk_is_stopped(
    const struct store_requests *stops, const struct store_chunk *chunk)
{
	struct idset_walk walk = {0};
	int all = stops->count > 0;
	uint64_t task;

	while (all && idset_next(&chunk->tasks, &walk, &task))
		all = store_stop_is_asked(stops, task, chunk->attempt);
	return all;
}

/* ---- planned chunks ---- */

/* Begin the next chunk, with the options of a group, or NULL. */
static struct store_chunk *
next_chunk(const struct store_job *job, const struct store_group *g,
    struct store_chunks *out)
{
	struct store_chunk *c = &out->chunk[out->count];

	job_chunk_name(job, c, xasprintf("c%05zu.0", out->count));
	out->count++;
	if (g != NULL)
		strlist_copy(&c->options, &g->options);
	return c;
}

/* Set up a chunk after the canary: it is held if there is one. */
static void
set_piece(const struct store_job *job, struct store_chunk *c)
{
	c->pack = job->pack;
	if (apart(job) > 0)
		strlist_push(&c->options, "--hold");
}

/* Add the tasks from first on, before end, as many as fit into an array. */
static void
add_tasks(const struct store_job *job, uint64_t first, uint64_t end,
    struct store_chunk *c)
{
	uint64_t room = job_chunk_room(job);

	idset_add(
	    &c->tasks, first, end - first > room ? first + room - 1 : end - 1);
}

static void
cut_group(const struct store_job *job, const struct store_group *g,
    struct store_chunks *out)
{
	struct idset_walk walk = {0};
	struct store_chunk *c = NULL;
	uint64_t task, size = 0;

	while (idset_next(&g->tasks, &walk, &task)) {
		if (task < apart(job))
			continue;
		if (size++ % job_chunk_room(job) == 0) {
			c = next_chunk(job, g, out);
			set_piece(job, c);
		}
		idset_add(&c->tasks, task, task);
	}
}

/* Return the chunk with the most indices per index that may run, or NULL. */
static struct store_chunk *
most_crowded(struct store_chunk *c, size_t count)
{
	struct store_chunk *most = NULL;
	uint64_t size, most_size = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		size = store_chunk_size(&c[i]);
		if ((uint64_t)c[i].throttle >= size)
			continue;
		if (most == NULL ||
		    size * (uint64_t)most->throttle >
			most_size * (uint64_t)c[i].throttle) {
			most = &c[i];
			most_size = size;
		}
	}
	return most;
}

void
job_chunk_share_all(struct store_chunk *c, size_t count, int64_t parallel)
{
	int64_t left = parallel - (int64_t)count;
	struct store_chunk *most;
	size_t i;

	for (i = 0; i < count; i++)
		c[i].throttle = count == 1 ? parallel : parallel > 0;
	while (
	    count > 1 && left-- > 0 && (most = most_crowded(c, count)) != NULL)
		most->throttle++;
}

/*
 * Add the chunks of an extension.  They have their own numbers: the numbers of
 * the job are for attempts that are queued later.
 */
static void
cut_more(const struct store_job *job, size_t number, struct store_chunks *out)
{
	const struct store_extension *x = &job->extensions.item[number];
	size_t count = pieces(job, x->tasks - x->first), i;
	struct store_chunk *c;

	for (i = 0; i < count; i++) {
		c = &out->chunk[out->count++];
		job_chunk_name(
		    job, c, xasprintf("x%05zu-%05zu.0", number + 1, i));
		add_tasks(job, x->first + i * job_chunk_room(job), x->tasks, c);
		set_piece(job, c);
	}
	job_chunk_share_all(&out->chunk[out->count - count], count,
	    job_chunk_indices(job, job->parallel));
}

void
job_chunks(const struct store_job *job, struct store_chunks *out)
{
	uint64_t end = store_job_first_tasks(job), first = apart(job);
	int64_t parallel = job_chunk_indices(job, job->parallel);
	size_t before = (size_t)first, i;
	struct store_chunk *c;

	memset(out, 0, sizeof *out);
	out->chunk = xcalloc(job_chunk_count(job) + 1, sizeof *out->chunk);
	if (before > 0) {
		c = next_chunk(job, store_group_of(&job->groups, 0), out);
		idset_add(&c->tasks, 0, 0);
	}
	/* Without groups all tasks ask for the same as the job. */
	for (; job->groups.count == 0 && first < end;
	     first += job_chunk_room(job)) {
		c = next_chunk(job, NULL, out);
		set_piece(job, c);
		add_tasks(job, first, end, c);
	}
	for (i = 0; i < job->groups.count; i++)
		cut_group(job, &job->groups.group[i], out);
	/* Each chunk has its share; the canary ends before the others start. */
	if (parallel > 1)
		parallel -= (int64_t)before;
	job_chunk_share_all(&out->chunk[before], out->count - before, parallel);
	for (i = 0; i < job->extensions.count; i++)
		cut_more(job, i, out);
	for (i = 0; i < out->count; i++)
		out->chunk[i].code = job->code.number;
}

void
job_chunk_half(const struct store_job *job, const struct store_chunk *c,
    char which, struct store_chunk *out)
{
	uint64_t middle, i = 0, task;
	struct idset_walk walk = {0};

	store_chunk_packed(c, (store_chunk_size(c) + 1) / 2, &middle);
	memset(out, 0, sizeof *out);
	job_chunk_name(job, out, xasprintf("%s%c", c->name, which));
	while (idset_next(&c->tasks, &walk, &task))
		if ((i++ < middle) == (which == 'a'))
			idset_add(&out->tasks, task, task);
	out->attempt = c->attempt;
	out->resume = c->resume;
	strlist_copy(&out->options, &c->options);
	out->why = xcopy(c->why);
	out->code = c->code;
	out->pack = c->pack;
	out->throttle = job_chunk_share(c->throttle, which - 'a', 2);
}

/* ---- refusals by Slurm ---- */
