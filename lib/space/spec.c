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

enum { MAX_GRIDS = 1000 };

static void
list_free(char **list)
{
	char **at;

	for (at = list; at != NULL && *at != NULL; at++)
		free(*at);
	free(list);
}

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
	list_free(s->command);
	list_free(s->sbatch);
	list_free(s->policy);
	free(s);
}

/* ---- shapes ---- */

static int
want(const struct lex *value, enum lex_kind kind, const char *key,
    const char *shape, struct error *e)
{
	if (value->kind == kind)
		return 0;
	return lex_refuse(value, e, "\"%s\" is %s", key, shape);
}

/* A whole number of at least min in *out. */
static int
whole(const struct lex *value, const char *key, int64_t min, uint64_t *out,
    struct error *e)
{
	char *text = lex_source(value);
	int64_t number;
	int rc;

	rc = num_int(key, text, min, INT64_MAX, &number, NULL);
	free(text);
	if (rc == -1)
		return lex_refuse(value, e,
		    "\"%s\" is a whole number of at least %d", key, (int)min);
	*out = (uint64_t)number;
	return 0;
}

static int
take_text(const struct lex *value, const char *key, char **out, struct error *e)
{
	if (want(value, LEX_STRING, key, "a string", e) == -1)
		return -1;
	if (*out != NULL)
		return lex_refuse(
		    value, e, "\"%s\" stands in an earlier object too", key);
	*out = lex_string(value);
	return 0;
}

/* The text of a string or number, or NULL with a reason. */
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

/* ---- parameters ---- */

static int
read_param(struct grid *g, const struct lex *key, const struct lex *value,
    struct error *e)
{
	char *name = lex_string(key);
	struct values *v = NULL;
	struct error why;

	if (strlist_check_name(name, &why) == -1)
		lex_refuse(key, e, "%s", why.text);
	else
		v = values_new(name);
	free(name);
	if (v == NULL)
		return -1;
	if (strlist_add_member(v, value, e) == -1) {
		values_free(v);
		return -1;
	}
	return grid_add_values(g, v, e);
}

static int
read_params(struct grid *g, const struct lex *params, struct error *e)
{
	struct lex_members m;
	struct lex key, value;

	if (want(params, LEX_OBJECT, "params", "an object of hyperparameters",
		e) == -1 ||
	    lex_unique(params, e) == -1)
		return -1;
	lex_members(&m, params);
	while (lex_next(&m, &key, &value))
		if (read_param(g, &key, &value, e) == -1)
			return -1;
	return 0;
}

/* ---- what is said about them ---- */

/* "line 3, column 7: "zip"", the label of what stands there. */
static const char *
label(const struct lex *at, const char *key, struct error *out)
{
	lex_refuse(at, out, "\"%s\"", key);
	return out->text;
}

static const char zip_shape[] =
    "an array of arrays of names, as in [[\"lr\", \"bs\"]]";

static int
put_name(FILE *f, const char *between, const struct lex *value, struct error *e)
{
	char *name;

	if (want(value, LEX_STRING, "zip", "made of names", e) == -1)
		return -1;
	name = lex_string(value);
	fprintf(f, "%s%s", between, name);
	free(name);
	return 0;
}

