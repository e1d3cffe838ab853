/* Parts of the section of a job: charts, failures, cost, submission. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "report/private.h"
#include "status/plot.h"
#include "status/texts.h"
#include "store/job.h"
#include "view/failure-line.h"

/* ---- charts ---- */

/* Columns and rows of a chart: small enough for a telephone. */
enum { WIDE = 48, HIGH = 14 };

/* Write lines as notes of a kind of element, and free them. */
static void
write_notes(FILE *out, const char *element, char *notes)
{
	char *rest = notes, *line;

	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0')
			report_text(out, element, line);
	free(notes);
}

/* Write the charts of a plot as a figure each. */
static void
write_plot(FILE *out, const struct plot *p)
{
	struct chart look = CHART_DEFAULT;
	char *body, *legend, *notes;
	struct chart_svg svg = {0};
	size_t length, i;
	struct error e;
	int rc;

	look.width = WIDE;
	look.height = HIGH;
	look.clip = 1;
	look.number = job_view_value; /* as in the table of tasks */
	svg.out = xmemopen(&body, &length);
	svg.legend = xmemopen(&legend, &length);
	svg.notes = xmemopen(&notes, &length);
	rc = plot_svg(&svg, p, &look, &e);
	if (rc == -1)
		fprintf(svg.notes, "%s\n", e.text);
	xmemclose(svg.out);
	xmemclose(svg.legend);
	xmemclose(svg.notes);
	fputs("<figure>\n", out);
	for (i = 0; i < svg.titles.count; i++)
		report_text(out, "figcaption", svg.titles.word[i]);
	fputs(body, out);
	if (*legend != '\0')
		fprintf(out,
		    "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
		    "aria-label=\"Legend\">\n%s</div>\n",
		    legend);
	write_notes(out, "figcaption", notes);
	fputs("</figure>\n", out);
	strlist_free(&svg.titles);
	free(body);
	free(legend);
}

/* Write the plots of a kind.  Reasons why tasks are left out go to notes. */
static void
write_plots(
    FILE *out, FILE *notes, const struct job_tasks *t, const struct plot *like)
{
	struct job_plots plots;
	struct error e;
	size_t i;

	job_plots_make(&plots, like, t, 1, notes, notes);
	for (i = 0; i < plots.count; i++)
		if (plot_merge(&plots.plot[i], notes, &e) == -1)
			fprintf(notes, "%s\n", e.text);
		else if (plots.plot[i].runs > 0)
			write_plot(out, &plots.plot[i]);
	job_plots_free(&plots);
}

void
report_charts(FILE *out, const struct job_tasks *t, size_t curves)
{
	struct plot like = {.goal = METRICS_GOAL_BY_NAME,
	    .at = NAN,
	    .best = curves,
	    .is_paper = 1,
	    .alone = t->count == 1,
	    .partner = t->count == 1};
	const struct strlist *more = &t->view->metrics.names;
	char *charts, *notes, *again;
	size_t length, i;
	FILE *f = xmemopen(&charts, &length), *why = xmemopen(&notes, &length);

	if (more->count > 0 && t->view->metric != NULL)
		strlist_push(&like.metric, t->view->metric);
	for (i = 0; i < more->count; i++)
		strlist_push(&like.metric, more->word[i]);
	write_plots(f, why, t, &like);
	strlist_free(&like.metric);
	xmemclose(why);
	like.kind = PLOT_BY;
	like.best = 0;
	why = xmemopen(&again, &length); /* the same notes */
	if (t->count > 1 && t->view->job->names.count > 0)
		write_plots(f, why, t, &like);
	xmemclose(why);
	xmemclose(f);
	if (*charts != '\0')
		fprintf(out,
		    "<h3>Learning curves</h3>\n<div class=\"charts\">\n%s"
		    "</div>\n",
		    charts);
	write_notes(out, "p", notes);
	free(charts);
	free(again);
}

/* ---- failures ---- */

