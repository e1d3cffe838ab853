#include <sys/ioctl.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/text.h"
#include "base/version.h"
#include "base/xalloc.h"
#include "term/cli.h"

enum { HELP = 'h', VERSION = 'V', MAX_OPTIONS = 128 };

static const struct cli_option common[] = {
    {HELP, "help", NULL, ""},
    {VERSION, "version", NULL, "show this help; show the version"},
    {0},
};

static const struct cli_option common_of_groups[] = {
    {HELP, "help", "[=GROUP]", "show all of one group: --help=slurm; or all"},
    {VERSION, "version", NULL, "show the version"},
    {0},
};

static const char *program = "stfm";
static char last_option[512];
static const struct cli_default *waiting_default; /* the next default */
static int sought_defaults, lacks_defaults, is_default;
static const struct cli_default *given; /* the last returned default */
static const struct cli_option *entry;  /* entry of the last option */
static struct error no_defaults;        /* why there are no defaults */

/* Whether the user's locale is not UTF-8. */
static int is_plain_locale;

void
cli_start(const struct cli *cli)
{
	int fd;

	/*
	 * If a standard descriptor is closed, the next opened file would get
	 * its number, and messages would go to that file.  Occupy the number so
	 * that using it fails.
	 */
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) == -1)
			open("/dev/null",
			    fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	setlocale(LC_CTYPE, "");
	is_plain_locale = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	/* Names and logs are UTF-8, with wide characters, in any locale. */
	if (is_plain_locale)
		setlocale(LC_CTYPE, "C.UTF-8");
	program = cli->name;
	sought_defaults = lacks_defaults = is_default = 0;
	waiting_default = NULL;
}

void
cli_warn(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	fflush(stdout);
	fprintf(stderr, "%s: ", program);
	text_plain(stderr, text);
	putc('\n', stderr);
	free(text);
}

void
cli_warn_each(const char *about, const struct strlist *reasons)
{
	size_t i;

	for (i = 0; i < reasons->count; i++)
		if (about != NULL)
			cli_warn("%s: %s", about, reasons->word[i]);
		else
			cli_warn("%s", reasons->word[i]);
}

int
cli_fail(const struct error *e, int status)
{
	/* The place of a default names the option. */
	if (is_default)
		cli_warn("%s%s%s", last_option, e->named > 0 ? "" : ": ",
		    e->text + e->named);
	else
		cli_warn("%s", e->text);
	return status;
}

/* Print once why standard output failed; returns -1. */
static int
output_failed(void)
{
	static int printed;

	if (!printed)
		cli_warn("standard output: %s",
		    errno != 0 ? strerror(errno) : "cannot write all of it");
	printed = 1;
	return -1;
}

int
cli_flush(void)
{
	if (!ferror(stdout))
		errno = 0; /* else errno is of an earlier failure */
	return fflush(stdout) == EOF || ferror(stdout) ? output_failed() : 0;
}

int
cli_finish(int status)
{
	if (cli_flush() == -1)
		return CLI_WRONG;
	errno = 0;
	if (fclose(stdout) != EOF)
		return status;
	output_failed();
	return CLI_WRONG;
}

/* Return whether an option has a value, in the words of getopt_long(3). */
static int
has_value(const struct cli_option *o)
{
	if (o->argument == NULL)
		return no_argument;
	return *o->argument == '[' ? optional_argument : required_argument;
}

static int
has_letter(const struct cli_option *o)
{
	return o->letter > 0 && o->letter < 256;
}

enum { LEFT = 26 };

/* Print a line of the help, the text at least two blanks behind left. */
static void
help_line(const char *left, const char *text)
{
	printf(
	    "  %-*s%s%s\n", LEFT, left, strlen(left) < LEFT ? " " : "  ", text);
}

/*
 * Print the options of a group, or all if group is NULL; only usual ones if
 * usual is set.
 */
static void
help_lines(const struct cli_option *o, const char *group, int usual)
{
	char *left = NULL;
	size_t length;
	FILE *row = NULL;

	for (; o->name != NULL; o++) {
		if (o->help == NULL || (usual && !o->is_usual) ||
		    (group != NULL && !text_same(group, o->group)))
			continue;
		if (row == NULL) {
			row = xmemopen(&left, &length);
			fputs(has_letter(o) ? "" : "    ", row);
		}
		if (has_letter(o))
			fprintf(row, "-%c, ", o->letter);
		fprintf(row, "--%s%s%s", o->name,
		    has_value(o) == required_argument ? " " : "",
		    o->argument ? o->argument : "");
		if (*o->help == '\0') {
			fputs(", ", row);
			continue;
		}
		xmemclose(row);
		row = NULL;
		help_line(left, o->help);
		free(left);
	}
}

