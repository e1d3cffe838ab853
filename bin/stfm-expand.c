/* stfm-expand - print the points of a space of hyperparameters */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lex.h"
#include "base/num.h"
#include "base/resource.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "space/space.h"
#include "sys/fs.h"
#include "term/cli.h"

enum { ZIP = 256, EXCEPT, WHEN, SAMPLES, SEED, SPEC };

struct output;

struct format {
	const char *name;
	char header; /* separator of names in the first line; 0: no such line */
	void (*point)(struct output *, const struct space_point *);
	/*
	 * For print_line: the function that appends a field, and the end of a
	 * line.
	 */
	void (*field)(struct output *, const struct space_point *, size_t);
	const char *close;
};

/* The output of points. */
struct output {
	const struct format *format;
	const struct space *space;
	char end; /* end of a record */
	int no_header, has_begun;
	FILE *out; /* where points go: standard output or memory */
	/* Standard output is a terminal, which would interpret some values. */
	int is_terminal;
	uint64_t points;
	/* Points that differ in the last column only; printed together? */
	uint64_t run;
	int prints_runs;
	char *line;    /* the last line, without its end */
	size_t *start; /* start of each field in line, and the line's end */
	size_t used, room;
	int has_line;
	/* The ends of the lines of a run, each made when it is needed first. */
	struct {
		char *text;
		size_t length;
	} * tail;
	size_t longest;           /* length of a tail, 0 until all are made */
	struct space_point *last; /* for the last columns of a run */
	char lines[1 << 16];
	size_t gathered;
};

enum { SHORT_RUN = 1 << 16, SLACK = 16 };

/* ---- formats ---- */

static void
append(struct output *o, const char *bytes, size_t length)
{
	if (o->used + length + SLACK > o->room) {
		o->room = 2 * (o->used + length + SLACK);
		o->line = xrealloc(o->line, o->room);
	}
	if (length > 0)
		memcpy(o->line + o->used, bytes, length);
	o->used += length;
}

/*
 * Append a value as put writes it.  A value without characters of special is
 * copied, which is faster; special NULL means that any value may need put.
 */
static void
append_value(struct output *o, const char *value, const char *special,
    void (*put)(FILE *, const char *))
{
	size_t length = special != NULL ? strcspn(value, special) : 0;
	char *text;
	FILE *f;

	if (special != NULL && value[length] == '\0') {
		append(o, value, length);
		return;
	}
	f = xmemopen(&text, &length);
	put(f, value);
	xmemclose(f);
	append(o, text, length);
	free(text);
}

static void
append_end(struct output *o)
{
	append(o, o->format->close, strlen(o->format->close));
	append(o, &o->end, 1);
}

/* Write the gathered lines. */
static void
flush_lines(struct output *o)
{
	if (fwrite_unlocked(o->lines, 1, o->gathered, o->out) < o->gathered)
		cli_flush(); /* reports the error */
	o->gathered = 0;
}

/* Append bytes to the lines; SLACK bytes behind them may be read. */
static void
gather(struct output *o, const char *bytes, size_t length)
{
	char *at = o->lines + o->gathered;

	if (length <= SLACK && o->gathered + SLACK <= sizeof o->lines) {
		memcpy(at, bytes, SLACK); /* a fixed size, which is faster */
		o->gathered += length;
		return;
	}
	if (o->gathered + length > sizeof o->lines)
		flush_lines(o);
	if (length <= sizeof o->lines) {
		memcpy(o->lines + o->gathered, bytes, length);
		o->gathered += length;
	} else if (fwrite_unlocked(bytes, 1, length, o->out) < length) {
		cli_flush(); /* reports the error */
	}
}

/* Print the line, and behind it the end of the point that is k-th of a run. */
static void
print_with_tail(struct output *o, const struct space_point *p, uint64_t k)
{
	size_t begin = o->used;

	if (o->tail[k].text == NULL) {
		o->format->field(o, p, space_width(o->space) - 1);
		append_end(o);
		o->tail[k].length = o->used - begin;
		o->tail[k].text = xcalloc(1, o->used - begin + SLACK);
		memcpy(o->tail[k].text, o->line + begin, o->used - begin);
		o->used = begin;
	}
	gather(o, o->line, o->used);
	gather(o, o->tail[k].text, o->tail[k].length);
}

/*
 * Print the lines of a run whose lines and tails are so short that all copies
 * can have a fixed size.  Returns whether it did.
 */
