#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "nodes/nodes.h"
#include "nodes/private.h"
#include "nodes/reserve.h"
#include "slurm/queue.h"
#include "slurm/reserve.h"

/* ---- what sacctmgr says ---- */

static void
read_both(struct queue_limits *out)
{
	char *user =
	    xstrdup("ml|ml||long,normal|normal|10|100|1-00:00:00||cpu=16||1\n"
		    "ml|guests|short|normal|||||cpu=4|||parent\n");
	char *qos =
	    xstrdup("normal|0||||||||\n"
		    "secret|100||||||||\n"
		    "long|5|3-00:00:00|4||cpu=8,gres/gpu=2||gres/gpu=64|20|"
		    "DenyOnLimit\n");

	queue_limits_read(user, qos, out);
	free(user);
	free(qos);
}

static void
accounts_and_their_qos_are_read(void **state)
{
	struct queue_limits l;

	(void)state;
	read_both(&l);
	assert_int_equal(l.count, 4);
	assert_string_equal(l.limit[0].name, "ml");
	assert_true(l.limit[0].is_default);
	assert_false(l.limit[0].is_qos);
	assert_string_equal(l.limit[0].max_submit, "100");
	assert_string_equal(l.limit[0].user_tres, "cpu=16");
	assert_string_equal(l.limit[1].name, "guests");
	assert_string_equal(l.limit[1].partition, "short");
	assert_false(l.limit[1].is_default);
	assert_string_equal(l.limit[2].name, "normal");
	assert_true(l.limit[2].is_qos);
	assert_true(l.limit[2].is_default);
	assert_string_equal(l.limit[3].name, "long");
	assert_false(l.limit[3].is_default);
	assert_string_equal(l.limit[3].max_wall, "3-00:00:00");
	assert_string_equal(l.limit[3].user_tres, "cpu=8,gres/gpu=2");
	assert_string_equal(l.limit[3].group_tres, "gres/gpu=64");
	queue_limits_free(&l);
}

static void
what_is_cut_short_is_no_trouble(void **state)
{
	static const char *const texts[] = {"", "\n", "|", "a", "a|b", "|||"};
	struct queue_limits l;
	char *user, *qos;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof texts / sizeof *texts; i++) {
		user = xstrdup(texts[i]);
		qos = xstrdup(texts[i]);
		queue_limits_read(user, qos, &l);
		assert_true(l.count <= 1);
		queue_limits_free(&l);
		free(user);
		free(qos);
	}
}

static char *
show(enum table_format format, size_t width)
{
	const struct nodes_style look = {.format = format, .width = width};
	struct queue_limits l;
	char *text;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	read_both(&l);
	nodes_show_accounts(out, &l, &look);
	xmemclose(out);
	queue_limits_free(&l);
	return text;
}

static void
they_are_shown_to_people_and_programs(void **state)
{
	char *text = show(TABLE_TEXT, 0);

	(void)state;
	assert_string_equal(text,
	    "ACCOUNT  PARTITION  QOS          USUAL QOS        TIME  RUNN"
	    "ING  QUEUED  PER JOB  ALL MINE   SHARE\n"
	    "ml*                 long,normal  normal     1-00:00:00      "
	    " 10     100           cpu=16         1\n"
	    "guests   short      normal                                  "
	    "             cpu=4              parent\n"
	    "\n"
	    "QOS            TIME  RUNNING  ALL MINE          EVERYBODY   "
	    " JOBS  PRIORITY  FLAGS\n"
	    "normal*                                                     "
	    "              0\n"
	    "long     3-00:00:00        4  cpu=8,gres/gpu=2  gres/gpu=64 "
	    "   20         5  DenyOnLimit\n");
	free(text);
	text = show(TABLE_JSONL, 0);
	assert_non_null(strstr(text,
	    "{\"kind\": \"account\", \"name\": \"ml\", \"default\": true"));
	assert_non_null(strstr(text,
	    "{\"kind\": \"qos\", \"name\": \"long\", \"default\": false"));
	assert_non_null(
	    strstr(text, "\"time_limit\": 259200, \"max_jobs\": 4"));
	free(text);
}

/* ---- reservations ---- */

/* Saturday, 21 November 2026, 10:30 UTC. */
enum { NOW = 1795257000 };

static struct queue_node nodes[] = {
    {.name = (char[]){"c1"}, .gres = (char[]){""}, .gres_used = (char[]){""}},
    {.name = (char[]){"n1"},
	.gres = (char[]){"gpu:a100:4(S:0-1)"},
	.gres_used = (char[]){"gpu:a100:4(IDX:0-3)"}},
    {.name = (char[]){"n2"},
	.gres = (char[]){"gpu:a100:4"},
	.gres_used = (char[]){""}},
};
static struct queue_partition partitions[] = {
    {.name = (char[]){"gpu"}, .node_list = (char[]){"n[1-2]"}}};

static int
reserve(const char *version, const char *what, const char *from,
    const char *span, char **text, struct error *e)
{
	const struct queue_cluster c = {.version = (char *)(uintptr_t)version,
	    .node = nodes,
	    .nodes = 3,
	    .partition = partitions,
	    .partitions = 1};
	const struct nodes_request wish = {what, from, span};
	struct strlist words = {0};
	int rc = nodes_reserve_words(&wish, &c, NOW, &words, e);

	if (rc == 0)
		*text = strlist_join(&words, " ");
	strlist_free(&words);
	return rc;
}

