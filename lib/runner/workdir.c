#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/argv.h"
#include "job/container.h"
#include "runner/workdir.h"
#include "sandbox/sandbox.h"
#include "store/job.h"
#include "sys/fs.h"

/* Return whether a path is really below a directory, all links followed. */
static int
is_below(const char *path, const char *directory)
{
	char *a = realpath(path, NULL), *b = realpath(directory, NULL);
	size_t n = b != NULL ? strlen(b) : 0;
	int below = a != NULL && b != NULL && strncmp(a, b, n) == 0 &&
	    (a[n] == '/' || a[n] == '\0');

	free(a);
	free(b);
	return below;
}

/*
 * Return the copy of the file or directory at a path, to free, or NULL if it
 * was not copied or is not of the type (S_IFREG, S_IFDIR).
 */
static char *
copy_of(const struct store_job *job, const char *path, mode_t type)
{
	const struct store_code *code = &job->code;
	char *top, *copy;
	struct stat st;
	size_t n;

	if (code->fingerprint == NULL || code->root == NULL || *path != '/')
		return NULL;
	n = strlen(code->root);
	if (strncmp(path, code->root, n) != 0 ||
	    (path[n] != '/' && path[n] != '\0'))
		return NULL;
	top = store_code_path(job, "code");
	copy = xasprintf("%s%s", top, path + n);
	if (stat(copy, &st) == -1 || (st.st_mode & S_IFMT) != type ||
	    !is_below(copy, top)) {
		free(copy);
		copy = NULL;
	}
	free(top);
	return copy;
}

void
job_workdir_words(const struct store_job *job, struct strlist *command)
{
	char *copy;
	size_t i;

	for (i = 0; i < command->count; i++) {
		copy = copy_of(job, command->word[i], S_IFREG);
		if (copy == NULL)
			continue;
		free(command->word[i]);
		command->word[i] = copy;
	}
}

/* Return a list of directories, each replaced by its copy if it has one. */
static char *
copies_of(const struct store_job *job, const char *list)
{
	char *text, *path, *copy;
	size_t length, n;
	FILE *f = xmemopen(&text, &length);

	for (;; list += n + 1) {
		n = strcspn(list, ":");
		path = xstrndup(list, n);
		copy = copy_of(job, path, S_IFDIR);
		fputs(copy != NULL ? copy : path, f);
		free(copy);
		free(path);
		if (list[n] == '\0')
			break;
		putc(':', f);
	}
	xmemclose(f);
	return text;
}

/* Set a variable, replacing its old value; takes over value. */
static void
set(struct strlist *environment, const char *name, char *value)
{
	char *word = xasprintf("%s=%s", name, value);
	size_t n = strlen(name) + 1, i;

	free(value);
	for (i = 0; i < environment->count; i++)
		if (strncmp(environment->word[i], word, n) == 0) {
			free(environment->word[i]);
			environment->word[i] = word;
			return;
		}
	strlist_take(environment, word);
}

/* Return PYTHONPATH, with packages installed in place first, in the copy. */
static char *
python_path(const struct store_job *job, const char *old)
{
	const struct strlist *packages = &job->code.packages;
	char *text, *list, *copy = store_code_path(job, "code");
	size_t length, i;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < packages->count; i++)
		fprintf(f, "%s%s%s%s", i > 0 ? ":" : "", copy,
		    *packages->word[i] ? "/" : "", packages->word[i]);
	free(copy);
	if (old != NULL) {
		list = copies_of(job, old);
		fprintf(f, "%s%s", packages->count > 0 ? ":" : "", list);
		free(list);
	}
	xmemclose(f);
	return text;
}

