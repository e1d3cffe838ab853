#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/wait.h>

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sandbox/sandbox.h"
#include "slurm/queue.h"
#include "slurm/update-array.h"
#include "sys/proc.h"

/* Milliseconds for what comes at last, however busy the machine is. */
enum { PATIENCE = 150000 };

/* All of it on a private Slurm of this test. */
static char *directory;
static struct sandbox *sandbox;

static const char *const lines[] = {
    "MinJobAge=2", "MaxArraySize=5001", "MaxJobCount=6000", "MessageTimeout=2"};

static const struct sandbox_plan plan = {.nodes = 2,
    .gpus = 2,
    .cpus = 4,
    .lines = lines,
    .line_count = sizeof lines / sizeof *lines,
    .leash = 1};

/* A task waits until its file is there and ends with its index. */
static const char script[] =
    "#!/bin/sh\n"
    "trap '' TERM\n"
    "env >env.$SLURM_JOB_NAME\n"
    "until [ -e go.$SLURM_JOB_NAME ]; do sleep 0.05; done\n"
    "exit ${SLURM_ARRAY_TASK_ID:-0}\n";

static void
write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void
start(void)
{
	struct error e;

	if (sandbox_start(sandbox, &plan, &e) == -1)
		fail_msg("%s", e.text);
}

static int
set_up(void **state)
{
	char name[] = "/tmp/stfm-queue.XXXXXX", *path;
	struct error e;

	(void)state;
	if (mkdtemp(name) == NULL || chdir(name) == -1)
		return -1;
	directory = xstrdup(name);
	path = xasprintf("%s/slurm", name);
	sandbox = sandbox_new(path, &e);
	free(path);
	if (sandbox == NULL || sandbox_start(sandbox, &plan, &e) == -1) {
		fprintf(stderr, "# %s\n", e.text);
		return -1;
	}
	path = xasprintf("%s/slurm.conf", sandbox->directory);
	setenv("SLURM_CONF", path, 1);
	free(path);
	write_file("batch.sh", script);
	return 0;
}

static int
tear_down(void **state)
{
	char *argv[] = {(char[]){"rm"}, (char[]){"-rf"}, directory, NULL};
	struct proc_result result;

	(void)state;
	sandbox_stop(sandbox, 1, NULL);
	sandbox_free(sandbox);
	if (chdir("/") == 0 &&
	    proc_run(argv, NULL, PATIENCE, &result, NULL) == 0)
		proc_result_free(&result);
	free(directory);
	return 0;
}

static struct queue *
load(void)
{
	struct queue *q = NULL;
	struct error e;

	if (queue_load(&q, &e) == -1)
		fail_msg("%s", e.text);
	return q;
}

/* Submit with the token as name and comment and up to four more words. */
static enum queue_answer
try_submit(const char *token, const char *const more[4], uint32_t *array,
    struct error *e)
{
	char *words[10];
	size_t i, n = 0;
	enum queue_answer answer;

	words[n++] = xasprintf("--comment=%s of a test", token);
	words[n++] = xasprintf("--job-name=%s", token);
	words[n++] = xstrdup("--output=out");
	for (i = 0; i < 4 && more[i] != NULL; i++)
		words[n++] = xstrdup(more[i]);
	words[n++] = xstrdup("batch.sh");
	words[n] = NULL;
	answer = queue_submit(words, token, array, e);
	while (n > 0)
		free(words[--n]);
	return answer;
}

static uint32_t
submit(const char *token, const char *a, const char *b, const char *c)
{
	const char *more[4] = {a, b, c, NULL};
	uint32_t array = 0;
	struct error e;

	if (try_submit(token, more, &array, &e) != QUEUE_QUEUED)
		fail_msg("%s", e.text);
	assert_true(array > 0);
	return array;
}

static enum queue_outcome
cancel(uint32_t array, const char *indices, const char *token)
{
	struct queue_cancel one = {
	    array, indices, token, QUEUE_CANCEL_REFUSED, {""}};
	struct error e;

	if (queue_cancel(&one, 1, NULL, &e) == -1)
		fail_msg("%s", e.text);
	return one.outcome;
}

/* The task's state by name, or "absent". */
static const char *
state_of(uint32_t array, uint32_t index)
{
	static char name[32];
	struct queue *q = load();
	const struct queue_record *r = queue_find(q, array, index);

	snprintf(name, sizeof name, "%s", r != NULL ? r->state_name : "absent");
	queue_free(q);
	return name;
}

static void
wait_for(uint32_t array, uint32_t index, const char *state, int seconds)
{
	int64_t until = proc_clock() + seconds * 1000 + PATIENCE;
	struct timespec nap = {0, 50000000};

	while (strcmp(state_of(array, index), state) != 0) {
		if (proc_clock() > until)
			fail_msg("%u_%u is %s, not %s", array, index,
			    state_of(array, index), state);
		nanosleep(&nap, NULL);
	}
}

