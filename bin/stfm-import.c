/* stfm-import - make jobs of what other systems train or have trained */
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "import/slurm-jobs.h"
#include "import/stfmanager.h"
#include "job/argv.h"
#include "metrics/metrics.h"
#include "metrics/reader.h"
#include "reconcile/reconcile.h"
#include "store/table-row.h"
#include "store/table.h"
#include "submit/dry-run.h"
#include "submit/submit.h"
#include "sys/fs.h"
#include "term/cli.h"
#include "view/select.h"

enum { GOAL = 256, REGEX };

/* Maximum bytes of a file of points. */
enum { POINTS_LIMIT = 256 << 20 };

struct request {
	const char *dir, *name, *points, *metric, *goal, *epochs, *metrics;
	struct strlist regex;
	int slurm, finished, dry_run, quiet;
	int argc;
	char **argv;
	struct store *store;
};

static const struct cli_option options[] = {
    {0, "slurm", NULL, "follow jobs submitted with sbatch: ID ...",
	CLI_FLAG(struct request, slurm)},
    {'J', "job-name", "NAME", "name the job (default: its present name)",
	CLI_TEXT(struct request, name)},
    {0, "points", "FILE", "read hyperparameters from CSV, TSV or JSON Lines",
	CLI_TEXT(struct request, points)},
    {0, "epochs", "N", "set the planned epochs: a number, or column of FILE",
	CLI_TEXT(struct request, epochs)},
    {0, "finished", NULL, "treat every task with a log as finished",
	CLI_FLAG(struct request, finished)},
    {0, "metric", "NAME", "choose the objective (default: val_loss)",
	CLI_TEXT(struct request, metric)},
    {GOAL, "goal", "GOAL", "say which values are better: min or max"},
    {0, "metrics", "PLACE", "read the training logs of Slurm jobs here",
	CLI_TEXT(struct request, metrics)},
    {REGEX, "metrics-regex", "REGEX", "read metrics from the printed output"},
    {0, "dry-run", NULL, "show what would be imported",
	CLI_FLAG(struct request, dry_run)},
    {'Q', "quiet", NULL, "print only errors", CLI_FLAG(struct request, quiet)},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct request, dir)},
    {0},
};

static const struct cli command = {
    "stfm-import",
    "import jobs from Slurm and S-TFManager",
    "[options] DIR ... | --slurm [options] ID ...",
    "  stfm-import --slurm 4102               follow a job that sbatch queued\n"
    "  stfm-import results/12                 import an S-TFManager job\n"
    "  stfm-import -J conv2d --points hp.csv results/12\n"
    "  stfm-import --dry-run results/*        show what would be imported\n",
    options,
    0,
    config_defaults,
};

/* ---- the plan ---- */

/*
 * Return a job name made from a name used elsewhere, to free.  "12" would be a
 * Slurm id.
 */
static char *
usual_name(const char *called)
{
	char *name = xstrdup(called), *c, *more;

	for (c = name; *c != '\0'; c++)
		if (!(*c >= '0' && *c <= '9') && !(*c >= 'a' && *c <= 'z') &&
		    !(*c >= 'A' && *c <= 'Z') && strchr("._-", *c) == NULL)
			*c = '_';
	if (store_check_name(name, NULL) == 0)
		return name;
	more = xasprintf("job-%s", name);
	free(name);
	return more;
}

/* The tasks to import. */
struct source {
	struct import_stfmanager *tasks;
	const char *called; /* their name outside stfm */
	const char *place;  /* directory where they ran, or NULL */
};

static int
read_points(const struct request *r, const struct source *from,
    struct job_plan *plan, struct error *e)
{
	size_t length = 0;
	char *text = NULL;
	int rc;

	if (r->points != NULL &&
	    fs_read_path(r->points, POINTS_LIMIT, &text, &length, e) == -1)
		return -1;
	rc = import_stfmanager_points(
	    from->tasks, plan, r->points, text, length, e);
	free(text);
	return rc;
}

/* Set the epochs: the option, or a column of that name. */
static int
set_epochs(const struct request *r, struct store_job *job, struct error *e)
{
	const char *epochs = r->epochs;
	int64_t n;

	if (epochs == NULL && strlist_have(&job->names, "epochs"))
		epochs = "epochs";
	job->epochs = xcopy(epochs);
	if (epochs == NULL || strlist_have(&job->names, epochs))
		return 0;
	return num_int("--epochs", epochs, 1, INT64_MAX, &n, e);
}

/* Plan the job.  How its tasks were trained is unknown. */
static int
make_plan(const struct request *r, const struct source *from,
    struct job_plan *plan, struct error *e)
{
	const struct passwd *pw = getpwuid(geteuid());
	struct store_job *job = plan->job;
	int i;

