#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../place.h"
#include "base/xalloc.h"
#include "store/chunk.h"
#include "store/directory-private.h"
#include "store/facts.h"
#include "store/job.h"
#include "store/leftovers.h"
#include "store/request.h"
#include "store/store.h"
#include "store/table.h"

/* Why Slurm takes no more tasks. */
static const struct error full = {.code = ERROR_SILENT, .text = "MaxJobCount"};

static struct store_job *
record(const char *name, uint64_t tasks)
{
	struct store_job *job = place_record(name, tasks);

	strlist_push(&job->command, "python");
	strlist_push(&job->command, "train me.py");
	strlist_push(&job->space, "lr=1e-3,1e-4");
	strlist_push(&job->names, "lr");
	return job;
}

static struct store_job *
make(const struct place *p, const char *name, uint64_t tasks)
{
	return place_store(p, record(name, tasks));
}

static void
a_job_comes_back_as_it_was_stored(void **state)
{
	struct place *p = *state;
	struct store_job *made = make(p, "conv2d", 2), *got;
	struct error e;

	got = store_job_load(p->store, "conv2d", &e);
	assert_non_null(got);
	assert_string_equal(got->id, made->id);
	assert_int_equal(got->tasks, 2);
	assert_int_equal(got->command.count, 2);
	assert_string_equal(got->command.word[1], "train me.py");
	assert_string_equal(got->space.word[0], "lr=1e-3,1e-4");
	assert_null(got->description);
	assert_null(got->metric);
	assert_int_equal(got->created, made->created);
	store_job_free(got);
	store_job_free(made);
}

static void
a_taken_name_is_told_and_changes_nothing(void **state)
{
	struct place *p = *state;
	struct store_job_files files = {.batch = "#!/bin/sh\n"};
	struct store_job *first = make(p, "conv2d", 2), *second, *got;
	struct fs_names names;

	second = record("conv2d", 9);
	assert_int_equal(store_job_create(p->store, second, &files, NULL), 1);
	got = store_job_load(p->store, "conv2d", NULL);
	assert_string_equal(got->id, first->id);
	assert_int_equal(store_jobs(p->store, &names, NULL), 0);
	assert_int_equal(names.count, 1);
	fs_names_free(&names);
	store_job_free(got);
	store_job_free(second);
	store_job_free(first);
}

static void
names_that_mean_something_else_are_refused(void **state)
{
	static const char *const bad[] = {"", ".", "..", "a/b", "../x", "@1",
	    "4102", "4102_3", "-x", "a b", "a\nb", "caf\xc3\xa9", ".new"};
	static const char *const good[] = {
	    "conv2d", "4102a", "a.b", "x-1_2", "3layers"};
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(store_check_name(bad[i], &e), -1);
	for (i = 0; i < sizeof good / sizeof *good; i++)
		assert_int_equal(store_check_name(good[i], &e), 0);
}

static void
text_that_is_not_utf8_is_refused_by_its_field(void **state)
{
	struct place *p = *state;
	struct store_job_files files = {.batch = "#!/bin/sh\n"};
	struct store_job *job = record("conv2d", 1);
	struct error e;

	strlist_push(&job->command, "\xff");
	assert_int_equal(store_job_create(p->store, job, &files, &e), -1);
	assert_string_equal(e.text, "command: word 3 is not UTF-8");
	store_job_free(job);
	assert_null(store_job_load(p->store, "conv2d", &e));
	assert_string_equal(e.text, "conv2d: no such job");
}

static struct store_fact_body
body(const char *node, int64_t time)
{
	struct store_fact_body b = store_fact_body();

	b.node = xstrdup(node);
	b.time = time;
	return b;
}

static void
facts_are_listed_by_task_and_run(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 2000);
	static const struct store_fact facts[] = {{1500, 0, 0, "S"},
	    {3, 0, 1, "S"}, {3, 0, 0, "E137"}, {3, 0, 0, "S"},
	    {3, 0, 1, "XNODE_FAIL"}};
	static const char *const order[] = {"000003.0.0.E137", "000003.0.0.S",
	    "000003.0.1.S", "000003.0.1.XNODE_FAIL", "001500.0.0.S"};
	struct store_fact_body b = body("n1", 77), got;
	char name[STORE_FACT_NAME];
	struct store_facts list;
	size_t i;

	for (i = 0; i < 5; i++)
		assert_int_equal(
		    store_fact_publish(job, &facts[i], &b, NULL), 0);
	assert_int_equal(store_fact_publish(job, &facts[2], &b, NULL), 1);
	assert_int_equal(store_facts_list(job, NULL, &list, NULL), 0);
	assert_int_equal(list.count, 5);
	for (i = 0; i < 5; i++) {
		store_fact_name(&list.fact[i], name);
		assert_string_equal(name, order[i]);
	}
	assert_int_equal(store_fact_read(job, &list.fact[1], &got, NULL), 0);
	assert_string_equal(got.node, "n1");
	assert_int_equal(got.time, 77);
	assert_int_equal(got.exit, -1);
	store_fact_body_free(&got);
	store_fact_body_free(&b);
	store_facts_free(&list);
	store_job_free(job);
}

static struct fs_ops real_ops;
static int stale_syncs;

/* The server does not know the directory for a moment. */
static int
stale_sync(int fd)
{
	struct stat st;

	if (real_ops.fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) &&
	    stale_syncs-- > 0) {
		errno = ESTALE;
		return -1;
	}
	return real_ops.fsync(fd);
}

static void
a_fact_that_was_not_durable_at_once_is_ours(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 2);
	static const struct store_fact mine = {0, 0, 0, "S"},
				       theirs = {1, 0, 0, "S"};
	struct store_fact_body b = body("n1", 77);
	struct error e;

	assert_int_equal(store_fact_publish(job, &theirs, &b, NULL), 0);
	real_ops = fs_ops;
	fs_ops.fsync = stale_sync;
	stale_syncs = 1;
	assert_int_equal(store_fact_publish(job, &mine, &b, NULL), 0);
	stale_syncs = 1;
	assert_int_equal(store_fact_publish(job, &theirs, &b, NULL), 1);
	stale_syncs = 1000;
	assert_int_equal(store_fact_publish(job, &mine, &b, &e), -1);
	fs_ops = real_ops;
	store_fact_body_free(&b);
	store_job_free(job);
}

static int stale_opens;

static int
stale_open(int dir, const char *name, int flags, mode_t mode)
{
	if (strcmp(name, "000") == 0 && stale_opens-- > 0) {
		errno = ESTALE;
		return -1;
	}
	return real_ops.openat(dir, name, flags, mode);
}

static void
facts_are_not_passed_over_when_the_server_is_in_trouble(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 2);
	static const struct store_fact fact = {0, 0, 0, "S"};
	struct store_fact_body b = body("n1", 77);
	struct store_facts list;

	assert_int_equal(store_fact_publish(job, &fact, &b, NULL), 0);
	real_ops = fs_ops;
	fs_ops.openat = stale_open;
	stale_opens = 1;
	assert_int_equal(store_facts_list(job, NULL, &list, NULL), 0);
	assert_int_equal(list.count, 1);
	store_facts_free(&list);
	stale_opens = 1000;
	assert_int_equal(store_facts_list(job, NULL, &list, NULL), -1);
	fs_ops = real_ops;
	store_fact_body_free(&b);
	store_job_free(job);
}