static int
any_alive(uint32_t array)
{
	struct queue *q = load();
	int alive = 0;
	size_t i;

	for (i = 0; i < queue_count(q); i++)
		alive |= queue_record(q, i)->array == array &&
		    queue_record(q, i)->alive;
	queue_free(q);
	return alive;
}

static void
wait_for_the_end(uint32_t array)
{
	int64_t until = proc_clock() + PATIENCE;
	struct timespec nap = {0, 50000000};

	while (any_alive(array)) {
		assert_true(proc_clock() < until);
		nanosleep(&nap, NULL);
	}
}

static pid_t
daemon_of(const char *name)
{
	const struct sandbox_part *part;
	size_t count, i;

	assert_int_not_equal(sandbox_look(sandbox, &part, &count, NULL), -1);
	for (i = 0; i < count; i++)
		if (strcmp(part[i].name, name) == 0 && part[i].pid > 0)
			return part[i].pid;
	fail_msg("%s does not run", name);
	return 0;
}

/* It is our child, as the sandbox is on a leash. */
static void
end_daemon(const char *name, int signal)
{
	pid_t pid = daemon_of(name);

	assert_int_equal(kill(pid, signal), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/*
 * Within so many milliseconds since then, and more where the machine is so busy
 * that it takes its time even for programs that do nothing.
 */
static void
in_time(int64_t began, int64_t milliseconds)
{
	char *argv[] = {(char[]){"true"}, NULL};
	int64_t took = proc_clock() - began, now = proc_clock();
	struct proc_result r;
	int i;

	for (i = 0; i < 10; i++) {
		assert_int_equal(proc_run(argv, NULL, PATIENCE, &r, NULL), 0);
		proc_result_free(&r);
	}
	assert_in_range(took, 0, milliseconds + 10 * (proc_clock() - now));
}

/* A failed reading: its reason and code, and how long it may take. */
static void
reading_fails(const char *reason, enum error_code code, int64_t milliseconds)
{
	struct queue *q = NULL;
	struct error e = {""};
	int64_t began = proc_clock();

	assert_int_equal(queue_load(&q, &e), -1);
	assert_int_equal(e.code, code);
	assert_null(q);
	if (strstr(e.text, reason) == NULL)
		fail_msg("%s", e.text);
	in_time(began, milliseconds);
}

static void
an_empty_queue_is_no_error(void **state)
{
	struct queue *q = load();
	uint32_t id;

	(void)state;
	assert_int_equal(queue_count(q), 0);
	assert_null(queue_find(q, 1, 0));
	assert_false(queue_find_token(q, "t", &id));
	queue_free(q);
}

static void
the_cluster_tells_its_limits_and_partitions(void **state)
{
	struct queue_cluster *c = NULL;
	const struct queue_partition *p;
	struct error e;

	(void)state;
	if (queue_cluster(QUEUE_NODES, &c, &e) == -1)
		fail_msg("%s", e.text);
	assert_string_equal(c->name, "sandbox");
	assert_int_equal(c->max_array, 5001);
	assert_int_equal(c->max_jobs, 6000);
	assert_int_equal(c->min_age, 2);
	assert_int_equal(c->message_timeout, 2);
	assert_string_equal(c->gres_types, "gpu");
	assert_int_equal(c->accounting, 0);
	assert_true(strlen(c->version) >= 5);
	assert_int_equal(c->partitions, 2);
	p = queue_partition(c, NULL);
	assert_string_equal(p->name, "main");
	assert_true(p->up);
	assert_int_equal(p->minutes, -1);
	assert_int_equal(p->nodes, 2);
	assert_int_equal(p->cpus, 4);
	assert_int_equal(p->gpus, 2);
	assert_int_equal(queue_gpus(p, NULL), 2);
	assert_int_equal(queue_gpus(p, "a100"), 0);
	p = queue_partition(c, "short");
	assert_false(p->is_default);
	assert_int_equal(p->minutes, 10);
	assert_null(queue_partition(c, "nope"));
	queue_cluster_free(c);
}

/* Run a command of Slurm's that has to work. */
static void
command(const char *const words[])
{
	struct proc_result result;

	assert_int_equal(proc_run((char *const *)(uintptr_t)words, NULL,
			     PATIENCE, &result, NULL),
	    0);
	if (!proc_ok(&result))
		fail_msg("%s: %s", words[0], result.complaint);
	proc_result_free(&result);
}

static struct queue_cluster *
load_cluster(void)
{
	struct queue_cluster *c = NULL;
	struct error e;

	if (queue_cluster(QUEUE_NODES, &c, &e) == -1)
		fail_msg("%s", e.text);
	return c;
}

/* slurmctld counts what is used of a node once a second. */
static struct queue_cluster *
wait_for_node(size_t i, const char *state)
{
	int64_t until = proc_clock() + PATIENCE;
	struct timespec nap = {0, 50000000};
	struct queue_cluster *c = load_cluster();

	while (strcmp(c->node[i].state, state) != 0) {
		if (proc_clock() > until)
			fail_msg("%s is %s, not %s", c->node[i].name,
			    c->node[i].state, state);
		queue_cluster_free(c);
		nanosleep(&nap, NULL);
		c = load_cluster();
	}
	return c;
}

static void
nodes_are_told_with_what_is_used_of_them(void **state)
{
	static const char *const begin[] = {"salloc", "-Q", "--no-shell", "-w",
	    "n2", "-c2", "--gres=gpu:1", "-Jnodes", NULL};
	static const char *const end[] = {"scancel", "-n", "nodes", NULL};
	static const char *const drain[] = {"scontrol", "update", "node=n1",
	    "state=drain", "reason=new fans, State=UP", NULL};
	static const char *const resume[] = {
	    "scontrol", "update", "node=n1", "state=resume", NULL};
	struct queue_gpus gpu[4];
	struct queue_cluster *c;
	const struct queue_node *n;

	(void)state;
	command(begin);
	command(drain);
	c = wait_for_node(1, "mixed");
	assert_int_equal(c->nodes, 2);
	n = &c->node[0];
	assert_string_equal(n->name, "n1");
	assert_string_equal(n->state, "drained");
	assert_false(n->usable);
	assert_string_equal(n->reason, "new fans, State=UP");
	assert_string_equal(n->partitions, "main,short");
	assert_int_equal(n->cpus, 4);
	assert_int_equal(n->cpus_used, 0);
	n = &c->node[1];
	assert_string_equal(n->state, "mixed");
	assert_true(n->usable);
	assert_string_equal(n->reason, "");
	assert_string_equal(n->features, "");
	assert_int_equal(n->cpus_used, 2);
	assert_true(n->memory > 100);
	assert_int_equal(queue_node_gpus(n, gpu, 4), 1);
	assert_string_equal(gpu[0].type, "");
	assert_int_equal(gpu[0].count, 2);
	assert_int_equal(gpu[0].used, 1);
	queue_cluster_free(c);
	command(end);
	command(resume);
}

static void
partitions_are_told_with_their_limits(void **state)
{
	static const char *const limit[] = {"scontrol", "update",
	    "partition=short", "minnodes=1", "maxnodes=2", "maxcpuspernode=3",
	    "defaulttime=5", "allowaccounts=a,b", "allowqos=q", "state=drain",
	    NULL};
	static const char *const lift[] = {"scontrol", "update",
	    "partition=short", "minnodes=0", "maxnodes=unlimited",
	    "maxcpuspernode=unlimited", "defaulttime=10", "allowaccounts=all",
	    "allowqos=all", "state=up", NULL};
	struct queue_cluster *c;
	const struct queue_partition *p;

	(void)state;
	command(limit);
	c = load_cluster();
	p = queue_partition(c, "short");
	assert_int_equal(p->minutes, 10);
	assert_int_equal(p->usual, 5);
	assert_int_equal(p->least_nodes, 1);
	assert_int_equal(p->most_nodes, 2);
	assert_int_equal(p->most_cpus, 3);
	assert_string_equal(p->accounts, "a,b");
	assert_string_equal(p->allowed_qos, "q");
	assert_string_equal(p->groups, "");
	assert_string_equal(p->not_accounts, "");
	assert_string_equal(p->qos, "");
	assert_string_equal(p->state, "DRAIN");
	assert_string_equal(p->node_list, "n[1-2]");
	assert_false(p->up);
	p = queue_partition(c, NULL);
	assert_int_equal(p->most_nodes, -1);
	assert_int_equal(p->most_cpus, -1);
	assert_string_equal(p->accounts, "");
	assert_string_equal(p->allowed_qos, "");
	queue_cluster_free(c);
	command(lift);
}

static void
what_was_not_asked_for_is_not_told(void **state)
{
	struct queue_cluster *c = NULL;

	(void)state;
	assert_int_equal(queue_cluster(QUEUE_PARTITIONS, &c, NULL), 0);
	assert_int_equal(c->max_array, 5001);
	assert_int_equal(c->partitions, 2);
	assert_int_equal(queue_partition(c, NULL)->nodes, 2);
	assert_int_equal(queue_partition(c, NULL)->cpus, 0);
	assert_int_equal(queue_gpus(queue_partition(c, NULL), NULL), 0);
	queue_cluster_free(c);
	assert_int_equal(queue_cluster(QUEUE_LIMITS, &c, NULL), 0);
	assert_int_equal(c->min_age, 2);
	assert_int_equal(c->partitions, 0);
	queue_cluster_free(c);
}

static void
types_of_gpus_are_told_apart(void **state)
{
	struct queue_partition p = {
	    .gpus = 6, .gpu_types = (char[]){"a100:4,a10:2"}};

	(void)state;
	assert_int_equal(queue_gpus(&p, ""), 6);
	assert_int_equal(queue_gpus(&p, "a100"), 4);
	assert_int_equal(queue_gpus(&p, "a10"), 2);
	assert_int_equal(queue_gpus(&p, "a1"), 0);
	assert_int_equal(queue_gpus(&p, "v100"), 0);
}

/* One answer holds as far as it says, and no further. */
static void
check_until(const struct queue *q, uint32_t array, uint32_t behind)
{
	const struct queue_record *r;
	uint64_t until;
	uint32_t i, k;

	for (i = 0; i < behind; i++) {
		r = queue_find_until(q, array, i, &until);
		assert_ptr_equal(r, queue_find(q, array, i));
		assert_true(until >= i);
		for (k = i; k <= until && k <= behind; k++)
			assert_ptr_equal(queue_find(q, array, k), r);
		if (k <= behind)
			assert_ptr_not_equal(queue_find(q, array, k), r);
	}
	assert_null(queue_find_until(q, array, behind, &until));
	assert_true(until == UINT64_MAX);
}

static void
check_waiting_and_running(uint32_t array)
{
	struct queue *q = load();
	const struct queue_record *r = queue_find(q, array, 0);

	assert_int_equal(r->state, QUEUE_RUNNING);
	assert_true(r->alive);
	assert_string_equal(r->indices, "0");
	assert_string_equal(r->reason, "");
	assert_string_equal(r->name, "life");
	assert_string_equal(r->comment, "life of a test");
	assert_string_equal(r->partition, "short");
	assert_true(r->nodes[0] == 'n');
	assert_int_equal(r->time_limit, 5);
	assert_int_equal(r->uid, getuid());
	assert_true(r->submit > 0 && r->start >= r->submit);
	r = queue_find(q, array, 4);
	assert_int_equal(r->state, QUEUE_PENDING);
	assert_true(r->alive);
	assert_string_equal(r->indices, "2-4,9");
	assert_string_equal(r->reason, "JobArrayTaskLimit");
	assert_ptr_equal(queue_find(q, array, 9), r);
	assert_null(queue_find(q, array, 5));
	assert_null(queue_find(q, array, 10));
	assert_null(queue_find(q, array + 1000, 0));
	check_until(q, array, 10);
	queue_free(q);
}

static void
check_ended(uint32_t array)
{
	static const uint32_t tasks[] = {0, 1, 2, 3, 4, 9};
	struct queue *q = load();
	const struct queue_record *r;
	int raw = 0;
	size_t i;

	for (i = 0; i < sizeof tasks / sizeof *tasks; i++) {
		r = queue_find(q, array, tasks[i]);
		/* The first may be forgotten by now. */
		if (r == NULL)
			continue;
		assert_false(r->alive);
		assert_int_equal(
		    r->state, tasks[i] == 0 ? QUEUE_COMPLETED : QUEUE_FAILED);
		assert_true(WIFEXITED(r->exit_status));
		assert_int_equal(WEXITSTATUS(r->exit_status), tasks[i]);
		assert_true(r->end >= r->start);
		if (tasks[i] > 0)
			assert_string_equal(r->reason, "NonZeroExitCode");
		raw += r->job == array;
	}
	assert_string_equal(queue_find(q, array, 9)->indices, "9");
	assert_int_equal(raw, 1);
	queue_free(q);
}

static uint32_t forgotten;

static void
tasks_are_followed_from_waiting_to_their_end(void **state)
{
	uint32_t array = submit("life", "--array=0-4,9%2", "-pshort", "-t5");

	(void)state;
	wait_for(array, 0, "RUNNING", 30);
	wait_for(array, 1, "RUNNING", 30);
	check_waiting_and_running(array);
	write_file("go.life", "");
	wait_for_the_end(array);
	check_ended(array);
	forgotten = array;
}

static void
a_job_without_an_array_is_its_own(void **state)
{
	uint32_t id = submit("alone", "--hold", NULL, NULL);
	struct queue *q = load();
	const struct queue_record *r = queue_find(q, id, 0);

	(void)state;
	assert_int_equal(r->array, id);
	assert_int_equal(r->job, id);
	assert_null(r->indices);
	assert_string_equal(r->state_name, "PENDING");
	assert_string_equal(r->reason, "JobHeldUser");
	queue_free(q);
	assert_int_equal(cancel(id, NULL, "alone"), QUEUE_CANCEL_DONE);
}

static void
arrays_are_found_by_their_tokens(void **state)
{
	uint32_t first = submit("twin", "--array=0-3", "--hold", NULL);
	uint32_t second = submit("twin", "--array=0-3", "--hold", NULL);
	struct queue *q = load();
	uint32_t found = 0, *ids;
	size_t count;

	(void)state;
	assert_true(queue_find_token(q, "twin", &found));
	assert_int_equal(found, first);
	ids = queue_find_tokens(q, "twin", &count);
	assert_int_equal(count, 2);
	assert_int_equal(ids[0], first);
	assert_int_equal(ids[1], second);
	free(ids);
	assert_false(queue_find_token(q, "twi", &found));
	assert_false(queue_find_token(q, "twins", &found));
	assert_false(queue_find_token(q, "", &found));
	assert_null(queue_find_tokens(q, "none", &count));
	assert_int_equal(count, 0);
	queue_free(q);
	assert_int_equal(cancel(first, NULL, "twin"), QUEUE_CANCEL_DONE);
	assert_int_equal(cancel(second, NULL, "twin"), QUEUE_CANCEL_DONE);
}

static void
waiting_tasks_are_cancelled(void **state)
{
	uint32_t array = submit("wait", "--array=0-9%4", "--hold", NULL);

	(void)state;
	assert_int_equal(cancel(array, "1-3,7,50", "wait"), QUEUE_CANCEL_DONE);
	assert_string_equal(state_of(array, 1), "absent");
	assert_string_equal(state_of(array, 7), "absent");
	assert_string_equal(state_of(array, 0), "PENDING");
	assert_int_equal(cancel(array, "1-3", "wait"), QUEUE_CANCEL_GONE);
	assert_int_equal(cancel(array, "0-9", "wai"), QUEUE_CANCEL_GONE);
	assert_int_equal(cancel(array, NULL, "other"), QUEUE_CANCEL_GONE);
	assert_int_equal(cancel(array + 1000, NULL, "wait"), QUEUE_CANCEL_GONE);
	assert_string_equal(state_of(array, 0), "PENDING");
	assert_int_equal(cancel(array, NULL, "wait"), QUEUE_CANCEL_DONE);
	assert_string_equal(state_of(array, 0), "CANCELLED");
	assert_int_equal(cancel(array, NULL, "wait"), QUEUE_CANCEL_GONE);
}

static void
nothing_is_cancelled_when_a_list_cannot_be_read(void **state)
{
	uint32_t array = submit("list", "--array=0-3", "--hold", NULL);
	struct queue_cancel list[] = {
	    {array, NULL, "list", QUEUE_CANCEL_REFUSED, {""}},
	    {array, "0-x", "list", QUEUE_CANCEL_REFUSED, {""}}};
	struct error e;

	(void)state;
	assert_int_equal(queue_cancel(list, 2, NULL, &e), -1);
	assert_int_equal(list[0].outcome, QUEUE_CANCEL_UNSENT);
	assert_string_equal(state_of(array, 0), "PENDING");
	list[1] = (struct queue_cancel){
	    7777, "0", "list", QUEUE_CANCEL_REFUSED, {""}};
	assert_int_equal(queue_cancel(list, 2, NULL, &e), 0);
	assert_int_equal(list[0].outcome, QUEUE_CANCEL_DONE);
	assert_int_equal(list[1].outcome, QUEUE_CANCEL_GONE);
}

/* Why a task waits, as scontrol sees it, and what it asks for. */
static int
shows(uint32_t array, const char *text)
{
	char *id = xasprintf("%" PRIu32, array);
	char *argv[] = {
	    (char[]){"scontrol"}, (char[]){"show"}, (char[]){"job"}, id, NULL};
	struct proc_result r;
	int found;

	assert_int_equal(proc_run(argv, NULL, PATIENCE, &r, NULL), 0);
	found = strstr(r.out, text) != NULL;
	proc_result_free(&r);
	free(id);
	return found;
}

/* Each change that can be asked for. */
enum { HOLD, RELEASE, THROTTLE, DEPEND, CHANGES };

static int
change(int what, uint32_t array, const char *token, struct error *e)
{
	struct idset all = {0};
	int rc;

	idset_add(&all, 0, 3);
	if (what == HOLD)
		rc = queue_hold(1, array, &all, token, e);
	else if (what == RELEASE)
		rc = queue_hold(0, array, &all, token, e);
	else if (what == THROTTLE)
		rc = queue_throttle(array, token, 3, e);
	else
		rc = queue_depend(array, token, "", e);
	idset_free(&all);
	return rc;
}

static void
what_has_another_token_is_not_changed(void **state)
{
	static const char *const sign[CHANGES] = {[HOLD] = "JobHeldUser",
	    [RELEASE] = "JobHeldUser",
	    [THROTTLE] = "ArrayTaskThrottle=3",
	    [DEPEND] = "Dependency=after"};
	uint32_t first = submit("steer", "--hold", NULL, NULL), array;
	char *wait = xasprintf("--dependency=after:%" PRIu32, first);
	struct error e;
	int what;

	(void)state;
	for (what = 0; what < CHANGES; what++) {
		int before = what == RELEASE || what == DEPEND;

		array = submit("steered", "--array=0-3%1",
		    what == RELEASE ? "--hold" : wait, NULL);
		assert_int_equal(change(what, array, "steer", &e), -1);
		assert_int_equal(e.code, ERROR_REFUSED);
		assert_non_null(strstr(e.text, "another job by now"));
		assert_int_equal(shows(array, sign[what]), before);
		if (change(what, array, "steered", &e) == -1)
			fail_msg("%s", e.text);
		assert_int_equal(shows(array, sign[what]), !before);
		cancel(array, NULL, "steered");
		assert_int_equal(change(what, 7777, "steer", &e), -1);
		assert_int_equal(e.code, ERROR_REFUSED);
	}
	cancel(first, NULL, "steer");
	free(wait);
}

static void
running_tasks_are_cancelled(void **state)
{
	uint32_t array = submit("run", "--array=0-3%2", NULL, NULL);
	const struct queue_record *r;
	struct queue *q;

	(void)state;
	wait_for(array, 0, "RUNNING", 30);
	wait_for(array, 1, "RUNNING", 30);
	assert_int_equal(cancel(array, "1-2", "run"), QUEUE_CANCEL_DONE);
	q = load();
	assert_null(queue_find(q, array, 2));
	r = queue_find(q, array, 1);
	/* It ignores SIGTERM and lives until KillWait is over. */
	assert_true(r->state == QUEUE_CANCELLED || r->state == QUEUE_OTHER);
	assert_true(r->alive);
	assert_true(r->completing);
	assert_false(r->returning);
	assert_string_equal(r->state_name, "COMPLETING");
	queue_free(q);
	assert_int_equal(cancel(array, "1", "run"), QUEUE_CANCEL_GONE);
	assert_int_equal(cancel(array, NULL, "run"), QUEUE_CANCEL_DONE);
	wait_for_the_end(array);
}

static void
a_long_list_of_single_tasks_is_cancelled_at_once(void **state)
{
	uint32_t array = submit("long", "--array=0-4999", "--hold", NULL);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int i;

	(void)state;
	for (i = 0; i < 5000; i += 2)
		fprintf(out, "%s%d", i == 0 ? "" : ",", i);
	fclose(out);
	assert_int_equal(cancel(array, text, "long"), QUEUE_CANCEL_DONE);
	free(text);
	assert_string_equal(state_of(array, 0), "absent");
	assert_string_equal(state_of(array, 4998), "absent");
	assert_string_equal(state_of(array, 4999), "PENDING");
	assert_int_equal(cancel(array, NULL, "long"), QUEUE_CANCEL_DONE);
}

static void
a_task_that_is_put_back_is_alive_all_the_time(void **state)
{
	uint32_t array = submit("again", "--array=5", "--requeue", NULL);
	char *argv[] = {(char[]){"scontrol"}, (char[]){"requeue"},
	    xasprintf("%u_5", array), NULL};
	struct proc_result result;
	const struct queue_record *r;
	struct queue *q;
	int64_t until = proc_clock() + PATIENCE;
	int waiting = 0;

	(void)state;
	wait_for(array, 5, "RUNNING", 30);
	assert_int_equal(proc_run(argv, NULL, PATIENCE, &result, NULL), 0);
	assert_true(proc_ok(&result));
	proc_result_free(&result);
	free(argv[2]);
	while (!waiting) {
		assert_true(proc_clock() < until);
		q = load();
		r = queue_find(q, array, 5);
		assert_non_null(r);
		assert_true(r->alive);
		assert_int_equal(r->state, QUEUE_PENDING);
		waiting = !r->completing;
		if (waiting)
			assert_int_equal(r->restarts, 1);
		queue_free(q);
	}
	assert_int_equal(cancel(array, "5", "again"), QUEUE_CANCEL_DONE);
}

static void
what_slurm_refuses_is_told_and_leaves_no_trace(void **state)
{
	static const struct {
		const char *option, *reason;
	} table[] = {
	    {"-pnope", "Invalid partition name specified: -p takes"},
	    {"--gres=gpu:9", "node configuration is not available: no node"},
	    {"--gres=tpu:1", "Invalid generic resource (gres)"},
	    {"--time=soon", "Slurm refuses: Invalid --time specification"},
	    {"--bogus", "unrecognized option '--bogus'"},
	    {"--reservation=none", "Requested reservation is invalid"},
	    {"-Cnone", "Invalid feature specification"},
	};
	const char *more[4] = {NULL};
	uint32_t array = 77;
	struct queue *q;
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		more[0] = table[i].option;
		assert_int_equal(
		    try_submit("bad", more, &array, &e), QUEUE_REFUSED);
		assert_int_equal(e.code, ERROR_REFUSED);
		if (strstr(e.text, table[i].reason) == NULL)
			fail_msg("%s", e.text);
		assert_null(strstr(e.text, "sbatch:"));
	}
	assert_int_equal(array, 77);
	q = load();
	assert_false(queue_find_token(q, "bad", &array));
	queue_free(q);
}

static void
what_sbatch_says_of_a_job_it_takes_is_handed_on(void **state)
{
	const char *more[4] = {"--nodes=2", "--ntasks=1", "--hold", NULL};
	uint32_t id = 0;
	struct error e;

	(void)state;
	assert_int_equal(try_submit("said", more, &id, &e), QUEUE_QUEUED);
	assert_non_null(strstr(e.text, "can't run 1 processes on 2 nodes"));
	assert_int_equal(cancel(id, NULL, "said"), QUEUE_CANCEL_DONE);
}

static int
file_has(const char *name, const char *text)
{
	char line[4096];
	FILE *f = fopen(name, "r");
	int found = 0;

	assert_non_null(f);
	while (!found && fgets(line, sizeof line, f) != NULL)
		found = strncmp(line, text, strlen(text)) == 0;
	fclose(f);
	return found;
}

static void
the_environment_of_an_outer_job_is_left_behind(void **state)
{
	static const char *const leaks[] = {"SLURM_OUTER", "SLURM_EXIT_ERROR",
	    "SBATCH_WAIT", "SBATCH_CLUSTERS", "SBATCH_ARRAY_INX"};
	uint32_t id;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof leaks / sizeof *leaks; i++)
		setenv(leaks[i], "3", 1);
	setenv("SBATCH_TIMELIMIT", "7", 1);
	setenv("KEPT", "yes", 1);
	id = submit("env", NULL, NULL, NULL);
	for (i = 0; i < sizeof leaks / sizeof *leaks; i++)
		unsetenv(leaks[i]);
	unsetenv("SBATCH_TIMELIMIT");
	write_file("go.env", "");
	wait_for(id, 0, "COMPLETED", 30);
	assert_true(file_has("env.env", "KEPT=yes"));
	assert_true(file_has("env.env", "SBATCH_TIMELIMIT=7"));
	assert_true(file_has("env.env", "SLURM_CONF="));
	for (i = 0; i < sizeof leaks / sizeof *leaks; i++)
		assert_false(file_has("env.env", leaks[i]));
}

