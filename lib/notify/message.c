#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "notify/message.h"
#include "status/private.h"

/* So many groups of errors, or tasks, are named in a sentence. */
enum { NAMED = 3 };

/* The tasks of a notice as others take them; to free. */
static struct job_tasks
tasks_of(struct job_view *v, const struct notify_event *n)
{
	struct job_tasks out = {.view = v};
	struct idset_walk walk = {0};
	uint64_t task;

	out.task = xcalloc(v->fold->count + 1, sizeof *out.task);
	if (n->tasks.count == 0)
		for (task = 0; task < v->fold->count; task++)
			out.task[out.count++] = task;
	while (idset_next(&n->tasks, &walk, &task))
		out.task[out.count++] = task;
	return out;
}

static char *
ids_of(struct job_view *v, const struct notify_event *n)
{
	char *tasks, *ids;

	if (n->tasks.count == 0)
		return xstrdup(v->job->name);
	tasks = idset_text(&n->tasks);
	ids = xasprintf("%s/%s", v->job->name, tasks);
	free(tasks);
	return ids;
}

/* ---- JSON ---- */

static void
put_key(FILE *out, const char *before, const char *key)
{
	fprintf(out, "%s\"%s\":", before, key);
}

static void
put_string(FILE *out, const char *before, const char *key, const char *text)
{
	put_key(out, before, key);
	if (text != NULL)
		text_json(out, text);
	else
		fputs("null", out);
}

static void
put_count(FILE *out, const char *before, const char *key, uint64_t count)
{
	put_key(out, before, key);
	fprintf(out, "%" PRIu64, count);
}

static void
put_real(FILE *out, const char *before, const char *key, double value)
{
	char text[NUM_TEXT];

	put_key(out, before, key);
	fputs(isfinite(value) ? num_exact(value, text) : "null", out);
}

/* ---- a notice while it is written, for people and for programs ---- */

struct saying {
	FILE *text, *json;
	struct job_view *view;
	const struct notify_event *notice;
	uint64_t tasks;
	size_t groups, rest; /* of errors; tasks in those not named */
};

/* "conv2d: 3 tasks", or "conv2d/3" when it is alone. */
static void
say_who(const struct saying *s)
{
	const char *job = s->view->job->name;

	if (s->notice->tasks.count > 0 && s->tasks == 1)
		fprintf(s->text, "%s/%" PRIu64, job,
		    idset_at(&s->notice->tasks, 0));
	else
		fprintf(s->text, "%s: %" PRIu64 " tasks", job, s->tasks);
}

static void
say_cause(const struct saying *s, const struct show_group *g)
{
	fputs(s->groups > 1 ? "; " : "", s->text);
	if (g->others)
		fprintf(s->text, "%zu with ", g->count);
	if (g->words != NULL)
		fputs(g->words, s->text);
	if (g->cause != NULL)
		fprintf(s->text, g->words != NULL ? " (%s)" : "%s", g->cause);
}

static void
say_group(void *arg, const struct show_group *g)
{
	struct saying *s = arg;

	if (s->groups++ < NAMED)
		say_cause(s, g);
	else
		s->rest += g->count;
	put_count(s->json, s->groups > 1 ? ",{" : "{", "tasks", g->count);
	put_string(s->json, ",", "cause", g->cause);
	put_string(s->json, ",", "error", g->words);
	put_string(s->json, ",", "example", g->example);
	put_string(s->json, ",", "log", g->log);
	put_string(s->json, ",", "ids", g->ids);
	putc('}', s->json);
}

static void
say_errors(struct saying *s, const struct job_tasks *tasks)
{
	say_who(s);
	fputs(" failed: ", s->text);
	put_key(s->json, ",", "groups");
	putc('[', s->json);
	show_groups(tasks, say_group, s);
	putc(']', s->json);
	if (s->groups > NAMED)
		fprintf(s->text, "; %zu more in other ways", s->rest);
}

static void
say_mark(struct saying *s, uint64_t task, uint64_t nth)
{
	char *text = s->notice->event == NOTIFIED_IDLE
	    ? show_idle(job_view_row(s->view, task))
	    : show_mark(s->view, task);

	fprintf(s->json, "%s\"%s/%" PRIu64 "\":", nth == 0 ? "{" : ",",
	    s->view->job->name, task);
	text_json(s->json, text != NULL ? text : "");
	if (text != NULL && s->tasks == 1)
		fprintf(s->text, " %s", text);
	else if (text != NULL && nth < NAMED)
		fprintf(s->text, "%s%" PRIu64 " %s", nth == 0 ? ": " : "; ",
		    task, text);
	free(text);
}

static void
say_marks(struct saying *s, const struct job_tasks *tasks)
{
	size_t i;

	say_who(s);
	fputs(s->tasks == 1 ? " is" : " are", s->text);
	put_key(s->json, ",", "why");
	for (i = 0; i < tasks->count; i++)
		say_mark(s, tasks->task[i], i);
	putc('}', s->json);
	if (s->tasks > NAMED)
		fprintf(s->text, "; and %" PRIu64 " more", s->tasks - NAMED);
}

