#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sandbox/cluster-shape.h"

static const struct cluster two_nodes = {
    .directory = "/home/u/.stfm-sandbox",
    .user = "u",
    .version = 2205,
    .nodes = 2,
    .gpus = 2,
    .cpus = 4,
    .port = 20032,
};

/* What one of the writers writes; to free. */
static char *
text_of(void (*print)(const struct cluster *, FILE *), const struct cluster *c)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	print(c, f);
	fclose(f);
	return text;
}

/* How many lines are or, when the text ends with "=", begin with this. */
static int
lines_of(const char *text, const char *line)
{
	size_t n = strlen(line);
	int count = 0, key = line[n - 1] == '=';

	for (; *text != '\0'; text += strcspn(text, "\n") + 1)
		if (strncmp(text, line, n) == 0 && (key || text[n] == '\n'))
			count++;
	return count;
}

static void
directory_user_and_ports_are_put_in(void **state)
{
	static const char *const expected[] = {
	    "SlurmctldPort=20032",
	    "SlurmUser=u",
	    "SlurmdUser=u",
	    "AuthInfo=socket=/home/u/.stfm-sandbox/munge/munge.socket",
	    "SlurmdSpoolDir=/home/u/.stfm-sandbox/spool/%n",
	    ("NodeName=n[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 "
	     "Port=[20033-20034] CPUs=4 RealMemory=262144 Gres=gpu:2"),
	    "PartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED",
	};
	char *text = text_of(cluster_slurm_conf, &two_nodes);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof expected / sizeof *expected; i++)
		assert_int_equal(lines_of(text, expected[i]), 1);
	assert_int_equal(lines_of(text, "CommunicationParameters="), 0);
	free(text);
}

static void
a_users_line_takes_the_place_of_ours(void **state)
{
	static const char *const lines[] = {
	    "minjobage=45", "PartitionName=night Nodes=n1", "MinJobAge=46"};
	struct cluster c = two_nodes;
	char *text;

	(void)state;
	c.lines = lines;
	c.line_count = 3;
	text = text_of(cluster_slurm_conf, &c);
	assert_int_equal(lines_of(text, "MinJobAge=300"), 0);
	assert_int_equal(lines_of(text, lines[0]), 1);
	assert_int_equal(lines_of(text, lines[1]), 1);
	assert_int_equal(lines_of(text, lines[2]), 1);
	assert_int_equal(lines_of(text, "KillWait="), 1);
	free(text);
}

static void
a_hidden_cluster_listens_on_no_other_address(void **state)
{
	static const char *const lines[] = {"CommunicationParameters=a"};
	struct cluster c = two_nodes;
	char *text;

	(void)state;
	c.hidden = 1;
	text = text_of(cluster_slurm_conf, &c);
	assert_int_equal(
	    lines_of(
		text, "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny"),
	    1);
	free(text);
	c.lines = lines;
	c.line_count = 1;
	text = text_of(cluster_slurm_conf, &c);
	assert_int_equal(lines_of(text, "CommunicationParameters="), 1);
	free(text);
}

static void
gpus_are_files_and_none_need_no_file(void **state)
{
	struct cluster c = two_nodes;
	char *text = text_of(cluster_gres_conf, &c);

	(void)state;
	assert_string_equal(text,
	    "NodeName=n[1-2] Name=gpu Flags=nvidia_gpu_env "
	    "File=/home/u/.stfm-sandbox/gpu/nvidia[0-1]\n");
	free(text);
	c.version = 2011;
	text = text_of(cluster_gres_conf, &c);
	assert_null(strstr(text, "Flags"));
	free(text);
	c.gpus = 0;
	text = text_of(cluster_gres_conf, &c);
	assert_string_equal(text, "");
	free(text);
	text = text_of(cluster_slurm_conf, &c);
	assert_null(strstr(text, "Gres=gpu"));
	free(text);
}

static void
each_slurm_does_without_control_groups_in_its_way(void **state)
{
	static const struct {
		int version;
		const char *text;
	} cases[] = {
	    {2011, ""},
	    {2108, "CgroupPlugin=cgroup/v1\n"},
	    {2205, "CgroupPlugin=cgroup/v1\n"},
	    {2311, "CgroupPlugin=cgroup/v1\n"},
	    {2405, "CgroupPlugin=disabled\n"},
	    {2605, "CgroupPlugin=disabled\n"},
	};
	struct cluster c = two_nodes;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		c.version = cases[i].version;
		text = text_of(cluster_cgroup_conf, &c);
		assert_string_equal(text, cases[i].text);
		assert_true(cluster_makes_cgroup_conf(text));
		free(text);
	}
	assert_true(cluster_makes_cgroup_conf("CgroupPlugin=cgr"));
	assert_false(cluster_makes_cgroup_conf("ConstrainCores=yes\n"));
	assert_false(cluster_makes_cgroup_conf(
	    "CgroupPlugin=cgroup/v1\nConstrainCores=yes\n"));
}

static void
lines_are_checked(void **state)
{
	static const char *const good[] = {"MinJobAge=45", "a=b=c",
	    "NodeName=x CPUs=1", "PartitionName=night Nodes=ALL"};
	static const char *const bad[] = {"", "=", "MinJobAge",
	    "MinJobAge=", "=45", "Min JobAge=45", "a=b\nc=d", "a=\t",
	    "SlurmUser=root", "SLURMCTLDPORT=6817", "statesavelocation=/tmp"};
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof good / sizeof *good; i++)
		assert_int_equal(cluster_check_line(good[i], &e), 0);
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(cluster_check_line(bad[i], &e), -1);
}

static void
versions_are_read(void **state)
{
	(void)state;
	assert_int_equal(cluster_version("slurm-wlm 22.05.8\n"), 2205);
	assert_int_equal(cluster_version("slurm 24.11.5"), 2411);
	assert_int_equal(cluster_version("slurm-wlm 20.02"), 2002);
	assert_int_equal(cluster_version("n[0.-3]"), -1);
	assert_int_equal(cluster_version("slurm"), -1);
	assert_int_equal(cluster_version(""), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(directory_user_and_ports_are_put_in),
	    cmocka_unit_test(a_users_line_takes_the_place_of_ours),
	    cmocka_unit_test(a_hidden_cluster_listens_on_no_other_address),
	    cmocka_unit_test(gpus_are_files_and_none_need_no_file),
	    cmocka_unit_test(each_slurm_does_without_control_groups_in_its_way),
	    cmocka_unit_test(lines_are_checked),
	    cmocka_unit_test(versions_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
