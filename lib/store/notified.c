#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "store/directory-private.h"
#include "store/load.h"
#include "store/notified.h"
#include "store/store.h"

static const char part[] = "ctl", hooks[] = "hooks";

static const char *const names[NOTIFIED_EVENTS] = {
    [NOTIFIED_ERROR] = "error",
    [NOTIFIED_BEST] = "best",
    [NOTIFIED_STALLED] = "stalled",
    [NOTIFIED_LATE] = "late",
    [NOTIFIED_IDLE] = "idle",
    [NOTIFIED_FINISHED] = "finished",
};

/* How often to list a directory again that changes while it is read. */
enum { TRIES = 50 };

/*
 * How many generations a generation names.  A program that is held up for
 * longer, between publishing and notifying, does not notify.
 */
enum { TRAIL = 100 };

const char *
notified_event_name(enum notified_event event)
{
	return names[event];
}

/* ---- earlier notifications ---- */

static void
about_free(struct notified_about *about)
{
	size_t i;

	for (i = 0; i < about->count; i++)
		idset_free(&about->run[i].tasks);
	free(about->run);
	free(about->metric);
}

void
store_notified_free(struct store_notified *notified)
{
	size_t i;

	for (i = 0; i < NOTIFIED_EVENTS; i++)
		about_free(&notified->of[i]);
	strlist_free(&notified->trail);
	memset(notified, 0, sizeof *notified);
}

/* Return the index of the first run from at on that is not before this run. */
static size_t
find_from(const struct notified_about *about, size_t at, int64_t attempt,
    int64_t restart)
{
	const struct notified_run *run;

	for (; at < about->count; at++) {
		run = &about->run[at];
		if (run->attempt > attempt ||
		    (run->attempt == attempt && run->restart >= restart))
			break;
	}
	return at;
}

int
notified_has(const struct notified_about *about, int64_t attempt,
    int64_t restart, uint64_t task)
{
	size_t i = find_from(about, 0, attempt, restart);

	for (; i < about->count; i = find_from(about, i + 1, attempt, restart))
		if (idset_has(&about->run[i].tasks, task))
			return 1;
	return 0;
}

int
notified_has_run(
    const struct notified_about *about, int64_t attempt, int64_t restart)
{
	return find_from(about, 0, attempt, restart) < about->count;
}

static struct notified_run *
find_run(struct notified_about *about, int64_t attempt, int64_t restart)
{
	size_t i;

	for (i = 0; i < about->count; i++)
		if (about->run[i].attempt == attempt &&
		    about->run[i].restart == restart)
			return &about->run[i];
	about->run = xgrow(about->run, about->count, sizeof *about->run);
	about->run[about->count] = (struct notified_run){attempt, restart, {0}};
	return &about->run[about->count++];
}

void
notified_add(struct notified_about *about, int64_t attempt, int64_t restart,
    uint64_t task)
{
	idset_add(&find_run(about, attempt, restart)->tasks, task, task);
}

void
notified_set_run(struct notified_about *about, int64_t attempt, int64_t restart)
{
	find_run(about, 0, 0);
	about->run[0].attempt = attempt;
	about->run[0].restart = restart;
}

void
notified_set_best(
    struct notified_about *about, const char *metric, double value)
{
	char *old = about->metric;

	about->metric = xstrdup(metric);
	about->value = value;
	free(old);
}

/* ---- JSON ---- */

static json_t *
about_json(const struct notified_about *about)
{
	json_t *out = json_object(), *runs = json_array(), *one;
	const struct notified_run *run;
	size_t i;

	for (i = 0; i < about->count; i++) {
		run = &about->run[i];
		one = json_object();
		store_record_set_int(one, "attempt", run->attempt);
		store_record_set_int(one, "restart", run->restart);
		if (run->tasks.count > 0)
			store_record_set_idset(one, "tasks", &run->tasks);
		json_array_append_new(runs, one);
	}
	json_object_set_new(out, "runs", runs);
	if (about->metric != NULL) {
		store_record_set_string(out, "metric", about->metric);
		store_record_set_real(out, "value", about->value);
	}
	return out;
}

