#include <sys/stat.h>

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "runner/software.h"
#include "sys/fs.h"

/* The most bytes of a script, modules, and packages; the rest is left out. */
enum { SCRIPT = 1 << 20, MODULES = 64, SHOWN = 64 };

/* The names in a directory of packages. */
struct packages {
	const char *place;
	struct fs_names names;
	char **top_level; /* text of each top_level.txt once read */
};

/* A script, the modules in its directory, and the names that they import. */
struct imports {
	char *directory;
	struct strlist modules; /* files; those not read yet come last */
	struct strlist names;   /* imported names, each once */
};

/* Return the text of a regular file, to free, or NULL: a pipe could block. */
static char *
read_file(const char *path)
{
	struct stat st;
	char *text;

	if (stat(path, &st) == -1 || !S_ISREG(st.st_mode) ||
	    fs_read_path(path, SCRIPT, &text, NULL, NULL) == -1)
		return NULL;
	return text;
}

/* ---- the interpreter and the script ---- */

/* Return the path of a program as a shell in place would find it, or NULL. */
static char *
find_program(const char *name, const char *place)
{
	const char *path = getenv("PATH");
	char *list, *rest, *part, *found = NULL, *at;

	if (strchr(name, '/') != NULL)
		return *name == '/' ? xstrdup(name) : fs_join(place, name);
	list = rest = xstrdup(path != NULL ? path : "/usr/bin:/bin");
	while (found == NULL && (part = strsep(&rest, ":")) != NULL) {
		at = fs_join(*part != '\0' ? part : place, name);
		if (access(at, X_OK) == 0)
			found = at;
		else
			free(at);
	}
	free(list);
	return found;
}

static int
is_python(const char *path)
{
	return text_begins(fs_base(path), "python");
}

/* Return the Python in the "#!" line of a file, to free, or NULL. */
static char *
interpreter_of(const char *script, const char *place)
{
	char *text, *line, *word, *found = NULL;

	if ((text = read_file(script)) == NULL)
		return NULL;
	line = text + 2;
	if (text_begins(text, "#!")) {
		line[strcspn(line, "\n")] = '\0';
		while (found == NULL && (word = strsep(&line, " \t\r")) != NULL)
			if (is_python(word))
				found = find_program(word, place);
	}
	free(text);
	return found;
}

/* Return the script in the words after an interpreter, to free, or NULL. */
static char *
script_of(const struct strlist *command, const char *place)
{
	const char *word;
	char *name, *at, *path;
	size_t i;

	for (i = 1; i < command->count; i++) {
		word = command->word[i];
		if (strcmp(word, "-W") == 0 || strcmp(word, "-X") == 0) {
			i++;
		} else if (strcmp(word, "-m") == 0 && i + 1 < command->count) {
			name = xasprintf("%s.py", command->word[i + 1]);
			for (at = name; at < name + strlen(name) - 3; at++)
				*at = *at == '.' ? '/' : *at;
			path = fs_join(place, name);
			free(name);
			return path;
		} else if (*word != '-') {
			return *word == '/' ? xstrdup(word)
					    : fs_join(place, word);
		} else if (strcmp(word, "-c") == 0 || word[1] == '\0') {
			return NULL;
		}
	}
	return NULL;
}

/* ---- imports ---- */

/* Add the identifier that text begins with, once. */
static void
add_name(struct imports *im, const char *text)
{
	size_t n = 0;
	char *name;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	name = xstrndup(text, n);
	if (n > 0 && !strlist_have(&im->names, name))
		strlist_push(&im->names, name);
	free(name);
}

/* Read "import numpy as np, torch.nn" or "from torch import nn". */
static void
read_line(struct imports *im, char *line)
{
	char *part;

	line += strspn(line, " \t");
	if (text_begins(line, "from ")) {
		add_name(im, line + 5 + strspn(line + 5, " \t"));
	} else if (text_begins(line, "import ")) {
		line += 7;
		while ((part = strsep(&line, ",;#")) != NULL)
			add_name(im, part + strspn(part, " \t"));
	}
}

/* Add the module of this name in the script's directory, if there is one. */
static void
add_module(struct imports *im, const char *name)
{
	char *path = xasprintf("%s%s.py", im->directory, name);

	if (access(path, R_OK) == -1) {
		free(path);
		path = xasprintf("%s%s/__init__.py", im->directory, name);
	}
	if (access(path, R_OK) == 0)
		strlist_push(&im->modules, path);
	free(path);
}

/* Collect the imports of a script and of the modules in its directory. */
static void
read_script(struct imports *im, const char *script)
{
	size_t done = 0, seen = 0;
	char *text, *rest, *line;

	im->directory = xstrndup(script, (size_t)(fs_base(script) - script));
	strlist_push(&im->modules, script);
	for (; done < im->modules.count && done < MODULES; done++) {
		rest = text = read_file(im->modules.word[done]);
		while ((line = strsep(&rest, "\n")) != NULL)
			read_line(im, line);
		free(text);
		for (; seen < im->names.count; seen++)
			add_module(im, im->names.word[seen]);
	}
}

