/*
 * Defaults for the options of the commands: those of a site, of a user and of
 * a project, each in a JSON file that stfm-config(5) describes.
 *
 * A setting is one option in one of them, or in what comes before and after
 * them: the environment, and what is built in.  Of those for the same option
 * the last level holds; the command line comes before all.
 */
#ifndef STFM_CONFIG_CONFIG_H
#define STFM_CONFIG_CONFIG_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "slurm/sbatch.h"
#include "term/cli.h"
#include "term/table.h"

enum config_level {
	CONFIG_BUILT_IN,
	CONFIG_SITE,
	CONFIG_USER,
	CONFIG_NEAREST, /* the store that is nearest */
	CONFIG_PROJECT,
	CONFIG_ENVIRONMENT,
	CONFIG_LEVELS
};

struct config_file {
	char *path;     /* NULL where there is no place for one */
	int is_there;   /* it was read */
	int is_foreign; /* somebody else can write to it */
};

struct config_setting {
	const char *section; /* "submit", "sbatch"; "" is for all commands */
	char *name;          /* of the option, long */
	char *value;         /* text, or NULL for an option without one */
	int is_off; /* takes back what is said before; nothing is given */
	int holds;
	enum config_level level;
	char *from;      /* "FILE", "$STFM_DIR"; NULL for what is built in */
	size_t line, at; /* in the file; bytes in it */
};

/* Something wrong in a file. */
struct config_problem {
	const char *section; /* as above; NULL: the file as a whole */
	char *text;          /* "FILE: line 3, column 2: reason" */
	int is_passed_over;  /* it is not taken, and the rest is */
};

struct config {
	struct config_file file[CONFIG_LEVELS]; /* SITE, USER and PROJECT */
	struct config_setting *setting;         /* by option, then by level */
	size_t settings;
	struct config_problem *problem;
	size_t problems;
};

/* Read what there is; never NULL. */
struct config *config_load(void);
void config_free(struct config *);

/*
 * Refuse what is wrong in the parts that concern a section, "submit": 0 or -1
 * with the first of it.
 */
int config_check(const struct config *, const char *section, struct error *e);

/* Whether it concerns a section. */
int config_concerns(const struct config_problem *, const char *section);

/* ---- for a command ---- */

/*
 * For struct cli: the defaults of a command, with the files read once.  Says
 * on standard error what is passed over.
 */
const struct cli_default *config_defaults(const char *command, struct error *e);

/* The store that the files name, or NULL: for who has no struct cli. */
int config_store(const char **out, struct error *e);

/*
 * The options for sbatch in the files that config_defaults has read, as
 * defaults with the place each comes from.  They are added to out as well.
 */
const struct cli_default *config_sbatch(struct sbatch *out);

/* The value of a key in those files, or NULL. */
const char *config_given(const char *section, const char *name);

/* ---- for people ---- */

/*
 * Write a table of what holds, and with all also what does not; then, as
 * text, the files.
 */
void config_show(
    FILE *, const struct config *, const struct table_look *, int all);

#endif
