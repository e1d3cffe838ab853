#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "metrics/read-files.h"
#include "plot/private.h"
#include "sys/csv.h"
#include "sys/fs.h"

/* ---- columns ---- */

/* List the columns of a log for people; to free. */
static char *
list_columns(const struct metrics_header *h)
{
	enum { MOST = 20 };
	char *list = NULL;
	size_t length, i, shown = 0;
	FILE *f = xmemopen(&list, &length);

	for (i = 0; i < h->count && shown < MOST; i++)
		if (*h->name[i] != '\0')
			fprintf(f, "%s%s", shown++ > 0 ? ", " : "", h->name[i]);
	fputs(shown == MOST ? ", ..." : "", f);
	xmemclose(f);
	return list;
}

/* Find the column with this name, which must have numbers. */
static int
find_column(
    const struct metrics_header *h, const char *name, int *out, struct error *e)
{
	int column = metrics_column(h, name);
	char *list, hint[TEXT_HINT];

	if (column == METRICS_NONE) {
		list = list_columns(h);
		text_hint(
		    name, (const char *const *)h->name, h->count, "", hint);
		error_set(e, "no column '%s' (%s%sit has %s)", name, hint,
		    *hint != '\0' ? " " : "", list);
		free(list);
		return -1;
	}
	if (h->kind[column] < 0)
		return error_set(e, "column '%s' has no numbers", name);
	*out = column;
	return 0;
}

/*
 * Find the column for the x axis: the column with this name, or for "epoch",
 * "step" and "time" one with that meaning.
 */
static int
find_x(
    const struct metrics_header *h, const char *name, int *out, struct error *e)
{
	static const char *const epochs[] = {
	    "epoch", "epochs", "Epoch", "epoch_num", NULL};
	static const char *const steps[] = {"step", "global_step", "steps",
	    "iter", "iteration", "iterations", "batch", NULL};
	static const char *const times[] = {"time", "wall_time", "walltime",
	    "timestamp", "_timestamp", "elapsed", "seconds", "time_s", NULL};
	static const struct {
		const char *name, *what;
		const char *const *columns;
	} known[] = {{"epoch", "epochs are", epochs},
	    {"step", "steps are", steps}, {"time", "the wall time is", times}};
	const char *const *c;
	char *list;
	size_t i;

	for (i = 0; i < 3 && strcmp(name, known[i].name) != 0;)
		i++;
	if (i == 3 || metrics_column(h, name) != METRICS_NONE)
		return find_column(h, name, out, e);
	for (c = known[i].columns; *c != NULL; c++) {
		*out = metrics_column(h, *c);
		if (*out != METRICS_NONE && h->kind[*out] >= 0)
			return 0;
	}
	list = list_columns(h);
	c = known[i].columns;
	error_set(e,
	    "%s not recorded (no column such as %s, %s or %s; it has "
	    "%s)",
	    known[i].what, c[0], c[1], c[2], list);
	free(list);
	return -1;
}

/* Choose the objective by the first log and, with p->partner, its partner. */
static int
guess_metrics(struct plot *p, const struct metrics_header *h, struct error *e)
{
	int column, partner;

	if (p->metric.count == 0) {
		column = metrics_guess_objective(h);
		if (column == METRICS_NONE)
			return error_set(e,
			    "no column of numbers (comma, tab or semicolon "
			    "between the columns?)");
		strlist_push(&p->metric, h->name[column]);
	}
	column = metrics_column(h, p->metric.word[0]);
	if (!p->partner || column == METRICS_NONE)
		return 0;
	partner = metrics_partner(h, column);
	if (partner != METRICS_NONE && h->kind[partner] >= 0)
		strlist_push(&p->metric, h->name[partner]);
	p->partner = 0;
	return 0;
}

/* Return the column of the step of all these columns, or other. */
static int
shared_step(const size_t *step_of, const int *column, size_t count, int other)
{
	size_t i;

	for (i = 1; i < count; i++)
		if (step_of[column[i]] != step_of[column[0]])
			return other;
	return count > 0 ? (int)step_of[column[0]] : other;
}

