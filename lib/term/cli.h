/*
 * The command line interface that all commands share: options, help, messages,
 * exit status, and what the terminal can show.  Besides xalloc, only this part
 * of the library writes to standard output or standard error.
 */
#ifndef STFM_TERM_CLI_H
#define STFM_TERM_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strlist.h"

/* Exit statuses, the same in every command. */
enum {
	CLI_YES = 0,   /* yes, or success */
	CLI_NO = 1,    /* the answer is no, or some tasks failed */
	CLI_WRONG = 2, /* wrong usage, or an error */
	CLI_LATER = 75 /* not possible now: try again */
};

/*
 * Where cli_set puts the value of an option: a member of the command's struct.
 * The macros below make a target.  An all-zero target is none: the command
 * takes the value itself.
 */
struct cli_target {
	enum { CLI_NOWHERE, CLI_TO_VALUE, CLI_TO_TEXT, CLI_TO_NUMBER } kind;
	size_t offset, size; /* offset and size of the member */
	int64_t least, most;
};

#define CLI_MEMBER(type, member) \
	offsetof(type, member), sizeof(((type *)0)->member)

/* Set an int to 1, or an int or enum to a value. */
#define CLI_FLAG(type, member) CLI_SET(type, member, 1)
#define CLI_SET(type, member, value) \
	{ \
		CLI_TO_VALUE, CLI_MEMBER(type, member), value \
	}

/* Set a const char * to the text, without copying it. */
#define CLI_TEXT(type, member) \
	{ \
		CLI_TO_TEXT, CLI_MEMBER(type, member) \
	}

/* Set an integer of 32 or 64 bits, with limits as of num_int. */
#define CLI_NUMBER(type, member, least, most) \
	{ \
		CLI_TO_NUMBER, CLI_MEMBER(type, member), least, most \
	}

/*
 * One option.  letter is its short form; an option without short form has 0, or
 * a number from 256 by which the command knows it.  argument names the value in
 * the help, or is NULL.  The table ends with an all-zero entry; -h and -V are
 * added to every command.
 */
struct cli_option {
	int letter;
	const char *name;
	const char *argument;
	/*
	 * Help text; "" if the next option in the same row has the text; NULL
	 * hides the option from the help.
	 */
	const char *help;
	struct cli_target to;
	const void *more; /* for the command itself */
	/* The group of the help that shows the option; or NULL. */
	const char *group;
	int is_usual; /* --help shows the option, too; see cli_group */
};

/* A line of the help that is no option of the command. */
struct cli_line {
	const char *left, *text; /* a left of NULL ends a list */
	int is_usual;
};

/*
 * A group of options in the help.  The option --help shows the usual options of
 * all groups, --help=NAME all options of one group, and --help=all everything.
 */
struct cli_group {
	const char *name;             /* NULL ends a list */
	const struct cli_line *lines; /* shown before its options, or NULL */
};

/* An option from a file; the command line overrides it. */
struct cli_default {
	char *name;  /* the option's name; NULL ends a list */
	char *value; /* value, or NULL */
	char *from;  /* "FILE: line 3" */
};

/*
 * An option that people try, and the words to write in its place.  The name is
 * a long option, a letter, or "=" for all other long options with a value.
 */
struct cli_instead {
	const char *name, *write; /* "tail", "-n N"; NULL names end a list */
};

struct cli {
	const char *name;     /* "stfm-stop" */
	const char *about;    /* the man page's .Nd, without a full stop */
	const char *synopsis; /* lines that follow the name in the usage */
	const char *examples; /* three lines or more, each starting "  " */
	const struct cli_option *options;
	int stop_at_operand; /* options end at the first operand */
	/*
	 * Return the defaults for the command called name; they are not copied.
	 * Options that the command does not have are skipped.  Adds warnings
	 * for the user to notes.  Returns NULL with the reason in e.  The
	 * member may be NULL.
	 */
	const struct cli_default *(*defaults)(
	    const char *name, struct strlist *notes, struct error *e);
	/* Options that the command does not have; NULL for none. */
	const struct cli_instead *instead;
	const struct cli_group *groups; /* NULL: one help for all options */
};

/* Results of cli_next that are not an option's letter. */
enum {
	CLI_END = -1,   /* no more options; operands begin at argv[optind] */
	CLI_SHOWN = -2, /* help or version was printed: return cli_finish(0) */
	CLI_BAD = -3    /* a wrong option was reported: return CLI_WRONG */
};

/* Set the locale (never LC_NUMERIC) and the name.  Call this first in main. */
void cli_start(const struct cli *);

/*
 * Return the letter of the next option, which may be 0; its value is in optarg.
 * Defaults come first, unless the first word is an option for help or version.
 */
int cli_next(const struct cli *, int argc, char **argv);

/*
 * Process all options.  Entries with a target set their member of to, as
 * cli_set does; for the others, take is called with the value in optarg.  take
 * returns 0, or -1 with the reason, which is printed; it may be NULL if all
 * entries have targets.  Returns CLI_END, CLI_SHOWN or CLI_BAD.
 */
int cli_options(const struct cli *, int argc, char **argv,
    int (*take)(void *to, int letter, struct error *e), void *to);

/*
 * Put the value of the last option from cli_next into its target, a member of
 * to. Returns 1, 0 if the entry has no target, or -1.
 */
