/*
 * What all commands have in common at the shell: options, help, messages,
 * exit status, and what the terminal can show.  With xalloc, the only part of
 * the library that writes to standard output or standard error.
 */
#ifndef STFM_TERM_CLI_H
#define STFM_TERM_CLI_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/strlist.h"

/* Exit statuses, the same in every command. */
enum {
	CLI_YES = 0,   /* yes; done */
	CLI_NO = 1,    /* the answer is no, or some tasks failed */
	CLI_WRONG = 2, /* usage, or it could not be done */
	CLI_LATER = 75 /* not now: try again */
};

/*
 * One option.  letter is its short form, or a number from 256 on when it has
 * only the long name.  argument names the value in the help, or is NULL.
 * The table ends with an all-zero entry; -h and -V are added to every command.
 */
struct cli_option {
	int letter;
	const char *name;
	const char *argument;
	/*
	 * What it does; "" where that is said of the next option, in the same
	 * row; NULL keeps the option out of the help.
	 */
	const char *help;
};

/* An option that a file gives; the command line comes after it. */
struct cli_default {
	char *name;  /* of the option; NULL ends a list of them */
	char *value; /* or NULL */
	char *from;  /* "FILE: line 3" */
};

struct cli {
	const char *name;     /* "stfm-stop" */
	const char *about;    /* the page's .Nd, without a full stop */
	const char *synopsis; /* what follows the name in the usage; lines */
	const char *examples; /* three lines or more, each beginning "  " */
	const struct cli_option *options;
	int stop_at_operand; /* options end at the first operand */
	/*
	 * Finds the defaults for the command with this name, which stay where
	 * they are; options that it does not have are passed over.  Returns
	 * NULL with the reason in e.  May be NULL.
	 */
	const struct cli_default *(*defaults)(
	    const char *name, struct error *e);
};

/* What cli_next returns beside an option's letter. */
enum {
	CLI_END = -1,   /* no more options; operands begin at argv[optind] */
	CLI_SHOWN = -2, /* help or version was printed: return cli_finish(0) */
	CLI_BAD = -3    /* a wrong option was reported: return CLI_WRONG */
};

/* Call first in main: sets the locale (never LC_NUMERIC) and the name. */
void cli_start(const struct cli *);

/*
 * The next option, as getopt_long(3): its value is in optarg.  The defaults
 * come first, unless the first word asks for the help or the version.
 */
int cli_next(const struct cli *, int argc, char **argv);

/*
 * Take all options: each is given to take, with its value in optarg, which
 * returns 0, or -1 with the reason, which is reported.  Returns CLI_END,
 * CLI_SHOWN or CLI_BAD.
 */
int cli_options(const struct cli *, int argc, char **argv,
    int (*take)(void *arg, int letter, struct error *e), void *arg);

/* The one option that begins at argv[*at], which moves behind it. */
int cli_next_at(const struct cli *, int argc, char **argv, int *at);

/*
 * Whether cli_next has a default to give, or a reason why there is none, before
 * it comes to the command line: for who does not leave all of that to it.
 */
int cli_has_default(const struct cli *, int argc, char **argv);

/* Whether the last option that was returned is a default. */
int cli_is_default(void);

/* Where it comes from. */
const char *cli_default_from(void);

/*
 * Whether a word is an option of the command, written out: its letter, perhaps
 * with more behind it, or its whole long name.
 */
int cli_takes(const struct cli *, const char *word);

/*
 * The name of the last option cli_next returned, as typed: "--samples"; of a
 * default, "FILE: line 3: samples".
 */
const char *cli_option_name(void);

/* Print the usage on standard error; returns CLI_WRONG. */
int cli_usage(const struct cli *);

/* Print "stfm-stop: reason" on standard error, control characters escaped. */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same for each of some reasons, of a thing unless about is NULL. */
void cli_warn_each(const char *about, const struct strlist *reasons);

/* The same for a sentence, in rows as wide as a terminal that reads it. */
void cli_say(const char *);

/*
 * The same on standard output, without the name: a report.  Where no terminal
 * reads it, it is one line.
 */
void cli_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * cli_warn(the reason in e); returns status.  While a default is looked at,
 * the reason begins with where that comes from.
 */
int cli_fail(const struct error *e, int status);

/*
 * Write out what was printed so far, for a command that goes on for long.
 * Returns 0, or -1 after saying, once, that it did not get out.
 */
int cli_flush(void);

/*
 * Flush standard output.  Returns status, or CLI_WRONG with a message when
 * something printed did not get out (a full disk, a closed pipe).
 */
int cli_finish(int status);

enum cli_charset { CLI_ASCII, CLI_BLOCK, CLI_BRAILLE };

/*
 * The richest glyphs to use: choice ("ascii", "block", "braille" or NULL),
 * else $STFM_CHARSET, else braille where the locale is UTF-8 and TERM is none
 * of dumb, linux or unset, else ASCII.
 * Returns 0, or -1 for a choice that is none of these.
 */
int cli_charset(const char *choice, enum cli_charset *out, struct error *e);

/*
 * How many colours to use on standard output: 0, 16 or 256.  choice is
 * "always", "never", "auto" or NULL; then NO_COLOR, CLICOLOR_FORCE, CLICOLOR,
 * TERM and whether it is a terminal decide.
 */
int cli_colors(const char *choice, int *out, struct error *e);

/*
 * The width in columns to write for: the terminal's on standard output, else
 * $COLUMNS, else fallback (0 may mean: without limit).
 */
size_t cli_width(size_t fallback);

/*
 * The same of a terminal alone, or 0: for what a program takes as lines, words
 * or commands, whatever $COLUMNS a shell exported.
 */
size_t cli_terminal_width(void);

/*
 * Whether standard output is a terminal on which a picture can be redone: TERM
 * is neither dumb nor unset.
 */
int cli_can_draw(void);

/* Wait so many milliseconds; returns whether nobody reads standard output any
 * more. */
int cli_wait_reader(int milliseconds);

/* The same of its height in rows: the terminal's, else $LINES, else 0. */
size_t cli_height(void);

/*
 * Ask a question on the terminal, answered with y or n.  Returns whether the
 * answer is yes; when standard input or error is no terminal, returns true
 * without asking.
 */
int cli_confirm(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The path of a program that stands beside this command (in bin/, ../libexec/
 * or ../libexec/stfm/), found through the command's own path; to free.
 */
char *cli_sibling(const char *name);

#endif
