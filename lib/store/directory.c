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

void
store_directory_sign(
    json_t *record, const struct store_job *job, const char *name)
{
	char *own = fs_join(store_job_id(job), name);

	store_record_set_string(record, key, own);
	free(own);
}

int
store_directory_publish(const struct store_job *job, int dir, const char *name,
    json_t *record, struct error *e)
{
	store_directory_sign(record, job, name);
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
	store_directory_sign(record, job, name);
	return store_record_place(dir, name, record, e);
}

int
store_directory_own(const struct store_job *job, const char *name,
    const json_t *record, struct error *e)
{
	const json_t *said = json_object_get(record, key);
	const char *text = json_string_value(said);
	size_t id = strlen(store_job_id(job));
	json_t *own = json_object();
	int is;

	store_directory_sign(own, job, name);
	is = said == NULL || json_equal(said, json_object_get(own, key));
	json_decref(own);
	if (is)
		return 0;
	if (text != NULL && strncmp(text, store_job_id(job), id) == 0 &&
	    text[id] == '/')
		return error_code(e, ERROR_FOREIGN,
		    "damaged (it is the record %s)", text + id + 1);
	return error_code(
	    e, ERROR_FOREIGN, "damaged (it is a record of another job)");
}

json_t *
store_directory_load(
    const struct store_job *job, int dir, const char *name, struct error *e)
{
	json_t *record = store_record_load(dir, name, STORE_RECORD_LIMIT, e);
	char *path;

	if (record == NULL)
		return NULL;
	if (store_directory_own(job, name, record, e) == 0)
		return record;
	path = fs_path(dir, name);
	error_prefix(e, path);
	free(path);
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
