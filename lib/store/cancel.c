#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "store/cancel.h"
#include "store/directory-private.h"

static const char part[] = "ctl";

/* Set which tasks a record means, or one of what it "also" does. */
static void
set_tasks(json_t *record, const struct store_attempt *a)
{
	char *tasks = idset_text(&a->tasks);

	store_record_set_string(record, "tasks", tasks);
	store_record_set_int(record, "attempt", a->number);
	free(tasks);
}

/* Tasks of several attempts are one record, so that none goes without. */
static int
publish(const struct store_job *job, const struct store_attempts *all,
    const char *why, struct error *e)
{
	json_t *record = store_record_new(), *also = json_array(), *more;
	char name[32];
	size_t i;
	int dir, rc;

	snprintf(name, sizeof name, "stop.%016" PRIx64, fs_noise());
	set_tasks(record, &all->attempt[0]);
	for (i = 1; i < all->count; i++) {
		more = json_object();
		set_tasks(more, &all->attempt[i]);
		json_array_append_new(also, more);
	}
	if (all->count > 1)
		json_object_set(record, "also", also);
	json_decref(also);
	store_record_set_int(record, "time", time(NULL));
	store_record_set_string(record, "why", why);
	dir = store_directory_open(job, part, 0, e);
	rc = store_directory_publish(job, dir, name, record, e);
	fs_close(dir);
	return rc;
}

int
store_stop_add(
    const struct store_job *job, const struct store_stop *stop, struct error *e)
{
	struct store_attempt one = {stop->attempt, stop->tasks};
	const struct store_attempts all = {&one, 1};

	return publish(job, &all, stop->why, e);
}

int
store_stop_add_all(const struct store_job *job, const struct idset *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    const char *why, struct error *e)
{
	struct store_attempts all =
	    store_directory_attempts(tasks, attempt, arg);
	int rc = all.count > 0 ? publish(job, &all, why, e) : 0;

	store_directory_attempts_free(&all);
	return rc;
}

/* Add the stop request about these tasks of a record that was made then. */
static int
add_tasks(struct store_stops *out, const json_t *record, const json_t *about,
    int64_t made, struct error *e)
{
	const char *tasks = store_record_string(about, "tasks");
	struct store_stop stop = {
	    .attempt = (uint32_t)store_record_int(about, "attempt", 0),
	    .time = store_record_int(record, "time", 0),
	    .made = made};

	if (idset_parse(&stop.tasks, tasks != NULL ? tasks : "", e) == -1)
		return -1;
	stop.why = store_record_copy(record, "why");
	out->stop = xgrow(out->stop, out->count, sizeof *out->stop);
	out->stop[out->count++] = stop;
	return 0;
}

/* Take the last ones back, to leave count. */
static void
shorten(struct store_stops *out, size_t count)
{
	while (out->count > count) {
		out->count--;
		idset_free(&out->stop[out->count].tasks);
		free(out->stop[out->count].why);
	}
}

/* A store_directory_reader for struct store_stops. */
static int
read_stops(void *arg, const struct store_job *job, int ctl, const char *name,
    struct error *e)
{
	json_t *record = store_directory_load(job, ctl, name, e), *more;
	struct store_stops *out = arg;
	size_t had = out->count, i;
	int64_t made;
	int rc;

	if (record == NULL)
		return -1;
	if (fs_changed(ctl, name, &made, NULL) == -1)
		made = -1;
	rc = add_tasks(out, record, record, made, e);
	json_array_foreach(json_object_get(record, "also"), i, more) {
		if (rc == 0)
			rc = add_tasks(out, record, more, made, e);
	}
	json_decref(record);
	if (rc == -1) {
		shorten(out, had);
		errno = EBADMSG;
	}
	return rc;
}

int
store_stops_list(
    const struct store_job *job, struct store_stops *out, struct error *e)
{
	memset(out, 0, sizeof *out);
	if (store_directory_read(
		job, part, "stop.", read_stops, out, &out->damaged, e) == 0)
		return 0;
	store_stops_free(out);
	return -1;
}

void
store_stops_free(struct store_stops *stops)
{
	shorten(stops, 0);
	free(stops->stop);
	strlist_free(&stops->damaged);
	memset(stops, 0, sizeof *stops);
}

int
store_stops_whole(
    const struct store_job *job, struct store_stops *out, struct error *e)
{
	if (store_stops_list(job, out, e) == -1)
		return -1;
	if (store_directory_whole(&out->damaged, e) == 0)
		return 0;
	store_stops_free(out);
	return -1;
}

const struct store_stop *
store_stop_for(const struct store_stops *stops, uint64_t task, uint32_t attempt,
    store_stop_meant *is_meant)
{
	const struct store_stop *w;
	size_t i;

	for (i = 0; i < stops->count; i++) {
		w = &stops->stop[i];
		if (w->attempt == attempt && idset_has(&w->tasks, task) &&
		    (is_meant == NULL || is_meant(w)))
			return w;
	}
	return NULL;
}

int
store_stop_is_asked(
    const struct store_stops *stops, uint64_t task, uint32_t attempt)
{
	return store_stop_for(stops, task, attempt, NULL) != NULL;
}
