#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/resource.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "space/decimal.h"
#include "space/words.h"

/* ---- names ---- */

int
words_check_name(const char *text, struct error *e)
{
	size_t length = expression_name_length(text), bytes = 0;
	const char *at = text + length;
	uint32_t c = 0;

	if (length > 0 && *at == '\0') {
		if (length > WORDS_NAME)
			return error_set(e,
			    "'%.60s...': a name of more than %d bytes", text,
			    WORDS_NAME);
		return resource_is(text) && resource_option(text, e) == NULL
		    ? -1
		    : 0;
	}
	if (*at != '\0')
		bytes = text_utf8(at, strlen(at), &c);
	if (c < 0x80)
		return error_set(e,
		    "'%.60s': not a name (a letter or _, then letters, "
		    "digits, _ . -)",
		    text);
	return error_set(e,
	    "'%.60s': %.*s cannot be in a name, which becomes an option and a "
	    "variable: write it with a-z, A-Z, 0-9, _ . and -, a letter or _ "
	    "first",
	    text, (int)bytes, at);
}

/* ---- generators ---- */

struct generator {
	const char *name;
	const char *takes;
	const char *example, *json_example;
	size_t least, most; /* number of fields */
	int (*make)(struct values *, const struct generator *,
	    const struct strlist *, struct error *e);
	enum draw_kind kind;
};

/*
 * Set e to a refusal of fields: "lr: log takes 3 numbers, as in
 * log:1e-4:1e-1:4".  Returns -1.
 */
static int
misfit(const struct values *v, const struct generator *g, struct error *e)
{
	return error_set(e, "%s: %s takes %s, as in %s", v->name, g->name,
	    g->takes, g->example);
}

/* Read the fields of lin and log: two bounds and the number of values. */
static int
read_bounds(const struct values *v, const struct generator *g, char **field,
    double bound[2], int64_t *count, struct error *e)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		if (!num_parse(field[i], &bound[i]))
			return misfit(v, g, e);
		if (!isfinite(bound[i]))
			return error_set(e,
			    "%s: %s takes finite numbers, not %.40s", v->name,
			    g->name, field[i]);
	}
	if (bound[0] == bound[1])
		return error_set(e,
		    "%s: %s needs two bounds that differ, as in %s", v->name,
		    g->name, g->example);
	if (num_int("", field[2], INT64_MIN, INT64_MAX, count, NULL) == -1)
		return error_set(e,
		    "%s: %s takes a whole number of values, as in %s", v->name,
		    g->name, g->example);
	if (*count < 2 || *count > VALUES_TEXTS)
		return error_set(e, "%s: %s makes 2 to %d values, not %.40s",
		    v->name, g->name, VALUES_TEXTS, field[2]);
	return 0;
}

/* Append a generated number.  Returns -1 if its text equals the text before. */
static int
push_number(struct values *v, const struct generator *g, const char *text,
    int is_first, struct error *e)
{
	if (!is_first && strcmp(v->text[v->texts - 1].text, text) == 0)
		return error_set(e,
		    "%s: %s gives %s twice, with 6 digits (ask for fewer "
		    "values, or wider bounds)",
		    v->name, g->name, text);
	return values_push_text(v, xstrdup(text), 0, e);
}

/*
 * Make the values of lin or log.  The values of lin are exact if the bounds
 * have few enough digits.
 */
static int
make_steps(struct values *v, const struct generator *g, const struct strlist *f,
    struct error *e)
{
	int is_log = strcmp(g->name, "log") == 0, exact, places = 0;
	char text[NUM_TEXT];
	decimal_wide unit = 1;
	int64_t count, i, bound[2];
	struct decimal d[2];
	double real[2], at, x;

	if (read_bounds(v, g, f->word, real, &count, e) == -1)
		return -1;
	if (is_log && (real[0] <= 0 || real[1] <= 0))
		return error_set(e,
		    "%s: log needs a lower bound above 0 (put 0 in the list: "
		    "%s=0,log:1e-6:1e-3:4)",
		    v->name, v->name);
	v->is_inexact |= is_log;
	exact = !is_log && decimal_parse(f->word[0], &d[0]) == 0 &&
	    decimal_parse(f->word[1], &d[1]) == 0;
	if (exact)
		places = d[0].places > d[1].places ? d[0].places : d[1].places;
	exact = exact && decimal_units(&d[0], places, &bound[0]) == 0 &&
	    decimal_units(&d[1], places, &bound[1]) == 0;
	for (i = 0; exact && i < places; i++)
		unit *= 10;
	for (i = 0; i < count; i++) {
		at = (double)i / (double)(count - 1);
		x = real[0] * (1 - at) + real[1] * at;
		if (is_log && i > 0 && i < count - 1)
			x = exp(log(real[0]) * (1 - at) + log(real[1]) * at);
		snprintf(text, sizeof text, "%.6g", x);
		if (exact)
			decimal_ratio((decimal_wide)bound[0] * (count - 1 - i) +
				(decimal_wide)bound[1] * i,
			    unit * (count - 1), text);
		if (push_number(v, g, text, i == 0, e) == -1)
			return -1;
	}
	return 0;
}

