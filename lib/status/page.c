#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/chart.h"
#include "job/checkpoint-dir.h"
#include "job/code.h"
#include "job/points.h"
#include "job/usage.h"
#include "runner/workdir.h"
#include "state/history.h"
#include "status/no-metrics.h"
#include "status/plot.h"
#include "status/private.h"
#include "store/facts.h"
#include "store/job.h"
#include "view/columns.h"
#include "view/failure-line.h"

enum { MIB = 1 << 20 };

enum {
	BAR = 20,
	LOG_LINES = 10,
	MANY = 2000, /* maximum files of the code to look through */
	MADE = 5,    /* maximum paths to name */
	WIDTH = 80   /* width of the chart if nothing limits it */
};

/* A page being printed. */
struct page {
	FILE *out;
	struct job_view *view;
	uint64_t task;
	const struct store_row *row;
	const struct show_style *look;
	const char *unit; /* "epoch" or "step" */
	struct job_history runs;
	/*
	 * A task of a population that continued from another one: the parts of
	 * this attempt, 0 for another task, and the seconds of all of them.
	 */
	size_t parts;
	int64_t whole;
};

static struct flow
begin(const struct page *p, const char *label)
{
	return show_begin(p->out, p->look, label);
}

static void
line(const struct page *p, const char *label, const char *text)
{
	struct flow f;

	if (text == NULL || *text == '\0')
		return;
	f = begin(p, label);
	flow_text(&f, 0, text);
	flow_end(&f);
}

/* Print a line with a text, and free the text. */
static void
line_of(const struct page *p, const char *label, char *text)
{
	line(p, label, text);
	free(text);
}

static void
path_line(const struct page *p, const char *label, const char *path)
{
	struct flow f;

	if (path == NULL)
		return;
	f = begin(p, label);
	flow_path(&f, 0, show_path(p->look, path));
	flow_end(&f);
}

/* ---- the task ---- */

static void
put_state(const struct page *p)
{
	enum table_color color = show_color(p->row->state);
	struct flow f = begin(p, "State");
	const char *state = store_state_name(p->row->state);
	char *log = job_view_errors(p->view, p->task);
	struct job_failure_line fault = {p->row->cause, p->row->start,
	    p->row->end, job_eta_had_stalled(p->row)};
	const char *words = p->row->state == STORE_ERROR
	    ? job_failure_line_why(&fault, log)
	    : NULL;

	if (p->look->colors && color != TABLE_PLAIN)
		fprintf(p->out, "\033[%dm%s\033[0m", (int)color, state);
	else
		fputs(state, p->out);
	f.at += strlen(state);
	if (p->row->cause != NULL)
		flow_text(&f, 2, p->row->cause);
	if (p->row->reason != NULL)
		flow_text(&f, 2, p->row->reason);
	else if (words != NULL)
		flow_text(&f, 2, words);
	flow_end(&f);
	free(log);
}

static void
put_params(const struct page *p)
{
	const struct strlist *names = &p->view->job->names;
	const char *const *value = job_view_point(p->view, p->task);
	struct flow f = begin(p, "Hyperparameters");
	size_t i, gap = 0;

	for (i = 0; i < names->count; i++) {
		if (value[i] == NULL)
			continue;
		show_word(&f, gap, "%s=%s", names->word[i], value[i]);
		gap = 2;
	}
	if (job_points_lack(p->view->job, p->row))
		flow_text(&f, gap,
		    gap > 0 ? "the sampler chooses the other values when the "
			      "task starts"
			    : "the sampler chooses the values when the task "
			      "starts");
	else if (gap == 0)
		flow_word(&f, 0, "none");
	flow_end(&f);
}

/* Print who chose the point of a task, if a sampler did. */
static void
put_sampler(const struct page *p)
{
	struct store_fact_body body;
	struct flow f;

	if (!job_points_are_chosen(p->view->job) || p->row->point == NULL)
		return;
	show_point_record(p->view->job, p->task, &body);
	if (body.sampler != NULL) {
		f = begin(p, "Sampler");
		flow_text(&f, 0, body.sampler);
		if (body.reason != NULL)
			flow_text(&f, 2, body.reason);
		flow_end(&f);
	}
	store_fact_body_free(&body);
}

