#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "nodes/calendar-input.h"
#include "nodes/nodes.h"
#include "nodes/private.h"
#include "nodes/processes.h"
#include "slurm/allocations.h"

/* ---- a cluster ---- */

static struct queue_cluster *
new_cluster(size_t nodes)
{
	struct queue_cluster *c = xcalloc(1, sizeof *c);

	c->name = xstrdup("test");
	c->version = xstrdup("22.05.8");
	c->gres_types = xstrdup("gpu");
	c->max_array = 1001;
	c->max_jobs = 10000;
	c->node = xcalloc(nodes + 1, sizeof *c->node);
	c->partition = xcalloc(3, sizeof *c->partition);
	return c;
}

static struct queue_node *
add_node(struct queue_cluster *c, char *name, const char *state,
    const char *reason, const char *gres, const char *used)
{
	struct queue_node *n = &c->node[c->nodes++];

	*n = (struct queue_node){
	    .name = name,
	    .state = xstrdup(state),
	    .reason = xstrdup(reason),
	    .cpus = 32,
	    .memory = 131072,
	    .gres = xstrdup(gres),
	    .gres_used = xstrdup(used),
	    .features = xstrdup(""),
	};
	return n;
}

static struct queue_partition *
add_partition(struct queue_cluster *c, const char *name, const char *nodes)
{
	struct queue_partition *p = &c->partition[c->partitions++];

	*p = (struct queue_partition){
	    .name = xstrdup(name),
	    .state = xstrdup("UP"),
	    .up = 1,
	    .minutes = -1,
	    .usual = -1,
	    .most_nodes = -1,
	    .most_cpus = -1,
	    .node_list = xstrdup(nodes),
	    .qos = xstrdup(""),
	    .groups = xstrdup(""),
	    .accounts = xstrdup(""),
	    .allowed_qos = xstrdup(""),
	    .not_accounts = xstrdup(""),
	    .not_qos = xstrdup(""),
	};
	return p;
}

/* Two kinds of nodes, one of each in trouble; names sort as numbers. */
static struct queue_cluster *
small_cluster(void)
{
	struct queue_cluster *c = new_cluster(6);
	struct queue_partition *p;

	add_node(c, xstrdup("g1"), "mixed", "", "gpu:a100:4(S:0-1)",
	    "gpu:a100:3(IDX:0-2)")
	    ->cpus_used = 8;
	add_node(c, xstrdup("g2"), "idle", "", "gpu:a100:4(S:0-1)",
	    "gpu:a100:0(IDX:N/A)");
	add_node(c, xstrdup("g10"), "idle", "", "gpu:a100:4(S:0-1)",
	    "gpu:a100:0(IDX:N/A)");
	add_node(c, xstrdup("g3"), "drained", "a \033[31mfan", "gpu:v100:2",
	    "gpu:v100:0");
	add_node(c, xstrdup("c1"), "allocated", "", "", "")->cpus_used = 32;
	add_node(c, xstrdup("c2"), "down*", "not responding", "", "");
	p = add_partition(c, "gpu", "g[1-3,10]");
	p->is_default = 1;
	p->minutes = 1440;
	p->usual = 60;
	p->most_nodes = 2;
	free(p->accounts);
	p->accounts = xstrdup("ml,vision");
	add_partition(c, "cpu", "c[1-2]");
	queue_cluster_join(c);
	return c;
}

static struct queue_allocations *
some_uses(void)
{
	struct queue_allocations *u = xcalloc(1, sizeof *u);
	struct queue_allocation *use = queue_allocations_add(u);

	*use = (struct queue_allocation){
	    .job = xstrdup("7"),
	    .name = xstrdup("a"),
	    .user = xstrdup("me"),
	    .partition = xstrdup("gpu"),
	    .nodes = xstrdup("g[1-2]"),
	    .mine = 1,
	    .running = 1,
	    .cpus = 4,
	    .gpus = 3,
	};
	return u;
}

static char *
show(const struct queue_cluster *c, const struct queue_allocations *u,
    char *const words[], size_t count, const struct nodes_style *look)
{
	char *chosen = nodes_choose(c, words, count, NULL), *text;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	assert_non_null(chosen);
	nodes_show(out, c, u, chosen, look);
	xmemclose(out);
	free(chosen);
	return text;
}

/* ---- nodes ---- */