static void
usage_lines(const struct cli *cli, FILE *out)
{
	const char *line = cli->synopsis, *end;
	const char *lead = "usage:";

	for (; *line != '\0'; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		fprintf(out, "%-6s %s %.*s\n", lead, cli->name,
		    (int)(end - line), line);
		lead = "";
	}
}

/* As many blank lines are printed as fit on one screen. */
void
cli_help(const struct cli *cli)
{
	enum { SCREEN = 24 };
	const struct cli_option *o;
	const char *c;
	/* Without about, the end of the usage, -h and -V. */
	int blanks = SCREEN - 3;

	for (c = cli->examples; *c != '\0'; c++)
		blanks -= *c == '\n';
	for (c = cli->synopsis; *c != '\0'; c++)
		blanks -= *c == '\n';
	for (o = cli->options; o->name != NULL; o++)
		blanks -= o->help != NULL && *o->help != '\0';
	printf("%s - %s\n", cli->name, cli->about);
	fputs(blanks > 1 ? "\n" : "", stdout);
	fputs(cli->examples, stdout);
	fputs(blanks > 0 ? "\n" : "", stdout);
	usage_lines(cli, stdout);
	fputs(blanks > 2 ? "\n" : "", stdout);
	help_lines(cli->options, NULL, 0);
	help_lines(common, NULL, 0);
}

/*
 * Print the help of a command with groups: of all groups what is usual if which
 * is NULL, else that group, or "all".  Returns CLI_SHOWN, or CLI_BAD with a
 * message if there is no such group.
 */
static int
help_groups(const struct cli *cli, const char *which)
{
	const int is_all = which != NULL && strcmp(which, "all") == 0;
	const int usual = which == NULL;
	const struct cli_group *g;
	const struct cli_line *l;
	struct strlist names = {0};
	char *list;
	int shown = 0;

	if (usual || is_all) {
		printf("%s - %s\n\n%s", cli->name, cli->about, cli->examples);
		usage_lines(cli, stdout);
	}
	for (g = cli->groups; g->name != NULL; g++) {
		strlist_push(&names, g->name);
		if (!usual && !is_all && strcmp(which, g->name) != 0)
			continue;
		printf("%s:\n", g->name);
		for (l = g->lines; l != NULL && l->left != NULL; l++)
			if (!usual || l->is_usual)
				help_line(l->left, l->text);
		help_lines(cli->options, g->name, usual);
		shown = 1;
	}
	list = strlist_join(&names, ", ");
	strlist_free(&names);
	if (usual || is_all)
		help_lines(common_of_groups, NULL, 0);
	if (!shown)
		cli_warn("--help=%s: no such group (%s or all)", which, list);
	free(list);
	return shown ? CLI_SHOWN : CLI_BAD;
}

int
cli_usage(const struct cli *cli)
{
	usage_lines(cli, stderr);
	fprintf(stderr, "try '%s --help' or 'man %s'\n", cli->name, cli->name);
	return CLI_WRONG;
}

struct parser {
	char letters[2 * MAX_OPTIONS + 4];
	struct option longs[MAX_OPTIONS + 1];
	const struct cli_option *entry[MAX_OPTIONS];
	size_t count, used;
};

static void
parser_add(struct parser *p, const struct cli_option *o)
{
	struct option *l;

	for (; o->name != NULL && p->count < MAX_OPTIONS; o++) {
		p->entry[p->count] = o;
		l = &p->longs[p->count++];
		l->name = o->name;
		l->has_arg = has_value(o);
		/*
		 * With equal values, getopt_long would not report an ambiguous
		 * prefix.
		 */
		l->val = has_letter(o) ? o->letter : 256 + (int)p->count;
		if (!has_letter(o))
			continue;
		p->letters[p->used++] = (char)o->letter;
		if (has_value(o) == required_argument)
			p->letters[p->used++] = ':';
	}
}

static const struct parser *
parser_for(const struct cli *cli)
{
	static const struct cli *owner;
	static struct parser p;

	if (owner == cli)
		return &p;
	memset(&p, 0, sizeof p);
	if (cli->stop_at_operand)
		p.letters[p.used++] = '+';
	p.letters[p.used++] = ':';
	parser_add(&p, cli->options);
	parser_add(&p, cli->groups != NULL ? common_of_groups : common);
	owner = cli;
	return &p;
}

