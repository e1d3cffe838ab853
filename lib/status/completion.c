#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/points.h"
#include "runner/supervise.h"
#include "slurm/partitions.h"
#include "slurm/sbatch.h"
#include "status/completion.h"
#include "status/metric-names.h"
#include "status/partition-names.h"
#include "store/job.h"
#include "store/notified.h"
#include "view/columns.h"
#include "view/filter.h"
#include "view/select.h"

enum {
	NEWEST = 4,     /* newest jobs whose names are offered by default */
	NAMED = 8,      /* maximum jobs on the line whose names are offered */
	AGES = 256,     /* maximum jobs in the store to resolve @1 */
	ABOUT = 50,     /* maximum jobs to describe */
	LOOKED = 500,   /* maximum directories to sort by age */
	NUMBERS = 100,  /* maximum numbers to offer, and tasks to read */
	PATIENCE = 2000 /* time limit for Slurm in milliseconds */
};

/* A request for candidates. */
struct asked {
	FILE *out;
	char *head;       /* start of the word, which candidates repeat */
	const char *word; /* rest of the word, to be completed */
	const struct strlist *line;
	struct store *store;   /* the store, or NULL if there is none */
	struct selection jobs; /* jobs whose names are offered */
	struct strlist given;
};

/* ---- candidates ---- */

