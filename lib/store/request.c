#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "store/directory-private.h"
#include "store/fields.h"
#include "store/load.h"
#include "store/request-private.h"

static const char part[] = "ctl";

/*
 * The names of stop requests, before noise, and of others, before a number.
 * Those of a search have the task and the attempt before the noise:
 * "stop.000042.0.0123456789abcdef".
 */
static const char stop[] = STORE_STOP, order[] = STORE_ORDER;

/* How often to try the next number while other programs publish requests. */
enum { TRIES = 100 };

static const char *const kinds[] = {
    [STORE_REQUEST_HOLD] = "hold",
    [STORE_REQUEST_RELEASE] = "release",
    [STORE_REQUEST_PARALLEL] = "parallel",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct store_field task_fields[] = {
    STORE_ALWAYS(STORE_SET, struct store_request, tasks, 1),
    STORE_ALWAYS(STORE_UINT32, struct store_request, attempt, 0),
    {0},
};

/* Return the number in a file name, or 0. */
static uint64_t
number_of(const char *name)
{
	int64_t number = 0;

	if (text_begins(name, order))
		num_int("order", name + sizeof order - 1, 1, INT64_MAX, &number,
		    NULL);
	return (uint64_t)number;
}

/* Read digits and a dot; *at is then behind them. */
static int
read_part(const char **at, uint64_t most, uint64_t *out)
{
	const char *begin = *at, *c;

	*out = 0;
	for (c = begin; *c >= '0' && *c <= '9'; c++) {
		if (c - begin >= 19) /* more than fit */
			return 0;
		*out = *out * 10 + (uint64_t)(*c - '0');
	}
	*at = c + 1;
	return c > begin && *c == '.' && *out <= most;
}

/* There are thousands of names; sscanf takes four times as long. */
int
store_request_name(const char *name, uint64_t *task, uint32_t *attempt)
{
	const char *at = name + sizeof stop - 1;
	uint64_t number;

	if (!text_begins(name, stop) || !read_part(&at, INT64_MAX, task) ||
	    !read_part(&at, UINT32_MAX, &number))
		return 0;
	*attempt = (uint32_t)number;
	return strlen(at) == 16 && strspn(at, "0123456789abcdef") == 16;
}

/* ---- writing ---- */

/*
 * Return the record of requests of one kind for several tasks.  They are in one
 * record, so that all of the tasks get the request or none.
 */
static json_t *
record_of(const struct store_request *r, size_t count)
{
	json_t *record = store_record_new(), *also;
	size_t i;

	store_record_set_string(record, "order", kinds[r->kind]);
	if (r->kind == STORE_REQUEST_PARALLEL)
		store_record_set_int(record, "parallel", r->parallel);
	else
		store_fields_write(task_fields, r, record);
	if (count > 1) {
		also = json_array();
		for (i = 1; i < count; i++)
			json_array_append_new(also,
			    store_fields_write(
				task_fields, &r[i], json_object()));
		json_object_set_new(record, "also", also);
	}
	store_record_set_int(record, "time", time(NULL));
	store_record_set_string(record, "why", r->why);
	return record;
}

/* Publish under the next number.  Returns 0, 1 if that was taken, or -1. */
static int
publish_next(
    const struct store_job *job, const struct store_request *r, struct error *e)
{
	struct fs_names names;
	uint64_t last = 0, n;
	char *name;
	size_t i;
	int rc, dir = store_directory_list(job, part, &names, e);

	if (dir == -1)
		return -1;
	for (i = 0; i < names.count; i++) {
		n = number_of(names.name[i]);
		if (n > last)
			last = n;
	}
	if (last == INT64_MAX) {
		store_directory_close(dir, &names);
		return error_set(e, "%s: no number is left for an order",
		    store_job_name(job));
	}
	name = xasprintf("%s%06" PRIu64, order, last + 1);
	rc = store_directory_publish(job, dir, name, record_of(r, 1), e);
	free(name);
	store_directory_close(dir, &names);
	return rc;
}

/*
 * Publish one record.  Requests to stop share a record; of others, the first is
 * published.
 */
static int
publish(const struct store_job *job, const struct store_request *r,
    size_t count, struct error *e)
{
	char *name;
	int rc = 1, i;

	if (r->kind == STORE_REQUEST_STOP) {
		name = r->by_search
		    ? xasprintf("%s%06" PRIu64 ".%" PRIu32 ".%016" PRIx64, stop,
			  idset_at(&r->tasks, 0), r->attempt, fs_noise())
		    : xasprintf("%s%016" PRIx64, stop, fs_noise());
		rc = store_directory_add(
		    job, part, name, record_of(r, count), e);
		free(name);
		return rc;
	}
	for (i = 0; rc == 1 && i < TRIES; i++)
		rc = publish_next(job, r, e);
	if (rc == 1)
		return error_set(e, "%s: others give orders all the time",
		    store_job_name(job));
	return rc;
}

int
store_request_add(const struct store_job *job, const struct store_request *r,
    size_t count, struct error *e)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < count && rc == 0; i++)
		rc = publish(job, &r[i], 1, e);
	return rc;
}