enum { MOST_IDS = 200 }; /* bytes of a list of tasks */

/* Write a group of equal failures as a row. */
static void
write_group(void *arg, const struct show_group *g)
{
	const char *named = job_last_line_cause(g->view, g->task);
	size_t length = strlen(g->ids);
	FILE *out = arg;
	char *ids;

	while (length > MOST_IDS && g->ids[length] != ',')
		length--;
	ids = xasprintf(
	    "%.*s%s", (int)length, g->ids, g->ids[length] != '\0' ? ",…" : "");
	fprintf(out, "<tr><td class=\"n\">%zu</td><td>", g->count);
	if (g->cause != NULL)
		text_xml(out, g->cause);
	if (named != NULL)
		fprintf(out, "%s%s", g->cause != NULL ? ", " : "", named);
	fputs("</td><td class=\"long\">", out);
	text_xml(out, g->words != NULL ? g->words : "no output in the log");
	fputs("</td><td class=\"long\">", out);
	text_xml(out, ids);
	fputs("</td></tr>\n", out);
	free(ids);
}

void
report_failures(FILE *out, const struct job_tasks *t)
{
	char *rows;
	size_t length;
	FILE *f = xmemopen(&rows, &length);
	size_t groups = show_groups(t, 1, write_group, f);

	xmemclose(f);
	if (groups > 0) {
		fputs("<h3>Failures</h3>\n", out);
		report_table_begin(out, "Failures", NULL);
		fprintf(out,
		    "<thead><tr><th scope=\"col\" class=\"n\">Tasks</th>"
		    "<th scope=\"col\">Cause</th><th scope=\"col\">Error</th>"
		    "<th scope=\"col\">Which</th></tr></thead>\n<tbody>\n%s"
		    "</tbody>\n",
		    rows);
		report_table_end(out);
	}
	free(rows);
}

/* ---- search ---- */

static void
write_count(FILE *out, uint64_t count)
{
	fprintf(out, "<td class=\"n\">%" PRIu64 "</td>", count);
}

static void
write_number(FILE *out, double value)
{
	char text[NUM_TEXT];

	fprintf(out, "<td class=\"n\">%s</td>",
	    isfinite(value) ? num_short(value, 6, text) : "");
}

/* Write the row of a rung, or of the end. */
static void
write_rung(FILE *out, const struct show_rung *r)
{
	char *name = show_rung_name(r);

	fprintf(out, "<tr><th scope=\"row\">%s</th>", name);
	free(name);
	write_count(out, r->reached);
	if (!r->stops) {
		fputs("<td></td><td></td><td></td><td></td>", out);
	} else {
		write_count(out, r->continued);
		write_count(out, r->stopped);
		write_count(out, r->open);
		write_count(out, r->others);
	}
	write_number(out, r->stops && !r->mixed ? r->needed : NAN);
	write_number(out, r->best);
	if (isfinite(r->best))
		write_count(out, r->leader);
	else
		fputs("<td></td>", out);
	fputs("</tr>\n", out);
}

void
report_search(FILE *out, const struct job_tasks *t)
{
	static const char *const heads[] = {"Reached", "Continued", "Stopped",
	    "Running", "Other", "Needed", "Best", "Task"};
	struct show_rung *rung;
	size_t count, i;
	char *line = show_rungs(t->view, &rung, &count);

	if (line == NULL)
		return;
	fputs("<h3>Search</h3>\n", out);
	report_text(out, "p", line + strspn(line, " "));
	if (count > 0) {
		report_table_begin(out, "Rungs", NULL);
		fputs("<thead><tr><th scope=\"col\">Epoch</th>", out);
		for (i = 0; i < sizeof heads / sizeof *heads; i++)
			fprintf(out, "<th scope=\"col\" class=\"n\">%s</th>",
			    heads[i]);
		fputs("</tr></thead>\n<tbody>\n", out);
		for (i = 0; i < count; i++)
			write_rung(out, &rung[i]);
		fputs("</tbody>\n", out);
		report_table_end(out);
	}
	free(rung);
	free(line);
}