static void
answer(struct asked *a, const char *candidate, const char *about)
{
	const char *c;

	if (!text_begins(candidate, a->word) || !text_is_utf8(candidate))
		return;
	for (c = candidate; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			return; /* the user cannot type it */
	fprintf(a->out, "%s%s\t", a->head, candidate);
	if (about != NULL)
		text_plain(a->out, about);
	putc('\n', a->out);
}

/* Print a candidate once, even if several sources offer it. */
static void
offer(struct asked *a, const char *candidate, const char *about)
{
	if (strlist_have(&a->given, candidate) ||
	    text_lists(a->head, candidate))
		return;
	strlist_push(&a->given, candidate);
	answer(a, candidate, about);
}

static void
offer_all(struct asked *a, const struct strlist *words, const char *about)
{
	size_t i;

	for (i = 0; i < words->count; i++)
		offer(a, words->word[i], about);
}

/* Move length bytes of the word to its head. */
static void
pass_over(struct asked *a, size_t length)
{
	char *head = xasprintf("%s%.*s", a->head, (int)length, a->word);

	free(a->head);
	a->head = head;
	a->word += length;
}

/* Complete only the part after the last of these characters. */
static void
split(struct asked *a, const char *at)
{
	const char *c, *behind = a->word;

	for (c = a->word; *c != '\0'; c++)
		if (strchr(at, *c) != NULL)
			behind = c + 1;
	pass_over(a, (size_t)(behind - a->word));
}

/* ---- the command line ---- */

/* Return the store that the line names, or NULL. */
static const char *
store_option(const struct strlist *line)
{
	const char *command = line->count > 0 ? line->word[0] : "", *word;
	size_t i, length = strlen(command);
	int letter = length < 6 || strcmp(command + length - 6, "submit") != 0;
	const char *found = NULL;

	for (i = 1; i < line->count; i++) {
		word = line->word[i];
		if (strncmp(word, "--store=", 8) == 0)
			found = word + 8;
		else if (letter && strncmp(word, "-d", 2) == 0 && word[2])
			found = word + 2;
		else if (i + 1 < line->count &&
		    (strcmp(word, "--store") == 0 ||
			(letter && strcmp(word, "-d") == 0)))
			found = line->word[++i];
	}
	return found != NULL && *found != '\0' ? found : NULL;
}

static void
take_job(struct asked *a, struct store_job *job)
{
	struct selection *s = &a->jobs;

	if (job == NULL)
		return;
	s->item = xgrow(s->item, s->count, sizeof *s->item);
	s->item[s->count++] = (struct selected){.job = job};
}

/*
 * Add the job that "@2" names, unless there are too many jobs to find it
 * quickly.
 */
static void
take_age(struct asked *a, char *word)
{
	struct fs_names names;
	struct selection one;

	if (store_jobs(a->store, &names, NULL) == -1)
		return;
	if (names.count <= AGES &&
	    job_select(a->store, &word, 1, &one, NULL) == 0) {
		take_job(a, one.item[0].job);
		one.item[0].job = NULL;
		selection_free(&one);
	}
	fs_names_free(&names);
}

static void
take_named(struct asked *a)
{
	char *name;
	size_t i;

	for (i = 1; i < a->line->count && a->jobs.count < NAMED; i++) {
		name =
		    xstrndup(a->line->word[i], strcspn(a->line->word[i], "/"));
		if (*name == '@')
			take_age(a, name);
		else if (store_check_name(name, NULL) == 0)
			take_job(a, store_job_load(a->store, name, NULL));
		free(name);
	}
}

/* ---- the newest jobs ---- */

struct aged {
	const char *name;
	int64_t made;
};

static int
newer(const void *a, const void *b)
{
	const struct aged *s = a, *t = b;

	if (s->made != t->made)
		return s->made > t->made ? -1 : 1;
	return strcmp(s->name, t->name);
}

/*
 * Add the newest jobs, by the times of their directories: loading every record
 * would take too long.
 */
static void
take_newest(struct asked *a)
{
	int dir = fs_open_subdir(a->store->dir, "jobs", 0, NULL);
	struct fs_names names = {0};
	struct aged *aged;
	size_t i, count;

	if (dir == -1 || fs_list(dir, &names, NULL) == -1) {
		fs_close(dir);
		return;
	}
	count = names.count < LOOKED ? names.count : LOOKED;
	aged = xcalloc(count + 1, sizeof *aged);
	for (i = 0; i < count; i++) {
		aged[i].name = names.name[i];
		fs_changed(dir, names.name[i], &aged[i].made, NULL);
	}
	qsort(aged, count, sizeof *aged, newer);
	for (i = 0; i < count && i < NEWEST; i++)
		take_job(a, store_job_load(a->store, aged[i].name, NULL));
	free(aged);
	fs_names_free(&names);
	fs_close(dir);
}

static void
take_jobs(struct asked *a)
{
	if (a->store == NULL)
		return;
	take_named(a);
	if (a->jobs.count == 0)
		take_newest(a);
}

/* ---- jobs ---- */

/* Return "8 tasks: 5 FINISHED, 3 ERROR", to free. */
static char *
about_job(const struct store_job *job)
{
	static const struct idset none = {0};
	struct store_table *table = store_table_load_part(job, &none, NULL);
	const char *mark = ": ";
	size_t length;
	char *text;
	FILE *f = xmemopen(&text, &length);
	int i;

	fprintf(f, "%" PRIu64 " task%s", job->tasks, job->tasks > 1 ? "s" : "");
	for (i = 0; table != NULL && i < STORE_STATES; i++)
		if (table->in_state[i] > 0) {
			fprintf(f, "%s%" PRIu64 " %s", mark, table->in_state[i],
			    store_state_name((enum store_state)i));
			mark = ", ";
		}
	xmemclose(f);
	store_table_free(table);
	return text;
}

/* Offer the tags of the first jobs in the store. */
static void
offer_tags(struct asked *a)
{
	struct fs_names names;
	struct store_job *job;
	size_t i;

	if (a->store == NULL || store_jobs(a->store, &names, NULL) == -1)
		return;
	for (i = 0; i < names.count && i < LOOKED; i++) {
		job = store_job_load(a->store, names.name[i], NULL);
		if (job != NULL)
			offer_all(a, &job->tags, NULL);
		store_job_free(job);
	}
	fs_names_free(&names);
}

static void
complete_tags(struct asked *a)
{
	split(a, ",");
	offer_tags(a);
}

static void
complete_jobs(struct asked *a)
{
	size_t i, found = 0;
	struct fs_names names;
	struct store_job *job;
	char *about;

	if (job_select_is_tag(a->word)) {
		split(a, ":");
		offer_tags(a);
		return;
	}
	if (a->store == NULL || store_jobs(a->store, &names, NULL) == -1)
		return;
	for (i = 0; i < names.count; i++)
		found += text_begins(names.name[i], a->word) != 0;
	for (i = 0; i < names.count; i++) {
		if (!text_begins(names.name[i], a->word))
			continue;
		job = found <= ABOUT
		    ? store_job_load(a->store, names.name[i], NULL)
		    : NULL;
		about = job != NULL ? about_job(job) : NULL;
		answer(a, names.name[i], about);
		free(about);
		store_job_free(job);
	}
	fs_names_free(&names);
}

/* ---- numbers ---- */

/* Return the numbers from low to high that begin with digits. */
static struct idset
numbers(const char *digits, uint64_t low, uint64_t high)
{
	uint64_t first = strtoull(digits, NULL, 10), last = first, size = 0;
	struct idset out = {0};
	int level;

	if (digits[strspn(digits, "0123456789")] != '\0' ||
	    strlen(digits) > 18 || (*digits == '0' && digits[1] != '\0'))
		return out;
	if (*digits == '\0')
		last = 9;
	for (level = 0; first <= high; level++) {
		if (last >= low) {
			size += (last < high ? last : high) -
			    (first > low ? first : low) + 1;
			if (level > 1 && size > NUMBERS)
				break;
			idset_add(&out, first > low ? first : low,
			    last < high ? last : high);
		}
		if (strcmp(digits, "0") == 0 || last > UINT64_MAX / 16)
			break;
		first = *digits == '\0' && level == 0 ? 10 : first * 10;
		last = last * 10 + 9;
	}
	return out;
}

static void
answer_number(struct asked *a, uint64_t number, const char *about)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, number);
	answer(a, text, about);
}

