#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "control/dependency.h"
#include "job/points.h"
#include "job/provenance.h"
#include "space/space.h"
#include "status/no-metrics.h"
#include "submit/dry-run.h"
#include "submit/messages.h"
#include "submit/script.h"
#include "submit/search-options.h"
#include "term/cli.h"
#include "term/flow.h"

const char submit_message_interrupted[] =
    "interrupted: waiting for the answer of the sbatch that runs";

char *
submit_message_secret(const char *word)
{
	if (word == NULL)
		return NULL;
	return xasprintf(
	    "%s: looks like a secret; the store keeps it readable for you "
	    "alone. Better let your script read it from the environment",
	    word);
}

void
submit_message_doubts(const struct submit_message *r,
    const struct store_job *job, const struct space *space, int learns)
{
	char *word = job_provenance_secret(job);
	char *secret = submit_message_secret(word);
	char *doubts[] = {space_unmet(space), job_unlogged_clash(job),
	    submit_script_epochs(job), submit_search_doubt(job),
	    submit_search_few(job), learns ? NULL : submit_search_random(job)};
	size_t i;

	if (secret != NULL)
		r->warn("%s", secret);
	for (i = 0; i < sizeof doubts / sizeof *doubts; i++) {
		if (doubts[i] != NULL && !r->quiet)
			r->warn("%s", doubts[i]);
		free(doubts[i]);
	}
	free(secret);
	free(word);
}

void
submit_message_no_copy(
    const struct submit_message *r, const struct store_job *job)
{
	static const char *const ends[] = {".py", ".sh", ".jl", ".lua", ".pl"};
	const struct store_code *code = &job->code;
	enum { ENDS = sizeof ends / sizeof *ends };
	int has_code = 0;
	size_t i;

	/* An argument may mention a program, as in sh -c 'python3 train.py'. */
	for (i = 0; i < job->command.count; i++)
		has_code |= text_has(job->command.word[i], ends, ENDS);
	if (!r->quiet && code->root == NULL && has_code)
		r->warn("no copy of the code: %s", code->why);
}

/* Print a message about the job where people see it, not programs. */
static void
print(const struct submit_message *r, const struct store_job *job,
    const char *what)
{
	(r->parsable ? r->warn : r->print)("%s: %s", job->name, what);
}

/* Print or remember which arrays were queued. */
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

/* Say "conv2d: 12 tasks queued as Slurm arrays 17, 18, 4 at a time". */
static void
say_queued(const struct submit_message *r, const struct store_job *job,
    uint64_t tasks, const uint32_t *array, size_t count)
{
	char *ids = job_enqueue_ids(array, count, ", "), *why, *text = NULL;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	fprintf(out, "%s: %" PRIu64 " task%s queued as Slurm array%s %s",
	    job->name, tasks, tasks == 1 ? "" : "s", count == 1 ? "" : "s",
	    ids);
	if (job->parallel > 0)
		fprintf(out, ", %" PRId64 " at a time", job->parallel);
	if (job_dependency_look(job, &why) != JOB_DEPENDENCY_MET)
		fprintf(out, ", %s", why);
	xmemclose(out);
	r->print("%s", text);
	free(text);
	free(why);
	free(ids);
}

/* Say what to type next, and what the script lacks, to people. */
static void
say_next(const struct submit_message *r, const struct store_job *job)
{
	char *hint = submit_script_metrics(job);

	job_show_next(r->out, job, cli_terminal_width());
	if (hint != NULL)
		r->print("%s", hint);
	free(hint);
}

void
submit_message_queued(struct submit_message *r, const struct store_job *job,
    const struct job_enqueued *q)
{
	note_queued(r, job->name, q->fresh, q->fresh_count);
	if (r->quiet)
		return;
	if (q->count == 0) {
		print(r, job,
		    job->imported != NULL ? "nothing to queue: it was imported"
					  : "nothing to queue: it was stopped");
		return;
	}
	if (q->fresh_count == 0) {
		print(r, job, "nothing is left to queue");
		return;
	}
	if (r->parsable)
		return;
	say_queued(r, job, q->tasks, q->array, q->count);
	if (isatty(STDOUT_FILENO))
		say_next(r, job);
}

