#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "dist/dist.h"

/* An environment: "NAME=VALUE" words. */
static const char *
get(void *arg, const char *name)
{
	const struct strlist *env = arg;
	size_t n = strlen(name), i;

	for (i = env->count; i-- > 0;)
		if (strncmp(env->word[i], name, n) == 0 &&
		    env->word[i][n] == '=')
			return env->word[i] + n + 1;
	return NULL;
}

/* One from a text with a blank between its words. */
static struct strlist
environment(const char *text)
{
	struct strlist env = {0};
	size_t n;

	while (*text != '\0') {
		n = strcspn(text, " ");
		strlist_take(&env, xstrndup(text, n));
		text += n + (text[n] == ' ');
	}
	return env;
}

static struct dist_options
wish(const char *text)
{
	struct dist_options w;

	assert_int_equal(dist_options_parse(text, &w, NULL), 0);
	return w;
}

/* The variables of a rank, a blank after each; to free. */
static char *
variables(const char *wanted, struct strlist *env)
{
	struct dist_options w = wish(wanted);
	struct strlist out = {0};
	struct dist_step s;
	struct error e = {""};
	char *text = NULL;
	size_t length, i;
	FILE *f;

	if (dist_step(&w, get, env, &s, &e) == -1)
		fail_msg("%s", e.text);
	dist_variables(&w, &s, get, env, &out);
	f = xmemopen(&text, &length);
	for (i = 0; i < out.count; i++)
		fprintf(f, "%s ", out.word[i]);
	xmemclose(f);
	strlist_free(&out);
	dist_step_free(&s);
	return text;
}

/* Why a step cannot be read. */
static struct error
refusal(const char *wanted, const char *text)
{
	struct strlist env = environment(text);
	struct dist_options w = wish(wanted);
	struct error e = {""};
	struct dist_step s;

	assert_int_equal(dist_step(&w, get, &env, &s, &e), -1);
	dist_step_free(&s);
	strlist_free(&env);
	return e;
}

/* What Slurm 22.05 gave the fourth of five tasks on three nodes. */
static const char fourth[] =
    "SLURM_JOB_ID=4102 SLURM_JOB_NODELIST=n[1-3] SLURM_STEP_ID=0 "
    "SLURM_STEP_NODELIST=n[1-3] SLURM_STEP_TASKS_PER_NODE=2(x2),1 "
    "SLURM_STEP_NUM_TASKS=5 SLURM_NTASKS=5 SLURM_PROCID=3 SLURM_NODEID=1 "
    "SLURM_LOCALID=1 SLURM_DISTRIBUTION=block SLURM_GTIDS=2,3 "
    "SLURM_NODE_ALIASES=(null) SLURMD_NODENAME=n2";

/* And what it gives the batch script before that. */
static const char script[] =
    "SLURM_JOB_ID=4102 SLURM_JOB_NODELIST=n[1-3] SLURM_NTASKS=5 "
    "SLURM_TASKS_PER_NODE=2(x2),1 SLURM_PROCID=0 SLURM_NODEID=0 "
    "SLURM_LOCALID=0 SLURM_GTIDS=0";

