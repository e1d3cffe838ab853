/* stfm-status - show jobs and tasks */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "status/changes.h"
#include "status/metric-names.h"
#include "status/page-parts.h"
#include "store/policy.h"
#include "sys/fs.h"
#include "term/cli.h"
#include "term/live.h"
#include "term/progress.h"
#include "view/columns.h"
#include "view/filter.h"
#include "view/refresh.h"
#include "view/select.h"

enum { CHARSET = 256, COLOR, BY };

enum {
	INTERVAL = 5,
	LONGEST = 86400,
	/* Rows of a terminal of unknown height, without the cursor's row. */
	ROWS = 23,
	LEAST = 8,   /* minimum rows for a job */
	ENDS = 10000 /* maximum tasks to read for the ETAs of jobs */
};

struct status {
	struct show_style look;
	size_t rows; /* rows of the terminal for the output; 0: no limit */
	struct job_filter *filter;
	struct store *store;
	struct selection selection;
	struct store_settled_list settled; /* if jobs are listed */
	struct job_view **view;            /* one for each selected job */
	uint64_t limit;
	enum job_refresh refresh;
	FILE *out;   /* file for the output */
	FILE *notes; /* messages to show above a live picture, or NULL */
	int follows;
	int64_t interval;     /* seconds between two looks */
	const char *path;     /* path of the store, as given */
	int typed;            /* the path was given on the command line */
	char *metric;         /* the metric to compare by, or NULL */
	struct strlist more;  /* other metrics to show */
	struct strlist shown; /* the columns to show */
	const char *find;     /* text that selects jobs, or NULL */
	int sorted;
	int whole; /* print similar tasks on separate lines */
	/* What to show: tasks, the records of jobs, or uncommitted changes. */
	enum { TASKS, RECORD, DIFF } about;
	/* What to show of tasks. */
	enum { ALL, ERRORS, WHY, MEANS, COST, COMPARE, POINTS } only;
	struct job_by by;
	int about_tasks; /* show tasks, not jobs */
	int named;       /* the user named jobs */
	int unread;      /* a job could not be read at all */
};

static const struct cli_option options[] = {
    {'t', "state", "STATES",
	"select tasks by state: ERROR,STOPPED or R,TO,OOM"},
    {'w', "where", "CONDITION", "select tasks by a condition: 'lr<0.01'"},
    {'s', "sort", "COLUMN",
	"sort by best, task, elapsed, lr ...; -lr reverses"},
    {'m', "metric", "NAMES", "compare by this metric; show others: loss,acc"},
    {'c', "columns", "NAMES", "show these columns: id,lr,best,val_acc"},
    {'l', "long", NULL, "print a line for each task of a large job",
	CLI_FLAG(struct status, whole)},
    {'n', "limit", "N", "show at most N tasks of a job, or N newest jobs"},
    {'b', "best", "N", "show the N best tasks of each job"},
    {BY, "by", "NAMES", "show mean, sd and n over repetitions: seed"},
    {0, "find", "TEXT", "select jobs by name, description, tag or command",
	CLI_TEXT(struct status, find)},
    {0, "cost", NULL, "show GPU hours by state and the wasted share",
	CLI_SET(struct status, only, COST)},
    {0, "compare", NULL, "show options, code and results of jobs side by side",
	CLI_SET(struct status, only, COMPARE)},
    {'e', "errors", NULL, "list failures, grouped by error message",
	CLI_SET(struct status, only, ERRORS)},
    {0, "why", NULL, "explain why tasks are pending and what to do",
	CLI_SET(struct status, only, WHY)},
    {'f', "follow", NULL, "update live; in a pipe a line per change",
	CLI_FLAG(struct status, follows)},
    {'i', "interval", "SECONDS", "update this often (default: 5)",
	CLI_NUMBER(struct status, interval, 1, LONGEST)},
    {'o', "output", "FORMAT",
	"print tsv, csv, json(l), latex, markdown or points"},
    {0, "json", NULL, "print JSON (same as --output=json)",
	CLI_SET(struct status, look.format, TABLE_JSON)},
    {0, "record", NULL, "show command, code and environment of submission",
	CLI_SET(struct status, about, RECORD)},
    {0, "diff", NULL, "show the uncommitted changes at submission",
	CLI_SET(struct status, about, DIFF)},
    {0, "refresh", NULL, "ask Slurm even if the last answer is recent",
	CLI_SET(struct status, refresh, JOB_ALWAYS)},
    {0, "no-refresh", NULL, "do not ask Slurm",
	CLI_SET(struct status, refresh, JOB_NEVER)},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)"},
    {CHARSET, "charset", "SET", "draw with ascii, block or braille"},
    {COLOR, "color", "WHEN", "use colors: auto, always or never"},
    {0},
};

