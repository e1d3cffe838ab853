#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/resource.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "control/ask.h"
#include "job/argv.h"
#include "job/points.h"
#include "metrics/metrics.h"
#include "search/sampler.h"
#include "space/grid.h"
#include "state/search.h"
#include "state/summary.h"
#include "store/facts.h"
#include "store/table.h"
#include "submit/messages.h"
#include "submit/plan.h"
#include "submit/search-options.h"
#include "sys/proc.h"
#include "view/select.h"

const char submit_search_usual_pruner[] = "asha";

/* Of a population, this part continues from this part of the others. */
enum { PARTS = 4 };

int
submit_search_pruner(struct store_job *job, const char *value, struct error *e)
{
	struct search_pruner p = {.higher = 0};

	if (search_pruner_parse(value, &p, e) == -1) {
		error_prefix(e, "--pruner");
		return error_names(e, "--pruner");
	}
	if (p.kind == SEARCH_PBT) {
		error_set(e, "--pruner: for a population, write --pbt EPOCHS");
		return error_names(e, "--pruner");
	}
	if (p.kind == SEARCH_MEDIAN && strstr(value, "eta=") != NULL) {
		error_set(e,
		    "--pruner: median has no eta, the better half continues: "
		    "write median,first=EPOCH");
		return error_names(e, "--pruner");
	}
	free(job->search.pruner);
	job->search.pruner = search_pruner_text(&p);
	return 0;
}

void
submit_search_population(struct store_job *job, int64_t every)
{
	const struct search_pruner p = {
	    .kind = SEARCH_PBT, .eta = PARTS, .first = every};

	free(job->search.pruner);
	job->search.pruner = search_pruner_text(&p);
}

int
submit_search_sampler(struct store_job *job, const char *value, struct error *e)
{
	enum search_sampler sampler;
	char *path;

	if (value[strspn(value, " \t")] == '\0') {
		error_set(e,
		    "--sampler: empty: write random, quasi, tpe or a command");
		return error_names(e, "--sampler");
	}
	/* Another word is a command, which only the node may have. */
	path = getenv("PATH");
	path = proc_find(value, path != NULL ? path : "/usr/bin:/bin");
	if (search_sampler_find(value, &sampler, e) == -1 && path == NULL &&
	    search_sampler_is_near(value)) {
		error_prefix(e, "--sampler");
		return error_names(e, "--sampler");
	}
	free(path);
	free(job->search.sampler);
	job->search.sampler = xstrdup(value);
	return 0;
}

void
submit_search_begin(struct store_job *job, int searches)
{
	struct search_pruner p = {.kind = SEARCH_NONE};

	if (job->search.pruner != NULL)
		search_pruner_parse(job->search.pruner, &p, NULL);
	if (searches && p.kind == SEARCH_NONE && job->search.sampler == NULL)
		job->search.sampler = xstrdup("tpe");
	if (job->search.sampler == NULL && job->search.guess != NULL)
		job->search.sampler = xstrdup("random");
	/* Random points need no results: they are known at submission. */
	if (job->search.sampler != NULL && job->search.guess == NULL &&
	    p.kind != SEARCH_PBT &&
	    strcmp(job->search.sampler, "random") == 0) {
		free(job->search.sampler);
		job->search.sampler = NULL;
	}
}

/* Return the word of a space that a sampler cannot take, or NULL. */
static const char *
unfit_word(const struct store_job *job)
{
	static const char *const options[] = {"--zip=", "--spec=", "--from="};
	const char *word;
	size_t i, k;

	for (i = 0; i < job->space.count; i++) {
		word = job->space.word[i];
		if (resource_is(word) || strstr(word, "=@") != NULL)
			return word;
		for (k = 0; k < sizeof options / sizeof *options; k++)
			if (text_begins(word, options[k]))
				return word;
	}
	return NULL;
}

