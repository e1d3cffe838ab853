/* stfm-log - print or follow what training tasks write */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "status/log-ends.h"
#include "status/log-follow.h"
#include "status/log-lines.h"
#include "status/logs.h"
#include "term/cli.h"

/* A file being followed. */
struct tail {
	struct job_stream stream;
	int idle, wait; /* reads without new lines; ticks until the next read */
	int is_there;   /* the file could be read */
};

struct show {
	struct job_filter *filter;
	const char *dir, *pattern;
	regex_t regex;
	uint64_t lines;
	int64_t attempt;
	int follow, errors, paths, raw, quiet;

	struct job_lines page;
	struct view_selection choice;
	struct job_log *logs;
	/* Files of each log: output and standard error. */
	struct tail (*tail)[2];
	size_t count;
	size_t read; /* number of files read */
	int failed;  /* some file could not be read */
	int lost;    /* standard output failed */
};

static const struct cli_option options[] = {
    {'f', "follow", NULL, "follow the logs until the tasks end",
	CLI_FLAG(struct show, follow)},
    {'n', "lines", "LINES", "print the last LINES lines of each log, or all"},
    {0, "grep", "REGEX", "print only matching lines (as grep -E)"},
    {'e', "errors", NULL, "print the error of each failed task",
	CLI_FLAG(struct show, errors)},
    {0, "attempt", "N", "choose the attempt: 0 is the first, -1 the previous",
	CLI_NUMBER(struct show, attempt, -1000000, 1000000)},
    {0, "path", NULL, "print the paths of the logs",
	CLI_FLAG(struct show, paths)},
    {0, "raw", NULL, "print every byte, with colors and progress bars",
	CLI_FLAG(struct show, raw)},
    {'t', "state", "STATES", "select tasks by state: ERROR,STOPPED or OOM"},
    {'w', "where", "CONDITION", "select tasks by a condition: 'lr<0.01'"},
    {'Q', "quiet", NULL, "do not mention tasks without a log",
	CLI_FLAG(struct show, quiet)},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct show, dir)},
    {0},
};

static const struct cli_instead instead[] = {
    {"tail", "-n N"},
    {0},
};

static const struct cli command = {
    "stfm-log",
    "print or follow the output of tasks",
    "[options] JOB[/TASKS] ...",
    "  stfm-log conv2d/3                  print the output of one task\n"
    "  stfm-log -f conv2d                 follow all tasks of a job\n"
    "  stfm-log -e conv2d                 print the errors of failed tasks\n"
    "  stfm-log --grep 'CUDA|nan' conv2d  print matching lines of all tasks\n",
    options,
    0,
    config_defaults,
    instead,
};

enum {
	FEW = 10,      /* lines of each log if there are several */
	END = 20,      /* lines of an error */
	NOTES = 10,    /* maximum reasons to print */
	TICK = 250,    /* milliseconds between two reads of a file */
	SLOWEST = 8,   /* maximum ticks between two reads of a silent file */
	QUIET_ENDS = 2 /* reads without new lines after the end of a task */
};

#define UNSET UINT64_MAX

/* ---- options ---- */

static int
take_lines(struct show *s, const char *text, struct error *e)
{
	int64_t n;

	s->lines = JOB_LINES_ALL;
	if (strcmp(text, "all") == 0)
		return 0;
	if (num_int(cli_option_name(), text, 0, INT64_MAX, &n, e) == -1)
		return cli_names(e);
	s->lines = (uint64_t)n;
	return 0;
}

static int
take_pattern(struct show *s, const char *text, struct error *e)
{
	char why[256];
	int rc;

	if (s->pattern != NULL)
		return error_set(e, "--grep: once is enough: 'this|that'");
	rc = regcomp(&s->regex, text, REG_EXTENDED | REG_NOSUB);
	if (rc == 0) {
		s->pattern = text;
		return 0;
	}
	regerror(rc, &s->regex, why, sizeof why);
	return error_set(e, "--grep: %s: %s", text, why);
}