static int
no_intent(int dir, const char *name, int flags, mode_t mode)
{
	if (strstr(name, "c000.0") != NULL) {
		errno = EIO;
		return -1;
	}
	return real_ops.openat(dir, name, flags, mode);
}

/* Or its tasks would count as nobody's, and be queued once more. */
static void
an_intent_that_cannot_be_read_is_not_passed_over(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 40);
	struct store_chunk chunk = {.name = (char *)(uintptr_t) "c000.0",
	    .token = (char *)(uintptr_t) "stfm-x-c000.0"};
	struct store_chunks list;

	idset_add(&chunk.tasks, 0, 39);
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	real_ops = fs_ops;
	fs_ops.openat = no_intent;
	assert_int_equal(store_chunks_list(job, &list, NULL), -1);
	fs_ops = real_ops;
	idset_free(&chunk.tasks);
	store_job_free(job);
}

static int
no_second_fold(int dir, const char *name, int flags, mode_t mode)
{
	if (strcmp(name, "state.2.jsonl") == 0) {
		errno = EIO;
		return -1;
	}
	return real_ops.openat(dir, name, flags, mode);
}

/* An older one knows less: it does not stand for what may be read later. */
static void
a_fold_that_cannot_be_read_is_no_older_one(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 2);
	struct store_table *table = store_table_new(2);
	struct error e;

	assert_int_equal(store_table_publish(job, table, NULL), 0);
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
	real_ops = fs_ops;
	fs_ops.openat = no_second_fold;
	assert_null(store_table_load(job, &e));
	fs_ops = real_ops;
	table = store_table_load(job, NULL);
	assert_int_equal(table->generation, 2);
	store_table_free(table);
	store_job_free(job);
}

static void
only_one_array_gets_the_claim(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 40);
	struct store_chunk chunk = {.name = (char *)(uintptr_t) "c000.0",
	    .token = (char *)(uintptr_t) "stfm-x-c000.0"};
	struct store_chunks list;
	uint32_t first = 33, second = 35;

	idset_add(&chunk.tasks, 0, 39);
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	assert_int_equal(store_intent(job, &chunk, NULL), 1);
	assert_int_equal(store_chunks_list(job, &list, NULL), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.chunk[0].array, 0);
	store_chunks_free(&list);
	assert_int_equal(store_claim(job, "c000.0", &first, NULL), 0);
	assert_int_equal(store_claim(job, "c000.0", &second, NULL), 0);
	assert_int_equal(first, 33);
	assert_int_equal(second, 33);
	assert_int_equal(store_chunks_list(job, &list, NULL), 0);
	assert_int_equal(list.chunk[0].array, 33);
	assert_string_equal(list.chunk[0].token, "stfm-x-c000.0");
	assert_int_equal(idset_size(&list.chunk[0].tasks), 40);
	store_chunks_free(&list);
	idset_free(&chunk.tasks);
	store_job_free(job);
}

static int
no_links(int from, const char *old, int to, const char *new, int flags)
{
	(void)from, (void)old, (void)to, (void)new, (void)flags;
	errno = EPERM;
	return -1;
}

/* ---- chunks that are tried, refused, cut and withdrawn ---- */

static struct store_chunk
one_chunk(const struct store_job *job, const char *name)
{
	struct store_chunk chunk;

	assert_int_equal(store_chunk_read(job, name, &chunk, NULL), 0);
	return chunk;
}

static void
a_chunk_carries_what_it_was_queued_again_with(void **state)
{
	struct store_job *job = make(*state, "conv2d", 40);
	struct store_chunk chunk = {.name = (char *)(uintptr_t) "c00007.0",
	    .token = (char *)(uintptr_t) "t",
	    .attempt = 3,
	    .resume = 1,
	    .why = (char *)(uintptr_t) "OUT_OF_MEMORY"};

	strlist_push(&chunk.options, "--mem=4G");
	strlist_push(&chunk.options, "--comment=a b");
	idset_add(&chunk.tasks, 2, 3);
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	idset_free(&chunk.tasks);
	strlist_free(&chunk.options);
	chunk = one_chunk(job, "c00007.0");
	assert_int_equal(chunk.attempt, 3);
	assert_int_equal(chunk.resume, 1);
	assert_int_equal(chunk.options.count, 2);
	assert_string_equal(chunk.options.word[1], "--comment=a b");
	assert_string_equal(chunk.why, "OUT_OF_MEMORY");
	assert_int_equal(chunk.claim, STORE_OPEN);
	assert_int_equal(chunk.tries, 0);
	store_chunk_free(&chunk);
	store_job_free(job);
}

/* A refusal says whether it is of one array; older records say so in words. */
static void
a_refusal_is_of_one_array_or_of_all(void **state)
{
	static const struct {
		const char *why;
		int array; /* -1: not in the record */
		int bad_array;
	} table[] = {
	    {"Slurm refuses: no such partition", -1, 1},
	    {"MaxJobCount", -1, 0},
	    {"Slurm refuses: no such partition", 0, 0},
	    {"no such partition", 1, 1},
	    {NULL, -1, 0},
	};
	struct store_job *job = place_job(*state, 1);
	struct store_chunk chunk = {.name = (char *)(uintptr_t) "c00007.0",
	    .token = (char *)(uintptr_t) "t"};
	json_t *record;
	char *name;
	uint32_t n;

	idset_add(&chunk.tasks, 0, 0);
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	idset_free(&chunk.tasks);
	for (n = 1; n <= sizeof table / sizeof *table; n++) {
		assert_int_equal(store_try(job, "c00007.0", n, NULL), 0);
		record = store_record_new();
		if (table[n - 1].why != NULL)
			store_record_set_string(
			    record, "why", table[n - 1].why);
		if (table[n - 1].array != -1)
			store_record_set_int(
			    record, "array", table[n - 1].array);
		name = xasprintf("c00007.0.no.%" PRIu32, n);
		assert_int_equal(
		    store_directory_add(job, "sub", name, record, NULL), 0);
		free(name);
		chunk = one_chunk(job, "c00007.0");
		assert_int_equal(chunk.bad_array, table[n - 1].bad_array);
		store_chunk_free(&chunk);
	}
	store_job_free(job);
}

