/* The keys of the configuration files and their values. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "config/keys.h"
#include "sys/fs.h"

const struct config_key config_keys[] = {
    {"", "store", CONFIG_PATH, 1},
    {"", "charset", CONFIG_CHOICE, 0, "ascii block braille"},
    {"", "color", CONFIG_CHOICE, 0, "always never auto", "auto"},
    {"submit", "args", CONFIG_CHOICE, 0, "long space hydra none positional",
	"long"},
    {"submit", "parallel", CONFIG_NUMBER, 0},
    {"submit", "max-tasks", CONFIG_NUMBER, 0, NULL, "10000"},
    {"submit", "metric", CONFIG_TEXT, 0, NULL, "val_loss"},
    {"submit", "goal", CONFIG_CHOICE, 0, "min max"},
    {"submit", "metrics", CONFIG_TEXT, 1},
    {"submit", "metrics-regex", CONFIG_LIST, 0},
    {"submit", "epochs", CONFIG_TEXT, 0},
    {"submit", "snapshot", CONFIG_TEXT, 1},
    {"submit", "no-snapshot", CONFIG_FLAG, 0},
    {"submit", "container", CONFIG_TEXT, 1},
    {"submit", "container-runtime", CONFIG_CHOICE, 0,
	"apptainer singularity pyxis slurm"},
    {"submit", "container-bind", CONFIG_LIST, 1},
    {"submit", "requeue", CONFIG_MAYBE, 0},
    {"submit", "signal-before", CONFIG_NUMBER, 0},
    {"submit", "signal", CONFIG_TEXT, 0, NULL, "USR1"},
    {"submit", "max-fail", CONFIG_NUMBER, 0},
    {"submit", "canary", CONFIG_FLAG, 0},
    {"submit", "retry-oom", CONFIG_TEXT, 0},
    {"submit", "retry-time", CONFIG_TEXT, 0},
    {"submit", "avoid-bad-nodes", CONFIG_MAYBE, 0},
    {"submit", "usage", CONFIG_TEXT, 0, NULL, "30"},
    {"watch", "on", CONFIG_PAIRS, 1},
    {"watch", "interval", CONFIG_NUMBER, 0, NULL, "60"},
    {"status", "interval", CONFIG_NUMBER, 0, NULL, "5"},
    {"status", "sort", CONFIG_TEXT, 0},
    {"status", "limit", CONFIG_NUMBER, 0},
    {"status", "no-refresh", CONFIG_FLAG, 0},
    {"plot", "height", CONFIG_NUMBER, 0, NULL, "16"},
    {"plot", "width", CONFIG_NUMBER, 0},
    {"plot", "smooth", CONFIG_TEXT, 0},
    {"log", "lines", CONFIG_TEXT, 0},
};

enum { KEYS = sizeof config_keys / sizeof *config_keys };
const size_t config_keys_count = KEYS;

static const char *const sections[] = {
    "sbatch", "submit", "watch", "status", "plot", "log"};

enum { SECTIONS = sizeof sections / sizeof *sections };

static const struct config_key of_sbatch = {"sbatch", NULL, CONFIG_MAYBE};

const struct config_key *
config_key(const char *section, const char *name)
{
	size_t i;

	if (strcmp(section, "sbatch") == 0)
		return &of_sbatch;
	for (i = 0; i < KEYS; i++)
		if (strcmp(config_keys[i].section, section) == 0 &&
		    strcmp(config_keys[i].name, name) == 0)
			return &config_keys[i];
	return NULL;
}

const char *
config_section(const char *name)
{
	int i = text_among(name, sections, SECTIONS);

	return i != -1 ? sections[i] : NULL;
}

const char *
config_nearest(const char *section, const char *name)
{
	const char *names[KEYS + SECTIONS], *near;
	size_t i, count = 0;

	if (strcmp(section, "sbatch") == 0)
		return sbatch_nearest(name);
	for (i = 0; i < KEYS; i++)
		if (strcmp(config_keys[i].section, section) == 0)
			names[count++] = config_keys[i].name;
	for (i = 0; *section == '\0' && i < SECTIONS; i++)
		names[count++] = sections[i];
	near = text_nearest(name, names, count);
	for (i = 0; near == NULL && *section == '\0' && i < KEYS; i++)
		near = text_nearest(name, &config_keys[i].name, 1);
	return near;
}

/* ---- options of sbatch ---- */

const char *
config_sbatch_refusal(const char *name)
{
	if (strcmp(name, "job-name") == 0 || strcmp(name, "dependency") == 0)
		return "it is for one job, and no default";
	if (config_key("submit", name) != NULL)
		return "stfm-submit has this option itself: put it into "
		       "\"submit\"";
	return sbatch_refusal(name);
}

/*
 * Any user may set options for resources.  Options that name files, programs or
 * people, and unknown options, are private.
 */
