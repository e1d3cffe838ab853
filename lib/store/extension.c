#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "store/extension.h"
#include "store/fields.h"
#include "store/job.h"
#include "store/numbered.h"
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
	return store_numbered_open(job, part, number + 1, e);
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
		    store_record_load(dir, record_name, STORE_RECORD_LIMIT, e);
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

int
store_extensions_load(int job, const char *path, uint64_t tasks,
    struct store_extensions *out, struct error *e)
{
	size_t count, i;
	int rc;

	memset(out, 0, sizeof *out);
	rc = store_numbered_count(job, part, &count, e);
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

/* The files of a new extension. */
struct files {
	const struct store_extension *x;
	const char *points;
	size_t length;
};

static int
fill(void *arg, int dir, struct error *e)
{
	const struct files *f = arg;

	if (f->points != NULL &&
	    store_points_place(dir, f->points, f->length, e) != 0)
		return -1;
	return store_extension_publish(dir, f->x, e);
}

int
store_extend(const struct store_job *job, const struct store_extension *x,
    const char *points, size_t length, struct error *e)
{
	struct files files = {x, points, length};

	return store_numbered_add(
	    job, part, job->extensions.count + 1, fill, &files, e);
}