static void
each_framework_gets_its_variables(void **state)
{
	static const struct {
		const char *wish, *environment, *expected;
	} cases[] = {
	    {"torch", fourth,
		"MASTER_ADDR=n1 MASTER_PORT=10510 WORLD_SIZE=5 RANK=3 "
		"LOCAL_RANK=1 LOCAL_WORLD_SIZE=2 GROUP_RANK=1 "
		"GROUP_WORLD_SIZE=3 "},
	    {"tensorflow", fourth,
		"TF_CONFIG={\"cluster\":{\"worker\":[\"n1:10510\",\"n1:10511\","
		"\"n2:10512\",\"n2:10513\",\"n3:10514\"]},\"task\":{\"type\":"
		"\"worker\",\"index\":3}} "},
	    {"tensorflow,ps=1,port=2222", fourth,
		"TF_CONFIG={\"cluster\":{\"chief\":[\"n1:2222\"],\"worker\":["
		"\"n1:2223\",\"n2:2224\",\"n2:2225\"],\"ps\":[\"n3:2226\"]},"
		"\"task\":{\"type\":\"worker\",\"index\":2}} "},
	    {"tensorflow,ps=2,ps=first,port=2222", fourth,
		"TF_CONFIG={\"cluster\":{\"chief\":[\"n1:2222\"],\"worker\":["
		"\"n2:2225\",\"n3:2226\"],\"ps\":[\"n1:2223\",\"n2:2224\"]},"
		"\"task\":{\"type\":\"worker\",\"index\":0}} "},
	    {"tensorflow,ps=2,no-chief", fourth,
		"TF_CONFIG={\"cluster\":{\"worker\":[\"n1:14620\",\"n1:14621\","
		"\"n2:14622\"],\"ps\":[\"n2:14623\",\"n3:14624\"]},\"task\":{"
		"\"type\":\"ps\",\"index\":0}} "},
	    {"tensorflow,chief", fourth,
		"TF_CONFIG={\"cluster\":{\"chief\":[\"n1:10510\"],\"worker\":["
		"\"n1:10511\",\"n2:10512\",\"n2:10513\",\"n3:10514\"]},\"task\""
		":{\"type\":\"worker\",\"index\":2}} "},
	    {"tensorflow,evaluator", fourth,
		"TF_CONFIG={\"cluster\":{\"worker\":[\"n1:10510\",\"n1:10511\","
		"\"n2:10512\",\"n2:10513\"]},\"task\":{\"type\":\"worker\","
		"\"index\":3}} "},
	    {"horovod,gloo", fourth,
		"HOROVOD_CONTROLLER=gloo HOROVOD_CPU_OPERATIONS=gloo "
		"HOROVOD_GLOO_RENDEZVOUS_ADDR=n1 "
		"HOROVOD_GLOO_RENDEZVOUS_PORT=10510 HOROVOD_SIZE=5 "
		"HOROVOD_HOSTNAME=n2 HOROVOD_RANK=3 HOROVOD_LOCAL_RANK=1 "
		"HOROVOD_LOCAL_SIZE=2 HOROVOD_CROSS_RANK=1 "
		"HOROVOD_CROSS_SIZE=2 "},
	    {"horovod,mpi", fourth,
		"HOROVOD_CONTROLLER=mpi HOROVOD_CPU_OPERATIONS=mpi "},
	    {"mxnet,ps=2", fourth,
		"DMLC_PS_ROOT_URI=n1 DMLC_PS_ROOT_PORT=10510 "
		"DMLC_NUM_SERVER=2 DMLC_NUM_WORKER=2 DMLC_ROLE=server "},
	    {"mxnet", fourth,
		"DMLC_PS_ROOT_URI=n1 DMLC_PS_ROOT_PORT=10510 "
		"DMLC_NUM_SERVER=1 DMLC_NUM_WORKER=3 DMLC_ROLE=worker "
		"DMLC_WORKER_ID=2 "},
	    {"jax", fourth,
		"JAX_COORDINATOR_ADDRESS=n1:10510 JAX_NUM_PROCESSES=5 "
		"JAX_PROCESS_ID=3 "},
	    {"torch", script, "MASTER_ADDR=n1 MASTER_PORT=10510 WORLD_SIZE=5 "},
	    {"tensorflow", script, ""},
	    {"jax", script,
		"JAX_COORDINATOR_ADDRESS=n1:10510 JAX_NUM_PROCESSES=5 "},
	};
	struct strlist env;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		env = environment(cases[i].environment);
		text = variables(cases[i].wish, &env);
		assert_string_equal(text, cases[i].expected);
		free(text);
		strlist_free(&env);
	}
}

static void
the_evaluator_knows_itself_and_those_that_train(void **state)
{
	struct strlist env = environment(fourth);
	char *text;

	(void)state;
	strlist_push(&env, "SLURM_PROCID=4");
	strlist_push(&env, "SLURM_NODEID=2");
	strlist_push(&env, "SLURM_LOCALID=0");
	strlist_push(&env, "SLURM_GTIDS=4");
	strlist_push(&env, "SLURMD_NODENAME=n3");
	text = variables("tensorflow,ps=1,evaluator", &env);
	assert_string_equal(text,
	    "TF_CONFIG={\"cluster\":{\"chief\":[\"n1:14620\"],\"worker\":["
	    "\"n1:14621\",\"n2:14622\"],\"ps\":[\"n2:14623\"],\"evaluator\":["
	    "\"n3:14624\"]},\"task\":{\"type\":\"evaluator\",\"index\":0}} ");
	free(text);
	strlist_free(&env);
}

