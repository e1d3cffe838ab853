#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "state/resolve.h"
#include "state/words.h"
#include "sys/lines.h"
#include "view/failure-line.h"
#include "view/view.h"

enum {
	TAIL = 16 << 10,
	BY_SIGNAL = 128, /* exit codes above 128 are signals, as in a shell */
	CERTAIN = 6,     /* a rank above all weights */
	HEX = 8          /* minimum digits of a hexadecimal id */
};

/* ---- choosing the line ---- */

/* Return whether a line follows the end of a training without explaining it. */
static int
is_noise(const char *line)
{
	static const char *const noise[] = {
	    "slurmstepd", "srun:", "wandb:", "DONE", "Exit code:"};
	size_t i;

	for (i = 0; i < sizeof noise / sizeof *noise; i++)
		if (text_begins(line, noise[i]))
			return 1;
	return strpbrk(line,
		   "abcdefghijklmnopqrstuvwxyz"
		   "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL;
}

/*
 * Return whether a line starts with an exception's class, such as
 * "torch.OutOfMemoryError: CUDA ...".
 */
static int
is_exception(const char *line)
{
	static const char *const ends[] = {"Error", "Exception", "Interrupt",
	    "Exit", "Timeout", "Failure", "Abort"};
	size_t length, n, i;

	if (*line == '[') /* the prefix of a rank: "[rank3]: " */
		line += strcspn(line, " ") + (strchr(line, ' ') != NULL);
	length = strspn(line,
	    "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
	if (line[length] != ':' && line[length] != '\0')
		return 0;
	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		n = strlen(ends[i]);
		if (length >= n && strncmp(line + length - n, ends[i], n) == 0)
			return 1;
	}
	return 0;
}

/*
 * Return whether a line is an error of a program or a shell, other than a
 * Python exception.
 */
static int
is_complaint(const char *line)
{
	static const char *const words[] = {"error:", "Error:", "ERROR",
	    "fatal:", "Fatal", "FATAL", "Killed", "Segmentation fault",
	    "Bus error", "Aborted", "core dumped", "not found",
	    "No such file or directory", "Permission denied",
	    "No space left on device", "Disk quota exceeded", "out of memory",
	    "what():", "terminate called"};

	return text_has(line, words, sizeof words / sizeof *words);
}

/* Return whether Slurm says in a line that the kernel killed for memory. */
static int
is_memory(const char *line)
{
	static const char *const words[] = {
	    "oom_kill", "oom-kill", "Out Of Memory", "memory limit"};

	return (text_begins(line, "slurmstepd") ||
		   text_begins(line, "srun:")) &&
	    text_has(line, words, sizeof words / sizeof *words);
}

/*
 * Return whether Slurm says in a line that it ended the run because of why. The
 * line starts with "slurmstepd-NODE:" if a machine has several slurmds.
 */
static int
is_ended(const char *line, const char *why)
{
	return text_begins(line, "slurmstepd") && strstr(line, why) != NULL;
}

static int
is_limit(const char *line)
{
	return is_ended(line, "DUE TO TIME LIMIT");
}

/*
 * Return how much a line says about the end.  Of two equal lines, the later one
 * counts.
 */
static int
weight(const char *line)
{
	if (is_memory(line) || is_limit(line))
		return 4;
	if (is_noise(line))
		return 1;
	if (is_exception(line))
		return 5;
	return is_complaint(line) ? 3 : 2;
}

/* ---- several runs in one log ---- */

/* Time zones differ by whole quarters of an hour, and by 26 hours at most. */
enum { QUARTER = 900, WIDEST = 26 * 3600 };

/*
 * Return when Slurm ended a run, read from the node's local time as if its time
 * zone were ours; or -1.
 */
static int64_t
time_of(const char *line)
{
	static const char words[] = " CANCELLED AT ";
	const char *at = strstr(line, words);
	struct tm tm = {.tm_isdst = -1};

	if (at == NULL ||
	    strptime(at + sizeof words - 1, "%Y-%m-%dT%H:%M:%S", &tm) == NULL)
		return -1;
	return (int64_t)mktime(&tm);
}

/*
 * Return whether the cause may hide a time limit: it is unknown, or a signal.
 */
static int
may_be_limit(const char *cause)
{
	static const char *const words[] = {"TIMEOUT", "LOST"};
	const char *rest;

	switch (cause_of(cause, &rest)) {
	case CAUSE_NONE:
	case CAUSE_SIGNAL:
	case CAUSE_SIGNAL_NUMBER:
		return 1;
	case CAUSE_EXIT:
		return strtol(rest, NULL, 10) > BY_SIGNAL;
	default:
		return text_has(cause, words, sizeof words / sizeof *words);
	}
}

/* Return whether a line is the last line of an earlier run in the same log. */
static int
is_another_s(const struct job_failure_line *f, const char *line)
{
	int64_t time, span;

	if (is_ended(line, "DUE TO JOB REQUEUE") ||
	    (is_limit(line) && !may_be_limit(f->cause)))
		return 1;
	if (f->start == -1 || !is_ended(line, " CANCELLED AT "))
		return 0;
	time = time_of(line);
	if (time == -1 || time >= f->start)
		return 0;
	/* The time may be the end of this run in another time zone. */
	span = f->end + JOB_SKEW - time;
	return f->end == -1 || span < QUARTER ||
	    span > WIDEST + JOB_SKEW + JOB_GRACE ||
	    span % QUARTER > JOB_SKEW + JOB_GRACE;
}

/*
 * Return line without blanks around it and without the text that a carriage
 * return overwrote.
 */
static char *
trimmed(char *line)
{
	size_t length = strlen(line);
	char *at;

	while (length > 0 && strchr(" \t\r", line[length - 1]) != NULL)
		line[--length] = '\0';
	at = strrchr(line, '\r');
	line = at != NULL ? at + 1 : line;
	return line + strspn(line, " \t");
}

const char *
job_failure_line_pick(const struct job_failure_line *f, char *text)
{
	const char *best = NULL;
	char *line, *save = NULL;
	int most = 0, rank;
	int64_t time;

	for (line = strtok_r(text, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		line = trimmed(line);
		if (is_another_s(f, line)) {
			best = NULL;
			most = 0;
			continue;
		}
		if (*line == '\0' ||
		    (text_begins(line, "stfm-run:") ||
			text_begins(line, "[stfm-run")))
			continue;
		rank = weight(line);
		/*
		 * This run hit its time limit, whatever it printed afterwards.
		 */
		if (f->start != -1 && is_limit(line) &&
		    (time = time_of(line)) >= f->start &&
		    (f->end == -1 || time <= f->end + JOB_SKEW))
			rank = CERTAIN;
		if (most < CERTAIN && best != NULL && is_limit(best) &&
		    !is_noise(line))
			/* The run was requeued and goes on in this log. */
			most = 0;
		if (rank >= most) {
			most = rank;
			best = line;
		}
	}
	return best;
}

/* Read the end of a file with few system calls: a job may have 10,000 logs. */
static char *
read_end(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	off_t from;
	ssize_t n, i;

	if (fd == -1)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		text = xmalloc(TAIL + 1);
		from = st.st_size > TAIL ? st.st_size - TAIL : 0;
		n = pread(fd, text, TAIL, from);
		for (i = 0; i < n; i++)
			if (text[i] == '\0')
				text[i] = ' ';
		text[n > 0 ? n : 0] = '\0';
	}
	close(fd);
	return text;
}

static void
take_line(void *arg, const char *line)
{
	fprintf(arg, "%s\n", line);
}

/* Return text without terminal escapes.  Frees text if it returns a copy. */
static char *
without_escapes(char *text)
{
	struct lines lines = {0};
	size_t length;
	char *out;
	FILE *f;

	if (text == NULL || strchr(text, '\033') == NULL)
		return text;
	f = xmemopen(&out, &length);
	lines_feed(&lines, text, strlen(text), take_line, f);
	lines_end(&lines, take_line, f);
	lines_free(&lines);
	xmemclose(f);
	free(text);
	return out;
}

/*
 * The names of signals as a shell prints them after a command that was killed.
 */
static const char *const echoes[] = {"Killed", "Terminated",
    "Segmentation fault", "Bus error", "Aborted", "core dumped",
    "Floating point exception", "Illegal instruction"};

char *
job_failure_line_line(const struct job_failure_line *f, const char *path)
{
	char *text = without_escapes(read_end(path));
	const char *line = text != NULL ? job_failure_line_pick(f, text) : NULL;
	char *copy = NULL;

	if (line != NULL && is_limit(line))
		copy = xstrdup(f->stalled ? job_failure_line_stalled
					  : job_failure_line_words("TIMEOUT"));
	else if (line != NULL &&
	    (job_failure_line_words(f->cause) == NULL || weight(line) > 3 ||
		(weight(line) == 3 &&
		    !text_has(line, echoes, sizeof echoes / sizeof *echoes))))
		copy = xstrdup(line);
	free(text);
	return copy;
}

/* ---- causes that a line names ---- */

/*
 * A line names a cause if it has all words of a row; the first such row counts.
 */
static const struct {
	const char *cause, *words[2];
} named[] = {
    {"GPU_OUT_OF_MEMORY", {"CUDA", "out of memory"}},
    {"GPU_OUT_OF_MEMORY", {"CUDA_ERROR_OUT_OF_MEMORY"}},
    {"GPU_OUT_OF_MEMORY", {"cudaErrorMemoryAllocation"}},
    {"GPU_OUT_OF_MEMORY", {"torch.cuda.OutOfMemoryError"}},
    {"GPU_OUT_OF_MEMORY", {"torch.OutOfMemoryError"}},
    {"GPU_OUT_OF_MEMORY", {"HIP", "out of memory"}},
    {"GPU_OUT_OF_MEMORY", {"hipErrorOutOfMemory"}},
    {"GPU_OUT_OF_MEMORY", {"CUBLAS_STATUS_ALLOC_FAILED"}},
    {"GPU_OUT_OF_MEMORY", {"CUDNN_STATUS_ALLOC_FAILED"}},
    {"GPU_OUT_OF_MEMORY", {"RESOURCE_EXHAUSTED:", "Out of memory"}},
    {"GPU_OUT_OF_MEMORY", {"OOM when allocating", "device:GPU"}},
    {"OUT_OF_MEMORY", {"OOM when allocating"}},
    {"OUT_OF_MEMORY", {"MemoryError"}},
    {"OUT_OF_MEMORY", {"std::bad_alloc"}},
    {"OUT_OF_MEMORY", {"Cannot allocate memory"}},
    {"OUT_OF_MEMORY", {"can't allocate memory"}},
    {"OUT_OF_MEMORY", {"oom_kill"}},
    {"OUT_OF_MEMORY", {"oom-kill"}},
    {"DISK_FULL", {"No space left on device"}},
    {"DISK_FULL", {"Disk quota exceeded"}},
};

const char *
job_failure_line_named(const char *line)
{
	size_t i;

	for (i = 0; line != NULL && i < sizeof named / sizeof *named; i++)
		if (strstr(line, named[i].words[0]) != NULL &&
		    (named[i].words[1] == NULL ||
			strstr(line, named[i].words[1]) != NULL))
			return named[i].cause;
	return NULL;
}

/* ---- keys of equal failures ---- */

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * Return the length of a hexadecimal word (an address, a checksum or an id) at
 * the start of at, or 0.
 */
static size_t
hex_length(const char *at)
{
	size_t length, digits = 0, i;
	int numbers = 0;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		return 2 + strspn(at + 2, "0123456789abcdefABCDEF");
	length = strspn(at, "0123456789abcdefABCDEF-");
	for (i = 0; i < length; i++) {
		digits += at[i] != '-';
		numbers += isdigit((unsigned char)at[i]) != 0;
	}
	if (length == 0 || digits < HEX || numbers < 2 || is_word(at[length]))
		return 0;
	return length;
}

/*
 * Return whether character i > 0 of at still belongs to its number: 1.5, 1,024,
 * 12:53:01, 2026-11-20T12:53, 1e-3.
 */
static int
goes_on(const char *at, size_t i)
{
	if (is_digit(at[i]))
		return 1;
	if (at[i] == '\0' || !is_digit(at[i - 1]))
		return 0;
	if (strchr(".,:-T", at[i]) != NULL)
		return is_digit(at[i + 1]);
	return (at[i] == 'e' || at[i] == 'E') &&
	    is_digit(at[i + 1 + (at[i + 1] == '-' || at[i + 1] == '+')]);
}

/*
 * Return the length of a unit after a number, with a blank before it if any; or
 * 0.
 */
static size_t
unit_length(const char *at)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "kB",
	    "KB", "MB", "GB", "TB", "bytes", "B", "ms", "us", "s", "K", "M",
	    "G", "k"};
	size_t gap = *at == ' ', i, n;

	for (i = 0; i < sizeof units / sizeof *units; i++) {
		n = strlen(units[i]);
		if (strncmp(at + gap, units[i], n) == 0 &&
		    !is_word(at[gap + n]))
			return gap + n;
	}
	return 0;
}

