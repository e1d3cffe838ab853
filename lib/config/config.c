#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "config/keys.h"
#include "sys/fs.h"

#ifndef STFM_SYSCONFDIR
#define STFM_SYSCONFDIR "/etc"
#endif

extern char **environ;

enum { LIMIT = 1 << 20, OTHERS = 022 };

static const char *
variable(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? value : NULL;
}

/* ---- the list of settings ---- */

/* Add a setting, which takes over its texts. */
static void
add(struct config *c, const struct config_setting *s)
{
	c->setting = xgrow(c->setting, c->settings, sizeof *c->setting);
	c->setting[c->settings++] = *s;
}

static void
add_text(struct config *c, const struct config_key *key, const char *name,
    const char *value, enum config_level level, const char *from)
{
	add(c,
	    &(struct config_setting){
		.section = key->section,
		.name = xstrdup(name),
		.value = xstrdup(value),
		.level = level,
		.from = xcopy(from),
	    });
}

static void
problem(struct config *c, const char *section, int passed_over, char *text)
{
	c->problem = xgrow(c->problem, c->problems, sizeof *c->problem);
	c->problem[c->problems++] =
	    (struct config_problem){section, text, passed_over};
}

void
config_free(struct config *c)
{
	size_t i;

	if (c == NULL)
		return;
	for (i = 0; i < CONFIG_LEVELS; i++)
		free(c->file[i].path);
	for (i = 0; i < c->settings; i++) {
		free(c->setting[i].name);
		free(c->setting[i].value);
		free(c->setting[i].from);
	}
	for (i = 0; i < c->problems; i++)
		free(c->problem[i].text);
	free(c->setting);
	free(c->problem);
	free(c);
}

/* ---- reading a file ---- */

/* A file being read. */
struct reader {
	struct config *config;
	enum config_level level;
	const char *path;
	char *dir; /* directory for relative paths; NULL refuses them */
	int is_foreign;
};

/* Add a problem; a problem in another user's file does not stop the command. */
static void
refuse(const struct reader *r, const char *section, const struct error *e)
{
	problem(r->config, section, r->is_foreign,
	    xasprintf("%s: %s", r->path, e->text));
}

/*
 * Return the key called name if this file may set it, else add a problem and
 * return NULL.
 */
static const struct config_key *
find_key(const struct reader *r, const char *section, const char *name,
    const struct lex *at)
{
	const struct config_key *key = config_key(section, name);
	int in_sbatch = strcmp(section, "sbatch") == 0;
	const char *why = in_sbatch ? config_sbatch_refusal(name) : NULL;
	const char *near = config_nearest(section, name);
	char hint[TEXT_HINT];
	struct error e;

	/* A plug-in of Slurm may have an option that stfm does not know. */
	if (why != NULL)
		lex_refuse(at, &e, "\"%s\": %s", name, why);
	else if (key == NULL ||
	    (in_sbatch && sbatch_name(name) == NULL && near != NULL))
		lex_refuse(at, &e, "unknown key \"%.60s\"%s%s%s (%s)", name,
		    *section ? " in \"" : "", section, *section ? "\"" : "",
		    text_hint_of("\"", near, "\"", "see stfm-config(5)", hint));
	else if (r->is_foreign &&
	    (in_sbatch ? config_sbatch_is_private(name) : key->is_private))
		lex_refuse(at, &e,
		    "\"%s\" is not taken from a file that others can write "
		    "to",
		    name);
	else
		return key;
	refuse(r, section, &e);
	return NULL;
}

/* Return the line on which a value begins, if lines are counted. */
static size_t
line_of(const struct lex *v)
{
	size_t line = v->line;
	const char *p;

	for (p = v->whole; p < v->text; p++)
		line += *p == '\n';
	return line;
}

static void
add_value(const struct reader *r, const struct config_key *key,
    const char *name, const struct lex *value)
{
	struct config_setting s = {.section = key->section, .level = r->level};
	const char *known;
	struct error e;

	if (config_value(key, value, name, r->dir, &s.value, &s.is_off, &e) ==
	    -1) {
		refuse(r, key->section, &e);
		return;
	}
	known = key->name != NULL ? key->name : sbatch_name(name);
	s.name = xstrdup(known != NULL ? known : name);
	s.from = xstrdup(r->path);
	s.line = line_of(value);
	s.at = (size_t)(value->text - value->whole);
	add(r->config, &s);
}

/* Add {"finished": "COMMAND"} as "finished COMMAND". */
static void
add_pair(const struct reader *r, const struct config_key *key,
    const struct lex *name, const struct lex *value)
{
	const struct config_key text = {key->section, key->name, CONFIG_TEXT};
	size_t before = r->config->settings;
	char *first, *second;

	add_value(r, &text, key->name, value);
	if (r->config->settings == before)
		return;
	first = lex_string(name);
	second = r->config->setting[before].value;
	if (second != NULL)
		r->config->setting[before].value =
		    xasprintf("%s %s", first, second);
	free(second);
	free(first);
}