static void
addresses_replace_names_and_ipv6_gets_brackets(void **state)
{
	struct strlist env = environment(fourth), out = {0};
	struct dist_options w = wish("jax"), horovod = wish("horovod,gloo");
	struct dist_step s;

	(void)state;
	assert_int_equal(dist_step(&w, get, &env, &s, NULL), 0);
	free(s.addresses.word[0]);
	s.addresses.word[0] = xstrdup("fd00::1");
	dist_variables(&w, &s, get, &env, &out);
	assert_string_equal(
	    out.word[0], "JAX_COORDINATOR_ADDRESS=[fd00::1]:10510");
	strlist_free(&out);

	/* Horovod tells nodes apart by names, which is no place to go to */
	free(s.addresses.word[1]);
	s.addresses.word[1] = xstrdup("127.0.0.1");
	dist_variables(&horovod, &s, get, &env, &out);
	assert_true(strlist_have(&out, "HOROVOD_HOSTNAME=n2"));
	strlist_free(&out);
	strlist_free(&env);
	dist_step_free(&s);
}

/* ---- where the tasks are ---- */

/* The ranks of each node: "0,1;2,3;4". */
static char *
placement(const struct dist_step *s)
{
	size_t node, rank, length;
	const char *comma;
	char *text = NULL;
	FILE *f = xmemopen(&text, &length);

	for (node = 0; node < s->nodes.count; node++) {
		comma = node > 0 ? ";" : "";
		for (rank = 0; rank < s->tasks; rank++)
			if (s->node[rank] == node) {
				fprintf(f, "%s%zu", comma, rank);
				comma = ",";
			}
	}
	xmemclose(f);
	return text;
}

/* The first of them are as srun of Slurm 22.05 places them. */
static void
tasks_are_where_slurm_puts_them(void **state)
{
	static const struct {
		const char *distribution, *counts, *expected;
	} cases[] = {
	    {"block", "2(x3)", "0,1;2,3;4,5"},
	    {"cyclic", "2(x3)", "0,3;1,4;2,5"},
	    {"plane SLURM_DIST_PLANESIZE=2", "2(x3)", "0,1;2,3;4,5"},
	    {"cyclic", "2(x2),1", "0,3;1,4;2"},
	    {"cyclic", "1(x3)", "0;1;2"},
	    {"block:cyclic", "3,2,1", "0,1,2;3,4;5"},
	    {"cyclic:block,Pack", "3,2,1", "0,3,5;1,4;2"},
	    {"plane=2", "4,2,3", "0,1,6,7;2,3;4,5,8"},
	    {"plane SLURM_DIST_PLANESIZE=1", "2,1,2", "0,3;1;2,4"},
	    {"*", "2,1,1", "0,1;2;3"},
	    {"arbitrary SLURM_ARBITRARY_NODELIST=n3,n1,n1,n2", "2,1,1",
		"1,2;3;0"},
	};
	struct dist_options w = wish("torch");
	struct dist_step s;
	struct strlist env;
	char *text, *actual;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		/* Rank 0 is on node 0 but for the last. */
		text = xasprintf("SLURM_JOB_ID=1 SLURM_STEP_ID=0 "
				 "SLURM_STEP_NODELIST=n[1-3] "
				 "SLURM_STEP_TASKS_PER_NODE=%s SLURM_PROCID=0 "
				 "SLURM_NODEID=%d SLURM_LOCALID=0 "
				 "SLURM_DISTRIBUTION=%s",
		    cases[i].counts, *cases[i].distribution == 'a' ? 2 : 0,
		    cases[i].distribution);
		env = environment(text);
		assert_int_equal(dist_step(&w, get, &env, &s, NULL), 0);
		actual = placement(&s);
		assert_string_equal(actual, cases[i].expected);
		free(actual);
		free(text);
		dist_step_free(&s);
		strlist_free(&env);
	}
}

/* ---- all ranks agree ---- */