/*
 * Print what the task's point asks of Slurm, as typed, and other sbatch options
 * of its attempt: what a retry has raised.
 */
static void
put_asked(const struct page *p)
{
	const struct store_group *g =
	    store_group_of(&p->view->job->groups, p->task);
	const struct strlist *now = job_view_options(p->view, p->task);
	char *text = NULL;
	size_t length, i;
	struct flow f = {xmemopen(&text, &length), 0, 0, 0};

	for (i = 0; g != NULL && i < g->asked.count; i++)
		flow_word(&f, 2, g->asked.word[i]);
	for (i = 0; now != NULL && i < now->count; i++)
		if (strcmp(now->word[i], "--hold") != 0 &&
		    (g == NULL || !strlist_have(&g->options, now->word[i])))
			flow_word(&f, 2, now->word[i]);
	xmemclose(f.out);
	line_of(p, "Asks for", text);
}

/* ---- progress ---- */

static void
put_epoch(const struct page *p)
{
	char text[2 * NUM_TEXT], *bar = NULL;
	struct flow f = begin(p, *p->unit == 'e' ? "Epoch" : "Step");
	struct job_progress progress;
	size_t length;
	FILE *out;

	job_view_progress(p->view, p->task, &progress);
	flow_word(&f, 0, job_column_epoch(p->view, p->task, text));
	if (!isnan(progress.part)) {
		snprintf(text, sizeof text, "%d%%",
		    (int)(progress.part * 100 + 1e-9));
		flow_word(&f, 2, text);
		out = xmemopen(&bar, &length);
		chart_bar(out, progress.part, BAR, p->look->charset);
		xmemclose(out);
		flow_text(&f, 2, bar);
		free(bar);
	}
	flow_end(&f);
}

static void
put_results(const struct page *p)
{
	const struct metrics_summary *m = &p->row->metrics;
	char value[NUM_TEXT], epoch[NUM_TEXT];

	if (p->view->metric == NULL)
		return;
	line_of(p, "Objective", show_objective(p->view));
	if (m->columns > 0 && m->column == METRICS_NONE)
		line(p, "Best", "none: no column in the log has this name");
	if (m->has_best) {
		line_of(p, "Best",
		    xasprintf("%s at %s %s%s", job_view_value(m->best, value),
			p->unit,
			num_short(
			    job_summary_epoch(m, m->best_epoch), 9, epoch),
			p->view->best == (int64_t)p->task ? ", the best of all"
							  : ""));
	}
	if (m->last_kind != METRICS_BLANK) {
		line_of(p, "Last",
		    xasprintf("%s at %s %s",
			job_view_value(metrics_summary_last(m), value), p->unit,
			num_short(
			    job_summary_epoch(m, m->last_epoch), 9, epoch)));
	}
}

/* ---- times and places ---- */

static void
put_times(const struct page *p)
{
	int64_t submitted = job_view_submitted(p->view, p->task);
	int64_t elapsed = job_view_elapsed(p->view, p->task);
	char text[TABLE_TIME], span[NUM_TEXT], whole[NUM_TEXT];

	line(p, p->view->job->imported != NULL ? "Imported" : "Submitted",
	    show_time(submitted, 1, text));
	line(p, "Started", show_time(p->row->start, 1, text));
	line(p, "Ended", show_time(p->row->end, 1, text));
	if (elapsed == -1)
		return;
	num_span(elapsed, span);
	if (p->parts == 0)
		line(p, "Elapsed", span);
	else
		line_of(p, "Elapsed",
		    xasprintf("%s in the last of %zu parts, %s in all", span,
			p->parts, num_span(p->whole, whole)));
}