static int
make_draw(struct values *v, const struct generator *g, const struct strlist *f,
    struct error *e)
{
	struct error why;
	struct draw draw;

	if (!decimal_is(f->word[0]) || !decimal_is(f->word[1]))
		return misfit(v, g, e);
	if (draw_make(&draw, g->kind, f->word[0], f->word[1], &why) == -1)
		return error_set(e, "%s: %s %s, as in %s", v->name, g->name,
		    why.text, g->example);
	v->draw = draw;
	v->is_drawn = 1;
	return 0;
}

/* Make the texts a random choice. */
static void
choose_texts(struct values *v)
{
	v->draw = (struct draw){.kind = DRAW_CHOICE};
	v->is_drawn = 1;
}

static int
make_choice(struct values *v, const struct generator *g,
    const struct strlist *f, struct error *e)
{
	size_t i;

	for (i = 0; i < f->count; i++) {
		if (*f->word[i] == '\0')
			return misfit(v, g, e);
		if (values_push_text(v, xstrdup(f->word[i]), 0, e) == -1)
			return -1;
	}
	choose_texts(v);
	return 0;
}

/* Refuse a range of fractions without a step; ratio is that of its ends. */
static int
needs_step(struct values *v, const char *from, const char *to, double ratio,
    struct error *e)
{
	int count = ratio >= 10 ? (int)lround(log10(ratio)) + 1 : 0;

	if (count == 0)
		return error_set(e,
		    "%s: a range of fractions needs a step, as in "
		    "%.40s..%.40s..0.1",
		    v->name, from, to);
	return error_set(e,
	    "%s: a range of fractions needs a step (write log:%.40s:%.40s:%d "
	    "for %d values, or loguniform:%.40s:%.40s to draw values)",
	    v->name, from, to, count, count, from, to);
}

static int
make_range(struct values *v, const struct generator *g, const struct strlist *f,
    struct error *e)
{
	struct decimal d[3] = {{0, 0}, {0, 0}, {1, 0}};
	int64_t units[3], step, span;
	int places = 0, too_large = 0;
	size_t i;

	for (i = 0; i < f->count && !too_large; i++) {
		if (!decimal_is(f->word[i]))
			return misfit(v, g, e);
		too_large = decimal_parse(f->word[i], &d[i]) == -1;
		places = d[i].places > places ? d[i].places : places;
	}
	for (i = 0; i < 3 && !too_large; i++)
		too_large = decimal_units(&d[i], places, &units[i]) == -1;
	if (too_large)
		return error_set(e,
		    "%s: a range takes numbers of at most %d digits, as in "
		    "1..5 or 0..0.5..0.1",
		    v->name, DECIMAL_DIGITS);
	span = units[1] - units[0];
	step = f->count == 2 && span < 0 ? -units[2] : units[2];
	if (step == 0)
		return error_set(
		    e, "%s: a range needs a step other than 0", v->name);
	if ((span < 0) != (step < 0) && span != 0)
		return error_set(e,
		    "%s: the step %.40s leads away from %.40s (write "
		    "%.40s..%.40s..%s%.40s)",
		    v->name, f->word[2], f->word[1], f->word[0], f->word[1],
		    step > 0 ? "-" : "", f->word[2] + strspn(f->word[2], "+-"));
	if (f->count == 2 && span % step != 0)
		return needs_step(v, f->word[0], f->word[1],
		    units[0] > 0 ? (double)units[1] / (double)units[0] : 0, e);
	span /= step;
	/*
	 * Write no more decimals than start and step have: the end only says
	 * where to stop.
	 */
	for (; places > d[0].places && places > d[2].places; places--) {
		units[0] /= 10;
		step /= 10;
	}
	return values_push_range(
	    v, units[0], step, (uint64_t)span + 1, places, e);
}

