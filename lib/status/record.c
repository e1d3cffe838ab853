/*
 * stfm-status --record: the submission of a job, its code and its environment.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/code.h"
#include "status/private.h"
#include "store/extension.h"
#include "store/job.h"

/* Maximum paths to name of new files or files unknown to git. */
enum { NAMED = 20 };

/* A record being printed. */
struct sheet {
	FILE *out;
	const struct store_job *job;
	const struct show_style *look;
};

static void
line(const struct sheet *s, const char *label, const char *text)
{
	struct flow f;

	if (text == NULL || *text == '\0')
		return;
	f = show_begin(s->out, s->look, label);
	flow_text(&f, 0, text);
	flow_end(&f);
}

static void
path_line(const struct sheet *s, const char *label, const char *path)
{
	struct flow f;

	if (path == NULL)
		return;
	f = show_begin(s->out, s->look, label);
	flow_path(&f, 0, path);
	flow_end(&f);
}

/* Print a line with a text, and free the text. */
static void
line_of(const struct sheet *s, const char *label, char *text)
{
	line(s, label, text);
	free(text);
}

/* Print words as a shell takes them; a word is never wrapped. */
static void
words_line(
    const struct sheet *s, const char *label, const struct strlist *words)
{
	struct flow f;
	size_t length, i;
	char *word;
	FILE *m;

	if (words->count == 0)
		return;
	f = show_begin(s->out, s->look, label);
	for (i = 0; i < words->count; i++) {
		m = xmemopen(&word, &length);
		text_shell(m, words->word[i]);
		xmemclose(m);
		flow_path(&f, i > 0, word);
		free(word);
	}
	flow_end(&f);
}

/* Return whether a word of the command line begins so. */
static int
has_typed(const struct store_job *job, const char *begin)
{
	size_t i = 0;

	while (i < job->argv.count && !text_begins(job->argv.word[i], begin))
		i++;
	return i < job->argv.count;
}

/* Print a space.  --search N is --samples=N in the store. */
static void
space_line(
    const struct sheet *s, const char *label, const struct strlist *space)
{
	int is_search =
	    has_typed(s->job, "--search") && !has_typed(s->job, "--samples");
	struct strlist words = {0};
	const char *samples = "--samples=";
	size_t i;

	for (i = 0; i < space->count; i++) {
		if (!is_search || !text_begins(space->word[i], samples)) {
			strlist_push(&words, space->word[i]);
			continue;
		}
		strlist_push(&words, "--search");
		strlist_push(&words, space->word[i] + strlen(samples));
	}
	words_line(s, label, &words);
	strlist_free(&words);
}

static void
paths_line(
    const struct sheet *s, const char *label, const struct strlist *paths)
{
	struct flow f;
	size_t i;

	if (paths->count == 0)
		return;
	f = show_begin(s->out, s->look, label);
	for (i = 0; i < paths->count && i < NAMED; i++)
		flow_path(&f, i > 0 ? 2 : 0, paths->word[i]);
	if (i < paths->count)
		show_text(&f, 2, "and %zu more", paths->count - i);
	flow_end(&f);
}

void
job_show_after(const struct store_job *job, struct strlist *out)
{
	const struct strlist *after = &job->after;
	size_t i, n;

	for (i = 0; i < after->count; i++) {
		n = strcspn(after->word[i], ":");
		strlist_take(out,
		    xasprintf("%.*s%s", (int)n, after->word[i],
			strncmp(after->word[i] + n, ":ok:", 4) == 0 ? ":ok"
								    : ""));
	}
}

/* ---- code ---- */

/* The same for the copy in use of a job and the copy before it. */
static int
code_since(const struct store_job *job, size_t most, struct strlist *out,
    struct error *e)
{
	struct store_job before = *job;
	int64_t number = job->code.number;

	while (--number >= 0)
		if (store_code_use(&before, number, NULL) == 0)
			return job_code_between(&before, job, most, out, e);
	return 0;
}