static void
a_controller_that_hangs_is_not_waited_for(void **state)
{
	const char *more[4] = {"--array=0-1", "--hold", NULL};
	struct queue_cancel one = {1, NULL, "hung", QUEUE_CANCEL_REFUSED, {""}};
	pid_t pid = daemon_of("slurmctld");
	int64_t began = proc_clock();
	uint32_t array = 0, found = 0;
	struct error e = {""};
	struct queue *q;

	(void)state;
	setenv("STFM_SLURM_TIMEOUT", "1", 1);
	setenv("STFM_SBATCH_TIMEOUT", "1", 1);
	kill(pid, SIGSTOP);
	reading_fails("munged did not answer within 1 s", ERROR_SILENT, 5000);
	assert_int_equal(queue_cancel(&one, 1, NULL, &e), -1);
	assert_int_equal(e.code, ERROR_SILENT);
	assert_int_equal(one.outcome, QUEUE_CANCEL_UNSENT);
	assert_int_equal(try_submit("hung", more, &array, &e), QUEUE_UNKNOWN);
	assert_int_equal(e.code, ERROR_SILENT);
	in_time(began, 20000);
	kill(pid, SIGCONT);
	unsetenv("STFM_SLURM_TIMEOUT");
	unsetenv("STFM_SBATCH_TIMEOUT");
	began = proc_clock();
	while (found == 0 && proc_clock() < began + PATIENCE) {
		q = load();
		if (!queue_find_token(q, "hung", &found))
			found = 0;
		queue_free(q);
	}
	assert_int_not_equal(found, 0);
	assert_int_equal(cancel(found, NULL, "hung"), QUEUE_CANCEL_DONE);
}

