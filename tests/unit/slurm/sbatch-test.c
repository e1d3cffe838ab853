#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "slurm/sbatch-output.h"
#include "slurm/sbatch.h"

/* Options as "name=value name=value", to free. */
static char *
written(const struct sbatch *s)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (i = 0; i < s->count; i++)
		fprintf(out, "%s%s=%s", i == 0 ? "" : " ", s->given[i].name,
		    s->given[i].value);
	fclose(out);
	return text;
}

/* Words as a shell would cut them: at single blanks. */
static size_t
split(char *text, char *words[16])
{
	size_t count = 0;
	char *rest, *word;

	for (word = strtok_r(text, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	words[count] = NULL;
	return count;
}

static void
options_are_read_as_getopt_does(void **state)
{
	static const struct {
		const char *words;
		int taken;
		const char *options; /* or the reason */
	} table[] = {
	    {"-N2", 1, "nodes=2"},
	    {"-N 2 x", 2, "nodes=2"},
	    {"-pgpu", 1, "partition=gpu"},
	    {"-HN2", 1, "hold= nodes=2"},
	    {"-HN 2", 2, "hold= nodes=2"},
	    {"-H", 1, "hold="},
	    {"-k", 1, "no-kill="},
	    {"-koff", 1, "no-kill=off"},
	    {"-k off", 1, "no-kill="},
	    {"-o -", 2, "output=-"},
	    {"-t 2-0", 2, "time=2-0"},
	    {"--time=2-0", 1, "time=2-0"},
	    {"--time 2-0", 2, "time=2-0"},
	    {"--time=", 1, "time="},
	    {"--time=a=b", 1, "time=a=b"},
	    {"--time --hold", 2, "time=--hold"},
	    {"--nice", 1, "nice="},
	    {"--nice 5", 1, "nice="},
	    {"--nice=5", 1, "nice=5"},
	    {"--tasks-per-node=2", 1, "ntasks-per-node=2"},
	    {"--cluster=c", 1, "clusters=c"},
	    {"--part=gpu", 1, "partition=gpu"},
	    {"--clus=c", -1,
		"--clus: which of --cluster, "
		"--cluster-constraint, --clusters?"},
	    {"--gpu=1", -1,
		"--gpu: which of --gpu-bind, --gpu-freq, --gpus, "
		"--gpus-per-node, --gpus-per-socket, --gpus-per-task?"},
	    {"--container-image=a.sqsh", 1, "container-image=a.sqsh"},
	    {"--x11 lr=1", 1, "x11="},
	    {"--hold=1", -1, "--hold takes no value"},
	    {"--nodes", -1, "--nodes: its value is missing"},
	    {"-N", -1, "--nodes: its value is missing"},
	    {"-Hz", -1, "-Hz: sbatch has no option -z"},
	    {"-z lr", 0, ""},
	    {"-", 0, ""},
	    {"--", 0, ""},
	    {"lr=1", 0, ""},
	    {"", 0, ""},
	};
	struct sbatch s = {0};
	char text[128], *words[16], *options;
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		snprintf(text, sizeof text, "%s", table[i].words);
		split(text, words);
		assert_int_equal(sbatch_take(&s, words, &e), table[i].taken);
		options = table[i].taken == -1 ? xstrdup(e.text) : written(&s);
		assert_string_equal(options, table[i].options);
		free(options);
		sbatch_free(&s);
	}
}

static void
the_value_given_last_counts(void **state)
{
	struct sbatch s = {0};

	(void)state;
	assert_null(sbatch_value(&s, "time"));
	sbatch_add(&s, "time", "10");
	sbatch_add(&s, "hold", NULL);
	sbatch_add(&s, "time", "20");
	assert_string_equal(sbatch_value(&s, "time"), "20");
	assert_string_equal(sbatch_value(&s, "hold"), "");
	assert_null(sbatch_value(&s, "tim"));
	sbatch_free(&s);
}

static void
letters_and_names_have_one_canonical_name(void **state)
{
	(void)state;
	assert_string_equal(sbatch_name("N"), "nodes");
	assert_string_equal(sbatch_name("nodes"), "nodes");
	assert_string_equal(sbatch_name("tasks-per-node"), "ntasks-per-node");
	assert_null(sbatch_name("node"));
	assert_null(sbatch_name("z"));
	assert_null(sbatch_name(""));
}

static void
options_of_the_array_are_refused_with_a_reason(void **state)
{
	static const char *const refused[] = {"array", "clusters", "help",
	    "input", "parsable", "quiet", "test-only", "wait", "wrap"};
	static const char *const passed[] = {
	    "comment", "output", "gres", "time", "hold", "container-image"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof refused / sizeof *refused; i++)
		assert_non_null(sbatch_refusal(refused[i]));
	for (i = 0; i < sizeof passed / sizeof *passed; i++)
		assert_null(sbatch_refusal(passed[i]));
}

static void
gpus_and_tasks_are_seen_in_any_form(void **state)
{
	static const struct {
		const char *words;
		int gpu, tasks;
	} table[] = {
	    {"--gres=gpu:1", 1, 0},
	    {"--gres=gpu", 1, 0},
	    {"--gres=license:1,gpu:a100:2", 1, 0},
	    {"--gres=gres/gpu:1", 1, 0},
	    {"--gres=none", 1, 0},
	    {"--gres=gpumem:1", 0, 0},
	    {"--gres=license:gpu", 0, 0},
	    {"-G2", 1, 0},
	    {"--gpus-per-node=a100:2", 1, 0},
	    {"--gpus-per-task=1", 1, 0},
	    {"--gpus-per-socket=1", 1, 0},
	    {"--tres-per-task=cpu:2,gres/gpu:1", 1, 0},
	    {"--tres-per-task=cpu:2", 0, 0},
	    {"--cpus-per-gpu=4", 0, 0},
	    {"-n2", 0, 1},
	    {"-N2", 0, 1},
	    {"--ntasks-per-node=2", 0, 1},
	    {"--tasks-per-node=2", 0, 1},
	    {"-c8", 0, 0},
	};
	struct sbatch s = {0};
	char text[128], *words[16];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		snprintf(text, sizeof text, "%s", table[i].words);
		split(text, words);
		assert_int_equal(sbatch_take(&s, words, NULL), 1);
		assert_int_equal(sbatch_has_gpu(&s), table[i].gpu);
		assert_int_equal(sbatch_has_tasks(&s), table[i].tasks);
		sbatch_free(&s);
	}
}

