#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "store/directory.h"
#include "store/fields.h"
#include "store/job.h"
#include "store/record.h"
#include "store/settled.h"
#include "store/store.h"
#include "store/table-private.h"

enum {
	/*
	 * Seconds for which nothing may have changed in a job before its line
	 * counts: two changes within one tick of the file system's clock, which
	 * may be seconds, have the same time.
	 */
	CALM = 4,
	FEW = 16,       /* write the record again for so many new lines ... */
	PART = 64,      /* ... or one in PART lines */
	LIMIT = 1 << 30 /* bytes */
};

static const char part[] = "fold";
static const char kind[] = "# stfm-settled ", version[] = "1 ";

#define TEXT(member) STORE_FIELD(STORE_TEXT, struct store_settled, member, 0)
#define NUMBER(member) \
	STORE_FIELD(STORE_NUMBER, struct store_settled, member, 0)
static const struct store_field fields[] = {
    TEXT(name),
    TEXT(id),
    TEXT(description),
    TEXT(tags),
    {"objective", STORE_TEXT, offsetof(struct store_settled, metric), 0, 0},
    TEXT(goal),
    TEXT(directory),
    TEXT(user),
    NUMBER(uid),
    NUMBER(created),
    NUMBER(tasks),
    NUMBER(finished),
    NUMBER(error),
    NUMBER(stopped),
    NUMBER(generation),
    NUMBER(time),
    NUMBER(sum),
    {"has", STORE_NUMBER, offsetof(struct store_settled, parts), 0, 0},
    NUMBER(mode),
    NUMBER(pass),
    NUMBER(hooks),
    {0},
};
#undef TEXT
#undef NUMBER

/* ---- stamps ---- */

/*
 * The directories from which a line is made, besides those that every job has.
 * Lists read the first ones, passes read all.
 */
static const char *const optional[] = {
    "ext", "change", "ctl", "sub", "run", "pack"};
static const char record[] = "job.json";
enum { LISTED = 2, OPTIONAL = sizeof optional / sizeof *optional };
enum { CHANGED = 8 }; /* a later bit of a listed one: it is not empty */

static uint64_t
mix(uint64_t sum, uint64_t value)
{
	sum = (sum ^ value) * 0x9e3779b97f4a7c15;
	return sum ^ sum >> 32;
}

/* Add a file to a stamp, and to its sum.  Returns 0, or -1. */
static int
add_to(int jobs, const char *name, const char *file, struct store_stamp *s,
    uint64_t *sum)
{
	char path[512];
	struct stat st;
	int n = snprintf(
	    path, sizeof path, "%s%s%s", name, *file != '\0' ? "/" : "", file);

	if (n < 0 || (size_t)n >= sizeof path ||
	    fs_stat_fresh(jobs, path, &st) == -1)
		return -1;
	*sum = mix(*sum, st.st_ino);
	*sum = mix(*sum, (uint64_t)st.st_ctim.tv_sec);
	*sum = mix(*sum, (uint64_t)st.st_ctim.tv_nsec);
	if (st.st_ctim.tv_sec > s->newest)
		s->newest = st.st_ctim.tv_sec;
	if (*file == '\0')
		s->mode = st.st_mode;
	else if (strcmp(file, record) == 0) /* who cannot read it, either */
		s->mode &= st.st_mode | (mode_t)~0044;
	return 0;
}

static int
add_file(int jobs, const char *name, const char *file, struct store_stamp *s)
{
	return add_to(jobs, name, file, s, &s->sum);
}

/*
 * Add the record of each change in a directory, because a repair writes it
 * again.  Returns their number, or -1.
 */
static int
add_changes(int jobs, const char *name, const char *dir, struct store_stamp *s)
{
	char file[64];
	int n = 0;

	do
		snprintf(file, sizeof file, "%s/%d/%s.json", dir, ++n, dir);
	while (add_file(jobs, name, file, s) == 0);
	return errno == ENOENT ? n - 1 : -1;
}

/*
 * Take the stamp of everything except the table.  A job gets a missing part
 * only by a change of its own directory, so known parts save a call each.
 */
static int
look(int jobs, const char *name, uint64_t known, int for_pass,
    struct store_stamp *out)
{
	int count = for_pass ? OPTIONAL : LISTED, changes, i;

