#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/resource.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/points.h"
#include "job/sbatch-options.h"
#include "submit/plan.h"

/* Different things that points may ask of Slurm: each is an array. */
enum { GROUPS = 1000 };

struct job_plan *
job_plan_new(void)
{
	struct job_plan *plan = xcalloc(1, sizeof *plan);

	plan->job = xcalloc(1, sizeof *plan->job);
	plan->job->dir = -1;
	plan->job->seed = -1;
	plan->job->array_size = 1;
	plan->job->pack = 1;
	return plan;
}

void
job_plan_free(struct job_plan *plan)
{
	if (plan == NULL)
		return;
	store_job_free(plan->job);
	sbatch_free(&plan->given);
	sbatch_free(&plan->environment);
	sbatch_free(&plan->defaults);
	sbatch_free(&plan->view);
	sbatch_script_free(&plan->script);
	free(plan->script_text);
	free(plan->points);
	free(plan->optional);
	free(plan->note);
	free(plan->batch);
	snapshot_free(plan->snapshot);
	free(plan);
}

/* ---- points ---- */

struct collector {
	struct job_plan *plan;
	const struct space *space;
	FILE *out;
	size_t *column; /* of the space, for each name of the job */
	const char **value;
	int asks; /* some column is what points ask of Slurm */
	uint64_t count;
	struct error *e;
};

/* A task gets its values as JSON too, which cannot hold all bytes. */
static int
check_value(const struct collector *c, size_t i)
{
	if (c->value[i] == NULL || text_is_utf8(c->value[i]))
		return 0;
	return error_set(c->e, "task %" PRIu64 ": %s: '%s' is not UTF-8",
	    c->count - 1, c->plan->job->names.word[i], c->value[i]);
}

/* The names are known once the first point is. */
static void
begin(struct collector *c)
{
	size_t width = space_width(c->space), i;
	struct strlist *names = &c->plan->job->names;

	if (c->value != NULL)
		return;
	c->value = xcalloc(width + 1, sizeof *c->value);
	c->column = xcalloc(width + 1, sizeof *c->column);
	c->plan->optional = xcalloc(width + 1, 1);
	for (i = 0; i < width; i++)
		if (resource_is(space_name(c->space, i))) {
			c->asks = 1;
		} else {
			c->column[names->count] = i;
			strlist_push(names, space_name(c->space, i));
		}
	job_points_header(c->out, names);
}

/* Put the task into the group of those that ask for the same. */
static int
take_asked(struct collector *c, const struct space_point *point)
{
	struct store_groups *groups = &c->plan->job->groups;
	struct strlist words = {0};
	size_t i;

	for (i = 0; i < space_width(c->space); i++)
		if (resource_is(space_name(c->space, i)) &&
		    space_value(point, i) != NULL)
			strlist_take(&words,
			    xasprintf("%s=%s", space_name(c->space, i),
				space_value(point, i)));
	for (i = 0; i < words.count; i++)
		if (!text_is_utf8(words.word[i])) {
			error_set(c->e, "task %" PRIu64 ": '%s' is not UTF-8",
			    c->count - 1, words.word[i]);
			strlist_free(&words);
			return -1;
		}
	store_groups_add(groups, c->count - 1, &words);
	strlist_free(&words);
	if (groups->count <= GROUPS)
		return 0;
	return error_set(c->e,
	    "the points ask Slurm for more than %d different things, each of "
	    "which is a job array of its own: give fewer values to @mem and "
	    "its like",
	    GROUPS);
}

static int
collect(void *arg, const struct space_point *point)
{
	struct collector *c = arg;
	size_t i;

	begin(c);
	if (++c->count > c->plan->most)
		return 1;
	for (i = 0; i < c->plan->job->names.count; i++) {
		c->value[i] = space_value(point, c->column[i]);
		if (c->value[i] == NULL)
			c->plan->optional[i] = 1;
		if (check_value(c, i) == -1)
			return -1;
	}
	job_points_row(c->out, c->value, c->plan->job->names.count);
	return c->asks ? take_asked(c, point) : 0;
}

