#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "store/directory.h"
#include "store/load.h"
#include "store/record.h"
#include "store/table-private.h"
#include "store/table-row.h"
#include "store/table.h"

/* Use a base from LARGE bytes on, while at most 1 in FEW rows has changed. */
enum { LARGE = 256 << 10, FEW = 8 };

const char table_letters[] = "SRFET";

const struct store_field table_fields[] = {
    STORE_ALWAYS(STORE_NUMBER, struct store_table, generation, 0),
    STORE_ALWAYS(STORE_NUMBER, struct store_table, time, 0),
    STORE_FIELD(STORE_NUMBER, struct store_table, asked, -1),
    STORE_FIELD(STORE_TEXT, struct store_table, trouble, 0),
    STORE_FIELD(STORE_TEXT, struct store_table, silence, 0),
    STORE_FIELD(STORE_NUMBER, struct store_table, silent, -1),
    STORE_FIELD(STORE_INT, struct store_table, alone, 0),
    STORE_FIELD(STORE_NUMBER, struct store_table, reading, 0),
    STORE_FIELD(STORE_INT, struct store_table, compared, 0),
    {0},
};

const struct store_field table_summary_fields[] = {
    STORE_FIELD(STORE_NAME, struct store_summary, metric, METRICS_NAME),
    STORE_ALWAYS(STORE_NUMBER, struct store_summary, namer, -1),
    STORE_ALWAYS(STORE_NUMBER, struct store_summary, best, -1),
    STORE_ALWAYS(STORE_REAL, struct store_summary, value, 0),
    STORE_ALWAYS(STORE_REAL, struct store_summary, epoch, 0),
    STORE_ALWAYS(STORE_REAL, struct store_summary, done, 0),
    STORE_ALWAYS(STORE_REAL, struct store_summary, epochs, 0),
    STORE_ALWAYS(STORE_NUMBER, struct store_summary, parts, 0),
    STORE_ALWAYS(STORE_NUMBER, struct store_summary, unknown, 0),
    STORE_ALWAYS(STORE_NUMBER, struct store_summary, ending, 0),
    STORE_ALWAYS(STORE_NUMBER, struct store_summary, without, 0),
    STORE_ALWAYS(STORE_NUMBER, struct store_summary, diverged, -1),
    STORE_FIELD(STORE_NUMBER, struct store_summary, pruned, 0),
    {0},
};

/* ---- names ---- */

void
table_file_name(uint64_t generation, char out[64])
{
	snprintf(out, 64, "state.%" PRIu64 ".jsonl", generation);
}

uint64_t
table_generation_of(
    const char *name, void (*write)(uint64_t generation, char out[64]))
{
	size_t digits = strcspn(name, ".") + 1;
	uint64_t generation;
	char again[64];

	if (strlen(name) < digits)
		return 0;
	generation = strtoull(name + digits, NULL, 10);
	write(generation, again);
	return strcmp(again, name) == 0 ? generation : 0;
}

uint64_t
table_newest_of(const struct fs_names *names, uint64_t limit,
    void (*write)(uint64_t generation, char out[64]))
{
	uint64_t best = 0, generation;
	size_t i;

	for (i = 0; i < names->count; i++) {
		generation = table_generation_of(names->name[i], write);
		if (generation < limit && generation > best)
			best = generation;
	}
	return best;
}

uint64_t
table_newest(const struct fs_names *names, uint64_t limit)
{
	return table_newest_of(names, limit, table_file_name);
}

/* ---- rows ---- */

struct store_table *
store_table_new(uint64_t tasks)
{
	struct store_table *table = xcalloc(1, sizeof *table);
	struct table_rows *rows = xcalloc(1, sizeof *rows);

	store_fields_clear(table_fields, table);
	table->count = tasks;
	table->in_state[STORE_SUBMITTED] = tasks;
	table->rows = rows;
	rows->count = tasks;
	rows->line = xcalloc(tasks + 1, sizeof *rows->line);
	rows->row = xcalloc(tasks + 1, sizeof *rows->row);
	rows->state = xcalloc(tasks + 1, 1);
	rows->edited = xcalloc(tasks + 1, 1);
	rows->damaged = &table->damaged;
	return table;
}

