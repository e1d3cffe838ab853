/* stfm-status --compare: options, code and results of jobs, side by side. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/code.h"
#include "job/options.h"
#include "job/points.h"
#include "status/private.h"
#include "store/job.h"
#include "sys/fs.h"

enum {
	VALUES = 12, /* maximum values of a hyperparameter to list */
	FILES = 10   /* maximum files to name that differ */
};

static const char of_job[] = "job", result[] = "result";
static const char submitted[] = "submitted";

/* A property of the jobs. */
struct property {
	const char *kind;
	char *name;
	char **value; /* of each job, or NULL */
};

struct comparison {
	const struct job_tasks *tasks;
	size_t jobs;
	int people; /* values are rounded, and equal ones are one line */
	struct property *property;
	size_t count;
};

/* ---- properties ---- */

/* Set a property of a job to a text, which is taken over; NULL means none. */
static void
set(struct comparison *c, const char *kind, const char *name, size_t job,
    char *text)
{
	struct property *p;
	size_t i;

	for (i = 0; i < c->count; i++)
		if (strcmp(c->property[i].kind, kind) == 0 &&
		    strcmp(c->property[i].name, name) == 0)
			break;
	if (i == c->count) {
		c->property = xgrow(c->property, i, sizeof *c->property);
		c->property[c->count++] = (struct property){
		    kind, xstrdup(name), xcalloc(c->jobs, sizeof(char *))};
	}
	p = &c->property[i];
	free(p->value[job]);
	p->value[job] = text;
}

static char *
joined(const struct strlist *list, const char *between)
{
	return list->count > 0 ? strlist_join(list, between) : NULL;
}

static char *
number(int64_t n)
{
	return n > 0 ? xasprintf("%" PRId64, n) : NULL;
}

/* Set the options of stfm-submit, but those that say how points are made. */
static void
set_options(struct comparison *c, size_t i, const struct store_job *job)
{
	const char *const kind = of_job;
	const struct store_search *search = &job->search;
	struct strlist names = {0}, values = {0};
	const char *value;
	size_t k;

	if (store_search_is_given(search))
		set(c, kind, "--search", i, number((int64_t)job->tasks));
	job_options(job, &names, &values);
	for (k = 0; k < names.count; k++) {
		value = values.word[k];
		set(c, kind, names.word[k], i,
		    *value != '\0' ? xstrdup(value) : NULL);
	}
	strlist_free(&names);
	strlist_free(&values);
	if (store_search_is_given(search) && search->pruner == NULL)
		set(c, kind, "--pruner", i, xstrdup("none"));
}

static void
set_submission(struct comparison *c, size_t i, const struct store_job *job)
{
	const char *const kind = of_job;
	struct strlist after = {0};
	char time[TABLE_TIME];

	set(c, kind, "description", i, xcopy(job->description));
	set(c, kind, "tags", i, joined(&job->tags, " "));
	set(c, kind, submitted, i, xstrdup(show_time(job->created, 0, time)));
	set(c, kind, "command", i, joined(&job->command, " "));
	set(c, kind, "script", i, xcopy(job->script));
	set(c, kind, "directory", i, xcopy(job->directory));
	set_options(c, i, job);
	job_show_after(job, &after);
	set(c, kind, "--after", i, joined(&after, " "));
	strlist_free(&after);
}

/* Return whether stfm-submit adds an option by itself, or by the job's name. */
static int
is_own(const char *option)
{
	static const char *const own[] = {"--output", "--error", "--open-mode",
	    "--chdir", "--ntasks-per-node", "--job-name"};

	return text_among(option, own, sizeof own / sizeof *own) != -1;
}

static void
set_slurm(struct comparison *c, size_t i, const struct store_job *job)
{
	const char *word;
	size_t k, n;
	char *name;

	for (k = 0; k < job->options.count; k++) {
		word = job->options.word[k];
		n = strcspn(word, "=");
		name = xstrndup(word, n);
		if (!is_own(name))
			set(c, "slurm", name, i,
			    xstrdup(word[n] == '=' ? word + n + 1 : "yes"));
		free(name);
	}
}

/* Add the value that a property has in a copy of the code, if it has one. */
static void
add_copy(struct strlist *list, const char *copy, const char *value)
{
	if (value != NULL)
		strlist_take(list, xasprintf("%s%s", copy, value));
}

