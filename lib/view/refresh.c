#include <sys/mman.h>
#include <sys/wait.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "sys/proc.h"
#include "term/cli.h"
#include "term/table.h"
#include "view/refresh.h"

enum { DEADLINE = 60000 }; /* time limit of a pass in milliseconds */

static int
is_old(const struct job_view *view, enum job_refresh when)
{
	if (when != JOB_WHEN_OLD)
		return when == JOB_ALWAYS;
	return view->passed_over ||
	    (!job_view_is_final(view) && !job_view_is_fresh(view));
}

/*
 * What a pass reported: message i is about the job called job.word[i], or about
 * no job if that is "".
 */
struct reports {
	struct strlist job, text;
};

/* Return the last line that stfm-watch printed, without its name, to free. */
static char *
complaint(const struct proc_result *r)
{
	static const char name[] = "stfm-watch: ";
	char *text = xstrdup(r->complaint), *at;
	size_t length = strlen(text);

	while (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	at = strrchr(text, '\n');
	at = at != NULL ? at + 1 : text;
	if (text_begins(at, name))
		at += sizeof name - 1;
	at = xstrdup(*at != '\0' ? at : "stfm-watch failed");
	free(text);
	return at;
}

/* Return the reason of a failed pass, to free: the last report, if any. */
static char *
failure(const struct reports *reports, const struct proc_result *r)
{
	size_t last = reports->text.count - 1;

	if (reports->text.count == 0) /* it ended before it could report */
		return complaint(r);
	if (*reports->job.word[last] == '\0')
		return xstrdup(reports->text.word[last]);
	return xasprintf(
	    "%s: %s", reports->job.word[last], reports->text.word[last]);
}

/*
 * Note in the views what a pass reported about their jobs.  The last report of
 * a failed pass is the reason of the failure, unless Slurm did not answer.
 */
static void
note(struct job_view *const *views, size_t count, const struct reports *reports,
    int failed)
{
	size_t shown = reports->text.count, i, k;
	int without = !failed;

	for (i = 0; i < count; i++)
		without |= views[i]->table->trouble != NULL;
	if (!without && shown > 0)
		shown--;
	for (k = 0; k < shown; k++)
		for (i = 0; i < count; i++)
			if (strcmp(reports->job.word[k],
				store_job_name(views[i]->job)) == 0)
				job_view_note(views[i], reports->text.word[k]);
}

/* Read the lines "JOB TAB MESSAGE" that the pass wrote; closes fd. */
static void
read_reports(int fd, struct reports *out)
{
	FILE *f = fdopen(fd, "r");
	char *line = NULL, *tab;
	size_t size = 0;

	if (f == NULL) {
		close(fd);
		return;
	}
	rewind(f);
	while (getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		tab = strchr(line, '\t');
		if (tab == NULL)
			continue;
		*tab = '\0';
		strlist_push(&out->job, line);
		strlist_push(&out->text, tab + 1);
	}
	free(line);
	fclose(f);
}

/*
 * Run one pass over the named jobs.  Returns why it failed, to free, or NULL. A
 * pass to which Slurm did not answer records this in the store and does not
 * fail.
 */
static char *
pass(const struct store *store, const struct strlist *names,
    struct reports *reports)
{
	struct strlist argv = {0};
	struct proc_result r;
	struct error e;
	char *why = NULL;
	int later, fd, rc;

	/* The child opens it by the number that it has here. */
	fd = memfd_create("reports", MFD_CLOEXEC);
	if (fd == -1) {
		error_errno(&e, "memfd_create");
		return xstrdup(e.text);
	}
	strlist_take(&argv, cli_sibling("stfm-watch"));
	strlist_push(&argv, "--once");
	strlist_push(&argv, "--quiet");
	strlist_push(&argv, "--quick");
	strlist_take(
	    &argv, xasprintf("--notes=/proc/%d/fd/%d", (int)getpid(), fd));
	strlist_push(&argv, "--store");
	strlist_push(&argv, store->path);
	strlist_copy(&argv, names);
	rc = proc_run(argv.word, NULL, DEADLINE, &r, &e);
	strlist_free(&argv);
	if (rc == -1) {
		close(fd);
		return xstrdup(e.text);
	}
	read_reports(fd, reports);
	later = WIFEXITED(r.status) && WEXITSTATUS(r.status) == CLI_LATER;
	if (r.timed_out)
		why = xasprintf("no answer in %d s", DEADLINE / 1000);
	else if (!later && !proc_ok(&r))
		why = failure(reports, &r);
	proc_result_free(&r);
	return why;
}

char *
job_refresh_look(const struct store *store, struct job_view *const *views,
    size_t count, enum job_refresh when, int64_t now)
{
	char *why = NULL;
	struct error e;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!is_old(views[i], when) && views[i]->table->generation > 0)
			continue;
		if (why == NULL && store_check_write(store, &e) == 0)
			return NULL;
		if (why == NULL)
			why = xstrdup(e.text);
		if (job_view_look(views[i], now, &e) == -1) {
			free(why);
			return xasprintf(
			    "%s: %s", store_job_name(views[i]->job), e.text);
		}
	}
	return why;
}

