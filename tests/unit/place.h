/* A store in a directory of its own, for the tests of what is in one. */
#ifndef STFM_TESTS_PLACE_H
#define STFM_TESTS_PLACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "store/fact.h"
#include "store/job.h"
#include "store/request.h"
#include "store/store.h"
#include "sys/fs.h"

struct place {
	char path[64];
	struct store *store;
	int made; /* jobs without a name of their own */
};

static inline struct store *
place_make(struct place *p)
{
	strcpy(p->path, "/tmp/stfm-store.XXXXXX");
	assert_non_null(mkdtemp(p->path));
	p->store = store_open(p->path, STORE_MAKE, NULL);
	assert_non_null(p->store);
	return p->store;
}

static inline void
place_remove(struct place *p)
{
	int root = fs_open_dir("/", NULL);

	store_close(p->store);
	assert_int_equal(fs_remove_tree(root, p->path + 1, NULL), 0);
	fs_close(root);
}

static inline int
place_set_up(void **state)
{
	*state = xcalloc(1, sizeof(struct place));
	place_make(*state);
	return 0;
}

static inline int
place_tear_down(void **state)
{
	place_remove(*state);
	free(*state);
	return 0;
}

static inline int
place_no_sync(int fd)
{
	(void)fd;
	return 0;
}

/* The same where much is written: what is durable is tested elsewhere. */
static inline int
place_set_up_fast(void **state)
{
	fs_ops.fsync = place_no_sync;
	return place_set_up(state);
}

/* The least that a record has; of an array of 1000 tasks at most. */
static inline struct store_job *
place_record(const char *name, uint64_t tasks)
{
	struct store_job *job = xcalloc(1, sizeof *job);

	job->name = xstrdup(name);
	job->id = store_job_new_id();
	job->args = xstrdup("long");
	job->directory = xstrdup("/tmp");
	job->tasks = tasks;
	job->array_size = 1000;
	job->dir = -1;
	return job;
}

/* Put a record into the store. */
static inline struct store_job *
place_store(const struct place *p, struct store_job *job)
{
	struct store_job_files files = {.batch = "#!/bin/sh\n"};
	struct error e;

	if (store_job_create(p->store, job, &files, &e) != 0)
		fail_msg("%s", e.text);
	return job;
}

/* A new job whose name does not matter. */
static inline struct store_job *
place_job(struct place *p, uint64_t tasks)
{
	char *name = xasprintf("job%d", p->made++);
	struct store_job *job = place_store(p, place_record(name, tasks));

	free(name);
	return job;
}

/*
 * Return a new job, to free: a search whose trainings are compared at epoch 2,
 * and then at 4.
 */
static inline struct store_job *
place_search(struct place *p, uint64_t tasks)
{
	char *name = xasprintf("search%d", p->made++);
	struct store_job *job = place_record(name, tasks);

	free(name);
	job->metric = xstrdup("acc");
	job->goal = xstrdup("max");
	job->epochs = xstrdup("20");
	job->search.pruner = xstrdup("asha,eta=2,first=2");
	job->search.version = STORE_SEARCH_RULES;
	return place_store(p, job);
}

/* Publish a fact by its name, such as "000000.0.0.E3". */
static inline void
place_fact(const struct store_job *job, const char *name)
{
	struct store_fact_body body = store_fact_body();
	struct store_fact fact;

	assert_true(store_fact_parse(name, &fact));
	body.time = 1000;
	assert_int_equal(store_fact_publish(job, &fact, &body, NULL), 0);
	store_fact_body_free(&body);
}

/* Somebody stop requests a run of a task to stop, for a reason or NULL. */
static inline void
place_wish(const struct store_job *job, uint64_t task, uint32_t attempt,
    const char *why)
{
	struct store_request w = {
	    .kind = STORE_REQUEST_STOP, .attempt = attempt, .why = why};

	idset_add(&w.tasks, task, task);
	assert_int_equal(store_request_add(job, &w, 1, NULL), 0);
	idset_free(&w.tasks);
}

#endif