static int
print_short_lines(struct output *o)
{
	size_t most = o->run * 2 * SLACK, used = o->used;
	char *at;
	uint64_t k;

	if (o->longest == 0 || used > SLACK || o->longest > SLACK ||
	    most > sizeof o->lines)
		return 0;
	if (o->gathered + most > sizeof o->lines)
		flush_lines(o);
	at = o->lines + o->gathered;
	for (k = 0; k < o->run; k++) {
		memcpy(at, o->line, SLACK);
		memcpy(at + used, o->tail[k].text, SLACK);
		at += used + o->tail[k].length;
	}
	o->gathered = (size_t)(at - o->lines);
	return 1;
}

/* Print the lines of a run of at most SHORT_RUN points. */
static void
print_run(struct output *o)
{
	size_t longest = 0;
	uint64_t k;

	if (print_short_lines(o))
		return;
	for (k = 0; k < o->run; k++) {
		if (o->tail[k].text == NULL)
			space_at(o->space, k, o->last);
		print_with_tail(o, o->last, k);
		if (o->tail[k].length > longest)
			longest = o->tail[k].length;
	}
	o->longest = longest;
}

/*
 * Print the lines of a long run: what line holds, and a value of the last
 * column.  If it is a number, it is overwritten with the next one.
 */
static void
print_long_run(struct output *o)
{
	size_t column = space_width(o->space) - 1, begin = o->used, number = 0;
	size_t length = 0, was;
	char text[NUM_TEXT];
	uint64_t k;

	for (k = 0; k < o->run && !ferror_unlocked(o->out); k++) {
		was = length;
		length = space_run_number(o->space, k, text, was);
		if (length > 0 && length == was) {
			memcpy(o->line + number, text, length);
			gather(o, o->line, o->used);
			continue;
		}
		o->used = begin;
		space_at(o->space, k, o->last);
		o->format->field(o, o->last, column);
		number = o->used - length;
		append_end(o);
		gather(o, o->line, o->used);
	}
	o->used = begin;
}

/*
 * Print a point as a line of fields, or all points of the run that it starts.
 * Most points differ from the point before in few fields, so the start of the
 * line is reused.
 */
static void
print_line(struct output *o, const struct space_point *p)
{
	size_t i, last = space_width(o->space) - (o->run > 1);
	uint64_t k;

	if (o->start == NULL) {
		o->start = xcalloc(last + 1, sizeof *o->start);
		o->last = space_point_new(o->space);
		if (o->run <= SHORT_RUN)
			o->tail = xcalloc(o->run, sizeof *o->tail);
	}
	i = o->has_line ? space_changed(p) : 0;
	if (i > last)
		i = last;
	for (o->used = o->start[i]; i < last; i++) {
		o->start[i] = o->used;
		o->format->field(o, p, i);
	}
	o->start[last] = o->used;
	o->has_line = 1;
	k = o->run > 1 && !o->prints_runs ? space_run_index(p) : UINT64_MAX;
	if (o->prints_runs && o->tail == NULL) {
		print_long_run(o);
	} else if (o->prints_runs) {
		print_run(o);
	} else if (k != UINT64_MAX) {
		print_with_tail(o, p, k);
	} else {
		if (o->run > 1)
			o->format->field(o, p, last);
		append_end(o);
		gather(o, o->line, o->used);
	}
}

static void
tsv_field(struct output *o, const struct space_point *p, size_t i)
{
	const char *value = space_value(p, i);

	if (i > 0)
		append(o, "\t", 1);
	if (value != NULL && space_value_kind(p, i) == SPACE_NUMBER)
		append(o, value, strlen(value));
	else if (value != NULL)
		append_value(o, value, "\t\r\n\\", text_tsv);
}

/* Quote an empty field if it is the only one: an empty line is not a record. */
static void
csv_field(struct output *o, const struct space_point *p, size_t i)
{
	const char *value = space_value(p, i);

	if (i > 0)
		append(o, ",", 1);
	if (value != NULL && space_value_kind(p, i) == SPACE_NUMBER)
		append(o, value, strlen(value));
	else if (value != NULL && *value != '\0')
		append_value(o, value, "\",\r\n ", text_csv);
	else if (space_width(o->space) == 1)
		append(o, "\"\"", 2);
}

/*
 * Return whether a value is written as it is: a number, true or false, or other
 * JSON that was given as such.  An array in a text may have blanks, which would
 * be lost when the line is read again.
 */
static int
is_json(const struct space_point *p, size_t i, const char *value)
{
	size_t length = strlen(value);
	struct lex json;

	if (space_value_kind(p, i) != SPACE_TEXT)
		return 1;
	return lex_parse(value, length, 0, &json, NULL) == 0 &&
	    json.length == length &&
	    (json.kind == LEX_NUMBER || json.kind == LEX_TRUE ||
		json.kind == LEX_FALSE);
}