static const struct cli_instead instead[] = {
    {"top", "-n 5 for the newest jobs, -b 5 for the best tasks"},
    {"tail", "-f to follow, or stfm-log -n 5 for the output"},
    {"watch", "-f to follow"},
    {"best-so-far", "stfm-plot --best-so-far JOB"},
    {0},
};

static const struct cli command = {
    "stfm-status",
    "show jobs and tasks",
    "[options] [JOB[/TASKS] ...]",
    "  stfm-status                      list all jobs\n"
    "  stfm-status -s best conv2d       list the tasks of a job, best first\n"
    "  stfm-status conv2d/3             show one task with its curves\n"
    "  stfm-status -t ERROR -o tsv      list failed tasks for programs\n",
    options,
    0,
    config_defaults,
    instead,
};

/* Add a message, printed apart from the output. */
static void say(const struct status *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
say(const struct status *s, const char *fmt, ...)
{
	struct error e;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.text, sizeof e.text, fmt, ap);
	va_end(ap);
	if (s->notes != NULL) {
		text_plain(s->notes, e.text);
		putc('\n', s->notes);
	} else {
		cli_warn("%s", e.text);
	}
}

/* ---- options ---- */

static int
take_limit(struct status *s, const char *text, struct error *e)
{
	const char *option = cli_option_name();
	int64_t n;

	if (isalpha((unsigned char)*text)) /* a job, most likely */
		return cli_refuse(e,
		    "'%s' is not a whole number: write one first, as in "
		    "%s 5 %s",
		    text, option, text);
	if (num_int(option, text, 1, INT64_MAX, &n, e) == -1)
		return cli_names(e);
	s->limit = (uint64_t)n;
	s->filter->limit = s->limit;
	return 0;
}

static int
take_metrics(struct status *s, const char *list, struct error *e)
{
	strlist_free(&s->more);
	if (cli_list(list, &s->more, e) == -1)
		return -1;
	free(s->metric);
	s->metric = xstrdup(s->more.word[0]);
	strlist_drop(&s->more, 0);
	return 0;
}

static int
take_sort(struct status *s, const char *key, struct error *e)
{
	if (*key == '\0' || strcmp(key, "-") == 0)
		return cli_refuse(e, "the name of a column, please");
	job_filter_sort(s->filter, key);
	s->sorted = 1;
	return 0;
}

static int
take_option(void *arg, int option, struct error *e)
{
	struct status *s = arg;
	const char *value = optarg;
	int rc;

	switch (option) {
	case 'm':
		return take_metrics(s, value, e);
	case 'c':
		s->look.columns = &s->shown;
		strlist_free(&s->shown);
		return cli_list(value, &s->shown, e);
	case 's':
		return take_sort(s, value, e);
	case 'n':
		return take_limit(s, value, e);
	case 'b':
		return take_sort(s, "best", e) == 0 ? take_limit(s, value, e)
						    : -1;
	case BY:
		s->only = MEANS;
		s->by.names = value;
		return 0;
	case 'd':
		s->path = value;
		s->typed = !cli_is_default();
		return 0;
	case 't':
		rc = job_filter_state(s->filter, value, e);
		break;
	case 'w':
		rc = job_filter_where(s->filter, value, e);
		break;
	case 'o':
		if (strcmp(value, "points") == 0) {
			s->only = POINTS;
			value = "tsv";
		}
		rc = table_format(value, &s->look.format, e);
		break;
	case CHARSET:
		rc = cli_charset(value, &s->look.charset, e);
		break;
	default:
		rc = cli_colors(value, &s->look.colors, e);
	}
	return rc == 0 ? 0 : cli_prefix(e);
}

