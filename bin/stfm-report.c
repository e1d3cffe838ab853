/* stfm-report - write a report of jobs as one HTML file */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "report/report.h"
#include "status/metric-names.h"
#include "store/store.h"
#include "term/cli.h"
#include "term/progress.h"
#include "view/selection.h"

/* Defaults, and the largest value of an option. */
enum { ROWS = 1000, CURVES = 50, LARGEST = 1000000 };

struct request {
	struct report_style style;
	struct job_filter *filter;
	const char *store;
	struct strlist metrics; /* the first one compares; the others follow */
	enum job_refresh refresh;
};

static const struct cli_option options[] = {
    {'t', "state", "STATES", "select tasks by state: ERROR,STOPPED or R,TO"},
    {'w', "where", "CONDITION", "select tasks by a condition: 'lr<0.01'"},
    {'s', "sort", "COLUMN", "sort the tasks by a column (default: best)"},
    {'m', "metric", "NAMES", "compare by this metric; show others: loss,acc"},
    {'n', "limit", "N", "list at most N tasks of a job (default: 1000)",
	CLI_NUMBER(struct request, style.rows, 1, LARGEST)},
    {0, "curves", "N", "draw the N best tasks of a job (default: 50)",
	CLI_NUMBER(struct request, style.curves, 1, LARGEST)},
    {0, "title", "TEXT", "set the title (default: names of the jobs)",
	CLI_TEXT(struct request, style.title)},
    {0, "refresh", NULL, "ask Slurm even if the last answer is recent",
	CLI_SET(struct request, refresh, JOB_ALWAYS)},
    {0, "no-refresh", NULL, "do not ask Slurm",
	CLI_SET(struct request, refresh, JOB_NEVER)},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct request, store)},
    {0},
};

static const struct cli_instead instead[] = {
    {"top", "-n 5 for the rows, --curves 5 for the curves"},
    {"o", "stfm-report JOB > report.html"},
    {"output", "stfm-report JOB > report.html"},
    {0},
};

static const struct cli cli = {
    .name = "stfm-report",
    .about = "write a report of jobs as one HTML file",
    .synopsis = "[options] JOB[/TASKS]... > FILE",
    .examples =
	"  stfm-report conv2d > report.html         everything about a job\n"
	"  stfm-report -w 'lr<0.01' conv2d > r.html some of its tasks\n"
	"  stfm-report -m val_acc cnn vit > r.html  two jobs by a metric\n",
    .options = options,
    .instead = instead,
};

static int
take_option(void *arg, int option, struct error *e)
{
	struct request *r = arg;
	int rc;

	if (option == 's') {
		job_filter_sort(r->filter, optarg);
		return 0;
	}
	if (option == 'm') {
		strlist_free(&r->metrics);
		return cli_list(optarg, &r->metrics, e);
	}
	rc = option == 't' ? job_filter_state(r->filter, optarg, e)
			   : job_filter_where(r->filter, optarg, e);
	return rc == 0 ? 0 : cli_prefix(e);
}

/*
 * Read the logs by the metrics that the user gave.  Returns 0, or -1 if no job
 * has them.
 */
static int
use_metrics(struct view_selection *c, const struct request *r, struct error *e)
{
	size_t i, count = c->selection.count, without = 0;
	struct strlist more = {0};
	struct selected *item;

	strlist_copy(&more, &r->metrics);
	strlist_drop(&more, 0);
	for (i = 0; i < count; i++) {
		item = &c->selection.item[i];
		if (job_metric_names_use(item->job, c->view[i],
			r->metrics.word[0], r->style.now, e) == -1)
			cli_warn("%s", e->text);
		without += job_metric_names_check(c->view[i], e) == -1 ||
		    (more.count > 0 &&
			job_metric_names_add(
			    c->view[i], &more, &item->tasks, e) == -1);
	}
	strlist_free(&more);
	return without > 0 && without == count ? error_prefix(e, "--metric")
					       : 0;
}

/* Bring the views up to date.  Returns the result of use_metrics. */
static int
refresh(struct view_selection *c, const struct request *r, struct error *e)
{
	int rc;

	progress_begin("asking Slurm");
	view_selection_refresh(c, r->filter, r->refresh, r->style.now);
	progress_end();
	if (r->metrics.count == 0)
		return 0;
	progress_begin("reading the logs");
	rc = use_metrics(c, r, e);
	progress_end();
	/* Sort and select by the new values. */
	if (rc == 0)
		view_selection_refresh(c, r->filter, JOB_NEVER, r->style.now);
	return rc;
}

static int
report(struct request *r, struct view_selection *c)
{
	struct strlist notes = {0};
	size_t i;

	if (c->left == 0) {
		cli_warn("no task is left by -t and -w");
		return c->unread > 0 ? CLI_WRONG : CLI_NO;
	}
	if (c->trouble != NULL)
		strlist_push(&notes, c->trouble);
	r->style.notes = &notes;
	report_write(stdout, c->tasks, c->jobs, &r->style);
	strlist_free(&notes);
	if (c->trouble != NULL)
		cli_warn("%s", c->trouble);
	view_selection_damage(c);
	for (i = 0; i < c->damaged.count; i++)
		cli_warn("%s", c->damaged.word[i]);
	return c->unread > 0 ? CLI_WRONG : CLI_YES;
}

static int
run(struct request *r, const struct strlist *words)
{
	struct view_selection choice;
	struct error e;
	int status;

	r->style.now = time(NULL);
	if (isatty(STDOUT_FILENO))
		status = error_set(&e,
		    "the report is a file for a browser: stfm-report %s > "
		    "report.html",
		    words->word[0]);
	else
		status = view_select(&choice, r->store, STORE_READ, words,
		    r->filter, r->style.now, &e);
	if (status == -1)
		return cli_fail(&e, CLI_WRONG);
	status = refresh(&choice, r, &e) == -1 ? cli_fail(&e, CLI_WRONG)
					       : report(r, &choice);
	view_selection_free(&choice);
	return status;
}

int
main(int argc, char **argv)
{
	struct request r = {.style = {.rows = ROWS, .curves = CURVES},
	    .filter = job_filter_new(),
	    .refresh = JOB_WHEN_OLD};
	struct strlist words = {0};
	int got, status, i;

	cli_start(&cli);
	job_filter_sort(r.filter, "best");
	got = cli_options(&cli, argc, argv, take_option, &r);
	for (i = optind; i < argc; i++)
		strlist_push(&words, argv[i]);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (words.count == 0)
		status = cli_usage(&cli);
	else
		status = run(&r, &words);
	strlist_free(&words);
	strlist_free(&r.metrics);
	job_filter_free(r.filter);
	return cli_finish(status);
}