static int
take_option(void *arg, int letter, struct error *e)
{
	struct show *s = arg;

	switch (letter) {
	case 't':
		return job_filter_state(s->filter, optarg, e);
	case 'w':
		return job_filter_where(s->filter, optarg, e);
	case 'n':
		return take_lines(s, optarg, e);
	default:
		return take_pattern(s, optarg, e);
	}
}

static int
parse(int argc, char **argv, struct show *s)
{
	const char *why = NULL;
	struct error e;
	int opt = cli_options(&command, argc, argv, take_option, s);

	if (opt != CLI_END)
		return opt;
	if (s->errors + s->paths + s->raw > 1)
		why = "--errors, --path and --raw: only one of them";
	else if (s->follow && (s->errors || s->paths))
		why = "--follow: not with --errors and --path";
	else if (s->follow && s->attempt != JOB_LOG_NOW)
		why = "--attempt: an earlier attempt cannot be followed: leave "
		      "out --follow";
	else if (s->pattern != NULL && (s->errors || s->paths || s->raw))
		why = "--grep: not with --errors, --path and --raw";
	else if (s->raw && isatty(STDOUT_FILENO))
		why = "--raw: not to a terminal, which would obey control "
		      "characters in the log: write to a file, or use less -R";
	if (why == NULL)
		return CLI_END;
	error_set(&e, "%s", why);
	return cli_fail(&e, CLI_BAD);
}

/* ---- tasks without a log ---- */

/* Tasks with the same reason. */
struct note {
	const struct job_log *log;
	struct idset tasks;
};

static void
print_note(const struct show *s, const struct note *note)
{
	char *tasks = idset_brief(&note->tasks);

	cli_warn("%s/%s: %s%s", store_job_name(note->log->view->job), tasks,
	    note->log->why,
	    note->log->waits && !s->follow && !s->paths
		? " (--follow waits for it)"
		: "");
	free(tasks);
}

/* Print why tasks have no log, grouped by reason. */
static void
print_notes(const struct show *s)
{
	struct note notes[NOTES];
	const struct job_log *log;
	size_t count = 0, more = 0, i, k;

	for (i = 0; i < s->count && !s->quiet; i++) {
		log = &s->logs[i];
		if (log->why == NULL)
			continue;
		for (k = 0; k < count; k++)
			if (notes[k].log->view == log->view &&
			    strcmp(notes[k].log->why, log->why) == 0)
				break;
		if (k == NOTES) {
			more++;
			continue;
		}
		if (k == count)
			notes[count++] = (struct note){log, {0}};
		idset_add(&notes[k].tasks, log->task, log->task);
	}
	for (k = 0; k < count; k++) {
		print_note(s, &notes[k]);
		idset_free(&notes[k].tasks);
	}
	if (more > 0)
		cli_warn("and %zu more tasks without a log", more);
}

/* ---- printing ---- */

/* Print the current content of a file.  An empty one is for print_notes. */
static void
print_file(struct show *s, size_t i, int errors)
{
	struct job_log *log = &s->logs[i];
	struct job_stream t = {.log = log, .errors = errors};
	const char *path = errors ? log->errors : log->path;
	struct error e;

	if (path == NULL)
		return;
	t.path = xstrdup(path);
	if (job_lines_read(&s->page, &t, &e) == -1 && !ferror(stdout)) {
		cli_fail(&e, 0);
		s->failed = 1;
	} else {
		s->read++;
		if (s->lines != 0)
			job_lines_end(&s->page, &t);
		/* Most programs buffer their output to a file. */
		if (t.file.offset == 0 && !errors)
			log->why = xasprintf("nothing in its log%s",
			    log->state == STORE_RUNNING
				? " yet (Python writes at once with "
				  "PYTHONUNBUFFERED=1)"
				: "");
	}
	job_stream_close(&t);
	s->lost |= cli_flush() == -1;
}

