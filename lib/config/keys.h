/* The keys of the configuration files, and how their values are read. */
#ifndef STFM_CONFIG_KEYS_H
#define STFM_CONFIG_KEYS_H

#include <stddef.h>

#include "base/error.h"
#include "base/lex.h"

/* The JSON form of a value. */
enum config_kind {
	CONFIG_TEXT,   /* a text or a number */
	CONFIG_NUMBER, /* a whole number, at least 1 */
	CONFIG_CHOICE, /* one of a few words */
	CONFIG_PATH,   /* "~/x", "/scratch/$USER/x" */
	CONFIG_FLAG,   /* true or false */
	CONFIG_MAYBE,  /* text or number, or true for no value */
	CONFIG_LIST,   /* a text, or an array of texts that all apply */
	CONFIG_PAIRS   /* an object; a value is written "NAME VALUE" */
};

struct config_key {
	const char *section, *name;
	enum config_kind kind;
	int is_private;       /* ignored in other users' files */
	const char *choices;  /* separated by blanks */
	const char *built_in; /* the built-in default, or NULL */
};

/* All keys except the options of sbatch, in the order of config_show. */
extern const struct config_key config_keys[];
extern const size_t config_keys_count;

/*
 * Return the key called name, or NULL.  In "sbatch" one key stands for all
 * options.
 */
const struct config_key *config_key(const char *section, const char *name);

/*
 * Return whether text is one of the choices of a key, which must have choices.
 */
int config_is_choice(const struct config_key *, const char *text);

/* Return the section called name, or NULL. */
const char *config_section(const char *name);

/*
 * Return the name most similar to an unknown name in a section, or NULL.  In ""
 * the names of sections count too.
 */
const char *config_nearest(const char *section, const char *name);

/* Return why an sbatch option cannot be a default, or NULL if it can. */
const char *config_sbatch_refusal(const char *name);

/* Return whether an sbatch option is ignored in other users' files. */
int config_sbatch_is_private(const char *name);

/*
 * Parse the value of a key into *value (to free; NULL for an option without
 * value), or set *off.  name is the key as the file has it, for messages: in
 * "sbatch" it is the name of the option.  Paths are relative to dir; NULL
 * refuses relative paths.  Returns 0 or -1.
 */
int config_value(const struct config_key *, const struct lex *,
    const char *name, const char *dir, char **value, int *off, struct error *e);

#endif
