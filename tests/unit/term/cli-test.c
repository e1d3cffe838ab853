#include <sys/ioctl.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <fcntl.h>
#include <getopt.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/fs.h"
#include "sys/proc.h"
#include "term/cli.h"

enum { WHEN = 256, HIDDEN };

static const struct cli_option options[] = {
    {'z', "zip", "NAMES", "pair these"},
    {'q', "quiet", NULL, "say less"},
    {WHEN, "when", "X", "only there"},
    {HIDDEN, "complete", "WHAT", NULL},
    {0},
};

static const struct cli_instead instead[] = {
    {"tail", "-z N"},
    {"k", "--when N"},
    {"=", "names without dashes: a=1"},
    {0},
};

static const struct cli command = {
    "stfm-test",
    "try the options",
    "[-q] [-z NAMES] FILE ...\n--when X",
    "  stfm-test a     one\n  stfm-test b     two\n  stfm-test c     three\n",
    options,
    0,
    .instead = instead,
};

static struct cli stopping;

/* ---- options, read in a child so that each begins afresh ---- */

struct line {
	const char *words; /* separated by blanks */
	const char *seen;  /* -z=value ... and the operands, or NULL */
	const char *complaint;
	int stop;
};

/* Write what cli_next gives for the words; what it prints is output too. */
static int
read_options(FILE *out, void *arg)
{
	const struct line *line = arg;
	const struct cli *cli = line->stop ? &stopping : &command;
	char words[256], *argv[32] = {"stfm-test"}, *word;
	int argc = 1, got;

	snprintf(words, sizeof words, "%s", line->words);
	for (word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	dup2(fileno(out), STDOUT_FILENO);
	cli_start(cli);
	while ((got = cli_next(cli, argc, argv)) > 0)
		printf("%s=%s ", cli_option_name(), optarg ? optarg : "");
	if (got == CLI_BAD)
		return CLI_WRONG;
	if (got == CLI_SHOWN)
		return cli_finish(CLI_YES);
	for (; optind < argc; optind++)
		printf("%s ", argv[optind]);
	return cli_finish(CLI_YES);
}

static void
check_line(const struct line *line)
{
	struct proc_result r;

	assert_int_equal(
	    proc_guard(read_options, (void *)line, 10000, &r, NULL), 0);
	assert_true(WIFEXITED(r.status));
	assert_string_equal(r.complaint, line->complaint);
	assert_int_equal(
	    WEXITSTATUS(r.status), *line->complaint ? CLI_WRONG : CLI_YES);
	if (line->seen != NULL)
		assert_string_equal(r.out, line->seen);
	proc_result_free(&r);
}

static void
options_and_operands_are_told_apart(void **state)
{
	static const struct line lines[] = {
	    {"", "", ""},
	    {"a b", "a b ", ""},
	    {"-q -z x a", "-q= -z=x a ", ""},
	    {"-qzx a", "-q= -z=x a ", ""},
	    {"--zip=x --quiet", "--zip=x --quiet= ", ""},
	    {"--zip x --when y", "--zip=x --when=y ", ""},
	    {"--zip= a", "--zip= a ", ""},
	    {"a -q b", "-q= a b ", ""},
	    {"a -- -q", "a -q ", ""},
	    {"- -q", "-q= - ", ""},
	    {"--complete jobs", "--complete=jobs ", ""},
	    {"a --zip x", "--zip=x a ", ""},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof lines / sizeof lines[0]; i++)
		check_line(&lines[i]);
}

static void
a_command_can_stop_at_its_operand(void **state)
{
	static const struct line lines[] = {
	    {"-q train --lr 0.1 -q", "-q= train --lr 0.1 -q ", "", 1},
	    {"-q -- train --lr", "-q= train --lr ", "", 1},
	    {"-x train", "",
		"stfm-test: -x: no such option (try: stfm-test --help)\n", 1},
	};
	size_t i;

	(void)state;
	stopping = command;
	stopping.stop_at_operand = 1;
	for (i = 0; i < sizeof lines / sizeof lines[0]; i++)
		check_line(&lines[i]);
}

/* What options of a table set, and what they leave to the command. */
struct set {
	const char *text;
	int flag, small, other;
	int64_t number;
};

static const struct cli_option setting[] = {
    {'t', "text", "TEXT", "a text", CLI_TEXT(struct set, text)},
    {0, "flag", NULL, "a flag", CLI_FLAG(struct set, flag)},
    {0, "seven", NULL, "a value", CLI_SET(struct set, flag, 7)},
    {'n', "number", "N", "a number", CLI_NUMBER(struct set, number, 2, 9)},
    {0, "small", "N", "an int", CLI_NUMBER(struct set, small, -3, 3)},
    {'o', "other", NULL, "the command's own"},
    {0},
};

static const struct cli setter = {"stfm-test", "set", "", "", setting, 0};

static int
take_other(void *to, int letter, struct error *e)
{
	struct set *set = to;

	(void)e;
	assert_string_equal(cli_entry()->name, "other");
	set->other = letter;
	return 0;
}

static int
read_setting(FILE *out, void *words)
{
	char text[256], *argv[32] = {"stfm-test"}, *word;
	struct set set = {0};
	int argc = 1;

	snprintf(text, sizeof text, "%s", (const char *)words);
	for (word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	dup2(fileno(out), STDOUT_FILENO);
	cli_start(&setter);
	if (cli_options(&setter, argc, argv, take_other, &set) != CLI_END)
		return CLI_WRONG;
	printf("%s %d %d %d %d", set.text ? set.text : "-", set.flag, set.small,
	    (int)set.number, set.other);
	return cli_finish(CLI_YES);
}

static void
an_entry_says_where_its_value_goes(void **state)
{
	static const struct {
		char *words;
		const char *out, *complaint;
	} cases[] = {
	    {"", "- 0 0 0 0", ""},
	    {"-t a --te=b", "b 0 0 0 0", ""},
	    {"--flag -n 9 --small=-3", "- 1 -3 9 0", ""},
	    {"--flag --seven", "- 7 0 0 0", ""},
	    {"-o", "- 0 0 0 111", ""},
	    {"-n 1", "", "stfm-test: -n: 1 is not between 2 and 9\n"},
	    {"--small x", "",
		"stfm-test: --small: 'x' is not a whole number\n"},
	    {"--s 1", "",
		"stfm-test: --s: no such option (try: stfm-test --help)\n"},
	};
	struct proc_result r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(
		    proc_guard(read_setting, cases[i].words, 10000, &r, NULL),
		    0);
		assert_string_equal(r.out, cases[i].out);
		assert_string_equal(r.complaint, cases[i].complaint);
		proc_result_free(&r);
	}
}

#define TRY "no such option (try: stfm-test --help)\n"

static void
a_wrong_option_is_refused_with_a_hint(void **state)
{
	static const struct line lines[] = {
	    {"--zipp", NULL,
		"stfm-test: --zipp: no such option (did you mean --zip?)\n"},
	    {"--zap=3", NULL,
		"stfm-test: --zap: no such option (did you mean --zip?)\n"},
	    {"--tail=3", NULL,
		"stfm-test: --tail: no such option (write -z N)\n"},
	    {"-k 3", NULL, "stfm-test: -k: no such option (write --when N)\n"},
	    {"--rate=3", NULL,
		"stfm-test: --rate: no such option (write names without "
		"dashes: a=1)\n"},
	    {"--whem=3", NULL,
		"stfm-test: --whem: no such option (did you mean --when?)\n"},
	    {"--rate", NULL,
		"stfm-test: --rate: no such option (try: stfm-test --help)\n"},
	    {"a --nosuch", NULL, "stfm-test: --nosuch: " TRY},
	    {"a b --nosuch c", NULL, "stfm-test: --nosuch: " TRY},
	    {"-x", NULL, "stfm-test: -x: " TRY},
	    {"a -qx", NULL, "stfm-test: -x: " TRY},
	    {"--quiet -xq", NULL, "stfm-test: -x: " TRY},
	    {"-z", NULL, "stfm-test: -z: this option needs a value\n"},
	    {"a -qz", NULL, "stfm-test: -z: this option needs a value\n"},
	    {"a --zip", NULL, "stfm-test: --zip: this option needs a value\n"},
	    {"--quiet=yes", NULL,
		"stfm-test: --quiet: this option takes no value\n"},
	    {"--\x1b[2J", NULL, "stfm-test: --\\x1b[2J: " TRY},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof lines / sizeof lines[0]; i++)
		check_line(&lines[i]);
}

static void
help_shows_examples_usage_and_options(void **state)
{
	static const struct line line = {"-q --help --nosuch",
	    "-q= stfm-test - try the options\n"
	    "\n"
	    "  stfm-test a     one\n"
	    "  stfm-test b     two\n"
	    "  stfm-test c     three\n"
	    "\n"
	    "usage: stfm-test [-q] [-z NAMES] FILE ...\n"
	    "       stfm-test --when X\n"
	    "\n"
	    "  -z, --zip NAMES            pair these\n"
	    "  -q, --quiet                say less\n"
	    "      --when X               only there\n"
	    "  -h, --help, -V, --version  show this help; show the version\n",
	    ""};

	(void)state;
	check_line(&line);
}

/* ---- messages and the end ---- */

static int
warn(FILE *out, void *arg)
{
	struct error e;

	(void)out;
	cli_start(&command);
	error_set(&e, "conv2d/9: no such %s", (const char *)arg);
	return cli_fail(&e, CLI_NO);
}

static int
show_usage(FILE *out, void *arg)
{
	(void)out;
	(void)arg;
	cli_start(&command);
	return cli_usage(&command);
}

static void
messages_begin_with_the_name(void **state)
{
	struct proc_result r;

	(void)state;
	proc_guard(warn, "task\x1b[31m", 10000, &r, NULL);
	assert_string_equal(
	    r.complaint, "stfm-test: conv2d/9: no such task\\x1b[31m\n");
	assert_int_equal(WEXITSTATUS(r.status), CLI_NO);
	proc_result_free(&r);
	proc_guard(show_usage, NULL, 10000, &r, NULL);
	assert_string_equal(r.complaint,
	    "usage: stfm-test [-q] [-z NAMES] FILE ...\n"
	    "       stfm-test --when X\n"
	    "try 'stfm-test --help' or 'man stfm-test'\n");
	assert_int_equal(WEXITSTATUS(r.status), CLI_WRONG);
	proc_result_free(&r);
}

static void
the_status_says_whether_to_try_again(void **state)
{
	struct error e;

	(void)state;
	error_set(&e, "conv2d: no such job");
	assert_int_equal(cli_status(&e), CLI_WRONG);
	error_code(&e, ERROR_NO_SLURM, "no Slurm here");
	assert_int_equal(cli_status(&e), CLI_WRONG);
	error_code(&e, ERROR_SILENT, "slurmctld did not answer");
	assert_int_equal(cli_status(&e), CLI_LATER);
	error_code(&e, ERROR_LATER, "others are at the same time");
	assert_int_equal(cli_status(&e), CLI_LATER);
}

static const struct cli_default *
when_from_a_file(const char *name, struct strlist *notes, struct error *e)
{
	static struct cli_default one[] = {{"when", "x", "f: line 3"}, {NULL}};

	(void)name;
	(void)e;
	strlist_push(notes, "g: others can write to it");
	return one;
}

/* Refuse the value of a default; arg says with which reason. */
static int
refuse_default(FILE *out, void *arg)
{
	struct cli with_default = command;
	char *argv[] = {"stfm-test", NULL};
	int kind = *(const int *)arg;
	struct error e;

	(void)out;
	with_default.defaults = when_from_a_file;
	cli_start(&with_default);
	cli_next(&with_default, 1, argv);
	if (kind == 0) {
		cli_refuse(&e, "'%s' is odd", optarg);
	} else if (kind == 1) {
		error_set(&e, "'%s' is odd", optarg);
		cli_prefix(&e);
	} else {
		error_set(&e, "--when: '%s' is odd", optarg);
	}
	if (kind == 2)
		error_names(&e, "--when");
	return cli_fail(&e, CLI_NO);
}

static void
the_place_of_a_default_replaces_its_name(void **state)
{
	static const char *const want[] = {"f: line 3: when: 'x' is odd\n",
	    "f: line 3: when: 'x' is odd\n", "f: line 3: when: 'x' is odd\n",
	    "f: line 3: when: --when: 'x' is odd\n"};
	struct proc_result r;
	char text[256];
	int kind;

	(void)state;
	for (kind = 0; kind < 4; kind++) {
		proc_guard(refuse_default, &kind, 10000, &r, NULL);
		snprintf(text, sizeof text,
		    "stfm-test: g: others can write to it\nstfm-test: %s",
		    want[kind]);
		assert_string_equal(r.complaint, text);
		proc_result_free(&r);
	}
}

/* Print so many bytes to the file named by arg, or to a closed descriptor. */
static int
lose_output(FILE *out, void *arg)
{
	const char *name = arg;
	size_t i, bytes = *name == '!' ? 100000 : 10;
	int fd;

	(void)out;
	close(STDOUT_FILENO);
	name += *name == '!';
	fd = *name != '\0' ? open(name, O_WRONLY) : -1;
	assert_true(fd == -1 || fd == STDOUT_FILENO);
	cli_start(&command);
	for (i = 0; i < bytes; i++)
		putchar('x');
	return cli_finish(CLI_YES);
}

static void
lost_output_is_noticed(void **state)
{
	static const struct {
		const char *file, *complaint;
		int status;
	} table[] = {
	    {"/dev/null", "", CLI_YES},
	    {"/dev/full",
		"stfm-test: standard output: No space left on device\n",
		CLI_WRONG},
	    {"!/dev/full",
		"stfm-test: standard output: No space left on device\n",
		CLI_WRONG},
	    {"", "stfm-test: standard output: Bad file descriptor\n",
		CLI_WRONG},
	};
	struct proc_result r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		proc_guard(lose_output, (void *)table[i].file, 10000, &r, NULL);
		assert_string_equal(r.complaint, table[i].complaint);
		assert_int_equal(WEXITSTATUS(r.status), table[i].status);
		proc_result_free(&r);
	}
}