static void
the_environment_gives_options(void **state)
{
	char *env[] = {(char[]){"PATH=/bin"}, (char[]){"SBATCH_GRES=gpu:2"},
	    (char[]){"SBATCH_TIMELIMIT=10"}, (char[]){"SBATCH_MEM_PER_NODE=1"},
	    (char[]){"SBATCH_NODES=2"}, (char[]){"SBATCH_PARTITION"},
	    (char[]){"SBATCH_GPU=1"}, (char[]){"SLURM_QOS=q"}, NULL};
	struct sbatch s = {0};
	char *options;

	(void)state;
	sbatch_environment(&s, env);
	options = written(&s);
	assert_string_equal(options, "gres=gpu:2 time=10 mem=1");
	free(options);
	sbatch_free(&s);
}

/* What a script holds: its lines, its options, its warnings by line. */
static const struct {
	const char *text;
	const char *lines; /* joined by "|" */
	const char *options;
	const char *warnings;
} scripts[] = {
    {"#!/bin/sh\n#SBATCH -p gpu --gres=gpu:1\n\n# text\n#SBATCH\t-N2\nrun\n",
	"#SBATCH -p gpu --gres=gpu:1|#SBATCH\t-N2",
	"partition=gpu gres=gpu:1 nodes=2", ""},
    {"#!/bin/sh\n#SBATCH -J \"a b\" --comment='x # y' # -p gpu\n",
	"#SBATCH -J \"a b\" --comment='x # y' # -p gpu",
	"job-name=a b comment=x # y", ""},
    {"#!/bin/sh\n#SBATCH -J a\\ b\\#c --comment=it\\'s",
	"#SBATCH -J "
	"a\\ b\\#c --comment=it\\'s",
	"job-name=a b#c comment=it's", ""},
    {"#!/bin/sh\n#SBATCH\n#SBATCH # nothing\n", "#SBATCH|#SBATCH # nothing", "",
	""},
    {"#!/bin/sh\necho\n#SBATCH -p gpu\n", "", "",
	"3: #SBATCH after the first command (line 2) is ignored by Slurm: "
	"move it above"},
    {"#!/usr/bin/env python3\n\"\"\"Train.\n\"\"\"\n#SBATCH --gres=gpu:1\n", "",
	"",
	"4: #SBATCH below the docstring of line 2 is ignored by "
	"Slurm: move it above"},
    {"#!/bin/sh\n #SBATCH -p a\n##SBATCH -p b\n# SBATCH -p c\n"
     "#sbatch -p d\n# SBATCH options follow\n",
	"", "",
	"2: \" #SBATCH\" is a comment to Slurm: a directive begins with "
	"#SBATCH"
	"|3: \"##SBATCH\" is a comment to Slurm: a directive begins with "
	"#SBATCH"
	"|4: \"# SBATCH\" is a comment to Slurm: a directive begins with "
	"#SBATCH"
	"|5: \"#sbatch\" is a comment to Slurm: a directive begins with "
	"#SBATCH"},
    {"#!/bin/sh\n#SBATCH -o $HOME/%A.out\n#SBATCH -e ~/err --mem=$5\n",
	"#SBATCH -o $HOME/%A.out|#SBATCH -e ~/err --mem=$5",
	"output=$HOME/%A.out error=~/err mem=$5",
	"2: --output=$HOME/%A.out: Slurm does not expand variables in #SBATCH "
	"lines; it takes %x, %A and %a in file names"
	"|3: --error=~/err: Slurm does not expand ~"},
    {"#!/bin/sh\n#PBS -N pbs\n#SLURM -p old\n#SBATCH --foo=1\n",
	"#PBS -N pbs|#SLURM -p old|#SBATCH --foo=1", "partition=old foo=1", ""},
    {"#!/bin/sh\n#SBATCH -a 0-9\n", "#SBATCH -a 0-9", "array=0-9", ""},
    {"#!/bin/sh\ncat <<end\n # SBATCH -p x\nend\n", "", "", ""},
};