/* Return what to write in place of an option of this name, or NULL. */
static const char *
instead_of(const struct cli *cli, const char *name)
{
	const struct cli_instead *i = cli->instead;

	while (i != NULL && i->name != NULL && strcmp(i->name, name) != 0)
		i++;
	return i != NULL ? i->write : NULL;
}

/* Return what to type instead of an unknown option.  Free it. */
static char *
help_for(const struct cli *cli, const char *name, int valued)
{
	const char *write = instead_of(cli, name);

	if (write == NULL && valued)
		write = instead_of(cli, "=");
	return write != NULL ? xasprintf("write %s", write)
			     : xasprintf("try: %s --help", cli->name);
}

static void
bad_option(
    const struct cli *cli, const struct parser *p, int got, const char *word)
{
	const char *names[MAX_OPTIONS];
	char *help, *name, hint[TEXT_HINT];
	int length = (int)strcspn(word, "=");
	const char letter[] = {(char)optopt, '\0'};
	const char *write;
	size_t i;

	if (strncmp(word, "--", 2) != 0 && got == ':') {
		cli_warn("-%c: this option needs a value", optopt);
	} else if (strncmp(word, "--", 2) != 0) {
		help = help_for(cli, letter, 0);
		cli_warn("-%s: no such option (%s)", letter, help);
		free(help);
	} else if (got == ':') {
		cli_warn("%s: this option needs a value", word);
	} else if (optopt != 0) {
		cli_warn("%.*s: this option takes no value", length, word);
	} else {
		for (i = 0; i < p->count; i++)
			names[i] = p->longs[i].name;
		name = xstrndup(word + 2, (size_t)length - 2);
		write = instead_of(cli, name);
		help = help_for(cli, name, word[length] == '=');
		cli_warn("%.*s: no such option (%s)", length, word,
		    text_hint_of("--",
			write != NULL ? NULL
				      : text_nearest(name, names, p->count),
			"", help, hint));
		free(name);
		free(help);
	}
}

/* Return the option of a default, or NULL if the command does not have it. */
static const struct cli_option *
option_of(const struct cli *cli, const struct cli_default *d)
{
	const struct cli_option *o = cli->options;

	while (o->name != NULL && strcmp(o->name, d->name) != 0)
		o++;
	return o->name != NULL ? o : NULL;
}

int
cli_has_default(const struct cli *cli, int argc, char **argv)
{
	/* Help is available even if the files have errors. */
	static const char *const helps[] = {"-h", "--help", "-V", "--version"};
	struct strlist notes = {0};

	if (!sought_defaults && cli->defaults != NULL &&
	    (argc < 2 ||
		(text_among(argv[1], helps, 4) == -1 &&
		    !text_begins(argv[1], "--help=")))) {
		waiting_default =
		    cli->defaults(cli->name, &notes, &no_defaults);
		lacks_defaults = waiting_default == NULL;
		cli_warn_each(NULL, &notes);
		strlist_free(&notes);
	}
	sought_defaults = 1;
	if (lacks_defaults)
		return 1;
	if (waiting_default == NULL)
		return 0;
	while (waiting_default->name != NULL &&
	    option_of(cli, waiting_default) == NULL)
		waiting_default++;
	is_default &= waiting_default->name != NULL;
	return waiting_default->name != NULL;
}

int
cli_is_default(void)
{
	return is_default;
}

const char *
cli_default_from(void)
{
	return given->from;
}

int
cli_next(const struct cli *cli, int argc, char **argv)
{
	const struct parser *p = parser_for(cli);
	int index = -1, got, at = optind;
	const char *word;

	if (cli_has_default(cli, argc, argv)) {
		if (lacks_defaults)
			return cli_fail(&no_defaults, CLI_BAD);
		is_default = 1;
		given = waiting_default++;
		snprintf(last_option, sizeof last_option, "%s: %s", given->from,
		    given->name);
		optarg = given->value;
		entry = option_of(cli, given);
		return entry->letter;
	}
	opterr = 0;
	got = getopt_long(argc, argv, p->letters, p->longs, &index);
	if (got == -1)
		return CLI_END;
	if (got == '?' || got == ':') {
		word = argv[optind > at ? optind - 1 : at];
		/* musl counts the missing value of a letter as a word. */
		bad_option(cli, p, got, word != NULL ? word : "");
		return CLI_BAD;
	}
	if (index >= 0) {
		snprintf(last_option, sizeof last_option, "--%s",
		    p->longs[index].name);
	} else {
		snprintf(last_option, sizeof last_option, "-%c", got);
		for (index = 0; p->entry[index]->letter != got;)
			index++;
	}
	entry = p->entry[index];
	if (got == HELP && cli->groups != NULL)
		return help_groups(cli, optarg);
	if (got == HELP)
		cli_help(cli);
	else if (got == VERSION)
		printf("%s %s\n", cli->name, STFM_VERSION);
	return got == HELP || got == VERSION ? CLI_SHOWN : entry->letter;
}