/* Check the words from which points are chosen. */
static int
check_words(const struct store_job *job, struct error *e)
{
	const char *word = unfit_word(job);

	if (job->space.count == 0)
		return error_set(e,
		    "there are no hyperparameters to choose: write some, as in "
		    "lr=loguniform:1e-4:1e-1");
	if (word == NULL)
		return 0;
	if (resource_is(word))
		return error_set(e,
		    "%s: the tasks of a search ask Slurm for the same: write "
		    "--%.*s",
		    word, (int)strcspn(word + 1, ","), word + 1);
	return error_set(e,
	    "%s: a search chooses from words such as lr=0.1,0.2 or "
	    "lr=loguniform:1e-4:1e-1: leave this out",
	    word);
}

/* Add the option that is to blame to a reason.  Returns -1. */
static int
blame(const char *option, struct error *e)
{
	error_prefix(e, option);
	return error_names(e, option);
}

/* Check that a guess is in the space of the search. */
static int
check_guess(struct search *search, const char *guess, struct error *e)
{
	const char *except;

	if (search_guess(search, guess, 3, e) == -1)
		return blame("--guess", e);
	except = search_guess_excepted(search);
	if (except == NULL)
		return 0;
	error_set(e, "%s: %s leaves out every such point: guess another one",
	    guess, except);
	return blame("--guess", e);
}

int
submit_search_check(
    const struct store_job *job, const struct space *space, struct error *e)
{
	enum search_sampler sampler = SEARCH_RANDOM;
	struct search *search = NULL;
	int rc = 0;

	if (!job_points_are_chosen(job))
		return 0;
	search_sampler_find(job->search.sampler, &sampler, NULL);
	if (check_words(job, e) == 0)
		search = search_new(space, sampler, 0, 0, e);
	if (search == NULL)
		return blame("--sampler", e);
	if (job->search.guess != NULL)
		rc = check_guess(search, job->search.guess, e);
	search_free(search);
	return rc;
}

/* Write a point as JSON; frees its texts. */
static void
write_point(FILE *out, const struct space *space, char **text)
{
	size_t i;

	for (i = 0; i < space_width(space); i++) {
		putc(i > 0 ? ',' : '{', out);
		text_json(out, space_name(space, i));
		putc(':', out);
		if (text[i] != NULL)
			text_json(out, text[i]);
		else
			fputs("null", out);
		free(text[i]);
	}
	fputs("}\n", out);
}

enum { MANY = 1 << 20 }; /* combinations that are counted one by one */

/*
 * Return how many points a finished space of lists has, or 0 if there are too
 * many combinations to look at.
 */
static uint64_t
count_points(const struct space *space)
{
	uint64_t size = space_size(space), count = 0, i;
	struct space_point *point;

	if (!space_is_filtered(space))
		return size;
	if (size > MANY)
		return 0;
	point = space_point_new(space);
	for (i = 0; i < size; i++)
		count += space_at(space, i, point) != 0;
	space_point_free(point);
	return count;
}

static int
too_many(uint64_t count, uint64_t size, struct error *e)
{
	error_set(e,
	    "%" PRIu64 ": the space has only %" PRIu64 " point%s: write "
	    "--search %" PRIu64,
	    count, size, size == 1 ? "" : "s", size);
	return blame("--search", e);
}

/* Draw random points, a line of JSON each; to free, or NULL. */
static char *
draw(const struct space *space, uint64_t seed, uint64_t count, size_t *length,
    struct error *e)
{
	struct search *search = search_new(space, SEARCH_RANDOM, seed, 0, e);
	char **one = xcalloc(space_width(space) + 1, sizeof *one), *text;
	uint64_t i;
	FILE *out;
	int rc = 0;

	if (search == NULL) {
		free(one);
		return NULL;
	}
	out = xmemopen(&text, length);
	for (i = 0; i < count && rc == 0; i++) {
		rc = search_ask(search, i, one);
		if (rc != -1)
			write_point(out, space, one);
	}
	xmemclose(out);
	search_free(search);
	free(one);
	if (rc == 0)
		return text;
	if (rc == 1)
		too_many(count, i - 1, e);
	else
		error_set(e, "no points: the conditions leave every one out");
	free(text);
	return NULL;
}

int
submit_search_points(
    struct job_plan *plan, struct space *space, uint64_t count, struct error *e)
{
	struct store_job *job = plan->job;
	struct space *points;
	char *text = NULL;
	uint64_t size = 0;
	size_t length;
	int drawn, rc;