void
store_table_free(struct store_table *table)
{
	struct table_rows *rows;
	uint64_t i;

	if (table == NULL)
		return;
	rows = table->rows;
	for (i = 0; i < rows->count; i++)
		if (rows->row[i] != NULL) {
			store_row_free(rows->row[i]);
			free(rows->row[i]);
		}
	free(rows->line);
	free(rows->row);
	free(rows->state);
	free(rows->edited);
	strlist_free(&rows->texts);
	idset_free(&rows->part);
	free(rows);
	store_fields_free(table_fields, table);
	strlist_free(&table->packs);
	strlist_free(&table->damaged);
	free(table);
}

/*
 * Parse a row.  Its checksum was right, so a row that cannot be parsed was
 * written that way: report it, and make it again from the facts.
 */
static void
take_apart(struct table_rows *rows, uint64_t task, struct store_row *row)
{
	struct line line = rows->line[task];
	struct error why;
	char what[64];

	/* Nearly all rows can be parsed: only the others need a name. */
	if (store_row_parse(line.at, line.length, "", row, NULL) == 0)
		return;
	snprintf(what, sizeof what, "row of task %" PRIu64, task);
	store_row_parse(line.at, line.length, what, row, &why);
	strlist_push(rows->damaged, why.text);
	store_row_free(row);
	store_row_clear(row, task);
	rows->line[task] = (struct line){0};
	rows->state[task] = STORE_SUBMITTED;
}

/* Return whether a row was read; only such rows may be asked for. */
static int
is_read(const struct table_rows *rows, uint64_t task)
{
	return !rows->is_part || idset_has(&rows->part, task);
}

int
table_facts_reread(enum store_state state, uint32_t restart, int facts)
{
	if (store_state_is_final(state) &&
	    ((facts & STORE_HAS_S) != 0 || restart > 0))
		return facts | STORE_LOG_DUE;
	return facts;
}

/* Forget what is known of the log of a task, so that it is read again. */
static void
forget_log(struct store_row *row)
{
	struct store_row fresh;

	store_row_clear(&fresh, row->task);
	free(row->metrics_path);
	free(row->metrics_marks);
	row->metrics_path = row->metrics_marks = NULL;
	row->metrics_inode = fresh.metrics_inode;
	row->metrics_check = fresh.metrics_check;
	row->metrics = fresh.metrics;
	row->facts = table_facts_reread(row->state, row->restart, row->facts);
}

void
store_table_copy(
    const struct store_table *table, uint64_t task, struct store_row *out)
{
	struct table_rows *rows = table->rows;

	assert(is_read(rows, task));
	if (rows->line[task].length > 0)
		take_apart(rows, task, out);
	else
		store_row_clear(out, task);
	if (rows->is_reread)
		forget_log(out);
}

static struct store_row *
row_of(const struct store_table *table, uint64_t task)
{
	struct store_row **row = &table->rows->row[task];

	if (*row == NULL) {
		*row = xmalloc(sizeof **row);
		store_table_copy(table, task, *row);
	}
	return *row;
}

const struct store_row *
store_table_row(const struct store_table *table, uint64_t task)
{
	return row_of(table, task);
}

struct store_row *
store_table_edit(struct store_table *table, uint64_t task)
{
	table->rows->edited[task] = 1;
	return row_of(table, task);
}

void
store_table_forget(const struct store_table *table, uint64_t task)
{
	struct table_rows *rows = table->rows;

	if (rows->row[task] == NULL || rows->edited[task])
		return;
	store_row_free(rows->row[task]);
	free(rows->row[task]);
	rows->row[task] = NULL;
}

int
store_table_holds(const struct store_table *table, uint64_t task)
{
	return table->rows->row[task] != NULL;
}

void
store_table_undo(struct store_table *table, uint64_t task)
{
	if (table->rows->is_reread) /* its line has other values */
		return;
	table->rows->edited[task] = 0;
	store_table_forget(table, task);
}

enum store_state
store_table_state(const struct store_table *table, uint64_t task)
{
	const struct table_rows *rows = table->rows;

	if (rows->row[task] != NULL)
		return rows->row[task]->state;
	return (enum store_state)rows->state[task];
}

struct store_brief
store_table_brief(const struct store_table *table, uint64_t task)
{
	const struct table_rows *rows = table->rows;
	const struct line *line = &rows->line[task];
	const struct store_row *row = rows->row[task];
	int facts = line->facts;

	assert(is_read(rows, task));
	if (row == NULL && line->length > 0 && line->begin == 0)
		row = store_table_row(table, task);
	if (row != NULL)
		return (struct store_brief){task, row->state, row->attempt,
		    row->restart, row->facts, 0};
	if (rows->is_reread)
		facts = table_facts_reread(
		    (enum store_state)rows->state[task], line->restart, facts);
	return (struct store_brief){task, (enum store_state)rows->state[task],
	    line->attempt, line->restart, facts, line->begin};
}