/* ---- reading ---- */

/* Return whether only the list of jobs is shown, as they are. */
static int
is_list(const struct status *s)
{
	return !s->about_tasks && s->about == TASKS && s->find == NULL &&
	    s->metric == NULL && s->refresh != JOB_ALWAYS;
}

static int
select_jobs(struct status *s, char **words, size_t count, struct error *e)
{
	struct strlist damaged = {0};
	size_t i, found;
	int rc;

	if (count > 0)
		rc = job_select_readable(
		    s->store, words, count, &s->selection, &damaged, e);
	else if (is_list(s))
		rc = job_select_list(s->store, (size_t)s->limit, &s->settled,
		    &s->selection, &damaged, e);
	else
		rc = job_select_all(s->store, &s->selection, &damaged, e);
	if (rc == -1) {
		strlist_free(&damaged);
		return -1;
	}
	for (i = 0; i < damaged.count; i++)
		say(s, "%s", damaged.word[i]);
	s->unread = damaged.count > 0;
	strlist_free(&damaged);
	found = s->selection.count;
	if (s->find != NULL)
		job_select_find(&s->selection, s->find);
	if (found > 0 && s->selection.count == 0)
		say(s, "--find: no job has '%s'", s->find);
	return 0;
}

/* Make views of all selected jobs, except unreadable ones. */
static void
open_views(struct status *s)
{
	static const struct idset none = {0};
	struct selection *all = &s->selection;
	struct job_view *view;
	size_t i, count = 0;
	struct error e;

	s->view = xcalloc(all->count + 1, sizeof *s->view);
	for (i = 0; i < all->count; i++) {
		view = job_view_new(all->item[i].job,
		    s->about_tasks ? &all->item[i].tasks : &none, s->look.now,
		    &e);
		if (view == NULL) {
			say(s, "%s: %s", store_job_name(all->item[i].job),
			    e.text);
			store_job_free(all->item[i].job);
			idset_free(&all->item[i].tasks);
			s->unread = 1;
			continue;
		}
		s->view[count] = view;
		all->item[count++] = all->item[i];
		store_settled_add(&s->settled, view->job, view->table);
	}
	all->count = count;
	if (is_list(s) && s->limit == 0)
		store_settled_save(&s->settled, s->store);
}

static void
look_away(struct status *s)
{
	size_t i;

	for (i = 0; s->view != NULL && i < s->selection.count; i++)
		job_view_free(s->view[i]);
	free(s->view);
	s->view = NULL;
	selection_free(&s->selection);
	store_settled_free(&s->settled);
}

/* ---- refreshing through stfm-watch ---- */

static void
refresh(struct status *s)
{
	size_t count = s->selection.count, i;
	char *why, *trouble;

	if (!s->follows)
		progress_begin("asking Slurm");
	why = job_refresh(s->store, s->view, count, s->refresh, s->look.now);
	progress_end();
	trouble =
	    job_refresh_trouble(s->view, count, s->refresh, s->look.now, why);
	if (trouble != NULL)
		say(s, "%s", trouble);
	/* Nothing is known about a job before its first pass. */
	for (i = 0; why != NULL && i < count; i++)
		s->unread |=
		    s->view[i]->table->generation == 0 && !s->view[i]->looked;
	free(trouble);
	free(why);
}

/*
 * Read the logs by the metric that the user gave.  Returns 0, or -1 if no job
 * has it.
 */
static int
use_metric(struct status *s, struct error *e)
{
	size_t i, without = 0;

	if (s->metric == NULL || s->about != TASKS)
		return 0;
	progress_begin("reading the logs");
	for (i = 0; i < s->selection.count; i++)
		if (job_metric_names_use(s->selection.item[i].job, s->view[i],
			s->metric, s->look.now, e) == -1)
			say(s, "%s", e->text);
	for (i = 0; i < s->selection.count; i++)
		without += job_metric_names_check(s->view[i], e) == -1 ||
		    (s->more.count > 0 &&
			job_metric_names_add(s->view[i], &s->more,
			    &s->selection.item[i].tasks, e) == -1);
	progress_end();
	if (without == 0 || without < s->selection.count)
		return 0;
	error_prefix(e, "--metric");
	return -1;
}