static int
open_after_closing(FILE *out, void *arg)
{
	(void)out;
	(void)arg;
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	cli_start(&command);
	return open("/dev/null", O_RDONLY) > STDERR_FILENO ? 0 : 1;
}

static void
no_file_takes_the_place_of_a_closed_output(void **state)
{
	struct proc_result r;

	(void)state;
	proc_guard(open_after_closing, NULL, 10000, &r, NULL);
	assert_true(proc_ok(&r));
	proc_result_free(&r);
}

/* ---- what the terminal can show ---- */

/* Set the variables of "NAME=value NAME=value ..." and clear the others. */
static void
set_environment(const char *words)
{
	static const char *const names[] = {"TERM", "LC_ALL", "STFM_CHARSET",
	    "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS"};
	char copy[256], *word, *equals;
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		unsetenv(names[i]);
	snprintf(copy, sizeof copy, "%s", words);
	for (word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
		equals = strchr(word, '=');
		*equals = '\0';
		setenv(word, equals + 1, 1);
	}
	cli_start(&command);
}

static void
glyphs_follow_choice_variable_locale_and_terminal(void **state)
{
	static const struct {
		const char *environment, *choice;
		int charset;
	} table[] = {
	    {"TERM=xterm LC_ALL=C.UTF-8", NULL, CLI_BRAILLE},
	    {"TERM=xterm LC_ALL=C", NULL, CLI_ASCII},
	    {"TERM=dumb LC_ALL=C.UTF-8", NULL, CLI_ASCII},
	    {"TERM=linux LC_ALL=C.UTF-8", NULL, CLI_ASCII},
	    {"LC_ALL=C.UTF-8", NULL, CLI_ASCII},
	    {"TERM=dumb STFM_CHARSET=block", NULL, CLI_BLOCK},
	    {"TERM=dumb STFM_CHARSET=block", "braille", CLI_BRAILLE},
	    {"TERM=xterm LC_ALL=C.UTF-8", "ascii", CLI_ASCII},
	    {"TERM=xterm LC_ALL=C.UTF-8 STFM_CHARSET=", NULL, CLI_BRAILLE},
	};
	enum cli_charset charset;
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		set_environment(table[i].environment);
		assert_int_equal(
		    cli_charset(table[i].choice, &charset, NULL), 0);
		assert_int_equal(charset, table[i].charset);
	}
	assert_int_equal(cli_charset("utf8", &charset, &e), -1);
	assert_string_equal(
	    e.text, "utf8: no such charset (ascii, block or braille)");
}