/* The environment of a rank in a step that is like another's. */
static struct strlist
as_rank(const struct dist_step *s, const struct strlist *base, size_t rank)
{
	struct strlist env = {0};
	size_t i;

	for (i = 0; i < base->count; i++)
		strlist_push(&env, base->word[i]);
	strlist_take(&env, xasprintf("SLURM_PROCID=%zu", rank));
	strlist_take(&env, xasprintf("SLURM_NODEID=%zu", s->node[rank]));
	strlist_take(&env, xasprintf("SLURM_LOCALID=%zu", s->local[rank]));
	strlist_take(&env,
	    xasprintf("SLURMD_NODENAME=%s", s->nodes.word[s->node[rank]]));
	return env;
}

/* A rank's variables without those that are its own. */
static void
common_part(char *text)
{
	static const char *const own[] = {"\"task\":", " RANK=", " DMLC_ROLE=",
	    "HOROVOD_HOSTNAME=", "JAX_PROCESS_ID="};
	size_t i;

	for (i = 0; i < sizeof own / sizeof *own; i++)
		if (strstr(text, own[i]) != NULL)
			*strstr(text, own[i]) = '\0';
}

static void
check_agreement(const char *wanted, const struct strlist *base)
{
	struct dist_options w = wish(wanted);
	char *first = NULL, *text;
	struct dist_step s, other;
	struct strlist env;
	size_t rank;

	assert_int_equal(
	    dist_step(&w, get, (void *)(uintptr_t)base, &s, NULL), 0);
	for (rank = 0; rank < s.tasks; rank++) {
		env = as_rank(&s, base, rank);
		assert_int_equal(dist_step(&w, get, &env, &other, NULL), 0);
		assert_int_equal(other.rank, rank);
		assert_int_equal(other.first_port, s.first_port);
		assert_memory_equal(
		    other.node, s.node, s.tasks * sizeof *s.node);
		dist_step_free(&other);
		text = variables(wanted, &env);
		common_part(text);
		if (first == NULL)
			first = xstrdup(text);
		assert_string_equal(text, first);
		free(text);
		strlist_free(&env);
	}
	free(first);
	dist_step_free(&s);
}

/* Random steps, the same ones each time. */
static unsigned int
draw(unsigned int *seed, unsigned int below)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % below;
}

static struct strlist
random_step(unsigned int *seed)
{
	static const char *const how[] = {"block", "cyclic",
	    "plane SLURM_DIST_PLANESIZE=2", "plane=3", "cyclic:cyclic"};
	unsigned int nodes = 1 + draw(seed, 9), i;
	struct strlist env;
	char *text = NULL;
	size_t length;
	FILE *f = xmemopen(&text, &length);

	fprintf(f,
	    "SLURM_JOB_ID=%u SLURM_STEP_ID=%u SLURM_STEP_NODELIST=g[08-%02u] "
	    "SLURM_STEP_TASKS_PER_NODE=%u",
	    draw(seed, 30000), draw(seed, 5), 7 + nodes, 2 + draw(seed, 4));
	for (i = 1; i < nodes; i++)
		fprintf(f, ",%u", 2 + draw(seed, 4));
	fprintf(f,
	    " SLURM_DISTRIBUTION=%s SLURM_PROCID=0 SLURM_NODEID=0 "
	    "SLURM_LOCALID=0",
	    how[draw(seed, 5)]);
	xmemclose(f);
	env = environment(text);
	free(text);
	return env;
}

static void
all_ranks_come_to_the_same_answer(void **state)
{
	static const char *const stops[] = {"tensorflow", "torch",
	    "horovod,gloo", "jax", "tensorflow,chief", "torch,port=5000"};
	unsigned int seed = 1, round;
	struct strlist env;
	size_t i;

	(void)state;
	for (round = 0; round < 60; round++) {
		env = random_step(&seed);
		for (i = 0; i < sizeof stops / sizeof *stops; i++)
			check_agreement(stops[i], &env);
		strlist_free(&env);
	}
}

/* ---- ports ---- */

static int
first_port(const char *wanted, const char *more)
{
	struct dist_options w = wish(wanted);
	struct strlist env;
	struct dist_step s;
	char *text = xasprintf("%s %s", fourth, more);
	int port;

	env = environment(text);
	assert_int_equal(dist_step(&w, get, &env, &s, NULL), 0);
	port = s.first_port;
	assert_true(port >= 1024 && port + 4 <= 65535);
	assert_int_equal(dist_port(&s, 4), port + 4);
	dist_step_free(&s);
	strlist_free(&env);
	free(text);
	return port;
}

