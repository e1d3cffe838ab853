#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fs.h"
#include "num.h"
#include "store-fold.h"
#include "store-seal.h"
#include "xalloc.h"

enum { FOLD_LIMIT = 1 << 30 };

/* ---- states ---- */

static const char *const state_names[STORE_STATES] = {
    "SUBMITTED", "RUNNING", "FINISHED", "ERROR", "STOPPED"};

/* One letter a task in the line about the job. */
static const char letters[] = "SRFET";

const char *
store_state_name(enum store_state state)
{
	return state_names[state];
}

int
store_state_find(const char *name)
{
	size_t n = strlen(name);
	int i, found = -1;

	for (i = 0; i < STORE_STATES; i++) {
		if (strcasecmp(name, state_names[i]) == 0)
			return i;
		if (n > 0 && strncasecmp(name, state_names[i], n) == 0)
			found = found == -1 ? i : -2;
	}
	return found < 0 ? -1 : found;
}

int
store_state_is_final(enum store_state state)
{
	return state == STORE_FINISHED || state == STORE_ERROR ||
	    state == STORE_STOPPED;
}

/* ---- the members of a row ---- */

#define AT(type, field) \
	{ \
#field, offsetof(type, field) \
	}
struct member {
	const char *key;
	size_t offset;
};

static const struct member row_texts[] = {
    AT(struct store_row, cause),
    AT(struct store_row, slurm),
    AT(struct store_row, node),
    AT(struct store_row, gpus),
    AT(struct store_row, log),
    AT(struct store_row, err),
    AT(struct store_row, reason),
    AT(struct store_row, metrics_path),
};

static const struct member row_numbers[] = {
    AT(struct store_row, array),
    AT(struct store_row, index),
    AT(struct store_row, start),
    AT(struct store_row, end),
    AT(struct store_row, exit),
    AT(struct store_row, signal),
    AT(struct store_row, asked),
    AT(struct store_row, memory),
    AT(struct store_row, cpu),
    AT(struct store_row, gone),
    AT(struct store_row, metrics_inode),
    AT(struct store_row, metrics_check),
};

static const struct member log_counts[] = {
    AT(struct metrics_summary, offset),
    AT(struct metrics_summary, epochs),
    AT(struct metrics_summary, restarts),
    AT(struct metrics_summary, damaged),
    AT(struct metrics_summary, values),
    AT(struct metrics_summary, nans),
};

static const struct member log_ints[] = {
    AT(struct metrics_summary, delimiter),
    AT(struct metrics_summary, columns),
    AT(struct metrics_summary, x_column),
    AT(struct metrics_summary, column),
    AT(struct metrics_summary, goal),
    AT(struct metrics_summary, has_best),
    AT(struct metrics_summary, last_kind),
    AT(struct metrics_summary, had_best),
};

static const struct member log_reals[] = {
    AT(struct metrics_summary, first),
    AT(struct metrics_summary, epoch),
    AT(struct metrics_summary, best),
    AT(struct metrics_summary, best_epoch),
    AT(struct metrics_summary, last),
    AT(struct metrics_summary, last_epoch),
    AT(struct metrics_summary, first_nan),
    AT(struct metrics_summary, nan_since),
    AT(struct metrics_summary, earlier_best),
    AT(struct metrics_summary, earlier_epoch),
};
#undef AT

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define PLACE(type, base, member) \
	((type *)(void *)((char *)(uintptr_t)(base) + (member).offset))

void
store_row_clear(struct store_row *row, uint64_t task)
{
	size_t i;

	memset(row, 0, sizeof *row);
	row->task = task;
	for (i = 0; i < COUNT(row_numbers); i++)
		*PLACE(int64_t, row, row_numbers[i]) = -1;
}

void
store_row_free(struct store_row *row)
{
	size_t i;

	for (i = 0; i < COUNT(row_texts); i++)
		free(*PLACE(char *, row, row_texts[i]));
}

/* ---- rows as JSON ---- */

/* Numbers as text keep every bit, where JSON's would be read as they please. */
static void
set_real(json_t *record, const char *key, double value)
{
	char text[NUM_TEXT];

	seal_set_string(record, key, num_exact(value, text));
}

static double
take_real(const json_t *record, const char *key)
{
	const char *text = seal_string(record, key);
	double value = 0;

	if (text != NULL)
		num_parse(text, &value);
	return value;
}

