#include <sys/wait.h>

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/private.h"

extern char **environ;

/* sbatch's exit status for a bad option; it has sent no request. */
enum { BAD_OPTION = 255 };

/* sbatch prints this, and retries for minutes, if Slurm has no room. */
static const char retrying[] = "sleeping and retrying";

/*
 * Return whether sbatch gets a variable.  Variables of an outer job would be
 * taken as options; the kept ones locate Slurm and identify the user.
 */
static int
is_kept(const char *entry)
{
	static const char *const kept[] = {
	    "SLURM_CONF=", "SLURM_CONF_SERVER=", "SLURM_JWT="};
	static const char *const dropped[] = {
	    "SBATCH_WAIT=", "SBATCH_CLUSTERS=", "SBATCH_ARRAY_INX="};
	size_t i;

	for (i = 0; i < sizeof kept / sizeof *kept; i++)
		if (text_begins(entry, kept[i]))
			return 1;
	for (i = 0; i < sizeof dropped / sizeof *dropped; i++)
		if (text_begins(entry, dropped[i]))
			return 0;
	return !text_begins(entry, "SLURM_");
}

/*
 * Return the environment of sbatch, which the tasks inherit.  So LC_ALL stays
 * unchanged; sbatch does not translate its messages anyway.
 */
static char **
sbatch_environ(void)
{
	size_t count = 0, kept = 0, i;
	char **env;

	while (environ[count] != NULL)
		count++;
	env = xcalloc(count + 1, sizeof *env);
	for (i = 0; i < count; i++)
		if (is_kept(environ[i]))
			env[kept++] = environ[i];
	return env;
}

static int
run_sbatch(char *const words[], int64_t ms, struct proc_result *result,
    struct error *e)
{
	char **argv, **env;
	size_t count = 0;
	int rc;

	while (words[count] != NULL)
		count++;
	argv = xcalloc(count + 3, sizeof *argv);
	argv[0] = (char[]){"sbatch"};
	argv[1] = (char[]){"--parsable"};
	memcpy(argv + 2, words, count * sizeof *argv);
	env = sbatch_environ();
	rc = proc_run_until(argv, env, ms, retrying, result, e);
	free(argv);
	free(env);
	return rc;
}

