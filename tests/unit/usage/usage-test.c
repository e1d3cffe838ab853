#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "usage/gpu.h"
#include "usage/kernel.h"
#include "usage/usage.h"

/* ---- spans ---- */

static void
look(struct usage *u, double end, double busy, double other, double memory)
{
	struct usage_span s = usage_span(end);

	s.each[0] = busy;
	s.each[1] = other;
	s.gpu = (busy + other) / 2;
	s.idle = (busy == 0) + (other == 0);
	s.cpu = 1.5;
	s.memory = s.gpu_memory = memory;
	usage_add(u, &s);
}

static struct usage
two_gpus(void)
{
	return (struct usage){.from = "cgroup",
	    .tool = "nvidia-smi",
	    .cpus = 4,
	    .memory_limit = 8192,
	    .gpu_total = 32768,
	    .gpus = 2,
	    .name = {2, 5}};
}

static void
a_week_is_as_long_as_an_hour_and_its_means_are_exact(void **state)
{
	struct usage u = two_gpus();
	struct usage_sum sum;
	double longest = 0, span;
	size_t i, n = 7 * 2880, length;
	char *text;

	(void)state;
	for (i = 1; i <= n; i++) {
		/* The first look comes early. */
		look(&u, (double)i * 30 - 25 * (i == 1), i % 2 ? 100 : 0, 50,
		    i == 777 ? 999 : 10);
		assert_true(u.count <= USAGE_MOST);
	}
	assert_true(u.count > USAGE_MOST / 3);
	for (i = 1; i < u.count; i++) {
		span = u.span[i].end - u.span[i - 1].end;
		longest = span > longest ? span : longest;
	}
	assert_true(longest < 3.0 * (double)n * 30 / (double)u.count);
	usage_sum(&u, &sum);
	assert_float_equal(sum.time, (double)n * 30, 0);
	assert_float_equal(sum.gpu, 50, 0.01);
	assert_float_equal(sum.idle, (double)n * 15, 30);
	assert_float_equal(sum.memory, 999, 0);
	assert_float_equal(sum.cpu, 1.5, 1e-9);
	assert_float_equal(sum.still, 0, 0);
	usage_thin(&u, USAGE_KEPT);
	assert_true(u.count <= USAGE_KEPT);
	text = usage_text(&u, &length);
	assert_true(length < 2048);
	free(text);
}

static void
what_is_written_reads_back(void **state)
{
	struct usage u = two_gpus(), again;
	struct usage_sum a, b;
	char *text, *second;
	size_t length, more;

	(void)state;
	look(&u, 5, 0, 100, 10);
	look(&u, 35, 0.01, 97, 20);
	look(&u, 65, NAN, 97, 20);
	text = usage_text(&u, &length);
	assert_string_equal(text,
	    "# stfm usage 1 from=cgroup cpus=4 memory_limit=8192 "
	    "tool=nvidia-smi gpus=2 gpu_total=32768\n"
	    "seconds,gpu,gpu_memory,gpu_idle,cpu,memory,gpu2,gpu5\n"
	    "5,50,10,1,1.5,10,0,100\n"
	    "35,48.5,20,0,1.5,20,0.1,97\n"
	    "65,,20,0,1.5,20,,97\n");
	assert_int_equal(usage_read(&again, text, length, NULL), 0);
	second = usage_text(&again, &more);
	assert_string_equal(text, second);
	usage_sum(&u, &a);
	usage_sum(&again, &b);
	assert_true(fabs(a.gpu - b.gpu) < 0.1);
	assert_string_equal(usage_csv(text), strchr(text, '\n') + 1);
	free(second);
	second = usage_sum_text(&b);
	assert_string_equal(second,
	    "time=65 gpus=2 gpu=48.7 gpu_memory=20 gpu_total=32768 idle=5 "
	    "cpu=1.5 cpus=4 memory=20 memory_limit=8192");
	usage_sum_read(&a, second);
	assert_true(a.cpus == 4 && isnan(a.still) && a.idle == 5);
	free(second);
	free(text);
}

