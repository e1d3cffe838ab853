/*
 * store-fixture DIR - make jobs in a store, for the tests of what reads it.
 *
 * Standard input has a line for each thing, its fields parted by "|":
 *
 *   job|NAME|WORD of the space|...   begin a job
 *   set|description=TEXT|metric=NAME|goal=max|epochs=NAME|option=WORD
 *   set|batch=SCRIPT                 what its tasks start with
 *   set|requeue=NUMBER               put back so often
 *   set|pack=NUMBER                  tasks of an allocation
 *   set|then=COMMAND                 for its end
 *   set|pruner=asha|search_epochs=50|until=VALUE  a search
 *   set|sampler=tpe|tasks=NUMBER     whose points come when tasks start
 *   task|NUMBERS|STATE|node=TEXT|start=SECONDS from now|...
 *   set|regex=PATTERN                for what its tasks print
 *   set|argv=WORD|space=WORD         more of what was typed
 *   metrics|NUMBER|FILE              its training log
 *   read|NUMBERS|FILE                such a log was read, and is gone
 *   printed|NUMBERS|FILE             the output of a task was read
 *   learn|NUMBER                     a finished task told the epochs
 *   stop|NUMBERS|WHY                 stop requests of a search
 *   chunk|TASKS|ARRAY                the Slurm array that trains them
 *   chunk|TASKS|cut|c00001.0|1       a chunk by name, and its attempt
 *   fact|NUMBER|KIND|node=TEXT|...   what one run of a task said
 *   fold|asked=SECONDS from now|trouble=TEXT|silence=TEXT
 *   old                              the task table has no summary
 *   end                              publish the job and its fold
 *   of|NAME                          more of a job that is there
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/xalloc.h"
#include "job/argv.h"
#include "job/points.h"
#include "job/training-log.h"
#include "space/space.h"
#include "state/search.h"
#include "state/summary.h"
#include "store/chunk.h"
#include "store/fact.h"
#include "store/policy.h"
#include "store/request.h"
#include "store/store.h"
#include "store/table.h"
#include "submit/plan.h"
#include "sys/fs.h"

static struct store *store;
static struct store_job *job;
static struct store_table *table;
static struct error e;
static int created, is_old;
static char *batch; /* the job's script, where it matters */
static int64_t now;

static void
need(int yes)
{
	if (!yes)
		errx(2, "%s", e.text);
}

/* ---- the job ---- */

static void
new_table(void)
{
	table = store_table_new(job->tasks);
	table->time = table->asked = now;
}

static void
begin_job(char **field, size_t count)
{
	struct space *space = space_new();
	size_t i;

	job = xcalloc(1, sizeof *job);
	job->name = xstrdup(field[1]);
	job->id = store_job_new_id();
	job->args = xstrdup("long");
	job->directory = fs_absolute(".");
	strlist_push(&job->command, "train");
	for (i = 2; i < count; i++) {
		strlist_push(&job->space, field[i]);
		need(space_add(space, field[i], &e) == 0);
	}
	need(space_finish(space, &e) == 0);
	for (i = 0; i < space_width(space); i++)
		strlist_push(&job->names, space_name(space, i));
	job->tasks = space_size(space);
	job->array_size = 1000;
	space_free(space);
	new_table();
	created = 0;
}

/* As stfm-submit does. */
static void
set_program(const char *program)
{
	const struct sbatch_script none = {0};
	char *runner = store_install(store, program, &e), *path;

	need(runner != NULL);
	path = xasprintf("%s/jobs/%s", store->path, job->name);
	batch = job_plan_batch_text(job, &none, path, runner);
	free(path);
	free(runner);
}

static void
create_job(void)
{
	struct store_job_files files = {.batch = batch ? batch : "#!/bin/sh\n"};

	if (!created)
		need(store_job_create(store, job, &files, &e) == 0);
	created = 1;
}

/* ---- fields of the form KEY=VALUE ---- */

struct text {
	const char *key;
	char **place;
};

struct number {
	const char *key;
	int64_t *place;
	int is_time;
};

