#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "status/lines-file.h"
#include "status/log-ends.h"
#include "status/private.h"
#include "view/failure-line.h"

enum {
	TAIL = 256 << 10,
	MOST = 4000,  /* maximum lines to read */
	BEFORE = 5,   /* lines to show before the failure line */
	BEHIND = 3,   /* minimum lines to show after the failure line */
	CHAINED = 40, /* maximum lines between two linked tracebacks */
	INDENT = 4
};

/* ---- the failure line ---- */

static const char *
error_file(const struct job_log *log)
{
	return log->errors != NULL ? log->errors : log->path;
}

static struct job_failure_line
fault_of(const struct job_log *log)
{
	return (struct job_failure_line){
	    log->cause, log->start, log->end, log->stalled};
}

/* Return the index of the failure line, or lines->count if there is none. */
static size_t
find_fault(const struct strlist *lines, const struct job_failure_line *died)
{
	size_t length, i, at = lines->count, sum = 0;
	const char *line;
	char *text;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < lines->count; i++)
		fprintf(f, "%s\n", lines->word[i]);
	xmemclose(f);
	line = job_failure_line_pick(died, text);
	for (i = 0; line != NULL && i < lines->count; i++) {
		sum += strlen(lines->word[i]) + 1;
		if ((size_t)(line - text) < sum) {
			at = i;
			break;
		}
	}
	free(text);
	return at;
}

static int
is_link(const char *line)
{
	return strstr(line, "another exception occurred:") != NULL ||
	    strstr(line, "direct cause of the following exception:") != NULL;
}

/*
 * Return the first line of the traceback that ends at fault, including
 * tracebacks that led to it.
 */
static size_t
find_beginning(const struct strlist *lines, size_t fault)
{
	size_t at = fault, found = fault > BEFORE ? fault - BEFORE : 0, lap;

	for (lap = 0; at > 0 && lap < CHAINED * 5; lap++, at--) {
		if (is_link(lines->word[at - 1]))
			lap = 0;
		if (strstr(lines->word[at - 1],
			"Traceback (most recent call last)") == NULL)
			continue;
		found = at - 1;
		if (found == 0 || !is_link(lines->word[found - 1]))
			break;
		lap = 0;
	}
	return found;
}

/*
 * Choose at most most lines to show: from *first to before the returned line.
 */
static size_t
choose(const struct strlist *lines, const struct job_failure_line *died,
    uint64_t most, size_t *first)
{
	size_t fault = find_fault(lines, died), end = lines->count;

	*first = fault < end ? find_beginning(lines, fault) : end;
	if (end - *first <= most)
		return end;
	if (fault + 1 + BEHIND < end)
		end = fault + 1 + BEHIND;
	if (end - *first < most)
		end = *first + (size_t)most;
	if (end - *first > most)
		*first = end - (size_t)most;
	if (*first > fault) {
		*first = fault;
		end = fault + (size_t)most;
	}
	return end;
}

/* ---- equal ends ---- */

/* ---- output ---- */

static void
put_head(FILE *out, const struct job_log *log, const struct show_style *look)
{
	struct flow f = {out, look->width, 2};
	char *id =
	    xasprintf("%s/%" PRIu64, store_job_name(log->view->job), log->task);
	char span[NUM_TEXT];

	flow_word(&f, 0, id);
	flow_text(&f, 2, log->cause != NULL ? log->cause : "failed");
	if (log->start != -1 && log->end >= log->start) {
		flow_word(&f, 2, "after");
		flow_word(&f, 1, num_span(log->end - log->start, span));
	}
	if (log->node != NULL) {
		flow_word(&f, 1, "on");
		flow_text(&f, 1, log->node);
	}
	if (error_file(log) != NULL)
		flow_path(&f, 2, show_path(look, error_file(log)));
	flow_end(&f);
	free(id);
}

static void
put_line(FILE *out, const char *line, const struct show_style *look)
{
	size_t width = text_width(line);

	if (look->width > INDENT && width > look->width - INDENT)
		width = look->width - INDENT;
	fprintf(out, "%*s", INDENT, "");
	text_cell(out, line, width, 0);
	putc('\n', out);
}

static void
put_ending(FILE *out, const struct job_log *log, uint64_t most,
    const struct show_style *look)
{
	struct job_failure_line fault = fault_of(log);
	const char *words = job_failure_line_why(&fault, error_file(log));
	struct strlist lines = {0};
	size_t i, end;

	put_head(out, log, look);
	if (log->why != NULL)
		put_line(out, log->why, look);
	else if (words != NULL)
		put_line(out, words, look);
	if (error_file(log) != NULL)
		lines_file_end(error_file(log), MOST, TAIL, &lines);
	if (lines.count == 0 && log->errors != NULL && log->path != NULL)
		lines_file_end(log->path, MOST, TAIL, &lines);
	end = choose(&lines, &fault, most, &i);
	for (; i < end; i++)
		put_line(out, lines.word[i], look);
	strlist_free(&lines);
}

size_t
job_show_ends(FILE *out, const struct job_log *logs, size_t count,
    uint64_t lines, const struct show_style *look)
{
	struct show_failure *all = xcalloc(count + 1, sizeof *all);
	struct job_failure_line fault;
	const struct job_log *log;
	struct show_equal *equal;
	size_t failures = 0, groups, i, k;
	struct idset others;
	struct flow f;
	char *line, *ids;

	for (i = 0; i < count; i++) {
		log = &logs[i];
		if (log->state != STORE_ERROR)
			continue;
		fault = fault_of(log);
		line = error_file(log) != NULL
		    ? job_failure_line_line(&fault, error_file(log))
		    : NULL;
		all[failures++] = (struct show_failure){
		    .key = show_failure_key(
			store_job_name(log->view->job), log->cause, line),
		    .order = i,
		    .task = log->task};
		free(line);
	}
	groups = show_equal(all, failures, 0, &equal);
	for (i = 0; i < groups; i++) {
		log = &logs[equal[i].failure->order];
		if (i > 0)
			putc('\n', out);
		put_ending(out, log, lines, look);
		if (equal[i].count == 1)
			continue;
		others = (struct idset){0};
		for (k = 1; k < equal[i].count; k++)
			idset_add(&others, equal[i].failure[k].task,
			    equal[i].failure[k].task);
		ids = show_ids(store_job_name(log->view->job), &others);
		f = (struct flow){out, look->width, INDENT, 0};
		show_text(&f, 2, "and %" PRIu64 " more like this: %s",
		    idset_size(&others), ids);
		flow_end(&f);
		idset_free(&others);
		free(ids);
	}
	show_equal_free(all, failures, equal);
	return failures;
}