/*
 * Return requests like this one, each for the tasks in one attempt(arg, task).
 * The caller frees the requests and their tasks.
 */
static struct store_request *
group_tasks(struct store_request like, const struct idset *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    size_t *count)
{
	struct store_request *group = NULL;
	struct idset_walk walk = {0};
	uint32_t number;
	uint64_t task;
	size_t i;

	*count = 0;
	while (idset_next(tasks, &walk, &task)) {
		number = attempt(arg, task);
		for (i = 0; i < *count; i++)
			if (group[i].attempt == number)
				break;
		if (i == *count) {
			group = xgrow(group, i, sizeof *group);
			like.attempt = number;
			group[(*count)++] = like;
		}
		idset_add(&group[i].tasks, task, task);
	}
	return group;
}

/* Add to the reason in e that these requests are recorded. */
static void
say_recorded(const struct store_request *group, size_t count, struct error *e)
{
	struct idset done = {0};
	size_t i;
	char *text;

	for (i = 0; i < count; i++)
		idset_add_all(&done, &group[i].tasks);
	text = idset_text(&done);
	error_reword(e, e,
	    "%s; it was recorded for task%s %s, not for the others", e->text,
	    idset_size(&done) == 1 ? "" : "s", text);
	free(text);
	idset_free(&done);
}

int
store_request_add_all(const struct store_job *job, enum store_request_kind kind,
    const struct idset *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    const char *why, struct error *e)
{
	const struct store_request like = {.kind = kind, .why = why};
	size_t count, done = 0, step, i;
	struct store_request *group =
	    group_tasks(like, tasks, attempt, arg, &count);
	int rc = 0;

	step = kind == STORE_REQUEST_STOP ? count : 1;
	while (rc == 0 && done < count) {
		rc = publish(job, &group[done], step, e);
		if (rc == 0)
			done += step;
	}
	if (rc == -1 && done > 0 && e != NULL)
		say_recorded(group, done, e);
	for (i = 0; i < count; i++)
		idset_free(&group[i].tasks);
	free(group);
	return rc;
}

/* ---- reading ---- */

void
store_requests_shorten(struct store_requests *all, size_t count)
{
	while (all->count > count) {
		all->count--;
		idset_free(&all->request[all->count].tasks);
		free((char *)(uintptr_t)all->request[all->count].why);
	}
	if (count == 0) { /* xgrow would allocate it anew */
		free(all->request);
		all->request = NULL;
	}
}

void
store_requests_push(struct store_requests *all, struct store_request r)
{
	all->request = xgrow(all->request, all->count, sizeof r);
	all->request[all->count++] = r;
}

/* Add a copy of r for the tasks in about, a record or a part of "also". */
static int
add(struct store_requests *out, struct store_request r, const json_t *about,
    const json_t *record, struct error *e)
{
	if (r.kind != STORE_REQUEST_PARALLEL && r.kind != STORE_REQUEST_NONE &&
	    store_fields_take(task_fields, about, &r, e) == -1)
		return -1;
	r.why = store_record_copy(record, "why");
	store_requests_push(out, r);
	return 0;
}

int
store_request_take(const json_t *record, struct store_request like,
    struct store_requests *out, struct error *e)
{
	size_t had = out->count, i;
	json_t *more;
	int rc;

	like.time = store_record_int(record, "time", 0);
	rc = add(out, like, record, record, e);
	json_array_foreach(json_object_get(record, "also"), i, more) {
		if (rc == 0 && like.kind == STORE_REQUEST_STOP)
			rc = add(out, like, more, record, e);
	}
	if (rc == 0)
		return 0;
	store_requests_shorten(out, had);
	e->code = ERROR_DAMAGED;
	return -1;
}

int
store_request_read(const struct store_job *job, int ctl, const char *name,
    struct store_requests *out, struct error *e)
{
	struct store_request r = {.number = number_of(name)};
	int is_stop = text_begins(name, stop), known, rc;
	json_t *record;
	uint32_t attempt;
	uint64_t task;
	const char *kind;

