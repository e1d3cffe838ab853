/* stfm-checkpoints - list checkpoints, and remove those not needed */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "checkpoint/retention.h"
#include "config/config.h"
#include "term/cli.h"
#include "term/progress.h"
#include "view/selection.h"

struct request {
	const char *dir;
	struct job_filter *filter;
	struct checkpoint_rules rules;
	enum table_format format;
	int cleans, dry_run, yes, whole;

	struct view_selection choice;
	struct checkpoint_plan *plan; /* the plan for each job */
	/* Some checkpoint could not be read or deleted. */
	int failed;
	int done; /* the removal is done */
	int64_t now;
};

static const struct cli_option options[] = {
    {0, "keep-best", "N", "delete checkpoints of all but the N best tasks",
	CLI_NUMBER(struct request, rules.best, 1, INT64_MAX)},
    {0, "keep-last", "N", "delete all but the newest N of each task",
	CLI_NUMBER(struct request, rules.last, 1, INT64_MAX)},
    {0, "dry-run", NULL, "show what would be deleted, with sizes",
	CLI_FLAG(struct request, dry_run)},
    {'y', "yes", NULL, "do not ask for confirmation",
	CLI_FLAG(struct request, yes)},
    {'l', "long", NULL, "print a line for each checkpoint",
	CLI_FLAG(struct request, whole)},
    {'t', "state", "STATES", "select tasks by state: ERROR,STOPPED or R,TO"},
    {'w', "where", "CONDITION", "select tasks by a condition: 'lr<0.01'"},
    {'o', "output", "FORMAT", "print tsv, csv, json, jsonl, latex or markdown"},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct request, dir)},
    {0},
};

static const struct cli command = {
    "stfm-checkpoints",
    "list and delete checkpoints",
    "[-l] [-t STATES] [-w CONDITION] [JOB[/TASKS] ...]\n"
    "--keep-best N --keep-last N [-ly] [...] JOB[/TASKS] ...",
    "  stfm-checkpoints conv2d                  list checkpoints with sizes\n"
    "  stfm-checkpoints --keep-last 1 --dry-run conv2d\n"
    "                                           show what would be deleted\n"
    "  stfm-checkpoints --keep-best 5 conv2d    keep those of 5 tasks\n",
    options,
    0,
    config_defaults,
};

struct sum {
	uint64_t tasks, checkpoints, removals;
	int64_t bytes, removal_bytes;
	uint64_t others; /* files that are in no checkpoint */
	const char *other;
};

static struct sum
add_up(const struct request *r)
{
	const struct checkpoint_task *t;
	const struct checkpoint_dir *d;
	struct sum sum = {0};
	size_t i, k;

	for (i = 0; i < r->choice.jobs; i++)
		for (k = 0; k < r->plan[i].count; k++) {
			t = &r->plan[i].task[k];
			sum.tasks++;
			sum.checkpoints += t->checkpoints;
			sum.bytes += t->bytes;
			sum.removals += t->removals;
			sum.removal_bytes += t->removal_bytes;
			for (d = t->dir; d < t->dir + t->dirs; d++) {
				sum.others += d->found.others;
				if (sum.other == NULL)
					sum.other = d->found.other;
			}
		}
	return sum;
}

/* ---- output ---- */

enum {
	ID,
	JOB,
	TASK,
	STATE,
	BEST_VALUE,
	COUNT,
	NAME,
	BYTES,
	CHANGED,
	NEWEST,
	GOES,
	GOES_BYTES,
	KEPT,
	PATH,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [ID] = {"id", "TASK"},
    [JOB] = {.name = "job"},
    [TASK] = {.name = "task"},
    [STATE] = {"state", "STATE", .drop = 4},
    [BEST_VALUE] = {"best", "BEST", .right = 1, .optional = 1, .drop = 5},
    [COUNT] = {"checkpoints", "COUNT", .right = 1, .optional = 1},
    [NAME] = {"checkpoint", "CHECKPOINT", .optional = 1, .cut = 2, .least = 12},
    [BYTES] = {"bytes", "SIZE", .right = 1},
    [CHANGED] = {"changed", "AGE", .right = 1, .drop = 3},
    [NEWEST] = {"newest", "NEWEST", .optional = 1, .cut = 1, .least = 8},
    [GOES] = {"goes", "GOES", .right = 1, .optional = 1},
    [GOES_BYTES] = {"goes_bytes", "FREED", .right = 1, .optional = 1},
    [KEPT] = {"kept", "KEPT", .optional = 1},
    [PATH] = {.name = "path"},
};