static void
ports_are_of_the_job_and_lie_below_those_of_connections(void **state)
{
	char *text;
	int job, port, before = -1;

	(void)state;
	for (job = 1; job < 10000; job += 7) {
		text = xasprintf("SLURM_JOB_ID=%d", job);
		port = first_port("torch", text);
		assert_true(port >= DIST_FIRST_PORT);
		assert_true(port + 5 <= DIST_FIRST_PORT + DIST_PORTS);
		assert_true(before == -1 || abs(port - before) >= 5);
		before = port;
		free(text);
	}
	assert_true(DIST_FIRST_PORT + DIST_PORTS <= 32768);
	assert_int_not_equal(first_port("torch", "SLURM_STEP_ID=1"),
	    first_port("torch", "SLURM_STEP_ID=0"));
}

static void
ports_can_be_chosen_by_the_user_or_by_slurm(void **state)
{
	(void)state;
	assert_int_equal(first_port("torch,port=5000", ""), 5000);
	assert_int_equal(
	    first_port("torch", "SLURM_STEP_RESV_PORTS=12000-12004"), 12000);
	assert_int_equal(
	    first_port("torch,port=5000", "SLURM_STEP_RESV_PORTS=12000-12004"),
	    5000);
	assert_int_equal(
	    first_port("torch", "SLURM_STEP_RESV_PORTS=12000-12003"),
	    first_port("torch", ""));
}

/* ---- GPUs ---- */

/* The environment of a rank of four on two nodes; to free. */
static char *
gpu_step(int rank, const char *more)
{
	return xasprintf(
	    "SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_STEP_NODELIST=n[1-2] "
	    "SLURM_STEP_TASKS_PER_NODE=2(x2) SLURM_PROCID=%d "
	    "SLURM_NODEID=%d SLURM_LOCALID=%d SLURM_DISTRIBUTION=block %s",
	    rank, rank / 2, rank % 2, more);
}

/* What such a rank sees of GPUs, or "" for no change. */
static char *
gpus(const char *wanted, int rank, const char *more)
{
	struct strlist env;
	char *text = gpu_step(rank, more), *all, *at;

	env = environment(text);
	all = variables(wanted, &env);
	at = strstr(all, "_VISIBLE_DEVICES=");
	if (at == NULL)
		at = strstr(all, "JAX_LOCAL_DEVICE_IDS=");
	while (at != NULL && at > all && at[-1] != ' ')
		at--;
	free(text);
	text = xstrdup(at != NULL ? at : "");
	free(all);
	strlist_free(&env);
	return text;
}