static json_t *
log_record(const struct metrics_summary *log)
{
	json_t *record = json_object();
	size_t i;

	for (i = 0; i < COUNT(log_counts); i++)
		if (*PLACE(uint64_t, log, log_counts[i]) != 0)
			seal_set_int(record, log_counts[i].key,
			    (int64_t)*PLACE(uint64_t, log, log_counts[i]));
	for (i = 0; i < COUNT(log_ints); i++)
		if (*PLACE(int, log, log_ints[i]) != 0)
			seal_set_int(record, log_ints[i].key,
			    *PLACE(int, log, log_ints[i]));
	for (i = 0; i < COUNT(log_reals); i++)
		if (*PLACE(double, log, log_reals[i]) != 0)
			set_real(record, log_reals[i].key,
			    *PLACE(double, log, log_reals[i]));
	seal_set_string(record, "x_name", log->x_name);
	seal_set_string(record, "metric", log->metric);
	return record;
}

static void
take_name(const json_t *record, const char *key, char out[METRICS_NAME])
{
	const char *text = seal_string(record, key);

	snprintf(out, METRICS_NAME, "%s", text != NULL ? text : "");
}

static void
take_log(const json_t *record, struct metrics_summary *log)
{
	size_t i;

	for (i = 0; i < COUNT(log_counts); i++)
		*PLACE(uint64_t, log, log_counts[i]) =
		    (uint64_t)seal_int(record, log_counts[i].key, 0);
	for (i = 0; i < COUNT(log_ints); i++)
		*PLACE(int, log, log_ints[i]) =
		    (int)seal_int(record, log_ints[i].key, 0);
	for (i = 0; i < COUNT(log_reals); i++)
		*PLACE(double, log, log_reals[i]) =
		    take_real(record, log_reals[i].key);
	take_name(record, "x_name", log->x_name);
	take_name(record, "metric", log->metric);
}

/* Whether there is nothing to say about a task. */
static int
is_pristine(const struct store_row *row)
{
	return row->state == STORE_SUBMITTED && row->cause == NULL &&
	    row->array == -1 && row->facts == 0 && row->attempt == 0 &&
	    row->restart == 0;
}

static json_t *
row_record(const struct store_row *row)
{
	json_t *record = seal_new();
	size_t i;

	seal_set_int(record, "task", (int64_t)row->task);
	seal_set_string(record, "state", state_names[row->state]);
	seal_set_int(record, "attempt", row->attempt);
	seal_set_int(record, "restart", row->restart);
	seal_set_int(record, "facts", row->facts);
	for (i = 0; i < COUNT(row_texts); i++)
		seal_set_string(record, row_texts[i].key,
		    *PLACE(char *, row, row_texts[i]));
	for (i = 0; i < COUNT(row_numbers); i++)
		if (*PLACE(int64_t, row, row_numbers[i]) != -1)
			seal_set_int(record, row_numbers[i].key,
			    *PLACE(int64_t, row, row_numbers[i]));
	if (row->metrics.offset > 0)
		json_object_set_new(
		    record, "metrics", log_record(&row->metrics));
	return record;
}

static void
take_row(const json_t *record, struct store_row *row)
{
	const char *state = seal_string(record, "state"), *text;
	int found = store_state_find(state != NULL ? state : "");
	size_t i;

	row->state = found == -1 ? STORE_SUBMITTED : (enum store_state)found;
	row->attempt = (uint32_t)seal_int(record, "attempt", 0);
	row->restart = (uint32_t)seal_int(record, "restart", 0);
	row->facts = (int)seal_int(record, "facts", 0);
	for (i = 0; i < COUNT(row_texts); i++) {
		text = seal_string(record, row_texts[i].key);
		if (text != NULL)
			*PLACE(char *, row, row_texts[i]) = xstrdup(text);
	}
	for (i = 0; i < COUNT(row_numbers); i++)
		*PLACE(int64_t, row, row_numbers[i]) =
		    seal_int(record, row_numbers[i].key, -1);
	if (json_object_get(record, "metrics") != NULL)
		take_log(json_object_get(record, "metrics"), &row->metrics);
}

/* ---- the fold ---- */

struct store_fold *
store_fold_new(uint64_t tasks)
{
	struct store_fold *fold = xcalloc(1, sizeof *fold);
	uint64_t i;

	fold->asked = -1;
	fold->count = tasks;
	fold->row = xcalloc(tasks, sizeof *fold->row);
	for (i = 0; i < tasks; i++)
		store_row_clear(&fold->row[i], i);
	fold->in_state[STORE_SUBMITTED] = tasks;
	return fold;
}

void
store_fold_free(struct store_fold *fold)
{
	uint64_t i;

	if (fold == NULL)
		return;
	for (i = 0; i < fold->count; i++)
		store_row_free(&fold->row[i]);
	words_free(&fold->damaged);
	free(fold->trouble);
	free(fold->row);
	free(fold);
}

void
store_fold_count(struct store_fold *fold)
{
	uint64_t i;

	memset(fold->in_state, 0, sizeof fold->in_state);
	for (i = 0; i < fold->count; i++)
		fold->in_state[fold->row[i].state]++;
}

