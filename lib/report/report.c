/* The page of a report and the sections of its jobs. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "base/xalloc.h"
#include "chart/svg.h"
#include "report/private.h"
#include "state/resolve.h"
#include "status/texts.h"
#include "store/job.h"

/* ---- summary of a job ---- */

/* What is known of the tasks of a job in a report. */
struct sums {
	uint64_t in[STORE_STATES];
	uint64_t pruned; /* tasks that a search stopped */
	int64_t best;    /* the best task, or -1 */
	double value, epoch;
	const char *unit; /* of the epoch: it may be a step */
	struct show_cost cost;
};

static void
sum_up(const struct job_tasks *t, struct sums *s)
{
	const struct metrics_summary *m;
	size_t i;

	*s = (struct sums){.best = -1, .value = NAN};
	for (i = 0; i < t->count; i++) {
		s->in[store_table_state(t->view->table, t->task[i])]++;
		s->pruned +=
		    state_is_pruned(job_view_row(t->view, t->task[i])) != 0;
		m = &job_view_row(t->view, t->task[i])->metrics;
		if (m->has_best &&
		    metrics_better(t->view->goal, m->best, s->value)) {
			s->best = (int64_t)t->task[i];
			s->value = m->best;
			s->epoch = job_summary_epoch(m, m->best_epoch);
			s->unit = job_summary_has_epochs(m) ? "epoch" : "step";
		}
		store_table_forget(t->view->table, t->task[i]);
	}
	show_cost(t, &s->cost);
}

static void
write_states(FILE *out, const struct sums *s, size_t tasks, uint64_t all)
{
	const char *gap = ": ";
	int i;

	fprintf(out, "<div><dt>Tasks</dt><dd>%zu", tasks);
	if (tasks < all)
		fprintf(out, " of %" PRIu64, all);
	for (i = 0; i < STORE_STATES; i++)
		if (s->in[i] > 0) {
			fprintf(out, "%s%" PRIu64 " ", gap, s->in[i]);
			report_state(out, i);
			gap = ", ";
		}
	if (s->pruned > 0)
		fprintf(out, " (%" PRIu64 " by the search)", s->pruned);
	fputs("</dd></div>\n", out);
}

/* Return the values of a task's hyperparameters, "lr=0.1 opt=adam", to free. */
static char *
point_text(struct job_view *v, uint64_t task)
{
	const char *const *value = job_view_point(v, task);
	const struct strlist *names = &v->job->names;
	const char *gap = "";
	char *text;
	size_t i, length;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < names->count; i++)
		if (value[i] != NULL) {
			fprintf(f, "%s%s=%s", gap, names->word[i], value[i]);
			gap = " ";
		}
	xmemclose(f);
	return text;
}

static void
write_best(FILE *out, const struct job_tasks *t, const struct sums *s)
{
	char value[NUM_TEXT], epoch[NUM_TEXT], *point;

	if (s->best < 0 || t->view->metric == NULL)
		return;
	point = point_text(t->view, (uint64_t)s->best);
	report_term_of(out, "Best",
	    xasprintf("%s %s at %s %s, task %" PRId64 "%s%s", t->view->metric,
		job_view_value(s->value, value), s->unit,
		num_exact(s->epoch, epoch), s->best, *point != '\0' ? ": " : "",
		point));
	free(point);
}

/* Write the hyperparameters that all tasks of a job share. */
static void
write_constants(FILE *out, const struct job_tasks *t)
{
	const struct strlist *names = &t->view->job->names;
	char *constant = job_view_constant(t->view), *text;
	const char *const *value;
	const char *gap = "";
	size_t i, length;
	FILE *f = xmemopen(&text, &length);

	value = job_view_point(t->view, t->task[0]);
	for (i = 0; i < names->count && t->view->job->tasks > 1; i++)
		if (constant[i] && value[i] != NULL) {
			fprintf(f, "%s%s=%s", gap, names->word[i], value[i]);
			gap = " ";
		}
	xmemclose(f);
	report_term_of(out, "The same for all", text);
	free(constant);
}

enum { SPAN_WORDS = 64 };