	drawn = space_is_drawn(space);
	if (drawn)
		space_samples(space, 1);
	if (check_words(job, e) == -1)
		return blame("--search", e);
	if (space_finish(space, e) == -1)
		return -1;
	if (!drawn)
		size = count_points(space);
	if (size > 0 && count > size)
		return too_many(count, size, e);
	if (count > plan->most) /* as job_plan_points refuses it */
		count = plan->most + 1;
	if (submit_search_check(job, space, e) == 0)
		text = draw(space, store_job_seed(job), count, &length, e);
	if (text == NULL)
		return -1;
	points = space_new();
	rc = job_plan_points(plan, points, "--search", text, length, e);
	space_free(points);
	free(text);
	return rc;
}

char *
submit_search_first(const struct store_job *job)
{
	struct store_fact_body body = store_fact_body();
	enum search_sampler sampler;
	struct job_asker *asker = NULL;
	char *line;

	if (job_points_are_chosen(job) &&
	    search_sampler_find(job->search.sampler, &sampler, NULL) == 0)
		asker = job_asker_fresh(job, NULL);
	if (asker != NULL)
		job_asker_ask(asker, 0, &body, NULL);
	job_asker_free(asker);
	line = xcopy(body.point);
	store_fact_body_free(&body);
	return line;
}

/* Return the largest number that a hyperparameter has in any point, or 0. */
static double
largest(const struct job_plan *plan, size_t name)
{
	size_t count = plan->job->names.count;
	const char **value = xcalloc(count + 1, sizeof *value);
	char *text = xstrdup(plan->points != NULL ? plan->points : "");
	char *rest = text, *line;
	double n, most = 0;

	strsep(&rest, "\n"); /* the names */
	while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
		memset(value, 0, count * sizeof *value);
		job_points_cut(line, value, count);
		if (value[name] != NULL && num_parse(value[name], &n))
			most = fmax(most, n); /* which leaves out nan */
	}
	free(text);
	free(value);
	return most;
}

/*
 * Set the number of epochs of the longest training, if it is known.  Refuse a
 * number that a search cannot count.
 */
static int
find_epochs(
    const struct job_plan *plan, struct store_search *search, struct error *e)
{
	const struct job_summing known = job_summing(plan->job, NULL, NULL);
	double most;

	if (known.name < 0)
		return 0;
	most = largest(plan, (size_t)known.name);
	if (most > INT32_MAX)
		return error_set(e, "%s: too large (at most %d)",
		    plan->job->names.word[known.name], INT32_MAX);
	search->epochs = (int64_t)most;
	return 0;
}

/* Return an option of the command line that makes the job a search. */
static const char *
given_option(const struct job_plan *plan)
{
	const struct store_search *s = &plan->job->search;
	struct job_search known;

	job_search_of(plan->job, &known);
	if (known.pruner.kind == SEARCH_PBT)
		return "--pbt";
	/* --search implies a pruner and a sampler, --guess a sampler. */
	return plan->searches    ? "--search"
	    : s->pruner != NULL  ? "--pruner"
	    : s->guess != NULL   ? "--guess"
	    : s->sampler != NULL ? "--sampler"
	    : s->until != NULL   ? "--until"
				 : "--gpu-hours";
}

/* Refuse a population that would be compared at other epochs than asked. */
static int
check_count(const struct job_search *s, struct error *e)
{
	int64_t count;

	if (s->pruner.kind != SEARCH_PBT)
		return 0;
	count = (s->epochs - 1) / s->pruner.first;
	if (count <= SEARCH_PBT_RUNGS)
		return 0;
	error_set(e,
	    "--pbt: %" PRId64 " rungs; at most %d: write --pbt %" PRId64, count,
	    SEARCH_PBT_RUNGS, (s->epochs - 2) / SEARCH_PBT_RUNGS + 1);
	return error_names(e, "--pbt");
}