static void
nodes_that_are_alike_are_one_line(void **state)
{
	struct queue_cluster *c = small_cluster();
	struct queue_allocations *u = some_uses();
	struct nodes_style look = {.format = TABLE_TEXT};
	char *text = show(c, u, NULL, 0, &look);

	(void)state;
	assert_string_equal(text,
	    "NODES  N  STATE      GPUS FREE  MINE    CPUS FREE   MEM FREE"
	    "  PARTITIONS  REASON\n"
	    "c1     1  allocated                          0/32  128G/128G"
	    "  cpu\n"
	    "c2     1  down*                              0/32     0/128G"
	    "  cpu         not responding\n"
	    "g1     1  mixed      a100 1/4   2 GPUs      24/32  128G/128G"
	    "  gpu\n"
	    "g2     1  idle       a100 4/4   1 GPU       32/32  128G/128G"
	    "  gpu\n"
	    "g3     1  drained    v100 0/2                0/32     0/128G"
	    "  gpu         a \\x1b[31mfan\n"
	    "g10    1  idle       a100 4/4               32/32  128G/128G"
	    "  gpu\n"
	    "6 nodes, 4 up, 2 idle; GPUs free: a100 9/12, v100 0/2; mine: 3\n");
	free(text);
	u->use[0].running = 0;
	text = show(c, u, (char *[]){(char[]){"gpu"}}, 1, &look);
	assert_non_null(strstr(text, "\ng1       1  mixed "));
	assert_non_null(strstr(text, "\ng[2,10]  2  idle     a100 8/8"));
	assert_true(strstr(text, "\ng3 ") > strstr(text, "\ng[2,10] "));
	assert_null(strstr(text, "mine"));
	assert_null(strstr(text, "c1"));
	free(text);
	queue_allocations_free(u);
	queue_cluster_free(c);
}

static void
narrow_terminals_are_kept_to(void **state)
{
	struct queue_cluster *c = small_cluster();
	struct queue_allocations *u = some_uses();
	struct nodes_style look = {.format = TABLE_TEXT};
	char *text, *line, *rest;

	(void)state;
	for (look.width = 40; look.width <= 100; look.width += 10) {
		text = show(c, u, NULL, 0, &look);
		line = strtok_r(text, "\n", &rest);
		assert_non_null(strstr(line, "STATE"));
		assert_non_null(strstr(line, "GPUS"));
		for (; line != NULL && strstr(line, " nodes, ") == NULL;
		     line = strtok_r(NULL, "\n", &rest))
			assert_true(strlen(line) <= look.width);
		free(text);
	}
	queue_allocations_free(u);
	queue_cluster_free(c);
}

static void
programs_get_every_node(void **state)
{
	struct queue_cluster *c = small_cluster();
	struct queue_allocations *u = some_uses();
	struct nodes_style look = {.format = TABLE_TSV};
	char *text = show(c, u, (char *[]){(char[]){"g[1-2]"}}, 1, &look);

	(void)state;
	assert_string_equal(text,
	    "node\tstate\tgpus_by_type\tpartitions\tfeatures\treason\tusable\t"
	    "gpus\tgpus_free\tgpus_mine\tcpus\tcpus_free\tcpus_mine\t"
	    "memory\tmemory_free\n"
	    "g1\tmixed\ta100 1/4\tgpu\t\t\ttrue\t4\t1\t2\t32\t24\t2\t"
	    "137438953472\t137438953472\n"
	    "g2\tidle\ta100 4/4\tgpu\t\t\ttrue\t4\t4\t1\t32\t32\t2\t"
	    "137438953472\t137438953472\n");
	free(text);
	queue_allocations_free(u);
	queue_cluster_free(c);
}

static void
ten_thousand_nodes_are_a_few_lines(void **state)
{
	struct queue_cluster *c = new_cluster(10000);
	struct queue_allocations u = {NULL};
	struct nodes_style look = {.format = TABLE_TEXT, .width = 100};
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < 10000; i++)
		add_node(c, xasprintf("n%05zu", i),
		    i % 7 == 0 ? "idle" : "mixed", "", "gpu:8",
		    i % 7 == 0 ? "gpu:0" : "gpu:5")
		    ->cpus_used = i % 7 == 0 ? 0 : 1 + i % 31;
	add_partition(c, "all", "n[00000-09999]");
	queue_cluster_join(c);
	text = show(c, &u, NULL, 0, &look);
	assert_non_null(strstr(text,
	    "\nn[00000,00007,00014,00021,...  1429  idle   11432/11432 "));
	assert_non_null(strstr(text,
	    "\nn[00001-00006,00008-00013,...  8571  mixed  25713/68568 "));
	assert_true(strlen(text) < 500);
	free(text);
	queue_cluster_free(c);
}

