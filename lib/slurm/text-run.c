#include <sys/random.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/text.h"

/* ---- fields of squeue and sinfo ---- */

void
queue_fields_begin(struct queue_fields *f)
{
	uint64_t random = 0;

	/* Even without randomness, a name could only damage its own record. */
	if (getrandom(&random, sizeof random, 0) == -1)
		random = (uint64_t)proc_clock();
	snprintf(f->mark, sizeof f->mark, "\037%" PRIx64 "\036", random);
	f->at = NULL;
}

char *
queue_fields_format(
    const struct queue_fields *f, const char *const names[], size_t count)
{
	char *text = NULL;
	size_t length, i;
	FILE *out = xmemopen(&text, &length);

	/* Without a width squeue does not cut a field. */
	for (i = 0; i < count; i++)
		fprintf(out, "%s%s:%s", i > 0 ? "," : "", names[i], f->mark);
	xmemclose(out);
	return text;
}

int
queue_fields_next(
    struct queue_fields *f, char *field[], size_t count, struct error *e)
{
	size_t i;

	if (*f->at == '\0')
		return 0;
	for (i = 0; i < count; i++) {
		field[i] = f->at;
		f->at = strstr(f->at, f->mark);
		if (f->at == NULL)
			goto incomplete;
		*f->at = '\0';
		f->at += strlen(f->mark);
		if (strcmp(field[i], "(null)") == 0)
			*field[i] = '\0';
	}
	if (*f->at++ == '\n')
		return 1;
incomplete:
	return error_code(
	    e, ERROR_REFUSED, "%s's answer is incomplete", f->program);
}

int64_t
queue_text_number(const char *text)
{
	int64_t number = 0;

	if (num_int("number", text, INT64_MIN, INT64_MAX, &number, NULL) == -1)
		return 0;
	return number;
}

/* Return a part of a time, at most a billion. */
static int64_t
time_part(const char *text)
{
	char *digits = xstrndup(text, strspn(text, "0123456789"));
	int64_t n = *digits == '\0' ? 0 : 1000000000;

	num_int("time", digits, 0, 1000000000, &n, NULL);
	free(digits);
	return n;
}

int64_t
queue_text_minutes(const char *text)
{
	const char *days = strchr(text, '-');
	int64_t part[3] = {0}, minutes = 0;
	int n = 0;

	if (strchr(text, ':') == NULL)
		return -1;
	if (days != NULL) {
		minutes = time_part(text) * 24 * 60;
		text = days + 1;
	}
	for (; n < 3; n++) {
		part[n] = time_part(text);
		text += strcspn(text, ":");
		if (*text++ == '\0')
			break;
	}
	/* "10:00" is minutes and seconds. */
	return minutes + (n == 1 ? part[0] : part[0] * 60 + part[1]);
}

/* ---- running Slurm's commands ---- */

int
queue_text_start(const char *const words[], int64_t deadline,
    struct proc_result *result, struct error *e)
{
	char **env = queue_environ();
	int64_t left = deadline - proc_clock();
	struct error why;
	int rc;

	rc = proc_run((char *const *)(uintptr_t)words, env, left > 1 ? left : 1,
	    result, &why);
	free(env);
	if (rc == 0)
		return 0;
	if (why.code == ERROR_LATER) /* Slurm was not asked */
		why.code = ERROR_SILENT;
	if (why.code != ERROR_ABSENT)
		return error_copy(e, &why);
	return error_code(e, ERROR_NO_SLURM,
	    "no Slurm here: there is no program %s in PATH", words[0]);
}

int
queue_text_run(const char *const words[], int64_t deadline,
    struct proc_result *result, struct error *e)
{
	int64_t began = proc_clock();

	memset(result, 0, sizeof *result);
	if (queue_check_configuration(e) == -1 ||
	    queue_text_start(words, deadline, result, e) == -1)
		return -1;
	if (result->timed_out)
		return queue_refuse_silence(deadline - began, e);
	if (!proc_ok(result))
		return queue_refuse_end(words[0], result, e);
	return 0;
}

int
queue_text_ask(const char *const words[], const char *const columns[],
    size_t count, int64_t deadline, struct queue_fields *f,
    struct proc_result *result, struct error *e)
{
	const char **argv;
	char *format;
	size_t n = 0;
	int rc;

	while (words[n] != NULL)
		n++;
	argv = xcalloc(n + 3, sizeof *argv);
	memcpy(argv, words, n * sizeof *argv);
	queue_fields_begin(f);
	format = queue_fields_format(f, columns, count);
	argv[n] = "--Format";
	argv[n + 1] = format;
	rc = queue_text_run(argv, deadline, result, e);
	f->at = result->out;
	f->program = words[0];
	free(format);
	free(argv);
	return rc;
}
int
queue_text_lines(const char *const words[], int64_t deadline, const char *begin,
    void (*take)(void *arg, const char *line), void *arg, struct error *e)
{
	struct proc_result result;
	char *line, *rest = NULL;
	int rc = queue_text_run(words, deadline, &result, e);

	for (line = rc == 0 ? strtok_r(result.out, "\n", &rest) : NULL;
	     line != NULL; line = strtok_r(NULL, "\n", &rest))
		if (text_begins(line, begin))
			take(arg, line);
	proc_result_free(&result);
	return rc;
}