const struct cli_option *
cli_entry(void)
{
	return entry;
}

int
cli_set(void *to, struct error *e)
{
	const struct cli_target *t = &entry->to;
	void *member = (char *)to + t->offset;
	int64_t n = t->least;

	if (t->kind == CLI_NOWHERE)
		return 0;
	if (t->kind == CLI_TO_NUMBER &&
	    num_int(last_option, optarg, t->least, t->most, &n, e) == -1)
		return cli_names(e);
	if (t->kind == CLI_TO_TEXT)
		*(const char **)member = optarg;
	else if (t->size == sizeof n)
		*(int64_t *)member = n;
	else
		*(int *)member = (int)n;
	return 1;
}

int
cli_options(const struct cli *cli, int argc, char **argv,
    int (*take)(void *, int, struct error *), void *to)
{
	struct error e;
	int letter, rc;

	while ((letter = cli_next(cli, argc, argv)) >= 0) {
		rc = cli_set(to, &e);
		if (rc == 0)
			rc = take(to, letter, &e);
		if (rc == -1)
			return cli_fail(&e, CLI_BAD);
	}
	return letter;
}

int
cli_next_at(const struct cli *c, int argc, char **argv, int *at)
{
	int letter;

	optind = *at;
	letter = cli_next(c, argc, argv);
	*at = optind;
	return letter;
}

int
cli_takes(const struct cli *cli, const char *word)
{
	const struct parser *p = parser_for(cli);
	size_t length, i;

	if (word[0] != '-' || word[1] == '\0')
		return 0;
	if (word[1] != '-')
		return isalnum((unsigned char)word[1]) &&
		    strchr(p->letters, word[1]) != NULL;
	length = strcspn(word + 2, "=");
	for (i = 0; i < p->count; i++)
		if (strlen(p->longs[i].name) == length &&
		    strncmp(p->longs[i].name, word + 2, length) == 0)
			return 1;
	return 0;
}

const char *
cli_option_name(void)
{
	return last_option;
}

int
cli_names(struct error *e)
{
	return error_names(e, last_option);
}

int
cli_refuse(struct error *e, const char *fmt, ...)
{
	char *reason;
	va_list ap;

	va_start(ap, fmt);
	reason = xvasprintf(fmt, ap);
	va_end(ap);
	error_set(e, "%s: %s", last_option, reason);
	free(reason);
	return cli_names(e);
}

int
cli_list(const char *list, struct strlist *out, struct error *e)
{
	char *copy = xstrdup(list), *rest = copy, *name;
	int rc = 0;

	while (rc == 0 && (name = strsep(&rest, ",")) != NULL) {
		if (*name == '\0')
			rc = cli_refuse(e, "a name is missing");
		else if (strlist_have(out, name))
			rc = cli_refuse(e, "%s is named twice", name);
		else
			strlist_push(out, name);
	}
	free(copy);
	return rc;
}

int
cli_prefix(struct error *e)
{
	error_prefix(e, last_option);
	return cli_names(e);
}

static int
terminal_is_plain(void)
{
	const char *term = getenv("TERM");

	return term == NULL || *term == '\0' || strcmp(term, "dumb") == 0;
}

int
cli_charset(const char *choice, enum cli_charset *out, struct error *e)
{
	static const char *const names[] = {"ascii", "block", "braille"};
	const char *term = getenv("TERM");
	char hint[TEXT_HINT];
	int i;

	if (choice == NULL)
		choice = getenv("STFM_CHARSET");
	if (choice == NULL || *choice == '\0') {
		*out = !terminal_is_plain() && strcmp(term, "linux") != 0 &&
			!is_plain_locale &&
			strcmp(nl_langinfo(CODESET), "UTF-8") == 0
		    ? CLI_BRAILLE
		    : CLI_ASCII;
		return 0;
	}
	i = text_among(choice, names, 3);
	if (i != -1) {
		*out = (enum cli_charset)i;
		return 0;
	}
	return error_set(e, "%s: no such charset (%s)", choice,
	    text_hint(choice, names, 3, "ascii, block or braille", hint));
}