/* Return the length of a number, a time or a date with its unit; or 0. */
static size_t
number_length(const char *at)
{
	size_t length = *at == '-' || *at == '+';

	if (!is_digit(at[length]))
		return 0;
	for (length++; goes_on(at, length);)
		length += 1 +
		    ((at[length] == 'e' || at[length] == 'E') &&
			!is_digit(at[length + 1]));
	return length + unit_length(at + length);
}

/*
 * Return the length of a word at the start of line that equal failures may have
 * different, or 0.  Sets *mark to the character that replaces the word.
 */
static size_t
varying(const char *line, char before, char *mark)
{
	size_t length = strcspn(line, " \t'\"`()[]{}<>,;=|");

	while (length > 0 && line[length - 1] == ':')
		length--;
	*mark = '/';
	if (!is_word(before) && memchr(line, '/', length) != NULL)
		return length;
	*mark = '#';
	length = is_word(before) ? 0 : hex_length(line);
	if (length == 0 && (is_digit(*line) || !is_word(before)))
		length = number_length(line);
	return length;
}

char *
job_failure_line_key(const char *line)
{
	char *key = xmalloc(strlen(line) + 1), *out = key, before = ' ', mark;
	size_t length;

	while (*line != '\0') {
		length = varying(line, before, &mark);
		if (length == 0)
			*out++ = *line;
		else if (mark == '/' || out == key || out[-1] != '#')
			*out++ = mark;
		line += length > 0 ? length : 1;
		before = line[-1];
	}
	*out = '\0';
	return key;
}