/* ---- tasks ---- */

/* Return "ERROR exit 3, lr=0.1 opt=adam", to free. */
static char *
about_task(const struct store_job *job, const struct store_row *row,
    struct job_points *points)
{
	const char *const *value =
	    points != NULL ? job_points_of(points, row, NULL) : NULL;
	size_t length, i;
	char *text;
	FILE *f = xmemopen(&text, &length);

	fputs(store_state_name(row->state), f);
	if (row->cause != NULL)
		fprintf(f, " %s", row->cause);
	for (i = 0; value != NULL && i < job->names.count; i++)
		if (value[i] != NULL)
			fprintf(f, " %s=%s", job->names.word[i], value[i]);
	xmemclose(f);
	return text;
}

/*
 * Complete the last number of "conv2d/0-4,7"; after a "-" offer no smaller
 * number than the first.
 */
static void
complete_numbers(struct asked *a, const struct store_job *job)
{
	struct idset_walk walk = {0};
	struct job_points *points;
	struct store_table *table;
	struct idset tasks;
	uint64_t low = 0, task;
	const char *dash;
	char *about;

	split(a, ",");
	dash = strchr(a->word, '-');
	if (dash != NULL) {
		low = strtoull(a->word, NULL, 10);
		pass_over(a, (size_t)(dash + 1 - a->word));
	}
	if (job->tasks == 0)
		return;
	tasks = numbers(a->word, low, job->tasks - 1);
	table = store_table_load_part(job, &tasks, NULL);
	points = job_points_open_few(job, NULL);
	while (idset_next(&tasks, &walk, &task)) {
		about = table != NULL
		    ? about_task(job, store_table_row(table, task), points)
		    : NULL;
		answer_number(a, task, about);
		free(about);
	}
	job_points_free(points);
	store_table_free(table);
	idset_free(&tasks);
}

/*
 * Complete "@2", with the job's name as description unless there are too many
 * jobs.
 */
static void
complete_ages(struct asked *a)
{
	struct selection all = {0};
	struct idset_walk walk = {0};
	struct idset ages;
	struct fs_names names;
	uint64_t age;

	if (store_jobs(a->store, &names, NULL) == -1)
		return;
	if (names.count <= AGES)
		job_select_all(a->store, &all, NULL, NULL);
	pass_over(a, 1);
	ages = numbers(a->word, 1, names.count);
	while (idset_next(&ages, &walk, &age))
		answer_number(a, age,
		    age <= all.count ? all.item[all.count - age].job->name
				     : NULL);
	idset_free(&ages);
	selection_free(&all);
	fs_names_free(&names);
}

static void
complete_tasks(struct asked *a)
{
	struct strlist word = {0};
	struct asked of = *a;
	const char *slash = strchr(a->word, '/');

	if (a->store == NULL)
		return;
	if (slash == NULL && *a->word == '@')
		complete_ages(a);
	else if (slash == NULL)
		complete_jobs(a);
	else {
		strlist_push(&word, "");
		strlist_push(&word, a->word);
		of.line = &word;
		take_named(&of);
		a->jobs = of.jobs;
		pass_over(a, (size_t)(slash + 1 - a->word));
		if (a->jobs.count > 0)
			complete_numbers(a, a->jobs.item[0].job);
		strlist_free(&word);
	}
}