/* Set the properties of the copies of the code that the tasks ran. */
static void
set_code(struct comparison *c, size_t i, const struct job_tasks *tasks)
{
	static const char kind[] = "code";
	struct store_job of = *tasks->view->job;
	struct strlist commit = {0}, changes = {0}, fingerprint = {0};
	struct idset copies = {0};
	struct idset_walk walk = {0};
	char lead[NUM_TEXT] = "";
	uint64_t copy;
	int64_t code;
	size_t k;

	for (k = 0; k < tasks->count; k++) {
		code = job_view_code(tasks->view, tasks->task[k]);
		if (code >= 0)
			idset_add(&copies, (uint64_t)code, (uint64_t)code);
		store_table_forget(tasks->view->table, tasks->task[k]);
	}
	if (copies.count == 0) /* none is queued: they will run the newest */
		idset_add(&copies, (uint64_t)of.code.number,
		    (uint64_t)of.code.number);
	while (idset_next(&copies, &walk, &copy)) {
		if (store_code_use(&of, (int64_t)copy, NULL) == -1)
			continue;
		if (idset_size(&copies) > 1)
			snprintf(lead, sizeof lead, "copy %" PRIu64 ": ", copy);
		add_copy(&commit, lead, of.code.commit);
		add_copy(&fingerprint, lead, of.code.fingerprint);
		if (of.code.commit != NULL)
			add_copy(&changes, lead, of.code.dirty ? "yes" : "no");
	}
	set(c, kind, "commit", i, joined(&commit, ", "));
	set(c, kind, "uncommitted changes", i, joined(&changes, ", "));
	set(c, kind, "code fingerprint", i, joined(&fingerprint, ", "));
	set(c, kind, "copies", i, show_copies(tasks, &k));
	strlist_free(&commit);
	strlist_free(&changes);
	strlist_free(&fingerprint);
	idset_free(&copies);
}

/* Return the values of a hyperparameter as they were typed last, or NULL. */
static const char *
typed(const struct store_job *job, const char *name)
{
	size_t count = job->extensions.count, length = strlen(name), i;
	const struct strlist *space =
	    count > 0 ? &job->extensions.item[count - 1].space : &job->space;

	for (i = 0; i < space->count; i++)
		if (strncmp(space->word[i], name, length) == 0 &&
		    space->word[i][length] == '=')
			return space->word[i] + length + 1;
	return NULL;
}

/* Return the fingerprint of the points that are wanted, or NULL. */
static const char *
fingerprint_of(const struct store_job *job)
{
	size_t count = job->extensions.count;

	return count > 0 ? job->extensions.item[count - 1].fingerprint
			 : job->fingerprint;
}

/*
 * Return many values of a hyperparameter as they were typed, to free.  If they
 * come from a file, only the fingerprint tells whether the points are those of
 * the first job.
 */
static char *
many_text(const struct comparison *c, size_t i, const char *name)
{
	const struct store_job *job = c->tasks[i].view->job;
	const char *word = typed(job, name), *others = "";

	if ((word == NULL || *word == '@') &&
	    !text_same(
		fingerprint_of(job), fingerprint_of(c->tasks[0].view->job)))
		others = " (other points)";
	return word != NULL
	    ? xasprintf("%s%s", word, others)
	    : xasprintf("more than %d values%s", VALUES, others);
}

/*
 * Set each hyperparameter to its values, in the order of the tasks.  Many
 * values, and those that are chosen while the job runs, are shown as typed.
 */
static void
set_params(struct comparison *c, size_t i, const struct job_tasks *tasks)
{
	const struct strlist *names = &tasks->view->job->names;
	struct strlist *values = xcalloc(names->count + 1, sizeof *values);
	int chosen = job_points_are_chosen(tasks->view->job);
	const char *const *point;
	size_t k, n;

	for (n = 0; n < tasks->count; n++) {
		point = job_view_point(tasks->view, tasks->task[n]);
		for (k = 0; k < names->count; k++)
			if (point[k] != NULL && values[k].count <= VALUES &&
			    !strlist_have(&values[k], point[k]))
				strlist_push(&values[k], point[k]);
	}
	for (k = 0; k < names->count; k++) {
		set(c, "hyperparameter", names->word[k], i,
		    values[k].count > VALUES || chosen
			? many_text(c, i, names->word[k])
			: strlist_join(&values[k], ","));
		strlist_free(&values[k]);
	}
	free(values);
}

/* Return the hyperparameters of a task, "lr=0.1 units=64", to free. */
static char *
point_text(struct job_view *view, uint64_t task)
{
	const char *const *point = job_view_point(view, task);
	const struct strlist *names = &view->job->names;
	struct strlist words = {0};
	char *text;
	size_t i;

	for (i = 0; i < names->count; i++)
		if (point[i] != NULL)
			strlist_take(&words,
			    xasprintf("%s=%s", names->word[i], point[i]));
	text = joined(&words, " ");
	strlist_free(&words);
	return text;
}

