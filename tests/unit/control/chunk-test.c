#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/chunk.h"
#include "control/sbatch-argv.h"
#include "store/chunk.h"
#include "store/job.h"

/* Give the tasks of a job what these letters ask for: 'a' --mem=aG, '-' none.
 */
static void
group(struct store_job *job, const char *letters)
{
	struct store_groups *groups = &job->groups;
	struct strlist asked = {0};
	uint64_t i;

	for (i = 0; letters[i] != '\0'; i++) {
		if (letters[i] != '-')
			strlist_take(&asked, xasprintf("@mem=%cG", letters[i]));
		store_groups_add(groups, i, &asked);
		strlist_free(&asked);
	}
	for (i = 0; i < groups->count; i++)
		if (groups->group[i].asked.count > 0)
			strlist_take(&groups->group[i].options,
			    xasprintf("--mem=%s",
				groups->group[i].asked.word[0] + 5));
}

/* "0,2%1 --mem=aG;1,3": the arrays of a job, in order. */
static char *
plan(const struct store_job *job)
{
	struct store_chunks chunks;
	char *text = NULL, *tasks, *options;
	size_t length, i;
	FILE *f = xmemopen(&text, &length);

	job_chunks(job, &chunks);
	assert_int_equal(chunks.count, job_chunk_count(job));
	for (i = 0; i < chunks.count; i++) {
		const struct store_chunk *c = &chunks.chunk[i];

		tasks = idset_text(&c->tasks);
		options = strlist_join(&c->options, " ");
		fprintf(f, "%s%s", i > 0 ? ";" : "", tasks);
		if (c->throttle > 0)
			fprintf(f, "%%%d", (int)c->throttle);
		fprintf(f, "%s%s", *options ? " " : "", options);
		assert_int_equal(job_chunk_number(c), i);
		free(tasks);
		free(options);
	}
	xmemclose(f);
	store_chunks_free(&chunks);
	return text;
}

static void
points_that_ask_for_the_same_are_in_one_array(void **state)
{
	static const struct {
		const char *letters;
		uint64_t size;
		int64_t parallel, canary;
		const char *plan;
	} cases[] = {
	    {"----", 10, 0, 0, "0-3"},
	    {"aaaa", 10, 0, 0, "0-3 --mem=aG"},
	    {"aabb", 10, 0, 0, "0-1 --mem=aG;2-3 --mem=bG"},
	    {"abab", 10, 0, 0, "0,2 --mem=aG;1,3 --mem=bG"},
	    {"a-a-b", 10, 0, 0, "0,2 --mem=aG;1,3;4 --mem=bG"},
	    {"ababa", 2, 0, 0, "0,2 --mem=aG;4 --mem=aG;1,3 --mem=bG"},
	    {"abab", 10, 2, 0, "0,2%1 --mem=aG;1,3%1 --mem=bG"},
	    {"abbbbbbb", 10, 6, 0, "0%1 --mem=aG;1-7%5 --mem=bG"},
	    {"ab", 10, 100, 0, "0%1 --mem=aG;1%1 --mem=bG"},
	    {"abc", 10, 1, 0, "0%1 --mem=aG;1%1 --mem=bG;2%1 --mem=cG"},
	    {"abab", 10, 0, 1,
		"0 --mem=aG;2 --mem=aG --hold;1,3 --mem=bG --hold"},
	    {"abb", 10, 0, 1, "0 --mem=aG;1-2 --mem=bG --hold"},
	};
	size_t i;
	char *got;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct store_job job = {.id = "id",
		    .tasks = strlen(cases[i].letters),
		    .array_size = cases[i].size,
		    .parallel = cases[i].parallel,
		    .policy.canary = cases[i].canary};

		group(&job, cases[i].letters);
		got = plan(&job);
		assert_string_equal(got, cases[i].plan);
		free(got);
		store_groups_free(&job.groups);
	}
}

static void
a_job_that_asks_for_one_thing_is_cut_by_size_alone(void **state)
{
	struct store_job job = {.id = "id", .tasks = 7, .array_size = 3};
	char *got;

	(void)state;
	got = plan(&job);
	assert_string_equal(got, "0-2;3-5;6");
	free(got);
	job.parallel = 5;
	got = plan(&job);
	assert_string_equal(got, "0-2%2;3-5%2;6%1");
	free(got);
	job.policy.canary = 1;
	got = plan(&job);
	assert_string_equal(got, "0;1-3%2 --hold;4-6%2 --hold");
	free(got);
}