static void
what_there_is_not_is_named(void **state)
{
	static const struct {
		const char *word, *reason;
	} cases[] = {
	    {"g4", "g4: no such node or partition: did you mean "},
	    {"gpus", "gpus: no such node or partition: did you mean gpu?"},
	    {"g[1-4]", "g4: no such node or partition"},
	    {"g[", "g[: no such node or partition"},
	    {"", ": no such node or partition"},
	};
	struct queue_cluster *c = small_cluster();
	struct error e;
	char *word;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		word = xstrdup(cases[i].word);
		assert_null(nodes_choose(c, &word, 1, &e));
		assert_non_null(strstr(e.text, cases[i].reason));
		free(word);
	}
	queue_cluster_free(c);
}

/* ---- partitions ---- */

static void
partitions_have_their_limits(void **state)
{
	struct queue_cluster *c = small_cluster();
	struct nodes_style look = {.format = TABLE_TEXT};
	char *text, *word = (char[]){"gpu"};
	size_t length;
	FILE *out = xmemopen(&text, &length);
	struct error e;

	(void)state;
	assert_int_equal(
	    nodes_show_partitions(out, c, NULL, 0, &look, NULL), 0);
	xmemclose(out);
	assert_string_equal(text,
	    "PARTITION  STATE  NODES  GPUS FREE            CPUS FREE"
	    "        TIME    USUAL  NODES/JOB  FOR\n"
	    "gpu*       UP       3/4  a100 9/12, v100 0/2     88/128"
	    "  1-00:00:00  1:00:00        1-2  accounts ml,vision\n"
	    "cpu        UP       1/2                            0/64"
	    "    no limit\n"
	    "a job array has 1001 tasks at most, the queue 10000 jobs of all "
	    "users\n");
	free(text);
	look.width = 40;
	out = xmemopen(&text, &length);
	assert_int_equal(
	    nodes_show_partitions(out, c, NULL, 0, &look, NULL), 0);
	xmemclose(out);
	assert_non_null(strstr(text, " tasks at most, the\n  queue 10000 "));
	free(text);
	look.format = TABLE_JSONL;
	out = xmemopen(&text, &length);
	assert_int_equal(
	    nodes_show_partitions(out, c, &word, 1, &look, NULL), 0);
	xmemclose(out);
	assert_non_null(
	    strstr(text, "\"partition\": \"gpu\", \"default\": true"));
	assert_non_null(strstr(text, "\"time_limit\": 86400"));
	assert_non_null(strstr(text, "\"nodes_per_job_max\": 2"));
	assert_null(strchr(text, '*'));
	free(text);
	word = (char[]){"g1"};
	assert_int_equal(
	    nodes_show_partitions(stdout, c, &word, 1, &look, &e), -1);
	assert_non_null(strstr(e.text, "g1: no such partition"));
	queue_cluster_free(c);
}

/* ---- the calendar ---- */

/* Saturday, 21 November 2026, 10:30 UTC. */
enum { NOW = 1795257000, HOUR = 3600 };

static int
use_utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}

static struct queue_allocation *
add_use(struct queue_allocations *u, const char *job, const char *nodes,
    int mine, int running, int64_t gpus, int64_t cpus)
{
	struct queue_allocation *use = queue_allocations_add(u);

	*use = (struct queue_allocation){
	    .job = xstrdup(job),
	    .name = xstrdup("train"),
	    .user = xstrdup(mine ? "me" : "eve"),
	    .partition = xstrdup("gpu"),
	    .nodes = xstrdup(nodes),
	    .mine = mine,
	    .running = running,
	    .start = NOW - HOUR,
	    .end = NOW + 12 * HOUR,
	    .gpus = gpus,
	    .cpus = cpus,
	};
	return use;
}

static void
add_reservation(struct queue_allocations *u, const char *name,
    const char *nodes, const char *flags, int mine, int64_t from)
{
	*queue_reservations_add(u) = (struct queue_reservation){
	    .name = xstrdup(name),
	    .users = xstrdup(mine ? "me" : "eve"),
	    .accounts = xstrdup(""),
	    .flags = xstrdup(flags),
	    .nodes = xstrdup(nodes),
	    .mine = mine,
	    .start = from,
	    .end = from + 6 * HOUR,
	};
}

