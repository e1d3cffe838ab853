#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "store/change.h"
#include "store/code-private.h"
#include "store/fields.h"
#include "store/job.h"
#include "store/record.h"
#include "sys/fs.h"

#define TEXT(member) STORE_FIELD(STORE_TEXT, struct store_code, member, 0)
#define LIST(member) STORE_FIELD(STORE_LIST, struct store_code, member, 0)
static const struct store_field code_fields[] = {
    TEXT(fingerprint),
    TEXT(root),
    TEXT(work),
    TEXT(why),
    TEXT(commit),
    TEXT(branch),
    TEXT(remote),
    TEXT(diff),
    TEXT(patterns),
    TEXT(script_sum),
    LIST(untracked),
    LIST(packages),
    {0},
};
#undef TEXT
#undef LIST

void
store_code_free(struct store_code *code)
{
	store_fields_free(code_fields, code);
	memset(code, 0, sizeof *code);
}

json_t *
store_code_json(const struct store_code *code)
{
	json_t *object = store_fields_write(code_fields, code, json_object());

	if (code->fingerprint != NULL) {
		store_record_set_int(object, "files", (int64_t)code->files);
		store_record_set_int(object, "bytes", (int64_t)code->bytes);
	}
	if (code->commit != NULL)
		json_object_set_new(object, "dirty", json_boolean(code->dirty));
	return object;
}

void
store_code_take(struct store_code *code, const json_t *object)
{
	store_fields_take(code_fields, object, code, NULL);
	code->files = (uint64_t)store_record_int(object, "files", 0);
	code->bytes = (uint64_t)store_record_int(object, "bytes", 0);
	code->dirty = json_is_true(json_object_get(object, "dirty"));
}

static const char part[] = "change", record_name[] = "change.json";

static const struct store_field fields[] = {
    STORE_ALWAYS(STORE_NUMBER, struct store_change, created, 0),
    {0},
};

static const struct store_field reading_fields[] = {
    STORE_FIELD(STORE_TEXT, struct store_reading, metric, 0),
    STORE_FIELD(STORE_TEXT, struct store_reading, goal, 0),
    STORE_FIELD(STORE_TEXT, struct store_reading, metrics, 0),
    STORE_FIELD(STORE_TEXT, struct store_reading, epochs, 0),
    STORE_FIELD(STORE_LIST, struct store_reading, metrics_regex, 0),
    {0},
};

static const struct store_field label_fields[] = {
    STORE_FIELD(STORE_TEXT, struct store_labels, description, 0),
    STORE_FIELD(STORE_LIST, struct store_labels, tags, 0),
    {0},
};

enum { TAG_MOST = 64 };

/* ---- metrics settings ---- */

void
store_reading_free(struct store_reading *reading)
{
	store_fields_free(reading_fields, reading);
}

void
store_reading_of(const struct store_job *job, struct store_reading *out)
{
	out->metric = xcopy(job->metric);
	out->goal = xcopy(job->goal);
	out->metrics = xcopy(job->metrics);
	out->epochs = xcopy(job->epochs);
	strlist_copy(&out->metrics_regex, &job->metrics_regex);
}

int
store_reading_same(const struct store_reading *a, const struct store_reading *b)
{
	return store_fields_same(reading_fields, a, b);
}

void
store_reading_use(struct store_job *job, const struct store_reading *reading)
{
	free(job->metric);
	free(job->goal);
	free(job->metrics);
	free(job->epochs);
	strlist_free(&job->metrics_regex);
	job->metric = xcopy(reading->metric);
	job->goal = xcopy(reading->goal);
	job->metrics = xcopy(reading->metrics);
	job->epochs = xcopy(reading->epochs);
	strlist_copy(&job->metrics_regex, &reading->metrics_regex);
}

/* ---- labels ---- */

void
store_labels_free(struct store_labels *labels)
{
	store_fields_free(label_fields, labels);
}

void
store_labels_of(const struct store_job *job, struct store_labels *out)
{
	out->description = xcopy(job->description);
	strlist_copy(&out->tags, &job->tags);
}