void
submit_message_to_come(
    const struct submit_message *r, const struct store_job *job, uint64_t tasks)
{
	r->warn("%s: %" PRIu64 " task%s not queued yet: run stfm-watch to "
		"queue %s as room appears, or stfm-submit --queue-rest %s",
	    job->name, tasks, tasks == 1 ? " is" : "s are",
	    tasks == 1 ? "it" : "them", job->name);
}

void
submit_message_rest(struct submit_message *r, const struct store_job *job,
    enum queue_answer answer, const struct job_enqueued *q)
{
	note_queued(r, job->name, q->fresh, q->fresh_count);
	if (q->fresh_count > 0 && !r->parsable && !r->quiet)
		say_queued(r, job, q->made, q->fresh, q->fresh_count);
	if (q->left > 0)
		submit_message_to_come(r, job, q->left);
	else if (answer != QUEUE_REFUSED && !q->damaged)
		r->warn("%s: stays in the store: to queue the rest, run "
			"stfm-watch, or stfm-submit --queue-rest %s",
		    job->name, job->name);
}

void
submit_message_copied(const struct submit_message *r,
    const struct store_job *job, const struct strlist *differing)
{
	char *text = NULL;
	size_t length;
	FILE *out;

	if (r->quiet)
		return;
	out = xmemopen(&text, &length);
	fprintf(
	    out, "%s the code again: ", r->dry_run ? "would copy" : "copied");
	text_plain(out, differing->word[0]);
	fputs(differing->count > 1 ? " and others" : "", out);
	xmemclose(out);
	print(r, job, text);
	free(text);
}

void
submit_message_waiting(struct submit_message *r, const struct store_job *job)
{
	char *why = NULL, *text;

	note_queued(r, job->name, NULL, 0);
	job_dependency_look(job, &why);
	text = xasprintf("%" PRIu64 " task%s not queued yet (%s): run "
			 "stfm-watch to queue %s",
	    job->tasks, job->tasks == 1 ? " is" : "s are",
	    why != NULL ? why : "later", job->tasks == 1 ? "it" : "them");
	if (!r->quiet)
		print(r, job, text);
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
	print(r, job, text);
	free(text);
}

void
submit_message_unqueued(const struct submit_message *r,
    const struct store_job *job, const struct job_resubmit *same, int refused)
{
	const char *name = job->name;
	uint64_t count = idset_size(&same->kept);
	char *kept = idset_brief(&same->kept);
	char *ids = job_enqueue_ids(same->array, same->arrays, ", ");

	if (refused && count > 0)
		r->warn("%s: %" PRIu64 " task%s not queued again, and %s: %s",
		    name, count, count == 1 ? " is" : "s are",
		    count == 1 ? "is what it was" : "are what they were", kept);
	if (refused && same->arrays > 0)
		r->warn("%s: queued all the same: Slurm array%s %s", name,
		    same->arrays == 1 ? "" : "s", ids);
	if (same->left > 0)
		r->warn("%s: %" PRIu64 " task%s to be queued: stfm-watch "
			"does that, or the same command again",
		    name, same->left, same->left == 1 ? " waits" : "s wait");
	free(ids);
	free(kept);
}

/* Write "12 new, 3 dropped (2 run), 20 as they are". */
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

void
submit_message_sync(struct submit_message *r, const struct store_job *old,
    const struct job_sync *sync, const struct job_resubmit *same)
{
	struct idset fresh = {0};
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
	print(r, old, text);
	free(text);
	if (!r->dry_run)
		return;
	if (sync->fresh > 0)
		idset_add(&fresh, old->tasks, old->tasks + sync->fresh - 1);
	show_tasks(r->out, "dropped", old->name, &sync->dropped);
	show_tasks(r->out, "wanted again", old->name, &sync->back);
	show_tasks(r->out, "new", old->name, &fresh);
	if (sync->fresh > 0 && !job_points_are_chosen(old))
		flow_rows(r->out, sync->points, cli_terminal_width());
	idset_free(&fresh);
}