	job->user = pw != NULL ? xstrdup(pw->pw_name)
			       : xasprintf("%ld", (long)geteuid());
	job->id = store_job_new_id();
	job->name =
	    r->name != NULL ? xstrdup(r->name) : usual_name(from->called);
	job->args = xstrdup("none");
	job->directory =
	    from->place != NULL ? xstrdup(from->place) : fs_absolute(".");
	job->metric = xcopy(r->metric);
	job->goal = xcopy(r->goal);
	job->metrics = xcopy(r->metrics);
	strlist_copy(&job->metrics_regex, &r->regex);
	for (i = 0; i < r->argc; i++)
		strlist_push(&job->argv, r->argv[i]);
	job->cwd = fs_absolute(".");
	if (store_check_name(job->name, e) == -1 ||
	    job_submit_name(plan, r->store, e) == -1 ||
	    read_points(r, from, plan, e) == -1 ||
	    job_argv_check_metrics(job, plan->optional, e) == -1)
		return -1;
	return set_epochs(r, job, e);
}

/* ---- importing a directory ---- */

/* Return whether a later reconcile pass may learn more about the tasks. */
static int
has_more(const struct store_table *table)
{
	struct store_brief b;
	uint64_t i;

	for (i = 0; i < table->count; i++) {
		b = store_table_brief(table, i);
		if ((b.facts & STORE_DUE) != 0 ||
		    !store_state_is_final(b.state))
			return 1;
	}
	return 0;
}

/*
 * Make the table, which any later pass could make too.  Returns the exit
 * status.
 */
static int
make_table(const struct request *r, const struct store_job *job)
{
	struct store_table *table = NULL;
	struct reconcile *pass;
	struct error e;
	int rc = -1, later;

	pass = reconcile_alone(r->store, &e);
	if (pass != NULL)
		rc = reconcile_job(pass, job, NULL, NULL, &table, &e);
	reconcile_free(pass);
	if (rc == -1)
		cli_warn("%s: %s", job->name, e.text);
	if (table != NULL)
		cli_warn_each(job->name, &table->damaged);
	later = table == NULL || (table->damaged.count > 0 && has_more(table));
	store_table_free(table);
	if (!later)
		return CLI_YES;
	cli_warn(
	    "%s: imported, but some files could not be read: stfm-watch --once "
	    "%s reads them again",
	    job->name, job->name);
	return CLI_LATER;
}

static void
report(const struct import_stfmanager *m, const struct store_job *job)
{
	size_t i, finished = 0, empty = 0;

	for (i = 0; i < m->count; i++) {
		finished += m->task[i].finished != 0;
		empty += m->task[i].epochs == 0;
	}
	cli_print("%s: %zu task%s imported, %zu of them FINISHED", job->name,
	    m->count, m->count == 1 ? "" : "s", finished);
	if (empty > 0)
		cli_warn(
		    "%s: %zu have no epoch in their log", job->name, empty);
	if (finished + empty < m->count)
		cli_warn("%s: nothing says of %zu that the training came to "
			 "its end: there is no END, and --epochs is not known "
			 "or not reached (--finished, if it did)",
		    job->name, m->count - finished - empty);
}

static int
import(const struct request *r, const char *directory)
{
	struct job_plan *plan = job_plan_new();
	struct import_stfmanager m;
	struct source from = {.tasks = &m};
	struct error e;
	int rc, status = CLI_YES;

	rc = import_stfmanager_find(directory, &m, &e);
	from.called = rc == 0 ? fs_base(m.directory) : NULL;
	from.place = m.directory;
	m.finished = r->finished;
	if (rc == -1 && *directory != '\0' &&
	    directory[strspn(directory, "0123456789")] == '\0' &&
	    access(directory, F_OK) == -1)
		error_set(&e,
		    "%s: no such directory (if it is a job of Slurm's: "
		    "stfm-import --slurm %s)",
		    directory, directory);
	if (rc == 0)
		rc = make_plan(r, &from, plan, &e);
	if (rc == 0 && r->dry_run)
		cli_print("%s: would be %zu task%s of %s", plan->job->name,
		    m.count, m.count == 1 ? "" : "s", m.directory);
	else if (rc == 0)
		rc = import_stfmanager_store(&m, plan, r->store, &e);
	if (rc == 0 && !r->dry_run)
		status = make_table(r, plan->job);
	if (rc == 0 && !r->dry_run && !r->quiet)
		report(&m, plan->job);
	import_stfmanager_free(&m);
	job_plan_free(plan);
	return rc == 0 ? status : cli_fail(&e, CLI_WRONG);
}

/* ---- importing Slurm jobs ---- */

/* Print what was imported and, if known, how many tasks are in each state. */
static void
print_states(const struct store_job *job, const struct store_table *table)
{
	int state, some = 0;
	char *text = NULL;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	for (state = 0; table != NULL && state < STORE_STATES; state++)
		if (table->in_state[state] > 0)
			fprintf(out, "%s %" PRIu64 " %s", some++ ? "," : ":",
			    table->in_state[state],
			    store_state_name((enum store_state)state));
	xmemclose(out);
	cli_print("%s: %" PRIu64 " task%s of %s%s", job->name, job->tasks,
	    job->tasks == 1 ? "" : "s", job->imported, text);
	free(text);
}

