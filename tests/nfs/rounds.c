/*
 * rounds A B - what many processes do to one store at the same time, half of
 * them by the path A and half by B: two clients of a file server.
 *
 * Prints a line of TAP for each promise, with the figures behind it.  It runs
 * in any two directories that are the same one; "make nfs" runs it on NFS.
 */
#include <sys/wait.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "store/chunk.h"
#include "store/facts.h"
#include "store/job.h"
#include "store/once.h"
#include "store/pack.h"
#include "store/store.h"
#include "store/table.h"
#include "sys/proc.h"

enum {
	WRITERS = 4,
	EACH = 50,
	CLAIMS = 30,
	FOLDS = 10,
	ROUNDS = 20,
	SLICES = 6,
	POINTS = 30
};
enum { TASKS = WRITERS * EACH }; /* 200, as the job's space has it */

static const char *client[2];
static struct store *store;
static struct store_job *job;
static int told, failed;

/* ---- what every process does ---- */

static _Noreturn void
stop(const char *what, const struct error *e)
{
	fprintf(stderr, "# %s: %s\n", what, e->text);
	fflush(stderr);
	_exit(9);
}

/* Open the store as one of the clients sees it. */
static void
enter(int number)
{
	struct error e;

	store_job_free(job);
	store_close(store);
	store = store_open(client[number % 2], STORE_READ, &e);
	if (store == NULL)
		stop("store", &e);
	job = store_job_load(store, "rounds", &e);
	if (job == NULL)
		stop("job", &e);
}

/* Start a process on its client: it ends with what work returns. */
static pid_t
begin(int (*work)(int number), int number)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child != 0)
		return child;
	alarm(600);
	store = NULL;
	job = NULL;
	enter(number);
	_exit(work(number));
}

/* How many processes did not end with 0. */
static int
join(const pid_t *child, int count)
{
	int i, status, bad = 0;

	for (i = 0; i < count; i++)
		if (waitpid(child[i], &status, 0) == -1 || status != 0)
			bad++;
	return bad;
}

static int
together(int (*work)(int number), int count)
{
	pid_t child[16];
	int i;

	for (i = 0; i < count; i++)
		child[i] = begin(work, i);
	return join(child, count);
}

static void
say(int yes, const char *sentence, const char *figures)
{
	printf("%s %d - %s (%s)\n", yes ? "ok" : "not ok", ++told, sentence,
	    figures);
	failed += !yes;
}

