#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "control/dependency.h"
#include "job/provenance.h"
#include "submit/dry-run.h"
#include "submit/messages.h"
#include "term/cli.h"
#include "term/flow.h"
#include "term/progress.h"
#include "view/no-metrics.h"

void
submit_message_secret(const char *word)
{
	if (word != NULL)
		cli_warn("%s: this has what looks like a secret, and is "
			 "kept as it is in the store, for its owner alone: "
			 "let what runs read the variable itself",
		    word);
}

static void
warn_of_clash(const struct submit_message *r, const struct store_job *job)
{
	char *text = job_unlogged_clash(job);

	if (text != NULL && !r->quiet)
		cli_warn("%s", text);
	free(text);
}

void
submit_message_doubts(
    const struct submit_message *r, const struct store_job *job)
{
	char *word = job_provenance_secret(job);

	submit_message_secret(word);
	free(word);
	warn_of_clash(r, job);
}

/* Whether a command mentions a program, as sh -c 'python3 train.py' does. */
static int
mentions_code(const struct strlist *words)
{
	static const char *const ends[] = {".py", ".sh", ".jl", ".lua", ".pl"};
	size_t i, k;

	for (i = 0; i < words->count; i++)
		for (k = 0; k < sizeof ends / sizeof *ends; k++)
			if (strstr(words->word[i], ends[k]) != NULL)
				return 1;
	return 0;
}

void
submit_message_no_copy(
    const struct submit_message *r, const struct store_job *job)
{
	const struct store_code *code = &job->code;

	if (!r->quiet && code->root == NULL && mentions_code(&job->command))
		cli_warn("no copy of the code: %s", code->why);
}

/* Tell people, who do not read what is for programs. */
static void
tell(const struct submit_message *r, const struct store_job *job,
    const char *what)
{
	if (r->parsable)
		cli_warn("%s: %s", job->name, what);
	else
		cli_print("%s: %s", job->name, what);
}

/* Which arrays were queued now: for programs, and for who cannot be told. */
static void
note_queued(struct submit_message *r, const char *name, const uint32_t *array,
    size_t count)
{
	char *ids = job_enqueue_ids(array, count, ",");

	if (r->parsable && !r->quiet)
		fprintf(r->out, "%s\t%s\n", name, ids);
	if (count > 0) {
		free(r->queued);
		r->queued = xasprintf("%s: queued all the same, as Slurm "
				      "array%s %s: do not submit it again",
		    name, count == 1 ? "" : "s", ids);
	}
	free(ids);
}

/* ", 4 at a time, after prep"; to free. */
static char *
how_queued(const struct store_job *job)
{
	char *why, *text = NULL;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	if (job->parallel > 0)
		fprintf(out, ", %" PRId64 " at a time", job->parallel);
	if (job_dependency_look(job, &why) != JOB_DEPENDENCY_MET)
		fprintf(out, ", %s", why);
	xmemclose(out);
	free(why);
	return text;
}

/* "conv2d: 12 tasks queued as Slurm arrays 17, 18". */
static void
put_queued(const struct store_job *job, uint64_t tasks, const uint32_t *array,
    size_t count)
{
	char *ids = job_enqueue_ids(array, count, ", ");
	char *how = how_queued(job);

	cli_print("%s: %" PRIu64 " task%s queued as Slurm array%s %s%s",
	    job->name, tasks, tasks == 1 ? "" : "s", count == 1 ? "" : "s", ids,
	    how);
	free(how);
	free(ids);
}

void
submit_message_queued(struct submit_message *r, const struct store_job *job,
    const struct job_enqueued *q)
{
	note_queued(r, job->name, q->fresh, q->fresh_count);
	if (r->quiet)
		return;
	if (q->count == 0) {
		tell(r, job,
		    job->imported != NULL ? "nothing to queue: it was imported"
					  : "nothing to queue: it was stopped");
		return;
	}
	if (q->fresh_count == 0) {
		tell(r, job, "nothing is left to queue");
		return;
	}
	if (r->parsable)
		return;
	put_queued(job, q->tasks, q->array, q->count);
	if (isatty(STDOUT_FILENO))
		job_show_next(r->out, job, cli_terminal_width());
}

void
submit_message_to_come(const struct store_job *job, uint64_t left)
{
	cli_warn("%s: %" PRIu64 " task%s to come; stfm-watch queues %s, or "
		 "stfm-submit --queue-rest %s",
	    job->name, left, left == 1 ? "" : "s", left == 1 ? "it" : "them",
	    job->name);
}

void
submit_message_rest(struct submit_message *r, const struct store_job *job,
    enum queue_answer answer, const struct job_enqueued *q)
{
	note_queued(r, job->name, q->fresh, q->fresh_count);
	if (q->fresh_count > 0 && !r->parsable && !r->quiet)
		put_queued(job, q->made, q->fresh, q->fresh_count);
	if (q->left > 0)
		submit_message_to_come(job, q->left);
	else if (answer != QUEUE_REFUSED && !q->damaged)
		cli_warn("%s: stays in the store; stfm-watch queues what is "
			 "left, or stfm-submit --queue-rest %s",
		    job->name, job->name);
}