static const struct generator generators[] = {
    {"lin", "3 numbers", "lin:32:128:4", "{\"lin\": [32, 128, 4]}", 3, 3,
	make_steps, 0},
    {"log", "3 numbers", "log:1e-4:1e-1:4", "{\"log\": [1e-4, 1e-1, 4]}", 3, 3,
	make_steps, 0},
    {"range", "2 or 3 numbers", "1..5 or 0..0.5..0.1",
	"{\"range\": [0, 0.5, 0.1]}", 2, 3, make_range, 0},
    {"uniform", "2 numbers", "uniform:0:0.5", "{\"uniform\": [0, 0.5]}", 2, 2,
	make_draw, DRAW_UNIFORM},
    {"loguniform", "2 numbers", "loguniform:1e-5:1e-1",
	"{\"loguniform\": [1e-5, 1e-1]}", 2, 2, make_draw, DRAW_LOGUNIFORM},
    {"int", "2 whole numbers", "int:1:4", "{\"int\": [1, 4]}", 2, 2, make_draw,
	DRAW_INT},
    {"logint", "2 whole numbers", "logint:1:1024", "{\"logint\": [1, 1024]}", 2,
	2, make_draw, DRAW_LOGINT},
    {"normal", "2 numbers", "normal:0:1", "{\"normal\": [0, 1]}", 2, 2,
	make_draw, DRAW_NORMAL},
    {"lognormal", "2 numbers", "lognormal:0:1", "{\"lognormal\": [0, 1]}", 2, 2,
	make_draw, DRAW_LOGNORMAL},
    {"choice", "2 or more values", "choice:relu:gelu",
	"{\"choice\": [\"relu\", \"gelu\"]}", 2, SIZE_MAX, make_choice,
	DRAW_CHOICE},
};

enum { GENERATORS = sizeof generators / sizeof *generators };

/* Return the generator with this name, or NULL. */
static const struct generator *
find_generator(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < GENERATORS; i++)
		if (strlen(generators[i].name) == length &&
		    memcmp(generators[i].name, name, length) == 0)
			return &generators[i];
	return NULL;
}

int
words_is_generator(const char *name)
{
	return find_generator(name, strlen(name)) != NULL;
}

/* ---- words ---- */

/* Split a text at each separator without a backslash before it. */
static struct strlist
cut(const char *s, const char *separator)
{
	size_t length = strlen(separator);
	struct strlist f = {0};
	const char *start = s;

	while (*s != '\0') {
		if (*s == '\\' && s[1] != '\0') {
			s += 2;
		} else if (strncmp(s, separator, length) == 0) {
			strlist_take(&f, xstrndup(start, (size_t)(s - start)));
			s += length;
			start = s;
		} else {
			s++;
		}
	}
	strlist_take(&f, xstrndup(start, (size_t)(s - start)));
	return f;
}

/* Remove the backslash before any of the special characters, in place. */
static char *
unescape(char *s, const char *special)
{
	char *from, *to = s;

	for (from = s; *from != '\0'; from++) {
		if (*from == '\\' && from[1] != '\0' &&
		    strchr(special, from[1]) != NULL)
			from++;
		*to++ = *from;
	}
	*to = '\0';
	return s;
}

/* Make values from the fields of a generator. */
static int
generate(struct values *v, const struct generator *g, struct strlist *f,
    struct error *e)
{
	if (f->count < g->least || f->count > g->most)
		return misfit(v, g, e);
	return g->make(v, g, f, e);
}

/* Add an item that is a range: it begins with a number and "..". */
static int
add_range(
    struct values *v, struct strlist *f, const char *item, struct error *e)
{
	const struct generator *g = find_generator("range", 5);
	size_t i;

	for (i = 0; i < f->count; i++)
		if (f->count > 3 || !decimal_is(f->word[i]))
			return error_set(e,
			    "%s: a range takes %s, as in %s (write "
			    "%s:='[\"%.60s\"]' for this very text)",
			    v->name, g->takes, g->example, v->name, item);
	return generate(v, g, f, e);
}

/* Add the lines of a text that was read from a file. */
static int
add_lines(struct values *v, const char *path, const char *text, size_t length,
    struct error *e)
{
	const char *at = text, *end = text + length, *stop;
	size_t n, before = v->texts;

	if (memchr(text, '\0', length) != NULL)
		return error_set(e, "%s: %s holds a NUL byte", v->name, path);
	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	for (; at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		if (stop == NULL)
			stop = end;
		n = (size_t)(stop - at);
		n -= n > 0 && at[n - 1] == '\r';
		if (n > 0 && values_push_text(v, xstrndup(at, n), 0, e) == -1)
			return -1;
	}
	if (v->texts == before)
		return error_set(e, "%s: %s has no values", v->name, path);
	return 0;
}