/* The names of a group as "lr,bs"; to free, or NULL. */
static char *
zip_text(const struct lex *group, struct error *e)
{
	struct lex_members m;
	struct lex value;
	char *text = NULL;
	size_t length, count = 0;
	FILE *f;
	int rc = 0;

	if (want(group, LEX_ARRAY, "zip", zip_shape, e) == -1)
		return NULL;
	f = xmemopen(&text, &length);
	lex_members(&m, group);
	while (rc == 0 && lex_next(&m, NULL, &value))
		rc = put_name(f, count++ > 0 ? "," : "", &value, e);
	xmemclose(f);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

static int
read_zip(struct grid *g, const struct lex *group, struct error *e)
{
	char *text = zip_text(group, e);
	struct error place;
	int rc;

	if (text == NULL)
		return -1;
	rc = grid_zip(g, label(group, "zip", &place), text, e);
	free(text);
	return rc;
}

static int
read_zips(struct grid *g, const struct lex *zips, struct error *e)
{
	struct lex_members m;
	struct lex group;

	if (want(zips, LEX_ARRAY, "zip", zip_shape, e) == -1)
		return -1;
	lex_members(&m, zips);
	while (lex_next(&m, NULL, &group))
		if (read_zip(g, &group, e) == -1)
			return -1;
	return 0;
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

/* Write {"opt": "sgd", "lr": 0.1} as opt=sgd,lr=0.1. */
static int
put_equalities(FILE *f, const struct lex *object, struct error *e)
{
	struct lex_members m;
	struct lex key, value;
	const char *between = "";
	char *name, *text;

	lex_members(&m, object);
	while (lex_next(&m, &key, &value)) {
		name = lex_string(&key);
		text = scalar(&value, name, e);
		if (text != NULL) {
			fprintf(f, "%s%s=", between, name);
			put_escaped(f, text);
			between = ",";
		}
		free(name);
		free(text);
		if (text == NULL)
			return -1;
	}
	return 0;
}

/* A condition of a spec, an object or a text, as text; to free, or NULL. */
static char *
condition_text(const struct lex *condition, const char *key, struct error *e)
{
	char *text = NULL;
	size_t length;
	FILE *f;
	int rc;

	if (condition->kind == LEX_STRING)
		return lex_string(condition);
	if (want(condition, LEX_OBJECT, key,
		"made of conditions, as in {\"opt\": \"adam\"} or "
		"\"opt=adam,lr<0.1\"",
		e) == -1 ||
	    lex_unique(condition, e) == -1)
		return NULL;
	f = xmemopen(&text, &length);
	rc = put_equalities(f, condition, e);
	xmemclose(f);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

static int
read_except(struct grid *g, const struct lex *condition, struct error *e)
{
	char *text = condition_text(condition, "exclude", e);
	struct error place;
	int rc;

	if (text == NULL)
		return -1;
	rc = grid_except(g, label(condition, "exclude", &place), text, e);
	free(text);
	return rc;
}

static int
read_excepts(struct grid *g, const struct lex *array, struct error *e)
{
	struct lex_members m;
	struct lex condition;

	if (want(array, LEX_ARRAY, "exclude", "an array of conditions", e) ==
	    -1)
		return -1;
	lex_members(&m, array);
	while (lex_next(&m, NULL, &condition))
		if (read_except(g, &condition, e) == -1)
			return -1;
	return 0;
}

static int
read_when(struct grid *g, const char *name, const struct lex *condition,
    struct error *e)
{
	char *text = condition_text(condition, "when", e), *both;
	struct error place;
	int rc;

	if (text == NULL)
		return -1;
	both = xasprintf("%s:%s", name, text);
	rc = grid_when(g, label(condition, "when", &place), both, e);
	free(both);
	free(text);
	return rc;
}

/* One condition of a name, or an array of which any may hold. */
static int
read_name_when(struct grid *g, const struct lex *key, const struct lex *value,
    struct error *e)
{
	char *name = lex_string(key);
	struct error why;
	struct lex_members m;
	struct lex condition;
	int rc = 0;

	if (strlist_check_name(name, &why) == -1)
		rc = lex_refuse(key, e, "%s", why.text);
	else if (value->kind != LEX_ARRAY)
		rc = read_when(g, name, value, e);
	else
		for (lex_members(&m, value);
		     rc == 0 && lex_next(&m, NULL, &condition);)
			rc = read_when(g, name, &condition, e);
	free(name);
	return rc;
}

static int
read_whens(struct grid *g, const struct lex *object, struct error *e)
{
	struct lex_members m;
	struct lex key, value;

	if (want(object, LEX_OBJECT, "when",
		"an object, as in {\"momentum\": {\"opt\": \"sgd\"}}",
		e) == -1 ||
	    lex_unique(object, e) == -1)
		return -1;
	lex_members(&m, object);
	while (lex_next(&m, &key, &value))
		if (read_name_when(g, &key, &value, e) == -1)
			return -1;
	return 0;
}

/* ---- what belongs to the job ---- */

static int
read_command(struct spec *s, const struct lex *array, struct error *e)
{
	struct lex_members m;
	struct lex word;
	size_t n = 0;

	if (want(array, LEX_ARRAY, "command",
		"an array of words, as in [\"python\", \"train.py\"]", e) == -1)
		return -1;
	if (s->command != NULL)
		return lex_refuse(
		    array, e, "\"command\" stands in an earlier object too");
	if (lex_count(array) == 0)
		return lex_refuse(array, e, "\"command\" has no words");
	s->command = xcalloc(lex_count(array) + 1, sizeof *s->command);
	lex_members(&m, array);
	while (lex_next(&m, NULL, &word)) {
		s->command[n] = scalar(&word, "command", e);
		if (s->command[n++] == NULL)
			return -1;
	}
	return 0;
}

/* An option as sbatch takes it, to free, or NULL. */
static char *
sbatch_word(const char *name, const struct lex *value, struct error *e)
{
	char *text, *word;

	if (value->kind == LEX_TRUE)
		return xasprintf("--%s", name);
	if (value->kind == LEX_FALSE) {
		lex_refuse(value, e,
		    "%.60s: leave the option out, or give it true or a value",
		    name);
		return NULL;
	}
	text = scalar(value, name, e);
	if (text == NULL)
		return NULL;
	word = xasprintf("--%s=%s", name, text);
	free(text);
	return word;
}

static int
read_option(char **out, const struct lex *key, const struct lex *value,
    const char *example, struct error *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	char *name = lex_string(key);
	int rc = 0;

	if (strlen(name) < 2 || !islower((unsigned char)*name) ||
	    name[strspn(name, letters)] != '\0')
		rc = lex_refuse(key, e,
		    "'%.60s': not the long name of an option, such as \"%s\"",
		    name, example);
	else
		*out = sbatch_word(name, value, e);
	free(name);
	return rc == 0 && *out != NULL ? 0 : -1;
}

/* A member that is an object of options; they go to *out as words. */
static int
read_options(char ***out, const struct lex *object, const char *member,
    const char *example, struct error *e)
{
	struct lex_members m;
	struct lex key, value;
	size_t n = 0;

	if (want(object, LEX_OBJECT, member,
		"an object of options, as in {\"partition\": \"gpu\"}",
		e) == -1 ||
	    lex_unique(object, e) == -1)
		return -1;
	if (*out != NULL)
		return lex_refuse(object, e,
		    "\"%s\" stands in an earlier object too", member);
	*out = xcalloc(lex_count(object) + 1, sizeof **out);
	lex_members(&m, object);
	while (lex_next(&m, &key, &value))
		if (read_option(&(*out)[n++], &key, &value, example, e) == -1)
			return -1;
	return 0;
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

static const char *const keys[KEYS] = {"name", "description", "params", "zip",
    "when", "exclude", "samples", "seed_of_draws", "sbatch", "policy",
    "command"};

static enum key
find_key(const struct lex *key)
{
	size_t i;

	for (i = 0; i < KEYS; i++)
		if (lex_is(key, keys[i]))
			break;
	return (enum key)i;
}

static int
unknown_key(const struct lex *key, struct error *e)
{
	char *name = lex_string(key), hint[TEXT_HINT];

	lex_refuse(key, e, "unknown key \"%.60s\" (%s)", name,
	    text_hint_of("\"", text_nearest(name, keys, KEYS), "\"",
		"hyperparameters stand in \"params\"", hint));
	free(name);
	return -1;
}

static int
read_key(struct spec *s, struct grid *g, const struct lex *key,
    const struct lex *value, struct error *e)
{
	switch (find_key(key)) {
	case NAME:
		return take_text(value, "name", &s->name, e);
	case DESCRIPTION:
		return take_text(value, "description", &s->description, e);
	case PARAMS:
		return read_params(g, value, e);
	case ZIP:
		return read_zips(g, value, e);
	case WHEN:
		return read_whens(g, value, e);
	case EXCLUDE:
		return read_excepts(g, value, e);
	case SAMPLES:
		return whole(value, "samples", 1, &g->samples, e);
	case SEED:
		g->has_seed = 1;
		return whole(value, "seed_of_draws", 0, &g->seed, e);
	case SBATCH:
		return read_options(
		    &s->sbatch, value, "sbatch", "partition", e);
	case POLICY:
		return read_options(&s->policy, value, "policy", "requeue", e);
	case COMMAND:
		return read_command(s, value, e);
	default:
		return unknown_key(key, e);
	}
}

static int
has_draws(const struct grid *g)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		if (values_are_drawn(g->values[i]))
			return 1;
	return 0;
}

static int
read_object(struct spec *s, const struct lex *object, struct error *e)
{
	struct lex_members m;
	struct lex key, value;
	struct grid *g = grid_new();

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
	if (g->samples > 0 && !has_draws(g))
		return lex_refuse(object, e,
		    "\"samples\", but no hyperparameter has a random "
		    "distribution, as in {\"uniform\": [0, 0.5]}");
	return 0;
}

static int
read_document(struct spec *s, const struct lex *document, struct error *e)
{
	struct lex_members m;
	struct lex object;

	if (document->kind != LEX_ARRAY)
		return read_object(s, document, e);
	lex_members(&m, document);
	while (lex_next(&m, NULL, &object)) {
		if (s->grids == MAX_GRIDS)
			return lex_refuse(
			    &object, e, "more than %d objects", MAX_GRIDS);
		if (read_object(s, &object, e) == -1)
			return -1;
	}
	if (s->grids == 0)
		return lex_refuse(document, e, "no objects in the array");
	return 0;
}

struct spec *
spec_new(const char *json, size_t length, struct error *e)
{
	struct spec *s;
	struct lex document;

	if (length > SPACE_SPEC) {
		error_set(e, "a spec of more than %d bytes", SPACE_SPEC);
		return NULL;
	}
	if (lex_parse(json, length, 1, &document, e) == -1)
		return NULL;
	s = xcalloc(1, sizeof *s);
	if (read_document(s, &document, e) == 0)
		return s;
	spec_free(s);
	return NULL;
}