/* ---- output ---- */

/*
 * Return the filtered tasks of each job; jobs without such tasks are left out.
 */
static struct job_tasks *
pick(struct status *s, size_t *count)
{
	struct job_tasks *all = xcalloc(s->selection.count + 1, sizeof *all),
			 *t;
	size_t i;

	*count = 0;
	for (i = 0; i < s->selection.count; i++) {
		t = &all[*count];
		t->view = s->view[i];
		t->task = job_filter_apply(
		    s->filter, t->view, &s->selection.item[i].tasks, &t->count);
		if (t->count == 0)
			free(t->task);
		else
			(*count)++;
	}
	return all;
}

/* Return whether the table of a job has a column. */
static int
has_column(const struct job_view *view, const char *name)
{
	return job_column_find(view, name) != -1 || strcmp(name, "curve") == 0;
}

/* Refuse chosen columns that no table has. */
static int
check_columns(const struct status *s, const struct job_tasks *tasks,
    size_t count, struct error *e)
{
	size_t i, k;

	for (i = 0; i < s->shown.count && count > 0; i++) {
		for (k = 0; k < count; k++)
			if (has_column(tasks[k].view, s->shown.word[i]))
				break;
		if (k == count)
			return job_column_unknown(
			    s->view, s->selection.count, s->shown.word[i], e);
	}
	return 0;
}

/* Print the table of a job, with those of the chosen columns that it has. */
static int
show_table(const struct status *s, const struct job_tasks *tasks,
    const struct show_style *style, struct error *e)
{
	struct show_style look = *style;
	struct strlist own = {0};
	size_t i;
	int rc;

	for (i = 0; i < s->shown.count; i++)
		if (has_column(tasks->view, s->shown.word[i]))
			strlist_push(&own, s->shown.word[i]);
	if (own.count == 0)
		strlist_push(&own, "id");
	if (look.columns != NULL)
		look.columns = &own;
	rc = job_show_tasks(s->out, tasks, &look, e);
	strlist_free(&own);
	return rc;
}

static int
show_text(const struct status *s, const struct job_tasks *tasks, size_t count,
    struct error *e)
{
	const struct selected *item = s->selection.item;
	struct show_style look = s->look;
	size_t i, share;
	int rc = check_columns(s, tasks, count, e);

	if (s->rows > 0 && count > 0) {
		share = s->rows + 1 > count ? (s->rows + 1) / count - 1 : 0;
		look.rows = share > LEAST ? share : LEAST;
	}
	for (i = 0; rc == 0 && i < count; i++) {
		while (item->job != tasks[i].view->job)
			item++;
		if (i > 0)
			putc('\n', s->out);
		if (s->look.format == TABLE_TEXT && !item->whole &&
		    idset_size(&item->tasks) == 1 && look.columns == NULL)
			job_show_page(
			    s->out, tasks[i].view, tasks[i].task[0], &look);
		else
			rc = show_table(s, &tasks[i], &look, e);
	}
	return rc;
}

/* Show tasks.  Returns 0, or -1 if a chosen column is not there. */
static int
show(const struct status *s, const struct job_tasks *tasks, size_t count,
    struct error *e)
{
	struct queue_expect *expect = NULL;
	int rc;

	switch (s->only) {
	case ALL:
		break;
	case ERRORS:
		return job_show_errors(s->out, tasks, count, &s->look, e);
	case WHY:
		/* Ask Slurm once for all tasks, and only if tasks wait. */
		if (count > 0 && s->refresh != JOB_NEVER) {
			expect = queue_expect_load(e);
			if (expect == NULL)
				say(s, "when they will start is not known: %s",
				    e->text);
		}
		rc = job_show_why(s->out, tasks, count, expect, &s->look, e);
		queue_expect_free(expect);
		return rc;
	case COST:
		return job_show_cost(s->out, tasks, count, &s->look, e);
	case COMPARE:
		return job_show_comparison(s->out, tasks, count, &s->look, e);
	case MEANS:
		return job_show_by(s->out, tasks, count, &s->by, &s->look, e);
	case POINTS:
		if (job_show_points(s->out, tasks, count, e) == -1)
			say(s, "-o points: %s", e->text);
		return 0;
	}
	if (s->look.format == TABLE_TEXT || table_is_paper(s->look.format))
		return show_text(s, tasks, count, e);
	return job_show_rows(s->out, tasks, count, &s->look, e);
}