/* ---- names ---- */

static void
complete_states(struct asked *a)
{
	const char *name;
	size_t i;

	split(a, ",");
	for (i = 0; i < STORE_STATES; i++)
		offer(a, store_state_name((enum store_state)i), NULL);
	for (i = 0; (name = job_filter_state_name(i)) != NULL; i++)
		offer(a, name, "as Slurm calls it");
}

static void
complete_events(struct asked *a)
{
	int i;

	split(a, ",");
	for (i = 0; i < NOTIFIED_EVENTS; i++)
		offer(a, notified_event_name((enum notified_event)i), NULL);
}

static void
offer_columns(struct asked *a)
{
	const struct strlist *names;
	size_t i, k;
	char *column;
	int c;

	for (i = 0; i < a->jobs.count; i++) {
		names = &a->jobs.item[i].job->names;
		for (k = 0; k < names->count; k++) {
			column = job_column_param(names->word[k]);
			offer(a, column, "hyperparameter");
			free(column);
		}
	}
	for (c = 0; c < job_columns; c++)
		offer(a, job_column_name(c), NULL);
}

static void
complete_sort(struct asked *a)
{
	pass_over(a, *a->word == '-');
	take_jobs(a);
	offer_columns(a);
}

static void
complete_shown(struct asked *a)
{
	split(a, ",");
	take_jobs(a);
	offer_columns(a);
}

/*
 * Offer values of a hyperparameter: those of the first tasks and of some others
 * spread over the job.
 */
static void
offer_values(struct asked *a, const struct store_job *job, const char *name)
{
	struct job_points *points =
	    job_points_are_chosen(job) ? NULL : job_points_open_few(job, NULL);
	uint64_t i, most = job->tasks < NUMBERS ? job->tasks : NUMBERS;
	const char *const *value;
	size_t k;

	for (k = 0; k < job->names.count; k++)
		if (strcmp(job->names.word[k], name) == 0)
			break;
	for (i = 0; points != NULL && k < job->names.count && i < 2 * most;
	     i++) {
		value = job_points_get(points,
		    i < most ? i : (i - most) * (job->tasks / most), NULL);
		if (value != NULL && value[k] != NULL)
			offer(a, value[k], NULL);
	}
	job_points_free(points);
}

/* Complete "opt=adam,lr<0.01": a name, or after an operator a value. */
static void
complete_where(struct asked *a)
{
	size_t length, sign, i;
	char *name;

	split(a, ",");
	take_jobs(a);
	length = expression_name_length(a->word);
	sign = strspn(a->word + length, "!=<>");
	if (length == 0 || sign == 0) {
		offer_columns(a);
		return;
	}
	name = xstrndup(a->word, length);
	pass_over(a, length + sign);
	if (strcmp(name, "state") == 0)
		for (i = 0; i < STORE_STATES; i++)
			offer(a, store_state_name((enum store_state)i), NULL);
	for (i = 0; i < a->jobs.count; i++)
		offer_values(a, a->jobs.item[i].job, name);
	free(name);
}

static void
complete_names(struct asked *a)
{
	size_t i;

	split(a, ",");
	take_jobs(a);
	for (i = 0; i < a->jobs.count; i++)
		offer_all(a, &a->jobs.item[i].job->names, NULL);
}

/* Offer hyperparameters that the line sets: "lr=0.1", "layers:=[1]". */
static void
complete_typed(struct asked *a)
{
	const char *word;
	size_t i, length;
	char *name;

	split(a, ",");
	for (i = 1; i < a->line->count; i++) {
		word = a->line->word[i];
		length = expression_name_length(word);
		if (length == 0 || word[length + (word[length] == ':')] != '=')
			continue;
		name = xstrndup(word, length);
		offer(a, name, NULL);
		free(name);
	}
}

static void
offer_metrics(struct asked *a)
{
	struct strlist names = {0};
	struct stat st;
	size_t i;

	for (i = 1; i < a->line->count; i++)
		if (stat(a->line->word[i], &st) == 0 && S_ISREG(st.st_mode))
			job_metric_names_log(a->line->word[i], NULL, &names);
	if (a->store != NULL)
		take_named(a);
	if (a->store != NULL && a->jobs.count == 0 && names.count == 0)
		take_newest(a);
	for (i = 0; i < a->jobs.count; i++)
		job_metric_names_metrics(a->jobs.item[i].job, &names);
	offer_all(a, &names, NULL);
	strlist_free(&names);
}