/* Report the current states of the tasks in Slurm. */
static void
report_slurm(const struct request *r, const struct store_job *job)
{
	char *name[] = {job->name};
	const char *trouble = NULL;
	struct selection jobs = {0};
	struct reconcile *pass = NULL;
	struct store_table *table = NULL;

	if (job_select(r->store, name, 1, &jobs, NULL) == 0)
		pass = reconcile_new(r->store, &jobs, NULL);
	if (pass != NULL) {
		reconcile_job(pass, jobs.item[0].job, NULL, NULL, &table, NULL);
		trouble = pass->trouble;
	}
	if (!r->quiet)
		print_states(job, table);
	if (trouble != NULL)
		cli_warn("%s: imported, but how it is now Slurm did not say: "
			 "%s",
		    job->name, trouble);
	else if (!r->quiet && isatty(STDOUT_FILENO))
		job_show_next(stdout, job, cli_terminal_width());
	store_table_free(table);
	reconcile_free(pass);
	selection_free(&jobs);
}

/* Import jobs of Slurm as one job. */
static int
import_slurm(struct request *r, char **ids, size_t count)
{
	struct job_plan *plan = job_plan_new();
	struct import_slurm a;
	struct source from = {.tasks = &a.tasks};
	struct error e;
	int rc, status = CLI_WRONG;

	rc = import_slurm_find(r->store, ids, count, &a, &e);
	from.called = a.name;
	from.place = a.directory;
	if (rc == -1)
		status = cli_status(&e);
	if (rc == 0)
		rc = make_plan(r, &from, plan, &e);
	if (rc == 0 && r->dry_run)
		cli_print("%s: would be %zu task%s of %s", plan->job->name,
		    a.tasks.count, a.tasks.count == 1 ? "" : "s", a.what);
	if (rc == 0 && !r->dry_run) {
		/* Create a store only if there is something to store. */
		store_close(r->store);
		r->store = store_open(r->dir, STORE_MAKE, &e);
		rc = r->store == NULL ? -1 : store_check_owner(r->store, &e);
	}
	if (rc == 0 && !r->dry_run) {
		rc = import_slurm_store(&a, plan, r->store, &e);
		if (rc == -1)
			status = cli_status(&e);
	}
	if (rc == 0 && !r->dry_run)
		report_slurm(r, plan->job);
	import_slurm_free(&a);
	job_plan_free(plan);
	if (rc == 0)
		return CLI_YES;
	return cli_fail(&e, status);
}

/* ---- the command line ---- */

static int
check(const struct request *r, size_t count)
{
	const char *odd = NULL;

	if (!r->slurm && (r->metrics != NULL || r->regex.count > 0))
		odd = "--metrics, --metrics-regex: only with --slurm: the logs "
		      "in a directory are TASK/TASK.csv";
	else if (r->slurm && r->finished)
		odd = "--finished: Slurm itself says how its jobs end";
	else if (!r->slurm && r->name != NULL && count > 1)
		odd = "-J: one name for several jobs";
	if (odd != NULL)
		cli_warn("%s", odd);
	return odd == NULL ? 0 : -1;
}

static int
start(struct request *r, char **directory, size_t count)
{
	struct error e;
	int status = CLI_YES, one, looks;

	if (check(r, count) == -1)
		return CLI_WRONG;
	looks = r->dry_run || r->slurm;
	r->store = store_open(r->dir, looks ? STORE_READ : STORE_MAKE, &e);
	if (r->store == NULL && !(looks && e.code == ERROR_ABSENT))
		return cli_fail(&e, CLI_WRONG);
	if (!looks && store_check_owner(r->store, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	if (r->slurm)
		return import_slurm(r, directory, count);
	for (; count-- > 0; directory++) {
		one = import(r, *directory);
		if (one > status)
			status = one;
	}
	return status;
}

static int
take_option(void *arg, int letter, struct error *e)
{
	const char *text = optarg;
	struct request *r = arg;
	struct record_pattern *p;

	if (letter == GOAL) {
		r->goal = text;
		return metrics_goal_read(text, e) == -1 ? -1 : 0;
	}
	p = record_pattern_new(&text, 1, e);
	if (p == NULL)
		return error_prefix(e, "--metrics-regex");
	record_pattern_free(p);
	strlist_push(&r->regex, text);
	return 0;
}

int
main(int argc, char **argv)
{
	struct request r = {.argc = argc, .argv = argv};
	int end, status;

	cli_start(&command);
	end = cli_options(&command, argc, argv, take_option, &r);
	if (end != CLI_END)
		status = end == CLI_SHOWN ? CLI_YES : CLI_WRONG;
	else if (optind == argc)
		status = cli_usage(&command);
	else
		status = start(&r, argv + optind, (size_t)(argc - optind));
	store_close(r.store);
	strlist_free(&r.regex);
	return cli_finish(status);
}
