#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "store/create-lock.h"
#include "store/create.h"
#include "sys/fs.h"
#include "sys/proc.h"

/* The name of the lock; leftovers are removed like any ".new." name. */
static const char way[] = ".new.alone";

/* How often to try to get the lock, and how long to sleep between (ns). */
enum { TIMES = 50, NAP = 20000000 };

int64_t store_create_patience = STORE_CREATE_PATIENCE;

struct creating {
	int jobs;
	const char *id, *name;
	char *scratch;    /* the job's directory: ".new.ID" */
	char *wrap;       /* directory around it: ".new.ID.alone" */
	int64_t patience; /* milliseconds to wait for another holder */
};

/* ---- the lock ---- */

/* Open the lock through a new descriptor, since its name is used again. */
static int
open_way(int jobs, struct error *e)
{
	int anew = fs_open_subdir(jobs, ".", 0, e), dir;

	if (anew == -1)
		return -1;
	dir = fs_open_subdir(anew, way, 0, e);
	fs_close(anew);
	return dir;
}

/* Return the id of the job that holds the lock, to free, or NULL. */
static char *
inside(int jobs)
{
	int dir = open_way(jobs, NULL);
	struct fs_names names = {0};
	char *id = NULL;

	if (dir != -1 && fs_list(dir, &names, NULL) == 0 && names.count > 0)
		id = xstrdup(names.name[0]);
	fs_names_free(&names);
	fs_close(dir);
	return id;
}

static int
is_inside(int jobs, const char *id)
{
	char *other = inside(jobs);
	int is = other != NULL && strcmp(other, id) == 0;

	free(other);
	return is;
}

/* Move a job from an open directory, which is closed, to its hidden name. */
static void
put_aside(int from, int jobs, const char *id)
{
	char *scratch = xasprintf(".new.%s", id);

	if (from != -1) {
		fs_rename(from, id, jobs, scratch, NULL);
		fs_close(from);
	}
	free(scratch);
}

/* Wait at most so many milliseconds for the holder; then put its job aside. */
static void
wait_for_other(int jobs, int64_t patience)
{
	const struct timespec nap = {0, NAP};
	char *other = inside(jobs);
	int is_there = other != NULL;

	while (is_there && patience > 0) {
		nanosleep(&nap, NULL);
		patience -= NAP / 1000000;
		is_there = is_inside(jobs, other);
	}
	if (is_there)
		put_aside(open_way(jobs, NULL), jobs, other);
	free(other);
}

/* ---- creating one job ---- */

/* Put the job's directory into another one, which will become the lock. */
static int
wrap_up(const struct creating *n, struct error *e)
{
	int dir = -1, rc;

	if (fs_make_subdir(n->jobs, n->wrap, e) == 0)
		dir = fs_open_subdir(n->jobs, n->wrap, 0, e);
	if (dir == -1)
		return -1;
	rc = fs_rename(n->jobs, n->scratch, dir, n->id, e);
	fs_close(dir);
	return rc;
}

/* Get the lock.  Returns 0, 1 if it was never free, or -1. */
static int
enter(const struct creating *n, struct error *e)
{
	int times;

	if (wrap_up(n, e) == -1)
		return -1;
	for (times = 0; times < TIMES; times++) {
		if (fs_rename(n->jobs, n->wrap, n->jobs, way, e) == 0)
			return 0;
		if (errno != EEXIST && errno != ENOTEMPTY)
			return is_inside(n->jobs, n->id) ? 0 : -1;
		wait_for_other(n->jobs, n->patience);
	}
	return 1;
}

/*
 * Give the job its name.  Returns 0, 1 if the name is taken, 2 if another
 * program put the job aside meanwhile, or -1.
 */
static int
come_in(const struct creating *n, struct error *e)
{
	struct store_creation r = {.from = open_way(n->jobs, e),
	    .scratch = n->id,
	    .jobs = n->jobs,
	    .name = n->name,
	    .aside = n->scratch};
	int rc = -1;

	if (r.from != -1)
		rc = store_create(&r, e);
	else if (errno == ENOENT)
		rc = 2;
	fs_close(r.from);
	return rc;
}

/* Try once to create the job.  Result and errors are those of come_in. */
static int
try_once(
    struct creating *n, store_create_admit *admit, void *arg, struct error *e)
{
	int rc = enter(n, e);
	int64_t begun, twice;

	if (rc == 1) {
		rc = 2;
	} else if (rc == 0) {
		/* If admit takes long here, other programs may need as long. */
		begun = proc_clock();
		rc = admit(arg, e);
		twice = 2 * (proc_clock() - begun);
		if (twice > n->patience)
			n->patience = twice;
	}
	if (rc == 0)
		rc = come_in(n, e);
	if (rc != 0) { /* move the job back, wherever it is */
		put_aside(
		    fs_open_subdir(n->jobs, n->wrap, 0, NULL), n->jobs, n->id);
		put_aside(open_way(n->jobs, NULL), n->jobs, n->id);
	}
	fs_ops.unlinkat(n->jobs, n->wrap, AT_REMOVEDIR);
	fs_ops.unlinkat(n->jobs, way, AT_REMOVEDIR); /* only if it is empty */
	return rc;
}

int
store_create_reveal(int jobs, const char *id, const char *name,
    store_create_admit *admit, void *arg, struct error *e)
{
	struct creating n = {.jobs = jobs,
	    .id = id,
	    .name = name,
	    .patience = store_create_patience};
	int rc, times = 0;

	n.scratch = xasprintf(".new.%s", id);
	n.wrap = xasprintf("%s.alone", n.scratch);
	do
		rc = try_once(&n, admit, arg, e);
	while (rc == 2 && ++times < 3);
	free(n.scratch);
	free(n.wrap);
	if (rc == 2)
		return error_code(e, ERROR_LATER,
		    "%s: not stored: others are at the same time, or what they "
		    "do takes too long: try again",
		    name);
	return rc;
}