static void
packed_tasks_share_indices(void **state)
{
	static const struct {
		const char *letters; /* NULL: all ask for the same */
		uint64_t tasks, size;
		int64_t pack, parallel, canary;
		const char *plan;
	} cases[] = {
	    {NULL, 7, 10, 4, 0, 0, "0-6"},
	    {NULL, 9, 2, 4, 0, 0, "0-7;8"},
	    {NULL, 9, 10, 4, 8, 0, "0-8%2"},
	    {NULL, 9, 10, 4, 4, 0, "0-8%1"},
	    {NULL, 9, 10, 4, 0, 1, "0;1-8 --hold"},
	    {"ababab", 6, 10, 2, 0, 0, "0,2,4 --mem=aG;1,3,5 --mem=bG"},
	    {"aaaab", 5, 1, 2, 0, 0, "0-1 --mem=aG;2-3 --mem=aG;4 --mem=bG"},
	};
	size_t i;
	char *got;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct store_job job = {.id = "id",
		    .tasks = cases[i].tasks,
		    .array_size = cases[i].size,
		    .pack = cases[i].pack,
		    .parallel = cases[i].parallel,
		    .policy.canary = cases[i].canary};

		if (cases[i].letters != NULL)
			group(&job, cases[i].letters);
		got = plan(&job);
		assert_string_equal(got, cases[i].plan);
		free(got);
		store_groups_free(&job.groups);
	}
}

static void
each_task_of_a_pack_has_its_index(void **state)
{
	static const struct {
		int64_t pack;
		const char *indices; /* of the tasks 1, 3, 5, 7, 9 */
		const char *beside;  /* how many each index has */
	} cases[] = {
	    {0, "01234", "11111"},
	    {1, "01234", "11111"},
	    {2, "00112", "221"},
	    {4, "00001", "41"},
	    {5, "00000", "5"},
	    {9, "00000", "5"},
	};
	struct store_chunk c = {.name = "c00000.0"};
	uint64_t first, seen, k, n;
	size_t i;

	(void)state;
	assert_int_equal(idset_parse(&c.tasks, "1-9:2", NULL), 0);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		c.pack = cases[i].pack;
		assert_int_equal(store_chunk_size(&c), strlen(cases[i].beside));
		for (k = 0; k < 5; k++)
			assert_int_equal(store_chunk_index(&c, 1 + 2 * k),
			    cases[i].indices[k] - '0');
		for (seen = 0, k = 0; k < store_chunk_size(&c); k++) {
			n = store_chunk_packed(&c, k, &first);
			assert_int_equal(n, cases[i].beside[k] - '0');
			assert_int_equal(first, seen);
			seen += n;
		}
		assert_int_equal(store_chunk_packed(&c, k, &first), 0);
		assert_int_equal(store_chunk_packed(&c, UINT64_MAX, &first), 0);
	}
	idset_free(&c.tasks);
}

static void
a_packed_chunk_is_cut_between_indices(void **state)
{
	struct store_job job = {.id = "id", .tasks = 11, .pack = 4};
	struct store_chunk c = {.name = "c00000.0", .pack = 4}, half[2];
	char *text;
	int i;

	(void)state;
	idset_add(&c.tasks, 0, 10);
	for (i = 0; i < 2; i++) {
		job_chunk_half(&job, &c, (char)('a' + i), &half[i]);
		assert_int_equal(half[i].pack, 4);
		text = idset_text(&half[i].tasks);
		assert_string_equal(text, i == 0 ? "0-7" : "8-10");
		free(text);
		store_chunk_free(&half[i]);
	}
	idset_free(&c.tasks);
}