static struct queue_allocations *
busy_uses(void)
{
	struct queue_allocations *u = xcalloc(1, sizeof *u);
	struct queue_allocation *use;

	add_use(u, "7", "g[1-2]", 1, 1, 3, 4);
	add_use(u, "8", "g1", 0, 1, 1, 1)->end = 0;
	use = add_use(u, "9_4", "g2", 0, 0, 4, 4);
	use->start = NOW + 12 * HOUR;
	use->end = NOW + 24 * HOUR;
	add_use(u, "10", "c1", 0, 1, 0, 16);
	add_use(u, "11", "c1,elsewhere", 0, 1, 0, 32)->end = NOW - 60;
	add_use(u, "12", "", 1, 0, 1, 1)->start = NOW + HOUR;
	/* All CPUs of a node: nobody else can use its GPUs. */
	add_use(u, "13", "g10", 0, 1, 0, 32)->end = NOW + 2 * HOUR;
	/* But some of them leave these to others. */
	add_use(u, "14", "g10", 0, 1, 0, 31);
	add_reservation(u, "mine", "g10", "SPEC_NODES", 1, NOW + 24 * HOUR);
	add_reservation(u, "daily", "c2,c1", "DAILY", 0, NOW + 18 * HOUR);
	add_reservation(u, "sunday", "g2", "WEEKEND", 0, NOW + 40 * HOUR);
	return u;
}

static char *
calendar(int days, enum table_format format, size_t width)
{
	const struct nodes_style look = {format, width, 0, CLI_ASCII, 0};
	struct queue_cluster *c = small_cluster();
	struct queue_allocations *u = busy_uses();
	char *chosen = nodes_choose(c, NULL, 0, NULL), *text;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	nodes_calendar(out, c, u, chosen, &look, NOW, days);
	xmemclose(out);
	free(chosen);
	queue_allocations_free(u);
	queue_cluster_free(c);
	return text;
}

static void
a_calendar_tells_who_has_what(void **state)
{
	char *text = calendar(3, TABLE_TEXT, 50);

	(void)state;
	assert_string_equal(text,
	    "           Sat 21 Sun 22      Mon 23      Tue\n"
	    "            12 18 0  6  12 18 0  6  12 18 0  6\n"
	    "c1         ooooooo..RRRR........RRRR........RRRR\n"
	    "c2         xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
	    "g1  2 GPUs MMMMMMM..............................\n"
	    "    1 GPU  #####################################\n"
	    "    1 GPU  .....................................\n"
	    "g2  1 GPU  MMMMMMM#####o........................\n"
	    "    3 GPUs ......o#####o........................\n"
	    "g3  2 GPUs xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
	    "g10 4 GPUs #o..........VVVV.....................\n"
	    "M mine   V reserved for me   # in use   o in part\n"
	    "R reserved   x down   . free\n"
	    "daily reserved for eve on c[1-2], from 2026-11-22\n"
	    "  04:30 to 2026-11-22 10:30, and 2 more times\n"
	    "mine reserved for me on g10, from 2026-11-22 10:30\n"
	    "  to 2026-11-22 16:30\n"
	    "1 job is expected to start where it is not known yet\n");
	free(text);
}

/* When a reservation that comes back is there, up to so many days. */
static char *
returns(const char *flags, const char *nodes, int64_t from, int days)
{
	struct queue_cluster *c = small_cluster();
	struct queue_allocations *u = xcalloc(1, sizeof *u);
	char *chosen = nodes_choose(c, NULL, 0, NULL), *text, when[32];
	struct nodes_holds h = {NULL, 0, 0};
	size_t length, i;
	struct tm tm;
	time_t at;
	FILE *out = xmemopen(&text, &length);

	add_reservation(u, "lesson", nodes, flags, 0, from);
	nodes_holds(c, u, chosen, from, from + days * 24 * HOUR, &h);
	for (i = 0; i < h.count; i++) {
		if (h.hold[i].use != CALENDAR_RESERVED)
			continue;
		at = (time_t)h.hold[i].from;
		localtime_r(&at, &tm);
		strftime(when, sizeof when, "%a %H:%M", &tm);
		fprintf(out, "%s+%d ", when,
		    (int)(h.hold[i].to - h.hold[i].from) / HOUR);
	}
	xmemclose(out);
	nodes_holds_free(&h);
	free(chosen);
	queue_allocations_free(u);
	queue_cluster_free(c);
	return text;
}