static void
a_try_is_for_one_and_a_refusal_ends_it(void **state)
{
	struct store_job *job = make(*state, "conv2d", 40);
	struct store_chunk chunk;
	struct store_chunk intent = {.name = (char *)(uintptr_t) "c00007.0",
	    .token = (char *)(uintptr_t) "t"};
	uint32_t n;

	idset_add(&intent.tasks, 0, 0);
	assert_int_equal(store_intent(job, &intent, NULL), 0);
	idset_free(&intent.tasks);
	for (n = 1; n <= 20; n++) {
		assert_int_equal(store_try(job, "c00007.0", n, NULL), 0);
		assert_int_equal(store_try(job, "c00007.0", n, NULL), 1);
		chunk = one_chunk(job, "c00007.0");
		assert_int_equal(chunk.tries, n);
		assert_false(chunk.refused);
		store_chunk_free(&chunk);
		assert_int_equal(
		    store_refusal(job, "c00007.0", n, &full, 40, NULL), 0);
		chunk = one_chunk(job, "c00007.0");
		assert_true(chunk.refused);
		assert_string_equal(chunk.refusal, "MaxJobCount");
		assert_int_equal(chunk.alive, 40);
		store_chunk_free(&chunk);
	}
	/* The first tries are removed; who comes so late has lost. */
	assert_int_equal(store_try(job, "c00007.0", 9, NULL), 1);
	chunk = one_chunk(job, "c00007.0");
	assert_int_equal(chunk.tries, 20);
	assert_int_equal(chunk.claimed, 0);
	store_chunk_free(&chunk);
	n = 55;
	assert_int_equal(store_claim(job, "c00007.0", &n, NULL), 0);
	chunk = one_chunk(job, "c00007.0");
	assert_int_equal(chunk.array, 55);
	assert_true(chunk.claimed > 0);
	store_chunk_free(&chunk);
	store_job_free(job);
}

static void
what_was_cut_or_withdrawn_is_nobodys(void **state)
{
	static const enum store_claim how[] = {STORE_CUT, STORE_WITHDRAWN};
	static const char *const names[] = {"c00008.0", "c00009.0"};
	struct store_job *job = make(*state, "conv2d", 40);
	struct store_chunk chunk = {.token = (char *)(uintptr_t) "t"};
	uint32_t array;
	size_t i;

	idset_add(&chunk.tasks, 0, 0);
	for (i = 0; i < 2; i++) {
		chunk.name = (char *)(uintptr_t)names[i];
		array = 55;
		assert_int_equal(store_intent(job, &chunk, NULL), 0);
		assert_int_equal(
		    store_chunk_close(job, chunk.name, how[i], NULL), 0);
		assert_int_equal(
		    store_chunk_close(job, chunk.name, STORE_CUT, NULL), 1);
		assert_int_equal(store_claim(job, chunk.name, &array, NULL), 0);
		assert_int_equal(array, 0);
	}
	idset_free(&chunk.tasks);
	for (i = 0; i < 2; i++) {
		chunk = one_chunk(job, names[i]);
		assert_int_equal(chunk.claim, how[i]);
		store_chunk_free(&chunk);
	}
	store_job_free(job);
}

static void
without_hard_links_it_is_the_same(void **state)
{
	struct fs_ops real = fs_ops;

	fs_ops.linkat = no_links;
	facts_are_listed_by_task_and_run(state);
	fs_ops = real;
}

static void
without_hard_links_only_one_array_gets_the_claim(void **state)
{
	struct fs_ops real = fs_ops;

	fs_ops.linkat = no_links;
	only_one_array_gets_the_claim(state);
	fs_ops = real;
}

static int syncs;

static int
counted_sync(int fd)
{
	syncs++;
	return fsync(fd);
}

static int
syncs_since(int before)
{
	return syncs - before;
}

/* Each file once, and its directory when all names are there. */
static void
nothing_is_synced_more_often_than_it_must(void **state)
{
	struct store_chunk chunk = {.name = (char *)(uintptr_t) "c000.0",
	    .token = (char *)(uintptr_t) "stfm-x-c000.0"};
	struct place *p = *state;
	struct fs_ops real = fs_ops;
	struct store_job *job;
	uint32_t array = 33;
	int before;

	idset_add(&chunk.tasks, 0, 39);
	fs_ops.fsync = counted_sync;
	before = syncs;
	job = make(p, "conv2d", 40);
	assert_int_equal(syncs_since(before), 2 + 2);
	before = syncs;
	assert_int_equal(store_intent_place(job, &chunk, NULL), 0);
	assert_int_equal(store_try(job, "c000.0", 1, NULL), 0);
	assert_int_equal(syncs_since(before), 2 + 1);
	before = syncs;
	assert_int_equal(store_claim(job, "c000.0", &array, NULL), 0);
	assert_int_equal(syncs_since(before), 1 + 1);
	fs_ops = real;
	assert_int_equal(store_intent_place(job, &chunk, NULL), 1);
	idset_free(&chunk.tasks);
	store_job_free(job);
}

static ssize_t
no_read(int fd, void *bytes, size_t length)
{
	(void)fd;
	(void)bytes;
	(void)length;
	errno = EIO;
	return -1;
}

static void
a_program_that_cannot_be_read_is_not_called_damaged(void **state)
{
	struct place *p = *state;
	struct fs_ops real = fs_ops;
	char *path = store_install(p->store, "/bin/true", NULL);
	const char *name = strrchr(path, '/') + 1;
	int dir = fs_open_subdir(p->store->dir, "libexec", 0, NULL);
	struct error e;

	assert_int_equal(access(path, X_OK), 0);
	assert_int_equal(store_is_program(dir, name, &e), 1);
	assert_int_equal(store_is_program(dir, "prog-00000000-9", &e), -1);
	assert_int_equal(e.code, ERROR_ABSENT);
	fs_ops.read = no_read;
	assert_int_equal(store_is_program(dir, name, &e), -1);
	assert_int_equal(e.code, ERROR_LATER);
	fs_ops = real;
	fs_close(dir);
	free(path);
}

static void
a_wish_is_for_one_attempt(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 10);
	struct store_request stop = {.kind = STORE_REQUEST_STOP, .attempt = 1};
	struct store_requests list;

	idset_add(&stop.tasks, 2, 4);
	assert_int_equal(store_request_add(job, &stop, 1, NULL), 0);
	assert_int_equal(store_request_add(job, &stop, 1, NULL), 0);
	assert_int_equal(store_requests_list(job, STORE_STOPS, &list, NULL), 0);
	assert_int_equal(list.count, 2);
	assert_true(store_stop_is_asked(&list, 3, 1));
	assert_false(store_stop_is_asked(&list, 3, 0));
	assert_false(store_stop_is_asked(&list, 5, 1));
	store_requests_free(&list);
	idset_free(&stop.tasks);
	store_job_free(job);
}

static uint32_t
third(const void *arg, uint64_t task)
{
	(void)arg;
	return (uint32_t)task % 3;
}

static void
a_wish_about_several_attempts_is_made_at_once(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 10);
	struct idset tasks = {0};
	struct store_requests list;
	struct fs_names names;
	struct error e = {""};
	int ctl;
	uint64_t task;
	uint32_t attempt;

	idset_add(&tasks, 0, 7);
	assert_int_equal(store_request_add_all(job, STORE_REQUEST_STOP, &tasks,
			     third, NULL, "max-fail 3", &e),
	    0);
	ctl = store_directory_list(job, "ctl", &names, &e);
	assert_int_equal(names.count, 1);
	store_directory_close(ctl, &names);
	assert_int_equal(store_requests_list(job, STORE_STOPS, &list, &e), 0);
	for (task = 0; task < 10; task++)
		for (attempt = 0; attempt < 4; attempt++)
			assert_int_equal(
			    store_stop_is_asked(&list, task, attempt),
			    task < 8 && attempt == task % 3);
	assert_string_equal(list.request[2].why, "max-fail 3");
	store_requests_free(&list);
	idset_free(&tasks);
	store_job_free(job);
}