static void
set_results(struct comparison *c, size_t i, const struct job_tasks *tasks)
{
	struct job_view *v = tasks->view;
	const struct metrics_summary *m;
	uint64_t in[STORE_STATES] = {0};
	struct show_cost cost;
	char text[NUM_TEXT];
	int64_t best = -1;
	double value = NAN;
	size_t k;

	for (k = 0; k < tasks->count; k++) {
		in[store_table_state(v->table, tasks->task[k])]++;
		m = &job_view_row(v, tasks->task[k])->metrics;
		if (m->has_best &&
		    (best == -1 || metrics_better(v->goal, m->best, value))) {
			best = (int64_t)tasks->task[k];
			value = m->best;
		}
	}
	set(c, result, "tasks", i, xasprintf("%zu", tasks->count));
	for (k = 0; k < STORE_STATES; k++)
		if (in[k] > 0)
			set(c, result, store_state_name((enum store_state)k), i,
			    number((int64_t)in[k]));
	set(c, result, "metric", i, xcopy(v->metric));
	if (best != -1) {
		set(c, result, "best", i,
		    xstrdup(c->people ? job_view_value(value, text)
				      : num_exact(value, text)));
		set(c, result, "best task", i,
		    xasprintf("%s/%" PRId64, v->job->name, best));
		set(c, result, "its point", i, point_text(v, (uint64_t)best));
	}
	show_cost(tasks, &cost);
	if (cost.gpu_hours > 0)
		set(c, result, "GPU hours", i,
		    xasprintf("%.2f", cost.gpu_hours));
	else
		set(c, result, "hours", i, xasprintf("%.2f", cost.hours));
}

/* ---- output ---- */

/* Return whether no job has a property. */
static int
is_empty(const struct comparison *c, const struct property *p)
{
	size_t i;

	for (i = 0; i < c->jobs; i++)
		if (p->value[i] != NULL)
			return 0;
	return 1;
}

/*
 * Return whether all jobs have the same value; results, and when the jobs were
 * submitted, are always shown.
 */
static int
is_same(const struct comparison *c, const struct property *p)
{
	size_t i;

	if (strcmp(p->kind, result) == 0 ||
	    (strcmp(p->kind, of_job) == 0 && strcmp(p->name, submitted) == 0))
		return 0;
	for (i = 1; i < c->jobs; i++)
		if (!text_same(p->value[0], p->value[i]))
			return 0;
	return 1;
}

/* Print the properties that are the same in all jobs. */
static void
put_same(FILE *out, const struct comparison *c, const struct show_style *look)
{
	struct flow f = {out, look->width, 2, 0};
	const struct property *p;
	size_t i;
	int any = 0;

	for (i = 0; i < c->count; i++) {
		p = &c->property[i];
		if (!is_same(c, p) || is_empty(c, p))
			continue;
		if (!any++)
			flow_word(&f, 0, "the same:");
		show_word(&f, 2, "%s=%s", p->name, p->value[0]);
	}
	if (any)
		flow_end(&f);
}

/* Print the files in which the copies of the first two jobs differ. */
static void
put_files(FILE *out, const struct comparison *c, const struct show_style *look)
{
	const struct store_job *a = c->tasks[0].view->job;
	const struct store_job *b = c->tasks[1].view->job;
	struct flow f = {out, look->width, 2, 0};
	struct strlist files = {0};
	char *left, *right;
	struct error e;
	size_t i;

	if (job_code_between(a, b, FILES + 1, &files, &e) == -1) {
		flow_text(&f, 0, e.text);
		flow_end(&f);
	} else if (files.count > 0) {
		left = store_code_path(a, "code");
		right = store_code_path(b, "code");
		flow_word(&f, 0,
		    a->code.number > 0 || b->code.number > 0
			? "the newest code differs in"
			: "the code differs in");
		for (i = 0; i < files.count && i < FILES; i++)
			flow_path(&f, 1, files.word[i]);
		if (files.count > FILES)
			flow_text(&f, 1, "and more");
		flow_end(&f);
		f = (struct flow){out, look->width, 2, 0};
		flow_word(&f, 0, "diff -r");
		flow_path(&f, 1, left);
		flow_path(&f, 1, right);
		flow_end(&f);
		free(left);
		free(right);
	}
	strlist_free(&files);
}

/* Say which jobs mix copies of the code. */
static void
put_mixed(FILE *out, const struct comparison *c, const struct show_style *look)
{
	struct flow f;
	char *mixed;
	size_t i;

	for (i = 0; i < c->jobs; i++) {
		mixed = show_mixed_code(&c->tasks[i]);
		if (mixed == NULL)
			continue;
		f = (struct flow){out, look->width, 2, 0};
		show_word(&f, 0, "%s:", c->tasks[i].view->job->name);
		flow_text(&f, 1, mixed);
		flow_end(&f);
		free(mixed);
	}
}