static int
read_about(const json_t *in, struct notified_about *about, struct error *e)
{
	const json_t *runs = json_object_get(in, "runs"), *one;
	const char *metric = store_record_string(in, "metric"), *tasks;
	struct notified_run *run;
	size_t i;

	about->known = in != NULL;
	if (metric != NULL)
		notified_set_best(
		    about, metric, store_record_real(in, "value"));
	for (i = 0; i < json_array_size(runs); i++) {
		one = json_array_get(runs, i);
		run = find_run(about, store_record_int(one, "attempt", 0),
		    store_record_int(one, "restart", 0));
		tasks = store_record_string(one, "tasks");
		if (tasks != NULL && run->tasks.count == 0 &&
		    idset_parse(&run->tasks, tasks, e) == -1)
			return -1;
	}
	return 0;
}

static int
read_notified(const json_t *in, struct store_notified *out, struct error *e)
{
	const json_t *trail = json_object_get(in, "trail");
	size_t i;

	strlist_free(&out->trail);
	out->trail.word = store_record_take_words(trail, &out->trail.count);
	for (i = 0; i < NOTIFIED_EVENTS; i++)
		if (read_about(json_object_get(in, names[i]), &out->of[i], e) ==
		    -1)
			return -1;
	return 0;
}

/* ---- generations ---- */

static char *
name_of(const char *key, uint64_t generation)
{
	return xasprintf("told.%s.%" PRIu64, key, generation);
}

/* Return the generation of a hook in a file name, or 0. */
static uint64_t
generation_of(const char *name, const char *key)
{
	char *begin = xasprintf("told.%s.", key);
	size_t n = strlen(begin);
	int64_t generation = 0;

	/* No number could follow the largest one. */
	if (strncmp(name, begin, n) == 0 && name[n] >= '1' && name[n] <= '9')
		num_int("generation", name + n, 1, INT64_MAX - 1, &generation,
		    NULL);
	free(begin);
	return (uint64_t)generation;
}

static uint64_t
newest(const struct fs_names *all, const char *key)
{
	uint64_t best = 0, generation;
	size_t i;

	for (i = 0; i < all->count; i++) {
		generation = generation_of(all->name[i], key);
		if (generation > best)
			best = generation;
	}
	return best;
}

/* Load the newest record, as store_notified_load; 1 means try again. */
static int
load(const struct store_job *job, const char *key, struct store_notified *out,
    struct error *e)
{
	struct fs_names all;
	struct error why;
	json_t *record;
	int dir = store_directory_list(job, part, &all, e), rc = 0;
	char *name;

	if (dir == -1)
		return -1;
	out->generation = newest(&all, key);
	if (out->generation > 0) {
		name = name_of(key, out->generation);
		record = store_directory_load(job, dir, name, &why);
		if (record != NULL)
			rc = read_notified(record, out, e);
		else
			rc = error_copy(e, &why);
		if (record == NULL &&
		    (why.code == ERROR_ABSENT || why.number == ESTALE))
			rc = 1;
		json_decref(record);
		free(name);
	}
	store_directory_close(dir, &all);
	return rc;
}

int
store_notified_load(const struct store_job *job, const char *key,
    struct store_notified *out, struct error *e)
{
	int rc = 1, i;

	memset(out, 0, sizeof *out);
	for (i = 0; rc == 1 && i < TRIES; i++)
		rc = load(job, key, out, e);
	if (rc != 0)
		store_notified_free(out);
	return rc == 0 ? 0 : -1;
}

static void
remove_older(
    const struct store_job *job, const char *key, uint64_t than, int and_it)
{
	struct fs_names all;
	uint64_t generation;
	int dir = store_directory_list(job, part, &all, NULL);
	size_t i;

	for (i = 0; i < all.count; i++) {
		generation = generation_of(all.name[i], key);
		if (generation > 0 &&
		    (generation < than || (and_it && generation == than)))
			fs_unlink(dir, all.name[i], NULL);
	}
	store_directory_close(dir, &all);
}