/* Return whether a log is also the log of the task before. */
static int
is_shared(const struct show *s, size_t i)
{
	return i > 0 && s->logs[i].path != NULL &&
	    text_same(s->logs[i].path, s->logs[i - 1].path);
}

static int
print_logs(struct show *s)
{
	const struct job_log *log;
	int is_there;
	size_t i;

	for (i = 0; i < s->count && !s->lost; i++) {
		log = &s->logs[i];
		if (is_shared(s, i)) {
			if (!s->quiet && !is_shared(s, i - 1))
				cli_warn("%s/%" PRIu64
					 " writes to the same log: %s",
				    store_job_name(log->view->job), log->task,
				    log->path);
			continue;
		}
		s->failed |= log->why != NULL && !log->waits &&
		    log->path != NULL && !log->was_empty;
		s->read += (size_t)log->was_empty;
		is_there = log->why == NULL;
		if (is_there)
			print_file(s, i, 0);
		if (is_there || log->errors != NULL)
			print_file(s, i, 1);
	}
	print_notes(s);
	if (s->failed || s->read == 0 ||
	    (s->pattern != NULL && s->page.shown == 0))
		return CLI_NO;
	return CLI_YES;
}

static int
print_paths(struct show *s)
{
	size_t i, none = 0;

	for (i = 0; i < s->count; i++) {
		if (s->logs[i].path == NULL) {
			none++;
			continue;
		}
		text_plain(stdout, s->logs[i].path);
		putchar('\n');
		if (s->logs[i].errors != NULL) {
			text_plain(stdout, s->logs[i].errors);
			putchar('\n');
		}
	}
	print_notes(s);
	return none == 0 ? CLI_YES : CLI_NO;
}

static int
print_errors(struct show *s)
{
	struct show_style look = {.width = cli_width(0), .now = time(NULL)};
	char *here = fs_absolute(".");
	size_t shown;

	look.here = here;
	shown = job_show_ends(stdout, s->logs, s->count,
	    s->lines == UNSET ? END : s->lines, &look);
	free(here);
	if (shown == 0 && !s->quiet)
		cli_warn("no task is in ERROR");
	return shown > 0 ? CLI_YES : CLI_NO;
}

/* ---- following ---- */

/* Open the files of a log, and close files of another attempt. */
static void
open_streams(struct show *s, size_t i)
{
	const struct job_log *log = &s->logs[i];
	const char *path[2] = {
	    job_log_is_nowhere(log) ? NULL : log->path, log->errors};
	struct job_stream *t;
	int k;

	for (k = 0; k < 2; k++) {
		t = &s->tail[i][k].stream;
		t->log = &s->logs[i];
		t->errors = k;
		if (t->path != NULL && path[k] != NULL &&
		    strcmp(t->path, path[k]) != 0) {
			job_lines_end(&s->page, t);
			job_stream_close(t);
			t->log = &s->logs[i];
			t->errors = k;
			t->file.path = t->path = xstrdup(path[k]);
			t->begun = 1; /* everything in it is new */
			s->tail[i][k].is_there = 0;
		}
		if (t->path == NULL && path[k] != NULL &&
		    !(k == 0 && is_shared(s, i)))
			t->path = xstrdup(path[k]);
		s->tail[i][k].idle = s->tail[i][k].wait = 0;
	}
}

