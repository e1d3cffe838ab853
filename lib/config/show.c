/* Tables of the settings, for people and programs. */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "config/config.h"
#include "config/keys.h"

enum column { KEY, VALUE, FROM, LEVEL, FILE_, LINE, HOLDS, NOTE, COLUMNS };

static const struct table_column columns[COLUMNS] = {
    [KEY] = {"key", "KEY", .cut = 3, .least = 8},
    [VALUE] = {"value", "VALUE", .cut = 2, .least = 8},
    [FROM] = {.head = "FROM", .cut = 1, .least = 8},
    [LEVEL] = {.name = "level"},
    [FILE_] = {.name = "from"},
    [LINE] = {.name = "line"},
    [HOLDS] = {.name = "holds"},
    [NOTE] = {.head = "NOTE", .optional = 1, .drop = 4},
};

static const char *const levels[CONFIG_LEVELS] = {
    [CONFIG_BUILT_IN] = "built in",
    [CONFIG_SITE] = "site",
    [CONFIG_USER] = "user",
    [CONFIG_NEAREST] = "nearest",
    [CONFIG_PROJECT] = "project",
    [CONFIG_ENVIRONMENT] = "environment",
};

/* Return path with "~" for the home directory; to free. */
static char *
short_path(const char *path)
{
	const char *home = getenv("HOME");
	size_t length = home != NULL ? strlen(home) : 0;

	if (length > 1 && strncmp(path, home, length) == 0 &&
	    path[length] == '/')
		return xasprintf("~%s", path + length);
	return xstrdup(path);
}

static void
put_key(struct table *t, const char *section, const char *name)
{
	char *key = xasprintf("%s%s%s", section, *section ? "." : "", name);

	table_row(t);
	table_text(t, KEY, key);
	free(key);
}

static void
put_setting(struct table *t, const struct config_setting *s)
{
	const char *value = s->is_off ? "false" : s->value;
	char *from, *path;

	put_key(t, s->section, s->name);
	table_value(t, VALUE, value != NULL ? value : "true");
	if (strcmp(s->name, "store") == 0) {
		path = short_path(s->value != NULL ? s->value : "");
		table_show(t, VALUE, path);
		free(path);
	}
	if (s->line > 0) /* file listed below */
		from = xasprintf("%s:%zu", levels[s->level], s->line);
	else
		from = xstrdup(s->from != NULL ? s->from : levels[s->level]);
	table_text(t, FROM, from);
	free(from);
	table_text(t, LEVEL, levels[s->level]);
	table_text(t, FILE_, s->from);
	if (s->line > 0)
		table_int(t, LINE, (int64_t)s->line);
	table_flag(t, HOLDS, s->holds);
	table_text(t, NOTE, s->holds ? NULL : "overridden");
}

/* Write the keys without a setting. */
static void
put_unset(struct table *t, const struct config *c)
{
	const struct config_key *k;
	size_t i;

	for (k = config_keys; k < config_keys + config_keys_count; k++) {
		for (i = 0; i < c->settings; i++)
			if (config_key(
				c->setting[i].section, c->setting[i].name) == k)
				break;
		if (i < c->settings)
			continue;
		put_key(t, k->section, k->name);
		table_text(t, NOTE, "not set");
	}
}

static void
show_files(FILE *out, const struct config *c, const struct table_look *look)
{
	static const struct table_column heads[] = {
	    {.head = "LEVEL"},
	    {.head = "FILE", .cut = 1, .least = 8},
	    {.head = "NOTE", .optional = 1},
	};
	static const enum config_level order[] = {
	    CONFIG_PROJECT, CONFIG_USER, CONFIG_SITE};
	struct table *t = table_new(out, heads, 3, look);
	const struct config_file *f;
	char *path;
	size_t i;

	for (i = 0; i < 3; i++) {
		f = &c->file[order[i]];
		path = f->path != NULL ? short_path(f->path) : NULL;
		table_row(t);
		table_text(t, 0, levels[order[i]]);
		table_text(t, 1, path);
		table_text(t, 2,
		    path == NULL        ? "none"
			: !f->is_there  ? "not there"
			: f->is_foreign ? "others can write to it"
					: NULL);
		free(path);
	}
	table_end(t);
}

void
config_show(
    FILE *out, const struct config *c, const struct table_look *look, int all)
{
	struct table *t = table_new(out, columns, COLUMNS, look);
	size_t i;

	for (i = 0; i < c->settings; i++)
		if (all || (c->setting[i].holds && !c->setting[i].is_off))
			put_setting(t, &c->setting[i]);
	if (all)
		put_unset(t, c);
	table_end(t);
	if (look->format != TABLE_TEXT)
		return;
	putc('\n', out);
	show_files(out, c, look);
}