/* Print the time per epoch and the estimated end. */
static void
put_eta(const struct page *p)
{
	char span[NUM_TEXT], when[TABLE_TIME];
	struct job_eta eta;

	job_view_eta(p->view, p->task, &eta);
	if (!isnan(job_eta_pace(p->row)))
		line_of(p, *p->unit == 'e' ? "Epoch time" : "Step time",
		    show_pace(job_eta_pace(p->row)));
	if (p->row->state != STORE_RUNNING)
		return;
	if (!isnan(eta.left)) {
		num_span((int64_t)ceil(eta.left), span);
		show_time(p->view->now + (int64_t)eta.left, 0, when);
		line_of(p, "ETA", xasprintf("%s, at %s", span, when));
	}
	if (!isnan(eta.room))
		line(p, "Time left", num_span((int64_t)eta.room, span));
	line_of(p, "Attention", show_mark(p->view, p->task));
}

/* Print the task's Slurm id, and which run of the task this is. */
static void
put_slurm(const struct page *p)
{
	const struct store_row *row = p->row;
	struct flow f;
	char *text;

	if (row->array == -1)
		return;
	f = begin(p, "Slurm");
	text = store_row_slurm(row);
	flow_text(&f, 0, text);
	free(text);
	if (row->attempt > 0 || row->restart > 0) {
		show_text(&f, 2, "attempt %" PRIu32 ", restart %" PRIu32,
		    row->attempt, row->restart);
	}
	if (job_view_packed(p->view, row) > 1) {
		show_text(&f, 2, "one of %" PRIu64 " tasks on its allocation",
		    job_view_packed(p->view, row));
	}
	flow_end(&f);
}

/* Print the GPU model, driver and packages of a run, from its start record. */
static void
put_software(const struct page *p)
{
	const struct store_job *job = p->view->job;
	struct store_fact fact = {.task = p->task,
	    .attempt = p->row->attempt,
	    .restart = p->row->restart,
	    .kind = "S"};
	struct store_fact_body body = store_fact_body();
	struct store_facts facts;

	if (p->row->node == NULL ||
	    store_facts_of(job, p->task, &facts, NULL) == -1)
		return;
	if (store_facts_read(job, &facts, &fact, &body, NULL) == 0) {
		line(p, "GPU model", body.gpu_models);
		line(p, "GPU driver", body.driver);
		line(p, "Packages", body.packages);
	}
	store_fact_body_free(&body);
	store_facts_free(&facts);
}

/* Write "; at most 11.2 GiB of 15.9 GiB", or the known part of it. */
static void
put_most(FILE *f, double most, double all, int first)
{
	char text[NUM_TEXT];

	if (isnan(most))
		return;
	fprintf(f, "%sat most %s", first ? "" : "; ",
	    num_bytes((int64_t)(most * MIB), text));
	if (!isnan(all))
		fprintf(f, " of %s", num_bytes((int64_t)(all * MIB), text));
}

/* Print how busy the GPUs and CPUs were, and the peak memory. */
static void
put_use(const struct page *p)
{
	const char *gpus = p->row->gpus, *where;
	char span[NUM_TEXT], *gpu, *cpu;
	size_t gpu_length, cpu_length;
	FILE *g = xmemopen(&gpu, &gpu_length), *c = xmemopen(&cpu, &cpu_length);
	struct usage_sum s;

	job_usage_sum(p->row, &s);
	where = gpus != NULL && strchr(gpus, '+') != NULL
	    ? ", on its first node"
	    : "";
	if (!isnan(s.gpu))
		fprintf(g, "%.0f%% on average", s.gpu);
	if (!isnan(s.gpu) && s.gpus > 1)
		fprintf(g, " of %.0f GPUs", s.gpus);
	if (s.idle >= 1)
		fprintf(g, "; %s%s idle", num_span((int64_t)s.idle, span),
		    s.gpus > 1 ? " of GPU time" : "");
	put_most(g, s.gpu_memory, s.gpu_total, isnan(s.gpu));
	fputs(where, g);
	if (!isnan(s.cpu) && !isnan(s.cpus))
		fprintf(c, "%.0f%% on average: %s of %.0f CPU%s",
		    usage_percent(s.cpu, s.cpus), num_short(s.cpu, 3, span),
		    s.cpus, s.cpus > 1 ? "s" : "");
	else if (!isnan(s.cpu))
		fprintf(c, "%s CPUs on average", num_short(s.cpu, 3, span));
	put_most(c, s.memory, s.memory_limit, isnan(s.cpu));
	fputs(where, c);
	xmemclose(g);
	xmemclose(c);
	if (!isnan(s.gpu) || !isnan(s.gpu_memory))
		line(p, "GPU use", gpu);
	if (!isnan(s.cpu) || !isnan(s.memory))
		line(p, "CPU use", cpu);
	free(gpu);
	free(cpu);
}

