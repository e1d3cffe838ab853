#include <sys/wait.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/private.h"
#include "slurm/step.h"

/* Default number of seconds for which srun tries to start a step. */
enum { PATIENCE = 60 };

/* Longest part of srun's messages that is kept for an explanation. */
enum { KEPT = 4096 };

/* ---- the task ---- */

/* ---- srun's command line ---- */

void
queue_step_words(const struct queue_step *s, struct strlist *command)
{
	struct strlist all = {0};

	strlist_push(&all, "srun");
	strlist_take(&all, xasprintf("--jobid=%" PRIu32, s->job));
	strlist_push(&all, "--overlap");
	strlist_take(&all, xasprintf("--nodes=%zu", s->count));
	strlist_take(&all, xasprintf("--ntasks=%zu", s->count));
	if (s->count > 1)
		strlist_push(&all, "--ntasks-per-node=1");
	strlist_take(&all, xasprintf("--nodelist=%s", s->nodes));
	/* The step shares all resources of the task with its processes. */
	strlist_push(&all, "--mem=0");
	strlist_push(&all, "--cpu-bind=none");
	strlist_push(&all, "--mpi=none");
	/* The current directory may not exist on the node. */
	strlist_push(&all, "--chdir=/");
	strlist_take(&all,
	    xasprintf(
		"--job-name=%s", s->name != NULL ? s->name : "stfm-attach"));
	if (s->minutes > 0)
		strlist_take(&all, xasprintf("--time=%d", s->minutes));
	strlist_take(&all,
	    xasprintf(
		"--immediate=%d", s->seconds > 0 ? s->seconds : PATIENCE));
	strlist_push(&all, "--quit-on-interrupt");
	strlist_push(&all, "--quiet");
	if (s->terminal)
		strlist_push(&all, "--pty");
	strlist_put_before(command, &all);
}

/* ---- srun's messages ---- */

#define FORBIDDEN \
	"this site allows no further step in a running job: ask its " \
	"administrators whether srun --overlap or ssh to the job's node " \
	"(pam_slurm_adopt) is allowed"
#define PAM \
	"PAM on the node refuses you a session: ask the administrators of " \
	"the site"
#define APART \
	"the node and this machine do not reach each other: srun needs that " \
	"nodes can connect to it, so use a login node of the cluster"

static const struct {
	const char *sign, *meaning;
} meanings[] = {
    {"--overlap",
	"this srun has no --overlap (Slurm 20.11 or newer), so it cannot start "
	"a command next to a training"},
    {"Invalid job id", "the task has ended by now"},
    {"already completing", "the task is ending"},
    {"xpired", "the task has ended by now"},
    {"odes are busy",
	"the GPUs or memory of the task are in use: before Slurm 21.08, "
	"--overlap does not share them"},
    {"pam_", PAM},
    {"PAM", PAM},
    {"denied", FORBIDDEN},
    {"permi", FORBIDDEN},
    {"not allowed", FORBIDDEN},
    {"ode failure", "its node has failed"},
    {"job step to complete", "the task has ended, and this with it"},
    {"odes required for job are DOWN",
	"its node does not answer Slurm any more"},
    {"contact slurm controller",
	"slurmctld does not answer: try again later, or see sinfo"},
    {"imed out", APART},
    {"timeout waiting for task launch", APART},
    {"ommunication connection", APART},
};