static int
wants_color(void)
{
	const char *no = getenv("NO_COLOR");
	const char *force = getenv("CLICOLOR_FORCE");
	const char *color = getenv("CLICOLOR");

	if (no != NULL && *no != '\0')
		return 0;
	if (force != NULL && *force != '\0' && strcmp(force, "0") != 0)
		return 1;
	if (color != NULL && strcmp(color, "0") == 0)
		return 0;
	return cli_can_draw();
}

int
cli_colors(const char *choice, int *out, struct error *e)
{
	static const char *const names[] = {"always", "never", "auto"};
	const char *term = getenv("TERM"), *deep = getenv("COLORTERM");
	char hint[TEXT_HINT];
	int on;

	if (choice == NULL || strcmp(choice, "auto") == 0)
		on = wants_color();
	else if (strcmp(choice, "always") == 0)
		on = 1;
	else if (strcmp(choice, "never") == 0)
		on = 0;
	else
		return error_set(e, "%s: not a choice of colour (%s)", choice,
		    text_hint(choice, names, 3, "always, never or auto", hint));
	if (!on)
		*out = 0;
	else if ((term != NULL && strstr(term, "256color") != NULL) ||
	    (deep != NULL && *deep != '\0'))
		*out = 256;
	else
		*out = 16;
	return 0;
}

/* Return the width of a terminal, or 0. */
static size_t
width_of(int fd)
{
	struct winsize w;

	return ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

size_t
cli_terminal_width(void)
{
	return width_of(STDOUT_FILENO);
}

/* Return the number in a variable of the environment, or fallback. */
static size_t
variable(const char *name, size_t fallback)
{
	const char *text = getenv(name);
	int64_t n;

	if (text == NULL || num_int(name, text, 1, 10000, &n, NULL) == -1)
		return fallback;
	return (size_t)n;
}

size_t
cli_width(size_t fallback)
{
	size_t width = cli_terminal_width();

	return width > 0 ? width : variable("COLUMNS", fallback);
}

void
cli_say(const char *text)
{
	fflush(stdout);
	fprintf(stderr, "%s: ", program);
	text_wrap(stderr, text, strlen(program) + 2, width_of(STDERR_FILENO));
	putc('\n', stderr);
}

void
cli_print(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	text_wrap(stdout, text, 0, cli_terminal_width());
	putchar('\n');
	free(text);
}

int
cli_can_draw(void)
{
	return !terminal_is_plain() && isatty(STDOUT_FILENO);
}

int
cli_wait_reader(int milliseconds)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	return poll(&out, 1, milliseconds) > 0 &&
	    (out.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

size_t
cli_height(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row > 0)
		return w.ws_row;
	return variable("LINES", 0);
}

int
cli_confirm(const char *fmt, ...)
{
	char line[64];
	va_list ap;

	if (!cli_can_ask())
		return 1;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs(" [y/N] ", stderr);
	fflush(stderr);
	if (fgets(line, sizeof line, stdin) == NULL)
		return 0;
	return ascii_casecmp(line, "y\n") == 0 ||
	    ascii_casecmp(line, "yes\n") == 0;
}

int
cli_choose(const char *letters, const char *fmt, ...)
{
	char line[64];
	va_list ap;
	int letter;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	putc(' ', stderr);
	fflush(stderr);
	if (fgets(line, sizeof line, stdin) == NULL)
		return 0;
	letter = ascii_lower(*line);
	return letter != '\0' && strchr(letters, letter) != NULL ? letter : 0;
}

char *
cli_sibling(const char *name)
{
	static const char *const place[] = {
	    "", "../libexec/", "../libexec/stfm/"};
	char self[PATH_MAX], *path = NULL;
	ssize_t n;
	size_t i;

	n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0)
		return xstrdup(name);
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	for (i = 0; i < sizeof place / sizeof place[0]; i++) {
		free(path);
		path = xasprintf("%s/%s%s", self, place[i], name);
		if (access(path, X_OK) == 0)
			break;
	}
	return path;
}
