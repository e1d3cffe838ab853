/* Moving damaged files to the quarantine, and remade files to their place. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "base/xalloc.h"
#include "store/job.h"
#include "store/load.h"
#include "store/store.h"
#include "verify/private.h"

void
repair_begin(struct repair *r)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &tm);
	r->quarantine = xasprintf("lost/%s.%08x", stamp, (unsigned)fs_noise());
}

void
repair_end(struct repair *r)
{
	int lost = fs_open_subdir(r->store->dir, "lost", 0, NULL);
	char *stage = xasprintf("%s.new", fs_base(r->quarantine));

	if (lost != -1)
		fs_remove_tree(lost, stage, NULL);
	fs_close(lost);
	free(stage);
	free(r->quarantine);
}

void
repair_report(struct repair *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strlist_take(r->report, xvasprintf(fmt, ap));
	va_end(ap);
}

/* Move or link a path of the store into the quarantine.  Returns 0 or -1. */
static int
set_aside(struct repair *r, const char *path,
    int (*call)(int, const char *, int, const char *, struct error *),
    struct error *e)
{
	char *aside = xasprintf("%s/%s", r->quarantine, path);
	const char *old, *new;
	int from, to = -1, rc = -1;

	from = fs_open_parent(r->store->dir, path, 0, &old, e);
	if (from != -1)
		to = fs_open_parent(r->store->dir, aside, 1, &new, e);
	if (to != -1)
		rc = call(from, old, to, new, e);
	fs_close(from);
	fs_close(to);
	free(aside);
	r->moved |= rc == 0;
	return rc;
}

int
repair_move(struct repair *r, const char *path, struct error *e)
{
	return set_aside(r, path, fs_rename, e);
}

int
repair_file(struct repair *r, const struct verify_finding *f,
    const char *meaning, struct error *e)
{
	struct error why;

	if (repair_move(r, f->path, &why) == -1)
		return why.code == ERROR_ABSENT ? 0 : error_copy(e, &why);
	repair_report(r, "%s: moved aside%s", f->path, meaning);
	return 0;
}

int
repair_stage(struct repair *r, const char *path, struct error *e)
{
	char *staged = xasprintf("%s.new/%s", r->quarantine, path);
	const char *rest;
	int dir = fs_open_parent(r->store->dir, staged, 1, &rest, e);

	free(staged);
	return dir;
}

int
repair_stage_job(struct repair *r, struct store_job *staged, struct error *e)
{
	char *below = xasprintf("jobs/%s/", store_job_name(r->job));
	int sub;

	*staged = *r->job;
	staged->dir = repair_stage(r, below, e);
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

/* Link a file into the quarantine, or move it if it is not a regular file. */
static int
keep_old(struct repair *r, const char *path, struct error *e)
{
	struct error why;

	if (set_aside(r, path, fs_hard_link, &why) == 0 ||
	    why.code == ERROR_ABSENT)
		return 0;
	return why.number == EPERM ? repair_move(r, path, e)
				   : error_copy(e, &why);
}

int
repair_replace(struct repair *r, const char *path, struct error *e)
{
	char *made = xasprintf("%s.new/%s", r->quarantine, path);
	const char *old, *new;
	int from, to = -1, rc = -1;

	from = fs_open_parent(r->store->dir, made, 0, &old, e);
	if (from != -1)
		to = fs_open_parent(r->store->dir, path, 0, &new, e);
	if (to != -1 && keep_old(r, path, e) == 0)
		rc = fs_rename(from, old, to, new, e);
	fs_close(from);
	fs_close(to);
	free(made);
	return rc;
}
