#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "control/chunk.h"
#include "control/sbatch-argv.h"
#include "job/argv.h"
#include "job/container.h"
#include "job/points.h"
#include "runner/workdir.h"
#include "slurm/sbatch.h"
#include "status/page-parts.h"
#include "submit/dry-run.h"
#include "submit/search-options.h"
#include "term/flow.h"

static void
show_defaults(FILE *out, const struct job_plan *plan)
{
	const struct strlist *defaults = &plan->job->defaults;
	size_t i;

	for (i = 0; i < defaults->count; i++) {
		fputs("# default ", out);
		text_plain(out, defaults->word[i]);
		fputs(" (", out);
		text_plain(out, plan->from.word[i]);
		fputs(")\n", out);
	}
}

static void
show_snapshot(FILE *out, const struct store_job *job)
{
	const struct store_code *code = &job->code;

	if (code->root == NULL) {
		fprintf(out, "# no snapshot: %s\n", code->why);
		return;
	}
	fprintf(out, "# snapshot: %" PRIu64 " file%s of ", code->files,
	    code->files == 1 ? "" : "s");
	text_plain(out, code->root);
	if (code->commit != NULL)
		fprintf(out, " at %.12s%s", code->commit,
		    code->dirty ? ", changed since" : "");
	putc('\n', out);
}

static void
show_call(FILE *out, const char *lead, const struct strlist *argv)
{
	fputs(lead, out);
	text_shell_words(out, argv);
	putc('\n', out);
}

/* Print the command of the container, without GPU options. */
static void
show_container(FILE *out, const struct store_job *job)
{
	struct strlist argv = {0};

	if (job->container == NULL)
		return;
	job_container_wrap(job, CONTAINER_CPU, &argv);
	job_container_step(job, &argv);
	show_call(out, "# container: ", &argv);
	strlist_free(&argv);
}

/* Print the sbatch call for a chunk, and its tasks unless they are obvious. */
static void
show_chunk(
    FILE *out, const struct store_job *job, const struct store_chunk *chunk)
{
	uint64_t first = idset_at(&chunk->tasks, 0);
	const struct store_group *g = store_group_of(&job->groups, first);
	char *script = xasprintf("%s/batch.sh", job->path);
	char *tasks = idset_text(&chunk->tasks);
	struct strlist argv = {0};
	size_t i;

	if (g != NULL || job->pack > 1) {
		fprintf(out, "# task%s %s",
		    idset_size(&chunk->tasks) == 1 ? "" : "s", tasks);
		if (chunk->pack > 1)
			fprintf(out,
			    ", %" PRId64 " at a time on each allocation",
			    chunk->pack);
		for (i = 0; g != NULL && i < g->asked.count; i++) {
			putc(' ', out);
			text_plain(out, g->asked.word[i]);
		}
		putc('\n', out);
	}
	job_sbatch_argv(job, chunk, NULL, script, &argv);
	show_call(out, "sbatch --parsable ", &argv);
	strlist_free(&argv);
	free(tasks);
	free(script);
}

/* Print the options of sbatch that only a plugin of the cluster can have. */
static void
show_unknown(FILE *out, const struct store_job *job)
{
	const char *word;
	char *name;
	size_t i;

	for (i = 0; i < job->options.count; i++) {
		word = job->options.word[i];
		name = xstrndup(word + 2, strcspn(word + 2, "="));
		if (sbatch_name(name) == NULL) {
			fputs("# not checked: --", out);
			text_plain(out, name);
			fputs(", which sbatch takes only if a plugin of the "
			      "cluster has it\n",
			    out);
		}
		free(name);
	}
}

/* Print the dependencies of a job, and its --then command. */
static void
show_order(FILE *out, const struct store_job *job)
{
	struct strlist after = {0};
	char *list;

	job_show_after(job, &after);
	if (after.count > 0) {
		list = strlist_join(&after, ", ");
		fprintf(out, "# after %s\n", list);
		free(list);
	}
	if (job->then != NULL) {
		fputs("# then ", out);
		text_plain(out, job->then);
		putc('\n', out);
	}
	strlist_free(&after);
}