static void
assign(const char *field, const struct text *texts, const struct number *n)
{
	size_t key = strcspn(field, "=");
	const char *value = field + key + 1;

	if (field[key] != '=')
		errx(2, "%s: no value", field);
	for (; texts->key != NULL; texts++)
		if (strlen(texts->key) == key &&
		    strncmp(texts->key, field, key) == 0) {
			free(*texts->place);
			*texts->place = xstrdup(value);
			return;
		}
	for (; n->key != NULL; n++)
		if (strlen(n->key) == key && strncmp(n->key, field, key) == 0) {
			*n->place =
			    (n->is_time ? now : 0) + strtoll(value, NULL, 10);
			return;
		}
	errx(2, "%s: no such key", field);
}

static void
set_job(char **field, size_t count)
{
	const struct text texts[] = {{"description", &job->description},
	    {"metric", &job->metric}, {"goal", &job->goal},
	    {"epochs", &job->epochs}, {"batch", &batch}, {"then", &job->then},
	    {"pruner", &job->search.pruner}, {"sampler", &job->search.sampler},
	    {"until", &job->search.until}, {0}};
	int64_t tasks = (int64_t)job->tasks;
	const struct number numbers[] = {{"requeue", &job->policy.requeue},
	    {"search_epochs", &job->search.epochs}, {"tasks", &tasks},
	    {"pack", &job->pack}, {0}};
	size_t i;

	for (i = 1; i < count; i++)
		if (strncmp(field[i], "option=", 7) == 0)
			strlist_push(&job->options, field[i] + 7);
		else if (strncmp(field[i], "regex=", 6) == 0)
			strlist_push(&job->metrics_regex, field[i] + 6);
		else if (strncmp(field[i], "argv=", 5) == 0)
			strlist_push(&job->argv, field[i] + 5);
		else if (strncmp(field[i], "space=", 6) == 0)
			strlist_push(&job->space, field[i] + 6);
		else
			assign(field[i], texts, numbers);
	job->search.version = STORE_SEARCH_RULES;
	if ((uint64_t)tasks != job->tasks) {
		job->tasks = (uint64_t)tasks;
		store_table_free(table);
		new_table();
	}
}

/* Call a function for the rows of these tasks. */
static void
for_rows(char **field, size_t count,
    void (*set)(struct store_row *, char **field, size_t count))
{
	struct idset tasks = {0};
	size_t i;
	uint64_t t;

	need(table != NULL && idset_parse(&tasks, field[1], &e) == 0);
	for (i = 0; i < tasks.count; i++)
		for (t = tasks.run[i].first; t <= tasks.run[i].last; t++) {
			if (t >= table->count)
				errx(2, "%s: no such task", field[1]);
			set(store_table_edit(table, t), field, count);
		}
	idset_free(&tasks);
}

static void
set_task(struct store_row *row, char **field, size_t count)
{
	int64_t attempt = 0, restart = 0;
	const struct text texts[] = {{"cause", &row->cause},
	    {"node", &row->node}, {"gpus", &row->gpus}, {"log", &row->log},
	    {"err", &row->err}, {"reason", &row->reason}, {"pace", &row->pace},
	    {"usage", &row->usage}, {"rungs", &row->rungs},
	    {"point", &row->point}, {0}};
	const struct number numbers[] = {{"array", &row->array},
	    {"index", &row->index}, {"start", &row->start, 1},
	    {"end", &row->end, 1}, {"exit", &row->exit},
	    {"signal", &row->signal}, {"memory", &row->memory},
	    {"cpu", &row->cpu}, {"limit", &row->limit},
	    {"epoch_time", &row->epoch_time, 1}, {"attempt", &attempt},
	    {"restart", &restart}, {0}};
	int state = store_state_find(field[2]);
	size_t i;

	if (state == -1)
		errx(2, "%s: no such state", field[2]);
	row->state = (enum store_state)state;
	row->facts = state == STORE_SUBMITTED ? 0 : STORE_HAS_S;
	for (i = 3; i < count; i++)
		assign(field[i], texts, numbers);
	row->attempt = (uint32_t)attempt;
	row->restart = (uint32_t)restart;
	if (row->array != -1 && row->index == -1)
		row->index = (int64_t)row->task;
}

