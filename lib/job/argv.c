#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lex.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/argv.h"
#include "store/job.h"
#include "sys/fs.h"

/* The order of S-TFManager's arguments, after the job and the task. */
static const char *const positional[] = {
    "batch_size", "learning_rate", "epochs", "early_stopping"};
enum { POSITIONAL = sizeof positional / sizeof *positional };

static const char *const styles[] = {
    "long", "space", "hydra", "none", "positional"};
enum { STYLES = sizeof styles / sizeof *styles };

/* ---- placeholders ---- */

/* Return whether word is the name of length characters. */
static int
is_name(const char *word, const char *name, size_t length)
{
	return strlen(word) == length && memcmp(word, name, length) == 0;
}

/* Return the index of a hyperparameter, or -1. */
static int
find_name(const struct store_job *job, const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < job->names.count; i++)
		if (is_name(job->names.word[i], name, length))
			return (int)i;
	return -1;
}

static int
is_fixed(const char *name, size_t length)
{
	return is_name("@", name, length) || is_name("job", name, length) ||
	    is_name("task", name, length);
}

/* Return the length of the name in braces at text, a '{', or 0 for no name. */
static size_t
placeholder(const char *text)
{
	size_t n;

	if (text[1] == '@' && text[2] == '}')
		return 1;
	if (!isalpha((unsigned char)text[1]) && text[1] != '_')
		return 0;
	for (n = 1; isalnum((unsigned char)text[n]) ||
	     (text[n] != '\0' && strchr("_.-", text[n]) != NULL);
	     n++)
		continue;
	return text[n] == '}' ? n - 1 : 0;
}

/* Return whether an escape begins here: "{{lr}" stands for "{lr}". */
static int
is_escape(const char *at)
{
	return at[0] == '{' && at[1] == '{' && placeholder(at + 1) > 0;
}

/* Return whether a word holds a placeholder of this job. */
static int
has_placeholder(const struct store_job *job, const char *word)
{
	const char *at;
	size_t n;

	for (at = word; *at != '\0'; at++) {
		if (is_escape(at)) {
			at++;
			continue;
		}
		n = *at == '{' ? placeholder(at) : 0;
		if (n > 0 &&
		    (find_name(job, at + 1, n) >= 0 || is_fixed(at + 1, n)))
			return 1;
	}
	return 0;
}

char *
job_argv_place(const struct job_task *t, const char *template)
{
	char *text = NULL;
	size_t length, n;
	FILE *out = xmemopen(&text, &length);
	const char *at;
	int i;

	for (at = template; *at != '\0'; at++) {
		n = *at == '{' && !is_escape(at) ? placeholder(at) : 0;
		i = n > 0 ? find_name(t->job, at + 1, n) : -1;
		if (i == -1 && (n == 0 || !is_fixed(at + 1, n))) {
			putc(*at, out);
			at += is_escape(at);
			continue;
		}
		if (i >= 0)
			fputs(t->value[i] ? t->value[i] : "", out);
		else if (at[1] == 'j')
			fputs(t->job->name, out);
		else if (at[1] == 't')
			fprintf(out, "%" PRIu64, t->task);
		else
			fputs("{@}", out); /* see job_argv_words */
		at += n + 1;
	}
	xmemclose(out);
	return text;
}

