#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "control/bad-nodes.h"
#include "store/table-row.h"

/* Ends of tasks on one node: state, cause, seconds it ran. */
struct end {
	enum store_state state;
	const char *cause;
	int64_t seconds;
};

static void
add(struct bad_nodes *nodes, const char *node, const struct end *end)
{
	struct store_row row;

	store_row_clear(&row, 0);
	row.state = end->state;
	row.cause = end->cause != NULL ? xstrdup(end->cause) : NULL;
	row.node = node != NULL ? xstrdup(node) : NULL;
	row.start = 1000;
	row.end = end->seconds < 0 ? -1 : 1000 + end->seconds;
	bad_nodes_add(nodes, &row);
	store_row_free(&row);
}

#define BAD \
	{ \
		STORE_ERROR, "exit 1", 0 \
	}

static void
a_node_is_bad_when_tasks_fail_there_at_once(void **state)
{
	static const struct {
		struct end end[4];
		int bad;
	} cases[] = {
	    {{BAD, BAD, {STORE_ERROR, "SIGSEGV", 59}}, 1},
	    {{BAD, BAD, {STORE_ERROR, "launch failure", 0}}, 1},
	    {{BAD, BAD, {STORE_RUNNING, NULL, -1}}, 0},
	    {{BAD, BAD, {STORE_ERROR, "exit 1", 60}}, 0},
	    {{BAD, BAD, {STORE_ERROR, "OUT_OF_MEMORY", 5}}, 0},
	    {{BAD, BAD, {STORE_ERROR, "LOST", 5}}, 0},
	    {{BAD, BAD, {STORE_STOPPED, "CANCELLED", 5}}, 0},
	    {{BAD, BAD, {STORE_ERROR, "exit 1", -1}}, 0},
	    {{BAD, BAD, BAD, {STORE_FINISHED, NULL, 600}}, 0},
	};
	struct bad_nodes nodes;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		memset(&nodes, 0, sizeof nodes);
		for (k = 0; k < 4; k++)
			add(&nodes, "n1", &cases[i].end[k]);
		assert_int_equal(nodes.count, 1);
		if (bad_nodes_is_bad(&nodes.node[0], 3) != cases[i].bad)
			fail_msg("case %zu", i);
		bad_nodes_free(&nodes);
	}
}

static void
nodes_are_told_apart(void **state)
{
	static const struct end bad = BAD;
	struct bad_nodes nodes = {0};

	(void)state;
	add(&nodes, "n1", &bad);
	add(&nodes, "n2", &bad);
	add(&nodes, "n1", &bad);
	add(&nodes, NULL, &bad);
	add(&nodes, "n[1-2]", &bad);
	add(&nodes, "../n1", &bad);
	assert_int_equal(nodes.count, 2);
	assert_int_equal(nodes.node[0].failed, 2);
	assert_int_equal(nodes.node[1].failed, 1);
	bad_nodes_free(&nodes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_node_is_bad_when_tasks_fail_there_at_once),
	    cmocka_unit_test(nodes_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