static void
set_stop(struct store_row *row, char **field, size_t count)
{
	struct store_request stop = {.kind = STORE_REQUEST_STOP,
	    .by_search = 1,
	    .attempt = row->attempt,
	    .why = count > 2 ? field[2] : NULL};

	create_job();
	idset_add(&stop.tasks, row->task, row->task);
	need(store_request_add(job, &stop, 1, &e) == 0);
	idset_free(&stop.tasks);
}

static void
set_chunk(char **field, size_t count)
{
	struct store_chunk chunk = {.name = count > 3 ? field[3] : "c000.0",
	    .token = "fixture",
	    .pack = job->pack,
	    .attempt = count > 4 ? (uint32_t)strtoul(field[4], NULL, 10) : 0};
	uint32_t array = (uint32_t)strtoul(field[2], NULL, 10);

	create_job();
	need(idset_parse(&chunk.tasks, field[1], &e) == 0);
	need(store_intent(job, &chunk, &e) == 0);
	if (array == 0)
		need(store_chunk_close(job, chunk.name, STORE_CUT, &e) == 0);
	else
		need(store_claim(job, chunk.name, &array, &e) == 0);
	idset_free(&chunk.tasks);
}

static void
set_fact(char **field, size_t count)
{
	struct store_fact fact = {.task = strtoull(field[1], NULL, 10)};
	struct store_fact_body body = store_fact_body();
	int64_t attempt = 0, restart = 0;
	const struct text texts[] = {{"node", &body.node}, {"log", &body.log},
	    {"slurm", &body.slurm}, {"gpus", &body.gpus},
	    {"point", &body.point}, {"sampler", &body.sampler},
	    {"seen", &body.seen}, {"reason", &body.reason}, {0}};
	const struct number numbers[] = {{"attempt", &attempt},
	    {"parent", &body.parent}, {"restart", &restart},
	    {"time", &body.time, 1}, {"start", &body.start, 1},
	    {"exit", &body.exit}, {"signal", &body.signal},
	    {"asked", &body.asked}, {0}};
	size_t i;

	create_job();
	snprintf(fact.kind, sizeof fact.kind, "%s", field[2]);
	for (i = 3; i < count; i++)
		assign(field[i], texts, numbers);
	fact.attempt = (uint32_t)attempt;
	fact.restart = (uint32_t)restart;
	need(store_fact_publish(job, &fact, &body, &e) != -1);
	store_fact_body_free(&body);
}

static void
set_fold(char **field, size_t count)
{
	const struct text texts[] = {
	    {"trouble", &table->trouble}, {"silence", &table->silence}, {0}};
	const struct number numbers[] = {
	    {"asked", &table->asked, 1}, {"time", &table->time, 1}, {0}};
	size_t i;

	for (i = 1; i < count; i++)
		assign(field[i], texts, numbers);
}

/* ---- training logs ---- */

static void
set_read(struct store_row *row, char **field, size_t count)
{
	struct job_task t = {job, row->task, row->attempt, NULL};
	int goal = METRICS_GOAL_BY_NAME;
	size_t length;
	char *bytes;

	(void)count;
	create_job();
	need(fs_read_path(field[2], 64 << 20, &bytes, &length, &e) == 0);
	free(row->metrics_path); /* a second reading */
	row->metrics_path = job_argv_metrics(&t);
	if (job->goal != NULL)
		goal =
		    strcmp(job->goal, "max") == 0 ? METRICS_MAX : METRICS_MIN;
	need(metrics_summary_feed(
		 &row->metrics, job->metric, goal, bytes, length, 0, &e) == 0);
	free(bytes);
}