static int
visit(struct collector *c, struct space *space, const char *from_name,
    const char *from, size_t length, struct error *e)
{
	int rc;

	if (from != NULL) {
		if (space_from(space, from_name, NULL, e) == -1)
			return -1;
		rc = space_feed(space, from, length, collect, c, e);
		if (rc != 0)
			return rc;
	}
	return space_end(space, collect, c, e);
}

static int
check_count(const struct collector *c, struct error *e)
{
	if (c->count == 0)
		return error_set(
		    e, "no points: the conditions leave every one out");
	if (c->count > c->plan->most)
		return error_set(e,
		    "more than %" PRIu64 " tasks: allow them with "
		    "--max-tasks, if they are meant",
		    c->plan->most);
	return 0;
}

int
job_plan_points(struct job_plan *plan, struct space *space,
    const char *from_name, const char *from, size_t length, struct error *e)
{
	struct collector c = {.plan = plan, .space = space, .e = e};
	int rc;

	c.out = xmemopen(&plan->points, &plan->points_length);
	rc = visit(&c, space, from_name, from, length, e);
	xmemclose(c.out);
	free(c.value);
	free(c.column);
	if (rc == -1 || check_count(&c, e) == -1)
		return -1;
	plan->job->tasks = c.count;
	plan->job->fingerprint =
	    job_points_fingerprint(plan->points, plan->points_length);
	if (!space_is_exact(space) || from != NULL || c.asks)
		plan->job->points_kept = 1;
	return 0;
}

/* ---- options ---- */

int
job_plan_read(struct job_plan *plan, const char *path, size_t limit,
    char **text, size_t *length, struct error *e)
{
	plan->withheld |= fs_withheld(path);
	return fs_read_path(path, limit, text, length, e);
}

int
job_plan_script(struct job_plan *plan, const char *path, struct error *e)
{
	size_t length;

	if (job_plan_read(
		plan, path, 4 << 20, &plan->script_text, &length, e) == -1) {
		if (errno == ENOENT)
			error_set(e,
			    "%s: no such script (a command is written behind "
			    "--, as in -- python train.py)",
			    path);
		return -1;
	}
	if (strlen(plan->script_text) != length)
		return error_set(e, "%s: holds a NUL byte", path);
	if (sbatch_script(plan->script_text, length, &plan->script, e) == -1)
		return error_prefix(e, path);
	plan->job->script = fs_absolute(path);
	return 0;
}

static int
says_otherwise(const struct sbatch *given, const char *name)
{
	size_t i;

	for (i = 0; i < given->count; i++)
		if (sbatch_is_like(given->given[i].name, name))
			return 1;
	return 0;
}

const char *
job_plan_option(const struct job_plan *plan, const char *name)
{
	const char *value;

	if (says_otherwise(&plan->view, name))
		return sbatch_value(&plan->view, name);
	value = sbatch_value(&plan->given, name);
	if (value == NULL)
		value = sbatch_value(&plan->environment, name);
	if (value == NULL)
		value = sbatch_value(&plan->script.options, name);
	if (value == NULL)
		value = sbatch_value(&plan->defaults, name);
	return value;
}

long
job_plan_views(const struct job_plan *plan)
{
	size_t count = plan->job->groups.count;

	return count > 0 ? (long)count : 1;
}

void
job_plan_look(struct job_plan *plan, long view)
{
	const struct store_groups *groups = &plan->job->groups;
	const struct strlist *words;
	char *name;
	size_t i, n;

	sbatch_free(&plan->view);
	if (view < 0 || (size_t)view >= groups->count)
		return;
	words = &groups->group[view].options;
	for (i = 0; i < words->count; i++) {
		n = strcspn(words->word[i], "=");
		name = xstrndup(words->word[i] + 2, n - 2);
		sbatch_add(&plan->view, name,
		    words->word[i] + n + (words->word[i][n] != '\0'));
		free(name);
	}
}