int cli_set(void *to, struct error *e);

/* Return the entry of the last option from cli_next. */
const struct cli_option *cli_entry(void);

/* Return the option at argv[*at], as cli_next does, and move *at past it. */
int cli_next_at(const struct cli *, int argc, char **argv, int *at);

/*
 * Return whether cli_next has a default to return, or an error in the defaults
 * to report, before the command line.  For callers that parse the command line
 * partly themselves.
 */
int cli_has_default(const struct cli *, int argc, char **argv);

/* Return whether the last returned option is a default. */
int cli_is_default(void);

/* Return the place of the last returned default. */
const char *cli_default_from(void);

/*
 * Return whether word is an option of the command, written in full: its letter,
 * with or without more after it, or its whole long name.
 */
int cli_takes(const struct cli *, const char *word);

/*
 * Return the name of the last option from cli_next, as typed: "--samples"; for
 * a default, "FILE: line 3: samples".
 */
const char *cli_option_name(void);

/*
 * Put "OPTION: reason" into e, with the name of the last option from cli_next;
 * return -1.
 */
int cli_refuse(struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Add the names of a list, "lr,best", to out.  Returns 0, or -1 with the reason
 * in e, which has the name of the last option, if a name is missing or there
 * already.
 */
int cli_list(const char *list, struct strlist *out, struct error *e);

/*
 * Put the name of the last option and ": " in front of the reason in e; return
 * -1.
 */
int cli_prefix(struct error *e);

/*
 * Note that the reason in e begins with cli_option_name(), as a reason of
 * num_int may; return -1.
 */
int cli_names(struct error *e);

/* Print the help on standard output, as --help does. */
void cli_help(const struct cli *);

/* Print the usage on standard error; return CLI_WRONG. */
int cli_usage(const struct cli *);

/* Print "stfm-stop: reason" on standard error, control characters escaped. */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Print each of reasons on standard error as cli_warn does, with "about: "
 * before it unless about is NULL.
 */
void cli_warn_each(const char *about, const struct strlist *reasons);

/* Print a sentence as cli_warn does, wrapped to the terminal's width. */
void cli_say(const char *);

/*
 * Print a report on standard output, without the command's name, wrapped to the
 * terminal; on one line if standard output is not a terminal.
 */
void cli_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Print the reason in e with cli_warn; return status.  While a default is
 * processed, the place of the default replaces the name of the option, or is
 * put in front of a reason that does not name the option (error_names).
 */
int cli_fail(const struct error *e, int status);

/*
 * Return the exit status for a failure: CLI_LATER if a later try may succeed,
 * as error_may_pass says, else CLI_WRONG.
 */
static inline int
cli_status(const struct error *e)
{
	return error_may_pass(e) ? CLI_LATER : CLI_WRONG;
}

/*
 * Flush standard output, in commands that run long.  Returns 0, or -1 after
 * printing one message if it failed.
 */
int cli_flush(void);

/*
 * Flush standard output.  Returns status, or CLI_WRONG with a message if some
 * output was lost (a full disk, a closed pipe).
 */
int cli_finish(int status);

enum cli_charset { CLI_ASCII, CLI_BLOCK, CLI_BRAILLE };

/*
 * Choose the richest usable glyphs: choice ("ascii", "block", "braille" or
 * NULL), else $STFM_CHARSET, else braille if the locale is UTF-8 and TERM is
 * set and neither dumb nor linux, else ASCII.  Returns 0, or -1: bad choice.
 */
int cli_charset(const char *choice, enum cli_charset *out, struct error *e);

/*
 * Choose how many colours to use on standard output: 0, 16 or 256.  choice is
 * "always", "never", "auto" or NULL; for the last two, NO_COLOR,
 * CLICOLOR_FORCE, CLICOLOR, TERM and whether it is a terminal decide.  Returns
 * 0 or -1.
 */
int cli_colors(const char *choice, int *out, struct error *e);

/*
 * Return the width of the output in columns: that of the terminal on standard
 * output, else $COLUMNS, else fallback (0 may mean no limit).
 */
size_t cli_width(size_t fallback);

/*
 * Return the terminal's width, or 0 if standard output is not a terminal;
 * $COLUMNS has no effect.  For output that programs read as lines, words or
 * commands.
 */
size_t cli_terminal_width(void);

/*
 * Return whether standard output is a terminal that can redraw a picture: TERM
 * is set and not dumb.
 */
int cli_can_draw(void);

/* Wait this long.  Returns whether the reader of standard output has gone. */
int cli_wait_reader(int milliseconds);

/* Return the height of the output: the terminal's, else $LINES, else 0. */
size_t cli_height(void);

/* Return whether standard input and standard error are a terminal. */
static inline int
cli_can_ask(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

/*
 * Ask a question on the terminal, to be answered with y or n.  Returns whether
 * the answer is yes; without asking, 1 if cli_can_ask says no.
 */
int cli_confirm(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Ask a question on the terminal that names its answers, as in "the
 * [c]hanged or the [o]ld code?".  Returns the first letter of the answer, in
 * lower case, or 0 if it is none of letters.
 */
int cli_choose(const char *letters, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Return the path of a program installed with this command (in bin/,
 * ../libexec/ or ../libexec/stfm/), found from the command's own path; to free.
 */
char *cli_sibling(const char *name);

#endif