static void
each_task_finds_what_it_asks_for(void **state)
{
	struct store_job job = {.id = "id", .tasks = 4, .array_size = 3};

	(void)state;
	assert_null(store_group_of(&job.groups, 0));
	group(&job, "a-ba");
	assert_string_equal(store_group_value(&job.groups, 3, "@mem"), "aG");
	assert_string_equal(store_group_value(&job.groups, 2, "@mem"), "bG");
	assert_null(store_group_value(&job.groups, 1, "@mem"));
	assert_null(store_group_value(&job.groups, 0, "@me"));
	assert_null(store_group_value(&job.groups, 9, "@mem"));
	assert_int_equal(job.groups.names.count, 1);
	store_groups_free(&job.groups);
}

/* The options of one sbatch call, without what is ours, as one text. */
static char *
call(char *const *job_options, char *const *options)
{
	struct store_job job = {.id = "id", .name = "j", .path = "/p"};
	struct store_chunk c = {.name = "c00000.0", .token = "t"};
	struct strlist words = {0};
	char *text;

	for (; *job_options != NULL; job_options++)
		strlist_push(&job.options, *job_options);
	for (; *options != NULL; options++)
		strlist_push(&c.options, *options);
	idset_add(&c.tasks, 0, 0);
	job_sbatch_argv(&job, &c, NULL, "batch.sh", &words);
	while (strncmp(words.word[words.count - 1], "--job-name", 10) != 0)
		strlist_drop(&words, words.count - 1);
	strlist_drop(&words, words.count - 1);
	text = strlist_join(&words, " ");
	strlist_free(&words);
	strlist_free(&job.options);
	strlist_free(&c.options);
	idset_free(&c.tasks);
	return text;
}

static void
an_option_takes_the_place_of_those_like_it(void **state)
{
	static const struct {
		char *job[4], *chunk[4];
		const char *call;
	} cases[] = {
	    {{"--mem=1G", "-N1"}, {NULL}, "--mem=1G -N1"},
	    {{"--mem=1G", "--time=1"}, {"--mem=2G"}, "--time=1 --mem=2G"},
	    {{"--mem-per-cpu=1G"}, {"--mem=2G"}, "--mem=2G"},
	    {{"--gres=gpu:1"}, {"--gpus=2", "--hold"}, "--gpus=2 --hold"},
	    {{NULL}, {"--mem=1G", "--time=1", "--mem-per-cpu=9"},
		"--time=1 --mem-per-cpu=9"},
	    {{"--requeue"}, {"--mem=1"}, "--requeue --mem=1"},
	};
	size_t i;
	char *got;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		got = call(cases[i].job, cases[i].chunk);
		assert_string_equal(got, cases[i].call);
		free(got);
	}
}

static void
what_was_adopted_keeps_its_indices(void **state)
{
	struct store_chunk c = {.name = "c00000.0", .adopted = 1};
	uint64_t first;

	(void)state;
	idset_add(&c.tasks, 4, 6);
	assert_int_equal(idset_parse(&c.indices, "3,7-8", NULL), 0);
	assert_int_equal(store_chunk_size(&c), 3);
	assert_int_equal(store_chunk_index(&c, 4), 3);
	assert_int_equal(store_chunk_index(&c, 6), 8);
	assert_int_equal(store_chunk_at(&c, 1), 7);
	assert_int_equal(store_chunk_place(&c, 7), 1);
	assert_int_equal(store_chunk_place(&c, 1), 3);
	assert_int_equal(store_chunk_packed(&c, 1, &first), 1);
	assert_int_equal(first, 1);
	idset_free(&c.indices);
	idset_free(&c.tasks);

	/* A job that is no array has no index. */
	idset_add(&c.tasks, 2, 2);
	assert_int_equal(store_chunk_index(&c, 2), -1);
	assert_int_equal(store_chunk_place(&c, 0), 1);
	idset_free(&c.tasks);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(points_that_ask_for_the_same_are_in_one_array),
	    cmocka_unit_test(
		a_job_that_asks_for_one_thing_is_cut_by_size_alone),
	    cmocka_unit_test(packed_tasks_share_indices),
	    cmocka_unit_test(each_task_of_a_pack_has_its_index),
	    cmocka_unit_test(a_packed_chunk_is_cut_between_indices),
	    cmocka_unit_test(each_task_finds_what_it_asks_for),
	    cmocka_unit_test(an_option_takes_the_place_of_those_like_it),
	    cmocka_unit_test(what_was_adopted_keeps_its_indices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