const char *
store_table_rungs(const struct store_table *table, uint64_t task)
{
	const struct line *line = &table->rows->line[task];

	/* A row in another form than this version's is parsed. */
	if (table->rows->row[task] != NULL ||
	    (line->length > 0 && line->begin == 0))
		return store_table_row(table, task)->rungs;
	return store_row_rungs(
	    line->at + line->begin, line->length - line->begin);
}

int
store_table_waits(const struct store_table *table, uint64_t task,
    const char *cause, int64_t array, int64_t index)
{
	const struct table_rows *rows = table->rows;
	const struct line *line = &rows->line[task];

	return rows->row[task] == NULL && line->begin > 0 &&
	    store_row_waits(line->at + line->begin, line->length - line->begin,
		cause, array, index);
}

void
store_table_count(struct store_table *table)
{
	uint64_t i;

	memset(table->in_state, 0, sizeof table->in_state);
	for (i = 0; i < table->count; i++)
		table->in_state[store_table_state(table, i)]++;
}

/* ---- publishing ---- */

static json_t *
head_record(
    const struct store_job *job, const struct store_table *table, int based)
{
	json_t *record = store_record_new(), *counts = json_object();
	char *states = xmalloc(table->count + 1);
	uint64_t i;

	store_record_set_string(record, "job", store_job_id(job));
	store_fields_write(table_fields, table, record);
	store_record_set_int(record, "tasks", (int64_t)table->count);
	for (i = 0; i < STORE_STATES; i++)
		store_record_set_int(counts,
		    store_state_name((enum store_state)i),
		    (int64_t)table->in_state[i]);
	json_object_set_new(record, "count", counts);
	if (table->summary.known)
		json_object_set_new(record, "summary",
		    store_fields_write(
			table_summary_fields, &table->summary, json_object()));
	if (based) {
		store_record_set_int(
		    record, "base", (int64_t)table->rows->base);
		store_record_set_string(
		    record, "base_sum", table->rows->base_sum);
	}
	if (table->packs.count > 0)
		json_object_set_new(record, "packs",
		    store_record_words(table->packs.word, table->packs.count));
	for (i = 0; i < table->count; i++)
		states[i] = table_letters[store_table_state(table, i)];
	states[table->count] = '\0';
	store_record_set_string(record, "states", states);
	free(states);
	return record;
}

static void
put_line(FILE *out, json_t *record)
{
	size_t length;
	char *text = store_record_text(record, 0, &length);

	fwrite(text, 1, length, out);
	free(text);
}

/*
 * Write a row, as loaded or as edited.  Returns whether it was written.  Rows
 * of the base are not repeated, but a row that became empty since is written.
 */
static int
put_row(FILE *out, const struct store_table *table, uint64_t task, int based)
{
	const struct table_rows *rows = table->rows;
	struct line line = rows->line[task];
	size_t length;
	char *text;

	if (!rows->edited[task]) {
		if (line.length == 0 || (based && line.in_base))
			return 0;
		fwrite(line.at, 1, line.length, out);
		return 1;
	}
	if (store_row_is_new(rows->row[task]) && !(based && line.length > 0))
		return 0;
	text = store_row_text(rows->row[task], &length);
	fwrite(text, 1, length, out);
	free(text);
	return 1;
}

/* Return whether to write only what changed since the base. */
static int
is_based(const struct store_table *table)
{
	const struct table_rows *rows = table->rows;
	uint64_t i, changed = 0;

	if (rows->base == 0 || rows->base_size < LARGE)
		return 0;
	for (i = 0; i < table->count; i++)
		changed += rows->edited[i] ||
		    (rows->line[i].length > 0 && !rows->line[i].in_base);
	return changed < table->count / FEW;
}

static char *
table_text(const struct store_job *job, const struct store_table *table,
    size_t *length)
{
	int based = is_based(table);
	json_t *end = store_record_new();
	char *text = NULL;
	uint64_t i, rows = 0;
	FILE *out;

	out = xmemopen(&text, length);
	put_line(out, head_record(job, table, based));
	for (i = 0; i < table->count; i++)
		rows += (uint64_t)put_row(out, table, i, based);
	store_record_set_int(end, "rows", (int64_t)rows);
	put_line(out, end);
	xmemclose(out);
	return text;
}

