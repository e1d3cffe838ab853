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
#include "store/once.h"
#include "store/permissions.h"
#include "sys/fs.h"
#include "sys/proc.h"

extern char **environ;

/* Seconds that a command may take, unless STFM_HOOK_TIMEOUT says otherwise. */
enum { PATIENCE = 60, MOST_PATIENCE = 86400 };

/* A longer text is no variable of the command: Linux takes 128 KiB. */
enum { LONGEST = 100000 };

/* How often to look again when another program tells at the same time. */
enum { TRIES = 20 };

/* Seconds after which a mark that was made is seen by all. */
enum { UNSEEN = 60 };

/* The mark that a command that is run once was ended. */
static const char ended[] = "then";

/* ---- what the user wants ---- */

static int
set_event(struct job_hook *hook, const char *name, struct error *e)
{
	const char *known[NOTIFIED_EVENTS];
	char hint[TEXT_HINT];
	int i;

	for (i = 0; i < NOTIFIED_EVENTS; i++) {
		known[i] = notified_event_name((enum notified_event)i);
		if (strcmp(name, known[i]) == 0) {
			hook->on[i] = 1;
			return 0;
		}
	}
	return error_set(e,
	    "--on: '%s' is none of finished, error, best, stalled, late and "
	    "idle (%s)",
	    name, text_hint(name, known, NOTIFIED_EVENTS, "try --help", hint));
}

static int
set_events(struct job_hook *hook, const char *events, struct error *e)
{
	char *list = xstrdup(events), *rest = list, *name;
	int rc = 0;

	while (rc == 0 && (name = strsep(&rest, ",")) != NULL)
		rc = set_event(hook, name, e);
	free(list);
	return rc;
}

/* Whether a word names a program, if it can be told without a shell. */
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
read_patience(int64_t *milliseconds, struct error *e)
{
	const char *text = getenv("STFM_HOOK_TIMEOUT");
	int64_t seconds = PATIENCE;

	if (text != NULL && *text != '\0' &&
	    num_int("STFM_HOOK_TIMEOUT", text, 1, MOST_PATIENCE, &seconds, e) ==
		-1)
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
	    read_patience(&hook->milliseconds, e) == -1)
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