int
config_sbatch_is_private(const char *name)
{
	static const char *const open[] = {"account", "begin", "constraint",
	    "cores-per-socket", "cpus-per-gpu", "cpus-per-task", "deadline",
	    "distribution", "exclude", "exclusive", "gpu-bind", "gpus",
	    "gpus-per-node", "gpus-per-socket", "gpus-per-task", "gres",
	    "gres-flags", "hint", "licenses", "mem", "mem-bind", "mem-per-cpu",
	    "mem-per-gpu", "mincpus", "nice", "no-requeue", "nodelist", "nodes",
	    "ntasks", "ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node",
	    "ntasks-per-socket", "overcommit", "oversubscribe", "partition",
	    "prefer", "qos", "reservation", "sockets-per-node", "switches",
	    "threads-per-core", "time", "time-min", "tmp", "tres-per-task",
	    "wckey"};

	return text_among(name, open, sizeof open / sizeof *open) == -1;
}

/* ---- values ---- */

/* Write the value of the variable after a "$"; *at moves past its name. */
static int
put_variable(FILE *out, const char **at, struct error *e)
{
	const char *name = *at + 1, *value;
	size_t length = 0;
	char *copy;
	int rc = 0;

	while (isalnum((unsigned char)name[length]) || name[length] == '_')
		length++;
	copy = xstrndup(name, length);
	value = getenv(copy);
	if (value == NULL || *value == '\0')
		rc = error_set(e, "$%s is not set", copy);
	else
		fputs(value, out);
	free(copy);
	*at = name + length;
	return rc;
}

/* Return text with "~/" and "$USER" expanded, to free, or NULL. */
static char *
expand(const char *text, struct error *e)
{
	const char *home = getenv("HOME"), *at = text;
	char *path = NULL;
	size_t length;
	FILE *out = xmemopen(&path, &length);
	int rc = 0;

	if (strncmp(at, "~/", 2) == 0 && home != NULL) {
		fputs(home, out);
		at++;
	}
	while (rc == 0 && *at != '\0')
		if (*at == '$')
			rc = put_variable(out, &at, e);
		else
			putc(*at++, out);
	xmemclose(out);
	if (rc == 0)
		return path;
	free(path);
	return NULL;
}

static char *
read_path(const char *text, const char *dir, struct error *e)
{
	char *path = expand(text, e), *whole;

	if (path == NULL || *path == '/')
		return path;
	if (dir == NULL || *path == '\0' || *path == '~') {
		error_set(e, "'%s': a path begins with / or ~/", text);
		free(path);
		return NULL;
	}
	whole = fs_join(dir, path);
	free(path);
	return whole;
}

int
config_is_choice(const struct config_key *key, const char *text)
{
	const char *choices = key->choices;
	size_t length = strlen(text), n;

	for (; *choices != '\0'; choices += n + (choices[n] == ' ')) {
		n = strcspn(choices, " ");
		if (n == length && strncmp(choices, text, n) == 0)
			return 1;
	}
	return 0;
}

/* Check a text, which is taken over.  Returns the value, to free, or NULL. */
static char *
check_text(
    const struct config_key *key, char *text, const char *dir, struct error *e)
{
	char *path = NULL;
	int64_t n;
	int rc = 0;

	if (key->kind == CONFIG_PATH) {
		path = read_path(text, dir, e);
		free(text);
		return path;
	}
	if (key->kind == CONFIG_NUMBER &&
	    num_int("", text, 1, INT64_MAX, &n, NULL) == -1)
		rc = error_set(e, "'%s' is no whole number from 1 on", text);
	if (key->kind == CONFIG_CHOICE && !config_is_choice(key, text))
		rc = error_set(e, "'%s' is none of: %s", text, key->choices);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

int
config_value(const struct config_key *key, const struct lex *v,
    const char *name, const char *dir, char **value, int *off, struct error *e)
{
	static const char *const shapes[] = {
	    [CONFIG_TEXT] = "a text or a number",
	    [CONFIG_NUMBER] = "a whole number",
	    [CONFIG_CHOICE] = "a text",
	    [CONFIG_PATH] = "a text",
	    [CONFIG_FLAG] = "true or false",
	    [CONFIG_MAYBE] = "true, false, a text or a number",
	    [CONFIG_LIST] = "a text or an array of texts",
	    [CONFIG_PAIRS] = "an object of commands by their events",
	};
	int flag = key->kind == CONFIG_FLAG || key->kind == CONFIG_MAYBE;
	struct error why;

	*value = NULL;
	*off = v->kind == LEX_NULL || (flag && v->kind == LEX_FALSE);
	if (*off || (flag && v->kind == LEX_TRUE))
		return 0;
	if (key->kind == CONFIG_FLAG || key->kind == CONFIG_PAIRS ||
	    (v->kind != LEX_STRING && v->kind != LEX_NUMBER) ||
	    (v->kind == LEX_NUMBER &&
		(key->kind == CONFIG_CHOICE || key->kind == CONFIG_PATH)))
		return lex_refuse(
		    v, e, "\"%s\" is %s", name, shapes[key->kind]);
	*value = v->kind == LEX_STRING ? lex_string(v) : lex_source(v);
	if (**value == '\0')
		error_set(&why, "the value is empty");
	else
		*value = check_text(key, *value, dir, &why);
	if (*value != NULL && **value != '\0')
		return 0;
	free(*value);
	*value = NULL;
	return lex_refuse(v, e, "\"%s\": %s", name, why.text);
}