static char *
joined_lines(const struct sbatch_script *s)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (i = 0; i < s->lines; i++)
		fprintf(out, "%s%s", i == 0 ? "" : "|", s->line[i]);
	fclose(out);
	return text;
}

static char *
joined_warnings(const struct sbatch_script *s)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (i = 0; i < s->warnings; i++)
		fprintf(out, "%s%zu: %s", i == 0 ? "" : "|", s->warning[i].line,
		    s->warning[i].text);
	fclose(out);
	return text;
}

static void
scripts_are_read_as_sbatch_does(void **state)
{
	struct sbatch_script s = {0};
	char *lines, *options, *warnings;
	struct error e = {""};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		if (sbatch_script(
			scripts[i].text, strlen(scripts[i].text), &s, &e) == -1)
			fail_msg("%s", e.text);
		lines = joined_lines(&s);
		options = written(&s.options);
		warnings = joined_warnings(&s);
		assert_string_equal(lines, scripts[i].lines);
		assert_string_equal(options, scripts[i].options);
		assert_string_equal(warnings, scripts[i].warnings);
		free(lines);
		free(options);
		free(warnings);
		sbatch_script_free(&s);
	}
}

static void
an_option_knows_its_line(void **state)
{
	static const char text[] = "#!/bin/sh\n\n#SBATCH -N2\n#SBATCH -n3\n";
	struct sbatch_script s = {0};

	(void)state;
	assert_int_equal(sbatch_script(text, strlen(text), &s, NULL), 0);
	assert_int_equal(s.options.count, 2);
	assert_int_equal(s.options.given[0].line, 3);
	assert_int_equal(s.options.given[1].line, 4);
	sbatch_script_free(&s);
}