/* Write a duration in its two largest units.  Returns out. */
static char *
span_words(int64_t seconds, char out[SPAN_WORDS])
{
	static const struct {
		const char *unit;
		int64_t seconds;
	} units[] = {{"day", 86400}, {"hour", 3600}, {"minute", 60},
	    {"second", 1}, {NULL, 0}};
	size_t i = 0, length = 0;
	int64_t n;
	int k;

	while (units[i].seconds > 1 && seconds < units[i].seconds)
		i++;
	for (k = 0; k < 2 && units[i].unit != NULL; k++, i++) {
		n = seconds / units[i].seconds;
		seconds %= units[i].seconds;
		if (n > 0 || length == 0)
			length +=
			    (size_t)snprintf(out + length, SPAN_WORDS - length,
				"%s%" PRId64 " %s%s", length > 0 ? " " : "", n,
				units[i].unit, n == 1 ? "" : "s");
	}
	return out;
}

static void
write_summary(FILE *out, const struct job_tasks *t, const struct sums *s)
{
	const struct store_job *job = t->view->job;
	char time[TABLE_TIME], other[TABLE_TIME], span[SPAN_WORDS];
	int64_t start = s->cost.start, end = s->cost.end;

	fputs("<dl>\n", out);
	write_states(out, s, t->count, job->tasks);
	write_best(out, t, s);
	if (t->view->metric != NULL)
		report_term_of(out, "Objective",
		    xasprintf("%s, %s is better", t->view->metric,
			t->view->goal == METRICS_MAX ? "higher" : "lower"));
	write_constants(out, t);
	report_term_of(out, "Tags", strlist_join(&job->tags, ", "));
	report_term_of(out, "Submitted",
	    xasprintf("%s by %s at %s", show_time(job->created, 0, time),
		job->user != NULL ? job->user : "?",
		job->host != NULL ? job->host : "?"));
	if (start > 0 && s->in[STORE_RUNNING] > 0)
		report_term_of(out, "Trained",
		    xasprintf("since %s", show_time(start, 0, time)));
	else if (start > 0 && end >= start)
		report_term_of(out, "Trained",
		    xasprintf("started %s, ended %s, took %s",
			show_time(start, 1, time), show_time(end, 1, other),
			span_words(end - start, span)));
	report_term_of(out, "Mixed code", show_mixed_code(t));
	if (s->cost.gpu_hours > 0)
		report_term_of(out, "GPU hours",
		    xasprintf("%.*f", s->cost.gpu_hours < 9.95 ? 2 : 1,
			s->cost.gpu_hours));
	fputs("</dl>\n", out);
}

static void
write_job(FILE *out, const struct job_tasks *t, size_t number,
    const struct report_style *style)
{
	const struct store_job *job = t->view->job;
	struct sums s;

	sum_up(t, &s);
	fprintf(out, "<section id=\"job%zu\">\n", number);
	report_text(out, "h2", job->name);
	report_text(out, "p", job->description);
	write_summary(out, t, &s);
	report_search(out, t);
	report_charts(out, t, style->curves);
	report_failures(out, t);
	report_tasks(out, t, style->rows);
	report_cost(out, t);
	report_submission(out, job);
	fputs("</section>\n", out);
}

/* ---- page ---- */

/* Which columns of the index have a value for some job. */
struct index_columns {
	int stopped, gpus, hours;
};

static void
write_index_head(FILE *out, const struct index_columns *has)
{
	fputs("<thead><tr><th scope=\"col\">Job</th><th scope=\"col\" "
	      "class=\"n\">Tasks</th><th scope=\"col\" class=\"n\">Finished"
	      "</th><th scope=\"col\" class=\"n\">Error</th>",
	    out);
	if (has->stopped)
		fputs("<th scope=\"col\" class=\"n\">Stopped</th>", out);
	fputs("<th scope=\"col\">Metric</th><th scope=\"col\" class=\"n\">"
	      "Best</th>",
	    out);
	if (has->hours)
		fprintf(out, "<th scope=\"col\" class=\"n\">%s</th>",
		    has->gpus ? "GPU hours" : "Hours");
	fputs("<th scope=\"col\">Submitted</th></tr></thead>\n", out);
}