/* Refuse a first rung that no training passes, and too many rungs. */
static int
check_rungs(const struct job_plan *plan, struct error *e)
{
	const char *option = given_option(plan), *hint = "train more epochs";
	struct job_search s;

	job_search_of(plan->job, &s);
	if (s.epochs == 0 || search_rung(&s.pruner, s.epochs, 0, 0) > 0)
		return check_count(&s, e);
	if (s.pruner.kind != SEARCH_PBT && s.pruner.first > 1)
		option = "--pruner";
	if (s.pruner.first > 1)
		hint = "choose an earlier one";
	else if (s.pruner.kind != SEARCH_PBT)
		hint = "say --pruner none, or train more epochs";
	error_set(e,
	    "%s: trainings have %" PRId64 " epoch%s, and the first rung is at "
	    "epoch %" PRId64 ": %s",
	    option, s.epochs, s.epochs == 1 ? "" : "s", s.pruner.first, hint);
	return error_names(e, option);
}

/* Refuse a search without values to compare. */
static int
check_metric(const struct job_plan *plan, struct error *e)
{
	const struct store_job *job = plan->job;
	const char *option = given_option(plan);

	if (job->metric == NULL)
		return error_set(e,
		    "%s: say which metric decides, as in --metric val_loss",
		    option);
	if (job->metrics != NULL && job_argv_metrics_path(job) == NULL &&
	    job->metrics_regex.count == 0)
		return error_set(e,
		    "%s: with --metrics none there is nothing to compare: "
		    "leave one out",
		    option);
	if (metrics_goal_check(job->metric, job->goal,
		"say --goal min or --goal max", e) == -1)
		return error_prefix(e, option);
	return 0;
}

/* Refuse an end that tasks without GPUs never reach. */
static int
check_gpu_hours(struct job_plan *plan, struct error *e)
{
	const char *hours = plan->job->search.gpu_hours;

	if (hours == NULL || job_plan_has_gpus(plan))
		return 0;
	error_set(e,
	    "--gpu-hours %s: the tasks have no GPU, so they never use so many: "
	    "end the search by --until VALUE or a smaller --search N",
	    hours);
	return error_names(e, "--gpu-hours");
}

int
submit_search_complete(struct job_plan *plan, struct error *e)
{
	struct store_job *job = plan->job;
	struct job_search s;
	int prunes = job_search_of(job, &s);

	if (!prunes) { /* none */
		free(job->search.pruner);
		job->search.pruner = NULL;
	}
	if (!store_search_is_given(&job->search))
		return 0;
	if (check_metric(plan, e) == -1 || check_gpu_hours(plan, e) == -1)
		return -1;
	job->search.version = STORE_SEARCH_RULES;
	if (!prunes)
		return 0;
	if (find_epochs(plan, &job->search, e) == -1 ||
	    check_rungs(plan, e) == -1)
		return -1;
	job_search_of(job, &s);
	if (s.pruner.kind == SEARCH_PBT && s.epochs == 0) {
		error_set(e,
		    "--pbt: say how many epochs a training has, as in --epochs "
		    "50");
		return error_names(e, "--pbt");
	}
	free(job->search.pruner);
	job->search.pruner = search_pruner_text(&s.pruner);
	return 0;
}

char *
submit_search_doubt(const struct store_job *job)
{
	const char *until = job->search.until, *metric = job->metric;
	struct job_search s;
	double value;
	int is_accuracy;

	if (until == NULL || metric == NULL || !num_parse(until, &value))
		return NULL;
	job_search_of(job, &s);
	is_accuracy = s.pruner.higher && strstr(metric, "acc") != NULL;
	if (is_accuracy && value > 100)
		return xasprintf("--until %s: no %s reaches this: write a "
				 "value up to 1, or up to 100 if it is in "
				 "percent",
		    until, metric);
	if (is_accuracy ? value > 0
			: s.pruner.higher || value < 10 ||
		    strstr(metric, "loss") == NULL)
		return NULL;
	return xasprintf("--until %s: the first %s in a log may reach this and "
			 "end the search: write the value of a good training",
	    until, metric);
}

