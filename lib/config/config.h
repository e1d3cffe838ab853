/*
 * Defaults for the options of the commands: the defaults of a site, of a user
 * and of a project, each in a JSON file that stfm-config(5) describes.
 *
 * A setting is one option in one of these files, in the environment, or built
 * in.  Of all settings for an option, the one of the highest level is in
 * effect; the command line overrides all of them.
 */
#ifndef STFM_CONFIG_CONFIG_H
#define STFM_CONFIG_CONFIG_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/strlist.h"
#include "slurm/sbatch.h"
#include "term/cli.h"
#include "term/table.h"

enum config_level {
	CONFIG_BUILT_IN,
	CONFIG_SITE,
	CONFIG_USER,
	CONFIG_NEAREST, /* a .stfm in this directory or above it */
	CONFIG_PROJECT,
	CONFIG_ENVIRONMENT,
	CONFIG_LEVELS
};

struct config_file {
	char *path;     /* NULL if the level has no file */
	int is_there;   /* whether it was read */
	int is_foreign; /* other users can write to it */
};

struct config_setting {
	const char *section; /* "submit", "sbatch"; "" is for all commands */
	char *name;          /* long name of the option */
	char *value;         /* text, or NULL for an option without value */
	int is_off; /* removes settings of lower levels, sets nothing */
	int holds;  /* whether it is in effect */
	enum config_level level;
	char *from;      /* "FILE", "$STFM_DIR"; NULL if built in */
	size_t line, at; /* line and offset in the file */
};

/* An error in a file. */
struct config_problem {
	const char *section; /* section of the error; NULL: the whole file */
	char *text;          /* "FILE: line 3, column 2: reason" */
	int is_passed_over;  /* whether it is skipped with a warning */
};

struct config {
	struct config_file file[CONFIG_LEVELS]; /* SITE, USER and PROJECT */
	/* Sorted by option, then by level. */
	struct config_setting *setting;
	size_t settings;
	struct config_problem *problem;
	size_t problems;
};

/* Return all settings and problems; never NULL. */
struct config *config_load(void);
void config_free(struct config *);

/*
 * Refuse problems that concern a section, such as "submit".  Returns 0, or -1
 * with the first problem in e.
 */
int config_check(const struct config *, const char *section, struct error *e);

/* Return whether a problem concerns a section. */
int config_concerns(const struct config_problem *, const char *section);

/* ---- defaults of a command ---- */

/*
 * Return the defaults of a command ("stfm-submit") for struct cli, or NULL with
 * the reason in e.  The defaults are static: they stay valid and are not to be
 * freed.  The first call reads the files.  Adds problems that are skipped to
 * notes.
 */
const struct cli_default *config_defaults(
    const char *command, struct strlist *notes, struct error *e);

/*
 * Set *out to the store that the files name, or to NULL; the text is static.
 * For programs without a struct cli.  Adds problems that are skipped to notes.
 * Returns 0 or -1.
 */
int config_store(const char **out, struct strlist *notes, struct error *e);

/*
 * Return the sbatch options in the files, as defaults with the places where
 * they are set, and add them to out.  The result is static.  Call
 * config_defaults first; without it there are none.
 */
const struct cli_default *config_sbatch(struct sbatch *out);

/*
 * Return the value of a key in the files, or NULL; the text is static.  Call
 * config_defaults first; without it there are none.
 */
const char *config_given(const char *section, const char *name);

/* ---- output ---- */

/*
 * Write a table of the settings in effect or, if all is true, of all settings
 * and keys.  In the text format, a table of the files follows.
 */
void config_show(
    FILE *, const struct config *, const struct table_look *, int all);

#endif
