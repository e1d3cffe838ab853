#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "base/error.h"
#include "slurm/queue.h"
#include "slurm/text.h"
#include "sys/proc.h"

static char *text;

/* Read lines of squeue's in which a field ends in "|". */
static int
read_lines(const char *lines, struct queue_jobs *jobs)
{
	struct queue_fields f = {"|", text = xstrdup(lines)};

	memset(jobs, 0, sizeof *jobs);
	return queue_text_jobs(&f, jobs, NULL);
}

static void
done(struct queue_jobs *jobs)
{
	queue_jobs_free(jobs);
	free(text);
}

/* A program that cannot be started for now is as a Slurm that is silent. */
static void
what_cannot_be_started_now_is_silence(void **state)
{
	const char *const words[] = {"squeue", NULL};
	struct rlimit old, none;
	struct proc_result result;
	struct error e = {""};

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){0, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(
	    queue_text_start(words, proc_clock() + 1000, &result, &e), -1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(e.code, ERROR_SILENT);
	assert_true(queue_is_silent(&e));
}

static void
no_slurm_is_no_missing_file(void **state)
{
	const char *const words[] = {"stfm-nosuch", NULL};
	struct proc_result result;
	struct error e = {""};

	(void)state;
	assert_int_equal(
	    queue_text_start(words, proc_clock() + 1000, &result, &e), -1);
	assert_int_equal(e.code, ERROR_NO_SLURM);
	assert_true(queue_is_silent(&e));
	errno = ENOENT;
	error_errno(&e, "requests/1.json");
	assert_false(queue_is_silent(&e));
}

/* The first fields and the last are told, what lies between is the same. */
#define LINE(array, job, task, state, reason, exit, restarts) \
	array "|" job "|" task "|" state "|" reason "|" exit "|" restarts \
	      "|100|200|300|1:40|10:00|7|na\nme|(null)|(null)|main|n[1-2]|" \
	      "(null)|\n"

static void
states_are_read_as_squeue_has_them(void **state)
{
	static const struct {
		const char *word, *name;
		int state, alive, completing, returning;
	} table[] = {
	    {"PENDING", "PENDING", QUEUE_PENDING, 1, 0, 0},
	    {"RUNNING", "RUNNING", QUEUE_RUNNING, 1, 0, 0},
	    {"OUT_OF_MEMORY", "OUT_OF_MEMORY", QUEUE_OUT_OF_MEMORY, 0, 0, 0},
	    {"TIMEOUT", "TIMEOUT", QUEUE_TIMEOUT, 0, 0, 0},
	    {"CONFIGURING", "CONFIGURING", QUEUE_RUNNING, 1, 0, 0},
	    {"REQUEUED", "PENDING", QUEUE_PENDING, 1, 0, 0},
	    {"REVOKED", "REVOKED", QUEUE_CANCELLED, 1, 0, 0},
	    {"SPECIAL_EXIT", "PENDING", QUEUE_PENDING, 1, 0, 0},
	    {"COMPLETING", "COMPLETING", QUEUE_OTHER, 1, 1, 0},
	    {"LEVITATING", "UNKNOWN", QUEUE_OTHER, 1, 0, 0},
	    {"", "UNKNOWN", QUEUE_OTHER, 1, 0, 0},
	};
	const struct queue_record *r;
	struct queue_jobs jobs;
	char *line;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		line = xasprintf(
		    LINE("4", "5", "1", "%s", "None", "0", "1"), table[i].word);
		assert_int_equal(read_lines(line, &jobs), 0);
		assert_int_equal(jobs.count, 1);
		r = &jobs.record[0];
		assert_string_equal(r->state_name, table[i].name);
		assert_int_equal(r->state, table[i].state);
		assert_int_equal(r->alive, table[i].alive);
		assert_int_equal(r->completing, table[i].completing);
		assert_int_equal(r->returning, table[i].returning);
		done(&jobs);
		free(line);
	}
}