static void
a_wish_may_name_a_million_tasks_one_by_one(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 10);
	struct store_request stop = {.kind = STORE_REQUEST_STOP, .attempt = 0};
	struct store_requests list;
	struct error e = {""};
	uint64_t task;

	for (task = 0; task < 2000000; task += 2)
		idset_add(&stop.tasks, task, task);
	assert_int_equal(store_request_add(job, &stop, 1, &e), 0);
	assert_int_equal(store_requests_whole(job, STORE_STOPS, &list, &e), 0);
	assert_int_equal(list.count, 1);
	assert_true(idset_size(&list.request[0].tasks) == 1000000);
	store_requests_free(&list);
	idset_free(&stop.tasks);
	store_job_free(job);
}

static void
fill_fold(struct store_table *table)
{
	struct store_row *row = store_table_edit(table, 2);

	row->state = STORE_ERROR;
	row->cause = xstrdup("exit 3");
	row->facts = STORE_HAS_S | STORE_HAS_E;
	row->array = 4102;
	row->index = 2;
	row->exit = 3;
	row->start = 1000;
	row->node = xstrdup("n1");
	row->metrics.offset = 512;
	row->metrics.epochs = 9;
	row->metrics.x_column = METRICS_NONE;
	row->metrics.has_best = 1;
	row->metrics.best = 0.1;
	strcpy(row->metrics.metric, "val_loss");
}

static void
a_fold_comes_back_as_it_was_published(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 5);
	struct store_table *table = store_table_new(5), *got;
	const struct store_row *row;

	fill_fold(table);
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	got = store_table_load(job, NULL);
	row = store_table_row(got, 2);
	assert_int_equal(got->generation, 1);
	assert_int_equal(got->in_state[STORE_ERROR], 1);
	assert_int_equal(got->in_state[STORE_SUBMITTED], 4);
	assert_string_equal(row->cause, "exit 3");
	assert_int_equal(row->exit, 3);
	assert_int_equal(row->signal, -1);
	assert_true(row->metrics.best == 0.1);
	assert_int_equal(row->metrics.x_column, METRICS_NONE);
	assert_string_equal(row->metrics.metric, "val_loss");
	assert_int_equal(store_table_row(got, 4)->state, STORE_SUBMITTED);
	assert_in_range(store_table_age(job, NULL), 0, 60);
	store_table_free(got);
	store_table_free(table);
	store_job_free(job);
}

/* The bytes of a job's file, to free. */
static char *
file_of(const struct store_job *job, const char *name, size_t *length)
{
	char *path = fs_join(job->path, name), *bytes;

	assert_int_equal(fs_read_path(path, 1 << 20, &bytes, length, NULL), 0);
	free(path);
	return bytes;
}

/* The line of a task in a generation; the lines are cut apart by it. */
static const char *
line_of(char *bytes, int task)
{
	char *begin = xasprintf("{\"v\":1,\"task\":%d,", task), *line, *save;

	for (line = strtok_r(bytes, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save))
		if (strncmp(line, begin, strlen(begin)) == 0)
			break;
	free(begin);
	return line;
}

static void
rows_that_nobody_edits_are_copied(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 5);
	struct store_table *table = store_table_new(5);
	char *before, *after;
	size_t length;

	fill_fold(table);
	strlist_push(&table->packs, "p.1.x.jsonl");
	store_table_edit(table, 3)->state = STORE_RUNNING;
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
	table = store_table_load(job, NULL);
	assert_int_equal(table->packs.count, 1);
	assert_string_equal(table->packs.word[0], "p.1.x.jsonl");
	assert_int_equal(store_table_state(table, 2), STORE_ERROR);
	assert_int_equal(
	    store_table_brief(table, 2).facts, STORE_HAS_S | STORE_HAS_E);
	assert_int_equal(store_table_brief(table, 4).facts, 0);
	assert_int_equal(store_table_row(table, 2)->exit, 3);
	store_table_edit(table, 3)->state = STORE_FINISHED;
	store_table_edit(table, 4)->state = STORE_RUNNING;
	assert_int_equal(store_table_state(table, 3), STORE_FINISHED);
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
	before = file_of(job, "fold/state.1.jsonl", &length);
	after = file_of(job, "fold/state.2.jsonl", &length);
	assert_string_equal(line_of(before, 2), line_of(after, 2));
	table = store_table_load(job, NULL);
	assert_int_equal(table->packs.count, 1);
	assert_int_equal(table->in_state[STORE_FINISHED], 1);
	assert_int_equal(table->in_state[STORE_RUNNING], 1);
	assert_int_equal(table->in_state[STORE_SUBMITTED], 2);
	store_table_free(table);
	store_job_free(job);
	free(before);
	free(after);
}

/* A row in which every member is there. */
static void
fill_row(struct store_row *row)
{
	store_row_clear(row, 123456);
	row->state = STORE_STOPPED;
	row->attempt = 2;
	row->restart = 4294967295;
	row->facts = 7;
	row->cause = xstrdup("exit 3");
	row->slurm = xstrdup("TIMEOUT");
	row->said = xstrdup("said");
	row->node = xstrdup("n1");
	row->gpus = xstrdup("0,1");
	row->log = xstrdup("/l\xc3\xb6g");
	row->err = xstrdup("");
	row->reason = xstrdup("its reason");
	row->metrics_path = xstrdup("/m");
	row->pace = xstrdup("12 11.5");
	row->array = INT64_MAX;
	row->index = 0;
	row->start = -2;
	row->end = row->exit = row->signal = row->asked = 1;
	row->memory = row->cpu = row->gone = 123456789012345678;
	row->metrics_inode = row->metrics_check = 4294967296;
	row->epoch_time = row->limit = row->completed = 86400;
	row->metrics = (struct metrics_summary){.offset = 1,
	    .epochs = 2,
	    .restarts = 3,
	    .damaged = 4,
	    .values = 5,
	    .nans = 6,
	    .delimiter = ',',
	    .columns = 7,
	    .x_column = METRICS_NONE,
	    .column = 8,
	    .goal = 1,
	    .has_best = 1,
	    .last_kind = 2,
	    .had_best = 1,
	    .x_name = "epoch",
	    .metric = "val_loss",
	    .first = 0.1,
	    .epoch = -1e300,
	    .best = 5e-324,
	    .best_epoch = 1.0 / 3,
	    .last = 12345678.9,
	    .last_epoch = 1,
	    .first_nan = 2,
	    .nan_since = 3,
	    .earlier_best = 4,
	    .earlier_epoch = 5};
}

static void
see_row(const char *line, const char *want)
{
	struct store_row row;
	size_t length;
	char *text;

	assert_int_equal(
	    store_row_parse(line, strlen(line), "row", &row, NULL), 0);
	text = store_row_text(&row, &length);
	assert_string_equal(text, want);
	store_row_free(&row);
	free(text);
}

/* The line with other JSON that says the same. */
static char *
reworded(const char *line, const char *from, const char *to)
{
	const char *at = strstr(line, from);
	char *body, *text;

	assert_non_null(at);
	body = xasprintf(
	    "%.*s%s%s", (int)(at - line), line, to, at + strlen(from));
	*strstr(body, ",\"c\":\"") = '\0';
	text = xasprintf(
	    "%s,\"c\":\"%08x\"}\n", body, fs_crc32c(body, strlen(body)));
	free(body);
	return text;
}