/*
 * Print a command line that trains like task 0, in the user's directory.  first
 * is its point if stfm's sampler chooses it, or NULL.
 */
static void
show_command(FILE *out, const struct job_plan *plan, const char *first)
{
	struct store_job job = *plan->job;
	const char **value = xcalloc(job.names.count + 1, sizeof *value);
	const char *row = plan->points;
	char *line = NULL, *text;
	struct job_task t = {.job = &job, .value = value};
	struct strlist command = {0};
	size_t i;

	for (i = 0; i < job.command.count; i++)
		strlist_push(&command,
		    i == 0 && job.script != NULL ? job.script
						 : job.command.word[i]);
	job.command = command;
	job.code.fingerprint = NULL; /* no copy was made that could run */
	job.script = NULL;
	if (row != NULL)
		row = strchr(row, '\n');
	if (first != NULL)
		line = xstrdup(first);
	else if (row != NULL)
		line = xstrndup(row + 1, strcspn(row + 1, "\n"));
	if (line != NULL)
		job_points_cut(line, value, job.names.count);
	text = job_command_line(&t);
	fprintf(out, "# command of task 0%s\n%s\n",
	    first == NULL && job_points_are_chosen(&job)
		? ", with a random point"
		: "",
	    text);
	free(text);
	strlist_free(&command);
	free(line);
	free(value);
}

/* Print the points, as far as they are known before the tasks start. */
static void
show_points(
    FILE *out, const struct job_plan *plan, const char *first, size_t width)
{
	int chosen = job_points_are_chosen(plan->job);
	char *rows = NULL;
	size_t length;
	FILE *f = xmemopen(&rows, &length);

	flow_script(out,
	    !chosen ? "# points\n"
		: first != NULL
		? "# points: the sampler chooses each one when its task "
		  "starts, this one first\n"
		: "# points: the sampler chooses each one when its task "
		  "starts\n",
	    width);
	if (!chosen) {
		fputs(plan->points != NULL ? plan->points : "", f);
	} else {
		job_points_header(f, &plan->job->names);
		if (first != NULL)
			fprintf(f, "%s\n", first);
	}
	xmemclose(f);
	flow_rows(out, rows, width);
	free(rows);
}

void
job_show_plan(FILE *out, const struct job_plan *plan, size_t width)
{
	const struct store_job *job = plan->job;
	struct store_chunks chunks;
	char *script = NULL, *first = submit_search_first(job);
	size_t length, i;
	FILE *f = xmemopen(&script, &length);

	job_chunks(job, &chunks);
	fprintf(f, "# %s: %" PRIu64 " task%s, nothing is queued\n", job->name,
	    job->tasks, job->tasks == 1 ? "" : "s");
	show_order(f, job);
	for (i = 0; i < chunks.count; i++)
		show_chunk(f, job, &chunks.chunk[i]);
	show_unknown(f, job);
	show_defaults(f, plan);
	show_snapshot(f, job);
	show_container(f, job);
	show_command(f, plan, first);
	fprintf(f, "# batch.sh\n%s", plan->batch);
	store_chunks_free(&chunks);
	xmemclose(f);
	flow_script(out, script, width);
	show_points(out, plan, first, width);
	free(first);
	free(script);
}

void
job_show_next(FILE *out, const struct store_job *job, size_t width)
{
	static const char lead[] = "follow it: stfm-watch ";
	static const char then[] = "see it: stfm-status ";
	const char *between = "   ";
	char *text;

	if (width > 0 &&
	    strlen(lead) + strlen(then) + 3 + 2 * strlen(job->name) > width)
		between = "\n";
	text = xasprintf(
	    "%s%s%s%s%s\n", lead, job->name, between, then, job->name);
	flow_script(out, text, width);
	free(text);
}
