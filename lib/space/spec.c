#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lex.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "space/spec.h"
#include "space/words.h"

void
spec_free(struct spec *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->grids; i++)
		grid_free(s->grid[i]);
	free(s->grid);
	free(s->name);
	free(s->description);
	strlist_free(&s->command);
	strlist_free(&s->sbatch);
	strlist_free(&s->policy);
	free(s);
}

/* Check a value's kind, which shape describes.  Returns 0 or -1. */
static int
want(const struct lex *value, enum lex_kind kind, const char *key,
    const char *shape, struct error *e)
{
	if (value->kind == kind)
		return 0;
	return lex_refuse(value, e, "\"%s\" is %s", key, shape);
}

/* Return the text of a string or number, to free; or NULL with a reason. */
static char *
scalar(const struct lex *value, const char *what, struct error *e)
{
	if (value->kind == LEX_STRING)
		return lex_string(value);
	if (value->kind != LEX_ARRAY && value->kind != LEX_OBJECT &&
	    value->kind != LEX_NULL)
		return lex_source(value);
	lex_refuse(value, e, "%s: a text or a number stands here", what);
	return NULL;
}

/* Read a whole number of at least min. */
static int
read_whole(const struct lex *value, const char *key, int64_t min, uint64_t *out,
    struct error *e)
{
	char *text = lex_source(value);
	int64_t number;
	int rc = num_int(key, text, min, INT64_MAX, &number, NULL);

	free(text);
	if (rc == -1)
		return lex_refuse(value, e,
		    "\"%s\" is a whole number of at least %d", key, (int)min);
	*out = (uint64_t)number;
	return 0;
}

/* ---- members of a grid ---- */

/* Return the name of a hyperparameter, to free; or NULL with a reason. */
static char *
name_of(const struct lex *key, struct error *e)
{
	char *name = lex_string(key);
	struct error why;

	if (words_check_name(name, &why) == 0)
		return name;
	lex_refuse(key, e, "%s", why.text);
	free(name);
	return NULL;
}

/* Write the label of a zip or condition into out: "line 3, column 7: "zip"". */
static void
label(const struct lex *at, const char *key, struct error *out)
{
	lex_refuse(at, out, "\"%s\"", key);
}

static int
read_param(struct grid *g, const struct lex *key, const struct lex *value,
    struct error *e)
{
	char *name = name_of(key, e);
	struct values *v;

	if (name == NULL)
		return -1;
	v = values_new(name);
	free(name);
	if (words_add_member(v, value, e) == 0)
		return grid_add_values(g, v, e);
	values_free(v);
	return -1;
}

static const char zip_shape[] =
    "an array of arrays of names, as in [[\"lr\", \"bs\"]]";

static int
read_zip(struct grid *g, const struct lex *group, struct error *e)
{
	int rc = want(group, LEX_ARRAY, "zip", zip_shape, e);
	struct strlist names = {0};
	struct lex_members m;
	struct lex value;
	struct error place;
	char *text;

	if (rc == 0)
		lex_members(&m, group);
	while (rc == 0 && lex_next(&m, NULL, &value)) {
		rc = want(&value, LEX_STRING, "zip", "made of names", e);
		if (rc == 0)
			strlist_take(&names, lex_string(&value));
	}
	label(group, "zip", &place);
	text = strlist_join(&names, ",");
	if (rc == 0)
		rc = grid_zip(g, place.text, text, e);
	free(text);
	strlist_free(&names);
	return rc;
}

static void
put_escaped(FILE *f, const char *s)
{
	for (; *s != '\0'; s++) {
		if (strchr(",\\=<>", *s) != NULL)
			putc('\\', f);
		putc(*s, f);
	}
}

/*
 * Convert a condition to text, {"opt": "sgd", "lr": 0.1} to opt=sgd,lr=0.1; to
 * free.  Returns NULL with the reason in e.
 */