/* ---- causes ---- */

struct explained {
	const char *cause, *words;
	int explains; /* no line of the log says more */
};

static const struct explained own[CAUSES] = {
    [CAUSE_UNRECORDED] = {NULL,
	"how it ended could not be recorded: was the disk of the store full?",
	1},
    [CAUSE_UNLAUNCHED] = {NULL,
	"stfm-run did not let it train; its log says why, unless the disk was "
	"full",
	0},
    [CAUSE_LAUNCH] = {NULL,
	"it could not be started: is the directory of its log there and "
	"writable?",
	0},
};

/* Slurm started the batch script, but stfm-run recorded no start. */
static const struct explained
    by_signal = {NULL, "a signal ended it before the training began", 0},
    by_exit = {NULL,
	"its batch script ended before the training began; its log says why",
	0};

static const struct explained causes[] = {
    {"TIMEOUT",
	"the time limit was reached (more --time, or stfm-submit --requeue)",
	1},
    {"OUT_OF_MEMORY", "it used more memory than --mem allows", 1},
    {"NODE_FAIL", "its node failed", 1},
    {"BOOT_FAIL", "its node did not start", 1},
    {"PREEMPTED", "a job of higher priority took its place", 1},
    {"DEADLINE", "its deadline passed", 1},
    {"REVOKED", "another cluster runs it", 1},
    {"LOST", "Slurm has no record of its end", 1},
    {"SIGKILL", "it was killed, most often for the memory that it used", 0},
    {"exit 137", "it was killed, most often for the memory that it used", 0},
    {"SIGTERM", "it was asked to end", 0},
    {"exit 143", "it was asked to end (SIGTERM)", 0},
    {"SIGSEGV", "native code read or wrote where it must not", 0},
    {"exit 139", "native code read or wrote where it must not (SIGSEGV)", 0},
    {"SIGBUS", "memory that is not there, most often a full /dev/shm", 0},
    {"exit 135", "memory that is not there, most often a full /dev/shm", 0},
    {"SIGABRT", "it aborted itself", 0},
    {"exit 134", "it aborted itself (SIGABRT)", 0},
    {"SIGFPE", "a whole number was divided by zero", 0},
    {"SIGILL", "it was built for another processor", 0},
    {"SIGXCPU", "its limit of processor time was reached", 0},
    {"SIGXFSZ", "its limit for the size of a file was reached", 0},
    {"SIGPIPE", "who read its output was gone", 0},
};

