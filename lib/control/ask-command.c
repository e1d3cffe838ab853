#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "control/ask-command.h"
#include "control/ask-trial.h"
#include "job/points.h"
#include "search/sampler.h"
#include "space/grid.h"
#include "store/load.h"
#include "store/policy.h"
#include "sys/proc.h"

/* How many seconds a command may take unless STFM_SAMPLER_TIMEOUT says it. */
enum { TIMEOUT = 60, LONGEST_TIMEOUT = 86400 };

/* ---- what the command reads ---- */

static void
put_real(FILE *out, const char *key, double value)
{
	char text[NUM_TEXT];

	fprintf(out, ",\"%s\":%s", key, num_exact(value, text));
}

/* Write a distribution, by its name and its numbers as stfm-space(5) has it. */
static void
put_draw(FILE *out, const struct draw *d)
{
	static const char *const names[] = {[DRAW_UNIFORM] = "uniform",
	    [DRAW_LOGUNIFORM] = "loguniform",
	    [DRAW_INT] = "int",
	    [DRAW_LOGINT] = "logint",
	    [DRAW_NORMAL] = "normal",
	    [DRAW_LOGNORMAL] = "lognormal"};
	int is_normal = d->kind == DRAW_NORMAL || d->kind == DRAW_LOGNORMAL;

	fprintf(out, ",\"distribution\":\"%s\"", names[d->kind]);
	if (d->kind == DRAW_INT || d->kind == DRAW_LOGINT) {
		fprintf(out, ",\"low\":%" PRId64 ",\"high\":%" PRId64, d->low,
		    d->high);
	} else {
		put_real(out, is_normal ? "mean" : "low", d->a);
		put_real(out, is_normal ? "deviation" : "high", d->b);
	}
}

static void
put_list(FILE *out, const struct values *v)
{
	uint64_t n = v->is_drawn ? v->texts : values_count(v), i;
	struct values_one one;
	char room[NUM_TEXT];

	fputs(",\"values\":[", out);
	for (i = 0; i < n; i++) {
		one = v->is_drawn ? v->text[i] : values_get(v, i, room);
		if (i > 0)
			putc(',', out);
		if (one.text == NULL)
			fputs("null", out);
		else
			text_json(out, one.text);
	}
	putc(']', out);
}

/* Write the conditions of one name, or of all: without option and name. */
static void
put_conditions(FILE *out, const char *key, const struct grid_condition *c,
    size_t count, const char *name)
{
	char end = name != NULL ? ':' : ' ';
	const char *text;
	size_t i, n = 0;

	for (i = 0; i < count; i++) {
		if (name != NULL && strcmp(c[i].name, name) != 0)
			continue;
		fprintf(out, n++ == 0 ? ",\"%s\":[" : ",", key);
		text = strchr(c[i].label, end);
		text_json(out, text != NULL ? text + 1 : c[i].label);
	}
	if (n > 0)
		putc(']', out);
}

static void
put_space(FILE *out, const struct ask_command *c)
{
	const struct grid *g = space_grid(c->space);
	const struct values *v;
	size_t i;

	fputs("\"space\":[", out);
	for (i = 0; i < g->count; i++) {
		v = g->values[i];
		fputs(i > 0 ? ",{\"name\":" : "{\"name\":", out);
		text_json(out, v->name);
		if (v->is_drawn && v->draw.kind != DRAW_CHOICE)
			put_draw(out, &v->draw);
		else
			put_list(out, v);
		put_conditions(out, "when", g->when, g->whens, v->name);
		putc('}', out);
	}
	putc(']', out);
	put_conditions(out, "except", g->except, g->excepts, NULL);
}

/*
 * Write a trial, with its task unless it is of another job; tasks that were
 * stopped without a value are left out.
 */
