#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "control/stray.h"
#include "job/chunk.h"
#include "state/resolve.h"
#include "store/job.h"
#include "verify/stray-arrays.h"
#include "view/select.h"

/* ---- jobs that are gone ---- */

/* The name of the job in a store whose batch script a record runs, or NULL. */
static char *
job_of(const struct store *store, const struct queue_record *r)
{
	char *jobs = xasprintf("%s/jobs/", store->path), *name = NULL;

	if (text_begins(r->command, jobs))
		name = xstrndup(r->command + strlen(jobs),
		    strcspn(r->command + strlen(jobs), "/"));
	free(jobs);
	return name;
}

/* Whether the job that queued a record is not in the store any more. */
static int
is_orphan(
    const struct store *store, const struct queue_record *r, const char *token)
{
	char *name = job_of(store, r), *prefix;
	struct store_job *job;
	int orphan = 0;

	if (name == NULL)
		return 0;
	job = store_job_load(store, name, NULL);
	if (job != NULL) {
		prefix = job_token_prefix(job);
		orphan = !text_begins(token, prefix);
		free(prefix);
	} else {
		orphan = errno == ENOENT;
	}
	store_job_free(job);
	free(name);
	return orphan;
}

static void
list_orphan(const struct store *store, const struct queue_record *r,
    struct strlist *out)
{
	char *token = r->alive ? queue_token_of(r, "stfm-") : NULL, *text;

	if (token != NULL && is_orphan(store, r, token)) {
		text = xasprintf("Slurm has %" PRIu32
				 " in the queue, of a job that was removed: "
				 "scancel %" PRIu32 " ends it",
		    r->array, r->array);
		if (!strlist_have(out, text))
			strlist_push(out, text);
		free(text);
	}
	free(token);
}

/* ---- all jobs ---- */

static void
list_job(const struct store_job *job, const struct job_marked *marked,
    int64_t asked, struct strlist *out)
{
	struct job_stray_scene scene = {
	    .job = job, .marked = marked, .asked = asked};
	struct store_table *fold = store_table_load(job, NULL);
	struct store_chunks chunks;
	struct job_strays strays;
	size_t i;

	if (fold == NULL || job_grace(&scene.grace, NULL) == -1 ||
	    store_chunks_list(job, &chunks, NULL) == -1) {
		store_table_free(fold);
		return;
	}
	scene.fold = fold;
	scene.chunks = &chunks;
	job_strays_find(&scene, &strays);
	for (i = 0; i < strays.count; i++)
		strlist_take(out,
		    xasprintf("%s: %s: stfm-watch --once %s cancels it",
			job->name, strays.why.word[i], job->name));
	for (i = 0; i < strays.unknown.count; i++)
		strlist_take(out,
		    xasprintf("%s: %s", job->name, strays.unknown.word[i]));
	job_strays_free(&strays);
	store_chunks_free(&chunks);
	store_table_free(fold);
}

static int
is_named(const char *name, char *const *names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return 1;
	return count == 0;
}

void
job_strays_list(const struct store *store, char *const *names, size_t count,
    struct strlist *out)
{
	struct selection all = {0};
	struct strlist damaged = {0};
	struct job_marked *marked;
	struct queue *queue;
	int64_t asked;
	size_t i;

	if (fs_now(store->dir, &asked, NULL) == -1)
		asked = time(NULL);
	if (queue_load(&queue, NULL) == -1)
		return;
	marked = job_marked_new(queue);
	if (job_select_all(store, &all, &damaged, NULL) == 0)
		for (i = 0; i < all.count; i++)
			if (is_named(all.item[i].job->name, names, count))
				list_job(all.item[i].job, marked, asked, out);
	for (i = 0; count == 0 && i < queue_count(queue); i++)
		list_orphan(store, queue_record(queue, i), out);
	strlist_free(&damaged);
	selection_free(&all);
	job_marked_free(marked);
	queue_free(queue);
}
