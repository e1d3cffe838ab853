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
#include "sys/fs.h"

/* Maximum groups of points with different resources: each is a Slurm array. */
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
	strlist_free(&plan->from);
	strlist_free(&plan->wrong);
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

/* The points of a space being collected. */
struct collector {
	struct job_plan *plan;
	const struct space *space;
	FILE *out;
	size_t *column; /* column in the space of each name of the job */
	const char **value;
	int has_resources; /* whether a column is for Slurm, as @mem */
	uint64_t count;
	struct error *e;
};

/* Set the names, which are known from the first point on. */
static void
begin(struct collector *c)
{
	size_t width = space_width(c->space), i;
	struct strlist *names = &c->plan->job->names;

	c->value = xcalloc(width + 1, sizeof *c->value);
	c->column = xcalloc(width + 1, sizeof *c->column);
	c->plan->optional = xcalloc(width + 1, 1);
	for (i = 0; i < width; i++)
		if (resource_is(space_name(c->space, i))) {
			c->has_resources = 1;
		} else {
			c->column[names->count] = i;
			strlist_push(names, space_name(c->space, i));
		}
	job_points_header(c->out, names);
}

/* Add the task to the group of tasks with the same resources. */
static int
take_resources(struct collector *c, const struct space_point *point)
{
	struct store_groups *groups = &c->plan->job->groups;
	struct strlist words = {0};
	int rc = 0;
	size_t i;

	for (i = 0; i < space_width(c->space); i++)
		if (resource_is(space_name(c->space, i)) &&
		    space_value(point, i) != NULL)
			strlist_take(&words,
			    xasprintf("%s=%s", space_name(c->space, i),
				space_value(point, i)));
	for (i = 0; rc == 0 && i < words.count; i++)
		if (!text_is_utf8(words.word[i]))
			rc = error_set(c->e,
			    "task %" PRIu64
			    ": '%s' is not UTF-8: write it in UTF-8",
			    c->count - 1, words.word[i]);
	if (rc == 0)
		store_groups_add(groups, c->count - 1, &words);
	strlist_free(&words);
	if (rc == -1 || groups->count <= GROUPS)
		return rc;
	return error_set(c->e,
	    "the points ask Slurm for more than %d different sets of "
	    "resources, and each set is a job array: give fewer values to @mem "
	    "and other @ words",
	    GROUPS);
}

static int
collect(void *arg, const struct space_point *point)
{
	struct collector *c = arg;
	const struct strlist *names = &c->plan->job->names;
	size_t i;

	if (c->value == NULL)
		begin(c);
	if (++c->count > c->plan->most)
		return 1;
	for (i = 0; i < names->count; i++) {
		c->value[i] = space_value(point, c->column[i]);
		/* A task gets its values as JSON too, which must be UTF-8. */
		if (c->value[i] == NULL)
			c->plan->optional[i] = 1;
		else if (!text_is_utf8(c->value[i]))
			return error_set(c->e,
			    "task %" PRIu64
			    ": %s: '%s' is not UTF-8: write it in UTF-8",
			    c->count - 1, names->word[i], c->value[i]);
	}
	job_points_row(c->out, c->value, names->count);
	return c->has_resources ? take_resources(c, point) : 0;
}

int
job_plan_points(struct job_plan *plan, struct space *space,
    const char *from_name, const char *from, size_t length, struct error *e)
{
	struct collector c = {.plan = plan, .space = space, .e = e};
	int rc = 0;

	c.out = xmemopen(&plan->points, &plan->points_length);
	if (from != NULL) {
		rc = space_from(space, from_name, NULL, e);
		if (rc == 0)
			rc = space_feed(space, from, length, collect, &c, e);
	}
	if (rc == 0)
		rc = space_end(space, collect, &c, e);
	xmemclose(c.out);
	free(c.value);
	free(c.column);
	if (rc == -1)
		return -1;
	if (c.count == 0)
		return error_set(e,
		    "no points: the conditions leave every one out: change "
		    "--except or --when");
	if (c.count > plan->most)
		return error_set(e,
		    "more than %" PRIu64 " tasks: allow them with "
		    "--max-tasks, if they are meant",
		    plan->most);
	plan->job->tasks = c.count;
	plan->job->fingerprint =
	    job_points_fingerprint(plan->points, plan->points_length);
	if (!space_is_exact(space) || from != NULL || c.has_resources)
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
	if (text_ends(path, ".py") && !text_begins(plan->script_text, "#!"))
		return error_set(e,
		    "%s: no batch script: write it as a command, -- python %s",
		    path, path);
	if (sbatch_script(plan->script_text, length, &plan->script, e) == -1)
		return error_prefix(e, path);
	plan->job->script = fs_absolute(path);
	return 0;
}