/* Return "copy 1, made 2026-11-23 10:12: train.py changed", to free. */
static char *
newer_copy(const struct store_job *job)
{
	struct strlist since = {0};
	char time[TABLE_TIME], *paths = NULL, *text;
	size_t length, i;
	FILE *f = xmemopen(&paths, &length);

	code_since(job, NAMED, &since, NULL);
	for (i = 0; i < since.count; i++)
		fprintf(f, "%s%s", i > 0 ? ", " : ": ", since.word[i]);
	fputs(since.count > 0 ? " changed" : "", f);
	xmemclose(f);
	text = xasprintf("copy %" PRId64 ", made %s%s", job->code.number,
	    show_time(job->code.made, 1, time), paths);
	free(paths);
	strlist_free(&since);
	return text;
}

static char *
code_of(const struct store_job *job)
{
	const struct store_code *code = &job->code;
	const char *copy = code->fingerprint ? "a copy of " : "";

	if (code->commit != NULL)
		return xasprintf("%s%.12s%s", copy, code->commit,
		    code->dirty ? ", changed since" : "");
	if (code->fingerprint != NULL)
		return xasprintf("a copy of %" PRIu64 " file%s", code->files,
		    code->files == 1 ? "" : "s");
	return NULL;
}

char *
show_code(const struct store_job *job, int64_t number)
{
	struct store_job of = *job;
	char *text, *first;

	if (store_code_use(&of, number > 0 ? number : 0, NULL) == -1)
		return xasprintf("copy %" PRId64 ", which is missing", number);
	if (number > 0)
		return newer_copy(&of);
	first = code_of(&of);
	if (job->code.number == 0 || first == NULL)
		return first;
	text = xasprintf("copy 0: %s", first);
	free(first);
	return text;
}

char *
show_copies(const struct job_tasks *t, size_t *count)
{
	size_t most = t->view->job->changes.count + 1, i, length;
	uint64_t *tasks = xcalloc(most, sizeof *tasks);
	const char *gap = "";
	int64_t code;
	char *text;
	FILE *f;

	*count = 0;
	for (i = 0; i < t->count; i++) {
		code = job_view_code(t->view, t->task[i]);
		if (code >= 0 && (size_t)code < most)
			*count += tasks[code]++ == 0;
		store_table_forget(t->view->table, t->task[i]);
	}
	f = xmemopen(&text, &length);
	for (i = 0; i < most; i++) {
		if (tasks[i] == 0)
			continue;
		fprintf(f, "%s%zu", gap, i);
		gap = ", ";
		if (*count > 1)
			fprintf(f, " (%" PRIu64 " task%s)", tasks[i],
			    tasks[i] == 1 ? "" : "s");
	}
	xmemclose(f);
	free(tasks);
	if (*count > 0)
		return text;
	free(text);
	return NULL;
}

char *
show_mixed_code(const struct job_tasks *t)
{
	size_t count;
	char *copies = show_copies(t, &count), *text = NULL;

	if (count > 1)
		text = xasprintf(
		    "tasks ran %zu copies of the code: %s", count, copies);
	free(copies);
	return text;
}

/* Print a description and tags that were set later. */
static void
put_labels(const struct sheet *s, const struct store_change *c)
{
	char time[TABLE_TIME];

	line(s, "Labels set", show_time(c->created, 1, time));
	line(s, "  --description", c->labels.description);
	words_line(s, "  --tag", &c->labels.tags);
}

/*
 * Print the changes since the submission: copies, labels and metrics settings.
 */