	if (!is_stop && r.number == 0)
		return 0;
	record = store_directory_load(job, ctl, name, e);
	if (record == NULL)
		return -1;
	kind = store_record_string(record, "order");
	known = kind != NULL ? text_among(kind, kinds, KINDS) : -1;
	if (is_stop)
		r.kind = STORE_REQUEST_STOP;
	else if (known != -1)
		r.kind = (enum store_request_kind)known;
	r.parallel = store_record_int(record, "parallel", 0);
	if (fs_changed(ctl, name, &r.made, NULL) == -1)
		r.made = -1;
	r.by_search = store_request_name(name, &task, &attempt);
	rc = store_request_take(record, r, out, e);
	json_decref(record);
	return rc;
}

static int
by_number(const void *a, const void *b)
{
	const struct store_request *left = a, *right = b;

	return left->number < right->number ? -1 : 1;
}

/* Return whether this is a request of a search about one task. */
static int
is_single(const struct store_request *r)
{
	const struct idset *tasks = &r->tasks;

	return r->by_search && tasks->count == 1 &&
	    tasks->run[0].first == tasks->run[0].last;
}

/* Return the task of such a request; with idset_at, sorting is slow. */
static uint64_t
task_of(const struct store_request *r)
{
	return r->tasks.run[0].first;
}

/* Order stop requests: those of a search about one task first, by task. */
static int
by_task(const void *a, const void *b)
{
	const struct store_request *left = a, *right = b;
	uint64_t x, y;

	if (is_single(left) != is_single(right))
		return is_single(right) - is_single(left);
	if (!is_single(left))
		return 0;
	x = task_of(left);
	y = task_of(right);
	return x < y ? -1 : x > y;
}

/* Return whether requests are ordered already, as they are up to a million. */
static int
is_sorted(const struct store_request *r, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++)
		if (by_task(&r[i - 1], &r[i]) > 0)
			return 0;
	return 1;
}

void
store_requests_sort(struct store_requests *all, size_t stops)
{
	if (!is_sorted(all->request, stops))
		qsort(all->request, stops, sizeof *all->request, by_task);
	while (all->singles < stops && is_single(&all->request[all->singles]))
		all->singles++;
	if (all->count > stops)
		qsort(all->request + stops, all->count - stops,
		    sizeof *all->request, by_number);
}

void
store_requests_free(struct store_requests *all)
{
	store_requests_shorten(all, 0);
	strlist_free(&all->damaged);
	memset(all, 0, sizeof *all);
}

/* ---- requests that apply ---- */

/* Return the place of the first request of a search about the task. */
static size_t
first_about(const struct store_requests *all, uint64_t task)
{
	size_t low = 0, high = all->singles, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (task_of(&all->request[middle]) < task)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct store_request *
store_stop_for(const struct store_requests *all, uint64_t task,
    uint32_t attempt, store_request_meant *is_meant)
{
	const struct store_request *r;
	size_t i;

	for (i = first_about(all, task); i < all->count; i++) {
		r = &all->request[i];
		if (i < all->singles && !idset_has(&r->tasks, task))
			i = all->singles - 1; /* the others */
		else if (r->kind == STORE_REQUEST_STOP &&
		    r->attempt == attempt && idset_has(&r->tasks, task) &&
		    (is_meant == NULL || is_meant(r)))
			return r;
	}
	return NULL;
}

const struct store_request *
store_request_for(
    const struct store_requests *all, uint64_t task, uint32_t attempt)
{
	const struct store_request *r;
	size_t i;

	for (i = all->count; i > 0; i--) {
		r = &all->request[i - 1];
		if (r->kind == STORE_REQUEST_STOP)
			break; /* stops come first */
		if ((r->kind == STORE_REQUEST_HOLD ||
			r->kind == STORE_REQUEST_RELEASE) &&
		    r->attempt == attempt && idset_has(&r->tasks, task))
			return r;
	}
	return NULL;
}

int
store_is_held(const struct store_requests *all, uint64_t task, uint32_t attempt)
{
	const struct store_request *r = store_request_for(all, task, attempt);

	return r != NULL && r->kind == STORE_REQUEST_HOLD;
}

const struct store_request *
store_request_parallel(const struct store_requests *all)
{
	size_t i;

	for (i = all->count; i > 0; i--)
		if (all->request[i - 1].kind == STORE_REQUEST_PARALLEL)
			return &all->request[i - 1];
	return NULL;
}

int64_t
store_request_limit(
    const struct store_job *job, const struct store_requests *all)
{
	const struct store_request *r = store_request_parallel(all);

	return r != NULL ? r->parallel : store_job_parallel(job);
}
