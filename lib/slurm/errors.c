/*
 * Deadlines, environment and error messages for all requests to Slurm; libslurm
 * is not needed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/private.h"

extern char **environ;

/* The longest deadline that may be set, in seconds. */
enum { LONGEST = 3600 };

int
queue_deadline(
    const char *variable, int64_t standard, int64_t *ms, struct error *e)
{
	const char *text = getenv(variable);
	int64_t seconds = standard;

	if (text != NULL && *text != '\0' &&
	    num_int(variable, text, 1, LONGEST, &seconds, e) == -1)
		return -1;
	*ms = seconds * 1000;
	return 0;
}

int
queue_refuse_sbatch(struct error *e)
{
	return error_code(e, ERROR_NO_SLURM,
	    "no Slurm here: there is no program sbatch in PATH");
}

/* Check early: libslurm would look for a missing file for a minute. */
int
queue_check_configuration(struct error *e)
{
	const char *path = getenv("SLURM_CONF");

	if (path == NULL || access(path, R_OK) == 0)
		return 0;
	return error_code(e, ERROR_NO_SLURM, "no Slurm here: SLURM_CONF=%s: %s",
	    path, strerror(errno));
}

int
queue_is_unreached(const char *text)
{
	static const char *const signs[] = {"timed out", "Unable to contact",
	    "onnection", "ommunication", "Zero Bytes", "essage receive",
	    "essage send", "nexpected message", "nsane message", "ncomplete",
	    "rotocol authentication", "authentication credential", "standby",
	    "socket", "No error", "not responding", "not connected",
	    "roken pipe", "unreachable", "No route to host"};

	return text_has(text, signs, sizeof signs / sizeof *signs);
}

/* Return the part of a line after prefixes such as "sbatch: error: ". */
static const char *
behind_prefix(const char *line)
{
	static const char *const prefixes[] = {"sbatch: ", "squeue: ",
	    "scancel: ", "scontrol: ", "sinfo: ", "error: ", "fatal: ",
	    "Batch job submission failed: ", "slurm_load_jobs error: ",
	    "slurm_load_partitions: ", "slurm_load_ctl_conf error: "};
	size_t i, length;

	for (i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		length = strlen(prefixes[i]);
		if (strncmp(line, prefixes[i], length) == 0)
			line += length;
	}
	return line;
}

/* Return whether a line is useless to a user. */
static int
is_noise(const char *line)
{
	static const char *const noise[] = {"Try \"", "debug", "sleeping and",
	    "If munged is up", "slurm_send_node_msg", "slurm_receive_msg",
	    "_establish_config_source", "fetch_config",
	    "resolve_ctls_from_dns_srv", "auth_g_"};

	return *line == '\0' ||
	    text_has(line, noise, sizeof noise / sizeof *noise);
}

char *
queue_complaint(const char *text)
{
	char *copy = xstrdup(text), *joined = NULL, *line, *rest;
	const char *plain;
	size_t length;
	FILE *out = xmemopen(&joined, &length);
	const char *between = "";

	for (line = strtok_r(copy, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		plain = behind_prefix(line);
		if (is_noise(plain))
			continue;
		fprintf(out, "%s%s", between, plain);
		between = "; ";
	}
	xmemclose(out);
	free(copy);
	return joined;
}

int
queue_refuse_unreached(const char *text, const char *complaint, struct error *e)
{
	static const char sign[] = "Munge encode failed: ";
	const char *munge = strstr(complaint, sign);

	if (munge != NULL)
		return error_code(e, ERROR_SILENT,
		    "munged does not answer (%.*s): Slurm needs it on this "
		    "machine; try again later",
		    (int)strcspn(munge + sizeof sign - 1, "\n"),
		    munge + sizeof sign - 1);
	if (strstr(text, "uthentication") != NULL)
		return error_code(e, ERROR_SILENT,
		    "slurmctld does not accept this machine's credentials "
		    "(%s): do clocks or munge keys differ?",
		    text);
	if (*text == '\0')
		return error_code(e, ERROR_SILENT,
		    "cannot reach slurmctld: try again later, or see sinfo");
	return error_code(e, ERROR_SILENT,
	    "cannot reach slurmctld (%s): try again later, or see sinfo", text);
}

int
queue_refuse_silence(int64_t milliseconds, struct error *e)
{
	return error_code(e, ERROR_SILENT,
	    "slurmctld or munged did not answer within %" PRId64
	    " s: try again later, or see sinfo",
	    (milliseconds + 999) / 1000);
}

int
queue_refuse_end(
    const char *who, const struct proc_result *result, struct error *e)
{
	char *why = queue_complaint(result->complaint);
	int rc;

	if (strstr(why, "onfiguration source") != NULL)
		rc = error_code(e, ERROR_NO_SLURM,
		    "no Slurm here: there is no slurm.conf (SLURM_CONF can "
		    "name one)");
	else if (strstr(why, "onfiguration") != NULL ||
	    strstr(why, "slurm.conf") != NULL)
		rc = error_code(e, ERROR_NO_SLURM, "no Slurm here: %s", why);
	else if (queue_is_unreached(why))
		rc = queue_refuse_unreached(why, result->complaint, e);
	else
		rc = error_code(e, ERROR_REFUSED, "%s failed%s%s", who,
		    *why == '\0' ? "" : ": ", why);
	free(why);
	return rc;
}

/* Return whether a variable would change the request or its answer. */
static int
is_dropped(const char *entry)
{
	static const char *const kept[] = {
	    "SLURM_CONF=", "SLURM_CONF_SERVER=", "SLURM_JWT="};
	static const char *const dropped[] = {"SLURM_", "SACCT_", "SQUEUE_",
	    "SCANCEL_", "SINFO_", "SRUN_", "LC_ALL="};
	size_t i;

	for (i = 0; i < sizeof kept / sizeof *kept; i++)
		if (text_begins(entry, kept[i]))
			return 0;
	for (i = 0; i < sizeof dropped / sizeof *dropped; i++)
		if (text_begins(entry, dropped[i]))
			return 1;
	return 0;
}

char **
queue_environ(void)
{
	/* SLURM_BITSTR_LEN=0 keeps Slurm from cutting lists of tasks. */
	static const char *const set[] = {
	    "SLURM_TIME_FORMAT=%s", "SLURM_BITSTR_LEN=0", "LC_ALL=C"};
	size_t extra = sizeof set / sizeof *set, count = 0, n = 0, i;
	char **env;

	while (environ[count] != NULL)
		count++;
	env = xcalloc(count + extra + 1, sizeof *env);
	for (i = 0; i < count; i++)
		if (!is_dropped(environ[i]))
			env[n++] = environ[i];
	for (i = 0; i < extra; i++)
		env[n++] = (char *)(uintptr_t)set[i];
	return env;
}
