#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "store/code-private.h"
#include "store/create.h"
#include "store/directory.h"
#include "store/fields.h"
#include "store/job.h"
#include "store/points.h"
#include "store/record.h"
#include "store/store.h"

#define TEXT(member) STORE_FIELD(STORE_TEXT, struct store_job, member, 0)
#define LIST(member) STORE_ALWAYS(STORE_LIST, struct store_job, member, 0)
static const struct store_field fields[] = {
    TEXT(id),
    TEXT(name),
    TEXT(description),
    TEXT(script),
    TEXT(args),
    TEXT(dist),
    TEXT(container),
    TEXT(container_runtime),
    TEXT(container_state),
    TEXT(directory),
    TEXT(imported),
    TEXT(metric),
    TEXT(goal),
    TEXT(metrics),
    TEXT(epochs),
    TEXT(fingerprint),
    TEXT(batch),
    TEXT(script_sum),
    TEXT(user),
    TEXT(host),
    TEXT(then),
    LIST(command),
    LIST(container_bind),
    LIST(metrics_regex),
    LIST(space),
    LIST(names),
    LIST(options),
    LIST(defaults),
    LIST(after),
    STORE_FIELD(STORE_LIST, struct store_job, tags, 0),
    {0},
};
#undef TEXT
#undef LIST

void
store_job_free(struct store_job *job)
{
	if (job == NULL)
		return;
	store_fields_free(fields, job);
	store_extensions_free(&job->extensions);
	store_groups_free(&job->groups);
	store_policy_free(&job->policy);
	store_search_free(&job->search);
	if (!job->is_loaded)
		store_code_free(&job->code);
	store_code_free(&job->first_code);
	store_changes_free(&job->changes);
	strlist_free(&job->argv);
	strlist_free(&job->environment);
	free(job->cwd);
	free(job->made_in);
	free(job->path);
	fs_close(job->dir);
	free(job);
}

