#include <sys/wait.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "control/policy.h"
#include "notify/events.h"
#include "notify/hook.h"
#include "notify/message.h"
#include "state/resolve.h"
#include "store/job.h"
#include "store/once.h"
#include "store/permissions.h"
#include "store/store.h"
#include "sys/fs.h"
#include "sys/proc.h"

extern char **environ;

/*
 * Time limit of a command in seconds, unless STFM_HOOK_TIMEOUT sets it, and the
 * maximum of STFM_HOOK_TIMEOUT.
 */
enum { TIMEOUT = 60, LONGEST_TIMEOUT = 86400 };

/* Maximum bytes of an environment variable: Linux allows 128 KiB. */
enum { LONGEST = 100000 };

/* How often to try again while another process notifies at the same time. */
enum { TRIES = 20 };

/*
 * A job that was submitted at most so many seconds before a hook was first used
 * is news for it, even if the job has ended.
 */
enum { NEW_JOB = 300 };

/* Seconds after which every machine sees a mark. */
enum { UNSEEN = 60 };

/* The mark that a command that runs only once has ended. */
static const char ended[] = "then";

/* ---- making a hook ---- */

static int
set_events(struct job_hook *hook, const char *events, struct error *e)
{
	const char *known[NOTIFIED_EVENTS];
	char *list = xstrdup(events), *rest = list, *name, hint[TEXT_HINT];
	int i, rc = 0;

	for (i = 0; i < NOTIFIED_EVENTS; i++)
		known[i] = notified_event_name((enum notified_event)i);
	while (rc == 0 && (name = strsep(&rest, ",")) != NULL) {
		i = text_among(name, known, NOTIFIED_EVENTS);
		if (i != -1)
			hook->on[i] = 1;
		else
			rc = error_set(e,
			    "--on: '%s' is none of finished, error, best, "
			    "stalled, late and idle (%s)",
			    name,
			    text_hint(name, known, NOTIFIED_EVENTS,
				"try --help", hint));
	}
	free(list);
	return rc == 0 ? 0 : error_names(e, "--on");
}

/*
 * Return 0 if a command is a single word that names no program.  Other commands
 * only sh can judge.
 */
static int
may_be_run(const char *command)
{
	const char *path = getenv("PATH");
	char *found;
	int yes;

	if (command[strcspn(command, " \t\n'\"\\$`|&;<>()*?[#~=%{}!:")] != '\0')
		return 1;
	if (strchr(command, '/') != NULL)
		return access(command, X_OK) == 0;
	found = proc_find(command, path != NULL ? path : "/usr/bin:/bin");
	yes = found != NULL;
	free(found);
	return yes;
}

static int
read_timeout(int64_t *milliseconds, struct error *e)
{
	const char *text = getenv("STFM_HOOK_TIMEOUT");
	int64_t seconds = TIMEOUT;

	if (text != NULL && *text != '\0' &&
	    num_int("STFM_HOOK_TIMEOUT", text, 1, LONGEST_TIMEOUT, &seconds,
		e) == -1)
		return -1;
	*milliseconds = seconds * 1000;
	return 0;
}

int
job_hook_set(struct job_hook *hook, const char *events, const char *command,
    struct error *e)
{
	memset(hook, 0, sizeof *hook);
	if (set_events(hook, events, e) == -1 ||
	    read_timeout(&hook->milliseconds, e) == -1)
		return -1;
	if (command == NULL || *command == '\0')
		return error_set(e, "--on %s: no command: %s", events,
		    "write --on EVENT COMMAND");
	if (!may_be_run(command))
		return error_set(e,
		    "--on %s: %s: no such program: write --on EVENT COMMAND",
		    events, command);
	hook->option = "--on";
	hook->command = xstrdup(command);
	snprintf(hook->key, sizeof hook->key, "%08" PRIx32,
	    fs_crc32c(command, strlen(command)));
	return 0;
}

int
job_hook_check(const char *option, const char *command, struct error *e)
{
	if (*command == '\0')
		return error_set(e, "%s: no command", option);
	if (!may_be_run(command))
		return error_set(e, "%s: %s: no such program", option, command);
	return 0;
}

int
job_hook_begin(
    struct job_hook *hook, const struct store *store, struct error *e)
{
	int i, rc = 0;

	for (i = 0; rc == 0 && i < NOTIFIED_EVENTS; i++)
		if (hook->on[i])
			rc = store_notified_since(store, hook->key,
			    (enum notified_event)i, &hook->since[i], e);
	return rc;
}

/* ---- running the command ---- */

/* The notification of one hook about one job. */
struct notifier {
	const struct job_hook *hook;
	const struct store *store;
	struct job_view *view;
	struct store_notified notified; /* the record of the events so far */
	void (*trouble)(void *arg, const char *what);
	void *arg;
	int failed;
};