static char *
param_variable(const char *name, const char *value)
{
	char *text = xasprintf("STFM_PARAM_%s=%s", name, value), *c;

	for (c = text; *c != '='; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return text;
}

/* ---- checks at submission ---- */

static int
check_word(const struct store_job *job, const char *word, const char *optional,
    struct error *e)
{
	const char *at;
	size_t n;
	int i;

	for (at = word; *at != '\0'; at++) {
		if (is_escape(at)) {
			at++;
			continue;
		}
		n = *at == '{' ? placeholder(at) : 0;
		if (n == 1 && at[1] == '@' && strcmp(word, "{@}") != 0)
			return error_set(e,
			    "%s: {@} stands for several words: write it as a "
			    "separate word",
			    word);
		if (n == 0 || is_fixed(at + 1, n))
			continue;
		i = find_name(job, at + 1, n);
		if (i == -1)
			return error_set(e,
			    "{%.*s}: no hyperparameter has this name (write "
			    "{{%.*s} to keep the brace)",
			    (int)n, at + 1, (int)n, at + 1);
		if (optional[i])
			return error_set(e,
			    "{%.*s}: some points have no value for it: use "
			    "{@} or --args instead",
			    (int)n, at + 1);
	}
	return 0;
}

static int
check_positional(
    const struct store_job *job, const char *optional, struct error *e)
{
	size_t k;
	int i;

	for (k = 0; k < POSITIONAL; k++) {
		i = find_name(job, positional[k], strlen(positional[k]));
		if (i == -1 || optional[i])
			return error_set(e,
			    "--args=positional: %s is missing: scripts of "
			    "S-TFManager take batch_size, learning_rate, "
			    "epochs and early_stopping (add %s=VALUE)",
			    positional[k], positional[k]);
	}
	return 0;
}

/* Refuse names that give one variable, such as "a-b" and "a_b". */
static int
check_variables(const struct store_job *job, struct error *e)
{
	char *one, *two;
	size_t i, k;
	int same;

	for (i = 0; i < job->names.count; i++)
		for (k = 0; k < i; k++) {
			one = param_variable(job->names.word[i], "");
			two = param_variable(job->names.word[k], "");
			same = strcmp(one, two) == 0;
			free(one);
			free(two);
			if (same)
				return error_set(e,
				    "%s and %s: both would be the same "
				    "variable STFM_PARAM_...; rename one",
				    job->names.word[k], job->names.word[i]);
		}
	return 0;
}

const char *
job_argv_metrics_path(const struct store_job *job)
{
	return text_same(job->metrics, "none") ? NULL : job->metrics;
}

int
job_argv_check_metrics(
    const struct store_job *job, const char *optional, struct error *e)
{
	if (job->metrics == NULL)
		return 0;
	return check_word(job, job->metrics, optional, e);
}

int
job_argv_check(
    const struct store_job *job, const char *optional, struct error *e)
{
	char hint[TEXT_HINT];
	size_t i;

	if (text_among(job->args, styles, STYLES) == -1)
		return error_set(e, "--args=%s: %s", job->args,
		    text_hint(job->args, styles, STYLES,
			"choose long, space, hydra, none or positional", hint));
	if (check_variables(job, e) == -1)
		return -1;
	for (i = 0; i < job->command.count; i++)
		if (check_word(job, job->command.word[i], optional, e) == -1)
			return -1;
	if (job_argv_check_metrics(job, optional, e) == -1)
		return -1;
	if (strcmp(job->args, "positional") == 0)
		return check_positional(job, optional, e);
	return 0;
}

/* ---- the words of a task ---- */

static void
add_positional(const struct job_task *t, struct strlist *out)
{
	const struct strlist *names = &t->job->names;
	size_t i, k;
	int at;

	strlist_push(out, t->job->name);
	strlist_take(out, xasprintf("%" PRIu64, t->task));
	for (k = 0; k < POSITIONAL; k++) {
		at = find_name(t->job, positional[k], strlen(positional[k]));
		strlist_push(out, at >= 0 && t->value[at] ? t->value[at] : "");
	}
	for (i = 0; i < names->count; i++)
		if (t->value[i] != NULL &&
		    text_among(names->word[i], positional, POSITIONAL) == -1)
			strlist_push(out, t->value[i]);
}

/* Add the arguments in the job's style. */
static void
add_style(const struct job_task *t, struct strlist *out)
{
	const char *style = t->job->args, *name, *value;
	size_t i;

	if (strcmp(style, "positional") == 0)
		add_positional(t, out);
	if (strcmp(style, "positional") == 0 || strcmp(style, "none") == 0)
		return;
	for (i = 0; i < t->job->names.count; i++) {
		name = t->job->names.word[i];
		value = t->value[i];
		if (value == NULL)
			continue;
		if (strcmp(style, "space") == 0) {
			strlist_take(out, xasprintf("--%s", name));
			strlist_push(out, value);
		} else {
			strlist_take(out,
			    xasprintf("%s%s=%s",
				strcmp(style, "hydra") == 0 ? "" : "--", name,
				value));
		}
	}
}

void
job_argv_words(const struct job_task *t, struct strlist *out)
{
	const struct strlist *command = &t->job->command;
	int placed = 0;
	size_t i;

	for (i = 0; i < command->count; i++) {
		if (has_placeholder(t->job, command->word[i]))
			placed = 1;
		if (strcmp(command->word[i], "{@}") == 0)
			add_style(t, out);
		else
			strlist_take(out, job_argv_place(t, command->word[i]));
	}
	if (t->job->script != NULL && out->count > 0) {
		free(out->word[0]);
		out->word[0] = store_code_path(t->job, "script");
	}
	if (!placed)
		add_style(t, out);
}

/* ---- the environment of a task ---- */

/* Each later attempt writes to its own file. */
char *
job_argv_metrics(const struct job_task *t)
{
	if (t->attempt == 0)
		return xasprintf(
		    "%s/metrics/%06" PRIu64 ".csv", t->job->path, t->task);
	return xasprintf("%s/metrics/%06" PRIu64 ".%" PRIu32 ".csv",
	    t->job->path, t->task, t->attempt);
}

/* Return STFM_PARAMS=...: JSON values stay, other values become strings. */
static char *
params_text(const struct job_task *t)
{
	char *text = NULL;
	size_t length, i;
	FILE *out = xmemopen(&text, &length);
	const char *comma = "", *value;

	fputs("STFM_PARAMS={", out);
	for (i = 0; i < t->job->names.count; i++) {
		value = t->value[i];
		if (value == NULL)
			continue;
		fputs(comma, out);
		text_json(out, t->job->names.word[i]);
		putc(':', out);
		lex_write(out, value);
		comma = ",";
	}
	putc('}', out);
	xmemclose(out);
	return text;
}

/* Return whether a variable of an outer task looks like one of this task. */
static int
is_ours(const char *variable)
{
	static const char *const ours[] = {"JOB=", "TASK=", "ATTEMPT=",
	    "RESTART=", "METRICS=", "CHECKPOINT_DIR=", "RESUME=", "PARAMS=",
	    "PARAM_", "COMMIT=", "DIRECTORY=", "CODE="};
	size_t i;

	if (strncmp(variable, "STFM_", 5) != 0)
		return 0;
	for (i = 0; i < sizeof ours / sizeof *ours; i++)
		if (strncmp(variable + 5, ours[i], strlen(ours[i])) == 0)
			return 1;
	return 0;
}

void
job_argv_environment(
    const struct job_task *t, char *const base[], struct strlist *out)
{
	char *metrics = job_argv_metrics(t);
	char *checkpoint = job_argv_checkpoint(t);
	size_t i;

	for (; *base != NULL; base++)
		if (!is_ours(*base))
			strlist_push(out, *base);
	strlist_take(out, xasprintf("STFM_JOB=%s", t->job->name));
	strlist_take(out, xasprintf("STFM_TASK=%" PRIu64, t->task));
	strlist_take(out, xasprintf("STFM_ATTEMPT=%" PRIu32, t->attempt));
	strlist_take(out, xasprintf("STFM_RESTART=%" PRIu32, t->restart));
	strlist_take(out, xasprintf("STFM_METRICS=%s", metrics));
	strlist_take(out, xasprintf("STFM_CHECKPOINT_DIR=%s", checkpoint));
	free(metrics);
	free(checkpoint);
	strlist_push(out, t->resume ? "STFM_RESUME=1" : "STFM_RESUME=0");
	strlist_take(out, params_text(t));
	for (i = 0; i < t->job->names.count; i++)
		if (t->value[i] != NULL)
			strlist_take(out,
			    param_variable(t->job->names.word[i], t->value[i]));
}