/* Every member is in the line. */
static void
see_members(const char *line)
{
	static const char *const names[] = {"task", "state", "attempt",
	    "restart", "facts", "cause", "slurm", "said", "node", "gpus", "log",
	    "err", "reason", "metrics_path", "pace", "array", "index", "start",
	    "end", "exit", "signal", "asked", "memory", "cpu", "gone",
	    "metrics_inode", "metrics_check", "epoch_time", "limit",
	    "completed", "metrics", "offset", "epochs", "restarts", "damaged",
	    "values", "nans", "delimiter", "columns", "x_column", "column",
	    "goal", "has_best", "last_kind", "had_best", "x_name", "metric",
	    "first", "epoch", "best", "best_epoch", "last", "last_epoch",
	    "first_nan", "nan_since", "earlier_best", "earlier_epoch"};
	char *key;
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		key = xasprintf("\"%s\":", names[i]);
		if (strstr(line, key) == NULL)
			fail_msg("%s is not in the row", names[i]);
		free(key);
	}
}

static void
a_row_is_read_alike_however_it_is_written(void **state)
{
	static const char *const words[][2] = {
	    {"{\"v\":1", "{ \"v\":1"},
	    {"\"exit 3\"", "\"e\\u0078it 3\""},
	    {"\"slurm\":", "\"of a later release\":[1,{}],\"slurm\":"},
	    {"\"metrics\":{", "\"metrics\":{\"later\":null,"},
	    {"\"node\":\"n1\",", ""},
	    {"\"x_name\":\"epoch\"", "\"x_name\": \"epoch\""},
	};
	static const char node[] = ",\"node\":\"n1\"";
	struct store_row row;
	char *line, *other, *want;
	size_t length, i;

	(void)state;
	fill_row(&row);
	line = store_row_text(&row, &length);
	see_members(line);
	see_row(line, line);
	for (i = 0; i < sizeof words / sizeof *words; i++) {
		other = reworded(line, words[i][0], words[i][1]);
		want = *words[i][1] != '\0' ? xstrdup(line)
					    : reworded(line, node, "");
		see_row(other, want);
		free(other);
		free(want);
	}
	free(line);
	store_row_free(&row);
	store_row_clear(&row, 0);
	assert_true(store_row_is_new(&row));
	row.cause = xstrdup("\"quoted\", \\ and \n");
	line = store_row_text(&row, &length);
	see_row(line, line);
	free(line);
	store_row_free(&row);
}

/* Publish these lines as a generation. */
static void
publish_lines(
    const struct store_job *job, const char *name, const char *const *line)
{
	int dir = fs_open_subdir(job->dir, "fold", 0, NULL);
	char *text = NULL;
	size_t length, i;
	FILE *f = open_memstream(&text, &length);

	for (i = 0; line[i] != NULL; i++)
		fprintf(f, "%s,\"c\":\"%08x\"}\n", line[i],
		    fs_crc32c(line[i], strlen(line[i])));
	fclose(f);
	assert_int_equal(fs_publish(dir, name, text, length, NULL), 0);
	fs_close(dir);
	free(text);
}

/* Each line is whole, but they do not belong together. */
static void
a_fold_that_contradicts_itself_is_damaged(void **state)
{
	static const char head[] = "{\"v\":1,\"states\":\"SF\"",
			  row[] = "{\"v\":1,\"task\":1,\"state\":"
				  "\"FINISHED\",\"attempt\":0,"
				  "\"restart\":0,\"facts\":3",
			  other[] = "{\"task\":1,\"state\":\"FINISHED\"",
			  end[] = "{\"v\":1,\"rows\":1";
	static const struct {
		const char *line[5];
		int bad;
	} cases[] = {
	    {{head, row, end}, 0},
	    {{head, other, end}, 0}, /* written by somebody else */
	    {{head, row, row, "{\"v\":1,\"rows\":2"}, 1},
	    {{"{\"v\":1,\"states\":\"SE\"", row, end}, 1},
	    {{"{\"v\":1,\"states\":\"SE\"", other, end}, 1},
	    {{"{\"v\":1,\"states\":\"F\"", row, end}, 1},
	    {{"{\"v\":1,\"states\":\"SQ\"", row, end}, 1},
	    {{"{\"v\":1", row, end}, 1},
	    {{head, "{\"v\":1,\"rows\":0"}, 1},
	    {{head, end}, 1},
	    {{head, row, end, end}, 1},
	    {{head, "{\"v\":1,\"x\":1", end}, 1},
	    {{head, "{\"v\":2,\"task\":1", end}, 1},
	};
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 2);
	struct store_table *table;
	char name[64];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(name, sizeof name, "state.%zu.jsonl", i + 1);
		publish_lines(job, name, cases[i].line);
		table = store_table_load(job, NULL);
		assert_non_null(table);
		if ((int)table->damaged.count != cases[i].bad)
			fail_msg("case %zu: %s", i,
			    table->damaged.count ? table->damaged.word[0] : "");
		if (!cases[i].bad)
			assert_int_equal(
			    store_table_row(table, 1)->state, STORE_FINISHED);
		store_table_free(table);
		snprintf(name, sizeof name, "fold/state.%zu.jsonl", i + 1);
		assert_int_equal(unlinkat(job->dir, name, 0), 0);
	}
	store_job_free(job);
}

static void
two_generations_are_kept_and_one_publisher_wins(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 5);
	struct store_table *a = store_table_new(5), *b = store_table_new(5);
	struct fs_names names;
	int dir, i;

	for (i = 0; i < 4; i++)
		assert_int_equal(store_table_publish(job, a, NULL), 0);
	b->generation = 3;
	assert_int_equal(store_table_publish(job, b, NULL), 1);
	dir = fs_open_subdir(job->dir, "fold", 0, NULL);
	assert_int_equal(fs_list(dir, &names, NULL), 0);
	assert_int_equal(names.count, 2);
	fs_names_free(&names);
	fs_close(dir);
	store_table_free(a);
	store_table_free(b);
	store_job_free(job);
}

/* Write bytes over a file, as damage does. */
static void
overwrite(const char *path, const char *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd != -1);
	assert_int_equal(write(fd, bytes, length), (ssize_t)length);
	close(fd);
}

/* The row of a task as text, "" when there is nothing to say; to free. */
static char *
text_of(const struct store_table *table, uint64_t task)
{
	const struct store_row *row = store_table_row(table, task);
	size_t length;

	return store_row_is_new(row) ? xstrdup("")
				     : store_row_text(row, &length);
}

static void
see_part(const struct store_job *job, const struct store_table *whole,
    uint64_t first, uint64_t last)
{
	struct idset tasks = {0};
	struct store_table *part;
	char *want, *got;
	uint64_t i;

	idset_add(&tasks, first, last);
	part = store_table_load_part(job, &tasks, NULL);
	assert_non_null(part);
	assert_int_equal(part->damaged.count, 0);
	assert_int_equal(part->generation, whole->generation);
	assert_memory_equal(
	    part->in_state, whole->in_state, sizeof part->in_state);
	for (i = first; i <= last; i++) {
		want = text_of(whole, i);
		got = text_of(part, i);
		assert_string_equal(got, want);
		free(want);
		free(got);
	}
	assert_int_equal(
	    store_table_state(part, 7), store_table_state(whole, 7));
	store_table_free(part);
	idset_free(&tasks);
}