static void
a_record_has_what_squeue_told(void **state)
{
	struct queue_jobs jobs;
	const struct queue_record *r;

	(void)state;
	assert_int_equal(read_lines(LINE("4", "5", "1", "FAILED",
					"NonZeroExitCode", "768", "2"),
			     &jobs),
	    0);
	r = &jobs.record[0];
	assert_int_equal(r->array, 4);
	assert_int_equal(r->job, 5);
	assert_string_equal(r->indices, "1");
	assert_string_equal(r->reason, "NonZeroExitCode");
	assert_false(r->refused);
	assert_int_equal(r->exit_status, 0x300);
	assert_int_equal(r->restarts, 2);
	assert_int_equal(r->submit, 100);
	assert_int_equal(r->start, 200);
	assert_int_equal(r->end, 300);
	assert_int_equal(r->time_limit, 10);
	assert_int_equal(r->uid, 7);
	assert_string_equal(r->name, "na\nme");
	assert_string_equal(r->comment, "");
	assert_string_equal(r->partition, "main");
	assert_string_equal(r->nodes, "n[1-2]");
	done(&jobs);
	read_lines(
	    LINE("4", "4", "N/A", "FAILED", "BadConstraints", "1:0", "0"),
	    &jobs);
	assert_null(jobs.record[0].indices);
	assert_true(jobs.record[0].refused);
	assert_int_equal(jobs.record[0].exit_status, 0x100);
	done(&jobs);
	read_lines(LINE("4", "4", "1", "FAILED", "x", "0:9", "0"), &jobs);
	assert_int_equal(jobs.record[0].exit_status, 9);
	done(&jobs);
}

static void
a_task_on_its_way_back_is_told_from_one_that_ends(void **state)
{
	static const struct {
		const char *times;
		int returning;
	} table[] = {
	    {"1|100|200|NONE|0:00|UNLIMITED", 1},
	    {"1|100|200|800|0:00|10:00", 1},
	    {"1|100|N/A|N/A|0:00|10:00", 1},
	    {"1|100|200|200|0:00|10:00", 0},
	    {"1|100|200|800|10:00|10:00", 0},
	    {"0|100|200|NONE|0:00|UNLIMITED", 0},
	};
	struct queue_jobs jobs;
	char *line;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		line =
		    xasprintf("4|5|1|COMPLETING|None|0|%s|7|x|y|z|main|n1||\n",
			table[i].times);
		assert_int_equal(read_lines(line, &jobs), 0);
		assert_int_equal(jobs.record[0].returning, table[i].returning);
		done(&jobs);
		free(line);
	}
}

static void
lines_of_the_same_id_are_one_record(void **state)
{
	struct queue_jobs jobs;

	(void)state;
	assert_int_equal(
	    read_lines(LINE("4", "4", "2", "PENDING", "a", "0", "0") LINE("4",
			   "4", "3", "PENDING", "a", "0",
			   "0") LINE("4", "4", "7", "PENDING", "a", "0", "0")
			   LINE("4", "9", "1", "PENDING", "b", "0", "1") LINE(
			       "11", "11", "2-9%3", "PENDING", "c", "0", "0"),
		&jobs),
	    0);
	assert_int_equal(jobs.count, 3);
	assert_string_equal(jobs.record[0].indices, "2-3,7");
	assert_string_equal(jobs.record[1].indices, "1");
	assert_int_equal(jobs.record[1].restarts, 1);
	assert_string_equal(jobs.record[2].indices, "2-9");
	done(&jobs);
}

/* squeue does not print the last task of 1-11:2. */
#define ODD \
	LINE("4", "4", "1", "PENDING", "a", "0", "0") \
	LINE("4", "4", "3", "PENDING", "a", "0", "0") \
	LINE("4", "4", "5", "PENDING", "a", "0", "0") \
	LINE("4", "4", "7", "PENDING", "a", "0", "0") \
	LINE("4", "4", "9", "PENDING", "a", "0", "0")