/*
 * Read a view again after a pass.  If the pass could not write its table, for
 * example on a full disk, compute the view from the records.  A table written
 * after before is new enough, even if the pass then waited for Slurm.
 */
static int
read_again(struct job_view *view, int pass_failed, int64_t before, int64_t now,
    struct error *e)
{
	if (job_view_reload(view, now, e) == -1)
		return -1;
	if (!pass_failed ||
	    (view->table->generation > 0 &&
		(!is_old(view, JOB_WHEN_OLD) ||
		    (!view->passed_over &&
			store_table_time(view->job) > before))))
		return 0;
	return job_view_look(view, now, e);
}

char *
job_refresh(const struct store *store, struct job_view *const *views,
    size_t count, enum job_refresh when, int64_t now)
{
	enum { YOUNG = -2 };
	char *why = job_refresh_look(store, views, count, when, now);
	struct reports reports = {{0}, {0}};
	struct strlist names = {0};
	struct error e;
	int64_t *before; /* time of each old table; -1: no table */
	size_t i;
	int failed;

	if (why != NULL)
		return why;
	before = xcalloc(count + 1, sizeof *before);
	for (i = 0; i < count; i++) {
		before[i] = YOUNG;
		if (!is_old(views[i], when))
			continue;
		before[i] = store_table_time(views[i]->job);
		strlist_push(&names, store_job_name(views[i]->job));
	}
	if (names.count > 0)
		why = pass(store, &names, &reports);
	failed = why != NULL;
	for (i = 0; i < count; i++)
		if (before[i] != YOUNG &&
		    read_again(views[i], failed, before[i], now, &e) == -1 &&
		    why == NULL)
			why = xasprintf(
			    "%s: %s", store_job_name(views[i]->job), e.text);
	note(views, count, &reports, failed);
	strlist_free(&names);
	strlist_free(&reports.job);
	strlist_free(&reports.text);
	free(before);
	return why;
}

/*
 * Return the newest unfinished view whose last pass got no answer from Slurm.
 * Returns NULL if there is none, or if Slurm has answered a later pass over
 * another view.  Sets *answered to when Slurm last answered.
 */
static const struct job_view *
unanswered(struct job_view *const *views, size_t count, enum job_refresh when,
    int64_t *answered)
{
	const struct job_view *found = NULL;
	int64_t last = -1, time;
	size_t i;

	*answered = -1;
	for (i = 0; i < count && views[i]->table->trouble == NULL; i++)
		continue;
	if (i == count) /* most often: no time is needed */
		return NULL;
	for (i = 0; i < count; i++) {
		time = store_table_time(views[i]->job);
		if (views[i]->table->trouble != NULL) {
			if ((when == JOB_ALWAYS ||
				!job_view_is_final(views[i])) &&
			    time > last) {
				found = views[i];
				last = time;
			}
			time = views[i]->table->asked;
		}
		if (time > *answered)
			*answered = time;
	}
	return *answered <= last ? found : NULL;
}

char *
job_refresh_trouble(struct job_view *const *views, size_t count,
    enum job_refresh when, int64_t now, const char *why)
{
	const struct job_view *view;

	char at[TABLE_TIME];
	time_t then, today = (time_t)now;
	int64_t answered;
	struct tm a, b;
	size_t i;

	for (i = 0; why != NULL && i < count; i++)
		if (views[i]->looked)
			return xasprintf(
			    "from the records alone, without Slurm: %s", why);
	view = unanswered(views, count, when, &answered);
	then = (time_t)answered;
	if (view != NULL && answered <= 0)
		return xasprintf(
		    "Slurm not reachable: %s", view->table->trouble);
	if (view != NULL) {
		localtime_r(&then, &a);
		localtime_r(&today, &b);
		strftime(at, sizeof at,
		    a.tm_yday == b.tm_yday && a.tm_year == b.tm_year
			? "%H:%M"
			: "%Y-%m-%d %H:%M",
		    &a);
		return xasprintf("Slurm not reachable, last answered about %s "
				 "at %s: %s",
		    count == 1 ? store_job_name(view->job) : "these jobs", at,
		    view->table->trouble);
	}
	for (i = 0; i < count; i++)
		if (views[i]->table->silence != NULL &&
		    (when == JOB_ALWAYS || !job_view_is_final(views[i])))
			return xstrdup(views[i]->table->silence);
	return why != NULL ? xasprintf("not brought up to date: %s", why)
			   : NULL;
}