static void
what_was_cut_or_is_damaged_leaves_the_rest(void **state)
{
	static const char whole[] =
	    "# stfm usage 1 cpus=2\n"
	    "seconds,gpu,gpu_memory,gpu_idle,cpu,memory\n"
	    "30,,,,1,10\n"
	    "60,,,,1,20\n";
	struct usage u;
	struct error e;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof whole; i++) {
		text = xstrndup(whole, i);
		if (usage_read(&u, text, i, &e) == 0)
			assert_true(u.count <= 2);
		else
			assert_true(i < 14 && u.count == 0);
		if (i == sizeof whole - 2)
			assert_int_equal(u.count, 1);
		free(text);
	}
	assert_int_equal(u.count, 2);
	assert_int_equal(usage_read(&u, "no,use\n", 7, &e), -1);
	assert_string_equal(e.text, "no record of use");
	text = xstrdup("# stfm usage 1 gpus=99999\nx\n"
		       "30,-1,1e99,x,,\n20,1,1,1,1,1\nnan,1,1,1,1,1\n1\n");
	assert_int_equal(usage_read(&u, text, strlen(text), NULL), 0);
	assert_int_equal(u.gpus, USAGE_GPUS);
	assert_int_equal(u.count, 1);
	assert_true(isnan(u.span[0].gpu) && isnan(u.span[0].gpu_memory));
	free(text);
}

static void
a_gpu_that_does_nothing_at_the_end_is_named(void **state)
{
	struct usage u = two_gpus();
	struct usage_sum sum;
	int i;

	(void)state;
	for (i = 1; i <= 100; i++)
		look(&u, i * 30, 80, i > 60 ? 0 : 80, 1);
	usage_sum(&u, &sum);
	assert_float_equal(sum.which, 5, 0);
	/* Spans have grown: the one in which it stopped counts as busy. */
	assert_true(sum.still <= 1200 && sum.still >= 1080);
	look(&u, 3030, 80, NAN, 1);
	usage_sum(&u, &sum);
	assert_true(isnan(sum.still)); /* nobody knows */
}

/* ---- GPUs ---- */

static void
nvidia_smi_is_read(void **state)
{
	static const char text[] =
	    "Unable to determine the device handle for GPU0000:1A:00.0: GPU is "
	    "lost.  Reboot the system to recover this GPU\n"
	    "0, GPU-5a1b6f0e-8f3e-0d5f-2b43-bb6a1a3c9c1e, 97, 11469, 16384\n"
	    "1, GPU-6a1b6f0e-8f3e-0d5f-2b43-bb6a1a3c9c1e, [N/A], "
	    "[Insufficient Permissions], [Insufficient Permissions]\r\n"
	    "2, GPU-7a1b, [Not Supported], 0, 81920\n"
	    "10, GPU-8a1b, [Unknown Error], [GPU requires reset], 1\n"
	    "3, GPU-9a1b, 101, -1, 1e300\n"
	    "4, GPU-9, 1\n"
	    "No devices were found\n";
	struct usage_gpu g[8];

	(void)state;
	assert_int_equal(usage_gpu_nvidia(text, g, 8), 5);
	assert_int_equal(g[0].number, 0);
	assert_string_equal(
	    g[0].uuid, "GPU-5a1b6f0e-8f3e-0d5f-2b43-bb6a1a3c9c1e");
	assert_true(
	    g[0].busy == 97 && g[0].memory == 11469 && g[0].total == 16384);
	assert_true(isnan(g[1].busy) && isnan(g[1].memory));
	assert_true(isnan(g[2].busy) && g[2].memory == 0);
	assert_true(g[3].number == 10 && isnan(g[3].memory));
	assert_true(isnan(g[4].busy) && isnan(g[4].memory));
	assert_true(isnan(g[4].total));
	assert_int_equal(usage_gpu_nvidia(text, g, 2), 2);
	assert_int_equal(usage_gpu_nvidia("", g, 8), 0);
}