static void
put_place(const struct page *p)
{
	const struct store_row *row = p->row;
	size_t here = row->gpus != NULL ? strcspn(row->gpus, "+") : 0;
	char size[NUM_TEXT];

	line(p, "Node", row->node);
	/*
	 * "0,1+6" means GPUs 0 and 1 of the task's node, and 6 GPUs of other
	 * nodes.
	 */
	if (row->gpus != NULL && row->gpus[here] == '+')
		line_of(p, "GPU index",
		    xasprintf("%.*s%s%s of other nodes", (int)here, row->gpus,
			here > 0 ? "; and " : "", row->gpus + here + 1));
	else
		line(p, "GPU index", row->gpus);
	line(p, "Account", row->account);
	line(p, "QOS", row->qos);
	if (row->memory != -1)
		line(p, "Peak memory", num_bytes(row->memory, size));
	put_use(p);
	put_software(p);
	put_slurm(p);
}

/*
 * Print files that the training wrote among its code, where users do not expect
 * them.
 */
static void
put_made(const struct page *p)
{
	struct store_job job = *p->view->job;
	struct snapshot_changes c = {0};
	char *path, *copy;
	size_t i;

	if (store_code_use(&job, p->row->code > 0 ? p->row->code : 0, NULL) ==
		-1 ||
	    job.code.files > MANY ||
	    job_code_changes(&job, SNAPSHOT_DATA, MADE, &c, NULL) == -1)
		return;
	copy = store_code_path(&job, "code");
	for (i = 0; i < c.added.count; i++) {
		path = fs_join(copy, c.added.word[i]);
		path_line(p, i == 0 ? "Made there" : "", path);
		free(path);
	}
	free(copy);
	snapshot_changes_free(&c);
}

/*
 * Print where the metrics are, or why there are none, and how the log was read.
 */
static void
put_metrics(const struct page *p)
{
	const struct metrics_summary *m = &p->row->metrics;
	char *advice = NULL;

	if (job_unlogged(p->view, p->task)) {
		advice = job_unlogged_advice(p->view->job);
	} else if (job_guessed(p->view, p->task)) {
		line_of(p, "Metrics", job_guessed_advice(p->view, p->task));
	} else {
		path_line(p, "Metrics", p->row->metrics_path);
		if (job_illegible(p->view, p->task))
			advice = job_illegible_log_advice(p->view->job);
	}
	if (advice != NULL)
		line_of(p, "Metrics", xasprintf("none: %s", advice));
	free(advice);
	/* CSV and TSV files are read without guessing. */
	if (m->columns > 0 && m->format != RECORD_ROWS)
		line_of(p, "Read as",
		    xasprintf("%s: %s along %s%s",
			record_format_name((enum record_format)m->format),
			m->column == METRICS_NONE ? "no objective" : m->metric,
			m->x_column == METRICS_NONE ? "its records" : m->x_name,
			p->view->job->metric == NULL ? ", guessed" : ""));
}

static void
put_files(const struct page *p)
{
	char *log = job_view_log(p->view, p->task);

	if (log != NULL && fs_is_gone(log) &&
	    job_view_log_was_empty(p->view, p->task, p->row->attempt))
		line(p, "Log", "empty, and removed");
	else
		path_line(p, "Log", log);
	if (p->row->err != NULL)
		path_line(p, "Errors", p->row->err);
	put_metrics(p);
	path_line(p, "Directory", p->view->job->directory);
	path_line(p, "Container", p->view->job->container);
	line_of(p, "Code", show_code(p->view->job, p->row->code));
	put_made(p);
	free(log);
}