void
job_plan_defaults(struct job_plan *plan)
{
	struct sbatch all = plan->defaults;
	const char *name;
	size_t i;

	memset(&plan->defaults, 0, sizeof plan->defaults);
	for (i = 0; i < all.count; i++) {
		name = all.given[i].name;
		if (!says_otherwise(&plan->given, name) &&
		    !says_otherwise(&plan->environment, name) &&
		    !says_otherwise(&plan->script.options, name))
			sbatch_add(&plan->defaults, name, all.given[i].value);
	}
	sbatch_free(&all);
}

static int
anywhere(const struct job_plan *plan, int (*has)(const struct sbatch *))
{
	return has(&plan->given) || has(&plan->environment) ||
	    has(&plan->script.options) || has(&plan->defaults);
}

static void
add_default(struct job_plan *plan, const char *name, const char *value)
{
	char *word;

	if (job_plan_option(plan, name) != NULL)
		return;
	word = xasprintf("--%s=%s", name, value);
	strlist_push(&plan->job->options, word);
	free(word);
}

/* Ours is put beside it, so it has to be known wherever it was given. */
static void
keep(struct job_plan *plan, const char *name)
{
	const char *value = job_plan_option(plan, name);

	if (value != NULL && sbatch_value(&plan->given, name) == NULL &&
	    sbatch_value(&plan->defaults, name) == NULL)
		strlist_take(
		    &plan->job->options, xasprintf("--%s=%s", name, value));
}

void
job_plan_options(struct job_plan *plan, const struct strlist *words)
{
	if (!anywhere(plan, sbatch_has_gpu))
		add_default(plan, "gres", "gpu:1");
	if (!anywhere(plan, sbatch_has_tasks))
		add_default(plan, "ntasks-per-node", "1");
	keep(plan, "comment");
	keep(plan, "dependency");
	add_default(plan, "open-mode", "append");
	add_default(plan, "chdir", plan->job->directory);
	job_sbatch_options_add(&plan->defaults, 0, &plan->job->options);
	strlist_copy(&plan->job->options, words);
}

/* A path as part of sbatch's file name pattern. */
static char *
pattern(const char *path)
{
	char *text = NULL;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	for (; *path != '\0'; path++) {
		if (*path == '%')
			putc('%', out);
		putc(*path, out);
	}
	fputs("/log/%A_%a.log", out);
	xmemclose(out);
	return text;
}

/* The default of a name that was not to be had. */
static void
drop_output(struct strlist *options)
{
	static const char output[] = "--output=";

	if (options->count > 0 &&
	    strncmp(options->word[options->count - 1], output,
		sizeof output - 1) == 0)
		free(options->word[--options->count]);
}

char *
job_plan_batch_text(const struct store_job *job,
    const struct sbatch_script *script, const char *path, const char *runner)
{
	size_t length, i;
	char *text;
	FILE *out = xmemopen(&text, &length);

	fputs("#!/bin/sh\n", out);
	for (i = 0; i < script->lines; i++)
		fprintf(out, "%s\n", script->line[i]);
	fprintf(
	    out, "# One task of %s; written by stfm-submit.\nexec ", job->name);
	text_shell(out, runner);
	putc(' ', out);
	text_shell(out, path);
	fprintf(out, " %s \"$1\"\n", job->id);
	xmemclose(out);
	return text;
}

void
job_plan_batch(struct job_plan *plan, const char *path, const char *runner)
{
	char *output = pattern(path);

	if (plan->batch != NULL && job_plan_option(plan, "output") == NULL)
		drop_output(&plan->job->options);
	add_default(plan, "output", output);
	free(output);
	free(plan->batch);
	plan->batch =
	    job_plan_batch_text(plan->job, &plan->script, path, runner);
}
