/* What the files of config share. */
#ifndef STFM_CONFIG_PRIVATE_H
#define STFM_CONFIG_PRIVATE_H

#include "base/lex.h"
#include "config/config.h"

/* What an option is given in JSON. */
enum config_kind {
	CONFIG_TEXT,   /* a text or a number */
	CONFIG_NUMBER, /* a whole number from 1 on */
	CONFIG_CHOICE, /* one of some words */
	CONFIG_PATH,   /* "~/x", "/scratch/$USER/x" */
	CONFIG_FLAG,   /* true or false */
	CONFIG_MAYBE,  /* either: true is without a value */
	CONFIG_LIST,   /* a text, or an array of them, all of which hold */
	CONFIG_PAIRS   /* an object; its values, each behind name and blank */
};

struct config_key {
	const char *section, *name;
	enum config_kind kind;
	int is_private;       /* not taken from somebody else's file */
	const char *choices;  /* separated by blanks */
	const char *built_in; /* or NULL */
};

/* All keys but those of sbatch, in the order they are shown in. */
extern const struct config_key config_keys[];
extern const size_t config_keys_count;

/* The key, or NULL; of the section "sbatch" one that stands for any option. */
const struct config_key *config_key(const char *section, const char *name);

/* The section of this name, or NULL. */
const char *config_section(const char *name);

/*
 * The nearest name to an unknown one in a section; in "" the sections are
 * names as well.  NULL when none is near.
 */
const char *config_nearest(const char *section, const char *name);

/*
 * Why an option of sbatch cannot be a default, or NULL; and whether one may
 * come from somebody else's file.
 */
const char *config_sbatch_refusal(const char *name);
int config_sbatch_is_private(const char *name);

/*
 * Read the value of a key from JSON into *value (to free; NULL for an option
 * without one) or set *off.  dir is what paths are relative to, or NULL.
 */
int config_value(const struct config_key *, const struct lex *,
    const char *name, const char *dir, char **value, int *off, struct error *e);

/* The command-line form of a setting: "--interval=30"; to free. */
char *config_word(const struct config_setting *);

#endif
