#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "control/sbatch-argv.h"
#include "job/sbatch-options.h"
#include "sandbox/sandbox.h"
#include "slurm/sbatch.h"
#include "store/chunk.h"
#include "store/job.h"

static const char hold[] = "--hold";

/* Return the value of the last "--name=value" in options, or NULL. */
static const char *
last_value(const struct strlist *options, const char *name)
{
	size_t i, n = strlen(name);
	const char *word;

	for (i = options->count; i > 0; i--) {
		word = options->word[i - 1];
		if (strncmp(word, name, n) == 0 && word[n] == '=')
			return word + n + 1;
	}
	return NULL;
}

const char *
job_sbatch_option(const struct store_job *job, const struct store_chunk *chunk,
    const char *name)
{
	const char *value = last_value(&chunk->options, name);

	return value != NULL ? value : last_value(&job->options, name);
}

char *
job_sbatch_dependency(const struct store_job *job,
    const struct store_chunk *chunk, const char *more)
{
	const char *own = job_sbatch_option(job, chunk, "--dependency");

	if (own == NULL || *own == '\0')
		return xstrdup(more != NULL ? more : "");
	if (more == NULL || *more == '\0')
		return xstrdup(own);
	return xasprintf("%s,%s", own, more);
}

int
job_sbatch_is_held(const struct store_job *job, const struct store_chunk *chunk)
{
	return strlist_have(&chunk->options, hold) ||
	    (chunk->attempt == 0 && strlist_have(&job->options, hold));
}

/* Return whether stfm combines an option with its own value. */
static int
is_merged(const char *word)
{
	return strncmp(word, "--comment=", 10) == 0 ||
	    strncmp(word, "--dependency=", 13) == 0;
}

/*
 * Return an option as sbatch takes it, to free.  Jobs of older versions may
 * lack the "=" before an empty value.
 */
static char *
whole_word(const char *word)
{
	if (strncmp(word, "--", 2) != 0 || strchr(word, '=') != NULL)
		return xstrdup(word);
	return sbatch_word(word + 2, "");
}

static void
add_options(const struct strlist *options, const struct strlist *behind,
    int held, struct strlist *out)
{
	size_t i;

	for (i = 0; i < options->count; i++)
		if (!is_merged(options->word[i]) &&
		    (held || strcmp(options->word[i], hold) != 0) &&
		    !job_sbatch_options_replaced(options->word[i], behind,
			behind == options ? i + 1 : 0))
			strlist_take(out, whole_word(options->word[i]));
}

void
job_sbatch_argv(const struct store_job *job, const struct store_chunk *chunk,
    const char *after, const char *script, struct strlist *out)
{
	const char *comment = job_sbatch_option(job, chunk, "--comment");
	char *dependency = job_sbatch_dependency(job, chunk, after);
	int held = job_sbatch_is_held(job, chunk);

	/*
	 * Some sites cancel arrays whose dependency can never be satisfied.
	 * The user's own option comes later and wins.
	 */
	if (job->after.count > 0)
		strlist_push(out, "--kill-on-invalid-dep=no");
	add_options(&job->options, &chunk->options, held, out);
	add_options(&chunk->options, &chunk->options, held, out);
	strlist_take(out, xasprintf("--job-name=%s", job->name));
	strlist_take(out,
	    xasprintf("--comment=%s%s%s", comment ? comment : "",
		comment ? " " : "", chunk->token));
	if (chunk->throttle > 0)
		strlist_take(out,
		    xasprintf("--array=0-%" PRIu64 "%%%" PRId64,
			store_chunk_size(chunk) - 1, chunk->throttle));
	else
		strlist_take(out,
		    xasprintf(
			"--array=0-%" PRIu64, store_chunk_size(chunk) - 1));
	if (*dependency != '\0')
		strlist_take(out, xasprintf("--dependency=%s", dependency));
	free(dependency);
	strlist_push(out, script);
	strlist_push(out, chunk->name);
}
