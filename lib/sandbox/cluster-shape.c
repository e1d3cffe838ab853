#include <ctype.h>
#include <string.h>

#include "base/ascii.h"
#include "sandbox/cluster-shape.h"

/*
 * The settings of a cluster that needs neither root nor systemd, and that
 * starts jobs quickly.  The keys are those of slurm.conf(5); %D is the
 * directory, %U the user, %P the port of slurmctld.
 */
static const struct line {
	const char *key, *value;
	int fixed; /* the sandbox relies on it */
} lines[] = {
    {"ClusterName", "sandbox", 0},
    {"SlurmctldHost", "localhost(127.0.0.1)", 1},
    {"SlurmctldPort", "%P", 1},
    {"SlurmUser", "%U", 1},
    {"SlurmdUser", "%U", 1},
    {"AuthInfo", "socket=%D/munge/munge.socket", 1},
    {"StateSaveLocation", "%D/state", 1},
    /* slurmd expands %n to the name of the node. */
    {"SlurmdSpoolDir", "%D/spool/%n", 1},
    {"SlurmctldPidFile", "%D/run/slurmctld.pid", 1},
    {"SlurmdPidFile", "%D/run/%n.pid", 1},
    {"SlurmctldLogFile", "%D/log/slurmctld.log", 1},
    {"SlurmdLogFile", "%D/log/%n.log", 1},
    {"ProctrackType", "proctrack/pgid", 0},
    {"GresTypes", "gpu", 0},
    /* Nodes may claim more CPUs and memory than the machine has. */
    {"SlurmdParameters", "config_overrides", 0},
    {"SelectType", "select/cons_tres", 0},
    {"SelectTypeParameters", "CR_Core", 0},
    /* A job starts within a second. */
    {"SchedulerParameters",
	"batch_sched_delay=0,sched_min_interval=0,bf_interval=1,"
	"sched_interval=1",
	0},
    {"KillWait", "2", 0},
    {"MinJobAge", "300", 0},
    {"ReturnToService", "2", 0},
    {"MailProg", "/bin/true", 0},
};

enum { LINES = sizeof lines / sizeof *lines };

static int
is_key(const char *line, const char *key)
{
	size_t n = strlen(key);

	return ascii_ncasecmp(line, key, n) == 0 && line[n] == '=';
}

int
cluster_check_line(const char *line, struct error *e)
{
	const char *s;
	size_t i;

	for (s = line; isalnum((unsigned char)*s); s++)
		continue;
	if (s == line || *s != '=' || s[1] == '\0')
		return error_set(e,
		    "%s: not KEY=VALUE as in slurm.conf (MinJobAge=45)", line);
	for (s = line; *s != '\0'; s++)
		if (iscntrl((unsigned char)*s))
			return error_set(
			    e, "%s: has a control character", line);
	for (i = 0; i < LINES; i++)
		if (lines[i].fixed && is_key(line, lines[i].key))
			return error_set(e,
			    "%s: this is the sandbox's own, it cannot be set",
			    lines[i].key);
	return 0;
}

int
cluster_version(const char *text)
{
	int major, minor;

	text += strcspn(text, "0123456789");
	if (sscanf(text, "%2d.%2d", &major, &minor) != 2 || minor < 0)
		return -1;
	return major * 100 + minor;
}

static void
write_value(const struct cluster *c, const char *value, FILE *out)
{
	const char *s;

	for (s = value; *s != '\0'; s++) {
		if (strncmp(s, "%D", 2) == 0)
			fputs(c->directory, out);
		else if (strncmp(s, "%U", 2) == 0)
			fputs(c->user, out);
		else if (strncmp(s, "%P", 2) == 0)
			fprintf(out, "%d", c->port);
		else {
			putc(*s, out);
			continue;
		}
		s++;
	}
}

static int
is_overridden(const struct cluster *c, const char *key)
{
	size_t i;

	for (i = 0; i < c->line_count; i++)
		if (is_key(c->lines[i], key))
			return 1;
	return 0;
}

static void
write_nodes(const struct cluster *c, FILE *out)
{
	fprintf(out,
	    "NodeName=n[1-%d] NodeHostname=localhost NodeAddr=127.0.0.1 "
	    "Port=[%d-%d] CPUs=%d RealMemory=262144",
	    c->nodes, c->port + 1, c->port + c->nodes, c->cpus);
	if (c->gpus > 0)
		fprintf(out, " Gres=gpu:%d", c->gpus);
	fputs("\nPartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED\n"
	      "PartitionName=short Nodes=ALL MaxTime=10\n",
	    out);
}

void
cluster_slurm_conf(const struct cluster *c, FILE *out)
{
	size_t i;

	fputs("# Written by stfm-sandbox at each start; change it with "
	      "stfm-sandbox start -o.\n",
	    out);
	for (i = 0; i < LINES; i++) {
		if (is_overridden(c, lines[i].key))
			continue;
		fprintf(out, "%s=", lines[i].key);
		write_value(c, lines[i].value, out);
		putc('\n', out);
	}
	if (c->hidden && !is_overridden(c, "CommunicationParameters"))
		fputs("CommunicationParameters=NoCtldInAddrAny,NoInAddrAny\n",
		    out);
	write_nodes(c, out);
	for (i = 0; i < c->line_count; i++)
		fprintf(out, "%s\n", c->lines[i]);
}

void
cluster_gres_conf(const struct cluster *c, FILE *out)
{
	if (c->gpus == 0)
		return;
	fprintf(out, "NodeName=n[1-%d] Name=gpu ", c->nodes);
	/* So slurmd sets only CUDA_VISIBLE_DEVICES; 20.11 lacks the flag. */
	if (c->version >= 2108)
		fputs("Flags=nvidia_gpu_env ", out);
	fprintf(out, "File=%s/gpu/nvidia[0-%d]\n", c->directory, c->gpus - 1);
}

static const char *const cgroup_texts[] = {
    "CgroupPlugin=disabled\n", "CgroupPlugin=cgroup/v1\n"};

/*
 * Disable control groups, which need root, systemd or both.  Before 24.05
 * slurmd needs a plugin for them; cgroup/v1 does nothing until it is used.  By
 * default slurmd chooses a plugin for the machine, and fails on most machines.
 * 20.11 does not know the setting.
 */
void
cluster_cgroup_conf(const struct cluster *c, FILE *out)
{
	fputs(c->version >= 2405     ? cgroup_texts[0]
		: c->version >= 2108 ? cgroup_texts[1]
				     : "",
	    out);
}

int
cluster_makes_cgroup_conf(const char *text)
{
	size_t length = strlen(text);

	/* A full disk may have cut the text. */
	return strncmp(text, cgroup_texts[0], length) == 0 ||
	    strncmp(text, cgroup_texts[1], length) == 0;
}
