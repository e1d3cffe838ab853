#include <errno.h>
#include <string.h>

#include "job/checkpoint-dir.h"
#include "state/history.h"
#include "status/curve.h"
#include "sys/fs.h"

void
job_curve_before(
    struct job_view *v, const struct store_row *row, struct strlist *out)
{
	struct job_task t = {.job = v->job,
	    .task = row->task,
	    .attempt = row->attempt,
	    .value = job_view_point(v, row->task)};
	const struct store_chunks *chunks;
	struct strlist printed = {0}, damaged = {0};
	struct error why;

	if ((row->metrics.continues & ~METRICS_CONTINUES) == 0)
		return;
	chunks = job_view_chunks(v);
	t.origin = job_checkpoint_origin(chunks, row->task, row->attempt);
	if (job_history_logs(&t, out, &printed, &damaged, &why) == -1)
		strlist_push(&damaged, why.text);
	job_view_note_all(v, &damaged);
	strlist_free(&printed);
	strlist_free(&damaged);
}

/* Refuse a file that is too large. */
static int
check_size(const char *path, size_t limit, struct error *e)
{
	struct stat st;

	if (stat(path, &st) == -1)
		return error_errno(e, "reading");
	errno = 0;
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > limit)
		return error_set(e, "larger than %zu MiB", limit >> 20);
	return 0;
}

int
job_curve_read(struct job_curve *c, const char *path,
    const struct strlist *before, const char *metric,
    const struct record_pattern *pattern, size_t limit, int ended,
    struct error *e)
{
	int rc = check_size(path, limit, e);

	*c = (struct job_curve){
	    .plot = {.goal = METRICS_GOAL_BY_NAME, .pattern = pattern}};
	if (metric != NULL)
		strlist_push(&c->plot.metric, metric);
	if (before != NULL)
		strlist_copy(&c->run.before, before);
	if (rc == 0)
		rc = plot_read_path(
		    &c->plot, &c->run, path, ended ? PLOT_ENDED : PLOT_TASK, e);
	if (rc == 0) {
		c->series = metrics_log_series(c->run.log, 0);
		return 0;
	}
	if (rc == 1)
		error_set(e, "nothing in it");
	error_prefix(e, path);
	job_curve_free(c);
	if (rc == 1)
		errno = ENOENT;
	return -1;
}

void
job_curve_free(struct job_curve *c)
{
	plot_run_free(&c->plot, &c->run);
	plot_free(&c->plot);
	memset(c, 0, sizeof *c);
}