static void
set_metrics(struct store_row *row, char **field, size_t count)
{
	size_t length;
	char *bytes;
	FILE *f;

	set_read(row, field, count);
	need(fs_read_path(field[2], 64 << 20, &bytes, &length, &e) == 0);
	f = fopen(row->metrics_path, "w");
	if (f == NULL || fwrite(bytes, 1, length, f) != length ||
	    fclose(f) == EOF)
		err(2, "%s", row->metrics_path);
	free(bytes);
}

static void
set_printed(struct store_row *row, char **field, size_t count)
{
	(void)count;
	create_job();
	free(row->log);
	free(row->metrics_path);
	row->log = fs_absolute(field[2]);
	row->metrics_path = xstrdup(row->log);
	need(job_training_log_read_file(
		 job, row->log, row->log, &row->metrics, &e) == 1);
}

static void
learn(char **field)
{
	create_job();
	need(job_search_learn(job, strtoll(field[1], NULL, 10), &e) == 0);
	table->reading = (int64_t)job->changes.count + 1; /* logs are read */
}

static const char *const *
point_of(void *points, uint64_t task)
{
	return job_points_get(points, task, NULL);
}

static void
summarize(void)
{
	struct job_points *points = job_points_open(job, &e);
	struct job_summing s = job_summing(job, point_of, points);

	need(points != NULL);
	job_summary_make(&s, table);
	job_points_free(points);
}

/* Tasks were queued so long ago that a pass is good enough for a minute. */
static void
age_queue(void)
{
	struct timespec time[] = {{now - 86400, 0}, {now - 86400, 0}};

	utimensat(job->dir, "sub", time, 0);
}

static void
end_job(void)
{
	create_job();
	age_queue();
	if (!is_old)
		summarize();
	is_old = 0;
	need(store_table_publish(job, table, &e) == 0);
	store_table_free(table);
	store_job_free(job);
	table = NULL;
	job = NULL;
}

static void
open_job(const char *name)
{
	store_job_free(job);
	job = store_job_load(store, name, &e);
	need(job != NULL);
	store_table_free(table);
	table = store_table_load(job, &e); /* NULL if it is damaged */
	created = 1;
}

static void
obey(char **field, size_t count)
{
	if (strcmp(field[0], "job") == 0)
		begin_job(field, count);
	else if (strcmp(field[0], "of") == 0)
		open_job(field[1]);
	else if (job == NULL)
		errx(2, "%s: no job yet", field[0]);
	else if (strcmp(field[0], "starts") == 0)
		set_program(field[1]);
	else if (strcmp(field[0], "set") == 0)
		set_job(field, count);
	else if (strcmp(field[0], "task") == 0)
		for_rows(field, count, set_task);
	else if (strcmp(field[0], "metrics") == 0)
		for_rows(field, count, set_metrics);
	else if (strcmp(field[0], "read") == 0)
		for_rows(field, count, set_read);
	else if (strcmp(field[0], "printed") == 0)
		for_rows(field, count, set_printed);
	else if (strcmp(field[0], "learn") == 0)
		learn(field);
	else if (strcmp(field[0], "stop") == 0)
		for_rows(field, count, set_stop);
	else if (strcmp(field[0], "chunk") == 0)
		set_chunk(field, count);
	else if (strcmp(field[0], "fact") == 0)
		set_fact(field, count);
	else if (strcmp(field[0], "fold") == 0)
		set_fold(field, count);
	else if (strcmp(field[0], "old") == 0)
		is_old = 1;
	else if (strcmp(field[0], "end") == 0)
		end_job();
	else
		errx(2, "%s: what is that?", field[0]);
}

int
main(int argc, char **argv)
{
	char *line = NULL, *field[64], *rest;
	size_t size = 0, count;

	if (argc != 2)
		errx(2, "one directory, please");
	now = time(NULL);
	store = store_open(argv[1], 1, &e);
	need(store != NULL);
	while (getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		rest = line;
		for (count = 0; rest != NULL && count < 64; count++) {
			rest += strspn(rest, "\t");
			field[count] = strsep(&rest, "|");
		}
		if (*field[0] != '\0' && *field[0] != '#')
			obey(field, count);
	}
	free(line);
	free(batch);
	store_job_free(job);
	store_close(store);
	return 0;
}