static void
put_changes(const struct sheet *s)
{
	const struct store_change *c;
	char time[TABLE_TIME];
	size_t i, k;

	for (i = 0; i < s->job->changes.count; i++) {
		c = &s->job->changes.item[i];
		if (c->copies) {
			line_of(s, "Copied again",
			    show_code(s->job, (int64_t)i + 1));
		}
		if (c->labelled)
			put_labels(s, c);
		if (!c->reads)
			continue;
		line(s, "Metrics set", show_time(c->created, 1, time));
		line(s, "  --metric", c->reading.metric);
		line(s, "  --goal", c->reading.goal);
		path_line(s, "  --metrics", c->reading.metrics);
		for (k = 0; k < c->reading.metrics_regex.count; k++)
			line(s, "  --metrics-regex",
			    c->reading.metrics_regex.word[k]);
		line(s, "  --epochs", c->reading.epochs);
	}
}

static void
put_code(const struct sheet *s)
{
	const struct store_code *code = &s->job->code;
	char *place;
	struct snapshot_changes c = {0};
	struct error e;

	if (code->fingerprint != NULL) {
		place = store_job_place(s->job);
		path_line(s, "Runs in", place);
		free(place);
		line_of(s, "Copied",
		    xasprintf("%" PRIu64 " file%s, %" PRIu64
			      " bytes, code fingerprint %s",
			code->files, code->files == 1 ? "" : "s", code->bytes,
			code->fingerprint));
		path_line(s, "from", code->root);
	} else {
		line(s, "Copied", "nothing");
	}
	line(s, "because", code->why);
	if (code->commit != NULL) {
		line_of(s, "Commit",
		    xasprintf("%s%s%s%s", code->commit,
			code->branch ? " on " : "",
			code->branch ? code->branch : "",
			code->dirty ? ", changed since (--diff)" : ""));
		line(s, "Remote", code->remote);
		paths_line(s, "Not in git", &code->untracked);
	}
	if (job_code_changes(s->job, SNAPSHOT_DATA, 10 * NAMED, &c, &e) == -1)
		line(s, "Trouble", e.text);
	paths_line(s, "Made there", &c.added);
	paths_line(s, "Changed there", &c.changed);
	paths_line(s, "Gone from there", &c.gone);
	snapshot_changes_free(&c);
}

/* ---- the record ---- */

char *
show_extension(const struct store_extension *x)
{
	char time[TABLE_TIME];

	return xasprintf("%s: %" PRIu64 " task%s new, %" PRIu64
			 " dropped by then",
	    show_time(x->created, 1, time), x->tasks - x->first,
	    x->tasks - x->first == 1 ? "" : "s", idset_size(&x->dropped));
}

/* Print the changes by --sync, and what points ask of Slurm. */
static void
put_points(const struct sheet *s)
{
	const struct store_extensions *all = &s->job->extensions;
	const struct store_groups *groups = &s->job->groups;
	const struct store_extension *x;
	const struct store_group *g;
	char *tasks, *asked;
	struct flow f;
	size_t i;

	space_line(s, "Space", &s->job->space);
	for (i = 0; i < all->count; i++) {
		x = &all->item[i];
		line_of(s, i == 0 ? "Changed" : "", show_extension(x));
		space_line(s, "to", &x->space);
	}
	words_line(s, "Slurm", &s->job->options);
	for (i = 0; i < groups->count && i < NAMED; i++) {
		g = &groups->group[i];
		asked = strlist_join(&g->asked, " ");
		tasks = idset_text(&g->tasks);
		f = show_begin(s->out, s->look, i == 0 ? "Points ask for" : "");
		flow_text(&f, 0, *asked ? asked : "nothing of their own");
		flow_text(&f, 2, idset_size(&g->tasks) == 1 ? "task" : "tasks");
		flow_list(&f, 1, tasks, NAMED);
		flow_end(&f);
		free(asked);
		free(tasks);
	}
}

