#include <sys/wait.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "slurm/names.h"
#include "state/resolve.h"
#include "state/words.h"
#include "store/table-row.h"
#include "store/table.h"
#include "term/cli.h"

/* The exit code of a shell whose command was killed by SIGKILL. */
enum { KILLED_BELOW = 128 + SIGKILL };

/* The signal that Slurm reports for a job that it could not start: "0:53". */
enum { NOT_LAUNCHED = 53 };

const char state_imported[] = "IMPORTED";
const char state_unproven[] = "UNPROVEN";

/* The longest grace time that a user may set, in seconds. */
enum { LONGEST = 86400 };

/* How long the accounting is asked about a LOST task, in seconds. */
enum { LATEST = 86400 };

int
job_grace(int64_t *seconds, struct error *e)
{
	const char *text = getenv("STFM_GRACE");

	*seconds = JOB_GRACE;
	if (text == NULL || *text == '\0')
		return 0;
	return num_int("STFM_GRACE", text, 1, LONGEST, seconds, e);
}

/* The C library of Enterprise Linux 8 does not tell these names. */
static const char *const signals[] = {
    [SIGHUP] = "HUP",
    [SIGINT] = "INT",
    [SIGQUIT] = "QUIT",
    [SIGILL] = "ILL",
    [SIGTRAP] = "TRAP",
    [SIGABRT] = "ABRT",
    [SIGBUS] = "BUS",
    [SIGFPE] = "FPE",
    [SIGKILL] = "KILL",
    [SIGUSR1] = "USR1",
    [SIGSEGV] = "SEGV",
    [SIGUSR2] = "USR2",
    [SIGPIPE] = "PIPE",
    [SIGALRM] = "ALRM",
    [SIGTERM] = "TERM",
    [SIGCHLD] = "CHLD",
    [SIGCONT] = "CONT",
    [SIGSTOP] = "STOP",
    [SIGTSTP] = "TSTP",
    [SIGTTIN] = "TTIN",
    [SIGTTOU] = "TTOU",
    [SIGURG] = "URG",
    [SIGXCPU] = "XCPU",
    [SIGXFSZ] = "XFSZ",
    [SIGVTALRM] = "VTALRM",
    [SIGPROF] = "PROF",
    [SIGWINCH] = "WINCH",
    [SIGIO] = "IO",
    [SIGPWR] = "PWR",
    [SIGSYS] = "SYS",
};

const char *
job_signal_name(int64_t number, char out[32])
{
	const int64_t count = sizeof signals / sizeof *signals;
	const char *name =
	    number > 0 && number < count ? signals[number] : NULL;

	if (name != NULL)
		snprintf(out, 32, "%s%s", cause_words(CAUSE_SIGNAL), name);
	else
		snprintf(out, 32, "%s%" PRId64,
		    cause_words(CAUSE_SIGNAL_NUMBER), number);
	return out;
}

static void
set(struct store_row *row, enum store_state state, const char *cause)
{
	char *text = xcopy(cause);

	free(row->cause);
	row->cause = text;
	row->state = state;
}

static void
set_cause(struct store_row *row, enum store_state state, enum cause cause)
{
	set(row, state, cause_words(cause));
}

/* Set a pending cause, in brackets like Slurm's reasons. */
static void
set_waiting(struct store_row *row, enum cause cause, const char *rest)
{
	char *text = xasprintf("(%s%s)", cause_words(cause), rest);

	set(row, STORE_SUBMITTED, text);
	free(text);
}

static int
is(const char *state, const char *name)
{
	return state != NULL && strcmp(state, name) == 0;
}

/* Set a failure by exit code or signal: "exit 3", "SIGSEGV". */
static void
set_failed(struct store_row *row, int64_t code, int64_t number)
{
	char text[64], name[32];

	if (number > 0)
		snprintf(
		    text, sizeof text, "%s", job_signal_name(number, name));
	else if (code == 127 || code == 126)
		snprintf(text, sizeof text, "%s%" PRId64 ": %s",
		    cause_words(CAUSE_EXIT), code,
		    code == 127 ? "command not found" : "cannot execute");
	else
		snprintf(text, sizeof text, "%s%" PRId64,
		    cause_words(CAUSE_EXIT), code);
	set(row, STORE_ERROR, text);
}

