#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/xalloc.h"
#include "sys/fs.h"
#include "verify/quarantine.h"

static char *
lost_name(void)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &tm);
	return xasprintf("lost/%s.%08x", stamp, (unsigned)fs_noise());
}

/* Move or link a path of the store into lost/, where it keeps its path. */
static int
set_aside(struct quarantine *l, const char *path,
    int (*how)(int, const char *, int, const char *, struct error *),
    struct error *e)
{
	char *where = xasprintf("%s/%s", l->path, path);
	const char *old, *new;
	int from, to = -1, rc = -1;

	from = fs_open_parent(l->store->dir, path, 0, &old, e);
	if (from != -1)
		to = fs_open_parent(l->store->dir, where, 1, &new, e);
	if (to != -1)
		rc = how(from, old, to, new, e);
	fs_close(from);
	fs_close(to);
	free(where);
	l->moved |= rc == 0;
	return rc;
}

int
quarantine_move(struct quarantine *l, const char *path, struct error *e)
{
	return set_aside(l, path, fs_rename, e);
}

static char *
stage_path(const struct quarantine *l, const char *path)
{
	return xasprintf("%s.new/%s", l->path, path);
}

int
quarantine_stage(struct quarantine *l, const char *path, struct error *e)
{
	char *staged = stage_path(l, path);
	const char *rest;
	int dir = fs_open_parent(l->store->dir, staged, 1, &rest, e);

	free(staged);
	return dir;
}

int
quarantine_stage_job(struct quarantine *l, const struct store_job *job,
    struct store_job *staged, struct error *e)
{
	char *below = xasprintf("jobs/%s/", job->name);
	int sub;

	*staged = *job;
	staged->dir = quarantine_stage(l, below, e);
	free(below);
	if (staged->dir == -1)
		return -1;
	sub = fs_open_subdir(staged->dir, "sub", 1, e);
	if (sub == -1) {
		fs_close(staged->dir);
		staged->dir = -1;
	}
	fs_close(sub);
	return staged->dir == -1 ? -1 : 0;
}

/* Keep what is at a path; what is no file cannot be linked, and is moved. */
static int
keep(struct quarantine *l, const char *path, struct error *e)
{
	if (set_aside(l, path, fs_hard_link, e) == 0 || errno == ENOENT)
		return 0;
	return errno == EPERM ? quarantine_move(l, path, e) : -1;
}

int
quarantine_take_place(struct quarantine *l, const char *path, struct error *e)
{
	char *made = stage_path(l, path);
	const char *old, *new;
	int from, to = -1, rc = -1;

	from = fs_open_parent(l->store->dir, made, 0, &old, e);
	if (from != -1)
		to = fs_open_parent(l->store->dir, path, 0, &new, e);
	if (to != -1 && keep(l, path, e) == 0)
		rc = fs_rename(from, old, to, new, e);
	fs_close(from);
	fs_close(to);
	free(made);
	return rc;
}

void
quarantine_begin(struct quarantine *l, const struct store *store)
{
	*l = (struct quarantine){.store = store, .path = lost_name()};
}

void
quarantine_end(struct quarantine *l)
{
	int lost = fs_open_subdir(l->store->dir, "lost", 0, NULL);
	char *name = xasprintf("%s.new", fs_base(l->path));

	if (lost != -1)
		fs_remove_tree(lost, name, NULL);
	fs_close(lost);
	free(name);
	free(l->path);
}
