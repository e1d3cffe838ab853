/*
 * The option language of sbatch(1), releases 20.11 to 26.05: options on a
 * command line, in #SBATCH lines and in the environment.
 *
 * Nothing here runs sbatch.  Slurm or a SPANK plugin may know an option that
 * this table does not know.  Such an option is accepted as one word, "--name"
 * or "--name=value".
 */
#ifndef STFM_SLURM_SBATCH_H
#define STFM_SLURM_SBATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A list of options, in the order given; zeroed is empty.  name is the
 * canonical long name ("gpus-per-node"); value is "" if none was given.
 */
struct sbatch {
	struct sbatch_given {
		char *name;
		char *value;
		size_t line; /* in a script; 0 for other sources */
	} * given;
	size_t count;
};

/* Free the contents of a list and make it empty. */
void sbatch_free(struct sbatch *);

/*
 * Take the options in the first of words, and their value if it is in the next
 * word; words ends with NULL: "-N2", "-N 2", "-HN2", "--nodes=2", "--nodes 2",
 * "--part=gpu".  Returns how many words were used; 0 if the first word is not
 * an option of sbatch (an operand, "-", "--", an unknown letter); -1 with
 * nothing taken if a value is missing or an abbreviation is ambiguous.
 */
int sbatch_take(struct sbatch *, char *const words[], struct error *e);

/* Return an option's canonical name, by its letter or long name, or NULL. */
const char *sbatch_name(const char *letter_or_name);

/* Return the long name nearest to a mistyped one, or NULL. */
const char *sbatch_nearest(const char *name);

/*
 * Return whether two options replace each other: they are the same option, both
 * set the memory, or both set the number of GPUs.
 */
int sbatch_is_like(const char *name, const char *other);

/* Return the i-th long name that is not an alias, or NULL at the end. */
const char *sbatch_long(size_t i);

/* Append one option; name and value are copied. */
void sbatch_add(struct sbatch *, const char *name, const char *value);

/*
 * Return an option as one word for sbatch, to free: "--hold", "--mem=4G".  An
 * option that takes a value has "=" even before an empty value; otherwise
 * sbatch would take the next word as its value.
 */
char *sbatch_word(const char *name, const char *value);

/* Check that the option may have an empty value.  Returns 0, or -1. */
int sbatch_check_empty(const char *name, struct error *e);

/* Return an option's last value, NULL if not given; it belongs to the list. */
const char *sbatch_value(const struct sbatch *, const char *name);

/*
 * Return why stfm does not pass an option on to sbatch, as a message ("the
 * array is made by stfm-submit: ..."), or NULL if stfm does.  stfm passes
 * "comment" on, but the caller must put the token before its value.
 */
const char *sbatch_refusal(const char *name);

/* Return whether any option sets a number of GPUs, or "none". */
int sbatch_has_gpu(const struct sbatch *);

/* Return whether any option sets the number of tasks or nodes. */
int sbatch_has_tasks(const struct sbatch *);

/*
 * Append the options that environment variables such as SBATCH_PARTITION set.
 * env is a list of "NAME=value" that ends with NULL.
 */
void sbatch_environment(struct sbatch *, char *const env[]);

/* A batch script as sbatch reads it. */
struct sbatch_script {
	char **line; /* the #SBATCH and #PBS lines that Slurm reads, verbatim */
	size_t lines;
	struct sbatch options; /* the options in these lines */
	struct sbatch_warning {
		size_t line;
		/* "#SBATCH after the first command is ignored ...". */
		char *text;
	} * warning;
	size_t warnings;
};

/* Free the contents and make the struct empty. */
void sbatch_script_free(struct sbatch_script *);

/*
 * Read a script as sbatch does, into an empty struct.  Lines that Slurm would
 * silently ignore, and values that it does not expand, become warnings.
 * Returns 0, or -1 with "line 3: reason" in e for scripts that sbatch would
 * refuse: no #!, DOS line ends, an option without its value.
 */
int sbatch_script(
    const char *text, size_t length, struct sbatch_script *, struct error *e);

/*
 * Read a time limit: "90" (minutes), "1:30:00", "2-0", "UNLIMITED".  Sets
 * *minutes, rounded up as Slurm does, or -1 for no limit.  Returns 0, or -1
 * with the reason in e.
 */
int sbatch_time(const char *text, int64_t *minutes, struct error *e);

/*
 * Read an amount of memory: "64G", "512" (MB), "1.5T"; a "B" may follow the
 * unit.  Returns 0, or -1 with the reason in e.
 */
int sbatch_memory(const char *text, int64_t *megabytes, struct error *e);

/* A request for count GPUs of one type ("" for any). */
struct sbatch_gpus {
	uint64_t count;
	char type[64];
};

/*
 * Read the value of --gres, --gpus or another GPU option: "gpu:a100:2",
 * "gres/gpu:1", "gpu=2", "a100:2", "4", "none", "gpu:a:1,gpu:b:2,shard:1".
 * Each type fills one entry of out, in order; other resources are ignored.
 * Returns the number of entries filled (0 to room), or -1 if the text cannot be
 * read.
 */
int sbatch_gpus(const char *option, const char *text, struct sbatch_gpus *out,
    size_t room, struct error *e);

#endif