static void
jsonl_field(struct output *o, const struct space_point *p, size_t i)
{
	const char *name = space_name(o->space, i), *value = space_value(p, i);
	const char *s = value;

	append(o, i > 0 ? ",\"" : "{\"", 2);
	append(o, name, strlen(name));
	append(o, "\":", 2);
	if (value == NULL) {
		append(o, "null", 4);
		return;
	}
	if (is_json(p, i, value)) {
		append(o, value, strlen(value));
		return;
	}
	while (*s >= ' ' && *s <= '~' && *s != '"' && *s != '\\')
		s++;
	if (*s == '\0') {
		append(o, "\"", 1);
		append(o, value, (size_t)(s - value));
		append(o, "\"", 1);
	} else {
		append_value(o, value, NULL, text_json);
	}
}

/* Return a value for the training, or NULL if it is an option for Slurm. */
static const char *
given(const struct output *o, const struct space_point *p, size_t i)
{
	return resource_is(space_name(o->space, i)) ? NULL : space_value(p, i);
}

static void
args_point(struct output *o, const struct space_point *p)
{
	size_t i, words = 0;
	const char *value;
	char *word;

	for (i = 0; i < space_width(o->space); i++) {
		value = given(o, p, i);
		if (value == NULL)
			continue;
		if (words++ > 0)
			putc_unlocked(' ', o->out);
		word = xasprintf("--%s=%s", space_name(o->space, i), value);
		text_shell(o->out, word);
		free(word);
	}
	putc_unlocked(o->end, o->out);
}

/* Print STFM_PARAM variables, with dots and dashes of names replaced by "_". */
static void
env_point(struct output *o, const struct space_point *p)
{
	const char *name, *value;
	size_t i, words = 0;

	for (i = 0; i < space_width(o->space); i++) {
		value = given(o, p, i);
		if (value == NULL)
			continue;
		if (words++ > 0)
			putc_unlocked(' ', o->out);
		fputs_unlocked("STFM_PARAM_", o->out);
		for (name = space_name(o->space, i); *name != '\0'; name++)
			putc_unlocked(
			    strchr(".-", *name) ? '_' : *name, o->out);
		putc_unlocked('=', o->out);
		text_shell(o->out, value);
	}
	putc_unlocked(o->end, o->out);
}

static void
count_point(struct output *o, const struct space_point *p)
{
	(void)o;
	(void)p;
}

enum { FORMATS = 6 };

static const struct format formats[FORMATS] = {
    {"tsv", '\t', print_line, tsv_field, ""},
    {"csv", ',', print_line, csv_field, ""},
    {"jsonl", 0, print_line, jsonl_field, "}"},
    {"args", 0, args_point, NULL, NULL},
    {"env", 0, env_point, NULL, NULL},
    {"count", 0, count_point, NULL, NULL},
};

/* Refuse two names that become the same variable, such as a.b and a-b. */
static int
check_variables(const struct space *space, struct error *e)
{
	struct strlist seen = {0};
	size_t i, n = space_width(space);
	char *name, *c;
	int k, rc = 0;

	for (i = 0; i < n && rc == 0; i++) {
		name = xstrdup(space_name(space, i));
		for (c = name; *c != '\0'; c++)
			if (*c == '.' || *c == '-')
				*c = '_';
		k = text_among(
		    name, (const char *const *)seen.word, seen.count);
		if (k != -1)
			rc = error_set(e,
			    "-o env: %s and %s are both STFM_PARAM_%s",
			    space_name(space, (size_t)k), space_name(space, i),
			    name);
		strlist_take(&seen, name);
	}
	strlist_free(&seen);
	return rc;
}

/* ---- options ---- */

struct expand {
	struct space *space;
	struct output out;
	const char *spec, *from, *from_format; /* NULL if not given */
	int input_is_taken;
	struct error error;
};

static const struct cli_option options[] = {
    {ZIP, "zip", "NAMES", "pair hyperparameters: lr,bs"},
    {EXCEPT, "except", "CONDITION", "leave points out: opt=adam,lr=0.1"},
    {WHEN, "when", "NAME:CONDITION", "set NAME only there: momentum:opt=sgd"},
    {SAMPLES, "samples", "N", "draw N samples of the distributions"},
    {SEED, "seed", "S", "seed the draws (default: 0)"},
    {SPEC, "spec", "FILE", "read hyperparameters from a JSON file"},
    {0, "from", "FILE", "combine with the points in a file",
	CLI_TEXT(struct expand, from)},
    {0, "from-format", "FORMAT", "read that file as tsv, csv or jsonl",
	CLI_TEXT(struct expand, from_format)},
    {'o', "output", "FORMAT", "print tsv, csv, jsonl, args, env or count"},
    {'0', "null", NULL, "end records with NUL instead of newline"},
    {0, "no-header", NULL, "leave out the header line",
	CLI_FLAG(struct expand, out.no_header)},
    {0},
};