static void
report(struct notifier *n, const char *what)
{
	char *text =
	    xasprintf("%s: %s: %s", n->view->job->name, n->hook->option, what);

	n->failed = 1;
	n->trouble(n->arg, text);
	free(text);
}

static void
make_environment(const struct notifier *n, enum notified_event event,
    const struct notify_message *message, struct strlist *out)
{
	const struct {
		const char *name, *value;
	} own[] = {
	    {"STFM_DIR", n->store->path},
	    {"STFM_EVENT", notified_event_name(event)},
	    {"STFM_JOB", n->view->job->name},
	    {"STFM_IDS", message->ids},
	    {"STFM_TEXT", message->text},
	};
	enum { OWN = sizeof own / sizeof *own };
	char **at;
	size_t i, length;

	for (at = environ; *at != NULL; at++) {
		for (i = 0; i < OWN; i++) {
			length = strlen(own[i].name);
			if (text_begins(*at, own[i].name) &&
			    (*at)[length] == '=')
				break;
		}
		if (i == OWN)
			strlist_push(out, *at);
	}
	for (i = 0; i < OWN; i++)
		if (strlen(own[i].value) <= LONGEST)
			strlist_take(
			    out, xasprintf("%s=%s", own[i].name, own[i].value));
}

/*
 * Return how a command failed, from the result of proc_feed; to free, or NULL.
 */
static char *
end_of(int64_t milliseconds, int rc, int status, const struct error *e)
{
	char name[32];

	if (rc == 2)
		return xasprintf(
		    "printed output that could not be written: %s", e->text);
	if (rc == 1)
		return xasprintf("did not end within %" PRId64
				 " s and was killed",
		    milliseconds / 1000);
	if (WIFSIGNALED(status))
		return xasprintf(
		    "was ended by %s", job_signal_name(WTERMSIG(status), name));
	if (WEXITSTATUS(status) != 0)
		return xasprintf("ended with status %d", WEXITSTATUS(status));
	return NULL;
}

/* Mark that a command that runs only once has ended; how says how it failed. */
static void
mark_end(struct notifier *n, const char *how)
{
	struct error why;

	if (store_once_set(n->view->job, ended, how, &why) == -1)
		report(n, why.text);
}

static void
run_command(struct notifier *n, const struct notify_event *event)
{
	char *argv[] = {"/bin/sh", "-c", n->hook->command, NULL};
	char *end = NULL, *text;
	struct notify_message message;
	struct strlist env = {0};
	struct error why;
	int status = 0, rc;

	notify_message_make(n->view, event, n->store->path, &message);
	make_environment(n, event->event, &message, &env);
	rc = proc_feed(argv, env.word, message.json, message.length,
	    n->hook->milliseconds, &status, &why);
	if (rc == -1)
		end = xasprintf("could not be run: %s", why.text);
	else
		end = end_of(n->hook->milliseconds, rc, status, &why);
	if (end != NULL) {
		text = xasprintf("the command for '%s' %s; this is not told "
				 "again",
		    notified_event_name(event->event), end);
		report(n, text);
		free(text);
	}
	if (n->hook->once)
		mark_end(n, end);
	free(end);
	strlist_free(&env);
	notify_message_free(&message);
}

int
job_hook_feed(const char *command, const char *text, struct error *e)
{
	char *argv[] = {"/bin/sh", "-c", xstrdup(command), NULL};
	char *end = NULL;
	int64_t milliseconds;
	struct error why;
	int status = 0, rc = read_timeout(&milliseconds, e);

	if (rc == 0) {
		rc = proc_feed(argv, environ, text, strlen(text), milliseconds,
		    &status, &why);
		if (rc == -1)
			error_copy(e, &why);
	}
	if (rc != -1)
		end = end_of(milliseconds, rc, status, &why);
	if (end != NULL)
		rc = error_set(e, "the command %s", end);
	free(end);
	free(argv[2]);
	return rc;
}

/* ---- the record of the events so far ---- */

static int
load(struct notifier *n)
{
	struct error why;

	store_notified_free(&n->notified);
	if (store_notified_load(
		n->view->job, n->hook->key, &n->notified, &why) == 0)
		return 0;
	report(n, why.text);
	return -1;
}

/*
 * Publish the record.  Returns 0, 1 if another process published first, so that
 * everything may differ, or -1.
 */
static int
publish(struct notifier *n)
{
	struct error why;
	int rc = store_notified_publish(
	    n->view->job, n->hook->key, &n->notified, &why);

	if (rc == -1)
		report(n, why.text);
	if (rc == 1 && load(n) == -1)
		return -1;
	return rc;
}

/*
 * Look at a job for the first time.  If the job has ended, and was not
 * submitted just before the hook was first used, all its events count as
 * notified.  Returns as publish does.
 */