/*
 * Choose the columns of a run.  step_of has the column of the step for each
 * column of events, or is NULL for other logs.
 */
static int
choose_columns(struct plot *p, struct plot_run *run, const size_t *step_of,
    struct error *e)
{
	int *column, status = 0;
	size_t i;

	run->x = metrics_guess_x(&run->header);
	if (p->x != NULL && find_x(&run->header, p->x, &run->x, e) < 0)
		return -1;
	if (guess_metrics(p, &run->header, e) < 0)
		return -1;
	column = xcalloc(p->metric.count, sizeof *column);
	for (i = 0; i < p->metric.count && status == 0; i++)
		status =
		    find_column(&run->header, p->metric.word[i], &column[i], e);
	if (status == 0 && p->x == NULL && step_of != NULL)
		run->x = shared_step(step_of, column, i, run->x);
	if (status == 0)
		run->log = metrics_log_new(
		    &run->header, run->x, column, p->metric.count, p->points);
	free(column);
	return status;
}

/* ---- reading ---- */

/* Bytes per read: they fit into the second-level cache. */
enum { BLOCK = 128 << 10 };

/* Fill the buffer, or read to the end.  Returns the number of bytes, or -1. */
static ssize_t
read_full(int fd, char *buffer, size_t size)
{
	size_t used = 0;
	ssize_t n = 1;

	while (used < size && n > 0) {
		n = read(fd, buffer + used, size - used);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return -1;
		else
			used += (size_t)n;
	}
	return (ssize_t)used;
}

/*
 * Read a log of rows; buffer holds its first n bytes.  First reads the complete
 * lines of the logs that it continues, if they have the same header.
 */
static int
read_rows(struct plot *p, struct plot_run *run, int fd, char *buffer, ssize_t n,
    enum plot_source source, struct error *e)
{
	const char *end = memchr(buffer, '\n', (size_t)n);
	size_t header = end != NULL ? (size_t)(end - buffer) + 1 : (size_t)n;
	size_t known = 0, length, i;
	char *bytes;

	if (source >= PLOT_TASK && end == NULL)
		return 1;
	if (metrics_header_read(&run->header, buffer, (size_t)n, e) < 0 ||
	    choose_columns(p, run, NULL, e) < 0)
		return -1;
	for (i = 0; i < run->before.count; i++) {
		if (fs_read_path(run->before.word[i], SIZE_MAX, &bytes, &length,
			NULL) == -1)
			continue;
		while (length > 0 && bytes[length - 1] != '\n')
			length--;
		if (length >= header && memcmp(bytes, buffer, header) == 0 &&
		    metrics_log_feed(
			run->log, bytes + known, length - known, NULL) == 0) {
			metrics_log_continue(run->log);
			known = header;
		}
		free(bytes);
	}
	memmove(buffer, buffer + known, (size_t)n - known);
	n -= (ssize_t)known;
	if (n == 0)
		n = read_full(fd, buffer, BLOCK);
	for (; n > 0; n = read_full(fd, buffer, BLOCK))
		if (metrics_log_feed(run->log, buffer, (size_t)n, e) < 0)
			return -1;
	if (n < 0)
		return error_errno(e, "reading");
	n = metrics_log_finish(
	    run->log, source == PLOT_PIPE || source == PLOT_ENDED, e);
	run->is_cut = n == 1;
	return n == -1 ? -1 : 0;
}

/* ---- records ---- */

/* Refuse a log without values, unless its training has just begun. */
static int
no_values(const struct plot_run *run, enum plot_source source, struct error *e)
{
	if (source >= PLOT_TASK)
		return 1;
	return error_set(e, "no values in it (read as %s)%s",
	    record_format_name(run->format),
	    run->format == RECORD_JSON
		? "; of an array jq -c '.[]' makes such lines"
		: "");
}

