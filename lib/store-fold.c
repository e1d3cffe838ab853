#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs.h"
#include "store-fold.h"
#include "store-seal.h"
#include "xalloc.h"

enum { FOLD_LIMIT = 1 << 30 };

/* One letter a task in the line about the job. */
static const char letters[] = "SRFET";

/* ---- rows ---- */

/* A line of the text; no length is no line: nothing is known of the task. */
struct line {
	uint32_t at, length;
};

/* Of each task; a line waits in the text until somebody asks for the row. */
struct fold_rows {
	char *text; /* of the generation, or NULL */
	struct line *line;
	struct store_row **row; /* NULL until it is asked for */
	unsigned char *state;   /* as loaded */
	char *edited;
	struct words *damaged; /* the fold's */
};

struct store_fold *
store_fold_new(uint64_t tasks)
{
	struct store_fold *fold = xcalloc(1, sizeof *fold);
	struct fold_rows *rows = xcalloc(1, sizeof *rows);

	fold->asked = -1;
	fold->count = tasks;
	fold->in_state[STORE_SUBMITTED] = tasks;
	fold->rows = rows;
	rows->line = xcalloc(tasks + 1, sizeof *rows->line);
	rows->row = xcalloc(tasks + 1, sizeof *rows->row);
	rows->state = xcalloc(tasks + 1, 1);
	rows->edited = xcalloc(tasks + 1, 1);
	rows->damaged = &fold->damaged;
	return fold;
}

void
store_fold_free(struct store_fold *fold)
{
	struct fold_rows *rows;
	uint64_t i;

	if (fold == NULL)
		return;
	rows = fold->rows;
	for (i = 0; i < fold->count; i++)
		if (rows->row[i] != NULL) {
			store_row_free(rows->row[i]);
			free(rows->row[i]);
		}
	free(rows->line);
	free(rows->row);
	free(rows->state);
	free(rows->edited);
	free(rows->text);
	free(rows);
	words_free(&fold->packs);
	words_free(&fold->damaged);
	free(fold->trouble);
	free(fold);
}

/*
 * Its seal was found whole, so what cannot be taken apart was written so: it is
 * told, and made anew from the facts.
 */
static void
take_apart(struct fold_rows *rows, uint64_t task, struct store_row *row)
{
	struct line line = rows->line[task];
	struct error why;
	char what[64];

	snprintf(what, sizeof what, "row of task %" PRIu64, task);
	if (store_row_parse(
		rows->text + line.at, line.length, what, row, &why) == 0)
		return;
	words_push(rows->damaged, why.text);
	store_row_free(row);
	store_row_clear(row, task);
	rows->edited[task] = 1;
}

static struct store_row *
row_of(struct fold_rows *rows, uint64_t task)
{
	struct store_row *row = rows->row[task];

	if (row != NULL)
		return row;
	row = xmalloc(sizeof *row);
	if (rows->line[task].length > 0)
		take_apart(rows, task, row);
	else
		store_row_clear(row, task);
	rows->row[task] = row;
	return row;
}

const struct store_row *
store_fold_row(const struct store_fold *fold, uint64_t task)
{
	return row_of(fold->rows, task);
}

struct store_row *
store_fold_edit(struct store_fold *fold, uint64_t task)
{
	fold->rows->edited[task] = 1;
	return row_of(fold->rows, task);
}

enum store_state
store_fold_state(const struct store_fold *fold, uint64_t task)
{
	const struct fold_rows *rows = fold->rows;

	if (rows->row[task] != NULL)
		return rows->row[task]->state;
	return (enum store_state)rows->state[task];
}

struct store_brief
store_fold_brief(const struct store_fold *fold, uint64_t task)
{
	struct line line = fold->rows->line[task];
	struct store_brief brief = {.task = task};
	const struct store_row *row;

	if (fold->rows->row[task] == NULL && line.length == 0)
		return brief;
	if (fold->rows->row[task] == NULL &&
	    store_row_brief(fold->rows->text + line.at, line.length, &brief))
		return brief;
	row = store_fold_row(fold, task);
	return (struct store_brief){
	    task, row->state, row->attempt, row->restart, row->facts};
}

void
store_fold_count(struct store_fold *fold)
{
	uint64_t i;

	memset(fold->in_state, 0, sizeof fold->in_state);
	for (i = 0; i < fold->count; i++)
		fold->in_state[store_fold_state(fold, i)]++;
}

/* ---- publishing ---- */

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
		seal_set_int(counts, store_state_name((enum store_state)i),
		    (int64_t)fold->in_state[i]);
	json_object_set_new(record, "count", counts);
	if (fold->packs.count > 0)
		json_object_set_new(record, "packs",
		    seal_words(fold->packs.word, fold->packs.count));
	for (i = 0; i < fold->count; i++)
		states[i] = letters[store_fold_state(fold, i)];
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

/* A row as it came, or as it is now: whether there is something to say. */
static int
put_row(FILE *out, const struct store_fold *fold, uint64_t task)
{
	const struct fold_rows *rows = fold->rows;
	struct line line = rows->line[task];
	size_t length;
	char *text;

	if (!rows->edited[task]) {
		if (line.length > 0)
			fwrite(rows->text + line.at, 1, line.length, out);
		return line.length > 0;
	}
	text = store_row_text(rows->row[task], &length);
	if (text == NULL)
		return 0;
	fwrite(text, 1, length, out);
	free(text);
	return 1;
}

