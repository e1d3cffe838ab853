#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "metrics/read-files.h"
#include "status/plot-options.h"
#include "store/store.h"
#include "sys/fs.h"
#include "view/select.h"

static int
is_directory(const char *word)
{
	struct stat st;

	return stat(word, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Return whether a word is a file or a log, and not a job of the store. */
static int
is_file(const char *dir, const char *word)
{
	char *name = xstrndup(word, strcspn(word, "/"));
	char *store = store_path(dir);
	char *job = xasprintf("%s/jobs/%s", store, name);
	int may_be_job = *word == '@' || job_select_is_tag(word) ||
	    job_select_is_slurm_id(word) || store_check_name(name, NULL) == 0;
	int is = strcmp(word, "-") == 0 || text_ends(word, ".csv") ||
	    text_ends(word, ".tsv") || !may_be_job;
	struct record_files files;
	struct stat st;

	if (!is && is_directory(word)) {
		/*
		 * Jobs come first: a training may create a directory with a
		 * job's name.
		 */
		if (!fs_exists(job)) {
			is = record_files_list(&files, word, NULL) == 0 &&
			    files.count > 0;
			record_files_free(&files);
		}
	} else if (!is) {
		is = stat(word, &st) == 0;
	}
	free(job);
	free(store);
	free(name);
	return is;
}

/*
 * Return a description of an operand that is neither a job nor a log, to free.
 */
static char *
no_log(const char *word)
{
	const char *slash = strrchr(word, '/');
	struct fs_names files = {0};
	char hint[TEXT_HINT], *text;
	int dir;

	if (is_directory(word))
		return xstrdup("a directory, no log");
	if (slash == NULL && (dir = fs_open_dir(".", NULL)) != -1) {
		fs_list(dir, &files, NULL);
		close(dir);
	}
	text_hint(slash != NULL ? slash + 1 : word,
	    (const char *const *)files.name, files.count, "", hint);
	text = xasprintf("no such file%s%s%s", *hint != '\0' ? " (" : "", hint,
	    *hint != '\0' ? ")" : "");
	fs_names_free(&files);
	return text;
}

void
job_plot_words_blame(const struct job_plot_words *w, struct error *e)
{
	const struct strlist *words = &w->tasks;
	struct error why = *e;
	const char *word;
	size_t i, length;
	char *no;

	for (i = 0; i < words->count; i++) {
		word = words->word[i];
		length = strcspn(word, "/");
		if (strncmp(e->text, word, length) == 0 &&
		    strchr(":/", e->text[length]) != NULL) {
			no = no_log(word);
			error_set(e, "%s, and %s", why.text, no);
			free(no);
			return;
		}
	}
	no = no_log(words->word[0]);
	error_set(e, "%s: %s; %s", words->word[0], no, why.text);
	free(no);
}

void
job_plot_words_add(
    struct job_plot_words *w, const char *store, const char *word)
{
	strlist_push(is_file(store, word) ? &w->files : &w->tasks, word);
}

void
job_plot_words_free(struct job_plot_words *w)
{
	strlist_free(&w->tasks);
	strlist_free(&w->files);
}