static void
what_comes_back_keeps_to_the_clock(void **state)
{
	static const struct {
		const char *flags;
		int64_t from;
		const char *expected;
	} cases[] = {
	    /* Berlin.  Saturday, 24 October 2026, 08:00 and 23:30: a day of 25
	       hours. */
	    {"DAILY", 1792821600, "Sat 08:00+6 Sun 08:00+6 Mon 08:00+6 "},
	    {"DAILY", 1792877400, "Sat 23:30+6 Sun 23:30+5 Mon 23:30+5 "},
	    {"WEEKEND", 1792877400, "Sat 23:30+6 Sun 23:30+5 "},
	    /* Saturday, 28 March: there is no 02:30 on Sunday. */
	    {"DAILY", 1774661400,
		"Sat 02:30+6 Sun 03:30+5 Mon 02:30+6 Tue 02:30+6 "},
	    {"WEEKDAY", 1774661400, "Mon 02:30+6 Tue 02:30+6 "},
	};
	char *text;
	size_t i;

	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		text = returns(cases[i].flags, "c1", cases[i].from, 3);
		assert_string_equal(text, cases[i].expected);
		free(text);
	}
	text = returns("HOURLY", "c1", 1774740600, 1);
	assert_non_null(strstr(text, "Sun 00:30+6 Sun 01:30+6 Sun 03:30+6 "));
	free(text);
	use_utc(NULL);
}

/* Two nodes without a CPU and without memory left, and one with a CPU. */
static struct queue_cluster *
full_cluster(void)
{
	struct queue_cluster *c = new_cluster(3);
	struct queue_node *n;

	add_node(c, xstrdup("f1"), "allocated", "", "gpu:a100:4",
	    "gpu:a100:1(IDX:0)")
	    ->cpus_used = 32;
	n = add_node(
	    c, xstrdup("f2"), "mixed", "", "gpu:a100:4", "gpu:a100:1(IDX:0)");
	n->cpus_used = 8;
	n->memory_used = n->memory;
	add_node(
	    c, xstrdup("f3"), "mixed", "", "gpu:a100:4", "gpu:a100:1(IDX:0)")
	    ->cpus_used = 31;
	add_partition(c, "gpu", "f[1-3]");
	queue_cluster_join(c);
	return c;
}

static void
a_gpu_that_nobody_can_get_is_not_free(void **state)
{
	const struct nodes_style look = {TABLE_TEXT, 0, 0, CLI_ASCII, 0};
	struct queue_cluster *c = full_cluster();
	struct queue_allocations *u = xcalloc(1, sizeof *u);
	struct queue_allocation *use;
	char *text = show(c, u, NULL, 0, &look), *chosen;
	size_t length;
	FILE *out;

	(void)state;
	assert_non_null(strstr(text, "\nf1      1  allocated  a100 0/4"));
	assert_non_null(strstr(text, "\nf[2-3]  2  mixed      a100 3/8"));
	assert_non_null(strstr(text, "GPUs free: a100 3/12"));
	free(text);
	/* Of the CPUs of f1 some are free later, and then all are taken. */
	add_use(u, "1", "f1", 0, 1, 1, 20)->end = NOW + 6 * HOUR;
	add_use(u, "2", "f1", 0, 1, 0, 12);
	use = add_use(u, "3", "f1", 0, 0, 0, 20);
	use->start = NOW + 9 * HOUR;
	use->end = NOW + 24 * HOUR;
	add_use(u, "4", "f2", 0, 1, 1, 4)->end = NOW + 3 * HOUR;
	add_use(u, "5", "f2", 0, 1, 0, 4);
	add_use(u, "6", "f3", 0, 1, 1, 31);
	chosen = nodes_choose(c, NULL, 0, NULL);
	out = xmemopen(&text, &length);
	nodes_calendar(out, c, u, chosen, &look, NOW, 1);
	xmemclose(out);
	assert_string_equal(text,
	    "          Sat 21        Sun 22\n"
	    "            12 15 18 21 0  3  6  9\n"
	    "f1 4 GPUs ######o..o##o............\n"
	    "f2 4 GPUs ###o.....................\n"
	    "f3 1 GPU  ############o............\n"
	    "   3 GPUs .........................\n"
	    "# in use   o in part   . free\n");
	free(text);
	free(chosen);
	queue_allocations_free(u);
	queue_cluster_free(c);
}

