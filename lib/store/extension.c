#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "store/extension.h"
#include "store/job.h"
#include "store/points.h"
#include "store/record.h"
#include "sys/fs.h"

static const char part[] = "ext", record_name[] = "ext.json";

static void
free_one(struct store_extension *x)
{
	idset_free(&x->dropped);
	strlist_free(&x->space);
	strlist_free(&x->argv);
	free(x->fingerprint);
	free(x->added);
}

void
store_extensions_free(struct store_extensions *all)
{
	while (all->count > 0)
		free_one(&all->item[--all->count]);
	free(all->item);
	all->item = NULL;
}

int
store_extension_open(int job, size_t number, struct error *e)
{
	char *name = xasprintf("%zu", number + 1);
	int parent = fs_open_subdir(job, part, 0, e), dir = -1;

	if (parent != -1)
		dir = fs_open_subdir(parent, name, 0, e);
	fs_close(parent);
	free(name);
	return dir;
}

/* ---- reading ---- */

static void
take_words(const json_t *record, const char *key, struct strlist *out)
{
	out->word =
	    store_record_take_words(json_object_get(record, key), &out->count);
}

/* What it has to be, behind so many tasks. */
static int
is_whole(const struct store_extension *x, uint64_t tasks)
{
	uint64_t past = x->dropped.count > 0
	    ? x->dropped.run[x->dropped.count - 1].last + 1
	    : 0;

	return x->first == tasks && x->tasks >= tasks && past <= x->tasks &&
	    x->fingerprint != NULL && (x->tasks == tasks || x->added != NULL);
}

static int
take(const json_t *record, uint64_t tasks, struct store_extension *out)
{
	const char *dropped = store_record_string(record, "dropped");

	memset(out, 0, sizeof *out);
	out->first = (uint64_t)store_record_int(record, "first", -1);
	out->tasks = (uint64_t)store_record_int(record, "tasks", 0);
	out->created = store_record_int(record, "created", 0);
	out->fingerprint = store_record_copy(record, "fingerprint");
	out->added = store_record_copy(record, "added");
	take_words(record, "space", &out->space);
	take_words(record, "argv", &out->argv);
	if (dropped != NULL && *dropped != '\0' &&
	    idset_parse(&out->dropped, dropped, NULL) == -1)
		return -1;
	return is_whole(out, tasks) ? 0 : -1;
}

/* Read the record of one, behind so many tasks. */
static int
load_one(int job, const char *path, size_t number, uint64_t tasks,
    struct store_extension *out, struct error *e)
{
	int dir = store_extension_open(job, number, e), rc = -1;
	json_t *record = NULL;

	if (dir != -1)
		record =
		    store_record_load(dir, record_name, STORE_JOB_LIMIT, e);
	if (record != NULL) {
		rc = take(record, tasks, out);
		if (rc == -1) {
			free_one(out);
			error_set(e,
			    "%s/ext/%zu/ext.json: not what has to follow on "
			    "those before it",
			    path, number + 1);
		}
	}
	/* One that is not there although a later one is was lost. */
	if (rc == -1 && (record != NULL || errno == ENOENT))
		errno = EBADMSG;
	json_decref(record);
	fs_close(dir);
	return rc;
}

/* How many there are, by their names: the largest number. */
static int
count_all(int job, size_t *count, struct error *e)
{
	int dir = fs_open_subdir(job, part, 0, e);
	struct fs_names names;
	int64_t number;
	size_t i;

	*count = 0;
	if (dir == -1)
		return errno == ENOENT ? 0 : -1;
	if (fs_list(dir, &names, e) == -1) {
		fs_close(dir);
		return -1;
	}
	for (i = 0; i < names.count; i++)
		if (num_int(part, names.name[i], 1, INT32_MAX, &number, NULL) ==
			0 &&
		    (size_t)number > *count)
			*count = (size_t)number;
	fs_names_free(&names);
	fs_close(dir);
	return 0;
}

int
store_extensions_load(int job, const char *path, uint64_t tasks,
    struct store_extensions *out, struct error *e)
{
	size_t count, i;
	int rc;