static void
rocm_smi_is_read_by_the_names_of_its_columns(void **state)
{
	static const char text[] =
	    "WARNING: AMD GPU device(s) is/are in a low-power state.\n"
	    "\n"
	    "device,GPU use (%),GFX Activity,VRAM Total Memory (B),"
	    "VRAM Total Used Memory (B)\n"
	    "card0,0,203885505,68702699520,10977280\n"
	    "card7,99,N/A,68702699520,34351349760\n\n";
	struct usage_gpu g[8];

	(void)state;
	assert_int_equal(usage_gpu_rocm(text, g, 8), 2);
	assert_true(g[0].number == 0 && g[0].busy == 0);
	assert_true(g[1].number == 7 && g[1].busy == 99);
	assert_float_equal(g[1].memory, 32760, 1);
	assert_float_equal(g[1].total, 65520, 1);
	assert_int_equal(
	    usage_gpu_rocm("device,VRAM%\ncard1,4\n1,2\n", g, 8), 1);
	assert_true(isnan(g[0].busy) && isnan(g[0].memory));
	assert_int_equal(usage_gpu_rocm("ERROR: No AMD GPUs\n", g, 8), 0);
}

static void
the_gpus_of_a_task_are_chosen(void **state)
{
	static const struct {
		const char *list, *left;
	} cases[] = {
	    {"0", "0"},
	    {"1,3", "1 3"},
	    {"3,1", "1 3"},
	    {"0-2", "0 1 2"},
	    {"1+6", "1"},
	    {"GPU-b", "1"},
	    {"GPU-a,GPU-d1", "0 3"},
	    {"GPU-", ""},
	    {"", ""},
	    {"7", ""},
	    {"NoDevFiles", ""},
	    {"4,5,6,7", "0 1 2 3"}, /* it sees no others */
	    {"MIG-1,MIG-2,MIG-3,MIG-4", "0? 1? 2? 3?"},
	};
	struct usage_gpu g[4];
	size_t i, k, count, length;
	char *left;
	FILE *f;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (k = 0; k < 4; k++) {
			g[k] = (struct usage_gpu){.number = (int)k, .busy = 1};
			snprintf(g[k].uuid, sizeof g[k].uuid, "GPU-%c1",
			    (char)('a' + k));
		}
		count = usage_gpu_own(g, 4, cases[i].list);
		f = xmemopen(&left, &length);
		for (k = 0; k < count; k++)
			fprintf(f, "%s%d%s", k > 0 ? " " : "", g[k].number,
			    isnan(g[k].busy) ? "?" : "");
		xmemclose(f);
		assert_string_equal(left, cases[i].left);
		free(left);
	}
}

/* ---- the kernel ---- */

static void
the_control_group_is_that_of_the_job(void **state)
{
	static const struct {
		const char *groups, *found;
	} cases[] = {
	    {"0::/system.slice/slurmstepd.scope/job_41/step_batch/user/task_0"
	     "\n",
		"R/system.slice/slurmstepd.scope/job_41"},
	    {"1:cpu:/slurm/uid_1/job_41\n0::/\n", NULL},
	    {"0::/a/job_41\n", "R/a/job_41"},
	    {"0::/a/job_411/step_0\n", NULL},
	    {"0::/user.slice/user-1000.slice\n", NULL},
	    {"0::/a/job_41", "R/a/job_41"},
	    {"", NULL},
	};
	char *found;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		found = usage_cgroup_find("R", cases[i].groups, 41);
		if (cases[i].found == NULL)
			assert_null(found);
		else
			assert_string_equal(found, cases[i].found);
		free(found);
	}
}

static void
write_below(const char *directory, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", directory, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(path);
}