static void
scripts_that_sbatch_refuses_are_refused(void **state)
{
	static const struct {
		const char *text;
		size_t length;
		const char *reason;
	} table[] = {
	    {"", 0, "the script is empty"},
	    {" \n\t\n", 4, "the script is empty"},
	    {"#!\0", 3, "this is not a text but a program"},
	    {"\177ELF\0", 5, "this is not a text but a program"},
	    {"echo\n", 5, "line 1: a batch script begins with #!"},
	    {" #!/bin/sh\n", 11, "line 1: a batch script begins with #!"},
	    {"#!/bin/sh\necho\r\n", 16, "line 2: it ends as on DOS"},
	    {"#!/bin/sh\n#SBATCH -N\n", 21,
		"line 2: --nodes: its value is missing"},
	    {"#!/bin/sh\n#SBATCH gpu\n", 22, "line 2: gpu: not an option"},
	    {"#!/bin/sh\n#SBATCHgpu\n", 21, "line 2: gpu: not an option"},
	    {"#!/bin/sh\n#SBATCH -J \"a\n", 24, "line 2: a quote does not"},
	    {"#!/bin/sh\n#SBATCH hetjob\n", 25, "line 2: a heterogeneous"},
	};
	struct sbatch_script s = {0};
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		assert_int_equal(
		    sbatch_script(table[i].text, table[i].length, &s, &e), -1);
		assert_memory_equal(
		    e.text, table[i].reason, strlen(table[i].reason));
		assert_int_equal(s.lines, 0);
		assert_null(s.line);
	}
}

static void
time_limits_are_read_as_slurm_does(void **state)
{
	static const struct {
		const char *text;
		int64_t minutes; /* -2: refused */
	} table[] = {
	    {"90", 90},
	    {"90:01", 91},
	    {"1:30:00", 90},
	    {"1:00:01", 61},
	    {"100:00:00", 6000},
	    {"2-0", 2880},
	    {"2-12", 3600},
	    {"1-2:30", 1590},
	    {"1-0:0:1", 1441},
	    {"0-1:90", 150},
	    {"UNLIMITED", -1},
	    {"infinite", -1},
	    {"-1", -1},
	    {"0", -1},
	    {"00:00:00", -1},
	    {"", -2},
	    {"1h", -2},
	    {"1:2:3:4", -2},
	    {"1-", -2},
	    {"-5", -2},
	    {"1--2", -2},
	    {"1:-2", -2},
	    {":30", -2},
	    {"30:", -2},
	    {"1.5", -2},
	    {" 5", -2},
	    {"99999999999999999999", -2},
	};
	int64_t minutes;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		minutes = -3;
		if (sbatch_time(table[i].text, &minutes, NULL) == -1)
			minutes = minutes == -3 ? -2 : -4;
		assert_int_equal(minutes, table[i].minutes);
	}
}

static void
memory_is_read_in_megabytes(void **state)
{
	static const struct {
		const char *text;
		int64_t megabytes; /* -1: refused */
	} table[] = {
	    {"512", 512},
	    {"64G", 65536},
	    {"64gb", 65536},
	    {"1.5T", 1572864},
	    {"100k", 1},
	    {"0", 0},
	    {"", -1},
	    {"G", -1},
	    {"4X", -1},
	    {"4GiB", -1},
	    {"-4G", -1},
	    {"1e3", -1},
	};
	int64_t got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		if (sbatch_memory(table[i].text, &got, NULL) == -1)
			got = -1;
		assert_int_equal(got, table[i].megabytes);
	}
}