static void
read_member(const struct reader *r, const char *section, const struct lex *key,
    const struct lex *value)
{
	char *name = lex_string(key);
	const struct config_key *known = find_key(r, section, name, key);
	int list, pairs;
	struct lex_members m;
	struct lex event, one;

	list = known != NULL && known->kind == CONFIG_LIST &&
	    value->kind == LEX_ARRAY;
	pairs = known != NULL && known->kind == CONFIG_PAIRS &&
	    value->kind == LEX_OBJECT;
	if (list || pairs) {
		lex_members(&m, value);
		while (lex_next(&m, &event, &one))
			if (pairs)
				add_pair(r, known, &event, &one);
			else
				add_value(r, known, name, &one);
	} else if (known != NULL) {
		add_value(r, known, name, value);
	}
	free(name);
}

/* Read the members of a section, or of the whole file if section is "". */
static void
read_object(
    const struct reader *r, const char *section, const struct lex *object)
{
	const char *below;
	struct lex_members m;
	struct lex key, value;
	struct error e;
	char *name;

	if (object->kind != LEX_OBJECT || lex_unique(object, &e) == -1) {
		if (object->kind != LEX_OBJECT)
			lex_refuse(object, &e,
			    "an object of options stands here, as in "
			    "{\"partition\": \"gpu\"}");
		refuse(r, section, &e);
		return;
	}
	lex_members(&m, object);
	while (lex_next(&m, &key, &value)) {
		name = lex_string(&key);
		below = *section == '\0' ? config_section(name) : NULL;
		if (below != NULL)
			read_object(r, below, &value);
		else
			read_member(r, section, &key, &value);
		free(name);
	}
}

/* Read a file, if it exists.  The configuration takes over path. */
static void
read_file(struct config *c, enum config_level level, char *path, char *dir)
{
	struct reader r = {c, level, path, dir, 0};
	struct stat st = {0};
	struct lex v;
	struct error e;
	size_t length;
	char *text;

	c->file[level].path = path;
	if (path == NULL || strcmp(path, "/dev/null") == 0)
		return;
	/* fs_read_from leaves errno alone if path is not a regular file. */
	errno = 0;
	if (fs_read_from(path, 0, LIMIT, &text, &length, &st, &e) == -1) {
		if (variable("STFM_CONFIG") != NULL || !fs_says_absent(errno))
			problem(
			    c, NULL, level == CONFIG_PROJECT, xstrdup(e.text));
		return;
	}
	r.is_foreign = level != CONFIG_SITE &&
	    ((st.st_uid != geteuid() && st.st_uid != 0) ||
		(st.st_mode & OTHERS) != 0);
	c->file[level].is_there = 1;
	c->file[level].is_foreign = r.is_foreign;
	if (length == LIMIT) {
		error_set(&e, "larger than all there is to say");
		refuse(&r, NULL, &e);
		/* Empty files are allowed, as /dev/null is. */
	} else if (strspn(text, " \t\r\n") < length) {
		if (lex_parse(text, length, 1, &v, &e) == -1 ||
		    (v.kind != LEX_OBJECT &&
			lex_refuse(&v, &e, "an object stands here: {...}") ==
			    -1))
			refuse(&r, NULL, &e);
		else
			read_object(&r, "", &v);
	}
	free(text);
}

/* ---- the files ---- */

static void
read_files(struct config *c)
{
	static const char tail[] = "/.stfm/config.json";
	const char *one = variable("STFM_CONFIG");
	const char *site = getenv("STFM_SITE_CONFIG");
	char *user, *project, *dir;
	size_t length;

	if (one != NULL) {
		read_file(c, CONFIG_USER, fs_absolute(one), NULL);
		return;
	}
	if (site == NULL)
		site = STFM_SYSCONFDIR "/stfm/config.json";
	read_file(c, CONFIG_SITE, *site != '\0' ? fs_absolute(site) : NULL,
	    NULL); /* set but empty means no file */
	user = fs_xdg("XDG_CONFIG_HOME", ".config");
	read_file(c, CONFIG_USER,
	    user != NULL ? fs_join(user, "stfm/config.json") : NULL, NULL);
	free(user);
	project = fs_nearest(tail + 1);
	length = project != NULL ? strlen(project) - (sizeof tail - 1) : 0;
	dir = length > 0 ? xstrndup(project, length) : xstrdup("/");
	read_file(c, CONFIG_PROJECT, project, dir);
	free(dir);
}

/* ---- built-in defaults and the environment ---- */

static void
add_built_in(struct config *c)
{
	const struct config_key *sbatch = config_key("sbatch", "gres"), *k;
	const struct config_key *store = config_key("", "store");
	char *data = fs_xdg("XDG_DATA_HOME", ".local/share");
	char *near = fs_nearest(".stfm"), *path;

	for (k = config_keys; k < config_keys + config_keys_count; k++)
		if (k->built_in != NULL)
			add_text(
			    c, k, k->name, k->built_in, CONFIG_BUILT_IN, NULL);
	add_text(c, sbatch, "gres", "gpu:1", CONFIG_BUILT_IN, NULL);
	add_text(c, sbatch, "ntasks-per-node", "1", CONFIG_BUILT_IN, NULL);
	if (data != NULL) { /* the same stores as store_path finds */
		path = fs_join(data, "stfm");
		add_text(c, store, "store", path, CONFIG_BUILT_IN, NULL);
		free(path);
	}
	if (near != NULL)
		add_text(c, store, "store", near, CONFIG_NEAREST,
		    "the nearest .stfm");
	free(near);
	free(data);
}

