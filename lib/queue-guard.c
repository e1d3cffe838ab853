#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "num.h"
#include "queue-own.h"
#include "queue-slurm.h"
#include "xalloc.h"

int
queue_is_unreached(const char *text)
{
	static const char *const signs[] = {"timed out", "Unable to contact",
	    "onnection", "ommunication", "Zero Bytes", "essage receive",
	    "essage send", "nexpected message", "nsane message", "ncomplete",
	    "rotocol authentication", "authentication credential", "standby",
	    "socket", "No error", "not responding"};
	size_t i;

	for (i = 0; i < sizeof signs / sizeof *signs; i++)
		if (strstr(text, signs[i]) != NULL)
			return 1;
	return 0;
}

/* Behind "sbatch: error: ", "fatal: " and the like. */
static const char *
behind_prefix(const char *line)
{
	static const char *const prefixes[] = {
	    "sbatch: ", "error: ", "fatal: ", "Batch job submission failed: "};
	size_t i, length;

	for (i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		length = strlen(prefixes[i]);
		if (strncmp(line, prefixes[i], length) == 0)
			line += length;
	}
	return line;
}

/* Lines that tell a user nothing. */
static int
is_noise(const char *line)
{
	static const char *const noise[] = {"Try \"", "debug", "sleeping and",
	    "If munged is up", "slurm_send_node_msg", "slurm_receive_msg",
	    "_establish_config_source", "fetch_config",
	    "resolve_ctls_from_dns_srv", "auth_g_"};
	size_t i;

	for (i = 0; i < sizeof noise / sizeof *noise; i++)
		if (strstr(line, noise[i]) != NULL)
			return 1;
	return *line == '\0';
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
queue_failed(FILE *out)
{
	int number = errno;

	queue_put_number(out, number == 0 ? -1 : number);
	queue_put_text(out, number == 0 ? "" : slurm_strerror(number));
	return 0;
}

struct guarded {
	int (*work)(FILE *, void *);
	void *arg;
};

static int
inside(FILE *out, void *arg)
{
	struct guarded *g = arg;

	/* Or the lists of array tasks are cut at 64 characters. */
	setenv("SLURM_BITSTR_LEN", "0", 1);
	slurm_init(NULL);
	return g->work(out, g->arg);
}

/* The part of a complaint that says what is wrong with munge, or NULL. */
static const char *
munge_trouble(const char *complaint)
{
	const char *at = strstr(complaint, "Munge encode failed: ");

	return at == NULL ? NULL : at + strlen("Munge encode failed: ");
}

static int
refuse_unreached(const char *text, const char *complaint, struct error *e)
{
	const char *munge = munge_trouble(complaint);

	if (munge != NULL)
		return queue_refuse(EAGAIN, e,
		    "munged does not answer (%.*s): Slurm needs it on this "
		    "machine; try again later",
		    (int)strcspn(munge, "\n"), munge);
	if (strstr(text, "uthentication") != NULL)
		return queue_refuse(EAGAIN, e,
		    "slurmctld does not accept this machine's credentials "
		    "(%s): do clocks or munge keys differ?",
		    text);
	if (*text == '\0')
		return queue_refuse(EAGAIN, e,
		    "cannot reach slurmctld: try again later, or see sinfo");
	return queue_refuse(EAGAIN, e,
	    "cannot reach slurmctld (%s): try again later, or see sinfo", text);
}

/* libslurm has ended its process: it says why, for itself. */
static int
refuse_fatal(const struct proc_result *result, struct error *e)
{
	char *why = queue_complaint(result->complaint);
	int rc;

	if (strstr(why, "onfiguration source") != NULL)
		rc = queue_refuse(ENOENT, e,
		    "no Slurm here: there is no slurm.conf (SLURM_CONF can "
		    "name one)");
	else if (strstr(why, "onfiguration") != NULL ||
	    strstr(why, "slurm.conf") != NULL)
		rc = queue_refuse(ENOENT, e, "no Slurm here: %s", why);
	else if (queue_is_unreached(why))
		rc = refuse_unreached(why, result->complaint, e);
	else
		rc = queue_refuse(EIO, e, "Slurm's library failed%s%s",
		    *why == '\0' ? "" : ": ", why);
	free(why);
	return rc;
}

static int
refuse_told(int64_t number, const char *text, const struct proc_result *result,
    struct error *e)
{
	if (text == NULL)
		text = "";
	if (number == -1 || queue_is_unreached(text))
		return refuse_unreached(text, result->complaint, e);
	return queue_refuse(
	    number == EAGAIN ? EAGAIN : EIO, e, "Slurm: %s", text);
}

int
queue_guard(int (*work)(FILE *out, void *arg), void *arg, int64_t milliseconds,
    struct proc_result *result, struct queue_input *in, struct error *e)
{
	struct guarded g = {work, arg};
	int64_t number;

	memset(result, 0, sizeof *result);
	memset(in, 0, sizeof *in);
	in->broken = 1;
	if (queue_check_configuration(e) == -1)
		return -1;
	if (proc_guard(inside, &g, milliseconds, result, e) == -1) {
		errno = EAGAIN;
		return -1;
	}
	*in =
	    (struct queue_input){result->out, result->out + result->length, 0};
	number = queue_get_number(in);
	if (!in->broken && number != 0)
		return refuse_told(number, queue_get_text(in), result, e);
	if (result->timed_out)
		return queue_refuse(EAGAIN, e,
		    "slurmctld or munged did not answer within %" PRId64
		    " s: try again later, or see sinfo",
		    milliseconds / 1000);
	if (!proc_ok(result) || in->broken)
		return refuse_fatal(result, e);
	return 0;
}