static json_t *
head_record(const struct store_fold *fold)
{
	json_t *record = seal_new(), *counts = json_object();
	char *states = xmalloc(fold->count + 1);
	uint64_t i;

	seal_set_int(record, "generation", (int64_t)fold->generation);
	seal_set_int(record, "time", fold->time);
	if (fold->asked != -1)
		seal_set_int(record, "asked", fold->asked);
	seal_set_string(record, "trouble", fold->trouble);
	seal_set_int(record, "tasks", (int64_t)fold->count);
	for (i = 0; i < STORE_STATES; i++)
		seal_set_int(
		    counts, state_names[i], (int64_t)fold->in_state[i]);
	json_object_set_new(record, "count", counts);
	for (i = 0; i < fold->count; i++)
		states[i] = letters[fold->row[i].state];
	states[fold->count] = '\0';
	seal_set_string(record, "states", states);
	free(states);
	return record;
}

static void
put_line(FILE *out, json_t *record)
{
	size_t length;
	char *text = seal_text(record, 0, &length);

	fwrite(text, 1, length, out);
	free(text);
}

static char *
fold_text(const struct store_fold *fold, size_t *length)
{
	json_t *end = seal_new();
	char *text = NULL;
	uint64_t i, rows = 0;
	FILE *out;

	out = open_memstream(&text, length);
	put_line(out, head_record(fold));
	for (i = 0; i < fold->count; i++) {
		if (is_pristine(&fold->row[i]))
			continue;
		put_line(out, row_record(&fold->row[i]));
		rows++;
	}
	seal_set_int(end, "rows", (int64_t)rows);
	put_line(out, end);
	fclose(out);
	return text;
}

static void
generation_name(uint64_t generation, char out[64])
{
	snprintf(out, 64, "state.%" PRIu64 ".jsonl", generation);
}

/* The generation that a name in fold/ stands for, or 0. */
static uint64_t
name_generation(const char *name)
{
	uint64_t generation = 0;
	char again[64];

	if (sscanf(name, "state.%" SCNu64 ".jsonl", &generation) != 1)
		return 0;
	generation_name(generation, again);
	return strcmp(again, name) == 0 ? generation : 0;
}

/* Remove the generations before the last one. */
static void
prune(int dir, uint64_t generation)
{
	struct fs_names names;
	uint64_t old;
	size_t i;

	if (fs_list(dir, &names, NULL) == -1)
		return;
	for (i = 0; i < names.count; i++) {
		old = name_generation(names.name[i]);
		if (old != 0 && old + 1 < generation)
			fs_unlink(dir, names.name[i], NULL);
	}
	fs_names_free(&names);
}

int
store_fold_publish(
    const struct store_job *job, struct store_fold *fold, struct error *e)
{
	char name[64], *text;
	size_t length;
	int dir, rc;

	dir = fs_open_subdir(job->dir, "fold", 1, e);
	if (dir == -1)
		return -1;
	store_fold_count(fold);
	fold->generation++;
	generation_name(fold->generation, name);
	text = fold_text(fold, &length);
	rc = fs_publish(dir, name, text, length, e);
	free(text);
	if (rc == 0)
		prune(dir, fold->generation);
	fs_close(dir);
	return rc;
}

int
store_fold_touch(const struct store_job *job, const struct store_fold *fold)
{
	char name[64];
	int dir, rc;

	dir = fs_open_subdir(job->dir, "fold", 0, NULL);
	if (dir == -1)
		return -1;
	generation_name(fold->generation, name);
	rc = utimensat(dir, name, NULL, AT_SYMLINK_NOFOLLOW);
	fs_close(dir);
	return rc;
}

/* ---- loading ---- */

/* One line at *at, which moves behind it. */
static json_t *
take_line(const char **at, const char *end, const char *what, int line,
    struct error *e)
{
	const char *nl = memchr(*at, '\n', (size_t)(end - *at));
	char where[128];
	json_t *record;

	snprintf(where, sizeof where, "%s:%d", what, line);
	if (nl == NULL) {
		error_set(e, "%s: cut short", where);
		return NULL;
	}
	record = seal_read(*at, (size_t)(nl + 1 - *at), where, e);
	*at = nl + 1;
	return record;
}

static void
take_head(const json_t *head, struct store_fold *fold)
{
	const char *trouble = seal_string(head, "trouble");

	fold->generation = (uint64_t)seal_int(head, "generation", 0);
	fold->time = seal_int(head, "time", 0);
	fold->asked = seal_int(head, "asked", -1);
	if (trouble != NULL)
		fold->trouble = xstrdup(trouble);
}