static void
put_task(struct table *t, const struct checkpoint_task *k)
{
	const struct store_job *job = k->view->job;
	const struct store_row *row = job_view_row(k->view, k->task);
	char *id = xasprintf("%s/%" PRIu64, store_job_name(job), k->task);
	char text[NUM_TEXT];

	table_row(t);
	table_text(t, ID, id);
	table_text(t, JOB, store_job_name(job));
	table_int(t, TASK, (int64_t)k->task);
	table_text(t, STATE, store_state_name(row->state));
	if (row->metrics.has_best) {
		table_real(t, BEST_VALUE, row->metrics.best);
		table_show(
		    t, BEST_VALUE, job_view_value(row->metrics.best, text));
	}
	free(id);
}

static void
put_bytes(struct table *t, size_t column, int64_t bytes)
{
	char text[NUM_TEXT];

	table_int(t, column, bytes);
	table_show(t, column, num_bytes(bytes, text));
}

static void
put_age(struct table *t, const struct request *r, int64_t changed)
{
	char text[NUM_TEXT];

	table_time(t, CHANGED, changed);
	table_show(t, CHANGED, num_span(r->now - changed, text));
}

static void
put_path(struct table *t, const struct checkpoint_task *k, const char *dir,
    const char *name)
{
	char *path =
	    xasprintf("%s/checkpoint/%s%s%s", store_job_path(k->view->job), dir,
		name[0] != '\0' ? "/" : "", name);

	table_text(t, PATH, path);
	free(path);
}

/* Add a row for a task, with the newest of all its checkpoints. */
static void
show_task(
    struct table *t, const struct request *r, const struct checkpoint_task *k)
{
	const struct checkpoint *newest = NULL, *c;
	const struct checkpoint_dir *d;

	put_task(t, k);
	for (d = k->dir; d < k->dir + k->dirs; d++) {
		c = d->found.item;
		if (d->found.count > 0 &&
		    (newest == NULL || !checkpoint_is_newer(newest, c)))
			newest = c;
	}
	table_int(t, COUNT, (int64_t)k->checkpoints);
	put_bytes(t, BYTES, k->bytes);
	if (newest != NULL) {
		put_age(t, r, newest->changed.tv_sec);
		table_text(t, NEWEST, newest->name);
	}
	if (r->cleans) {
		table_int(t, GOES, (int64_t)k->removals);
		put_bytes(t, GOES_BYTES, k->removal_bytes);
		table_text(t, KEPT, k->why);
	}
	put_path(t, k, k->dir[k->dirs - 1].name, "");
}

/* Add a row for each checkpoint of a task. */
static void
show_checkpoints(
    struct table *t, const struct request *r, const struct checkpoint_task *k)
{
	const struct checkpoint_dir *d = k->dir;
	const struct checkpoint *c;
	size_t i;
	int removed;

	for (; d < k->dir + k->dirs; d++)
		for (i = 0; i < d->found.count; i++) {
			c = &d->found.item[i];
			put_task(t, k);
			table_text(t, NAME, c->name);
			table_int(t, COUNT, 1);
			table_show(t, COUNT, NULL);
			put_bytes(t, BYTES, c->bytes);
			put_age(t, r, c->changed.tv_sec);
			if (r->cleans) {
				removed = k->removals > 0 && d->remove[i];
				table_int(t, GOES, removed);
				put_bytes(
				    t, GOES_BYTES, removed ? c->bytes : 0);
				table_text(t, KEPT,
				    k->why != NULL     ? k->why
					: d->remove[i] ? NULL
					: c->named     ? "named"
						       : "newest");
			}
			put_path(t, k, d->name, c->name);
		}
}

/* Say which files do not count as checkpoints. */
static void
show_others(const struct sum *sum)
{
	char *text = NULL;
	size_t length;
	FILE *f = xmemopen(&text, &length);

	text_plain(f, sum->other != NULL ? sum->other : "");
	xmemclose(f);
	if (sum->others == 1)
		cli_print("not counted: %s (stfm-checkpoints(1) says what "
			  "counts)",
		    text);
	else if (sum->others > 1)
		cli_print("not counted: %" PRIu64 " files such as %s "
			  "(stfm-checkpoints(1) says what counts)",
		    sum->others, text);
	free(text);
}

static void
show(const struct request *r)
{
	struct table_look look = {.format = r->format, .width = cli_width(0)};
	struct table *t = table_new(stdout, columns, COLUMNS, &look);
	struct sum sum = add_up(r);
	char all[NUM_TEXT], removed[NUM_TEXT];
	size_t i, k;

	for (i = 0; i < r->choice.jobs; i++)
		for (k = 0; k < r->plan[i].count; k++)
			if (r->whole)
				show_checkpoints(t, r, &r->plan[i].task[k]);
			else
				show_task(t, r, &r->plan[i].task[k]);
	table_end(t);
	if (r->format != TABLE_TEXT)
		return;
	num_bytes(sum.bytes, all);
	num_bytes(sum.removal_bytes, removed);
	if (!r->cleans) {
		cli_print("%" PRIu64 " checkpoint%s of %" PRIu64 " task%s, %s",
		    sum.checkpoints, sum.checkpoints == 1 ? "" : "s", sum.tasks,
		    sum.tasks == 1 ? "" : "s", all);
		show_others(&sum);
	} else
		cli_print("%s %" PRIu64 " of %" PRIu64 " checkpoints, %s of %s",
		    r->done ? "removed" : "would remove", sum.removals,
		    sum.checkpoints, removed, all);
}

