/* Finding arrays in Slurm whose job is not in the store. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "control/chunk.h"
#include "control/stray.h"
#include "runner/supervise.h"
#include "slurm/queue.h"
#include "state/resolve.h"
#include "store/chunk.h"
#include "store/load.h"
#include "store/table.h"
#include "verify/verify.h"
#include "view/select.h"

/* Return whether the job that queued a record is no longer in the store. */
static int
is_orphan(
    const struct store *store, const struct queue_record *r, const char *token)
{
	char *jobs = xasprintf("%s/jobs/", store->path), *name, *prefix;
	size_t length = strlen(jobs);
	int orphan = text_begins(r->command, jobs);
	struct store_job *job;
	struct error why;

	free(jobs);
	if (!orphan) /* its batch script is in another place */
		return 0;
	name = xstrndup(r->command + length, strcspn(r->command + length, "/"));
	job = store_job_load(store, name, &why);
	if (job != NULL) {
		prefix = job_token_prefix(job);
		orphan = !text_begins(token, prefix);
		free(prefix);
	} else {
		orphan = why.code == ERROR_ABSENT;
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

static void
list_job(const struct store_job *job, const struct job_marked *marked,
    int64_t asked, struct strlist *out)
{
	struct job_stray_input input = {
	    .job = job, .marked = marked, .asked = asked};
	struct store_table *table = store_table_load(job, NULL);
	struct store_chunks chunks;
	struct job_strays strays;
	size_t i;

	if (table == NULL || job_grace(&input.grace, NULL) == -1 ||
	    store_chunks_list(job, &chunks, NULL) == -1) {
		store_table_free(table);
		return;
	}
	input.table = table;
	input.chunks = &chunks;
	job_strays_find(&input, &strays);
	for (i = 0; i < strays.count; i++)
		strlist_take(out,
		    xasprintf("%s: %s: stfm-watch --once %s cancels it",
			store_job_name(job), strays.why.word[i],
			store_job_name(job)));
	for (i = 0; i < strays.unknown.count; i++)
		strlist_take(out,
		    xasprintf(
			"%s: %s", store_job_name(job), strays.unknown.word[i]));
	job_strays_free(&strays);
	store_chunks_free(&chunks);
	store_table_free(table);
}

void
verify_strays(const struct store *store, char *const *names, size_t count,
    struct strlist *out)
{
	struct selection all = {0};
	struct strlist damaged = {0};
	struct job_marked *marked;
	const struct store_job *job;
	struct queue *queue;
	int64_t asked;
	size_t i;

	if (fs_now(store->dir, &asked, NULL) == -1)
		asked = time(NULL);
	if (queue_load(&queue, NULL) == -1)
		return;
	marked = job_marked_new(queue);
	if (job_select_all(store, &all, &damaged, NULL) == 0)
		for (i = 0; i < all.count; i++) {
			job = all.item[i].job;
			if (count == 0 ||
			    text_among(store_job_name(job),
				(const char *const *)names, count) != -1)
				list_job(job, marked, asked, out);
		}
	for (i = 0; count == 0 && i < queue_count(queue); i++)
		list_orphan(store, queue_record(queue, i), out);
	strlist_free(&damaged);
	selection_free(&all);
	job_marked_free(marked);
	queue_free(queue);
}