static void
take_change(void *arg, size_t i, const struct job_log *before)
{
	struct show *s = arg;
	const struct job_log *log = &s->logs[i];
	const char *name = store_job_name(log->view->job);
	int timed = log->start != -1 && log->end >= log->start;
	char span[NUM_TEXT];

	open_streams(s, i);
	job_lines_wipe(&s->page);
	if (s->quiet)
		return;
	if (job_log_is_nowhere(log) && !job_log_is_nowhere(before))
		cli_warn("%s/%" PRIu64 ": %s", name, log->task, log->why);
	if (store_state_is_final(log->state) && log->state != before->state)
		cli_warn("%s/%" PRIu64 ": %s%s%s%s%s", name, log->task,
		    store_state_name(log->state), log->cause != NULL ? " " : "",
		    log->cause != NULL ? log->cause : "",
		    timed ? " after " : "",
		    timed ? num_span(log->end - log->start, span) : "");
	else if (log->attempt != before->attempt)
		cli_warn("%s/%" PRIu64 ": attempt %" PRIu32, name, log->task,
		    log->attempt);
}

/* Read the next part of a file, unless its turn is later. */
static void
follow_file(struct show *s, size_t i, int errors)
{
	struct tail *t = &s->tail[i][errors];
	struct error e;
	int got;

	if (t->stream.path == NULL || t->wait-- > 0)
		return;
	got = job_lines_read(&s->page, &t->stream, &e);
	if (got == -1 && errno != ENOENT && t->idle == 0 && !ferror(stdout))
		cli_fail(&e, 0);
	if (got == -1)
		t->stream.begun = 0;
	else
		t->is_there = 1;
	t->idle = got > 0 ? 0 : t->idle + 1;
	t->wait = t->idle < SLOWEST ? t->idle / 2 : SLOWEST;
	if (!s->raw)
		job_lines_draw(&s->page, &t->stream, cli_width(80));
}

/* Return whether all tasks have ended and their logs are read. */
static int
is_over(const struct show *s, const struct job_follow *f)
{
	const struct tail *t;
	size_t i;
	int k;

	if (job_follow_open(f) > 0)
		return 0;
	for (i = 0; i < s->count; i++)
		for (k = 0; k < 2; k++) {
			t = &s->tail[i][k];
			if (t->stream.path != NULL && t->idle < QUIET_ENDS)
				return 0;
		}
	return 1;
}

/*
 * Print the last lines that have no newline.  Returns the exit status as
 * without --follow, but CLI_NO if a task is in ERROR.
 */
static int
end_follow(struct show *s)
{
	int in_error = 0;
	size_t i;
	int k;

	for (i = 0; i < s->count; i++) {
		in_error |= s->logs[i].state == STORE_ERROR;
		for (k = 0; k < 2; k++) {
			job_lines_end(&s->page, &s->tail[i][k].stream);
			if (!is_shared(s, i))
				s->read += (size_t)s->tail[i][k].is_there;
		}
		s->read += (size_t)s->logs[i].was_empty;
		s->failed |= !is_shared(s, i) && s->logs[i].path != NULL &&
		    !s->tail[i][0].is_there && !s->logs[i].was_empty;
	}
	job_lines_wipe(&s->page);
	if (s->failed || s->read == 0 || in_error ||
	    (s->pattern != NULL && s->page.shown == 0))
		return CLI_NO;
	return CLI_YES;
}

static int
follow(struct show *s)
{
	struct job_follow f = {&s->choice, s->logs, s->count};
	char *trouble = xcopy(s->choice.trouble);
	struct error e;
	size_t i;
	int rc = 0;

	for (i = 0; i < s->count; i++)
		open_streams(s, i);
	while (rc == 0 && !s->lost) {
		for (i = 0; i < s->count; i++) {
			follow_file(s, i, 0);
			follow_file(s, i, 1);
		}
		s->lost = cli_flush() == -1;
		if (is_over(s, &f) || cli_wait_reader(TICK))
			break;
		rc = job_follow_look(&f, take_change, s, &e);
		if (s->choice.trouble != NULL && !s->quiet &&
		    !text_same(trouble, s->choice.trouble))
			cli_warn("%s", s->choice.trouble);
		free(trouble);
		trouble = xcopy(s->choice.trouble);
	}
	free(trouble);
	job_lines_wipe(&s->page);
	return rc == -1 ? cli_fail(&e, CLI_WRONG) : end_follow(s);
}