static void
write_index_row(FILE *out, const struct job_tasks *t, size_t number,
    const struct index_columns *has)
{
	char value[NUM_TEXT], time[TABLE_TIME];
	struct sums s;
	double hours;

	sum_up(t, &s);
	hours = has->gpus ? s.cost.gpu_hours : s.cost.hours;
	fprintf(out, "<tr><th scope=\"row\"><a href=\"#job%zu\">", number);
	text_xml(out, t->view->job->name);
	fprintf(out,
	    "</a></th><td class=\"n\">%zu</td><td class=\"n\">%" PRIu64
	    "</td><td class=\"n\">%" PRIu64 "</td>",
	    t->count, s.in[STORE_FINISHED], s.in[STORE_ERROR]);
	if (has->stopped)
		fprintf(out, "<td class=\"n\">%" PRIu64 "</td>",
		    s.in[STORE_STOPPED]);
	fputs("<td>", out);
	text_xml(out, t->view->metric != NULL ? t->view->metric : "");
	fprintf(out, "</td><td class=\"n\">%s</td>",
	    s.best >= 0 ? job_view_value(s.value, value) : "");
	if (has->hours && hours > 0)
		fprintf(out, "<td class=\"n\">%.2f</td>", hours);
	else if (has->hours)
		fputs("<td class=\"n\"></td>", out);
	fprintf(out, "<td>%s</td></tr>\n",
	    show_time(t->view->job->created, 0, time));
}

/* Write a table with a row and a link for each job. */
static void
write_index(FILE *out, const struct job_tasks *t, size_t count)
{
	struct index_columns has = {0};
	struct sums s;
	size_t i;

	for (i = 0; i < count; i++) {
		sum_up(&t[i], &s);
		has.stopped |= s.in[STORE_STOPPED] > 0;
		has.gpus |= s.cost.gpu_hours > 0;
		has.hours |= s.cost.gpu_hours > 0 || s.cost.hours >= 0.005;
	}
	fputs("<nav aria-label=\"Jobs\">\n", out);
	report_table_begin(out, "Jobs", "sort");
	write_index_head(out, &has);
	fputs("<tbody>\n", out);
	for (i = 0; i < count; i++)
		write_index_row(out, &t[i], i, &has);
	fputs("</tbody>\n", out);
	report_table_end(out);
	fputs("</nav>\n", out);
}

/* Return the title of a report without one, to free. */
static char *
title_of(const struct job_tasks *t, size_t count)
{
	enum { NAMED = 3 };
	char *title;
	size_t i, length;
	FILE *f = xmemopen(&title, &length);

	fputs("Report of ", f);
	for (i = 0; i < count && (i < NAMED || count == NAMED + 1); i++)
		fprintf(f, "%s%s", i > 0 ? ", " : "", t[i].view->job->name);
	if (i < count)
		fprintf(f, " and %zu more jobs", count - i);
	xmemclose(f);
	return title;
}

void
report_write(FILE *out, const struct job_tasks *t, size_t count,
    const struct report_style *style)
{
	char *title =
	    style->title != NULL ? xstrdup(style->title) : title_of(t, count);
	char time[TABLE_TIME];
	size_t i;

	fputs(report_head, out);
	report_text(out, "title", title);
	fprintf(out, "<style>\n%s%s</style>\n</head>\n<body>\n<header>\n",
	    report_style, chart_svg_style);
	report_text(out, "h1", title);
	fprintf(out, "<p class=\"soft\">As of %s, by stfm %s</p>\n",
	    show_time(style->now, 0, time), STFM_VERSION);
	for (i = 0; i < style->notes->count; i++) {
		fputs("<p class=\"note\">", out);
		text_xml(out, style->notes->word[i]);
		fputs("</p>\n", out);
	}
	if (count > 1)
		write_index(out, t, count);
	fputs("</header>\n<main>\n", out);
	for (i = 0; i < count; i++)
		write_job(out, &t[i], i, style);
	fprintf(out, "</main>\n<script>%s</script>\n</body>\n</html>\n",
	    report_script);
	free(title);
}
