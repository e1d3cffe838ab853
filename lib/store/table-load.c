#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "store/directory.h"
#include "store/job.h"
#include "store/record.h"
#include "store/table-private.h"
#include "store/table-row.h"
#include "store/table.h"

enum { TRIES = 10 };

/*
 * Read the states, a letter for each task that the job had then.  A job gets
 * more tasks and loses none: with fewer letters the table is older than the
 * job; with more, the job as it was loaded is older.  Returns 0, or -1.
 */
static int
take_states(const json_t *head, struct store_table *table)
{
	const char *text = store_record_string(head, "states");
	uint64_t count = text != NULL ? strlen(text) : 0, i;
	unsigned char of[UCHAR_MAX + 1], state;

	if (count == 0 ||
	    store_record_int(head, "tasks", (int64_t)count) != (int64_t)count)
		return -1;
	table->is_short = count < table->count;
	table->is_long = count > table->count;
	memset(of, STORE_STATES, sizeof of);
	for (i = 0; i < STORE_STATES; i++)
		of[(unsigned char)table_letters[i]] = (unsigned char)i;
	for (i = 0; i < count; i++) {
		state = of[(unsigned char)text[i]];
		if (state == STORE_STATES)
			return -1;
		if (i < table->count)
			table->rows->state[i] = state;
	}
	return 0;
}

/* Return an empty table for the settings of a job. */
static struct store_table *
new_table(const struct store_job *job)
{
	struct store_table *table = store_table_new(job->tasks);

	table->reading = job->reading;
	return table;
}

/* The state of reading a generation. */
struct reading {
	const struct store_job *job;
	const char *name;
	const char *at, *end;
	int number;  /* of the current line */
	int in_base; /* whether the rows are those of the base */
	struct error *e;
};

static int
take_head(
    const json_t *head, struct store_table *table, const struct reading *r)
{
	const char *id = store_record_string(head, "job");
	const char *sum = store_record_string(head, "base_sum");
	const json_t *summary = json_object_get(head, "summary");
	struct table_rows *rows = table->rows;

	/* Earlier releases did not name the job. */
	if (id != NULL && strcmp(id, r->job->id) != 0)
		return error_set(
		    r->e, "%s: damaged (it is of another job)", r->name);
	store_fields_take(table_fields, head, table, NULL);
	store_fields_take(table_summary_fields, summary, &table->summary, NULL);
	/* Tables of earlier releases lack a total. */
	table->summary.known = summary != NULL && table->summary.diverged != -1;
	rows->base = (uint64_t)store_record_int(head, "base", 0);
	snprintf(rows->base_sum, sizeof rows->base_sum, "%s", sum ? sum : "");
	table->packs.word = store_record_take_words(
	    json_object_get(head, "packs"), &table->packs.count);
	if (take_states(head, table) == -1)
		return error_set(
		    r->e, "%s:1: its states are not of its tasks", r->name);
	/* The summary and the packs hold only for exactly these tasks. */
	if (table->is_short || table->is_long) {
		table->summary = (struct store_summary){0};
		strlist_free(&table->packs);
	}
	/* The settings of the job as it was loaded may be older. */
	table->is_long |=
	    r->job->reading >= 0 && table->reading > r->job->reading;
	table->is_reread = table->reading != r->job->reading;
	rows->is_reread = table->is_reread;
	table->reading = r->job->reading;
	if (table->is_reread)
		table->summary = (struct store_summary){0};
	if (table->is_reread || table->is_short)
		table->compared = 0;
	store_table_count(table);
	return 0;
}

/* Return the length of the next line, or 0 if it is cut short. */
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

/* Parse the line as JSON. */
static json_t *
read_line(const struct reading *r, size_t length)
{
	char what[128];

	snprintf(what, sizeof what, "%s:%d", r->name, r->number);
	return store_record_read(r->at, length, what, r->e);
}

static int
contradicts(const struct reading *r, uint64_t task)
{
	return error_set(r->e,
	    "%s:%d: task %" PRIu64 " is not as the first line has it", r->name,
	    r->number, task);
}

static void
set_line(struct line *line, const char *at, size_t length,
    const struct store_brief *b)
{
	*line = (struct line){at, (uint32_t)length, b->attempt, b->restart,
	    (uint16_t)b->length, (uint8_t)b->facts, 0};
	if (b->facts > UINT8_MAX)
		line->begin = 0;
}