char *
submit_search_random(const struct store_job *job)
{
	enum search_sampler sampler;
	char *which, *text;

	if (!job_points_are_chosen(job) || job->search.guess != NULL ||
	    search_sampler_find(job->search.sampler, &sampler, NULL) == -1 ||
	    sampler != SEARCH_TPE || job->tasks < 2)
		return NULL;
	if (job->tasks * 3 > SEARCH_TPE_LEAST * 4)
		return job->parallel > 0
		    ? NULL
		    : xasprintf("tpe learns from results, so all tasks that "
				"Slurm starts at once have random points: add "
				"--parallel N");
	which = job->tasks > SEARCH_TPE_LEAST
	    ? xasprintf("at least %d of the", SEARCH_TPE_LEAST)
	    : xstrdup("all");
	text = xasprintf("tpe learns from %d results on, so %s %" PRIu64
			 " points are random: train more points, or write "
			 "--sampler random",
	    SEARCH_TPE_LEAST, which, job->tasks);
	free(which);
	return text;
}

/*
 * Return a warning, to free, if some bracket with rungs has too few tasks to
 * compare, whichever tasks it has; or NULL.
 */
static char *
few_in_bracket(const struct store_job *job, const struct job_search *s)
{
	size_t count = search_brackets(&s->pruner, s->epochs), stops = 0, i;
	size_t least = search_least(&s->pruner);

	for (i = 0; i < count; i++)
		stops += search_rung(&s->pruner, s->epochs, i, 0) > 0;
	if (stops < 2 || job->tasks >= stops * least)
		return NULL;
	return xasprintf("hyperband divides the %" PRIu64 " tasks into %zu "
			 "brackets, at least one with fewer than %zu tasks, "
			 "which stops none: train more points, or write "
			 "--pruner asha",
	    job->tasks, count, least);
}

char *
submit_search_few(const struct store_job *job)
{
	struct job_search s;
	size_t least;
	int is_population;

	if (!job_search_of(job, &s))
		return NULL;
	least = search_least(&s.pruner);
	is_population = s.pruner.kind == SEARCH_PBT;
	if (job->tasks < least)
		return xasprintf("%s compares at least %zu tasks, and this job "
				 "has %" PRIu64 ": %s",
		    is_population ? "--pbt" : "the pruner", least, job->tasks,
		    is_population ? "no task will continue from another one"
				  : "it will stop none");
	if (s.epochs == 0)
		return xstrdup("the number of epochs is unknown: the pruner "
			       "stops no task until one has finished; add "
			       "--epochs N");
	if (is_population && job->parallel > 0 &&
	    (uint64_t)job->parallel < job->tasks)
		return xasprintf("--parallel %" PRId64 ": the tasks of a "
				 "population should run at once: leave it out",
		    job->parallel);
	return few_in_bracket(job, &s);
}

/* ---- results of another job ---- */

/* What became of the results of another job. */
struct taken {
	uint64_t some, all; /* in the space; all */
	struct error why;   /* why the first one is not */
	/* The hyperparameter that has the epochs, if it has one value; -1 */
	int name;
	char *epochs;  /* that value */
	int64_t other; /* another one in the results, or 0 */
	/* A hyperparameter that differs in the results, and is not ours. */
	const char *lost;
	struct strlist first; /* the values of the first result */
};

/* Find the number of epochs of all trainings of a space. */
static void
find_same_epochs(
    const struct store_job *job, const struct space *space, struct taken *t)
{
	const struct grid *g = space_grid(space);
	const struct values *v;
	char room[NUM_TEXT];
	size_t i;

	t->name = job_summing(job, NULL, NULL).name;
	for (i = 0; t->name >= 0 && i < g->count; i++) {
		v = g->values[i];
		if (strcmp(v->name, job->names.word[t->name]) == 0 &&
		    !v->is_drawn && values_count(v) == 1)
			t->epochs = xcopy(values_get(v, 0, room).text);
	}
	if (t->epochs == NULL)
		t->name = -1;
}

/*
 * Return the point of a task for the names of a job, a line; to free.  The
 * value counts for the epochs of this job, however many they were.
 */
