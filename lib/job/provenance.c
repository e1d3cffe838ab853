#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/secret.h"
#include "base/strlist.h"
#include "base/version.h"
#include "base/xalloc.h"
#include "job/provenance.h"
#include "store/job.h"
#include "sys/fs.h"
#include "sys/proc.h"

extern char **environ;

/* How long Python may take to report its version, in milliseconds. */
enum { PYTHON_MS = 2000 };

/* The variables to record; all of them are paths or words. */
static const char *const kept[] = {"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD",
    "PYTHONPATH", "PYTHONHOME", "PYTHONHASHSEED", "LOADEDMODULES",
    "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CUDA_HOME",
    "CUDA_VERSION", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "JULIA_PROJECT",
    "R_LIBS", "LANG"};

static void
add(struct store_job *job, const char *name, const char *value)
{
	strlist_take(&job->environment, xasprintf("%s=%s", name, value));
}

/* Return the Python that runs the command, to free, or NULL. */
static char *
find_python(const struct store_job *job)
{
	const char *path = getenv("PATH"), *word, *base;

	if (job->script != NULL || job->command.count == 0)
		return NULL;
	word = job->command.word[0];
	base = strrchr(word, '/');
	if (strncmp(base ? base + 1 : word, "python", 6) != 0)
		return NULL;
	if (*word == '/')
		return xstrdup(word);
	if (base != NULL)
		return fs_join(job->directory, word);
	return proc_find(word, path ? path : "/usr/bin:/bin");
}

static void
add_python(struct store_job *job)
{
	char *path = find_python(job), *clean;
	char *argv[] = {path, (char[]){"--version"}, NULL};
	struct proc_result r;
	const char *text;

	if (path == NULL)
		return;
	clean = secret_mask_paths(path, environ);
	add(job, "python", clean);
	free(clean);
	if (proc_run(argv, NULL, PYTHON_MS, &r, NULL) == 0) {
		text = r.length > 0 ? r.out : r.complaint;
		if (proc_ok(&r)) {
			clean = xstrndup(text, strcspn(text, "\n"));
			add(job, "python_version", clean);
			free(clean);
		}
		proc_result_free(&r);
	}
	free(path);
}

void
job_provenance_record(struct store_job *job, int argc, char *const argv[])
{
	struct utsname u;
	const char *value;
	char *text;
	size_t k;
	int i;

	for (i = 0; i < argc; i++)
		strlist_take(&job->argv, secret_mask(argv[i], environ));
	job->cwd = fs_absolute(".");
	add(job, "stfm", STFM_VERSION);
	if (uname(&u) != -1) {
		text = xasprintf("%s %s %s", u.sysname, u.release, u.machine);
		add(job, "kernel", text);
		free(text);
	}
	for (k = 0; k < sizeof kept / sizeof *kept; k++) {
		value = getenv(kept[k]);
		if (value == NULL)
			continue;
		text = secret_mask_paths(value, environ);
		add(job, kept[k], text);
		free(text);
	}
	add_python(job);
}

/* Return a text with its secret masked, to free, or NULL if it has none. */
static char *
find_secret(const char *text)
{
	char *clean = secret_mask(text, environ), *given = secret_given(clean);

	if (given == NULL && strcmp(clean, text) != 0)
		return clean;
	free(clean);
	return given;
}

/* Return "--api-key ***" if the next word is its secret, to free, or NULL. */
static char *
find_pair(const char *word, const char *next)
{
	if (strncmp(word, "--", 2) != 0 || strchr(word, '=') != NULL ||
	    *next == '-' || !secret_is_given(word + 2, next))
		return NULL;
	return xasprintf("%s ***", word);
}

char *
job_provenance_secret_word(const struct strlist *words)
{
	char *found = NULL;
	size_t i;

	for (i = 0; i < words->count && found == NULL; i++) {
		found = find_secret(words->word[i]);
		if (found == NULL && i + 1 < words->count)
			found = find_pair(words->word[i], words->word[i + 1]);
	}
	return found;
}

char *
job_provenance_secret(const struct store_job *job)
{
	const struct strlist *list[] = {&job->command, &job->options,
	    &job->space, &job->defaults, &job->metrics_regex,
	    &job->container_bind, &job->tags};
	const char *text[] = {
	    job->description, job->then, job->metrics, job->container};
	char *found = NULL;
	size_t i;

	for (i = 0; i < sizeof list / sizeof *list && found == NULL; i++)
		found = job_provenance_secret_word(list[i]);
	for (i = 0; i < sizeof text / sizeof *text && found == NULL; i++)
		if (text[i] != NULL)
			found = find_secret(text[i]);
	return found;
}
