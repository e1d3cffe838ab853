#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/lex.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "notify/message.h"
#include "status/texts.h"
#include "store/job.h"
#include "view/failure-line.h"

/* Maximum groups of errors, or tasks, to name in a sentence. */
enum { NAMED = 3 };

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

/* nan means that there is no value. */
static void
put_real(FILE *out, const char *before, const char *key, double value)
{
	char text[NUM_TEXT];

	put_key(out, before, key);
	fputs(isfinite(value) ? num_exact(value, text) : "null", out);
}

/* As in tables, nan and inf are values: strings. */
static void
put_value(FILE *out, const char *before, const char *key, double value)
{
	char text[NUM_TEXT];

	if (isfinite(value))
		put_real(out, before, key, value);
	else
		put_string(out, before, key, num_exact(value, text));
}

/* ---- sentence and JSON of an event ---- */

/* A message being written, for people and for programs. */
struct writer {
	FILE *text, *json;
	struct job_view *view;
	const struct notify_event *event;
	uint64_t tasks;
	size_t groups, rest; /* number of error groups; tasks in unnamed ones */
};

/* Write "conv2d: 3 tasks", or "conv2d/3" for a single task. */
static void
write_tasks(const struct writer *w)
{
	const char *job = w->view->job->name;

	if (w->event->tasks.count > 0 && w->tasks == 1)
		fprintf(
		    w->text, "%s/%" PRIu64, job, idset_at(&w->event->tasks, 0));
	else
		fprintf(w->text, "%s: %" PRIu64 " tasks", job, w->tasks);
}

static void
write_group(void *arg, const struct show_group *g)
{
	struct writer *w = arg;

	if (w->groups++ < NAMED) {
		fputs(w->groups > 1 ? "; " : "", w->text);
		if (g->others)
			fprintf(w->text, "%zu with ", g->count);
		if (g->words != NULL)
			fputs(g->words, w->text);
		if (g->cause != NULL)
			fprintf(w->text, g->words != NULL ? " (%s)" : "%s",
			    g->cause);
	} else {
		w->rest += g->count;
	}
	put_count(w->json, w->groups > 1 ? ",{" : "{", "tasks", g->count);
	put_string(w->json, ",", "cause", g->cause);
	put_string(w->json, ",", "error", g->words);
	put_string(w->json, ",", "example", g->example);
	put_string(w->json, ",", "log", g->log);
	put_string(w->json, ",", "ids", g->ids);
	put_string(
	    w->json, ",", "log_cause", job_last_line_cause(g->view, g->task));
	putc('}', w->json);
}

static void
write_errors(struct writer *w, const struct job_tasks *tasks)
{
	write_tasks(w);
	fputs(" failed: ", w->text);
	put_key(w->json, ",", "groups");
	putc('[', w->json);
	show_groups(tasks, 1, write_group, w);
	putc(']', w->json);
	if (w->groups > NAMED)
		fprintf(w->text, "; %zu more in other ways", w->rest);
}

/* Write why tasks are stalled, late or idle. */
static void
write_marks(struct writer *w, const struct job_tasks *tasks)
{
	uint64_t task;
	size_t i;
	char *why;

	write_tasks(w);
	fputs(w->tasks == 1 ? " is" : " are", w->text);
	put_key(w->json, ",", "why");
	for (i = 0; i < tasks->count; i++) {
		task = tasks->task[i];
		why = w->event->event == NOTIFIED_IDLE
		    ? show_idle(job_view_row(w->view, task))
		    : show_mark(w->view, task);
		fprintf(w->json, "%s\"%s/%" PRIu64 "\":", i == 0 ? "{" : ",",
		    w->view->job->name, task);
		text_json(w->json, why != NULL ? why : "");
		if (why != NULL && w->tasks == 1)
			fprintf(w->text, " %s", why);
		else if (why != NULL && i < NAMED)
			fprintf(w->text, "%s%" PRIu64 " %s",
			    i == 0 ? ": " : "; ", task, why);
		free(why);
	}
	putc('}', w->json);
	if (w->tasks > NAMED)
		fprintf(w->text, "; and %" PRIu64 " more", w->tasks - NAMED);
}

static void
write_params(const struct writer *w)
{
	const char *const *value =
	    job_view_point(w->view, (uint64_t)w->view->best);
	const struct strlist *names = &w->view->job->names;
	const char *colon = ": ", *comma = "";
	size_t i;

	put_key(w->json, ",", "params");
	putc('{', w->json);
	for (i = 0; i < names->count; i++) {
		if (value[i] == NULL)
			continue;
		fprintf(w->text, "%s%s=%s", colon, names->word[i], value[i]);
		fputs(comma, w->json);
		text_json(w->json, names->word[i]);
		putc(':', w->json);
		lex_write(w->json, value[i]);
		colon = " ";
		comma = ",";
	}
	putc('}', w->json);
}