	*out = (struct store_stamp){
	    .sum = 1, .pass = (uint64_t)for_pass, .newest = INT64_MIN};
	if (add_file(jobs, name, "", out) == -1 ||
	    add_file(jobs, name, record, out) == -1)
		return -1;
	for (i = 0; i < count; i++) {
		if ((known & (uint64_t)1 << i) == 0)
			continue;
		if (add_to(jobs, name, optional[i], out,
			i < LISTED ? &out->sum : &out->pass) == 0)
			out->parts |= (uint64_t)1 << i;
		else if (errno == ENOENT)
			continue;
		else
			return -1;
		if (i >= LISTED || (known & (uint64_t)1 << (CHANGED + i)) == 0)
			continue;
		changes = add_changes(jobs, name, optional[i], out);
		if (changes == -1)
			return -1;
		if (changes > 0)
			out->parts |= (uint64_t)1 << (CHANGED + i);
	}
	return add_file(jobs, name, part, out);
}

static int
add_table(
    int jobs, const char *name, uint64_t generation, struct store_stamp *s)
{
	char file[64], path[80];

	table_file_name(generation, file);
	snprintf(path, sizeof path, "%s/%s", part, file);
	return add_file(jobs, name, path, s);
}

struct store_stamp
store_settled_look(
    const struct store_settled_list *list, const char *name, int for_pass)
{
	struct store_stamp s;

	if (look(list->jobs, name, UINT64_MAX, for_pass, &s) == -1)
		s.sum = 0;
	return s;
}

/* Return whether a line holds, with its present stamp in now. */
static int
holds(struct store_settled_list *list, struct store_settled *line, int for_pass,
    struct store_stamp *now)
{
	const uint64_t listed = ((uint64_t)1 << LISTED) - 1;

	line->is_checked = 1;
	if (look(list->jobs, line->name, line->parts, for_pass, now) == 0 &&
	    ((now->parts ^ line->parts) & listed) == 0 &&
	    add_table(list->jobs, line->name, line->generation, now) == 0 &&
	    now->sum == line->sum)
		return 1;
	line->sum = 0;
	list->bad++;
	return 0;
}

int
store_settled_holds(struct store_settled_list *list, struct store_settled *line)
{
	struct store_stamp now;

	return holds(list, line, 0, &now);
}

int
store_settled_rests(
    struct store_settled_list *list, struct store_settled *line, uint64_t hooks)
{
	int may = line->pass != 0 && line->hooks == hooks;
	struct store_stamp now;

	return holds(list, line, may, &now) && may &&
	    now.parts == line->parts && now.pass == line->pass;
}

/* ---- reading ---- */

/* Cut off the next field and undo text_tsv.  \N is NULL. */
static char *
take_field(char **rest)
{
	char *field = *rest, *end = field + strcspn(field, "\t\n"), *from, *to;

	*rest = end + (*end != '\0');
	*end = '\0';
	if (strcmp(field, "\\N") == 0)
		return NULL;
	from = strchr(field, '\\');
	for (to = from; from != NULL && *from != '\0'; from++) {
		if (*from == '\\' && from[1] != '\0')
			from++;
		else {
			*to++ = *from;
			continue;
		}
		*to++ = *from == 't' ? '\t'
		    : *from == 'n'   ? '\n'
		    : *from == 'r'   ? '\r'
				     : *from;
	}
	if (to != NULL)
		*to = '\0';
	return field;
}

/* Read the fields of a table from a line, as put writes them. */
static int
take(const struct store_field *f, void *of, char **rest)
{
	char *text;
	void *member;

	for (; f->key != NULL; f++) {
		member = store_field_of(f, of);
		text = take_field(rest);
		switch (f->kind) {
		case STORE_TEXT:
			*(char **)member = text;
			break;
		case STORE_NAME:
			if (text == NULL || strlen(text) >= (size_t)f->none)
				return -1;
			memcpy(member, text, strlen(text) + 1);
			break;
		case STORE_REAL:
			if (text == NULL || num_parse(text, member) == -1)
				return -1;
			break;
		default:
			if (text == NULL ||
			    num_int("", text, INT64_MIN, INT64_MAX, member,
				NULL) == -1)
				return -1;
		}
	}
	return 0;
}

static int
compare_names(const void *a, const void *b)
{
	const struct store_settled *s = a, *t = b;

	return strcmp(s->name, t->name);
}

/*
 * Read a record; its text, which the list keeps, is changed.  Returns 0, 1 if
 * it is of a newer version, or -1.
 */