/* Add a row with the values of all jobs. */
static void
put_row(struct table *t, const struct comparison *c, const struct property *p)
{
	size_t i;

	table_row(t);
	table_show(t, 0, p->name);
	for (i = 0; i < c->jobs; i++)
		table_show(t, 1 + i, p->value[i] != NULL ? p->value[i] : "-");
}

/* Print a table for people: a column for each job. */
static void
put_table(FILE *out, const struct comparison *c, const struct show_style *look)
{
	struct table_look how = {look->format, look->width, look->colors, NULL};
	size_t columns = 1 + c->jobs, i;
	struct table_column *column = xcalloc(columns, sizeof *column);
	struct table *t;

	column[0].head = "";
	for (i = 0; i < c->jobs; i++)
		column[1 + i] = (struct table_column){
		    .head = c->tasks[i].view->job->name, .cut = 5, .least = 12};
	t = table_new(out, column, columns, &how);
	for (i = 0; i < c->count; i++)
		if (!is_empty(c, &c->property[i]) &&
		    (look->columns != NULL || !is_same(c, &c->property[i])))
			put_row(t, c, &c->property[i]);
	table_end(t);
	free(column);
}

/* Print a row for each property of each job, for programs. */
static void
put_rows(FILE *out, const struct comparison *c, const struct show_style *look)
{
	enum { KIND, NAME, JOB, VALUE, COLUMNS };
	static const struct table_column column[COLUMNS] = {
	    [KIND] = {.name = "kind"},
	    [NAME] = {.name = "name"},
	    [JOB] = {.name = "job"},
	    [VALUE] = {.name = "value"},
	};
	struct table_look how = {look->format};
	struct table *t = table_new(out, column, COLUMNS, &how);
	const struct property *p;
	size_t i, k;

	for (i = 0; i < c->count; i++) {
		p = &c->property[i];
		for (k = 0; k < c->jobs && !is_empty(c, p); k++) {
			table_row(t);
			table_text(t, KIND, p->kind);
			table_text(t, NAME, p->name);
			table_text(t, JOB, c->tasks[k].view->job->name);
			table_text(t, VALUE, p->value[k]);
		}
	}
	table_end(t);
}

static void
property_free(struct comparison *c, struct property *p)
{
	size_t k;

	for (k = 0; k < c->jobs; k++)
		free(p->value[k]);
	free(p->value);
	free(p->name);
}

/* Keep only the properties with these names, in this order. */
static int
choose(struct comparison *c, const struct strlist *names, struct error *e)
{
	struct property p;
	size_t i, k, kept = 0;

	for (i = 0; i < names->count; i++) {
		for (k = kept; k < c->count; k++)
			if (strcmp(c->property[k].name, names->word[i]) == 0)
				break;
		if (k == c->count)
			return error_set(e,
			    "%s: no such row in a comparison (stfm-status "
			    "--compare -o tsv lists their names)",
			    names->word[i]);
		p = c->property[k];
		memmove(c->property + kept + 1, c->property + kept,
		    (k - kept) * sizeof p);
		c->property[kept++] = p;
	}
	for (k = kept; k < c->count; k++)
		property_free(c, &c->property[k]);
	c->count = kept;
	return 0;
}

int
job_show_comparison(FILE *out, const struct job_tasks *tasks, size_t count,
    const struct show_style *look, struct error *e)
{
	int people = look->format == TABLE_TEXT || table_is_paper(look->format);
	struct comparison c = {tasks, count, people, NULL, 0};
	size_t i;
	int rc = 0;

	for (i = 0; i < count; i++)
		set_submission(&c, i, tasks[i].view->job);
	for (i = 0; i < count; i++)
		set_slurm(&c, i, tasks[i].view->job);
	for (i = 0; i < count; i++)
		set_code(&c, i, &tasks[i]);
	for (i = 0; i < count; i++)
		set_params(&c, i, &tasks[i]);
	for (i = 0; i < count; i++)
		set_results(&c, i, &tasks[i]);
	if (look->columns != NULL)
		rc = choose(&c, look->columns, e);
	if (rc == 0 && people)
		put_table(out, &c, look);
	else if (rc == 0)
		put_rows(out, &c, look);
	if (look->format == TABLE_TEXT && look->columns == NULL) {
		put_same(out, &c, look);
		put_mixed(out, &c, look);
		put_files(out, &c, look);
	}
	for (i = 0; i < c.count; i++)
		property_free(&c, &c.property[i]);
	free(c.property);
	return rc;
}