/* ---- cost ---- */

static void
write_hours(FILE *out, const char *what, double hours)
{
	if (hours >= 0.005)
		fprintf(out,
		    "<tr><th scope=\"row\">%s</th><td class=\"n\">%.*f</td>"
		    "</tr>\n",
		    what, hours < 9.95 ? 2 : 1, hours);
}

void
report_cost(FILE *out, const struct job_tasks *t)
{
	struct show_cost cost;
	int i;

	show_cost(t, &cost);
	if (cost.hours < 0.005)
		return;
	fputs("<h3>Cost</h3>\n", out);
	report_table_begin(out, "Cost", NULL);
	fprintf(out,
	    "<thead><tr><th scope=\"col\">Used by</th>"
	    "<th scope=\"col\" class=\"n\">%s</th></tr></thead>\n<tbody>\n",
	    cost.gpu_hours > 0 ? "GPU hours" : "Hours");
	for (i = 0; i < STORE_STATES; i++)
		write_hours(out, store_state_name(i), cost.in[i]);
	write_hours(out, "stopped by the search", cost.pruned);
	write_hours(out, "earlier attempts", cost.earlier);
	write_hours(
	    out, "all", cost.gpu_hours > 0 ? cost.gpu_hours : cost.hours);
	fputs("</tbody>\n", out);
	report_table_end(out);
	if (!isnan(cost.wasted) && cost.wasted > 0)
		fprintf(out,
		    "<p class=\"soft\">%.0f%% went into tasks that failed or "
		    "were stopped, and into earlier attempts.</p>\n",
		    100 * cost.wasted);
}

/* ---- submission ---- */

/* Write words as a command line. */
static void
write_command(FILE *out, const char *term, const struct strlist *words)
{
	char *line;
	size_t length;
	FILE *f;

	if (words->count == 0)
		return;
	f = xmemopen(&line, &length);
	text_shell_words(f, words);
	xmemclose(f);
	fputs("<div class=\"w\">", out);
	report_text(out, "dt", term);
	fputs("<dd><pre>", out);
	text_xml(out, line);
	fputs("</pre></dd></div>\n", out);
	free(line);
}

static void
write_code(FILE *out, const struct store_job *job)
{
	const struct store_code *code = &job->code;
	size_t i;

	report_term_of(out, "Code", show_code(job, 0));
	for (i = 0; i < job->changes.count; i++)
		if (job->changes.item[i].copies)
			report_term_of(out, "Copied again",
			    show_code(job, (int64_t)i + 1));
	report_term(out, "Commit", code->commit);
	report_term(out, "Branch", code->branch);
	report_term(out, "Remote", code->remote);
	if (code->commit != NULL && code->dirty)
		report_term_of(out, "Uncommitted changes",
		    xasprintf(
			"yes: stfm-status --diff %s shows them", job->name));
	if (code->commit != NULL && !code->dirty)
		report_term(out, "Uncommitted changes", "none");
	if (code->untracked.count > 0)
		report_term_of(out, "Files not in git",
		    xasprintf("%zu", code->untracked.count));
}

/* Write the changes by --sync. */
static void
write_changes(FILE *out, const struct store_job *job)
{
	size_t i;

	for (i = 0; i < job->extensions.count; i++) {
		report_term_of(
		    out, "Changed", show_extension(&job->extensions.item[i]));
		write_command(out, "to", &job->extensions.item[i].argv);
	}
}

void
report_submission(FILE *out, const struct store_job *job)
{
	fputs("<h3>Code and command</h3>\n<dl>\n", out);
	write_code(out, job);
	report_term(out, "Directory", job->cwd);
	report_term(out, "Container", job->container);
	write_command(out, "Submitted as", &job->argv);
	write_changes(out, job);
	write_command(out, "Each task runs", &job->command);
	fputs("</dl>\n", out);
}