/* Returns the number of the first wrong line, counted from 1. */
static int
choose_colours(FILE *out, void *arg)
{
	static const struct {
		const char *environment, *choice;
		int colors;
	} table[] = {
	    {"TERM=xterm", NULL, 0}, /* standard output is a pipe */
	    {"TERM=xterm", "always", 16},
	    {"TERM=xterm-256color", "always", 256},
	    {"TERM=xterm COLORTERM=truecolor", "always", 256},
	    {"TERM=xterm-256color CLICOLOR_FORCE=1", NULL, 256},
	    {"TERM=xterm-256color CLICOLOR_FORCE=1", "auto", 256},
	    {"TERM=xterm-256color CLICOLOR_FORCE=0", NULL, 0},
	    {"TERM=xterm-256color CLICOLOR_FORCE=1 NO_COLOR=1", NULL, 0},
	    {"TERM=xterm-256color CLICOLOR_FORCE=1 NO_COLOR=", NULL, 256},
	    {"TERM=xterm-256color CLICOLOR_FORCE=1", "never", 0},
	    {"TERM=xterm NO_COLOR=1", "always", 16},
	};
	size_t i;
	int colors;

	(void)arg;
	dup2(fileno(out), STDOUT_FILENO);
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		set_environment(table[i].environment);
		if (cli_colors(table[i].choice, &colors, NULL) == -1 ||
		    colors != table[i].colors)
			return (int)i + 1;
	}
	return 0;
}