static int
look_first(struct notifier *n, enum notified_event unused)
{
	struct notify_event event;
	struct notified_about *about;
	struct error why;
	int64_t made, before;
	int i, news = 0;

	(void)unused;
	before = store_job_imported(n->view->job) == NULL ? NEW_JOB : 0;
	for (i = 0; i < NOTIFIED_EVENTS; i++) {
		about = &n->notified.of[i];
		if (!n->hook->on[i] || about->known)
			continue;
		if (fs_changed(n->view->job->dir, "job.json", &made, &why) ==
		    -1) {
			report(n, why.text);
			return -1;
		}
		if (made >= n->hook->since[i] - before)
			continue;
		about->known = news = 1;
		if (!job_view_is_final(n->view))
			continue;
		notify_event_find(
		    n->view, (enum notified_event)i, about, &event);
		notify_event_free(&event);
	}
	return news ? publish(n) : 0;
}

/*
 * Look for an event, and run the command if there is one.  Returns as publish
 * does.
 */
static int
look_for(struct notifier *n, enum notified_event kind)
{
	struct notified_about *about = &n->notified.of[kind];
	struct notify_event event;
	int rc = 0;

	if (n->hook->once && about->count > 0)
		return 0;
	if (notify_event_find(n->view, kind, about, &event)) {
		rc = publish(n);
		if (rc == 0)
			run_command(n, &event);
	}
	notify_event_free(&event);
	return rc;
}

/*
 * Report a command whose end is missing: the process that recorded the event
 * may have been killed.
 */
static void
check_end(struct notifier *n)
{
	const struct store_job *job = n->view->job;
	int64_t began, now;
	struct error why;
	int rc;

	if (n->notified.of[NOTIFIED_FINISHED].count == 0)
		return;
	rc = store_once_is_set(job, ended, &why);
	if (rc == 0 &&
	    (store_notified_changed(
		 job, n->hook->key, &n->notified, &began, &why) == -1 ||
		fs_now(job->dir, &now, &why) == -1))
		rc = -1;
	if (rc == -1)
		report(n, why.text);
	if (rc != 0 || now - began <= n->hook->milliseconds / 1000 + UNSEEN)
		return;
	report(n,
	    "the command was started, but its end was not recorded: check "
	    "whether it did its work; stfm does not run it again");
	mark_end(n, "nobody knows how");
}

/* Look until no other process publishes at the same time.  Returns 0 or -1. */
static int
repeat(struct notifier *n, int (*look)(struct notifier *, enum notified_event),
    enum notified_event event)
{
	int rc = 1, i;

	for (i = 0; rc == 1 && i < TRIES; i++)
		rc = look(n, event);
	return rc == 0 ? 0 : -1;
}

int
job_hook_notify(const struct job_hook *hook, const struct store *store,
    struct job_view *view, void (*trouble)(void *arg, const char *what),
    void *arg)
{
	struct notifier n = {hook, store, view, {0}, trouble, arg, 0};
	int i, rc = load(&n);

	if (rc == 0)
		rc = repeat(&n, look_first, NOTIFIED_ERROR);
	for (i = 0; rc == 0 && i < NOTIFIED_EVENTS; i++)
		if (hook->on[i] && proc_interrupted() == 0)
			rc = repeat(&n, look_for, (enum notified_event)i);
	if (rc == 0 && hook->once)
		check_end(&n);
	store_notified_free(&n.notified);
	return n.failed ? -1 : 0;
}

/* ---- the --then command ---- */

int
job_hook_then(const struct store *store, const struct store_job *job,
    const struct store_table *table,
    void (*trouble)(void *arg, const char *what), void *arg)
{
	struct job_hook hook = {.option = "--then",
	    .key = "then",
	    .command = job->then,
	    .once = 1,
	    .on = {[NOTIFIED_FINISHED] = 1}};
	struct job_view *view = NULL;
	struct error e;
	char *text;
	int rc = 0;

	if (job->then != NULL)
		rc = job_policy_is_over(job, table, &e);
	if (rc == 0)
		return 0;
	/*
	 * As for the tasks' commands, no other user may be able to change it.
	 */
	if (rc != -1 && job->uid != (int64_t)geteuid())
		rc = error_set(&e, "the job belongs to another user");
	if (rc == -1 || store_permissions_check_job(job, &e) == -1 ||
	    read_timeout(&hook.milliseconds, &e) == -1 ||
	    (view = job_view_new(job, NULL, time(NULL), &e)) == NULL) {
		text = xasprintf("%s: --then: %s", job->name, e.text);
		trouble(arg, text);
		free(text);
		rc = -1;
	} else {
		rc = job_hook_notify(&hook, store, view, trouble, arg);
	}
	job_view_free(view);
	return rc;
}
