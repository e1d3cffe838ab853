#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/expression.h"
#include "base/num.h"
#include "base/xalloc.h"

enum { EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL };

void
expression_free(struct expression *w)
{
	size_t i;

	if (w == NULL)
		return;
	for (i = 0; i < w->count; i++) {
		free(w->comparison[i].name);
		free(w->comparison[i].value);
	}
	free(w->comparison);
	free(w);
}

/* ---- parsing ---- */

size_t
expression_name_length(const char *s)
{
	size_t n = *s == '@';

	if (!isalpha((unsigned char)s[n]) && s[n] != '_')
		return 0;
	for (n++; isalnum((unsigned char)s[n]) ||
	     (s[n] != '\0' && strchr("_.-", s[n]) != NULL);
	     n++)
		;
	return n;
}

/* Read the operator at s into *op.  Returns its length, or 0 for none. */
static size_t
read_operator(const char *s, int *op)
{
	static const struct {
		const char *text;
		int op;
	} table[] = {{"==", EQUAL}, {"!=", UNEQUAL}, {"<=", LESS_EQUAL},
	    {">=", GREATER_EQUAL}, {"=", EQUAL}, {"<", LESS}, {">", GREATER}};
	size_t i, length;

	for (i = 0; i < sizeof table / sizeof *table; i++) {
		length = strlen(table[i].text);
		if (strncmp(s, table[i].text, length) == 0) {
			*op = table[i].op;
			return length;
		}
	}
	return 0;
}

/* Return the value at s, to free, and set *end to the comma or NUL after it. */
static char *
read_value(const char *s, const char **end)
{
	char *out = xmalloc(strlen(s) + 1), *to = out;

	for (; *s != '\0' && *s != ','; s++) {
		if (*s == '\\' && s[1] != '\0' &&
		    strchr(",\\=<>", s[1]) != NULL)
			s++;
		*to++ = *s;
	}
	*to = '\0';
	*end = s;
	return out;
}

/*
 * Refuse a value that holds the next comparison, behind another word than a
 * comma: "0.1 and width=64".  Returns 0 or -1.
 */
static int
check_comma(const char *value, const char *text, struct error *e)
{
	static const struct {
		const char *word;
		const char *hint;
	} table[] = {{" and ", "write a comma for \"and\""},
	    {"&&", "write a comma for \"and\""}, {" or ", "there is no \"or\""},
	    {"||", "there is no \"or\""}};
	const char *next;
	size_t i, name;
	int op;

	for (i = 0; i < sizeof table / sizeof *table; i++) {
		next = ascii_casestr(value, table[i].word);
		if (next == NULL)
			continue;
		next += strlen(table[i].word);
		next += strspn(next, " ");
		name = expression_name_length(next);
		next += name;
		next += strspn(next, " ");
		if (name > 0 && read_operator(next, &op) > 0)
			return error_set(e, "%.200s: %s", text, table[i].hint);
	}
	return 0;
}

int
expression_refuse_alone(const char *text, struct error *e)
{
	return error_set(e,
	    "%.200s: not a condition (write NAME=VALUE, with one of "
	    "= != < <= > >=, as in opt=adam,lr=0.1)",
	    text);
}

/* Read the comparison at *at and advance *at past it.  Returns 0 or -1. */
static int
read_comparison(struct expression_part *c, const char *text, const char **at,
    struct error *e)
{
	size_t name = expression_name_length(*at), op = 0;

	if (name > 0)
		op = read_operator(*at + name, &c->op);
	if (name > 0 && ((*at)[name] == '\0' || (*at)[name] == ',')) {
		c->name = xstrndup(*at, name);
		c->is_alone = 1;
		*at += name;
		return 0;
	}
	if (op == 0)
		return expression_refuse_alone(text, e);
	if (strchr("=<>", (*at)[name + op]) != NULL && (*at)[name + op] != '\0')
		return error_set(e,
		    "%.200s: no such operator (one of = != < <= > >=)", text);
	c->name = xstrndup(*at, name);
	c->value = read_value(*at + name + op, at);
	c->is_number = num_parse(c->value, &c->number);
	if (*c->value == '\0')
		return error_set(e,
		    "%.200s: nothing to compare %.60s with (write %.60s=VALUE)",
		    text, c->name, c->name);
	if (c->op >= LESS && (!c->is_number || isnan(c->number)))
		return error_set(e,
		    "%.200s: '%.60s' is not a number, so < and > cannot "
		    "compare it (= and != compare texts)",
		    text, c->value);
	return check_comma(c->value, text, e);
}

