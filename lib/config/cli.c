/* The defaults of the running command. */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "config/config.h"

/* The configuration, read once and never freed: options point into it. */
static struct config *loaded;

/*
 * Lists for cli_next.  They own the text of from, the settings own the other
 * text.
 */
struct list {
	struct cli_default *item;
	size_t count;
};

static struct list own, sbatch;

static void
add(struct list *list, const struct config_setting *s)
{
	list->item = xgrow(list->item, list->count, sizeof *list->item);
	if (s == NULL) {
		list->item[list->count] = (struct cli_default){0};
		return;
	}
	list->item[list->count++] = (struct cli_default){
	    s->name, s->value, xasprintf("%s: line %zu", s->from, s->line)};
}

/* Return whether a setting comes from a file and is in effect. */
static int
is_given(const struct config_setting *s)
{
	return s->holds && !s->is_off && s->line > 0;
}

/* Read the files, and add problems that are skipped to notes. */
static int
load(const char *section, struct strlist *notes, struct error *e)
{
	const struct config_problem *p;

	if (loaded == NULL)
		loaded = config_load();
	if (config_check(loaded, section, e) == -1)
		return -1;
	for (p = loaded->problem; p < loaded->problem + loaded->problems; p++)
		if (p->is_passed_over && config_concerns(p, section))
			strlist_push(notes, p->text);
	return 0;
}

const struct cli_default *
config_defaults(const char *command, struct strlist *notes, struct error *e)
{
	const char *section = command + strlen("stfm-");
	const struct config_setting *s;

	if (load(section, notes, e) == -1)
		return NULL;
	for (s = loaded->setting; s < loaded->setting + loaded->settings; s++)
		if (is_given(s) &&
		    (*s->section == '\0' || strcmp(s->section, section) == 0))
			add(&own, s);
	add(&own, NULL);
	return own.item;
}

int
config_store(const char **out, struct strlist *notes, struct error *e)
{
	*out = NULL;
	if (load("", notes, e) == -1)
		return -1;
	*out = config_given("", "store");
	return 0;
}

const char *
config_given(const char *section, const char *name)
{
	const struct config_setting *s;
	const char *value = NULL;
	size_t i;

	for (i = 0; loaded != NULL && i < loaded->settings; i++) {
		s = &loaded->setting[i];
		if (is_given(s) && strcmp(s->section, section) == 0 &&
		    strcmp(s->name, name) == 0)
			value = s->value;
	}
	return value;
}

const struct cli_default *
config_sbatch(struct sbatch *out)
{
	const struct config_setting *s;
	size_t i;

	for (i = 0; loaded != NULL && i < loaded->settings; i++) {
		s = &loaded->setting[i];
		if (!is_given(s) || strcmp(s->section, "sbatch") != 0)
			continue;
		add(&sbatch, s);
		sbatch_add(out, s->name, s->value);
	}
	add(&sbatch, NULL);
	return sbatch.item;
}