static int
refuse_columns(struct error *e)
{
	error_prefix(e, "--columns");
	return cli_fail(e, CLI_WRONG);
}

/* Return whether a selected job has a search, which has running tasks. */
static int
has_search(const struct status *s)
{
	size_t i;

	for (i = 0; i < s->selection.count; i++)
		if (store_search_is_given(
			store_job_search(s->selection.item[i].job)))
			return 1;
	return 0;
}

/*
 * Return whether logs lack the metric, or no task has a value although some are
 * FINISHED.
 */
static int
has_no_values(const struct job_view *v)
{
	return v->table->summary.without > 0 ||
	    (v->metric != NULL && v->best == -1 &&
		v->table->in_state[STORE_FINISHED] > 0);
}

/* Return whether --why has more to say of named jobs than why tasks wait. */
static int
explains_all(const struct status *s)
{
	size_t i;

	for (i = 0; i < s->selection.count; i++)
		if (s->view[i] != NULL && has_no_values(s->view[i]))
			return s->named;
	return s->named && has_search(s);
}

static int
show_tasks(struct status *s, struct error *e)
{
	struct job_tasks *tasks;
	char *filter;
	size_t count, i;
	int rc = 0, asks = job_filter_asks(s->filter);

	if (job_filter_check(s->filter, s->view, s->selection.count, e) == -1)
		return cli_fail(e, CLI_WRONG);
	if (s->only == MEANS &&
	    job_show_by_check(s->view, s->selection.count, s->by.names, e) ==
		-1) {
		error_prefix(e, "--by");
		return cli_fail(e, CLI_WRONG);
	}
	if (s->only == MEANS) {
		s->by.limit = s->limit;
		s->by.all = s->filter->states > 0;
		s->filter->limit = 0;
	}
	if (s->filter->states == 0 &&
	    (s->only == ERRORS || (s->only == WHY && !explains_all(s))))
		job_filter_state(s->filter,
		    s->only == ERRORS   ? "ERROR"
			: has_search(s) ? "SUBMITTED,RUNNING"
					: "SUBMITTED",
		    NULL);
	filter = job_filter_text(s->filter);
	tasks = pick(s, &count);
	if (count == 0 && asks)
		say(s, "no task matches %s", filter);
	free(filter);
	if (s->only == COMPARE && s->selection.count < 2)
		rc = error_set(e, "--compare: %s",
		    s->unread ? "fewer than two jobs can be read"
			      : "name two jobs or more");
	else if (s->only == COMPARE && count < 2)
		say(s, "--compare: -t and -w leave tasks of %s",
		    count == 0 ? "no job" : "one job only");
	else if (show(s, tasks, count, e) == -1)
		rc = error_prefix(e, "--columns");
	for (i = 0; i < count; i++)
		free(tasks[i].task);
	free(tasks);
	if (rc == -1)
		return cli_fail(e, CLI_WRONG);
	if (s->only == COMPARE && count < 2)
		return CLI_NO;
	return count > 0 || !job_filter_asks(s->filter) ? CLI_YES : CLI_NO;
}

static int
show_jobs(const struct status *s)
{
	size_t count = s->selection.count, skip = 0, i;
	struct show_style look = s->look;
	const struct store_table *table;
	uint64_t tasks = 0;
	struct error e;

	if (s->limit > 0 && s->limit < count)
		skip = count - (size_t)s->limit;
	/*
	 * Read all rows of running jobs for their ETAs, as long as this is
	 * fast.
	 */
	for (i = count; i > skip; i--) {
		table = s->view[i - 1]->table;
		if (table->in_state[STORE_RUNNING] == 0)
			continue;
		tasks += table->count;
		if (tasks > ENDS)
			break;
		if (job_view_whole(s->view[i - 1], &e) == -1)
			say(s, "%s: %s", store_job_name(s->view[i - 1]->job),
			    e.text);
	}
	/* Only a live picture must fit the screen. */
	look.rows = s->follows ? s->rows : 0;
	if (job_show_jobs(s->out, s->view + skip, count - skip, &look, &e) ==
	    -1)
		return refuse_columns(&e);
	if (s->settled.skipped > 0 && s->look.format == TABLE_TEXT)
		say(s, "%zu older job%s not looked at; without -n all jobs are",
		    s->settled.skipped, s->settled.skipped > 1 ? "s" : "");
	return CLI_YES;
}

