/* Python and the frameworks, as a probe has met them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "check/private.h"

static const char *const frameworks[] = {"tensorflow", "torch", "jax", "keras"};

enum { FRAMEWORKS = sizeof frameworks / sizeof *frameworks };

/* How Python is handed to the check. */
static const char hand_over[] =
    "Activate the environment of your trainings first, or name their Python: "
    "stfm-check -- venv/bin/python";

static void
judge_path(struct setup_lines *lines, const char *version, const char *path,
    const char *other, int here)
{
	char *remedy;

	if (other == NULL) {
		setup_add(lines, SETUP_OK, "python", NULL, "%s, %s%s", version,
		    path != NULL ? path : "", here ? ", on this machine" : "");
		return;
	}
	remedy = xasprintf(
	    "Name that one: stfm-check -- %s/bin/python, and so to "
	    "stfm-submit; a startup file of the shell, or srun, may change "
	    "PATH",
	    other);
	setup_add(lines, SETUP_WARN, "python", remedy,
	    "%s, %s, but the active environment is %s", version,
	    path != NULL ? path : "", other);
	free(remedy);
}

/* It is there, and did not do what it was told. */
static void
judge_broken(struct setup_lines *lines, const char *text)
{
	char *command = setup_fact(text, "python.command");
	char *error = setup_fact(text, "python.error");
	char *status = setup_fact(text, "python.status");
	int unseen = error != NULL && strstr(error, "probe.py") != NULL;

	setup_add(lines, SETUP_FAIL, "python",
	    unseen ? "Bind the directory of the store into the container, "
		     "under the same path (apptainer -B)"
		   : hand_over,
	    "%s ended with %s%s%s", command ? command : "it",
	    status ? status : "an error", error && *error ? ": " : "",
	    error ? error : "");
	free(command);
	free(error);
	free(status);
}

static int
judge_version(struct setup_lines *lines, const struct setup_report *r)
{
	const char *text = r->text;
	char *version = setup_fact(text, "python");
	char *path = setup_fact(text, "python.path");
	char *other = setup_fact(text, "python.other");
	char *missing = setup_fact(text, "python.missing");
	int is_there = version != NULL;

	if (is_there)
		judge_path(lines, version, path, other, r->here);
	else if (missing != NULL)
		setup_add(lines, SETUP_WARN, "python", hand_over,
		    "there is neither python3 nor python; that is fine for "
		    "trainings in other languages");
	else
		judge_broken(lines, text);
	free(version);
	free(path);
	free(other);
	free(missing);
	return is_there;
}

static int
judge_framework(struct setup_lines *lines, const char *text, const char *name)
{
	char *version = setup_fact(text, name), *key, *error, *backend;
	const struct setup_sign *sign;
	int found;

	key = xasprintf("%s.error", name);
	error = setup_fact(text, key);
	free(key);
	backend = setup_fact(text, "keras.backend");
	sign = setup_sign(error);
	found = version != NULL || error != NULL;
	if (version != NULL && strcmp(name, "keras") == 0 && backend != NULL)
		setup_add(
		    lines, SETUP_OK, name, NULL, "%s on %s", version, backend);
	else if (version != NULL)
		setup_add(lines, SETUP_OK, name, NULL, "%s", version);
	else if (error != NULL)
		setup_add(lines, SETUP_FAIL, name,
		    sign != NULL ? sign->remedy
				 : "Install it anew, in an environment of its "
				   "own, with the versions of what it needs",
		    "cannot be imported: %s", error);
	free(version);
	free(error);
	free(backend);
	return found;
}

void
setup_judge_python(struct setup_lines *lines, const struct setup_report *r)
{
	int found = 0;
	size_t i;

	if (!judge_version(lines, r))
		return;
	for (i = 0; i < FRAMEWORKS; i++)
		found |= judge_framework(lines, r->text, frameworks[i]);
	if (!found)
		setup_add(lines, SETUP_WARN, "framework", hand_over,
		    "this Python has none of tensorflow, torch, jax, keras");
}
