#include <sys/stat.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "store/job.h"
#include "submit/script.h"
#include "sys/fs.h"

enum { LONGEST = 1 << 20 };

/*
 * Return the text of the first script in the command, to free, or NULL if there
 * is none.  *name is set to its word.
 */
static char *
read_script(const struct store_job *job, const char **name)
{
	static const char *const ends[] = {".py", ".sh", ".jl", ".R", ".lua"};
	const struct strlist *words = &job->command;
	char *path, *text = NULL;
	int is_script = 0;
	size_t i, k, length;
	struct stat st;

	if (job->container != NULL ||
	    (words->count > 1 && strcmp(words->word[1], "-c") == 0))
		return NULL;
	for (i = 0; i < words->count && !is_script; i++) {
		*name = words->word[i];
		for (k = 0; k < sizeof ends / sizeof *ends; k++)
			is_script |= text_ends(*name, ends[k]);
	}
	if (job->script == NULL && !is_script)
		return NULL;
	if (job->script != NULL)
		*name = job->script;
	path = **name == '/' ? xstrdup(*name) : fs_join(job->directory, *name);
	if (fs_read_from(path, 0, LONGEST, &text, &length, &st, NULL) == -1)
		text = NULL;
	free(path);
	return text;
}

/* Return the text of a script that trains, not of one that may start others. */
static char *
read_training(const struct store_job *job, const char **name)
{
	char *text = job->script == NULL ? read_script(job, name) : NULL;

	if (text != NULL && text_ends(*name, ".sh")) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Return whether the characters around a word are no part of a longer one. */
static int
is_whole_word(const char *text, const char *at, size_t length)
{
	return (at == text ||
		   (!isalnum((unsigned char)at[-1]) &&
		       strchr("_.", at[-1]) == NULL)) &&
	    !isalnum((unsigned char)at[length]) && at[length] != '_' &&
	    (at[length] != '-' || isdigit((unsigned char)*at));
}

/* Return where text has word as a whole word, or NULL. */
static const char *
find_word(const char *text, const char *word)
{
	const char *at = text;
	size_t length = strlen(word);

	while ((at = strstr(at, word)) != NULL) {
		if (is_whole_word(text, at, length))
			return at;
		at++;
	}
	return NULL;
}

/* Return the option of the script that sets its epochs, or NULL. */
static const char *
epochs_option(const char *text)
{
	static const char *const names[] = {"--epochs", "--max_epochs",
	    "--max-epochs", "--num_epochs", "--num-epochs", "--n_epochs",
	    "--n-epochs", "--nepochs"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (find_word(text, names[i]) != NULL)
			return names[i];
	return NULL;
}

char *
submit_script_epochs(const struct store_job *job)
{
	static const char *const epoch[] = {"epoch", "EPOCH", "Epoch"};
	const char *name = NULL, *option, *n = job->epochs;
	char *text, *out = NULL;
	size_t i;

	if (n == NULL || !isdigit((unsigned char)*n))
		return NULL;
	for (i = 0; i < job->defaults.count; i++)
		if (text_begins(job->defaults.word[i], "--epochs="))
			return NULL;
	for (i = 0; i < job->names.count; i++)
		if (strstr(job->names.word[i], "epoch") != NULL)
			return NULL;
	for (i = 0; i < job->command.count; i++)
		if (strstr(job->command.word[i], "epoch") != NULL ||
		    find_word(job->command.word[i], n) != NULL)
			return NULL;
	text = read_training(job, &name);
	if (text == NULL)
		return NULL;
	option = epochs_option(text);
	if (option != NULL && find_word(text, n) == NULL)
		out = xasprintf("--epochs %s: this is for stfm alone: nothing "
				"sets %s of %s (to set it, add %s=%s)",
		    n, option, name, option + 2, n);
	else if (!text_has(text, epoch, 3) && find_word(text, n) == NULL)
		out = xasprintf("--epochs %s: this is for stfm alone: %s "
				"mentions no epochs",
		    n, name);
	free(text);
	return out;
}

/* Return whether a line of the text prints something like "loss 0.3". */
static int
prints_metrics(const char *text)
{
	static const char *const prints[] = {
	    "print", "echo", "log.info", "logger.info", "logging.info"};
	static const char *const words[] = {
	    "loss", "acc", "metric", "score", "epoch", "error"};
	const char *end;
	char *line;
	int found = 0;

	for (; *text != '\0' && !found; text = end + (*end == '\n')) {
		end = text + strcspn(text, "\n");
		line = xstrndup(text, (size_t)(end - text));
		found =
		    text_has(line, prints, sizeof prints / sizeof *prints) &&
		    text_has(line, words, sizeof words / sizeof *words);
		free(line);
	}
	return found;
}

char *
submit_script_metrics(const struct store_job *job)
{
	static const char *const signs[] = {"STFM_METRICS", "--metrics",
	    "CSVLogger", "TensorBoard", "tensorboard", "SummaryWriter",
	    "csv.writer", "DictWriter", ".to_csv(", ".jsonl", "results/",
	    "tqdm", "Trainer("};
	static const char *const words[] = {"STFM_METRICS", "{task}"};
	const char *name = NULL;
	char *text, *out = NULL;
	size_t i;

	if (job->metrics != NULL || job->metrics_regex.count > 0 ||
	    strcmp(job->args, "positional") == 0)
		return NULL;
	for (i = 0; i < job->command.count; i++)
		if (text_has(job->command.word[i], words, 2))
			return NULL;
	text = read_training(job, &name);
	if (text != NULL &&
	    !text_has(text, signs, sizeof signs / sizeof *signs) &&
	    !prints_metrics(text) &&
	    (strstr(text, "keras") == NULL || strstr(text, ".fit(") == NULL))
		out = xasprintf("%s does not mention STFM_METRICS: write a CSV "
				"there to see curves (stfm-submit(1), "
				"--metrics)",
		    name);
	free(text);
	return out;
}

int
submit_script_takes(const struct store_job *job, const char *name)
{
	char *form[] = {xasprintf("{%s}", name), xasprintf("--%s", name),
	    xasprintf("STFM_PARAM_%s", name)};
	const char *script;
	char *text = read_script(job, &script);
	int takes = 0;
	size_t i;

	for (i = 0; i < job->command.count; i++)
		takes |= strstr(job->command.word[i], form[0]) != NULL;
	for (i = 1; i < sizeof form / sizeof *form && text != NULL; i++)
		takes |= find_word(text, form[i]) != NULL;
	for (i = 0; i < sizeof form / sizeof *form; i++)
		free(form[i]);
	free(text);
	return takes;
}