/*
 * Return the value of "color" from the first variable that sets one, and its
 * name in *name.
 */
static const char *
color_variable(const char **name)
{
	static const char *const names[] = {
	    "NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"};
	const char *value;
	size_t i;

	for (i = 0; i < 3; i++) {
		value = variable(*name = names[i]);
		if (value == NULL ||
		    (i > 0 && (strcmp(value, "0") == 0) != (i > 1)))
			continue;
		return i == 1 ? "always" : "never";
	}
	return NULL;
}

static void
add_variable(struct config *c, const char *section, const char *option,
    const char *name, const char *value)
{
	char *from = xasprintf("$%s", name);

	if (value != NULL)
		add_text(c, config_key(section, option), option, value,
		    CONFIG_ENVIRONMENT, from);
	free(from);
}

static void
add_environment(struct config *c)
{
	struct sbatch given;
	const char *value;
	const char *name = NULL;
	char *variable_name;
	size_t i;

	add_variable(c, "", "store", "STFM_DIR", variable("STFM_DIR"));
	add_variable(
	    c, "", "charset", "STFM_CHARSET", variable("STFM_CHARSET"));
	value = color_variable(&name);
	add_variable(c, "", "color", name != NULL ? name : "", value);
	for (i = 0; environ[i] != NULL; i++) {
		given = (struct sbatch){0};
		sbatch_environment(&given, (char *[]){environ[i], NULL});
		if (given.count > 0) {
			variable_name =
			    xstrndup(environ[i], strcspn(environ[i], "="));
			add_variable(c, "sbatch", given.given[0].name,
			    variable_name, given.given[0].value);
			free(variable_name);
		}
		sbatch_free(&given);
	}
}

/* ---- settings in effect ---- */

static size_t
order_of(const struct config_setting *s)
{
	const struct config_key *key = config_key(s->section, s->name);

	return key->name != NULL ? (size_t)(key - config_keys)
				 : config_keys_count;
}

/* Compare by option, then by level. */
static int
by_option(const void *a, const void *b)
{
	const struct config_setting *x = a, *y = b;
	size_t i = order_of(x), k = order_of(y);
	int order = strcmp(x->name, y->name);

	if (i != k)
		return i < k ? -1 : 1;
	if (order != 0)
		return order;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Return whether b sets the same as the built-in sbatch default a. */
static int
is_answered(const struct config_setting *a, const struct config_setting *b)
{
	struct sbatch given = {0};
	int yes;

	sbatch_add(&given, b->name, b->value);
	yes = strcmp(a->name, "gres") == 0 ? sbatch_has_gpu(&given)
					   : sbatch_has_tasks(&given);
	sbatch_free(&given);
	return yes;
}

/* Return whether b replaces a, which must be of a lower level. */
static int
hides(const struct config_setting *b, const struct config_setting *a)
{
	if (b->level <= a->level || strcmp(a->section, b->section) != 0)
		return 0;
	if (b->is_off && a->line == 0)
		return 0; /* false removes only settings of files */
	if (strcmp(a->section, "sbatch") == 0)
		return sbatch_is_like(a->name, b->name) ||
		    (a->level == CONFIG_BUILT_IN && is_answered(a, b));
	if (strcmp(a->name, b->name) == 0)
		return 1;
	/* The goal of one metric may be wrong for another. */
	return strcmp(a->name, "goal") == 0 && strcmp(b->name, "metric") == 0;
}

struct config *
config_load(void)
{
	struct config *c = xcalloc(1, sizeof *c);
	size_t i, k;

	add_built_in(c);
	read_files(c);
	add_environment(c);
	if (c->settings > 0)
		qsort(c->setting, c->settings, sizeof *c->setting, by_option);
	for (i = 0; i < c->settings; i++) {
		c->setting[i].holds = 1;
		for (k = 0; k < c->settings; k++)
			if (hides(&c->setting[k], &c->setting[i]))
				c->setting[i].holds = 0;
	}
	return c;
}

int
config_check(const struct config *c, const char *section, struct error *e)
{
	const struct config_problem *p;
	size_t i;

	for (i = 0; i < c->problems; i++) {
		p = &c->problem[i];
		if (!p->is_passed_over && config_concerns(p, section))
			return error_set(e, "%s", p->text);
	}
	return 0;
}

int
config_concerns(const struct config_problem *p, const char *section)
{
	return p->section == NULL || *p->section == '\0' ||
	    strcmp(p->section, section) == 0 ||
	    (strcmp(p->section, "sbatch") == 0 &&
		strcmp(section, "submit") == 0);
}