static const struct cli_instead instead[] = {
    {"n", "--samples N"},
    {"=", "hyperparameters without dashes: lr=0.1"},
    {0},
};

static const struct cli cli = {
    .name = "stfm-expand",
    .about = "print the points of a hyperparameter space",
    .synopsis = "[option ...] [NAME=VALUES ...]",
    .examples = "  stfm-expand lr=1e-3,1e-4 seed=1..3\n"
		"  stfm-expand --samples 20 lr=loguniform:1e-5:1e-1 bs=16,64\n"
		"  stfm-expand -o args lr=log:1e-4:1e-1:4 --except 'lr>0.05'\n",
    .options = options,
    .instead = instead,
};

/*
 * Note that path is read.  Returns -1 if it is standard input for the second
 * time.
 */
static int
take_input(struct expand *x, const char *path, struct error *e)
{
	if (strcmp(path, "-") != 0)
		return 0;
	if (x->input_is_taken)
		return error_set(e, "standard input is asked for twice");
	x->input_is_taken = 1;
	return 0;
}

static int
read_text(
    void *arg, const char *path, char **text, size_t *length, struct error *e)
{
	if (take_input(arg, path, e) == -1)
		return -1;
	return fs_read_path(path, SPACE_VALUES, text, length, e);
}

static int
read_spec(struct expand *x, const char *path, struct error *e)
{
	size_t length;
	char *text;
	int rc;

	if (read_text(x, path, &text, &length, e) == -1)
		return -1;
	rc = space_spec(x->space, text, length, e);
	free(text);
	if (rc == -1)
		error_prefix(
		    e, strcmp(path, "-") == 0 ? "standard input" : path);
	return rc;
}

static int
take_option(void *arg, int letter, struct error *e)
{
	const char *name = cli_option_name();
	struct expand *x = arg;
	int64_t n;

	switch (letter) {
	case ZIP:
		return space_zip(x->space, optarg, e);
	case EXCEPT:
		return space_except(x->space, optarg, e);
	case WHEN:
		return space_when(x->space, optarg, e);
	case SAMPLES:
		if (num_int(name, optarg, 1, 1000000000000, &n, e) == -1)
			return -1;
		space_samples(x->space, (uint64_t)n);
		return 0;
	case SEED:
		if (num_int(name, optarg, 0, INT64_MAX, &n, e) == -1)
			return -1;
		space_seed(x->space, (uint64_t)n);
		return 0;
	case SPEC:
		x->spec = optarg;
		return read_spec(x, optarg, e);
	case 'o':
		x->out.format = formats;
		while (strcmp(optarg, x->out.format->name) != 0)
			if (++x->out.format == formats + FORMATS)
				return error_set(e,
				    "'%.60s': no such format (tsv, csv, "
				    "jsonl, args, env or count)",
				    optarg);
		return 0;
	default:
		x->out.end = '\0';
		return 0;
	}
}

/* ---- printing ---- */

/* Check the names and write the header. */
static int
begin(struct output *o, struct error *e)
{
	size_t i;

	o->has_begun = 1;
	if (o->format->point == env_point && check_variables(o->space, e) == -1)
		return -1;
	if (o->format->header == 0 || o->no_header)
		return 0;
	for (i = 0; i < space_width(o->space); i++) {
		if (i > 0)
			putchar(o->format->header);
		fputs(space_name(o->space, i), stdout);
	}
	putchar(o->end);
	return 0;
}

static int
print_point(void *arg, const struct space_point *p)
{
	struct expand *x = arg;
	struct output *o = &x->out;
	char *text, *at;
	size_t length;

	if (!o->has_begun) {
		if (begin(o, &x->error) == -1)
			return -1;
		if (o->format->field != NULL && !o->is_terminal) {
			o->prints_runs = space_visit_runs(x->space);
			o->run = space_run(x->space);
		}
		if (!o->prints_runs && o->run > SHORT_RUN)
			o->run = 1;
	}
	o->points += o->prints_runs ? o->run : 1;
	if (!o->is_terminal) {
		o->format->point(o, p);
		/* The reader has closed the pipe. */
		return ferror_unlocked(stdout);
	}
	/* A terminal must not interpret characters of values. */
	o->out = xmemopen(&text, &length);
	o->format->point(o, p);
	flush_lines(o);
	xmemclose(o->out);
	o->out = stdout;
	for (at = text; at < text + length; at += strlen(at) + 1) {
		text_page(stdout, at);
		if (at + strlen(at) < text + length)
			putchar('\0'); /* end of a record with -0 */
	}
	free(text);
	return ferror_unlocked(stdout);
}

