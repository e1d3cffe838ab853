#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "status/log-lines.h"

/* A file while its lines are read. */
struct source {
	struct job_lines *lines;
	struct job_stream *stream;
};

void
job_stream_close(struct job_stream *t)
{
	lines_file_free(&t->file);
	free(t->path);
	memset(t, 0, sizeof *t);
}

static char *
name_of(const struct job_lines *l, const struct job_log *log)
{
	if (l->jobs)
		return xasprintf(
		    "%s/%" PRIu64, store_job_name(log->view->job), log->task);
	return xasprintf("%" PRIu64, log->task);
}

void
job_lines_measure(struct job_lines *l, const struct job_log *logs, size_t count)
{
	char *name;
	size_t i;

	for (i = 0; i < count; i++) {
		name = name_of(l, &logs[i]);
		if (text_width(name) > l->width)
			l->width = text_width(name);
		free(name);
	}
}

void
job_lines_wipe(struct job_lines *l)
{
	if (l->drawn != NULL)
		fputs("\r\033[K", l->out);
	free(l->drawn);
	l->drawn = NULL;
}

static int
is_wanted(const struct job_lines *l, const char *line)
{
	return l->regex == NULL || regexec(l->regex, line, 0, NULL, 0) == 0;
}

static void
put_line(void *arg, const char *line)
{
	const struct source *from = arg;
	struct job_lines *l = from->lines;
	char *name;

	if (!is_wanted(l, line))
		return;
	if (from->stream->skip > 0) {
		from->stream->skip--;
		return;
	}
	job_lines_wipe(l);
	if (l->names) {
		name = name_of(l, from->stream->log);
		text_cell(l->out, name, l->width, 1);
		fputs(from->stream->errors ? "! " : "| ", l->out);
		free(name);
	}
	text_page(l->out, line);
	putc('\n', l->out);
	l->shown++;
}

static int
put_bytes(void *arg, const char *bytes, size_t length)
{
	const struct source *from = arg;

	from->lines->shown++;
	return fwrite(bytes, 1, length, from->lines->out) == length ? 0 : -1;
}

static void
count_line(void *arg, const char *line)
{
	const struct source *from = arg;

	from->stream->skip += is_wanted(from->lines, line);
}

/* Start at the last wanted lines. */
static int
begin(const struct source *from, struct error *e)
{
	struct job_stream *t = from->stream;
	struct lines_file all = {.path = t->path};
	uint64_t most = from->lines->most;
	int rc;

	t->file.path = t->path;
	t->begun = 1;
	if (most == JOB_LINES_ALL)
		return 0;
	if (from->lines->regex == NULL)
		return lines_file_last(&t->file, most, e);
	rc = lines_file_read(&all, count_line, (void *)(uintptr_t)from, e);
	if (!from->lines->grows)
		lines_end(&all.lines, count_line, (void *)(uintptr_t)from);
	lines_file_free(&all);
	t->skip = t->skip > most ? t->skip - most : 0;
	return rc == -1 ? -1 : 0;
}

int
job_lines_read(struct job_lines *l, struct job_stream *t, struct error *e)
{
	struct source from = {l, t};

	if (!t->begun && begin(&from, e) == -1)
		return -1;
	if (l->raw)
		return lines_file_copy(&t->file, put_bytes, &from, e);
	return lines_file_read(&t->file, put_line, &from, e);
}

void
job_lines_end(struct job_lines *l, struct job_stream *t)
{
	struct source from = {l, t};

	lines_end(&t->file.lines, put_line, &from);
}

void
job_lines_draw(struct job_lines *l, struct job_stream *t, size_t columns)
{
	const char *text = lines_unfinished(&t->file.lines);
	size_t need = text_width(text);

	if (!l->live || (l->drawn != NULL && strcmp(l->drawn, text) == 0) ||
	    !is_wanted(l, text))
		return;
	job_lines_wipe(l);
	if (*text == '\0')
		return;
	text_cell(l->out, text, need < columns ? need : columns - 1, 0);
	l->drawn = xstrdup(text);
}