/* Note where the row of a task is. */
static int
take_line(const struct reading *r, size_t length, const struct store_brief *b,
    struct store_table *table)
{
	struct table_rows *rows = table->rows;
	struct line *line;

	if (b->task >= table->count)
		return table->is_long ? 0 : contradicts(r, b->task);
	line = &rows->line[b->task];
	if (r->in_base && line->length > 0 && !line->in_base)
		return 0; /* the generation has a newer row */
	if (line->length > 0 || rows->state[b->task] != b->state)
		return contradicts(r, b->task);
	set_line(line, r->at, length, b);
	line->in_base = (uint8_t)r->in_base;
	return 0;
}

/* Read a line of any kind.  Returns 0, 1 for the end line, or -1. */
static int
take_any(const struct reading *r, size_t length, struct store_table *table,
    int64_t *rows)
{
	struct store_brief brief;
	struct store_row row;
	json_t *record;
	int rc;

	if (store_row_brief(r->at, length, &brief)) {
		if (store_record_holds(r->at, length))
			return take_line(r, length, &brief, table);
		return error_set(r->e,
		    "%s:%d: damaged (its checksum does not fit)", r->name,
		    r->number);
	}
	record = read_line(r, length);
	if (record == NULL)
		return -1;
	*rows = store_record_int(record, "rows", -1);
	json_decref(record);
	if (*rows != -1)
		return 1;
	rc = store_row_parse(r->at, length, r->name, &row, r->e);
	brief = (struct store_brief){row.task, row.state, 0, 0, 0, 0};
	store_row_free(&row);
	return rc == -1 ? -1 : take_line(r, length, &brief, table);
}

/* Return whether every task that is not SUBMITTED has a row. */
static int
is_complete(const struct store_table *table)
{
	const struct table_rows *rows = table->rows;
	uint64_t i;

	for (i = 0; i < table->count; i++)
		if (rows->state[i] != STORE_SUBMITTED &&
		    rows->line[i].length == 0)
			return 0;
	return 1;
}

/* Read the rows and the end line.  Returns 0, or -1 if they are incomplete. */
static int
take_rows(struct reading *r, struct store_table *table)
{
	int64_t count = 0, counted = -1;
	size_t length;
	int rc;

	for (;; r->at += length, count++) {
		length = next_line(r);
		rc = length == 0 ? -1 : take_any(r, length, table, &counted);
		if (rc != 0)
			break;
	}
	if (rc == -1)
		return -1;
	if (counted != count || r->at + length != r->end)
		return error_set(r->e, "%s: %" PRId64 " rows of %" PRId64,
		    r->name, count, counted);
	return 0;
}

/* Read the first line of a generation.  Returns its length, or 0. */
static size_t
take_first(struct reading *r, struct store_table *table)
{
	size_t length = next_line(r);
	json_t *head = length > 0 ? read_line(r, length) : NULL;

	if (head == NULL || take_head(head, table, r) == -1)
		length = 0;
	json_decref(head);
	return length;
}

/* Where to read the generations of a job. */
struct source {
	const struct store_job *job;
	int dir;
	const struct idset *tasks; /* NULL: all */
	int patient;               /* a missing base may still appear */
	struct error *e;           /* not NULL */
};

/* Set the code of a failure: any fault in a generation's text is damage. */
static int
damaged(struct error *e, int rc)
{
	if (rc == -1)
		e->code = ERROR_DAMAGED;
	return rc;
}

/* Report a base as lost if it was not in a fresh listing either. */
static int
lost(const struct source *s, const char *name)
{
	if (s->e->code != ERROR_ABSENT || s->patient)
		return -1;
	return error_code(s->e, ERROR_DAMAGED, "%s: not there", name);
}

/* Return the length of a base's first line, or 0 if it is another base. */
static size_t
take_base_line(struct reading *r, const struct table_rows *rows)
{
	size_t length = next_line(r);
	char sum[STORE_SUM_SIZE];

	if (length == 0)
		return 0;
	if (store_record_holds(r->at, length)) {
		store_record_sum(r->at, length, sum);
		if (strcmp(sum, rows->base_sum) == 0)
			return length;
	}
	error_set(r->e, "%s:1: damaged, or another one", r->name);
	return 0;
}

/* Read a file of a generation.  Its text belongs to the table. */
static int
read_text(const struct source *s, const char *name, struct store_table *table,
    struct reading *r)
{
	size_t length;
	char *text;