/* ---- records and differences ---- */

/*
 * Show records or uncommitted changes; this needs neither a table nor Slurm.
 * Returns the exit status.
 */
static int
show_about(const struct status *s, size_t operands)
{
	const struct selection *all = &s->selection;
	struct store_job **jobs;
	int status = CLI_YES, rc;
	struct error e;
	size_t i;

	if (operands == 0) {
		error_set(&e, "--%s: name a job",
		    s->about == DIFF ? "diff" : "record");
		return cli_fail(&e, CLI_WRONG);
	}
	if (s->look.format == TABLE_TSV || s->look.format == TABLE_CSV ||
	    table_is_paper(s->look.format)) {
		error_set(&e, "--record: as text, json or jsonl");
		return cli_fail(&e, CLI_WRONG);
	}
	for (i = 0; s->about == DIFF && i < all->count; i++) {
		rc = job_show_diff(
		    stdout, all->item[i].job, !isatty(STDOUT_FILENO), &e);
		if (rc != 0)
			cli_warn("%s", e.text);
		if (rc != 0 && status != CLI_WRONG)
			status = rc == 1 ? CLI_NO : CLI_WRONG;
	}
	if (s->about == DIFF)
		return status;
	jobs = xcalloc(all->count + 1, sizeof *jobs);
	for (i = 0; i < all->count; i++)
		jobs[i] = all->item[i].job;
	job_show_records(stdout, jobs, all->count, &s->look);
	free(jobs);
	return CLI_YES;
}

/* Report damaged records.  Returns whether there are any. */
static int
report_damage(const struct status *s)
{
	const struct strlist *damaged;
	size_t i, k, count = 0;

	for (i = 0; i < s->selection.count; i++) {
		damaged = &s->view[i]->table->damaged;
		for (k = 0; k < damaged->count; k++)
			say(s, "%s: %s", store_job_name(s->view[i]->job),
			    damaged->word[k]);
		count += damaged->count;
	}
	return count > 0;
}

static void
say_empty(const struct status *s)
{
	char *path = store_path(s->path);

	say(s, "no jobs in %s: stfm-submit makes one", path);
	free(path);
}

/* Print an empty table; only programs need it. */
static void
show_nothing(const struct status *s)
{
	if (s->look.format == TABLE_TEXT || table_is_paper(s->look.format))
		return;
	if (s->about_tasks)
		job_show_rows(s->out, NULL, 0, &s->look, NULL);
	else
		job_show_jobs(s->out, NULL, 0, &s->look, NULL);
}

/* Read the store and bring its tables up to date. */
static int
look(struct status *s, char **words, size_t count, struct error *e)
{
	s->look.now = time(NULL);
	s->unread = 0;
	if (select_jobs(s, words, count, e) == -1)
		return -1;
	/* Tasks of a job that is over may have been queued again. */
	if (s->only == WHY && count > 0 && s->refresh == JOB_WHEN_OLD)
		s->refresh = JOB_ALWAYS;
	if (s->selection.count == 0 && count == 0 && !s->unread &&
	    s->find == NULL)
		say_empty(s);
	open_views(s);
	refresh(s);
	return use_metric(s, e);
}

static int
show_all(struct status *s)
{
	int status = CLI_YES, damaged;
	struct error e;

	if (s->selection.count == 0) {
		show_nothing(s);
		status = s->find != NULL ? CLI_NO : CLI_YES;
	} else if (s->about_tasks) {
		status = show_tasks(s, &e);
	} else {
		status = show_jobs(s);
	}
	damaged = report_damage(s);
	if (s->unread && s->only == COST)
		say(s, "what cannot be read is in no sum");
	return s->unread || (damaged && s->only == COST) ? CLI_WRONG : status;
}

/* ---- following ---- */