static void
a_reservation_is_a_line_of_scontrol(void **state)
{
	static const struct {
		const char *version, *what, *from, *span, *line;
	} cases[] = {
	    {"22.05.8", "n1", NULL, "90",
		"StartTime=now Duration=90 Users=* Nodes=n1"},
	    {"22.05.8", "n[1-2]", "now+2hours", "1-0",
		"StartTime=2026-11-21T12:30:00 Duration=1440 Users=* "
		"Nodes=n[1-2]"},
	    {"22.05.8", "c1", "16:00", "1:00:00",
		"StartTime=16:00 Duration=60 Users=* Nodes=c1"},
	    {"22.05.8", "n1:4", "now+1day", "2:00:00",
		"StartTime=2026-11-22T10:30:00 Duration=120 Users=* Nodes=n1"},
	    {"23.11.1", "n1:2", "tomorrow", "60",
		"StartTime=tomorrow Duration=60 Users=* Nodes=n1 "
		"TRESPerNode=gres/gpu=2"},
	};
	char *text, *at;
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (reserve(cases[i].version, cases[i].what, cases[i].from,
			cases[i].span, &text, &e) == -1)
			fail_msg("%s", e.text);
		assert_int_equal(
		    strncmp(text, "scontrol create reservation ", 28), 0);
		at = strstr(text, "Users=") + 6;
		*at = '*';
		memmove(at + 1, strchr(at, ' '), strlen(strchr(at, ' ')) + 1);
		assert_string_equal(text + 28, cases[i].line);
		free(text);
	}
}

static void
what_cannot_be_reserved_is_refused(void **state)
{
	static const struct {
		const char *version, *what, *from, *span, *reason;
	} cases[] = {
	    {"22.05.8", "n1", NULL, NULL, "--for says how long"},
	    {"22.05.8", "n1", NULL, "soon", "--for: "},
	    {"22.05.8", "n1", NULL, "UNLIMITED", "it has to end some time"},
	    {"22.05.8", "n1", "now+2moons", "60", "--from: now+2moons"},
	    {"22.05.8", "n1", "now+hour", "60", "--from: now+hour"},
	    {"22.05.8", "n1", "now+99999999999", "60", "--from: now+999"},
	    {"22.05.8", "n1", "at 4", "60", "--from: at 4"},
	    {"22.05.8", "n1", "", "60", "--from: : give a time"},
	    {"22.05.8", "n9", NULL, "60", "n9: no such node"},
	    {"22.05.8", "gpu", NULL, "60", "gpu: is a partition"},
	    {"22.05.8", "", NULL, "60", "no such node"},
	    {"22.05.8", "n1:2", NULL, "60", "from 23.11 on: --reserve n1"},
	    {"23.11.1", "n1:5", NULL, "60", "n1: has 4 GPUs, not 5"},
	    {"23.11.1", "c1:1", NULL, "60", "c1: has 0 GPUs, not 1"},
	    {"23.11.1", "n1:x", NULL, "60", "--reserve: GPUs"},
	    {"23.11.1", "n1:0", NULL, "60", "--reserve: GPUs"},
	};
	struct error e;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(reserve(cases[i].version, cases[i].what,
				     cases[i].from, cases[i].span, &text, &e),
		    -1);
		if (strstr(e.text, cases[i].reason) == NULL)
			fail_msg("%s: %s", cases[i].reason, e.text);
	}
}

static void
only_ones_own_is_released(void **state)
{
	struct queue_reservation list[] = {
	    {.name = (char[]){"mine"}, .users = (char[]){"me"}, .mine = 1},
	    {.name = (char[]){"lesson"},
		.users = (char[]){"eve"},
		.accounts = (char[]){""}},
	};
	const struct queue_allocations uses = {
	    .reservation = list, .reservations = 2};
	struct strlist words = {0};
	struct error e;
	char *text;

	(void)state;
	assert_int_equal(nodes_release_words("mine", &uses, &words, &e), 0);
	text = strlist_join(&words, " ");
	assert_string_equal(text, "scontrol delete ReservationName=mine");
	free(text);
	strlist_free(&words);
	assert_int_equal(nodes_release_words("lesson", &uses, &words, &e), -1);
	assert_string_equal(e.text, "lesson: is not yours, it is for eve");
	assert_int_equal(nodes_release_words("minn", &uses, &words, &e), -1);
	assert_string_equal(
	    e.text, "minn: no such reservation: did you mean mine?");
}

static void
a_refusal_is_told_from_other_trouble(void **state)
{
	(void)state;
	assert_true(queue_reserve_is_refusal(
	    "Error creating the reservation: Invalid user id\n"));
	assert_true(queue_reserve_is_refusal(
	    "Error creating the reservation: Access/permission denied\n"));
	assert_false(queue_reserve_is_refusal(
	    "Error creating the reservation: Requested nodes are busy\n"));
	assert_false(queue_reserve_is_refusal(""));
	assert_true(nodes_reserves_gpus("23.11.0"));
	assert_true(nodes_reserves_gpus("25.05.3"));
	assert_false(nodes_reserves_gpus("23.02.7"));
	assert_false(nodes_reserves_gpus(""));
}

static int
use_utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(accounts_and_their_qos_are_read),
	    cmocka_unit_test(what_is_cut_short_is_no_trouble),
	    cmocka_unit_test(they_are_shown_to_people_and_programs),
	    cmocka_unit_test(a_reservation_is_a_line_of_scontrol),
	    cmocka_unit_test(what_cannot_be_reserved_is_refused),
	    cmocka_unit_test(only_ones_own_is_released),
	    cmocka_unit_test(a_refusal_is_told_from_other_trouble),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