	memset(out, 0, sizeof *out);
	rc = count_all(job, &count, e);
	for (i = 0; rc == 0 && i < count; i++) {
		out->item = xgrow(out->item, i, sizeof *out->item);
		rc = load_one(job, path, i, tasks, &out->item[i], e);
		if (rc == 0) {
			tasks = out->item[i].tasks;
			out->count++;
		}
	}
	return rc;
}

int
store_extension_first(int job, size_t number, uint64_t *first, struct error *e)
{
	int dir = store_extension_open(job, number, e);
	json_t *record = NULL;

	if (dir != -1)
		record =
		    store_record_load(dir, record_name, STORE_JOB_LIMIT, e);
	if (record != NULL)
		*first = (uint64_t)store_record_int(record, "first", 0);
	json_decref(record);
	fs_close(dir);
	return record != NULL ? 0 : -1;
}

/* ---- what follows from them ---- */

static const struct store_extension *
last(const struct store_job *job)
{
	const struct store_extensions *all = &job->extensions;

	return all->count > 0 ? &all->item[all->count - 1] : NULL;
}

uint64_t
store_job_first_tasks(const struct store_job *job)
{
	return job->extensions.count > 0 ? job->extensions.item[0].first
					 : job->tasks;
}

const struct idset *
store_job_dropped(const struct store_job *job)
{
	const struct store_extension *x = last(job);

	return x != NULL && x->dropped.count > 0 ? &x->dropped : NULL;
}

const char *
store_job_wanted(const struct store_job *job)
{
	const struct store_extension *x = last(job);

	return x != NULL ? x->fingerprint : job->fingerprint;
}

/* ---- writing ---- */

static json_t *
record_of(const struct store_extension *x)
{
	char *dropped = idset_text(&x->dropped);
	json_t *record = store_record_new();

	store_record_set_string(record, "format", "stfm-extension");
	store_record_set_int(record, "first", (int64_t)x->first);
	store_record_set_int(record, "tasks", (int64_t)x->tasks);
	store_record_set_string(record, "dropped", dropped);
	json_object_set_new(
	    record, "space", store_record_words(x->space.word, x->space.count));
	store_record_set_string(record, "fingerprint", x->fingerprint);
	store_record_set_string(record, "added", x->added);
	json_object_set_new(
	    record, "argv", store_record_words(x->argv.word, x->argv.count));
	store_record_set_int(record, "created", x->created);
	free(dropped);
	return record;
}

int
store_extension_publish(
    int dir, const struct store_extension *x, struct error *e)
{
	return store_record_publish(dir, record_name, record_of(x), 0, e);
}

/* All of it, in a directory that nobody sees yet. */
static int
furnish(int dir, const struct store_extension *x, const char *points,
    size_t length, struct error *e)
{
	if (points != NULL && store_points_place(dir, points, length, e) != 0)
		return -1;
	return store_extension_publish(dir, x, e) == 0 ? 0 : -1;
}

/* Give it its number: 0, 1 when that is taken, or -1. */
static int
reveal(int parent, const char *scratch, size_t number, struct error *e)
{
	char *name = xasprintf("%zu", number + 1);
	int rc = fs_rename(parent, scratch, parent, name, e);

	if (rc == -1 && (errno == EEXIST || errno == ENOTEMPTY))
		rc = 1;
	free(name);
	return rc;
}

int
store_extend(const struct store_job *job, const struct store_extension *x,
    const char *points, size_t length, struct error *e)
{
	char *scratch = xasprintf(".new.%016" PRIx64, fs_noise());
	int parent = fs_open_subdir(job->dir, part, 1, e), dir = -1, rc = -1;

	if (parent != -1 && fs_make_subdir(parent, scratch, e) == 0)
		dir = fs_open_subdir(parent, scratch, 0, e);
	if (dir != -1)
		rc = furnish(dir, x, points, length, e);
	if (rc == 0)
		rc = fs_sync(job->dir, e); /* ext may be new */
	if (rc == 0)
		rc = reveal(parent, scratch, job->extensions.count, e);
	if (rc != 0 && parent != -1)
		fs_remove_tree(parent, scratch, NULL);
	fs_close(dir);
	fs_close(parent);
	free(scratch);
	return rc;
}
