/* Verifying a store: each job, the programs of hooks, the settled jobs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/location.h"
#include "store/settled.h"
#include "store/directory.h"
#include "store/extension.h"
#include "store/job.h"
#include "store/leftovers.h"
#include "store/notified.h"
#include "store/permissions.h"
#include "store/store.h"
#include "verify/private.h"

/*
 * Note a file that other users can write to.  path is its path in the store,
 * name its name in dir.
 */
static void
check_owner(struct verify_findings *found, const char *job, int dir,
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

/* ---- one job ---- */

static int
check_parts(struct verify_job *s, struct error *e)
{
	enum verify_finding_kind kind;
	const char *part;
	struct error why;
	int dir, is_there;
	size_t i;

	for (i = 0; (part = store_parts[i]) != NULL; i++) {
		dir = store_directory_open(s->job, part, 0, &why);
		if (dir != -1) {
			fs_close(dir);
			continue;
		}
		is_there = why.code != ERROR_ABSENT;
		if (!is_there && !s->job->extends && strcmp(part, "ext") == 0)
			/* The job is of a release without extensions. */
			continue;
		if (is_there && !store_directory_is_damage(&why))
			return error_copy(e, &why);
		s->is_broken |= is_there;
		kind = FINDING_PART;
		if (strcmp(part, "sub") == 0)
			/* The list of chunks is nowhere else. */
			kind = FINDING_STAYS;
		else if (!is_there &&
		    (strcmp(part, "run") == 0 || strcmp(part, "fold") == 0 ||
			strcmp(part, "ext") == 0))
			kind = FINDING_NOTE; /* made when it is needed */
		verify_job_note(s, kind, part, "",
		    is_there ? "not a directory" : "not there");
	}
	return 0;
}

/* Check the permissions of everything that decides what the job's tasks run. */
static int
check_owners(struct verify_job *s, struct error *e)
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
		check_owner(
		    s->found, s->job->name, s->job->dir, own.word[i], path);
		free(path);
	}
	strlist_free(&own);
	sub = verify_job_list(s, "sub", &names, &rc, e);
	for (i = 0; i < names.count; i++) {
		path = verify_job_path(s, "sub", names.name[i]);
		check_owner(s->found, s->job->name, sub, names.name[i], path);
		free(path);
	}
	store_directory_close(sub, &names);
	return rc;
}

static int
verify_job(
    struct verify_findings *found, const struct store_job *job, struct error *e)
{
	struct verify_job s = {.found = found, .job = job};
	char *path = xasprintf("jobs/%s", job->name);
	struct error what;
	enum job_location where = job_location(job, &what);

	/* A copied job is complete; a moved job can queue nothing. */
	if (where != JOB_IN_PLACE)
		verify_finding_add(found,
		    where == JOB_COPIED ? FINDING_NOTE : FINDING_STAYS,
		    job->name, path, what.text);
	free(path);
	if (check_owners(&s, e) == -1 || verify_submitted(&s, e) == -1 ||
	    check_parts(&s, e) == -1 || verify_records(&s, e) == -1)
		return -1;
	return s.is_broken ? 0 : verify_table(&s, e);
}

/*
 * Note the damaged extension or change because of which a job cannot be loaded.
 * The points of its tasks, or their code, are unknown then, so no more is
 * verified.  Returns 1, or 0 if another record is the reason.
 */
static int
note_later(
    struct verify_findings *found, const char *name, const struct error *reason)
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
	} else if (store_changes_load(
		       job->dir, job->path, &job->changes, &why) == -1) {
		path = xasprintf("jobs/%s/change/%zu/change.json", name,
		    job->changes.count + 1);
		verify_finding_add(found, FINDING_CHANGE, name, path, why.text);
	}
	free(path);
	fs_close(ext);
	store_job_free(job);
	return 1;
}

/* Note a directory in jobs/ whose record cannot be loaded because of why. */
static int
note_no_job(struct verify_findings *found, const char *name,
    const struct error *why, struct error *e)
{
	char *path = xasprintf("jobs/%s", name);
	char *whole = fs_join(found->store->path, path);
	char *record = fs_join(path, "job.json");
	int rc = 0;

	if (store_check_name(name, NULL) == -1)
		verify_finding_add(
		    found, FINDING_FILE, NULL, path, "not the name of a job");
	else if (why->code == ERROR_ABSENT && fs_exists(whole))
		verify_finding_add(
		    found, FINDING_JOB, name, path, "no job: no job.json");
	else if (why->code == ERROR_NEWER)
		verify_finding_add(
		    found, FINDING_NOTE, name, record, why->text);
	else if (store_directory_is_damage(why))
		verify_finding_add(found, FINDING_JOB, name, record, why->text);
	else
		rc = error_copy(e, why);
	free(record);
	free(whole);
	free(path);
	return rc;
}

