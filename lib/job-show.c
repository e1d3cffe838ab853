#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fs.h"
#include "job-show-own.h"
#include "job-usage.h"
#include "lines-file.h"
#include "text.h"
#include "xalloc.h"

enum {
	TAIL = 64 << 10,
	LABEL = 17 /* columns of the labels of a page */
};

/* ---- flowing words ---- */

/* Go to where a word of this width begins: in this line or the next. */
static void
make_room(struct flow *f, size_t gap, size_t width)
{
	if (f->width > 0 && f->at > f->indent &&
	    f->at + gap + width > f->width) {
		fprintf(f->out, "\n%*s", (int)f->indent, "");
		f->at = f->indent;
	} else if (f->at > 0) {
		fprintf(f->out, "%*s", (int)gap, "");
		f->at += gap;
	}
}

void
flow_word(struct flow *f, size_t gap, const char *word)
{
	size_t width = text_width(word);

	if (f->width > 0 && f->indent + width > f->width &&
	    strchr(word, ' ') != NULL) {
		flow_text(f, gap, word);
		return;
	}
	make_room(f, gap, width);
	if (f->width > 0 && f->at < f->width && f->at + width > f->width)
		width = f->width - f->at;
	text_cell(f->out, word, width, 0);
	f->at += width;
}

/* The bytes of a path that a line has room for: whole names if it can be. */
static size_t
path_part(const char *path, size_t width)
{
	size_t length = strlen(path), i, n, used = 0, named = 0;
	uint32_t c;
	char *one;

	for (i = 0; i < length; i += n) {
		n = text_utf8(path + i, length - i, &c);
		n = n > 0 ? n : 1;
		one = xstrndup(path + i, n);
		used += text_width(one);
		free(one);
		if (used > width && i > 0)
			break;
		if (strchr("/:,", path[i]) != NULL)
			named = i + n;
	}
	return named > 0 && i < length ? named : i;
}

/* Whether a quotation of text_shell is open behind so many bytes of it. */
static int
is_open(const char *word, size_t length)
{
	int open = 0;
	size_t i;

	for (i = 0; i < length && *word == '\''; i++)
		if (word[i] == '\'')
			open = !open;
		else if (word[i] == '\\' && !open)
			i++;
	return open;
}

/*
 * A path that no line has room for.  Its lines end in a backslash and begin at
 * the left, so that a shell takes what is copied as one word again; where a
 * quotation is open it is closed before and opened behind.
 */
static void
broken_path(struct flow *f, const char *path)
{
	size_t at = 0, n, room;
	int open = 0;
	char *part;

	while (f->at + (size_t)open + text_width(path + at) > f->width) {
		room = f->at + 2 + (size_t)open;
		room = f->width > room ? f->width - room : 1;
		n = path_part(path + at, room);
		if (n > 1 && path[at + n - 1] == '\\')
			n--;
		part = xstrndup(path + at, n);
		fputs(open ? "'" : "", f->out);
		text_plain(f->out, part);
		free(part);
		at += n;
		open = is_open(path, at);
		fputs(open ? "'\\\n" : "\\\n", f->out);
		f->at = 0;
	}
	part = xasprintf("%s%s", open ? "'" : "", path + at);
	text_plain(f->out, part);
	f->at = text_width(part);
	free(part);
}

void
flow_path(struct flow *f, size_t gap, const char *path)
{
	size_t width = text_width(path);

	make_room(f, gap, width);
	if (f->width > 0 && f->at + width > f->width) {
		broken_path(f, path);
		return;
	}
	text_plain(f->out, path);
	f->at += width;
}

void
flow_text(struct flow *f, size_t gap, const char *text)
{
	char *copy = xstrdup(text), *word, *save;

	for (word = strtok_r(copy, " \t\r\n", &save); word != NULL;
	     word = strtok_r(NULL, " \t\r\n", &save)) {
		flow_word(f, gap, word);
		gap = 1;
	}
	free(copy);
}

size_t
flow_list(struct flow *f, size_t gap, const char *list, size_t most)
{
	size_t length, pieces = 0;
	char *piece;

	for (; *list != '\0' && pieces < most; pieces++) {
		length = strcspn(list, ",");
		length += list[length] == ',';
		piece = xstrndup(list, length);
		flow_word(f, gap, piece);
		free(piece);
		list += length;
		gap = 0;
	}
	if (*list != '\0')
		flow_word(f, 1, "...");
	return pieces;
}

void
flow_end(struct flow *f)
{
	putc('\n', f->out);
	f->at = 0;
}

/* ---- texts ---- */