static char *
line_for(const struct strlist *names, const struct strlist *other,
    const char *const *value, struct taken *t)
{
	const char **own = xcalloc(names->count + 1, sizeof *own);
	size_t length, i, k;
	char *line;
	FILE *out = xmemopen(&line, &length);

	for (i = 0; i < names->count; i++)
		for (k = 0; k < other->count; k++)
			if (strcmp(names->word[i], other->word[k]) == 0)
				own[i] = value[k];
	if (t->name >= 0) {
		if (own[t->name] != NULL && t->other == 0 &&
		    strcmp(own[t->name], t->epochs) != 0)
			num_int("epochs", own[t->name], 1, INT32_MAX, &t->other,
			    NULL);
		own[t->name] = t->epochs;
	}
	job_points_row(out, own, names->count);
	xmemclose(out);
	line[length - 1] = '\0';
	free(own);
	return line;
}

/* Add a result if its point is in the space. */
static void
add_result(struct store_job *job, struct search *search,
    struct job_points *points, char *line, double value, int64_t reached,
    struct taken *t)
{
	const char *const *own = job_points_line(points, line, "point", NULL);
	char **copy = xcalloc(job->names.count + 1, sizeof *copy);
	char number[NUM_TEXT];
	size_t i;

	t->all++;
	num_exact(value, number);
	if (own != NULL && search_tell(search, own, reached, value, 0) == 0) {
		t->some++;
		strlist_take(&job->search.results,
		    reached == INT64_MAX ? xasprintf("%s\t%s", number, line)
					 : xasprintf("%s@%" PRId64 "\t%s",
					       number, reached, line));
	} else if (own != NULL && *t->why.text == '\0') {
		search_take(search, own, copy, &t->why);
		for (i = 0; i < job->names.count; i++)
			free(copy[i]);
	}
	free(copy);
	free(line);
}

/* Note whether the results differ in what is no hyperparameter of this job. */
static void
note_lost(const struct strlist *names, const struct strlist *other,
    const char *const *value, struct taken *t)
{
	int is_first = t->first.count == 0;
	const char *text;
	size_t i;

	for (i = 0; i < other->count; i++) {
		text = value[i] != NULL ? value[i] : "";
		if (is_first)
			strlist_push(&t->first, text);
		else if (strcmp(t->first.word[i], text) != 0 &&
		    !strlist_have(names, other->word[i]))
			t->lost = other->word[i];
	}
}

static int
take_results(struct store_job *job, const struct store_job *other,
    struct taken *t, struct error *e)
{
	struct space *space = job_points_space(job, e);
	struct job_asker *asker = NULL;
	struct job_points *points = NULL;
	struct search *search = NULL;
	const char *const *value;
	int64_t reached;
	double number;
	uint64_t task;

	if (space != NULL) {
		find_same_epochs(job, space, t);
		search = search_new(space, SEARCH_RANDOM, 0, 0, e);
	}
	if (search != NULL)
		points = job_points_open_few(job, e);
	if (points != NULL)
		asker = job_asker_new(other, e);
	for (task = 0; asker != NULL && task < other->tasks; task++) {
		value = job_asker_result(asker, task, &number, &reached);
		if (value == NULL)
			continue;
		note_lost(&job->names, &other->names, value, t);
		add_result(job, search, points,
		    line_for(&job->names, &other->names, value, t), number,
		    reached, t);
	}
	job_asker_free(asker);
	job_points_free(points);
	search_free(search);
	if (space != NULL)
		space_free(space);
	return asker != NULL ? 0 : -1;
}

/*
 * Check that the results of another job are values of the same metric, and that
 * the same values are better.
 */
static int
same_metric(
    const struct store_job *job, const struct store_job *other, struct error *e)
{
	static const struct store_summary none = {.known = 0};
	static const char *const goals[] = {"min", "max"};
	struct store_table *table = store_table_load(other, e);
	const char *name = store_job_name(other), *metric;
	enum metrics_goal theirs, ours = job_summary_goal(job, &none);
	int rc = 0;

	if (table == NULL)
		return -1;
	metric = job_summary_metric(other, &table->summary);
	theirs = job_summary_goal(other, &table->summary);
	if (job->metric != NULL && metric != NULL &&
	    strcmp(job->metric, metric) != 0)
		rc = error_set(e,
		    "%s: its results are values of %s, and this search is "
		    "about %s: give --metric %s, or leave this out",
		    name, metric, job->metric, metric);
	else if (metric != NULL && theirs != ours)
		rc = error_set(e,
		    "%s: its best %s is the %s, and this search looks for the "
		    "%s: give --goal %s, or leave this out",
		    name, metric, goals[theirs], goals[ours], goals[theirs]);
	store_table_free(table);
	return rc;
}