/*
 * A log of records: one file, or the event files of a directory.  Its names so
 * far are in the run's header.
 */
struct records {
	struct plot_run *run;
	struct record_reader reader;
	const struct record_files *files; /* of a directory, or NULL */
	const char *prefix;
	int fd;
	off_t begin;
	char *buffer;   /* of ROWS_RECORD bytes */
	uint64_t count; /* records so far */
	size_t last;    /* the column found most recently */
	/* The columns of the last record's values, and its row. */
	ptrdiff_t column[RECORD_VALUES];
	char *field[RECORD_VALUES];
	/* The values of the events of one step, whose row is not complete. */
	char held[RECORD_VALUES][NUM_TEXT];
	size_t step; /* its column */
	int is_held;
	/* The column of the step for each column of events. */
	size_t step_of[RECORD_VALUES];
};

/*
 * Return the column of a name, a new one if necessary, or -1.  Most records
 * have their names in the order of the columns.
 */
static ptrdiff_t
column_of(struct records *l, const char *name)
{
	struct metrics_header *h = &l->run->header;
	size_t next = l->last + 1 < h->count ? l->last + 1 : 0;
	int i = (int)next;

	if (h->count == 0 || strcmp(h->name[next], name) != 0)
		i = text_among(name, (const char *const *)h->name, h->count);
	if (i == -1 && h->count == RECORD_VALUES)
		return -1;
	if (i == -1) {
		i = (int)h->count;
		h->name = xgrow(h->name, h->count, sizeof *h->name);
		h->kind = xgrow(h->kind, h->count, sizeof *h->kind);
		h->kind[h->count] = 1;
		h->name[h->count++] = xstrdup(name);
	}
	l->last = (size_t)i;
	return i;
}

static void
blank_row(struct records *l)
{
	size_t i;

	for (i = 0; i < l->run->header.count; i++)
		l->field[i] = (char *)(uintptr_t) "";
}

static int
take_record(void *arg, const struct record *r, size_t taken)
{
	struct records *l = arg;
	size_t i;

	(void)taken;
	l->count++;
	if (!r->same_names)
		blank_row(l);
	for (i = 0; i < r->count; i++) {
		if (!r->same_names)
			l->column[i] = column_of(l, r->name[i]);
		if (l->column[i] != -1)
			l->field[l->column[i]] = (char *)(uintptr_t)r->value[i];
	}
	if (l->run->log != NULL)
		metrics_log_add(l->run->log, l->field);
	return 0;
}

/* Add the row of the last step, if there is one. */
static void
end_row(struct records *l)
{
	if (l->is_held && l->run->log != NULL)
		metrics_log_add(l->run->log, l->field);
	if (l->is_held)
		blank_row(l);
	l->is_held = 0;
}

/* Take an event.  Events of one step that follow each other are one row. */
static int
take_event(void *arg, const struct record *r, size_t taken)
{
	struct records *l = arg;
	char name[RECORD_NAME];
	ptrdiff_t column;
	size_t i;

	(void)taken;
	l->count++;
	if (l->is_held &&
	    (strcmp(l->run->header.name[l->step], r->name[0]) != 0 ||
		strcmp(l->held[l->step], r->value[0]) != 0))
		end_row(l);
	for (i = 0; i < r->count; i++) {
		column = column_of(
		    l, record_name(RECORD_EVENTS, l->prefix, r, i, name));
		if (column == -1)
			continue;
		/* num_exact and num_short write values of events. */
		memccpy(l->held[column], r->value[i], '\0', NUM_TEXT);
		l->field[column] = l->held[column];
		if (i == 0) {
			l->step = (size_t)column;
			l->is_held = 1;
		}
		l->step_of[column] = l->step;
	}
	return 0;
}

static void
take_bytes(
    struct records *l, struct record_reader *r, const char *bytes, size_t n)
{
	record_read(r, bytes, n,
	    r->format == RECORD_EVENTS ? take_event : take_record, l);
}