static void
a_controller_that_is_down_is_told(void **state)
{
	const char *more[4] = {NULL};
	uint32_t array;
	struct error e = {""};

	(void)state;
	end_daemon("slurmctld", SIGKILL);
	reading_fails("cannot reach slurmctld (", ERROR_SILENT, 5000);
	assert_int_equal(try_submit("down", more, &array, &e), QUEUE_UNKNOWN);
	assert_int_equal(e.code, ERROR_SILENT);
	assert_non_null(strstr(e.text, "cannot reach slurmctld"));
	start();
}

static void
a_missing_munged_is_told(void **state)
{
	const char *more[4] = {NULL};
	uint32_t array;
	struct error e = {""};

	(void)state;
	end_daemon("munged", SIGTERM);
	reading_fails("munged does not answer", ERROR_SILENT, 8000);
	assert_int_equal(try_submit("auth", more, &array, &e), QUEUE_UNKNOWN);
	assert_non_null(strstr(e.text, "munged does not answer"));
	start();
}

static void
no_slurm_is_told_at_once(void **state)
{
	char *conf = xstrdup(getenv("SLURM_CONF"));
	char *path = xstrdup(getenv("PATH"));
	const char *more[4] = {NULL};
	uint32_t array;
	struct error e = {""};

	(void)state;
	setenv("SLURM_CONF", "/nonexistent/slurm.conf", 1);
	reading_fails(
	    "no Slurm here: SLURM_CONF=/nonexistent", ERROR_NO_SLURM, 1000);
	assert_int_equal(try_submit("none", more, &array, &e), QUEUE_REFUSED);
	assert_int_equal(e.code, ERROR_NO_SLURM);
	write_file("bad.conf", "ClusterName=x\nNoSuchKey=1\n");
	setenv("SLURM_CONF", "bad.conf", 1);
	reading_fails("no Slurm here: ", ERROR_NO_SLURM, 3000);
	if (access("/etc/slurm/slurm.conf", F_OK) == -1) {
		unsetenv("SLURM_CONF");
		reading_fails("there is no slurm.conf", ERROR_NO_SLURM, 15000);
		assert_int_equal(
		    try_submit("none", more, &array, &e), QUEUE_REFUSED);
		assert_int_equal(e.code, ERROR_NO_SLURM);
		assert_non_null(strstr(e.text, "there is no slurm.conf"));
	}
	setenv("SLURM_CONF", conf, 1);
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(try_submit("none", more, &array, &e), QUEUE_REFUSED);
	assert_int_equal(e.code, ERROR_NO_SLURM);
	assert_non_null(strstr(e.text, "no program sbatch"));
	setenv("PATH", path, 1);
	setenv("STFM_SLURM_TIMEOUT", "soon", 1);
	reading_fails("STFM_SLURM_TIMEOUT", ERROR_OTHER, 1000);
	unsetenv("STFM_SLURM_TIMEOUT");
	free(conf);
	free(path);
}