static void
complete_metrics(struct asked *a)
{
	split(a, ",");
	offer_metrics(a);
}

static void
complete_columns(struct asked *a)
{
	offer(a, "epoch", NULL);
	offer(a, "step", NULL);
	offer(a, "time", NULL);
	offer_metrics(a);
}

/* ---- names from Slurm ---- */

/* Offer the partitions that a job asked for, in case Slurm lists none. */
static void
offer_used(struct asked *a, const struct store_job *job)
{
	struct sbatch given = {0};
	char **word = job->options.word, *names, *name, *save;
	int taken = 1;

	while (word != NULL && *word != NULL && taken > 0) {
		taken = sbatch_take(&given, word, NULL);
		word += taken > 0 ? taken : 0;
	}
	if (sbatch_value(&given, "partition") != NULL) {
		names = xstrdup(sbatch_value(&given, "partition"));
		for (name = strtok_r(names, ",", &save); name != NULL;
		     name = strtok_r(NULL, ",", &save))
			offer(a, name, NULL);
		free(names);
	}
	sbatch_free(&given);
}

static void
complete_partitions(struct asked *a)
{
	struct strlist names = {0};
	size_t i;

	split(a, ",");
	nodes_partition_names(&names);
	if (names.count == 0)
		take_jobs(a);
	offer_all(a, &names, NULL);
	for (i = 0; i < a->jobs.count; i++)
		offer_used(a, a->jobs.item[i].job);
	strlist_free(&names);
}

/* Node names are not cached, because nodes come and go. */
static void
complete_nodes(struct asked *a)
{
	struct strlist names = {0};
	size_t i, offered = 0;

	split(a, ",");
	nodes_partition_names(&names);
	offer_all(a, &names, "partition");
	strlist_free(&names);
	queue_names(QUEUE_NODE_NAMES, PATIENCE, &names, NULL);
	for (i = 0; i < names.count && offered < NUMBERS; i++)
		if (strncmp(names.word[i], a->word, strlen(a->word)) == 0) {
			answer(a, names.word[i], NULL);
			offered++;
		}
	strlist_free(&names);
}

static void
complete_reservations(struct asked *a)
{
	struct strlist names = {0};

	queue_names(QUEUE_RESERVATION_NAMES, PATIENCE, &names, NULL);
	offer_all(a, &names, NULL);
	strlist_free(&names);
}

static void
complete_sbatch(struct asked *a)
{
	const char *name;
	char *option;
	size_t i;

	for (i = 0; (name = sbatch_long(i)) != NULL; i++) {
		if (sbatch_refusal(name) != NULL)
			continue;
		option = xasprintf("--%s", name);
		offer(a, option, "of sbatch");
		free(option);
	}
}

/* ---- kinds of candidates ---- */

static const struct {
	const char *what;
	void (*complete)(struct asked *);
} questions[] = {
    {"tasks", complete_tasks},
    {"jobs", complete_jobs},
    {"tags", complete_tags},
    {"states", complete_states},
    {"events", complete_events},
    {"where", complete_where},
    {"sort", complete_sort},
    {"shown", complete_shown},
    {"names", complete_names},
    {"typed", complete_typed},
    {"metrics", complete_metrics},
    {"columns", complete_columns},
    {"partitions", complete_partitions},
    {"nodes", complete_nodes},
    {"reservations", complete_reservations},
    {"sbatch", complete_sbatch},
};

int
completion(
    FILE *out, const char *what, const char *word, const struct strlist *line)
{
	struct asked a = {.out = out, .word = word, .line = line};
	size_t i;

	for (i = 0; i < sizeof questions / sizeof *questions; i++)
		if (strcmp(questions[i].what, what) == 0)
			break;
	if (i == sizeof questions / sizeof *questions)
		return -1;
	a.head = xstrdup("");
	a.store = store_open(store_option(line), STORE_READ, NULL);
	questions[i].complete(&a);
	selection_free(&a.jobs);
	strlist_free(&a.given);
	store_close(a.store);
	free(a.head);
	return 0;
}