static void
a_part_of_a_fold_is_as_in_the_whole(void **state)
{
	enum { MANY = 3000 };
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", MANY);
	struct store_table *table = store_table_new(MANY);
	struct store_row *row;
	uint64_t i;

	see_part(job, table, 0, 9); /* of nothing */
	for (i = 0; i < MANY; i++) {
		if (i % 5 == 1 || (i > 1000 && i < 1400))
			continue;
		row = store_table_edit(table, i);
		row->state = (enum store_state)(i % STORE_STATES);
		row->cause = xasprintf("%*d", (int)(i % 97), (int)i);
	}
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	for (i = 0; i < MANY - 3; i += 23)
		see_part(job, table, i, i + i % 3);
	see_part(job, table, MANY - 1, MANY - 1);
	/* A line that is longer than what is read at once. */
	row = store_table_edit(table, 1200);
	row->cause = xmalloc(40001);
	memset(row->cause, 'x', 40000);
	row->cause[40000] = '\0';
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	for (i = 1100; i < 1300; i += 50)
		see_part(job, table, i, i);
	store_table_free(table);
	store_job_free(job);
}

enum { LARGE = 4000 };

/* Change some rows; a few become as if nothing were known of them. */
static void
change_rows(struct store_table *table, int count)
{
	struct store_row *row;
	uint64_t task;

	while (count-- > 0) {
		task = (uint64_t)random() % LARGE;
		row = store_table_edit(table, task);
		store_row_free(row);
		store_row_clear(row, task);
		if (random() % 5 == 0)
			continue;
		row->state = (enum store_state)(random() % STORE_STATES);
		row->cause = xasprintf("%0150ld", random());
		if (random() % 2 == 0)
			row->rungs = xasprintf("3=0.%ld@0.0", random());
	}
}

static off_t
size_of(const struct store_job *job, uint64_t generation)
{
	char *name =
	    xasprintf("fold/state.%llu.jsonl", (unsigned long long)generation);
	struct stat st;

	if (fstatat(job->dir, name, &st, 0) == -1)
		st.st_size = 0;
	free(name);
	return st.st_size;
}

static size_t
count_files(const struct store_job *job)
{
	int dir = fs_open_subdir(job->dir, "fold", 0, NULL);
	struct fs_names names;
	size_t count;

	assert_int_equal(fs_list(dir, &names, NULL), 0);
	count = names.count;
	fs_names_free(&names);
	fs_close(dir);
	return count;
}

/* The rungs are read from a line as they are from its row. */
static void
see_rungs(const struct store_table *table, uint64_t task)
{
	const char *text = store_table_rungs(table, task);
	char *got = text != NULL ? xstrndup(text, strcspn(text, "\"")) : NULL;
	const char *want = store_table_row(table, task)->rungs;

	assert_int_equal(got == NULL, want == NULL);
	if (want != NULL)
		assert_string_equal(got, want);
	free(got);
}

/* The rows of both are the same, however many files they are in. */
static void
see_same(const struct store_table *a, const struct store_table *b)
{
	char *want, *got;
	uint64_t i;

	for (i = 0; i < LARGE; i++) {
		see_rungs(b, i);
		assert_int_equal(
		    store_table_state(a, i), store_table_state(b, i));
		want = text_of(a, i);
		got = text_of(b, i);
		assert_string_equal(got, want);
		free(want);
		free(got);
	}
}

static void
see_part_at(const struct store_job *job, const struct store_table *whole)
{
	uint64_t first = (uint64_t)random() % (LARGE - 10);

	see_part(job, whole, first, first + 9);
}

static void
a_large_fold_is_written_in_small_parts(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", LARGE);
	struct store_table *table = store_table_new(LARGE), *got;
	int i, small = 0, large = 0;

	srandom(3);
	change_rows(table, 3 * LARGE);
	for (i = 1; i <= 40; i++) {
		assert_int_equal(store_table_publish(job, table, NULL), 0);
		got = store_table_load(job, NULL);
		assert_int_equal(got->generation, i);
		assert_int_equal(got->damaged.count, 0);
		see_same(table, got);
		see_part_at(job, table);
		small += size_of(job, (uint64_t)i) < 200000;
		large += size_of(job, (uint64_t)i) > 400000;
		assert_in_range(count_files(job), 1, 3);
		store_table_free(table);
		table = got;
		change_rows(table, 60);
	}
	assert_int_equal(small + large, 40);
	assert_in_range(large, 2, 8);
	store_table_free(table);
	store_job_free(job);
}

/*
 * Publish generations, now and then one with all rows; ends the process.  Wait
 * twice until the reader has written a byte, because it has seen a newer one.
 */
static void
publish_many(const struct store_job *job, int count, int reader)
{
	struct store_table *table;
	char byte;
	int i;

	for (i = 0; i < count; i++) {
		if (i > 0 && i % 10 == 0 && read(reader, &byte, 1) != 1)
			_exit(3);
		table = store_table_load(job, NULL);
		if (table == NULL || table->damaged.count > 0)
			_exit(1);
		change_rows(table, i % 5 == 4 ? LARGE : 30);
		if (store_table_publish(job, table, NULL) != 0)
			_exit(2);
		store_table_free(table);
	}
	_exit(0);
}

/* Load a fold, or a part of it: whole, and no older than before. */
static uint64_t
see_newer(
    const struct store_job *job, const struct idset *tasks, uint64_t least)
{
	struct store_table *table;
	struct error e;
	uint64_t generation;

	table = tasks != NULL ? store_table_load_part(job, tasks, &e)
			      : store_table_load(job, &e);
	if (table == NULL)
		fail_msg("%s", e.text);
	if (table->damaged.count > 0)
		fail_msg("%s", table->damaged.word[0]);
	generation = table->generation;
	assert_true(generation >= least);
	store_table_free(table);
	return generation;
}

static void
readers_see_whole_generations_while_they_change(void **state)
{
	enum { MANY = 30 };
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", LARGE);
	struct store_table *table = store_table_new(LARGE);
	struct idset tasks = {0};
	uint64_t seen = 0, last = 0;
	int status, times = 0, ends[2];
	pid_t child;

	change_rows(table, 3 * LARGE);
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
	idset_add(&tasks, 77, 79);
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_int_not_equal(child, -1);
	if (child == 0) {
		close(ends[1]);
		publish_many(job, MANY, ends[0]);
	}
	while (waitpid(child, &status, WNOHANG) == 0) {
		seen = see_newer(job, times % 2 ? &tasks : NULL, seen);
		if (times > 0 && seen > last)
			assert_int_equal(write(ends[1], "", 1), 1);
		times += seen > last;
		last = seen;
	}
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(status, 0);
	assert_int_equal(see_newer(job, NULL, seen), MANY + 1);
	assert_in_range(times, 3, MANY + 1);
	idset_free(&tasks);
	store_job_free(job);
}