const char *
show_path(const struct job_look *look, const char *path)
{
	return look->here != NULL ? fs_from(look->here, path) : path;
}

char *
show_time(int64_t seconds, int exact, char out[TABLE_TIME])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	*out = '\0';
	if (seconds != -1 && localtime_r(&t, &tm) != NULL)
		strftime(out, TABLE_TIME,
		    exact ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M", &tm);
	return out;
}

enum table_color
show_color(enum store_state state)
{
	static const enum table_color color[STORE_STATES] = {
	    TABLE_PLAIN, TABLE_BLUE, TABLE_GREEN, TABLE_RED, TABLE_YELLOW};

	return color[state];
}

char *
show_epoch(struct job_view *view, uint64_t task, char out[2 * NUM_TEXT])
{
	const struct store_row *row = job_view_row(view, task);
	char done[NUM_TEXT], epochs[NUM_TEXT];
	struct job_progress p;

	job_view_progress(view, task, &p);
	num_short(p.done, 9, done);
	if (row->metrics.epochs == 0 &&
	    (p.epochs == 0 || store_state_is_final(row->state)))
		snprintf(out, 2 * NUM_TEXT, "-");
	else if (p.epochs == 0)
		snprintf(out, 2 * NUM_TEXT, "%s", done);
	else
		snprintf(out, 2 * NUM_TEXT, "%s/%s", done,
		    num_short(p.epochs, 9, epochs));
	return out;
}

const char *
show_unit(const struct job_view *v, uint64_t task)
{
	return job_summary_has_epochs(&job_view_row(v, task)->metrics) ? "epoch"
								       : "step";
}

char *
show_objective(const struct job_view *view)
{
	return xasprintf("%s, %s is better", view->metric,
	    view->goal == METRICS_MAX ? "higher" : "lower");
}

char *
show_pace(double seconds)
{
	char text[NUM_TEXT];

	if (seconds < 60)
		return xasprintf("%s s", num_short(seconds, 2, text));
	return xstrdup(num_span((int64_t)ceil(seconds), text));
}

static char *
show_late(const struct job_view *v, const struct job_eta *eta)
{
	char left[NUM_TEXT], room[NUM_TEXT];

	num_span((int64_t)ceil(eta->left), left);
	num_span((int64_t)eta->room, room);
	if (v->job->policy.requeue == 0)
		return xasprintf("LATE: it needs %s more and has %s left; it "
				 "will end with TIMEOUT (%d more run%s of this "
				 "length would do)",
		    left, room, eta->requeues, eta->requeues == 1 ? "" : "s");
	return xasprintf("LATE: it needs %s more and has %s left: %d more "
			 "time%s in the queue",
	    left, room, eta->requeues, eta->requeues == 1 ? "" : "s");
}

char *
show_idle(const struct store_row *row)
{
	struct usage_sum sum;
	char span[NUM_TEXT], *which, *text;

	job_usage_sum(row, &sum);
	which = sum.gpus > 1
	    ? xasprintf("GPU %d of %d", (int)sum.which, (int)sum.gpus)
	    : xstrdup("its GPU");
	text = xasprintf("IDLE: %s has done nothing for %s", which,
	    num_span((int64_t)sum.still, span));
	free(which);
	return text;
}

char *
show_mark(struct job_view *v, uint64_t task)
{
	char span[NUM_TEXT], *pace, *text = NULL;
	const char *unit;
	struct job_eta eta;

	if (store_fold_state(v->fold, task) != STORE_RUNNING)
		return NULL;
	job_view_eta(v, task, &eta);
	if (eta.stalled) {
		pace = show_pace(eta.pace);
		unit = show_unit(v, task);
		text = xasprintf("STALLED: silent for %s; %s %s takes %s",
		    num_span(v->now - eta.since, span),
		    *unit == 'e' ? "an" : "a", unit, pace);
		free(pace);
	} else if (eta.late) {
		text = show_late(v, &eta);
	} else if (eta.idle) {
		text = show_idle(job_view_row(v, task));
	}
	return text;
}

/* ---- the end of a log ---- */

void
show_last_lines(const char *path, size_t count, struct words *out)
{
	lines_file_end(path, count, TAIL, out);
}

/* Where it is narrow, the label has a line of its own. */
struct flow
show_begin(FILE *out, const struct job_look *look, const char *label)
{
	if (look->width > 0 && look->width < 2 * LABEL) {
		fprintf(out, "%s\n  ", label);
		return (struct flow){out, look->width, 2, 2};
	}
	text_cell(out, label, LABEL, 0);
	return (struct flow){out, look->width, LABEL, LABEL};
}