/* Some sites hide the jobs of others. */
static void
what_is_hidden_is_in_use_without_an_end(void **state)
{
	const struct nodes_style look = {TABLE_TEXT, 40, 0, CLI_ASCII, 0};
	struct queue_cluster *c = small_cluster();
	struct queue_allocations u = {NULL};
	char *word = (char[]){"g1,g2,c1"}, *text;
	char *chosen = nodes_choose(c, &word, 1, NULL);
	size_t length;
	FILE *out = xmemopen(&text, &length);

	(void)state;
	add_use(&u, "7", "g1", 1, 1, 1, 4);
	nodes_calendar(out, c, &u, chosen, &look, NOW, 1);
	xmemclose(out);
	assert_string_equal(text,
	    "          Sat 21        Sun 22\n"
	    "            12 15 18 21 0  3  6  9\n"
	    "c1        #########################\n"
	    "g1 2 GPUs #########################\n"
	    "   1 GPU  MMMMMMMMMMMMM............\n"
	    "   1 GPU  .........................\n"
	    "g2 4 GPUs .........................\n"
	    "M mine   # in use   . free\n");
	free(text);
	free(chosen);
	free(u.use[0].job);
	free(u.use[0].name);
	free(u.use[0].user);
	free(u.use[0].partition);
	free(u.use[0].nodes);
	free(u.use);
	queue_cluster_free(c);
}

static void
programs_get_every_span(void **state)
{
	char *text = calendar(1, TABLE_TSV, 0);

	(void)state;
	assert_non_null(strstr(text,
	    "node\tuse\tmine\tslurm_id\tname\tuser\tpartition\tgpus\tcpus\t"
	    "whole_node\tfrom\tto\n"));
	assert_non_null(strstr(text,
	    "\ng1\trunning\ttrue\t7\ttrain\tme\tgpu\t2\t2\tfalse\t"
	    "2026-11-21T09:30:00+00:00\t2026-11-21T22:30:00+00:00\n"));
	assert_non_null(strstr(text,
	    "\ng1\trunning\tfalse\t8\ttrain\teve\tgpu\t1\t1\tfalse\t"
	    "2026-11-21T09:30:00+00:00\t\n"));
	assert_non_null(strstr(text, "\ng2\texpected\tfalse\t9_4\t"));
	assert_non_null(strstr(text, "\ng3\tdown\tfalse\t\ta "));
	assert_non_null(strstr(text, "\nc2\treserved\tfalse\t\tdaily\teve\t"));
	assert_null(strstr(text, "sunday"));
	assert_null(strstr(text, "elsewhere"));
	free(text);
}

/* ---- processes ---- */

static void
nobody_is_accused_without_certainty(void **state)
{
	char nobody[] = "nobody", number[] = "54321", node[] = "g1";
	char elsewhere[] = "g9";
	static const int64_t uid = 65534;
	const struct {
		char *user, *node;
		int64_t uid;
		int mine;
		enum usage_place place;
		int shows;
		enum nodes_judgement judgement;
	} cases[] = {
	    {nobody, node, uid, 0, USAGE_INSIDE, 1, NODES_IN_JOB},
	    {nobody, node, uid, 0, USAGE_STRAY, 1, NODES_VIOLATION},
	    {nobody, node, uid, 0, USAGE_OUTSIDE, 1, NODES_VIOLATION},
	    {nobody, node, uid, 0, USAGE_NOWHERE, 1, NODES_UNKNOWN},
	    /* The site hides jobs: there may be one. */
	    {nobody, node, uid, 0, USAGE_STRAY, 0, NODES_UNKNOWN},
	    /* A service of the node, and somebody without a name. */
	    {nobody, node, 0, 0, USAGE_STRAY, 1, NODES_UNKNOWN},
	    {number, node, 54321, 0, USAGE_STRAY, 1, NODES_UNKNOWN},
	    {NULL, node, -1, 0, USAGE_STRAY, 1, NODES_UNKNOWN},
	    /* Who has a job on this node, or on another one. */
	    {(char[]){"me"}, node, uid, 0, USAGE_STRAY, 1, NODES_UNKNOWN},
	    {(char[]){"me"}, elsewhere, uid, 0, USAGE_STRAY, 1,
		NODES_VIOLATION},
	    /* Of mine the environment has to have been read. */
	    {(char[]){"me"}, node, 1000, 1, USAGE_OUTSIDE, 1, NODES_VIOLATION},
	    {(char[]){"me"}, node, 1000, 1, USAGE_STRAY, 1, NODES_UNKNOWN},
	};
	struct queue_allocations *u = some_uses();
	struct nodes_process p;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		p = (struct nodes_process){.node = cases[i].node,
		    .user = cases[i].user,
		    .mine = cases[i].mine,
		    .is = {.uid = cases[i].uid, .place = cases[i].place}};
		assert_int_equal(
		    nodes_judge(&p, u, cases[i].shows), cases[i].judgement);
	}
	queue_allocations_free(u);
}

