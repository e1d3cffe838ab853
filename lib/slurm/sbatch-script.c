#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/sbatch.h"

/* How many lines Slurm searches for directives of PBS and LSF. */
enum { FOREIGN_LINES = 100 };

struct reader {
	struct sbatch_script *to;
	size_t line;
	size_t stopped; /* the line of the first command, or 0 */
	int docstring;  /* the line of the first command begins a docstring */
	size_t plain;   /* number of lines so far that do not begin with # */
};

void
sbatch_script_free(struct sbatch_script *s)
{
	size_t i;

	for (i = 0; i < s->lines; i++)
		free(s->line[i]);
	for (i = 0; i < s->warnings; i++)
		free(s->warning[i].text);
	free(s->line);
	free(s->warning);
	sbatch_free(&s->options);
	memset(s, 0, sizeof *s);
}

__attribute__((format(printf, 2, 3))) static void
warn_of(struct reader *r, const char *fmt, ...)
{
	struct sbatch_script *s = r->to;
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) == -1)
		text = NULL;
	va_end(ap);
	if (text == NULL)
		return;
	s->warning = xgrow(s->warning, s->warnings, sizeof *s->warning);
	s->warning[s->warnings++] = (struct sbatch_warning){r->line, text};
}

static const char *
behind_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/*
 * Take one word as sbatch does: quotes anywhere, a backslash before any
 * character, and a # anywhere outside quotes begins a comment.  Returns the
 * word, to free, or NULL at the end.  Sets *bad to -1 for a quote that does not
 * end.
 */
static char *
take_word(const char **at, int *bad)
{
	const char *p = behind_blanks(*at);
	char *word = xmalloc(strlen(p) + 1), quote = '\0';
	size_t used = 0;

	for (; *p != '\0' && (quote != '\0' || !isspace((unsigned char)*p));
	     p++) {
		if (*p == '\\' && p[1] != '\0') {
			word[used++] = *++p;
		} else if (*p == quote) {
			quote = '\0';
		} else if (quote == '\0' && (*p == '"' || *p == '\'')) {
			quote = *p;
		} else if (quote == '\0' && *p == '#') {
			break;
		} else {
			word[used++] = *p;
		}
	}
	*bad = quote != '\0' ? -1 : 0;
	*at = p;
	word[used] = '\0';
	if (used > 0 && !*bad)
		return word;
	free(word);
	return NULL;
}

/* Warn of values that sbatch rejects late or silently takes literally. */
static void
check_option(struct reader *r, const struct sbatch_given *o)
{
	static const char *const paths[] = {"output", "error", "chdir"};
	const char *dollar = strchr(o->value, '$');

	if (dollar != NULL &&
	    (isalpha((unsigned char)dollar[1]) || dollar[1] == '{'))
		warn_of(r,
		    "--%s=%s: Slurm does not expand variables in #SBATCH "
		    "lines; it takes %%x, %%A and %%a in file names",
		    o->name, o->value);
	if (o->value[0] == '~' &&
	    text_among(o->name, paths, sizeof paths / sizeof *paths) != -1)
		warn_of(
		    r, "--%s=%s: Slurm does not expand ~", o->name, o->value);
}

static int
take_options(
    struct reader *r, char *const *words, size_t count, struct error *e)
{
	struct sbatch *options = &r->to->options;
	size_t i = 0, before;
	int n;

	while (i < count) {
		before = options->count;
		n = sbatch_take(options, words + i, e);
		if (n == 0)
			return error_set(e,
			    "%s: not an option, so sbatch refuses the script",
			    words[i]);
		if (n == -1)
			return -1;
		for (; before < options->count; before++) {
			options->given[before].line = r->line;
			check_option(r, &options->given[before]);
		}
		i += (size_t)n;
	}
	return 0;
}

/* Read the options in a directive; at points after the #SBATCH. */
static int
read_directive(struct reader *r, const char *at, struct error *e)
{
	struct strlist words = {0};
	const char *first;
	char *word;
	int bad, rc;

	while ((word = take_word(&at, &bad)) != NULL)
		strlist_take(&words, word);
	first = words.count > 0 ? words.word[0] : "";
	if (bad == -1)
		rc = error_set(e, "a quote does not end");
	else if (ascii_casecmp(first, "hetjob") == 0 ||
	    ascii_casecmp(first, "packjob") == 0 || strcmp(first, ":") == 0)
		rc = error_set(
		    e, "a heterogeneous job cannot have an array of tasks");
	else
		rc = take_options(r, words.word, words.count, e);
	strlist_free(&words);
	return rc;
}

