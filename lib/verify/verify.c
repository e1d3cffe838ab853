#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/location.h"
#include "store/directory.h"
#include "store/leftovers.h"
#include "store/notified.h"
#include "store/permissions.h"
#include "sys/fs.h"
#include "verify/chunks.h"
#include "verify/facts.h"
#include "verify/submitted.h"
#include "verify/table.h"
#include "verify/usage.h"
#include "verify/verify.h"

/*
 * Without "sub" nothing tells what was queued; "run", "fold" and "ext" are made
 * by whoever needs them.
 */
static enum verify_finding_kind
kind_of_part(const char *part, int is_there)
{
	if (strcmp(part, "sub") == 0)
		return FINDING_STAYS;
	if (!is_there &&
	    (strcmp(part, "run") == 0 || strcmp(part, "fold") == 0 ||
		strcmp(part, "ext") == 0))
		return FINDING_NOTE;
	return FINDING_PART;
}

static int
check_parts(struct verify_job *s, struct error *e)
{
	int dir, is_there;
	struct error why;
	size_t i;

	for (i = 0; store_parts[i] != NULL; i++) {
		dir = store_directory_open(s->job, store_parts[i], 0, &why);
		if (dir != -1) {
			fs_close(dir);
			continue;
		}
		is_there = errno != ENOENT;
		if (!is_there && !s->job->extends &&
		    strcmp(store_parts[i], "ext") == 0)
			continue; /* of an earlier release */
		if (is_there && !store_directory_is_damage(errno))
			return error_set(e, "%s", why.text);
		s->is_broken |= is_there;
		verify_job_note(s, kind_of_part(store_parts[i], is_there),
		    store_parts[i], "",
		    is_there ? "not a directory" : "not there");
	}
	return 0;
}

/* ---- who can change it ---- */

/* What is at a path below the store's, in an open directory. */
static void
check_owner_of(struct verify_findings *found, const char *job, int dir,
    const char *name, const char *path)
{
	char *whole = fs_join(found->store->path, path);
	struct error why;
	struct stat st;

	if (fs_ops.fstat(found->store->dir, &st) == 0 &&
	    store_permissions_check(dir, name, st.st_uid, whole, &why) == -1)
		verify_finding_add(found, FINDING_OPEN, job, path, why.text);
	free(whole);
}

/* All that its tasks run follows from, and all that says what is to run. */
static int
check_owner(struct verify_job *s, struct error *e)
{
	struct strlist own = {0};
	struct fs_names names;
	int rc, sub;
	char *path;
	size_t i;

	store_permissions_list(s->job, &own);
	for (i = 0; i < own.count; i++) {
		path = strcmp(own.word[i], ".") == 0
		    ? xasprintf("jobs/%s", s->job->name)
		    : verify_job_path(s, "", own.word[i]);
		check_owner_of(
		    s->found, s->job->name, s->job->dir, own.word[i], path);
		free(path);
	}
	strlist_free(&own);
	sub = verify_job_list(s, "sub", &names, &rc, e);
	for (i = 0; i < names.count; i++) {
		path = verify_job_path(s, "sub", names.name[i]);
		check_owner_of(
		    s->found, s->job->name, sub, names.name[i], path);
		free(path);
	}
	store_directory_close(sub, &names);
	return rc;
}

/* A copy is whole for itself; of what was moved nothing can be queued. */
static void
check_place(struct verify_findings *found, const struct store_job *job)
{
	char *path = xasprintf("jobs/%s", job->name);
	struct error what;
	enum job_location where = job_location(job, &what);

	if (where != JOB_IN_PLACE)
		verify_finding_add(found,
		    where == JOB_COPIED ? FINDING_NOTE : FINDING_STAYS,
		    job->name, path, what.text);
	free(path);
}

static int
verify_job(
    struct verify_findings *found, const struct store_job *job, struct error *e)
{
	struct verify_job s = {.found = found, .job = job};

	check_place(found, job);
	if (check_owner(&s, e) == -1 || verify_submitted(&s, e) == -1 ||
	    check_parts(&s, e) == -1 || verify_chunks(&s, e) == -1 ||
	    verify_wishes(&s, e) == -1 || verify_facts(&s, e) == -1 ||
	    verify_packs(&s, e) == -1 || verify_folds(&s, e) == -1 ||
	    verify_usage(&s, e) == -1)
		return -1;
	return s.is_broken ? 0 : verify_table(found, job, e);
}

/* ---- the store ---- */

static int
is_job_moved(const struct store *store, const char *name)
{
	char *path = xasprintf("%s/jobs/%s", store->path, name);
	int there = fs_exists(path);

	free(path);
	return !there;
}

/* A directory in jobs/ whose record was not loaded, for this reason. */
static int
note_no_job(struct verify_findings *found, const char *name, const char *path,
    int reason, const struct error *why, struct error *e)
{
	char *record = fs_join(path, "job.json");
	int rc = 0;

	if (store_check_name(name, NULL) == -1)
		verify_finding_add(
		    found, FINDING_FILE, NULL, path, "not the name of a job");
	else if (reason == ENOENT && is_job_moved(found->store, name))
		rc = error_set(e, "%s", why->text);
	else if (reason == ENOENT)
		verify_finding_add(
		    found, FINDING_JOB, name, path, "no job: no job.json");
	else if (reason == ENOTSUP)
		verify_finding_add(
		    found, FINDING_NOTE, name, record, why->text);
	else if (store_directory_is_damage(reason))
		verify_finding_add(found, FINDING_JOB, name, record, why->text);
	else
		rc = error_set(e, "%s", why->text);
	free(record);
	return rc;
}

/*
 * A job of which an extension is damaged: which points its tasks are cannot be
 * told, and so nothing of it be judged.
 */