void
job_workdir_environment(
    const struct store_job *job, struct strlist *environment)
{
	const char *value;
	char *copy;

	set(environment, "STFM_DIRECTORY", xstrdup(job->directory));
	if (job->code.commit != NULL)
		set(environment, "STFM_COMMIT", xstrdup(job->code.commit));
	if (job->code.fingerprint == NULL)
		return;
	set(environment, "STFM_CODE", xasprintf("%" PRId64, job->code.number));
	set(environment, "PWD", store_job_place(job));
	value = strlist_value(environment, "SLURM_SUBMIT_DIR");
	copy = value != NULL ? copy_of(job, value, S_IFDIR) : NULL;
	if (copy != NULL)
		set(environment, "SLURM_SUBMIT_DIR", copy);
	value = strlist_value(environment, "PYTHONPATH");
	if (value != NULL || job->code.packages.count > 0)
		set(environment, "PYTHONPATH", python_path(job, value));
}

/* ---- the command line, to copy ---- */

/* Return where path begins in a word, as a whole path, or NULL. */
static const char *
find_path(const char *word, const char *path)
{
	const char *at = word;
	size_t n = strlen(path);

	for (; (at = strstr(at, path)) != NULL; at++)
		if ((at == word || strchr("=:", at[-1]) != NULL) &&
		    strchr("/:", at[n]) != NULL)
			return at;
	return NULL;
}

/*
 * Write a word for a shell, in which the directory of the code in use and that
 * of the job become "$scratch".
 */
static void
put_scratch(FILE *f, const struct store_job *job, const char *word)
{
	char *code = store_code_path(job, "code"), *start;
	const char *at, *path, *rest = word;

	*strrchr(code, '/') = '\0';
	for (;;) {
		path = code;
		at = find_path(rest, path);
		if (at == NULL) {
			path = job->path;
			at = find_path(rest, path);
		}
		if (at == NULL)
			break;
		start = xstrndup(rest, (size_t)(at - rest));
		if (*start != '\0')
			text_shell(f, start);
		free(start);
		fputs("\"$scratch\"", f);
		rest = at + strlen(path);
	}
	if (rest == word || *rest != '\0')
		text_shell(f, rest);
	free(code);
}
static void
put_words(FILE *f, const struct store_job *job, const struct strlist *words)
{
	size_t i;

	for (i = 0; i < words->count; i++) {
		putc(' ', f);
		put_scratch(f, job, words->word[i]);
	}
}

/* Write what copies the files of the job that the command uses. */
static void
put_copy(FILE *f, const struct store_job *job)
{
	const char *const name[] = {
	    job->code.fingerprint != NULL ? "code" : NULL,
	    job->script != NULL ? "script" : NULL};
	char *path;
	size_t i;

	fputs("scratch=$(mktemp -d) && ", f);
	for (i = 0; i < sizeof name / sizeof *name; i++) {
		if (name[i] == NULL)
			continue;
		path = store_code_path(job, name[i]);
		fputs("cp -RP ", f);
		text_shell(f, path);
		fputs(" \"$scratch\" && ", f);
		free(path);
	}
}

char *
job_command_line(const struct job_task *t)
{
	const struct store_job *job = t->job;
	struct strlist environment = {0}, command = {0};
	char *none[] = {NULL}, *place, *text = NULL;
	size_t length, i;
	FILE *f;

	job_argv_environment(t, none, &environment);
	set(&environment, "STFM_METRICS", fs_join(job->path, "metrics.csv"));
	set(&environment, "STFM_CHECKPOINT_DIR", xstrdup(job->path));
	job_workdir_environment(job, &environment);
	for (i = environment.count; i-- > 0;)
		if (text_begins(environment.word[i], "PWD=")) /* by cd */
			strlist_drop(&environment, i);
	job_argv_words(t, &command);
	job_workdir_words(job, &command);
	job_container_wrap(job, CONTAINER_CPU, &command);
	place = store_job_place(job);
	f = xmemopen(&text, &length);
	put_copy(f, job);
	fputs("cd ", f);
	put_scratch(f, job, place);
	fputs(" && env", f);
	put_words(f, job, &environment);
	put_words(f, job, &command);
	xmemclose(f);
	free(place);
	strlist_free(&environment);
	strlist_free(&command);
	return text;
}