static int
add_file(struct values *v, const char *path, space_read *read, void *arg,
    struct error *e)
{
	size_t length;
	char *text;
	int rc;

	if (*path == '\0')
		return error_set(e,
		    "%s: no file is named after the @ (write "
		    "%s=@values.txt, or \\@ for the character)",
		    v->name, v->name);
	if (read == NULL)
		return error_set(
		    e, "%s: @%s: files cannot be read here", v->name, path);
	if (read(arg, path, &text, &length, e) == -1)
		return error_prefix(e, v->name);
	v->is_inexact = 1;
	rc = add_lines(v, path, text, length, e);
	free(text);
	return rc;
}

/*
 * Refuse a text such as "unifrm:0:1", which is probably a typing error: a sweep
 * would train with that text as a value.
 */
static int
check_typing(const struct values *v, const char *item, struct error *e)
{
	/* What Ray Tune and others call them. */
	static const char *const foreign[][2] = {
	    {"randint", "int"}, {"lograndint", "logint"}, {"randn", "normal"}};
	const char *names[GENERATORS], *near = NULL;
	char hint[TEXT_HINT];
	struct strlist f = cut(item, ":");
	size_t i, numbers = 0;

	for (i = 1; i < f.count; i++)
		numbers += (size_t)decimal_is(f.word[i]);
	for (i = 0; i < GENERATORS; i++)
		names[i] = generators[i].make != make_range ? generators[i].name
							    : NULL;
	if (numbers >= 2 && numbers + 1 == f.count) {
		near = text_nearest(f.word[0], names, GENERATORS);
		for (i = 0; i < sizeof foreign / sizeof *foreign; i++)
			if (strcmp(f.word[0], foreign[i][0]) == 0)
				near = foreign[i][1];
	}
	strlist_free(&f);
	if (near == NULL)
		return 0;
	return error_set(e,
	    "%s: %s: %s (write %s:='[\"%.60s\"]' for this very text)", v->name,
	    item, text_hint_of("", near, "", "", hint), v->name, item);
}

static int
add_item(
    struct values *v, char *item, space_read *read, void *arg, struct error *e)
{
	size_t length = strcspn(item, ":"), i;
	const struct generator *g = find_generator(item, length);
	int is_call = g != NULL && item[length] == ':' && g->make != make_range;
	int is_range = 0, rc = 0;
	struct strlist f;

	if (*item == '\0')
		return error_set(e,
		    "%s: empty value (write %s:='[\"\"]' for an empty string)",
		    v->name, v->name);
	if (*item == '@')
		return add_file(v, unescape(item + 1, ",\\@"), read, arg, e);
	if (!is_call && check_typing(v, item, e) == -1)
		return -1;
	f = is_call ? cut(item + length + 1, ":") : cut(item, "..");
	if (is_call) {
		for (i = 0; i < f.count; i++)
			unescape(f.word[i], ",\\@:");
		rc = generate(v, g, &f, e);
	} else if (f.count > 1 && decimal_is(f.word[0])) {
		is_range = 1;
		rc = add_range(v, &f, item, e);
	}
	strlist_free(&f);
	if (is_call || is_range)
		return rc;
	return values_push_text(v, xstrdup(unescape(item, ",\\@")), 0, e);
}

/* Refuse a distribution next to other values. */
static int
check_alone(const struct values *v, int alone, struct error *e)
{
	if (!v->is_drawn || alone)
		return 0;
	return error_set(e,
	    "%s: a random distribution stands alone, without other values "
	    "(%s=choice:A:B chooses among some)",
	    v->name, v->name);
}

int
words_add(struct values *v, const char *items, space_read *read, void *arg,
    struct error *e)
{
	struct values_mark before = values_mark(v);
	struct strlist f;
	size_t i;
	int rc = 0;

	if (check_alone(v, 0, e) == -1)
		return -1;
	if (strpbrk(items, "\r\n") != NULL)
		return error_set(e,
		    "%s: a line end in a value (write it as JSON: "
		    "%s:='[\"a\\nb\"]')",
		    v->name, v->name);
	f = cut(items, ",");
	if (f.count > 1 && *f.word[f.count - 1] == '\0')
		rc = error_set(e,
		    "%s: empty value (leave out a blank after the comma, or "
		    "write %s:='[\"\"]' for an empty string)",
		    v->name, v->name);
	for (i = 0; i < f.count && rc == 0; i++)
		rc = add_item(v, f.word[i], read, arg, e);
	if (rc == 0)
		rc = check_alone(v, f.count == 1 && before.runs == 0, e);
	strlist_free(&f);
	if (rc == -1)
		values_go_back(v, &before);
	return rc;
}