static int
note_extension(struct verify_findings *found, const char *name, int reason)
{
	struct store_job *job = store_job_load_first(found->store, name, NULL);
	struct store_extensions *all;
	struct error why;
	char *path = NULL;
	int ext;

	if (job == NULL || !store_directory_is_damage(reason)) {
		store_job_free(job);
		return 0;
	}
	ext = fs_open_subdir(job->dir, "ext", 0, NULL);
	all = &job->extensions;
	if (store_extensions_load(job->dir, job->path, job->tasks, all, &why) ==
	    -1) {
		path = ext == -1 ? xasprintf("jobs/%s/ext", name)
				 : xasprintf("jobs/%s/ext/%zu/ext.json", name,
				       all->count + 1);
		verify_finding_add(found,
		    ext == -1 ? FINDING_STAYS : FINDING_EXTENSION, name, path,
		    why.text);
	}
	free(path);
	fs_close(ext);
	store_job_free(job);
	return 1;
}

static int
verify_name(struct verify_findings *found, const char *name, struct error *e)
{
	char *path = xasprintf("jobs/%s", name);
	struct store_job *job;
	struct error why;
	int rc = 0, reason;

	job = store_job_load(found->store, name, &why);
	if (job == NULL) {
		reason = errno;
		if (!note_extension(found, name, reason))
			rc = note_no_job(found, name, path, reason, &why, e);
	} else {
		rc = verify_job(found, job, e);
	}
	store_job_free(job);
	free(path);
	return rc;
}

static int
verify_format(struct verify_findings *found, struct error *e)
{
	struct store *again;
	struct error why;

	again = store_open(found->store->path, STORE_READ, &why);
	if (again == NULL && errno != ENOENT &&
	    !store_directory_is_damage(errno))
		return error_set(e, "%s", why.text);
	if (again == NULL)
		verify_finding_add(
		    found, FINDING_FORMAT, NULL, "FORMAT", why.text);
	store_close(again);
	return 0;
}

/* A file in libexec/: what batch scripts run must not be taken for damage. */
static int
verify_program(struct verify_findings *found, int dir, const char *name,
    const char *path, struct error *e)
{
	check_owner_of(found, NULL, dir, name, path);
	switch (store_is_program(dir, name, e)) {
	case -1:
		if (!store_directory_is_damage(errno))
			return -1;
		break;
	case 1:
		return 0;
	}
	verify_finding_add(found, FINDING_FILE, NULL, path,
	    "damaged: not the program of this name");
	return 0;
}

/* A file in hooks/: without it a command counts as one that is new. */
static int
verify_hook(struct verify_findings *found, int dir, const char *name,
    const char *path, struct error *e)
{
	struct error why;
	int64_t since;

	if (store_notified_read(dir, name, &since, &why) == 0 ||
	    errno == ENOENT)
		return 0;
	if (!store_directory_is_damage(errno)) {
		*e = why;
		return -1;
	}
	verify_finding_add(found, FINDING_FILE, NULL, path, why.text);
	return 0;
}

typedef int verify_file(struct verify_findings *, int dir, const char *name,
    const char *path, struct error *);

/* Each file in a directory of the store that may be there. */
static int
verify_files(struct verify_findings *found, const char *directory,
    verify_file *verify, struct error *e)
{
	int dir = fs_open_subdir(found->store->dir, directory, 0, e), rc = 0;
	struct fs_names names = {0};
	char *path;
	size_t i;

	if (dir == -1)
		return errno == ENOENT ? 0 : -1;
	rc = fs_list(dir, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++) {
		if (*names.name[i] == '.')
			continue;
		path = xasprintf("%s/%s", directory, names.name[i]);
		rc = verify(found, dir, names.name[i], path, e);
		free(path);
	}
	fs_names_free(&names);
	fs_close(dir);
	return rc;
}

/* The directories that everything else is in. */
static void
verify_owner(struct verify_findings *found)
{
	static const char *const names[] = {".", "jobs", "libexec"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		check_owner_of(
		    found, NULL, found->store->dir, names[i], names[i]);
}

static int
note_leftovers(struct verify_findings *found, struct error *e)
{
	struct strlist list = {0};
	int rc = store_leftovers_list(found->store, &list, e);
	const char *path = found->store->path;
	size_t length = strlen(path), i;
	int is_below;

	for (i = 0; i < list.count; i++) {
		is_below = strncmp(list.word[i], path, length) == 0;
		verify_finding_add(found, FINDING_NOTE, NULL,
		    list.word[i] + (is_below ? length + 1 : 0),
		    "left over; stfm-watch removes it when it is old");
	}
	strlist_free(&list);
	return rc;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
verify_all(struct verify_findings *found, struct error *e)
{
	struct fs_names names;
	int rc = store_jobs(found->store, &names, e);
	size_t i;

	if (names.count > 0)
		qsort(
		    names.name, names.count, sizeof *names.name, compare_names);
	for (i = 0; rc == 0 && i < names.count; i++)
		rc = verify_name(found, names.name[i], e);
	fs_names_free(&names);
	return rc;
}

int
verify_store(const struct store *store, char *const *names, size_t count,
    struct verify_findings *out, struct error *e)
{
	int rc = 0;
	size_t i;

	memset(out, 0, sizeof *out);
	out->store = store;
	verify_owner(out);
	if (verify_format(out, e) == -1 ||
	    verify_files(out, "libexec", verify_program, e) == -1 ||
	    verify_files(out, "hooks", verify_hook, e) == -1)
		return -1;
	for (i = 0; rc == 0 && i < count; i++)
		rc = verify_name(out, names[i], e);
	if (count == 0)
		rc = verify_all(out, e);
	if (rc == 0 && count == 0)
		rc = note_leftovers(out, e);
	return rc;
}