static int
verify_name(struct verify_findings *found, const char *name, struct error *e)
{
	struct error why;
	struct store_job *job = store_job_load(found->store, name, &why);
	int rc = 0;

	if (job != NULL)
		rc = verify_job(found, job, e);
	else if (!note_later(found, name, &why))
		rc = note_no_job(found, name, &why, e);
	store_job_free(job);
	return rc;
}

/* ---- the store ---- */

static int
verify_format(struct verify_findings *found, struct error *e)
{
	struct error why;
	struct store *again = store_open(found->store->path, STORE_READ, &why);

	if (again == NULL && why.code != ERROR_ABSENT &&
	    !store_directory_is_damage(&why))
		return error_copy(e, &why);
	if (again == NULL)
		verify_finding_add(
		    found, FINDING_FORMAT, NULL, "FORMAT", why.text);
	store_close(again);
	return 0;
}

/* Check a file in libexec/: only the exact program is intact. */
static int
verify_program(struct verify_findings *found, int dir, const char *name,
    const char *path, struct error *e)
{
	struct error why;
	int is;

	check_owner(found, NULL, dir, name, path);
	is = store_is_program(dir, name, &why);
	if (is == 1)
		return 0;
	if (is == -1 && !store_directory_is_damage(&why))
		return error_copy(e, &why);
	verify_finding_add(found, FINDING_FILE, NULL, path,
	    "damaged: not the program of this name");
	return 0;
}

/*
 * Add a file that cannot be read, unless it is gone.  Returns 0, or -1 with the
 * reason in e if it is not damaged either.
 */
static int
add_damage(struct verify_findings *found, const char *path,
    const struct error *why, struct error *e)
{
	if (why->code == ERROR_ABSENT)
		return 0;
	if (!store_directory_is_damage(why))
		return error_copy(e, why);
	verify_finding_add(found, FINDING_FILE, NULL, path, why->text);
	return 0;
}

/* Check a file in hooks/: if it is lost, its command counts as new. */
static int
verify_hook(struct verify_findings *found, int dir, const char *name,
    const char *path, struct error *e)
{
	struct error why;
	int64_t since;

	if (store_notified_read(dir, name, &since, &why) == 0)
		return 0;
	return add_damage(found, path, &why, e);
}

/* Check a file in fold/: if it is lost, it is made again. */
static int
verify_settled(struct verify_findings *found, int dir, const char *name,
    const char *path, struct error *e)
{
	struct error why;

	check_owner(found, NULL, dir, name, path);
	if (store_settled_check(dir, name, &why) == 0)
		return 0;
	return add_damage(found, path, &why, e);
}

/* Verify each file in a directory of the store, if the directory exists. */
static int
verify_files(struct verify_findings *found, const char *directory,
    int (*verify)(struct verify_findings *, int dir, const char *name,
	const char *path, struct error *),
    struct error *e)
{
	int dir = fs_open_subdir(found->store->dir, directory, 0, e), rc;
	struct fs_names names = {0};
	char *path;
	size_t i;

	if (dir == -1)
		return errno == ENOENT ? 0 : -1;
	rc = fs_list(dir, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++) {
		path = xasprintf("%s/%s", directory, names.name[i]);
		rc = verify(found, dir, names.name[i], path, e);
		free(path);
	}
	store_directory_close(dir, &names);
	return rc;
}

static int
note_leftovers(struct verify_findings *found, struct error *e)
{
	struct strlist list = {0};
	int rc = store_leftovers_list(found->store, &list, e);
	size_t i;

	for (i = 0; i < list.count; i++)
		verify_finding_add(found, FINDING_NOTE, NULL,
		    fs_from(found->store->path, list.word[i]),
		    "left over; stfm-watch removes it when it is old");
	strlist_free(&list);
	return rc;
}

static int
verify_all(struct verify_findings *found, struct error *e)
{
	struct fs_names names;
	int rc = store_jobs(found->store, &names, e);
	size_t i;

	fs_names_sort(&names);
	for (i = 0; rc == 0 && i < names.count; i++)
		rc = verify_name(found, names.name[i], e);
	fs_names_free(&names);
	return rc == 0 ? note_leftovers(found, e) : rc;
}

int
verify_store(const struct store *store, char *const *names, size_t count,
    struct verify_findings *out, struct error *e)
{
	static const char *const directories[] = {
	    ".", "jobs", "libexec", "fold"};
	int rc = 0;
	size_t i;

	memset(out, 0, sizeof *out);
	out->store = store;
	for (i = 0; i < sizeof directories / sizeof *directories; i++)
		check_owner(
		    out, NULL, store->dir, directories[i], directories[i]);
	if (verify_format(out, e) == -1 ||
	    verify_files(out, "libexec", verify_program, e) == -1 ||
	    verify_files(out, "hooks", verify_hook, e) == -1 ||
	    verify_files(out, "fold", verify_settled, e) == -1)
		return -1;
	for (i = 0; rc == 0 && i < count; i++)
		rc = verify_name(out, names[i], e);
	return count == 0 ? verify_all(out, e) : rc;
}