/* Take the logs that this one continues. */
static void
take_earlier(struct records *l)
{
	struct record_reader earlier = l->reader;
	const struct strlist *paths = &l->run->before;
	size_t i, length;
	char *bytes;

	earlier.ended = 1;
	for (i = 0; i < paths->count; i++) {
		if (fs_read_path(
			paths->word[i], SIZE_MAX, &bytes, &length, NULL) == -1)
			continue;
		earlier.headed = 0;
		if (earlier.pattern != NULL ||
		    record_recognise(bytes, length) == earlier.format)
			take_bytes(l, &earlier, bytes, length);
		end_row(l);
		if (l->run->log != NULL)
			metrics_log_continue(l->run->log);
		free(bytes);
	}
}

/* Read at most size bytes of the log, from the offset at on. */
static ssize_t
read_at(struct records *l, off_t at, size_t size)
{
	if (lseek(l->fd, l->begin + at, SEEK_SET) == -1)
		return -1;
	return read_full(l->fd, l->buffer, size);
}

/* Take the records in the first bytes of a file.  Returns 0 or -1. */
static int
take_first(struct records *l, struct error *e)
{
	struct record_reader r = l->reader;
	ssize_t n = read_at(l, 0, ROWS_RECORD);

	if (n < 0)
		return error_errno(e, "reading");
	r.ended &= n < ROWS_RECORD;
	take_bytes(l, &r, l->buffer, (size_t)n);
	end_row(l);
	return 0;
}

/* Take all records of a file.  Returns 0 or -1. */
static int
take_all(struct records *l, struct error *e)
{
	struct record_reader r = l->reader;
	size_t size = BLOCK;
	off_t at = 0;
	ssize_t n;
	int is_last;

	r.headed = 0;
	for (;;) {
		n = read_at(l, at, size);
		if (n < 0)
			return error_errno(e, "reading");
		is_last = (size_t)n < size;
		r.ended = l->reader.ended && is_last;
		take_bytes(l, &r, l->buffer, (size_t)n);
		l->run->damaged += r.damaged;
		at += (off_t)(r.taken + r.skip);
		if (is_last || (r.taken == 0 && size == ROWS_RECORD))
			break;
		/* A record may need more bytes. */
		size = r.taken > 0 ? BLOCK : ROWS_RECORD;
	}
	end_row(l);
	return 0;
}

/* Call a function for each file of the log.  Returns 0 or -1. */
static int
for_files(struct records *l, int (*take)(struct records *, struct error *),
    struct error *e)
{
	const struct record_files *files = l->files;
	int status = 0;
	size_t i;

	if (files == NULL)
		return take(l, e);
	for (i = 0; i < files->count && status == 0; i++) {
		l->prefix = files->file[i].prefix;
		l->fd = open(files->file[i].path, O_RDONLY | O_CLOEXEC);
		if (l->fd == -1)
			return error_errno(e, "%s", files->file[i].path);
		status = take(l, e);
		close(l->fd);
	}
	return status;
}

/* Forget the columns; p has only the metrics that it was given. */
static void
forget_columns(struct records *l, struct plot *p, size_t given, int partner)
{
	while (p->metric.count > given)
		strlist_drop(&p->metric, p->metric.count - 1);
	p->partner = partner;
	metrics_log_free(l->run->log);
	l->run->log = NULL;
}

/*
 * Choose the columns by the names in the first bytes, and take all records.  If
 * that finds more names, start again with them.
 */
static int
take_chosen(
    struct records *l, struct plot *p, enum plot_source source, struct error *e)
{
	size_t given = p->metric.count, known;
	int partner = p->partner, status;
	int is_events = l->reader.format == RECORD_EVENTS;

