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
	for (i = 0; i < g->zips; i++) {
		strlist_free(&g->zip[i].name);
		free(g->zip[i].label);
	}
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
		if (strcmp(g->values[i]->name, name) == 0)
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

int
grid_add(struct grid *g, const char *word, space_read *read, void *arg,
    struct error *e)
{
	size_t length = expression_name_length(word), end = strcspn(word, "=");
	int is_json = end > 0 && word[end] == '=' && word[end - 1] == ':', rc;
	struct values *v, *added = NULL;
	char *name;

	if (word[end] == '\0' && length > 0 && word[length] == '\0')
		return error_set(
		    e, "%.60s: no values (write %.60s=1e-3,1e-4)", word, word);
	if (word[end] == '\0')
		return error_set(e,
		    "'%.60s': not a hyperparameter (write NAME=VALUES, as in "
		    "lr=1e-3,1e-4)",
		    word);
	name = xstrndup(word, end - (size_t)is_json);
	if (words_check_name(name, e) == -1) {
		free(name);
		return -1;
	}
	v = grid_find(g, name);
	if (v == NULL)
		v = added = values_new(name);
	free(name);
	rc = is_json ? words_add_json(v, word + end + 1, e)
		     : words_add(v, word + end + 1, read, arg, e);
	if (rc == 0 && added != NULL)
		return grid_add_values(g, added, e);
	values_free(rc == 0 ? NULL : added);
	return rc;
}

/* ---- zips and conditions ---- */

int
grid_zip(struct grid *g, const char *option, const char *names, struct error *e)
{
	struct grid_zip z = {.label = xasprintf("%s %.200s", option, names)};
	size_t length;
	char *name;
	int rc = 0, more = 1;

	for (; rc == 0 && more; names += length + 1) {
		length = strcspn(names, ",");
		more = names[length] != '\0';
		name = xstrndup(names, length);
		rc = words_check_name(name, e);
		if (rc == 0 && strlist_have(&z.name, name))
			rc = error_set(e, "%s is named twice", name);
		strlist_take(&z.name, name);
		if (rc == 0 && more && z.name.count == SPACE_NAMES)
			rc = error_set(e, "more than %d names", SPACE_NAMES);
	}
	if (rc == 0 && z.name.count < 2)
		rc = error_set(e,
		    "only one name (write two or more, as in lr,batch_size)");
	if (rc == 0) {
		g->zip = xgrow(g->zip, g->zips, sizeof *g->zip);
		g->zip[g->zips++] = z;
		return 0;
	}
	error_prefix(e, z.label);
	strlist_free(&z.name);
	free(z.label);
	return -1;
}

/* Add a condition, given as text; its label shows whole. */
static int
push_condition(struct grid_condition **array, size_t *count, const char *option,
    const char *whole, const char *text, struct error *e)
{
	struct expression *where = expression_new(text, e);
	size_t i;

	for (i = 0; where != NULL && i < where->count; i++)
		if (where->comparison[i].is_alone) {
			expression_free(where);
			where = NULL;
			expression_refuse_alone(text, e);
		}
	if (where == NULL)
		return error_prefix(e, option);
	*array = xgrow(*array, *count, sizeof **array);
	(*array)[(*count)++] = (struct grid_condition){
	    .label = xasprintf("%s %.200s", option, whole), .where = where};
	return 0;
}

int
grid_except(
    struct grid *g, const char *option, const char *text, struct error *e)
{
	return push_condition(&g->except, &g->excepts, option, text, text, e);
}

int
grid_when(struct grid *g, const char *option, const char *text, struct error *e)
{
	size_t length = expression_name_length(text);

	if (length == 0 || text[length] != ':')
		return error_set(e,
		    "%s %.200s: write NAME:CONDITION, as in momentum:opt=sgd",
		    option, text);
	if (push_condition(
		&g->when, &g->whens, option, text, text + length + 1, e) == -1)
		return -1;
	g->when[g->whens - 1].name = xstrndup(text, length);
	return 0;
}