/* Remove the generations before the last one, except its base. */
static void
prune(int dir, uint64_t generation, uint64_t base)
{
	struct fs_names names;
	uint64_t old;
	size_t i;

	if (fs_list(dir, &names, NULL) == -1)
		return;
	for (i = 0; i < names.count; i++) {
		old = table_generation_of(names.name[i], table_file_name);
		if (old != 0 && old + 1 < generation && old != base)
			fs_unlink(dir, names.name[i], NULL);
	}
	fs_names_free(&names);
}

int
store_table_publish(
    const struct store_job *job, struct store_table *table, struct error *e)
{
	char name[64], *text;
	size_t length;
	int dir, rc;

	assert(!table->rows->is_part);
	if (table->is_long)
		return 1;
	dir = fs_open_subdir(store_job_dir(job), "fold", 1, e);
	if (dir == -1)
		return -1;
	store_table_count(table);
	table->generation++;
	table_file_name(table->generation, name);
	text = table_text(job, table, &length);
	rc = fs_publish(dir, name, text, length, e);
	free(text);
	if (rc == 0)
		prune(dir, table->generation, table->rows->base);
	fs_close(dir);
	return rc;
}

int
store_table_touch(
    const struct store_job *job, const struct store_table *table, int64_t asked)
{
	char name[64];
	int dir, rc;

	dir = fs_open_subdir(store_job_dir(job), "fold", 0, NULL);
	if (dir == -1)
		return -1;
	table_file_name(table->generation, name);
	rc = fs_set_changed(dir, name, asked, NULL);
	fs_close(dir);
	return rc;
}

int64_t
store_table_time(const struct store_job *job)
{
	struct fs_names names;
	int64_t time = -1;
	char name[64], *path;
	int dir;

	if (store_job_settled(job) > 0) { /* it is not open */
		table_file_name(store_job_settled(job), name);
		path = xasprintf("%s/fold/%s", store_job_path(job), name);
		fs_changed(AT_FDCWD, path, &time, NULL);
		free(path);
		return time;
	}
	dir = store_directory_list(job, "fold", &names, NULL);
	if (dir == -1)
		return -1;
	table_file_name(table_newest(&names, UINT64_MAX), name);
	fs_changed(dir, name, &time, NULL);
	store_directory_close(dir, &names);
	return time;
}

int64_t
store_table_kept(const struct store_job *job, const struct store_table *table)
{
	int64_t time = -1;
	char name[64];
	struct stat st;
	int dir = -1;

	if (table->generation > 0 && !table->alone)
		dir = fs_open_subdir(store_job_dir(job), "fold", 0, NULL);
	if (dir == -1)
		return -1;
	table_file_name(table->generation, name);
	/* Publishing sets nanoseconds, store_table_touch does not. */
	if (fs_ops.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_mtim.tv_nsec == 0)
		time = st.st_mtime;
	fs_close(dir);
	return time;
}

int64_t
store_table_age(const struct store_job *job, int64_t *queued)
{
	int64_t now, made = store_table_time(job),
		     last = store_job_created(job);
	int dir;

	if (made == -1)
		return -1;
	dir = fs_open_subdir(store_job_dir(job), "fold", 0, NULL);
	if (dir == -1 || fs_now(dir, &now, NULL) == -1)
		now = time(NULL); /* without write access */
	fs_close(dir);
	if (queued != NULL) {
		/* sub/ changes when tasks are queued or sbatch is called. */
		fs_changed(store_job_dir(job), "sub", &last, NULL);
		*queued = made - last;
	}
	return now > made ? now - made : 0;
}

/* Return when a directory of facts was last changed, or -1. */
static int64_t
facts_time(const struct store_job *job)
{
	struct fs_names names;
	int dir = store_directory_list(job, "run", &names, NULL);
	int64_t changed, time = -1;
	size_t i;

	for (i = 0; i < names.count; i++)
		if (fs_changed(dir, names.name[i], &changed, NULL) == 0 &&
		    changed > time)
			time = changed;
	store_directory_close(dir, &names);
	return time;
}

int
store_table_is_behind(const struct store_job *job)
{
	enum { PASS = 2 }; /* seconds from listing the facts to the table */
	int64_t made = store_table_time(job);

	return made != -1 && facts_time(job) > made - PASS;
}