	if (fs_read(s->dir, name, FS_ALL_TASKS, &text, &length, s->e) == -1)
		return -1;
	strlist_take(&table->rows->texts, text);
	*r = (struct reading){.job = s->job,
	    .name = name,
	    .at = text,
	    .end = text + length,
	    .e = s->e};
	return 0;
}

/* Read the rows that are only in the base. */
static int
read_base(const struct source *s, struct store_table *table)
{
	struct table_rows *rows = table->rows;
	struct reading r;
	char name[64];
	size_t length;

	table_file_name(rows->base, name);
	if (read_text(s, name, table, &r) == -1)
		return lost(s, name);
	r.in_base = 1;
	rows->base_size = (uint64_t)(r.end - r.at);
	length = take_base_line(&r, rows);
	if (length == 0)
		return damaged(s->e, -1);
	r.at += length;
	return damaged(s->e, take_rows(&r, table));
}

/* Read the whole text of a generation without its base. */
static int
take_text(struct reading *r, struct store_table *table, uint64_t generation)
{
	struct table_rows *rows = table->rows;
	size_t first = take_first(r, table);

	if (first == 0)
		return -1;
	r->in_base = rows->base == 0;
	if (r->in_base) {
		rows->base = generation;
		rows->base_size = (uint64_t)(r->end - r->at);
		store_record_sum(r->at, first, rows->base_sum);
	}
	r->at += first;
	return take_rows(r, table);
}

static int
read_whole(
    const struct source *s, uint64_t generation, struct store_table *table)
{
	struct reading r;
	char name[64];
	int rc;

	table_file_name(generation, name);
	if (read_text(s, name, table, &r) == -1)
		return -1;
	rc = damaged(s->e, take_text(&r, table, generation));
	if (rc == 0 && table->rows->base != generation)
		rc = read_base(s, table);
	if (rc == 0 && !is_complete(table))
		rc = error_code(
		    s->e, ERROR_DAMAGED, "%s: rows are missing", name);
	return rc;
}

/* ---- reading a part of a table ---- */

/* A file that is read in parts. */
struct part {
	int fd;
	uint64_t size, from, to; /* the rows are between from and to */
	int in_base;
	char name[64];
	const struct store_job *job;
	struct store_table *table;
	struct error *e;
};

/*
 * Further results of these functions, besides 0 and -1: the whole table must be
 * read; there is no such row.
 */
enum { READ_ALL = 1, NO_ROW = 2 };
enum { END = 256, WINDOW = 16 << 10, SCAN = 64 << 10 };

static int
is_damaged(struct part *p, const char *what)
{
	return error_code(
	    p->e, ERROR_DAMAGED, "%s: damaged (%s)", p->name, what);
}

static int
read_part(
    struct part *p, uint64_t from, size_t limit, char **out, size_t *length)
{
	if (fs_read_at(p->fd, from, limit, out, length, p->e) == 0)
		return 0;
	return error_prefix(p->e, p->name);
}

static int
read_first_line(struct part *p)
{
	size_t limit = p->table->count + (8 << 10), length;
	struct reading r = {.job = p->job, .name = p->name, .e = p->e};
	char *text = NULL;

	do {
		free(text);
		if (read_part(p, 0, limit, &text, &length) == -1)
			return -1;
		limit *= 2;
	} while (length == limit / 2 && memchr(text, '\n', length) == NULL);
	r.at = text;
	r.end = text + length;
	p->from = p->in_base ? take_base_line(&r, p->table->rows)
			     : take_first(&r, p->table);
	free(text);
	return damaged(p->e, p->from > 0 ? 0 : -1);
}

/* Find the end of the rows; without the last line, rows may be missing. */
static int
read_last_line(struct part *p)
{
	uint64_t from = p->size > END ? p->size - END : 0;
	size_t length;
	char *text, *at;
	json_t *record;
	int rc = 0;

	if (read_part(p, from, END, &text, &length) == -1)
		return -1;
	if (length == 0 || text[length - 1] != '\n') {
		free(text);
		return is_damaged(p, "cut short");
	}
	for (at = text + length - 1; at > text && at[-1] != '\n';)
		at--;
	length = (size_t)(text + length - at);
	record = store_record_read(at, length, p->name, p->e);
	p->to = p->size - length;
	if (store_record_int(record, "rows", -1) == -1)
		rc = is_damaged(p, "its end is not there");
	else if (p->to < p->from)
		rc = is_damaged(p, "cut short");
	json_decref(record);
	free(text);
	return rc;
}