static char *
condition_text(const struct lex *condition, const char *key, struct error *e)
{
	struct lex_members m;
	struct lex name, value;
	char *text = NULL, *left, *right;
	const char *between = "";
	size_t length;
	FILE *f;
	int rc = 0;

	if (condition->kind == LEX_STRING)
		return lex_string(condition);
	if (want(condition, LEX_OBJECT, key,
		"made of conditions, as in {\"opt\": \"adam\"} or "
		"\"opt=adam,lr<0.1\"",
		e) == -1 ||
	    lex_unique(condition, e) == -1)
		return NULL;
	f = xmemopen(&text, &length);
	lex_members(&m, condition);
	while (rc == 0 && lex_next(&m, &name, &value)) {
		left = lex_string(&name);
		right = scalar(&value, left, e);
		fprintf(f, "%s%s=", between, left);
		between = ",";
		if (right != NULL)
			put_escaped(f, right);
		else
			rc = -1;
		free(left);
		free(right);
	}
	xmemclose(f);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

/* Read a condition: of "when" if name is not NULL, else of "exclude". */
static int
read_condition(struct grid *g, const char *name, const struct lex *condition,
    struct error *e)
{
	const char *key = name != NULL ? "when" : "exclude";
	char *text = condition_text(condition, key, e), *both;
	struct error place;
	int rc;

	if (text == NULL)
		return -1;
	label(condition, key, &place);
	if (name != NULL) {
		both = xasprintf("%s:%s", name, text);
		rc = grid_when(g, place.text, both, e);
		free(both);
	} else {
		rc = grid_except(g, place.text, text, e);
	}
	free(text);
	return rc;
}

/* Read a condition of a name, or an array of which any may hold. */
static int
read_when(struct grid *g, const struct lex *key, const struct lex *value,
    struct error *e)
{
	char *name = name_of(key, e);
	struct lex_members m;
	struct lex condition;
	int rc = 0;

	if (name == NULL)
		return -1;
	if (value->kind != LEX_ARRAY)
		rc = read_condition(g, name, value, e);
	else
		for (lex_members(&m, value);
		     rc == 0 && lex_next(&m, NULL, &condition);)
			rc = read_condition(g, name, &condition, e);
	free(name);
	return rc;
}

/* ---- members of a job ---- */

/* Add an option in the form of sbatch: "--partition=gpu". */
static int
read_option(struct strlist *out, const struct lex *key, const struct lex *value,
    const char *example, struct error *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	char *name = lex_string(key), *text;
	int rc = 0;

	if (strlen(name) < 2 || !islower((unsigned char)*name) ||
	    name[strspn(name, letters)] != '\0') {
		rc = lex_refuse(key, e,
		    "'%.60s': not the long name of an option, such as \"%s\"",
		    name, example);
	} else if (value->kind == LEX_TRUE) {
		strlist_take(out, xasprintf("--%s", name));
	} else if (value->kind == LEX_FALSE) {
		rc = lex_refuse(value, e,
		    "%.60s: leave the option out, or give it true or a value",
		    name);
	} else {
		text = scalar(value, name, e);
		rc = text == NULL ? -1 : 0;
		if (rc == 0)
			strlist_take(out, xasprintf("--%s=%s", name, text));
		free(text);
	}
	free(name);
	return rc;
}

/* ---- the document ---- */

enum key {
	NAME,
	DESCRIPTION,
	PARAMS,
	ZIP,
	WHEN,
	EXCLUDE,
	SAMPLES,
	SEED,
	SBATCH,
	POLICY,
	COMMAND,
	KEYS
};

static const char options_shape[] =
    "an object of options, as in {\"partition\": \"gpu\"}";

static const struct {
	const char *name;
	enum lex_kind kind;
	/* Describes kind in refusals; NULL: the reader checks the kind. */
	const char *shape;
	int once; /* only one object of the document may have it */
} keys[KEYS] = {
    {"name", LEX_STRING, "a string", 1},
    {"description", LEX_STRING, "a string", 1},
    {"params", LEX_OBJECT, "an object of hyperparameters", 0},
    {"zip", LEX_ARRAY, zip_shape, 0},
    {"when", LEX_OBJECT, "an object, as in {\"momentum\": {\"opt\": \"sgd\"}}",
	0},
    {"exclude", LEX_ARRAY, "an array of conditions", 0},
    {"samples", LEX_NUMBER, NULL, 0},
    {"seed_of_draws", LEX_NUMBER, NULL, 0},
    {"sbatch", LEX_OBJECT, options_shape, 1},
    {"policy", LEX_OBJECT, options_shape, 1},
    {"command", LEX_ARRAY,
	"an array of words, as in [\"python\", \"train.py\"]", 1},
};

/* Read a value, or one member of an array or object; key is NULL for arrays. */
static int
read_value(struct spec *s, struct grid *g, enum key k, const struct lex *key,
    const struct lex *value, struct error *e)
{
	char *word;

	switch (k) {
	case NAME:
		s->name = lex_string(value);
		return 0;
	case DESCRIPTION:
		s->description = lex_string(value);
		return 0;
	case PARAMS:
		return read_param(g, key, value, e);
	case ZIP:
		return read_zip(g, value, e);
	case WHEN:
		return read_when(g, key, value, e);
	case EXCLUDE:
		return read_condition(g, NULL, value, e);
	case SAMPLES:
		return read_whole(value, "samples", 1, &g->samples, e);
	case SEED:
		g->has_seed = 1;
		return read_whole(value, "seed_of_draws", 0, &g->seed, e);
	case SBATCH:
		return read_option(&s->sbatch, key, value, "partition", e);
	case POLICY:
		return read_option(&s->policy, key, value, "requeue", e);
	default:
		word = scalar(value, "command", e);
		if (word != NULL)
			strlist_take(&s->command, word);
		return word != NULL ? 0 : -1;
	}
}

static int
read_key(struct spec *s, struct grid *g, const struct lex *key,
    const struct lex *value, struct error *e)
{
	const char *names[KEYS];
	struct lex_members m;
	struct lex name, member;
	char *text, hint[TEXT_HINT];
	size_t k, i;

	for (k = 0; k < KEYS && !lex_is(key, keys[k].name);)
		k++;
	if (k == KEYS) {
		for (i = 0; i < KEYS; i++)
			names[i] = keys[i].name;
		text = lex_string(key);
		lex_refuse(key, e, "unknown key \"%.60s\" (%s)", text,
		    text_hint_of("\"", text_nearest(text, names, KEYS), "\"",
			"hyperparameters stand in \"params\"", hint));
		free(text);
		return -1;
	}
	if (keys[k].shape != NULL &&
	    want(value, keys[k].kind, keys[k].name, keys[k].shape, e) == -1)
		return -1;
	if (keys[k].kind == LEX_OBJECT && lex_unique(value, e) == -1)
		return -1;
	if (keys[k].once && (s->keys & 1U << k) != 0)
		return lex_refuse(value, e,
		    "\"%s\" stands in an earlier object too", keys[k].name);
	s->keys |= 1U << k;
	if (k == COMMAND && lex_count(value) == 0)
		return lex_refuse(value, e, "\"command\" has no words");
	if (keys[k].kind != LEX_OBJECT && keys[k].kind != LEX_ARRAY)
		return read_value(s, g, (enum key)k, key, value, e);
	lex_members(&m, value);
	while (lex_next(&m, value->kind == LEX_OBJECT ? &name : NULL, &member))
		if (read_value(s, g, (enum key)k, &name, &member, e) == -1)
			return -1;
	return 0;
}

static int
read_object(struct spec *s, const struct lex *object, struct error *e)
{
	struct lex_members m;
	struct lex key, value;
	struct grid *g = grid_new();
	size_t i;

	s->grid = xgrow(s->grid, s->grids, sizeof *s->grid);
	s->grid[s->grids++] = g;
	if (object->kind != LEX_OBJECT)
		return lex_refuse(object, e,
		    "a spec is an object, {\"params\": {...}}, or an array of "
		    "objects");
	if (lex_unique(object, e) == -1)
		return -1;
	lex_members(&m, object);
	while (lex_next(&m, &key, &value))
		if (read_key(s, g, &key, &value, e) == -1)
			return -1;
	for (i = 0; i < g->count && !g->values[i]->is_drawn;)
		i++;
	if (g->samples > 0 && i == g->count)
		return lex_refuse(object, e,
		    "\"samples\", but no hyperparameter has a random "
		    "distribution, as in {\"uniform\": [0, 0.5]}");
	return 0;
}

struct spec *
spec_new(const char *json, size_t length, struct error *e)
{
	enum { MAX_GRIDS = 1000 };
	struct lex_members m;
	struct lex document, object;
	struct spec *s;
	int rc = 0;

	if (length > SPACE_SPEC) {
		error_set(e, "a spec of more than %d bytes", SPACE_SPEC);
		return NULL;
	}
	if (lex_parse(json, length, 1, &document, e) == -1)
		return NULL;
	s = xcalloc(1, sizeof *s);
	if (document.kind != LEX_ARRAY) {
		rc = read_object(s, &document, e);
	} else {
		lex_members(&m, &document);
		while (rc == 0 && lex_next(&m, NULL, &object))
			rc = s->grids < MAX_GRIDS
			    ? read_object(s, &object, e)
			    : lex_refuse(&object, e, "more than %d objects",
				  MAX_GRIDS);
		if (rc == 0 && s->grids == 0)
			rc =
			    lex_refuse(&document, e, "no objects in the array");
	}
	if (rc == 0)
		return s;
	spec_free(s);
	return NULL;
}
