/*
 * The option language of sbatch(1), of releases 20.11 to 26.05: its options on
 * a command line, in #SBATCH lines and in the environment.
 *
 * Nothing here runs sbatch.  Options that Slurm or a SPANK plugin knows and
 * this table does not are passed over as one word, "--name" or "--name=value".
 */
#ifndef STFM_SLURM_SBATCH_H
#define STFM_SLURM_SBATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Options given, in order.  All zero is empty.  name is the canonical long
 * name ("gpus-per-node"); value is "" where none was given.
 */
struct sbatch {
	struct sbatch_given {
		char *name;
		char *value;
		size_t line; /* in a script; 0 elsewhere */
	} * given;
	size_t count;
};

/* Free what was given; the struct is then empty. */
void sbatch_free(struct sbatch *);

/*
 * Take the options that begin with the first of the words (a list that ends
 * with NULL): "-N2", "-N 2", "-HN2", "--nodes=2", "--nodes 2", "--part=gpu".
 * Returns how many words they fill, 0 when the first word is none of sbatch's
 * options (an operand, "-", "--", an unknown letter), or -1 with nothing taken
 * when a value is missing or an abbreviation has two meanings.
 */
int sbatch_take(struct sbatch *, char *const words[], struct error *e);

/* The canonical name for an option's letter or long name, or NULL. */
const char *sbatch_name(const char *letter_or_name);

/* The long name that is nearest to a mistyped one, or NULL. */
const char *sbatch_nearest(const char *name);

/*
 * Whether one of two options takes the place of the other: they are the same,
 * or both say how much memory, or how many GPUs.
 */
int sbatch_is_like(const char *name, const char *other);

/* The long name of its i-th option that is not another's, or NULL: no more. */
const char *sbatch_long(size_t i);

/* Add one option. */
void sbatch_add(struct sbatch *, const char *name, const char *value);

/*
 * An option as one word for sbatch, to free: "--hold", "--mem=4G".  The word of
 * an option that takes a value has a "=" also before an empty value, or sbatch
 * would take the next word for it.
 */
char *sbatch_word(const char *name, const char *value);

/* Returns 0 where an empty value means something to Slurm, or -1. */
int sbatch_check_empty(const char *name, struct error *e);

/* The value given last, or NULL when the option was not given. */
const char *sbatch_value(const struct sbatch *, const char *name);

/*
 * Why an option cannot be handed on, in words for the user ("the array is made
 * by stfm-submit: ..."), or NULL when it can.  "comment" can, but is to be put
 * behind the token.
 */
const char *sbatch_refusal(const char *name);

/* Whether GPUs are asked for, in any of the ways there are (or "none"). */
int sbatch_has_gpu(const struct sbatch *);

/* Whether the number of tasks or nodes is said. */
int sbatch_has_tasks(const struct sbatch *);

/*
 * Add the options that the environment stands for: SBATCH_PARTITION ...  env
 * is a list of "NAME=value" that ends with NULL.
 */
void sbatch_environment(struct sbatch *, char *const env[]);

/* What sbatch reads in a batch script. */
struct sbatch_script {
	char **line; /* the #SBATCH (#PBS) lines that Slurm reads, verbatim */
	size_t lines;
	struct sbatch options; /* in them */
	struct sbatch_warning {
		size_t line;
		char *
		    text; /* "#SBATCH after the first command is ignored ..." */
	} * warning;
	size_t warnings;
};

/* Free what it holds; the struct is then empty. */
void sbatch_script_free(struct sbatch_script *);

/*
 * Read a script as sbatch does, into an empty struct.  Lines that Slurm would
 * silently pass over, and values that it does not expand, become warnings.
 * Returns 0, or -1 with "line 3: reason" in e for what sbatch would refuse: no
 * #!, line ends of DOS, an option without its value.
 */
int sbatch_script(
    const char *text, size_t length, struct sbatch_script *, struct error *e);

/*
 * Read a time limit: "90" (minutes), "1:30:00", "2-0", "UNLIMITED".  *minutes
 * is rounded up as Slurm does, -1 without limit.
 */
int sbatch_time(const char *text, int64_t *minutes, struct error *e);

/*
 * Read an amount of memory: "64G", "512" (MB), "1.5T"; the unit may be followed
 * by "B".
 */
int sbatch_memory(const char *text, int64_t *megabytes, struct error *e);

/* GPUs asked for: how many, of which type ("" for any). */
struct sbatch_gpus {
	uint64_t count;
	char type[64];
};

/*
 * Read the value of --gres, --gpus or one of its like: "gpu:a100:2",
 * "gres/gpu:1", "gpu=2", "a100:2", "4", "none", "gpu:a:1,gpu:b:2,shard:1".
 * Several types go to the entries of out in their order; other resources are
 * passed over.  Returns how many entries were filled (0 to room), or -1 when
 * the text cannot be read.
 */
int sbatch_gpus(const char *option, const char *text, struct sbatch_gpus *out,
    size_t room, struct error *e);

#endif