static void
say_params(const struct saying *s)
{
	const char *const *value =
	    job_view_point(s->view, (uint64_t)s->view->best);
	const struct strlist *names = &s->view->job->names;
	const char *colon = ": ", *comma = "";
	size_t i;

	put_key(s->json, ",", "params");
	putc('{', s->json);
	for (i = 0; i < names->count; i++) {
		if (value[i] == NULL)
			continue;
		fprintf(s->text, "%s%s=%s", colon, names->word[i], value[i]);
		fputs(comma, s->json);
		text_json(s->json, names->word[i]);
		putc(':', s->json);
		text_json(s->json, value[i]);
		colon = " ";
		comma = ",";
	}
	putc('}', s->json);
}

/* "val_loss 0.1 @ 2 (conv2d/3: lr=1e-3 batch_size=64)" */
static void
say_best(const struct saying *s)
{
	const struct job_view *v = s->view;
	char *id = xasprintf("%s/%" PRId64, v->job->name, v->best);
	char best[NUM_TEXT], epoch[NUM_TEXT];

	fprintf(s->text, "%s %s @ %s (%s", v->metric,
	    job_view_value(v->best_value, best),
	    num_short(v->best_epoch, 10, epoch), id);
	put_key(s->json, ",", "best");
	put_string(s->json, "{", "id", id);
	put_string(s->json, ",", "metric", v->metric);
	put_string(
	    s->json, ",", "goal", v->goal == METRICS_MAX ? "max" : "min");
	put_real(s->json, ",", "value", v->best_value);
	put_real(s->json, ",", "epoch", v->best_epoch);
	say_params(s);
	putc(')', s->text);
	putc('}', s->json);
	free(id);
}

static void
say_better(const struct saying *s)
{
	const struct notify_event *n = s->notice;
	char before[NUM_TEXT];

	fprintf(s->text, "%s: best ", s->view->job->name);
	say_best(s);
	if (n->had_best)
		fprintf(
		    s->text, ", before %s", job_view_value(n->before, before));
	put_real(s->json, ",", "before", n->had_best ? n->before : (double)NAN);
}

static void
say_states(const struct saying *s)
{
	const char *before = " ended: ", *name;
	uint64_t count;
	int i;

	put_key(s->json, ",", "states");
	for (i = 0; i < STORE_STATES; i++) {
		count = s->view->fold->in_state[i];
		name = store_state_name((enum store_state)i);
		put_count(s->json, i == 0 ? "{" : ",", name, count);
		if (count == 0)
			continue;
		fprintf(s->text, "%s%" PRIu64 " %s", before, count, name);
		before = ", ";
	}
	putc('}', s->json);
}

static void
say_end(const struct saying *s, const struct job_tasks *tasks)
{
	struct show_cost cost;
	char span[NUM_TEXT];

	fputs(s->view->job->name, s->text);
	say_states(s);
	show_cost(tasks, &cost);
	put_real(s->json, ",", "seconds", cost.seconds);
	put_real(s->json, ",", "hours", cost.hours);
	put_real(s->json, ",", "gpu_hours", cost.gpu_hours);
	put_real(s->json, ",", "wasted", cost.wasted);
	if (!isnan(cost.seconds))
		fprintf(
		    s->text, " in %s", num_span((int64_t)cost.seconds, span));
	if (cost.gpu_hours > 0)
		fprintf(s->text, ", %.2f GPU hours", cost.gpu_hours);
	if (s->view->best == -1 || s->view->metric == NULL) {
		fputs(",\"best\":null", s->json);
		return;
	}
	fputs("; best ", s->text);
	say_best(s);
}

static void
say(struct saying *s)
{
	struct job_tasks tasks = tasks_of(s->view, s->notice);

	s->tasks = tasks.count;
	switch (s->notice->event) {
	case NOTIFIED_ERROR:
		say_errors(s, &tasks);
		break;
	case NOTIFIED_BEST:
		say_better(s);
		break;
	case NOTIFIED_FINISHED:
		say_end(s, &tasks);
		break;
	default:
		say_marks(s, &tasks);
	}
	free(tasks.task);
}

/* The same text for a terminal; takes it over. */
static char *
plain(char *text)
{
	char *out;
	size_t length;
	FILE *f = xmemopen(&out, &length);

	text_plain(f, text);
	xmemclose(f);
	free(text);
	return out;
}

static void
put_all(FILE *out, const struct saying *s, const char *store,
    const struct notify_message *said, const char *more)
{
	const struct store_job *job = s->view->job;
	char now[TABLE_TIME];

	put_string(out, "{", "event", notified_event_name(s->notice->event));
	put_string(out, ",", "job", job->name);
	put_string(out, ",", "description", job->description);
	put_string(out, ",", "time", table_iso_time(time(NULL), now));
	put_string(out, ",", "text", said->text);
	put_count(out, ",", "tasks", s->tasks);
	put_string(out, ",", "ids", said->ids);
	put_string(out, ",", "store", store);
	fprintf(out, "%s}\n", more);
}

void
notify_message_make(struct job_view *v, const struct notify_event *notice,
    const char *store, struct notify_message *out)
{
	struct saying s = {.view = v, .notice = notice};
	size_t length;
	char *more;
	FILE *f;

	out->ids = ids_of(v, notice);
	s.text = xmemopen(&out->text, &length);
	s.json = xmemopen(&more, &length);
	say(&s);
	xmemclose(s.text);
	xmemclose(s.json);
	out->text = plain(out->text);
	f = xmemopen(&out->json, &out->length);
	put_all(f, &s, store, out, more);
	xmemclose(f);
	free(more);
}

void
notify_message_free(struct notify_message *said)
{
	free(said->ids);
	free(said->text);
	free(said->json);
	memset(said, 0, sizeof *said);
}