/* Return whether nothing that is shown can change any more. */
static int
is_over(const struct status *s)
{
	const struct selected *item = s->selection.item;
	struct idset_walk walk;
	uint64_t task;
	size_t i;

	for (i = 0; i < s->selection.count; i++) {
		if (!s->about_tasks || item[i].whole) {
			if (!job_view_is_final(s->view[i]))
				return 0;
			continue;
		}
		walk = (struct idset_walk){0};
		while (idset_next(&item[i].tasks, &walk, &task))
			if (!store_state_is_final(
				store_table_state(s->view[i]->table, task)))
				return 0;
	}
	return s->selection.count > 0;
}

/* The messages of this round and of the last one. */
struct saying {
	char *text, *before;
	size_t length;
};

static void
hush(struct status *s)
{
	xmemclose(s->notes);
	s->notes = NULL;
}

/* Draw the live picture on a terminal, below the messages. */
static int
draw(struct status *s, const struct saying *w)
{
	char *body, *more, *whole;
	const char *notes;
	size_t length, more_length;
	int status;

	hush(s);
	s->look.width = cli_width(0);
	/*
	 * The rows of the terminal without the cursor's row and the messages.
	 */
	s->rows = cli_height() > 1 ? cli_height() - 1 : ROWS;
	for (notes = w->text; s->rows > 1; s->rows--) {
		notes = strchr(notes, '\n');
		if (notes++ == NULL)
			break;
	}
	s->out = xmemopen(&body, &length);
	s->notes = xmemopen(&more, &more_length);
	status = show_all(s);
	xmemclose(s->out);
	hush(s);
	if (status == CLI_NO || s->unread)
		status = CLI_YES; /* the next round may find some tasks */
	whole = xasprintf("%s%s%s", w->text, more, body);
	live_show(stdout, whole);
	free(whole);
	free(more);
	free(body);
	return status;
}

/*
 * Print changes to a file or pipe: first the jobs, then a line for each change.
 */
static int
list_changes(struct status *s, struct job_changes *changes, struct saying *w)
{
	struct job_tasks *tasks, *changed;
	size_t count, found, i;
	struct error e;
	int rows = s->look.format == TABLE_JSONL, rc = 0;

	if (job_filter_check(s->filter, s->view, s->selection.count, &e) ==
	    -1) {
		hush(s);
		return cli_fail(&e, CLI_WRONG);
	}
	tasks = pick(s, &count);
	changed = xcalloc(count + 1, sizeof *changed);
	job_changes_look(changes, tasks, count, rows, changed, &found);
	if (!rows && w->before == NULL)
		job_show_jobs(
		    stdout, s->view, s->selection.count, &s->look, &e);
	if (rows)
		rc = job_show_rows(stdout, changed, found, &s->look, &e);
	else
		job_changes_show(stdout, changed, found, &s->look);
	for (i = 0; i < found; i++)
		free(changed[i].task);
	for (i = 0; i < count; i++)
		free(tasks[i].task);
	free(changed);
	free(tasks);
	report_damage(s);
	hush(s);
	if (w->before == NULL || strcmp(w->before, w->text) != 0)
		fputs(w->text, stderr);
	if (rc == -1)
		return refuse_columns(&e);
	return cli_flush() == -1 ? CLI_WRONG : CLI_YES;
}

/* Look repeatedly, until all tasks are over or an error occurs. */
static int
go_on(struct status *s, char **words, size_t count, int live)
{
	struct job_changes changes = {0};
	struct saying w = {0};
	int status = CLI_YES, over = 0;
	struct error e;

	while (!over && status == CLI_YES) {
		w.before = w.text;
		s->notes = xmemopen(&w.text, &w.length);
		if (look(s, words, count, &e) == -1) {
			hush(s);
			status = -1;
		} else {
			status =
			    live ? draw(s, &w) : list_changes(s, &changes, &w);
			over = is_over(s);
		}
		free(w.before);
		look_away(s);
		if (over || status != CLI_YES)
			break;
		if (live)
			live_wait((int)s->interval * 1000);
		else
			over = cli_wait_reader((int)s->interval * 1000);
	}
	job_changes_free(&changes);
	free(w.text);
	if (live)
		live_end(stdout);
	return status == -1 ? cli_fail(&e, CLI_WRONG) : status;
}