static int
parse(struct store_settled_list *list, char *text, size_t length)
{
	struct store_settled *s;
	char *end, *rest = text + sizeof kind - 1;
	int64_t stamped;

	list->text = text;
	if (store_sum_cut(text, &length) == -1 ||
	    memchr(text, '\0', length) != NULL || !text_begins(text, kind))
		return -1;
	if (!text_begins(rest, version))
		return 1;
	rest += sizeof version - 1;
	end = text + length;
	if (num_int("", take_field(&rest), INT64_MIN, INT64_MAX, &stamped,
		NULL) == -1)
		return -1;
	list->stamped = (uint64_t)stamped;
	rest += strcspn(rest, "\n"); /* the names of the columns */
	rest += *rest != '\0';
	while (rest < end) {
		list->line = xgrow(list->line, list->count, sizeof *s);
		s = &list->line[list->count];
		memset(s, 0, sizeof *s);
		if (take(fields, s, &rest) == -1 ||
		    take(table_summary_fields, &s->summary, &rest) == -1 ||
		    s->name == NULL || s->id == NULL || s->generation == 0 ||
		    store_check_name(s->name, NULL) == -1 ||
		    (list->count > 0 && compare_names(s - 1, s) >= 0))
			return -1;
		s->summary.known = 1;
		list->count++;
	}
	return 0;
}

static void
forget(struct store_settled_list *list)
{
	free(list->line);
	free(list->text);
	list->line = NULL;
	list->text = NULL;
	list->count = 0;
	list->stamped = 0;
}

static void
file_name(uint64_t generation, char out[64])
{
	snprintf(out, 64, "settled.%" PRIu64 ".tsv", generation);
}

static int64_t
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Read a file of the record.  Returns 0, or -1 with the list empty. */
static int
read_list(
    struct store_settled_list *list, int dir, const char *name, struct error *e)
{
	size_t length;
	char *text;
	int rc;

	if (fs_read(dir, name, LIMIT, &text, &length, e) == -1)
		return -1;
	rc = parse(list, text, length);
	if (rc == 0)
		return 0;
	forget(list);
	if (rc == 1)
		return 0;
	return error_code(e, ERROR_DAMAGED,
	    "%s: damaged (you may delete it: it is made again)", name);
}

void
store_settled_load(const struct store *store, struct store_settled_list *out)
{
	int dir = fs_open_subdir(store->dir, part, 0, NULL);
	struct fs_names names = {0};
	char name[64];

	*out = (struct store_settled_list){
	    .jobs = fs_open_subdir(store->dir, "jobs", 0, NULL),
	    .stamp = {.sum = 1, .newest = INT64_MIN},
	    .began = seconds()};
	if (add_file(out->jobs, ".", "", &out->stamp) == -1)
		out->stamp.sum = 0;
	if (dir != -1 && fs_list(dir, &names, NULL) == 0)
		out->generation =
		    table_newest_of(&names, UINT64_MAX, file_name);
	file_name(out->generation, name);
	if (out->generation > 0)
		read_list(out, dir, name, NULL);
	out->is_same = out->stamped != 0 && out->stamped == out->stamp.sum;
	fs_names_free(&names);
	fs_close(dir);
}

int
store_settled_check(int dir, const char *name, struct error *e)
{
	struct store_settled_list list = {0};
	int rc = read_list(&list, dir, name, e);

	forget(&list);
	return rc;
}

void
store_settled_free(struct store_settled_list *list)
{
	forget(list);
	free(list->more);
	strlist_free(&list->tags);
	fs_close(list->jobs);
	memset(list, 0, sizeof *list);
	list->jobs = -1;
}

struct store_settled *
store_settled_find(struct store_settled_list *list, const char *name)
{
	const struct store_settled key = {.name = (char *)(uintptr_t)name};

	return list->count == 0
	    ? NULL
	    : bsearch(&key, list->line, list->count, sizeof key, compare_names);
}

/* ---- using a line ---- */

struct store_job *
store_settled_job(const struct store *store, const struct store_settled *line)
{
	struct store_job *job = xcalloc(1, sizeof *job);
	char *tags = xcopy(line->tags), *rest = tags, *tag;

	job->name = xstrdup(line->name);
	job->id = xstrdup(line->id);
	job->description = xcopy(line->description);
	job->metric = xcopy(line->metric);
	job->goal = xcopy(line->goal);
	job->directory = xcopy(line->directory);
	job->user = xcopy(line->user);
	while ((tag = strsep(&rest, ",")) != NULL)
		strlist_push(&job->tags, tag);
	free(tags);
	job->uid = line->uid;
	job->created = line->created;
	job->tasks = line->tasks;
	job->path = xasprintf("%s/jobs/%s", store->path, line->name);
	job->dir = -1;
	job->settled = line;
	return job;
}

