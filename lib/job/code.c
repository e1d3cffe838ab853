#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strlist.h"
#include "base/xalloc.h"
#include "job/code.h"
#include "job/points.h"
#include "store/change.h"
#include "store/job.h"
#include "sys/fs-tree.h"
#include "sys/fs.h"
#include "sys/proc.h"

enum { LIST_LIMIT = 64 << 20 };

/* Add the directories, relative to the job's, where results will be made. */
static void
add_results(const struct store_job *job, struct strlist *out)
{
	const char *place = job->metrics;
	size_t n = place != NULL ? strcspn(place, "/") : 0;
	char *first;

	if (strcmp(job->args, "positional") == 0)
		strlist_push(out, "results");
	/* Add the first directory of a relative path, if its name is fixed. */
	if (n == 0 || *place == '.' || place[n] == '\0' ||
	    memchr(place, '{', n) != NULL)
		return;
	first = xstrndup(place, n);
	if (out->count == 0 || strcmp(first, "results") != 0)
		strlist_push(out, first);
	free(first);
}

/* Return the directory two levels above a program, its prefix; to free. */
static char *
prefix_of(const char *program)
{
	char *prefix = xstrdup(program), *slash;
	int i;

	for (i = 0; i < 2; i++) {
		slash = strrchr(prefix, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
	}
	return prefix;
}

/* Find packages of the code itself in the environments Python may run in. */
static void
find_packages(struct store_job *job, const struct snapshot *s)
{
	const char *path = getenv("PATH"), *home = getenv("HOME");
	const char *const roots[] = {
	    getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX")};
	struct strlist prefixes = {0};
	char *program;
	size_t i;

	for (i = 0; i < sizeof roots / sizeof *roots; i++)
		if (roots[i] != NULL)
			strlist_push(&prefixes, roots[i]);
	program = proc_find("python3", path ? path : "/usr/bin:/bin");
	for (i = 0; i < job->environment.count && program != NULL; i++)
		if (strncmp(job->environment.word[i], "python=", 7) == 0)
			strlist_take(
			    &prefixes, prefix_of(job->environment.word[i] + 7));
	if (program != NULL)
		strlist_take(&prefixes, prefix_of(program));
	strlist_push(&prefixes, "/usr/local");
	if (home != NULL)
		strlist_take(&prefixes, fs_join(home, ".local"));
	for (i = 0; i < prefixes.count; i++)
		if (*prefixes.word[i] == '/')
			snapshot_packages(
			    s, prefixes.word[i], &job->code.packages);
	strlist_free(&prefixes);
	free(program);
}

int
job_code_plan(struct store_job *job, const char *patterns, const char *store,
    struct snapshot **out, struct error *e)
{
	struct store_code *code = &job->code;
	struct snapshot_ask ask = {.directory = job->directory,
	    .command = &job->command,
	    .script = job->script,
	    .patterns = patterns,
	    .store = store};
	struct snapshot *s;

	*out = NULL;
	if (access(job->directory, R_OK | X_OK) == -1) {
		code->why = xasprintf(
		    "%s: not to be seen from this host", job->directory);
		return 0;
	}
	add_results(job, &ask.results);
	*out = s = snapshot_plan(&ask, e);
	strlist_free(&ask.results);
	if (s == NULL)
		return -1;
	store_code_free(code);
	code->patterns = xcopy(patterns);
	code->root = xcopy(s->root);
	code->work = xcopy(s->work);
	code->why = xcopy(s->why);
	code->commit = xcopy(s->commit);
	code->branch = xcopy(s->branch);
	code->remote = xcopy(s->remote);
	code->dirty = s->dirty;
	code->files = s->files;
	code->bytes = s->bytes;
	strlist_copy(&code->untracked, &s->untracked);
	if (s->root != NULL)
		find_packages(job, s);
	return 0;
}

int
job_code_copy(void *snapshot, struct store_job *job, int dir, struct error *e)
{
	struct snapshot *s = snapshot;

	if (s == NULL || s->root == NULL)
		return 0;
	if (snapshot_copy(s, dir, e) == -1 ||
	    fs_write_new(dir, "code.tsv", 0600, s->list, s->list_length, e) ==
		-1 ||
	    fs_sync_tree(dir, "code.tsv", e) == -1)
		return -1;
	if (s->diff != NULL &&
	    (fs_write_new(dir, "diff", 0600, s->diff, s->diff_length, e) ==
		    -1 ||
		fs_sync_tree(dir, "diff", e) == -1))
		return -1;
	free(job->code.diff);
	job->code.diff =
	    s->diff != NULL ? store_job_sum(s->diff, s->diff_length) : NULL;
	free(job->code.fingerprint);
	job->code.fingerprint = job_points_fingerprint(s->list, s->list_length);
	return 0;
}

/* Read a file that belongs to the copy in use.  Result and errors: fs_read. */
static int
read_file(const struct store_job *job, const char *name, size_t limit,
    char **text, size_t *length, struct error *e)
{
	int dir = store_code_open(job, e), rc = -1;

	if (dir != -1)
		rc = fs_read(dir, name, limit, text, length, e);
	fs_close(dir);
	return rc;
}

/* Set e: a file of the copy in use is damaged.  Returns -1. */
static int
is_damaged(const struct store_job *job, const char *name, struct error *e)
{
	char *path = store_code_path(job, name);

	error_code(
	    e, ERROR_DAMAGED, "%s: damaged: not what was submitted", path);
	free(path);
	return -1;
}

/* Return the list of copied files, to free, or NULL if it is damaged. */
static char *
read_list(const struct store_job *job, struct error *e)
{
	char *list, *now;
	size_t length;
	int same;

	if (read_file(job, "code.tsv", LIST_LIMIT, &list, &length, e) == -1)
		return NULL;
	now = job_points_fingerprint(list, length);
	same = strcmp(now, job->code.fingerprint) == 0;
	free(now);
	if (same)
		return list;
	is_damaged(job, "code.tsv", e);
	free(list);
	return NULL;
}

int
job_code_diff(
    const struct store_job *job, char **text, size_t *length, struct error *e)
{
	char *sum;
	int same;

	if (read_file(job, "diff", 2 * SNAPSHOT_DIFF, text, length, e) == -1)
		return -1;
	sum = store_job_sum(*text, *length);
	same = job->code.diff == NULL || strcmp(job->code.diff, sum) == 0;
	free(sum);
	if (same)
		return 0;
	free(*text);
	*text = NULL;
	return is_damaged(job, "diff", e);
}

int
job_code_differs(const struct store_job *job, struct snapshot *s, size_t most,
    struct strlist *differing, struct strlist *added, struct error *e)
{
	char *list;

	if (job->code.fingerprint == NULL || s == NULL || s->root == NULL)
		return 0;
	list = read_list(job, e);
	if (list == NULL || snapshot_copy(s, -1, e) == -1) {
		free(list);
		return -1;
	}
	snapshot_compare(list, s->list, most, differing, added);
	free(list);
	return differing->count > 0;
}

int
job_code_changes(const struct store_job *job, enum snapshot_depth depth,
    size_t most, struct snapshot_changes *out, struct error *e)
{
	int top, dir = -1, rc = -1;
	char *list;

	if (job->code.fingerprint == NULL)
		return 0;
	list = read_list(job, e);
	if (list == NULL)
		return -1;
	top = store_code_open(job, e);
	if (top != -1)
		dir = fs_open_subdir(top, "code", 0, e);
	fs_close(top);
	if (dir != -1)
		rc = snapshot_compare_copy(dir, list, depth, most, out, e);
	fs_close(dir);
	free(list);
	return rc;
}

void
job_code_edited(const struct store_job *job, size_t most, struct strlist *out)
{
	struct snapshot_changes c = {0};
	char *list;
	int dir;

	if (job->code.fingerprint == NULL || job->code.root == NULL)
		return;
	list = read_list(job, NULL);
	dir = fs_open_dir(job->code.root, NULL);
	if (list != NULL && dir != -1 &&
	    snapshot_compare_copy(dir, list, SNAPSHOT_CODE, most, &c, NULL) ==
		0) {
		strlist_copy(out, &c.changed);
		strlist_copy(out, &c.gone);
	}
	snapshot_changes_free(&c);
	fs_close(dir);
	free(list);
}

int
job_code_between(const struct store_job *a, const struct store_job *b,
    size_t most, struct strlist *out, struct error *e)
{
	char *list, *other;

	if (a->code.fingerprint == NULL || b->code.fingerprint == NULL)
		return 0;
	list = read_list(a, e);
	other = list != NULL ? read_list(b, e) : NULL;
	if (other != NULL)
		snapshot_compare(list, other, most, out, out);
	free(list);
	free(other);
	return other != NULL ? 0 : -1;
}

int
job_code_is_complete(const struct store_job *job, struct error *e)
{
	struct snapshot_changes c = {0};
	int rc = job_code_changes(job, SNAPSHOT_TYPES, 1, &c, e);
	char *copy = store_code_path(job, "code");

	if (rc == 0 && c.gone.count > 0)
		rc = error_set(
		    e, "%s/%s: damaged: not there", copy, c.gone.word[0]);
	else if (rc == 0 && c.changed.count > 0)
		rc = error_set(e, "%s/%s: damaged: not what was submitted",
		    copy, c.changed.word[0]);
	free(copy);
	snapshot_changes_free(&c);
	return rc;
}

int
job_code_is_data(const struct store_job *job, const char *path)
{
	char *list =
	    job->code.fingerprint != NULL ? read_list(job, NULL) : NULL;
	int is = list != NULL && snapshot_is_data(list, path);

	free(list);
	return is;
}

/* ---- a newer copy ---- */

enum { SCRIPT_LIMIT = 4 << 20 };

/* A newer copy that is being made. */
struct renewal {
	struct store_job next; /* the job, with the newer code */
	struct snapshot *snapshot;
	char *script; /* text of the user's batch script, or NULL */
	struct store_change change;
};

/* Read the user's batch script as it is now; compare it with the copy. */
static int
read_script(struct renewal *r, const struct store_job *job,
    struct strlist *differing, struct error *e)
{
	const char *sum =
	    job->code.number > 0 ? job->code.script_sum : job->script_sum;
	size_t length;

	if (job->script == NULL)
		return 0;
	if (fs_read_path(job->script, SCRIPT_LIMIT, &r->script, &length, e) ==
	    -1)
		return -1;
	r->next.code.script_sum = store_job_sum(r->script, length);
	if (sum == NULL || strcmp(sum, r->next.code.script_sum) != 0)
		strlist_push(differing, job->script);
	return 0;
}

/* Make the files of the newer copy; fits store_numbered_fill. */
static int
fill(void *arg, int dir, struct error *e)
{
	struct renewal *r = arg;

	if (job_code_copy(r->snapshot, &r->next, dir, e) == -1)
		return -1;
	if (r->script != NULL &&
	    fs_place_mode(dir, "script", FS_PROGRAM, r->script,
		strlen(r->script), e) != 0)
		return -1;
	r->change.code = r->next.code;
	return 0;
}

static int
publish(struct renewal *r, const struct store_job *job, struct error *e)
{
	int rc;

	r->change.copies = 1;
	rc = store_change_add(job, &r->change, fill, r, e);
	if (rc == 1)
		rc = error_code(e, ERROR_LATER,
		    "%s: changed by another command meanwhile: try again",
		    job->name);
	return rc;
}

int
job_code_renew(const struct store_job *job, const char *store, int only_look,
    size_t most, struct strlist *differing, struct error *e)
{
	struct renewal r = {.next = *job};
	int rc;

	if (job->code.fingerprint == NULL && job->script == NULL)
		return error_set(e,
		    "%s: has no copy of its code, so that its tasks train with "
		    "the code in %s as it is: leave out --new-code",
		    job->name, job->directory);
	if (job->extends < 2)
		return error_set(e,
		    "%s: was submitted by an earlier release, whose tasks know "
		    "no newer code: submit it under another name (-J)",
		    job->name);
	r.next.is_loaded = 0;
	r.next.code = (struct store_code){0};
	rc = job->code.fingerprint == NULL
	    ? 0
	    : job_code_plan(&r.next, job->code.patterns, store, &r.snapshot, e);
	if (rc == 0 && job->code.fingerprint != NULL &&
	    (r.snapshot == NULL || r.snapshot->root == NULL))
		rc = error_set(e, "%s: cannot copy the code again: %s",
		    job->name, r.next.code.why);
	if (rc == 0 && job->code.fingerprint != NULL)
		rc = job_code_differs(
		    job, r.snapshot, most, differing, differing, e);
	if (rc != -1)
		rc = read_script(&r, job, differing, e);
	if (rc != -1)
		rc = differing->count > 0;
	if (rc == 1 && !only_look && publish(&r, job, e) == -1)
		rc = -1;
	store_code_free(&r.next.code);
	snapshot_free(r.snapshot);
	free(r.script);
	return rc;
}