/*
 * Follow tasks.  Refuses impossible requests before it takes over the terminal.
 */
static int
follow(struct status *s, char **words, size_t count)
{
	int live = cli_can_draw() && s->look.format == TABLE_TEXT;
	struct error e;
	size_t i;

	e.text[0] = '\0';
	for (i = 0; i < count; i++)
		if (strcmp(words[i], "-") == 0)
			error_set(&e, "--follow: name the jobs, instead of -");
	if (s->look.format != TABLE_TEXT && s->look.format != TABLE_JSONL)
		error_set(&e, "--follow: as text or jsonl");
	if (s->only && !live)
		error_set(&e, "--follow: tasks, or on a terminal");
	if (s->look.columns != NULL && !live && s->look.format != TABLE_JSONL)
		error_set(&e,
		    "--columns: with --follow only on a terminal, or "
		    "with -o jsonl");
	if (e.text[0] != '\0')
		return cli_fail(&e, CLI_WRONG);
	if (!live)
		s->about_tasks = 1;
	else
		live_begin(stdout);
	return go_on(s, words, count, live);
}

static int
run(struct status *s, char **words, size_t count)
{
	struct error e;
	int status;

	s->named = count > 0;
	s->about_tasks = s->named || s->sorted || s->only ||
	    s->more.count > 0 || job_filter_asks(s->filter);
	s->look.alike = !s->whole && !s->sorted && s->limit == 0;
	if (table_is_paper(s->look.format) &&
	    (s->only == ERRORS || s->only == WHY)) {
		error_set(
		    &e, "--output: latex and markdown show tasks and jobs");
		return cli_fail(&e, CLI_WRONG);
	}
	if (s->look.columns != NULL &&
	    (s->about || s->only == POINTS ||
		(s->look.format == TABLE_TEXT &&
		    (s->only == ERRORS || s->only == WHY)))) {
		error_set(&e,
		    s->only == ERRORS || s->only == WHY
			? "--columns: %s prints sentences: add -o tsv, csv, "
			  "json or jsonl for columns"
			: "--columns: %s has no columns to choose",
		    s->only == ERRORS       ? "-e"
			: s->only == WHY    ? "--why"
			: s->only == POINTS ? "-o points"
					    : "a record");
		return cli_fail(&e, CLI_WRONG);
	}
	s->store = store_open(s->path, STORE_READ, &e);
	if (s->store == NULL && e.code == ERROR_ABSENT && count == 0 &&
	    !s->typed) {
		say_empty(s);
		show_nothing(s);
		return CLI_YES;
	}
	if (s->store == NULL)
		return cli_fail(&e, CLI_WRONG);
	s->look.here = fs_absolute(".");
	if (s->about) {
		if (select_jobs(s, words, count, &e) == -1)
			return cli_fail(&e, CLI_WRONG);
		status = show_about(s, count);
		return s->unread ? CLI_WRONG : status;
	}
	if (s->follows)
		return follow(s, words, count);
	if (isatty(STDOUT_FILENO) && cli_height() > 1)
		s->rows = cli_height() - 1;
	if (look(s, words, count, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	return show_all(s);
}

int
main(int argc, char **argv)
{
	struct status s = {.refresh = JOB_WHEN_OLD,
	    .interval = INTERVAL,
	    .settled = {.jobs = -1}};
	int status = CLI_WRONG, got = CLI_BAD;
	struct error e;

	cli_start(&command);
	s.out = stdout;
	s.filter = job_filter_new();
	/* Defaults from the terminal, which options override. */
	s.look.now = time(NULL);
	s.look.width = cli_width(0);
	if (cli_charset(NULL, &s.look.charset, &e) == -1 ||
	    cli_colors(NULL, &s.look.colors, &e) == -1)
		cli_fail(&e, CLI_WRONG);
	else
		got = cli_options(&command, argc, argv, take_option, &s);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got != CLI_BAD)
		status = run(&s, argv + optind, (size_t)(argc - optind));
	look_away(&s);
	store_close(s.store);
	job_filter_free(s.filter);
	free(s.metric);
	strlist_free(&s.more);
	strlist_free(&s.shown);
	free((char *)(uintptr_t)s.look.here);
	return cli_finish(status);
}