/* Check that the values of another job belong to its points. */
static int
check_points(const struct store_job *other, struct error *e)
{
	struct job_search theirs;

	job_search_of(other, &theirs);
	if (theirs.pruner.kind != SEARCH_PBT)
		return 0;
	return error_set(e,
	    "%s: its tasks changed their points (--pbt), so a value may belong "
	    "to another point: name another job",
	    store_job_name(other));
}

/* Check that the sampler of a job learns from results. */
static int
check_learns(const struct store_job *job, const char *name, struct error *e)
{
	if (!job_points_are_chosen(job))
		return error_set(e,
		    "%s: nothing would learn from its results: add --sampler "
		    "tpe",
		    name);
	if (search_sampler_learns(job->search.sampler) ||
	    job->search.guess != NULL)
		return 0;
	return error_set(e,
	    "%s learns from results only with --guess: add --guess POINT, or "
	    "write --sampler tpe",
	    job->search.sampler);
}

/* Say what the results of another job are worth.  Returns 0 or -1. */
static int
judge_results(const struct store_job *job, const struct store_job *other,
    const struct taken *t, const struct submit_message *message,
    struct error *e)
{
	const char *name = store_job_name(other);
	struct job_search ours, theirs;

	if (t->all == 0)
		return error_set(e,
		    "%s: none of its tasks has a value yet: wait for "
		    "it with stfm-watch %s, or leave this out",
		    name, name);
	if (t->some == 0)
		return error_set(e,
		    "%s: none of its %" PRIu64 " results is in the space (%s): "
		    "give a space that has them",
		    name, t->all, t->why.text);
	if (t->some < t->all)
		message->warn("--from-results %s: %" PRIu64 " of %" PRIu64
			      " results are in the space; the others do not "
			      "count (%s)",
		    name, t->some, t->all, t->why.text);
	if (t->lost != NULL)
		message->warn("--from-results %s: its results differ in %s, "
			      "which this job does not have: the sampler does "
			      "not see that",
		    name, t->lost);
	job_search_of(job, &ours);
	job_search_of(other, &theirs);
	if (t->other != 0) {
		theirs.epochs = t->other;
		num_int("epochs", t->epochs, 1, INT32_MAX, &ours.epochs, NULL);
	}
	if (ours.epochs > 0 && theirs.epochs > 0 &&
	    ours.epochs != theirs.epochs)
		message->warn("--from-results %s: its trainings have %" PRId64
			      " epochs, and those of this job %" PRId64
			      ": the sampler compares their values all the "
			      "same",
		    name, theirs.epochs, ours.epochs);
	return 0;
}

int
submit_search_results(struct job_plan *plan, const struct store *store,
    const char *name, const struct submit_message *message, struct error *e)
{
	struct store_job *job = plan->job;
	char *words[] = {(char *)(uintptr_t)name, NULL};
	struct selection s = {0};
	struct taken taken = {.why = {""}, .name = -1};
	int rc;

	if (check_learns(job, name, e) == -1)
		return blame("--from-results", e);
	if (store == NULL) {
		error_set(e, "%s: no such job", name);
		return blame("--from-results", e);
	}
	rc = job_select(store, words, 1, &s, e);
	if (rc == 0 && s.count != 1)
		rc = error_set(e, "%s: name one job", name);
	if (rc == 0 && !s.item[0].whole)
		rc = error_set(e, "%s: name one job, without tasks", name);
	if (rc == 0)
		rc = same_metric(job, s.item[0].job, e);
	if (rc == 0)
		rc = check_points(s.item[0].job, e);
	if (rc == 0)
		rc = take_results(job, s.item[0].job, &taken, e);
	if (rc == 0)
		rc = judge_results(job, s.item[0].job, &taken, message, e);
	selection_free(&s);
	free(taken.epochs);
	strlist_free(&taken.first);
	return rc == 0 ? 0 : blame("--from-results", e);
}