static void
the_last_task_of_a_step_is_found(void **state)
{
	static const struct {
		const char *more, *lists, *indices;
	} table[] = {
	    {"", "3 11\n4 1-11:2\n", "1,3,5,7,9,11"},
	    {"", "4 1-11:2%3", "1,3,5,7,9,11"},
	    {"", "4 1-9:2\n14 1-11:2\n", "1,3,5,7,9"},
	    {"", "", "1,3,5,7,9"},
	    {"", "4 N/A\n", "1,3,5,7,9"},
	    {LINE("4", "8", "11", "PENDING", "b", "0", "1"), "4 1-11:2\n",
		"1,3,5,7,9"},
	    {LINE("4", "4", "12", "PENDING", "a", "0", "0"), "4 1-11:2\n",
		"1,3,5,7,9,12"},
	};
	struct queue_jobs jobs;
	char *lines;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		lines = xasprintf("%s%s", ODD, table[i].more);
		assert_int_equal(read_lines(lines, &jobs), 0);
		queue_text_complete(&jobs, table[i].lists);
		assert_string_equal(jobs.record[0].indices, table[i].indices);
		done(&jobs);
		free(lines);
	}
}

static void
the_throttle_of_an_array_is_that_of_all_its_records(void **state)
{
	static const struct {
		const char *lists;
		int64_t four, five;
	} table[] = {
	    {"4 2-9%2\n5 7\n", 2, -1},
	    {"5 7%1\n4 3\n4 2-9%12", 12, 1},
	    {"4 2-9\n5 1-11:2\n", 0, 0},
	    {"4 2,3\n5 N/A\n", 0, -1},
	    {"4 2-5,...%3\n5\n", 3, -1},
	    {"14 2-9%2\n", -1, -1},
	    {"", -1, -1},
	};
	struct queue_jobs jobs;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		read_lines(LINE("4", "4", "2", "PENDING", "a", "0", "0") LINE(
			       "4", "6", "1", "RUNNING", "a", "0", "0")
			       LINE("5", "5", "7", "PENDING", "b", "0", "0"),
		    &jobs);
		queue_text_throttles(&jobs, table[i].lists);
		assert_int_equal(jobs.record[0].throttle, table[i].four);
		assert_int_equal(jobs.record[1].throttle, table[i].four);
		assert_int_equal(jobs.record[2].throttle, table[i].five);
		done(&jobs);
	}
}

static void
what_is_not_whole_is_refused(void **state)
{
	static const char *const table[] = {"4", "4|", "4|5|1|RUNNING|\n",
	    "4|5|1|RUNNING|a|0|0|1|1|1|0:00|1:00|7|x|y|main|n1|",
	    "4|5|1|RUNNING|a|0|0|1|1|1|0:00|1:00|7|x|y|main|n1|z\n"};
	struct queue_jobs jobs;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		assert_int_equal(read_lines(table[i], &jobs), -1);
		done(&jobs);
	}
	assert_int_equal(read_lines("", &jobs), 0);
	assert_int_equal(jobs.count, 0);
	done(&jobs);
}