/* ---- installed packages ---- */

/* Return Python's directory in prefix/lib, "python3.11", to free, or NULL. */
static char *
library_of(const char *prefix, const char *python)
{
	char *lib = fs_join(prefix, "lib"), *found = NULL;
	const char *wanted = fs_base(python);
	struct fs_names names = {0};
	int dir = fs_open_dir(lib, NULL);
	size_t i;

	if (dir != -1)
		fs_list(dir, &names, NULL);
	for (i = 0; i < names.count; i++) {
		if (!text_begins(names.name[i], "python3."))
			continue;
		/* Prefer the name of the interpreter, else take the last. */
		if (found == NULL || strcmp(names.name[i], wanted) == 0 ||
		    strcmp(found, wanted) != 0) {
			free(found);
			found = xstrdup(names.name[i]);
		}
	}
	fs_names_free(&names);
	fs_close(dir);
	free(lib);
	return found;
}

/* Return whether a distribution is named like an import: "PyYAML" is not. */
static int
is_named(const char *distribution, size_t length, const char *import)
{
	size_t i;

	for (i = 0; i < length && import[i] != '\0'; i++)
		if (ascii_lower((unsigned char)distribution[i]) !=
			ascii_lower((unsigned char)import[i]) &&
		    !(strchr("-._", distribution[i]) != NULL &&
			import[i] == '_'))
			return 0;
	return i == length && import[i] == '\0';
}

/* Return whether a text has a line that is word. */
static int
has_line(const char *text, const char *word)
{
	size_t n, length = strlen(word);

	for (;; text += n + 1) {
		n = strcspn(text, "\r\n");
		if (n == length && memcmp(text, word, n) == 0)
			return 1;
		if (text[n] == '\0')
			return 0;
	}
}

static int
is_there(const char *place, const char *import)
{
	char *directory = fs_join(place, import);
	char *file = xasprintf("%s.py", directory);
	int there = access(directory, F_OK) == 0 || access(file, F_OK) == 0;

	free(directory);
	free(file);
	return there;
}

/*
 * Return "torch 2.3.0" for "torch-2.3.0.dist-info" and for
 * "torch-2.3.0-py3.11.egg-info"; to free.
 */
static char *
version_of(const char *info)
{
	const char *version = strchr(info, '-') + 1;
	size_t length = (size_t)(strrchr(version, '.') - version);
	size_t dash = strcspn(version, "-"); /* a version has no dash */

	length = dash < length ? dash : length;
	return xasprintf(
	    "%.*s %.*s", (int)(version - info - 1), info, (int)length, version);
}

/*
 * Return whether a distribution's top_level.txt has an import.  A directory on
 * NFS can have hundreds of distributions, so each file is read only once.
 */
static int
has_import(struct packages *p, size_t info, const char *import)
{
	char *path;

	if (p->top_level[info] == NULL) {
		path = xasprintf(
		    "%s/%s/top_level.txt", p->place, p->names.name[info]);
		p->top_level[info] = read_file(path);
		if (p->top_level[info] == NULL)
			p->top_level[info] = xstrdup("");
		free(path);
	}
	return has_line(p->top_level[info], import);
}

/* Add the version of an import.  Returns whether the packages have it. */
static int
find_import(struct packages *p, const char *import, struct strlist *out)
{
	const char *found = NULL, *name;
	char *version;
	size_t i, pass;

	for (pass = 0; pass < 2 && found == NULL; pass++) {
		if (pass == 1 && !is_there(p->place, import))
			return 0;
		for (i = 0; i < p->names.count && found == NULL; i++) {
			name = p->names.name[i];
			if (strchr(name, '-') == NULL ||
			    (!text_ends(name, ".dist-info") &&
				!text_ends(name, ".egg-info")))
				continue;
			if (pass == 0
				? is_named(name, strcspn(name, "-"), import)
				: has_import(p, i, import))
				found = name;
		}
	}
	if (found == NULL)
		return 0;
	version = version_of(found);
	if (!strlist_have(out, version))
		strlist_push(out, version);
	free(version);
	return 1;
}

/* Look for all imports in a directory of packages; clear the names found. */
static void
look_into(const char *place, struct imports *im, struct strlist *out)
{
	struct packages p = {.place = place};
	int dir = fs_open_dir(place, NULL);
	size_t i;

	if (dir == -1)
		return;
	if (fs_list(dir, &p.names, NULL) == 0) {
		p.top_level = xcalloc(p.names.count + 1, sizeof *p.top_level);
		for (i = 0; i < im->names.count && out->count < SHOWN; i++)
			if (*im->names.word[i] != '\0' &&
			    find_import(&p, im->names.word[i], out))
				*im->names.word[i] = '\0';
		for (i = 0; i < p.names.count; i++)
			free(p.top_level[i]);
		free(p.top_level);
	}
	fs_names_free(&p.names);
	fs_close(dir);
}