/* Check the first line of a text; set its length and its row's beginning. */
static int
look_at(struct part *p, const char *text, size_t length, size_t *line,
    struct store_brief *brief)
{
	const char *nl = memchr(text, '\n', length);

	*line = 0;
	if (nl == NULL)
		return READ_ALL;
	*line = (size_t)(nl + 1 - text);
	if (!store_record_holds(text, *line))
		return is_damaged(p, "a checksum does not fit");
	return store_row_brief(text, *line, brief) ? 0 : READ_ALL;
}

/* Find the first row after a place, which may be within a line. */
static int
probe(struct part *p, uint64_t place, struct store_brief *brief, uint64_t *from,
    uint64_t *to)
{
	size_t length, line;
	char *text, *nl;
	int rc = READ_ALL;

	if (read_part(p, place, WINDOW, &text, &length) == -1)
		return -1;
	nl = memchr(text, '\n', length);
	if (nl != NULL) {
		nl++;
		rc = look_at(p, nl, (size_t)(text + length - nl), &line, brief);
		*from = place + (uint64_t)(nl - text);
		*to = *from + line;
	}
	free(text);
	return rc;
}

static void
keep_line(struct part *p, const char *text, size_t length,
    const struct store_brief *brief)
{
	struct table_rows *rows = p->table->rows;
	char *copy = xmalloc(length);

	memcpy(copy, text, length);
	strlist_take(&rows->texts, copy);
	set_line(&rows->line[brief->task], copy, length, brief);
}

/* Find a row among lines that were read, none of which may be damaged. */
static int
scan(struct part *p, const char *text, size_t length, uint64_t task)
{
	struct store_brief brief;
	size_t line;
	int rc;

	for (; length > 0; text += line, length -= line) {
		rc = look_at(p, text, length, &line, &brief);
		if (line == 0)
			return is_damaged(p, "cut short");
		if (rc != 0)
			return rc;
		if (brief.task != task)
			continue;
		if (brief.state != p->table->rows->state[task])
			return is_damaged(p, "a row is not as its head has it");
		keep_line(p, text, line, &brief);
		return 0;
	}
	return NO_ROW;
}

/* Find the row of a task by halving: rows are in the order of their tasks. */
static int
read_row(struct part *p, uint64_t task)
{
	uint64_t from = p->from, to = p->to, begin, end;
	struct store_brief brief;
	size_t length;
	char *text;
	int rc;

	while (to - from > SCAN) {
		rc = probe(p, from + (to - from) / 2, &brief, &begin, &end);
		if (rc != 0)
			return rc;
		if (brief.task >= task)
			to = brief.task == task ? end : begin;
		if (brief.task <= task)
			from = brief.task == task ? begin : end;
	}
	if (read_part(p, from, (size_t)(to - from), &text, &length) == -1)
		return -1;
	rc = length < to - from ? is_damaged(p, "cut short")
				: scan(p, text, length, task);
	free(text);
	return rc;
}

/* Open a file and read its first and last line. */
static int
open_part(struct part *p, const struct source *s, uint64_t generation)
{
	int rc;

	table_file_name(generation, p->name);
	p->e = s->e;
	p->fd = fs_open_file(s->dir, p->name, &p->size, s->e);
	if (p->fd == -1)
		return -1;
	rc = read_first_line(p);
	return rc == 0 ? read_last_line(p) : rc;
}

/* Find a row in the generation, or else in its base. */
static int
find_row(
    struct part *p, struct part *base, const struct source *s, uint64_t task)
{
	struct table_rows *rows = p->table->rows;
	int rc = read_row(p, task);

	if (rc == NO_ROW && rows->base != 0) {
		if (base->fd == -1)
			rc = open_part(base, s, rows->base);
		if (base->fd == -1)
			return lost(s, base->name);
		if (rc != -1)
			rc = read_row(base, task);
	}
	if (rc == NO_ROW)
		rc = rows->state[task] == STORE_SUBMITTED
		    ? 0
		    : is_damaged(p, "a row is missing");
	return rc;
}