static void
gpus_of_a_node_are_divided_between_its_tasks(void **state)
{
	static const struct {
		const char *wish;
		int rank;
		const char *environment, *expected;
	} cases[] = {
	    {"tensorflow", 0, "CUDA_VISIBLE_DEVICES=0,1",
		"CUDA_VISIBLE_DEVICES=0 "},
	    {"tensorflow", 3, "CUDA_VISIBLE_DEVICES=0,1",
		"CUDA_VISIBLE_DEVICES=1 "},
	    {"tensorflow", 1, "CUDA_VISIBLE_DEVICES=4,5,6,7",
		"CUDA_VISIBLE_DEVICES=6,7 "},
	    {"tensorflow", 1, "CUDA_VISIBLE_DEVICES=GPU-a,GPU-b",
		"CUDA_VISIBLE_DEVICES=GPU-b "},
	    {"tensorflow", 1, "ROCR_VISIBLE_DEVICES=0,1",
		"ROCR_VISIBLE_DEVICES=1 "},
	    /* fewer than tasks: they share */
	    {"tensorflow", 1, "CUDA_VISIBLE_DEVICES=3",
		"CUDA_VISIBLE_DEVICES=3 "},
	    /* Slurm has divided them */
	    {"tensorflow", 1, "CUDA_VISIBLE_DEVICES=1 SLURM_GPUS_ON_NODE=2",
		""},
	    {"tensorflow", 1, "CUDA_VISIBLE_DEVICES=0 SLURM_STEP_GPUS=2,3", ""},
	    {"tensorflow", 1,
		"CUDA_VISIBLE_DEVICES=0,1 SLURM_GPUS_ON_NODE=2 "
		"SLURM_STEP_GPUS=2,3",
		"CUDA_VISIBLE_DEVICES=1 "},
	    {"tensorflow", 1, "", ""},
	    {"tensorflow", 1, "CUDA_VISIBLE_DEVICES=", ""},
	    {"tensorflow,gpus=all", 1, "CUDA_VISIBLE_DEVICES=0,1", ""},
	    /* the parameter server computes nothing, and its neighbour has all
	     */
	    {"tensorflow,ps=1", 3, "CUDA_VISIBLE_DEVICES=0,1",
		"CUDA_VISIBLE_DEVICES= "},
	    {"tensorflow,ps=1", 2, "CUDA_VISIBLE_DEVICES=0,1", ""},
	    {"mxnet", 0, "CUDA_VISIBLE_DEVICES=0,1", "CUDA_VISIBLE_DEVICES= "},
	    /* these choose by their local number */
	    {"torch", 1, "CUDA_VISIBLE_DEVICES=0,1", ""},
	    {"torch,gpus=divide", 1, "CUDA_VISIBLE_DEVICES=0,1",
		"CUDA_VISIBLE_DEVICES=1 "},
	    /* and JAX by numbers among those that it sees */
	    {"jax", 1, "CUDA_VISIBLE_DEVICES=0,1", "JAX_LOCAL_DEVICE_IDS=1 "},
	    {"jax", 2, "CUDA_VISIBLE_DEVICES=4,5,6,7",
		"JAX_LOCAL_DEVICE_IDS=0,1 "},
	    {"jax", 3, "ROCR_VISIBLE_DEVICES=4,5,6,7",
		"JAX_LOCAL_DEVICE_IDS=2,3 "},
	    {"jax", 1, "CUDA_VISIBLE_DEVICES=5", "JAX_LOCAL_DEVICE_IDS=0 "},
	    {"jax", 1, "CUDA_VISIBLE_DEVICES=1 SLURM_GPUS_ON_NODE=2",
		"JAX_LOCAL_DEVICE_IDS=0 "},
	    {"jax,gpus=all", 1, "CUDA_VISIBLE_DEVICES=0,1",
		"JAX_LOCAL_DEVICE_IDS=0,1 "},
	    {"jax,gpus=divide", 1, "CUDA_VISIBLE_DEVICES=0,1,2,3",
		"CUDA_VISIBLE_DEVICES=2,3 JAX_LOCAL_DEVICE_IDS=0,1 "},
	    {"jax", 1, "", ""},
	};
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		text = gpus(cases[i].wish, cases[i].rank, cases[i].environment);
		assert_string_equal(text, cases[i].expected);
		free(text);
	}
}

static void
a_rank_that_would_not_find_its_gpu_is_known(void **state)
{
	static const struct {
		const char *wish;
		int rank;
		const char *environment;
		int lacks;
	} cases[] = {
	    {"torch", 1, "CUDA_VISIBLE_DEVICES=0,1", 0},
	    {"torch", 0, "CUDA_VISIBLE_DEVICES=0", 0},
	    {"torch", 1, "CUDA_VISIBLE_DEVICES=1 SLURM_GPUS_ON_NODE=2", 1},
	    {"torch", 1, "ROCR_VISIBLE_DEVICES=1", 1},
	    {"torch", 1, "CUDA_VISIBLE_DEVICES=", 0},
	    {"torch", 1, "", 0},
	    {"horovod,mpi", 1, "CUDA_VISIBLE_DEVICES=1", 1},
	    {"tensorflow", 1, "CUDA_VISIBLE_DEVICES=1", 0},
	    {"jax", 1, "CUDA_VISIBLE_DEVICES=1", 0},
	};
	struct dist_options w;
	struct dist_step s;
	struct strlist env;
	size_t i, seen;
	char *text;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		text = gpu_step(cases[i].rank, cases[i].environment);
		env = environment(text);
		w = wish(cases[i].wish);
		assert_int_equal(dist_step(&w, get, &env, &s, NULL), 0);
		assert_int_equal(
		    dist_lacks_gpu(&w, &s, get, &env, &seen), cases[i].lacks);
		if (cases[i].lacks)
			assert_int_equal(seen, 1);
		dist_step_free(&s);
		strlist_free(&env);
		free(text);
	}
}