/* ---- the command ---- */

/* Find the logs; refresh the tables if the output depends on current states. */
static int
find_logs(struct show *s, const struct strlist *words, struct error *e)
{
	int64_t now = time(NULL);
	int old = s->follow || s->errors || job_filter_asks(s->filter);
	size_t i;

	if (view_select(
		&s->choice, s->dir, STORE_READ, words, s->filter, now, e) == -1)
		return -1;
	for (;;) {
		if (old)
			view_selection_refresh(
			    &s->choice, s->filter, JOB_WHEN_OLD, now);
		s->logs = job_logs(&s->choice, s->attempt, &s->count, e);
		if (s->logs == NULL)
			return -1;
		for (i = 0; i < s->count && !old; i++)
			if (s->logs[i].waits)
				break;
		if (old || i == s->count)
			return 0;
		job_logs_free(s->logs, s->count);
		old = 1;
	}
}

static void
prepare(struct show *s)
{
	int many = s->choice.named > 1;

	if (s->lines == UNSET && !s->errors)
		s->lines = s->follow || (many && s->pattern == NULL && !s->raw)
		    ? FEW
		    : JOB_LINES_ALL;
	s->page = (struct job_lines){.out = stdout,
	    .regex = s->pattern != NULL ? &s->regex : NULL,
	    .most = s->lines,
	    .raw = s->raw,
	    .grows = s->follow,
	    .names = many,
	    .jobs = s->choice.jobs > 1,
	    .live = s->follow && s->count == 1 && cli_can_draw()};
	s->tail = xcalloc(s->count + 1, sizeof *s->tail);
	job_lines_measure(&s->page, s->logs, s->count);
}

static int
show(struct show *s)
{
	if (s->choice.trouble != NULL && !s->quiet)
		cli_warn("%s", s->choice.trouble);
	if (s->count == 0) {
		cli_warn("no task is left%s",
		    job_filter_asks(s->filter) ? " by -t and -w" : "");
		return CLI_NO;
	}
	prepare(s);
	if (s->errors)
		return print_errors(s);
	if (s->paths)
		return print_paths(s);
	if (!s->follow)
		return print_logs(s);
	print_notes(s);
	return follow(s);
}

static int
run(struct show *s, char **argv, size_t count)
{
	struct strlist words = {0};
	struct error e;
	int status;
	size_t i;

	for (i = 0; i < count; i++)
		strlist_push(&words, argv[i]);
	if (find_logs(s, &words, &e) == -1)
		status = cli_fail(&e, CLI_WRONG);
	else
		status = show(s);
	for (i = 0; i < s->count && s->tail != NULL; i++) {
		job_stream_close(&s->tail[i][0].stream);
		job_stream_close(&s->tail[i][1].stream);
	}
	if (s->choice.unread > 0)
		status = CLI_WRONG;
	view_selection_damage(&s->choice);
	cli_warn_each(NULL, &s->choice.damaged);
	free(s->tail);
	if (s->logs != NULL)
		job_logs_free(s->logs, s->count);
	view_selection_free(&s->choice);
	strlist_free(&words);
	return status;
}

int
main(int argc, char **argv)
{
	struct show s = {
	    .filter = job_filter_new(), .lines = UNSET, .attempt = JOB_LOG_NOW};
	int opt, status;

	cli_start(&command);
	opt = parse(argc, argv, &s);
	if (opt != CLI_END)
		status = opt == CLI_SHOWN ? CLI_YES : CLI_WRONG;
	else if (optind == argc && !job_filter_asks(s.filter) && !s.errors)
		status = cli_usage(&command);
	else
		status = run(&s, argv + optind, (size_t)(argc - optind));
	if (s.pattern != NULL)
		regfree(&s.regex);
	job_filter_free(s.filter);
	return cli_finish(status);
}