static void
what_a_control_group_has_used_is_read(void **state)
{
	char directory[] = "/tmp/usage-test-XXXXXX";
	struct usage_kernel k;
	struct error e;
	char *path;

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(usage_cgroup_read(directory, &k, &e), -1);
	write_below(directory, "cpu.stat",
	    "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n");
	assert_int_equal(usage_cgroup_read(directory, &k, &e), 0);
	assert_float_equal(k.cpu, 2.5, 1e-9);
	assert_true(isnan(k.memory));
	write_below(directory, "memory.stat",
	    "anon 3145728\nfile 999999999\nshmem 1048576\nanon_thp 5\n");
	assert_int_equal(usage_cgroup_read(directory, &k, &e), 0);
	assert_float_equal(k.memory, 4, 1e-9);
	path = xasprintf("%s/cpu.stat", directory);
	unlink(path);
	free(path);
	path = xasprintf("%s/memory.stat", directory);
	unlink(path);
	free(path);
	rmdir(directory);
}

static void
processes_are_summed_below_one(void **state)
{
	static const struct proc_stat all[] = {
	    {40, 30, 1, 1},    /* below the one without */
	    {1, 0, 1e6, 1e6},  /* init */
	    {10, 1, 100, 10},  /* the top */
	    {20, 10, 200, 20}, /* below it */
	    {25, 20, 400, 40},
	    {30, 10, 1, 1}, /* without */
	    {50, 60, 1, 1}, /* a circle */
	    {60, 50, 1, 1},
	};
	struct proc_stat p[sizeof all / sizeof *all];
	double tick = (double)sysconf(_SC_CLK_TCK);
	double page = (double)sysconf(_SC_PAGESIZE);
	struct usage_kernel sum;

	(void)state;
	memcpy(p, all, sizeof all);
	sum = usage_process_sum(p, 8, 10, 30);
	assert_float_equal(sum.cpu, 700 / tick, 1e-9);
	assert_float_equal(sum.memory, 70 * page / (1 << 20), 1e-9);
	sum = usage_process_sum(p, 8, 99, 30);
	assert_true(isnan(sum.cpu));
	sum = usage_process_sum(p, 0, 99, 30);
	assert_true(isnan(sum.cpu));
}

static void
a_process_is_read_whatever_its_name(void **state)
{
	struct proc_stat p;
	struct usage_kernel self;

	(void)state;
	assert_int_equal(
	    proc_stat_read(
		"77 (a) R (b)) S 5 77 5 0 -1 4194304 100 0 0 0 7 8 9 10 20 0 1 "
		"0 12345 1000000 321 18446744073709551615",
		&p),
	    0);
	assert_int_equal(p.pid, 77);
	assert_int_equal(p.parent, 5);
	assert_float_equal(p.ticks, 34, 0);
	assert_float_equal(p.pages, 321, 0);
	assert_int_equal(proc_stat_read("", &p), -1);
	assert_int_equal(proc_stat_read("7 (x) S 1", &p), -1);
	assert_int_equal(usage_tree_read(getpid(), 0, &self, NULL), 0);
	assert_true(self.memory > 0);
	assert_int_equal(usage_tree_read(getpid(), getpid(), &self, NULL), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(
		a_week_is_as_long_as_an_hour_and_its_means_are_exact),
	    cmocka_unit_test(what_is_written_reads_back),
	    cmocka_unit_test(what_was_cut_or_is_damaged_leaves_the_rest),
	    cmocka_unit_test(a_gpu_that_does_nothing_at_the_end_is_named),
	    cmocka_unit_test(nvidia_smi_is_read),
	    cmocka_unit_test(rocm_smi_is_read_by_the_names_of_its_columns),
	    cmocka_unit_test(the_gpus_of_a_task_are_chosen),
	    cmocka_unit_test(the_control_group_is_that_of_the_job),
	    cmocka_unit_test(what_a_control_group_has_used_is_read),
	    cmocka_unit_test(processes_are_summed_below_one),
	    cmocka_unit_test(a_process_is_read_whatever_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
