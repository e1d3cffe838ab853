#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/usage.h"
#include "status/lines-file.h"
#include "status/private.h"
#include "store/job.h"
#include "sys/fs.h"

enum {
	TAIL = 64 << 10,
	LABEL = 17 /* width of the labels of a page */
};

/* ---- texts ---- */

const char *
show_path(const struct show_style *look, const char *path)
{
	return look->here != NULL ? fs_from(look->here, path) : path;
}

char *
show_ids(const char *job, const struct idset *tasks)
{
	char *list = idset_text(tasks), *ids = xasprintf("%s/%s", job, list);

	free(list);
	return ids;
}

char *
show_time(int64_t seconds, int exact, char out[TABLE_TIME])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	*out = '\0';
	if (seconds != -1 && localtime_r(&t, &tm) != NULL)
		strftime(out, TABLE_TIME,
		    exact ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M", &tm);
	return out;
}

enum table_color
show_color(enum store_state state)
{
	static const enum table_color color[STORE_STATES] = {
	    TABLE_PLAIN, TABLE_BLUE, TABLE_GREEN, TABLE_RED, TABLE_YELLOW};

	return color[state];
}

const char *
show_unit(const struct job_view *v, uint64_t task)
{
	return job_summary_has_epochs(&job_view_row(v, task)->metrics) ? "epoch"
								       : "step";
}

char *
show_objective(const struct job_view *view)
{
	return xasprintf("%s, %s is better", view->metric,
	    view->goal == METRICS_MAX ? "higher" : "lower");
}

char *
show_pace(double seconds)
{
	char text[NUM_TEXT];

	if (seconds < 60)
		return xasprintf("%s s", num_short(seconds, 2, text));
	return xstrdup(num_span((int64_t)ceil(seconds), text));
}

static char *
show_late(const struct job_view *v, const struct job_eta *eta)
{
	char left[NUM_TEXT], room[NUM_TEXT];

	num_span((int64_t)ceil(eta->left), left);
	num_span((int64_t)eta->room, room);
	if (store_job_policy(v->job)->requeue == 0)
		return xasprintf("LATE: it needs %s more and has %s left; it "
				 "will end with TIMEOUT (%d more run%s of this "
				 "length would do)",
		    left, room, eta->requeues, eta->requeues == 1 ? "" : "s");
	return xasprintf("LATE: it needs %s more and has %s left: %d more "
			 "time%s in the queue",
	    left, room, eta->requeues, eta->requeues == 1 ? "" : "s");
}

char *
show_idle(const struct store_row *row)
{
	struct usage_sum sum;
	char span[NUM_TEXT], *which, *text;

	job_usage_sum(row, &sum);
	which = sum.gpus > 1
	    ? xasprintf("GPU %d of %d", (int)sum.which, (int)sum.gpus)
	    : xstrdup("its GPU");
	text = xasprintf("IDLE: %s has done nothing for %s", which,
	    num_span((int64_t)sum.still, span));
	free(which);
	return text;
}

char *
show_mark(struct job_view *v, uint64_t task)
{
	char span[NUM_TEXT], *pace, *text = NULL;
	const char *unit;
	struct job_eta eta;

	if (store_table_state(v->table, task) != STORE_RUNNING)
		return NULL;
	job_view_eta(v, task, &eta);
	if (eta.stalled && isnan(eta.pace)) {
		text = xasprintf("STALLED: silent for %s",
		    num_span(v->now - eta.since, span));
	} else if (eta.stalled) {
		pace = show_pace(eta.pace);
		unit = show_unit(v, task);
		text = xasprintf("STALLED: silent for %s; %s %s takes %s",
		    num_span(v->now - eta.since, span),
		    *unit == 'e' ? "an" : "a", unit, pace);
		free(pace);
	} else if (eta.late) {
		text = show_late(v, &eta);
	} else if (eta.idle) {
		text = show_idle(job_view_row(v, task));
	}
	return text;
}

/* ---- lines ---- */

void
show_text(struct flow *f, size_t gap, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	flow_text(f, gap, text);
	free(text);
}

void
show_word(struct flow *f, size_t gap, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	flow_word(f, gap, text);
	free(text);
}

int
show_choose(struct table *t, const struct show_style *look, struct error *e)
{
	return look->columns != NULL ? table_choose(t, look->columns, e) : 0;
}

void
show_tags(struct flow *f, const struct store_job *job)
{
	size_t i;

	for (i = 0; i < job->tags.count; i++)
		show_word(f, i == 0 ? 3 : 1, "tag:%s", job->tags.word[i]);
}

void
show_last_lines(const char *path, size_t count, struct strlist *out)
{
	lines_file_end(path, count, TAIL, out);
}

/* On a narrow page the label gets a line of its own. */
struct flow
show_begin_wide(
    FILE *out, const struct show_style *look, const char *label, size_t width)
{
	size_t column = width < LABEL ? LABEL : width + 1;

	if (look->width > 0 && look->width < 2 * column) {
		text_plain(out, label);
		fputs("\n  ", out);
		return (struct flow){out, look->width, 2, 2};
	}
	text_cell(out, label, column, 0);
	return (struct flow){out, look->width, column, column};
}

struct flow
show_begin(FILE *out, const struct show_style *look, const char *label)
{
	return show_begin_wide(out, look, label, 0);
}