/* Look below a prefix; "python 3.11" is put first. */
static void
look_below(const char *prefix, const char *python, struct imports *im,
    struct strlist *out)
{
	char *library = library_of(prefix, python), *place[3];
	size_t i;

	if (library == NULL)
		return;
	if (out->count == 0)
		strlist_take(out, xasprintf("python %s", library + 6));
	place[0] = xasprintf("%s/lib/%s/site-packages", prefix, library);
	place[1] = xasprintf("%s/local/lib/%s/dist-packages", prefix, library);
	place[2] = xasprintf("%s/lib/python3/dist-packages", prefix);
	for (i = 0; i < 3; i++) {
		look_into(place[i], im, out);
		free(place[i]);
	}
	free(library);
}

/* Return the directory above that of a program; to free. */
static char *
prefix_of(const char *program)
{
	size_t n = (size_t)(fs_base(program) - program);
	char *bin = xstrndup(program, n > 1 ? n - 1 : n), *prefix;

	prefix = xstrndup(bin, (size_t)(fs_base(bin) - bin));
	n = strlen(prefix);
	if (n > 1)
		prefix[n - 1] = '\0';
	free(bin);
	return prefix;
}

/* Look in the environment of an interpreter, then in the one it is based on. */
static void
look_up(const char *python, struct imports *im, struct strlist *out)
{
	char real[PATH_MAX], *prefix = prefix_of(python);
	const char *home = getenv("HOME");
	char *path = fs_join(prefix, "pyvenv.cfg"), *text = NULL;
	int alone;

	if (realpath(python, real) == NULL)
		snprintf(real, sizeof real, "%s", python);
	text = read_file(path);
	alone = text != NULL &&
	    strstr(text, "include-system-site-packages = true") == NULL;
	free(path);
	look_below(prefix, real, im, out);
	if (!alone && home != NULL) {
		path = fs_join(home, ".local");
		look_below(path, real, im, out);
		free(path);
	}
	free(prefix);
	if (!alone) {
		prefix = prefix_of(real);
		look_below(prefix, real, im, out);
		free(prefix);
	}
	free(text);
}

char *
job_software_packages(const struct strlist *command, const char *place)
{
	struct imports im = {0};
	struct strlist out = {0};
	char *python, *script, *program, *text = NULL;

	program =
	    command->count > 0 ? find_program(command->word[0], place) : NULL;
	if (program == NULL)
		return NULL;
	if (is_python(program)) {
		python = xstrdup(program);
		script = script_of(command, place);
	} else {
		python = interpreter_of(program, place);
		script = xstrdup(program);
	}
	if (python != NULL && script != NULL)
		read_script(&im, script);
	if (python != NULL)
		look_up(python, &im, &out);
	if (out.count > 0)
		text = strlist_join(&out, ", ");
	if (text != NULL && !text_is_utf8(text)) {
		free(text);
		text = NULL;
	}
	strlist_free(&out);
	free(im.directory);
	strlist_free(&im.modules);
	strlist_free(&im.names);
	free(program);
	free(python);
	free(script);
	return text;
}

/* ---- GPUs ---- */

/* Add the text after "Model:" in the description of a GPU, once. */
static void
add_model(const char *text, struct strlist *models)
{
	const char *at = strstr(text, "Model:");
	char *model;
	size_t n;

	if (at == NULL)
		return;
	at += 6 + strspn(at + 6, " \t");
	n = strcspn(at, "\r\n");
	while (n > 0 && at[n - 1] == ' ')
		n--;
	model = xstrndup(at, n);
	if (n > 0 && !strlist_have(models, model))
		strlist_push(models, model);
	free(model);
}

void
job_software_gpus(const char *directory, char **models, char **driver)
{
	char *gpus = fs_join(directory, "gpus"), *path, *text, *rest, *word;
	struct fs_names names = {0};
	struct strlist found = {0};
	int dir = fs_open_dir(gpus, NULL);
	size_t i;

	*models = *driver = NULL;
	if (dir != -1)
		fs_list(dir, &names, NULL);
	for (i = 0; i < names.count; i++) {
		path = xasprintf("%s/%s/information", gpus, names.name[i]);
		text = read_file(path);
		if (text != NULL)
			add_model(text, &found);
		free(text);
		free(path);
	}
	if (found.count > 0)
		*models = strlist_join(&found, ", ");
	path = fs_join(directory, "version");
	rest = text = read_file(path);
	if (text != NULL)
		text[strcspn(text, "\n")] = '\0';
	/* Take the first word that is a version: "535.104.05". */
	while (*driver == NULL && (word = strsep(&rest, " \t")) != NULL)
		if (isdigit((unsigned char)*word) && strchr(word, '.') != NULL)
			*driver = xstrdup(word);
	free(text);
	free(path);
	strlist_free(&found);
	fs_names_free(&names);
	fs_close(dir);
	free(gpus);
}