static char *
fold_text(const struct store_fold *fold, size_t *length)
{
	json_t *end = seal_new();
	char *text = NULL;
	uint64_t i, rows = 0;
	FILE *out;

	out = xmemopen(&text, length);
	put_line(out, head_record(fold));
	for (i = 0; i < fold->count; i++)
		rows += (uint64_t)put_row(out, fold, i);
	seal_set_int(end, "rows", (int64_t)rows);
	put_line(out, end);
	xmemclose(out);
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

static int
take_states(const char *text, struct store_fold *fold)
{
	const char *letter;
	uint64_t i;

	if (text == NULL || strlen(text) != fold->count)
		return -1;
	for (i = 0; i < fold->count; i++) {
		letter = strchr(letters, text[i]);
		if (letter == NULL)
			return -1;
		fold->rows->state[i] = (unsigned char)(letter - letters);
	}
	return 0;
}

static int
take_head(const json_t *head, struct store_fold *fold, const char *what,
    struct error *e)
{
	const char *trouble = seal_string(head, "trouble");

	fold->generation = (uint64_t)seal_int(head, "generation", 0);
	fold->time = seal_int(head, "time", 0);
	fold->asked = seal_int(head, "asked", -1);
	if (trouble != NULL)
		fold->trouble = xstrdup(trouble);
	fold->packs.word =
	    seal_take_words(json_object_get(head, "packs"), &fold->packs.count);
	if (take_states(seal_string(head, "states"), fold) == -1)
		return error_set(e, "%s:1: it is not about %" PRIu64 " tasks",
		    what, fold->count);
	store_fold_count(fold);
	return 0;
}

/* A generation while it is read. */
struct reading {
	const char *name;
	const char *at, *end;
	int number; /* of the line */
	struct error *e;
};

/* The next line, which is whole; its length, or 0. */
static size_t
next_line(struct reading *r)
{
	const char *nl = memchr(r->at, '\n', (size_t)(r->end - r->at));

	r->number++;
	if (nl == NULL) {
		error_set(r->e, "%s:%d: cut short", r->name, r->number);
		return 0;
	}
	return (size_t)(nl + 1 - r->at);
}

/* Take the line apart: one that begins as no row of this program's. */
static json_t *
read_line(const struct reading *r, size_t length)
{
	char what[128];

	snprintf(what, sizeof what, "%s:%d", r->name, r->number);
	return seal_read(r->at, length, what, r->e);
}

static int
contradicts(const struct reading *r, uint64_t task)
{
	return error_set(r->e,
	    "%s:%d: task %" PRIu64 " is not as the first line has it", r->name,
	    r->number, task);
}

/* Note where the row of a task is. */
static int
take_line(const struct reading *r, size_t length, const struct store_brief *b,
    struct store_fold *fold)
{
	struct fold_rows *rows = fold->rows;

	if (b->task >= fold->count || rows->line[b->task].length > 0 ||
	    rows->state[b->task] != b->state)
		return contradicts(r, b->task);
	rows->line[b->task] =
	    (struct line){(uint32_t)(r->at - rows->text), (uint32_t)length};
	return 0;
}

/* A line of whatever kind: 0, 1 for the end line, or -1. */
static int
take_any(const struct reading *r, size_t length, struct store_fold *fold,
    int64_t *rows)
{
	struct store_brief brief;
	struct store_row row;
	json_t *record;
	int rc;

	if (store_row_brief(r->at, length, &brief)) {
		if (seal_holds(r->at, length))
			return take_line(r, length, &brief, fold);
		return error_set(r->e,
		    "%s:%d: damaged (its checksum does not fit)", r->name,
		    r->number);
	}
	record = read_line(r, length);
	if (record == NULL)
		return -1;
	*rows = seal_int(record, "rows", -1);
	json_decref(record);
	if (*rows != -1)
		return 1;
	rc = store_row_parse(r->at, length, r->name, &row, r->e);
	brief = (struct store_brief){row.task, row.state, 0, 0, 0};
	store_row_free(&row);
	return rc == -1 ? -1 : take_line(r, length, &brief, fold);
}

/* A task that is not at its beginning has a row. */
static int
is_complete(const struct store_fold *fold)
{
	const struct fold_rows *rows = fold->rows;
	uint64_t i;

	for (i = 0; i < fold->count; i++)
		if (rows->state[i] != STORE_SUBMITTED &&
		    rows->line[i].length == 0)
			return 0;
	return 1;
}

/* The rows and the end line: 0, or -1 when they are not whole. */
static int
take_rows(struct reading *r, struct store_fold *fold)
{
	int64_t count = 0, told = -1;
	size_t length;
	int rc;

	for (;; r->at += length, count++) {
		length = next_line(r);
		if (length == 0)
			return -1;
		rc = take_any(r, length, fold, &told);
		if (rc != 0)
			break;
	}
	if (rc == -1)
		return -1;
	if (told != count || r->at + length != r->end || !is_complete(fold))
		return error_set(r->e, "%s: %" PRId64 " rows of %" PRId64,
		    r->name, count, told);
	return 0;
}

/* Takes the text over. */
static struct store_fold *
parse(char *text, size_t length, const char *name, uint64_t tasks,
    struct error *e)
{
	struct store_fold *fold = store_fold_new(tasks);
	struct reading r = {name, text, text + length, 0, e};
	json_t *head = NULL;
	size_t first;
	int rc = -1;

	fold->rows->text = text;
	first = next_line(&r);
	if (first > 0)
		head = read_line(&r, first);
	if (head != NULL)
		rc = take_head(head, fold, name, e);
	json_decref(head);
	r.at += first;
	if (rc == 0 && take_rows(&r, fold) == 0)
		return fold;
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