static void
an_array_that_is_too_large_may_be_cut(void **state)
{
	const char *more[4] = {"--array=0-6000", "--hold", NULL};
	uint32_t none = 0;
	struct error e;

	(void)state;
	assert_int_equal(try_submit("large", more, &none, &e), QUEUE_TOO_LARGE);
	assert_int_equal(e.code, ERROR_SILENT);
	assert_string_equal(e.text, "MaxArraySize");
}

static void
a_full_queue_is_not_waited_for(void **state)
{
	const char *more[4] = {"--array=0-4999", "--hold", NULL};
	int64_t began = proc_clock();
	uint32_t array = 0, none = 0;
	struct error e;

	(void)state;
	/* Tasks that have ended count until Slurm forgets them. */
	while (try_submit("first", more, &array, &e) != QUEUE_QUEUED) {
		assert_string_equal(e.text, "MaxJobCount");
		assert_in_range(proc_clock() - began, 0, PATIENCE);
	}
	began = proc_clock();
	assert_int_equal(try_submit("second", more, &none, &e), QUEUE_FULL);
	assert_int_equal(e.code, ERROR_SILENT);
	assert_string_equal(e.text, "MaxJobCount");
	in_time(began, 10000);
	assert_int_equal(cancel(array, NULL, "first"), QUEUE_CANCEL_DONE);
}