static void
colours_follow_choice_variables_and_terminal(void **state)
{
	struct proc_result r;
	struct error e;
	int colors;

	(void)state;
	proc_guard(choose_colours, NULL, 10000, &r, NULL);
	assert_int_equal(WEXITSTATUS(r.status), 0);
	proc_result_free(&r);
	assert_int_equal(cli_colors("red", &colors, &e), -1);
	assert_string_equal(
	    e.text, "red: not a choice of colour (always, never or auto)");
}

/* What is true on a terminal of 97 columns and 31 rows. */
static int
look_at_terminal(void)
{
	int colors;

	set_environment("TERM=xterm COLUMNS=50");
	if (cli_width(80) != 97 || cli_height() != 31)
		return 1;
	if (cli_colors(NULL, &colors, NULL) == -1 || colors != 16)
		return 2;
	set_environment("TERM=xterm CLICOLOR=0");
	if (cli_colors(NULL, &colors, NULL) == -1 || colors != 0)
		return 3;
	set_environment("TERM=dumb");
	return cli_colors(NULL, &colors, NULL) == -1 || colors != 0 ? 4 : 0;
}

/* Run a child on a terminal, type something, read what it shows. */
static int
on_terminal(int (*child)(void), const char *typed, char *shown, size_t size)
{
	struct winsize window = {.ws_row = 31, .ws_col = 97};
	size_t used = 0;
	int fd, status;
	ssize_t n;
	pid_t pid;

	pid = forkpty(&fd, NULL, NULL, &window);
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(child());
	assert_int_equal(write(fd, typed, strlen(typed)), strlen(typed));
	while (used < size - 1 &&
	    (n = read(fd, shown + used, size - 1 - used)) > 0)
		used += (size_t)n;
	shown[used] = '\0';
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int
confirm(void)
{
	return cli_confirm("stop %d tasks of %s?", 8, "conv2d");
}

static void
a_terminal_is_measured_and_asked(void **state)
{
	char shown[256];

	(void)state;
	assert_int_equal(
	    on_terminal(look_at_terminal, "", shown, sizeof shown), 0);
	assert_int_equal(on_terminal(confirm, "y\n", shown, sizeof shown), 1);
	assert_non_null(strstr(shown, "stop 8 tasks of conv2d? [y/N] "));
	assert_int_equal(on_terminal(confirm, "Yes\n", shown, sizeof shown), 1);
	assert_int_equal(on_terminal(confirm, "n\n", shown, sizeof shown), 0);
	assert_int_equal(on_terminal(confirm, "\n", shown, sizeof shown), 0);
	assert_int_equal(on_terminal(confirm, "yy\n", shown, sizeof shown), 0);
	assert_int_equal(on_terminal(confirm, "\x04", shown, sizeof shown), 0);
}

static void
without_a_terminal_nobody_is_asked(void **state)
{
	int saved = dup(STDIN_FILENO), null = open("/dev/null", O_RDONLY);

	(void)state;
	dup2(null, STDIN_FILENO);
	assert_int_equal(confirm(), 1);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(null);
}

static int
measure_nothing(FILE *out, void *arg)
{
	static const struct {
		const char *environment;
		size_t width;
	} table[] = {
	    {"", 80},
	    {"COLUMNS=120", 120},
	    {"COLUMNS=0", 80},
	    {"COLUMNS=wide", 80},
	    {"COLUMNS=-3", 80},
	};
	size_t i;

	(void)arg;
	dup2(fileno(out), STDOUT_FILENO);
	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		set_environment(table[i].environment);
		if (cli_width(80) != table[i].width)
			return (int)i + 1;
	}
	return cli_height() == 0 ? 0 : 100;
}