/* The rows and the end line: 0, or -1 when they are not whole. */
static int
take_rows(const char *at, const char *end, const char *name,
    struct store_fold *fold, struct error *e)
{
	int64_t task, rows = 0, last;
	json_t *record;
	int line;

	for (line = 2;; line++) {
		record = take_line(&at, end, name, line, e);
		if (record == NULL)
			return -1;
		last = seal_int(record, "rows", -1);
		task = seal_int(record, "task", -1);
		if (last == -1 && task >= 0 && (uint64_t)task < fold->count)
			take_row(record, &fold->row[task]);
		json_decref(record);
		if (last != -1)
			break;
		rows++;
	}
	if (last != rows || at != end)
		return error_set(
		    e, "%s: %" PRId64 " rows of %" PRId64, name, rows, last);
	return 0;
}

static struct store_fold *
parse(const char *text, size_t length, const char *name, uint64_t tasks,
    struct error *e)
{
	struct store_fold *fold = store_fold_new(tasks);
	const char *at = text;
	json_t *head = take_line(&at, text + length, name, 1, e);

	if (head != NULL) {
		take_head(head, fold);
		json_decref(head);
		if (take_rows(at, text + length, name, fold, e) == 0) {
			store_fold_count(fold);
			return fold;
		}
	}
	store_fold_free(fold);
	return NULL;
}

/* The newest generation below limit in a listing, or 0. */
static uint64_t
newest(const struct fs_names *names, uint64_t limit)
{
	uint64_t best = 0, generation;
	size_t i;

	for (i = 0; i < names->count; i++) {
		generation = name_generation(names->name[i]);
		if (generation < limit && generation > best)
			best = generation;
	}
	return best;
}

static struct store_fold *
load_generation(
    const struct store_job *job, int dir, uint64_t generation, struct error *e)
{
	struct store_fold *fold;
	char name[64], *text;
	size_t length;

	generation_name(generation, name);
	if (fs_read(dir, name, FOLD_LIMIT, &text, &length, e) == -1)
		return NULL;
	fold = parse(text, length, name, job->tasks, e);
	free(text);
	if (fold != NULL)
		fold->generation = generation;
	else
		errno = EBADMSG;
	return fold;
}

/*
 * One try: the newest whole generation in a fresh listing, or NULL.  *top is
 * the newest of all, and *vanished whether one was listed and then gone.
 */
static struct store_fold *
load_newest(const struct store_job *job, int dir, uint64_t *top,
    struct words *damaged, int *vanished, struct error *e)
{
	struct store_fold *fold = NULL;
	struct fs_names names;
	uint64_t generation;
	struct error why;
	int unread = 0;

	*vanished = 0;
	if (fs_list(dir, &names, e) == -1)
		return NULL;
	*top = generation = newest(&names, UINT64_MAX);
	for (; generation > 0 && fold == NULL;
	     generation = newest(&names, generation)) {
		errno = 0;
		fold = load_generation(job, dir, generation, &why);
		if (fold == NULL && errno == ENOENT)
			*vanished = 1;
		else if (fold == NULL && errno != EBADMSG)
			unread = error_set(e, "%s", why.text);
		else if (fold == NULL)
			words_push(damaged, why.text);
	}
	fs_names_free(&names);
	if (fold == NULL && !*vanished && !unread)
		fold = store_fold_new(job->tasks);
	return fold;
}

struct store_fold *
store_fold_load(const struct store_job *job, struct error *e)
{
	struct words damaged = {0};
	struct store_fold *fold;
	int dir, vanished, tries = 0;
	uint64_t top;

	dir = fs_open_subdir(job->dir, "fold", 0, e);
	if (dir == -1)
		return errno == ENOENT ? store_fold_new(job->tasks) : NULL;
	error_set(e, "%s/fold: changes faster than it can be read", job->path);
	do {
		words_free(&damaged);
		fold = load_newest(job, dir, &top, &damaged, &vanished, e);
	} while (fold == NULL && vanished && ++tries < 10);
	fs_close(dir);
	if (fold == NULL) {
		words_free(&damaged);
		return NULL;
	}
	fold->generation = top;
	fold->damaged = damaged;
	return fold;
}

int64_t
store_fold_age(const struct store_job *job)
{
	struct fs_names names;
	struct stat st;
	int64_t now, age = -1;
	char name[64];
	int dir;

	dir = fs_open_subdir(job->dir, "fold", 0, NULL);
	if (dir == -1)
		return -1;
	if (fs_list(dir, &names, NULL) == 0) {
		generation_name(newest(&names, UINT64_MAX), name);
		if (fs_ops.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    fs_now(dir, &now, NULL) == 0)
			age = now > st.st_mtime ? now - st.st_mtime : 0;
		fs_names_free(&names);
	}
	fs_close(dir);
	return age;
}
