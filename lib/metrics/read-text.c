#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/xalloc.h"
#include "metrics/private.h"

enum { GROUPS = 64 };

/* One regular expression, and the names of its groups. */
struct log_pattern {
	regex_t compiled;
	size_t groups;
	char *name[GROUPS]; /* by group; NULL for groups without a name */
};

struct record_pattern {
	struct log_pattern *expression;
	size_t count;
	struct strlist names;
};

/* ---- from (?P<name>...) to POSIX ---- */

struct translation {
	const char *text, *at;
	FILE *out;
	struct log_pattern *x;
};

static int
bad(const struct translation *t, struct error *e, const char *why)
{
	return error_set(e, "'%s': %s", t->text, why);
}

/* Translate a group, with or without a name, after its "(". */
static int
group(struct translation *t, struct error *e)
{
	size_t head = strncmp(t->at, "?P<", 3) == 0 ? 3
	    : strncmp(t->at, "?<", 2) == 0          ? 2
						    : 0;
	size_t length, i;

	if (++t->x->groups == GROUPS)
		return bad(t, e, "too many groups");
	putc('(', t->out);
	if (strncmp(t->at, "?:", 2) == 0) {
		t->at += 2;
		return 0;
	}
	if (head == 0)
		return *t->at == '?'
		    ? bad(t, e,
			  "of (?...) there are only (?P<name>...), "
			  "(?<name>...) and (?:...)")
		    : 0;
	t->at += head;
	length = strcspn(t->at, ">");
	for (i = 0; i < length && !iscntrl((unsigned char)t->at[i]) &&
	     t->at[i] != '(';)
		i++;
	if (t->at[length] == '\0' || length == 0 || i < length)
		return bad(t, e, "(?P<name>...): no such name");
	t->x->name[t->x->groups] = xstrndup(t->at, length);
	t->at += length + 1;
	return 0;
}

/* Translate a set after its "["; \d means a digit there, too. */
static int
set(struct translation *t, struct error *e)
{
	putc('[', t->out);
	if (*t->at == '^')
		putc(*t->at++, t->out);
	if (*t->at == ']')
		putc(*t->at++, t->out);
	for (; *t->at != ']'; t->at++) {
		if (*t->at == '\0')
			return bad(t, e, "a '[' that is not closed");
		if (*t->at != '\\' || t->at[1] == '\0') {
			putc(*t->at, t->out);
			continue;
		}
		t->at++;
		if (*t->at == 'd' || *t->at == 's' || *t->at == 'w')
			fputs(*t->at == 'd'     ? "0-9"
				: *t->at == 's' ? "[:space:]"
						: "[:alnum:]_",
			    t->out);
		else
			putc(*t->at, t->out);
	}
	putc(*t->at++, t->out);
	return 0;
}

static int
translate(struct translation *t, struct error *e)
{
	int status = 0;
	char byte;

	while (*t->at != '\0' && status == 0) {
		byte = *t->at++;
		if (byte == '(') {
			status = group(t, e);
		} else if (byte == '[') {
			status = set(t, e);
		} else if (byte == '\\' && *t->at == 'd') {
			fputs("[0-9]", t->out);
			t->at++;
		} else if (byte == '\\' && *t->at != '\0') {
			putc(byte, t->out);
			putc(*t->at++, t->out);
		} else if (strchr("*+?}", byte) != NULL && *t->at == '?') {
			return bad(t, e,
			    "there is no shortest match, as in .*?; name what "
			    "may stand there, as in [^=]*");
		} else {
			putc(byte, t->out);
		}
	}
	return status;
}

/* ---- expressions ---- */

static int
read_expression(struct log_pattern *x, const char *text, struct error *e)
{
	char *source = NULL, why[160];
	size_t length, i, names = 0;
	struct translation t = {.text = text,
	    .at = text,
	    .out = xmemopen(&source, &length),
	    .x = x};
	int status = translate(&t, e), rc;

	xmemclose(t.out);
	for (i = 0; i < GROUPS; i++)
		names += x->name[i] != NULL;
	if (status == 0 && names == 0)
		status = bad(&t, e,
		    "names no value; write the groups as (?P<loss>[0-9.]+)");
	if (status == 0 &&
	    (rc = regcomp(&x->compiled, source, REG_EXTENDED)) != 0) {
		regerror(rc, &x->compiled, why, sizeof why);
		status = bad(&t, e, why);
	}
	for (i = 0; i < GROUPS && status == -1; i++)
		free(x->name[i]);
	free(source);
	return status;
}

struct record_pattern *
record_pattern_new(const char *const *text, size_t count, struct error *e)
{
	struct record_pattern *p = xcalloc(1, sizeof *p);
	struct log_pattern *x;
	size_t i;

	p->expression = xcalloc(count, sizeof *p->expression);
	for (; p->count < count; p->count++) {
		x = &p->expression[p->count];
		if (read_expression(x, text[p->count], e) == -1) {
			record_pattern_free(p);
			return NULL;
		}
		for (i = 0; i < GROUPS; i++)
			if (x->name[i] != NULL)
				strlist_push(&p->names, x->name[i]);
	}
	return p;
}

void
record_pattern_free(struct record_pattern *p)
{
	size_t i, k;

	if (p == NULL)
		return;
	for (i = 0; i < p->count; i++) {
		regfree(&p->expression[i].compiled);
		for (k = 0; k < GROUPS; k++)
			free(p->expression[i].name[k]);
	}
	free(p->expression);
	strlist_free(&p->names);
	free(p);
}

const struct strlist *
record_pattern_names(const struct record_pattern *p)
{
	return &p->names;
}

/* ---- lines ---- */

static int
take(struct record_draft *d, struct record_reader *r, const char *line,
    size_t length)
{
	const struct log_pattern *x = r->pattern->expression;
	const struct log_pattern *end = x + r->pattern->count;
	regmatch_t found[GROUPS];
	char *text;
	size_t i;

	while (length > 0 && strchr("\r\n", line[length - 1]) != NULL)
		length--;
	text = xstrndup(line, length);
	for (; x < end; x++) {
		if (regexec(&x->compiled, text, GROUPS, found, 0) != 0)
			continue;
		for (i = 1; i <= x->groups; i++)
			if (x->name[i] != NULL && found[i].rm_so != -1)
				record_draft_add(d, x->name[i],
				    strlen(x->name[i]), text + found[i].rm_so,
				    (size_t)(found[i].rm_eo - found[i].rm_so));
	}
	free(text);
	return 1;
}

int
record_read_text(struct record_reader *r, const char *bytes, size_t length,
    record_each *each, void *arg)
{
	static const struct record_lines named = {take, 1};
	static const struct record_lines guessed = {record_guess_line, 2};

	return record_read_lines(r, r->pattern->count > 0 ? &named : &guessed,
	    bytes, length, each, arg);
}