/* ---- JSON ---- */

static int
push_json(struct values *v, const struct lex *value, struct error *e)
{
	int is_text = value->kind == LEX_STRING || value->kind == LEX_NUMBER;

	if (value->kind == LEX_NULL)
		return values_push_text(v, NULL, 0, e);
	return values_push_text(v,
	    value->kind == LEX_STRING ? lex_string(value) : lex_source(value),
	    !is_text, e);
}

/* Add a value, or the values of an array. */
static int
push_member(struct values *v, const struct lex *member, struct error *e)
{
	struct lex_members m;
	struct lex value;

	if (member->kind != LEX_ARRAY)
		return push_json(v, member, e);
	lex_members(&m, member);
	while (lex_next(&m, NULL, &value))
		if (push_json(v, &value, e) == -1)
			return -1;
	return 0;
}

int
words_add_json(struct values *v, const char *json, struct error *e)
{
	struct values_mark before = values_mark(v);
	struct lex value;

	if (check_alone(v, 0, e) == -1)
		return -1;
	if (lex_parse(json, strlen(json), 0, &value, e) == -1)
		return error_prefix(e, v->name);
	if (push_member(v, &value, e) == -1) {
		values_go_back(v, &before);
		return -1;
	}
	if (v->texts == before.texts)
		return error_set(e,
		    "%s: no values (write %s:='[[]]' for an empty array)",
		    v->name, v->name);
	return 0;
}

static void
refuse_generator(const struct values *v, const struct lex *key,
    const char *name, struct error *e)
{
	struct strlist names = {0};
	char hint[TEXT_HINT], *all, *list;
	size_t i;

	for (i = 0; i < GENERATORS; i++)
		strlist_push(&names, generators[i].name);
	all = strlist_join(&names, " ");
	list = xasprintf("one of %s;", all);
	text_hint(
	    name, (const char *const *)names.word, names.count, list, hint);
	strlist_free(&names);
	free(all);
	free(list);
	lex_refuse(key, e,
	    "%s: no generator %.60s (%s an object as a value stands in an "
	    "array)",
	    v->name, name, hint);
}

/*
 * Add the values of a generator from its array.  Returns 0, or -1 with a reason
 * that names no line.
 */
static int
add_generated(struct values *v, const struct generator *found,
    const struct lex *array, struct error *e)
{
	struct generator g = *found;
	struct strlist f = {0};
	struct lex_members m;
	struct lex value;
	int rc = 0;

	g.example = g.json_example;
	if (array->kind != LEX_ARRAY)
		return misfit(v, &g, e);
	if (g.kind == DRAW_CHOICE) {
		if (lex_count(array) < g.least)
			return misfit(v, &g, e);
		choose_texts(v);
		return push_member(v, array, e);
	}
	/* Convert the numbers of a generator to fields, as in a word. */
	lex_members(&m, array);
	while (rc == 0 && lex_next(&m, NULL, &value))
		if (value.kind == LEX_NUMBER)
			strlist_take(&f, xstrndup(value.text, value.length));
		else
			rc = misfit(v, &g, e);
	if (rc == 0)
		rc = generate(v, &g, &f, e);
	strlist_free(&f);
	return rc;
}

static int
add_object(struct values *v, const struct lex *object, struct error *e)
{
	const struct generator *found;
	struct lex_members m;
	struct lex key, value;
	struct error why;
	char *name;

	lex_members(&m, object);
	if (lex_count(object) != 1)
		return lex_refuse(object, e,
		    "%s: a generator has one name, as in %s", v->name,
		    generators[1].json_example);
	lex_next(&m, &key, &value);
	name = lex_string(&key);
	found = find_generator(name, strlen(name));
	if (found == NULL)
		refuse_generator(v, &key, name, e);
	free(name);
	if (found == NULL)
		return -1;
	if (add_generated(v, found, &value, &why) == -1)
		return lex_refuse(object, e, "%s", why.text);
	return 0;
}

int
words_add_member(struct values *v, const struct lex *member, struct error *e)
{
	struct error why;

	if (member->kind == LEX_OBJECT) {
		if (add_object(v, member, e) == -1)
			return -1;
	} else if (push_member(v, member, &why) == -1) {
		return lex_refuse(member, e, "%s", why.text);
	}
	if (v->is_drawn || values_count(v) > 0)
		return 0;
	return lex_refuse(member, e,
	    "%s: no values (write [[]] for an empty array)", v->name);
}