/* Read "4102" or "4102;cluster", perhaps after text of a submit filter. */
static int
read_id(const char *out, uint32_t *array)
{
	char *copy = xstrdup(out), *line, *rest;
	int64_t id;
	int found = 0;

	for (line = strtok_r(copy, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		line[strcspn(line, ";")] = '\0';
		if (num_int("id", line, 1, UINT32_MAX, &id, NULL) == -1)
			continue;
		*array = (uint32_t)id;
		found = 1;
	}
	free(copy);
	return found;
}

/* Return what a user can do about a refusal. */
static const char *
advice(const char *why)
{
	static const struct {
		const char *sign, *advice;
	} table[] = {
	    /* First: this message also contains "time limits" and others. */
	    {"accounting/QOS policy",
		"stfm-nodes --accounts shows the limits of your account and "
		"QOS"},
	    {"nvalid partition", "-p takes one that sinfo shows"},
	    {"generic resource",
		"--gres takes what \"sinfo -o '%P %G'\" shows"},
	    {"node configuration is not available",
		"no node has all the GPUs, CPUs and memory that are asked for; "
		"see sinfo -o '%P %G %c %m'"},
	    {"time limit", "-t takes at most what sinfo -o '%P %l' shows"},
	    {"account", "-A takes one of your accounts"},
	    {"qos", "-q takes a QOS that you may use"},
	    {"feature", "-C takes what sinfo -o '%P %f' shows"},
	    {"eservation",
		"--reservation takes what scontrol show "
		"reservations lists"},
	    {"license", "-L takes what scontrol show licenses lists"},
	    {"node name", "-w and -x take nodes that sinfo -N shows"},
	    {"dependency", "-d takes jobs that are in the queue"},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof *table; i++)
		if (strstr(why, table[i].sign) != NULL)
			return table[i].advice;
	return NULL;
}

static void
refuse(int status, const char *why, struct error *e)
{
	const char *hint = advice(why);

	if (*why == '\0')
		error_code(e, ERROR_REFUSED,
		    QUEUE_REFUSES "sbatch failed with status %d and gave no "
				  "reason",
		    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	else if (strstr(why, "onfiguration source") != NULL)
		error_code(e, ERROR_NO_SLURM,
		    "no Slurm here: there is no slurm.conf (SLURM_CONF can "
		    "name one)");
	else if (hint != NULL)
		error_code(e, ERROR_REFUSED, QUEUE_REFUSES "%s: %s", why, hint);
	else
		error_code(e, ERROR_REFUSED, QUEUE_REFUSES "%s", why);
}

/* Return the word of text that contains part (the name of a limit); to free. */
static char *
word_with(const char *text, const char *part)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	const char *at = strstr(text, part), *end = at;

	while (at > text && strchr(letters, at[-1]) != NULL)
		at--;
	end += strspn(end, letters);
	return xstrndup(at, (size_t)(end - at));
}

/*
 * Return the name of the limit that keeps Slurm from taking more jobs; to free.
 * NULL if the cause is another one.
 */
static char *
limit(const struct proc_result *r, const char *why)
{
	if (strstr(r->complaint, retrying) != NULL ||
	    (!r->timed_out &&
		(strstr(why, "temporarily unavailable") != NULL ||
		    strstr(why, "temporarily unable") != NULL ||
		    strstr(why, "MaxJobCount") != NULL)))
		return xstrdup("MaxJobCount");
	if (r->timed_out)
		return NULL;
	if (strstr(why, "SubmitJob") != NULL)
		return word_with(why, "SubmitJob");
	return NULL;
}

/* Return whether the request is an array of one task. */
static int
is_smallest(char *const words[])
{
	static const char option[] = "--array=0-0";
	size_t i, n = sizeof option - 1;

	for (i = 0; words[i] != NULL; i++)
		if (strncmp(words[i], option, n) == 0 &&
		    strchr("%", words[i][n]) != NULL)
			return 1;
	return 0;
}

static enum queue_answer
unknown(struct error *e, const char *why)
{
	error_code(e, ERROR_SILENT,
	    "%s: whether Slurm took the job will show later", why);
	return QUEUE_UNKNOWN;
}

/* Return the answer for a submission that is not in the queue now. */
static enum queue_answer
judge(char *const words[], const struct proc_result *r, const char *why,
    struct error *e)
{
	char *name = limit(r, why);
	int large = name == NULL && !r->timed_out &&
	    strstr(why, "nvalid job array specification") != NULL;

	if (large && is_smallest(words)) {
		error_code(e, ERROR_REFUSED,
		    QUEUE_REFUSES
		    "it takes no job arrays, as MaxArraySize is "
		    "0: ask the administrators of the cluster to raise it");
		return QUEUE_REFUSED;
	}
	if (large) {
		error_code(e, ERROR_SILENT, "MaxArraySize");
		return QUEUE_TOO_LARGE;
	}
	if (name != NULL) {
		error_code(e, ERROR_SILENT, "%s", name);
		free(name);
		return QUEUE_FULL;
	}
	if (r->timed_out)
		return unknown(e, "sbatch did not end in time");
	if (proc_ok(r) || !WIFEXITED(r->status))
		return unknown(e, "sbatch gave no job id");
	if (queue_is_unreached(why))
		return unknown(e, why);
	refuse(r->status, why, e);
	return QUEUE_REFUSED;
}

/* Find out whether sbatch, which failed, has queued the array. */
static enum queue_answer
look(char *const words[], const struct proc_result *r, const char *token,
    uint32_t *array, struct error *e)
{
	int bad_option = !r->timed_out && WIFEXITED(r->status) &&
	    WEXITSTATUS(r->status) == BAD_OPTION;
	enum queue_answer answer;
	struct queue *q = NULL;
	char *why;

	if (!bad_option && queue_load(&q, e) == -1)
		return e->code == ERROR_NO_SLURM ? QUEUE_REFUSED
						 : QUEUE_UNKNOWN;
	why = queue_complaint(r->complaint);
	if (q != NULL && queue_find_token(q, token, array))
		answer = QUEUE_QUEUED;
	else
		answer = judge(words, r, why, e);
	free(why);
	queue_free(q);
	return answer;
}

enum queue_answer
queue_submit(
    char *const words[], const char *token, uint32_t *array, struct error *e)
{
	struct proc_result result;
	enum queue_answer answer = QUEUE_QUEUED;
	char *printed;
	int64_t ms;

	if (queue_deadline("STFM_SBATCH_TIMEOUT", QUEUE_SUBMITTING, &ms, e) ==
		-1 ||
	    queue_check_configuration(e) == -1)
		return QUEUE_REFUSED;
	if (run_sbatch(words, ms, &result, e) == -1) {
		if (e->code == ERROR_ABSENT)
			queue_refuse_sbatch(e);
		return QUEUE_REFUSED;
	}
	error_set(e, "%s", "");
	if (!proc_ok(&result) || !read_id(result.out, array)) {
		answer = look(words, &result, token, array, e);
	} else {
		/* A site's submit filter may print a message for the user. */
		printed = queue_complaint(result.complaint);
		error_set(e, "%s", printed);
		free(printed);
	}
	proc_result_free(&result);
	return answer;
}