	if (for_files(l, take_first, e) == -1)
		return -1;
	/* The first value of an event is the step. */
	l->run->header.along = is_events;
	do {
		known = l->run->header.count;
		forget_columns(l, p, given, partner);
		status = known > 0 ? choose_columns(p, l->run,
					 is_events ? l->step_of : NULL, e)
				   : 0;
		l->count = l->run->damaged = 0;
		take_earlier(l);
		if (for_files(l, take_all, e) == -1)
			return -1;
	} while (l->run->header.count > known);
	if (l->count > 0 && status == 0)
		return metrics_log_finish(l->run->log, 0, e);
	if (l->count > 0)
		return -1;
	forget_columns(l, p, given, partner);
	metrics_header_free(&l->run->header);
	return no_values(l->run, source, e);
}

/*
 * Return a file with the bytes of a pipe, of which buffer has the first n, so
 * that they can be read again; or -1.
 */
static int
keep_pipe(int fd, char *buffer, ssize_t n, struct error *e)
{
	int kept = memfd_create("log", MFD_CLOEXEC);

	for (; n > 0 && kept != -1; n = read_full(fd, buffer, BLOCK))
		if (write(kept, buffer, (size_t)n) != n)
			break;
	if (kept != -1 && n == 0)
		return kept;
	error_errno(e, "reading");
	if (kept != -1)
		close(kept);
	return -1;
}

static struct records *
records_new(struct plot *p, struct plot_run *run, char *buffer, int ended)
{
	struct records *l = xcalloc(1, sizeof *l);
	const struct strlist *names =
	    p->pattern != NULL ? record_pattern_names(p->pattern) : NULL;
	size_t i;

	l->run = run;
	l->buffer = buffer;
	l->prefix = "";
	l->reader = (struct record_reader){
	    .format = run->format, .pattern = p->pattern, .ended = ended};
	for (i = 0; i < RECORD_VALUES; i++)
		l->field[i] = (char *)(uintptr_t) "";
	for (i = 0; names != NULL && i < names->count; i++)
		column_of(l, names->word[i]);
	return l;
}

/* Read a log of records; arguments and result are those of read_rows. */
static int
read_records(struct plot *p, struct plot_run *run, int fd, char *buffer,
    ssize_t n, enum plot_source source, struct error *e)
{
	struct records *l = records_new(
	    p, run, buffer, source == PLOT_PIPE || source == PLOT_ENDED);
	off_t end = lseek(fd, 0, SEEK_CUR);
	int status = -1;

	l->begin = end == -1 ? 0 : end - n;
	l->fd = end == -1 ? keep_pipe(fd, buffer, n, e) : fd;
	if (l->fd != -1)
		status = take_chosen(l, p, source, e);
	if (l->fd != fd && l->fd != -1)
		close(l->fd);
	free(l);
	return status;
}

/* ---- logs ---- */

/* Free the parts read before a failure.  Returns status. */
static int
settle(struct plot_run *run, int status)
{
	if (status != -1)
		return status;
	metrics_header_free(&run->header);
	metrics_log_free(run->log);
	run->log = NULL;
	return -1;
}

int
plot_read(struct plot *p, struct plot_run *run, int fd, enum plot_source source,
    struct error *e)
{
	char *buffer = xmalloc(ROWS_RECORD);
	ssize_t n = read_full(fd, buffer, ROWS_RECORD);
	int status;

	if (n >= 0)
		run->format = p->pattern != NULL
		    ? RECORD_TEXT
		    : record_recognise(buffer, (size_t)n);
	if (n < 0)
		status = error_errno(e, "reading");
	else if (run->format != RECORD_ROWS)
		status = read_records(p, run, fd, buffer, n, source, e);
	else
		status = read_rows(p, run, fd, buffer, n, source, e);
	free(buffer);
	return settle(run, status);
}

/* ---- directories ---- */

static int
read_events(struct plot *p, struct plot_run *run,
    const struct record_files *files, enum plot_source source, struct error *e)
{
	char *buffer = xmalloc(ROWS_RECORD);
	struct records *l;
	int status;

	run->format = RECORD_EVENTS;
	l = records_new(p, run, buffer, 0);
	l->files = files;
	status = take_chosen(l, p, source, e);
	free(l);
	free(buffer);
	return settle(run, status);
}

