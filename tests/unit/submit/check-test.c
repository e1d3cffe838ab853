#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "slurm/queue.h"
#include "store/job.h"
#include "submit/plan.h"

/* Give an option: "name=value" on the command line, "*name=value" in a file. */
static void
give(struct job_plan *plan, const char *word)
{
	int is_default = *word == '*';
	char *name = xstrdup(word + is_default), *value = strchr(name, '=');

	*value++ = '\0';
	sbatch_add(is_default ? &plan->defaults : &plan->given, name, value);
	if (is_default)
		job_plan_default_add(plan, name, value, "f: line 1");
	free(name);
}

static void
a_default_is_blamed_if_its_option_is_wrong(void **state)
{
	static const struct {
		const char *options,
		    *want; /* want: the blamed default, or "" */
	} cases[] = {
	    {"partition=main time=100", ""},
	    {"*partition=main time=100", "--partition=main"},
	    {"*comment=60 *partition=main *time=100", "--partition=main"},
	    {"*comment=60 *time=100 partition=main", "--time=100"},
	    {"*comment=60 time=100 partition=main", ""},
	    {"*partition=nope time=1", "--partition=nope"},
	    {"*time=1 partition=nope", ""},
	    {"*time=x partition=main", "--time=x"},
	    {"*cpus-per-task=9 gres=none", "--cpus-per-task=9"},
	    {"*ntasks-per-node=3 cpus-per-task=4", "--ntasks-per-node=3"},
	    {"*cpus-per-task=4 nodes=3", ""},
	    {"*nodes=3-4 gres=none", "--nodes=3-4"},
	    {"*gres=gpu:3", "--gres=gpu:3"},
	    {"*comment=gpu gres=gpu:3", ""},
	};
	struct queue_partition main = {.name = "main",
	    .is_default = 1,
	    .up = 1,
	    .minutes = 60,
	    .usual = 60,
	    .nodes = 2,
	    .cpus = 8};
	const struct queue_cluster cluster = {
	    .partition = &main, .partitions = 1};
	struct job_plan *plan;
	char *list, *save, *word, *want;
	struct error e, before;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		plan = job_plan_new();
		list = xstrdup(cases[i].options);
		for (word = strtok_r(list, " ", &save); word != NULL;
		     word = strtok_r(NULL, " ", &save))
			give(plan, word);
		free(list);
		assert_int_equal(
		    job_plan_check_cluster(plan, &cluster, &e), -1);
		before = e;
		job_plan_default_blame(plan, &e);
		want = *cases[i].want == '\0'
		    ? xstrdup(before.text)
		    : xasprintf("%s; %s is a default (f: line 1)", before.text,
			  cases[i].want);
		assert_string_equal(e.text, want);
		free(want);
		job_plan_free(plan);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_default_is_blamed_if_its_option_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