/* Set a failure by a status of wait(2). */
static void
set_failed_status(struct store_row *row, int status)
{
	set_failed(row, WIFEXITED(status) ? WEXITSTATUS(status) : 0,
	    WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/*
 * Return whether only Slurm can explain the end: a signal from outside can mean
 * a time limit, a requeue or a user, and SIGKILL can mean too little memory.
 */
static int
needs_word(const struct store_row *row)
{
	return row->asked > 0 || row->signal == SIGKILL ||
	    row->exit == KILLED_BELOW;
}

/* Set the state by the run's end fact alone. */
static void
set_by_end(struct store_row *row)
{
	if (row->exit == 0)
		set(row, STORE_FINISHED, NULL);
	else
		set_failed(row, row->exit, row->signal);
}

/* Set the state by an end fact, which may come after Slurm gave the task up. */
static void
set_by_end_late(struct store_row *row, const char *judged)
{
	char text[64];

	set_by_end(row);
	if (row->state != STORE_FINISHED || judged == NULL ||
	    is(judged, "COMPLETED") || is(judged, "FAILED"))
		return;
	snprintf(text, sizeof text, "%s%s", cause_words(CAUSE_LATE), judged);
	set(row, STORE_FINISHED, text);
}

/*
 * Set the state of a run that Slurm does not explain any more.  If a signal
 * from outside asked it to end, the training is not complete, whatever its exit
 * code.
 */
static void
set_unexplained(struct store_row *row)
{
	if (row->asked > 0)
		set_failed(row, row->exit, row->asked);
	else
		set_by_end(row);
}

/* Set the state of an ended run by the state that Slurm reports. */
static void
set_by_word(struct store_row *row, const char *word)
{
	if (is(word, "CANCELLED"))
		set(row, STORE_STOPPED, "CANCELLED");
	else if (is(word, "LOST"))
		set_unexplained(row);
	else if (queue_end_state(word)->by_itself)
		set_by_end(row);
	else
		set(row, STORE_ERROR, word);
}

int
state_outranks(const char *a, const char *b)
{
	int difference = queue_end_state(a)->rank - queue_end_state(b)->rank;

	return difference > 0 || (difference == 0 && strcmp(a, b) < 0);
}

/* Return Slurm's state of a run that ended, or NULL. */
static const char *
slurms_word(const struct job_evidence *v)
{
	if (v->judged != NULL)
		return v->judged;
	if (v->answered && v->found)
		return v->alive ? NULL : v->state;
	if (v->recorded == NULL && v->vanished)
		return "CANCELLED";
	return v->recorded;
}

/* Return how long the task has not been in the queue, by the store's clock. */
static int64_t
absence(const struct job_evidence *v, struct store_row *row)
{
	if (row->gone == -1 || row->gone > v->now)
		row->gone = v->now;
	return v->now - row->gone;
}

/*
 * Return whether the task has been gone for so long that no record can come any
 * more.  Accounting that could not be asked until now may still be behind.
 */
static int
is_forgotten(const struct job_evidence *v, struct store_row *row, int64_t grace)
{
	return absence(v, row) >= grace && v->now - v->failed >= grace;
}

/*
 * Return whether the stop request caused the signal that asked a run to end.
 * FAILED and COMPLETED do not contradict that: a controller that cancelled a
 * run and then crashed reports them.  Packed tasks end one by one.
 */
static int
is_asked_to_stop(const struct job_evidence *v, const char *word)
{
	if (!v->stop_asked || queue_end_state(word)->node_lost)
		return 0;
	if (word == NULL)
		return !(v->after && v->found);
	if (is(word, "CANCELLED") || is(word, "LOST"))
		return 1;
	return !v->after && (v->packed || queue_end_state(word)->by_itself);
}

/*
 * Return whether the stop request seems to have kept the task from training.  A
 * run that had started may have been started again by Slurm, and stopped then.
 */
static int
is_turned_away(const struct job_evidence *v, const char *word)
{
	return is(word, "FAILED") && WIFEXITED(v->exit_status) &&
	    WEXITSTATUS(v->exit_status) == CLI_LATER &&
	    (!v->started || !v->after);
}

/*
 * Return whether a stop request ended a run that has no end fact.  A run that
 * Slurm did not cancel was not stopped, except a packed one with an exit code
 * other than 0.
 */
static int
is_ended_by_stop(const struct job_evidence *v, const char *word)
{
	if (!v->stop_asked || queue_end_state(word)->node_lost ||
	    is(word, "COMPLETED"))
		return 0;
	return is(word, "CANCELLED") || is_turned_away(v, word) ||
	    (v->packed && !v->after);
}

static void
judge_ended(
    const struct job_evidence *v, struct store_row *row, const char **verdict)
{
	const char *word = slurms_word(v);

	if (row->said != NULL) {
		set(row, STORE_ERROR, row->said);
	} else if (!needs_word(row)) {
		set_by_end_late(row, v->judged);
	} else if (is_asked_to_stop(v, word)) {
		set(row, STORE_STOPPED, v->why);
	} else if (word != NULL) {
		set_by_word(row, word);
		*verdict = v->judged == NULL ? word : NULL;
	} else if (v->answered && !v->found &&
	    (!v->expected || is_forgotten(v, row, v->grace))) {
		set_unexplained(row);
	} else {
		set_cause(row, STORE_RUNNING,
		    v->returns ? CAUSE_RETURNING : CAUSE_ENDING);
	}
}

static void
judge_alive(const struct job_evidence *v, struct store_row *row)
{
	char text[128];

	row->gone = row->completed = -1;
	if (is(v->state, "PENDING") && !v->started && v->stop_asked) {
		set_cause(row, STORE_SUBMITTED, CAUSE_STOPPING);
	} else if (is(v->state, "PENDING") && !v->started) {
		snprintf(text, sizeof text, "(%s)", v->reason ? v->reason : "");
		set(row, STORE_SUBMITTED,
		    v->reason != NULL && !is(v->reason, "None") ? text : NULL);
	} else if (v->stop_asked) {
		set_cause(row, STORE_RUNNING, CAUSE_STOPPING);
	} else if (v->returns) {
		set_cause(row, STORE_RUNNING, CAUSE_RETURNING);
	} else if (is(v->state, "RUNNING") || is(v->state, "PENDING")) {
		set(row, STORE_RUNNING, NULL);
	} else {
		set(row, STORE_RUNNING, v->state);
	}
}

/*
 * Set STOPPED by a stop request.  A task that had not started needs no X fact,
 * since the request tells all; a hundred thousand facts would take long.
 */
static void
set_stopped(
    const struct job_evidence *v, struct store_row *row, const char **verdict)
{
	set(row, STORE_STOPPED, v->why);
	*verdict = v->judged == NULL && v->started ? "CANCELLED" : NULL;
}

/*
 * Resolve the end of a task that stfm did not queue, by Slurm's state alone.  A
 * stop request counts if Slurm cancelled the task.
 */
static void
judge_adopted(const struct job_evidence *v, struct store_row *row,
    const char *word, const char **verdict)
{
	int status = v->exit_status;

	if (is(word, "CANCELLED") && v->stop_asked) {
		set_stopped(v, row, verdict);
		return;
	}
	*verdict = v->judged == NULL ? word : NULL;
	if (is(word, "COMPLETED"))
		set(row, STORE_FINISHED, NULL);
	else if (is(word, "CANCELLED"))
		set(row, STORE_STOPPED, "CANCELLED");
	else if (!is(word, "FAILED") || status == 0)
		set(row, STORE_ERROR, word);
	else if (WIFSIGNALED(status) && WTERMSIG(status) == NOT_LAUNCHED)
		set_cause(row, STORE_ERROR, CAUSE_LAUNCH);
	else
		set_failed_status(row, status);
}

/* Set a failure without an end fact, by Slurm's exit status. */
static void
set_failed_unrecorded(const struct job_evidence *v, struct store_row *row)
{
	int status = v->exit_status;
	int gave_up = WIFEXITED(status) && WEXITSTATUS(status) == CLI_LATER;
	char text[64], name[32];

	if (gave_up) {
		absence(v, row); /* for state_may_be_late */
		set_cause(row, STORE_ERROR,
		    v->started ? CAUSE_UNRECORDED : CAUSE_UNLAUNCHED);
	} else if (v->started) {
		set_failed_status(row, status);
	} else if (WIFSIGNALED(status) && WTERMSIG(status) != NOT_LAUNCHED) {
		snprintf(text, sizeof text, "%s (%s)",
		    cause_words(CAUSE_LAUNCH),
		    job_signal_name(WTERMSIG(status), name));
		set(row, STORE_ERROR, text);
	} else if (WIFEXITED(status)) { /* the training could not start */
		snprintf(text, sizeof text, "%s (exit %d)",
		    cause_words(CAUSE_LAUNCH), WEXITSTATUS(status));
		set(row, STORE_ERROR, text);
	} else {
		set_cause(row, STORE_ERROR, CAUSE_LAUNCH);
	}
}

int
state_is_unrecorded(const char *cause)
{
	enum cause c = cause_of(cause, NULL);

	return c == CAUSE_UNRECORDED || c == CAUSE_UNLAUNCHED;
}

/* Resolve a run that Slurm reports as over and that left no end fact. */
static void
judge_over(const struct job_evidence *v, struct store_row *row,
    const char *word, const char **verdict)
{
	if (is(word, state_imported)) {
		set_cause(row, STORE_FINISHED, CAUSE_IMPORTED);
		return;
	}
	if (is(word, state_unproven)) {
		set_cause(row, STORE_ERROR, CAUSE_END_UNKNOWN);
		return;
	}
	if (v->adopted && !is(word, "LOST")) {
		judge_adopted(v, row, word, verdict);
		return;
	}
	if (is_ended_by_stop(v, word) && !is(word, "LOST")) {
		set_stopped(v, row, verdict);
		return;
	}
	if (is(word, "COMPLETED")) {
		if (v->judged == NULL && absence(v, row) < v->grace) {
			set_cause(row, STORE_RUNNING, CAUSE_ENDING);
			if (row->completed == -1)
				row->completed = v->end;
			return;
		}
		if (v->judged == NULL && v->unsure && !v->started) {
			set_cause(row, STORE_RUNNING, CAUSE_UNSURE);
			return;
		}
		if (v->started) { /* the runner passes the exit code on */
			set_cause(row, STORE_FINISHED, CAUSE_NO_END);
			*verdict = v->judged == NULL ? word : NULL;
			return;
		}
		if (v->stop_asked) {
			set_stopped(v, row, verdict);
			return;
		}
		word = "LOST";
	}
	*verdict = v->judged == NULL ? word : NULL;
	if (is(word, "CANCELLED"))
		set(row, STORE_STOPPED, "CANCELLED");
	else if (!is(word, "FAILED") || v->exit_status == 0)
		set(row, STORE_ERROR, word);
	else
		set_failed_unrecorded(v, row);
}

/* Resolve a task that was queued and that Slurm no longer knows. */
static void
judge_gone(
    const struct job_evidence *v, struct store_row *row, const char **verdict)
{
	int waited = is_forgotten(v, row, v->grace);
	int never_ran = !v->started && !v->adopted;

	if (v->stop_asked && (never_ran || (waited && !v->late))) {
		set_stopped(v, row, verdict);
	} else if (waited && v->unsure) {
		set_cause(row, v->started ? STORE_RUNNING : STORE_SUBMITTED,
		    CAUSE_UNSURE);
	} else if (waited) {
		set(row, STORE_ERROR, "LOST");
		*verdict = "LOST";
	} else if (v->fresh && v->started) {
		set(row, STORE_RUNNING, NULL);
	} else {
		set_cause(row, v->started ? STORE_RUNNING : STORE_SUBMITTED,
		    v->fresh ? CAUSE_FRESH : CAUSE_ABSENT);
	}
}

/*
 * Resolve a run that ended to be requeued; it is the same run until that is
 * done.  If Slurm refused, the task needs another array.  But if Slurm accepted
 * and forgot the task, a user may have cancelled it.
 */
static void
judge_back(
    const struct job_evidence *v, struct store_row *row, const char **verdict)
{
	const char *word = slurms_word(v);

	if (v->answered && v->found && v->alive)
		row->gone = -1;
	else if (word == NULL && v->answered && is_forgotten(v, row, JOB_GRACE))
		word = v->ended ? "REFUSED" : "LOST";
	if (word != NULL && v->judged == NULL)
		*verdict = word;
	if (word == NULL)
		set_cause(row, STORE_RUNNING,
		    v->stop_asked ? CAUSE_STOPPING : CAUSE_RETURNING);
	else if (v->stop_asked)
		set(row, STORE_STOPPED, v->why);
	else if (is(word, "CANCELLED"))
		set(row, STORE_STOPPED, "CANCELLED");
	else if (is(word, "LOST"))
		set(row, STORE_ERROR, "LOST");
	else if (v->held)
		set_waiting(row, CAUSE_HELD, "");
	else
		set_cause(row, STORE_SUBMITTED, CAUSE_REQUEUE);
}

static void
judge_unqueued(const struct job_evidence *v, struct store_row *row)
{
	char text[256];

	if (v->stop_asked) {
		set(row, STORE_STOPPED, v->why);
	} else if (!v->intended && v->unsure) {
		set_cause(row, STORE_SUBMITTED, CAUSE_UNSURE);
	} else if (!v->intended && v->held) {
		set_waiting(row, CAUSE_HELD, "");
	} else if (!v->intended && v->after_others != NULL) {
		snprintf(text, sizeof text, "(%s)", v->after_others);
		set(row, STORE_SUBMITTED, text);
	} else if (!v->intended && v->refusal != NULL && v->ahead != NULL) {
		snprintf(
		    text, sizeof text, "%s, which %s", v->ahead, v->refusal);
		set_waiting(row, CAUSE_BEHIND, text);
	} else if (!v->intended && v->refusal != NULL) {
		set_waiting(row, CAUSE_REFUSED, v->refusal);
	} else {
		set_cause(row, STORE_SUBMITTED,
		    v->intended ? CAUSE_QUEUEING : CAUSE_UNQUEUED);
	}
}

char *
state_not_again(const char *who)
{
	const char *words = stop_words(STOP_NO_REQUEUE);

	return who == NULL ? xstrdup(words) : xasprintf("%s: %s", words, who);
}

int
state_is_for_good(const struct store_request *stop)
{
	enum stop_reason why = stop_reason_of(stop->why, NULL);

	return why != STOP_RESTARTED && why != STOP_DROPPED;
}

static int
is_stop(const struct store_request *stop)
{
	enum stop_reason why = stop_reason_of(stop->why, NULL);

	return why != STOP_RESTARTED && why != STOP_NO_REQUEUE &&
	    !stop_is_over(stop->why);
}

const struct store_request *
state_stop(const struct store_requests *stops, uint64_t task, uint32_t attempt)
{
	return store_stop_for(stops, task, attempt, is_stop);
}

int
state_is_pruned(const struct store_row *row)
{
	return row->state == STORE_STOPPED &&
	    (stop_pruned_read(row->cause, NULL) ||
		stop_reason_of(row->cause, NULL) == STOP_ENDED);
}

int
state_is_over(const struct store_table *table, uint64_t task)
{
	enum store_state state = store_table_state(table, task);
	int held = store_table_holds(table, task), over;
	const struct store_row *row;

	if (state != STORE_RUNNING)
		return store_state_is_final(state);
	row = store_table_row(table, task);
	over = row->completed != -1 && (row->facts & STORE_HAS_S) != 0;
	if (!held)
		store_table_forget(table, task);
	return over;
}

int
state_wants_record(const struct job_evidence *v, const struct store_row *row)
{
	if (!v->queued || !v->answered || v->found)
		return 0;
	if (v->judged != NULL &&
	    !(is(v->judged, "LOST") && (row->facts & STORE_END_DUE) != 0))
		return 0;
	if (v->back)
		return !v->stop_asked;
	return v->ended ? needs_word(row) && (!v->stop_asked || v->after)
			: v->started || v->adopted || !v->stop_asked;
}

void
state_note_due(const struct job_evidence *v, struct store_row *row)
{
	if (!is(row->slurm, "LOST"))
		row->facts &= ~STORE_END_DUE;
	else if (v->answered && !v->found && v->expected &&
	    (v->failed == v->now || absence(v, row) < LATEST))
		row->facts |= STORE_END_DUE;
	else if (v->answered && !v->found)
		row->facts &= ~STORE_END_DUE;
}

void
state_resolve(const struct job_evidence *seen, struct store_row *row,
    const char **verdict)
{
	struct job_evidence known = *seen, *v = &known;
	const char *ignored, *word;

	if (verdict == NULL)
		verdict = &ignored;
	*verdict = NULL;
	/* Slurm forgot that it reported COMPLETED: take that as recorded. */
	if (v->answered && !v->found && v->recorded == NULL &&
	    row->completed != -1)
		v->recorded = "COMPLETED";
	/* The accounting may explain a task that was LOST. */
	if (is(v->judged, "LOST") && v->recorded != NULL &&
	    (v->started || v->adopted || !is(v->recorded, "COMPLETED"))) {
		v->judged = NULL;
		v->grace = 0; /* the grace was over when it became LOST */
	}
	word = slurms_word(v);
	if (v->back)
		judge_back(v, row, verdict);
	else if (v->ended)
		judge_ended(v, row, verdict);
	else if (v->answered && v->found && v->alive)
		judge_alive(v, row);
	else if (word != NULL)
		judge_over(v, row, word, verdict);
	else if (!v->queued)
		judge_unqueued(v, row);
	else if (v->answered)
		judge_gone(v, row, verdict);
	else if (v->started && row->state == STORE_SUBMITTED)
		set(row, STORE_RUNNING, NULL);
}