static void
nap(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void
publish(uint64_t task, uint32_t attempt, const char *kind)
{
	struct store_fact fact = {task, attempt, 0, "", 0};
	struct store_fact_body body = store_fact_body();
	struct error e;

	snprintf(fact.kind, sizeof fact.kind, "%s", kind);
	body.node = xstrdup("n1");
	body.time = (int64_t)task;
	if (store_fact_publish(job, &fact, &body, &e) != 0)
		stop("publish", &e);
	store_fact_body_free(&body);
}

static size_t
count_facts(void)
{
	struct store_facts facts;
	struct error e;
	size_t count;

	if (store_facts_list(job, NULL, &facts, &e) == -1)
		stop("list", &e);
	count = facts.count;
	if (!facts.sound || facts.strange.count > 0)
		count = SIZE_MAX;
	store_facts_free(&facts);
	return count;
}

/* ---- facts ---- */

static int
write_facts(int number)
{
	uint64_t i;

	for (i = 0; i < EACH; i++) {
		publish((uint64_t)number * EACH + i, 0, "S");
		publish((uint64_t)number * EACH + i, 0, "E0");
	}
	return 0;
}

/* Until all are there: what was once seen must not be missing later. */
static int
watch_facts(int number)
{
	size_t count = 0, before;

	(void)number;
	do {
		before = count;
		count = count_facts();
		if (count == SIZE_MAX || count < before)
			return 1;
		nap(50);
	} while (count < 2 * TASKS);
	return 0;
}

static int
read_facts(int number)
{
	struct store_facts facts;
	struct store_fact_body body;
	struct error e;
	size_t i;
	int bad = 0;

	(void)number;
	if (store_facts_list(job, NULL, &facts, &e) == -1)
		stop("list", &e);
	for (i = 0; i < facts.count; i++) {
		if (store_facts_read(job, &facts, &facts.fact[i], &body, &e) ==
		    -1)
			stop("read", &e);
		bad += body.time != (int64_t)facts.fact[i].task;
		store_fact_body_free(&body);
	}
	bad += facts.count != 2 * TASKS;
	store_facts_free(&facts);
	return bad > 0;
}

static void
many_facts(void)
{
	pid_t child[WRITERS + 2];
	char figures[128];
	int64_t start = proc_clock(), took;
	int i, bad;

	for (i = 0; i < WRITERS; i++)
		child[i] = begin(write_facts, i);
	child[i] = begin(watch_facts, 0);
	child[i + 1] = begin(watch_facts, 1);
	bad = join(child, WRITERS + 2);
	took = proc_clock() - start;
	snprintf(figures, sizeof figures,
	    "%d facts of %d writers in %" PRId64 " ms, 2 readers", 2 * TASKS,
	    WRITERS, took);
	say(bad == 0, "no fact is lost, and none is seen and then not",
	    figures);
	snprintf(figures, sizeof figures, "%d read twice", 2 * TASKS);
	say(together(read_facts, 2) == 0, "each is what was written", figures);
}

/* ---- how soon ---- */

static int pipe_of[2];

/* Look a name up before it is there, so that the client remembers that. */
static void
miss(uint64_t task)
{
	struct store_fact fact = {task, 1, 0, "S", 0};
	struct store_fact_body body;
	struct error why;

	if (store_fact_read(job, &fact, &body, &why) == 0 ||
	    why.code != ERROR_ABSENT)
		_exit(8);
}

/* Wait for one fact to be listed, then read it. */
static int64_t
await(uint64_t task)
{
	struct store_facts facts;
	struct store_fact_body body;
	struct error e;
	int64_t seen = -1;
	size_t i;

	while (seen == -1) {
		if (store_facts_list(job, NULL, &facts, &e) == -1)
			stop("list", &e);
		for (i = 0; i < facts.count && seen == -1; i++) {
			if (facts.fact[i].task != task ||
			    facts.fact[i].attempt != 1)
				continue;
			if (store_facts_read(
				job, &facts, &facts.fact[i], &body, &e) == -1)
				stop("read what was listed", &e);
			store_fact_body_free(&body);
			seen = proc_clock();
		}
		store_facts_free(&facts);
	}
	return seen;
}

/* The other client: tells when it saw each. */
static int
look_out(int number)
{
	uint64_t task;
	int64_t seen;

	(void)number;
	for (task = 0; task < ROUNDS; task++) {
		miss(task);
		seen = 0; /* ready */
		if (write(pipe_of[1], &seen, sizeof seen) != sizeof seen)
			return 1;
		seen = await(task);
		if (write(pipe_of[1], &seen, sizeof seen) != sizeof seen)
			return 1;
	}
	return 0;
}

static void
new_facts(void)
{
	int64_t published, seen, latest = 0;
	char figures[128];
	pid_t child;
	uint64_t task;
	int bad = 0;

	if (pipe(pipe_of) == -1)
		exit(2);
	child = begin(look_out, 1);
	close(pipe_of[1]);
	enter(0);
	for (task = 0; task < ROUNDS; task++) {
		bad |= read(pipe_of[0], &seen, sizeof seen) != sizeof seen;
		nap(50 + (long)task * 37 % 400);
		publish(task, 1, "S");
		published = proc_clock();
		bad |= read(pipe_of[0], &seen, sizeof seen) != sizeof seen;
		if (seen - published > latest)
			latest = seen - published;
	}
	bad |= join(&child, 1) != 0;
	close(pipe_of[0]);
	snprintf(figures, sizeof figures,
	    "at most %" PRId64 " ms after it was published, of %d, each "
	    "looked up before",
	    latest, ROUNDS);
	say(!bad && latest <= 1000, "the other client sees a new fact at once",
	    figures);
}

/* ---- claims ---- */

static void
make_chunks(void)
{
	struct store_chunk chunk = {.token = (char[]){"rounds"}};
	struct error e;
	int i;

	enter(0);
	idset_add(&chunk.tasks, 0, 0);
	for (i = 0; i < CLAIMS; i++) {
		chunk.name = xasprintf("c%05d.0", i);
		if (store_intent(job, &chunk, &e) != 0)
			stop("intent", &e);
		free(chunk.name);
	}
	idset_free(&chunk.tasks);
}

/* Claim each chunk for an array of one's own: who has it goes to the pipe. */
static int
claim(int number)
{
	uint32_t holder[CLAIMS];
	struct error e;
	char *name;
	int i;

	for (i = 0; i < CLAIMS; i++) {
		holder[i] = 100 + (uint32_t)number;
		name = xasprintf("c%05d.0", i);
		if (store_claim(job, name, &holder[i], &e) == -1)
			stop("claim", &e);
		free(name);
	}
	return write(pipe_of[1], holder, sizeof holder) != sizeof holder;
}

static int
compare_claims(const uint32_t holder[WRITERS][CLAIMS])
{
	struct store_chunks chunks;
	struct error e;
	int i, k, bad = 0;

	enter(1);
	if (store_chunks_list(job, &chunks, &e) == -1)
		stop("chunks", &e);
	bad += chunks.count != CLAIMS || chunks.damaged.count > 0;
	for (i = 0; i < CLAIMS && bad == 0; i++)
		for (k = 0; k < WRITERS; k++)
			bad += holder[k][i] != chunks.chunk[i].array;
	store_chunks_free(&chunks);
	return bad;
}

static void
claims(void)
{
	uint32_t holder[WRITERS][CLAIMS];
	char figures[128];
	int i, bad;

	make_chunks();
	if (pipe(pipe_of) == -1)
		exit(2);
	bad = together(claim, WRITERS);
	for (i = 0; i < WRITERS && bad == 0; i++)
		bad |= read(pipe_of[0], holder[i], sizeof holder[i]) !=
		    sizeof holder[i];
	close(pipe_of[0]);
	close(pipe_of[1]);
	if (bad == 0)
		bad = compare_claims((const uint32_t(*)[CLAIMS])holder);
	snprintf(figures, sizeof figures, "%d chunks, %d arrays each", CLAIMS,
	    WRITERS);
	say(bad == 0, "a chunk has one claim, and all agree whose", figures);
}

/* ---- folds and packs ---- */

static struct store_table *
load_fold(void)
{
	struct error e;
	struct store_table *table = store_table_load(job, &e);

	if (table == NULL)
		stop("fold", &e);
	return table;
}

static int
fold_rounds(int number)
{
	struct store_table *table;
	struct error e;
	uint64_t before = 0;
	int i;

	for (i = 0; i < FOLDS; i++) {
		table = load_fold();
		if (table->damaged.count > 0 || table->generation < before)
			return 1;
		before = table->generation;
		table->time = number + 1;
		if (store_table_publish(job, table, &e) == -1)
			stop("publish a fold", &e);
		store_table_free(table);
	}
	return 0;
}

static void
folds(void)
{
	struct store_table *table;
	char figures[128];
	int bad = together(fold_rounds, WRITERS);

	enter(1);
	table = load_fold();
	snprintf(figures, sizeof figures,
	    "%d published by %d processes, %" PRIu64 " generations",
	    FOLDS * WRITERS, WRITERS, table->generation);
	say(bad == 0 && table->generation >= FOLDS && table->damaged.count == 0,
	    "a fold is whole and never goes back", figures);
	store_table_free(table);
}

/* Pack the facts of some tasks that still have files of their own. */
static void
pack_some(uint64_t which, struct error *e)
{
	struct store_facts facts;
	struct store_fact *some;
	size_t i, count = 0;
	char *name;

	if (store_facts_list(job, NULL, &facts, e) == -1)
		stop("list", e);
	some = xcalloc(facts.count + 1, sizeof *some);
	for (i = 0; i < facts.count; i++)
		if (facts.fact[i].in_file &&
		    facts.fact[i].task % SLICES == which)
			some[count++] = facts.fact[i];
	/* By a clock that is ahead everything is old enough. */
	if (count > 0 &&
	    store_pack_facts(
		job, some, count, time(NULL) + 100000, 1, &name, e) == -1)
		stop("pack", e);
	if (count > 0)
		free(name);
	free(some);
	store_facts_free(&facts);
}

static int
pack_rounds(int number)
{
	struct strlist from = {0};
	struct error e;
	uint64_t round;
	char *name;

	(void)number;
	for (round = 0; round < SLICES; round++) {
		pack_some(round, &e);
		if (store_pack_merge(job, 3, &from, &name, &e) == -1)
			stop("merge", &e);
		strlist_free(&from);
		free(name);
	}
	return 0;
}

static int
watch_packs(int number)
{
	int64_t until = proc_clock() + 4000;

	(void)number;
	while (proc_clock() < until) {
		if (count_facts() != 2 * TASKS + ROUNDS)
			return 1;
		nap(50);
	}
	return 0;
}

static void
packs(void)
{
	pid_t child[4];
	struct store_facts facts;
	char figures[128];
	struct error e;
	int bad = 0, i;

	for (i = 0; i < 2; i++) {
		/* There are none yet: so both clients remember it. */
		enter(i);
		bad = bad || count_facts() != 2 * TASKS + ROUNDS;
	}
	for (i = 0; i < 2; i++) {
		child[i] = begin(pack_rounds, i);
		child[2 + i] = begin(watch_packs, i);
	}
	bad |= join(child, 4) != 0;
	enter(0);
	if (store_facts_list(job, NULL, &facts, &e) == -1)
		stop("list", &e);
	snprintf(figures, sizeof figures,
	    "2 packers, 2 readers; %zu facts in %zu packs", facts.count,
	    facts.packs.count);
	say(bad == 0 && facts.packs.count > 0 &&
		facts.count == 2 * TASKS + ROUNDS,
	    "packing loses nothing, at no moment", figures);
	store_facts_free(&facts);
}

/* ---- the points of a search ---- */

/* Return how many tasks have recorded this point. */
static int
count_point(const char *point)
{
	struct store_facts facts;
	struct store_fact_body body;
	struct error e;
	int count = 0;
	size_t i;

	if (store_facts_list(job, NULL, &facts, &e) == -1)
		stop("list", &e);
	for (i = 0; i < facts.search_count; i++) {
		if (store_facts_read(
			job, &facts, &facts.search[i], &body, &e) == -1)
			stop("read a point", &e);
		count += strcmp(body.point, point) == 0;
		store_fact_body_free(&body);
	}
	store_facts_free(&facts);
	return count;
}

static void
publish_point(uint64_t task, const char *point)
{
	struct store_fact fact = {.task = task, .kind = "P"};
	struct store_fact_body body = store_fact_body();
	struct error e;

	body.point = xstrdup(point);
	if (store_fact_publish(job, &fact, &body, &e) != 0)
		stop("publish a point", &e);
	store_fact_body_free(&body);
}

/* Record each point for a task, unless it is that of another task by now. */
static int
record_points(int number)
{
	uint64_t i, task;
	char *point, *lock;
	struct error e;
	int rc;

	for (i = 0; i < POINTS; i++) {
		task = (uint64_t)number * EACH + i;
		point = xasprintf("%" PRIu64, i);
		lock = xasprintf("point.%s", point);
		while ((rc = store_once_lock(job, lock, task, &e)) == 1)
			nap(2);
		if (rc == -1)
			stop("lock a point", &e);
		if (count_point(point) == 0)
			publish_point(task, point);
		store_once_unlock(job, lock);
		free(lock);
		free(point);
	}
	return 0;
}

static void
points(void)
{
	struct strlist locks = {0};
	int bad = together(record_points, WRITERS), once = 0, i;
	char figures[128], *point;
	struct error e;

	enter(1);
	for (i = 0; i < POINTS; i++) {
		point = xasprintf("%d", i);
		once += count_point(point) == 1;
		free(point);
	}
	if (store_once_list(job, "lock.", &locks, &e) == -1)
		stop("locks", &e);
	snprintf(figures, sizeof figures,
	    "%d of %d points recorded once by %d processes, %zu locks left",
	    once, POINTS, WRITERS, locks.count);
	say(bad == 0 && once == POINTS && locks.count == 0,
	    "tasks that choose at the same time have different points",
	    figures);
	strlist_free(&locks);
}

/* ---- jobs ---- */

static void
make_job(const char *name)
{
	struct store_job_files files = {.batch = "#!/bin/sh\n"};
	struct error e;

	store_job_free(job);
	job = xcalloc(1, sizeof *job);
	job->name = xstrdup(name);
	job->id = store_job_new_id();
	job->args = xstrdup("long");
	job->directory = xstrdup("/");
	job->tasks = TASKS;
	job->array_size = 1000;
	strlist_push(&job->command, "true");
	strlist_push(&job->space, "i=1..200");
	strlist_push(&job->names, "i");
	if (store_job_create(store, job, &files, &e) != 0)
		stop("create", &e);
}

/* Whether the job that is made later is there. */
static int
miss_job(int number)
{
	struct store_job *later = store_job_load(store, "later", NULL);
	int missed = later == NULL;

	(void)number;
	store_job_free(later);
	return missed;
}

static void
new_jobs(void)
{
	pid_t child = begin(miss_job, 1);
	int before = join(&child, 1);

	enter(0);
	make_job("later");
	child = begin(miss_job, 1);
	say(before == 1 && join(&child, 1) == 0,
	    "the other client finds a new job at once",
	    "its name was looked up before");
}

/* ---- all ---- */

int
main(int argc, char **argv)
{
	struct error e;

	if (argc != 3) {
		fprintf(stderr, "usage: rounds A B\n");
		return 2;
	}
	client[0] = argv[1];
	client[1] = argv[2];
	store = store_open(client[0], STORE_MAKE, &e);
	if (store == NULL)
		stop("store", &e);
	make_job("rounds");
	many_facts();
	new_facts();
	claims();
	folds();
	packs();
	points();
	new_jobs();
	store_job_free(job);
	store_close(store);
	printf("1..%d\n", told);
	return failed > 0;
}