const char job_failure_line_stalled[] =
    "it stalled: its last epoch ended long before the time limit did "
    "(stfm-attach shows what a running task does)";

static const struct explained *
explain(const char *cause)
{
	const char *rest;
	enum cause known = cause_of(cause, &rest);
	const struct explained *one = &own[known];
	size_t i;

	if (known == CAUSE_LAUNCH && *rest != '\0')
		return text_begins(rest, " (exit ") ? &by_exit : &by_signal;
	if (one->words != NULL)
		return one;
	for (i = 0; i < sizeof causes / sizeof *causes; i++)
		if (cause != NULL && strcmp(cause, causes[i].cause) == 0)
			return &causes[i];
	return NULL;
}

const char *
job_failure_line_words(const char *cause)
{
	const struct explained *one = explain(cause);

	return one != NULL ? one->words : NULL;
}

const char *
job_failure_line_why(const struct job_failure_line *f, const char *path)
{
	char *text = path != NULL ? without_escapes(read_end(path)) : NULL;
	const char *line = text != NULL ? job_failure_line_pick(f, text) : NULL;
	const char *cause =
	    line != NULL && is_limit(line) ? "TIMEOUT" : f->cause;

	free(text);
	if (f->stalled && cause != NULL && strcmp(cause, "TIMEOUT") == 0)
		return job_failure_line_stalled;
	return job_failure_line_words(cause);
}

int
job_failure_line_is_cause(const char *cause)
{
	const struct explained *one = explain(cause);

	return one != NULL && one->explains;
}

char *
job_last_line(struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	struct job_failure_line fault = {
	    row->cause, row->start, row->end, job_eta_had_stalled(row)};
	char *path, *line = NULL;

	if (fault.stalled && row->cause != NULL &&
	    strcmp(row->cause, "TIMEOUT") == 0)
		return xstrdup(job_failure_line_stalled);
	if (job_failure_line_is_cause(row->cause))
		return NULL;
	if (row->reason != NULL)
		return xstrdup(row->reason);
	path = job_view_errors(v, task);
	if (path != NULL)
		line = job_failure_line_line(&fault, path);
	free(path);
	return line;
}

const char *
job_last_line_cause(struct job_view *v, uint64_t task)
{
	const char *cause;
	char *line;

	if (store_table_state(v->table, task) != STORE_ERROR)
		return NULL;
	line = job_last_line(v, task);
	cause = job_failure_line_named(line);
	free(line);
	return cause;
}