/* Print the command line of the task, to copy into a shell. */
static void
put_command(const struct page *p)
{
	struct store_job job = *p->view->job;
	const struct store_row *row = p->row;
	struct job_task t = {&job, row->task, row->attempt,
	    job_view_point(p->view, row->task), .restart = row->restart,
	    .code = row->code > 0 ? row->code : 0};
	struct flow f;
	char *text;

	if (job.imported != NULL || job.command.count == 0 ||
	    job_points_lack(&job, row) ||
	    store_code_use(&job, t.code, NULL) == -1)
		return;
	t.origin = job_checkpoint_origin(
	    job_view_chunks(p->view), row->task, row->attempt);
	text = job_command_line(&t);
	f = begin(p, "Command");
	flow_command(&f, text);
	flow_end(&f);
	if (p->parts > 0)
		line(p, "", "(of the last part, without the checkpoint)");
	free(text);
}

/* ---- curves ---- */

/* Draw the curves as stfm-plot does for one task. */
static void
put_curves(const struct page *p)
{
	struct plot like = {
	    .goal = METRICS_GOAL_BY_NAME, .at = NAN, .partner = 1, .alone = 1};
	struct chart chart = CHART_DEFAULT;
	uint64_t task = p->task;
	struct job_tasks tasks = {p->view, &task, 1};
	struct job_plots plots;
	char *reasons, *notes;
	size_t reasons_length, length;
	FILE *r, *f;

	if (p->row->metrics.values == 0)
		return;
	r = xmemopen(&reasons, &reasons_length);
	f = xmemopen(&notes, &length);
	job_plots_make(&plots, &like, &tasks, 1, r, r);
	if (plots.count > 0) {
		chart.width = p->look->width > 0 ? p->look->width : WIDTH;
		chart.charset = p->look->charset;
		chart.colors = p->look->colors;
		putc('\n', p->out);
		if (chart.width >= CHART_WIDTH)
			plot_draw(p->out, f, plots.plot, &chart, 0, NULL);
	}
	xmemclose(r);
	xmemclose(f);
	fputs(notes, p->out);
	free(reasons);
	free(notes);
	job_plots_free(&plots);
}

/* ---- the end of the log ---- */

static void
put_log(const struct page *p)
{
	char *path = job_view_errors(p->view, p->task);
	struct strlist lines = {0};
	size_t i, width;

	if (path != NULL)
		show_last_lines(path, LOG_LINES, &lines);
	if (lines.count > 0)
		fputs("\nEnd of the log\n", p->out);
	for (i = 0; i < lines.count; i++) {
		width = text_width(lines.word[i]);
		if (p->look->width > 2 && width > p->look->width - 2)
			width = p->look->width - 2;
		fputs("  ", p->out);
		text_cell(p->out, lines.word[i], width, 0);
		putc('\n', p->out);
	}
	strlist_free(&lines);
	free(path);
}

/* ---- earlier runs ---- */

/* Count the parts of a task of a population, and find out their time. */
static void
count_parts(struct page *p)
{
	const struct store_search *search = store_job_search(p->view->job);
	const struct store_row *run;
	size_t i;

	if (search->pruner == NULL || !text_begins(search->pruner, "pbt"))
		return;
	p->whole = job_view_elapsed(p->view, p->task);
	for (i = 0; i < p->runs.count; i++) {
		run = &p->runs.row[i];
		if (run->attempt != p->row->attempt)
			continue;
		p->parts++;
		if (run->start != -1 && run->end >= run->start)
			p->whole += run->end - run->start;
	}
	p->parts += p->parts > 0;
}