/* Two generations, the second of which is based on the first. */
static struct store_job *
make_based(const struct place *p, struct store_table **table)
{
	struct store_job *job = make(p, "conv2d", LARGE);

	*table = store_table_new(LARGE);
	srandom(5);
	change_rows(*table, 3 * LARGE);
	assert_int_equal(store_table_publish(job, *table, NULL), 0);
	store_table_free(*table);
	*table = store_table_load(job, NULL);
	change_rows(*table, 20);
	assert_int_equal(store_table_publish(job, *table, NULL), 0);
	assert_in_range(size_of(job, 2), 1, 20000);
	return job;
}

/* Whether damage is told, by who reads all and by who reads that part. */
static void
see_told(const struct store_job *job, const char *what)
{
	struct store_table *got = store_table_load(job, NULL);

	assert_non_null(got);
	if (got->damaged.count == 0)
		fail_msg("%s is silent", what);
	store_table_free(got);
}

static void
damage_to_what_a_fold_is_based_on_is_told(void **state)
{
	struct place *p = *state;
	struct store_table *table, *got;
	struct store_job *job = make_based(p, &table);
	const char *name[] = {"fold/state.1.jsonl", "fold/state.2.jsonl"};
	char *path, *bytes;
	size_t length, i, k;

	for (k = 0; k < 2; k++) {
		path = fs_join(job->path, name[k]);
		bytes = file_of(job, name[k], &length);
		for (i = 0; i < length; i += 1 + length / 150) {
			bytes[i] ^= 1 << (i % 8);
			overwrite(path, bytes, length);
			bytes[i] ^= 1 << (i % 8);
			see_told(job, "a bit");
			overwrite(path, bytes, i);
			see_told(job, "a cut");
		}
		overwrite(path, bytes, length);
		free(bytes);
		free(path);
	}
	got = store_table_load(job, NULL);
	assert_int_equal(got->damaged.count, 0);
	see_same(table, got);
	store_table_free(got);
	/* Another generation in its place: whole, but not the base. */
	path = fs_join(job->path, name[0]);
	assert_int_equal(unlink(path), 0);
	see_told(job, "a base that is gone");
	free(path);
	store_table_free(table);
	table = store_table_new(LARGE);
	change_rows(table, 3 * LARGE);
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	got = store_table_load(job, NULL);
	assert_int_equal(got->damaged.count, 1);
	assert_non_null(strstr(got->damaged.word[0], "another one"));
	see_same(table, got);
	store_table_free(got);
	store_table_free(table);
	store_job_free(job);
}

/* What is read of a damaged fold is right, or the damage is told. */
static void
see_damaged_part(
    struct store_job *job, const char *want, int is_cut, size_t where)
{
	struct idset tasks = {0};
	struct store_table *got;
	char *text;

	idset_add(&tasks, 2, 2);
	got = store_table_load_part(job, &tasks, NULL);
	assert_non_null(got);
	text = text_of(got, 2);
	if (got->damaged.count == 0 &&
	    (is_cut || strcmp(text, want) != 0 ||
		got->in_state[STORE_ERROR] != 1 ||
		got->in_state[STORE_FINISHED] != 1))
		fail_msg("%zu is silent", where);
	free(text);
	store_table_free(got);
	idset_free(&tasks);
}

/* Whether the damage is told, and nothing is believed of what is damaged. */
static void
see_damage(struct store_job *job, const char *what, size_t where)
{
	struct store_table *got = store_table_load(job, NULL);

	assert_non_null(got);
	if (got->damaged.count != 1)
		fail_msg("%s %zu is silent", what, where);
	assert_int_equal(got->in_state[STORE_ERROR], 0);
	store_table_free(got);
}

static void
every_damaged_bit_of_a_fold_is_noticed(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 5);
	struct store_table *table = store_table_new(5);
	char *path, *bytes, *row;
	size_t length, i;

	fill_fold(table);
	row = text_of(table, 2);
	strlist_push(&table->packs, "p.1.x.jsonl");
	store_table_edit(table, 4)->state = STORE_FINISHED;
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	path = fs_join(job->path, "fold/state.1.jsonl");
	bytes = file_of(job, "fold/state.1.jsonl", &length);
	for (i = 0; i < 8 * length; i++) {
		bytes[i / 8] ^= 1 << (i % 8);
		overwrite(path, bytes, length);
		bytes[i / 8] ^= 1 << (i % 8);
		see_damage(job, "bit", i);
		see_damaged_part(job, row, 0, i);
	}
	for (i = 0; i < length; i++) {
		overwrite(path, bytes, i);
		see_damage(job, "cut", i);
		see_damaged_part(job, row, 1, i);
	}
	free(row);
	free(bytes);
	free(path);
	store_table_free(table);
	store_job_free(job);
}

static void
every_damaged_byte_of_a_record_is_noticed(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 5), *got;
	char *path = fs_join(job->path, "job.json"), *bytes;
	struct error e;
	size_t length, i;

	assert_int_equal(fs_read_path(path, 1 << 20, &bytes, &length, NULL), 0);
	for (i = 0; i < 2 * length; i++) {
		if (i < length) {
			bytes[i] ^= 1 << (i % 8);
			overwrite(path, bytes, length);
			bytes[i] ^= 1 << (i % 8);
		} else {
			overwrite(path, bytes, i - length);
		}
		got = store_job_load(p->store, "conv2d", &e);
		if (got != NULL)
			fail_msg("byte %zu of %zu", i, length);
		assert_non_null(strstr(e.text, "job.json"));
	}
	free(bytes);
	free(path);
	store_job_free(job);
}

/* Write FORMAT as another release would. */
static void
write_format(const struct place *p, const char *body)
{
	char *path = fs_join(p->path, "FORMAT"), *text;

	text = xasprintf(
	    "%s,\"c\":\"%08x\"}\n", body, fs_crc32c(body, strlen(body)));
	overwrite(path, text, strlen(text));
	free(text);
	free(path);
}

static void
a_newer_store_is_refused_as_it_says_itself(void **state)
{
	static const struct {
		const char *format;
		int reads, writes;
	} cases[] = {
	    {"{\"v\":1,\"format\":\"stfm-store\"", 1, 1},
	    {"{\"v\":2,\"format\":\"stfm-store\"", 0, 0},
	    {"{\"v\":2,\"min_read\":1,\"min_write\":2", 1, 0},
	    {"{\"v\":2,\"min_read\":1,\"min_write\":1,\"more\":[]", 1, 1},
	    {"{\"v\":3,\"min_read\":2,\"min_write\":3", 0, 0},
	};
	struct place *p = *state;
	struct store *store;
	struct error e;
	size_t i;
	int purpose, may;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		for (purpose = STORE_READ; purpose <= STORE_WRITE; purpose++) {
			write_format(p, cases[i].format);
			may = purpose == STORE_READ ? cases[i].reads
						    : cases[i].writes;
			store = store_open(p->path, purpose, &e);
			if ((store != NULL) != may)
				fail_msg("case %zu, purpose %d", i, purpose);
			if (store == NULL) {
				assert_int_equal(e.code, ERROR_NEWER);
				assert_non_null(strstr(e.text, "newer stfm"));
			}
			store_close(store);
		}
}