/* ---- finding and removing ---- */

static void
report(struct request *r)
{
	size_t i;

	for (i = 0; i < r->choice.jobs; i++) {
		cli_warn_each(NULL, &r->plan[i].links);
		cli_warn_each(NULL, &r->plan[i].trouble);
		r->failed |= r->plan[i].trouble.count > 0;
	}
	r->failed |= r->choice.damaged.count > 0; /* skipped jobs */
	view_selection_damage(&r->choice);
	cli_warn_each(NULL, &r->choice.damaged);
}

/*
 * Select the tasks, find their checkpoints and plan what to remove.  If
 * anything may be removed, bring the tasks' states up to date first.
 */
static int
choose(struct request *r, const struct strlist *words, struct error *e)
{
	size_t i;

	if (view_select(&r->choice, r->dir,
		r->cleans ? STORE_WRITE : STORE_READ, words, r->filter, r->now,
		e) == -1)
		return -1;
	if (r->cleans && !r->dry_run &&
	    store_check_owner(r->choice.store, e) == -1)
		return -1;
	view_selection_refresh(&r->choice, r->filter,
	    r->cleans && !r->dry_run ? JOB_ALWAYS : JOB_WHEN_OLD, r->now);
	if (r->choice.trouble != NULL)
		cli_warn("%s", r->choice.trouble);
	r->plan = xcalloc(r->choice.jobs + 1, sizeof *r->plan);
	for (i = 0; i < r->choice.jobs; i++)
		if (checkpoint_plan_find(&r->choice.tasks[i], &r->plan[i], e) ==
			-1 ||
		    (r->cleans &&
			checkpoint_plan_decide(&r->plan[i], &r->rules, e) ==
			    -1))
			return -1;
	return 0;
}

static int
act(struct request *r, const struct strlist *words)
{
	char bytes[NUM_TEXT];
	struct sum sum;
	struct error e;
	size_t i;

	if (choose(r, words, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	sum = add_up(r);
	if (sum.tasks == 0) {
		report(r);
		if (!r->failed)
			cli_warn("no checkpoint is there");
		return r->failed ? CLI_WRONG : CLI_NO;
	}
	if (r->cleans && !r->dry_run) {
		if (!r->yes && sum.removal_bytes > 0 &&
		    !cli_confirm("remove %" PRIu64 " of %" PRIu64
				 " checkpoints, %s?",
			sum.removals, sum.checkpoints,
			num_bytes(sum.removal_bytes, bytes)))
			return CLI_NO;
		progress_begin("removing");
		for (i = 0; i < r->choice.jobs; i++)
			r->failed |= checkpoint_plan_discard(
					 &r->plan[i], r->choice.store) == -1;
		progress_end();
		r->done = 1;
	}
	show(r);
	report(r);
	return r->failed ? CLI_WRONG : CLI_YES;
}

/* ---- the command line ---- */

static int
take_option(void *arg, int letter, struct error *e)
{
	struct request *r = arg;

	if (letter == 'o')
		return table_format(optarg, &r->format, e);
	if (letter == 'w')
		return job_filter_where(r->filter, optarg, e);
	r->rules.named = 1;
	return job_filter_state(r->filter, optarg, e);
}

/* Refuse to remove without a job: an empty list does not mean all jobs. */
static int
check(const struct request *r, const struct strlist *words, struct error *e)
{
	if (r->dry_run && !r->cleans)
		return error_set(
		    e, "--dry-run: needs --keep-best or --keep-last");
	if (r->cleans && words->count == 0)
		return error_set(e, "--keep-%s: name a job",
		    r->rules.best > 0 ? "best" : "last");
	return 0;
}

int
main(int argc, char **argv)
{
	struct request r = {.filter = job_filter_new(), .now = time(NULL)};
	struct strlist words = {0};
	struct error e;
	int got, status;
	size_t i;

	cli_start(&command);
	got = cli_options(&command, argc, argv, take_option, &r);
	r.cleans = r.rules.best > 0 || r.rules.last > 0;
	while (got == CLI_END && optind < argc)
		strlist_push(&words, argv[optind++]);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (check(&r, &words, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	else
		status = act(&r, &words);
	for (i = 0; r.plan != NULL && i < r.choice.jobs; i++)
		checkpoint_plan_free(&r.plan[i]);
	free(r.plan);
	view_selection_free(&r.choice);
	job_filter_free(r.filter);
	strlist_free(&words);
	return cli_finish(status);
}