/* Read only the rows of the wanted tasks. */
static int
load_part(
    const struct source *s, uint64_t generation, struct store_table *table)
{
	struct part p = {.job = s->job, .table = table};
	struct part base = {.fd = -1, .in_base = 1, .table = table};
	const struct idset_run *run = s->tasks->run;
	const struct idset_run *end = run + s->tasks->count;
	uint64_t task;
	int rc = open_part(&p, s, generation);

	if (rc == 0)
		table->rows->is_part = 1;
	for (; rc == 0 && run < end; run++) {
		idset_add(&table->rows->part, run->first, run->last);
		for (task = run->first;
		     rc == 0 && task <= run->last && task < table->count;
		     task++)
			rc = find_row(&p, &base, s, task);
	}
	fs_close(base.fd);
	fs_close(p.fd);
	return rc;
}

/* ---- loading the newest generation ---- */

static struct store_table *
load_generation(const struct source *s, uint64_t generation)
{
	struct store_table *table = new_table(s->job);
	int rc = READ_ALL;

	if (s->tasks != NULL)
		rc = load_part(s, generation, table);
	if (rc == READ_ALL && s->tasks != NULL) {
		store_table_free(table);
		table = new_table(s->job);
	}
	if (rc == READ_ALL)
		rc = read_whole(s, generation, table);
	if (rc == 0) {
		table->generation = generation;
		return table;
	}
	store_table_free(table);
	return NULL;
}

/*
 * Try once to load the newest complete generation; NULL on failure.  *top is
 * set to the newest of all, and *vanished to whether one was listed and then
 * gone.
 */
static struct store_table *
load_newest(const struct source *from, uint64_t *top, struct strlist *bad,
    int *vanished)
{
	struct source s = *from;
	struct store_table *table = NULL;
	struct fs_names names;
	uint64_t generation;
	struct error why;
	int unread = 0;

	*vanished = 0;
	if (fs_list(s.dir, &names, s.e) == -1)
		return NULL;
	s.e = &why;
	*top = generation = table_newest(&names, UINT64_MAX);
	for (; generation > 0; generation = table_newest(&names, generation)) {
		table = load_generation(&s, generation);
		if (table != NULL)
			break;
		if (why.code == ERROR_ABSENT) {
			*vanished = 1;
			continue;
		}
		if (!store_directory_is_damage(&why)) {
			unread = error_copy(from->e, &why);
			break;
		}
		strlist_push(bad, why.text);
	}
	fs_names_free(&names);
	if (table == NULL && !*vanished && !unread)
		table = new_table(s.job);
	return table;
}

static struct store_table *
load(const struct store_job *job, const struct idset *tasks, struct error *e)
{
	struct source s = {job, -1, tasks, 1, e};
	struct strlist bad = {0};
	struct store_table *table;
	int vanished, tries = 0;
	uint64_t top;

	s.dir = fs_open_subdir(job->dir, "fold", 0, e);
	if (s.dir == -1)
		return errno == ENOENT ? new_table(job) : NULL;
	error_code(e, ERROR_LATER,
	    "%s/fold: changes faster than it can be read", job->path);
	do {
		strlist_free(&bad);
		s.patient = tries < TRIES / 2;
		table = load_newest(&s, &top, &bad, &vanished);
	} while (table == NULL && vanished && ++tries < TRIES);
	fs_close(s.dir);
	if (table == NULL) {
		strlist_free(&bad);
		return NULL;
	}
	table->generation = top;
	table->damaged = bad;
	return table;
}

struct store_table *
store_table_load(const struct store_job *job, struct error *e)
{
	return load(job, NULL, e);
}

struct store_table *
store_table_load_part(
    const struct store_job *job, const struct idset *tasks, struct error *e)
{
	return load(job, tasks, e);
}

int
store_table_check(
    const struct store_job *job, const char *name, struct error *e)
{
	const struct fs_names names = {(char **)(uintptr_t)&name, 1};
	uint64_t generation = table_newest(&names, UINT64_MAX);
	struct error why;
	struct source s = {job, -1, NULL, 1, &why};
	struct store_table *table = NULL;
	struct stat st;

	if (generation == 0)
		return 1;
	s.dir = fs_open_subdir(job->dir, "fold", 0, &why);
	if (s.dir != -1)
		table = load_generation(&s, generation);
	/* The base may be gone just now, with its generation or not. */
	s.patient = 0;
	if (table == NULL && why.code == ERROR_ABSENT && s.dir != -1 &&
	    fs_ops.fstatat(s.dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		table = load_generation(&s, generation);
	store_table_free(table);
	fs_close(s.dir);
	return table != NULL ? 0 : error_copy(e, &why);
}
