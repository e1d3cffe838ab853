#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/directory-private.h"
#include "store/load.h"

const char *const store_parts[] = {
    "sub", "run", "ctl", "fold", "metrics", "log", "checkpoint", "ext", NULL};

int
store_directory_list(const struct store_job *job, const char *part,
    struct fs_names *names, struct error *e)
{
	int dir = store_directory_open(job, part, 0, e);

	memset(names, 0, sizeof *names);
	if (dir == -1 || fs_list(dir, names, e) == 0)
		return dir;
	fs_close(dir);
	return -1;
}

/* ---- the job and name in a record ---- */

static const char key[] = "record";

static void
set_own(json_t *record, const struct store_job *job, const char *name)
{
	char *own = fs_join(store_job_id(job), name);

	store_record_set_string(record, key, own);
	free(own);
}

int
store_directory_publish(const struct store_job *job, int dir, const char *name,
    json_t *record, struct error *e)
{
	set_own(record, job, name);
	return store_record_publish(dir, name, record, 0, e);
}

int
store_directory_add(const struct store_job *job, const char *part,
    const char *name, json_t *record, struct error *e)
{
	int dir = store_directory_open(job, part, 0, e);
	int rc = store_directory_publish(job, dir, name, record, e);

	fs_close(dir);
	return rc;
}

int
store_directory_place(const struct store_job *job, int dir, const char *name,
    json_t *record, struct error *e)
{
	set_own(record, job, name);
	return store_record_place(dir, name, record, e);
}

static int
is_own(const struct store_job *job, const char *name, const json_t *record)
{
	const json_t *said = json_object_get(record, key);
	json_t *own = json_object();
	int is;

	set_own(own, job, name);
	is = said == NULL || json_equal(said, json_object_get(own, key));
	json_decref(own);
	return is;
}

static void
refuse_other(const struct store_job *job, int dir, const char *name,
    const json_t *record, struct error *e)
{
	const char *said = store_record_string(record, key);
	size_t id = strlen(store_job_id(job));
	char *path = fs_path(dir, name);

	if (said != NULL && strncmp(said, store_job_id(job), id) == 0 &&
	    said[id] == '/')
		error_code(e, ERROR_FOREIGN,
		    "%s: damaged (it is the record %s)", path, said + id + 1);
	else
		error_code(e, ERROR_FOREIGN,
		    "%s: damaged (it is a record of another job)", path);
	free(path);
}

json_t *
store_directory_load(
    const struct store_job *job, int dir, const char *name, struct error *e)
{
	json_t *record = store_record_load(dir, name, STORE_RECORD_LIMIT, e);

	if (record == NULL || is_own(job, name, record))
		return record;
	refuse_other(job, dir, name, record, e);
	json_decref(record);
	return NULL;
}

int
store_directory_check(
    const struct store_job *job, int dir, const char *name, struct error *e)
{
	json_t *record = store_directory_load(job, dir, name, e);

	if (record == NULL)
		return -1;
	json_decref(record);
	return 0;
}

void
store_directory_close(int dir, struct fs_names *names)
{
	fs_names_free(names);
	fs_close(dir);
}

int
store_directory_is_damage(const struct error *why)
{
	return why->code == ERROR_DAMAGED || why->code == ERROR_FOREIGN ||
	    why->number == ENOTDIR || why->number == ELOOP ||
	    why->number == EISDIR || why->number == EINVAL ||
	    why->number == EFBIG;
}

int
store_directory_whole(const struct strlist *damaged, struct error *e)
{
	if (damaged->count == 0)
		return 0;
	return error_code(e, ERROR_DAMAGED,
	    "%s: run stfm-check --store --repair", damaged->word[0]);
}