static void
put_submission(const struct sheet *s)
{
	const struct store_job *job = s->job;
	struct strlist after = {0};
	char time[TABLE_TIME];

	line(s, "Description", job->description);
	words_line(s, "Tags", &job->tags);
	line_of(s, job->imported != NULL ? "Imported" : "Submitted",
	    xasprintf("%s by %s at %s", show_time(job->created, 1, time),
		job->user ? job->user : "?", job->host ? job->host : "?"));
	path_line(s, "in", job->cwd);
	words_line(s, "as", &job->argv);
	path_line(s, "from", job->imported);
	words_line(s, "Defaults", &job->defaults);
	words_line(s, "Command", &job->command);
	line(s, "Ranks", job->dist);
	path_line(s, "Container", job->container);
	line(s, "run by", job->container_runtime);
	words_line(s, "with", &job->container_bind);
	job_show_after(job, &after);
	words_line(s, "After", &after);
	strlist_free(&after);
	line(s, "Then", job->then);
	put_points(s);
	if (job->seed >= 0)
		line_of(s, "Seed of draws", xasprintf("%" PRId64, job->seed));
	path_line(s, "Directory", job->directory);
}

/* Print a line for each variable, with values aligned. */
static void
put_environment(const struct sheet *s)
{
	const struct strlist *words = &s->job->environment;
	size_t width = 0, i, n;
	struct flow f;
	char *name;

	if (words->count > 0)
		fputs("\nEnvironment\n", s->out);
	for (i = 0; i < words->count; i++) {
		n = 2 + strcspn(words->word[i], "=");
		if (n > width)
			width = n;
	}
	for (i = 0; i < words->count; i++) {
		n = strcspn(words->word[i], "=");
		name = xasprintf("  %.*s", (int)n, words->word[i]);
		f = show_begin_wide(s->out, s->look, name, width);
		n += words->word[i][n] == '=';
		flow_path(&f, 0, words->word[i] + n);
		flow_end(&f);
		free(name);
	}
}

static void
put_record(
    FILE *out, const struct store_job *job, const struct show_style *look)
{
	struct sheet s = {out, job, look};
	struct flow f = {out, look->width, 0, 0};

	flow_path(&f, 0, job->name);
	flow_end(&f);
	put_submission(&s);
	put_code(&s);
	put_changes(&s);
	put_environment(&s);
}

void
job_show_records(FILE *out, struct store_job *const *jobs, size_t count,
    const struct show_style *look)
{
	int array = look->format == TABLE_JSON;
	char *text;
	size_t i;

	if (look->format == TABLE_TEXT) {
		for (i = 0; i < count; i++) {
			if (i > 0)
				putc('\n', out);
			put_record(out, jobs[i], look);
		}
		return;
	}
	if (array)
		fputs("[", out);
	for (i = 0; i < count; i++) {
		text = store_job_json(jobs[i]);
		fprintf(out, "%s%s%s", array && i > 0 ? "," : "",
		    array ? "\n" : "", text);
		if (!array)
			putc('\n', out);
		free(text);
	}
	if (array)
		fputs("\n]\n", out);
}

/* ---- uncommitted changes ---- */

int
job_show_diff(FILE *out, const struct store_job *job, int raw, struct error *e)
{
	const struct store_code *code = &job->code;
	char *text, *at, *end;
	struct error why;
	size_t length;

	if (job_code_diff(job, &text, &length, &why) == -1) {
		if (why.code != ERROR_ABSENT)
			return error_copy(e, &why);
		if (code->commit == NULL)
			error_set(e, "%s: nothing to differ from: %s",
			    job->name,
			    code->why ? code->why
				      : "no commit of git is known");
		else if (code->dirty)
			error_set(e,
			    "%s: the difference was too large to be kept",
			    job->name);
		else
			error_set(e, "%s: no difference: it was commit %s",
			    job->name, code->commit);
		return 1;
	}
	if (raw)
		fwrite(text, 1, length, out);
	for (at = text; !raw && at < text + length; at = end + 1) {
		end = memchr(at, '\n', (size_t)(text + length - at));
		if (end == NULL)
			end = text + length;
		*end = '\0';
		text_plain(out, at);
		putc('\n', out);
	}
	free(text);
	return 0;
}