static void
what_slurm_has_forgotten_is_absent(void **state)
{
	struct queue_cancel one = {
	    forgotten, "0-9", "life", QUEUE_CANCEL_REFUSED, {""}};

	(void)state;
	wait_for(forgotten, 9, "absent", 90);
	assert_int_equal(queue_cancel(&one, 1, NULL, NULL), 0);
	assert_int_equal(one.outcome, QUEUE_CANCEL_GONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_empty_queue_is_no_error),
	    cmocka_unit_test(the_cluster_tells_its_limits_and_partitions),
	    cmocka_unit_test(nodes_are_told_with_what_is_used_of_them),
	    cmocka_unit_test(partitions_are_told_with_their_limits),
	    cmocka_unit_test(what_was_not_asked_for_is_not_told),
	    cmocka_unit_test(types_of_gpus_are_told_apart),
	    cmocka_unit_test(tasks_are_followed_from_waiting_to_their_end),
	    cmocka_unit_test(a_job_without_an_array_is_its_own),
	    cmocka_unit_test(arrays_are_found_by_their_tokens),
	    cmocka_unit_test(waiting_tasks_are_cancelled),
	    cmocka_unit_test(nothing_is_cancelled_when_a_list_cannot_be_read),
	    cmocka_unit_test(what_has_another_token_is_not_changed),
	    cmocka_unit_test(running_tasks_are_cancelled),
	    cmocka_unit_test(a_long_list_of_single_tasks_is_cancelled_at_once),
	    cmocka_unit_test(a_task_that_is_put_back_is_alive_all_the_time),
	    cmocka_unit_test(what_slurm_refuses_is_told_and_leaves_no_trace),
	    cmocka_unit_test(what_sbatch_says_of_a_job_it_takes_is_handed_on),
	    cmocka_unit_test(the_environment_of_an_outer_job_is_left_behind),
	    cmocka_unit_test(a_controller_that_hangs_is_not_waited_for),
	    cmocka_unit_test(no_slurm_is_told_at_once),
	    cmocka_unit_test(what_slurm_has_forgotten_is_absent),
	    cmocka_unit_test(an_array_that_is_too_large_may_be_cut),
	    cmocka_unit_test(a_full_queue_is_not_waited_for),
	    cmocka_unit_test(a_controller_that_is_down_is_told),
	    cmocka_unit_test(a_missing_munged_is_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
