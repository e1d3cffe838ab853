#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "slurm/step.h"

/* What srun says, of several releases and sites, and a word of what is said. */
static void
each_refusal_has_its_meaning(void **state)
{
	static const struct {
		const char *said, *meaning;
	} table[] = {
	    {"srun: unrecognized option '--overlap'\n", "20.11 or newer"},
	    {"srun: error: Unable to create step for job 7: Access/permission "
	     "denied\n",
		"allows no further step"},
	    {"srun: error: Unable to create step for job 7: Requested nodes "
	     "are busy\n",
		"before Slurm 21.08"},
	    {"srun: error: Unable to confirm allocation for job 7: Invalid job "
	     "id specified\n",
		"has ended"},
	    {"srun: error: Unable to create step for job 7: Job/step already "
	     "completing or completed\n",
		"is ending"},
	    {"srun: error: Unable to confirm allocation for job 7: Unable to "
	     "contact slurm controller (connect failure)\n",
		"slurmctld does not answer"},
	    {"srun: error: task 0 launch failed: User not allowed, "
	     "pam_open_session failed\n",
		"PAM on the node"},
	    {"srun: error: timeout waiting for task launch, started 0 of 1 "
	     "tasks\n",
		"login node"},
	    {"srun: error: Timed out waiting for job step to complete\n",
		"has ended"},
	    {"srun: error: Node failure on n1\n", "node has failed"},
	    {"srun: error: something new\n", "did not start it"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++)
		if (strstr(queue_step_meaning(table[i].said),
			table[i].meaning) == NULL)
			fail_msg("%s: %s", table[i].said,
			    queue_step_meaning(table[i].said));
}

static void
a_step_shares_all_that_the_task_has(void **state)
{
	struct queue_step one = {
	    .job = 4711, .nodes = "n2", .count = 1, .terminal = 1};
	struct queue_step all = {.job = 4711, .nodes = "n1,n2", .count = 2};
	struct strlist words = {0};

	(void)state;
	strlist_push(&words, "top");
	queue_step_words(&one, &words);
	assert_string_equal(words.word[0], "srun");
	assert_true(strlist_have(&words, "--jobid=4711"));
	assert_true(strlist_have(&words, "--overlap"));
	assert_true(strlist_have(&words, "--mem=0"));
	assert_true(strlist_have(&words, "--pty"));
	assert_true(strlist_have(&words, "--nodelist=n2"));
	assert_false(strlist_have(&words, "--ntasks-per-node=1"));
	assert_string_equal(words.word[words.count - 1], "top");
	strlist_free(&words);

	queue_step_words(&all, &words);
	assert_true(strlist_have(&words, "--nodes=2"));
	assert_true(strlist_have(&words, "--ntasks-per-node=1"));
	assert_false(strlist_have(&words, "--pty"));
	strlist_free(&words);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_refusal_has_its_meaning),
	    cmocka_unit_test(a_step_shares_all_that_the_task_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
