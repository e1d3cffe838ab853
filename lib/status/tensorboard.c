#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/argv.h"
#include "job/checkpoint-dir.h"
#include "job/training-log.h"
#include "metrics/read-files.h"
#include "status/tensorboard.h"
#include "sys/fs-tree.h"

/*
 * Maximum bytes of a name: file systems allow 255, and TensorBoard adds "train"
 * and similar.
 */
enum { LONGEST = 200 };

/* ---- directories ---- */

/*
 * The search for event files; unread counts directories that could not be read.
 */
struct search {
	struct job_view *view;
	size_t unread;
};

/*
 * Return path if there are event files in or below it, else NULL.  Takes over
 * path.
 */
static char *
with_events(struct search *s, char *path)
{
	struct record_files files;
	struct error why;
	int found, rc;

	if (path == NULL)
		return NULL;
	rc = record_files_list(&files, path, &why);
	if (rc == -1 && !fs_says_absent(errno)) {
		s->unread++;
		job_view_note(s->view, why.text);
	}
	found = rc == 0 && files.count > 0 && files.file[0].is_events;
	record_files_free(&files);
	if (found)
		return path;
	free(path);
	return NULL;
}

static char *
directory_of(struct search *s, uint64_t task)
{
	struct job_view *v = s->view;
	const struct store_row *row = job_view_row(v, task);
	struct job_task t = {.job = v->job,
	    .task = task,
	    .attempt = row->attempt,
	    .value = job_view_point(v, task),
	    .code = row->code};
	char *path, *place, *results;

	path = with_events(s, job_training_log_find(v->job, row, t.value));
	if (path == NULL)
		path = with_events(s,
		    job_checkpoint_path(v->job, task,
			job_checkpoint_origin(
			    job_view_chunks(v), task, row->attempt)));
	if (path == NULL && job_training_log_has_begun(row)) {
		place = store_job_place_of(v->job, row->code);
		results = job_argv_results(&t);
		path = with_events(s, fs_join(place, results));
		free(place);
		free(results);
	}
	return path;
}

/* ---- names ---- */

/* Write a text as part of a file name. */
static void
put_part(FILE *f, const char *text)
{
	for (; *text != '\0'; text++)
		fputc(*text == '/' || (unsigned char)*text < ' ' ? '_' : *text,
		    f);
}

/* Return "3 lr=0.1 units=64", to free. */
static char *
name_of(struct job_view *v, uint64_t task, const char *constant)
{
	const char *const *value = job_view_point(v, task);
	const struct strlist *names = store_job_names(v->job);
	size_t length, i;
	char *text;
	FILE *f = xmemopen(&text, &length);

	fprintf(f, "%" PRIu64, task);
	for (i = 0; i < names->count; i++) {
		if (value[i] == NULL || constant[i])
			continue;
		fputc(' ', f);
		put_part(f, names->word[i]);
		fputc('=', f);
		put_part(f, value[i]);
	}
	xmemclose(f);
	/* Cut the name between two characters. */
	if (length > LONGEST) {
		for (i = LONGEST; i > 0 && (text[i] & 0xc0) == 0x80;)
			i--;
		text[i] = '\0';
	}
	return text;
}

void
tensorboard_add(struct tensorboard *b, const struct job_tasks *tasks)
{
	struct job_view *v = tasks->view;
	char *constant = job_view_constant(v), *directory, *name;
	struct tensorboard_run *run;
	struct search s = {.view = v};
	size_t i;

	for (i = 0; i < tasks->count; i++) {
		s.unread = 0;
		directory = directory_of(&s, tasks->task[i]);
		if (directory == NULL) {
			b->without += s.unread == 0;
			b->unread += s.unread > 0;
			continue;
		}
		b->run = xgrow(b->run, b->count, sizeof *b->run);
		run = &b->run[b->count++];
		name = name_of(v, tasks->task[i], constant);
		run->id = xasprintf(
		    "%s/%" PRIu64, store_job_name(v->job), tasks->task[i]);
		run->name = xasprintf("%s/%s", store_job_name(v->job), name);
		run->directory = directory;
		free(name);
	}
	free(constant);
}

void
tensorboard_free(struct tensorboard *b)
{
	size_t i;

	for (i = 0; i < b->count; i++) {
		free(b->run[i].id);
		free(b->run[i].name);
		free(b->run[i].directory);
	}
	free(b->run);
	*b = (struct tensorboard){.count = 0};
}

/* ---- links ---- */

static int
has_name(const struct tensorboard *b, const char *job, const char *name)
{
	size_t i, n = strlen(job);

	for (i = 0; i < b->count; i++)
		if (strncmp(b->run[i].name, job, n) == 0 &&
		    b->run[i].name[n] == '/' &&
		    strcmp(b->run[i].name + n + 1, name) == 0)
			return 1;
	return 0;
}

/* Remove the links in a directory that are not for these runs. */
static int
remove_others(
    const struct tensorboard *b, int top, const char *job, struct error *e)
{
	int dir = fs_open_subdir(top, job, 0, NULL), rc;
	struct fs_names names;
	struct stat st;
	size_t i;

	if (dir == -1)
		return 0;
	rc = fs_list(dir, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++)
		if (!has_name(b, job, names.name[i]) &&
		    fs_stat(dir, names.name[i], &st, NULL) == 0 &&
		    S_ISLNK(st.st_mode))
			rc = fs_unlink(dir, names.name[i], e);
	fs_names_free(&names);
	fs_close(dir);
	fs_ops.unlinkat(top, job, AT_REMOVEDIR); /* if it is empty */
	return rc;
}

static int
put_link(int top, const struct tensorboard_run *run, struct error *e)
{
	const char *name;
	int rc = 0, dir = fs_open_parent(top, run->name, 1, &name, e);
	char *old;

	if (dir == -1)
		return -1;
	old = fs_read_link(dir, name, NULL);
	if (old == NULL || strcmp(old, run->directory) != 0) {
		if (old != NULL)
			rc = fs_unlink(dir, name, e);
		if (rc == 0)
			rc = fs_link(dir, name, run->directory, e);
	}
	free(old);
	fs_close(dir);
	return rc;
}

int
tensorboard_link(
    const struct tensorboard *b, const char *directory, struct error *e)
{
	int top, rc;
	size_t i;
	struct fs_names names;

	if (fs_make_dirs_mode(directory, 0700, e) == -1)
		return -1;
	top = fs_open_dir(directory, e);
	if (top == -1)
		return -1;
	rc = fs_list(top, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++)
		rc = remove_others(b, top, names.name[i], e);
	fs_names_free(&names);
	for (i = 0; rc == 0 && i < b->count; i++)
		rc = put_link(top, &b->run[i], e);
	fs_close(top);
	return rc;
}