/* ---- what is asked for ---- */

static void
wishes_come_back_as_text(void **state)
{
	static const char *const same[] = {"torch", "tensorflow,ps=2,evaluator",
	    "tensorflow,chief", "tensorflow,ps=1,no-chief,gpus=all,port=2222",
	    "horovod,mpi", "horovod,gloo", "tensorflow,ps=2,ps=first",
	    "mxnet,ps=3", "jax,gpus=divide"};
	struct dist_options w;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof same / sizeof *same; i++) {
		w = wish(same[i]);
		text = dist_options_text(&w);
		assert_string_equal(text, same[i]);
		free(text);
	}
}

static void
what_makes_no_sense_is_refused(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
	    {"", "'': no such framework"},
	    {"pytorch", "pytorch: no such framework"},
	    {"torch,", ": none of"},
	    {"torch,ps=1", "ps: torch has no such thing"},
	    {"torch,evaluator", "evaluator: torch"},
	    {"mxnet,chief", "chief: mxnet"},
	    {"tensorflow,mpi", "mpi: tensorflow"},
	    {"horovod", "horovod: choose mpi"},
	    {"horovod,mpi,gloo", "horovod: choose mpi"},
	    {"mxnet,ps=first", "ps=first: mxnet has no such thing"},
	    {"tensorflow,ps=first,no-chief", "ps=first: needs a chief"},
	    {"tensorflow,ps", "ps: "},
	    {"tensorflow,ps=-1", "ps: "},
	    {"tensorflow,ps=x", "ps: "},
	    {"tensorflow,chief=1", "chief: takes no value"},
	    {"tensorflow,nosuch=1", "nosuch: none of ps=N"},
	    {"torch,port=80", "port: "},
	    {"torch,port=70000", "port: "},
	    {"torch,gpus=some", "gpus: choose divide or all"},
	    {"torch,gpus", "gpus: choose divide or all"},
	};
	struct dist_options w;
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(dist_options_parse(cases[i].text, &w, &e), -1);
		assert_ptr_equal(strstr(e.text, cases[i].reason), e.text);
	}
}

static void
steps_that_cannot_be_are_refused(void **state)
{
	static const struct {
		const char *wish, *more, *reason;
	} cases[] = {
	    {"tensorflow,ps=4", "",
		"5 tasks: too few for a chief, 4 ps and a worker: give it 6"},
	    {"tensorflow,ps=2,evaluator,no-chief",
		"SLURM_STEP_NODELIST=n1 SLURM_STEP_TASKS_PER_NODE=2 "
		"SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 SLURM_NODEID=0 "
		"SLURM_GTIDS=0,1 SLURMD_NODENAME=n1",
		"2 tasks: too few for 2 ps, an evaluator and a worker: give "
		"it 4"},
	    {"mxnet,ps=4", "", "5 tasks: too few for a scheduler, 4 ps"},
	    {"torch", "SLURM_HET_SIZE=2", "SLURM_HET_SIZE=2: this is a het"},
	    {"torch", "SLURM_STEP_NODELIST=n[1-", "SLURM_STEP_NODELIST: "},
	    {"torch", "SLURM_STEP_NODELIST=n1",
		"SLURM_STEP_TASKS_PER_NODE: '2(x2),1': stands for more"},
	    {"torch", "SLURM_STEP_NUM_TASKS=6", "SLURM_STEP_NUM_TASKS=6: but"},
	    {"torch", "SLURM_PROCID=x", "SLURM_PROCID: "},
	    {"torch", "SLURM_PROCID=5", "SLURM_PROCID=5: but there are 5"},
	    {"torch", "SLURM_NODEID=2", "SLURM_PROCID=3: this task is on"},
	    {"torch", "SLURM_LOCALID=0", "SLURM_PROCID=3: this task is on"},
	    {"torch", "SLURMD_NODENAME=n1", "SLURM_PROCID=3: this task is on"},
	    {"torch", "SLURM_DISTRIBUTION=cyclic", "SLURM_PROCID=3: this"},
	    {"torch", "SLURM_GTIDS=0,3", "SLURM_GTIDS=0,3: the tasks are not"},
	    {"torch", "SLURM_DISTRIBUTION=plane", "SLURM_DIST_PLANESIZE: not"},
	    {"torch", "SLURM_DISTRIBUTION=arbitrary",
		"SLURM_DISTRIBUTION=arbitrary: which task is where"},
	    {"torch",
		"SLURM_DISTRIBUTION=arbitrary SLURM_ARBITRARY_NODELIST=n1,n9",
		"SLURM_ARBITRARY_NODELIST: does not have"},
	    {"torch,port=65532", "", "port=65532: 5 ports are needed"},
	};
	struct error e;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		text = xasprintf(
		    "%s%s%s", fourth, *cases[i].more ? " " : "", cases[i].more);
		e = refusal(cases[i].wish, text);
		if (strstr(e.text, cases[i].reason) != e.text)
			fail_msg("%s: %s", cases[i].reason, e.text);
		free(text);
	}
	e = refusal("torch", "HOME=/");
	assert_non_null(strstr(e.text, "SLURM_JOB_NODELIST: not set"));
	e = refusal("torch", "SLURM_JOB_NODELIST=n1");
	assert_non_null(strstr(e.text, "SLURM_JOBID: not set"));
}