const char *
queue_step_meaning(const char *complaint)
{
	size_t i;

	for (i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (strstr(complaint, meanings[i].sign) != NULL)
			return meanings[i].meaning;
	return "Slurm did not start it; if the site forbids job steps inside a "
	       "running job, ask its administrators for another way";
}

/* A filter for srun's standard error, which also carries the command's. */
struct talk {
	proc_complaint *say;
	void *arg;
	char line[512]; /* an incomplete line that may be srun's */
	size_t length;
	int mid;         /* inside a line that is passed on */
	char kept[KEPT]; /* srun's own messages, one per line */
	size_t used;
};

static const char prefix[] = "srun: ";

/* Take one byte at the start of a line or of a line that may be srun's. */
static void
take(struct talk *t, char c)
{
	size_t n = sizeof prefix - 1;

	t->line[t->length++] = c;
	if (t->length == sizeof t->line - 1 ||
	    strncmp(t->line, prefix, t->length < n ? t->length : n) != 0) {
		t->say(t->arg, t->line, t->length);
		t->length = 0;
		t->mid = c != '\n';
		return;
	}
	if (c != '\n')
		return;
	n = t->length;
	t->line[n] = '\0';
	t->length = 0;
	/* Users know this, or cannot change it. */
	if (strstr(t->line, ": Exited with exit code ") != NULL ||
	    strstr(t->line, "lacks support for cpu binding") != NULL)
		return;
	t->say(t->arg, t->line, n);
	/*
	 * "srun: error: n1: task 0: Killed" says how the command ended, and
	 * "srun: error: IO: Hey, you told me node 0 was down!" may follow.
	 */
	if (strstr(t->line, ": task 0: ") == NULL &&
	    strstr(t->line, " error: IO: ") == NULL &&
	    t->used + n < sizeof t->kept) {
		memcpy(t->kept + t->used, t->line, n + 1);
		t->used += n;
	}
}

static void
hear(void *arg, const char *text, size_t length)
{
	struct talk *t = arg;
	const char *end;
	size_t n;

	for (; length > 0; text += n, length -= n) {
		n = 1;
		if (!t->mid) {
			take(t, *text);
			continue;
		}
		end = memchr(text, '\n', length);
		n = end != NULL ? (size_t)(end - text) + 1 : length;
		t->say(t->arg, text, n);
		t->mid = end == NULL;
	}
}

/* Set e to the reason why srun could not be started.  Returns -1. */
static int
refuse_start(const struct error *why, struct error *e)
{
	if (why->code != ERROR_ABSENT)
		return error_code(e, why->code, "%s", why->text);
	return error_code(e, ERROR_NO_SLURM,
	    "no Slurm here: there is no program srun in PATH");
}

int
queue_step_run(const struct strlist *words, proc_complaint *say, void *arg,
    struct error *e)
{
	static const char *const refusals[] = {
	    "srun: error: ", "srun: fatal: ", "srun: unrecognized "};
	struct talk talk = {.say = say, .arg = arg};
	struct error why;
	char **env;
	int status, rc;

	if (queue_check_configuration(e) == -1)
		return -1;
	env = queue_environ();
	rc = proc_beside(words->word, env, hear, &talk, &status, &why);
	free(env);
	if (rc == -1)
		return refuse_start(&why, e);
	if (talk.length > 0)
		say(arg, talk.line, talk.length);
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	if (WEXITSTATUS(status) != 0 && talk.used > 0 &&
	    text_has(talk.kept, refusals, sizeof refusals / sizeof *refusals))
		return error_code(
		    e, ERROR_REFUSED, "%s", queue_step_meaning(talk.kept));
	return WEXITSTATUS(status);
}

char *
queue_step_output(
    const struct strlist *words, int64_t milliseconds, struct error *e)
{
	struct proc_result r;
	char **env = queue_environ(), *out = NULL, *why;
	struct error failed;
	int rc = proc_run(words->word, env, milliseconds, &r, &failed);

	free(env);
	if (rc == -1) {
		refuse_start(&failed, e);
		return NULL;
	}
	why = queue_complaint(r.complaint);
	if (r.timed_out)
		queue_refuse_silence(milliseconds, e);
	else if (!proc_ok(&r) && *why != '\0')
		error_code(
		    e, ERROR_REFUSED, "%s (%s)", queue_step_meaning(why), why);
	else
		out = xstrdup(r.out);
	free(why);
	proc_result_free(&r);
	return out;
}