/* Return whether an option with the same meaning is given. */
static int
has_like(const struct sbatch *given, const char *name)
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

	if (has_like(&plan->view, name))
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
		if (!has_like(&plan->given, name) &&
		    !has_like(&plan->environment, name) &&
		    !has_like(&plan->script.options, name))
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

int
job_plan_asks_gpu(const struct job_plan *plan)
{
	return anywhere(plan, sbatch_has_gpu);
}

static void
add_option(struct job_plan *plan, const char *name, const char *value)
{
	if (job_plan_option(plan, name) == NULL)
		strlist_take(
		    &plan->job->options, xasprintf("--%s=%s", name, value));
}

/*
 * Record an option wherever it was given, because we add our own value to it.
 */
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
	if (!job_plan_asks_gpu(plan))
		add_option(plan, "gres", "gpu:1");
	if (!anywhere(plan, sbatch_has_tasks))
		add_option(plan, "ntasks-per-node", "1");
	keep(plan, "comment");
	keep(plan, "dependency");
	add_option(plan, "open-mode", "append");
	add_option(plan, "chdir", plan->job->directory);
	job_sbatch_options_add(&plan->defaults, 0, &plan->job->options);
	strlist_copy(&plan->job->options, words);
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
	struct strlist *options = &plan->job->options;
	const char *c;
	size_t length;
	char *output;
	FILE *f = xmemopen(&output, &length);

	/* "%" starts a file name pattern of sbatch. */
	for (c = path; *c != '\0'; c++)
		fprintf(f, "%s%c", *c == '%' ? "%" : "", *c);
	fputs("/log/%A_%a.log", f);
	xmemclose(f);
	/* Drop the output of the last call, made for a name that was taken. */
	if (plan->batch != NULL && job_plan_option(plan, "output") == NULL &&
	    options->count > 0 &&
	    text_begins(options->word[options->count - 1], "--output="))
		free(options->word[--options->count]);
	add_option(plan, "output", output);
	free(output);
	free(plan->batch);
	plan->batch =
	    job_plan_batch_text(plan->job, &plan->script, path, runner);
}

/* ---- defaults ---- */

void
job_plan_default_add(struct job_plan *plan, const char *name, const char *value,
    const char *from)
{
	strlist_take(&plan->job->defaults,
	    sbatch_word(name, value != NULL ? value : ""));
	strlist_push(&plan->from, from);
}

void
job_plan_default_drop(struct job_plan *plan, const char *name)
{
	struct strlist *defaults = &plan->job->defaults;
	size_t length = strlen(name), i;

	for (i = defaults->count; i-- > 0;)
		if (text_begins(defaults->word[i] + 2, name) &&
		    strchr("=", defaults->word[i][2 + length]) != NULL) {
			strlist_drop(defaults, i);
			strlist_drop(&plan->from, i);
		}
}

void
job_plan_wrong(struct job_plan *plan, const char *name)
{
	if (!has_like(&plan->view, name))
		strlist_push(&plan->wrong, name);
}

void
job_plan_default_blame(const struct job_plan *plan, struct error *e)
{
	const struct strlist *defaults = &plan->job->defaults;
	struct error why = *e;
	char *name;
	size_t i;
	int is_wrong;

	for (i = 0; i < defaults->count; i++) {
		name = xstrndup(
		    defaults->word[i] + 2, strcspn(defaults->word[i] + 2, "="));
		is_wrong = strlist_have(&plan->wrong, name);
		free(name);
		if (!is_wrong)
			continue;
		error_set(e, "%s; %s is a default (%s)", why.text,
		    defaults->word[i], plan->from.word[i]);
		return;
	}
}