static void
a_job_is_held_to_its_gpus_if_they_are_certain(void **state)
{
	char node[] = "g1", me[] = "me", other[] = "other";
	static const struct queue_held first = {1, 60, {1, 0}}, none = {0, 60},
				       young = {0, 2};
	const struct {
		const struct queue_held *held;
		struct nodes_process p;
		enum nodes_judgement judgement;
	} cases[] = {
	    {&first, {.whole = 1, .ordered = 1, .is = {.gpu = 0}},
		NODES_IN_JOB},
	    {&first, {.whole = 1, .ordered = 1, .is = {.gpu = 1}},
		NODES_VIOLATION},
	    {&none, {.whole = 1, .is = {.gpu = 1}}, NODES_VIOLATION},
	    /* The numbers cannot be compared, or there may be more GPUs. */
	    {&first, {.whole = 1, .is = {.gpu = 1}}, NODES_IN_JOB},
	    {&first, {.whole = 1, .ordered = 1, .is = {.gpu = -1}},
		NODES_IN_JOB},
	    {&first, {.ordered = 1, .is = {.gpu = 1}}, NODES_IN_JOB},
	    {&none, {.is = {.gpu = 1}}, NODES_IN_JOB},
	    /* The job may have begun since. */
	    {&young, {.whole = 1, .is = {.gpu = 1}}, NODES_IN_JOB},
	};
	struct queue_allocations *u = some_uses();
	struct nodes_process p;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		p = cases[i].p;
		p.node = node;
		p.user = me;
		p.is.job = 9;
		p.is.in_step = 1;
		if (nodes_judge_gpu(&p, cases[i].held, u, 5000) !=
		    cases[i].judgement)
			fail_msg("case %zu", i);
		/* A login may be there for the other job of its user. */
		p.is.in_step = 0;
		assert_int_equal(
		    nodes_judge_gpu(&p, cases[i].held, u, 5000), NODES_IN_JOB);
		p.user = other;
		assert_int_equal(nodes_judge_gpu(&p, cases[i].held, u, 5000),
		    cases[i].judgement);
	}
	queue_allocations_free(u);
}

static void
memory_has_three_digits_and_no_exponent(void **state)
{
	static const struct {
		int64_t megabytes;
		const char *text;
	} cases[] = {
	    {0, "0"},
	    {999, "999M"},
	    {1000, "0.977G"},
	    {1023487, "999G"},
	    {1023488, "0.976T"},
	};
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		text = nodes_memory_text(cases[i].megabytes);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(memory_has_three_digits_and_no_exponent),
	    cmocka_unit_test(nodes_that_are_alike_are_one_line),
	    cmocka_unit_test(narrow_terminals_are_kept_to),
	    cmocka_unit_test(programs_get_every_node),
	    cmocka_unit_test(ten_thousand_nodes_are_a_few_lines),
	    cmocka_unit_test(what_there_is_not_is_named),
	    cmocka_unit_test(partitions_have_their_limits),
	    cmocka_unit_test(a_calendar_tells_who_has_what),
	    cmocka_unit_test(what_comes_back_keeps_to_the_clock),
	    cmocka_unit_test(a_gpu_that_nobody_can_get_is_not_free),
	    cmocka_unit_test(what_is_hidden_is_in_use_without_an_end),
	    cmocka_unit_test(programs_get_every_span),
	    cmocka_unit_test(nobody_is_accused_without_certainty),
	    cmocka_unit_test(a_job_is_held_to_its_gpus_if_they_are_certain),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