static void
keep_line(struct reader *r, const char *line)
{
	struct sbatch_script *s = r->to;

	s->line = xgrow(s->line, s->lines, sizeof *s->line);
	s->line[s->lines++] = xstrdup(line);
}

/* Warn of a comment that looks like a directive. */
static void
check_comment(struct reader *r, const char *line)
{
	const char *mark = behind_blanks(line), *word = mark;

	while (*word == '#')
		word++;
	word = behind_blanks(word);
	if (mark == word || ascii_ncasecmp(word, "SBATCH", 6) != 0 ||
	    *behind_blanks(word + 6) != '-')
		return;
	warn_of(r,
	    "\"%.*s\" is a comment to Slurm: a directive begins with #SBATCH",
	    (int)(word + 6 - line > 40 ? 40 : word + 6 - line), line);
}

/*
 * Warn of a directive after the first command, or a line that only looks like a
 * directive.
 */
static void
read_ignored(struct reader *r, const char *line)
{
	if (r->stopped == 0)
		check_comment(r, line);
	else if (!text_begins(line, "#SBATCH"))
		return;
	else if (r->docstring)
		warn_of(r,
		    "#SBATCH below the docstring of line %zu is ignored by "
		    "Slurm: move it above",
		    r->stopped);
	else
		warn_of(r,
		    "#SBATCH after the first command (line %zu) is ignored by "
		    "Slurm: move it above",
		    r->stopped);
}

static int
read_line(struct reader *r, const char *line, struct error *e)
{
	const char *text = behind_blanks(line);

	r->plain += line[0] != '#';
	if (text_begins(line, "#PBS") || text_begins(line, "#BSUB")) {
		if (r->plain <= FOREIGN_LINES)
			keep_line(r, line);
		return 0;
	}
	if (r->stopped == 0 &&
	    (text_begins(line, "#SBATCH") || text_begins(line, "#SLURM"))) {
		keep_line(r, line);
		return read_directive(r, line + (line[2] == 'B' ? 7 : 6), e);
	}
	if (r->stopped == 0 && *text != '\0' && *text != '#') {
		r->stopped = r->line;
		r->docstring =
		    text_begins(text, "\"\"\"") || text_begins(text, "'''");
	}
	read_ignored(r, line);
	return 0;
}

/* Check for contents that sbatch refuses in any script. */
static int
check_text(const char *text, size_t length, struct error *e)
{
	const char *at, *found;
	size_t line = 1;

	if (length == 0 || (text[strspn(text, " \t\r\n")] == '\0'))
		return error_set(e, "the script is empty");
	if (memchr(text, '\0', length) != NULL)
		return error_set(e, "this is not a text but a program");
	if (!text_begins(text, "#!"))
		return error_set(e,
		    "line 1: a batch script begins with #! and an interpreter, "
		    "as in #!/bin/sh");
	found = strstr(text, "\r\n");
	if (found == NULL)
		return 0;
	for (at = text; at < found; at++)
		line += *at == '\n';
	return error_set(e,
	    "line %zu: it ends as on DOS, which sbatch refuses; dos2unix "
	    "mends that",
	    line);
}

int
sbatch_script(
    const char *text, size_t length, struct sbatch_script *s, struct error *e)
{
	struct reader r = {.to = s};
	char *copy = xmalloc(length + 1), *line, *next, where[32];
	int rc;

	memcpy(copy, text, length);
	copy[length] = '\0';
	rc = check_text(copy, length, e);
	for (line = copy; rc == 0 && line != NULL; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		r.line++;
		rc = read_line(&r, line, e);
		if (rc == -1) {
			snprintf(where, sizeof where, "line %zu", r.line);
			error_prefix(e, where);
		}
	}
	free(copy);
	if (rc == -1)
		sbatch_script_free(s);
	return rc;
}