static void
put_trial(FILE *out, const struct ask_command *c, const struct ask_trial *t,
    const uint64_t *task)
{
	static const char *const states[] = {[ASK_RUNNING] = "RUNNING",
	    [ASK_FINISHED] = "FINISHED",
	    [ASK_FAILED] = "ERROR",
	    [ASK_STOPPED] = "STOPPED"};
	const struct strlist *names = store_job_names(c->job);
	const char *const *value = NULL;
	size_t i, n = 0;

	if (t->is_told)
		value = job_points_line(c->points, t->line, "point", NULL);
	if (value == NULL)
		return;
	putc('{', out);
	if (task != NULL)
		fprintf(out, "\"task\":%" PRIu64 ",", *task);
	fprintf(out, "\"state\":\"%s\"", states[t->state]);
	if (t->reached > 0 && t->reached < INT64_MAX)
		fprintf(out, ",\"epoch\":%" PRId64, t->reached);
	else if (t->reached > 0 && c->epochs > 0)
		fprintf(out, ",\"epoch\":%" PRId64, c->epochs);
	if (isfinite(t->told))
		put_real(out, "value", t->told);
	fputs(",\"point\":{", out);
	for (i = 0; i < names->count; i++) {
		if (value[i] == NULL)
			continue;
		if (n++ > 0)
			putc(',', out);
		text_json(out, names->word[i]);
		putc(':', out);
		text_json(out, value[i]);
	}
	fputs("}}\n", out);
}

static char *
input(const struct ask_command *c, uint64_t task, size_t *length)
{
	uint64_t i;
	char *text;
	FILE *out = xmemopen(&text, length);

	fputs("{\"job\":", out);
	text_json(out, store_job_name(c->job));
	fprintf(out, ",\"task\":%" PRIu64 ",\"seed\":%" PRIu64, task, c->seed);
	fputs(",\"metric\":", out);
	text_json(out, c->metric);
	fprintf(out, ",\"goal\":\"%s\",", c->higher ? "max" : "min");
	if (c->epochs > 0)
		fprintf(out, "\"epochs\":%" PRId64 ",", c->epochs);
	put_space(out, c);
	fputs("}\n", out);
	for (i = 0; i < c->results; i++)
		put_trial(out, c, &c->result[i], NULL);
	for (i = 0; i < c->count; i++)
		if (i != task)
			put_trial(out, c, &c->trial[i], &i);
	xmemclose(out);
	return text;
}

/* ---- what it prints ---- */

/* Return the last line of a text that has something on it; to free. */
static char *
last_line(const char *text)
{
	size_t n = strlen(text), from;

	while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL)
		n--;
	for (from = n; from > 0 && text[from - 1] != '\n';)
		from--;
	return xstrndup(text + from, n - from);
}

static int
check_end(const struct proc_result *result, int64_t seconds, struct error *e)
{
	char *line;

	if (result->timed_out)
		return error_set(
		    e, "it took longer than %" PRId64 " s", seconds);
	if (proc_ok(result))
		return 0;
	line = last_line(result->complaint);
	if (WIFSIGNALED(result->status))
		error_set(e, "it was ended by signal %d%s%.200s",
		    WTERMSIG(result->status), *line != '\0' ? ": " : "", line);
	else
		error_set(e, "it ended with status %d%s%.200s",
		    WEXITSTATUS(result->status), *line != '\0' ? ": " : "",
		    line);
	free(line);
	return -1;
}

static int
read_timeout(int64_t *seconds, struct error *e)
{
	const char *text = getenv("STFM_SAMPLER_TIMEOUT");

	*seconds = TIMEOUT;
	return text == NULL || *text == '\0'
	    ? 0
	    : num_int(
		  "STFM_SAMPLER_TIMEOUT", text, 1, LONGEST_TIMEOUT, seconds, e);
}

int
ask_command(const struct ask_command *c, struct search *search, uint64_t task,
    char **out, struct error *e)
{
	static char shell[] = "/bin/sh", option[] = "-c", name[] = "sh",
		    script[] = "cd \"$1\" && eval \"$2\"";
	char *place = store_job_place(c->job);
	char *argv[] = {shell, option, script, name, place,
	    store_job_search(c->job)->sampler, NULL};
	struct proc_result result;
	int64_t seconds = 0;
	size_t length;
	char *text = input(c, task, &length);
	int rc = read_timeout(&seconds, e);

	if (rc == 0)
		rc = proc_ask(
		    argv, NULL, text, length, seconds * 1000, &result, e);
	if (rc == 0) {
		rc = check_end(&result, seconds, e);
		if (rc == 0)
			rc = search_take_text(
			    search, result.out, result.length, out, e);
		proc_result_free(&result);
	}
	free(text);
	free(place);
	return rc;
}