int
store_labels_same(
    const struct store_job *job, const struct store_labels *labels)
{
	struct store_labels own = {job->description, job->tags};

	return store_fields_same(label_fields, &own, labels);
}

static void
use_labels(struct store_job *job, const struct store_labels *labels)
{
	free(job->description);
	strlist_free(&job->tags);
	job->description = xcopy(labels->description);
	strlist_copy(&job->tags, &labels->tags);
}

static int
check_tag(const char *tag, struct error *e)
{
	static const char known[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-";
	size_t length = strlen(tag);

	if (length > 0 && length <= TAG_MOST && *tag != '-' &&
	    strspn(tag, known) == length)
		return 0;
	return error_set(e,
	    "'%s': a tag has 1 to %d letters, digits, '.', '_' and '-', and "
	    "does not begin with '-'",
	    tag, TAG_MOST);
}

static void
add_tag(struct strlist *tags, const char *tag)
{
	if (!strlist_have(tags, tag))
		strlist_push(tags, tag);
}

static void
drop_tag(struct strlist *tags, const char *tag)
{
	size_t i;

	for (i = tags->count; i-- > 0;)
		if (strcmp(tags->word[i], tag) == 0)
			strlist_drop(tags, i);
}

/* Call change with each tag of a list. */
static int
each_tag(struct strlist *tags, const char *list,
    void change(struct strlist *, const char *tag), struct error *e)
{
	char *copy = xstrdup(list), *rest = copy, *tag;
	int rc = 0;

	while (rc == 0 && (tag = strsep(&rest, ",")) != NULL) {
		rc = check_tag(tag, e);
		if (rc == 0)
			change(tags, tag);
	}
	free(copy);
	return rc;
}

int
store_tags_add(struct strlist *tags, const char *list, struct error *e)
{
	return each_tag(tags, list, add_tag, e);
}

int
store_tags_drop(struct strlist *tags, const char *list, struct error *e)
{
	return each_tag(tags, list, drop_tag, e);
}

/* ---- reading ---- */

static void
free_change(struct store_change *change)
{
	store_fields_free(fields, change);
	store_reading_free(&change->reading);
	store_labels_free(&change->labels);
	store_code_free(&change->code);
}

void
store_changes_free(struct store_changes *all)
{
	while (all->count > 0)
		free_change(&all->item[--all->count]);
	free(all->item);
	all->item = NULL;
}

static void
take(const json_t *record, size_t number, struct store_change *out)
{
	const json_t *reading = json_object_get(record, "reading");
	const json_t *labels = json_object_get(record, "labels");
	const json_t *code = json_object_get(record, "code");

	memset(out, 0, sizeof *out);
	store_fields_take(fields, record, out, NULL);
	out->reads = reading != NULL;
	if (out->reads)
		store_fields_take(reading_fields, reading, &out->reading, NULL);
	out->labelled = labels != NULL;
	if (out->labelled)
		store_fields_take(label_fields, labels, &out->labels, NULL);
	out->copies = code != NULL;
	if (out->copies)
		store_code_take(&out->code, code);
	out->code.number = (int64_t)number;
	out->code.made = out->created;
}

static int
load_one(int job, size_t number, struct store_change *out, struct error *e)
{
	int dir = store_numbered_open(job, part, number, e);
	json_t *record = NULL;

	if (dir != -1)
		record =
		    store_record_load(dir, record_name, STORE_RECORD_LIMIT, e);
	fs_close(dir);
	if (record == NULL)
		return -1;
	take(record, number, out);
	json_decref(record);
	return 0;
}

int
store_changes_load(
    int job, const char *path, struct store_changes *out, struct error *e)
{
	struct error why;
	size_t count, i;
	int rc;

	memset(out, 0, sizeof *out);
	rc = store_numbered_count(job, part, &count, e);
	for (i = 0; rc == 0 && i < count; i++) {
		out->item = xgrow(out->item, i, sizeof *out->item);
		rc = load_one(job, i + 1, &out->item[i], &why);
		if (rc == 0)
			out->count++;
		else if (why.code == ERROR_ABSENT)
			/* Numbers are given in order: this one was lost. */
			error_code(e, ERROR_DAMAGED,
			    "%s/%s/%zu/%s: damaged: not there", path, part,
			    i + 1, record_name);
		else
			error_copy(e, &why);
	}
	return rc;
}

void
store_changes_apply(struct store_job *job)
{
	const struct store_change *c;
	int64_t number = 0;
	size_t i;

	for (i = 0; i < job->changes.count; i++) {
		c = &job->changes.item[i];
		if (c->reads) {
			store_reading_use(job, &c->reading);
			job->reading = (int64_t)i + 1;
		}
		if (c->labelled)
			use_labels(job, &c->labels);
		if (c->copies)
			number = (int64_t)i + 1;
	}
	store_code_use(job, number, NULL);
}

/* ---- writing ---- */

static json_t *
record_of(const struct store_change *c, json_t *record)
{
	store_fields_write(fields, c, record);
	if (c->reads)
		json_object_set_new(record, "reading",
		    store_fields_write(
			reading_fields, &c->reading, json_object()));
	if (c->labelled)
		json_object_set_new(record, "labels",
		    store_fields_write(
			label_fields, &c->labels, json_object()));
	if (c->copies)
		json_object_set_new(record, "code", store_code_json(&c->code));
	return record;
}

void
store_changes_show(const struct store_job *job, json_t *record)
{
	json_t *code = json_object_get(record, "code"), *all = json_array();
	size_t i;

	store_record_set_int(code, "number", job->code.number);
	for (i = 0; i < job->changes.count; i++)
		json_array_append_new(
		    all, record_of(&job->changes.item[i], json_object()));
	if (job->changes.count > 0)
		json_object_set_new(record, "changes", all);
	else
		json_decref(all);
}

int
store_change_publish(int dir, const struct store_change *c, struct error *e)
{
	json_t *record = store_record_new();

	store_record_set_string(record, "format", "stfm-change");
	return store_record_publish(
	    dir, record_name, record_of(c, record), 0, e);
}

/* A change being published. */
struct addition {
	struct store_change *change;
	store_numbered_fill *fill;
	void *arg;
};

static int
fill_all(void *arg, int dir, struct error *e)
{
	const struct addition *a = arg;

	if (a->fill != NULL && a->fill(a->arg, dir, e) == -1)
		return -1;
	return store_change_publish(dir, a->change, e);
}

int
store_change_add(const struct store_job *job, struct store_change *change,
    store_numbered_fill *fill, void *arg, struct error *e)
{
	struct addition a = {change, fill, arg};

	if (store_fields_check(reading_fields, &change->reading, e) == -1 ||
	    store_fields_check(label_fields, &change->labels, e) == -1)
		return -1;
	change->created = time(NULL);
	return store_numbered_add(
	    job, part, job->changes.count + 1, fill_all, &a, e);
}

/* ---- the copies of the code ---- */

int
store_code_open(const struct store_job *job, struct error *e)
{
	if (job->code.number == 0)
		return fs_open_subdir(job->dir, ".", 0, e);
	return store_numbered_open(job->dir, part, (size_t)job->code.number, e);
}

char *
store_code_path(const struct store_job *job, const char *name)
{
	if (job->code.number == 0)
		return fs_join(job->path, name);
	return xasprintf(
	    "%s/%s/%" PRId64 "/%s", job->path, part, job->code.number, name);
}

int
store_code_use(struct store_job *job, int64_t number, struct error *e)
{
	const struct store_code *code = NULL;

	if (number == 0)
		code = &job->first_code;
	else if (number > 0 && (uint64_t)number <= job->changes.count &&
	    job->changes.item[number - 1].copies)
		code = &job->changes.item[number - 1].code;
	if (code == NULL)
		return error_code(e, ERROR_DAMAGED,
		    "%s/%s/%" PRId64 ": damaged: it has no copy of the code",
		    job->path, part, number);
	job->code = *code;
	return 0;
}