void
submit_message_waiting(struct submit_message *r, const struct store_job *job)
{
	char *why = NULL, *text;

	note_queued(r, job->name, NULL, 0);
	job_dependency_look(job, &why);
	text = xasprintf("%" PRIu64 " task%s to come %s; stfm-watch queues %s",
	    job->tasks, job->tasks == 1 ? "" : "s", why != NULL ? why : "later",
	    job->tasks == 1 ? "it" : "them");
	if (!r->quiet)
		tell(r, job, text);
	free(text);
	free(why);
}

void
submit_message_same(struct submit_message *r, const struct store_job *job,
    const struct job_resubmit *same)
{
	const char *verb = r->dry_run ? "would be queued" : "queued";
	char *text = NULL;
	size_t length;
	FILE *out;

	note_queued(r, job->name, same->array, same->arrays);
	if (r->quiet)
		return;
	out = xmemopen(&text, &length);
	fprintf(out, "%" PRIu64 " done", same->done);
	if (same->running > 0)
		fprintf(out, ", %" PRIu64 " running", same->running);
	if (same->waiting > 0)
		fprintf(out, ", %" PRIu64 " waiting", same->waiting);
	if (same->made > 0)
		fprintf(out, "; %" PRIu64 " of them %s", same->made, verb);
	if (same->again > 0)
		fprintf(out, "; %" PRIu64 " %s again", same->again, verb);
	if (same->made + same->again + same->left == 0 && same->kept.count == 0)
		fputs("; nothing to queue", out);
	xmemclose(out);
	tell(r, job, text);
	free(text);
}

void
submit_message_kept(
    const struct store_job *job, const struct job_resubmit *same)
{
	const char *name = job->name;
	uint64_t count = idset_size(&same->kept);
	char *kept = idset_text(&same->kept);
	char *ids = job_enqueue_ids(same->array, same->arrays, ", ");

	if (count > 0)
		cli_warn("%s: %" PRIu64 " task%s not queued again, and %s: %s",
		    name, count, count == 1 ? " is" : "s are",
		    count == 1 ? "is what it was" : "are what they were", kept);
	if (same->arrays > 0)
		cli_warn("%s: queued all the same: Slurm array%s %s", name,
		    same->arrays == 1 ? "" : "s", ids);
	free(ids);
	free(kept);
}

void
submit_message_left(
    const struct store_job *job, const struct job_resubmit *same)
{
	if (same->left > 0)
		cli_warn("%s: %" PRIu64 " task%s to be queued: stfm-watch does "
			 "that, or the same command again",
		    job->name, same->left,
		    same->left == 1 ? " waits" : "s wait");
}

/* "12 new, 3 dropped (2 run), 20 as they are" */
static void
put_sync(
    FILE *out, const struct job_sync *sync, const struct job_resubmit *same)
{
	uint64_t runs = same->counted_running, waits = same->counted_waiting;

	fprintf(out, "%" PRIu64 " new, %" PRIu64 " dropped", sync->fresh,
	    idset_size(&sync->dropped));
	if (runs > 0)
		fprintf(out, " (%" PRIu64 " run%s", runs, runs == 1 ? "s" : "");
	if (waits > 0)
		fprintf(out, "%s%" PRIu64 " wait%s", runs > 0 ? ", " : " (",
		    waits, waits == 1 ? "s" : "");
	fputs(runs + waits > 0 ? "), " : ", ", out);
	if (sync->back.count > 0)
		fprintf(
		    out, "%" PRIu64 " wanted again, ", idset_size(&sync->back));
	fprintf(out, "%" PRIu64 " as %s", sync->same,
	    sync->same == 1 ? "it is" : "they are");
}

static void
show_tasks(
    FILE *out, const char *what, const char *name, const struct idset *tasks)
{
	char *text = idset_text(tasks);
	char *line = xasprintf("# %s: %s/%s\n", what, name, text);

	if (tasks->count > 0)
		flow_script(out, line, cli_terminal_width());
	free(line);
	free(text);
}

/* Which they are, for --dry-run. */
static void
show_sync(FILE *out, const struct job_sync *sync, const struct store_job *old)
{
	struct idset fresh = {0};

	show_tasks(out, "dropped", old->name, &sync->dropped);
	show_tasks(out, "wanted again", old->name, &sync->back);
	if (sync->fresh == 0)
		return;
	idset_add(&fresh, old->tasks, old->tasks + sync->fresh - 1);
	show_tasks(out, "new", old->name, &fresh);
	flow_rows(out, sync->points, cli_terminal_width());
	idset_free(&fresh);
}

void
submit_message_sync(struct submit_message *r, const struct store_job *old,
    const struct job_sync *sync, const struct job_resubmit *same)
{
	char *text = NULL, *ids;
	size_t length;
	FILE *out;

	note_queued(r, old->name, same->array, same->arrays);
	if (r->quiet)
		return;
	out = xmemopen(&text, &length);
	put_sync(out, sync, same);
	ids = job_enqueue_ids(same->array, same->arrays, ", ");
	if (r->dry_run)
		fputs("; nothing is queued", out);
	else if (same->arrays > 0)
		fprintf(out, "; %" PRIu64 " queued as Slurm array%s %s",
		    same->made + same->again, same->arrays == 1 ? "" : "s",
		    ids);
	free(ids);
	xmemclose(out);
	tell(r, old, text);
	free(text);
	if (r->dry_run)
		show_sync(r->out, sync, old);
}

void
submit_message_interrupted(void)
{
	progress_end();
	cli_warn("interrupted: waiting for the answer of the sbatch that runs");
}