/* ---- outside a step ---- */

static int64_t
rank_of(const char *text, size_t *tasks)
{
	struct dist_options w = wish("torch");
	struct strlist env = environment(text);
	struct dist_step s;
	int64_t rank;

	assert_int_equal(dist_step(&w, get, &env, &s, NULL), 0);
	rank = s.rank;
	*tasks = s.tasks;
	dist_step_free(&s);
	strlist_free(&env);
	return rank;
}

static void
a_batch_script_is_no_rank_unless_it_is_the_only_one(void **state)
{
	size_t tasks;

	(void)state;
	assert_int_equal(rank_of(script, &tasks), -1);
	assert_int_equal(tasks, 5);
	assert_int_equal(rank_of("SLURM_JOB_ID=1 SLURM_JOB_NODELIST=n1 "
				 "SLURM_TASKS_PER_NODE=1 SLURM_NTASKS=1",
			     &tasks),
	    0);
	/* Nobody said how many: Slurm writes what there is room for. */
	rank_of("SLURM_JOB_ID=1 SLURM_JOB_NODELIST=n[1-2] "
		"SLURM_TASKS_PER_NODE=16(x2)",
	    &tasks);
	assert_int_equal(tasks, 2);
	/* The shell of salloc is a step, but none of the training. */
	assert_int_equal(rank_of("SLURM_JOB_ID=1 SLURM_JOB_NODELIST=n[1-2] "
				 "SLURM_NTASKS=4 SLURM_TASKS_PER_NODE=2(x2) "
				 "SLURM_STEP_ID=4294967290 SLURM_PROCID=0 "
				 "SLURM_STEP_NODELIST=n1 "
				 "SLURM_STEP_TASKS_PER_NODE=1",
			     &tasks),
	    -1);
	assert_int_equal(tasks, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_framework_gets_its_variables),
	    cmocka_unit_test(the_evaluator_knows_itself_and_those_that_train),
	    cmocka_unit_test(addresses_replace_names_and_ipv6_gets_brackets),
	    cmocka_unit_test(tasks_are_where_slurm_puts_them),
	    cmocka_unit_test(all_ranks_come_to_the_same_answer),
	    cmocka_unit_test(
		ports_are_of_the_job_and_lie_below_those_of_connections),
	    cmocka_unit_test(ports_can_be_chosen_by_the_user_or_by_slurm),
	    cmocka_unit_test(gpus_of_a_node_are_divided_between_its_tasks),
	    cmocka_unit_test(a_rank_that_would_not_find_its_gpu_is_known),
	    cmocka_unit_test(wishes_come_back_as_text),
	    cmocka_unit_test(what_makes_no_sense_is_refused),
	    cmocka_unit_test(steps_that_cannot_be_are_refused),
	    cmocka_unit_test(
		a_batch_script_is_no_rank_unless_it_is_the_only_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
