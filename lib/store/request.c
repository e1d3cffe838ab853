#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "store/directory-private.h"
#include "store/request.h"

static const char part[] = "ctl";
static const char prefix[] = "order.";

/* How often to look for the next number when others publish at once. */
enum { TRIES = 100 };

static const char *const kinds[] = {
    [STORE_REQUEST_HOLD] = "hold",
    [STORE_REQUEST_RELEASE] = "release",
    [STORE_REQUEST_PARALLEL] = "parallel",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The number in a name, or 0 when it is no order's. */
static uint64_t
number_of(const char *name)
{
	int64_t number = 0;

	if (text_begins(name, prefix))
		num_int("order", name + sizeof prefix - 1, 1, INT64_MAX,
		    &number, NULL);
	return (uint64_t)number;
}

static json_t *
record_of(const struct store_request *request)
{
	char *tasks = idset_text(&request->tasks);
	json_t *record = store_record_new();

	store_record_set_string(record, "order", kinds[request->kind]);
	if (request->kind == STORE_REQUEST_PARALLEL) {
		store_record_set_int(record, "parallel", request->parallel);
	} else {
		store_record_set_string(record, "tasks", tasks);
		store_record_set_int(record, "attempt", request->attempt);
	}
	store_record_set_int(record, "time", time(NULL));
	free(tasks);
	return record;
}

/* Publish it behind what is there: 0, 1 when the number was taken, or -1. */
static int
publish(const struct store_job *job, const struct store_request *request,
    struct error *e)
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
		return error_set(
		    e, "%s: no number is left for an order", job->name);
	}
	name = xasprintf("%s%06" PRIu64, prefix, last + 1);
	rc = store_directory_publish(job, dir, name, record_of(request), e);
	free(name);
	store_directory_close(dir, &names);
	return rc;
}

int
store_request_add(const struct store_job *job,
    const struct store_request *request, struct error *e)
{
	int rc = 1, i;

	for (i = 0; rc == 1 && i < TRIES; i++)
		rc = publish(job, request, e);
	if (rc == 1)
		return error_set(
		    e, "%s: others give orders all the time", job->name);
	return rc;
}

int
store_request_add_all(const struct store_job *job, enum store_request_kind kind,
    const struct idset *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    struct error *e)
{
	struct store_attempts all =
	    store_directory_attempts(tasks, attempt, arg);
	struct store_request request = {.kind = kind};
	struct idset done = {0};
	struct error why;
	size_t i, k;
	char *text;
	int rc = 0;

	for (i = 0; rc == 0 && i < all.count; i++) {
		request.tasks = all.attempt[i].tasks;
		request.attempt = all.attempt[i].number;
		rc = store_request_add(job, &request, e);
	}
	/* What is published stays, where the next one fails. */
	if (rc == -1 && i > 1 && e != NULL) {
		for (k = 0; k < i - 1; k++)
			idset_add_all(&done, &all.attempt[k].tasks);
		text = idset_text(&done);
		why = *e;
		error_code(e, why.code,
		    "%s; it was recorded for task%s %s, not for the others",
		    why.text, idset_size(&done) == 1 ? "" : "s", text);
		free(text);
		idset_free(&done);
	}
	store_directory_attempts_free(&all);
	return rc;
}

/* A store_directory_reader for struct store_requests. */
static int
read_request(void *arg, const struct store_job *job, int ctl, const char *name,
    struct error *e)
{
	struct store_requests *all = arg;
	struct store_request one = {.number = number_of(name)};
	json_t *record;
	const char *kind, *tasks;
	int rc = 0, known;

	if (one.number == 0)
		return 0;
	record = store_directory_load(job, ctl, name, e);
	if (record == NULL)
		return -1;
	tasks = store_record_string(record, "tasks");
	kind = store_record_string(record, "order");
	known = kind != NULL ? text_among(kind, kinds, KINDS) : -1;
	one.kind =
	    known != -1 ? (enum store_request_kind)known : STORE_REQUEST_NONE;
	one.attempt = (uint32_t)store_record_int(record, "attempt", 0);
	one.parallel = store_record_int(record, "parallel", 0);
	if (one.kind == STORE_REQUEST_HOLD || one.kind == STORE_REQUEST_RELEASE)
		rc = idset_parse(&one.tasks, tasks ? tasks : "", e);
	json_decref(record);
	if (rc == -1) {
		errno = EBADMSG;
		return -1;
	}
	all->request = xgrow(all->request, all->count, sizeof one);
	all->request[all->count++] = one;
	return 0;
}

static int
by_number(const void *a, const void *b)
{
	const struct store_request *left = a, *right = b;

	return left->number < right->number ? -1 : 1;
}

int
store_requests_list(
    const struct store_job *job, struct store_requests *out, struct error *e)
{
	int rc;

	memset(out, 0, sizeof *out);
	rc = store_directory_read(
	    job, part, prefix, read_request, out, &out->damaged, e);
	if (out->count > 0)
		qsort(
		    out->request, out->count, sizeof *out->request, by_number);
	if (rc == -1)
		store_requests_free(out);
	return rc;
}

void
store_requests_free(struct store_requests *requests)
{
	size_t i;

	for (i = 0; i < requests->count; i++)
		idset_free(&requests->request[i].tasks);
	free(requests->request);
	strlist_free(&requests->damaged);
	memset(requests, 0, sizeof *requests);
}

int
store_requests_whole(
    const struct store_job *job, struct store_requests *out, struct error *e)
{
	if (store_requests_list(job, out, e) == -1)
		return -1;
	if (store_directory_whole(&out->damaged, e) == 0)
		return 0;
	store_requests_free(out);
	return -1;
}

const struct store_request *
store_request_for(
    const struct store_requests *requests, uint64_t task, uint32_t attempt)
{
	const struct store_request *o;
	size_t i;

	for (i = requests->count; i > 0; i--) {
		o = &requests->request[i - 1];
		if ((o->kind == STORE_REQUEST_HOLD ||
			o->kind == STORE_REQUEST_RELEASE) &&
		    o->attempt == attempt && idset_has(&o->tasks, task))
			return o;
	}
	return NULL;
}

int
store_is_held(
    const struct store_requests *requests, uint64_t task, uint32_t attempt)
{
	const struct store_request *o =
	    store_request_for(requests, task, attempt);

	return o != NULL && o->kind == STORE_REQUEST_HOLD;
}

const struct store_request *
store_request_parallel(const struct store_requests *requests)
{
	size_t i;

	for (i = requests->count; i > 0; i--)
		if (requests->request[i - 1].kind == STORE_REQUEST_PARALLEL)
			return &requests->request[i - 1];
	return NULL;
}

int64_t
store_request_limit(
    const struct store_job *job, const struct store_requests *requests)
{
	const struct store_request *o = store_request_parallel(requests);

	return o != NULL ? o->parallel : job->parallel;
}