static int
of_two_days_ago(int dir, const char *name, struct stat *st, int flags)
{
	int rc = fstatat(dir, name, st, flags);

	if (rc == 0 && strstr(name, "young") == NULL) {
		st->st_mtime -= 2 * STORE_LEFTOVERS_OLD;
		st->st_ctime -= 2 * STORE_LEFTOVERS_OLD;
	}
	return rc;
}

/* By a clock that is ahead of this host's. */
static int
of_the_next_second(int dir, const char *name, struct stat *st, int flags)
{
	int rc = fstatat(dir, name, st, flags);

	st->st_mtime = time(NULL) + 1;
	return rc;
}

static char *
put_file(const char *directory, const char *name)
{
	char *path = fs_join(directory, name);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd != -1);
	close(fd);
	return path;
}

static void
what_was_left_over_is_collected_after_a_day(void **state)
{
	struct place *p = *state;
	struct store_job *job = make(p, "conv2d", 1);
	struct fs_ops real = fs_ops;
	struct strlist list = {0};
	struct timespec long_ago[2] = {{0, 0}, {0, 0}};
	char *path[9], *trash = fs_join(p->path, "trash");
	size_t i;

	assert_int_equal(
	    mkdir((path[7] = fs_join(job->path, "run/000")), 0700), 0);
	path[0] = put_file(p->path, ".t.1.old");
	path[1] = put_file(path[7], ".t.1.old");
	path[2] = fs_join(p->path, "jobs/.new.old");
	assert_int_equal(mkdir(path[2], 0700), 0);
	free(put_file(path[2], "job.json"));
	path[3] = put_file(trash, "job.old");
	path[4] = put_file(job->path, ".t.1.young");
	path[5] = put_file(trash, "job.young");
	path[6] = put_file(job->path, ".t-is-mine");
	/* Scratch files may be at work until a minute has passed. */
	assert_int_equal(store_leftovers_list(p->store, &list, NULL), 0);
	assert_int_equal(list.count, 2);
	strlist_free(&list);
	fs_ops.fstatat = of_the_next_second;
	assert_int_equal(store_leftovers_list(p->store, &list, NULL), 0);
	assert_int_equal(list.count, 2);
	strlist_free(&list);
	fs_ops.fstatat = of_two_days_ago;
	assert_int_equal(store_leftovers_list(p->store, &list, NULL), 0);
	assert_int_equal(list.count, 5);
	strlist_free(&list);
	path[8] = fs_join(job->path, "run/001");
	assert_int_equal(mkdir(path[8], 0700), 0);
	free(put_file(path[7], "000000.0.0.S"));
	assert_int_equal(store_leftovers(p->store, NULL), 0); /* not due */
	assert_true(fs_exists(path[0]));
	assert_int_equal(utimensat(AT_FDCWD, trash, long_ago, 0), 0);
	assert_int_equal(store_leftovers(p->store, NULL), 0);
	fs_ops = real;
	for (i = 0; i < 9; i++) {
		if (fs_exists(path[i]) != (i >= 4 && i < 8))
			fail_msg("%s", path[i]);
		free(path[i]);
	}
	free(trash);
	store_job_free(job);
}

static int
no_rename(int from, const char *old, int to, const char *new)
{
	(void)from;
	(void)old;
	(void)to;
	(void)new;
	errno = EIO;
	return -1;
}

static void
removing_a_job_leaves_what_its_links_point_to(void **state)
{
	struct place *p = *state;
	struct fs_ops real = fs_ops;
	struct store_job *job = make(p, "conv2d", 1), *other;
	char *outside = fs_join(p->path, "outside");
	char *link = fs_join(job->path, "metrics/link");
	struct error e;
	int fd;

	other = make(p, "other", 1);
	fd = open(outside, O_WRONLY | O_CREAT, 0600);
	assert_true(fd != -1);
	close(fd);
	assert_int_equal(symlink("../../../outside", link), 0);
	free(link);
	link = fs_join(job->path, "log/link");
	assert_int_equal(symlink("../../other", link), 0);
	fs_ops.renameat = no_rename;
	assert_int_equal(store_remove(p->store, "conv2d", other->id, &e), -1);
	fs_ops = real;
	assert_non_null(strstr(e.text, "another job")); /* without a move */
	assert_true(fs_exists(job->path));
	assert_int_equal(store_remove(p->store, "conv2d", job->id, &e), 0);
	assert_int_equal(store_remove(p->store, "../jobs", "x", &e), -1);
	assert_true(fs_exists(outside));
	assert_null(store_job_load(p->store, "conv2d", &e));
	store_job_free(job);
	job = store_job_load(p->store, "other", &e);
	assert_non_null(job);
	store_job_free(job);
	store_job_free(other);
	free(link);
	free(outside);
}

#define TEST(f) \
	cmocka_unit_test_setup_teardown(f, place_set_up, place_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_job_comes_back_as_it_was_stored),
	    TEST(a_taken_name_is_told_and_changes_nothing),
	    TEST(names_that_mean_something_else_are_refused),
	    TEST(text_that_is_not_utf8_is_refused_by_its_field),
	    TEST(facts_are_listed_by_task_and_run),
	    TEST(only_one_array_gets_the_claim),
	    TEST(a_fact_that_was_not_durable_at_once_is_ours),
	    TEST(facts_are_not_passed_over_when_the_server_is_in_trouble),
	    TEST(a_chunk_carries_what_it_was_queued_again_with),
	    TEST(a_try_is_for_one_and_a_refusal_ends_it),
	    TEST(a_refusal_is_of_one_array_or_of_all),
	    TEST(what_was_cut_or_withdrawn_is_nobodys),
	    TEST(without_hard_links_it_is_the_same),
	    TEST(without_hard_links_only_one_array_gets_the_claim),
	    TEST(nothing_is_synced_more_often_than_it_must),
	    TEST(a_program_that_cannot_be_read_is_not_called_damaged),
	    TEST(a_wish_is_for_one_attempt),
	    TEST(a_wish_about_several_attempts_is_made_at_once),
	    TEST(a_wish_may_name_a_million_tasks_one_by_one),
	    TEST(a_fold_comes_back_as_it_was_published),
	    TEST(two_generations_are_kept_and_one_publisher_wins),
	    TEST(rows_that_nobody_edits_are_copied),
	    TEST(a_row_is_read_alike_however_it_is_written),
	    TEST(a_fold_that_cannot_be_read_is_no_older_one),
	    TEST(an_intent_that_cannot_be_read_is_not_passed_over),
	    TEST(a_fold_that_contradicts_itself_is_damaged),
	    TEST(every_damaged_bit_of_a_fold_is_noticed),
	    TEST(a_part_of_a_fold_is_as_in_the_whole),
	    TEST(a_large_fold_is_written_in_small_parts),
	    TEST(readers_see_whole_generations_while_they_change),
	    TEST(damage_to_what_a_fold_is_based_on_is_told),
	    TEST(every_damaged_byte_of_a_record_is_noticed),
	    TEST(a_newer_store_is_refused_as_it_says_itself),
	    TEST(what_was_left_over_is_collected_after_a_day),
	    TEST(removing_a_job_leaves_what_its_links_point_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
