#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "space/grid.h"
#include "space/words.h"

struct grid *
grid_new(void)
{
	return xcalloc(1, sizeof(struct grid));
}

static void
zip_free(struct grid_zip *z)
{
	size_t i;

	for (i = 0; i < z->names; i++)
		free(z->name[i]);
	free(z->name);
	free(z->label);
}

static void
conditions_free(struct grid_condition *c, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free(c[i].label);
		free(c[i].name);
		expression_free(c[i].where);
	}
	free(c);
}

void
grid_free(struct grid *g)
{
	size_t i;

	if (g == NULL)
		return;
	for (i = 0; i < g->count; i++)
		values_free(g->values[i]);
	free(g->values);
	for (i = 0; i < g->zips; i++)
		zip_free(&g->zip[i]);
	free(g->zip);
	conditions_free(g->when, g->whens);
	conditions_free(g->except, g->excepts);
	free(g);
}

struct values *
grid_find(const struct grid *g, const char *name)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		if (strcmp(values_name(g->values[i]), name) == 0)
			return g->values[i];
	return NULL;
}

/* ---- hyperparameters ---- */

int
grid_add_values(struct grid *g, struct values *v, struct error *e)
{
	if (g->count == SPACE_NAMES) {
		values_free(v);
		return error_set(
		    e, "more than %d hyperparameters", SPACE_NAMES);
	}
	g->values = xgrow(g->values, g->count, sizeof *g->values);
	g->values[g->count++] = v;
	return 0;
}

/* Cut a word after its name; what follows the = or := is put into *rest. */
static char *
word_name(const char *word, const char **rest, int *is_json, struct error *e)
{
	size_t length = expression_name_length(word), end = strcspn(word, "=");
	char *name;

	*is_json = end > 0 && word[end] == '=' && word[end - 1] == ':';
	*rest = word + end + 1;
	if (word[end] == '\0') {
		if (length > 0 && word[length] == '\0')
			error_set(e, "%.60s: no values (write %.60s=1e-3,1e-4)",
			    word, word);
		else
			error_set(e,
			    "'%.60s': not a hyperparameter (write "
			    "NAME=VALUES, as in lr=1e-3,1e-4)",
			    word);
		return NULL;
	}
	name = xstrndup(word, end - (size_t)*is_json);
	if (strlist_check_name(name, e) == 0)
		return name;
	free(name);
	return NULL;
}

int
grid_add(struct grid *g, const char *word, space_read *read, void *arg,
    struct error *e)
{
	struct values *v, *added = NULL;
	const char *rest;
	char *name;
	int is_json, rc;

	name = word_name(word, &rest, &is_json, e);
	if (name == NULL)
		return -1;
	v = grid_find(g, name);
	if (v == NULL)
		v = added = values_new(name);
	free(name);
	rc = is_json ? strlist_add_json(v, rest, e)
		     : strlist_add(v, rest, read, arg, e);
	if (rc == 0 && added != NULL)
		return grid_add_values(g, added, e);
	values_free(rc == 0 ? NULL : added);
	return rc;
}

/* ---- what is said about them ---- */

static int
zip_names(struct grid_zip *z, const char *names, struct error *e)
{
	size_t length, i;

	for (;; names += length + 1) {
		length = strcspn(names, ",");
		z->name = xgrow(z->name, z->names, sizeof *z->name);
		z->name[z->names++] = xstrndup(names, length);
		if (strlist_check_name(z->name[z->names - 1], e) == -1)
			return -1;
		for (i = 0; i + 1 < z->names; i++)
			if (strcmp(z->name[i], z->name[z->names - 1]) == 0)
				return error_set(
				    e, "%s is named twice", z->name[i]);
		if (names[length] == '\0')
			break;
		if (z->names == SPACE_NAMES)
			return error_set(e, "more than %d names", SPACE_NAMES);
	}
	if (z->names < 2)
		return error_set(e,
		    "only one name (write two or more, as in lr,batch_size)");
	return 0;
}

int
grid_zip(struct grid *g, const char *option, const char *names, struct error *e)
{
	struct grid_zip z = {0};

	z.label = xasprintf("%s %.200s", option, names);
	if (zip_names(&z, names, e) == -1) {
		error_prefix(e, z.label);
		zip_free(&z);
		return -1;
	}
	g->zip = xgrow(g->zip, g->zips, sizeof *g->zip);
	g->zip[g->zips++] = z;
	return 0;
}

static int
push_condition(struct grid_condition **array, size_t *count, const char *option,
    const char *whole, char *name, const char *text, struct error *e)
{
	struct expression *w = expression_new(text, e);
	struct grid_condition *c;

	if (w == NULL) {
		free(name);
		return error_prefix(e, option);
	}
	*array = xgrow(*array, *count, sizeof **array);
	c = &(*array)[(*count)++];
	c->label = xasprintf("%s %.200s", option, whole);
	c->name = name;
	c->where = w;
	return 0;
}

int
grid_except(
    struct grid *g, const char *option, const char *text, struct error *e)
{
	return push_condition(
	    &g->except, &g->excepts, option, text, NULL, text, e);
}

int
grid_when(struct grid *g, const char *option, const char *text, struct error *e)
{
	size_t length = expression_name_length(text);

	if (length == 0 || text[length] != ':')
		return error_set(e,
		    "%s %.200s: write NAME:CONDITION, as in momentum:opt=sgd",
		    option, text);
	return push_condition(&g->when, &g->whens, option, text,
	    xstrndup(text, length), text + length + 1, e);
}