void
job_hook_free(struct job_hook *hook)
{
	free(hook->command);
	memset(hook, 0, sizeof *hook);
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

/* One job that is told of to one hook. */
struct telling {
	const struct job_hook *hook;
	const struct store *store;
	struct job_view *view;
	struct store_notified told;
	void (*trouble)(void *arg, const char *what);
	void *arg;
	int failed;
};

static void
complain(struct telling *t, const char *what)
{
	char *text =
	    xasprintf("%s: %s: %s", t->view->job->name, t->hook->option, what);

	t->failed = 1;
	t->trouble(t->arg, text);
	free(text);
}

static int
is_ours(const char *variable)
{
	static const char *const ours[] = {
	    "STFM_DIR=", "STFM_EVENT=", "STFM_JOB=", "STFM_IDS=", "STFM_TEXT="};
	size_t i;

	for (i = 0; i < sizeof ours / sizeof *ours; i++)
		if (strncmp(variable, ours[i], strlen(ours[i])) == 0)
			return 1;
	return 0;
}

static void
add(struct strlist *env, const char *name, const char *value)
{
	if (strlen(value) <= LONGEST)
		strlist_take(env, xasprintf("%s=%s", name, value));
}

static void
make_environment(const struct telling *t, enum notified_event event,
    const struct notify_message *said, struct strlist *out)
{
	char **at;

	for (at = environ; *at != NULL; at++)
		if (!is_ours(*at))
			strlist_push(out, *at);
	add(out, "STFM_DIR", t->store->path);
	add(out, "STFM_EVENT", notified_event_name(event));
	add(out, "STFM_JOB", t->view->job->name);
	add(out, "STFM_IDS", said->ids);
	add(out, "STFM_TEXT", said->text);
}

/* How it ended by proc_feed's words, when that was not well; to free. */
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

/* Whether it was run is not to be asked any more. */
static void
mark_end(struct telling *t, const char *how)
{
	struct error why;

	if (store_once_set(t->view->job, ended, how, &why) == -1)
		complain(t, why.text);
}

static void
call(struct telling *t, enum notified_event event,
    const struct notify_message *said)
{
	char *argv[] = {"/bin/sh", "-c", t->hook->command, NULL};
	char *end = NULL, *text;
	struct strlist env = {0};
	struct error why;
	int status = 0, rc;

	make_environment(t, event, said, &env);
	rc = proc_feed(argv, env.word, said->json, said->length,
	    t->hook->milliseconds, &status, &why);
	if (rc == -1)
		end = xasprintf("could not be run: %s", why.text);
	else
		end = end_of(t->hook->milliseconds, rc, status, &why);
	if (end != NULL) {
		text = xasprintf("the command for '%s' %s; this is not told "
				 "again",
		    notified_event_name(event), end);
		complain(t, text);
		free(text);
	}
	if (t->hook->once)
		mark_end(t, end);
	free(end);
	strlist_free(&env);
}

static void
tell(struct telling *t, const struct notify_event *notice)
{
	struct notify_message said;

	notify_message_make(t->view, notice, t->store->path, &said);
	call(t, notice->event, &said);
	notify_message_free(&said);
}

int
job_hook_feed(const char *command, const char *text, struct error *e)
{
	char *argv[] = {"/bin/sh", "-c", xstrdup(command), NULL};
	char *end = NULL;
	int64_t milliseconds;
	struct error why;
	int status = 0, rc = read_patience(&milliseconds, e);

	if (rc == 0) {
		rc = proc_feed(argv, environ, text, strlen(text), milliseconds,
		    &status, &why);
		if (rc == -1)
			error_set(e, "%s", why.text);
	}
	if (rc != -1)
		end = end_of(milliseconds, rc, status, &why);
	if (end != NULL)
		rc = error_set(e, "the command %s", end);
	free(end);
	free(argv[2]);
	return rc;
}

/* ---- what has been told ---- */

static int
load(struct telling *t)
{
	struct error why;

	store_notified_free(&t->told);
	if (store_notified_load(t->view->job, t->hook->key, &t->told, &why) ==
	    0)
		return 0;
	complain(t, why.text);
	return -1;
}

/* Note what is in told: 0, 1 when all has to be looked at again, or -1. */
static int
note(struct telling *t)
{
	struct error why;
	int rc =
	    store_notified_publish(t->view->job, t->hook->key, &t->told, &why);

	if (rc == -1)
		complain(t, why.text);
	if (rc == 1 && load(t) == -1)
		return -1;
	return rc;
}

/* Whether the job is older than the hook, as the store's clock has it. */
static int
is_old(struct telling *t, enum notified_event event, int *out)
{
	struct error why;
	int64_t made;

	if (fs_changed(t->view->job->dir, "job.json", &made, &why) == -1) {
		complain(t, why.text);
		return -1;
	}
	*out = made < t->hook->since[event];
	return 0;
}

/*
 * The first look at a job that is older than the hook: what there is to tell of
 * one that is over counts as told.
 */
static int
look_first(struct telling *t)
{
	struct notify_event notice;
	struct notified_about *about;
	int i, old, news = 0;

	for (i = 0; i < NOTIFIED_EVENTS; i++) {
		about = &t->told.of[i];
		if (!t->hook->on[i] || about->known)
			continue;
		if (is_old(t, (enum notified_event)i, &old) == -1)
			return -1;
		if (!old)
			continue;
		about->known = news = 1;
		if (!job_view_is_final(t->view))
			continue;
		notify_event_find(
		    t->view, (enum notified_event)i, about, &notice);
		notify_event_free(&notice);
	}
	return news ? note(t) : 0;
}

/* As note, but that the event is told if there is one. */
static int
look_for(struct telling *t, enum notified_event event)
{
	struct notify_event notice;
	int rc = 0;

	if (t->hook->once && t->told.of[event].count > 0)
		return 0;
	if (notify_event_find(t->view, event, &t->told.of[event], &notice)) {
		rc = note(t);
		if (rc == 0)
			tell(t, &notice);
	}
	notify_event_free(&notice);
	return rc;
}

/* Who noted that it is to be run may have been killed before it was. */
static void
ask_for_end(struct telling *t)
{
	const struct store_job *job = t->view->job;
	int64_t began, now;
	struct error why;
	int rc;

	if (t->told.of[NOTIFIED_FINISHED].count == 0)
		return;
	rc = store_once_is_set(job, ended, &why);
	if (rc == 0 &&
	    (store_notified_changed(
		 job, t->hook->key, &t->told, &began, &why) == -1 ||
		fs_now(job->dir, &now, &why) == -1))
		rc = -1;
	if (rc == -1)
		complain(t, why.text);
	if (rc != 0 || now - began <= t->hook->milliseconds / 1000 + UNSEEN)
		return;
	complain(t,
	    "the command was about to be run, and nobody has recorded how it "
	    "ended: look whether it has done its work; it is not run again");
	mark_end(t, "nobody knows how");
}

static int
repeat(struct telling *t, int (*look)(struct telling *, enum notified_event),
    enum notified_event event)
{
	int rc = 1, i;

	for (i = 0; rc == 1 && i < TRIES; i++)
		rc = look(t, event);
	return rc == 0 ? 0 : -1;
}

static int
begin(struct telling *t, enum notified_event event)
{
	(void)event;
	return look_first(t);
}

int
job_hook_tell(const struct job_hook *hook, const struct store *store,
    struct job_view *view, void (*trouble)(void *arg, const char *what),
    void *arg)
{
	struct telling t = {hook, store, view, {0}, trouble, arg, 0};
	int i, rc = load(&t);

	if (rc == 0)
		rc = repeat(&t, begin, NOTIFIED_ERROR);
	for (i = 0; rc == 0 && i < NOTIFIED_EVENTS; i++)
		if (hook->on[i] && proc_interrupted() == 0)
			rc = repeat(&t, look_for, (enum notified_event)i);
	if (rc == 0 && hook->once)
		ask_for_end(&t);
	store_notified_free(&t.told);
	return t.failed ? -1 : 0;
}

/* ---- --then ---- */

/* It is a command like those that its tasks run, and as safe as they are. */
static int
is_ours_to_run(const struct store_job *job, struct error *e)
{
	if (job->uid != (int64_t)geteuid())
		return error_set(e, "it is somebody else's");
	return store_permissions_check_job(job, e);
}

int
job_hook_then(const struct store *store, const struct store_job *job,
    const struct store_table *fold,
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
	int rc = 0, over = 0;

	if (job->then != NULL)
		over = job_policy_is_over(job, fold, &e);
	if (over == 0)
		return 0;
	if (over == -1 || is_ours_to_run(job, &e) == -1 ||
	    read_patience(&hook.milliseconds, &e) == -1 ||
	    (view = job_view_new(job, NULL, time(NULL), &e)) == NULL) {
		text = xasprintf("%s: --then: %s", job->name, e.text);
		trouble(arg, text);
		free(text);
		rc = -1;
	} else {
		rc = job_hook_tell(&hook, store, view, trouble, arg);
	}
	job_view_free(view);
	return rc;
}