static int
read_file(struct plot *p, struct plot_run *run, const char *path,
    enum plot_source source, struct error *e)
{
	/* The log of a task may be a FIFO, which must not block stfm. */
	int fd = open(path,
	    O_RDONLY | O_CLOEXEC | (source == PLOT_FILE ? 0 : O_NONBLOCK));
	int status;

	if (fd == -1)
		return error_set(e, "%s", strerror(errno));
	status = plot_read(p, run, fd, source, e);
	close(fd);
	return status;
}

int
plot_read_path(struct plot *p, struct plot_run *run, const char *path,
    enum plot_source source, struct error *e)
{
	struct record_files files;
	struct stat st;
	int status;

	if (stat(path, &st) == -1 || !S_ISDIR(st.st_mode))
		return read_file(p, run, path, source, e);
	status = record_files_list(&files, path, e);
	if (status == 0 && files.count == 0)
		status = source >= PLOT_TASK
		    ? 1
		    : error_set(e, "a directory without event files");
	else if (status == 0 && files.file[0].is_events)
		status = read_events(p, run, &files, source, e);
	else if (status == 0)
		status = read_file(p, run, files.file[0].path, source, e);
	record_files_free(&files);
	return status;
}

/* ---- files ---- */

/* Read a file that the user named, and note which of its columns are drawn. */
static int
read_named(struct plot *p, struct plot_run *run, struct strlist *notes,
    struct error *e)
{
	int status, guessed = p->metric.count == 0;
	char *list;

	if (strcmp(run->name, "-") == 0) {
		free(run->name);
		run->name = xstrdup("stdin");
		status = plot_read(p, run, STDIN_FILENO, PLOT_PIPE, e);
	} else {
		status = plot_read_path(p, run, run->name, PLOT_FILE, e);
		if (status == 0 && run->is_cut)
			strlist_take(notes,
			    xasprintf("%s: the last line has no line end and "
				      "is left out",
				run->name));
	}
	if (status != 0)
		return status;
	list = list_columns(&run->header);
	if (guessed && run->format != RECORD_ROWS)
		strlist_take(notes,
		    xasprintf("%s: %s: %s along %s (it has %s)", run->name,
			record_format_name(run->format), p->metric.word[0],
			curve_x_name(run), list));
	if (run->damaged > 0)
		strlist_take(notes,
		    xasprintf("%s: %" PRIu64 " damaged record%s passed over",
			run->name, run->damaged, run->damaged > 1 ? "s" : ""));
	free(list);
	return 0;
}

/* Remove the directories that all runs share from their names. */
static void
shorten_names(struct plot_run *run, size_t count)
{
	size_t common = 0, i, k;
	const char *slash;

	if (count < 2)
		return;
	slash = strrchr(run[0].name, '/');
	if (slash != NULL)
		common = (size_t)(slash - run[0].name) + 1;
	for (i = 1; i < count; i++) {
		for (k = 0; k < common && run[i].name[k] == run[0].name[k];)
			k++;
		while (k > 0 && run[0].name[k - 1] != '/')
			k--;
		common = k;
	}
	for (i = 0; i < count; i++)
		memmove(run[i].name, run[i].name + common,
		    strlen(run[i].name) - common + 1);
}

size_t
plot_add_files(struct plot *p, const struct strlist *files,
    struct strlist *notes, struct strlist *failures)
{
	size_t i, bad = 0, first = p->runs;
	struct plot_run run;
	struct error e;

	for (i = 0; i < files->count; i++) {
		run = (struct plot_run){.name = xstrdup(files->word[i])};
		if (read_named(p, &run, notes, &e) == 0) {
			plot_add(p, &run);
			continue;
		}
		strlist_take(failures, xasprintf("%s: %s", run.name, e.text));
		plot_run_free(p, &run);
		bad++;
	}
	shorten_names(p->run + first, p->runs - first);
	return bad;
}