static void
without_a_terminal_columns_decide(void **state)
{
	struct proc_result r;

	(void)state;
	proc_guard(measure_nothing, NULL, 10000, &r, NULL);
	assert_int_equal(WEXITSTATUS(r.status), 0);
	proc_result_free(&r);
}

static void
programs_are_found_beside_this_one(void **state)
{
	char *self = fs_absolute("/proc/self/exe"), *found;
	const char *name = strrchr(self, '/') + 1;

	(void)state;
	found = cli_sibling(name);
	assert_string_equal(found, self);
	free(found);
	found = cli_sibling("stfm-nosuch");
	assert_non_null(strstr(found, "stfm-nosuch"));
	assert_int_equal(found[0], '/');
	free(found);
	free(self);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(options_and_operands_are_told_apart),
	    cmocka_unit_test(a_command_can_stop_at_its_operand),
	    cmocka_unit_test(an_entry_says_where_its_value_goes),
	    cmocka_unit_test(a_wrong_option_is_refused_with_a_hint),
	    cmocka_unit_test(help_shows_examples_usage_and_options),
	    cmocka_unit_test(messages_begin_with_the_name),
	    cmocka_unit_test(the_status_says_whether_to_try_again),
	    cmocka_unit_test(the_place_of_a_default_replaces_its_name),
	    cmocka_unit_test(lost_output_is_noticed),
	    cmocka_unit_test(no_file_takes_the_place_of_a_closed_output),
	    cmocka_unit_test(glyphs_follow_choice_variable_locale_and_terminal),
	    cmocka_unit_test(colours_follow_choice_variables_and_terminal),
	    cmocka_unit_test(a_terminal_is_measured_and_asked),
	    cmocka_unit_test(without_a_terminal_nobody_is_asked),
	    cmocka_unit_test(without_a_terminal_columns_decide),
	    cmocka_unit_test(programs_are_found_beside_this_one),
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