/* Print the point with which an earlier part trained, and who chose it. */
static void
put_part(const struct page *p, const struct store_row *run)
{
	const struct strlist *names = &p->view->job->names;
	const char **value = xcalloc(names->count + 1, sizeof *value);
	struct store_fact_body body;
	struct flow f;
	size_t i;

	show_run_point(p->view->job, p->task, STORE_RUN(run), &body);
	if (body.point != NULL &&
	    job_points_cut(body.point, value, names->count) == names->count) {
		f = begin(p, "  point");
		for (i = 0; i < names->count; i++)
			if (value[i] != NULL)
				show_word(&f, i > 0 ? 2 : 0, "%s=%s",
				    names->word[i], value[i]);
		flow_text(
		    &f, 2, body.reason != NULL ? body.reason : body.sampler);
		flow_end(&f);
	}
	store_fact_body_free(&body);
	free(value);
}

/*
 * Return how a run ended that was not the last one of its attempt, to free: a
 * task of a population may have continued from another task.
 */
static char *
end_of_part(const struct page *p, const struct store_row *run)
{
	struct store_run next = {run->attempt, run->restart + 1};
	struct store_fact_body body;
	char *text = NULL;

	if (p->parts == 0)
		return xstrdup("requeued");
	if (store_run_compare(
		show_run_point(p->view->job, p->task, next, &body), next) ==
		0 &&
	    body.parent != -1)
		text = xasprintf(
		    "until it continued from task %" PRId64, body.parent);
	store_fact_body_free(&body);
	return text != NULL ? text : xstrdup("requeued");
}

/* Print how a run ended, and where and when it ran. */
static void
put_run(const struct page *p, const struct store_row *row)
{
	char text[TABLE_TIME], span[NUM_TEXT], *label;
	char *part = row->state == STORE_SUBMITTED ? end_of_part(p, row) : NULL;
	struct flow f;

	label = row->restart > 0 ? xasprintf("Attempt %" PRIu32 ".%" PRIu32,
				       row->attempt, row->restart)
				 : xasprintf("Attempt %" PRIu32, row->attempt);
	f = begin(p, label);
	flow_text(&f, 0, part != NULL ? part : store_state_name(row->state));
	if (row->state != STORE_SUBMITTED && row->cause != NULL)
		flow_text(&f, 2, row->cause);
	if (row->node != NULL)
		flow_text(&f, 2, row->node);
	if (row->start != -1)
		flow_text(&f, 2, show_time(row->start, 1, text));
	if (row->end != -1)
		flow_text(&f, 2, show_time(row->end, 1, text));
	if (row->start != -1 && row->end >= row->start)
		flow_text(&f, 2, num_span(row->end - row->start, span));
	flow_end(&f);
	if (p->view->job->code.number > 0)
		line_of(p, "  code", show_code(p->view->job, row->code));
	if (p->parts > 0)
		put_part(p, row);
	path_line(p, "  log", row->log);
	path_line(p, "  metrics", row->metrics_path);
	free(part);
	free(label);
}

void
job_show_page(FILE *out, struct job_view *view, uint64_t task,
    const struct show_style *look)
{
	/* First: this may load the table again. */
	char *standing = show_standing(view, task);
	struct page p = {out, view, task, NULL, look, .parts = 0};
	struct flow f = {out, look->width, 2};
	char *id = xasprintf("%s/%" PRIu64, view->job->name, task);
	size_t i;

	job_view_read_logs(view, &task, 1); /* as new as its curves */
	p.row = job_view_row(view, task);
	p.unit = show_unit(view, task);
	job_view_attempts(view, task, &p.runs);
	count_parts(&p);
	flow_word(&f, 0, id);
	if (view->job->description != NULL)
		flow_text(&f, 3, view->job->description);
	show_tags(&f, view->job);
	flow_end(&f);
	free(id);
	put_state(&p);
	put_params(&p);
	put_sampler(&p);
	put_asked(&p);
	put_epoch(&p);
	put_results(&p);
	line(&p, "Search", standing);
	line_of(&p, "Bracket", show_bracket(view->job, task));
	put_times(&p);
	put_eta(&p);
	put_place(&p);
	put_files(&p);
	put_command(&p);
	for (i = p.runs.count; i > 0; i--)
		put_run(&p, &p.runs.row[i - 1]);
	job_history_free(&p.runs);
	put_curves(&p);
	if (p.row->state == STORE_ERROR)
		put_log(&p);
	free(standing);
}