static void
gpus_are_counted_by_type(void **state)
{
	static const struct {
		const char *option, *text;
		int entries; /* -1: refused */
		const char *gpus;
	} table[] = {
	    {"gres", "gpu", 1, ":1"},
	    {"gres", "gpu:2", 1, ":2"},
	    {"gres", "gpu:0", 1, ":0"},
	    {"gres", "gpu=2", 1, ":2"},
	    {"gres", "gpu:a100", 1, "a100:1"},
	    {"gres", "gpu:a100:2", 1, "a100:2"},
	    {"gres", "gpu:2080ti", 1, "2080ti:1"},
	    {"gres", "gpu:2080ti:3", 1, "2080ti:3"},
	    {"gres", "gpu:1k", 1, ":1024"},
	    {"gres", "gres/gpu:a100=2", 1, "a100:2"},
	    {"gres", "gres:gpu:1", 1, ":1"},
	    {"gres", "gpu:a:1,shard:4,gpu:b:2", 2, "a:1,b:2"},
	    {"gres", "gpu:a:1,gpu:b:2,gpu:c:3,gpu:d:4", 3, "a:1,b:2,c:3"},
	    {"gres", "gpu:tesla:2(S:0,1),gpu:4(S:0-1)", 2, "tesla:2,:4"},
	    {"gres", "gpu(S:0)", 1, ":1"},
	    {"gres", "license:3", 0, ""},
	    {"gres", "gpumem:3", 0, ""},
	    {"gres", "none", 0, ""},
	    {"gres", "", 0, ""},
	    {"gpus", "4", 1, ":4"},
	    {"gpus", "a100:4", 1, "a100:4"},
	    {"gpus-per-node", "a100:1,v100:2", 2, "a100:1,v100:2"},
	    {"tres-per-task", "cpu:4,gres/gpu:2", 1, ":2"},
	    {"gres", "gpu:-1", -1, ""},
	    {"gres", "gpu:a100:x", -1, ""},
	    {"gres", "gpu:a100:", -1, ""},
	    {"gres", "gpu::2", -1, ""},
	    {"gpus", "a:b:c", -1, ""},
	};
	struct sbatch_gpus gpu[3];
	char text[128];
	size_t i, used;
	int n, k;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		n = sbatch_gpus(table[i].option, table[i].text, gpu, 3, NULL);
		assert_int_equal(n, table[i].entries);
		text[0] = '\0';
		for (k = 0, used = 0; k < n; k++)
			used += (size_t)snprintf(text + used,
			    sizeof text - used, "%s%s:%llu", k == 0 ? "" : ",",
			    gpu[k].type, (unsigned long long)gpu[k].count);
		assert_string_equal(text, table[i].gpus);
	}
}

static void
a_log_has_the_name_that_slurm_gives_it(void **state)
{
	static const struct sbatch_output array = {
	    12, 3, 15, "my job", "ann", "n1.cluster,n2"};
	static const struct sbatch_output alone = {12, -1, 12, "j", "ann", ""};
	static const struct sbatch_output gone = {
	    12, 3, -1, "j", "ann", "n[1-2]"};
	static const struct {
		const char *name;
		const struct sbatch_output *job;
		const char *path; /* or NULL: nobody knows */
	} cases[] = {
	    {"/x/slurm-%A_%a.out", &array, "/x/slurm-12_3.out"},
	    {"/x/%j-%x-%u-%N.txt", &array, "/x/15-my job-ann-n1.txt"},
	    {"%4A_%03a.%%a", &array, "0012_003.%a"},
	    {"%999999999999a", &array, "0000000003"},
	    {"slurm-%j.out", &alone, "slurm-12.out"},
	    {"%a", &alone, "4294967294"},
	    {"plain", &gone, "plain"},
	    {"%A_%a", &gone, "12_3"},
	    {"%j", &gone, NULL},
	    {"%N", &gone, NULL},
	    {"%N", &alone, NULL},
	    {"100%", &alone, NULL},
	    {"%q", &array, NULL},
	    {"a\\%j", &array, NULL},
	};
	char *path;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		path = sbatch_output(cases[i].name, cases[i].job);
		if (cases[i].path == NULL
			? path != NULL
			: path == NULL || strcmp(path, cases[i].path) != 0)
			fail_msg("%s: %s", cases[i].name, path ? path : "NULL");
		free(path);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(options_are_read_as_getopt_does),
	    cmocka_unit_test(the_value_given_last_counts),
	    cmocka_unit_test(letters_and_names_have_one_canonical_name),
	    cmocka_unit_test(options_of_the_array_are_refused_with_a_reason),
	    cmocka_unit_test(gpus_and_tasks_are_seen_in_any_form),
	    cmocka_unit_test(the_environment_gives_options),
	    cmocka_unit_test(scripts_are_read_as_sbatch_does),
	    cmocka_unit_test(an_option_knows_its_line),
	    cmocka_unit_test(scripts_that_sbatch_refuses_are_refused),
	    cmocka_unit_test(time_limits_are_read_as_slurm_does),
	    cmocka_unit_test(memory_is_read_in_megabytes),
	    cmocka_unit_test(gpus_are_counted_by_type),
	    cmocka_unit_test(a_log_has_the_name_that_slurm_gives_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