/*
 * Check that own, just published, is the newest record or that the newest
 * follows from it.  The name of a removed record can be used again, so a writer
 * that finds a later record that does not name its own is too late: returns 1.
 * Otherwise returns 0, or -1.  A listing may miss a record published meanwhile.
 */
static int
settle(const struct store_job *job, const char *key,
    const struct store_notified *own, struct error *e)
{
	const char *name = own->trail.word[own->trail.count - 1];
	struct store_notified now;
	int followed = 0, late = 0, i;

	for (i = 0; !followed && !late && i < TRIES; i++) {
		if (store_notified_load(job, key, &now, e) == -1)
			return -1;
		followed = strlist_have(&now.trail, name);
		late = !followed && now.generation > own->generation;
		store_notified_free(&now);
	}
	if (!followed && !late)
		return error_set(e, "%s/ctl: what was just written is missing",
		    store_job_path(job));
	remove_older(job, key, own->generation, late);
	return late;
}

/* Go on to the next generation, named in the trail with the last ones. */
static void
go_on(struct store_notified *notified)
{
	struct strlist trail = {0};
	size_t i = 0;

	if (notified->trail.count >= TRAIL)
		i = notified->trail.count - TRAIL + 1;
	for (; i < notified->trail.count; i++)
		strlist_push(&trail, notified->trail.word[i]);
	strlist_take(&trail, xasprintf("%08" PRIx32, (uint32_t)fs_noise()));
	strlist_free(&notified->trail);
	notified->trail = trail;
	notified->generation++;
}

static json_t *
notified_json(const struct store_notified *notified)
{
	json_t *record = store_record_new();
	size_t i;

	json_object_set_new(record, "trail",
	    store_record_words(notified->trail.word, notified->trail.count));
	for (i = 0; i < NOTIFIED_EVENTS; i++)
		if (notified->of[i].known)
			json_object_set_new(
			    record, names[i], about_json(&notified->of[i]));
	return record;
}

int
store_notified_publish(const struct store_job *job, const char *key,
    struct store_notified *notified, struct error *e)
{
	char *name;
	int rc;

	go_on(notified);
	name = name_of(key, notified->generation);
	rc = store_directory_add(job, part, name, notified_json(notified), e);
	if (rc == 0)
		rc = settle(job, key, notified, e);
	free(name);
	return rc;
}

int
store_notified_changed(const struct store_job *job, const char *key,
    const struct store_notified *notified, int64_t *out, struct error *e)
{
	char *name = name_of(key, notified->generation);
	int dir = store_directory_open(job, part, 0, e), rc = -1;

	if (dir != -1)
		rc = fs_changed(dir, name, out, e);
	fs_close(dir);
	free(name);
	return rc;
}

int
store_notified_read(int dir, const char *name, int64_t *out, struct error *e)
{
	json_t *record = store_record_load(dir, name, STORE_RECORD_LIMIT, e);

	if (record == NULL)
		return -1;
	*out = store_record_int(record, "time", 0);
	json_decref(record);
	return 0;
}

int
store_notified_since(const struct store *store, const char *key,
    enum notified_event event, int64_t *out, struct error *e)
{
	char *name = xasprintf("%s.%s", key, names[event]);
	int dir = fs_open_subdir(store->dir, hooks, 1, e);
	int rc = -1;
	struct error why;
	json_t *record;
	int64_t now;

	if (dir != -1)
		rc = store_notified_read(dir, name, out, &why);
	if (dir != -1 && rc == -1)
		error_copy(e, &why);
	if (dir != -1 && rc == -1 && why.code == ERROR_ABSENT &&
	    fs_now(dir, &now, e) == 0) {
		record = store_record_new();
		store_record_set_int(record, "time", now);
		if (store_record_publish(dir, name, record, 0, e) != -1)
			rc = store_notified_read(dir, name, out, e);
	}
	fs_close(dir);
	free(name);
	return rc;
}
