#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "store/extension.h"
#include "store/fields.h"
#include "store/job.h"
#include "store/points.h"
#include "store/record.h"
#include "sys/fs.h"

static const char part[] = "ext", record_name[] = "ext.json";

static const struct store_field fields[] = {
    STORE_ALWAYS(STORE_NUMBER, struct store_extension, first, -1),
    STORE_ALWAYS(STORE_NUMBER, struct store_extension, tasks, 0),
    STORE_ALWAYS(STORE_SET, struct store_extension, dropped, 0),
    STORE_ALWAYS(STORE_LIST, struct store_extension, space, 0),
    STORE_FIELD(STORE_TEXT, struct store_extension, fingerprint, 0),
    STORE_FIELD(STORE_TEXT, struct store_extension, added, 0),
    STORE_ALWAYS(STORE_LIST, struct store_extension, argv, 0),
    STORE_ALWAYS(STORE_NUMBER, struct store_extension, created, 0),
    {0},
};

void
store_extensions_free(struct store_extensions *all)
{
	while (all->count > 0)
		store_fields_free(fields, &all->item[--all->count]);
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

/* Read an extension behind so many tasks.  Returns 0, or -1. */
static int
take(const json_t *record, uint64_t tasks, struct store_extension *out)
{
	uint64_t past = 0;

	memset(out, 0, sizeof *out);
	if (store_fields_take(fields, record, out, NULL) == -1)
		return -1;
	if (out->dropped.count > 0)
		past = out->dropped.run[out->dropped.count - 1].last + 1;
	return out->first == tasks && out->tasks >= tasks &&
		past <= out->tasks && out->fingerprint != NULL &&
		(out->tasks == tasks || out->added != NULL)
	    ? 0
	    : -1;
}

/* Open the directory of an extension and read its record; NULL on failure. */
static json_t *
load_record(int job, size_t number, struct error *e)
{
	int dir = store_extension_open(job, number, e);
	json_t *record = NULL;

	if (dir != -1)
		record =
		    store_record_load(dir, record_name, STORE_JOB_LIMIT, e);
	fs_close(dir);
	return record;
}

/* Load extension number of a job that had so many tasks before. */
static int
load_one(int job, const char *path, size_t number, uint64_t tasks,
    struct store_extension *out, struct error *e)
{
	struct error why;
	json_t *record = load_record(job, number, &why);
	int rc;

	/* If a later extension exists, a missing one was lost. */
	if (record == NULL && why.code == ERROR_ABSENT)
		why.code = ERROR_DAMAGED;
	if (record == NULL)
		return error_copy(e, &why);
	rc = take(record, tasks, out);
	json_decref(record);
	if (rc == 0)
		return 0;
	store_fields_free(fields, out);
	return error_code(e, ERROR_DAMAGED,
	    "%s/ext/%zu/ext.json: not what has to follow on those before it",
	    path, number + 1);
}

/* Set *count to the largest number of an extension. */
static int
count_all(int job, size_t *count, struct error *e)
{
	int dir = fs_open_subdir(job, part, 0, e), rc;
	struct fs_names names;
	int64_t number;
	size_t i;

	*count = 0;
	if (dir == -1)
		return errno == ENOENT ? 0 : -1;
	rc = fs_list(dir, &names, e);
	for (i = 0; i < names.count; i++)
		if (num_int(part, names.name[i], 1, INT32_MAX, &number, NULL) ==
			0 &&
		    (size_t)number > *count)
			*count = (size_t)number;
	fs_names_free(&names);
	fs_close(dir);
	return rc;
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
	json_t *record = load_record(job, number, e);

	if (record == NULL)
		return -1;
	*first = (uint64_t)store_record_int(record, "first", 0);
	json_decref(record);
	return 0;
}

/* ---- a job with its extensions ---- */

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

int
store_extension_publish(
    int dir, const struct store_extension *x, struct error *e)
{
	json_t *record = store_record_new();

	store_record_set_string(record, "format", "stfm-extension");
	store_fields_write(fields, x, record);
	return store_record_publish(dir, record_name, record, 0, e);
}

int
store_extend(const struct store_job *job, const struct store_extension *x,
    const char *points, size_t length, struct error *e)
{
	char *scratch = xasprintf(".new.%016" PRIx64, fs_noise());
	char *name = xasprintf("%zu", job->extensions.count + 1);
	int parent = fs_open_subdir(job->dir, part, 1, e), dir = -1, rc = -1;

	/* Make all files in a directory that is not visible yet. */
	if (parent != -1 && fs_make_subdir(parent, scratch, e) == 0)
		dir = fs_open_subdir(parent, scratch, 0, e);
	if (dir != -1 &&
	    (points == NULL || store_points_place(dir, points, length, e) == 0))
		rc = store_extension_publish(dir, x, e);
	if (rc == 1) /* in a directory that only this program knows */
		rc = error_code(e, ERROR_LATER,
		    "%s/ext/%s: has a record already: try again", job->path,
		    scratch);
	if (rc == 0)
		rc = fs_sync(job->dir, e); /* ext may be new */
	if (rc == 0) {
		rc = fs_rename(parent, scratch, parent, name, e);
		if (rc == -1 && (errno == EEXIST || errno == ENOTEMPTY))
			rc = 1; /* another program took the number */
	}
	if (rc != 0 && parent != -1)
		fs_remove_tree(parent, scratch, NULL);
	fs_close(dir);
	fs_close(parent);
	free(name);
	free(scratch);
	return rc;
}