/* Milliseconds come first, so that ids sort by age; Crockford's digits. */
char *
store_job_new_id(void)
{
	static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
	uint64_t bits = fs_noise();
	struct timespec now;
	char id[14];
	int i;

	clock_gettime(CLOCK_REALTIME, &now);
	bits = (bits & 0x3fffff) |
	    ((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000)
		<< 22;
	for (i = 12; i >= 0; i--, bits >>= 5)
		id[i] = digits[bits & 31];
	id[13] = '\0';
	return xstrdup(id);
}

static void
sign(struct store_job *job)
{
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	free(job->host);
	job->host = xstrdup(host);
	job->uid = geteuid();
	job->created = time(NULL);
}

/* JSON holds UTF-8 only, and a job must be read as it was given. */
int
store_job_check(const struct store_job *job, struct error *e)
{
	return store_fields_check(fields, job, e);
}

/* Convert NAME=VALUE words to an object, and back. */
static json_t *
environment_json(const struct strlist *words)
{
	json_t *object = json_object();
	const char *equals;
	char *name;
	size_t i;

	for (i = 0; i < words->count; i++) {
		equals = strchr(words->word[i], '=');
		name =
		    xstrndup(words->word[i], (size_t)(equals - words->word[i]));
		store_record_set_string(object, name, equals + 1);
		free(name);
	}
	return object;
}

static void
take_environment(const json_t *object, struct strlist *out)
{
	const char *name, *value;
	json_t *member;

	json_object_foreach((json_t *)(uintptr_t)object, name, member) {
		value = json_string_value(member);
		if (value != NULL)
			strlist_take(out, xasprintf("%s=%s", name, value));
	}
}

/* Add where and how the job was submitted. */
static void
set_circumstances(json_t *record, const struct store_job *job)
{
	json_object_set_new(record, "code", store_code_json(&job->code));
	json_object_set_new(record, "argv",
	    store_record_words(job->argv.word, job->argv.count));
	store_record_set_string(record, "cwd", job->cwd);
	if (job->made_in != NULL && text_is_utf8(job->made_in))
		store_record_set_string(record, "made_in", job->made_in);
	json_object_set_new(
	    record, "environment", environment_json(&job->environment));
	if (job->seed >= 0)
		store_record_set_int(record, "seed", job->seed);
}

static void
take_circumstances(struct store_job *job, const json_t *record)
{
	store_code_take(&job->first_code, json_object_get(record, "code"));
	job->code = job->first_code;
	job->is_loaded = 1;
	job->argv.word = store_record_take_words(
	    json_object_get(record, "argv"), &job->argv.count);
	job->cwd = store_record_copy(record, "cwd");
	job->made_in = store_record_copy(record, "made_in");
	take_environment(
	    json_object_get(record, "environment"), &job->environment);
	job->seed = store_record_int(record, "seed", -1);
}

static json_t *
record_of(const struct store_job *job)
{
	json_t *record = store_record_new(), *policy, *groups, *search;

	store_record_set_string(record, "format", "stfm-job");
	store_fields_write(fields, job, record);
	json_object_set_new(
	    record, "points_kept", json_boolean(job->points_kept));
	store_record_set_int(record, "tasks", (int64_t)job->tasks);
	store_record_set_int(record, "extends", 2);
	store_record_set_int(record, "array_size", (int64_t)job->array_size);
	store_record_set_int(record, "parallel", job->parallel);
	if (job->pack > 1)
		store_record_set_int(record, "pack", job->pack);
	groups = store_groups_record(&job->groups);
	if (groups != NULL)
		json_object_set_new(record, "groups", groups);
	policy = store_policy_record(&job->policy);
	if (policy != NULL)
		json_object_set_new(record, "policy", policy);
	search = store_search_record(&job->search);
	if (search != NULL) {
		json_object_set_new(record, "search", search);
		store_record_set_int(record, "v", STORE_JOB_VERSION);
	}
	store_record_set_int(record, "uid", job->uid);
	store_record_set_int(record, "created", job->created);
	set_circumstances(record, job);
	return record;
}

char *
store_job_json(const struct store_job *job)
{
	json_t *record = record_of(job);
	char *text, *place = store_job_place(job);

	json_object_del(record, "v");
	json_object_del(record, "fingerprint"); /* the code has one, too */
	store_record_set_string(record, "points_fingerprint", job->fingerprint);
	store_record_set_string(record, "path", job->path);
	store_record_set_string(record, "place", place);
	store_changes_show(job, record);
	free(place);
	text = json_dumps(record, JSON_COMPACT);
	json_decref(record);
	return text;
}

char *
store_job_place(const struct store_job *job)
{
	const struct store_code *code = &job->code;
	char *copy, *place;

	if (code->fingerprint == NULL)
		return xstrdup(job->directory);
	copy = store_code_path(job, "code");
	place = code->work != NULL && *code->work != '\0'
	    ? fs_join(copy, code->work)
	    : xstrdup(copy);
	free(copy);
	return place;
}

char *
store_job_place_of(const struct store_job *job, int64_t code)
{
	struct store_job other = *job;

	/* A copy whose record was lost has no known place: take the newest. */
	if (job->is_loaded)
		store_code_use(&other, code > 0 ? code : 0, NULL);
	return store_job_place(&other);
}

char *
store_job_sum(const char *bytes, size_t length)
{
	return xasprintf("%08x", fs_crc32c(bytes, length));
}

static int
place_files(int dir, const struct store_job_files *files, struct error *e)
{
	int rc;

	rc = fs_place_mode(
	    dir, "batch.sh", FS_PROGRAM, files->batch, strlen(files->batch), e);
	if (rc == 0 && files->script != NULL)
		rc = fs_place_mode(dir, "script", FS_PROGRAM, files->script,
		    strlen(files->script), e);
	if (rc == 0 && files->points != NULL)
		rc = store_points_place(
		    dir, files->points, files->points_length, e);
	return rc;
}

/*
 * Make everything of the new job in its directory, which is not visible yet.
 * The record comes last, and makes the names of all files durable.
 */
static int
furnish(int dir, struct store_job *job, const struct store_job_files *files,
    struct error *e)
{
	size_t i;

	if (fs_withhold(dir, files->withheld, e) == -1)
		return -1;
	for (i = 0; store_parts[i] != NULL; i++)
		if (fs_make_subdir(dir, store_parts[i], e) == -1)
			return -1;
	if (place_files(dir, files, e) != 0)
		return -1;
	if (files->more != NULL && files->more(files->arg, job, dir, e) == -1)
		return -1;
	return store_record_publish(dir, "job.json", record_of(job), 2, e) == 0
	    ? 0
	    : -1;
}

int
store_job_create(const struct store *store, struct store_job *job,
    const struct store_job_files *files, struct error *e)
{
	struct store_creation r = {.name = job->name};
	int jobs, dir = -1, rc = -1;
	char *scratch;

	sign(job);
	free(job->made_in);
	job->made_in = xasprintf("%s/jobs/%s", store->path, job->name);
	free(job->batch);
	free(job->script_sum);
	job->batch = files->batch != NULL
	    ? store_job_sum(files->batch, strlen(files->batch))
	    : NULL;
	job->script_sum = files->script != NULL
	    ? store_job_sum(files->script, strlen(files->script))
	    : NULL;
	if (store_job_check(job, e) == -1 ||
	    store_check_name(job->name, e) == -1)
		return -1;
	jobs = fs_open_subdir(store->dir, "jobs", 1, e);
	if (jobs == -1)
		return -1;
	scratch = xasprintf(".new.%s", job->id);
	if (fs_make_subdir(jobs, scratch, e) == 0)
		dir = fs_open_subdir(jobs, scratch, 0, e);
	if (dir != -1)
		rc = furnish(dir, job, files, e);
	if (rc == 0 && files->admit != NULL) {
		rc = store_create_reveal(
		    jobs, job->id, job->name, files->admit, files->arg, e);
	} else if (rc == 0) {
		r.from = jobs;
		r.jobs = jobs;
		r.scratch = scratch;
		r.aside = scratch;
		rc = store_create(&r, e);
		rc = rc == 2 ? -1 : rc;
	}
	if (rc == 0) {
		job->dir = dir;
		job->path = xstrdup(job->made_in);
	} else {
		fs_close(dir);
		fs_remove_tree(jobs, scratch, NULL);
	}
	free(scratch);
	fs_close(jobs);
	return rc;
}

static struct store_job *
take(const json_t *record)
{
	struct store_job *job = xcalloc(1, sizeof *job);

	store_fields_take(fields, record, job, NULL);
	job->points_kept = json_is_true(json_object_get(record, "points_kept"));
	job->tasks = (uint64_t)store_record_int(record, "tasks", 0);
	job->extends = (int)store_record_int(record, "extends", 0);
	job->array_size = (uint64_t)store_record_int(record, "array_size", 1);
	job->parallel = store_record_int(record, "parallel", 0);
	job->pack = store_record_int(record, "pack", 1);
	store_policy_take(json_object_get(record, "policy"), &job->policy);
	store_search_take(json_object_get(record, "search"), &job->search);
	job->uid = store_record_int(record, "uid", -1);
	job->created = store_record_int(record, "created", 0);
	take_circumstances(job, record);
	return job;
}

/*
 * Load the extensions and changes of a job.  Returns the job, or NULL after
 * freeing it.
 */
static struct store_job *
extend(struct store_job *job, struct error *e)
{
	struct store_extensions *all;
	struct error why;

	if (job == NULL)
		return NULL;
	all = &job->extensions;
	if (store_extensions_load(job->dir, job->path, job->tasks, all, &why) ==
		-1 ||
	    store_changes_load(job->dir, job->path, &job->changes, &why) ==
		-1) {
		if (store_directory_is_damage(&why))
			error_reword(&why, &why,
			    "%s: stfm-check --repair %s makes it again, as far "
			    "as it can be told",
			    why.text, job->name);
		error_copy(e, &why);
		store_job_free(job);
		return NULL;
	}
	if (all->count > 0)
		job->tasks = all->item[all->count - 1].tasks;
	store_changes_apply(job);
	return job;
}

/* Load only the record.  Takes over dir and path, also on failure. */
static struct store_job *
load_from(int dir, char *path, struct error *e)
{
	json_t *record = store_record_load_to(
	    dir, "job.json", STORE_RECORD_LIMIT, STORE_JOB_VERSION, e);
	struct store_job *job;
	int whole;

	if (record == NULL) {
		fs_close(dir);
		free(path);
		return NULL;
	}
	job = take(record);
	whole = job->id && job->name && job->args && job->directory &&
	    job->array_size > 0 &&
	    store_groups_take(json_object_get(record, "groups"), job->tasks,
		&job->groups) == 0;
	json_decref(record);
	job->dir = dir;
	job->path = path;
	if (whole)
		return job;
	error_code(e, ERROR_DAMAGED, "%s/job.json: incomplete", path);
	store_job_free(job);
	return NULL;
}

/*
 * Refuse a directory that was copied or renamed: an action on this job would
 * affect the job that has the name in the record.
 */
static struct store_job *
refuse_other(struct store_job *job, const char *name, struct error *e)
{
	if (job == NULL || strcmp(job->name, name) == 0)
		return job;
	error_code(e, ERROR_DAMAGED,
	    "%s/job.json: the record of %s, which is the name that its "
	    "directory has to have: if it was renamed, rename it back (mv); if "
	    "it is a copy, stfm-stop --remove %s takes it away",
	    job->path, job->name, name);
	store_job_free(job);
	return NULL;
}

/* Load the record in a directory, even if it is of another job. */
static struct store_job *
load_any(const struct store *store, const char *name, struct error *e)
{
	int jobs, dir;

	if (store_check_name(name, e) == -1)
		return NULL;
	jobs = fs_open_subdir(store->dir, "jobs", 0, e);
	if (jobs == -1)
		return NULL;
	dir = fs_open_subdir(jobs, name, 0, e);
	fs_close(jobs);
	if (dir == -1) {
		if (errno == ENOENT)
			error_code(e, ERROR_ABSENT, "%s: no such job", name);
		return NULL;
	}
	return load_from(dir, xasprintf("%s/jobs/%s", store->path, name), e);
}

struct store_job *
store_job_load_first(
    const struct store *store, const char *name, struct error *e)
{
	return refuse_other(load_any(store, name, e), name, e);
}

struct store_job *
store_job_load(const struct store *store, const char *name, struct error *e)
{
	return extend(store_job_load_first(store, name, e), e);
}

struct store_job *
store_job_copy(const struct store *store, const char *name)
{
	struct store_job *job = load_any(store, name, NULL), *own = NULL;

	if (job == NULL)
		return NULL;
	if (strcmp(job->name, name) != 0)
		own = store_job_load(store, job->name, NULL);
	if (own == NULL || strcmp(own->id, job->id) != 0) {
		store_job_free(job);
		job = NULL;
	}
	store_job_free(own);
	return job;
}

struct store_job *
store_job_load_path(const char *path, struct error *e)
{
	int dir = fs_open_dir(path, e);

	return dir == -1 ? NULL : extend(load_from(dir, xstrdup(path), e), e);
}