/* Write "val_loss 0.1 @ 2 (conv2d/3: lr=1e-3 batch_size=64)". */
static void
write_best(const struct writer *w)
{
	const struct job_view *v = w->view;
	char *id = xasprintf("%s/%" PRId64, v->job->name, v->best);
	char best[NUM_TEXT], epoch[NUM_TEXT];

	fprintf(w->text, "%s %s @ %s (%s", v->metric,
	    job_view_value(v->best_value, best),
	    num_short(v->best_epoch, 10, epoch), id);
	put_key(w->json, ",", "best");
	put_string(w->json, "{", "id", id);
	put_string(w->json, ",", "metric", v->metric);
	put_string(
	    w->json, ",", "goal", v->goal == METRICS_MAX ? "max" : "min");
	put_value(w->json, ",", "value", v->best_value);
	put_real(w->json, ",", "epoch", v->best_epoch);
	write_params(w);
	putc(')', w->text);
	putc('}', w->json);
	free(id);
}

static void
write_better(const struct writer *w)
{
	const struct notify_event *event = w->event;
	char before[NUM_TEXT];

	fprintf(w->text, "%s: best ", w->view->job->name);
	write_best(w);
	if (event->had_best)
		fprintf(w->text, ", before %s",
		    job_view_value(event->before, before));
	if (event->had_best)
		put_value(w->json, ",", "before", event->before);
	else
		put_string(w->json, ",", "before", NULL);
}

static void
write_end(const struct writer *w, const struct job_tasks *tasks)
{
	const char *before = " ended: ", *name;
	struct show_cost cost;
	char span[NUM_TEXT];
	int64_t pruned = w->view->table->summary.pruned;
	uint64_t count;
	int i;

	fputs(w->view->job->name, w->text);
	put_key(w->json, ",", "states");
	for (i = 0; i < STORE_STATES; i++) {
		count = w->view->table->in_state[i];
		name = store_state_name((enum store_state)i);
		put_count(w->json, i == 0 ? "{" : ",", name, count);
		if (count == 0)
			continue;
		fprintf(w->text, "%s%" PRIu64 " %s", before, count, name);
		before = ", ";
	}
	putc('}', w->json);
	if (pruned > 0)
		fprintf(w->text, " (%" PRId64 " by the search)", pruned);
	put_count(w->json, ",", "pruned", (uint64_t)pruned);
	show_cost(tasks, &cost);
	put_real(w->json, ",", "elapsed", cost.seconds);
	put_real(w->json, ",", "hours", cost.hours);
	put_real(w->json, ",", "gpu_hours", cost.gpu_hours);
	put_real(w->json, ",", "wasted", cost.wasted);
	if (!isnan(cost.seconds))
		fprintf(
		    w->text, " in %s", num_span((int64_t)cost.seconds, span));
	if (cost.gpu_hours > 0)
		fprintf(w->text, ", %.2f GPU hours", cost.gpu_hours);
	if (w->view->best == -1 || w->view->metric == NULL) {
		fputs(",\"best\":null", w->json);
		return;
	}
	fputs("; best ", w->text);
	write_best(w);
}

/* Write the sentence, and the part of the JSON that depends on the event. */
static void
write_event(struct writer *w)
{
	const struct idset *ids = &w->event->tasks;
	struct job_tasks tasks = {.view = w->view};
	struct idset_walk walk = {0};
	uint64_t task;

	tasks.task = xcalloc(w->view->table->count + 1, sizeof *tasks.task);
	if (ids->count == 0)
		for (task = 0; task < w->view->table->count; task++)
			tasks.task[tasks.count++] = task;
	while (idset_next(ids, &walk, &task))
		tasks.task[tasks.count++] = task;
	w->tasks = tasks.count;
	switch (w->event->event) {
	case NOTIFIED_ERROR:
		write_errors(w, &tasks);
		break;
	case NOTIFIED_BEST:
		write_better(w);
		break;
	case NOTIFIED_FINISHED:
		write_end(w, &tasks);
		break;
	default:
		write_marks(w, &tasks);
	}
	free(tasks.task);
}

void
notify_message_make(struct job_view *v, const struct notify_event *event,
    const char *store, struct notify_message *out)
{
	struct writer w = {.view = v, .event = event};
	char *tasks, *text, *more;
	size_t length;
	FILE *f;

	tasks = idset_text(&event->tasks);
	out->ids = event->tasks.count == 0
	    ? xstrdup(v->job->name)
	    : xasprintf("%s/%s", v->job->name, tasks);
	free(tasks);
	w.text = xmemopen(&text, &length);
	w.json = xmemopen(&more, &length);
	write_event(&w);
	xmemclose(w.text);
	xmemclose(w.json);
	f = xmemopen(&out->text, &length);
	text_plain(f, text);
	xmemclose(f);
	free(text);

	f = xmemopen(&out->json, &out->length);
	put_string(f, "{", "event", notified_event_name(event->event));
	put_string(f, ",", "job", v->job->name);
	put_string(f, ",", "description", v->job->description);
	put_count(f, ",", "time", (uint64_t)time(NULL));
	put_string(f, ",", "text", out->text);
	put_count(f, ",", "tasks", w.tasks);
	put_string(f, ",", "ids", out->ids);
	put_string(f, ",", "store", store);
	fprintf(f, "%s}\n", more);
	xmemclose(f);
	free(more);
}

void
notify_message_free(struct notify_message *message)
{
	free(message->ids);
	free(message->text);
	free(message->json);
	memset(message, 0, sizeof *message);
}