struct expression *
expression_new(const char *text, struct error *e)
{
	struct expression *w = xcalloc(1, sizeof *w);
	const char *at = text;
	struct expression_part *c;

	for (;; at++) {
		w->comparison = xgrow(w->comparison, w->count, sizeof *c);
		c = &w->comparison[w->count++];
		*c = (struct expression_part){0};
		if (read_comparison(c, text, &at, e) == -1) {
			expression_free(w);
			return NULL;
		}
		if (*at == '\0')
			return w;
	}
}

/* ---- comparing ---- */

/* The digits of a decimal number, starting with the first that is not 0. */
struct digits {
	const char *at;
	int64_t exponent; /* of the digit at `at` */
	int negative, zero;
};

static struct digits
digits(const char *s)
{
	const int64_t most = 1000000000;
	struct digits d = {s, 0, 0, 0};
	const char *exponent = strpbrk(s, "eE");
	int64_t point = 0, power;

	d.negative = *s == '-';
	d.at += *s == '-' || *s == '+';
	for (s = d.at; isdigit((unsigned char)*s); s++)
		point++;
	for (d.exponent = point; *d.at == '0' || *d.at == '.'; d.at++)
		d.exponent -= *d.at == '0';
	d.zero = !isdigit((unsigned char)*d.at);
	power = exponent != NULL ? strtol(exponent + 1, NULL, 10) : 0;
	d.exponent += power > most ? most : power < -most ? -most : power;
	return d;
}

static int
next_digit(struct digits *d)
{
	d->at += *d->at == '.';
	return isdigit((unsigned char)*d->at) ? *d->at++ - '0' : -1;
}

/* Compare two decimals that are equal as doubles.  Returns -1, 0 or 1. */
static int
exact_order(const char *a, const char *b)
{
	struct digits x = digits(a), y = digits(b);
	int p, q, sign = x.negative ? -1 : 1;

	if (x.zero || y.zero)
		return x.zero ? (y.zero ? 0 : y.negative ? 1 : -1) : sign;
	if (x.negative != y.negative)
		return sign;
	if (x.exponent != y.exponent)
		return x.exponent < y.exponent ? -sign : sign;
	do {
		p = next_digit(&x);
		q = next_digit(&y);
		if ((p > 0 || q > 0) && p != q)
			return (p > 0 ? p : 0) < (q > 0 ? q : 0) ? -sign : sign;
	} while (p >= 0 || q >= 0);
	return 0;
}

static int
comparison_holds(const struct expression_part *c, const char *value)
{
	int equality = c->op == EQUAL || c->op == UNEQUAL, order;
	double x, y = c->number;

	if (equality && strcmp(value, c->value) == 0)
		return c->op == EQUAL;
	if (!c->is_number || !num_parse(value, &x))
		return c->op == UNEQUAL;
	if (isnan(x) || isnan(y))
		return equality && (isnan(x) && isnan(y)) == (c->op == EQUAL);
	if (x != y)
		order = x < y ? -1 : 1;
	else
		order = isfinite(x) ? exact_order(value, c->value) : 0;
	if (equality)
		return (order == 0) == (c->op == EQUAL);
	if (order == 0)
		return c->op == LESS_EQUAL || c->op == GREATER_EQUAL;
	return (order < 0) == (c->op == LESS || c->op == LESS_EQUAL);
}

int
expression_part_holds(const struct expression_part *c, const char *value)
{
	return value != NULL && (c->is_alone || comparison_holds(c, value));
}

int
expression_holds(const struct expression *w, expression_value *value, void *arg)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (!expression_part_holds(
			&w->comparison[i], value(arg, w->comparison[i].name)))
			return 0;
	return 1;
}