struct store_table *
store_settled_table(const struct store_job *job)
{
	const struct store_settled *line = job->settled;
	struct store_table *table = store_table_new(0);

	table->count = line->tasks;
	table->rows->is_part = 1;
	table->generation = line->generation;
	table->time = line->time;
	table->in_state[STORE_SUBMITTED] = 0;
	table->in_state[STORE_FINISHED] = line->finished;
	table->in_state[STORE_ERROR] = line->error;
	table->in_state[STORE_STOPPED] = line->stopped;
	table->summary = line->summary;
	return table;
}

/* ---- writing ---- */

/* Return whether a table is final, and known and shown without a problem. */
static int
is_plain(const struct store_table *table)
{
	return table->generation > 0 && store_table_is_over(table) &&
	    !table->is_reread && !table->is_long && table->summary.known &&
	    table->trouble == NULL && table->silence == NULL &&
	    table->damaged.count == 0 && isfinite(table->summary.value) &&
	    isfinite(table->summary.epoch) && isfinite(table->summary.done) &&
	    isfinite(table->summary.epochs);
}

void
store_settled_add(struct store_settled_list *list, const struct store_job *job,
    const struct store_table *table)
{
	struct store_stamp stamp = job->stamp;
	struct store_settled *s = store_settled_find(list, job->name);
	char *tags = NULL;

	if (stamp.sum == 0 || !is_plain(table) ||
	    add_table(list->jobs, job->name, table->generation, &stamp) == -1)
		return;
	if (s != NULL) /* the new line replaces it */
		s->sum = 0;
	if (job->tags.count > 0) {
		tags = strlist_join(&job->tags, ",");
		strlist_take(&list->tags, tags);
	}
	list->more = xgrow(list->more, list->more_count, sizeof *list->more);
	s = &list->more[list->more_count++];
	*s = (struct store_settled){
	    .name = job->name,
	    .id = job->id,
	    .description = job->description,
	    .metric = job->metric,
	    .goal = job->goal,
	    .directory = job->directory,
	    .user = job->user,
	    .tags = tags,
	    .uid = job->uid,
	    .created = job->created,
	    .tasks = table->count,
	    .finished = table->in_state[STORE_FINISHED],
	    .error = table->in_state[STORE_ERROR],
	    .stopped = table->in_state[STORE_STOPPED],
	    .generation = table->generation,
	    .time = table->time,
	    .summary = table->summary,
	    .sum = stamp.sum,
	    .parts = stamp.parts,
	    .mode = stamp.mode,
	    .newest = stamp.newest,
	    .is_checked = 1,
	};
}

/* Return whether no fact of a job has a file of its own. */
static int
has_no_fact(const struct store_job *job)
{
	struct fs_names names;
	int dir = store_directory_list(job, "run", &names, NULL);
	int none = names.count == 0 && (dir != -1 || errno == ENOENT);

	store_directory_close(dir, &names);
	return none;
}

void
store_settled_add_rest(struct store_settled_list *list,
    const struct store_job *job, const struct store_table *table,
    uint64_t hooks)
{
	size_t before = list->more_count;

	/* A fact in a file is packed when it is old enough. */
	if (job->stamp.pass == 0 || !has_no_fact(job))
		return;
	store_settled_add(list, job, table);
	if (list->more_count == before)
		return;
	list->more[before].pass = job->stamp.pass;
	list->more[before].hooks = hooks;
}

/* Write the fields of a table, with tabs between them, after before. */
static void
put(FILE *out, const struct store_field *f, const void *of, const char *before)
{
	char number[NUM_TEXT];
	const char *text;
	const void *member;

	for (; f->key != NULL; f++, before = "\t") {
		member = store_field_of(f, of);
		switch (f->kind) {
		case STORE_TEXT:
			text = *(char *const *)member;
			break;
		case STORE_NAME:
			text = member;
			break;
		case STORE_REAL:
			text = num_exact(*(const double *)member, number);
			break;
		default:
			snprintf(number, sizeof number, "%" PRId64,
			    *(const int64_t *)member);
			text = number;
		}
		fputs(before, out);
		if (text == NULL)
			fputs("\\N", out);
		else
			text_tsv(out, text);
	}
}