static void
time_limits_are_read(void **state)
{
	static const struct {
		const char *text;
		int minutes;
	} table[] = {{"1:30", 1}, {"10:00", 10}, {"2:05:00", 125},
	    {"1-00:00:00", 1440}, {"365-01:02:03", 365 * 1440 + 62},
	    {"UNLIMITED", -1}, {"infinite", -1}, {"INVALID", -1}, {"n/a", -1},
	    {"", -1}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(
		    queue_text_minutes(table[i].text), table[i].minutes);
}

static void
no_two_questions_have_the_same_mark(void **state)
{
	static const char *const names[] = {"JobID", "Name"};
	struct queue_fields a, b;
	char *format, *expected;

	(void)state;
	queue_fields_begin(&a);
	queue_fields_begin(&b);
	assert_string_not_equal(a.mark, b.mark);
	assert_null(strpbrk(a.mark, ",:%"));
	format = queue_fields_format(&a, names, 2);
	expected = xasprintf("JobID:%s,Name:%s", a.mark, a.mark);
	assert_string_equal(format, expected);
	free(format);
	free(expected);
}

static void
gpus_are_counted_in_what_slurm_says(void **state)
{
	static const struct {
		struct queue_wanted wanted;
		int64_t gpus;
	} table[] = {
	    {{NULL, NULL, NULL, NULL, 1, 1}, 0},
	    {{"cpu=2,mem=1G,node=1,billing=2", "", "", "", 1, 1}, 0},
	    {{"cpu=2,gres/gpu=4", "", "gres:gpu:2", "", 3, 1}, 4},
	    {{"gres/gpu=4,gres/gpu:a100=3,gres/gpu:v100=1", "", "", "", 2, 1},
		4},
	    {{"gres/gpu:a100=3", "", "", "", 2, 1}, 3},
	    {{"cpu=2", "gres:gpu:a100:6", "gres:gpu:2", "", 3, 1}, 6},
	    {{"cpu=2", "", "gres:gpu:2", "", 3, 1}, 6},
	    {{"cpu=2", "", "gres/gpu", "", 3, 1}, 3},
	    {{"cpu=2", "", "gres/gpu:a100", "", 3, 1}, 3},
	    {{"cpu=2", "", "gres/gpu:1;gres/shard:4", "", 1, 1}, 1},
	    {{"cpu=2", "", "", "gres:gpu:1", 3, 5}, 5},
	    {{"cpu=2", "", "gres:gpumem:80", "", 1, 1}, 0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(
		    queue_wanted_gpus(&table[i].wanted), table[i].gpus);
}

static void
gpus_of_a_node_are_told_by_type(void **state)
{
	static const struct {
		const char *gres, *used, *text;
	} table[] = {
	    {"", "", ""},
	    {"gpu:2", "gpu:0", ":0/2"},
	    {"gpu:2", "gpu:(null):1(IDX:0)", ":1/2"},
	    {"gpu:a100:4(S:0-1),gpu:v100:2,mps:4",
		"gpu:a100:3(IDX:0,2-3),gpu:v100:0(IDX:N/A)",
		"a100:3/4 v100:0/2"},
	    {"gpu:a100:2(S:0),gpu:a100:2(S:1)", "gpu:a100:1(IDX:3)",
		"a100:1/4"},
	    {"shard:8", "", ""},
	};
	struct queue_node node = {0};
	struct queue_gpus gpu[4];
	size_t i, n, k, length;
	char *told;
	FILE *out;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		node.gres = (char *)(uintptr_t)table[i].gres;
		node.gres_used = (char *)(uintptr_t)table[i].used;
		n = queue_node_gpus(&node, gpu, 4);
		out = xmemopen(&told, &length);
		for (k = 0; k < n; k++)
			fprintf(out, "%s%s:%d/%d", k > 0 ? " " : "",
			    gpu[k].type, (int)gpu[k].used, (int)gpu[k].count);
		xmemclose(out);
		assert_string_equal(told, table[i].text);
		free(told);
	}
}

static void
nodes_that_can_start_jobs_are_told_from_others(void **state)
{
	static const char *const good[] = {"idle", "mixed", "allocated",
	    "allocated+", "idle~", "planned", "mixed-", "reserved", "idle#"};
	static const char *const bad[] = {"down", "down*", "idle*", "drained",
	    "draining@", "fail", "maint", "mixed$", "inval", "unknown",
	    "future", "", "reboot"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(queue_node_usable(good[i]));
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(queue_node_usable(bad[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_slurm_is_no_missing_file),
	    cmocka_unit_test(what_cannot_be_started_now_is_silence),
	    cmocka_unit_test(states_are_read_as_squeue_has_them),
	    cmocka_unit_test(a_record_has_what_squeue_told),
	    cmocka_unit_test(a_task_on_its_way_back_is_told_from_one_that_ends),
	    cmocka_unit_test(lines_of_the_same_id_are_one_record),
	    cmocka_unit_test(the_last_task_of_a_step_is_found),
	    cmocka_unit_test(
		the_throttle_of_an_array_is_that_of_all_its_records),
	    cmocka_unit_test(what_is_not_whole_is_refused),
	    cmocka_unit_test(time_limits_are_read),
	    cmocka_unit_test(no_two_questions_have_the_same_mark),
	    cmocka_unit_test(gpus_are_counted_in_what_slurm_says),
	    cmocka_unit_test(gpus_of_a_node_are_told_by_type),
	    cmocka_unit_test(nodes_that_can_start_jobs_are_told_from_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