/*
 * Feed the file to the space.  Returns 0, or the result that stopped it.  The
 * points of a slow pipe are written as they arrive.
 */
static int
feed_file(struct expand *x)
{
	int fd = 0, rc = 0;
	char bytes[65536];
	ssize_t n;

	if (x->from == NULL)
		return 0;
	if (strcmp(x->from, "-") != 0)
		fd = open(x->from, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return error_errno(&x->error, "%s: cannot open", x->from);
	while (rc == 0 && (n = read(fd, bytes, sizeof bytes)) != 0) {
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1) {
			rc = error_errno(&x->error, "%s: cannot read", x->from);
			break;
		}
		rc = space_feed(
		    x->space, bytes, (size_t)n, print_point, x, &x->error);
		flush_lines(&x->out);
		if (rc == 0 && fflush(stdout) == EOF)
			rc = 1;
	}
	if (fd != 0)
		close(fd);
	return rc;
}

/* Print all points.  Returns 0, 1 if printing failed, or -1. */
static int
print_all(struct expand *x)
{
	struct output *o = &x->out;
	int rc = feed_file(x);

	if (rc == 0 && x->from == NULL) {
		rc = space_finish(x->space, &x->error);
		if (rc == 0 && o->format->point == count_point &&
		    !space_is_filtered(x->space)) {
			o->points = space_size(x->space);
			return 0;
		}
	}
	if (rc == 0)
		rc = space_end(x->space, print_point, x, &x->error);
	flush_lines(o);
	if (rc == 0 && !o->has_begun)
		rc = begin(o, &x->error);
	return rc;
}

/*
 * End the command.  An empty list of points has its own exit status, for
 * scripts.
 */
static int
report(const struct expand *x)
{
	char *unmet = space_unmet(x->space);

	if (unmet != NULL)
		cli_warn("%s", unmet);
	free(unmet);
	if (x->out.format->point == count_point)
		printf("%" PRIu64 "%c", x->out.points, x->out.end);
	if (x->out.points > 0)
		return cli_finish(CLI_YES);
	if (space_is_filtered(x->space))
		cli_warn("no points: every one is left out");
	else
		cli_warn("no points: %s has no rows", x->from);
	return cli_finish(CLI_NO);
}

static int
run(struct expand *x, int argc, char **argv)
{
	int got = cli_options(&cli, argc, argv, take_option, x), i, rc = 0;

	if (got == CLI_SHOWN)
		return cli_finish(CLI_YES);
	if (got == CLI_BAD)
		return CLI_WRONG;
	if (optind == argc && x->from == NULL && x->spec == NULL)
		return cli_usage(&cli);
	for (i = optind; i < argc && rc == 0; i++) {
		rc = space_check_word(argv[i], &x->error);
		if (rc == 0)
			rc = space_add(x->space, argv[i], &x->error);
	}
	if (rc == 0 && x->from == NULL && x->from_format != NULL)
		rc = error_set(&x->error, "--from-format: without --from FILE");
	if (rc == 0 && x->from != NULL)
		rc = take_input(x, x->from, &x->error);
	if (rc == 0 && x->from != NULL)
		rc = space_from(x->space, x->from, x->from_format, &x->error);
	if (rc == 0)
		rc = print_all(x);
	if (rc == -1)
		return cli_fail(&x->error, CLI_WRONG);
	return report(x);
}

int
main(int argc, char **argv)
{
	struct expand x = {.out = {.format = formats, .end = '\n', .run = 1}};
	struct output *o = &x.out;
	int status;
	uint64_t k;

	cli_start(&cli);
	o->out = stdout;
	o->is_terminal = isatty(STDOUT_FILENO);
	o->space = x.space = space_new();
	space_reader(x.space, read_text, &x);
	status = run(&x, argc, argv);
	for (k = 0; o->tail != NULL && k < o->run; k++)
		free(o->tail[k].text);
	free(o->tail);
	space_point_free(o->last);
	free(o->line);
	free(o->start);
	space_free(x.space);
	return status;
}