static void
put_line(FILE *out, const struct store_settled *s)
{
	put(out, fields, s, "");
	put(out, table_summary_fields, &s->summary, "\t");
	putc('\n', out);
}

static void
put_names(FILE *out, const struct store_field *f, const char *before)
{
	for (; f->key != NULL; f++, before = "\t")
		fprintf(out, "%s%s", before, f->key);
}

/* Close a file to those to whom a directory is closed. */
static void
close_to(mode_t directory, mode_t *mode)
{
	if ((directory & 050) != 050)
		*mode &= ~(mode_t)040;
	if ((directory & 05) != 05)
		*mode &= ~(mode_t)04;
}

/*
 * Write the lines that hold and the new ones, in the order of their names.  A
 * line that nobody has checked may be of a job that is gone.
 * *mode is set to the mode of the file: who cannot read some job must not read
 * its line.
 */
static char *
list_text(const struct store_settled_list *list, uint64_t jobs, size_t *length,
    mode_t *mode)
{
	const struct store_settled *old = list->line, *new = list->more, *s;
	const struct store_settled *old_end = old + list->count;
	const struct store_settled *new_end = new + list->more_count;
	char *text;
	FILE *out = xmemopen(&text, length);

	fprintf(out, "%s%s%" PRId64 "\n", kind, version, (int64_t)jobs);
	put_names(out, fields, "");
	put_names(out, table_summary_fields, "\t");
	putc('\n', out);
	*mode = FS_FILE;
	close_to(list->stamp.mode, mode);
	while (old < old_end || new < new_end) {
		s = new == new_end ||
			(old < old_end && compare_names(old, new) < 0)
		    ? old++
		    : new ++;
		if (s->sum == 0 || !s->is_checked)
			continue;
		put_line(out, s);
		close_to((mode_t)s->mode, mode);
	}
	xmemclose(out);
	return text;
}

/* Publish the next generation and remove the others. */
static void
publish(const struct store_settled_list *list, int dir, uint64_t jobs)
{
	struct fs_names names;
	char name[64], *text;
	size_t length, i;
	uint64_t old;
	mode_t mode;

	text = list_text(list, jobs, &length, &mode);
	text = store_sum_add(text, &length);
	file_name(list->generation + 1, name);
	if (fs_publish_mode(dir, name, mode, text, length, NULL) == 0 &&
	    fs_list(dir, &names, NULL) == 0) {
		for (i = 0; i < names.count; i++) {
			old = table_generation_of(names.name[i], file_name);
			if (old > 0 && old <= list->generation)
				fs_unlink(dir, names.name[i], NULL);
		}
		fs_names_free(&names);
	}
	free(text);
}

/* Drop the new lines of jobs that changed after this time. */
static void
keep_calm(struct store_settled_list *list, int64_t time)
{
	size_t i, kept = 0;

	for (i = 0; i < list->more_count; i++)
		if (list->more[i].newest < time)
			list->more[kept++] = list->more[i];
	list->more_count = kept;
}

/*
 * Return whether to write the record.  jobs is the stamp of jobs/ for it, or 0.
 */
static int
is_worth(const struct store_settled_list *list, uint64_t jobs)
{
	size_t least = 1 + list->count / PART;

	return list->count + list->more_count >= FEW &&
	    (list->more_count >= least || list->bad >= least ||
		(!list->is_same && jobs != 0));
}

void
store_settled_save(struct store_settled_list *list, const struct store *store)
{
	uint64_t jobs = list->stamp.sum;
	int64_t now, calm;
	int dir;

	if (!is_worth(list, jobs) || store_check_write(store, NULL) == -1 ||
	    fs_now(store->dir, &now, NULL) == -1)
		return;
	calm = now - (seconds() - list->began) - CALM;
	keep_calm(list, calm);
	if (list->stamp.newest >= calm)
		jobs = 0;
	if (!is_worth(list, jobs))
		return;
	if (list->more_count > 0)
		qsort(list->more, list->more_count, sizeof *list->more,
		    compare_names);
	dir = fs_open_subdir(store->dir, part, 1, NULL);
	if (dir != -1)
		publish(list, dir, jobs);
	fs_close(dir);
}
